// Multipliers of the rows of tree joints. Inverse dynamics at the accelerations found gives the wrench
// F that a joint carries to its child; the rows' gradients g there satisfy
//
//   sum lambda_r g_r = -F
//
// six equations for at most six multipliers, consistent because F has no part along the joint's
// speeds.
#include "equations/relative/relative.h"
#include "linalg/rank.h"

// Gradient of a row on this body, about the node's origin.
static void gradient_at(const hn_relative_set *self, int row, int body, hn_vec3 arm,
                        double out[6]) {
  const hn_cartesian_rows *rows = self->base.rows;
  for (int i = 0; i < 6; i++) out[i] = 0;
  for (int k = rows->row_start[row]; k < rows->row_start[row + 1]; k++) {
    if (rows->body[k] != body) continue;
    hn_vec3 f = vec3_load(&rows->block[6 * k]);
    vec3_store(out, f);
    vec3_store(out + 3, vec3_add(vec3_load(&rows->block[6 * k + 3]), vec3_cross(arm, f)));
  }
}

void hn_relative_reactions(hn_relative_set *self, const hn_frame *frames, double *lambda) {
  const hn_tree *tree = self->tree;
  hn_tree_inverse(tree, self->motion, self->acceleration, self->angular, self->applied, self->force,
                  self->b);
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->body == 0 || node->joint < 0) continue;
    int first = self->base.elements->joint_row[node->joint];
    int count = hn_joint_tree_rows(self->base.model->joints[node->joint].type);
    hn_vec3 arm = vec3_sub(frames[node->body].r, self->motion[k].origin);
    double a[6][6], b[6], work[24];
    int order[6];
    for (int r = 0; r < count; r++) gradient_at(self, first + r, node->body, arm, a[r]);
    vec3_store(b, vec3_negate(self->force[k].f));
    vec3_store(b + 3, vec3_negate(self->force[k].n));
    hn_least_norm(a[0], 6, count, HN_RANK_ROUNDING, b, lambda + first, order, work, NULL);
  }
}
