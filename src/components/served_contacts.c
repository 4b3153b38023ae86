// Contacts, shapes and links of a component as messages. The protocol is in served.h.
#include <string.h>

#include "components/served.h"

// ---- writing ------------------------------------------------------------------------------------

// As it lies in memory, so that a new field needs nothing here; pointers are cleared before, and set
// by the other end.
static void put_struct(hn_wire *w, const void *data, size_t size) {
  hn_wire_int(w, (int)size);
  hn_wire_bytes(w, data, size);
}

static void put_array(hn_wire *w, const double *values, int count) {
  hn_wire_int(w, count);
  hn_wire_numbers(w, values, count);
}

static void put_mesh(hn_wire *w, const hn_mesh *mesh) {
  hn_wire_int(w, mesh != NULL);
  if (!mesh) return;
  put_array(w, mesh->vertices, 3 * mesh->vertex_count);
  hn_wire_int(w, mesh->triangle_count);
  hn_wire_bytes(w, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(int));
}

static void put_shape(hn_wire *w, const hn_component_shape *shape) {
  const hn_shape_def *d = &shape->def;
  hn_shape_def sent = *d;
  sent.source = (hn_source){0};
  sent.profile = sent.curve = sent.heights = NULL;
  sent.mesh = NULL;
  put_struct(w, &sent, sizeof sent);
  hn_wire_int(w, shape->choice);
  hn_wire_string(w, shape->group);
  put_array(w, d->profile, 2 * d->profile_count);
  put_array(w, d->curve, 3 * d->curve_count);
  put_array(w, d->heights, d->heights ? d->grid[0] * d->grid[1] : 0);
  put_mesh(w, d->mesh);
}

static void put_law(hn_wire *w, const hn_component_law *law) {
  hn_wire_int(w, law->kind);
  hn_wire_int(w, law->pieces);
  hn_wire_int(w, law->count);
  put_array(w, law->coefficients, law->pieces * law->count);
  put_array(w, law->breakpoints, law->pieces > 0 ? law->pieces - 1 : 0);
  put_array(w, law->x, law->points);
  put_array(w, law->y, law->points);
  hn_wire_int(w, law->interpolation);
  hn_wire_int(w, law->outside);
  hn_wire_int(w, law->is_periodic);
  hn_wire_string(w, law->text);
}

static void put_contact(hn_wire *w, const hn_component_contact *c) {
  hn_wire_int(w, c->of);
  for (int k = 0; k < 2; k++) {
    hn_wire_int(w, c->body[k]);
    hn_wire_string(w, c->group[k]);
  }
  hn_contact_def sent = c->def;
  sent.source = (hn_source){0};
  sent.name = NULL;
  sent.shapes1 = sent.shapes2 = NULL;
  sent.depth_law = NULL;
  put_struct(w, &sent, sizeof sent);
  hn_wire_string(w, c->def.name);
  put_law(w, &c->law);
}

void hn_served_put_contacts(hn_wire *w, const hn_component_facts *f) {
  hn_wire_int(w, f->link_count);
  for (int k = 0; k < f->link_count; k++) {
    hn_wire_int(w, f->links[k].body[0]);
    hn_wire_int(w, f->links[k].body[1]);
    hn_wire_int(w, f->links[k].is_fixed);
  }
  hn_wire_int(w, f->shape_count);
  for (int k = 0; k < f->shape_count; k++) put_shape(w, &f->shapes[k]);
  hn_wire_int(w, f->contact_count);
  for (int k = 0; k < f->contact_count; k++) put_contact(w, &f->contacts[k]);
}

// ---- reading ------------------------------------------------------------------------------------

static void get_struct(hn_wire *w, void *data, size_t size) {
  if (hn_wire_get_int(w) != (int)size) w->failed = 1;
  hn_wire_get_bytes(w, data, size);
}

// Numbers in *count tuples of `each`; null: none.
static double *get_array(hn_wire *w, hn_arena *arena, int each, int *count) {
  const int all = hn_wire_get_count(w, sizeof(double));
  *count = all / each;
  if (all % each != 0) w->failed = 1;
  if (all == 0 || w->failed) return NULL;
  double *values = HN_TAKE(arena, double, all);
  if (!values) {
    w->failed = 1;
    return NULL;
  }
  hn_wire_get_numbers(w, values, all);
  return values;
}

static const hn_mesh *get_mesh(hn_wire *w, hn_arena *arena) {
  if (hn_wire_get_int(w) == 0 || w->failed) return NULL;
  hn_mesh *mesh = HN_TAKE(arena, hn_mesh, 1);
  if (!mesh) {
    w->failed = 1;
    return NULL;
  }
  mesh->vertices = get_array(w, arena, 3, &mesh->vertex_count);
  mesh->triangle_count = hn_wire_get_count(w, 3 * sizeof(int));
  int *triangles = HN_TAKE(arena, int, 3 * (size_t)mesh->triangle_count + 1);
  if (triangles) hn_wire_get_bytes(w, triangles, 3 * (size_t)mesh->triangle_count * sizeof(int));
  mesh->triangles = triangles;
  return mesh;
}

static void get_shape(hn_wire *w, hn_arena *arena, hn_component_shape *shape) {
  hn_shape_def *d = &shape->def;
  int heights;
  get_struct(w, d, sizeof *d);
  d->source = (hn_source){NULL, 0, 0};
  shape->choice = hn_wire_get_int(w);
  shape->group = hn_wire_get_string(w, arena);
  d->profile = get_array(w, arena, 2, &d->profile_count);
  d->curve = get_array(w, arena, 3, &d->curve_count);
  d->heights = get_array(w, arena, 1, &heights);
  if (heights > 0 && (d->grid[0] <= 0 || d->grid[1] <= 0 || heights / d->grid[0] != d->grid[1] ||
                      heights % d->grid[0] != 0))
    w->failed = 1;
  d->mesh = get_mesh(w, arena);
}

static void get_law(hn_wire *w, hn_arena *arena, hn_component_law *law) {
  int numbers, breaks, values;
  law->kind = hn_wire_get_int(w);
  law->pieces = hn_wire_get_int(w);
  law->count = hn_wire_get_int(w);
  law->coefficients = get_array(w, arena, 1, &numbers);
  law->breakpoints = get_array(w, arena, 1, &breaks);
  law->x = get_array(w, arena, 1, &law->points);
  law->y = get_array(w, arena, 1, &values);
  law->interpolation = hn_wire_get_int(w);
  law->outside = hn_wire_get_int(w);
  law->is_periodic = hn_wire_get_int(w);
  law->text = hn_wire_get_string(w, arena);
  const int pieces = law->pieces > 0 ? law->pieces : 0, count = law->count > 0 ? law->count : 0;
  if (values != law->points || breaks != (pieces > 0 ? pieces - 1 : 0) ||
      (uint64_t)numbers != (uint64_t)pieces * (uint64_t)count)
    w->failed = 1;
}

static void get_contact(hn_wire *w, hn_arena *arena, hn_component_contact *c) {
  c->of = hn_wire_get_int(w);
  for (int k = 0; k < 2; k++) {
    c->body[k] = hn_wire_get_int(w);
    c->group[k] = hn_wire_get_string(w, arena);
  }
  get_struct(w, &c->def, sizeof c->def);
  c->def.name = hn_wire_get_string(w, arena);
  c->def.source = (hn_source){NULL, 0, 0};
  c->def.shapes1 = c->def.shapes2 = NULL;
  c->def.depth_law = NULL;
  get_law(w, arena, &c->law);
}

void hn_served_get_contacts(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  f->link_count = hn_wire_get_count(w, 3 * sizeof(int32_t));
  hn_component_link *links = HN_TAKE(arena, hn_component_link, f->link_count);
  for (int k = 0; k < f->link_count && links; k++) {
    links[k].body[0] = hn_wire_get_int(w);
    links[k].body[1] = hn_wire_get_int(w);
    links[k].is_fixed = hn_wire_get_int(w) == 1;
  }
  f->links = links;
  f->shape_count = hn_wire_get_count(w, sizeof(hn_shape_def));
  hn_component_shape *shapes = HN_TAKE(arena, hn_component_shape, f->shape_count);
  for (int k = 0; k < f->shape_count && shapes && !w->failed; k++) get_shape(w, arena, &shapes[k]);
  f->shapes = shapes;
  f->contact_count = hn_wire_get_count(w, sizeof(hn_contact_def));
  hn_component_contact *contacts = HN_TAKE(arena, hn_component_contact, f->contact_count);
  for (int k = 0; k < f->contact_count && contacts && !w->failed; k++)
    get_contact(w, arena, &contacts[k]);
  f->contacts = contacts;
  if (arena->failed) w->failed = 1;
}
