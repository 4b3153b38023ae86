// Conditions of switches along a step: which signals they read, and truth by values or bounds of these.
// An output that a condition reads is taken apart into the signals of its expression, so that what is
// narrow in time is bounded where it stands.
#include <math.h>

#include "math/bounds.h"
#include "signals/signals_table.h"

enum { MAX_USED = 32 }; // of one expression: those with more are not followed

// The expression behind a signal, or null: it is read directly. *index: without aliases.
static const hn_signal_output *expression_of(const hn_signals *s, int *index) {
  while (*index != HN_SIGNAL_TIME) {
    const hn_signal_place at = hn_signal_locate(s, *index);
    if (at.kind != HN_SIGNAL_OUTPUT) return NULL;
    const hn_signal_output *out = &s->outputs[at.element];
    if (out->expression && out->used_count <= MAX_USED) return out;
    if (out->alias < 0) return NULL;
    *index = out->alias;
  }
  return NULL;
}

static int leaf_of(const hn_leaves *leaves, int signal) {
  for (int k = 0; k < leaves->count; k++)
    if (leaves->signal[k] == signal) return k;
  return -1;
}

static int list_leaves(const hn_signals *s, const hn_signal_output *out, hn_leaves *leaves) {
  for (int k = 0; k < out->used_count; k++) {
    int index = out->used[k];
    const hn_signal_output *inside = expression_of(s, &index);
    if (inside) {
      if (!list_leaves(s, inside, leaves)) return 0;
    } else if (leaf_of(leaves, index) < 0) {
      if (leaves->count == HN_MAX_LEAVES) return 0;
      leaves->signal[leaves->count++] = index;
    }
  }
  return 1;
}

int hn_signals_condition_leaves(const hn_signals *s, int number, int which, hn_leaves *leaves) {
  const hn_signal_output *out = &s->conditions[3 * number + which];
  leaves->count = 0;
  return out->expression && out->used_count <= MAX_USED && list_leaves(s, out, leaves);
}

static double value_of(const hn_signals *s, const hn_signal_output *out, const hn_leaves *leaves,
                       const double *values) {
  double used[MAX_USED];
  for (int k = 0; k < out->used_count; k++) {
    int index = out->used[k];
    const hn_signal_output *inside = expression_of(s, &index);
    used[k] = inside ? value_of(s, inside, leaves, values) : values[leaf_of(leaves, index)];
  }
  return hn_expression_evaluate(out->expression, used);
}

static hn_bounds bounds_of(const hn_signals *s, const hn_signal_output *out,
                           const hn_leaves *leaves, const hn_bounds *bounds) {
  hn_bounds used[MAX_USED];
  for (int k = 0; k < out->used_count; k++) {
    int index = out->used[k];
    const hn_signal_output *inside = expression_of(s, &index);
    used[k] = inside ? bounds_of(s, inside, leaves, bounds) : bounds[leaf_of(leaves, index)];
  }
  return hn_expression_bounds(out->expression, used, NULL);
}

int hn_signals_condition_at(const hn_signals *s, int number, int which, const hn_leaves *leaves,
                            const double *values) {
  const double value = value_of(s, &s->conditions[3 * number + which], leaves, values);
  return isnan(value) ? -1 : value != 0;
}

int hn_signals_condition_over(const hn_signals *s, int number, int which, const hn_leaves *leaves,
                              const hn_bounds *bounds) {
  const hn_interval v = bounds_of(s, &s->conditions[3 * number + which], leaves, bounds).value;
  if (v.low == 0 && v.high == 0) return 0;
  return v.low > 0 || v.high < 0 ? 1 : -1;
}
