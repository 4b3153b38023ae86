// Builds a model from the plugin's output: products, the tree of assemblies, bodies.
#include "formats/step/step.h"

#include <math.h>
#include <string.h>

#include "formats/text_file.h"
#include "math/elementary.h"

typedef struct reader {
  hn_machine *machine;
  hn_step_product *products;
  int product_count;
  hn_step_body *bodies;
  int body_count;
  hn_name_table *meshes; // names of files
} reader;

int hn_step_knows(const char *path) {
  static const char *const endings[] = {".stp", ".step", ".STP", ".STEP"};
  size_t length = path ? strlen(path) : 0;
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    size_t n = strlen(endings[k]);
    if (length > n && strcmp(path + length - n, endings[k]) == 0) return 1;
  }
  return 0;
}

// ---- products -----------------------------------------------------------------------------------

static int color_of(hn_machine *machine, hn_xml *node) {
  const char *text = hn_xml_get(node, "color");
  double rgb[3];
  if (!text || !hn_numbers_of(machine, node, "color", text, 3, rgb)) return -1;
  return hn_color_of_parts(rgb);
}

// Shapes as OpenCASCADE calls them, where a product has no name.
static int is_nameless(const char *name) {
  static const char *const words[] = {"", "SOLID", "COMPOUND", "SHELL", "COMPSOLID", "FACE"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(name, words[k]) == 0) return 1;
  return 0;
}

static const char *stem_of(hn_machine *machine, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  return hn_machine_text(machine, "%.*s",
                         (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name)), name);
}

// The triangles of a product: a file next to the model, which is in memory until it is written.
static void keep_mesh(reader *r, hn_step_product *product, const char *name) {
  hn_machine *m = r->machine;
  const hn_xml *mesh = hn_xml_child(product->node, "mesh");
  if (!mesh || !*mesh->text) return;
  const char *file = m->options->output ? m->options->output : m->path;
  const char *id = hn_table_legal(m, r->meshes, name, "part");
  const char *relative = hn_machine_text(m, "%s-parts/%s.obj", stem_of(m, file), id);
  hn_machine_mesh *kept = HN_MACHINE_TAKE(m, hn_machine_mesh, 1);
  if (!kept) return;
  kept->path = hn_path_join(m->arena, file, relative);
  kept->text = mesh->text;
  kept->next = m->meshes;
  m->meshes = kept;
  product->mesh = kept->path;
}

// Rounding threshold of integrals.
static void clear_noise(hn_mass *mass) {
  const double least = 1e-12;
  double *i = mass->inertia, most = fmax(i[0], fmax(i[1], i[2])), size = hn_cbrt(mass->mass);
  for (int k = 3; k < 6; k++)
    if (fabs(i[k]) < least * most) i[k] = 0;
  if (fabs(mass->center.x) < least * size) mass->center.x = 0;
  if (fabs(mass->center.y) < least * size) mass->center.y = 0;
  if (fabs(mass->center.z) < least * size) mass->center.z = 0;
}

static void read_product(reader *r, hn_xml *node, hn_step_product *product) {
  hn_machine *m = r->machine;
  double numbers[6];
  const char *name = hn_xml_get(node, "name"), *text = hn_xml_get(node, "inertia");
  *product = (hn_step_product){.name = name ? name : "", .node = node};
  product->color = color_of(m, node);
  product->solids = (int)hn_xml_number(m, node, "solids", 0);
  product->mass.mass = hn_xml_number(m, node, "volume", 0);
  product->mass.center = hn_xml_vector(m, node, "center", vec3_zero());
  if (text && hn_numbers_of(m, node, "inertia", text, 6, numbers))
    memcpy(product->mass.inertia, numbers, sizeof numbers);
  clear_noise(&product->mass);
  hn_step_read_faces(m, node, product);
}

static void read_products(reader *r, const hn_xml *root) {
  int count = 0;
  for (hn_xml *node = hn_xml_child(root, "product"); node; node = hn_xml_next(node, "product"))
    count++;
  r->products = HN_MACHINE_TAKE(r->machine, hn_step_product, count);
  for (hn_xml *node = hn_xml_child(root, "product"); node && hn_machine_ok(r->machine);
       node = hn_xml_next(node, "product")) {
    read_product(r, node, &r->products[r->product_count++]);
  }
}

// ---- bodies -------------------------------------------------------------------------------------

static hn_pose pose_of(hn_machine *machine, hn_xml *node) {
  hn_pose pose = hn_pose_none();
  const char *text = hn_xml_get(node, "pose");
  double n[12];
  if (!text || !hn_numbers_of(machine, node, "pose", text, 12, n)) return pose;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) pose.r.m[i][j] = n[3 * i + j];
  pose.r = quat_matrix(quat_unit(quat_from_matrix(pose.r)));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) // quarter turns stay exact
      if (n[3 * i + j] == 0 || n[3 * i + j] == 1 || n[3 * i + j] == -1)
        pose.r.m[i][j] = n[3 * i + j];
  pose.p = vec3_load(n + 9);
  return pose;
}

// The entity PRODUCT of this name: its line is that of the body.
static hn_xml *entity_of(hn_machine *machine, const char *name) {
  for (hn_xml *at = hn_xml_child(machine->root, "PRODUCT"); at; at = hn_xml_next(at, "PRODUCT"))
    if (strcmp(at->text, name) == 0) return at;
  return machine->root;
}

static hn_step_body *new_body(reader *r, const char *name, hn_pose pose) {
  hn_machine *m = r->machine;
  hn_link *link = hn_machine_make_link(m, name, entity_of(m, name));
  if (!link) return NULL;
  link->pose = pose;
  m->link_count++;
  hn_step_body *body = &r->bodies[r->body_count++];
  *body = (hn_step_body){.link = link};
  return body;
}

// Mass and looks of a part join its body.
static void add_part(reader *r, hn_step_body *body, hn_xml *node, const hn_step_product *product,
                     const hn_pose *pose, const hn_pose *on) {
  hn_machine *m = r->machine;
  hn_link *link = body->link;
  hn_mass own = product->mass, sum = {link->mass, link->center, {0}};
  double density = m->density;
  own.center = hn_pose_point(on, own.center);
  hn_inertia_turn(product->mass.inertia, on->r, own.inertia);
  own.mass *= density;
  for (int k = 0; k < 6; k++) own.inertia[k] *= density;
  memcpy(sum.inertia, link->inertia, sizeof sum.inertia);
  if (link->mass > 0)
    hn_mass_add(&sum, &own);
  else
    sum = own;
  link->mass = sum.mass;
  link->center = sum.center;
  memcpy(link->inertia, sum.inertia, sizeof sum.inertia);
  hn_step_add_faces(m, body, product, pose);
  if (!product->mesh) return;
  hn_solid *solid = hn_link_add_solid(m, link, HN_SOLID_MESH, link->node);
  int color = color_of(m, node);
  if (!solid) return;
  solid->pose = *on;
  solid->size = vec3(1, 1, 1);
  solid->mesh = product->mesh;
  solid->color = color >= 0 ? color : product->color;
  solid->is_drawn = 1;
}

static hn_step_product *product_of(reader *r, hn_xml *node) {
  double index = hn_xml_number(r->machine, node, "product", -1);
  return index >= 0 && index < r->product_count ? &r->products[(int)index] : NULL;
}

static int has_volume(reader *r, hn_xml *node) {
  for (hn_xml *child = node->first; child; child = child->next) {
    const hn_step_product *product = product_of(r, child);
    if ((product && product->mass.mass > 0) || has_volume(r, child)) return 1;
  }
  return 0;
}

// A part, as a body of its own or as part of one; what has no solid has no mass and is left out.
static void read_part(reader *r, hn_xml *node, hn_step_body *body, const char *above) {
  hn_machine *m = r->machine;
  hn_step_product *product = product_of(r, node);
  if (!product || !(product->mass.mass > 0)) return;
  hn_pose pose = pose_of(m, node);
  const char *name = is_nameless(product->name) ? above : product->name;
  if (!product->mesh) keep_mesh(r, product, name);
  if (body) {
    hn_pose back = hn_pose_inverse(&body->link->pose), on = hn_pose_multiply(&back, &pose);
    add_part(r, body, node, product, &pose, &on);
    return;
  }
  hn_pose none = hn_pose_none();
  body = new_body(r, name, pose);
  if (body) add_part(r, body, node, product, &pose, &none);
}

static void read_level(reader *r, hn_xml *node, hn_step_body *body, const char *above, int depth) {
  int deepest = r->machine->options->depth;
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    if (strcmp(child->name, "part") == 0) {
      read_part(r, child, body, above);
    } else if (strcmp(child->name, "assembly") == 0) {
      const char *name = hn_xml_get(child, "name");
      if (!name || is_nameless(name)) name = above;
      hn_step_body *own = body;
      if (!own && deepest > 0 && depth >= deepest && has_volume(r, child))
        own = new_body(r, name, pose_of(r->machine, child));
      read_level(r, child, own, name, depth + 1);
    }
  }
}

static int count_parts(const hn_xml *node) {
  int count = 0;
  for (const hn_xml *child = node->first; child; child = child->next)
    count += 1 + count_parts(child);
  return count;
}

void hn_step_build(hn_machine *machine, hn_xml *answer) {
  reader r = {.machine = machine};
  machine->format = "step";
  machine->gravity = vec3(0, 0, -9.81);
  machine->density = machine->options->density > 0 ? machine->options->density : HN_STEP_DENSITY;
  machine->name = stem_of(machine, machine->path);
  r.meshes = hn_table_create(machine);
  r.bodies = HN_MACHINE_TAKE(machine, hn_step_body, count_parts(answer));
  if (hn_machine_ok(machine)) read_products(&r, answer);
  if (hn_machine_ok(machine)) read_level(&r, answer, NULL, machine->name, 0);
  if (hn_machine_ok(machine) && r.body_count == 0)
    hn_machine_fail(machine, machine->root, "the STEP file",
                    "Export solids, not surfaces or drawings.", "has no solid with a volume");
  if (hn_machine_ok(machine)) hn_step_propose(machine, r.bodies, r.body_count);
}

void hn_read_step(hn_machine *machine, const char *text, size_t size) {
  hn_step_entities(machine, text, size);
  hn_xml *answer = hn_machine_ok(machine) ? hn_step_ask(machine) : NULL;
  if (answer) hn_step_build(machine, answer);
}
