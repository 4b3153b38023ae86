// Blocks in `states:`: filters, delays, transfer functions, PID controllers and switches with
// hysteresis, written out as the states, and for controllers the output, that they are made of. Texts
// of the file go into the formulas in brackets, so that units and parameters are those of the place
// where the block stands.
//
//   filter of order 1    y' = (u - y)/T            of order 2   y'' = (u - y)/T^2 - 2 D y'/T
//   transfer function    x_k' = x_(k+1) + (b_(n-k) u - a_(n-k) x_1)/a_n,  y = x_1   (deg b < n);
//                        of degree n, b - d a instead of b with d = b_n/a_n, and y = d u + x_1
//   delay                u(t - T) in runs; linearizations and equilibria take the transfer function of
//                        Pade's approximation of exp(-s T) with degrees n - 1 and n
//   PID                  y = limit(w, low, high),  w = kp e + sum + kd (e - slow)/filter
//                        slow' = (e - slow)/filter,   sum' = ki e + (y - w)/tracking
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"

enum { MOST_ORDER = 10, TEXT = 4096 };

typedef struct block {
  const hn_context *context;
  hn_loader *loader;
  const char *name;
  const hn_node *node;
  hn_source place;
  const char *of, *initial; // initial null: 0
} block;

// ---- entries ------------------------------------------------------------------------------------

// Formulas that are too long are rejected when they are read.
static hn_node *add_text(const block *b, hn_node *map, const char *key, const char *text) {
  hn_arena *arena = &b->loader->arena;
  return hn_node_add(arena, map, key, hn_node_make_text(arena, text, &b->place));
}

static hn_node *make_map(const block *b, const char *name) {
  hn_node *map = hn_node_make(&b->loader->arena, HN_NODE_MAP, &b->place);
  if (!map) {
    hn_loader_fail(b->loader, HN_ERROR_MEMORY, &b->place, NULL, "does not fit into memory");
    return NULL;
  }
  map->key = hn_loader_copy(b->loader, name);
  map->key_line = b->node->key_line;
  map->key_column = b->node->key_column;
  return map;
}

static hn_node *add_state(const block *b, const char *name, const char *rate, const char *initial) {
  hn_node *map = make_map(b, name);
  if (!map) return NULL;
  add_text(b, map, "rate", rate);
  if (initial) add_text(b, map, "initial", initial);
  hn_entry_add(b->context, HN_ENTRY_STATE, map->key, map);
  return map;
}

static void refuse(const block *b, const char *what, const char *hint) {
  hn_loader_fail(b->loader, HN_ERROR_MODEL, &b->place, hint, "%s", what);
}

// The text of a key of the block or of a map in it; null where it is not given.
static const char *text_of(const block *b, const hn_node *map, const char *key) {
  const hn_node *node = hn_node_get(map, key);
  if (!node) return NULL;
  if (node->kind == HN_NODE_SCALAR) return node->text;
  hn_source place = hn_node_source(node);
  hn_loader_fail(b->loader, HN_ERROR_MODEL, &place, "Give a number or a formula.",
                 "has no formula at '%s'", key);
  return NULL;
}

static int order_of(const block *b, int usual, int most) {
  const hn_node *node = hn_node_get(b->node, "order");
  if (!node) return usual;
  double order = hn_number_of(b->context, node, HN_NUMBER, "order");
  if (order >= 1 && order <= most && order == (int)order) return (int)order;
  if (hn_loader_ok(b->loader))
    hn_loader_fail(b->loader, HN_ERROR_MODEL, &b->place, "Give a whole number.",
                   "has an order outside 1 to %d", most);
  return 1;
}

// A time constant divides: it is above 0. Returns its text; null where it is not given.
static const char *time_of(const block *b, const hn_node *map, const char *key) {
  const char *text = text_of(b, map, key);
  if (text && !(hn_number_of(b->context, hn_node_get(map, key), HN_TIME, key) > 0) &&
      hn_loader_ok(b->loader)) {
    char what[64];
    hn_text(what, sizeof what, "has a '%s' that is zero or negative", key);
    refuse(b, what, "Give the time constant, for instance 10 ms.");
  }
  return text;
}

// ---- blocks -------------------------------------------------------------------------------------

static void add_filter(const block *b) {
  char rate[TEXT], fast[TEXT];
  const char *time = time_of(b, b->node, "filter"), *damping = text_of(b, b->node, "damping");
  if (!time) return;
  if (order_of(b, 1, 2) == 1) {
    hn_text(rate, sizeof rate, "((%s) - %s)/(%s)", b->of, b->name, time);
    add_state(b, b->name, rate, b->initial);
    return;
  }
  hn_text(fast, sizeof fast, "%s_rate", b->name);
  add_state(b, b->name, fast, b->initial);
  hn_text(rate, sizeof rate, "((%s) - %s)/(%s)^2 - 2*(%s)*%s_rate/(%s)", b->of, b->name, time,
          damping ? damping : "sqrt(0.5)", b->name, time);
  add_state(b, fast, rate, NULL);
}

// Coefficients from s^0 on, of both polynomials of degree n; scale is what each rate is divided by.
// first: name of the first state, which is returned.
static hn_node *add_transfer_states(const block *b, int n, const char *first,
                                    const char *const numerator[], const char *const denominator[],
                                    const char *scale) {
  hn_node *output = NULL;
  for (int k = 1; k <= n && hn_loader_ok(b->loader); k++) {
    char name[HN_FULL_NAME_LENGTH], next[HN_FULL_NAME_LENGTH + 4] = "", rate[TEXT], initial[TEXT];
    const char *up = numerator[n - k], *low = denominator[n - k];
    if (k == 1)
      hn_text(name, sizeof name, "%s", first);
    else
      hn_text(name, sizeof name, "%s_%d", b->name, k);
    if (k < n) hn_text(next, sizeof next, "%s_%d + ", b->name, k + 1);
    hn_text(rate, sizeof rate, "(%s((%s)*(%s) - (%s)*%s)/(%s))/(%s)", next, up, b->of, low, first,
            denominator[n], scale);
    // at rest with the output that is asked for: each rate is zero
    if (k == 1)
      hn_text(initial, sizeof initial, "%s", b->initial ? b->initial : "0");
    else
      hn_text(initial, sizeof initial, "((%s) - (%s)*(%s)/(%s))*(%s)/(%s)", denominator[n - k + 1],
              numerator[n - k + 1], denominator[0], numerator[0], b->initial, denominator[n]);
    hn_node *map = add_state(b, name, rate, b->initial ? initial : NULL);
    if (k == 1) output = map;
  }
  return output;
}

static int is_zero(const char *text) {
  char *end;
  return strtod(text, &end) == 0 && end != text && *end == '\0';
}

static int read_polynomial(const hn_node *list, const char *out[MOST_ORDER + 1]) {
  if (!list || list->kind != HN_NODE_LIST) return -1;
  const hn_node *entry = list->first;
  int count = list->count;
  // zeros before the highest power
  for (; entry && entry->kind == HN_NODE_SCALAR && is_zero(entry->text) && count > 1; count--)
    entry = entry->next;
  if (count < 1 || count > MOST_ORDER + 1) return -1;
  for (int k = count; entry; entry = entry->next) {
    if (entry->kind != HN_NODE_SCALAR) return -1;
    out[--k] = entry->text;
  }
  return count - 1;
}

static void add_output(const block *b, const char *formula) {
  hn_node *map = make_map(b, b->name);
  if (!map) return;
  add_text(b, map, "value", formula);
  hn_entry *entry = hn_entry_add(b->context, HN_ENTRY_OUTPUT, map->key, map);
  if (entry) entry->is_block = 1;
}

// Both of degree n: what passes at once is taken out, and the block is an output.
static void add_direct(const block *b, int n, const char *const up[], const char *const low[]) {
  char first[HN_FULL_NAME_LENGTH + 4], direct[TEXT], text[TEXT], initial[TEXT];
  char rest[MOST_ORDER + 1][TEXT];
  const char *numerator[MOST_ORDER + 1];
  block inner = *b;
  hn_text(first, sizeof first, "%s_1", b->name);
  hn_text(direct, sizeof direct, "(%s)/(%s)", up[n], low[n]);
  for (int k = 0; k <= n; k++)
    numerator[k] =
        k == n ? "0" : hn_text(rest[k], sizeof rest[k], "(%s) - %s*(%s)", up[k], direct, low[k]);
  if (b->initial)
    inner.initial = hn_text(initial, sizeof initial, "(%s)*(1 - %s*(%s)/(%s))", b->initial, direct,
                            low[0], up[0]);
  add_transfer_states(&inner, n, first, numerator, low, "1");
  add_output(b, hn_text(text, sizeof text, "%s*(%s) + state.%s", direct, b->of, first));
}

static void add_transfer(const block *b) {
  const hn_node *map = hn_node_get(b->node, "transfer");
  if (map->kind != HN_NODE_MAP) map = NULL;
  const char *up[MOST_ORDER + 1], *low[MOST_ORDER + 1];
  const int zeros = read_polynomial(hn_node_get(map, "numerator"), up),
            n = read_polynomial(hn_node_get(map, "denominator"), low);
  if (zeros < 0 || n < 1) {
    refuse(b, "has a transfer function without coefficient lists",
           "Give {numerator: [b1, b0], denominator: [a2, a1, a0]}, highest power of s first.");
    return;
  }
  if (zeros > n) {
    refuse(b, "has a transfer function whose numerator degree exceeds the denominator degree",
           "Add poles above all frequencies of interest, for instance (1 + s*T).");
    return;
  }
  if (zeros == n) {
    add_direct(b, n, up, low);
    return;
  }
  for (int k = zeros + 1; k <= n; k++) up[k] = "0";
  add_transfer_states(b, n, b->name, up, low, "1");
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static void add_delay(const block *b) {
  const char *time = text_of(b, b->node, "delay"), *up[MOST_ORDER + 1], *low[MOST_ORDER + 1];
  char numbers[2][MOST_ORDER + 1][32];
  const int n = order_of(b, 4, MOST_ORDER), m = n - 1;
  if (!time) return;
  for (int k = 0; k <= n; k++) {
    const double share = factorial(m + n - k) / (factorial(m + n) * factorial(k));
    const double a = share * factorial(n) / factorial(n - k);
    const double c = k > m ? 0 : share * factorial(m) / factorial(m - k) * (k % 2 ? -1 : 1);
    low[k] = hn_text(numbers[0][k], sizeof numbers[0][k], "%.17g", a);
    up[k] = hn_text(numbers[1][k], sizeof numbers[1][k], "%.17g", c);
  }
  hn_node *map = add_transfer_states(b, n, b->name, up, low, time);
  if (!map) return;
  add_text(b, map, "delay", time);
  add_text(b, map, "of", b->of);
  add_text(b, map, "order", hn_text(numbers[0][0], sizeof numbers[0][0], "%d", n));
}

// A gain of 0 means no gain.
static const char *gain_of(const block *b, const hn_node *map, const char *key) {
  const char *text = text_of(b, map, key);
  char *end = NULL;
  return text && strtod(text, &end) == 0 && end != text && *end == '\0' ? NULL : text;
}

static void add_pid(const block *b) {
  const hn_node *map = hn_node_get(b->node, "pid");
  if (!map || map->kind != HN_NODE_MAP) {
    refuse(b, "has a PID controller without gains",
           "Give {kp: ..., ki: ..., kd: ..., filter: ...}.");
    return;
  }
  const char *p = gain_of(b, map, "kp"), *i = gain_of(b, map, "ki"), *d = gain_of(b, map, "kd");
  const char *filter = time_of(b, map, "filter"), *low = text_of(b, map, "low");
  const char *high = text_of(b, map, "high"), *tracking = time_of(b, map, "tracking");
  char name[HN_FULL_NAME_LENGTH], raw[TEXT], limited[TEXT], rate[TEXT], slope[TEXT] = "",
                                                                        back[TEXT] = "";
  if (!p && !i && !d) refuse(b, "has a PID controller without gains", "Give kp, ki or kd.");
  if (d && !filter)
    refuse(b, "has `kd` without a derivative filter",
           "Give the filter time constant: `filter: 10 ms`.");
  if (!low != !high) refuse(b, "has only one limit", "Give both, low and high, or neither.");
  if (!hn_loader_ok(b->loader)) return;
  if (d)
    hn_text(slope, sizeof slope, " + (%s)*((%s) - state.%s_slow)/(%s)", d, b->of, b->name, filter);
  hn_text(raw, sizeof raw, "(%s)*(%s)%s%s%s", p ? p : "0", b->of, i ? " + state." : "",
          i ? b->name : "", i ? "_sum" : "");
  if (strlen(raw) + strlen(slope) < sizeof raw) strcat(raw, slope);
  hn_text(limited, sizeof limited, "limit(%s, %s, %s)", raw, low ? low : "0", high ? high : "0");
  if (d) {
    hn_text(rate, sizeof rate, "((%s) - %s_slow)/(%s)", b->of, b->name, filter);
    add_state(b, hn_text(name, sizeof name, "%s_slow", b->name), rate, NULL);
  }
  if (i) {
    if (low && tracking)
      hn_text(back, sizeof back, " + (%s - (%s))/(%s)", limited, raw, tracking);
    else if (low) // within kp/ki; ki may be 0
      hn_text(back, sizeof back, " + (%s - (%s))*(%s)/(%s)", limited, raw, i, p ? p : "1");
    hn_text(rate, sizeof rate, "(%s)*(%s)%s", i, b->of, back);
    add_state(b, hn_text(name, sizeof name, "%s_sum", b->name), rate, b->initial);
  }
  add_output(b, low ? limited : raw);
}

static void add_pair(const block *b, hn_node *list, const char *condition, const char *value) {
  hn_arena *arena = &b->loader->arena;
  hn_node *pair = hn_node_add(arena, list, NULL, hn_node_make(arena, HN_NODE_LIST, &b->place));
  add_text(b, pair, NULL, condition);
  add_text(b, pair, NULL, value);
}

static void add_hysteresis(const block *b) {
  const hn_node *limits = hn_node_get(b->node, "hysteresis");
  char text[TEXT];
  if (limits->kind != HN_NODE_LIST || limits->count != 2 || limits->first->kind != HN_NODE_SCALAR ||
      limits->first->next->kind != HN_NODE_SCALAR) {
    refuse(b, "has a hysteresis that is not two numbers", "Write [low, high] with low < high.");
    return;
  }
  const hn_amount low = hn_amount_of(b->context, limits->first);
  const hn_amount high = hn_amount_of(b->context, limits->first->next);
  if (hn_loader_ok(b->loader) && !(low.value < high.value))
    refuse(b, "has a hysteresis with low >= high", "Write [low, high] with low < high.");
  hn_node *map = hn_loader_ok(b->loader) ? make_map(b, b->name) : NULL;
  if (!map) return;
  hn_arena *arena = &b->loader->arena;
  hn_node *list = hn_node_add(arena, map, "when", hn_node_make(arena, HN_NODE_LIST, &b->place));
  add_pair(b, list, hn_text(text, sizeof text, "(%s) > (%s)", b->of, limits->first->next->text),
           "1");
  add_pair(b, list, hn_text(text, sizeof text, "(%s) < (%s)", b->of, limits->first->text), "0");
  if (b->initial) add_text(b, map, "initial", b->initial);
  hn_entry_add(b->context, HN_ENTRY_STATE, map->key, map);
}

// ---- all of them --------------------------------------------------------------------------------

void hn_register_state(const hn_context *context, hn_entry_kind kind, const char *name,
                       const hn_node *node, void *data) {
  static const struct {
    const char *key;
    void (*add)(const block *b);
    int takes_order;
  } kinds[] = {{"filter", add_filter, 1},
               {"delay", add_delay, 1},
               {"transfer", add_transfer, 0},
               {"pid", add_pid, 0},
               {"hysteresis", add_hysteresis, 0}};
  (void)data;
  if (hn_node_get(node, "fmu")) {
    hn_register_fmu(context, name, node);
    return;
  }
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (!hn_node_get(node, kinds[k].key)) continue;
    hn_loader *loader = context->loader;
    hn_element_name old = hn_loader_begin(loader, "state", name);
    block b = {context, loader, name, node, hn_node_key_source(node), NULL, NULL};
    hn_fields fields;
    if (hn_fields_open(context, node, hn_section_find("state", NULL), &fields)) {
      b.of = text_of(&b, node, "of");
      b.initial = text_of(&b, node, "initial");
      if (!b.of && hn_loader_ok(loader))
        refuse(&b, "has no input signal", "Give `of:` with a formula of signals.");
      static const char *const shared[] = {"of", "initial"};
      for (int i = 0; i < 2; i++) (void)hn_field(&fields, shared[i]);
      (void)hn_field(&fields, kinds[k].key);
      if (kinds[k].takes_order) (void)hn_field(&fields, "order");
      if (kinds[k].add == add_filter) (void)hn_field(&fields, "damping");
      if (hn_loader_ok(loader)) hn_fields_close(&fields);
      if (hn_loader_ok(loader)) kinds[k].add(&b);
    }
    hn_loader_set_element(loader, &old);
    return;
  }
  hn_entry_add(context, kind, name, node);
}
