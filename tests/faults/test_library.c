// Allocation number k of the library fails, for every k (or every HOLON_FAULT_STRIDE-th): loading,
// simulating, recording, saving and writing end in "out of memory" or in the result, and give everything
// back. malloc and its kin are wrapped by the linker.
#include <stdlib.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

enum { SAMPLE = 60 };

static long count, at, living, tried, told;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void __wrap_free(void *block);

static int fails(void) { return ++count == at; }

static void *counted(void *block) {
  living += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : counted(__real_calloc(n, size));
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}
void *__wrap_realloc(void *block, size_t size) {
  if (fails()) return NULL;
  void *moved = __real_realloc(block, size);
  living += moved && !block;
  return moved;
}
int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
  if (fails()) return 12;
  int result = __real_posix_memalign(block, alignment, size);
  living += result == 0;
  return result;
}
void __wrap_free(void *block) {
  living -= block != NULL;
  __real_free(block);
}

static hn_status certify(hn_simulation *simulation) {
  size_t needed = 0;
  hn_status status = hn_certificate_json(simulation, NULL, 0, &needed);
  char *text = status == HN_OK ? malloc(needed) : NULL;
  if (status == HN_OK && !text) return HN_ERROR_MEMORY;
  if (status == HN_OK) status = hn_certificate_json(simulation, text, needed, NULL);
  if (status == HN_OK) assert_int_equal(text[strlen(text) - 1], '}'); // whole
  free(text);
  return status;
}

static hn_status move(hn_simulation *s, hn_results *r, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < 3 && status == HN_OK; k++) {
    status = hn_simulation_step(s, 1);
    if (status != HN_OK) *error = *hn_simulation_error(s);
    if (status == HN_OK) status = hn_results_record(r, s);
  }
  size_t size = hn_simulation_save_size(s);
  void *saved = status == HN_OK ? malloc(size) : NULL;
  if (status == HN_OK && !saved) status = HN_ERROR_MEMORY;
  if (status == HN_OK) status = hn_simulation_save(s, saved, size);
  if (status == HN_OK) status = hn_simulation_restore(s, saved, size);
  free(saved);
  if (status == HN_OK) status = certify(s);
  return status;
}

// A whole run with its recording into a store, and out of it again.
static hn_status store_run(hn_simulation *s, hn_error *error) {
  const char *path = HOLON_TEST_OUTPUT_DIR "/faults.store";
  hn_run_plan plan = {.time = 0.05, .accuracy = HN_ACCURACY_OFF};
  hn_run_outcome outcome = {0};
  hn_recording kept = {0};
  hn_store *store = NULL;
  hn_results *back = NULL;
  hn_store_state how = {0};
  hn_status status = hn_recording_create(s, &plan, 0, &kept, error);
  hn_run_sink sink = hn_recording_sink(&kept);
  if (status == HN_OK && (status = hn_run(s, &plan, &sink, &outcome)) != HN_OK)
    *error = outcome.error;
  const int rows = status == HN_OK ? hn_results_row_count(kept.all) : 0;
  if (status == HN_OK) status = hn_store_create(path, kept.all, kept.shown, &store, error);
  for (int k = 0; k < rows && status == HN_OK; k += 100)
    status =
        hn_store_write(store, HN_STORE_ROWS, kept.all, k, rows - k < 100 ? rows - k : 100, error);
  if (status == HN_OK) status = hn_store_write_end(store, error);
  const unsigned long long size = store ? hn_store_size(store) : 0;
  hn_store_close(store, NULL);
  if (status == HN_OK) status = hn_store_load(path, size, kept.all, kept.shown, kept.scene, error);
  if (status == HN_OK) status = hn_store_read(path, HN_STORE_ROWS, &back, &how, error);
  if (status == HN_OK) assert_true(how.rows == rows && how.is_done && how.cut == 0); // all of them
  if (status == HN_OK)
    status =
        hn_store_export(path, HOLON_TEST_OUTPUT_DIR "/store.csv", HN_RESULTS_CSV, 1, &how, error);
  if (status == HN_OK) assert_true(how.rows == rows && how.is_done && how.cut == 0);
  hn_results_free(back);
  hn_recording_free(&kept);
  return status;
}

static hn_status run_all(const char *path, const char *method, hn_error *error) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_results *results = NULL, *read = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  if (method) options.method = method;
  hn_status status = hn_model_load(path, NULL, &model, error);
  if (status == HN_OK) status = hn_simulation_create(model, &options, &simulation, error);
  if (status == HN_OK) status = hn_results_create(simulation, NULL, 0, &results, error);
  if (status == HN_OK) status = move(simulation, results, error);
  const char *csv = HOLON_TEST_OUTPUT_DIR "/faults.csv";
  if (status == HN_OK) status = hn_results_write(results, csv, HN_RESULTS_CSV, 1, error);
  if (status == HN_OK) status = hn_results_read(csv, &read, error);
  if (status == HN_OK)
    status =
        hn_results_write(results, HOLON_TEST_OUTPUT_DIR "/faults.npz", HN_RESULTS_NPZ, 1, error);
  if (status == HN_OK) status = store_run(simulation, error);
  hn_results_free(read);
  hn_results_free(results);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status;
}

static long sweep(const char *path, const char *method) {
  const char *given = getenv("HOLON_FAULT_STRIDE");
  hn_error error = {0};
  at = 0;
  run_all(path, method, &error); // what the system keeps for itself is taken
  count = living = 0;
  if (run_all(path, method, &error)) fail_msg("%s: %s", path, error.message);
  long all = count, base = living, stride = given ? atol(given) : all / SAMPLE + 1;
  for (long k = 1; k <= all; k += stride > 0 ? stride : 1) {
    count = living = 0;
    at = k;
    hn_status status = run_all(path, method, &error);
    at = 0;
    tried++;
    told += status != HN_OK;
    if (status != HN_OK && status != HN_ERROR_MEMORY)
      fail_msg("%s %s, allocation %ld: %d %s", path, method, k, status, error.message);
    if (living != base)
      fail_msg("%s %s, allocation %ld: %ld blocks are left, usually %ld", path, method, k, living,
               base);
  }
  return stride;
}

static void failing_allocations_leave_nothing_behind(void **state) {
  (void)state;
  static const char *const methods[] = {NULL, "state-space", "descriptor", "components"};
  long stride = 1;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    stride = sweep("models/examples/force-joint-stop.yaml", methods[k]);
    sweep("models/examples/component.yaml", methods[k]);
  }
  // scripts/make-reliability looks for it
  print_message(
      "faults: %ld %ld %ld %ld library (load, create, step, record, save, restore, write, "
      "read)\n",
      tried, told, tried - told, stride);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(failing_allocations_leave_nothing_behind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
