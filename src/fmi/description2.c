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
    const int role = v->role < HN_FMU_ROLE_LOCAL ? (int)v->role : HN_FMU_ROLE_LOCAL;
    if (v->role == HN_FMU_ROLE_INDICATOR) continue; // they come last, and FMI 2.0 only counts them
    hn_string_text(xml, "    <ScalarVariable");
    hn_fmu_attribute(xml, "name", v->title);
    hn_string_add(xml, " valueReference=\"%d\"%s><Real", k, roles[role]);
    if (v->unit[0]) hn_fmu_attribute(xml, "unit", v->unit);
    if (v->role == HN_FMU_ROLE_PARAMETER || v->role == HN_FMU_ROLE_INPUT)
      hn_fmu_number(xml, "start", v->start);
    if (v->role == HN_FMU_ROLE_RATE) hn_string_add(xml, " derivative=\"%d\"", v->of + 1);
    if (v->role == HN_FMU_ROLE_STATE) hn_string_text(xml, " reinit=\"true\"");
    hn_string_text(xml, "/></ScalarVariable>\n");
  }
  hn_string_text(xml, "  </ModelVariables>\n");
}

// Indices count from 1. roles: bits.
static void describe_unknowns(const hn_fmu *fmu, const char *name, unsigned roles, hn_string *xml) {
  int count = 0;
  for (int k = 0; k < fmu->variable_count; k++) {
    if (!(roles >> fmu->variables[k].role & 1)) continue;
    if (count++ == 0) hn_string_add(xml, "    <%s>\n", name);
    hn_string_add(xml, "      <Unknown index=\"%d\"/>\n", k + 1);
  }
  if (count > 0) hn_string_add(xml, "    </%s>\n", name);
}

static void describe_kinds(const hn_fmu *fmu, hn_string *xml) {
  if (fmu->options->kinds & HN_FMU_MODEL_EXCHANGE) {
    hn_string_text(xml, "  <ModelExchange");
    hn_fmu_attribute(xml, "modelIdentifier", fmu->identifier);
    hn_string_text(xml, " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
                        " providesDirectionalDerivative=\"true\"/>\n");
  }
  if (!(fmu->options->kinds & HN_FMU_CO_SIMULATION)) return;
  hn_string_text(xml, "  <CoSimulation");
  hn_fmu_attribute(xml, "modelIdentifier", fmu->identifier);
  hn_string_text(xml, " canHandleVariableCommunicationStepSize=\"true\""
                      " canInterpolateInputs=\"true\" canGetAndSetFMUstate=\"true\""
                      " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\n");
}

void hn_fmu_describe_2(const hn_fmu *fmu, hn_string *xml) {
  const hn_simulation_defaults *defaults = hn_model_defaults(fmu->model);
  hn_string_text(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<fmiModelDescription fmiVersion=\"2.0\"");
  hn_fmu_attribute(xml, "modelName", hn_model_name(fmu->model));
  hn_fmu_attribute(xml, "guid", fmu->token);
  if (hn_model_title(fmu->model)[0])
    hn_fmu_attribute(xml, "description", hn_model_title(fmu->model));
  hn_string_add(xml, " generationTool=\"Holon %s\" variableNamingConvention=\"flat\"",
                hn_version());
  if (fmu->exchange)
    hn_string_add(xml, " numberOfEventIndicators=\"%d\"",
                  hn_exchange_indicator_count(fmu->exchange));
  hn_string_text(xml, ">\n");
  describe_kinds(fmu, xml);
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
  const unsigned output = 1u << HN_FMU_ROLE_OUTPUT, rate = 1u << HN_FMU_ROLE_RATE;
  describe_unknowns(fmu, "Outputs", output, xml);
  describe_unknowns(fmu, "Derivatives", rate, xml);
  describe_unknowns(fmu, "InitialUnknowns", output | rate | 1u << HN_FMU_ROLE_STATE, xml);
  hn_string_text(xml, "  </ModelStructure>\n</fmiModelDescription>\n");
}
