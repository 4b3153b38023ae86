// What goes four at once, one in each lane, where the machine has lanes: the outward recursions on
// bunches of the tree, which are nodes of one kind and depth as limbs of one shape have them
// (relative/tree_kernel.h), and cut rows (relative/cuts_kernel.h).
#define HN_WIDTH 4
#include <math.h>

#include "equations/relative/cuts_kernel.h"
#include "math/sincos.h"

enum { LANES = HN_WIDTH, LEAST = 3 }; // fewer nodes go one by one

struct hn_tree_bunch {
  hn_link_kind kind;
  int filled;         // lanes with nodes of their own; the others repeat the first
  int node[LANES];    // nodes
  int parent[LANES];  // -1: ground
  int has_one_parent; // all the same
  int has_bodies;     // all carry one
  int body[LANES], q[LANES], u[LANES];
  lane_node numbers;
  lane_end end;
};

// ---- set-up -------------------------------------------------------------------------------------

// Numbers of one thing into lane l.
static void put_numbers(const void *from, size_t size, int l, void *to) {
  for (size_t i = 0; i < size / sizeof(num); i++)
    ((double *)to)[LANES * i + (size_t)l] = ((const double *)from)[i];
}

static void put_in_lane(const hn_tree *tree, int k, int l, hn_tree_bunch *b) {
  const hn_tree_node *node = &tree->nodes[k];
  b->node[l] = k;
  b->parent[l] = node->parent;
  b->body[l] = node->body;
  b->q[l] = node->q;
  b->u[l] = node->u;
  put_numbers(node, sizeof b->numbers, l, &b->numbers);
  put_numbers(node->end, sizeof b->end, l, &b->end);
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
  if (status == HN_OK && deepest < DEEPEST && hn_is_wide()) {
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

static const hn_tree_motion *parent_in(const hn_tree_bunch *b, int l, const hn_tree_motion *ground,
                                       const hn_tree_motion *motion) {
  return b->parent[l] < 0 ? ground : &motion[b->parent[l]];
}

HN_KERNEL mat fill_matrix(const hn_mat3 *a) {
  mat out;
  HN_UNROLL for (int i = 0; i < 3; i++) {
    HN_UNROLL for (int j = 0; j < 3; j++) out.m[i][j] = num_fill(a->m[i][j]);
  }
  return out;
}

HN_KERNEL void load_parents(const hn_tree_bunch *b, const hn_tree_motion *ground,
                            const hn_tree_motion *motion, lane_motion *p) {
  if (b->has_one_parent) {
    const hn_tree_motion *one = parent_in(b, 0, ground, motion);
    p->r = fill_matrix(&one->r);
    p->w = vec_fill(one->w);
    p->bias = vec_fill(one->bias);
    p->bias_w = vec_fill(one->bias_w);
    p->origin = vec_fill(one->origin);
    p->velocity = vec_fill(one->velocity);
    return;
  }
  const double *from[LANES], *late[LANES];
  num n[20], last[8];
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    const hn_tree_motion *one = parent_in(b, l, ground, motion);
    from[l] = &one->r.m[0][0];
    late[l] = &one->origin.x;
  }
  num_gather(from, 20, n);
  num_gather(late, 8, last);
  p->r = mat_of(n);
  p->w = vec_of(n + AT_W);
  p->bias = vec_of(n + AT_BIAS);
  p->bias_w = vec_of(n + AT_BIAS_W);
  p->origin = vec_of(last);
  p->velocity = vec_of(last + 3);
}

HN_KERNEL void move_hinges(const hn_tree_bunch *b, const double *q, const double *u,
                           const lane_motion *p, lane_motion *m) {
  double s[LANES], c[LANES], speed[LANES];
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    hn_sincos(q[b->q[l]], &s[l], &c[l]);
    speed[l] = u ? u[b->u[l]] : 0;
  }
  // joined in registers: a processor waits where four are read that were just written one by one
  lane_move_hinge(&b->numbers, (num){s[0], s[1], s[2], s[3]}, (num){c[0], c[1], c[2], c[3]},
                  (num){speed[0], speed[1], speed[2], speed[3]}, p, m);
}

// Matrices of Euler parameters, made of unit length.
HN_KERNEL mat turns_of(const hn_tree_bunch *b, const double *q) {
  static const double none[4] = {1, 0, 0, 0};
  const double *from[LANES];
  double scale[LANES];
  num p[4];
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    const double *x = &q[b->q[l]];
    const double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    scale[l] = n > 0 ? 1 / n : 1;
    from[l] = n > 0 ? x : none;
  }
  num_gather(from, 4, p);
  const num all = {scale[0], scale[1], scale[2], scale[3]};
  return mat_of_parameters(all * p[0], all * p[1], all * p[2], all * p[3]);
}

HN_KERNEL void move_balls(const hn_tree_bunch *b, const double *q, const double *u,
                          const lane_motion *p, lane_motion *m) {
  vec speed = {num_fill(0), num_fill(0), num_fill(0)};
  if (u) {
    const double *v[LANES] = {u + b->u[0], u + b->u[1], u + b->u[2], u + b->u[3]};
    speed = (vec){{v[0][0], v[1][0], v[2][0], v[3][0]},
                  {v[0][1], v[1][1], v[2][1], v[3][1]},
                  {v[0][2], v[1][2], v[2][2], v[3][2]}};
  }
  lane_move_ball(&b->numbers, turns_of(b, q), u != NULL, speed, p, m);
}

HN_KERNEL void put_vec(vec v, num *out) {
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
}

HN_KERNEL void put_mat(const mat *a, num *out) {
  HN_UNROLL for (int i = 0; i < 3; i++) {
    HN_UNROLL for (int j = 0; j < 3; j++) out[3 * i + j] = a->m[i][j];
  }
}

// In the order of hn_tree_motion; a joint frame where there is one.
HN_KERNEL void store_motion(const hn_tree_bunch *b, int has_joint, const lane_motion *m,
                            hn_tree_motion *motion) {
  const vec v[7] = {m->w, m->bias, m->bias_w, m->d, m->axis, m->origin, m->velocity};
  num n[39];
  double *to[LANES];
  put_mat(&m->r, n);
  HN_UNROLL for (int i = 0; i < 7; i++) put_vec(v[i], n + AT_W + 3 * i);
  HN_UNROLL for (int l = 0; l < LANES; l++) to[l] = &motion[b->node[l]].r.m[0][0];
  if (!has_joint) {
    n[30] = n[31] = num_fill(0); // nobody looks
    num_scatter(n, 32, to);
    return;
  }
  put_mat(&m->joint, n + 30);
  num_scatter(n, 36, to);
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    HN_UNROLL for (int i = 36; i < 39; i++) to[l][i] = num_lane(n[i], l);
  }
}

HN_WIDE void hn_tree_move_bunch(const hn_tree_bunch *b, const double *q, const double *u,
                                hn_vec3 base, hn_tree_motion *motion) {
  const hn_tree_motion ground = {.r = mat3_identity(), .bias = base};
  lane_motion p, m;
  load_parents(b, &ground, motion, &p);
  if (b->kind == HN_LINK_HINGE) {
    move_hinges(b, q, u, &p, &m);
    store_motion(b, 0, &m, motion);
  } else {
    m.axis = p.w; // nobody looks
    move_balls(b, q, u, &p, &m);
    store_motion(b, 1, &m, motion);
  }
}

// ---- frames and inertia -------------------------------------------------------------------------

int hn_tree_bunch_has_bodies(const hn_tree_bunch *bunch) { return bunch->has_bodies; }

int hn_tree_visit_size(const hn_tree_visit *visit) {
  return visit->bunch ? visit->bunch->filled : 1;
}

int hn_tree_visit_node(const hn_tree_visit *visit, int k) {
  return visit->bunch ? visit->bunch->node[k] : visit->node;
}

HN_WIDE void hn_tree_frame_bunch(const hn_tree_bunch *b, const hn_tree_motion *motion,
                                 hn_frame *frames) {
  const double *from[LANES], *late[LANES];
  double *to[LANES];
  num n[20], last[8];
  lane_motion m;
  lane_frame f;
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    from[l] = &motion[b->node[l]].r.m[0][0];
    late[l] = &motion[b->node[l]].origin.x;
    to[l] = &frames[b->body[l]].r.x;
  }
  num_gather(from, 12, n);
  num_gather(late, 8, last);
  m.r = mat_of(n);
  m.w = vec_of(n + AT_W);
  m.origin = vec_of(last);
  m.velocity = vec_of(last + 3);
  lane_put_frame(&b->end, &m, &f);
  put_vec(f.r, n);
  put_vec(f.v, n + 3);
  put_vec(f.w, n + 6);
  put_mat(&f.a, n + 9);
  num_scatter(n, 16, to);
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    to[l][16] = num_lane(n[16], l);
    to[l][17] = num_lane(n[17], l);
  }
}

HN_KERNEL vec gather_vectors(const hn_tree_bunch *b, const hn_vec3 *all) {
  const hn_vec3 *v[LANES];
  HN_UNROLL for (int l = 0; l < LANES; l++) v[l] = &all[b->node[l]];
  return (vec){{v[0]->x, v[1]->x, v[2]->x, v[3]->x},
               {v[0]->y, v[1]->y, v[2]->y, v[3]->y},
               {v[0]->z, v[1]->z, v[2]->z, v[3]->z}};
}

HN_WIDE void hn_tree_inertia_bunch(const hn_tree_bunch *b, const hn_tree_motion *motion,
                                   const hn_vec3 *acceleration, const hn_vec3 *angular,
                                   hn_tree_wrench *force) {
  const double *from[LANES];
  double *to[LANES];
  num n[12];
  lane_motion m;
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    from[l] = &motion[b->node[l]].r.m[0][0];
    to[l] = &force[b->node[l]].f.x;
  }
  num_gather(from, 12, n);
  m.r = mat_of(n);
  m.w = vec_of(n + AT_W);
  const lane_wrench w = lane_inertia_force(&b->numbers, &m, gather_vectors(b, acceleration),
                                           gather_vectors(b, angular));
  put_vec(w.f, n);
  n[3] = w.n.x;
  num_scatter(n, 4, to);
  HN_UNROLL for (int l = 0; l < LANES; l++) {
    to[l][4] = num_lane(w.n.y, l);
    to[l][5] = num_lane(w.n.z, l);
  }
}

// ---- cut rows -----------------------------------------------------------------------------------

HN_WIDE void hn_relative_move_group(hn_relative_set *self, const struct hn_cut_group *group) {
  cut_move_group(self, group, 0);
}
