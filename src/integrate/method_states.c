// States in methods: see method_states.h.
#include "integrate/method_states.h"

#include <math.h>

#include "elements/sensor.h"

hn_status hn_method_take_states(hn_arena *arena, hn_method *m) {
  const hn_model *model = m->equations->model;
  m->states = hn_states_count(m->equations->elements);
  if (m->states == 0) return HN_OK;
  double **vectors[] = {&m->z, &m->z_rate};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_KEEP(arena, double, m->states);
  m->next_z = HN_WORK(arena, double, m->states);
  m->z_room = HN_WORK(arena, double, m->states);
  m->z_frames = HN_WORK(arena, hn_frame, model->body_count);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_method_hold_states(const hn_method *m) {
  if (m->states > 0) hn_states_set(m->equations->elements, m->z);
}

hn_status hn_method_find_rates(hn_method *m, const hn_branches *branches) {
  hn_equations *e = m->equations;
  if (m->states == 0) return HN_OK;
  hn_method_hold_states(m);
  if (!hn_states_have_rates(e->elements)) { // samples change them, at the start of steps
    for (int k = 0; k < m->states; k++) m->z_rate[k] = 0;
    return HN_OK;
  }
  e->type->coordinates->frames(e, m->q, m->qd, m->z_frames);
  hn_status status =
      hn_states_look(e->elements, m->t, m->z_frames, branches->turns, branches->force);
  hn_states_rates(e->elements, m->t, m->z_rate);
  return status == HN_OK ? HN_OK : HN_RETRY;
}

void hn_method_follow_states(hn_method *m, double g) {
  if (m->states == 0) return;
  for (int k = 0; k < m->states; k++) m->z_room[k] = m->z[k] - g * m->z_rate[k];
  hn_states_follow(m->equations->elements, m->t, g, m->z_room);
}

double hn_method_state_error(const hn_method *m, const double *error,
                             const hn_tolerance *tolerance) {
  double sum = 0;
  for (int k = 0; k < m->states; k++) {
    const double size = fmax(fabs(m->z[k]), fabs(m->next_z[k]));
    const double x = error[k] / (tolerance->absolute + tolerance->relative * size);
    sum += x * x;
  }
  const double norm = m->states > 0 ? sqrt(sum / m->states) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}
