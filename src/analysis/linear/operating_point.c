// The state that small motions are about unless another is asked for.
//
//   1  the start, if it is at rest or moves steadily: f0 of the rates and A f0 vanish
//   2  the equilibrium near it, with the velocities the model gives, if these are steady there
//   3  that equilibrium, where only drivers move: a rotor spins, its housing and a light hub do not
//
// A model that gives no velocity goes to 3 at once: velocities at its start are what drivers and masses
// make of them. A vehicle that starts with a speed keeps it, steady or not.
#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "holon/analysis.h"
#include "holon/linear.h"

#define PRECISE 1e-13 // tolerance of the equilibrium, where rounding permits it

static int is_given(hn_vec3 v) { return v.x != 0 || v.y != 0 || v.z != 0; }

static int has_speed(const hn_model *model) {
  const hn_simulation_defaults *d = &model->defaults;
  return (d->has_speed && d->speed != 0) || (d->has_then_velocity && is_given(d->then_velocity));
}

static int gives_velocities(const hn_model *model) {
  if (has_speed(model)) return 1;
  for (int b = 1; b < model->body_count; b++)
    if (is_given(model->bodies[b].velocity) || is_given(model->bodies[b].angular_velocity))
      return 1;
  for (int j = 0; j < model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++)
      if (model->joints[j].initial[c].has_rate && model->joints[j].initial[c].rate != 0) return 1;
  return 0;
}

// An equilibrium, or a steady motion; 0 where there is no linearization.
static int is_steady_here(hn_simulation *s) {
  hn_linear_options options = hn_default_linear_options();
  hn_linear *linear = NULL;
  static const char *const none[] = {NULL};
  options.inputs = options.outputs = none;
  options.modes = 1;
  if (hn_simulation_linearize(s, &options, &linear, NULL) != HN_OK) return 0;
  const int is_it = linear->is_equilibrium;
  hn_linear_free(linear);
  return is_it;
}

static hn_status find_equilibrium(hn_simulation *s) {
  hn_statics_options options = hn_default_statics_options();
  options.tolerance = PRECISE;
  if (hn_simulation_equilibrium(s, &options, NULL) == HN_OK) return HN_OK;
  return hn_simulation_equilibrium(s, NULL, NULL);
}

// Velocities of the bodies as they were at the start, at the present position.
static hn_status move_as_given(hn_simulation *s, const hn_frame *start) {
  const hn_coordinates *coordinates = s->equations->type->coordinates;
  hn_method *m = s->method;
  *s->elements->is_held = 0;
  coordinates->frames(s->equations, m->q, m->qd, s->looking.frames);
  for (int b = 1; b < s->model->body_count; b++) {
    s->looking.frames[b].v = start[b].v;
    s->looking.frames[b].w = start[b].w;
  }
  coordinates->from_frames(s->equations, s->looking.frames, s->looking.q, m->qd);
  hn_status status = hn_simulation_start_rolling(s);
  if (status == HN_OK)
    status =
        hn_equations_jump(s->equations, m->t, m->q, m->qd, &s->branches, s->looking.correction);
  if (status == HN_OK) status = hn_simulation_begin(s);
  if (status == HN_OK) hn_simulation_reset_record(s);
  return status;
}

typedef struct start {
  void *state;
  hn_frame *frames;
  size_t size;
} start;

static hn_status search(hn_simulation *s, const start *from, hn_operating_point *point) {
  const int is_moving = gives_velocities(s->model);
  if (is_moving && is_steady_here(s)) {
    point->kind = HN_OPERATING_STEADY;
    return HN_OK;
  }
  hn_status status = find_equilibrium(s);
  if (status != HN_OK) {
    point->reason = s->error;
    return hn_simulation_restore(s, from->state, from->size);
  }
  if (is_moving) {
    status = move_as_given(s, from->frames);
    const int is_steady = status == HN_OK && is_steady_here(s);
    if (is_steady || (status == HN_OK && has_speed(s->model))) {
      point->kind = is_steady ? HN_OPERATING_STEADY : HN_OPERATING_START;
      return HN_OK;
    }
    status = hn_simulation_restore(s, from->state, from->size);
    if (status == HN_OK) status = find_equilibrium(s);
  }
  if (status == HN_OK) status = hn_simulation_release_drivers(s);
  point->kind = HN_OPERATING_EQUILIBRIUM;
  point->drops_velocities = is_moving;
  return status;
}

hn_status hn_simulation_find_operating_point(hn_simulation *s, hn_operating_point *point) {
  const hn_allocator *allocator = s->options.allocator;
  start from = {.size = hn_simulation_save_size(s)};
  *point = (hn_operating_point){.kind = HN_OPERATING_START};
  from.state = hn_allocate(allocator, from.size);
  from.frames = hn_allocate(allocator, (size_t)s->model->body_count * sizeof(hn_frame));
  hn_status status = HN_ERROR_MEMORY;
  if (from.state && from.frames) status = hn_simulation_save(s, from.state, from.size);
  if (status == HN_OK) {
    s->equations->type->coordinates->frames(s->equations, s->method->q, s->method->qd, from.frames);
    status = search(s, &from, point);
  }
  hn_release(allocator, from.state);
  hn_release(allocator, from.frames);
  if (status == HN_ERROR_MEMORY)
    return hn_fail(&s->error, status, NULL, NULL, NULL, "out of memory");
  return status;
}
