// Variables of an FMU: types, causality, variability and initial with the defaults of the standard
// (FMI 2.0.5 section 2.2.7, FMI 3.0.2 section 2.4.7). Orders by name and reference for searching.
#include "formats/fmu/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const char *const types_3[HN_FMU_TYPES] = {
    "Float64", "Float32", "Int8",    "UInt8",  "Int16",  "UInt16",      "Int32", "UInt32",
    "Int64",   "UInt64",  "Boolean", "String", "Binary", "Enumeration", "Clock"};
static const char *const types_2[HN_FMU_TYPES] = {[HN_FMU_FLOAT64] = "Real",
                                                  [HN_FMU_INT32] = "Integer",
                                                  [HN_FMU_BOOLEAN] = "Boolean",
                                                  [HN_FMU_STRING] = "String",
                                                  [HN_FMU_ENUMERATION] = "Enumeration"};
static const char *const causalities[HN_FMU_CAUSALITIES] = {
    "structuralParameter", "parameter", "calculatedParameter", "input", "output", "local",
    "independent"};
static const char *const variabilities[HN_FMU_VARIABILITIES] = {"constant", "fixed", "tunable",
                                                                "discrete", "continuous"};
static const char *const initials[] = {NULL, "exact", "approx", "calculated"};

const char *hn_fmu_type_name(int version, hn_fmu_type type) {
  return version == 2 ? types_2[type] : types_3[type];
}

// ---- words --------------------------------------------------------------------------------------

static int read_word(hn_fmu_file *fmu, const hn_fmu_entry *entry, const char *name,
                     const char *const *words, int count, int usual) {
  const char *text = hn_xml_peek(entry->node, name);
  if (!text) return usual;
  const int index = hn_fmu_word(text, words, count);
  if (index >= 0) return index;
  hn_fmu_wrong(fmu, entry->node,
               "variable '%.200s' has %s=\"%.60s\", a word that the standard does not have",
               entry->facts.name, name, text);
  return usual;
}

static hn_fmu_variability usual_variability(const hn_fmu_file *fmu, const hn_fmu_entry *entry) {
  if (fmu->facts.version == 2) return HN_FMU_CONTINUOUS;
  if (entry->causality <= HN_FMU_CALCULATED_PARAMETER) return HN_FMU_FIXED;
  return entry->type <= HN_FMU_FLOAT32 ? HN_FMU_CONTINUOUS : HN_FMU_DISCRETE;
}

static hn_fmu_initial usual_initial(const hn_fmu_file *fmu, const hn_fmu_entry *entry) {
  switch (entry->causality) {
  case HN_FMU_STRUCTURAL_PARAMETER:
  case HN_FMU_PARAMETER: return HN_FMU_EXACT;
  case HN_FMU_INPUT: return fmu->facts.version == 2 ? HN_FMU_INITIAL_NONE : HN_FMU_EXACT;
  case HN_FMU_INDEPENDENT: return HN_FMU_INITIAL_NONE;
  case HN_FMU_CALCULATED_PARAMETER:
  case HN_FMU_OUTPUT:
  case HN_FMU_LOCAL:
  case HN_FMU_CAUSALITIES: break;
  }
  if (entry->type == HN_FMU_CLOCK) return HN_FMU_INITIAL_NONE;
  return entry->variability == HN_FMU_CONSTANT ? HN_FMU_EXACT : HN_FMU_CALCULATED;
}

// ---- one variable -------------------------------------------------------------------------------

static const hn_xml *find_declared(const hn_fmu_file *fmu, const hn_fmu_entry *entry) {
  const hn_xml *type = hn_fmu_named(&fmu->types, hn_xml_peek(entry->values, "declaredType"));
  return type && fmu->facts.version == 2 ? type->first : type;
}

static const char *inherited(const hn_fmu_entry *entry, const char *name) {
  const char *text = hn_xml_peek(entry->values, name);
  if (!text) text = hn_xml_peek(entry->declared, name);
  return text ? text : "";
}

// FMI 3 has texts and binaries as elements: the first one.
static const char *read_start(const hn_fmu_entry *entry) {
  const char *text = hn_xml_peek(entry->values, "start");
  if (!text && (entry->type == HN_FMU_STRING || entry->type == HN_FMU_BINARY))
    text = hn_xml_peek(hn_xml_child(entry->node, "Start"), "value");
  return text;
}

static void read_entry(hn_fmu_file *fmu, const hn_xml *node, const hn_xml *values,
                       hn_fmu_entry *entry) {
  hn_fmu_variable *facts = &entry->facts;
  entry->node = node;
  entry->values = values;
  facts->name = hn_xml_peek(node, "name");
  if (!facts->name) {
    hn_fmu_wrong(fmu, node, "a variable has no name");
    facts->name = "";
  }
  facts->line = node->line;
  facts->description = hn_xml_peek(node, "description");
  if (!facts->description) facts->description = "";
  entry->causality = (hn_fmu_causality)read_word(fmu, entry, "causality", causalities,
                                                 HN_FMU_CAUSALITIES, HN_FMU_LOCAL);
  entry->variability =
      (hn_fmu_variability)read_word(fmu, entry, "variability", variabilities, HN_FMU_VARIABILITIES,
                                    (int)usual_variability(fmu, entry));
  entry->initial =
      (hn_fmu_initial)read_word(fmu, entry, "initial", initials, 4, (int)usual_initial(fmu, entry));
  entry->declared = find_declared(fmu, entry);
  entry->is_clocked = hn_xml_peek(node, "clocks") != NULL;
  entry->has_reference = hn_fmu_read_unsigned(fmu, node, "valueReference", &facts->reference);
  if (!entry->has_reference && !hn_xml_peek(node, "valueReference"))
    hn_fmu_wrong(fmu, node, "variable '%.200s' has no valueReference", facts->name);
  const char *start = read_start(entry);
  entry->has_start = start != NULL;
  facts->type = hn_fmu_type_name(fmu->facts.version, entry->type);
  facts->causality = causalities[entry->causality];
  facts->variability = variabilities[entry->variability];
  facts->initial = entry->initial ? initials[entry->initial] : "";
  facts->unit = inherited(entry, "unit");
  facts->display_unit = inherited(entry, "displayUnit");
  facts->start = start ? start : "";
  facts->count = 1;
  facts->derivative_of = -1;
}

// The element with the type: the first child of a ScalarVariable that is one, or the variable itself.
static const hn_xml *find_type(const hn_fmu_file *fmu, const hn_xml *node, hn_fmu_type *type) {
  const int is_2 = fmu->facts.version == 2;
  const char *const *names = is_2 ? types_2 : types_3;
  if (is_2 && strcmp(node->name, "ScalarVariable") != 0) return NULL;
  for (const hn_xml *at = is_2 ? node->first : node; at; at = is_2 ? at->next : NULL) {
    const int index = hn_fmu_word(at->name, names, HN_FMU_TYPES);
    *type = (hn_fmu_type)(index < 0 ? 0 : index);
    if (index >= 0) return at;
  }
  return NULL;
}

// ---- orders -------------------------------------------------------------------------------------

typedef struct sort_key {
  const char *name;
  unsigned reference;
  int index;
} sort_key;

static int compare_names(const void *a, const void *b) {
  const sort_key *one = a, *two = b;
  const int order = strcmp(one->name, two->name);
  return order ? order : one->index - two->index;
}

static int compare_references(const void *a, const void *b) {
  const sort_key *one = a, *two = b;
  if (one->reference != two->reference) return one->reference < two->reference ? -1 : 1;
  return one->index - two->index;
}

static int *sort_entries(hn_fmu_file *fmu, int (*compare)(const void *a, const void *b)) {
  const int count = fmu->facts.variable_count;
  int *order = HN_TAKE(&fmu->arena, int, count);
  sort_key *keys = hn_allocate(NULL, ((size_t)count + 1) * sizeof *keys);
  if (!keys || !order) {
    fmu->arena.failed = 1;
    hn_release(NULL, keys);
    return NULL;
  }
  for (int k = 0; k < count; k++)
    keys[k] = (sort_key){fmu->entries[k].facts.name, fmu->entries[k].facts.reference, k};
  qsort(keys, (size_t)count, sizeof *keys, compare);
  for (int k = 0; k < count; k++) order[k] = keys[k].index;
  hn_release(NULL, keys);
  return order;
}

int hn_fmu_at_reference(const hn_fmu_file *fmu, unsigned reference) {
  int low = 0, high = fmu->facts.variable_count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (fmu->entries[fmu->by_reference[middle]].facts.reference < reference)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < fmu->facts.variable_count; low++) {
    const hn_fmu_entry *entry = &fmu->entries[fmu->by_reference[low]];
    if (entry->facts.reference != reference) break;
    if (entry->has_reference) return fmu->by_reference[low];
  }
  return -1;
}

int hn_fmu_at(const hn_fmu_file *fmu, unsigned number) {
  if (fmu->facts.version == 3) return hn_fmu_at_reference(fmu, number);
  return number >= 1 && number <= (unsigned)fmu->facts.variable_count ? (int)number - 1 : -1;
}

// ---- arrays and derivatives ---------------------------------------------------------------------

static unsigned long long dimension_of(hn_fmu_file *fmu, const hn_fmu_entry *entry,
                                       const hn_xml *node) {
  const char *text = hn_xml_peek(node, "start"), *reference = hn_xml_peek(node, "valueReference");
  int is_negative;
  unsigned long long size = 0;
  if (!text == !reference) {
    hn_fmu_wrong(fmu, node, "a <Dimension> of '%.200s' needs either start or valueReference",
                 entry->facts.name);
    return 1;
  }
  if (reference) {
    unsigned number;
    const int at = hn_fmu_read_unsigned(fmu, node, "valueReference", &number)
                       ? hn_fmu_at_reference(fmu, number)
                       : -1;
    if (at < 0 || fmu->entries[at].type != HN_FMU_UINT64 ||
        (fmu->entries[at].causality != HN_FMU_STRUCTURAL_PARAMETER &&
         fmu->entries[at].variability != HN_FMU_CONSTANT)) {
      hn_fmu_wrong(fmu, node,
                   "a <Dimension> of '%.200s' refers to %.20s, which is no UInt64 structural "
                   "parameter",
                   entry->facts.name, reference);
      return 1;
    }
    text = fmu->entries[at].facts.start;
  }
  const size_t used = hn_fmu_read_whole(text, &is_negative, &size);
  if (used == 0 || text[used] || is_negative) {
    hn_fmu_wrong(fmu, node, "a <Dimension> of '%.200s' is \"%.40s\", not a whole number",
                 entry->facts.name, text);
    return 1;
  }
  return size;
}

static hn_status read_size(hn_fmu_file *fmu, hn_fmu_entry *entry, long *total, hn_error *error) {
  unsigned long long size = 1;
  int dimensions = 0;
  for (const hn_xml *node = hn_xml_child(entry->node, "Dimension"); node;
       node = hn_xml_next(node, "Dimension")) {
    const unsigned long long more = dimension_of(fmu, entry, node);
    if (++dimensions > HN_FMU_DIMENSIONS || more > HN_FMU_NUMBERS || size * more > HN_FMU_NUMBERS) {
      const hn_source place = {fmu->zip.path, 0, 0};
      return hn_fail(error, HN_ERROR_LIMIT, &place, entry->facts.name, "Use a smaller array.",
                     "has more than %d numbers or %d dimensions, the limits", HN_FMU_NUMBERS,
                     HN_FMU_DIMENSIONS);
    }
    size *= more;
  }
  entry->facts.count = (long)size;
  *total += (long)size;
  if (*total <= HN_FMU_NUMBERS) return HN_OK;
  const hn_source place = {fmu->zip.path, 0, 0};
  return hn_fail(error, HN_ERROR_LIMIT, &place, NULL, "Use smaller arrays.",
                 "has variables with more than %d numbers, the limit", HN_FMU_NUMBERS);
}

static void read_derivative(hn_fmu_file *fmu, hn_fmu_entry *entry) {
  unsigned number;
  if (entry->type > HN_FMU_FLOAT32) return;
  if (!hn_fmu_read_unsigned(fmu, entry->values, "derivative", &number)) return;
  entry->facts.derivative_of = hn_fmu_at(fmu, number);
  if (entry->facts.derivative_of < 0)
    hn_fmu_wrong(fmu, entry->node,
                 "variable '%.200s' is the derivative of %u, which does not exist",
                 entry->facts.name, number);
}

hn_status hn_fmu_read_variables(hn_fmu_file *fmu, hn_error *error) {
  const hn_xml *all = hn_xml_child(fmu->root, "ModelVariables");
  int capacity = 0;
  long total = 0;
  for (const hn_xml *node = all ? all->first : NULL; node; node = node->next) capacity++;
  fmu->entries = HN_TAKE(&fmu->arena, hn_fmu_entry, capacity);
  for (const hn_xml *node = all ? all->first : NULL; node && fmu->entries; node = node->next) {
    hn_fmu_type type = HN_FMU_FLOAT64;
    const hn_xml *values = find_type(fmu, node, &type);
    if (!values) {
      hn_fmu_wrong(fmu, node, "<%.60s> in ModelVariables is no variable with a type of FMI %d",
                   node->name, fmu->facts.version);
      continue;
    }
    hn_fmu_entry *entry = &fmu->entries[fmu->facts.variable_count++];
    entry->type = type;
    read_entry(fmu, node, values, entry);
  }
  fmu->by_name = sort_entries(fmu, compare_names);
  fmu->by_reference = sort_entries(fmu, compare_references);
  if (fmu->arena.failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "out of memory for the variables of an FMU");
  for (int k = 0; k < fmu->facts.variable_count; k++) {
    const hn_status status = read_size(fmu, &fmu->entries[k], &total, error);
    if (status != HN_OK) return status;
    read_derivative(fmu, &fmu->entries[k]);
  }
  return HN_OK;
}
