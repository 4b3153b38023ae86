#include "analysis/step_looks.h"

#include "elements/force.h"
#include "elements/sensor.h"
#include "elements/states.h"

hn_status hn_step_looks_create(hn_simulation *s) {
  const hn_model *model = s->elements->model;
  if (s->looks) return HN_OK;
  hn_step_looks *l = HN_KEEP(&s->arena, hn_step_looks, 1);
  if (!l) return HN_ERROR_MEMORY;
  l->inputs = model->input_count + model->sensing.count;
  l->value = HN_KEEP(&s->arena, double, HN_PATH_NODES *(l->inputs + 1));
  l->begin = l->end = NAN;
  s->looks = l;
  return s->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_step_looks_renew(hn_simulation *s) {
  if (!s->looks) return;
  s->looks->renewals++;
  s->looks->end = NAN;
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

// ---- laws ---------------------------------------------------------------------------------------

static hn_step_law *new_law(hn_simulation *s, const hn_law *law, hn_function_kind kind, int force) {
  hn_step_law *made = HN_KEEP(&s->arena, hn_step_law, 1);
  if (made)
    *made = (hn_step_law){.law = law, .kind = kind, .force = force, .begin = NAN, .end = NAN};
  return made;
}

hn_step_law *hn_step_law_add(hn_simulation *s, const hn_law *law, hn_function_kind kind,
                             int force) {
  hn_step_looks *l = s->looks;
  hn_step_law *made = new_law(s, law, kind, force);
  if (!made) return NULL;
  if (l->last)
    l->last->next = made;
  else
    l->laws = made;
  return l->last = made;
}

hn_step_law *hn_step_law_share(hn_simulation *s, const hn_law *law, hn_function_kind kind,
                               int force) {
  hn_step_looks *l = s->looks;
  // both come in the order of the model: the next one is likely to be the one after the last found
  hn_step_law *from = l->found ? l->found->next : NULL;
  for (int round = 0; round < 2; round++, from = l->laws)
    for (hn_step_law *a = from; a; a = a->next)
      if (a->law == law && a->kind == kind && (kind == HN_OF_T || a->force == force))
        return l->found = a;
  return new_law(s, law, kind, force);
}

static void measure_paths(hn_simulation *s, int force, hn_path *x, hn_path *v) {
  const hn_method *m = s->method;
  const hn_force_def *def = &s->elements->model->forces[force];
  const double h = m->step, shift = def->type == HN_FORCE_LEAF_SPRING ? def->offset : 0;
  double at[2], rate[2];
  hn_force_gauge(s->elements, force, m->now->frames, s->branches.turns, &at[0], &rate[0]);
  hn_force_gauge(s->elements, force, m->next->frames, s->branches.turns, &at[1], &rate[1]);
  *x = hn_path_hermite(at[0] - shift, h * rate[0], at[1] - shift, h * rate[1]);
  *v = hn_path_derivative(x);
  for (int k = 0; k < HN_PATH_NODES; k++) v->c[k] /= h;
}

void hn_step_law_paths(hn_simulation *s, const hn_step_law *along, hn_path path[HN_LAW_VARIABLES]) {
  const hn_method *m = s->method;
  hn_path x = {{0}}, v = {{0}};
  if (along->force >= 0 && along->kind != HN_OF_T) measure_paths(s, along->force, &x, &v);
  const hn_path t = hn_path_line(m->t, m->step_end);
  const hn_path own[4][3] = {{x}, {v}, {t}, {x, v, t}};
  const int count = hn_law_variable_count(along->law), inputs = hn_law_input_count(along->law);
  for (int k = 0; k < count - inputs && k < 3; k++) path[k] = own[along->kind][k];
  if (inputs > 0) hn_step_looks_paths(s, along->law, &path[count - inputs]);
}

const hn_taylor *hn_step_law_model(hn_simulation *s, hn_step_law *along) {
  const hn_method *m = s->method;
  const long renewals = s->looks->renewals;
  if (along->begin != m->t || along->end != m->step_end || along->renewals != renewals) {
    hn_path path[HN_LAW_VARIABLES];
    hn_taylor variables[HN_LAW_VARIABLES];
    hn_step_law_paths(s, along, path);
    for (int k = 0; k < hn_law_variable_count(along->law); k++)
      variables[k] = hn_path_taylor(&path[k], 0.5, 0.5);
    along->has_model = hn_law_taylor(along->law, variables, &along->model);
    along->begin = m->t;
    along->end = m->step_end;
    along->renewals = renewals;
  }
  return along->has_model ? &along->model : NULL;
}
