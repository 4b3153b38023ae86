// Patterns of the tangent of natural coordinates, found once: pairs of nodes that M, a row's curvature,
// a force or a square couples; the matrices over them; and tables of places, so that an evaluation
// searches nothing.
#include <stdlib.h>
#include <string.h>

#include "elements/force.h"
#include "equations/natural/tangent.h"

enum { IN_MASS = 1, FULL = 2, IN_DAMPING = 4 };

typedef struct compiler {
  hn_natural_tangent *self;
  const hn_natural_set *set;
  hn_arena scratch;
  hn_natural_pair *pairs; // found, then sorted and merged
  int count;
  unsigned char *is_used; // forms
} compiler;

// ---- pairs --------------------------------------------------------------------------------------

// A first pass, in which nothing is written, counts the capacity.
static void couple(compiler *c, int a, int b, int flags) {
  if (c->pairs) {
    hn_natural_pair *pair = &c->pairs[c->count];
    *pair = (hn_natural_pair){.node = {a < b ? a : b, a < b ? b : a}};
    pair->is_full = (flags & FULL) != 0;
    pair->in_damping = (flags & IN_DAMPING) != 0;
    pair->in_mass = (flags & IN_MASS) != 0;
  }
  c->count++;
}

static void couple_all(compiler *c, const int *nodes, int count, int flags) {
  for (int a = 0; a < count; a++)
    for (int b = a; b < count; b++) couple(c, nodes[a], nodes[b], flags);
}

static double curve_entry(const hn_natural_set *set, const hn_natural_form *form, int d0, int d1,
                          int a, int b) {
  const double *x = set->forms->coefficient[form->start + a];
  const double *y = set->forms->coefficient[form->start + b];
  return x[d0] * y[d1] + x[d1] * y[d0];
}

// Which differences the dots of a form multiply; returns how many dots.
static int dots_of(hn_measure_kind kind, int dots[2][2]) {
  static const int all[3][2][2] = {{{0, 1}, {0, 0}}, {{0, 0}, {0, 0}}, {{1, 2}, {0, 2}}};
  int which = kind == HN_MEASURE_DOT ? 0 : kind == HN_MEASURE_LENGTH ? 1 : 2;
  memcpy(dots, all[which], sizeof all[which]);
  return kind == HN_MEASURE_ANGLE ? 2 : 1;
}

static void couple_form(compiler *c, int number, int flags) {
  const hn_natural_form *form = &c->set->forms->forms[number];
  const int *node = &c->set->forms->node[form->start];
  int dots[2][2], count = dots_of(form->kind, dots);
  c->is_used[number] = 1;
  const hn_measure *measures = c->set->base.elements->measures;
  if (form->kind != HN_MEASURE_DOT || (form->measure >= 0 && measures[form->measure].curve))
    flags |= FULL;
  if (flags & FULL) {
    couple_all(c, node, form->count, flags);
    return;
  }
  for (int d = 0; d < count; d++)
    for (int a = 0; a < form->count; a++)
      for (int b = a; b < form->count; b++)
        if (curve_entry(c->set, form, dots[d][0], dots[d][1], a, b) != 0)
          couple(c, node[a], node[b], flags);
}

static void couple_mass(compiler *c) {
  const hn_natural_set *set = c->set;
  for (int j = 0; j < set->nodes->node_count; j++)
    for (int k = set->pairs.start[j]; k < set->pairs.start[j + 1]; k++)
      if (set->pairs.node[k] == j || set->mass[set->pairs.at[3 * k]] != 0)
        couple(c, set->pairs.node[k], j, IN_MASS);
}

static void couple_rows(compiler *c) {
  const hn_natural_set *set = c->set;
  for (int r = 0; r < set->rows; r++) {
    for (int p = set->row_part[r]; p < set->row_part[r + 1]; p++)
      couple_form(c, set->parts[p].form, 0);
    if (c->self->base.squares[hn_natural_number(set, r)] > 0)
      couple_all(c, &set->row_node[set->row_start[r]], set->row_start[r + 1] - set->row_start[r],
                 FULL);
  }
}

static void couple_bodies(compiler *c, int body1, int body2, int flags) {
  const hn_natural_nodes *nodes = c->set->nodes;
  const hn_natural_body *a = &nodes->bodies[body1], *b = &nodes->bodies[body2];
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count; j++)
      couple(c, nodes->terms[a->start + i].node, nodes->terms[b->start + j].node, flags);
}

static void couple_forces(compiler *c) {
  const hn_elements *elements = c->set->base.elements;
  const hn_model *model = elements->model;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    int first, count = hn_natural_force_forms(elements, f, &first);
    int flags = hn_force_has_rates(def) ? FULL | IN_DAMPING : FULL;
    for (int k = 0; k < count; k++) couple_form(c, first + k, flags);
    if (count > 0) continue;
    hn_natural_load_plan *plan = &c->self->loads[f];
    plan->body[0] =
        hn_force_acts_between(def->type) == HN_ENDS_FRAMES ? def->frame1.body : HN_GROUND;
    plan->body[1] = def->frame2.body;
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) couple_bodies(c, plan->body[a], plan->body[b], flags);
  }
}

static int compare_pairs(const void *a, const void *b) {
  const hn_natural_pair *x = a, *y = b;
  int first = (x->node[0] > y->node[0]) - (x->node[0] < y->node[0]);
  return first ? first : (x->node[1] > y->node[1]) - (x->node[1] < y->node[1]);
}

static hn_status find_pairs(compiler *c, hn_arena *arena) {
  for (int pass = 0; pass < 2; pass++) {
    c->count = 0;
    couple_mass(c);
    couple_rows(c);
    couple_forces(c);
    if (pass == 0) c->pairs = HN_TAKE(&c->scratch, hn_natural_pair, c->count);
    if (c->scratch.failed) return HN_ERROR_MEMORY;
  }
  qsort(c->pairs, (size_t)c->count, sizeof *c->pairs, compare_pairs);
  int count = 0;
  for (int k = 0; k < c->count; k++) {
    hn_natural_pair *last = count > 0 ? &c->pairs[count - 1] : NULL;
    if (!last || compare_pairs(last, &c->pairs[k]) != 0) {
      c->pairs[count++] = c->pairs[k];
      continue;
    }
    last->is_full |= c->pairs[k].is_full;
    last->in_damping |= c->pairs[k].in_damping;
    last->in_mass |= c->pairs[k].in_mass;
  }
  c->self->pair_count = count;
  c->self->pairs = hn_arena_copy(arena, c->pairs, (size_t)count, sizeof *c->pairs);
  c->self->bend = HN_KEEP(arena, double, count);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static const hn_natural_pair *find_pair(const hn_natural_tangent *self, int a, int b) {
  hn_natural_pair key = {.node = {a < b ? a : b, a < b ? b : a}};
  return bsearch(&key, self->pairs, (size_t)self->pair_count, sizeof key, compare_pairs);
}

// ---- matrices -----------------------------------------------------------------------------------

typedef enum which_matrix { MASS, STIFFNESS, DAMPING } which_matrix;

static int is_in(const hn_natural_pair *pair, which_matrix which) {
  return which == STIFFNESS || (which == MASS ? pair->in_mass : pair->in_damping);
}

// Entries a row of a block has.
static int width_of(const hn_natural_pair *pair, which_matrix which) {
  return which == DAMPING || (which == STIFFNESS && pair->is_full) ? 3 : 1;
}

// Through the pattern by nodes, lower neighbors first, so that columns ascend. filled (nodes) sums the
// entries of a row; with index null that is all. begin (nodes + 1): first row of each node.
static void walk(const hn_natural_tangent *self, which_matrix which, const int *begin, int *filled,
                 int *index, int (*at)[2]) {
  for (int upper = 0; upper < 2; upper++)
    for (int p = 0; p < self->pair_count; p++) {
      const hn_natural_pair *pair = &self->pairs[p];
      if (!is_in(pair, which) || (!upper && pair->node[0] == pair->node[1])) continue;
      int row = pair->node[1 - upper], column = pair->node[upper], width = width_of(pair, which);
      if (index) {
        int length = (begin[row + 1] - begin[row]) / 3;
        at[p][1 - upper] = begin[row] + filled[row];
        for (int c = 0; c < 3; c++)
          for (int i = 0; i < width; i++)
            index[begin[row] + c * length + filled[row] + i] = 3 * column + (width == 3 ? i : c);
      }
      filled[row] += width;
    }
}

static hn_status make_matrix(compiler *c, hn_arena *arena, which_matrix which, int (*at)[2],
                             hn_sparse *out) {
  int nodes = c->set->nodes->node_count;
  int *begin = HN_TAKE(&c->scratch, int, nodes + 1), *filled = HN_TAKE(&c->scratch, int, nodes);
  int *start = HN_TAKE(&c->scratch, int, 3 * nodes + 1);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  walk(c->self, which, NULL, filled, NULL, NULL);
  for (int i = 0; i < nodes; i++) {
    begin[i + 1] = begin[i] + 3 * filled[i];
    for (int k = 0; k < 3; k++) start[3 * i + k] = begin[i] + k * filled[i];
    filled[i] = 0;
  }
  start[3 * nodes] = begin[nodes];
  int *index = HN_TAKE(&c->scratch, int, begin[nodes]);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  walk(c->self, which, begin, filled, index, at);
  return hn_sparse_create(arena, 3 * nodes, 3 * nodes, start, index, out);
}

static void fill_mass(compiler *c, int (*at)[2]) {
  const hn_natural_set *set = c->set;
  hn_sparse *mass = &c->self->base.mass;
  for (int j = 0; j < set->nodes->node_count; j++)
    for (int k = set->pairs.start[j]; k < set->pairs.start[j + 1]; k++) {
      const hn_natural_pair *pair = find_pair(c->self, set->pairs.node[k], j);
      if (!pair || !is_in(pair, MASS)) continue;
      for (int side = 0; side < 2; side++) {
        int row = 3 * pair->node[side], stride = mass->start[row + 1] - mass->start[row];
        if (side == 1 && pair->node[0] == pair->node[1]) continue;
        for (int i = 0; i < 3; i++)
          mass->value[at[pair - c->self->pairs][side] + i * stride] =
              set->mass[set->pairs.at[3 * k]];
      }
    }
}

static hn_status make_matrices(compiler *c, hn_arena *arena) {
  hn_natural_tangent *self = c->self;
  hn_tangent *base = &self->base;
  int(*places[3])[2];
  for (int k = 0; k < 3; k++)
    places[k] = hn_arena_take(&c->scratch, (size_t)self->pair_count, sizeof *places[k]);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  hn_status status = make_matrix(c, arena, MASS, places[0], &base->mass);
  if (status == HN_OK) status = make_matrix(c, arena, STIFFNESS, places[1], &base->stiffness);
  if (status == HN_OK) status = make_matrix(c, arena, DAMPING, places[2], &base->damping);
  if (status != HN_OK) return status;
  fill_mass(c, places[0]);
  for (int p = 0; p < self->pair_count; p++) {
    hn_natural_pair *pair = &self->pairs[p];
    for (int side = 0; side < 2; side++) {
      // a node with itself has one block, which the upper walk places
      pair->at[side] = places[1][p][pair->node[0] == pair->node[1] ? 0 : side];
      pair->damping[side] =
          pair->in_damping ? places[2][p][pair->node[0] == pair->node[1] ? 0 : side] : -1;
    }
  }
  base->mass_in_stiffness = HN_TAKE(arena, int, base->mass.start[base->n]);
  base->damping_in_stiffness = HN_TAKE(arena, int, base->damping.start[base->n]);
  if (arena->failed) return HN_ERROR_MEMORY;
  status = hn_sparse_embed(&base->mass, &base->stiffness, base->mass_in_stiffness);
  if (status == HN_OK)
    status = hn_sparse_embed(&base->damping, &base->stiffness, base->damping_in_stiffness);
  return status;
}

// Rows of the elements, those that are covered empty, then of rigidity.
static hn_status make_rows(compiler *c, hn_arena *arena) {
  const hn_natural_set *set = c->set;
  hn_tangent *base = &c->self->base;
  int blocks = set->row_start[set->rows];
  int *start = HN_TAKE(&c->scratch, int, base->rows + 1);
  int *index = HN_TAKE(&c->scratch, int, 3 * blocks);
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < set->rows; r++)
    start[hn_natural_number(set, r) + 1] = 3 * (set->row_start[r + 1] - set->row_start[r]);
  for (int r = 0; r < base->rows; r++) start[r + 1] += start[r];
  for (int k = 0; k < blocks; k++)
    for (int i = 0; i < 3; i++) index[3 * k + i] = 3 * set->row_node[k] + i;
  hn_status status = hn_sparse_create(arena, base->rows, base->n, start, index, &base->phi_q);
  if (status == HN_OK) status = hn_sparse_create_alike(arena, &base->phi_q, &base->phi_v);
  if (status == HN_OK) status = hn_sparse_create_alike(arena, &base->phi_q, &base->phi_dd);
  return status;
}

// ---- tables -------------------------------------------------------------------------------------

// Whether all blocks between the nodes of a form are whole ones.
static int has_blocks(const hn_natural_tangent *self, const int *node, int count, int damping) {
  for (int a = 0; a < count; a++)
    for (int b = a; b < count; b++) {
      const hn_natural_pair *pair = find_pair(self, node[a], node[b]);
      if (!pair || !pair->is_full || (damping && !pair->in_damping)) return 0;
    }
  return count > 0;
}

static int place_of(const hn_natural_tangent *self, int row, int column, int damping) {
  const hn_natural_pair *pair = find_pair(self, row, column);
  int side = pair->node[0] != row;
  return damping ? pair->damping[side] : pair->at[side];
}

// Both passes: the first counts, while places and curves are null.
static void plan_form(compiler *c, int number, int *curves, int *places) {
  hn_natural_tangent *self = c->self;
  const hn_natural_form *form = &c->set->forms->forms[number];
  const int *node = &c->set->forms->node[form->start];
  hn_natural_plan *plan = &self->plans[number];
  int dots[2][2], count = dots_of(form->kind, dots);
  for (int d = 0; d < count; d++) {
    plan->curve[d].start = *curves;
    for (int a = 0; a < form->count; a++)
      for (int b = a; b < form->count; b++) {
        double value = curve_entry(c->set, form, dots[d][0], dots[d][1], a, b);
        if (value == 0) continue;
        if (self->curve_pair) {
          self->curve_pair[*curves] = (int)(find_pair(self, node[a], node[b]) - self->pairs);
          self->curve_value[*curves] = value;
        }
        (*curves)++;
      }
    plan->curve[d].count = *curves - plan->curve[d].start;
  }
  int *tables[2] = {&plan->stiffness, &plan->damping};
  for (int damping = 0; damping < 2; damping++) {
    *tables[damping] = -1;
    if (!has_blocks(self, node, form->count, damping)) continue;
    *tables[damping] = *places;
    for (int a = 0; a < form->count; a++)
      for (int b = 0; b < form->count; b++, (*places)++)
        if (self->places) self->places[*places] = place_of(self, node[a], node[b], damping);
  }
}

static void plan_load(compiler *c, int force, int *places) {
  hn_natural_tangent *self = c->self;
  const hn_natural_nodes *nodes = c->set->nodes;
  hn_natural_load_plan *plan = &self->loads[force];
  int has_damping = hn_force_has_rates(&c->set->base.model->forces[force]);
  for (int k = 0; k < 8; k++) {
    int a = k & 1, b = k >> 1 & 1, damping = k >> 2;
    const hn_natural_body *rows = &nodes->bodies[plan->body[a]];
    const hn_natural_body *columns = &nodes->bodies[plan->body[b]];
    int *table = damping ? &plan->damping[a][b] : &plan->stiffness[a][b];
    *table = -1;
    if (damping && !has_damping) continue;
    *table = *places;
    for (int i = 0; i < rows->count; i++)
      for (int j = 0; j < columns->count; j++, (*places)++)
        if (self->places)
          self->places[*places] = place_of(self, nodes->terms[rows->start + i].node,
                                           nodes->terms[columns->start + j].node, damping);
  }
}

static hn_status make_plans(compiler *c, hn_arena *arena) {
  hn_natural_tangent *self = c->self;
  const hn_elements *elements = c->set->base.elements;
  for (int pass = 0; pass < 2; pass++) {
    int curves = 0, places = 0, first;
    for (int k = 0; k < c->set->forms->form_count; k++)
      if (c->is_used[k]) plan_form(c, k, &curves, &places);
    for (int f = 0; f < elements->model->force_count; f++)
      if (hn_natural_force_forms(elements, f, &first) == 0) plan_load(c, f, &places);
    if (pass == 1) break;
    self->curve_pair = HN_TAKE(arena, int, curves);
    self->curve_value = HN_TAKE(arena, double, curves);
    self->places = HN_TAKE(arena, int, places);
    if (arena->failed) return HN_ERROR_MEMORY;
  }
  return HN_OK;
}

// ---- squares ------------------------------------------------------------------------------------

static int is_thin(const hn_natural_set *set, int body) {
  for (int k = 0; k < set->thin.count; k++)
    if (set->thin.body[k] == body) return 1;
  return 0;
}

// Rows that hold what has no mass: rigidity of thin bodies, and of the elements those on bodies with an
// axis without inertia. The body that asks for it, or ground.
static int light_body(const hn_natural_set *set, int r) {
  if (r >= set->element_rows) {
    int body = set->nodes->grams[r - set->element_rows].body;
    return is_thin(set, body) ? body : HN_GROUND;
  }
  const hn_row *row = &set->base.elements->rows[set->element_row[r]];
  for (int k = 0; k < row->body_count; k++)
    if (hn_body_is_light(&set->base.model->bodies[row->body[k]])) return row->body[k];
  return HN_GROUND;
}

// A square as large as the mass at its nodes in the reference configuration.
static hn_status weigh_squares(compiler *c) {
  hn_natural_tangent *self = c->self;
  const hn_natural_set *set = c->set;
  hn_equations *equations = &self->set->base;
  double *turns = HN_TAKE(&c->scratch, double, equations->elements->turn_count);
  hn_branches none = {.driver = HN_TAKE(&c->scratch, int, equations->model->driver_count),
                      .turns = turns};
  if (c->scratch.failed) return HN_ERROR_MEMORY;
  hn_equations_initial(equations, self->set->frames, self->q, self->qd);
  hn_natural_evaluate_rows(self->set, 0, self->q, self->qd, &none);
  for (int r = 0; r < set->rows; r++) {
    int body = light_body(set, r), blocks = set->row_start[r + 1] - set->row_start[r];
    if (body == HN_GROUND || blocks == 0) continue;
    double mass = 0, gradient = 0;
    for (int b = set->row_start[r]; b < set->row_start[r + 1]; b++) {
      int own = set->pairs.start[set->row_node[b] + 1] - 1; // the node itself comes last
      mass += set->mass[set->pairs.at[3 * own]];
      for (int i = 0; i < 3; i++) gradient += set->block[3 * b + i] * set->block[3 * b + i];
    }
    if (!(mass > 0)) mass = blocks * set->base.model->bodies[body].mass;
    self->base.squares[hn_natural_number(set, r)] = gradient > 0 ? mass / gradient : mass;
  }
  return HN_OK;
}

// ---- together -----------------------------------------------------------------------------------

static hn_status compile(compiler *c, hn_arena *arena) {
  hn_natural_tangent *self = c->self;
  const hn_model *model = c->set->base.model;
  int forms = c->set->forms->form_count;
  c->is_used = HN_TAKE(&c->scratch, unsigned char, forms);
  self->plans = HN_TAKE(arena, hn_natural_plan, forms);
  self->loads = HN_TAKE(arena, hn_natural_load_plan, model->force_count);
  if (arena->failed || c->scratch.failed) return HN_ERROR_MEMORY;
  hn_status status = weigh_squares(c);
  if (status == HN_OK) status = find_pairs(c, arena);
  if (status == HN_OK) status = make_matrices(c, arena);
  if (status == HN_OK) status = make_rows(c, arena);
  if (status == HN_OK) status = make_plans(c, arena);
  return status;
}

hn_status hn_natural_tangent_pattern(hn_arena *arena, hn_natural_tangent *self) {
  compiler c = {.self = self, .set = self->set};
  hn_arena_init(&c.scratch, &arena->allocator);
  hn_status status = compile(&c, arena);
  hn_arena_release(&c.scratch);
  return status;
}
