// The model's outputs: each is one signal under another name, or an expression of signals and of
// outputs before it, compiled once. `time` is the present time there.
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "holon/switch.h"
#include "signals/signals_table.h"

// Collects the signals an expression uses, in the order in which it names them first.
typedef struct collector {
  const hn_signals *signals;
  int used[HN_EXPRESSION_USED];
  int count;
  const char *unknown; // the unknown name, in the expression's text
  size_t unknown_length;
} collector;

static int collect(const void *context, const char *name, size_t length) {
  collector *c = (collector *)context; // ours, below
  int signal = length == 4 && memcmp(name, "time", 4) == 0
                   ? HN_SIGNAL_TIME
                   : hn_signals_find_part(c->signals, name, length);
  if (signal == -1) {
    c->unknown = name;
    c->unknown_length = length;
    return -1;
  }
  for (int k = 0; k < c->count; k++)
    if (c->used[k] == signal) return k;
  if (c->count == HN_EXPRESSION_USED) return -1;
  c->used[c->count] = signal;
  return c->count++;
}

static hn_status unknown_signal(const hn_signals *s, const hn_output_def *def, const char *name,
                                size_t length, hn_error *error) {
  char element[128], text[256], hint[384];
  hn_text(element, sizeof element, "output '%s'", def->name);
  hn_text(text, sizeof text, "%.*s", length < 255 ? (int)length : 255, name);
  const hn_model *model = s->model;
  int later = hn_model_find(model, HN_NAME_OUTPUT, name, length);
  if (later >= 0) {
    const char *which = later == s->output_count ? "itself" : "an output defined after it";
    return hn_fail(error, HN_ERROR_MODEL, &def->source, element,
                   "Reorder the outputs: each may use only those before it.",
                   "uses '%s', which is %s", text, which);
  }
  const char *nearest = hn_signals_nearest(s, text);
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  else
    hn_text(hint, sizeof hint,
            "Use names like body.NAME.position.x, joint.NAME.angle or energy.total "
            "(docs/reference/signals.md).");
  return hn_fail(error, HN_ERROR_MODEL, &def->source, element, hint,
                 "uses the unknown signal '%s' (%d available; character %d of '%s')", text,
                 s->count, (int)(name - def->expression) + 1, def->expression);
}

static hn_status out_of_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the outputs");
}

static hn_status compile_expression(hn_signals *s, const hn_output_def *def, hn_signal_output *out,
                                    hn_error *error) {
  collector c = {.signals = s};
  hn_expression_names names = {.find = collect,
                               .context = &c,
                               .tables = s->model->lookups.item,
                               .table_count = s->model->lookups.count};
  hn_error reason = {0};
  size_t length = strlen(def->expression);
  hn_status status =
      hn_expression_compile(def->expression, length, &names, s->arena, &out->expression, &reason);
  if (status == HN_ERROR_MEMORY) return out_of_memory(error);
  if (status && c.unknown) return unknown_signal(s, def, c.unknown, c.unknown_length, error);
  if (status) {
    char element[128];
    hn_text(element, sizeof element, "output '%s'", def->name);
    return hn_fail(error, HN_ERROR_MODEL, &def->source, element, reason.hint,
                   "has an invalid expression: %s (character %d of '%s')", reason.message,
                   reason.column, def->expression);
  }
  out->used_count = c.count;
  out->used = hn_arena_copy(s->arena, c.used, (size_t)c.count, sizeof *c.used);
  out->values = HN_WORK(s->arena, double, c.count);
  return out->used && out->values ? HN_OK : out_of_memory(error);
}

// The whole expression is one name: then it may have characters that formulas give a meaning to.
static int single_signal(const hn_signals *s, const char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
  return hn_signals_find_part(s, text, length);
}

static hn_status compile_output(hn_signals *s, int index, hn_error *error) {
  const hn_output_def *def = &s->model->outputs.item[index];
  hn_signal_output *out = &s->outputs[index];
  if (hn_signals_find(s, def->name) >= 0) {
    char element[128];
    hn_text(element, sizeof element, "output '%s'", def->name);
    return hn_fail(error, HN_ERROR_MODEL, &def->source, element, "Give the output another name.",
                   "has the name of a built-in signal");
  }
  out->alias = single_signal(s, def->expression);
  const int negated = def->expression[strspn(def->expression, " ")] == '-'
                          ? single_signal(s, strchr(def->expression, '-') + 1)
                          : -1;
  const int of = out->alias >= 0 ? out->alias : negated;
  out->unit = def->unit ? def->unit : of >= 0 ? hn_signals_unit(s, of) : "";
  return out->alias >= 0 ? HN_OK : compile_expression(s, def, out, error);
}

hn_status hn_signals_compile_outputs(hn_signals *s, hn_error *error) {
  for (int k = 0; k < s->model->outputs.count; k++) {
    hn_status status = compile_output(s, k, error);
    if (status) return status;
    s->output_count = k + 1;
  }
  return HN_OK;
}

hn_status hn_signals_compile_conditions(hn_signals *s, hn_error *error) {
  const hn_model *model = s->model;
  if (model->switch_count == 0) return HN_OK;
  s->conditions = HN_TAKE(s->arena, hn_signal_output, 3 * (size_t)model->switch_count);
  if (!s->conditions) return out_of_memory(error);
  for (int k = 0; k < model->switch_count; k++) {
    const hn_switch_def *def = &model->switches[k];
    const char *texts[] = {def->when, def->starts, def->ends};
    static const char *const words[] = {"when", "starts", "ends"};
    for (int i = 0; i < 3; i++) {
      if (!texts[i]) continue;
      hn_output_def output = {.name = words[i], .source = def->source, .expression = texts[i]};
      hn_status status = compile_expression(s, &output, &s->conditions[3 * k + i], error);
      if (status) return status;
    }
  }
  return HN_OK;
}
