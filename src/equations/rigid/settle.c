// Selects contact modes at one instant (rigid.h): impacts at velocity level, then open, sticking or
// sliding at acceleration level. Bounces lower than numbers resolve end in rest: so the infinitely
// many impacts of a ball that comes to rest take finitely many steps.
#include <float.h>
#include <math.h>
#include <string.h>

#include "equations/cartesian/problem.h"
#include "equations/rigid/rigid.h"
#include "model/contact.h"

#define ENOUGH 1e-12
#define STOPPED 1e-9 // of the speeds before: what a jam leaves of a slip
enum { IMPACTS = 20, CLOSINGS = 4 };

#define GOES_ON 1e-6 // of normals, and of places in m: so near is the same point on the next piece

// The closed point among `old` that has become this one on the next piece of its surface, or -1.
static int find_before(const struct hn_grips *g, const hn_contact_point *old, int before,
                       const int *number, const hn_contact_point *point) {
  for (int k = 0; k < before; k++)
    if (number[k] >= 0 && g->grip[number[k]] != HN_GRIP_OPEN &&
        fabs(old[k].gap - point->gap) < GOES_ON &&
        vec3_norm(vec3_sub(old[k].point, point->point)) < GOES_ON &&
        vec3_norm(vec3_sub(old[k].normal, point->normal)) < GOES_ON)
      return k;
  return -1;
}

// Points keep their contact mode if their pair changes its feature pair; returns how many closed
// ones continue on another piece.
static int carry_grips(hn_rigid *self, struct hn_grips *g, int p, int mode) {
  hn_contact_point old[HN_CONTACT_POINTS], new[HN_CONTACT_POINTS];
  const hn_contact_pair *pair = &self->base.contacts->pairs[p];
  const int before = hn_contact_points(self->base.contacts, pair, g->mode[p], self->frames,
                                       HN_CONTACT_PLACES, old);
  const int after =
      hn_contact_points(self->base.contacts, pair, mode, self->frames, HN_CONTACT_PLACES, new);
  hn_grip grip[HN_CONTACT_POINTS] = {HN_GRIP_OPEN};
  hn_vec3 direction[HN_CONTACT_POINTS] = {{0, 0, 0}};
  int number[HN_CONTACT_POINTS];
  const int first = p * HN_CONTACT_POINTS;
  int goes_on = 0;
  hn_rigid_number(&self->base, g, p, old, before, number);
  for (int i = 0; i < after; i++) {
    int from = -1;
    for (int k = 0; k < before; k++)
      if (new[i].feature == old[k].feature && number[k] >= 0) from = k;
    if (from < 0 && hn_contact_goes_on(self->base.contacts, pair)) {
      from = find_before(g, old, before, number, &new[i]);
      goes_on += from >= 0;
    }
    if (from < 0) continue;
    grip[i] = g->grip[number[from]];
    direction[i] = g->direction[number[from]];
  }
  for (int i = 0; i < HN_CONTACT_POINTS; i++)
    g->feature[first + i] = i < after ? new[i].feature : -1;
  memcpy(&g->grip[first], grip, sizeof grip);
  memcpy(&g->direction[first], direction, sizeof direction);
  g->mode[p] = mode;
  return goes_on;
}

static int update_modes(hn_rigid *self, struct hn_grips *g) {
  int goes_on = 0;
  for (int p = 0; p < self->base.contacts->pair_count; p++) {
    if (!self->base.rule[p]) continue;
    const int mode =
        hn_contact_mode(self->base.contacts, &self->base.contacts->pairs[p], self->frames, DBL_MAX);
    if (mode != g->mode[p]) goes_on += carry_grips(self, g, p, mode);
  }
  return goes_on;
}

// Divides the points in contact into those at rest, which stay active, and those that separate.
static hn_status sort_near(hn_equations *e, struct hn_grips *g, hn_touch_hint hint) {
  hn_rigid *self = hn_rigid_of(e);
  hn_status status = hn_rigid_list_near(e, g);
  if (status == HN_OK) status = hn_rigid_take(e, self->frames, g, HN_RIGID_LISTED);
  int kept = 0;
  self->leaving_count = 0;
  for (int k = 0; k < self->count && status == HN_OK; k++) {
    const hn_touch_row *row = &self->row[self->problem.part[k].row];
    const int point = self->point[k];
    const double slip = vec3_norm(self->motion[k].slip);
    const int is_let_go = point == hint.point && hint.grip == HN_GRIP_OPEN;
    const struct hn_extra *extra = hn_extra_of(&self->base, point);
    if (hn_touch_is_held(&self->base, point)) {
      g->grip[point] = HN_GRIP_STICK;
      self->point[kept++] = point;
      continue;
    }
    const int parts = row->speed > HN_RIGID_SPEED && !(extra && extra->kind == HN_EXTRA_FRICTION);
    if (parts) {
      self->leaving[self->leaving_count] = point;
      self->leaving_row[self->leaving_count++] = *row;
    }
    if (is_let_go || parts) {
      g->grip[point] = HN_GRIP_OPEN;
      continue;
    }
    if (slip > self->base.rest) {
      g->grip[point] = HN_GRIP_SLIDE;
      g->direction[point] = vec3_scale(1 / slip, self->motion[k].slip);
    } else if (!(g->grip[point] == HN_GRIP_SLIDE && hint.grip == HN_GRIP_SLIDE)) {
      g->grip[point] = HN_GRIP_STICK;
    }
    self->point[kept++] = point;
  }
  self->count = kept;
  return status;
}

// Sets contacts that are not active to open.
static void open_others(hn_rigid *self, struct hn_grips *g) {
  for (int i = 0; i < self->base.point_count; i++) self->room->grip[i] = HN_GRIP_OPEN;
  for (int k = 0; k < self->count; k++) {
    const int point = self->point[k];
    self->room->grip[point] = g->grip[point];
  }
  memcpy(g->grip, self->room->grip, (size_t)self->base.point_count * sizeof *g->grip);
  g->closed = self->count;
}

// A joint that starts to slide has the friction of sliding; 1: it did not have it before.
static int begin_to_slide(hn_rigid *self, int k) {
  hn_friction_problem *f = &self->problem;
  hn_friction_part *part = &f->part[k];
  const struct hn_extra *extra = hn_extra_of(&self->base, self->point[k]);
  if (part->law != HN_FRICTION_LIMITED || part->limit == extra->slide ||
      hn_friction_grip(f, self->p, f->u, k) != HN_GRIP_SLIDE)
    return 0;
  part->limit = extra->slide;
  return 1;
}

static double sliding_friction(const hn_rigid *self, int k) {
  return self->base.rule[self->point[k] / HN_CONTACT_POINTS]->friction;
}

// Coulomb's law of accelerations; points that start to slide have the friction of sliding.
static void solve_laws(hn_rigid *self, hn_friction_report *report) {
  hn_friction_problem *f = &self->problem;
  hn_friction_center(f, ENOUGH, self->p);
  for (int round = 0; round <= self->count; round++) {
    int changed = 0;
    hn_friction_solve(f, ENOUGH, self->p, report);
    for (int k = 0; k < self->count; k++) {
      hn_friction_part *part = &f->part[k];
      changed |= begin_to_slide(self, k);
      if (part->law != HN_FRICTION_CONE) continue;
      const double mu = sliding_friction(self, k);
      if (part->mu == mu || hn_friction_grip(f, self->p, f->u, k) != HN_GRIP_SLIDE) continue;
      part->mu = mu;
      changed = 1;
    }
    if (!changed) return;
  }
}

// Which way a joint slides: against its friction. Where no friction moves it (the slider of a crank
// at dead center), that is rounding, and the acceleration counts.
static void store_sense(hn_rigid *self, int k, struct hn_grips *g) {
  const hn_friction_part *part = &self->problem.part[k];
  const double speed = self->row[part->row].speed, force = self->p[part->row];
  const double begins = fabs(force) > 0.5 * part->limit ? -force : self->problem.u[part->row];
  const double along = fabs(speed) > HN_RIGID_SLIP ? speed : begins;
  g->direction[self->point[k]] = vec3(along < 0 ? -1 : 1, 0, 0);
}

// A point that does not accelerate keeps its mode: a point without force that does not separate,
// and one whose force the solution has put on the boundary of its cone while others could carry it,
// stick. Were they open or sliding, rounding alone would change that again.
static hn_grip closed_grip(const hn_rigid *self, int k, hn_grip grip, int releases, double still) {
  const hn_friction_part *part = &self->problem.part[k];
  const double *u = &self->problem.u[part->row];
  if (grip == HN_GRIP_STICK || !(fabs(u[0]) <= still)) return grip;
  if (grip == HN_GRIP_OPEN && releases) return grip;
  if (part->law == HN_FRICTION_SLIDING) return HN_GRIP_SLIDE;
  if (part->law != HN_FRICTION_CONE) return grip == HN_GRIP_OPEN ? HN_GRIP_STICK : grip;
  return sqrt(u[1] * u[1] + u[2] * u[2]) <= still ? HN_GRIP_STICK : HN_GRIP_SLIDE;
}

static void store_grips(hn_rigid *self, struct hn_grips *g, hn_touch_hint hint) {
  hn_friction_problem *f = &self->problem;
  // a point separates at this moment, and others may with it
  const int releases = hint.point >= 0 && hint.grip == HN_GRIP_OPEN;
  double still = 0, strongest = 0;
  for (int i = 0; i < f->rows; i++) {
    still = fmax(still, hint.still * fabs(f->q[i]));
    strongest = fmax(strongest, fabs(self->p[i]));
  }
  g->closed = 0;
  for (int k = 0; k < self->count; k++) {
    const hn_friction_part *part = &f->part[k];
    const int point = self->point[k];
    const hn_grip grip =
        closed_grip(self, k, hn_friction_grip(f, self->p, f->u, k), releases, still);
    g->grip[point] = grip;
    g->closed += grip != HN_GRIP_OPEN;
    if (hn_friction_is_dry(part->law) && grip == HN_GRIP_SLIDE) store_sense(self, k, g);
    if (part->law != HN_FRICTION_CONE || grip != HN_GRIP_SLIDE) continue;
    const double speed = vec3_norm(self->motion[k].slip);
    if (speed > HN_RIGID_SLIP) { // it continues to slide
      g->direction[point] = vec3_scale(1 / speed, self->motion[k].slip);
      continue;
    }
    const double *u = &f->u[part->row], *p = &self->p[part->row];
    const double pull = sqrt(p[1] * p[1] + p[2] * p[2]), slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    const int by_slip = !(pull > ENOUGH * strongest); // a point without load rubs by rounding alone
    hn_vec3 d = vec3_zero();
    for (int i = 0; i < 2; i++)
      d = vec3_add_scaled(d, by_slip ? (slip > 0 ? u[1 + i] / slip : 0) : -p[1 + i] / pull,
                          self->tangent[k][i]);
    g->direction[point] = d;
  }
}

// Constraints and responses of the active points, with the accelerations without contacts.
static hn_status pose(hn_equations *e, double t, const double *q, const double *qd,
                      const hn_branches *branches, hn_error *error) {
  hn_rigid *self = hn_rigid_of(e);
  hn_status status = self->set->evaluate(e, t, q, qd, branches, self->snapshot, error);
  if (status == HN_OK)
    status = hn_rigid_take(e, self->snapshot->frames, branches->grips, HN_RIGID_LISTED);
  if (status == HN_OK) status = hn_rigid_respond(e);
  if (status == HN_OK) hn_rigid_accelerations(e, self->snapshot->ud);
  return status;
}

static double fastest_of(const hn_friction_problem *f) {
  double speed = 0;
  for (int r = 0; r < f->rows; r++) speed = fmax(speed, fabs(f->q[r]));
  return speed;
}

// A point whose slip no impulse stops, since a driver moves it on; -1: none.
static int find_moved_on(const hn_rigid *self) {
  const hn_friction_problem *f = &self->problem;
  const double still = STOPPED * fastest_of(f);
  for (int k = 0; k < self->count; k++) {
    const double *u = &f->u[f->part[k].row];
    if (f->part[k].law == HN_FRICTION_CONE && !(sqrt(u[1] * u[1] + u[2] * u[2]) <= still))
      return self->point[k];
  }
  return -1;
}

// Finds a point that still approaches under impulses that stop all slips, or whose impulse is
// outside its cone; -1: none. Without pressure nothing is stopped.
static int find_not_jammed(const hn_rigid *self) {
  const hn_friction_problem *f = &self->problem;
  const double still = STOPPED * fastest_of(f);
  double pushes = 0;
  for (int k = 0; k < self->count; k++) {
    const hn_friction_part *part = &f->part[k];
    const double *p = &self->p[part->row], *u = &f->u[part->row];
    if (hn_friction_is_held(part->law) || hn_friction_is_dry(part->law)) continue;
    const double pull = part->law == HN_FRICTION_CONE ? sqrt(p[1] * p[1] + p[2] * p[2]) : 0;
    const int is_within = p[0] >= -1e-12 && pull <= part->mu * p[0] * (1 + 1e-9) + 1e-12;
    if (!is_within || u[0] < -still) return self->point[k];
    pushes = fmax(pushes, p[0]);
  }
  return pushes > 0 ? -1 : self->point[0];
}

// Opens the point with the largest tensile force; 0: no point has one.
static int let_go(hn_rigid *self) {
  const hn_friction_problem *f = &self->problem;
  double most = 0, largest = 0;
  int worst = -1;
  for (int r = 0; r < f->rows; r++) largest = fmax(largest, fabs(self->p[r]));
  for (int k = 0; k < self->count; k++) {
    const double pull = -self->p[f->part[k].row];
    const hn_friction_law law = f->part[k].law;
    if (hn_friction_is_held(law) || hn_friction_is_dry(law) || !(pull > most)) continue;
    most = pull;
    worst = k;
  }
  if (!(most > 1e-9 * largest)) return 0;
  self->grips[worst] = HN_GRIP_OPEN;
  return 1;
}

// Slides into a paradox: the friction of sliding has no answer. The contact jams: what moves along
// is stopped by an impulse at once.
static hn_status jam(hn_equations *e, const double *q, double *qd, hn_touch_report *report) {
  hn_rigid *self = hn_rigid_of(e);
  hn_friction_problem *f = &self->problem;
  for (int k = 0; k < self->count; k++) {
    if (f->part[k].law == HN_FRICTION_SLIDING) self->grips[k] = HN_GRIP_STICK;
    if (f->part[k].law == HN_FRICTION_SLIDING) f->part[k].law = HN_FRICTION_CONE;
  }
  for (int r = 0; r < f->rows; r++) f->q[r] = self->row[r].speed;
  hn_friction_solve_grips(f, self->grips, self->p, NULL);
  report->locked = find_moved_on(self);
  for (int k = 0; report->locked < 0 && k < self->count && let_go(self); k++)
    hn_friction_solve_grips(f, self->grips, self->p, NULL);
  report->unsolved = find_not_jammed(self);
  if (report->locked >= 0 || report->unsolved >= 0) return HN_OK;
  e->type->coordinates->speeds(e, q, qd, self->speeds);
  hn_rigid_add(e, self->p, self->speeds);
  e->type->coordinates->rates(e, q, self->speeds, qd);
  double change = 0;
  for (int r = 0; r < f->rows; r++) change += 0.5 * self->p[r] * (f->u[r] + f->q[r]);
  report->lost -= change;
  report->impacts++;
  return HN_RETRY;
}

// The first point that slides where friction pushes the bodies together.
static int find_paradox(const hn_rigid *self) {
  const hn_friction_problem *f = &self->problem;
  for (int k = 0; k < self->count; k++) {
    const hn_friction_part *part = &f->part[k];
    if (part->law != HN_FRICTION_SLIDING) continue;
    const double *w = &f->w[(size_t)part->row * (size_t)(f->rows + 1)];
    if (!(w[0] - part->mu * (w[1] * part->direction[0] + w[2] * part->direction[1]) > 0))
      return self->point[k];
  }
  return -1;
}

// Selects contact modes by the accelerations. HN_RETRY: velocities have jumped.
static hn_status decide(hn_equations *e, double t, const double *q, double *qd,
                        hn_branches *branches, hn_touch_hint hint, hn_touch_report *report,
                        hn_error *error) {
  hn_rigid *self = hn_rigid_of(e);
  struct hn_grips *g = branches->grips;
  hn_friction_report solved = {.is_solved = 1};
  hn_rigid_frames(e, q, qd);
  hn_status status = sort_near(e, g, hint);
  if (status != HN_OK) return status;
  open_others(self, g);
  status = pose(e, t, q, qd, branches, error);
  if (status != HN_OK) return status;
  solve_laws(self, &solved);
  if (solved.paradoxes > 0) report->paradox = find_paradox(self);
  if (!solved.is_solved && solved.paradoxes > 0) return jam(e, q, qd, report);
  if (solved.scale > 0) report->residual = fmax(report->residual, solved.residual / solved.scale);
  if (!solved.is_solved && solved.residual > 1e-8 * solved.scale) {
    int worst;
    hn_friction_residual(&self->problem, self->p, self->problem.u, &worst);
    report->unsolved = worst >= 0 ? self->point[worst] : -1;
  }
  store_grips(self, g, hint);
  hn_rigid_add(e, self->p, self->snapshot->ud);
  return HN_OK;
}

// Closes points that separate and return within the resolution of numbers: 1 if there were some.
static int close_low(hn_equations *e, struct hn_grips *g) {
  hn_rigid *self = hn_rigid_of(e);
  int closed = 0;
  for (int k = 0; k < self->leaving_count; k++) {
    const hn_touch_row *row = &self->leaving_row[k];
    const double a = hn_rigid_acceleration(e, row, self->snapshot->ud);
    double size = 0;
    for (int side = 0; side < 2; side++)
      size = fmax(size, vec3_norm(self->frames[row->body[side]].r));
    if (!(a < 0)) continue;
    if (!(row->speed * row->speed < -2 * a * (HN_RIGID_HEIGHT + 100 * DBL_EPSILON * size)) &&
        !(row->speed < -a * self->base.period))
      continue;
    g->grip[self->leaving[k]] =
        hn_extra_of(&self->base, self->leaving[k]) ? HN_GRIP_STICK : HN_GRIP_SLIDE;
    closed++;
  }
  g->closed += closed;
  return closed;
}

static double kinetic(hn_equations *e, double t, const double *q, const double *qd,
                      const hn_branches *branches) {
  hn_rigid *self = hn_rigid_of(e);
  double sum = 0;
  if (self->set->responses->kinetic) return self->set->responses->kinetic(e, t, q, qd, branches);
  hn_rigid_frames(e, q, qd);
  for (int b = 1; b < e->model->body_count; b++) {
    double m[9];
    hn_cartesian_mass_of(e->model, self->held, b, &self->frames[b], m);
    const hn_vec3 v = self->frames[b].v, w = self->frames[b].w;
    const hn_vec3 momentum = {m[3] * w.x + m[4] * w.y + m[6] * w.z,
                              m[4] * w.x + m[5] * w.y + m[7] * w.z,
                              m[6] * w.x + m[7] * w.y + m[8] * w.z};
    sum += 0.5 * (m[0] * vec3_dot(v, v) + vec3_dot(w, momentum));
  }
  return sum;
}

hn_status hn_rigid_settle(hn_equations *e, double t, double *q, double *qd, hn_branches *branches,
                          hn_touch_hint hint, hn_touch_report *report, hn_error *error) {
  hn_rigid *self = hn_rigid_of(e);
  struct hn_grips *g = branches->grips;
  double *correction = self->correction;
  *report =
      (hn_touch_report){.gaining = -1, .unsolved = -1, .passing = -1, .paradox = -1, .locked = -1};
  hn_rigid_frames(e, q, qd);
  memset(g->soft, 0, (size_t)self->base.point_count);
  hn_status status = HN_OK;
  int happened = 1;
  const double energy = kinetic(e, t, q, qd, branches);
  if (update_modes(self, g) > 0) // what rounding left of their speeds is no impact
    status = hn_rigid_project_velocities(e, t, q, qd, branches, correction);
  for (int k = 0; k < IMPACTS && status == HN_OK && happened; k++)
    status = hn_rigid_impact(e, t, q, qd, branches, report, &happened);
  for (int k = 0; k < CLOSINGS && status == HN_OK; k++) {
    status = HN_RETRY;
    for (int jams = 0; jams < IMPACTS && status == HN_RETRY; jams++)
      status = decide(e, t, q, qd, branches, hint, report, error);
    if (status != HN_OK || !close_low(e, g)) break;
    const double before = kinetic(e, t, q, qd, branches);
    status = hn_rigid_project_velocities(e, t, q, qd, branches, correction);
    if (status == HN_OK) report->lost += before - kinetic(e, t, q, qd, branches);
    report->closed_sequences++;
  }
  hn_projected_state end = {
      .t = t, .q = q, .qd = qd, .tolerance = 1e-12, .change = {correction, correction}};
  if (status == HN_OK) status = hn_equations_project(e, &end, branches);
  report->work = kinetic(e, t, q, qd, branches) - energy;
  return status;
}
