// The pages that viewer/ builds, inside the command, and the same pages with data inside.
//
// The built pages stand whole in the executable (.incbin), so that users need no other file. Data
// goes where a page has the comment <!--holon-data-->.
#include "folder.h"

#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#define SECTION ".const_data"
#define SYMBOL(name) "_" name
#else
#define SECTION ".section .rodata"
#define SYMBOL(name) name
#endif

// A file of viewer/dist as the bytes between two symbols.
// clang-format off
#define EMBED(begin, end, file)                                                                    \
  __asm__(SECTION "\n.balign 16\n.global " SYMBOL(begin) "\n" SYMBOL(begin) ":\n"                  \
          ".incbin \"" file "\"\n.global " SYMBOL(end) "\n" SYMBOL(end) ":\n.byte 0\n.text\n")
// clang-format on

EMBED("hn_cli_viewer_begin", "hn_cli_viewer_end", HOLON_VIEWER_PAGE);
EMBED("hn_cli_template_begin", "hn_cli_template_end", HOLON_TEMPLATE_PAGE);

extern const char hn_cli_viewer_begin[], hn_cli_viewer_end[];
extern const char hn_cli_template_begin[], hn_cli_template_end[];

const char *hn_cli_viewer_page(size_t *size) {
  *size = (size_t)(hn_cli_viewer_end - hn_cli_viewer_begin);
  return hn_cli_viewer_begin;
}

// ---- signals ------------------------------------------------------------------------------------

static void add_names(hn_cli_text *text, const hn_results *results, const int *columns, int count) {
  hn_cli_add(text, "{\"names\": [");
  for (int i = 0; i < count; i++) {
    hn_cli_add(text, i > 0 ? ", " : "");
    hn_string_json(text, hn_results_signal_name(results, columns[i]));
  }
  hn_cli_add(text, "], \"units\": [");
  for (int i = 0; i < count; i++) {
    const char *unit = hn_results_signal_unit(results, columns[i]);
    hn_cli_add(text, i > 0 ? ", " : "");
    hn_string_json(text, unit != NULL ? unit : "");
  }
  hn_cli_add(text, "], \"samples\": %d", hn_results_row_count(results));
}

static int *all_columns(const hn_results *results, int *count) {
  *count = hn_results_signal_count(results);
  int *columns = hn_cli_allocate((size_t)*count + 1, sizeof *columns);
  for (int i = 0; i < *count; i++) columns[i] = i;
  return columns;
}

void hn_cli_add_signals_json(hn_cli_text *text, const hn_results *results) {
  int count;
  int *columns = all_columns(results, &count);
  add_names(text, results, columns, count);
  hn_cli_add(text, "}\n");
  free(columns);
}

static void put_bytes(char *out, unsigned long long bits, int count) {
  for (int b = 0; b < count; b++) out[b] = (char)(bits >> (8 * b) & 0xff);
}

void hn_cli_add_signals_records(hn_cli_text *bytes, const hn_results *results) {
  int rows = hn_results_row_count(results), count = hn_results_signal_count(results);
  size_t size = 8 * ((size_t)count + 1);
  char *record = hn_cli_allocate(size, 1);
  for (int row = 0; row < rows; row++) {
    for (int c = 0; c <= count; c++) {
      const double *column = c == 0 ? hn_results_time(results) : hn_results_column(results, c - 1);
      unsigned long long bits;
      memcpy(&bits, &column[row], sizeof bits);
      put_bytes(record + 8 * (size_t)c, bits, 8);
    }
    hn_cli_add_bytes(bytes, record, size);
  }
  free(record);
}

// ---- the page with data -------------------------------------------------------------------------

static int is_of_element(const char *name) {
  static const char *const kinds[] = {"body.", "joint.", "force.", "marker.", "driver."};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) return 1;
  }
  return 0;
}

static int is_worth_a_place(const char *name) {
  return !is_of_element(name) || strstr(name, ".angle") != NULL ||
         strstr(name, ".displacement") != NULL || strstr(name, ".position.") != NULL ||
         (strncmp(name, "force.", 6) == 0 && strstr(name, ".value") != NULL);
}

// All signals when they are small enough for a page; else outputs, energy and what is most asked
// for.
static int *page_columns(const hn_results *results, int *count) {
  enum { most_numbers = 500000 };
  int *columns = all_columns(results, count);
  long rows = hn_results_row_count(results);
  if (rows * (*count + 1) <= most_numbers) return columns;
  for (int pass = 0; pass < 2 && rows * (*count + 1) > most_numbers; pass++) {
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

static void add_signals(hn_cli_text *text, const char *id, const hn_results *results) {
  int count, rows = hn_results_row_count(results);
  int *columns = page_columns(results, &count);
  size_t size = 4 * ((size_t)count + 1) * (size_t)rows;
  char *records = hn_cli_allocate(size + 1, 1), *at = records;
  for (int row = 0; row < rows; row++) {
    for (int c = 0; c <= count; c++, at += 4) {
      const double *column =
          c == 0 ? hn_results_time(results) : hn_results_column(results, columns[c - 1]);
      float value = (float)column[row];
      unsigned bits;
      memcpy(&bits, &value, sizeof bits);
      put_bytes(at, bits, 4);
    }
  }
  hn_cli_add(text, "<script type=\"application/json\" id=\"%s\">", id);
  add_names(text, results, columns, count);
  hn_cli_add(text, ", \"data\": \"");
  hn_string_base64(text, records, size);
  hn_cli_add(text, "\"}</script>\n");
  free(records);
  free(columns);
}

// JSON may not end the element it stands in: "<" never begins a tag there.
static void add_json(hn_cli_text *text, const char *id, const char *json, size_t size) {
  hn_cli_add(text, "<script type=\"application/json\" id=\"%s\">", id);
  size_t from = 0;
  for (size_t k = 0; k < size; k++) {
    if (json[k] != '<') continue;
    hn_cli_add_bytes(text, json + from, k - from);
    hn_cli_add(text, "\\u003c");
    from = k + 1;
  }
  hn_cli_add_bytes(text, json + from, size - from);
  hn_cli_add(text, "</script>\n");
}

static void add_run(hn_cli_text *text, const char *prefix, const hn_cli_folder *folder,
                    int with_signals) {
  char id[64];
  strcpy(id, prefix);
  add_json(text, strcat(id, "scene"), folder->scene_text, folder->scene_size);
  hn_cli_add(text, "<script type=\"application/octet-stream;base64\" id=\"%smotion\">", prefix);
  hn_string_base64(text, folder->motion, folder->motion_size);
  hn_cli_add(text, "</script>\n");
  strcpy(id, prefix);
  if (with_signals && folder->results != NULL) {
    add_signals(text, strcat(id, "signals"), folder->results);
  }
}

static const char place_mark[] = "<!--holon-data-->";

static const char *find(const char *text, size_t size, const char *word) {
  size_t length = strlen(word);
  for (const char *at = text; size >= length; at++, size--) {
    if (*at == *word && memcmp(at, word, length) == 0) return at;
  }
  return NULL;
}

void hn_cli_add_viewer_page(hn_cli_text *text, const hn_cli_folder *folder,
                            const hn_cli_folder *against, int embedded) {
  size_t size;
  const char *page = hn_cli_viewer_page(&size), *end = page + size;
  const char *place = find(page, size, place_mark), *body = find(page, size, "<body");
  if (embedded && body != NULL && place != NULL && body < place) {
    hn_cli_add_bytes(text, page, (size_t)(body - page) + 5);
    hn_cli_add(text, " data-mode=\"embed\"");
    page = body + 5;
  }
  if (place == NULL) place = end;
  hn_cli_add_bytes(text, page, (size_t)(place - page));
  add_run(text, "holon-", folder, !embedded);
  if (folder->certificate != NULL && !embedded) {
    add_json(text, "holon-certificate", folder->certificate, folder->certificate_size);
  }
  if (against != NULL) add_run(text, "holon-against-", against, 1);
  if (place < end) place += sizeof place_mark - 1;
  hn_cli_add_bytes(text, place, (size_t)(end - place));
}

void hn_cli_add_template(hn_cli_text *text, const hn_cli_text *data, const hn_cli_text *frame) {
  const char *page = hn_cli_template_begin, *end = hn_cli_template_end;
  const char *place = find(page, (size_t)(end - page), place_mark);
  if (place == NULL) place = end;
  hn_cli_add_bytes(text, page, (size_t)(place - page));
  add_json(text, "holon-page", data->data, data->length);
  if (frame->length > 0) add_json(text, "holon-frame", frame->data, frame->length);
  if (place < end) place += sizeof place_mark - 1;
  hn_cli_add_bytes(text, place, (size_t)(end - place));
}
