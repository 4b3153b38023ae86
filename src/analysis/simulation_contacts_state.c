// Rigid contacts in the state of a run (simulation_contacts.h).
#include <math.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "analysis/simulation_contacts.h"

enum { MOST_TOLD = 1 << 30 }; // counts continue from the restored ones

static void declare_count(hn_arena *arena, int *count, const char *name) {
  HN_STATE(arena, count, 1, name);
  hn_state_within(arena, 0, MOST_TOLD);
}

// Changes in a row, slow slips, and reported problems.
static void declare_watch(hn_arena *arena, struct hn_contact_watch *w) {
  HN_STATE(arena, &w->last, 1, "last change of contacts"); // -HUGE_VAL: none yet
  HN_STATE(arena, &w->rapid, 1, "changes of contacts in a row");
  hn_state_within(arena, 0, HN_EVENT_CHATTER);
  HN_STATE(arena, &w->changes, 1, "count of changes of contacts");
  hn_state_within(arena, 0, MOST_TOLD);
  declare_count(arena, &w->slow, "slow slips in a row");
  declare_count(arena, &w->crowd, "changes of contacts in a while");
  HN_STATE(arena, &w->crowd_begin, 1, "start of a while of contacts");
  HN_STATE(arena, &w->since, 1, "time of the last detection of contacts");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  HN_STATE(arena, &w->kinetic, 1, "energy at the last detection of contacts");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  HN_STATE(arena, w->has_warned, 4, "warnings of contacts");
  hn_state_within(arena, 0, MOST_TOLD);
}

void hn_contacts_declare(hn_simulation *s) {
  hn_arena *arena = &s->arena;
  const hn_conditions *self = hn_conditions_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  hn_state_owner(arena, "contacts", HN_STATE_MOTION);
  declare_watch(arena, s->contacts);
  HN_STATE(arena, g->mode, self->contacts->pair_count, "feature of pair");
  HN_STATE(arena, g->grip, self->point_count, "contact mode of point");
  hn_state_within(arena, HN_GRIP_OPEN, HN_GRIP_SLIDE);
  HN_STATE(arena, g->feature, self->point_count, "feature of point");
  HN_STATE(arena, g->soft, self->point_count, "slow slip of point");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, g->direction, self->point_count, "direction of point");
}

hn_status hn_contacts_take_up(hn_simulation *s) {
  if (!s->contacts) return HN_OK;
  const hn_conditions *self = hn_conditions_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  for (int p = 0; p < self->contacts->pair_count; p++) {
    const int modes = hn_contact_modes(self->contacts, &self->contacts->pairs[p]);
    if (g->mode[p] < HN_CONTACT_APART || g->mode[p] >= modes)
      return hn_refuse_saved(s, "feature of pair", p);
  }
  g->closed = 0;
  for (int i = 0; i < self->point_count; i++) {
    if (!isfinite(g->direction[i].x + g->direction[i].y + g->direction[i].z))
      return hn_refuse_saved(s, "direction of point", i);
    g->closed += g->grip[i] != HN_GRIP_OPEN;
  }
  memset(g->straight, 0, (size_t)self->point_count);
  s->contacts->change = HN_CHANGE_NONE;
  return HN_OK;
}
