// Tyre on a road: a spring and damper between the wheel center and the road in the x-z plane.
//
// The center is P = (x, z), seen from the moving road X = (x - speed t, z), U = (xd - speed, zd).
// Both contacts have a gap g(X) with gradient and Hessian, and a unit direction n of the force:
//
//   vertical  g = z - road(x - speed t)                       n = e_z
//   radial    g = distance of X to the closest road point      n = grad g
//
// and with d = radius - g, dd = -grad g . U
//
//   N = k d + c dd >= 0,   F = N n at the center
//   F_P = n (-k grad g - c Hess g U)' + N n_P,   F_Pd = -c n grad g',   F_t = -speed F_x
//
// The potential is k d^2 / 2; power outside it is F . Pd + k d dd: the damper, the motion of the
// road, and for the vertical contact also the slope, which lifts the wheel without holding it back.
//
// Branch: state = contact + 3 * feature of the road; airborne is 0 whatever the feature. A wheel
// that leaves faster than the tyre springs back (k d + c dd < 0) is in contact but carries nothing.
#include "elements/force_types.h"
#include "elements/road.h"

enum { AIRBORNE, CONTACT, UNLOADED, CONTACTS };

// Two components: x and z of the global axes.
typedef struct plane {
  double x, z;
} plane;

static double plane_dot(plane a, plane b) { return a.x * b.x + a.z * b.z; }

typedef struct gap {
  double g;
  plane gradient;
  plane normal;  // n
  plane tangent; // t: Hess g = hessian t t', n_P = turn t t'
  double hessian, turn;
} gap;

typedef struct contact {
  gap at;
  double d, dd, load; // load: k d + c dd
} contact;

static gap vertical_gap(const hn_road *road, int feature, plane x) {
  hn_road_height y = hn_road_profile(road, feature, x.x);
  return (gap){.g = x.z - y.z,
               .gradient = {-y.d1, 1},
               .normal = {0, 1},
               .tangent = {1, 0},
               .hessian = -y.d2};
}

static gap radial_gap(const hn_road *road, int feature, plane x) {
  hn_road_gap r = hn_road_distance(road, feature, x.x, x.z);
  return (gap){.g = r.distance,
               .gradient = {r.nx, r.nz},
               .normal = {r.nx, r.nz},
               .tangent = {r.nz, -r.nx},
               .hessian = r.bend,
               .turn = r.bend};
}

static contact touch(const hn_force_def *force, const hn_road *road, int feature, plane x,
                     plane u) {
  contact c;
  c.at = force->contact == HN_CONTACT_RADIAL ? radial_gap(road, feature, x)
                                             : vertical_gap(road, feature, x);
  c.d = force->radius - c.at.g;
  c.dd = -plane_dot(c.at.gradient, u);
  c.load = force->stiffness[0] * c.d + force->damping[0] * c.dd;
  return c;
}

static plane seen_from_road(const hn_road *road, hn_vec3 p, double t) {
  return (plane){p.x - road->def->speed * t, p.z};
}

// A frozen road keeps its position.
static plane velocity_from_road(const hn_elements *elements, const hn_road *road, hn_vec3 v) {
  return (plane){*elements->is_held ? v.x : v.x - road->def->speed, v.z};
}

// The branch of a center at x moving with u; *c is what was found on the way, where it is not airborne.
static int state_of(const hn_force_def *force, const hn_road *road, plane x, plane u, contact *c) {
  int feature = force->contact == HN_CONTACT_RADIAL
                    ? hn_road_feature_near(road, x.x, x.z, force->radius)
                    : hn_road_feature_below(road, x.x);
  if (feature < 0) return AIRBORNE;
  *c = touch(force, road, feature, x, u);
  if (!(c->d > 0)) return AIRBORNE;
  return (c->load > 0 ? CONTACT : UNLOADED) + CONTACTS * feature;
}

static int state_at(const hn_elements *elements, const hn_force_def *force, const hn_frame *frame,
                    double t) {
  hn_road road = hn_road_of(elements->model, force->road);
  hn_vec3 s = force->frame2.position;
  contact c;
  return state_of(force, &road, seen_from_road(&road, point_position(frame, s), t),
                  velocity_from_road(elements, &road, point_velocity(frame, s)), &c);
}

static int tyre_states(const hn_model *model, const hn_force_def *force) {
  hn_road road = hn_road_of(model, force->road);
  return CONTACTS * hn_road_features(&road);
}

static hn_branch tyre_branch(const hn_elements *elements, const hn_force_def *force,
                             const hn_frame *frames, double t) {
  return (hn_branch){state_at(elements, force, &frames[force->frame2.body], t), 0};
}

static hn_status tyre_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                const hn_frame *frames, double t, hn_branch branch,
                                hn_wrench *wrench, hn_force_value *out) {
  out->state = branch.state;
  if (branch.state != HN_BRANCH_FREE && branch.state % CONTACTS == AIRBORNE) return HN_OK;
  hn_road road = hn_road_of(elements->model, force->road);
  int body = force->frame2.body;
  const hn_frame *frame = &frames[body];
  hn_vec3 arm = mat3_apply(frame->a, force->frame2.position);
  hn_vec3 v = vec3_add(frame->v, vec3_cross(frame->w, arm));
  plane x = seen_from_road(&road, vec3_add(frame->r, arm), t),
        u = velocity_from_road(elements, &road, v);
  contact c;
  if (branch.state == HN_BRANCH_FREE)
    branch.state = state_of(force, &road, x, u, &c);
  else
    c = touch(force, &road, branch.state / CONTACTS, x, u);
  int how = branch.state % CONTACTS;
  out->state = branch.state;
  if (how == AIRBORNE) return HN_OK;
  double load = how == CONTACT ? c.load : 0, stored = force->stiffness[0] * c.d;
  hn_vec3 f = vec3(load * c.at.normal.x, 0, load * c.at.normal.z);
  wrench[body].force = vec3_add(wrench[body].force, f);
  wrench[body].torque = vec3_add(wrench[body].torque, vec3_cross(arm, f));
  *out = (hn_force_value){.value = load,
                          .deflection = c.d,
                          .rate = c.dd,
                          .potential = 0.5 * stored * c.d,
                          .power = vec3_dot(f, v) + stored * c.dd,
                          .dissipated = (load - stored) * c.dd,
                          .direction = f,
                          .state = branch.state};
  return HN_OK;
}

// a b' into the x and z rows and columns of m, scaled, added
static void add_outer(hn_mat3 *m, double scale, plane a, plane b) {
  m->m[0][0] += scale * a.x * b.x;
  m->m[0][2] += scale * a.x * b.z;
  m->m[2][0] += scale * a.z * b.x;
  m->m[2][2] += scale * a.z * b.z;
}

static int tyre_load(const hn_elements *elements, const hn_force_def *force, const hn_frame *frame,
                     double t, hn_branch branch, hn_point_load *load) {
  if (branch.state == HN_BRANCH_FREE) branch.state = state_at(elements, force, frame, t);
  if (branch.state % CONTACTS != CONTACT) return 0;
  hn_road road = hn_road_of(elements->model, force->road);
  hn_vec3 s = force->frame2.position;
  plane u = velocity_from_road(elements, &road, point_velocity(frame, s));
  contact c = touch(force, &road, branch.state / CONTACTS,
                    seen_from_road(&road, point_position(frame, s), t), u);
  plane n = c.at.normal, tangent = c.at.tangent;
  double k = force->stiffness[0], damping = force->damping[0];
  *load = (hn_point_load){.force = vec3(c.load * n.x, 0, c.load * n.z)};
  add_outer(&load->d_position, -k, n, c.at.gradient);
  add_outer(&load->d_position, -damping * c.at.hessian * plane_dot(tangent, u), n, tangent);
  add_outer(&load->d_position, c.load * c.at.turn, tangent, tangent);
  add_outer(&load->d_velocity, -damping, n, c.at.gradient);
  load->d_time = vec3_scale(-road.def->speed, mat3_column(load->d_position, 0));
  return 1;
}

static int has_rates(const hn_force_def *force) { return force->damping[0] != 0; }

// Undamped, on a road that stands, it gives back what it took.
static int has_power(const hn_model *model, const hn_force_def *force) {
  return has_rates(force) || force->contact != HN_CONTACT_RADIAL ||
         model->roads.item[force->road].speed != 0;
}

const hn_force_row hn_row_HN_FORCE_TYRE = {.in_speeds = tyre_in_speeds,
                                           .load = tyre_load,
                                           .branch = tyre_branch,
                                           .states = tyre_states,
                                           .has_rates = has_rates,
                                           .has_power = has_power};
