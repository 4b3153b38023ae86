// Messages between the user of a sealed component and its server. See the header of the same name.
#include <math.h>
#include <string.h>

#include "components/served.h"
#include "model/state.h"

// ---- writing ------------------------------------------------------------------------------------

int hn_wire_reserve(hn_wire *w, size_t room) {
  if (room <= w->room) return 1;
  if (room > HN_SERVED_MOST) return 0;
  unsigned char *data = hn_reallocate(NULL, w->data, w->size, room);
  if (!data) return 0;
  w->data = data;
  w->room = room;
  return 1;
}

void hn_wire_free(hn_wire *w) {
  hn_release(NULL, w->data);
  *w = (hn_wire){.data = NULL};
}

void hn_wire_bytes(hn_wire *w, const void *data, size_t size) {
  if (!w->failed && size > w->room - w->size && !hn_wire_reserve(w, 2 * (w->size + size) + 64))
    w->failed = 1;
  if (w->failed || size == 0) return;
  memcpy(w->data + w->size, data, size);
  w->size += size;
}

void hn_wire_word(hn_wire *w, uint32_t value) { hn_wire_bytes(w, &value, sizeof value); }
void hn_wire_long(hn_wire *w, uint64_t value) { hn_wire_bytes(w, &value, sizeof value); }
void hn_wire_int(hn_wire *w, int value) { hn_wire_word(w, (uint32_t)value); }

void hn_wire_numbers(hn_wire *w, const double *values, int count) {
  hn_wire_bytes(w, values, (size_t)count * sizeof *values);
}

void hn_wire_string(hn_wire *w, const char *text) {
  size_t length = text ? strlen(text) : 0;
  hn_wire_long(w, length);
  hn_wire_bytes(w, text, length);
}

// ---- reading ------------------------------------------------------------------------------------

hn_wire hn_wire_of(const void *data, size_t size) {
  return (hn_wire){.data = (unsigned char *)data, .size = size, .room = size};
}

void hn_wire_get_bytes(hn_wire *w, void *data, size_t size) {
  if (size == 0) return;
  if (size > w->size - w->at) w->failed = 1;
  if (w->failed)
    memset(data, 0, size);
  else
    memcpy(data, w->data + w->at, size);
  if (!w->failed) w->at += size;
}

uint32_t hn_wire_get_word(hn_wire *w) {
  uint32_t value = 0;
  hn_wire_get_bytes(w, &value, sizeof value);
  return value;
}

uint64_t hn_wire_get_long(hn_wire *w) {
  uint64_t value = 0;
  hn_wire_get_bytes(w, &value, sizeof value);
  return value;
}

int hn_wire_get_int(hn_wire *w) {
  int32_t value = 0;
  hn_wire_get_bytes(w, &value, sizeof value);
  return (int)value;
}

int hn_wire_get_count(hn_wire *w, size_t each) {
  int count = hn_wire_get_int(w);
  if (count < 0 || (size_t)count > (w->size - w->at) / each) w->failed = 1;
  return w->failed ? 0 : count;
}

void hn_wire_get_numbers(hn_wire *w, double *values, int count) {
  hn_wire_get_bytes(w, values, (size_t)count * sizeof *values);
}

const char *hn_wire_get_string(hn_wire *w, hn_arena *arena) {
  uint64_t length = hn_wire_get_long(w);
  if (w->failed || length > w->size - w->at) {
    w->failed = 1;
    return "";
  }
  char *text = HN_TAKE(arena, char, length + 1);
  if (!text) {
    w->failed = 1;
    return "";
  }
  hn_wire_get_bytes(w, text, (size_t)length);
  for (uint64_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f) text[i] = '?';
  return text;
}

int hn_wire_is_done(const hn_wire *w) { return !w->failed && w->at == w->size; }

// ---- facts --------------------------------------------------------------------------------------

size_t hn_served_room(const hn_component_facts *f, int connected, size_t save_size) {
  size_t blocks = (size_t)f->border_row_start[f->border_row_count];
  size_t bodies = (size_t)f->body_count + (size_t)f->external_count, c = 6 * (size_t)connected;
  size_t numbers =
      14 * bodies + (size_t)f->turn_count + (size_t)f->switch_count + (size_t)f->motion_count +
      6 * (size_t)f->border_count + (size_t)HN_COMPONENT_GIVEN_NUMBERS * (size_t)f->given_count +
      3 * (size_t)f->state_count + 5 * (size_t)f->delay_count + (size_t)f->condition_count +
      6 * (size_t)f->external_count + 6 * blocks + 5 * (size_t)f->border_row_count + c * c + 2 * c +
      6 * (size_t)f->body_count + (size_t)f->output_count + 64;
  return numbers * sizeof(double) + save_size;
}

static void put_body(hn_wire *w, const hn_component_body *body) {
  hn_wire_numbers(w, body->rotation, 9);
  hn_wire_numbers(w, body->mirror, 3);
  hn_wire_numbers(w, body->position, 3);
  hn_wire_numbers(w, body->center, 3);
}

static void put_given(hn_wire *w, const hn_component_facts *f) {
  hn_wire_int(w, f->given_count);
  for (int k = 0; k < f->given_count; k++) {
    const hn_component_given *given = &f->given[k];
    const double numbers[7] = {given->value,        given->filter,       given->dimension[0],
                               given->dimension[1], given->dimension[2], given->dimension[3],
                               given->every};
    hn_wire_string(w, given->name);
    hn_wire_string(w, given->unit ? given->unit : "");
    hn_wire_int(w, given->has_dimension);
    hn_wire_int(w, given->follows);
    hn_wire_int(w, given->moves_driver);
    hn_wire_numbers(w, numbers, 7);
  }
}

static void put_constraints(hn_wire *w, const hn_component_facts *f) {
  hn_wire_int(w, f->constraint_count);
  for (int k = 0; k < f->constraint_count; k++) {
    const hn_component_constraint *c = &f->constraints[k];
    hn_wire_int(w, c->kind);
    hn_wire_int(w, c->joint_type);
    hn_wire_int(w, c->coordinate);
    hn_wire_int(w, c->body[0]);
    hn_wire_int(w, c->body[1]);
    hn_wire_numbers(w, c->frame[0], 14);
    hn_wire_numbers(w, &c->pitch, 1);
    hn_wire_numbers(w, c->number, 3);
  }
}

void hn_served_put_facts(hn_wire *w, const hn_component_facts *f) {
  hn_wire_int(w, f->body_count);
  hn_wire_numbers(w, f->initial_q, 7 * f->body_count);
  hn_wire_numbers(w, f->initial_u, 6 * f->body_count);
  hn_wire_int(w, f->border_count);
  for (int k = 0; k < f->border_count; k++) {
    hn_wire_int(w, f->border[k]);
    hn_wire_string(w, f->border_names[k]);
    put_body(w, &f->border_drawn[k]);
  }
  hn_wire_int(w, f->marker_count);
  for (int k = 0; k < f->marker_count; k++) {
    hn_wire_string(w, f->markers[k].name);
    hn_wire_int(w, f->markers[k].body);
    hn_wire_numbers(w, f->markers[k].origin, 3);
    hn_wire_numbers(w, f->markers[k].axes, 9);
  }
  hn_wire_int(w, f->external_count);
  hn_wire_int(w, f->turn_count);
  hn_wire_int(w, f->switch_count);
  hn_wire_int(w, f->motion_count);
  hn_wire_int(w, f->limits_steps);
  hn_wire_int(w, f->has_anchors);
  hn_wire_int(w, f->has_drivers);
  hn_wire_int(w, f->hides_features);
  hn_wire_int(w, f->state_count);
  hn_wire_numbers(w, f->state_initial, f->state_count);
  hn_wire_numbers(w, f->state_every, f->state_count);
  for (int k = 0; k < f->state_count; k++) hn_wire_int(w, f->state_follows[k]);
  hn_wire_int(w, f->delay_count);
  for (int k = 0; k < f->delay_count; k++) hn_wire_int(w, f->delay_state[k]);
  hn_wire_numbers(w, f->delay_time, f->delay_count);
  hn_wire_numbers(w, f->delay_rise, 2 * f->delay_count);
  hn_wire_int(w, f->condition_count);
  hn_wire_bytes(w, f->condition_is_rule, (size_t)f->condition_count);
  put_given(w, f);
  put_constraints(w, f);
  hn_served_put_contacts(w, f);
  hn_wire_int(w, f->row_count);
  hn_wire_int(w, f->border_row_count);
  for (int r = 0; r < f->border_row_count; r++) {
    hn_wire_int(w, f->border_row_start[r + 1] - f->border_row_start[r]);
    for (int k = f->border_row_start[r]; k < f->border_row_start[r + 1]; k++)
      hn_wire_int(w, f->border_row_body[k]);
  }
  hn_wire_int(w, f->output_count);
  for (int k = 0; k < f->output_count; k++) {
    hn_wire_string(w, f->output_names[k]);
    hn_wire_string(w, f->output_units[k]);
  }
}

static double *get_finite(hn_wire *w, hn_arena *arena, int count) {
  double *values = HN_TAKE(arena, double, count);
  if (!values) {
    w->failed = 1;
    return NULL;
  }
  hn_wire_get_numbers(w, values, count);
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i])) w->failed = 1;
  return values;
}

static void get_into(hn_wire *w, double *values, int count) {
  hn_wire_get_numbers(w, values, count);
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i])) w->failed = 1;
}

static int get_place(hn_wire *w, int least, int count) {
  int place = hn_wire_get_int(w);
  if (place < least || place >= count) w->failed = 1;
  return w->failed ? 0 : place;
}

static void get_border(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  f->border_count = hn_wire_get_count(w, 18 * sizeof(double));
  int *border = HN_TAKE(arena, int, f->border_count);
  const char **names = HN_TAKE(arena, const char *, f->border_count);
  hn_component_body *drawn = HN_TAKE(arena, hn_component_body, f->border_count);
  for (int k = 0; k < f->border_count && !arena->failed; k++) {
    border[k] = get_place(w, 0, f->body_count);
    names[k] = hn_wire_get_string(w, arena);
    get_into(w, drawn[k].rotation, 9);
    get_into(w, drawn[k].mirror, 3);
    get_into(w, drawn[k].position, 3);
    get_into(w, drawn[k].center, 3);
  }
  f->border = border;
  f->border_names = names;
  f->border_drawn = drawn;
  f->marker_count = hn_wire_get_count(w, 12 * sizeof(double));
  hn_component_marker *markers = HN_TAKE(arena, hn_component_marker, f->marker_count);
  for (int k = 0; k < f->marker_count && !arena->failed; k++) {
    markers[k].name = hn_wire_get_string(w, arena);
    markers[k].body = get_place(w, 0, f->body_count);
    get_into(w, markers[k].origin, 3);
    get_into(w, markers[k].axes, 9);
  }
  f->markers = markers;
}

static void get_rows(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  size_t left = (w->size - w->at) / sizeof(int32_t);
  f->border_row_count = hn_wire_get_count(w, sizeof(int32_t));
  int *start = HN_TAKE(arena, int, f->border_row_count + 1), *body = HN_TAKE(arena, int, left);
  for (int r = 0; r < f->border_row_count && !arena->failed && !w->failed; r++) {
    int blocks = hn_wire_get_count(w, sizeof(int32_t));
    start[r + 1] = start[r];
    for (int k = 0; k < blocks; k++)
      body[start[r + 1]++] = get_place(w, -f->external_count, f->body_count);
  }
  f->border_row_start = start;
  f->border_row_body = body;
}

static void get_delays(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  f->delay_count = hn_wire_get_count(w, sizeof(int32_t) + 3 * sizeof(double));
  int *state = HN_TAKE(arena, int, f->delay_count);
  for (int k = 0; state && k < f->delay_count; k++) state[k] = hn_wire_get_int(w);
  f->delay_state = state;
  f->delay_time = get_finite(w, arena, f->delay_count);
  f->delay_rise = get_finite(w, arena, 2 * f->delay_count);
}

static void get_states(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  f->state_count = hn_wire_get_count(w, 2 * sizeof(double));
  f->state_initial = get_finite(w, arena, f->state_count);
  f->state_every = get_finite(w, arena, f->state_count);
  for (int k = 0; f->state_every && k < f->state_count; k++) {
    const double every = f->state_every[k];
    if (every != 0 && every != -1 && !(every >= HN_LEAST_PERIOD)) w->failed = 1;
  }
  int *follows = HN_TAKE(arena, int, f->state_count);
  for (int k = 0; follows && k < f->state_count; k++) follows[k] = hn_wire_get_int(w);
  f->state_follows = follows;
  get_delays(w, arena, f);
  f->condition_count = hn_wire_get_count(w, 1);
  unsigned char *is_rule = HN_TAKE(arena, unsigned char, f->condition_count);
  if (is_rule) hn_wire_get_bytes(w, is_rule, (size_t)f->condition_count);
  for (int k = 0; is_rule && k < f->condition_count; k++)
    if (is_rule[k] > 1) w->failed = 1;
  f->condition_is_rule = is_rule;
}

static void get_given(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  f->given_count = hn_wire_get_count(w, 7 * sizeof(double));
  hn_component_given *all = HN_TAKE(arena, hn_component_given, f->given_count);
  for (int k = 0; k < f->given_count && !arena->failed; k++) {
    double numbers[7] = {0};
    all[k].name = hn_wire_get_string(w, arena);
    all[k].unit = hn_wire_get_string(w, arena);
    all[k].has_dimension = get_place(w, 0, 2);
    all[k].follows = hn_wire_get_int(w);
    all[k].moves_driver = hn_wire_get_int(w) != 0;
    get_into(w, numbers, 7);
    all[k].every = numbers[6];
    all[k].value = numbers[0];
    all[k].filter = numbers[1];
    memcpy(all[k].dimension, &numbers[2], sizeof all[k].dimension);
    if (all[k].unit && !all[k].unit[0]) all[k].unit = NULL;
  }
  f->given = all;
}

// Types and coordinates are checked with the model that they are added to.
static void get_constraints(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  f->constraint_count = hn_wire_get_count(w, 18 * sizeof(double));
  hn_component_constraint *all = HN_TAKE(arena, hn_component_constraint, f->constraint_count);
  for (int k = 0; k < f->constraint_count && !arena->failed; k++) {
    hn_component_constraint *c = &all[k];
    const int bodies = 1 + f->external_count + f->body_count;
    c->kind = get_place(w, 0, HN_COMPONENT_KNIFE_EDGE + 1);
    c->joint_type = get_place(w, 0, HN_JOINT_TYPES);
    c->coordinate = get_place(w, 0, HN_COORDINATES);
    c->body[0] = get_place(w, 0, bodies);
    c->body[1] = get_place(w, 0, bodies);
    get_into(w, c->frame[0], 14);
    get_into(w, &c->pitch, 1);
    hn_wire_get_numbers(w, c->number, 3);
    for (int i = 0; i < 3; i++)
      if (isnan(c->number[i])) w->failed = 1;
  }
  f->constraints = all;
}

hn_status hn_served_get_facts(hn_wire *w, hn_arena *arena, hn_component_facts *f) {
  enum { MOST = 10000000 };
  f->body_count = hn_wire_get_count(w, 13 * sizeof(double));
  f->initial_q = get_finite(w, arena, 7 * f->body_count);
  f->initial_u = get_finite(w, arena, 6 * f->body_count);
  get_border(w, arena, f);
  f->external_count = get_place(w, 0, MOST);
  f->turn_count = get_place(w, 0, MOST);
  f->switch_count = get_place(w, 0, MOST);
  f->motion_count = get_place(w, 0, MOST);
  f->limits_steps = get_place(w, 0, 2);
  f->has_anchors = get_place(w, 0, 2);
  f->has_drivers = get_place(w, 0, 2);
  f->hides_features = get_place(w, 0, 2);
  get_states(w, arena, f);
  get_given(w, arena, f);
  get_constraints(w, arena, f);
  hn_served_get_contacts(w, arena, f);
  f->row_count = get_place(w, 0, MOST);
  get_rows(w, arena, f);
  f->output_count = hn_wire_get_count(w, 2 * sizeof(uint64_t));
  const char **names = HN_TAKE(arena, const char *, f->output_count);
  const char **units = HN_TAKE(arena, const char *, f->output_count);
  for (int k = 0; k < f->output_count && !arena->failed; k++) {
    names[k] = hn_wire_get_string(w, arena);
    units[k] = hn_wire_get_string(w, arena);
  }
  f->output_names = names;
  f->output_units = units;
  if (arena->failed) return HN_ERROR_MEMORY;
  return hn_wire_is_done(w) && f->body_count > 0 ? HN_OK : HN_ERROR_FILE;
}
