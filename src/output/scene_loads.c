// Loads of a scene: where tyres and contacts push, and with which force (scene.h).
//
// A contact pushes at its center of pressure: where the normal forces of all its points have no
// moment. Of rigid points that is the mean of their places, weighted by their normal forces; of a
// force law that gives one wrench (F, T about r), the place in the plane of the nearest point p0 with
// normal n,
//
//   c = p0 + n x M / (n . F),   M = T - (p0 - r) x F
//
// The force is that on the second body, or on the first where the second is ground.
#include <math.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "contact/contact.h"
#include "equations/conditions.h"
#include "integrate/time_stepping.h"
#include "output/scene.h"

#define MOST_CONTACTS 200 // pairs: as many as have signals

struct hn_load_source {
  int tyre;        // force; -1: a contact
  int signals[6];  // of a tyre: force, contact point; -1: none
  double radius;   // of a tyre without contact point
  int pair, law;   // of a contact; its force if it has a law, -1: rigid
  hn_wrench *room; // of laws: zero between uses (bodies + ground)
};

typedef struct push {
  hn_vec3 moment, force; // of places by normal forces; on the second body
  double normal;
} push;

static void add_push(push *p, hn_vec3 at, double normal, hn_vec3 force) {
  p->moment = vec3_add_scaled(p->moment, normal, at);
  p->force = vec3_add(p->force, force);
  p->normal += normal;
}

// ---- contacts -----------------------------------------------------------------------------------

// Many contacts: points of the last step, with their impulses.
static push stepped(const hn_simulation *s, const hn_contact_pair *pair) {
  const hn_sweep_point *points;
  const int count = hn_time_stepping_points(s->method, &points);
  const hn_frame *frames = s->view.snapshot->frames;
  push p = {0};
  for (int k = 0; k < count && s->method->step > 0; k++) {
    const hn_sweep_point *c = &points[k];
    if (c->shape[0] != pair->shape[0] || c->shape[1] != pair->shape[1]) continue;
    hn_vec3 force = vec3_zero();
    for (int i = 0; i < 3; i++)
      force = vec3_add_scaled(force, c->p[i] / s->method->step, c->axis[i]);
    add_push(&p, vec3_add(frames[c->body[1]].r, c->arm[1]), c->p[0] / s->method->step, force);
  }
  return p;
}

static push touched(const hn_simulation *s, int index, const hn_contact_pair *pair) {
  const hn_snapshot *snapshot = s->view.snapshot;
  const struct hn_grips *grips = s->view.branches->grips;
  hn_contact_point points[HN_CONTACT_POINTS];
  int number[HN_CONTACT_POINTS];
  push p = {0};
  if (!snapshot->touch || !grips) return p;
  const hn_contacts *contacts = s->elements->contacts;
  const int count = hn_contact_points(contacts, pair, grips->mode[index], snapshot->frames,
                                      HN_CONTACT_PLACES, points);
  hn_rigid_number(hn_conditions_of(s->equations), grips, index, points, count, number);
  for (int i = 0; i < count; i++) {
    if (number[i] < 0) continue;
    const hn_touch *touch = &snapshot->touch[number[i]];
    add_push(&p, points[i].point, touch->normal, touch->force);
  }
  return p;
}

static int find_nearest_point(const hn_contacts *contacts, const hn_contact_pair *pair,
                              const hn_frame *frames, hn_contact_point *nearest) {
  hn_contact_point points[HN_CONTACT_POINTS];
  const int mode = hn_contact_mode(contacts, pair, frames, HUGE_VAL);
  const int count = hn_contact_points(contacts, pair, mode, frames, HN_CONTACT_PLACES, points);
  *nearest = (hn_contact_point){.gap = HUGE_VAL};
  for (int k = 0; k < count; k++)
    if (points[k].is_inside && points[k].gap < nearest->gap) *nearest = points[k];
  return nearest->gap < HUGE_VAL;
}

static push by_law(const hn_simulation *s, const struct hn_load_source *from,
                   const hn_contact_pair *pair) {
  const hn_snapshot *snapshot = s->view.snapshot;
  hn_contact_point at;
  hn_force_value value = {0};
  push p = {0};
  if (!(snapshot->forces[from->law].value > 0)) return p;
  if (!find_nearest_point(s->elements->contacts, pair, snapshot->frames, &at)) return p;
  hn_force_in_speeds(s->elements, from->law, snapshot->frames, s->view.branches->turns, snapshot->t,
                     s->view.branches->force[from->law], from->room, &value);
  const int body = pair->body[1] != HN_GROUND ? pair->body[1] : pair->body[0];
  hn_wrench w = from->room[body];
  from->room[pair->body[0]] = from->room[pair->body[1]] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  const hn_vec3 arm = vec3_sub(at.point, snapshot->frames[body].r);
  const hn_vec3 m = vec3_sub(w.torque, vec3_cross(arm, w.force));
  const double normal = vec3_dot(at.normal, w.force);
  if (normal == 0) return p;
  const hn_vec3 center = vec3_add_scaled(at.point, 1 / normal, vec3_cross(at.normal, m));
  const hn_vec3 force = body == pair->body[1] ? w.force : vec3_negate(w.force);
  add_push(&p, center, fabs(normal), force);
  return p;
}

static void put_contact(const hn_simulation *s, const struct hn_load_source *from, float *out) {
  const hn_contact_pair *pair = &s->elements->contacts->pairs[from->pair];
  push p;
  if (from->law >= 0)
    p = by_law(s, from, pair);
  else if (s->method->type->steps_over)
    p = stepped(s, pair);
  else
    p = touched(s, from->pair, pair);
  if (!(p.normal > 0)) return;
  double numbers[6];
  vec3_store(numbers, vec3_scale(1 / p.normal, p.moment));
  vec3_store(numbers + 3, pair->body[1] == HN_GROUND ? vec3_negate(p.force) : p.force);
  for (int k = 0; k < 6; k++) out[k] = (float)numbers[k];
}

// ---- tyres --------------------------------------------------------------------------------------

// Where the tyre meets the road: as its signals say, or on the line of its force.
static void put_tyre(hn_simulation *s, const hn_scene *scene, const struct hn_load_source *from,
                     float *out) {
  double values[6] = {0};
  hn_simulation_signals(s, from->signals, 6, values);
  hn_vec3 force = vec3_load(values), at = vec3_load(values + 3);
  const double size = vec3_norm(force);
  if (!(size > 0)) return;
  if (from->radius > 0) {
    const hn_force_def *def = &scene->storage->model->forces[from->tyre];
    const hn_frame *wheel = &s->view.snapshot->frames[def->frame2.body];
    const double reach = from->radius - s->view.snapshot->forces[from->tyre].deflection;
    at = vec3_add(wheel->r, mat3_apply(wheel->a, def->frame2.position));
    at = vec3_add_scaled(at, -reach / size, force);
  }
  const double numbers[6] = {at.x, at.y, at.z, force.x, force.y, force.z};
  for (int k = 0; k < 6; k++) out[k] = (float)numbers[k];
}

static void find_tyre(const hn_simulation *s, const hn_force_def *force,
                      struct hn_load_source *from) {
  static const char *const parts[6] = {"force.x",   "force.y",   "force.z",
                                       "contact.x", "contact.y", "contact.z"};
  for (int k = 0; k < 6; k++) {
    char signal[1536];
    hn_text(signal, sizeof signal, "force.%s.%s", force->name, parts[k]);
    from->signals[k] = hn_simulation_find_signal(s, signal);
  }
  from->radius = from->signals[3] < 0 ? force->radius : 0;
  for (int k = 3; k < 6; k++)
    if (from->signals[k] < 0) from->signals[k] = from->signals[0];
}

// ---- all ----------------------------------------------------------------------------------------

static int is_tyre(const hn_model *model, int force) {
  const hn_force_type type = model->forces[force].type;
  return type == HN_FORCE_TYRE || type == HN_FORCE_ROLLING_TYRE;
}

static int law_of_pair(const hn_elements *elements, int pair) {
  for (int f = 0; f < elements->model->force_count; f++)
    if (elements->force_pair[f] == pair) return f;
  return -1;
}

// NAME, or NAME.NUMBER where a rule has several pairs, as in names of signals.
static const char *name_contact(hn_arena *arena, const hn_model *model, const hn_contacts *c,
                                int pair) {
  const int rule = c->pairs[pair].rule, first = c->rule_first[rule];
  char name[1536];
  if (c->rule_first[rule + 1] - first == 1) return model->contacts[rule].name;
  hn_text(name, sizeof name, "%s.%d", model->contacts[rule].name, pair - first + 1);
  return hn_arena_copy_string(arena, name);
}

static void add_contacts(hn_scene *scene, const hn_simulation *s, hn_scene_load *loads,
                         hn_wrench *room) {
  const hn_contacts *c = s->elements->contacts;
  for (int k = 0; k < c->pair_count; k++) {
    const hn_contact_pair *pair = &c->pairs[k];
    scene->storage->loads[scene->load_count] = (struct hn_load_source){
        .tyre = -1, .pair = k, .law = law_of_pair(s->elements, k), .room = room};
    loads[scene->load_count++] =
        (hn_scene_load){name_contact(&scene->storage->arena, scene->storage->model, c, k),
                        "contact", pair->body[1] != HN_GROUND ? pair->body[1] : pair->body[0]};
  }
}

int hn_scene_make_loads(hn_scene *scene, const hn_simulation *s) {
  hn_arena *arena = &scene->storage->arena;
  const hn_model *model = scene->storage->model;
  const hn_contacts *c = s->elements->contacts;
  const int contacts = c && c->pairs_listed && c->pair_count <= MOST_CONTACTS ? c->pair_count : 0;
  const int forces = hn_model_force_count(model);
  hn_scene_load *loads = HN_TAKE(arena, hn_scene_load, forces + contacts);
  hn_wrench *room = HN_TAKE(arena, hn_wrench, contacts > 0 ? model->body_count : 1);
  scene->storage->loads = HN_TAKE(arena, struct hn_load_source, forces + contacts);
  if (!loads || !room || !scene->storage->loads) return 0;
  scene->loads = loads;
  for (int f = 0; f < forces; f++) {
    if (!is_tyre(model, f)) continue;
    struct hn_load_source *from = &scene->storage->loads[scene->load_count];
    *from = (struct hn_load_source){.tyre = f, .pair = -1, .law = -1};
    find_tyre(s, &model->forces[f], from);
    loads[scene->load_count++] =
        (hn_scene_load){model->forces[f].name, "tyre", model->forces[f].frame2.body};
  }
  if (contacts > 0) add_contacts(scene, s, loads, room);
  return !arena->failed;
}

void hn_scene_put_loads(const hn_scene *scene, hn_simulation *s, float *frame) {
  float *out = frame + scene->stride - 6 * scene->load_count;
  for (int k = 0; k < scene->load_count; k++, out += 6) {
    const struct hn_load_source *from = &scene->storage->loads[k];
    if (from->tyre >= 0)
      put_tyre(s, scene, from, out);
    else
      put_contact(s, from, out);
  }
}
