// The whole state of a part as a block of memory. See part.h.
#include <stdlib.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "part_private.h"

// Start of a block; values and rates of variables follow, then the state of the simulation, and that of
// an exchange.
typedef struct head {
  char magic[8], token[72];
  uint64_t size; // of the whole block
  double start, stop, tolerance, now, limit;
  int32_t stage, quiet, is_stale, is_changed;
  int32_t is_ahead, has_simulation;
  uint64_t state_size;    // of the simulation
  uint64_t exchange_size; // of the exchange
} head;

#define MAGIC "HNFMU02"

// The step that ends behind the communication point, from its start.
static hn_status part_repeat(part *p) {
  hn_status status = part_failed(p, hn_simulation_step(p->simulation, p->kept_limit));
  return status == HN_OK ? part_failed(p, hn_simulation_look_at(p->simulation, p->now)) : status;
}

hn_status part_save(part *p, void **block, size_t *size) {
  const size_t values = 2 * (size_t)p->variable_count * sizeof(double);
  const int ahead = p->simulation && part_is_ahead(p);
  // a state behind the communication point is that of the start of the last step, which is repeated
  if (ahead && part_failed(p, hn_simulation_return(p->simulation, p->kept)) != HN_OK)
    return p->error.status;
  const size_t state = p->simulation ? hn_simulation_save_size(p->simulation) : 0;
  const size_t numbers = p->is_exchange && p->exchange ? hn_exchange_save_size(p->state_count) : 0;
  head h = {.magic = MAGIC,
            .size = sizeof h + values + state + numbers * sizeof(double),
            .start = p->start,
            .stop = p->stop,
            .tolerance = p->tolerance,
            .now = p->now,
            .limit = p->kept_limit,
            .stage = (int32_t)p->stage,
            .quiet = p->quiet,
            .is_stale = p->is_stale,
            .is_changed = p->is_changed,
            .is_ahead = ahead,
            .has_simulation = p->simulation != NULL,
            .state_size = state,
            .exchange_size = numbers * sizeof(double)};
  strncpy(h.token, p->token, sizeof h.token - 1);
  char *to = malloc((size_t)h.size);
  *block = to;
  *size = (size_t)h.size;
  if (!to) return part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory for a state");
  memcpy(to, &h, sizeof h);
  for (int k = 0; k < p->variable_count; k++) {
    const double pair[2] = {p->variables[k].value, p->variables[k].rate};
    memcpy(to + sizeof h + (size_t)k * sizeof pair, pair, sizeof pair);
  }
  if (!p->simulation) return HN_OK;
  if (numbers > 0) hn_exchange_save(p->exchange, p->saved);
  if (numbers > 0) memcpy(to + sizeof h + values + state, p->saved, numbers * sizeof(double));
  hn_status status =
      part_failed(p, hn_simulation_save(p->simulation, to + sizeof h + values, state));
  return ahead && status == HN_OK ? part_repeat(p) : status;
}

// The simulation at the state of a block: made again where parameters differ.
static hn_status resume(part *p, const head *h, const char *state) {
  const int changed = p->is_changed;
  hn_status status = part_ready(p);
  if (status == HN_OK)
    status = part_failed(p, hn_simulation_restore(p->simulation, state, (size_t)h->state_size));
  if (status == HN_OK && h->is_ahead) {
    status = part_keep_start(p);
    p->kept_limit = h->limit;
    if (status == HN_OK) status = part_repeat(p);
  }
  if (status == HN_OK && h->exchange_size > 0) {
    memcpy(p->saved, state + h->state_size, (size_t)h->exchange_size);
    status = part_failed(p, hn_exchange_restore(p->exchange, p->saved));
  }
  p->is_changed = changed;
  return status;
}

static int fits_exchange(const part *p, const head *h) {
  const size_t size = p->is_exchange && h->has_simulation
                          ? hn_exchange_save_size(p->state_count) * sizeof(double)
                          : 0;
  return h->exchange_size == size;
}

hn_status part_restore(part *p, const void *block, size_t size) {
  head h;
  const size_t values = 2 * (size_t)p->variable_count * sizeof(double);
  const char *from = block;
  int is_whole = size >= sizeof h;
  if (is_whole) memcpy(&h, block, sizeof h);
  is_whole = is_whole && memcmp(h.magic, MAGIC, sizeof h.magic) == 0 && h.size == size &&
             strncmp(h.token, p->token, sizeof h.token - 1) == 0 &&
             h.state_size <= size - sizeof h && h.exchange_size <= size - sizeof h - h.state_size &&
             size - sizeof h - h.state_size - h.exchange_size == values && fits_exchange(p, &h);
  if (!is_whole)
    return part_fail(p, HN_ERROR_ARGUMENT, "the state", "Restore a state that this FMU has saved.",
                     "is damaged or of another FMU");
  int differs = h.tolerance != p->tolerance || h.start != p->start;
  for (int k = 0; k < p->variable_count; k++) {
    part_variable *v = &p->variables[k];
    double pair[2];
    memcpy(pair, from + sizeof h + (size_t)k * sizeof pair, sizeof pair);
    differs |= v->role == PART_PARAMETER && v->value != pair[0];
    v->value = pair[0];
    v->rate = pair[1];
  }
  p->start = h.start;
  p->stop = h.stop;
  p->tolerance = h.tolerance;
  p->now = h.now;
  p->stage = (part_stage)h.stage;
  p->quiet = h.quiet;
  p->is_changed = h.is_changed;
  if (differs || !h.has_simulation) {
    p->is_stale |= differs;
    part_drop_simulation(p);
  }
  if (!h.has_simulation) return HN_OK;
  return resume(p, &h, from + sizeof h + values);
}

// ---- copies ---------------------------------------------------------------------------------------

part_copy *part_copy_of(const void *bytes, size_t size) {
  part_copy *copy = calloc(1, sizeof *copy);
  if (copy) copy->block = malloc(size > 0 ? size : 1);
  if (!copy || !copy->block) {
    free(copy);
    return NULL;
  }
  memcpy(copy->block, bytes, size);
  copy->size = size;
  return copy;
}

hn_status part_keep(part *p, part_copy **copy) {
  if (!*copy) *copy = calloc(1, sizeof **copy);
  if (!*copy) return part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory for a state");
  free((*copy)->block);
  (*copy)->block = NULL;
  return part_save(p, &(*copy)->block, &(*copy)->size);
}

void part_drop(part_copy *copy) {
  if (copy) free(copy->block);
  free(copy);
}
