// Holon: the description of a model.
//
// A model is created empty, given bodies, joints, drivers and forces, and finished. Finishing checks
// everything; from then on the model is never written and may be shared by any number of
// simulations. Most users load one from a file instead (holon/load.h).
//
//   hn_model *model = NULL;
//   hn_model_create(NULL, &model);
//   hn_body_def bob = hn_default_body();
//   bob.name = "bob"; bob.mass = 1.0; bob.position = (hn_vec3){1, 0, 0};
//   int bob_id; hn_model_add_body(model, &bob, &bob_id);
//   hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
//   pin.name = "pin";
//   pin.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
//   pin.frame2 = hn_model_frame(model, bob_id, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
//   hn_model_add_joint(model, &pin, NULL);
//   hn_model_finish(model);
//
// SI units and radians everywhere. Names and arrays given in definitions are copied. Laws are
// handed over: the model frees them, also when the call fails.
#ifndef HOLON_MODEL_H
#define HOLON_MODEL_H

#include "holon/law.h"
#include "holon/options.h"
#include "holon/road.h"
#include "holon/types.h"
#include "holon/tyre.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_model hn_model;

// The body that never moves; other bodies are numbered from 1 in the order they are added.
#define HN_GROUND 0

HN_API hn_status hn_model_create(const hn_allocator *allocator, hn_model **model);
HN_API void hn_model_free(hn_model *model); // null is fine
// Error of the last failing call on this model.
HN_API const hn_error *hn_model_error(const hn_model *model);

// ---- bodies -------------------------------------------------------------------------------------

// How firmly an initial value is meant. Assembly keeps preferred values where they can hold, else
// moves them as little as possible; it never moves fixed ones.
typedef enum hn_firmness { HN_PREFERRED, HN_FIXED } hn_firmness;

// Initial values that are exact, not only estimates: bodies without them follow those with. A
// velocity that is not 0 is always exact.
enum {
  HN_GIVEN_POSITION = 1,
  HN_GIVEN_ORIENTATION = 2,
  HN_GIVEN_VELOCITY = 4,
  HN_GIVEN_ANGULAR_VELOCITY = 8
};

typedef struct hn_body_def {
  const char *name;
  hn_source source;
  int component;            // hn_model_add_component, 0: the model itself
  double mass;              // kg, > 0
  double inertia[6];        // kg m2 about the center of mass in body axes: xx yy zz xy xz yz
                            // (tensor entries: xy = -integral of x y dm)
  hn_vec3 position;         // of the center of mass, global, in the reference configuration (m)
  hn_quat orientation;      // of the body axes, in the reference configuration; normalized here
  hn_vec3 velocity;         // of the center of mass at the start, global axes
  hn_vec3 angular_velocity; // global axes
  hn_firmness position_firmness, velocity_firmness;
  int sealed; // 1: of a sealed component, 2: and not shown; set by the loader
  int given;  // sum of HN_GIVEN_*; 0: only the reference configuration
} hn_body_def;
HN_API hn_body_def hn_default_body(void); // 1 kg, unit inertia, at the origin, at rest
HN_API hn_status hn_model_add_body(hn_model *model, const hn_body_def *def, int *id);

// ---- frames on bodies ---------------------------------------------------------------------------

// A point of a body and three axes there: x, y, z are f, g, h of the equations; h is the joint axis.
typedef struct hn_frame_on_body {
  int body;
  hn_vec3 position;    // from the center of mass, body axes
  hn_quat orientation; // against the body axes
} hn_frame_on_body;

// The frame on the body that, in the reference configuration, has its origin at the global point
// (m) and its z axis along the global direction (x: any perpendicular, the same for equal
// directions).
HN_API hn_frame_on_body hn_model_frame(const hn_model *model, int body, hn_vec3 point,
                                       hn_vec3 axis);
// The same with z along axis and x along the part of reference perpendicular to it.
HN_API hn_frame_on_body hn_model_frame2(const hn_model *model, int body, hn_vec3 point,
                                        hn_vec3 axis, hn_vec3 reference);

typedef struct hn_marker_def {
  const char *name; // full name, "rod.tip"
  hn_source source;
  hn_frame_on_body frame;
} hn_marker_def;
// A named frame whose motion can be asked for: marker.<name>.position.x and so on.
HN_API hn_status hn_model_add_marker(hn_model *model, const hn_marker_def *def, int *id);

// ---- inputs -------------------------------------------------------------------------------------

// A named value that laws may use like a parameter, and that the caller sets while the simulation
// runs: a pedal, a steering angle, a current (hn_simulation_set_input, holon/realtime.h).
typedef struct hn_input_def {
  const char *name;
  hn_source source;
  double value;     // SI, until another is given
  const char *unit; // of SI, for readers; may be null
  double filter; // > 0: laws see what is given through a critically damped filter of second order
                 // with this time constant (s): continuous with its rate, fit for drivers
  const char *follows; // output from which it takes its value during a simulation; null: none
  double every;        // ... so often (s); 0: every 10 ms
} hn_input_def;
HN_API hn_input_def hn_default_input(void); // 0, no filter
HN_API hn_status hn_model_add_input(hn_model *model, const hn_input_def *def, int *id);
// A formula in the named variables and in the inputs added so far (hn_law_expression_of_inputs).
HN_API hn_status hn_model_law(const hn_model *model, const char *text, const char *const *variables,
                              int count, const hn_allocator *allocator, hn_law **law,
                              hn_error *error);
// A table that formulas of laws and outputs made after it call by its name: "map(x, v)".
HN_API hn_status hn_model_add_table(hn_model *model, const hn_table_def *def);
HN_API int hn_model_input_count(const hn_model *model);
HN_API const hn_input_def *hn_model_input(const hn_model *model, int id); // null past the end
HN_API int hn_model_find_input(const hn_model *model, const char *name);  // or -1
// A driver whose motion uses an input that has no filter, so that it cannot follow a value that jumps;
// -1: none.
HN_API int hn_model_input_unfiltered_driver(const hn_model *model, int id);

// ---- joints -------------------------------------------------------------------------------------

// type, name in files, rows it takes away (gear, rack-pinion and coupler join coordinates of joints)
#define HN_JOINT_LIST(X)                                                                           \
  X(HN_JOINT_REVOLUTE, "revolute", 5)                                                              \
  X(HN_JOINT_TRANSLATIONAL, "translational", 5)                                                    \
  X(HN_JOINT_CYLINDRICAL, "cylindrical", 4)                                                        \
  X(HN_JOINT_SPHERICAL, "spherical", 3)                                                            \
  X(HN_JOINT_UNIVERSAL, "universal", 4)                                                            \
  X(HN_JOINT_FIXED, "fixed", 6)                                                                    \
  X(HN_JOINT_PLANAR, "planar", 3)                                                                  \
  X(HN_JOINT_DISTANCE, "distance", 1)                                                              \
  X(HN_JOINT_POINT_ON_LINE, "point-on-line", 2)                                                    \
  X(HN_JOINT_POINT_IN_PLANE, "point-in-plane", 1)                                                  \
  X(HN_JOINT_PARALLEL, "parallel", 2)                                                              \
  X(HN_JOINT_PERPENDICULAR, "perpendicular", 1)                                                    \
  X(HN_JOINT_SCREW, "screw", 5)                                                                    \
  X(HN_JOINT_GEAR, "gear", 1)                                                                      \
  X(HN_JOINT_RACK_PINION, "rack-pinion", 1)                                                        \
  X(HN_JOINT_COUPLER, "coupler", 1)                                                                \
  X(HN_JOINT_CONSTANT_VELOCITY, "constant-velocity", 4)                                            \
  X(HN_JOINT_KNIFE_EDGE, "knife-edge", 0)                                                          \
  X(HN_JOINT_FREE, "free", 0)

typedef enum hn_joint_type {
#define HN_JOINT_ENUM(type, name, rows) type,
  HN_JOINT_LIST(HN_JOINT_ENUM)
#undef HN_JOINT_ENUM
      HN_JOINT_TYPES
} hn_joint_type;

// Coordinates of a joint: the second frame against the first.
//   angle         about h of frame 1 (revolute, cylindrical, screw, planar; universal: of the cross
//                 about h1), continuous over turns
//   angle2        universal: of body 2 against the cross about h2
//   displacement  along h of frame 1 (translational, cylindrical, screw, point-on-line)
//   x, y, z       along f, g, h of frame 1 (planar: x y; point-in-plane: x y; free: x y z)
//   length        distance between the two origins (distance, free)
#define HN_COORDINATE_LIST(X)                                                                      \
  X(HN_COORDINATE_ANGLE, "angle")                                                                  \
  X(HN_COORDINATE_ANGLE2, "angle2")                                                                \
  X(HN_COORDINATE_DISPLACEMENT, "displacement")                                                    \
  X(HN_COORDINATE_X, "x")                                                                          \
  X(HN_COORDINATE_Y, "y")                                                                          \
  X(HN_COORDINATE_Z, "z")                                                                          \
  X(HN_COORDINATE_LENGTH, "length")

typedef enum hn_coordinate {
#define HN_COORDINATE_ENUM(code, name) code,
  HN_COORDINATE_LIST(HN_COORDINATE_ENUM)
#undef HN_COORDINATE_ENUM
      HN_COORDINATES
} hn_coordinate;

HN_API const char *hn_joint_type_name(hn_joint_type type);
HN_API const char *hn_coordinate_name(hn_coordinate coordinate);
// 1 when it joins two bodies; 0 when it joins coordinates of joints (gear, rack-pinion, coupler).
HN_API int hn_joint_joins_bodies(hn_joint_type type);
// 1 if the type connects two bodies and removes a degree of freedom, so that it has a reaction.
HN_API int hn_joint_holds(hn_joint_type type);
// 1 when a joint of this type has this coordinate.
HN_API int hn_joint_has_coordinate(hn_joint_type type, hn_coordinate coordinate);

// One initial value of a joint coordinate.
typedef struct hn_joint_initial {
  int has_value, has_rate;
  double value, rate;
  hn_firmness firmness; // of both
} hn_joint_initial;

#define HN_COUPLED_JOINTS 4

typedef struct hn_joint_def {
  const char *name;
  hn_source source;
  int component;
  hn_joint_type type;
  hn_frame_on_body frame1, frame2; // not for gear, rack-pinion, coupler
                                   // universal: h1 and h2 are the two axes, perpendicular
                                   // point-on-line, point-in-plane: line, plane normal: h1
  double length;                   // distance: > 0 (m), or 0 for that of the reference
                                   // configuration
  double pitch;                    // screw: advance in a turn, m; > 0 right-handed
  int coupled[HN_COUPLED_JOINTS];  // gear: two joints with an angle; rack-pinion: one with an
  hn_coordinate coupled_coordinate[HN_COUPLED_JOINTS]; // angle, one with a displacement; coupler
  double coefficient[HN_COUPLED_JOINTS];               // sum coefficient * coordinate = constant
  double curve[HN_COUPLED_JOINTS][3]; // coupler: and of its square, its third and fourth power
  int coupled_count;
  double constant; // NaN takes the sum as bodies are given: default of gear and rack-pinion
  int cut;         // 1: never part of the tree of relative coordinates
  int is_opaque;   // 1: inside a sealed component, which keeps its equations; coordinates only
  hn_joint_initial initial[HN_COORDINATES];
} hn_joint_def;
HN_API hn_joint_def hn_default_joint(hn_joint_type type);
HN_API hn_status hn_model_add_joint(hn_model *model, const hn_joint_def *def, int *id);

// ---- drivers ------------------------------------------------------------------------------------

typedef enum hn_driver_kind {
  HN_DRIVER_JOINT,    // a joint coordinate follows the law
  HN_DRIVER_POINT,    // a component of a point's position in frame1 follows the law: coordinate
                      // X, Y or Z of frame2's origin along the axes of frame1
  HN_DRIVER_DISTANCE, // the distance of the two frames' origins follows the law
} hn_driver_kind;

typedef struct hn_driver_def {
  const char *name;
  hn_source source;
  int component;
  hn_driver_kind kind;
  int joint;
  hn_coordinate coordinate;
  hn_frame_on_body frame1, frame2;
  hn_law *law; // of time
} hn_driver_def;
HN_API hn_driver_def hn_default_driver(hn_driver_kind kind);
HN_API hn_status hn_model_add_driver(hn_model *model, const hn_driver_def *def, int *id);

// ---- roads --------------------------------------------------------------------------------------

typedef enum hn_road_kind {
  HN_ROAD_FLAT,          // z = height
  HN_ROAD_POLYLINE,      // straight between points (x increasing), level beyond the ends
  HN_ROAD_COSINE_BUMP,   // height/2 (1 - cos(2 pi (x - start)/length)) over start .. start + length
  HN_ROAD_HALF_CYLINDER, // of radius `radius` centered at start on the level
  HN_ROAD_TABLE,         // cubic spline through points, level beyond the ends
  HN_ROAD_SURFACE,       // a surface over x and y, for rolling tyres
} hn_road_kind;

// A height profile z(x), the same for every y. With a speed the profile moves along x:
// z(x, t) = profile(x - speed t).
typedef struct hn_road_def {
  const char *name;
  hn_source source;
  hn_road_kind kind;
  const double *x, *z; // polyline, table
  int count;
  double start, length, height, radius;
  double envelope; // half cylinder: > 0 makes it the path of the rim's lowest point of a rigid disc
                   // of this radius instead of the raw profile
  double speed;
  // For rolling tyres. The model takes the surface and frees it, whatever becomes of the road.
  hn_road_surface *surface; // of HN_ROAD_SURFACE
  double friction;          // factor to the friction of tyres (1)
  const hn_friction_patch *patches;
  int patch_count;
} hn_road_def;
HN_API hn_road_def hn_default_road(hn_road_kind kind);
HN_API hn_status hn_model_add_road(hn_model *model, const hn_road_def *def, int *id);

// ---- forces -------------------------------------------------------------------------------------

// Ends of a force: two frames; a joint's coordinate; either; one body, against ground.
typedef enum hn_force_ends {
  HN_ENDS_FRAMES,
  HN_ENDS_JOINT,
  HN_ENDS_EITHER,
  HN_ENDS_BODY
} hn_force_ends;

// type, name in files, what it acts between
#define HN_FORCE_LIST(X)                                                                           \
  X(HN_FORCE_SPRING_DAMPER, "spring-damper", HN_ENDS_FRAMES)                                       \
  X(HN_FORCE_JOINT_SPRING_DAMPER, "joint-spring-damper", HN_ENDS_JOINT)                            \
  X(HN_FORCE_ROTATIONAL_SPRING_DAMPER, "rotational-spring-damper", HN_ENDS_EITHER)                 \
  X(HN_FORCE_BUSHING, "bushing", HN_ENDS_FRAMES)                                                   \
  X(HN_FORCE_LEAF_SPRING, "leaf-spring", HN_ENDS_FRAMES)                                           \
  X(HN_FORCE_POINT_FORCE, "point-force", HN_ENDS_BODY)                                             \
  X(HN_FORCE_TORQUE, "torque", HN_ENDS_BODY)                                                       \
  X(HN_FORCE_JOINT_FRICTION, "joint-friction", HN_ENDS_JOINT)                                      \
  X(HN_FORCE_JOINT_STOP, "joint-stop", HN_ENDS_JOINT)                                              \
  X(HN_FORCE_TYRE, "tyre", HN_ENDS_BODY)                                                           \
  X(HN_FORCE_ROLLING_TYRE, "rolling-tyre", HN_ENDS_BODY)                                           \
  X(HN_FORCE_CONTACT, "contact", HN_ENDS_FRAMES)                                                   \
  X(HN_FORCE_USER, "user", HN_ENDS_FRAMES)                                                         \
  X(HN_FORCE_TENDON, "tendon", HN_ENDS_FRAMES)                                                     \
  X(HN_FORCE_COUPLING, "coupling", HN_ENDS_FRAMES) // made by hn_model_finish, last

typedef enum hn_force_type {
#define HN_FORCE_ENUM(type, name, ends) type,
  HN_FORCE_LIST(HN_FORCE_ENUM)
#undef HN_FORCE_ENUM
      HN_FORCE_TYPES
} hn_force_type;
HN_API hn_force_ends hn_force_acts_between(hn_force_type type);
HN_API const char *hn_force_type_name(hn_force_type type);

typedef enum hn_contact { HN_CONTACT_VERTICAL, HN_CONTACT_RADIAL } hn_contact;

// How a body moves, for user forces. Global axes.
typedef struct hn_body_motion {
  hn_vec3 position;         // of the center of mass
  hn_mat3 rotation;         // body axes to global
  hn_vec3 velocity;         // of the center of mass
  hn_vec3 angular_velocity; // global axes
} hn_body_motion;

// Force and torque about the center of mass, global axes.
typedef struct hn_wrench {
  hn_vec3 force, torque;
} hn_wrench;

// A force written by the user, between frame1.body and frame2.body (either may be ground).
// wrench[k] acts on body k. When d_pose is not null the user may fill the exact derivatives
//   d_pose[6 k + i][6 l + j]: component i of wrench k (force, torque) against a small motion j of
//   body l (translation, then rotation vector, global axes); d_velocity likewise against velocity
//   and angular velocity; d_time[6 k + i].
// They come zeroed. Return HN_OK, HN_RETRY to ask for a smaller step, or an error.
typedef struct hn_user_force {
  hn_status (*evaluate)(void *context, double time, const hn_body_motion body[2],
                        hn_wrench wrench[2], double d_pose[12][12], double d_velocity[12][12],
                        double d_time[12]);
  void *context;
  int has_derivatives; // 0: methods that need them say so
  int is_smooth; // 1: its author vouches that it has no narrow features: steps are not limited
} hn_user_force;

#define HN_FORCE_NUMBERS 8

// Elements of a tendon's path, in order. It starts and ends at points, and has one before and after
// every sphere, cylinder and pulley. Around a sphere or cylinder it takes the shortest path, or a
// straight line if that is free.
typedef enum hn_way_kind {
  HN_WAY_POINT,
  HN_WAY_SPHERE,   // around the origin of the frame
  HN_WAY_CYLINDER, // around its h, however long
  HN_WAY_PULLEY    // what follows counts, and pulls, as 1 / divisor of it
} hn_way_kind;
typedef struct hn_way {
  hn_way_kind kind;
  hn_frame_on_body frame;
  double radius; // sphere, cylinder
  int has_side;  // sphere, cylinder: the tendon passes on the side of this point, though the
  hn_frame_on_body side; // straight way be free; nearer to the center than the radius: inside
  double divisor;        // pulley
} hn_way;
#define HN_WAY_MOST 32 // of one tendon

typedef struct hn_force_def {
  const char *name;
  hn_source source;
  int component;
  hn_force_type type;
  hn_frame_on_body frame1, frame2; // spring-damper, bushing, leaf: both; point force, torque, tyre:
                                   // frame2 on the body (tyre: its center, h the spin axis)
  // leaf: along h1 between the origins; rotational spring: about h1
  int joint; // joint spring, friction, stop
  hn_coordinate coordinate;
  // Spring-damper family: tension (or torque on body 1 towards body 2) f(x, v, t), the sum of those
  // given; x is length (of a tendon all of it), angle, joint coordinate or leaf length, v its rate.
  hn_law *of_x, *of_v, *of_t, *of_xvt;
  double offset;                         // leaf: length = h1 . (origin1 - origin2) - offset
  double stiffness[6], damping[6];       // bushing: x y z rotations x y z; stop and tyre: [0]
  hn_law *component_law[3];              // point force, torque: of time; null is 0
  int following;                         // ... along body axes instead of global ones
  double magnitude, transition, viscous; // friction: magnitude tanh(v / transition) + viscous v
  double lower, upper;                   // stop: may be -HUGE_VAL, HUGE_VAL
  double radius;                         // tyre
  double number[HN_FORCE_NUMBERS];       // of forces that have no other place for theirs
  int road;                              // tyre: hn_model_add_road
  hn_contact contact;
  hn_tyre *
      tyre; // rolling tyre: the model takes it and frees it, whatever becomes of the force; radius,
            // damping[0] and transition (the speed below which slip is a damper) stand above
  hn_user_force user;
  int rule, shape1, shape2; // contact: made by hn_model_finish of contacts with a force law
  int coupled;              // coupling: the force whose law reads signals
  const hn_way *way;        // tendon: copied
  int way_count;
} hn_force_def;
HN_API hn_force_def hn_default_force(hn_force_type type);
HN_API hn_status hn_model_add_force(hn_model *model, const hn_force_def *def, int *id);

// ---- states --------------------------------------------------------------------------------------

// A number of the model's own, which laws use as state.NAME: z' = law, or, every so often, z = law. The
// law is a formula of t and of signals (hn_model_law).
typedef struct hn_state_def {
  const char *name;
  hn_source source;
  double initial;
  const char *unit;    // may be null
  double every;        // s; 0: the law is its rate
  const char *follows; // sampled: output, of any signals, instead of a law; null: none
  hn_law *law;         // may be given later (hn_model_set_state_law)
  int sensor;          // set by hn_model_add_state
  // set by hn_model_delay_state
  double delay;    // s; 0: none
  hn_law *delayed; // what it is late
  int helps;       // 1 + the delayed state that it belongs to; 0: none
  // sampled, of a program outside of the library: 1 + its number, and which of its outputs; 0: none
  int outside, outside_output;
} hn_state_def;
HN_API hn_status hn_model_add_state(hn_model *model, const hn_state_def *def, int *id);
HN_API hn_status hn_model_set_state_law(hn_model *model, int id, hn_law *law);
// The state is what `delayed`, a law as that of states, was `delay` seconds before, and `initial`
// before the start. Its own law, and the `order - 1` states behind it with theirs, approximate the
// delay by first-order equations, which linearizations and equilibria take.
HN_API hn_status hn_model_delay_state(hn_model *model, int id, double delay, int order,
                                      hn_law *delayed);
// A state without a law changes at events: where a condition becomes true (its law goes from 0 to
// another number), the state is set to a value. Both are laws of t; rules of one state, thirty
// at most, are tried in their order.
HN_API hn_status hn_model_add_state_rule(hn_model *model, int state, hn_law *when, hn_law *value);
HN_API int hn_model_state_count(const hn_model *model);
HN_API const hn_state_def *hn_model_state(const hn_model *model, int id); // null past the end
HN_API int hn_model_find_state(const hn_model *model, const char *name);  // or -1

HN_API hn_status hn_model_set_gravity(hn_model *model, hn_vec3 gravity); // default none

// ---- components, outputs, defaults ---------------------------------------------------------------

typedef struct hn_component_def {
  const char *name; // full, "front_left"
  hn_source source;
  int parent; // 0: the model itself
} hn_component_def;
HN_API hn_status hn_model_add_component(hn_model *model, const hn_component_def *def, int *id);

// A named quantity: any expression of signals, for instance "joint.crank.angle - pi/2".
typedef struct hn_output_def {
  const char *name;
  hn_source source;
  const char *expression;
  const char *unit; // may be null
} hn_output_def;
HN_API hn_status hn_model_add_output(hn_model *model, const hn_output_def *def);

// Defaults for a simulation from the model's author; 0 or null: not given.
typedef struct hn_simulation_defaults {
  double time, output_step;
  HN_MODEL_OPTION_LIST(HN_DEFAULT_MEMBER) // of holon/options.h; numbers that may be 0 with has_...
  int from_equilibrium;                   // start from static equilibrium
  hn_vec3 then_velocity;                  // ... then give every body this velocity
  int has_then_velocity;
  double
      speed; // at the start every body moves along x with it, and wheels with tyres of a model roll
  int has_speed;
} hn_simulation_defaults;
HN_API hn_status hn_model_set_defaults(hn_model *model, const hn_simulation_defaults *defaults);
HN_API const hn_simulation_defaults *hn_model_defaults(const hn_model *model);
HN_API hn_status hn_model_set_name(hn_model *model, const char *name);
HN_API hn_status hn_model_set_title(hn_model *model, const char *title); // one line for reports

// ---- finishing and asking -----------------------------------------------------------------------

// Checks everything that needs the whole model: references, duplicate names, masses, inertias,
// axes. Warnings are collected, not rejected; `strict` makes them errors.
HN_API hn_status hn_model_finish(hn_model *model);
HN_API hn_status hn_model_finish_strict(hn_model *model);

typedef struct hn_warning {
  char element[128];
  char message[512];
  int is_note; // 1: worth knowing, and no reason to doubt the results
} hn_warning;
HN_API int hn_model_warning_count(const hn_model *model);
HN_API const hn_warning *hn_model_warning(const hn_model *model, int index);
// The place of an element in its file, by what warnings and errors call it ("body 'rod'"): file, line
// and column, or no file. The text is the model's.
HN_API hn_source hn_model_source(const hn_model *model, const char *element);
// "model.yaml:5:3: warning: body 'rod' has ..." (or note:). Returns text.
HN_API const char *hn_warning_text(const hn_model *model, const hn_warning *warning, char *text,
                                   size_t size);
HN_API hn_status hn_model_add_warning(hn_model *model, const char *element, const char *message);

HN_API const char *hn_model_name(const hn_model *model);
HN_API const char *hn_model_title(const hn_model *model); // empty when none was given
HN_API int hn_model_body_count(const hn_model *model);    // without ground
HN_API int hn_model_joint_count(const hn_model *model);
HN_API int hn_model_driver_count(const hn_model *model);
HN_API int hn_model_force_count(const hn_model *model);
HN_API int hn_model_output_count(const hn_model *model);
HN_API const char *hn_model_body_name(const hn_model *model, int id);   // 0: "ground"
HN_API const char *hn_model_joint_name(const hn_model *model, int id);  // from 0
HN_API const char *hn_model_driver_name(const hn_model *model, int id); // from 0
// From 0. Behind the last one: the sealed component of a force that only it knows, as events name it.
HN_API const char *hn_model_force_name(const hn_model *model, int id);
HN_API const char *hn_model_output_name(const hn_model *model, int id); // from 0
HN_API hn_joint_type hn_model_joint_type(const hn_model *model, int id);
HN_API void hn_model_joint_bodies(const hn_model *model, int id, int bodies[2]);
// As users name it: a force along a joint coordinate that depends on time alone is a torque.
HN_API hn_force_type hn_model_force_type(const hn_model *model, int id);
// The bodies it acts between: of its frames, or of its joint.
HN_API void hn_model_force_bodies(const hn_model *model, int id, int bodies[2]);
// The id of what has this name, or -1.
HN_API int hn_model_find_body(const hn_model *model, const char *name);
HN_API int hn_model_find_joint(const hn_model *model, const char *name);
HN_API int hn_model_find_force(const hn_model *model, const char *name);
HN_API int hn_model_find_road(const hn_model *model, const char *name);
// A 64-bit hash of the whole description.
HN_API unsigned long long hn_model_hash(const hn_model *model);

#ifdef __cplusplus
}
#endif

#endif
