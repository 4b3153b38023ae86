// Grips of rigid contacts in a saved state (simulation_contacts.h).
#include <math.h>
#include <string.h>

#include "analysis/simulation_contacts.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"

typedef struct saved_point {
  double direction[3];
  int grip, feature;
} saved_point;

// What comes and goes: which acts, and what positions its rows keep.
static size_t switches_size(const hn_simulation *s) {
  if (!s->switches) return 0;
  return (size_t)s->model->switch_count + (size_t)s->elements->row_count * sizeof(double);
}

static unsigned char *save_switches(const hn_simulation *s, unsigned char *at) {
  if (!s->switches) return at;
  const size_t count = (size_t)s->model->switch_count;
  const size_t offsets = (size_t)s->elements->row_count * sizeof(double);
  memcpy(at, s->switches->on, count);
  memcpy(at + count, s->elements->row_offset, offsets);
  return at + count + offsets;
}

static hn_status refuse(hn_simulation *s, const char *what, int index) {
  return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, "Use a state as it was saved.",
                 "the saved state is damaged: %s %d cannot be", what, index);
}

static hn_status restore_switches(hn_simulation *s, const unsigned char **at) {
  if (!s->switches) return HN_OK;
  const int rows = s->elements->row_count;
  for (int k = 0; k < s->model->switch_count; k++, ++*at) {
    if (**at > 1) return refuse(s, "switch", k);
    s->switches->on[k] = **at;
  }
  memcpy(s->elements->row_offset, *at, (size_t)rows * sizeof(double));
  *at += (size_t)rows * sizeof(double);
  for (int r = 0; r < rows; r++)
    if (!isfinite(s->elements->row_offset[r])) return refuse(s, "offset of row", r);
  s->switches->change = -1;
  hn_switches_take(s);
  hn_switches_look_back(s, 0);
  return HN_OK;
}

size_t hn_contacts_save_size(const hn_simulation *s) {
  if (!s->contacts) return 0;
  const hn_rigid *self = hn_rigid_of(s->equations);
  return (size_t)self->contacts->pair_count * sizeof(int) +
         (size_t)self->point_count * sizeof(saved_point) + switches_size(s);
}

unsigned char *hn_contacts_save(const hn_simulation *s, unsigned char *at) {
  if (!s->contacts) return at;
  const hn_rigid *self = hn_rigid_of(s->equations);
  const struct hn_grips *g = s->branches.grips;
  const size_t modes = (size_t)self->contacts->pair_count * sizeof(int);
  memcpy(at, g->mode, modes);
  at += modes;
  for (int i = 0; i < self->point_count; i++, at += sizeof(saved_point)) {
    saved_point p;
    memset(&p, 0, sizeof p);
    vec3_store(p.direction, g->direction[i]);
    p.grip = (int)g->grip[i];
    p.feature = g->feature[i];
    memcpy(at, &p, sizeof p);
  }
  return save_switches(s, at);
}

hn_status hn_contacts_restore(hn_simulation *s, const unsigned char **at) {
  if (!s->contacts) return HN_OK;
  const hn_rigid *self = hn_rigid_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  g->closed = 0;
  for (int p = 0; p < self->contacts->pair_count; p++, *at += sizeof(int)) {
    memcpy(&g->mode[p], *at, sizeof(int));
    const int modes = hn_contact_modes(self->contacts, &self->contacts->pairs[p]);
    if (g->mode[p] < HN_CONTACT_APART || g->mode[p] >= modes) return refuse(s, "mode of pair", p);
  }
  for (int i = 0; i < self->point_count; i++, *at += sizeof(saved_point)) {
    saved_point p;
    memcpy(&p, *at, sizeof p);
    if (p.grip < (int)HN_GRIP_OPEN || p.grip > (int)HN_GRIP_SLIDE ||
        !isfinite(p.direction[0] + p.direction[1] + p.direction[2]))
      return refuse(s, "grip of point", i);
    g->grip[i] = (hn_grip)p.grip;
    g->feature[i] = p.feature;
    g->direction[i] = vec3_load(p.direction);
    g->closed += g->grip[i] != HN_GRIP_OPEN;
  }
  s->contacts->change = HN_CHANGE_NONE;
  return restore_switches(s, at);
}
