// Measures and constraints of each joint, from the primitives of its entry in model/joint_types.c.
// Constraints are written in axes of the first body, so that they depend on the relative pose only.
#include "elements/joints.h"

#include "elements/measure_make.h"
#include "holon/analysis.h"
#include "model/joint_types.h"

enum { F, G, H };

static const hn_joint_row *rows_of(hn_joint_type type) { return hn_joint_facts_of(type)->rows; }

int hn_joint_row_count(const hn_joint_def *joint) {
  return joint->is_opaque ? 0 : hn_joint_row_number(joint->type);
}

const char *hn_joint_row_text(hn_joint_type type, int row) {
  if (row < 0 || row >= HN_JOINT_ROWS || (int)type < 0 || type >= HN_JOINT_TYPES) return NULL;
  const hn_joint_row *p = &rows_of(type)[row];
  int has_axis = p->axis1 == H || p->axis2 == H;
  int is_round = hn_joint_facts_of(type)->drawn.axes == HN_JOINT_NO_AXIS;
  switch (p->kind) {
  case HN_JOINT_ROW_NONE: break;
  case HN_JOINT_ROW_DISPLACEMENT:
    if (is_round) return "force";
    return has_axis ? "force along the axis" : "force across the axis";
  case HN_JOINT_ROW_AXES:
    if (is_round) return "torque";
    if (p->axis1 == H) return "torque across both axes";
    return has_axis ? "torque across the axis" : "torque about the axis";
  case HN_JOINT_ROW_DISTANCE: return "force along its line";
  case HN_JOINT_ROW_SCREW: return "thrust of the screw";
  case HN_JOINT_ROW_HOMOKINETIC: return "torque about the axis";
  case HN_JOINT_ROW_COUPLED: return "force of the coupling";
  }
  return NULL;
}

int hn_joint_row_axes(hn_joint_type type, int row, int *axis1, int *axis2) {
  const hn_joint_row *p = &rows_of(type)[row];
  *axis1 = p->axis1;
  *axis2 = p->axis2;
  return p->kind == HN_JOINT_ROW_AXES || p->kind == HN_JOINT_ROW_DISPLACEMENT;
}

// Measures of the primitive's own; screw and coupled rows also read coordinates.
static int primitive_measures(hn_joint_row_kind kind) {
  return kind == HN_JOINT_ROW_COUPLED || kind == HN_JOINT_ROW_NONE || kind == HN_JOINT_ROW_SCREW ? 0
         : kind == HN_JOINT_ROW_HOMOKINETIC                                                      ? 2
                                            : 1;
}

static int is_curved(const hn_joint_def *joint, int term) {
  const double *c = joint->curve[term];
  return c[0] != 0 || c[1] != 0 || c[2] != 0;
}

int hn_joint_curve_count(const hn_joint_def *joint) {
  int count = 0;
  for (int k = 0; k < joint->coupled_count; k++) count += is_curved(joint, k);
  return count;
}

int hn_joint_measure_count(const hn_joint_def *joint) {
  int count = 0;
  for (int k = 0; k < hn_joint_row_count(joint); k++)
    count += primitive_measures(rows_of(joint->type)[k].kind);
  count += hn_joint_curve_count(joint);
  return count + hn_joint_coordinate_count(joint->type);
}

static int primitive_parts(const hn_joint_def *joint, hn_joint_row_kind kind) {
  if (kind == HN_JOINT_ROW_COUPLED) return joint->coupled_count;
  return kind == HN_JOINT_ROW_SCREW || kind == HN_JOINT_ROW_HOMOKINETIC ? 2 : 1;
}

int hn_joint_part_count(const hn_joint_def *joint) {
  int count = 0;
  for (int k = 0; k < hn_joint_row_count(joint); k++)
    count += primitive_parts(joint, rows_of(joint->type)[k].kind);
  return count;
}

int hn_joint_has_coefficients(const hn_joint_def *joint) {
  for (int k = 0; k < hn_joint_row_count(joint); k++) {
    const hn_joint_row_kind kind = rows_of(joint->type)[k].kind;
    if (kind != HN_JOINT_ROW_DISPLACEMENT && kind != HN_JOINT_ROW_AXES) return 1;
  }
  return 0;
}

static int append(hn_elements *elements, hn_measure measure) {
  elements->measures[elements->measure_count] = measure;
  return elements->measure_count++;
}

static hn_measure coordinate_measure(const hn_joint_def *joint, hn_coordinate c, int turn) {
  const hn_frame_on_body *a = &joint->frame1, *b = &joint->frame2;
  switch (c) {
  case HN_COORDINATE_ANGLE:
    return hn_joint_has_coordinate(joint->type, HN_COORDINATE_ANGLE2)
               ? hn_measure_cross_angle(a, b, turn)
               : hn_measure_angle(a, b, turn);
  case HN_COORDINATE_ANGLE2: return hn_measure_cross_angle2(a, b, turn);
  case HN_COORDINATE_DISPLACEMENT:
  case HN_COORDINATE_Z: return hn_measure_axis_displacement(a, H, b);
  case HN_COORDINATE_X: return hn_measure_axis_displacement(a, F, b);
  case HN_COORDINATE_Y: return hn_measure_axis_displacement(a, G, b);
  case HN_COORDINATE_LENGTH:
  case HN_COORDINATES: break;
  }
  return hn_measure_distance(a, b);
}

void hn_joint_make_coordinates(hn_elements *elements, int joint) {
  const hn_joint_def *def = &elements->model->joints[joint];
  int *coordinate = &elements->coordinate[joint * HN_COORDINATES];
  for (int c = 0; c < HN_COORDINATES; c++) {
    coordinate[c] = -1;
    if (!hn_joint_has_coordinate(def->type, (hn_coordinate)c)) continue;
    int is_angle = hn_coordinate_is_angle((hn_coordinate)c);
    int turn = is_angle ? elements->turn_count++ : -1;
    coordinate[c] = append(elements, coordinate_measure(def, (hn_coordinate)c, turn));
    if (is_angle && def->initial[c].has_value) {
      elements->has_start[turn] = 1;
      elements->turn_start[turn] = def->initial[c].value;
    }
  }
}

static hn_row *begin_row(hn_elements *elements, int owner, int is_driver, int place) {
  const int r = elements->row_count++;
  hn_row *row = &elements->rows[r];
  *row = (hn_row){.owner = owner,
                  .is_driver = is_driver != 0,
                  .place = (signed char)place,
                  .driver = -1,
                  .measure = &elements->parts[elements->part_count],
                  .coefficient = &elements->coefficients[elements->coefficient_count],
                  .body = &elements->row_body[elements->row_start[r]]};
  return row;
}

static void add_measure(hn_elements *elements, hn_row *row, int measure, double coefficient) {
  elements->parts[elements->part_count + row->count] = measure;
  elements->coefficients[elements->coefficient_count + row->count++] = coefficient;
}

// The row's distinct moving bodies, in the order of its measures.
static void end_row(hn_elements *elements, hn_row *row) {
  static const double one = 1;
  const int r = elements->row_count - 1;
  int *list = &elements->row_body[elements->row_start[r]], count = 0;
  for (int k = 0; k < row->count; k++)
    for (int slot = 0; slot < 2; slot++) {
      int body = elements->measures[row->measure[k]].body[slot], known = body == HN_GROUND;
      for (int i = 0; i < count; i++) known = known || list[i] == body;
      if (!known) list[count++] = body;
    }
  row->body_count = (signed char)count;
  elements->row_start[r + 1] = elements->row_start[r] + count;
  elements->part_count += row->count;
  if (row->count == 1 && !(row->coefficient[0] < 1 || row->coefficient[0] > 1))
    row->coefficient = &one;
  else
    elements->coefficient_count += row->count;
}

static double distance_length(const hn_joint_def *joint, const hn_frame *drawn) {
  if (joint->length > 0) return joint->length;
  hn_measure distance = hn_measure_distance(&joint->frame1, &joint->frame2);
  return hn_measure_value(&distance, drawn, NULL);
}

// The same coordinate once more, bent.
static int append_curve(hn_elements *elements, int measure, double factor, const double powers[3]) {
  double *curve = &elements->curves[4 * elements->curve_count++];
  hn_measure bent = elements->measures[measure];
  curve[0] = factor;
  for (int k = 0; k < 3; k++) curve[k + 1] = powers[k];
  bent.curve = curve;
  return append(elements, bent);
}

static void add_coupled(hn_elements *elements, hn_row *row, const hn_joint_def *joint,
                        const hn_frame *drawn, const double *drawn_turns) {
  double drawn_sum = 0;
  for (int k = 0; k < joint->coupled_count; k++) {
    int at = joint->coupled[k] * HN_COORDINATES + (int)joint->coupled_coordinate[k];
    int measure = elements->coordinate[at];
    double factor = joint->coefficient[k];
    if (is_curved(joint, k)) {
      measure = append_curve(elements, measure, factor, joint->curve[k]);
      factor = 1;
    }
    add_measure(elements, row, measure, factor);
    drawn_sum += factor * hn_measure_value(&elements->measures[measure], drawn, drawn_turns);
  }
  row->constant = isnan(joint->constant) ? drawn_sum : joint->constant;
}

void hn_joint_make_rows(hn_elements *elements, int joint, const hn_frame *drawn,
                        const double *drawn_turns) {
  const hn_joint_def *def = &elements->model->joints[joint];
  const hn_frame_on_body *a = &def->frame1, *b = &def->frame2;
  const int *coordinate = &elements->coordinate[joint * HN_COORDINATES];
  for (int k = 0; k < hn_joint_row_count(def); k++) {
    const hn_joint_row *p = &rows_of(def->type)[k];
    hn_row *row = begin_row(elements, joint, 0, k);
    switch (p->kind) {
    case HN_JOINT_ROW_NONE: break;
    case HN_JOINT_ROW_DISPLACEMENT:
      add_measure(elements, row, append(elements, hn_measure_axis_displacement(a, p->axis1, b)), 1);
      break;
    case HN_JOINT_ROW_AXES:
      add_measure(elements, row, append(elements, hn_measure_axis_dot(a, p->axis1, b, p->axis2)),
                  1);
      break;
    case HN_JOINT_ROW_DISTANCE: {
      double length = distance_length(def, drawn);
      add_measure(elements, row, append(elements, hn_measure_squared_distance(a, b)), 0.5 / length);
      row->constant = 0.5 * length;
      break;
    }
    case HN_JOINT_ROW_SCREW:
      add_measure(elements, row, coordinate[HN_COORDINATE_DISPLACEMENT], 1);
      add_measure(elements, row, coordinate[HN_COORDINATE_ANGLE], -def->pitch / (2 * HN_PI));
      break;
    case HN_JOINT_ROW_HOMOKINETIC:
      add_measure(elements, row, append(elements, hn_measure_axis_dot(a, F, b, G)), 1);
      add_measure(elements, row, append(elements, hn_measure_axis_dot(a, G, b, F)), -1);
      break;
    case HN_JOINT_ROW_COUPLED: add_coupled(elements, row, def, drawn, drawn_turns); break;
    }
    end_row(elements, row);
  }
}

int hn_driver_measure_count(const hn_driver_def *driver) {
  return driver->kind == HN_DRIVER_JOINT ? 0 : 1;
}

void hn_driver_make_row(hn_elements *elements, int driver) {
  const hn_driver_def *def = &elements->model->drivers[driver];
  hn_row *row = begin_row(elements, driver, 1, 0);
  int measure = -1;
  switch (def->kind) {
  case HN_DRIVER_JOINT:
    measure = elements->coordinate[def->joint * HN_COORDINATES + (int)def->coordinate];
    break;
  case HN_DRIVER_POINT: {
    int axis = def->coordinate == HN_COORDINATE_X ? F : def->coordinate == HN_COORDINATE_Y ? G : H;
    measure = append(elements, hn_measure_axis_displacement(&def->frame1, axis, &def->frame2));
    break;
  }
  case HN_DRIVER_DISTANCE:
    measure = append(elements, hn_measure_distance(&def->frame1, &def->frame2));
    break;
  }
  add_measure(elements, row, measure, 1);
  row->law = def->law;
  row->driver = driver;
  end_row(elements, row);
}
