#include "formats/export/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/elementary.h"

enum { INDENT = 40 }; // levels

static void put(hn_writer *w, const char *bytes, size_t size) {
  if (w->arena->failed) return;
  if (w->length + size + 1 > w->room) {
    size_t room = 2 * (w->room + size) + 4096;
    char *text = HN_TAKE(w->arena, char, room);
    if (!text) {
      w->text = NULL;
      return;
    }
    if (w->length > 0) memcpy(text, w->text, w->length);
    w->text = text;
    w->room = room;
  }
  memcpy(w->text + w->length, bytes, size);
  w->length += size;
  w->text[w->length] = 0;
}

static void put_text(hn_writer *w, const char *text) { put(w, text, strlen(text)); }

static void put_escaped(hn_writer *w, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '&')
      put_text(w, "&amp;");
    else if (c == '<')
      put_text(w, "&lt;");
    else if (c == '>')
      put_text(w, "&gt;");
    else if (c == '"')
      put_text(w, "&quot;");
    else if (c < 32 || c == 127)
      put_text(w, " ");
    else
      put(w, text, 1);
  }
}

// As few digits as read back the same.
static void write_number(double value, char text[40]) {
  if (fabs(value) < 1e-300) value = 0;
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, 40, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  for (char *c = text; *c; c++) // the decimal point of the locale
    if (!strchr("0123456789+-einfa", *c)) *c = '.';
}

static void put_number(hn_writer *w, double value) {
  char text[40];
  write_number(value, text);
  put_text(w, text);
}

static void close_tag(hn_writer *w) {
  if (w->is_open) put_text(w, ">\n");
  w->is_open = 0;
}

static void indent(hn_writer *w) {
  for (int k = 0; k < w->depth && k < INDENT; k++) put_text(w, "  ");
}

void hn_writer_begin(hn_writer *w, const char *tag) {
  close_tag(w);
  w->began = w->length;
  indent(w);
  put_text(w, "<");
  put_text(w, tag);
  w->depth++;
  w->is_open = w->is_bare = 1;
}

void hn_writer_end(hn_writer *w, const char *tag) {
  w->depth--;
  if (w->is_open && w->is_bare) { // nothing in it at all: taken back
    w->length = w->began;
    w->text[w->length] = 0;
  } else if (w->is_open) {
    put_text(w, "/>\n");
  } else {
    indent(w);
    put_text(w, "</");
    put_text(w, tag);
    put_text(w, ">\n");
  }
  w->is_open = 0;
}

static void attribute(hn_writer *w, const char *name) {
  w->is_bare = 0;
  put_text(w, " ");
  put_text(w, name);
  put_text(w, "=\"");
}

void hn_writer_string(hn_writer *w, const char *name, const char *value) {
  attribute(w, name);
  put_escaped(w, value);
  put_text(w, "\"");
}

void hn_writer_numbers(hn_writer *w, const char *name, const double *values, int count) {
  attribute(w, name);
  for (int k = 0; k < count; k++) {
    if (k > 0) put_text(w, " ");
    put_number(w, values[k]);
  }
  put_text(w, "\"");
}

void hn_writer_integers(hn_writer *w, const char *name, const int *values, int count) {
  char text[20];
  attribute(w, name);
  for (int k = 0; k < count; k++) {
    snprintf(text, sizeof text, "%s%d", k > 0 ? " " : "", values[k]);
    put_text(w, text);
  }
  put_text(w, "\"");
}

void hn_writer_number(hn_writer *w, const char *name, double value) {
  hn_writer_numbers(w, name, &value, 1);
}

// Rounds to zero what is only rounding error of the largest number, and drops the last bits of a
// number that is short without them.
static void tidy(double *v, int count) {
  double largest = 1e-3;
  char text[40];
  for (int k = 0; k < count; k++) largest = fmax(largest, fabs(v[k]));
  for (int k = 0; k < count; k++) {
    if (fabs(v[k]) < 1e-15 * largest) v[k] = 0;
    snprintf(text, sizeof text, "%.14g", v[k]);
    double near = strtod(text, NULL);
    if (fabs(near - v[k]) <= 1e-15 * largest) v[k] = near;
  }
}

void hn_writer_vector(hn_writer *w, const char *name, hn_vec3 value) {
  double v[3];
  vec3_store(v, value);
  tidy(v, 3);
  hn_writer_numbers(w, name, v, 3);
}

void hn_writer_turn(hn_writer *w, const char *name, hn_mat3 turn) {
  double p[4];
  hn_quat q = quat_unit(quat_from_matrix(turn));
  if (vec3_norm(quat_vector(q)) < 1e-15) return;
  quat_store(p, q);
  tidy(p, 4);
  hn_writer_numbers(w, name, p, 4);
}

void hn_writer_words(hn_writer *w, const char *tag, const char *text) {
  close_tag(w);
  indent(w);
  put_text(w, "<");
  put_text(w, tag);
  put_text(w, ">");
  put_escaped(w, text);
  put_text(w, "</");
  for (; *tag && *tag != ' '; tag++) put(w, tag, 1);
  put_text(w, ">\n");
}

void hn_writer_value(hn_writer *w, const char *tag, double value) {
  char text[40];
  write_number(value, text);
  hn_writer_words(w, tag, text);
}

hn_vec3 hn_writer_rpy(hn_mat3 r) {
  double flat = hn_hypot(r.m[2][1], r.m[2][2]);
  if (flat < 1e-12) return vec3(hn_atan2(-r.m[1][2], r.m[1][1]), hn_atan2(-r.m[2][0], flat), 0);
  return vec3(hn_atan2(r.m[2][1], r.m[2][2]), hn_atan2(-r.m[2][0], flat),
              hn_atan2(r.m[1][0], r.m[0][0]));
}

static void put_three(hn_vec3 value, char text[130]) {
  double v[3];
  size_t length = 0;
  vec3_store(v, value);
  tidy(v, 3);
  for (int k = 0; k < 3; k++) {
    if (k > 0) text[length++] = ' ';
    write_number(v[k], text + length);
    length += strlen(text + length);
  }
}

void hn_writer_three(hn_writer *w, const char *tag, hn_vec3 value) {
  char text[130];
  put_three(value, text);
  hn_writer_words(w, tag, text);
}

void hn_writer_pose(hn_writer *w, const hn_pose *pose) {
  char text[260];
  put_three(pose->p, text);
  size_t length = strlen(text);
  text[length] = ' ';
  put_three(hn_writer_rpy(pose->r), text + length + 1);
  hn_writer_words(w, "pose", text);
}
