// Published contacts and followed outputs of a component, checked before they become part of a model:
// counts, places among bodies and outputs, enums, arrays and finite numbers. Ranges of lengths and
// materials are checked with the model (model/shape.c, model/contact.c).
#include <math.h>
#include <stddef.h>

#include "components/sealed.h"
#include "model/state.h"

enum { MOST_ELEMENTS = 1000000, MOST_NUMBERS = 100000000 };

static int is_count(int count, const void *array) {
  return count >= 0 && count <= MOST_ELEMENTS && (count == 0 || array);
}

// All numbers in count tuples are finite.
static int are_finite(const double *values, int count, int each) {
  if (count < 0 || count > MOST_NUMBERS / each || (count > 0 && !values)) return 0;
  for (int i = 0; i < count * each; i++)
    if (!isfinite(values[i])) return 0;
  return 1;
}

static int is_body(const hn_component_facts *f, int body) {
  return body >= 0 && body <= f->external_count + f->body_count;
}

static int is_vector(hn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static const char *mesh_fault(const hn_mesh *mesh) {
  if (!mesh || mesh->vertex_count < 3 || mesh->triangle_count < 1 ||
      mesh->triangle_count > MOST_NUMBERS / 3 || !mesh->triangles ||
      !are_finite(mesh->vertices, mesh->vertex_count, 3))
    return "a shape with an invalid mesh";
  for (int i = 0; i < 3 * mesh->triangle_count; i++)
    if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count)
      return "a mesh with an unknown vertex";
  return NULL;
}

static const char *shape_fault(const hn_component_facts *f, const hn_component_shape *s) {
  const hn_shape_def *d = &s->def;
  if (!is_body(f, d->frame.body)) return "a shape on an unknown body";
  if ((unsigned)d->type >= HN_SHAPE_TYPES || (unsigned)d->touch > HN_TOUCH_ELLIPSOID ||
      s->choice < -1 || s->choice > 1 || !s->group)
    return "a shape of an unknown kind";
  const hn_quat p = d->frame.orientation;
  if (!is_vector(d->frame.position) || !isfinite(p.w + p.x + p.y + p.z) || !is_vector(d->size) ||
      !isfinite(d->radius) || !isfinite(d->length) || !isfinite(d->transparency) ||
      !isfinite(d->grid_step[0]) || !isfinite(d->grid_step[1]))
    return "a shape with a number that is not finite";
  if (!are_finite(d->profile, d->profile_count, 2) || !are_finite(d->curve, d->curve_count, 3))
    return "a shape with an invalid profile or curve";
  if ((d->touch == HN_TOUCH_HEIGHTS || d->grid[0] != 0 || d->grid[1] != 0) &&
      (d->grid[0] < 2 || d->grid[1] < 2 || d->grid[0] > 10000 || d->grid[1] > 10000 ||
       !are_finite(d->heights, d->grid[0] * d->grid[1], 1) ||
       !(d->grid_step[0] > 0 && d->grid_step[1] > 0)))
    return "a shape with invalid heights";
  return d->type == HN_SHAPE_MESH ? mesh_fault(d->mesh) : NULL;
}

static const char *law_fault(const hn_component_law *law) {
  if (law->pieces < 0 || law->count < 0 || law->points < 0 ||
      (law->pieces > 0 && law->count > MOST_ELEMENTS / law->pieces))
    return "a contact with a function of an invalid size";
  switch (law->kind) {
  case -1: return NULL;
  case HN_LAW_CONSTANT:
  case HN_LAW_POLYNOMIAL:
  case HN_LAW_PIECEWISE:
    if (law->pieces < 1 || law->count < 1 || law->pieces > MOST_ELEMENTS ||
        law->count > MOST_ELEMENTS / law->pieces ||
        !are_finite(law->coefficients, law->pieces, law->count) ||
        !are_finite(law->breakpoints, law->pieces - 1, 1))
      break;
    return NULL;
  case HN_LAW_TABLE:
    if (law->points < 1 || (unsigned)law->interpolation > HN_TABLE_AKIMA ||
        (unsigned)law->outside > HN_TABLE_REFUSE || !are_finite(law->x, law->points, 1) ||
        !are_finite(law->y, law->points, 1))
      break;
    return NULL;
  case HN_LAW_EXPRESSION:
    if (!law->text) break;
    return NULL;
  default: break;
  }
  return "a contact with an invalid function of the depth";
}

static const char *contact_fault(const hn_component_facts *f, const hn_component_contact *c) {
  if (c->of < HN_COMPONENT_ALL_SHAPES || c->of > HN_COMPONENT_GROUPS || !c->group[0] ||
      !c->group[1] || !c->def.name || (unsigned)c->def.law >= HN_CONTACT_LAWS ||
      (unsigned)c->def.restitution_kind > HN_RESTITUTION_POISSON)
    return "a contact of an unknown kind";
  if (c->of == HN_COMPONENT_GROUPS && !c->group[0][0]) return "a contact without a group";
  if (!is_body(f, c->body[0]) || !is_body(f, c->body[1])) return "a contact of an unknown body";
  return law_fault(&c->law);
}

static const char *delay_fault(const hn_component_facts *f) {
  if (f->delay_count < 0 || f->delay_count > f->state_count) return "too many delays";
  for (int k = 0; k < f->delay_count; k++) {
    if (f->delay_state[k] < 0 || f->delay_state[k] >= f->state_count)
      return "a delay of an unknown state";
    if (!(f->delay_time[k] >= HN_LEAST_PERIOD && f->delay_time[k] < HUGE_VAL))
      return "an invalid delay";
    for (int i = 0; i < 2; i++)
      if (!(f->delay_rise[2 * k + i] >= 0 && f->delay_rise[2 * k + i] <= 2))
        return "a delay that bends at an unknown derivative";
  }
  return NULL;
}

static const char *follower_fault(const hn_component_facts *f) {
  for (int k = 0; k < f->given_count; k++)
    if (f->given[k].follows < -1 || f->given[k].follows >= f->output_count ||
        (f->given[k].follows >= 0 && !(f->given[k].every >= HN_LEAST_PERIOD)))
      return "an input that follows an unknown output";
  for (int k = 0; k < f->state_count; k++)
    if (f->state_follows[k] < -1 || f->state_follows[k] >= f->output_count ||
        (f->state_follows[k] >= 0 && !(f->state_every[k] > 0)))
      return "a state that follows an unknown output";
  return NULL;
}

const char *hn_component_fault(const hn_component_facts *f) {
  if (!f) return "nothing";
  if (!is_count(f->link_count, f->links) || !is_count(f->shape_count, f->shapes) ||
      !is_count(f->contact_count, f->contacts))
    return "an invalid number of joints, shapes or contacts";
  const char *fault = follower_fault(f);
  if (!fault) fault = delay_fault(f);
  for (int k = 0; k < f->link_count; k++)
    if (!is_body(f, f->links[k].body[0]) || !is_body(f, f->links[k].body[1]))
      return "a joint of an unknown body";
  for (int k = 0; k < f->shape_count && !fault; k++) fault = shape_fault(f, &f->shapes[k]);
  for (int k = 0; k < f->contact_count && !fault; k++) fault = contact_fault(f, &f->contacts[k]);
  return fault;
}
