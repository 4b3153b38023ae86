// Common declarations of the files that write an imported model as the tree of a model file.
#ifndef HN_FORMATS_IMPORT_COMPOSE_H
#define HN_FORMATS_IMPORT_COMPOSE_H

#include "formats/import/machine.h"
#include "formats/tree.h"

typedef struct hn_touch_kind hn_touch_kind; // compose_contacts.c

typedef struct hn_composer {
  hn_machine *machine;
  hn_arena *arena;
  hn_source place; // of what is being written
  hn_node *root, *inputs, *states, *bodies, *joints, *forces, *outputs, *contacts;
  hn_name_table *force_ids, *input_ids, *contact_ids;
  int has_passive, has_friction, has_limits, has_length_limits, has_length_friction, has_servos;
  int has_contact, has_self_contact, has_soft;
  double contact_friction; // NaN: several
  hn_touch_kind *kinds;
} hn_composer;

hn_node *hn_compose_map(hn_composer *c, hn_node *to, const char *key);
hn_node *hn_compose_list(hn_composer *c, hn_node *to, const char *key);
hn_node *hn_compose_text(hn_composer *c, hn_node *to, const char *key, const char *text);
hn_node *hn_compose_number(hn_composer *c, hn_node *to, const char *key, double number);
hn_node *hn_compose_numbers(hn_composer *c, hn_node *to, const char *key, const double *numbers,
                            int count);
hn_node *hn_compose_vector(hn_composer *c, hn_node *to, const char *key, hn_vec3 v);
// A named entry of a section, with the line of its source as comment.
hn_node *hn_compose_entry(hn_composer *c, hn_node *section, const char *id, const hn_xml *node);
// The id of a force that is not taken yet.
const char *hn_compose_force_id(hn_composer *c, const char *id, const char *ending);
// "angle", "displacement", ... of a degree of freedom of a joint; null if it has no name.
const char *hn_compose_coordinate(const hn_link_joint *joint, int freedom);
// `coordinate:` where a joint has more than one.
void hn_compose_which(hn_composer *c, hn_node *to, const hn_link_joint *joint, int freedom);

// 1: runs take the step of the file, by time stepping, where stops and friction of joints are exact.
int hn_compose_has_step(const hn_composer *c);
void hn_compose_choose_contacts(hn_composer *c); // before the bodies, whose shapes have groups
void hn_compose_contacts(hn_composer *c);
// The keys of softness relative to the inertia; off unless the parameter `soft` is 1.
void hn_compose_softness(hn_composer *c, hn_node *entry, const hn_softness *soft);
void hn_compose_bodies(hn_composer *c);
void hn_compose_joints(hn_composer *c);
void hn_compose_couplings(hn_composer *c);
void hn_compose_forces(hn_composer *c);
void hn_compose_reserve(hn_composer *c); // words that names of inputs cannot be
void hn_compose_tendons(hn_composer *c);
void hn_compose_motors(hn_composer *c);
void hn_compose_sensors(hn_composer *c); // last: they name what is there
// The force of a muscle of x and v (gear is that of the length), and how its activation changes.
const char *hn_compose_muscle(hn_composer *c, const hn_motor *motor, double gear,
                              const char *activation);
const char *hn_compose_activation(hn_composer *c, const hn_motor *motor, const char *input);
// compose_ways.c: a force along a way, without its law; its two points where it is straight; the
// pieces of one that leads around nothing, each measured by the length of a joint, and what of it
// never changes.
hn_node *hn_compose_way(hn_composer *c, const char *id, const hn_tendon *t, const hn_xml *node);
void hn_compose_two_points(hn_composer *c, hn_node *entry, const hn_tendon *t);
typedef struct hn_way_piece {
  const char *joint;
  double share, drawn;
} hn_way_piece;
int hn_compose_pieces(hn_composer *c, const hn_tendon *t, hn_way_piece *pieces, double *still);

#endif
