// Scalars of a model file: text with {i}, numbers with units, names of parameters.
//
// Parameters are evaluated on first use, so they may be in any order; a cycle is found because a
// parameter is then used during its evaluation.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/geometry.h"
#include "formats/loader.h"
#include "holon/component.h"

// Context in which a calculation finds names.
typedef struct finder {
  const hn_context *context;
  const hn_formula *formula; // null: numbers only
  int uses_variables;
} finder;

static int same_name(const char *word, const char *name, size_t length) {
  return strlen(word) == length && memcmp(word, name, length) == 0;
}

// ---- names --------------------------------------------------------------------------------------

// 2 for variables of the formula, 1 for parameters: those named like a unit.
static int is_own_name(const void *context, const char *name, size_t length) {
  const finder *f = context;
  for (int k = 0; f->formula && k < f->formula->variable_count; k++)
    if (same_name(f->formula->variables[k].name, name, length)) return 2;
  const hn_context *c = f->context;
  return hn_entry_find(c->loader, HN_ENTRY_PARAMETER, c->scope->prefix, name, length) != NULL;
}

static hn_status report_unknown(const finder *f, const char *name, size_t length,
                                const hn_source *place, hn_error *error) {
  const hn_context *c = f->context;
  char word[96], hint[256];
  hn_text(word, sizeof word, "%.*s", (int)(length < 80 ? length : 80), name);
  const char *nearest = hn_entry_nearest(c, HN_ENTRY_PARAMETER, word);
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  else if (f->formula && f->formula->variable_count == 1)
    hn_text(hint, sizeof hint, "Use the variable %s here; define other names under `parameters:`.",
            f->formula->variables[0].name);
  else if (hn_unit_find(word, strlen(word), NULL, NULL))
    hn_text(hint, sizeof hint, "Write the unit after a number: 1 %s.", word);
  else
    hn_text(hint, sizeof hint, "Define it under `parameters:`, or correct the name.");
  return hn_fail(error, HN_ERROR_MODEL, place, NULL, hint, "'%s' is not a parameter", word);
}

// points.NAME.x: a coordinate of a point, as written in this file.
static hn_status find_coordinate(const finder *f, const char *name, size_t length,
                                 hn_named_amount *found) {
  const hn_context *c = f->context;
  hn_entry *entry =
      hn_entry_find(c->loader, HN_ENTRY_POINT, c->scope->prefix, name + 7, length - 9);
  if (!entry) return HN_ERROR_MODEL;
  hn_vec3 world = hn_point_entry(entry);
  hn_vec3 here = hn_placement_back(&c->scope->placement, world);
  found->amount = (hn_amount){.value = vec3_get(here, name[length - 1] - 'x'),
                              .kind = HN_AMOUNT_TYPED,
                              .dimension = hn_meaning_dimension(HN_LENGTH)};
  return c->loader->status;
}

static int is_point_coordinate(const char *name, size_t length) {
  return length > 9 && length < HN_FULL_NAME_LENGTH && memcmp(name, "points.", 7) == 0 &&
         name[length - 2] == '.' && name[length - 1] >= 'x' && name[length - 1] <= 'z';
}

// An input in a formula of signals: what a user of the component gives it, or its value.
static hn_status find_input(const finder *f, hn_entry *entry, const hn_source *place,
                            hn_named_amount *found, hn_error *error) {
  if (entry->owner) return hn_signal_inline(entry->owner, f->formula, place, found, error);
  char signal[HN_FULL_NAME_LENGTH + 16];
  hn_text(signal, sizeof signal, "input.%s.value", entry->name);
  return f->formula->find(f->context, signal, strlen(signal), place, found, error);
}

static hn_status find_name(void *data, const char *name, size_t length, const hn_source *place,
                           hn_named_amount *found, hn_error *error) {
  finder *f = data;
  const hn_context *c = f->context;
  for (int k = 0; f->formula && k < f->formula->variable_count; k++) {
    const hn_variable *v = &f->formula->variables[k];
    if (!same_name(v->name, name, length)) continue;
    f->uses_variables = 1;
    found->amount =
        (hn_amount){.value = 0.5, .kind = HN_AMOUNT_VARIABLE, .dimension = v->dimension};
    found->spelling = v->spelling;
    return HN_OK;
  }
  for (int k = c->counter_count - 1; k >= 0; k--)
    if (same_name(c->counters[k].name, name, length)) {
      found->amount.value = c->counters[k].value;
      return HN_OK;
    }
  hn_entry *entry = hn_entry_find(c->loader, HN_ENTRY_PARAMETER, c->scope->prefix, name, length);
  if (entry) return hn_parameter_value(entry, &found->amount);
  entry = hn_entry_find(c->loader, HN_ENTRY_INPUT, c->scope->prefix, name, length);
  if (entry && f->formula && f->formula->find && (entry->owner || !f->formula->takes_inputs)) {
    f->uses_variables = 1;
    return find_input(f, entry, place, found, error);
  }
  if (entry && !(f->formula && f->formula->takes_inputs))
    return hn_fail(error, HN_ERROR_MODEL, place, NULL,
                   "Use a parameter here; inputs are allowed in forces and driver motions.",
                   "'%.80s' is an input, which changes during a run", entry->name);
  if (entry) {
    f->uses_variables = 1;
    *found = hn_input_amount(entry);
    return c->loader->status;
  }
  if (is_point_coordinate(name, length)) {
    hn_status status = find_coordinate(f, name, length, found);
    if (status != HN_ERROR_MODEL || !hn_loader_ok(c->loader)) return status;
    char word[96], hint[160] = "Write it under `points:`, or correct the name.";
    hn_text(word, sizeof word, "%.*s", (int)(length < 96 ? length - 9 : 80), name + 7);
    const char *nearest = hn_entry_nearest(c, HN_ENTRY_POINT, word);
    if (nearest) hn_text(hint, sizeof hint, "Did you mean points.%s?", nearest);
    return hn_fail(error, HN_ERROR_MODEL, place, NULL, hint, "the point '%.80s' does not exist",
                   word);
  }
  if (f->formula && f->formula->find) {
    hn_status status = f->formula->find(c, name, length, place, found, error);
    if (status == HN_OK) f->uses_variables = 1;
    if (status != HN_RETRY) return status;
  }
  return report_unknown(f, name, length, place, error);
}

// Finds a table in formulas of laws and outputs: of the same file first.
static int find_table(void *data, const char *name, size_t length, const char **spelling) {
  const finder *f = data;
  const hn_context *c = f->context;
  if (!f->formula) return 0;
  hn_entry *table = hn_entry_find(c->loader, HN_ENTRY_TABLE, c->scope->prefix, name, length);
  if (!table) table = hn_entry_find(c->loader, HN_ENTRY_TABLE, "", name, length);
  if (!table) return 0;
  *spelling = table->name;
  return hn_node_get(table->node, "table") ? 1 : 2;
}

// ---- calculations -------------------------------------------------------------------------------

static hn_status calculate(finder *f, const char *text, const hn_node *node, int exact_columns,
                           hn_amount *result, char *copy) {
  hn_loader *loader = f->context->loader;
  int loose = f->formula != NULL;
  hn_calculation calculation = {.text = text,
                                .length = strlen(text),
                                .place = hn_node_source(node),
                                .shift = exact_columns && node->quoted < 2 ? node->quoted : -1,
                                .loose = loose,
                                .find = find_name,
                                .table = find_table,
                                .is_own = is_own_name,
                                .context = f,
                                .depth = &loader->depth,
                                .copy = copy,
                                .copy_size = copy ? HN_SCRATCH : 0};
  return hn_calculate(&calculation, result, loader->error);
}

// A failure inside a formula says where in the element it happened.
static void keep_failure(hn_loader *loader, hn_status status, const char *what) {
  hn_error *error = loader->error;
  if (hn_loader_ok(loader) && !error->element[0] && what) {
    hn_error copy = *error;
    hn_source place = {copy.file[0] ? copy.file : NULL, copy.line, copy.column};
    if (strstr(loader->element, what)) // the element is that entry itself
      hn_fail(error, status, &place, loader->element, copy.hint, "has an error: %s", copy.message);
    else
      hn_fail(error, status, &place, loader->element, copy.hint, "has an error in '%s': %s", what,
              copy.message);
  }
  hn_loader_failed(loader, status);
}

static const char *label(const hn_node *node, const char *what) {
  return what ? what : node->key ? node->key : "a list";
}

#define BRACES_SIZE 24 // capacity for a whole number

// ---- text ---------------------------------------------------------------------------------------

// Writes the number in the braces that start at `open` to *end; what follows them, null on failure.
static const char *expand_braces(const hn_context *context, const char *open, const char *text,
                                 const hn_node *node, char *end) {
  hn_loader *loader = context->loader;
  const char *close = strchr(open, '}');
  char formula[96];
  hn_source place = hn_node_source(node);
  if (!close || (size_t)(close - open) > sizeof formula) {
    hn_loader_fail(loader, HN_ERROR_SYNTAX, &place, "Write numbers in names as {i} or {i+1}.",
                   "has a { without a } in '%.80s'", text);
    return NULL;
  }
  hn_text(formula, sizeof formula, "%.*s", (int)(close - open - 1), open + 1);
  finder f = {context, NULL, 0};
  hn_amount value;
  hn_status status = calculate(&f, formula, node, 0, &value, NULL);
  if (status)
    keep_failure(loader, status, text);
  else if (!(fabs(value.value) < 1e9) || value.value != floor(value.value))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write a whole number within { }.",
                   "has {%s} = %g in a name", formula, value.value);
  else
    snprintf(end, BRACES_SIZE, "%ld", (long)value.value);
  return hn_loader_ok(loader) ? close + 1 : NULL;
}

const char *hn_text_expand(const hn_context *context, const char *text, const hn_node *node) {
  if (!text || !strchr(text, '{')) return text;
  size_t size = strlen(text) + 1;
  for (const char *at = text; (at = strchr(at, '{')); at++) size += BRACES_SIZE;
  char *expanded = hn_loader_take(context->loader, size, 1), *end = expanded;
  for (const char *at = text; expanded && *at;) {
    if (*at != '{') {
      *end++ = *at++;
      continue;
    }
    at = expand_braces(context, at, text, node, end);
    if (!at) return NULL;
    end += strlen(end);
  }
  return expanded;
}

const char *hn_text_of(const hn_context *context, const hn_node *node) {
  if (node->kind != HN_NODE_SCALAR || hn_node_is_null(node)) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Write one word or text there.",
                   "expects text in '%s', got %s", label(node, NULL), hn_node_kind_name(node));
    return NULL;
  }
  return hn_text_expand(context, node->text, node);
}

// ---- numbers ------------------------------------------------------------------------------------

static hn_amount amount_for(const hn_context *context, const hn_node *node, const char *what) {
  hn_loader *loader = context->loader;
  hn_amount result = {.kind = HN_AMOUNT_NUMBER};
  if (!hn_loader_ok(loader)) return result;
  if (node->kind != HN_NODE_SCALAR || hn_node_is_null(node)) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a number, with a unit or without.",
                   "expects a number in '%s', got %s", label(node, what), hn_node_kind_name(node));
    return result;
  }
  if (node->amount) return *node->amount;
  const char *text = hn_text_expand(context, node->text, node);
  if (!text) return result;
  finder f = {context, NULL, 0};
  hn_status status = calculate(&f, text, node, text == node->text, &result, NULL);
  if (status) keep_failure(loader, status, label(node, what));
  return result;
}

hn_amount hn_amount_of(const hn_context *context, const hn_node *node) {
  return amount_for(context, node, NULL);
}

// A unit behind / or * that is a parameter too: its name into `word`.
static int names_parameter(const hn_loader *loader, const char *prefix, const hn_node *node,
                           char *word, size_t size) {
  for (const char *at = node->text; at && (at = strpbrk(at, "/*")); at++) {
    const char *name = at + 1 + strspn(at + 1, " ");
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (length == 0 || length >= size || !hn_unit_find(name, length, NULL, NULL)) continue;
    if (!hn_entry_find(loader, HN_ENTRY_PARAMETER, prefix, name, length)) continue;
    hn_text(word, size, "%.*s", (int)length, name);
    return 1;
  }
  return 0;
}

// A value that is only the name of a parameter is fixed where that one is defined.
static void hint_of_unit(const hn_loader *loader, const char *prefix, const hn_node *node,
                         hn_meaning meaning, char *hint, size_t size) {
  const hn_entry *entry =
      hn_entry_find(loader, HN_ENTRY_PARAMETER, prefix, node->text, strlen(node->text));
  const hn_parameter *parameter = entry ? entry->data : NULL;
  const char *unit = meaning == HN_NUMBER ? "as a plain number" : hn_meaning_unit(meaning);
  if (parameter && parameter->override && parameter->override->text)
    hn_text(hint, size, "'%.60s' is set to %.60s from outside this file: write that %s%s.",
            node->text, parameter->override->text, meaning == HN_NUMBER ? "" : "in ", unit);
  else if (entry && entry->node->text && meaning == HN_NUMBER)
    hn_text(hint, size, "Remove the unit of '%.60s' in line %d: %.60s.", node->text,
            entry->node->line, entry->node->text);
  else if (entry && entry->node->text)
    hn_text(hint, size,
            "'%.60s' is defined in line %d as %.60s: write that in %s or an equivalent unit.",
            node->text, entry->node->line, entry->node->text, hn_meaning_unit(meaning));
  else if (meaning == HN_ANGULAR_SPEED)
    hn_text(hint, size, "Use rad/s, deg/s, rev/s or rpm.");
  else if (meaning == HN_NUMBER)
    hn_text(hint, size, "Remove the unit.");
  else
    hn_text(hint, size, "Use %s or another unit of the same dimension.", hn_meaning_unit(meaning));
}

// The first parameter with a unit that a formula reads; null: none.
static const hn_entry *typed_parameter(const hn_loader *loader, const char *prefix,
                                       const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
  for (const char *at = text; (at = strpbrk(at, more)) != NULL;) {
    const size_t length = strspn(at, more);
    const hn_entry *entry =
        strchr(letters, *at) ? hn_entry_find(loader, HN_ENTRY_PARAMETER, prefix, at, length) : NULL;
    const hn_parameter *p = entry ? entry->data : NULL;
    if (p && p->value.kind == HN_AMOUNT_TYPED && !hn_dimension_is_number(p->value.dimension) &&
        entry->node->text)
      return entry;
    at += length;
  }
  return NULL;
}

// Whether a formula has a number of its own, as "/6" and unlike "v0" and "^2".
static int has_factor(const char *text) {
  const char before[] = "*/(+-, ";
  for (const char *at = text; (at = strpbrk(at, "0123456789")) != NULL; at++)
    if (at == text || strchr(before, at[-1]) != NULL) return 1;
  return 0;
}

static void hint_of_formula(const hn_loader *loader, const char *prefix, const hn_node *node,
                            char *hint, size_t size) {
  static const char factor[] = "a factor with a unit, as in 2 kg*length^2/6: plain numbers have "
                               "no unit.";
  const hn_entry *entry = typed_parameter(loader, prefix, node->text);
  const hn_parameter *p = entry ? entry->data : NULL;
  if (!p)
    hn_text(hint, size, "Add %s", factor);
  else if (p->override && p->override->text)
    hn_text(hint, size, "Check the unit of '%.60s', set to %.60s from outside this file.",
            entry->name, p->override->text);
  else
    hn_text(hint, size, "Check the unit of '%.60s', defined in line %d as %.60s%s%s", entry->name,
            entry->node->line, entry->node->text, has_factor(node->text) ? ", or add " : ".",
            has_factor(node->text) ? factor : "");
}

// Whether the value is allowed there; reports if not.
static int check_fits(hn_loader *loader, const char *prefix, const hn_amount *q,
                      const hn_node *node, hn_meaning meaning, const char *what) {
  if (!hn_loader_ok(loader)) return 0;
  hn_source place = hn_node_source(node);
  if (!hn_amount_fits(q, meaning)) {
    char got[160], hint[280], word[16];
    hint_of_unit(loader, prefix, node, meaning, hint, sizeof hint);
    if (names_parameter(loader, prefix, node, word, sizeof word))
      hn_text(hint, sizeof hint,
              "Rename the parameter: after / and * '%s' is the parameter, not the unit.", word);
    else if (!q->direct)
      hint_of_formula(loader, prefix, node, hint, sizeof hint);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                   "has the wrong unit in '%s': expected %s (%s), got %s", label(node, what),
                   hn_meaning_name(meaning), hn_meaning_unit(meaning),
                   hn_amount_text(q, node->text, got, sizeof got));
  } else if (!isfinite(q->value)) {
    hn_loader_fail(loader, HN_ERROR_NOT_FINITE, &place,
                   "Check for division by zero (a parameter may be 0) and roots or logarithms of "
                   "negative numbers.",
                   "has the value %g in '%s', from '%.80s'", q->value, label(node, what),
                   node->text);
  }
  return hn_loader_ok(loader);
}

double hn_number_of(const hn_context *context, const hn_node *node, hn_meaning meaning,
                    const char *what) {
  hn_amount q = amount_for(context, node, what);
  return check_fits(context->loader, context->scope->prefix, &q, node, meaning, what) ? q.value : 0;
}

double hn_integer_of(const hn_context *context, const hn_node *node, const char *what) {
  double value = hn_number_of(context, node, HN_NUMBER, what);
  const int is_whole = value == floor(value);
  if (is_whole && fabs(value) < 1e9) return value;
  hn_source place = hn_node_source(node);
  if (is_whole) {
    hn_loader_fail(context->loader, HN_ERROR_LIMIT, &place, "Give a smaller number.",
                   "expects a number below 1e9 in '%s', got %.10g", label(node, what), value);
    return 0;
  }
  hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, "Give a whole number, or use floor().",
                 "expects a whole number in '%s', got %.10g", label(node, what), value);
  return 0;
}

hn_status hn_formula_of(const hn_context *context, const hn_node *node, const hn_formula *formula,
                        hn_amount *result, int *uses_variables) {
  hn_loader *loader = context->loader;
  if (!hn_loader_ok(loader)) return loader->status;
  *uses_variables = 0;
  if (node->kind != HN_NODE_SCALAR || hn_node_is_null(node)) {
    hn_source place = hn_node_source(node);
    return hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a number or a formula.",
                          "expects a formula in '%s', got %s", label(node, NULL),
                          hn_node_kind_name(node));
  }
  const char *text = hn_text_expand(context, node->text, node);
  if (!text) return loader->status;
  finder f = {context, formula, 0};
  hn_status status = calculate(&f, text, node, text == node->text, result, loader->scratch);
  if (status) keep_failure(loader, status, label(node, NULL));
  *uses_variables = f.uses_variables;
  return loader->status;
}

// ---- parameters ---------------------------------------------------------------------------------

static void report_circle(const hn_entry *entry) {
  hn_loader *loader = entry->context.loader;
  char names[512] = "";
  size_t used = 0;
  for (const hn_entry *e = loader->first[HN_ENTRY_PARAMETER]; e; e = e->next)
    if (e->state == HN_ENTRY_BUSY && used < sizeof names - 1) {
      int more = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", e->name);
      used += more > 0 ? (size_t)more : 0;
    }
  hn_source place = hn_node_key_source(entry->node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give one of them as a number.",
                 "has a circular definition: %s", names);
}

// Value given by the user of a sealed component.
static hn_amount amount_of_input(const hn_component_input *input) {
  const double *d = input->dimension;
  return (hn_amount){.value = input->value,
                     .kind = input->has_dimension ? HN_AMOUNT_TYPED : HN_AMOUNT_NUMBER,
                     .dimension = {d[0], d[1], d[2], d[3]}};
}

// An override without a unit is taken in SI of the value it replaces.
static void take_override(hn_entry *entry, hn_parameter *p) {
  hn_loader *loader = entry->context.loader;
  hn_amount q =
      p->input ? amount_of_input(p->input) : amount_for(&p->override_context, p->override, NULL);
  if (!hn_loader_ok(loader)) return;
  int typed = p->value.kind == HN_AMOUNT_TYPED;
  if (typed && q.kind == HN_AMOUNT_TYPED &&
      !hn_dimension_equal_without_angles(q.dimension, p->value.dimension)) {
    char unit[64], got[160];
    const char *value = entry->node->text;
    hn_source place = hn_node_source(p->override);
    const char *written = p->override ? p->override->text : NULL;
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Use a unit of the same dimension.",
                   "has the wrong unit: expected %s, as in '%.60s' of line %d, got %s",
                   hn_dimension_text(p->value.dimension, unit, sizeof unit), value ? value : "",
                   entry->node->line, hn_amount_text(&q, written, got, sizeof got));
    return;
  }
  if (typed && q.kind != HN_AMOUNT_TYPED) {
    q.kind = HN_AMOUNT_TYPED;
    q.dimension = p->value.dimension;
    q.direct = p->value.direct;
  }
  p->value = q;
}

static void work_out(hn_entry *entry, hn_parameter *p) {
  hn_loader *loader = entry->context.loader;
  const hn_node *node = p->override ? p->override : entry->node;
  if (!hn_node_is_null(entry->node)) {
    p->value = amount_for(&entry->context, entry->node, NULL);
  } else if (!p->override && !p->input && loader->is_making && entry->context.scope->depth == 1) {
    p->value.value = 1; // placeholder for the user's value; zero would be no mass or length
  } else if (!p->override && !p->input) {
    hn_source place = hn_node_key_source(entry->node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Set it in the component's `parameters:`, or with @set.", "has no value");
  }
  if ((p->override || p->input) && hn_loader_ok(loader)) take_override(entry, p);
  if (p->value.kind == HN_AMOUNT_NUMBER) p->value.kind = HN_AMOUNT_UNTYPED;
  check_fits(loader, "", &p->value, node, HN_ANYTHING, NULL);
}

hn_status hn_parameter_value(hn_entry *entry, hn_amount *value) {
  hn_loader *loader = entry->context.loader;
  hn_parameter *p = entry->data;
  if (hn_loader_ok(loader) && !hn_loader_spoilt(loader, entry) && entry->state != HN_ENTRY_DONE) {
    hn_element_name old = hn_loader_begin(loader, "parameter", entry->name);
    if (entry->state == HN_ENTRY_BUSY) {
      report_circle(entry);
    } else {
      entry->state = HN_ENTRY_BUSY;
      work_out(entry, p);
      entry->state = hn_loader_ok(loader) ? HN_ENTRY_DONE : HN_ENTRY_FAILED;
    }
    hn_loader_set_element(loader, &old);
  }
  *value = p->value;
  return loader->status;
}
