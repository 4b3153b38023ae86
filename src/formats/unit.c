// Units and dimensions: the table of units, and the grammar of products and quotients of them.
//
//   unit    = power { (blank | "*") power } [ "/" denominator { "/" denominator } ]
//   power   = NAME [ "^" [ "-" ] DIGITS ]
//   denominator = power | "(" unit ")"
//
// A word is a product where its letters have one reading only (Ns, kgm2), and m2, s2, mm3 are
// powers. After a slash a blank does not multiply any more: "N/m s" is rejected, because readers
// differ on it.
#include "formats/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "holon/load.h"
#include "math/elementary.h"
#include "math/vec.h"

#define POUND 0.45359237
#define POUND_FORCE 4.4482216152605
#define INCH 0.0254
#define FOOT 0.3048

typedef struct unit {
  const char *name;
  double factor;
  hn_dimension dimension; // length, mass, time, angle
} unit;

static const unit units[] = {
    {"m", 1, {1, 0, 0, 0}},
    {"mm", 1e-3, {1, 0, 0, 0}},
    {"cm", 1e-2, {1, 0, 0, 0}},
    {"dm", 1e-1, {1, 0, 0, 0}},
    {"km", 1e3, {1, 0, 0, 0}},
    {"um", 1e-6, {1, 0, 0, 0}},
    {"in", INCH, {1, 0, 0, 0}},
    {"ft", FOOT, {1, 0, 0, 0}},
    {"yd", 0.9144, {1, 0, 0, 0}},
    {"mi", 1609.344, {1, 0, 0, 0}},
    {"kg", 1, {0, 1, 0, 0}},
    {"g", 1e-3, {0, 1, 0, 0}},
    {"mg", 1e-6, {0, 1, 0, 0}},
    {"t", 1e3, {0, 1, 0, 0}},
    {"lb", POUND, {0, 1, 0, 0}},
    {"slug", POUND_FORCE / FOOT, {0, 1, 0, 0}},
    {"s", 1, {0, 0, 1, 0}},
    {"ms", 1e-3, {0, 0, 1, 0}},
    {"us", 1e-6, {0, 0, 1, 0}},
    {"min", 60, {0, 0, 1, 0}},
    {"h", 3600, {0, 0, 1, 0}},
    {"rad", 1, {0, 0, 0, 1}},
    {"mrad", 1e-3, {0, 0, 0, 1}},
    {"deg", HN_PI / 180, {0, 0, 0, 1}},
    {"rev", 2 * HN_PI, {0, 0, 0, 1}},
    {"N", 1, {1, 1, -2, 0}},
    {"mN", 1e-3, {1, 1, -2, 0}},
    {"kN", 1e3, {1, 1, -2, 0}},
    {"MN", 1e6, {1, 1, -2, 0}},
    {"lbf", POUND_FORCE, {1, 1, -2, 0}},
    {"kgf", 9.80665, {1, 1, -2, 0}},
    {"Nm", 1, {2, 1, -2, 0}},
    {"Nmm", 1e-3, {2, 1, -2, 0}},
    {"kNm", 1e3, {2, 1, -2, 0}},
    {"Pa", 1, {-1, 1, -2, 0}},
    {"kPa", 1e3, {-1, 1, -2, 0}},
    {"MPa", 1e6, {-1, 1, -2, 0}},
    {"GPa", 1e9, {-1, 1, -2, 0}},
    {"bar", 1e5, {-1, 1, -2, 0}},
    {"psi", POUND_FORCE / (INCH * INCH), {-1, 1, -2, 0}},
    {"J", 1, {2, 1, -2, 0}},
    {"kJ", 1e3, {2, 1, -2, 0}},
    {"W", 1, {2, 1, -3, 0}},
    {"kW", 1e3, {2, 1, -3, 0}},
    {"Hz", 1, {0, 0, -1, 0}},
    {"kHz", 1e3, {0, 0, -1, 0}},
    {"rpm", 2 * HN_PI / 60, {0, 0, -1, 1}},
    {"mph", 0.44704, {1, 0, -1, 0}},
};
#define UNITS ((int)(sizeof units / sizeof *units))

// Products without a sign between, which have one reading only. They count behind numbers, and are no
// reserved names.
static const unit products[] = {
    {"Ncm", 1e-2, {2, 1, -2, 0}},  {"kNmm", 1, {2, 1, -2, 0}},    {"Ns", 1, {1, 1, -1, 0}},
    {"kNs", 1e3, {1, 1, -1, 0}},   {"Nms", 1, {2, 1, -1, 0}}, // N m s: Nms/rad is a damping
    {"Nmms", 1e-3, {2, 1, -1, 0}}, {"kNms", 1e3, {2, 1, -1, 0}},  {"kgm2", 1, {2, 1, 0, 0}},
    {"kgcm2", 1e-4, {2, 1, 0, 0}}, {"kgmm2", 1e-6, {2, 1, 0, 0}}, {"gcm2", 1e-7, {2, 1, 0, 0}},
    {"gmm2", 1e-9, {2, 1, 0, 0}},  {"tmm2", 1e-3, {2, 1, 0, 0}},
};
#define PRODUCTS ((int)(sizeof products / sizeof *products))

// ---- dimensions ---------------------------------------------------------------------------------

static const struct {
  const char *name, *unit;
  hn_dimension dimension;
} meanings[HN_MEANINGS] = {
#define MEANING_ROW(code, name, unit, l, m, t, a) {name, unit, {l, m, t, a}},
    HN_MEANING_LIST(MEANING_ROW)
#undef MEANING_ROW
};

const char *hn_meaning_name(hn_meaning meaning) {
  return meaning < HN_MEANINGS ? meanings[meaning].name : "a number";
}
const char *hn_meaning_unit(hn_meaning meaning) {
  return meaning < HN_MEANINGS ? meanings[meaning].unit : "any unit";
}
hn_dimension hn_meaning_dimension(hn_meaning meaning) {
  return meaning < HN_MEANINGS ? meanings[meaning].dimension : (hn_dimension){0, 0, 0, 0};
}

hn_meaning hn_meaning_of(hn_meaning meaning, int is_angle) {
  static const hn_meaning of_length[] = {HN_LENGTH, HN_SPEED, HN_FORCE, HN_STIFFNESS, HN_DAMPING};
  static const hn_meaning of_angle[] = {HN_ANGLE, HN_ANGULAR_SPEED, HN_TORQUE, HN_ANGULAR_STIFFNESS,
                                        HN_ANGULAR_DAMPING};
  if (meaning < HN_COORDINATE_VALUE || meaning > HN_COORDINATE_DAMPING) return meaning;
  int place = (int)meaning - (int)HN_COORDINATE_VALUE;
  return is_angle ? of_angle[place] : of_length[place];
}

hn_dimension hn_dimension_multiply(hn_dimension a, hn_dimension b) {
  return (hn_dimension){a.length + b.length, a.mass + b.mass, a.time + b.time, a.angle + b.angle};
}
hn_dimension hn_dimension_power(hn_dimension a, double exponent) {
  return (hn_dimension){a.length * exponent, a.mass * exponent, a.time * exponent,
                        a.angle * exponent};
}

// Exponents may come from roots: 1/3 * 3 is not always 1.
static int same(double a, double b) { return fabs(a - b) < 1e-9; }

int hn_dimension_equal_without_angles(hn_dimension a, hn_dimension b) {
  return same(a.length, b.length) && same(a.mass, b.mass) && same(a.time, b.time);
}
int hn_dimension_equal(hn_dimension a, hn_dimension b) {
  return hn_dimension_equal_without_angles(a, b) && same(a.angle, b.angle);
}
int hn_dimension_is_number(hn_dimension a) {
  return hn_dimension_equal(a, (hn_dimension){0, 0, 0, 0});
}

static size_t append_power(char *buffer, size_t size, size_t used, const char *name,
                           double exponent) {
  if (exponent == 0 || used >= size) return used;
  const char *blank = used > 0 && buffer[used - 1] != '(' ? " " : "";
  int more = exponent == 1 ? snprintf(buffer + used, size - used, "%s%s", blank, name)
                           : snprintf(buffer + used, size - used, "%s%s^%g", blank, name, exponent);
  return more > 0 ? used + (size_t)more : used;
}

const char *hn_dimension_text(hn_dimension a, char *buffer, size_t size) {
  for (int k = 1; k < HN_MEANINGS; k++)
    if (hn_dimension_equal(a, meanings[k].dimension))
      return hn_text(buffer, size, "%s", meanings[k].unit);
  if (hn_dimension_is_number(a)) return hn_text(buffer, size, "no unit");
  const char *names[4] = {"kg", "m", "rad", "s"};
  double exponents[4] = {a.mass, a.length, a.angle, a.time};
  size_t used = 0;
  buffer[0] = '\0';
  for (int k = 0; k < 4; k++)
    if (exponents[k] > 0) used = append_power(buffer, size, used, names[k], exponents[k]);
  int below = 0;
  for (int k = 0; k < 4; k++) below += exponents[k] < 0;
  if (below == 0) return buffer;
  int more = used < size ? snprintf(buffer + used, size - used, "%s%s", used ? "/" : "1/",
                                    below > 1 ? "(" : "")
                         : 0;
  // the text after the slash starts without a blank, so the parts are counted from here
  size_t start = more > 0 ? used + (size_t)more : used;
  size_t end = 0;
  for (int k = 0; k < 4 && start < size; k++)
    if (exponents[k] < 0)
      end = append_power(buffer + start, size - start, end, names[k], -exponents[k]);
  if (below > 1 && start + end + 1 < size) {
    buffer[start + end] = ')';
    buffer[start + end + 1] = '\0';
  }
  return buffer;
}

// ---- names --------------------------------------------------------------------------------------

static const unit *find_row(const unit *rows, int count, const char *name, size_t length) {
  for (int k = 0; k < count; k++)
    if (strlen(rows[k].name) == length && memcmp(rows[k].name, name, length) == 0) return &rows[k];
  return NULL;
}

int hn_unit_find(const char *name, size_t length, double *factor, hn_dimension *dimension) {
  const unit *row = find_row(units, UNITS, name, length);
  if (row && factor) *factor = row->factor;
  if (row && dimension) *dimension = row->dimension;
  return row != NULL;
}

// m2, mm3, s2: powers of lengths and times. Of products (Nm2) readers differ on what is squared.
static int written_power(const unit *row, char digit) {
  const hn_dimension *d = &row->dimension;
  int is_plain = d->mass == 0 && d->angle == 0 &&
                 ((d->length == 1 && d->time == 0) || (d->length == 0 && d->time == 1));
  return is_plain && digit >= '2' && digit <= '4' ? digit - '0' : 0;
}

// Behind a number: the units of the table, products and powers without a sign.
static int find_behind_number(const char *name, size_t length, double *factor,
                              hn_dimension *dimension) {
  const unit *row = find_row(units, UNITS, name, length);
  int power = 1;
  if (!row) row = find_row(products, PRODUCTS, name, length);
  if (!row && length > 1 && (row = find_row(units, UNITS, name, length - 1)))
    power = written_power(row, name[length - 1]);
  if (!row || power == 0) return 0;
  *factor = power == 1 ? row->factor : hn_pow(row->factor, power);
  *dimension = hn_dimension_power(row->dimension, power);
  return 1;
}

const char *hn_list_units(int index) {
  return index >= 0 && index < UNITS ? units[index].name : NULL;
}

// Units by their names and by other signs of them, plurals apart.
static const char *unit_elsewhere(const char *name) {
  static const char *const pairs[][2] = {
      {"meter", "m"},       {"metre", "m"},        {"millimeter", "mm"}, {"milimeter", "mm"},
      {"millimetre", "mm"}, {"centimeter", "cm"},  {"centimetre", "cm"}, {"kilometer", "km"},
      {"micron", "um"},     {"inch", "in"},        {"inche", "in"},      {"foot", "ft"},
      {"feet", "ft"},       {"mile", "mi"},        {"kilogram", "kg"},   {"kilo", "kg"},
      {"gram", "g"},        {"ton", "t"},          {"tonne", "t"},       {"pound", "lb"},
      {"sec", "s"},         {"second", "s"},       {"msec", "ms"},       {"minute", "min"},
      {"hour", "h"},        {"hr", "h"},           {"radian", "rad"},    {"degree", "deg"},
      {"d", "deg"},         {"dega", "deg"},       {"turn", "rev"},      {"newton", "N"},
      {"kp", "kgf"},        {"newtonmeter", "Nm"}, {"pascal", "Pa"},     {"joule", "J"},
      {"watt", "W"},        {"hertz", "Hz"},       {"kph", "km/h"},      {"kmh", "km/h"},
      {"mps", "m/s"},       {"fps", "ft/s"},       {"ips", "in/s"},      {"rps", "rev/s"},
      {"lbs", "lb"},        {"lbft", "lbf ft"},    {"ftlb", "lbf ft"},   {"inlb", "lbf in"},
  };
  char word[16];
  size_t length = strlen(name);
  if (length >= sizeof word) return NULL;
  for (size_t k = 0; k <= length; k++)
    word[k] = (char)(name[k] >= 'A' && name[k] <= 'Z' ? name[k] - 'A' + 'a' : name[k]);
  for (int plural = 0; plural < 2; plural++) {
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
      if (strcmp(word, pairs[k][0]) == 0) return pairs[k][1];
    if (length < 4 || word[length - 1] != 's') break;
    word[length - 1] = '\0';
  }
  return NULL;
}

const char *hn_unit_nearest(const char *name) {
  const char *names[UNITS];
  const char *known = unit_elsewhere(name);
  if (known) return known;
  // With another letter every short sign is another unit: those differ by the case at most.
  const size_t length = strlen(name);
  int count = 0;
  for (int k = 0; k < UNITS; k++)
    if (strlen(units[k].name) > 2 || strlen(units[k].name) == length)
      names[count++] = units[k].name;
  const char *nearest = hn_nearest_word(name, names, count);
  if (!nearest || length > 2) return nearest;
  for (size_t k = 0; k < length; k++)
    if ((name[k] | 0x20) != (nearest[k] | 0x20)) return NULL;
  return nearest;
}

// ---- reading ------------------------------------------------------------------------------------

typedef struct reader {
  const char *text;
  size_t length, position;
  hn_own_name is_own;
  const void *context;
  const char *problem;
  int nesting;
} reader;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 128;
}
static int is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_blanks(const reader *r, size_t position) {
  while (position < r->length && is_blank(r->text[position])) position++;
  return position;
}

// Bytes of the word at position: letters, digits, underscores, dots.
static size_t word_length(const reader *r, size_t position) {
  size_t end = position;
  if (end >= r->length || !is_letter(r->text[end])) return 0;
  while (end < r->length &&
         (is_letter(r->text[end]) || is_digit(r->text[end]) || r->text[end] == '.'))
    end++;
  return end - position;
}

// Whether a unit is at position: its name, not a function's (min) and not one of the caller's.
static int at_unit(const reader *r, size_t position, int first) {
  size_t length = word_length(r, position);
  const char *word = r->text + position;
  double factor;
  hn_dimension dimension;
  if (length == 0 || !find_behind_number(word, length, &factor, &dimension)) return 0;
  size_t after = skip_blanks(r, position + length);
  if (after < r->length && r->text[after] == '(') return 0;
  int own = r->is_own ? r->is_own(r->context, word, length) : 0;
  return own < 2 && (first || own == 0);
}

static void read_exponent(reader *r, double *exponent) {
  *exponent = 1;
  size_t at = skip_blanks(r, r->position);
  if (at >= r->length || r->text[at] != '^') return;
  at = skip_blanks(r, at + 1);
  int negative = at < r->length && r->text[at] == '-';
  if (negative) at++;
  if (at >= r->length || !is_digit(r->text[at])) {
    r->problem = "the exponent of a unit must be a whole number, as in m^2";
    return;
  }
  double value = 0;
  while (at < r->length && is_digit(r->text[at]) && value < 100)
    value = 10 * value + (r->text[at++] - '0');
  if (value > 12 || (at < r->length && (is_digit(r->text[at]) || r->text[at] == '.')))
    r->problem = "an exponent in a unit is a whole number up to 12";
  *exponent = negative ? -value : value;
  r->position = at;
}

static void read_power(reader *r, double sign, double *factor, hn_dimension *dimension) {
  size_t length = word_length(r, r->position);
  double unit_factor = 1, exponent;
  hn_dimension unit_dimension = {0, 0, 0, 0};
  find_behind_number(r->text + r->position, length, &unit_factor, &unit_dimension);
  r->position += length;
  read_exponent(r, &exponent);
  *factor *= hn_pow(unit_factor, sign * exponent);
  *dimension =
      hn_dimension_multiply(*dimension, hn_dimension_power(unit_dimension, sign * exponent));
}

static void read_unit(reader *r, double sign, double *factor, hn_dimension *dimension);

static void read_denominators(reader *r, double sign, double *factor, hn_dimension *dimension) {
  while (!r->problem) {
    size_t at = skip_blanks(r, r->position);
    if (at >= r->length || r->text[at] != '/') return;
    size_t next = skip_blanks(r, at + 1);
    if (next < r->length && r->text[next] == '(' && at_unit(r, skip_blanks(r, next + 1), 0)) {
      r->position = skip_blanks(r, next + 1);
      if (++r->nesting > 8) r->problem = "the unit has too many nested parentheses";
      if (!r->problem) read_unit(r, -sign, factor, dimension);
      size_t close = skip_blanks(r, r->position);
      if (!r->problem && (close >= r->length || r->text[close] != ')'))
        r->problem = "a parenthesis in the unit is not closed";
      r->position = close + 1;
    } else if (at_unit(r, next, 0)) {
      r->position = next;
      read_power(r, -sign, factor, dimension);
    } else {
      return; // a division, no part of the unit
    }
    if (!r->problem && at_unit(r, skip_blanks(r, r->position), 0))
      r->problem = "the unit is ambiguous after a slash: write N s/m or N/(m s)";
  }
}

static void read_unit(reader *r, double sign, double *factor, hn_dimension *dimension) {
  read_power(r, sign, factor, dimension);
  while (!r->problem) {
    size_t at = skip_blanks(r, r->position);
    if (at < r->length && r->text[at] == '*') at = skip_blanks(r, at + 1);
    if (!at_unit(r, at, 0)) break;
    r->position = at;
    read_power(r, sign, factor, dimension);
  }
  if (!r->problem) read_denominators(r, sign, factor, dimension);
}

size_t hn_unit_read(const char *text, size_t length, hn_own_name is_own, const void *context,
                    double *factor, hn_dimension *dimension, const char **problem) {
  reader r = {text, length, 0, is_own, context, NULL, 0};
  *factor = 1;
  *dimension = (hn_dimension){0, 0, 0, 0};
  *problem = NULL;
  if (!at_unit(&r, 0, 1)) return 0;
  read_unit(&r, 1, factor, dimension);
  *problem = r.problem;
  return r.position;
}
