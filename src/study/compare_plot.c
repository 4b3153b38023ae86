// Work against precision: error to the right, CPU time upwards, both logarithmic. Lines for the
// formulations that matter (those on the front, then the fastest), the front itself dashed, all other
// runs as gray dots.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/compare.h"
#include "holon/plot.h"

enum { most_lines = HN_PLOT_COLOURS - 1 };

typedef struct line {
  int formulation, is_step;
  int front;      // points on the front
  double fastest; // s
} line;

static int compare_lines(const void *a, const void *b) {
  const line *x = a, *y = b;
  if (x->front != y->front) return y->front - x->front;
  return (x->fastest > y->fastest) - (x->fastest < y->fastest);
}

// Formulations with fixed steps and with error control apart: they are different lines.
static int collect_lines(const hn_comparison *c, line *lines) {
  int count = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_compare_point *p = &c->points[k];
    if (p->status != HN_OK) continue;
    int at = 0;
    while (at < count &&
           (lines[at].formulation != p->formulation || lines[at].is_step != (p->step > 0)))
      at++;
    if (at == count)
      lines[count++] =
          (line){.formulation = p->formulation, .is_step = p->step > 0, .fastest = HUGE_VAL};
    lines[at].front += p->is_front;
    lines[at].fastest = fmin(lines[at].fastest, p->seconds);
  }
  qsort(lines, (size_t)count, sizeof *lines, compare_lines);
  return count;
}

typedef struct drawing {
  const hn_comparison *c;
  hn_plot_series series[most_lines + 2];
  char names[most_lines + 2][176];
  double *numbers; // x and y of all series, one after the other
  int used;
  int count;
} drawing;

static double shown_error(double error) { return fmax(error, 1e-14); }

static void add_point(hn_plot_series *s, const hn_compare_point *p) {
  // x and y of a series lie apart: capacity for all points is between them
  double *x = (double *)s->x, *y = (double *)s->y;
  x[s->count] = shown_error(p->error);
  y[s->count++] = fmax(p->seconds, 1e-6);
}

static hn_plot_series *begin_series(drawing *d) {
  hn_plot_series *s = &d->series[d->count];
  int room = d->c->point_count + 1;
  s->x = d->numbers + (size_t)(2 * d->count) * (size_t)room;
  s->y = s->x + room;
  s->name = d->names[d->count++];
  return s;
}

// Points with an error, by it, the smallest first; how many.
static int order_points(const hn_comparison *c, int only_front, int *order) {
  int count = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_compare_point *p = &c->points[k];
    if (p->status != HN_OK || (only_front && !p->is_front)) continue;
    int at = count++;
    for (; at > 0 && c->points[order[at - 1]].error > p->error; at--) order[at] = order[at - 1];
    order[at] = k;
  }
  return count;
}

static void fill_series(drawing *d, line *lines, int *order) {
  const hn_comparison *c = d->c;
  int all = collect_lines(c, lines), count = order_points(c, 0, order);
  hn_plot_series *others = begin_series(d);
  others->is_faint = 1;
  snprintf(d->names[0], sizeof d->names[0], "others (%d)", all > most_lines ? all - most_lines : 0);
  for (int k = 0; k < count; k++) {
    const hn_compare_point *p = &c->points[order[k]];
    int is_line = 0;
    for (int i = 0; i < all && i < most_lines; i++)
      is_line |= lines[i].formulation == p->formulation && lines[i].is_step == (p->step > 0);
    if (!is_line) add_point(others, p);
  }
  for (int i = 0; i < all && i < most_lines; i++) {
    hn_plot_series *s = begin_series(d);
    char name[140];
    snprintf(d->names[d->count - 1], sizeof d->names[0], "%s%s",
             hn_formulation_text(&c->formulations[lines[i].formulation], name, sizeof name),
             lines[i].is_step ? ", fixed step" : "");
    s->colour = i;
    s->has_marks = 1;
    for (int k = 0; k < count; k++) {
      const hn_compare_point *p = &c->points[order[k]];
      if (p->formulation == lines[i].formulation && lines[i].is_step == (p->step > 0))
        add_point(s, p);
    }
  }
  hn_plot_series *front = begin_series(d);
  front->is_reference = 1;
  snprintf(d->names[d->count - 1], sizeof d->names[0], "Pareto front");
  count = order_points(c, 1, order);
  for (int k = 0; k < count; k++) add_point(front, &c->points[order[k]]);
}

hn_status hn_comparison_plot(const hn_comparison *comparison, const char *title, const char *path,
                             hn_error *error) {
  drawing d = {.c = comparison};
  size_t room = (size_t)comparison->point_count + 1;
  line *lines = hn_allocate(NULL, room * sizeof *lines);
  int *order = hn_allocate(NULL, room * sizeof *order);
  d.numbers = hn_allocate(NULL, 2 * room * (most_lines + 2) * sizeof *d.numbers);
  hn_status status = HN_ERROR_MEMORY;
  if (!lines || !order || !d.numbers) {
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for a plot");
    goto end;
  }
  fill_series(&d, lines, order);
  const hn_plot_panel panel = {.x_label = "error (largest difference over 1 + largest value)",
                               .y_label = "CPU time (s)",
                               .series = d.series,
                               .series_count = d.count,
                               .is_log = 1,
                               .is_log_x = 1,
                               .has_legend = 1,
                               .width = 900,
                               .height = 560};
  status = hn_plot_write(path, title, &panel, 1, error);
end:
  hn_release(NULL, lines);
  hn_release(NULL, order);
  hn_release(NULL, d.numbers);
  return status;
}
