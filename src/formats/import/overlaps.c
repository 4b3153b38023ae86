// Links of URDF and SDF models that overlap in the reference configuration: they do not collide.
//
// Collision geometry of robots is often larger than the links, and these formats have no list of pairs
// to leave out. Pairs that overlap from the start would push each other apart in the first steps.
// Neighbors in the tree never collide. MJCF has such a list, and keeps MuJoCo's meaning.
#include <string.h>

#include "contact/contact.h"
#include "formats/import/machine.h"
#include "formats/mesh.h"
#include "holon/shape.h"
#include "math/euler.h"

#define DEEP 1e-6 // m: less is rounding

typedef struct probe {
  hn_machine *machine;
  hn_model *model;
  hn_link **links; // of bodies; [0] the ground
  int *shapes;
  int body_count, shape_count, is_complete;
} probe;

static int is_solid(const hn_solid *s) {
  return (s->is_drawn || s->is_hidden) && (s->touch.touches || s->touch.is_touched);
}

// From a file, or from one that is in memory.
static hn_status read_mesh(const hn_machine *m, const hn_solid *s, hn_mesh **mesh) {
  for (const hn_machine_mesh *kept = m->meshes; kept; kept = kept->next)
    if (strcmp(kept->path, s->mesh) == 0)
      return hn_mesh_parse((const unsigned char *)kept->text, strlen(kept->text), kept->path,
                           s->size.x, NULL, mesh, NULL);
  return hn_mesh_read(s->mesh, s->size.x, NULL, mesh, NULL);
}

static void add_shape(probe *p, int body, const hn_solid *s) {
  static const hn_shape_type types[] = {HN_SHAPE_BOX, HN_SHAPE_CYLINDER, HN_SHAPE_CAPSULE,
                                        HN_SHAPE_SPHERE};
  if (s->kind == HN_SOLID_PLANE || !p->is_complete) return; // represents the floor
  if (s->kind == HN_SOLID_ELLIPSOID) return;
  hn_mesh *mesh = NULL;
  hn_shape_def def =
      hn_default_shape(s->kind == HN_SOLID_MESH ? HN_SHAPE_MESH : types[(int)s->kind]);
  def.frame = (hn_frame_on_body){body, s->pose.p, quat_from_matrix(s->pose.r)};
  def.size = s->size;
  def.radius = s->radius;
  def.length = s->length;
  if (s->kind == HN_SOLID_MESH && read_mesh(p->machine, s, &mesh)) return;
  def.mesh = mesh;
  p->is_complete = hn_model_add_shape(p->model, &def, &p->shapes[p->shape_count]) == HN_OK;
  p->shape_count += p->is_complete;
  hn_mesh_free(mesh);
}

static void add_link(probe *p, hn_link *link) {
  hn_body_def body = hn_default_body();
  int id = HN_GROUND;
  body.name = link->id;
  body.mass = 1;
  body.position = link->pose.p;
  body.orientation = quat_from_matrix(link->pose.r);
  if (!link->is_ground) p->is_complete &= hn_model_add_body(p->model, &body, &id) == HN_OK;
  p->links[id] = link;
  for (const hn_solid *s = link->solids; s; s = s->next)
    if (is_solid(s)) add_shape(p, id, s);
}

static int are_neighbors(const hn_machine *m, const hn_link *a, const hn_link *b) {
  for (const hn_link_joint *j = m->joints; j; j = j->next)
    if ((j->parent == a && j->child == b) || (j->parent == b && j->child == a)) return 1;
  return a == b;
}

static int is_known(const hn_machine *m, const hn_link *a, const hn_link *b) {
  for (const hn_touching_pair *p = m->pairs; p; p = p->next)
    if ((p->link[0] == a && p->link[1] == b) || (p->link[0] == b && p->link[1] == a)) return 1;
  return 0;
}

static void exclude(hn_machine *m, hn_link *a, hn_link *b) {
  if (are_neighbors(m, a, b) || is_known(m, a, b)) return;
  hn_touching_pair *pair = HN_MACHINE_TAKE(m, hn_touching_pair, 1);
  if (!pair) return;
  *pair = (hn_touching_pair){
      .name = "overlap", .node = (a->is_ground ? b : a)->node, .link = {a, b}, .next = m->pairs};
  m->pairs = pair;
  m->overlap_count++;
}

static void compare(probe *p, const hn_contacts *contacts, const hn_frame *frames) {
  hn_contact_point points[HN_CONTACT_POINTS];
  for (int k = 0; k < contacts->pair_count; k++) {
    const hn_contact_pair *pair = &contacts->pairs[k];
    const int mode = hn_contact_mode(contacts, pair, frames, 0);
    const int count = hn_contact_points(contacts, pair, mode, frames, HN_CONTACT_PLACES, points);
    for (int i = 0; i < count; i++)
      if (points[i].is_inside && points[i].gap < -DEEP)
        exclude(p->machine, p->links[pair->body[0]], p->links[pair->body[1]]);
  }
}

static void find_pairs(probe *p, hn_arena *arena) {
  hn_contact_def rule = hn_default_contact();
  hn_contacts *contacts = NULL;
  rule.name = "all";
  rule.shapes1 = p->shapes;
  rule.count1 = p->shape_count;
  if (hn_model_add_contact(p->model, &rule, NULL) || hn_model_finish(p->model)) return;
  hn_frame *frames = HN_TAKE(arena, hn_frame, p->model->body_count);
  if (!frames || hn_contacts_create(arena, p->model, &contacts, NULL)) return;
  for (int b = 0; b < p->model->body_count; b++) {
    hn_frame_of_ground(&frames[b]);
    if (b == 0) continue;
    frames[b].r = p->model->bodies[b].position;
    frames[b].p = p->model->bodies[b].orientation;
    frames[b].a = quat_matrix(frames[b].p);
  }
  if (contacts->pairs_listed) compare(p, contacts, frames);
}

void hn_machine_exclude_overlaps(hn_machine *m) {
  int links = 1, solids = 0;
  if (!hn_machine_ok(m) || strcmp(m->format, "mjcf") == 0) return;
  for (const hn_link *link = m->links; link; link = link->next) {
    links++;
    for (const hn_solid *s = link->solids; s; s = s->next) solids += is_solid(s);
  }
  for (const hn_solid *s = m->ground.solids; s; s = s->next) solids += is_solid(s);
  probe p = {.machine = m, .is_complete = 1};
  p.links = HN_MACHINE_TAKE(m, hn_link *, links);
  p.shapes = HN_MACHINE_TAKE(m, int, solids + 1);
  if (solids < 2 || !hn_machine_ok(m) || hn_model_create(NULL, &p.model)) return;
  add_link(&p, &m->ground);
  for (hn_link *link = m->links; link; link = link->next)
    if (!link->merged) add_link(&p, link);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  if (p.is_complete && p.shape_count > 1) find_pairs(&p, &arena);
  hn_arena_release(&arena);
  hn_model_free(p.model);
}
