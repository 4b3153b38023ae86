// What the Cartesian tangent fixes at creation: forms over ends, pairs of coupled bodies, the
// patterns of M, Phi_q, K, C, and where every element's blocks go in them.
//
// K and C are made of 7 x 7 blocks of coupled bodies: those of a measure in K, those of a force
// that depends on rates in C, and always the 4 x 4 block of p, for gyroscopic terms. A row of Phi_q
// has 7 entries a body, or the 4 of p where it does not see r.
#include <stdlib.h>
#include <string.h>

#include "equations/cartesian/tangent.h"

// How far back ends and pairs are looked for: neighbours in the tables belong to one joint.
enum { LOOK_BACK = 12 };

typedef struct compiler {
  hn_cartesian_tangent *self;
  const hn_elements *elements;
  hn_arena scratch;
  int *form_of_measure; // -1: not used
} compiler;

// ---- ends, pairs, forms -------------------------------------------------------------------------

static int is_same_end(const hn_end *a, const hn_end *b) {
  return a->body == b->body && a->w == b->w && a->s.x == b->s.x && a->s.y == b->s.y &&
         a->s.z == b->s.z;
}

static int end_index(hn_cartesian_tangent *self, hn_end end) {
  for (int k = self->end_count - 1; k >= 0 && k >= self->end_count - LOOK_BACK; k--)
    if (is_same_end(&self->ends[k], &end)) return k;
  self->ends[self->end_count] = end;
  return self->end_count++;
}

static int pair_index(hn_cartesian_tangent *self, int body0, int body1) {
  for (int k = self->pair_count - 1; k >= 0 && k >= self->pair_count - LOOK_BACK; k--)
    if (self->pairs[k].body[0] == body0 && self->pairs[k].body[1] == body1) return k;
  self->pairs[self->pair_count] = (hn_pair){.body = {body0, body1}};
  return self->pair_count++;
}

// The terms of a difference that are on one slot become one end.
static hn_span make_span(hn_cartesian_tangent *self, const hn_measure *measure,
                         const hn_difference *difference) {
  hn_span span = {{-1, -1}};
  for (int slot = 0; slot < 2; slot++) {
    hn_end end = {.body = measure->body[slot]};
    int is_there = 0;
    for (int k = 0; k < 2; k++) {
      const hn_term *term = &difference->term[k];
      if (term->slot != slot) continue;
      is_there = 1;
      end.w += term->sign * term->w;
      end.s = vec3_add_scaled(end.s, term->sign, term->s);
    }
    if (is_there) span.end[slot] = end_index(self, end);
  }
  return span;
}

static int span_count(hn_measure_kind kind) {
  switch (kind) {
  case HN_MEASURE_DOT: return 2;
  case HN_MEASURE_LENGTH: return 1;
  case HN_MEASURE_ANGLE: return 3;
  }
  return 0;
}

static int form_index(compiler *c, int measure) {
  hn_cartesian_tangent *self = c->self;
  if (c->form_of_measure[measure] >= 0) return c->form_of_measure[measure];
  const hn_measure *m = &c->elements->measures[measure];
  hn_form *form = &self->forms[self->form_count];
  *form = (hn_form){.kind = m->kind, .measure = measure};
  form->pair = pair_index(self, m->body[0], m->body[1]);
  for (int k = 0; k < span_count(m->kind); k++) form->x[k] = make_span(self, m, &m->x[k]);
  return c->form_of_measure[measure] = self->form_count++;
}

static void compile_rows(compiler *c) {
  hn_cartesian_tangent *self = c->self;
  int part = 0;
  for (int r = 0; r < c->elements->row_count; r++) {
    const hn_row *row = &c->elements->rows[r];
    self->row_part[r] = part;
    for (int k = 0; k < row->count; k++)
      self->parts[part++] = (hn_part){.form = form_index(c, row->measure[k]),
                                      .coefficient = row->coefficient[k],
                                      .at = {-1, -1}};
  }
  self->row_part[c->elements->row_count] = part;
}

static void compile_forces(compiler *c) {
  hn_cartesian_tangent *self = c->self;
  const hn_model *model = c->elements->model;
  int part = 0;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    int first = c->elements->force_coordinate[f], count = 1;
    if (first < 0) {
      first = c->elements->force_measure[f];
      count = c->elements->force_measure[f + 1] - first;
    }
    hn_force_plan *plan = &self->forces[f];
    *plan = (hn_force_plan){.is_measured = count > 0, .part = part, .part_count = count};
    for (int k = 0; k < count; k++) self->form_of_force[part++] = form_index(c, first + k);
    plan->pair = plan->is_measured ? self->forms[self->form_of_force[plan->part]].pair
                 : hn_force_acts_between(def->type) == HN_ENDS_FRAMES
                     ? pair_index(self, def->frame1.body, def->frame2.body)
                     : pair_index(self, HN_GROUND, def->frame2.body);
    if (hn_force_has_rates(def)) self->pairs[plan->pair].in_damping = 1;
    if (hn_force_needs_differences(def)) self->base.has_numerical++;
  }
}

// ---- patterns -----------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// Coupled bodies, from 0: those of body b are list[start[b] .. start[b] + count[b] - 1], ascending,
// itself among them where it is coupled to anything, also to ground.
typedef struct neighbours {
  int *start, *count, *list;
} neighbours;

static int is_left_out(const hn_pair *pair, int damping_only) {
  return damping_only && !pair->in_damping;
}

static neighbours find_neighbours(compiler *c, int damping_only) {
  const hn_cartesian_tangent *self = c->self;
  int bodies = self->base.n / 7;
  neighbours out = {HN_TAKE(&c->scratch, int, bodies + 1), HN_TAKE(&c->scratch, int, bodies),
                    HN_TAKE(&c->scratch, int, 4 * self->pair_count)};
  if (c->scratch.failed) return out;
  for (int k = 0; k < self->pair_count; k++) {
    if (is_left_out(&self->pairs[k], damping_only)) continue;
    for (int slot = 0; slot < 2; slot++)
      if (self->pairs[k].body[slot] != HN_GROUND) out.start[self->pairs[k].body[slot]] += 2;
  }
  for (int b = 0; b < bodies; b++) out.start[b + 1] += out.start[b];
  for (int k = 0; k < self->pair_count; k++) {
    const hn_pair *pair = &self->pairs[k];
    if (is_left_out(pair, damping_only)) continue;
    for (int slot = 0; slot < 2; slot++) {
      int own = pair->body[slot] - 1, other = pair->body[1 - slot] - 1;
      if (own < 0) continue;
      int *at = &out.list[out.start[own]];
      at[out.count[own]++] = own;
      if (other >= 0) at[out.count[own]++] = other;
    }
  }
  for (int b = 0; b < bodies; b++) {
    int *at = &out.list[out.start[b]], count = 0;
    qsort(at, (size_t)out.count[b], sizeof(int), compare_numbers);
    for (int k = 0; k < out.count[b]; k++)
      if (count == 0 || at[k] != at[count - 1]) at[count++] = at[k];
    out.count[b] = count;
  }
  return out;
}

// K holds the pattern of M too: the diagonal of r also of a body that nothing touches.
static hn_status make_square(compiler *c, hn_arena *arena, int damping_only, hn_sparse *out) {
  int n = c->self->base.n;
  neighbours near = find_neighbours(c, damping_only);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  int size = 0, at = 0;
  for (int b = 0; b < n / 7; b++) size += 49 * near.count[b] + 19;
  int *start = HN_TAKE(&c->scratch, int, n + 1), *index = HN_TAKE(&c->scratch, int, size);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < n / 7; b++)
    for (int i = 0; i < 7; i++) {
      start[7 * b + i] = at;
      for (int k = 0; k < near.count[b]; k++)
        for (int j = 0; j < 7; j++) index[at++] = 7 * near.list[near.start[b] + k] + j;
      if (near.count[b] > 0) continue;
      if (i < 3 && !damping_only) index[at++] = 7 * b + i;
      for (int j = 3; i >= 3 && j < 7; j++) index[at++] = 7 * b + j;
    }
  start[n] = at;
  return hn_sparse_create(arena, n, n, start, index, out);
}

static hn_status make_mass(compiler *c, hn_arena *arena) {
  int n = c->self->base.n, at = 0;
  int *start = HN_TAKE(&c->scratch, int, n + 1), *index = HN_TAKE(&c->scratch, int, 19 * (n / 7));
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    int first = i / 7 * 7 + 3;
    start[i] = at;
    if (i < first) index[at++] = i;
    for (int j = first; i >= first && j < first + 4; j++) index[at++] = j;
  }
  start[n] = at;
  return hn_sparse_create(arena, n, n, start, index, &c->self->base.mass);
}

// 0 when the row sees where the body is, 3 when only how it is turned.
static int first_coordinate(const hn_cartesian_tangent *self, int r, int body) {
  for (int k = self->row_part[r]; k < self->row_part[r + 1]; k++) {
    const hn_form *form = &self->forms[self->parts[k].form];
    for (int x = 0; x < span_count(form->kind); x++)
      for (int slot = 0; slot < 2; slot++) {
        int end = form->x[x].end[slot];
        if (end >= 0 && self->ends[end].body == body && self->ends[end].w != 0) return 0;
      }
  }
  return 3;
}

// The places of one body in a row, given to every part that has it.
static void place_parts(hn_cartesian_tangent *self, int r, int body, int first, int at) {
  for (int k = self->row_part[r]; k < self->row_part[r + 1]; k++) {
    hn_part *part = &self->parts[k];
    const hn_pair *pair = &self->pairs[self->forms[part->form].pair];
    for (int slot = 0; slot < 2; slot++) {
      if (pair->body[slot] != body) continue;
      part->first[slot] = first;
      part->at[slot] = at;
    }
  }
}

static hn_status make_rows(compiler *c, hn_arena *arena) {
  hn_cartesian_tangent *self = c->self;
  int n = self->base.n, rows = c->elements->row_count, at = 0, size = 4 * (n / 7);
  for (int r = 0; r < rows; r++) size += 7 * c->elements->rows[r].body_count;
  int *start = HN_TAKE(&c->scratch, int, self->base.rows + 1);
  int *index = HN_TAKE(&c->scratch, int, size);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < rows; r++) {
    const hn_row *row = &c->elements->rows[r];
    int body[HN_ROW_BODIES];
    memcpy(body, row->body, (size_t)row->body_count * sizeof(int));
    qsort(body, (size_t)row->body_count, sizeof(int), compare_numbers);
    start[r] = at;
    for (int k = 0; k < row->body_count; k++) {
      int first = first_coordinate(self, r, body[k]);
      place_parts(self, r, body[k], first, at);
      for (int j = first; j < 7; j++) index[at++] = 7 * (body[k] - 1) + j;
    }
  }
  for (int b = 0; b < n / 7; b++) {
    start[rows + b] = at;
    for (int j = 3; j < 7; j++) index[at++] = 7 * b + j;
  }
  start[self->base.rows] = at;
  hn_tangent *base = &self->base;
  hn_status status = hn_sparse_create(arena, base->rows, n, start, index, &base->phi_q);
  if (status == HN_OK) status = hn_sparse_create_alike(arena, &base->phi_q, &base->phi_v);
  if (status == HN_OK) status = hn_sparse_create_alike(arena, &base->phi_q, &base->phi_dd);
  return status;
}

// ---- places in the patterns ---------------------------------------------------------------------

static void place_pair(const hn_tangent *base, hn_pair *pair) {
  static const hn_sparse_place nowhere = {-1, 0};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      pair->stiffness[i][j] = pair->damping[i][j] = nowhere;
      if (pair->body[i] == HN_GROUND || pair->body[j] == HN_GROUND) continue;
      int row = 7 * (pair->body[i] - 1), column = 7 * (pair->body[j] - 1);
      pair->stiffness[i][j] = hn_sparse_find_block(&base->stiffness, row, column, 7, 7);
      if (pair->in_damping)
        pair->damping[i][j] = hn_sparse_find_block(&base->damping, row, column, 7, 7);
    }
}

static hn_status make_places(compiler *c, hn_arena *arena) {
  hn_cartesian_tangent *self = c->self;
  hn_tangent *base = &self->base;
  int n = base->n;
  self->stiffness_p = HN_TAKE(arena, hn_sparse_place, n / 7);
  self->damping_p = HN_TAKE(arena, hn_sparse_place, n / 7);
  base->mass_in_stiffness = HN_TAKE(arena, int, base->mass.start[n]);
  base->damping_in_stiffness = HN_TAKE(arena, int, base->damping.start[n]);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < n / 7; b++) {
    self->stiffness_p[b] = hn_sparse_find_block(&base->stiffness, 7 * b + 3, 7 * b + 3, 4, 4);
    self->damping_p[b] = hn_sparse_find_block(&base->damping, 7 * b + 3, 7 * b + 3, 4, 4);
  }
  for (int k = 0; k < self->pair_count; k++) place_pair(base, &self->pairs[k]);
  hn_status status = hn_sparse_embed(&base->mass, &base->stiffness, base->mass_in_stiffness);
  if (status == HN_OK)
    status = hn_sparse_embed(&base->damping, &base->stiffness, base->damping_in_stiffness);
  return status;
}

// ---- all of it ----------------------------------------------------------------------------------

static int count_row_measures(const hn_elements *elements) {
  int count = 0;
  for (int r = 0; r < elements->row_count; r++) count += elements->rows[r].count;
  return count;
}

static hn_status compile(compiler *c, hn_arena *arena) {
  hn_cartesian_tangent *self = c->self;
  const hn_elements *elements = c->elements;
  int measures = elements->measure_count, forces = elements->model->force_count;
  c->form_of_measure = HN_TAKE(&c->scratch, int, measures);
  self->ends = HN_TAKE(&c->scratch, hn_end, 6 * measures); // the tables grow here, then move
  self->pairs = HN_TAKE(&c->scratch, hn_pair, measures + forces);
  self->forms = HN_TAKE(arena, hn_form, measures);
  self->row_part = HN_TAKE(arena, int, elements->row_count + 1);
  self->parts = HN_TAKE(arena, hn_part, count_row_measures(elements));
  self->forces = HN_TAKE(arena, hn_force_plan, forces);
  self->form_of_force = HN_TAKE(arena, int, measures + forces);
  if (arena->failed || c->scratch.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < measures; k++) c->form_of_measure[k] = -1;
  compile_rows(c);
  compile_forces(c);
  self->ends = hn_arena_copy(arena, self->ends, (size_t)self->end_count, sizeof(hn_end));
  self->pairs = hn_arena_copy(arena, self->pairs, (size_t)self->pair_count, sizeof(hn_pair));
  self->end_rates = HN_TAKE(arena, hn_end_rates, self->end_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = make_mass(c, arena);
  if (status == HN_OK) status = make_rows(c, arena);
  if (status == HN_OK) status = make_square(c, arena, 0, &self->base.stiffness);
  if (status == HN_OK) status = make_square(c, arena, 1, &self->base.damping);
  if (status == HN_OK) status = make_places(c, arena);
  return status;
}

hn_status hn_tangent_compile(hn_arena *arena, hn_cartesian_tangent *self) {
  compiler c = {.self = self, .elements = self->base.equations->elements};
  hn_arena_init(&c.scratch, &arena->allocator);
  hn_status status = compile(&c, arena);
  hn_arena_release(&c.scratch);
  return status;
}
