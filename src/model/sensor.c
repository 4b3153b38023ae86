// Sensors by the names of signals, and couplings: a force whose law reads the motion of other
// bodies has derivatives against them, and a tendon against all bodies on its path. For each pair
// of a body it acts on and a body it reads, a force of type HN_FORCE_COUPLING is added after the
// others when a model is finished: it does nothing and has these derivatives (elements/coupling.c,
// elements/tendon.c).
#include "model/sensor.h"

#include <string.h>

#include "base/error.h"
#include "math/law.h"
#include "model/storage.h"

// ---- names --------------------------------------------------------------------------------------

typedef struct reading {
  const char *suffix;
  hn_sensor_kind kind;
  int is_rate, axis;
} reading;

static const reading body_readings[] = {
    {".position.x", HN_SENSOR_POINT, 0, 0},
    {".position.y", HN_SENSOR_POINT, 0, 1},
    {".position.z", HN_SENSOR_POINT, 0, 2},
    {".velocity.x", HN_SENSOR_POINT, 1, 0},
    {".velocity.y", HN_SENSOR_POINT, 1, 1},
    {".velocity.z", HN_SENSOR_POINT, 1, 2},
    {".angular_velocity.x", HN_SENSOR_SPIN, 1, 0},
    {".angular_velocity.y", HN_SENSOR_SPIN, 1, 1},
    {".angular_velocity.z", HN_SENSOR_SPIN, 1, 2},
    {".roll", HN_SENSOR_TURN, 0, 0},
    {".pitch", HN_SENSOR_TURN, 0, 1},
    {".yaw", HN_SENSOR_TURN, 0, 2},
    {".local_angular_velocity.x", HN_SENSOR_LOCAL_SPIN, 1, 0},
    {".local_angular_velocity.y", HN_SENSOR_LOCAL_SPIN, 1, 1},
    {".local_angular_velocity.z", HN_SENSOR_LOCAL_SPIN, 1, 2},
}; // a marker has the first six
enum { BODY_READINGS = 15, MARKER_READINGS = 6 };

static int ends_in(const char *text, const char *suffix) {
  size_t n = strlen(text), m = strlen(suffix);
  return n > m && strcmp(text + n - m, suffix) == 0;
}

// The element whose name is text without its suffix, or -1.
static int element_of(const hn_model *model, hn_name_kind kind, const char *text,
                      const char *suffix) {
  if (!ends_in(text, suffix)) return -1;
  return hn_model_find(model, kind, text, strlen(text) - strlen(suffix));
}

static int read_point(const hn_model *model, hn_name_kind kind, const char *text,
                      hn_sensor_def *out) {
  int count = kind == HN_NAME_BODY ? BODY_READINGS : MARKER_READINGS;
  for (int k = 0; k < count; k++) {
    const reading *r = &body_readings[k];
    int id = element_of(model, kind, text, r->suffix);
    if (id < 0) continue;
    out->kind = r->kind;
    out->is_rate = r->is_rate;
    out->axis = r->axis;
    out->point = (hn_frame_on_body){.body = id, .orientation = {1, 0, 0, 0}};
    if (kind == HN_NAME_MARKER) out->point = model->markers.item[id].frame;
    return 1;
  }
  return 0;
}

static int read_joint(const hn_model *model, const char *text, hn_sensor_def *out) {
  for (int c = 0; c < HN_COORDINATES; c++)
    for (int is_rate = 0; is_rate < 2; is_rate++) {
      char suffix[64];
      hn_text(suffix, sizeof suffix, ".%s%s", hn_coordinate_name((hn_coordinate)c),
              is_rate ? "_rate" : "");
      int id = element_of(model, HN_NAME_JOINT, text, suffix);
      if (id < 0 || !hn_joint_has_coordinate(model->joints[id].type, (hn_coordinate)c)) continue;
      out->kind = HN_SENSOR_JOINT;
      out->is_rate = is_rate;
      out->element = id;
      out->coordinate = (hn_coordinate)c;
      return 1;
    }
  return 0;
}

// Lengths and angles of springs.
static int read_force(const hn_model *model, const char *text, hn_sensor_def *out) {
  for (int is_rate = 0; is_rate < 2; is_rate++) {
    int id = element_of(model, HN_NAME_FORCE, text, is_rate ? ".rate" : ".deflection");
    if (id < 0) continue;
    hn_force_type type = model->forces[id].type;
    if (type != HN_FORCE_SPRING_DAMPER && type != HN_FORCE_JOINT_SPRING_DAMPER &&
        type != HN_FORCE_ROTATIONAL_SPRING_DAMPER)
      return 0;
    out->kind = HN_SENSOR_FORCE;
    out->is_rate = is_rate;
    out->element = id;
    return 1;
  }
  return 0;
}

static int read_signal(const hn_model *model, const char *signal, hn_sensor_def *out) {
  if (strcmp(signal, "time") == 0) return 1; // the kind 0
  if (strncmp(signal, "joint.", 6) == 0) return read_joint(model, signal + 6, out);
  if (strncmp(signal, "body.", 5) == 0) return read_point(model, HN_NAME_BODY, signal + 5, out);
  if (strncmp(signal, "marker.", 7) == 0) return read_point(model, HN_NAME_MARKER, signal + 7, out);
  if (strncmp(signal, "force.", 6) == 0) return read_force(model, signal + 6, out);
  if (strncmp(signal, "state.", 6) == 0) {
    out->kind = HN_SENSOR_STATE;
    out->element = hn_model_find(model, HN_NAME_STATE, signal + 6, strlen(signal + 6));
    return out->element >= 0;
  }
  return 0;
}

hn_status hn_model_add_sensor(hn_model *model, const char *signal, int *sensor, hn_error *error) {
  for (int k = 0; k < model->sensing.count; k++)
    if (strcmp(model->sensing.item[k].name, signal) == 0) {
      *sensor = k;
      return HN_OK;
    }
  hn_sensor_def def = {.element = -1};
  if (!read_signal(model, signal, &def))
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "Sample it by a state with `follows:` and `every:`.",
                   "uses '%.120s', which depends on forces, accelerations or reactions that the "
                   "function itself influences",
                   signal);
  def.name = hn_arena_copy_string(&model->arena, signal);
  hn_sensor_def *sensors = hn_model_grow(model, model->sensing.item, &model->storage->sensor_room,
                                         model->sensing.count, sizeof *sensors);
  if (!sensors || model->arena.failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Free memory.",
                   "out of memory for a signal");
  model->sensing.item = sensors;
  sensors[model->sensing.count] = def;
  *sensor = model->sensing.count++;
  return HN_OK;
}

// ---- couplings ----------------------------------------------------------------------------------

// Bodies without ground, each once; capacity for all of them.
typedef struct body_list {
  int *body, count;
} body_list;

static void include(body_list *list, int body) {
  for (int k = 0; k < list->count; k++)
    if (list->body[k] == body) return;
  if (body != HN_GROUND) list->body[list->count++] = body;
}

static void include_force(const hn_model *model, int force, body_list *list) {
  int body[2];
  hn_model_force_bodies(model, force, body);
  include(list, body[0]);
  include(list, body[1]);
  const hn_force_def *def = &model->forces[force];
  for (int k = 0; k < def->way_count; k++)
    if (def->way[k].kind != HN_WAY_PULLEY) include(list, def->way[k].frame.body);
}

static void include_sensor(const hn_model *model, const hn_sensor_def *s, body_list *list) {
  if (s->kind == HN_SENSOR_FORCE) include_force(model, s->element, list);
  if (s->kind == HN_SENSOR_POINT || s->kind == HN_SENSOR_SPIN || s->kind == HN_SENSOR_LOCAL_SPIN ||
      s->kind == HN_SENSOR_TURN)
    include(list, s->point.body);
  if (s->kind != HN_SENSOR_JOINT) return;
  include(list, model->joints[s->element].frame1.body);
  include(list, model->joints[s->element].frame2.body);
}

// Collects the bodies whose motion a law reads, directly or through states. seen: states already
// visited.
static void include_law(const hn_model *model, const hn_law *law, body_list *list,
                        unsigned char *seen) {
  for (int k = 0; law && k < model->sensing.count; k++) {
    const hn_sensor_def *s = &model->sensing.item[k];
    if (!hn_law_uses_input(law, model->input_count + k)) continue;
    include_sensor(model, s, list);
    if (s->kind != HN_SENSOR_STATE || seen[s->element]) continue;
    seen[s->element] = 1;
    if (!(model->states[s->element].every > 0))
      include_law(model, model->states[s->element].law, list, seen);
  }
}

static hn_status add_coupling(hn_model *model, int force, int row, int column, int number) {
  hn_force_def def = hn_default_force(HN_FORCE_COUPLING);
  char name[512];
  hn_text(name, sizeof name, "%s.signals.%d", model->forces[force].name, number);
  def.name = name;
  def.source = model->forces[force].source;
  def.component = model->forces[force].component;
  def.frame1.body = row == column ? HN_GROUND : row;
  def.frame2.body = column;
  def.frame1.orientation = def.frame2.orientation = (hn_quat){1, 0, 0, 0};
  def.coupled = force;
  hn_status status = hn_model_add_force(model, &def, NULL);
  if (status == HN_OK) model->sensing.couplings++;
  return status;
}

hn_status hn_model_couple_forces(hn_model *model) {
  int forces = model->force_count;
  if (model->sensing.couplings > 0) return HN_OK; // done before
  unsigned char *seen = HN_TAKE(&model->arena, unsigned char, model->state_count + 1);
  body_list rows = {HN_TAKE(&model->arena, int, model->body_count + 1), 0};
  body_list columns = {HN_TAKE(&model->arena, int, model->body_count + 1), 0};
  if (!seen || !rows.body || !columns.body) return hn_model_out_of_memory(model, HN_NAME_STATE, "");
  for (int f = 0; f < forces; f++) {
    rows.count = columns.count = 0;
    const hn_force_def *def = &model->forces[f];
    hn_law *const laws[] = {def->of_x,
                            def->of_v,
                            def->of_t,
                            def->of_xvt,
                            def->component_law[0],
                            def->component_law[1],
                            def->component_law[2]};
    for (int k = 0; k < model->sensing.count; k++)
      for (size_t l = 0; l < sizeof laws / sizeof *laws; l++)
        if (laws[l] && hn_law_uses_input(laws[l], model->input_count + k))
          include_sensor(model, &model->sensing.item[k], &columns);
    memset(seen, 0, (size_t)model->state_count);
    for (size_t l = 0; l < sizeof laws / sizeof *laws; l++)
      include_law(model, laws[l], &columns, seen);
    if (def->way_count > 0) include_force(model, f, &columns);
    if (columns.count == 0) continue;
    include_force(model, f, &rows);
    int number = 0;
    for (int r = 0; r < rows.count; r++)
      for (int c = 0; c < columns.count; c++) {
        hn_status status = add_coupling(model, f, rows.body[r], columns.body[c], ++number);
        if (status != HN_OK) return status;
      }
  }
  return HN_OK;
}

// Rejects driven motions that depend on the model: they would need the second derivatives of what
// they follow.
hn_status hn_model_check_sensed_drivers(hn_model *model) {
  for (int d = 0; d < model->driver_count; d++) {
    const hn_driver_def *def = &model->drivers[d];
    hn_subject subject = {model, HN_NAME_DRIVER, def->name, &def->source};
    for (int k = 0; def->law && k < model->sensing.count; k++)
      if (hn_law_uses_input(def->law, model->input_count + k) &&
          model->sensing.item[k].kind != HN_SENSOR_TIME)
        return hn_subject_fail(
            &subject,
            "Use an input that samples the signal: {follows: OUTPUT, every: 1 ms, filter: 10 "
            "ms}, or a force.",
            "has a motion that depends on %s; only time and inputs are supported",
            model->sensing.item[k].name);
  }
  return HN_OK;
}
