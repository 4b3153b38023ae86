// Two planar profiles in one plane. A place of the first and one of the second face each other when
// the line between them is along the normals of both, which look against each other:
//
//   (x2 - x1) . t1 = 0,   t1 x t2 = 0,   n1 . n2 < 0
//
// the second equation also where they cross, so that the gap is smooth through zero. A corner has
// all normals between those of its sides. Lines, arcs and corners are solved for in closed form,
// splines by Newton's method.
#include "contact/facing.h"

#include <math.h>

#include "math/elementary.h"

#define NEAR 0.02     // of the smaller planar profile: gaps up to this are listed
#define SAME 1e-7     // of the smaller planar profile: closer places are merged
#define MARGIN 1e-10  // of a piece: so far beyond its ends it still counts
#define FLAT 0.02     // of directions
#define ROUNDING 1e-9 // of the smaller planar profile: overlap that is ignored

static double far(hn_vec2 a, hn_vec2 b) { return hn_hypot(a.x - b.x, a.y - b.y); }

// ---- between the plane and an planar profile ------------------------------------------------------

static hn_vec2 turn_out(const hn_outline *o, hn_vec2 d) {
  return (hn_vec2){o->across[0][0] * d.x + o->across[0][1] * d.y,
                   o->across[1][0] * d.x + o->across[1][1] * d.y};
}
static hn_vec2 turn_in(const hn_outline *o, hn_vec2 d) {
  return (hn_vec2){o->across[0][0] * d.x + o->across[1][0] * d.y,
                   o->across[0][1] * d.x + o->across[1][1] * d.y};
}
static hn_vec2 out_of(const hn_outline *o, hn_vec2 x) {
  hn_vec2 d = turn_out(o, x);
  return (hn_vec2){d.x + o->at.x, d.y + o->at.y};
}
static hn_vec2 into(const hn_outline *o, hn_vec2 x) { return turn_in(o, vec2_sub(x, o->at)); }

static hn_curve_point in_plane(const hn_outline *o, hn_curve_point q) {
  q.at = out_of(o, q.at);
  q.normal = turn_out(o, q.normal);
  q.way = turn_out(o, q.way);
  return q;
}
static hn_curve_point nearest(const hn_outline *o, int feature, hn_vec2 x, int *within) {
  return in_plane(o, hn_curve_nearest(o->curve, feature, into(o, x), within));
}
static hn_curve_point furthest(const hn_outline *o, int feature, hn_vec2 d, int *within) {
  return in_plane(o, hn_curve_furthest(o->curve, feature, turn_in(o, d), within));
}
static const hn_curve_piece *piece_of(const hn_outline *o, int feature) {
  return &o->curve->pieces[feature / 2];
}

// ---- one piece or corner against another ----------------------------------------------------------

static int both_corners(const hn_outline *a, int fa, const hn_outline *b, int fb, hn_facing *out) {
  int within[2];
  hn_vec2 x1 = out_of(a, piece_of(a, fa)->to), x2 = out_of(b, piece_of(b, fb)->to);
  out->first = nearest(a, fa, x2, &within[0]);
  out->second = nearest(b, fb, x1, &within[1]);
  return within[0] && within[1] && far(x1, x2) > 0;
}

// Whether a side of the corner lies on a line with this normal, or nearly so: then both ends of the side
// count, for the rounding of an angle shall not decide which of them.
static int lies_flat(const hn_outline *a, int fa, hn_vec2 normal) {
  const hn_curve *c = a->curve;
  const hn_curve_piece *p = &c->pieces[fa / 2], *next = &c->pieces[(fa / 2 + 1) % c->count];
  hn_vec2 d = turn_in(a, vec2_negate(normal));
  return vec2_dot(d, p->end_way) >= -FLAT && vec2_dot(d, next->start_way) <= FLAT;
}

// A corner of a against a piece of b.
static int corner_and_piece(const hn_outline *a, int fa, const hn_outline *b, int fb,
                            hn_curve_point *corner, hn_curve_point *place) {
  int within[2];
  *place = nearest(b, fb, out_of(a, piece_of(a, fa)->to), &within[0]);
  *corner = furthest(a, fa, vec2_negate(place->normal), &within[1]);
  if (piece_of(b, fb)->kind == HN_PIECE_LINE) within[1] = lies_flat(a, fa, place->normal);
  return within[0] && within[1];
}

// A line of a against a round piece of b.
static int line_and_piece(const hn_outline *a, int fa, const hn_outline *b, int fb,
                          hn_curve_point *line, hn_curve_point *place) {
  int within[2];
  hn_vec2 n = turn_out(a, (hn_vec2){piece_of(a, fa)->start_way.y, -piece_of(a, fa)->start_way.x});
  *place = furthest(b, fb, vec2_negate(n), &within[0]);
  *line = nearest(a, fa, place->at, &within[1]);
  return within[0] && within[1] && place->curvature >= 0;
}

static int arc_and_arc(const hn_outline *a, int fa, const hn_outline *b, int fb, hn_curve_point *qa,
                       hn_curve_point *qb) {
  int within[2];
  *qa = nearest(a, fa, out_of(b, piece_of(b, fb)->center), &within[0]);
  *qb = furthest(b, fb, vec2_negate(qa->normal), &within[1]);
  return within[0] && within[1] && qa->curvature + qb->curvature > 0;
}

// One step of Newton's method; returns its size in parts of the pieces.
static double newton_step(const hn_outline *a, int fa, const hn_outline *b, int fb, double s[2],
                          hn_facing *out) {
  const hn_curve_piece *p1 = piece_of(a, fa), *p2 = piece_of(b, fb);
  double speed[2], length[2] = {hn_piece_length(p1), hn_piece_length(p2)};
  out->first = in_plane(a, hn_piece_at(p1, s[0], &speed[0]));
  out->second = in_plane(b, hn_piece_at(p2, s[1], &speed[1]));
  const hn_curve_point *q1 = &out->first, *q2 = &out->second;
  hn_vec2 way = vec2_sub(q2->at, q1->at);
  double f1 = vec2_dot(way, q1->way), f2 = vec2_cross(q1->way, q2->way);
  // the tangent turns against the outward normal, by the curvature
  double a11 = -1 - q1->curvature * vec2_dot(way, q1->normal), a12 = vec2_dot(q2->way, q1->way);
  double a21 = -q1->curvature * vec2_cross(q1->normal, q2->way),
         a22 = -q2->curvature * vec2_cross(q1->way, q2->normal);
  double inner = a11 * a22 - a12 * a21;
  if (!(fabs(inner) > 1e-300)) return HUGE_VAL;
  double step[2] = {-(a22 * f1 - a12 * f2) / inner / speed[0],
                    -(a11 * f2 - a21 * f1) / inner / speed[1]};
  double size = fmax(fabs(step[0]) / length[0], fabs(step[1]) / length[1]);
  for (int k = 0; k < 2; k++) {
    s[k] += (size > 0.3 ? 0.3 / size : 1) * step[k];
    s[k] = fmin(fmax(s[k], -0.2 * length[k]), 1.2 * length[k]);
  }
  return size;
}

// Samples of two pieces.
enum { EACH = 5 };
typedef struct samples {
  hn_curve_point q[2][EACH];
  double step[2];
  double size, turn; // of the pieces; how far a normal turns between a sample and the next
} samples;

static samples take_samples(const hn_outline *a, int fa, const hn_outline *b, int fb) {
  const hn_curve_piece *piece[2] = {piece_of(a, fa), piece_of(b, fb)};
  samples t = {.size = piece[0]->reach + piece[1]->reach};
  for (int k = 0; k < 2; k++) {
    double speed, most = 0;
    t.step[k] = hn_piece_length(piece[k]) / (EACH - 1);
    for (int i = 0; i < EACH; i++) {
      t.q[k][i] = in_plane(k ? b : a, hn_piece_at(piece[k], i * t.step[k], &speed));
      most = fmax(most, fabs(t.q[k][i].curvature) * speed);
    }
    t.turn += most * t.step[k];
  }
  return t;
}

// The samples that face each other best: the way between them least off their normals (for those that
// cross), or least of all. 0 when normals nowhere look against each other.
static int best_start(const samples *t, int by_distance, double s[2]) {
  double least = HUGE_VAL, most = -1;
  for (int i = 0; i < EACH; i++)
    for (int j = 0; j < EACH; j++) {
      const hn_curve_point *q1 = &t->q[0][i], *q2 = &t->q[1][j];
      hn_vec2 way = vec2_sub(q2->at, q1->at);
      double against_each = -vec2_dot(q1->normal, q2->normal);
      double off = by_distance ? vec2_dot(way, way)
                               : fabs(vec2_dot(way, q1->way)) + t->size * (1 - against_each);
      most = fmax(most, against_each);
      if (!(off < least)) continue;
      least = off;
      s[0] = i * t->step[0];
      s[1] = j * t->step[1];
    }
  return most > hn_cos(fmin(t->turn, 1.5));
}

// 1: it has come to an end, and within both pieces.
static int iterate(const hn_outline *a, int fa, const hn_outline *b, int fb, double s[2],
                   hn_facing *out) {
  double size = HUGE_VAL;
  for (int k = 0; k < 40 && !(size < 1e-14); k++) {
    double now = newton_step(a, fa, b, fb, s, out);
    if (!(now < HUGE_VAL)) return 0;
    if (k > 8 && now < 1e-10 && !(now < 0.5 * size)) break; // rounding
    size = now;
  }
  if (!(size < 1e-9)) return 0;
  for (int k = 0; k < 2; k++) {
    double length = hn_piece_length(k ? piece_of(b, fb) : piece_of(a, fa));
    if (s[k] < -MARGIN * length || s[k] > (1 + MARGIN) * length) return 0;
  }
  newton_step(a, fa, b, fb, s, out);
  return vec2_dot(out->first.normal, out->second.normal) < 0 &&
         out->first.curvature + out->second.curvature > 0;
}

static int round_and_round(const hn_outline *a, int fa, const hn_outline *b, int fb,
                           hn_facing *out) {
  samples t = take_samples(a, fa, b, fb);
  for (int k = 0; k < 2; k++) {
    double s[2] = {0, 0};
    int may_face = best_start(&t, k, s);
    out->first = t.q[0][0];
    out->second = t.q[1][0];
    if (!may_face) return 0;
    if (iterate(a, fa, b, fb, s, out)) return 1;
  }
  return 0;
}

// Whether a number is that of a feature: not beyond the last piece, and not a corner between smooth
// pieces.
static int is_there(const hn_outline *o, int feature) {
  return feature / 2 < o->curve->count && (feature % 2 == 0 || piece_of(o, feature)->has_corner);
}

static int solve(const hn_outline *a, int fa, const hn_outline *b, int fb, hn_facing *out) {
  if (!is_there(a, fa) || !is_there(b, fb)) return 0;
  const hn_curve_piece *p1 = piece_of(a, fa), *p2 = piece_of(b, fb);
  if (fa % 2 && fb % 2) return both_corners(a, fa, b, fb, out);
  if (fa % 2) return corner_and_piece(a, fa, b, fb, &out->first, &out->second);
  if (fb % 2) return corner_and_piece(b, fb, a, fa, &out->second, &out->first);
  if (p1->kind == HN_PIECE_LINE) return line_and_piece(a, fa, b, fb, &out->first, &out->second);
  if (p2->kind == HN_PIECE_LINE) return line_and_piece(b, fb, a, fa, &out->second, &out->first);
  if (p1->kind == HN_PIECE_ARC && p2->kind == HN_PIECE_ARC)
    return p2->turn > 0 ? arc_and_arc(a, fa, b, fb, &out->first, &out->second)
                        : arc_and_arc(b, fb, a, fa, &out->second, &out->first);
  return round_and_round(a, fa, b, fb, out);
}

// ---- which count ----------------------------------------------------------------------------------

// A distance that is not less than the least between them: from corner to corner, three times over.
static double some_distance(const hn_outline *a, const hn_outline *b) {
  hn_vec2 x = b->at;
  double least = HUGE_VAL;
  for (int pass = 0; pass < 3; pass++) {
    const hn_outline *o = pass % 2 ? b : a;
    hn_vec2 best = x;
    least = HUGE_VAL;
    for (int k = 0; k < o->curve->count; k++) {
      hn_vec2 y = out_of(o, o->curve->pieces[k].from);
      if (!(far(x, y) < least)) continue;
      least = far(x, y);
      best = y;
    }
    x = best;
  }
  return least;
}

// Overlap is real if each place lies within the other planar profile; at a corner, if that lies
// within the other profile without a nearer place.
static int is_real(const hn_outline *a, const hn_outline *b, const hn_facing *f, double size) {
  if (f->gap > -ROUNDING * size) return 1;
  double second = hn_curve_outside(a->curve, into(a, f->second.at));
  if (b->radius > 0) return second <= 0;
  double first = hn_curve_outside(b->curve, into(b, f->first.at)), depth = f->gap * (1 - 1e-6);
  if (f->first.is_corner && first <= depth) return 1;
  if (f->second.is_corner && second <= depth) return 1;
  return first <= 0 && second <= 0;
}

// Sorted by gap; the same place again (at the joint of two pieces) counts once.
static int insert(hn_facing *list, int count, int room, hn_facing f, double apart) {
  for (int k = 0; k < count; k++)
    if (far(list[k].first.at, f.first.at) < apart && far(list[k].second.at, f.second.at) < apart)
      return count;
  if (count == room && !(f.gap < list[room - 1].gap)) return count;
  int k = count < room ? count++ : room - 1;
  for (; k > 0 && list[k - 1].gap > f.gap; k--) list[k] = list[k - 1];
  list[k] = f;
  return count;
}

// ---- planar profiles that cross -------------------------------------------------------------------

// A part of a piece's polygon, four parts of what is round.
typedef struct chord {
  hn_vec2 from, to;
} chord;

static int chord_count(const hn_outline *o, int piece) {
  return o->curve->pieces[piece].kind == HN_PIECE_LINE ? 1 : 4;
}

static chord chord_of(const hn_outline *o, int piece, int k) {
  const hn_curve_piece *p = &o->curve->pieces[piece];
  double part = hn_piece_length(p) / chord_count(o, piece), speed;
  return (chord){out_of(o, hn_piece_at(p, k * part, &speed).at),
                 out_of(o, hn_piece_at(p, (k + 1) * part, &speed).at)};
}

static int chords_cross(chord a, chord b) {
  hn_vec2 e1 = vec2_sub(a.to, a.from), e2 = vec2_sub(b.to, b.from);
  return vec2_cross(e1, vec2_sub(b.from, a.from)) * vec2_cross(e1, vec2_sub(b.to, a.from)) < 0 &&
         vec2_cross(e2, vec2_sub(a.from, b.from)) * vec2_cross(e2, vec2_sub(a.to, b.from)) < 0;
}

// The end of a chord of b that lies deeper behind a piece of a: a point that goes with b.
static hn_facing deeper_end(const hn_outline *a, int i, chord c, int j) {
  hn_facing f = {.gap = HUGE_VAL};
  for (int k = 0; k < 2; k++) {
    int within;
    hn_vec2 x = k ? c.to : c.from;
    hn_curve_point q = nearest(a, 2 * i, x, &within);
    double gap = vec2_dot(vec2_sub(x, q.at), q.normal);
    if (!(gap < f.gap)) continue;
    f = (hn_facing){.first = q, .feature = {2 * i, 2 * j}, .gap = gap, .is_crossing = 1};
    f.second = (hn_curve_point){x, vec2_negate(q.normal), vec2_negate(q.way), 0, 1};
  }
  return f;
}

// Deep overlap may have no places that face each other: what crosses is moved out the shorter way.
static void look_for_crossing(const hn_outline *a, int i, const hn_outline *b, int j,
                              hn_facing *deepest) {
  for (int k = 0; k < chord_count(a, i) * chord_count(b, j); k++) {
    chord first = chord_of(a, i, k / chord_count(b, j)),
          second = chord_of(b, j, k % chord_count(b, j));
    if (!chords_cross(first, second)) continue;
    hn_facing f = deeper_end(a, i, second, j), back = deeper_end(b, j, first, i);
    hn_facing other = {back.second, back.first, {2 * i, 2 * j}, back.gap, 1};
    // chords of what is round cross a little before it does
    int is_exact = chord_count(a, i) * chord_count(b, j) == 1;
    if (!is_exact && !(hn_curve_outside(a->curve, into(a, f.second.at)) < 0)) f.gap = 1;
    if (!is_exact && !(hn_curve_outside(b->curve, into(b, other.first.at)) < 0)) other.gap = 1;
    if (other.gap < 0 && (other.gap > f.gap || !(f.gap < 0))) f = other;
    if (f.gap < deepest->gap) *deepest = f;
  }
}

// ---- all of them ----------------------------------------------------------------------------------

hn_facing_found hn_facing_of(const hn_outline *a, const hn_outline *b, int feature1, int feature2,
                             hn_facing *out) {
  *out = (hn_facing){.feature = {feature1, feature2}};
  if (!is_there(a, feature1) || !is_there(b, feature2)) return HN_FACING_NONE;
  int is_within = solve(a, feature1, b, feature2, out);
  out->gap = vec2_dot(vec2_sub(out->second.at, out->first.at), out->first.normal);
  return is_within && is_real(a, b, out, fmin(a->bound, b->bound)) ? HN_FACING_WITHIN
                                                                   : HN_FACING_BEYOND;
}

static int add_pieces(const hn_outline *a, int i, const hn_outline *b, int j, hn_facing *list,
                      int count, int room, double size) {
  for (int k = 0; k < 4; k++) {
    hn_facing f = {.feature = {2 * i + k / 2, 2 * j + k % 2}};
    if (!solve(a, f.feature[0], b, f.feature[1], &f)) continue;
    f.gap = vec2_dot(vec2_sub(f.second.at, f.first.at), f.first.normal);
    if (is_real(a, b, &f, size)) count = insert(list, count, room, f, SAME * size);
  }
  return count;
}

int hn_facing_find(const hn_outline *a, const hn_outline *b, hn_facing *list, int room) {
  int count = 0;
  double size = fmin(a->bound, b->bound);
  double least = NEAR * size + b->radius, reach = fmax(some_distance(a, b), least) * (1 + 1e-9);
  hn_facing crossed = {.gap = 0};
  for (int i = 0; i < a->curve->count; i++) {
    const hn_curve_piece *p = &a->curve->pieces[i];
    hn_vec2 x = into(b, out_of(a, p->middle)); // in the axes of b, where its pieces stand
    double most = p->reach + b->bound + reach;
    if (vec2_dot(x, x) > most * most) continue;
    for (int j = 0; j < b->curve->count; j++) {
      const hn_curve_piece *q = &b->curve->pieces[j];
      hn_vec2 way = vec2_sub(x, q->middle);
      most = p->reach + q->reach + reach;
      if (vec2_dot(way, way) > most * most) continue;
      count = add_pieces(a, i, b, j, list, count, room, size);
      if (count > 0) reach = fmin(reach, fmax(list[0].gap, least));
      if (count == 0 || list[0].gap > ROUNDING * size) look_for_crossing(a, i, b, j, &crossed);
    }
  }
  if (crossed.gap < -ROUNDING * size && !(count > 0 && list[0].gap < ROUNDING * size))
    count = insert(list, count, room, crossed, 0);
  return count;
}
