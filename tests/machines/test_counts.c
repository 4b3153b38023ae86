// Counts of `holon check` for every model of models/: from the papers if they print it, else by
// Kutzbach's count and the known redundancies (three a planar loop, one in Bricard's loop).
#include "machines/machine.h"

typedef struct counts {
  const char *model, *setting;
  int bodies, joints, rows, rank, equations, coordinates, freedoms;
} counts;

static const counts machines[] = {
    {"iftomm/a01.yaml", NULL, 1, 1, 5, 5, 6, 7, 1},
    {"iftomm/a02.yaml", NULL, 5, 7, 35, 29, 40, 35, 1},
    {"iftomm/a02.yaml", "N=40", 81, 121, 605, 485, 686, 567, 1},
    {"iftomm/a03.yaml", NULL, 7, 10, 50, 41, 57, 49, 1},
    {"iftomm/a04.yaml", NULL, 5, 6, 30, 29, 35, 35, 1},
    {"iftomm/a05.yaml", NULL, 4, 4, 20, 20, 24, 28, 4},
    {"andrews-ivp.yaml", NULL, 7, 10, 50, 41, 57, 49, 1},
    {"car-axis.yaml", NULL, 3, 5, 16, 16, 19, 21, 2},
    {"iltis/iltis.yaml", NULL, 9, 20, 44, 44, 53, 63, 10},
    {"iltis/rest.yaml", NULL, 9, 20, 44, 44, 53, 63, 10},
    {"iltis/front-suspension.yaml", NULL, 2, 5, 11, 11, 13, 14, 1},
    {"negrut/double-pendulum.yaml", NULL, 2, 2, 10, 10, 12, 14, 2},
    {"negrut/seven-body.yaml", NULL, 7, 10, 50, 41, 57, 49, 1},
    {"negrut/chain.yaml", NULL, 50, 50, 250, 250, 300, 350, 50},
    {"negrut/chain.yaml", "N=1000", 1000, 1000, 5000, 5000, 6000, 7000, 1000},
    {"negrut/hmmwv14.yaml", NULL, 14, 21, 73, 73, 87, 98, 11},
    {"negrut/hmmwv14-stiff.yaml", NULL, 14, 21, 66, 66, 80, 98, 18},
    {"cardenal/double-pendulum.yaml", NULL, 2, 2, 10, 10, 12, 14, 2},
    {"vlasenko/steam-machine.yaml", NULL, 13, 19, 95, 77, 108, 91, 1},
    {"vlasenko/steam-machine.yaml", "driven=1", 13, 19, 96, 78, 109, 91, 0},
    {"vlasenko/car.yaml", NULL, 17, 20, 88, 88, 105, 119, 14},
    {"slider-crank.yaml", NULL, 3, 4, 20, 17, 23, 21, 1},
    {"four-bar.yaml", NULL, 3, 4, 21, 18, 24, 21, 0},
    {"double-wishbone.yaml", NULL, 4, 6, 24, 24, 28, 28, 0},
    {"gyroscope.yaml", NULL, 1, 1, 3, 3, 4, 7, 3},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static void machine_is_counted_right(void **state) {
  const counts *expected = *state;
  machine made = machine_open(expected->model, expected->setting, 0);
  hn_mobility found;
  check_ok(hn_simulation_mobility(made.simulation, &found));
  int redundant = 0;
  for (int i = 0; i < found.redundant_count; i++) redundant += found.redundant[i].row_count;
  assert_int_equal(found.bodies, expected->bodies);
  assert_int_equal(found.joints, expected->joints);
  assert_int_equal(found.rows, expected->rows);
  assert_int_equal(found.rank, expected->rank);
  assert_int_equal(found.equations, expected->equations);
  assert_int_equal(found.coordinates, expected->coordinates);
  assert_int_equal(found.speeds, 6 * expected->bodies);
  assert_int_equal(found.degrees_of_freedom, expected->freedoms);
  assert_int_equal(redundant, expected->rows - expected->rank);
  assert_int_equal(found.weightless_count, 0);
  hn_mobility_free(&found);
  machine_close(&made);
}

// Natural coordinates of a model without redundant constraints: coordinates - constraints is the
// number of degrees of freedom. Of the 94 rows of the Iltis 32 hold because bodies share points.
static void natural_rows_leave_the_freedom(void **state) {
  (void)state;
  static const char *const models[] = {"iltis/iltis.yaml", "iltis/front-suspension.yaml",
                                       "negrut/hmmwv14.yaml", "iftomm/a05.yaml"};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "natural";
    machine made = machine_open_by(models[k], NULL, &options);
    hn_mobility found;
    check_ok(hn_simulation_mobility(made.simulation, &found));
    print_message("%s: %d coordinates, %d rows\n", models[k], found.coordinates, found.equations);
    assert_int_equal(found.coordinates - found.equations, found.degrees_of_freedom);
    hn_mobility_free(&found);
    machine_close(&made);
  }
}

int main(void) {
  struct CMUnitTest tests[MACHINES + 1];
  char names[MACHINES][96];
  for (int i = 0; i < MACHINES; i++) {
    const counts *m = &machines[i];
    snprintf(names[i], sizeof names[i], "%s %s is counted right", m->model,
             m->setting ? m->setting : "");
    tests[i] = (struct CMUnitTest){
        .name = names[i], .test_func = machine_is_counted_right, .initial_state = (void *)m};
  }
  tests[MACHINES] = (struct CMUnitTest)cmocka_unit_test(natural_rows_leave_the_freedom);
  return _cmocka_run_group_tests("counts", tests, MACHINES + 1, NULL, NULL);
}
