// Models of the FMU for tests, independent of the version of FMI. The token of the description names
// the model:
//
//   vdp       van der Pol oscillator, mu = 1
//   ball      bouncing ball that rests below v_min: a state event; output of the time of rest
//   clock     a time event every 0.1 s: counts them; ends the run at 1 s
//   fails, hangs, crashes, discards, stalls    in the first step or evaluation from 0.5 s on
//   mass      m x" = f - k x - c x'
//   pulled    the same with k = 1000, c = 0.1, coupled by 100 N/m and 0.2 N s/m with an end whose
//             position (force) and speed are inputs; `pull` is the force on that end
//   robertson a stiff reaction (Robertson 1966), with the sum of its three species taken out
#ifndef HN_TESTS_FMI_PROGRAM_MODEL_H
#define HN_TESTS_FMI_PROGRAM_MODEL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 2, VALUES = 16 };
// value references
enum {
  X0,
  X1,
  D0,
  D1,
  E,
  COUNT,
  REST,
  FORCE,
  MASS,
  STIFFNESS,
  DAMPING,
  START0,
  START1,
  SPEED,
  PULL
};

typedef enum model_kind {
  VDP,
  BALL,
  CLOCK,
  FAILS,
  HANGS,
  CRASHES,
  DISCARDS,
  STALLS,
  MASS_MODEL,
  PULLED,
  ROBERTSON,
  MODELS
} model_kind;

typedef struct model {
  model_kind kind;
  int is_exchange, is_new; // is_new: discrete states change at the next update
  double t, value[VALUES], next;
  void *environment, *logger;
} model;

static const char *const model_names[MODELS] = {"vdp",   "ball",    "clock",    "fails",
                                                "hangs", "crashes", "discards", "stalls",
                                                "mass",  "pulled",  "robertson"};

static inline model *model_make(const char *token) {
  for (int k = 0; k < MODELS; k++) {
    if (strcmp(token, model_names[k]) != 0) continue;
    model *m = calloc(1, sizeof *m);
    m->kind = (model_kind)k;
    m->value[X0] = k == VDP ? 2 : 1;
    m->value[E] = 0.7;
    m->value[MASS] = m->value[STIFFNESS] = 1;
    m->next = 0.1;
    return m;
  }
  return NULL;
}

static inline int is_trouble(const model *m) { return m->kind >= FAILS && m->kind <= STALLS; }

static inline void model_rates(model *m) {
  double *v = m->value;
  v[D0] = v[X1];
  v[D1] = 0;
  if (m->kind == VDP) v[D1] = (1 - v[X0] * v[X0]) * v[X1] - v[X0];
  if (m->kind == BALL) v[D1] = v[REST] > 0 ? 0 : -9.81;
  if (m->kind == CLOCK || is_trouble(m)) v[D0] = 1;
  if (m->kind == PULLED) {
    v[PULL] = -100 * (v[FORCE] - v[X0]) - 0.2 * (v[SPEED] - v[X1]);
    v[D1] = (-1000 * v[X0] - 0.1 * v[X1] - v[PULL]) / v[MASS];
  }
  if (m->kind == ROBERTSON) {
    const double slow = 0.04 * v[X0], back = 1e4 * v[X1] * (1 - v[X0] - v[X1]);
    v[D0] = back - slow;
    v[D1] = slow - back - 3e7 * v[X1] * v[X1];
  }
  if (m->kind == MASS_MODEL)
    v[D1] = (v[FORCE] - v[STIFFNESS] * v[X0] - v[DAMPING] * v[X1]) / v[MASS];
}

static inline double model_indicator(const model *m) {
  return m->kind == BALL ? m->value[REST] > 0 ? 1 : m->value[X0] : 1;
}

// The ball bounces, or rests: 1 if states have jumped.
static inline int model_event(model *m) {
  double *v = m->value;
  if (m->kind == CLOCK && m->t >= m->next - 1e-12) {
    v[COUNT]++;
    m->next = 0.1 * (v[COUNT] + 1);
  }
  if (m->kind != BALL || v[REST] > 0 || v[X0] > 0 || v[X1] >= 0) return 0;
  v[COUNT]++;
  v[X0] = 1e-300; // so that the indicator is positive again
  v[X1] *= -v[E];
  if (v[X1] < 0.1) {
    v[X1] = 0;
    v[REST] = m->t;
  }
  return 1;
}

static inline void model_advance(model *m, double h, const double *x, const double *r, double *to) {
  for (int k = 0; k < STATES; k++) to[k] = x[k] + h * r[k];
  (void)m;
}

// Co-Simulation: the classical formula of order 4 in steps of at most 1 ms.
static inline void model_step(model *m, double size) {
  const int count = (int)ceil(size / 1e-3 - 1e-9);
  const double h = size / count;
  double *v = m->value;
  for (int step = 0; step < count; step++) {
    double x[STATES], r[4][STATES];
    memcpy(x, v, sizeof x);
    for (int s = 0; s < 4; s++) {
      if (s > 0) model_advance(m, s == 3 ? h : h / 2, x, r[s - 1], v);
      model_rates(m);
      memcpy(r[s], &v[D0], sizeof r[s]);
    }
    for (int k = 0; k < STATES; k++)
      v[k] = x[k] + h / 6 * (r[0][k] + 2 * r[1][k] + 2 * r[2][k] + r[3][k]);
    m->t += h;
    model_event(m);
  }
  model_rates(m);
}

// 0: fine; 2: discarded, 3: failed, by the numbers of both versions.
static inline int model_trouble(model *m, double end) {
  if (end < 0.5) return 0;
  if (m->kind == CRASHES) abort();
  while (m->kind == HANGS) continue;
  return m->kind == FAILS ? 3 : m->kind == DISCARDS ? 2 : 0;
}

#endif
