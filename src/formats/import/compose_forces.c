// Springs, dampers, friction, stops and weights that something carries.
#include "formats/import/compose.h"

#include <math.h>

#define STOP_TIME 0.02    // s: time constant of limits without one
#define STOP_STEPS 4      // of the file at least, in that time
#define STOP_INERTIA 1e-3 // kg m^2 or kg, if the tree does not give it

static hn_node *add_on_joint(hn_composer *c, const hn_link_joint *j, int f, const char *type,
                             const char *ending) {
  const char *which =
      j->kind == HN_LINK_PLANAR || j->kind == HN_LINK_UNIVERSAL
          ? hn_machine_text(c->machine, "_%s%s", hn_compose_coordinate(j, f), ending)
          : ending;
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, j->id, which), j->node);
  hn_compose_text(c, entry, "type", type);
  hn_compose_text(c, entry, "joint", j->id);
  hn_compose_which(c, entry, j, f);
  return entry;
}

static int is_angle(const hn_link_joint *j, int f) {
  return j->kind != HN_LINK_SLIDE && !(j->kind == HN_LINK_PLANAR && f < 2);
}

static void add_springs(hn_composer *c, const hn_link_joint *j, int f, const hn_freedom *freedom) {
  hn_node *entry = add_on_joint(c, j, f, "joint-spring-damper", "");
  if (freedom->stiffness != 0) {
    hn_compose_number(c, entry, "stiffness", freedom->stiffness);
    if (freedom->rest != 0) hn_compose_number(c, entry, "free", freedom->rest);
  }
  if (freedom->damping != 0) hn_compose_number(c, entry, "damping", freedom->damping);
  hn_compose_text(c, entry, "if", "passive");
  c->has_passive = 1;
}

static void add_friction(hn_composer *c, const hn_link_joint *j, int f, const hn_freedom *freedom) {
  hn_node *entry = add_on_joint(c, j, f, "joint-friction", "_friction");
  hn_compose_number(c, entry, is_angle(j, f) ? "torque" : "force", freedom->friction);
  if (!hn_compose_has_step(c)) hn_compose_text(c, entry, "transition", "friction_speed");
  hn_compose_text(c, entry, "if", "friction");
  c->has_friction = 1;
}

// Whether the start is between the limits, as a rigid stop needs it.
static int starts_within(const hn_freedom *f) {
  const double at = f->has_initial ? f->initial : f->reference;
  return at >= f->lower && at <= f->upper;
}

// A limit is rigid with time stepping. Otherwise it is a spring and damper of the file's time constant
// and damping ratio for the inertia that the coordinate feels, as MuJoCo defines them, so that a step
// of a quarter of that time is stable.
static void add_stop(hn_composer *c, const hn_link_joint *j, int f, const hn_freedom *freedom) {
  const double own = freedom->stop.mix > 0 ? hn_import_softness_time(&freedom->stop) : STOP_TIME;
  const double time = fmax(own, STOP_STEPS * c->machine->timestep);
  const double ratio = hn_import_softness_ratio(&freedom->stop);
  const double inertia = freedom->inertia > 0 ? freedom->inertia : STOP_INERTIA;
  hn_node *entry = add_on_joint(c, j, f, "joint-stop", "_limits");
  if (freedom->lower > -HUGE_VAL) hn_compose_number(c, entry, "lower", freedom->lower);
  if (freedom->upper < HUGE_VAL) hn_compose_number(c, entry, "upper", freedom->upper);
  if (!hn_compose_has_step(c) || !starts_within(freedom)) {
    hn_compose_number(c, entry, "stiffness", inertia / (time * time * ratio * ratio));
    hn_compose_number(c, entry, "damping", 2 * inertia / time);
  } else if (freedom->stop.mix > 0) {
    hn_compose_softness(c, entry, &freedom->stop);
  }
  hn_compose_text(c, entry, "if", "limits");
  c->has_limits = 1;
}

static void add_of_joint(hn_composer *c, const hn_link_joint *j) {
  for (int f = 0; f < 3; f++) {
    const hn_freedom *freedom = &j->freedom[f];
    if (!hn_compose_coordinate(j, f) ||
        (f > 0 && j->kind != HN_LINK_PLANAR && j->kind != HN_LINK_UNIVERSAL))
      continue;
    if (j->kind == HN_LINK_UNIVERSAL && f > 1) continue;
    if (freedom->stiffness != 0 || freedom->damping != 0) add_springs(c, j, f, freedom);
    if (freedom->friction > 0) add_friction(c, j, f, freedom);
    if (freedom->has_limits) add_stop(c, j, f, freedom);
  }
}

// A ball or free joint has no coordinates: what turns it back acts on the whole turn.
static void add_ball(hn_composer *c, const hn_link_joint *j) {
  const hn_freedom *freedom = &j->freedom[0];
  if (freedom->stiffness == 0 && freedom->damping == 0) return;
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, j->id, ""), j->node);
  hn_compose_text(c, entry, "type", "ball-spring-damper");
  hn_node *bodies = hn_compose_list(c, entry, "bodies");
  hn_compose_text(c, bodies, NULL, j->parent->is_ground ? "ground" : j->parent->id);
  hn_compose_text(c, bodies, NULL, j->child->id);
  if (freedom->stiffness != 0) hn_compose_number(c, entry, "stiffness", freedom->stiffness);
  if (freedom->damping != 0) hn_compose_number(c, entry, "damping", freedom->damping);
  hn_compose_text(c, entry, "if", "passive");
  c->has_passive = 1;
}

// Springs and dampers of a free body about its reference configuration.
static void add_mount(hn_composer *c, const hn_link_joint *j) {
  const hn_freedom *f = &j->freedom[0];
  if (f->stiffness == 0 && f->damping == 0) return;
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, j->id, "_mount"), j->node);
  hn_compose_text(c, entry, "type", "bushing");
  hn_node *bodies = hn_compose_list(c, entry, "bodies");
  hn_compose_text(c, bodies, NULL, j->parent->is_ground ? "ground" : j->parent->id);
  hn_compose_text(c, bodies, NULL, j->child->id);
  hn_compose_vector(c, entry, "at", j->child->pose.p);
  const double k = f->stiffness, d = f->damping, along[2][6] = {{k, k, k}, {d, d, d}};
  if (k != 0) hn_compose_numbers(c, entry, "stiffness", along[0], 6);
  if (d != 0) hn_compose_numbers(c, entry, "damping", along[1], 6);
  hn_compose_text(c, entry, "if", "passive");
}

static void add_lift(hn_composer *c, const hn_link *link) {
  hn_node *entry =
      hn_compose_entry(c, c->forces, hn_compose_force_id(c, link->id, "_lift"), link->node);
  hn_vec3 force = vec3_scale(-link->lift * link->mass, c->machine->gravity);
  hn_compose_text(c, entry, "type", "point-force");
  hn_compose_text(c, entry, "body", link->id);
  hn_compose_vector(c, entry, "force", force);
  if (link->is_lift_passive) {
    hn_compose_text(c, entry, "if", "passive");
    c->has_passive = 1;
  }
}

void hn_compose_forces(hn_composer *c) {
  for (const hn_link_joint *j = c->machine->joints; j; j = j->next)
    if (!j->child->merged && !j->is_locked && !j->is_loop) {
      add_of_joint(c, j);
      if (j->kind == HN_LINK_BALL || j->kind == HN_LINK_FREE) add_ball(c, j);
      if (j->kind == HN_LINK_FREE) add_mount(c, j);
    }
  for (const hn_link *link = c->machine->links; link; link = link->next)
    if (link->lift != 0 && link->mass > 0 && !link->merged) add_lift(c, link);
}
