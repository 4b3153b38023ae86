// Branches in real time. To locate where a law changes its branch takes no bounded time, so nothing is
// frozen and nothing located: every evaluation takes the piece of a law that holds where it is made
// (HN_BRANCH_FREE), and steps end on their grid whatever happens inside. What has changed at the end of
// a step is counted as an event of that moment: forces say on which branch they were evaluated there.
#include "analysis/event_sources.h"

void hn_realtime_free_branches(hn_simulation *s) {
  hn_branches *b = &s->branches;
  for (int f = 0; f < s->model->force_count; f++) s->realtime.seen[f] = b->force[f].state;
  // those inside sealed components too
  for (int f = 0; f < s->elements->force_branches; f++)
    b->force[f] = (hn_branch){HN_BRANCH_FREE, HN_BRANCH_FREE};
  for (int d = 0; d < s->elements->driver_branches; d++) b->driver[d] = HN_BRANCH_FREE;
}

static void free_branches_note(hn_simulation *s) {
  for (int f = 0; f < s->model->force_count; f++) {
    if (!hn_force_switches(&s->model->forces[f])) continue;
    int now = s->method->now->forces[f].state;
    if (now == HN_BRANCH_FREE) // contacts do not say
      now = hn_force_branch(s->elements, f, s->method->now->frames, s->branches.turns, s->method->t)
                .state;
    if (now != s->realtime.seen[f]) hn_record_event(s, s->method->t, f, s->realtime.seen[f], now);
    s->realtime.seen[f] = now;
  }
}

static int free_branches_present(const hn_simulation *s) {
  return s->stepping.mode == HN_RUN_REAL_TIME && s->changing.by_state > 0;
}

const hn_event_source hn_free_branches_source = {
    .name = "branches of forces", .is_present = free_branches_present, .note = free_branches_note};
