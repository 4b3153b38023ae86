// Rules of variables: names, value references, causality with variability and initial, start values,
// units, limits (FMI 2.0.5 section 2.2.7; FMI 3.0.2 section 2.4.7). Runs after ModelStructure is read,
// which says what states are.
#include "formats/fmu/file.h"

#include <math.h>
#include <string.h>

// ---- names and references -----------------------------------------------------------------------

static void check_variable_names(hn_fmu_file *fmu) {
  const int count = fmu->facts.variable_count;
  for (int k = 1; k < count; k++) {
    const hn_fmu_entry *one = &fmu->entries[fmu->by_name[k - 1]];
    const hn_fmu_entry *two = &fmu->entries[fmu->by_name[k]];
    if (two->facts.name[0] && strcmp(one->facts.name, two->facts.name) == 0)
      hn_fmu_wrong(fmu, two->node, "two variables have the name '%.200s'", two->facts.name);
  }
  for (int k = 0; k < count; k++)
    if (strpbrk(fmu->entries[k].facts.name, "\r\n\t"))
      hn_fmu_wrong(fmu, fmu->entries[k].node, "the name '%.200s' has a line end or a tab",
                   fmu->entries[k].facts.name);
}

// In FMI 2 enumerations are integers; aliases share a reference.
static hn_fmu_type base_of(hn_fmu_type type) {
  return type == HN_FMU_ENUMERATION ? HN_FMU_INT32 : type;
}

static void check_references(hn_fmu_file *fmu) {
  for (int k = 1; k < fmu->facts.variable_count; k++) {
    const hn_fmu_entry *one = &fmu->entries[fmu->by_reference[k - 1]];
    const hn_fmu_entry *two = &fmu->entries[fmu->by_reference[k]];
    if (!one->has_reference || !two->has_reference) continue;
    if (one->facts.reference != two->facts.reference) continue;
    if (fmu->facts.version == 3)
      hn_fmu_wrong(fmu, two->node, "'%.200s' and '%.200s' have the valueReference %u",
                   one->facts.name, two->facts.name, two->facts.reference);
    else if (base_of(one->type) == base_of(two->type) &&
             (one->variability == HN_FMU_CONSTANT) != (two->variability == HN_FMU_CONSTANT))
      hn_fmu_wrong(fmu, two->node,
                   "'%.200s' and '%.200s' are the same variable, but only one is constant",
                   one->facts.name, two->facts.name);
  }
}

// ---- combinations -------------------------------------------------------------------------------

#define BIT(value) (1 << (int)(value))
enum {
  ANY_PARAMETER = BIT(HN_FMU_FIXED) | BIT(HN_FMU_TUNABLE),
  ANY_SIGNAL = BIT(HN_FMU_DISCRETE) | BIT(HN_FMU_CONTINUOUS)
};

static const int variabilities_of[HN_FMU_CAUSALITIES] = {
    [HN_FMU_STRUCTURAL_PARAMETER] = ANY_PARAMETER,
    [HN_FMU_PARAMETER] = ANY_PARAMETER,
    [HN_FMU_CALCULATED_PARAMETER] = ANY_PARAMETER,
    [HN_FMU_INPUT] = ANY_SIGNAL,
    [HN_FMU_OUTPUT] = ANY_SIGNAL | BIT(HN_FMU_CONSTANT),
    [HN_FMU_LOCAL] = ANY_SIGNAL | ANY_PARAMETER | BIT(HN_FMU_CONSTANT),
    [HN_FMU_INDEPENDENT] = BIT(HN_FMU_CONTINUOUS),
};

// Values that the tables of the standard allow for `initial`.
static int initials_of(const hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const int calculated = BIT(HN_FMU_APPROX) | BIT(HN_FMU_CALCULATED);
  switch (e->causality) {
  case HN_FMU_STRUCTURAL_PARAMETER:
  case HN_FMU_PARAMETER: return BIT(HN_FMU_EXACT);
  case HN_FMU_CALCULATED_PARAMETER: return calculated;
  case HN_FMU_INPUT: return fmu->facts.version == 3 ? BIT(HN_FMU_EXACT) : 0;
  case HN_FMU_OUTPUT:
  case HN_FMU_LOCAL:
    if (e->variability == HN_FMU_CONSTANT) return BIT(HN_FMU_EXACT);
    if (e->variability <= HN_FMU_TUNABLE) return calculated;
    return calculated | BIT(HN_FMU_EXACT);
  case HN_FMU_INDEPENDENT:
  case HN_FMU_CAUSALITIES: break;
  }
  return 0;
}

static void check_combination(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const hn_fmu_variable *v = &e->facts;
  const int is_2 = fmu->facts.version == 2;
  if (is_2 && e->causality == HN_FMU_STRUCTURAL_PARAMETER)
    hn_fmu_wrong(fmu, e->node, "'%.200s' is a structuralParameter, which FMI 2 does not have",
                 v->name);
  if (e->variability == HN_FMU_CONTINUOUS && e->type > HN_FMU_FLOAT32) {
    if (hn_xml_peek(e->node, "variability"))
      hn_fmu_wrong(fmu, e->node, "'%.200s' is continuous, but its type is %s", v->name, v->type);
    else // the default of FMI 2
      hn_fmu_warn(fmu, e->node,
                  "'%.200s' has no variability; continuous is wrong for %s. Write discrete",
                  v->name, v->type);
  } else if (!(variabilities_of[e->causality] & BIT(e->variability))) {
    hn_fmu_wrong(fmu, e->node, "'%.200s' has causality %s with variability %s", v->name,
                 v->causality, v->variability);
  }
  if (hn_xml_peek(e->node, "initial") && !(initials_of(fmu, e) & BIT(e->initial)))
    hn_fmu_wrong(fmu, e->node, "'%.200s' has causality %s and variability %s with initial=\"%s\"",
                 v->name, v->causality, v->variability, v->initial);
}

static void check_independent(hn_fmu_file *fmu) {
  int count = 0;
  for (int k = 0; k < fmu->facts.variable_count; k++) {
    const hn_fmu_entry *e = &fmu->entries[k];
    if (e->causality != HN_FMU_INDEPENDENT) continue;
    if (++count > 1)
      hn_fmu_wrong(fmu, e->node, "'%.200s' is a second independent variable", e->facts.name);
    if (e->type > HN_FMU_FLOAT32)
      hn_fmu_wrong(fmu, e->node, "the independent variable '%.200s' has the type %s", e->facts.name,
                   e->facts.type);
  }
  if (count == 0 && fmu->facts.version == 3)
    hn_fmu_wrong(fmu, hn_xml_child(fmu->root, "ModelVariables"), "no variable is independent");
}

// ---- start values -------------------------------------------------------------------------------

static int is_boolean(const char *text, size_t length) {
  return (length == 4 && strncmp(text, "true", 4) == 0) ||
         (length == 5 && strncmp(text, "false", 5) == 0) ||
         (length == 1 && (text[0] == '0' || text[0] == '1'));
}

static int is_in_range(hn_fmu_type type, int is_negative, unsigned long long value) {
  static const unsigned char bits[HN_FMU_TYPES] = {
      [HN_FMU_INT8] = 7,    [HN_FMU_UINT8] = 8,   [HN_FMU_INT16] = 15,
      [HN_FMU_UINT16] = 16, [HN_FMU_INT32] = 31,  [HN_FMU_UINT32] = 32,
      [HN_FMU_INT64] = 63,  [HN_FMU_UINT64] = 64, [HN_FMU_ENUMERATION] = 63};
  const int width = bits[type], is_signed = width % 8 != 0;
  if (is_negative && !is_signed) return value == 0;
  const unsigned long long most = width == 64 ? ~0ull : (1ull << width) - 1;
  return value <= most || (is_negative && value == most + 1);
}

// One value of a list; the bytes it takes, 0: not a value of the type.
static size_t read_start_value(hn_fmu_type type, const char *text, double *number) {
  const size_t word = strcspn(text, " \t\r\n");
  int is_negative;
  unsigned long long whole;
  if (type <= HN_FMU_FLOAT32) return hn_fmu_read_decimal(text, number);
  if (type == HN_FMU_BOOLEAN || type == HN_FMU_CLOCK) return is_boolean(text, word) ? word : 0;
  const size_t used = hn_fmu_read_whole(text, &is_negative, &whole);
  *number = is_negative ? -(double)whole : (double)whole;
  return used > 0 && is_in_range(type, is_negative, whole) ? used : 0;
}

static int limit_of(hn_fmu_file *fmu, const hn_fmu_entry *e, const char *name, double *limit) {
  if (hn_xml_peek(e->values, name)) return hn_fmu_read_number(fmu, e->values, name, limit);
  const char *text = hn_xml_peek(e->declared, name);
  return text && hn_fmu_read_decimal(text, limit) > 0;
}

static void check_values(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const hn_fmu_variable *v = &e->facts;
  double low = -HUGE_VAL, high = HUGE_VAL, number = NAN;
  long count = 0;
  if (e->type == HN_FMU_STRING || e->type == HN_FMU_BINARY) return;
  limit_of(fmu, e, "min", &low);
  limit_of(fmu, e, "max", &high);
  if (low > high)
    hn_fmu_wrong(fmu, e->node, "'%.200s' has min %g above max %g", v->name, low, high);
  if (!e->has_start) return;
  for (const char *at = v->start;; count++) {
    at += strspn(at, " \t\r\n");
    if (!*at) break;
    const size_t used = read_start_value(e->type, at, &number);
    if (used == 0 || (at[used] && !strchr(" \t\r\n", at[used]))) {
      hn_fmu_wrong(fmu, e->node, "'%.200s' starts with \"%.60s\", which is no %s", v->name, at,
                   v->type);
      return;
    }
    if (number < low || number > high) {
      hn_fmu_wrong(fmu, e->node, "'%.200s' starts with %.9g, outside of %g to %g", v->name, number,
                   low, high);
      return;
    }
    at += used;
  }
  // one number may be given for all of an array
  if (count != v->count && !(count == 1 && v->count > 1))
    hn_fmu_wrong(fmu, e->node, "'%.200s' has %ld start values for %ld numbers", v->name, count,
                 v->count);
}

static void check_start_value(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const hn_fmu_variable *v = &e->facts;
  const int is_clock = e->type == HN_FMU_CLOCK;
  const int needs = !is_clock && (e->causality == HN_FMU_INPUT || e->initial == HN_FMU_EXACT ||
                                  e->initial == HN_FMU_APPROX);
  const int forbids = e->causality == HN_FMU_INDEPENDENT || is_clock ||
                      (e->initial == HN_FMU_CALCULATED && e->causality != HN_FMU_INPUT);
  if (needs && !e->has_start)
    hn_fmu_wrong(fmu, e->node, "'%.200s' (%s, initial %s) has no start value", v->name,
                 v->causality, v->initial[0] ? v->initial : "none");
  if (forbids && e->has_start)
    hn_fmu_wrong(fmu, e->node, "'%.200s' (%s, initial %s) must not have a start value", v->name,
                 v->causality, v->initial[0] ? v->initial : "none");
  check_values(fmu, e);
}

// ---- units, types, derivatives ------------------------------------------------------------------

static int has_display_unit(const hn_xml *unit, const char *name) {
  int count = 0;
  for (const hn_xml *at = hn_xml_child(unit, "DisplayUnit"); at && count < 1000; count++) {
    const char *other = hn_xml_peek(at, "name");
    if (other && strcmp(other, name) == 0) return 1;
    at = hn_xml_next(at, "DisplayUnit");
  }
  return count == 1000; // many: taken as defined
}

static void check_unit(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const hn_fmu_variable *v = &e->facts;
  const hn_xml *unit = v->unit[0] ? hn_fmu_named(&fmu->units, v->unit) : NULL;
  if (v->unit[0] && !unit)
    hn_fmu_wrong(fmu, e->node, "'%.200s' has the unit '%.60s', which is not defined", v->name,
                 v->unit);
  if (v->display_unit[0] && !v->unit[0])
    hn_fmu_wrong(fmu, e->node, "'%.200s' has a displayUnit without a unit", v->name);
  if (v->display_unit[0] && unit && !has_display_unit(unit, v->display_unit) &&
      strcmp(v->display_unit, v->unit) != 0)
    hn_fmu_wrong(fmu, e->node,
                 "'%.200s' has the displayUnit '%.60s', which '%.60s' does not define", v->name,
                 v->display_unit, v->unit);
}

static void check_declared_type(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const hn_fmu_variable *v = &e->facts;
  const char *name = hn_xml_peek(e->values, "declaredType");
  if (!name && e->type == HN_FMU_ENUMERATION)
    hn_fmu_wrong(fmu, e->node, "the enumeration '%.200s' has no declaredType", v->name);
  if (name && !e->declared) {
    hn_fmu_wrong(fmu, e->node, "'%.200s' has the declaredType '%.100s', which is not defined",
                 v->name, name);
  } else if (name) {
    const size_t length = strlen(v->type);
    const char *rest = e->declared->name + length;
    if (strncmp(e->declared->name, v->type, length) != 0 ||
        strcmp(rest, fmu->facts.version == 2 ? "" : "Type") != 0)
      hn_fmu_wrong(fmu, e->node, "'%.200s' is a %s, its type '%.100s' a %.40s", v->name, v->type,
                   name, e->declared->name);
  }
  if (e->type == HN_FMU_CLOCK && !hn_xml_peek(e->node, "intervalVariability") &&
      !hn_xml_peek(e->declared, "intervalVariability"))
    hn_fmu_wrong(fmu, e->node, "the clock '%.200s' has no intervalVariability", v->name);
}

static void check_clocks(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const char *at = hn_xml_peek(e->node, "clocks");
  for (int count = 0; at && *at && count < 1000; count++) {
    int is_negative;
    unsigned long long number;
    const size_t used = hn_fmu_read_whole(at, &is_negative, &number);
    const int other =
        used > 0 && number <= 0xffffffffull ? hn_fmu_at_reference(fmu, (unsigned)number) : -1;
    if (other < 0 || fmu->entries[other].type != HN_FMU_CLOCK) {
      hn_fmu_wrong(fmu, e->node, "'%.200s' has clocks=\"%.40s\", which names no clock",
                   e->facts.name, at);
      return;
    }
    at += used;
    at += strspn(at, " \t\r\n");
  }
}

static void check_derivative(hn_fmu_file *fmu, const hn_fmu_entry *e) {
  const hn_fmu_variable *v = &e->facts;
  if (v->derivative_of < 0) return;
  const hn_fmu_entry *state = &fmu->entries[v->derivative_of];
  if (e->variability != HN_FMU_CONTINUOUS)
    hn_fmu_wrong(fmu, e->node, "the derivative '%.200s' is not continuous", v->name);
  if (state->type > HN_FMU_FLOAT32 || state->variability != HN_FMU_CONTINUOUS)
    hn_fmu_wrong(fmu, e->node, "'%.200s' is the derivative of '%.200s', which is not continuous",
                 v->name, state->facts.name);
  else if (state->facts.count != v->count)
    hn_fmu_wrong(fmu, e->node, "'%.200s' has %ld numbers, but its state '%.200s' has %ld", v->name,
                 v->count, state->facts.name, state->facts.count);
}

void hn_fmu_check_variables(hn_fmu_file *fmu) {
  check_variable_names(fmu);
  check_references(fmu);
  check_independent(fmu);
  for (int k = 0; k < fmu->facts.variable_count; k++) {
    const hn_fmu_entry *e = &fmu->entries[k];
    check_combination(fmu, e);
    check_start_value(fmu, e);
    check_unit(fmu, e);
    check_declared_type(fmu, e);
    check_clocks(fmu, e);
    check_derivative(fmu, e);
  }
}
