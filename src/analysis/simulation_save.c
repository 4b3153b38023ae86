// Checkpoint and restart: the whole state with the record of the run, as a header and one block
// (simulation_copy.c). It is tied to this model and build.
#include "analysis/saved_state.h"

#include <string.h>

#include "analysis/parameters.h"
#include "base/error.h"
#include "model/options.h"

unsigned long long hn_saved_checksum(const unsigned char *data, size_t size) {
  unsigned long long hash = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 1099511628211u;
  return hash;
}

// Hash of all options that affect the bits of a run besides the model.
static unsigned long long options_of(const hn_simulation *s) {
  struct {
    double numbers[HN_OPTION_COUNT_ALL], realtime, accepts_unconverged;
    char words[HN_OPTION_COUNT_ALL][32], names[5][32];
  } o;
  const hn_option_row *row;
  memset(&o, 0, sizeof o);
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    if (!(row->option.places & HN_OPTION_AT_BITS)) continue;
    if (row->option.kind != HN_OPTION_WORD)
      o.numbers[k] = hn_option_number(row, &s->used);
    else if (hn_option_is_said(row, &s->used))
      hn_text(o.words[k], sizeof o.words[k], "%s", hn_option_text(row, &s->used));
  }
  o.realtime = s->used.realtime;
  o.accepts_unconverged = s->used.accepts_unconverged;
  const hn_method *m = s->automatic.explicit_method; // `auto` starts with it
  const char *solver = s->equations->solver ? s->equations->solver->type->name : "";
  const char *names[5] = {s->equations->type->name,
                          s->automatic.is_choosing ? "auto" : m->type->name, m->formula,
                          m->independent, solver};
  for (int k = 0; k < 5; k++) hn_text(o.names[k], sizeof o.names[k], "%s", names[k]);
  return hn_saved_checksum((const unsigned char *)&o, sizeof o);
}

// By how much the method in use takes less than the largest of those that are made: so a change of
// method leaves the size.
static size_t spare_of(const hn_simulation *s) {
  const struct hn_automatic *a = &s->automatic;
  const hn_method *methods[] = {s->method, a->explicit_method, a->smooth_method, a->implicit_method,
                                a->stepping_method};
  const hn_state *state = &s->arena.state;
  size_t most = 0;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    if (!methods[k]) continue;
    const size_t size = hn_state_largest(state, HN_STATE_WHOLE, methods[k]->part);
    if (size > most) most = size;
  }
  return most - hn_state_size(state, HN_STATE_WHOLE, s->method->part);
}

static hn_saved_header header_of(const hn_simulation *s) {
  hn_saved_header h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, "HNSTATE8", 8);
  hn_text(h.version, sizeof h.version, "%s", hn_version());
  h.model = hn_model_hash(s->model);
  h.options = options_of(s);
  h.layout = hn_state_layout(&s->arena.state, HN_STATE_WHOLE, 0);
  h.method_layout = hn_state_layout(&s->arena.state, HN_STATE_WHOLE, s->method->part);
  h.parts = hn_block_sizes_of(s, HN_STATE_WHOLE, 0);
  h.size = sizeof h + hn_block_size(&h.parts) + spare_of(s);
  return h;
}

size_t hn_simulation_save_size(const hn_simulation *s) { return header_of(s).size; }

hn_status hn_simulation_save(const hn_simulation *s, void *buffer, size_t size) {
  hn_saved_header h = header_of(s);
  if (size < h.size) return HN_ERROR_ARGUMENT;
  unsigned char *block = (unsigned char *)buffer + sizeof h;
  const hn_status status = hn_block_write(s, HN_STATE_WHOLE, block);
  const size_t written = hn_block_size(&h.parts);
  memset(block + written, 0, h.size - sizeof h - written);
  h.checksum = hn_saved_checksum(block, h.size - sizeof h);
  memcpy(buffer, &h, sizeof h);
  return status;
}

// ---- restoring ----------------------------------------------------------------------------------

// All that decide about the bits: "give the same @atol, ..."
static const char *name_options(char *text, size_t size) {
  const hn_option_row *row;
  hn_text(text, size, "give the same");
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    const size_t used = strlen(text);
    if (row->option.places & HN_OPTION_AT_COMMAND)
      hn_text(text + used, size - used, "%s @%s", k > 0 ? "," : "", row->option.name);
  }
  return text;
}

// Its parts are there.
static int is_whole(const hn_saved_header *h, size_t size) {
  const size_t parts[] = {h->parts.common, h->parts.delays, h->parts.method, h->parts.nested};
  size_t sum = sizeof *h;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    if (parts[k] > size - sum) return 0;
    sum += parts[k];
  }
  return sum <= h->size && h->size <= size;
}

static hn_status check_header(hn_simulation *s, const void *buffer, size_t size) {
  hn_saved_header mine = header_of(s), other;
  char text[480];
  const char *hint =
      "save it again with @save_state from the same model and the same version of Holon";
  if (size < sizeof other)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is incomplete");
  memcpy(&other, buffer, sizeof other);
  if (memcmp(other.magic, mine.magic, 7) != 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "this is not a saved state");
  if (other.magic[7] != mine.magic[7])
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved by another version of Holon");
  if (memcmp(other.version, mine.version, sizeof mine.version) != 0)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved by Holon %.15s; this is %s", other.version, hn_version());
  if (other.model != mine.model)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the state was saved from another model (%016llx; this is %016llx)", other.model,
                   mine.model);
  if (other.options != mine.options)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, name_options(text, sizeof text),
                   "the state was saved from a run with other options");
  // which method is in use is not known yet
  if (other.layout != mine.layout || other.parts.common != mine.parts.common ||
      other.parts.nested != mine.parts.nested || !is_whole(&other, size))
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is incomplete");
  if (size > other.size)
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint,
                   "the saved state has %zu extra bytes", size - (size_t)other.size);
  if (other.checksum !=
      hn_saved_checksum((const unsigned char *)buffer + sizeof mine, other.size - sizeof mine))
    return hn_fail(&s->error, HN_ERROR_ARGUMENT, NULL, NULL, hint, "the saved state is damaged");
  return HN_OK;
}

hn_status hn_simulation_restore(hn_simulation *s, const void *buffer, size_t size) {
  hn_saved_header h;
  hn_status status = check_header(s, buffer, size);
  if (status != HN_OK) return status;
  memcpy(&h, buffer, sizeof h);
  // the present state, in case the new one is rejected
  const hn_block_sizes sizes = hn_block_sizes_of(s, HN_STATE_WHOLE, 0);
  unsigned char *present = hn_allocate(s->options.allocator, hn_block_size(&sizes));
  if (!present)
    return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a state");
  status = hn_block_write(s, HN_STATE_WHOLE, present);
  if (status != HN_OK)
    hn_fail(&s->error, status, NULL, NULL,
            "check the functions of the component that save and restore",
            "a component cannot save its state: %s", hn_status_text(status));
  else {
    status =
        hn_block_read(s, HN_STATE_WHOLE, &h.parts, (const unsigned char *)buffer + sizeof h, 0);
    if (status == HN_OK &&
        h.method_layout != hn_state_layout(&s->arena.state, HN_STATE_WHOLE, s->method->part))
      status = hn_refuse_saved(s, "the method in use", -1);
    if (status != HN_OK) {
      const hn_error error = s->error;
      hn_block_read(s, HN_STATE_WHOLE, &sizes, present, 1);
      s->error = error;
    }
  }
  hn_release(s->options.allocator, present);
  return status;
}

// ---- kept states --------------------------------------------------------------------------------

size_t hn_simulation_keep_size(const hn_simulation *s) {
  const hn_block_sizes parts = hn_block_sizes_of(s, HN_STATE_WHOLE, 0);
  return sizeof parts + hn_block_size(&parts);
}

hn_status hn_simulation_keep(const hn_simulation *s, void *buffer) {
  const hn_block_sizes parts = hn_block_sizes_of(s, HN_STATE_WHOLE, 0);
  memcpy(buffer, &parts, sizeof parts);
  return hn_block_write(s, HN_STATE_WHOLE, (unsigned char *)buffer + sizeof parts);
}

hn_status hn_simulation_return(hn_simulation *s, const void *buffer) {
  hn_block_sizes parts;
  memcpy(&parts, buffer, sizeof parts);
  return hn_block_read(s, HN_STATE_WHOLE, &parts, (const unsigned char *)buffer + sizeof parts, 1);
}
