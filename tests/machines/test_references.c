// Models at one instant against numbers not computed with this engine: exact solutions, published
// end values, and independent computations (tests/data/README.md says which is which). Whole
// motions are compared in test_series.c.
#include "machines/machine.h"

typedef struct expectation {
  const char *output;
  double value, tolerance;
} expectation;

typedef struct reference {
  const char *claim, *model, *setting;
  double time, tol;
  expectation expected[8];
} reference;

static const reference references[] = {
    {"a01 is at its exact place after 10 s",
     "iftomm/a01.yaml",
     NULL,
     10,
     1e-9,
     {{"x", -0.275087462576, 1e-6}, {"y", -0.961419205099, 1e-6}}},
    {"a02 passes its singular positions and is at its exact place after 10 s",
     "iftomm/a02.yaml",
     NULL,
     10,
     1e-9,
     {{"B0.x", 0.328458111541, 1e-6}, {"B0.y", 0.944518538179, 1e-6}}},
    {"a03 has turned its crank as far as the reference after 0.05 s",
     "iftomm/a03.yaml",
     NULL,
     0.05,
     1e-9,
     {{"F.x", -0.00515898525018867, 1e-8},
      {"F.y", 0.00473126528407949, 1e-8},
      {"beta", 33.815340721360173777, 1e-6}}},
    {"Andrews' mechanism agrees with the IVP test set after 0.03 s",
     "andrews-ivp.yaml",
     NULL,
     0.03,
     1e-9,
     {{"beta", 15.8107711951537, 1e-6},
      {"Theta", -15.75637105841183947, 1e-6},
      {"gamma", 0.040822240119645804858, 1e-6},
      {"Phi", -0.53473011634207959377, 1e-6},
      {"delta", 0.52440996587995406937, 1e-6},
      {"Omega", 0.53473011634207959377, 1e-6},
      {"epsilon", 1.0480807410419378731, 1e-6}}},
    {"the thesis' seven-body mechanism is Andrews'",
     "negrut/seven-body.yaml",
     NULL,
     0.03,
     1e-9,
     {{"beta", 15.8107711951537, 1e-6},
      {"F.x", -0.0069630394270468515, 1e-8},
      {"F.y", -0.00071838843071910191, 1e-8}}},
    {"a04 is at its reference after 1 s",
     "iftomm/a04.yaml",
     NULL,
     1,
     1e-9,
     {{"P.x", 0.274481319265, 1e-6},
      {"P.y", -0.886707938735, 1e-6},
      {"P.z", -0.462330002687, 1e-6}}},
    {"a04 is at its reference after 10 s",
     "iftomm/a04.yaml",
     NULL,
     10,
     1e-9,
     {{"P.x", 0.999730987304, 1e-6},
      {"P.y", -0.999999963826, 1e-6},
      {"P.z", -0.000268976512, 1e-6}}},
    {"a05 has its slider at the reference after 10 s",
     "iftomm/a05.yaml",
     NULL,
     10,
     1e-9,
     {{"s", 0.619622917061, 1e-6},
      {"alpha", 0.390073701845, 1e-6},
      {"omega", 5.54820362265, 1e-5}}},
    {"the car axis agrees with the IVP test set after 3 s",
     "car-axis.yaml",
     NULL,
     3,
     1e-9,
     {{"xl", 0.0493455784275402809, 1e-7},
      {"yl", 0.496989460230171153861, 1e-7},
      {"xr", 1.04174252488542151681, 1e-7},
      {"yr", 0.373911027265361256927, 1e-7},
      {"vxl", -0.0770583684040972358, 1e-6},
      {"vyl", 0.00744686658723778553, 1e-6},
      {"vxr", 0.0175568157537232222, 1e-6},
      {"vyr", 0.770341043779251976443, 1e-6}}},
};
enum { REFERENCES = sizeof references / sizeof references[0] };

static void machine_meets_its_reference(void **state) {
  const reference *from = *state;
  machine made = machine_open(from->model, from->setting, from->tol);
  machine_advance(&made, from->time);
  for (const expectation *e = from->expected; e < from->expected + 8 && e->output; e++)
    hn_check_near(machine_value(&made, e->output), e->value, e->tolerance, e->output, from->model,
                  0);
  hn_certificate done = hn_simulation_certificate(made.simulation);
  check_at_most(done.constraint_position, 1e-9);
  assert_int_equal(done.ignored, 0);
  machine_close(&made);
}

int main(void) {
  struct CMUnitTest tests[REFERENCES];
  for (int i = 0; i < REFERENCES; i++)
    tests[i] = (struct CMUnitTest){.name = references[i].claim,
                                   .test_func = machine_meets_its_reference,
                                   .initial_state = (void *)&references[i]};
  return _cmocka_run_group_tests("references", tests, REFERENCES, NULL, NULL);
}
