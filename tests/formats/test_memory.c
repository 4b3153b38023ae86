// Allocation number k fails, for every k: loading reports it and gives everything back.
#include "formats/loading.h"

static hn_status load_failing(const char *path, long fail_at, hn_counting_memory *memory,
                              hn_error *error) {
  *memory = (hn_counting_memory){.fail_at = fail_at};
  hn_allocator allocator = hn_counting_allocator(memory);
  hn_load_options options = hn_default_load_options();
  options.allocator = &allocator;
  hn_model *model = NULL;
  hn_status status = hn_model_load(path, &options, &model, error);
  if (status == HN_OK)
    hn_model_free(model);
  else
    assert_null(model);
  return status;
}

static void check_file(const char *path) {
  hn_counting_memory memory;
  hn_error error = {0};
  check_ok(load_failing(path, 0, &memory, &error));
  assert_int_equal(memory.living, 0);
  long calls = memory.calls;
  assert_true(calls > 5);
  for (long k = 1; k <= calls; k++) {
    hn_status status = load_failing(path, k, &memory, &error);
    if (status != HN_ERROR_MEMORY)
      fail_msg("%s, allocation %ld: %d %s", path, k, status, error.message);
    if (memory.living != 0) fail_msg("%s, allocation %ld: %ld blocks left", path, k, memory.living);
  }
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  check_file("tests/formats/files/everything.yaml");
  check_file("models/examples/component.yaml");
  check_file("models/examples/laws.yaml");
  check_file("models/examples/repeat.yaml");
}

// Also when the model itself is what is wrong.
static void failed_loads_give_everything_back(void **state) {
  (void)state;
  static const char *const files[] = {"tests/formats/broken/unknown-key.yaml",
                                      "tests/formats/broken/law-of-another-variable.yaml",
                                      "tests/formats/broken/universal-axes.yaml",
                                      "tests/formats/broken/tab.yaml",
                                      "tests/formats/broken/error-inside-a-component.yaml",
                                      "tests/formats/broken/no-such-file.yaml"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    hn_counting_memory memory;
    hn_error error = {0};
    assert_true(load_failing(files[k], 0, &memory, &error) < 0);
    assert_int_equal(memory.living, 0);
  }
}

// Ten thousand bodies take ten times what a thousand take: names are found by hashing, and nothing
// is copied again and again.
static void memory_grows_linearly_with_the_model(void **state) {
  (void)state;
  size_t bytes[2];
  for (int k = 0; k < 2; k++) {
    hn_counting_memory memory = {0};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_load_options options = hn_default_load_options();
    const char *settings[] = {k ? "N=10000" : "N=1000"};
    options.allocator = &allocator;
    options.settings = settings;
    options.setting_count = 1;
    hn_model *m = load_with(
        "parameters: {N: 1}\n"
        "bodies: {\"b{i}\": {repeat: {i: [1, N]}, mass: 1, center: [i, 0, 0]}}\n"
        "joints: {\"j{i}\": {repeat: {i: [2, N]}, type: revolute, at: [i, 0, 0], axis: z,\n"
        "         bodies: [\"b{i-1}\", \"b{i}\"]}}\n",
        &options);
    assert_int_equal(hn_model_joint_count(m), k ? 9999 : 999);
    bytes[k] = memory.bytes;
    hn_model_free(m);
    assert_int_equal(memory.living, 0);
  }
  assert_true(bytes[1] < 20 * bytes[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failing_allocations_leave_nothing_behind),
      cmocka_unit_test(failed_loads_give_everything_back),
      cmocka_unit_test(memory_grows_linearly_with_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
