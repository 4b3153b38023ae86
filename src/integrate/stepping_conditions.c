// Conditions of a step in one dense problem (stepping_conditions.h).
#include "integrate/stepping_conditions.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/give.h"
#include "equations/conditions.h"
#include "model/contact.h"

#define PRESCRIBED 1e-12         // of the response of free bodies
#define APPROACH 1e-8            // m/s
#define SLOW 2.0                 // in steps of free fall: slower approaches do not bounce
#define AT_REST 1e-9             // m/s or rad/s: a joint with friction that moves more slowly rests
#define THOROUGH 1e-11           // of forces
#define AIM 1e-8                 // of the scale
#define MISSED 1e-4              // m or rad: a deeper penetration at the end of a step is prevented
enum { ROUNDS = 3, MANY = 128 }; // conditions up to which impulses return in a dense problem
enum { ENTRIES = 24 };           // of a condition by rows, where memory for them is first taken
#define ROW_WORK 1e8             // conditions in all their sweeps, if that is more than ROW_SWEEPS
enum { ROW_SWEEPS = 4000, ROW_SWEEPS_BOUNDED = 200 };

static int has_poisson(const hn_model *model) {
  for (int k = 0; k < model->contact_count; k++)
    if (model->contacts[k].law == HN_CONTACT_RIGID && model->contacts[k].restitution > 0 &&
        model->contacts[k].restitution_kind == HN_RESTITUTION_POISSON)
      return 1;
  return 0;
}

hn_status hn_stepping_conditions_create(hn_arena *arena, hn_stepper *stepper, int is_bounded,
                                        hn_stepping_conditions *self) {
  const hn_conditions *rigid = hn_conditions_of(stepper->equations);
  const int most = stepper->most;
  *self = (hn_stepping_conditions){.stepper = stepper,
                                   .is_bounded = is_bounded,
                                   .is_poisson = has_poisson(stepper->equations->model)};
  self->extra_count = rigid->point_count - rigid->first_extra;
  self->is_forced = HN_WORK(arena, int, self->extra_count);
  self->read = HN_WORK(arena, hn_stepping_extra, self->extra_count);
  self->impulse = HN_KEEP(arena, double, self->extra_count);
  self->rests = HN_KEEP(arena, int, self->extra_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  const int few = most < MANY ? most : MANY;
  hn_stepping_conditions_forget(self);
  hn_status status = hn_delassus_create(arena, most, &self->dense);
  if (status == HN_OK && self->is_poisson)
    status = hn_friction_create(arena, 3 * few, few, &self->few);
  return status;
}

hn_status hn_stepping_conditions_reserve(hn_arena *arena, int points,
                                         hn_stepping_conditions *self) {
  const hn_model *model = self->stepper->equations->model;
  int conditions = 1; // of a point
  for (int k = 0; k < model->contact_count; k++)
    if (model->contacts[k].torsional_friction > 0 || model->contacts[k].rolling_friction > 0)
      conditions = 2;
  const int capacity = conditions * points + self->extra_count;
  self->condition = HN_WORK(arena, hn_stepping_condition, capacity);
  self->before = HN_WORK(arena, double, capacity);
  self->shift = HN_WORK(arena, double, capacity);
  self->give = HN_WORK(arena, double, capacity);
  self->extra = HN_WORK(arena, int, capacity);
  self->of_point = HN_WORK(arena, int, capacity);
  self->capacity = capacity;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_stepping_conditions_extend(hn_arena *arena, hn_stepping_conditions *self) {
  const hn_contact_rows *rows = &self->rows;
  if (!self->are_rows_small) return HN_RETRY;
  const size_t first = (size_t)self->capacity * ENTRIES;
  const size_t entries = rows->used > rows->entry_capacity ? 2 * rows->used : rows->entry_capacity;
  self->are_rows_small = 0;
  return hn_contact_rows_create(arena, self->capacity, self->stepper->row_size,
                                entries > 0 ? entries : first, &self->rows);
}

void hn_stepping_conditions_forget(hn_stepping_conditions *self) {
  for (int k = 0; k < self->extra_count; k++) {
    self->impulse[k] = 0;
    self->rests[k] = 1;
  }
}

double hn_stepping_shift(double restitution, double gap, double before, double fallen, double h,
                         double touching) {
  const double speed = -before, gained = fmax(0, before - fallen);
  if (restitution * speed > SLOW * gained && speed > 0) return restitution * before;
  return gap > touching ? gap / h : 0;
}

// ---- the problem --------------------------------------------------------------------------------

// A row on bodies.
static void row_on_bodies(const hn_sweep_point *c, int i, hn_touch_row *row) {
  row->body[0] = c->body[0];
  row->body[1] = c->body[1];
  for (int side = 0; side < 2; side++) {
    const hn_vec3 n = vec3_scale(side == 0 ? -1 : 1, c->axis[i]);
    vec3_store(&row->block[side][0], n);
    vec3_store(&row->block[side][3], vec3_cross(c->arm[side], n));
  }
}

static void add_point(hn_stepping_conditions *self, const hn_sweep_point *c,
                      const hn_sweep_body *bodies) {
  const int k = self->count++;
  hn_delassus *d = self->problem;
  hn_stepping_condition *to = &self->condition[k];
  double u[3];
  d->block[k] = (hn_delassus_block){.law = c->mu > 0 ? HN_DELASSUS_CONE : HN_DELASSUS_UNILATERAL,
                                    .mu = c->mu};
  to->speed = -1;
  to->gap = c->gap;
  to->is_soft = c->is_soft;
  for (int i = 0; i < hn_delassus_size(d->block[k].law); i++) row_on_bodies(c, i, &to->row[i]);
  hn_sweep_velocity(bodies, c, u);
  self->shift[k] = c->returns > 0 ? 0 : c->shift; // it stops first
  for (int i = 0; i < 3; i++) {
    d->q[k][i] = u[i];
    d->p[k][i] = c->p[i];
  }
  d->q[k][0] += self->shift[k];
  d->q[k][3] = d->p[k][3] = 0;
  if (d->block[k].law == HN_DELASSUS_UNILATERAL) d->q[k][1] = d->q[k][2] = 0;
}

static int has_spin(const hn_sweep_point *c) { return c->torsion > 0 || c->rolling > 0; }

// Torsion and rolling of the point of condition `of`.
static void add_spin(hn_stepping_conditions *self, int of, const hn_sweep_point *c,
                     const hn_sweep_body *bodies) {
  const int k = self->count++;
  hn_delassus *d = self->problem;
  hn_stepping_condition *to = &self->condition[k];
  const hn_vec3 turn = vec3_sub(bodies[c->body[1]].w, bodies[c->body[0]].w);
  d->block[k] = (hn_delassus_block){
      .law = HN_DELASSUS_SPIN, .normal = of, .torsion = c->torsion, .rolling = c->rolling};
  *to = (hn_stepping_condition){.speed = -1};
  for (int i = 0; i < 3; i++) {
    hn_touch_row *row = &to->row[i];
    row->body[0] = c->body[0];
    row->body[1] = c->body[1];
    vec3_store(&row->block[0][3], vec3_negate(c->axis[i]));
    vec3_store(&row->block[1][3], c->axis[i]);
    d->q[k][i] = vec3_dot(c->axis[i], turn);
    d->p[k][i] = c->spin[i];
  }
  d->q[k][3] = d->p[k][3] = 0;
  self->shift[k] = 0;
  self->extra[k] = -1;
  self->of_point[k] = self->of_point[of];
  self->spins++;
}

static double speed_of(const hn_touch_row *row, hn_vec3 v[2], hn_vec3 w[2]) {
  double sum = 0;
  for (int side = 0; side < 2; side++)
    sum += vec3_dot(vec3_load(&row->block[side][0]), v[side]) +
           vec3_dot(vec3_load(&row->block[side][3]), w[side]);
  return sum;
}

// All extras at the present speeds.
static void read_extras(hn_stepping_conditions *self, const hn_stepping_span *span) {
  const hn_stepping_type *type = self->stepper->type;
  if (type->extras) {
    type->extras(self->stepper, span, self->read);
    return;
  }
  for (int k = 0; k < self->extra_count; k++) self->read[k].speed = -1;
}

// The row of one that goes by bodies, with its numbers.
static void read_row(const hn_stepping_conditions *self, const hn_stepping_span *span, int number,
                     const hn_sweep_body *bodies, hn_touch_row *row) {
  const hn_equations *e = self->stepper->equations;
  hn_stepping_extra *to = &self->read[number];
  hn_vec3 v[2], w[2];
  *row = hn_extra_row(e->elements, &hn_conditions_of(e)->extra[number], span->next->frames,
                      span->branches->turns);
  for (int side = 0; side < 2; side++) {
    v[side] = bodies[row->body[side]].v;
    w[side] = bodies[row->body[side]].w;
  }
  to->gap = row->value;
  to->before = row->speed;
  to->free_speed = speed_of(row, v, w);
}

static void add_extra(hn_stepping_conditions *self, const hn_stepping_span *span, int number,
                      double touching, const hn_sweep_body *bodies) {
  const hn_conditions *rigid = hn_conditions_of(self->stepper->equations);
  const struct hn_extra *extra = &rigid->extra[number];
  const int k = self->count;
  hn_delassus *d = self->problem;
  hn_stepping_condition *to = &self->condition[k];
  const hn_stepping_extra *read = &self->read[number];
  if (read->speed < 0) read_row(self, span, number, bodies, &to->row[0]);
  double shift = 0;
  switch (extra->kind) {
  case HN_EXTRA_STOP: {
    const double least = read->free_speed < read->before ? read->free_speed : read->before;
    self->impulse[number] *= self->impulse[number] > 0;
    if (!(read->gap + span->h * least <= 0) && !(read->gap <= touching) &&
        !self->is_forced[number]) {
      self->impulse[number] = 0;
      return;
    }
    d->block[k] = (hn_delassus_block){.law = HN_DELASSUS_UNILATERAL};
    if (!extra->is_soft)
      shift = hn_stepping_shift(extra->restitution, read->gap, read->before, read->free_speed,
                                span->h, touching);
    break;
  }
  case HN_EXTRA_FRICTION: {
    const double limit = span->h * (self->rests[number] ? extra->stick : extra->slide);
    d->block[k] = (hn_delassus_block){.law = HN_DELASSUS_BOX, .lower = -limit, .upper = limit};
    break;
  }
  case HN_EXTRA_EDGE: d->block[k] = (hn_delassus_block){.law = HN_DELASSUS_BILATERAL}; break;
  }
  to->speed = read->speed;
  to->share = read->share;
  to->gap = read->gap;
  to->is_soft = extra->is_soft;
  memset(d->q[k], 0, sizeof d->q[k]);
  memset(d->p[k], 0, sizeof d->p[k]);
  d->q[k][0] = read->free_speed + shift;
  d->p[k][0] = self->impulse[number];
  self->before[k] = read->before;
  self->shift[k] = shift;
  self->give[k] = 0;
  self->extra[k] = number;
  self->count++;
}

static double *own_response(const hn_delassus *d, int k) {
  return d->rows ? &d->rows->own[k][0][0] : hn_delassus_at(d, k, k);
}

// Points that give way: their law on the diagonal, by the responses that they have.
static void soften_points(hn_stepping_conditions *self, const hn_sweep_point *points, double h) {
  const hn_model *model = self->stepper->equations->model;
  hn_delassus *d = self->problem;
  for (int k = 0; k < self->points; k++) {
    const hn_sweep_point *c = &points[self->of_point[k]];
    if (!c->is_soft) continue;
    double *w = own_response(d, k);
    const double own = *w > PRESCRIBED * c->w[0][0] ? *w : 0;
    const hn_contact_give of = hn_contact_give_of(&model->contacts[c->rule], h, own, c->mobility,
                                                  c->gap, c->before, c->is_closing);
    d->q[k][0] += of.shift - self->shift[k];
    self->shift[k] = of.shift;
    *w = own + of.give;
    if (d->rows) d->rows->give[k] = of.give;
  }
}

// The same of stops, relative to the inertia that their coordinate feels.
static void soften_stops(hn_stepping_conditions *self, double h) {
  const hn_equations *e = self->stepper->equations;
  hn_delassus *d = self->problem;
  for (int k = self->points; k < self->points + self->extras; k++) {
    if (!self->condition[k].is_soft) continue;
    const struct hn_extra *extra = &hn_conditions_of(e)->extra[self->extra[k]];
    const hn_stepping_extra *read = &self->read[self->extra[k]];
    const double *number = e->model->forces[extra->force].number;
    hn_contact_def law = {.law = HN_CONTACT_SOFT,
                          .time_constant = number[HN_STOP_TIME],
                          .damping_ratio = number[HN_STOP_RATIO]};
    memcpy(law.impedance, &number[HN_STOP_IMPEDANCE], sizeof law.impedance);
    double *w = own_response(d, k);
    const double least = read->free_speed < read->before ? read->free_speed : read->before;
    const int is_closing = read->gap <= 0 || read->gap + h * least <= 0;
    const hn_contact_give of =
        hn_contact_give_of(&law, h, *w, *w, read->gap, read->before, is_closing);
    d->q[k][0] += of.shift;
    self->shift[k] = of.shift;
    self->give[k] = of.give;
    *w += of.give;
    if (d->rows) d->rows->give[k] = of.give;
  }
}

// A point whose normal velocity joints and drivers prescribe: no impulse changes it. Its response,
// rounding alone, is replaced by that of the free bodies; an approach has no solution.
static hn_status check_prescribed(const hn_stepping_conditions *self, const hn_sweep_point *points,
                                  double t, hn_error *error) {
  const hn_model *model = self->stepper->equations->model;
  const hn_delassus *d = self->problem;
  char name[96];
  for (int k = 0; k < self->points; k++) {
    const hn_sweep_point *c = &points[self->of_point[k]];
    double *w = own_response(d, k);
    if (c->is_soft || *w > PRESCRIBED * c->w[0][0]) continue;
    *w = c->w[0][0];
    if (d->q[k][0] > -APPROACH) continue;
    return hn_fail(
        error, HN_ERROR_INCONSISTENT, &model->contacts[c->rule].source,
        hn_text(name, sizeof name, "contact '%s'", model->contacts[c->rule].name),
        "remove the contact, or replace a driver by a force",
        "has no contact force at t = %.9g s: joints and drivers prescribe its approach of %.3g m/s",
        t, -d->q[k][0]);
  }
  return HN_OK;
}

// ---- its solution -------------------------------------------------------------------------------

// The problem of returned impulses, with velocities q without further impulses.
static void fill_few(hn_stepping_conditions *self, const hn_delassus_vector *q) {
  static const hn_friction_law laws[] = {HN_FRICTION_CONE, HN_FRICTION_NORMAL, HN_FRICTION_LIMITED,
                                         HN_FRICTION_HELD};
  const hn_delassus *d = self->problem;
  hn_friction_problem *f = &self->few;
  f->rows = 0;
  f->parts = self->points + self->extras; // spins keep what they have
  for (int k = 0; k < f->parts; k++) {
    f->part[k] = (hn_friction_part){.law = laws[d->block[k].law],
                                    .row = f->rows,
                                    .mu = d->block[k].mu,
                                    .limit = d->block[k].upper};
    f->rows += hn_delassus_size(d->block[k].law);
  }
  for (int i = 0; i < f->parts; i++)
    for (int r = 0; r < hn_delassus_size(d->block[i].law); r++) {
      const int row = f->part[i].row + r;
      f->q[row] = q[i][r];
      for (int j = 0; j < f->parts; j++)
        for (int c = 0; c < hn_delassus_size(d->block[j].law); c++)
          f->w[(size_t)(f->part[j].row + c) * (size_t)f->rows + (size_t)row] =
              hn_delassus_at(d, i, j)[4 * c + r];
    }
}

static int row_sweeps(const hn_stepping_conditions *self) {
  return self->is_bounded ? ROW_SWEEPS_BOUNDED
                          : (int)fmax(ROW_SWEEPS, ROW_WORK / fmax(1, self->count));
}

// Poisson's law: normal impulses that have stopped an approach return by the restitution, with friction
// of their own; velocities are those after the first part. Dry friction and stops have done theirs.
static void return_dense(hn_stepping_conditions *self, const hn_sweep_point *points,
                         double tolerance, hn_delassus_report *report) {
  hn_delassus *d = self->problem;
  hn_friction_problem *f = &self->few;
  hn_friction_report returned;
  hn_delassus_residual(d);
  fill_few(self, (const hn_delassus_vector *)d->u);
  double *p = f->weight;
  memset(p, 0, (size_t)f->rows * sizeof *p);
  for (int k = 0; k < f->parts; k++) {
    hn_friction_part *part = &f->part[k];
    if (part->law == HN_FRICTION_LIMITED) part->limit = 0;
    if (k >= self->points) continue;
    part->given = p[part->row] = points[self->of_point[k]].returns * fmax(0, d->p[k][0]);
  }
  f->acceptable = tolerance;
  hn_friction_solve(f, THOROUGH, p, &returned);
  report->sweeps += returned.sweeps;
  report->residual = fmax(report->residual, returned.residual);
  for (int k = 0; k < f->parts; k++)
    for (int r = 0; r < hn_delassus_size(d->block[k].law); r++) d->p[k][r] += p[f->part[k].row + r];
  hn_delassus_residual(d); // velocities
}

// The same by rows. Velocities are the sums of both parts.
static void return_rows(hn_stepping_conditions *self, const hn_sweep_point *points,
                        double tolerance, hn_delassus_report *report) {
  hn_delassus *d = self->problem;
  hn_delassus_report returned;
  for (int k = 0; k < self->count; k++) {
    double *first = self->rows.kept[k], *least = &self->rows.least[k];
    memcpy(first, d->p[k], sizeof d->p[k]);
    memcpy(d->q[k], d->u[k], sizeof d->q[k]);
    memset(d->p[k], 0, sizeof d->p[k]);
    *least = k < self->points ? points[self->of_point[k]].returns * fmax(0, first[0]) : 0;
    d->p[k][0] = *least;
  }
  hn_contact_rows_return(&self->rows, tolerance, row_sweeps(self), &returned);
  report->sweeps += returned.sweeps;
  report->residual = fmax(report->residual, returned.residual);
  for (int k = 0; k < self->count; k++)
    for (int r = 0; r < 3; r++) d->p[k][r] += self->rows.kept[k][r];
}

static void return_impulses(hn_stepping_conditions *self, const hn_sweep_point *points,
                            double tolerance, hn_delassus_report *report) {
  const hn_delassus *d = self->problem;
  int count = 0;
  for (int k = 0; k < self->points; k++)
    count += points[self->of_point[k]].returns > 0 && d->p[k][0] > 0;
  if (count > 0) (d->rows ? return_rows : return_dense)(self, points, tolerance, report);
}

// The largest impulse that stops an approach alone: what impacts are measured by.
static double largest_impulse(const hn_delassus *d) {
  double most = 0;
  for (int k = 0; k < d->count; k++) {
    if (d->block[k].law != HN_DELASSUS_CONE && d->block[k].law != HN_DELASSUS_UNILATERAL) continue;
    const double own = *own_response(d, k);
    if (own > 0) most = fmax(most, -d->q[k][0] / own);
  }
  return most;
}

// By the dense solver, many by rows.
static void solve(hn_stepping_conditions *self, double aim, double tolerance,
                  hn_delassus_report *report) {
  hn_delassus *d = self->problem;
  if (d->rows)
    hn_contact_rows_solve(d->rows, tolerance, row_sweeps(self), report);
  else
    hn_delassus_solve(d, aim, tolerance, report);
  self->has_stalled |= report->inside > 0;
}

// Stores impulses of extras for the next step, and their work: what stops take, impacts have taken.
static void note_extras(hn_stepping_conditions *self, hn_contact_record *record) {
  const hn_conditions *rigid = hn_conditions_of(self->stepper->equations);
  const hn_delassus *d = self->problem;
  self->work = 0;
  for (int k = self->points; k < self->points + self->extras; k++) {
    const int number = self->extra[k];
    const double after = d->u[k][0] - self->shift[k] - self->give[k] * d->p[k][0];
    self->impulse[number] = d->p[k][0];
    const double work = 0.5 * d->p[k][0] * (self->before[k] + after);
    self->work += work;
    if (rigid->extra[number].kind == HN_EXTRA_STOP) record->impact_loss -= work;
    if (rigid->extra[number].kind == HN_EXTRA_FRICTION)
      self->rests[number] = fabs(after) <= AT_REST;
  }
}

// The problem that holds this number of conditions. HN_RETRY: there is no memory for it yet.
static hn_status choose_problem(hn_stepping_conditions *self, int points, hn_error *error) {
  const int count = points + self->extra_count;
  const int most = self->is_poisson && MANY < self->stepper->most ? MANY : self->stepper->most;
  self->problem = &self->dense;
  if (count <= most) return HN_OK;
  if (self->is_bounded)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "use simpler shapes, or a compliant `law:`",
                   "%d contact points are closed; the limit in real time is %d", points,
                   most - self->extra_count);
  self->problem = &self->rows.problem;
  self->are_rows_small = count > self->rows.problem.capacity;
  return self->are_rows_small ? HN_RETRY : HN_OK;
}

// All conditions that take part.
static hn_status pose(hn_stepping_conditions *self, const hn_stepping_span *span,
                      const hn_sweep_point *points, int count, double touching,
                      const hn_sweep_body *bodies, hn_error *error) {
  const hn_stepper *stepper = self->stepper;
  const hn_conditions *rigid = hn_conditions_of(stepper->equations);
  int taken = 0;
  self->count = self->spins = 0;
  for (int k = 0; k < count; k++) // a spin is a condition of its own
    taken += points[k].is_aside ? 0 : has_spin(&points[k]) ? 2 : 1;
  const hn_status status = choose_problem(self, taken, error);
  if (status != HN_OK) return status;
  for (int k = 0; k < count; k++) {
    if (points[k].is_aside) continue;
    self->of_point[self->count] = k;
    add_point(self, &points[k], bodies);
  }
  self->points = self->count;
  read_extras(self, span);
  for (int k = 0; k < self->extra_count; k++)
    if (!hn_extra_is_off(stepper->equations->elements, &rigid->extra[k]))
      add_extra(self, span, k, touching, bodies);
  self->extras = self->count - self->points;
  for (int k = 0; k < self->points; k++) {
    const hn_sweep_point *c = &points[self->of_point[k]];
    if (has_spin(c)) add_spin(self, k, c, bodies);
  }
  self->problem->count = self->count;
  return HN_OK;
}

// Points and stops that were left out, and that impulses elsewhere have driven through: they take part
// now. Returns how many.
static int find_missed(hn_stepping_conditions *self, const hn_stepping_span *span,
                       hn_sweep_point *points, int count, const hn_sweep_body *bodies) {
  const hn_conditions *rigid = hn_conditions_of(self->stepper->equations);
  int missed = 0, at = self->points;
  if (!self->stepper->type->restore) return 0;
  for (int k = 0; k < count; k++) {
    double u[3];
    if (!points[k].is_aside) continue;
    hn_sweep_velocity(bodies, &points[k], u);
    if (!(points[k].gap - points[k].sink + span->h * u[0] < -MISSED)) continue;
    points[k].is_aside = 0;
    missed++;
  }
  read_extras(self, span);
  for (int k = 0; k < self->extra_count; k++) {
    const struct hn_extra *extra = &rigid->extra[k];
    const int is_taken = at < self->count && self->extra[at] == k;
    hn_touch_row row;
    at += is_taken;
    if (is_taken || extra->kind != HN_EXTRA_STOP ||
        hn_extra_is_off(self->stepper->equations->elements, extra))
      continue;
    if (self->read[k].speed < 0) read_row(self, span, k, bodies, &row);
    if (!(self->read[k].gap + span->h * self->read[k].free_speed < -MISSED)) continue;
    self->is_forced[k] = 1;
    missed++;
  }
  return missed;
}

// HN_RETRY: rows lack memory.
static hn_status respond(hn_stepping_conditions *self, const hn_stepping_span *span,
                         const hn_sweep_body *bodies) {
  hn_stepper *stepper = self->stepper;
  hn_contact_rows *rows = self->problem->rows;
  if (rows) rows->used = 0;
  const hn_status status =
      stepper->type->respond(stepper, span, self->condition, bodies, self->problem);
  if (status != HN_OK || !rows) return status;
  self->are_rows_small = rows->used > rows->entry_capacity;
  if (self->are_rows_small) return HN_RETRY;
  hn_contact_rows_prepare(rows);
  return HN_OK;
}

hn_status hn_stepping_conditions_solve(hn_stepping_conditions *self, const hn_stepping_span *span,
                                       hn_sweep_point *points, int count, double touching,
                                       double scale, double tolerance, hn_sweep_body *bodies,
                                       hn_contact_record *record, hn_error *error) {
  hn_stepper *stepper = self->stepper;
  hn_delassus_report report;
  self->work = 0;
  self->has_stalled = 0;
  for (int k = 0; k < self->extra_count; k++) self->is_forced[k] = 0;
  for (int round = 0;; round++) {
    hn_status status = pose(self, span, points, count, touching, bodies, error);
    if (status != HN_OK || self->count == 0) return status;
    hn_delassus *d = self->problem;
    status = respond(self, span, bodies);
    if (status == HN_OK) status = check_prescribed(self, points, span->t + 0.5 * span->h, error);
    if (status != HN_OK) return status;
    soften_points(self, points, span->h);
    soften_stops(self, span->h);
    const double size = fmax(scale, largest_impulse(d));
    solve(self, AIM * size, tolerance * size, &report);
    if (self->is_poisson) return_impulses(self, points, tolerance * size, &report);
    record->sweeps += report.sweeps + report.newtons + report.inside;
    status = stepper->type->push(stepper, span, d, bodies);
    if (status != HN_OK) return status;
    for (int k = 0; k < self->points; k++)
      memcpy(points[self->of_point[k]].p, d->p[k], 3 * sizeof(double));
    for (int k = self->count - self->spins; k < self->count; k++)
      memcpy(points[self->of_point[k]].spin, d->p[k], 3 * sizeof(double));
    if (round == ROUNDS || !find_missed(self, span, points, count, bodies)) {
      record->residual = fmax(record->residual, report.residual / size);
      record->unresolved += !(report.residual <= tolerance * size);
      break;
    }
    stepper->type->restore(stepper, bodies);
  }
  record->fallbacks += self->has_stalled;
  note_extras(self, record);
  return HN_OK;
}

void hn_stepping_conditions_store(const hn_stepping_conditions *self, double h, hn_snapshot *s) {
  const hn_conditions *rigid = hn_conditions_of(self->stepper->equations);
  for (int k = 0; k < self->extra_count; k++) { // impulses alone are kept between steps
    const struct hn_extra *extra = &rigid->extra[k];
    if (extra->force < 0 || hn_extra_is_off(self->stepper->equations->elements, extra)) continue;
    const double force = self->impulse[k] / h;
    s->forces[extra->force].value += extra->kind == HN_EXTRA_STOP ? -extra->sign * force : -force;
  }
}
