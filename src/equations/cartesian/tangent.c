// The Cartesian tangent put together: bodies, rows, forces into fixed patterns (tangent.h). Body
// terms with J = inertia in body axes, G = G(p), Gd = G(pd), Ga = G(pdd), n = J G pdd, m = J G pd,
// and R(n) = (G(p)' n)_p = [ 0 -n'; n -n~ ]:
//
//   M_pp = 4 G' J G                             Q_p  = 8 Gd' J Gd p         (= -8 Gd' J G pd)
//   K_pp = 4 R(n) - 4 G' J Ga - 8 Gd' J Gd + mu 1
//   C_pp = 8 R(m) + 8 Gd' J G
//
// with mu the multiplier of (p.p - 1)/2 = 0, whose tau is -pd.pd.
#include <string.h>

#include "equations/cartesian/tangent.h"

// ---- bodies -------------------------------------------------------------------------------------

// out += scale u' v, 4 x 4 of 3 x 4
static void add_product(double scale, double u[3][4], double v[3][4], double out[4][4]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      out[i][j] += scale * (u[0][i] * v[0][j] + u[1][i] * v[1][j] + u[2][i] * v[2][j]);
}

// out = J g
static void times_inertia(hn_mat3 inertia, double g[3][4], double out[3][4]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      out[i][j] = inertia.m[i][0] * g[0][j] + inertia.m[i][1] * g[1][j] + inertia.m[i][2] * g[2][j];
}

static hn_vec3 apply_wide(double a[3][4], hn_quat p) {
  double out[3];
  for (int i = 0; i < 3; i++)
    out[i] = a[i][0] * p.w + a[i][1] * p.x + a[i][2] * p.y + a[i][3] * p.z;
  return vec3_load(out);
}

// out += scale R(n)
static void add_turned(double scale, hn_vec3 n, double out[4][4]) {
  const double r[4][4] = {
      {0, -n.x, -n.y, -n.z}, {n.x, 0, n.z, -n.y}, {n.y, -n.z, 0, n.x}, {n.z, n.y, -n.x, 0}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) out[i][j] += scale * r[i][j];
}

typedef struct body_matrices {
  double g[3][4], gd[3][4];   // G, Gd
  double jg[3][4], jgd[3][4]; // J G, J Gd
} body_matrices;

static void body_basic(hn_cartesian_tangent *self, int b, body_matrices *m) {
  const hn_body_def *def = &self->base.equations->model->bodies[b];
  const hn_body_rates *rates = &self->bodies[b];
  hn_mat3 inertia = mat3_symmetric(def->inertia);
  hn_euler_g(rates->p, m->g);
  hn_euler_g(rates->pd, m->gd);
  times_inertia(inertia, m->g, m->jg);
  times_inertia(inertia, m->gd, m->jgd);

  double *mass = &self->base.mass.value[19 * (b - 1)]; // 3 of r, 16 of p
  for (int i = 0; i < 3; i++) mass[i] = def->mass;
  double block[4][4] = {{0}};
  add_product(4, m->g, m->jg, block);
  memcpy(mass + 3, block, sizeof block);

  double *force = &self->base.q_force[7 * (b - 1)];
  vec3_store(force, vec3_scale(def->mass, self->base.equations->model->gravity));
  hn_vec3 momentum = apply_wide(m->jgd, rates->p);
  for (int j = 0; j < 4; j++)
    force[3 + j] =
        8 * (m->gd[0][j] * momentum.x + m->gd[1][j] * momentum.y + m->gd[2][j] * momentum.z);
}

static void body_full(hn_cartesian_tangent *self, int b, body_matrices *m, double mu) {
  const hn_body_rates *rates = &self->bodies[b];
  hn_mat3 inertia = mat3_symmetric(self->base.equations->model->bodies[b].inertia);
  double ga[3][4], jga[3][4], block[4][4] = {{0}};
  hn_euler_g(rates->pdd, ga);
  times_inertia(inertia, ga, jga);
  add_turned(4, apply_wide(m->jg, rates->pdd), block);
  add_product(-4, m->g, jga, block);
  add_product(-8, m->gd, m->jgd, block);
  for (int i = 0; i < 4; i++) block[i][i] += mu;
  hn_sparse_add_block(&self->base.stiffness, self->stiffness_p[b - 1], 4, 4, block[0], 4);

  memset(block, 0, sizeof block);
  add_turned(8, apply_wide(m->jg, rates->pd), block);
  add_product(8, m->gd, m->jg, block);
  hn_sparse_add_block(&self->base.damping, self->damping_p[b - 1], 4, 4, block[0], 4);
}

static void evaluate_bodies(hn_cartesian_tangent *self, const double *lambda) {
  hn_tangent *base = &self->base;
  for (int b = 1; b < base->equations->model->body_count; b++) {
    const hn_body_rates *rates = &self->bodies[b];
    int row = base->equations->elements->row_count + b - 1, at = base->phi_q.start[row];
    body_matrices matrices;
    body_basic(self, b, &matrices);
    base->phi[row] = 0.5 * (quat_dot(rates->p, rates->p) - 1);
    base->phi_rate[row] = quat_dot(rates->p, rates->pd);
    base->phi_t[row] = base->phi_tt[row] = 0;
    base->tau[row] = -quat_dot(rates->pd, rates->pd);
    quat_store(&base->phi_q.value[at], rates->p);
    if (!self->is_full) continue;
    body_full(self, b, &matrices, lambda[row]);
    quat_store(&base->phi_v.value[at], rates->pd);
    quat_store(&base->phi_dd.value[at], rates->pdd);
  }
}

// ---- rows ---------------------------------------------------------------------------------------

static void add_to_row(const hn_part *part, const double *local, double *value) {
  for (int slot = 0; slot < 2; slot++) {
    if (part->at[slot] < 0) continue;
    double *to = &value[part->at[slot]];
    for (int i = part->first[slot]; i < 7; i++) *to++ += part->coefficient * local[7 * slot + i];
  }
}

// From a form to its curve: gradients here, the outer product of its Hessian into K. What is left to
// be added of the Hessian is the form's own, by the slope.
static double bend(hn_cartesian_tangent *self, const hn_form *form, const double *curve,
                   double weight, hn_form_jet *jet) {
  hn_curve_value f = hn_curve_at(curve, jet->value);
  double rate = jet->rate, second = jet->quadratic, outer[HN_LOCAL];
  const int *body = self->pairs[form->pair].body;
  for (int slot = 0; self->is_full && slot < 2; slot++) {
    const hn_body_rates *b = &self->bodies[body[slot]];
    if (body[slot] != HN_GROUND)
      second += vec3_dot(vec3_load(&jet->gradient[7 * slot]), b->a) +
                quat_dot(quat_load(&jet->gradient[7 * slot + 3]), b->pdd);
  }
  for (int j = 0; self->is_full && j < HN_LOCAL; j++) {
    double g = jet->gradient[j];
    outer[j] = weight * f.d2 * g;
    jet->second_q[j] = f.d1 * jet->second_q[j] + f.d2 * (second * g + 2 * rate * jet->rate_q[j]) +
                       f.d3 * rate * rate * g;
    jet->rate_q[j] = f.d1 * jet->rate_q[j] + f.d2 * rate * g;
  }
  if (self->is_full) hn_curvature_add_outer(self, form->pair, outer, jet->gradient);
  jet->value = f.f;
  jet->rate = f.d1 * rate;
  jet->quadratic = f.d1 * jet->quadratic + f.d2 * rate * rate;
  return f.d1;
}

static void scale_gradient(double factor, hn_form_jet *jet) {
  for (int j = 0; j < HN_LOCAL; j++) jet->gradient[j] *= factor;
}

static void evaluate_row(hn_cartesian_tangent *self, int r, double t, const hn_branches *branches,
                         const double *lambda) {
  hn_tangent *base = &self->base;
  const hn_row *row = &base->equations->elements->rows[r];
  hn_law_value law = {0};
  if (row->law) law = hn_row_law(base->equations->elements, row, t, branches->driver[row->driver]);
  base->phi[r] = -row->constant - law.value;
  base->phi_rate[r] = base->phi_t[r] = -law.d1;
  base->phi_tt[r] = -law.d2;
  base->tau[r] = law.d2;
  base->tau_t[r] = law.d3;
  for (int k = self->row_part[r]; k < self->row_part[r + 1]; k++) {
    const hn_part *part = &self->parts[k];
    const hn_form *form = &self->forms[part->form];
    hn_form_jet jet;
    const double *curve = base->equations->elements->measures[form->measure].curve;
    double weight = self->is_full ? lambda[r] * part->coefficient : 0;
    hn_form_evaluate(self, form, branches->turns, &jet);
    double slope = curve ? bend(self, form, curve, weight, &jet) : 1;
    if (self->is_full) hn_curvature_add(self, form, &jet, slope * weight);
    if (curve) scale_gradient(slope, &jet);
    base->phi[r] += part->coefficient * jet.value;
    base->phi_rate[r] += part->coefficient * jet.rate;
    base->tau[r] -= part->coefficient * jet.quadratic;
    add_to_row(part, jet.gradient, base->phi_q.value);
    if (!self->is_full) continue;
    add_to_row(part, jet.rate_q, base->phi_v.value);
    add_to_row(part, jet.second_q, base->phi_dd.value);
  }
}

static void evaluate_rows(hn_cartesian_tangent *self, double t, const hn_branches *branches,
                          const double *lambda) {
  hn_tangent *base = &self->base;
  hn_sparse_zero(&base->phi_q);
  if (self->is_full) {
    hn_sparse_zero(&base->phi_v);
    hn_sparse_zero(&base->phi_dd);
  }
  for (int r = 0; r < base->equations->elements->row_count; r++)
    evaluate_row(self, r, t, branches, lambda);
}

// ---- the interface ------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, hn_cartesian_tangent *self) {
  int bodies = self->base.equations->model->body_count;
  hn_tangent_take_memory(arena, &self->base);
  self->frames = HN_TAKE(arena, hn_frame, bodies);
  self->bodies = HN_TAKE(arena, hn_body_rates, bodies);
  self->wrench = HN_TAKE(arena, hn_wrench, bodies);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status evaluate_basic(hn_cartesian_tangent *self, const hn_tangent_state *s,
                                hn_error *error) {
  hn_tangent_move(self, s->q, s->qd, NULL);
  evaluate_rows(self, s->t, s->branches, NULL);
  evaluate_bodies(self, NULL);
  return hn_tangent_forces(self, s->t, s->branches, error);
}

static void evaluate_positions(hn_cartesian_tangent *self, const hn_tangent_state *s) {
  hn_tangent *base = &self->base;
  hn_tangent_move(self, s->q, s->q, NULL); // rates are not looked at
  evaluate_rows(self, s->t, s->branches, NULL);
  for (int b = 1; b < base->equations->model->body_count; b++) {
    int row = base->equations->elements->row_count + b - 1;
    hn_quat p = self->bodies[b].p;
    base->phi[row] = 0.5 * (quat_dot(p, p) - 1);
    base->phi_t[row] = base->phi_tt[row] = 0;
    quat_store(&base->phi_q.value[base->phi_q.start[row]], p);
  }
}

static hn_status evaluate_full(hn_cartesian_tangent *self, const hn_tangent_state *s,
                               hn_error *error) {
  hn_tangent *base = &self->base;
  hn_tangent_move(self, s->q, s->qd, s->qdd);
  hn_sparse_zero(&base->stiffness);
  hn_sparse_zero(&base->damping);
  memset(base->q_t, 0, (size_t)base->n * sizeof(double));
  evaluate_rows(self, s->t, s->branches, s->lambda);
  evaluate_bodies(self, s->lambda);
  hn_status status = hn_tangent_forces(self, s->t, s->branches, error);
  hn_curvature_finish(self);
  return status;
}

hn_status hn_cartesian_evaluate_in_q(hn_cartesian_tangent *self, const hn_tangent_state *s,
                                     hn_want want, hn_error *error) {
  hn_status status = HN_OK;
  if (want == HN_FULL) return evaluate_full(self, s, error);
  if (want <= HN_ROWS) {
    if (s->has < HN_GAPS) evaluate_positions(self, s);
    return HN_OK;
  }
  if (s->has < HN_MOTION) status = evaluate_basic(self, s, error);
  if (status == HN_OK && want == HN_BALANCE) hn_tangent_find_balance(&self->base, s);
  return status;
}

static hn_status cartesian_evaluate(hn_tangent *tangent, const hn_tangent_state *s, hn_want want,
                                    hn_error *error) {
  hn_cartesian_tangent *self = (hn_cartesian_tangent *)tangent;
  return s->space == HN_IN_SPEEDS ? hn_cartesian_evaluate_in_speeds(self, s, want, error)
                                  : hn_cartesian_evaluate_in_q(self, s, want, error);
}

static void cartesian_multipliers(const hn_tangent *tangent, double *lambda) {
  const hn_cartesian_tangent *self = (const hn_cartesian_tangent *)tangent;
  const hn_sparse *phi_q = &tangent->phi_q;
  int rows = tangent->equations->elements->row_count, bodies = tangent->n / 7;
  double *mu = &lambda[rows];
  for (int b = 0; b < bodies; b++)
    mu[b] = quat_dot(self->bodies[b + 1].p, quat_load(&tangent->q_force[7 * b + 3]));
  for (int r = 0; r < rows; r++)
    for (int k = phi_q->start[r]; k < phi_q->start[r + 1]; k++) {
      int b = phi_q->index[k] / 7, i = phi_q->index[k] % 7 - 3;
      if (i < 0) continue;
      double p[4];
      quat_store(p, self->bodies[b + 1].p);
      mu[b] -= p[i] * phi_q->value[k] * lambda[r];
    }
  for (int b = 0; b < bodies; b++) mu[b] /= quat_dot(self->bodies[b + 1].p, self->bodies[b + 1].p);
}

static const hn_tangent_type cartesian_tangent_type = {
    .evaluate = cartesian_evaluate,
    .speeds_of = hn_cartesian_speeds_of,
    .correction_of_speeds = hn_cartesian_correction_of_speeds,
    .carry = hn_cartesian_carry,
    .normalization_multipliers = cartesian_multipliers,
};

hn_status hn_cartesian_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                      hn_tangent **tangent) {
  (void)in_speeds;
  hn_cartesian_tangent *self = HN_TAKE(arena, hn_cartesian_tangent, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->base.type = &cartesian_tangent_type;
  self->base.equations = equations;
  self->base.n = equations->nq;
  self->base.rows = equations->elements->row_count + equations->normalizations;
  self->curvature.pair = -1;
  hn_status status = take_memory(arena, self);
  for (int i = 0; status == HN_OK && i < equations->nq; i++)
    self->base.columns[i] = i % 7 < 3    ? HN_COLUMN_LENGTH
                            : i % 7 == 3 ? HN_COLUMN_PARAMETER
                                         : HN_COLUMN_PARAMETER_NEXT;
  if (status == HN_OK) status = hn_tangent_compile(arena, self);
  if (status == HN_OK) status = hn_cartesian_speeds_create(arena, self);
  if (status == HN_OK) *tangent = &self->base;
  return status;
}
