// Where contacts change within an attempted step (simulation_contacts.h), on its dense output.
#include <float.h>
#include <math.h>

#include "analysis/simulation_contacts.h"
#include "equations/conditions.h"
#include "integrate/formula.h"
#include "math/elementary.h"

#define BACK 1e-12    // m/s: less is no slip backwards
#define SIDEWAYS 0.05 // of the slip that steps resolve: less across its direction is zero
#define ROUNDING                                                                                   \
  1e-12 // of the largest force: a law that is broken by less, and not for long, holds
enum { SAMPLES = 8, FINER = 512, BISECTIONS = 150, PEAKS = 12 };

static hn_conditions *points_of(const hn_simulation *s) { return hn_conditions_of(s->equations); }

// A state inside the step. Implicit formulas have dense output that may leave the start of a step with
// another velocity: a point that has just parted would come back at once. A cubic does not.
static void interpolate(hn_simulation *s, double theta) {
  hn_method *m = s->method;
  const double h = m->step, rest = 1 - theta;
  if (m->type->is_direct) {
    m->type->interpolate(m, theta, s->looking.q, s->looking.qd, NULL);
    return;
  }
  for (int i = 0; i < s->equations->nq; i++) {
    const double q0 = m->q[i], v0 = m->qd[i], q1 = m->next_q[i], v1 = m->next_qd[i];
    s->looking.q[i] = hn_cubic(theta, h, q0, v0, q1, v1);
    s->looking.qd[i] = 6 * theta * rest * (q1 - q0) / h + rest * (1 - 3 * theta) * v0 +
                       theta * (3 * theta - 2) * v1;
  }
}

const hn_frame *hn_contact_frames_at(hn_simulation *s, double theta) {
  hn_method *m = s->method;
  if (theta == 1) return m->next->frames;
  if (theta == 0) return m->now->frames;
  interpolate(s, theta);
  s->equations->type->coordinates->frames(s->equations, s->looking.q, s->looking.qd,
                                          s->looking.frames);
  return s->looking.frames;
}

int hn_contact_pair_is_open(const struct hn_grips *g, int p) {
  for (int i = 0; i < HN_CONTACT_POINTS; i++)
    if (g->grip[p * HN_CONTACT_POINTS + i] != HN_GRIP_OPEN) return 0;
  return 1;
}

double hn_contact_gap_rate(const hn_contact_point *c, const hn_contact_pair *pair,
                           const hn_frame *f, hn_vec3 *slip) {
  const hn_frame *f1 = &f[pair->body[0]], *f2 = &f[pair->body[1]];
  const hn_vec3 u1 = vec3_add(f1->v, vec3_cross(f1->w, vec3_sub(c->point, f1->r)));
  const hn_vec3 u2 = vec3_add(f2->v, vec3_cross(f2->w, vec3_sub(c->point, f2->r)));
  const hn_vec3 u = vec3_sub(u2, u1);
  const double rate = vec3_dot(u, c->normal);
  *slip = vec3_add_scaled(u, -rate, c->normal);
  return rate;
}

static double noise_of(const hn_contact_point *c, const hn_contact_pair *pair, const hn_frame *f) {
  return 4 * DBL_EPSILON *
         (0.01 + vec3_norm(c->point) + vec3_norm(f[pair->body[0]].r) +
          vec3_norm(f[pair->body[1]].r));
}

// A stop by its gap, a joint with friction by its speed.
static void look_at_extra(hn_simulation *s, int point, const hn_frame *frames,
                          hn_contact_look *look) {
  const struct hn_grips *g = s->branches.grips;
  const struct hn_extra *extra = hn_extra_of(points_of(s), point);
  double value, rate;
  look[point].is_watched = 0;
  if (extra->kind == HN_EXTRA_EDGE || hn_extra_is_off(s->elements, extra)) return;
  hn_extra_motion(s->elements, extra, frames, g->turns, &value, &rate);
  look[point] = (hn_contact_look){.is_watched = 1,
                                  .gap = value,
                                  .rate = rate,
                                  .noise = 4 * DBL_EPSILON * (0.01 + fabs(extra->end))};
  if (extra->kind != HN_EXTRA_FRICTION) return;
  look[point].speed = fabs(rate);
  look[point].along = vec3(rate, 0, 0);
  look[point].slip = rate * g->direction[point].x;
}

// A pair without closed points is seen as its nearest point, whatever faces it has.
static void look_at_pair(hn_simulation *s, int p, const hn_frame *frames, hn_contact_look *look) {
  const hn_conditions *self = points_of(s);
  const struct hn_grips *g = s->branches.grips;
  const hn_contact_pair *pair = &self->contacts->pairs[p];
  const int first = p * HN_CONTACT_POINTS, is_open = hn_contact_pair_is_open(g, p);
  hn_contact_point points[HN_CONTACT_POINTS];
  for (int i = 0; i < HN_CONTACT_POINTS; i++) look[first + i].is_watched = 0;
  const int mode = is_open ? hn_contact_mode(self->contacts, pair, frames, DBL_MAX) : g->mode[p];
  const int count =
      hn_contact_points(self->contacts, pair, mode, frames, HN_CONTACT_PLACES, points);
  int number[HN_CONTACT_POINTS];
  hn_rigid_number(self, g, p, points, count, number);
  for (int i = 0; i < count; i++) {
    hn_vec3 slip;
    if (!points[i].is_inside || number[i] < 0) continue;
    hn_contact_look *at = &look[is_open ? first : number[i]];
    const double rate = hn_contact_gap_rate(&points[i], pair, frames, &slip);
    if (at->is_watched && at->gap <= points[i].gap) continue;
    *at = (hn_contact_look){.is_watched = 1,
                            .gap = points[i].gap,
                            .rate = rate,
                            .speed = vec3_norm(slip),
                            .along = slip,
                            .noise = noise_of(&points[i], pair, frames),
                            .slip = vec3_dot(slip, g->direction[number[i]])};
  }
}

static void look(hn_simulation *s, double theta, hn_contact_look *out) {
  const hn_conditions *self = points_of(s);
  const hn_frame *frames = hn_contact_frames_at(s, theta);
  for (int p = 0; p < self->contacts->pair_count; p++)
    if (self->rule[p]) look_at_pair(s, p, frames, out);
  for (int i = self->first_extra; i < self->point_count; i++) look_at_extra(s, i, frames, out);
}

static void look_at_point(hn_simulation *s, int point, const hn_frame *frames,
                          hn_contact_look *out) {
  if (point >= points_of(s)->first_extra)
    look_at_extra(s, point, frames, out);
  else
    look_at_pair(s, point / HN_CONTACT_POINTS, frames, out);
}

// The function whose zero is located: it is positive as long as nothing changes.
static double value_at(hn_simulation *s, double theta, hn_contact_change change, int point) {
  hn_contact_look *room = s->contacts->look[2];
  look_at_point(s, point, hn_contact_frames_at(s, theta), room);
  if (!room[point].is_watched) return 1;
  return change == HN_CHANGE_STOPS ? room[point].slip : room[point].gap;
}

// The largest excess of the laws at a fraction of the step, of all closed points.
static double excess_of(const hn_simulation *s, const hn_snapshot *snapshot,
                        hn_contact_change *change, int *point) {
  const hn_conditions *self = points_of(s);
  double worst = -HUGE_VAL;
  for (int i = 0; i < self->point_count; i++) {
    if (s->branches.grips->grip[i] == HN_GRIP_OPEN) continue;
    const hn_touch *touch = &snapshot->touch[i];
    if (!(touch->excess > worst)) continue;
    worst = touch->excess;
    *point = i;
    const struct hn_extra *extra = hn_extra_of(self, i);
    const int may_pull = !extra || extra->kind == HN_EXTRA_STOP;
    *change = may_pull && touch->normal < 0 && -touch->normal >= touch->excess ? HN_CHANGE_PULLS
                                                                               : HN_CHANGE_SLIPS;
  }
  return worst;
}

static double excess_at(hn_simulation *s, double theta, hn_contact_change *change, int *point) {
  if (theta == 1) return excess_of(s, s->method->next, change, point);
  const hn_snapshot *snapshot = hn_simulation_snapshot_at(s, theta);
  return snapshot ? excess_of(s, snapshot, change, point) : -HUGE_VAL;
}

double hn_contact_resolution(const hn_simulation *s) {
  return 1e-15 * (1e-3 + fabs(s->method->t) + s->method->step) / s->method->step;
}

// The crossing of `level` between low, where the value is above it, and high, where it is below.
static double find_crossing(hn_simulation *s, hn_contact_change change, int point, double low,
                            double high, double level) {
  double at_low = value_at(s, low, change, point) - level;
  double at_high = value_at(s, high, change, point) - level;
  int side = 0;
  for (int k = 0; k < BISECTIONS && high - low > hn_contact_resolution(s); k++) {
    double theta = (low * at_high - high * at_low) / (at_high - at_low);
    if (!(theta > low && theta < high) || k % 2 == 1) theta = 0.5 * (low + high);
    const double value = value_at(s, theta, change, point) - level;
    if (value > 0) {
      low = theta;
      at_low = value;
      if (side == 1) at_high *= 0.5;
      side = 1;
    } else {
      high = theta;
      at_high = value;
      if (value == 0) return theta;
      if (side == -1) at_low *= 0.5;
      side = -1;
    }
  }
  return high;
}

// Where a gap that shrinks at low and grows at high is least; its value at *least.
static double find_least(hn_simulation *s, int point, double low, double high, double *least) {
  hn_contact_look *room = s->contacts->look[2];
  double theta = high;
  for (int k = 0; k < 40 && high - low > 1e-9; k++) {
    theta = 0.5 * (low + high);
    look_at_point(s, point, hn_contact_frames_at(s, theta), room);
    if (!room[point].is_watched) break;
    *least = room[point].gap;
    if (*least < -room[point].noise) return theta;
    if (room[point].rate < 0)
      low = theta;
    else
      high = theta;
  }
  return theta;
}

// Where a gap that opens at low and closes at high is largest, near enough.
static double find_top(hn_simulation *s, int point, double low, double high) {
  hn_contact_look *room = s->contacts->look[2];
  for (int k = 0; k < 60 && high - low > hn_contact_resolution(s); k++) {
    const double theta = 0.5 * (low + high);
    look_at_point(s, point, hn_contact_frames_at(s, theta), room);
    if (!room[point].is_watched) break;
    if (room[point].rate > 0)
      low = theta;
    else
      high = theta;
    if (room[point].gap > s->contacts->level[point] + 2 * room[point].noise) return theta;
  }
  return high;
}

// Where an open point that has penetrated at high came through. If it was in contact at low, it
// was about to separate: it comes back from its highest position.
static double find_entry(hn_simulation *s, int point, double low, double high) {
  const hn_contact_look *a = &s->contacts->look[0][point], *b = &s->contacts->look[1][point];
  double level = s->contacts->level[point];
  if (a->is_watched && a->gap <= level + 2 * a->noise) {
    if (a->rate > 0) low = find_top(s, point, low, high);
    if (!(value_at(s, low, HN_CHANGE_CLOSES, point) > level)) level -= 0.5 * b->noise;
  }
  return find_crossing(s, HN_CHANGE_CLOSES, point, low, high, level);
}

// The first gap that closes or slip that stops between two looks; 2: none.
static double find_between(hn_simulation *s, double low, double high, hn_contact_change *change,
                           int *point) {
  const hn_contact_look *a = s->contacts->look[0], *b = s->contacts->look[1];
  const double *level = s->contacts->level;
  double first = 2;
  for (int i = 0; i < points_of(s)->point_count; i++) {
    const hn_grip grip = s->branches.grips->grip[i];
    if (!b[i].is_watched || grip == HN_GRIP_STICK) continue;
    double theta = 2;
    const hn_contact_change kind = grip == HN_GRIP_OPEN ? HN_CHANGE_CLOSES : HN_CHANGE_STOPS;
    const double back = s->contacts->back[i]; // as slow as at the start is no change
    if (grip == HN_GRIP_SLIDE && b[i].slip < back - BACK)
      theta = find_crossing(s, kind, i, low, high, a[i].slip > 0 ? 0 : back - 0.5 * BACK);
    else if (grip == HN_GRIP_OPEN && b[i].gap < level[i] - b[i].noise)
      theta = find_entry(s, i, low, high);
    else if (grip == HN_GRIP_OPEN && a[i].is_watched && a[i].rate < 0 && b[i].rate > 0 &&
             a[i].gap + 0.5 * (high - low) * s->method->step * a[i].rate < 0) {
      double least = HUGE_VAL;
      const double bottom = find_least(s, i, low, high, &least);
      if (least < level[i] - a[i].noise) theta = find_entry(s, i, low, bottom);
    }
    if (!(theta < first)) continue;
    first = theta;
    *change = kind;
    *point = i;
  }
  return first;
}

// Whether a pair can have met between two looks and be apart in both: its way is longer than both gaps
// together, and than shapes that thin need to show that they overlap.
static int may_hide(const hn_simulation *s, double duration) {
  const struct hn_contact_watch *w = s->contacts;
  const hn_contacts *contacts = points_of(s)->contacts;
  for (int p = 0; p < contacts->pair_count; p++) {
    const hn_contact_look *a = &w->look[0][p * HN_CONTACT_POINTS],
                          *b = &w->look[1][p * HN_CONTACT_POINTS];
    if (!points_of(s)->rule[p] || !hn_contact_pair_is_open(s->branches.grips, p)) continue;
    if (!(w->thin[p] < HUGE_VAL) || !a->is_watched || !b->is_watched) continue;
    const double way = duration * fmax(hn_hypot(a->rate, a->speed), hn_hypot(b->rate, b->speed));
    if (way > w->thin[p] && way > fmax(0, a->gap) + fmax(0, b->gap)) return 1;
  }
  return 0;
}

// The same of pairs that one of both looks does not see, as a mesh that is out of reach: by the spheres
// that hold the shapes.
static int may_pass(hn_simulation *s, double low, double high) {
  const struct hn_contact_watch *w = s->contacts;
  const hn_contacts *contacts = points_of(s)->contacts;
  for (int side = 0; side < 2; side++) {
    const hn_frame *frames = NULL;
    for (int p = 0; p < contacts->pair_count; p++) {
      const int first = p * HN_CONTACT_POINTS;
      if (!points_of(s)->rule[p] || !hn_contact_pair_is_open(s->branches.grips, p)) continue;
      if (w->look[0][first].is_watched && w->look[1][first].is_watched) continue;
      if (!frames) frames = hn_contact_frames_at(s, side == 0 ? low : high);
      if ((high - low) * s->method->step >
          0.5 * hn_contact_look_time(contacts, &contacts->pairs[p], frames))
        return 1;
    }
  }
  return 0;
}

// Looks are nearer to each other where thin shapes are fast.
static double find_motion(hn_simulation *s, hn_contact_change *change, int *point) {
  struct hn_contact_watch *w = s->contacts;
  look(s, 0, w->look[0]);
  for (int i = 0; i < points_of(s)->point_count; i++) {
    const hn_contact_look *at = &w->look[0][i];
    w->level[i] = at->is_watched && at->gap <= at->noise ? fmin(0, at->gap) - at->noise : 0;
    w->speed[i] = w->look[0][i].speed;
    w->back[i] = at->is_watched ? fmin(0, at->slip) : 0;
  }
  const double widest = 1.0 / SAMPLES, finest = widest / FINER;
  double low = 0, width = widest;
  while (low < 1) {
    const double high = low + width < 1 ? low + width : 1;
    look(s, high, w->look[1]);
    if (width > finest && (may_hide(s, (high - low) * s->method->step) || may_pass(s, low, high))) {
      width *= 0.5;
      continue;
    }
    const double theta = find_between(s, low, high, change, point);
    if (theta <= 1) return theta;
    hn_contact_look *swap = w->look[0];
    w->look[0] = w->look[1];
    w->look[1] = swap;
    low = high;
    width = fmin(widest, 2 * width);
  }
  return 2;
}

// ---- forces -------------------------------------------------------------------------------------

// A time at which forces were evaluated, and the excess of one of them there.
typedef struct hn_force_look {
  double theta, excess;
} hn_force_look;

// The parabola through three looks in order of time: where it is highest, and how high; 0: nowhere.
static int find_vertex(const hn_force_look at[3], hn_force_look *top) {
  const double left = (at[1].excess - at[0].excess) / (at[1].theta - at[0].theta);
  const double right = (at[2].excess - at[1].excess) / (at[2].theta - at[1].theta);
  const double bend = (right - left) / (at[2].theta - at[0].theta);
  if (!(bend < 0)) return 0;
  const double slope = left + bend * (at[1].theta - at[0].theta), way = -0.5 * slope / bend;
  *top = (hn_force_look){at[1].theta + way, at[1].excess - bend * way * way};
  return isfinite(top->theta) && isfinite(top->excess);
}

// Takes a look in, so that three stay around the highest.
static void insert_look(hn_force_look at[3], hn_force_look new) {
  const int is_late = new.theta > at[1].theta, is_higher = new.excess >= at[1].excess;
  if (is_higher) {
    at[is_late ? 0 : 2] = at[1];
    at[1] = new;
  } else {
    at[is_late ? 2 : 0] = new;
  }
}

// Whether a force that keeps its law at three looks breaks it between them: where its excess may rise
// above `least` its top is searched for, until it is above, or certainly below. *low: before the top.
static int find_peak(hn_simulation *s, int point, double least, hn_force_look at[3],
                     hn_force_look *low, hn_force_look *high) {
  const double begin = at[0].theta, end = at[2].theta, edge = 0.125 * (end - begin);
  double doubt = fmax(at[0].excess, fmax(at[1].excess, at[2].excess)) -
                 fmin(at[0].excess, fmin(at[1].excess, at[2].excess));
  for (int k = 0; k < PEAKS; k++) {
    hn_force_look top;
    hn_contact_change kind;
    int where;
    if (!find_vertex(at, &top) || !(top.excess + doubt > least)) return 0;
    const double beyond = k == 0 ? edge : 0; // where the top may lie inside after all
    if (!(top.theta > begin - beyond && top.theta < end + beyond)) return 0;
    const double theta =
        k > 0 ? top.theta : fmin(fmax(top.theta, begin + 0.5 * edge), end - 0.5 * edge);
    if (theta == at[0].theta || theta == at[1].theta || theta == at[2].theta) return 0;
    *high = (hn_force_look){theta, excess_at(s, theta, &kind, &where)};
    if (high->excess == -HUGE_VAL) return 0;
    *low = at[theta > at[1].theta ? 1 : 0];
    if (high->excess > least) return 1;
    const double seen = s->looking.snapshot->touch[point].excess;
    if (theta == top.theta) doubt = fmin(doubt, fabs(seen - top.excess));
    insert_look(at, (hn_force_look){theta, seen});
  }
  return 0;
}

static void note_excess(hn_simulation *s, const hn_snapshot *snapshot, double *excess,
                        double *most) {
  for (int i = 0; i < points_of(s)->point_count; i++) {
    excess[i] = snapshot->touch[i].excess;
    *most = fmax(*most, fabs(snapshot->touch[i].normal));
  }
}

// A force that keeps its law at the start, in the middle and at the end, but not between them.
static int find_hidden(hn_simulation *s, double end, double most, hn_force_look *low,
                       hn_force_look *high) {
  double *const *excess = s->contacts->excess;
  note_excess(s, s->method->now, excess[0], &most);
  for (int i = 0; i < points_of(s)->point_count; i++) {
    if (s->branches.grips->grip[i] == HN_GRIP_OPEN || !(excess[1][i] > -HUGE_VAL)) continue;
    hn_force_look at[3] = {{0, excess[0][i]}, {0.5 * end, excess[1][i]}, {end, excess[2][i]}};
    if (find_peak(s, i, ROUNDING * most, at, low, high)) return 1;
  }
  return 0;
}

// The first moment before `limit` at which a force breaks its law.
static double find_force(hn_simulation *s, double limit, hn_contact_change *change, int *point) {
  const double end = fmin(limit, 1), looks[2] = {0.5 * end, end};
  hn_force_look low = {0, 0}, high = {2, 0};
  hn_contact_change kind;
  double most = 0;
  int where;
  for (int k = 0; k < 2 && high.theta > 1; k++) {
    const hn_force_look at = {looks[k], excess_at(s, looks[k], &kind, &where)};
    *(at.excess > 0 ? &high : &low) = at;
    note_excess(s, looks[k] == 1 ? s->method->next : s->looking.snapshot,
                s->contacts->excess[1 + k], &most);
  }
  if (high.theta > 1 && !find_hidden(s, end, most, &low, &high)) return 2;
  excess_at(s, high.theta, change, point);
  for (int k = 0, side = 0; k < BISECTIONS && high.theta - low.theta > hn_contact_resolution(s);
       k++) {
    double theta = low.excess < 0 ? (low.theta * high.excess - high.theta * low.excess) /
                                        (high.excess - low.excess)
                                  : low.theta;
    if (!(theta > low.theta && theta < high.theta) || k % 2 == 1)
      theta = 0.5 * (low.theta + high.theta);
    const double excess = excess_at(s, theta, &kind, &where);
    if (excess > 0) {
      high = (hn_force_look){theta, excess};
      *change = kind;
      *point = where;
      if (side == 1) low.excess *= 0.5;
      side = 1;
    } else {
      low = (hn_force_look){theta, excess};
      if (side == -1) high.excess *= 0.5;
      side = -1;
    }
  }
  return high.theta;
}

// A slip along a plane does not pass through zero but comes near it: if it has become slower
// than steps resolve, and still slows down, it may stick.
static int find_slow(const hn_simulation *s) {
  const struct hn_contact_watch *w = s->contacts;
  const double rest = points_of(s)->rest;
  for (int i = 0; i < points_of(s)->point_count; i++)
    if (s->branches.grips->grip[i] == HN_GRIP_SLIDE && w->look[0][i].is_watched &&
        w->look[0][i].speed < rest && w->look[0][i].speed < w->speed[i])
      return i;
  return -1;
}

static double find_change(hn_simulation *s, hn_contact_change *change, int *point) {
  *change = HN_CHANGE_NONE;
  double theta = find_motion(s, change, point);
  if (s->branches.grips->closed == 0) return theta;
  const int slow = theta > 1 ? find_slow(s) : -1;
  hn_contact_change other = HN_CHANGE_NONE;
  int where = -1;
  const double by_force = find_force(s, theta, &other, &where);
  if (!(by_force < theta) && slow >= 0) {
    *change = HN_CHANGE_STOPS;
    *point = slow;
    return 1;
  }
  if (!(by_force < theta)) return theta;
  *change = other;
  *point = where;
  return by_force;
}

double hn_find_contact_change(hn_simulation *s, hn_contact_change *change, int *point) {
  const double theta = find_change(s, change, point);
  if (s->branches.grips->closed == 0) return theta;
  int where = -1;
  const double by_faces = hn_find_faces(s, theta, &where);
  if (!(by_faces < theta)) return theta;
  *change = HN_CHANGE_FACES;
  *point = where;
  return by_faces;
}

void hn_contacts_straighten(hn_simulation *s, double theta) {
  const hn_conditions *self = points_of(s);
  struct hn_grips *g = s->branches.grips;
  hn_contact_look *at = s->contacts->look[2];
  look(s, theta, at);
  for (int i = 0; i < self->first_extra; i++)
    g->straight[i] =
        g->grip[i] == HN_GRIP_SLIDE && at[i].is_watched && at[i].speed < SIDEWAYS * self->rest;
}

int hn_contacts_keep_direction(hn_simulation *s, double theta) {
  const struct hn_contact_watch *w = s->contacts;
  struct hn_grips *g = s->branches.grips;
  const int point = w->point;
  if (w->change != HN_CHANGE_STOPS || point >= points_of(s)->first_extra || g->straight[point])
    return 0;
  hn_contact_look *at = s->contacts->look[2];
  look(s, theta, at);
  if (!at[point].is_watched || !(at[point].speed < SIDEWAYS * w->speed[point])) return 0;
  return g->straight[point] = 1;
}

double hn_contact_miss(hn_simulation *s, hn_contact_change change, int point) {
  if (change == HN_CHANGE_FACES) return 0;
  const double back = 1.0 / 64;
  double at[2];
  hn_contact_change kind;
  int where;
  for (int k = 0; k < 2; k++) {
    const double theta = k == 0 ? 1 : 1 - back;
    if (change == HN_CHANGE_CLOSES || change == HN_CHANGE_STOPS)
      at[k] = value_at(s, theta, change, point);
    else
      at[k] = excess_at(s, theta, &kind, &where);
  }
  const double slope = (at[0] - at[1]) / (back * s->method->step);
  return slope != 0 && isfinite(at[0] / slope) ? -at[0] / slope : 0;
}

// ---- in real time -------------------------------------------------------------------------------

// Finds a change within the attempted step from the state at its end: an open point that has closed, a
// slip that has reversed, a force that breaks its law. One evaluation, so the work is bounded.
hn_contact_change hn_find_late_change(hn_simulation *s, int *point) {
  const hn_contact_look *end = s->contacts->look[1];
  hn_contact_change change = HN_CHANGE_NONE;
  look(s, 1, s->contacts->look[1]);
  for (int i = 0; i < points_of(s)->point_count; i++) {
    const hn_grip grip = s->branches.grips->grip[i];
    if (!end[i].is_watched || grip == HN_GRIP_STICK) continue;
    const int closes = grip == HN_GRIP_OPEN && end[i].gap < -end[i].noise && end[i].rate < 0;
    const int turns = grip == HN_GRIP_SLIDE && end[i].slip < -BACK;
    if (!closes && !turns) continue;
    *point = i;
    if (closes) return HN_CHANGE_CLOSES;
    change = HN_CHANGE_STOPS;
  }
  if (change != HN_CHANGE_NONE || s->branches.grips->closed == 0) return change;
  double most = 0;
  note_excess(s, s->method->next, s->contacts->excess[0], &most);
  const double excess = excess_of(s, s->method->next, &change, point);
  return excess > ROUNDING * most ? change : HN_CHANGE_NONE;
}
