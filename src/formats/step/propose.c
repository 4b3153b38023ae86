// Proposes joints from geometry. Between two bodies whose boxes intersect, searches for faces that
// fit:
//
//   a cylinder in a hole     one line that both have: turning about it and sliding along it
//   faces against each other one direction along which neither moves into the other
//   a ball in a socket       a point
//
// Lines and directions together determine the degrees of freedom: a line and a shoulder are a
// hinge, a line alone a cylindrical joint, two parallel lines a slide, one direction a plane, two a
// slide, three nothing. Threads and fits look like bearings: the user chooses.
#include <math.h>
#include <string.h>

#include "formats/step/step.h"

#define MOST 12          // lines or directions of one pair
#define MOST_FOUND 10000 // in one file
#define LINE 2e-5        // m between lines or planes that count as one
#define ANGLE 1e-3       // rad
#define LOOSE 1.25       // of a hole against what is in it
#define TIGHT 0.98

typedef struct fit {
  const hn_step_body *a, *b;
  hn_vec3 line_at[MOST], line[MOST], normal[MOST];
  int lines, normals;
  hn_vec3 touch; // a point of the first plane
  int has_ball;
  hn_vec3 ball;
  const hn_step_face *hole, *pin; // of the first line, or of the ball
  int pin_is_of_a;
} fit;

static int is_parallel(hn_vec3 a, hn_vec3 b) { return vec3_norm(vec3_cross(a, b)) < ANGLE; }

static int fits(const hn_step_face *hole, const hn_step_face *pin) {
  return hole->is_hole && !pin->is_hole && hole->radius > TIGHT * pin->radius &&
         hole->radius < LOOSE * pin->radius;
}

// ---- faces of a pair ----------------------------------------------------------------------------

static void try_cylinders(fit *f, const hn_step_face *a, const hn_step_face *b, int pin_is_of_a) {
  const hn_step_face *pin = pin_is_of_a ? a : b, *hole = pin_is_of_a ? b : a;
  if (!fits(hole, pin) || pin->turn < 3 || hole->turn < 3 || !is_parallel(pin->axis, hole->axis))
    return;
  hn_vec3 gap = vec3_sub(hole->at, pin->at);
  double along = vec3_dot(gap, pin->axis), side = vec3_dot(hole->axis, pin->axis) > 0 ? 1 : -1;
  if (vec3_norm(vec3_sub(gap, vec3_scale(along, pin->axis))) > LINE) return;
  double p = along + side * hole->from, q = along + side * hole->to;
  double from = fmax(pin->from, fmin(p, q)), to = fmin(pin->to, fmax(p, q));
  if (!(to - from > 0.1 * fmin(pin->to - pin->from, fabs(q - p)))) return;
  hn_vec3 at = vec3_add_scaled(pin->at, 0.5 * (from + to), pin->axis);
  for (int k = 0; k < f->lines; k++) {
    hn_vec3 other = vec3_sub(at, f->line_at[k]);
    if (is_parallel(f->line[k], pin->axis) && vec3_norm(vec3_cross(other, f->line[k])) < LINE)
      return;
  }
  if (f->lines == MOST) return;
  if (f->lines == 0) {
    f->hole = hole;
    f->pin = pin;
    f->pin_is_of_a = pin_is_of_a;
  }
  f->line_at[f->lines] = at;
  f->line[f->lines++] = pin->axis;
}

static double overlap(double low1, double high1, double low2, double high2) {
  return fmin(high1, high2) - fmax(low1, low2);
}

static void try_planes(fit *f, const hn_step_face *a, const hn_step_face *b) {
  if (vec3_dot(a->axis, b->axis) > 0 || !is_parallel(a->axis, b->axis)) return;
  if (fabs(vec3_dot(vec3_sub(b->at, a->at), a->axis)) > LINE) return;
  double x = overlap(a->low.x, a->high.x, b->low.x, b->high.x);
  double y = overlap(a->low.y, a->high.y, b->low.y, b->high.y);
  double z = overlap(a->low.z, a->high.z, b->low.z, b->high.z);
  if (x < -LINE || y < -LINE || z < -LINE || (x > LINE) + (y > LINE) + (z > LINE) < 2) return;
  for (int k = 0; k < f->normals; k++)
    if (is_parallel(f->normal[k], a->axis)) return;
  if (f->normals == MOST) return;
  if (f->normals == 0)
    f->touch = vec3(fmax(a->low.x, b->low.x) + x / 2, fmax(a->low.y, b->low.y) + y / 2,
                    fmax(a->low.z, b->low.z) + z / 2);
  f->normal[f->normals++] = a->axis;
}

static void try_balls(fit *f, const hn_step_face *a, const hn_step_face *b) {
  int pin_is_of_a = !a->is_hole;
  const hn_step_face *pin = pin_is_of_a ? a : b, *hole = pin_is_of_a ? b : a;
  if (f->has_ball || !fits(hole, pin) || vec3_norm(vec3_sub(a->at, b->at)) > LINE) return;
  f->has_ball = 1;
  f->ball = pin->at;
  f->hole = hole;
  f->pin = pin;
  f->pin_is_of_a = pin_is_of_a;
}

static void find_fits(fit *f) {
  for (int i = 0; i < f->a->count; i++)
    for (int j = 0; j < f->b->count; j++) {
      const hn_step_face *a = &f->a->faces[i], *b = &f->b->faces[j];
      if (a->kind != b->kind) continue;
      if (a->kind == HN_STEP_PLANE)
        try_planes(f, a, b);
      else if (a->kind == HN_STEP_SPHERE)
        try_balls(f, a, b);
      else
        try_cylinders(f, a, b, !a->is_hole);
    }
}

// ---- degrees of freedom -------------------------------------------------------------------------

// Directions that are neither parallel nor in one plane: 0 to 3.
static int directions_of(const fit *f, hn_vec3 *free) {
  hn_vec3 second = vec3_zero();
  int count = f->normals > 0;
  for (int k = 1; k < f->normals; k++) {
    if (count == 1) {
      second = f->normal[k];
      count = 2;
      *free = vec3_unit(vec3_cross(f->normal[0], second));
    } else if (fabs(vec3_dot(f->normal[k], *free)) > ANGLE) {
      count = 3;
    }
  }
  return count;
}

typedef struct decision {
  const char *type;
  hn_vec3 at, axis;
} decision;

// One line of both: shoulders hold it along the line, flats against turning.
static decision with_line(const fit *f) {
  int shoulder = 0, flat = 0, parallel = 0;
  for (int k = 0; k < f->normals; k++) {
    shoulder |= is_parallel(f->normal[k], f->line[0]);
    flat |= !is_parallel(f->normal[k], f->line[0]);
  }
  for (int k = 1; k < f->lines; k++) parallel |= is_parallel(f->line[k], f->line[0]);
  decision d = {"cylindrical", f->line_at[0], f->line[0]};
  if (f->lines > 1 && !parallel)
    d.type = "fixed";
  else if (parallel || flat)
    d.type = shoulder ? "fixed" : "translational";
  else if (shoulder)
    d.type = "revolute";
  return d;
}

static decision decide(const fit *f) {
  hn_vec3 free = vec3(0, 0, 1);
  if (f->has_ball) return (decision){"spherical", f->ball, vec3_zero()};
  if (f->lines > 0) return with_line(f);
  switch (directions_of(f, &free)) {
  case 0: return (decision){.type = NULL};
  case 1: return (decision){"planar", f->touch, f->normal[0]};
  case 2: return (decision){"translational", f->touch, free};
  default: return (decision){.type = "fixed"};
  }
}

static const char *reason(hn_machine *machine, const fit *f) {
  const char *pin = f->pin_is_of_a ? f->a->link->id : f->b->link->id;
  const char *hole = f->pin_is_of_a ? f->b->link->id : f->a->link->id;
  if (f->has_ball)
    return hn_machine_text(machine, "a ball of radius %.4g mm of %s in a socket of %.4g mm of %s",
                           1e3 * f->pin->radius, pin, 1e3 * f->hole->radius, hole);
  if (f->lines == 0)
    return hn_machine_text(machine, "faces against each other in %d direction%s", f->normals,
                           f->normals == 1 ? "" : "s");
  return hn_machine_text(
      machine, "a cylinder of radius %.4g mm of %s in a hole of %.4g mm of %s%s%s",
      1e3 * f->pin->radius, pin, 1e3 * f->hole->radius, hole, f->lines > 1 ? ", and others" : "",
      f->normals > 0 ? "; faces against each other" : "");
}

// Without what the digits of a file leave beyond 1e-11.
static double whole(double x) { return nearbyint(1e11 * x) / 1e11 + 0.0; }

static void add(hn_machine *machine, const fit *f, const decision *d) {
  hn_proposal *p = HN_MACHINE_TAKE(machine, hn_proposal, 1);
  if (!p) return;
  int turned = f->b->link->mass > f->a->link->mass;
  p->link[0] = turned ? f->b->link : f->a->link; // the heavier carries
  p->link[1] = turned ? f->a->link : f->b->link;
  const char *name = hn_machine_text(machine, "%s_%s", p->link[0]->id, p->link[1]->id);
  p->name = hn_table_legal(machine, machine->other_ids, name, "joint");
  p->type = d->type;
  p->why = reason(machine, f);
  p->at = vec3(whole(d->at.x), whole(d->at.y), whole(d->at.z));
  p->axis = vec3_unit(vec3(whole(d->axis.x), whole(d->axis.y), whole(d->axis.z)));
  if (machine->last_proposal)
    machine->last_proposal->next = p;
  else
    machine->proposals = p;
  machine->last_proposal = p;
}

static int meet(const hn_step_body *a, const hn_step_body *b) {
  return a->count > 0 && b->count > 0 &&
         overlap(a->low.x, a->high.x, b->low.x, b->high.x) > -LINE &&
         overlap(a->low.y, a->high.y, b->low.y, b->high.y) > -LINE &&
         overlap(a->low.z, a->high.z, b->low.z, b->high.z) > -LINE;
}

void hn_step_propose(hn_machine *machine, const hn_step_body *bodies, int count) {
  int found = 0;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count && hn_machine_ok(machine) && found < MOST_FOUND; j++) {
      if (!meet(&bodies[i], &bodies[j])) continue;
      fit f = {.a = &bodies[i], .b = &bodies[j]};
      find_fits(&f);
      decision d = decide(&f);
      if (!d.type) continue;
      add(machine, &f, &d);
      found++;
    }
}
