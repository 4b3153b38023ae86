// Constraints with conditions inside a sealed component: rigid stops, dry friction that sticks, knife
// edges. The component publishes where they act and their numbers, and the run adds them to its own. So
// impacts, modes and impulses are those of the open model, with the same code and the same bits. The
// joints keep their equations inside and are only measured outside (hn_joint_def.is_opaque).
#include <string.h>

#include "base/error.h"
#include "formats/sealed/sealed.h"
#include "model/contact.h"
#include "model/joint_types.h"
#include "model/storage.h"

// ---- inside -------------------------------------------------------------------------------------

static void store_joint(const hn_joint_def *joint, hn_component_constraint *out) {
  const hn_frame_on_body *frames[2] = {&joint->frame1, &joint->frame2};
  out->joint_type = (int)joint->type;
  out->pitch = joint->pitch;
  for (int k = 0; k < 2; k++) {
    out->body[k] = frames[k]->body;
    vec3_store(out->frame[k], frames[k]->position);
    quat_store(out->frame[k] + 3, frames[k]->orientation);
  }
}

static void store_force(const hn_model *model, const hn_force_def *force,
                        hn_component_constraint *out) {
  const int is_stop = force->type == HN_FORCE_JOINT_STOP;
  store_joint(&model->joints[force->joint], out);
  out->kind = is_stop ? HN_COMPONENT_STOP : HN_COMPONENT_FRICTION;
  out->coordinate = (int)force->coordinate;
  out->number[0] = is_stop ? force->lower : force->magnitude;
  out->number[1] = is_stop ? force->upper : force->number[HN_FRICTION_STATIC];
  out->number[2] = is_stop ? force->number[HN_STOP_RESTITUTION] : 0;
}

hn_status hn_sealed_show_constraints(hn_component *c) {
  const hn_model *model = c->model;
  hn_component_facts *f = &c->facts;
  hn_component_constraint *all =
      HN_TAKE(&c->arena, hn_component_constraint, model->joint_count + model->force_count);
  if (!all) return HN_ERROR_MEMORY;
  for (int j = 0; j < model->joint_count; j++) {
    if (model->joints[j].type != HN_JOINT_KNIFE_EDGE) continue;
    hn_component_constraint *edge = &all[f->constraint_count++];
    store_joint(&model->joints[j], edge);
    edge->kind = HN_COMPONENT_KNIFE_EDGE;
  }
  for (int k = 0; k < model->force_count; k++)
    if (hn_force_is_rigid(&model->forces[k]))
      store_force(model, &model->forces[k], &all[f->constraint_count++]);
  f->constraints = all;
  return HN_OK;
}

int hn_sealed_is_reached(const hn_component_facts *facts, int body) {
  const int id = 1 + facts->external_count + body;
  for (int k = 0; k < facts->constraint_count; k++)
    for (int side = 0; side < 2; side++)
      if (facts->constraints[k].body[side] == id) return 1;
  for (int k = 0; k < facts->shape_count; k++)
    if (facts->shapes[k].def.frame.body == id) return 1;
  return 0;
}

// ---- outside ------------------------------------------------------------------------------------

// Bits of frames stay: orientations are not normalized again.
static hn_status add_opaque_joint(hn_model *model, const hn_sealed_part *part,
                                  const hn_component_constraint *c, int number, int *id) {
  char name[512];
  if (hn_joint_facts_of((hn_joint_type)c->joint_type)->couples.most > 0)
    return hn_fail(&model->error, HN_ERROR_FILE, &part->source,
                   hn_text(name, sizeof name, "component '%s'", part->name), "Build it again.",
                   "has a constraint at a joint without frames");
  hn_joint_def def = hn_default_joint((hn_joint_type)c->joint_type);
  def.name = hn_text(name, sizeof name, "%s.joint_%d", part->name, number);
  def.source = part->source;
  def.component = part->component;
  def.pitch = c->pitch;
  def.is_opaque = 1;
  def.frame1.body = hn_sealed_part_body(part, c->body[0]);
  def.frame2.body = hn_sealed_part_body(part, c->body[1]);
  hn_status status = hn_model_add_joint(model, &def, id);
  if (status != HN_OK) return status;
  hn_frame_on_body *frames[2] = {&model->joints[*id].frame1, &model->joints[*id].frame2};
  for (int k = 0; k < 2; k++) {
    frames[k]->position = vec3_load(c->frame[k]);
    frames[k]->orientation = quat_load(c->frame[k] + 3);
  }
  return HN_OK;
}

static hn_status add_opaque_force(hn_model *model, const hn_sealed_part *part,
                                  const hn_component_constraint *c, int number, int joint) {
  const int is_stop = c->kind == HN_COMPONENT_STOP;
  char name[512];
  hn_force_def def = hn_default_force(is_stop ? HN_FORCE_JOINT_STOP : HN_FORCE_JOINT_FRICTION);
  def.name =
      hn_text(name, sizeof name, "%s.%s_%d", part->name, is_stop ? "stop" : "friction", number);
  def.source = part->source;
  def.component = part->component;
  def.joint = joint;
  def.coordinate = (hn_coordinate)c->coordinate;
  if (is_stop) {
    def.stiffness[0] = HUGE_VAL;
    def.lower = c->number[0];
    def.upper = c->number[1];
    def.number[HN_STOP_RESTITUTION] = c->number[2];
  } else {
    def.transition = def.stiffness[0] = 0; // viscous friction acts inside
    def.magnitude = c->number[0];
    def.number[HN_FRICTION_STATIC] = c->number[1];
  }
  return hn_model_add_force(model, &def, NULL);
}

hn_status hn_sealed_add_constraints(hn_model *model, const hn_sealed_part *part) {
  hn_status status = HN_OK;
  for (int k = 0; k < part->facts->constraint_count && status == HN_OK; k++) {
    const hn_component_constraint *c = &part->facts->constraints[k];
    int joint = -1;
    status = add_opaque_joint(model, part, c, k + 1, &joint);
    if (status == HN_OK && c->kind != HN_COMPONENT_KNIFE_EDGE)
      status = add_opaque_force(model, part, c, k + 1, joint);
  }
  return status;
}
