// Springs and leaves between two bodies, four at once, one in each lane: measure, rate and line of
// action in lanes, laws one by one, wrenches in lanes (elements/force.c has one alone). With arms s and
// points P = r + s,
//
//   spring  x = P2 - P1, m = |x|, e = x / m    pull f e on body 1 at P1, -f e on body 2
//   leaf    x = P1 - P2, e of body 1, m = e.x  the opposite, both in P2
#include <math.h>
#include <string.h>

#include "elements/force.h"
#include "equations/relative/relative.h"
#include "linalg/lane_vectors.h"

enum { LANES = 4 };

struct hn_pull_group {
  int is_leaf, filled; // lanes beyond repeat the first and pull nobody
  int force[LANES], body[2][LANES];
  double point[2][3][LANES], axis[3][LANES]; // in body axes
  int is_straight;                           // all laws are, and these are they (hn_tree_spring)
  double of_x[2][LANES], of_v[2][LANES];
};

// ---- set-up -------------------------------------------------------------------------------------

static void put(hn_vec3 v, int l, double out[3][LANES]) {
  out[0][l] = v.x;
  out[1][l] = v.y;
  out[2][l] = v.z;
}

static void put_in_lane(const hn_elements *elements, int force, int l, hn_pull_group *g) {
  const hn_measure *m = &elements->measures[elements->force_measure[force]];
  const hn_difference *x = &m->x[g->is_leaf];
  g->force[l] = force;
  for (int slot = 0; slot < 2; slot++) {
    g->body[slot][l] = m->body[slot];
    put(x->term[1 - slot].s, l, g->point[slot]);
  }
  put(g->is_leaf ? m->x[0].term[0].s : vec3_zero(), l, g->axis);
}

static void find_laws(const hn_model *model, hn_pull_group *g) {
  g->is_straight = 1;
  for (int l = 0; l < g->filled; l++) {
    double of_x[2] = {0, 0}, of_v[2] = {0, 0};
    g->is_straight &= hn_force_is_straight(&model->forces[g->force[l]], of_x, of_v);
    for (int k = 0; k < 2; k++) {
      g->of_x[k][l] = of_x[k];
      g->of_v[k][l] = of_v[k];
    }
  }
}

hn_status hn_relative_make_pulls(hn_arena *arena, hn_relative_set *self) {
  const hn_model *model = self->base.model;
  self->forces.in_pulls = HN_TAKE(arena, unsigned char, model->force_count);
  self->forces.pulls = HN_TAKE(arena, hn_pull_group, model->force_count / 2 + 2);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int is_leaf = 0; is_leaf < 2; is_leaf++) {
    hn_pull_group *g = NULL;
    for (int f = 0; f < model->force_count; f++) {
      hn_force_type type = is_leaf ? HN_FORCE_LEAF_SPRING : HN_FORCE_SPRING_DAMPER;
      if (model->forces[f].type != type || self->forces.node[f] >= 0) continue;
      if (!g || g->filled == LANES) {
        g = &self->forces.pulls[self->forces.pull_count++];
        g->is_leaf = is_leaf;
        for (int l = 0; l < LANES; l++) put_in_lane(self->base.elements, f, l, g);
      }
      put_in_lane(self->base.elements, f, g->filled++, g);
      self->forces.in_pulls[f] = 1;
    }
  }
  for (int k = 0; k < self->forces.pull_count; k++) find_laws(model, &self->forces.pulls[k]);
  return HN_OK;
}

// ---- numbers ------------------------------------------------------------------------------------

typedef struct spring_line {
  double m[LANES], rate[LANES];
  double e[3][LANES], arm[2][3][LANES];
} spring_line;

typedef struct spring_pull {
  double pull[LANES]; // along e
  double force[3][LANES], torque[2][3][LANES];
} spring_pull;

typedef struct spring_end {
  hn_vector4 point, rate, w, arm;
  hn_matrix4 a;
} spring_end;

HN_INLINE void store_vector(hn_vector4 v, double out[3][LANES]) {
  quad_store(v.x, out[0]);
  quad_store(v.y, out[1]);
  quad_store(v.z, out[2]);
}

HN_INLINE hn_vector4 fetch_vector(const double v[3][LANES]) {
  return (hn_vector4){quad_load(v[0]), quad_load(v[1]), quad_load(v[2])};
}

HN_INLINE spring_end end_of(const hn_pull_group *g, int slot, const hn_frame *frames) {
  const double *from[LANES];
  hn_quad n[20];
  spring_end e;
  HN_UNROLL for (int l = 0; l < LANES; l++) from[l] =
      (const double *)(const void *)&frames[g->body[slot][l]];
  quad_gather(from, 20, n);
  e.w = vector_of(n + 6);
  e.a = matrix_of(n + 9);
  e.arm = matrix_apply(e.a, fetch_vector(g->point[slot]));
  e.point = vector_add(vector_of(n), e.arm);
  e.rate = vector_add(vector_of(n + 3), vector_cross(e.w, e.arm));
  return e;
}

HN_INLINE void find_line(int wide, const hn_pull_group *g, const hn_frame *frames,
                         spring_line *out) {
  (void)wide;
  spring_end e1 = end_of(g, 0, frames), e2 = end_of(g, 1, frames);
  if (g->is_leaf) {
    hn_vector4 e = matrix_apply(e1.a, fetch_vector(g->axis));
    hn_vector4 x = vector_subtract(e1.point, e2.point), xd = vector_subtract(e1.rate, e2.rate);
    quad_store(vector_dot(e, x), out->m);
    quad_store(quad_add(vector_dot(vector_cross(e1.w, e), x), vector_dot(e, xd)), out->rate);
    store_vector(e, out->e);
    store_vector(vector_subtract(e1.arm, x), out->arm[0]);
    store_vector(e2.arm, out->arm[1]);
    return;
  }
  hn_vector4 x = vector_subtract(e2.point, e1.point), xd = vector_subtract(e2.rate, e1.rate);
  double inverse[LANES];
  quad_store(vector_dot(x, x), out->m);
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    out->m[l] = sqrt(out->m[l]);
    inverse[l] = out->m[l] > HN_LENGTH_ZERO ? 1 / out->m[l] : 0;
  }
  hn_vector4 e = vector_scale(quad_of(inverse[0], inverse[1], inverse[2], inverse[3]), x);
  quad_store(vector_dot(e, xd), out->rate);
  store_vector(e, out->e);
  store_vector(e1.arm, out->arm[0]);
  store_vector(e2.arm, out->arm[1]);
}

HN_INLINE void find_pull(int wide, const spring_line *line, spring_pull *p) {
  (void)wide;
  const double *f = p->pull;
  hn_vector4 force = vector_scale(quad_of(f[0], f[1], f[2], f[3]), fetch_vector(line->e));
  store_vector(force, p->force);
  HN_UNROLL for (int slot = 0; slot < 2; slot++)
      store_vector(vector_cross(fetch_vector(line->arm[slot]), force), p->torque[slot]);
}

HN_VARIANTS(find_line, (const hn_pull_group *g, const hn_frame *frames, spring_line *out),
            (g, frames, out))
HN_VARIANTS(find_pull, (const spring_line *line, spring_pull *p), (line, p))

static hn_vec3 lane_of(double v[3][LANES], int l) { return vec3(v[0][l], v[1][l], v[2][l]); }

static void add_wrenches(const hn_pull_group *g, spring_pull *p, hn_wrench *wrench) {
  for (int l = 0; l < g->filled; l++) {
    hn_wrench *w1 = &wrench[g->body[0][l]], *w2 = &wrench[g->body[1][l]];
    hn_vec3 force = lane_of(p->force, l);
    w1->force = vec3_add(w1->force, force);
    w1->torque = vec3_add(w1->torque, lane_of(p->torque[0], l));
    w2->force = vec3_sub(w2->force, force);
    w2->torque = vec3_sub(w2->torque, lane_of(p->torque[1], l));
  }
}

void hn_relative_pull_bodies(const hn_relative_set *self, double t, const hn_branches *branches,
                             hn_snapshot *s) {
  for (int k = 0; k < self->forces.pull_count; k++) {
    const hn_pull_group *g = &self->forces.pulls[k];
    spring_line line;
    spring_pull p = {.pull = {0}};
    HN_PICK(self->lanes.wide, find_line)(g, s->frames, &line);
    for (int l = 0; l < g->filled; l++) {
      int f = g->force[l];
      s->forces[f] = (hn_force_value){0};
      double pull = hn_force_pull(&self->base.model->forces[f], 0, branches->force[f], line.m[l],
                                  line.rate[l], t, &s->forces[f]);
      p.pull[l] = g->is_leaf ? -pull : pull;
    }
    HN_PICK(self->lanes.wide, find_pull)(&line, &p);
    add_wrenches(g, &p, s->wrench);
    for (int l = 0; l < g->filled; l++)
      s->forces[g->force[l]].direction = vec3_negate(lane_of(p.force, l));
  }
}

// What the laws pull with; returns the power. Straight ones have no branches.
static double find_tensions(const hn_relative_set *self, const hn_pull_group *g, double t,
                            const hn_branches *branches, const spring_line *line, double *pull) {
  double power = 0;
  for (int l = 0; l < g->filled; l++) {
    double m = line->m[l], md = line->rate[l];
    if (g->is_straight) {
      double stored = g->of_x[1][l] * m + g->of_x[0][l];
      double damped = g->of_v[1][l] * md + g->of_v[0][l];
      pull[l] = stored + damped;
      power -= damped * md;
    } else {
      hn_force_value value = {.value = 0};
      int f = g->force[l];
      double x =
          hn_force_pull(&self->base.model->forces[f], 0, branches->force[f], m, md, t, &value);
      pull[l] = g->is_leaf ? -x : x;
      power += value.power;
    }
  }
  return power;
}

double hn_relative_pull_stage(const hn_relative_set *self, double t, const hn_branches *branches,
                              const hn_frame *frames, hn_wrench *wrench) {
  double power = 0;
  for (int k = 0; k < self->forces.pull_count; k++) {
    const hn_pull_group *g = &self->forces.pulls[k];
    spring_line line;
    spring_pull p = {.pull = {0}};
    HN_PICK(self->lanes.wide, find_line)(g, frames, &line);
    power += find_tensions(self, g, t, branches, &line, p.pull);
    if (!wrench) continue;
    HN_PICK(self->lanes.wide, find_pull)(&line, &p);
    add_wrenches(g, &p, wrench);
  }
  return power;
}
