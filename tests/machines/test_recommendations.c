// holon compare on the vehicle it was made for: the calls it recommends for the Iltis, typed again, keep
// the accuracy they were recommended for. Judged over the whole motion, against a tight run by another
// method in coordinates that take no part in the comparison; short and among a few methods, so that
// it takes seconds.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define ILTIS "models/iltis/iltis.yaml"
#define TIME "1.5" // the front wheels are on the ramp

static const char *const outputs[] = {"chassis.x", "chassis.z", "chassis.pitch", "chassis.az",
                                      "tyre.fl",   "tyre.fr",   "tyre.rl",       "tyre.rr"};
enum {
  OUTPUTS = sizeof outputs / sizeof outputs[0],
  ROWS = 151
}; // every 10 ms, as the file has it

typedef struct motion {
  double value[OUTPUTS][ROWS];
} motion;

// Column of a name in the head line of a table, or -1.
static int find_column(const char *head, const char *name) {
  size_t length = strlen(name);
  for (int column = 0; head; column++) {
    if (strncmp(head, name, length) == 0 && strchr(",\r\n", head[length])) return column;
    const char *comma = strpbrk(head, ",\n");
    head = comma && *comma == ',' ? comma + 1 : NULL;
  }
  return -1;
}

static const char *next_line(const char *text) {
  const char *end = strchr(text, '\n');
  return end ? end + 1 : "";
}

static double number_at(const char *line, int column) {
  while (column-- > 0) line = strchr(line, ',') + 1;
  return strtod(line, NULL);
}

// The head, a line of units, then a line for each time.
static void read_motion(const char *path, motion *out) {
  char *text = hn_read_text(path);
  assert_non_null(text);
  for (int k = 0; k < OUTPUTS; k++) {
    int column = find_column(text, outputs[k]);
    if (column < 0) fail_msg("%s: no column %s", path, outputs[k]);
    const char *line = next_line(next_line(text));
    for (int row = 0; row < ROWS; row++, line = next_line(line)) {
      check_near(number_at(line, 0), 0.01 * row, 1e-9);
      out->value[k][row] = number_at(line, column);
    }
    assert_int_equal(*line, 0);
  }
  free(text);
}

static void run_motion(const char *words, motion *out) {
  char path[1024];
  const char *folder = hn_fresh_folder("recommended");
  hn_command command = hn_run_holon("%s --format csv --quiet -o '%s'", words, folder);
  if (command.code != 0) fail_msg("%s: %s", words, command.err);
  hn_command_free(&command);
  snprintf(path, sizeof path, "%s/results.csv", folder);
  read_motion(path, out);
}

// As compare has it: the largest difference over 1 + the largest value, of the worst output.
static double error_of(const motion *a, const motion *exact, const char **worst) {
  double most = 0;
  for (int k = 0; k < OUTPUTS; k++) {
    double difference = 0, size = 0;
    for (int row = 0; row < ROWS; row++) {
      difference = fmax(difference, fabs(a->value[k][row] - exact->value[k][row]));
      size = fmax(size, fabs(exact->value[k][row]));
    }
    if (difference / (1 + size) >= most) {
      most = difference / (1 + size);
      *worst = outputs[k];
    }
  }
  return most;
}

static void recommendations_for_the_iltis_keep_their_promise(void **state) {
  (void)state;
  static motion exact, again;
  hn_command compared =
      hn_run_holon("compare " ILTIS " --quick --json --time " TIME " --step 2ms,1ms --among "
                   "relative/first-order,cartesian/descriptor,relative/augmented-lagrangian-3");
  if (compared.code != 0) fail_msg("compare: %s", compared.err);
  assert_null(hn_json_fault(compared.out));
  run_motion("run " ILTIS " --time " TIME
             " --coordinates natural --method first-order --formula adams --tol 1e-9",
             &exact);
  int kept[2] = {0};
  for (int k = 0; k < hn_json_count(compared.out, "recommendations"); k++) {
    static const char *const kinds[2] = {"run", "realtime"};
    for (int kind = 0; kind < 2; kind++) {
      char path[96], call[512];
      const char *worst = "";
      snprintf(path, sizeof path, "recommendations/%d/%s/command", k, kinds[kind]);
      if (!hn_json_value(compared.out, path, call, sizeof call)) continue;
      assert_int_equal(strncmp(call, "holon run ", 10), 0);
      assert_int_equal(strstr(call, " --realtime") != NULL, kind == 1);
      run_motion(call + 6, &again);
      snprintf(path, sizeof path, "recommendations/%d/accuracy", k);
      double accuracy = hn_json_number_in(compared.out, path);
      double error = error_of(&again, &exact, &worst);
      // at the instants of compare; the two references differ a little
      if (!(error <= 1.01 * accuracy)) fail_msg("%s: %g in %s", call, error, worst);
      kept[kind]++;
    }
  }
  // the number of accuracies in the time, and the steps that keep up with the clock, depend on the
  // model
  assert_true(kept[0] >= 1);
  assert_true(kept[1] >= 1);
  hn_command_free(&compared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recommendations_for_the_iltis_keep_their_promise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
