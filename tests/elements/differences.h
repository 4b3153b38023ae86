// Random states of a hand model and sixth-order central differences along any direction of (t, q,
// qd). A(p) is the homogeneous quadratic, so differences go off |p| = 1 as the derivatives do.
#ifndef HN_TESTS_ELEMENTS_DIFFERENCES_H
#define HN_TESTS_ELEMENTS_DIFFERENCES_H

#include "elements/every_element.h"

static const double step = 3e-4; // rounding 1e-16/step, truncation step^6

typedef struct state {
  double t, q[HAND_BODIES][7], qd[HAND_BODIES][7]; // body 0, ground, stays
} state;

static inline void frames_of(const state *s, hn_frame frames[HAND_BODIES]) {
  for (int b = 0; b < HAND_BODIES; b++) {
    hn_quat p = quat_load(&s->q[b][3]), pd = quat_load(&s->qd[b][3]);
    frames[b] = (hn_frame){.r = vec3_load(s->q[b]),
                           .v = vec3_load(s->qd[b]),
                           .w = vec3_scale(2, euler_e_apply(p, pd)),
                           .a = quat_matrix(p),
                           .p = p,
                           .pd = pd};
  }
}

static inline void random_motion(hn_random *random, int body, state *s) {
  hn_quat p = random_rotation(random);
  vec3_store(s->q[body], random_vector(random, 1.5));
  quat_store(&s->q[body][3], p);
  vec3_store(s->qd[body], random_vector(random, 2));
  quat_store(&s->qd[body][3], quat_scale(0.5, euler_e_transposed(p, random_vector(random, 2))));
}

static inline state random_state(hn_random *random) {
  state s = {.t = hn_random_uniform(random, 0.1, 0.9)};
  s.q[0][3] = 1;
  for (int b = 1; b < HAND_BODIES; b++) random_motion(random, b, &s);
  return s;
}

static const double difference_weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};

// Which element is differentiated, on which frozen branch.
typedef struct subject {
  hand_model *hand;
  int element;
  hn_branch branch;
  int time_branch;
  double lambda;
} subject;
typedef void (*evaluate_function)(const subject *probe, const state *s, double *out);

enum { NUMBERS = 3 * HN_ROW_LOCAL };

// d/dh of what evaluate gives (count numbers) at s + h direction, for h = 0
static inline void difference(evaluate_function evaluate, const subject *probe, const state *s,
                              const state *direction, int count, double *out) {
  for (int i = 0; i < count; i++) out[i] = 0;
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      state moved = *s;
      double h = sign * k * step, values[NUMBERS];
      moved.t += h * direction->t;
      for (int b = 0; b < HAND_BODIES; b++)
        for (int i = 0; i < 7; i++) {
          moved.q[b][i] += h * direction->q[b][i];
          moved.qd[b][i] += h * direction->qd[b][i];
        }
      evaluate(probe, &moved, values);
      for (int i = 0; i < count; i++) out[i] += sign * difference_weight[k - 1] * values[i] / step;
    }
}

#endif
