// Couples: everything that acts between two bodies, summed before it is chained along the speeds. With
// z_k = h S_k + d psd_k, c_k = S_k x* E and the sides s of speeds j and k (1 above the second body, -1
// above the first), both below the common ancestor,
//
//   G_j       = s_j S_j . E
//   dG_j/dw_k = s_j s_k S_j . d S_k
//   dG_j/dpi_k = S_j . (z_k - [k strictly above j] c_k)     both above the second body
//                S_j . (z_k - [k at or below j] c_k)        both above the first
//                S_j . (c_k - z_k)                          j above the second, k above the first
//                -S_j . z_k                                 the other way round
//
// because moving both bodies turns E with them: what the first body does to E is S x* E less what the
// second would do.
#include <string.h>

#include "equations/relative/tangent.h"

// ---- set-up -------------------------------------------------------------------------------------

static int is_coupled_force(const hn_relative_tangent *self, int force) {
  const hn_force_def *def = &self->base.equations->model->forces[force];
  return self->set->forces.node[force] < 0 &&
         (hn_force_is_relative(def) || hn_force_row_of(def->type)->load ||
          hn_force_row_of(def->type)->held_wrench);
}

static int is_on_ground(const hn_couple *couple) {
  return couple->body[0] == HN_GROUND || couple->body[1] == HN_GROUND;
}

// Compiled so far: forms, and the last couple of each second body, plus one (bodies).
typedef struct compiled {
  int forms;
  int *last;
} compiled;

static int find_couple(hn_relative_tangent *self, compiled *made, int body0, int body1) {
  for (int c = made->last[body1] - 1; c >= 0; c = self->couples.couple[c].before)
    if (self->couples.couple[c].body[0] == body0) return c;
  self->couples.couple[self->couples.count] =
      (hn_couple){.body = {body0, body1}, .before = made->last[body1] - 1};
  return (made->last[body1] = ++self->couples.count) - 1;
}

static int force_measures(const hn_elements *elements, int force, const hn_measure **first) {
  int own = elements->force_measure[force + 1] - elements->force_measure[force];
  int joint = elements->force_coordinate[force];
  *first = &elements->measures[joint >= 0 ? joint : elements->force_measure[force]];
  return joint >= 0 ? 1 : own;
}

static void compile_force(hn_relative_tangent *self, int force, compiled *made) {
  const hn_equations *equations = self->base.equations;
  const hn_measure *measures;
  int count = force_measures(equations->elements, force, &measures), body[2];
  hn_model_force_bodies(equations->model, force, body);
  self->couples.of_force[force] = -1;
  self->couples.force_form[force] = made->forms;
  if (!is_coupled_force(self, force)) {
    int is_candidate = self->set->base.is_deep && self->set->forces.node[force] < 0;
    if (is_candidate && (body[0] == HN_GROUND) != (body[1] == HN_GROUND))
      self->couples.force_form[force] = find_couple(self, made, HN_GROUND, body[0] + body[1]);
    return;
  }
  if (!hn_force_is_relative(&equations->model->forces[force])) {
    self->couples.of_force[force] = find_couple(self, made, HN_GROUND, body[1]);
    return;
  }
  for (int k = 0; k < count; k++)
    hn_measure_compile(&measures[k], &self->couples.forms[made->forms++]);
  self->couples.of_force[force] = find_couple(self, made, measures[0].body[0], measures[0].body[1]);
}

static void compile_row(hn_relative_tangent *self, int cut, compiled *made) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_row *row = &elements->rows[self->set->cut_row[cut]];
  self->couples.row_form[cut] = made->forms;
  for (int k = 0; k < row->count; k++) {
    const hn_measure *measure = &elements->measures[row->measure[k]];
    hn_measure_compile(measure, &self->couples.forms[made->forms++]);
    self->couples.of_row[cut * HN_ROW_MEASURES + k] =
        find_couple(self, made, measure->body[0], measure->body[1]);
  }
}

static int list_columns(const hn_relative_tangent *self, hn_couple *couple, hn_couple_column *out) {
  const hn_tree *tree = self->set->tree;
  if (self->base.is_deep && is_on_ground(couple)) return 0; // relative/chain.c
  int top = hn_relative_top(tree, couple->body[0], couple->body[1], 1), count = 0;
  for (int slot = 0; slot < 2; slot++)
    for (int k = tree->body_node[couple->body[slot]]; k != top; k = tree->nodes[k].parent)
      for (int i = tree->nodes[k].u_count - 1; i >= 0; i--) {
        if (out) out[count] = (hn_couple_column){tree->nodes[k].u + i, slot ? 1 : -1};
        count++;
      }
  return count;
}

static hn_status find_places(hn_arena *arena, const hn_relative_tangent *self, hn_couple *couple) {
  const hn_couple_column *list = &self->couples.column[couple->first];
  size_t n = (size_t)couple->count;
  couple->place = hn_arena_take(arena, n * n, sizeof(int));
  if (arena->failed) return HN_ERROR_MEMORY;
  int *place = couple->place;
  for (int i = 0; i < couple->count; i++)
    for (int k = 0; k < couple->count; k++)
      *place++ = hn_relative_place(self, list[i].speed, list[k].speed);
  return HN_OK;
}

static int top_of(const int *root, int k) {
  while (root[k] != k) k = root[k];
  return k;
}

// Trees that an element joins have one point O, that of the first of them.
static void share_points(hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  const hn_model *model = set->base.model;
  int *root = self->point_node;
  for (int k = 0; k < tree->count; k++)
    root[k] = tree->nodes[k].parent < 0 ? k : root[tree->nodes[k].parent];
  for (int c = 0; c < self->couples.count + model->force_count; c++) {
    int body[2];
    if (c < self->couples.count)
      memcpy(body, self->couples.couple[c].body, sizeof body);
    else
      hn_model_force_bodies(model, c - self->couples.count, body);
    if (body[0] == HN_GROUND || body[1] == HN_GROUND) continue;
    int a = top_of(root, tree->body_node[body[0]]), b = top_of(root, tree->body_node[body[1]]);
    root[a < b ? b : a] = a < b ? a : b;
  }
  for (int k = 0; k < tree->count; k++) root[k] = root[root[k]];
}

static hn_status compile(hn_arena *arena, hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  compiled made = {0, HN_TAKE(&scratch, int, set->base.model->body_count)};
  hn_status status = scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  for (int f = 0; status == HN_OK && f < set->base.model->force_count; f++)
    compile_force(self, f, &made);
  for (int c = 0; status == HN_OK && c < set->cut_count; c++) compile_row(self, c, &made);
  hn_arena_release(&scratch);
  return status;
}

hn_status hn_relative_tangent_couples(hn_arena *arena, hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_elements *elements = set->base.elements;
  int forces = set->base.model->force_count, measures = 0;
  for (int f = 0; f < forces; f++) {
    const hn_measure *first;
    measures += force_measures(elements, f, &first) + 1;
  }
  for (int c = 0; c < set->cut_count; c++) measures += elements->rows[set->cut_row[c]].count;
  self->couples.of_force = HN_TAKE(arena, int, forces);
  self->couples.force_form = HN_TAKE(arena, int, forces);
  self->couples.of_row = HN_TAKE(arena, int, set->cut_count *HN_ROW_MEASURES);
  self->couples.row_form = HN_TAKE(arena, int, set->cut_count);
  self->couples.forms = HN_TAKE(arena, hn_measure_form, measures);
  self->couples.couple = HN_KEEP(arena, hn_couple, measures);
  self->bodies = HN_KEEP(arena, hn_spatial_body, set->base.model->body_count);
  self->point_node = HN_TAKE(arena, int, set->tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  if (compile(arena, self) != HN_OK) return HN_ERROR_MEMORY;
  share_points(self);
  return HN_OK;
}

hn_status hn_relative_tangent_place_couples(hn_arena *arena, hn_relative_tangent *self) {
  int columns = 0;
  for (int c = 0; c < self->couples.count; c++) {
    self->couples.couple[c].first = columns;
    self->couples.couple[c].count = list_columns(self, &self->couples.couple[c], NULL);
    columns += self->couples.couple[c].count;
  }
  self->couples.column = HN_TAKE(arena, hn_couple_column, columns);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int c = 0; c < self->couples.count; c++) {
    hn_couple *couple = &self->couples.couple[c];
    list_columns(self, couple, &self->couples.column[couple->first]);
    if (!self->base.is_deep && find_places(arena, self, couple) != HN_OK) return HN_ERROR_MEMORY;
  }
  return HN_OK;
}

// ---- deep trees ---------------------------------------------------------------------------------

// One body hangs on the other one by a joint.
static int is_along_joint(const hn_tree *tree, const hn_couple *couple) {
  int a = tree->body_node[couple->body[0]], b = tree->body_node[couple->body[1]];
  int low = a > b ? a : b, up = tree->nodes[low].parent;
  while (up >= 0 && tree->nodes[up].body == 0) up = tree->nodes[up].parent;
  return up == (a > b ? b : a);
}

int hn_relative_tangent_is_deep(const hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  const hn_model *model = set->base.model;
  if (!set->base.is_deep) return 0;
  for (int f = 0; f < model->force_count; f++) {
    int body[2];
    hn_model_force_bodies(model, f, body);
    if (set->forces.node[f] < 0 && self->couples.of_force[f] < 0 && body[0] != HN_GROUND &&
        body[1] != HN_GROUND)
      return 0;
  }
  for (int c = 0; c < self->couples.count; c++)
    if (!is_on_ground(&self->couples.couple[c]) && !is_along_joint(tree, &self->couples.couple[c]))
      return 0;
  return 1;
}

// Shares of time of elements with ground.
static void finish_deep(hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  hn_tree_wrench *sum = self->set->force;
  for (int k = 0; k < tree->count; k++) sum[k] = (hn_tree_wrench){vec3_zero(), vec3_zero()};
  for (int c = 0; c < self->couples.count; c++) {
    const hn_couple *couple = &self->couples.couple[c];
    if (!couple->is_used || !is_on_ground(couple)) continue;
    int second = couple->body[1] != HN_GROUND, node = tree->body_node[couple->body[second]];
    sum[node].f = vec3_add_scaled(sum[node].f, second ? 1 : -1, couple->rate.f);
    sum[node].n = vec3_add_scaled(sum[node].n, second ? 1 : -1, couple->rate.n);
  }
  for (int k = tree->count - 1; k >= 0; k--) {
    const hn_tree_node *node = &tree->nodes[k];
    for (int j = node->u; j < node->u + node->u_count; j++)
      self->t_u[j] +=
          vec3_dot(self->columns[j].s.v, sum[k].f) + vec3_dot(self->columns[j].s.w, sum[k].n);
    if (node->parent < 0) continue;
    sum[node->parent].f = vec3_add(sum[node->parent].f, sum[k].f);
    sum[node->parent].n = vec3_add(sum[node->parent].n, sum[k].n);
  }
}

// ---- numbers ------------------------------------------------------------------------------------

void hn_couples_begin(hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_frame *frames = self->snapshot->frames;
  for (int b = 1; b < set->base.model->body_count; b++) {
    const hn_node_rates *rates = &self->rates[set->tree->body_node[b]];
    self->bodies[b] =
        (hn_spatial_body){frames[b].a, vec3_sub(frames[b].r, rates->point), rates->y, rates->a};
  }
  for (int c = 0; c < self->couples.count; c++) {
    hn_couple *couple = &self->couples.couple[c];
    couple->is_used = couple->has_rate = 0;
    couple->e = couple->rate = (hn_tree_wrench){vec3_zero(), vec3_zero()};
    memset(couple->h, 0, sizeof couple->h);
    memset(couple->d, 0, sizeof couple->d);
  }
}

void hn_couple_bodies(const hn_relative_tangent *self, const hn_couple *couple,
                      hn_spatial_body *room, const hn_spatial_body *out[2]) {
  for (int slot = 0; slot < 2; slot++) {
    int body = couple->body[slot], other = couple->body[1 - slot];
    out[slot] = &self->bodies[body];
    if (body != HN_GROUND) continue;
    hn_vec3 point =
        other == HN_GROUND ? vec3_zero() : self->rates[self->set->tree->body_node[other]].point;
    *room = (hn_spatial_body){.axes = mat3_identity(), .centre = vec3_negate(point)};
    out[slot] = room;
  }
}

HN_INLINE double power(const hn_twist *a, const hn_tree_wrench *f) {
  return a->v.x * f->f.x + a->v.y * f->f.y + a->v.z * f->f.z + a->w.x * f->n.x + a->w.y * f->n.y +
         a->w.z * f->n.z;
}

HN_INLINE hn_tree_wrench times(double m[6][6], const hn_twist *x) {
  double out[6];
  for (int i = 0; i < 6; i++)
    out[i] = m[i][0] * x->v.x + m[i][1] * x->v.y + m[i][2] * x->v.z + m[i][3] * x->w.x +
             m[i][4] * x->w.y + m[i][5] * x->w.z;
  return (hn_tree_wrench){vec3_load(out), vec3_load(out + 3)};
}

HN_INLINE hn_tree_wrench minus(hn_tree_wrench a, hn_tree_wrench b) {
  return (hn_tree_wrench){vec3_sub(a.f, b.f), vec3_sub(a.n, b.n)};
}

HN_INLINE hn_tree_wrench turned(const hn_twist *a, hn_tree_wrench f) {
  return (hn_tree_wrench){vec3_cross(a->w, f.f),
                          vec3_add(vec3_cross(a->v, f.f), vec3_cross(a->w, f.n))};
}

// Contribution of a column to the rows: z, z - c, and d S.
typedef struct brought {
  hn_tree_wrench z, less, rate;
} brought;

HN_INLINE brought bring(hn_couple *couple, const hn_speed_column *mine) {
  brought b = {.z = times(couple->h, &mine->s)};
  if (couple->has_rate) {
    hn_tree_wrench moved = times(couple->d, &mine->psd);
    b.z = (hn_tree_wrench){vec3_add(b.z.f, moved.f), vec3_add(b.z.n, moved.n)};
    b.rate = times(couple->d, &mine->s);
  }
  b.less = minus(b.z, turned(&mine->s, couple->e));
  return b;
}

static void add_column(hn_relative_tangent *self, hn_couple *couple, const hn_couple_column *list,
                       int at) {
  int k = list[at].speed, side = list[at].side;
  const hn_speed_column *mine = &self->columns[k];
  brought b = bring(couple, mine);
  self->g_u[k] += side * power(&mine->s, &couple->e);
  for (int i = 0; i < couple->count; i++) {
    int s = list[i].side;
    const hn_speed_column *other = &self->columns[list[i].speed];
    double value;
    if (s > 0 && side > 0)
      value = power(&other->s, mine->joint < other->joint ? &b.less : &b.z);
    else if (s < 0 && side < 0)
      value = power(&other->s, mine->joint >= other->joint ? &b.less : &b.z);
    else
      value = -power(&other->s, s > 0 ? &b.less : &b.z);
    int entry = couple->place[i * couple->count + at];
    self->k_u[entry] += value;
    if (couple->has_rate) self->c_u[entry] += s * side * power(&other->s, &b.rate);
  }
}

void hn_couples_finish(hn_relative_tangent *self) {
  if (self->base.is_deep) {
    finish_deep(self);
    return;
  }
  for (int c = 0; c < self->couples.count; c++) {
    hn_couple *couple = &self->couples.couple[c];
    const hn_couple_column *list = &self->couples.column[couple->first];
    for (int i = 0; couple->is_used && i < couple->count; i++) add_column(self, couple, list, i);
  }
}
