// Products and solutions with the matrices of a deep tree: see equations/chain.h. Motions and wrenches
// are about the point O of a tree, as in relative/tangent.h. What speeds do to a body is a sum over
// those above it,
//
//   a = sum S pi        b = sum (psd pi + S w)        c = sum (psdd pi + (Sd + psd) w + S wd)
//
// and z = (a, b, c) is all that the body sees of them. The wrench that it asks for changes by U z,
//
//   U z = Fin-turned + Bc b + I c + h a + d b        h, d: elements between the body and ground
//
// and a joint that carries F, the sum over what hangs on it, asks of its speeds
//
//   S . (sum of U z over what hangs on it - a_above x* F) = right side
//
// Elements between the two bodies of a joint see its own speeds alone. From the leaves to the root, with
// z = z_above + Z y of the speeds y of one joint, W the wrench of all that hangs on it:
//
//   D = S' (U Z + elements),   R = S' (U - x* F),   y = D^-1 (f - S' p - R z_above)
//   W = (U - U Z D^-1 R) z_above + p + U Z D^-1 (f - S' p)
//
// This is the recursion of articulated bodies with stiffness and damping; D has as many speeds as the
// joint.
#include "equations/chain.h"

#include <string.h>

#include "equations/relative/tangent.h"
#include "linalg/small.h"

enum { MOST = 6, SEES = 18 };

// A body with the joint below its parent.
typedef struct link {
  int parent;              // -1: ground
  int node;                // of the body
  int first, count;        // speeds of the joint
  double own[6][SEES];     // U of the body alone
  hn_tree_wrench alone;    // F of the body alone
  hn_tree_wrench force;    // F of all that hangs on the joint, without elements of the joint
  hn_tree_wrench whole;    // with them
  double h[6][6], d[6][6]; // of elements of the joint
  // factors
  double z[MOST][SEES];     // columns of Z
  double uz[MOST][6];       // of U Z
  double share[MOST][SEES]; // D^-1 R, by rows
  double inverse[MOST][MOST];
} link;

typedef struct kept_column {
  double s[6], psd[6], both[6], psdd[6];
  int joint;
} kept_column;

struct hn_chain {
  const hn_relative_tangent *tangent;
  int nu, count;
  link *links;          // parents first
  int *link_of;         // of a body (bodies + ground)
  kept_column *columns; // (nu)
  double *k, *c;        // of forces on coordinates (nu)
  int turns, *turn_u;   // first speed of each turn
  int *turn_link;       // and its link (turns)
  int *turn_of;         // of a speed; -1: none (nu)
  hn_turn_mix *mix;     // of corrections, without g: dT(qd) T+, dT(qdd) T+, G~ / 2 (turns)
  hn_turn_mix *used;    // (turns)
  double (*u)[6][SEES]; // U of all that hangs on a link (count)
  double (*p)[6];       // wrenches of a solution or product (count)
  double (*z)[SEES];    // motions of one (count)
};

// ---- set-up -------------------------------------------------------------------------------------

static int count_turns(const hn_tree *tree) {
  int count = 0;
  for (int k = 0; k < tree->count; k++) count += hn_node_has_parameters(&tree->nodes[k]);
  return count;
}

// Nodes inside a joint belong to the body it carries.
static void list_links(hn_chain *self) {
  const hn_tree *tree = self->tangent->set->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (hn_node_has_parameters(node)) {
      self->turn_link[self->turns] = self->count; // its body comes next
      self->turn_u[self->turns++] = node->u + node->u_count - 3;
    }
    if (node->body == 0) continue;
    link *i = &self->links[self->count];
    int top = k;
    while (tree->nodes[top].parent >= 0 && tree->nodes[tree->nodes[top].parent].body == 0)
      top = tree->nodes[top].parent;
    int above = tree->nodes[top].parent;
    i->node = k;
    i->first = tree->nodes[top].u;
    i->count = node->u + node->u_count - i->first;
    i->parent = above < 0 ? -1 : self->link_of[tree->nodes[above].body];
    self->link_of[node->body] = self->count++;
  }
}

hn_status hn_chain_create(hn_arena *arena, const hn_relative_tangent *tangent, hn_chain **chain) {
  hn_chain *self = HN_KEEP(arena, hn_chain, 1);
  if (!self) return HN_ERROR_MEMORY;
  const hn_tree *tree = tangent->set->tree;
  int bodies = tangent->set->base.model->body_count, turns = count_turns(tree);
  self->tangent = tangent;
  self->nu = tangent->nu;
  self->links = HN_KEEP(arena, link, bodies);
  self->link_of = HN_TAKE(arena, int, bodies);
  self->columns = HN_KEEP(arena, kept_column, self->nu);
  self->k = HN_KEEP(arena, double, self->nu);
  self->c = HN_KEEP(arena, double, self->nu);
  self->turn_u = HN_TAKE(arena, int, turns);
  self->turn_link = HN_TAKE(arena, int, turns);
  self->mix = HN_KEEP(arena, hn_turn_mix, turns);
  self->used = HN_KEEP(arena, hn_turn_mix, turns);
  self->turn_of = HN_TAKE(arena, int, self->nu);
  self->u = hn_arena_take(arena, (size_t)bodies, sizeof *self->u);
  self->p = hn_arena_take(arena, (size_t)bodies, sizeof *self->p);
  self->z = hn_arena_take(arena, (size_t)bodies, sizeof *self->z);
  if (arena->failed) return HN_ERROR_MEMORY;
  list_links(self);
  for (int i = 0; i < self->nu; i++) self->turn_of[i] = -1;
  for (int t = 0; t < self->turns; t++)
    for (int i = 0; i < 3; i++) self->turn_of[self->turn_u[t] + i] = t;
  *chain = self;
  return HN_OK;
}

// ---- numbers of a state -------------------------------------------------------------------------

static void store_twist(hn_twist x, double out[6]) {
  vec3_store(out, x.v);
  vec3_store(out + 3, x.w);
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// out = a x* F
static void turn_force(const double *a, const hn_tree_wrench *f, double out[6]) {
  hn_vec3 v = vec3_load(a), w = vec3_load(a + 3);
  vec3_store(out, vec3_cross(w, f->f));
  vec3_store(out + 3, vec3_add(vec3_cross(v, f->f), vec3_cross(w, f->n)));
}

static void add_force(double sign, const hn_tree_wrench *from, hn_tree_wrench *to) {
  to->f = vec3_add_scaled(to->f, sign, from->f);
  to->n = vec3_add_scaled(to->n, sign, from->n);
}

// h, d and E of a couple on its second body, or on its first one, which turns E with it.
static void add_couple(const hn_couple *couple, int is_second, double *h, double *d, int stride,
                       hn_tree_wrench *force) {
  add_force(is_second ? 1 : -1, &couple->e, force);
  for (int j = 0; j < 6; j++) {
    double unit[6] = {0}, turned[6];
    unit[j] = 1;
    turn_force(unit, &couple->e, turned);
    for (int i = 0; i < 6; i++) {
      h[i * stride + j] += couple->h[i][j] - (is_second ? 0 : turned[i]);
      d[i * stride + j] += couple->d[i][j];
    }
  }
}

static void keep_couples(hn_chain *self) {
  const hn_relative_tangent *t = self->tangent;
  for (int c = 0; c < t->couples.count; c++) {
    const hn_couple *couple = &t->couples.couple[c];
    int first = couple->body[0], second = couple->body[1];
    if (!couple->is_used) continue;
    int on_ground = first == HN_GROUND || second == HN_GROUND;
    int a = first == HN_GROUND ? -1 : self->link_of[first];
    int b = second == HN_GROUND ? -1 : self->link_of[second];
    link *i = &self->links[a > b ? a : b]; // the lower one of a joint
    if (on_ground)
      add_couple(couple, b > a, &i->own[0][0], &i->own[0][6], SEES, &i->alone);
    else
      add_couple(couple, b > a, &i->h[0][0], &i->d[0][0], 6, &i->whole);
  }
}

static void keep_turns(hn_chain *self) {
  const hn_relative_tangent *t = self->tangent;
  for (int k = 0; k < self->turns; k++) {
    hn_turn_mix *mix = &self->mix[k];
    double g[3];
    const link *i = &self->links[self->turn_link[k]];
    for (int j = 0; j < 3; j++) {
      double f[6];
      vec3_store(f, i->whole.f);
      vec3_store(f + 3, i->whole.n);
      g[j] = dot(self->columns[self->turn_u[k] + j].s, f);
    }
    hn_relative_turn_rates(t, t->turns[k], mix->w, mix->wd);
    hn_mat3 turned = mat3_skew(vec3_load(g));
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) mix->own[a][b] = 0.5 * turned.m[a][b];
  }
}

void hn_chain_keep(hn_chain *self) {
  const hn_relative_tangent *t = self->tangent;
  memcpy(self->k, t->k_u, (size_t)self->nu * sizeof(double));
  memcpy(self->c, t->c_u, (size_t)self->nu * sizeof(double));
  for (int j = 0; j < self->nu; j++) {
    const hn_speed_column *from = &t->columns[j];
    kept_column *to = &self->columns[j];
    store_twist(from->s, to->s);
    store_twist(from->psd, to->psd);
    store_twist(from->both, to->both);
    store_twist(from->heavy_psdd, to->psdd);
    to->joint = from->joint;
  }
  for (int k = 0; k < self->count; k++) {
    link *i = &self->links[k];
    hn_relative_own_wrench(t, i->node, i->own, &i->alone);
    memset(i->h, 0, sizeof i->h);
    memset(i->d, 0, sizeof i->d);
    i->whole = i->force = (hn_tree_wrench){vec3_zero(), vec3_zero()};
  }
  keep_couples(self);
  for (int k = self->count - 1; k >= 0; k--) {
    link *i = &self->links[k];
    add_force(1, &i->alone, &i->force);
    add_force(1, &i->force, &i->whole);
    if (i->parent >= 0) add_force(1, &i->force, &self->links[i->parent].force);
  }
  keep_turns(self);
}

// ---- factors ------------------------------------------------------------------------------------

// z of one speed of a solution.
static void find_motion(const hn_chain *self, int j, double g_q, double g_v, double z[SEES]) {
  const kept_column *mine = &self->columns[j];
  int t = self->turn_of[j], begin = t < 0 ? j : self->turn_u[t], end = t < 0 ? j + 1 : begin + 3;
  for (int i = 0; i < 6; i++) {
    z[i] = g_q * mine->s[i];
    z[6 + i] = g_q * mine->psd[i];
    z[12 + i] = g_q * mine->psdd[i];
  }
  for (int l = begin; l < end; l++) {
    double w = t < 0 ? g_v : self->used[t].w[l - begin][j - begin];
    double wd = t < 0 ? 1 : self->used[t].wd[l - begin][j - begin];
    const kept_column *other = &self->columns[l];
    for (int i = 0; i < 6; i++) {
      z[6 + i] += w * other->s[i];
      z[12 + i] += w * other->both[i] + wd * other->s[i];
    }
  }
}

static void apply(double (*u)[SEES], const double *z, double out[6]) {
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int j = 0; j < SEES; j++) sum += u[i][j] * z[j];
    out[i] = sum;
  }
}

// out += h a + d b of elements of the joint
static void add_elements(const link *i, const double *a, const double *b, double out[6]) {
  for (int k = 0; k < 6; k++) out[k] += dot(i->h[k], a) + dot(i->d[k], b);
}

// D, by columns as hn_small_invert takes them.
static void find_block(const hn_chain *self, const link *i, double g_q, double g_v, double *block) {
  int stride = hn_small_stride(i->count);
  for (int k = 0; k < i->count; k++) {
    const double *z = i->z[k];
    double wrench[6], less[6];
    memcpy(wrench, i->uz[k], sizeof wrench);
    add_elements(i, z, z + 6, wrench);
    turn_force(z, &i->whole, less);
    for (int j = 0; j < i->count; j++) {
      const kept_column *row = &self->columns[i->first + j];
      double value = dot(row->s, wrench);
      if (self->columns[i->first + k].joint < row->joint) value -= dot(row->s, less);
      block[k * stride + j] = value;
    }
    block[k * stride + k] += g_q * self->k[i->first + k] + g_v * self->c[i->first + k];
    int t = self->turn_of[i->first + k];
    for (int j = 0; t >= 0 && j < 3; j++) {
      int begin = self->turn_u[t] - i->first;
      block[k * stride + begin + j] += self->used[t].own[j][k - begin];
    }
  }
}

// R of one speed.
static void find_row(const link *i, double (*u)[SEES], const double *s, double row[SEES]) {
  for (int j = 0; j < SEES; j++)
    row[j] = s[0] * u[0][j] + s[1] * u[1][j] + s[2] * u[2][j] + s[3] * u[3][j] + s[4] * u[4][j] +
             s[5] * u[5][j];
  for (int j = 0; j < 6; j++) {
    double unit[6] = {0}, turned[6];
    unit[j] = 1;
    turn_force(unit, &i->force, turned);
    row[j] -= dot(s, turned);
  }
}

static int factor_link(hn_chain *self, link *i, double (*u)[SEES], double g_q, double g_v) {
  double block[MOST * 8] = {0}, inverse[MOST * 8], row[MOST][SEES];
  int n = i->count, stride = hn_small_stride(n), good = 1;
  for (int k = 0; k < n; k++) {
    find_motion(self, i->first + k, g_q, g_v, i->z[k]);
    apply(u, i->z[k], i->uz[k]);
    find_row(i, u, self->columns[i->first + k].s, row[k]);
  }
  find_block(self, i, g_q, g_v, block);
  if (n > 0 && hn_small_invert(0, n, block, inverse, NULL) != 0) return 0;
  for (int j = 0; j < n; j++) {
    memset(i->share[j], 0, sizeof i->share[j]);
    for (int k = 0; k < n; k++) {
      i->inverse[j][k] = inverse[k * stride + j];
      for (int e = 0; e < SEES; e++) i->share[j][e] += i->inverse[j][k] * row[k][e];
    }
    good &= i->inverse[j][j] > 0;
  }
  return good;
}

// Adds the remainder of this one to U of the parent.
static void pass_up(const link *i, double (*u)[SEES], double (*up)[SEES]) {
  for (int a = 0; a < 6; a++)
    for (int e = 0; e < SEES; e++) {
      double sum = u[a][e];
      for (int k = 0; k < i->count; k++) sum -= i->uz[k][a] * i->share[k][e];
      up[a][e] += sum;
    }
}

static void mix_turns(hn_chain *self, double g_q, double g_v, const hn_turn_mix *given) {
  for (int t = 0; t < self->turns; t++) {
    if (given) {
      self->used[t] = given[t];
      continue;
    }
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        self->used[t].w[a][b] = g_q * self->mix[t].w[a][b] + (a == b ? g_v : 0);
        self->used[t].wd[a][b] = g_q * self->mix[t].wd[a][b] + (a == b);
        self->used[t].own[a][b] = g_q * self->mix[t].own[a][b];
      }
  }
}

int hn_chain_factor(hn_chain *self, double g_q, double g_v, const hn_turn_mix *mix) {
  int good = 1;
  mix_turns(self, g_q, g_v, mix);
  for (int k = 0; k < self->count; k++)
    memcpy(self->u[k], self->links[k].own, sizeof self->links[k].own);
  for (int k = self->count - 1; k >= 0; k--) {
    link *i = &self->links[k];
    good &= factor_link(self, i, self->u[k], g_q, g_v);
    if (i->parent >= 0) pass_up(i, self->u[k], self->u[i->parent]);
  }
  return good;
}

// ---- solutions and products ---------------------------------------------------------------------

void hn_chain_solve(const hn_chain *self, double *f) {
  memset(self->p, 0, (size_t)self->count * sizeof *self->p);
  for (int k = self->count - 1; k >= 0; k--) {
    const link *i = &self->links[k];
    double *p = self->p[k], *y = &f[i->first], rest[MOST];
    for (int j = 0; j < i->count; j++) rest[j] = y[j] - dot(self->columns[i->first + j].s, p);
    for (int j = 0; j < i->count; j++) {
      y[j] = 0;
      for (int e = 0; e < i->count; e++) y[j] += i->inverse[j][e] * rest[e];
    }
    if (i->parent < 0) continue;
    double *up = self->p[i->parent];
    for (int a = 0; a < 6; a++) {
      up[a] += p[a];
      for (int j = 0; j < i->count; j++) up[a] += i->uz[j][a] * y[j];
    }
  }
  for (int k = 0; k < self->count; k++) {
    const link *i = &self->links[k];
    double *z = self->z[k], *y = &f[i->first];
    const double *above = i->parent < 0 ? NULL : self->z[i->parent];
    if (above)
      memcpy(z, above, sizeof self->z[k]);
    else
      memset(z, 0, sizeof self->z[k]);
    for (int j = 0; j < i->count; j++) {
      for (int e = 0; above && e < SEES; e++) y[j] -= i->share[j][e] * above[e];
      for (int e = 0; e < SEES; e++) z[e] += i->z[j][e] * y[j];
    }
  }
}

static double number(const double *x, int j) { return x ? x[j] : 0; }

// z of a body, from that of the body above it.
static void find_seen(const hn_chain *self, const link *i, const double *pi, const double *w,
                      const double *wd, double z[SEES]) {
  if (i->parent < 0)
    memset(z, 0, SEES * sizeof(double));
  else
    memcpy(z, self->z[i->parent], SEES * sizeof(double));
  for (int j = i->first; j < i->first + i->count; j++) {
    const kept_column *c = &self->columns[j];
    double by_pi = number(pi, j), by_w = number(w, j), by_wd = number(wd, j);
    for (int e = 0; e < 6; e++) {
      z[e] += c->s[e] * by_pi;
      z[6 + e] += c->psd[e] * by_pi + c->s[e] * by_w;
      z[12 + e] += c->psdd[e] * by_pi + c->both[e] * by_w + c->s[e] * by_wd;
    }
  }
}

// Right side at the joint of a link: wrench is that of all that hangs on it.
static void find_shares(const hn_chain *self, int k, const double *wrench, const double *pi,
                        const double *w, double *f) {
  static const double none[SEES] = {0};
  const link *i = &self->links[k];
  const double *above = i->parent < 0 ? none : self->z[i->parent], *here = self->z[k];
  double own[SEES], all[6], less[6];
  for (int e = 0; e < SEES; e++) own[e] = here[e] - above[e];
  memcpy(all, wrench, sizeof all);
  add_elements(i, own, own + 6, all);
  turn_force(above, &i->force, less);
  for (int j = i->first; j < i->first + i->count; j++) {
    const kept_column *row = &self->columns[j];
    double sum = dot(row->s, all) - dot(row->s, less);
    for (int e = i->first; pi && e < i->first + i->count; e++) {
      double turned[6];
      if (self->columns[e].joint >= row->joint) continue;
      turn_force(self->columns[e].s, &i->whole, turned);
      sum -= pi[e] * dot(row->s, turned);
    }
    f[j] = sum + number(pi, j) * self->k[j] + number(w, j) * self->c[j];
  }
}

void hn_chain_multiply(const hn_chain *self, const double *pi, const double *w, const double *wd,
                       double *f) {
  for (int k = 0; k < self->count; k++) {
    link *i = &self->links[k];
    find_seen(self, i, pi, w, wd, self->z[k]);
    apply(i->own, self->z[k], self->p[k]);
  }
  for (int k = self->count - 1; k >= 0; k--) {
    int up = self->links[k].parent;
    find_shares(self, k, self->p[k], pi, w, f);
    for (int a = 0; up >= 0 && a < 6; a++) self->p[up][a] += self->p[k][a];
  }
}
