// holon verify and holon compare: words, JSON, pages, exit codes, and a recommendation that keeps what
// it promises.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define SPRING HOLON_SOURCE_DIR "/tests/cli/spring.yaml"
#define MODELS HOLON_SOURCE_DIR "/models/"

static hn_command run_well(const char *words) {
  hn_command command = hn_run_holon("%s", words);
  if (command.code != 0) fail_msg("holon %s: %d\n%s", words, command.code, command.err);
  return command;
}

static void check_pages(const char *folder, const char *const *names) {
  for (int k = 0; names[k] != NULL; k++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/out/%s", folder, names[k]);
    char *text = hn_read_text(path);
    if (text == NULL) fail_msg("no file %s", path);
    if (strstr(names[k], ".json") != NULL) {
      assert_null(hn_json_fault(text));
    } else if (strstr(names[k], ".svg") != NULL) {
      assert_null(hn_xml_fault(text));
    } else {
      assert_non_null(strstr(text, "</html>"));
      const char *mark = "id=\"holon-page\">";
      char *data = strstr(text, mark), *end = data ? strstr(data, "</script>") : NULL;
      assert_non_null(end);
      *end = '\0';
      assert_null(hn_json_fault(data + strlen(mark)));
    }
    free(text);
  }
}

// ---- verify -------------------------------------------------------------------------------------

static void verify_agrees_and_says_so(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-verify");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" verify '%s' --time 0.5 -o out", SPRING);
  if (command.code != 0) fail_msg("%d: %s %s", command.code, command.out, command.err);
  check_names(command.out, "AGREE");
  hn_command_free(&command);
  static const char *const names[] = {"verify.json", "report.html", NULL};
  check_pages(folder, names);
}

static void verify_as_json_names_formulations_and_error_bars(void **state) {
  (void)state;
  hn_command command =
      run_well("verify " MODELS "four-bar.yaml --json --time 0.5 --most 3 --fixed 0");
  assert_null(hn_json_fault(command.out));
  char status[32];
  assert_true(hn_json_value(command.out, "status", status, sizeof status));
  assert_string_equal(status, "agree");
  assert_int_equal(hn_json_count(command.out, "formulations"), 3);
  assert_int_equal(hn_json_count(command.out, "pairs"), 3);
  assert_int_equal(hn_json_count(command.out, "signals"), 4);
  double spread = hn_json_number_in(command.out, "signals/0/spread");
  check_at_most(spread, hn_json_number_in(command.out, "signals/0/allowed"));
  check_near(hn_json_number_in(command.out, "until"), 0.5, 0);
  hn_command_free(&command);
}

// Words of `among` choose formulations; words without a match are reported.
static void among_takes_words_in_any_order_and_presets(void **state) {
  (void)state;
  hn_command command =
      run_well("verify " SPRING " --json --time 0.1 --among dopri5/relative,SspTrap --tol 1e-2");
  assert_int_equal(hn_json_count(command.out, "formulations"), 2); // a preset is one
  hn_command_free(&command);
  command = hn_run_holon("verify %s --among relatve", SPRING);
  assert_int_equal(command.code, 2);
  check_names(command.err, "'relative'");
  hn_command_free(&command);
  command = hn_run_holon("verify %s --among natural/SspTrap", SPRING);
  assert_int_equal(command.code, 2);
  hn_command_free(&command);
}

static void fixed_steps_have_a_bar_in_json(void **state) {
  (void)state;
  hn_command command = run_well("verify " SPRING " --json --time 0.5 --most 2 --fixed 1");
  assert_int_equal(hn_json_count(command.out, "formulations"), 3);
  assert_true(hn_json_number_in(command.out, "formulations/2/step") > 0);
  check_at_most(hn_json_number_in(command.out, "formulations/2/bar"), 10);
  hn_command_free(&command);
  command = hn_run_holon("verify %s --fixed -1", SPRING);
  assert_int_equal(command.code, 2);
  check_names(command.err, "0");
  hn_command_free(&command);
}

static void one_formulation_is_not_a_proof(void **state) {
  (void)state;
  hn_command command =
      hn_run_holon("verify %s --json --time 0.1 --among cartesian/first-order/dopri5", SPRING);
  assert_int_equal(command.code, 1);
  char status[32];
  assert_true(hn_json_value(command.out, "status", status, sizeof status));
  assert_string_equal(status, "undecided");
  assert_null(strstr(command.out, "\"spread\": 0"));
  hn_command_free(&command);
  command = hn_run_holon("verify %s --most 1", SPRING);
  assert_int_equal(command.code, 2);
  hn_command_free(&command);
}

// All but one are not supported for the same reason: the headline has it, and the list does not.
static void equal_refusals_take_one_line(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-verify-contact");
  hn_command command = hn_run_shell(
      folder, "printf 'bodies:\\n  ground: {shape: {plane: {}}}\\n"
              "  ball: {position: [0, 0, 1], shape: {sphere: 0.1}, mass: 1}\\n"
              "contacts: {floor: {bodies: [ball, ground]}}\\n"
              "outputs: {z: body.ball.position.z}\\nsimulation: {time: 0.1}\\n' >m.yaml; "
              "\"$HOLON\" verify m.yaml -o out "
              "--among cartesian/first-order/dopri5,components/sdirk2,components/sdirk4-16");
  assert_int_equal(command.code, 1);
  check_names(command.out, "UNDECIDED");
  assert_non_null(strstr(command.out, "Compare a smaller tolerance (docs/howto/"));
  const char *first = strstr(command.out, "rigid contact 'floor'");
  assert_non_null(first);
  assert_null(strstr(first + 1, "rigid contact 'floor'"));
  const char *line = strstr(command.out, "no vote: ");
  assert_non_null(line);
  assert_non_null(strstr(line, " others, for the same reason\n"));
  assert_null(strstr(line + 1, "no vote: "));
  hn_command_free(&command);
}

static void a_signal_nobody_has_is_told(void **state) {
  (void)state;
  hn_command command = hn_run_holon("verify %s --signals 'no.*' --time 1", SPRING);
  assert_int_equal(command.code, 2);
  check_names(command.err, "no.*");
  hn_command_free(&command);
}

// ---- compare ------------------------------------------------------------------------------------

static void compare_writes_a_drawing_a_page_and_json(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-compare");
  hn_command command =
      hn_run_shell(folder,
                   "\"$HOLON\" compare '%s' --time 0.5 -o out --among dopri5,relative/sdirk4-15 "
                   "--tol 1e-3,1e-5 --step 10ms,1ms",
                   SPRING);
  if (command.code != 0) fail_msg("%d: %s %s", command.code, command.out, command.err);
  assert_non_null(strstr(command.out, "holon run "));
  hn_command_free(&command);
  static const char *const names[] = {"compare.json", "compare.svg", "report.html", NULL};
  check_pages(folder, names);
}

static double final_value(const char *json, const char *output) {
  char path[64];
  snprintf(path, sizeof path, "final/%s", output);
  return hn_json_number_in(json, path);
}

// The recommended calls, typed again, keep their accuracy against a tight run in coordinates that
// none of them uses.
static void a_recommendation_keeps_its_promise(void **state) {
  (void)state;
  hn_command compared =
      run_well("compare " MODELS "cardenal/double-pendulum.yaml --json --time 2 --tol 1e-3,1e-5 "
               "--step 5ms,1ms --among dopri5,relative/first-order,descriptor/none");
  assert_null(hn_json_fault(compared.out));
  hn_command exact =
      run_well("run " MODELS "cardenal/double-pendulum.yaml --json --time 2 --tol 1e-11 "
               "--coordinates natural --formula adams");
  double x = final_value(exact.out, "tip.x"), y = final_value(exact.out, "tip.y");
  int kept = 0;
  for (int k = 0; k < hn_json_count(compared.out, "recommendations"); k++) {
    static const char *const kinds[] = {"run", "realtime"};
    for (int kind = 0; kind < 2; kind++) {
      char path[96], call[512];
      snprintf(path, sizeof path, "recommendations/%d/%s/command", k, kinds[kind]);
      if (!hn_json_value(compared.out, path, call, sizeof call)) continue;
      assert_int_equal(strncmp(call, "holon run ", 10), 0);
      assert_int_equal(strstr(call, " --realtime") != NULL, kind == 1);
      hn_command again = hn_run_holon("%s --json", call + 6);
      if (again.code != 0) fail_msg("%s: %s", call, again.err);
      snprintf(path, sizeof path, "recommendations/%d/accuracy", k);
      double allowed = 3 * hn_json_number_in(compared.out, path); // outputs are up to 2 m: 1 + 2
      check_near(final_value(again.out, "tip.x"), x, allowed);
      check_near(final_value(again.out, "tip.y"), y, allowed);
      hn_command_free(&again);
      kept++;
    }
  }
  assert_true(kept >= 2);
  hn_command_free(&exact);
  hn_command_free(&compared);
}

static void runs_without_a_result_give_their_reason(void **state) {
  (void)state;
  hn_command command =
      run_well("compare " SPRING " --json --time 0.2 --tol 1e-4 --step 1ms --among adams,dopri5");
  int reasons = 0;
  for (int k = 0; k < hn_json_count(command.out, "runs"); k++) {
    char path[64], status[32], reason[256];
    snprintf(path, sizeof path, "runs/%d/status", k);
    assert_true(hn_json_value(command.out, path, status, sizeof status));
    snprintf(path, sizeof path, "runs/%d/reason", k);
    int has_reason = hn_json_value(command.out, path, reason, sizeof reason);
    assert_int_equal(has_reason, strcmp(status, "ok") != 0);
    reasons += has_reason && reason[0] != '\0';
  }
  assert_true(reasons > 0); // adams
  hn_command_free(&command);
}

// `auto` runs in addition to them, and takes what was not asked for.
static void recommendations_stay_among_what_was_asked_for(void **state) {
  (void)state;
  hn_command command =
      run_well("compare " SPRING " --json --time 0.2 --tol 1e-4,1e-6 --step 2ms,1ms "
               "--among augmented-lagrangian-3");
  int found = 0;
  for (int k = 0; k < hn_json_count(command.out, "recommendations"); k++) {
    char path[64], method[64];
    snprintf(path, sizeof path, "recommendations/%d/run/method", k);
    if (!hn_json_value(command.out, path, method, sizeof method)) continue;
    assert_string_equal(method, "augmented-lagrangian-3");
    found++;
  }
  assert_true(found > 0);
  hn_command_free(&command);
}

static int words_differ(const char *json, const char *one, const char *other, int word) {
  char a[160], b[160];
  assert_true(hn_json_value(json, one, a, sizeof a));
  assert_true(hn_json_value(json, other, b, sizeof b));
  char *x = a, *y = b;
  for (int k = 0; k < word; k++) {
    x = strchr(x, '/') + 1;
    y = strchr(y, '/') + 1;
  }
  x[strcspn(x, "/")] = y[strcspn(y, "/")] = '\0';
  return strcmp(x, y) != 0;
}

// The run that confirms the reference has another formula, and no run gets a smaller error than
// their difference.
static void the_reference_is_confirmed_by_another_formula(void **state) {
  (void)state;
  hn_command command = run_well("compare " MODELS "four-bar.yaml --json --time 0.5 --tol 1e-4,1e-6 "
                                "--among dopri5");
  assert_true(words_differ(command.out, "reference/formulation", "reference/confirmed_by", 2));
  double least = hn_json_number_in(command.out, "reference/uncertainty");
  assert_true(least > 0);
  int fronts = 0;
  for (int k = 0; k < hn_json_count(command.out, "runs"); k++) {
    char path[64], status[32];
    snprintf(path, sizeof path, "runs/%d/status", k);
    assert_true(hn_json_value(command.out, path, status, sizeof status));
    if (strcmp(status, "ok") != 0) continue;
    snprintf(path, sizeof path, "runs/%d/error", k);
    assert_true(hn_json_number_in(command.out, path) >= least);
    fronts++;
  }
  assert_true(fronts > 2);
  hn_command_free(&command);
}

static void numbers_that_are_none_are_refused(void **state) {
  (void)state;
  hn_command command = hn_run_holon("compare %s --tol 1e-3,x", SPRING);
  assert_int_equal(command.code, 2);
  check_names(command.err, "'x'");
  hn_command_free(&command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verify_agrees_and_says_so),
      cmocka_unit_test(verify_as_json_names_formulations_and_error_bars),
      cmocka_unit_test(among_takes_words_in_any_order_and_presets),
      cmocka_unit_test(fixed_steps_have_a_bar_in_json),
      cmocka_unit_test(one_formulation_is_not_a_proof),
      cmocka_unit_test(equal_refusals_take_one_line),
      cmocka_unit_test(a_signal_nobody_has_is_told),
      cmocka_unit_test(compare_writes_a_drawing_a_page_and_json),
      cmocka_unit_test(a_recommendation_keeps_its_promise),
      cmocka_unit_test(runs_without_a_result_give_their_reason),
      cmocka_unit_test(recommendations_stay_among_what_was_asked_for),
      cmocka_unit_test(the_reference_is_confirmed_by_another_formula),
      cmocka_unit_test(numbers_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
