// Signals of contacts: of each rule as a whole, and of each pair of shapes where a rule has several.
//
// Gap, place, normal and slip are those of the nearest point; forces are sums.
#include <math.h>

#include "contact/contact.h"
#include "contact/geometry.h"
#include "signals/signals_table.h"

const hn_quantity hn_contact_quantities[HN_CONTACT_QUANTITIES] = {
    {".gap", "m"},      {".gap_rate", "m/s"}, {".slip", "m/s"},   {".force", "N"},
    {".friction", "N"}, {".point.x", "m"},    {".point.y", "m"},  {".point.z", "m"},
    {".normal.x", "1"}, {".normal.y", "1"},   {".normal.z", "1"},
};

hn_status hn_signals_list_contacts(hn_signals *s) {
  const hn_contacts *c = s->elements->contacts;
  s->contact_count = s->rule_count = 0;
  if (!c || !c->pairs_listed || c->pair_count > HN_CONTACT_NAMED) return HN_OK;
  int rules = s->model->contact_count;
  s->contacts = HN_TAKE(s->arena, hn_signal_contact, rules + c->pair_count);
  if (!s->contacts) return HN_ERROR_MEMORY;
  s->rule_count = rules;
  for (int r = 0; r < rules; r++)
    s->contacts[s->contact_count++] =
        (hn_signal_contact){r, 0, c->rule_first[r], c->rule_first[r + 1]};
  for (int r = 0; r < rules; r++)
    for (int k = c->rule_first[r];
         c->rule_first[r + 1] - c->rule_first[r] > 1 && k < c->rule_first[r + 1]; k++)
      s->contacts[s->contact_count++] = (hn_signal_contact){r, k - c->rule_first[r] + 1, k, k + 1};
  return HN_OK;
}

// The force that makes this pair push: of laws; -1: rigid.
static int force_of(const hn_elements *elements, int pair) {
  for (int f = 0; f < elements->model->force_count; f++)
    if (elements->force_pair[f] == pair) return f;
  return -1;
}

static double rigid_force(const hn_snapshot *snapshot, int pair, hn_vec3 *whole) {
  double normal = 0;
  for (int k = 0; snapshot->touch && k < HN_CONTACT_POINTS; k++) {
    const hn_touch *touch = &snapshot->touch[pair * HN_CONTACT_POINTS + k];
    normal += touch->normal;
    *whole = vec3_add(*whole, touch->force);
  }
  return normal;
}

// The normal force of a pair, and its whole force on body 2.
static double force_of_pair(const hn_signals *s, const hn_signal_source *source, int pair,
                            hn_vec3 *whole) {
  int force = force_of(s->elements, pair);
  *whole = vec3_zero();
  if (force < 0) return rigid_force(source->snapshot, pair, whole);
  const hn_force_value *value = &source->snapshot->forces[force];
  *whole = value->direction;
  return value->value;
}

// values[0]: the smallest gap so far; pairs that are further apart, or than `reach`, are skipped.
static void see_nearest(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames,
                        double reach, double *values) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(c, pair, frames, fmin(reach, values[0]));
  int count = hn_contact_points(c, pair, mode, frames, HN_CONTACT_PLACES, points);
  for (int k = 0; k < count; k++) {
    const hn_contact_point *p = &points[k];
    if (!p->is_inside || !(p->gap < values[0])) continue;
    const hn_frame *b1 = &frames[pair->body[0]], *b2 = &frames[pair->body[1]];
    hn_vec3 v1 = vec3_add(b1->v, vec3_cross(b1->w, vec3_sub(p->point, b1->r)));
    hn_vec3 v2 = vec3_add(b2->v, vec3_cross(b2->w, vec3_sub(p->point, b2->r)));
    hn_vec3 u = vec3_sub(v2, v1);
    values[0] = p->gap;
    values[1] = vec3_dot(p->normal, u);
    values[2] = vec3_norm(vec3_add_scaled(u, -values[1], p->normal));
    vec3_store(&values[5], p->point);
    vec3_store(&values[8], p->normal);
  }
}

// Of several pairs the one whose shapes are nearest by their middles: its gap bounds that of all. Or -1.
static int likely_nearest(const hn_contacts *c, const hn_signal_contact *at,
                          const hn_frame *frames) {
  double least = HUGE_VAL;
  int best = -1;
  for (int k = at->first; k < at->end && at->end - at->first > 1; k++) {
    const hn_contact_pair *pair = &c->pairs[k];
    const hn_placed a = hn_place(&c->shapes[pair->shape[0]], &frames[pair->body[0]]),
                    b = hn_place(&c->shapes[pair->shape[1]], &frames[pair->body[1]]);
    const double far = vec3_norm(vec3_sub(b.at, a.at)) - a.shape->bound - b.shape->bound;
    if (!(far > -HUGE_VAL && far < least)) continue;
    least = far;
    best = k;
  }
  return best;
}

// Values written by see_nearest, copied if their gap is smaller.
static void take_nearer(const double *from, double *values) {
  if (!(from[0] < values[0])) return;
  for (int k = 0; k < HN_CONTACT_QUANTITIES; k++)
    if (k < 3 || k > 4) values[k] = from[k];
}

void hn_signal_contact_values(const hn_signals *s, const hn_signal_source *source, int contact,
                              double values[HN_CONTACT_QUANTITIES]) {
  const hn_contacts *c = s->elements->contacts;
  const hn_signal_contact *at = &s->contacts[contact];
  for (int k = 0; k < HN_CONTACT_QUANTITIES; k++) values[k] = 0;
  values[0] = HUGE_VAL;
  const hn_frame *frames = source->snapshot->frames;
  const int first = likely_nearest(c, at, frames);
  double near[HN_CONTACT_QUANTITIES] = {HUGE_VAL};
  if (first >= 0) see_nearest(c, &c->pairs[first], frames, HUGE_VAL, near);
  for (int k = at->first; k < at->end; k++) {
    hn_vec3 whole;
    if (k == first)
      take_nearer(near, values);
    else
      see_nearest(c, &c->pairs[k], frames, near[0], values);
    double normal = force_of_pair(s, source, k, &whole);
    values[3] += normal;
    values[4] += sqrt(fmax(0, vec3_dot(whole, whole) - normal * normal));
  }
  if (!(values[0] < HUGE_VAL)) values[0] = NAN; // no point faces the other shape
}
