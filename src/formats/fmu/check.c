// Rules of an FMU: attributes, order of elements, units, types. See file.h.
#include "formats/fmu/file.h"

#include <math.h>
#include <string.h>

// Attributes that the schema of a version has for an element, separated by blanks.
typedef struct element_rule {
  int version; // 0: both
  const char *element, *needed, *allowed;
} element_rule;

#define MANY_2                                                                                     \
  " needsExecutionTool canBeInstantiatedOnlyOncePerProcess "                                       \
  "canNotUseMemoryManagementFunctions canGetAndSetFMUstate canSerializeFMUstate "                  \
  "providesDirectionalDerivative "
#define MANY_3                                                                                     \
  " needsExecutionTool canBeInstantiatedOnlyOncePerProcess canGetAndSetFMUState "                  \
  "canSerializeFMUState providesDirectionalDerivatives providesAdjointDerivatives "                \
  "providesPerElementDependencies "
#define ABOUT                                                                                      \
  " description author version copyright license generationTool "                                  \
  "generationDateAndTime variableNamingConvention "

static const element_rule rules[] = {
    {2, "fmiModelDescription", "fmiVersion modelName guid", ABOUT "numberOfEventIndicators"},
    {3, "fmiModelDescription", "fmiVersion modelName instantiationToken", ABOUT},
    {2, "ModelExchange", "modelIdentifier", MANY_2 "completedIntegratorStepNotNeeded"},
    {2, "CoSimulation", "modelIdentifier",
     MANY_2 "canHandleVariableCommunicationStepSize canInterpolateInputs maxOutputDerivativeOrder "
            "canRunAsynchronuously"},
    {3, "ModelExchange", "modelIdentifier",
     MANY_3 "needsCompletedIntegratorStep providesEvaluateDiscreteStates"},
    {3, "CoSimulation", "modelIdentifier",
     MANY_3 "canHandleVariableCommunicationStepSize fixedInternalStepSize maxOutputDerivativeOrder "
            "recommendedIntermediateInputSmoothness providesIntermediateUpdate "
            "mightReturnEarlyFromDoStep canReturnEarlyAfterIntermediateUpdate hasEventMode "
            "providesEvaluateDiscreteStates"},
    {3, "ScheduledExecution", "modelIdentifier", MANY_3},
    {0, "DefaultExperiment", "", "startTime stopTime tolerance stepSize"},
    {0, "UnitDefinitions", "", ""},
    {0, "TypeDefinitions", "", ""},
    {0, "LogCategories", "", ""},
    {0, "ModelVariables", "", ""},
    {0, "ModelStructure", "", ""},
};

// In the order that the schemas ask for.
static const char *const order_2[] = {"ModelExchange",     "CoSimulation",   "UnitDefinitions",
                                      "TypeDefinitions",   "LogCategories",  "DefaultExperiment",
                                      "VendorAnnotations", "ModelVariables", "ModelStructure"};
static const char *const order_3[] = {"ModelExchange",     "CoSimulation",    "ScheduledExecution",
                                      "UnitDefinitions",   "TypeDefinitions", "LogCategories",
                                      "DefaultExperiment", "ModelVariables",  "ModelStructure",
                                      "Annotations"};

static int is_in_list(const char *name, const char *list) {
  const size_t length = strlen(name);
  for (const char *at = list; *at;) {
    at += strspn(at, " ");
    const size_t word = strcspn(at, " ");
    if (word == length && word > 0 && strncmp(at, name, length) == 0) return 1;
    at += word;
  }
  return 0;
}

// ---- attributes ---------------------------------------------------------------------------------

static void check_attributes(hn_fmu_file *fmu, const hn_xml *node, const element_rule *rule) {
  char name[64];
  for (const char *at = rule->needed; *at;) {
    const size_t word = strcspn(at, " ");
    memcpy(name, at, word);
    name[word] = '\0';
    if (!hn_xml_peek(node, name))
      hn_fmu_wrong(fmu, node, "<%s> has no attribute %s", node->name, name);
    at += word;
    at += strspn(at, " ");
  }
  for (int k = 0; k < node->attribute_count; k++) {
    const char *given = node->attributes[k].name;
    if (strchr(given, ':') || strcmp(given, "xmlns") == 0) continue;
    if (!is_in_list(given, rule->needed) && !is_in_list(given, rule->allowed))
      hn_fmu_wrong(fmu, node, "<%s> has the attribute %.60s, which FMI %d does not have",
                   node->name, given, fmu->facts.version);
  }
}

static void check_element(hn_fmu_file *fmu, const hn_xml *node) {
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
    if ((rules[k].version == 0 || rules[k].version == fmu->facts.version) &&
        strcmp(rules[k].element, node->name) == 0)
      check_attributes(fmu, node, &rules[k]);
}

static void check_order(hn_fmu_file *fmu) {
  const int is_2 = fmu->facts.version == 2;
  const char *const *order = is_2 ? order_2 : order_3;
  const int count =
      is_2 ? (int)(sizeof order_2 / sizeof *order_2) : (int)(sizeof order_3 / sizeof *order_3);
  int last = -1;
  for (const hn_xml *node = fmu->root->first; node; node = node->next) {
    const int index = hn_fmu_word(node->name, order, count);
    if (index < 0)
      hn_fmu_wrong(fmu, node, "<%.60s> is no element of FMI %d", node->name, fmu->facts.version);
    else if (index == last)
      hn_fmu_wrong(fmu, node, "<%s> occurs twice", node->name);
    else if (index < last)
      hn_fmu_wrong(fmu, node, "<%s> must be in front of <%s>", node->name, order[last]);
    if (index > last) last = index;
    check_element(fmu, node);
  }
  if (!hn_xml_child(fmu->root, "ModelVariables"))
    hn_fmu_wrong(fmu, fmu->root, "<ModelVariables> is missing");
  if (!hn_xml_child(fmu->root, "ModelStructure"))
    hn_fmu_wrong(fmu, fmu->root, "<ModelStructure> is missing");
}

static int is_identifier(const char *text) {
  if (!*text || (*text >= '0' && *text <= '9')) return 0;
  for (; *text; text++)
    if (!(*text == '_' || (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
          (*text >= 'A' && *text <= 'Z')))
      return 0;
  return 1;
}

static void check_kinds(hn_fmu_file *fmu) {
  const hn_fmu_facts *facts = &fmu->facts;
  if (!facts->kinds)
    hn_fmu_wrong(fmu, fmu->root, "neither <ModelExchange> nor <CoSimulation>%s is there",
                 facts->version == 3 ? " nor <ScheduledExecution>" : "");
  for (int k = 0; k < HN_FMU_KINDS; k++) {
    const hn_xml *node = fmu->kind[k];
    if (node && facts->identifier[k][0] && !is_identifier(facts->identifier[k]))
      hn_fmu_wrong(fmu, node, "modelIdentifier=\"%.100s\" is not a C identifier",
                   facts->identifier[k]);
    if (node && !(facts->can_save & (1 << k)) && (facts->can_serialize & (1 << k)))
      hn_fmu_wrong(fmu, node, "<%s> can serialize states, but cannot get and set them", node->name);
  }
}

static void check_experiment(hn_fmu_file *fmu) {
  const hn_fmu_facts *facts = &fmu->facts;
  const hn_xml *node = hn_xml_child(fmu->root, "DefaultExperiment");
  if (facts->stop < facts->start)
    hn_fmu_wrong(fmu, node, "stopTime %g is before startTime %g", facts->stop, facts->start);
  if (facts->tolerance <= 0) hn_fmu_wrong(fmu, node, "tolerance is not above 0");
  if (facts->step <= 0) hn_fmu_wrong(fmu, node, "stepSize is not above 0");
}

// ---- units and types ----------------------------------------------------------------------------

static const char *const bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};

static void check_base(hn_fmu_file *fmu, const hn_xml *node) {
  double factor;
  int is_negative;
  unsigned long long exponent;
  for (int k = 0; k < node->attribute_count; k++) {
    const char *name = node->attributes[k].name, *value = node->attributes[k].value;
    if (hn_fmu_word(name, bases, (int)(sizeof bases / sizeof *bases)) >= 0) {
      const size_t used = hn_fmu_read_whole(value, &is_negative, &exponent);
      if (used == 0 || value[used])
        hn_fmu_wrong(fmu, node, "<BaseUnit> has %s=\"%.40s\", which is not a whole number", name,
                     value);
    } else if (strcmp(name, "factor") != 0 && strcmp(name, "offset") != 0) {
      hn_fmu_wrong(fmu, node, "<BaseUnit> has %.40s, which is no base unit", name);
    }
  }
  if (hn_fmu_read_number(fmu, node, "factor", &factor) && factor == 0)
    hn_fmu_wrong(fmu, node, "<BaseUnit> has the factor 0");
  hn_fmu_read_number(fmu, node, "offset", &factor);
}

static void check_definitions(hn_fmu_file *fmu, const hn_fmu_names *names, const char *what) {
  for (int k = 0; k < names->count; k++) {
    const hn_xml *node = names->nodes[k];
    const char *name = hn_xml_peek(node, "name");
    const char *before = k > 0 ? hn_xml_peek(names->nodes[k - 1], "name") : NULL;
    if (!name)
      hn_fmu_wrong(fmu, node, "a %s has no name", what);
    else if (before && strcmp(before, name) == 0)
      hn_fmu_wrong(fmu, node, "the %s '%.100s' is defined twice", what, name);
  }
}

static void check_units(hn_fmu_file *fmu) {
  check_definitions(fmu, &fmu->units, "unit");
  for (int k = 0; k < fmu->units.count; k++)
    for (const hn_xml *node = fmu->units.nodes[k]->first; node; node = node->next) {
      if (strcmp(node->name, "BaseUnit") == 0) check_base(fmu, node);
      if (strcmp(node->name, "DisplayUnit") == 0 && !hn_xml_peek(node, "name"))
        hn_fmu_wrong(fmu, node, "a <DisplayUnit> has no name");
    }
}

static void check_types(hn_fmu_file *fmu) {
  check_definitions(fmu, &fmu->types, "type");
  for (int k = 0; k < fmu->types.count; k++) {
    const hn_xml *node = fmu->types.nodes[k];
    const char *name = hn_xml_peek(node, "name");
    if (fmu->facts.version == 2) node = node->first;
    if (!node)
      hn_fmu_wrong(fmu, fmu->types.nodes[k], "the type '%.100s' is empty", name ? name : "");
    else if (strncmp(node->name, "Enumeration", 11) == 0 && !hn_xml_child(node, "Item"))
      hn_fmu_wrong(fmu, node, "the enumeration '%.100s' has no <Item>", name ? name : "");
  }
}

void hn_fmu_check(hn_fmu_file *fmu) {
  check_element(fmu, fmu->root);
  check_order(fmu);
  check_kinds(fmu);
  check_experiment(fmu);
  check_units(fmu);
  check_types(fmu);
}
