// Constraint rows: phi = sum coefficient * measure - constant - law(t), with everything methods ask
// for. Time enters by addition, so tau = -sum coefficient * (v' H v) + law'' and Phi_qt = 0.
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
  if (elements->is_held) law.d1 = law.d2 = law.d3 = 0;
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
  out->tau -= c * m->v_hessian_v;
  for (int slot = 0; slot < 2; slot++) {
    int at = body_place(row, measure->body[slot]);
    if (at < 0) continue;
    for (int i = 0; i < 7; i++) {
      int local = 7 * slot + i, global = 7 * at + i;
      out->gradient[global] += c * m->gradient[local];
      out->gradient_v_q[global] += c * m->hessian_v[local];
      out->tau_q[global] -= c * m->v_hessian_v_q[local];
      for (int slot2 = 0; slot2 < 2; slot2++) {
        int at2 = body_place(row, measure->body[slot2]);
        if (at2 < 0) continue;
        for (int j = 0; j < 7; j++)
          out->hessian[global][7 * at2 + j] += c * m->hessian[local][7 * slot2 + j];
      }
    }
  }
}

void hn_row_in_q(const hn_elements *elements, const hn_row *row, const hn_frame *frames,
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
    hn_measure_in_q(measure, frames, turns, &m);
    add_tangent(row, measure, row->coefficient[k], &m, out);
  }
}
