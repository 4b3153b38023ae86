// Forces: which measures each type reads, the chain from tension on a measure to wrenches with exact
// derivatives, and the rows of all types.
//
// Measured forces, with a tension f(m, md, t), g the gradient of the measure m in speeds and pi small
// motions of both bodies at fixed speeds:
//   wrenches      W    = -f g
//   in poses      W_pi = -g (f_m g + f_md md_pi)' - f g_pi
//   in speeds     W_w  = -f_md g g'
//   in time       W_t  = -f_t g
// Gravity is not here: the equations add it.
#include "elements/force_types.h"

#include <string.h>

#include "base/variants.h"
#include "elements/measure_make.h"
#include "elements/tendon.h"
#include "math/law.h"
#include "model/contact.h"
#include "model/joint_types.h"

enum { F, G, H };
enum { BUSHING_MEASURES = 6 };

// ---- measures -----------------------------------------------------------------------------------

static const hn_force_row *row_of(const hn_force_def *force) {
  return hn_force_row_of(force->type);
}

const hn_force_row *hn_force_row_of(hn_force_type type) {
  static const hn_force_row none = {0};
  static const hn_force_row *const all[HN_FORCE_TYPES] = {
#define ADDRESS(code, name, ends) [code] = &hn_row_##code,
      HN_FORCE_LIST(ADDRESS)
#undef ADDRESS
  };
  return (unsigned)type < HN_FORCE_TYPES ? all[type] : &none;
}

int hn_force_is_relative(const hn_force_def *force) {
  return row_of(force)->tension && !row_of(force)->in_speeds;
}

int hn_force_has_rates(const hn_force_def *force) {
  const hn_force_row *row = row_of(force);
  return row->has_rates && row->has_rates(force);
}

int hn_force_always(const hn_force_def *force) { return force != NULL; }

int hn_force_needs_differences(const hn_force_def *force) {
  return force->user.evaluate && !force->user.has_derivatives;
}

int hn_force_turns(const hn_force_def *force) {
  if (hn_force_acts_between(force->type) == HN_ENDS_JOINT)
    return hn_coordinate_is_angle(force->coordinate);
  return row_of(force)->turns;
}

int hn_force_reads_joint(const hn_force_def *force) {
  hn_force_ends ends = hn_force_acts_between(force->type);
  return ends == HN_ENDS_JOINT || (ends == HN_ENDS_EITHER && force->joint >= 0);
}

int hn_force_measure_count(const hn_force_def *force) {
  return hn_force_reads_joint(force) ? 0 : row_of(force)->measures;
}

// h1 . (origin 1 - origin 2)
static hn_measure leaf_measure(const hn_frame_on_body *frame1, const hn_frame_on_body *frame2) {
  hn_measure m = hn_measure_axis_displacement(frame1, H, frame2);
  for (int k = 0; k < 2; k++) m.x[1].term[k].sign = (signed char)-m.x[1].term[k].sign;
  return m;
}

void hn_force_make_measures(const hn_model *model, int force, hn_measure *out, int *turn_next) {
  const hn_force_def *def = &model->forces[force];
  if (hn_force_measure_count(def) == 0) return;
  if (row_of(def)->make_measures)
    row_of(def)->make_measures(def, out, turn_next);
  else
    out[0] = hn_measure_distance(&def->frame1, &def->frame2);
}

void hn_bushing_measures(const hn_force_def *force, hn_measure *out, int *turn_next) {
  (void)turn_next;
  for (int k = 0; k < 3; k++)
    out[k] = hn_measure_axis_displacement(&force->frame1, F + k, &force->frame2);
  for (int k = 0; k < 3; k++)
    out[3 + k] = hn_measure_sine_about(&force->frame1, &force->frame2, F + k);
}

void hn_leaf_measures(const hn_force_def *force, hn_measure *out, int *turn_next) {
  (void)turn_next;
  out[0] = leaf_measure(&force->frame1, &force->frame2);
}

void hn_rotational_measures(const hn_force_def *force, hn_measure *out, int *turn_next) {
  out[0] = hn_measure_angle(&force->frame1, &force->frame2, (*turn_next)++);
}

// The measures a measured force acts on: its own, or the one of its joint coordinate.
static const hn_measure *measures_of(const hn_elements *elements, int force, int *count) {
  if (elements->force_coordinate[force] >= 0) {
    *count = 1;
    return &elements->measures[elements->force_coordinate[force]];
  }
  *count = elements->force_measure[force + 1] - elements->force_measure[force];
  return &elements->measures[elements->force_measure[force]];
}

// ---- measured forces ----------------------------------------------------------------------------

static void add_wrench(hn_wrench *wrench, double f, hn_vec3 n, hn_vec3 m) {
  wrench->force = vec3_add_scaled(wrench->force, -f, n);
  wrench->torque = vec3_add_scaled(wrench->torque, -f, m);
}

// A bushing's signals: the size of its force and of the displacement, and the rate of the latter.
static void bushing_signals(const double m[3], const double md[3], hn_force_value *out) {
  double size = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  out->value = vec3_norm(out->direction);
  out->deflection = size;
  out->rate = size > 0 ? (m[0] * md[0] + m[1] * md[1] + m[2] * md[2]) / size : 0;
}

double hn_force_pull(const hn_force_def *force, int k, hn_branch branch, double m, double md,
                     double t, hn_force_value *out) {
  int finds = force->type == HN_FORCE_JOINT_FRICTION; // it says which
  if (branch.state == HN_BRANCH_FREE && !finds && hn_force_switches(force))
    branch.state = hn_force_law_branch(force, m, md, t).state;
  hn_tension f = hn_force_tension_only(force, k, branch, m, md, t);
  out->state = finds ? f.state : branch.state;
  out->potential += f.potential;
  out->power -= (f.f - f.stored) * md;
  out->dissipated += f.damped * md;
  out->value = f.f;
  out->deflection = f.x;
  out->rate = md;
  return f.f;
}

// out null: inside a step; line: of a spring that has one.
HN_INLINE double pull(const hn_force_def *def, const hn_line_spring *line, hn_branch branch,
                      double m, double md, double t, hn_force_value *out, double *power) {
  if (line) {
    const double stored = line->of_x[1] * m + line->of_x[0];
    const double f = stored + (line->of_v[1] * md + line->of_v[0]);
    *power -= (f - stored) * md;
    return f;
  }
  return out ? hn_force_pull(def, 0, branch, m, md, t, out)
             : hn_force_pull_in_step(def, branch, m, md, t, power);
}

// A tension along the line between two points: no second derivatives, no wrench but along that line.
HN_INLINE void spring_in_speeds(const hn_force_def *def, const hn_line_spring *line,
                                const hn_measure *measure, const hn_frame *frames, double t,
                                hn_branch branch, hn_wrench *wrench, hn_force_value *out,
                                double *power) {
  const hn_frame *f1 = &frames[measure->body[0]], *f2 = &frames[measure->body[1]];
  hn_vec3 arm1 = mat3_apply(f1->a, measure->x[0].term[1].s);
  hn_vec3 arm2 = mat3_apply(f2->a, measure->x[0].term[0].s);
  hn_vec3 x = vec3_sub(vec3_add(f2->r, arm2), vec3_add(f1->r, arm1));
  hn_vec3 xd =
      vec3_sub(vec3_add(f2->v, vec3_cross(f2->w, arm2)), vec3_add(f1->v, vec3_cross(f1->w, arm1)));
  double length = vec3_norm(x), inverse = length > HN_LENGTH_ZERO ? 1 / length : 0;
  hn_vec3 e = vec3_scale(inverse, x);
  hn_vec3 f = vec3_scale(pull(def, line, branch, length, vec3_dot(e, xd), t, out, power), e);
  hn_wrench *w1 = &wrench[measure->body[0]], *w2 = &wrench[measure->body[1]];
  w1->force = vec3_add(w1->force, f);
  w1->torque = vec3_add(w1->torque, vec3_cross(arm1, f));
  w2->force = vec3_sub(w2->force, f);
  w2->torque = vec3_sub(w2->torque, vec3_cross(arm2, f));
  if (out) out->direction = vec3_negate(f);
}

// The same along an axis e of body 1: m = e . x with x = origin 1 - origin 2.
static void leaf_in_speeds(const hn_force_def *def, const hn_measure *measure,
                           const hn_frame *frames, double t, hn_branch branch, hn_wrench *wrench,
                           hn_force_value *out, double *power) {
  const hn_frame *f1 = &frames[measure->body[0]], *f2 = &frames[measure->body[1]];
  hn_vec3 arm1 = mat3_apply(f1->a, measure->x[1].term[1].s);
  hn_vec3 arm2 = mat3_apply(f2->a, measure->x[1].term[0].s);
  hn_vec3 e = mat3_apply(f1->a, measure->x[0].term[0].s);
  hn_vec3 x = vec3_sub(vec3_add(f1->r, arm1), vec3_add(f2->r, arm2));
  hn_vec3 xd =
      vec3_sub(vec3_add(f1->v, vec3_cross(f1->w, arm1)), vec3_add(f2->v, vec3_cross(f2->w, arm2)));
  double rate = vec3_dot(vec3_cross(f1->w, e), x) + vec3_dot(e, xd);
  hn_vec3 f = vec3_scale(pull(def, NULL, branch, vec3_dot(e, x), rate, t, out, power), e);
  hn_wrench *w1 = &wrench[measure->body[0]], *w2 = &wrench[measure->body[1]];
  w1->force = vec3_sub(w1->force, f);
  w1->torque = vec3_sub(w1->torque, vec3_cross(vec3_sub(arm1, x), f));
  w2->force = vec3_add(w2->force, f);
  w2->torque = vec3_add(w2->torque, vec3_cross(arm2, f));
  if (out) out->direction = f;
}

// 1: the force is one of these two, and done. out null: inside a step.
static int along_in_speeds(const hn_elements *elements, int force, const hn_frame *frames, double t,
                           hn_branch branch, hn_wrench *wrench, hn_force_value *out,
                           double *power) {
  const hn_force_def *def = &elements->model->forces[force];
  const hn_measure *measure = &elements->measures[elements->force_measure[force]];
  const int count = elements->force_measure[force + 1] - elements->force_measure[force];
  if (count != 1 || elements->force_coordinate[force] >= 0) return 0;
  if (measure->kind == HN_MEASURE_LENGTH)
    spring_in_speeds(def, NULL, measure, frames, t, branch, wrench, out, power);
  else if (row_of(def)->make_measures == hn_leaf_measures)
    leaf_in_speeds(def, measure, frames, t, branch, wrench, out, power);
  else
    return 0;
  return 1;
}

static void measured_in_speeds(const hn_elements *elements, int force, const hn_frame *frames,
                               const double *turns, double t, hn_branch branch, hn_wrench *wrench,
                               hn_force_value *out) {
  const hn_force_def *def = &elements->model->forces[force];
  int count;
  const hn_measure *measures = measures_of(elements, force, &count);
  if (along_in_speeds(elements, force, frames, t, branch, wrench, out, NULL)) return;
  double m[BUSHING_MEASURES] = {0}, md[BUSHING_MEASURES] = {0};
  for (int k = 0; k < count; k++) {
    hn_measure_speeds s;
    hn_measure_in_speeds(&measures[k], frames, turns, &s);
    double held = hn_force_held(elements, force, turns);
    double f = hn_force_pull(def, k, branch, s.value - held, s.rate, t, out);
    for (int slot = 0; slot < 2; slot++)
      add_wrench(&wrench[measures[k].body[slot]], f, s.n[slot], s.m[slot]);
    out->direction = vec3_add_scaled(out->direction, -f, s.n[1]);
    m[k] = s.value;
    md[k] = s.rate;
  }
  if (count == BUSHING_MEASURES) bushing_signals(m, md, out);
}

static void add_tension(const hn_measure_tangent *m, const hn_tension *f, hn_force_load *out) {
  for (int i = 0; i < HN_POSES; i++) {
    double g = m->gradient[i];
    out->wrench[i] -= f->f * g;
    out->rate[i] -= f->f_t * g;
    for (int j = 0; j < HN_POSES; j++) {
      out->d_pose[i][j] -=
          g * (f->f_m * m->gradient[j] + f->f_md * m->rate_pose[j]) + f->f * m->gradient_pose[i][j];
      out->d_speed[i][j] -= f->f_md * g * m->gradient[j];
    }
  }
}

static void measured_in_poses(const hn_elements *elements, int force, const hn_frame *frames,
                              const double *turns, double t, hn_branch branch, hn_force_load *out) {
  int count;
  const hn_measure *measures = measures_of(elements, force, &count);
  out->body[0] = measures[0].body[0];
  out->body[1] = measures[0].body[1];
  for (int k = 0; k < count; k++) {
    hn_measure_tangent m;
    hn_measure_in_poses(&measures[k], frames, turns, &m);
    hn_tension f = hn_force_tension(&elements->model->forces[force], k, branch,
                                    m.value - hn_force_held(elements, force, turns), m.rate, t);
    add_tension(&m, &f, out);
  }
}

// ---- all types ----------------------------------------------------------------------------------

hn_status hn_force_in_speeds(const hn_elements *elements, int force, const hn_frame *frames,
                             const double *turns, double t, hn_branch branch, hn_wrench *wrench,
                             hn_force_value *out) {
  const hn_force_def *def = &elements->model->forces[force];
  const hn_force_row *row = row_of(def);
  *out = (hn_force_value){0};
  if (elements->force_off && elements->force_off[force]) return HN_OK;
  if (row->held_in_speeds)
    return row->held_in_speeds(elements, def, frames, &turns[elements->force_anchor[force]], t,
                               branch, wrench, out);
  if (row->in_speeds) return row->in_speeds(elements, def, frames, t, branch, wrench, out);
  measured_in_speeds(elements, force, frames, turns, t, branch, wrench, out);
  return HN_OK;
}

hn_status hn_force_in_step(const hn_elements *elements, int force, const hn_frame *frames,
                           const double *turns, double t, hn_branch branch, hn_wrench *wrench,
                           double *power) {
  const hn_line_spring *line = &elements->lines[force];
  const int is_off = elements->force_off && elements->force_off[force];
  if (!is_off && line->measure) {
    spring_in_speeds(NULL, line, line->measure, frames, t, branch, wrench, NULL, power);
    return HN_OK;
  }
  if (!is_off && hn_force_is_relative(&elements->model->forces[force]) &&
      along_in_speeds(elements, force, frames, t, branch, wrench, NULL, power))
    return HN_OK;
  hn_force_value value;
  hn_status status = hn_force_in_speeds(elements, force, frames, turns, t, branch, wrench, &value);
  *power += value.power;
  return status;
}

int hn_force_has_power(const hn_model *model, int force) {
  const hn_force_def *def = &model->forces[force];
  const hn_force_row *row = row_of(def);
  return !row->has_power || row->has_power(model, def);
}

// A wrench on one body that sticks.
static void held_in_poses(const hn_elements *elements, int force, const hn_frame *frames,
                          const double *turns, double t, hn_branch branch, hn_force_load *out) {
  const hn_force_def *def = &elements->model->forces[force];
  hn_wrench_tangent w;
  if (!row_of(def)->held_wrench(elements, def, &frames[def->frame2.body],
                                &turns[elements->force_anchor[force]], t, branch, &w))
    return;
  memcpy(&out->wrench[6], w.value, sizeof w.value);
  memcpy(&out->rate[6], w.d_time, sizeof w.d_time);
  for (int i = 0; i < 6; i++) {
    memcpy(&out->d_pose[6 + i][6], w.d_pose[i], sizeof w.d_pose[i]);
    memcpy(&out->d_speed[6 + i][6], w.d_speed[i], sizeof w.d_speed[i]);
  }
}

hn_status hn_force_in_poses(const hn_elements *elements, int force, const hn_frame *frames,
                            const double *turns, double t, hn_branch branch, hn_force_load *out) {
  const hn_force_def *def = &elements->model->forces[force];
  const hn_force_row *row = row_of(def);
  hn_point_load load;
  memset(out, 0, sizeof *out);
  out->body[0] = HN_GROUND;
  out->body[1] = def->frame2.body;
  if (row->in_poses) return row->in_poses(elements, def, frames, t, branch, out);
  if (row->held_wrench)
    held_in_poses(elements, force, frames, turns, t, branch, out);
  else if (!row->load)
    measured_in_poses(elements, force, frames, turns, t, branch, out);
  else if (row->load(elements, def, &frames[def->frame2.body], t, branch, &load))
    hn_point_load_in_poses(&frames[def->frame2.body], def->frame2.position, &load, out);
  return HN_OK;
}

// 1 when the branch of a measured force depends on its measure.
static int depends_on_state(const hn_force_def *def) {
  const hn_force_row *row = row_of(def);
  return row->tension && row->law_branch &&
         ((row->states && row->states(NULL, def) > 1) ||
          (def->of_x && hn_law_pieces(def->of_x) > 1) ||
          (def->of_v && hn_law_pieces(def->of_v) > 1) ||
          (def->of_xvt && hn_law_switches(def->of_xvt) > 0));
}

int hn_force_switches_by_measure(const hn_force_def *force) { return depends_on_state(force); }

int hn_force_switches(const hn_force_def *force) {
  return (row_of(force)->states && !row_of(force)->tension) || depends_on_state(force);
}

void hn_force_gauge(const hn_elements *elements, int force, const hn_frame *frames,
                    const double *turns, double *value, double *rate) {
  const hn_force_def *def = &elements->model->forces[force];
  int count;
  if (def->way_count > 0)
    hn_tendon_measure(def, frames, value, rate);
  else
    hn_measure_rate(measures_of(elements, force, &count), frames, turns, value, rate);
}

hn_branch hn_force_branch(const hn_elements *elements, int force, const hn_frame *frames,
                          const double *turns, double t) {
  const hn_force_def *def = &elements->model->forces[force];
  const hn_force_row *row = row_of(def);
  if (row->branch) return row->branch(elements, def, frames, t);
  if (!row->law_branch) return (hn_branch){0, 0};
  double value = 0, rate = 0;
  const int reads = depends_on_state(def) && !hn_force_is_rigid(def); // rigid: one branch
  if (reads) hn_force_gauge(elements, force, frames, turns, &value, &rate);
  return row->law_branch(def, value - hn_force_held(elements, force, turns), rate, t);
}
