// Which numbers are the states of an exchange, and coordinates of a trial: see exchange.h.
#include <math.h>
#include <string.h>

#include "analysis/exchange/private.h"
#include "base/error.h"
#include "model/joint_types.h"

enum { MOST_PIECES = 64 }; // of the way to a trial that Newton's method does not reach at once

// ---- the choice ---------------------------------------------------------------------------------

static hn_status rows_at(hn_exchange *self, double t, const double *q) {
  const hn_tangent_state at = {.t = t, .q = q, .branches = &self->simulation->branches};
  return hn_tangent_evaluate(self->tangent, &at, HN_ROWS, &self->simulation->error);
}

// Coordinates in rows of joints and drivers. Each other one is a state.
static void find_bound(hn_exchange *self) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  const unsigned char *left_out = hn_reduction_left_out(self->reduction);
  memset(self->is_bound, 0, (size_t)self->tangent->n);
  for (int r = 0; r < self->simulation->elements->row_count; r++)
    for (int e = phi_q->start[r]; !left_out[r] && e < phi_q->start[r + 1]; e++)
      self->is_bound[phi_q->index[e]] = 1;
}

// Independent coordinates that are bound, ascending.
static void find_loops(hn_exchange *self) {
  const int n = self->tangent->n, size = hn_reduction_size(self->reduction);
  for (int i = 0; i < n; i++) self->goal[i] = i;
  hn_reduction_restrict(self->reduction, self->goal, self->v);
  self->loops = 0;
  for (int k = 0; k < size; k++) {
    const int column = (int)self->v[k];
    if (!self->is_bound[column]) continue;
    int at = self->loops++;
    for (; at > 0 && self->loop[at - 1] > column; at--) {
      self->loop[at] = self->loop[at - 1];
      self->place[at] = self->place[at - 1];
    }
    self->loop[at] = column;
    self->place[at] = k;
  }
}

void hn_exchange_find(hn_exchange *self) {
  find_bound(self);
  find_loops(self);
}

hn_status hn_exchange_choose(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  const hn_method *m = s->method;
  self->has_to_choose = 0;
  if (!self->reduction) return HN_OK;
  const hn_status status =
      hn_reduction_select(self->reduction, m->t, m->q, m->qd, &s->branches, &s->error);
  if (status != HN_OK) return status;
  const int before = self->loops;
  hn_exchange_find(self);
  if (self->count == 0 || self->loops == before) return HN_OK;
  return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "Use Co-Simulation.",
                 "the model has %d independent coordinates in loops at t = %.9g s, and %d before",
                 self->loops, m->t, before);
}

// ---- the list -----------------------------------------------------------------------------------

static void add_item(hn_exchange *self, hn_exchange_kind kind, int at, int number) {
  self->items[self->count++] = (hn_exchange_item){kind, at, number};
}

static int is_bound(const hn_exchange *self, int column) {
  return self->reduction && self->is_bound[column];
}

// An orientation that no row holds has states of its own; one in a loop is bound as a whole.
static void list_motion(hn_exchange *self, int is_rate) {
  const unsigned char *columns = self->tangent->columns;
  for (int i = 0; i < self->tangent->n; i++) {
    if (is_bound(self, i)) continue;
    if (columns[i] == HN_COLUMN_PARAMETER)
      for (int k = 0; k < (is_rate ? 3 : 4); k++)
        add_item(self, is_rate ? HN_EXCHANGE_SPIN : HN_EXCHANGE_PARAMETER, i, k);
    else if (columns[i] != HN_COLUMN_PARAMETER_NEXT)
      add_item(self, is_rate ? HN_EXCHANGE_VELOCITY : HN_EXCHANGE_POSITION, i, 0);
  }
  for (int k = 0; k < self->loops; k++)
    add_item(self, is_rate ? HN_EXCHANGE_LOOP_RATE : HN_EXCHANGE_LOOP, k, k);
}

static int is_continuous(const hn_simulation *s, int state) {
  if (state >= s->elements->flow->laws) return 1;
  const hn_state_def *def = &s->model->states[state];
  return def->law && !(def->every > 0) && def->outside == 0;
}

hn_status hn_exchange_list(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  const int nq = s->equations->nq;
  self->items = HN_KEEP(&s->arena, hn_exchange_item, 2 * nq + s->method->states);
  if (!self->items) return HN_ERROR_MEMORY;
  list_motion(self, 0);
  list_motion(self, 1);
  for (int k = 0; k < s->method->states; k++)
    if (is_continuous(s, k)) add_item(self, HN_EXCHANGE_STATE, k, 0);
  return HN_OK;
}

// ---- names --------------------------------------------------------------------------------------

static const char *name_coordinate(const hn_exchange *self, int column, const char *prefix,
                                   const char *part, char *text) {
  const hn_simulation *s = self->simulation;
  const hn_model *model = s->model;
  hn_coordinate_label *labels =
      hn_allocate(NULL, (size_t)s->equations->nq * sizeof(hn_coordinate_label));
  hn_coordinate_label label = {-1, -1, ""};
  if (labels && hn_simulation_coordinate_labels(s, labels) == HN_OK) label = labels[column];
  hn_release(NULL, labels);
  const char *name = label.joint >= 0  ? model->joints[label.joint].name
                     : label.body >= 0 ? model->bodies[label.body].name
                                       : "coordinate";
  if (!part) part = label.part;
  return hn_text(text, HN_EXCHANGE_NAME, "%s.%.180s%s%s", prefix, name, *part ? "." : "", part);
}

static const char *name_state(const hn_exchange *self, int state, char *text) {
  const hn_simulation *s = self->simulation;
  const hn_flow *flow = s->elements->flow;
  if (state < flow->laws)
    return hn_text(text, HN_EXCHANGE_NAME, "z.%.200s", s->model->states[state].name);
  int owner = 0;
  for (int k = 0; k < flow->owners; k++)
    if (flow->first[flow->owner[k]] <= state) owner = flow->owner[k];
  return hn_text(text, HN_EXCHANGE_NAME, "z.%.200s.%d", s->model->forces[owner].name,
                 state - flow->first[owner] + 1);
}

const char *hn_exchange_name(const hn_exchange *self, int state, char text[HN_EXCHANGE_NAME]) {
  static const char *const axes[] = {"x", "y", "z"};
  static const char *const parameters[] = {"e0", "e1", "e2", "e3"};
  const hn_exchange_item *item = &self->items[state];
  switch (item->kind) {
  case HN_EXCHANGE_POSITION: return name_coordinate(self, item->at, "q", NULL, text);
  case HN_EXCHANGE_VELOCITY: return name_coordinate(self, item->at, "qd", NULL, text);
  case HN_EXCHANGE_PARAMETER:
    return name_coordinate(self, item->at, "q", parameters[item->number], text);
  case HN_EXCHANGE_SPIN: return name_coordinate(self, item->at, "w", axes[item->number], text);
  case HN_EXCHANGE_LOOP:
    return hn_text(text, HN_EXCHANGE_NAME, "q.independent.%d", item->number + 1);
  case HN_EXCHANGE_LOOP_RATE:
    return hn_text(text, HN_EXCHANGE_NAME, "qd.independent.%d", item->number + 1);
  case HN_EXCHANGE_STATE: return name_state(self, item->at, text);
  }
  return "";
}

static int is_item_angle(const hn_exchange *self, const hn_exchange_item *item) {
  return self->tangent->columns[item->at] == HN_COLUMN_ANGLE;
}

const char *hn_exchange_unit(const hn_exchange *self, int state) {
  const hn_exchange_item *item = &self->items[state];
  switch (item->kind) {
  case HN_EXCHANGE_POSITION: return is_item_angle(self, item) ? "rad" : "m";
  case HN_EXCHANGE_VELOCITY: return is_item_angle(self, item) ? "rad/s" : "m/s";
  case HN_EXCHANGE_SPIN: return "rad/s";
  case HN_EXCHANGE_PARAMETER:
  case HN_EXCHANGE_LOOP:
  case HN_EXCHANGE_LOOP_RATE:
  case HN_EXCHANGE_STATE: break;
  }
  return "";
}

const char *hn_exchange_rate_unit(const hn_exchange *self, int state) {
  const hn_exchange_item *item = &self->items[state];
  switch (item->kind) {
  case HN_EXCHANGE_POSITION: return is_item_angle(self, item) ? "rad/s" : "m/s";
  case HN_EXCHANGE_VELOCITY: return is_item_angle(self, item) ? "rad/s^2" : "m/s^2";
  case HN_EXCHANGE_SPIN: return "rad/s^2";
  case HN_EXCHANGE_PARAMETER: return "1/s";
  case HN_EXCHANGE_LOOP:
  case HN_EXCHANGE_LOOP_RATE:
  case HN_EXCHANGE_STATE: break;
  }
  return "";
}

// ---- from coordinates to states and back --------------------------------------------------------

// Twice G(p) v: of rates of Euler parameters, the angular velocity in axes of the body.
static double spin_of(const double p[4], const double v[4], int axis) {
  const double rows[3][4] = {
      {-p[1], p[0], p[3], -p[2]}, {-p[2], -p[3], p[0], p[1]}, {-p[3], p[2], -p[1], p[0]}};
  double sum = 0;
  for (int i = 0; i < 4; i++) sum += 2 * rows[axis][i] * v[i];
  return sum;
}

// Half G(p)' w.
static void parameter_rates(const double p[4], const double w[3], double rates[4]) {
  rates[0] = 0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]);
  rates[1] = 0.5 * (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]);
  rates[2] = 0.5 * (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]);
  rates[3] = 0.5 * (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]);
}

void hn_exchange_take(hn_exchange *self) {
  const hn_method *m = self->simulation->method;
  self->t = m->t;
  for (int k = 0; k < self->count; k++) {
    const hn_exchange_item *item = &self->items[k];
    double *x = &self->x[k];
    switch (item->kind) {
    case HN_EXCHANGE_POSITION: *x = m->q[item->at]; break;
    case HN_EXCHANGE_VELOCITY: *x = m->qd[item->at]; break;
    case HN_EXCHANGE_PARAMETER: *x = m->q[item->at + item->number]; break;
    case HN_EXCHANGE_SPIN: *x = spin_of(&m->q[item->at], &m->qd[item->at], item->number); break;
    case HN_EXCHANGE_LOOP: *x = m->q[self->loop[item->at]]; break;
    case HN_EXCHANGE_LOOP_RATE: *x = m->qd[self->loop[item->at]]; break;
    case HN_EXCHANGE_STATE: *x = m->z[item->at]; break;
    }
  }
  memcpy(self->turns, self->simulation->branches.turns,
         (size_t)self->simulation->elements->turn_count * sizeof(double));
  self->is_fresh = 0;
  self->is_at_present = 1;
}

void hn_exchange_rate_of(const hn_exchange *self, const double *qdd, const double *z_rate,
                         double *rates) {
  for (int k = 0; k < self->count; k++) {
    const hn_exchange_item *item = &self->items[k];
    switch (item->kind) {
    case HN_EXCHANGE_POSITION: rates[k] = self->qd[item->at]; break;
    case HN_EXCHANGE_VELOCITY: rates[k] = qdd[item->at]; break;
    case HN_EXCHANGE_PARAMETER: rates[k] = self->qd[item->at + item->number]; break;
    case HN_EXCHANGE_SPIN:
      rates[k] = spin_of(&self->q[item->at], &qdd[item->at], item->number);
      break;
    case HN_EXCHANGE_LOOP: rates[k] = self->qd[self->loop[item->at]]; break;
    case HN_EXCHANGE_LOOP_RATE: rates[k] = qdd[self->loop[item->at]]; break;
    case HN_EXCHANGE_STATE: rates[k] = z_rate[item->at]; break;
    }
  }
}

// Coordinates of the tree as the trial has them; those of loops stay.
static void spread_positions(hn_exchange *self) {
  for (int k = 0; k < self->count; k++) {
    const hn_exchange_item *item = &self->items[k];
    if (item->kind == HN_EXCHANGE_POSITION) self->q[item->at] = self->x[k];
    if (item->kind != HN_EXCHANGE_PARAMETER || item->number > 0) continue;
    double size = 0;
    for (int i = 0; i < 4; i++) size += self->x[k + i] * self->x[k + i];
    size = sqrt(size);
    for (int i = 0; i < 4; i++) self->q[item->at + i] = self->x[k + i] / size;
  }
}

static void spread_velocities(hn_exchange *self) {
  for (int k = 0; k < self->count; k++) {
    const hn_exchange_item *item = &self->items[k];
    if (item->kind == HN_EXCHANGE_VELOCITY) self->qd[item->at] = self->x[k];
    if (item->kind == HN_EXCHANGE_SPIN && item->number == 0)
      parameter_rates(&self->q[item->at], &self->x[k], &self->qd[item->at]);
  }
}

// ---- dependent coordinates ----------------------------------------------------------------------

// Newton's method from the present state on, in this many pieces of the way there.
static hn_status reach(hn_exchange *self, int pieces) {
  hn_simulation *s = self->simulation;
  const hn_method *m = s->method;
  hn_reduction *r = self->reduction;
  const size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(self->q, m->q, size);
  hn_status status = rows_at(self, m->t, m->q);
  if (status == HN_OK) status = hn_reduction_factor(r) == HN_OK ? HN_OK : HN_RETRY;
  for (int p = 1; status == HN_OK && p <= pieces; p++) {
    const double share = (double)p / pieces;
    spread_positions(self);
    hn_reduction_restrict(r, self->q, self->v);
    for (int k = 0; k < self->count; k++) {
      const hn_exchange_item *item = &self->items[k];
      if (item->kind != HN_EXCHANGE_LOOP) continue;
      const double from = m->q[self->loop[item->at]];
      self->v[self->place[item->at]] =
          p == pieces ? self->x[k] : from + share * (self->x[k] - from);
    }
    status = hn_reduction_positions(r, p == pieces ? self->t : m->t + share * (self->t - m->t),
                                    self->q, self->v, &s->branches, self->tolerance);
  }
  return status;
}

static hn_status recover_loops(hn_exchange *self) {
  hn_reduction *r = self->reduction;
  hn_status status = HN_RETRY_CONVERGENCE;
  for (int pieces = 1; status > 0 && pieces <= MOST_PIECES; pieces *= 4)
    status = reach(self, pieces);
  if (status == HN_OK) status = hn_reduction_factor(r) == HN_OK ? HN_OK : HN_RETRY;
  if (status != HN_OK) return status;
  memset(self->qd, 0, (size_t)self->tangent->n * sizeof(double));
  spread_positions(self); // of unit length again
  spread_velocities(self);
  hn_reduction_restrict(r, self->qd, self->vd);
  for (int k = 0; k < self->count; k++)
    if (self->items[k].kind == HN_EXCHANGE_LOOP_RATE)
      self->vd[self->place[self->items[k].at]] = self->x[k];
  hn_reduction_velocities(r, self->vd, self->qd);
  return HN_OK;
}

// Closed contacts hold at the nearest state.
static hn_status project_trial(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  if (!hn_holds_conditions(s->equations, &s->branches)) return HN_OK;
  const hn_branches look = hn_branches_to_look(&s->branches);
  hn_projected_state p = {.t = self->t,
                          .q = self->q,
                          .qd = self->qd,
                          .tolerance = self->tolerance,
                          .is_forgiving = 1,
                          .change = {s->looking.correction, s->looking.correction}};
  return hn_equations_project(s->equations, &p, &look);
}

hn_status hn_exchange_recover(hn_exchange *self) {
  for (int k = 0; k < self->count; k++)
    if (!isfinite(self->x[k])) return HN_RETRY;
  hn_status status = HN_OK;
  if (self->reduction)
    status = recover_loops(self);
  else
    spread_positions(self);
  if (status != HN_OK) return status;
  spread_velocities(self);
  return project_trial(self);
}
