// Functions whose inside is not known may have features of any width: no step is longer than the output
// step, and the run names them as not examined.
#include "analysis/simulation_opaque.h"

#include <math.h>

#include "analysis/event_sources.h"
#include "base/error.h"
#include "elements/force_types.h"
#include "holon/component.h"

static int is_opaque(const hn_force_def *force) {
  return force->type == HN_FORCE_USER && !force->user.is_smooth;
}

int hn_opaque_count(const hn_model *model) {
  int count = 0;
  for (int p = 0; p < model->part_count; p++) count += model->parts[p].facts->hides_features;
  for (int f = 0; f < model->force_count; f++) count += is_opaque(&model->forces[f]);
  return count;
}

const char *hn_opaque_name(const hn_model *model, int index, char *text, size_t size) {
  for (int f = 0; f < model->force_count; f++)
    if (is_opaque(&model->forces[f]) && index-- == 0)
      return hn_text(text, size, "force '%s'", model->forces[f].name);
  for (int p = 0; p < model->part_count; p++)
    if (model->parts[p].facts->hides_features && index-- == 0)
      return hn_text(text, size, "component '%s'", model->parts[p].name);
  return NULL;
}

void hn_opaque_tell(hn_simulation *s) {
  char name[96];
  if (s->stepping.mode == HN_RUN_REAL_TIME) return;
  for (int k = 0; k < s->stepping.opaque; k++)
    hn_simulation_note(
        s, hn_opaque_name(s->model, k, name, sizeof name), "is not sampled inside steps: %s",
        s->stepping.mode != HN_RUN_CONTROLLED
            ? "a feature narrower than the fixed step is missed. Use a smaller `step` if it has one"
            : "features narrower than the output step are missed. Set `output_step` or `max_step` "
              "to their width");
}

static int opaque_present(const hn_simulation *s) {
  return s->stepping.opaque > 0 && s->stepping.mode != HN_RUN_REAL_TIME;
}

static double opaque_max_step(hn_simulation *s, double h, double t_limit) {
  (void)t_limit;
  return s->stepping.output_step > 0 ? fmin(h, s->stepping.output_step) : h;
}

const hn_event_source hn_opaque_source = {.name = "functions that cannot be examined",
                                          .is_present = opaque_present,
                                          .max_step = opaque_max_step,
                                          .has_features = 1};

void hn_simulation_warn_numerical_forces(hn_simulation *s) {
  if (s->method->type->is_direct || s->equations->type->traits.is_hierarchical) return;
  for (int f = 0; f < s->model->force_count; f++) {
    const hn_force_def *def = &s->model->forces[f];
    char name[96];
    if (hn_force_needs_differences(def))
      hn_simulation_note(s, hn_text(name, sizeof name, "force '%s'", def->name),
                         "has no derivatives: method %s uses finite differences",
                         s->method->type->name);
  }
}
