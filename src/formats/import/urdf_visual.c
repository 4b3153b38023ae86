// Visual and collision shapes of a URDF link.
#include <string.h>

#include "formats/import/solid.h"
#include "formats/import/urdf.h"

#define NOT_DRAWN "display omitted: "

// ---- colors ------------------------------------------------------------------------------------

static int *color_of(hn_machine *machine, hn_xml *material) {
  hn_xml *color = hn_xml_take(material, "color");
  const char *text = hn_xml_get(color, "rgba");
  double rgba[4];
  int *kept = text ? HN_MACHINE_TAKE(machine, int, 1) : NULL;
  if (!kept || !hn_numbers_of(machine, color, "rgba", text, 4, rgba)) return NULL;
  *kept = hn_color_of_parts(rgba);
  return kept;
}

static void read_material(hn_machine *machine, hn_xml *node, hn_name_table *colors) {
  const char *name = hn_xml_get(node, "name");
  int *color = color_of(machine, node);
  hn_xml_use(node);
  hn_xml_mark_children(node, "texture", HN_FATE_HARMLESS, NOT_DRAWN "textures");
  if (name && color && !hn_table_find(colors, name)) hn_table_add(machine, colors, name, color);
}

void hn_urdf_materials(hn_machine *machine, hn_name_table *colors) {
  hn_xml *root = machine->root;
  for (hn_xml *m = hn_xml_child(root, "material"); m; m = hn_xml_next(m, "material"))
    read_material(machine, m, colors);
}

// ---- shapes -------------------------------------------------------------------------------------

static hn_solid *read_geometry(hn_machine *machine, hn_link *link, hn_xml *geometry) {
  hn_xml *shape = geometry->first;
  hn_solid *solid = NULL;
  if (!shape) return NULL;
  if (strcmp(shape->name, "box") == 0) {
    solid = hn_link_add_solid(machine, link, HN_SOLID_BOX, shape);
    if (solid) solid->size = hn_xml_vector(machine, shape, "size", vec3(0, 0, 0));
    if (solid) solid->is_drawn = solid->size.x > 0 && solid->size.y > 0 && solid->size.z > 0;
  } else if (strcmp(shape->name, "sphere") == 0) {
    solid = hn_link_add_solid(machine, link, HN_SOLID_SPHERE, shape);
    if (solid) solid->radius = hn_xml_number(machine, shape, "radius", 0);
    if (solid) solid->is_drawn = solid->radius > 0;
  } else if (strcmp(shape->name, "cylinder") == 0 || strcmp(shape->name, "capsule") == 0) {
    int is_capsule = shape->name[1] == 'a';
    solid =
        hn_link_add_solid(machine, link, is_capsule ? HN_SOLID_CAPSULE : HN_SOLID_CYLINDER, shape);
    if (solid) solid->radius = hn_xml_number(machine, shape, "radius", 0);
    if (solid) solid->length = hn_xml_number(machine, shape, "length", 0);
    if (solid) solid->is_drawn = solid->radius > 0 && solid->length > 0;
  } else if (strcmp(shape->name, "mesh") == 0) {
    const char *why = NULL, *text = hn_xml_get(shape, "scale");
    double scale[3] = {1, 1, 1};
    const char *file = hn_import_find(machine, shape, hn_xml_get(shape, "filename"), &why);
    if (text) hn_numbers_of(machine, shape, "scale", text, 3, scale);
    hn_xml_use(shape);
    if (!file) {
      hn_xml_mark_attribute(shape, "filename", HN_FATE_HARMLESS, why);
      return NULL;
    }
    solid = hn_link_add_solid(machine, link, HN_SOLID_MESH, shape);
    if (solid) hn_solid_take_mesh(machine, solid, file, vec3_load(scale));
  } else {
    hn_xml_mark_all(shape, HN_FATE_HARMLESS, NOT_DRAWN "unsupported shape");
    return NULL;
  }
  if (solid && !solid->is_drawn)
    hn_xml_mark(shape, HN_FATE_HARMLESS, NOT_DRAWN "no size is given");
  else
    hn_xml_use(shape);
  return solid;
}

void hn_urdf_visual(hn_machine *machine, hn_link *link, hn_xml *node, hn_name_table *colors) {
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "name", HN_FATE_HARMLESS, "shapes have no names");
  hn_pose pose = hn_urdf_origin(machine, node);
  hn_xml *geometry = hn_xml_take(node, "geometry"), *material = hn_xml_child(node, "material");
  if (material) read_material(machine, material, colors);
  hn_solid *solid = geometry ? read_geometry(machine, link, geometry) : NULL;
  const int *color = material ? hn_table_find(colors, hn_xml_peek(material, "name")) : NULL;
  if (!solid) return;
  solid->pose = pose;
  if (color) solid->color = *color;
}

// Collision geometry, which is not drawn, with a friction that the format lacks.
void hn_urdf_collision(hn_machine *machine, hn_link *link, hn_xml *node) {
  hn_pose pose = hn_urdf_origin(machine, node);
  hn_xml *geometry = hn_xml_take(node, "geometry");
  hn_solid *solid = geometry ? read_geometry(machine, link, geometry) : NULL;
  if (!solid || !solid->is_drawn) {
    const char *word = geometry && geometry->first ? geometry->first->name : "geometry";
    hn_xml_lose(node, "no contact: the mesh file is missing or the shape is not supported");
    hn_machine_note_silent(machine, link, word, "its file is missing or it is not supported");
    return;
  }
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "name", HN_FATE_HARMLESS, "shapes have no names");
  hn_xml_mark_all(node, HN_FATE_LOST, HN_NO_COLLISION);
  hn_solid_hide(solid, pose, 1);
}
