// A scene: geometry of a model, and its poses frame by frame while it runs.
//
// Frames are at first + k / rate, the last one exactly at the end. Shapes: scene_shapes.c, tyres and
// contacts: scene_loads.c, roads: scene_road.c, JSON: scene_json.c, back from files: scene_read.c.
#include "output/scene.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "math/euler.h"
#include "model/joint_types.h"

#define LEAST_FRAMES 300
#define MOST_FRAMES 20000
#define USUAL_RATE 60.0

hn_vec3 hn_scene_drawn(const hn_model *model, int body, hn_vec3 point) {
  const hn_body_def *def = &model->bodies[body];
  return vec3_add(def->position, mat3_apply(quat_matrix(def->orientation), point));
}

// ---- joints and forces --------------------------------------------------------------------------

static int has_axis(hn_joint_type type) {
  const hn_joint_axes axes = hn_joint_facts_of(type)->drawn.axes;
  return axes != HN_JOINT_NO_AXIS && axes != HN_JOINT_DEFAULT_AXIS;
}

static hn_scene_link between(const char *name, const char *type, const hn_frame_on_body *frame1,
                             const hn_frame_on_body *frame2, int with_axis) {
  hn_scene_link link = {.name = name,
                        .type = type,
                        .body = {frame1->body, frame2->body},
                        .at = {frame1->position, frame2->position},
                        .look = ""};
  if (with_axis) {
    link.axis[0] = mat3_column(quat_matrix(frame1->orientation), 2);
    link.axis[1] = mat3_column(quat_matrix(frame2->orientation), 2);
  }
  return link;
}

// Joints that couple others are drawn at the second bodies of the first two.
static hn_scene_link joint_link(const hn_model *model, const hn_joint_def *joint) {
  const char *type = hn_joint_type_name(joint->type);
  if (hn_joint_joins_bodies(joint->type))
    return between(joint->name, type, &joint->frame1, &joint->frame2, has_axis(joint->type));
  const hn_joint_def *first = &model->joints[joint->coupled[0]];
  const hn_joint_def *second = &model->joints[joint->coupled[joint->coupled_count > 1]];
  return between(joint->name, type, &first->frame2, &second->frame2, 1);
}

// Appearance of a force along a line, as far as its laws determine it.
static const char *look_of(const hn_force_def *force) {
  if (force->type != HN_FORCE_SPRING_DAMPER) return "";
  if (force->of_x) return force->of_v ? "spring-damper" : "spring";
  return force->of_v ? "damper" : "actuator";
}

static hn_scene_link force_link(const hn_model *model, const hn_force_def *force) {
  const char *type = hn_force_type_name(hn_force_told_type(force));
  if (force->joint >= 0) {
    hn_scene_link link = joint_link(model, &model->joints[force->joint]);
    link.name = force->name;
    link.type = type;
    return link;
  }
  hn_frame_on_body frame1 = force->frame1;
  int single = hn_force_acts_between(force->type) == HN_ENDS_BODY;
  if (single) { // against ground, at its point in the reference configuration
    frame1 = (hn_frame_on_body){HN_GROUND, {0, 0, 0}, {1, 0, 0, 0}};
    frame1.position = hn_scene_drawn(model, force->frame2.body, force->frame2.position);
  }
  return between(force->name, type, &frame1, &force->frame2, !single);
}

static int make_links(hn_scene *scene, const hn_model *model) {
  hn_arena *arena = &scene->storage->arena;
  hn_scene_link *joints = HN_TAKE(arena, hn_scene_link, model->joint_count);
  hn_scene_link *forces = HN_TAKE(arena, hn_scene_link, hn_model_force_count(model));
  if (!joints || !forces) return 0;
  for (int k = 0; k < model->joint_count; k++) joints[k] = joint_link(model, &model->joints[k]);
  for (int k = 0; k < hn_model_force_count(model); k++) {
    forces[k] = force_link(model, &model->forces[k]);
    forces[k].look = look_of(&model->forces[k]);
  }
  scene->joints = joints;
  scene->forces = forces;
  return 1;
}

// ---- signals ------------------------------------------------------------------------------------

static void want(hn_scene *scene, const hn_simulation *simulation, int column, const char *kind,
                 const char *name, const char *what) {
  struct hn_scene_storage *s = scene->storage;
  char signal[1536];
  hn_text(signal, sizeof signal, "%s.%s.%s", kind, name, what);
  int index = hn_simulation_find_signal(simulation, signal);
  if (index < 0) return;
  s->signals[s->signal_count] = index;
  s->column[s->signal_count++] = column;
}

static int find_signals(hn_scene *scene, const hn_simulation *simulation) {
  struct hn_scene_storage *s = scene->storage;
  int most = 3 * scene->joint_count + scene->force_count;
  s->signals = HN_TAKE(&s->arena, int, most);
  s->column = HN_TAKE(&s->arena, int, most);
  s->values = HN_TAKE(&s->arena, double, most);
  if (s->arena.failed) return 0;
  static const char *const reaction[3] = {"reaction.force.x", "reaction.force.y",
                                          "reaction.force.z"};
  int column = 1 + 7 * (scene->body_count - 1);
  for (int j = 0; j < scene->joint_count; j++)
    for (int k = 0; k < 3; k++)
      want(scene, simulation, column++, "joint", scene->joints[j].name, reaction[k]);
  for (int k = 0; k < scene->force_count; k++)
    want(scene, simulation, column++, "force", scene->forces[k].name, "value");
  return 1;
}

// ---- made and freed -----------------------------------------------------------------------------

static void choose_rate(hn_scene *scene, double rate) {
  double length = scene->last - scene->first;
  if (!(rate > 0)) {
    rate = USUAL_RATE;
    if (rate * length < LEAST_FRAMES - 1) rate = (LEAST_FRAMES - 1) / length;
  }
  if (rate * length > MOST_FRAMES - 1) rate = (MOST_FRAMES - 1) / length;
  scene->rate = rate;
  scene->storage->due = (int)ceil(length * rate - 1e-9) + 1;
}

static int fill(hn_scene *scene, const hn_simulation *simulation, const hn_model *model) {
  struct hn_scene_storage *s = scene->storage;
  s->model = model;
  scene->version = hn_version();
  scene->model = hn_arena_copy_string(&s->arena, hn_model_name(model));
  scene->title = hn_arena_copy_string(&s->arena, hn_model_title(model));
  scene->status = "ok";
  scene->message = "";
  scene->gravity = model->gravity;
  scene->body_count = model->body_count;
  scene->joint_count = model->joint_count;
  scene->force_count = hn_model_force_count(model);
  scene->meshes = model->touching.meshes;
  scene->mesh_count = model->touching.mesh_count;
  s->low = s->right = HUGE_VAL;
  s->high = s->left = -HUGE_VAL;
  if (!make_links(scene, model) || !hn_scene_make_loads(scene, simulation)) return 0;
  scene->stride = 1 + 7 * (model->body_count - 1) + 3 * model->joint_count + scene->force_count +
                  6 * scene->load_count;
  return hn_scene_make_bodies(scene, model) && find_signals(scene, simulation) && !s->arena.failed;
}

hn_scene *hn_scene_new(void) {
  hn_scene *scene = hn_allocate(NULL, sizeof *scene);
  if (!scene) return NULL;
  *scene = (hn_scene){0};
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  scene->storage = HN_TAKE(&arena, struct hn_scene_storage, 1);
  if (!scene->storage) {
    hn_release(NULL, scene);
    return NULL;
  }
  scene->storage->arena = arena; // the block it lives in belongs to itself
  return scene;
}

hn_status hn_scene_create(hn_simulation *simulation, double last, double rate, hn_scene **result,
                          hn_error *error) {
  if (!simulation || !result) return HN_ERROR_ARGUMENT;
  *result = NULL;
  double first = hn_simulation_time(simulation);
  if (!(last > first) || !isfinite(last))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, "the scene", "Give a later end.",
                   "ends at %g s, but the simulation is already at %g s", last, first);
  hn_scene *scene = hn_scene_new();
  const hn_model *model = hn_simulation_model(simulation);
  if (!scene || !fill(scene, simulation, model)) {
    hn_scene_free(scene);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, "the scene", "Use @no_scene.",
                   "does not fit in memory");
  }
  scene->first = scene->storage->begin = scene->storage->end = first;
  scene->last = last;
  choose_rate(scene, rate);
  *result = scene;
  return HN_OK;
}

void hn_scene_free(hn_scene *scene) {
  if (!scene) return;
  hn_release(NULL, scene->storage->motion);
  hn_arena arena = scene->storage->arena;
  hn_arena_release(&arena);
  hn_release(NULL, scene);
}

// ---- frames -------------------------------------------------------------------------------------

double hn_scene_next(const hn_scene *scene) {
  int k = scene->frames, due = scene->storage->due;
  if (k >= due) return HUGE_VAL;
  return k == due - 1 ? scene->last : scene->first + k / scene->rate;
}

static int make_room(hn_scene *scene) {
  struct hn_scene_storage *s = scene->storage;
  if (scene->frames < s->room) return 1;
  size_t frame = (size_t)scene->stride * sizeof(float);
  // all that are due at once: recording them takes no memory later
  size_t room = s->room ? 2 * (size_t)s->room : (size_t)(s->due > 0 ? s->due : 0) + 2;
  if (room > (size_t)INT_MAX || room > SIZE_MAX / 4 / frame) return 0;
  float *motion = hn_reallocate(NULL, s->motion, (size_t)s->room * frame, room * frame);
  if (!motion) return 0;
  scene->motion = s->motion = motion;
  s->room = (int)room;
  return 1;
}

// Of p and -p, which turn alike, the one nearer to the frame before: so that players may
// interpolate.
static hn_quat nearer(hn_quat p, const float *before) {
  double dot = p.w * (double)before[0] + p.x * (double)before[1] + p.y * (double)before[2] +
               p.z * (double)before[3];
  return dot < 0 ? quat_scale(-1, p) : p;
}

static void put_pose(const hn_scene *scene, float *out, const hn_body_motion *motion) {
  hn_quat p = quat_from_matrix(motion->rotation);
  if (scene->frames > 0) p = nearer(p, out - scene->stride + 3);
  const double pose[7] = {
      motion->position.x, motion->position.y, motion->position.z, p.w, p.x, p.y, p.z};
  for (int k = 0; k < 7; k++) out[k] = (float)pose[k];
}

// Notes the extent of the motion, for its roads.
static void note_place(struct hn_scene_storage *s, double x, double y) {
  if (x < s->low) s->low = x;
  if (x > s->high) s->high = x;
  if (y < s->right) s->right = y;
  if (y > s->left) s->left = y;
}

hn_status hn_scene_record(hn_scene *scene, hn_simulation *simulation) {
  struct hn_scene_storage *s = scene->storage;
  if (!make_room(scene)) return HN_ERROR_MEMORY;
  float *frame = s->motion + (size_t)scene->frames * (size_t)scene->stride;
  memset(frame, 0, (size_t)scene->stride * sizeof *frame);
  double time = hn_simulation_look_time(simulation);
  frame[0] = (float)time;
  s->end = time;
  for (int b = 1; b < scene->body_count; b++) {
    hn_body_motion motion;
    hn_simulation_body_motion(simulation, b, &motion);
    put_pose(scene, frame + 1 + 7 * (b - 1), &motion);
    note_place(s, motion.position.x, motion.position.y);
  }
  hn_simulation_signals(simulation, s->signals, s->signal_count, s->values);
  for (int k = 0; k < s->signal_count; k++) frame[s->column[k]] = (float)s->values[k];
  hn_scene_put_loads(scene, simulation, frame);
  scene->frames++;
  return HN_OK;
}

hn_status hn_scene_add_frame(hn_scene *scene, const unsigned char *bytes) {
  struct hn_scene_storage *s = scene->storage;
  if (!make_room(scene)) return HN_ERROR_MEMORY;
  float *frame = s->motion + (size_t)scene->frames * (size_t)scene->stride;
  for (int k = 0; k < scene->stride; k++, bytes += 4) {
    uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                    (uint32_t)bytes[3] << 24;
    memcpy(&frame[k], &bits, sizeof bits);
  }
  s->end = (double)frame[0];
  for (int b = 1; b < scene->body_count; b++) {
    const float *at = &frame[1 + 7 * (b - 1)];
    note_place(s, (double)at[0], (double)at[1]);
  }
  scene->frames++;
  return HN_OK;
}

void hn_scene_reach(hn_scene *scene, hn_vec3 low, hn_vec3 high) {
  note_place(scene->storage, low.x, low.y);
  note_place(scene->storage, high.x, high.y);
}

hn_status hn_scene_finish(hn_scene *scene, const char *status, const char *message) {
  struct hn_scene_storage *s = scene->storage;
  scene->status = hn_arena_copy_string(&s->arena, status);
  scene->message = hn_arena_copy_string(&s->arena, message ? message : "");
  return hn_scene_make_roads(scene) && !s->arena.failed ? HN_OK : HN_ERROR_MEMORY;
}
