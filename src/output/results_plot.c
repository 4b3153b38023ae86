// Signals of a run as a drawing: those of one unit share a pair of axes, a reference is dashed; and
// how far a run is from its reference.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/plot.h"

// ---- difference ---------------------------------------------------------------------------------

// The polynomial through the four rows around x.
static double interpolate(const double *time, const double *values, int rows, double x) {
  int low = 0, high = rows - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (time[middle] <= x) {
      low = middle;
    } else {
      high = middle;
    }
  }
  int points = rows < 4 ? rows : 4;
  int first = low - 1;
  if (first > rows - points) first = rows - points;
  if (first < 0) first = 0;
  double sum = 0;
  for (int i = first; i < first + points; i++) {
    double weight = 1;
    for (int j = first; j < first + points; j++) {
      if (j != i) weight *= (x - time[j]) / (time[i] - time[j]);
    }
    sum += weight * values[i];
  }
  return sum;
}

hn_results_gap hn_results_difference(const hn_results *results, int signal,
                                     const hn_results *reference, int column) {
  const double *time = hn_results_time(results), *values = hn_results_column(results, signal);
  const double *at = hn_results_time(reference), *other = hn_results_column(reference, column);
  const int rows = hn_results_row_count(results);
  const double slack = rows > 1 ? 1e-9 * (time[rows - 1] - time[0]) : 0;
  hn_results_gap d = {0};
  for (int i = 0; i < hn_results_row_count(reference) && rows > 0; i++) {
    const double t = at[i];
    if (t < time[0] - slack || t > time[rows - 1] + slack || !isfinite(other[i])) continue;
    const double difference = fabs(interpolate(time, values, rows, t) - other[i]);
    d.count++;
    if (!(difference <= d.largest)) d.largest = difference, d.time = t;
  }
  return d;
}

// ---- drawing ------------------------------------------------------------------------------------

typedef struct drawing {
  const hn_results *results, *reference;
  const hn_plot_curve *curves;
  int count;
  hn_arena arena;
  hn_plot_panel *panels; // (count at most)
  int panel_count;
} drawing;

static const char *unit_of(const drawing *d, int curve) {
  const char *unit = hn_results_signal_unit(d->results, d->curves[curve].signal);
  return unit != NULL ? unit : "";
}

static int share_axes(const drawing *d, int a, int b) {
  return strcmp(unit_of(d, a), unit_of(d, b)) == 0;
}

static hn_plot_series signal_series(const hn_results *results, int signal) {
  return (hn_plot_series){.name = hn_results_signal_name(results, signal),
                          .x = hn_results_time(results),
                          .y = hn_results_column(results, signal),
                          .count = hn_results_row_count(results)};
}

// Two texts one after the other; null: out of memory, now or before.
static const char *joined(drawing *d, const char *a, const char *b) {
  if (a == NULL) return NULL;
  size_t size = strlen(a) + strlen(b) + 1;
  char *text = hn_arena_take(&d->arena, size, 1);
  return text != NULL ? strcat(strcpy(text, a), b) : NULL;
}

// The panel of all curves with the unit of the first, which is its first curve. 0: out of memory.
static int make_panel(drawing *d, int first) {
  hn_plot_series *series = HN_TAKE(&d->arena, hn_plot_series, 2 * d->count);
  hn_plot_panel *panel = &d->panels[d->panel_count++];
  int count = 0, colour = 0;
  for (int i = first; series != NULL && i < d->count; i++) {
    const hn_plot_curve *c = &d->curves[i];
    if (!share_axes(d, first, i)) continue;
    series[count] = signal_series(d->results, c->signal);
    series[count++].colour = colour++ % HN_PLOT_COLOURS;
    if (d->reference == NULL || c->reference < 0) continue;
    series[count] = signal_series(d->reference, c->reference);
    series[count].name = joined(d, series[count].name, " (reference)");
    series[count].is_reference = 1;
    if (series[count++].name == NULL) return 0;
  }
  const char *unit = unit_of(d, first), *label = unit;
  if (series != NULL && count == 1) {
    label = series[0].name;
    if (unit[0] != '\0') label = joined(d, joined(d, joined(d, label, " ("), unit), ")");
  }
  *panel = (hn_plot_panel){
      .y_label = label, .series = series, .series_count = count, .has_legend = count > 1};
  return series != NULL && label != NULL;
}

// Under each other.
static int place_panels(drawing *d, const char *title) {
  double height = 0;
  for (int k = 0; k < d->panel_count; k++) {
    hn_plot_panel *panel = &d->panels[k];
    panel->height = d->panel_count == 1 ? 380 : 240;
    panel->title = k == 0 ? title : NULL;
    panel->x_label = k == d->panel_count - 1 ? "time (s)" : NULL;
    panel->y = height;
    height += panel->height;
  }
  return (int)height;
}

hn_status hn_results_plot(const hn_results *results, const hn_results *reference,
                          const hn_plot_curve *curves, int count, const char *title,
                          const char *path, int *height, hn_error *error) {
  drawing d = {.results = results, .reference = reference, .curves = curves, .count = count};
  d.panels = HN_TAKE(&d.arena, hn_plot_panel, count + 1);
  int is_there = d.panels != NULL;
  for (int i = 0; is_there && i < count; i++) {
    int begins = 1;
    for (int k = 0; k < i; k++) begins = begins && !share_axes(&d, k, i);
    if (begins) is_there = make_panel(&d, i);
  }
  hn_status status = HN_ERROR_MEMORY;
  if (is_there) {
    const int whole = place_panels(&d, title);
    if (height != NULL) *height = whole;
    const char *name = count > 0 ? hn_results_signal_name(results, curves[0].signal) : "";
    status = hn_plot_write(path, title != NULL ? title : name, d.panels, d.panel_count, error);
  } else {
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for a plot. Select fewer signals");
  }
  hn_arena_release(&d.arena);
  return status;
}
