// FMUs around the program of program/: written by tests, for both versions and kinds.
#ifndef HN_TESTS_FMI_PROGRAM_H
#define HN_TESTS_FMI_PROGRAM_H

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/zip.h"
#include "support/check.h"

// Variables of program/model.h; of type Real and Float64.
typedef struct program_variable {
  const char *name;
  int reference;
  const char *role; // attributes
  const char *start;
} program_variable;

static const program_variable program_variables[] = {
    {"x0", 0, "causality=\"output\" initial=\"exact\"", "1"},
    {"x1", 1, "causality=\"output\" initial=\"exact\"", "0"},
    {"der(x0)", 2, "", NULL},
    {"der(x1)", 3, "", NULL},
    {"e", 4, "causality=\"parameter\" variability=\"fixed\"", "0.7"},
    {"count", 5, "causality=\"output\" variability=\"discrete\"", NULL},
    {"rest", 6, "causality=\"output\" variability=\"discrete\"", NULL},
    {"force", 7, "causality=\"input\"", "0"},
    {"mass", 8, "causality=\"parameter\" variability=\"fixed\"", "1"},
    {"stiffness", 9, "causality=\"parameter\" variability=\"fixed\"", "1"},
    {"damping", 10, "causality=\"parameter\" variability=\"fixed\"", "0"},
    {"speed", 13, "causality=\"input\"", "0"},
    {"pull", 14, "causality=\"output\"", NULL},
};
enum { PROGRAM_VARIABLES = sizeof program_variables / sizeof *program_variables };

static inline void add_program_variables(hn_string *xml, int version) {
  hn_string_text(xml, "<ModelVariables>\n");
  if (version == 3)
    hn_string_text(xml, "<Float64 name=\"time\" valueReference=\"99\" "
                        "causality=\"independent\"/>\n");
  for (int k = 0; k < PROGRAM_VARIABLES; k++) {
    const program_variable *v = &program_variables[k];
    hn_string_add(xml, "<%s name=\"%s\" valueReference=\"%d\" %s",
                  version == 2 ? "ScalarVariable" : "Float64", v->name, v->reference, v->role);
    if (version == 2) hn_string_text(xml, "><Real");
    if (v->start) hn_string_add(xml, " start=\"%s\"", v->start);
    if (k == 2 || k == 3) hn_string_add(xml, " derivative=\"%d\"", k - 2 + (version == 2));
    hn_string_text(xml, version == 2 ? "/></ScalarVariable>\n" : "/>\n");
  }
  hn_string_text(xml, "</ModelVariables>\n");
}

static inline void add_program_structure(hn_string *xml, int version) {
  static const char *const structures[] = {
      "<Outputs><Unknown index=\"1\"/><Unknown index=\"2\"/><Unknown index=\"6\"/><Unknown "
      "index=\"7\"/><Unknown index=\"13\"/></Outputs><Derivatives><Unknown index=\"3\"/><Unknown "
      "index=\"4\"/>"
      "</Derivatives><InitialUnknowns><Unknown index=\"3\"/><Unknown index=\"4\"/><Unknown "
      "index=\"6\"/><Unknown index=\"7\"/><Unknown index=\"13\"/></InitialUnknowns>",
      "<Output valueReference=\"0\"/><Output valueReference=\"1\"/><Output valueReference=\"5\"/>"
      "<Output valueReference=\"6\"/><Output valueReference=\"14\"/>"
      "<ContinuousStateDerivative valueReference=\"2\"/>"
      "<ContinuousStateDerivative valueReference=\"3\"/><InitialUnknown valueReference=\"2\"/>"
      "<InitialUnknown valueReference=\"3\"/><InitialUnknown valueReference=\"5\"/>"
      "<InitialUnknown valueReference=\"6\"/><InitialUnknown valueReference=\"14\"/>"
      "<EventIndicator valueReference=\"0\"/>"};
  hn_string_add(xml, "<ModelStructure>%s</ModelStructure>\n</fmiModelDescription>\n",
                structures[version == 3]);
}

// Writes an FMU of a model; saves: it can save its state.
static inline void write_program(const char *path, const char *model, int version, int saves) {
  hn_string xml = {0};
  hn_zip zip;
  hn_error error = {0};
  char *library = NULL, flags[200] = "";
  size_t size = 0;
  if (saves)
    snprintf(flags, sizeof flags, "canGetAndSetFMU%s=\"true\" canSerializeFMU%s=\"true\"",
             version == 2 ? "state" : "State", version == 2 ? "state" : "State");
  hn_string_add(&xml,
                "<fmiModelDescription fmiVersion=\"%d.0\" modelName=\"%s\" %s=\"%s\"%s>\n"
                "<ModelExchange modelIdentifier=\"unit\" %s/>\n"
                "<CoSimulation modelIdentifier=\"unit\" "
                "canHandleVariableCommunicationStepSize=\"true\" %s/>\n"
                "<DefaultExperiment startTime=\"0\" stopTime=\"1\" stepSize=\"0.01\"/>\n",
                version, model, version == 2 ? "guid" : "instantiationToken", model,
                version == 2 ? " numberOfEventIndicators=\"1\"" : "", flags, flags);
  add_program_variables(&xml, version);
  add_program_structure(&xml, version);
  check_ok(hn_file_read(HOLON_TEST_FMU, &library, &size, &error));
  check_ok(hn_zip_create(&zip, path, &error));
  const hn_zip_bytes text = {xml.data, xml.length}, binary = {library, size};
  hn_zip_add(&zip, "modelDescription.xml", &text, 1);
  hn_zip_add(&zip, version == 2 ? "binaries/linux64/unit.so" : "binaries/x86_64-linux/unit.so",
             &binary, 1);
  check_ok(hn_zip_finish(&zip, &error));
  hn_string_free(&xml);
  hn_release(NULL, library);
}

#endif
