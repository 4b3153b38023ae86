// A model as the readers of other formats describe it: links, joints, couplings, springs,
// actuators. Everything is in SI and drawn: places and directions are global, in the zero position.
//
// A reader fills it (urdf.c, sdf*.c, mjcf*.c), settle.c brings it into a form that a model can
// have, compose.c writes it as the tree of a model file.
//
// Failing is sticky, as in formats/loader.h: the first error is kept, and each reader ends by asking
// hn_machine_ok.
#ifndef HN_FORMATS_IMPORT_MACHINE_H
#define HN_FORMATS_IMPORT_MACHINE_H

#include "formats/import/xml.h"
#include "holon/import.h"
#include "holon/model.h"
#include "math/pose.h"

#define HN_MACHINE_TERMS 64 // of one coupling
#define HN_NO_COLLISION "contact is rigid, between supported shapes, with one friction coefficient"

// ---- links --------------------------------------------------------------------------------------

typedef enum hn_solid_kind {
  HN_SOLID_BOX,
  HN_SOLID_CYLINDER,
  HN_SOLID_CAPSULE,
  HN_SOLID_SPHERE,
  HN_SOLID_ELLIPSOID,
  HN_SOLID_MESH,
  HN_SOLID_PLANE
} hn_solid_kind;

// How constraints give way. By time constant and damping ratio, or in negative numbers stiffness and
// damping per mass (MJCF: solref, solimp); or by springs and dampers (SDF, URDF).
typedef struct hn_softness {
  double mix;          // weight in a mean
  double reference[2]; // 0: none
  double impedance[5];
  double compliance, damping; // 0: none
} hn_softness;
#define HN_UNDAMPED 1e-9 // 1/s: damping per mass instead of none

hn_softness hn_mjcf_softness(void);                       // defaults of MJCF
double hn_import_softness_time(const hn_softness *soft);  // time constant, s; 0: rigid
double hn_import_softness_ratio(const hn_softness *soft); // damping ratio

// Collision properties of a solid. For a pair, those of the higher priority apply, else the larger
// number of `directions` (1: smooth) and, in MJCF the larger, elsewhere the smaller friction.
typedef struct hn_touch {
  int touches, is_touched; // bits: it collides with solids whose second bits intersect its first
  int directions, priority;
  double friction;
  double torsion, rolling; // torques per normal force, with 4 and 6 directions, m
  double restitution;      // of a pair the smaller one
  int pair;                // > 0: named by a pair of its own
  hn_softness soft;
} hn_touch;
// Of a pair.
hn_touch hn_collision_of_two(const hn_touch *a, const hn_touch *b, int is_mjcf);

// The shape of a link, drawn or for its mass.
typedef struct hn_solid hn_solid;
struct hn_solid {
  hn_solid_kind kind;
  hn_xml *node;
  struct hn_link *link;
  hn_pose pose;          // in the frame of the link
  hn_vec3 size;          // box: edges; ellipsoid: half axes; mesh: scale
  double radius, length; // round ones; length of a capsule without its ends
  const char *mesh;      // path of the file
  int color;             // 0xrrggbb, or -1
  int is_drawn;
  int is_hidden;     // not drawn, only for collision
  hn_touch touch;    // how, where it does
  const char *group; // of contacts in the model; null: it does not collide
  hn_solid *next;
};

typedef struct hn_link_marker hn_link_marker;
struct hn_link_marker {
  const char *name, *id;
  hn_pose pose; // in the frame of the link
  hn_xml *node;
  hn_link_marker *next;
};

// The initial state of a link, if it differs from the reference configuration.
typedef struct hn_link_start {
  hn_pose pose;
  hn_vec3 velocity, spin; // of the origin of its frame; global
  int is_given;           // to be said of the body, and not by joints
} hn_link_start;

typedef struct hn_link hn_link;
struct hn_link {
  const char *name, *id; // as in the file; as in the model
  hn_xml *node;
  hn_pose pose; // reference configuration
  double mass;
  hn_vec3 center;      // in the frame of the link
  double inertia[6];   // about the center, in the axes of the link: xx yy zz xy xz yz
  double armature;     // of the ball joint that carries it
  double lift;         // fraction of its weight that something else carries
  int is_lift_passive; // ... as springs and dampers do
  int is_ground;       // the world itself
  int is_helper;       // made here, between two joints of one body
  hn_link *set;        // of links that hang together: one of them, or null
  hn_link *merged;     // into this one
  hn_solid *solids, *last_solid;
  hn_link_marker *markers;
  struct hn_link_joint *joint; // the one that carries it, or null
  int mark;                    // for searches
  hn_link_start *start;        // null: reference configuration
  hn_link *next;
};

// ---- joints -------------------------------------------------------------------------------------

typedef enum hn_link_joint_kind {
  HN_LINK_FIXED,
  HN_LINK_HINGE,
  HN_LINK_SLIDE,
  HN_LINK_BALL,
  HN_LINK_FREE,
  HN_LINK_PLANAR,
  HN_LINK_UNIVERSAL,
  HN_LINK_SCREW
} hn_link_joint_kind;

// Elements on one coordinate. Sources are null for those that are absent.
typedef struct hn_freedom {
  double reference; // value in the reference configuration
  double damping, stiffness, rest, armature, friction;
  double lower, upper;
  int has_limits, has_initial, has_initial_rate;
  double initial, initial_rate;
  double gap;       // where friction turns around; 0: chosen
  double inertia;   // felt by the coordinate in the reference configuration
  hn_softness stop; // of a limit
  int has_motor_range;
  double motor_least, motor_most; // of all its motors together
} hn_freedom;

typedef struct hn_link_joint hn_link_joint;
struct hn_link_joint {
  const char *name, *id;
  hn_xml *node;
  hn_link_joint_kind kind;
  hn_link *parent, *child;
  hn_vec3 at, axis, axis2, reference; // drawn, global; axes of length one
  hn_vec3 at2;                        // the point of the child, where it is another (loops)
  double pitch;                       // screw: m a turn, right-handed
  hn_freedom freedom[3]; // planar: x, y, angle; universal: angle, angle2; free: angular, linear
  hn_pose relative;      // weld: child as seen from parent, where has_relative
  hn_pose *frames;       // loop: on the two links; null: at, at2
  int has_relative;
  int is_loop; // closes a loop: no child hangs on it
  int is_made; // not in the file
  int is_locked;
  int number; // for tables
  hn_link_joint *next;
};

// ---- what else there is -------------------------------------------------------------------------

typedef struct hn_machine_term {
  hn_link_joint *joint;
  int freedom;
  double factor;
  double curve[3]; // of its second, third and fourth power; couplings only
} hn_machine_term;

// A sum of terms that is constant.
typedef struct hn_coupling hn_coupling;
struct hn_coupling {
  const char *name, *id;
  hn_xml *node;
  hn_machine_term *terms;
  int term_count;
  double constant;
  hn_coupling *next;
};

// An element of a tendon's path: a point, a sphere, a cylinder, a pulley.
typedef struct hn_tendon_part {
  hn_way_kind kind;
  hn_link *link;
  hn_vec3 at, axis; // drawn, global
  double radius, divisor;
  hn_link *side_link; // null: it passes on the shorter side
  hn_vec3 side;
} hn_tendon_part;

// A length with a spring: a sum of joint coordinates, or a way over points of links.
typedef struct hn_tendon hn_tendon;
struct hn_tendon {
  const char *name, *id;
  hn_xml *node;
  hn_machine_term *terms; // of a sum
  int term_count;
  hn_tendon_part *parts; // of a way
  int part_count;
  double stiffness, damping, lower, upper; // free of spring force between lower and upper
  double armature, friction;
  int has_limits;
  double least, most; // of its length
  double drawn;       // its length in the reference configuration
  int is_acted_on;    // an actuator pulls it
  int is_lost;        // the model cannot have it
  int is_tied;        // a tie needs its length as a coordinate
  double held;        // > 0: a way that keeps this length
  hn_xml *holder;     // ... by this equality
  const char *pulley; // the joint that is its length, in the model
  hn_tendon *next;
};

int hn_tendon_moves(const hn_tendon *t);       // a way over more than one link
int hn_tendon_is_straight(const hn_tendon *t); // from one point to another
int hn_tendon_is_round(const hn_tendon *t);    // it passes spheres or cylinders

// Two lengths of tendons, or one alone (b null): a = c0 + c1 b + ... c4 b^4.
typedef struct hn_tie hn_tie;
struct hn_tie {
  const char *name;
  hn_xml *node;
  hn_tendon *a, *b;
  double powers[5];
  hn_tie *next;
};

typedef enum hn_motor_dynamics {
  HN_MOTOR_DIRECT,     // the input itself
  HN_MOTOR_INTEGRATOR, // a state whose rate is the input
  HN_MOTOR_FILTER,     // one that follows the input
  HN_MOTOR_MUSCLE      // one that follows it faster up than down
} hn_motor_dynamics;

// A muscle: force = -most (length(L) speed(V) activation + passive(L)) (compose_muscle.c).
typedef struct hn_muscle {
  int is_active, is_passive; // it is the gain, the bias of its actuator
  double range[2];           // its length at both ends of its motion, in units of its best length
  double ends[2];            // those ends, of the length in gear
  double most, scale;        // force; below 0: scale over the acceleration it gives
  double shortest, longest;  // lengths without active force
  double speed;              // of shortening without force, lengths a second
  double stretched, lengthened; // forces, passive at `longest`, active while it gives way
  double up, down, smooth;      // times of its activation
  int is_quick;                 // both are 0: its activation is its input, from 0 to 1
} hn_muscle;

typedef enum hn_motor_kind { HN_MOTOR_JOINT, HN_MOTOR_TENDON, HN_MOTOR_POINT } hn_motor_kind;

// force = gear (gain * input + b0 + b1 x + b2 v), gain = g0 + g1 x + g2 v, with x the length in gear.
typedef struct hn_motor hn_motor;
struct hn_motor {
  const char *name, *id, *input;
  const char *force; // in the model; null: none
  hn_xml *node;
  hn_motor_kind kind;
  hn_link_joint *joint;
  int freedom;
  hn_tendon *tendon;
  hn_link *link; // point: six numbers of gear, in the axes of the pose
  hn_pose pose;  // on the link
  int is_ball;
  int is_global, is_turned_globally; // ... axes of its force, of its torque are of the world
  double gear[6];
  double gain[3], bias[3];
  hn_motor_dynamics dynamics;
  double time_constant; // of a filter
  hn_muscle *muscle;    // null: not a muscle
  double lower, upper;  // of the input
  double least, most;   // of the force
  int has_range, has_force_range;
  double start; // of the input
  hn_motor *next;
};

typedef enum hn_reading_kind {
  HN_READ_SIGNAL,       // `signal` itself
  HN_READ_COORDINATE,   // of a joint
  HN_READ_LENGTH,       // of a tendon
  HN_READ_MOTOR_LENGTH, // in gear
  HN_READ_MOTOR_FORCE,
  HN_READ_JOINT_MOTORS, // all motors of a joint together
  HN_READ_POSITION,
  HN_READ_QUATERNION,
  HN_READ_AXIS,
  HN_READ_VELOCITY,
  HN_READ_SPIN,
  HN_READ_ACCELERATION, // as an accelerometer shows it: less gravity
  HN_READ_SPIN_RATE,
  HN_READ_FIELD, // a constant vector of the world
  HN_READ_FORCE, // that carries the link, at the frame
  HN_READ_TORQUE,
  HN_READ_BALL_TURN,
  HN_READ_BALL_SPIN,
  HN_READ_TREE_CENTER, // of a link and all that hangs on it
  HN_READ_TREE_VELOCITY
} hn_reading_kind;

// A frame on a link. The marker moves with the link's content when links are merged.
typedef struct hn_reading_frame {
  const hn_link *link; // null: the world
  const hn_link_marker *marker;
} hn_reading_frame;

// A sensor: outputs of the model, one for each component (compose_sensors.c).
typedef struct hn_reading hn_reading;
struct hn_reading {
  const char *name, *signal;
  hn_xml *node;
  hn_reading_kind kind;
  const hn_link_joint *joint;
  const hn_tendon *tendon;
  const hn_motor *motor;
  hn_reading_frame at, from; // seen from; both the same: along its own axes
  int is_rate, axis;
  hn_vec3 field;
  double cutoff; // 0: none
  hn_reading *next;
};

// Two solids that collide whatever their bits say, or two links that do not.
typedef struct hn_touching_pair hn_touching_pair;
struct hn_touching_pair {
  const char *name;
  hn_xml *node;
  hn_solid *solid[2]; // null: links
  hn_link *link[2];
  hn_touch touch;
  hn_touching_pair *next;
};

// A file of triangles (OBJ) that belongs to the model and is in memory until it is written.
typedef struct hn_machine_mesh hn_machine_mesh;
struct hn_machine_mesh {
  const char *path, *text;
  const char *source; // of a copy: its file, and how it is scaled; null: none
  hn_vec3 scale;
  hn_machine_mesh *next;
};

// A joint that the geometry of two links suggests.
typedef struct hn_proposal hn_proposal;
struct hn_proposal {
  const char *name, *type, *why;
  const hn_link *link[2];
  hn_vec3 at, axis;
  hn_proposal *next;
};

typedef struct hn_name_table hn_name_table;

typedef struct hn_machine {
  hn_arena *arena;
  hn_error *error;
  hn_status status;
  const hn_import_options *options;
  const char *path; // of the file
  const char *format;
  const char *name;
  hn_vec3 gravity;
  hn_xml *gravity_node;
  double timestep;       // of the file, or usual for its format; 0: none
  hn_xml *timestep_node; // null: not given
  hn_xml *root;          // of the file; included ones are part of its tree
  hn_link ground;
  hn_link *links, *last_link;
  hn_link_joint *joints, *last_joint;
  hn_coupling *couplings, *last_coupling;
  hn_tendon *tendons, *last_tendon;
  hn_tie *ties;
  hn_motor *motors, *last_motor;
  hn_name_table *link_names, *joint_names, *link_ids, *joint_ids, *other_ids;
  hn_name_table *mesh_files;   // that were tried: what is wrong with them, or ""
  int link_count, joint_count; // as the file has them
  double mass;                 // of all links
  double density;              // > 0: of all masses, a parameter of the model
  hn_touching_pair *pairs;
  hn_reading *readings;
  hn_machine_mesh *meshes;
  hn_name_table *copy_names; // of them; null: none yet
  hn_proposal *proposals, *last_proposal;
  int silent_count;            // solids that should collide and cannot
  const char *silent;          // the first of them: "mesh of 'torso' (reason), ..."
  int has_start_inputs;        // of a keyframe: motors are on
  const char *unused_keyframe; // the first one, if none is chosen; null: none
  int overlap_count; // pairs of links that do not collide because they overlap at the start
} hn_machine;

static inline int hn_machine_ok(const hn_machine *machine) { return machine->status == HN_OK; }
// Tables and the ground of a model with its arena, options, path and root.
void hn_machine_prepare(hn_machine *machine);
// Keeps the first failure. `element` is "joint 'knee'".
hn_status hn_machine_fail(hn_machine *machine, const hn_xml *node, const char *element,
                          const char *hint, const char *format, ...) HN_PRINTF(5, 6);
// Memory, zeroed; a failure is kept.
void *hn_machine_take(hn_machine *machine, size_t count, size_t size);
const char *hn_machine_text(hn_machine *machine, const char *format, ...) HN_PRINTF(2, 3);
#define HN_MACHINE_TAKE(machine, type, count)                                                      \
  ((type *)hn_machine_take((machine), (size_t)(count), sizeof(type)))

// Tables of names.
hn_name_table *hn_table_create(hn_machine *machine);
void *hn_table_find(const hn_name_table *table, const char *name);
void hn_table_add(hn_machine *machine, hn_name_table *table, const char *name, void *value);
const char *hn_table_nearest(const hn_name_table *table, const char *name);
// A name that a model may have: other characters become underscores, a number makes it new.
const char *hn_table_legal(hn_machine *machine, hn_name_table *taken, const char *name,
                           const char *instead);

// New ones, at the end of their lists. A name that is there already is a failure. Null on failure.
hn_link *hn_machine_add_link(hn_machine *machine, const char *name, hn_xml *node);
hn_link_joint *hn_machine_add_joint(hn_machine *machine, const char *name, hn_link_joint_kind kind,
                                    hn_xml *node);
// Helpers and joints made here: the name is made new where it is taken.
hn_link *hn_machine_make_link(hn_machine *machine, const char *name, hn_xml *node);
hn_link_joint *hn_machine_make_joint(hn_machine *machine, const char *name, hn_link_joint_kind kind,
                                     hn_xml *node);
hn_coupling *hn_machine_add_coupling(hn_machine *machine, const char *name, hn_xml *node,
                                     int terms);
hn_tendon *hn_machine_add_tendon(hn_machine *machine, const char *name, hn_xml *node);
hn_motor *hn_machine_add_motor(hn_machine *machine, const char *name, hn_xml *node);
// The motor of a joint whose largest force is known: an input with the joint's name.
void hn_machine_add_effort(hn_machine *machine, hn_link_joint *joint, int freedom, double effort,
                           hn_xml *node);
hn_solid *hn_link_add_solid(hn_machine *machine, hn_link *link, hn_solid_kind kind, hn_xml *node);
// A collision shape of a link that the model cannot have, for the summary of runs.
void hn_machine_note_silent(hn_machine *machine, const hn_link *link, const char *what,
                            const char *why);
// One sentence about all of them; null without any.
const char *hn_machine_silent_text(hn_machine *machine);
// Makes a solid collide with all others without being drawn.
void hn_solid_hide(hn_solid *solid, hn_pose pose, double friction);
// Draws the collision geometry of a link of which nothing else is drawn (missing meshes).
void hn_link_show(hn_link *link);
hn_link_marker *hn_link_add_marker(hn_machine *machine, hn_link *link, const char *name,
                                   hn_pose pose, hn_xml *node);
// By the name in the file; an unknown one is a failure with the nearest known one.
hn_link *hn_machine_need_link(hn_machine *machine, const char *name, const hn_xml *node,
                              const char *element);
hn_link_joint *hn_machine_need_joint(hn_machine *machine, const char *name, const hn_xml *node,
                                     const char *element);

// ---- numbers ------------------------------------------------------------------------------------

// Exactly `count` finite numbers of a text; a failure names node and what. 0 on failure.
int hn_numbers_of(hn_machine *machine, const hn_xml *node, const char *what, const char *text,
                  int count, double *numbers);
// At most `most`; how many there are, or -1.
int hn_numbers_some(hn_machine *machine, const hn_xml *node, const char *what, const char *text,
                    int most, double *numbers);
// An attribute that is used from now on; `other` where it is not there.
double hn_xml_number(hn_machine *machine, hn_xml *node, const char *name, double other);
hn_vec3 hn_xml_vector(hn_machine *machine, hn_xml *node, const char *name, hn_vec3 other);
// The element as people call it: <joint> 'knee'.
const char *hn_xml_element(hn_machine *machine, const hn_xml *node);
hn_mat3 hn_rotation_rpy(double roll, double pitch, double yaw); // fixed axes x, y, z
hn_mat3 hn_rotation_z_to(hn_vec3 z);                            // the least turn that takes z there
int hn_whole_of(double number);                // cut off; the largest int where it is beyond
const char *hn_solid_word(hn_solid_kind kind); // "box"
int hn_color_of_parts(const double *rgb);      // numbers from 0 to 1

// ---- parts --------------------------------------------------------------------------------------

// The length of a path (tendon_way.c), with its parts and their sides moved by moves[2 k], moves[2
// k + 1] from the reference configuration (null: not moved), and its rate there for these
// velocities (at the parts' origins) and spins. 0 for a path with more parts than a tendon can
// have.
double hn_tendon_length(const hn_tendon *t, const hn_pose *moves);
double hn_tendon_rate(const hn_tendon *t, const hn_vec3 *velocities, const hn_vec3 *spins);

void hn_read_urdf(hn_machine *machine);
void hn_read_sdf(hn_machine *machine);
void hn_read_mjcf(hn_machine *machine);
// Brings the model into a form that Holon can have: merges massless links into their neighbors,
// locks joints that nothing determines.
void hn_machine_settle(hn_machine *machine);
// Keeps links that overlap in the reference configuration from colliding (overlaps.c).
void hn_machine_exclude_overlaps(hn_machine *machine);
// Inertias of coordinates that have limits (reference_mass.c).
void hn_machine_find_inertias(hn_machine *machine);
// Rejects links that form a cycle; joints are attached to their links already.
void hn_machine_check_tree(hn_machine *machine);
// The tree of a model file.
struct hn_node;
struct hn_node *hn_machine_compose(hn_machine *machine);
// Proposals as an overlay; null without any.
struct hn_node *hn_machine_proposals(hn_machine *machine);

// ---- mass ---------------------------------------------------------------------------------------

typedef struct hn_mass {
  double mass;
  hn_vec3 center;
  double inertia[6]; // about the center
} hn_mass;
// Inertia in axes turned by r: r I r'.
void hn_inertia_turn(const double inertia[6], hn_mat3 r, double turned[6]);
// Principal moments become at least so large, and, where asked, even where no body can have them.
void hn_inertia_bound(double inertia[6], double least, int is_balanced);
// a becomes a and b together, both in the same axes.
void hn_mass_add(hn_mass *a, const hn_mass *b);
// Volume and mass properties of a solid at a density of 1, in its own axes about its own center.
hn_mass hn_solid_mass(const hn_solid *solid);
// The same of its surface, at a mass of 1 per area; 0 where that is not known.
int hn_shell_mass(const hn_solid *solid, hn_mass *mass);
// A path relative to the folder of a file instead; unmodified if that is unknown.
const char *hn_import_seen_from(hn_machine *machine, const char *file, const char *path);
// The path of a name as seen from the file of a node, whether the file exists or not; null if it
// leads out of the model's folders, with the reason in *why.
const char *hn_import_path(hn_machine *machine, const hn_xml *node, const char *name,
                           const char **why);
// Where a mesh file is that can be read; null (and why) when it cannot, or must not be opened.
const char *hn_import_find(hn_machine *machine, const hn_xml *node, const char *name,
                           const char **why);

#endif
