// Holon: springs that pull bodies by hand while a model runs.
//
//   hn_pulls *pulls = NULL;
//   hn_pulls_create(NULL, &pulls);
//   hn_load_options options = hn_default_load_options();
//   options.complete = hn_pulls_complete;
//   options.complete_context = pulls;
//   hn_model_load("model.yaml", &options, &model, &error);
//
// Every body gets a spring to a point in space, without stiffness until it is pulled: force = stiffness
// * (target - point) - damping * velocity of the point. It is an element of the model: methods have its
// exact derivatives, and its work is part of the energy balance.
#ifndef HOLON_PULL_H
#define HOLON_PULL_H

#include "holon/results.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_pulls hn_pulls;

typedef struct hn_pull {
  int body;       // 0: none
  hn_vec3 point;  // from the center of mass, body axes
  hn_vec3 target; // global
  double stiffness, damping;
} hn_pull;

HN_API hn_status hn_pulls_create(const hn_allocator *allocator, hn_pulls **pulls);
HN_API void hn_pulls_free(hn_pulls *pulls); // null is fine; after models and simulations with them
// Adds the springs to a model, as hn_load_options.complete. One hn_pulls serves one model at a time,
// and one simulation of it.
HN_API hn_status hn_pulls_complete(void *pulls, hn_model *model);
// From `now` at time `from` evenly to `next` at time `to`, the ends of a step or of several: body and
// point are those of now.
HN_API void hn_pulls_move(hn_pulls *pulls, const hn_pull *now, const hn_pull *next, double from,
                          double to);
// The pull at a time, and where it holds the body and with what force (global axes); 0: no pull.
HN_API int hn_pulls_at(const hn_pulls *pulls, const hn_simulation *simulation, double time,
                       hn_pull *pull, hn_vec3 *point, hn_vec3 *force);

// ---- pulls over time --------------------------------------------------------------------------------

// A table: time, then pull.body (its number in the model), pull.point.x, .y, .z, pull.target.x, .y, .z,
// pull.stiffness, pull.damping. Steps end at its rows. hn_run_plan.pulls takes it.
HN_API hn_status hn_pulls_read(hn_pulls *pulls, const char *path, hn_error *error);
// The same from results, which must stay.
HN_API hn_status hn_pulls_take(hn_pulls *pulls, const hn_results *rows, const char *name,
                               hn_error *error);
// The row that has been reached; called before a step.
HN_API void hn_pulls_follow(hn_pulls *pulls, double time);
HN_API double hn_pulls_next(const hn_pulls *pulls); // time of the next row; HUGE_VAL: none

#ifdef __cplusplus
}
#endif

#endif
