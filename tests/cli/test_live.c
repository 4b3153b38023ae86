// holon live, and holon view --live: the model with all its files in a page, for this computer only.
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

static const char *folder;

static int make_model(void **state) {
  (void)state;
  folder = hn_fresh_folder("cli-live");
  hn_command command = hn_run_shell(
      folder,
      "mkdir -p car parts && cd car &&\n"
      "printf 'parameters: {k: 2 kN/m}\\ncomponents:\\n  a: {use: ../parts/spring.yaml}\\n"
      "bodies: {bob: {mass: 1, inertia: [1, 1, 1]}}\\n"
      "joints: {rail: {type: translational, bodies: [ground, bob], at: [0, 0, 0], axis: z}}\\n' "
      ">car.yaml &&\n"
      "printf 'bodies: {nut: {mass: 2, inertia: [1, 1, 1]}}\\n' >../parts/spring.yaml &&\n"
      "printf 'bodies: {bob: {mass: 3}}\\n' >heavy.yaml &&\n"
      "printf 'bodies: {bob: {mas: 1, inertia: [1, 1, 1]}}\\n' >wrong.yaml\n");
  int code = command.code;
  hn_command_free(&command);
  return code;
}

static void expect(const char *line, int code, const char *piece) {
  hn_command command = hn_run_shell(folder, "%s", line);
  if (command.code != code) fail_msg("%s: %d %s", line, command.code, command.err);
  check_names(command.err[0] ? command.err : command.out, piece);
  hn_command_free(&command);
}

// The text of an element of the page, to be freed.
static char *element_of(const char *page, const char *id) {
  char begin[64];
  snprintf(begin, sizeof begin, "id=\"%s\">", id);
  const char *at = strstr(page, begin);
  if (at == NULL) fail_msg("no element %s", id);
  at += strlen(begin);
  const size_t length = (size_t)(strstr(at, "</script>") - at);
  char *text = malloc(length + 1);
  memcpy(text, at, length);
  text[length] = '\0';
  return text;
}

static char *read_page(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *page = hn_read_text(path);
  if (page == NULL) fail_msg("no file %s", path);
  return page;
}

static void a_page_has_the_model_and_every_file_it_reads(void **state) {
  (void)state;
  expect("\"$HOLON\" view car/car.yaml --live --html car.html", 0, "car.html");
  char *page = read_page("car.html"), *model = element_of(page, "holon-live");
  char value[512];
  if (hn_json_fault(model) != NULL) fail_msg("%s in %s", hn_json_fault(model), model);
  // relative to the folder above both
  assert_true(hn_json_value(model, "name", value, sizeof value));
  assert_string_equal(value, "car/car.yaml");
  assert_true(hn_json_value(model, "files/0/name", value, sizeof value));
  assert_string_equal(value, "parts/spring.yaml");
  assert_true(hn_json_value(model, "files/0/text", value, sizeof value));
  check_names(value, "nut");
  free(model);
  // the engine is gzipped: 1f 8b in base64
  char *engine = element_of(page, "holon-engine"), *worker = element_of(page, "holon-worker");
  assert_memory_equal(engine, "H4sI", 4);
  assert_true(strlen(engine) < 4 * 1300000 / 3);
  assert_true(strlen(worker) > 10000);
  free(engine);
  free(worker);
  free(page);
}

static void a_model_that_is_wrong_is_told_with_its_line(void **state) {
  (void)state;
  expect("\"$HOLON\" live car/wrong.yaml --no-open", 2, "car/wrong.yaml:1:");
  expect("\"$HOLON\" view car/wrong.yaml --live --html wrong.html; test ! -e wrong.html", 0, "mas");
  expect("\"$HOLON\" live nothing.yaml --no-open", 2, "nothing.yaml");
}

static void a_page_of_a_run_has_its_model_as_long_as_it_is_there(void **state) {
  (void)state;
  expect("\"$HOLON\" run car/car.yaml --with car/heavy.yaml --set 'k=3 kN/m' --tol 1e-5 --time 0.1 "
         "--quiet -o out",
         0, "");
  expect("\"$HOLON\" view out --live --html run.html", 0, "run.html");
  char *page = read_page("run.html"), *model = element_of(page, "holon-live");
  char *scene = element_of(page, "holon-scene"), value[256];
  assert_true(hn_json_value(model, "name", value, sizeof value));
  assert_string_equal(value, "car/car.yaml");
  assert_true(hn_json_value(model, "overlays/0", value, sizeof value));
  assert_string_equal(value, "car/heavy.yaml");
  assert_true(hn_json_value(model, "settings/0", value, sizeof value));
  assert_string_equal(value, "k=3 kN/m");
  check_near(hn_json_number_in(model, "options/tol"), 1e-5, 0);
  free(scene);
  free(model);
  free(page);
  expect("mv car gone; \"$HOLON\" view out --live --html run.html; echo $?; mv gone car", 0,
         "'out'");
  expect(
      "echo '{\"path\": 3, \"options\": [1]}' >out/model.json; \"$HOLON\" view out --live --html "
      "run.html",
      1, "'out'");
}

static void calls_that_cannot_be_meant_are_refused(void **state) {
  (void)state;
  expect("\"$HOLON\" live", 2, "MODEL");
  expect("\"$HOLON\" live car/car.yaml --port 70000", 2, "65535");
  expect("\"$HOLON\" view car/car.yaml --live", 2, "--html");
  expect("\"$HOLON\" view car/car.yaml --live --html a.html --png a.png", 2, "--live");
}

static const char serving[] =
    "timeout --foreground -s INT 60 \"$HOLON\" live car/car.yaml --with car/heavy.yaml --set k=3 "
    "--step 0.01 --no-open >address 2>/dev/null &\n"
    "server=$!\n"
    "for k in $(seq 200); do [ -s address ] && break; sleep 0.05; done\n"
    "read -r url <address\n"
    "echo \"$url\" | sed 's,:[0-9][0-9]*/.*,,'\n"
    "python3 - \"$url\" <<'END'\n"
    "import sys, urllib.request, urllib.error\n"
    "url = sys.argv[1]\n"
    "open('served.html', 'wb').write(urllib.request.urlopen(url).read())\n"
    "try:\n"
    "    urllib.request.urlopen(url.rsplit('/', 2)[0] + '/')\n"
    "    print('without the secret')\n"
    "except urllib.error.HTTPError as error:\n"
    "    print(error.code)\n"
    "END\n"
    "kill -INT $server\n"
    "wait $server; echo \"code $?\"\n";

static void the_page_is_served_with_what_the_call_says(void **state) {
  (void)state;
  hn_command command = hn_run_shell(folder, "%s", serving);
  assert_string_equal(command.out, "http://127.0.0.1\n404\ncode 0\n");
  hn_command_free(&command);
  char *page = read_page("served.html"), *model = element_of(page, "holon-live");
  char value[256];
  assert_true(hn_json_value(model, "overlays/0", value, sizeof value));
  assert_string_equal(value, "car/heavy.yaml");
  assert_true(hn_json_value(model, "settings/0", value, sizeof value));
  assert_string_equal(value, "k=3");
  check_near(hn_json_number_in(model, "options/step"), 0.01, 0);
  assert_false(hn_json_value(model, "options/tol", value, sizeof value));
  free(model);
  free(page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_page_has_the_model_and_every_file_it_reads),
      cmocka_unit_test(a_model_that_is_wrong_is_told_with_its_line),
      cmocka_unit_test(a_page_of_a_run_has_its_model_as_long_as_it_is_there),
      cmocka_unit_test(calls_that_cannot_be_meant_are_refused),
      cmocka_unit_test(the_page_is_served_with_what_the_call_says),
  };
  return cmocka_run_group_tests(tests, make_model, NULL);
}
