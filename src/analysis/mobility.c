// Mobility: the rank of the constraints, which of them are redundant, and which reactions are
// statically indeterminate.
//
// Constraints are examined part by part of the joint graph (joint_graph.c): ranks of parts add up,
// so trees and chains cost linear time. In a part one body is fixed and J' P = Q R (rank.c) shows
//   redundant    the constraints that column pivoting leaves over, late joints and constraints first
//   not unique   the constraints with weight in the null space of J'
// Constraints have unit length, rotations are multiplied by the size of the body. Parts too large
// for a dense matrix are judged by the pivots of the sparse saddle factorization.
#include "analysis/mobility.h"

#include <math.h>
#include <string.h>

#include "analysis/alignment.h"
#include "analysis/assembly_rows.h"
#include "analysis/mobility_choice.h"
#include "analysis/mobility_weightless.h"
#include "base/error.h"
#include "linalg/rank.h"
#include "math/elementary.h"

#define EPSILON_LARGE 1e-11 // of large parts: regularization of the rows
#define EPSILON_SMALL 1e-13
enum { DENSE_ROWS = 600 };

typedef struct work {
  hn_arena arena;
  const hn_elements *elements;
  const hn_cartesian_rows *rows;
  hn_frame *frames;
  double *size; // of bodies
  hn_joint_graph graph;
  int *column;            // first column of a body in the active part, -1 none (bodies)
  unsigned char *repeats; // row is redundant (row_count)
  unsigned char *choice;  // row has weight in the left null space (row_count)
  int *freedoms;          // of each part relative to the body that is fixed (parts)
  int held;               // body of the active part that is fixed
  hn_choice components;   // of reactions
  int rank;
} work;

// ---- one part -----------------------------------------------------------------------------------

// Numbers the columns of the bodies of the part except one that is fixed (ground if possible).
static int number_columns(work *w, int part) {
  const hn_joint_graph *g = &w->graph;
  int held = g->bodies[g->body_start[part]], count = 0;
  for (int k = g->body_start[part]; k < g->body_start[part + 1]; k++)
    if (g->bodies[k] == HN_GROUND) held = HN_GROUND;
  for (int k = g->body_start[part]; k < g->body_start[part + 1]; k++) {
    int b = g->bodies[k];
    w->column[b] = b == held ? -1 : count;
    if (b != held) count += 6;
  }
  w->held = held;
  return count;
}

// 1 / the length of row r at the columns of its bodies.
static double row_scale(const work *w, int r) {
  double sum = 0;
  for (int k = w->rows->row_start[r]; k < w->rows->row_start[r + 1]; k++) {
    int b = w->rows->body[k];
    for (int i = 0; w->column[b] >= 0 && i < 6; i++) {
      double entry = w->rows->block[6 * k + i] / (i < 3 ? 1 : w->size[b]);
      sum += entry * entry;
    }
  }
  return sum > 0 ? 1 / sqrt(sum) : 1;
}

// The entries of row r at the columns of its bodies, scaled to unit length.
static void scaled_row(const work *w, int r, double *out) {
  double scale = row_scale(w, r);
  for (int k = w->rows->row_start[r]; k < w->rows->row_start[r + 1]; k++) {
    int b = w->rows->body[k];
    for (int i = 0; w->column[b] >= 0 && i < 6; i++) {
      double entry = w->rows->block[6 * k + i] / (i < 3 ? 1 : w->size[b]);
      out[w->column[b] + i] += entry * scale;
    }
  }
}

// Marks the reactions of the part that the null vectors, of unscaled constraints, leave indeterminate.
static hn_status mark_components(work *w, int part, const double *vectors, int count) {
  hn_choice *c = &w->components;
  if (!c->of_joint) {
    *c =
        (hn_choice){.elements = w->elements, .rows = w->rows, .frames = w->frames, .size = w->size};
    hn_status status = hn_choice_create(&w->arena, DENSE_ROWS, c);
    if (status != HN_OK) return status;
  }
  hn_choice_mark(c, &w->graph, part, w->held, vectors, count);
  return HN_OK;
}

static void mark_null_rows(work *w, const int *rows, int m, const double *null_space, int count) {
  for (int k = 0; k < count; k++) {
    const double *vector = &null_space[(size_t)k * (size_t)m];
    double most = 0;
    for (int i = 0; i < m; i++) most = fmax(most, fabs(vector[i]));
    for (int i = 0; i < m; i++)
      if (fabs(vector[i]) > HN_NULL_WEIGHT * most) w->choice[rows[i]] = 1;
  }
}

static hn_status dense_part(work *w, hn_arena *scratch, int part, int n) {
  const int *rows = &w->graph.rows[w->graph.row_start[part]];
  int m = w->graph.row_start[part + 1] - w->graph.row_start[part];
  double *a = hn_arena_take(scratch, (size_t)n * (size_t)m, sizeof(double));
  double *qr_work = HN_TAKE(scratch, double, 3 * m + n);
  int *order = HN_TAKE(scratch, int, m), *preference = HN_TAKE(scratch, int, m);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < m; k++) {
    scaled_row(w, rows[k], &a[(size_t)k * (size_t)n]);
    preference[k] = -k;
  }
  int rank = hn_rank_qr(a, n, m, HN_RANK_ROUNDING, preference, order, qr_work);
  w->rank += rank;
  if (rank == m) return HN_OK;
  for (int k = rank; k < m; k++) w->repeats[rows[order[k]]] = 1;
  double *null_space = hn_arena_take(scratch, (size_t)m * (size_t)(m - rank), sizeof(double));
  if (!null_space) return HN_ERROR_MEMORY;
  hn_rank_null_space(a, n, m, rank, order, null_space);
  mark_null_rows(w, rows, m, null_space, m - rank);
  for (int k = 0; k < m; k++) {
    double scale = row_scale(w, rows[k]);
    for (int i = 0; i < m - rank; i++) null_space[(size_t)i * (size_t)m + (size_t)k] *= scale;
  }
  return mark_components(w, part, null_space, m - rank);
}

// Pattern and numbers of the part's rows; counts entries when index is null.
static int sparse_rows(const work *w, const int *rows, int m, int *start, int *index,
                       double *values) {
  int at = 0;
  for (int r = 0; r < m; r++) {
    start[r] = at;
    for (int k = w->rows->row_start[rows[r]]; k < w->rows->row_start[rows[r] + 1]; k++) {
      int b = w->rows->body[k];
      if (w->column[b] < 0) continue;
      for (int i = 0; i < 6; i++, at++) {
        if (!index) continue;
        index[at] = w->column[b] + i;
        values[at] = w->rows->block[6 * k + i] / (i < 3 ? 1 : w->size[b]);
      }
    }
  }
  start[m] = at;
  return at;
}

typedef struct sparse {
  int n, m;
  const int *rows;
  hn_saddle *saddle;
  double *unit, *values; // metric, J
  double *b, *c, *x, *y;
  double *pivot;      // of each row with EPSILON_LARGE
  unsigned char *all; // ones (m)
} sparse;

static hn_status sparse_create(work *w, hn_arena *scratch, sparse *s) {
  int *start = HN_TAKE(scratch, int, s->m + 1), *diagonal = HN_TAKE(scratch, int, s->n + 1);
  double **columns[] = {&s->unit, &s->b, &s->x}, **of_rows[] = {&s->c, &s->y, &s->pivot};
  for (int k = 0; k < 3; k++) *columns[k] = HN_TAKE(scratch, double, s->n);
  for (int k = 0; k < 3; k++) *of_rows[k] = HN_TAKE(scratch, double, s->m);
  s->all = HN_TAKE(scratch, unsigned char, s->m);
  if (scratch->failed) return HN_ERROR_MEMORY;
  int entries = sparse_rows(w, s->rows, s->m, start, NULL, NULL);
  int *index = HN_TAKE(scratch, int, entries);
  s->values = HN_TAKE(scratch, double, entries);
  if (scratch->failed) return HN_ERROR_MEMORY;
  sparse_rows(w, s->rows, s->m, start, index, s->values);
  for (int i = 0; i <= s->n; i++) diagonal[i] = i;
  for (int i = 0; i < s->n; i++) s->unit[i] = 1;
  memset(s->all, 1, (size_t)s->m);
  hn_saddle_pattern pattern = {s->n, s->m, diagonal, diagonal, start, index, 0, NULL};
  return hn_saddle_create(scratch, &pattern, &s->saddle);
}

static hn_status sparse_factor(sparse *s, double epsilon) {
  hn_saddle_soften(s->saddle, s->all, epsilon);
  return hn_saddle_factor(s->saddle, s->unit, s->values);
}

// A right side without a pattern: its part in the null space of J' comes back enlarged by
// 1 / epsilon.
static hn_status mark_sparse_null(work *w, sparse *s, int part) {
  for (int r = 0; r < s->m; r++) s->c[r] = hn_sin(1 + 2.3 * r) / hn_saddle_row_scale(s->saddle, r);
  hn_status status = hn_saddle_solve(s->saddle, s->b, s->c, s->x, s->y, NULL);
  double most = 0;
  for (int r = 0; r < s->m; r++)
    most = fmax(most, fabs(s->y[r] / hn_saddle_row_scale(s->saddle, r)));
  for (int r = 0; status == HN_OK && r < s->m; r++)
    if (fabs(s->y[r] / hn_saddle_row_scale(s->saddle, r)) > HN_NULL_WEIGHT * most)
      w->choice[s->rows[r]] = 1;
  return status == HN_OK ? mark_components(w, part, s->y, 1) : status;
}

// The pivot of a dependent constraint is epsilon times a number of the model; that of an
// independent constraint is a number of the model alone. Two values of epsilon distinguish them.
static hn_status sparse_part(work *w, hn_arena *scratch, int part, int n) {
  sparse s = {.n = n, .rows = &w->graph.rows[w->graph.row_start[part]]};
  s.m = w->graph.row_start[part + 1] - w->graph.row_start[part];
  int found = 0;
  hn_status status = sparse_create(w, scratch, &s);
  if (status == HN_OK) status = sparse_factor(&s, EPSILON_LARGE);
  for (int r = 0; status == HN_OK && r < s.m; r++) s.pivot[r] = hn_saddle_row_pivot(s.saddle, r);
  if (status == HN_OK) status = sparse_factor(&s, EPSILON_SMALL);
  if (status != HN_OK) return status;
  for (int r = 0; r < s.m; r++)
    if (10 * hn_saddle_row_pivot(s.saddle, r) < s.pivot[r]) found += w->repeats[s.rows[r]] = 1;
  w->rank += s.m - found;
  return found > 0 ? mark_sparse_null(w, &s, part) : HN_OK;
}

static hn_status analyse_parts(work *w) {
  hn_status status = HN_OK;
  w->freedoms = HN_TAKE(&w->arena, int, w->graph.part_count);
  if (!w->freedoms) return HN_ERROR_MEMORY;
  for (int p = 0; status == HN_OK && p < w->graph.part_count; p++) {
    int before = w->rank;
    hn_arena scratch;
    hn_arena_init(&scratch, &w->arena.allocator);
    int n = number_columns(w, p), m = w->graph.row_start[p + 1] - w->graph.row_start[p];
    status = m <= DENSE_ROWS ? dense_part(w, &scratch, p, n) : sparse_part(w, &scratch, p, n);
    hn_arena_release(&scratch);
    w->freedoms[p] = n - (w->rank - before);
  }
  return status;
}

// ---- bodies that cannot move, and free ones
// ------------------------------------------------------

// Whether the rows of a part are of several joints and no driver.
static int is_loop_without_driver(const work *w, int part) {
  const hn_joint_graph *g = &w->graph;
  const hn_row *first = &w->elements->rows[g->rows[g->row_start[part]]];
  int several = 0;
  for (int k = g->row_start[part]; k < g->row_start[part + 1]; k++) {
    const hn_row *row = &w->elements->rows[g->rows[k]];
    if (row->is_driver) return 0;
    several |= row->owner != first->owner;
  }
  return several;
}

static hn_status list_held_and_free(const work *w, hn_mobility *out) {
  const hn_joint_graph *g = &w->graph;
  const int bodies = w->elements->model->body_count;
  unsigned char *is_joined = hn_allocate(NULL, (size_t)bodies);
  out->held = hn_allocate(NULL, (size_t)bodies * sizeof(int));
  out->free = hn_allocate(NULL, (size_t)bodies * sizeof(int));
  if (!is_joined || !out->held || !out->free) {
    hn_release(NULL, is_joined);
    return HN_ERROR_MEMORY;
  }
  memset(is_joined, 0, (size_t)bodies);
  for (int p = 0; p < g->part_count; p++) {
    int with_ground = 0;
    for (int k = g->body_start[p]; k < g->body_start[p + 1]; k++) {
      with_ground |= g->bodies[k] == HN_GROUND;
      is_joined[g->bodies[k]] = 1;
    }
    if (!with_ground || w->freedoms[p] > 0 || !is_loop_without_driver(w, p)) continue;
    for (int k = g->body_start[p]; k < g->body_start[p + 1]; k++)
      if (g->bodies[k] != HN_GROUND) out->held[out->held_count++] = g->bodies[k];
  }
  for (int b = 1; b < bodies && w->elements->model->part_count == 0; b++)
    if (!is_joined[b]) out->free[out->free_count++] = b;
  hn_release(NULL, is_joined);
  return HN_OK;
}

// ---- the note -----------------------------------------------------------------------------------

// A locked part, and the joint whose change restores its motion; *part -1: none. is_frame: nothing
// else in the model moves, and larger changes count.
static hn_status find_locked_loop(work *w, double t, const hn_branches *branches, int is_frame,
                                  int *part, hn_joint_alignment *found) {
  hn_status status = HN_OK;
  *part = -1;
  for (int p = 0; status == HN_OK && *part < 0 && p < w->graph.part_count; p++) {
    hn_arena scratch;
    if (w->freedoms[p] > 0) continue;
    hn_arena_init(&scratch, &w->arena.allocator);
    status = hn_mobility_find_alignment(&scratch, w->elements, &w->graph, p, t, w->frames, branches,
                                        0, found);
    hn_arena_release(&scratch);
    if (found->joint >= 0 && (is_frame || found->size < HN_ALIGNMENT_SLIP)) *part = p;
  }
  return status;
}

// Notes why a model cannot move: a joint too many, or a misaligned joint.
static hn_status write_note(work *w, double t, const hn_branches *branches, hn_mobility *out) {
  const hn_model *model = w->elements->model;
  const int locked = out->degrees_of_freedom == 0 && out->drivers == 0 && out->bodies > 0;
  hn_joint_alignment found;
  char text[400], next[460];
  int part;
  hn_status status = find_locked_loop(w, t, branches, locked, &part, &found);
  if (status != HN_OK || (!locked && part < 0)) return status;
  if (part >= 0)
    hn_text(next, sizeof next, "check joint '%s': %s", model->joints[found.joint].name,
            hn_mobility_describe_alignment(w->elements, &found, text, sizeof text));
  else if (out->redundant_count > 0)
    hn_text(next, sizeof next,
            "give joint '%s' more degrees of freedom: %d of its constraints repeat those of other "
            "joints",
            model->joints[out->redundant[0].id].name, out->redundant[0].row_count);
  else
    hn_text(next, sizeof next, "give one of the %d joints more degrees of freedom, or add a driver",
            out->joints);
  if (locked)
    hn_text(out->note, sizeof out->note,
            "the mechanism is locked: it has 0 degrees of freedom and no driver; %s", next);
  else
    hn_text(out->note, sizeof out->note, "a loop is locked; %s", next);
  return HN_OK;
}

// ---- the report ---------------------------------------------------------------------------------

// Joints and drivers with marked rows, in their order.
static hn_status list_owners(const hn_elements *elements, const unsigned char *marked,
                             const hn_redundant_joint *of_joint, hn_redundant_joint **list,
                             int *count) {
  const hn_model *model = elements->model;
  size_t room = (size_t)(model->joint_count + model->driver_count);
  *list = hn_allocate(NULL, room * sizeof(hn_redundant_joint));
  *count = 0;
  if (!*list) return HN_ERROR_MEMORY;
  for (int r = 0; r < elements->row_count; r++) {
    const hn_row *row = &elements->rows[r];
    if (!marked[r]) continue;
    hn_redundant_joint *last = *count > 0 ? &(*list)[*count - 1] : NULL;
    if (!last || last->id != row->owner || last->is_driver != row->is_driver) {
      last = &(*list)[(*count)++];
      *last = of_joint && !row->is_driver ? of_joint[row->owner] : (hn_redundant_joint){0};
      last->is_driver = row->is_driver;
      last->id = row->owner;
    }
    if (last->row_count < 8) last->rows[last->row_count++] = row->place;
  }
  return HN_OK;
}

static void count_all(const hn_equations *equations, const work *w, hn_mobility *out) {
  const hn_model *model = equations->model;
  out->bodies = model->body_count - 1;
  out->joints = model->joint_count;
  out->drivers = model->driver_count;
  out->forces = hn_model_force_count(model);
  out->rows = equations->elements->row_count;
  out->rank = w->rank;
  out->equations =
      equations->solved_rows > 0 ? equations->solved_rows : out->rows + equations->normalizations;
  out->coordinates = equations->nq;
  out->speeds = equations->nu;
  out->degrees_of_freedom = 6 * out->bodies - w->rank;
  out->loops = w->graph.loops;
  out->parts = w->graph.part_count;
}

// The tree that relative coordinates run on.
static hn_status describe_tree(const hn_equations *equations, hn_arena *arena, hn_mobility *out) {
  out->cut_rows = -1;
  if (!equations->type->traits.of_joints) return HN_OK;
  const hn_model *model = equations->model;
  out->tree = hn_allocate(NULL, (size_t)model->body_count * sizeof(hn_tree_entry));
  out->cut = hn_allocate(NULL, ((size_t)model->joint_count + 1) * sizeof(int));
  int *depth = HN_TAKE(arena, int, model->body_count);
  if (!out->tree || !out->cut || !depth) return HN_ERROR_MEMORY;
  out->tree_count = model->body_count - 1;
  out->cut_rows = hn_relative_describe(equations, out->tree, depth, out->cut, &out->cut_count);
  out->equations = out->cut_rows + equations->normalizations;
  return HN_OK;
}

static hn_status compute(hn_equations *equations, double t, const double *q,
                         const hn_branches *branches, work *w, hn_mobility *out) {
  int bodies = equations->model->body_count, rows = equations->elements->row_count;
  w->elements = equations->elements;
  w->frames = HN_TAKE(&w->arena, hn_frame, bodies);
  w->size = HN_TAKE(&w->arena, double, bodies);
  w->column = HN_TAKE(&w->arena, int, bodies);
  w->repeats = HN_TAKE(&w->arena, unsigned char, rows);
  w->choice = HN_TAKE(&w->arena, unsigned char, rows);
  double *at_rest = HN_TAKE(&w->arena, double, equations->nq);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  equations->type->coordinates->frames(equations, q, at_rest, w->frames);
  hn_body_sizes(equations->model, w->size);
  w->rows = hn_cartesian_evaluate_rows(equations, t, w->frames, branches);
  hn_status status = hn_joint_graph_create(&w->arena, w->elements, &w->graph);
  if (status == HN_OK) status = analyse_parts(w);
  if (status != HN_OK) return status;
  count_all(equations, w, out);
  status = describe_tree(equations, &w->arena, out);
  if (status != HN_OK) return status;
  status = list_owners(w->elements, w->repeats, NULL, &out->redundant, &out->redundant_count);
  if (status == HN_OK)
    status = list_owners(w->elements, w->choice, w->components.of_joint, &out->not_unique,
                         &out->not_unique_count);
  if (status != HN_OK) return status;
  status = list_held_and_free(w, out);
  if (status != HN_OK) return status;
  status = write_note(w, t, branches, out);
  if (status != HN_OK) return status;
  out->weightless = hn_allocate(NULL, (size_t)bodies * sizeof(int));
  if (!out->weightless) return HN_ERROR_MEMORY;
  return hn_find_weightless(&w->arena, w->elements, t, w->frames, branches, out->weightless, NULL,
                            &out->weightless_count);
}

hn_status hn_mobility_compute(hn_equations *equations, const hn_allocator *allocator, double t,
                              const double *q, const hn_branches *branches, hn_mobility *mobility,
                              hn_error *error) {
  work w = {.rank = 0};
  *mobility = (hn_mobility){.bodies = 0};
  hn_arena_init(&w.arena, allocator);
  hn_status status = compute(equations, t, q, branches, &w, mobility);
  hn_arena_release(&w.arena);
  if (status == HN_OK) return HN_OK;
  hn_mobility_free(mobility);
  return hn_fail(error, status, NULL, NULL, "check the masses and the joints at this position",
                 "the degrees of freedom cannot be computed: %s", hn_status_text(status));
}

void hn_mobility_free(hn_mobility *mobility) {
  if (!mobility) return;
  hn_release(NULL, mobility->redundant);
  hn_release(NULL, mobility->not_unique);
  hn_release(NULL, mobility->weightless);
  hn_release(NULL, mobility->tree);
  hn_release(NULL, mobility->cut);
  hn_release(NULL, mobility->held);
  hn_release(NULL, mobility->free);
  *mobility = (hn_mobility){.bodies = 0};
}
