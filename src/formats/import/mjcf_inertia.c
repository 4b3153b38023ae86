// Values that MuJoCo's compiler derives from the inertia of the model in its reference
// configuration: springs and dampers of joints by time constant and damping ratio, and damping of
// position actuators by damping ratio.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"
#include "formats/import/reference_mass.h"
#include "linalg/rank.h"

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

// ---- what follows -------------------------------------------------------------------------------

// As a constraint of this time constant and damping ratio would have it, for the inertia that is felt.
static void make_spring(const double *lu, const int *pivots, double *x, const hn_reference_mass *d,
                        const hn_mjcf_wish *wish) {
  hn_freedom *f = &wish->joint->freedom[0];
  int width = hn_reference_width(wish->joint), first = d->first[wish->joint->number];
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
static int is_carried(const hn_reference_mass *d, const hn_link *link, int column) {
  for (const hn_link_joint *j = link->joint; j; j = j->parent->joint)
    if (column >= d->first[j->number] && column < d->first[j->number] + hn_reference_width(j)) return 1;
  return 0;
}

static double way_arm(const hn_reference_mass *d, const hn_tendon *t, int column) {
  hn_vec3 v[2 * HN_WAY_MOST], w[2 * HN_WAY_MOST];
  const hn_reference_column *c = &d->columns[column];
  for (int k = 0; k < 2 * t->part_count; k++) {
    const hn_link *link = k % 2 ? t->parts[k / 2].side_link : t->parts[k / 2].link;
    const int moves = link && is_carried(d, link, column);
    v[k] = moves ? hn_reference_speed(c, vec3_zero()) : vec3_zero();
    w[k] = moves ? c->turn : vec3_zero();
  }
  return hn_tendon_rate(t, v, w);
}

// How the length of an actuator changes with each coordinate.
static void list_arms(const hn_reference_mass *d, const hn_motor *motor, double *arm) {
  const hn_tendon *t = motor->tendon;
  memset(arm, 0, (size_t)d->count * sizeof *arm);
  if (motor->joint) arm[d->first[motor->joint->number]] = motor->gear[0];
  for (int k = 0; t && k < t->term_count; k++)
    arm[d->first[t->terms[k].joint->number]] += motor->gear[0] * t->terms[k].factor;
  for (int k = 0; t && t->part_count > 0 && k < d->count; k++)
    arm[k] += motor->gear[0] * way_arm(d, t, k);
}

static void make_damping(const hn_reference_mass *d, double *arm, const hn_mjcf_wish *wish) {
  hn_motor *motor = wish->motor;
  double mass = 0;
  list_arms(d, motor, arm);
  for (int k = 0; k < d->count; k++)
    if (arm[k] * arm[k] > 1e-15)
      mass += d->mass[(size_t)k * (size_t)d->count + (size_t)k] / (arm[k] * arm[k]);
  motor->bias[2] = -2 * wish->ratio * sqrt(motor->gain[0] * mass);
}

// Tendons that have inertia.
static void add_tendons(const hn_machine *m, const hn_reference_mass *d, double *arm) {
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
                       const hn_reference_mass *d, const hn_mjcf_wish *wish) {
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
                    (int)HN_REFERENCE_MOST);
}

void hn_mjcf_grant(hn_mjcf *r) {
  hn_machine *m = r->machine;
  hn_reference_mass d;
  if (!r->wishes) return;
  if (!hn_reference_mass_make(m, &d)) {
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
