// Mass of mesh files.
#ifndef HN_FORMATS_IMPORT_SOLID_H
#define HN_FORMATS_IMPORT_SOLID_H

#include "formats/import/machine.h"

// Volume, centre and inertia at a density of 1 of the triangles of a file: stretched by scale, then seen
// from the frame `reference`. Triangles make pyramids with their common middle, each counted as it is,
// whichever way it faces: exact for convex meshes.
hn_mass hn_mesh_mass_of(hn_machine *machine, const hn_xml *node, const char *path, hn_vec3 scale,
                        const hn_pose *reference);

#endif
