// The folder of a sweep: sweep.json says which one it is, part-*.csv grow line by line, runs/ has
// certificates and messages, table.csv is there when every row is. Every line of a part ends in a
// checksum of itself: one that was changed or cut off does not count, and its row is run again.
#include "sweep.h"

#include "base/plain_file.h"
#include "base/sha256.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- which sweep ------------------------------------------------------------------------------

static void add_description(hn_cli_text *text, const hn_cli_sweep *s, const char *model) {
  hn_cli_json json = {0};
  char hash[24];
  snprintf(hash, sizeof hash, "%016llx", hn_sweep_hash(s->sweep));
  hn_json_open(&json, NULL, '{');
  hn_json_string(&json, "sweep", hash);
  hn_json_string(&json, "holon", hn_version());
  hn_json_string(&json, "model", model);
  hn_json_integer(&json, "rows", hn_sweep_rows(s->sweep));
  hn_json_open(&json, "parameters", '[');
  for (int k = 0; k < hn_sweep_parameter_count(s->sweep); k++)
    hn_json_string(&json, NULL, hn_sweep_parameter(s->sweep, k));
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  hn_string_indented(text, json.text.data);
  text->is_lost |= json.text.is_lost;
  hn_cli_add(text, "\n");
  hn_string_free(&json.text);
}

hn_status hn_cli_sweep_folder(hn_cli_sweep *s, const char *model) {
  char *runs = hn_cli_join(s->folder, "runs"), *path = hn_cli_join(s->folder, "sweep.json");
  char *there = NULL, hash[24];
  size_t size = 0;
  hn_error missing = {0};
  hn_status status = hn_make_folders(s->folder, &s->error);
  const char *link = hn_is_link(runs) ? runs : hn_is_link(path) ? path : NULL;
  if (status == HN_OK && link != NULL)
    status =
        hn_cli_fail(&s->error, HN_ERROR_FILE, "Delete the link, or write into another folder.",
                    "'%s' is a symbolic link: a sweep writes only inside its own folder", link);
  if (status == HN_OK) status = hn_make_folders(runs, &s->error);
  if (status == HN_OK && hn_file_read(path, &there, &size, &missing) == HN_OK) {
    snprintf(hash, sizeof hash, "%016llx", hn_sweep_hash(s->sweep));
    if (strstr(there, hash) == NULL)
      status = hn_cli_fail(
          &s->error, HN_ERROR_ARGUMENT, "Write into another folder with -o, or delete this one.",
          "'%s' contains a different sweep (parameters, model or options)", s->folder);
  } else if (status == HN_OK) {
    hn_cli_text text = {0};
    add_description(&text, s, model);
    status = hn_file_write_bytes(path, text.data, text.length, &s->error);
    hn_string_free(&text);
  }
  free(there);
  free(path);
  free(runs);
  return status;
}

// ---- lines ------------------------------------------------------------------------------------

enum { CHECKSUM = 16 }; // digits of SHA-256

void hn_cli_sweep_add_checksum(hn_cli_text *line) {
  char digest[HN_SHA256_TEXT];
  hn_sha256(line->data, line->length, digest);
  hn_cli_add(line, ",%.*s", CHECKSUM, digest);
}

// Takes the checksum off a line. 0: it is another one.
static int take_checksum(char *line, size_t *length) {
  char digest[HN_SHA256_TEXT];
  if (*length < CHECKSUM + 1 || line[*length - CHECKSUM - 1] != ',') return 0;
  *length -= CHECKSUM + 1;
  line[*length] = '\0';
  hn_sha256(line, *length, digest);
  return strncmp(line + *length + 1, digest, CHECKSUM) == 0;
}

static int is_hash(const char *text) { return strspn(text, "0123456789abcdef") == 16; }

// A whole line of a row that is not there yet. Half a line from a killed process is ignored.
static void take_line(const hn_cli_sweep *s, hn_cli_sweep_lines *lines, char *line, size_t length) {
  char *end;
  if (!take_checksum(line, &length)) return;
  long row = strtol(line, &end, 10);
  const char *last = strrchr(line, ',');
  if (end == line || *end != ',' || row < 0 || row >= hn_sweep_rows(s->sweep)) return;
  if (last == NULL || !is_hash(last + 1) || strlen(last + 1) != 16 || lines->lines[row] != NULL)
    return;
  int commas = 0;
  for (const char *c = line; *c != '\0'; c++) commas += *c == ',';
  if (commas != hn_sweep_parameter_count(s->sweep) + hn_sweep_column_count(s->sweep) + 3) return;
  lines->lines[row] = hn_cli_allocate(length + 2, 1);
  memcpy(lines->lines[row], line, length);
  lines->lines[row][length] = '\n';
  lines->done++;
  char ok[8] = ",ok,";
  lines->failed += strstr(line, ok) == NULL;
}

static hn_status read_part(hn_cli_sweep *s, hn_cli_sweep_lines *lines, const char *name) {
  char *path = hn_cli_join(s->folder, name), *data = NULL;
  size_t size = 0;
  hn_status status =
      hn_is_link(path)
          ? hn_cli_fail(&s->error, HN_ERROR_FILE, "Delete the link; its cases are run again.",
                        "'%s' is a symbolic link: a sweep reads only its own folder", path)
          : hn_file_read(path, &data, &size, &s->error);
  for (char *at = data; status == HN_OK && at != NULL;) {
    char *end = strchr(at, '\n');
    if (end == NULL) break;
    *end = '\0';
    take_line(s, lines, at, (size_t)(end - at));
    at = end + 1;
  }
  free(data);
  free(path);
  return status;
}

hn_status hn_cli_sweep_read(hn_cli_sweep *s, hn_cli_sweep_lines *lines) {
  *lines = (hn_cli_sweep_lines){0};
  lines->lines = hn_cli_allocate((size_t)hn_sweep_rows(s->sweep), sizeof *lines->lines);
  DIR *folder = opendir(s->folder);
  hn_status status = HN_OK;
  const struct dirent *entry;
  while (folder != NULL && status == HN_OK && (entry = readdir(folder)) != NULL) {
    size_t length = strlen(entry->d_name);
    if (strncmp(entry->d_name, "part-", 5) == 0 && length > 4 &&
        strcmp(entry->d_name + length - 4, ".csv") == 0)
      status = read_part(s, lines, entry->d_name);
  }
  if (folder != NULL) closedir(folder);
  return status;
}

// Whether a line has a grade, so that there is a certificate.
static int has_grade(const hn_cli_sweep *s, const char *line) {
  for (int k = hn_sweep_parameter_count(s->sweep) + 2; k > 0 && line != NULL; k--) {
    line = strchr(line, ',');
    if (line != NULL) line++;
  }
  return line != NULL && *line != ',';
}

static int is_whole(const hn_cli_sweep *s, long row) {
  char name[64], end[2] = "";
  snprintf(name, sizeof name, "runs/row-%06ld.json", row);
  char *path = hn_cli_join(s->folder, name);
  FILE *file = hn_not_a_plain_file(path) == NULL ? fopen(path, "rb") : NULL;
  int has_end = file != NULL && fseek(file, -2, SEEK_END) == 0 && fread(end, 1, 2, file) == 2;
  if (file != NULL) fclose(file);
  free(path);
  return has_end && (end[0] == '}' || end[1] == '}');
}

void hn_cli_sweep_forget_lost(const hn_cli_sweep *s, hn_cli_sweep_lines *lines) {
  for (long row = 0; row < hn_sweep_rows(s->sweep); row++) {
    if (lines->lines[row] == NULL || !has_grade(s, lines->lines[row]) || is_whole(s, row)) continue;
    free(lines->lines[row]);
    lines->lines[row] = NULL;
    lines->done--;
  }
}

void hn_cli_sweep_lines_free(const hn_cli_sweep *s, hn_cli_sweep_lines *lines) {
  for (long row = 0; lines->lines != NULL && row < hn_sweep_rows(s->sweep); row++)
    free(lines->lines[row]);
  free((void *)lines->lines);
  lines->lines = NULL;
}

// ---- the table --------------------------------------------------------------------------------

static void add_failure(hn_cli_text *text, const hn_cli_sweep *s, long row) {
  char name[64], *data = NULL;
  size_t size = 0;
  hn_error missing = {0};
  snprintf(name, sizeof name, "runs/row-%06ld.txt", row);
  char *path = hn_cli_join(s->folder, name);
  hn_cli_add(text, "row %ld: ", row);
  if (hn_file_read(path, &data, &size, &missing) == HN_OK)
    hn_cli_add_bytes(text, data, size);
  else
    hn_cli_add(text, "failed\n");
  free(data);
  free(path);
}

hn_status hn_cli_sweep_write(hn_cli_sweep *s, const hn_cli_sweep_lines *lines) {
  hn_cli_text table = {0}, failures = {0};
  size_t size = hn_sweep_header(s->sweep, NULL, 0) + 1;
  char *header = hn_cli_allocate(size, 1);
  hn_sweep_header(s->sweep, header, size);
  hn_cli_add_bytes(&table, header, size - 1);
  for (long row = 0; row < hn_sweep_rows(s->sweep); row++) {
    const char *line = lines->lines[row];
    hn_cli_add_bytes(&table, line, strlen(line));
    if (strstr(line, ",ok,") == NULL) add_failure(&failures, s, row);
  }
  char *path = hn_cli_join(s->folder, "table.csv"), *list = hn_cli_join(s->folder, "failures.txt");
  hn_status status = hn_file_write_bytes(path, table.data, table.length, &s->error);
  if (status == HN_OK && failures.length > 0)
    status = hn_file_write_bytes(list, failures.data, failures.length, &s->error);
  free(header);
  free(path);
  free(list);
  hn_string_free(&table);
  hn_string_free(&failures);
  return status;
}
