// Warns about initial penetration: large depths of compliant contacts, any depth of time-stepped
// rigid contacts. A compliant contact needs a small depth to carry load; a large one is probably an
// input error and throws the bodies apart.
#include <limits.h>
#include <math.h>

#include "analysis/bounds.h"
#include "analysis/overlap.h"
#include "base/error.h"
#include "contact/geometry.h"
#include "model/contact.h"

#define DEEP 0.05   // of the smaller shape
#define PAIRS 20000 // examined at most
#define WARNINGS 3
#define STEPPED 1e-6 // m: rigid contacts may be drawn that deep
enum { RIGID_WARNINGS = 6 };

static double depth_of(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(c, pair, frames, 0);
  int count = hn_contact_points(c, pair, mode, frames, HN_CONTACT_PLACES, points);
  double depth = 0;
  for (int k = 0; k < count; k++)
    if (points[k].is_inside) depth = fmax(depth, -points[k].gap);
  return depth;
}

void hn_overlap_tell(hn_simulation *s, const hn_frame *frames, const hn_contact_pair *pairs,
                     int count, double limit, const char *what) {
  int named[RIGID_WARNINGS], found = 0;
  double depth[RIGID_WARNINGS], deepest_else = 0;
  char name[192];
  for (int k = 0; k < count; k++) {
    const hn_contact_def *rule = &s->model->contacts[pairs[k].rule];
    if (!hn_contact_is_rigid(rule) || rule->law == HN_CONTACT_SOFT) continue;
    double deep = depth_of(s->elements->contacts, &pairs[k], frames);
    if (!(deep > limit)) continue;
    int at = found < RIGID_WARNINGS ? found : RIGID_WARNINGS;
    found++;
    for (; at > 0 && depth[at - 1] < deep; at--) {
      if (at == RIGID_WARNINGS) {
        deepest_else = fmax(deepest_else, depth[at - 1]);
        continue;
      }
      depth[at] = depth[at - 1];
      named[at] = named[at - 1];
    }
    if (at == RIGID_WARNINGS) {
      deepest_else = fmax(deepest_else, deep);
      continue;
    }
    depth[at] = deep;
    named[at] = k;
  }
  for (int k = 0; k < found && k < RIGID_WARNINGS; k++)
    hn_simulation_warn(s, hn_pair_name(s, &pairs[named[k]], name, sizeof name),
                       "starts with an overlap of %.3g m: %s. Move the bodies apart in the model",
                       depth[k], what);
  if (found > RIGID_WARNINGS)
    hn_simulation_warn(s, "contacts",
                       "have %d more pairs that overlap at the start, by up to %.3g m: %s. Move "
                       "them apart in the model",
                       found - RIGID_WARNINGS, deepest_else, what);
}

// Pairs that are too many to be listed are found by where they are.
static void look_at_stepped(hn_simulation *s, const hn_frame *frames) {
  const hn_contacts *c = s->elements->contacts;
  const hn_contact_pair *pairs = c->pairs;
  hn_contact_sweep *sweep = NULL;
  hn_arena arena;
  int count = c->pairs_listed ? c->pair_count : -1;
  const int room = (int)fmin(INT_MAX / 2, fmax(PAIRS, 16.0 * c->shape_count));
  hn_arena_init(&arena, s->options.allocator);
  if (!c->pairs_listed && hn_contact_sweep_create(&arena, c, room, &sweep) == HN_OK)
    count = hn_contacts_near(sweep, frames, 0, NULL, &pairs);
  if (count < 0)
    hn_simulation_warn(s, "contacts",
                       "were not checked for overlap at the start: more than %d pairs of shapes "
                       "are close. Check that bodies do not overlap",
                       room);
  hn_overlap_tell(s, frames, pairs, count, STEPPED, "each step moves them apart a little");
  hn_arena_release(&arena);
}

// Meshes collide on the side that their triangles face only: a body that starts behind one falls
// through it.
static void warn_behind(hn_simulation *s, const hn_frame *frames) {
  const hn_contacts *c = s->elements->contacts;
  int told = 0;
  char name[192];
  for (int k = 0; c->pairs_listed && k < c->pair_count && k < PAIRS && told < WARNINGS; k++) {
    if (!hn_contact_is_behind(c, &c->pairs[k], frames)) continue;
    hn_simulation_warn(s, hn_pair_name(s, &c->pairs[k], name, sizeof name),
                       "starts behind a one-sided mesh and will not collide with it. Flip the "
                       "triangle winding or move the body");
    told++;
  }
}

void hn_overlap_warn(hn_simulation *s, const hn_frame *frames) {
  const hn_contacts *c = s->elements->contacts;
  int told = 0;
  if (c) warn_behind(s, frames);
  if (c && s->method->type->steps_over) look_at_stepped(s, frames);
  for (int k = 0; c && c->pairs_listed && k < c->pair_count && k < PAIRS && told < WARNINGS; k++) {
    const hn_contact_pair *pair = &c->pairs[k];
    const hn_contact_def *rule = &s->model->contacts[pair->rule];
    if (hn_contact_is_rigid(rule) && rule->law != HN_CONTACT_SOFT) continue;
    double size = fmin(c->shapes[pair->shape[0]].bound, c->shapes[pair->shape[1]].bound);
    double depth = depth_of(c, pair, frames);
    if (!(depth > DEEP * size)) continue;
    char name[192];
    hn_simulation_warn(s, hn_pair_name(s, pair, name, sizeof name),
                       "starts with an overlap of %.3g m. Move the bodies apart in the model",
                       depth);
    told++;
  }
}

void hn_note_depths(hn_simulation *s, const hn_snapshot *now) {
  for (int f = 0; s->model->touching.has_forces && f < s->model->force_count; f++)
    if (s->model->forces[f].type == HN_FORCE_CONTACT && now->forces[f].deflection > 0)
      s->certificate.penetration = fmax(s->certificate.penetration, now->forces[f].deflection);
}
