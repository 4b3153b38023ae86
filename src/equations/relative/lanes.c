// The outward recursions on bunches of the tree: nodes of one kind and depth, up to four at once, one
// in each lane, as limbs of one shape have them. Equations and order of sums are those of
// relative/motion.c, relative/poses.c and relative/sym3.h, so the bits are the same as for single nodes.
#include <math.h>
#include <string.h>

#include "equations/relative/tree.h"
#include "linalg/lane_vectors.h"
#include "math/sincos.h"

enum { LANES = 4, LEAST = 3 }; // fewer nodes go one by one

struct hn_tree_bunch {
  hn_link_kind kind;
  int filled;         // lanes with nodes of their own; the others repeat the first
  int node[LANES];    // nodes
  int parent[LANES];  // -1: ground
  int has_one_parent; // all the same
  int has_bodies;     // all carry one
  int body[LANES], q[LANES], u[LANES];
  double turn[9][LANES], arm[3][LANES];
  double centre[3][LANES], axes[9][LANES]; // of bodies in node axes
  double mass[LANES], moment[3][LANES], inertia[6][LANES];
};

// Numbers of hn_tree_motion in their order (checked in relative/cuts.c).
enum { AT_W = 9, AT_BIAS = 12, AT_BIAS_W = 15, AT_ORIGIN = 24, AT_VELOCITY = 27, AT_LAST = 36 };

// ---- set-up -------------------------------------------------------------------------------------

static void put_vector(hn_vec3 v, int l, double out[3][LANES]) {
  out[0][l] = v.x;
  out[1][l] = v.y;
  out[2][l] = v.z;
}

static void put_matrix(hn_mat3 m, int l, double out[9][LANES]) {
  for (int i = 0; i < 9; i++) out[i][l] = m.m[i / 3][i % 3];
}

static void put_in_lane(const hn_tree *tree, int k, int l, hn_tree_bunch *b) {
  const hn_tree_node *node = &tree->nodes[k];
  const hn_sym3 *s = &node->inertia;
  const double inertia[6] = {s->xx, s->yy, s->zz, s->xy, s->xz, s->yz};
  b->node[l] = k;
  b->parent[l] = node->parent;
  b->body[l] = node->body;
  b->q[l] = node->q;
  b->u[l] = node->u;
  b->mass[l] = node->mass;
  put_matrix(node->turn, l, b->turn);
  put_vector(node->arm, l, b->arm);
  put_vector(node->end->centre, l, b->centre);
  put_matrix(node->end->body_axes, l, b->axes);
  put_vector(node->moment, l, b->moment);
  for (int i = 0; i < 6; i++) b->inertia[i][l] = inertia[i];
}

static void make_bunch(const hn_tree *tree, const int *nodes, int count, hn_tree_bunch *b) {
  b->kind = tree->nodes[nodes[0]].kind;
  b->filled = count;
  b->has_one_parent = b->has_bodies = 1;
  for (int l = 0; l < LANES; l++) {
    put_in_lane(tree, nodes[l < count ? l : 0], l, b);
    b->has_one_parent &= b->parent[l] == b->parent[0];
    b->has_bodies &= b->body[l] > 0;
  }
}

// Of these nodes (null: the range from .. to - 1) by depth, and in it by kind; bunches where there are
// enough.
static void list_visits(hn_tree *tree, const int *depth, int deepest, const int *nodes, int from,
                        int to, int *room) {
  for (int level = 0; level <= deepest; level++)
    for (int kind = 0; kind <= HN_LINK_FIXED; kind++) {
      int found = 0, is_quick = kind == HN_LINK_HINGE || kind == HN_LINK_BALL;
      for (int i = from; i < to; i++) {
        int k = nodes ? nodes[i] : i;
        if (depth[k] == level && (int)tree->nodes[k].kind == kind) room[found++] = k;
      }
      for (int at = 0; at < found;) {
        int count = found - at < LANES ? found - at : LANES;
        hn_tree_visit *visit = &tree->visits[tree->visit_count++];
        *visit = (hn_tree_visit){.node = room[at], .bunch = NULL};
        if (!is_quick || count < LEAST) {
          at++;
          continue;
        }
        visit->bunch = &tree->bunches[tree->bunch_count++];
        make_bunch(tree, &room[at], count, visit->bunch);
        at += count;
      }
    }
}

// Returns the deepest.
static int find_depths(const hn_tree *tree, int *depth) {
  int deepest = 0;
  for (int k = 0; k < tree->count; k++) {
    int up = tree->nodes[k].parent;
    depth[k] = up < 0 ? 0 : depth[up] + 1;
    if (depth[k] > deepest) deepest = depth[k];
  }
  return deepest;
}

// Deep trees are chains: levels are not looked for there.
hn_status hn_tree_make_bunches(hn_arena *arena, hn_tree *tree) {
  enum { DEEPEST = 40 };
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *depth = HN_TAKE(&scratch, int, tree->count), *room = HN_TAKE(&scratch, int, tree->count);
  hn_status status = scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  int deepest = status == HN_OK ? find_depths(tree, depth) : 0;
  tree->wide = hn_block_wide();
  if (status == HN_OK && deepest < DEEPEST) {
    tree->visits = HN_TAKE(arena, hn_tree_visit, tree->count);
    tree->bunches = HN_TAKE(arena, hn_tree_bunch, tree->count / LEAST + 1);
    if (arena->failed)
      status = HN_ERROR_MEMORY;
    else
      list_visits(tree, depth, deepest, NULL, 0, tree->count, room);
  }
  hn_arena_release(&scratch);
  return status;
}

hn_status hn_tree_make_limb_bunches(hn_arena *arena, hn_tree *tree, hn_tree_limbs *limbs) {
  if (tree->bunch_count == 0) return HN_OK;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *depth = HN_TAKE(&scratch, int, tree->count), *room = HN_TAKE(&scratch, int, tree->count);
  hn_status status = scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) {
    int deepest = find_depths(tree, depth);
    tree->visit_count = tree->bunch_count = 0;
    list_visits(tree, depth, deepest, limbs->trunk, 0, limbs->trunk_count, room);
    limbs->trunk_visits = tree->visit_count;
    for (int i = 0; i < limbs->count; i++) {
      hn_tree_range *limb = &limbs->range[i];
      limb->visit = tree->visit_count;
      list_visits(tree, depth, deepest, NULL, limb->from, limb->to, room);
      limb->visit_end = tree->visit_count;
    }
  }
  hn_arena_release(&scratch);
  return status;
}

// ---- motion -------------------------------------------------------------------------------------

typedef struct lane_parent {
  hn_matrix4 r;
  hn_vector4 w, bias, bias_w, origin, velocity;
} lane_parent;

HN_INLINE hn_vector4 load_vector(const double v[3][LANES]) {
  return (hn_vector4){quad_load(v[0]), quad_load(v[1]), quad_load(v[2])};
}

HN_INLINE hn_matrix4 load_matrix(const double m[9][LANES]) {
  return (hn_matrix4){{load_vector(&m[0]), load_vector(&m[3]), load_vector(&m[6])}};
}

HN_INLINE hn_vector4 fill_vector(const double *x) {
  return (hn_vector4){quad_fill(x[0]), quad_fill(x[1]), quad_fill(x[2])};
}

HN_INLINE lane_parent parent_of(const hn_tree_bunch *b, const double *const from[LANES]) {
  lane_parent p;
  if (b->has_one_parent) {
    const double *x = from[0];
    p.r = (hn_matrix4){{fill_vector(x), fill_vector(x + 3), fill_vector(x + 6)}};
    p.w = fill_vector(x + AT_W);
    p.bias = fill_vector(x + AT_BIAS);
    p.bias_w = fill_vector(x + AT_BIAS_W);
    p.origin = fill_vector(x + AT_ORIGIN);
    p.velocity = fill_vector(x + AT_VELOCITY);
    return p;
  }
  hn_quad n[20], last[8];
  const double *late[LANES];
  HN_UNROLL for (int l = 0; l < LANES; l++) late[l] = from[l] + AT_ORIGIN;
  quad_gather(from, 20, n);
  quad_gather(late, 8, last);
  p.r = matrix_of(n);
  p.w = vector_of(n + AT_W);
  p.bias = vector_of(n + AT_BIAS);
  p.bias_w = vector_of(n + AT_BIAS_W);
  p.origin = vector_of(last);
  p.velocity = vector_of(last + 3);
  return p;
}

HN_INLINE hn_matrix4 matrix_multiply(hn_matrix4 a, hn_matrix4 b) {
  hn_matrix4 c;
  HN_UNROLL for (int i = 0; i < 3; i++) c.row[i] =
      vector_add(vector_add(vector_scale(a.row[i].x, b.row[0]), vector_scale(a.row[i].y, b.row[1])),
                 vector_scale(a.row[i].z, b.row[2]));
  return c;
}

// What a node has in the order of hn_tree_motion, up to the first rows of its joint frame.
typedef struct lane_motion {
  hn_matrix4 r;
  hn_vector4 w, bias, bias_w, d, axis, origin, velocity;
  hn_matrix4 joint;
} lane_motion;

// Origin, velocity and bias of points d away on the parents.
HN_INLINE void carry(const lane_parent *p, hn_vector4 d, lane_motion *m) {
  hn_vector4 turning = vector_cross(p->w, d);
  m->d = d;
  m->origin = vector_add(p->origin, d);
  m->velocity = vector_add(p->velocity, turning);
  m->bias =
      vector_add(vector_add(p->bias, vector_cross(p->bias_w, d)), vector_cross(p->w, turning));
}

HN_INLINE void move_hinges(const hn_tree_bunch *b, const lane_parent *p, const double *q,
                           const double *u, lane_motion *m) {
  double sine[LANES], cosine[LANES], speed[LANES];
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    hn_sincos(q[b->q[l]], &sine[l], &cosine[l]);
    speed[l] = u ? u[b->u[l]] : 0;
  }
  hn_matrix4 joint = matrix_multiply(p->r, load_matrix(b->turn));
  hn_quad s = quad_of(sine[0], sine[1], sine[2], sine[3]);
  hn_quad c = quad_of(cosine[0], cosine[1], cosine[2], cosine[3]);
  hn_vector4 axis = {joint.row[0].z, joint.row[1].z, joint.row[2].z};
  hn_vector4 rate = vector_scale(quad_of(speed[0], speed[1], speed[2], speed[3]), axis);
  HN_UNROLL for (int i = 0; i < 3; i++) {
    hn_vector4 a = joint.row[i];
    m->r.row[i] = (hn_vector4){quad_add(quad_multiply(c, a.x), quad_multiply(s, a.y)),
                               quad_subtract(quad_multiply(c, a.y), quad_multiply(s, a.x)), a.z};
  }
  carry(p, matrix_apply(p->r, load_vector(b->arm)), m);
  m->axis = axis;
  m->w = vector_add(p->w, rate);
  m->bias_w = vector_add(p->bias_w, vector_cross(p->w, rate));
  m->joint = joint; // nobody looks
}

// Matrices of Euler parameters, made of unit length.
HN_INLINE hn_matrix4 turns_of(const hn_tree_bunch *b, const double *q) {
  static const double none[4] = {1, 0, 0, 0};
  const double *from[LANES];
  hn_quad p[4];
  double scale[LANES];
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    from[l] = &q[b->q[l]];
    const double *x = from[l];
    double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    scale[l] = n > 0 ? 1 / n : 1;
    from[l] = n > 0 ? x : none;
  }
  quad_gather(from, 4, p);
  const hn_quad all = quad_of(scale[0], scale[1], scale[2], scale[3]);
  HN_UNROLL for (int i = 0; i < 4; i++) p[i] = quad_multiply(all, p[i]);
#define PRODUCT(i, j) quad_multiply(p[i], p[j])
#define TWICE(x) quad_multiply(two, x)
  const hn_quad two = quad_fill(2), ww = PRODUCT(0, 0), xx = PRODUCT(1, 1), yy = PRODUCT(2, 2);
  const hn_quad zz = PRODUCT(3, 3), wx = PRODUCT(0, 1), wy = PRODUCT(0, 2), wz = PRODUCT(0, 3);
  const hn_quad xy = PRODUCT(1, 2), xz = PRODUCT(1, 3), yz = PRODUCT(2, 3);
  hn_matrix4 m = {{{quad_subtract(quad_subtract(quad_add(ww, xx), yy), zz),
                    TWICE(quad_subtract(xy, wz)), TWICE(quad_add(xz, wy))},
                   {TWICE(quad_add(xy, wz)), quad_subtract(quad_add(quad_subtract(ww, xx), yy), zz),
                    TWICE(quad_subtract(yz, wx))},
                   {TWICE(quad_subtract(xz, wy)), TWICE(quad_add(yz, wx)),
                    quad_add(quad_subtract(quad_subtract(ww, xx), yy), zz)}}};
#undef PRODUCT
#undef TWICE
  return m;
}

HN_INLINE void move_balls(const hn_tree_bunch *b, const lane_parent *p, const double *q,
                          const double *u, lane_motion *m) {
  m->joint = matrix_multiply(p->r, load_matrix(b->turn));
  m->r = matrix_multiply(m->joint, turns_of(b, q));
  carry(p, matrix_apply(p->r, load_vector(b->arm)), m);
  m->axis = m->d; // nobody looks
  m->w = p->w;
  m->bias_w = p->bias_w;
  if (!u) return;
  const int *k = b->u;
  hn_vector4 speed = {quad_of(u[k[0]], u[k[1]], u[k[2]], u[k[3]]),
                      quad_of(u[k[0] + 1], u[k[1] + 1], u[k[2] + 1], u[k[3] + 1]),
                      quad_of(u[k[0] + 2], u[k[1] + 2], u[k[2] + 2], u[k[3] + 2])};
  hn_vector4 w = matrix_apply(m->joint, speed);
  m->bias_w = vector_add(m->bias_w, vector_cross(p->w, w));
  m->w = vector_add(p->w, w);
}

HN_INLINE void put_quads(const hn_vector4 *v, int at, hn_quad *out) {
  out[at] = v->x;
  out[at + 1] = v->y;
  out[at + 2] = v->z;
}

HN_INLINE void store_motion(const hn_tree_bunch *b, const lane_motion *m, hn_tree_motion *motion) {
  hn_quad n[39];
  double *to[LANES];
  HN_UNROLL for (int i = 0; i < 3; i++) {
    put_quads(&m->r.row[i], 3 * i, n);
    put_quads(&m->joint.row[i], 30 + 3 * i, n);
  }
  const hn_vector4 *vectors[7] = {&m->w,    &m->bias,   &m->bias_w,  &m->d,
                                  &m->axis, &m->origin, &m->velocity};
  HN_UNROLL for (int i = 0; i < 7; i++) put_quads(vectors[i], AT_W + 3 * i, n);
  HN_UNROLL for (int l = 0; l < LANES; l++) to[l] = (double *)(void *)&motion[b->node[l]];
  HN_UNROLL for (int i = 0; i < AT_LAST; i += 4) {
    quad_transpose(n + i);
    HN_UNROLL for (int l = 0; l < LANES; l++) quad_store(n[i + l], to[l] + i);
  }
  HN_UNROLL for (int i = AT_LAST; i < 39; i++) {
    HN_UNROLL for (int l = 0; l < LANES; l++) to[l][i] = quad_lane(n[i], l);
  }
}

HN_INLINE void move_bunch(int wide, const hn_tree_bunch *b, const double *q, const double *u,
                          hn_vec3 base, hn_tree_motion *motion) {
  const hn_tree_motion ground = {.r = mat3_identity(), .bias = base};
  const double *from[LANES];
  lane_motion m;
  (void)wide;
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    const hn_tree_motion *p = b->parent[l] < 0 ? &ground : &motion[b->parent[l]];
    from[l] = (const double *)(const void *)p;
  }
  lane_parent p = parent_of(b, from);
  if (b->kind == HN_LINK_HINGE)
    move_hinges(b, &p, q, u, &m);
  else
    move_balls(b, &p, q, u, &m);
  store_motion(b, &m, motion);
}

HN_VARIANTS(move_bunch,
            (const hn_tree_bunch *b, const double *q, const double *u, hn_vec3 base,
             hn_tree_motion *motion),
            (b, q, u, base, motion))

void hn_tree_move_bunch(const hn_tree *tree, const hn_tree_bunch *bunch, const double *q,
                        const double *u, hn_vec3 base, hn_tree_motion *motion) {
  HN_PICK(tree->wide, move_bunch)(bunch, q, u, base, motion);
}

// ---- frames -------------------------------------------------------------------------------------

int hn_tree_bunch_has_bodies(const hn_tree_bunch *bunch) { return bunch->has_bodies; }

int hn_tree_visit_size(const hn_tree_visit *visit) {
  return visit->bunch ? visit->bunch->filled : 1;
}

int hn_tree_visit_node(const hn_tree_visit *visit, int k) {
  return visit->bunch ? visit->bunch->node[k] : visit->node;
}

HN_INLINE void store_frames(const hn_tree_bunch *b, hn_vector4 r, hn_vector4 v, hn_vector4 w,
                            hn_matrix4 a, hn_frame *frames) {
  hn_quad n[20];
  put_quads(&r, 0, n);
  put_quads(&v, 3, n);
  put_quads(&w, 6, n);
  HN_UNROLL for (int i = 0; i < 3; i++) put_quads(&a.row[i], 9 + 3 * i, n);
  HN_UNROLL for (int i = 0; i < 16; i += 4) quad_transpose(n + i);
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    double *to = (double *)(void *)&frames[b->body[l]];
    HN_UNROLL for (int i = 0; i < 16; i += 4) quad_store(n[i + l], to + i);
    to[16] = quad_lane(n[16], l);
    to[17] = quad_lane(n[17], l);
  }
}

HN_INLINE void frame_bunch(int wide, const hn_tree_bunch *b, const hn_tree_motion *motion,
                           hn_frame *frames) {
  const double *from[LANES], *late[LANES];
  hn_quad n[12], last[8];
  (void)wide;
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    from[l] = (const double *)(const void *)&motion[b->node[l]];
    late[l] = from[l] + AT_ORIGIN;
  }
  quad_gather(from, 12, n);
  quad_gather(late, 8, last);
  hn_matrix4 r = matrix_of(n);
  hn_vector4 w = vector_of(n + AT_W), centre = matrix_apply(r, load_vector(b->centre));
  store_frames(b, vector_add(vector_of(last), centre),
               vector_add(vector_of(last + 3), vector_cross(w, centre)), w,
               matrix_multiply(r, load_matrix(b->axes)), frames);
}

HN_VARIANTS(frame_bunch, (const hn_tree_bunch *b, const hn_tree_motion *motion, hn_frame *frames),
            (b, motion, frames))

void hn_tree_frame_bunch(const hn_tree *tree, const hn_tree_bunch *bunch,
                         const hn_tree_motion *motion, hn_frame *frames) {
  HN_PICK(tree->wide, frame_bunch)(bunch, motion, frames);
}

// ---- inertia ------------------------------------------------------------------------------------

HN_INLINE hn_vector4 gather_vectors(const hn_vec3 *const v[LANES]) {
  return (hn_vector4){quad_of(v[0]->x, v[1]->x, v[2]->x, v[3]->x),
                      quad_of(v[0]->y, v[1]->y, v[2]->y, v[3]->y),
                      quad_of(v[0]->z, v[1]->z, v[2]->z, v[3]->z)};
}

HN_INLINE hn_vector4 apply_inertia(const hn_tree_bunch *b, hn_vector4 v) {
  const hn_quad xx = quad_load(b->inertia[0]), yy = quad_load(b->inertia[1]);
  const hn_quad zz = quad_load(b->inertia[2]), xy = quad_load(b->inertia[3]);
  const hn_quad xz = quad_load(b->inertia[4]), yz = quad_load(b->inertia[5]);
  return (hn_vector4){vector_dot((hn_vector4){xx, xy, xz}, v),
                      vector_dot((hn_vector4){xy, yy, yz}, v),
                      vector_dot((hn_vector4){xz, yz, zz}, v)};
}

HN_INLINE hn_vector4 apply_transposed(hn_matrix4 m, hn_vector4 v) { // sums as mat3_apply_transposed
  return vector_add(vector_add(vector_scale(v.x, m.row[0]), vector_scale(v.y, m.row[1])),
                    vector_scale(v.z, m.row[2]));
}

HN_INLINE void inertia_bunch(int wide, const hn_tree_bunch *b, const hn_tree_motion *motion,
                             const hn_vec3 *acceleration, const hn_vec3 *angular,
                             hn_tree_wrench *force) {
  const double *from[LANES];
  const hn_vec3 *at_a[LANES], *at_wd[LANES];
  hn_quad n[12];
  (void)wide;
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    from[l] = (const double *)(const void *)&motion[b->node[l]];
    at_a[l] = &acceleration[b->node[l]];
    at_wd[l] = &angular[b->node[l]];
  }
  quad_gather(from, 12, n);
  hn_matrix4 r = matrix_of(n);
  hn_vector4 w = vector_of(n + AT_W), a = gather_vectors(at_a), wd = gather_vectors(at_wd);
  hn_vector4 w_in = apply_transposed(r, w), wd_in = apply_transposed(r, wd);
  hn_vector4 turning =
      vector_add(apply_inertia(b, wd_in), vector_cross(w_in, apply_inertia(b, w_in)));
  hn_vector4 moment = matrix_apply(r, load_vector(b->moment));
  hn_vector4 f =
      vector_add(vector_scale(quad_load(b->mass), a),
                 vector_add(vector_cross(wd, moment), vector_cross(w, vector_cross(w, moment))));
  hn_vector4 t = vector_add(matrix_apply(r, turning), vector_cross(moment, a));
  hn_quad out[4] = {f.x, f.y, f.z, t.x};
  quad_transpose(out);
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    double *to = (double *)(void *)&force[b->node[l]];
    quad_store(out[l], to);
    to[4] = quad_lane(t.y, l);
    to[5] = quad_lane(t.z, l);
  }
}

HN_VARIANTS(inertia_bunch,
            (const hn_tree_bunch *b, const hn_tree_motion *motion, const hn_vec3 *acceleration,
             const hn_vec3 *angular, hn_tree_wrench *force),
            (b, motion, acceleration, angular, force))

void hn_tree_inertia_bunch(const hn_tree *tree, const hn_tree_bunch *bunch,
                           const hn_tree_motion *motion, const hn_vec3 *acceleration,
                           const hn_vec3 *angular, hn_tree_wrench *force) {
  HN_PICK(tree->wide, inertia_bunch)(bunch, motion, acceleration, angular, force);
}
