// Plots as SVG: axes with round ticks, units, several lines, a legend above, a palette that colour-
// blind readers can tell apart. A panel is one pair of axes; a drawing holds panels under each
// other.
#ifndef HN_SVG_H
#define HN_SVG_H

#include "cli.h"

enum { HN_SVG_COLOURS = 7, HN_SVG_MOST_TICKS = 24 };

// One axis: its range and where it is marked.
typedef struct hn_svg_axis {
  double low, high; // low < high; both > 0 when logarithmic
  int is_log;
  int count;
  double tick[HN_SVG_MOST_TICKS];
  char label[HN_SVG_MOST_TICKS][24];
  char note[48]; // what the labels leave out: "×10⁻³", "+ 1.25"; empty if nothing
} hn_svg_axis;

// An axis for numbers between low and high with about `wanted` ticks. padded: with a little room at
// both ends. Any finite numbers do: equal ones get some room too, zeros a single tick.
hn_svg_axis hn_svg_linear_axis(double low, double high, int wanted, int padded);
hn_svg_axis hn_svg_log_axis(double low, double high, int wanted); // 0 < low
double hn_svg_place(const hn_svg_axis *axis, double value);       // 0 at low, 1 at high

typedef struct hn_svg_series {
  const char *name;
  const double *x, *y; // (count); what is not finite leaves a gap
  int count;
  int colour;       // 0 .. HN_SVG_COLOURS - 1
  int is_reference; // thin and dashed, in black
  int has_marks;    // a dot at every point
  int is_faint;     // small grey dots without a line
  // error bars, drawn as a band around the line: y is known to bar[k] up to bar_x[k]; null: none
  const double *bar_x, *bar;
  int bar_count;
} hn_svg_series;

typedef struct hn_svg_panel {
  const char *title;   // null: none
  const char *x_label; // null: none, for a panel above another one
  const char *y_label; // null or empty: none; "^2" is written as a small two
  const hn_svg_series *series;
  int series_count;
  int is_log; // the values upwards
  int is_log_x;
  int has_legend;
  double width, height; // of everything, in pixels
  double left;          // at least this far the axes begin from the left: lines panels up
} hn_svg_panel;

// Where the panel put its axes: for readers that ask for values.
typedef struct hn_svg_area {
  double left, top, width, height;
  hn_svg_axis x, y;
} hn_svg_area;

// Adds the elements of a panel whose upper left corner is at the origin.
void hn_svg_add_panel(hn_cli_text *text, const hn_svg_panel *panel, hn_svg_area *area);

// How far from the left the axes of the panel begin by themselves.
double hn_svg_panel_left(const hn_svg_panel *panel);

// A whole drawing around panels that were added to `body`, with its colours inside.
void hn_svg_add_document(hn_cli_text *text, double width, double height, const char *title,
                         const hn_cli_text *body);
// Style rules that panels need, with colours as given by CSS variables or fixed for paper.
void hn_svg_add_style(hn_cli_text *text, int for_page);

#endif
