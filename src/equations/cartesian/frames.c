// Cartesian coordinates (cartesian.h): between q, speeds (v, w) and frames, pd = E' w / 2, w = 2 E pd.
#include <string.h>

#include "equations/cartesian/cartesian.h"

void hn_cartesian_frames(const hn_equations *equations, const double *q, const double *qd,
                         hn_frame *frames) {
  hn_frame_of_ground(&frames[0]);
  for (int b = 1; b < equations->model->body_count; b++)
    hn_cartesian_frame(&q[7 * (b - 1)], &qd[7 * (b - 1)], &frames[b]);
}

void hn_cartesian_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                              double *qd) {
  for (int b = 1; b < equations->model->body_count; b++) {
    const hn_frame *f = &frames[b];
    vec3_store(&q[7 * (b - 1)], f->r);
    quat_store(&q[7 * (b - 1) + 3], f->p);
    vec3_store(&qd[7 * (b - 1)], f->v);
    quat_store(&qd[7 * (b - 1) + 3], quat_scale(0.5, euler_e_transposed(f->p, f->w)));
  }
}

// Linear and angular velocities; p of any length, as in hn_cartesian_frames.
void hn_cartesian_speeds(const hn_equations *equations, const double *q, const double *qd,
                         double *u) {
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_quat p = quat_load(&q[7 * b + 3]);
    hn_vec3 w = vec3_scale(2 / quat_dot(p, p), euler_e_apply(p, quat_load(&qd[7 * b + 3])));
    memcpy(&u[6 * b], &qd[7 * b], 3 * sizeof(double));
    vec3_store(&u[6 * b + 3], w);
  }
}

void hn_cartesian_rates(const hn_equations *equations, const double *q, const double *u,
                        double *qd) {
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_quat p = quat_load(&q[7 * b + 3]);
    hn_quat pd = quat_scale(0.5, euler_e_transposed(p, vec3_load(&u[6 * b + 3])));
    memcpy(&qd[7 * b], &u[6 * b], 3 * sizeof(double));
    quat_store(&qd[7 * b + 3], pd);
  }
}
