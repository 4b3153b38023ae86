// A template of viewer/ with data inside (page.h).
#include "output/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "platform/clock.h"

enum { MOST_ROWS = 2400, GROUPS = 1000 };

static const char place_mark[] = "<!--holon-data-->"; // where data goes

void hn_page_begin(hn_json_writer *json, const char *kind, const hn_page_head *head) {
  char stamp[40], hash[24];
  hn_json_open(json, NULL, '{');
  hn_json_integer(json, "format", 1);
  hn_json_string(json, "kind", kind);
  hn_json_string(json, "holon", hn_version());
  hn_clock_stamp(stamp, sizeof stamp);
  if (stamp[0] != '\0') hn_json_string(json, "written", stamp);
  if (!head || !head->model) return;
  const char *title = hn_model_title(head->model);
  const char *name = head->name ? head->name : hn_model_name(head->model);
  hn_json_string(json, "model", name);
  hn_json_string(json, "title", title[0] != '\0' ? title : name);
  if (head->call) hn_json_string(json, "call", head->call);
  snprintf(hash, sizeof hash, "%016llx", hn_model_hash(head->model));
  hn_json_string(json, "model_hash", hash);
}

// ---- numbers ------------------------------------------------------------------------------------

static void add_short(hn_string *text, double value, int is_first) {
  if (!is_first) hn_string_bytes(text, ",", 1);
  hn_string_add(text, isfinite(value) ? "%.7g" : "null", value);
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

void hn_json_series(hn_json_writer *json, const char *name, const char *unit, const double *time,
                    const double *values, int count) {
  hn_string t = {0}, v = {0};
  int used = 0;
  hn_string_text(&t, "[");
  hn_string_text(&v, "[");
  const int steps = count <= MOST_ROWS ? count : GROUPS;
  for (int k = 0; k < steps; k++) {
    int rows[2] = {k, k}, picked = 1;
    if (count > MOST_ROWS) {
      int begin = (int)((double)count * k / GROUPS), end = (int)((double)count * (k + 1) / GROUPS);
      picked = pick_rows(values, begin, k == GROUPS - 1 ? count - 1 : end, rows);
    }
    for (int i = 0; i < picked; i++, used++) {
      add_short(&t, time[rows[i]], used == 0);
      add_short(&v, values[rows[i]], used == 0);
    }
  }
  if (count > MOST_ROWS) { // where it ends is always shown
    add_short(&t, time[count - 1], 0);
    add_short(&v, values[count - 1], 0);
  }
  hn_string_text(&t, "]");
  hn_string_text(&v, "]");
  json->text.is_lost |= t.is_lost | v.is_lost;
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "name", name);
  hn_json_string(json, "unit", unit ? unit : "");
  if (!json->text.is_lost) hn_json_raw(json, "time", t.data);
  if (!json->text.is_lost) hn_json_raw(json, "values", v.data);
  hn_json_close(json, '}');
  hn_string_free(&t);
  hn_string_free(&v);
}

// ---- the page -----------------------------------------------------------------------------------

// JSON may not end the element it is in: "<" never starts a tag there.
static void add_json(hn_string *text, const char *id, const char *json, size_t size) {
  hn_string_add(text, "<script type=\"application/json\" id=\"%s\">", id);
  size_t from = 0;
  for (size_t k = 0; k < size; k++) {
    if (json[k] != '<') continue;
    hn_string_bytes(text, json + from, k - from);
    hn_string_text(text, "\\u003c");
    from = k + 1;
  }
  hn_string_bytes(text, json + from, size - from);
  hn_string_text(text, "</script>\n");
}

static const char *find(const char *text, size_t size, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; size >= length; at++, size--)
    if (*at == *word && memcmp(at, word, length) == 0) return at;
  return NULL;
}

// A page as a JSON string: it becomes a frame of the page when it is asked for. Long stretches are
// copied whole: it has megabytes.
static void add_quoted(hn_string *text, const char *page, size_t size) {
  size_t from = 0;
  hn_string_text(text, "\"");
  for (size_t i = 0; i < size; i++) {
    const char c = page[i];
    if (c != '"' && c != '\\' && (unsigned char)c >= 0x20) continue;
    hn_string_bytes(text, page + from, i - from);
    if (c == '"' || c == '\\')
      hn_string_add(text, "\\%c", c);
    else
      hn_string_add(text, "\\u%04x", (unsigned)(unsigned char)c);
    from = i + 1;
  }
  hn_string_bytes(text, page + from, size - from);
  hn_string_text(text, "\"");
}

static hn_status fill(const hn_pages *pages, const hn_string *data, const hn_string *frame,
                      char **text, size_t *length) {
  hn_string page = {.is_lost = data->is_lost | frame->is_lost};
  const char *begin = pages->report, *end = begin + pages->report_size;
  const char *place = find(begin, pages->report_size, place_mark);
  if (!place) place = end;
  if (!page.is_lost) {
    hn_string_bytes(&page, begin, (size_t)(place - begin));
    add_json(&page, "holon-page", data->data, data->length);
    if (frame->length > 0) add_json(&page, "holon-frame", frame->data, frame->length);
    if (place < end) place += sizeof place_mark - 1;
    hn_string_bytes(&page, place, (size_t)(end - place));
  }
  return hn_string_hand_over(&page, text, length);
}

hn_status hn_page_end(hn_json_writer *json, const hn_pages *pages, const hn_run_files *run,
                      char **text, size_t *length) {
  hn_string frame = {0};
  *text = NULL;
  hn_status status = HN_OK;
  if (run && pages->viewer) {
    char *viewer = NULL;
    size_t size = 0;
    status = hn_viewer_page(pages, run, NULL, 1, &viewer, &size);
    if (status == HN_OK) add_quoted(&frame, viewer, size);
    hn_text_free(viewer);
  }
  hn_json_close(json, '}');
  if (status == HN_OK) status = fill(pages, &json->text, &frame, text, length);
  hn_string_free(&json->text);
  hn_string_free(&frame);
  return status;
}

hn_status hn_page_make(const hn_pages *pages, const char *kind, const hn_page_head *head,
                       const char *members, char **text, size_t *length) {
  hn_json_writer json = {0};
  size_t size = strlen(members), from = 0;
  hn_page_begin(&json, kind, head);
  while (from < size && members[from] != '{') from++;
  while (size > from && members[size - 1] != '}') size--;
  if (size > from + 2) {
    hn_string_text(&json.text, ", ");
    hn_string_bytes(&json.text, members + from + 1, size - from - 2);
  }
  return hn_page_end(&json, pages, NULL, text, length);
}

// ---- the viewer ---------------------------------------------------------------------------------

static void add_names(hn_string *text, const hn_results *results, const int *columns, int count) {
  hn_string_text(text, "{\"names\": [");
  for (int i = 0; i < count; i++) {
    hn_string_text(text, i > 0 ? ", " : "");
    hn_string_json(text, hn_results_signal_name(results, columns[i]));
  }
  hn_string_text(text, "], \"units\": [");
  for (int i = 0; i < count; i++) {
    const char *unit = hn_results_signal_unit(results, columns[i]);
    hn_string_text(text, i > 0 ? ", " : "");
    hn_string_json(text, unit ? unit : "");
  }
  hn_string_add(text, "], \"samples\": %d", hn_results_row_count(results));
}

static int *all_columns(const hn_results *results, int *count) {
  *count = hn_results_signal_count(results);
  int *columns = hn_allocate(NULL, ((size_t)*count + 1) * sizeof *columns);
  for (int i = 0; columns && i < *count; i++) columns[i] = i;
  return columns;
}

static void put_bytes(char *out, unsigned long long bits, int count) {
  for (int b = 0; b < count; b++) out[b] = (char)(bits >> (8 * b) & 0xff);
}

static void add_records(hn_string *bytes, const hn_results *results) {
  int rows = hn_results_row_count(results), count = hn_results_signal_count(results);
  for (int row = 0; row < rows && !bytes->is_lost; row++) {
    for (int c = 0; c <= count; c++) {
      const double *column = c == 0 ? hn_results_time(results) : hn_results_column(results, c - 1);
      unsigned long long bits;
      char number[8];
      memcpy(&bits, &column[row], sizeof bits);
      put_bytes(number, bits, 8);
      hn_string_bytes(bytes, number, 8);
    }
  }
}

hn_status hn_viewer_signals(const hn_results *results, char **names, char **records,
                            size_t *records_size) {
  hn_string list = {0}, bytes = {0};
  int count, *columns = all_columns(results, &count);
  *names = *records = NULL;
  if (!columns) return HN_ERROR_MEMORY;
  add_names(&list, results, columns, count);
  hn_string_text(&list, "}\n");
  hn_release(NULL, columns);
  add_records(&bytes, results);
  hn_status status = hn_string_hand_over(&list, names, NULL);
  if (status == HN_OK) status = hn_string_hand_over(&bytes, records, records_size);
  hn_string_free(&bytes);
  return status;
}

static int is_of_element(const char *name) {
  static const char *const kinds[] = {"body.", "joint.", "force.", "marker.", "driver."};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) return 1;
  return 0;
}

static int is_worth_a_place(const char *name) {
  return !is_of_element(name) || strstr(name, ".angle") || strstr(name, ".displacement") ||
         strstr(name, ".position.") || (strncmp(name, "force.", 6) == 0 && strstr(name, ".value"));
}

// All signals when they are small enough for a page; else outputs, energy and what is most asked
// for.
static int *page_columns(const hn_results *results, int *count) {
  enum { MOST_NUMBERS = 500000 };
  int *columns = all_columns(results, count);
  long rows = hn_results_row_count(results);
  for (int pass = 0; columns && pass < 2 && rows * (*count + 1) > MOST_NUMBERS; pass++) {
    int left = 0;
    for (int i = 0; i < *count; i++) {
      const char *name = hn_results_signal_name(results, columns[i]);
      int keep = pass == 0 ? is_worth_a_place(name) : !is_of_element(name);
      if (keep) columns[left++] = columns[i];
    }
    *count = left;
  }
  return columns;
}

static void add_signals(hn_string *text, const char *id, const hn_results *results) {
  int count, rows = hn_results_row_count(results), *columns = page_columns(results, &count);
  size_t size = 4 * ((size_t)count + 1) * (size_t)rows;
  char *records = hn_allocate(NULL, size + 1), *at = records;
  text->is_lost |= !records || !columns;
  for (int row = 0; !text->is_lost && row < rows; row++) {
    for (int c = 0; c <= count; c++, at += 4) {
      const double *column =
          c == 0 ? hn_results_time(results) : hn_results_column(results, columns[c - 1]);
      float value = (float)column[row];
      unsigned bits;
      memcpy(&bits, &value, sizeof bits);
      put_bytes(at, bits, 4);
    }
  }
  if (!text->is_lost) {
    hn_string_add(text, "<script type=\"application/json\" id=\"%s\">", id);
    add_names(text, results, columns, count);
    hn_string_text(text, ", \"data\": \"");
    hn_string_base64(text, records, size);
    hn_string_text(text, "\"}</script>\n");
  }
  hn_release(NULL, records);
  hn_release(NULL, columns);
}

static void add_run(hn_string *text, const char *prefix, const hn_run_files *run,
                    int with_signals) {
  char id[64];
  snprintf(id, sizeof id, "%sscene", prefix);
  add_json(text, id, run->scene_text, run->scene_size);
  hn_string_add(text, "<script type=\"application/octet-stream;base64\" id=\"%smotion\">", prefix);
  hn_string_base64(text, run->motion, run->motion_size);
  hn_string_text(text, "</script>\n");
  snprintf(id, sizeof id, "%ssignals", prefix);
  if (with_signals && run->results) add_signals(text, id, run->results);
}

// The viewer up to where data go; returns its rest. mode: how the page looks, null: as usual.
static const char *open_viewer(hn_string *out, const hn_pages *pages, const char *mode) {
  const char *page = pages->viewer, *end = page + pages->viewer_size;
  const char *place = find(page, pages->viewer_size, place_mark);
  const char *body = find(page, pages->viewer_size, "<body");
  if (mode && body && place && body < place) {
    hn_string_bytes(out, page, (size_t)(body - page) + 5);
    hn_string_add(out, " data-mode=\"%s\"", mode);
    page = body + 5;
  }
  if (!place) place = end;
  hn_string_bytes(out, page, (size_t)(place - page));
  return place < end ? place + sizeof place_mark - 1 : end;
}

static hn_status close_viewer(hn_string *out, const hn_pages *pages, const char *rest, char **text,
                              size_t *length) {
  hn_string_bytes(out, rest, (size_t)(pages->viewer + pages->viewer_size - rest));
  return hn_string_hand_over(out, text, length);
}

static void add_runs(hn_string *out, const hn_run_files *run, const hn_run_files *against,
                     int embedded) {
  add_run(out, "holon-", run, !embedded);
  if (run->certificate && !embedded)
    add_json(out, "holon-certificate", run->certificate, run->certificate_size);
  if (against) add_run(out, "holon-against-", against, 1);
}

hn_status hn_viewer_page(const hn_pages *pages, const hn_run_files *run,
                         const hn_run_files *against, int embedded, char **text, size_t *length) {
  hn_string out = {0};
  const char *rest = open_viewer(&out, pages, embedded ? "embed" : NULL);
  add_runs(&out, run, against, embedded);
  return close_viewer(&out, pages, rest, text, length);
}

hn_status hn_viewer_live_page(const hn_pages *pages, const char *model, const hn_run_files *run,
                              const hn_run_files *against, char **text, size_t *length) {
  hn_string out = {0};
  const char *rest = open_viewer(&out, pages, NULL);
  if (run) add_runs(&out, run, against, 0);
  add_json(&out, "holon-live", model, strlen(model));
  // the build of the viewer leaves nothing in it that ends an element
  hn_string_text(&out, "<script type=\"text/plain\" id=\"holon-worker\">");
  hn_string_bytes(&out, pages->worker, pages->worker_size);
  hn_string_text(
      &out, "</script>\n<script type=\"application/octet-stream;base64\" id=\"holon-engine\">");
  hn_string_base64(&out, pages->engine, pages->engine_size);
  hn_string_text(&out, "</script>\n");
  return close_viewer(&out, pages, rest, text, length);
}
