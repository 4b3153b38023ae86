// The error of a step as bodies see it. In a loop one motion shows in many joint coordinates at
// once, and how large it is in each depends on where the joints are; a mean over them would make a
// tolerance mean something else than in Cartesian coordinates. Here the errors of q and qd are
// carried along the tree to positions, rotations, velocities and angular velocities of all bodies,
//
//   dw = dw_p + S_w du    dv = dv_p + dw_p x d + S_v du    du = T dq or T dqd
//
// to first order, without the effect of dq on velocities. As a change of Euler parameters a
// rotation is dw / 2, four numbers against their mean size: 1/2, and |w| / 4 of their rates. A
// change by a projection counts as much as an error of the coordinate in the same direction. Trees
// without loops have independent coordinates, and are measured in them.
#include <math.h>

#include "equations/relative/relative.h"

enum { NUMBERS = 7 }; // of a body: place and Euler parameters

static double larger(double a, double b) { return fabs(a) > fabs(b) ? fabs(a) : fabs(b); }

// du of one node.
static void node_speeds(const hn_tree_node *node, const double *q, const double *x, double *u) {
  int plain = node->kind == HN_LINK_FREE ? 3 : node->u_count == 1;
  const double *p = &q[node->q + plain];
  for (int i = 0; i < plain; i++) u[i] = x[node->q + i];
  if (node->q_count > node->u_count)
    vec3_store(&u[plain],
               vec3_scale(2, euler_e_apply(quat_load(p), quat_load(&x[node->q + plain]))));
}

// How the nodes move with x, in the places of their accelerations.
static void carry(const hn_relative_set *self, const double *q, const double *x) {
  const hn_tree *tree = self->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *m = &self->motion[k];
    hn_vec3 v = vec3_zero(), w = vec3_zero();
    double u[6];
    node_speeds(node, q, x, u);
    if (node->parent >= 0) {
      w = self->angular[node->parent];
      v = vec3_add(self->acceleration[node->parent], vec3_cross(w, m->d));
    }
    switch (node->kind) {
    case HN_LINK_HINGE:
    case HN_LINK_SLIDE:
    case HN_LINK_SCREW:
      v = vec3_add_scaled(v, node->linear * u[0], m->axis);
      w = vec3_add_scaled(w, node->angular * u[0], m->axis);
      break;
    case HN_LINK_BALL: w = vec3_add(w, mat3_apply(m->joint, vec3_load(u))); break;
    case HN_LINK_FREE:
      v = vec3_load(u);
      w = vec3_load(u + 3);
      break;
    case HN_LINK_FIXED: break;
    }
    self->acceleration[k] = v;
    self->angular[k] = w;
  }
}

// The sum of squares of what it does to the numbers of bodies, against their sizes.
static double sum_of(const hn_relative_set *self, const hn_frame *before, const hn_frame *after,
                     int is_rate, double absolute, double relative) {
  const hn_tree *tree = self->tree;
  double sum = 0;
  for (int b = 1; b < tree->model->body_count; b++) {
    int k = tree->body_node[b];
    hn_vec3 w = self->angular[k], arm = vec3_sub(after[b].r, self->motion[k].origin);
    const hn_frame *f = &before[b], *g = &after[b];
    hn_vec3 x = vec3_add(self->acceleration[k], vec3_cross(w, arm));
    hn_vec3 from = is_rate ? f->v : f->r, to = is_rate ? g->v : g->r;
    double turn = is_rate ? 0.25 * sqrt(fmax(vec3_dot(f->w, f->w), vec3_dot(g->w, g->w))) : 0.5;
    x.x /= absolute + relative * larger(from.x, to.x);
    x.y /= absolute + relative * larger(from.y, to.y);
    x.z /= absolute + relative * larger(from.z, to.z);
    w = vec3_scale(0.5 / (absolute + relative * turn), w);
    sum += vec3_dot(x, x) + vec3_dot(w, w);
  }
  return sum;
}

double hn_relative_error_norm(hn_equations *equations, const hn_snapshot *now,
                              const hn_snapshot *next, const double *q, const double *error,
                              const double *change, double absolute, double relative) {
  hn_relative_set *self = (hn_relative_set *)equations;
  int bodies = equations->model->body_count - 1, nq = equations->nq;
  double sum = 0, *x = self->spare_q;
  for (int is_rate = 0; is_rate < 2; is_rate++, error += nq) {
    for (int i = 0; i < nq; i++) {
      double more = change ? fabs(change[is_rate * nq + i]) : 0;
      x[i] = error[i] < 0 ? error[i] - more : error[i] + more;
    }
    carry(self, q, x);
    sum += sum_of(self, now->frames, next->frames, is_rate, absolute, relative);
  }
  double norm = sqrt(sum / (2 * NUMBERS * bodies));
  return isfinite(norm) ? norm : HUGE_VAL;
}
