// holon view and holon export: files of a run over HTTP, as a page, as glTF; folders that are no
// runs.
#define _GNU_SOURCE // strcasestr
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define MODEL HOLON_SOURCE_DIR "/tests/cli/spring.yaml"

static const char *folder;

static int make_run(void **state) {
  (void)state;
  folder = hn_fresh_folder("cli-view");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run '%s' --quiet -o out", MODEL);
  int code = command.code;
  hn_command_free(&command);
  return code;
}

static char *read_in_folder(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = hn_read_text(path);
  if (text == NULL) fail_msg("no file %s", path);
  return text;
}

// In the folder; the exit code and a piece of what it printed on either.
static void expect(const char *line, int code, const char *piece) {
  hn_command command = hn_run_shell(folder, "%s", line);
  if (command.code != code) fail_msg("%s: %d %s", line, command.code, command.err);
  check_names(command.err[0] ? command.err : command.out, piece);
  hn_command_free(&command);
}

// ---- the files of a run -------------------------------------------------------------------------

static void a_run_writes_a_scene(void **state) {
  (void)state;
  char *scene = read_in_folder("out/scene.json");
  const char *fault = hn_json_fault(scene);
  if (fault != NULL) fail_msg("scene.json: %s", fault);
  char value[128];
  assert_true(hn_json_value(scene, "status", value, sizeof value));
  assert_string_equal(value, "ok");
  check_near(hn_json_number_in(scene, "format"), 1, 0);
  check_near(hn_json_number_in(scene, "motion/first"), 0, 0);
  check_near(hn_json_number_in(scene, "motion/last"), 1, 0);
  double frames = hn_json_number_in(scene, "motion/frames");
  double stride = hn_json_number_in(scene, "motion/stride");
  assert_true(frames >= 300);
  free(scene);
  char line[128];
  snprintf(line, sizeof line, "wc -c <out/motion.bin | grep -x ' *%.0f'", 4 * frames * stride);
  expect(line, 0, "");
}

static void the_scene_changes_no_result(void **state) {
  (void)state;
  expect("\"$HOLON\" run '" MODEL "' --quiet --no-scene -o plain", 0, "");
  expect("ls plain; grep state_hash out/certificate.json plain/certificate.json | cut -d: -f2- | "
         "sort -u | wc -l | grep -x ' *1'",
         0, "results.h5");
  expect("test ! -e plain/scene.json && test ! -e plain/motion.bin", 0, "");
  expect("cmp out/results.h5 plain/results.h5", 0, "");
}

static void a_run_that_fails_has_a_scene_too(void **state) {
  (void)state;
  expect("cat >fails.yaml <<'EOF'\n"
         "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
         "joints: {j: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"
         "forces: {f: {type: joint-spring-damper, joint: j, law: -1/(0.5 - t)^2}}\n"
         "simulation: {time: 1}\n"
         "EOF\n"
         "\"$HOLON\" run fails.yaml --quiet -o failed",
         1, "");
  char *scene = read_in_folder("failed/scene.json");
  char value[512];
  assert_null(hn_json_fault(scene));
  assert_true(hn_json_value(scene, "status", value, sizeof value));
  assert_string_equal(value, "failed");
  assert_true(hn_json_value(scene, "message", value, sizeof value));
  assert_true(value[0] != '\0');
  assert_true(hn_json_number_in(scene, "motion/frames") > 1);
  assert_true(hn_json_number_in(scene, "motion/last") < 0.6);
  free(scene);
  expect("\"$HOLON\" export failed --gltf failed.glb", 0, "failed.glb");
}

// ---- page and server ----------------------------------------------------------------------------

static void a_page_holds_everything(void **state) {
  (void)state;
  expect("\"$HOLON\" view out --against plain2 --html x.html", 2, "'plain2'");
  expect("\"$HOLON\" view out --against out/results.h5 --html run.html", 0, "run.html"); // as plot
  expect("\"$HOLON\" plot out x --against out -o same.svg", 0, "0");
  expect("\"$HOLON\" view out out --against out --html x.html", 2, "--against");
  expect("\"$HOLON\" view out out --html run.html", 0, "run.html");
  char *page = read_in_folder("run.html");
  static const char *const ids[] = {"holon-scene",         "holon-motion",
                                    "holon-signals",       "holon-certificate",
                                    "holon-against-scene", "holon-against-motion"};
  for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++) {
    char element[64];
    snprintf(element, sizeof element, "id=\"%s\">", ids[k]);
    assert_non_null(strstr(page, element));
  }
  assert_null(strstr(page, "<!--holon-data-->"));
  assert_null(strstr(page, "src=\"http"));
  free(page);
}

// A client in a few lines of the shell, so that no other program is needed.
static const char serving[] =
    "rm -f address\n"
    "timeout --foreground -s INT 60 \"$HOLON\" view out --no-open >address 2>/dev/null &\n"
    "server=$!\n"
    "for k in $(seq 100); do grep -q http address && break; sleep 0.1; done\n"
    "export port=$(sed 's,.*:\\([0-9]*\\)/.*,\\1,' address)\n"
    "export token=$(sed 's,.*:[0-9]*/\\([0-9a-f]*\\)/.*,\\1,' address)\n"
    "echo \"digits ${#token}\"\n"
    "cat >ask.sh <<'EOF'\n"
    "ask() {\n"
    "  exec 3<>/dev/tcp/127.0.0.1/$port\n"
    "  printf '%s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' \"$1\" \"$2\" >&3\n"
    "  printf '<%s %s> ' \"$1\" \"$2\" | sed \"s,/$token,,\"; head -c 3000 <&3 | tr -d '\\0' | tr "
    "'\\r\\n' '  '; echo\n"
    "  exec 3>&-\n"
    "}\n"
    "for k in $(seq 80); do exec {idle}<>/dev/tcp/127.0.0.1/$port; done\n" // they do not block
                                                                           // others
    "ask \"GET /$token/\" localhost\n"
    "ask \"GET /$token/scene.json\" 127.0.0.1\n"
    "ask \"HEAD /$token/motion.bin\" 127.0.0.1:$port\n"
    "ask \"GET /$token/signals.json\" 127.0.0.1\n"
    "ask \"GET /$token/../certificate.json\" 127.0.0.1\n"
    "ask \"GET /$token/results.h5\" 127.0.0.1\n"
    "ask 'GET /scene.json?a=1' example.org\n"
    "ask \"GET /$token/signals.json\" $'127.0.0.1\\r\\nHost: example.org'\n"
    "ask \"GET /$token/signals.json\" $'127.0.0.1\\r\\nHost : example.org'\n"
    "ask 'GET /' 127.0.0.1\n"
    "ask 'GET /scene.json' localhost\n"
    "ask \"GET /${token%?}0/scene.json\" localhost\n"
    "ask 'POST /' 127.0.0.1\n"
    "ask 'nonsense' 127.0.0.1\n"
    "EOF\n"
    "bash ask.sh\n"
    "kill -INT $server\n"
    "wait $server; echo \"code $?\"\n";

static void only_known_paths_are_served_and_only_here(void **state) {
  (void)state;
  static const char *const expected[][2] = {
      {"<GET / localhost> HTTP/1.1 200 OK", "<!doctype html"},
      {"<GET /scene.json 127.0.0.1> HTTP/1.1 200 OK", "\"format\": 1"},
      {"<HEAD /motion.bin 127.0.0.1:", "HTTP/1.1 200 OK  Content-Type: application/octet-stream"},
      {"<GET /signals.json 127.0.0.1> HTTP/1.1 200 OK", "energy.total"},
      {"<GET /../certificate.json 127.0.0.1> HTTP/1.1 404", "Not Found"},
      {"<GET /results.h5 127.0.0.1> HTTP/1.1 404", "Not Found"},
      {"<GET / 127.0.0.1> HTTP/1.1 404", "Not Found"}, // without the secret
      {"<GET /scene.json localhost> HTTP/1.1 404", "Not Found"},
      {"digits 32", "digits 32"},
      {"<GET /scene.json?a=1 example.org> HTTP/1.1 403", "Forbidden"},
      {"Host: example.org> HTTP/1.1 403", "Forbidden"},
      {"Host : example.org> HTTP/1.1 403", "Forbidden"},
      {"<POST / 127.0.0.1> HTTP/1.1 405", "Method Not Allowed"},
      {"<nonsense 127.0.0.1> HTTP/1.1 400", "Bad Request"}};
  hn_command command = hn_run_shell(folder, "%s", serving);
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    char *line = strstr(command.out, expected[k][0]), *end = line ? strchr(line, '\n') : NULL;
    if (end == NULL) fail_msg("no '%s' in '%s%s'", expected[k][0], command.out, command.err);
    *end = '\0';
    if (strcasestr(line, expected[k][1]) == NULL) fail_msg("no '%s' in '%s'", expected[k][1], line);
    *end = '\n';
  }
  hn_command_free(&command);
}

// Many bodies and frames: the report shows fewer of them, the files have all.
static void a_report_of_many_bodies_stays_small(void **state) {
  (void)state;
  expect("\"$HOLON\" run '" HOLON_SOURCE_DIR
         "/models/negrut/chain.yaml' --set N=120 --time 0.02 --quiet -o chain",
         0, "");
  char *report = read_in_folder("chain/report.html");
  assert_true(strlen(report) < 4000000);
  const char *scene = strstr(report, "\\\"frames\\\": ");
  assert_non_null(scene);
  int shown = atoi(scene + strlen("\\\"frames\\\": "));
  char *whole = read_in_folder("chain/scene.json");
  double frames = hn_json_number_in(whole, "motion/frames");
  assert_true(shown > 1 && shown < frames);
  free(whole);
  free(report);
}

// 64 MB at most, and 60 frames at least: 4000 bodies and joints, 160 kB a frame, 400 frames of 500.
static void a_film_of_a_large_machine_has_fewer_frames(void **state) {
  (void)state;
  expect("cat >long.yaml <<'END'\n"
         "bodies:\n"
         "  link{i}: {repeat: {i: [1, 4000]}, mass: 1, center: [i, 0, 0], inertia: [1, 1, 1]}\n"
         "joints:\n"
         "  pin{i}: {repeat: {i: [1, 4000]}, type: revolute, bodies: [ground, 'link{i}'],"
         " at: [i, 0, 0], axis: z}\n"
         "END\n"
         "\"$HOLON\" run long.yaml --time 1 --output-step 0.002 --step 0.5 --signals 'energy.*' "
         "--quiet "
         "--format npz -o long",
         0, "");
  char *scene = read_in_folder("long/scene.json");
  double frames = hn_json_number_in(scene, "motion/frames");
  double stride = hn_json_number_in(scene, "motion/stride");
  check_near(stride, 1 + 10 * 4000, 0);
  assert_true(frames >= 60 && 4 * frames * stride <= 64e6);
  check_near(hn_json_number_in(scene, "motion/last"), 1, 0);
  free(scene);
}

// ---- other folders ------------------------------------------------------------------------------

static void folders_that_are_no_runs_are_told(void **state) {
  (void)state;
  expect("\"$HOLON\" view nowhere --html x.html", 2, "'nowhere'");
  expect("mkdir -p empty; \"$HOLON\" view empty --html x.html", 2, "scene.json");
  expect("\"$HOLON\" export out/scene.json --gltf x.glb", 2, "'out/scene.json'");
  expect("rm -rf part; cp -r out part; head -c 300 out/scene.json >part/scene.json; "
         "\"$HOLON\" view part --html x.html",
         2, "part/scene.json:");
  expect("rm -rf part; cp -r out part; rm part/motion.bin; \"$HOLON\" view part --html x.html", 2,
         "part/motion.bin");
  expect("rm -rf part; cp -r out part; head -c 1001 out/motion.bin >part/motion.bin; "
         "\"$HOLON\" view part --html x.html",
         0, "motion.bin");
  expect("rm -rf part; cp -r out part; sed 's/\"format\": 1/\"format\": 2/' out/scene.json "
         ">part/scene.json; \"$HOLON\" view part --html x.html",
         2, "2");
}

static void calls_that_cannot_be_meant_are_refused(void **state) {
  (void)state;
  expect("\"$HOLON\" view out --time 1", 2, "--time --png");
  expect("\"$HOLON\" view out --size 100x100", 2, "--png --gif --mp4");
  expect("\"$HOLON\" view out --speed 2", 2, "--gif --mp4");
  expect("\"$HOLON\" view out --gif x.gif --fps 500", 2, "120");
  expect("\"$HOLON\" view out --gif x.gif --speed 1e-6", 1, "--speed --fps");
  expect("\"$HOLON\" view out --png x.png --size 10", 2, "WIDTHxHEIGHT");
  expect("\"$HOLON\" view out --png x.png --time 7", 2, "0 1");
  expect("\"$HOLON\" view out --png x.png --view left", 2, "'left' `holon view --help`");
  expect("\"$HOLON\" view out --port 99999", 2, "65535");
  expect("\"$HOLON\" export out", 2, "--gltf FILE");
  expect("\"$HOLON\" export out --gltf x.obj", 2, ".gltf .glb");
}

// ---- pictures and films -------------------------------------------------------------------------

static void a_picture_needs_no_other_program(void **state) {
  (void)state;
  expect(
      "PATH=/usr/bin:/bin HOLON_CHROMIUM=/nowhere \"$HOLON\" view out --png a.png --size 320x200 "
      "--time 0.5 --view side; head -c 24 a.png | od -An -tx1 | tr -d ' \\n'",
      0, "89504e470d0a1a0a0000000d4948445200000140000000c8");
}

static void a_film_has_its_frames(void **state) {
  (void)state;
  // one second at half its speed and ten frames a second: 21 frames
  expect("\"$HOLON\" view out --gif a.gif --size 64x48 --speed 0.5 --fps 10; head -c 6 a.gif; "
         "LC_ALL=C grep -oaP '\\x21\\xf9\\x04\\x05' a.gif | wc -l",
         0, "GIF89a21");
}

// With a program instead of ffmpeg: it gets every frame, and an earlier film stays until there is a
// new one.
static void a_film_goes_through_ffmpeg(void **state) {
  (void)state;
  expect("HOLON_FFMPEG=/nowhere/ffmpeg \"$HOLON\" view out --mp4 a.mp4", 1,
         "'a.mp4' '/nowhere/ffmpeg'");
  expect(
      "printf '#!/bin/sh\\ncat >/dev/null; exit 3\\n' >fails; chmod +x fails; rm -f old*; "
      "echo earlier >old.mp4; HOLON_FFMPEG=./fails \"$HOLON\" view out --mp4 old.mp4 --size 64x48",
      1, "'old.mp4' 3");
  expect("cat old.mp4; ls old*", 0, "earlier\nold.mp4\n");
  expect(
      "printf '#!/bin/sh\\nfor a; do last=$a; done; wc -c >\"$last\"\\n' >counts; chmod +x counts; "
      "HOLON_FFMPEG=./counts \"$HOLON\" view out --mp4 old.mp4 --size 64x48 --speed 1 --fps 10; "
      "cat old.mp4; ls old*",
      0, "old.mp4\n101376\nold.mp4\n"); // 11 frames of 64 x 48 x 3
}

// ---- glTF ---------------------------------------------------------------------------------------

static void gltf_is_json_with_everything_inside(void **state) {
  (void)state;
  expect("\"$HOLON\" export out --gltf run.gltf", 0, "run.gltf");
  char *text = read_in_folder("run.gltf");
  const char *fault = hn_json_fault(text);
  if (fault != NULL) fail_msg("run.gltf: %s", fault);
  char value[64];
  assert_true(hn_json_value(text, "asset/version", value, sizeof value));
  assert_string_equal(value, "2.0");
  int channels = hn_json_count(text, "animations/0/channels");
  assert_int_equal(channels, 2); // one body moves: translation and rotation
  assert_true(hn_json_value(text, "buffers/0/uri", value, sizeof value));
  assert_true(strncmp(value, "data:application/octet-stream;base64,", 20) == 0);
  free(text);
}

// A pose that is not a number: the frames before it are written, with a warning.
static void not_a_number_ends_the_animation(void **state) {
  (void)state;
  expect("rm -rf part; cp -r out part; stride=$(sed -n 's/.*\"stride\": \\([0-9]*\\),.*/\\1/p' "
         "out/scene.json); { head -c $((10 * 4 * stride + 8)) out/motion.bin; "
         "printf '\\000\\000\\300\\177'; tail -c +$((10 * 4 * stride + 13)) out/motion.bin; } "
         ">part/motion.bin; \"$HOLON\" export part --gltf nan.glb",
         0, "10");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_writes_a_scene),
      cmocka_unit_test(the_scene_changes_no_result),
      cmocka_unit_test(a_run_that_fails_has_a_scene_too),
      cmocka_unit_test(a_page_holds_everything),
      cmocka_unit_test(a_report_of_many_bodies_stays_small),
      cmocka_unit_test(a_film_of_a_large_machine_has_fewer_frames),
      cmocka_unit_test(only_known_paths_are_served_and_only_here),
      cmocka_unit_test(folders_that_are_no_runs_are_told),
      cmocka_unit_test(a_picture_needs_no_other_program),
      cmocka_unit_test(a_film_has_its_frames),
      cmocka_unit_test(a_film_goes_through_ffmpeg),
      cmocka_unit_test(calls_that_cannot_be_meant_are_refused),
      cmocka_unit_test(gltf_is_json_with_everything_inside),
      cmocka_unit_test(not_a_number_ends_the_animation),
  };
  return cmocka_run_group_tests(tests, make_run, NULL);
}
