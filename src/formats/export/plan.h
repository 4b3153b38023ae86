// A model in terms of other programs' formats: a tree of bodies with elementary joints between
// them, in the present position of a simulation. Writers (mjcf.c, urdf.c, sdf.c) write it as text.
//
//   plan.c        bodies, their poses, the import status of each element of the model
//   plan_wheels.c massless wheels that represent rotors and sums of coordinates
//   plan_tree.c   the tree: which joints are in it, which close loops
//   plan_slots.c  joints of the model as chains of hinges, slides and balls
//   plan_laws.c   laws of forces: straight ones, those of an input
#ifndef HN_FORMATS_EXPORT_PLAN_H
#define HN_FORMATS_EXPORT_PLAN_H

#include "holon/export.h"
#include "math/pose.h"
#include "model/model.h"

// ---- what became of the model -------------------------------------------------------------------

typedef enum hn_part_kind {
  HN_PART_GRAVITY,
  HN_PART_BODY,
  HN_PART_MARKER,
  HN_PART_SHAPE,
  HN_PART_JOINT,
  HN_PART_DRIVER,
  HN_PART_FORCE,
  HN_PART_INPUT,
  HN_PART_OUTPUT,
  HN_PART_ROAD,
  HN_PART_CONTACT,
  HN_PARTS
} hn_part_kind;

typedef struct hn_part_fate {
  int is_told;
  hn_import_fate fate;
  const char *why;
} hn_part_fate;

// ---- the tree -----------------------------------------------------------------------------------

typedef enum hn_slot_kind { HN_SLOT_HINGE, HN_SLOT_SLIDE, HN_SLOT_BALL, HN_SLOT_FREE } hn_slot_kind;

// An elementary joint of the tree, between a body and what carries it. Places and axes are global.
typedef struct hn_slot hn_slot;
struct hn_slot {
  hn_slot_kind kind;
  const char *name;
  int joint, coordinate; // of the model; -1: none of its own
  hn_vec3 at, axis;
  double value, rate;   // of the coordinate
  hn_vec3 linear, spin; // ball, free: of what it carries; the spin against what carries it
  double stiffness, load, damping, armature, friction; // tension load + stiffness x + damping v
  double lower, upper, limit_stiffness, limit_damping;
  int has_limits;
  double effort; // of its motor at most; 0: none
  hn_slot *next;
};

// A body, or a part of one that was cut to open a loop.
typedef struct hn_place hn_place;
struct hn_place {
  const char *name;
  int body;       // of the model
  int copies;     // of bodies: how many parts of it stand elsewhere
  hn_pose center; // of the body's frame at its center of mass
  hn_pose frame;  // of the link, at the joint that carries it
  hn_vec3 velocity, spin;
  double lift; // fraction of the weight that something else carries
  double mass; // that is written, with the inertia below
  double inertia[6];
  int is_wheel;   // represents a rotor or a sum: not written
  hn_place *into; // massless: its joints are on this one, the only one it carries
  hn_place *parent;
  int joint;       // in the tree; -1: none
  int is_reversed; // the joint's first body is this one
  hn_slot *slots, *last_slot;
  hn_place *first, *last, *next; // children
};

// A sum of coordinates represented by a massless wheel: offset + sum of factor * coordinate.
typedef struct hn_sum {
  int axle; // joint of the wheel
  int coupler;
  double offset;
  int is_rotor;
  int is_known;
} hn_sum;

typedef struct hn_term {
  hn_slot *slot;
  double factor;
} hn_term;

// A law as formats have it: least <= constant + of_x x + of_v v + of_u u <= most, u within lower,
// upper.
typedef struct hn_line_law {
  double constant, of_x, of_v, of_u;
  int input; // -1: none
  double lower, upper, least, most;
} hn_line_law;

typedef struct hn_plan {
  hn_arena *arena;
  hn_error *error;
  hn_simulation *simulation;
  const hn_model *model;
  hn_export_format format;
  double time, mass; // total
  hn_place *places;  // of bodies, by their numbers
  hn_place *cuts;    // ends of joints that open or close loops, a list by `into`
  hn_sum *sums;      // of joints, by their numbers: is_known where the joint is a wheel's
  unsigned char *in_tree, *is_used; // of joints: in the tree; something needs its coordinate
  hn_part_fate *parts[HN_PARTS];
  double *controls; // of actuators that were written, in their order
  int control_count, control_room;
} hn_plan;

const char *hn_plan_text(hn_plan *plan, const char *format, ...) HN_PRINTF(2, 3);
// Sets the import status of an element; the worst one counts, with its first reason.
void hn_plan_tell(hn_plan *plan, hn_part_kind kind, int index, hn_import_fate fate,
                  const char *why);
void hn_plan_tell_rest(hn_plan *plan); // reports the remaining elements
int hn_plan_part_count(const hn_plan *plan, hn_part_kind kind);
// The whole plan; HN_ERROR_MEMORY or what the model cannot be exported for.
hn_status hn_plan_make(hn_plan *plan);

hn_pose hn_plan_frame(const hn_plan *plan, const hn_frame_on_body *frame); // global
// Whether a force that is not on a joint has an end, or a part of its way, on the body.
int hn_plan_acts_on(const hn_plan *plan, int force, int body);
void hn_plan_wheels(hn_plan *plan);
void hn_plan_tree(hn_plan *plan);
// The chain of a joint, for the place that it carries, whose other end is on `from`.
void hn_plan_slots(hn_plan *plan, hn_place *place, const hn_place *from, int joint,
                   int is_reversed);
hn_slot *hn_plan_slot(const hn_plan *plan, int joint, int coordinate); // null: none in the tree
// Terms of a coordinate; for that of a wheel, the terms of the sum it represents. -1: not in the
// tree, or beyond the capacity. hn_plan_is_curved: whether a term of a coupler is a polynomial.
int hn_plan_is_curved(const hn_joint_def *coupler);
int hn_plan_terms(const hn_plan *plan, int joint, int coordinate, double factor, hn_term *terms,
                  int room, double *offset);
// The law of a measured force as an affine one. 0: it is not affine, and *why has the reason.
int hn_plan_law(hn_plan *plan, int force, hn_line_law *law, const char **why);
// The same of a law of time and inputs alone (component of a load).
int hn_plan_time_law(hn_plan *plan, const hn_law *given, hn_line_law *law, const char **why);
// Whether the axes of two frames are the same now.
int hn_plan_is_aligned(const hn_plan *plan, const hn_frame_on_body *a, const hn_frame_on_body *b);
// Springs, dampers, friction, stops on coordinates of slots: those that fit become attributes.
void hn_plan_forces(hn_plan *plan);

#endif
