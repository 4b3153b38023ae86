// Places and turns of MJCF.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"

// Lower case letters turn about the axes that turn along, capitals about those that stay.
hn_mat3 hn_mjcf_euler(const hn_mjcf *r, hn_vec3 e) {
  hn_mat3 all = mat3_identity();
  for (int k = 0; k < 3; k++) {
    char letter = r->eulerseq[k];
    int place = letter == 'x' || letter == 'X' ? 0 : letter == 'y' || letter == 'Y' ? 1 : 2;
    hn_vec3 axis = vec3(place == 0, place == 1, place == 2);
    hn_mat3 one = quat_matrix(quat_from_axis_angle(axis, r->angle * vec3_get(e, k)));
    all = letter >= 'a' ? mat3_multiply(all, one) : mat3_multiply(one, all);
  }
  return all;
}

static hn_mat3 from_axes(hn_mjcf *r, const hn_mjcf_item *item, const double *v) {
  hn_vec3 x = vec3_unit(vec3_load(v)), y = vec3_load(v + 3);
  y = vec3_sub(y, vec3_scale(vec3_dot(x, y), x));
  if (!(vec3_norm(x) > 0) || !(vec3_norm(y) > 1e-14))
    hn_machine_fail(r->machine, item->node, hn_xml_element(r->machine, item->node),
                    "Give two directions that are not parallel.", "has parallel or zero xyaxes");
  y = vec3_unit(y);
  return mat3_from_columns(x, y, vec3_cross(x, y));
}

static void refuse_zero(hn_mjcf *r, const hn_mjcf_item *item, const char *name, double length) {
  if (!(length > 0))
    hn_machine_fail(r->machine, item->node, hn_xml_element(r->machine, item->node),
                    "Give a nonzero vector.", "has a %s of length 0", name);
}

// The first other orientation attribute counts, and `quat` without any.
static const char *turn_of(const hn_mjcf_item *item) {
  static const char *const names[] = {"axisangle", "euler", "xyaxes", "zaxis"};
  const char *nearest = hn_mjcf_nearest(item, names, 4);
  if (!nearest) return hn_mjcf_where(item, "quat") ? "quat" : NULL;
  hn_mjcf_mark_list(item, "quat", HN_FATE_HARMLESS, "overridden by another orientation");
  return nearest;
}

hn_pose hn_mjcf_pose(const hn_mjcf_item *item) {
  hn_mjcf *r = item->reader;
  const char *turn = turn_of(item);
  double v[6] = {0};
  hn_pose pose = {mat3_identity(), hn_mjcf_vector(item, "pos", vec3_zero())};
  if (!turn) return pose;
  int wanted = strcmp(turn, "quat") == 0 || strcmp(turn, "axisangle") == 0 ? 4
               : strcmp(turn, "xyaxes") == 0                               ? 6
                                                                           : 3;
  hn_xml *where = hn_mjcf_where(item, turn);
  if (!hn_numbers_of(r->machine, where, turn, hn_mjcf_get(item, turn), wanted, v)) return pose;
  if (strcmp(turn, "quat") == 0) {
    refuse_zero(r, item, "quat", sqrt(quat_dot(quat_load(v), quat_load(v))));
    pose.r = quat_matrix(quat_unit(quat_load(v)));
  } else if (strcmp(turn, "axisangle") == 0) {
    refuse_zero(r, item, "axis", vec3_norm(vec3_load(v)));
    pose.r = quat_matrix(quat_from_axis_angle(vec3_load(v), r->angle * v[3]));
  } else if (strcmp(turn, "euler") == 0) {
    pose.r = hn_mjcf_euler(r, vec3_load(v));
  } else if (strcmp(turn, "xyaxes") == 0) {
    pose.r = from_axes(r, item, v);
  } else {
    refuse_zero(r, item, "zaxis", vec3_norm(vec3_load(v)));
    pose.r = hn_rotation_z_to(vec3_load(v));
  }
  return pose;
}
