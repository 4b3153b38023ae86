// Stiffness in small motions. Along a rotation vector u a wrench with the torque n has the derivative
// W_pi + n~ / 2 (the second term in the block of rotations), which is symmetric where there is a
// potential; and the same with -(Phi_pi' lambda) for the rows. Gravity at the center of mass has none.
#include <math.h>
#include <string.h>

#include "analysis/stiffness.h"
#include "elements/force.h"
#include "elements/force_types.h"
#include "elements/sensor.h"

hn_status hn_forces_at_rest(const hn_elements *elements, double t, const hn_frame *frames,
                            const hn_branches *branches, hn_wrench *wrench, double *forces,
                            double *potential, double *largest) {
  const hn_model *model = elements->model;
  double energy = 0, most = 0;
  for (int b = 0; b < model->body_count; b++) {
    hn_vec3 weight = vec3_scale(b > 0 ? model->bodies[b].mass : 0, model->gravity);
    wrench[b] = (hn_wrench){weight, {0, 0, 0}};
    energy -= vec3_dot(weight, frames[b].r);
    most = fmax(most, vec3_norm(weight));
  }
  hn_elements_sense(elements, frames, branches->turns);
  for (int f = 0; f < model->force_count; f++) {
    hn_force_value value = {.value = 0};
    hn_status status = hn_force_in_speeds(elements, f, frames, branches->turns, t,
                                          branches->force[f], wrench, &value);
    if (status != HN_OK) return status;
    energy += value.potential;
    most = fmax(most, fabs(value.value));
  }
  for (int b = 1; b < model->body_count; b++) {
    vec3_store(&forces[6 * (b - 1)], wrench[b].force);
    vec3_store(&forces[6 * (b - 1) + 3], wrench[b].torque);
  }
  if (potential) *potential = energy;
  if (largest) *largest = most;
  return HN_OK;
}

// Derivatives of wrenches on `count` bodies, 6 numbers each, with stride between rows.
typedef struct local_matrix {
  int count;
  const int *body; // ground is dropped
  const double *wrench;
  const double *matrix;
  int stride;
  double factor;
} local_matrix;

static void give_blocks(const local_matrix *a, hn_take_block *take, void *context) {
  for (int i = 0; i < a->count; i++) {
    if (a->body[i] == HN_GROUND) continue;
    for (int j = 0; j < a->count; j++) {
      if (a->body[j] == HN_GROUND) continue;
      const double *from = &a->matrix[6 * i * a->stride + 6 * j];
      const hn_mat3 turn = mat3_skew(vec3_load(&a->wrench[6 * i + 3]));
      double block[6][6];
      for (int l = 0; l < 6; l++)
        for (int m = 0; m < 6; m++) {
          block[l][m] = from[l * a->stride + m];
          if (i == j && l > 2 && m > 2) block[l][m] += 0.5 * turn.m[l - 3][m - 3];
          block[l][m] *= a->factor;
        }
      take(context, a->body[i], a->body[j], block);
    }
  }
}

static hn_status give_forces(const hn_elements *elements, double t, const hn_frame *frames,
                             const hn_branches *branches, hn_take_block *take, void *context) {
  hn_elements_sense(elements, frames, branches->turns);
  for (int f = 0; f < elements->model->force_count; f++) {
    hn_force_load load;
    hn_status status =
        hn_force_in_poses(elements, f, frames, branches->turns, t, branches->force[f], &load);
    if (status != HN_OK) return status;
    local_matrix a = {2, load.body, load.wrench, &load.d_pose[0][0], HN_POSES, -1};
    give_blocks(&a, take, context);
  }
  return HN_OK;
}

static void give_rows(const hn_elements *elements, double t, const hn_frame *frames,
                      const hn_branches *branches, const double *lambda, hn_take_block *take,
                      void *context) {
  for (int r = 0; r < elements->row_count; r++) {
    const hn_row *row = &elements->rows[r];
    int branch = row->driver >= 0 ? branches->driver[row->driver] : 0;
    hn_row_tangent tangent;
    hn_row_in_poses(elements, row, frames, branches->turns, t, branch, &tangent);
    local_matrix a = {row->body_count, row->body, tangent.gradient, &tangent.gradient_pose[0][0],
                      HN_ROW_LOCAL,    lambda[r]};
    give_blocks(&a, take, context);
  }
}

hn_status hn_stiffness_blocks(const hn_elements *elements, double t, const hn_frame *frames,
                              const hn_branches *branches, const double *lambda,
                              hn_take_block *take, void *context) {
  hn_status status = give_forces(elements, t, frames, branches, take, context);
  if (status == HN_OK) give_rows(elements, t, frames, branches, lambda, take, context);
  return status;
}

// result (n x k) += K z, block by block.
typedef struct product {
  const double *z;
  double *result;
  int n, k;
} product;

static void multiply_block(void *context, int row, int column, double block[6][6]) {
  const product *p = context;
  for (int c = 0; c < p->k; c++) {
    const double *from = &p->z[(size_t)c * (size_t)p->n + (size_t)(6 * (column - 1))];
    double *to = &p->result[(size_t)c * (size_t)p->n + (size_t)(6 * (row - 1))];
    for (int l = 0; l < 6; l++)
      for (int m = 0; m < 6; m++) to[l] += block[l][m] * from[m];
  }
}

hn_status hn_reduced_stiffness(const hn_elements *elements, double t, const hn_frame *frames,
                               const hn_branches *branches, const double *lambda, const double *z,
                               int k, double *scratch, double *reduced) {
  int n = 6 * (elements->model->body_count - 1);
  memset(scratch, 0, (size_t)n * (size_t)k * sizeof(double));
  product p = {z, scratch, n, k};
  hn_status status = hn_stiffness_blocks(elements, t, frames, branches, lambda, multiply_block, &p);
  if (status != HN_OK) return status;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) {
      double sum = 0;
      for (int l = 0; l < n; l++)
        sum += z[(size_t)i * (size_t)n + (size_t)l] * scratch[(size_t)j * (size_t)n + (size_t)l];
      reduced[(size_t)j * (size_t)k + (size_t)i] = sum;
    }
  return HN_OK;
}
