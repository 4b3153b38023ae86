// Constraints of joints individually, and their factors: see elements/joint_kernel.h.
#include "elements/joint_kernel.h"

#include "elements/joints.h"
#include "model/joint_types.h"

hn_joint_shape hn_joint_shape_of(const hn_elements *elements, int joint) {
  const hn_joint_def *def = &elements->model->joints[joint];
  const hn_frame_on_body *frame1 = &def->frame1, *frame2 = &def->frame2;
  hn_joint_shape shape = {.body = {frame1->body, frame2->body}, .frame = {frame1, frame2}};
  int rows = hn_joint_row_count(def);
  // row by row, which knows what is off
  if (hn_model_is_conditional(elements->model, HN_SWITCH_JOINT, joint)) return shape;
  if (frame1->body == frame2->body) return shape;
  if (hn_joint_has_row(def->type, HN_JOINT_ROW_DISTANCE)) {
    shape.length = 2 * elements->rows[elements->joint_row[joint]].constant;
    shape.rows = shape.length > 0;
    return shape;
  }
  for (int k = 0; k < rows; k++) {
    int axis1, axis2;
    if (!hn_joint_row_axes(def->type, k, &axis1, &axis2)) return shape;
    shape.axis1[k] = (signed char)axis1;
    shape.axis2[k] = (signed char)axis2;
  }
  shape.rows = (signed char)rows;
  return shape;
}

void hn_joint_in_speeds(const hn_joint_shape *shape, const hn_frame *frames, double *value,
                        double *rate, double *tau, double *block) {
  joint_in_speeds(shape, frames, value, rate, tau, block);
}
