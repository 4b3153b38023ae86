// Values of a running model, read into arrays at fixed places: poses, reactions, forces, energies,
// watched signals, the record of the scene, the pull.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/euler.h"
#include "private.h"

void holon_drop_indices(indices *list) {
  free(list->index);
  free(list->values);
  *list = (indices){0};
}

// ---- signals ------------------------------------------------------------------------------------

hn_status holon_add_index(indices *list, int index, int *capacity) {
  if (list->count == *capacity) {
    const int more = 2 * *capacity + 16;
    int *grown = realloc(list->index, (size_t)more * sizeof *grown);
    if (!grown) return HN_ERROR_MEMORY;
    list->index = grown;
    *capacity = more;
  }
  list->index[list->count++] = index;
  return HN_OK;
}

static hn_status add_signal(holon_engine *e, indices *list, int *capacity, const char *kind,
                            const char *name, const char *what) {
  char signal[1536];
  hn_text(signal, sizeof signal, "%s%s%s", kind, name, what);
  return holon_add_index(list, hn_simulation_find_signal(e->simulation, signal), capacity);
}

hn_status holon_finish_indices(indices *list) {
  list->values = take((size_t)list->count, sizeof(double));
  return list->values ? HN_OK : HN_ERROR_MEMORY;
}

void holon_read_indices(holon_engine *e, indices *list) {
  for (int k = 0; k < list->count;) {
    int count = 1;
    if (list->index[k] < 0) {
      list->values[k++] = NAN;
      continue;
    }
    while (k + count < list->count && list->index[k + count] >= 0) count++;
    hn_simulation_signals(e->simulation, &list->index[k], count, &list->values[k]);
    k += count;
  }
}

hn_status holon_choose_signals(holon_engine *e) {
  static const char *const axes[3] = {".reaction.force.x", ".reaction.force.y",
                                      ".reaction.force.z"};
  static const char *const energies[4] = {"kinetic", "potential", "work", "balance"};
  hn_status status = HN_OK;
  int capacity = 0;
  for (int j = 0; j < hn_model_joint_count(e->model); j++)
    for (int k = 0; k < 3 && status == HN_OK; k++)
      status = add_signal(e, &e->reactions, &capacity, "joint.", hn_model_joint_name(e->model, j),
                          axes[k]);
  capacity = 0;
  for (int f = 0; f < hn_model_force_count(e->model) && status == HN_OK; f++)
    status =
        add_signal(e, &e->forces, &capacity, "force.", hn_model_force_name(e->model, f), ".value");
  capacity = 0;
  for (int k = 0; k < 4 && status == HN_OK; k++)
    status = add_signal(e, &e->energy, &capacity, "energy.", energies[k], "");
  if (status == HN_OK) status = holon_finish_indices(&e->reactions);
  if (status == HN_OK) status = holon_finish_indices(&e->forces);
  return status == HN_OK ? holon_finish_indices(&e->energy) : status;
}

// ---- the present values -------------------------------------------------------------------------

static void read_poses(holon_engine *e) {
  for (int b = 0; b <= hn_model_body_count(e->model); b++) {
    hn_body_motion motion;
    if (hn_simulation_body_motion(e->simulation, b, &motion) != HN_OK) continue;
    double *pose = &e->poses[7 * b];
    const hn_quat p = quat_from_matrix(motion.rotation);
    double dot = p.w * pose[3] + p.x * pose[4] + p.y * pose[5] + p.z * pose[6];
    const double sign = dot < 0 ? -1 : 1;
    const double now[7] = {motion.position.x, motion.position.y, motion.position.z, sign * p.w,
                           sign * p.x,        sign * p.y,        sign * p.z};
    memcpy(pose, now, sizeof now);
  }
}

static void read_pull(holon_engine *e) {
  hn_pull pull;
  hn_vec3 point, force;
  const double t = hn_simulation_time(e->simulation);
  e->head[HOLON_IS_PULLED] =
      e->pulls && hn_pulls_at(e->pulls, e->simulation, t, &pull, &point, &force);
  if (!(e->head[HOLON_IS_PULLED] > 0)) return;
  const double now[HOLON_PULL] = {pull.body,     point.x,       point.y, point.z, pull.target.x,
                                  pull.target.y, pull.target.z, force.x, force.y, force.z};
  memcpy(e->pull, now, sizeof now);
}

void holon_read_all(holon_engine *e) {
  e->head[HOLON_TIME] = hn_simulation_time(e->simulation);
  e->head[HOLON_STEPS] = (double)hn_simulation_certificate(e->simulation).steps_accepted;
  read_poses(e);
  holon_read_indices(e, &e->reactions);
  holon_read_indices(e, &e->forces);
  holon_read_indices(e, &e->energy);
  holon_read_indices(e, &e->watched);
  e->scene->frames = 0;
  hn_scene_record(e->scene, e->simulation);
  read_pull(e);
}
