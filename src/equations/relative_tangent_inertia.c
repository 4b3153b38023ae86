// Derivatives of inverse dynamics along the tree. With composites over what hangs on a node
//
//   Ic,  Bc = sum Y x* I + bar(I Y) - I (Y x),  Fin = sum I a + Y x* I Y     bar(h) x = x x* h
//
// and d the deeper of j and k on one path (zero for others),
//
//   dg_j/dpi_k = S_j' (Ic_d psdd_k + Bc_d psd_k + [k at or below j] S_k x* Fin_k)
//   dg_j/dw_k  = S_j' (Bc_d S_k + Ic_d (Sd_k + psd_k)),    dg_j/dwd_k = S_j' Ic_d S_k
//
// Gravity is an acceleration -g of ground: accelerations in Fin and psdd include it.
#include <string.h>

#include "equations/relative_sym3.h"
#include "equations/relative_tangent.h"

typedef struct inertia6 {
  hn_tree_composite own; // about O
  double b[6][6];        // Bc
  hn_tree_wrench force;  // Fin
} inertia6;

static hn_twist twist_add(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_add(a.v, b.v), vec3_add(a.w, b.w)};
}

hn_twist hn_twist_cross(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_add(vec3_cross(a.w, b.v), vec3_cross(a.v, b.w)), vec3_cross(a.w, b.w)};
}

static hn_tree_wrench force_cross(hn_twist a, hn_tree_wrench f) {
  return (hn_tree_wrench){vec3_cross(a.w, f.f),
                          vec3_add(vec3_cross(a.v, f.f), vec3_cross(a.w, f.n))};
}

static double power(hn_twist a, hn_tree_wrench f) {
  return vec3_dot(a.v, f.f) + vec3_dot(a.w, f.n);
}

static hn_tree_wrench wrench_add(hn_tree_wrench a, hn_tree_wrench b) {
  return (hn_tree_wrench){vec3_add(a.f, b.f), vec3_add(a.n, b.n)};
}

static hn_tree_wrench momentum(const hn_tree_composite *i, hn_twist x) {
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
static void set_column(hn_speed_column *c, hn_vec3 r, hn_vec3 v, hn_vec3 w, hn_twist y,
                       hn_twist y_b, hn_twist a_b, hn_vec3 gravity) {
  c->s = (hn_twist){vec3_add(v, vec3_cross(r, w)), w};
  c->sd = hn_twist_cross(y, c->s);
  c->psd = hn_twist_cross(y_b, c->s);
  c->psdd = twist_add(hn_twist_cross(a_b, c->s), hn_twist_cross(y_b, c->psd));
  a_b.v = vec3_sub(a_b.v, gravity);
  c->heavy_psdd = twist_add(hn_twist_cross(a_b, c->s), hn_twist_cross(y_b, c->psd));
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
    c[i].joint = 2 * k + (node->kind == HN_NODE_FREE && i >= 3);
  }
  switch (node->kind) {
  case HN_NODE_HINGE:
  case HN_NODE_SLIDE:
  case HN_NODE_SCREW:
    set_column(c, r, vec3_scale(node->linear, m->axis), vec3_scale(node->angular, m->axis), y, y, a,
               gravity);
    break;
  case HN_NODE_BALL:
    for (int i = 0; i < 3; i++)
      set_column(&c[i], r, zero, mat3_column(m->joint, i), y, y_b, a_b, gravity);
    break;
  case HN_NODE_FREE: {
    hn_twist carried = {m->velocity, zero}; // after the slides, before the ball
    for (int i = 0; i < 3; i++) {
      hn_vec3 e = vec3(i == 0, i == 1, i == 2);
      set_column(&c[i], r, e, zero, ground_rates(), ground_rates(), ground_rates(), gravity);
      set_column(&c[3 + i], r, zero, e, carried, y_b, a_b, gravity);
    }
    break;
  }
  case HN_NODE_FIXED: break;
  }
}

void hn_relative_tangent_move(hn_relative_tangent *self) {
  for (int k = 0; k < self->set->tree->count; k++) {
    node_rates(self, k);
    node_columns(self, k);
  }
}

// ---- composites ---------------------------------------------------------------------------------

static hn_twist unit_twist(int i) {
  double x[6] = {0};
  x[i] = 1;
  return (hn_twist){vec3_load(x), vec3_load(x + 3)};
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
  for (int c = 0; c < 6; c++) {
    hn_twist x = unit_twist(c);
    hn_tree_wrench column = wrench_add(force_cross(y, momentum(i, x)), force_cross(x, h));
    hn_tree_wrench back = momentum(i, hn_twist_cross(y, x));
    double out_c[6];
    vec3_store(out_c, vec3_sub(column.f, back.f));
    vec3_store(out_c + 3, vec3_sub(column.n, back.n));
    for (int r = 0; r < 6; r++) out->b[r][c] = out_c[r];
  }
}

static void add_inertia(inertia6 *to, const inertia6 *from) {
  to->own.mass += from->own.mass;
  to->own.moment = vec3_add(to->own.moment, from->own.moment);
  sym3_add(&to->own.inertia, from->own.inertia);
  to->force = wrench_add(to->force, from->force);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) to->b[i][j] += from->b[i][j];
}

// B x, and B' x read as a wrench
static hn_tree_wrench apply_b(const inertia6 *i, hn_twist x, int transposed) {
  double in[6], out[6] = {0};
  vec3_store(in, x.v);
  vec3_store(in + 3, x.w);
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 6; c++) out[r] += (transposed ? i->b[c][r] : i->b[r][c]) * in[c];
  return (hn_tree_wrench){vec3_load(out), vec3_load(out + 3)};
}

// ---- derivatives --------------------------------------------------------------------------------

// Row j and column j of all speeds at or above node k, for the speed j of node k.
static void fill_speed(hn_relative_tangent *self, const inertia6 *c, int k, int j) {
  const hn_tree *tree = self->set->tree;
  const hn_speed_column *mine = &self->columns[j];
  int nu = self->nu;
  hn_tree_wrench inertia = momentum(&c->own, mine->s), back = apply_b(c, mine->s, 1);
  hn_tree_wrench pose =
      wrench_add(wrench_add(momentum(&c->own, mine->heavy_psdd), apply_b(c, mine->psd, 0)),
                 force_cross(mine->s, c->force));
  hn_tree_wrench rate =
      wrench_add(apply_b(c, mine->s, 0), momentum(&c->own, twist_add(mine->sd, mine->psd)));
  for (int up = k; up >= 0; up = tree->nodes[up].parent)
    for (int i = tree->nodes[up].u; i < tree->nodes[up].u + tree->nodes[up].u_count; i++) {
      const hn_speed_column *other = &self->columns[i];
      if (other->joint > mine->joint) continue;
      self->k_u[i * nu + j] += power(other->s, pose);
      self->c_u[i * nu + j] += power(other->s, rate);
      self->m_u[i * nu + j] = self->m_u[j * nu + i] = power(other->s, inertia);
      if (other->joint == mine->joint) continue;
      self->k_u[j * nu + i] += power(other->heavy_psdd, inertia) + power(other->psd, back);
      self->c_u[j * nu + i] +=
          power(other->s, back) + power(twist_add(other->sd, other->psd), inertia);
    }
}

void hn_relative_tangent_inertia(hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  inertia6 *c = (inertia6 *)self->inertia;
  for (int k = 0; k < tree->count; k++) begin_inertia(self, k, &c[k]);
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
