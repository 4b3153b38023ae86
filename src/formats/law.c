// Laws: a number, a formula, a polynomial, pieces of polynomials, a table.
//
// A natural cubic spline through (x, y + c0 + c1 x) is the spline through (x, y) plus c0 + c1 x, so
// a linear part can be added to every kind without loss.
#include "formats/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

// Of all pieces together, each as long as the longest: products of the two stay within an int.
#define HN_LAW_NUMBERS 10000000

// ---- numbers with the dimension of a coefficient ------------------------------------------------

// "a torque (N m)"; "a value in kg/s^2".
static const char *expected_text(hn_meaning meaning, hn_dimension dimension, char *text,
                                 size_t size) {
  char unit[64];
  if (meaning == HN_ANYTHING)
    return hn_text(text, size, "a value in %s", hn_dimension_text(dimension, unit, sizeof unit));
  return hn_text(text, size, "%s (%s)", hn_meaning_name(meaning), hn_meaning_unit(meaning));
}

double hn_law_number(const hn_context *context, const hn_node *node, hn_meaning meaning,
                     hn_dimension dimension, const char *what) {
  hn_amount q = hn_amount_of(context, node);
  hn_loader *loader = context->loader;
  if (!hn_loader_ok(loader)) return 0;
  hn_source place = hn_node_source(node);
  if (q.kind == HN_AMOUNT_TYPED && !hn_dimension_equal_without_angles(q.dimension, dimension)) {
    char expected[128], got[160];
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give it in SI without a unit, or in that unit.",
                   "has the wrong unit in '%s': expected %s, got %s", what,
                   expected_text(meaning, dimension, expected, sizeof expected),
                   hn_amount_text(&q, node->text, got, sizeof got));
  } else if (!isfinite(q.value)) {
    hn_loader_fail(loader, HN_ERROR_NOT_FINITE, &place, "Check for a division by zero.",
                   "has the value %g in '%s'", q.value, what);
  }
  return q.value;
}

hn_meaning hn_law_variable_meaning(const hn_law_wanted *wanted, char variable) {
  return variable == 'x' ? wanted->x : variable == 'v' ? wanted->v : HN_TIME;
}

hn_dimension hn_law_variable_dimension(const hn_law_wanted *wanted, char variable) {
  return hn_meaning_dimension(hn_law_variable_meaning(wanted, variable));
}

// ---- reading ------------------------------------------------------------------------------------

static void fail_list(hn_loader *loader, const hn_node *node, const char *what, const char *hint) {
  hn_source place = hn_node_source(node);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "expects a list in '%s', got %s with %d",
                 what, hn_node_kind_name(node), node->count);
}

// Coefficient k has the dimension of the value divided by x^k.
static void read_coefficients(const hn_context *context, const hn_node *node,
                              const hn_law_wanted *wanted, double *coefficients) {
  hn_dimension value = hn_meaning_dimension(wanted->value);
  hn_dimension x = hn_law_variable_dimension(wanted, wanted->variables[0]);
  int k = 0;
  for (const hn_node *n = node->first; n; n = n->next, k++)
    coefficients[k] =
        hn_law_number(context, n, k == 0 ? wanted->value : HN_ANYTHING,
                      hn_dimension_multiply(value, hn_dimension_power(x, -k)), "polynomial");
}

static int is_list(const hn_node *node) { return node->kind == HN_NODE_LIST && node->count > 0; }

static void read_polynomial(const hn_context *context, const hn_node *node,
                            const hn_law_wanted *wanted, hn_law_draft *draft) {
  if (!is_list(node)) {
    fail_list(context->loader, node, "polynomial", "Write [c0, c1, c2, ...].");
    return;
  }
  draft->kind = HN_LAW_POLYNOMIAL;
  draft->pieces = 1;
  draft->count = node->count;
  draft->coefficients = hn_loader_take(context->loader, (size_t)node->count, sizeof(double));
  if (draft->coefficients) read_coefficients(context, node, wanted, draft->coefficients);
}

static void report_end(hn_loader *loader, const hn_node *node, const hn_law_wanted *wanted,
                       int piece, int pieces) {
  hn_source place = hn_node_source(node);
  char hint[200], unit[64];
  hn_dimension_text(hn_law_variable_dimension(wanted, wanted->variables[0]), unit, sizeof unit);
  if (piece < pieces)
    hn_text(hint, sizeof hint, "Add the upper end of piece %d: `below: 0.1 %s`.", piece, unit);
  else
    hn_text(hint, sizeof hint, "Delete it: the last piece applies to all larger values.");
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "has %s 'below' in piece %d of %d",
                 piece < pieces ? "no" : "a", piece, pieces);
}

static void read_piece(const hn_context *context, const hn_node *node, const hn_law_wanted *wanted,
                       hn_law_draft *draft, int piece) {
  hn_fields fields;
  hn_loader *loader = context->loader;
  if (!hn_fields_open(context, node, hn_section_find("piece", NULL), &fields)) return;
  const hn_node *below = hn_field(&fields, "below"), *list = hn_field_need(&fields, "polynomial");
  int last = piece == draft->pieces - 1;
  hn_source place = hn_node_source(node);
  if (last == (below != NULL)) report_end(loader, node, wanted, piece + 1, draft->pieces);
  if (below && !last)
    draft->breakpoints[piece] =
        hn_law_number(context, below, hn_law_variable_meaning(wanted, wanted->variables[0]),
                      hn_law_variable_dimension(wanted, wanted->variables[0]), "below");
  if (piece > 0 && below && hn_loader_ok(loader) &&
      !(draft->breakpoints[piece] > draft->breakpoints[piece - 1]))
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Sort the pieces by `below`.",
                   "has a piece with `below: %g` after one with `below: %g`",
                   draft->breakpoints[piece], draft->breakpoints[piece - 1]);
  if (list) read_coefficients(context, list, wanted, draft->coefficients + piece * draft->count);
  hn_fields_close(&fields);
}

static void read_piecewise(const hn_context *context, const hn_node *node,
                           const hn_law_wanted *wanted, hn_law_draft *draft) {
  hn_loader *loader = context->loader;
  if (!is_list(node)) {
    fail_list(loader, node, "piecewise",
              "Write [{below: b, polynomial: [...]}, {polynomial: [...]}].");
    return;
  }
  draft->kind = HN_LAW_PIECEWISE;
  draft->pieces = node->count;
  for (const hn_node *n = node->first; n; n = n->next) {
    const hn_node *list = hn_node_get(n, "polynomial");
    if (list && !is_list(list)) fail_list(loader, list, "polynomial", "Write [c0, c1, ...].");
    if (list && list->count > draft->count) draft->count = list->count;
  }
  size_t pieces = (size_t)draft->pieces, count = (size_t)draft->count;
  if (pieces * count > HN_LAW_NUMBERS) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_LIMIT, &place, "Use a table or shorter polynomials.",
                   "has %zu pieces of %zu coefficients in 'piecewise', more than %d numbers",
                   pieces, count, HN_LAW_NUMBERS);
    return;
  }
  draft->coefficients = hn_loader_take(loader, pieces * count, sizeof(double));
  draft->breakpoints = hn_loader_take(loader, pieces, sizeof(double));
  int piece = 0;
  for (const hn_node *n = node->first; n && hn_loader_ok(loader); n = n->next)
    read_piece(context, n, wanted, draft, piece++);
  if (draft->pieces == 1) draft->kind = HN_LAW_POLYNOMIAL;
}

// "60 rpm" where an angle over time is wanted.
static int is_rate(const hn_law_wanted *wanted, const hn_amount *result) {
  hn_dimension way = hn_dimension_multiply(result->dimension, hn_meaning_dimension(HN_TIME));
  return strcmp(wanted->variables, "t") == 0 && result->kind == HN_AMOUNT_TYPED &&
         hn_dimension_equal(way, hn_meaning_dimension(wanted->value));
}

static void read_formula(const hn_context *context, const hn_node *node,
                         const hn_law_wanted *wanted, hn_law_draft *draft) {
  hn_loader *loader = context->loader;
  hn_variable variables[3];
  int count = 0;
  for (const char *at = wanted->variables; *at; at++) {
    if (*at == ' ') continue;
    int reversed = wanted->sign < 0 && *at != 't';
    variables[count++] = (hn_variable){*at == 'x'   ? "x"
                                       : *at == 'v' ? "v"
                                                    : "t",
                                       hn_law_variable_dimension(wanted, *at),
                                       *at == 't'   ? "t"
                                       : *at == 'x' ? reversed ? "(-x)" : "x"
                                                    : (reversed ? "(-v)" : "v")};
  }
  hn_formula formula = {variables, count, hn_signal_sense, 1};
  hn_amount result;
  int uses_variables;
  if (hn_formula_of(context, node, &formula, &result, &uses_variables)) return;
  if (!hn_amount_fits(&result, wanted->value)) {
    char got[160], hint[200];
    hn_source place = hn_node_source(node);
    hn_text(hint, sizeof hint, "Change the formula to give %s (%s).",
            hn_meaning_name(wanted->value), hn_meaning_unit(wanted->value));
    if (is_rate(wanted, &result) && node->text)
      hn_text(hint, sizeof hint, "For constant speed write %s%.80s%s*t.", result.direct ? "" : "(",
              node->text, result.direct ? "" : ")");
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                   "has the wrong unit in '%s': expected %s (%s), got %s",
                   node->key ? node->key : "a law", hn_meaning_name(wanted->value),
                   hn_meaning_unit(wanted->value),
                   hn_amount_text(&result, node->text, got, sizeof got));
    return;
  }
  if (uses_variables || count > 1) {
    draft->kind = HN_LAW_EXPRESSION;
    draft->text = hn_loader_copy(loader, loader->scratch);
    return;
  }
  // A number: also "2*L", whose dimension was checked above.
  draft->kind = HN_LAW_POLYNOMIAL;
  draft->pieces = draft->count = 1;
  draft->coefficients = hn_loader_take(loader, 1, sizeof(double));
  if (draft->coefficients)
    draft->coefficients[0] = hn_number_of(context, node, wanted->value, NULL);
}

static void read_map(const hn_context *context, const hn_node *node, const hn_law_wanted *wanted,
                     hn_law_draft *draft) {
  hn_fields fields;
  if (!hn_fields_open(context, node, hn_section_find("law", NULL), &fields)) return;
  const hn_node *part;
  if ((part = hn_field(&fields, "polynomial"))) {
    read_polynomial(context, part, wanted, draft);
  } else if ((part = hn_field(&fields, "piecewise"))) {
    read_piecewise(context, part, wanted, draft);
  } else if ((part = hn_field(&fields, "table"))) {
    hn_law_read_table(&fields, part, wanted, draft);
  } else {
    hn_source place = hn_node_source(node);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                   "Give a formula, {polynomial: ...}, {piecewise: ...} or {table: ...}.",
                   "has an incomplete function in '%s'", node->key ? node->key : "a list");
  }
  hn_fields_close(&fields);
}

// ---- backwards ----------------------------------------------------------------------------------

static void reverse(double *numbers, int count) {
  for (int k = 0; k < count / 2; k++) {
    double other = numbers[count - 1 - k];
    numbers[count - 1 - k] = numbers[k];
    numbers[k] = other;
  }
}

// f(x) becomes f(-x); formulas were read that way.
static void reflect(hn_law_draft *draft) {
  for (int p = 0; p < draft->pieces; p++)
    for (int k = 1; k < draft->count; k += 2)
      draft->coefficients[p * draft->count + k] = -draft->coefficients[p * draft->count + k];
  for (int p = 0; p < draft->pieces / 2; p++)
    for (int k = 0; k < draft->count; k++) {
      double *a = &draft->coefficients[p * draft->count + k];
      double *b = &draft->coefficients[(draft->pieces - 1 - p) * draft->count + k];
      double other = *a;
      *a = *b;
      *b = other;
    }
  for (int p = 0; p + 1 < draft->pieces; p++) draft->breakpoints[p] = -draft->breakpoints[p];
  if (draft->pieces > 1) reverse(draft->breakpoints, draft->pieces - 1);
  for (int k = 0; k < draft->points; k++) draft->x[k] = -draft->x[k];
  reverse(draft->x, draft->points);
  reverse(draft->y, draft->points);
}

hn_law_draft hn_law_read(const hn_context *context, const hn_node *node,
                         const hn_law_wanted *wanted) {
  hn_loader *loader = context->loader;
  hn_law_draft draft = {.node = node, .variables = wanted->variables};
  if (!hn_loader_ok(loader)) return draft;
  if (node->kind == HN_NODE_MAP && !strchr(wanted->variables, ' '))
    read_map(context, node, wanted, &draft);
  else
    read_formula(context, node, wanted, &draft);
  if (!hn_loader_ok(loader)) return (hn_law_draft){.node = node};
  if (wanted->sign < 0) {
    if (wanted->variables[0] != 't') reflect(&draft);
    hn_law_draft_scale(loader, &draft, -1);
  }
  return draft;
}

// ---- arithmetic ---------------------------------------------------------------------------------

// abc, or nothing when out of memory (which the loader keeps).
static const char *join(hn_loader *loader, const char *a, const char *b, const char *c) {
  size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = hn_loader_take(loader, size, 1);
  return text ? hn_text(text, size, "%s%s%s", a, b, c) : "";
}

// "(c)" with c in full precision.
static const char *number_text(char *buffer, size_t size, double c) {
  buffer[0] = '(';
  size_t length = hn_number_write(c, buffer + 1, size - 3) + 1;
  buffer[length] = ')';
  buffer[length + 1] = '\0';
  return buffer;
}

// Makes the capacity of polynomials at least `count` coefficients.
static int widen(hn_loader *loader, hn_law_draft *draft, int count) {
  if (draft->pieces == 0) {
    draft->kind = HN_LAW_POLYNOMIAL;
    draft->pieces = 1;
  } else if (draft->count >= count) {
    return 1;
  }
  double *wider = hn_loader_take(loader, (size_t)draft->pieces * (size_t)count, sizeof(double));
  if (!wider) return 0;
  for (int p = 0; p < draft->pieces; p++)
    for (int k = 0; k < draft->count; k++)
      wider[p * count + k] = draft->coefficients[p * draft->count + k];
  draft->coefficients = wider;
  draft->count = count;
  return 1;
}

// Whether the curve through a sum is the sum of the curves: of a line and a curve at least.
static int is_additive(const hn_table_options *table) {
  return table->kind != HN_TABLE_MONOTONE && table->outside == HN_TABLE_TANGENT &&
         !table->is_periodic;
}

void hn_law_draft_add(hn_loader *loader, hn_law_draft *draft, double c0, double c1) {
  if (!hn_loader_ok(loader) || (c0 == 0 && c1 == 0)) return;
  if (draft->kind == HN_LAW_EXPRESSION) {
    char a[48], b[48], tail[128];
    hn_text(tail, sizeof tail, ") + %s + %s*%c", number_text(a, sizeof a, c0),
            number_text(b, sizeof b, c1), draft->variables[0]);
    draft->text = join(loader, "(", draft->text, tail);
  } else if (draft->kind == HN_LAW_TABLE) {
    if (c1 != 0 && !is_additive(&draft->table)) {
      hn_source place = hn_node_source(draft->node);
      hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &place,
                     "Include the stiffness or damping in the table, or add another force.",
                     "cannot add a linear term to a table that is monotone, periodic or bounded");
    }
    for (int k = 0; k < draft->points; k++) draft->y[k] += c0 + c1 * draft->x[k];
  } else if (widen(loader, draft, c1 != 0 ? 2 : 1)) {
    for (int p = 0; p < draft->pieces; p++) {
      draft->coefficients[p * draft->count] += c0;
      if (c1 != 0) draft->coefficients[p * draft->count + 1] += c1;
    }
  }
}

void hn_law_draft_scale(hn_loader *loader, hn_law_draft *draft, double factor) {
  if (!hn_loader_ok(loader) || factor == 1) return;
  if (draft->kind == HN_LAW_EXPRESSION) {
    char head[64], number[48];
    hn_text(head, sizeof head, "%s*(", number_text(number, sizeof number, factor));
    draft->text = join(loader, head, draft->text, ")");
  }
  for (int k = 0; k < draft->points; k++) draft->y[k] *= factor;
  for (int k = 0; k < draft->pieces * draft->count; k++) draft->coefficients[k] *= factor;
}

// A polynomial as a formula, by Horner's rule.
static const char *formula_of(hn_loader *loader, const hn_law_draft *draft) {
  if (draft->kind == HN_LAW_EXPRESSION) return draft->text;
  const char *text = "0";
  char number[48], tail[80];
  for (int k = draft->count - 1; k >= 0; k--) {
    hn_text(tail, sizeof tail, ")*%c + %s", draft->variables[0],
            number_text(number, sizeof number, draft->coefficients[k]));
    text = join(loader, "(", text, tail);
  }
  return text;
}

static int same_grid(const hn_law_draft *a, const hn_law_draft *b) {
  if (a->kind != HN_LAW_TABLE || b->kind != HN_LAW_TABLE || a->points != b->points ||
      memcmp(&a->table, &b->table, sizeof a->table) != 0 || a->table.kind > HN_TABLE_LINEAR)
    return 0;
  for (int k = 0; k < a->points; k++)
    if (a->x[k] != b->x[k]) return 0;
  return 1;
}

// 1 when it is nothing but zero, or none.
static int is_zero(const hn_law_draft *draft) {
  if (draft->kind == HN_LAW_EXPRESSION || draft->kind == HN_LAW_TABLE) return 0;
  for (int k = 0; k < draft->pieces * draft->count; k++)
    if (draft->coefficients[k] != 0) return 0;
  return 1;
}

void hn_law_draft_sum(hn_loader *loader, hn_law_draft *draft, const hn_law_draft *other) {
  if (!hn_loader_ok(loader) || is_zero(other)) return;
  int simple = draft->kind != HN_LAW_TABLE && draft->kind != HN_LAW_PIECEWISE;
  int other_simple = other->kind != HN_LAW_TABLE && other->kind != HN_LAW_PIECEWISE;
  if (is_zero(draft)) {
    *draft = *other;
  } else if (same_grid(draft, other)) {
    for (int k = 0; k < draft->points; k++) draft->y[k] += other->y[k];
  } else if (draft->kind != HN_LAW_EXPRESSION && other->kind != HN_LAW_EXPRESSION && simple &&
             other_simple) {
    if (!widen(loader, draft, other->count)) return;
    for (int k = 0; k < other->count; k++) draft->coefficients[k] += other->coefficients[k];
  } else if (simple && other_simple) {
    const char *a = formula_of(loader, draft), *b = formula_of(loader, other);
    const char *sum = join(loader, join(loader, "(", a, ") + ("), b, ")");
    *draft = (hn_law_draft){
        .kind = HN_LAW_EXPRESSION, .node = draft->node, .text = sum, .variables = draft->variables};
  } else {
    hn_source place = hn_node_source(other->node);
    hn_loader_fail(loader, HN_ERROR_UNSUPPORTED, &place,
                   "Use formulas, polynomials or tables with equal x, or rotate the component by "
                   "multiples of 90 deg.",
                   "cannot add functions of different kinds along one axis of a rotated component");
  }
}

// ---- making -------------------------------------------------------------------------------------

hn_law *hn_law_draft_make(hn_loader *loader, const hn_law_draft *draft) {
  const hn_allocator *allocator = loader->options->allocator;
  hn_law *law = NULL;
  hn_status status = HN_OK;
  hn_error error;
  if (!hn_loader_ok(loader)) return NULL;
  const char *one = draft->variables;
  static const char *const three[3] = {"x", "v", "t"};
  switch (draft->kind) {
  case HN_LAW_CONSTANT:
  case HN_LAW_POLYNOMIAL:
    if (draft->pieces == 0) return NULL;
    status = draft->count == 1
                 ? hn_law_constant(draft->coefficients[0], allocator, &law, &error)
                 : hn_law_polynomial(draft->coefficients, draft->count, allocator, &law, &error);
    break;
  case HN_LAW_PIECEWISE:
    status = hn_law_piecewise(draft->breakpoints, draft->coefficients, draft->pieces, draft->count,
                              allocator, &law, &error);
    break;
  case HN_LAW_TABLE:
    status =
        hn_law_curve(draft->x, draft->y, draft->points, &draft->table, allocator, &law, &error);
    break;
  case HN_LAW_EXPRESSION:
    status = strchr(one, ' ')
                 ? hn_model_law(loader->model, draft->text, three, 3, allocator, &law, &error)
                 : hn_model_law(loader->model, draft->text, &one, 1, allocator, &law, &error);
    break;
  }
  if (status) {
    hn_source place = {NULL, 0, 0};
    if (draft->node) place = hn_node_source(draft->node);
    hn_loader_fail(loader, status, &place, error.hint, "has an invalid function: %s",
                   error.message);
    return NULL;
  }
  return law;
}
