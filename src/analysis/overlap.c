// Shapes that overlap where a run begins, of contacts with a force law: a little depth is how they
// carry, much of it is a drawing that was hardly meant, and throws the bodies apart.
#include <math.h>

#include "analysis/overlap.h"
#include "base/error.h"
#include "contact/geometry.h"
#include "model/contact.h"

#define DEEP 0.05   // of the smaller shape
#define PAIRS 20000 // at most that are looked at
#define WARNINGS 3

static double depth_of(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(c, pair, frames, 0);
  int count = hn_contact_points(c, pair, mode, frames, 0, points);
  double depth = 0;
  for (int k = 0; k < count; k++)
    if (points[k].is_inside) depth = fmax(depth, -points[k].gap);
  return depth;
}

void hn_overlap_warn(hn_simulation *s, const hn_frame *frames) {
  const hn_contacts *c = s->elements->contacts;
  int told = 0;
  for (int k = 0; c && c->pairs_listed && k < c->pair_count && k < PAIRS && told < WARNINGS; k++) {
    const hn_contact_pair *pair = &c->pairs[k];
    const hn_contact_def *rule = &s->model->contacts[pair->rule];
    if (hn_contact_is_rigid(rule)) continue; // the start of the run looks at those
    double size = fmin(c->shapes[pair->shape[0]].bound, c->shapes[pair->shape[1]].bound);
    double depth = depth_of(c, pair, frames);
    if (!(depth > DEEP * size)) continue;
    char name[192];
    hn_text(name, sizeof name, "contact '%s' of bodies '%s' and '%s'", rule->name,
            s->model->bodies[pair->body[0]].name, s->model->bodies[pair->body[1]].name);
    hn_simulation_warn(s, name, "they overlap by %.3g m at the start. Move them apart in the model",
                       depth);
    told++;
  }
}

void hn_note_depths(hn_simulation *s, const hn_snapshot *now) {
  for (int f = 0; s->model->touching.has_forces && f < s->model->force_count; f++)
    if (s->model->forces[f].type == HN_FORCE_CONTACT && now->forces[f].deflection > 0)
      s->certificate.penetration = fmax(s->certificate.penetration, now->forces[f].deflection);
}
