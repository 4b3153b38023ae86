// Links of SDF: mass, shapes.
#include <math.h>
#include <string.h>

#include "formats/import/sdf.h"
#include "formats/import/solid.h"

// ---- shapes -------------------------------------------------------------------------------------

static hn_solid *read_mesh(hn_sdf *r, hn_link *link, hn_xml *shape) {
  hn_machine *m = r->machine;
  const char *why = NULL;
  hn_xml *uri = hn_xml_take(shape, "uri");
  const char *file = hn_import_find(m, shape, uri ? uri->text : NULL, &why);
  hn_vec3 scale = hn_sdf_vector(r, shape, "scale", vec3(1, 1, 1));
  hn_xml_mark_children(shape, "submesh", HN_FATE_HARMLESS,
                       "submesh ignored: the whole mesh is displayed");
  hn_xml_use(shape);
  if (!file) {
    hn_xml_mark(uri ? uri : shape, HN_FATE_HARMLESS, why);
    return NULL;
  }
  hn_solid *solid = hn_link_add_solid(m, link, HN_SOLID_MESH, shape);
  if (solid) hn_solid_take_mesh(m, solid, file, scale);
  return solid;
}

// A half space: it is endless, whatever size is drawn.
static hn_solid *read_plane(hn_sdf *r, hn_link *link, hn_xml *shape) {
  hn_solid *solid = hn_link_add_solid(r->machine, link, HN_SOLID_PLANE, shape);
  hn_xml_use(shape);
  hn_vec3 normal = hn_sdf_vector(r, shape, "normal", vec3(0, 0, 1));
  hn_xml *size = hn_xml_child(shape, "size");
  double edges[2];
  if (!solid) return NULL;
  solid->size = vec3(10, 0, 0);
  if (size && hn_numbers_some(r->machine, size, "size", size->text, 2, edges) == 2) {
    solid->size.x = edges[0] > edges[1] ? edges[0] : edges[1];
    hn_xml_use(size);
  }
  solid->pose.r = hn_rotation_z_to(normal);
  solid->is_drawn = vec3_norm(normal) > 0 && solid->size.x > 0;
  return solid;
}

static hn_solid *read_shape(hn_sdf *r, hn_link *link, hn_xml *shape) {
  static const struct {
    const char *word;
    hn_solid_kind kind;
  } kinds[] = {{"box", HN_SOLID_BOX},
               {"cylinder", HN_SOLID_CYLINDER},
               {"capsule", HN_SOLID_CAPSULE},
               {"sphere", HN_SOLID_SPHERE},
               {"ellipsoid", HN_SOLID_ELLIPSOID}};
  if (strcmp(shape->name, "mesh") == 0) return read_mesh(r, link, shape);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (strcmp(kinds[k].word, shape->name) != 0) continue;
    hn_solid *solid = hn_link_add_solid(r->machine, link, kinds[k].kind, shape);
    if (!solid) return NULL;
    hn_xml_use(shape);
    solid->size = hn_sdf_vector(r, shape, "size", vec3_zero());
    solid->radius = hn_sdf_number(r, shape, "radius", 0);
    solid->length = hn_sdf_number(r, shape, "length", 0);
    const int is_ellipsoid = solid->kind == HN_SOLID_ELLIPSOID;
    if (is_ellipsoid) solid->size = hn_sdf_vector(r, shape, "radii", vec3_zero());
    solid->is_drawn =
        solid->kind == HN_SOLID_BOX || is_ellipsoid
            ? solid->size.x > 0 && solid->size.y > 0 && solid->size.z > 0
            : solid->radius > 0 && (solid->kind == HN_SOLID_SPHERE || solid->length > 0);
    return solid;
  }
  hn_xml_mark_all(shape, HN_FATE_HARMLESS, "display omitted: unsupported shape");
  return NULL;
}

static hn_solid *read_touching(hn_sdf *r, hn_link *link, hn_xml *shape) {
  int is_plane = strcmp(shape->name, "plane") == 0;
  return is_plane ? read_plane(r, link, shape) : read_shape(r, link, shape);
}

// Where a visual or collision is on its link.
static hn_pose pose_on(hn_sdf *r, hn_sdf_scope *scope, const hn_link *link, hn_xml *node) {
  const char *relative_to;
  hn_pose pose = hn_sdf_pose(r, node, &relative_to);
  if (!relative_to) return pose;
  hn_pose base = hn_sdf_place(r, scope, relative_to, node), back = hn_pose_inverse(&link->pose);
  base = hn_pose_multiply(&base, &pose);
  return hn_pose_multiply(&back, &base);
}

static void read_color(hn_sdf *r, hn_xml *visual, hn_solid *solid) {
  hn_xml *material = hn_xml_take(visual, "material");
  hn_xml *color = material ? hn_xml_take(material, "diffuse") : NULL;
  double rgba[4];
  if (material && !color) color = hn_xml_take(material, "ambient");
  if (!color) return;
  if (hn_numbers_some(r->machine, color, "colour", color->text, 4, rgba) >= 3 && solid)
    solid->color = hn_color_of_parts(rgba);
}

static void read_visual(hn_sdf *r, hn_sdf_scope *scope, hn_link *link, hn_xml *node) {
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "name", HN_FATE_HARMLESS, "shapes have no names");
  hn_xml *geometry = hn_xml_take(node, "geometry");
  hn_solid *solid = geometry && geometry->first ? read_shape(r, link, geometry->first) : NULL;
  hn_pose pose = pose_on(r, scope, link, node);
  if (solid) solid->pose = pose;
  read_color(r, node, solid);
  hn_xml_mark_all(node, HN_FATE_HARMLESS, "only drawn");
}

// Of <surface><friction>, of ODE or Bullet; 1 where nothing is said.
static double friction_of(hn_sdf *r, hn_xml *node) {
  hn_xml *surface = hn_xml_child(node, "surface");
  hn_xml *friction = surface ? hn_xml_child(surface, "friction") : NULL;
  hn_xml *ode = friction ? hn_xml_child(friction, "ode") : NULL;
  hn_xml *bullet = friction ? hn_xml_child(friction, "bullet") : NULL;
  const char *word = ode && hn_xml_child(ode, "mu") ? "mu" : "friction";
  hn_xml *from = ode && hn_xml_child(ode, "mu") ? ode : bullet;
  if (!from || !hn_xml_child(from, word)) return 1;
  hn_xml_use(surface);
  hn_xml_use(friction);
  hn_xml_use(from);
  double mu = hn_sdf_number(r, from, word, 1);
  return mu > 0 ? mu : 0;
}

// Of <surface><friction><torsional>: 3 pi/16 times coefficient and radius of the patch (Gazebo).
static double torsion_of(hn_sdf *r, hn_xml *node) {
  hn_xml *surface = hn_xml_child(node, "surface");
  hn_xml *friction = surface ? hn_xml_child(surface, "friction") : NULL;
  hn_xml *torsional = friction ? hn_xml_child(friction, "torsional") : NULL;
  if (!torsional || !hn_xml_child(torsional, "patch_radius") ||
      !hn_sdf_is(torsional, "use_patch_radius", 1))
    return 0;
  hn_xml_use(surface);
  hn_xml_use(friction);
  hn_xml_use(torsional);
  const double mu = hn_sdf_number(r, torsional, "coefficient", 1);
  return fmax(0, 3 * HN_PI / 16 * mu * hn_sdf_number(r, torsional, "patch_radius", 0));
}

// Of <surface><bounce>; 0 where nothing is said.
static double restitution_of(hn_sdf *r, hn_xml *node) {
  hn_xml *surface = hn_xml_child(node, "surface");
  hn_xml *bounce = surface ? hn_xml_child(surface, "bounce") : NULL;
  if (!bounce || !hn_xml_child(bounce, "restitution_coefficient")) return 0;
  hn_xml_use(surface);
  hn_xml_use(bounce);
  const double number = hn_sdf_number(r, bounce, "restitution_coefficient", 0);
  return number > 0 ? fmin(number, 1) : 0;
}

// Of <surface><contact><ode>: kp and kd. Without kp: rigid.
static hn_softness softness_of(hn_sdf *r, hn_xml *node) {
  hn_softness soft = {.mix = 0};
  hn_xml *surface = hn_xml_child(node, "surface");
  hn_xml *contact = surface ? hn_xml_child(surface, "contact") : NULL;
  hn_xml *ode = contact ? hn_xml_child(contact, "ode") : NULL;
  if (!ode || !hn_xml_child(ode, "kp")) return soft;
  hn_xml_use(surface);
  hn_xml_use(contact);
  hn_xml_use(ode);
  const double stiffness = hn_sdf_number(r, ode, "kp", 0), damping = hn_sdf_number(r, ode, "kd", 0);
  static const char why[] = "rigid; with the parameter soft=1 a spring and damper";
  hn_xml_mark(hn_xml_child(ode, "kp"), HN_FATE_APPROXIMATED, why);
  if (hn_xml_child(ode, "kd")) hn_xml_mark(hn_xml_child(ode, "kd"), HN_FATE_APPROXIMATED, why);
  soft.compliance = stiffness > 0 ? 1 / stiffness : 0;
  soft.damping = fmax(damping, 0);
  return soft;
}

// Collision geometry, which is not drawn.
static void read_collision(hn_sdf *r, hn_sdf_scope *scope, hn_link *link, hn_xml *node) {
  hn_xml *geometry = hn_xml_take(node, "geometry");
  hn_solid *solid = geometry && geometry->first ? read_touching(r, link, geometry->first) : NULL;
  if (!solid || !solid->is_drawn) {
    const char *word = geometry && geometry->first ? geometry->first->name : "geometry";
    hn_xml_lose(node, "no contact: the mesh file is missing or the shape is not supported");
    hn_machine_note_silent(r->machine, link, word, "its file is missing or it is not supported");
    return;
  }
  hn_pose pose = pose_on(r, scope, link, node);
  pose.r = mat3_multiply(pose.r, solid->pose.r);
  hn_solid_hide(solid, pose, friction_of(r, node));
  solid->touch.restitution = restitution_of(r, node);
  solid->touch.soft = softness_of(r, node);
  solid->touch.torsion = torsion_of(r, node);
  if (solid->touch.torsion > 0) solid->touch.directions = 4;
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "name", HN_FATE_HARMLESS, "shapes have no names");
  hn_xml_mark_all(node, HN_FATE_LOST, HN_NO_COLLISION);
}

// ---- mass ---------------------------------------------------------------------------------------

static void read_inertia(hn_sdf *r, hn_link *link, hn_xml *node, hn_mat3 turn) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double inertia[6];
  for (int k = 0; k < 6; k++) inertia[k] = hn_sdf_number(r, node, names[k], k < 3);
  hn_inertia_turn(inertia, turn, link->inertia);
}

// Mass of a collision shape, in link axes.
static void add_shape(hn_sdf *r, hn_sdf_scope *scope, hn_link *link, hn_xml *node, double density,
                      hn_mass *sum) {
  hn_machine *m = r->machine;
  hn_link scratch = {.name = link->name};
  hn_pose pose = pose_on(r, scope, link, node);
  hn_xml *geometry = hn_xml_take(node, "geometry");
  hn_xml_use(node);
  const hn_solid *solid =
      geometry && geometry->first ? read_shape(r, &scratch, geometry->first) : NULL;
  if (!solid && hn_machine_ok(m))
    hn_machine_fail(m, node, hn_xml_element(m, node), "Give mass and inertia of the link.",
                    "defines the mass of its link (auto), but its shape is not supported");
  if (!solid || !hn_machine_ok(m)) return;
  hn_mesh_source source = {.path = solid->mesh, .scale = solid->size, .reference = hn_pose_none()};
  source.rule = HN_MESH_EXACT;
  hn_mass own = solid->mesh ? hn_mesh_mass_of(m, node, &source) : hn_solid_mass(solid),
          turned = own;
  density = hn_sdf_number(r, node, "density", density);
  hn_inertia_turn(own.inertia, pose.r, turned.inertia);
  turned.mass *= density;
  for (int k = 0; k < 6; k++) turned.inertia[k] *= density;
  turned.center = hn_pose_point(&pose, own.center);
  hn_mass_add(sum, &turned);
}

// Mass by the shapes of collisions (auto="true"); a mass that is given is that of all of them.
static void add_up(hn_sdf *r, hn_sdf_scope *scope, hn_link *link, hn_xml *node, hn_xml *inertial) {
  hn_mass sum = {0, {0, 0, 0}, {0}};
  double density = hn_sdf_number(r, inertial, "density", 1000);
  double given = hn_sdf_number(r, inertial, "mass", 0);
  for (hn_xml *c = hn_xml_child(node, "collision"); c; c = hn_xml_next(c, "collision"))
    if (hn_machine_ok(r->machine)) add_shape(r, scope, link, c, density, &sum);
  double factor = given > 0 && sum.mass > 0 ? given / sum.mass : 1;
  if (hn_machine_ok(r->machine) && !(sum.mass > 0))
    hn_machine_fail(r->machine, inertial, hn_machine_text(r->machine, "link '%s'", link->name),
                    "Give mass and inertia.", "computes its mass from collisions but has none");
  link->mass = factor * sum.mass;
  link->center = sum.center;
  for (int k = 0; k < 6; k++) link->inertia[k] = factor * sum.inertia[k];
  hn_xml_mark_all(inertial, HN_FATE_HARMLESS, "ignored: inertia is computed from the collisions");
}

static void read_mass(hn_sdf *r, hn_sdf_scope *scope, hn_link *link, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_xml *inertial = hn_xml_take(node, "inertial");
  const char *relative_to, *element = hn_machine_text(m, "link '%s'", link->name);
  const char *automatic = inertial ? hn_xml_get(inertial, "auto") : NULL;
  if (automatic && (strcmp(automatic, "true") == 0 || strcmp(automatic, "1") == 0)) {
    add_up(r, scope, link, node, inertial);
    return;
  }
  hn_pose pose = inertial ? hn_sdf_pose(r, inertial, &relative_to) : hn_pose_none();
  link->mass = hn_sdf_number(r, inertial, "mass", 1);
  link->center = pose.p;
  if (!(link->mass > 0))
    hn_machine_fail(m, hn_xml_child(inertial, "mass"), element, "Give the mass in kg.",
                    "has the mass %g; it must be positive", link->mass);
  read_inertia(r, link, hn_xml_take(inertial, "inertia"), pose.r);
}

// ---- links --------------------------------------------------------------------------------------

static void read_rest(hn_xml *child) {
  static const char *const harmless[] = {"self_collide", "must_be_base_link", "light", "projector"};
  if (strcmp(child->name, "sensor") == 0)
    hn_xml_mark_all(child, HN_FATE_LOST,
                    "not needed: signals of all joints and bodies are available");
  for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
    if (strcmp(child->name, harmless[k]) == 0)
      hn_xml_mark_all(child, HN_FATE_HARMLESS, "no effect without contact and light");
  int is_wind = strcmp(child->name, "enable_wind") == 0;
  if (is_wind || strcmp(child->name, "kinematic") == 0) {
    int is_on = strcmp(child->text, "true") == 0 || strcmp(child->text, "1") == 0;
    hn_xml_mark_all(child, is_on ? HN_FATE_LOST : HN_FATE_HARMLESS,
                    is_wind ? "wind is not supported"
                    : is_on ? "kinematic links are not supported: it moves by forces"
                            : "as usual");
  }
}

void hn_sdf_link(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame) {
  hn_link *link = frame->link;
  hn_xml *node = frame->node;
  hn_xml_use(node);
  link->pose = hn_sdf_where(r, frame);
  read_mass(r, scope, link, node);
  link->lift = hn_sdf_is(node, "gravity", 1) ? 0 : 1;
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    if (strcmp(child->name, "visual") == 0) read_visual(r, scope, link, child);
    if (strcmp(child->name, "collision") == 0) read_collision(r, scope, link, child);
    read_rest(child);
  }
  if (hn_xml_child(node, "visual")) hn_link_show(link);
}
