// Mass of meshes.
#ifndef HN_FORMATS_IMPORT_SOLID_H
#define HN_FORMATS_IMPORT_SOLID_H

#include "formats/import/machine.h"

// How triangles become a mass. Each makes a pyramid with the middle of all.
typedef enum hn_mesh_rule {
  HN_MESH_LEGACY, // signed pyramids, whichever way they face: exact for convex meshes
  HN_MESH_EXACT,  // those that face inwards are taken away: exact for closed meshes
  HN_MESH_CONVEX, // of the convex hull
  HN_MESH_SHELL   // of the triangles themselves, at a mass of 1 per area
} hn_mesh_rule;

typedef struct hn_mesh_source {
  const char *path; // of a file; null: points
  const hn_vec3 *points;
  int point_count;  // whose hull it is, where there are no faces
  const int *faces; // three points each
  int face_count;
  hn_vec3 scale;     // first
  hn_pose reference; // the frame it is seen from then
  hn_mesh_rule rule;
} hn_mesh_source;

// Volume, center and inertia at a density of 1.
hn_mass hn_mesh_mass_of(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source);

// The path of a copy of a mesh, scaled and turned: a file that is in memory until the model is written
// (machine->meshes). Points without faces give their hull. `name` is for its path.
const char *hn_mesh_copy(hn_machine *machine, const hn_xml *node, const hn_mesh_source *source,
                         const char *name);
// A file as the mesh of a solid; a copy if it is stretched or mirrored.
void hn_solid_take_mesh(hn_machine *machine, hn_solid *solid, const char *path, hn_vec3 scale);
// 1: a model can say the scale, so that no copy is needed.
static inline int hn_is_plain_scale(hn_vec3 s) { return s.x == s.y && s.x == s.z && s.x > 0; }

#endif
