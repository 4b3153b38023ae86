// Method time-stepping in relative coordinates: a step (relative/stepping.h).
#include "equations/relative/stepping.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "contact/geometry.h"
#include "equations/conditions.h"

enum { POINTS = 512, SEPARATIONS = 30 };

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
  const int nu = set->base.nu, nodes = set->tree->count;
  self->u0 = HN_WORK(arena, double, nu);
  self->u = HN_WORK(arena, double, nu);
  self->free_u = HN_WORK(arena, double, nu);
  self->free_taken = HN_WORK(arena, double, self->loop_count);
  self->force = HN_WORK(arena, double, nu);
  self->k = HN_WORK(arena, double, nu);
  self->d = HN_WORK(arena, double, nu);
  self->damped = HN_WORK(arena, double, nu);
  self->added = HN_WORK(arena, double, nu);
  self->mass = HN_WORK(arena, double, set->tree->mass_start[nu]);
  self->root = HN_WORK(arena, double, nu);
  self->x = HN_WORK(arena, double, nu);
  self->z = HN_WORK(arena, double, nu);
  self->v = HN_WORK(arena, hn_vec3, nodes);
  self->w = HN_WORK(arena, hn_vec3, nodes);
  self->base.impulse = HN_TAKE(arena, double, set->base.elements->row_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_relative_make_slopes(arena, self);
  return status == HN_OK ? hn_relative_make_stepping_rows(arena, self) : status;
}

static hn_status create(hn_arena *arena, hn_equations *e, int points, hn_stepper **stepper) {
  hn_relative_stepper *self = HN_TAKE(arena, hn_relative_stepper, 1);
  hn_relative_set *set = (hn_relative_set *)e;
  const hn_conditions *rigid = hn_conditions_of(e);
  const int extras = rigid->point_count - rigid->first_extra;
  unsigned char *is_rotor = HN_TAKE(arena, unsigned char, set->cut_count);
  if (!self || !is_rotor) return HN_ERROR_MEMORY;
  *self = (hn_relative_stepper){.set = set};
  self->base = (hn_stepper){.type = &hn_relative_stepping,
                            .equations = e,
                            .most = (points < POINTS ? points : POINTS) + extras};
  if (!set->tree->mass_start) {
    hn_status status = hn_tree_make_mass_pattern(arena, set->tree);
    if (status != HN_OK) return status;
  }
  self->rotors = HN_TAKE(arena, hn_tree_rotor, set->cut_count);
  self->loops = HN_TAKE(arena, int, set->cut_count);
  if (!set->composite) set->composite = HN_WORK(arena, hn_tree_composite, set->tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  find_rotors(self, is_rotor);
  for (int c = 0; c < set->cut_count; c++)
    if (!is_rotor[c]) self->loops[self->loop_count++] = c;
  *stepper = &self->base;
  return take_memory(arena, self);
}

// ---- motion -------------------------------------------------------------------------------------

static hn_quat turn_by(hn_quat p, hn_vec3 turn) {
  const double angle = vec3_norm(turn);
  return angle > 0 ? quat_unit(quat_multiply(quat_from_axis_angle(turn, angle), p)) : p;
}

// q = from moved by h times the speeds.
static void move(const hn_tree *tree, double h, const double *u, const double *from, double *q) {
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    int at = node->q, speed = node->u;
    const int plain = node->kind == HN_LINK_FREE ? 3 : node->u_count == 1;
    for (int i = 0; i < plain; i++, at++) q[at] = from[at] + h * u[speed++];
    if (node->q_count == node->u_count) continue;
    quat_store(&q[at], turn_by(quat_load(&from[at]), vec3_scale(h, vec3_load(&u[speed]))));
  }
}

static void store_bodies(hn_relative_stepper *self, const hn_frame *frames, hn_sweep_body *bodies) {
  for (int b = 1; b < self->set->base.model->body_count; b++) {
    bodies[b].v = frames[b].v;
    bodies[b].w = frames[b].w;
  }
}

// Velocities of bodies at q_m with the speeds u.
static void find_velocities(hn_relative_stepper *self, const hn_frame *frames,
                            hn_sweep_body *bodies) {
  const hn_tree *tree = self->set->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    const hn_tree_motion *m = &self->set->motion[k];
    const double *u = &self->u[node->u];
    hn_vec3 v = vec3_zero(), w = vec3_zero();
    if (node->parent >= 0) {
      w = self->w[node->parent];
      v = vec3_add(self->v[node->parent], vec3_cross(w, m->d));
    }
    if (node->u_count == 1) {
      v = vec3_add_scaled(v, node->linear * u[0], m->axis);
      w = vec3_add_scaled(w, node->angular * u[0], m->axis);
    } else if (node->kind == HN_LINK_BALL) {
      w = vec3_add(w, mat3_apply(m->joint, vec3_load(u)));
    } else if (node->kind == HN_LINK_FREE) {
      v = vec3_load(u);
      w = vec3_load(u + 3);
    }
    self->v[k] = v;
    self->w[k] = w;
    if (node->body == 0) continue;
    bodies[node->body].w = w;
    bodies[node->body].v = vec3_add(v, vec3_cross(w, vec3_sub(frames[node->body].r, m->origin)));
  }
}

static hn_status begin(hn_stepper *stepper, const hn_stepping_span *s, hn_sweep_body *bodies,
                       hn_error *error) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  hn_relative_speeds(&set->base, s->q, s->qd, self->u0);
  for (int r = 0; r < self->rotor_count; r++)
    self->u0[self->rotors[r].u] = self->rotors[r].ratio * self->u0[self->rotors[r].of_u];
  memcpy(set->u, self->u0, (size_t)set->base.nu * sizeof(double));
  memcpy(self->u, self->u0, (size_t)set->base.nu * sizeof(double));
  move(set->tree, 0.5 * s->h, self->u0, s->q, s->next_q);
  set->present = &hn_motion_in_space;
  set->flat.is_alone = 0;
  hn_tree_move(set->tree, s->next_q, set->u, vec3_negate(model->gravity), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, s->next->frames);
  store_bodies(self, s->next->frames, bodies);
  self->frames = s->next->frames;
  hn_status status =
      hn_relative_stage_forces(set, s->t + 0.5 * s->h, s->next_q, 0, s->branches, s->next, error);
  if (status != HN_OK) return status;
  if (set->forces.measured > 0)
    hn_relative_apply_to_nodes(set, s->next);
  else
    hn_relative_forget_applied(set);
  set->present->inverse(set, NULL);
  for (int i = 0; i < set->base.nu; i++) self->force[i] = set->forces.load[i] - set->b[i];
  return HN_OK;
}

// ---- without contacts ---------------------------------------------------------------------------

// A in self->mass, factored; the right side in self->z.
static hn_status factor(hn_relative_stepper *self, const hn_stepping_span *s, hn_error *error) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  hn_tree_mass(tree, set->motion, set->composite, self->mass);
  for (int r = 0; r < self->rotor_count; r++) {
    const hn_tree_rotor *rotor = &self->rotors[r];
    double *own = &self->mass[tree->mass_start[rotor->u + 1] - 1];
    self->mass[tree->mass_start[rotor->of_u + 1] - 1] += rotor->ratio * rotor->ratio * *own;
    *own = 1;
  }
  hn_relative_find_axes(self);
  hn_relative_add_slopes(self, s);
  hn_relative_lend_inertia(self);
  if (!hn_tree_factor(tree, self->mass)) return hn_relative_fail_pivot(self, s, error);
  for (int i = 0; i < tree->nu; i++) self->root[i] = sqrt(self->mass[tree->mass_start[i + 1] - 1]);
  return HN_OK;
}

static void add_change(hn_relative_stepper *self, const double *z) {
  hn_relative_descend(self, z, self->x);
  for (int i = 0; i < self->set->base.nu; i++) self->u[i] += self->x[i];
}

// Inertia forces at the mean of the speeds found so far instead of those at the start: motions without
// impacts are of second order then.
static void center_inertia(hn_relative_stepper *self, double h) {
  hn_relative_set *set = self->set;
  const int nu = set->base.nu;
  for (int i = 0; i < nu; i++) set->u[i] = 0.5 * (self->u0[i] + self->u[i]);
  hn_tree_move_on(set->tree, set->u, vec3_negate(set->base.model->gravity), set->motion);
  set->present->inverse(set, NULL);
  for (int i = 0; i < nu; i++) {
    const double force = set->forces.load[i] - set->b[i];
    self->z[i] = h * (force - self->force[i]);
    self->force[i] = force;
  }
  hn_relative_ascend_free(self, self->z);
  add_change(self, self->z);
  memcpy(set->u, self->u0, (size_t)nu * sizeof(double));
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
  center_inertia(self, s->h);
  memcpy(self->free_u, self->u, (size_t)self->set->base.nu * sizeof(double));
  memcpy(self->free_taken, self->taken, (size_t)self->loop_count * sizeof(double));
  find_velocities(self, s->next->frames, bodies);
  return HN_OK;
}

// ---- conditions ---------------------------------------------------------------------------------

// Stops and friction of joints in the tree are on one speed.
static void read_extra(hn_stepper *stepper, const hn_stepping_span *s, const struct hn_extra *extra,
                       hn_stepping_condition *c, double *before, double *free_speed) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  const int force = extra->force;
  c->speed = -1;
  if (force < 0 || self->set->forces.node[force] < 0) return;
  const hn_tree_measure m = hn_relative_measure(self->set, force, s->next_q, s->branches->turns);
  const double sign = extra->kind == HN_EXTRA_STOP ? extra->sign : 1;
  c->speed = m.speed;
  c->share = sign * m.share;
  c->gap = sign * (m.value - extra->end);
  *before = c->share * self->u0[m.speed];
  *free_speed = c->share * self->u[m.speed];
}

static void push(hn_stepper *stepper, const hn_delassus *d, hn_sweep_body *bodies) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_gather(self, d, self->z);
  add_change(self, self->z);
  find_velocities(self, self->frames, bodies);
}

static void restore(hn_stepper *stepper, hn_sweep_body *bodies) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  const size_t size = (size_t)self->set->base.nu * sizeof(double);
  memcpy(self->u, self->free_u, size);
  memcpy(self->taken, self->free_taken, (size_t)self->loop_count * sizeof(double));
  find_velocities(self, self->frames, bodies);
}

// Impulses that would separate what overlaps by a fraction of its depth in this step: normals alone,
// by Gauss-Seidel. They are a correction: accuracy is uncritical.
static void find_separation(const hn_stepping_condition *conditions, hn_delassus *d, double share) {
  const int n = d->count;
  for (int k = 0; k < n; k++) memset(d->p[k], 0, sizeof d->p[k]);
  for (int pass = 0; pass < SEPARATIONS; pass++)
    for (int i = 0; i < n; i++) {
      if (d->block[i].law != HN_DELASSUS_CONE && d->block[i].law != HN_DELASSUS_UNILATERAL)
        continue;
      const double gap = conditions[i].gap;
      double way = gap < 0 ? share * gap : gap;
      for (int j = 0; j < n; j++) way += hn_delassus_at(d, i, j)[0] * d->p[j][0];
      const double own = hn_delassus_at(d, i, i)[0];
      if (own > 0) d->p[i][0] = fmax(0, d->p[i][0] - way / own);
    }
}

static double part(hn_stepper *stepper, const hn_stepping_span *s, const hn_sweep_body *bodies,
                   hn_sweep_point *points, int count, const hn_stepping_condition *conditions,
                   hn_delassus *d, double share) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  double work = 0;
  (void)bodies;
  (void)points;
  (void)count;
  find_separation(conditions, d, share);
  hn_relative_gather(self, d, self->z);
  hn_relative_descend(self, self->z, self->x);
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

static hn_status end(hn_stepper *stepper, const hn_stepping_span *s, hn_sweep_body *bodies,
                     hn_error *error) {
  hn_relative_stepper *self = (hn_relative_stepper *)stepper;
  hn_relative_set *set = self->set;
  const int nu = set->base.nu;
  (void)bodies;
  stepper->work = hn_relative_implicit_work(self, s->h);
  hn_relative_loop_impulses(self);
  move(set->tree, 0.5 * s->h, self->u, s->next_q, s->next_q);
  hn_status status = close_loops(self, s);
  if (status != HN_OK) return status < 0 ? hn_fail_unsolved(status, s->t_end, error) : status;
  set->present = &hn_motion_in_space;
  memcpy(set->u, self->u, (size_t)nu * sizeof(double));
  hn_relative_rates(&set->base, s->next_q, self->u, s->next_qd);
  hn_tree_move(set->tree, s->next_q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, s->next->frames);
  s->next->t = s->t_end;
  store_rows(self, s);
  status = hn_relative_apply_forces(set, s->t_end, s->next_q, s->branches, s->next, error);
  if (status != HN_OK) return status;
  for (int i = 0; i < nu; i++) set->x[i] = (self->u[i] - self->u0[i]) / s->h;
  hn_relative_store_kinetic(set, s->next);
  hn_relative_store_rates(set, s->next_q, s->next);
  memcpy(s->next->q, s->next_q, (size_t)set->base.nq * sizeof(double));
  s->next->is_partial = HN_SNAPSHOT_OF_STEP;
  set->factored.is_there = 0;
  return HN_OK;
}

static hn_status refresh(hn_equations *e, double t, const double *q, const double *qd,
                         const hn_branches *branches, hn_snapshot *snapshot, hn_error *error) {
  hn_relative_set *set = (hn_relative_set *)e;
  hn_relative_speeds(e, q, qd, set->u);
  set->present = &hn_motion_in_space;
  hn_tree_move(set->tree, q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, snapshot->frames);
  memcpy(snapshot->q, q, (size_t)e->nq * sizeof(double));
  snapshot->is_partial = HN_SNAPSHOT_OF_STEP;
  return hn_relative_apply_forces(set, t, q, branches, snapshot, error);
}

const hn_stepping_type hn_relative_stepping = {
    .create = create,
    .evaluate = hn_relative_evaluate,
    .refresh = refresh,
    .begin = begin,
    .fall = fall,
    .extra = read_extra,
    .respond = hn_relative_stepping_respond,
    .push = push,
    .restore = restore,
    .part = part,
    .end = end,
};
