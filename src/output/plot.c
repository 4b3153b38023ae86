// Panels: margins from the labels, grid, lines, legend. Axes are made in plot_axis.c.
//
// Lines with more points than twice the pixels are thinned to the lowest and highest value of each
// column of pixels, so that a picture keeps every peak and stays small.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "output/plot.h"

enum { font_size = 11 };
static const double glyph_width = 6.3; // of the widest usual font at that size, on average
static const double title_height = 20, legend_row = 17, edge = 10;

// ---- style --------------------------------------------------------------------------------------

// Okabe and Ito's colors, the yellow left out (too light for a thin line).
static const char *const palette[HN_PLOT_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#7f7f7f"};

static void add_style(hn_string *text) {
  static const char ink[] = "#1a1a1a", faint[] = "#e3e3e3", quiet[] = "#444444";
  hn_string_add(text,
                ".pl text{font:%dpx Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;"
                "fill:%s}"
                ".pl .ti{font-size:13px;font-weight:600;fill:%s}"
                ".pl .gr{stroke:%s;stroke-width:1;shape-rendering:crispEdges}"
                ".pl .ax{stroke:%s;stroke-width:1;fill:none;shape-rendering:crispEdges}"
                ".pl .li{fill:none;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}"
                ".pl .re{fill:none;stroke:%s;stroke-width:1;stroke-dasharray:5 3}"
                ".pl .fa{fill:%s;opacity:.45}\n",
                font_size, quiet, ink, faint, quiet, ink, quiet);
  for (int i = 0; i < HN_PLOT_COLOURS; i++)
    hn_string_add(text, ".pl .c%d{stroke:%s}", i, palette[i]);
  hn_string_text(text, "\n");
}

// Where a panel has its axes.
typedef struct plot_area {
  double left, top, width, height;
  hn_plot_axis x, y;
} plot_area;

// ---- range --------------------------------------------------------------------------------------

static void widen(double value, double *low, double *high) {
  if (!isfinite(value)) return;
  if (value < *low) *low = value;
  if (value > *high) *high = value;
}

static double extent(const hn_plot_series *series, int count) {
  double low = DBL_MAX, high = -DBL_MAX;
  for (int i = 0; i < count; i++) widen(series->y[i], &low, &high);
  return high > low ? high - low : 0;
}

// Number of points that determine the range of the axis. A run that ends at a dead center has a
// last row of any size there, off the grid of the others: the line may leave the axes in its last
// points, and the earlier ones stay visible.
static int telling_count(const hn_plot_series *series) {
  enum { fewest = 20, most_left_out = 3, much = 10 };
  int n = series->count;
  if (n < fewest || series->has_marks || series->is_faint) return n;
  double step = series->x[n - 2] - series->x[n - 3], last = series->x[n - 1] - series->x[n - 2];
  if (!(fabs(last - step) > 1e-6 * fabs(step))) return n;
  double all = extent(series, n);
  for (int k = 1; k <= most_left_out; k++) {
    double rest = extent(series, n - k);
    if (!(all > much * rest)) return n - k + 1;
    all = rest;
  }
  return n - most_left_out;
}

static void find_range(const hn_plot_panel *panel, plot_area *area) {
  double x_low = DBL_MAX, x_high = -DBL_MAX, y_low = DBL_MAX, y_high = -DBL_MAX;
  double least = DBL_MAX; // above zero
  for (int s = 0; s < panel->series_count; s++) {
    const hn_plot_series *series = &panel->series[s];
    int telling = panel->is_log ? series->count : telling_count(series);
    for (int i = 0; i < series->count; i++) {
      widen(series->x[i], &x_low, &x_high);
      if (i < telling) widen(series->y[i], &y_low, &y_high);
      if (series->y[i] > 0 && series->y[i] < least) least = series->y[i];
    }
  }
  if (x_low > x_high) x_low = 0, x_high = 1;
  if (y_low > y_high) y_low = 0, y_high = 1;
  int wanted_x = (int)fmax(2, panel->width / 80);
  area->x = panel->is_log_x && x_low > 0 ? hn_plot_log_axis(x_low, x_high, wanted_x)
                                         : hn_plot_linear_axis(x_low, x_high, wanted_x, 0);
  int wanted = (int)fmax(2, panel->height / 45);
  if (panel->is_log && y_high > 0 && least < DBL_MAX) {
    area->y = hn_plot_log_axis(fmax(least, 1e-12 * y_high), y_high, wanted);
  } else {
    area->y = hn_plot_linear_axis(y_low, y_high, wanted, 1);
  }
}

// ---- margins ------------------------------------------------------------------------------------

static double text_width(const char *string) {
  int letters = 0;
  for (const char *c = string; *c != '\0'; c++) letters += ((unsigned char)*c & 0xC0) != 0x80;
  return glyph_width * letters;
}

static double legend_entry_width(const hn_plot_series *series) {
  return 26 + text_width(series->name) + 14;
}

static int legend_rows(const hn_plot_panel *panel, double width) {
  if (!panel->has_legend) return 0;
  int rows = 1;
  double x = 0;
  for (int s = 0; s < panel->series_count; s++) {
    double entry = legend_entry_width(&panel->series[s]);
    if (x > 0 && x + entry > width) {
      rows++;
      x = 0;
    }
    x += entry;
  }
  return rows;
}

static int has_label(const hn_plot_panel *panel) {
  return panel->y_label != NULL && panel->y_label[0] != '\0';
}

// left: minimum distance of the axes from the left.
static void place_area(const hn_plot_panel *panel, double left, plot_area *area) {
  find_range(panel, area);
  double widest = 0;
  for (int i = 0; i < area->y.count; i++) widest = fmax(widest, text_width(area->y.label[i]));
  area->left = edge + widest + 8 + (has_label(panel) ? font_size + 7 : 0);
  area->left = fmax(area->left, left);
  area->width = fmax(40, panel->width - area->left - edge - 6);
  area->top = edge + (panel->title != NULL ? title_height : 4);
  area->top += legend_row * legend_rows(panel, area->width);
  if (area->y.note[0] != '\0') area->top += font_size + 2;
  double below = panel->x_label != NULL ? 2 * font_size + 18 : font_size + 10;
  if (area->x.note[0] != '\0' && panel->x_label == NULL) below += font_size;
  area->height = fmax(40, panel->height - area->top - below);
}

// ---- drawing ------------------------------------------------------------------------------------

static void add_text(hn_string *text, double x, double y, const char *anchor, const char *string) {
  hn_string_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  hn_string_xml(text, string);
  hn_string_add(text, "</text>\n");
}

// "m/s^2" with a small two.
static void add_raised(hn_string *text, const char *string) {
  for (const char *cut; *string != '\0'; string = cut) {
    char part[64];
    size_t length = strcspn(string, "^");
    const int is_raised =
        string[length] == '^' && (string[length + 1] == '2' || string[length + 1] == '3');
    if (!is_raised && string[length] == '^') length++;
    if (length >= sizeof part) length = sizeof part - 1;
    memcpy(part, string, length);
    part[length] = '\0';
    hn_string_xml(text, part);
    cut = string + length;
    if (!is_raised || *cut != '^') continue;
    hn_string_text(text, cut[1] == '2' ? "²" : "³");
    cut += 2;
  }
}

static void add_axes(hn_string *text, const hn_plot_panel *panel, const plot_area *area) {
  double bottom = area->top + area->height, right = area->left + area->width;
  for (int i = 0; i < area->y.count; i++) {
    double y = bottom - area->height * hn_plot_place(&area->y, area->y.tick[i]);
    hn_string_add(text, "<path class=\"gr\" d=\"M%.1f %.1fH%.1f\"/>", area->left, y, right);
    add_text(text, area->left - 6, y + 0.36 * font_size, "end", area->y.label[i]);
  }
  for (int i = 0; i < area->x.count; i++) {
    double x = area->left + area->width * hn_plot_place(&area->x, area->x.tick[i]);
    hn_string_add(text, "<path class=\"gr\" d=\"M%.1f %.1fV%.1f\"/>", x, area->top, bottom);
    hn_string_add(text, "<path class=\"ax\" d=\"M%.1f %.1fv4\"/>", x, bottom);
    add_text(text, x, bottom + font_size + 6, "middle", area->x.label[i]);
  }
  hn_string_add(text, "<path class=\"ax\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", area->left, area->top,
                bottom, right);
  if (area->y.note[0] != '\0') add_text(text, area->left, area->top - 5, "start", area->y.note);
  if (panel->x_label != NULL) {
    hn_string_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                  area->left + area->width / 2, bottom + 2 * font_size + 12);
    hn_string_xml(text, panel->x_label);
    hn_string_text(text, area->x.note[0] != '\0' ? " " : "");
    hn_string_xml(text, area->x.note);
    hn_string_text(text, "</text>\n");
  }
  if (has_label(panel)) {
    double x = edge + font_size - 2, y = area->top + area->height / 2;
    hn_string_add(
        text, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">", x, y);
    add_raised(text, panel->y_label);
    hn_string_add(text, "</text>\n");
  }
}

static void add_legend(hn_string *text, const hn_plot_panel *panel, const plot_area *area) {
  if (!panel->has_legend) return;
  double x = 0, y = edge + (panel->title != NULL ? title_height : 4) + 6;
  for (int s = 0; s < panel->series_count; s++) {
    const hn_plot_series *series = &panel->series[s];
    double entry = legend_entry_width(series);
    if (x > 0 && x + entry > area->width) {
      x = 0;
      y += legend_row;
    }
    if (series->is_reference) {
      hn_string_add(text, "<path class=\"re\" d=\"M%.1f %.1fh20\"/>", area->left + x, y);
    } else if (series->is_faint) {
      hn_string_add(text, "<circle class=\"fa\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>",
                    area->left + x + 10, y);
    } else {
      hn_string_add(text, "<path class=\"li c%d\" d=\"M%.1f %.1fh20\"/>",
                    series->colour % HN_PLOT_COLOURS, area->left + x, y);
    }
    add_text(text, area->left + x + 26, y + 0.36 * font_size, "start", series->name);
    x += entry;
  }
}

typedef struct pen {
  hn_string *text;
  const plot_area *area;
  int is_down;
} pen;

static void pen_to(pen *at, double x, double y) {
  if (!isfinite(x) || !isfinite(y) || (at->area->y.is_log && y <= 0)) {
    at->is_down = 0;
    return;
  }
  double up = hn_plot_place(&at->area->y, y);
  up = fmax(-0.5, fmin(1.5, up)); // beyond that the clip hides it
  hn_string_add(at->text, "%s%.2f %.2f", at->is_down ? " " : "M",
                at->area->left + at->area->width * hn_plot_place(&at->area->x, x),
                at->area->top + at->area->height * (1 - up));
  at->is_down = 1;
}

// One column of pixels: its first, lowest, highest and last point, in the order of their index.
static void pen_column(pen *at, const hn_plot_series *series, int begin, int end) {
  int lowest = begin, highest = begin;
  for (int i = begin; i < end; i++) {
    if (!isfinite(series->y[i])) {
      at->is_down = 0;
      return;
    }
    if (series->y[i] < series->y[lowest]) lowest = i;
    if (series->y[i] > series->y[highest]) highest = i;
  }
  int order[4] = {begin, lowest < highest ? lowest : highest, lowest < highest ? highest : lowest,
                  end - 1};
  for (int k = 0; k < 4; k++) {
    if (k == 0 || order[k] != order[k - 1]) pen_to(at, series->x[order[k]], series->y[order[k]]);
  }
}

// Dots filled like the line, so that they stand without one too.
static void add_marks(hn_string *text, const hn_plot_series *series, const plot_area *area) {
  for (int i = 0; i < series->count; i++) {
    double x = series->x[i], y = series->y[i];
    if (!isfinite(x) || !isfinite(y) || (area->y.is_log && y <= 0)) continue;
    hn_string_add(text, series->is_faint ? "<circle class=\"fa\"" : "<circle class=\"li c%d\"",
                  series->colour % HN_PLOT_COLOURS);
    hn_string_add(text, " cx=\"%.2f\" cy=\"%.2f\" r=\"%s\"/>",
                  area->left + area->width * hn_plot_place(&area->x, x),
                  area->top + area->height * (1 - hn_plot_place(&area->y, y)),
                  series->is_faint ? "1.8" : "3");
  }
  hn_string_add(text, "\n");
}

static void add_line(hn_string *text, const hn_plot_series *series, const plot_area *area) {
  if (series->is_faint) return;
  if (series->is_reference) {
    hn_string_add(text, "<path class=\"re\" d=\"");
  } else {
    hn_string_add(text, "<path class=\"li c%d\" d=\"", series->colour % HN_PLOT_COLOURS);
  }
  pen at = {.text = text, .area = area};
  int columns = (int)area->width;
  if (series->count <= 4 * columns) {
    for (int i = 0; i < series->count; i++) pen_to(&at, series->x[i], series->y[i]);
  } else {
    for (int k = 0; k < columns; k++) {
      int begin = (int)((double)series->count * k / columns);
      int end = (int)((double)series->count * (k + 1) / columns);
      if (end > begin) pen_column(&at, series, begin, end);
    }
  }
  hn_string_add(text, "\"/>\n");
}

static void add_panel(hn_string *text, const hn_plot_panel *panel, double left) {
  plot_area area = {0};
  place_area(panel, left, &area);
  hn_string_add(text, "<g transform=\"translate(%g %g)\">\n", panel->x, panel->y);
  if (panel->title != NULL) {
    hn_string_add(text, "<text class=\"ti\" x=\"%.1f\" y=\"%.1f\">", area.left, edge + 9.0);
    hn_string_xml(text, panel->title);
    hn_string_text(text, "</text>\n");
  }
  add_legend(text, panel, &area);
  add_axes(text, panel, &area);
  // the inner svg clips what leaves the axes
  hn_string_add(text,
                "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "viewBox=\"%.1f %.1f %.1f %.1f\">\n",
                area.left, area.top - 2, area.width, area.height + 4, area.left, area.top - 2,
                area.width, area.height + 4);
  for (int s = 0; s < panel->series_count; s++) {
    const hn_plot_series *series = &panel->series[s];
    add_line(text, series, &area);
    if (series->has_marks || series->is_faint) add_marks(text, series, &area);
  }
  hn_string_text(text, "</svg>\n</g>\n");
}

static hn_plot_panel sized(const hn_plot_panel *panel) {
  hn_plot_panel own = *panel;
  if (!(own.width > 0)) own.width = 720;
  if (!(own.height > 0)) own.height = 380;
  return own;
}

// Distance of the axes of a panel and of those under it from the left.
static double left_of(const hn_plot_panel *panels, int count, double x) {
  double left = 0;
  for (int k = 0; k < count; k++) {
    plot_area area = {0};
    const hn_plot_panel panel = sized(&panels[k]);
    if (panel.x < x || panel.x > x) continue;
    place_area(&panel, 0, &area);
    left = fmax(left, area.left);
  }
  return left;
}

static void add_document(hn_string *text, const char *title, const hn_plot_panel *panels,
                         int count) {
  double width = 0, height = 0;
  for (int k = 0; k < count; k++) {
    const hn_plot_panel panel = sized(&panels[k]);
    width = fmax(width, panel.x + panel.width);
    height = fmax(height, panel.y + panel.height);
  }
  hn_string_add(text,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pl\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
                width, height, width, height);
  hn_string_xml(text, title);
  hn_string_text(text, "</title>\n<style>\n");
  add_style(text);
  hn_string_text(text, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
  for (int k = 0; k < count; k++) {
    const hn_plot_panel panel = sized(&panels[k]);
    add_panel(text, &panel, left_of(panels, count, panel.x));
  }
  hn_string_text(text, "</svg>\n");
}

hn_status hn_plot_write(const char *path, const char *title, const hn_plot_panel *panels, int count,
                        hn_error *error) {
  hn_string text = {0};
  add_document(&text, title, panels, count);
  hn_status status = hn_file_write_text(path, &text, error);
  hn_string_free(&text);
  return status;
}
