// Values that MuJoCo's compiler derives from the inertia of the model in its reference
// configuration: springs and dampers of joints by time constant and damping ratio, and damping of
// position actuators by damping ratio.
//
// The mass matrix of the tree is summed up link by link, over the coordinates that carry a link.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"
#include "linalg/rank.h"

enum { MOST = 3000 }; // coordinates whose matrix is made

struct hn_mjcf_wish {
  hn_link_joint *joint; // a spring and damper
  hn_xml *node;         // ... that this element asks for
  hn_motor *motor;      // or a damper of an actuator
  int is_force;         // or the force of a muscle
  double time, ratio;
  hn_mjcf_wish *next;
};

void hn_mjcf_wish_spring(const hn_mjcf_item *item, hn_link_joint *joint, double time,
                         double ratio) {
  hn_mjcf *r = item->reader;
  hn_mjcf_wish *wish = HN_MACHINE_TAKE(r->machine, hn_mjcf_wish, 1);
  if (!wish) return;
  *wish = (hn_mjcf_wish){.joint = joint,
                         .node = hn_mjcf_where(item, "springdamper"),
                         .time = time,
                         .ratio = ratio,
                         .next = r->wishes};
  r->wishes = wish;
}

void hn_mjcf_wish_damping(hn_mjcf *r, hn_motor *motor, double ratio) {
  hn_mjcf_wish *wish = HN_MACHINE_TAKE(r->machine, hn_mjcf_wish, 1);
  if (!wish) return;
  *wish = (hn_mjcf_wish){.motor = motor, .ratio = ratio, .next = r->wishes};
  r->wishes = wish;
}

void hn_mjcf_wish_force(hn_mjcf *r, hn_motor *motor) {
  hn_mjcf_wish *wish = HN_MACHINE_TAKE(r->machine, hn_mjcf_wish, 1);
  if (!wish) return;
  *wish = (hn_mjcf_wish){.motor = motor, .is_force = 1, .next = r->wishes};
  r->wishes = wish;
}

// ---- the matrix ---------------------------------------------------------------------------------

// A coordinate: its axis of rotation or translation, global, in the reference configuration.
typedef struct column_of {
  hn_vec3 turn, slide, at;
} column_of;

typedef struct drawn {
  column_of *columns;
  int *first; // column of each joint, by its mark
  double *mass;
  int count;
} drawn;

static int width_of(const hn_link_joint *j) {
  if (j->is_loop || j->kind == HN_LINK_FIXED) return 0;
  return j->kind == HN_LINK_FREE ? 6 : j->kind == HN_LINK_BALL ? 3 : 1;
}

static void add_columns(drawn *d, const hn_link_joint *j) {
  static const hn_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int is_wide = width_of(j) > 1;
  for (int k = 0; k < 3 && j->kind == HN_LINK_FREE; k++)
    d->columns[d->count++] = (column_of){.slide = axes[k]};
  for (int k = 0; k < 3 && is_wide; k++)
    d->columns[d->count++] =
        (column_of){.turn = mat3_apply(j->child->pose.r, axes[k]), .at = j->at};
  if (is_wide) return;
  d->columns[d->count++] = j->kind == HN_LINK_SLIDE ? (column_of){.slide = j->axis}
                                                    : (column_of){.turn = j->axis, .at = j->at};
}

static hn_vec3 speed_of(const column_of *c, hn_vec3 point) {
  return vec3_add(c->slide, vec3_cross(c->turn, vec3_sub(point, c->at)));
}

// Coordinates that carry a link; *count of them.
static int *way_of(hn_machine *m, const drawn *d, const hn_link *link, int *count) {
  int *way = HN_MACHINE_TAKE(m, int, d->count + 1);
  *count = 0;
  for (const hn_link_joint *j = link->joint; way && j && *count <= d->count; j = j->parent->joint)
    for (int k = 0; k < width_of(j); k++) way[(*count)++] = d->first[j->number] + k;
  return way;
}

static void add_link(hn_machine *m, drawn *d, const hn_link *link) {
  int count;
  const int *way = way_of(m, d, link, &count);
  hn_vec3 center = hn_pose_point(&link->pose, link->center);
  double inertia[6];
  hn_inertia_turn(link->inertia, link->pose.r, inertia);
  hn_mat3 spin = mat3_symmetric(inertia);
  for (int a = 0; way && a < count; a++) {
    const column_of *x = &d->columns[way[a]];
    hn_vec3 push = vec3_scale(link->mass, speed_of(x, center)), twist = mat3_apply(spin, x->turn);
    for (int b = 0; b < count; b++) {
      const column_of *y = &d->columns[way[b]];
      d->mass[(size_t)way[a] * (size_t)d->count + (size_t)way[b]] +=
          vec3_dot(push, speed_of(y, center)) + vec3_dot(twist, y->turn);
    }
  }
}

// 0: it has too many coordinates, or there is no memory.
static int draw(hn_machine *m, drawn *d) {
  int joints = 0, count = 0;
  for (hn_link_joint *j = m->joints; j; j = j->next) {
    if (!j->is_loop) j->child->joint = j;
    j->number = joints++;
    count += width_of(j);
  }
  if (count > MOST) return 0;
  d->columns = HN_MACHINE_TAKE(m, column_of, count + 1);
  d->first = HN_MACHINE_TAKE(m, int, joints + 1);
  d->mass = HN_MACHINE_TAKE(m, double, (size_t)count *(size_t)count + 1);
  if (!hn_machine_ok(m)) return 0;
  for (hn_link_joint *j = m->joints; j; j = j->next) {
    d->first[j->number] = d->count;
    if (width_of(j)) add_columns(d, j);
  }
  for (const hn_link *link = m->links; link; link = link->next) add_link(m, d, link);
  for (const hn_link_joint *j = m->joints; j; j = j->next)
    for (int k = 0; k < width_of(j); k++) {
      size_t at = (size_t)(d->first[j->number] + k);
      int is_in_link = j->kind == HN_LINK_FREE || (j->kind == HN_LINK_BALL && j->parent->is_ground);
      d->mass[at * (size_t)d->count + at] +=
          is_in_link ? j->child->armature : j->freedom[0].armature;
    }
  return 1;
}

// ---- what follows -------------------------------------------------------------------------------

// As a constraint of this time constant and damping ratio would have it, for the inertia that is felt.
static void make_spring(const double *lu, const int *pivots, double *x, const drawn *d,
                        const hn_mjcf_wish *wish) {
  hn_freedom *f = &wish->joint->freedom[0];
  int width = width_of(wish->joint), first = d->first[wish->joint->number];
  double sum = 0;
  for (int k = 0; k < width; k++) {
    memset(x, 0, (size_t)d->count * sizeof *x);
    x[first + k] = 1;
    hn_dense_lu_solve(lu, d->count, pivots, x);
    sum += x[first + k];
  }
  double inertia = width / fmax(sum, 1e-15);
  f->stiffness = inertia / (wish->time * wish->time * wish->ratio * wish->ratio);
  f->damping = 2 * inertia / wish->time;
}

// Whether the joint of a column carries the link.
static int is_carried(const drawn *d, const hn_link *link, int column) {
  for (const hn_link_joint *j = link->joint; j; j = j->parent->joint)
    if (column >= d->first[j->number] && column < d->first[j->number] + width_of(j)) return 1;
  return 0;
}

static double way_arm(const drawn *d, const hn_tendon *t, int column) {
  hn_vec3 v[2 * HN_WAY_MOST], w[2 * HN_WAY_MOST];
  const column_of *c = &d->columns[column];
  for (int k = 0; k < 2 * t->part_count; k++) {
    const hn_link *link = k % 2 ? t->parts[k / 2].side_link : t->parts[k / 2].link;
    const int moves = link && is_carried(d, link, column);
    v[k] = moves ? speed_of(c, vec3_zero()) : vec3_zero();
    w[k] = moves ? c->turn : vec3_zero();
  }
  return hn_tendon_rate(t, v, w);
}

// How the length of an actuator changes with each coordinate.
static void list_arms(const drawn *d, const hn_motor *motor, double *arm) {
  const hn_tendon *t = motor->tendon;
  memset(arm, 0, (size_t)d->count * sizeof *arm);
  if (motor->joint) arm[d->first[motor->joint->number]] = motor->gear[0];
  for (int k = 0; t && k < t->term_count; k++)
    arm[d->first[t->terms[k].joint->number]] += motor->gear[0] * t->terms[k].factor;
  for (int k = 0; t && t->part_count > 0 && k < d->count; k++)
    arm[k] += motor->gear[0] * way_arm(d, t, k);
}

static void make_damping(const drawn *d, double *arm, const hn_mjcf_wish *wish) {
  hn_motor *motor = wish->motor;
  double mass = 0;
  list_arms(d, motor, arm);
  for (int k = 0; k < d->count; k++)
    if (arm[k] * arm[k] > 1e-15)
      mass += d->mass[(size_t)k * (size_t)d->count + (size_t)k] / (arm[k] * arm[k]);
  motor->bias[2] = -2 * wish->ratio * sqrt(motor->gain[0] * mass);
}

// Tendons that have inertia.
static void add_tendons(const hn_machine *m, const drawn *d, double *arm) {
  for (hn_tendon *t = m->tendons; t; t = t->next) {
    if (t->is_lost || !(t->armature > 0)) continue;
    const hn_motor along = {.tendon = t, .gear = {1}};
    list_arms(d, &along, arm);
    for (int i = 0; i < d->count; i++)
      for (int j = 0; j < d->count; j++)
        d->mass[(size_t)i * (size_t)d->count + (size_t)j] += t->armature * arm[i] * arm[j];
  }
}

// Uses the acceleration that a unit force causes in the reference configuration.
static void make_force(hn_machine *m, const double *lu, const int *pivots, double *x,
                       const drawn *d, const hn_mjcf_wish *wish) {
  double sum = 0;
  list_arms(d, wish->motor, x);
  hn_dense_lu_solve(lu, d->count, pivots, x);
  for (int k = 0; k < d->count; k++) sum += x[k] * x[k];
  wish->motor->muscle->most = wish->motor->muscle->scale / sqrt(sum);
  if (!(sqrt(sum) > 1e-15 && isfinite(sum)))
    hn_mjcf_lose_motor(m, wish->motor,
                       "give its force: it has no effect in the reference configuration");
}

static void tell_singular(hn_machine *m, const hn_mjcf_wish *wish) {
  static const char why[] = "the mass matrix of the reference configuration is singular";
  if (wish->joint)
    hn_xml_mark_attribute(wish->node, "springdamper", HN_FATE_LOST,
                          hn_machine_text(m, "give stiffness and damping: %s", why));
  if (wish->is_force)
    hn_mjcf_lose_motor(m, wish->motor, hn_machine_text(m, "give its force: %s", why));
}

static void fail_size(hn_machine *m) {
  if (hn_machine_ok(m))
    hn_machine_fail(m, m->root, "<mujoco>",
                    "Give stiffness and damping of joints, kv of actuators, force of muscles.",
                    "needs the inertia of more than %d coordinates for springdamper, dampratio or "
                    "muscle forces",
                    (int)MOST);
}

void hn_mjcf_grant(hn_mjcf *r) {
  hn_machine *m = r->machine;
  drawn d = {.count = 0};
  if (!r->wishes) return;
  if (!draw(m, &d)) {
    fail_size(m);
    return;
  }
  int *pivots = HN_MACHINE_TAKE(m, int, d.count + 1);
  double *x = HN_MACHINE_TAKE(m, double, d.count + 1);
  if (!hn_machine_ok(m)) return;
  for (const hn_mjcf_wish *wish = r->wishes; wish; wish = wish->next)
    if (wish->motor && !wish->is_force) make_damping(&d, x, wish);
  add_tendons(m, &d, x);
  const int is_singular = d.count > 0 && hn_dense_lu(d.mass, d.count, pivots) != 0;
  for (const hn_mjcf_wish *wish = r->wishes; wish; wish = wish->next) {
    if (is_singular) {
      tell_singular(m, wish);
      continue;
    }
    if (wish->joint) make_spring(d.mass, pivots, x, &d, wish);
    if (wish->is_force) make_force(m, d.mass, pivots, x, &d, wish);
  }
}
