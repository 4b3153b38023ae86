// Measures in natural coordinates: see natural/forms.h.
#include "equations/natural/forms.h"

#include <string.h>

#include "math/elementary.h"

// ---- set-up -------------------------------------------------------------------------------------

// Sums of this part of their largest term are rounding: a point that two bodies share cancels.
#define ROUNDING 1e-14

// The place of a node in the form that is being filled.
static int place_of(hn_natural_forms *forms, hn_natural_form *form, int node) {
  for (int k = 0; k < form->count; k++)
    if (forms->node[form->start + k] == node) return form->start + k;
  int at = form->start + form->count++;
  forms->node[at] = node;
  memset(forms->coefficient[at], 0, sizeof forms->coefficient[at]);
  return at;
}

static void add_term(hn_natural_forms *forms, hn_natural_form *form, const hn_natural_nodes *nodes,
                     const hn_measure *measure, int difference, const hn_term *term) {
  if (term->slot < 0) return;
  const hn_natural_body *body = &nodes->bodies[measure->body[term->slot]];
  const double weight[4] = {term->sign * term->w, term->sign * term->s.x, term->sign * term->s.y,
                            term->sign * term->s.z};
  hn_vec3 *constant = &form->constant[difference];
  for (int i = 0; i < 4; i++) *constant = vec3_add_scaled(*constant, weight[i], body->constant[i]);
  for (int k = body->start; k < body->start + body->count; k++) {
    double c = 0;
    for (int i = 0; i < 4; i++) c += weight[i] * nodes->terms[k].c[i];
    forms->coefficient[place_of(forms, form, nodes->terms[k].node)][difference] += c;
  }
}

// The largest product that add_term sums up in a difference, of coefficients or of constants.
static double largest_term(const hn_natural_nodes *nodes, const hn_measure *measure,
                           const hn_difference *difference, int of_constants) {
  double most = 0;
  for (int t = 0; t < 2; t++) {
    const hn_term *term = &difference->term[t];
    if (term->slot < 0) continue;
    const hn_natural_body *body = &nodes->bodies[measure->body[term->slot]];
    const double weight[4] = {term->w, term->s.x, term->s.y, term->s.z};
    for (int i = 0; i < 4; i++) {
      if (of_constants) most = fmax(most, fabs(weight[i]) * vec3_norm(body->constant[i]));
      for (int k = body->start; !of_constants && k < body->start + body->count; k++)
        most = fmax(most, fabs(weight[i] * nodes->terms[k].c[i]));
    }
  }
  return most;
}

// Sets coefficients at rounding level to 0, and drops nodes without coefficients.
static void clean(hn_natural_forms *forms, hn_natural_form *form, const hn_natural_nodes *nodes,
                  const hn_measure *measure, int differences) {
  int count = 0;
  for (int d = 0; d < differences; d++) {
    double least = ROUNDING * largest_term(nodes, measure, &measure->x[d], 0);
    for (int k = form->start; k < form->start + form->count; k++)
      if (fabs(forms->coefficient[k][d]) <= least) forms->coefficient[k][d] = 0;
    if (vec3_norm(form->constant[d]) <= ROUNDING * largest_term(nodes, measure, &measure->x[d], 1))
      form->constant[d] = vec3_zero();
  }
  for (int k = form->start; k < form->start + form->count; k++) {
    const double *c = forms->coefficient[k];
    if (c[0] == 0 && c[1] == 0 && c[2] == 0) continue;
    forms->node[form->start + count] = forms->node[k];
    memmove(forms->coefficient[form->start + count++], c, sizeof forms->coefficient[k]);
  }
  form->count = count;
}

static void make_measure(hn_natural_forms *forms, const hn_natural_nodes *nodes, int m, int *next) {
  const hn_measure *measure = &forms->elements->measures[m];
  hn_natural_form *form = &forms->forms[m];
  int differences = measure->kind == HN_MEASURE_DOT      ? 2
                    : measure->kind == HN_MEASURE_LENGTH ? 1
                                                         : 3;
  *form = (hn_natural_form){
      .kind = measure->kind, .measure = m, .differences = differences, .start = *next};
  for (int d = 0; d < differences; d++)
    for (int k = 0; k < 2; k++) add_term(forms, form, nodes, measure, d, &measure->x[d].term[k]);
  clean(forms, form, nodes, measure, differences);
  *next += form->count;
}

int hn_natural_is_zero(const hn_natural_forms *forms, int number) {
  const hn_natural_form *form = &forms->forms[number];
  for (int d = 0; form->kind == HN_MEASURE_DOT && d < 2; d++) {
    int is_there = vec3_norm(form->constant[d]) > 0;
    for (int k = form->start; k < form->start + form->count; k++)
      is_there |= forms->coefficient[k][d] != 0;
    if (!is_there) return 1;
  }
  return 0;
}

static void make_gram(hn_natural_forms *forms, const hn_natural_nodes *nodes, int g, int *next) {
  hn_natural_form *form = &forms->forms[forms->measure_forms + g];
  *form =
      (hn_natural_form){.kind = HN_MEASURE_DOT, .measure = -1, .differences = 2, .start = *next};
  for (int d = 0; d < 2; d++) {
    const hn_natural_sum *sum = &nodes->sums[nodes->grams[g].edge[d]];
    form->constant[d] = sum->constant;
    for (int k = sum->start; k < sum->start + sum->count; k++)
      forms->coefficient[place_of(forms, form, nodes->sum_node[k])][d] += nodes->sum_coefficient[k];
  }
  *next += form->count;
}

// a_i . a_j of a body
static void make_axes(hn_natural_forms *forms, const hn_natural_nodes *nodes, int body, int first,
                      int *next) {
  const hn_natural_body *from = &nodes->bodies[body];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      hn_natural_form *form = &forms->forms[first++];
      *form = (hn_natural_form){
          .kind = HN_MEASURE_DOT, .measure = -1, .differences = 2, .start = *next};
      form->constant[0] = from->constant[1 + i];
      form->constant[1] = from->constant[1 + j];
      for (int k = from->start; k < from->start + from->count; k++) {
        double *c = forms->coefficient[place_of(forms, form, nodes->terms[k].node)];
        c[0] += nodes->terms[k].c[1 + i];
        c[1] += nodes->terms[k].c[1 + j];
      }
      *next += form->count;
    }
}

// Nodes of a form in ascending order, as rows of matrices want them.
static void sort_nodes(hn_natural_forms *forms, const hn_natural_form *form) {
  for (int k = form->start + 1; k < form->start + form->count; k++)
    for (int i = k; i > form->start && forms->node[i] < forms->node[i - 1]; i--) {
      int node = forms->node[i];
      double c[3];
      memcpy(c, forms->coefficient[i], sizeof c);
      forms->node[i] = forms->node[i - 1];
      memcpy(forms->coefficient[i], forms->coefficient[i - 1], sizeof c);
      forms->node[i - 1] = node;
      memcpy(forms->coefficient[i - 1], c, sizeof c);
    }
}

// At most so many nodes all forms have together.
static int count_room(const hn_elements *elements, const hn_natural_nodes *nodes, const int *bodies,
                      int count) {
  int room = 0;
  for (int b = 0; b < count; b++) room += 6 * nodes->bodies[bodies[b]].count;
  for (int m = 0; m < elements->measure_count; m++)
    for (int slot = 0; slot < 2; slot++)
      room += nodes->bodies[elements->measures[m].body[slot]].count;
  for (int g = 0; g < nodes->gram_count; g++)
    for (int d = 0; d < 2; d++) room += nodes->sums[nodes->grams[g].edge[d]].count;
  return room;
}

hn_status hn_natural_forms_create(hn_arena *arena, const hn_elements *elements,
                                  const hn_natural_nodes *nodes, const int *bodies, int count,
                                  hn_natural_forms **forms) {
  hn_natural_forms *self = HN_TAKE(arena, hn_natural_forms, 1);
  if (!self) return HN_ERROR_MEMORY;
  int room = count_room(elements, nodes, bodies, count);
  self->elements = elements;
  self->measure_forms = elements->measure_count;
  self->gram_forms = nodes->gram_count;
  self->form_count = self->measure_forms + self->gram_forms + 6 * count;
  self->forms = HN_TAKE(arena, hn_natural_form, self->form_count);
  self->node = HN_TAKE(arena, int, room);
  self->coefficient = hn_arena_take(arena, (size_t)room, sizeof *self->coefficient);
  if (arena->failed) return HN_ERROR_MEMORY;
  int next = 0;
  for (int m = 0; m < self->measure_forms; m++) make_measure(self, nodes, m, &next);
  for (int g = 0; g < nodes->gram_count; g++) make_gram(self, nodes, g, &next);
  for (int b = 0; b < count; b++)
    make_axes(self, nodes, bodies[b], self->measure_forms + self->gram_forms + 6 * b, &next);
  for (int k = 0; k < self->form_count; k++) {
    sort_nodes(self, &self->forms[k]);
    if (self->forms[k].count > self->most_nodes) self->most_nodes = self->forms[k].count;
  }
  *forms = self;
  return HN_OK;
}

hn_status hn_natural_jet_create(hn_arena *arena, const hn_natural_forms *forms,
                                hn_natural_jet *jet) {
  hn_vec3 **gradients[] = {&jet->gradient, &jet->rate_q, &jet->second_q, &jet->spread};
  for (int k = 0; k < 4; k++) *gradients[k] = HN_KEEP(arena, hn_vec3, forms->most_nodes);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- dots ---------------------------------------------------------------------------------------

// The differences along a motion.
typedef struct motion {
  hn_vec3 x[3], xd[3], xdd[3];
} motion;

static motion move(const hn_natural_forms *forms, const hn_natural_form *form, const double *q,
                   const double *qd, const double *qdd) {
  motion m;
  for (int d = 0; d < form->differences; d++) {
    m.x[d] = form->constant[d];
    m.xd[d] = m.xdd[d] = vec3_zero();
  }
  for (int k = form->start; k < form->start + form->count; k++) {
    int at = 3 * forms->node[k];
    hn_vec3 x = vec3_load(&q[at]), v = vec3_load(&qd[at]);
    for (int d = 0; d < form->differences; d++) {
      double c = forms->coefficient[k][d];
      m.x[d] = vec3_add_scaled(m.x[d], c, x);
      m.xd[d] = vec3_add_scaled(m.xd[d], c, v);
      if (qdd) m.xdd[d] = vec3_add_scaled(m.xdd[d], c, vec3_load(&qdd[at]));
    }
  }
  return m;
}

// y = X_i . X_j with its rates; yvv at qdd = 0.
typedef struct dot {
  int i, j;
  double y, yd, yvv, ydd;
} dot;

static dot dot_of(const motion *m, int i, int j) {
  double velocity = 2 * vec3_dot(m->xd[i], m->xd[j]);
  return (dot){i,
               j,
               vec3_dot(m->x[i], m->x[j]),
               vec3_dot(m->xd[i], m->x[j]) + vec3_dot(m->x[i], m->xd[j]),
               velocity,
               vec3_dot(m->xdd[i], m->x[j]) + velocity + vec3_dot(m->x[i], m->xdd[j])};
}

// The gradient of y, or of its rates, at one node: x is X, Xd or Xdd.
static hn_vec3 slope(const double *c, const dot *d, const hn_vec3 *x) {
  return vec3_add_scaled(vec3_scale(c[d->i], x[d->j]), c[d->j], x[d->i]);
}

// ---- forms --------------------------------------------------------------------------------------

static void dot_form(const hn_natural_forms *forms, const hn_natural_form *form, const motion *m,
                     int is_full, hn_natural_jet *jet) {
  dot y = dot_of(m, 0, 1);
  jet->value = y.y;
  jet->rate = y.yd;
  jet->quadratic = y.yvv;
  for (int k = 0; k < form->count; k++) {
    const double *c = forms->coefficient[form->start + k];
    jet->gradient[k] = slope(c, &y, m->x);
    if (!is_full) continue;
    jet->rate_q[k] = slope(c, &y, m->xd);
    jet->second_q[k] = slope(c, &y, m->xdd);
  }
}

// Where both points coincide there is no direction: all derivatives are taken as zero.
static void length_form(const hn_natural_forms *forms, const hn_natural_form *form, const motion *m,
                        int is_full, hn_natural_jet *jet) {
  dot y = dot_of(m, 0, 0);
  double length = sqrt(y.y), inverse = length > HN_LENGTH_ZERO ? 1 / length : 0;
  double rate = 0.5 * y.yd * inverse, second = (0.5 * y.ydd - rate * rate) * inverse;
  jet->value = length;
  jet->rate = rate;
  jet->quadratic = (0.5 * y.yvv - rate * rate) * inverse;
  jet->inverse = inverse;
  for (int k = 0; k < form->count; k++) {
    const double *c = forms->coefficient[form->start + k];
    hn_vec3 l_q = jet->gradient[k] = vec3_scale(0.5 * inverse, slope(c, &y, m->x));
    if (!is_full) continue;
    hn_vec3 rate_q = vec3_scale(0.5, slope(c, &y, m->xd));
    rate_q = jet->rate_q[k] = vec3_scale(inverse, vec3_add_scaled(rate_q, -rate, l_q));
    hn_vec3 second_q = vec3_scale(0.5, slope(c, &y, m->xdd));
    second_q = vec3_add_scaled(second_q, -second, l_q);
    jet->second_q[k] = vec3_scale(inverse, vec3_add_scaled(second_q, -2 * rate, rate_q));
  }
}

// log(C + i S) = ln|.| + i angle, differentiated: u = z_k / z at each node and component.
static void angle_form(const hn_natural_forms *forms, const hn_natural_form *form, const motion *m,
                       const double *turns, int is_full, hn_natural_jet *jet) {
  dot s = dot_of(m, 1, 2), c = dot_of(m, 0, 2);
  double rho = s.y * s.y + c.y * c.y, re = c.y / rho, im = -s.y / rho; // 1 / z
  double l_re = c.yd * re - s.yd * im, l_im = c.yd * im + s.yd * re;
  double bend_re = c.ydd * re - s.ydd * im - 2 * (l_re * l_re - l_im * l_im);
  double bend_im = c.ydd * im + s.ydd * re - 4 * l_re * l_im;
  double near = turns[forms->elements->measures[form->measure].turn];
  double angle = hn_atan2(s.y, c.y);
  jet->value = angle + 2 * HN_PI * round((near - angle) / (2 * HN_PI));
  jet->rate = l_im;
  jet->quadratic = c.yvv * im + s.yvv * re - 2 * l_re * l_im;
  jet->f[0] = re;
  jet->f[1] = im;
  for (int k = 0; k < form->count; k++) {
    const double *w = forms->coefficient[form->start + k];
    hn_vec3 s0 = slope(w, &s, m->x), c0 = slope(w, &c, m->x);
    hn_vec3 u0_re = vec3_add_scaled(vec3_scale(re, c0), -im, s0);
    hn_vec3 u0_im = jet->gradient[k] = vec3_add_scaled(vec3_scale(im, c0), re, s0);
    if (!is_full) continue;
    hn_vec3 s1 = slope(w, &s, m->xd), c1 = slope(w, &c, m->xd);
    hn_vec3 u1_re = vec3_add_scaled(vec3_scale(re, c1), -im, s1);
    hn_vec3 u1_im = vec3_add_scaled(vec3_scale(im, c1), re, s1);
    hn_vec3 u2_im = vec3_add_scaled(vec3_scale(im, slope(w, &c, m->xdd)), re, slope(w, &s, m->xdd));
    jet->spread[k] = u0_re;
    // (zd / z)_q = u1 - l u0
    jet->rate_q[k] = vec3_add_scaled(vec3_add_scaled(u1_im, -l_re, u0_im), -l_im, u0_re);
    // (zdd / z - (zd / z)^2)_q = u2 - 2 l u1 - (zdd / z - 2 l^2) u0
    hn_vec3 q = vec3_add_scaled(vec3_add_scaled(u2_im, -2 * l_re, u1_im), -2 * l_im, u1_re);
    jet->second_q[k] = vec3_add_scaled(vec3_add_scaled(q, -bend_re, u0_im), -bend_im, u0_re);
  }
}

// From a form to its curve. Gradients are of the form itself until the Hessian is made:
// hn_natural_scale ends it.
static void bend(const hn_natural_forms *forms, const hn_natural_form *form, const double *curve,
                 const double *qdd, hn_natural_jet *jet) {
  hn_curve_value f = hn_curve_at(curve, jet->value);
  double rate = jet->rate, second = jet->quadratic;
  for (int k = 0; qdd && k < form->count; k++)
    second += vec3_dot(jet->gradient[k], vec3_load(&qdd[3 * forms->node[form->start + k]]));
  for (int k = 0; qdd && k < form->count; k++) {
    hn_vec3 g = jet->gradient[k];
    jet->second_q[k] = vec3_add_scaled(
        vec3_add_scaled(vec3_scale(f.d1, jet->second_q[k]), 2 * f.d2 * rate, jet->rate_q[k]),
        f.d2 * second + f.d3 * rate * rate, g);
    jet->rate_q[k] = vec3_add_scaled(vec3_scale(f.d1, jet->rate_q[k]), f.d2 * rate, g);
  }
  jet->value = f.f;
  jet->rate = f.d1 * rate;
  jet->quadratic = f.d1 * jet->quadratic + f.d2 * rate * rate;
  jet->slope = f.d1;
  jet->bend = f.d2;
}

void hn_natural_scale(const hn_natural_forms *forms, int form, hn_natural_jet *jet) {
  if (jet->slope == 1 && jet->bend == 0) return;
  for (int k = 0; k < forms->forms[form].count; k++)
    jet->gradient[k] = vec3_scale(jet->slope, jet->gradient[k]);
}

void hn_natural_evaluate(const hn_natural_forms *forms, int form_index, const double *q,
                         const double *qd, const double *qdd, const double *turns,
                         hn_natural_jet *jet) {
  const hn_natural_form *form = &forms->forms[form_index];
  motion m = move(forms, form, q, qd, qdd);
  switch (form->kind) {
  case HN_MEASURE_DOT: dot_form(forms, form, &m, qdd != NULL, jet); break;
  case HN_MEASURE_LENGTH: length_form(forms, form, &m, qdd != NULL, jet); break;
  case HN_MEASURE_ANGLE: angle_form(forms, form, &m, turns, qdd != NULL, jet); break;
  }
  const double *curve = form->measure >= 0 ? forms->elements->measures[form->measure].curve : NULL;
  jet->slope = 1;
  jet->bend = 0;
  if (curve) bend(forms, form, curve, qdd, jet);
}
