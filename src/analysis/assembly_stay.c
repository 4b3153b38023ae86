// Keeps bodies and joints without `initial` in the reference configuration and at rest, if the
// joints allow it.
//
// The least change of all bodies, which assembly computes, spreads the value of one joint over all
// of them: a cart would roll back because the pendulum on it is turned. Here every coordinate
// without `initial` and driver is one more condition: its reference value, or a rate of zero. A
// joint whose coordinates do not determine its pose (a spherical one) has conditions for its
// rotations too, and of bodies that no joint connects with ground the heaviest one is fixed.
//
// The conditions are tried all at once, which a tree always allows. Where loops do not, they are tried
// in halves, the joints near ground first; conditions that contradict earlier ones are released. So
// few joints move, and none of them could have stayed without another one moving.
#include <math.h>
#include <string.h>

#include "analysis/assembly_warnings.h"
#include "analysis/assembly_work.h"
#include "base/error.h"
#include "elements/measure_make.h"
#include "model/joint_types.h"

#define MOVED 1e-9 // m, rad, per s: less has not moved
// Of the size of the model: a joint with a larger gap moves from its reference value anyway.
#define DRAWN_OPEN 1e-6
#define LONG_WAY 20.0 // conditions that make bodies move so many times further are released
enum { MOST_TRIES = 120, WHOLE_BUDGET = 20000 };

typedef struct candidate {
  int joint; // -1: a body that is fixed
  int body;
  int depth;        // joints from ground
  int first, count; // conditions in `rows`
} candidate;

typedef struct stay {
  hn_assembly_work *w;
  int of_rates, given_count;
  hn_arena arena;
  hn_measure *measures; // made here (joints * 6)
  int measure_count;
  hn_given_row *rows; // of all candidates
  int row_count;
  candidate *candidates;
  int count;
  int *depth;             // of a body (bodies)
  unsigned char *is_kept; // of a condition (rows)
  hn_frame *best;         // (bodies)
  double *best_turns;
  double longest; // move or speed that is not yet a long way
  int tries;
} stay;

// ---- who may stay -------------------------------------------------------------------------------

static int is_between_bodies(const hn_joint_def *joint) { return hn_joint_holds(joint->type); }

typedef struct neighbours {
  int *start, *body; // of body b: body[start[b]] ... (bodies + 1, 2 joints)
  int *queue;        // (bodies)
} neighbours;

static int find_neighbours(stay *s, neighbours *n) {
  const hn_model *model = s->w->a.model;
  n->start = HN_TAKE(&s->arena, int, model->body_count + 2);
  n->body = HN_TAKE(&s->arena, int, 2 * model->joint_count);
  n->queue = HN_TAKE(&s->arena, int, model->body_count);
  if (s->arena.failed) return 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < model->joint_count; j++) {
      const hn_joint_def *joint = &model->joints[j];
      int b1 = joint->frame1.body, b2 = joint->frame2.body;
      if (!is_between_bodies(joint)) continue;
      if (pass == 1) n->body[n->start[b1 + 1]] = b2;
      n->start[pass == 0 ? b1 + 2 : b1 + 1]++;
      if (pass == 1) n->body[n->start[b2 + 1]] = b1;
      n->start[pass == 0 ? b2 + 2 : b2 + 1]++;
    }
    for (int b = 0; pass == 0 && b < model->body_count; b++) n->start[b + 2] += n->start[b + 1];
  }
  return 1;
}

// Depths of all bodies that joints connect with `root`; the queue holds them. Gives how many there are.
static int spread_depth(stay *s, const neighbours *n, int root) {
  int count = 1;
  n->queue[0] = root;
  s->depth[root] = 0;
  for (int k = 0; k < count; k++) {
    int b = n->queue[k];
    for (int i = n->start[b]; i < n->start[b + 1]; i++) {
      if (s->depth[n->body[i]] >= 0) continue;
      s->depth[n->body[i]] = s->depth[b] + 1;
      n->queue[count++] = n->body[i];
    }
  }
  return count;
}

// Joints from ground to every body. Bodies that no joint connects with ground are counted from the
// heaviest of them, which is a base and written to `base`, or from one with a start of its own.
static int find_depths(stay *s, const neighbours *n, int *base) {
  const hn_model *model = s->w->a.model;
  int bases = 0;
  for (int b = 0; b < model->body_count; b++) s->depth[b] = -1;
  spread_depth(s, n, HN_GROUND);
  for (int b = 1; b < model->body_count; b++) {
    if (s->depth[b] >= 0) continue;
    int count = spread_depth(s, n, b), root = -1, is_given = 0;
    for (int k = 0; k < count; k++) {
      const hn_body_def *body = &model->bodies[n->queue[k]];
      int given = !s->w->ignores_given && hn_assembly_given_parts(body, s->of_rates) != 0;
      if (root < 0 || given > is_given ||
          (given == is_given && body->mass > model->bodies[root].mass)) {
        root = n->queue[k];
        is_given = given;
      }
    }
    for (int k = 0; k < count; k++) s->depth[n->queue[k]] = -1;
    spread_depth(s, n, root);
    if (!is_given) base[bases++] = root;
  }
  return bases;
}

static int is_driven(const hn_model *model, int joint, int coordinate) {
  for (int d = 0; d < model->driver_count; d++) {
    const hn_driver_def *driver = &model->drivers[d];
    if (driver->kind == HN_DRIVER_JOINT && driver->joint == joint &&
        (int)driver->coordinate == coordinate)
      return 1;
  }
  return 0;
}

static int is_given(const stay *s, int joint, int coordinate) {
  const hn_joint_initial *initial = &s->w->a.model->joints[joint].initial[coordinate];
  if (s->w->ignores_given) return 0;
  return s->of_rates ? initial->has_rate : initial->has_value;
}

static double measure_value(const stay *s, const hn_given_row *row, const hn_frame *frames) {
  hn_measure_speeds speeds;
  const hn_measure *measure = row->own ? row->own : &s->w->a.elements->measures[row->measure];
  hn_measure_in_speeds(measure, frames, s->w->a.branches->turns, &speeds);
  return s->of_rates ? speeds.rate : speeds.value;
}

static void add_row(stay *s, int joint, int coordinate, const hn_measure *own) {
  hn_given_row *row = &s->rows[s->row_count++];
  *row = (hn_given_row){.joint = joint,
                        .coordinate = (hn_coordinate)coordinate,
                        .own = own,
                        .firmness = HN_PREFERRED};
  if (!own) row->measure = s->w->a.elements->coordinate[joint * HN_COORDINATES + coordinate];
  row->target = s->of_rates ? 0 : measure_value(s, row, s->w->a.drawn);
}

// Conditions on the pose of body 2 as seen from body 1 that no coordinate describes: three
// displacements, three sines of rotations, all zero in the reference configuration.
static void add_pose(stay *s, int joint, int displacements) {
  const hn_joint_def *def = &s->w->a.model->joints[joint];
  const hn_frame *f1 = &s->w->a.drawn[def->frame1.body], *f2 = &s->w->a.drawn[def->frame2.body];
  hn_quat turned = quat_multiply(f1->p, def->frame1.orientation);
  hn_vec3 origin = vec3_add(f1->r, mat3_apply(f1->a, def->frame1.position));
  hn_frame_on_body same = {def->frame2.body,
                           mat3_apply(mat3_transpose(f2->a), vec3_sub(origin, f2->r)),
                           quat_multiply(quat_conjugate(f2->p), turned)};
  for (int k = displacements ? 0 : 3; k < 6; k++) {
    hn_measure *measure = &s->measures[s->measure_count++];
    *measure = k < 3 ? hn_measure_axis_displacement(&def->frame1, k, &same)
                     : hn_measure_sine_about(&def->frame1, &same, k - 3);
    add_row(s, joint, k < 3 ? HN_COORDINATE_X : HN_COORDINATE_ANGLE, measure);
  }
}

static int is_drawn_open(const stay *s, int joint) {
  const hn_assembly *a = &s->w->a;
  for (int r = a->elements->joint_row[joint]; r < a->elements->joint_row[joint + 1]; r++) {
    hn_row_speeds row;
    hn_row_in_speeds(a->elements, &a->elements->rows[r], a->drawn, a->branches->turns, a->t, 0,
                     &row);
    if (!(fabs(row.value) <= DRAWN_OPEN * fmax(1, a->size))) return 1;
  }
  return 0;
}

static int is_placed(hn_joint_type type) {
  return hn_joint_has_row(type, HN_JOINT_ROW_DISPLACEMENT) || hn_joint_coordinate_count(type) > 0;
}

static void add_joint(stay *s, int joint) {
  const hn_model *model = s->w->a.model;
  const hn_joint_def *def = &model->joints[joint];
  int first = s->row_count, is_screw = hn_joint_has_row(def->type, HN_JOINT_ROW_SCREW), touched = 0;
  int named = hn_joint_row_number(def->type) + hn_joint_coordinate_count(def->type);
  if (!hn_joint_joins_bodies(def->type) || hn_joint_has_row(def->type, HN_JOINT_ROW_DISTANCE) ||
      hn_joint_row_number(def->type) == 6)
    return;
  if (is_drawn_open(s, joint)) return;
  for (int c = 0; c < HN_COORDINATES; c++) {
    if (s->w->a.elements->coordinate[joint * HN_COORDINATES + c] < 0) continue;
    int free = !is_given(s, joint, c) && !is_driven(model, joint, c);
    touched |= !free;
    if (free && !(is_screw && c != HN_COORDINATE_ANGLE)) add_row(s, joint, c, NULL);
  }
  if (is_screw && touched) s->row_count = first; // one coordinate determines the other
  // degrees of freedom without a coordinate; a joint of axes alone leaves the position free too
  if (named < 6) add_pose(s, joint, !is_placed(def->type));
  if (s->row_count == first) return;
  int d1 = s->depth[def->frame1.body], d2 = s->depth[def->frame2.body];
  s->candidates[s->count++] = (candidate){joint, 0, d1 < d2 ? d1 : d2, first, s->row_count - first};
}

// Bases, then joints by depth, those of one depth in the order of the model.
static int sort_candidates(stay *s) {
  int bodies = s->w->a.model->body_count;
  int *start = HN_TAKE(&s->arena, int, bodies + 2);
  candidate *sorted = HN_TAKE(&s->arena, candidate, s->count);
  if (s->arena.failed) return 0;
  for (int k = 0; k < s->count; k++) start[s->candidates[k].depth + 2]++;
  for (int d = 0; d <= bodies; d++) start[d + 1] += start[d];
  for (int k = 0; k < s->count; k++) sorted[start[s->candidates[k].depth + 1]++] = s->candidates[k];
  s->candidates = sorted;
  return 1;
}

static int begin(stay *s, hn_assembly_work *w, int of_rates, int given_count) {
  const hn_model *model = w->a.model;
  *s = (stay){.w = w, .of_rates = of_rates, .given_count = given_count};
  hn_arena_init(&s->arena, &w->arena.allocator);
  s->measures = HN_TAKE(&s->arena, hn_measure, 6 * model->joint_count);
  s->rows = HN_TAKE(&s->arena, hn_given_row, w->capacity);
  s->candidates = HN_TAKE(&s->arena, candidate, model->joint_count + model->body_count);
  s->depth = HN_TAKE(&s->arena, int, model->body_count);
  s->is_kept = HN_TAKE(&s->arena, unsigned char, w->capacity + model->body_count);
  s->best = HN_TAKE(&s->arena, hn_frame, model->body_count);
  s->best_turns = HN_TAKE(&s->arena, double, w->a.elements->turn_count);
  int *base = HN_TAKE(&s->arena, int, model->body_count);
  if (s->arena.failed) return 0;
  neighbours n;
  if (!find_neighbours(s, &n)) return 0;
  int bases = find_depths(s, &n, base);
  for (int k = 0; k < bases; k++)
    s->candidates[s->count++] = (candidate){-1, base[k], -1, w->capacity + base[k], 0};
  for (int j = 0; j < model->joint_count; j++) add_joint(s, j);
  return sort_candidates(s);
}

// ---- trying -------------------------------------------------------------------------------------

static double way_of(const stay *s) {
  const hn_assembly *a = &s->w->a;
  double most = 0;
  if (!s->of_rates) return hn_assembly_largest_move(s->w);
  for (int b = 1; b < a->model->body_count; b++)
    most = fmax(most, fmax(vec3_norm(a->frames[b].v), a->body_size[b] * vec3_norm(a->frames[b].w)));
  return most;
}

static void keep_best(stay *s) {
  const hn_assembly *a = &s->w->a;
  memcpy(s->best, a->frames, (size_t)a->model->body_count * sizeof(hn_frame));
  memcpy(s->best_turns, a->branches->turns, (size_t)a->elements->turn_count * sizeof(double));
}

static void take_best(stay *s) {
  const hn_assembly *a = &s->w->a;
  memcpy(a->frames, s->best, (size_t)a->model->body_count * sizeof(hn_frame));
  memcpy(a->branches->turns, s->best_turns, (size_t)a->elements->turn_count * sizeof(double));
}

// Closes with the kept conditions. Returns 1 if they all hold and no body moves far; -2 out of memory.
static int try_kept(stay *s) {
  hn_assembly_work *w = s->w;
  int count = s->given_count, iterations = w->a.iterations;
  hn_arena kept = w->arena;
  hn_assembly_rows rows;
  s->tries++;
  for (int r = 0; r < s->row_count; r++)
    if (s->is_kept[r]) w->given[count++] = s->rows[r];
  hn_arena_init(&w->arena, &kept.allocator);
  int done = hn_assembly_try(w, s->of_rates, count, &rows);
  hn_arena_release(&w->arena);
  w->arena = kept;
  w->a.iterations = iterations;
  if (done == 1 && !(way_of(s) <= s->longest)) done = 0;
  if (done == 1) keep_best(s);
  return done;
}

static void set_kept(stay *s, const candidate *c, int is_kept) {
  if (c->joint < 0) s->w->still[c->body] = (unsigned char)is_kept;
  for (int r = c->first; r < c->first + c->count; r++) s->is_kept[r] = (unsigned char)is_kept;
}

static int is_over(const stay *s) {
  int most = WHOLE_BUDGET / s->w->a.model->body_count;
  return s->tries >= (most < MOST_TRIES ? most : MOST_TRIES);
}

// The conditions of one joint, one after the other.
static int add_rows_singly(stay *s, const candidate *c) {
  for (int r = c->first; c->count > 1 && r < c->first + c->count && !is_over(s); r++) {
    if (s->rows[r].own) continue; // turns hold together or not at all
    s->is_kept[r] = 1;
    int done = try_kept(s);
    if (done == -2) return done;
    s->is_kept[r] = done == 1;
  }
  return 1;
}

// Adds candidates from ... to - 1, as many as can hold with those before.
static int add_candidates(stay *s, int from, int to) {
  if (from >= to || is_over(s)) return 1;
  for (int k = from; k < to; k++) set_kept(s, &s->candidates[k], 1);
  int done = try_kept(s);
  if (done != 0) return done;
  for (int k = from; k < to; k++) set_kept(s, &s->candidates[k], 0);
  if (to - from == 1) return add_rows_singly(s, &s->candidates[from]);
  int middle = from + (to - from) / 2;
  done = add_candidates(s, from, middle);
  return done == -2 ? done : add_candidates(s, middle, to);
}

// ---- what moved ---------------------------------------------------------------------------------

// The condition that is broken most at the present poses, -1 when all hold.
static int find_moved(const stay *s, int *count) {
  int worst = -1, joint = -1;
  double most = MOVED;
  *count = 0;
  for (int r = 0; r < s->row_count; r++) {
    double change = fabs(measure_value(s, &s->rows[r], s->w->a.frames) - s->rows[r].target);
    if (!(change > MOVED)) continue;
    if (s->rows[r].joint != joint) ++*count;
    joint = s->rows[r].joint;
    if (!(change > most)) continue;
    most = change;
    worst = r;
  }
  return worst;
}

static int base_moved(const stay *s) {
  const hn_assembly *a = &s->w->a;
  for (int k = 0; k < s->count; k++) {
    int b = s->candidates[k].body;
    if (s->candidates[k].joint >= 0) continue;
    const hn_frame *now = &a->frames[b], *drawn = &a->drawn[b];
    hn_vec3 turn = quat_vector(quat_multiply(now->p, quat_conjugate(drawn->p)));
    double moved = s->of_rates ? fmax(vec3_norm(now->v), vec3_norm(now->w))
                               : fmax(vec3_norm(vec3_sub(now->r, drawn->r)), vec3_norm(turn));
    if (moved > MOVED) return 1;
  }
  return 0;
}

static int has_given(const stay *s) {
  for (int j = 0; j < s->w->a.model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++)
      if (is_given(s, j, c)) return 1;
  return 0;
}

static void tell_moved(const stay *s, hn_warning *note) {
  int count, worst = find_moved(s, &count);
  if (worst < 0 || !has_given(s)) return;
  const hn_given_row *row = &s->rows[worst];
  char element[128], others[48] = "";
  const char *what = row->own ? "pose" : hn_coordinate_name(row->coordinate);
  const char *unit = hn_coordinate_is_length(row->coordinate) ? "m" : "rad";
  hn_text(element, sizeof element, "joint '%s'", s->w->a.model->joints[row->joint].name);
  if (count > 1)
    hn_text(others, sizeof others, ", like %d other joint%s", count - 1, count == 2 ? "" : "s");
  if (s->of_rates)
    hn_assembly_warn(note, element,
                     "has no `initial` rate%s; the given rates of other joints set its %s rate to "
                     "%.6g %s/s. Add one to choose it.",
                     others, what, measure_value(s, row, s->w->a.frames), unit);
  else
    hn_assembly_warn(note, element,
                     "has no `initial`%s; assembly changed its %s from %.6g %s to %.6g to match "
                     "the joints that have one. Add one to choose it.",
                     others, what, row->target, unit, measure_value(s, row, s->w->a.frames));
}

// 1 when something but gaps of the drawing has moved bodies: those are closed by the least change.
static int has_cause(const hn_assembly_work *w, int of_rates) {
  const hn_assembly *a = &w->a;
  for (int b = 1; b < a->model->body_count; b++) {
    const hn_frame *f = &a->frames[b];
    if (of_rates && fmax(vec3_norm(f->v), vec3_norm(f->w)) > MOVED) return 1;
    if (!of_rates && hn_assembly_given_parts(&a->model->bodies[b], 0)) return 1;
  }
  if (of_rates || !(hn_assembly_largest_move(w) > MOVED)) return 0;
  for (int j = 0; j < a->model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++)
      if (a->model->joints[j].initial[c].has_value) return 1;
  for (int r = 0; r < a->elements->row_count; r++) {
    const hn_row *row = &a->elements->rows[r];
    hn_row_speeds s;
    if (!row->is_driver) continue;
    hn_row_in_speeds(a->elements, row, a->drawn, a->branches->turns, a->t,
                     a->branches->driver[row->driver], &s);
    if (fabs(s.value) > DRAWN_OPEN * fmax(1, a->size)) return 1;
  }
  return 0;
}

int hn_assembly_stay(hn_assembly_work *w, int of_rates, int given_count, hn_warning *note) {
  stay s;
  if (!has_cause(w, of_rates)) return 0;
  int count, done = begin(&s, w, of_rates, given_count) ? 1 : -2;
  if (done == 1 && (find_moved(&s, &count) >= 0 || base_moved(&s))) {
    keep_best(&s);
    s.longest = LONG_WAY * way_of(&s);
    done = add_candidates(&s, 0, s.count);
    if (done != -2) take_best(&s);
    if (done != -2) tell_moved(&s, note);
  }
  memset(w->still, 0, (size_t)w->a.model->body_count);
  hn_arena_release(&s.arena);
  return done == -2 ? -2 : 0;
}
