// Key figures of a model: see holon/figures.h. They do not affect the motion, so they are not
// hashed.
#include "holon/figures.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/storage.h"

static hn_status check_times(const hn_subject *subject, const hn_figure_def *def) {
  if (!isfinite(def->from) || !isfinite(def->to) || def->to < 0 ||
      (def->to > 0 && def->to <= def->from))
    return hn_subject_fail(subject, "Give two times, the second one later.",
                           "covers the time from %g s to %g s", def->from, def->to);
  if (def->take == HN_FIGURE_REACHED && (!def->over || !isfinite(def->level)))
    return hn_subject_fail(subject, "Name the output that has to reach the level in `over:`.",
                           "has no output to reach the level");
  if (def->take != HN_FIGURE_REACHED && !(def->level >= 0 && def->level <= 1))
    return hn_subject_fail(subject, "Give a fraction of the last value, for instance 0.9.",
                           "has the level %g", def->level);
  if (def->has_range && (def->take != HN_FIGURE_SLOPE || !def->over))
    return hn_subject_fail(subject, "Use `take: slope` with `over:`, or delete the range.",
                           "has a range of `over`, which applies to a slope only");
  if (def->has_range && !(def->over_from < def->over_to))
    return hn_subject_fail(subject, "Give `over_from` below `over_to`.",
                           "covers `over` from %g to %g", def->over_from, def->over_to);
  if (!def->of || (unsigned)def->take >= HN_FIGURE_KINDS)
    return hn_subject_fail(subject, "Name an output in `of:`.", "has no output to evaluate");
  return HN_OK;
}

hn_status hn_model_add_figure(hn_model *model, const hn_figure_def *def) {
  if (!model || !def) return HN_ERROR_ARGUMENT;
  hn_figure_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_FIGURE, &own.name, &own.source);
  hn_subject subject = {model, HN_NAME_FIGURE, own.name, &own.source};
  if (status == HN_OK) status = check_times(&subject, &own);
  if (status != HN_OK) return status;
  own.of = hn_arena_copy_string(&model->arena, def->of);
  own.over = hn_arena_copy_string(&model->arena, def->over);
  hn_figure_def *figures = hn_model_grow(model, model->figures.item, &model->storage->figure_room,
                                         model->figures.count, sizeof *figures);
  if (!figures || model->arena.failed)
    return hn_model_out_of_memory(model, HN_NAME_FIGURE, own.name);
  model->figures.item = figures;
  figures[model->figures.count] = own;
  hn_names_insert(&model->storage->names, HN_NAME_FIGURE, own.name, model->figures.count);
  model->figures.count++;
  return HN_OK;
}

int hn_model_figure_count(const hn_model *model) { return model->figures.count; }
const hn_figure_def *hn_model_figure(const hn_model *model, int id) {
  return id >= 0 && id < model->figures.count ? &model->figures.item[id] : NULL;
}

const char *hn_figure_kind_name(hn_figure_kind kind) {
  static const char *const names[] = {
#define HN_FIGURE_NAME(code, name) name,
      HN_FIGURE_LIST(HN_FIGURE_NAME)
#undef HN_FIGURE_NAME
  };
  return (unsigned)kind < HN_FIGURE_KINDS ? names[kind] : NULL;
}

hn_status hn_model_check_figures(hn_model *model) {
  for (int k = 0; k < model->figures.count; k++) {
    const hn_figure_def *def = &model->figures.item[k];
    hn_subject subject = {model, HN_NAME_FIGURE, def->name, &def->source};
    hn_status status = hn_model_check_followed(&subject, def->of);
    if (status == HN_OK) status = hn_model_check_followed(&subject, def->over);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}
