// The report of a run, as data: the model, its motion, the accuracy, how to repeat the run.
#include "study/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "holon/contact.h"
#include "holon/figures.h"
#include "holon/picture.h"
#include "holon/switch.h"
#include "math/elementary.h"

enum { MOST_OUTPUTS = 36, MOST_EVENTS = 24, MOST_PLACES = 600, MOST_SHAPES = 4000 };
static const double MOST_TRIANGLES = 1e6; // of meshes in the picture

// ---- signals ------------------------------------------------------------------------------------

// Signals by which the run is judged; all others shown are outputs.
static int is_own(const char *name) {
  return strncmp(name, "energy.", 7) != 0 && strncmp(name, "constraint.", 11) != 0 &&
         strncmp(name, "step.", 5) != 0;
}

static void add_signals(const hn_report *r) {
  hn_json_writer *json = r->json;
  int outputs = 0;
  hn_json_boolean(json, "has_outputs", hn_model_output_count(r->model) > 0);
  hn_json_open(json, "signals", '[');
  for (int i = 0; i < hn_results_signal_count(r->shown); i++) {
    const char *name = hn_results_signal_name(r->shown, i);
    if (is_own(name) && outputs++ >= MOST_OUTPUTS) continue;
    hn_json_series(json, name, hn_results_signal_unit(r->shown, i), hn_results_time(r->shown),
                   hn_results_column(r->shown, i), hn_results_row_count(r->shown));
  }
  hn_json_close(json, ']');
  if (outputs > MOST_OUTPUTS) hn_json_integer(json, "outputs_left_out", outputs - MOST_OUTPUTS);
}

// Estimated errors: the value of a signal is accurate to bar[k] up to bar_time[k].
static void add_bars(const hn_report *r) {
  const hn_accuracy *a = hn_simulation_accuracy(r->simulation);
  if (a == NULL || !a->is_estimated || a->bar_count == 0) return;
  const size_t stride = (size_t)a->bar_signals;
  double *bar = hn_allocate(NULL, (size_t)a->bar_count * sizeof *bar);
  r->json->text.is_lost |= !bar;
  if (!bar) return;
  hn_json_open(r->json, "bars", '[');
  for (int k = 0; k < a->bar_signals; k++) {
    for (int i = 0; i < a->bar_count; i++) bar[i] = a->bars[(size_t)i * stride + (size_t)k];
    if (hn_results_find(r->shown, a->signals[k].name) >= 0)
      hn_json_series(r->json, a->signals[k].name, "", a->bar_time, bar, a->bar_count);
  }
  hn_json_close(r->json, ']');
  hn_release(NULL, bar);
}

// ---- model --------------------------------------------------------------------------------------

static void add_counts(hn_json_writer *json, const char *key, const int *counts, int types,
                       const char *(*name_of)(int)) {
  hn_json_open(json, key, '{');
  for (int type = 0; type < types; type++)
    if (counts[type] > 0) hn_json_integer(json, name_of(type), counts[type]);
  hn_json_close(json, '}');
}

static const char *joint_name(int type) { return hn_joint_type_name((hn_joint_type)type); }
static const char *force_name(int type) { return hn_force_type_name((hn_force_type)type); }

static void add_machine(const hn_report *r) {
  const hn_model *model = r->model;
  hn_json_writer *json = r->json;
  int joints[HN_JOINT_TYPES] = {0}, forces[HN_FORCE_TYPES] = {0};
  for (int j = 0; j < hn_model_joint_count(model); j++) joints[hn_model_joint_type(model, j)]++;
  for (int f = 0; f < hn_model_force_count(model); f++) forces[hn_model_force_type(model, f)]++;
  hn_json_open(json, "machine", '{');
  hn_json_string(json, "file", r->path);
  hn_json_integer(json, "bodies", hn_model_body_count(model));
  add_counts(json, "joints", joints, HN_JOINT_TYPES, joint_name);
  add_counts(json, "forces", forces, HN_FORCE_TYPES, force_name);
  hn_json_integer(json, "drivers", hn_model_driver_count(model));
  hn_json_integer(json, "contacts", hn_model_contact_count(model));
  if (r->mobility) {
    const hn_mobility *m = r->mobility;
    hn_json_integer(json, "degrees_of_freedom", m->degrees_of_freedom);
    hn_json_integer(json, "freedoms_of_speed", m->degrees_of_freedom - m->nonholonomic);
    hn_json_integer(json, "coordinates", m->coordinates);
    hn_json_integer(json, "constraints", m->rows);
    hn_json_integer(json, "rank", m->rank);
    hn_json_integer(json, "loops", m->loops);
  }
  hn_report_topology(json, r);
  hn_json_close(json, '}');
}

// ---- picture and path ---------------------------------------------------------------------------

// Of all uses of meshes: pictures hold each.
static double mesh_triangles(const hn_scene *scene) {
  double count = 0;
  for (int b = 0; b < scene->body_count; b++)
    for (int k = 0; k < scene->bodies[b].shape_count; k++) {
      const hn_mesh *mesh = scene->bodies[b].shapes[k].mesh;
      if (mesh) count += mesh->triangle_count;
    }
  return count;
}

// A still of the start; none for a model that cannot be drawn.
static void add_picture(const hn_report *r) {
  const hn_scene *scene = r->scene;
  hn_picture *picture = NULL;
  hn_string coded = {0};
  unsigned char *bytes = NULL;
  size_t size = 0;
  int width, height, shapes = 0;
  for (int b = 0; scene != NULL && b < scene->body_count; b++)
    shapes += scene->bodies[b].shape_count;
  if (shapes == 0 || shapes > MOST_SHAPES || mesh_triangles(scene) > MOST_TRIANGLES) return;
  hn_picture_options options = {
      .width = 960, .height = 560, .samples = 2, .time = scene->first, .crops = 1};
  hn_status status = hn_picture_create(scene, &options, &picture, NULL);
  if (status == HN_OK) status = hn_picture_draw(picture, scene->first, NULL);
  if (status == HN_OK) {
    hn_picture_size(picture, &width, &height);
    status = hn_png_encode(hn_picture_pixels(picture), width, height, &bytes, &size);
  }
  if (status == HN_ERROR_MEMORY) r->json->text.is_lost = 1;
  if (status == HN_OK) {
    hn_string_base64(&coded, bytes, size);
    hn_json_open(r->json, "picture", '{');
    hn_json_number(r->json, "time", scene->first);
    hn_json_string(r->json, "type", "image/png");
    hn_json_string(r->json, "data", coded.data);
    hn_json_close(r->json, '}');
  }
  hn_bytes_free(bytes);
  hn_picture_free(picture);
  hn_string_free(&coded);
}

static int has_tyres(const hn_scene *scene) {
  for (int k = 0; k < scene->force_count; k++)
    if (strstr(scene->forces[k].type, "tyre") != NULL) return 1;
  return 0;
}

// Path from above of the heaviest body of a model on tyres: x, y of one frame after another.
static void add_path(const hn_report *r) {
  const hn_scene *scene = r->scene;
  if (scene == NULL || scene->frames < 2 || !has_tyres(scene)) return;
  int body = 1;
  for (int b = 2; b < scene->body_count; b++)
    if (scene->bodies[b].mass > scene->bodies[body].mass) body = b;
  int stride = 1 + (scene->frames - 1) / MOST_PLACES;
  hn_json_open(r->json, "path", '{');
  hn_json_string(r->json, "body", scene->bodies[body].name);
  hn_json_open(r->json, "places", '[');
  for (int k = 0; k < scene->frames; k += stride) {
    const float *frame = scene->motion + (size_t)k * (size_t)scene->stride;
    const float *at = frame + 1 + 7 * (body - 1);
    // time, x, y, and the direction its x axis points to
    double heading =
        hn_atan2(2 * ((double)at[4] * (double)at[5] + (double)at[3] * (double)at[6]),
                 1 - 2 * ((double)at[5] * (double)at[5] + (double)at[6] * (double)at[6]));
    const double place[4] = {(double)frame[0], (double)at[0], (double)at[1], heading};
    hn_json_vector(r->json, NULL, place, 4);
  }
  hn_json_close(r->json, ']');
  hn_json_close(r->json, '}');
}

// ---- the run ------------------------------------------------------------------------------------

static void add_run(const hn_report *r) {
  const hn_error *error = &r->outcome->error;
  hn_certificate c = hn_simulation_certificate(r->simulation);
  hn_json_writer *json = r->json;
  char hash[24];
  snprintf(hash, sizeof hash, "%016llx", hn_simulation_state_hash(r->simulation));
  hn_json_open(json, "run", '{');
  hn_json_boolean(json, "is_kinematics", r->outcome->is_kinematics);
  hn_json_integer(json, "times", r->outcome->rows);
  hn_json_number(json, "start", r->outcome->start);
  hn_json_number(json, "time", r->outcome->time);
  hn_json_number(json, "end", r->outcome->end);
  hn_json_string(json, "coordinates", c.coordinates);
  hn_json_string(json, "method", c.method);
  hn_json_string(json, "formula", c.formula);
  hn_json_number(json, "cpu_seconds", c.cpu_seconds);
  hn_json_integer(json, "newton_iterations", c.newton_iterations);
  hn_json_string(json, "state_hash", hash);
  if (r->outcome->status != HN_OK) {
    hn_json_open(json, "error", '{');
    hn_json_string(json, "element", error->element);
    hn_json_string(json, "message", error->message);
    hn_json_string(json, "hint", error->hint);
    hn_json_close(json, '}');
  }
  hn_json_close(json, '}');
}

static void add_warning(hn_json_writer *json, const hn_warning *warning) {
  hn_json_open(json, NULL, '{');
  hn_json_boolean(json, "is_note", warning->is_note);
  hn_json_string(json, "element", warning->element);
  hn_json_string(json, "message", warning->message);
  hn_json_close(json, '}');
}

static void add_warnings(const hn_report *r) {
  const hn_model *model = r->model;
  const hn_simulation *simulation = r->simulation;
  hn_json_open(r->json, "warnings", '[');
  for (int i = 0; i < hn_model_warning_count(model); i++)
    add_warning(r->json, hn_model_warning(model, i));
  for (int i = 0; i < hn_simulation_warning_count(simulation); i++)
    add_warning(r->json, hn_simulation_warning(simulation, i));
  hn_json_close(r->json, ']');
}

static void add_event(const hn_report *r, const hn_event *event) {
  static const char *const states[] = {"open", "sticking", "sliding", "impact"};
  char branch[40] = "";
  const hn_model *model = r->model;
  hn_json_open(r->json, NULL, '{');
  hn_json_number(r->json, "time", event->time);
  if (event->force >= 0) {
    hn_json_string(r->json, "force", hn_model_force_name(model, event->force));
    snprintf(branch, sizeof branch, "%d → %d", event->from, event->to);
  } else if (event->contact > 0) {
    hn_json_string(r->json, "contact", hn_model_contact(model, event->contact - 1)->name);
    if (event->to == HN_EVENT_IMPACT)
      snprintf(branch, sizeof branch, "impact");
    else
      snprintf(branch, sizeof branch, "%s → %s", states[event->from & 3], states[event->to & 3]);
  } else if (hn_model_switch(model, event->switched - 1)) {
    const hn_switch_def *def = hn_model_switch(model, event->switched - 1);
    static const char *const words[] = {"joint", "driver", "acting"};
    hn_json_string(r->json, words[def->of],
                   def->of == HN_SWITCH_JOINT    ? hn_model_joint_name(model, def->element)
                   : def->of == HN_SWITCH_DRIVER ? hn_model_driver_name(model, def->element)
                                                 : hn_model_force_name(model, def->element));
    snprintf(branch, sizeof branch, "%s", event->to ? "starts to act" : "ends");
  }
  hn_json_string(r->json, "branch", branch);
  hn_json_close(r->json, '}');
}

// The latest ones.
static void add_events(const hn_report *r) {
  hn_certificate c = hn_simulation_certificate(r->simulation);
  int there = hn_simulation_events(r->simulation, NULL, 0);
  hn_json_integer(r->json, "event_count", c.events);
  hn_json_open(r->json, "events", '[');
  if (there > 0) {
    hn_event *events = hn_allocate(NULL, (size_t)there * sizeof *events);
    r->json->text.is_lost |= !events;
    there = events ? hn_simulation_events(r->simulation, events, there) : 0;
    for (int i = there > MOST_EVENTS ? there - MOST_EVENTS : 0; i < there; i++)
      add_event(r, &events[i]);
    hn_release(NULL, events);
  }
  hn_json_close(r->json, ']');
}

hn_report hn_report_of(const hn_run_facts *facts) {
  const hn_model *model = hn_simulation_model(facts->simulation);
  return (hn_report){.model = model,
                     .simulation = facts->simulation,
                     .outcome = facts->outcome,
                     .shown = facts->shown,
                     .scene = facts->scene,
                     .mobility = facts->mobility,
                     .pacing = facts->pacing,
                     .name = facts->name ? facts->name : hn_model_name(model),
                     .path = facts->path,
                     .call = facts->call};
}

hn_status hn_run_page(const hn_run_facts *facts, const hn_pages *pages, const hn_run_files *film,
                      char **text, size_t *length) {
  hn_json_writer json = {0};
  hn_report r = hn_report_of(facts);
  r.json = &json;
  hn_verdict verdict = hn_run_verdict(r.simulation, r.outcome);
  const hn_page_head head = {.model = r.model, .name = r.name, .call = r.call};
  hn_page_begin(&json, "report", &head);
  add_run(&r);
  hn_report_verdict(&json, &r, &verdict);
  add_picture(&r);
  add_machine(&r);
  add_path(&r);
  hn_report_figures(&json, &r);
  hn_report_curves(&json, r.model, r.shown);
  add_signals(&r);
  add_bars(&r);
  hn_report_pace(&json, &r);
  add_warnings(&r);
  add_events(&r);
  return hn_page_end(&json, pages, film, text, length);
}
