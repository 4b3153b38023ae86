// Joints of the model as chains of hinges, slides and balls, from the first body to the second.
//
// Where the second body carries the first the chain is gone through backwards, with opposite axes,
// so that the coordinates are the model's own in every case: T21 = (T12)^-1 factor by factor.
#include "base/error.h"
#include "formats/export/plan.h"

enum { F1, G1, H1, H2, NO_AXIS };
enum { CHAIN = 4, NONE = -1 };

typedef struct element {
  hn_slot_kind kind;
  int axis, coordinate;
} element;

#define HINGE(axis, coordinate)                                                                    \
  { HN_SLOT_HINGE, axis, HN_COORDINATE_##coordinate }
#define SLIDE(axis, coordinate)                                                                    \
  { HN_SLOT_SLIDE, axis, HN_COORDINATE_##coordinate }
#define BALL                                                                                       \
  { HN_SLOT_BALL, NO_AXIS, NONE }
#define MADE(kind, axis)                                                                           \
  { HN_SLOT_##kind, axis, NONE }

typedef struct chain {
  int count;
  element elements[6];
} chain;

static chain chain_of(hn_joint_type type) {
  switch (type) {
  case HN_JOINT_REVOLUTE: return (chain){1, {HINGE(H1, ANGLE)}};
  case HN_JOINT_TRANSLATIONAL: return (chain){1, {SLIDE(H1, DISPLACEMENT)}};
  case HN_JOINT_CYLINDRICAL: return (chain){2, {SLIDE(H1, DISPLACEMENT), HINGE(H1, ANGLE)}};
  case HN_JOINT_SCREW: return (chain){2, {SLIDE(H1, DISPLACEMENT), HINGE(H1, ANGLE)}};
  case HN_JOINT_UNIVERSAL: return (chain){2, {HINGE(H1, ANGLE), HINGE(H2, ANGLE2)}};
  case HN_JOINT_PLANAR: return (chain){3, {SLIDE(F1, X), SLIDE(G1, Y), HINGE(H1, ANGLE)}};
  case HN_JOINT_SPHERICAL:
  case HN_JOINT_CONSTANT_VELOCITY: return (chain){1, {BALL}};
  case HN_JOINT_POINT_ON_LINE: return (chain){2, {SLIDE(H1, DISPLACEMENT), BALL}};
  case HN_JOINT_POINT_IN_PLANE: return (chain){3, {SLIDE(F1, X), SLIDE(G1, Y), BALL}};
  case HN_JOINT_PARALLEL:
    return (chain){4, {MADE(SLIDE, F1), MADE(SLIDE, G1), MADE(SLIDE, H1), MADE(HINGE, H1)}};
  case HN_JOINT_PERPENDICULAR:
    return (chain){
        5, {MADE(SLIDE, F1), MADE(SLIDE, G1), MADE(SLIDE, H1), MADE(HINGE, H1), MADE(HINGE, H2)}};
  case HN_JOINT_FIXED:
  case HN_JOINT_DISTANCE:
  case HN_JOINT_GEAR:
  case HN_JOINT_RACK_PINION:
  case HN_JOINT_COUPLER:
  case HN_JOINT_KNIFE_EDGE:
  case HN_JOINT_FREE:
  case HN_JOINT_TYPES: break;
  }
  return (chain){.count = 0};
}

static double value_of(const hn_plan *plan, int joint, int coordinate, const char *ending) {
  char name[300];
  double value = 0;
  hn_text(name, sizeof name, "joint.%s.%s%s", plan->model->joints[joint].name,
          hn_coordinate_name((hn_coordinate)coordinate), ending);
  return hn_simulation_value(plan->simulation, name, &value) ? 0 : value;
}

static hn_vec3 point_velocity(const hn_place *place, hn_vec3 at) {
  return vec3_add(place->velocity, vec3_cross(place->spin, vec3_sub(at, place->center.p)));
}

// Rates that have no name, from the motion of the two bodies.
static void measure(const hn_place *place, const hn_place *from, hn_slot *slot) {
  hn_vec3 spin = vec3_sub(place->spin, from->spin);
  hn_vec3 slip = vec3_sub(point_velocity(place, slot->at), point_velocity(from, slot->at));
  slot->spin = spin;
  slot->linear = slip;
  if (slot->coordinate >= 0 || slot->kind == HN_SLOT_BALL) return;
  slot->rate = vec3_dot(slot->axis, slot->kind == HN_SLOT_HINGE ? spin : slip);
}

static const char *name_of(hn_plan *plan, int joint, const chain *all, int k) {
  static const char *const kinds[] = {"hinge", "slide", "ball", "free"};
  const char *own = plan->model->joints[joint].name;
  const element *e = &all->elements[k];
  if (all->count == 1) return own;
  const char *name =
      e->coordinate >= 0
          ? hn_plan_text(plan, "%s_%s", own, hn_coordinate_name((hn_coordinate)e->coordinate))
          : hn_plan_text(plan, "%s_%s%d", own, kinds[e->kind], k + 1);
  while (hn_model_find_joint(plan->model, name) >= 0 && !plan->arena->failed)
    name = hn_plan_text(plan, "%s_", name);
  return name;
}

static void add_slot(hn_plan *plan, hn_place *place, const hn_slot *made) {
  hn_slot *slot = HN_TAKE(plan->arena, hn_slot, 1);
  if (!slot) return;
  *slot = *made;
  if (place->last_slot)
    place->last_slot->next = slot;
  else
    place->slots = slot;
  place->last_slot = slot;
}

void hn_plan_slots(hn_plan *plan, hn_place *place, const hn_place *from, int joint,
                   int is_reversed) {
  const hn_joint_def *def = &plan->model->joints[joint];
  hn_pose one = hn_plan_frame(plan, &def->frame1), two = hn_plan_frame(plan, &def->frame2);
  chain all = chain_of(def->type);
  const hn_vec3 axes[] = {mat3_column(one.r, 0), mat3_column(one.r, 1), mat3_column(one.r, 2),
                          mat3_column(two.r, 2), vec3_zero()};
  for (int k = 0; k < all.count; k++) {
    int at = is_reversed ? all.count - 1 - k : k;
    const element *e = &all.elements[at];
    hn_slot slot = {.kind = e->kind, .joint = joint, .coordinate = e->coordinate, .at = two.p};
    slot.name = name_of(plan, joint, &all, at);
    slot.axis = is_reversed ? vec3_negate(axes[e->axis]) : axes[e->axis];
    if (e->coordinate >= 0) {
      slot.value = value_of(plan, joint, e->coordinate, "");
      slot.rate = value_of(plan, joint, e->coordinate, "_rate");
    }
    measure(place, from, &slot);
    add_slot(plan, place, &slot);
  }
  place->frame = (hn_pose){place->center.r, all.count > 0 ? two.p : place->center.p};
}

// ---- finding ------------------------------------------------------------------------------------

static hn_slot *find_on(const hn_place *place, int joint, int coordinate) {
  for (hn_slot *slot = place->slots; slot; slot = slot->next)
    if (slot->joint == joint && slot->coordinate == coordinate) return slot;
  return NULL;
}

hn_slot *hn_plan_slot(const hn_plan *plan, int joint, int coordinate) {
  const hn_joint_def *def = &plan->model->joints[joint];
  if (!hn_joint_joins_bodies(def->type)) return NULL;
  const int bodies[2] = {def->frame1.body, def->frame2.body};
  for (int k = 0; k < 2; k++) {
    const hn_place *place = &plan->places[bodies[k]];
    while (place->into) place = place->into;
    hn_slot *slot = find_on(place, joint, coordinate);
    if (slot) return slot;
  }
  for (const hn_place *cut = plan->cuts; cut; cut = cut->into) {
    hn_slot *slot = find_on(cut, joint, coordinate);
    if (slot) return slot;
  }
  return NULL;
}
