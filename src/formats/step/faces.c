// Faces of parts: as the plugin says them, at the place of a part, halves of a cylinder together.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/step/step.h"

#define SAME_LINE 1e-6 // m, and rad: what counts as the same line

static hn_vec3 vector(hn_machine *machine, hn_xml *node, const char *name) {
  return hn_xml_vector(machine, node, name, vec3_zero());
}

static int read_face(hn_machine *m, hn_xml *node, hn_step_face *face) {
  memset(face, 0, sizeof *face);
  if (strcmp(node->name, "cylinder") == 0) {
    face->kind = HN_STEP_CYLINDER;
    face->axis = vector(m, node, "axis");
    face->from = hn_xml_number(m, node, "from", 0);
    face->to = hn_xml_number(m, node, "to", 0);
    face->turn = hn_xml_number(m, node, "turn", 0);
  } else if (strcmp(node->name, "plane") == 0) {
    face->kind = HN_STEP_PLANE;
    face->axis = vector(m, node, "normal");
    face->low = vector(m, node, "low");
    face->high = vector(m, node, "high");
  } else if (strcmp(node->name, "sphere") == 0) {
    face->kind = HN_STEP_SPHERE;
  } else {
    return 0;
  }
  face->at = vector(m, node, "at");
  face->radius = hn_xml_number(m, node, "radius", 0);
  face->is_hole = hn_xml_number(m, node, "hole", 0) != 0;
  if (face->kind == HN_STEP_SPHERE) return face->radius > 0;
  double length = vec3_norm(face->axis);
  if (!(length > 0)) return 0;
  face->axis = vec3_scale(1 / length, face->axis);
  return face->kind == HN_STEP_PLANE || face->radius > 0;
}

// The other half of a cylinder that is there already.
static int join_halves(hn_step_face *list, int count, const hn_step_face *half) {
  for (int k = 0; k < count && half->kind == HN_STEP_CYLINDER; k++) {
    hn_step_face *c = &list[k];
    if (c->kind != HN_STEP_CYLINDER || c->is_hole != half->is_hole) continue;
    hn_vec3 gap = vec3_sub(half->at, c->at);
    double along = vec3_dot(gap, c->axis), side = vec3_dot(half->axis, c->axis) > 0 ? 1 : -1;
    double a = along + side * half->from, b = along + side * half->to;
    if (fabs(c->radius - half->radius) > SAME_LINE ||
        vec3_norm(vec3_cross(c->axis, half->axis)) > SAME_LINE ||
        vec3_norm(vec3_sub(gap, vec3_scale(along, c->axis))) > SAME_LINE)
      continue;
    if (fmax(a, b) < c->from - SAME_LINE || fmin(a, b) > c->to + SAME_LINE) continue;
    c->from = fmin(c->from, fmin(a, b));
    c->to = fmax(c->to, fmax(a, b));
    c->turn += half->turn;
    return 1;
  }
  return 0;
}

void hn_step_read_faces(hn_machine *machine, hn_xml *node, hn_step_product *product) {
  int count = 0;
  for (const hn_xml *child = node->first; child; child = child->next) count++;
  product->faces = HN_MACHINE_TAKE(machine, hn_step_face, count);
  for (hn_xml *child = node->first; child && hn_machine_ok(machine); child = child->next) {
    hn_step_face face;
    if (!read_face(machine, child, &face)) continue;
    if (face.kind == HN_STEP_CYLINDER && face.from > face.to) {
      double from = face.from;
      face.from = face.to;
      face.to = from;
    }
    if (!join_halves(product->faces, product->face_count, &face))
      product->faces[product->face_count++] = face;
  }
}

// ---- at its place -------------------------------------------------------------------------------

static void widen(hn_step_body *body, hn_vec3 p, double by) {
  body->low =
      vec3(fmin(body->low.x, p.x - by), fmin(body->low.y, p.y - by), fmin(body->low.z, p.z - by));
  body->high = vec3(fmax(body->high.x, p.x + by), fmax(body->high.y, p.y + by),
                    fmax(body->high.z, p.z + by));
}

// The box around a box that is turned.
static void turn_box(const hn_pose *pose, hn_vec3 *low, hn_vec3 *high) {
  hn_vec3 middle = hn_pose_point(pose, vec3_scale(0.5, vec3_add(*low, *high)));
  hn_vec3 half = vec3_scale(0.5, vec3_sub(*high, *low));
  double h[3];
  for (int i = 0; i < 3; i++)
    h[i] = fabs(pose->r.m[i][0]) * half.x + fabs(pose->r.m[i][1]) * half.y +
           fabs(pose->r.m[i][2]) * half.z;
  *low = vec3_sub(middle, vec3_load(h));
  *high = vec3_add(middle, vec3_load(h));
}

static hn_step_face place(const hn_step_face *face, const hn_pose *pose) {
  hn_step_face out = *face;
  out.at = hn_pose_point(pose, face->at);
  out.axis = mat3_apply(pose->r, face->axis);
  if (face->kind == HN_STEP_PLANE) turn_box(pose, &out.low, &out.high);
  return out;
}

static void widen_by_face(hn_step_body *body, const hn_step_face *face) {
  if (face->kind == HN_STEP_PLANE) {
    widen(body, face->low, 0);
    widen(body, face->high, 0);
  } else {
    widen(body, vec3_add_scaled(face->at, face->from, face->axis), face->radius);
    widen(body, vec3_add_scaled(face->at, face->to, face->axis), face->radius);
  }
}

void hn_step_add_faces(hn_machine *machine, hn_step_body *body, const hn_step_product *product,
                       const hn_pose *pose) {
  int room = body->count + product->face_count;
  if (room > body->room) {
    hn_step_face *larger = HN_MACHINE_TAKE(machine, hn_step_face, 2 * room);
    if (!larger) return;
    if (body->count > 0) memcpy(larger, body->faces, (size_t)body->count * sizeof *larger);
    body->faces = larger;
    body->room = 2 * room;
  }
  for (int k = 0; k < product->face_count; k++) {
    hn_step_face face = place(&product->faces[k], pose);
    if (body->count == 0) body->low = body->high = face.at;
    widen_by_face(body, &face);
    body->faces[body->count++] = face;
  }
}
