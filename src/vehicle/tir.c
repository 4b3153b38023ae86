// Property files of tyres: sections in brackets, `KEY = value`, comments behind $ and !, words in
// quotes, tables below a line in braces. [UNITS] holds for every number that has a unit (keys.h);
// it may stand anywhere.
//
// The model follows from PROPERTY_FILE_FORMAT, or, if that is missing, from FITTYP and the keys
// present. Versions whose formulas are others (MF 6.x, motorcycles, SWIFT, FTire) are rejected by
// name.
#include "vehicle/tir.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "vehicle/columns.h"

enum { NOTES_MOST = 16, CURVE_MOST = 1000 };

typedef struct reader {
  hn_tyre *tyre;
  const char *file;
  hn_error *error;
  int line;
  char section[48], format[48];
  double unit[4]; // length, force, time, angle
  double *x, *y;  // points of the load curve
  int points;
  int unknown; // keys without meaning here, and the first of them
  char first_unknown[48];
} reader;

static hn_status fail(const reader *r, hn_status status, const char *hint, const char *format,
                      const char *detail) {
  hn_source at = {r->file, r->line, 1};
  return hn_fail(r->error, status, &at, NULL, hint, format, detail);
}

static void add_note(hn_tyre *tyre, const char *text) {
  if (!tyre->notes) tyre->notes = HN_TAKE(&tyre->arena, char *, NOTES_MOST);
  if (!tyre->notes || tyre->note_count >= NOTES_MOST) return;
  char *copy = hn_arena_copy_string(&tyre->arena, text);
  if (copy) tyre->notes[tyre->note_count++] = copy;
}

// ---- units --------------------------------------------------------------------------------------

typedef struct unit {
  const char *name;
  int kind; // index into reader.unit; -1: mass, which no number here has
  double si;
} unit;

static const unit units[] = {
    {"METER", 0, 1},
    {"METRE", 0, 1},
    {"M", 0, 1},
    {"MM", 0, 1e-3},
    {"MILLIMETER", 0, 1e-3},
    {"CM", 0, 1e-2},
    {"CENTIMETER", 0, 1e-2},
    {"KM", 0, 1e3},
    {"KILOMETER", 0, 1e3},
    {"INCH", 0, 0.0254},
    {"IN", 0, 0.0254},
    {"FOOT", 0, 0.3048},
    {"FT", 0, 0.3048},
    {"YARD", 0, 0.9144},
    {"MILE", 0, 1609.344},
    {"NEWTON", 1, 1},
    {"N", 1, 1},
    {"KNEWTON", 1, 1e3},
    {"KILONEWTON", 1, 1e3},
    {"KN", 1, 1e3},
    {"KILO_NEWTON", 1, 1e3},
    {"KG_FORCE", 1, 9.80665},
    {"KGF", 1, 9.80665},
    {"POUND_FORCE", 1, 4.4482216152605},
    {"LBF", 1, 4.4482216152605},
    {"SECOND", 2, 1},
    {"SEC", 2, 1},
    {"S", 2, 1},
    {"MILLISECOND", 2, 1e-3},
    {"MS", 2, 1e-3},
    {"MINUTE", 2, 60},
    {"HOUR", 2, 3600},
    {"SECONDS", 2, 1},
    {"RADIAN", 3, 1},
    {"RADIANS", 3, 1},
    {"RAD", 3, 1},
    {"DEGREE", 3, 0.017453292519943295769},
    {"DEGREES", 3, 0.017453292519943295769},
    {"DEG", 3, 0.017453292519943295769},
};

static hn_status read_unit(reader *r, const char *key, const char *value) {
  static const char *const kinds[4] = {"LENGTH", "FORCE", "TIME", "ANGLE"};
  int kind = 0;
  while (kind < 4 && strcmp(kinds[kind], key) != 0) kind++;
  if (kind == 4) return HN_OK; // mass, pressure: no number here has them
  for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
    if (units[k].kind == kind && strcmp(units[k].name, value) == 0) {
      r->unit[kind] = units[k].si;
      return HN_OK;
    }
  return fail(r, HN_ERROR_SYNTAX, "Use meter, mm, newton, kilonewton, second, radian or degree.",
              "the unit '%s' is unknown", value);
}

static double power(double base, int exponent) {
  double product = 1;
  for (int k = 0; k < exponent; k++) product *= base;
  for (int k = 0; k < -exponent; k++) product /= base;
  return product;
}

static void to_si(reader *r) {
  for (int k = 0; k < HN_TYRE_KEYS; k++) {
    const hn_tyre_key_row *row = &hn_tyre_key_rows[k];
    if (!r->tyre->given[k]) continue;
    double *x = &r->tyre->p[k];
    *x *= power(r->unit[0], row->length) * power(r->unit[1], row->force) *
          power(r->unit[2], row->time) * power(r->unit[3], row->angle);
  }
  for (int k = 0; k < r->points; k++) {
    r->x[k] *= r->unit[0];
    r->y[k] *= r->unit[1];
  }
}

// ---- lines --------------------------------------------------------------------------------------

static int find_key(const char *name) {
  for (int k = 0; k < HN_TYRE_KEYS; k++)
    if (strcmp(hn_tyre_key_rows[k].name, name) == 0) return k;
  return -1;
}

// Sizes and masses that no force depends on.
static int is_harmless(const char *key) {
  static const char *const names[] = {"ASPECT_RATIO", "RIM_RADIUS",   "RIM_WIDTH",   "MASS",
                                      "ROUNDNESS",    "FILE_VERSION", "FILE_FORMAT", "THETA_XZ",
                                      "THETA_Y",      "IXX",          "IYY",         "IZZ"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strcmp(key, names[k]) == 0) return 1;
  return 0;
}

static void read_word(reader *r, const char *key, const char *value) {
  if (strcmp(key, "PROPERTY_FILE_FORMAT") == 0)
    snprintf(r->format, sizeof r->format, "%s", value);
  else if (strcmp(key, "TYRESIDE") == 0 || strcmp(key, "TIRESIDE") == 0) {
    r->tyre->side = strcmp(value, "RIGHT") == 0 ? HN_TYRE_RIGHT : HN_TYRE_LEFT;
    if (strcmp(value, "RIGHT") != 0 && strcmp(value, "LEFT") != 0)
      add_note(r->tyre, "TYRESIDE is neither LEFT nor RIGHT; a left tyre is assumed");
  }
}

static hn_status read_value(reader *r, const char *key, const char *text, size_t length) {
  char word[48];
  hn_copy_upper(word, sizeof word, text, length);
  if (strcmp(r->section, "UNITS") == 0) return read_unit(r, key, word);
  read_word(r, key, word);
  int k = find_key(key);
  double value;
  size_t size = strlen(word);
  if (k < 0) {
    if (hn_signed_number(word, size, &value) > 0 && !is_harmless(key) && r->unknown++ == 0)
      snprintf(r->first_unknown, sizeof r->first_unknown, "%s", key);
    return HN_OK;
  }
  if (size == 0 || hn_signed_number(word, size, &value) != size || !(fabs(value) < 1e30)) {
    char pair[120];
    snprintf(pair, sizeof pair, "%s = %s", key, word);
    return fail(r, HN_ERROR_SYNTAX, "Write a decimal number.", "'%s' is not a number", pair);
  }
  r->tyre->p[k] = value;
  r->tyre->given[k] = 1;
  return HN_OK;
}

static hn_status read_point(reader *r, const char *text, size_t length) {
  if (strcmp(r->section, "DEFLECTION_LOAD_CURVE") != 0) return HN_OK;
  double x, y;
  size_t first = hn_signed_number(text, length, &x);
  if (first == 0 || hn_signed_number(text + first, length - first, &y) == 0)
    return fail(r, HN_ERROR_SYNTAX, "Write two numbers: deflection and load.",
                "'%s' is not a point of the load curve", hn_quote_of(text, length).text);
  if (r->points == CURVE_MOST)
    return fail(r, HN_ERROR_LIMIT, "Use fewer points.",
                "the load curve has more than 1000 points%s", "");
  if (!r->x) r->x = HN_TAKE(&r->tyre->arena, double, CURVE_MOST);
  if (!r->y) r->y = HN_TAKE(&r->tyre->arena, double, CURVE_MOST);
  if (!r->x || !r->y) return fail(r, HN_ERROR_MEMORY, NULL, "out of memory%s", "");
  r->x[r->points] = x;
  r->y[r->points++] = y;
  return HN_OK;
}

// Cuts a comment off; quotes protect their inside.
static size_t without_comment(const char *text, size_t length) {
  char quote = 0;
  for (size_t k = 0; k < length; k++) {
    if (quote) {
      if (text[k] == quote) quote = 0;
    } else if (text[k] == '\'' || text[k] == '"') {
      quote = text[k];
    } else if (text[k] == '$' || text[k] == '!') {
      return k;
    }
  }
  return length;
}

static hn_status read_line(reader *r, const char *text, size_t length) {
  length = without_comment(text, length);
  while (length > 0 && strchr(" \t", *text)) text++, length--;
  while (length > 0 && strchr(" \t\r", text[length - 1])) length--;
  if (length == 0 || *text == '{') return HN_OK;
  if (*text == '[') {
    const char *close = memchr(text, ']', length);
    if (!close)
      return fail(r, HN_ERROR_SYNTAX, "Write sections as [NAME].", "'%s' does not end in ]",
                  hn_quote_of(text, length).text);
    hn_copy_upper(r->section, sizeof r->section, text + 1, (size_t)(close - text - 1));
    return HN_OK;
  }
  const char *equals = memchr(text, '=', length);
  if (!equals) return read_point(r, text, length);
  char key[48];
  hn_copy_upper(key, sizeof key, text, (size_t)(equals - text));
  return read_value(r, key, equals + 1, length - (size_t)(equals + 1 - text));
}

// ---- which model --------------------------------------------------------------------------------

typedef struct format {
  const char *name;
  hn_tyre_model model;
} format;

static const format formats[] = {
    {"PAC2002", HN_TYRE_PAC2002}, {"MF52", HN_TYRE_PAC2002},  {"MF_52", HN_TYRE_PAC2002},
    {"MF5.2", HN_TYRE_PAC2002},   {"MF_05", HN_TYRE_PAC2002}, {"MF05", HN_TYRE_PAC2002},
    {"FIALA", HN_TYRE_FIALA},     {"BRUSH", HN_TYRE_BRUSH},   {"PAC89", HN_TYRE_PAC89},
    {"PAC94", HN_TYRE_PAC94},     {"TMEASY", HN_TYRE_TMEASY},
};

// Formats that leave the version to FITTYP.
static int is_by_fit(const char *name) {
  static const char *const names[] = {"MF-TYRE", "MF_TYRE",  "MFTYRE",          "USER",
                                      "MF-TIRE", "MF-SWIFT", "MF-TYRE/MF-SWIFT"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strcmp(name, names[k]) == 0) return 1;
  return 0;
}

static hn_status refuse(const reader *r, const char *what) {
  return fail(r, HN_ERROR_UNSUPPORTED,
              "Convert it to PAC2002 (FITTYP 52), or use FIALA, BRUSH, PAC89, PAC94, TMEASY or "
              "a table (.csv).",
              "the tyre model %s is not supported", what);
}

static hn_status check_fit(const reader *r) {
  double fit = HN_P(r->tyre, FITTYP);
  if (fit == 0 || fit == 5 || fit == 6 || fit == 21 || fit == 51 || fit == 52) return HN_OK;
  char what[80];
  if (fit >= 60 && fit < 70)
    snprintf(what, sizeof what, "the Magic Formula 6.%d (FITTYP %g)", (int)fit - 60, fit);
  else
    snprintf(what, sizeof what, "FITTYP %g", fit);
  return refuse(r, what);
}

static hn_status guess(reader *r) {
  const unsigned char *given = r->tyre->given;
  hn_tyre_model *model = &r->tyre->model;
  if (given[HN_KEY_OF_PCX1] || given[HN_KEY_OF_PCY1])
    *model = HN_TYRE_PAC2002;
  else if (given[HN_KEY_OF_FZ_NOM] && given[HN_KEY_OF_DFX0_1])
    *model = HN_TYRE_TMEASY;
  else if (given[HN_KEY_OF_CSLIP] && given[HN_KEY_OF_CALPHA])
    *model = HN_TYRE_FIALA;
  else
    return fail(r, HN_ERROR_SYNTAX, "Write PROPERTY_FILE_FORMAT = 'PAC2002' into [MODEL].",
                "the file does not say which tyre model it is for%s", "");
  return HN_OK;
}

static hn_status choose_model(reader *r) {
  int is_formula = r->tyre->given[HN_KEY_OF_FITTYP];
  if (is_formula && check_fit(r) != HN_OK) return HN_ERROR_UNSUPPORTED;
  if (r->format[0] == '\0') return guess(r);
  for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
    if (strcmp(formats[k].name, r->format) == 0) {
      r->tyre->model = formats[k].model;
      return HN_OK;
    }
  if (is_by_fit(r->format) && is_formula) {
    r->tyre->model = HN_TYRE_PAC2002;
    return HN_OK;
  }
  char what[80];
  snprintf(what, sizeof what, "'%s'", r->format);
  return refuse(r, what);
}

// ---- all of it ----------------------------------------------------------------------------------

static hn_status keep_curve(reader *r) {
  if (r->points == 0) return HN_OK;
  int rises = r->points > 1 && r->x[0] >= 0;
  for (int k = 1; k < r->points; k++)
    rises = rises && r->x[k] > r->x[k - 1] && r->y[k] > r->y[k - 1];
  if (!rises)
    return fail(r, HN_ERROR_MODEL, "Sort the points; deflections and loads increase from 0.",
                "the load curve does not increase%s", "");
  r->tyre->load = (hn_tyre_curve){r->points, r->x, r->y};
  return HN_OK;
}

static void tell(reader *r) {
  char text[160];
  hn_tyre *t = r->tyre;
  if (r->unknown > 0) {
    snprintf(text, sizeof text, "%d keys of the file are ignored, the first is %s", r->unknown,
             r->first_unknown);
    add_note(t, text);
  }
  if (t->model == HN_TYRE_PAC2002 && (HN_P(t, FITTYP) == 5 || strncmp(r->format, "MF_05", 5) == 0))
    add_note(t, "a file of MF 5.0 is read as MF 5.2");
  if (HN_P(t, CGAMMA) != 0) add_note(t, "CGAMMA is not used, as in Adams");
}

hn_status hn_tir_read(hn_tyre *tyre, const char *text, size_t size, const char *file,
                      hn_error *error) {
  reader r = {.tyre = tyre, .file = file, .error = error, .unit = {1, 1, 1, 1}};
  const char *end = text + size;
  hn_status status = HN_OK;
  for (const char *at = text; at < end && status == HN_OK;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    r.line++;
    status = read_line(&r, at, (size_t)(stop - at));
    at = stop + 1;
  }
  r.line = 0;
  if (status == HN_OK) status = choose_model(&r);
  if (status != HN_OK) return status;
  to_si(&r);
  status = keep_curve(&r);
  if (status == HN_OK) tell(&r);
  return status;
}
