// Natural coordinates: q = the nodes of natural_nodes.h, three numbers each; speeds are qd itself.
//
//   [ M  Phi' ] [ qdd    ]   [ Q   ]        M constant,  Phi: rows of the elements that sharing does
//   [ Phi  0  ] [ lambda ] = [ tau ]        not cover, then rigidity of the bodies
//
// There is no term of inertia that depends on q or qd. The frame of a body is read off linearly; it is
// made orthonormal before elements see it. M is definite only when the second moments of every body are:
// bodies too thin for that (or with data no solid has) get the squares of their rigidity conditions
// added, weighted with their inertia, on both sides of the equations: the solution stays, the matrix is
// definite. Multipliers here are inner stresses that depend on how the
// nodes are chosen: reactions come from the Cartesian equations at the same state (coordinates.md A5).
#include <string.h>

#include "base/error.h"
#include "elements/loops.h"
#include "equations/equations.h"
#include "equations/natural_forms.h"

#define LOOP_EPSILON 1e-8
// As in cartesian.c: pivots in the geometric metric below the first depend on other rows, below the
// second a singular position is near.
#define REDUNDANT_PIVOT 1e-7
#define NEAR_PIVOT 1e-3

typedef enum row_set { ALL_ROWS, KEPT_ROWS } row_set;

typedef struct natural {
  hn_equations base;
  hn_natural_nodes *nodes;
  hn_natural_forms *forms;
  hn_natural_jet jet;
  hn_equations *cartesian; // for multipliers of the elements and everything else of a snapshot
  hn_snapshot *snapshot;   // of those
  double *cartesian_q, *cartesian_qd;

  // rows of its own: elements that are not covered, then rigidity
  int rows, element_rows;
  int *element_row; // (element_rows)
  int *row_start;   // of the blocks of a row, 3 numbers for each of its nodes (rows + 1)
  int *row_node;
  double *block;
  double *value, *rate, *tau; // (rows)

  // M: upper triangle by columns
  int *pair_start, *pair_node; // nodes at or before each node that share a body with it
  int *pair_at;                // where the entries of a pair stand, for each of the three columns
  unsigned char *pair_full;    // a 3 x 3 block instead of a diagonal one
  double *mass, *stiffened;    // in the pattern of the saddle; with the squares added
  double *geometry_values;
  int entries;
  int thin_count; // bodies with squares
  int *thin;
  hn_saddle *geometry; // the same rows in the geometric metric; null without loops
  double *b, *c, *x, *y;
  hn_frame *frames;   // (bodies + ground)
  hn_wrench *wrench;  // (bodies + ground)
  double *factored_q; // (nq)
  row_set factored_rows;
  int is_factored;
  int is_judged;                    // the geometric metric was factored there too
  int small_pivots;                 // in the metric of M
  unsigned char *dependent, *small; // rows left out of stages; with small pivots (rows)
  int dependent_count;
} natural;

// ---- frames -------------------------------------------------------------------------------------

// One step of Newton's method for the polar factor: A (3 - A'A) / 2.
static hn_mat3 orthonormal(hn_mat3 a) {
  hn_mat3 s = mat3_multiply(mat3_transpose(a), a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s.m[i][j] = (i == j ? 1.5 : 0) - 0.5 * s.m[i][j];
  return mat3_multiply(a, s);
}

static void natural_frames(const hn_equations *equations, const double *q, const double *qd,
                           hn_frame *frames) {
  const natural *self = (const natural *)equations;
  frames[HN_GROUND] = (hn_frame){.a = mat3_identity(), .p = quat_identity()};
  for (int b = 1; b < equations->model->body_count; b++) {
    const hn_natural_body *body = &self->nodes->bodies[b];
    hn_vec3 x[4], v[4];
    for (int i = 0; i < 4; i++) {
      x[i] = body->constant[i];
      v[i] = vec3_zero();
    }
    for (int k = body->start; k < body->start + body->count; k++) {
      const hn_natural_term *term = &self->nodes->terms[k];
      hn_vec3 node = vec3_load(&q[3 * term->node]), rate = vec3_load(&qd[3 * term->node]);
      for (int i = 0; i < 4; i++) {
        x[i] = vec3_add_scaled(x[i], term->c[i], node);
        v[i] = vec3_add_scaled(v[i], term->c[i], rate);
      }
    }
    hn_frame *f = &frames[b];
    hn_vec3 w = vec3_zero();
    for (int i = 0; i < 3; i++) w = vec3_add_scaled(w, 0.5, vec3_cross(x[1 + i], v[1 + i]));
    f->r = x[0];
    f->v = v[0];
    f->w = w;
    f->p = quat_from_matrix(orthonormal(mat3_from_columns(x[1], x[2], x[3])));
    f->a = quat_matrix(f->p);
    f->pd = quat_scale(0.5, euler_e_transposed(f->p, w));
  }
}

static void natural_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                                double *qd) {
  const natural *self = (const natural *)equations;
  for (int n = 0; n < self->nodes->node_count; n++) {
    const hn_natural_node *node = &self->nodes->nodes[n];
    const hn_frame *f = &frames[node->body];
    hn_vec3 arm = mat3_apply(f->a, node->s), turn = vec3_cross(f->w, arm);
    vec3_store(&q[3 * n], node->is_point ? vec3_add(f->r, arm) : arm);
    vec3_store(&qd[3 * n], node->is_point ? vec3_add(f->v, turn) : turn);
  }
}

static void natural_initial(const hn_equations *equations, double *q, double *qd) {
  const natural *self = (const natural *)equations;
  hn_given_frames(equations->model, self->frames);
  natural_from_frames(equations, self->frames, q, qd);
}

static void natural_speeds(const hn_equations *equations, const double *q, const double *qd,
                           double *u) {
  (void)q;
  memcpy(u, qd, (size_t)equations->nq * sizeof(double));
}

static void natural_rates(const hn_equations *equations, const double *q, const double *u,
                          double *qd) {
  (void)q;
  memcpy(qd, u, (size_t)equations->nq * sizeof(double));
}

static void natural_translate(const hn_equations *equations, const double *q, hn_vec3 velocity,
                              double *qd) {
  const natural *self = (const natural *)equations;
  (void)q;
  for (int n = 0; n < self->nodes->node_count; n++)
    vec3_store(&qd[3 * n], self->nodes->nodes[n].is_point ? velocity : vec3_zero());
}

// ---- mass ---------------------------------------------------------------------------------------

// Second moments about the centre of mass, P = tr(J)/2 - J.
static hn_mat3 second_moments(const hn_body_def *body) {
  hn_mat3 j = mat3_symmetric(body->inertia), p = mat3_scale(-1, j);
  double half = 0.5 * (j.m[0][0] + j.m[1][1] + j.m[2][2]);
  for (int i = 0; i < 3; i++) p.m[i][i] += half;
  return p;
}

// What two nodes of a body share of its kinetic energy.
static double node_mass(const hn_body_def *body, hn_mat3 p, const double *a, const double *b) {
  double sum = body->mass * a[0] * b[0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum += p.m[i][j] * a[1 + i] * b[1 + j];
  return sum;
}

static int is_thin(const hn_body_def *body) {
  hn_mat3 p = second_moments(body);
  double least = 1e-3 * (p.m[0][0] + p.m[1][1] + p.m[2][2]);
  for (int i = 0; i < 3; i++) p.m[i][i] -= least;
  for (int k = 0; k < 3; k++) { // Cholesky's method comes to its end for definite ones
    if (!(p.m[k][k] > 0)) return 1;
    for (int i = k + 1; i < 3; i++)
      for (int j = i; j < 3; j++) p.m[i][j] -= p.m[k][i] * p.m[k][j] / p.m[k][k];
  }
  return 0;
}

static void list_thin(natural *self) {
  const hn_model *model = self->base.model;
  for (int b = 1; b < model->body_count; b++)
    if (is_thin(&model->bodies[b])) self->thin[self->thin_count++] = b;
}

// Bodies of each node, as lists.
static hn_status bodies_of_nodes(hn_arena *scratch, const hn_model *model,
                                 const hn_natural_nodes *nodes, int **start, int **body) {
  int n = nodes->node_count;
  int *next = HN_TAKE(scratch, int, n + 1);
  *start = HN_TAKE(scratch, int, n + 1);
  *body = HN_TAKE(scratch, int, nodes->term_count);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < nodes->term_count; k++) (*start)[nodes->terms[k].node + 1]++;
  for (int i = 0; i < n; i++) (*start)[i + 1] += (*start)[i];
  memcpy(next, *start, (size_t)n * sizeof(int));
  for (int b = 1; b < model->body_count; b++)
    for (int k = 0; k < nodes->bodies[b].count; k++)
      (*body)[next[nodes->terms[nodes->bodies[b].start + k].node]++] = b;
  return HN_OK;
}

// Pairs of nodes that share a body, by columns, the node itself last.
static hn_status couple_nodes(hn_arena *arena, hn_arena *scratch, natural *self) {
  const hn_model *model = self->base.model;
  const hn_natural_nodes *nodes = self->nodes;
  int n = nodes->node_count, room = n, *start, *body_of;
  hn_status status = bodies_of_nodes(scratch, model, nodes, &start, &body_of);
  if (status != HN_OK) return status;
  for (int b = 1; b < model->body_count; b++)
    room += nodes->bodies[b].count * nodes->bodies[b].count;
  int *mark = HN_TAKE(scratch, int, n);
  unsigned char *thin = HN_TAKE(scratch, unsigned char, model->body_count);
  self->pair_start = HN_TAKE(arena, int, n + 1);
  self->pair_node = HN_TAKE(arena, int, room);
  self->pair_at = HN_TAKE(arena, int, 3 * room);
  self->pair_full = HN_TAKE(arena, unsigned char, room);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < self->thin_count; k++) thin[self->thin[k]] = 1;
  int at = 0;
  for (int j = 0; j < n; j++) {
    int first = self->pair_start[j] = at;
    for (int pass = 0; pass < 2; pass++) // the node itself last
      for (int k = start[j]; k < start[j + 1]; k++) {
        const hn_natural_body *body = &nodes->bodies[body_of[k]];
        for (int i = body->start; i < body->start + body->count; i++) {
          int node = nodes->terms[i].node;
          if (node > j || (node == j) != pass) continue;
          if (at == first || mark[node] < first || mark[node] >= at ||
              self->pair_node[mark[node]] != node) {
            mark[node] = at;
            self->pair_node[at++] = node;
          }
          if (thin[body_of[k]]) self->pair_full[mark[node]] = 1;
        }
      }
  }
  self->pair_start[n] = at;
  return HN_OK;
}

static double mass_entry(const hn_model *model, const hn_natural_nodes *nodes, int i, int j) {
  double sum = 0;
  for (int b = 1; b < model->body_count; b++) {
    const hn_natural_body *body = &nodes->bodies[b];
    const double *a = NULL, *c = NULL;
    for (int k = body->start; k < body->start + body->count; k++) {
      if (nodes->terms[k].node == i) a = nodes->terms[k].c;
      if (nodes->terms[k].node == j) c = nodes->terms[k].c;
    }
    if (a && c) sum += node_mass(&model->bodies[b], second_moments(&model->bodies[b]), a, c);
  }
  return sum;
}

// ---- set-up -------------------------------------------------------------------------------------

static int form_of_row(const natural *self, int row, int part) {
  if (row >= self->element_rows) return self->forms->measure_forms + row - self->element_rows;
  return self->base.elements->rows[self->element_row[row]].measure[part];
}

static int forms_of_row(const natural *self, int row) {
  return row >= self->element_rows ? 1 : self->base.elements->rows[self->element_row[row]].count;
}

// Nodes of each row, ascending.
static void row_pattern(natural *self) {
  int at = 0;
  for (int r = 0; r < self->rows; r++) {
    self->row_start[r] = at;
    for (int p = 0; p < forms_of_row(self, r); p++) {
      const hn_natural_form *form = &self->forms->forms[form_of_row(self, r, p)];
      for (int k = form->start; k < form->start + form->count; k++) {
        int node = self->forms->node[k], place = self->row_start[r];
        while (place < at && self->row_node[place] < node) place++;
        if (place < at && self->row_node[place] == node) continue;
        for (int i = at; i > place; i--) self->row_node[i] = self->row_node[i - 1];
        self->row_node[place] = node;
        at++;
      }
    }
  }
  self->row_start[self->rows] = at;
}

static void list_rows(natural *self) {
  const hn_elements *elements = self->base.elements;
  for (int r = 0; r < elements->row_count; r++)
    if (!self->nodes->covered[r]) self->element_row[self->element_rows++] = r;
  self->rows = self->element_rows + self->nodes->gram_count;
}

// A pair of nodes becomes a block of 3 x 3, diagonal or full (of itself: the upper triangle).
static void spread_mass(natural *self, int *m_start, int *m_index) {
  int at = 0;
  for (int j = 0; j < self->nodes->node_count; j++)
    for (int c = 0; c < 3; c++) {
      m_start[3 * j + c] = at;
      for (int k = self->pair_start[j]; k < self->pair_start[j + 1]; k++) {
        int node = self->pair_node[k], is_full = self->pair_full[k];
        int from = is_full ? 0 : c, to = !is_full || node == j ? c : 2;
        self->pair_at[3 * k + c] = at - from;
        for (int i = from; i <= to; i++) m_index[at++] = 3 * node + i;
      }
    }
  m_start[3 * self->nodes->node_count] = self->entries = at;
}

static void fill_mass(natural *self) {
  const hn_natural_nodes *nodes = self->nodes;
  for (int j = 0; j < nodes->node_count; j++)
    for (int k = self->pair_start[j]; k < self->pair_start[j + 1]; k++) {
      double mass = mass_entry(self->base.model, nodes, self->pair_node[k], j);
      for (int c = 0; c < 3; c++) {
        self->mass[self->pair_at[3 * k + c] + c] = mass;
        self->geometry_values[self->pair_at[3 * k + c] + c] = self->pair_node[k] == j;
      }
    }
}

// Rows in loops are let go near singular positions: those of joints in loops, and the rigidity of
// bodies such joints hold.
static hn_status soften_loops(hn_arena *scratch, natural *self, hn_saddle_pattern *pattern,
                              hn_arena *arena) {
  const hn_elements *elements = self->base.elements;
  unsigned char *in_loop = HN_TAKE(scratch, unsigned char, elements->row_count);
  unsigned char *on_loop = HN_TAKE(scratch, unsigned char, elements->model->body_count);
  unsigned char *soft = HN_TAKE(scratch, unsigned char, self->rows);
  if (scratch->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_find_loop_rows(&arena->allocator, elements, in_loop);
  if (status != HN_OK) return status;
  int loops = 0;
  for (int r = 0; r < elements->row_count; r++)
    for (int k = 0; in_loop[r] && k < elements->rows[r].body_count; k++)
      on_loop[elements->rows[r].body[k]] = 1;
  for (int r = 0; r < self->rows; r++) {
    soft[r] = r < self->element_rows ? in_loop[self->element_row[r]]
                                     : on_loop[self->nodes->grams[r - self->element_rows].body];
    loops += soft[r];
  }
  hn_saddle_soften(self->base.saddle, soft, LOOP_EPSILON);
  self->dependent_count = loops > 0 ? self->rows + 1 : 0; // none chosen yet
  if (loops == 0) return HN_OK;
  status = hn_saddle_create(arena, pattern, &self->geometry);
  if (status == HN_OK) hn_saddle_soften(self->geometry, soft, 1e-2 * REDUNDANT_PIVOT);
  return status;
}

static hn_status make_saddle(hn_arena *arena, hn_arena *scratch, natural *self) {
  const hn_natural_nodes *nodes = self->nodes;
  hn_status status = couple_nodes(arena, scratch, self);
  if (status != HN_OK) return status;
  int n = nodes->node_count, room = 9 * self->pair_start[n], blocks = self->row_start[self->rows];
  int *m_start = HN_TAKE(scratch, int, 3 * n + 1), *m_index = HN_TAKE(scratch, int, room);
  int *j_start = HN_TAKE(scratch, int, self->rows + 1);
  int *j_index = HN_TAKE(scratch, int, 3 * blocks);
  self->mass = HN_TAKE(arena, double, room);
  self->stiffened = HN_TAKE(arena, double, room);
  self->geometry_values = HN_TAKE(arena, double, room);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  spread_mass(self, m_start, m_index);
  fill_mass(self);
  for (int r = 0; r <= self->rows; r++) j_start[r] = 3 * self->row_start[r];
  for (int k = 0; k < blocks; k++)
    for (int i = 0; i < 3; i++) j_index[3 * k + i] = 3 * self->row_node[k] + i;
  hn_saddle_pattern pattern = {3 * n, self->rows, m_start, m_index, j_start, j_index, 1};
  status = hn_saddle_create(arena, &pattern, &self->base.saddle);
  return status == HN_OK ? soften_loops(scratch, self, &pattern, arena) : status;
}

static int count_blocks(const natural *self) {
  int blocks = 0;
  for (int r = 0; r < self->rows; r++)
    for (int p = 0; p < forms_of_row(self, r); p++)
      blocks += self->forms->forms[form_of_row(self, r, p)].count;
  return blocks;
}

static hn_status take_memory(hn_arena *arena, natural *self) {
  int bodies = self->base.model->body_count, n = self->base.nq, rows = self->rows;
  int blocks = count_blocks(self);
  self->row_start = HN_TAKE(arena, int, rows + 1);
  self->row_node = HN_TAKE(arena, int, blocks);
  self->block = HN_TAKE(arena, double, 3 * blocks);
  double **by_row[] = {&self->value, &self->rate, &self->tau, &self->c, &self->y};
  for (int k = 0; k < 5; k++) *by_row[k] = HN_TAKE(arena, double, rows);
  double **by_node[] = {&self->b, &self->x, &self->factored_q};
  for (int k = 0; k < 3; k++) *by_node[k] = HN_TAKE(arena, double, n);
  self->frames = HN_TAKE(arena, hn_frame, bodies);
  self->wrench = HN_TAKE(arena, hn_wrench, bodies);
  self->dependent = HN_TAKE(arena, unsigned char, rows);
  self->small = HN_TAKE(arena, unsigned char, rows);
  self->cartesian_q = HN_TAKE(arena, double, self->cartesian->nq);
  self->cartesian_qd = HN_TAKE(arena, double, self->cartesian->nq);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status set_up(hn_arena *arena, natural *self) {
  const hn_elements *elements = self->base.elements;
  hn_status status = hn_natural_nodes_create(arena, elements, &self->nodes);
  if (status != HN_OK) return status;
  self->base.nq = self->base.nu = 3 * self->nodes->node_count;
  self->base.normalizations = self->nodes->gram_count;
  self->element_row = HN_TAKE(arena, int, elements->row_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  list_rows(self);
  self->thin = HN_TAKE(arena, int, elements->model->body_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  list_thin(self);
  status = hn_natural_forms_create(arena, elements, self->nodes, self->thin, self->thin_count,
                                   &self->forms);
  if (status == HN_OK) status = hn_natural_jet_create(arena, self->forms, &self->jet);
  if (status == HN_OK) status = hn_snapshot_create(arena, self->cartesian, &self->snapshot);
  if (status == HN_OK) status = take_memory(arena, self);
  if (status != HN_OK) return status;
  row_pattern(self);
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  status = make_saddle(arena, &scratch, self);
  hn_arena_release(&scratch);
  return status;
}

static hn_status natural_create(hn_arena *arena, const hn_elements *elements,
                                hn_equations **equations, hn_error *error) {
  natural *self = HN_TAKE(arena, natural, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base = (hn_equations){.type = &hn_natural, .model = elements->model, .elements = elements};
  hn_status status = hn_cartesian.create(arena, elements, &self->cartesian, error);
  if (status != HN_OK) return status;
  status = set_up(arena, self);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for natural coordinates");
  self->base.redundant = self->cartesian->redundant;
  self->base.rows = self->cartesian->rows;
  *equations = &self->base;
  return HN_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

static void add_form(natural *self, int row, double coefficient, const hn_natural_form *form) {
  const hn_natural_jet *jet = &self->jet;
  self->value[row] += coefficient * jet->value;
  self->rate[row] += coefficient * jet->rate;
  self->tau[row] -= coefficient * jet->quadratic;
  for (int k = 0; k < form->count; k++) {
    int at = self->row_start[row];
    while (self->row_node[at] != self->forms->node[form->start + k]) at++;
    for (int i = 0; i < 3; i++)
      self->block[3 * at + i] += coefficient * vec3_get(jet->gradient[k], i);
  }
}

static void evaluate_rows(natural *self, double t, const double *q, const double *qd,
                          const hn_branches *branches) {
  const hn_elements *elements = self->base.elements;
  memset(self->block, 0, (size_t)(3 * self->row_start[self->rows]) * sizeof(double));
  for (int r = 0; r < self->rows; r++) {
    int is_gram = r >= self->element_rows;
    const hn_row *row = is_gram ? NULL : &elements->rows[self->element_row[r]];
    self->value[r] = is_gram ? -self->nodes->grams[r - self->element_rows].value : -row->constant;
    self->rate[r] = self->tau[r] = 0;
    if (row && row->law) {
      hn_law_value law = hn_law_evaluate(row->law, branches->driver[row->driver], t);
      self->value[r] -= law.value;
      self->rate[r] -= law.d1;
      self->tau[r] += law.d2;
    }
    for (int p = 0; p < forms_of_row(self, r); p++) {
      int form = form_of_row(self, r, p);
      hn_natural_evaluate(self->forms, form, q, qd, NULL, branches->turns, &self->jet);
      add_form(self, r, row ? row->coefficient[p] : 1, &self->forms->forms[form]);
    }
  }
}

// ---- thin bodies --------------------------------------------------------------------------------

// What is wanted of a rigidity condition: its acceleration, or that its value or rate vanishes.
typedef enum aim { ACCELERATIONS, VALUES, RATES } aim;

static double thin_weight(const natural *self, int body) {
  const double *j = self->base.model->bodies[body].inertia;
  return j[0] + j[1] + j[2];
}

// M += weight g g' over the products of the axes of a thin body.
static void add_squares(natural *self, const hn_natural_form *form, double weight) {
  const int *node = &self->forms->node[form->start];
  for (int a = 0; a < form->count; a++)
    for (int b = 0; b < form->count; b++) {
      if (node[a] > node[b]) continue;
      int k = self->pair_start[node[b]];
      while (self->pair_node[k] != node[a]) k++;
      for (int c = 0; c < 3; c++) {
        double factor = weight * vec3_get(self->jet.gradient[b], c);
        double *to = &self->stiffened[self->pair_at[3 * k + c]];
        for (int i = 0; i <= (a == b ? c : 2); i++)
          to[i] += factor * vec3_get(self->jet.gradient[a], i);
      }
    }
}

// right side += weight g (what is wanted of g x)
static void add_wanted(natural *self, const hn_natural_form *form, double weight, double wanted,
                       double *b) {
  for (int k = 0; k < form->count; k++)
    for (int i = 0; i < 3; i++)
      b[3 * self->forms->node[form->start + k] + i] +=
          weight * wanted * vec3_get(self->jet.gradient[k], i);
}

static void for_thin_bodies(natural *self, const double *q, const double *qd,
                            const hn_branches *branches, aim what, double *b) {
  int form = self->forms->measure_forms + self->forms->gram_forms;
  for (int n = 0; n < self->thin_count; n++) {
    double weight = thin_weight(self, self->thin[n]);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++, form++) {
        const hn_natural_jet *jet = &self->jet;
        hn_natural_evaluate(self->forms, form, q, qd, NULL, branches->turns, &self->jet);
        double wanted = what == ACCELERATIONS ? -jet->quadratic
                        : what == VALUES      ? (i == j) - jet->value
                                              : -jet->rate;
        if (b)
          add_wanted(self, &self->forms->forms[form], weight, wanted, b);
        else
          add_squares(self, &self->forms->forms[form], weight);
      }
  }
}

// Which rows are left out of stages: the dependent ones, when there are fewer of them than before. Only
// where the constraints hold: elsewhere rows that depend on others do not look so.
static void choose_dependent(natural *self) {
  int dependent = hn_saddle_small_pivots(self->geometry, REDUNDANT_PIVOT, self->small);
  if (dependent >= self->dependent_count) return;
  memcpy(self->dependent, self->small, (size_t)self->rows);
  self->dependent_count = dependent;
}

// As in cartesian.c: small pivots in the metric of M, more of them or fewer than usual, ask for a
// closer look.
static void judge_rank(natural *self, row_set rows, int may_choose) {
  hn_equations *e = &self->base;
  int usual = rows == ALL_ROWS ? self->dependent_count : 0;
  if (!self->is_judged) e->near_singular = 0;
  if (!self->geometry || self->small_pivots == usual || (self->small_pivots < usual && !may_choose))
    return;
  if (!self->is_judged) {
    hn_saddle_release(self->geometry, rows == KEPT_ROWS ? self->dependent : NULL);
    hn_saddle_factor(self->geometry, self->geometry_values, self->block);
    self->is_judged = 1;
  }
  if (may_choose) choose_dependent(self);
  int near = hn_saddle_small_pivots(self->geometry, NEAR_PIVOT, NULL);
  e->near_singular = near > (rows == ALL_ROWS ? self->dependent_count : 0);
}

static hn_status factor(natural *self, const double *q, const hn_branches *branches, row_set rows) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->is_factored && self->factored_rows == rows && memcmp(q, self->factored_q, size) == 0)
    return HN_OK;
  self->is_factored = self->is_judged = 0;
  hn_saddle_release(e->saddle, rows == KEPT_ROWS ? self->dependent : NULL);
  const double *mass = self->mass;
  if (self->thin_count > 0) {
    memcpy(self->stiffened, self->mass, (size_t)self->entries * sizeof(double));
    for_thin_bodies(self, q, q, branches, VALUES, NULL);
    mass = self->stiffened;
  }
  hn_status status = hn_saddle_factor(e->saddle, mass, self->block);
  if (status != HN_OK) return status;
  memcpy(self->factored_q, q, size);
  self->factored_rows = rows;
  self->is_factored = 1;
  if (self->geometry) self->small_pivots = hn_saddle_small_pivots(e->saddle, NEAR_PIVOT, NULL);
  judge_rank(self, rows, 0);
  return HN_OK;
}

// ---- accelerations ------------------------------------------------------------------------------

// Force and torque of a body at its nodes: c_r f + sum c_i (n x a_i) / 2.
static void right_side(natural *self, const hn_snapshot *s) {
  memset(self->b, 0, (size_t)self->base.nq * sizeof(double));
  for (int b = 1; b < self->base.model->body_count; b++) {
    const hn_natural_body *body = &self->nodes->bodies[b];
    const hn_frame *f = &s->frames[b];
    hn_vec3 turned[3];
    for (int i = 0; i < 3; i++)
      turned[i] = vec3_scale(0.5, vec3_cross(s->wrench[b].torque, mat3_column(f->a, i)));
    for (int k = body->start; k < body->start + body->count; k++) {
      const hn_natural_term *term = &self->nodes->terms[k];
      hn_vec3 sum = vec3_scale(term->c[0], s->wrench[b].force);
      for (int i = 0; i < 3; i++) sum = vec3_add_scaled(sum, term->c[1 + i], turned[i]);
      double *to = &self->b[3 * term->node];
      vec3_store(to, vec3_add(vec3_load(to), sum));
    }
  }
}

// Accelerations of the bodies from those of the nodes.
static void store_accelerations(natural *self, hn_snapshot *s) {
  for (int b = 1; b < self->base.model->body_count; b++) {
    const hn_natural_body *body = &self->nodes->bodies[b];
    hn_vec3 a[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = body->start; k < body->start + body->count; k++) {
      const hn_natural_term *term = &self->nodes->terms[k];
      for (int i = 0; i < 4; i++)
        a[i] = vec3_add_scaled(a[i], term->c[i], vec3_load(&self->x[3 * term->node]));
    }
    hn_vec3 turn = vec3_zero();
    for (int i = 0; i < 3; i++)
      turn = vec3_add_scaled(turn, 0.5, vec3_cross(mat3_column(s->frames[b].a, i), a[1 + i]));
    s->acceleration[b] = a[0];
    s->angular_acceleration[b] = turn;
  }
  memcpy(s->ud, self->x, (size_t)self->base.nq * sizeof(double));
  memcpy(s->qdd, self->x, (size_t)self->base.nq * sizeof(double));
}

static void to_cartesian(natural *self, const hn_frame *frames) {
  for (int b = 1; b < self->base.model->body_count; b++) {
    double *q = &self->cartesian_q[7 * (b - 1)], *qd = &self->cartesian_qd[7 * (b - 1)];
    vec3_store(q, frames[b].r);
    quat_store(q + 3, frames[b].p);
    vec3_store(qd, frames[b].v);
    quat_store(qd + 3, frames[b].pd);
  }
}

// Everything but the accelerations, from the Cartesian equations at the same state.
static hn_status fill_snapshot(natural *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, row_set rows, hn_snapshot *s,
                               hn_error *error) {
  hn_equations *c = self->cartesian;
  const hn_model *model = self->base.model;
  int bodies = model->body_count, row_count = self->base.elements->row_count;
  natural_frames(&self->base, q, qd, self->frames);
  to_cartesian(self, self->frames);
  c->keep_redundant = self->base.keep_redundant;
  hn_status status = (rows == ALL_ROWS ? c->type->evaluate : c->type->evaluate_stage)(
      c, t, self->cartesian_q, self->cartesian_qd, branches, self->snapshot, error);
  if (status != HN_OK) return status;
  self->base.redundant_count = c->redundant_count;
  const hn_snapshot *from = self->snapshot;
  memcpy(s->frames, from->frames, (size_t)bodies * sizeof *s->frames);
  memcpy(s->wrench, from->wrench, (size_t)bodies * sizeof *s->wrench);
  memcpy(s->forces, from->forces, (size_t)model->force_count * sizeof *s->forces);
  double *const to[] = {s->lambda, s->phi, s->phi_rate, s->phi_acceleration, s->phi_time_rate};
  const double *const rows_from[] = {from->lambda, from->phi, from->phi_rate,
                                     from->phi_acceleration, from->phi_time_rate};
  for (int k = 0; k < 5; k++) memcpy(to[k], rows_from[k], (size_t)row_count * sizeof(double));
  s->kinetic = from->kinetic;
  s->potential = from->potential;
  s->power = from->power;
  s->t = t;
  return HN_OK;
}

static hn_status evaluate_with(natural *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, row_set rows, hn_snapshot *s,
                               hn_error *error) {
  self->base.evaluations++;
  hn_status status = fill_snapshot(self, t, q, qd, branches, rows, s, error);
  if (status != HN_OK) return status;
  evaluate_rows(self, t, q, qd, branches);
  right_side(self, s);
  for_thin_bodies(self, q, qd, branches, ACCELERATIONS, self->b);
  status = factor(self, q, branches, rows);
  if (status == HN_OK && rows == ALL_ROWS && !self->base.keep_redundant) judge_rank(self, rows, 1);
  if (status == HN_OK)
    status = hn_saddle_solve(self->base.saddle, self->b, self->tau, self->x, self->y, NULL);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, "look at forces and positions just before this time",
                   "accelerations are not finite at t = %g s", t);
  store_accelerations(self, s);
  return HN_OK;
}

static hn_status natural_evaluate(hn_equations *equations, double t, const double *q,
                                  const double *qd, const hn_branches *branches,
                                  hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((natural *)equations, t, q, qd, branches, ALL_ROWS, snapshot, error);
}

static hn_status natural_evaluate_stage(hn_equations *equations, double t, const double *q,
                                        const double *qd, const hn_branches *branches,
                                        hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((natural *)equations, t, q, qd, branches, KEPT_ROWS, snapshot, error);
}

static hn_status natural_power(hn_equations *equations, double t, const double *q, const double *qd,
                               const double *lambda, const hn_branches *branches, double *power) {
  natural *self = (natural *)equations;
  natural_frames(equations, q, qd, self->frames);
  to_cartesian(self, self->frames);
  return self->cartesian->type->power(self->cartesian, t, self->cartesian_q, self->cartesian_qd,
                                      lambda, branches, power);
}

// ---- projections --------------------------------------------------------------------------------

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

enum { POSITION_ITERATIONS = 10 };

// As in cartesian.c: Newton's method down to rounding level, rows that are let go not waited for.
static hn_status natural_project_positions(hn_equations *equations, double t, double *q,
                                           const hn_branches *branches, double tolerance,
                                           double *correction) {
  natural *self = (natural *)equations;
  int n = equations->nq;
  memcpy(correction, q, (size_t)n * sizeof(double));
  double gap = HUGE_VAL, before = HUGE_VAL;
  for (int k = 0; k < POSITION_ITERATIONS; k++) {
    evaluate_rows(self, t, q, q, branches); // velocities are not looked at
    gap = largest(self->value, self->rows);
    if (gap <= 0.01 * tolerance || !(gap <= 0.5 * before)) break;
    before = gap;
    for (int r = 0; r < self->rows; r++) self->c[r] = -self->value[r];
    memset(self->b, 0, (size_t)n * sizeof(double));
    for_thin_bodies(self, q, q, branches, VALUES, self->b);
    if (factor(self, q, branches, ALL_ROWS) != HN_OK) break;
    if (hn_saddle_solve(equations->saddle, self->b, self->c, self->x, self->y, NULL) != HN_OK)
      break;
    for (int i = 0; i < n; i++) q[i] += self->x[i];
  }
  for (int i = 0; i < n; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

static hn_status natural_project_velocities(hn_equations *equations, double t, const double *q,
                                            double *qd, const hn_branches *branches,
                                            double *correction) {
  natural *self = (natural *)equations;
  int n = equations->nq;
  memset(self->b, 0, (size_t)n * sizeof(double));
  evaluate_rows(self, t, q, qd, branches);
  for_thin_bodies(self, q, qd, branches, RATES, self->b);
  for (int r = 0; r < self->rows; r++) self->c[r] = -self->rate[r];
  hn_status status = factor(self, q, branches, ALL_ROWS);
  if (status == HN_OK)
    status = hn_saddle_solve(equations->saddle, self->b, self->c, self->x, self->y, NULL);
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  for (int i = 0; i < n; i++) {
    correction[i] = self->x[i];
    qd[i] += self->x[i];
  }
  return HN_OK;
}

const hn_equations_type hn_natural = {
    .name = "natural",
    .create = natural_create,
    .initial = natural_initial,
    .frames = natural_frames,
    .from_frames = natural_from_frames,
    .speeds = natural_speeds,
    .rates = natural_rates,
    .translate = natural_translate,
    .evaluate = natural_evaluate,
    .evaluate_stage = natural_evaluate_stage,
    .power = natural_power,
    .project_positions = natural_project_positions,
    .project_velocities = natural_project_velocities,
};
