// Forces of a time-stepped step with contacts (stepping_forces.h).
#include "integrate/stepping_forces.h"

#include <string.h>

#include "contact/contact.h"
#include "equations/conditions.h"

static int is_before(const int a[2], const int b[2]) {
  return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

static void sort_pairs(const hn_contacts *contacts, hn_stepping_forces *self) {
  const hn_contact_pair *pairs = contacts->pairs;
  for (int k = 0; k < self->pairs; k++) {
    int at = k;
    for (; at > 0 && is_before(pairs[k].shape, pairs[self->pair[at - 1]].shape); at--)
      self->pair[at] = self->pair[at - 1];
    self->pair[at] = k;
  }
}

hn_status hn_stepping_forces_create(hn_arena *arena, const hn_equations *e,
                                    hn_stepping_forces *self) {
  const hn_conditions *rigid = hn_conditions_of(e);
  *self = (hn_stepping_forces){.pairs = rigid->is_many ? 0 : rigid->contacts->pair_count};
  self->pair = HN_TAKE(arena, int, self->pairs);
  for (int k = 0; k < 2; k++)
    self->written[k].entry = HN_KEEP(arena, int, self->pairs *HN_CONTACT_POINTS);
  if (arena->failed) return HN_ERROR_MEMORY;
  sort_pairs(rigid->contacts, self);
  return HN_OK;
}

// The listed pair of two shapes; -1: it has no signals.
static int find_pair(const hn_stepping_forces *self, const hn_contacts *contacts,
                     const int shape[2]) {
  int low = 0, high = self->pairs - 1;
  while (low <= high) {
    const int middle = (low + high) / 2, *of = contacts->pairs[self->pair[middle]].shape;
    if (is_before(of, shape))
      low = middle + 1;
    else if (is_before(shape, of))
      high = middle - 1;
    else
      return self->pair[middle];
  }
  return -1;
}

static hn_touch touch_of(const hn_sweep_point *c, double h) {
  hn_touch touch = {.normal = c->p[0] / h, .force = vec3_scale(c->p[0] / h, c->axis[0])};
  for (int i = 1; i < 3; i++) touch.force = vec3_add_scaled(touch.force, c->p[i] / h, c->axis[i]);
  return touch;
}

void hn_stepping_forces_apply(const hn_sweep_point *points, int count, double h, hn_snapshot *s) {
  for (int k = 0; k < count; k++) {
    const hn_sweep_point *c = &points[k];
    const hn_vec3 force = touch_of(c, h).force;
    for (int side = 0; side < 2; side++) {
      hn_wrench *w = &s->wrench[c->body[side]];
      const hn_vec3 f = side == 0 ? vec3_negate(force) : force;
      w->force = vec3_add(w->force, f);
      w->torque = vec3_add(w->torque, vec3_cross(c->arm[side], f));
      for (int i = 0; i < 3; i++)
        w->torque = vec3_add_scaled(w->torque, (side == 0 ? -1 : 1) * c->spin[i] / h, c->axis[i]);
    }
  }
}

// Zeroes the contact states of a snapshot: those written last time, or all.
static struct hn_stepping_written *clear(hn_stepping_forces *self, int touch_points,
                                         hn_snapshot *s) {
  struct hn_stepping_written *w = &self->written[self->written[0].of == s->touch ? 0 : 1];
  if (w->of == s->touch)
    for (int k = 0; k < w->count; k++) s->touch[w->entry[k]] = (hn_touch){.normal = 0};
  else
    memset(s->touch, 0, (size_t)touch_points * sizeof *s->touch);
  if (w->of != s->touch && !self->written[0].of) w = &self->written[0];
  w->of = s->touch;
  w->count = 0;
  return w;
}

void hn_stepping_forces_store(hn_stepping_forces *self, const hn_equations *e,
                              const hn_sweep_point *points, int count, double h, hn_snapshot *s) {
  if (self->pairs == 0 || !s->touch) return;
  struct hn_stepping_written *written = clear(self, e->touch_points, s);
  int before = -1, place = 0;
  for (int k = 0; k < count; k++) { // points of a pair stand side by side
    const int pair = find_pair(self, hn_conditions_of(e)->contacts, points[k].shape);
    place = pair == before ? place + 1 : 0;
    before = pair;
    if (pair < 0 || place >= HN_CONTACT_POINTS) continue;
    const int entry = pair * HN_CONTACT_POINTS + place;
    s->touch[entry] = touch_of(&points[k], h);
    written->entry[written->count++] = entry;
  }
}

double hn_stepping_forces_work(const hn_equations *e, const double *impulse,
                               const hn_snapshot *begin, const hn_snapshot *end) {
  double work = 0;
  for (int r = e->elements->driver_row[0]; r < e->elements->row_count; r++)
    work += 0.5 * impulse[r] * (begin->phi_time_rate[r] + end->phi_time_rate[r]);
  return work;
}
