// Joints and their coordinates, as other elements refer to them.
#ifndef HN_FORMATS_JOINT_H
#define HN_FORMATS_JOINT_H

#include "formats/fields.h"
#include "formats/geometry.h"
#include "model/joint_types.h"

// The joint named at a key of the map; null on failure or when the key is not given.
hn_entry *hn_field_joint(hn_fields *fields, const char *key);
// A coordinate of a joint: the one named at `coordinate:`, or its only one (its only angle).
typedef enum hn_coordinate_wanted {
  HN_WANTED_ANY,
  HN_WANTED_ANGLE,
  HN_WANTED_OR_RATE
} hn_coordinate_wanted;
hn_coordinate hn_field_coordinate(hn_fields *fields, hn_entry *joint, hn_coordinate_wanted wanted);
// The same from a word, null for none.
hn_coordinate hn_coordinate_need(const hn_context *context, hn_entry *joint, const char *word,
                                 const hn_node *node, hn_coordinate_wanted wanted);
hn_joint_type hn_joint_type_of(hn_entry *joint); // HN_JOINT_TYPES when it is not known
// -1 where a mirrored joint measures the reverse of what was written: an axis along which a joint
// slides is mirrored like an arrow, so the angle about it changes its sign.
double hn_coordinate_sign(const hn_entry *joint, hn_coordinate coordinate);

// Two ends of a joint or force.
typedef struct hn_ends {
  hn_entry *body[2];
  hn_drawn_frame frame[2];
} hn_ends;
// `bodies: [a, b]`; 0 on failure.
int hn_field_bodies(hn_fields *fields, hn_ends *ends);
// `markers: [a.m, b.n]`: bodies and frames; 0 on failure.
int hn_field_markers(hn_fields *fields, hn_ends *ends);
// `points: [p, q]` into the origins; 0 on failure or when not given.
int hn_field_two_points(hn_fields *fields, const char *key, hn_ends *ends);
hn_vec3 hn_body_center(hn_entry *body); // of the body it represents, world, in the reference
                                        // configuration

#endif
