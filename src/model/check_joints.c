// Checks of joints and drivers: bodies, axes, lengths, and the coordinates that gears, racks,
// couplers and drivers refer to. Whether a model can be assembled is not checked here.
#include <math.h>

#include "holon/switch.h"
#include "math/elementary.h"
#include "math/euler.h"
#include "model/joint_types.h"
#include "model/storage.h"

// ---- joints between two frames ------------------------------------------------------------------

// Only a joint drawn in place must have its axes aligned: with a gap at the joint point the model
// is drawn apart, and assembly turns the axes.
static hn_status check_cross(const hn_subject *subject, const hn_joint_def *joint) {
  const hn_model *model = subject->model;
  if (hn_model_drawn_distance(model, &joint->frame1, &joint->frame2) > 1e-6) return HN_OK;
  hn_vec3 h1 = mat3_column(hn_model_drawn_axes(model, &joint->frame1), 2);
  hn_vec3 h2 = mat3_column(hn_model_drawn_axes(model, &joint->frame2), 2);
  double cosine = vec3_dot(h1, h2);
  if (fabs(cosine) <= 1e-6) return HN_OK;
  double angle = hn_atan2(vec3_norm(vec3_cross(h1, h2)), cosine) * 180 / HN_PI;
  return hn_subject_fail(
      subject, "Set the two axes perpendicular, or use a constant-velocity or spherical joint.",
      "has its two axes at %.6g degrees at the start; they must be perpendicular", angle);
}

static hn_status check_distance(const hn_subject *subject, const hn_joint_def *joint) {
  if (!isfinite(joint->length) || joint->length < 0)
    return hn_subject_fail(subject, "Give a length in m, or 0 for the distance at the start.",
                           "has the length %g m", joint->length);
  double drawn = hn_model_drawn_distance(subject->model, &joint->frame1, &joint->frame2);
  if (drawn > HN_COINCIDENT) return HN_OK;
  if (joint->length == 0)
    return hn_subject_fail(subject, "Separate the two points, or use a spherical joint.",
                           "has zero length: its two points are %.3g m apart", drawn);
  return hn_subject_warn(
      subject,
      "has two coincident points, so the direction of its length of %g m is undefined. "
      "Separate the points.",
      joint->length);
}

static int is_of_part(const hn_model *model, const hn_joint_def *joint, int body) {
  for (int p = 0; p < model->part_count; p++)
    if (model->parts[p].component == joint->component && body >= model->parts[p].first_body &&
        body < model->parts[p].first_body + model->parts[p].body_count)
      return 1;
  return 0;
}

static hn_status check_opaque(const hn_subject *subject, const hn_joint_def *joint) {
  if (is_of_part(subject->model, joint, joint->frame1.body) ||
      is_of_part(subject->model, joint, joint->frame2.body))
    return HN_OK;
  return hn_subject_fail(subject, "Leave `is_opaque` 0.",
                         "is opaque, but joins no body of a sealed component");
}

static hn_status check_between_frames(const hn_subject *subject, const hn_joint_def *joint) {
  hn_status status = hn_subject_check_frame(subject, "first frame", &joint->frame1);
  if (!status) status = hn_subject_check_frame(subject, "second frame", &joint->frame2);
  if (!status)
    status = hn_subject_check_bodies_differ(subject, joint->frame1.body, joint->frame2.body);
  if (!status && joint->is_opaque) status = check_opaque(subject, joint);
  if (status) return status;
  if (hn_joint_has_coordinate(joint->type, HN_COORDINATE_ANGLE2))
    return check_cross(subject, joint);
  if (hn_joint_has_row(joint->type, HN_JOINT_ROW_DISTANCE)) return check_distance(subject, joint);
  if (hn_joint_has_row(joint->type, HN_JOINT_ROW_SCREW) &&
      (joint->pitch == 0 || !isfinite(joint->pitch)))
    return hn_subject_fail(subject,
                           "Give the advance per revolution in m, or use a revolute joint.",
                           "has the pitch %g m per revolution", joint->pitch);
  return HN_OK;
}

// ---- joints between coordinates of joints -------------------------------------------------------

static hn_status check_coupled_kinds(const hn_subject *subject, const hn_joint_def *joint) {
  const hn_model *model = subject->model;
  const hn_coordinate *c = joint->coupled_coordinate;
  const hn_joint_facts *facts = hn_joint_facts_of(joint->type);
  if (facts->couples.least != facts->couples.most) return HN_OK;
  if (hn_coordinate_is_angle(facts->couples.default_of)) {
    for (int k = 0; k < 2; k++)
      if (!hn_coordinate_is_angle(c[k]))
        return hn_subject_fail(subject,
                               "A gear joins two angles; use rack-pinion for an angle and a "
                               "displacement, coupler for anything else.",
                               "uses the coordinate '%s' of joint '%s', which is not an angle",
                               hn_coordinate_name(c[k]), model->joints[joint->coupled[k]].name);
  } else if (hn_coordinate_is_angle(c[0]) == hn_coordinate_is_angle(c[1])) {
    return hn_subject_fail(subject,
                           "Name a joint with an angle and one with a displacement; a gear joins "
                           "two angles.",
                           "joins '%s' of joint '%s' and '%s' of joint '%s'",
                           hn_coordinate_name(c[0]), model->joints[joint->coupled[0]].name,
                           hn_coordinate_name(c[1]), model->joints[joint->coupled[1]].name);
  }
  return HN_OK;
}

static hn_status check_coupled(const hn_subject *subject, const hn_joint_def *joint) {
  const hn_joint_facts *facts = hn_joint_facts_of(joint->type);
  int most = facts->couples.most, least = facts->couples.least;
  if (joint->coupled_count < least || joint->coupled_count > most)
    return hn_subject_fail(subject, "Name the joints whose coordinates it couples.",
                           "couples %d coordinates; a %s joint has %d to %d", joint->coupled_count,
                           hn_joint_type_name(joint->type), least, most);
  for (int k = 0; k < joint->coupled_count; k++) {
    hn_status status =
        hn_subject_check_coordinate(subject, joint->coupled[k], joint->coupled_coordinate[k]);
    if (status) return status;
    const char *other = subject->model->joints[joint->coupled[k]].name;
    const double *c = joint->curve[k];
    if ((joint->coefficient[k] == 0 && c[0] == 0 && c[1] == 0 && c[2] == 0) ||
        !isfinite(joint->coefficient[k] + c[0] + c[1] + c[2]))
      return hn_subject_fail(subject, "Give a ratio, radius or coefficient that is not zero.",
                             "has the factor %g for joint '%s'", joint->coefficient[k], other);
    for (int i = 0; i < k; i++)
      if (joint->coupled[i] == joint->coupled[k] &&
          joint->coupled_coordinate[i] == joint->coupled_coordinate[k])
        return hn_subject_fail(subject, "Name two different coordinates.",
                               "names the coordinate '%s' of joint '%s' twice",
                               hn_coordinate_name(joint->coupled_coordinate[k]), other);
  }
  hn_status status = check_coupled_kinds(subject, joint);
  if (status || isnan(joint->constant)) return status; // NaN: from the reference configuration
  return hn_subject_check_finite(subject, "constant", &joint->constant, 1);
}

// ---- all joints ---------------------------------------------------------------------------------

static hn_status check_initial(const hn_subject *subject, int id, const hn_joint_def *joint) {
  for (int c = 0; c < HN_COORDINATES; c++) {
    const hn_joint_initial *initial = &joint->initial[c];
    if (!initial->has_value && !initial->has_rate) continue;
    hn_status status = hn_subject_check_coordinate(subject, id, (hn_coordinate)c);
    if (!status && initial->has_value)
      status = hn_subject_check_finite(subject, "initial value", &initial->value, 1);
    if (!status && initial->has_rate)
      status = hn_subject_check_finite(subject, "initial rate", &initial->rate, 1);
    if (status) return status;
  }
  return HN_OK;
}

hn_status hn_model_check_joints(hn_model *model) {
  for (int id = 0; id < model->joint_count; id++) {
    const hn_joint_def *joint = &model->joints[id];
    hn_subject subject = {model, HN_NAME_JOINT, joint->name, &joint->source};
    if ((unsigned)joint->type >= HN_JOINT_TYPES)
      return hn_subject_fail(&subject, "Use one of HN_JOINT_LIST.", "has the unknown type %d",
                             (int)joint->type);
    hn_status status = hn_subject_check_component(&subject, joint->component);
    if (status) return status;
    status = hn_joint_joins_bodies(joint->type) ? check_between_frames(&subject, joint)
                                                : check_coupled(&subject, joint);
    if (!status) status = check_initial(&subject, id, joint);
    if (status) return status;
  }
  return HN_OK;
}

// ---- drivers ------------------------------------------------------------------------------------

static hn_status check_driver_frames(const hn_subject *subject, const hn_driver_def *driver) {
  hn_status status = hn_subject_check_frame(subject, "first frame", &driver->frame1);
  if (!status) status = hn_subject_check_frame(subject, "second frame", &driver->frame2);
  if (!status)
    status = hn_subject_check_bodies_differ(subject, driver->frame1.body, driver->frame2.body);
  return status;
}

static hn_status check_driver(const hn_subject *subject, const hn_driver_def *driver) {
  hn_status status = HN_OK;
  switch (driver->kind) {
  case HN_DRIVER_JOINT:
    return hn_subject_check_coordinate(subject, driver->joint, driver->coordinate);
  case HN_DRIVER_POINT:
    if (driver->coordinate != HN_COORDINATE_X && driver->coordinate != HN_COORDINATE_Y &&
        driver->coordinate != HN_COORDINATE_Z)
      return hn_subject_fail(subject, "Drive x, y or z of the point; use one driver for each.",
                             "drives the coordinate '%s' of a point",
                             hn_coordinate_name(driver->coordinate));
    return check_driver_frames(subject, driver);
  case HN_DRIVER_DISTANCE:
    status = check_driver_frames(subject, driver);
    if (status) return status;
    if (hn_model_drawn_distance(subject->model, &driver->frame1, &driver->frame2) > HN_COINCIDENT)
      return HN_OK;
    return hn_subject_warn(subject,
                           "has two coincident points, so the direction of its distance of 0 m is "
                           "undefined. Separate the points.");
  }
  return hn_subject_fail(subject, "Use one of hn_driver_kind.", "has the unknown kind %d",
                         (int)driver->kind);
}

static int comes_and_goes(const hn_model *model, int driver) {
  for (int k = 0; k < model->switch_count; k++)
    if (model->switches[k].of == HN_SWITCH_DRIVER && model->switches[k].element == driver) return 1;
  return 0;
}

// first[j]: the last driver of joint j before this one; before[d]: the one before driver d.
static hn_status note_second(hn_model *model, int id, const int *first, const int *before) {
  const hn_driver_def *driver = &model->drivers[id];
  hn_subject subject = {model, HN_NAME_DRIVER, driver->name, &driver->source};
  for (int other = first[driver->joint]; other >= 0; other = before[other])
    if (model->drivers[other].coordinate == driver->coordinate && !comes_and_goes(model, id) &&
        !comes_and_goes(model, other))
      return hn_subject_note(&subject,
                             "drives the %s of joint '%s' like driver '%s': the force of each is "
                             "indeterminate. Remove one of them.",
                             hn_coordinate_name(driver->coordinate),
                             model->joints[driver->joint].name, model->drivers[other].name);
  return HN_OK;
}

static hn_status note_drivers_of_one_joint(hn_model *model) {
  const size_t count = (size_t)model->joint_count + (size_t)model->driver_count;
  if (model->driver_count < 2) return HN_OK;
  int *first = hn_allocate(&model->storage->allocator, count * sizeof *first);
  if (!first) return hn_model_out_of_memory(model, HN_NAME_DRIVER, model->drivers[0].name);
  int *before = first + model->joint_count;
  hn_status status = HN_OK;
  for (int j = 0; j < model->joint_count; j++) first[j] = -1;
  for (int id = 0; id < model->driver_count && !status; id++) {
    const hn_driver_def *driver = &model->drivers[id];
    if (driver->kind != HN_DRIVER_JOINT) continue;
    status = note_second(model, id, first, before);
    before[id] = first[driver->joint];
    first[driver->joint] = id;
  }
  hn_release(&model->storage->allocator, first);
  return status;
}

hn_status hn_model_check_drivers(hn_model *model) {
  for (int id = 0; id < model->driver_count; id++) {
    const hn_driver_def *driver = &model->drivers[id];
    hn_subject subject = {model, HN_NAME_DRIVER, driver->name, &driver->source};
    hn_status status = hn_subject_check_component(&subject, driver->component);
    if (status) return status;
    if (!driver->law)
      return hn_subject_fail(&subject, "Give its motion as a function of t, for instance 2*pi*t.",
                             "has no motion function");
    status = check_driver(&subject, driver);
    if (status) return status;
  }
  return note_drivers_of_one_joint(model);
}
