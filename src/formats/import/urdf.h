// Common declarations of the URDF reader.
#ifndef HN_FORMATS_IMPORT_URDF_H
#define HN_FORMATS_IMPORT_URDF_H

#include "formats/import/machine.h"

// <origin xyz rpy> of an element.
hn_pose hn_urdf_origin(hn_machine *machine, hn_xml *node);
// Colors by name, before links are read.
void hn_urdf_materials(hn_machine *machine, hn_name_table *colors);
void hn_urdf_visual(hn_machine *machine, hn_link *link, hn_xml *node, hn_name_table *colors);
void hn_urdf_collision(hn_machine *machine, hn_link *link, hn_xml *node);
void hn_urdf_loop(hn_machine *machine, hn_xml *node);
void hn_urdf_joint(hn_machine *machine, hn_xml *node);
void hn_urdf_mimics(hn_machine *machine);

#endif
