// The padded system of solver_system.h: its layout and its numbers. Units are the scales of
// saddle_scale.c: speeds to unit diagonals of M, rows to unit length then, both to the next power
// of two. Out of scope: residuals and refinement (solver_refine.c).
#include "linalg/solver_system.h"

#include <math.h>
#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/share.h"

// ---- layout -------------------------------------------------------------------------------------

// From here on what can be found again is not kept: nodes of rows, units of speeds.
enum { MANY_ROWS = 10000 };
// From here on nodes ask for memory ahead: some two megabytes.
enum { MANY_NODES = 2000 };

static int take_fixed(hn_arena *arena, const hn_solver_problem *p, const hn_nodes *nodes,
                      hn_system *s) {
  const int panels = nodes->body_start[nodes->count];
  s->sweep.look_order = HN_TAKE(arena, int, s->nodes);
  s->node_size = HN_TAKE(arena, int, s->nodes);
  s->node_pad = HN_TAKE(arena, int, s->nodes);
  s->node_step = HN_KEEP(arena, int, s->nodes);
  s->y_at = HN_TAKE(arena, int, s->nodes + 1);
  s->kept_body = HN_TAKE(arena, int, s->nodes);
  s->first_row = HN_TAKE(arena, int, s->nodes);
  s->row_y = HN_TAKE(arena, int, p->rows);
  if (!p->soft || s->traits.has_soft || p->rows < MANY_ROWS)
    s->row_node = HN_TAKE(arena, int, p->rows);
  s->panel_start = HN_TAKE(arena, int, s->nodes + 1);
  s->panel_body = HN_TAKE(arena, int, panels);
  s->panel_at = HN_KEEP(arena, int, panels);
  s->body_start = HN_TAKE(arena, int, p->bodies + 1);
  s->body_panel = HN_TAKE(arena, int, panels);
  s->body_node = HN_TAKE(arena, int, panels);
  s->soft = HN_TAKE(arena, unsigned char, p->rows);
  s->released = HN_KEEP(arena, unsigned char, p->rows);
  if (p->soft && !arena->failed) memcpy(s->soft, p->soft, (size_t)p->rows);
  return !arena->failed;
}

// First number in the blocks of the rows of the problem.
static int find_block(const hn_solver_problem *p, int row, int body) {
  int b = p->row_start[row];
  while (p->body[b] - 1 != body) b++;
  return 6 * b;
}

// Adds node `from` of `nodes` as node k. Returns 1 when its rows do not follow each other.
static int place_node(const hn_solver_problem *p, const hn_nodes *nodes, int from, int k,
                      hn_system *s) {
  const int *row = &nodes->row[nodes->row_start[from]], size = s->node_size[k];
  int panel = s->panel_start[k], is_scattered = 0;
  for (int i = 0; i < size; i++) {
    s->row_y[row[i]] = s->y_at[k] + i;
    if (s->row_node) s->row_node[row[i]] = k;
  }
  s->node_step[k] = 6;
  for (int b = nodes->body_start[from]; b < nodes->body_start[from + 1]; b++, panel++) {
    const int at = find_block(p, row[0], nodes->body[b]);
    s->panel_body[panel] = nodes->body[b];
    s->panel_at[panel] = at;
    if (size > 1 && panel == s->panel_start[k])
      s->node_step[k] = find_block(p, row[1], nodes->body[b]) - at;
    for (int i = 1; i < size; i++)
      is_scattered |= find_block(p, row[i], nodes->body[b]) != at + i * s->node_step[k];
  }
  s->panel_start[k + 1] = panel;
  return is_scattered;
}

static void place_nodes(const hn_solver_problem *p, const hn_nodes *nodes, const int *order,
                        unsigned char *is_scattered, hn_system *s) {
  for (int k = 0; k < s->nodes; k++) {
    int from = order ? order[k] : k, is_body = from < 0;
    s->kept_body[k] = is_body ? -1 - from : -1;
    s->traits.has_kept |= is_body;
    s->node_size[k] = is_body ? 6 : hn_node_size(nodes, from);
    s->node_pad[k] = HN_PAD(s->node_size[k]);
    s->y_at[k + 1] = s->y_at[k] + s->node_pad[k];
    if (is_body) {
      s->panel_start[k + 1] = s->panel_start[k];
    } else {
      is_scattered[k] = place_node(p, nodes, from, k, s) != 0;
    }
  }
}

// Panels by bodies, as they follow each other in the order of nodes.
static void list_by_bodies(hn_system *s) {
  for (int p = 0; p < s->panel_start[s->nodes]; p++) s->body_start[s->panel_body[p] + 1]++;
  for (int b = 0; b < s->bodies; b++) s->body_start[b + 1] += s->body_start[b];
  for (int k = 0; k < s->nodes; k++)
    for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
      int at = s->body_start[s->panel_body[p]]++;
      s->body_panel[at] = p;
      s->body_node[at] = k;
    }
  for (int b = s->bodies; b > 0; b--) s->body_start[b] = s->body_start[b - 1];
  s->body_start[0] = 0;
}

static int last_body(const hn_system *s, int k) {
  int last = 0;
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++)
    if (s->panel_body[p] > last) last = s->panel_body[p];
  return last;
}

// A counting sort: nodes of equal last bodies stay in their order. start: work array (bodies + 1).
static void order_looks(hn_system *s, int *start) {
  for (int k = 0; k < s->nodes; k++) start[last_body(s, k) + 1]++;
  for (int b = 0; b < s->bodies; b++) start[b + 1] += start[b];
  for (int k = 0; k < s->nodes; k++) s->sweep.look_order[start[last_body(s, k)]++] = k;
}

// Memory for copies: of scattered nodes, and of those with rows that may be released.
static int make_spares(hn_arena *arena, const hn_solver_problem *p,
                       const unsigned char *is_scattered, unsigned char *may_release,
                       hn_system *s) {
  int sources = 0;
  for (int r = 0; r < s->rows; r++)
    if (!p->soft || p->soft[r]) may_release[hn_node_of_row(s, r)] = 1;
  for (int k = 0; k < s->nodes; k++) {
    if (!is_scattered[k] && !may_release[k]) continue;
    s->copies.spares++;
    sources += s->node_size[k] * (s->panel_start[k + 1] - s->panel_start[k]);
  }
  s->copies.spare = HN_KEEP(arena, hn_spare_node, s->copies.spares);
  s->copies.source = HN_TAKE(arena, int, sources);
  s->copies.own = HN_KEEP(arena, double, 6 * (size_t)sources);
  if (arena->failed) return 0;
  for (int k = 0, i = 0, at = 0; k < s->nodes; k++) {
    if (!is_scattered[k] && !may_release[k]) continue;
    s->copies.spare[i++] =
        (hn_spare_node){.node = k, .at = 6 * at, .source = at, .is_scattered = is_scattered[k]};
    at += s->node_size[k] * (s->panel_start[k + 1] - s->panel_start[k]);
    may_release[k] = 1;
  }
  return 1;
}

static void fill_spares(const hn_solver_problem *p, const int *spare_of, hn_system *s) {
  for (int r = 0; r < s->rows; r++) {
    const int k = hn_node_of_row(s, r), i = s->row_y[r] - s->y_at[k];
    if (spare_of[k] < 0) continue;
    hn_spare_node *spare = &s->copies.spare[spare_of[k]];
    spare->row[i] = r;
    for (int panel = s->panel_start[k]; panel < s->panel_start[k + 1]; panel++)
      s->copies.source[spare->source + (panel - s->panel_start[k]) * s->node_size[k] + i] =
          find_block(p, r, s->panel_body[panel]);
  }
}

// Rows by their places in y: kept as such only where those of a joint do not follow each other.
static int find_rows(hn_arena *arena, hn_arena *scratch, hn_system *s) {
  int is_scattered = 0;
  s->y_size = s->y_at[s->nodes];
  int *row_of = HN_TAKE(scratch, int, s->y_size);
  if (!row_of) return 0;
  for (int i = 0; i < s->y_size; i++) row_of[i] = -1;
  for (int r = 0; r < s->rows; r++) row_of[s->row_y[r]] = r;
  for (int k = 0; k < s->nodes; k++) {
    const int *row = &row_of[s->y_at[k]];
    s->first_row[k] = row[0];
    for (int a = 1; a < s->node_size[k]; a++)
      if (row[a] != row[0] + a) s->first_row[k] = -1;
    is_scattered |= s->first_row[k] < 0 && s->kept_body[k] < 0;
  }
  if (is_scattered) s->row_of = hn_arena_copy(arena, row_of, (size_t)s->y_size, sizeof(int));
  return !arena->failed;
}

static hn_status lay_out(hn_arena *arena, const hn_solver_problem *p, const hn_nodes *nodes,
                         const int *order, hn_system *s) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  unsigned char *is_scattered = HN_TAKE(&scratch, unsigned char, s->nodes);
  unsigned char *may_release = HN_TAKE(&scratch, unsigned char, s->nodes);
  int *spare_of = HN_TAKE(&scratch, int, s->nodes);
  int *start = HN_TAKE(&scratch, int, s->bodies + 2);
  int done = !scratch.failed && take_fixed(arena, p, nodes, s);
  if (done) {
    place_nodes(p, nodes, order, is_scattered, s);
    list_by_bodies(s);
    order_looks(s, start);
    done = make_spares(arena, p, is_scattered, may_release, s);
  }
  if (done) {
    for (int k = 0; k < s->nodes; k++) spare_of[k] = -1;
    for (int i = 0; i < s->copies.spares; i++) spare_of[s->copies.spare[i].node] = i;
    fill_spares(p, spare_of, s);
  }
  done = done && find_rows(arena, &scratch, s);
  hn_arena_release(&scratch);
  return done ? HN_OK : HN_ERROR_MEMORY;
}

// Numbers. `shifts`: epsilon may be other than 0.
static hn_status take_numbers(hn_arena *arena, int shifts, int room, hn_system *s) {
  const int limits = s->traits.is_light ? s->y_size : HN_NODE_ROWS;
  if (shifts || s->traits.is_light || !s->traits.is_even || s->rows < MANY_ROWS)
    s->d = HN_KEEP(arena, double, s->x_size);
  s->r = HN_KEEP(arena, double, s->y_size);
  s->least = HN_KEEP(arena, double, limits);
  if (s->traits.is_light) s->rho_x = HN_KEEP(arena, double, s->x_size);
  if (shifts) {
    s->epsilon = HN_KEEP(arena, double, s->y_size);
    s->epsilon_y = HN_KEEP(arena, double, s->y_size);
    s->sweep.bound_x = HN_KEEP(arena, double, s->x_size);
    s->sweep.bound_y = HN_KEEP(arena, double, s->y_size);
  }
  const size_t x = (size_t)s->x_size, y = (size_t)s->y_size, z = y + (size_t)room;
  s->sweep.room_size = y + 2 * z + 2 * x;
  s->sweep.f = HN_KEEP(arena, double, s->sweep.room_size);
  if (arena->failed) return HN_ERROR_MEMORY;
  s->sweep.z = s->sweep.f + y;
  s->sweep.residual_x = s->sweep.z + z;
  s->sweep.residual_y = s->sweep.residual_x + x;
  s->sweep.rest = s->sweep.own_rest = s->sweep.residual_y + z;
  s->sweep.speed = HN_KEEP(arena, double, s->bodies);
  const int most = s->bodies > s->nodes ? s->bodies : s->nodes;
  s->sweep.extents = HN_KEEP(arena, hn_want, 2 * (most / HN_BODY_GRAIN + 1));
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < limits; i++) s->least[i] = HN_SYSTEM_LEAST;
  for (int i = 0; i < s->y_size; i++) s->r[i] = 1;
  return HN_OK;
}

hn_status hn_system_create(hn_arena *arena, const hn_solver_problem *p, const hn_nodes *nodes,
                           const int *order, int order_length, int room, hn_system *s) {
  *s = (hn_system){.bodies = p->bodies,
                   .rows = p->rows,
                   .nodes = order ? order_length : nodes->count,
                   .x_size = 6 * p->bodies,
                   .soft_epsilon = p->soft_epsilon,
                   .traits.is_light = hn_solver_light_body(p) > 0,
                   .traits.is_large = (order ? order_length : nodes->count) >= MANY_NODES,
                   .wide = hn_is_wide(),
                   .threads = p->threads};
  if (s->traits.is_light) s->rho = HN_SYSTEM_RHO;
  if (s->traits.is_light) s->hard_epsilon = HN_SYSTEM_EPSILON;
  s->traits.is_even = hn_solver_is_even(p);
  for (int r = 0; p->soft && r < p->rows; r++) s->traits.has_soft |= p->soft[r] != 0;
  hn_status status = lay_out(arena, p, nodes, order, s);
  if (status != HN_OK) return status;
  status = take_numbers(arena, !p->soft || s->traits.has_soft || s->hard_epsilon > 0, room, s);
  if (status != HN_OK) return status;
  hn_system_release(s, s->released);
  hn_system_regularize(s, 0);
  return HN_OK;
}

hn_solver hn_system_solver(hn_system *s, const hn_solver_type *type, double operations) {
  return (hn_solver){.type = type,
                     .rows = s->rows,
                     .system = s,
                     .soft = s->soft,
                     .released = s->released,
                     .operations = operations};
}

// ---- rows that are left out ---------------------------------------------------------------------

// A node is read where the caller has it, or from its copy.
static void choose_copies(hn_system *s) {
  for (int i = 0; i < s->copies.spares; i++) {
    hn_spare_node *spare = &s->copies.spare[i];
    const int k = spare->node, size = s->node_size[k];
    const int *source = &s->copies.source[spare->source];
    spare->is_copied = spare->is_scattered;
    for (int a = 0; a < size; a++) spare->is_copied |= s->released[spare->row[a]];
    s->node_step[k] = spare->is_copied || size == 1 ? 6 : source[1] - source[0];
    for (int panel = 0; panel < s->panel_start[k + 1] - s->panel_start[k]; panel++)
      s->panel_at[s->panel_start[k] + panel] =
          spare->is_copied ? ~(spare->at + 6 * size * panel) : source[size * panel];
  }
}

void hn_system_release(hn_system *s, const unsigned char *released) {
  int changes = released == s->released; // at the beginning
  if (!released && !s->traits.has_released) return;
  s->traits.has_released = 0;
  for (int r = 0; r < s->rows; r++) {
    unsigned char now = released && released[r];
    changes |= s->released[r] ^ now;
    s->released[r] = now;
    s->traits.has_released |= now != 0;
  }
  if (!changes) return;
  choose_copies(s);
  hn_system_regularize(s, s->traits.is_hard);
}

void hn_system_regularize(hn_system *s, int is_hard) {
  s->traits.is_hard = is_hard;
  s->traits.is_plain = !s->traits.is_light;
  for (int r = 0; s->epsilon && r < s->rows; r++) {
    double epsilon = s->released[r]                     ? 1
                     : s->soft[r] && !s->traits.is_hard ? s->soft_epsilon
                                                        : s->hard_epsilon;
    s->epsilon[s->row_y[r]] = epsilon;
    if (epsilon > 0) s->traits.is_plain = 0;
  }
}

static void copy_spares(hn_system *s, const double *blocks) {
  for (int i = 0; i < s->copies.spares; i++) {
    const hn_spare_node *spare = &s->copies.spare[i];
    const int k = spare->node, size = s->node_size[k];
    const int count = size * (s->panel_start[k + 1] - s->panel_start[k]);
    if (!spare->is_copied) continue;
    double *to = &s->copies.own[spare->at];
    for (int b = 0; b < count; b++, to += 6) {
      if (s->released[spare->row[b % size]])
        memset(to, 0, 6 * sizeof(double));
      else
        memcpy(to, &blocks[s->copies.source[spare->source + b]], 6 * sizeof(double));
    }
  }
}

// ---- units --------------------------------------------------------------------------------------

// The power of two next to x.
static double power_of_two(double x) {
  int exponent;
  double fraction = frexp(x, &exponent);
  return ldexp(1, fraction > 0.70710678118654752 ? exponent : exponent - 1);
}

static const int diagonal_of_m[6] = {0, 1, 2, 3, 5, 8}; // in the 9 numbers of a body

// The unit that row `a` of node k suggests for speeds without one (d is 0 for them).
static void ask_for_units(const hn_system *s, int k, int a, double *wanted) {
  double others = 0;
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = hn_panel(s, p) + a * s->node_step[k], *d = &s->d[6 * s->panel_body[p]];
    for (int i = 0; i < 6; i++) others += j[i] * d[i] * (j[i] * d[i]);
  }
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = hn_panel(s, p) + a * s->node_step[k], *d = &s->d[6 * s->panel_body[p]];
    double *to = &wanted[6 * s->panel_body[p]];
    for (int i = 0; i < 6; i++) {
      double want = others > 0 ? j[i] * j[i] / others : j[i] * j[i];
      if (!(d[i] > 0) && want > to[i]) to[i] = want;
    }
  }
}

// Speeds with (almost) no inertia of their own take the scale at which the rows that hold them see
// them as large as the others (saddle_scale.c); d is 0 for them on entry.
static void find_light_units(hn_system *s, double *wanted) {
  memset(wanted, 0, (size_t)s->x_size * sizeof(double));
  for (int k = 0; k < s->nodes; k++)
    for (int a = 0; a < s->node_size[k]; a++) ask_for_units(s, k, a, wanted);
  for (int i = 0; i < s->x_size; i++) {
    if (s->d[i] > 0) continue;
    double m = s->m[9 * (i / 6) + diagonal_of_m[i % 6]];
    double by_rows = wanted[i] > 0 ? 1 / sqrt(wanted[i]) : 0, by_mass = m > 0 ? 1 / sqrt(m) : 0;
    if (by_rows > 0 && (by_mass <= 0 || by_mass > 1e6 * by_rows))
      s->d[i] = power_of_two(by_rows);
    else
      s->d[i] = by_mass > 0 ? power_of_two(by_mass) : 1;
  }
}

HN_INLINE void units_of_speeds(int wide, const hn_system *s) {
  for (int b = 0; b < s->bodies; b++) {
    const double *m = &s->m[9 * b];
    hn_lanes unit, last;
    lanes_load(wide, 4, &unit, m);
    lanes_collect(wide, 2, &last, m + 5, 3);
    lanes_unit(wide, 4, &unit);
    lanes_unit(wide, 2, &last);
    lanes_store(wide, 4, &unit, &s->d[6 * b]);
    lanes_store(wide, 2, &last, &s->d[6 * b + 4]);
  }
}

HN_VARIANTS(units_of_speeds, (const hn_system *s), (s))

// Speeds whose inertia is small against the largest have their units by the rows.
static void find_uneven_units(hn_system *s) {
  double most = 0, least = HUGE_VAL;
  for (int i = 0; i < s->x_size; i++) {
    const double m = s->m[9 * (i / 6) + diagonal_of_m[i % 6]];
    most = m > most ? m : most;
    least = m < least ? m : least;
  }
  if (least > 1e-13 * most) return;
  for (int i = 0; i < s->x_size; i++)
    if (!(s->m[9 * (i / 6) + diagonal_of_m[i % 6]] > 1e-13 * most)) s->d[i] = 0;
  find_light_units(s, s->sweep.residual_x);
}

static void find_speed_units(hn_system *s) {
  if (!s->d) return;
  HN_PICK(s->wide, units_of_speeds)(s);
  if (!s->traits.is_even) find_uneven_units(s);
  for (int i = 0; s->traits.is_light && i < s->x_size; i++)
    s->rho_x[i] = s->rho / (s->d[i] * s->d[i]);
}

// Rows of length one, in units of D.
HN_INLINE void node_units(int wide, int size, const hn_system *s, int k) {
  const int step = s->node_step[k];
  hn_lanes sum[6] = {{{0}}}, unit, row;
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = hn_panel(s, p);
    lanes_load(wide, 6, &unit, &s->d[6 * s->panel_body[p]]);
    HN_UNROLL for (int a = 0; a < size; a++) {
      lanes_load(wide, 6, &row, j + a * step);
      lanes_multiply(wide, 6, &row, &row, &unit);
      lanes_add_product(wide, 6, &sum[a], &row, &row);
    }
  }
  HN_UNROLL for (int a = 0; a < size; a++) {
    const double square = lanes_sum(wide, 6, &sum[a]);
    s->r[s->y_at[k] + a] = square > 0 ? hn_unit_of(square) : 1;
  }
}

HN_INLINE void find_row_units(int wide, const hn_system *s, int from, int to) {
  for (int k = from; k < to; k++) {
    if (s->kept_body[k] >= 0)
      memcpy(&s->r[s->y_at[k]], &s->d[6 * s->kept_body[k]], 6 * sizeof(double));
    else
      HN_BY_SIZE(wide, s->node_size[k], node_units, s, k);
  }
}

HN_VARIANTS(find_row_units, (const hn_system *s, int from, int to), (s, from, to))

static void find_range(void *context, int from, int to) {
  const hn_system *s = context;
  HN_PICK(s->wide, find_row_units)(s, from, to);
}

void hn_system_load(hn_system *s, const double *mass, const double *blocks) {
  s->m = mass;
  s->blocks = blocks;
  copy_spares(s, blocks);
  find_speed_units(s);
  if (hn_units_by_diagonal(s)) return;
  hn_share(s->threads, find_range, s, s->nodes, HN_BODY_GRAIN);
  for (int i = 0; !s->traits.is_plain && i < s->y_size; i++)
    s->epsilon_y[i] = s->epsilon[i] / (s->r[i] * s->r[i]);
}
