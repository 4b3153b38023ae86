// The compiled table of elements: sizes first, then measures, coordinates, rows, in one pass each.
#include "elements/elements.h"

#include "base/error.h"
#include "contact/contact.h"
#include "elements/force_types.h"
#include "elements/joints.h"
#include "elements/sensor.h"
#include "holon/component.h"
#include "model/contact.h"

void hn_drawn_frames(const hn_model *model, hn_frame *frames) {
  for (int b = 0; b < model->body_count; b++) {
    const hn_body_def *def = &model->bodies[b];
    hn_quat p = b == HN_GROUND ? quat_identity() : def->orientation;
    frames[b] =
        (hn_frame){.r = b == HN_GROUND ? vec3_zero() : def->position, .a = quat_matrix(p), .p = p};
  }
}

typedef struct sizes {
  int measures, rows, turns;
  int parts; // measures of rows
} sizes;

static sizes count_sizes(const hn_model *model) {
  sizes n = {0, 0, 0, 0};
  for (int j = 0; j < model->joint_count; j++) {
    n.measures += hn_joint_measure_count(&model->joints[j]);
    n.rows += hn_joint_row_count(&model->joints[j]);
    n.parts += hn_joint_part_count(&model->joints[j]);
    n.turns += 2; // at most angle and angle2
  }
  for (int d = 0; d < model->driver_count; d++) {
    n.measures += hn_driver_measure_count(&model->drivers[d]);
    n.rows += 1;
    n.parts += 1;
  }
  for (int f = 0; f < model->force_count; f++) {
    int count = hn_force_measure_count(&model->forces[f]);
    n.measures += count;
    n.turns += count + hn_force_row_of(model->forces[f].type)->anchors;
  }
  for (int p = 0; p < model->part_count; p++) n.turns += model->parts[p].facts->turn_count;
  return n;
}

// Of constraints that are more than one unscaled measure.
static int count_coefficients(const hn_model *model) {
  int count = HN_ROW_MEASURES; // capacity for the constraint in progress
  for (int j = 0; j < model->joint_count; j++)
    if (hn_joint_has_coefficients(&model->joints[j]))
      count += hn_joint_part_count(&model->joints[j]);
  return count;
}

static int count_curves(const hn_model *model) {
  int count = 0;
  for (int j = 0; j < model->joint_count; j++) count += hn_joint_curve_count(&model->joints[j]);
  return count;
}

static hn_status take_memory(hn_arena *arena, const hn_model *model, hn_elements *e) {
  sizes n = count_sizes(model);
  e->measures = HN_TAKE(arena, hn_measure, n.measures);
  e->rows = HN_TAKE(arena, hn_row, n.rows);
  e->row_start = HN_TAKE(arena, int, n.rows + 1);
  e->row_body = HN_TAKE(arena, int, 2 * n.parts);
  e->parts = HN_TAKE(arena, int, n.parts);
  e->coefficients = HN_TAKE(arena, double, count_coefficients(model));
  e->curves = HN_TAKE(arena, double, 4 * count_curves(model));
  e->turn_start = HN_TAKE(arena, double, n.turns);
  e->has_start = HN_TAKE(arena, unsigned char, n.turns);
  e->joint_row = HN_TAKE(arena, int, model->joint_count + 1);
  e->driver_row = HN_TAKE(arena, int, model->driver_count + 1);
  e->coordinate = HN_TAKE(arena, int, model->joint_count *HN_COORDINATES);
  e->force_measure = HN_TAKE(arena, int, model->force_count + 1);
  e->force_coordinate = HN_TAKE(arena, int, model->force_count);
  e->force_anchor = HN_TAKE(arena, int, model->force_count);
  e->lines = HN_TAKE(arena, hn_line_spring, model->force_count);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status make_forces(hn_elements *e, hn_error *error) {
  const hn_model *model = e->model;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    char name[96];
    if (!hn_force_branches_fit(def))
      return hn_fail(error, HN_ERROR_LIMIT, &def->source,
                     hn_text(name, sizeof name, "force '%s'", def->name),
                     "use a cubic spline (`interpolation: spline`) or fewer points",
                     "its functions have too many pieces");
    e->force_measure[f] = e->measure_count;
    hn_force_make_measures(model, f, &e->measures[e->measure_count], &e->turn_count);
    e->measure_count += hn_force_measure_count(def);
    e->force_coordinate[f] = hn_force_reads_joint(def)
                                 ? e->coordinate[def->joint * HN_COORDINATES + (int)def->coordinate]
                                 : -1;
    int anchors = hn_force_row_of(def->type)->anchors;
    e->force_anchor[f] = anchors > 0 ? e->turn_count : -1;
    e->turn_count += anchors;
    e->anchor_count += anchors;
    hn_line_spring *line = &e->lines[f];
    const hn_measure *measure = &e->measures[e->force_measure[f]];
    if (hn_force_measure_count(def) == 1 && measure->kind == HN_MEASURE_LENGTH &&
        hn_force_is_straight(def, line->of_x, line->of_v))
      line->measure = measure;
  }
  e->force_measure[model->force_count] = e->measure_count;
  return HN_OK;
}

// The turn that a driver drives, or -1.
static int driven_turn(const hn_elements *e, int driver) {
  const hn_driver_def *def = &e->model->drivers[driver];
  if (def->kind != HN_DRIVER_JOINT) return -1;
  return e->measures[e->coordinate[def->joint * HN_COORDINATES + (int)def->coordinate]].turn;
}

// A driven angle starts on the branch its law asks for, unless the joint's own `initial:` does.
static void start_driven_angles(hn_elements *e) {
  for (int d = 0; d < e->model->driver_count; d++) {
    const hn_driver_def *def = &e->model->drivers[d];
    int turn = driven_turn(e, d);
    if (turn < 0 || e->has_start[turn]) continue;
    e->has_start[turn] = 1;
    e->turn_start[turn] = hn_law_evaluate(def->law, -1, 0).value;
  }
}

void hn_elements_initial_turns(const hn_elements *elements, const hn_frame *frames, double *turns) {
  for (int k = 0; k < elements->turn_count; k++)
    turns[k] = elements->has_start[k] ? elements->turn_start[k] : 0;
  // a started angle keeps the value asked for as its reference, so that assembly sees the branch
  for (int k = 0; k < elements->measure_count; k++) {
    const hn_measure *m = &elements->measures[k];
    if (m->turn >= 0 && !m->curve && !elements->has_start[m->turn])
      turns[m->turn] = hn_measure_value(m, frames, turns);
  }
  hn_elements_drop_anchors(elements, turns);
  if (elements->hidden) elements->hidden->turns(elements->hidden->context, 1, frames, turns);
}

void hn_elements_drop_anchors(const hn_elements *elements, double *turns) {
  for (int f = 0; f < elements->model->force_count; f++)
    if (elements->force_anchor[f] >= 0) turns[elements->force_anchor[f]] = HN_NO_ANCHOR;
}

void hn_elements_move_anchors(const hn_elements *elements, const hn_frame *frames, double t,
                              int is_accepted, double *turns) {
  for (int f = 0; f < elements->model->force_count; f++) {
    int at = elements->force_anchor[f];
    if (at < 0 || (!is_accepted && turns[at] != HN_NO_ANCHOR)) continue;
    hn_force_row_of(elements->model->forces[f].type)
        ->move_anchor(elements, f, frames, t, turns, &turns[at]);
  }
  if (elements->hidden)
    elements->hidden->anchors(elements->hidden->context, t, is_accepted, frames, turns);
}

void hn_elements_update_turns(const hn_elements *elements, const hn_frame *frames, double *turns) {
  for (int k = 0; k < elements->measure_count; k++) {
    const hn_measure *m = &elements->measures[k];
    if (m->turn >= 0 && !m->curve) turns[m->turn] = hn_measure_value(m, frames, turns);
  }
  if (elements->hidden) elements->hidden->turns(elements->hidden->context, 0, frames, turns);
}

void hn_elements_drive_turns(const hn_elements *elements, double t, double *turns) {
  for (int d = 0; d < elements->model->driver_count; d++) {
    const int turn = driven_turn(elements, d);
    if (turn >= 0) turns[turn] = hn_law_evaluate(elements->model->drivers[d].law, -1, t).value;
  }
}

static hn_status make_all(hn_arena *arena, hn_arena *scratch, hn_elements *e, hn_error *error) {
  const hn_model *model = e->model;
  for (int j = 0; j < model->joint_count; j++) hn_joint_make_coordinates(e, j);
  hn_status status = make_forces(e, error);
  if (status != HN_OK) return status;
  e->force_branches = model->force_count;
  e->driver_branches = model->driver_count;
  for (int p = 0; p < model->part_count; p++) {
    e->turn_count += model->parts[p].facts->turn_count;
    e->anchor_count += model->parts[p].facts->has_anchors;
    e->force_branches += model->parts[p].facts->switch_count;
    e->driver_branches += model->parts[p].facts->motion_count;
  }
  start_driven_angles(e);
  if (hn_sensors_create(arena, e) != HN_OK || hn_flow_create(arena, e) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the elements");

  hn_frame *drawn = HN_TAKE(scratch, hn_frame, model->body_count);
  double *turns = HN_TAKE(scratch, double, e->turn_count);
  if (scratch->failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the elements");
  hn_drawn_frames(model, drawn);
  hn_elements_initial_turns(e, drawn, turns);
  for (int j = 0; j < model->joint_count; j++) {
    e->joint_row[j] = e->row_count;
    hn_joint_make_rows(e, j, drawn, turns);
  }
  e->joint_row[model->joint_count] = e->row_count;
  for (int d = 0; d < model->driver_count; d++) {
    e->driver_row[d] = e->row_count;
    hn_driver_make_row(e, d);
  }
  e->driver_row[model->driver_count] = e->row_count;
  for (int d = 0; d < model->driver_count; d++)
    for (int r = e->driver_row[d]; r < e->driver_row[d + 1]; r++)
      if (e->rows[r].law && hn_law_get_kind(e->rows[r].law) != HN_LAW_CONSTANT) e->has_motors = 1;
  return HN_OK;
}

// Contacts with a force law have one force a pair, in the order of the pairs.
static hn_status make_contacts(hn_arena *arena, hn_elements *e, hn_error *error) {
  const hn_model *model = e->model;
  if (model->contact_count == 0) return HN_OK;
  hn_contacts *contacts = NULL;
  hn_status status = hn_contacts_create(arena, model, &contacts, error);
  e->force_pair = HN_TAKE(arena, int, model->force_count + 1);
  if (status == HN_ERROR_MEMORY || !e->force_pair)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the contacts");
  if (status) return status;
  e->contacts = contacts;
  int pair = 0;
  for (int f = 0; f < model->force_count; f++) {
    e->force_pair[f] = -1;
    if (model->forces[f].type != HN_FORCE_CONTACT) continue;
    while (pair < contacts->pair_count &&
           hn_contact_is_rigid(&model->contacts[contacts->pairs[pair].rule]))
      pair++;
    if (pair < contacts->pair_count) e->force_pair[f] = pair++;
  }
  return HN_OK;
}

// Flags of elements that conditions switch off.
static hn_status make_switches(hn_arena *arena, hn_elements *e) {
  if (e->model->switch_count == 0) return HN_OK;
  e->row_off = HN_KEEP(arena, unsigned char, e->row_count + 1);
  e->row_offset = HN_KEEP(arena, double, e->row_count + 1);
  e->force_off = HN_KEEP(arena, unsigned char, e->model->force_count + 1);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_elements_create(hn_arena *arena, const hn_model *model, hn_elements **elements,
                             hn_error *error) {
  hn_arena scratch;
  hn_elements *e = HN_TAKE(arena, hn_elements, 1);
  if (arena->failed || take_memory(arena, model, e) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the elements");
  e->is_held = HN_KEEP(arena, int, 1);
  if (!e->is_held)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the elements");
  e->model = model;
  hn_status made = make_contacts(arena, e, error);
  if (made) return made;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = make_all(arena, &scratch, e, error);
  hn_arena_release(&scratch);
  if (status == HN_OK && make_switches(arena, e) != HN_OK)
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the elements");
  if (status == HN_OK) *elements = e;
  return status;
}
