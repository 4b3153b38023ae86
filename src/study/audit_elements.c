// Forces and rows on their own against differences: six small motions a body at fixed speeds,
// translations and rotations, and its six speeds. Ground does not move.
#include "study/audit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elements/force_types.h"

enum { MOVE_POSITION, MOVE_VELOCITY, MOVE_TIME, PER_BODY = 6, MOST = HN_ROW_LOCAL };

typedef struct element_audit {
  hn_audit *audit;
  int element;
  int is_row;
  int body_count;
  const int *body;
  int wants; // of a row: 0 value, 1 rate, 2 tau, 3 gradient
  int move;  // what is moved
  int k, j;  // ... of body[k], along this direction
  char name[128];
  double exact[MOST], room[HN_AUDIT_ROOM * MOST];
} element_audit;

// ---- moving -------------------------------------------------------------------------------------

static hn_frame moved_frame(const hn_frame *from, const element_audit *e, double h) {
  hn_frame f = *from;
  hn_vec3 by = vec3(h * (e->j % 3 == 0), h * (e->j % 3 == 1), h * (e->j % 3 == 2));
  if (e->move == MOVE_VELOCITY) {
    hn_vec3 *moved = e->j < 3 ? &f.v : &f.w;
    *moved = vec3_add(*moved, by);
  } else if (e->j < 3) {
    f.r = vec3_add(f.r, by);
  } else {
    f.p = quat_unit(quat_add(f.p, quat_scale(0.5, euler_e_transposed(f.p, by))));
    f.a = quat_matrix(f.p);
  }
  f.pd = quat_scale(0.5, euler_e_transposed(f.p, f.w));
  return f;
}

// ---- values -------------------------------------------------------------------------------------

static hn_status force_load(const element_audit *e, double t, hn_force_load *out) {
  const hn_simulation *s = e->audit->simulation;
  return hn_force_in_poses(s->elements, e->element, e->audit->frames, e->audit->branches->turns, t,
                           e->audit->branches->force[e->element], out);
}

static void row_tangent(const element_audit *e, double t, hn_row_tangent *out) {
  const hn_elements *elements = e->audit->simulation->elements;
  const hn_row *row = &elements->rows[e->element];
  hn_row_in_poses(elements, row, e->audit->frames, e->audit->branches->turns, t,
                  row->driver >= 0 ? e->audit->branches->driver[row->driver] : 0, out);
}

static hn_status values_now(const element_audit *e, double t, double *values) {
  if (!e->is_row) {
    hn_force_load force;
    hn_status status = force_load(e, t, &force);
    memcpy(values, force.wrench, sizeof force.wrench);
    return status;
  }
  hn_row_tangent row;
  row_tangent(e, t, &row);
  switch (e->wants) {
  case 0: values[0] = row.value; break;
  case 1: values[0] = row.rate; break;
  case 2: values[0] = row.tau; break;
  default: memcpy(values, row.gradient, sizeof row.gradient); break;
  }
  return HN_OK;
}

static hn_status element_values(void *context, double h, double *values) {
  element_audit *e = context;
  if (e->move == MOVE_TIME) return values_now(e, e->audit->time + h, values);
  hn_frame *frame = &e->audit->frames[e->body[e->k]], kept = *frame;
  *frame = moved_frame(&kept, e, h);
  hn_status status = values_now(e, e->audit->time, values);
  *frame = kept;
  return status;
}

// ---- comparison ---------------------------------------------------------------------------------

static void compare(element_audit *e, int count, double size, const char *what) {
  hn_audit_test test = {element_values, e, count, e->exact, size, e->room, e->name, what, NULL};
  hn_audit_compare(e->audit, &test);
}

static void audit_force(element_audit *e) {
  hn_force_load force;
  if (force_load(e, e->audit->time, &force) != HN_OK) return;
  if (force.body[0] == force.body[1]) return; // within one body nothing changes
  int body[2] = {force.body[0], force.body[1]};
  e->body = body;
  // rounding errors of the largest numbers of the element are not errors of its derivative
  double size = hn_audit_largest(force.wrench, HN_POSES) +
                1e-3 * hn_audit_largest(force.d_pose[0], HN_POSES * HN_POSES) +
                1e-3 * hn_audit_largest(force.d_speed[0], HN_POSES * HN_POSES);
  for (e->k = 0; e->k < 2; e->k++)
    for (e->j = 0; e->j < PER_BODY && body[e->k] != HN_GROUND; e->j++) {
      const int at = PER_BODY * e->k + e->j;
      for (int i = 0; i < HN_POSES; i++) e->exact[i] = force.d_pose[i][at];
      e->move = MOVE_POSITION;
      compare(e, HN_POSES, size, "force by position");
      for (int i = 0; i < HN_POSES; i++) e->exact[i] = force.d_speed[i][at];
      e->move = MOVE_VELOCITY;
      compare(e, HN_POSES, size, "force by velocity");
    }
  memcpy(e->exact, force.rate, sizeof force.rate);
  e->move = MOVE_TIME;
  compare(e, HN_POSES, size, "force by time");
}

static void compare_number(element_audit *e, int wants, int move, double exact, double size,
                           const char *what) {
  e->wants = wants;
  e->move = move;
  e->exact[0] = exact;
  compare(e, 1, size, what);
}

static void audit_row(element_audit *e) {
  const hn_row *def = &e->audit->simulation->elements->rows[e->element];
  hn_row_tangent row;
  e->body = def->body;
  row_tangent(e, e->audit->time, &row);
  // rates of rows matter against speeds of bodies, their derivatives against those too
  double rate = 1 + fabs(row.rate) + hn_audit_largest(row.rate_pose, HN_ROW_LOCAL);
  double tau = 1 + fabs(row.tau) + hn_audit_largest(row.tau_pose, HN_ROW_LOCAL);
  for (e->k = 0; e->k < def->body_count; e->k++)
    for (e->j = 0; e->j < PER_BODY; e->j++) {
      const int at = PER_BODY * e->k + e->j;
      compare_number(e, 0, MOVE_POSITION, row.gradient[at], 1, "constraint by position");
      compare_number(e, 1, MOVE_POSITION, row.rate_pose[at], rate, "its rate by position");
      compare_number(e, 2, MOVE_POSITION, row.tau_pose[at], tau, "its acceleration by position");
      compare_number(e, 2, MOVE_VELOCITY, row.tau_speed[at], tau, "its acceleration by velocity");
      e->wants = 3;
      e->move = MOVE_POSITION;
      for (int i = 0; i < HN_ROW_LOCAL; i++) e->exact[i] = row.gradient_pose[i][at];
      compare(e, HN_ROW_LOCAL, 1, "its gradient by position");
    }
  compare_number(e, 0, MOVE_TIME, row.time_rate, fabs(row.value), "constraint by time");
  compare_number(e, 2, MOVE_TIME, row.tau_t, tau, "its acceleration by time");
}

// Of very many elements only some are checked, others at another time.
enum { MOST_ELEMENTS = 200 };

static int stride_of(int count) { return 1 + (count - 1) / MOST_ELEMENTS; }

static int first_of(const hn_audit *a, int stride) {
  return (int)fmod(fabs(a->time) * 7919 * stride, stride);
}

void hn_audit_elements(hn_audit *a) {
  const hn_simulation *s = a->simulation;
  const hn_model *model = s->model;
  element_audit *e = HN_TAKE(&a->arena, element_audit, 1);
  if (!e) return;
  e->audit = a;
  int forces =
      model->force_count - model->sensing.couplings; // couplings only mean something together
  int stride = stride_of(forces);
  for (int f = first_of(a, stride); f < forces; f += stride) {
    const hn_force_def *def = &model->forces[f];
    if (hn_force_needs_differences(def)) continue;
    e->element = f;
    hn_text(e->name, sizeof e->name, "force '%s'", def->name);
    audit_force(e);
  }
  e->is_row = 1;
  stride = stride_of(s->elements->row_count);
  for (int r = first_of(a, stride); r < s->elements->row_count; r += stride) {
    const hn_row *row = &s->elements->rows[r];
    e->element = r;
    hn_text(e->name, sizeof e->name, "%s '%s'", row->is_driver ? "driver" : "joint",
            row->is_driver ? model->drivers[row->owner].name : model->joints[row->owner].name);
    audit_row(e);
  }
}
