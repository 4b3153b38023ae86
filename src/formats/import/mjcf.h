// Common declarations of the MJCF reader.
#ifndef HN_FORMATS_IMPORT_MJCF_H
#define HN_FORMATS_IMPORT_MJCF_H

#include "formats/import/machine.h"

#define HN_NO_CONTACT "contact is rigid, with sliding friction only"
// Parts of MuJoCo that a file may switch off.
#define HN_MJCF_NO_EQUALITY 1u
#define HN_MJCF_NO_FRICTION 2u
#define HN_MJCF_NO_LIMIT 4u
#define HN_MJCF_NO_SPRING 8u
#define HN_MJCF_NO_DAMPER 16u
#define HN_MJCF_NO_ACTUATION 32u
#define HN_MJCF_NO_CLAMP 64u
#define HN_MJCF_NO_CONTACT 128u
#define HN_SOFT_CONTACT "rigid; with the parameter soft=1 its meaning, but friction does not creep"
#define HN_SPINS "torsional and rolling friction have bounds of their own, apart from sliding"
#define HN_SOFTNESS "constraints are rigid: softness is ignored"

// A <default> of a class: a file may have several of the top class, one after the other.
typedef struct hn_mjcf_part hn_mjcf_part;
struct hn_mjcf_part {
  hn_xml *node;
  const hn_mjcf_part *before;
};

// A class of defaults: those of its own, the last first, and what it was given when it began.
typedef struct hn_mjcf_class hn_mjcf_class;
struct hn_mjcf_class {
  const char *name;
  const hn_mjcf_class *parent;
  const hn_mjcf_part *parts;
  const hn_mjcf_part *inherited; // of the parent
};

// A place that equalities, tendons and actuators may name.
typedef struct hn_mjcf_site {
  hn_link *link;
  hn_pose pose; // in the frame of the link
  const hn_link_marker *marker;
} hn_mjcf_site;

typedef struct hn_mjcf_wish hn_mjcf_wish; // results of the inertia of the whole model

typedef struct hn_mjcf {
  hn_machine *machine;
  double angle; // radians in a unit
  char eulerseq[4];
  int autolimits;
  int strips_paths;       // of names of files
  int inertia_from_geoms; // 0 no, 1 yes, 2 where a body has none
  int group_from, group_to;
  double least_mass, least_inertia, total_mass;
  int is_balanced;      // inertias that no body can have become even
  int fits_bounds;      // solids are fitted to the bounds of their meshes
  unsigned disabled;    // HN_MJCF_NO_ of <option><flag>
  int has_exact_meshes; // of files that say so for all
  const char *mesh_folder;
  hn_mjcf_class *top; // "main"
  hn_name_table *classes, *colors, *meshes, *sites, *tendons, *geoms;
  int body_count;     // seen so far, for bodies without a name
  const char *suffix; // of names within <replicate>
  int replica_count;
  hn_vec3 magnetic; // field of the world
  hn_mjcf_wish *wishes;
} hn_mjcf;

// An element with the class its attributes come from where it has none itself.
typedef struct hn_mjcf_item {
  hn_mjcf *reader;
  hn_xml *node;
  const hn_mjcf_class *class;
  const char *tag; // of the defaults
} hn_mjcf_item;

// Defaults (mjcf_default.c). childclass may be null.
void hn_mjcf_read_defaults(hn_mjcf *r, hn_xml *node);
hn_mjcf_item hn_mjcf_open(hn_mjcf *r, hn_xml *node, const char *tag,
                          const hn_mjcf_class *childclass);
const hn_mjcf_class *hn_mjcf_childclass(hn_mjcf *r, hn_xml *node, const hn_mjcf_class *usual);
// The value of an attribute, own or default, used from now on; null if not given.
const char *hn_mjcf_get(const hn_mjcf_item *item, const char *name);
// The same, and the element it is in; not marked.
hn_xml *hn_mjcf_where(const hn_mjcf_item *item, const char *name);
// Of several attributes the one that stands nearest, in the element or its classes; null: none does.
const char *hn_mjcf_nearest(const hn_mjcf_item *item, const char *const *names, int count);
double hn_mjcf_number(const hn_mjcf_item *item, const char *name, double other);
hn_vec3 hn_mjcf_vector(const hn_mjcf_item *item, const char *name, hn_vec3 other);
// At most `most` numbers; how many there are, 0 when the attribute is not there.
int hn_mjcf_numbers(const hn_mjcf_item *item, const char *name, int most, double *numbers);
int hn_mjcf_is(const hn_mjcf_item *item, const char *name, const char *word); // 0 when not there
void hn_mjcf_mark(const hn_mjcf_item *item, const char *name, hn_fate fate, const char *why);
// Attributes of a list, own and default, lost or harmless by the same reason.
// Softness of a constraint, from the attributes `reference` and `impedance`; why: how it counts.
void hn_mjcf_read_softness(const hn_mjcf_item *item, const char *reference, const char *impedance,
                           const char *why, hn_softness *soft);
void hn_mjcf_mark_list(const hn_mjcf_item *item, const char *names, hn_fate fate, const char *why);
// `limited` with `range`: whether limits hold.
int hn_mjcf_is_limited(const hn_mjcf_item *item, const char *limited, const char *range);
// Reports unused defaults.
void hn_mjcf_finish_defaults(hn_mjcf *r);

// Registers a thing under its name (null: it cannot be named). Duplicate names are rejected.
void hn_mjcf_know(hn_mjcf *r, hn_name_table *table, const char *name, hn_xml *node, void *thing);
// The name of an element, within <replicate> with its number; null: it has none.
const char *hn_mjcf_name(hn_mjcf *r, hn_xml *node);
hn_mat3 hn_mjcf_euler(const hn_mjcf *r, hn_vec3 e);

// pos and one of quat, axisangle, euler, xyaxes, zaxis (mjcf_pose.c).
hn_pose hn_mjcf_pose(const hn_mjcf_item *item);

// Includes become part of the tree (mjcf_include.c).
void hn_mjcf_expand(hn_mjcf *r);
void hn_mjcf_world(hn_mjcf *r, hn_xml *node); // mjcf_body.c
void hn_mjcf_joints(hn_mjcf *r, hn_link *link, hn_link *parent, hn_xml *body,
                    const hn_mjcf_class *childclass); // mjcf_joint.c
void hn_mjcf_asset(hn_mjcf *r, hn_xml *node);         // mjcf_geom.c
void hn_mjcf_geom(hn_mjcf *r, hn_link *link, hn_xml *node, const hn_pose *frame,
                  const hn_mjcf_class *childclass, hn_mass *sum, int gives_mass); // mjcf_geom.c
void hn_mjcf_equality(hn_mjcf *r, hn_xml *node);                                  // mjcf_equality.c
void hn_mjcf_tendon(hn_mjcf *r, hn_xml *node);                                    // mjcf_tendon.c
void hn_mjcf_actuator(hn_mjcf *r, hn_xml *node);                                  // mjcf_actuator.c
void hn_mjcf_limit_motors(hn_machine *m);        // by the ranges of their joints
int hn_mjcf_is_muscle(const hn_mjcf_item *item); // mjcf_muscle.c
// Its numbers; null, or why a model cannot have it.
const char *hn_mjcf_read_muscle(const hn_mjcf_item *item, hn_motor *motor);
// Springs by time constant and damping ratio, damping of actuators by ratio (mjcf_inertia.c): kept
// until the model is complete, then evaluated.
void hn_mjcf_wish_spring(const hn_mjcf_item *item, hn_link_joint *joint, double time, double ratio);
void hn_mjcf_wish_damping(hn_mjcf *r, hn_motor *motor, double ratio);
void hn_mjcf_wish_force(hn_mjcf *r, hn_motor *motor); // of a muscle, by the acceleration it gives
void hn_mjcf_grant(hn_mjcf *r);
// Takes an actuator out of the model again, with all that follows from it (mjcf_actuator.c).
void hn_mjcf_lose_motor(hn_machine *m, hn_motor *motor, const char *why);
void hn_mjcf_keyframe(hn_machine *m);           // the start by options->keyframe
void hn_mjcf_option(hn_mjcf *r, hn_xml *node);  // mjcf_option.c
void hn_mjcf_switch_off(hn_mjcf *r);            // what <flag> disables
void hn_mjcf_contact(hn_mjcf *r, hn_xml *node); // mjcf_contact.c
void hn_mjcf_sensor(hn_mjcf *r, hn_xml *node);  // mjcf_sensor.c
void hn_mjcf_rest(hn_xml *root);                // mjcf_rest.c

#endif
