// STEP assemblies (ISO 10303-21). OpenCASCADE, in a plugin and a process of its own, says what is in a
// file (plugins/step); here parts become bodies, and faces of neighbors joints that are proposed.
#ifndef HN_FORMATS_STEP_STEP_H
#define HN_FORMATS_STEP_STEP_H

#include "formats/import/machine.h"

#define HN_STEP_DENSITY 7850 // kg/m^3, unless given

typedef enum hn_step_face_kind {
  HN_STEP_CYLINDER,
  HN_STEP_PLANE,
  HN_STEP_SPHERE
} hn_step_face_kind;

// A candidate face for joints; in the frame of its product, or global in the reference
// configuration.
typedef struct hn_step_face {
  hn_step_face_kind kind;
  hn_vec3 at, axis;  // axis of a cylinder, outward normal of a plane
  double radius;     //
  double from, to;   // cylinder: along the axis from `at`
  double turn;       // cylinder: angle it goes round
  hn_vec3 low, high; // plane: box around it
  int is_hole;       // material around a cylinder or sphere
} hn_step_face;

typedef struct hn_step_product {
  const char *name;
  hn_xml *node;
  hn_mass mass; // at a density of 1
  int color, solids;
  const char *mesh; // path
  hn_step_face *faces;
  int face_count;
} hn_step_product;

// Whether the name of a file ends like one: .stp, .step.
int hn_step_knows(const char *path);
// Reads the model from its file; `text` is its content.
void hn_read_step(hn_machine *machine, const char *text, size_t size);

// step/entities.c: every entity of the file as an element of machine->root, with its import status.
void hn_step_entities(hn_machine *machine, const char *text, size_t size);
// step/plugin.c: what the plugin says of the file; null on failure, which is kept.
hn_xml *hn_step_ask(hn_machine *machine);
hn_xml *hn_step_understand(hn_machine *machine, const char *data, size_t size); // its bytes
// step/read.c: bodies, meshes and proposals of what it says.
void hn_step_build(hn_machine *machine, hn_xml *answer);
// step/faces.c
void hn_step_read_faces(hn_machine *machine, hn_xml *node, hn_step_product *product);
// Faces of a part at its place, added to those of a body.
typedef struct hn_step_body {
  hn_link *link;
  hn_step_face *faces; // global
  int count, room;
  hn_vec3 low, high; // box around all of them
} hn_step_body;
void hn_step_add_faces(hn_machine *machine, hn_step_body *body, const hn_step_product *product,
                       const hn_pose *pose);
// step/propose.c: joints between bodies whose faces fit, into machine->proposals.
void hn_step_propose(hn_machine *machine, const hn_step_body *bodies, int count);

#endif
