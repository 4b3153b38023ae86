// Poles, and Bode diagrams of pairs of inputs and outputs, as one drawing.
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/linear.h"
#include "holon/plot.h"

enum { MOST_PAIRS = HN_LINEAR_PAIRS, POINTS = 300, PANELS = 1 + 2 * MOST_PAIRS };

// Contents of the panels.
typedef struct diagram {
  double x[POINTS], gain[POINTS], phase[POINTS]; // Hz, SI, degrees
  hn_plot_series series[2];
  char title[512];
} diagram;

typedef struct drawing {
  hn_arena arena;
  hn_plot_panel panels[PANELS];
  int count;
} drawing;

static void add_panel(drawing *d, hn_plot_panel panel) {
  panel.width = 760;
  panel.height = 300;
  panel.y = 300 * d->count;
  d->panels[d->count++] = panel;
}

// Dots without a line: a gap behind each.
static hn_status add_poles(drawing *d, const hn_linear *l) {
  const int n = l->eigenvalue_count;
  double *x = HN_TAKE(&d->arena, double, 2 * n + 1), *y = HN_TAKE(&d->arena, double, 2 * n + 1);
  hn_plot_series *series = HN_TAKE(&d->arena, hn_plot_series, 1);
  if (!x || !y || !series) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) {
    x[2 * k] = l->eigenvalues[k].real;
    y[2 * k] = l->eigenvalues[k].imaginary;
    x[2 * k + 1] = y[2 * k + 1] = NAN;
  }
  *series = (hn_plot_series){.name = "poles", .x = x, .y = y, .count = 2 * n, .has_marks = 1};
  add_panel(d, (hn_plot_panel){.title = "Poles",
                               .x_label = "real part (1/s)",
                               .y_label = "imaginary part (rad/s)",
                               .series = series,
                               .series_count = 1});
  return HN_OK;
}

static hn_status add_bode(drawing *d, const hn_linear *l, int input, int output) {
  diagram *b = HN_TAKE(&d->arena, diagram, 1);
  hn_status status = b ? HN_OK : HN_ERROR_MEMORY;
  if (status == HN_OK) status = hn_linear_bode(l, input, output, POINTS, b->x, b->gain, b->phase);
  if (status != HN_OK) return status;
  snprintf(b->title, sizeof b->title, "%.200s by %.200s", l->outputs[output], l->inputs[input]);
  b->series[0] = (hn_plot_series){.name = "gain", .x = b->x, .y = b->gain, .count = POINTS};
  b->series[1] = (hn_plot_series){.name = "phase", .x = b->x, .y = b->phase, .count = POINTS};
  add_panel(d, (hn_plot_panel){.title = b->title,
                               .y_label = "gain (SI)",
                               .series = &b->series[0],
                               .series_count = 1,
                               .is_log = 1,
                               .is_log_x = 1});
  add_panel(d, (hn_plot_panel){.x_label = "frequency (Hz)",
                               .y_label = "phase (degrees)",
                               .series = &b->series[1],
                               .series_count = 1,
                               .is_log_x = 1});
  return HN_OK;
}

hn_status hn_linear_plot(const hn_linear *l, const char *title, const char *path, hn_error *error) {
  drawing d = {.count = 0};
  int pairs = 0;
  hn_arena_init(&d.arena, NULL);
  hn_status status = l->eigenvalue_count > 0 ? add_poles(&d, l) : HN_OK;
  for (int i = 0; l->a != NULL && i < l->input_count; i++)
    for (int o = 0; status == HN_OK && o < l->output_count && pairs < MOST_PAIRS; o++, pairs++)
      status = add_bode(&d, l, i, o);
  if (status == HN_OK)
    status = hn_plot_write(path, title, d.panels, d.count, error);
  else
    hn_fail(error, status, NULL, NULL, "select fewer inputs and outputs",
            "the plot cannot be created: %s", hn_status_text(status));
  hn_arena_release(&d.arena);
  return status;
}
