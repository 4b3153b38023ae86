// Checks of the principal moments of inertia J1 <= J2 <= J3 of every body.
//
// A tensor J = integral of (s.s I - s s') dm has J3 <= J1 + J2 (triangle inequality, equal for flat
// bodies). Planar models are often given J3 alone: where the joints let a body turn about the axis
// of J3 only, the other two moments do nothing, and nothing is said. Elsewhere it is a warning.
//
// Bodies that turn about one direction only: two bodies of a joint that keeps the direction (its axis
// is parallel to it, or it lets nothing turn) belong together; those together with ground do.
#include <math.h>

#include "math/euler.h"
#include "model/joint_types.h"
#include "model/storage.h"

#define PARALLEL 1e-6 // sine of the angle between axes that count as parallel

typedef struct turning {
  int *group; // of a body: another body of its group, or itself (bodies)
  hn_vec3 axis;
  int is_known; // groups are those of `axis`
} turning;

// ---- principal axes -----------------------------------------------------------------------------

void hn_principal_moments(const double inertia[6], double moments[3], hn_vec3 *largest_axis) {
  hn_mat3 a = mat3_symmetric(inertia), axes = mat3_identity();
  for (int sweep = 0; sweep < 30; sweep++) {
    double off = fabs(a.m[0][1]) + fabs(a.m[0][2]) + fabs(a.m[1][2]);
    double diagonal = fabs(a.m[0][0]) + fabs(a.m[1][1]) + fabs(a.m[2][2]);
    if (off <= 1e-17 * diagonal) break;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a.m[p][q] == 0) continue;
        double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        hn_mat3 g = mat3_identity();
        g.m[p][p] = g.m[q][q] = c;
        g.m[p][q] = s;
        g.m[q][p] = -s;
        a = mat3_multiply(mat3_transpose(g), mat3_multiply(a, g));
        a.m[p][q] = a.m[q][p] = 0;
        axes = mat3_multiply(axes, g);
      }
  }
  int largest = 0;
  for (int k = 0; k < 3; k++) {
    moments[k] = a.m[k][k];
    if (moments[k] > moments[largest]) largest = k;
  }
  *largest_axis = mat3_column(axes, largest);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2 - k; i++)
      if (moments[i] > moments[i + 1]) {
        double larger = moments[i];
        moments[i] = moments[i + 1];
        moments[i + 1] = larger;
      }
}

// ---- turning about one direction ----------------------------------------------------------------

static int are_parallel(hn_vec3 a, hn_vec3 b) { return vec3_norm(vec3_cross(a, b)) <= PARALLEL; }

// 1 when a body of this joint that turns about `axis` only makes the other do the same.
static int keeps_direction(const hn_model *model, const hn_joint_def *joint, hn_vec3 axis) {
  hn_mat3 frame1 = hn_model_drawn_axes(model, &joint->frame1);
  hn_mat3 frame2 = hn_model_drawn_axes(model, &joint->frame2);
  switch (hn_joint_shares_axes(joint->type)) {
  case HN_SHARES_NONE: break;
  case HN_SHARES_H:
    return are_parallel(mat3_column(frame1, 2), axis) && are_parallel(mat3_column(frame2, 2), axis);
  case HN_SHARES_ALL: { // both frames are turned alike
    hn_vec3 in1 = mat3_apply(mat3_transpose(frame1), axis);
    hn_vec3 in2 = mat3_apply(mat3_transpose(frame2), axis);
    return vec3_norm(vec3_sub(in1, in2)) <= PARALLEL;
  }
  }
  return 0;
}

static int group_of(turning *w, int body) {
  while (w->group[body] != body) {
    w->group[body] = w->group[w->group[body]];
    body = w->group[body];
  }
  return body;
}

static void find_groups(const hn_model *model, turning *w, hn_vec3 axis) {
  if (w->is_known && are_parallel(w->axis, axis)) return;
  w->axis = axis;
  w->is_known = 1;
  for (int b = 0; b < model->body_count; b++) w->group[b] = b;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    if (joint->coupled_count > 0 || !keeps_direction(model, joint, axis)) continue;
    w->group[group_of(w, joint->frame1.body)] = group_of(w, joint->frame2.body);
  }
}

// ---- the check ----------------------------------------------------------------------------------

static hn_status check_body(hn_model *model, turning *w, int b) {
  const hn_body_def *body = &model->bodies[b];
  hn_subject subject = {model, HN_NAME_BODY, body->name, &body->source};
  hn_vec3 axis;
  double j[3];
  hn_principal_moments(body->inertia, j, &axis);
  double excess = j[2] - j[0] - j[1];
  if (excess <= 1e-6 * fmax(fabs(j[0]), fabs(j[2]))) return HN_OK;
  find_groups(model, w, mat3_apply(quat_matrix(body->orientation), axis));
  if (group_of(w, b) == group_of(w, HN_GROUND)) return HN_OK;
  return hn_subject_warn(&subject,
                         "has impossible principal moments of inertia %.6g, %.6g, %.6g kg m^2: the "
                         "largest, %.6g, exceeds the sum of the other two by %.6g. Check units and "
                         "reference point (center of mass).",
                         j[0], j[1], j[2], j[2], excess);
}

hn_status hn_model_check_inertias(hn_model *model) {
  turning w = {.is_known = 0};
  w.group = hn_allocate(&model->storage->allocator, (size_t)model->body_count * sizeof(int));
  if (!w.group) return hn_model_out_of_memory(model, HN_NAME_BODY, "(all)");
  hn_status status = HN_OK;
  for (int b = 1; b < model->body_count && status == HN_OK; b++) status = check_body(model, &w, b);
  hn_release(&model->storage->allocator, w.group);
  return status;
}
