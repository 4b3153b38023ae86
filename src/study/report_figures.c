// Key figures of a model after a run: an object in JSON, curves in the report.
#include <string.h>

#include "holon/figures.h"
#include "output/page.h"
#include "study/report.h"

static int is_curve(const hn_model *model, int k) {
  return hn_model_figure(model, k)->take == HN_FIGURE_CURVE;
}

// Of a value at the end: that of its output there. Of one from within the run: the largest.
double hn_report_figure_bar(const hn_report *r, int k) {
  const hn_figure_def *def = hn_model_figure(r->model, k);
  const hn_accuracy *accuracy = hn_simulation_accuracy(r->simulation);
  const int is_value = def->take == HN_FIGURE_LAST || def->take == HN_FIGURE_LARGEST ||
                       def->take == HN_FIGURE_LEAST || def->take == HN_FIGURE_MEAN;
  if (!is_value || !accuracy || !accuracy->is_estimated) return 0;
  for (int i = 0; i < accuracy->signal_count; i++)
    if (strcmp(accuracy->signals[i].name, def->of) == 0)
      return def->take == HN_FIGURE_LAST && def->to == 0 ? accuracy->signals[i].last
                                                         : accuracy->signals[i].absolute;
  return 0;
}

void hn_report_figures(hn_json_writer *json, const hn_report *r) {
  const hn_model *model = r->model;
  const hn_results *rows = r->shown;
  if (rows == NULL || hn_model_figure_count(model) == 0) return;
  hn_json_open(json, "figures", '{');
  for (int k = 0; k < hn_model_figure_count(model); k++)
    if (!is_curve(model, k))
      hn_json_number(json, hn_model_figure(model, k)->name, hn_results_figure(rows, model, k));
  hn_json_close(json, '}');
  hn_json_open(json, "figure_units", '{');
  for (int k = 0; k < hn_model_figure_count(model); k++) {
    char unit[64];
    if (is_curve(model, k)) continue;
    hn_json_string(json, hn_model_figure(model, k)->name,
                   hn_results_figure_unit(rows, model, k, unit, sizeof unit));
  }
  hn_json_close(json, '}');
  hn_json_open(json, "figure_remarks", '{');
  for (int k = 0; k < hn_model_figure_count(model); k++) {
    char remark[256];
    if (hn_results_figure_remark(rows, model, k, remark, sizeof remark)[0] != '\0')
      hn_json_string(json, hn_model_figure(model, k)->name, remark);
  }
  hn_json_close(json, '}');
  hn_json_open(json, "figure_bars", '{');
  for (int k = 0; k < hn_model_figure_count(model); k++) {
    const double bar = is_curve(model, k) ? 0 : hn_report_figure_bar(r, k);
    if (bar > 0) hn_json_number(json, hn_model_figure(model, k)->name, bar);
  }
  hn_json_close(json, '}');
}

void hn_report_curves(hn_json_writer *json, const hn_model *model, const hn_results *rows) {
  hn_json_open(json, "curves", '[');
  for (int k = 0; k < hn_model_figure_count(model); k++) {
    const hn_figure_def *def = hn_model_figure(model, k);
    const int of = hn_results_find(rows, def->of),
              over = def->over != NULL ? hn_results_find(rows, def->over) : -1;
    if (!is_curve(model, k) || of < 0 || (def->over != NULL && over < 0)) continue;
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "over", def->over != NULL ? def->over : "time");
    hn_json_string(json, "over_unit", over >= 0 ? hn_results_signal_unit(rows, over) : "s");
    hn_json_open(json, "curve", '[');
    int first = 0;
    const int count = hn_results_figure_rows(rows, model, k, &first);
    const double *x = over >= 0 ? hn_results_column(rows, over) : hn_results_time(rows);
    hn_json_series(json, def->name, hn_results_signal_unit(rows, of), x + first,
                   hn_results_column(rows, of) + first, count);
    hn_json_close(json, ']');
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}
