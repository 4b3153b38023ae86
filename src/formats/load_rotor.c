// Rotors on joint coordinates (`armature:`).
//
// The rotor of a motor in a joint adds the kinetic energy I qd^2 / 2 of its own rotation, qd the
// rate of the joint's coordinate. A massless wheel that turns on the ground, coupled to the
// coordinate one to one, has exactly that energy and nothing else: no weight, no momentum in the
// model. So it is represented by a body, a revolute joint and a coupler, and holds in every set of
// coordinates. One meter of a displacement is one radian of its wheel.
#include "base/error.h"
#include "formats/loader.h"
#include "model/model.h"

static const char *name_of(hn_loader *loader, const hn_joint_def *joint, const hn_rotor *rotor,
                           const char *ending) {
  char text[HN_FULL_NAME_LENGTH + 40];
  int is_one =
      rotor->coordinate == HN_COORDINATE_ANGLE || rotor->coordinate == HN_COORDINATE_DISPLACEMENT;
  hn_text(text, sizeof text, "%s.%s%s%s", joint->name,
          is_one ? "" : hn_coordinate_name(rotor->coordinate), is_one ? "" : "_", ending);
  return hn_loader_copy(loader, text);
}

static int add_wheel(hn_loader *loader, const hn_joint_def *joint, const hn_rotor *rotor) {
  hn_body_def body = hn_default_body();
  int id = -1;
  body.name = name_of(loader, joint, rotor, "rotor");
  body.source = joint->source;
  body.component = joint->component;
  body.mass = 0;
  for (int k = 0; k < 3; k++) body.inertia[k] = rotor->inertia;
  if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_add_body(loader->model, &body, &id));
  return id;
}

static int add_axle(hn_loader *loader, const hn_joint_def *joint, const hn_rotor *rotor,
                    int wheel) {
  hn_joint_def axle = hn_default_joint(HN_JOINT_REVOLUTE);
  const hn_joint_initial *initial = &joint->initial[rotor->coordinate];
  int id = -1;
  axle.name = name_of(loader, joint, rotor, "rotor");
  axle.source = joint->source;
  axle.component = joint->component;
  axle.frame1 = (hn_frame_on_body){.body = HN_GROUND, .orientation = {1, 0, 0, 0}};
  axle.frame2 = (hn_frame_on_body){.body = wheel, .orientation = {1, 0, 0, 0}};
  if (initial->has_value) { // it starts at the initial value of its coordinate
    axle.initial[HN_COORDINATE_ANGLE].has_value = 1;
    axle.initial[HN_COORDINATE_ANGLE].value = initial->value - rotor->drawn;
  }
  if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_add_joint(loader->model, &axle, &id));
  return id;
}

static void add_coupler(hn_loader *loader, const hn_joint_def *joint, const hn_rotor *rotor,
                        int axle) {
  hn_joint_def coupler = hn_default_joint(HN_JOINT_COUPLER);
  coupler.name = name_of(loader, joint, rotor, "armature");
  coupler.source = joint->source;
  coupler.component = joint->component;
  coupler.coupled_count = 2;
  coupler.coupled[0] = axle;
  coupler.coupled_coordinate[0] = HN_COORDINATE_ANGLE;
  coupler.coefficient[0] = 1;
  coupler.coupled[1] = rotor->joint;
  coupler.coupled_coordinate[1] = rotor->coordinate;
  coupler.coefficient[1] = -1;
  coupler.constant = -rotor->drawn;
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_joint(loader->model, &coupler, NULL));
}

void hn_load_rotors(hn_loader *loader) {
  hn_rotor *order = NULL;
  while (loader->rotors) {
    hn_rotor *next = loader->rotors->next;
    loader->rotors->next = order;
    order = loader->rotors;
    loader->rotors = next;
  }
  for (const hn_rotor *rotor = order; rotor && hn_loader_ok(loader); rotor = rotor->next) {
    hn_joint_def joint = loader->model->joints[rotor->joint];
    int wheel = add_wheel(loader, &joint, rotor);
    int axle = hn_loader_ok(loader) ? add_axle(loader, &joint, rotor, wheel) : -1;
    if (hn_loader_ok(loader)) add_coupler(loader, &joint, rotor, axle);
  }
}
