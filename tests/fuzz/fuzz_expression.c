// Formulas: compiled and evaluated with all their derivatives, or rejected with a reason.
#include "target.h"

#include "math/expression.h"

static const char *const words[] = {"x", "y", "z", "t", "body.a.vx"};

static int find(const void *context, const char *name, size_t length) {
  (void)context;
  for (int k = 0; k < 5; k++)
    if (strlen(words[k]) == length && memcmp(words[k], name, length) == 0) return k;
  return -1;
}

static void evaluate(const hn_expression *expression) {
  const double values[5] = {0.3, -1.5, 0, 2, 1e300};
  double gradient[512], derivatives[4];
  double series[5][4] = {{0.3, 1, 0, 0}, {-1.5, 0, 1, 0}, {0}, {2, 1, 0, 0}, {1e300, 0, 0, 0}};
  volatile double value = hn_expression_evaluate(expression, values);
  (void)value;
  hn_expression_evaluate_gradient(expression, NULL, values, gradient);
  hn_expression_evaluate_series(expression, series, derivatives);
  const unsigned decisions = hn_expression_decide(expression, values);
  hn_expression_evaluate_gradient(expression, &decisions, values, gradient);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const hn_expression_names names = {.find = find, .words = words, .word_count = 5};
  const hn_expression *expression = NULL;
  hn_error error = {0};
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  char *exact = malloc(size ? size : 1); // no byte behind it
  PROMISE(exact != NULL);
  memcpy(exact, data, size);
  hn_status status = hn_expression_compile(exact, size, &names, &arena, &expression, &error);
  PROMISE_OUTCOME(status, expression, error);
  if (expression) evaluate(expression);
  free(exact);
  hn_arena_release(&arena);
  return 0;
}
