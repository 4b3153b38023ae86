// holon linearize and holon inverse.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

static const char cart[] =
    "printf '%s' '"
    "inputs: {push: 0}\n"
    "parameters: {rate: 8}\n"
    "bodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], "
    "axis: x}}\n"
    "forces: {motor: {type: joint-spring-damper, joint: rail, law: \"rate*x + v - "
    "push\"}}\n"
    "outputs: {x: joint.rail.displacement, a: body.cart.acceleration.x}\n"
    "simulation: {time: 1}\n' >cart.yaml; ";

static hn_command shell(const char *folder, const char *words) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s", cart, words);
  hn_command command = hn_run_shell(folder, "%s", text);
  if (command.code != 0) fail_msg("%s: %d\n%s%s", words, command.code, command.out, command.err);
  return command;
}

static void json_has_matrices_and_eigenvalues(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-linearize");
  hn_command command = shell(folder, "\"$HOLON\" linearize cart.yaml --json");
  assert_null(hn_json_fault(command.out));
  check_near(hn_json_number_in(command.out, "A/0/1"), 1, 0);
  check_near(hn_json_number_in(command.out, "A/1/0"), -4, 1e-12);
  check_near(hn_json_number_in(command.out, "A/1/1"), -0.5, 1e-12);
  check_near(hn_json_number_in(command.out, "B/1/0"), 0.5, 1e-10);
  check_near(hn_json_number_in(command.out, "C/0/0"), 1, 1e-10);
  check_near(hn_json_number_in(command.out, "C/1/0"), -4, 1e-8);
  check_near(hn_json_number_in(command.out, "D/1/0"), 0.5, 1e-10);
  check_near(hn_json_number_in(command.out, "f0/1"), 0, 1e-12);
  check_near(hn_json_number_in(command.out, "eigenvalues/0/real"), -0.25, 1e-12);
  check_near(hn_json_number_in(command.out, "eigenvalues/0/imag"), sqrt(4 - 0.0625), 1e-12);
  check_near(hn_json_number_in(command.out, "eigenvalues/0/frequency"), 1 / 3.14159265358979,
             1e-12);
  check_near(hn_json_number_in(command.out, "eigenvalues/0/damping"), 0.125, 1e-12);
  hn_command_free(&command);
}

static void a_campbell_table_follows_a_parameter(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-campbell");
  hn_command command =
      shell(folder, "\"$HOLON\" linearize cart.yaml --campbell rate=8:32:3 --json");
  assert_int_equal(hn_json_count(command.out, "campbell"), 3);
  check_near(hn_json_number_in(command.out, "campbell/2/value"), 32, 1e-12);
  check_near(hn_json_number_in(command.out, "campbell/2/eigenvalues/0/frequency"),
             4 / (2 * 3.14159265358979), 1e-12);
  hn_command_free(&command);
}

// Swinging by 1 rad at the start: by default the frequency is that of rest, the start is kept on demand.
static void an_equilibrium_is_searched_and_its_absence_reported(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-operating-point");
  hn_command command = hn_run_shell(
      folder,
      "printf '%%s' 'gravity: [0, 0, -9.81]\n"
      "parameters: {arm: 0.5}\n"
      "bodies: {bob: {mass: 2, center: [arm, 0, 0], inertia: [1e-9, 1e-9, 1e-9]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: y}}\n' "
      ">swing.yaml\n"
      "\"$HOLON\" linearize swing.yaml --campbell arm=0.5:2:2 --json >c.json\n"
      "\"$HOLON\" linearize swing.yaml --campbell arm=0.5:2:2 --at start | "
      "grep -c 'not an equilibrium' >count\n"
      "\"$HOLON\" linearize swing.yaml | grep 'not an equilibrium' && exit 7\n"
      "\"$HOLON\" linearize swing.yaml --at start | grep -q 'not an equilibrium' || exit 8\n"
      "sed 's/joints.*//' swing.yaml >free.yaml\n"
      "\"$HOLON\" linearize free.yaml 2>&1 | grep -q 'no equilibrium near the start' || exit 9\n"
      "cat count c.json");
  assert_int_equal(command.code, 0);
  assert_int_equal(atoi(command.out), 2);
  const char *json = strchr(command.out, '{');
  assert_non_null(json);
  check_relative(hn_json_number_in(json, "campbell/0/eigenvalues/0/frequency"),
                 sqrt(9.81 / 0.5) / (2 * 3.14159265358979), 1e-8);
  check_relative(hn_json_number_in(json, "campbell/1/eigenvalues/0/frequency"),
                 sqrt(9.81 / 2) / (2 * 3.14159265358979), 1e-8);
  assert_non_null(strstr(json, "\"equilibrium\": true"));
  assert_null(strstr(json, "\"equilibrium\": false"));
  hn_command_free(&command);
}

// x = F / (k - m w^2 + i c w): simulation and matrices agree for a linear model.
static void the_response_by_motion_is_the_linear_one(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-response");
  hn_command command = shell(folder, "\"$HOLON\" linearize cart.yaml --response push --frequencies "
                                     "0.2 --amplitude 0.5 --outputs x --tol 1e-7 --json");
  const double w = 0.4 * 3.14159265358979, size = 1 / hypot(8 - 2 * w * w, w);
  check_relative(hn_json_number_in(command.out, "response/0/outputs/x/gain"), size, 1e-3);
  check_relative(hn_json_number_in(command.out, "response/0/outputs/x/linear_gain"), size, 1e-8);
  check_near(hn_json_number_in(command.out, "response/0/outputs/x/phase"),
             -atan2(w, 8 - 2 * w * w) * 180 / 3.14159265358979, 0.1);
  hn_command_free(&command);
}

// SciPy and Octave read what is written; what is not there is left out.
static void files_are_read_by_others(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-linearize-files");
  hn_command command = shell(
      folder,
      "\"$HOLON\" linearize cart.yaml --mat l.mat --npz l.npz --plot l.svg >words\n"
      "\"$HOLON\" linearize cart.yaml --plot l.html >words || exit 7\n"
      "grep -q '\"kind\": \"linearize\"' l.html || exit 8\n"
      "grep -q '\"call\": \"holon linearize cart.yaml --plot l.html\"' l.html || exit 9\n"
      "grep -q '\"input\": \"push\", \"output\": \"x\", \"frequency\": \\[' l.html || exit 10\n"
      "\"$HOLON\" linearize cart.yaml --shapes modes >words; \"$HOLON\" view modes --mode 1 --html "
      "m.html "
      ">words; test -s m.html; test -s modes/mode-1/motion.bin\n"
      "grep -q 'x by push' l.svg; grep -q 'real part' l.svg; ! grep -q nan l.svg\n"
      "cat >read.py <<'END'\n"
      "import numpy, scipy.io, scipy.signal\n"
      "m = scipy.io.loadmat('l.mat')\n"
      "n = numpy.load('l.npz')\n"
      "for k in ('A', 'B', 'C', 'D'):\n"
      "    assert (m[k] == n[k]).all(), k\n"
      "assert m['states'][0, 0][0] == n['states'][0] == 'joint.rail.displacement'\n"
      "assert abs(numpy.linalg.eigvals(n['A']).imag.max() - n['eigenvalues'].imag.max()) < 1e-12\n"
      "w, h = scipy.signal.StateSpace(m['A'], m['B'], m['C'][:1], m['D'][:1]).freqresp([2.0])\n"
      "assert abs(h[0] - 1 / (8 - 8 + 2j)) < 1e-9, h\n"
      "print('read')\n"
      "END\n"
      "if /usr/bin/python3 -c 'import scipy' 2>/dev/null; then /usr/bin/python3 -W ignore read.py; "
      "else echo 'read (no SciPy here)'; fi\n"
      "cat >read.m <<'END'\n"
      "load l.mat\n"
      "assert(max(imag(eig(A))), max(imag(eigenvalues)), 1e-9)\n"
      "assert(states{1}, 'joint.rail.displacement')\n"
      "if (isempty(pkg('list', 'control')))\n"
      "  disp('octave (no package control here)')\n"
      "else\n"
      "  pkg load control\n"
      "  machine = ss(A, B, C, D);\n"
      "  assert(norm(machine.a - A) + norm(machine.b - B) + norm(machine.c - C) + "
      "norm(machine.d - D), 0)\n"
      "  h = freqresp(machine(1, 1), 2);\n"
      "  assert(h(1), 1 / (8 - 8 + 2i), 1e-9)\n"
      "  disp('octave: ss')\n"
      "end\n"
      "END\n"
      "if command -v octave-cli >/dev/null 2>&1; then octave-cli --no-gui -q read.m; "
      "else echo 'octave (not here)'; fi");
  assert_non_null(strstr(command.out, "read"));
  assert_non_null(strstr(command.out, "octave"));
  const char *left_out = strstr(command.out, "octave (");
  if (left_out) print_message("left out: %s", left_out);
  hn_command_free(&command);
}

static void inverse_gives_the_force_of_the_driver(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-inverse");
  hn_command command = shell(
      folder,
      "printf 'time,joint.rail.displacement\\n' >path.csv; for k in 0 1 2 3 4 5 6 7 8; do printf "
      "\"$k,$((k * k))\\n\" >>path.csv; done; \"$HOLON\" inverse cart.yaml --motion path.csv "
      "--output-step 4 --json");
  assert_null(hn_json_fault(command.out));
  // at t = 4, away from the ends of the spline: x = 16, v = 8, a = 2
  check_near(hn_json_number_in(command.out, "forces/joint.rail.displacement/1"), 2 * 2 + 8 * 16 + 8,
             0.1);
  hn_command_free(&command);
}

static void wrong_calls_are_told(void **state) {
  (void)state;
  static const struct {
    const char *words, *expected;
    int code;
  } calls[] = {
      {"linearize models/four-bar.yaml --at noon", "--at", 2},
      {"linearize models/four-bar.yaml --outputs nothing", "'nothing'", 2},
      {"linearize models/four-bar.yaml --inputs nothing", "'nothing'", 2},
      {"linearize models/four-bar.yaml --campbell a", "NAME=FROM:TO:COUNT", 2},
      {"linearize models/contact/slope.yaml --set speed=1 --at start", "--at", 1},
      {"inverse models/examples/pendulum.yaml", "`holon inverse --help`", 2},
      {"inverse models/four-bar.yaml --drives nobody", "'nobody'", 2},
      {"inverse models/four-bar.yaml --weight motor=-1", "--weight", 2},
  };
  for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
    hn_command command = hn_run_holon("%s", calls[k].words);
    if (command.code != calls[k].code)
      fail_msg("holon %s: %d, %s", calls[k].words, command.code, command.err);
    check_names(command.err, calls[k].expected);
    hn_command_free(&command);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_has_matrices_and_eigenvalues),
      cmocka_unit_test(a_campbell_table_follows_a_parameter),
      cmocka_unit_test(an_equilibrium_is_searched_and_its_absence_reported),
      cmocka_unit_test(the_response_by_motion_is_the_linear_one),
      cmocka_unit_test(files_are_read_by_others),
      cmocka_unit_test(inverse_gives_the_force_of_the_driver),
      cmocka_unit_test(wrong_calls_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
