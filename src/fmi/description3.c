// modelDescription.xml of FMI 3.0, and what both versions share.
#include <math.h>

#include "base/text.h"
#include "fmi/fmu.h"

void hn_fmu_attribute(hn_string *xml, const char *name, const char *value) {
  hn_string_add(xml, " %s=\"", name);
  hn_string_xml(xml, value);
  hn_string_text(xml, "\"");
}

void hn_fmu_number(hn_string *xml, const char *name, double value) {
  char text[HN_NUMBER_TEXT];
  hn_fmu_attribute(xml, name, hn_number_text_short(text, value));
}

static void add_exponent(hn_string *xml, const char *name, double value) {
  if (value != 0) hn_string_add(xml, " %s=\"%d\"", name, (int)value);
}

void hn_fmu_describe_units(const hn_fmu *fmu, hn_string *xml) {
  hn_string_text(xml, "  <UnitDefinitions>\n");
  for (int k = 0; k < fmu->unit_count; k++) {
    const hn_fmu_exported_unit *u = &fmu->units[k];
    hn_string_text(xml, "    <Unit");
    hn_fmu_attribute(xml, "name", u->name);
    if (!u->has_base) {
      hn_string_text(xml, "/>\n");
      continue;
    }
    hn_string_text(xml, "><BaseUnit");
    add_exponent(xml, "kg", u->dimension.mass);
    add_exponent(xml, "m", u->dimension.length);
    add_exponent(xml, "s", u->dimension.time);
    add_exponent(xml, "rad", u->dimension.angle);
    if (u->factor != 1) hn_fmu_number(xml, "factor", u->factor);
    hn_string_text(xml, "/></Unit>\n");
  }
  hn_string_text(xml, "  </UnitDefinitions>\n");
}

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
    hn_string_text(xml, "    <Float64");
    hn_fmu_attribute(xml, "name", v->title);
    hn_string_add(xml, " valueReference=\"%d\"%s", k, roles[role]);
    if (v->unit[0]) hn_fmu_attribute(xml, "unit", v->unit);
    if (v->role == HN_FMU_ROLE_PARAMETER || v->role == HN_FMU_ROLE_INPUT)
      hn_fmu_number(xml, "start", v->start);
    if (v->role == HN_FMU_ROLE_RATE) hn_string_add(xml, " derivative=\"%d\"", v->of);
    if (v->role == HN_FMU_ROLE_STATE) hn_string_text(xml, " reinit=\"true\"");
    hn_string_text(xml, "/>\n");
  }
  hn_string_text(xml, "  </ModelVariables>\n");
}

static void describe_structure(const hn_fmu *fmu, hn_string *xml) {
  static const struct {
    const char *name;
    unsigned roles;
  } groups[] = {{"Output", 1u << HN_FMU_ROLE_OUTPUT},
                {"ContinuousStateDerivative", 1u << HN_FMU_ROLE_RATE},
                {"InitialUnknown",
                 1u << HN_FMU_ROLE_OUTPUT | 1u << HN_FMU_ROLE_STATE | 1u << HN_FMU_ROLE_RATE},
                {"EventIndicator", 1u << HN_FMU_ROLE_INDICATOR}};
  hn_string_text(xml, "  <ModelStructure>\n");
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
    for (int k = 0; k < fmu->variable_count; k++)
      if (groups[g].roles >> fmu->variables[k].role & 1)
        hn_string_add(xml, "    <%s valueReference=\"%d\"/>\n", groups[g].name, k);
  hn_string_text(xml, "  </ModelStructure>\n");
}

static void describe_kinds(const hn_fmu *fmu, hn_string *xml) {
  if (fmu->options->kinds & HN_FMU_MODEL_EXCHANGE) {
    hn_string_text(xml, "  <ModelExchange");
    hn_fmu_attribute(xml, "modelIdentifier", fmu->identifier);
    hn_string_text(xml, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                        " providesDirectionalDerivatives=\"true\""
                        " providesAdjointDerivatives=\"true\""
                        " needsCompletedIntegratorStep=\"true\"/>\n");
  }
  if (!(fmu->options->kinds & HN_FMU_CO_SIMULATION)) return;
  hn_string_text(xml, "  <CoSimulation");
  hn_fmu_attribute(xml, "modelIdentifier", fmu->identifier);
  hn_string_text(xml, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                      " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\""
                      " canHandleVariableCommunicationStepSize=\"true\""
                      " providesIntermediateUpdate=\"true\" mightReturnEarlyFromDoStep=\"true\""
                      " canReturnEarlyAfterIntermediateUpdate=\"true\" hasEventMode=\"true\"/>\n");
}

void hn_fmu_describe_3(const hn_fmu *fmu, hn_string *xml) {
  const hn_simulation_defaults *defaults = hn_model_defaults(fmu->model);
  hn_string_text(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<fmiModelDescription fmiVersion=\"3.0\"");
  hn_fmu_attribute(xml, "modelName", hn_model_name(fmu->model));
  hn_fmu_attribute(xml, "instantiationToken", fmu->token);
  if (hn_model_title(fmu->model)[0])
    hn_fmu_attribute(xml, "description", hn_model_title(fmu->model));
  hn_string_add(xml, " generationTool=\"Holon %s\" variableNamingConvention=\"flat\">\n",
                hn_version());
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
  describe_structure(fmu, xml);
  hn_string_text(xml, "</fmiModelDescription>\n");
}
