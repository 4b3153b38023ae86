// Shapes in a form for contact, and how the points of a pair are made.
//
// A shape is a *core* with a radius: a sphere is a point with a radius, a capsule a segment with one, a
// box its corners, edges and faces with none. Two cores face each other at their nearest points c1 and
// c2 = c1 + g n. How the nearest points move follows from two small matrices of each core at its point
// (`hn_form`): a step s along the core's own parameters turns its outward normal by A s and moves the
// point by B s. A plane has A = 0, B = 1; a point A = 1, B = 0 (every direction is a normal of it,
// and it does not move); a segment is a plane along itself and a point across; a circle of radius R
// is a point across and along itself turns by (outward part of the normal)/R. Then, for small
// motions of both bodies (dm: of the material at the core's point; rotations th; tangential parts)
//
//   A1 s1 + A2 s2               = (th2 - th1) x n
//   B2 s2 - (B1 + g A1) s1      = -(dm2 - dm1) + g th1 x n
//   dn = th1 x n + A1 s1,   dc1 = dm1 + B1 s1
//
// which holds for every pair of smooth pieces, and is all that the derivatives need.
#ifndef HN_CONTACT_GEOMETRY_H
#define HN_CONTACT_GEOMETRY_H

#include "contact/contact.h"

#define HN_CONTACT_PRISM 32          // sides of the prism that approximates a cylinder
#define HN_CONTACT_POLYHEDRON 0.0177 // of its radius: largest distance of a ball from the polyhedron
                                     // of 162 corners that approximates it

// In this order: of a pair the first kind is body 1's.
typedef enum hn_contact_kind {
  HN_KIND_PLANE,
  HN_KIND_HEIGHTS,
  HN_KIND_TRIANGLES,
  HN_KIND_CURVE,
  HN_KIND_HULL,
  HN_KIND_CYLINDER,
  HN_KIND_ELLIPSOID,
  HN_KIND_SEGMENT,
  HN_KIND_POINT,
  HN_KINDS
} hn_contact_kind;

// A convex polyhedron in the axes of its shape. Faces are plane polygons, counterclockwise from
// outside.
typedef struct hn_hull {
  int vertex_count, edge_count, face_count;
  hn_vec3 *vertices;
  int (*edges)[2];      // vertices
  int (*edge_faces)[2]; // the two adjacent faces
  hn_vec3 *normals;
  double *offsets; // normal . x = offset on the face
  int *start;      // of the corners of a face in `corners` (face_count + 1)
  int *corners;
} hn_hull;

struct hn_contact_shape {
  hn_contact_kind kind;
  int shape, body;              // of the model
  hn_vec3 at;                   // on the body, from its center of mass, body axes
  hn_mat3 axes;                 // against the body axes
  double radius;                // about the core; cylinder: of its core, the axis
  double half;                  // segment, cylinder: half its length along z
  hn_vec3 half_axes;            // ellipsoid
  double bound;                 // radius of a ball about its middle that holds it; HUGE_VAL: none
  const hn_hull *hull;          // hull; cylinder: a prism for pairs that have no form of their own;
                                // ellipsoid: a polyhedron for the same
  const struct hn_curve *curve; // curve
  const struct hn_surface *surface; // heights, triangles
};

// A shape where it is now.
typedef struct hn_placed {
  const hn_contact_shape *shape;
  hn_vec3 at;   // global
  hn_mat3 axes; // columns: its axes, global
} hn_placed;

static inline hn_placed hn_place(const hn_contact_shape *shape, const hn_frame *frame) {
  return (hn_placed){shape, vec3_add(frame->r, mat3_apply(frame->a, shape->at)),
                     mat3_multiply(frame->a, shape->axes)};
}
static inline hn_vec3 placed_point(const hn_placed *p, hn_vec3 x) {
  return vec3_add(p->at, mat3_apply(p->axes, x));
}
static inline hn_vec3 placed_local(const hn_placed *p, hn_vec3 x) {
  return mat3_apply_transposed(p->axes, vec3_sub(x, p->at));
}
static inline hn_vec3 placed_vector(const hn_placed *p, hn_vec3 x) {
  return mat3_apply(p->axes, x);
}

// ---- forms --------------------------------------------------------------------------------------

// A core at one of its points: A and B are diagonal along e and n x e.
typedef struct hn_form {
  hn_vec3 c; // global
  hn_vec3 e; // unit, perpendicular to the normal; null: any
  double a[2], b[2];
  double radius; // of the surface about the core
} hn_form;

static inline hn_form form_point(hn_vec3 c, double radius) {
  return (hn_form){c, {0, 0, 0}, {1, 1}, {0, 0}, radius};
}
static inline hn_form form_plane(hn_vec3 c) { return (hn_form){c, {0, 0, 0}, {0, 0}, {1, 1}, 0}; }
// Along e, a unit vector.
static inline hn_form form_line(hn_vec3 c, hn_vec3 e, double radius) {
  return (hn_form){c, e, {0, 1}, {1, 0}, radius};
}

// Data for the evaluation of a pair.
typedef struct hn_meeting {
  hn_placed first, second;
  const hn_frame *body1, *body2;
  hn_contact_want want;
  int count;
  hn_contact_point *points; // (HN_CONTACT_POINTS)
} hn_meeting;

// Adds the point where two cores face each other; the normal is unit, along c2 - c1 or against it,
// and perpendicular to both cores. Of more than HN_CONTACT_POINTS the nearest count; if more are in
// contact (within 1e-6 m), the nearest and those that stand furthest from each other.
void hn_meeting_add(hn_meeting *meeting, const hn_form *form1, const hn_form *form2, hn_vec3 normal,
                    int feature, int is_inside);
// The same where the normal is the direction from c1 to c2, or `otherwise` where they coincide.
void hn_meeting_add_near(hn_meeting *meeting, const hn_form *form1, const hn_form *form2,
                         hn_vec3 otherwise, int feature);

// ---- pairs --------------------------------------------------------------------------------------

// How two kinds meet: the number of modes, the one that holds, and its points.
typedef struct hn_meeting_type {
  int (*modes)(const hn_contact_shape *first, const hn_contact_shape *second);
  int (*mode)(const hn_placed *first, const hn_placed *second);
  void (*points)(hn_meeting *meeting, int mode);
  int varies; // points appear and vanish within one mode
} hn_meeting_type;

// Points of a pair in its present mode, places alone, of shapes that are placed.
int hn_contact_points_placed(const hn_contacts *contacts, const hn_contact_pair *pair,
                             const hn_placed *first, const hn_placed *second,
                             const hn_frame *frames, hn_contact_point points[HN_CONTACT_POINTS]);

// Null: the two kinds have no contact.
const hn_meeting_type *hn_meeting_of(hn_contact_kind first, hn_contact_kind second);

extern const hn_meeting_type hn_plane_point, hn_plane_segment, hn_plane_hull, hn_plane_cylinder;
extern const hn_meeting_type hn_point_point, hn_segment_point, hn_segment_segment;
extern const hn_meeting_type hn_hull_point, hn_hull_segment, hn_hull_hull, hn_cylinder_point;
extern const hn_meeting_type hn_curve_point_meeting, hn_plane_curve;
extern const hn_meeting_type hn_outlines, hn_hull_cylinder;
extern const hn_meeting_type hn_plane_ellipsoid, hn_hull_ellipsoid, hn_ellipsoid_ellipsoid;
extern const hn_meeting_type hn_ellipsoid_segment, hn_ellipsoid_point;
extern const hn_meeting_type hn_surface_point, hn_surface_segment, hn_surface_hull;
extern const hn_meeting_type hn_heights_point, hn_heights_segment, hn_heights_hull;

// Reason why a curve cannot collide with the other shape at these poses, or null: planes that are
// not parallel, an axis that does not stand across, a face with too many sides.
const char *hn_outline_refusal(const hn_placed *first, const hn_placed *second);
// Sine of the angle by which a curve and the other are tilted out of one plane; 0 for shapes that may
// tilt. *error: by how much places of contact are off.
double hn_outline_tilt(const hn_placed *first, const hn_placed *second, double *error);

// ---- making -------------------------------------------------------------------------------------

hn_status hn_contact_shape_make(hn_arena *arena, const hn_model *model, int shape,
                                hn_contact_shape *out, hn_error *error);
// The convex hull of points; HN_ERROR_MODEL when they lie in a plane.
hn_status hn_hull_make(hn_arena *arena, const hn_vec3 *points, int count, hn_hull **hull);

#endif
