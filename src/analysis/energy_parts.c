// Parts of a model with separate energies: bodies connected by constraints or forces are one part,
// ground connects nothing. A part on which only gravity and springs act keeps T + V; those with
// dampers, actuators or drivers are judged together with the whole model, whose work is integrated.
#include "analysis/energy_parts.h"

#include <math.h>

#include "elements/force.h"
#include "model/contact.h"

#define SLOW 0.1 // m/s: motion below it has an energy too small to measure errors by

static int root_of(int *parent, int b) {
  while (parent[b] != b) b = parent[b] = parent[parent[b]];
  return b;
}

static void connect(int *parent, int a, int b) {
  if (a > 0 && b > 0) parent[root_of(parent, a)] = root_of(parent, b);
}

// A body the force acts on that is not ground, and through *other a second one; 0: ground.
static int bodies_of_force(const hn_model *model, const hn_force_def *f, int *other) {
  int a = f->frame1.body, b = f->frame2.body;
  if (hn_force_reads_joint(f)) {
    a = model->joints[f->joint].frame1.body;
    b = model->joints[f->joint].frame2.body;
  }
  *other = a > 0 ? b : 0;
  return a > 0 ? a : b;
}

static void connect_all(const hn_elements *e, int *parent) {
  const hn_model *model = e->model;
  for (int r = 0; r < e->row_count; r++)
    for (int k = e->row_start[r] + 1; k < e->row_start[r + 1]; k++)
      for (int i = e->row_start[r]; i < k; i++) connect(parent, e->row_body[i], e->row_body[k]);
  for (int f = 0; f < model->force_count; f++) {
    int other, body = bodies_of_force(model, &model->forces[f], &other);
    connect(parent, body, other);
  }
}

// Drivers move what their rows depend on.
static void mark_driven(const hn_elements *e, hn_energy_parts *parts) {
  for (int r = e->driver_row[0]; r < e->driver_row[e->model->driver_count]; r++)
    for (int k = e->row_start[r]; k < e->row_start[r + 1]; k++) {
      int part = parts->part_of_body[e->row_body[k]];
      if (part >= 0) parts->part[part].does_work = 1;
    }
}

static void declare(hn_arena *arena, hn_energy_parts *parts) {
  hn_state_owner(arena, "energy of parts", HN_STATE_RECORD);
  for (int k = 0; k < parts->count; k++) {
    hn_energy_part *p = &parts->part[k];
    double *const numbers[] = {&p->start, &p->potential, &p->energy,
                               &p->size,  &p->largest,   &p->balance};
    for (int i = 0; i < 6; i++) {
      HN_STATE(arena, numbers[i], 1, "the energy of a part");
      hn_state_within(arena, i < 4 ? -HUGE_VAL : 0, HUGE_VAL);
    }
    HN_STATE(arena, &p->does_work, 1, "the flag of a part that does work");
    hn_state_within(arena, 0, 1);
  }
}

hn_status hn_energy_parts_create(hn_arena *arena, const hn_elements *e, hn_energy_parts *parts) {
  const hn_model *model = e->model;
  *parts = (hn_energy_parts){0};
  if (model->part_count > 0) return HN_OK; // sealed: their inside is not seen
  char name[64];
  const hn_source *source;
  const char *remedy;
  // any two may meet; the loss by impacts is counted for the whole model
  if (model->contact_count > 0 ||
      hn_model_rigid_element(model, &source, &remedy, name, sizeof name))
    return HN_OK;
  int *parent = HN_TAKE(arena, int, model->body_count);
  parts->part_of_body = HN_TAKE(arena, int, model->body_count);
  parts->part_of_force = HN_TAKE(arena, int, model->force_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < model->body_count; b++) parent[b] = b;
  connect_all(e, parent);
  int count = 0;
  for (int b = 1; b < model->body_count; b++) count += root_of(parent, b) == b;
  if (count < 2) return HN_OK;
  parts->part = HN_KEEP(arena, hn_energy_part, count);
  if (arena->failed) return HN_ERROR_MEMORY;
  parts->part_of_body[0] = -1;
  for (int b = 1; b < model->body_count; b++)
    if (root_of(parent, b) == b) parts->part_of_body[b] = parts->count++;
  for (int b = model->body_count - 1; b > 0; b--) {
    int part = parts->part_of_body[b] = parts->part_of_body[root_of(parent, b)];
    parts->part[part].body = b;
    parts->part[part].mass += model->bodies[b].mass;
  }
  for (int f = 0; f < model->force_count; f++) {
    int other, body = bodies_of_force(model, &model->forces[f], &other);
    parts->part_of_force[f] = body > 0 ? parts->part_of_body[body] : -1;
  }
  if (model->driver_count > 0) mark_driven(e, parts);
  declare(arena, parts);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static double kinetic_of(const hn_body_def *body, const hn_frame *f) {
  hn_vec3 w = mat3_apply_transposed(f->a, f->w); // body axes
  const double *i = body->inertia;               // xx yy zz xy xz yz
  double spin = w.x * (i[0] * w.x + i[3] * w.y + i[4] * w.z) +
                w.y * (i[3] * w.x + i[1] * w.y + i[5] * w.z) +
                w.z * (i[4] * w.x + i[5] * w.y + i[2] * w.z);
  return 0.5 * (body->mass * vec3_dot(f->v, f->v) + spin);
}

static void add_up(hn_energy_parts *parts, const hn_model *model, const hn_snapshot *s) {
  for (int k = 0; k < parts->count; k++) parts->part[k].energy = parts->part[k].size = 0;
  for (int b = 1; b < model->body_count; b++) {
    hn_energy_part *part = &parts->part[parts->part_of_body[b]];
    part->size += kinetic_of(&model->bodies[b], &s->frames[b]); // T for now
    part->energy -= model->bodies[b].mass * vec3_dot(model->gravity, s->frames[b].r);
  }
  for (int f = 0; f < model->force_count; f++) {
    if (parts->part_of_force[f] < 0) continue;
    hn_energy_part *part = &parts->part[parts->part_of_force[f]];
    part->energy += s->forces[f].potential;
    if (s->forces[f].power != 0) part->does_work = 1;
  }
}

void hn_energy_parts_begin(hn_energy_parts *parts, const hn_model *model, const hn_snapshot *s) {
  if (parts->count == 0) return;
  add_up(parts, model, s);
  for (int k = 0; k < parts->count; k++) {
    hn_energy_part *part = &parts->part[k];
    part->potential = part->energy;
    part->start = part->energy + part->size;
    part->largest = part->balance = 0;
  }
}

void hn_energy_parts_note(hn_energy_parts *parts, const hn_model *model, const hn_snapshot *s) {
  if (parts->count == 0) return;
  add_up(parts, model, s);
  for (int k = 0; k < parts->count; k++) {
    hn_energy_part *part = &parts->part[k];
    double kinetic = part->size, potential = part->energy;
    part->size = kinetic + fabs(potential - part->potential);
    part->energy = kinetic + potential;
    double balance = fabs(part->energy - part->start);
    if (part->size > part->largest) part->largest = part->size;
    if (!(balance <= part->balance)) part->balance = balance;
  }
}

double hn_energy_parts_worst(const hn_energy_parts *parts, int *body) {
  double worst = 0;
  *body = 0;
  for (int k = 0; k < parts->count; k++) {
    const hn_energy_part *part = &parts->part[k];
    if (part->does_work) continue;
    const double scale = fmax(part->largest, part->mass * SLOW * SLOW);
    if (!(scale > 0) && part->balance <= 0) continue; // no mass, no energy
    const double relative = part->balance / scale;
    if (*body > 0 && relative <= worst) continue;
    worst = relative;
    *body = part->body;
  }
  return worst;
}
