// Forces whose derivative is discontinuous at the state: a small motion along some state takes them
// to another branch with other derivatives, or a tyre from no slip to slip in a direction on which
// its derivatives depend. A knot between smooth pieces does not count.
#include <math.h>
#include <string.h>

#include "analysis/linear/work.h"

#define NEAR 1e-9  // m, rad, and per second
#define ALIKE 1e-6 // difference of derivatives against the largest

static double largest(const hn_force_load *t) {
  double most = 0;
  for (int i = 0; i < HN_POSES; i++)
    for (int j = 0; j < HN_POSES; j++)
      most = fmax(most, fmax(fabs(t->d_pose[i][j]), fabs(t->d_speed[i][j])));
  return most;
}

static int is_kink(const hn_linear_point *p, int f, const hn_frame *frames, hn_branch other) {
  hn_force_load here, there;
  const double *turns = p->branches->turns;
  if (hn_force_in_poses(p->elements, f, p->frames, turns, p->t, p->branches->force[f], &here) !=
          HN_OK ||
      hn_force_in_poses(p->elements, f, frames, turns, p->t, other, &there) != HN_OK)
    return 1;
  const double most = fmax(largest(&here), largest(&there));
  for (int i = 0; i < HN_POSES; i++)
    for (int j = 0; j < HN_POSES; j++)
      if (fabs(here.d_pose[i][j] - there.d_pose[i][j]) > ALIKE * most ||
          fabs(here.d_speed[i][j] - there.d_speed[i][j]) > ALIKE * most)
        return 1;
  return 0;
}

// Whether a force has the same value on another branch: true at breakpoints, false at jumps.
static int is_continuous(const hn_linear_point *p, int f, hn_branch other) {
  hn_force_load here, there;
  const double *turns = p->branches->turns;
  double most = 0, apart = 0;
  if (hn_force_in_poses(p->elements, f, p->frames, turns, p->t, p->branches->force[f], &here) !=
          HN_OK ||
      hn_force_in_poses(p->elements, f, p->frames, turns, p->t, other, &there) != HN_OK)
    return 0;
  for (int i = 0; i < HN_POSES; i++) {
    most = fmax(most, fabs(here.wrench[i]));
    apart = fmax(apart, fabs(here.wrench[i] - there.wrench[i]));
  }
  return apart <= ALIKE * most + NEAR * fmax(largest(&here), largest(&there));
}

// A function with several operations that have a breakpoint at the state, as 3 max(x, 0) + 2 min(x,
// 0), is taken on one side of all of them: that on which the first quantity with a neighboring
// branch is a little larger.
hn_status hn_linear_take_sides(hn_linear_point *p) {
  const hn_model *model = p->elements->model;
  if (p->simulation->changing.by_state == 0) return HN_OK;
  hn_frame *frames = HN_TAKE(p->arena, hn_frame, model->body_count);
  double *q = HN_TAKE(p->arena, double, p->n + 1), *qd = HN_TAKE(p->arena, double, p->n + 1);
  hn_branches *own = HN_TAKE(p->arena, hn_branches, 1);
  hn_branch *branch = HN_TAKE(p->arena, hn_branch, p->elements->force_branches + 1);
  if (p->arena->failed) return HN_ERROR_MEMORY;
  memcpy(branch, p->branches->force, (size_t)p->elements->force_branches * sizeof *branch);
  for (int k = 0; k < p->freedoms; k++) {
    const double *column = &p->p[(size_t)k * (size_t)p->n];
    for (int i = 0; i < p->n; i++) {
      q[i] = p->q[i] + NEAR * column[i];
      qd[i] = p->qd[i] + NEAR * column[i];
    }
    hn_cartesian_coordinates.frames(p->equations, q, qd, frames);
    for (int f = 0; f < model->force_count; f++) {
      if (!hn_force_switches(&model->forces[f])) continue;
      const hn_branch other = hn_force_branch(p->elements, f, frames, p->branches->turns, p->t);
      const int is_decided = branch[f].state != p->branches->force[f].state;
      if (is_decided || other.state == branch[f].state || !is_continuous(p, f, other)) continue;
      branch[f].state = other.state;
    }
  }
  *own = *p->branches;
  own->force = branch;
  p->branches = own;
  return HN_OK;
}

static int rolls(const hn_force_def *force) { return force->type == HN_FORCE_ROLLING_TYRE; }

// Marks forces that are on another branch where quantity k, or its rate, is a little larger or smaller.
static void look(const hn_linear_work *w, int k, double step, int is_rate, hn_frame *frames,
                 double *q, double *qd, unsigned char *has_kink) {
  const hn_linear_point *p = &w->point;
  const double *column = &p->p[(size_t)k * (size_t)p->n], *x = &w->x[(size_t)k * (size_t)p->n];
  for (int i = 0; i < p->n; i++) {
    q[i] = p->q[i] + (is_rate ? 0 : step * column[i]);
    qd[i] = p->qd[i] + step * (is_rate ? column[i] : x[i]);
  }
  hn_cartesian_coordinates.frames(p->equations, q, qd, frames);
  for (int f = 0; f < p->elements->model->force_count; f++) {
    const hn_force_def *force = &p->elements->model->forces[f];
    if (has_kink[f] || (!hn_force_switches(force) && !rolls(force))) continue;
    const hn_branch other = hn_force_branch(p->elements, f, frames, p->branches->turns, p->t);
    const int is_other = other.state != p->branches->force[f].state;
    if ((is_other && is_kink(p, f, p->frames, other)) ||
        (rolls(force) && is_kink(p, f, frames, other)))
      has_kink[f] = 1;
  }
}

hn_status hn_linear_find_kinks(hn_linear_work *w) {
  const hn_linear_point *p = &w->point;
  const hn_model *model = p->elements->model;
  int tyres = 0;
  for (int f = 0; f < model->force_count; f++) tyres += rolls(&model->forces[f]);
  if (w->point.simulation->changing.by_state == 0 && tyres == 0) return HN_OK;
  hn_frame *frames = HN_TAKE(&w->arena, hn_frame, model->body_count);
  double *q = HN_TAKE(&w->arena, double, p->n + 1), *qd = HN_TAKE(&w->arena, double, p->n + 1);
  unsigned char *has_kink = HN_TAKE(&w->arena, unsigned char, model->force_count);
  const char **names = HN_TAKE(&w->arena, const char *, model->force_count);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < p->freedoms; k++)
    for (int side = 0; side < 4; side++)
      look(w, k, side % 2 ? NEAR : -NEAR, side / 2, frames, q, qd, has_kink);
  for (int f = 0; f < model->force_count; f++)
    if (has_kink[f]) names[w->result.kink_count++] = model->forces[f].name;
  w->result.kinks = names;
  return HN_OK;
}
