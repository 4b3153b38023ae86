// Forces in the tangent of the relative set that see more than the relative motion of two bodies: point
// forces, torques, the user's. The derivatives of their wrenches against small motions
// (elements/force.h) are chained along the speeds above the bodies. For a wrench E_a on body a, about O,
//
//   (J' E)_pi  row j, column k:  S_j . dE_a/dpi_k + [k strictly above j] (S_k x S_j) . E_a
#include <string.h>

#include "elements/force.h"
#include "equations/relative/tangent.h"

// ---- along the speeds ---------------------------------------------------------------------------

static hn_twist add(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_add(a.v, b.v), vec3_add(a.w, b.w)};
}

// Motion of a body's centre of mass, P from O, with a speed above it.
static hn_body_change change_of(const hn_speed_column *c, const hn_node_rates *rates,
                                const hn_frame *f) {
  hn_vec3 point = vec3_sub(f->r, rates->point);
  hn_twist dy = add(hn_twist_cross(c->s, rates->y), c->psd);
  hn_vec3 w = rates->y.w;
  hn_body_change out;
  out.r = vec3_add(c->s.v, vec3_cross(c->s.w, point));
  out.turn = c->s.w;
  out.w = dy.w;
  out.v = vec3_add(vec3_add(dy.v, vec3_cross(dy.w, point)), vec3_cross(w, out.r));
  out.w_w = c->s.w;
  out.v_w = out.r;
  return out;
}

// Speeds between a body and the node `top`. Returns how many.
static int list_speeds(hn_relative_tangent *self, int slot, int body, int top) {
  const hn_tree *tree = self->set->tree;
  int count = 0;
  for (int k = tree->body_node[body]; k != top; k = tree->nodes[k].parent)
    for (int i = tree->nodes[k].u; i < tree->nodes[k].u + tree->nodes[k].u_count; i++)
      self->list[slot][count++] = i;
  return count;
}

// The body's motion along each of them.
static void move_along(hn_relative_tangent *self, int slot, int body, int count) {
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[body]];
  for (int i = 0; i < count; i++)
    self->change[slot][i] =
        change_of(&self->columns[self->list[slot][i]], rates, &self->snapshot->frames[body]);
}

// matrix (6 x 6 in rows of 12) times (u, v)
static void times(const double (*matrix)[12], hn_vec3 u, hn_vec3 v, double out[6]) {
  for (int i = 0; i < 6; i++)
    out[i] += matrix[i][0] * u.x + matrix[i][1] * u.y + matrix[i][2] * u.z + matrix[i][3] * v.x +
              matrix[i][4] * v.y + matrix[i][5] * v.z;
}

// A wrench about the centre of mass, about O.
static hn_tree_wrench about_point(const double w[6], hn_vec3 point) {
  hn_vec3 f = vec3_load(w);
  return (hn_tree_wrench){f, vec3_add(vec3_load(w + 3), vec3_cross(point, f))};
}

static double power(hn_twist a, hn_tree_wrench f) {
  return vec3_dot(a.v, f.f) + vec3_dot(a.w, f.n);
}

typedef struct column_change {
  hn_tree_wrench pose, speed; // of the wrench on a body, about O
} column_change;

// What a speed that moves body b like this does to the wrench on body a.
static column_change column_of(const hn_relative_tangent *self, const hn_force_load *e, int a,
                               int b, const hn_body_change *change) {
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[e->body[a]]];
  hn_vec3 point = vec3_sub(self->snapshot->frames[e->body[a]].r, rates->point);
  const double(*pose)[12] = (const double(*)[12]) & e->d_pose[6 * a][6 * b];
  const double(*speed)[12] = (const double(*)[12]) & e->d_speed[6 * a][6 * b];
  double by_pose[6] = {0}, by_speed[6] = {0};
  times(pose, change->r, change->turn, by_pose);
  times(speed, change->v, change->w, by_pose);
  times(speed, change->v_w, change->w_w, by_speed);
  column_change out = {about_point(by_pose, point), about_point(by_speed, point)};
  if (a == b)
    out.pose.n = vec3_add(out.pose.n, vec3_cross(change->r, vec3_load(&e->wrench[6 * a])));
  return out;
}

// The column of speed k, which moves body b, in the rows of the speeds of body a.
static void add_column(hn_relative_tangent *self, const hn_force_load *e, int a, int rows, int b,
                       int k, const hn_body_change *change) {
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[e->body[a]]];
  hn_vec3 point = vec3_sub(self->snapshot->frames[e->body[a]].r, rates->point);
  column_change by = column_of(self, e, a, b, change);
  hn_tree_wrench whole = about_point(&e->wrench[6 * a], point);
  for (int i = 0; i < rows; i++) {
    int j = self->list[a][i];
    const hn_speed_column *mine = &self->columns[j], *other = &self->columns[k];
    double value = power(mine->s, by.pose);
    if (a == b && other->joint < mine->joint)
      value += power(hn_twist_cross(other->s, mine->s), whole);
    int entry = hn_relative_place(self, j, k);
    self->k_u[entry] += value;
    self->c_u[entry] += power(mine->s, by.speed);
  }
}

// Whether the wrench on body a changes as body b moves. A coupling has one such block of four.
static int depends_on(const hn_force_load *e, int a, int b) {
  for (int i = 6 * a; i < 6 * a + 6; i++) {
    if (a == b && e->wrench[i] != 0) return 1;
    for (int j = 6 * b; j < 6 * b + 6; j++)
      if (e->d_pose[i][j] != 0 || e->d_speed[i][j] != 0) return 1;
  }
  return 0;
}

// G of an element's wrenches.
static void add_wrenches(hn_relative_tangent *self, const hn_force_load *e, const int count[2]) {
  for (int a = 0; a < 2; a++) {
    if (count[a] == 0) continue;
    const hn_node_rates *rates = &self->rates[self->set->tree->body_node[e->body[a]]];
    hn_vec3 point = vec3_sub(self->snapshot->frames[e->body[a]].r, rates->point);
    hn_tree_wrench whole = about_point(&e->wrench[6 * a], point);
    for (int i = 0; i < count[a]; i++)
      self->g_u[self->list[a][i]] += power(self->columns[self->list[a][i]].s, whole);
  }
}

// And G_pi, g_w.
static void add_load(hn_relative_tangent *self, const hn_force_load *e, const int count[2]) {
  add_wrenches(self, e, count);
  for (int b = 0; b < 2; b++) {
    int is_moved = 0;
    for (int a = 0; a < 2; a++) {
      if (count[a] == 0 || count[b] == 0 || !depends_on(e, a, b)) continue;
      if (!is_moved++) move_along(self, b, e->body[b], count[b]);
      for (int i = 0; i < count[b]; i++)
        add_column(self, e, a, count[a], b, self->list[b][i], &self->change[b][i]);
    }
  }
}

// ---- forces -------------------------------------------------------------------------------------

// The rate of the wrench on body a against time, about O.
static hn_tree_wrench time_wrench(const hn_relative_tangent *self, const hn_force_load *e, int a) {
  int body = e->body[a];
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[body]];
  return about_point(&e->rate[6 * a], vec3_sub(self->snapshot->frames[body].r, rates->point));
}

static void add_time(hn_relative_tangent *self, const hn_force_load *e, const int count[2]) {
  for (int a = 0; a < 2; a++) {
    if (count[a] == 0) continue;
    hn_tree_wrench whole = time_wrench(self, e, a);
    for (int i = 0; i < count[a]; i++)
      self->t_u[self->list[a][i]] += power(self->columns[self->list[a][i]].s, whole);
  }
}

static hn_twist unit_twist(int i) {
  return (hn_twist){vec3(i == 0, i == 1, i == 2), vec3(i == 3, i == 4, i == 5)};
}

// A force with ground, of a deep tree: its wrench on the body and the derivatives of that, as those of a
// couple.
static void add_to_ground(hn_relative_tangent *self, const hn_force_load *e, hn_couple *couple) {
  const hn_frame *frames = self->snapshot->frames;
  int a = e->body[1] != HN_GROUND, body = e->body[a];
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[body]];
  hn_vec3 point = vec3_sub(frames[body].r, rates->point);
  hn_tree_wrench whole = about_point(&e->wrench[6 * a], point);
  couple->is_used = couple->has_rate = 1;
  couple->e.f = vec3_add(couple->e.f, whole.f);
  couple->e.n = vec3_add(couple->e.n, whole.n);
  for (int i = 0; i < 6; i++) {
    hn_speed_column unit = {.s = unit_twist(i)};
    hn_body_change change = change_of(&unit, rates, &frames[body]);
    column_change by = column_of(self, e, a, a, &change);
    const double h[6] = {by.pose.f.x, by.pose.f.y, by.pose.f.z,
                         by.pose.n.x, by.pose.n.y, by.pose.n.z};
    const double d[6] = {by.speed.f.x, by.speed.f.y, by.speed.f.z,
                         by.speed.n.x, by.speed.n.y, by.speed.n.z};
    for (int j = 0; j < 6; j++) {
      couple->h[j][i] += h[j];
      couple->d[j][i] += d[j];
    }
  }
  hn_tree_wrench rate = time_wrench(self, e, a);
  couple->rate.f = vec3_add(couple->rate.f, rate.f);
  couple->rate.n = vec3_add(couple->rate.n, rate.n);
}

// Q stands on the left: all but the rate, which goes with time.
static void turn_round(hn_force_load *e) {
  for (int i = 0; i < 12; i++) {
    e->wrench[i] = -e->wrench[i];
    for (int j = 0; j < 12; j++) {
      e->d_pose[i][j] = -e->d_pose[i][j];
      e->d_speed[i][j] = -e->d_speed[i][j];
    }
  }
}

hn_status hn_relative_tangent_load(hn_relative_tangent *self, int force, double t,
                                   const hn_branches *branches) {
  const hn_equations *equations = self->base.equations;
  const hn_force_def *def = &equations->model->forces[force];
  const hn_frame *frames = self->snapshot->frames;
  hn_force_load e;
  hn_status status = hn_force_in_poses(equations->elements, force, frames, branches->turns, t,
                                       branches->force[force], &e);
  if (status != HN_OK) return status;
  turn_round(&e);
  if (self->base.is_deep) {
    add_to_ground(self, &e, &self->couples.couple[self->couples.force_form[force]]);
    return HN_OK;
  }
  int top = hn_relative_top(self->set->tree, e.body[0], e.body[1], hn_force_is_relative(def));
  int count[2];
  for (int slot = 0; slot < 2; slot++) count[slot] = list_speeds(self, slot, e.body[slot], top);
  add_load(self, &e, count);
  add_time(self, &e, count);
  return HN_OK;
}

// ---- at stages ----------------------------------------------------------------------------------

// Wrenches, and what acts on coordinates in the set's load.
hn_status hn_relative_tangent_pull(hn_relative_tangent *self, double t, const double *q,
                                   const hn_branches *branches, hn_error *error) {
  self->has_load = 1;
  return hn_relative_stage_forces(self->set, t, q, 1, branches, self->snapshot, error);
}
