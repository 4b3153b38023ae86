// Finishing a model: the checks that need the whole of it, in a fixed order, the first error wins.
// Here: the order, components, markers and outputs, and what the other checks share. Bodies, joints
// and forces have files of their own (check_*.c).
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "math/euler.h"
#include "model/storage.h"

// ---- messages -----------------------------------------------------------------------------------

static const char *subject_element(const hn_subject *subject, char *text, size_t size) {
  return hn_text(text, size, "%s '%s'", hn_name_kind_word(subject->kind), subject->name);
}

hn_status hn_subject_fail(const hn_subject *subject, const char *hint, const char *format, ...) {
  char element[128], message[1536];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return hn_fail(&subject->model->error, HN_ERROR_MODEL, subject->source,
                 subject_element(subject, element, sizeof element), hint, "%s", message);
}

// The group of an earlier warning of the same check about the same place; null if there is no such
// group.
static hn_warning_group *find_group(const hn_subject *subject, const char *format,
                                    const char *text) {
  struct hn_model_storage *storage = subject->model->storage;
  const hn_source *here = subject->source;
  int known = storage->group_count < HN_WARNING_GROUPS ? storage->group_count : HN_WARNING_GROUPS;
  for (int k = 1; k <= known; k++) {
    hn_warning_group *group = &storage->groups[(storage->group_count - k) % HN_WARNING_GROUPS];
    const hn_source *there = group->source;
    const char *first = subject->model->warnings.item[group->warning].message;
    if (group->format != format || group->kind != subject->kind || here->line != there->line ||
        here->column != there->column || !here->file != !there->file)
      continue;
    if (here->file && here->line > 0
            ? strcmp(here->file, there->file) == 0
            : group->length == strlen(text) && strncmp(text, first, group->length) == 0)
      return group;
  }
  return NULL;
}

static void count_another(hn_model *model, hn_warning_group *group) {
  char tail[96], *message = model->warnings.item[group->warning].message;
  const size_t size = sizeof model->warnings.item->message;
  group->others++;
  hn_text(tail, sizeof tail, " This applies to %d other%s%s.", group->others,
          group->others == 1 ? "" : "s", group->source->line > 0 ? " created by this line" : "");
  size_t end = size - 1 - strlen(tail);
  if (end > group->length) end = group->length;
  hn_text(message + end, size - end, "%s", tail);
}

// `format` identifies the check.
static hn_status tell(const hn_subject *subject, int is_note, const char *format,
                      const char *message) {
  hn_model *model = subject->model;
  char element[128];
  hn_warning_group *group = find_group(subject, format, message);
  if (group) {
    count_another(model, group);
    return HN_OK;
  }
  subject_element(subject, element, sizeof element);
  hn_status status = is_note ? hn_model_add_note(model, element, message)
                             : hn_model_add_warning(model, element, message);
  if (status) return status;
  model->storage->groups[model->storage->group_count++ % HN_WARNING_GROUPS] = (hn_warning_group){
      format, subject->kind, subject->source, strlen(message), model->warnings.count - 1, 0};
  return HN_OK;
}

hn_status hn_subject_warn(const hn_subject *subject, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (subject->model->storage->strict)
    return hn_subject_fail(subject, "Fix it, or check without strict mode to get a warning only.",
                           "%s", message);
  return tell(subject, 0, format, message);
}

hn_status hn_subject_note(const hn_subject *subject, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return tell(subject, 1, format, message);
}

// ---- what many elements share -------------------------------------------------------------------

hn_status hn_subject_check_finite(const hn_subject *subject, const char *what, const double *values,
                                  int count) {
  for (int k = 0; k < count; k++)
    if (!isfinite(values[k]))
      return hn_subject_fail(subject, "Give finite numbers; check for a division by zero.",
                             count > 1 ? "has a %s with the value %g" : "has the %s %g", what,
                             values[k]);
  return HN_OK;
}

hn_status hn_subject_check_component(const hn_subject *subject, int component) {
  if (component >= 0 && component < subject->model->components.count) return HN_OK;
  return hn_subject_fail(subject, "Use the id that hn_model_add_component gave, or 0.",
                         "belongs to component %d; ids are 0 to %d", component,
                         subject->model->components.count - 1);
}

hn_status hn_subject_check_frame(const hn_subject *subject, const char *which,
                                 const hn_frame_on_body *frame) {
  const hn_model *model = subject->model;
  if (frame->body < 0 || frame->body >= model->body_count)
    return hn_subject_fail(subject, "Use the id that hn_model_add_body gave, or HN_GROUND.",
                           "has its %s on body %d; ids are 0 (ground) to %d", which, frame->body,
                           model->body_count - 1);
  hn_status status = hn_subject_check_finite(subject, "point", &frame->position.x, 3);
  if (status) return status;
  double n = sqrt(quat_dot(frame->orientation, frame->orientation));
  if (fabs(n - 1) < 1e-9) return HN_OK;
  return hn_subject_fail(subject,
                         "Give an axis of non-zero length and a reference not parallel to it.",
                         "has a %s on '%s' whose axes have no direction (quaternion of length %g)",
                         which, model->bodies[frame->body].name, n);
}

hn_status hn_subject_check_bodies_differ(const hn_subject *subject, int body1, int body2) {
  if (body1 != body2) return HN_OK;
  const char *name = subject->model->bodies[body1].name;
  if (body1 == HN_GROUND)
    return hn_subject_fail(subject, "Put at least one side on a moving body.",
                           "connects ground to ground and has no effect");
  return hn_subject_fail(subject, "Name two different bodies, or ground for one of them.",
                         "connects body '%s' with itself", name);
}

static void list_coordinates(hn_joint_type type, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int c = 0; c < HN_COORDINATES; c++)
    if (hn_joint_has_coordinate(type, (hn_coordinate)c) && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               hn_coordinate_name((hn_coordinate)c));
  if (!used) hn_text(text, size, "none");
}

hn_status hn_subject_check_coordinate(const hn_subject *subject, int joint,
                                      hn_coordinate coordinate) {
  const hn_model *model = subject->model;
  if (joint < 0 || joint >= model->joint_count)
    return hn_subject_fail(subject, "Use the id that hn_model_add_joint gave.",
                           "refers to joint %d, but the model has %d (counted from 0)", joint,
                           model->joint_count);
  const hn_joint_def *def = &model->joints[joint];
  if (hn_joint_has_coordinate(def->type, coordinate)) return HN_OK;
  char has[128];
  list_coordinates(def->type, has, sizeof has);
  return hn_subject_fail(subject, "Choose a coordinate the joint has, or another joint.",
                         "uses the coordinate '%s' of joint '%s'; a %s joint has: %s",
                         hn_coordinate_name(coordinate), def->name, hn_joint_type_name(def->type),
                         has);
}

// ---- components, markers, outputs ---------------------------------------------------------------

static hn_status check_components(hn_model *model) {
  for (int k = 1; k < model->components.count; k++) {
    const hn_component_def *def = &model->components.item[k];
    hn_subject subject = {model, HN_NAME_COMPONENT, def->name, &def->source};
    if (def->parent < 0 || def->parent >= k)
      return hn_subject_fail(&subject, "Add the component that contains it first.",
                             "has component %d as parent; a parent has an id below its own (%d)",
                             def->parent, k);
  }
  return HN_OK;
}

static hn_status check_markers(hn_model *model) {
  for (int k = 0; k < model->markers.count; k++) {
    const hn_marker_def *def = &model->markers.item[k];
    hn_subject subject = {model, HN_NAME_MARKER, def->name, &def->source};
    hn_status status = hn_subject_check_frame(&subject, "frame", &def->frame);
    if (status) return status;
  }
  return HN_OK;
}

static hn_status check_outputs(hn_model *model) {
  for (int k = 0; k < model->outputs.count; k++) {
    const hn_output_def *def = &model->outputs.item[k];
    hn_subject subject = {model, HN_NAME_OUTPUT, def->name, &def->source};
    if (!def->expression || !def->expression[strspn(def->expression, " \t\r\n")])
      return hn_subject_fail(&subject, "Give a signal, for instance joint.pin.angle.",
                             "has no expression");
  }
  return HN_OK;
}

// ---- finishing ----------------------------------------------------------------------------------

static hn_status check_everything(hn_model *model) {
  static hn_status (*const checks[])(hn_model *) = {check_components,
                                                    hn_model_check_bodies,
                                                    check_markers,
                                                    hn_model_check_joints,
                                                    hn_model_check_inertias,
                                                    hn_model_check_drivers,
                                                    hn_model_check_roads,
                                                    hn_model_check_shapes,
                                                    hn_model_check_contacts,
                                                    hn_model_check_forces,
                                                    check_outputs,
                                                    hn_model_check_sensed_drivers,
                                                    hn_model_couple_forces,
                                                    hn_model_check_states,
                                                    hn_model_check_inputs,
                                                    hn_model_check_figures,
                                                    hn_model_check_connections};
  for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
    hn_status status = checks[k](model);
    if (status) return status;
  }
  return HN_OK;
}

static hn_status refuse_warnings(hn_model *model) {
  int k = 0;
  while (k < model->warnings.count && model->warnings.item[k].is_note) k++;
  if (k == model->warnings.count) return HN_OK;
  const hn_warning *first = &model->warnings.item[k];
  const hn_source place = hn_model_source(model, first->element);
  return hn_fail(&model->error, HN_ERROR_MODEL, &place, first->element,
                 "Fix it, or check without strict mode to get a warning only.", "%s",
                 first->message);
}

static hn_status finish(hn_model *model, int strict) {
  if (!model) return HN_ERROR_ARGUMENT;
  if (strict) {
    hn_status status = refuse_warnings(model);
    if (status) return status;
  }
  if (model->finished) return HN_OK;
  int warnings_before = model->warnings.count;
  model->storage->strict = strict;
  model->storage->group_count = 0;
  hn_status status = check_everything(model);
  model->storage->strict = 0;
  if (status)
    model->warnings.count = warnings_before; // a second try must not say everything twice
  else
    model->finished = 1;
  return status;
}

hn_status hn_model_finish(hn_model *model) { return finish(model, 0); }
hn_status hn_model_finish_strict(hn_model *model) { return finish(model, 1); }
