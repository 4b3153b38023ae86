// Checks of forces and roads: bodies, joints, and numbers that make sense.
#include <math.h>

#include "model/contact.h"
#include "model/storage.h"

// Not negative and finite; `hint` names the next thing to try.
static hn_status check_not_negative(const hn_subject *subject, const char *what, double value) {
  if (value >= 0 && isfinite(value)) return HN_OK;
  return hn_subject_fail(subject, "Give a finite number, zero or greater.", "has the %s %g", what,
                         value);
}

static hn_status check_positive(const hn_subject *subject, const char *what, const char *unit,
                                double value) {
  if (value > 0 && isfinite(value)) return HN_OK;
  return hn_subject_fail(subject, "Give a finite number greater than zero.", "has the %s %g %s",
                         what, value, unit);
}

static hn_status check_two_frames(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = hn_subject_check_frame(subject, "first frame", &force->frame1);
  if (!status) status = hn_subject_check_frame(subject, "second frame", &force->frame2);
  if (!status)
    status = hn_subject_check_bodies_differ(subject, force->frame1.body, force->frame2.body);
  return status;
}

// Forces that act on one body, with frame2 there.
static hn_status check_one_frame(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = hn_subject_check_frame(subject, "frame", &force->frame2);
  if (status) return status;
  if (force->frame2.body != HN_GROUND) return HN_OK;
  return hn_subject_fail(subject, "Name a moving body.",
                         "acts on ground (body 0) and has no effect");
}

// The slope of a law that is a straight line, as stiffness and damping make it; 0 for all others.
static double straight_slope(const hn_law *law) {
  if (!law || hn_law_get_kind(law) != HN_LAW_POLYNOMIAL) return 0;
  hn_law_value value = hn_law_evaluate(law, -1, 0), away = hn_law_evaluate(law, -1, 1);
  return value.d1 == away.d1 ? value.d1 : 0;
}

// A curved law may fall somewhere on purpose; a straight one that does is a slip of the sign.
static hn_status check_signs(const hn_subject *subject, const hn_force_def *force) {
  double stiffness = straight_slope(force->of_x), damping = straight_slope(force->of_v);
  int is_angle =
      force->type == HN_FORCE_ROTATIONAL_SPRING_DAMPER ||
      (force->type == HN_FORCE_JOINT_SPRING_DAMPER &&
       (force->coordinate == HN_COORDINATE_ANGLE || force->coordinate == HN_COORDINATE_ANGLE2));
  hn_status status = HN_OK;
  if (stiffness < 0)
    status = hn_subject_warn(
        subject,
        "has the negative stiffness %.6g %s: it is unstable about its free position. "
        "Change the sign.",
        stiffness, is_angle ? "N m/rad" : "N/m");
  if (!status && damping < 0)
    status = hn_subject_warn(
        subject, "has the negative damping %.6g %s: it adds energy to the motion. Change the sign.",
        damping, is_angle ? "N m s/rad" : "N s/m");
  const int is_constant = force->of_v && hn_law_get_kind(force->of_v) == HN_LAW_CONSTANT;
  const double constant = is_constant ? hn_law_evaluate(force->of_v, -1, 0).value : 0;
  if (!status && constant != 0)
    status =
        hn_subject_warn(subject,
                        "has a damper with the constant force %.6g %s whatever the velocity. Use "
                        "`damping:` for a coefficient, or `force:`.",
                        constant, is_angle ? "N m" : "N");
  return status;
}

static hn_status check_laws(const hn_subject *subject, const hn_force_def *force) {
  if (force->of_x || force->of_v || force->of_t || force->of_xvt)
    return check_signs(subject, force);
  return hn_subject_warn(
      subject, "has no force function (of x, v, t, or all) and never acts. Give a stiffness, a "
               "damping or a function.");
}

// ---- types that need more -----------------------------------------------------------------------

#define MUCH_FORCE 1000 // times the weight of the model
#define MUCH_STRETCH 10 // of the length

// A spring far from its free length at the start, with an extreme force: its unit is probably
// missing.
static hn_status check_start(const hn_subject *subject, const hn_force_def *force, double length) {
  const double stiffness = straight_slope(force->of_x);
  double weight = 0;
  for (int b = 1; b < subject->model->body_count; b++)
    weight += 9.81 * subject->model->bodies[b].mass;
  if (!(stiffness > 0) || !(length > 0) || !(weight > 0)) return HN_OK;
  const double start = hn_law_evaluate(force->of_x, -1, length).value, stretch = start / stiffness;
  if (!(fabs(start) > MUCH_FORCE * weight) || !(fabs(stretch) > MUCH_STRETCH * length))
    return HN_OK;
  return hn_subject_warn(subject,
                         "has the free length %.6g m, but its points are %.6g m apart: it starts "
                         "with %.3g N, %.2g times the weight of all bodies. Check the unit of the "
                         "free length.",
                         length - stretch, length, start, fabs(start) / weight);
}

static hn_status check_spring(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = check_two_frames(subject, force);
  if (!status) status = check_laws(subject, force);
  if (status) return status;
  double length = hn_model_drawn_distance(subject->model, &force->frame1, &force->frame2);
  if (length > HN_COINCIDENT) return check_start(subject, force, length);
  return hn_subject_warn(
      subject,
      "starts with its two points %.3g m apart: its direction is undefined. Separate "
      "the points, or use a bushing.",
      length);
}

static hn_status check_rotational(const hn_subject *subject, const hn_force_def *force) {
  hn_status status;
  if (force->joint >= 0) {
    status = hn_subject_check_coordinate(subject, force->joint, force->coordinate);
    if (!status && force->coordinate != HN_COORDINATE_ANGLE &&
        force->coordinate != HN_COORDINATE_ANGLE2)
      return hn_subject_fail(subject, "Use joint-spring-damper for displacements.",
                             "acts on the coordinate '%s' of joint '%s', which is not an angle",
                             hn_coordinate_name(force->coordinate),
                             subject->model->joints[force->joint].name);
  } else {
    status = check_two_frames(subject, force);
  }
  return status ? status : check_laws(subject, force);
}

static hn_status check_bushing(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = check_two_frames(subject, force);
  for (int k = 0; k < 6 && !status; k++) {
    status = check_not_negative(subject, "stiffness", force->stiffness[k]);
    if (!status) status = check_not_negative(subject, "damping", force->damping[k]);
  }
  return status;
}

static hn_status check_friction(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = hn_subject_check_coordinate(subject, force->joint, force->coordinate);
  if (!status) status = check_not_negative(subject, "magnitude", force->magnitude);
  if (!status) status = check_not_negative(subject, "viscous factor", force->viscous);
  if (!status) status = check_not_negative(subject, "stiffness", force->stiffness[0]);
  if (!status) status = check_not_negative(subject, "damping", force->damping[0]);
  if (status) return status;
  const double stick = force->number[HN_FRICTION_STATIC];
  if (stick != 0 && (!hn_force_is_rigid(force) || !(stick >= force->magnitude && isfinite(stick))))
    return hn_subject_fail(
        subject,
        "Give a static friction of at least the sliding one, without transition or "
        "stiffness.",
        "has static friction %g, sliding friction %g and transition %g", stick, force->magnitude,
        force->transition);
  if (force->stiffness[0] > 0) return HN_OK;
  if (force->transition == 0 && force->of_t)
    return hn_subject_fail(subject, "Give a transition or a stiffness.",
                           "sticks, which requires a constant friction force, not a function");
  if (force->transition >= 0 && isfinite(force->transition)) return HN_OK;
  return hn_subject_fail(
      subject,
      "Give the speed at which friction is fully developed, for instance 0.01 (m/s or "
      "rad/s), or 0 to let it stick.",
      "has the transition speed %g; it must not be negative", force->transition);
}

static hn_status check_soft_stop(const hn_subject *subject, const hn_force_def *force) {
  if (!hn_force_is_rigid(force))
    return hn_subject_fail(subject, "Remove one of them.",
                           "has a stiffness and a time constant of %g s",
                           force->number[HN_STOP_TIME]);
  if (force->number[HN_STOP_RESTITUTION] > 0)
    return hn_subject_fail(subject, "Remove one of them.",
                           "has a restitution and a time constant of %g s",
                           force->number[HN_STOP_TIME]);
  return check_positive(subject, "damping ratio", "1", force->number[HN_STOP_RATIO]);
}

static hn_status check_stop(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = hn_subject_check_coordinate(subject, force->joint, force->coordinate);
  const double bounce = force->number[HN_STOP_RESTITUTION];
  if (!status && !hn_force_is_rigid(force))
    status = check_positive(subject, "stiffness", "N/m or N m/rad", force->stiffness[0]);
  if (!status && !(bounce >= 0 && bounce <= 1))
    return hn_subject_fail(subject, "Give a number from 0 to 1.", "has the restitution %g", bounce);
  if (!status) status = check_not_negative(subject, "damping", force->damping[0]);
  if (!status) status = check_not_negative(subject, "time constant", force->number[HN_STOP_TIME]);
  if (!status && force->number[HN_STOP_TIME] > 0) status = check_soft_stop(subject, force);
  if (status) return status;
  if (force->lower < force->upper) return HN_OK;
  return hn_subject_fail(subject, "Exchange lower and upper, or remove one of them.",
                         "has lower = %g and upper = %g; lower must be less than upper",
                         force->lower, force->upper);
}

static hn_status check_its_road(const hn_subject *subject, const hn_force_def *force) {
  int roads = subject->model->roads.count;
  if (force->road >= 0 && force->road < roads) return HN_OK;
  return hn_subject_fail(subject,
                         roads ? "Use the id that hn_model_add_road gave."
                               : "Add a road, for instance {type: flat, height: 0}.",
                         "rolls on road %d; there are %d roads, counted from 0", force->road,
                         roads);
}

static hn_status check_tyre(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = check_one_frame(subject, force);
  if (!status) status = check_positive(subject, "radius", "m", force->radius);
  if (!status) status = check_positive(subject, "stiffness", "N/m", force->stiffness[0]);
  if (!status) status = check_not_negative(subject, "damping", force->damping[0]);
  if (!status) status = check_its_road(subject, force);
  if (status || subject->model->roads.item[force->road].kind != HN_ROAD_SURFACE) return status;
  return hn_subject_fail(
      subject, "Add `model:` with its property file, or use another road.",
      "is a tyre with normal load only and cannot roll on a road surface over x and y");
}

static hn_status check_rolling(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = check_one_frame(subject, force);
  if (!status && !force->tyre)
    status = hn_subject_fail(subject, "Give hn_force_def.tyre.", "has no tyre (a null pointer)");
  if (!status) status = check_positive(subject, "radius", "m", force->radius);
  if (!status) status = check_positive(subject, "low speed", "m/s", force->transition);
  if (!status && !(hn_tyre_measure(force->tyre, 0, 1000).deflection > 0))
    status = hn_subject_fail(subject, "Add VERTICAL_STIFFNESS to its property file.",
                             "has a tyre without stiffness");
  if (!status) status = check_not_negative(subject, "damping", force->damping[0]);
  return status ? status : check_its_road(subject, force);
}

static hn_status check_user(const hn_subject *subject, const hn_force_def *force) {
  if (!force->user.evaluate)
    return hn_subject_fail(subject, "Set user.evaluate.",
                           "has no function to evaluate (a null pointer)");
  hn_status status = hn_subject_check_frame(subject, "first frame", &force->frame1);
  if (!status) status = hn_subject_check_frame(subject, "second frame", &force->frame2);
  if (!status)
    status = hn_subject_check_bodies_differ(subject, force->frame1.body, force->frame2.body);
  return status;
}

static hn_status check_joint_spring(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = hn_subject_check_coordinate(subject, force->joint, force->coordinate);
  return status ? status : check_laws(subject, force);
}

static hn_status check_leaf(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = check_two_frames(subject, force);
  if (!status) status = hn_subject_check_finite(subject, "offset", &force->offset, 1);
  return status ? status : check_laws(subject, force);
}

static int is_point(const hn_force_def *force, int k) {
  return k >= 0 && k < force->way_count && force->way[k].kind == HN_WAY_POINT;
}

static hn_status check_round(const hn_subject *subject, const hn_force_def *force, int k) {
  const hn_way *way = &force->way[k];
  hn_status status = HN_OK;
  const int is_first = k == 0 && way->kind == HN_WAY_PULLEY;
  if (!(is_first || is_point(force, k - 1)) || !is_point(force, k + 1))
    return hn_subject_fail(
        subject, "Put a point before and after it.",
        "has a path whose entry %d (sphere, cylinder or pulley) is not between two points", k + 1);
  if (way->kind == HN_WAY_PULLEY) return check_positive(subject, "divisor", "", way->divisor);
  status = check_positive(subject, "radius", "m", way->radius);
  if (!status) status = hn_subject_check_frame(subject, "frame of its path", &way->frame);
  if (!status && way->has_side)
    status = hn_subject_check_frame(subject, "side of its path", &way->side);
  return status;
}

static hn_status check_tendon(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = check_laws(subject, force);
  int points = 0, moves = 0;
  if (!status && (!force->way || force->way_count < 2 || force->way_count > HN_WAY_MOST))
    return hn_subject_fail(subject, "Give the points of its path in order.",
                           "has a path of %d points; 2 to %d are supported", force->way_count,
                           HN_WAY_MOST);
  for (int k = 0; !status && k < force->way_count; k++) {
    const hn_way *way = &force->way[k];
    if (way->kind != HN_WAY_POINT) {
      status = check_round(subject, force, k);
      continue;
    }
    points++;
    status = hn_subject_check_frame(subject, "point of its path", &way->frame);
  }
  for (int k = 0; !status && k < force->way_count; k++)
    moves |= force->way[k].kind != HN_WAY_PULLEY && force->way[k].frame.body != force->frame1.body;
  if (!status && points < 2)
    return hn_subject_fail(subject, "Start and end its path with points.",
                           "has a path that does not lead from a point to a point");
  if (!status && !moves)
    return hn_subject_fail(subject, "Name points of at least two bodies.",
                           "lies on one body, so its length never changes");
  return status;
}

// Checks common to all forces.
static hn_status check_ends(const hn_subject *subject, const hn_force_def *force) {
  hn_status status = hn_subject_check_finite(subject, "number", force->number, HN_FORCE_NUMBERS);
  if (status) return status;
  switch (hn_force_acts_between(force->type)) {
  case HN_ENDS_FRAMES: return check_two_frames(subject, force);
  case HN_ENDS_BODY: return check_one_frame(subject, force);
  case HN_ENDS_EITHER:
    if (force->joint < 0) return check_two_frames(subject, force);
    break;
  case HN_ENDS_JOINT: break;
  }
  return hn_subject_check_coordinate(subject, force->joint, force->coordinate);
}

static hn_status check_force(const hn_subject *subject, const hn_force_def *force) {
  static hn_status (*const more[HN_FORCE_TYPES])(const hn_subject *, const hn_force_def *) = {
      [HN_FORCE_SPRING_DAMPER] = check_spring,
      [HN_FORCE_JOINT_SPRING_DAMPER] = check_joint_spring,
      [HN_FORCE_ROTATIONAL_SPRING_DAMPER] = check_rotational,
      [HN_FORCE_BUSHING] = check_bushing,
      [HN_FORCE_LEAF_SPRING] = check_leaf,
      [HN_FORCE_JOINT_FRICTION] = check_friction,
      [HN_FORCE_JOINT_STOP] = check_stop,
      [HN_FORCE_TYRE] = check_tyre,
      [HN_FORCE_ROLLING_TYRE] = check_rolling,
      [HN_FORCE_USER] = check_user,
      [HN_FORCE_TENDON] = check_tendon};
  if ((unsigned)force->type >= HN_FORCE_TYPES)
    return hn_subject_fail(subject, "Use one of HN_FORCE_LIST.", "has the unknown type %d",
                           (int)force->type);
  return more[force->type] ? more[force->type](subject, force) : check_ends(subject, force);
}

hn_status hn_model_check_forces(hn_model *model) {
  for (int id = 0; id < model->force_count; id++) {
    const hn_force_def *force = &model->forces[id];
    hn_subject subject = {model, HN_NAME_FORCE, force->name, &force->source};
    hn_status status = hn_subject_check_component(&subject, force->component);
    if (!status) status = check_force(&subject, force);
    if (status) return status;
  }
  return HN_OK;
}

// ---- roads --------------------------------------------------------------------------------------

static hn_status check_road(const hn_subject *subject, const hn_road_def *road) {
  const double numbers[] = {road->start, road->height, road->speed};
  hn_status status = hn_subject_check_finite(subject, "start, height or speed", numbers, 3);
  if (status) return status;
  switch (road->kind) {
  case HN_ROAD_FLAT:
  case HN_ROAD_POLYLINE:
  case HN_ROAD_SURFACE:
  case HN_ROAD_TABLE: return HN_OK; // points were checked when the profile was made
  case HN_ROAD_COSINE_BUMP: return check_positive(subject, "length", "m", road->length);
  case HN_ROAD_HALF_CYLINDER:
    status = check_positive(subject, "radius", "m", road->radius);
    return status ? status : check_not_negative(subject, "envelope", road->envelope);
  }
  return hn_subject_fail(subject, "Use one of hn_road_kind.", "has the unknown kind %d",
                         (int)road->kind);
}

hn_status hn_model_check_roads(hn_model *model) {
  for (int id = 0; id < model->roads.count; id++) {
    const hn_road_def *road = &model->roads.item[id];
    hn_subject subject = {model, HN_NAME_ROAD, road->name, &road->source};
    hn_status status = check_road(&subject, road);
    if (status) return status;
  }
  return HN_OK;
}
