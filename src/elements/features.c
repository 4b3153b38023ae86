#include "elements/features.h"

#include "elements/force.h"
#include "math/bounds.h"

// 1: each of its pieces is a plain polynomial, and another source ends steps where they change.
static int has_located_pieces(const hn_model *model, const hn_function *f) {
  if (!hn_law_has_plain_pieces(f->law) || f->state >= 0) return 0;
  if (f->kind == HN_OF_T) return 1;
  return hn_force_switches_by_measure(&model->forces[f->force]);
}

static void visit_one(const hn_model *model, hn_function_visitor *visit, void *context,
                      hn_function f) {
  if (!f.law || hn_law_is_plain(f.law) || has_located_pieces(model, &f)) return;
  visit(context, model, &f);
}

void hn_visit_functions(const hn_model *model, hn_function_visitor *visit, void *context) {
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    const hn_law *laws[] = {def->of_x, def->of_v, def->of_t, def->of_xvt};
    for (int k = 0; k < 4; k++)
      visit_one(model, visit, context,
                (hn_function){laws[k], (hn_function_kind)k, .force = f, -1, -1});
    for (int k = 0; k < 3; k++)
      visit_one(model, visit, context,
                (hn_function){def->component_law[k], HN_OF_T, .force = f, -1, -1});
  }
  for (int d = 0; d < model->driver_count; d++)
    visit_one(model, visit, context,
              (hn_function){model->drivers[d].law, HN_OF_T, .force = -1, d, -1});
  for (int k = 0; k < model->input_count; k++)
    visit_one(model, visit, context,
              (hn_function){hn_model_input_law(model, k), HN_OF_T, .force = -1, -1, -1});
  for (int k = 0; k < model->state_count; k++) {
    const hn_state_def *def = &model->states[k];
    if (!(def->every > 0) && def->helps == 0)
      visit_one(
          model, visit, context,
          (hn_function){def->delay > 0 ? def->delayed : def->law, HN_OF_T, .force = -1, -1, k});
  }
}
