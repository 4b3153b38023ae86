// Shapes that overlap where a run begins. Of contacts with a force law a little depth is how they carry,
// much of it is a drawing that was hardly meant, and throws the bodies apart. Of rigid contacts that are
// stepped over any depth is (simulation_contacts.c looks at those that are followed).
#include <math.h>

#include "analysis/overlap.h"
#include "base/error.h"
#include "contact/geometry.h"
#include "model/contact.h"

#define DEEP 0.05   // of the smaller shape
#define PAIRS 20000 // at most that are looked at
#define WARNINGS 3
#define STEPPED 1e-6 // m: rigid contacts may be drawn that deep
#define STEPPED_WARNINGS 6

static double depth_of(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(c, pair, frames, 0);
  int count = hn_contact_points(c, pair, mode, frames, 0, points);
  double depth = 0;
  for (int k = 0; k < count; k++)
    if (points[k].is_inside) depth = fmax(depth, -points[k].gap);
  return depth;
}

static const char *pair_name(const hn_simulation *s, const hn_contact_pair *pair, char *text,
                             size_t size) {
  return hn_text(text, size, "contact '%s' of bodies '%s' and '%s'",
                 s->model->contacts[pair->rule].name, s->model->bodies[pair->body[0]].name,
                 s->model->bodies[pair->body[1]].name);
}

static void warn_stepped(hn_simulation *s, const hn_frame *frames, const hn_contact_pair *pairs,
                         int count) {
  const hn_contacts *c = s->elements->contacts;
  char name[192];
  int found = 0;
  double deepest = 0;
  for (int k = 0; k < count; k++) {
    if (!hn_contact_is_rigid(&s->model->contacts[pairs[k].rule])) continue;
    const double depth = depth_of(c, &pairs[k], frames);
    if (!(depth > STEPPED)) continue;
    deepest = fmax(deepest, depth);
    if (found++ < STEPPED_WARNINGS)
      hn_simulation_warn(s, pair_name(s, &pairs[k], name, sizeof name),
                         "they overlap by %.3g m at the start: they are moved apart a little every "
                         "step. Move them in the model",
                         depth);
  }
  if (found > STEPPED_WARNINGS)
    hn_simulation_warn(s, "contacts", "%d more pairs overlap at the start, by up to %.3g m",
                       found - STEPPED_WARNINGS, deepest);
}

// Pairs that are too many to be listed are found by where they are.
static void look_at_stepped(hn_simulation *s, const hn_frame *frames) {
  const hn_contacts *c = s->elements->contacts;
  const hn_contact_pair *pairs = c->pairs;
  hn_contact_sweep *sweep = NULL;
  hn_arena arena;
  int count = c->pairs_listed ? c->pair_count : 0;
  hn_arena_init(&arena, s->options.allocator);
  if (!c->pairs_listed && hn_contact_sweep_create(&arena, c, PAIRS, &sweep) == HN_OK)
    count = hn_contacts_near(sweep, frames, 0, &pairs);
  warn_stepped(s, frames, pairs, count);
  hn_arena_release(&arena);
}

void hn_overlap_warn(hn_simulation *s, const hn_frame *frames) {
  const hn_contacts *c = s->elements->contacts;
  int told = 0;
  if (c && s->method->type->steps_over) look_at_stepped(s, frames);
  for (int k = 0; c && c->pairs_listed && k < c->pair_count && k < PAIRS && told < WARNINGS; k++) {
    const hn_contact_pair *pair = &c->pairs[k];
    const hn_contact_def *rule = &s->model->contacts[pair->rule];
    if (hn_contact_is_rigid(rule)) continue;
    double size = fmin(c->shapes[pair->shape[0]].bound, c->shapes[pair->shape[1]].bound);
    double depth = depth_of(c, pair, frames);
    if (!(depth > DEEP * size)) continue;
    char name[192];
    hn_simulation_warn(s, pair_name(s, pair, name, sizeof name),
                       "they overlap by %.3g m at the start. Move them apart in the model", depth);
    told++;
  }
}

void hn_note_depths(hn_simulation *s, const hn_snapshot *now) {
  for (int f = 0; s->model->touching.has_forces && f < s->model->force_count; f++)
    if (s->model->forces[f].type == HN_FORCE_CONTACT && now->forces[f].deflection > 0)
      s->certificate.penetration = fmax(s->certificate.penetration, now->forces[f].deflection);
}
