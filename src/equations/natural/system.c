// The linear system of natural coordinates: constant mass matrix, rows over nodes, rank, and bodies too
// thin for a definite mass matrix.
#include <string.h>

#include "elements/loops.h"
#include "equations/loop_rank.h"
#include "equations/natural/natural.h"

// ---- mass ---------------------------------------------------------------------------------------

// Second moments about the center of mass, P = tr(J)/2 - J.
static hn_mat3 second_moments(const hn_body_def *body) {
  hn_mat3 j = mat3_symmetric(body->inertia), p = mat3_scale(-1, j);
  double half = 0.5 * (j.m[0][0] + j.m[1][1] + j.m[2][2]);
  for (int i = 0; i < 3; i++) p.m[i][i] += half;
  return p;
}

// The entry of two nodes of a body in its kinetic energy.
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

void hn_natural_list_thin(hn_natural_set *self) {
  const hn_model *model = self->base.model;
  for (int b = 1; b < model->body_count; b++)
    if (is_thin(&model->bodies[b])) self->thin.body[self->thin.count++] = b;
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
static hn_status couple_nodes(hn_arena *arena, hn_arena *scratch, hn_natural_set *self) {
  const hn_model *model = self->base.model;
  const hn_natural_nodes *nodes = self->nodes;
  int n = nodes->node_count, room = n, *start, *body_of;
  hn_status status = bodies_of_nodes(scratch, model, nodes, &start, &body_of);
  if (status != HN_OK) return status;
  for (int b = 1; b < model->body_count; b++)
    room += nodes->bodies[b].count * nodes->bodies[b].count;
  int *mark = HN_TAKE(scratch, int, n);
  unsigned char *thin = HN_TAKE(scratch, unsigned char, model->body_count);
  self->pairs.start = HN_TAKE(arena, int, n + 1);
  self->pairs.node = HN_TAKE(arena, int, room);
  self->pairs.at = HN_TAKE(arena, int, 3 * room);
  self->pairs.full = HN_TAKE(arena, unsigned char, room);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < self->thin.count; k++) thin[self->thin.body[k]] = 1;
  int at = 0;
  for (int j = 0; j < n; j++) {
    int first = self->pairs.start[j] = at;
    for (int pass = 0; pass < 2; pass++) // the node itself last
      for (int k = start[j]; k < start[j + 1]; k++) {
        const hn_natural_body *body = &nodes->bodies[body_of[k]];
        for (int i = body->start; i < body->start + body->count; i++) {
          int node = nodes->terms[i].node;
          if (node > j || (node == j) != pass) continue;
          if (at == first || mark[node] < first || mark[node] >= at ||
              self->pairs.node[mark[node]] != node) {
            mark[node] = at;
            self->pairs.node[at++] = node;
          }
          if (thin[body_of[k]]) self->pairs.full[mark[node]] = 1;
        }
      }
  }
  self->pairs.start[n] = at;
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

static int form_count(const hn_natural_set *self, int row) {
  return row >= self->element_rows ? 1 : self->base.elements->rows[self->element_row[row]].count;
}

static hn_natural_part part_of(const hn_natural_set *self, int row, int k) {
  if (row >= self->element_rows)
    return (hn_natural_part){self->forms->measure_forms + row - self->element_rows, 1, 0};
  const hn_row *from = &self->base.elements->rows[self->element_row[row]];
  return (hn_natural_part){from->measure[k], from->coefficient[k], 0};
}

static hn_status take_rows(hn_arena *arena, hn_natural_set *self) {
  int parts = 0, blocks = 0;
  for (int r = 0; r < self->rows; r++)
    for (int k = 0; k < form_count(self, r); k++, parts++)
      blocks += self->forms->forms[part_of(self, r, k).form].count;
  self->row_start = HN_TAKE(arena, int, self->rows + 1);
  self->row_node = HN_TAKE(arena, int, blocks);
  self->row_part = HN_TAKE(arena, int, self->rows + 1);
  self->parts = HN_TAKE(arena, hn_natural_part, parts);
  self->part_block = HN_TAKE(arena, int, blocks);
  self->block = HN_KEEP(arena, double, 3 * blocks);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// Nodes of a row, ascending, from *at on.
static void list_nodes(hn_natural_set *self, int r, int *at) {
  self->row_start[r] = *at;
  for (int p = self->row_part[r]; p < self->row_part[r + 1]; p++) {
    const hn_natural_form *form = &self->forms->forms[self->parts[p].form];
    for (int k = form->start; k < form->start + form->count; k++) {
      int node = self->forms->node[k], place = self->row_start[r];
      while (place < *at && self->row_node[place] < node) place++;
      if (place < *at && self->row_node[place] == node) continue;
      for (int i = *at; i > place; i--) self->row_node[i] = self->row_node[i - 1];
      self->row_node[place] = node;
      (*at)++;
    }
  }
}

hn_status hn_natural_row_pattern(hn_arena *arena, hn_natural_set *self) {
  hn_status status = take_rows(arena, self);
  if (status != HN_OK) return status;
  int at = 0, part = 0, place = 0;
  for (int r = 0; r < self->rows; r++) {
    self->row_part[r] = part;
    for (int k = 0; k < form_count(self, r); k++) self->parts[part++] = part_of(self, r, k);
    self->row_part[r + 1] = part;
    list_nodes(self, r, &at);
    for (int p = self->row_part[r]; p < part; p++) {
      const hn_natural_form *form = &self->forms->forms[self->parts[p].form];
      self->parts[p].at = place;
      for (int k = form->start, b = self->row_start[r]; k < form->start + form->count; k++) {
        while (self->row_node[b] != self->forms->node[k]) b++;
        self->part_block[place++] = b;
      }
    }
  }
  self->row_start[self->rows] = at;
  return HN_OK;
}

// A pair of nodes becomes a block of 3 x 3, diagonal or full (of itself: the upper triangle).
static void spread_mass(hn_natural_set *self, int *m_start, int *m_index) {
  int at = 0;
  for (int j = 0; j < self->nodes->node_count; j++)
    for (int c = 0; c < 3; c++) {
      m_start[3 * j + c] = at;
      for (int k = self->pairs.start[j]; k < self->pairs.start[j + 1]; k++) {
        int node = self->pairs.node[k], is_full = self->pairs.full[k];
        int from = is_full ? 0 : c, to = !is_full || node == j ? c : 2;
        self->pairs.at[3 * k + c] = at - from;
        for (int i = from; i <= to; i++) m_index[at++] = 3 * node + i;
      }
    }
  m_start[3 * self->nodes->node_count] = self->entries = at;
}

static void fill_mass(hn_natural_set *self) {
  const hn_natural_nodes *nodes = self->nodes;
  double rotation = hn_geometric_rotation(self->base.model);
  for (int j = 0; j < nodes->node_count; j++)
    for (int k = self->pairs.start[j]; k < self->pairs.start[j + 1]; k++) {
      double mass = mass_entry(self->base.model, nodes, self->pairs.node[k], j);
      for (int c = 0; c < 3; c++) {
        self->mass[self->pairs.at[3 * k + c] + c] = mass;
        if (self->pairs.node[k] == j) // a vector moves as its body turns
          self->geometry_values[self->pairs.at[3 * k + c] + c] =
              nodes->nodes[j].is_point ? 1 : rotation;
      }
    }
}

// Regularizes constraints in loops near singular configurations: those of joints in loops, and the
// rigidity of bodies on such joints.
static hn_status soften_loops(hn_arena *scratch, hn_natural_set *self, hn_saddle_pattern *pattern,
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
  hn_saddle_soften(self->base.saddle, soft, HN_LOOP_EPSILON);
  hn_rank_begin(&self->base, self->rows, loops);
  if (loops == 0) return HN_OK;
  status = hn_saddle_create(arena, pattern, &self->geometry);
  if (status == HN_OK) hn_saddle_soften(self->geometry, soft, hn_rank_epsilon(self->base.model));
  return status;
}

// A rigidity row may be eliminated after a node that its body made, where its gradient is the other
// edge: never zero, and not in the plane of those of other rows that wait there.
static int node_of_gram(const hn_natural_nodes *nodes, const hn_natural_gram *gram) {
  for (int d = 1; d >= 0; d--) {
    const hn_natural_sum *sum = &nodes->sums[gram->edge[d]];
    for (int k = sum->start; k < sum->start + sum->count; k++)
      if (nodes->nodes[nodes->sum_node[k]].body == gram->body && nodes->sum_coefficient[k] == 1)
        return nodes->sum_node[k];
  }
  return -1;
}

hn_status hn_natural_make_saddle(hn_arena *arena, hn_arena *scratch, hn_natural_set *self) {
  const hn_natural_nodes *nodes = self->nodes;
  hn_status status = couple_nodes(arena, scratch, self);
  if (status != HN_OK) return status;
  int n = nodes->node_count, room = 9 * self->pairs.start[n], blocks = self->row_start[self->rows];
  int *m_start = HN_TAKE(scratch, int, 3 * n + 1), *m_index = HN_TAKE(scratch, int, room);
  int *j_start = HN_TAKE(scratch, int, self->rows + 1);
  int *j_index = HN_TAKE(scratch, int, 3 * blocks), *row_after = HN_TAKE(scratch, int, self->rows);
  self->mass = HN_TAKE(arena, double, room);
  self->stiffened = HN_KEEP(arena, double, room);
  self->geometry_values = HN_TAKE(arena, double, room);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  spread_mass(self, m_start, m_index);
  fill_mass(self);
  for (int r = 0; r <= self->rows; r++) j_start[r] = 3 * self->row_start[r];
  for (int k = 0; k < blocks; k++)
    for (int i = 0; i < 3; i++) j_index[3 * k + i] = 3 * self->row_node[k] + i;
  for (int r = 0; r < self->rows; r++) {
    int is_gram = r >= self->element_rows;
    int node = is_gram ? node_of_gram(nodes, &nodes->grams[r - self->element_rows]) : -1;
    row_after[r] = node < 0 ? -1 : 3 * node;
  }
  hn_saddle_pattern pattern = {.n = 3 * n,
                               .m = self->rows,
                               .m_column_start = m_start,
                               .m_row_index = m_index,
                               .j_row_start = j_start,
                               .j_column_index = j_index,
                               .rows_wait = 1,
                               .row_after = row_after};
  status = hn_saddle_create(arena, &pattern, &self->base.saddle);
  pattern.row_after = NULL; // pivots show the rank only if constraints come last
  return status == HN_OK ? soften_loops(scratch, self, &pattern, arena) : status;
}

// ---- rows ---------------------------------------------------------------------------------------

void hn_natural_add_to_row(const hn_natural_set *self, const hn_natural_part *part,
                           const hn_vec3 *gradient, double *value) {
  const int *to = &self->part_block[part->at];
  for (int k = 0; k < self->forms->forms[part->form].count; k++) {
    double *block = &value[3 * to[k]];
    block[0] += part->coefficient * gradient[k].x;
    block[1] += part->coefficient * gradient[k].y;
    block[2] += part->coefficient * gradient[k].z;
  }
}

void hn_natural_evaluate_rows(hn_natural_set *self, double t, const double *q, const double *qd,
                              const hn_branches *branches) {
  const hn_elements *elements = self->base.elements;
  memset(self->block, 0, (size_t)(3 * self->row_start[self->rows]) * sizeof(double));
  for (int r = 0; r < self->rows; r++) {
    int is_gram = r >= self->element_rows;
    const hn_row *row = is_gram ? NULL : &elements->rows[self->element_row[r]];
    self->value[r] = self->rate[r] = self->tau[r] = 0;
    if (row && elements->row_off && elements->row_off[self->element_row[r]]) continue;
    self->value[r] = is_gram ? -self->nodes->grams[r - self->element_rows].value : -row->constant;
    if (row && elements->row_offset) self->value[r] -= elements->row_offset[self->element_row[r]];
    if (row && row->law) {
      hn_law_value law = hn_row_law(elements, row, t, branches->driver[row->driver]);
      self->value[r] -= law.value;
      self->rate[r] -= law.d1;
      self->tau[r] += law.d2;
    }
    for (int p = self->row_part[r]; p < self->row_part[r + 1]; p++) {
      const hn_natural_part *part = &self->parts[p];
      hn_natural_evaluate(self->forms, part->form, q, qd, NULL, branches->turns, &self->jet);
      hn_natural_scale(self->forms, part->form, &self->jet);
      self->value[r] += part->coefficient * self->jet.value;
      self->rate[r] += part->coefficient * self->jet.rate;
      self->tau[r] -= part->coefficient * self->jet.quadratic;
      hn_natural_add_to_row(self, part, self->jet.gradient, self->block);
    }
  }
}

// ---- thin bodies --------------------------------------------------------------------------------

static double thin_weight(const hn_natural_set *self, int body) {
  const double *j = self->base.model->bodies[body].inertia;
  return j[0] + j[1] + j[2];
}

// M += weight g g' over the products of the axes of a thin body.
static void add_squares(hn_natural_set *self, const hn_natural_form *form, double weight) {
  const int *node = &self->forms->node[form->start];
  for (int a = 0; a < form->count; a++)
    for (int b = 0; b < form->count; b++) {
      if (node[a] > node[b]) continue;
      int k = self->pairs.start[node[b]];
      while (self->pairs.node[k] != node[a]) k++;
      for (int c = 0; c < 3; c++) {
        double factor = weight * vec3_get(self->jet.gradient[b], c);
        double *to = &self->stiffened[self->pairs.at[3 * k + c]];
        for (int i = 0; i <= (a == b ? c : 2); i++)
          to[i] += factor * vec3_get(self->jet.gradient[a], i);
      }
    }
}

// right side += weight g (what is wanted of g x)
static void add_wanted(hn_natural_set *self, const hn_natural_form *form, double weight,
                       double wanted, double *b) {
  for (int k = 0; k < form->count; k++)
    for (int i = 0; i < 3; i++)
      b[3 * self->forms->node[form->start + k] + i] +=
          weight * wanted * vec3_get(self->jet.gradient[k], i);
}

void hn_natural_thin_bodies(hn_natural_set *self, const double *q, const double *qd,
                            const hn_branches *branches, hn_natural_aim what, double *b) {
  int form = self->forms->measure_forms + self->forms->gram_forms;
  for (int n = 0; n < self->thin.count; n++) {
    double weight = thin_weight(self, self->thin.body[n]);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++, form++) {
        const hn_natural_jet *jet = &self->jet;
        hn_natural_evaluate(self->forms, form, q, qd, NULL, branches->turns, &self->jet);
        double wanted = what == HN_AIM_ACCELERATIONS ? -jet->quadratic
                        : what == HN_AIM_VALUES      ? (i == j) - jet->value
                                                     : -jet->rate;
        if (b)
          add_wanted(self, &self->forms->forms[form], weight, wanted, b);
        else
          add_squares(self, &self->forms->forms[form], weight);
      }
  }
}

static void choose_dependent(hn_natural_set *self) {
  hn_equations *e = &self->base;
  if (!hn_rank_choose(
          e, hn_saddle_small_pivots(self->geometry, HN_RANK_DEPENDENT_SQUARE, self->small)))
    return;
  for (int r = 0; r < self->rows; r++) e->redundant[hn_natural_number(self, r)] = self->small[r];
}

// Null: none.
static const unsigned char *left_out(hn_natural_set *self, hn_natural_rows rows) {
  if (rows == HN_NATURAL_ALL || self->base.redundant_count == 0) return NULL;
  for (int r = 0; r < self->rows; r++)
    self->dependent[r] = self->base.redundant[hn_natural_number(self, r)];
  return self->dependent;
}

// Rank in loops at the rows as factored (loop_rank.h).
void hn_natural_judge_rank(hn_natural_set *self, hn_natural_rows rows, int may_choose) {
  hn_equations *e = &self->base;
  int holds_all = rows == HN_NATURAL_ALL;
  if (!self->factored.is_judged) e->near_singular = 0;
  if (!self->geometry) return;
  const int may_rise =
      may_choose &&
      hn_rank_may_rise(e, holds_all,
                       hn_saddle_small_pivots(e->saddle, hn_risen_pivot(e->model), NULL));
  if (!may_rise && !hn_rank_is_unusual(e, holds_all, self->factored.small_pivots)) return;
  if (!self->factored.is_judged) {
    hn_saddle_release(self->geometry, left_out(self, rows));
    hn_saddle_factor(self->geometry, self->geometry_values, self->block);
    self->factored.is_judged = 1;
  }
  if (may_choose) choose_dependent(self);
  hn_rank_note(e, holds_all, hn_saddle_small_pivots(self->geometry, HN_RANK_NEAR_SQUARE, NULL));
}

hn_status hn_natural_factor(hn_natural_set *self, const double *q, const hn_branches *branches,
                            hn_natural_rows rows) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (e->redundant_count == 0) rows = HN_NATURAL_ALL; // the same rows
  if (self->factored.is_there && self->factored.rows == rows &&
      memcmp(q, self->factored.q, size) == 0)
    return HN_OK;
  self->factored.is_there = self->factored.is_judged = 0;
  hn_saddle_release(e->saddle, left_out(self, rows));
  const double *mass = self->mass;
  if (self->thin.count > 0) {
    memcpy(self->stiffened, self->mass, (size_t)self->entries * sizeof(double));
    hn_natural_thin_bodies(self, q, q, branches, HN_AIM_VALUES, NULL);
    mass = self->stiffened;
  }
  hn_status status = hn_saddle_factor(e->saddle, mass, self->block);
  if (status != HN_OK) return status;
  memcpy(self->factored.q, q, size);
  self->factored.rows = rows;
  self->factored.is_there = 1;
  if (self->geometry)
    self->factored.small_pivots = hn_saddle_small_pivots(e->saddle, HN_RANK_NEAR_SQUARE, NULL);
  hn_natural_judge_rank(self, rows, 0);
  return HN_OK;
}
