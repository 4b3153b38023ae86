// The certificate as JSON: well formed, the keys that were promised, escapes, too small buffers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/analysis.h"
#include "holon/results.h"
#include "support/check.h"
#include "support/machines.h"

// ---- a strict reader of JSON that lists dotted keys
// -------------------------------------------------

typedef struct reader {
  const char *at;
  char path[256], keys[4096];
} reader;

static void read_value(reader *r);

static void blanks(reader *r) { r->at += strspn(r->at, " \n\t\r"); }

static void expect(reader *r, char c) {
  blanks(r);
  if (*r->at != c) fail_msg("'%c' expected before '%.20s'", c, r->at);
  r->at++;
}

static void read_string(reader *r, char *out, size_t size) {
  size_t used = 0;
  expect(r, '"');
  for (; *r->at != '"'; r->at++) {
    assert_true((unsigned char)*r->at >= 0x20);
    if (*r->at == '\\') {
      r->at++;
      assert_non_null(memchr("\"\\u", *r->at, 3));
      if (*r->at == 'u')
        for (int k = 0; k < 4; k++) assert_non_null(strchr("0123456789abcdef", *++r->at));
    }
    if (out && used + 1 < size) out[used++] = *r->at;
  }
  if (out) out[used] = 0;
  r->at++;
}

static void read_object(reader *r) {
  size_t length = strlen(r->path);
  expect(r, '{');
  do {
    char key[64];
    blanks(r);
    read_string(r, key, sizeof key);
    snprintf(r->path + length, sizeof r->path - length, "%s%s", length ? "." : "", key);
    size_t used = strlen(r->keys);
    snprintf(r->keys + used, sizeof r->keys - used, "%s ", r->path);
    expect(r, ':');
    read_value(r);
    r->path[length] = 0;
    blanks(r);
  } while (*r->at == ',' && r->at++);
  expect(r, '}');
}

static void read_array(reader *r) {
  expect(r, '[');
  blanks(r);
  while (*r->at != ']') {
    read_value(r);
    blanks(r);
    if (*r->at == ',') r->at++;
    blanks(r);
  }
  r->at++;
}

static void read_value(reader *r) {
  blanks(r);
  if (*r->at == '{') {
    read_object(r);
  } else if (*r->at == '[') {
    read_array(r);
  } else if (*r->at == '"') {
    read_string(r, NULL, 0);
  } else if (strncmp(r->at, "null", 4) == 0) {
    r->at += 4;
  } else {
    size_t length = strspn(r->at, "+-0123456789.eE");
    char *end;
    if (length == 0) fail_msg("not a value: '%.20s'", r->at);
    strtod(r->at, &end);
    assert_ptr_equal(end, r->at + length);
    r->at = end;
  }
}

// ---- tests
// ------------------------------------------------------------------------------------------

static hn_simulation *start(const hn_model *model) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, NULL, &simulation, &error)) fail_msg("%s", error.message);
  return simulation;
}

static const char promised[] =
    "model model.name model.hash holon holon.version verdict verdict.grade verdict.reasons "
    "accuracy "
    "time "
    "coordinates method formula independent methods methods.method methods.formula "
    "methods.first methods.time linear_solver preset choice options options.atol "
    "options.rtol "
    "options.step "
    "options.max_step options.xi options.alpha options.rho options.penalty "
    "options.max_iterations options.energy_upper options.energy_lower options.switch_step "
    "options.projection options.gamma initial initial.position_change initial.velocity_change "
    "steps "
    "steps.accepted steps.substituted steps.coasted steps.rejected constraint "
    "constraint.position constraint.velocity "
    "constraint.acceleration energy energy.balance energy.relative newton newton.iterations "
    "newton.failures "
    "newton.unconverged_accepted newton.unconverged_residual evaluations factorizations selections "
    "event_count events ignored "
    "redundant reactions_not_unique "
    "warnings notes "
    "cpu_seconds realtime_factor state_hash ";

static void the_certificate_has_the_promised_keys(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model);
  check_ok(hn_simulation_advance(simulation, 1));
  char text[8192];
  size_t needed = 0;
  check_ok(hn_certificate_json(simulation, text, sizeof text, &needed));
  assert_int_equal(needed, strlen(text) + 1);
  reader r = {.at = text};
  read_value(&r);
  assert_int_equal(*r.at, 0);
  assert_string_equal(r.keys, promised);
  char hash[64];
  snprintf(hash, sizeof hash, "\"hash\": \"%016llx\"", hn_model_hash(model));
  assert_non_null(strstr(text, hash));
  snprintf(hash, sizeof hash, "\"state_hash\": \"%016llx\"", hn_simulation_state_hash(simulation));
  assert_non_null(strstr(text, hash));
  assert_non_null(strstr(text, "\"ignored\": 0"));
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void a_buffer_too_small_is_filled_and_told(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model);
  char whole[8192], part[64];
  size_t needed = 0;
  check_ok(hn_certificate_json(simulation, NULL, 0, &needed));
  check_ok(hn_certificate_json(simulation, whole, needed, NULL)); // fits exactly
  assert_int_equal(strlen(whole) + 1, needed);
  check_status(hn_certificate_json(simulation, whole, needed - 1, NULL), HN_ERROR_LIMIT);
  memset(part, '!', sizeof part);
  check_status(hn_certificate_json(simulation, part, 40, NULL), HN_ERROR_LIMIT);
  assert_int_equal(strlen(part), 39);
  assert_int_equal(part[40], '!');
  assert_memory_equal(part, whole, 39);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void names_and_warnings_are_escaped(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_name(model, "a \"b\" \\ \n\x01 \xc3\xbc \xff\xc3"));
  check_ok(hn_model_add_warning(model, "body 'x'", "is\todd"));
  check_ok(hn_model_add_warning(model, "", "second"));
  hn_body_def body = hn_default_body();
  body.name = "x";
  check_ok(hn_model_add_body(model, &body, NULL));
  check_ok(hn_model_finish(model));
  hn_simulation *simulation = start(model);
  char text[8192];
  check_ok(hn_certificate_json(simulation, text, sizeof text, NULL));
  reader r = {.at = text};
  read_value(&r);
  assert_non_null(strstr(text, "\"a \\\"b\\\" \\\\ \\u000a\\u0001 \xc3\xbc \\ufffd\\ufffd\""));
  assert_non_null(strstr(text, "[{\"element\": \"body 'x'\", \"message\": \"is\\u0009odd\"}, "
                               "{\"element\": \"\", \"message\": \"second\"}"));
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void redundant_joints_are_listed_by_name(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation *simulation = start(model);
  hn_mobility mobility;
  char text[8192], expected[160];
  check_ok(hn_simulation_mobility(simulation, &mobility));
  assert_true(mobility.redundant_count > 0); // a planar loop in space
  check_ok(hn_certificate_json(simulation, text, sizeof text, NULL));
  reader r = {.at = text};
  read_value(&r);
  for (int k = 0; k < mobility.redundant_count; k++) {
    const hn_redundant_joint *joint = &mobility.redundant[k];
    snprintf(expected, sizeof expected, "{\"joint\": \"%s\", \"rows\": %d}",
             hn_model_joint_name(model, joint->id), joint->row_count);
    assert_non_null(strstr(text, expected));
  }
  hn_mobility_free(&mobility);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_certificate_has_the_promised_keys),
      cmocka_unit_test(a_buffer_too_small_is_filled_and_told),
      cmocka_unit_test(names_and_warnings_are_escaped),
      cmocka_unit_test(redundant_joints_are_listed_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
