// Trees that move in a plane: every hinge turns about one direction n, every slide is across it. The
// planar part of the equations of relative/tree.h is then closed, whatever the inertias: with a turn
// phi about n, J v = n x v and vectors of two components,
//
//   phi = phi_p + phi_0 + q,  w = w_p + u,  d = R_p arm + slide
//   bias = bias_p - w_p^2 d + 2 w_p J slide'                     (no angular bias)
//   body: f = m a + wd J mc - w^2 mc,  n = i wd + J mc . a
//
// and an articulated inertia is a symmetric 3 x 3, [i b'; b c], instead of a 6 x 6.
//
// Not here: frames, reactions and rows, which stay those of the tree in space.
#include "equations/relative/plane.h"

#include <math.h>

#include "math/elementary.h"

#define PARALLEL 1e-14

// ---- making -------------------------------------------------------------------------------------

static int is_along(hn_vec3 a, hn_vec3 b) { return vec3_norm(vec3_cross(a, b)) < PARALLEL; }

// The direction of the first hinge of the model, in global axes; only slides precede it.
static int find_normal(const hn_tree *tree, hn_vec3 *n) {
  for (int k = 0; k < tree->count; k++) {
    if (tree->nodes[k].kind != HN_LINK_HINGE) continue;
    *n = mat3_column(tree->nodes[k].turn, 2);
    for (int up = tree->nodes[k].parent; up >= 0; up = tree->nodes[up].parent)
      *n = mat3_apply(tree->nodes[up].turn, *n);
    return 1;
  }
  return 0;
}

// One node on the axes of its parent. Returns 0 where it leaves the plane.
static int make_node(const hn_tree_node *node, const hn_plane_axes *parent, hn_plane_axes *own,
                     hn_plane_node *out) {
  hn_vec3 z = mat3_column(node->turn, 2), x = mat3_column(node->turn, 0);
  *out = (hn_plane_node){.parent = node->parent,
                         .q = node->q,
                         .u = node->u,
                         .kind = node->kind,
                         .is_leaf = node->is_leaf,
                         .is_last = node->is_last,
                         .has_body = node->body > 0,
                         .sign = 1,
                         .turn = {1, 0},
                         .arm = hn_plane_seen(parent, node->arm)};
  if (node->kind == HN_LINK_HINGE) {
    if (!is_along(z, parent->n)) return 0;
    out->sign = vec3_dot(z, parent->n) < 0 ? -1 : 1;
    out->turn = hn_plane_seen(parent, x);
    *own = (hn_plane_axes){vec3(1, 0, 0), vec3(0, out->sign, 0), vec3(0, 0, out->sign), 0};
  } else if (node->kind == HN_LINK_SLIDE || node->kind == HN_LINK_FIXED) {
    if (node->kind == HN_LINK_SLIDE && !(fabs(vec3_dot(z, parent->n)) < PARALLEL)) return 0;
    out->along = hn_plane_seen(parent, z);
    *own = (hn_plane_axes){mat3_apply_transposed(node->turn, parent->x),
                           mat3_apply_transposed(node->turn, parent->y),
                           mat3_apply_transposed(node->turn, parent->n), 0};
  } else {
    return 0;
  }
  own->height = parent->height + vec3_dot(parent->n, node->arm);
  hn_sym3 i = node->inertia;
  hn_vec3 n = own->n;
  out->mass = node->mass;
  out->moment = hn_plane_seen(own, node->moment);
  out->inertia = n.x * (i.xx * n.x + 2 * i.xy * n.y) + n.y * (i.yy * n.y + 2 * i.yz * n.z) +
                 n.z * (i.zz * n.z + 2 * i.xz * n.x);
  return 1;
}

hn_status hn_plane_create(hn_arena *arena, const hn_tree *tree, hn_plane **plane) {
  hn_vec3 n;
  *plane = NULL;
  if (!find_normal(tree, &n)) return HN_OK;
  hn_plane *out = HN_KEEP(arena, hn_plane, 1);
  if (!out) return HN_ERROR_MEMORY;
  n = vec3_unit(n);
  hn_vec3 aside = fabs(n.x) < 0.5 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  hn_vec3 x = vec3_unit(vec3_sub(aside, vec3_scale(vec3_dot(aside, n), n)));
  *out = (hn_plane){.count = tree->count, .ground = {.x = x, .y = vec3_cross(n, x), .n = n}};
  out->axes = HN_TAKE(arena, hn_plane_axes, tree->count);
  out->nodes = HN_TAKE(arena, hn_plane_node, tree->count);
  out->motion = HN_KEEP(arena, hn_plane_motion, tree->count);
  out->articulated = HN_KEEP(arena, hn_plane_articulated, tree->count);
  out->change = HN_KEEP(arena, hn_plane_change, tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < tree->count; k++) {
    int up = tree->nodes[k].parent;
    const hn_plane_axes *parent = up < 0 ? &out->ground : &out->axes[up];
    if (!make_node(&tree->nodes[k], parent, &out->axes[k], &out->nodes[k])) return HN_OK;
  }
  *plane = out;
  return HN_OK;
}

// ---- motion -------------------------------------------------------------------------------------

void hn_plane_move(hn_plane *plane, const double *q, const double *u, hn_vec3 base) {
  plane->at_ground = (hn_plane_motion){.r = {1, 0}, .bias = hn_plane_seen(&plane->ground, base)};
  for (int k = 0; k < plane->count; k++) {
    const hn_plane_node *node = &plane->nodes[k];
    const hn_plane_motion *p = node->parent < 0 ? &plane->at_ground : &plane->motion[node->parent];
    hn_plane_motion *m = &plane->motion[k];
    hn_vec2 d = hn_plane_turned(p->r, node->arm), bias = p->bias, velocity = p->velocity;
    m->r = p->r;
    m->w = p->w;
    if (node->kind == HN_LINK_HINGE) {
      double s, c;
      hn_sincos(q[node->q], &s, &c);
      m->r = hn_plane_turned(p->r, hn_plane_turned(node->turn, (hn_vec2){c, node->sign * s}));
      if (u) m->w += node->sign * u[node->u];
    } else if (node->kind == HN_LINK_SLIDE) {
      hn_vec2 along = hn_plane_turned(p->r, node->along);
      double speed = u ? u[node->u] : 0, twice = 2 * p->w * speed;
      m->along = along;
      d.x += q[node->q] * along.x;
      d.y += q[node->q] * along.y;
      velocity.x += speed * along.x;
      velocity.y += speed * along.y;
      bias.x -= twice * along.y;
      bias.y += twice * along.x;
    }
    double square = p->w * p->w;
    m->d = d;
    if (plane->has_places) {
      m->origin = (hn_vec2){p->origin.x + d.x, p->origin.y + d.y};
      m->velocity = (hn_vec2){velocity.x - p->w * d.y, velocity.y + p->w * d.x};
    }
    m->bias = (hn_vec2){bias.x - square * d.x, bias.y - square * d.y};
  }
}

// ---- forward dynamics ---------------------------------------------------------------------------

// Force and torque in the plane of a wrench about the node's origin.
HN_INLINE void subtract_applied(const hn_plane *plane, const hn_tree_wrench *w,
                                hn_plane_wrench *p) {
  p->fx -= vec3_dot(plane->ground.x, w->f);
  p->fy -= vec3_dot(plane->ground.y, w->f);
  p->n -= vec3_dot(plane->ground.n, w->n);
}

// A node by itself, before what hangs on it is added.
HN_INLINE void begin_node(const hn_plane *plane, int k, const hn_tree_wrench *applied) {
  const hn_plane_node *node = &plane->nodes[k];
  const hn_plane_motion *m = &plane->motion[k];
  hn_plane_articulated *a = &plane->articulated[k];
  hn_vec2 c = hn_plane_turned(m->r, node->moment);
  double square = m->w * m->w;
  a->i = node->inertia;
  a->bx = -c.y;
  a->by = c.x;
  a->cxx = a->cyy = node->mass;
  a->cxy = 0;
  a->p =
      (hn_plane_wrench){node->mass * m->bias.x - square * c.x,
                        node->mass * m->bias.y - square * c.y, c.x * m->bias.y - c.y * m->bias.x};
  if (applied && node->has_body) subtract_applied(plane, &applied[k], &a->p);
}

// Contribution of a node to its parent, about its own origin: an inertia and a wrench.
typedef struct part {
  double i, bx, by, cxx, cxy, cyy;
  hn_plane_wrench p;
} part;

// Takes a speed out whose column the inertia turns into (n, x, y), with S' of that d.
HN_INLINE part take_out(hn_plane_articulated *a, double n, double x, double y, double d,
                        double force) {
  double inverse = 1 / d;
  double nr = inverse * n, xr = inverse * x, yr = inverse * y;
  a->to_n = n, a->to_x = x, a->to_y = y;
  a->force = force;
  a->inverse = inverse;
  return (part){a->i - nr * n,
                a->bx - nr * x,
                a->by - nr * y,
                a->cxx - xr * x,
                a->cxy - xr * y,
                a->cyy - yr * y,
                {a->p.fx + force * xr, a->p.fy + force * yr, a->p.n + force * nr}};
}

// The same for a hinge: the remainder has no inertia about the node's origin, and transmits its torque.
HN_INLINE part take_out_hinge(hn_plane_articulated *a, double torque) {
  double inverse = 1 / a->i, x = a->bx, y = a->by, force = torque - a->p.n;
  double xr = inverse * x, yr = inverse * y;
  a->to_n = a->i, a->to_x = x, a->to_y = y;
  a->force = force;
  a->inverse = inverse;
  return (part){0,
                0,
                0,
                a->cxx - xr * x,
                a->cxy - xr * y,
                a->cyy - yr * y,
                {a->p.fx + force * xr, a->p.fy + force * yr, torque}};
}

// The parent += a part, d away.
HN_INLINE void add_shifted(part a, hn_vec2 d, hn_plane_articulated *up) {
  double jx = -d.y, jy = d.x;
  double bx = a.bx + (a.cxx * jx + a.cxy * jy), by = a.by + (a.cxy * jx + a.cyy * jy);
  up->i += (bx * jx + by * jy) + ((a.bx * jx + a.by * jy) + a.i);
  up->bx += bx, up->by += by;
  up->cxx += a.cxx, up->cxy += a.cxy, up->cyy += a.cyy;
  up->p.fx += a.p.fx, up->p.fy += a.p.fy;
  up->p.n += a.p.n + (jx * a.p.fx + jy * a.p.fy);
}

HN_INLINE int reduce_slide(const hn_plane *plane, int k, double force, part *out) {
  hn_plane_articulated *a = &plane->articulated[k];
  hn_vec2 s = plane->motion[k].along;
  double x = a->cxx * s.x + a->cxy * s.y, y = a->cxy * s.x + a->cyy * s.y;
  double d = s.x * x + s.y * y;
  *out = take_out(a, a->bx * s.x + a->by * s.y, x, y, d, force - s.x * a->p.fx - s.y * a->p.fy);
  return d > 0;
}

static int reduce(const hn_plane *plane, const hn_tree_wrench *applied, const double *tau) {
  int good = 1;
  for (int k = plane->count - 1; k >= 0; k--) {
    const hn_plane_node *node = &plane->nodes[k];
    hn_plane_articulated *a = &plane->articulated[k];
    if (node->is_leaf) begin_node(plane, k, applied);
    double force = tau && node->kind != HN_LINK_FIXED ? tau[node->u] : 0;
    part left = {a->i, a->bx, a->by, a->cxx, a->cxy, a->cyy, a->p};
    if (node->kind == HN_LINK_HINGE) {
      good &= a->i > 0;
      left = take_out_hinge(a, node->sign * force);
    } else if (node->kind == HN_LINK_SLIDE) {
      good &= reduce_slide(plane, k, force, &left);
    }
    int up = node->parent;
    if (up < 0) continue;
    if (node->is_last) begin_node(plane, up, applied);
    add_shifted(left, plane->motion[k].d, &plane->articulated[up]);
  }
  return good;
}

int hn_plane_forward(const hn_plane *plane, const hn_tree_wrench *applied, const double *tau,
                     double *ud) {
  int good = reduce(plane, applied, tau);
  for (int k = 0; k < plane->count; k++) {
    const hn_plane_node *node = &plane->nodes[k];
    const hn_plane_articulated *a = &plane->articulated[k];
    hn_plane_change c = {0, 0, 0};
    if (node->parent >= 0) {
      hn_vec2 d = plane->motion[k].d;
      c = plane->change[node->parent];
      c.x -= c.w * d.y;
      c.y += c.w * d.x;
    }
    if (node->kind == HN_LINK_HINGE) { // n is d
      double x = (a->force - a->to_x * c.x - a->to_y * c.y) * a->inverse;
      ud[node->u] = node->sign * (x - c.w);
      c.w = x;
    } else if (node->kind == HN_LINK_SLIDE) {
      hn_vec2 s = plane->motion[k].along;
      double x = (a->force - a->to_n * c.w - a->to_x * c.x - a->to_y * c.y) * a->inverse;
      c.x += x * s.x;
      c.y += x * s.y;
      ud[node->u] = x;
    }
    plane->change[k] = c;
  }
  return good;
}

// ---- inverse dynamics ---------------------------------------------------------------------------

HN_INLINE hn_plane_change changed(const hn_plane *plane, int k, const double *ud) {
  const hn_plane_node *node = &plane->nodes[k];
  const hn_plane_motion *m = &plane->motion[k];
  hn_plane_change c = {0, 0, 0};
  if (node->parent >= 0) {
    c = plane->change[node->parent];
    c.x -= c.w * m->d.y;
    c.y += c.w * m->d.x;
  }
  if (node->kind == HN_LINK_HINGE) {
    c.w += node->sign * ud[node->u];
  } else if (node->kind == HN_LINK_SLIDE) {
    c.x += ud[node->u] * m->along.x;
    c.y += ud[node->u] * m->along.y;
  }
  return c;
}

void hn_plane_inverse(const hn_plane *plane, const double *ud, const hn_tree_wrench *applied,
                      double *tau) {
  hn_plane_articulated *all = plane->articulated;
  for (int k = 0; k < plane->count; k++) {
    const hn_plane_node *node = &plane->nodes[k];
    const hn_plane_motion *m = &plane->motion[k];
    hn_plane_change c = {0, 0, 0};
    if (ud) c = plane->change[k] = changed(plane, k, ud);
    hn_vec2 r = hn_plane_turned(m->r, node->moment);
    double square = m->w * m->w, ax = m->bias.x + c.x, ay = m->bias.y + c.y;
    all[k].p = (hn_plane_wrench){node->mass * ax - c.w * r.y - square * r.x,
                                 node->mass * ay + c.w * r.x - square * r.y,
                                 node->inertia * c.w + r.x * ay - r.y * ax};
    if (applied && node->has_body) subtract_applied(plane, &applied[k], &all[k].p);
  }
  for (int k = plane->count - 1; k >= 0; k--) {
    const hn_plane_node *node = &plane->nodes[k];
    const hn_plane_motion *m = &plane->motion[k];
    hn_plane_wrench p = all[k].p;
    if (node->kind == HN_LINK_HINGE) tau[node->u] = node->sign * p.n;
    if (node->kind == HN_LINK_SLIDE) tau[node->u] = m->along.x * p.fx + m->along.y * p.fy;
    if (node->parent < 0) continue;
    hn_plane_wrench *up = &all[node->parent].p;
    up->fx += p.fx;
    up->fy += p.fy;
    up->n += p.n + (m->d.x * p.fy - m->d.y * p.fx);
  }
}

// ---- composite inertia --------------------------------------------------------------------------

// Column of one speed with the composite (mass, moment, inertia) of its node, from its diagonal entry
// `at` towards the root.
HN_INLINE void fill_column(const hn_plane *plane, int k, const hn_plane_articulated *c,
                           double *at) {
  const hn_plane_node *node = &plane->nodes[k];
  hn_plane_wrench f = {-c->by, c->bx, c->i};
  f = (hn_plane_wrench){node->sign * f.fx, node->sign * f.fy, node->sign * f.n};
  if (node->kind == HN_LINK_SLIDE) {
    hn_vec2 s = plane->motion[k].along;
    f = (hn_plane_wrench){c->cxx * s.x, c->cxx * s.y, c->bx * s.y - c->by * s.x};
  }
  for (int from = -1, up = k; up >= 0; from = up, up = plane->nodes[up].parent) {
    const hn_plane_node *above = &plane->nodes[up];
    if (from >= 0) {
      hn_vec2 d = plane->motion[from].d;
      f.n += d.x * f.fy - d.y * f.fx;
    }
    if (above->kind == HN_LINK_HINGE) *at-- = above->sign * f.n;
    if (above->kind == HN_LINK_SLIDE) {
      hn_vec2 s = plane->motion[up].along;
      *at-- = s.x * f.fx + s.y * f.fy;
    }
  }
}

// Of an articulated inertia i is the composite's inertia, (bx, by) its moment, cxx its mass.
void hn_plane_mass(const hn_plane *plane, const hn_tree *tree, double *values) {
  hn_plane_articulated *all = plane->articulated;
  for (int k = 0; k < plane->count; k++) {
    const hn_plane_node *node = &plane->nodes[k];
    hn_vec2 c = hn_plane_turned(plane->motion[k].r, node->moment);
    all[k].i = node->inertia;
    all[k].bx = c.x;
    all[k].by = c.y;
    all[k].cxx = node->mass;
  }
  for (int k = plane->count - 1; k >= 0; k--) {
    const hn_plane_node *node = &plane->nodes[k];
    const hn_plane_articulated *c = &all[k];
    if (node->kind != HN_LINK_FIXED)
      fill_column(plane, k, c, &values[tree->mass_start[node->u + 1] - 1]);
    if (node->parent < 0) continue;
    hn_plane_articulated *up = &all[node->parent];
    hn_vec2 d = plane->motion[k].d;
    double sx = c->bx + c->cxx * d.x, sy = c->by + c->cxx * d.y;
    up->i += c->i + (d.x * c->bx + d.y * c->by) + (d.x * sx + d.y * sy);
    up->bx += sx;
    up->by += sy;
    up->cxx += c->cxx;
  }
}
