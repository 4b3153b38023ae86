// Rigid contacts and conditional elements in a saved state (simulation_contacts.h).
#include <math.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_switches.h"

enum { MOST_TOLD = 1 << 30 }; // counts continue from the restored ones

typedef struct saved_point {
  double direction[3];
  int grip, feature, soft;
  int zero; // no bytes without a meaning
} saved_point;

// Changes in a row, slow slips, and reported problems.
typedef struct saved_watch {
  double last, crowd_begin, since, kinetic, changes;
  int rapid, slow, has_warned[4], crowd;
  int zero; // no bytes without a meaning
} saved_watch;

// Conditional elements: which are active, and which positions their constraints keep.
static size_t switches_size(const hn_simulation *s) {
  if (!s->switches) return 0;
  return sizeof(saved_watch) + (size_t)s->model->switch_count +
         (size_t)s->elements->row_count * sizeof(double);
}

static unsigned char *save_switches(const hn_simulation *s, unsigned char *at) {
  if (!s->switches) return at;
  const size_t count = (size_t)s->model->switch_count;
  const size_t offsets = (size_t)s->elements->row_count * sizeof(double);
  const struct hn_switch_watch *w = s->switches;
  const saved_watch watch = {.last = w->last, .rapid = w->rapid, .has_warned = {w->has_warned}};
  memcpy(at, &watch, sizeof watch);
  at += sizeof watch;
  memcpy(at, w->on, count);
  memcpy(at + count, s->elements->row_offset, offsets);
  return at + count + offsets;
}

// Reads a watch and moves on; 0: it cannot be.
static int take_watch(const unsigned char **at, saved_watch *w) {
  memcpy(w, *at, sizeof *w);
  *at += sizeof *w;
  int is_told = 1;
  for (int k = 0; k < 4; k++) is_told &= w->has_warned[k] >= 0 && w->has_warned[k] <= MOST_TOLD;
  is_told &= w->crowd >= 0 && w->crowd <= MOST_TOLD && !isnan(w->crowd_begin) && w->changes >= 0 &&
             w->changes <= MOST_TOLD && isfinite(w->since + w->kinetic);
  return is_told && w->slow >= 0 && w->slow <= MOST_TOLD &&
         hn_is_saved_streak(w->rapid, w->last, HN_EVENT_CHATTER);
}

static hn_status restore_switches(hn_simulation *s, const unsigned char **at) {
  if (!s->switches) return HN_OK;
  const int rows = s->elements->row_count;
  saved_watch watch;
  if (!take_watch(at, &watch)) return hn_refuse_saved(s, "the last change of switches", -1);
  s->switches->last = watch.last;
  s->switches->rapid = watch.rapid;
  s->switches->has_warned = watch.has_warned[0];
  for (int k = 0; k < s->model->switch_count; k++, ++*at) {
    if (**at > 1) return hn_refuse_saved(s, "switch", k);
    s->switches->on[k] = **at;
  }
  memcpy(s->elements->row_offset, *at, (size_t)rows * sizeof(double));
  *at += (size_t)rows * sizeof(double);
  for (int r = 0; r < rows; r++)
    if (!isfinite(s->elements->row_offset[r])) return hn_refuse_saved(s, "offset of constraint", r);
  s->switches->change = -1;
  hn_switches_take(s);
  hn_switches_restore(s);
  return HN_OK;
}

size_t hn_contacts_save_size(const hn_simulation *s) {
  if (!s->contacts) return 0;
  const hn_rigid *self = hn_rigid_of(s->equations);
  return sizeof(saved_watch) + (size_t)self->contacts->pair_count * sizeof(int) +
         (size_t)self->point_count * sizeof(saved_point) + switches_size(s);
}

unsigned char *hn_contacts_save(const hn_simulation *s, unsigned char *at) {
  if (!s->contacts) return at;
  const hn_rigid *self = hn_rigid_of(s->equations);
  const struct hn_grips *g = s->branches.grips;
  const size_t modes = (size_t)self->contacts->pair_count * sizeof(int);
  const struct hn_contact_watch *w = s->contacts;
  saved_watch watch = {.last = w->last,
                       .crowd_begin = w->crowd_begin,
                       .rapid = w->rapid,
                       .slow = w->slow,
                       .crowd = w->crowd,
                       .since = w->since,
                       .kinetic = w->kinetic,
                       .changes = (double)w->changes};
  memcpy(watch.has_warned, w->has_warned, sizeof watch.has_warned);
  memcpy(at, &watch, sizeof watch);
  at += sizeof watch;
  memcpy(at, g->mode, modes);
  at += modes;
  for (int i = 0; i < self->point_count; i++, at += sizeof(saved_point)) {
    saved_point p;
    memset(&p, 0, sizeof p);
    vec3_store(p.direction, g->direction[i]);
    p.grip = (int)g->grip[i];
    p.feature = g->feature[i];
    p.soft = g->soft[i];
    memcpy(at, &p, sizeof p);
  }
  return save_switches(s, at);
}

hn_status hn_contacts_restore(hn_simulation *s, const unsigned char **at) {
  if (!s->contacts) return HN_OK;
  const hn_rigid *self = hn_rigid_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  saved_watch watch;
  if (!take_watch(at, &watch)) return hn_refuse_saved(s, "the last change of contacts", -1);
  s->contacts->last = watch.last;
  s->contacts->rapid = watch.rapid;
  s->contacts->slow = watch.slow;
  s->contacts->crowd = watch.crowd;
  s->contacts->since = watch.since;
  s->contacts->kinetic = watch.kinetic;
  s->contacts->changes = (long)watch.changes;
  memset(s->branches.grips->straight, 0, (size_t)hn_rigid_of(s->equations)->point_count);
  s->contacts->crowd_begin = watch.crowd_begin;
  memcpy(s->contacts->has_warned, watch.has_warned, sizeof watch.has_warned);
  g->closed = 0;
  for (int p = 0; p < self->contacts->pair_count; p++, *at += sizeof(int)) {
    memcpy(&g->mode[p], *at, sizeof(int));
    const int modes = hn_contact_modes(self->contacts, &self->contacts->pairs[p]);
    if (g->mode[p] < HN_CONTACT_APART || g->mode[p] >= modes)
      return hn_refuse_saved(s, "feature of pair", p);
  }
  for (int i = 0; i < self->point_count; i++, *at += sizeof(saved_point)) {
    saved_point p;
    memcpy(&p, *at, sizeof p);
    if (p.grip < (int)HN_GRIP_OPEN || p.grip > (int)HN_GRIP_SLIDE || p.soft < 0 || p.soft > 1 ||
        !isfinite(p.direction[0] + p.direction[1] + p.direction[2]))
      return hn_refuse_saved(s, "contact mode of point", i);
    g->grip[i] = (hn_grip)p.grip;
    g->feature[i] = p.feature;
    g->soft[i] = (unsigned char)p.soft;
    g->direction[i] = vec3_load(p.direction);
    g->closed += g->grip[i] != HN_GRIP_OPEN;
  }
  s->contacts->change = HN_CHANGE_NONE;
  return restore_switches(s, at);
}
