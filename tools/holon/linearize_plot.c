// Poles, and Bode diagrams of pairs of inputs and outputs, as one drawing or as a page with modes.
#include "linearize.h"
#include "page.h"
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
enum { MOST_PAIRS = 6, POINTS = 300, WIDTH = 760, HEIGHT = 300 };

// ---- (i w - A)^-1 ---------------------------------------------------------------------------------

// Gauss-Jordan with pivoting on [a b], n x (n + 1) by rows: the solution in the last column, where the
// diagonal is not zero divided by it.
static void eliminate(double complex *a, int n) {
  const int width = n + 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (cabs(a[i * width + k]) > cabs(a[best * width + k])) best = i;
    for (int j = k; j <= n; j++) {
      const double complex keep = a[k * width + j];
      a[k * width + j] = a[best * width + j];
      a[best * width + j] = keep;
    }
    if (a[k * width + k] == 0) continue;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      const double complex factor = a[i * width + k] / a[k * width + k];
      for (int j = k; j <= n; j++) a[i * width + j] -= factor * a[k * width + j];
    }
  }
}

void hn_cli_linear_answer(const hn_linear *l, int column, double frequency, double complex *y) {
  const int n = l->state_count, m = l->input_count, width = n + 1;
  const double complex iw = I * 2 * PI * frequency;
  double complex *a = hn_cli_allocate((size_t)n * (size_t)width + 1, sizeof *a);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i * width + j] = (i == j ? iw : 0) - l->a[(size_t)i * (size_t)n + (size_t)j];
    const size_t at = (size_t)i * (size_t)m + (size_t)column;
    a[i * width + n] = l->b[at];
    if (l->b_rate != NULL) a[i * width + n] += iw * l->b_rate[at] + iw * iw * l->b_acceleration[at];
  }
  eliminate(a, n);
  for (int o = 0; o < l->output_count; o++) {
    const size_t at = (size_t)o * (size_t)m + (size_t)column;
    y[o] = l->d[at];
    if (l->d_rate != NULL) y[o] += iw * l->d_rate[at] + iw * iw * l->d_acceleration[at];
    for (int i = 0; i < n; i++)
      if (a[i * width + i] != 0)
        y[o] += l->c[(size_t)o * (size_t)n + (size_t)i] * a[i * width + n] / a[i * width + i];
  }
  free(a);
}

// ---- panels ---------------------------------------------------------------------------------------

typedef struct page {
  hn_cli_text body;
  double height;
} page;

static void add_panel(page *p, hn_svg_panel *panel) {
  panel->width = WIDTH;
  panel->height = HEIGHT;
  hn_cli_add(&p->body, "<g transform=\"translate(0 %g)\">", p->height);
  hn_svg_add_panel(&p->body, panel, NULL);
  hn_cli_add(&p->body, "</g>");
  p->height += HEIGHT;
}

// Dots without a line: a gap behind each.
static void add_poles(page *p, const hn_linear *l) {
  const int n = l->eigenvalue_count;
  double *x = hn_cli_allocate(2 * (size_t)n + 1, sizeof *x),
         *y = hn_cli_allocate(2 * (size_t)n + 1, sizeof *y);
  for (int k = 0; k < n; k++) {
    x[2 * k] = l->eigenvalues[k].real;
    y[2 * k] = l->eigenvalues[k].imaginary;
    x[2 * k + 1] = y[2 * k + 1] = NAN;
  }
  hn_svg_series series = {.name = "poles", .x = x, .y = y, .count = 2 * n, .has_marks = 1};
  hn_svg_panel panel = {.title = "Poles",
                        .x_label = "real part (1/s)",
                        .y_label = "imaginary part (rad/s)",
                        .series = &series,
                        .series_count = 1};
  if (n > 0) add_panel(p, &panel);
  free(x);
  free(y);
}

static void find_range(const hn_linear *l, double *low, double *high) {
  *low = HUGE_VAL;
  *high = 0;
  for (int k = 0; k < l->eigenvalue_count; k++) {
    const double f = l->eigenvalues[k].frequency;
    if (!(f > 0)) continue;
    *low = fmin(*low, f);
    *high = fmax(*high, f);
  }
  if (!(*high > 0)) *low = *high = 1;
  *low = fmax(*low / 10, *high * 1e-5);
  *high *= 10;
}

// Phases go on where they would jump by a turn.
static double unwrap(double phase, double before) {
  while (phase - before > 180) phase -= 360;
  while (phase - before < -180) phase += 360;
  return phase;
}

typedef struct diagram {
  double x[POINTS], gain[POINTS], phase[POINTS]; // Hz, SI, degrees
} diagram;

static void fill_diagram(diagram *d, const hn_linear *l, int input, int output) {
  double low, high;
  double complex *y = hn_cli_allocate((size_t)l->output_count + 1, sizeof *y);
  find_range(l, &low, &high);
  for (int k = 0; k < POINTS; k++) {
    d->x[k] = low * pow(high / low, k / (POINTS - 1.0));
    hn_cli_linear_answer(l, input, d->x[k], y);
    d->gain[k] = cabs(y[output]) > 0 ? cabs(y[output]) : NAN;
    d->phase[k] = unwrap(carg(y[output]) * 180 / PI, k > 0 ? d->phase[k - 1] : 0);
  }
  free(y);
}

static void add_bode(page *p, const hn_linear *l, int input, int output) {
  diagram d;
  char title[512];
  fill_diagram(&d, l, input, output);
  snprintf(title, sizeof title, "%.200s by %.200s", l->outputs[output], l->inputs[input]);
  hn_svg_series series = {.name = "gain", .x = d.x, .y = d.gain, .count = POINTS};
  hn_svg_panel panel = {.title = title,
                        .y_label = "gain (SI)",
                        .series = &series,
                        .series_count = 1,
                        .is_log = 1,
                        .is_log_x = 1};
  add_panel(p, &panel);
  series.y = d.phase;
  panel.title = NULL;
  panel.is_log = 0;
  panel.y_label = "phase (degrees)";
  panel.x_label = "frequency (Hz)";
  add_panel(p, &panel);
}

// ---- the page -------------------------------------------------------------------------------------

static void add_diagram(hn_cli_json *json, const hn_linear *l, int input, int output) {
  diagram d;
  fill_diagram(&d, l, input, output);
  hn_cli_json_open(json, NULL, '{');
  hn_cli_json_string(json, "input", l->inputs[input]);
  hn_cli_json_string(json, "output", l->outputs[output]);
  hn_cli_json_vector(json, "frequency", d.x, POINTS);
  hn_cli_json_vector(json, "gain", d.gain, POINTS);
  hn_cli_json_vector(json, "phase", d.phase, POINTS);
  hn_cli_json_close(json, '}');
}

static void add_page(hn_cli_text *text, const hn_cli_session *session, const hn_linear *l) {
  hn_cli_json json = {0};
  int pairs = 0;
  hn_cli_page_begin(&json, "linearize", session);
  hn_cli_add_linearize_json(&json, "linearize", session, l);
  hn_cli_json_open(&json, "bode", '[');
  for (int i = 0; l->a != NULL && i < l->input_count; i++)
    for (int o = 0; o < l->output_count && pairs < MOST_PAIRS; o++, pairs++)
      add_diagram(&json, l, i, o);
  hn_cli_json_close(&json, ']');
  hn_cli_page_end(&json, NULL, text);
}

static void add_drawing(hn_cli_text *text, const hn_cli_session *session, const hn_linear *l) {
  page p = {.height = 0};
  int pairs = 0;
  add_poles(&p, l);
  for (int i = 0; l->a != NULL && i < l->input_count; i++)
    for (int o = 0; o < l->output_count && pairs < MOST_PAIRS; o++, pairs++) add_bode(&p, l, i, o);
  hn_svg_add_document(text, WIDTH, p.height > 0 ? p.height : HEIGHT, session->name, &p.body);
  hn_cli_text_free(&p.body);
}

hn_status hn_cli_linearize_plot(const hn_cli_session *session, const hn_linear *l, const char *path,
                                hn_error *error) {
  hn_cli_text text = {0};
  const char *ending = strrchr(path, '.');
  if (ending != NULL && strcmp(ending, ".html") == 0)
    add_page(&text, session, l);
  else
    add_drawing(&text, session, l);
  hn_status status = hn_cli_write_file(path, text.data, text.length, error);
  hn_cli_text_free(&text);
  return status;
}
