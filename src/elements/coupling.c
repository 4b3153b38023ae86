// Derivatives of a force through the signals that its function reads. With W = f d, d the direction
// along which the law acts (the negative gradient of a measure, or the load of a unit component),
// and signals s of poses pi and speeds w,
//
//   W_pi = d f_s s_pi',   W_w = d f_s s_w'
//
// in addition to those of the force itself. A coupling has the block of one body it acts on (rows,
// frame 1) against one that is read (columns, frame 2); frame 1 on ground represents the body of
// frame 2 itself. The force of a coupling is zero, but for tendons, all of whose blocks are
// couplings' (tendon.c).
#include "elements/force_types.h"
#include "elements/joint_friction.h"
#include "elements/sensor.h"
#include "elements/tendon.h"
#include "math/law.h"

// pose += f_s d s_pi', speed += f_s d s_w'
static void add_outers(const hn_elements *elements, const hn_sensed *sensed,
                       const double direction[6], int column, const hn_frame *frames,
                       double pose[6][6], double speed[6][6]) {
  for (int k = 0; k < sensed->count; k++) {
    const double f_s = sensed->by[sensed->sensor[k]];
    double by_pose[6], by_speed[6];
    if (f_s == 0) continue;
    hn_sensor_in_poses(&elements->sensors[sensed->sensor[k]], column, frames,
                       elements->sensed_turns, &elements->memo[1], by_pose, by_speed);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        pose[i][j] += f_s * direction[i] * by_pose[j];
        speed[i][j] += f_s * direction[i] * by_speed[j];
      }
  }
}

// Adds the derivatives of a law, times a share.
static void add_law(const hn_elements *elements, const hn_law *law, const double *variables,
                    double t, double share) {
  const int inputs = elements->model->input_count;
  double gradient[HN_LAW_VARIABLES];
  hn_law_input_gradient(law, variables, t, gradient);
  for (int k = 0; k < hn_law_input_count(law); k++) {
    const int sensor = hn_law_input(law, k) - inputs;
    if (sensor >= 0) hn_sensed_add(elements->sensed, sensor, share * gradient[k]);
  }
}

const hn_sensed *hn_force_sensed(const hn_elements *elements, int force, double m, double md,
                                 double t) {
  const hn_force_def *def = &elements->model->forces[force];
  double x = m - (def->type == HN_FORCE_LEAF_SPRING ? def->offset : 0);
  const double variables[4][3] = {{x}, {md}, {t}, {x, md, t}};
  hn_law *const laws[4] = {def->of_x, def->of_v, def->of_t, def->of_xvt};
  double share = 1;
  if (def->type == HN_FORCE_JOINT_FRICTION)
    share =
        hn_friction_share(def, m - hn_force_held(elements, force, elements->sensed_turns), md, t);
  hn_sensed_clear(elements->sensed);
  for (int l = 0; l < 4; l++)
    if (laws[l] && hn_law_input_count(laws[l]) > 0)
      add_law(elements, laws[l], variables[l], t, share);
  hn_states_chain(elements, elements->sensed);
  return elements->sensed;
}

// Tensions along the measure of a spring.
static void add_spring(const hn_elements *elements, int force, int row, int column,
                       const hn_frame *frames, double t, double pose[6][6], double speed[6][6]) {
  int joint = elements->force_coordinate[force];
  const hn_measure *measure =
      &elements->measures[joint >= 0 ? joint : elements->force_measure[force]];
  const hn_measure_tangent *m =
      hn_measure_recall(measure, frames, elements->sensed_turns, &elements->memo[0]);
  const hn_sensed *sensed = hn_force_sensed(elements, force, m->value, m->rate, t);
  if (sensed->count == 0) return;
  double direction[6] = {0};
  for (int slot = 0; slot < 2; slot++)
    for (int i = 0; i < 6 && measure->body[slot] == row; i++)
      direction[i] -= m->gradient[6 * slot + i];
  add_outers(elements, sensed, direction, column, frames, pose, speed);
}

// A tendon on one body.
static void add_tendon(const hn_elements *elements, int force, int row, int column,
                       const hn_frame *frames, double t, double pose[6][6], double speed[6][6]) {
  const hn_force_def *def = &elements->model->forces[force];
  double length, rate, direction[6];
  hn_tendon_measure(def, frames, &length, &rate);
  const hn_sensed *sensed = hn_force_sensed(elements, force, length, rate, t);
  if (sensed->count == 0) return;
  hn_tendon_direction(def, row, frames, direction);
  add_outers(elements, sensed, direction, column, frames, pose, speed);
}

const hn_sensed *hn_load_sensed(const hn_elements *elements, const hn_force_def *load, int k,
                                double t) {
  const hn_law *law = load->component_law[k];
  hn_sensed_clear(elements->sensed);
  if (law && hn_law_input_count(law) > 0) add_law(elements, law, &t, t, 1);
  hn_states_chain(elements, elements->sensed);
  return elements->sensed;
}

// Components of a load: each by the load of one unit of it.
static void add_load(const hn_elements *elements, const hn_force_def *def, int column,
                     const hn_frame *frames, double t, double pose[6][6], double speed[6][6]) {
  const hn_frame *frame = &frames[def->frame2.body];
  for (int k = 0; k < 3; k++) {
    double direction[6] = {0};
    const hn_sensed *sensed = hn_load_sensed(elements, def, k, t);
    if (sensed->count == 0) continue;
    hn_vec3 unit = vec3(k == 0, k == 1, k == 2);
    if (def->following) unit = mat3_apply(frame->a, unit);
    if (def->type == HN_FORCE_POINT_FORCE) {
      vec3_store(direction, unit);
      unit = vec3_cross(mat3_apply(frame->a, def->frame2.position), unit);
    }
    vec3_store(direction + 3, unit);
    add_outers(elements, sensed, direction, column, frames, pose, speed);
  }
}

// Derivatives of a tendon's own: its force on a body is in the block of that body.
static void tendon_in_poses(const hn_elements *elements, int force, int row, int column,
                            const hn_frame *frames, double t, hn_force_load *out) {
  const hn_branch branch = {HN_BRANCH_FREE, HN_BRANCH_FREE}; // those of the tendon are not known
  hn_tendon_block block;
  const int first = row == column ? 6 : 0;
  if (elements->force_off && elements->force_off[force]) return;
  hn_tendon_in_poses(elements, force, row, column, frames, t, branch, &block);
  for (int i = 0; i < 6; i++) {
    if (row == column) {
      out->wrench[6 + i] = block.wrench[i];
      out->rate[6 + i] = block.rate[i];
    }
    for (int j = 0; j < 6; j++) {
      out->d_pose[first + i][6 + j] = block.d_pose[i][j];
      out->d_speed[first + i][6 + j] = block.d_speed[i][j];
    }
  }
}

static hn_status coupling_in_poses(const hn_elements *elements, const hn_force_def *force,
                                   const hn_frame *frames, double t, hn_branch branch,
                                   hn_force_load *out) {
  (void)branch;
  out->body[0] = force->frame1.body;
  int column = force->frame2.body;
  int row = force->frame1.body == HN_GROUND ? column : force->frame1.body;
  const hn_force_def *def = &elements->model->forces[force->coupled];
  if (def->way_count > 0) tendon_in_poses(elements, force->coupled, row, column, frames, t, out);
  if (elements->sensor_count == 0) return HN_OK;
  double pose[6][6] = {{0}}, speed[6][6] = {{0}};
  if (def->way_count > 0)
    add_tendon(elements, force->coupled, row, column, frames, t, pose, speed);
  else if (hn_force_is_relative(def))
    add_spring(elements, force->coupled, row, column, frames, t, pose, speed);
  else if (def->frame2.body == row)
    add_load(elements, def, column, frames, t, pose, speed);
  int first = force->frame1.body == HN_GROUND ? 6 : 0;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      out->d_pose[first + i][6 + j] += pose[i][j];
      out->d_speed[first + i][6 + j] += speed[i][j];
    }
  return HN_OK;
}

const hn_force_row hn_row_HN_FORCE_COUPLING = {.in_poses = coupling_in_poses,
                                               .has_rates = hn_force_always};
