// Poles and Bode diagrams, as a drawing or as a page with modes.
#include "linearize.h"
#include "page.h"

#include <string.h>

enum { POINTS = 300 };

static void add_diagram(hn_cli_json *json, const hn_linear *l, int input, int output) {
  double frequency[POINTS], gain[POINTS], phase[POINTS];
  if (hn_linear_bode(l, input, output, POINTS, frequency, gain, phase) != HN_OK)
    hn_cli_out_of_memory();
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "input", l->inputs[input]);
  hn_json_string(json, "output", l->outputs[output]);
  hn_json_vector(json, "frequency", frequency, POINTS);
  hn_json_vector(json, "gain", gain, POINTS);
  hn_json_vector(json, "phase", phase, POINTS);
  hn_json_close(json, '}');
}

static hn_status write_page(const hn_cli_session *session, const hn_linear *l, const char *path,
                            hn_error *error) {
  hn_cli_json json = {0};
  hn_cli_text text = {0};
  int pairs = 0;
  hn_cli_page_begin(&json, "linearize", session);
  hn_cli_add_linearize_json(&json, "linearize", session, l);
  hn_json_open(&json, "bode", '[');
  for (int i = 0; l->a != NULL && i < l->input_count; i++)
    for (int o = 0; o < l->output_count && pairs < HN_LINEAR_PAIRS; o++, pairs++)
      add_diagram(&json, l, i, o);
  hn_json_close(&json, ']');
  hn_cli_page_end(&json, NULL, &text);
  hn_status status = hn_file_write_text(path, &text, error);
  hn_string_free(&text);
  return status;
}

hn_status hn_cli_linearize_plot(const hn_cli_session *session, const hn_linear *l, const char *path,
                                hn_error *error) {
  const char *ending = strrchr(path, '.');
  const int is_page = ending != NULL && strcmp(ending, ".html") == 0;
  return is_page ? write_page(session, l, path, error)
                 : hn_linear_plot(l, session->name, path, error);
}

// DIR/mode-1, DIR/mode-2, ..., which `holon view DIR --mode K` shows.
hn_status hn_cli_linearize_shapes(const hn_cli_session *session, const hn_linear *linear,
                                  const char *folder, hn_error *error) {
  enum { most_modes = 200 };
  hn_status status = HN_OK;
  for (int k = 0; status == HN_OK && k < linear->mode_count && k < most_modes; k++) {
    hn_cli_text path = {0};
    hn_scene *scene = NULL;
    hn_cli_add(&path, "%s/mode-%d", folder, k + 1);
    status = hn_cli_make_folders(path.data, error);
    if (status == HN_OK) status = hn_mode_scene(session->simulation, linear, k, &scene, error);
    if (status == HN_OK) status = hn_scene_write(scene, path.data, error);
    hn_scene_free(scene);
    hn_string_free(&path);
  }
  return status;
}
