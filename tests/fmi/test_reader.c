// FMUs of other programs, read without running them: facts, variables, and each broken rule of the
// standard found. Archives that attack their reader end in an error.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/zip.h"
#include "holon/fmu.h"
#include "support/check.h"

#define PATH HOLON_TEST_OUTPUT_DIR "/read.fmu"

// Right by the standard: a bouncing ball in both versions, with an array in FMI 3.
static const char *const ball_2 =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"Ball\" guid=\"{1}\" "
    "numberOfEventIndicators=\"1\">\n"
    "<ModelExchange modelIdentifier=\"Ball\" canGetAndSetFMUstate=\"true\"/>\n"
    "<CoSimulation modelIdentifier=\"Ball\" canHandleVariableCommunicationStepSize=\"true\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\"/><DisplayUnit name=\"mm\" "
    "factor=\"1000\"/></Unit><Unit name=\"m/s\"><BaseUnit m=\"1\" s=\"-1\"/></Unit>"
    "</UnitDefinitions>\n"
    "<TypeDefinitions><SimpleType name=\"Mode\"><Enumeration><Item name=\"a\" value=\"1\"/>"
    "</Enumeration></SimpleType></TypeDefinitions>\n"
    "<DefaultExperiment startTime=\"0\" stopTime=\"3\" stepSize=\"1e-2\"/>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name=\"h\" valueReference=\"1\" causality=\"output\" initial=\"exact\">"
    "<Real unit=\"m\" displayUnit=\"mm\" start=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"der(h)\" valueReference=\"2\"><Real unit=\"m/s\" derivative=\"1\"/>"
    "</ScalarVariable>\n"
    "<ScalarVariable name=\"e\" valueReference=\"3\" causality=\"parameter\" "
    "variability=\"fixed\"><Real start=\"0.7\" min=\"0.5\" max=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"mode\" valueReference=\"3\" causality=\"input\" "
    "variability=\"discrete\"><Enumeration declaredType=\"Mode\" start=\"1\"/></ScalarVariable>\n"
    "<ScalarVariable name=\"on\" valueReference=\"0\" causality=\"local\" "
    "variability=\"discrete\" initial=\"approx\"><Boolean start=\"true\"/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Outputs><Unknown index=\"1\" dependencies=\"\"/></Outputs>\n"
    "<Derivatives><Unknown index=\"2\" dependencies=\"1 3\" dependenciesKind=\"dependent "
    "fixed\"/></Derivatives>\n"
    "<InitialUnknowns><Unknown index=\"2\"/></InitialUnknowns></ModelStructure>\n"
    "</fmiModelDescription>\n";

static const char *const ball_3 =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"Ball\" instantiationToken=\"{1}\">\n"
    "<CoSimulation modelIdentifier=\"Ball\" hasEventMode=\"true\" canGetAndSetFMUState=\"true\" "
    "canSerializeFMUState=\"true\"/>\n"
    "<UnitDefinitions><Unit name=\"m\"><BaseUnit m=\"1\"/></Unit></UnitDefinitions>\n"
    "<ModelVariables>\n"
    "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>\n"
    "<UInt64 name=\"n\" valueReference=\"1\" causality=\"structuralParameter\" start=\"3\"/>\n"
    "<Float64 name=\"x\" valueReference=\"2\" causality=\"output\" initial=\"exact\" unit=\"m\" "
    "start=\"1 2 3\"><Dimension valueReference=\"1\"/></Float64>\n"
    "<Float64 name=\"der(x)\" valueReference=\"3\" derivative=\"2\"><Dimension "
    "valueReference=\"1\"/></Float64>\n"
    "<Int8 name=\"k\" valueReference=\"4\" causality=\"input\" start=\"-128\"/>\n"
    "<String name=\"s\" valueReference=\"5\" causality=\"parameter\"><Start value=\"a\"/>"
    "</String>\n"
    "<Clock name=\"c\" valueReference=\"6\" causality=\"input\" "
    "intervalVariability=\"triggered\"/>\n"
    "<Float64 name=\"sampled\" valueReference=\"7\" variability=\"discrete\" clocks=\"6\"/>\n"
    "<Float64 name=\"z\" valueReference=\"8\"/>\n"
    "</ModelVariables>\n"
    "<ModelStructure><Output valueReference=\"2\"/><ContinuousStateDerivative "
    "valueReference=\"3\"/><InitialUnknown valueReference=\"3\"/><EventIndicator "
    "valueReference=\"8\"/></ModelStructure>\n"
    "</fmiModelDescription>\n";

static void write_fmu(const char *description, const char *more, const void *bytes, size_t size) {
  hn_zip zip;
  hn_error error = {0};
  check_ok(hn_zip_create(&zip, PATH, &error));
  const hn_zip_bytes text = {description, strlen(description)}, other = {bytes, size};
  hn_zip_add(&zip, "modelDescription.xml", &text, 1);
  if (more) hn_zip_add(&zip, more, &other, 1);
  check_ok(hn_zip_finish(&zip, &error));
}

static hn_fmu_file *read_text(const char *description) {
  hn_fmu_file *fmu = NULL;
  hn_error error = {0};
  write_fmu(description, "binaries/other/Ball.so", "", 0);
  if (hn_fmu_open(PATH, &fmu, &error) != HN_OK) print_error("%s\n", error.message);
  assert_non_null(fmu);
  return fmu;
}

static void print_findings(const hn_fmu_file *fmu) {
  for (int k = 0; hn_fmu_finding_of(fmu, k); k++)
    print_error("%s:%d: %s\n", hn_fmu_finding_of(fmu, k)->file, hn_fmu_finding_of(fmu, k)->line,
                hn_fmu_finding_of(fmu, k)->message);
}

// ---- what is right --------------------------------------------------------------------------------

static void facts_are_those_of_the_file(void **state) {
  (void)state;
  hn_fmu_file *fmu = read_text(ball_2);
  const hn_fmu_facts *f = hn_fmu_facts_of(fmu);
  if (f->error_count) print_findings(fmu);
  assert_int_equal(f->error_count, 0);
  assert_int_equal(f->version, 2);
  assert_int_equal(f->kinds, HN_FMU_MODEL_EXCHANGE | HN_FMU_CO_SIMULATION);
  assert_int_equal(f->can_save, HN_FMU_MODEL_EXCHANGE);
  assert_int_equal(f->state_count, 1);
  assert_int_equal(f->indicator_count, 1);
  assert_true(f->has_variable_steps && f->stop == 3 && f->step == 1e-2 && isnan(f->tolerance));
  assert_int_equal(f->variable_count, 5);
  assert_string_equal(hn_fmu_variable_of(fmu, 0)->unit, "m");
  assert_string_equal(hn_fmu_variable_of(fmu, 1)->variability, "continuous");
  assert_string_equal(hn_fmu_variable_of(fmu, 1)->initial, "calculated");
  assert_int_equal(hn_fmu_variable_of(fmu, 1)->derivative_of, 0);
  assert_string_equal(hn_fmu_variable_of(fmu, 3)->type, "Enumeration");
  assert_null(hn_fmu_variable_of(fmu, 5));
  assert_string_equal(hn_fmu_platform(fmu, 0), "other");
  hn_fmu_file_free(fmu);
  fmu = read_text(ball_3);
  f = hn_fmu_facts_of(fmu);
  if (f->error_count) print_findings(fmu);
  assert_int_equal(f->error_count, 0);
  assert_int_equal(f->version, 3);
  assert_int_equal(f->state_count, 3); // an array
  assert_int_equal(hn_fmu_variable_of(fmu, 2)->count, 3);
  assert_true(f->has_event_mode && f->can_serialize == HN_FMU_CO_SIMULATION);
  char *json = NULL;
  check_ok(hn_fmu_json(fmu, &json, NULL));
  assert_non_null(strstr(json, "\"derivative_of\": \"x\""));
  hn_text_free(json);
  hn_fmu_file_free(fmu);
}

// ---- rules ----------------------------------------------------------------------------------------

typedef struct breach {
  const char *from, *to, *finding; // the first `from` becomes `to`
} breach;

static void check_breach(const char *right, const breach *b) {
  char text[8000];
  const char *at = strstr(right, b->from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - right), right, b->to, at + strlen(b->from));
  hn_fmu_file *fmu = read_text(text);
  int is_found = 0;
  for (int k = 0; hn_fmu_finding_of(fmu, k); k++)
    if (strstr(hn_fmu_finding_of(fmu, k)->message, b->finding)) {
      is_found = 1;
      assert_int_equal(hn_fmu_finding_of(fmu, k)->severity, HN_FMU_ERROR);
    }
  if (!is_found) {
    print_error("'%s' for '%s': not found: %s\n", b->to, b->from, b->finding);
    print_findings(fmu);
  }
  assert_true(is_found);
  hn_fmu_file_free(fmu);
}

static void broken_rules_of_fmi_2_are_found(void **state) {
  (void)state;
  static const breach breaches[] = {
      {" guid=\"{1}\"", "", "has no attribute guid"},
      {" guid=", " wrong=\"1\" guid=", "the attribute wrong"},
      {"modelIdentifier=\"Ball\"", "modelIdentifier=\"a-b\"", "is not a C identifier"},
      {"canGetAndSetFMUstate=\"true\"", "canSerializeFMUstate=\"true\"", "cannot get and set"},
      {"stopTime=\"3\"", "stopTime=\"-3\"", "before startTime"},
      {"stopTime=\"3\"", "stopTime=\"3,0\"", "is not a number"},
      {"<BaseUnit m=\"1\"/>", "<BaseUnit m=\"x\"/>", "not a whole number"},
      {"name=\"m/s\"", "name=\"m\"", "is defined twice"},
      {" unit=\"m/s\"", " unit=\"km/h\"", "'km/h', which is not defined"},
      {"displayUnit=\"mm\"", "displayUnit=\"cm\"", "does not define"},
      {"<Item name=\"a\" value=\"1\"/>", "", "has no <Item>"},
      {"name=\"e\"", "name=\"h\"", "two variables have the name 'h'"},
      {"name=\"e\" valueReference=\"3\"", "name=\"e\"", "has no valueReference"},
      {"causality=\"output\"", "causality=\"outlet\"", "the standard does not have"},
      {"causality=\"parameter\" variability=\"fixed\"",
       "causality=\"parameter\" variability=\"continuous\"", "with variability continuous"},
      {"<Boolean start=\"true\"/>", "<Boolean start=\"yes\"/>", "which is no Boolean"},
      {"<Boolean start=\"true\"/>", "<Boolean/>", "has no start value"},
      {"derivative=\"1\"/>", "derivative=\"1\" start=\"0\"/>", "must not have a start value"},
      {"derivative=\"1\"", "derivative=\"9\"", "does not exist"},
      {"start=\"0.7\"", "start=\"0.2\"", "outside of 0.5 to 1"},
      {"variability=\"discrete\" initial=\"approx\"",
       "variability=\"continuous\" initial=\"approx\"", "its type is Boolean"},
      {"variability=\"discrete\"><Enum", "variability=\"discrete\" initial=\"exact\"><Enum",
       "with initial="},
      {" declaredType=\"Mode\"", "", "has no declaredType"},
      {"declaredType=\"Mode\"", "declaredType=\"None\"", "which is not defined"},
      {"<Unknown index=\"1\" dependencies=\"\"/>", "", "is not in <ModelStructure>"},
      {"<InitialUnknowns><Unknown index=\"2\"/>", "<InitialUnknowns>",
       "not among the initial unknowns"},
      {"<InitialUnknowns>", "<InitialUnknowns><Unknown index=\"1\"/>",
       "must not be an initial unknown"},
      {"<InitialUnknowns><Unknown index=\"2\"/>", "<InitialUnknowns><Unknown index=\"7\"/>",
       "does not exist"},
      {"dependencies=\"1 3\"", "dependencies=\"1 9\"", "is no variable"},
      {"dependent fixed", "dependent", "dependenciesKind"},
      {"<DefaultExperiment", "<LogCategories/><UnitDefinitions/><DefaultExperiment",
       "must be in front of"},
  };
  for (size_t k = 0; k < sizeof breaches / sizeof *breaches; k++)
    check_breach(ball_2, &breaches[k]);
}

static void broken_rules_of_fmi_3_are_found(void **state) {
  (void)state;
  static const breach breaches[] = {
      {"<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>", "",
       "no variable is independent"},
      {"name=\"z\" valueReference=\"8\"",
       "name=\"z\" valueReference=\"8\" causality=\"independent\"", "second independent"},
      {"valueReference=\"4\"", "valueReference=\"5\"", "have the valueReference 5"},
      {"start=\"1 2 3\"", "start=\"1 2\"", "has 2 start values for 3 numbers"},
      {"start=\"-128\"", "start=\"-129\"", "which is no Int8"},
      {"<Dimension valueReference=\"1\"/>", "<Dimension valueReference=\"4\"/>",
       "no UInt64 structural parameter"},
      {"<Dimension valueReference=\"1\"/>", "<Dimension/>", "either start or valueReference"},
      {"<Start value=\"a\"/>", "", "has no start value"},
      {" intervalVariability=\"triggered\"", "", "has no intervalVariability"},
      {"clocks=\"6\"", "clocks=\"2\"", "which names no clock"},
      {"<EventIndicator valueReference=\"8\"/>", "<EventIndicator valueReference=\"7\"/>",
       "is not continuous"},
      {"<Output valueReference=\"2\"/>", "", "is not in <ModelStructure>"},
      {"<ContinuousStateDerivative valueReference=\"3\"/>",
       "<ContinuousStateDerivative valueReference=\"8\"/>", "has no attribute derivative"},
      {"<InitialUnknown valueReference=\"3\"/>", "", "not among the initial unknowns"},
      {"<Output valueReference=\"2\"/>", "<Output/>", "has no valueReference"},
      {"<Int8 ", "<Int7 ", "is no variable with a type of FMI 3"},
      {"causality=\"structuralParameter\"", "causality=\"structuralParameter\" initial=\"approx\"",
       "with initial="},
      {"<CoSimulation modelIdentifier=\"Ball\"", "<CoSimulation", "no attribute modelIdentifier"},
  };
  for (size_t k = 0; k < sizeof breaches / sizeof *breaches; k++)
    check_breach(ball_3, &breaches[k]);
}

// ---- binaries -------------------------------------------------------------------------------------

static int has_finding(const hn_fmu_file *fmu, const char *text) {
  for (int k = 0; hn_fmu_finding_of(fmu, k); k++)
    if (strstr(hn_fmu_finding_of(fmu, k)->message, text)) return 1;
  return 0;
}

// The library of every exported FMU has all functions; cut anywhere it is an error or a finding.
static void symbols_are_read_from_the_binary(void **state) {
  (void)state;
  char *bytes = NULL;
  size_t size = 0;
  hn_error error = {0};
  hn_fmu_file *fmu = NULL;
  check_ok(hn_file_read(HOLON_FMU_RUNTIME, &bytes, &size, &error));
  write_fmu(ball_3, "binaries/x86_64-linux/Ball.so", bytes, size);
  check_ok(hn_fmu_open(PATH, &fmu, &error));
#if defined(__x86_64__)
  if (hn_fmu_facts_of(fmu)->error_count) print_findings(fmu);
  assert_int_equal(hn_fmu_facts_of(fmu)->error_count, 0);
  hn_fmu_file_free(fmu);
  for (char *at = bytes; (at = memchr(at, 'f', (size_t)(bytes + size - at))) != NULL; at++)
    if (bytes + size - at > 11 && memcmp(at, "fmi3DoStep", 11) == 0) *at = 'g';
  write_fmu(ball_3, "binaries/x86_64-linux/Ball.so", bytes, size);
  check_ok(hn_fmu_open(PATH, &fmu, &error));
  assert_true(has_finding(fmu, "does not export fmi3DoStep"));
  hn_fmu_file_free(fmu);
  write_fmu(ball_3, "binaries/x86_64-linux/Other.so", bytes, size);
  check_ok(hn_fmu_open(PATH, &fmu, &error));
  assert_true(has_finding(fmu, "is missing"));
  for (size_t cut = 0; cut < 4096; cut += 173) {
    hn_fmu_file_free(fmu);
    write_fmu(ball_3, "binaries/x86_64-linux/Ball.so", bytes, cut);
    check_ok(hn_fmu_open(PATH, &fmu, &error));
    assert_true(hn_fmu_facts_of(fmu)->error_count + hn_fmu_facts_of(fmu)->warning_count > 0);
  }
#endif
  hn_fmu_file_free(fmu);
  hn_release(NULL, bytes);
}

// ---- attacks --------------------------------------------------------------------------------------

static void check_rejected(const char *reason) {
  hn_fmu_file *fmu = NULL;
  hn_error error = {0};
  assert_true(hn_fmu_open(PATH, &fmu, &error) != HN_OK);
  assert_null(fmu);
  if (!strstr(error.message, reason)) print_error("%s\n", error.message);
  assert_non_null(strstr(error.message, reason));
}

static void write_bytes(const void *bytes, size_t size) {
  hn_error error = {0};
  check_ok(hn_file_write_bytes(PATH, bytes, size, &error));
}

static void hostile_files_are_rejected(void **state) {
  (void)state;
  char text[8000];
  write_bytes("", 0);
  check_rejected("");
  write_bytes("PK", 2);
  check_rejected("not an archive");
  write_fmu("<a/>", NULL, NULL, 0);
  check_rejected("not <fmiModelDescription>");
  write_fmu("<fmiModelDescription", NULL, NULL, 0);
  check_rejected("not well-formed");
  write_fmu("<fmiModelDescription fmiVersion=\"1.0\"/>", NULL, NULL, 0);
  check_rejected("FMI version '1.0'");
  write_fmu("<!DOCTYPE a [<!ENTITY b \"cccc\">]><fmiModelDescription/>", NULL, NULL, 0);
  check_rejected("document types");
  write_fmu(ball_3, "../escape.so", "x", 1);
  check_rejected("leaves its folder");
  write_fmu(ball_3, "binaries/x/../../escape.so", "x", 1);
  check_rejected("leaves its folder");
  // an array that would take all memory
  const char *at = strstr(ball_3, "start=\"3\"");
  snprintf(text, sizeof text, "%.*sstart=\"99999999999999\"%s", (int)(at - ball_3), ball_3, at + 9);
  write_fmu(text, NULL, NULL, 0);
  check_rejected("the limits");
  at = strstr(ball_2, "Indicators=\"1\"");
  snprintf(text, sizeof text, "%.*sIndicators=\"4294967295\"%s", (int)(at - ball_2), ball_2,
           at + 14);
  write_fmu(text, NULL, NULL, 0);
  check_rejected("event indicators");
}

// A directory that claims 4 GB of zeros in a member of a few bytes.
static void bombs_are_rejected(void **state) {
  (void)state;
  char *bytes = NULL;
  size_t size = 0;
  hn_error error = {0};
  write_fmu(ball_3, NULL, NULL, 0);
  check_ok(hn_file_read(PATH, &bytes, &size, &error));
  for (size_t k = 0; k + 46 < size; k++) {
    if (memcmp(bytes + k, "PK\1\2", 4) != 0) continue;
    bytes[k + 10] = 8; // deflated
    memset(bytes + k + 24, 0xff, 4);
  }
  write_bytes(bytes, size);
  check_rejected("sizes of a member");
  hn_release(NULL, bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_are_those_of_the_file),
      cmocka_unit_test(broken_rules_of_fmi_2_are_found),
      cmocka_unit_test(broken_rules_of_fmi_3_are_found),
      cmocka_unit_test(symbols_are_read_from_the_binary),
      cmocka_unit_test(hostile_files_are_rejected),
      cmocka_unit_test(bombs_are_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
