// Work against precision: error to the right, CPU time upwards, both logarithmic. Lines for the
// formulations that matter (those on the front, then the fastest), the front itself dashed, all other
// runs as grey dots.
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static int collect_lines(const hn_cli_comparison *c, line *lines) {
  int count = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_cli_point *p = &c->points[k];
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
  const hn_cli_comparison *c;
  hn_plot_series series[most_lines + 2];
  char names[most_lines + 2][176];
  double *numbers; // x and y of all series, one after the other
  int used;
  int count;
} drawing;

static double shown_error(double error) { return fmax(error, 1e-14); }

static void add_point(hn_plot_series *s, const hn_cli_point *p) {
  // x and y of a series lie apart: room for all points is between them
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

static void fill_series(drawing *d) {
  const hn_cli_comparison *c = d->c;
  line *lines = hn_cli_allocate((size_t)c->point_count + 1, sizeof *lines);
  int all = collect_lines(c, lines), count;
  int *order = hn_cli_order_points(c, 0, &count);
  hn_plot_series *others = begin_series(d);
  others->is_faint = 1;
  snprintf(d->names[0], sizeof d->names[0], "others (%d)", all > most_lines ? all - most_lines : 0);
  for (int k = 0; k < count; k++) {
    const hn_cli_point *p = &c->points[order[k]];
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
      const hn_cli_point *p = &c->points[order[k]];
      if (p->formulation == lines[i].formulation && lines[i].is_step == (p->step > 0))
        add_point(s, p);
    }
  }
  free(order);
  hn_plot_series *front = begin_series(d);
  front->is_reference = 1;
  snprintf(d->names[d->count - 1], sizeof d->names[0], "Pareto front");
  order = hn_cli_order_points(c, 1, &count);
  for (int k = 0; k < count; k++) add_point(front, &c->points[order[k]]);
  free(order);
  free(lines);
}

hn_status hn_cli_write_compare_plot(const char *path, const hn_cli_session *session,
                                    const hn_cli_comparison *c, hn_error *error) {
  drawing d = {.c = c};
  size_t room = (size_t)c->point_count + 1;
  d.numbers = hn_cli_allocate(2 * room * (most_lines + 2), sizeof *d.numbers);
  fill_series(&d);
  const hn_plot_panel panel = {.x_label = "error (largest difference over 1 + largest value)",
                               .y_label = "CPU time (s)",
                               .series = d.series,
                               .series_count = d.count,
                               .is_log = 1,
                               .is_log_x = 1,
                               .has_legend = 1,
                               .width = 900,
                               .height = 560};
  hn_status status = hn_plot_write(path, session->name, &panel, 1, error);
  free(d.numbers);
  return status;
}
