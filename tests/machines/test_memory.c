// The memory that a run keeps its data in. For every combination of coordinates, method and formula:
//
//   - the model, and what a simulation compiles of it, is only read, as are patterns and orders of
//     coordinates, linear algebra and methods: their pages are protected while steps are made;
//   - scratch may be lost: it is filled with what is not a number before each step;
//   - the state is whole: a copy at a random step, in another simulation, continues bit for bit.
//
// HOLON_SWEEP=1 (make test-long) takes all shipped models; HOLON_ONLY=four-bar those with this word
// in their paths; models of more than LARGE bodies take some combinations each, those of more than
// HUGE bodies fewer, and few steps. With
// cmake -DHOLON_POISON=ON all runs lose their scratch.
#define _GNU_SOURCE
#include <ftw.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/simulation.h"
#include "base/arena_private.h"
#include "formats/sealing.h"
#include "holon/verify.h"

enum {
  STEPS = 100,
  LARGE = 20,
  FEW = 12,
  HUGE = 1000,
  FEWEST = 60,
  FEW_STEPS = 3,
  MOST_MODELS = 1000,
  MOST_BLOCKS = 100000
};

// ---- memory in pages of its own -----------------------------------------------------------------

typedef struct pages {
  struct {
    void *start;
    size_t size;
  } block[MOST_BLOCKS];
  int count;
} pages;

static void *take_pages(void *context, size_t size) {
  pages *p = context;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
  if (p->count == MOST_BLOCKS) return NULL;
  void *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return NULL;
  p->block[p->count].start = start;
  p->block[p->count++].size = whole;
  return start;
}

static void give_back(void *context, void *block) {
  pages *p = context;
  int k = 0;
  while (k < p->count && p->block[k].start != block) k++;
  if (k == p->count) return;
  munmap(block, p->block[k].size);
  p->block[k] = p->block[--p->count];
}

static void protect(pages *p, const void *block, int protection) {
  for (int k = 0; k < p->count; k++)
    if (!block || p->block[k].start == block)
      assert_int_equal(mprotect(p->block[k].start, p->block[k].size, protection), 0);
}

static pages of_model, of_run;

// Of a simulation what is constant once it is made.
static void protect_compiled(const hn_simulation *s, int protection) {
  for (const hn_arena_block *b = s->compiled.constant.blocks; b; b = b->next)
    protect(&of_run, b, protection);
  for (const hn_arena_block *b = s->arena.constant.blocks; b; b = b->next)
    protect(&of_run, b, protection);
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct trial {
  const char *path;
  const hn_model *model;
  hn_simulation_options options;
  char name[160];
} trial;

static hn_simulation *make(const trial *t) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  return hn_simulation_create(t->model, &t->options, &s, &error) == HN_OK ? s : NULL;
}

// Steps that were made: fewer if the run cannot continue.
static int run(hn_simulation *s, int steps, int loses_scratch) {
  int made = 0;
  s->stepping.loses_scratch = loses_scratch;
  while (made < steps && hn_simulation_step(s, 10) == HN_OK) made++;
  return made;
}

static int is_same(const trial *t, const char *what, const hn_simulation *a,
                   const hn_simulation *b) {
  const hn_certificate one = hn_simulation_certificate(a), other = hn_simulation_certificate(b);
  if (hn_simulation_state_hash(a) == hn_simulation_state_hash(b) &&
      one.steps_accepted == other.steps_accepted && one.events == other.events)
    return 1;
  print_message("%s %s: %s ends otherwise after %ld steps: t = %.17g, not %.17g\n", t->path,
                t->name, what, other.steps_accepted, hn_simulation_time(b), hn_simulation_time(a));
  return 0;
}

// 1: as it should be, or it cannot run at all.
static int memory_is_used_as_declared(const trial *t, int at) {
  hn_simulation *plain = make(t);
  if (!plain) return 1;
  const int steps = run(plain, t->model->body_count > HUGE ? FEW_STEPS : STEPS, 0);
  trial of_pages = *t;
  const hn_allocator allocator = {take_pages, give_back, &of_run};
  of_pages.options.allocator = &allocator;
  hn_simulation *guarded = make(&of_pages), *copy = make(t);
  assert_non_null(guarded);
  assert_non_null(copy);
  protect(&of_model, NULL, PROT_READ);
  protect_compiled(guarded, PROT_READ);
  if (at > steps) at = steps;
  run(guarded, at, 1);
  const size_t size = hn_simulation_save_size(guarded);
  unsigned char *saved = malloc(size);
  check_ok(hn_simulation_save(guarded, saved, size));
  run(guarded, steps - at, 1);
  protect_compiled(guarded, PROT_READ | PROT_WRITE);
  protect(&of_model, NULL, PROT_READ | PROT_WRITE);
  int ok = is_same(t, "a run that loses its scratch", plain, guarded);
  hn_status status = hn_simulation_restore(copy, saved, size);
  if (status != HN_OK)
    print_message("%s %s: %s\n", t->path, t->name, hn_simulation_error(copy)->message);
  run(copy, steps - at, 0);
  ok &= status == HN_OK && is_same(t, "a copy", plain, copy);
  free(saved);
  hn_simulation_free(copy);
  hn_simulation_free(guarded);
  hn_simulation_free(plain);
  return ok;
}

// ---- models -------------------------------------------------------------------------------------

static char *files[MOST_MODELS];
static int file_count;

static int note_file(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info;
  (void)where;
  const size_t length = strlen(path);
  if (type == FTW_F && length > 5 && strcmp(path + length - 5, ".yaml") == 0 &&
      file_count < MOST_MODELS)
    files[file_count++] = strdup(path);
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_wanted(const char *path) {
  static const char *const quick[] = {"/iftomm/a02.yaml", "/examples/force-joint-stop.yaml",
                                      "/control/servo-excavator.yaml", "/contact/latch.yaml",
                                      "/examples/force-tyre.yaml"};
  const char *only = getenv("HOLON_ONLY");
  if (only) return strstr(path, only) != NULL;
  if (getenv("HOLON_SWEEP")) return 1;
  for (size_t k = 0; k < sizeof quick / sizeof *quick; k++)
    if (strstr(path, quick[k])) return 1;
  return 0;
}

static int try_all(const char *path, const hn_model *model) {
  int wrong = 0;
  hn_formulation f;
  unsigned first = 0;
  for (const char *c = path; *c; c++) first = first * 31 + (unsigned char)*c;
  unsigned at = first;
  trial t = {
      .path = path, .model = model, .options = hn_default_simulation_options(), .name = "auto"};
  wrong += !memory_is_used_as_declared(&t, (int)(at % STEPS));
  // of large models some combinations: others take the others
  const int few = model->body_count > HUGE ? FEWEST : FEW;
  for (int k = 0; hn_list_formulation(k, &f); k++) {
    if (model->body_count > LARGE && k % few != (int)(first % (unsigned)few)) continue;
    t.options = hn_default_simulation_options();
    t.options.coordinates = f.coordinates;
    t.options.method = f.method;
    t.options.formula = f.formula;
    t.options.independent = f.independent;
    hn_formulation_text(&f, t.name, sizeof t.name);
    at = at * 1103515245u + 12345;
    wrong += !memory_is_used_as_declared(&t, (int)(at >> 8) % STEPS);
  }
  return wrong;
}

// Adds what is wrong to *wrong; 1: it is a model.
static int try_file(const char *path, int *wrong) {
  const hn_allocator allocator = {take_pages, give_back, &of_model};
  hn_model *model = NULL;
  hn_error error = {0};
  hn_load_options options = hn_default_load_options();
  options.allocator = &allocator;
  options.allow_compiled = 1;
  const int is_model = hn_model_load(path, &options, &model, &error) == HN_OK;
  const size_t root = strlen(HOLON_SOURCE_DIR) + 1;
  const int is_shipped = strncmp(path, HOLON_SOURCE_DIR "/", root) == 0;
  if (is_model) *wrong += try_all(is_shipped ? path + root : path, model);
  hn_model_free(model);
  return is_model;
}

static void memory_is_constant_scratch_or_state(void **state) {
  (void)state;
  int wrong = 0, count = 0;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s/models", HOLON_SOURCE_DIR);
  nftw(folder, note_file, 16, FTW_PHYS);
  qsort(files, (size_t)file_count, sizeof *files, by_name);
  for (int k = 0; k < file_count; k++) {
    if (is_wanted(files[k])) count += try_file(files[k], &wrong);
    free(files[k]);
  }
  print_message("%d models\n", count);
  assert_true(count > 0);
  assert_int_equal(wrong, 0);
}

// States of all kinds, among them delays; bodies, stops and tyres inside sealed components.
static void memory_of_delays_and_sealed_components_is_too(void **state) {
  (void)state;
  int wrong = 0;
  hn_error error;
  if (getenv("HOLON_ONLY")) return;
  write_text("hopper.yaml", HOPPER);
  write_text("hop-sealed.yaml", HOP("hopper.hnc"));
  check_ok(seal("hopper.yaml", "hopper.hnc", &error));
  assert_true(try_file(HOLON_SOURCE_DIR "/tests/data/saving/states.yaml", &wrong));
  assert_true(try_file(FOLDER "hop-sealed.yaml", &wrong));
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {

      cmocka_unit_test(memory_is_constant_scratch_or_state),
      cmocka_unit_test(memory_of_delays_and_sealed_components_is_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
