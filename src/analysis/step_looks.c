#include "analysis/step_looks.h"

#include "elements/sensor.h"
#include "elements/states.h"

hn_status hn_step_looks_create(hn_simulation *s) {
  const hn_model *model = s->elements->model;
  if (s->looks) return HN_OK;
  hn_step_looks *l = HN_TAKE(&s->arena, hn_step_looks, 1);
  if (!l) return HN_ERROR_MEMORY;
  l->inputs = model->input_count + model->sensing.count;
  l->value = HN_TAKE(&s->arena, double, HN_PATH_NODES *(l->inputs + 1));
  l->begin = l->end = NAN;
  s->looks = l;
  return s->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_step_looks_note(hn_simulation *s, int k) {
  hn_step_looks *l = s->looks;
  const hn_method *m = s->method;
  const double t = k == HN_PATH_NODES - 1 ? m->step_end : m->t + hn_path_node(k) * m->step;
  for (int i = 0; i < l->inputs; i++) {
    double d[4];
    hn_input_at(&s->inputs[i], k == 0 ? m->t : t, d);
    l->value[k * l->inputs + i] = d[0];
  }
  l->begin = m->t;
  l->end = k == HN_PATH_NODES - 1 ? m->step_end : NAN;
}

void hn_step_looks_make(hn_simulation *s) {
  hn_method *m = s->method;
  const hn_coordinates *c = s->equations->type->coordinates;
  if (s->looks->begin == m->t && s->looks->end == m->step_end) return;
  if (m->states > 0) hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  hn_step_looks_note(s, 0);
  for (int k = 1; k < HN_PATH_NODES - 1; k++) {
    m->type->interpolate(m, hn_path_node(k), s->looking.q, s->looking.qd, NULL);
    (c->motions ? c->motions : c->frames)(s->equations, s->looking.q, s->looking.qd,
                                          s->looking.frames);
    hn_elements_sense(s->elements, s->looking.frames, s->branches.turns);
    hn_step_looks_note(s, k);
  }
  if (m->states > 0) hn_states_set(s->elements, m->next_z);
  hn_elements_sense(s->elements, m->next->frames, s->branches.turns);
  hn_step_looks_note(s, HN_PATH_NODES - 1);
}

void hn_step_looks_paths(const hn_simulation *s, const hn_law *law, hn_path *path) {
  for (int k = 0; k < hn_law_input_count(law); k++)
    path[k] = hn_path_through(&s->looks->value[hn_law_input(law, k)], s->looks->inputs);
}
