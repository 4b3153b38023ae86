// The model cut into parts for independent coordinates: see reduction_private.h. Parts of the joint
// graph come children first from its walk, so the last ones are entered from ground.
#include "elements/joint_graph.h"
#include "integrate/reduction_private.h"
#include "linalg/small.h"

typedef struct sorting {
  const hn_elements *elements;
  const hn_tangent *tangent;
  hn_joint_graph graph;
  int bodies;         // with ground
  int *owner;         // part that owns a body, -1: none yet
  int *part_of_graph; // part of ours for one of the graph, -1: rows go to the owner of their body
} sorting;

// The body a column or a normalization belongs to.
static int body_of_column(const hn_tangent *tangent, int column) {
  return tangent->column_body ? tangent->column_body[column] : column / 7 + 1;
}

static int body_of_normalization(const hn_tangent *tangent, int number) {
  return tangent->normalization_body ? tangent->normalization_body[number] : number + 1;
}

// ---- who owns which body ------------------------------------------------------------------------

// A part of one body only, as of a joint from a body to itself, has no bodies of its own.
static int is_alone(const hn_joint_graph *graph, int p) {
  return graph->body_start[p + 1] - graph->body_start[p] < 2;
}

// A body of the part that is already determined: ground, or one of a part before it.
static int has_entry(const sorting *s, int p) {
  for (int k = s->graph.body_start[p]; k < s->graph.body_start[p + 1]; k++) {
    int b = s->graph.bodies[k];
    if (b == HN_GROUND || s->owner[b] >= 0) return 1;
  }
  return 0;
}

static void share_out(hn_reduction *self, sorting *s) {
  for (int b = 0; b < s->bodies; b++) s->owner[b] = -1;
  for (int p = s->graph.part_count - 1; p >= 0; p--) {
    s->part_of_graph[p] = -1;
    if (is_alone(&s->graph, p)) continue;
    const int *body = &s->graph.bodies[s->graph.body_start[p]];
    int count = s->graph.body_start[p + 1] - s->graph.body_start[p];
    if (!has_entry(s, p)) s->owner[body[0]] = self->part_count++; // free to move as a whole
    s->part_of_graph[p] = self->part_count++;
    for (int k = 0; k < count; k++)
      if (body[k] != HN_GROUND && s->owner[body[k]] < 0) s->owner[body[k]] = s->part_of_graph[p];
  }
  for (int b = 1; b < s->bodies; b++)
    if (s->owner[b] < 0) s->owner[b] = self->part_count++;
}

// The part of a row, or -1 for a row between points of ground.
static int part_of(const sorting *s, int row) {
  int elements = s->elements->row_count;
  if (row >= elements) return s->owner[body_of_normalization(s->tangent, row - elements)];
  int p = s->graph.part_of_row[row];
  if (s->part_of_graph[p] >= 0) return s->part_of_graph[p];
  const hn_row *r = &s->elements->rows[row];
  return r->body_count > 0 ? s->owner[r->body[0]] : -1;
}

// ---- the order of parts -------------------------------------------------------------------------

// Parts are solved one after another, so the columns of a row are in its own part or in one before
// it. The walk of the joint graph has them so when coordinates are those of their own body. Natural
// coordinates of a body may be those of a neighbor that the walk enters later, as in a floating
// model: there parts are put in the order in which they need each other, and parts that need each
// other both ways are one (Tarjan 1972, without recursion). Parts in order keep their numbers.
typedef struct ordering {
  int *start, *need; // parts that rows of a part read
  int *next;         // of these, the first not yet visited
  int *seen, *low;   // when a part was reached, from 1; the earliest open one it leads to
  int *open, *path;  // parts without a new number, and those on the way to the present one
  int *number;       // new ones, -1: none yet
  int seen_count, open_count, count;
} ordering;

static void add_need(ordering *o, int p, int other, int is_counting) {
  if (is_counting)
    o->start[p + 1]++;
  else
    o->need[o->next[p]++] = other;
}

// An element's row that sees a part after its own may hold that one too: these are one.
static void visit_needs(const sorting *s, ordering *o, int is_counting) {
  const hn_sparse *phi_q = &s->tangent->phi_q;
  for (int r = 0; r < phi_q->rows; r++) {
    int p = part_of(s, r);
    for (int e = phi_q->start[r]; p >= 0 && e < phi_q->start[r + 1]; e++) {
      int other = s->owner[body_of_column(s->tangent, phi_q->index[e])];
      add_need(o, p, other, is_counting);
      if (r < s->elements->row_count && other > p) add_need(o, other, p, is_counting);
    }
  }
}

static void list_needs(const sorting *s, int parts, ordering *o) {
  visit_needs(s, o, 1);
  for (int p = 0; p < parts; p++) {
    o->start[p + 1] += o->start[p];
    o->next[p] = o->start[p];
    o->number[p] = -1;
  }
  visit_needs(s, o, 0);
  for (int p = 0; p < parts; p++) o->next[p] = o->start[p];
}

static void reach(ordering *o, int p) {
  o->seen[p] = o->low[p] = ++o->seen_count;
  o->open[o->open_count++] = p;
}

// The parts still open since p was reached are one.
static void close_part(ordering *o, int p) {
  int last;
  do {
    last = o->open[--o->open_count];
    o->number[last] = o->count;
  } while (last != p);
  o->count++;
}

static void order_from(ordering *o, int first) {
  int depth = 0;
  o->path[depth++] = first;
  reach(o, first);
  while (depth > 0) {
    int p = o->path[depth - 1];
    if (o->next[p] < o->start[p + 1]) {
      int other = o->need[o->next[p]++];
      if (o->seen[other] == 0) {
        o->path[depth++] = other;
        reach(o, other);
      } else if (o->number[other] < 0 && o->seen[other] < o->low[p]) {
        o->low[p] = o->seen[other];
      }
      continue;
    }
    if (o->low[p] == o->seen[p]) close_part(o, p);
    depth--;
    if (depth > 0 && o->low[p] < o->low[o->path[depth - 1]]) o->low[o->path[depth - 1]] = o->low[p];
  }
}

static void number_again(hn_reduction *self, sorting *s, const ordering *o) {
  for (int b = 0; b < s->bodies; b++)
    if (s->owner[b] >= 0) s->owner[b] = o->number[s->owner[b]];
  for (int p = 0; p < s->graph.part_count; p++)
    if (s->part_of_graph[p] >= 0) s->part_of_graph[p] = o->number[s->part_of_graph[p]];
  self->part_count = o->count;
}

static hn_status put_in_order(hn_arena *scratch, hn_reduction *self, sorting *s) {
  const hn_sparse *phi_q = &s->tangent->phi_q;
  int parts = self->part_count;
  ordering o = {.start = HN_TAKE(scratch, int, parts + 1)};
  int **vectors[] = {&o.next, &o.seen, &o.low, &o.open, &o.path, &o.number};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(scratch, int, parts);
  o.need = HN_TAKE(scratch, int, 2 * phi_q->start[phi_q->rows]);
  if (scratch->failed) return HN_ERROR_MEMORY;
  list_needs(s, parts, &o);
  for (int p = 0; p < parts; p++)
    if (o.seen[p] == 0) order_from(&o, p);
  number_again(self, s, &o);
  return HN_OK;
}

// ---- parts --------------------------------------------------------------------------------------

static void take_part(hn_arena *arena, int is_tangent_plane, hn_reduction_part *part) {
  int n = part->n, rows = part->rows;
  size_t square = (size_t)n * (size_t)n;
  part->home = HN_TAKE(arena, int, n);
  part->column = HN_KEEP(arena, int, n);
  part->row = HN_TAKE(arena, int, rows);
  part->kept = HN_KEEP(arena, int, rows);
  part->row_scale = HN_KEEP(arena, double, rows);
  part->n = part->rows = 0;
  if (n >= HN_REDUCTION_MANY) return;
  int most = is_tangent_plane || n < rows ? n : rows; // of its factor
  if (most <= HN_SMALL) {
    part->inverse = HN_KEEP(arena, double, hn_small_size(most));
    part->transposed = HN_KEEP(arena, double, hn_small_size(most));
  }
  part->factor = HN_KEEP(arena, double, square);
  part->pivots = HN_KEEP(arena, int, n);
  if (is_tangent_plane) part->basis = HN_KEEP(arena, double, square);
}

// The parts of columns and rows are known. Rows that hold by the choice of coordinates, and those of a
// part (-1: none) without any, are left out.
static hn_status fill_parts(hn_arena *arena, hn_reduction *self, int *part_of_row) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  self->parts = HN_KEEP(arena, hn_reduction_part, self->part_count);
  if (!self->parts) return HN_ERROR_MEMORY;
  for (int i = 0; i < self->tangent->n; i++) self->parts[self->part_of_column[i]].n++;
  for (int r = 0; r < phi_q->rows; r++) {
    int p = part_of_row[r], is_empty = phi_q->start[r] == phi_q->start[r + 1];
    self->left_out[r] = p < 0 || is_empty || self->parts[p].n == 0;
    if (!self->left_out[r]) self->parts[p].rows++;
  }
  for (int p = 0; p < self->part_count; p++)
    take_part(arena, self->is_tangent_plane, &self->parts[p]);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int i = 0; i < self->tangent->n; i++) {
    hn_reduction_part *part = &self->parts[self->part_of_column[i]];
    part->column[part->n] = part->home[part->n] = i;
    part->n++;
  }
  for (int r = 0; r < phi_q->rows; r++) {
    if (self->left_out[r]) continue;
    hn_reduction_part *part = &self->parts[part_of_row[r]];
    part->row[part->rows++] = r;
  }
  return HN_OK;
}

// ---- the bound on degrees of freedom ------------------------------------------------------------

static int find_root(int *root, int i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

// Constraints of joints along a tree are independent; the tree with most constraints leaves fewest
// degrees of freedom.
static int bound(const hn_elements *elements, int bodies, int *root) {
  const hn_model *model = elements->model;
  int held = 0;
  for (int b = 0; b < bodies; b++) root[b] = b;
  for (int rows = 6; rows > 0; rows--)
    for (int j = 0; j < model->joint_count; j++) {
      const hn_joint_def *joint = &model->joints[j];
      if (joint->coupled_count > 0 || elements->joint_row[j + 1] - elements->joint_row[j] != rows)
        continue;
      int a = find_root(root, joint->frame1.body), b = find_root(root, joint->frame2.body);
      if (a == b) continue;
      root[a] = b;
      held += rows;
    }
  return 6 * (bodies - 1) - held;
}

// ---- other coordinates --------------------------------------------------------------------------

// Coordinates that are not those of bodies: parts are what the rows of Phi_q join together.
static void join_columns(const hn_sparse *phi_q, int n, int *root) {
  for (int i = 0; i < n; i++) root[i] = i;
  for (int r = 0; r < phi_q->rows; r++)
    for (int e = phi_q->start[r]; e < phi_q->start[r + 1]; e++)
      root[find_root(root, phi_q->index[e])] = find_root(root, phi_q->index[phi_q->start[r]]);
}

static hn_status find_joined_parts(hn_arena *scratch, hn_reduction *self, int *part_of_row) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int n = self->tangent->n;
  int *root = HN_TAKE(scratch, int, n), *number = HN_TAKE(scratch, int, n);
  if (scratch->failed) return HN_ERROR_MEMORY;
  join_columns(phi_q, n, root);
  for (int i = 0; i < n; i++)
    if (find_root(root, i) == i) number[i] = self->part_count++;
  for (int i = 0; i < n; i++) self->part_of_column[i] = number[find_root(root, i)];
  for (int r = 0; r < phi_q->rows; r++)
    part_of_row[r] = phi_q->start[r] < phi_q->start[r + 1]
                         ? self->part_of_column[phi_q->index[phi_q->start[r]]]
                         : -1;
  self->most = self->equations->nu;
  return HN_OK;
}

// ---- together -----------------------------------------------------------------------------------

static hn_status find_parts_of_bodies(hn_arena *scratch, hn_reduction *self, int *part_of_row) {
  const hn_equations *equations = self->equations;
  sorting s = {.elements = equations->elements,
               .tangent = self->tangent,
               .bodies = equations->model->body_count};
  hn_status status = hn_joint_graph_create(scratch, s.elements, &s.graph);
  s.owner = HN_TAKE(scratch, int, s.bodies);
  s.part_of_graph = HN_TAKE(scratch, int, s.graph.part_count);
  int *root = HN_TAKE(scratch, int, s.bodies);
  if (scratch->failed) return HN_ERROR_MEMORY;
  if (status != HN_OK) return status;
  share_out(self, &s);
  status = put_in_order(scratch, self, &s);
  if (status != HN_OK) return status;
  for (int i = 0; i < s.tangent->n; i++)
    self->part_of_column[i] = s.owner[body_of_column(s.tangent, i)];
  for (int r = 0; r < s.tangent->rows; r++) part_of_row[r] = part_of(&s, r);
  self->most = bound(s.elements, s.bodies, root);
  return HN_OK;
}

hn_status hn_reduction_find_parts(hn_arena *arena, hn_reduction *self) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *part_of_row = HN_TAKE(&scratch, int, self->tangent->phi_q.rows);
  hn_status status = self->equations->type->traits.of_joints
                         ? find_joined_parts(&scratch, self, part_of_row)
                         : find_parts_of_bodies(&scratch, self, part_of_row);
  if (status == HN_OK) status = fill_parts(arena, self, part_of_row);
  hn_arena_release(&scratch);
  return status;
}
