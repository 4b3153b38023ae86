// Loop-closure constraints of a model that moves in a plane (relative/plane.h): displacements of
// the end of body 2 from that of body 1, along an axis a of body 1 that lies in the plane. With J v
// = n x v,
//
//   phi = a . d,  phi' = a . d' + w1 J a . d,  tau = -(a . d'' + 2 w1 J a . d' - w1^2 a . d)   at ud = 0
//   hinges of body 2: a . J (p2 - o), of body 1: -a . J (p2 - o);  slides: a . s and -a . s
//
// All other constraints of these joints are constant in the plane. A model with constraints of
// another kind, or whose constant ones are not zero, is left to relative/rows.c.
#include <math.h>

#include "elements/joint_speeds.h"
#include "elements/measure_make.h"
#include "equations/relative/relative.h"

#define IN_PLANE 1e-14
#define ZERO 1e-13 // of constant rows

struct hn_plane_cut {
  int is_active;              // 0: constant
  int node[2];                // of the two bodies; -1: ground
  hn_vec2 point[2];           // ends of the joint from the nodes' origins, in axes of the nodes
  hn_vec2 arm[2];             // ... from the centers of mass
  double aside[2];            // squares of these along the normal
  double mass[2], inertia[2]; // inverse; 0: ground
  hn_vec2 axis;               // in axes of the first node
};

// ---- making -------------------------------------------------------------------------------------

// One side of a joint: what its body's own vectors are in the plane.
typedef struct side {
  const hn_plane_axes *axes;
  hn_mat3 body_axes; // in axes of the node
  hn_vec3 centre;    // from the node's origin, there
} side;

static side side_of(const hn_relative_set *self, int body) {
  int k = self->tree->body_node[body];
  if (k < 0) return (side){&self->plane->ground, mat3_identity(), vec3_zero()};
  const hn_tree_end *end = self->tree->nodes[k].end;
  return (side){&self->plane->axes[k], end->body_axes, end->centre};
}

static double normal_part(const side *s, hn_vec3 v) {
  return vec3_dot(s->axes->n, mat3_apply(s->body_axes, v));
}

static int is_in_plane(const side *s, hn_vec3 v) { return fabs(normal_part(s, v)) < IN_PLANE; }

static int is_normal(const side *s, hn_vec3 v) {
  return vec3_norm(vec3_cross(s->axes->n, mat3_apply(s->body_axes, v))) < IN_PLANE;
}

static void put_end(const hn_relative_set *self, int i, int body, const side *s, hn_vec3 point,
                    hn_plane_cut *out) {
  const hn_body_def *def = &self->base.model->bodies[body];
  hn_vec3 arm = mat3_apply(s->body_axes, point);
  double along = vec3_dot(s->axes->n, arm);
  double inertia = (def->inertia[0] + def->inertia[1] + def->inertia[2]) / 3;
  out->node[i] = self->tree->body_node[body];
  out->point[i] = hn_plane_seen(s->axes, vec3_add(s->centre, arm));
  if (body == HN_GROUND) return;
  out->arm[i] = hn_plane_seen(s->axes, arm);
  out->aside[i] = along * along;
  out->mass[i] = def->mass > 0 ? 1 / def->mass : 0;
  out->inertia[i] = inertia > 0 ? 1 / inertia : 0;
}

// Returns 0 where the row is neither a displacement in the plane nor constant and zero.
static int make_cut(const hn_relative_set *self, int row, hn_plane_cut *out) {
  const hn_row *r = &self->base.elements->rows[row];
  if (r->is_driver) return 0;
  const hn_joint_shape *shape = &self->base.rows->shapes[r->owner];
  if (r->place >= shape->rows || shape->length > 0) return 0;
  side s1 = side_of(self, shape->body[0]), s2 = side_of(self, shape->body[1]);
  hn_vec3 a = frame_axis(shape->frame[0], shape->axis1[r->place]);
  int second = shape->axis2[r->place];
  *out = (hn_plane_cut){.is_active = second < 0 && is_in_plane(&s1, a)};
  if (out->is_active) {
    put_end(self, 0, shape->body[0], &s1, shape->frame[0]->position, out);
    put_end(self, 1, shape->body[1], &s2, shape->frame[1]->position, out);
    out->axis = hn_plane_seen(s1.axes, mat3_apply(s1.body_axes, a));
    return 1;
  }
  if (second < 0) {
    double gap = s2.axes->height + vec3_dot(s2.axes->n, s2.centre) +
                 normal_part(&s2, shape->frame[1]->position) - s1.axes->height -
                 vec3_dot(s1.axes->n, s1.centre) - normal_part(&s1, shape->frame[0]->position);
    return is_normal(&s1, a) && fabs(gap) < ZERO;
  }
  hn_vec3 b = frame_axis(shape->frame[1], second);
  return (is_normal(&s1, a) && is_in_plane(&s2, b)) || (is_in_plane(&s1, a) && is_normal(&s2, b));
}

hn_status hn_plane_make_cuts(hn_arena *arena, hn_relative_set *self) {
  hn_plane_cut *cuts = HN_TAKE(arena, hn_plane_cut, self->cut_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int c = 0; c < self->cut_count; c++)
    if (!make_cut(self, self->cut_row[c], &cuts[c])) return HN_OK;
  self->flat.cuts = cuts;
  self->plane->has_places = 1;
  return HN_OK;
}

int hn_plane_holds_rows(const hn_relative_set *self) {
  if (!self->flat.cuts) return 0;
  for (int c = 0; c < self->cut_count; c++)
    if (!self->flat.cuts[c].is_active && !self->base.redundant[self->cut_row[c]]) return 0;
  return 1;
}

// ---- numbers ------------------------------------------------------------------------------------

HN_INLINE double dot(hn_vec2 a, hn_vec2 b) { return a.x * b.x + a.y * b.y; }
HN_INLINE double cross(hn_vec2 a, hn_vec2 b) { return a.x * b.y - a.y * b.x; }
HN_INLINE hn_vec2 minus(hn_vec2 a, hn_vec2 b) { return (hn_vec2){a.x - b.x, a.y - b.y}; }

// Ends of a joint: arms in global axes, and the gap between the two.
typedef struct ends {
  const hn_plane_motion *m1, *m2;
  hn_vec2 axis, arm1, arm2, gap;
} ends;

HN_INLINE const hn_plane_motion *motion_of(const hn_plane *plane, int node) {
  return node < 0 ? &plane->at_ground : &plane->motion[node];
}

HN_INLINE ends find_ends(const hn_plane *plane, const hn_plane_cut *cut) {
  ends e = {.m1 = motion_of(plane, cut->node[0]), .m2 = motion_of(plane, cut->node[1])};
  e.axis = hn_plane_turned(e.m1->r, cut->axis);
  e.arm1 = hn_plane_turned(e.m1->r, cut->point[0]);
  e.arm2 = hn_plane_turned(e.m2->r, cut->point[1]);
  e.gap.x = (e.m2->origin.x + e.arm2.x) - (e.m1->origin.x + e.arm1.x);
  e.gap.y = (e.m2->origin.y + e.arm2.y) - (e.m1->origin.y + e.arm1.y);
  return e;
}

HN_INLINE hn_vec2 rate_of_gap(const ends *e) {
  hn_vec2 v = minus(e->m2->velocity, e->m1->velocity);
  v.x += -e->m2->w * e->arm2.y + e->m1->w * e->arm1.y;
  v.y += e->m2->w * e->arm2.x - e->m1->w * e->arm1.x;
  return v;
}

// The part of one body: lever from its node's origin to the end of body 2.
static void carry_up(const hn_relative_set *self, const hn_walk_step *walk, int place, double sign,
                     hn_vec2 axis, hn_vec2 lever) {
  const hn_plane *plane = self->plane;
  while (place >= 0) {
    const hn_walk_step *step = &walk[place];
    const hn_plane_node *node = &plane->nodes[step->node];
    const hn_plane_motion *m = &plane->motion[step->node];
    double *out = &self->j_values[step->entry];
    if (node->kind == HN_LINK_HINGE) *out = sign * node->sign * cross(lever, axis);
    if (node->kind == HN_LINK_SLIDE) *out = sign * dot(axis, m->along);
    lever.x += m->d.x;
    lever.y += m->d.y;
    place = step->up;
  }
}

static void evaluate_cut(hn_relative_set *self, int c, const ends *e, hn_vec2 rate,
                         hn_vec2 second) {
  const hn_walk_step *walk = &self->walks.steps[self->walks.start[c]];
  int i = self->walks.body_start[c];
  double w = e->m1->w;
  self->tau[c] =
      -(dot(e->axis, second) + 2 * w * cross(e->axis, rate) - w * w * dot(e->axis, e->gap));
  if (self->flat.cuts[c].node[0] >= 0) {
    hn_vec2 reach = {e->arm1.x + e->gap.x, e->arm1.y + e->gap.y};
    carry_up(self, walk, self->walks.body_place[i++], -1, e->axis, reach);
  }
  if (self->flat.cuts[c].node[1] >= 0)
    carry_up(self, walk, self->walks.body_place[i], 1, e->axis, e->arm2);
}

void hn_plane_carry_cuts(hn_relative_set *self) {
  self->factored.has_rows = 0;
  const hn_plane *plane = self->plane;
  for (int c = 0; c < self->cut_count; c++) {
    const hn_plane_cut *cut = &self->flat.cuts[c];
    if (self->base.redundant[self->cut_row[c]]) continue;
    ends e = find_ends(plane, cut);
    hn_vec2 second = minus(e.m2->bias, e.m1->bias);
    double square1 = e.m1->w * e.m1->w, square2 = e.m2->w * e.m2->w;
    second.x += square1 * e.arm1.x - square2 * e.arm2.x;
    second.y += square1 * e.arm1.y - square2 * e.arm2.y;
    evaluate_cut(self, c, &e, rate_of_gap(&e), second);
  }
}

double hn_plane_gaps(hn_relative_set *self, int is_rate) {
  for (int c = 0; c < self->cut_count; c++) {
    const hn_plane_cut *cut = &self->flat.cuts[c];
    self->gap[c] = 0;
    if (!cut->is_active) continue;
    ends e = find_ends(self->plane, cut);
    double value = dot(e.axis, e.gap);
    if (is_rate) value = dot(e.axis, rate_of_gap(&e)) + e.m1->w * cross(e.axis, e.gap);
    self->gap[c] = -value;
  }
  return hn_largest(self->gap, self->cut_count);
}

static double length(hn_vec2 a) { return sqrt(dot(a, a)); }

int hn_plane_has_loose_rows(hn_relative_set *self, const double *q) {
  int has_moved = 0;
  for (int c = 0; c < self->cut_count; c++) {
    const hn_plane_cut *cut = &self->flat.cuts[c];
    if (!cut->is_active || !self->base.redundant[self->cut_row[c]]) continue;
    if (!has_moved) hn_plane_move(self->plane, q, self->u, vec3_zero());
    has_moved = 1;
    ends e = find_ends(self->plane, cut);
    double rate = dot(e.axis, rate_of_gap(&e)) + e.m1->w * cross(e.axis, e.gap);
    double size = length(e.m1->velocity) + length(e.m2->velocity) + fabs(e.m1->w) * length(e.arm1) +
                  fabs(e.m2->w) * length(e.arm2);
    if (!(fabs(rate) <= HN_LOOSE_RATE * size)) return 1;
  }
  return 0;
}

static void find_sizes(hn_relative_set *self, hn_cut_set set) {
  (void)set; // redundant rows are never among them
  for (int c = 0; c < self->cut_count; c++) {
    const hn_plane_cut *cut = &self->flat.cuts[c];
    if (self->base.redundant[self->cut_row[c]]) continue;
    double by_mass = 0, by_length = 0;
    hn_vec2 axis = hn_plane_turned(motion_of(self->plane, cut->node[0])->r, cut->axis);
    for (int i = 0; i < 2; i++) {
      if (cut->node[i] < 0) continue;
      hn_vec2 r = motion_of(self->plane, cut->node[i])->r;
      double lever = cross(hn_plane_turned(r, cut->arm[i]), axis);
      double torque = lever * lever + cut->aside[i];
      by_mass += cut->mass[i] + torque * cut->inertia[i];
      by_length += 1 + torque / self->rotation;
    }
    self->judged.by_mass[c] = by_mass;
    self->judged.by_length[c] = by_length;
  }
}

// ---- the present motion in the plane ------------------------------------------------------------

static const hn_tree_wrench *applied(const hn_relative_set *self) {
  return self->has_applied ? self->applied : NULL;
}

static void inverse(hn_relative_set *self, const double *ud) {
  hn_plane_inverse(self->plane, ud, applied(self), self->b);
}

static int forward(hn_relative_set *self, const double *load) {
  return hn_plane_forward(self->plane, applied(self), load, self->x);
}

static void find_mass(hn_relative_set *self) { hn_plane_mass(self->plane, self->tree, self->mass); }

static void carry_end(hn_relative_set *self, const double *q, const hn_frame *frames) {
  (void)q;
  (void)frames;
  hn_plane_carry_cuts(self);
}

const hn_motion_kernels hn_motion_in_plane = {.is_flat = 1,
                                              .inverse = inverse,
                                              .forward = forward,
                                              .find_mass = find_mass,
                                              .find_sizes = find_sizes,
                                              .carry_end = carry_end};
