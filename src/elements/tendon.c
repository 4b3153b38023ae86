// Tendons: a tension f(L, Ld, t) along a path over points of any number of bodies, around spheres and
// cylinders, with pulleys between. L is the sum of the lengths of its pieces, each over its divisor.
//
// A piece between two points is their distance. A piece around something is a function F of both
// points a, b in the axes of the obstacle (wrap.c); each of those six numbers is a measure z of two
// bodies. With g the gradient of L against speeds w and pi small motions
//
//   g = F_i z_i,w     g_pi = F_i z_i,w_pi + F_ij z_i,w z_j,pi'
//
// A force has two bodies in the equations. So the tendon itself adds its wrenches, and its
// derivatives by poses are given block by block by the couplings that follow the forces
// (model/sensor.c, coupling.c):
//
//   W = -f g,   W_pi = -g (f_m g + f_md Ld_pi)' - f g_pi,   W_w = -f_md g g',   W_t = -f_t g
#include "elements/tendon.h"

#include <limits.h>
#include <string.h>

#include "elements/force_types.h"
#include "elements/measure_make.h"
#include "elements/wrap.h"
#include "math/law.h"

// ---- pieces -------------------------------------------------------------------------------------

typedef struct piece {
  const hn_way *from, *around, *to; // around: null where it is straight
  double share;                     // of its length: 1 / divisor
} piece;

typedef struct walk {
  const hn_force_def *force;
  int next;
  const hn_way *last;
  double share;
} walk;

static walk start(const hn_force_def *force) { return (walk){.force = force, .share = 1}; }

static int next_piece(walk *w, piece *out) {
  const hn_way *around = NULL;
  while (w->next < w->force->way_count) {
    const hn_way *at = &w->force->way[w->next++];
    if (at->kind == HN_WAY_PULLEY) {
      w->share = 1 / at->divisor;
      w->last = around = NULL;
    } else if (at->kind != HN_WAY_POINT) {
      around = at;
    } else {
      *out = (piece){w->last, around, at, w->share};
      w->last = at;
      if (out->from) return 1;
    }
  }
  return 0;
}

static hn_vec3 place(const hn_frame_on_body *on, const hn_frame *frames) {
  return point_position(&frames[on->body], on->position);
}

// The present pose of a piece: its ends and its obstacle.
typedef struct pose {
  hn_vec3 a, b;
  hn_mat3 axes; // of what it passes
  int is_round; // hn_wrap_find
  hn_wrap_way way;
} pose;

static pose look(const piece *p, const hn_frame *frames) {
  pose now = {.a = place(&p->from->frame, frames), .b = place(&p->to->frame, frames)};
  if (!p->around) return now;
  const hn_frame *on = &frames[p->around->frame.body];
  hn_vec3 center = place(&p->around->frame, frames);
  hn_wrap wrap = {p->around->kind == HN_WAY_SPHERE, p->around->radius, p->around->has_side,
                  vec3_zero()};
  now.axes = mat3_multiply(on->a, quat_matrix(p->around->frame.orientation));
  if (wrap.has_side)
    wrap.side = mat3_apply_transposed(now.axes, vec3_sub(place(&p->around->side, frames), center));
  hn_vec3 a = mat3_apply_transposed(now.axes, vec3_sub(now.a, center));
  hn_vec3 b = mat3_apply_transposed(now.axes, vec3_sub(now.b, center));
  now.is_round = hn_wrap_find(&wrap, a, b, &now.way);
  return now;
}

static hn_vec3 velocity(const hn_frame *frame, hn_vec3 at) {
  return vec3_add(frame->v, vec3_cross(frame->w, vec3_sub(at, frame->r)));
}

// Gradients at both ends, global. An end moves against a body: what is passed, or, of a straight piece,
// the body of its first point, which is the same at any point of the line.
typedef struct ends {
  double length;
  hn_vec3 point[2], slope[2];
  int body[2], against[2];
} ends;

static ends ends_of(const piece *p, const hn_frame *frames) {
  const pose now = look(p, frames);
  ends e = {.point = {now.a, now.b}, .body = {p->from->frame.body, p->to->frame.body}};
  if (now.is_round) {
    e.length = now.way.length;
    for (int k = 0; k < 2; k++) {
      e.slope[k] = mat3_apply(now.axes, vec3_load(now.way.gradient + 3 * k));
      e.against[k] = p->around->frame.body;
    }
    return e;
  }
  hn_vec3 d = vec3_sub(now.b, now.a);
  e.length = vec3_norm(d);
  e.against[0] = e.against[1] = e.body[0];
  e.slope[0] = vec3_zero();
  e.slope[1] = e.length > HN_LENGTH_ZERO ? vec3_scale(1 / e.length, d) : vec3_zero();
  return e;
}

// ---- in speeds ----------------------------------------------------------------------------------

void hn_tendon_measure(const hn_force_def *force, const hn_frame *frames, double *length,
                       double *rate) {
  walk w = start(force);
  piece p;
  *length = *rate = 0;
  while (next_piece(&w, &p)) {
    const ends e = ends_of(&p, frames);
    *length += p.share * e.length;
    for (int k = 0; k < 2; k++) {
      hn_vec3 v = velocity(&frames[e.body[k]], e.point[k]);
      v = vec3_sub(v, velocity(&frames[e.against[k]], e.point[k]));
      *rate += p.share * vec3_dot(e.slope[k], v);
    }
  }
}

static void push(hn_wrench *wrench, const hn_frame *frame, hn_vec3 at, hn_vec3 force) {
  wrench->force = vec3_add(wrench->force, force);
  wrench->torque = vec3_add(wrench->torque, vec3_cross(vec3_sub(at, frame->r), force));
}

static hn_status tendon_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                  const hn_frame *frames, double t, hn_branch branch,
                                  hn_wrench *wrench, hn_force_value *out) {
  double length, rate;
  (void)elements;
  hn_tendon_measure(force, frames, &length, &rate);
  const double f = hn_force_pull(force, 0, branch, length, rate, t, out);
  walk w = start(force);
  piece p;
  while (next_piece(&w, &p)) {
    const ends e = ends_of(&p, frames);
    for (int k = 0; k < 2; k++) {
      hn_vec3 pull = vec3_scale(-f * p.share, e.slope[k]);
      push(&wrench[e.body[k]], &frames[e.body[k]], e.point[k], pull);
      push(&wrench[e.against[k]], &frames[e.against[k]], e.point[k], vec3_negate(pull));
      if (k == 1) out->direction = pull; // at its end
    }
  }
  return HN_OK;
}

// ---- branches -----------------------------------------------------------------------------------

// Where a tendon leaves an obstacle or reaches it, the second derivative of its length is
// discontinuous. Its routing is part of its branch, above that of its function; of very many pieces
// only the first.
enum { KINDS = 4, ROUNDS = 6 };

static int law_states(const hn_force_def *force) {
  hn_law *const laws[] = {force->of_x, force->of_v};
  const int pieces = hn_pieces_count(2, laws);
  return force->of_xvt ? pieces << hn_law_switches(force->of_xvt) : pieces;
}

static int tendon_states(const hn_model *model, const hn_force_def *force) {
  int states = law_states(force), rounds = 0;
  (void)model;
  for (int k = 0; k < force->way_count && rounds < ROUNDS; k++) {
    const hn_way_kind kind = force->way[k].kind;
    if (kind != HN_WAY_SPHERE && kind != HN_WAY_CYLINDER) continue;
    if (states > INT_MAX / KINDS) break;
    states *= KINDS;
    rounds++;
  }
  return states;
}

static hn_branch tendon_branch(const hn_elements *elements, const hn_force_def *force,
                               const hn_frame *frames, double t) {
  const int states = tendon_states(elements->model, force);
  double length, rate;
  hn_tendon_measure(force, frames, &length, &rate);
  hn_branch branch = hn_spring_branch(force, length, rate, t);
  walk w = start(force);
  piece p;
  for (int unit = law_states(force); unit < states && next_piece(&w, &p);) {
    if (!p.around) continue;
    branch.state += unit * look(&p, frames).is_round;
    unit *= KINDS;
  }
  return branch;
}

// The part that is the law's.
static hn_tension tendon_tension(const hn_force_def *force, int k, hn_branch branch, double m,
                                 double md, double t) {
  if (branch.state > 0) branch.state %= law_states(force);
  return hn_spring_tension(force, k, branch, m, md, t);
}

// ---- in poses -----------------------------------------------------------------------------------

// The length against small motions of two bodies, at fixed speeds.
typedef struct slopes {
  double value, rate;
  double row[6], column[6]; // gradient
  double column_rate[6];    // of the rate
  double by_pose[6][6];     // of the gradient
} slopes;

// share * z of all slots on the two bodies.
static void add_measure(const hn_measure *m, const hn_measure_tangent *z, double share, int row,
                        int column, slopes *s) {
  for (int i = 0; i < 2; i++) {
    if (m->body[i] == column)
      for (int k = 0; k < 6; k++) {
        s->column[k] += share * z->gradient[6 * i + k];
        s->column_rate[k] += share * z->rate_pose[6 * i + k];
      }
    if (m->body[i] != row) continue;
    for (int k = 0; k < 6; k++) s->row[k] += share * z->gradient[6 * i + k];
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 6 && m->body[j] == column; k++)
        for (int l = 0; l < 6; l++)
          s->by_pose[k][l] += share * z->gradient_pose[6 * i + k][6 * j + l];
  }
}

static void add_straight(const piece *p, const hn_frame *frames, int row, int column, slopes *s) {
  if (p->from->frame.body == p->to->frame.body) return; // it does not change
  const hn_measure m = hn_measure_distance(&p->from->frame, &p->to->frame);
  hn_measure_tangent z;
  hn_measure_in_poses(&m, frames, NULL, &z);
  add_measure(&m, &z, p->share, row, column, s);
}

// z_i against the two bodies, for the products.
typedef struct coordinate {
  double row[6], column[6], rate;
} coordinate;

static void add_round(const piece *p, const hn_wrap_way *way, const hn_frame *frames, int row,
                      int column, slopes *s) {
  coordinate z[6];
  memset(z, 0, sizeof z);
  for (int i = 0; i < 6; i++) {
    const hn_frame_on_body *end = i < 3 ? &p->from->frame : &p->to->frame;
    const hn_measure m = hn_measure_axis_displacement(&p->around->frame, i % 3, end);
    hn_measure_tangent at;
    hn_measure_in_poses(&m, frames, NULL, &at);
    add_measure(&m, &at, p->share * way->gradient[i], row, column, s);
    z[i].rate = at.rate;
    for (int slot = 0; slot < 2; slot++)
      for (int k = 0; k < 6; k++) {
        if (m.body[slot] == row) z[i].row[k] += at.gradient[6 * slot + k];
        if (m.body[slot] == column) z[i].column[k] += at.gradient[6 * slot + k];
      }
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      const double f = p->share * way->hessian[i][j];
      for (int k = 0; k < 6; k++) {
        s->column_rate[k] += f * z[i].column[k] * z[j].rate;
        for (int l = 0; l < 6; l++) s->by_pose[k][l] += f * z[i].row[k] * z[j].column[l];
      }
    }
}

static slopes slopes_of(const hn_force_def *force, const hn_frame *frames, int row, int column) {
  slopes s;
  walk w = start(force);
  piece p;
  memset(&s, 0, sizeof s);
  hn_tendon_measure(force, frames, &s.value, &s.rate);
  while (next_piece(&w, &p)) {
    const pose now = look(&p, frames);
    if (now.is_round)
      add_round(&p, &now.way, frames, row, column, &s);
    else
      add_straight(&p, frames, row, column, &s);
  }
  return s;
}

void hn_tendon_in_poses(const hn_elements *elements, int force, int row, int column,
                        const hn_frame *frames, double t, hn_branch branch, hn_tendon_block *out) {
  const hn_force_def *def = &elements->model->forces[force];
  const slopes s = slopes_of(def, frames, row, column);
  const hn_tension f = hn_force_tension(def, 0, branch, s.value, s.rate, t);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 6; i++) {
    const double g = s.row[i];
    out->wrench[i] = -f.f * g;
    out->rate[i] = -f.f_t * g;
    for (int j = 0; j < 6; j++) {
      out->d_pose[i][j] =
          -g * (f.f_m * s.column[j] + f.f_md * s.column_rate[j]) - f.f * s.by_pose[i][j];
      out->d_speed[i][j] = -f.f_md * g * s.column[j];
    }
  }
}

void hn_tendon_direction(const hn_force_def *force, int body, const hn_frame *frames,
                         double direction[6]) {
  const slopes s = slopes_of(force, frames, body, HN_GROUND);
  for (int k = 0; k < 6; k++) direction[k] = -s.row[k];
}

// All derivatives are in its couplings.
static hn_status nothing_in_poses(const hn_elements *elements, const hn_force_def *force,
                                  const hn_frame *frames, double t, hn_branch branch,
                                  hn_force_load *out) {
  (void)elements;
  (void)frames;
  (void)t;
  (void)branch;
  out->body[0] = force->frame1.body;
  return HN_OK;
}

static int spring_rates(const hn_force_def *force) { return force->of_v || force->of_xvt; }

const hn_force_row hn_row_HN_FORCE_TENDON = {.tension = tendon_tension,
                                             .law_branch = hn_spring_branch,
                                             .states = tendon_states,
                                             .has_rates = spring_rates,
                                             .in_speeds = tendon_in_speeds,
                                             .in_poses = nothing_in_poses,
                                             .branch = tendon_branch};
