// Faces that closed contact points leave within an attempted step (simulation_contacts.h): the surface
// of a shape has pieces, and a point holds as long as it stays on those that face each other.
//
// The pieces are compared at some looks. Between two looks a point may leave its face and return: it is
// furthest where its velocity along a surface changes its sign, which is located on the dense output.
#include <float.h>
#include <math.h>

#include "analysis/simulation_contacts.h"
#include "equations/conditions.h"

enum { LOOKS = 4, BISECTIONS = 150, TURN_BISECTIONS = 24 };

#define STILL 1e-9 // m/s: slower points are where they were at a look
#define SAME 1e-7  // of normals, and of gaps in m: less is the same point
#define DEEP 1e-9  // m: what has come so far through a face that is not watched

static int is_same(const hn_contact_point *a, const hn_contact_point *b) {
  return fabs(a->gap - b->gap) < SAME && vec3_norm(vec3_sub(a->normal, b->normal)) < SAME;
}

static int find_same(const hn_contact_point *list, int count, const hn_contact_point *point) {
  for (int k = 0; k < count; k++)
    if (list[k].is_inside && is_same(&list[k], point)) return 1;
  return 0;
}

// 1: the faces of a closed pair do not hold any more. A closed point is not among those that face
// each other now, or something has come through a face that is not watched.
static int faces_changed(hn_simulation *s, int p, const hn_frame *frames) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  const struct hn_grips *g = s->branches.grips;
  const hn_contact_pair *pair = &self->contacts->pairs[p];
  const int mode = hn_contact_mode(self->contacts, pair, frames, DBL_MAX);
  if (mode == g->mode[p]) return 0;
  hn_contact_point seen[HN_CONTACT_POINTS], there[HN_CONTACT_POINTS];
  int number[HN_CONTACT_POINTS];
  const int count =
      hn_contact_points(self->contacts, pair, g->mode[p], frames, HN_CONTACT_PLACES, seen);
  const int now = hn_contact_points(self->contacts, pair, mode, frames, HN_CONTACT_PLACES, there);
  hn_rigid_number(self, g, p, seen, count, number);
  for (int i = 0; i < count; i++)
    if (number[i] >= 0 && g->grip[number[i]] != HN_GRIP_OPEN && !find_same(there, now, &seen[i]))
      return 1;
  for (int i = 0; i < now; i++)
    if (there[i].is_inside && there[i].gap < -DEEP && !find_same(seen, count, &there[i])) return 1;
  return 0;
}

// Velocities of the closed points of a pair along the surfaces of both bodies, in two tangents each;
// 0: not closed. The distance of a point to an end of its face is extreme where they change their sign.
typedef struct face_rates {
  double rate[4 * HN_CONTACT_POINTS];
} face_rates;

static face_rates rates_on_faces(hn_simulation *s, int p, const hn_frame *frames) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  const struct hn_grips *g = s->branches.grips;
  const hn_contact_pair *pair = &self->contacts->pairs[p];
  hn_contact_point points[HN_CONTACT_POINTS];
  int number[HN_CONTACT_POINTS];
  face_rates out = {{0}};
  const int count =
      hn_contact_points(self->contacts, pair, g->mode[p], frames, HN_CONTACT_RATES, points);
  hn_rigid_number(self, g, p, points, count, number);
  for (int i = 0; i < count; i++) {
    if (number[i] < 0 || g->grip[number[i]] == HN_GRIP_OPEN) continue;
    double *rate = &out.rate[4 * (number[i] - p * HN_CONTACT_POINTS)];
    hn_vec3 tangent[2];
    hn_contact_tangents(points[i].normal, tangent);
    for (int side = 0; side < 2; side++) {
      const hn_frame *f = &frames[pair->body[side]];
      const hn_vec3 v = vec3_add(f->v, vec3_cross(f->w, vec3_sub(points[i].point, f->r)));
      const hn_vec3 along = vec3_sub(points[i].point_rate, v);
      for (int k = 0; k < 2; k++) rate[2 * side + k] = vec3_dot(along, tangent[k]);
    }
  }
  return out;
}

// Where one of them changes its sign.
static double find_turn(hn_simulation *s, int p, int which, double low, double high,
                        double at_high) {
  for (int k = 0; k < TURN_BISECTIONS; k++) {
    const double theta = 0.5 * (low + high);
    const double rate = rates_on_faces(s, p, hn_contact_frames_at(s, theta)).rate[which];
    if (rate * at_high > 0)
      high = theta;
    else
      low = theta;
  }
  return high;
}

// A moment between two samples when a closed point turns back on another face; 2: none.
static double find_excursion(hn_simulation *s, int p, double low, double high,
                             const face_rates *at_low, const face_rates *at_high) {
  for (int k = 0; k < 4 * HN_CONTACT_POINTS; k++) {
    const double from = at_low->rate[k], to = at_high->rate[k];
    if (!(from * to < 0) || !(fabs(from) > STILL) || !(fabs(to) > STILL)) continue;
    const double turn = find_turn(s, p, k, low, high, to);
    if (faces_changed(s, p, hn_contact_frames_at(s, turn))) return turn;
  }
  return 2;
}

// The first samples before `end` between which the faces of a closed pair change; *high: 2 if none do.
// Every second sample compares velocities, too: points turn back rarely within a step.
static void look_for_faces(hn_simulation *s, int p, double end, double *low, double *high) {
  face_rates before = rates_on_faces(s, p, hn_contact_frames_at(s, 0));
  double begin = 0;
  *low = 0;
  *high = 2;
  for (int k = 1; k <= LOOKS && *high > 1; k++) {
    const double theta = k * end / LOOKS;
    const hn_frame *frames = hn_contact_frames_at(s, theta);
    if (faces_changed(s, p, frames)) {
      *high = theta;
      return;
    }
    if (k % 2 == 0) {
      const face_rates now = rates_on_faces(s, p, frames);
      *high = find_excursion(s, p, begin, theta, &before, &now);
      before = now;
      if (*high <= 1) *low = begin;
      begin = theta;
    }
    if (*high > 1) *low = theta;
  }
}

// The first moment before `limit` at which the faces of a closed pair change; 2: none.
double hn_find_faces(hn_simulation *s, double limit, int *point) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  double first = 2;
  for (int p = 0; p < self->contacts->pair_count; p++) {
    if (!self->rule[p] || hn_contact_pair_is_open(s->branches.grips, p)) continue;
    if (hn_contact_modes(self->contacts, &self->contacts->pairs[p]) < 2) continue;
    double low, high;
    look_for_faces(s, p, fmin(fmin(limit, first), 1), &low, &high);
    for (int k = 0; high <= 1 && k < BISECTIONS && high - low > hn_contact_resolution(s); k++) {
      const double theta = 0.5 * (low + high);
      if (faces_changed(s, p, hn_contact_frames_at(s, theta)))
        high = theta;
      else
        low = theta;
    }
    if (!(high < first)) continue;
    first = high;
    *point = p * HN_CONTACT_POINTS;
  }
  return first;
}
