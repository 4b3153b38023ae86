// Bodies where they are now, what became of each element of the model, and the order of planning.
#include "formats/export/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

const char *hn_plan_text(hn_plan *plan, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *copy = hn_arena_copy_string(plan->arena, text);
  return copy ? copy : "";
}

// ---- import statuses ----------------------------------------------------------------------------

int hn_plan_part_count(const hn_plan *plan, hn_part_kind kind) {
  const hn_model *m = plan->model;
  switch (kind) {
  case HN_PART_GRAVITY: return 1;
  case HN_PART_BODY: return m->body_count;
  case HN_PART_MARKER: return m->markers.count;
  case HN_PART_SHAPE: return m->shape_count;
  case HN_PART_JOINT: return m->joint_count;
  case HN_PART_DRIVER: return m->driver_count;
  case HN_PART_FORCE: return hn_model_force_count(m);
  case HN_PART_INPUT: return m->input_count;
  case HN_PART_OUTPUT: return m->outputs.count;
  case HN_PART_ROAD: return m->roads.count;
  case HN_PART_CONTACT: return m->contact_count;
  case HN_PARTS: break;
  }
  return 0;
}

void hn_plan_tell(hn_plan *plan, hn_part_kind kind, int index, hn_import_fate fate,
                  const char *why) {
  if (index < 0) return;
  hn_part_fate *part = &plan->parts[kind][index];
  if (part->is_told && part->fate >= fate) return;
  *part = (hn_part_fate){1, fate, why ? why : ""};
}

// Reports kinds that no format supports, once for all.
void hn_plan_tell_rest(hn_plan *plan) {
  static const struct {
    hn_part_kind kind;
    hn_import_fate fate;
    const char *why;
  } rest[] = {
      {HN_PART_OUTPUT, HN_IMPORT_HARMLESS, "a formula of signals; it does not affect the motion"},
      {HN_PART_ROAD, HN_IMPORT_LOST, "the format has no roads"},
      {HN_PART_CONTACT, HN_IMPORT_LOST, "the target program uses its own contact model"},
      {HN_PART_DRIVER, HN_IMPORT_LOST, "the format has no prescribed motion"},
      {HN_PART_INPUT, HN_IMPORT_LOST, "no exported element depends on it"},
  };
  for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
    for (int i = 0; i < hn_plan_part_count(plan, rest[k].kind); i++)
      if (!plan->parts[rest[k].kind][i].is_told)
        hn_plan_tell(plan, rest[k].kind, i, rest[k].fate, rest[k].why);
}

// ---- bodies -------------------------------------------------------------------------------------

hn_pose hn_plan_frame(const hn_plan *plan, const hn_frame_on_body *frame) {
  hn_pose local = {quat_matrix(frame->orientation), frame->position};
  return hn_pose_multiply(&plan->places[frame->body].center, &local);
}

int hn_plan_acts_on(const hn_plan *plan, int force, int body) {
  const hn_force_def *def = &plan->model->forces[force];
  int bodies[2];
  if (hn_force_acts_between(def->type) == HN_ENDS_JOINT) return 0;
  hn_model_force_bodies(plan->model, force, bodies);
  for (int k = 0; k < def->way_count; k++)
    if (def->way[k].frame.body == body || (def->way[k].has_side && def->way[k].side.body == body))
      return 1;
  return bodies[0] == body || bodies[1] == body;
}

int hn_plan_is_aligned(const hn_plan *plan, const hn_frame_on_body *a, const hn_frame_on_body *b) {
  hn_mat3 x = hn_plan_frame(plan, a).r, y = hn_plan_frame(plan, b).r;
  double most = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) most = fmax(most, fabs(x.m[i][j] - y.m[i][j]));
  return most < 1e-9;
}

static hn_status place_bodies(hn_plan *plan) {
  const hn_model *m = plan->model;
  for (int b = 0; b < m->body_count; b++) {
    hn_place *place = &plan->places[b];
    const hn_body_def *def = &m->bodies[b];
    hn_body_motion motion = {.rotation = mat3_identity()};
    if (b > 0) {
      hn_status status = hn_simulation_body_motion(plan->simulation, b, &motion);
      if (status) {
        if (plan->error) *plan->error = *hn_simulation_error(plan->simulation);
        return status;
      }
    }
    *place = (hn_place){.name = def->name, .body = b, .joint = -1};
    place->center = place->frame = (hn_pose){motion.rotation, motion.position};
    place->velocity = motion.velocity;
    place->spin = motion.angular_velocity;
    if (b == 0) continue;
    place->mass = def->mass;
    for (int k = 0; k < 6; k++) place->inertia[k] = def->inertia[k];
    plan->mass += def->mass;
  }
  return HN_OK;
}

static hn_status refuse_sealed(const hn_plan *plan) {
  const hn_sealed_part *part = plan->model->parts;
  return hn_fail(plan->error, HN_ERROR_MODEL, &part->source, part->name,
                 "Export the original model of the component.",
                 "is sealed: its masses are not accessible");
}

static hn_status take_memory(hn_plan *plan) {
  const hn_model *m = plan->model;
  plan->places = HN_TAKE(plan->arena, hn_place, m->body_count);
  plan->sums = HN_TAKE(plan->arena, hn_sum, m->joint_count + 1);
  plan->in_tree = HN_TAKE(plan->arena, unsigned char, m->joint_count + 1);
  plan->is_used = HN_TAKE(plan->arena, unsigned char, m->joint_count + 1);
  plan->control_room = 3 * hn_model_force_count(m) + 6 * m->joint_count + 1;
  plan->controls = HN_TAKE(plan->arena, double, plan->control_room);
  for (int k = 0; k < HN_PARTS; k++)
    plan->parts[k] =
        HN_TAKE(plan->arena, hn_part_fate, hn_plan_part_count(plan, (hn_part_kind)k) + 1);
  if (!plan->arena->failed) return HN_OK;
  return hn_fail(plan->error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                 "the model does not fit into memory");
}

// ---- the whole ----------------------------------------------------------------------------------

// Joints whose coordinates something needs are better in the tree.
static void mark_used(hn_plan *plan) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++)
    for (int k = 0; k < m->joints[j].coupled_count; k++) plan->is_used[m->joints[j].coupled[k]] = 1;
  for (int f = 0; f < hn_model_force_count(m); f++)
    if (m->forces[f].joint >= 0 && hn_force_acts_between(m->forces[f].type) != HN_ENDS_BODY &&
        hn_force_acts_between(m->forces[f].type) != HN_ENDS_FRAMES)
      plan->is_used[m->forces[f].joint] = 1;
  for (int d = 0; d < m->driver_count; d++)
    if (m->drivers[d].kind == HN_DRIVER_JOINT) plan->is_used[m->drivers[d].joint] = 1;
}

hn_status hn_plan_make(hn_plan *plan) {
  plan->model = hn_simulation_model(plan->simulation);
  plan->time = hn_simulation_time(plan->simulation);
  if (plan->model->part_count > 0) return refuse_sealed(plan);
  hn_status status = take_memory(plan);
  if (status == HN_OK) status = place_bodies(plan);
  if (status) return status;
  hn_plan_tell(plan, HN_PART_BODY, 0, HN_IMPORT_USED, "");
  hn_plan_tell(plan, HN_PART_GRAVITY, 0, HN_IMPORT_USED, "");
  mark_used(plan);
  hn_plan_wheels(plan);
  hn_plan_tree(plan);
  hn_plan_forces(plan);
  if (!plan->arena->failed) return HN_OK;
  return hn_fail(plan->error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                 "the model does not fit into memory");
}
