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

#include "equations/relative_tangent.h"

// ---- set-up -------------------------------------------------------------------------------------

static int is_coupled_force(const hn_relative_tangent *self, int force) {
  const hn_force_def *def = &self->base.equations->model->forces[force];
  return self->set->force_node[force] < 0 &&
         (hn_force_is_relative(def) || def->type == HN_FORCE_TYRE);
}

static int find_couple(hn_relative_tangent *self, int body0, int body1) {
  for (int c = 0; c < self->couple_count; c++)
    if (self->couples[c].body[0] == body0 && self->couples[c].body[1] == body1) return c;
  self->couples[self->couple_count].body[0] = body0;
  self->couples[self->couple_count].body[1] = body1;
  return self->couple_count++;
}

static int force_measures(const hn_elements *elements, int force, const hn_measure **first) {
  int own = elements->force_measure[force + 1] - elements->force_measure[force];
  int joint = elements->force_coordinate[force];
  *first = &elements->measures[joint >= 0 ? joint : elements->force_measure[force]];
  return joint >= 0 ? 1 : own;
}

static void compile_force(hn_relative_tangent *self, int force, int *forms) {
  const hn_equations *equations = self->base.equations;
  const hn_measure *measures;
  int count = force_measures(equations->elements, force, &measures), body[2];
  hn_model_force_bodies(equations->model, force, body);
  self->force_couple[force] = -1;
  self->force_form[force] = *forms;
  if (!is_coupled_force(self, force)) return;
  if (equations->model->forces[force].type == HN_FORCE_TYRE) {
    self->force_couple[force] = find_couple(self, HN_GROUND, body[1]);
    return;
  }
  for (int k = 0; k < count; k++) hn_measure_compile(&measures[k], &self->forms[(*forms)++]);
  self->force_couple[force] = find_couple(self, measures[0].body[0], measures[0].body[1]);
}

static void compile_row(hn_relative_tangent *self, int cut, int *forms) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_row *row = &elements->rows[self->set->cut_row[cut]];
  self->row_form[cut] = *forms;
  for (int k = 0; k < row->count; k++) {
    const hn_measure *measure = &elements->measures[row->measure[k]];
    hn_measure_compile(measure, &self->forms[(*forms)++]);
    self->row_couple[cut * HN_ROW_MEASURES + k] =
        find_couple(self, measure->body[0], measure->body[1]);
  }
}

static int list_columns(const hn_tree *tree, hn_couple *couple, hn_couple_column *out) {
  int top = hn_relative_top(tree, couple->body[0], couple->body[1], 1), count = 0;
  for (int slot = 0; slot < 2; slot++)
    for (int k = tree->body_node[couple->body[slot]]; k != top; k = tree->nodes[k].parent)
      for (int i = tree->nodes[k].u_count - 1; i >= 0; i--) {
        if (out) out[count] = (hn_couple_column){tree->nodes[k].u + i, slot ? 1 : -1};
        count++;
      }
  return count;
}

// Trees that an element joins have one point O.
static void share_points(hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_tree *tree = set->tree;
  const hn_model *model = set->base.model;
  int *root = self->point_node;
  for (int k = 0; k < tree->count; k++)
    root[k] = tree->nodes[k].parent < 0 ? k : root[tree->nodes[k].parent];
  for (int c = 0; c < self->couple_count + model->force_count; c++) {
    int body[2];
    if (c < self->couple_count)
      memcpy(body, self->couples[c].body, sizeof body);
    else
      hn_model_force_bodies(model, c - self->couple_count, body);
    if (body[0] == HN_GROUND || body[1] == HN_GROUND) continue;
    int a = root[tree->body_node[body[0]]], b = root[tree->body_node[body[1]]];
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int k = 0; k < tree->count && low != high; k++)
      if (root[k] == high) root[k] = low;
  }
}

hn_status hn_relative_tangent_couples(hn_arena *arena, hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  const hn_elements *elements = set->base.elements;
  int forces = set->base.model->force_count, measures = 0, forms = 0, columns = 0;
  for (int f = 0; f < forces; f++) {
    const hn_measure *first;
    measures += force_measures(elements, f, &first) + 1;
  }
  for (int c = 0; c < set->cut_count; c++) measures += elements->rows[set->cut_row[c]].count;
  self->force_couple = HN_TAKE(arena, int, forces);
  self->force_form = HN_TAKE(arena, int, forces);
  self->row_couple = HN_TAKE(arena, int, set->cut_count *HN_ROW_MEASURES);
  self->row_form = HN_TAKE(arena, int, set->cut_count);
  self->forms = HN_TAKE(arena, hn_measure_form, measures);
  self->couples = HN_TAKE(arena, hn_couple, measures);
  self->bodies = HN_TAKE(arena, hn_spatial_body, set->base.model->body_count);
  self->point_node = HN_TAKE(arena, int, set->tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int f = 0; f < forces; f++) compile_force(self, f, &forms);
  for (int c = 0; c < set->cut_count; c++) compile_row(self, c, &forms);
  for (int c = 0; c < self->couple_count; c++) {
    self->couples[c].first = columns;
    self->couples[c].count = list_columns(set->tree, &self->couples[c], NULL);
    columns += self->couples[c].count;
  }
  self->couple_columns = HN_TAKE(arena, hn_couple_column, columns);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int c = 0; c < self->couple_count; c++)
    list_columns(set->tree, &self->couples[c], &self->couple_columns[self->couples[c].first]);
  share_points(self);
  return HN_OK;
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
  for (int c = 0; c < self->couple_count; c++) {
    hn_couple *couple = &self->couples[c];
    couple->is_used = couple->has_rate = 0;
    couple->e = (hn_tree_wrench){vec3_zero(), vec3_zero()};
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

static double power(const hn_twist *a, const hn_tree_wrench *f) {
  return a->v.x * f->f.x + a->v.y * f->f.y + a->v.z * f->f.z + a->w.x * f->n.x + a->w.y * f->n.y +
         a->w.z * f->n.z;
}

static hn_tree_wrench times(double m[6][6], const hn_twist *x) {
  double out[6];
  for (int i = 0; i < 6; i++)
    out[i] = m[i][0] * x->v.x + m[i][1] * x->v.y + m[i][2] * x->v.z + m[i][3] * x->w.x +
             m[i][4] * x->w.y + m[i][5] * x->w.z;
  return (hn_tree_wrench){vec3_load(out), vec3_load(out + 3)};
}

static hn_tree_wrench minus(hn_tree_wrench a, hn_tree_wrench b) {
  return (hn_tree_wrench){vec3_sub(a.f, b.f), vec3_sub(a.n, b.n)};
}

static hn_tree_wrench turned(const hn_twist *a, hn_tree_wrench f) {
  return (hn_tree_wrench){vec3_cross(a->w, f.f),
                          vec3_add(vec3_cross(a->v, f.f), vec3_cross(a->w, f.n))};
}

static void add_column(hn_relative_tangent *self, hn_couple *couple, const hn_couple_column *list,
                       int at) {
  int nu = self->nu, k = list[at].speed, side = list[at].side;
  const hn_speed_column *mine = &self->columns[k];
  hn_tree_wrench z = times(couple->h, &mine->s), by_rate = {vec3_zero(), vec3_zero()};
  if (couple->has_rate) {
    hn_tree_wrench moved = times(couple->d, &mine->psd);
    z = (hn_tree_wrench){vec3_add(z.f, moved.f), vec3_add(z.n, moved.n)};
    by_rate = times(couple->d, &mine->s);
  }
  hn_tree_wrench less = minus(z, turned(&mine->s, couple->e));
  self->g_u[k] += side * power(&mine->s, &couple->e);
  for (int i = 0; i < couple->count; i++) {
    int j = list[i].speed, s = list[i].side;
    const hn_speed_column *other = &self->columns[j];
    double value;
    if (s > 0 && side > 0)
      value = power(&other->s, mine->joint < other->joint ? &less : &z);
    else if (s < 0 && side < 0)
      value = power(&other->s, mine->joint >= other->joint ? &less : &z);
    else
      value = -power(&other->s, s > 0 ? &less : &z);
    self->k_u[j * nu + k] += value;
    if (couple->has_rate) self->c_u[j * nu + k] += s * side * power(&other->s, &by_rate);
  }
}

void hn_couples_finish(hn_relative_tangent *self) {
  for (int c = 0; c < self->couple_count; c++) {
    hn_couple *couple = &self->couples[c];
    const hn_couple_column *list = &self->couple_columns[couple->first];
    for (int i = 0; couple->is_used && i < couple->count; i++) add_column(self, couple, list, i);
  }
}
