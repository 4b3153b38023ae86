// Conditions of laws: see guards.h.
#include "elements/guards.h"

#include "elements/force.h"

#include "math/law.h"

static void add(hn_guard_list *g, hn_guard made) {
  if (!made.law || (!made.is_rule && hn_law_guards(made.law) == 0 &&
                    !(made.is_rate && hn_law_pieces(made.law) > 1)))
    return;
  if (g->item) g->item[g->count] = made;
  g->count++;
}

static void collect(const hn_model *model, hn_guard_list *g) {
  g->count = 0;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    const hn_law *of[] = {def->of_x, def->of_v, def->of_t, def->of_xvt};
    for (int k = 0; k < 4; k++) add(g, (hn_guard){.law = of[k], .force = f, .which = k});
    for (int k = 0; k < 3; k++)
      add(g, (hn_guard){.law = def->component_law[k], .force = -1, .which = 2});
  }
  for (int k = 0; k < model->state_count; k++) {
    const hn_state_def *def = &model->states[k];
    if (!(def->every > 0) && def->helps == 0)
      add(g, (hn_guard){.law = def->delay > 0 ? def->delayed : def->law,
                        .force = -1,
                        .which = 2,
                        .is_rate = 1});
  }
  for (int k = 0; k < model->input_count; k++)
    add(g, (hn_guard){.law = hn_model_input_law(model, k), .force = -1, .which = 2});
  for (int k = 0; k < model->rules.count; k++)
    add(g, (hn_guard){.law = model->rules.item[k].when, .force = -1, .which = 2, .is_rule = 1});
}

hn_status hn_guard_list_create(hn_arena *arena, const hn_elements *elements, hn_guard_list *list) {
  *list = (hn_guard_list){0};
  collect(elements->model, list);
  if (list->count == 0) return HN_OK;
  list->item = HN_TAKE(arena, hn_guard, list->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  collect(elements->model, list);
  return HN_OK;
}

int hn_rule_holds(const hn_law *when, double t) { return hn_law_evaluate(when, -1, t).value > 0.5; }

int hn_guard_code(const hn_elements *e, const hn_guard *g, const hn_frame *frames,
                  const double *turns, double t) {
  if (g->is_rule) return hn_rule_holds(g->law, t);
  double x = 0, v = 0;
  if (g->force >= 0 && g->which != 2) {
    const hn_force_def *def = &e->model->forces[g->force];
    hn_force_gauge(e, g->force, frames, turns, &x, &v);
    if (def->type == HN_FORCE_LEAF_SPRING) x -= def->offset;
  }
  const double of[4][3] = {{x}, {v}, {t}, {x, v, t}};
  const int code = hn_law_guard(g->law, of[g->which], t);
  const int has_pieces = g->is_rate && hn_law_input_count(g->law) == 0;
  return has_pieces ? (int)(4096u * (unsigned)hn_law_piece(g->law, t) + (unsigned)code) : code;
}
