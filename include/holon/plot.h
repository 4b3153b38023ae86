// Holon: plots as SVG, for a page or a paper.
//
//   hn_plot_series line = {.name = "x", .x = time, .y = values, .count = rows};
//   hn_plot_panel panel = {
//       .x_label = "time (s)", .y_label = "x (m)", .series = &line, .series_count = 1};
//   hn_plot_write("x.svg", "a run", &panel, 1, &error);
//
// Axes have round ticks, lines a palette that color-blind readers can distinguish. The same
// numbers give the same bytes.
#ifndef HOLON_PLOT_H
#define HOLON_PLOT_H

#include "holon/results.h"
#include "holon/tyre.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HN_PLOT_COLOURS = 7 };

typedef struct hn_plot_series {
  const char *name;
  const double *x, *y; // (count); what is not finite leaves a gap
  int count;
  int colour;       // 0 .. HN_PLOT_COLOURS - 1
  int is_reference; // thin and dashed, in black
  int has_marks;    // a dot at every point
  int is_faint;     // small gray dots without a line
} hn_plot_series;

// One pair of axes. Everything but the series may be 0.
typedef struct hn_plot_panel {
  const char *title;   // null: none
  const char *x_label; // null: none, for a panel above another one
  const char *y_label; // null or empty: none; "^2" is written as a small two
  const hn_plot_series *series;
  int series_count;
  int is_log, is_log_x; // logarithmic upwards, to the right
  int has_legend;       // above the axes
  double x, y;          // upper left corner, pixels to the right and downwards
  double width, height; // of everything; 0: 720 and 380
} hn_plot_panel;

// Draws panels; those that start at the same x have their axes aligned. title: of the document.
HN_API hn_status hn_plot_write(const char *path, const char *title, const hn_plot_panel *panels,
                               int count, hn_error *error);

// A signal of a run, and the column of a reference that belongs to it (-1: none), by their indices.
typedef struct hn_plot_curve {
  int signal, reference;
} hn_plot_curve;

// Signals over time; those of one unit share a pair of axes, 720 pixels wide. reference and title
// may be null. *height (may be null): of the drawing, in pixels.
HN_API hn_status hn_results_plot(const hn_results *results, const hn_results *reference,
                                 const hn_plot_curve *curves, int count, const char *title,
                                 const char *path, int *height, hn_error *error);

typedef struct hn_results_gap {
  double largest, time; // and when
  int count;            // times that were compared
} hn_results_gap;

// At the times of the reference that the results cover, between their rows by cubic polynomials.
HN_API hn_results_gap hn_results_difference(const hn_results *results, int signal,
                                            const hn_results *reference, int column);

// Curves of a tyre: Fx over kappa, Fy and Mz over alpha at three loads, and Fy over Fx at slip angles.
HN_API hn_status hn_tyre_plot(const char *path, const hn_tyre *tyre, const char *title, double load,
                              hn_tyre_axes axes, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
