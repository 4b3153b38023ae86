// Opens an FMU: archive, attributes of modelDescription.xml, checks. See file.h.
#include "formats/fmu/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/expression.h"

const char *const hn_fmu_kind_names[HN_FMU_KINDS] = {"ModelExchange", "CoSimulation",
                                                     "ScheduledExecution"};

int hn_fmu_word(const char *word, const char *const *words, int count) {
  for (int k = 0; word && k < count; k++)
    if (words[k] && strcmp(word, words[k]) == 0) return k;
  return -1;
}

// ---- findings -----------------------------------------------------------------------------------

// Errors push out what is less severe when there are too many.
static hn_fmu_finding *slot_of(hn_fmu_file *fmu, hn_fmu_severity severity) {
  if (fmu->finding_count < HN_FMU_FINDINGS) return &fmu->findings[fmu->finding_count++];
  for (int k = HN_FMU_FINDINGS - 1; k >= 0; k--)
    if (fmu->findings[k].severity < severity) return &fmu->findings[k];
  return NULL;
}

void hn_fmu_find(hn_fmu_file *fmu, hn_fmu_severity severity, const char *file, int line,
                 const char *format, ...) {
  if (severity == HN_FMU_ERROR) fmu->facts.error_count++;
  if (severity == HN_FMU_WARNING) fmu->facts.warning_count++;
  hn_fmu_finding *slot = slot_of(fmu, severity);
  if (!slot) return;
  hn_string text = {0};
  va_list arguments;
  va_start(arguments, format);
  hn_string_add_list(&text, format, arguments);
  va_end(arguments);
  const char *message = hn_arena_copy_string(&fmu->arena, text.data ? text.data : "");
  *slot = (hn_fmu_finding){severity, file, line, message ? message : ""};
  hn_string_free(&text);
}

// By severity; in each as they were found.
static void sort_findings(hn_fmu_file *fmu) {
  hn_fmu_finding sorted[HN_FMU_FINDINGS];
  int count = 0;
  for (int severity = HN_FMU_ERROR; severity >= HN_FMU_NOTE; severity--)
    for (int k = 0; k < fmu->finding_count; k++)
      if ((int)fmu->findings[k].severity == severity) sorted[count++] = fmu->findings[k];
  memcpy(fmu->findings, sorted, (size_t)count * sizeof *sorted);
}

// ---- values of attributes -----------------------------------------------------------------------

size_t hn_fmu_read_decimal(const char *text, double *value) {
  const size_t sign = text[0] == '-' || text[0] == '+';
  size_t length = strlen(text + sign);
  if (length > HN_NUMBER_LENGTH) length = HN_NUMBER_LENGTH + 1;
  size_t used = 3;
  if (strncmp(text + sign, "INF", 3) == 0)
    *value = HUGE_VAL;
  else if (!sign && strncmp(text, "NaN", 3) == 0)
    *value = NAN;
  else
    used = hn_number_read(text + sign, length, value);
  if (used == 0) return 0;
  if (text[0] == '-') *value = -*value;
  return sign + used;
}

size_t hn_fmu_read_whole(const char *text, int *is_negative, unsigned long long *value) {
  size_t used = 0;
  *is_negative = text[0] == '-';
  *value = 0;
  if (text[0] == '-' || text[0] == '+') used++;
  const size_t first = used;
  for (; text[used] >= '0' && text[used] <= '9'; used++) {
    const unsigned digit = (unsigned)(text[used] - '0');
    if (*value > (~0ull - digit) / 10) return 0;
    *value = 10 * *value + digit;
  }
  return used > first ? used : 0;
}

int hn_fmu_read_number(hn_fmu_file *fmu, const hn_xml *node, const char *name, double *value) {
  const char *text = hn_xml_peek(node, name);
  if (!text) return 0;
  const size_t used = hn_fmu_read_decimal(text, value);
  if (used > 0 && !text[used]) return 1;
  hn_fmu_wrong(fmu, node, "<%.40s> has %s=\"%.60s\", which is not a number", node->name, name,
               text);
  return 0;
}

int hn_fmu_read_unsigned(hn_fmu_file *fmu, const hn_xml *node, const char *name, unsigned *value) {
  const char *text = hn_xml_peek(node, name);
  int is_negative;
  unsigned long long number;
  if (!text) return 0;
  const size_t used = hn_fmu_read_whole(text, &is_negative, &number);
  *value = (unsigned)number;
  if (used > 0 && !text[used] && !is_negative && number <= 0xffffffffull) return 1;
  hn_fmu_wrong(fmu, node, "<%.40s> has %s=\"%.60s\", which is not a whole number below 2^32",
               node->name, name, text);
  return 0;
}

int hn_fmu_read_flag(hn_fmu_file *fmu, const hn_xml *node, const char *name) {
  const char *text = hn_xml_peek(node, name);
  if (!text || strcmp(text, "false") == 0 || strcmp(text, "0") == 0) return 0;
  if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) return 1;
  hn_fmu_wrong(fmu, node, "<%.40s> has %s=\"%.60s\", which is neither true nor false", node->name,
               name, text);
  return 0;
}

static const char *attribute_text(const hn_xml *node, const char *name) {
  const char *text = hn_xml_peek(node, name);
  return text ? text : "";
}

// ---- names --------------------------------------------------------------------------------------

static int compare_nodes(const void *a, const void *b) {
  const hn_xml *one = *(const hn_xml *const *)a, *two = *(const hn_xml *const *)b;
  const int order = strcmp(attribute_text(one, "name"), attribute_text(two, "name"));
  return order ? order : (one->line > two->line) - (one->line < two->line);
}

void hn_fmu_sort_names(hn_fmu_file *fmu, const hn_xml *parent, hn_fmu_names *names) {
  int count = 0;
  for (const hn_xml *node = parent ? parent->first : NULL; node; node = node->next) count++;
  names->nodes = HN_TAKE(&fmu->arena, const hn_xml *, count);
  if (!names->nodes) return;
  for (const hn_xml *node = parent ? parent->first : NULL; node; node = node->next)
    names->nodes[names->count++] = node;
  qsort(names->nodes, (size_t)count, sizeof *names->nodes, compare_nodes);
}

const hn_xml *hn_fmu_named(const hn_fmu_names *names, const char *name) {
  int low = 0, high = names->count;
  while (name && low < high) {
    const int middle = low + (high - low) / 2;
    if (strcmp(attribute_text(names->nodes[middle], "name"), name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (!name || low == names->count) return NULL;
  return strcmp(attribute_text(names->nodes[low], "name"), name) == 0 ? names->nodes[low] : NULL;
}

// ---- attributes ---------------------------------------------------------------------------------

static void read_kinds(hn_fmu_file *fmu) {
  hn_fmu_facts *facts = &fmu->facts;
  const int is_2 = facts->version == 2;
  for (int k = 0; k < HN_FMU_KINDS; k++) {
    const hn_xml *node = is_2 && k == 2 ? NULL : hn_xml_child(fmu->root, hn_fmu_kind_names[k]);
    facts->identifier[k] = attribute_text(node, "modelIdentifier");
    fmu->kind[k] = node ? hn_xml_child(fmu->root, hn_fmu_kind_names[k]) : NULL;
    if (!node) continue;
    const int bit = 1 << k;
    facts->kinds |= bit;
    if (hn_fmu_read_flag(fmu, node, is_2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"))
      facts->can_save |= bit;
    if (hn_fmu_read_flag(fmu, node, is_2 ? "canSerializeFMUstate" : "canSerializeFMUState"))
      facts->can_serialize |= bit;
    if (hn_fmu_read_flag(fmu, node,
                         is_2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives"))
      facts->has_directional_derivatives |= bit;
    if (!is_2 && hn_fmu_read_flag(fmu, node, "providesAdjointDerivatives"))
      facts->has_adjoint_derivatives |= bit;
    if (k != 1) continue;
    facts->has_variable_steps =
        hn_fmu_read_flag(fmu, node, "canHandleVariableCommunicationStepSize");
    facts->has_event_mode = !is_2 && hn_fmu_read_flag(fmu, node, "hasEventMode");
  }
}

static void read_experiment(hn_fmu_file *fmu) {
  const hn_xml *node = hn_xml_child(fmu->root, "DefaultExperiment");
  hn_fmu_facts *facts = &fmu->facts;
  facts->start = facts->stop = facts->tolerance = facts->step = NAN;
  hn_fmu_read_number(fmu, node, "startTime", &facts->start);
  hn_fmu_read_number(fmu, node, "stopTime", &facts->stop);
  hn_fmu_read_number(fmu, node, "tolerance", &facts->tolerance);
  hn_fmu_read_number(fmu, node, "stepSize", &facts->step);
}

static hn_status read_version(hn_fmu_file *fmu, const char *path, hn_error *error) {
  const hn_source place = {path, 0, 0};
  if (strcmp(fmu->root->name, "fmiModelDescription") != 0)
    return hn_fail(error, HN_ERROR_SYNTAX, &place, NULL, "Check which program wrote it.",
                   "has <%.60s> in " HN_FMU_DESCRIPTION ", not <fmiModelDescription>",
                   fmu->root->name);
  const char *version = attribute_text(fmu->root, "fmiVersion");
  fmu->facts.version_text = version;
  if (strcmp(version, "2.0") == 0)
    fmu->facts.version = 2;
  else if (version[0] == '3' && (version[1] == '.' || !version[1]))
    fmu->facts.version = 3;
  else
    return hn_fail(error, HN_ERROR_UNSUPPORTED, &place, NULL, "Export it again as FMI 2.0 or 3.0.",
                   "has FMI version '%.20s'; versions 2.0 and 3.0 are supported", version);
  return HN_OK;
}

static void read_facts(hn_fmu_file *fmu) {
  hn_fmu_facts *facts = &fmu->facts;
  facts->model_name = attribute_text(fmu->root, "modelName");
  facts->description = attribute_text(fmu->root, "description");
  facts->generator = attribute_text(fmu->root, "generationTool");
  facts->token = attribute_text(fmu->root, facts->version == 2 ? "guid" : "instantiationToken");
  read_kinds(fmu);
  read_experiment(fmu);
}

// ---- the archive --------------------------------------------------------------------------------

static int is_platform_listed(const hn_fmu_file *fmu, const char *name, size_t length) {
  for (int k = 0; k < fmu->platform_count; k++)
    if (strncmp(fmu->platforms[k], name, length) == 0 && !fmu->platforms[k][length]) return 1;
  return 0;
}

static void read_platforms(hn_fmu_file *fmu) {
  for (int k = 0; k < fmu->zip.count; k++) {
    const char *name = fmu->zip.members[k].name;
    if (strncmp(name, "binaries/", 9) != 0) continue;
    const size_t length = strcspn(name + 9, "/");
    if (length == 0 || !name[9 + length] || !name[10 + length]) continue;
    if (is_platform_listed(fmu, name + 9, length) || fmu->platform_count == HN_FMU_PLATFORMS)
      continue;
    char *copy = HN_TAKE(&fmu->arena, char, length + 1);
    if (!copy) return;
    memcpy(copy, name + 9, length);
    fmu->platforms[fmu->platform_count++] = copy;
  }
}

static hn_status read_description(hn_fmu_file *fmu, const char *path, hn_error *error) {
  const hn_unzip_member *member = hn_zip_find(&fmu->zip, HN_FMU_DESCRIPTION);
  const hn_source place = {path, 0, 0};
  char *text = NULL;
  if (!member)
    return hn_fail(error, HN_ERROR_FILE, &place, NULL, "Check which program wrote it.",
                   "has no " HN_FMU_DESCRIPTION " and is not an FMU");
  hn_status status = hn_zip_read(&fmu->zip, member, &text, error);
  if (status == HN_OK)
    status = hn_xml_parse(&fmu->arena, text, member->size, HN_FMU_DESCRIPTION, &fmu->root, error);
  hn_release(NULL, text);
  return status;
}

static hn_status read_fmu(hn_fmu_file *fmu, const char *path, hn_error *error) {
  hn_status status = hn_zip_open(&fmu->zip, path, error);
  if (status == HN_OK) status = read_description(fmu, path, error);
  if (status == HN_OK) status = read_version(fmu, path, error);
  if (status != HN_OK) return status;
  read_platforms(fmu);
  read_facts(fmu);
  hn_fmu_sort_names(fmu, hn_xml_child(fmu->root, "UnitDefinitions"), &fmu->units);
  hn_fmu_sort_names(fmu, hn_xml_child(fmu->root, "TypeDefinitions"), &fmu->types);
  status = hn_fmu_read_variables(fmu, error);
  if (status != HN_OK) return status;
  hn_fmu_check(fmu);
  status = hn_fmu_check_structure(fmu, error);
  if (status != HN_OK) return status;
  hn_fmu_check_variables(fmu);
  hn_fmu_check_binary(fmu);
  sort_findings(fmu);
  if (fmu->arena.failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "'%s' does not fit into memory", path);
  return HN_OK;
}

hn_status hn_fmu_open(const char *path, hn_fmu_file **fmu, hn_error *error) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_fmu_file *file = HN_TAKE(&arena, hn_fmu_file, 1);
  *fmu = NULL;
  if (!file)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "out of memory for an FMU");
  file->arena = arena;
  const hn_status status = read_fmu(file, path, error);
  if (status == HN_OK)
    *fmu = file;
  else
    hn_fmu_file_free(file);
  return status;
}

void hn_fmu_file_free(hn_fmu_file *fmu) {
  if (!fmu) return;
  hn_zip_close(&fmu->zip);
  hn_arena arena = fmu->arena; // it holds the file itself
  hn_arena_release(&arena);
}

const hn_fmu_facts *hn_fmu_facts_of(const hn_fmu_file *fmu) { return &fmu->facts; }

const hn_fmu_variable *hn_fmu_variable_of(const hn_fmu_file *fmu, int index) {
  return index >= 0 && index < fmu->facts.variable_count ? &fmu->entries[index].facts : NULL;
}

const char *hn_fmu_platform(const hn_fmu_file *fmu, int index) {
  return index >= 0 && index < fmu->platform_count ? fmu->platforms[index] : NULL;
}

const hn_fmu_finding *hn_fmu_finding_of(const hn_fmu_file *fmu, int index) {
  return index >= 0 && index < fmu->finding_count ? &fmu->findings[index] : NULL;
}
