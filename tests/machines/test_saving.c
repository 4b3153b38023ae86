// Saving changes nothing: for every combination that is built, and for `auto`, a run without saves,
// one that is saved again and again, and runs restored from these saves end in one state, after the
// same number of steps, evaluations, factorizations and events.
//
// HOLON_SWEEP=1 (make test-long) takes all models of the list, for longer, and restores twice;
// HOLON_ONLY=four-bar those with this word in their paths,
#define _POSIX_C_SOURCE 200809L
#include "holon/verify.h"
#include "machine.h"

enum { SAVES = 3 };

typedef struct outcome {
  unsigned long long hash;
  long accepted, rejected, evaluations, iterations, events, selections;
} outcome;

typedef struct trial {
  const char *path;
  const hn_model *model;
  hn_simulation_options options;
  double end;
  char name[160];
} trial;

static outcome outcome_of(const hn_simulation *s) {
  const hn_certificate c = hn_simulation_certificate(s);
  return (outcome){.hash = hn_simulation_state_hash(s),
                   .accepted = c.steps_accepted,
                   .rejected = c.steps_rejected,
                   .evaluations = c.evaluations,
                   .iterations = c.newton_iterations,
                   .events = c.events,
                   .selections = c.selections};
}

static hn_simulation *make(const trial *t) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  return hn_simulation_create(t->model, &t->options, &s, &error) == HN_OK ? s : NULL;
}

// Other values for the inputs now and then, by the number of the step.
static void give_inputs(const trial *t, hn_simulation *s) {
  long steps = hn_simulation_certificate(s).steps_accepted;
  for (int k = 0; steps % 7 == 3 && k < hn_model_input_count(t->model); k++)
    check_ok(
        hn_simulation_set_input(s, k, hn_model_input(t->model, k)->value + 0.01 * (double)steps));
}

// To the end; after the steps named one state is written each. Returns how many steps there were.
static int run(const trial *t, hn_simulation *s, const int *at, unsigned char **saved,
               size_t *sizes) {
  int steps = 0, next = 0;
  while (hn_simulation_time(s) < t->end) {
    give_inputs(t, s);
    hn_status status = hn_simulation_step(s, t->end);
    if (status != HN_OK) break;
    steps++;
    for (; at && next < SAVES && at[next] == steps; next++) {
      sizes[next] = hn_simulation_save_size(s);
      saved[next] = malloc(sizes[next]);
      check_ok(hn_simulation_save(s, saved[next], sizes[next]));
    }
    if (!at && saved) { // each step, discarded
      size_t size = hn_simulation_save_size(s);
      if (size > *sizes) *saved = realloc(*saved, *sizes = size);
      check_ok(hn_simulation_save(s, *saved, size));
    }
  }
  return steps;
}

static int is_same(const trial *t, const char *what, outcome a, outcome b) {
  if (memcmp(&a, &b, sizeof a) == 0) return 1;
  print_message("%s %s: %s ends otherwise: hash %016llx, steps %ld + %ld, evaluations %ld, "
                "iterations %ld, events %ld, choices %ld; alone %016llx, %ld + %ld, %ld, %ld, %ld, "
                "%ld\n",
                t->path, t->name, what, b.hash, b.accepted, b.rejected, b.evaluations, b.iterations,
                b.events, b.selections, a.hash, a.accepted, a.rejected, a.evaluations, a.iterations,
                a.events, a.selections);
  return 0;
}

// 1: as it should be, or it cannot run at all.
static int saving_changes_nothing_in(const trial *t) {
  hn_simulation *alone = make(t), *other;
  unsigned char *saved[SAVES] = {NULL}, *scratch = NULL;
  size_t sizes[SAVES] = {0}, room = 0;
  int at[SAVES], ok = 1;
  if (!alone) return 1;
  const int steps = run(t, alone, NULL, NULL, NULL);
  const outcome expected = outcome_of(alone);
  if (getenv("HOLON_SHOW")) print_message("%s %s: %d steps\n", t->path, t->name, steps);

  other = make(t);
  run(t, other, NULL, &scratch, &room);
  ok &= is_same(t, "a run saved at each step", expected, outcome_of(other));
  hn_simulation_free(other);

  for (int k = 0; k < SAVES; k++) at[k] = 1 + steps * k / SAVES;
  other = make(t);
  run(t, other, at, saved, sizes);
  for (int k = 0; k < SAVES && ok; k++) {
    char what[80];
    if (!saved[k]) continue;
    // into one that has not moved yet, or (HOLON_SWEEP: and) into one that has run to the end
    hn_simulation *into[2] = {make(t), alone};
    for (int i = 0; i < 2; i++) {
      if (i != k % 2 && !getenv("HOLON_SWEEP")) continue;
      snprintf(what, sizeof what, "a run restored after step %d of %d%s", at[k], steps,
               i ? " (into a used one)" : "");
      hn_status status = hn_simulation_restore(into[i], saved[k], sizes[k]);
      if (status != HN_OK)
        print_message("%s %s: %s: %s: %s\n", t->path, t->name, what, hn_status_text(status),
                      hn_simulation_error(into[i])->message);
      ok &= status == HN_OK;
      if (status == HN_OK) run(t, into[i], NULL, NULL, NULL);
      ok &= is_same(t, what, expected, outcome_of(into[i]));
    }
    hn_simulation_free(into[0]);
  }
  for (int k = 0; k < SAVES; k++) free(saved[k]);
  free(scratch);
  hn_simulation_free(other);
  hn_simulation_free(alone);
  return ok;
}

typedef struct machine_of_list {
  const char *path, *settings;
  double end, step; // step: of methods that keep theirs
  int quick; // 1: with chosen steps, 2: with fixed ones, 3: both; 0: where HOLON_SWEEP asks for it
  double quick_end;
} machine_of_list;

// Loops, redundant rows, singular configurations, drivers, stops and tyres that change their
// branches.
static const machine_of_list machines[] = {
    {"examples/inputs.yaml", NULL, 0.3, 4e-3, 1, 0.1},
    {"examples/force-joint-stop.yaml", NULL, 0.6, 6e-3, 2, 0.48}, // meets its stop at 0.4 s
    {"slider-crank.yaml", NULL, 0.02, 2e-4, 3, 0.005},
    {"iftomm/a01.yaml", NULL, 0.5, 5e-3, 0, 0},
    {"iftomm/a02.yaml", NULL, 0.4, 4e-3, 0, 0},
    {"four-bar.yaml", NULL, 0.2, 2e-3, 0, 0},
    {"examples/laws.yaml", NULL, 0.3, 4e-3, 0, 0},
    {"negrut/double-pendulum.yaml", NULL, 0.05, 1e-3, 0, 0},
    {"iltis/front-suspension.yaml", NULL, 0.1, 2e-3, 0, 0},
};

static void load(const char *path, const char *settings, hn_model **model) {
  char file[1024], words[200] = "";
  const char *values[8];
  hn_error error = {0};
  hn_load_options options = hn_default_load_options();
  snprintf(words, sizeof words, "%s", settings ? settings : "");
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    values[options.setting_count++] = word;
  options.settings = values;
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, path);
  if (hn_model_load(file, &options, model, &error)) machine_stop(path, &error);
}

static int is_wanted(const char *path) {
  const char *only = getenv("HOLON_ONLY");
  return !only || strstr(path, only);
}

static void every_combination_goes_on_as_if_nobody_had_saved(void **state) {
  (void)state;
  int count = 0, wrong = 0;
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
    const machine_of_list *one = &machines[m];
    hn_model *model = NULL;
    const int is_whole = getenv("HOLON_SWEEP") || getenv("HOLON_ONLY");
    const int kinds = is_whole ? 3 : one->quick;
    if (!is_wanted(one->path) || kinds == 0) continue;
    load(one->path, one->settings, &model);
    hn_formulation f;
    for (int k = 0; hn_list_formulation(k, &f); k++)
      for (int fixed = 0; fixed < 2; fixed++) {
        if (!(kinds & (1 << fixed))) continue;
        // of make test's models each combination takes one with chosen steps and one with fixed
        // ones
        if (!is_whole && (k + (int)m + (m > 1 && !fixed)) % 2) continue;
        trial t = {.path = one->path, .model = model, .end = is_whole ? one->end : one->quick_end};
        t.options = hn_default_simulation_options();
        t.options.coordinates = f.coordinates;
        t.options.method = f.method;
        t.options.formula = f.formula;
        t.options.independent = f.independent;
        t.options.tol = 1e-5;
        t.options.step = fixed ? one->step : 0;
        hn_formulation_text(&f, t.name, sizeof t.name);
        if (fixed) strcat(t.name, ", fixed step");
        count++;
        wrong += !saving_changes_nothing_in(&t);
      }
    hn_model_free(model);
  }
  print_message("%d combinations\n", count);
  assert_int_equal(wrong, 0);
}

// `auto`: explicit, adams at tight tolerances, a change to the implicit method and back; components.
static void auto_goes_on_as_if_nobody_had_saved(void **state) {
  (void)state;
  static const struct {
    const char *path, *settings, *coordinates, *method;
    double end, tol, step, quick_end; // quick_end: without HOLON_SWEEP, if not 0
  } runs[] = {
      {"negrut/double-pendulum.yaml", NULL, "cartesian", NULL, 0.2, 1e-4, 0, 0},
      {"negrut/double-pendulum.yaml", NULL, "relative", NULL, 0.2, 1e-4, 0, 0},
      {"negrut/double-pendulum.yaml", NULL, "natural", NULL, 0.2, 1e-4, 0, 0},
      {"negrut/hmmwv14-stiff.yaml", NULL, NULL, NULL, 0.1, 1e-3, 0, 0},
      {"iftomm/a05.yaml", NULL, NULL, NULL, 0.3, 1e-4, 0, 0},
      {"iftomm/a05.yaml", NULL, NULL, NULL, 0.3, 1e-4, 2e-3, 0},
      {"iftomm/a04.yaml", NULL, NULL, NULL, 1, 1e-9, 0, 0},
      {"iftomm/a02.yaml", NULL, NULL, NULL, 2, 1e-9, 0, 0},
      {"examples/force-joint-stop.yaml", NULL, NULL, NULL, 3, 1e-9, 0, 0},
      {"examples/road-polyline.yaml", NULL, NULL, NULL, 1, 1e-5, 0, 0},
      {"negrut/chain.yaml", "N=30", NULL, NULL, 0.5, 1e-5, 0, 0},
      {"iltis/iltis.yaml", NULL, NULL, NULL, 0.5, 1e-4, 0, 0},
      {"vlasenko/car.yaml", NULL, NULL, NULL, 0.2, 1e-4, 0, 0},
      {"components/tree.yaml", "beams=2 chains=2 links=3", NULL, "components", 0.1, 1e-5, 0, 0},
      {"components/engine.yaml", NULL, NULL, "components", 0.01, 1e-6, 0, 0},
      // conditions, states, rules and samples; conditional elements; contact modes and impacts;
      // tyres that lag
      // the condition is released at 0.0637 s; afterwards there are 3e7 steps a second
      {"../tests/data/saving/relay.yaml", NULL, NULL, NULL, 0.07, 1e-6, 0, 0.0637},
      {"../tests/data/saving/states.yaml", NULL, NULL, NULL, 1, 1e-6, 0, 0},
      {"../tests/data/saving/states.yaml", NULL, "cartesian", "multi-index", 0.05, 1e-4, 0, 0},
      {"../tests/data/saving/switches.yaml", NULL, NULL, NULL, 1.5, 1e-6, 0, 0},
      {"../tests/data/saving/friction.yaml", NULL, NULL, NULL, 2, 1e-6, 0, 0},
      {"../tests/data/saving/tyres.yaml", NULL, NULL, NULL, 0.5, 1e-5, 0, 0},
      {"contact/latch.yaml", NULL, NULL, NULL, 0.1, 1e-6, 0, 0},
      {"contact/ratchet.yaml", NULL, NULL, NULL, 0.3, 1e-5, 0, 0},
      {"contact/spheres.yaml", NULL, NULL, NULL, 0.1, 1e-4, 2e-3, 0},
      {"control/servo-excavator.yaml", NULL, NULL, NULL, 0.3, 1e-6, 0, 0},
      {"vehicles/passenger.yaml", NULL, NULL, NULL, 0.3, 1e-4, 0, 0},
  };
  int wrong = 0, count = 0;
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    hn_model *model = NULL;
    if (!is_wanted(runs[k].path)) continue;
    load(runs[k].path, runs[k].settings, &model);
    trial t = {.path = runs[k].path, .model = model, .end = runs[k].end};
    if (runs[k].quick_end > 0 && !getenv("HOLON_SWEEP")) t.end = runs[k].quick_end;
    t.options = hn_default_simulation_options();
    t.options.coordinates = runs[k].coordinates;
    if (runs[k].method) t.options.method = runs[k].method;
    t.options.tol = t.options.atol = t.options.rtol = runs[k].tol;
    t.options.step = runs[k].step;
    snprintf(t.name, sizeof t.name, "auto %s at %g", runs[k].method ? runs[k].method : "",
             runs[k].tol);
    wrong += !saving_changes_nothing_in(&t);
    count++;
    hn_model_free(model);
  }
  print_message("%d runs\n", count);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_goes_on_as_if_nobody_had_saved),
      cmocka_unit_test(auto_goes_on_as_if_nobody_had_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
