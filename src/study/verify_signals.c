// Signals that verify compares: the requested ones, else the model's outputs, else positions of
// bodies and coordinates of joints; without those on which formulations need not agree.
#include "study/verify_work.h"

#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "base/glob.h"

static int is_asked(const hn_verify_options *o, const char *name) {
  for (int k = 0; k < o->signal_count; k++)
    if (hn_glob_match(o->signals[k], name)) return 1;
  return 0;
}

static int collect(const hn_verify_work *w, const hn_simulation *s, int without_outputs,
                   int *indices) {
  int count = 0, all = hn_simulation_signal_count(s);
  if (w->options->signal_count == 0)
    return hn_simulation_compared_signals(
        s, without_outputs ? HN_COMPARE_POSITIONS : HN_COMPARE_OUTPUTS, indices);
  for (int i = 0; i < all; i++)
    if (is_asked(w->options, hn_simulation_signal_name(s, i))) indices[count++] = i;
  return count;
}

static hn_status keep(hn_verify_work *w, hn_simulation *s, const int *indices, int count) {
  hn_verify *r = w->report;
  size_t room = (size_t)count + 1;
  hn_verify_note *notes = hn_allocate(r->allocator, room * sizeof *notes);
  hn_release(r->allocator, r->signals);
  hn_release(r->allocator, r->free_signals);
  r->free_signals = notes;
  r->free_count = r->signal_count = 0;
  r->signals = hn_allocate(r->allocator, room * sizeof *r->signals);
  if (!notes || !r->signals) return HN_ERROR_MEMORY;
  hn_status status = hn_simulation_free_signals(s, indices, count, notes);
  if (status != HN_OK) return status;
  for (int k = 0; k < count; k++) {
    if (notes[k].reason[0]) {
      r->free_signals[r->free_count++] = notes[k]; // moves to the front only
      continue;
    }
    hn_verify_signal *signal = &r->signals[r->signal_count++];
    memset(signal, 0, sizeof *signal);
    const char *unit = hn_simulation_signal_unit(s, indices[k]);
    hn_text(signal->name, sizeof signal->name, "%s", hn_simulation_signal_name(s, indices[k]));
    hn_text(signal->unit, sizeof signal->unit, "%s", unit ? unit : "");
    signal->same = hn_simulation_signal_same(s, indices[k]);
  }
  return HN_OK;
}

static hn_status choose(hn_verify_work *w, hn_simulation *s) {
  hn_verify *r = w->report;
  size_t all = (size_t)hn_simulation_signal_count(s);
  int *indices = hn_allocate(r->allocator, (all + 1) * sizeof *indices);
  if (!indices) return HN_ERROR_MEMORY;
  hn_status status = HN_OK;
  for (int pass = 0; pass < 2 && status == HN_OK && r->signal_count == 0; pass++) {
    int count = collect(w, s, pass, indices);
    if (count > 0) status = keep(w, s, indices, count);
    if (w->options->signal_count > 0) break;
  }
  hn_release(r->allocator, indices);
  return status;
}

static hn_status out_of_memory(hn_verify_work *w) {
  return hn_fail(w->error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                 "out of memory for signals to compare");
}

hn_status hn_verify_choose_signals(hn_verify_work *w) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian"; // available for every model
  hn_verify *r = w->report;
  options.allocator = r->allocator;
  hn_simulation *s = NULL;
  hn_status status = hn_simulation_create(w->model, &options, &s, w->error);
  if (status != HN_OK) return status;
  status = choose(w, s);
  if (status != HN_OK && status != HN_ERROR_MEMORY) *w->error = *hn_simulation_error(s);
  hn_simulation_free(s);
  if (status == HN_ERROR_MEMORY) return out_of_memory(w);
  if (status != HN_OK) return status;
  if (r->signal_count == 0 && r->free_count > 0)
    return hn_fail(w->error, HN_ERROR_ARGUMENT, NULL, NULL, "choose others with @signals",
                   "none of the %d signals can be compared: %s (%s)", r->free_count,
                   r->free_signals[0].reason, r->free_signals[0].subject);
  if (r->signal_count == 0)
    return hn_fail(w->error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "use a signal that `holon run` writes, for instance 'body.*.position.*'",
                   "the signal '%s' does not exist",
                   w->options->signal_count > 0 ? w->options->signals[0] : "body.*");
  size_t count = (size_t)r->signal_count;
  w->signals = hn_allocate(r->allocator, count * sizeof *w->signals);
  w->allowed = hn_allocate(r->allocator, count * sizeof(double));
  w->noise = hn_allocate(r->allocator, HN_VERIFY_MOST * count * sizeof(double));
  if (!w->signals || !w->allowed || !w->noise) return out_of_memory(w);
  memset(w->noise, 0, HN_VERIFY_MOST * count * sizeof(double));
  for (size_t k = 0; k < count; k++) {
    w->signals[k] = r->signals[k].name;
    w->allowed[k] = r->tol;
  }
  return HN_OK;
}
