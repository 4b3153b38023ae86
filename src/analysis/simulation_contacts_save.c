// Grips of rigid contacts in a saved state (simulation_contacts.h).
#include <math.h>
#include <string.h>

#include "analysis/simulation_contacts.h"
#include "base/error.h"

typedef struct saved_point {
  double direction[3];
  int grip, feature;
} saved_point;

size_t hn_contacts_save_size(const hn_simulation *s) {
  if (!s->contacts) return 0;
  const hn_rigid *self = hn_rigid_of(s->equations);
  return (size_t)self->contacts->pair_count * sizeof(int) +
         (size_t)self->point_count * sizeof(saved_point);
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
  return at;
}

static hn_status refuse(hn_simulation *s, const char *what, int index) {
  return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, "Use a state as it was saved.",
                 "the saved state is damaged: %s %d cannot be", what, index);
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
  return HN_OK;
}
