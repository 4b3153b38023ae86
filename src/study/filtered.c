// The fastest mode x, frequency w, about the state (q, u) with accelerations ud. If the state is off
// the middle of the oscillation by a (ud = w^2 a x + slower modes), it continues by a x cos(w t), which
// signals see as y(q + a x) - y(q). An implicit formula with steps h, w h > 1, keeps the middle alone.
// Out of scope: modes slower than the fastest, and those that events excite later.
#include "study/filtered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/fast_modes.h"
#include "analysis/simulation.h"

#define LOOK 1e-6 // m or rad: the state is displaced by this for the difference

enum { MAX_SPEEDS = 2000 };

typedef struct look {
  double *values, *forces; // (compared.count), (force_count)
} look;

static void read_all(hn_simulation *s, const hn_compared *c, look *l) {
  hn_simulation_signals(s, c->signal, c->count, l->values);
  for (int f = 0; f < s->model->force_count; f++) {
    char name[192];
    snprintf(name, sizeof name, "force.%.150s.value", s->model->forces[f].name);
    if (hn_simulation_value(s, name, &l->forces[f]) != HN_OK) l->forces[f] = 0;
  }
}

// Displaced along the mode; the accelerations there are computed again.
static hn_status displace(hn_simulation *s, const double *q, const double *qd, double *room) {
  hn_equations *e = s->equations;
  e->type->coordinates->rates(e, q, s->automatic.modes.x, room);
  for (int i = 0; i < e->nq; i++) room[i] = q[i] + LOOK * room[i];
  return hn_simulation_set_state(s, s->method->t, room, qd);
}

static void compare(const hn_simulation *s, const hn_compared *c, const look *a, const look *b,
                    double scale, hn_filtered *f) {
  double most = 0;
  for (int k = 0; k < c->count; k++) {
    const double gap = hn_signal_gap(c->same[k], a->values[k], b->values[k]);
    f->amplitude[k] = isfinite(gap) ? scale * gap : 0;
  }
  for (int k = 0; k < s->model->force_count; k++) {
    const double change = fabs(a->forces[k] - b->forces[k]);
    if (!(change > most)) continue;
    most = change;
    f->force = k;
  }
}

hn_status hn_filtered_find(hn_arena *arena, hn_simulation *s, const hn_compared *c,
                           hn_filtered *f) {
  *f = (hn_filtered){.force = -1};
  const int nq = s->equations->nq, forces = s->model->force_count;
  if (s->equations->nu > MAX_SPEEDS || s->model->part_count > 0 || s->contacts || s->delays ||
      s->method->type->steps_over)
    return HN_OK;
  const hn_fast_mode mode = hn_fast_mode_find(s);
  if (!(mode.frequency > 0) || mode.damping >= 1) return HN_OK;
  look looks[2];
  f->amplitude = HN_TAKE(arena, double, c->count);
  double *q = HN_TAKE(arena, double, nq), *qd = HN_TAKE(arena, double, nq),
         *room = HN_TAKE(arena, double, nq);
  for (int k = 0; k < 2; k++) {
    looks[k].values = HN_TAKE(arena, double, c->count);
    looks[k].forces = HN_TAKE(arena, double, forces);
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  memcpy(q, s->method->q, (size_t)nq * sizeof(double));
  memcpy(qd, s->method->qd, (size_t)nq * sizeof(double));
  read_all(s, c, &looks[0]);
  const hn_status status = displace(s, q, qd, room);
  if (status == HN_OK) read_all(s, c, &looks[1]);
  const hn_status back = hn_simulation_set_state(s, s->method->t, q, qd);
  if (status != HN_OK || back != HN_OK) return back;
  f->frequency = mode.frequency;
  f->damping = mode.damping;
  compare(s, c, &looks[0], &looks[1], fabs(mode.size) / LOOK, f);
  return HN_OK;
}
