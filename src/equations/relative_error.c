// The error of a step as bodies see it. In a loop one motion shows in many joint coordinates at once, and
// how large it is in each depends on where the joints are; a mean over them would make a tolerance mean
// something else than in Cartesian coordinates. Here the errors of q and qd are carried along the tree
// to positions, Euler parameters, velocities and their rates of all bodies, each against its own size,
//
//   dw = dw_p + S_w du    dv = dv_p + dw_p x d + S_v du    dp = E(p)' dw / 2     du = T dq or T dqd
//
// to first order, without what dq does to velocities. Trees without cut rows have coordinates that do
// not depend on each other, and are measured in them.
#include <math.h>

#include "equations/relative.h"

enum { NUMBERS = 7 }; // of a body

static void body_numbers(const hn_frame *f, int is_rate, double x[NUMBERS]) {
  vec3_store(x, is_rate ? f->v : f->r);
  quat_store(x + 3, is_rate ? f->pd : f->p);
}

// du of one node.
static void node_speeds(const hn_tree_node *node, const double *q, const double *x, double *u) {
  int plain = node->kind == HN_NODE_FREE ? 3 : node->u_count == 1;
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
    case HN_NODE_HINGE:
    case HN_NODE_SLIDE:
    case HN_NODE_SCREW:
      v = vec3_add_scaled(v, node->linear * u[0], m->axis);
      w = vec3_add_scaled(w, node->angular * u[0], m->axis);
      break;
    case HN_NODE_BALL: w = vec3_add(w, mat3_apply(m->joint, vec3_load(u))); break;
    case HN_NODE_FREE:
      v = vec3_load(u);
      w = vec3_load(u + 3);
      break;
    case HN_NODE_FIXED: break;
    }
    self->acceleration[k] = v;
    self->angular[k] = w;
  }
}

// The sizes of what it does to the numbers of bodies, added to out (NUMBERS a body).
static void add_sizes(const hn_relative_set *self, const hn_frame *frames, double *out) {
  const hn_tree *tree = self->tree;
  for (int b = 1; b < tree->model->body_count; b++, out += NUMBERS) {
    int k = tree->body_node[b];
    hn_vec3 w = self->angular[k], arm = vec3_sub(frames[b].r, self->motion[k].origin);
    double x[NUMBERS];
    vec3_store(x, vec3_add(self->acceleration[k], vec3_cross(w, arm)));
    quat_store(x + 3, quat_scale(0.5, euler_e_transposed(frames[b].p, w)));
    for (int i = 0; i < NUMBERS; i++) out[i] += fabs(x[i]);
  }
}

double hn_relative_error_norm(hn_equations *equations, const hn_snapshot *now,
                              const hn_snapshot *next, const double *q, const double *error,
                              const double *change, double absolute, double relative) {
  hn_relative_set *self = (hn_relative_set *)equations;
  int bodies = equations->model->body_count - 1, nq = equations->nq;
  double sum = 0;
  for (int is_rate = 0; is_rate < 2; is_rate++) {
    double *size = self->error_size;
    for (int i = 0; i < NUMBERS * bodies; i++) size[i] = 0;
    carry(self, q, &error[is_rate * nq]);
    add_sizes(self, next->frames, size);
    if (change) {
      carry(self, q, &change[is_rate * nq]);
      add_sizes(self, next->frames, size);
    }
    for (int b = 1; b <= bodies; b++, size += NUMBERS) {
      double before[NUMBERS], after[NUMBERS];
      body_numbers(&now->frames[b], is_rate, before);
      body_numbers(&next->frames[b], is_rate, after);
      for (int i = 0; i < NUMBERS; i++) {
        double most = fabs(before[i]) > fabs(after[i]) ? fabs(before[i]) : fabs(after[i]);
        double e = size[i] / (absolute + relative * most);
        sum += e * e;
      }
    }
  }
  double norm = sqrt(sum / (2 * NUMBERS * bodies));
  return isfinite(norm) ? norm : HUGE_VAL;
}
