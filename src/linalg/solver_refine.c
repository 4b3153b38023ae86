// Solution by refinement, the same for every solver: with z = (x, y), f = (b, c)
//
//   z = P^-1 f,   then   z += P^-1 (f - K z)   until the residual is at rounding level,
//
// HN_SOFT_SWEEPS applications of P^-1 at most, so that a direction of singular value s keeps the share
// (epsilon / (s^2 + epsilon))^HN_SOFT_SWEEPS of its residual (saddle.h). Residuals are judged in units
// of D and R (solver_system.h).
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/share.h"
#include "linalg/solver_lanes.h"

// A residual is at rounding level when it is below the first part of the largest term of its block
// and, so that light bodies next to heavy ones are accurate too, below the second part of its own
// terms; what is below the third part of the largest term is zero.
#define OF_LARGEST 2e-15
#define OF_OWN 1e-13
#define OF_NOTHING 1e-17
// Rows that are left with more than this part of the largest term after all refinement are not solved.
#define STALLED 1e-8
#define STALLED_LIGHT 1e-13

// ---- residual -----------------------------------------------------------------------------------

// Extents number by number, in lanes.
typedef struct extents {
  hn_lanes residual, bound, excess;
} extents;

HN_INLINE void extents_begin(extents *e) {
  HN_UNROLL for (int i = 0; i < 6; i++) {
    e->residual.v[i] = e->excess.v[i] = 0;
    e->bound.v[i] = DBL_MIN;
  }
}

// The same where numbers come in pairs: all of them go to the first two, which stay in registers.
HN_INLINE void extents_add_pairs(int count, extents *e, const hn_lanes *residual,
                                 const hn_lanes *bound) {
  HN_UNROLL for (int i = 0; i < count; i += 2) {
    hn_lanes size, own;
    lanes_load(0, 2, &size, residual->v + i);
    lanes_load(0, 2, &own, bound->v + i);
    lanes_size(0, 2, &size);
    lanes_raise(0, 2, &e->residual, &size);
    lanes_raise(0, 2, &e->bound, &own);
    lanes_subtract(0, 2, &size, OF_OWN, &own);
    lanes_raise(0, 2, &e->excess, &size);
  }
}

// `count` numbers of a residual and of the sizes of its terms, in units.
HN_INLINE void extents_add(int wide, int count, extents *e, const hn_lanes *residual,
                           const hn_lanes *bound) {
  hn_lanes size = *residual;
  lanes_size(wide, count, &size);
  lanes_raise(wide, count, &e->residual, &size);
  lanes_raise(wide, count, &e->bound, bound);
  lanes_subtract(wide, count, &size, OF_OWN, bound);
  lanes_raise(wide, count, &e->excess, &size);
}

HN_INLINE void extents_end(const extents *e, hn_want *out) {
  *out = (hn_want){0, DBL_MIN, 0};
  HN_UNROLL for (int i = 0; i < 6; i++) {
    if (e->residual.v[i] > out->residual) out->residual = e->residual.v[i];
    if (e->bound.v[i] > out->bound) out->bound = e->bound.v[i];
    if (e->excess.v[i] > out->excess) out->excess = e->excess.v[i];
  }
}

typedef struct look {
  hn_system *system;
  const hn_system_inverse *inverse; // finishes bodies before their residuals are computed; null:
                                    // they are finished
  void *solver;
  const double *b;
  double *x;
  hn_want *of_bodies, *of_nodes; // of pieces
} look;

// residual_x = rest - M x, with rest = b - J' y. The sizes of the terms of J' y are taken together for
// each body: a little less than they are, so nothing is thought exact that is not.
HN_INLINE void look_at_bodies(int wide, const look *l, int from, int to) {
  const hn_system *s = l->system;
  extents e;
  extents_begin(&e);
  for (int k = from; k < to; k++) {
    const double *m = &s->m[9 * k], *z = &l->x[6 * k];
    hn_lanes f, rest, product, size, unit;
    lanes_load(wide, 6, &f, &l->b[6 * k]);
    lanes_load(wide, 6, &rest, &s->sweep.rest[6 * k]);
    lanes_set(wide, &product, m[0] * z[0], m[1] * z[1], m[2] * z[2],
              m[3] * z[3] + m[4] * z[4] + m[6] * z[5], m[4] * z[3] + m[5] * z[4] + m[7] * z[5],
              m[6] * z[3] + m[7] * z[4] + m[8] * z[5]);
    if (s->d)
      lanes_load(wide, 6, &unit, &s->d[6 * k]);
    else
      hn_units_of_body(m, unit.v);
    size = f;
    lanes_size(wide, 6, &size);
    lanes_subtract(wide, 6, &f, 1, &rest);
    lanes_add_size(wide, 6, &size, &f);
    lanes_add_size(wide, 6, &size, &product);
    lanes_subtract(wide, 6, &rest, 1, &product);
    lanes_store(wide, 6, &rest, &s->sweep.residual_x[6 * k]);
    lanes_multiply(wide, 6, &rest, &rest, &unit);
    lanes_multiply(wide, 6, &size, &size, &unit);
    lanes_multiply(wide, 6, &product, &product, &unit);
    s->sweep.speed[k] = lanes_most(wide, 6, &product);
    if (s->sweep.bound_x) lanes_store(wide, 6, &size, &s->sweep.bound_x[6 * k]);
    extents_add(wide, 6, &e, &rest, &size);
  }
  extents_end(&e, &l->of_bodies[from / HN_BODY_GRAIN]);
}

// residual_y = c - J x of node k. Rows have length one in units: the size of their terms is that of the
// speeds they see. Numbers stay in pairs, as the product leaves them.
HN_INLINE void node_look(int wide, int size, const look *l, int k, extents *e) {
  const hn_system *s = l->system;
  const int at = s->y_at[k], pad = HN_PAD(size);
  hn_lanes product, f, unit, bound;
  double seen = 0;
  hn_node_product(wide, size, s, k, l->x, &product);
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++)
    seen += s->sweep.speed[s->panel_body[p]];
  lanes_load(0, pad, &f, &s->sweep.f[at]);
  lanes_load(0, pad, &unit, &s->r[at]);
  lanes_subtract(0, pad, &f, 1, &product);
  lanes_store(0, pad, &f, &s->sweep.residual_y[at]);
  lanes_multiply(0, pad, &product, &product, &unit);
  lanes_multiply(0, pad, &f, &f, &unit);
  lanes_fill(0, pad, &bound, seen);
  lanes_add_size(0, pad, &bound, &product);
  lanes_add_size(0, pad, &bound, &f);
  if (s->sweep.bound_y) lanes_store(0, pad, &bound, &s->sweep.bound_y[at]);
  extents_add_pairs(pad, e, &f, &bound);
}

HN_INLINE void look_at_nodes(int wide, const look *l, int from, int to) {
  extents e;
  extents_begin(&e);
  for (int i = from; i < to; i++) {
    const int k = l->system->sweep.look_order[i];
    HN_BY_SIZE(wide, l->system->node_size[k], node_look, l, k, &e);
  }
  extents_end(&e, &l->of_nodes[from / HN_BODY_GRAIN]);
}

HN_VARIANTS(look_at_bodies, (const look *l, int from, int to), (l, from, to))
HN_VARIANTS(look_at_nodes, (const look *l, int from, int to), (l, from, to))

static void look_bodies(void *context, int from, int to) {
  const look *l = context;
  if (l->inverse) l->inverse->finish(l->solver, l->b, l->x, l->system->sweep.z, 0, from, to);
  HN_PICK(l->system->wide, look_at_bodies)(l, from, to);
}

static void look_nodes(void *context, int from, int to) {
  const look *l = context;
  HN_PICK(l->system->wide, look_at_nodes)(l, from, to);
}

// The last body that the node at this place of look_order sees.
static int last_seen(const hn_system *s, int place) {
  const int k = s->sweep.look_order[place];
  int last = 0;
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++)
    if (s->panel_body[p] > last) last = s->panel_body[p];
  return last;
}

// By one thread: bodies piece by piece, and behind each piece the nodes whose bodies are done, while
// their rows are in the cache.
static void look_together(look *l) {
  const hn_system *s = l->system;
  int node = 0;
  for (int from = 0, to; from < s->bodies; from = to) {
    to = from + HN_BODY_GRAIN < s->bodies ? from + HN_BODY_GRAIN : s->bodies;
    look_bodies(l, from, to);
    for (int end; node + HN_BODY_GRAIN <= s->nodes; node = end) {
      end = node + HN_BODY_GRAIN;
      if (last_seen(s, end - 1) >= to) break;
      look_nodes(l, node, end);
    }
  }
  for (int end; node < s->nodes; node = end) {
    end = node + HN_BODY_GRAIN < s->nodes ? node + HN_BODY_GRAIN : s->nodes;
    look_nodes(l, node, end);
  }
}

static hn_want gather(const hn_want *piece, int pieces) {
  hn_want all = {0, DBL_MIN, 0};
  for (int k = 0; k < pieces; k++) {
    const hn_want *e = &piece[k];
    if (e->residual > all.residual) all.residual = e->residual;
    if (e->bound > all.bound) all.bound = e->bound;
    if (e->excess > all.excess) all.excess = e->excess;
  }
  return all;
}

// f - K z of bodies and of rows, right after the inverse, whose bodies are finished on the way.
static void find_residual(hn_system *s, const hn_system_inverse *inverse, void *solver,
                          const double *b, double *x, hn_want now[2]) {
  const int bodies = s->bodies / HN_BODY_GRAIN + 1, nodes = s->nodes / HN_BODY_GRAIN + 1;
  look l = {s,
            inverse && inverse->finish ? inverse : NULL,
            solver,
            b,
            x,
            s->sweep.extents,
            s->sweep.extents + bodies};
  for (int k = 0; k < bodies + nodes; k++) s->sweep.extents[k] = (hn_want){0, DBL_MIN, 0};
  if (s->threads) {
    hn_share(s->threads, look_bodies, &l, s->bodies, HN_BODY_GRAIN);
    hn_share(s->threads, look_nodes, &l, s->nodes, HN_BODY_GRAIN);
  } else {
    look_together(&l);
  }
  if (l.inverse) inverse->close(solver, s->sweep.z);
  now[0] = gather(l.of_bodies, bodies);
  now[1] = gather(l.of_nodes, nodes);
  s->sweep.level[0] = now[0].bound;
  s->sweep.level[1] = now[1].bound;
}

// ---- products -----------------------------------------------------------------------------------

HN_INLINE void node_subtract(int wide, int size, const hn_system *s, int k, const double *y,
                             double *x) {
  const double *from = y + s->y_at[k];
  const int step = s->node_step[k];
  for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
    const double *j = hn_panel(s, p);
    double *to = &x[6 * s->panel_body[p]];
    hn_lanes rest, row;
    lanes_load(wide, 6, &rest, to);
    HN_UNROLL for (int a = 0; a < size; a++) {
      lanes_load(wide, 6, &row, j + step * a);
      lanes_subtract(wide, 6, &rest, from[a], &row);
    }
    lanes_store(wide, 6, &rest, to);
  }
}

HN_INLINE void subtract(int wide, const hn_system *s, const double *y, double *x) {
  for (int k = 0; k < s->nodes; k++) HN_BY_SIZE(wide, s->node_size[k], node_subtract, s, k, y, x);
}

HN_VARIANTS(subtract, (const hn_system *s, const double *y, double *x), (s, y, x))

// x -= J' y over all panels.
static void subtract_all(const hn_system *s, const double *y, double *x) {
  HN_PICK(s->wide, subtract)(s, y, x);
}

// ---- refinement ---------------------------------------------------------------------------------

static int is_small(const hn_want *e) {
  return e->residual <= OF_LARGEST * e->bound && e->excess <= OF_NOTHING * e->bound;
}

// Bodies are exact as a rule, because x is computed from y by M^-1 alone: iterations then use only
// the residual of the rows.
static int is_exact(hn_system *s, const hn_want now[2]) {
  s->sweep.x_is_zero = is_small(&now[0]);
  return s->sweep.x_is_zero && is_small(&now[1]);
}

// A sweep with P w = r leaves the residual r - K w = (P - K) w = (rho w_x, -epsilon w_y), and of r
// as much as the factorization errs: if r was small already and M is well conditioned, the residual
// need not be computed. `before`: how large r was.
static int is_predictable(const hn_system *s, const hn_want before[2]) {
  return !s->traits.is_light && before[0].residual <= 1e-6 * s->sweep.level[0] &&
         before[1].residual <= 1e-6 * s->sweep.level[1];
}

// Writes that residual to w. Returns 1 if it is at rounding level. Bodies are not light.
static int predict(hn_system *s) {
  s->sweep.is_solved = !(s->hard_epsilon > 0) && (s->traits.is_hard || !s->traits.has_soft);
  if (s->sweep.is_solved) return 1; // P is K
  const double limit = OF_LARGEST * s->sweep.level[1], least = OF_NOTHING * s->sweep.level[1];
  double outside = 0, *y = s->sweep.residual_y;
  s->sweep.x_is_zero = 1;
  memset(s->sweep.residual_x, 0, (size_t)s->x_size * sizeof(double));
  for (int i = 0; i < s->y_size; i++) {
    y[i] *= -s->epsilon_y[i];
    const double size = fabs(y[i]) * s->r[i], own = OF_OWN * s->sweep.bound_y[i] + least;
    outside += size <= limit && size <= own ? 0.0 : 1.0;
  }
  return outside <= 0;
}

// Where bodies lack inertia sweeps contract by rho too, slowly if a direction has inertia small
// against it: the residual there is small against the largest term, though the solution is not
// converged.
static int is_stalled(const hn_system *s, const hn_want now[2]) {
  if (!s->traits.is_light)
    return !s->traits.has_soft && !(now[1].residual <= STALLED * now[1].bound);
  return !(now[0].residual <= STALLED_LIGHT * now[0].bound &&
           (s->traits.has_soft || now[1].residual <= STALLED_LIGHT * now[1].bound));
}

// ---- solution -----------------------------------------------------------------------------------

HN_INLINE void add_all(int wide, const double *x, int count, double *to) {
  (void)wide;
  for (int i = 0; i < count; i++) to[i] += x[i];
}

HN_VARIANTS(add_all, (const double *x, int count, double *to), (x, count, to))

static void load_scattered(const hn_system *s, int k, const double *c, double *f, double *z) {
  for (int a = 0; a < s->node_pad[k]; a++) {
    const int r = hn_row_at(s, k, a);
    f[a] = z[a] = r < 0 || s->released[r] ? 0 : c[r];
  }
}

HN_INLINE void load_node(int wide, int size, const double *c, double *f, double *z) {
  hn_lanes row;
  lanes_load_some(wide, size, &row, c);
  lanes_store(wide, HN_PAD(size), &row, f);
  lanes_store(wide, HN_PAD(size), &row, z);
}

// Loads the rows of a node, contiguous or individually.
HN_INLINE void load_rows(int wide, const hn_system *s, const double *c) {
  for (int k = 0; k < s->nodes; k++) {
    const int first = s->first_row[k];
    double *f = &s->sweep.f[s->y_at[k]], *z = &s->sweep.z[s->y_at[k]];
    if (first >= 0 && !s->traits.has_released)
      HN_BY_SIZE(wide, s->node_size[k], load_node, c + first, f, z);
    else
      load_scattered(s, k, c, f, z);
  }
}

HN_VARIANTS(load_rows, (const hn_system *s, const double *c), (s, c))

void hn_system_load_rows(hn_system *s, const double *c) { HN_PICK(s->wide, load_rows)(s, c); }

static void store_scattered(const hn_system *s, int k, double *y) {
  for (int a = 0; a < s->node_size[k]; a++)
    if (hn_row_at(s, k, a) >= 0) y[hn_row_at(s, k, a)] = s->sweep.z[s->y_at[k] + a];
}

// z of a node, which grows by the step w if so, to its rows of y. Numbers are read as they were written:
// a processor waits else.
HN_INLINE void store_node(int wide, int size, const hn_system *s, int k, int adds, double *y,
                          double *sum) {
  const int at = s->y_at[k], pad = HN_PAD(size), first = s->first_row[k];
  hn_lanes z, w;
  lanes_load(wide, pad, &z, &s->sweep.z[at]);
  if (adds) {
    lanes_load(wide, pad, &w, &s->sweep.residual_y[at]);
    lanes_add(wide, pad, &z, 1, &w);
    lanes_store(wide, pad, &z, &s->sweep.z[at]);
  }
  if (first >= 0)
    lanes_store_some(wide, size, &z, y + first);
  else
    store_scattered(s, k, y);
  lanes_size(wide, pad, &z);
  *sum += lanes_sum(wide, pad, &z);
}

// sum: of the sizes of all numbers of z.
HN_INLINE void store_rows(int wide, const hn_system *s, int adds, double *y, double *sum) {
  double all = 0;
  for (int k = 0; k < s->nodes; k++)
    HN_BY_SIZE(wide, s->node_size[k], store_node, s, k, adds, y, &all);
  *sum = all;
}

HN_INLINE void sum_bodies(int wide, const double *x, int bodies, double *sum) {
  hn_lanes all = {{0, 0, 0, 0, 0, 0}}, one;
  for (int b = 0; b < bodies; b++) {
    lanes_load(wide, 6, &one, x + 6 * b);
    lanes_add_size(wide, 6, &all, &one);
  }
  *sum = lanes_sum(wide, 6, &all);
}

HN_VARIANTS(store_rows, (const hn_system *s, int adds, double *y, double *sum), (s, adds, y, sum))
HN_VARIANTS(sum_bodies, (const double *x, int bodies, double *sum), (x, bodies, sum))

static void fill_report(const hn_system *s, int refinements, hn_solver_report *report) {
  *report = (hn_solver_report){.refinements = refinements, .worst_row = -1};
  if (s->sweep.is_solved) {
    report->worst_row = s->rows > 0 ? 0 : -1;
    return;
  }
  for (int b = 0; b < s->bodies; b++) {
    double unit[6];
    if (s->d)
      memcpy(unit, &s->d[6 * b], sizeof unit);
    else
      hn_units_of_body(&s->m[9 * b], unit);
    for (int i = 0; i < 6; i++) {
      const double residual = fabs(s->sweep.residual_x[6 * b + i]) * unit[i];
      if (residual > report->residual_x) report->residual_x = residual;
    }
  }
  report->residual_x /= s->sweep.level[0];
  for (int r = 0; r < s->rows; r++) {
    double residual = fabs(s->sweep.residual_y[s->row_y[r]]) * s->r[s->row_y[r]];
    if (report->worst_row >= 0 && residual <= report->residual_y) continue;
    report->residual_y = residual;
    report->worst_row = r;
  }
}

// Bodies of a sweep: x + w_x.
static void add_bodies(void *context, int from, int to) {
  const look *l = context;
  const hn_system *s = l->system;
  if (l->inverse)
    l->inverse->finish(l->solver, l->b, l->x, s->sweep.residual_y, 1, from, to);
  else
    HN_PICK(s->wide, add_all)(s->sweep.residual_x + 6 * from, 6 * (to - from), l->x + 6 * from);
}

// The residual becomes the step w (of bodies only where the inverse finds x at once), z + w the
// solution. Returns the sum of the sizes of y.
static double sweep(hn_system *s, const hn_system_inverse *inverse, void *solver, double *x,
                    double *y) {
  double sum, *usual = s->sweep.rest;
  const double *b = s->sweep.x_is_zero ? NULL : s->sweep.residual_x;
  look l = {.system = s, .inverse = inverse->finish ? inverse : NULL, .solver = solver};
  l.b = b;
  l.x = x;
  if (b) s->sweep.rest = s->sweep.own_rest;
  inverse->apply(solver, b, s->sweep.residual_x, s->sweep.residual_y);
  if (s->threads)
    hn_share(s->threads, add_bodies, &l, s->bodies, HN_BODY_GRAIN);
  else
    for (int from = 0; from < s->bodies; from += HN_BODY_GRAIN)
      add_bodies(&l, from, from + HN_BODY_GRAIN < s->bodies ? from + HN_BODY_GRAIN : s->bodies);
  if (l.inverse) inverse->close(solver, s->sweep.residual_y);
  s->sweep.rest = usual;
  HN_PICK(s->wide, store_rows)(s, 1, y, &sum);
  return sum;
}

hn_status hn_system_solve(hn_system *s, const hn_system_inverse *inverse, void *solver,
                          const double *b, const double *c, double *x, double *y,
                          hn_solver_report *report) {
  hn_want now[2];
  double sum_x, sum_y = 0;
  int refinements = 0;
  s->sweep.is_solved = s->sweep.x_is_zero = 0;
  if (!s->sweep.is_ahead) hn_system_load_rows(s, c);
  inverse->apply(solver, b, x, s->sweep.z);
  s->sweep.is_ahead = 0;
  find_residual(s, inverse, solver, b, x, now);
  for (int more = !is_exact(s, now); more && refinements < HN_SOFT_SWEEPS - 1; refinements++) {
    sum_y = sweep(s, inverse, solver, x, y);
    if (is_predictable(s, now)) {
      more = !predict(s);
    } else {
      memcpy(s->sweep.rest, b, (size_t)s->x_size * sizeof(double));
      subtract_all(s, s->sweep.z, s->sweep.rest);
      find_residual(s, NULL, NULL, b, x, now);
      more = !is_exact(s, now);
    }
  }
  if (report) {
    fill_report(s, refinements, report);
    report->is_stalled = !s->sweep.is_solved && is_stalled(s, now);
  }
  if (refinements == 0) HN_PICK(s->wide, store_rows)(s, 0, y, &sum_y);
  HN_PICK(s->wide, sum_bodies)(x, s->bodies, &sum_x);
  return sum_x + sum_y <= DBL_MAX ? HN_OK : HN_ERROR_NOT_FINITE;
}
