// modelDescription.xml of FMI 2.0.
#include "base/text.h"
#include "fmi/fmu.h"

static void describe_variables(const hn_fmu *fmu, hn_string *xml) {
  static const char *const roles[] = {
      " causality=\"independent\" variability=\"continuous\"",
      " causality=\"parameter\" variability=\"fixed\" initial=\"exact\"",
      " causality=\"input\" variability=\"continuous\"",
      " causality=\"output\" variability=\"continuous\" initial=\"calculated\"",
      " causality=\"local\" variability=\"continuous\" initial=\"calculated\""};
  hn_string_text(xml, "  <ModelVariables>\n");
  for (int k = 0; k < fmu->variable_count; k++) {
    const hn_fmu_exported *v = &fmu->variables[k];
    hn_string_text(xml, "    <ScalarVariable");
    hn_fmu_attribute(xml, "name", v->title);
    hn_string_add(xml, " valueReference=\"%d\"%s><Real", k, roles[v->role]);
    if (v->unit[0]) hn_fmu_attribute(xml, "unit", v->unit);
    if (v->role == HN_FMU_ROLE_PARAMETER || v->role == HN_FMU_ROLE_INPUT)
      hn_fmu_number(xml, "start", v->start);
    hn_string_text(xml, "/></ScalarVariable>\n");
  }
  hn_string_text(xml, "  </ModelVariables>\n");
}

// Indices count from 1.
static void describe_unknowns(const hn_fmu *fmu, const char *name, hn_string *xml) {
  int count = 0;
  for (int k = 0; k < fmu->variable_count; k++) {
    if (fmu->variables[k].role != HN_FMU_ROLE_OUTPUT) continue;
    if (count++ == 0) hn_string_add(xml, "    <%s>\n", name);
    hn_string_add(xml, "      <Unknown index=\"%d\"/>\n", k + 1);
  }
  if (count > 0) hn_string_add(xml, "    </%s>\n", name);
}

void hn_fmu_describe_2(const hn_fmu *fmu, hn_string *xml) {
  const hn_simulation_defaults *defaults = hn_model_defaults(fmu->model);
  hn_string_text(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<fmiModelDescription fmiVersion=\"2.0\"");
  hn_fmu_attribute(xml, "modelName", hn_model_name(fmu->model));
  hn_fmu_attribute(xml, "guid", fmu->token);
  if (hn_model_title(fmu->model)[0])
    hn_fmu_attribute(xml, "description", hn_model_title(fmu->model));
  hn_string_add(xml, " generationTool=\"Holon %s\" variableNamingConvention=\"flat\">\n",
                hn_version());
  hn_string_text(xml, "  <CoSimulation");
  hn_fmu_attribute(xml, "modelIdentifier", fmu->identifier);
  hn_string_text(xml, " canHandleVariableCommunicationStepSize=\"true\""
                      " canInterpolateInputs=\"true\" canGetAndSetFMUstate=\"true\""
                      " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n");
  hn_fmu_describe_units(fmu, xml);
  hn_string_text(xml, "  <LogCategories>\n    <Category name=\"logStatusError\" "
                      "description=\"errors of the model and of calls\"/>\n"
                      "  </LogCategories>\n  <DefaultExperiment startTime=\"0\"");
  if (defaults->time > 0) hn_fmu_number(xml, "stopTime", defaults->time);
  if (defaults->tol > 0) hn_fmu_number(xml, "tolerance", defaults->tol);
  if (defaults->output_step > 0) hn_fmu_number(xml, "stepSize", defaults->output_step);
  hn_string_text(xml, "/>\n");
  describe_variables(fmu, xml);
  hn_string_text(xml, "  <ModelStructure>\n");
  describe_unknowns(fmu, "Outputs", xml);
  describe_unknowns(fmu, "InitialUnknowns", xml);
  hn_string_text(xml, "  </ModelStructure>\n</fmiModelDescription>\n");
}
