// OpenCRG files: a header of blocks ($NAME, closed by a line that starts with $; the header by $$),
// then the payload as text (LRFI: 10 characters a number, 8 a record; LDFI: 20 and 4) or as
// big-endian numbers (KRBI: 4 bytes, KDBI: 8 bytes). Out of scope: other files by $ROAD_CRG_FILE,
// modifiers ($ROAD_CRG_MODS) and border modes other than 2 (keep the last value): rejected by name.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "vehicle/columns.h"
#include "vehicle/surface.h"

enum { CHANNELS_MOST = 4096 };
typedef enum channel { NO_CHANNEL, PHI, BANKING, SLOPE, SECTION } channel;

typedef struct header {
  double step, start_u, start[3], phi, end[2], slope, banking, right, left, v_step;
  int has_end[2], has_v_step;
  int is_text, width; // characters or bytes of a number
  int channel_count, section_count;
  channel channels[CHANNELS_MOST];
  double v[CHANNELS_MOST]; // of sections; NAN: by number
} header;

typedef struct reader {
  const char *at, *end, *file;
  int line;
  hn_error *error;
  header *h;
  char block[32];
} reader;

static hn_status fail(const reader *r, hn_status status, const char *hint, const char *format,
                      const char *detail) {
  hn_source at = {r->file, r->line, 1};
  return hn_fail(r->error, status, &at, NULL, hint, format, detail);
}

// The next line, without its end; 0 at the end.
static int next_line(reader *r, const char **from, size_t *length) {
  if (r->at >= r->end) return 0;
  const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  if (!stop) stop = r->end;
  *from = r->at;
  *length = (size_t)(stop - r->at);
  r->at = stop < r->end ? stop + 1 : stop;
  r->line++;
  return 1;
}

// ---- header -------------------------------------------------------------------------------------

static void keep_number(header *h, const char *key, double value) {
  const struct {
    const char *key;
    double *to;
    int *mark;
  } rows[] = {{"REFERENCE_LINE_INCREMENT", &h->step, NULL},
              {"REFERENCE_LINE_START_U", &h->start_u, NULL},
              {"REFERENCE_LINE_START_X", &h->start[0], NULL},
              {"REFERENCE_LINE_START_Y", &h->start[1], NULL},
              {"REFERENCE_LINE_START_Z", &h->start[2], NULL},
              {"REFERENCE_LINE_START_PHI", &h->phi, NULL},
              {"REFERENCE_LINE_END_X", &h->end[0], &h->has_end[0]},
              {"REFERENCE_LINE_END_Y", &h->end[1], &h->has_end[1]},
              {"REFERENCE_LINE_START_S", &h->slope, NULL},
              {"REFERENCE_LINE_START_B", &h->banking, NULL},
              {"LONG_SECTION_V_RIGHT", &h->right, NULL},
              {"LONG_SECTION_V_LEFT", &h->left, NULL},
              {"LONG_SECTION_V_INCREMENT", &h->v_step, &h->has_v_step}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    if (strcmp(rows[k].key, key) == 0) {
      *rows[k].to = value;
      if (rows[k].mark) *rows[k].mark = 1;
    }
}

static hn_status read_number(reader *r, const char *text, size_t length) {
  const char *equals = memchr(text, '=', length);
  if (!equals) return HN_OK;
  char key[48];
  hn_copy_upper(key, sizeof key, text, (size_t)(equals - text));
  double value;
  if (hn_signed_number(equals + 1, length - (size_t)(equals + 1 - text), &value) == 0 ||
      !(fabs(value) < 1e12))
    return fail(r, HN_ERROR_SYNTAX, "Write KEY = number.", "'%s' has no number", key);
  if (strcmp(r->block, "ROAD_CRG") == 0) keep_number(r->h, key, value);
  if (strcmp(r->block, "ROAD_CRG_MODS") == 0)
    return fail(r, HN_ERROR_UNSUPPORTED,
                "Apply modifiers with the OpenCRG tools and save the result.",
                "the modifier %s is not supported", key);
  if (strncmp(key, "BORDER_MODE", 11) == 0 && value != 2)
    return fail(r, HN_ERROR_UNSUPPORTED,
                "Set it to 2: beyond its ends a road keeps its last values.", "%s is not 2", key);
  return HN_OK;
}

static hn_status read_channel(reader *r, const char *text, size_t length) {
  static const struct {
    const char *name;
    channel c;
  } names[] = {{"REFERENCE LINE PHI", PHI},
               {"REFERENCE LINE BANKING", BANKING},
               {"REFERENCE LINE SLOPE", SLOPE},
               {"LONG SECTION", SECTION}};
  header *h = r->h;
  char name[72];
  hn_copy_upper(name, sizeof name, text, length);
  if (h->channel_count == CHANNELS_MOST)
    return fail(r, HN_ERROR_LIMIT, "Use fewer sections.", "there are more than 4096 channels%s",
                "");
  channel found = NO_CHANNEL;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strncmp(name, names[k].name, strlen(names[k].name)) == 0) found = names[k].c;
  if (found == SECTION) {
    double v = NAN;
    const char *at = strstr(name, "AT V"), *equals = at ? strchr(at, '=') : NULL;
    if (equals && hn_signed_number(equals + 1, strlen(equals + 1), &v) == 0)
      return fail(r, HN_ERROR_SYNTAX, "Write `long section at v = 1.5,m`.", "'%s' has no v", name);
    h->v[h->section_count++] = v;
  }
  h->channels[h->channel_count++] = found;
  return HN_OK;
}

static hn_status read_format(reader *r, const char *text, size_t length) {
  static const struct {
    const char *name;
    int is_text, width;
  } formats[] = {{"LRFI", 1, 10}, {"LDFI", 1, 20}, {"KRBI", 0, 4}, {"KDBI", 0, 8}};
  char format[16];
  hn_copy_upper(format, sizeof format, text, length);
  for (int k = 0; k < 4; k++)
    if (strcmp(formats[k].name, format) == 0) {
      r->h->is_text = formats[k].is_text;
      r->h->width = formats[k].width;
      return HN_OK;
    }
  return fail(r, HN_ERROR_UNSUPPORTED, "Use LRFI, LDFI, KRBI or KDBI.",
              "the format '%s' is unknown", format);
}

static hn_status read_definition(reader *r, const char *text, size_t length) {
  if (length <= 2 || text[1] != ':') return HN_OK;
  if (text[0] == '#') return read_format(r, text + 2, length - 2);
  if (text[0] != 'D' && text[0] != 'd') return HN_OK;
  const char *comma = memchr(text, ',', length);
  return read_channel(r, text + 2, (comma ? (size_t)(comma - text) : length) - 2);
}

static hn_status read_header_line(reader *r, const char *text, size_t length) {
  const char *mark = memchr(text, '!', length);
  if (mark) length = (size_t)(mark - text);
  while (length > 0 && strchr(" \t\r", text[length - 1])) length--;
  if (length == 0 || *text == '*') return HN_OK;
  if (*text == '$') {
    hn_copy_upper(r->block, sizeof r->block, text + 1, length - 1);
    if (strcmp(r->block, "ROAD_CRG_FILE") == 0)
      return fail(r, HN_ERROR_UNSUPPORTED, "Name the other file itself.",
                  "the road data is in another file (%s)", r->block);
    return HN_OK;
  }
  if (strncmp(r->block, "ROAD_CRG", 8) == 0) return read_number(r, text, length);
  return strcmp(r->block, "KD_DEFINITION") == 0 ? read_definition(r, text, length) : HN_OK;
}

// Up to the line of $$; r->at is at the payload then.
static hn_status read_header(reader *r) {
  const char *from;
  size_t length;
  while (next_line(r, &from, &length)) {
    if (length >= 2 && from[0] == '$' && from[1] == '$') return HN_OK;
    hn_status status = read_header_line(r, from, length < 72 ? length : 72);
    if (status != HN_OK) return status;
  }
  return fail(r, HN_ERROR_SYNTAX, "Write a line of $$ before the numbers.",
              "the header has no end%s", "");
}

// ---- numbers ------------------------------------------------------------------------------------

typedef struct table {
  double *values; // (rows x channels)
  int rows;
} table;

static double *row_of(const header *h, const table *t, int row) {
  return &t->values[(size_t)row * (size_t)h->channel_count];
}

static void read_binary(reader *r, table *t) {
  const header *h = r->h;
  size_t row = (size_t)h->channel_count * (size_t)h->width, rows = (size_t)(r->end - r->at) / row;
  for (size_t k = 0; k < rows * (size_t)h->channel_count; k++)
    t->values[k] =
        hn_number_of_bytes((const unsigned char *)r->at + k * (size_t)h->width, h->width, 'f', 1);
  t->rows = (int)rows;
}

// A field of stars is no number; `**unused**` too.
static hn_status read_field(reader *r, const char *text, size_t length, double *out) {
  *out = NAN;
  if (memchr(text, '*', length)) return HN_OK;
  size_t used = hn_signed_number(text, length, out);
  while (used > 0 && used < length && strchr(" \t\r", text[used])) used++;
  if (used == length && isfinite(*out)) return HN_OK;
  return fail(r, HN_ERROR_SYNTAX, "Write numbers with 10 characters (LRFI) or 20 (LDFI).",
              "'%s' is not a number", hn_quote_of(text, length).text);
}

// A row starts a new record and continues in the next ones.
static hn_status read_text_rows(reader *r, table *t) {
  const header *h = r->h;
  int filled = 0;
  const char *from;
  size_t length;
  while (next_line(r, &from, &length)) {
    while (length > 0 && strchr(" \r", from[length - 1])) length--;
    for (int k = 0; k < 80 / h->width && length > 0 && filled < h->channel_count; k++) {
      size_t part = length < (size_t)h->width ? length : (size_t)h->width;
      hn_status status = read_field(r, from, part, &row_of(h, t, t->rows)[filled++]);
      if (status != HN_OK) return status;
      from += part;
      length -= part;
    }
    if (filled < h->channel_count) continue;
    if (length > 0 && !memchr(from, '*', length))
      return fail(r, HN_ERROR_SYNTAX,
                  "Define every channel (D:), and start each row on a new line.",
                  "each row must end after its last channel, but one continues with '%s'",
                  hn_quote_of(from, length).text);
    t->rows++;
    filled = 0;
  }
  if (filled == 0) return HN_OK;
  return fail(r, HN_ERROR_SYNTAX, "Copy the file again, completely.",
              "the last row ends before its last channel%s", "");
}

static hn_status read_numbers(reader *r, hn_arena *arena, table *t) {
  const header *h = r->h;
  size_t bytes = (size_t)(r->end - r->at); // no number takes less than one
  t->values = HN_TAKE(arena, double, bytes + (size_t)h->channel_count + 1);
  if (!t->values) return fail(r, HN_ERROR_MEMORY, NULL, "out of memory%s", "");
  hn_status status = HN_OK;
  if (h->is_text)
    status = read_text_rows(r, t);
  else
    read_binary(r, t);
  if (status == HN_OK && t->rows < 2)
    return fail(r, HN_ERROR_SYNTAX, "Give at least two cross sections.",
                "there are not enough numbers%s", "");
  return status;
}

// ---- the road -----------------------------------------------------------------------------------

static const double *column(const header *h, hn_arena *arena, const table *t, channel c) {
  for (int k = 0; k < h->channel_count; k++)
    if (h->channels[k] == c) {
      double *out = HN_TAKE(arena, double, t->rows);
      for (int i = 0; out && i < t->rows; i++) out[i] = row_of(h, t, i)[k];
      return out;
    }
  return NULL;
}

static double at_or(const double *values, int i, double other) {
  return values && isfinite(values[i]) ? values[i] : other;
}

// From the end backwards, mixed in more and more, so that the line ends where the file says.
static void bend_to_end(const header *h, const double *phi, int n, double *x, double *y,
                        double *back) {
  double bx = h->end[0], by = h->end[1];
  for (int i = n - 1; i >= 0; i--) {
    back[2 * i] = bx;
    back[2 * i + 1] = by;
    double p = at_or(phi, i, h->phi);
    bx -= h->step * hn_cos(p);
    by -= h->step * hn_sin(p);
  }
  for (int i = 1; i < n; i++) {
    double f = (double)i / (n - 1), p = at_or(phi, i, h->phi);
    x[i] = (1 - f) * (x[i - 1] + h->step * hn_cos(p)) + f * back[2 * i];
    y[i] = (1 - f) * (y[i - 1] + h->step * hn_sin(p)) + f * back[2 * i + 1];
  }
}

static int make_line(const header *h, hn_arena *arena, const table *t, hn_crg *c) {
  const double *phi = column(h, arena, t, PHI), *slope = column(h, arena, t, SLOPE),
               *banking = column(h, arena, t, BANKING);
  double *x = HN_TAKE(arena, double, t->rows), *y = HN_TAKE(arena, double, t->rows);
  double *z = HN_TAKE(arena, double, t->rows), *bank = HN_TAKE(arena, double, t->rows);
  double *back = HN_TAKE(arena, double, 2 * (size_t)t->rows);
  if (arena->failed) return 0;
  x[0] = h->start[0], y[0] = h->start[1], z[0] = h->start[2];
  for (int i = 0; i < t->rows; i++) {
    bank[i] = at_or(banking, i, h->banking);
    if (i == 0) continue;
    double p = at_or(phi, i, h->phi);
    x[i] = x[i - 1] + h->step * hn_cos(p);
    y[i] = y[i - 1] + h->step * hn_sin(p);
    z[i] = z[i - 1] + h->step * at_or(slope, i, h->slope);
  }
  if (phi && h->has_end[0] && h->has_end[1]) bend_to_end(h, phi, t->rows, x, y, back);
  for (int i = 1; i < t->rows; i++)
    c->longest = fmax(c->longest, hn_hypot(x[i] - x[i - 1], y[i] - y[i - 1]));
  c->x = x, c->y = y, c->z_line = z, c->bank = bank;
  return 1;
}

// Numbered sections are at equal distances from the right edge.
static hn_status make_sections(const reader *r, hn_arena *arena, hn_crg *c) {
  const header *h = r->h;
  int n = h->section_count;
  double *v = HN_TAKE(arena, double, n);
  if (!v) return fail(r, HN_ERROR_MEMORY, NULL, "out of memory%s", "");
  double step = h->has_v_step ? h->v_step : (h->left - h->right) / (n - 1);
  for (int k = 0; k < n; k++) v[k] = isnan(h->v[k]) ? h->right + k * step : h->v[k];
  for (int k = 1; k < n; k++)
    if (!(v[k] > v[k - 1]))
      return fail(r, HN_ERROR_MODEL,
                  "Order sections from right (min v) to left; numbered ones need "
                  "LONG_SECTION_V_RIGHT and _LEFT.",
                  "the long sections are not in order%s", "");
  c->v = v;
  c->sections = n;
  return HN_OK;
}

// Unknown heights at the edges are those of their neighbors; 0: there is a gap inside, or nothing.
static int close_edges(double *row, int n) {
  int first = 0, last = n - 1;
  while (first < n && !isfinite(row[first])) first++;
  while (last >= 0 && !isfinite(row[last])) last--;
  if (first > last) return 0;
  for (int j = first; j <= last; j++)
    if (!isfinite(row[j])) return 0;
  for (int j = 0; j < first; j++) row[j] = row[first];
  for (int j = last + 1; j < n; j++) row[j] = row[last];
  return 1;
}

static hn_status make_heights(const reader *r, hn_arena *arena, const table *t, hn_crg *c) {
  const header *h = r->h;
  double *z = HN_TAKE(arena, double, (size_t)t->rows *(size_t)c->sections);
  if (!z) return fail(r, HN_ERROR_MEMORY, NULL, "out of memory%s", "");
  for (int i = 0; i < t->rows; i++) {
    double *row = &z[(size_t)i * (size_t)c->sections];
    for (int k = 0, j = 0; k < h->channel_count; k++)
      if (h->channels[k] == SECTION) row[j++] = row_of(h, t, i)[k];
    if (!close_edges(row, c->sections))
      return fail(r, HN_ERROR_MODEL, "Give all heights; only those at the edges may be unknown.",
                  "a cross section has no heights or a gap%s", "");
  }
  c->z = z;
  return HN_OK;
}

static hn_status make_road(reader *r, hn_road_surface *s) {
  header *h = r->h;
  hn_arena *arena = &s->arena;
  table t = {0};
  hn_status status = read_header(r);
  if (status != HN_OK) return status;
  if (!(h->step > 0) || h->section_count < 2)
    return fail(r, HN_ERROR_MODEL, "Give REFERENCE_LINE_INCREMENT and at least two long sections.",
                "this is not a road%s", "");
  if (h->step < 1e-6)
    return fail(r, HN_ERROR_MODEL, "Give REFERENCE_LINE_INCREMENT in m.",
                "the cross sections are less than 1e-6 m apart%s", "");
  status = read_numbers(r, arena, &t);
  r->line = 0;
  if (status != HN_OK) return status;
  s->crg = (hn_crg){.stations = t.rows, .start = h->start_u, .step = h->step};
  if (!make_line(h, arena, &t, &s->crg))
    return fail(r, HN_ERROR_MEMORY, NULL, "out of memory%s", "");
  status = make_sections(r, arena, &s->crg);
  return status == HN_OK ? make_heights(r, arena, &t, &s->crg) : status;
}

hn_status hn_road_surface_crg(const char *text, size_t size, const char *name,
                              hn_road_surface **surface, hn_error *error) {
  *surface = NULL;
  hn_road_surface *s = hn_road_surface_new(HN_ROAD_SURFACE_CRG);
  header *h = s ? HN_TAKE(&s->arena, header, 1) : NULL;
  if (!h) {
    hn_road_surface_free(s);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  h->width = 4; // KRBI where nothing is said
  reader r = {.at = text, .end = text + size, .file = name, .error = error, .h = h};
  hn_status status = make_road(&r, s);
  if (status != HN_OK) {
    hn_road_surface_free(s);
    return status;
  }
  *surface = s;
  return HN_OK;
}
