// Rules of ModelStructure: outputs, derivatives of states, event indicators, unknowns of
// initialization, dependencies (FMI 2.0.5 section 2.2.8; FMI 3.0.2 section 2.4.8). Marks states and
// counts them.
#include "formats/fmu/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef enum part_of_structure {
  PART_OUTPUT,
  PART_DERIVATIVE,
  PART_CLOCKED,
  PART_UNKNOWN,
  PART_INDICATOR,
  PART_COUNT
} part_of_structure;

static const char *const parts_2[PART_COUNT] = {"Outputs", "Derivatives", NULL, "InitialUnknowns",
                                                NULL};
static const char *const parts_3[PART_COUNT] = {"Output", "ContinuousStateDerivative",
                                                "ClockedState", "InitialUnknown", "EventIndicator"};

typedef struct structure {
  hn_fmu_file *fmu;
  int is_2;
  unsigned char *marks; // bits of the parts that list a variable
  int last;             // FMI 2: unknowns ascend
} structure;

// ---- one unknown --------------------------------------------------------------------------------

static const char *kinds_of_dependency[] = {"dependent", "constant", "fixed", "tunable",
                                            "discrete"};

static void check_dependencies(structure *s, const hn_xml *node) {
  const char *at = hn_xml_peek(node, "dependencies");
  const char *kinds = hn_xml_peek(node, "dependenciesKind");
  long count = 0, kind_count = 0;
  for (; at; count++) {
    int is_negative;
    unsigned long long number;
    at += strspn(at, " \t\r\n");
    if (!*at) break;
    const size_t used = hn_fmu_read_whole(at, &is_negative, &number);
    if (used == 0 || is_negative || number > 0xffffffffull ||
        hn_fmu_at(s->fmu, (unsigned)number) < 0) {
      hn_fmu_wrong(s->fmu, node, "<%s> depends on \"%.40s\", which is no variable", node->name, at);
      return;
    }
    at += used;
  }
  for (const char *k = kinds; k; kind_count++) {
    k += strspn(k, " \t\r\n");
    if (!*k) break;
    const size_t length = strcspn(k, " \t\r\n");
    char word[16] = "";
    if (length < sizeof word) memcpy(word, k, length);
    if (hn_fmu_word(word, kinds_of_dependency, 5) < 0)
      hn_fmu_wrong(s->fmu, node, "<%s> has the dependenciesKind \"%.40s\"", node->name, k);
    k += length;
  }
  if (kinds && count != kind_count)
    hn_fmu_wrong(s->fmu, node, "<%s> has %ld dependencies, but %ld of dependenciesKind", node->name,
                 count, kind_count);
}

static void check_member(structure *s, const hn_xml *node, part_of_structure part, int index) {
  hn_fmu_file *fmu = s->fmu;
  hn_fmu_entry *e = &fmu->entries[index];
  if (s->marks[index] & (1 << part))
    hn_fmu_wrong(fmu, node, "'%.200s' is twice in the list of <%s>", e->facts.name, node->name);
  s->marks[index] |= (unsigned char)(1 << part);
  switch (part) {
  case PART_OUTPUT:
    if (e->causality != HN_FMU_OUTPUT)
      hn_fmu_wrong(fmu, node, "'%.200s' is listed as an output, but its causality is %s",
                   e->facts.name, e->facts.causality);
    break;
  case PART_DERIVATIVE:
    if (e->facts.derivative_of < 0) {
      hn_fmu_wrong(fmu, node, "'%.200s' is listed as a derivative, but has no attribute derivative",
                   e->facts.name);
    } else {
      fmu->entries[e->facts.derivative_of].is_state = 1;
      fmu->facts.state_count += (int)e->facts.count;
    }
    break;
  case PART_INDICATOR:
    if (e->type > HN_FMU_FLOAT32 || e->variability != HN_FMU_CONTINUOUS)
      hn_fmu_wrong(fmu, node, "the event indicator '%.200s' is not continuous", e->facts.name);
    fmu->facts.indicator_count += (int)e->facts.count;
    break;
  case PART_UNKNOWN:
    if (s->is_2 && index < s->last)
      hn_fmu_wrong(fmu, node, "<InitialUnknowns> is not in ascending order at '%.200s'",
                   e->facts.name);
    s->last = index;
    break;
  case PART_CLOCKED:
  case PART_COUNT: break;
  }
}

static void read_unknown(structure *s, const hn_xml *node, part_of_structure part) {
  unsigned number;
  const char *name = s->is_2 ? "index" : "valueReference";
  if (!hn_fmu_read_unsigned(s->fmu, node, name, &number)) {
    if (!hn_xml_peek(node, name)) hn_fmu_wrong(s->fmu, node, "<%s> has no %s", node->name, name);
    return;
  }
  const int index = hn_fmu_at(s->fmu, number);
  if (index < 0)
    hn_fmu_wrong(s->fmu, node, "<%s> has the %s %u, which does not exist", node->name, name,
                 number);
  else
    check_member(s, node, part, index);
  check_dependencies(s, node);
}

// ---- what has to be listed ----------------------------------------------------------------------

static int is_uncertain(const hn_fmu_entry *e) {
  return e->initial == HN_FMU_APPROX || e->initial == HN_FMU_CALCULATED;
}

static int is_initial_unknown(const structure *s, int index) {
  const hn_fmu_entry *e = &s->fmu->entries[index];
  if (e->is_clocked || e->type == HN_FMU_CLOCK) return 0;
  if (e->causality == HN_FMU_CALCULATED_PARAMETER) return 1;
  if (!is_uncertain(e)) return 0;
  return e->causality == HN_FMU_OUTPUT || e->is_state || (s->marks[index] & (1 << PART_DERIVATIVE));
}

static void check_lists(structure *s) {
  const hn_fmu_file *fmu = s->fmu;
  for (int k = 0; k < fmu->facts.variable_count; k++) {
    const hn_fmu_entry *e = &fmu->entries[k];
    const int is_output = s->marks[k] & (1 << PART_OUTPUT);
    const int is_listed = s->marks[k] & (1 << PART_UNKNOWN), should_be = is_initial_unknown(s, k);
    if (e->causality == HN_FMU_OUTPUT && !is_output)
      hn_fmu_wrong(s->fmu, e->node, "the output '%.200s' is not in <ModelStructure>",
                   e->facts.name);
    if (should_be && !is_listed)
      hn_fmu_wrong(s->fmu, e->node,
                   "'%.200s' (%s, initial %s) is not among the initial unknowns of "
                   "<ModelStructure>",
                   e->facts.name, e->facts.causality, e->facts.initial);
    if (!should_be && is_listed)
      hn_fmu_wrong(s->fmu, e->node, "'%.200s' (%s, initial %s) must not be an initial unknown",
                   e->facts.name, e->facts.causality,
                   e->facts.initial[0] ? e->facts.initial : "none");
  }
}

static void read_lists(structure *s, const hn_xml *all) {
  const char *const *parts = s->is_2 ? parts_2 : parts_3;
  for (const hn_xml *node = all->first; node; node = node->next) {
    const int part = hn_fmu_word(node->name, parts, PART_COUNT);
    s->last = -1;
    if (part < 0) {
      if (strcmp(node->name, "Annotations") != 0)
        hn_fmu_wrong(s->fmu, node, "<%.60s> in <ModelStructure> is not in FMI %d", node->name,
                     s->fmu->facts.version);
    } else if (!s->is_2) {
      read_unknown(s, node, (part_of_structure)part);
    } else {
      for (const hn_xml *unknown = node->first; unknown; unknown = unknown->next)
        read_unknown(s, unknown, (part_of_structure)part);
    }
  }
}

hn_status hn_fmu_check_structure(hn_fmu_file *fmu, hn_error *error) {
  const hn_xml *all = hn_xml_child(fmu->root, "ModelStructure");
  structure s = {fmu, fmu->facts.version == 2, NULL, -1};
  unsigned count;
  if (s.is_2 && hn_fmu_read_unsigned(fmu, fmu->root, "numberOfEventIndicators", &count)) {
    if (count > HN_FMU_NUMBERS) {
      const hn_source place = {fmu->zip.path, 0, 0};
      return hn_fail(error, HN_ERROR_LIMIT, &place, NULL, "Check which program wrote it.",
                     "has %u event indicators; the limit is %d", count, HN_FMU_NUMBERS);
    }
    fmu->facts.indicator_count = (int)count;
  }
  s.marks = HN_TAKE(&fmu->arena, unsigned char, fmu->facts.variable_count);
  if (!all || !s.marks) return HN_OK; // a finding; reported by the arena
  read_lists(&s, all);
  check_lists(&s);
  return HN_OK;
}
