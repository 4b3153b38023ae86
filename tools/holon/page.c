// A template of viewer/ with data inside (page.h).
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_rows = 2400, groups = 1000 };

void hn_cli_page_begin(hn_cli_json *json, const char *kind, const hn_cli_session *session) {
  time_t now = time(NULL);
  struct tm day;
  char stamp[40], hash[24];
  hn_json_open(json, NULL, '{');
  hn_json_integer(json, "format", 1);
  hn_json_string(json, "kind", kind);
  hn_json_string(json, "holon", hn_version());
  if (gmtime_r(&now, &day) != NULL && strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M UTC", &day) > 0)
    hn_json_string(json, "written", stamp);
  if (session == NULL) return;
  const char *title = hn_model_title(session->model);
  hn_json_string(json, "model", session->name);
  hn_json_string(json, "title", title[0] != '\0' ? title : session->name);
  if (session->call.data != NULL) hn_json_string(json, "call", session->call.data);
  snprintf(hash, sizeof hash, "%016llx", hn_model_hash(session->model));
  hn_json_string(json, "model_hash", hash);
}

// ---- numbers ------------------------------------------------------------------------------------

static void add_short(hn_cli_text *text, double value, int is_first) {
  if (!is_first) hn_cli_add_bytes(text, ",", 1);
  hn_cli_add(text, isfinite(value) ? "%.7g" : "null", value);
}

// The rows of a group that are shown: the least and the largest, in their order.
static int pick_rows(const double *values, int begin, int end, int rows[2]) {
  int least = begin, largest = begin;
  for (int i = begin; i < end; i++) {
    if (!(values[i] >= values[least])) least = i; // a gap is worth telling, too
    if (values[i] > values[largest]) largest = i;
  }
  rows[0] = least < largest ? least : largest;
  rows[1] = least < largest ? largest : least;
  return rows[0] == rows[1] ? 1 : 2;
}

void hn_cli_json_series(hn_cli_json *json, const char *name, const char *unit, const double *time,
                        const double *values, int count) {
  hn_cli_text t = {0}, v = {0};
  int used = 0;
  hn_cli_add(&t, "[");
  hn_cli_add(&v, "[");
  const int steps = count <= most_rows ? count : groups;
  for (int k = 0; k < steps; k++) {
    int rows[2] = {k, k}, picked = 1;
    if (count > most_rows) {
      int begin = (int)((double)count * k / groups), end = (int)((double)count * (k + 1) / groups);
      picked = pick_rows(values, begin, k == groups - 1 ? count - 1 : end, rows);
    }
    for (int i = 0; i < picked; i++, used++) {
      add_short(&t, time[rows[i]], used == 0);
      add_short(&v, values[rows[i]], used == 0);
    }
  }
  if (count > most_rows) { // where it ends is always shown
    add_short(&t, time[count - 1], 0);
    add_short(&v, values[count - 1], 0);
  }
  hn_cli_add(&t, "]");
  hn_cli_add(&v, "]");
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "name", name);
  hn_json_string(json, "unit", unit != NULL ? unit : "");
  hn_json_raw(json, "time", t.data);
  hn_json_raw(json, "values", v.data);
  hn_json_close(json, '}');
  hn_string_free(&t);
  hn_string_free(&v);
}

// ---- the page -----------------------------------------------------------------------------------

// The viewer as a JSON string: it becomes a frame of the page when it is asked for. Long stretches are
// copied whole: it has megabytes.
static void add_frame(hn_cli_text *text, const hn_cli_folder *film) {
  hn_cli_text viewer = {0};
  size_t from = 0;
  hn_cli_add_viewer_page(&viewer, film, NULL, 1);
  hn_cli_add(text, "\"");
  for (size_t i = 0; i < viewer.length; i++) {
    const char c = viewer.data[i];
    if (c != '"' && c != '\\' && (unsigned char)c >= 0x20) continue;
    hn_cli_add_bytes(text, viewer.data + from, i - from);
    if (c == '"' || c == '\\')
      hn_cli_add(text, "\\%c", c);
    else
      hn_cli_add(text, "\\u%04x", (unsigned)(unsigned char)c);
    from = i + 1;
  }
  hn_cli_add_bytes(text, viewer.data + from, viewer.length - from);
  hn_cli_add(text, "\"");
  hn_string_free(&viewer);
}

void hn_cli_page_end(hn_cli_json *json, const hn_cli_folder *film, hn_cli_text *text) {
  hn_cli_text frame = {0};
  if (film != NULL) add_frame(&frame, film);
  hn_json_close(json, '}');
  hn_cli_add_template(text, &json->text, &frame);
  hn_string_free(&json->text);
  hn_string_free(&frame);
}
