// A loop of revolute and translational joints moves in a plane when all axes of rotation are
// parallel and all slides perpendicular to them. One axis that is off by a small angle locks it:
// nearly always a slip of the pen, which gaps and rates do not show.
#include "analysis/assembly_axes.h"

#include "base/error.h"

#define PARALLEL 1e-7  // rad
#define LARGEST_SLIP 0.1 // rad: more is meant

static hn_vec3 axis_of(const hn_elements *elements, const hn_frame *frames, int joint) {
  const hn_frame_on_body *frame = &elements->model->joints[joint].frame1;
  return mat3_apply(frames[frame->body].a, mat3_column(quat_matrix(frame->orientation), 2));
}

static double angle_between(hn_vec3 a, hn_vec3 b) {
  return atan2(vec3_norm(vec3_cross(a, b)), fabs(vec3_dot(a, b)));
}

static int is_in_part(const hn_elements *elements, const hn_joint_graph *graph, int joint,
                      int part) {
  int first = elements->joint_row[joint];
  return elements->joint_row[joint + 1] > first && graph->part_of_row[first] == part;
}

// 1 when joints of this type let no axis tilt.
static int is_stiff(hn_joint_type type) {
  return type == HN_JOINT_REVOLUTE || type == HN_JOINT_TRANSLATIONAL || type == HN_JOINT_FIXED ||
         type == HN_JOINT_GEAR || type == HN_JOINT_RACK_PINION || type == HN_JOINT_COUPLER;
}

// How many axes of rotation are parallel to that of `joint`; -1 when some joint is not stiff.
static int count_parallel(const hn_elements *elements, const hn_joint_graph *graph, int part,
                          const hn_frame *frames, int joint) {
  hn_vec3 axis = axis_of(elements, frames, joint);
  int count = 0;
  for (int j = 0; j < elements->model->joint_count; j++) {
    if (!is_in_part(elements, graph, j, part)) continue;
    hn_joint_type type = elements->model->joints[j].type;
    if (!is_stiff(type)) return -1;
    count += type == HN_JOINT_REVOLUTE &&
             angle_between(axis, axis_of(elements, frames, j)) <= PARALLEL;
  }
  return count;
}

int hn_find_tilted_axis(const hn_elements *elements, const hn_joint_graph *graph, int part,
                        const hn_frame *frames, hn_tilted_axis *tilt) {
  const hn_model *model = elements->model;
  int odd = 0;
  *tilt = (hn_tilted_axis){.joint = -1, .reference = -1};
  for (int j = 0; j < model->joint_count; j++) {
    if (model->joints[j].type != HN_JOINT_REVOLUTE || !is_in_part(elements, graph, j, part))
      continue;
    int count = count_parallel(elements, graph, part, frames, j);
    if (count < 0) return 0;
    if (count <= tilt->agreeing) continue;
    tilt->agreeing = count;
    tilt->reference = j;
  }
  if (tilt->agreeing < 2) return 0;
  hn_vec3 axis = axis_of(elements, frames, tilt->reference);
  for (int j = 0; j < model->joint_count; j++) {
    int slides = model->joints[j].type == HN_JOINT_TRANSLATIONAL;
    if (!is_in_part(elements, graph, j, part)) continue;
    if (!slides && model->joints[j].type != HN_JOINT_REVOLUTE) continue;
    double angle = angle_between(axis, axis_of(elements, frames, j));
    if (slides) angle = 0.5 * HN_PI - angle;
    if (angle > LARGEST_SLIP) return 0;
    if (angle <= PARALLEL) continue;
    odd++;
    if (angle <= tilt->angle) continue;
    tilt->angle = angle;
    tilt->joint = j;
    tilt->slides = slides;
  }
  return odd > 0 && odd <= tilt->agreeing;
}

const char *hn_describe_tilt(const hn_elements *elements, const hn_tilted_axis *tilt, char *text,
                             size_t size) {
  const char *name = elements->model->joints[tilt->reference].name;
  double degrees = tilt->angle * 180 / HN_PI;
  int others = tilt->agreeing - 1;
  return hn_text(text, size,
                 "its axis is %.3g deg off %s joint '%s' and %d other%s, so that the loop is locked",
                 degrees, tilt->slides ? "the plane across the axes of" : "those of", name, others,
                 others == 1 ? "" : "s");
}
