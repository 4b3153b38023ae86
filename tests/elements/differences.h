// Random states of a hand model and sixth-order central differences along small motions (translation,
// rotation) of its bodies at fixed speeds, along speeds and time.
#ifndef HN_TESTS_ELEMENTS_DIFFERENCES_H
#define HN_TESTS_ELEMENTS_DIFFERENCES_H

#include "elements/every_element.h"

static const double step = 3e-4; // rounding 1e-16/step, truncation step^6

typedef struct state {
  double t, q[HAND_BODIES][7], speed[HAND_BODIES][6]; // (r, p), (v, w); body 0, ground, stays
} state;

typedef struct small_motion {
  double t, pose[HAND_BODIES][6], speed[HAND_BODIES][6];
} small_motion;

static inline void frames_of(const state *s, hn_frame frames[HAND_BODIES]) {
  for (int b = 0; b < HAND_BODIES; b++) {
    hn_quat p = quat_load(&s->q[b][3]);
    hn_vec3 w = vec3_load(&s->speed[b][3]);
    frames[b] = (hn_frame){.r = vec3_load(s->q[b]),
                           .v = vec3_load(s->speed[b]),
                           .w = w,
                           .a = quat_matrix(p),
                           .p = p,
                           .pd = quat_scale(0.5, euler_e_transposed(p, w))};
  }
}

static inline void random_motion(hn_random *random, int body, state *s) {
  hn_quat p = random_rotation(random);
  vec3_store(s->q[body], random_vector(random, 1.5));
  quat_store(&s->q[body][3], p);
  vec3_store(s->speed[body], random_vector(random, 2));
  vec3_store(&s->speed[body][3], random_vector(random, 2));
}

static inline state random_state(hn_random *random) {
  state s = {.t = hn_random_uniform(random, 0.1, 0.9)};
  s.q[0][3] = 1;
  for (int b = 1; b < HAND_BODIES; b++) random_motion(random, b, &s);
  return s;
}

static inline void move_body(double q[7], const double pose[6], double h) {
  hn_quat p = quat_load(q + 3);
  for (int i = 0; i < 3; i++) q[i] += h * pose[i];
  p = quat_add(p, quat_scale(0.5 * h, euler_e_transposed(p, vec3_load(pose + 3))));
  quat_store(q + 3, quat_unit(p));
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

// d/dh of what evaluate gives (count numbers) at s moved by h along a direction, for h = 0
static inline void difference(evaluate_function evaluate, const subject *probe, const state *s,
                              const small_motion *along, int count, double *out) {
  for (int i = 0; i < count; i++) out[i] = 0;
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      state moved = *s;
      double h = sign * k * step, values[NUMBERS];
      moved.t += h * along->t;
      for (int b = 0; b < HAND_BODIES; b++) {
        move_body(moved.q[b], along->pose[b], h);
        for (int i = 0; i < 6; i++) moved.speed[b][i] += h * along->speed[b][i];
      }
      evaluate(probe, &moved, values);
      for (int i = 0; i < count; i++) out[i] += sign * difference_weight[k - 1] * values[i] / step;
    }
}

#endif
