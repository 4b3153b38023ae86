// The mass matrix of the tree in the reference configuration, summed up link by link over the
// coordinates that carry a link, with the rotors of joints. Loops and couplings are left out.
#include "formats/import/reference_mass.h"

#include <math.h>
#include <string.h>

#include "linalg/rank.h"
#include "math/elementary.h"

int hn_reference_width(const hn_link_joint *j) {
  if (j->is_loop) return 0;
  switch (j->kind) {
  case HN_LINK_FIXED: return 0;
  case HN_LINK_HINGE:
  case HN_LINK_SLIDE:
  case HN_LINK_SCREW: return 1;
  case HN_LINK_UNIVERSAL: return 2;
  case HN_LINK_BALL:
  case HN_LINK_PLANAR: return 3;
  case HN_LINK_FREE: return 6;
  }
  return 0;
}

static void add_columns(hn_reference_mass *d, const hn_link_joint *j) {
  static const hn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  hn_reference_column *to = &d->columns[d->count];
  const hn_reference_column turn = {.turn = j->axis, .at = j->at};
  if (hn_reference_width(j) == 0) return;
  d->count += hn_reference_width(j);
  switch (j->kind) {
  case HN_LINK_FIXED: return;
  case HN_LINK_HINGE: *to = turn; return;
  case HN_LINK_SLIDE: to->slide = j->axis; return;
  case HN_LINK_SCREW:
    *to = turn;
    to->slide = vec3_scale(j->pitch / (2 * HN_PI), j->axis);
    return;
  case HN_LINK_UNIVERSAL:
    to[0] = turn;
    to[1] = (hn_reference_column){.turn = j->axis2, .at = j->at};
    return;
  case HN_LINK_PLANAR:
    to[0].slide = j->reference;
    to[1].slide = vec3_cross(j->axis, j->reference);
    to[2] = turn;
    return;
  case HN_LINK_FREE:
    for (int k = 0; k < 3; k++) (to++)->slide = axes[k];
    break;
  case HN_LINK_BALL: break;
  }
  for (int k = 0; k < 3; k++)
    to[k] =
        (hn_reference_column){.turn = mat3_apply(j->child->pose.r, axes[k]), .at = j->at};
}

hn_vec3 hn_reference_speed(const hn_reference_column *c, hn_vec3 point) {
  return vec3_add(c->slide, vec3_cross(c->turn, vec3_sub(point, c->at)));
}

// Coordinates that carry a link; *count of them.
static int *way_of(hn_machine *m, const hn_reference_mass *d, const hn_link *link, int *count) {
  int *way = HN_MACHINE_TAKE(m, int, d->count + 1);
  *count = 0;
  for (const hn_link_joint *j = link->joint; way && j && *count <= d->count; j = j->parent->joint)
    for (int k = 0; k < hn_reference_width(j); k++) way[(*count)++] = d->first[j->number] + k;
  return way;
}

static void add_link(hn_machine *m, hn_reference_mass *d, const hn_link *link) {
  int count;
  const int *way = way_of(m, d, link, &count);
  hn_vec3 center = hn_pose_point(&link->pose, link->center);
  double inertia[6];
  hn_inertia_turn(link->inertia, link->pose.r, inertia);
  hn_mat3 spin = mat3_symmetric(inertia);
  for (int a = 0; way && a < count; a++) {
    const hn_reference_column *x = &d->columns[way[a]];
    hn_vec3 push = vec3_scale(link->mass, hn_reference_speed(x, center));
    hn_vec3 twist = mat3_apply(spin, x->turn);
    for (int b = 0; b < count; b++) {
      const hn_reference_column *y = &d->columns[way[b]];
      d->mass[(size_t)way[a] * (size_t)d->count + (size_t)way[b]] +=
          vec3_dot(push, hn_reference_speed(y, center)) + vec3_dot(twist, y->turn);
    }
  }
}

static void add_rotors(hn_reference_mass *d, const hn_link_joint *j) {
  const int is_in_link =
      j->kind == HN_LINK_FREE || (j->kind == HN_LINK_BALL && j->parent->is_ground);
  for (int k = 0; k < hn_reference_width(j); k++) {
    const size_t at = (size_t)(d->first[j->number] + k);
    const int own = j->kind == HN_LINK_BALL ? 0 : k;
    d->mass[at * (size_t)d->count + at] +=
        is_in_link ? j->child->armature : j->freedom[own].armature;
  }
}

int hn_reference_mass_make(hn_machine *m, hn_reference_mass *d) {
  int joints = 0, count = 0;
  *d = (hn_reference_mass){.count = 0};
  for (hn_link_joint *j = m->joints; j; j = j->next) {
    if (!j->is_loop) j->child->joint = j;
    j->number = joints++;
    count += hn_reference_width(j);
  }
  if (count > HN_REFERENCE_MOST) return 0;
  d->columns = HN_MACHINE_TAKE(m, hn_reference_column, count + 1);
  d->first = HN_MACHINE_TAKE(m, int, joints + 1);
  d->mass = HN_MACHINE_TAKE(m, double, (size_t)count *(size_t)count + 1);
  if (!hn_machine_ok(m)) return 0;
  for (const hn_link_joint *j = m->joints; j; j = j->next) {
    d->first[j->number] = d->count;
    add_columns(d, j);
  }
  for (const hn_link *link = m->links; link; link = link->next)
    if (!link->merged) add_link(m, d, link);
  for (const hn_link_joint *j = m->joints; j; j = j->next) add_rotors(d, j);
  return 1;
}

// ---- inertia that a coordinate feels -------------------------------------------------------------

// 1 / (M^-1)_kk; that of the coordinate alone, M_kk, if M is singular.
static void find_felt(hn_machine *m, const hn_reference_mass *d, double *felt) {
  int *pivots = HN_MACHINE_TAKE(m, int, d->count + 1);
  double *x = HN_MACHINE_TAKE(m, double, d->count + 1);
  if (!hn_machine_ok(m)) return;
  for (int k = 0; k < d->count; k++) felt[k] = d->mass[(size_t)k * (size_t)d->count + (size_t)k];
  if (d->count > HN_REFERENCE_SOLVED || hn_dense_lu(d->mass, d->count, pivots) != 0) return;
  for (int k = 0; k < d->count; k++) {
    memset(x, 0, (size_t)d->count * sizeof *x);
    x[k] = 1;
    hn_dense_lu_solve(d->mass, d->count, pivots, x);
    if (x[k] > 0) felt[k] = 1 / x[k];
  }
}

void hn_machine_find_inertias(hn_machine *m) {
  hn_reference_mass d;
  int has_limits = 0;
  for (const hn_link_joint *j = m->joints; j; j = j->next)
    for (int f = 0; f < 3; f++) has_limits |= j->freedom[f].has_limits;
  if (!hn_machine_ok(m) || !has_limits || !hn_reference_mass_make(m, &d)) return;
  double *felt = HN_MACHINE_TAKE(m, double, d.count + 1);
  if (!felt) return;
  find_felt(m, &d, felt);
  for (hn_link_joint *j = m->joints; j; j = j->next)
    for (int f = 0; f < 3 && f < hn_reference_width(j); f++)
      j->freedom[f].inertia = felt[d.first[j->number] + f];
}
