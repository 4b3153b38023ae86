// Queries to sealed components at given poses: angle references, branches of their functions, times
// at which these change; and their memory for a run that is continued later. A query cannot return
// a failure: it is noted, and the next accelerations fail (nested/parts.c).
#include <math.h>

#include "base/error.h"
#include "equations/nested/private.h"

static const hn_component_api *api_of(const hn_nested_part *p) { return p->part->api; }

const hn_component_branch *hn_nested_switches(hn_nested_part *p, const hn_branch *force) {
  for (int k = 0; k < p->part->facts->switch_count; k++)
    p->switches[k] =
        (hn_component_branch){force[p->first_switch + k].state, force[p->first_switch + k].time};
  return p->switches;
}

static void store_frame(const hn_frame *f, double *q, double *qd) {
  vec3_store(q, f->r);
  quat_store(q + 3, f->p);
  vec3_store(qd, f->v);
  quat_store(qd + 3, f->pd);
}

// From poses: q and qd are made again.
static hn_component_state state_at(const hn_nested_data *self, hn_nested_part *p, double t,
                                   const hn_frame *frames, const double *turns) {
  const hn_sealed_part *part = p->part;
  for (int b = 0; b < part->body_count; b++)
    store_frame(&frames[part->first_body + b], &p->q[7 * b], &p->qd[7 * b]);
  for (int b = 0; b < part->external_count; b++)
    store_frame(&frames[part->external[b]], &p->external_q[7 * b], &p->external_qd[7 * b]);
  hn_component_state state = {.t = t,
                              .q = p->q,
                              .qd = p->qd,
                              .external_q = p->external_q,
                              .external_qd = p->external_qd,
                              .turns = turns ? turns + p->first_turn : NULL};
  hn_nested_part_states(self, p, &state);
  return state;
}

static void hidden_turns(void *context, int at_start, const hn_frame *frames, double *turns) {
  hn_nested_data *self = context;
  const int what = at_start ? HN_COMPONENT_TURNS_START : HN_COMPONENT_TURNS_NOW;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    if (p->part->facts->turn_count == 0) continue;
    hn_component_state state = state_at(self, p, 0, frames, turns);
    hn_nested_part_note(p, api_of(p)->turns(p->run, what, &state, turns + p->first_turn));
  }
}

static void hidden_anchors(void *context, double t, int is_accepted, const hn_frame *frames,
                           double *turns) {
  hn_nested_data *self = context;
  const int what = is_accepted ? HN_COMPONENT_ANCHORS_MOVED : HN_COMPONENT_ANCHORS_NEW;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    if (!p->part->facts->has_anchors) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    hn_nested_part_note(p, api_of(p)->turns(p->run, what, &state, turns + p->first_turn));
  }
}

static void hidden_branches(void *context, double t, const hn_frame *frames, const double *turns,
                            hn_branch *force, int *driver) {
  hn_nested_data *self = context;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const hn_component_facts *facts = p->part->facts;
    if (facts->switch_count + facts->motion_count == 0) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    hn_status status = api_of(p)->branches(p->run, &state, p->switches, driver + p->first_motion);
    hn_nested_part_note(p, status);
    for (int i = 0; i < facts->switch_count && status == HN_OK; i++)
      force[p->first_switch + i] = (hn_branch){p->switches[i].state, p->switches[i].time};
  }
}

// An answer holds from the time asked about until the time answered.
static double hidden_next_time(void *context, double t) {
  hn_nested_data *self = context;
  double next = HUGE_VAL;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const hn_component_facts *facts = p->part->facts;
    if (facts->switch_count + facts->motion_count == 0) continue;
    if (!(t >= p->kink_from && t < p->kink_at)) {
      double kink = HUGE_VAL;
      hn_nested_part_note(p, api_of(p)->next_time(p->run, t, &kink));
      p->kink_from = t;
      p->kink_at = kink > t ? kink : HUGE_VAL;
    }
    next = fmin(next, p->kink_at);
  }
  return next;
}

static double hidden_step_limit(void *context, double t, const hn_frame *frames) {
  hn_nested_data *self = context;
  double least = HUGE_VAL;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    if (!p->part->facts->limits_steps) continue;
    hn_component_state state = state_at(self, p, t, frames, NULL);
    double limit = HUGE_VAL;
    hn_nested_part_note(p, api_of(p)->step_limit(p->run, &state, &limit));
    if (limit > 0) least = fmin(least, limit);
  }
  return least;
}

// ---- states inside -------------------------------------------------------------------------------

static void hidden_states(void *context, double t, const hn_frame *frames, const double *turns,
                          const hn_branch *force, double *z, double *rates) {
  hn_nested_data *self = context;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    if (p->part->facts->state_count == 0) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    state.switches = hn_nested_switches(p, force);
    hn_nested_part_note(
        p, api_of(p)->states(p->run, &state, z + p->first_state, rates + p->first_state));
  }
}

static void hidden_filter(void *context, double *x) {
  hn_nested_data *self = context;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    if (p->part->facts->state_count == 0) continue;
    hn_nested_part_note(p, api_of(p)->filter(p->run, x + p->first_state));
  }
}

static void hidden_conditions(void *context, double t, const hn_frame *frames, const double *turns,
                              int *codes) {
  hn_nested_data *self = context;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const int count = p->part->facts->condition_count;
    if (count == 0) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    hn_nested_part_note(p, api_of(p)->conditions(p->run, &state, codes));
    codes += count;
  }
}

static void hidden_samples(void *context, double t, const hn_frame *frames, const double *turns,
                           double *z) {
  hn_nested_data *self = context;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const int count = p->part->facts->state_count;
    if (count == 0) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    double *own = z + p->first_state;
    hn_status status = api_of(p)->samples(p->run, &state, own);
    for (int i = 0; i < count && status == HN_OK; i++)
      if (!isfinite(own[i])) status = HN_ERROR_NOT_FINITE;
    hn_nested_part_note(p, status);
  }
}

static void hidden_delayed(void *context, double t, const hn_frame *frames, const double *turns,
                           double *signals) {
  hn_nested_data *self = context;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    if (p->part->facts->delay_count == 0) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    hn_nested_part_note(p, api_of(p)->delayed(p->run, &state, signals + p->first_delay));
  }
}

static int hidden_rules(void *context, double t, const hn_frame *frames, const double *turns,
                        double *held, double *z) {
  hn_nested_data *self = context;
  int any = 0;
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    const int count = p->part->facts->state_count;
    if (count == 0) continue;
    hn_component_state state = state_at(self, p, t, frames, turns);
    double *own = z + p->first_state;
    int changed = 0;
    hn_status status = api_of(p)->rules(p->run, &state, held + p->first_state, own, &changed);
    for (int i = 0; i < count && status == HN_OK; i++)
      if (!isfinite(own[i]) || !isfinite(held[p->first_state + i])) status = HN_ERROR_NOT_FINITE;
    hn_nested_part_note(p, status);
    any |= changed && status == HN_OK;
  }
  return any;
}

const hn_hidden_elements *hn_nested_hidden(const hn_equations *e) {
  hn_nested_data *self = hn_nested_of(e);
  self->hidden = (hn_hidden_elements){.context = self,
                                      .turns = hidden_turns,
                                      .anchors = hidden_anchors,
                                      .branches = hidden_branches,
                                      .next_time = hidden_next_time,
                                      .step_limit = hidden_step_limit,
                                      .states = hidden_states,
                                      .filter = hidden_filter,
                                      .conditions = hidden_conditions,
                                      .samples = hidden_samples,
                                      .delayed = hidden_delayed,
                                      .rules = hidden_rules};
  return &self->hidden;
}

hn_status hn_nested_lost(const hn_equations *e, double t, hn_error *error) {
  if (!e->type->traits.is_hierarchical) return HN_OK;
  const hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++)
    if (self->parts[k].lost != HN_OK)
      return hn_nested_part_failed(self, self->parts[k].lost, t, error);
  return HN_OK;
}

int hn_nested_hidden_redundant(const hn_equations *e) {
  int count = 0;
  if (!e->type->traits.is_hierarchical) return 0;
  const hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++) count += self->parts[k].left_out;
  return count;
}

// ---- going on later -----------------------------------------------------------------------------

size_t hn_nested_save_size(const hn_equations *e) {
  size_t size = 0;
  if (!e->type->traits.is_hierarchical) return 0;
  const hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++)
    size += api_of(&self->parts[k])->save_size(self->parts[k].run);
  return size;
}

// A component that does not answer is lost; one that rejects a state is not.
static void keep_status(hn_nested_part *p, hn_status status, hn_status *first) {
  if (status == HN_ERROR_INTERRUPTED || status == HN_ERROR_FILE) hn_nested_part_note(p, status);
  if (*first == HN_OK) *first = status;
}

hn_status hn_nested_save(const hn_equations *e, void *buffer) {
  unsigned char *at = buffer;
  hn_status first = HN_OK;
  if (!e->type->traits.is_hierarchical) return HN_OK;
  hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    keep_status(p, api_of(p)->save(p->run, at), &first);
    at += api_of(p)->save_size(p->run);
  }
  return first;
}

hn_status hn_nested_restore(hn_equations *e, const void *buffer) {
  const unsigned char *at = buffer;
  hn_status first = HN_OK;
  if (!e->type->traits.is_hierarchical) return HN_OK;
  hn_nested_data *self = hn_nested_of(e);
  for (int k = 0; k < self->part_count; k++) {
    hn_nested_part *p = &self->parts[k];
    keep_status(p, api_of(p)->restore(p->run, at), &first);
    at += api_of(p)->save_size(p->run);
  }
  self->base.is_factored = 0;
  return first;
}
