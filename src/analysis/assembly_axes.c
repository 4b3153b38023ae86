// A loop of revolute and translational joints moves in a plane when all axes of rotation are
// parallel and all slides perpendicular to them. One axis that is off by a small angle locks it:
// nearly always a slip of the pen, which gaps and rates do not show.
#include "analysis/assembly_axes.h"

#include "base/error.h"
#include "math/elementary.h"
#include "model/joint_types.h"

#define PARALLEL 1e-7    // rad
#define LARGEST_SLIP 0.1 // rad: more is meant

static hn_vec3 axis_of(const hn_elements *elements, const hn_frame *frames, int joint) {
  const hn_frame_on_body *frame = &elements->model->joints[joint].frame1;
  return mat3_apply(frames[frame->body].a, mat3_column(quat_matrix(frame->orientation), 2));
}

static double angle_between(hn_vec3 a, hn_vec3 b) {
  return hn_atan2(vec3_norm(vec3_cross(a, b)), fabs(vec3_dot(a, b)));
}

// The next joint of the part from place *k of its rows on, or -1.
static int next_joint(const hn_elements *elements, const hn_joint_graph *graph, int part, int *k) {
  while (*k < graph->row_start[part + 1]) {
    const hn_row *row = &elements->rows[graph->rows[(*k)++]];
    if (!row->is_driver && row->place == 0) return row->owner;
  }
  return -1;
}

// 1 when joints of this type let no axis tilt or wander: a turn about one, a slide along one, nothing.
static int is_stiff(hn_joint_type type) {
  if (!hn_joint_joins_bodies(type)) return 1;
  return hn_joint_row_number(type) >= 5 && !hn_joint_has_row(type, HN_JOINT_ROW_SCREW);
}

static int is_hinge(hn_joint_type type) {
  return hn_joint_shares_point(type) && hn_joint_shares_axes(type) == HN_SHARES_H;
}

static int is_slide(hn_joint_type type) {
  return !hn_joint_shares_point(type) && hn_joint_shares_axes(type) == HN_SHARES_ALL;
}

// How many axes of rotation are parallel to this one.
static int count_parallel(const hn_elements *elements, const hn_joint_graph *graph, int part,
                          const hn_frame *frames, hn_vec3 axis) {
  int count = 0, k = graph->row_start[part], j;
  while ((j = next_joint(elements, graph, part, &k)) >= 0)
    count += is_hinge(elements->model->joints[j].type) &&
             angle_between(axis, axis_of(elements, frames, j)) <= PARALLEL;
  return count;
}

// Writes the axis with which most others agree into *tilt; 0 if no axis does.
static int find_reference(const hn_elements *elements, const hn_joint_graph *graph, int part,
                          const hn_frame *frames, hn_tilted_axis *tilt) {
  int turning = 0, k = graph->row_start[part], j;
  while ((j = next_joint(elements, graph, part, &k)) >= 0) {
    hn_joint_type type = elements->model->joints[j].type;
    if (!is_stiff(type)) return 0;
    turning += is_hinge(type);
  }
  k = graph->row_start[part];
  while (2 * tilt->agreeing <= turning && (j = next_joint(elements, graph, part, &k)) >= 0) {
    if (!is_hinge(elements->model->joints[j].type)) continue;
    int count = count_parallel(elements, graph, part, frames, axis_of(elements, frames, j));
    if (count <= tilt->agreeing) continue;
    tilt->agreeing = count;
    tilt->reference = j;
  }
  return tilt->agreeing >= 2;
}

int hn_find_tilted_axis(const hn_elements *elements, const hn_joint_graph *graph, int part,
                        const hn_frame *frames, hn_tilted_axis *tilt) {
  int odd = 0, k = graph->row_start[part], j;
  *tilt = (hn_tilted_axis){.joint = -1, .reference = -1};
  if (!find_reference(elements, graph, part, frames, tilt)) return 0;
  hn_vec3 axis = axis_of(elements, frames, tilt->reference);
  while ((j = next_joint(elements, graph, part, &k)) >= 0) {
    hn_joint_type type = elements->model->joints[j].type;
    int slides = is_slide(type);
    if (!slides && !is_hinge(type)) continue;
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
                 "its axis is %.3g deg off %s joint '%s' and %d other%s; this locks the loop",
                 degrees, tilt->slides ? "the plane across the axes of" : "those of", name, others,
                 others == 1 ? "" : "s");
}
