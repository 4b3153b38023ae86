// Bodies that nothing connects with the rest of the model.
//
// Joints, drivers and couplings make groups of bodies. A group without joint to ground and without
// any force, in a model that has fixed or driven groups, is probably a mistake: a joint was
// forgotten. Free flight on purpose (a free joint, `initial:` of the body, a force, a tyre, a
// collision shape, a model of which no group is fixed) is not reported here; `holon check` lists
// free bodies (analysis/mobility.c).
#include <string.h>

#include "math/vec.h"
#include "model/model.h"
#include "model/storage.h"

typedef struct groups {
  const hn_model *model;
  int *parent;             // union of bodies; ground is body 0
  unsigned char *is_meant; // something acts on the body, or it is said to be free
} groups;

static int root_of(const groups *g, int body) {
  while (g->parent[body] != body) body = g->parent[body] = g->parent[g->parent[body]];
  return body;
}

// The lower body is the root, so that ground is one.
static void join(const groups *g, int a, int b) {
  int low = root_of(g, a), high = root_of(g, b);
  if (low > high) {
    int other = low;
    low = high;
    high = other;
  }
  g->parent[high] = low;
}

static void join_by_joints(const groups *g) {
  const hn_model *model = g->model;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    if (!hn_joint_joins_bodies(joint->type)) {
      for (int k = 1; k < joint->coupled_count; k++)
        join(g, model->joints[joint->coupled[0]].frame2.body,
             model->joints[joint->coupled[k]].frame2.body);
    } else if (hn_joint_holds(joint->type)) {
      join(g, joint->frame1.body, joint->frame2.body);
    } else {
      g->is_meant[joint->frame1.body] = g->is_meant[joint->frame2.body] = 1;
    }
  }
  for (int d = 0; d < model->driver_count; d++)
    if (model->drivers[d].kind != HN_DRIVER_JOINT)
      join(g, model->drivers[d].frame1.body, model->drivers[d].frame2.body);
}

static void mark_acted_on(const groups *g) {
  const hn_model *model = g->model;
  for (int f = 0; f < model->force_count; f++) {
    int bodies[2];
    hn_model_force_bodies(model, f, bodies);
    g->is_meant[bodies[0]] = g->is_meant[bodies[1]] = 1;
    for (int k = 0; k < model->forces[f].way_count; k++)
      if (model->forces[f].way[k].kind != HN_WAY_PULLEY)
        g->is_meant[model->forces[f].way[k].frame.body] = 1;
  }
  for (int k = 0; model->contact_count > 0 && k < model->shape_count; k++)
    g->is_meant[model->shapes[k].frame.body] = 1;
  for (int b = 1; b < model->body_count; b++) {
    const hn_body_def *body = &model->bodies[b];
    if (body->given || vec3_norm(body->velocity) > 0 || vec3_norm(body->angular_velocity) > 0)
      g->is_meant[b] = 1;
  }
}

static hn_status warn_loose(const groups *g, int first) {
  const hn_body_def *body = &g->model->bodies[first];
  hn_subject subject = {(hn_model *)g->model, HN_NAME_BODY, body->name, &body->source};
  int others = -1;
  for (int b = 1; b < g->model->body_count; b++) others += root_of(g, b) == first;
  if (others == 0)
    return hn_subject_warn(
        &subject, "is not connected to anything (6 degrees of freedom). Add a joint or a force; a "
                  "joint of type `free` silences this warning.");
  return hn_subject_warn(
      &subject,
      "and %d bod%s joined to it are not connected to anything else. Add a joint or a "
      "force; a joint of type `free` silences this warning.",
      others, others == 1 ? "y" : "ies");
}

hn_status hn_model_check_connections(hn_model *model) {
  const int count = model->body_count;
  groups g = {model, hn_allocate(&model->storage->allocator, (size_t)count * sizeof(int)),
              hn_allocate(&model->storage->allocator, (size_t)count)};
  hn_status status =
      g.parent && g.is_meant ? HN_OK : hn_model_out_of_memory(model, HN_NAME_BODY, "ground");
  if (status == HN_OK) {
    for (int b = 0; b < count; b++) g.parent[b] = b;
    memset(g.is_meant, 0, (size_t)count);
    join_by_joints(&g);
    mark_acted_on(&g);
    int held = 0; // bodies of groups that are fixed or acted on
    for (int b = 1; b < count; b++) g.is_meant[root_of(&g, b)] |= g.is_meant[b];
    g.is_meant[HN_GROUND] = 1;
    for (int b = 1; b < count; b++) held += g.is_meant[root_of(&g, b)];
    for (int b = 1; status == HN_OK && held > 0 && model->part_count == 0 && b < count; b++)
      if (root_of(&g, b) == b && !g.is_meant[b]) status = warn_loose(&g, b);
  }
  hn_release(&model->storage->allocator, g.parent);
  hn_release(&model->storage->allocator, g.is_meant);
  return status;
}
