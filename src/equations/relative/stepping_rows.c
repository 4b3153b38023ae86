// Conditions and loops of a step in joint speeds (relative/stepping.h): rows carried along the tree,
// y = diag^-1/2 L^-T G', and W = y' y over the speeds that two of them share.
#include <math.h>
#include <string.h>

#include "base/variants.h"
#include "equations/relative/stepping.h"

#define ROUNDING 1e-12    // of the largest number in all rows: a row of smaller ones is not there
#define RATE_CLOSED 1e-12 // m/s or rad/s: violations that count as none
#define RATE_ENOUGH 1e-9
#define SHRINKS 0.5 // a violation that does not shrink by this factor wants factors of its own
enum { CORRECTIONS = 8 };

// The speeds at and above a node, ascending: a column of the mass pattern. Returns how many.
static int chain_of(const hn_tree *tree, int node, const int **speeds) {
  while (node >= 0 && tree->nodes[node].u_count == 0) node = tree->nodes[node].parent;
  *speeds = NULL;
  if (node < 0) return 0;
  const int last = tree->nodes[node].u + tree->nodes[node].u_count - 1;
  *speeds = &tree->mass_index[tree->mass_start[last]];
  return tree->mass_start[last + 1] - tree->mass_start[last];
}

hn_status hn_relative_make_stepping_rows(hn_arena *arena, hn_relative_stepper *self) {
  const size_t nu = (size_t)self->set->base.nu, most = (size_t)self->base.most;
  const size_t loops = (size_t)self->loop_count;
  self->y = HN_WORK(arena, double, most *nu * 4);
  self->list = HN_WORK(arena, int, most *nu);
  self->listed = HN_WORK(arena, int, most);
  self->along = hn_arena_work(arena, most, sizeof *self->along);
  self->is_chain = HN_WORK(arena, unsigned char, most);
  self->taken = HN_WORK(arena, double, loops);
  self->parts = HN_WORK(arena, double, loops);
  self->coupling = HN_WORK(arena, double, most *loops * 4);
  return hn_row_basis_create(arena, self->loop_count, self->set->base.nu, &self->basis);
}

// ---- along the tree -----------------------------------------------------------------------------

static void ascend(const hn_relative_stepper *self, double *z) {
  for (int i = self->turning_count - 1; i >= 0; i--) {
    const int k = self->turning[i];
    const hn_step_row *row = &self->rows[k];
    const double *l = &self->mass[row->at], x = z[k];
    for (int p = 0; p < row->above; p++) z[row->index[p]] -= l[p] * x;
    z[k] = x * self->root[k];
  }
}

void hn_relative_descend(const hn_relative_stepper *self, const double *z, double *x) {
  for (int i = 0; i < self->turning_count; i++) {
    const int k = self->turning[i];
    const hn_step_row *row = &self->rows[k];
    const double *l = &self->mass[row->at];
    double a = z[k] * self->root[k], b = 0;
    int p = 0;
    for (; p + 1 < row->above; p += 2) {
      a -= l[p] * x[row->index[p]];
      b -= l[p + 1] * x[row->index[p + 1]];
    }
    if (p < row->above) a -= l[p] * x[row->index[p]];
    x[k] = a + b;
  }
  for (int r = 0; r < self->rotor_count; r++)
    x[self->rotors[r].u] = self->rotors[r].ratio * x[self->rotors[r].of_u];
}

// ---- loops --------------------------------------------------------------------------------------

// The part of a row that rotors move is one of their coordinates.
static void fold_rotors(const hn_relative_stepper *self, double *g, int stride) {
  for (int r = 0; r < self->rotor_count; r++)
    for (int i = 0; i < stride; i++) {
      double *of = &g[self->rotors[r].u * stride + i];
      g[self->rotors[r].of_u * stride + i] += self->rotors[r].ratio * *of;
      *of = 0;
    }
}

// Row c of the loops.
static void add_to_basis(hn_relative_stepper *self, int c, double floor) {
  const hn_relative_set *set = self->set;
  const int nu = set->base.nu, cut = self->loops[c];
  double *e = hn_row_basis_vector(&self->basis, c);
  memset(e, 0, (size_t)nu * sizeof *e);
  for (int k = set->j_start[cut]; k < set->j_start[cut + 1]; k++)
    e[set->j_index[k]] += set->j_values[k];
  fold_rotors(self, e, 1);
  const int is_there = hn_largest(e, nu) > floor;
  ascend(self, e);
  hn_row_basis_add(&self->basis, c, is_there);
}

void hn_relative_hold_loops(hn_relative_stepper *self, double *z) {
  hn_relative_set *set = self->set;
  const hn_row_basis *basis = &self->basis;
  fold_rotors(self, z, 1);
  ascend(self, z);
  if (self->loop_count == 0) return;
  const double floor = ROUNDING * hn_largest(set->j_values, set->j_start[set->cut_count]);
  for (int c = 0; c < self->loop_count; c++) {
    add_to_basis(self, c, floor);
    self->taken[c] = 0;
    if (!basis->is_kept[c]) continue;
    // drivers have their speed at the end; of joints the mean of the speeds satisfies them in the
    // middle, and those at the end are projected
    const int row = set->cut_row[self->loops[c]];
    const double rate =
        -(set->base.elements->rows[row].is_driver ? 1 : 2) * set->base.rows->rate[row];
    for (int k = 0; k < c; k++) // components of z along rows before are what these prescribe
      if (basis->is_kept[k]) self->parts[k] = hn_row_basis_dot(basis, k, z);
    self->taken[c] =
        hn_row_basis_component(basis, c, rate, self->parts) - hn_row_basis_dot(basis, c, z);
    hn_row_basis_add_scaled(basis, c, self->taken[c], z);
  }
}

void hn_relative_ascend_free(hn_relative_stepper *self, double *z) {
  fold_rotors(self, z, 1);
  ascend(self, z);
  hn_relative_bear_by_loops(self, z);
}

void hn_relative_bear_by_loops(hn_relative_stepper *self, double *z) {
  for (int c = 0; c < self->loop_count; c++) {
    if (!self->basis.is_kept[c]) continue;
    const double part = hn_row_basis_dot(&self->basis, c, z);
    self->taken[c] -= part;
    hn_row_basis_add_scaled(&self->basis, c, -part, z);
  }
}

// The largest violation at (q, u), and x, the change of coordinates or speeds that would take it back by
// the basis of q_m.
static double correct(hn_relative_stepper *self, int is_rate, double *z, double *x) {
  const hn_relative_set *set = self->set;
  const hn_cartesian_rows *rows = set->base.rows;
  double worst = 0, *part = self->taken;
  memset(z, 0, (size_t)set->base.nu * sizeof *z);
  for (int c = 0; c < self->loop_count; c++) {
    const int row = set->cut_row[self->loops[c]];
    const double gap = is_rate ? rows->rate[row] : rows->value[row];
    if (!(fabs(gap) <= worst)) worst = fabs(gap);
    if (!self->basis.is_kept[c]) continue;
    part[c] = hn_row_basis_component(&self->basis, c, -gap, part);
    hn_row_basis_add_scaled(&self->basis, c, part[c], z);
  }
  hn_relative_descend(self, z, x);
  return worst;
}

int hn_relative_close_loops(hn_relative_stepper *self, const hn_stepping_span *span) {
  hn_relative_set *set = self->set;
  const int nu = set->base.nu;
  for (int is_rate = 0; is_rate < 2; is_rate++) {
    double before = HUGE_VAL;
    const double closed = is_rate ? RATE_CLOSED : HN_GAP_CLOSED * span->projection;
    for (int k = 0;; k++) {
      memcpy(set->u, self->u, (size_t)nu * sizeof(double));
      if (is_rate && k > 0)
        hn_tree_move_on(set->tree, set->u, vec3_zero(), set->motion);
      else
        hn_tree_move(set->tree, span->next_q, set->u, vec3_zero(), set->motion);
      hn_tree_frames(set->tree, NULL, set->motion, span->next->frames);
      hn_relative_move_cuts(set, span->t_end, span->next_q, span->next->frames, span->branches);
      const double gap = correct(self, is_rate, self->z, self->x);
      if (gap <= closed) break;
      if (k == CORRECTIONS || !(gap <= SHRINKS * before)) {
        if (gap <= (is_rate ? RATE_ENOUGH : span->projection)) break;
        return 0;
      }
      before = gap;
      if (is_rate)
        for (int i = 0; i < nu; i++) self->u[i] += self->x[i];
      else
        hn_relative_displace(&set->base, self->x, span->next_q);
    }
  }
  return 1;
}

void hn_relative_loop_impulses(hn_relative_stepper *self) {
  hn_row_basis_solve_transposed(&self->basis, self->taken);
  for (int c = 0; c < self->loop_count; c++)
    self->base.impulse[self->set->cut_row[self->loops[c]]] =
        self->basis.is_kept[c] ? -self->taken[c] : 0;
}

// ---- rows of conditions -------------------------------------------------------------------------

// Rows of a body as lanes, their moments about the reference point.
typedef struct row_lanes {
  hn_four n[3], m[3];
} row_lanes;

HN_INLINE row_lanes lanes_of(const hn_stepping_condition *c, int rows, int side, hn_vec3 r) {
  row_lanes out;
  hn_four x[4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, y[4];
  memcpy(y, x, sizeof y);
  for (int i = 0; i < rows; i++) {
    const double *b = c->row[i].block[side];
    x[i] = HN_FOUR_OF(b); // the fourth: of what follows
    y[i] = HN_FOUR_OF(b + 2);
  }
  hn_transpose(x);
  hn_transpose(y);
  memcpy(out.n, x, sizeof out.n);
  const hn_four *n = out.n;
  out.m[0] = y[1] + (r.y * n[2] - r.z * n[1]);
  out.m[1] = y[2] + (r.z * n[0] - r.x * n[2]);
  out.m[2] = y[3] + (r.x * n[1] - r.y * n[0]);
  return out;
}

// G' of one body at a speed.
HN_INLINE void add_column(const row_lanes *g, const hn_speed_axis *s, double *y) {
  HN_FOUR(y) += g->n[0] * s->v.x + g->n[1] * s->v.y + g->n[2] * s->v.z + g->m[0] * s->w.x +
                g->m[1] * s->w.y + g->m[2] * s->w.z;
}

// Union of two ascending lists.
static int merge_chains(const int *a, int m, const int *b, int n, int *out) {
  int i = 0, j = 0, count = 0;
  while (i < m || j < n) {
    const int next = j >= n || (i < m && a[i] <= b[j]) ? a[i] : b[j];
    i += i < m && a[i] == next;
    j += j < n && b[j] == next;
    out[count++] = next;
  }
  return count;
}

// Speeds that the row moves and those above them, G' there. Returns 1 if rotors are among them.
HN_INLINE int carry_rows(hn_relative_stepper *self, const hn_stepping_span *span, int k,
                         const hn_stepping_condition *c, int rows) {
  const hn_tree *tree = self->set->tree;
  const size_t nu = (size_t)tree->nu;
  double *y = &self->y[(size_t)k * nu * 4];
  int *list = &self->list[(size_t)k * nu];
  memset(y, 0, 4 * nu * sizeof *y);
  const int *chain[2];
  int count[2], at[2], has_rotor = 0;
  self->is_chain[k] = 1;
  if (c->speed >= 0) {
    self->along[k] = self->rows[c->speed].index;
    self->listed[k] = self->rows[c->speed].above + 1;
    y[4 * c->speed] = c->share;
    return self->is_rotor[c->speed];
  }
  for (int side = 0; side < 2; side++) {
    at[side] = tree->body_node[c->row[0].body[side]];
    count[side] = chain_of(tree, at[side], &chain[side]);
  }
  if (count[0] == 0 || count[1] == 0) {
    const int side = count[0] == 0;
    self->along[k] = chain[side];
    self->listed[k] = count[side];
  } else {
    self->along[k] = list;
    self->listed[k] = merge_chains(chain[0], count[0], chain[1], count[1], list);
    self->is_chain[k] = 0;
  }
  row_lanes g[2];
  for (int side = 0; side < 2; side++) {
    if (at[side] < 0) continue;
    const hn_vec3 r =
        vec3_sub(span->next->frames[c->row[0].body[side]].r, self->reference[at[side]]);
    g[side] = lanes_of(c, rows, side, r);
  }
  while (at[0] != at[1]) { // above their common ancestor nothing moves between them
    const int side = at[1] > at[0];
    const hn_tree_node *node = &tree->nodes[at[side]];
    for (int i = node->u; i < node->u + node->u_count; i++) {
      add_column(&g[side], &self->axis[i], &y[4 * i]);
      has_rotor |= self->is_rotor[i];
    }
    at[side] = node->parent;
  }
  return has_rotor;
}

// y = diag^-1/2 L^-T G' over the list.
HN_INLINE void ascend_rows(hn_relative_stepper *self, int k) {
  const size_t nu = (size_t)self->set->tree->nu;
  const int *list = self->along[k];
  double *y = &self->y[(size_t)k * nu * 4];
  for (int i = self->listed[k] - 1; i >= 0; i--) {
    const int f = list[i];
    const hn_step_row *row = &self->rows[f];
    const double *l = &self->mass[row->at];
    const hn_four x = HN_FOUR_OF(y + 4 * f);
    for (int j = 0; j < row->above; j++) HN_FOUR(y + 4 * row->index[j]) -= l[j] * x;
    HN_FOUR(y + 4 * f) = x * self->root[f];
  }
}

// Takes the loops out of y, over all speeds.
HN_INLINE void take_loops_out(hn_relative_stepper *self, int k) {
  const size_t nu = (size_t)self->set->base.nu;
  double *y = &self->y[(size_t)k * nu * 4];
  if (self->loop_count == 0) return;
  for (int c = 0; c < self->loop_count; c++) {
    const double *e = hn_row_basis_vector(&self->basis, c);
    double *part = &self->coupling[((size_t)k * (size_t)self->loop_count + (size_t)c) * 4];
    hn_four sum = {0, 0, 0, 0};
    if (self->basis.is_kept[c]) {
      for (size_t i = 0; i < nu; i++) sum += e[i] * HN_FOUR_OF(y + 4 * i);
      for (size_t i = 0; i < nu; i++) HN_FOUR(y + 4 * i) -= e[i] * sum;
    }
    HN_FOUR(part) = sum;
  }
  for (int i = 0; i < (int)nu; i++) self->list[(size_t)k * nu + (size_t)i] = i;
  self->along[k] = &self->list[(size_t)k * nu];
  self->listed[k] = (int)nu;
  self->is_chain[k] = 0;
}

// Block (i, j) and its transpose.
HN_INLINE void respond_pair(const hn_relative_stepper *self, hn_delassus *d, int i, int j) {
  const size_t nu = (size_t)self->set->base.nu;
  const int shorter = self->listed[i] <= self->listed[j] ? i : j;
  const int *list = self->along[shorter];
  int n = self->listed[shorter];
  if (self->is_chain[i] && self->is_chain[j]) { // what two chains share comes first
    const int *other = self->along[i + j - shorter];
    if (list != other)
      for (int k = 0; k < n; k++)
        if (list[k] != other[k]) n = k;
  }
  const double *a = &self->y[(size_t)i * nu * 4], *b = &self->y[(size_t)j * nu * 4];
  const hn_four zero = {0, 0, 0, 0};
  hn_four s[4] = {zero, zero, zero, zero};
  if (hn_delassus_size(d->block[j].law) == 3) {
    for (int k = 0; k < n; k++) {
      const hn_four x = HN_FOUR_OF(a + 4 * list[k]);
      const double *y = b + 4 * list[k];
      s[0] += x * y[0];
      s[1] += x * y[1];
      s[2] += x * y[2];
    }
  } else {
    for (int k = 0; k < n; k++) s[0] += HN_FOUR_OF(a + 4 * list[k]) * b[4 * list[k]];
  }
  double *w = hn_delassus_at(d, i, j);
  for (int c = 0; c < 3; c++) HN_FOUR(w + 4 * c) = s[c];
  if (i == j) return;
  hn_transpose(s);
  w = hn_delassus_at(d, j, i);
  for (int c = 0; c < 3; c++) HN_FOUR(w + 4 * c) = s[c];
}

// Rows with rotors: what moves these is the coordinates they go with.
static void fold(hn_relative_stepper *self, int k) {
  const size_t nu = (size_t)self->set->base.nu;
  fold_rotors(self, &self->y[(size_t)k * nu * 4], 4);
  for (int i = 0; i < (int)nu; i++) self->list[(size_t)k * nu + (size_t)i] = i;
  self->along[k] = &self->list[(size_t)k * nu];
  self->listed[k] = (int)nu;
  self->is_chain[k] = 0;
}

void hn_relative_carry_condition(hn_relative_stepper *self, const hn_stepping_span *span, int k,
                                 const hn_stepping_condition *condition, int rows) {
  if (carry_rows(self, span, k, condition, rows)) fold(self, k);
  ascend_rows(self, k);
}

void hn_relative_take_loops_out(hn_relative_stepper *self, int k) { take_loops_out(self, k); }

HN_INLINE void respond(int wide, hn_relative_stepper *self, const hn_stepping_span *span,
                       const hn_stepping_condition *conditions, hn_delassus *d) {
  (void)wide;
  for (int k = 0; k < d->count; k++) {
    const int rows = hn_delassus_size(d->block[k].law);
    if (carry_rows(self, span, k, &conditions[k], rows)) fold(self, k);
    ascend_rows(self, k);
    take_loops_out(self, k);
  }
  for (int i = 0; i < d->count; i++)
    for (int j = 0; j <= i; j++) respond_pair(self, d, i, j);
}

HN_VARIANTS(respond,
            (hn_relative_stepper * self, const hn_stepping_span *span,
             const hn_stepping_condition *conditions, hn_delassus *d),
            (self, span, conditions, d))

hn_status hn_relative_stepping_respond(hn_stepper *stepper, const hn_stepping_span *span,
                                       const hn_stepping_condition *conditions,
                                       const hn_sweep_body *bodies, hn_delassus *d) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  (void)bodies;
  if (d->rows) {
    hn_relative_respond_rows(self, span, conditions, d->rows);
    return HN_OK;
  }
  HN_PICK(self->set->tree->wide, respond)(self, span, conditions, d);
  return HN_OK;
}

void hn_relative_gather(hn_relative_stepper *self, const hn_delassus *d, double *z) {
  const size_t nu = (size_t)self->set->base.nu, loops = (size_t)self->loop_count;
  if (d->rows) {
    hn_relative_gather_rows(self, d->rows, z);
    return;
  }
  memset(z, 0, nu * sizeof *z);
  for (int k = 0; k < d->count; k++) {
    const double *y = &self->y[(size_t)k * nu * 4], *p = d->p[k];
    const int *list = self->along[k];
    for (int i = 0; i < self->listed[k]; i++) {
      const double *at = y + 4 * list[i];
      z[list[i]] += at[0] * p[0] + at[1] * p[1] + at[2] * p[2];
    }
    for (size_t c = 0; c < loops; c++) {
      const double *part = &self->coupling[((size_t)k * loops + c) * 4];
      self->taken[c] -= part[0] * p[0] + part[1] * p[1] + part[2] * p[2];
    }
  }
}
