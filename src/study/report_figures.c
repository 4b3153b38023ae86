// Figures of a model after a run: an object in JSON, curves in the report.
#include "holon/figures.h"
#include "output/page.h"
#include "study/report.h"

static int is_curve(const hn_model *model, int k) {
  return hn_model_figure(model, k)->take == HN_FIGURE_CURVE;
}

void hn_report_figures(hn_json_writer *json, const hn_model *model, const hn_results *rows) {
  if (rows == NULL || hn_model_figure_count(model) == 0) return;
  hn_json_open(json, "figures", '{');
  for (int k = 0; k < hn_model_figure_count(model); k++)
    if (!is_curve(model, k))
      hn_json_number(json, hn_model_figure(model, k)->name, hn_results_figure(rows, model, k));
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
    hn_json_series(json, def->name, hn_results_signal_unit(rows, of),
                   over >= 0 ? hn_results_column(rows, over) : hn_results_time(rows),
                   hn_results_column(rows, of), hn_results_row_count(rows));
    hn_json_close(json, ']');
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}
