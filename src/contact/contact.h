// Contact: which shapes can collide, and where. Geometry only: no force, no time.
//
// 1. The model holds contacts (`hn_contact_def`, holon/contact.h; `model->contacts`): rules that name
//    two sets of shapes and the material between them.
// 2. `hn_contacts_create` makes of them, once: every shape that can collide in a form for computing
//    (`shapes`), and the pairs (`pairs`: two shapes, with the rule they come from), as long as there
//    are few. Where a rule has more than HN_CONTACT_PAIRS of them (a thousand balls) pairs are not
//    listed (`pairs_listed` 0); `hn_contacts_near` finds those that are near at any position, at a cost
//    that grows with their number.
// 3. A pair at a position has a *mode*: which smooth pieces of the two shapes face each other (which
//    face of a box, which edge, the end or the middle of a capsule). `hn_contact_mode` finds it.
//    Within one mode, `hn_contact_points` gives always the same number of points in the same order,
//    and each is a smooth function of the positions, also a little beyond where the mode holds:
//    like the branch of a force. A ball on a plane has one mode with one point, a box on a plane
//    one mode with eight (its corners). `feature` identifies points within a pair across modes (to
//    match contacts when the mode changes, and for warm starts).
// 4. A point has gap, normal, place, and the exact first derivatives of normal and place against small
//    motions of both bodies. From these follow, by `hn_contact_motion`, the rate and the acceleration of
//    the gap and of the slip, exactly:
//
//      u   = v2 + w2 x (c - r2) - v1 - w1 x (c - r1)       relative velocity of the material at c
//      g'  = n . u
//      u'  = J a + u_rest,  J a = a2 + alpha2 x (c - r2) - a1 - alpha1 x (c - r1)
//      g'' = n . J a + gap_rest,   gap_rest = n . u_rest + n' . u
//
//    A force F on body 2 at c has the wrenches J' F: (F, (c - r2) x F) on body 2, the opposite of
//    (F, (c - r1) x F) on body 1 (`hn_contact_wrench`). Sticking needs u = 0, u' = 0: rates of the
//    tangents do not enter.
//
// c is the middle between the two surfaces, so that action and reaction are equal also where there is
// a gap or a depth. Nothing here allocates after hn_contacts_create.
#ifndef HN_CONTACT_CONTACT_H
#define HN_CONTACT_CONTACT_H

#include "holon/contact.h"
#include "math/frame.h"
#include "model/model.h"

#define HN_CONTACT_POINTS 8     // of one pair at most
#define HN_CONTACT_PAIRS 100000 // that are listed at most
#define HN_CONTACT_APART (-1)   // a mode: further apart than asked for, no points

typedef struct hn_contact_shape hn_contact_shape; // geometry.h

typedef struct hn_contact_pair {
  int shape[2]; // of hn_contacts
  int body[2];  // HN_GROUND or a body that moves; body[0] is 1 of the equations
  int rule;     // model->contacts[rule]: restitution, friction, law
} hn_contact_pair;

// Branches of forces of contact: mode * HN_CONTACT_STATES + three states of each point.
#define HN_CONTACT_STATES 6561 // 3^8
// Largest number of modes; the rest share one, in which the pieces are searched each time.
#define HN_CONTACT_MODES 300000

// Pairs in which a cylinder stands as its prism.
typedef struct hn_contact_coarse {
  hn_contact_pair pair; // the one that is off most
  double error;         // by so much, m
  int count;            // of all of them; of kinds where pairs are not listed
} hn_contact_coarse;

typedef struct hn_contacts {
  const hn_model *model;
  int shape_count;
  hn_contact_shape *shapes;
  int *rule_first;  // first pair of each rule (contacts of the model + 1)
  int pairs_listed; // 0: too many, ask hn_contacts_near
  int pair_count;
  hn_contact_pair *pairs;
  int in_plane; // pairs that are right as long as they stay in a plane (hn_contact_tilt); or kinds
  hn_contact_coarse coarse;
} hn_contacts;

// pair_count 0 for a model without contacts.
hn_status hn_contacts_create(hn_arena *arena, const hn_model *model, hn_contacts **contacts,
                             hn_error *error);

// The rule that lets two shapes of hn_contacts collide (the first of them), or -1; and the pair of
// them.
int hn_contacts_rule(const hn_contacts *contacts, int shape1, int shape2);
hn_contact_pair hn_contact_pair_of(const hn_contacts *contacts, int shape1, int shape2, int rule);

// A scratch for hn_contacts_near that belongs to one simulation (it remembers the order of the shapes).
typedef struct hn_contact_sweep hn_contact_sweep;
hn_status hn_contact_sweep_create(hn_arena *arena, const hn_contacts *contacts, int pair_room,
                                  hn_contact_sweep **sweep);
hn_status hn_contact_sweep_extend(hn_arena *arena, int pair_room, hn_contact_sweep *sweep);
// Pairs that may be nearer than `reach`, and than the margins of their bodies together (bodies + ground;
// null: 0): by the balls that hold their shapes, then along the line of their middles. Sorted by (shape
// 1, shape 2). Returns how many there are; -1 when they are more than pair_room.
int hn_contacts_near(hn_contact_sweep *sweep, const hn_frame *frames, double reach,
                     const double *margin, const hn_contact_pair **pairs);
// The farthest that a body's shapes are from its center of mass; HUGE_VAL: planes among them.
double hn_contacts_extent(const hn_contacts *contacts, int body);

// Quantities needed of points; each value includes those before it. Rates cost a twelfth
// of derivatives.
typedef enum hn_contact_want {
  HN_CONTACT_PLACES,
  HN_CONTACT_RATES,
  HN_CONTACT_DERIVATIVES
} hn_contact_want;

typedef struct hn_contact_point {
  double gap;       // m, negative: depth
  hn_vec3 normal;   // unit, from body 1 to body 2
  hn_vec3 point;    // c, global: in the middle between the surfaces, point -/+ gap/2 normal on them
  int feature;      // identifies this point within its pair
  int is_inside;    // 0: the point lies outside the opposite face: no contact whatever its gap
  double radius[2]; // of curvature, for Hertz: of each surface; HUGE_VAL: flat, 0: edge or corner
  hn_vec3 normal_rate, point_rate; // with the velocities of the frames
  // Against small motions of the bodies: translation 1, rotation vector 1, translation 2, rotation
  // vector 2, global axes, rotations about the centers of mass.
  double normal_d[3][12], point_d[3][12];
} hn_contact_point;

// The mode that holds at these frames (indexed by body), or HN_CONTACT_APART when no point is nearer
// than reach.
int hn_contact_mode(const hn_contacts *contacts, const hn_contact_pair *pair,
                    const hn_frame *frames, double reach);
// How many modes there are: 0 .. modes - 1.
int hn_contact_modes(const hn_contacts *contacts, const hn_contact_pair *pair);
// 1 if points appear and vanish within one mode (two boxes): then only `feature` identifies them.
int hn_contact_varies(const hn_contacts *contacts, const hn_contact_pair *pair);
// 1 if a point passes from one piece of a surface to the next smoothly (curves).
int hn_contact_goes_on(const hn_contacts *contacts, const hn_contact_pair *pair);
// The points of a mode; returns their number, 0 for HN_CONTACT_APART. Fields that are not wanted are
// not filled.
int hn_contact_points(const hn_contacts *contacts, const hn_contact_pair *pair, int mode,
                      const hn_frame *frames, hn_contact_want want,
                      hn_contact_point points[HN_CONTACT_POINTS]);
// The points of a pair that hn_contacts_near has found, at the same frames, in its present mode; returns
// their number.
int hn_contact_points_near(const hn_contact_sweep *sweep, const hn_contact_pair *pair,
                           const hn_frame *frames, hn_contact_point points[HN_CONTACT_POINTS]);

// Tilt between the planes of a planar profile and of the shape it meets in its plane: sine of the
// angle, 0 for pairs that may tilt. *error: error of contact positions by it, m.
double hn_contact_tilt(const hn_contacts *contacts, const hn_contact_pair *pair,
                       const hn_frame *frames, double *error);

// How long a step may be so that no contact is jumped over: half the size of the smaller shape, and the
// distance between them, at the speed at which they move. HUGE_VAL: any.
double hn_contact_look_time(const hn_contacts *contacts, const hn_contact_pair *pair,
                            const hn_frame *frames);

// 1: by the bounding spheres of the shapes and their velocities, they do not meet within `duration`.
int hn_contact_is_far(const hn_contacts *contacts, const hn_contact_pair *pair,
                      const hn_frame *frames, double duration);

// 1: the middle of the second shape lies behind the nearest triangle of a mesh, where nothing holds it.
int hn_contact_is_behind(const hn_contacts *contacts, const hn_contact_pair *pair,
                         const hn_frame *frames);

// The shortest way through both shapes, one through the other. HUGE_VAL: one has no other side.
double hn_contact_thickness(const hn_contacts *contacts, const hn_contact_pair *pair);
// The same through one shape; 0: a surface or curve without a depth of its own.
double hn_contact_shape_thickness(const hn_contacts *contacts, int shape);

typedef struct hn_contact_motion {
  hn_vec3 u;       // velocity of body 2 against body 1 at the point
  double gap_rate; // n . u
  hn_vec3 slip;    // u without its normal part
  hn_vec3 u_rest;  // u' at zero accelerations
  double gap_rest; // g'' at zero accelerations
} hn_contact_motion;
// Needs the rates of the point, with the same velocities.
hn_contact_motion hn_contact_motion_of(const hn_contact_point *point, const hn_frame *body1,
                                       const hn_frame *body2);
// Two unit vectors so that (normal, t[0], t[1]) is right-handed.
void hn_contact_tangents(hn_vec3 normal, hn_vec3 t[2]);
// The wrenches of a force F on body 2 at the point: [0] on body 1, [1] on body 2.
void hn_contact_wrench(const hn_contact_point *point, const hn_frame *body1, const hn_frame *body2,
                       hn_vec3 force, hn_wrench wrench[2]);

#endif
