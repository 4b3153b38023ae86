// Rosenbrock-Nystrom for the ODE view (Negrut 1998, eqs. 4.38-4.53): no iteration, one matrix a
// step, always that of the step's start. The right side with f_y z is that of the filter,
//
//   S u = w + h^2 e f_y z   <=>   (I - g G) (., u) = (h z, w),   g = e h
//
// and f_t, which is the same for all stages but for a factor, is solved for once.
//
// Dense output. Four stages have no continuous extension of order 3: their order conditions are
// dependent, which is why there is an embedded formula. Positions are the cubic through both ends with
// their velocities. Velocities are the quadratic of the stages plus the cubic that is missing to
// accelerations at both ends, passed through S^-1, so that stiff components, whose accelerations are
// tolerance times stiffness, stay as damped as the step is:
//
//   y'(theta) = y0' + theta R + theta (1 - theta) (C - R + S^-1 X + theta S^-1 Y)
//   R = sum s_i u_i,  C = sum start_i u_i,  X = h f_0 - C,  Y = 2 R - h f_0 - h f_1
#include <string.h>

#include "integrate/ode_formula.h"
#include "integrate/ode_rosenbrock_states.h"

typedef struct rosenbrock {
  hn_ode_formula base;
  const hn_rosenbrock_formula *formula;
  hn_rosenbrock_states *states;       // null: no states
  double t0, h, power0, power1, work; // of the step
  double *u[HN_MAX_STAGES];           // (ode->n)
  double *time_part;                  // S^-1 f_t (ode->n)
  double *y, *yd, *f, *r1;            // (ode->n)
  double *q0, *qd0, *q1, *qd1;        // ends in full coordinates (nq)
  double *yd0, *yd1;                  // ends in the coordinates integrated (ode->n)
  double *bend, *twist;               // of the velocities: factors of theta (1 - theta) (1, theta)
  double *middle_q, *middle_qd;       // (nq)
} rosenbrock;

static void rosenbrock_begin(hn_ode_formula *formula) { (void)formula; }

// x = scale sum_{j<count} weight_j u_j
static void combine(const rosenbrock *self, const double *weight, int count, double scale,
                    double *x) {
  for (int m = 0; m < self->base.ode->n; m++) {
    double sum = 0;
    for (int j = 0; j < count; j++) sum += weight[j] * self->u[j][m];
    x[m] = scale * sum;
  }
}

// f of stage i into self->f.
static hn_status stage_value(rosenbrock *self, int i, const hn_branches *branches,
                             hn_error *error) {
  const hn_rosenbrock_formula *f = self->formula;
  hn_ode *ode = self->base.ode;
  double h = self->h;
  if (f->repeats[i]) return HN_OK;
  if (i == 0) {
    memcpy(self->f, ode->ydd, (size_t)ode->n * sizeof(double));
    return HN_OK;
  }
  combine(self, f->t[i], i, h, self->y);
  combine(self, f->w[i], i, 1, self->yd);
  for (int m = 0; m < ode->n; m++) {
    self->y[m] += ode->y[m] + h * f->a_i[i] * ode->yd[m];
    self->yd[m] += ode->yd[m];
  }
  double t = ode->implicit->method->t + f->a_i[i] * h;
  if (self->states) hn_rosenbrock_states_open(self->states, i);
  hn_status status = ode->type->evaluate(ode, t, self->y, self->yd, branches, self->f, error);
  if (status == HN_OK && self->states) hn_rosenbrock_states_rate(self->states, t);
  return status;
}

static hn_status solve_stage(rosenbrock *self, int i, const hn_branches *branches,
                             hn_error *error) {
  const hn_rosenbrock_formula *f = self->formula;
  hn_ode *ode = self->base.ode;
  double h = self->h, *u = self->u[i];
  hn_status status = stage_value(self, i, branches, error);
  if (status != HN_OK) return status;
  combine(self, f->d[i], i, h, self->r1);
  combine(self, f->c[i], i, f->e, u);
  for (int m = 0; m < ode->n; m++) {
    self->r1[m] += h * f->e_i[i] * ode->yd[m];
    u[m] += h * f->e * self->f[m];
  }
  if (self->states) status = hn_rosenbrock_states_push(self->states, i, branches, u, error);
  if (status != HN_OK) return status;
  ode->type->matrix->filter(ode, self->r1, u);
  for (int m = 0; m < ode->n; m++) {
    const double late = h * h * f->e * f->e_i[i] * self->time_part[m];
    u[m] += late;
    self->r1[m] += f->e * h * late;
  }
  return self->states ? hn_rosenbrock_states_close(self->states, i, self->r1, u, branches) : HN_OK;
}

static hn_status prepare(rosenbrock *self, const hn_branches *branches, hn_error *error) {
  hn_ode *ode = self->base.ode;
  hn_implicit *implicit = ode->implicit;
  double g = self->formula->e * self->h;
  if (!implicit->has_matrix || !implicit->matrix_is_here) ode->contact_step = self->h;
  hn_status status = hn_implicit_open_states(implicit, g, branches);
  if (status == HN_OK && (!implicit->has_matrix || !implicit->matrix_is_here))
    status = ode->type->matrix->renew(ode, branches, error);
  if (status == HN_OK && ode->implicit->g.v != g) {
    status = ode->type->matrix->factor(ode, g, 0);
    implicit->method->factorizations++;
  }
  if (status == HN_OK) ode->type->matrix->time_part(ode, self->time_part);
  if (status == HN_OK && self->states)
    status = hn_rosenbrock_states_begin(self->states, self->h, branches);
  return status;
}

static hn_status rosenbrock_stages(hn_ode_formula *formula, double h, const hn_branches *branches,
                                   const hn_tolerance *tolerance, hn_error *error) {
  rosenbrock *self = (rosenbrock *)formula;
  const hn_rosenbrock_formula *f = self->formula;
  hn_ode *ode = formula->ode;
  self->t0 = ode->implicit->method->t;
  self->h = h;
  hn_status status = prepare(self, branches, error);
  for (int i = 0; i < f->stages && status == HN_OK; i++)
    status = solve_stage(self, i, branches, error);
  if (status != HN_OK) return status;
  combine(self, f->p, f->stages, h, formula->y1);
  combine(self, f->s, f->stages, 1, formula->yd1);
  combine(self, f->error_p, f->stages, h, formula->error1);
  combine(self, f->error_s, f->stages, 1, formula->error2);
  for (int m = 0; m < ode->n; m++) {
    formula->y1[m] += ode->y[m] + h * ode->yd[m];
    formula->yd1[m] += ode->yd[m];
    if (!isfinite(formula->y1[m]) || !isfinite(formula->yd1[m])) return HN_RETRY;
  }
  if (self->states) formula->state_error = hn_rosenbrock_states_end(self->states, tolerance);
  return HN_OK;
}

// ---- dense output and work ----------------------------------------------------------------------

static void state_at(const rosenbrock *self, double theta, double *q, double *qd) {
  double rest = 1 - theta, *y = self->y, *yd = self->yd;
  hn_ode *ode = self->base.ode;
  for (int i = 0; i < ode->implicit->method->equations->nq; i++)
    q[i] = hn_cubic(theta, self->h, self->q0[i], self->qd0[i], self->q1[i], self->qd1[i]);
  ode->type->restrict_to(ode, q, y);
  for (int i = 0; i < ode->n; i++)
    yd[i] = rest * self->yd0[i] + theta * self->yd1[i] +
            theta * rest * (self->bend[i] + theta * self->twist[i]);
  ode->type->expand(ode, self->t0 + theta * self->h, y, yd, q, qd);
}

// Velocities between the ends as the method has them, on the constraints.
static void find_dense(rosenbrock *self) {
  const hn_rosenbrock_formula *f = self->formula;
  hn_ode *ode = self->base.ode;
  const hn_method *m = ode->implicit->method;
  int n = ode->n;
  double h = self->h, *rise = self->yd, *start = self->y, *end_ydd = self->f;
  ode->type->restrict_to(ode, m->qd, self->yd0);
  ode->type->restrict_to(ode, m->next_qd, self->yd1);
  ode->type->restrict_to(ode, m->next->qdd, end_ydd);
  combine(self, f->s, f->stages, 1, rise);
  combine(self, f->start, f->stages, 1, start);
  memset(self->r1, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) self->twist[i] = 2 * rise[i] - h * (ode->ydd[i] + end_ydd[i]);
  ode->type->matrix->filter(ode, self->r1, self->twist);
  memset(self->r1, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) self->bend[i] = h * ode->ydd[i] - start[i];
  ode->type->matrix->filter(ode, self->r1, self->bend);
  for (int i = 0; i < n; i++) self->bend[i] += start[i] - rise[i];
}

// Power in the middle of the step. Multipliers matter only where there are drivers.
static hn_status middle_power(rosenbrock *self, const hn_branches *branches, double *power,
                              hn_error *error) {
  hn_ode *ode = self->base.ode;
  hn_method *m = ode->implicit->method;
  hn_equations *e = m->equations;
  double t = m->t + 0.5 * self->h;
  if (self->states) hn_rosenbrock_states_look(self->states, 0.5);
  state_at(self, 0.5, self->middle_q, self->middle_qd);
  if (!e->elements->has_motors)
    return e->type->power(e, t, self->middle_q, self->middle_qd, m->now->lambda, branches, power);
  hn_status status =
      e->type->evaluate_stage(e, t, self->middle_q, self->middle_qd, branches, ode->stage, error);
  *power = ode->stage->power;
  return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
}

static hn_status rosenbrock_end(hn_ode_formula *formula, const hn_branches *branches, double *work,
                                hn_error *error) {
  rosenbrock *self = (rosenbrock *)formula;
  const hn_method *m = formula->ode->implicit->method;
  size_t size = (size_t)m->equations->nq * sizeof(double);
  memcpy(self->q0, m->q, size);
  memcpy(self->qd0, m->qd, size);
  memcpy(self->q1, m->next_q, size);
  memcpy(self->qd1, m->next_qd, size);
  if (self->states) hn_rosenbrock_states_note(self->states);
  find_dense(self);
  double middle = 0;
  hn_status status = middle_power(self, branches, &middle, error);
  self->power0 = m->now->power;
  self->power1 = m->next->power;
  self->work = *work = self->h / 6 * (self->power0 + 4 * middle + self->power1);
  return status;
}

static void rosenbrock_interpolate(const hn_ode_formula *formula, double theta, double *q,
                                   double *qd, double *work) {
  const rosenbrock *self = (const rosenbrock *)formula;
  state_at(self, theta, q, qd);
  if (self->states) hn_rosenbrock_states_look(self->states, theta);
  if (work) *work = hn_cubic(theta, self->h, 0, self->power0, self->work, self->power1);
}

static void rosenbrock_accept(hn_ode_formula *formula) { (void)formula; }

static const hn_ode_formula_type rosenbrock_type = {.begin = rosenbrock_begin,
                                                    .stages = rosenbrock_stages,
                                                    .end = rosenbrock_end,
                                                    .interpolate = rosenbrock_interpolate,
                                                    .accept = rosenbrock_accept};

hn_status hn_ode_rosenbrock_create(hn_arena *arena, hn_ode *ode,
                                   const hn_rosenbrock_formula *numbers, hn_ode_formula **formula) {
  rosenbrock *self = HN_KEEP(arena, rosenbrock, 1);
  if (!self) return HN_ERROR_MEMORY;
  int nq = ode->implicit->method->equations->nq;
  self->formula = numbers;
  // The filter takes stiff components out of the estimate, but where stiff directions bend in the
  // coordinates integrated each step leaves some of them (order 2): they may not exceed it by much.
  ode->counts_raw = 1;
  double *const contact_step = &ode->contact_step;
  hn_declare_numbers(arena, &contact_step, 1, "the step of derivatives of contacts");
  self->base = (hn_ode_formula){.type = &rosenbrock_type,
                                .name = numbers->name,
                                .order = numbers->order,
                                .error_order = numbers->error_order};
  for (int i = 0; i < numbers->stages; i++) self->u[i] = HN_WORK(arena, double, nq);
  double **vectors[] = {&self->time_part, &self->y,        &self->yd,       &self->f,
                        &self->r1,        &self->q0,       &self->qd0,      &self->q1,
                        &self->qd1,       &self->bend,     &self->twist,    &self->yd0,
                        &self->yd1,       &self->middle_q, &self->middle_qd};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_WORK(arena, double, nq);
  *formula = &self->base;
  return arena->failed ? HN_ERROR_MEMORY
                       : hn_rosenbrock_states_create(arena, ode, numbers, &self->states);
}
