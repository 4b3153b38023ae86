// Impacts (rigid.h): the velocities jump, positions do not. All points in contact take part at once:
//
//   u+ = u- + W p,   0 <= u_N+ + e u_N-  complementary to p_N >= 0,   p_T against the slip after
//
// Newton's law has e between the velocities before and after. Poisson's law has it between the
// normal impulses: those that stop the approach, with the friction that acts meanwhile, are followed
// by a second phase in which p_N is e times that or what it takes to keep bodies apart, again with
// Coulomb's friction (Pfeiffer and Glocker 1996).
#include <math.h>
#include <string.h>

#include "equations/rigid/rigid.h"

#define ENOUGH 1e-12
#define UNSOLVED 1e-8 // a larger residual is reported

#define ROLLS 1e-6 // m: a rolling body at most this far away is in contact

enum { FEW_PAIRS = 8 }; // of shapes that can be in contact
#define NOW 1e-9        // s: what closes within it closes now
#define NOW_GAP 1e-11   // m: what is nearer is closed
#define NOW_SPEED 1e-4  // m/s: what is slower is taken along

// Lists knife edges and joints with friction always, stops at their ends.
static hn_status list_extras(hn_equations *e, const struct hn_grips *grips) {
  hn_rigid *self = hn_rigid_of(e);
  for (int point = self->base.first_extra; point < self->base.point_count; point++) {
    const struct hn_extra *extra = hn_extra_of(&self->base, point);
    double gap, rate;
    if (hn_extra_is_off(e->elements, extra)) continue;
    hn_extra_motion(e->elements, extra, self->frames, grips->turns, &gap, &rate);
    if (extra->kind == HN_EXTRA_STOP && !(gap <= HN_RIGID_GAP)) continue;
    if (self->count == self->base.most) return HN_ERROR_LIMIT;
    self->point[self->count++] = point;
  }
  return HN_OK;
}

// A point that is open and will close in a moment closes then, not now: what bounces does so one after
// the other, however soon. What does not bounce, and piles, are taken along: there would be no end.
static int closes_later(const hn_rigid *self, const hn_contact_pair *pair,
                        const hn_contact_point *point) {
  const hn_frame *b1 = &self->frames[pair->body[0]], *b2 = &self->frames[pair->body[1]];
  const hn_vec3 v1 = vec3_add(b1->v, vec3_cross(b1->w, vec3_sub(point->point, b1->r)));
  const hn_vec3 v2 = vec3_add(b2->v, vec3_cross(b2->w, vec3_sub(point->point, b2->r)));
  const double rate = vec3_dot(point->normal, vec3_sub(v2, v1));
  return point->gap > NOW_GAP && rate < -NOW_SPEED && point->gap > -rate * NOW;
}

hn_status hn_rigid_list_near(hn_equations *e, struct hn_grips *grips) {
  hn_rigid *self = hn_rigid_of(e);
  hn_contact_point points[HN_CONTACT_POINTS];
  self->count = 0;
  for (int p = 0; p < self->base.contacts->pair_count; p++) {
    if (!self->base.rule[p]) continue;
    const int count = hn_contact_points(self->base.contacts, &self->base.contacts->pairs[p],
                                        grips->mode[p], self->frames, HN_CONTACT_PLACES, points);
    int number[HN_CONTACT_POINTS];
    hn_rigid_number(&self->base, grips, p, points, count, number);
    for (int i = 0; i < count; i++) {
      const double near = self->base.rule[p]->law == HN_CONTACT_ROLLING ? ROLLS : HN_RIGID_GAP;
      if (!(points[i].gap <= near) || !points[i].is_inside || number[i] < 0) continue;
      if (self->base.contacts->pair_count <= FEW_PAIRS && self->base.rule[p]->restitution > 0 &&
          grips->grip[number[i]] == HN_GRIP_OPEN &&
          closes_later(self, &self->base.contacts->pairs[p], &points[i]))
        continue;
      if (self->count == self->base.most) return HN_ERROR_LIMIT;
      self->point[self->count++] = number[i];
      grips->feature[number[i]] = points[i].feature;
    }
  }
  return list_extras(e, grips);
}

// Activates all points in contact, with their cones.
static hn_status take_near(hn_equations *e, struct hn_grips *grips) {
  hn_rigid *self = hn_rigid_of(e);
  hn_status status = hn_rigid_list_near(e, grips);
  if (status == HN_OK) status = hn_rigid_take(e, self->frames, grips, HN_RIGID_LISTED);
  for (int k = 0; k < self->count && status == HN_OK; k++) {
    hn_friction_part *part = &self->problem.part[k];
    if (part->law == HN_FRICTION_NORMAL || hn_friction_is_held(part->law)) continue;
    if (hn_friction_is_dry(part->law)) { // a force that is bounded does nothing in no time
      part->limit = 0;
      continue;
    }
    part->law = HN_FRICTION_CONE;
    part->mu = self->base.rule[self->point[k] / HN_CONTACT_POINTS]->friction;
  }
  return status;
}

static double restitution_of(const hn_rigid *self, int k) {
  const struct hn_extra *extra = hn_extra_of(&self->base, self->point[k]);
  return extra ? extra->restitution
               : self->base.rule[self->point[k] / HN_CONTACT_POINTS]->restitution;
}

static int is_poisson_at(const hn_rigid *self, int k) {
  return !hn_extra_of(&self->base, self->point[k]) &&
         self->base.rule[self->point[k] / HN_CONTACT_POINTS]->restitution_kind ==
             HN_RESTITUTION_POISSON;
}

static int approaches(const hn_rigid *self, int k) {
  const hn_friction_law law = self->problem.part[k].law;
  if (hn_friction_is_held(law) || hn_friction_is_dry(law)) return 0;
  return self->row[self->problem.part[k].row].speed < -HN_RIGID_SPEED;
}

static void note_solution(hn_rigid *self, const hn_friction_report *solved,
                          hn_touch_report *report) {
  int worst;
  report->residual =
      fmax(report->residual, solved->scale > 0 ? solved->residual / solved->scale : 0);
  if (solved->is_solved || solved->residual <= UNSOLVED * solved->scale) return;
  hn_friction_residual(&self->problem, self->p, self->problem.u, &worst);
  if (worst >= 0) report->unsolved = self->point[worst];
}

static int has_same_bodies(const hn_rigid *self, int k, int i) {
  const int *a = self->base.contacts->pairs[self->point[k] / HN_CONTACT_POINTS].body,
            *b = self->base.contacts->pairs[self->point[i] / HN_CONTACT_POINTS].body;
  return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

// Whether an impulse at one point moves the other.
static int is_coupled(const hn_friction_problem *f, int k, int i) {
  const int end[2] = {k + 1 < f->parts ? f->part[k + 1].row : f->rows,
                      i + 1 < f->parts ? f->part[i + 1].row : f->rows};
  for (int a = f->part[k].row; a < end[0]; a++)
    for (int b = f->part[i].row; b < end[1]; b++)
      if (f->w[(size_t)a * (size_t)f->rows + (size_t)b] != 0) return 1;
  return 0;
}

// The points that an impulse at one of them moves, one through the other.
static void find_moved(const hn_rigid *self, int from, unsigned char *is_moved) {
  memset(is_moved, 0, (size_t)self->count);
  is_moved[from] = 1;
  for (int grows = 1; grows;) {
    grows = 0;
    for (int k = 0; k < self->count; k++)
      for (int i = 0; !is_moved[k] && i < self->count; i++)
        if (is_moved[i] && is_coupled(&self->problem, k, i))
          is_moved[k] = (unsigned char)(grows = 1);
  }
}

// Balls in a row: one is hit, and those that rest against it have restitution too. What they do then
// is not determined by speeds before and after.
static void note_passing(const hn_rigid *self, hn_touch_report *report) {
  unsigned char *is_moved = self->is_moved;
  for (int i = 0; i < self->count; i++) {
    if (hn_extra_of(&self->base, self->point[i]) || !approaches(self, i)) continue;
    find_moved(self, i, is_moved);
    for (int k = 0; k < self->count; k++)
      if (is_moved[k] && !hn_extra_of(&self->base, self->point[k]) && !approaches(self, k) &&
          restitution_of(self, k) > 0 && self->p[self->problem.part[k].row] > 0 &&
          !has_same_bodies(self, k, i))
        report->passing = self->point[k];
  }
}

// Impulses by Newton's law.
static void solve_newton(hn_rigid *self, hn_touch_report *report) {
  hn_friction_problem *f = &self->problem;
  hn_friction_report solved;
  for (int k = 0; k < self->count; k++)
    if (approaches(self, k)) f->q[f->part[k].row] *= 1 + restitution_of(self, k);
  hn_friction_solve(f, ENOUGH, self->p, &solved);
  note_solution(self, &solved, report);
}

// ... by Poisson's.
static void solve_poisson(hn_rigid *self, hn_touch_report *report) {
  hn_friction_problem *f = &self->problem;
  hn_friction_report solved;
  double *stopping = self->other;
  hn_friction_solve(f, ENOUGH, self->p, &solved);
  note_solution(self, &solved, report);
  memcpy(stopping, self->p, (size_t)f->rows * sizeof(double));
  memcpy(f->q, f->u, (size_t)f->rows * sizeof(double));
  memset(self->p, 0, (size_t)f->rows * sizeof(double));
  for (int k = 0; k < self->count; k++) {
    hn_friction_part *part = &f->part[k];
    if (hn_friction_is_held(part->law) || hn_friction_is_dry(part->law)) continue;
    part->given = self->p[part->row] = restitution_of(self, k) * fmax(0, stopping[part->row]);
  }
  hn_friction_solve(f, ENOUGH, self->p, &solved);
  note_solution(self, &solved, report);
  for (int k = 0; k < self->count; k++) f->part[k].given = 0;
  for (int r = 0; r < f->rows; r++) self->p[r] += stopping[r];
}

// d T = p . (u- + u+) / 2
static void note_energy(hn_rigid *self, hn_touch_report *report) {
  hn_friction_problem *f = &self->problem;
  double change = 0, size = 0, most = 0;
  int worst = -1;
  for (int r = 0; r < f->rows; r++) f->q[r] = self->row[r].speed;
  hn_friction_velocities(f, self->p, f->u);
  for (int k = 0; k < self->count; k++) {
    double part = 0;
    for (int i = 0; i < hn_friction_rows(f->part[k].law); i++) {
      const int r = f->part[k].row + i;
      part += 0.5 * self->p[r] * (f->u[r] + f->q[r]);
      size += 0.5 * fabs(self->p[r]) * (fabs(f->u[r]) + fabs(f->q[r]));
    }
    report->impacts += self->p[f->part[k].row] > 0 && !hn_friction_is_held(f->part[k].law);
    change += part;
    if (!(part > most)) continue;
    most = part;
    worst = k;
  }
  if (change > 1e-9 * size) {
    report->gained += change;
    report->gaining = worst >= 0 ? self->point[worst] : -1;
  } else {
    report->lost -= change;
  }
}

hn_status hn_rigid_impact(hn_equations *e, double t, const double *q, double *qd,
                          const hn_branches *branches, hn_touch_report *report, int *happened) {
  hn_rigid *self = hn_rigid_of(e);
  hn_friction_problem *f = &self->problem;
  *happened = 0;
  hn_rigid_frames(e, q, qd);
  hn_status status = take_near(e, branches->grips);
  int is_poisson = 0;
  for (int k = 0; k < self->count && status == HN_OK; k++) {
    if (!hn_friction_is_held(f->part[k].law) && !hn_friction_is_dry(f->part[k].law))
      report->penetration = fmax(report->penetration, -self->row[f->part[k].row].value);
    *happened |= approaches(self, k);
    is_poisson |= is_poisson_at(self, k);
  }
  if (status != HN_OK || !*happened) return status;
  status = hn_rigid_factor(e, t, q, qd, branches);
  if (status == HN_OK) status = hn_rigid_respond(e);
  if (status != HN_OK) return status;
  for (int r = 0; r < f->rows; r++) {
    f->q[r] = self->row[r].speed;
    self->p[r] = 0;
  }
  if (is_poisson)
    solve_poisson(self, report);
  else
    solve_newton(self, report);
  note_passing(self, report);
  note_energy(self, report);
  e->type->coordinates->speeds(e, q, qd, self->speeds);
  hn_rigid_add(e, self->p, self->speeds);
  e->type->coordinates->rates(e, q, self->speeds, qd);
  return HN_OK;
}
