// The language of formulas: precedence, errors with columns, limits, hostile text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/expression.h"
#include "support/calculate.h"
#include "support/check.h"

static const char *const words[] = {"x", "v", "t", "length", "body.rod.position.z"};
static const double values[] = {3, -2, 0.5, 10, 7};

static int find_word(const void *context, const char *name, size_t length) {
  (void)context;
  for (int i = 0; i < 5; i++)
    if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) return i;
  return -1;
}

static const hn_expression_names names = {.find = find_word, .words = words, .word_count = 5};

static double calculate(const char *text) {
  double value;
  hn_error error;
  hn_status status = hn_calculate_once(text, strlen(text), &names, values, &value, &error);
  if (status != HN_OK) print_error("%s: %s\n", text, error.message);
  check_ok(status);
  return value;
}

// ---- precedence ---------------------------------------------------------------------------------

typedef struct equation {
  const char *text;
  double value;
} equation;

static void operators_bind_as_the_reference_says(void **state) {
  (void)state;
  const equation equations[] = {
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"2 - 3 - 4", -5},
      {"24/4/3", 2},
      {"24/4*3", 18},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"-x^2", -9},
      {"(-x)^2", 9},
      {"2^-2", 0.25},
      {"2^-x^2*512", 1},
      {"-2^2", -4},
      {"2*-x", -6},
      {"2 - -x", 5},
      {"--x", 3},
      {"-+-x", 3},
      {"+x", 3},
      {"6/2*x", 9},
      {"2*x^2", 18},
      {"1 < 2", 1},
      {"2 <= 2", 1},
      {"2 > 2", 0},
      {"2 >= 2", 1},
      {"2 == 2", 1},
      {"2 != 2", 0},
      {"1 + 1 < 2*2", 1},
      {"1 < 2 and 3 < 2", 0},
      {"1 < 2 or 3 < 2", 1},
      {"1 or 0 and 0", 1},
      {"(1 or 0) and 0", 0},
      {"not 0", 1},
      {"not 1 == 2", 1},
      {"not 0 and 0", 0},
      {"not (0 and 0)", 1},
      {"not not 5", 1},
      {"1 and not 0", 1},
      {"2 if 1 else 3", 2},
      {"2 if 0 else 3", 3},
      {"1 if 0 else 2 if 0 else 3", 3},
      {"1 if 0 else 2 if 1 else 3", 2},
      {"(1 if 1 else 2) if 0 else 3", 3},
      {"1 + 1 if 1 < 2 else 5 + 5", 2},
      {"-1 if x < 0 or v < 0 else 1", -1},
      {"min(3, 1, 2)", 1},
      {"max(3, 1, 2)", 3},
      {"max(x, v)*2", 6},
      {"min(4, 1 if x > 5 else 2)", 2},
      {"hypot(3, 4)", 5},
      {"sqrt(16)^0.5", 2},
      {"abs(v)^2", 4},
      {"1e3*2e-3", 2},
      {"1.e1+.5", 10.5},
      {"body.rod.position.z/7", 1},
      {"  x\t*\n2 ", 6},
      {"2*e/e", 2},
      {"length - 1", 9},
      {"t + t", 1},
  };
  for (size_t i = 0; i < sizeof equations / sizeof equations[0]; i++) {
    double value = calculate(equations[i].text);
    if (fabs(value - equations[i].value) > 1e-15)
      fail_msg("%s = %.17g, expected %.17g", equations[i].text, value, equations[i].value);
  }
}

// Random trees are written with the fewest parentheses the grammar needs and computed directly.
typedef struct writer {
  hn_random random;
  double values[3];
} writer;

typedef struct written {
  char text[1024];
  double value;
  int level; // 0 choice, 1 or, 2 and, 3 not, 4 comparison, 5 sum, 6 product, 7 sign, 8 power, 9
             // atom
} written;

static void wrap(char out[1024], const written *w, int level) {
  snprintf(out, 1024, w->level < level ? "(%.1000s)" : "%.1000s", w->text);
}

static written random_tree(writer *r, int depth) {
  static const char *const signs[] = {
      " or ", " and ", "", " < ", " <= ", " > ", " >= ", " == ", " != ", " + ", " - ", "*", "/"};
  static const int levels[] = {1, 2, 3, 4, 4, 4, 4, 4, 4, 5, 5, 6, 6};
  written w;
  int kind = depth == 0 ? 20 + hn_random_below(&r->random, 2) : hn_random_below(&r->random, 18);
  if (kind >= 20) {
    int k = hn_random_below(&r->random, kind == 20 ? 3 : 5);
    w.level = 9;
    w.value = kind == 20 ? r->values[k] : k;
    snprintf(w.text, sizeof w.text, kind == 20 ? "%s" : "%.0s%d", words[k % 3], k);
    return w;
  }
  written a = random_tree(r, depth - 1);
  char left[1024], right[1024], third[1024];
  if (kind == 2 || kind == 13) { // not, sign
    w.level = kind == 2 ? 3 : 7;
    w.value = kind == 2 ? a.value == 0 : -a.value;
    wrap(left, &a, w.level);
    snprintf(w.text, sizeof w.text, kind == 2 ? "not %.1000s" : "-%.1000s", left);
    return w;
  }
  if (kind == 14) { // square
    w.level = 8;
    w.value = a.value * a.value;
    wrap(left, &a, 9);
    snprintf(w.text, sizeof w.text, "%.1000s^2", left);
    return w;
  }
  written b = random_tree(r, depth - 1);
  if (kind >= 15) { // choice
    written c = random_tree(r, depth - 1);
    w.level = 0;
    w.value = b.value != 0 ? a.value : c.value;
    wrap(left, &a, 1);
    wrap(right, &b, 1);
    wrap(third, &c, 0);
    snprintf(w.text, sizeof w.text, "%.300s if %.300s else %.300s", left, right, third);
    return w;
  }
  double x = a.value, y = b.value;
  const double results[] = {x != 0 || y != 0,
                            x != 0 && y != 0,
                            0,
                            x<y, x <= y, x>
                                y,
                            x >= y,
                            x == y,
                            x != y,
                            x + y,
                            x - y,
                            x * y,
                            x / y};
  w.level = levels[kind];
  w.value = results[kind];
  wrap(left, &a, w.level == 4 ? 5 : w.level);
  wrap(right, &b, w.level + 1);
  snprintf(w.text, sizeof w.text, "%.400s%s%.400s", left, signs[kind], right);
  return w;
}

static void random_trees_with_fewest_parentheses_have_their_value(void **state) {
  (void)state;
  static writer r;
  r.random = hn_random_seed(31);
  int compared = 0;
  for (int trial = 0; trial < 5000; trial++) {
    memcpy(r.values, values, sizeof r.values);
    written w = random_tree(&r, 1 + trial % 4);
    if (strlen(w.text) > 250 || isnan(w.value)) continue; // cut short, or 0/0 was written
    double value;
    hn_error error;
    hn_status status = hn_calculate_once(w.text, strlen(w.text), &names, r.values, &value, &error);
    if (status != HN_OK) fail_msg("%s: %s", w.text, error.message);
    if (isnan(value)) continue; // an unchosen 0/0 in C is a NaN condition here
    if (value != w.value) fail_msg("%s = %.17g, expected %.17g", w.text, value, w.value);
    compared++;
  }
  assert_true(compared > 3000);
}

// ---- errors -------------------------------------------------------------------------------------

typedef struct mistake {
  const char *text;
  int column;
  const char *message, *hint; // parts of them
} mistake;

static void errors_give_column_expectation_and_nearest_word(void **state) {
  (void)state;
  const mistake mistakes[] = {
      {"", 1, "", ""},
      {"   ", 1, "", ""},
      {"2 +", 4, "'('", ""},
      {"2 + * 3", 5, "'(' '*'", ""},
      {"2 3", 3, "'3'", ""},
      {"2x", 2, "'x'", ""},
      {"4*(x", 5, "')' '(' 3", ""},
      {"x)", 2, "')'", ""},
      {"(x + 1))", 8, "')'", ""},
      {"()", 2, "'(' ')'", ""},
      {"x ** 2", 4, "'*'", "^"},
      {"x = 2", 3, "'='", "=="},
      {"x && v", 3, "'&'", "'and'"},
      {"x || v", 3, "'|'", "'or'"},
      {"!x", 1, "'!'", "'not'"},
      {"x % 2", 3, "'%'", "mod"},
      {"x[0]", 2, "'['", ""},
      {"x $ 2", 3, "'$'", ""},
      {"1 + lenght", 5, "'lenght'", "'length'"},
      {"body.rod.positon.z", 1, "", "'body.rod.position.z'"},
      {"Pi*x", 1, "'Pi'", "'pi'"},
      {"qqqqqq", 1, "'qqqqqq'", "body.rod.position.z"},
      {"2*sqr(x)", 3, "'sqr'", "'sqrt'"},
      {"2*x(v)", 3, "'x'", ""},
      {"frobnicate(x)", 1, "'frobnicate' 'frobnicate(x)'", ""},
      {"sin x", 5, "'(' 'sin'", "sin(x)"},
      {"sin()", 1, "'sin' 1 0", ""},
      {"1 + sin(x, v)", 5, "'sin' 1 2", ""},
      {"atan2(x)", 1, "'atan2' 2 1", ""},
      {"min(x)", 1, "'min' 2 1", ""},
      {"min(x, )", 8, "'(' ')'", ""},
      {"min(x v)", 7, "',' ')' '(' 4 'v'", ""},
      {"x, v", 2, "','", ""},
      {"1 < x < 2", 7, "'1 < x < 2'", "'a < x and x < b'"},
      {"1 if x", 7, "'else' 'if' 3", ""},
      {"1 else 2", 3, "'else'", ""},
      {"if x else 2", 1, "'if'", ""},
      {"1 + not x", 5, "'not'", ""},
      {"x.", 2, "'.'", ""},
      {"1e999", 1, "'1e999'", ""},
      {"\xC3\xA4\xC3\xB6 + 1", 1, "'äö'", ""},
      {"x * (\"\xE2\x82\xAC\"", 6, "'\"'", ""},
      {"x + \xE2\x82\xAC + )", 5, "", ""},
      {"1 if \xC3\xA4 else 2", 6, "", ""},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    const mistake *m = &mistakes[i];
    double value = 0;
    hn_error error;
    memset(&error, 0x55, sizeof error);
    hn_status status = hn_calculate_once(m->text, strlen(m->text), &names, values, &value, &error);
    if (status != HN_ERROR_SYNTAX || error.status != status || error.column != m->column)
      fail_msg("'%s': %s at column %d: %s (%s)", m->text, hn_status_name(status), error.column,
               error.message, error.hint);
    check_names(error.message, m->message);
    check_names(error.hint, m->hint);
    assert_true(isnan(value));
    // without an error object the status is the same
    check_status(hn_calculate_once(m->text, strlen(m->text), &names, values, &value, NULL),
                 HN_ERROR_SYNTAX);
  }
}

static int find_any(const void *context, const char *name, size_t length) {
  (void)context;
  (void)name;
  return length > 0 ? 0 : -1;
}

// Two bytes of UTF-8 are one column.
static void columns_count_characters(void **state) {
  (void)state;
  const char *text = "1 + gr\xC3\xB6\xC3\x9F"
                     "e + 2 3";
  hn_expression_names some = {.find = find_any};
  hn_error error;
  double value;
  check_status(hn_calculate_once(text, strlen(text), &some, values, &value, &error),
               HN_ERROR_SYNTAX);
  assert_int_equal(error.column, 15);
}

static int find_e(const void *context, const char *name, size_t length) {
  (void)context;
  return length == 1 && name[0] == 'e' ? 0 : -1;
}

static void a_variable_called_like_a_constant_is_refused(void **state) {
  (void)state;
  hn_expression_names some = {.find = find_e};
  double value;
  hn_error error;
  check_status(hn_calculate_once("2*e", 3, &some, values, &value, &error), HN_ERROR_SYNTAX);
  check_names(error.message, "'e'");
  assert_int_equal(error.column, 3);
}

static int find_and_remember(const void *context, const char *name, size_t length) {
  int index = find_word(NULL, name, length);
  if (index < 0) *(char *)(uintptr_t)context = name[0];
  return index;
}

// A caller that notes what it did not find can rely on it when compilation fails.
static void an_unknown_name_is_asked_for_only_where_it_ends_the_compilation(void **state) {
  (void)state;
  char unknown = '-';
  hn_expression_names some = {.find = find_and_remember, .context = &unknown};
  double value;
  const char *const texts[] = {"2*pi + (", "pi*foo(x)", "pi + sin x", "pi + y"};
  for (int i = 0; i < 4; i++) {
    check_status(hn_calculate_once(texts[i], strlen(texts[i]), &some, values, &value, NULL),
                 HN_ERROR_SYNTAX);
    assert_int_equal(unknown, i < 3 ? '-' : 'y');
  }
}

static void without_names_only_constants_are_known(void **state) {
  (void)state;
  double value;
  hn_error error;
  check_ok(hn_calculate_once("2*pi", 4, NULL, NULL, &value, &error));
  check_status(hn_calculate_once("2*x", 3, NULL, NULL, &value, &error), HN_ERROR_SYNTAX);
}

// ---- limits and hostile text --------------------------------------------------------------------

// `times` times unit, then tail; the status of compiling it.
static hn_status compile_repeated(const char *unit, int times, const char *tail, hn_error *error) {
  size_t size = strlen(unit) * (size_t)times + strlen(tail) + 1;
  char *text = malloc(size);
  assert_non_null(text);
  text[0] = '\0';
  char *end = text;
  for (int i = 0; i < times; i++, end += strlen(unit)) memcpy(end, unit, strlen(unit));
  memcpy(end, tail, strlen(tail) + 1);
  double value;
  hn_status status = hn_calculate_once(text, strlen(text), &names, values, &value, error);
  free(text);
  return status;
}

static void nesting_beyond_the_limit_is_refused(void **state) {
  (void)state;
  const char *const units[] = {"(",     "-",      "not ",         "2^",   "sin(",
                               "x+(",   "min(x,", "x if v else ", "(x^(", "-(",
                               "not (", "x*(v+(", "hypot(x, -",   "2^-",  "(((((((("};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    hn_error error;
    for (int times = 65; times < 1500; times = 2 * times + 1) {
      hn_status status = compile_repeated(units[i], times, "x", &error);
      if (status != HN_ERROR_LIMIT)
        fail_msg("%d times '%s': %s", times, units[i], hn_status_name(status));
      assert_true(error.column > 1 && error.message[0] && error.hint[0]);
    }
  }
}

static void nesting_within_the_limit_is_accepted(void **state) {
  (void)state;
  char text[400] = "";
  for (int i = 0; i < 60; i++) strcat(text, "(");
  strcat(text, "x");
  for (int i = 0; i < 60; i++) strcat(text, ")");
  check_near(calculate(text), 3, 0);
  check_near(calculate("0 if x>9 else 1 if x>8 else 2 if x>7 else 3 if x>6 else 4 if x>5 else "
                       "5 if x>4 else 6 if x>2 else 7"),
             6, 0);
}

static void long_programs_are_refused_and_long_sums_accepted(void **state) {
  (void)state;
  hn_error error;
  check_ok(compile_repeated("1+", 8000, "1", &error)); // constants are added at once
  check_ok(compile_repeated("x+", 500, "1", &error));
  check_status(compile_repeated("x+", 600, "1", &error), HN_ERROR_LIMIT);
  check_status(compile_repeated("1+", 9000, "1", &error), HN_ERROR_LIMIT); // length of the text
  assert_int_equal(error.column, 0);
  check_status(compile_repeated("min(1,x", 1, ",2,3,4,5,6)", &error), HN_OK);
  check_status(compile_repeated("sin(1", 1, ",x,x,x)", &error), HN_ERROR_SYNTAX);
  char call[1024] = "sin(x";
  for (int i = 0; i < 100; i++) strcat(call, ",x");
  check_status(compile_repeated(call, 1, ")", &error), HN_ERROR_LIMIT);
  check_status(compile_repeated("a", 300, "", &error), HN_ERROR_LIMIT);  // a name
  check_status(compile_repeated("1", 300, "", &error), HN_ERROR_SYNTAX); // a number
}

static int find_numbered(const void *context, const char *name, size_t length) {
  (void)context;
  int number = 0;
  for (size_t i = 1; i < length; i++) number = 10 * number + (name[i] - '0');
  return number;
}

static void more_different_names_than_the_limit_are_refused(void **state) {
  (void)state;
  char text[8192] = "";
  for (int i = 0; i <= HN_EXPRESSION_USED; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), i ? "+q%d" : "q%d", i);
  hn_expression_names some = {.find = find_numbered};
  static double many[1024];
  double value;
  hn_error error;
  check_status(hn_calculate_once(text, strlen(text), &some, many, &value, &error), HN_ERROR_LIMIT);
  check_names(error.message, "512");
}

static void check_any_text(const char *text, size_t length, hn_arena *arena) {
  const hn_expression *expression;
  hn_error error;
  memset(&error, 0, sizeof error);
  hn_status status = hn_expression_compile(text, length, &names, arena, &expression, &error);
  if (status != HN_OK) {
    assert_null(expression);
    assert_true(error.column >= 1 && error.column <= (int)length + 1);
    assert_true(error.message[0] != '\0');
    return;
  }
  double value = hn_expression_evaluate(expression, values), taylor[4], gradient[5];
  double series[5][4] = {{values[0], 1}};
  for (int i = 1; i < 5; i++) series[i][0] = values[i];
  hn_expression_evaluate_series(expression, series, taylor);
  double again = hn_expression_evaluate_gradient(expression, NULL, values, gradient);
  assert_true(isnan(value) ? isnan(taylor[0]) && isnan(again)
                           : value == taylor[0] && value == again);
}

static void random_text_never_does_harm(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "x",   "v",    "t",    "length", "1",   "2.5",  "1e3",      "pi",   "e",   "(",
      ")",   ",",    "+",    "-",      "*",   "/",    "^",        "<",    "<=",  "==",
      "!=",  "and",  "or",   "not",    "if",  "else", "sin",      "min",  "max", "atan2",
      "mod", "sqrt", "step", " ",      "(x)", ".",    "\xC3\xA4", "\xFF", "=",   "!"};
  int count = sizeof pieces / sizeof pieces[0], compiled = 0;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_random random = hn_random_seed(32);
  for (int trial = 0; trial < 20000; trial++) {
    char text[512] = "";
    int length = 1 + hn_random_below(&random, trial % 2 ? 40 : 6);
    for (int i = 0; i < length; i++) {
      strcat(text, pieces[hn_random_below(&random, count)]);
      if (hn_random_below(&random, 2)) strcat(text, " ");
    }
    check_any_text(text, strlen(text), &arena);
    const hn_expression *expression;
    compiled +=
        hn_expression_compile(text, strlen(text), &names, &arena, &expression, NULL) == HN_OK;
    if (trial % 100 == 99) hn_arena_release(&arena);
  }
  assert_true(compiled > 500);                  // not all of it is nonsense
  for (int trial = 0; trial < 20000; trial++) { // any bytes
    char text[64];
    int length = hn_random_below(&random, 64);
    for (int i = 0; i < length; i++) text[i] = (char)hn_random_below(&random, 256);
    check_any_text(text, (size_t)length, &arena);
  }
  hn_arena_release(&arena);
}

static void failing_memory_is_told_and_nothing_leaks(void **state) {
  (void)state;
  hn_counting_memory memory = {.fail_at = 1};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  const hn_expression *expression;
  hn_error error;
  check_status(hn_expression_compile("x + v", 5, &names, &arena, &expression, &error),
               HN_ERROR_MEMORY);
  assert_null(expression);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_bind_as_the_reference_says),
      cmocka_unit_test(random_trees_with_fewest_parentheses_have_their_value),
      cmocka_unit_test(errors_give_column_expectation_and_nearest_word),
      cmocka_unit_test(columns_count_characters),
      cmocka_unit_test(a_variable_called_like_a_constant_is_refused),
      cmocka_unit_test(an_unknown_name_is_asked_for_only_where_it_ends_the_compilation),
      cmocka_unit_test(without_names_only_constants_are_known),
      cmocka_unit_test(nesting_beyond_the_limit_is_refused),
      cmocka_unit_test(nesting_within_the_limit_is_accepted),
      cmocka_unit_test(long_programs_are_refused_and_long_sums_accepted),
      cmocka_unit_test(more_different_names_than_the_limit_are_refused),
      cmocka_unit_test(random_text_never_does_harm),
      cmocka_unit_test(failing_memory_is_told_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
