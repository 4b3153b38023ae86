// Method time-stepping in relative coordinates: a step (relative/stepping.h).
#include "equations/relative/stepping.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/geometry.h"
#include "equations/conditions.h"

#define LONGER 1.5     // of the last step: inertia forces of a longer one are not expected from it
#define SEPARATED 1e-3 // of the deepest overlap: smaller changes end the search for displacements
// Contact points of a dense problem; FEW_POINTS: of many speeds, or of bodies without joints.
enum { POINTS = 512, FEW_POINTS = 128, MANY_SPEEDS = 600, SEPARATIONS = 30 };

// ---- set-up -------------------------------------------------------------------------------------

static int has_shape(const hn_relative_set *self, int body) {
  const hn_contacts *contacts = hn_conditions_of(&self->base)->contacts;
  for (int k = 0; k < contacts->shape_count; k++)
    if (contacts->shapes[k].body == body) return 1;
  return 0;
}

// A massless wheel on ground.
static int is_wheel(const hn_relative_set *self, int speed) {
  const hn_tree *tree = self->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->u != speed || node->u_count != 1) continue;
    return node->parent < 0 && node->is_leaf && node->body > 0 && node->mass == 0 &&
           !has_shape(self, node->body);
  }
  return 0;
}

static void find_rotors(hn_relative_stepper *self, unsigned char *is_rotor) {
  const hn_relative_set *set = self->set;
  if (set->base.elements->row_off) return; // couplers may be switched
  for (int k = 0; k < set->lanes.straight_count; k++) {
    hn_straight_pair pair;
    if (!hn_relative_straight_pair(set, k, &pair)) continue;
    for (int i = 0; i < 2; i++) {
      if (!is_wheel(set, pair.u[i]) || pair.factor[i] == 0 || is_wheel(set, pair.u[1 - i]))
        continue;
      is_rotor[pair.cut] = 1;
      self->rotors[self->rotor_count++] =
          (hn_tree_rotor){.q = pair.q[i],
                          .u = pair.u[i],
                          .of_u = pair.u[1 - i],
                          .ratio = -pair.factor[1 - i] / pair.factor[i]};
      break;
    }
  }
}

static hn_status take_memory(hn_arena *arena, hn_relative_stepper *self) {
  const hn_relative_set *set = self->set;
  const int nu = set->base.nu;
  self->u0 = HN_WORK(arena, double, nu);
  self->u = HN_WORK(arena, double, nu);
  self->free_u = HN_WORK(arena, double, nu);
  self->free_taken = HN_WORK(arena, double, self->loop_count);
  self->force = HN_WORK(arena, double, nu);
  self->k = HN_WORK(arena, double, nu);
  self->d = HN_WORK(arena, double, nu);
  self->damped = HN_WORK(arena, double, nu);
  self->added = HN_WORK(arena, double, nu);
  self->root = HN_WORK(arena, double, nu);
  self->x = HN_WORK(arena, double, nu);
  self->z = HN_WORK(arena, double, nu);
  self->bias = HN_WORK(arena, double, nu);
  self->base.impulse = HN_KEEP(arena, double, set->base.elements->row_count);
  self->base.slope = HN_KEEP(arena, double, nu);
  self->base.next_slope = HN_KEEP(arena, double, nu);
  self->base.drift = HN_KEEP(arena, hn_body_drift, set->base.model->body_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_relative_make_slopes(arena, self);
  if (status == HN_OK) status = hn_relative_make_step_loads(arena, self);
  if (status == HN_OK) status = hn_relative_make_step_rows(arena, self);
  return status == HN_OK ? hn_relative_make_stepping_rows(arena, self) : status;
}

// Stops and friction of joints in the tree are on one speed.
static hn_status make_extras(hn_arena *arena, hn_relative_stepper *self) {
  const hn_relative_set *set = self->set;
  const hn_conditions *rigid = hn_conditions_of(&set->base);
  const hn_elements *elements = set->base.elements;
  const int count = rigid->point_count - rigid->first_extra;
  self->extra_count = count;
  self->extra = HN_TAKE(arena, hn_step_extra, count);
  for (int k = 0; k < count && !arena->failed; k++) {
    const struct hn_extra *extra = &rigid->extra[k];
    const int f = extra->force, node = f >= 0 ? set->forces.node[f] : -1;
    self->extra[k] = (hn_step_extra){.u = -1};
    if (node < 0) continue;
    const int turn = elements->measures[elements->force_coordinate[f]].turn;
    self->extra[k] = (hn_step_extra){.q = set->tree->nodes[node].q,
                                     .u = set->tree->nodes[node].u,
                                     .turn = turn,
                                     .force = f,
                                     .end = extra->end,
                                     .share = turn >= 0 ? 1 : set->tree->nodes[node].linear,
                                     .sign = extra->kind == HN_EXTRA_STOP ? extra->sign : 1};
  }
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// Of bodies without joints.
static hn_status make_inertias(hn_arena *arena, hn_relative_stepper *self) {
  const hn_model *model = self->set->base.model;
  self->inverse = HN_TAKE(arena, hn_mat3, model->body_count);
  self->parting = HN_WORK(arena, hn_sweep_body, model->body_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int b = 1; b < model->body_count; b++)
    self->inverse[b] = mat3_invert_symmetric(model->bodies[b].inertia);
  return HN_OK;
}

static hn_status create(hn_arena *arena, hn_equations *e, hn_stepper **stepper) {
  hn_relative_stepper *self = HN_KEEP(arena, hn_relative_stepper, 1);
  hn_relative_set *set = (hn_relative_set *)e;
  const hn_conditions *rigid = hn_conditions_of(e);
  const int extras = rigid->point_count - rigid->first_extra;
  unsigned char *is_rotor = HN_TAKE(arena, unsigned char, set->cut_count);
  if (!self || !is_rotor) return HN_ERROR_MEMORY;
  *self = (hn_relative_stepper){.set = set};
  self->base = (hn_stepper){
      .type = &hn_relative_stepping, .equations = e, .row_size = e->nu, .most = POINTS + extras};
  if (!set->tree->mass_start) {
    hn_status status = hn_tree_make_mass_pattern(arena, set->tree);
    if (status != HN_OK) return status;
  }
  self->rotors = HN_TAKE(arena, hn_tree_rotor, set->cut_count);
  self->loops = HN_TAKE(arena, int, set->cut_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  find_rotors(self, is_rotor);
  self->moves_all = set->forces.measured > 0 || set->tree->limbs;
  for (int c = 0; c < set->cut_count; c++)
    if (!is_rotor[c]) self->loops[self->loop_count++] = c;
  *stepper = &self->base;
  hn_status status = make_extras(arena, self);
  self->base.are_bodies = hn_relative_are_bodies(self);
  if (self->base.are_bodies || e->nu > MANY_SPEEDS) self->base.most = FEW_POINTS + extras;
  if (status == HN_OK) status = take_memory(arena, self);
  return status == HN_OK && self->base.are_bodies ? make_inertias(arena, self) : status;
}

// ---- motion -------------------------------------------------------------------------------------

static hn_quat turn_by(hn_quat p, hn_vec3 turn) {
  const double angle = vec3_norm(turn);
  return angle > 0 ? quat_unit(quat_multiply(quat_from_axis_angle(turn, angle), p)) : p;
}

// q = from moved by h times the speeds.
static void move(const hn_tree *tree, double h, const double *u, const double *from, double *q) {
  for (int i = 0; i < tree->plain_count; i++) {
    const hn_tree_plain on = tree->plain[i];
    q[on.q] = from[on.q] + h * u[on.u];
  }
  for (int k = 0; k < tree->quaternions; k++) {
    const hn_tree_node *node = &tree->nodes[tree->quaternion_node[k]];
    const int at = hn_tree_turn_q(node), speed = hn_tree_turn_u(node);
    quat_store(&q[at], turn_by(quat_load(&from[at]), vec3_scale(h, vec3_load(&u[speed]))));
  }
}

static void store_bodies(hn_relative_stepper *self, const hn_frame *frames, hn_sweep_body *bodies) {
  for (int b = 1; b < self->set->base.model->body_count; b++) {
    bodies[b].v = frames[b].v;
    bodies[b].w = frames[b].w;
  }
}

// Motion and frames at q and the present speeds of the set, of rotors only where they are read.
static void move_motion(hn_relative_stepper *self, const double *q, hn_frame *frames) {
  hn_relative_set *set = self->set;
  if (!self->moves_all) {
    hn_tree_move_ranges(set->tree, self->range, self->range_count, q, set->u, set->motion, frames);
    return;
  }
  hn_tree_move(set->tree, q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, frames);
}

static hn_status begin(hn_stepper *stepper, const hn_stepping_span *s, hn_sweep_body *bodies,
                       hn_error *error) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_set *set = self->set;
  hn_relative_speeds(&set->base, s->q, s->qd, self->u0);
  for (int r = 0; r < self->rotor_count; r++)
    self->u0[self->rotors[r].u] = self->rotors[r].ratio * self->u0[self->rotors[r].of_u];
  memcpy(set->u, self->u0, (size_t)set->base.nu * sizeof(double));
  memcpy(self->u, self->u0, (size_t)set->base.nu * sizeof(double));
  move(set->tree, 0.5 * s->h, self->u0, s->q, s->next_q);
  set->present = &hn_motion_in_space;
  set->flat.is_alone = 0;
  move_motion(self, s->next_q, s->next->frames);
  store_bodies(self, s->next->frames, bodies);
  self->frames = s->next->frames;
  hn_status status = hn_relative_step_forces(self, s, error);
  if (status != HN_OK) return status;
  if (set->forces.measured > 0)
    hn_relative_apply_to_nodes(set, s->next);
  else
    hn_relative_forget_applied(set);
  return HN_OK;
}

// ---- without contacts ---------------------------------------------------------------------------

// Forces with those of inertia at speeds u.
static void find_force(hn_relative_stepper *self, const double *u, double *force) {
  hn_relative_step_bias(self, u, self->bias);
  for (int i = 0; i < self->set->base.nu; i++) force[i] = self->set->forces.load[i] - self->bias[i];
}

// The last step says what speeds to expect. Not far beyond its length: damping that was strong in a
// short step would throw a longer one off.
static int is_expected(const hn_relative_stepper *self, double h) {
  return self->base.slope_step > 0 && h <= LONGER * self->base.slope_step;
}

// A in self->mass, factored; the right side in self->z. Inertia forces are those at the speeds of the
// middle as the last step lets them be expected: motions without impacts are of second order then.
static hn_status factor(hn_relative_stepper *self, const hn_stepping_span *s, hn_error *error) {
  const double ahead = is_expected(self, s->h) ? 0.5 * s->h : 0;
  hn_relative_step_mass(self);
  for (int i = 0; i < self->set->base.nu; i++)
    self->x[i] = self->u0[i] + ahead * self->base.slope[i];
  find_force(self, self->x, self->force);
  hn_relative_add_slopes(self, s);
  hn_relative_lend_inertia(self);
  return hn_relative_step_factor(self) ? HN_OK : hn_relative_fail_pivot(self, s, error);
}

static void add_change(hn_relative_stepper *self, const double *z) {
  hn_relative_descend(self, z, self->x);
  for (int i = 0; i < self->set->base.nu; i++) self->u[i] += self->x[i];
}

// Without a last step: inertia forces at the mean of the speeds found so far instead of those at the
// start.
static void center_inertia(hn_relative_stepper *self, double h) {
  const int nu = self->set->base.nu;
  for (int i = 0; i < nu; i++) self->x[i] = 0.5 * (self->u0[i] + self->u[i]);
  find_force(self, self->x, self->x);
  for (int i = 0; i < nu; i++) {
    self->z[i] = h * (self->x[i] - self->force[i]);
    self->force[i] = self->x[i];
  }
  hn_relative_ascend_free(self, self->z);
  add_change(self, self->z);
}

static hn_status fall(hn_stepper *stepper, const hn_stepping_span *s, hn_sweep_body *bodies,
                      hn_error *error) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  if (self->loop_count > 0)
    hn_relative_move_cuts(self->set, s->t_end, s->next_q, s->next->frames, s->branches);
  hn_status status = factor(self, s, error);
  if (status != HN_OK) return status;
  hn_relative_hold_loops(self, self->z);
  add_change(self, self->z);
  if (!is_expected(self, s->h)) center_inertia(self, s->h);
  hn_relative_step_drift(self);
  memcpy(self->free_u, self->u, (size_t)self->set->base.nu * sizeof(double));
  memcpy(self->free_taken, self->taken, (size_t)self->loop_count * sizeof(double));
  hn_relative_step_velocities(self, self->u, bodies);
  if (self->inverse) hn_relative_store_inertias(self, bodies);
  return HN_OK;
}

// ---- conditions ---------------------------------------------------------------------------------

static void read_extras(hn_stepper *stepper, const hn_stepping_span *s, hn_stepping_extra *to) {
  const hn_relative_stepper *self = (const hn_relative_stepper *)stepper;
  const hn_elements *elements = self->set->base.elements;
  const double *turns = s->branches->turns;
  for (int k = 0; k < self->extra_count; k++) {
    const hn_step_extra *on = &self->extra[k];
    to[k].speed = on->u;
    if (on->u < 0) continue;
    double value = on->share * s->next_q[on->q];
    if (on->turn >= 0) value = hn_nearest_turn(value, turns[on->turn]);
    value -= hn_force_held(elements, on->force, turns);
    to[k].share = on->sign * on->share;
    to[k].gap = on->sign * (value - on->end);
    to[k].before = to[k].share * self->u0[on->u];
    to[k].free_speed = to[k].share * self->u[on->u];
  }
}

static hn_status push(hn_stepper *stepper, const hn_stepping_span *s, const hn_delassus *d,
                      hn_sweep_body *bodies) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  (void)s;
  hn_relative_gather(self, d, self->z);
  add_change(self, self->z);
  hn_relative_step_velocities(self, self->u, bodies);
  return HN_OK;
}

static void take(hn_stepper *stepper, const hn_sweep_body *bodies) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_load_bodies(self, bodies, self->u);
}

static void restore(hn_stepper *stepper, hn_sweep_body *bodies) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  const size_t size = (size_t)self->set->base.nu * sizeof(double);
  memcpy(self->u, self->free_u, size);
  memcpy(self->taken, self->free_taken, (size_t)self->loop_count * sizeof(double));
  hn_relative_step_velocities(self, self->u, bodies);
}

// Impulses that would separate what overlaps by a fraction of its depth in this step: normals alone,
// by Gauss-Seidel until they hardly change. They are a correction: accuracy is uncritical. Only points
// that are pushed change the ways of others.
static void find_separation(const hn_stepping_condition *conditions, hn_delassus *d, double *way,
                            double share) {
  const int n = d->count;
  double deepest = 0;
  for (int k = 0; k < n; k++) {
    const double gap = conditions[k].gap;
    const int is_normal = !conditions[k].is_soft && (d->block[k].law == HN_DELASSUS_CONE ||
                                                     d->block[k].law == HN_DELASSUS_UNILATERAL);
    memset(d->p[k], 0, sizeof d->p[k]);
    way[k] = is_normal ? (gap < 0 ? share * gap : gap) : HUGE_VAL;
    deepest = fmax(deepest, -way[k]);
  }
  if (d->rows) {
    hn_contact_rows_separate(d->rows, way, SEPARATED * deepest, SEPARATIONS);
    return;
  }
  for (int pass = 0, is_moving = 1; pass < SEPARATIONS && is_moving; pass++) {
    is_moving = 0;
    for (int i = 0; i < n; i++) {
      const double own = hn_delassus_at(d, i, i)[0];
      if (!(own > 0) || (way[i] >= 0 && d->p[i][0] == 0)) continue;
      const double change = fmax(-d->p[i][0], -way[i] / own);
      d->p[i][0] += change;
      is_moving |= fabs(change) * own > SEPARATED * deepest;
      for (int j = 0; j < n; j++) way[j] += hn_delassus_at(d, j, i)[0] * change;
    }
  }
}

static double part(hn_stepper *stepper, const hn_stepping_span *s, const hn_sweep_body *bodies,
                   hn_sweep_point *points, int count, const hn_stepping_condition *conditions,
                   hn_delassus *d, double share) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  double work = 0;
  if (d) {
    find_separation(conditions, d, d->rows ? d->rows->slowness : d->x, share);
    hn_relative_gather(self, d, self->z);
    hn_relative_descend(self, self->z, self->x);
  } else {
    for (int b = 0; b < self->set->base.model->body_count; b++) {
      self->parting[b] = bodies[b];
      self->parting[b].v = self->parting[b].w = vec3_zero();
    }
    hn_sweep_part(self->parting, points, count, share);
    hn_relative_load_bodies(self, self->parting, self->x);
  }
  for (int i = 0; i < self->set->base.nu; i++) work += self->force[i] * self->x[i];
  hn_relative_displace(&self->set->base, self->x, s->next_q);
  return work;
}

// ---- the end ------------------------------------------------------------------------------------

static hn_status close_loops(hn_relative_stepper *self, const hn_stepping_span *s) {
  hn_relative_set *set = self->set;
  if (self->loop_count == 0 || hn_relative_close_loops(self, s)) return HN_OK;
  hn_status status = hn_relative_project_positions(&set->base, s->t_end, s->next_q, s->branches,
                                                   s->projection, set->spare_q);
  hn_relative_rates(&set->base, s->next_q, self->u, s->next_qd);
  if (status == HN_OK)
    status = hn_relative_project_velocities(&set->base, s->t_end, s->next_q, s->next_qd,
                                            s->branches, set->spare_q);
  hn_relative_speeds(&set->base, s->next_q, s->next_qd, self->u);
  return status;
}

static void store_rows(hn_relative_stepper *self, const hn_stepping_span *s) {
  hn_relative_set *set = self->set;
  hn_snapshot *to = s->next;
  const hn_cartesian_rows *rows = set->base.rows;
  const int count = set->base.elements->row_count;
  double *numbers[] = {to->phi, to->phi_rate, to->phi_acceleration, to->phi_time_rate, to->lambda};
  for (int k = 0; k < 5 && !to->rows_rest; k++)
    memset(numbers[k], 0, (size_t)count * sizeof(double));
  to->rows_rest = self->loop_count == 0;
  if (to->rows_rest) return;
  hn_relative_move_cuts(set, s->t_end, s->next_q, to->frames, s->branches);
  for (int c = 0; c < self->loop_count; c++) {
    const int r = set->cut_row[self->loops[c]];
    to->phi[r] = rows->value[r];
    to->phi_rate[r] = rows->rate[r];
    to->phi_time_rate[r] = rows->time_rate[r];
    to->lambda[r] = self->base.impulse[r] / s->h;
  }
}

// Accelerations that the next step may expect. An impact does not repeat, and what rests on contacts
// does not fall: of the accelerations with and without impulses the smaller, 0 where they oppose.
static void find_slope(hn_relative_stepper *self, double h) {
  for (int i = 0; i < self->set->base.nu; i++) {
    const double all = self->u[i] - self->u0[i], forces = self->free_u[i] - self->u0[i];
    const double least = fabs(all) < fabs(forces) ? all : forces;
    self->base.next_slope[i] = all * forces > 0 ? least / h : 0;
  }
}

static hn_status end(hn_stepper *stepper, const hn_stepping_span *s, hn_sweep_body *bodies,
                     hn_error *error) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_set *set = self->set;
  const int nu = set->base.nu;
  (void)bodies;
  stepper->work = hn_relative_implicit_work(self, s->h);
  find_slope(self, s->h);
  hn_relative_loop_impulses(self);
  move(set->tree, 0.5 * s->h, self->u, s->next_q, s->next_q);
  hn_status status = close_loops(self, s);
  if (status != HN_OK) return status < 0 ? hn_fail_unsolved(status, s->t_end, error) : status;
  set->present = &hn_motion_in_space;
  memcpy(set->u, self->u, (size_t)nu * sizeof(double));
  hn_relative_rates(&set->base, s->next_q, self->u, s->next_qd);
  move_motion(self, s->next_q, s->next->frames);
  if (!self->moves_all) hn_relative_move_rotors(self, s->next_q, set->u, s->next->frames);
  s->next->t = s->t_end;
  store_rows(self, s);
  status = hn_relative_end_forces(self, s->t_end, s->next_q, s->branches, s->next, error);
  if (status != HN_OK) return status;
  for (int i = 0; i < nu; i++) set->x[i] = (self->u[i] - self->u0[i]) / s->h;
  hn_relative_store_kinetic(set, s->next);
  hn_relative_store_rates(set, s->next_q, s->next);
  memcpy(s->next->q, s->next_q, (size_t)set->base.nq * sizeof(double));
  set->factored.is_there = 0;
  return HN_OK;
}

static hn_status refresh(hn_stepper *stepper, double t, const double *q, const double *qd,
                         const hn_branches *branches, hn_snapshot *snapshot, hn_error *error) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_set *set = self->set;
  memcpy(snapshot->q, q, (size_t)set->base.nq * sizeof(double));
  if (self->loads_wait) return hn_relative_end_forces(self, t, q, branches, snapshot, error);
  hn_relative_speeds(&set->base, q, qd, set->u);
  set->present = &hn_motion_in_space;
  hn_tree_move(set->tree, q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, snapshot->frames);
  return hn_relative_end_forces(self, t, q, branches, snapshot, error);
}

const hn_stepping_type hn_relative_stepping = {
    .create = create,
    .evaluate = hn_relative_evaluate,
    .refresh = refresh,
    .begin = begin,
    .fall = fall,
    .extras = read_extras,
    .take = take,
    .respond = hn_relative_stepping_respond,
    .push = push,
    .restore = restore,
    .part = part,
    .parting = 0.5,
    .end = end,
};
