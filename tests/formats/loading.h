// Loading models from text within tests.
#ifndef HN_TESTS_FORMATS_LOADING_H
#define HN_TESTS_FORMATS_LOADING_H

#include <stdio.h>
#include <string.h>

#include "holon/load.h"
#include "model/model.h"
#include "support/check.h"

#define LOADING_FILE "tests/formats/files/main.yaml" // components are looked up next to it

static inline hn_model *load_with(const char *text, const hn_load_options *options) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), LOADING_FILE, options, &model, &error)) {
    char all[2600];
    hn_error_format(&error, all, sizeof all);
    fail_msg("%s", all);
  }
  return model;
}

static inline hn_model *load_text(const char *text) { return load_with(text, NULL); }

// Loading fails with a message that has `part` in it (element, message or hint) and a line.
static inline void refuse_with(const char *text, const hn_load_options *options, int line,
                               const char *part) {
  hn_model *model = (hn_model *)1;
  hn_error error = {0};
  hn_status status = hn_model_load_text(text, strlen(text), LOADING_FILE, options, &model, &error);
  char all[2600];
  hn_error_format(&error, all, sizeof all);
  if (!status) fail_msg("accepted: %.200s", text);
  check_names(all, part);
  assert_int_equal(error.line, line);
  assert_null(model);
  assert_true(error.column > 0);
}

static inline void refuse_text(const char *text, int line, const char *part) {
  refuse_with(text, NULL, line, part);
}

#define check_vec3(actual, a, b, c, tolerance)                                                     \
  check_near_many(&(actual).x, ((const double[]){a, b, c}), 3, tolerance)

#endif
