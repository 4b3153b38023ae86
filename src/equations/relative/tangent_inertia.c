// Derivatives of inverse dynamics along the tree. With composites over what hangs on a node
//
//   Ic,  Bc = sum Y x* I + bar(I Y) - I (Y x),  Fin = sum I a + Y x* I Y     bar(h) x = x x* h
//
// and d the deeper of j and k on one path (zero for others),
//
//   dg_j/dpi_k = S_j' (Ic_d psdd_k + Bc_d psd_k + [k at or below j] S_k x* Fin_k)
//   dg_j/dw_k  = S_j' (Bc_d S_k + Ic_d (Sd_k + psd_k)),    dg_j/dwd_k = S_j' Ic_d S_k
//
// For one body with mass m, moment h, inertia I about O, moving with (V, W), all but the last column of
// Bc cancels: with the momentum P = m V + W x h
//
//   Bc (v, w) = (2 w x P, B w),   B = 2 W~ I - tr(I) W~ + 2 (h.V) 1 - 2 V h'
//
// Gravity is an acceleration -g of ground: accelerations in Fin and psdd include it.
#include <string.h>

#include "equations/relative/sym3.h"
#include "equations/relative/tangent.h"

typedef struct inertia6 {
  hn_tree_composite own; // about O
  hn_vec3 momentum;      // P
  hn_mat3 b;             // B
  hn_tree_wrench force;  // Fin
} inertia6;

HN_INLINE hn_twist twist_add(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_add(a.v, b.v), vec3_add(a.w, b.w)};
}

HN_INLINE hn_tree_wrench force_cross(hn_twist a, hn_tree_wrench f) {
  return (hn_tree_wrench){vec3_cross(a.w, f.f),
                          vec3_add(vec3_cross(a.v, f.f), vec3_cross(a.w, f.n))};
}

HN_INLINE double power(hn_twist a, hn_tree_wrench f) {
  return vec3_dot(a.v, f.f) + vec3_dot(a.w, f.n);
}

HN_INLINE hn_tree_wrench wrench_add(hn_tree_wrench a, hn_tree_wrench b) {
  return (hn_tree_wrench){vec3_add(a.f, b.f), vec3_add(a.n, b.n)};
}

HN_INLINE hn_tree_wrench momentum(const hn_tree_composite *i, hn_twist x) {
  return (hn_tree_wrench){vec3_add(vec3_scale(i->mass, x.v), vec3_cross(x.w, i->moment)),
                          vec3_add(sym3_apply(i->inertia, x.w), vec3_cross(i->moment, x.v))};
}

// ---- motion -------------------------------------------------------------------------------------

static hn_twist ground_rates(void) { return (hn_twist){vec3_zero(), vec3_zero()}; }

static void node_rates(hn_relative_tangent *self, int k) {
  const hn_relative_set *set = self->set;
  const hn_tree_motion *m = &set->motion[k];
  hn_node_rates *rates = &self->rates[k];
  rates->point = set->motion[self->point_node[k]].origin;
  hn_vec3 r = vec3_sub(m->origin, rates->point), wd = set->angular[k];
  rates->y = (hn_twist){vec3_add(m->velocity, vec3_cross(r, m->w)), m->w};
  rates->a = (hn_twist){
      vec3_add(set->acceleration[k], vec3_add(vec3_cross(m->velocity, m->w), vec3_cross(r, wd))),
      wd};
}

// A speed along v and w at the node's origin; y, a: what it is fixed in, y_b, a_b: what perturbations of
// its pose move with.
HN_INLINE void set_column(hn_speed_column *c, hn_vec3 r, hn_vec3 v, hn_vec3 w, hn_twist y,
                          hn_twist y_b, hn_twist a_b, hn_vec3 gravity) {
  c->s = (hn_twist){vec3_add(v, vec3_cross(r, w)), w};
  c->sd = hn_twist_cross(y, c->s);
  c->psd = hn_twist_cross(y_b, c->s);
  c->psdd = twist_add(hn_twist_cross(a_b, c->s), hn_twist_cross(y_b, c->psd));
  c->heavy_psdd = (hn_twist){vec3_sub(c->psdd.v, vec3_cross(gravity, w)), c->psdd.w};
  c->both = twist_add(c->sd, c->psd);
}

static void node_columns(hn_relative_tangent *self, int k) {
  const hn_relative_set *set = self->set;
  const hn_tree_node *node = &set->tree->nodes[k];
  const hn_tree_motion *m = &set->motion[k];
  hn_vec3 gravity = set->base.model->gravity, zero = vec3_zero();
  hn_twist y = ground_rates(), a = y;
  if (node->parent >= 0) {
    y = self->rates[node->parent].y;
    a = self->rates[node->parent].a;
  }
  hn_twist y_b = self->rates[k].y, a_b = self->rates[k].a;
  hn_vec3 r = vec3_sub(m->origin, self->rates[k].point);
  hn_speed_column *c = &self->columns[node->u];
  for (int i = 0; i < node->u_count; i++) {
    c[i].node = k;
    c[i].joint = 2 * k + (node->kind == HN_LINK_FREE && i >= 3);
  }
  switch (node->kind) {
  case HN_LINK_HINGE:
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW:
    set_column(c, r, vec3_scale(node->linear, m->axis), vec3_scale(node->angular, m->axis), y, y, a,
               gravity);
    break;
  case HN_LINK_BALL:
    for (int i = 0; i < 3; i++)
      set_column(&c[i], r, zero, mat3_column(m->joint, i), y, y_b, a_b, gravity);
    break;
  case HN_LINK_FREE: {
    hn_twist carried = {m->velocity, zero}; // after the slides, before the ball
    for (int i = 0; i < 3; i++) {
      hn_vec3 e = vec3(i == 0, i == 1, i == 2);
      set_column(&c[i], r, e, zero, ground_rates(), ground_rates(), ground_rates(), gravity);
      set_column(&c[3 + i], r, zero, e, carried, y_b, a_b, gravity);
    }
    break;
  }
  case HN_LINK_FIXED: break;
  }
}

void hn_relative_tangent_move(hn_relative_tangent *self) {
  for (int k = 0; k < self->set->tree->count; k++) {
    node_rates(self, k);
    node_columns(self, k);
  }
}

// ---- composites ---------------------------------------------------------------------------------

static hn_mat3 rate_of(const hn_tree_composite *i, hn_twist y) {
  hn_sym3 t = i->inertia;
  double trace = 0.5 * (t.xx + t.yy + t.zz), along = vec3_dot(i->moment, y.v);
  hn_vec3 x = {t.xx - trace, t.xy, t.xz}, y_ = {t.xy, t.yy - trace, t.yz};
  hn_vec3 z = {t.xz, t.yz, t.zz - trace}, v = y.v, h = i->moment;
  x = vec3_cross(y.w, x);
  y_ = vec3_cross(y.w, y_);
  z = vec3_cross(y.w, z);
  return (hn_mat3){
      {{2 * (x.x + along - v.x * h.x), 2 * (y_.x - v.x * h.y), 2 * (z.x - v.x * h.z)},
       {2 * (x.y - v.y * h.x), 2 * (y_.y + along - v.y * h.y), 2 * (z.y - v.y * h.z)},
       {2 * (x.z - v.z * h.x), 2 * (y_.z - v.z * h.y), 2 * (z.z + along - v.z * h.z)}}};
}

// Of one node's body about O.
static void begin_inertia(const hn_relative_tangent *self, int k, inertia6 *out) {
  const hn_relative_set *set = self->set;
  const hn_tree_node *node = &set->tree->nodes[k];
  memset(out, 0, sizeof *out);
  if (node->body == 0) return;
  const hn_tree_motion *m = &set->motion[k];
  hn_tree_composite *i = &out->own;
  hn_vec3 d = vec3_sub(m->origin, self->rates[k].point), mr = mat3_apply(m->r, node->moment);
  hn_sym3 about = sym3_turn(m->r, node->inertia);
  hn_vec3 md = vec3_scale(node->mass, d), s = vec3_add(mr, md);
  double t = 2 * vec3_dot(d, mr) + vec3_dot(d, md);
  i->mass = node->mass;
  i->moment = s;
  i->inertia =
      (hn_sym3){about.xx + t - (d.x * s.x + mr.x * d.x), about.yy + t - (d.y * s.y + mr.y * d.y),
                about.zz + t - (d.z * s.z + mr.z * d.z), about.xy - (d.x * s.y + mr.x * d.y),
                about.xz - (d.x * s.z + mr.x * d.z),     about.yz - (d.y * s.z + mr.y * d.z)};
  hn_twist y = self->rates[k].y, a = self->rates[k].a;
  a.v = vec3_sub(a.v, set->base.model->gravity);
  hn_tree_wrench h = momentum(i, y);
  out->force = wrench_add(momentum(i, a), force_cross(y, h));
  out->momentum = h.f;
  out->b = rate_of(i, y);
}

static void add_inertia(inertia6 *to, const inertia6 *from) {
  to->own.mass += from->own.mass;
  to->own.moment = vec3_add(to->own.moment, from->own.moment);
  sym3_add(&to->own.inertia, from->own.inertia);
  to->force = wrench_add(to->force, from->force);
  to->momentum = vec3_add(to->momentum, from->momentum);
  to->b = mat3_add(to->b, from->b);
}

HN_INLINE hn_tree_wrench apply_b(const inertia6 *i, hn_vec3 w) {
  return (hn_tree_wrench){vec3_scale(2, vec3_cross(w, i->momentum)), mat3_apply(i->b, w)};
}

// ---- derivatives --------------------------------------------------------------------------------

// Contribution of the deeper speed of a pair.
typedef struct deeper {
  hn_tree_wrench inertia, pose, rate;
  hn_vec3 back; // torque of Bc' S; its force is zero
} deeper;

HN_INLINE deeper deeper_of(const inertia6 *c, const hn_speed_column *mine) {
  deeper d;
  d.inertia = momentum(&c->own, mine->s);
  d.pose = wrench_add(wrench_add(momentum(&c->own, mine->heavy_psdd), apply_b(c, mine->psd.w)),
                      force_cross(mine->s, c->force));
  d.rate = wrench_add(apply_b(c, mine->s.w), momentum(&c->own, mine->both));
  d.back = vec3_add(vec3_scale(2, vec3_cross(c->momentum, mine->s.v)),
                    mat3_apply_transposed(c->b, mine->s.w));
  return d;
}

// Entries of speed j and a speed i of the same node or above it.
HN_INLINE void fill_pair(hn_relative_tangent *self, const deeper *d, int joint, int i, int up,
                         int down) {
  const hn_speed_column *other = &self->columns[i];
  if (other->joint > joint) return;
  self->k_u[up] += power(other->s, d->pose);
  self->c_u[up] += power(other->s, d->rate);
  self->m_u[up] = self->m_u[down] = power(other->s, d->inertia);
  if (other->joint == joint) return;
  self->k_u[down] += power(other->heavy_psdd, d->inertia) + vec3_dot(other->psd.w, d->back);
  self->c_u[down] += vec3_dot(other->s.w, d->back) + power(other->both, d->inertia);
}

// The same for all speeds of a free base with its origin in O: their S are unit vectors, and nothing
// depends on where the base is.
HN_INLINE void fill_base(hn_relative_tangent *self, const deeper *d, int base, hn_sparse_place up,
                         int row) {
  double pose[6], rate[6], inertia[6], back[3];
  vec3_store(pose, d->pose.f);
  vec3_store(pose + 3, d->pose.n);
  vec3_store(rate, d->rate.f);
  vec3_store(rate + 3, d->rate.n);
  vec3_store(inertia, d->inertia.f);
  vec3_store(inertia + 3, d->inertia.n);
  vec3_store(back, d->back);
  double *k = &self->k_u[up.at], *c = &self->c_u[up.at];
  double *m = &self->m_u[up.at], *m_down = &self->m_u[row];
  for (int i = 0; i < 6; i++) {
    k[i * up.stride] += pose[i];
    c[i * up.stride] += rate[i];
    m[i * up.stride] = m_down[i] = inertia[i];
  }
  for (int i = 0; i < 3; i++) {
    const hn_speed_column *turn = &self->columns[base + 3 + i];
    int down = row + 3 + i;
    self->k_u[down] += power(turn->heavy_psdd, d->inertia) + vec3_dot(turn->psd.w, d->back);
    self->c_u[down] += back[i] + power(turn->both, d->inertia);
  }
}

// Row j and column j of all speeds at or above node k, for the speed j of node k.
static void fill_speed(hn_relative_tangent *self, const inertia6 *c, int k, int j) {
  const hn_tree *tree = self->set->tree;
  deeper d = deeper_of(c, &self->columns[j]);
  int joint = self->columns[j].joint, own = j - tree->nodes[k].u;
  for (int e = self->grid.path_start[k]; e < self->grid.path_start[k + 1]; e++) {
    const hn_path_step *step = &self->grid.path[e];
    const hn_tree_node *node = &tree->nodes[step->node];
    hn_sparse_place up = step->up, down = step->down;
    up.at += own;
    down.at += own * down.stride;
    if (node->kind == HN_LINK_FREE && step->node != k && self->point_node[step->node] == step->node)
      fill_base(self, &d, node->u, up, down.at);
    else
      for (int i = 0; i < node->u_count; i++)
        fill_pair(self, &d, joint, node->u + i, up.at + i * up.stride, down.at + i);
  }
}

void hn_relative_tangent_inertia(hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  inertia6 *c = (inertia6 *)self->inertia;
  for (int k = 0; k < tree->count; k++) begin_inertia(self, k, &c[k]);
  if (self->base.is_deep) return;
  for (int k = tree->count - 1; k >= 0; k--) {
    const hn_tree_node *node = &tree->nodes[k];
    for (int j = node->u; j < node->u + node->u_count; j++) {
      fill_speed(self, &c[k], k, j);
      self->g_u[j] += power(self->columns[j].s, c[k].force);
    }
    if (node->parent >= 0) add_inertia(&c[node->parent], &c[k]);
  }
}

size_t hn_relative_tangent_inertia_size(void) { return sizeof(inertia6); }

static void put_skew(double scale, hn_vec3 x, double (*to)[18], int column) {
  hn_mat3 skew = mat3_skew(x);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) to[i][column + j] = scale * skew.m[i][j];
}

void hn_relative_own_wrench(const hn_relative_tangent *self, int node, double u[6][18],
                            hn_tree_wrench *force) {
  const inertia6 *i = &((const inertia6 *)self->inertia)[node];
  const hn_sym3 t = i->own.inertia;
  const double about[3][3] = {{t.xx, t.xy, t.xz}, {t.xy, t.yy, t.yz}, {t.xz, t.yz, t.zz}};
  memset(u, 0, 6 * sizeof u[0]);
  *force = i->force;
  put_skew(-1, i->force.f, u, 3); // a x* F
  put_skew(-1, i->force.f, u + 3, 0);
  put_skew(-1, i->force.n, u + 3, 3);
  put_skew(-2, i->momentum, u, 9);    // Bc b
  put_skew(-1, i->own.moment, u, 15); // I c
  put_skew(1, i->own.moment, u + 3, 12);
  for (int a = 0; a < 3; a++) {
    u[a][12 + a] = i->own.mass;
    for (int b = 0; b < 3; b++) {
      u[3 + a][9 + b] = i->b.m[a][b];
      u[3 + a][15 + b] = about[a][b];
    }
  }
}
