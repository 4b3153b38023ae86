// Axes of plots (holon/plot.h).
#ifndef HN_OUTPUT_PLOT_H
#define HN_OUTPUT_PLOT_H

#include "holon/plot.h"

enum { HN_PLOT_MOST_TICKS = 24 };

// One axis: its range and where it is marked.
typedef struct hn_plot_axis {
  double low, high; // low < high; both > 0 when logarithmic
  int is_log;
  int count;
  double tick[HN_PLOT_MOST_TICKS];
  char label[HN_PLOT_MOST_TICKS][24];
  char note[48]; // what the labels leave out: "×10⁻³", "+ 1.25"; empty if nothing
} hn_plot_axis;

// An axis for numbers between low and high with about `wanted` ticks. padded: with a margin at both
// ends. Any finite numbers do: equal ones get a margin too, zeros a single tick.
hn_plot_axis hn_plot_linear_axis(double low, double high, int wanted, int padded);
hn_plot_axis hn_plot_log_axis(double low, double high, int wanted); // 0 < low
double hn_plot_place(const hn_plot_axis *axis, double value);       // 0 at low, 1 at high

#endif
