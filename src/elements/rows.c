// Constraint rows: phi = sum coefficient * measure - constant - law(t), with everything methods ask
// for. Time enters by addition, so tau = law'' less the sum of coefficient * measure'' at zero
// accelerations, and Phi_qt = 0.
#include <string.h>

#include "elements/elements.h"

static int body_place(const hn_row *row, int body) {
  for (int k = 0; k < row->body_count; k++)
    if (row->body[k] == body) return k;
  return -1; // ground
}

hn_law_value hn_row_law(const hn_elements *elements, const hn_row *row, double t, int time_branch) {
  if (!row->law) return (hn_law_value){0, 0, 0, 0, 0};
  hn_law_value law = hn_law_evaluate(row->law, time_branch, t);
  if (*elements->is_held) law.d1 = law.d2 = law.d3 = 0;
  return law;
}

void hn_row_in_speeds(const hn_elements *elements, const hn_row *row, const hn_frame *frames,
                      const double *turns, double t, int time_branch, hn_row_speeds *out) {
  if (elements->row_off && elements->row_off[row - elements->rows]) {
    memset(out, 0, sizeof *out);
    return;
  }
  hn_law_value law = hn_row_law(elements, row, t, time_branch);
  out->value = -row->constant - law.value;
  if (elements->row_offset) out->value -= elements->row_offset[row - elements->rows];
  out->time_rate = -law.d1;
  out->rate = -law.d1;
  out->tau = law.d2;
  for (int k = 0; k < row->body_count; k++) out->n[k] = out->m[k] = vec3_zero();
  for (int k = 0; k < row->count; k++) {
    const hn_measure *measure = &elements->measures[row->measure[k]];
    double c = row->coefficient[k];
    hn_measure_speeds s;
    hn_measure_in_speeds(measure, frames, turns, &s);
    out->value += c * s.value;
    out->rate += c * s.rate;
    out->tau -= c * s.quadratic;
    for (int slot = 0; slot < 2; slot++) {
      int at = body_place(row, measure->body[slot]);
      if (at < 0) continue;
      out->n[at] = vec3_add_scaled(out->n[at], c, s.n[slot]);
      out->m[at] = vec3_add_scaled(out->m[at], c, s.m[slot]);
    }
  }
}

static void add_tangent(const hn_row *row, const hn_measure *measure, double c,
                        const hn_measure_tangent *m, hn_row_tangent *out) {
  out->value += c * m->value;
  out->rate += c * m->rate;
  out->tau -= c * m->quadratic;
  for (int i = 0; i < HN_POSES; i++) {
    int at = body_place(row, measure->body[i / 6]), to = 6 * at + i % 6;
    if (at < 0) continue;
    out->gradient[to] += c * m->gradient[i];
    out->rate_pose[to] += c * m->rate_pose[i];
    out->tau_pose[to] -= c * m->quadratic_pose[i];
    out->tau_speed[to] -= c * m->quadratic_speed[i];
    for (int j = 0; j < HN_POSES; j++) {
      int by = body_place(row, measure->body[j / 6]);
      if (by >= 0) out->gradient_pose[to][6 * by + j % 6] += c * m->gradient_pose[i][j];
    }
  }
}

void hn_row_in_poses(const hn_elements *elements, const hn_row *row, const hn_frame *frames,
                     const double *turns, double t, int time_branch, hn_row_tangent *out) {
  hn_law_value law = hn_row_law(elements, row, t, time_branch);
  memset(out, 0, sizeof *out);
  out->value = -row->constant - law.value;
  out->time_rate = -law.d1;
  out->rate = -law.d1;
  out->tau = law.d2;
  out->tau_t = law.d3;
  for (int k = 0; k < row->count; k++) {
    const hn_measure *measure = &elements->measures[row->measure[k]];
    hn_measure_tangent m;
    hn_measure_in_poses(measure, frames, turns, &m);
    add_tangent(row, measure, row->coefficient[k], &m, out);
  }
}
