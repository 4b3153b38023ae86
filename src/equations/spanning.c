// The spanning tree: which joints are in the tree and which are cut into loop-closure constraints.
//
// The system is smallest when the sum of (coordinates and normalizations in the tree) minus (rows if
// cut) is least: a minimum spanning tree with the weight of each joint
//
//   fixed -6, revolute translational screw -4, cylindrical universal -2, planar 0, spherical +2
//
// grown from ground (Prim): of equally cheap joints the one nearest to the root is taken, so that
// branches are short and loops are cut in their middle; then joints that a driver or a force reads.
// If no joint leads further, the rest hangs free on its most connected, then heaviest body. `cut:
// true` keeps a joint out, and so does a condition: constraints of the tree cannot be switched off.
#include "equations/spanning.h"

#include "model/joint_types.h"

static int weight_of(hn_joint_type type) {
  int rows = hn_joint_tree_rows(type);
  int has_parameters = hn_joint_facts_of(type)->links[0].kind == HN_LINK_BALL;
  return 6 - rows + 2 * has_parameters - rows;
}

// A joint that leads from the tree to a new body.
typedef struct step {
  int weight, depth, is_read, joint;
  int from, to; // bodies
} step;

typedef struct search {
  const hn_model *model;
  hn_spanning *span;
  int *start, *incident;           // joints of a body (bodies + 1, 2 joints)
  int *depth;                      // -1: not reached (bodies)
  unsigned char *is_read, *usable; // (joints)
  step *heap;
  int heap_count, reached;
} search;

static int comes_first(const step *a, const step *b) {
  if (a->weight != b->weight) return a->weight < b->weight;
  if (a->depth != b->depth) return a->depth < b->depth;
  if (a->is_read != b->is_read) return a->is_read > b->is_read;
  return a->joint < b->joint;
}

static void push(search *s, step item) {
  int k = s->heap_count++;
  for (; k > 0 && comes_first(&item, &s->heap[(k - 1) / 2]); k = (k - 1) / 2)
    s->heap[k] = s->heap[(k - 1) / 2];
  s->heap[k] = item;
}

static step pop(search *s) {
  step top = s->heap[0], last = s->heap[--s->heap_count];
  int k = 0;
  for (;;) {
    int child = 2 * k + 1;
    if (child >= s->heap_count) break;
    if (child + 1 < s->heap_count && comes_first(&s->heap[child + 1], &s->heap[child])) child++;
    if (!comes_first(&s->heap[child], &last)) break;
    s->heap[k] = s->heap[child];
    k = child;
  }
  s->heap[k] = last;
  return top;
}

static hn_status take_memory(hn_arena *arena, const hn_model *model, search *s) {
  int bodies = model->body_count, joints = model->joint_count;
  s->model = model;
  s->start = HN_TAKE(arena, int, bodies + 1);
  s->incident = HN_TAKE(arena, int, 2 * joints);
  s->depth = HN_TAKE(arena, int, bodies);
  s->is_read = HN_TAKE(arena, unsigned char, joints);
  s->usable = HN_TAKE(arena, unsigned char, joints);
  s->heap = HN_TAKE(arena, step, 2 * joints + 1);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void list_joints(search *s) {
  const hn_model *model = s->model;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *def = &model->joints[j];
    s->usable[j] = hn_joint_tree_rows(def->type) > 0 && !def->cut &&
                   !hn_model_is_conditional(model, HN_SWITCH_JOINT, j);
    if (!s->usable[j]) continue;
    s->start[def->frame1.body + 1]++;
    s->start[def->frame2.body + 1]++;
  }
  for (int b = 0; b < model->body_count; b++) s->start[b + 1] += s->start[b];
  for (int j = model->joint_count - 1; j >= 0; j--) {
    if (!s->usable[j]) continue;
    // filled from the end: afterwards start[b + 1] is the first joint of b
    s->incident[--s->start[model->joints[j].frame1.body + 1]] = j;
    s->incident[--s->start[model->joints[j].frame2.body + 1]] = j;
  }
  for (int b = 0; b < model->body_count; b++) s->start[b] = s->start[b + 1];
  int all = 0;
  for (int j = 0; j < model->joint_count; j++) all += 2 * s->usable[j];
  s->start[model->body_count] = all;
  for (int d = 0; d < model->driver_count; d++)
    if (model->drivers[d].kind == HN_DRIVER_JOINT) s->is_read[model->drivers[d].joint] = 1;
  for (int f = 0; f < model->force_count; f++)
    if (model->forces[f].joint >= 0 && model->forces[f].joint < model->joint_count)
      s->is_read[model->forces[f].joint] = 1;
}

// The body becomes part of the tree, and its joints lead on.
static void reach(search *s, int body, int parent, int via) {
  if (body != HN_GROUND) {
    s->span->order[s->reached++] = body;
    s->span->parent[body] = parent;
    s->span->via[body] = via;
  }
  s->depth[body] = via < 0 ? 0 : s->depth[parent] + 1;
  for (int k = s->start[body]; k < s->start[body + 1]; k++) {
    int j = s->incident[k];
    const hn_joint_def *def = &s->model->joints[j];
    int other = def->frame1.body == body ? def->frame2.body : def->frame1.body;
    if (s->depth[other] >= 0) continue;
    push(s, (step){.weight = weight_of(def->type),
                   .depth = s->depth[body],
                   .is_read = s->is_read[j],
                   .joint = j,
                   .from = body,
                   .to = other});
  }
}

// The base body of the rest of the model: most joints, then most mass.
static int choose_base(const search *s) {
  int best = -1;
  for (int b = 1; b < s->model->body_count; b++) {
    if (s->depth[b] >= 0) continue;
    if (best < 0) best = b;
    int count = s->start[b + 1] - s->start[b], most = s->start[best + 1] - s->start[best];
    double mass = s->model->bodies[b].mass, largest = s->model->bodies[best].mass;
    if (count > most || (count == most && mass > largest)) best = b;
  }
  return best;
}

static void grow(search *s) {
  reach(s, HN_GROUND, HN_GROUND, -1);
  for (;;) {
    while (s->heap_count > 0) {
      step next = pop(s);
      if (s->depth[next.to] >= 0) continue;
      s->span->in_tree[next.joint] = 1;
      reach(s, next.to, next.from, next.joint);
    }
    int base = choose_base(s);
    if (base < 0) return;
    reach(s, base, HN_GROUND, -1);
  }
}

hn_status hn_span_create(hn_arena *arena, const hn_model *model, hn_hanging hanging,
                         hn_spanning *span) {
  hn_arena scratch;
  search s = {.span = span};
  hn_arena_init(&scratch, &arena->allocator);
  span->order = HN_TAKE(arena, int, model->body_count);
  span->parent = HN_TAKE(arena, int, model->body_count);
  span->via = HN_TAKE(arena, int, model->body_count);
  span->in_tree = HN_TAKE(arena, unsigned char, model->joint_count);
  hn_status status = arena->failed ? HN_ERROR_MEMORY : take_memory(&scratch, model, &s);
  if (status == HN_OK) {
    for (int b = 0; b < model->body_count; b++) s.depth[b] = -1;
    if (hanging == HN_HANG_BY_JOINTS) {
      list_joints(&s);
      grow(&s);
    }
    for (int b = 1; b < model->body_count && hanging == HN_HANG_FREE; b++)
      reach(&s, b, HN_GROUND, -1);
  }
  hn_arena_release(&scratch);
  return status;
}
