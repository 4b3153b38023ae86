// Geoms of MJCF: shapes and masses; and the assets they name.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"
#include "formats/import/solid.h"
#include "linalg/rank.h"
#include "math/elementary.h"

// ---- assets -------------------------------------------------------------------------------------

typedef struct mesh_asset {
  hn_xml *node;
  hn_mesh_source source;
  const char *why; // without a file and points
  hn_mass mass;    // at a density of 1
  int is_measured;
  const char *name, *copy; // null: not made yet
} mesh_asset;

static const char *last_of(const char *file) {
  const char *from = strrchr(file, '/');
  return from ? from + 1 : file;
}

static const char *stem_of(hn_machine *m, const char *file) {
  const char *from = last_of(file);
  const char *dot = strrchr(from, '.');
  return hn_machine_text(m, "%.*s", dot ? (int)(dot - from) : (int)strlen(from), from);
}

static hn_mesh_rule rule_of(const hn_mjcf_item *item) {
  static const char *const words[] = {"legacy", "exact", "convex", "shell"};
  hn_machine *m = item->reader->machine;
  const char *word = hn_mjcf_get(item, "inertia");
  if (!word) return item->reader->has_exact_meshes ? HN_MESH_EXACT : HN_MESH_LEGACY;
  for (int k = 0; k < 4; k++)
    if (strcmp(words[k], word) == 0) return (hn_mesh_rule)k;
  hn_machine_fail(m, item->node, hn_xml_element(m, item->node),
                  "Use legacy, exact, convex or shell.", "has the invalid inertia '%s'", word);
  return HN_MESH_LEGACY;
}

// All numbers of an attribute; null if it is missing or not a list of numbers.
static double *list_of(const hn_mjcf_item *item, const char *name, int *count) {
  hn_machine *m = item->reader->machine;
  const char *text = hn_mjcf_get(item, name);
  int most = text ? (int)strlen(text) / 2 + 1 : 0;
  double *numbers = text ? HN_MACHINE_TAKE(m, double, most) : NULL;
  *count = numbers ? hn_numbers_some(m, item->node, name, text, most, numbers) : 0;
  return *count > 0 ? numbers : NULL;
}

// Points of the file itself: without faces they represent their hull.
static void read_points(const hn_mjcf_item *item, hn_mesh_source *source) {
  hn_machine *m = item->reader->machine;
  int count, corners;
  const double *numbers = list_of(item, "vertex", &count), *faces = list_of(item, "face", &corners);
  hn_vec3 *points = count >= 3 ? HN_MACHINE_TAKE(m, hn_vec3, count / 3) : NULL;
  for (int k = 0; points && k < count / 3; k++) points[k] = vec3_load(numbers + 3 * k);
  source->points = points;
  source->point_count = points ? count / 3 : 0;
  int *list = points && faces ? HN_MACHINE_TAKE(m, int, corners) : NULL;
  for (int k = 0; list && k < corners; k++) {
    if (!(faces[k] >= 0 && faces[k] < source->point_count)) {
      hn_machine_fail(m, item->node, hn_xml_element(m, item->node), "Use vertex indices from 0.",
                      "has a face with vertex %g, but only %d vertices", faces[k],
                      source->point_count);
      return;
    }
    list[k] = (int)faces[k];
  }
  source->faces = list;
  source->face_count = list ? corners / 3 : 0;
}

static void read_mesh(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = hn_mjcf_open(r, node, "mesh", NULL);
  const char *file = hn_mjcf_get(&item, "file"), *name = hn_xml_get(node, "name");
  mesh_asset *mesh = HN_MACHINE_TAKE(m, mesh_asset, 1);
  double quat[4] = {1, 0, 0, 0};
  if (!mesh) return;
  mesh->node = node;
  mesh->source.scale = hn_mjcf_vector(&item, "scale", vec3(1, 1, 1));
  mesh->source.reference.p = hn_mjcf_vector(&item, "refpos", vec3_zero());
  hn_mjcf_numbers(&item, "refquat", 4, quat);
  mesh->source.reference.r = quat_matrix(quat_unit(quat_load(quat)));
  mesh->source.rule = rule_of(&item);
  mesh->why = "no file is named";
  if (file && r->strips_paths) file = last_of(file);
  if (file)
    mesh->source.path = hn_import_find(
        m, m->root, *r->mesh_folder ? hn_machine_text(m, "%s/%s", r->mesh_folder, file) : file,
        &mesh->why);
  else
    read_points(&item, &mesh->source);
  if (file && !mesh->source.path) hn_mjcf_mark(&item, "file", HN_FATE_HARMLESS, mesh->why);
  if (!name && file) name = stem_of(m, file);
  mesh->name = name;
  hn_mjcf_know(r, r->meshes, name, node, mesh);
  hn_mjcf_mark_list(&item, "smoothnormal maxhullvert content_type octree_maxdepth material",
                    HN_FATE_HARMLESS, "rendering and collision settings of MuJoCo");
}

static void read_material(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = hn_mjcf_open(r, node, "material", NULL);
  const char *name = hn_xml_get(node, "name");
  double rgba[4] = {1, 1, 1, 1};
  int *color = HN_MACHINE_TAKE(m, int, 1);
  int count = hn_mjcf_numbers(&item, "rgba", 4, rgba);
  if (color && name && count >= 3) {
    *color = hn_color_of_parts(rgba);
    hn_table_add(m, r->colors, name, color);
  }
  for (int k = 0; k < node->attribute_count; k++)
    if (node->attributes[k].fate == HN_FATE_NONE)
      hn_xml_mark_attribute(node, node->attributes[k].name, HN_FATE_HARMLESS, "only drawn");
}

void hn_mjcf_asset(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    if (strcmp(child->name, "mesh") == 0)
      read_mesh(r, child);
    else if (strcmp(child->name, "material") == 0)
      read_material(r, child);
    else if (strcmp(child->name, "model") == 0)
      hn_xml_mark_all(child, HN_FATE_LOST, "its bodies need <attach>, which is not supported");
    else
      hn_xml_mark_all(child, HN_FATE_HARMLESS, "only drawn");
  }
}

// ---- kinds --------------------------------------------------------------------------------------

static hn_solid_kind kind_of(const hn_mjcf_item *item, int *is_known) {
  static const struct {
    const char *word;
    hn_solid_kind kind;
  } kinds[] = {{"sphere", HN_SOLID_SPHERE},
               {"capsule", HN_SOLID_CAPSULE},
               {"ellipsoid", HN_SOLID_ELLIPSOID},
               {"cylinder", HN_SOLID_CYLINDER},
               {"box", HN_SOLID_BOX},
               {"mesh", HN_SOLID_MESH},
               {"plane", HN_SOLID_PLANE}};
  const char *type = hn_mjcf_get(item, "type");
  *is_known = 1;
  if (!type) return HN_SOLID_SPHERE;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kinds[k].word, type) == 0) return kinds[k].kind;
  *is_known = 0;
  return HN_SOLID_SPHERE;
}

// Half sizes of the file to the sizes of a solid; ends of a line to a place.
static void read_size(const hn_mjcf_item *item, hn_solid *solid) {
  double size[3] = {0}, ends[6];
  hn_mjcf_numbers(item, "size", 3, size);
  if (hn_mjcf_numbers(item, "fromto", 6, ends) == 6) {
    hn_vec3 line = vec3_sub(vec3_load(ends), vec3_load(ends + 3));
    double half = vec3_norm(line) / 2;
    solid->pose.p = vec3_scale(0.5, vec3_add(vec3_load(ends), vec3_load(ends + 3)));
    solid->pose.r = hn_rotation_z_to(line);
    size[1] = half;
    if (solid->kind == HN_SOLID_BOX || solid->kind == HN_SOLID_ELLIPSOID) {
      size[1] = size[0];
      size[2] = half;
    }
  }
  solid->radius = size[0];
  solid->length = 2 * size[1];
  solid->size = vec3_load(size);
  if (solid->kind == HN_SOLID_BOX) solid->size = vec3_scale(2, solid->size);
}

static int has_size(const hn_solid *s) {
  switch (s->kind) {
  case HN_SOLID_SPHERE: return s->radius > 0;
  case HN_SOLID_CAPSULE:
  case HN_SOLID_CYLINDER: return s->radius > 0 && s->length > 0;
  case HN_SOLID_BOX:
  case HN_SOLID_ELLIPSOID: return s->size.x > 0 && s->size.y > 0 && s->size.z > 0;
  case HN_SOLID_MESH:
  case HN_SOLID_PLANE: break;
  }
  return 1;
}

// ---- mass ---------------------------------------------------------------------------------------

static mesh_asset *mesh_of(const hn_mjcf_item *item) {
  hn_mjcf *r = item->reader;
  const char *name = hn_mjcf_get(item, "mesh");
  mesh_asset *mesh = name ? hn_table_find(r->meshes, name) : NULL;
  if (!mesh)
    hn_machine_fail(r->machine, item->node, hn_xml_element(r->machine, item->node),
                    "Use a mesh defined in <asset>.",
                    "refers to the mesh '%s', which does not exist", name ? name : "");
  return mesh;
}

static hn_mass measure(hn_mjcf *r, const hn_mjcf_item *item, mesh_asset *mesh) {
  hn_machine *m = r->machine;
  if (!mesh->source.path && !mesh->source.point_count)
    hn_machine_fail(m, item->node, hn_xml_element(m, item->node),
                    "Put the mesh into the folder of the file, or give the body an <inertial>.",
                    "defines the mass of its body, but its mesh cannot be read: %s", mesh->why);
  if (!mesh->is_measured && hn_machine_ok(m))
    mesh->mass = hn_mesh_mass_of(m, mesh->node, &mesh->source);
  mesh->is_measured = 1;
  return mesh->mass;
}

static void add_mass(const hn_mjcf_item *item, const hn_solid *solid, mesh_asset *mesh,
                     hn_mass *sum) {
  hn_mjcf *r = item->reader;
  int has_mass = hn_mjcf_where(item, "mass") != NULL;
  double given = hn_mjcf_number(item, "mass", 0), density = hn_mjcf_number(item, "density", 1000);
  int group = hn_whole_of(hn_mjcf_number(item, "group", 0));
  if (has_mass) hn_mjcf_mark(item, "density", HN_FATE_HARMLESS, "the mass is given");
  if (solid->kind == HN_SOLID_PLANE || group < r->group_from || group > r->group_to) return;
  if (has_mass ? !(given > 0) : !(density > 0)) return;
  hn_mass own = mesh ? measure(r, item, mesh) : hn_solid_mass(solid), turned;
  if (hn_mjcf_is(item, "shellinertia", "true") && !hn_shell_mass(solid, &own))
    hn_mjcf_mark(item, "shellinertia", HN_FATE_LOST,
                 "for a mesh set inertia=\"shell\" of the mesh instead");
  if (!(own.mass > 0)) return;
  double factor = has_mass ? given / own.mass : density;
  turned = own;
  hn_inertia_turn(own.inertia, solid->pose.r, turned.inertia);
  turned.mass *= factor;
  for (int k = 0; k < 6; k++) turned.inertia[k] *= factor;
  turned.center = hn_pose_point(&solid->pose, own.center);
  hn_mass_add(sum, &turned);
}

// ---- solids fitted to a mesh ----------------------------------------------------------------------

static void take_sizes(hn_solid *solid, const double half[3]) {
  double radius = (half[0] + half[1]) / 2;
  solid->radius = solid->kind == HN_SOLID_SPHERE ? (half[0] + half[1] + half[2]) / 3 : radius;
  solid->length = 2 * half[2];
  if (solid->kind == HN_SOLID_CAPSULE) solid->length = 2 * fmax(0, half[2] - radius / 2);
  solid->size = vec3_load(half);
  if (solid->kind == HN_SOLID_BOX) solid->size = vec3_scale(2, solid->size);
}

// The box that has the inertia of the mesh, longest along z, gives the sizes: MuJoCo's rule.
static void fit(const hn_mjcf_item *item, hn_solid *solid, mesh_asset *mesh) {
  hn_mass own = measure(item->reader, item, mesh);
  const double *i = own.inertia;
  double axes[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}, p[3], work[9], half[3];
  double scale = hn_mjcf_number(item, "fitscale", 1);
  if (!(own.mass > 0) || hn_eigen_symmetric(axes, 3, p, work)) return;
  for (int k = 0; k < 3; k++) {
    double rest = p[0] + p[1] + p[2] - 2 * p[2 - k];
    half[k] = scale * sqrt(fmax(0, 6 * rest / own.mass)) / 2;
  }
  hn_pose box = {.p = own.center};
  for (int row = 0; row < 3; row++) {
    box.r.m[row][0] = axes[6 + row];
    box.r.m[row][1] = axes[3 + row];
  }
  hn_vec3 z = vec3_cross(mat3_column(box.r, 0), mat3_column(box.r, 1));
  for (int row = 0; row < 3; row++) box.r.m[row][2] = vec3_get(z, row);
  solid->pose = hn_pose_multiply(&solid->pose, &box);
  take_sizes(solid, half);
}

// 1: the solid is fitted to its mesh; the sizes of others are those of the file.
static int is_fitted(const hn_mjcf_item *item, hn_solid_kind kind) {
  return kind != HN_SOLID_MESH && kind != HN_SOLID_PLANE && hn_mjcf_where(item, "mesh") != NULL;
}

// Whether a solid can be fitted; where nothing depends on it, it may be left out.
static int can_fit(const hn_mjcf_item *item, const mesh_asset *mesh, int gives_mass) {
  hn_mjcf *r = item->reader;
  if (!mesh) return 0;
  if (!r->fits_bounds && (gives_mass || mesh->source.path || mesh->source.point_count)) return 1;
  if (gives_mass)
    hn_machine_fail(r->machine, item->node, hn_xml_element(r->machine, item->node),
                    "Set type=\"mesh\", or give its size.",
                    "is fitted to the bounds of a mesh (fitaabb), which is not supported");
  hn_xml_mark_all(item->node, HN_FATE_HARMLESS, "for display only, fitted to a mesh");
  return 0;
}

// ---- geoms --------------------------------------------------------------------------------------

static void color(const hn_mjcf_item *item, hn_solid *solid) {
  hn_mjcf *r = item->reader;
  const char *material = hn_mjcf_get(item, "material");
  const int *known = material ? hn_table_find(r->colors, material) : NULL;
  double rgba[4] = {0.5, 0.5, 0.5, 1};
  int count = hn_mjcf_numbers(item, "rgba", 4, rgba);
  if (count >= 3)
    solid->color = hn_color_of_parts(rgba);
  else if (known)
    solid->color = *known;
  if (count == 4 && !(rgba[3] > 0)) solid->is_drawn = 0;
}

// A mesh with one scale is seen from its reference pose; any other is copied.
static void draw_mesh(hn_machine *m, hn_solid *solid, mesh_asset *mesh) {
  const hn_mesh_source *source = &mesh->source;
  solid->is_drawn = source->path || source->point_count;
  if (!solid->is_drawn) return;
  if (source->path && hn_is_plain_scale(source->scale)) {
    hn_pose back = hn_pose_inverse(&source->reference);
    back.p = vec3_scale(source->scale.x, back.p);
    solid->mesh = source->path;
    solid->size = source->scale;
    solid->pose = hn_pose_multiply(&solid->pose, &back);
    return;
  }
  if (!mesh->copy) mesh->copy = hn_mesh_copy(m, mesh->node, source, mesh->name);
  solid->mesh = mesh->copy;
  solid->size = vec3(1, 1, 1);
}

static void draw(const hn_mjcf_item *item, hn_solid *solid, mesh_asset *mesh) {
  hn_xml *node = item->node;
  solid->is_drawn = has_size(solid);
  if (solid->kind == HN_SOLID_PLANE) {
    double x = solid->size.x > 0 ? 2 * solid->size.x : 10;
    double y = solid->size.y > 0 ? 2 * solid->size.y : 10;
    int touches = solid->touch.touches || solid->touch.is_touched;
    solid->kind = touches ? HN_SOLID_PLANE : HN_SOLID_BOX;
    solid->size = touches ? vec3(fmax(x, y), 0, 0) : vec3(x, y, 0.002);
    hn_xml_mark(node, HN_FATE_APPROXIMATED,
                touches ? "displayed as a plate" : "displayed as a thin plate");
  } else if (solid->kind == HN_SOLID_MESH) {
    draw_mesh(item->reader->machine, solid, mesh);
    if (!solid->is_drawn) hn_xml_mark(node, HN_FATE_APPROXIMATED, mesh->why);
  }
  solid->is_hidden = solid->is_drawn;
  color(item, solid);
}

static int bits_of(double number) { return number > 0 && number < 0x7fffffff ? (int)number : 0; }

static hn_touch touch_of(const hn_mjcf_item *item) {
  double friction[3] = {1, 0.005, 0.0001};
  hn_mjcf_numbers(item, "friction", 3, friction);
  hn_touch touch = {.touches = bits_of(hn_mjcf_number(item, "contype", 1)),
                    .is_touched = bits_of(hn_mjcf_number(item, "conaffinity", 1)),
                    .directions = hn_whole_of(hn_mjcf_number(item, "condim", 3)),
                    .priority = hn_whole_of(hn_mjcf_number(item, "priority", 0)),
                    .friction = friction[0] > 0 ? friction[0] : 0,
                    .torsion = friction[1],
                    .rolling = friction[2],
                    .soft = hn_mjcf_softness()};
  touch.soft.mix = fmax(0, hn_mjcf_number(item, "solmix", 1));
  hn_mjcf_read_softness(item, "solref", "solimp", HN_SOFT_CONTACT, &touch.soft);
  if (touch.directions > 3)
    hn_mjcf_mark(item, "condim", HN_FATE_APPROXIMATED, HN_SPINS);
  return touch;
}

static void mark_rest(const hn_mjcf_item *item) {
  hn_mjcf_mark_list(item, "margin gap", HN_FATE_LOST, HN_NO_CONTACT);
  hn_mjcf_mark_list(item, "fluidshape fluidcoef", HN_FATE_LOST, "fluid forces are not supported");
  hn_mjcf_mark_list(item, "user", HN_FATE_HARMLESS, "for other programs");
  hn_mjcf_mark(item, "group", HN_FATE_HARMLESS, "for drawing");
}

static const char *why_silent(const hn_solid *solid, const mesh_asset *mesh) {
  if (!mesh) return has_size(solid) ? "not supported" : "without size";
  return "its file cannot be read";
}

void hn_mjcf_geom(hn_mjcf *r, hn_link *link, hn_xml *node, const hn_pose *frame,
                  const hn_mjcf_class *class, hn_mass *sum, int gives_mass) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = hn_mjcf_open(r, node, "geom", class);
  int is_known;
  hn_solid_kind kind = kind_of(&item, &is_known);
  const char *name = hn_mjcf_name(r, node);
  hn_touch touch = touch_of(&item);
  mark_rest(&item);
  if (!is_known) {
    if (gives_mass)
      hn_machine_fail(m, node, hn_xml_element(m, node), "Give the body an <inertial>.",
                      "has the unsupported type '%s', so its mass is unknown",
                      hn_mjcf_get(&item, "type"));
    hn_xml_mark(node, HN_FATE_LOST, "the shape type is not supported");
    if (touch.touches || touch.is_touched)
      hn_machine_note_silent(m, link, hn_mjcf_get(&item, "type"), "not supported");
    return;
  }
  mesh_asset *mesh = kind == HN_SOLID_MESH ? mesh_of(&item) : NULL;
  mesh_asset *fitted = is_fitted(&item, kind) ? mesh_of(&item) : NULL;
  if (is_fitted(&item, kind) && !can_fit(&item, fitted, gives_mass)) return;
  hn_solid *solid = hn_link_add_solid(m, link, kind, node);
  if (!solid || !hn_machine_ok(m)) return;
  solid->touch = touch;
  hn_mjcf_know(r, r->geoms, name, node, solid);
  solid->pose = hn_mjcf_pose(&item);
  read_size(&item, solid);
  solid->pose = hn_pose_multiply(frame, &solid->pose);
  if (fitted) fit(&item, solid, fitted);
  if (gives_mass)
    add_mass(&item, solid, mesh, sum);
  else
    hn_mjcf_mark_list(&item, "mass density shellinertia", HN_FATE_HARMLESS,
                      "the mass of the body is given");
  draw(&item, solid, mesh);
  if ((touch.touches || touch.is_touched) && !solid->is_hidden)
    hn_machine_note_silent(m, link, hn_solid_word(kind), why_silent(solid, mesh));
}
