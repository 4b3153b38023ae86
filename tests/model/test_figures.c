// `figures:` that a program adds: what they lack is rejected by name.
#include <math.h>

#include "holon/figures.h"
#include "holon/model.h"
#include "support/check.h"

static hn_status add(const hn_figure_def *def) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  const hn_status status = hn_model_add_figure(model, def);
  assert_int_equal(hn_model_figure_count(model), status == HN_OK);
  if (status != HN_OK) check_names(hn_model_error(model)->element, "'f'");
  if (status != HN_OK) assert_true(hn_model_error(model)->hint[0] != '\0');
  hn_model_free(model);
  return status;
}

static void figures_that_lack_something_are_refused(void **state) {
  (void)state;
  const hn_figure_def good[] = {
      {.name = "f", .take = HN_FIGURE_MEAN, .of = "x", .from = 1, .to = 2},
      {.name = "f", .take = HN_FIGURE_REACHED, .of = "x", .over = "y", .level = -3},
      {.name = "f", .take = HN_FIGURE_RISE_TIME, .of = "x", .level = 1},
      {.name = "f", .take = HN_FIGURE_SLOPE, .of = "x", .over = "y", .has_range = 1, .over_to = 1}};
  const hn_figure_def bad[] = {
      {.name = "f", .take = HN_FIGURE_MEAN, .of = "x", .from = NAN},
      {.name = "f", .take = HN_FIGURE_MEAN, .of = "x", .to = HUGE_VAL},
      {.name = "f", .take = HN_FIGURE_MEAN, .of = "x", .to = -1},
      {.name = "f", .take = HN_FIGURE_MEAN, .of = "x", .from = 2, .to = 2},
      {.name = "f", .take = HN_FIGURE_REACHED, .of = "x", .level = 1},
      {.name = "f", .take = HN_FIGURE_REACHED, .of = "x", .over = "y", .level = NAN},
      {.name = "f", .take = HN_FIGURE_RISE_TIME, .of = "x", .level = 1.01},
      {.name = "f", .take = HN_FIGURE_RISE_TIME, .of = "x", .level = -0.1},
      {.name = "f", .take = HN_FIGURE_MEAN, .of = "x", .over = "y", .has_range = 1, .over_to = 1},
      {.name = "f", .take = HN_FIGURE_SLOPE, .of = "x", .has_range = 1, .over_to = 1},
      {.name = "f", .take = HN_FIGURE_SLOPE, .of = "x", .over = "y", .has_range = 1},
      {.name = "f", .take = HN_FIGURE_MEAN},
      {.name = "f", .take = HN_FIGURE_KINDS, .of = "x"}};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) check_ok(add(&good[k]));
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    if (add(&bad[k]) != HN_ERROR_MODEL) fail_msg("case %zu", k);
  check_status(hn_model_add_figure(NULL, &good[0]), HN_ERROR_ARGUMENT);
}

static void there_are_so_many_and_no_more(void **state) {
  (void)state;
  const hn_figure_def def = {.name = "f", .take = HN_FIGURE_LAST, .of = "x"};
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_add_figure(model, &def));
  assert_string_equal(hn_model_figure(model, 0)->of, "x");
  assert_null(hn_model_figure(model, 1));
  assert_null(hn_model_figure(model, -1));
  assert_null(hn_figure_kind_name(HN_FIGURE_KINDS));
  assert_string_equal(hn_figure_kind_name(HN_FIGURE_RISE_TIME), "rise-time");
  assert_true(hn_model_finish(model) < 0); // there is no output x
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_that_lack_something_are_refused),
      cmocka_unit_test(there_are_so_many_and_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
