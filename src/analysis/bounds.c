// Contact shapes that are valid within bounds only (bounds.h).
//
// Planar profiles are in contact in a plane. If their planes tilt by an angle a, positions in the
// plane are off by r a^2/2, and a roller of length l is in contact at its end, l/2 a away from its
// middle. That counts like an error of positions: there is a warning beyond the tolerance, clamped
// to 1e-9 m (contact is not resolved below) and 1e-6 m (the quality grade wants joints closed to
// that). Pairs far from each other may tilt freely.
#include "analysis/bounds.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/geometry.h"
#include "math/elementary.h"

#define LEAST 1e-9 // m
#define MOST 1e-6  // m
#define NEAR 1e-3  // of the smaller shape
#define DEEP 0.2   // of the thinner shape

const char *hn_pair_name(const hn_simulation *s, const hn_contact_pair *pair, char *text,
                         size_t size) {
  const hn_model *model = s->model;
  return hn_text(text, size, "contact '%s' of bodies '%s' and '%s'",
                 model->contacts[pair->rule].name, model->bodies[pair->body[0]].name,
                 model->bodies[pair->body[1]].name);
}

void hn_bounds_tell(hn_simulation *s) {
  const hn_contacts *c = s->elements->contacts;
  char name[192], others[64] = "";
  if (!c) return;
  if (c->coarse.count > 1 && c->pairs_listed)
    hn_text(others, sizeof others, " (and in %d more pairs)", c->coarse.count - 1);
  if (c->coarse.count > 0)
    hn_simulation_warn(s, hn_pair_name(s, &c->coarse.pair, name, sizeof name),
                       "uses a %d-sided prism for a cylinder%s (error up to %.3g m; rolling is "
                       "bumpy). Use capsules or spheres; if the pair never meets, set `law: none`",
                       HN_CONTACT_PRISM, others, c->coarse.error);
  if (c->in_plane > 0 && !c->pairs_listed)
    hn_simulation_warn(s, "contacts",
                       "have curves among more than %d pairs of shapes; it is not checked that "
                       "curves stay in a common plane. Name the bodies that can collide",
                       HN_CONTACT_PAIRS);
}

// Whether they are in contact, or may have been within the step.
static int is_near(const hn_simulation *s, const hn_contact_pair *pair, double error) {
  const hn_contacts *c = s->elements->contacts;
  const hn_frame *frames = s->method->now->frames;
  const double size = fmin(c->shapes[pair->shape[0]].bound, c->shapes[pair->shape[1]].bound);
  double reach = 2 * error + NEAR * size;
  if (s->method->type->steps_over) // impacts inside of steps
    reach += 0.5 * size * s->method->step / hn_contact_look_time(c, pair, frames);
  hn_contact_point points[HN_CONTACT_POINTS];
  const int mode = hn_contact_mode(c, pair, frames, reach);
  const int count = hn_contact_points(c, pair, mode, frames, HN_CONTACT_PLACES, points);
  for (int k = 0; k < count; k++)
    if (points[k].is_inside && points[k].gap < reach) return 1;
  return 0;
}

// Reports the worst of a run in one warning.
static void tell_tilt(hn_simulation *s, const hn_contact_pair *pair, double sine, double error) {
  struct hn_tilted *told = &s->told.tilted;
  const int count = s->told.count;
  char name[192];
  if (told->error == 0) {
    if (count == HN_RUN_WARNINGS) return;
    told->begin = s->method->t;
    told->warning = count;
  }
  told->error = error;
  s->told.count = told->warning;
  hn_simulation_warn(s, hn_pair_name(s, pair, name, sizeof name),
                     "has curves in contact in tilted planes from t = %.6g s on (%.3g rad at t = "
                     "%.6g s; contact points off by up to %.2g m). Keep the planes parallel with "
                     "joints, or use spheres or capsules",
                     told->begin, hn_asin(sine), s->method->t, error);
  if (s->told.count < count) s->told.count = count;
}

void hn_bounds_note_tilt(hn_simulation *s) {
  const hn_contacts *c = s->elements->contacts;
  if (!c || c->in_plane == 0 || !c->pairs_listed) return;
  double worst = fmax(fmin(fmax(s->tolerance.absolute, LEAST), MOST), s->told.tilted.error);
  double sine = 0;
  int where = -1;
  for (int k = 0; k < c->pair_count; k++) {
    double error;
    const double tilt = hn_contact_tilt(c, &c->pairs[k], s->method->now->frames, &error);
    if (!(error > worst) || !is_near(s, &c->pairs[k], error)) continue;
    worst = error;
    sine = tilt;
    where = k;
  }
  if (where >= 0) tell_tilt(s, &c->pairs[where], sine, worst);
}

// ---- depths -------------------------------------------------------------------------------------

#define OVERLAP "overlaps in one step by"

#define CROWDED "more contact points are close than"

// A warning of a run that was saved counts.
static int is_told(const hn_simulation *s, const char *begin) {
  for (int k = 0; k < s->told.count; k++)
    if (strncmp(s->told.warnings[k].message, begin, strlen(begin)) == 0) return 1;
  return 0;
}

static void note_crowd(hn_simulation *s) {
  const int room = s->method->contact.crowd;
  s->method->contact.crowd = 0;
  if (room == 0 || is_told(s, CROWDED)) return;
  hn_simulation_warn(s, NULL,
                     CROWDED " the limit of %d, at t = %.6g s; those that are not approaching are "
                             "ignored and may overlap. Use a smaller step",
                     room, s->method->t);
}

void hn_bounds_note_depth(hn_simulation *s) {
  hn_contact_record *r = &s->method->contact;
  if (!s->method->type->steps_over) return;
  note_crowd(s);
  if (!(r->deepest.share > DEEP)) return;
  const hn_contact_pair pair = {.body = {r->deepest.body[0], r->deepest.body[1]},
                                .rule = r->deepest.rule};
  const double share = r->deepest.share;
  r->deepest.share = 0;
  if (is_told(s, OVERLAP)) return;
  char name[192];
  hn_simulation_warn(s, hn_pair_name(s, &pair, name, sizeof name),
                     OVERLAP
                     " %.3g m at t = %.6g s (%.2g of the thinner body). Use a smaller step; check "
                     "that they do not overlap at the start and that mass ratios are moderate",
                     r->deepest.depth, s->method->t, share);
}
