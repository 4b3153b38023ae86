// The tangent of natural coordinates put together: rows, forces and the constant M in fixed patterns
// (natural/tangent.h).
#include "equations/natural/tangent.h"

#include <string.h>

// ---- rows ---------------------------------------------------------------------------------------

// Evaluates the constraints that depend on time: those of drivers.
static void store_laws(hn_natural_tangent *self, double t, const hn_branches *branches) {
  hn_tangent *base = &self->base;
  const hn_elements *elements = base->equations->elements;
  for (int d = 0; d < elements->model->driver_count; d++)
    for (int r = elements->driver_row[d]; r < elements->driver_row[d + 1]; r++) {
      hn_law_value law = {0};
      if (elements->rows[r].law)
        law = hn_law_evaluate(elements->rows[r].law, branches->driver[d], t);
      base->phi_t[r] = -law.d1;
      base->phi_tt[r] = -law.d2;
      base->tau_t[r] = law.d3;
    }
}

// Constraints as the set evaluates them: blocks of those that sharing satisfies are empty, so the
// others are in Phi_q in the same order.
static void evaluate_rows(hn_natural_tangent *self, double t, const double *q, const double *qd,
                          const hn_branches *branches) {
  hn_tangent *base = &self->base;
  hn_natural_set *set = self->set;
  hn_natural_evaluate_rows(set, t, q, qd, branches);
  memcpy(base->phi_q.value, set->block, (size_t)base->phi_q.start[base->rows] * sizeof(double));
  for (int r = 0; r < set->rows; r++) {
    int to = hn_natural_number(set, r);
    base->phi[to] = set->value[r];
    base->phi_rate[to] = set->rate[r];
    base->tau[to] = set->tau[r];
  }
  store_laws(self, t, branches);
}

static void evaluate_rows_full(hn_natural_tangent *self, double t, const double *q,
                               const double *qd, const double *qdd, const double *lambda,
                               const hn_branches *branches) {
  hn_tangent *base = &self->base;
  const hn_natural_set *set = self->set;
  const hn_elements *elements = base->equations->elements;
  hn_sparse_zero(&base->phi_q);
  hn_sparse_zero(&base->phi_v);
  hn_sparse_zero(&base->phi_dd);
  for (int r = 0; r < set->rows; r++) {
    int is_gram = r >= set->element_rows, to = hn_natural_number(set, r);
    const hn_row *row = is_gram ? NULL : &elements->rows[to];
    hn_law_value law = {0};
    if (row && row->law) law = hn_row_law(elements, row, t, branches->driver[row->driver]);
    base->phi[to] =
        is_gram ? -set->nodes->grams[r - set->element_rows].value : -row->constant - law.value;
    base->phi_rate[to] = -law.d1;
    base->tau[to] = law.d2;
    for (int p = set->row_part[r]; p < set->row_part[r + 1]; p++) {
      const hn_natural_part *part = &set->parts[p];
      hn_natural_evaluate(set->forms, part->form, q, qd, qdd, branches->turns, &self->jet);
      hn_natural_add_hessian(self, part->form, lambda[to] * part->coefficient);
      hn_natural_scale(set->forms, part->form, &self->jet);
      base->phi[to] += part->coefficient * self->jet.value;
      base->phi_rate[to] += part->coefficient * self->jet.rate;
      base->tau[to] -= part->coefficient * self->jet.quadratic;
      hn_natural_add_to_row(set, part, self->jet.gradient, base->phi_q.value);
      hn_natural_add_to_row(set, part, self->jet.rate_q, base->phi_v.value);
      hn_natural_add_to_row(set, part, self->jet.second_q, base->phi_dd.value);
    }
  }
  store_laws(self, t, branches);
}

// ---- K ------------------------------------------------------------------------------------------

void hn_natural_add_outer(hn_natural_tangent *self, int form, double weight, const hn_vec3 *a,
                          const hn_vec3 *b) {
  const hn_natural_set *set = self->set;
  const int *node = &set->forms->node[set->forms->forms[form].start];
  const int *at = &self->places[self->plans[form].stiffness];
  int count = set->forms->forms[form].count;
  for (int i = 0; i < count; i++) {
    int stride =
        self->base.stiffness.start[3 * node[i] + 1] - self->base.stiffness.start[3 * node[i]];
    for (int j = 0; j < count; j++, at++)
      for (int c = 0; c < 3; c++) {
        double *to = &self->base.stiffness.value[*at + c * stride];
        double factor = weight * vec3_get(a[i], c);
        to[0] += factor * b[j].x;
        to[1] += factor * b[j].y;
        to[2] += factor * b[j].z;
      }
  }
}

void hn_natural_add_curve(hn_natural_tangent *self, hn_natural_curve curve, double weight) {
  for (int k = curve.start; k < curve.start + curve.count; k++)
    self->bend[self->curve_pair[k]] += weight * self->curve_value[k];
}

void hn_natural_add_hessian(hn_natural_tangent *self, int form, double weight) {
  const hn_natural_plan *plan = &self->plans[form];
  const hn_natural_jet *jet = &self->jet;
  if (weight == 0) return;
  if (jet->bend != 0)
    hn_natural_add_outer(self, form, weight * jet->bend, jet->gradient, jet->gradient);
  weight *= jet->slope;
  switch (self->set->forms->forms[form].kind) {
  case HN_MEASURE_DOT: hn_natural_add_curve(self, plan->curve[0], weight); break;
  case HN_MEASURE_LENGTH:
    hn_natural_add_curve(self, plan->curve[0], 0.5 * weight * jet->inverse);
    hn_natural_add_outer(self, form, -weight * jet->inverse, jet->gradient, jet->gradient);
    break;
  case HN_MEASURE_ANGLE:
    hn_natural_add_curve(self, plan->curve[0], weight * jet->f[0]);
    hn_natural_add_curve(self, plan->curve[1], weight * jet->f[1]);
    hn_natural_add_outer(self, form, -weight, jet->spread, jet->gradient);
    hn_natural_add_outer(self, form, -weight, jet->gradient, jet->spread);
    break;
  }
}

// K += S (x) 1
static void add_bend(hn_natural_tangent *self) {
  const hn_sparse *k = &self->base.stiffness;
  for (int p = 0; p < self->pair_count; p++) {
    const hn_natural_pair *pair = &self->pairs[p];
    double value = self->bend[p];
    if (value == 0) continue;
    for (int side = 0; side < (pair->node[0] == pair->node[1] ? 1 : 2); side++) {
      int row = 3 * pair->node[side];
      int step = k->start[row + 1] - k->start[row] + pair->is_full;
      for (int c = 0; c < 3; c++) k->value[pair->at[side] + c * step] += value;
    }
  }
}

// ---- the interface ------------------------------------------------------------------------------

static void remember(hn_natural_tangent *self, double t, const double *q, const double *qd,
                     const hn_branches *branches) {
  size_t size = (size_t)self->base.n * sizeof(double);
  self->t = t;
  self->branches = branches;
  memcpy(self->q, q, size);
  memcpy(self->qd, qd, size);
}

static hn_status evaluate_basic(hn_natural_tangent *self, const hn_tangent_state *s,
                                hn_error *error) {
  double power;
  remember(self, s->t, s->q, s->qd, s->branches);
  evaluate_rows(self, s->t, s->q, s->qd, s->branches);
  return hn_natural_forces(self->set, s->t, s->q, s->qd, s->branches, self->base.q_force, &power,
                           error);
}

static hn_status evaluate_full(hn_natural_tangent *self, const hn_tangent_state *s,
                               hn_error *error) {
  hn_tangent *base = &self->base;
  remember(self, s->t, s->q, s->qd, s->branches);
  hn_sparse_zero(&base->stiffness);
  hn_sparse_zero(&base->damping);
  memset(self->bend, 0, (size_t)self->pair_count * sizeof(double));
  evaluate_rows_full(self, s->t, s->q, s->qd, s->qdd, s->lambda, s->branches);
  hn_status status = hn_natural_tangent_forces(self, s->t, s->q, s->qd, s->qdd, s->branches, error);
  add_bend(self);
  for (int e = 0; e < base->damping.start[base->n]; e++)
    base->blocks.damping[base->damping_in_stiffness[e]] = base->damping.value[e];
  return status;
}

// Coordinates are speeds.
static hn_status natural_evaluate(hn_tangent *tangent, const hn_tangent_state *s, hn_want want,
                                  hn_error *error) {
  hn_natural_tangent *self = (hn_natural_tangent *)tangent;
  hn_status status = HN_OK;
  if (want <= HN_ROWS) { // rates are not used
    if (s->has < HN_GAPS) evaluate_rows(self, s->t, s->q, s->q, s->branches);
    return HN_OK;
  }
  if (want == HN_FULL)
    status = evaluate_full(self, s, error);
  else if (s->has < HN_MOTION)
    status = evaluate_basic(self, s, error);
  if (status == HN_OK && s->b) hn_tangent_find_balance(tangent, s);
  return status;
}

static void natural_speeds_of(const hn_tangent *tangent, const double *x, double *out) {
  memcpy(out, x, (size_t)tangent->n * sizeof(double));
}

static void natural_correction_of_speeds(const hn_tangent *tangent, const double *u,
                                         const double *c, double *x) {
  (void)c;
  memcpy(x, u, (size_t)tangent->n * sizeof(double));
}

// Of the elements too: rows left out of stages are not those of other coordinates.
static void natural_multipliers(const hn_tangent *tangent, double *lambda) {
  const hn_natural_tangent *self = (const hn_natural_tangent *)tangent;
  hn_natural_set *set = self->set;
  memcpy(set->b, tangent->q_force, (size_t)tangent->n * sizeof(double));
  memcpy(set->block, tangent->phi_q.value,
         (size_t)tangent->phi_q.start[tangent->rows] * sizeof(double));
  for (int r = 0; r < set->rows; r++) set->c[r] = tangent->tau[hn_natural_number(set, r)];
  hn_natural_thin_bodies(set, self->q, self->qd, self->branches, HN_AIM_ACCELERATIONS, set->b);
  memset(lambda, 0, (size_t)tangent->rows * sizeof(double));
  hn_status status = hn_natural_factor(set, self->q, self->branches, HN_NATURAL_KEPT);
  hn_saddle_set_slack(set->base.saddle, HN_NATURAL_SLACK);
  if (status == HN_OK)
    status = hn_saddle_solve(set->base.saddle, set->b, set->c, set->x, set->y, NULL);
  hn_saddle_set_slack(set->base.saddle, 1);
  if (status != HN_OK) return; // not finite: nor will anything be that is made of them
  for (int r = 0; r < set->rows; r++) lambda[hn_natural_number(set, r)] = set->y[r];
}

static const hn_tangent_type natural_tangent_type = {
    .evaluate = natural_evaluate,
    .speeds_of = natural_speeds_of,
    .correction_of_speeds = natural_correction_of_speeds,
    .carry = hn_natural_carry,
    .has_dear_multipliers = 1,
    .carries_roughly = 1,
    .normalization_multipliers = natural_multipliers,
};

static hn_status take_memory(hn_arena *arena, hn_natural_tangent *self) {
  hn_tangent *base = &self->base;
  hn_tangent_take_memory(arena, base);
  base->squares = HN_TAKE(arena, double, base->rows);
  base->column_body = HN_TAKE(arena, int, base->n);
  base->normalization_body = HN_TAKE(arena, int, base->equations->normalizations);
  self->q = HN_KEEP(arena, double, base->n);
  self->carried = HN_KEEP(arena, double, base->n);
  self->qd = HN_KEEP(arena, double, base->n);
  self->change = HN_KEEP(arena, hn_vec3, self->set->forms->most_nodes);
  return arena->failed ? HN_ERROR_MEMORY
                       : hn_natural_jet_create(arena, self->set->forms, &self->jet);
}

// K with a zero behind it; M and C on its pattern.
static hn_status make_blocks(hn_arena *arena, hn_natural_tangent *self) {
  hn_tangent *base = &self->base;
  hn_speed_blocks *b = &base->blocks;
  int entries = base->stiffness.start[base->n];
  int *row = HN_TAKE(arena, int, base->rows), *start = HN_TAKE(arena, int, base->rows + 1);
  double **numbers[] = {&b->mass, &b->damping, &b->stiffness};
  for (int k = 0; k < 3; k++) *numbers[k] = HN_KEEP(arena, double, entries + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int e = 0; e < base->mass.start[base->n]; e++)
    b->mass[base->mass_in_stiffness[e]] = base->mass.value[e];
  for (int r = 0; r < base->rows; r++) {
    if (base->phi_q.start[r + 1] == base->phi_q.start[r]) continue;
    row[b->rows++] = r;
    start[b->rows] = base->phi_q.start[r + 1];
  }
  base->stiffness.value = b->stiffness;
  b->n = base->n;
  b->row = row;
  b->row_start = start;
  b->row_index = base->phi_q.index;
  b->row_value = base->phi_q.value;
  return hn_speed_blocks_pattern(arena, &base->stiffness, entries, b);
}

hn_status hn_natural_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                    hn_tangent **tangent) {
  (void)in_speeds;
  hn_natural_tangent *self = HN_KEEP(arena, hn_natural_tangent, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->base.type = &natural_tangent_type;
  self->base.equations = equations;
  self->base.n = equations->nq;
  self->base.rows = equations->elements->row_count + equations->normalizations;
  self->set = (hn_natural_set *)equations;
  hn_status status = take_memory(arena, self);
  const hn_natural_nodes *nodes = self->set->nodes;
  for (int i = 0; status == HN_OK && i < equations->nq; i++) {
    // a unit vector moves as its body turns
    self->base.columns[i] = nodes->nodes[i / 3].is_point ? HN_COLUMN_LENGTH : HN_COLUMN_ANGLE;
    self->base.column_body[i] = nodes->nodes[i / 3].body;
  }
  for (int g = 0; status == HN_OK && g < equations->normalizations; g++)
    self->base.normalization_body[g] = nodes->grams[g].body;
  if (status == HN_OK) status = hn_natural_tangent_pattern(arena, self);
  if (status == HN_OK) status = make_blocks(arena, self);
  if (status == HN_OK) *tangent = &self->base;
  return status;
}

// ---- carrying -----------------------------------------------------------------------------------

// Vectors of q carried from one position of the model to another. A node goes with the body that
// made it: turned with it, R x, or straight: the rigid part of the body's motion,
//
//   x_k = dr + dpi x s_k,   dr = sum c_r x_k,   dpi = sum h_k x x_k     (s_k: arm of a point, or vector)
//
// keeps dr and dpi in space, and only the remainder, which would deform the body, is rotated.

// A body at both positions, and how it moves with x.
typedef struct way {
  hn_vec3 r[2];
  hn_mat3 turn;
  hn_vec3 dr, dpi;
} way;

static way way_of(const hn_natural_set *set, int b, const double *from, const double *to,
                  const double *x) {
  const hn_natural_body *body = &set->nodes->bodies[b];
  way w;
  hn_mat3 a[2];
  for (int i = 0; i < 2; i++) {
    const hn_natural_motion m = hn_natural_move_body(set, b, i ? to : from, i ? to : from);
    w.r[i] = m.x[0];
    a[i] = mat3_from_columns(m.x[1], m.x[2], m.x[3]);
  }
  w.turn = mat3_multiply(a[1], mat3_transpose(a[0]));
  w.dr = w.dpi = vec3_zero();
  for (int k = body->start; k < body->start + body->count; k++) {
    const hn_natural_term *term = &set->nodes->terms[k];
    hn_vec3 dx = vec3_load(&x[3 * term->node]);
    hn_vec3 h = mat3_apply(a[0], vec3(term->c[1], term->c[2], term->c[3]));
    w.dr = vec3_add_scaled(w.dr, term->c[0], dx);
    w.dpi = vec3_add_scaled(w.dpi, 0.5, vec3_cross(h, dx));
  }
  return w;
}

// The rigid part at one of the positions.
static hn_vec3 rigid(const way *w, int which, int is_point, hn_vec3 node) {
  if (!is_point) return vec3_cross(w->dpi, node);
  return vec3_add(w->dr, vec3_cross(w->dpi, vec3_sub(node, w->r[which])));
}

void hn_natural_carry(const hn_tangent *tangent, const double *from, const double *to,
                      hn_carry_kind kind, double *x) {
  const hn_natural_tangent *self = (const hn_natural_tangent *)tangent;
  const hn_natural_set *set = self->set;
  const double *before = self->carried;
  memcpy(self->carried, x, (size_t)tangent->n * sizeof(double));
  way w = {.turn = mat3_identity()};
  int last = HN_GROUND;
  for (int n = 0; n < set->nodes->node_count; n++) {
    const hn_natural_node *node = &set->nodes->nodes[n];
    if (node->body != last) w = way_of(set, node->body, from, to, before);
    last = node->body;
    hn_vec3 dx = vec3_load(&before[3 * n]), kept = vec3_zero();
    if (kind == HN_CARRY_STRAIGHT) {
      dx = vec3_sub(dx, rigid(&w, 0, node->is_point, vec3_load(&from[3 * n])));
      kept = rigid(&w, 1, node->is_point, vec3_load(&to[3 * n]));
    }
    vec3_store(&x[3 * n], vec3_add(kept, mat3_apply(w.turn, dx)));
  }
}
