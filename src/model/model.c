// A model as an object: made, freed, asked. Additions are in add.c and add_road.c, checks in
// finish.c and check_*.c.
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "holon/component.h"
#include "model/outside.h"
#include "model/storage.h"

hn_status hn_model_create(const hn_allocator *allocator, hn_model **result) {
  if (!result) return HN_ERROR_ARGUMENT;
  *result = NULL;
  hn_model *model = hn_allocate(allocator, sizeof *model);
  if (!model) return HN_ERROR_MEMORY;
  memset(model, 0, sizeof *model);
  hn_arena_init(&model->arena, allocator);
  model->storage = HN_TAKE(&model->arena, struct hn_model_storage, 1);
  if (!model->storage) goto out_of_memory;
  struct hn_model_storage *storage = model->storage;
  storage->allocator = model->arena.allocator;

  model->bodies = hn_model_grow(model, NULL, &storage->body_room, 0, sizeof(hn_body_def));
  model->components.item =
      hn_model_grow(model, NULL, &storage->component_room, 0, sizeof(hn_component_def));
  if (!model->bodies || !model->components.item ||
      !hn_names_reserve(&storage->names, &storage->allocator))
    goto out_of_memory;
  model->bodies[0] = (hn_body_def){.name = "ground", .orientation = {1, 0, 0, 0}};
  model->body_count = 1;
  model->components.item[0] = (hn_component_def){.name = ""};
  model->components.count = 1;
  hn_names_insert(&storage->names, HN_NAME_BODY, "ground", HN_GROUND);
  model->name = "";
  *result = model;
  return HN_OK;

out_of_memory:
  hn_model_free(model);
  return HN_ERROR_MEMORY;
}

// Header of every array that grows: the model finds all of them.
struct hn_grown {
  _Alignas(max_align_t) struct hn_grown *next;
  struct hn_grown *previous; // null: the first
};

static void free_grown(hn_model *model) {
  for (struct hn_grown *grown = model->storage->grown, *next; grown; grown = next) {
    next = grown->next;
    hn_release(&model->storage->allocator, grown);
  }
  model->storage->grown = NULL;
}

void hn_model_free(hn_model *model) {
  if (!model) return;
  hn_allocator allocator = model->arena.allocator;
  if (model->storage) {
    hn_model_free_laws(model);
    hn_model_free_owned(model);
    hn_model_free_parts(model);
    hn_model_free_outside(model);
    free_grown(model);
    hn_release(&allocator, model->storage->names.slots);
  }
  hn_arena_release(&model->arena);
  hn_release(&allocator, model);
}

void *hn_model_grow(hn_model *model, void *array, int *room, int count, size_t size) {
  if (count < *room) return array;
  if (*room > INT_MAX / 2) return NULL;
  const int larger = *room ? 2 * *room : 8;
  struct hn_model_storage *storage = model->storage;
  struct hn_grown *old = array ? (struct hn_grown *)array - 1 : NULL;
  struct hn_grown *grown =
      hn_reallocate(&storage->allocator, old, sizeof *old + (size_t)*room * size,
                    sizeof *grown + (size_t)larger * size);
  if (!grown) return NULL;
  if (!old) *grown = (struct hn_grown){.next = storage->grown};
  if (grown->next) grown->next->previous = grown;
  if (grown->previous)
    grown->previous->next = grown;
  else
    storage->grown = grown;
  *room = larger;
  return grown + 1;
}

const hn_error *hn_model_error(const hn_model *model) { return &model->error; }
const hn_simulation_defaults *hn_model_defaults(const hn_model *model) { return &model->defaults; }

int hn_model_warning_count(const hn_model *model) { return model->warnings.count; }
const hn_warning *hn_model_warning(const hn_model *model, int index) {
  return index >= 0 && index < model->warnings.count ? &model->warnings.item[index] : NULL;
}

const char *hn_model_name(const hn_model *model) { return model->name; }
const char *hn_model_title(const hn_model *model) { return model->title ? model->title : ""; }
int hn_model_body_count(const hn_model *model) { return model->body_count - 1; }
int hn_model_joint_count(const hn_model *model) { return model->joint_count; }
int hn_model_driver_count(const hn_model *model) { return model->driver_count; }
int hn_model_force_count(const hn_model *model) {
  return model->force_count - model->sensing.couplings;
}
int hn_model_output_count(const hn_model *model) { return model->outputs.count; }

static int within(int id, int count) { return id >= 0 && id < count; }

const char *hn_model_body_name(const hn_model *model, int id) {
  return within(id, model->body_count) ? model->bodies[id].name : NULL;
}
const char *hn_model_joint_name(const hn_model *model, int id) {
  return within(id, model->joint_count) ? model->joints[id].name : NULL;
}
const char *hn_model_driver_name(const hn_model *model, int id) {
  return within(id, model->driver_count) ? model->drivers[id].name : NULL;
}
const char *hn_model_force_name(const hn_model *model, int id) {
  int behind = id - model->force_count;
  for (int p = 0; p < model->part_count && behind >= 0; p++) {
    behind -= model->parts[p].facts->switch_count;
    if (behind < 0) return model->parts[p].name;
  }
  return within(id, model->force_count) ? model->forces[id].name : NULL;
}
const char *hn_model_output_name(const hn_model *model, int id) {
  return within(id, model->outputs.count) ? model->outputs.item[id].name : NULL;
}
hn_joint_type hn_model_joint_type(const hn_model *model, int id) {
  return within(id, model->joint_count) ? model->joints[id].type : HN_JOINT_TYPES;
}
hn_force_type hn_force_told_type(const hn_force_def *force) {
  const int is_actuator = force->type == HN_FORCE_JOINT_SPRING_DAMPER && force->of_t &&
                          !force->of_x && !force->of_v && !force->of_xvt;
  return is_actuator ? HN_FORCE_TORQUE : force->type;
}
hn_force_type hn_model_force_type(const hn_model *model, int id) {
  return within(id, model->force_count) ? hn_force_told_type(&model->forces[id]) : HN_FORCE_TYPES;
}
void hn_model_joint_bodies(const hn_model *model, int id, int bodies[2]) {
  int known = within(id, model->joint_count);
  bodies[0] = known ? model->joints[id].frame1.body : HN_GROUND;
  bodies[1] = known ? model->joints[id].frame2.body : HN_GROUND;
}

void hn_model_force_bodies(const hn_model *model, int id, int bodies[2]) {
  bodies[0] = bodies[1] = HN_GROUND;
  if (!within(id, model->force_count)) return;
  const hn_force_def *force = &model->forces[id];
  if (force->joint >= 0) {
    hn_model_joint_bodies(model, force->joint, bodies);
    return;
  }
  if (force->frame1.body > 0) bodies[0] = force->frame1.body; // none: against ground
  if (force->frame2.body > 0) bodies[1] = force->frame2.body;
}

int hn_model_find(const hn_model *model, hn_name_kind kind, const char *text, size_t length) {
  const hn_name *name = hn_names_find(&model->storage->names, kind, text, length);
  return name ? name->id : -1;
}
static int find(const hn_model *model, hn_name_kind kind, const char *name) {
  return name ? hn_model_find(model, kind, name, strlen(name)) : -1;
}
int hn_model_find_body(const hn_model *model, const char *name) {
  return find(model, HN_NAME_BODY, name);
}
int hn_model_find_joint(const hn_model *model, const char *name) {
  return find(model, HN_NAME_JOINT, name);
}
int hn_model_find_force(const hn_model *model, const char *name) {
  return find(model, HN_NAME_FORCE, name);
}
int hn_model_find_road(const hn_model *model, const char *name) {
  return find(model, HN_NAME_ROAD, name);
}
