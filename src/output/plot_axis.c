// Axes: round ticks (1, 2, 5 times a power of ten), labels, powers of ten and offsets taken out of
// the labels when these would get long.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/elementary.h"
#include "output/plot.h"

// That of 1, 2, 5 times a power of ten which is nearest to size.
static double round_step(double size) {
  double power = hn_pow(10, floor(hn_log10(size)));
  double lead = size / power;
  if (lead < 1.5) return power;
  if (lead < 3.5) return 2 * power;
  if (lead < 7.5) return 5 * power;
  return 10 * power;
}

// "10⁻³"
static void write_power(char *text, size_t size, int exponent) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char plain[16];
  snprintf(plain, sizeof plain, "%d", exponent);
  snprintf(text, size, "10");
  for (const char *c = plain; *c != '\0'; c++) {
    const char *glyph = *c == '-' ? "⁻" : digits[*c - '0'];
    if (strlen(text) + strlen(glyph) < size) strcat(text, glyph);
  }
}

static int power_of_thousand(double magnitude) {
  if (magnitude < DBL_MIN) return 0;
  if (magnitude >= 1e-2 && magnitude < 1e4) return 0;
  return 3 * (int)floor(hn_log10(magnitude) / 3 + 1e-9);
}

static void label_ticks(hn_plot_axis *axis, double step, double offset) {
  double magnitude = fmax(fabs(axis->low - offset), fabs(axis->high - offset));
  int exponent = power_of_thousand(magnitude);
  double unit = hn_pow(10, exponent);
  int decimals = (int)fmax(0, ceil(-hn_log10(step / unit) - 1e-9));
  for (int i = 0; i < axis->count; i++) {
    double value = (axis->tick[i] - offset) / unit;
    if (fabs(value) < 1e-9 * step / unit) value = 0; // no "-0"
    snprintf(axis->label[i], sizeof axis->label[i], "%s%.*f", value < 0 ? "−" : "", decimals,
             fabs(value));
  }
  char power[32] = "";
  if (exponent != 0) write_power(power, sizeof power, exponent);
  snprintf(axis->note, sizeof axis->note, "%s%s", exponent != 0 ? "×" : "", power);
  if (offset > 0 || offset < 0) {
    size_t length = strlen(axis->note);
    snprintf(axis->note + length, sizeof axis->note - length, "%s%s %.8g", length > 0 ? " " : "",
             offset < 0 ? "−" : "+", fabs(offset));
  }
}

// Nothing but zeros has no size: only the zero itself is marked.
static hn_plot_axis zero_axis(void) {
  hn_plot_axis axis = {.low = -1, .high = 1, .count = 1};
  snprintf(axis.label[0], sizeof axis.label[0], "0");
  return axis;
}

hn_plot_axis hn_plot_linear_axis(double low, double high, int wanted, int padded) {
  hn_plot_axis axis = {0};
  double magnitude = fmax(fabs(low), fabs(high));
  if (!(magnitude > 0)) return zero_axis();
  double least = 1e-9 * magnitude; // noise in the last digits is not a motion
  if (high - low < least) {
    double middle = low + (high - low) / 2;
    double half = 0.05 * magnitude;
    low = middle - half;
    high = middle + half;
  } else if (padded) {
    double room = 0.06 * (high - low);
    low -= room;
    high += room;
  }
  axis.low = low;
  axis.high = high;
  double step = round_step((high - low) / wanted);
  double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
  for (double k = first; k <= last && axis.count < HN_PLOT_MOST_TICKS; k++) {
    axis.tick[axis.count++] = k * step;
  }
  // labels that differ only in the fifth digit and beyond are written as offset and rest
  double offset = high - low < 1e-4 * magnitude && axis.count > 0 ? axis.tick[axis.count / 2] : 0;
  label_ticks(&axis, step, offset);
  return axis;
}

hn_plot_axis hn_plot_log_axis(double low, double high, int wanted) {
  hn_plot_axis axis = {.is_log = 1};
  if (high < low) high = low;
  double first = floor(hn_log10(low) + 1e-9), last = ceil(hn_log10(high) - 1e-9);
  if (last - first < 1) last = first + 1;
  axis.low = hn_pow(10, first);
  axis.high = hn_pow(10, last);
  double stride = fmax(1, ceil((last - first) / wanted));
  for (double k = first; k <= last && axis.count < HN_PLOT_MOST_TICKS; k += stride) {
    axis.tick[axis.count] = hn_pow(10, k);
    write_power(axis.label[axis.count], sizeof axis.label[0], (int)k);
    axis.count++;
  }
  return axis;
}

double hn_plot_place(const hn_plot_axis *axis, double value) {
  if (axis->is_log) return hn_log(value / axis->low) / hn_log(axis->high / axis->low);
  return (value - axis->low) / (axis->high - axis->low);
}
