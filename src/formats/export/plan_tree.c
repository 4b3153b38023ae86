// The tree: a spanning tree of the joints that prefers those which formats cannot close a loop
// with, and the other joints, which close loops.
#include "formats/export/plan.h"
#include "model/joint_types.h"

enum { WEIGHTS = 4 };

// 0: never in the tree.
static int weight_of(const hn_plan *plan, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  if (def->cut || hn_joint_facts_of(def->type)->link_count == 0) return 0;
  if (def->type == HN_JOINT_SPHERICAL || def->type == HN_JOINT_CONSTANT_VELOCITY) return 1;
  if (def->type == HN_JOINT_REVOLUTE && !plan->is_used[j]) return 2;
  return 3;
}

static int root_of(int *set, int k) {
  while (set[k] != k) k = set[k] = set[set[k]];
  return k;
}

// Heaviest joints first, those of a weight in their order.
static void choose_joints(hn_plan *plan) {
  const hn_model *m = plan->model;
  int *set = HN_TAKE(plan->arena, int, m->body_count);
  if (!set) return;
  for (int b = 0; b < m->body_count; b++) set[b] = b;
  for (int weight = WEIGHTS - 1; weight > 0; weight--)
    for (int j = 0; j < m->joint_count; j++) {
      if (plan->sums[j].is_known || weight_of(plan, j) != weight) continue;
      int a = root_of(set, m->joints[j].frame1.body), b = root_of(set, m->joints[j].frame2.body);
      if (a == b) continue;
      plan->in_tree[j] = 1;
      set[a] = b;
    }
}

// ---- hanging bodies on each other ---------------------------------------------------------------

typedef struct ends {
  int *first, *next; // joints of a body: 2 j of its first end, 2 j + 1 of its second; -1
} ends;

static ends list_ends(hn_plan *plan) {
  const hn_model *m = plan->model;
  ends all = {HN_TAKE(plan->arena, int, m->body_count),
              HN_TAKE(plan->arena, int, 2 * m->joint_count + 2)};
  if (plan->arena->failed) return all;
  for (int b = 0; b < m->body_count; b++) all.first[b] = -1;
  for (int j = m->joint_count - 1; j >= 0; j--) {
    if (!plan->in_tree[j]) continue;
    const int bodies[2] = {m->joints[j].frame1.body, m->joints[j].frame2.body};
    for (int k = 0; k < 2; k++) {
      all.next[2 * j + k] = all.first[bodies[k]];
      all.first[bodies[k]] = 2 * j + k;
    }
  }
  return all;
}

static void hang(hn_place *place, hn_place *parent) {
  place->parent = parent;
  if (parent->last)
    parent->last->next = place;
  else
    parent->first = place;
  parent->last = place;
}

static void add_free(hn_plan *plan, hn_place *place) {
  hn_slot *slot = HN_TAKE(plan->arena, hn_slot, 1);
  hang(place, &plan->places[0]);
  if (!slot) return;
  *slot = (hn_slot){.kind = HN_SLOT_FREE,
                    .name = hn_plan_text(plan, "%s_free", place->name),
                    .joint = -1,
                    .coordinate = -1,
                    .at = place->center.p,
                    .linear = place->velocity,
                    .spin = place->spin};
  place->slots = place->last_slot = slot;
}

// All that hangs on the bodies of the queue from `at` on.
static int spread(hn_plan *plan, const ends *all, int *queue, int at, int count) {
  const hn_model *m = plan->model;
  for (; at < count; at++)
    for (int e = all->first[queue[at]]; e >= 0; e = all->next[e]) {
      const hn_joint_def *def = &m->joints[e / 2];
      int other = e % 2 == 0 ? def->frame2.body : def->frame1.body;
      hn_place *place = &plan->places[other], *parent = &plan->places[queue[at]];
      if (other == 0 || place->parent) continue;
      place->joint = e / 2;
      place->is_reversed = e % 2;
      hang(place, parent);
      hn_plan_slots(plan, place, parent, e / 2, e % 2);
      queue[count++] = other;
    }
  return count;
}

// ---- massless bodies ----------------------------------------------------------------------------

static int has_end(const hn_plan *plan, int body) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++)
    if (hn_joint_joins_bodies(m->joints[j].type) && !plan->in_tree[j] &&
        m->joints[j].type != HN_JOINT_FREE && m->joints[j].type != HN_JOINT_KNIFE_EDGE &&
        (m->joints[j].frame1.body == body || m->joints[j].frame2.body == body))
      return 1;
  for (int f = 0; f < hn_model_force_count(m); f++)
    if (hn_plan_acts_on(plan, f, body)) return 1;
  return 0;
}

static int is_empty(const hn_place *place) {
  double sum = place->mass;
  for (int k = 0; k < 3; k++) sum += place->inertia[k];
  return sum == 0;
}

static void replace_child(hn_place *parent, hn_place *old, hn_place *new_one) {
  hn_place **at = &parent->first;
  while (*at && *at != old) at = &(*at)->next;
  if (!*at) return;
  new_one->next = old->next;
  *at = new_one;
  if (parent->last == old) parent->last = new_one;
  new_one->parent = parent;
}

// A massless body between two joints: formats have several joints on one body instead.
static void merge(hn_plan *plan, hn_place *place) {
  hn_place *child = place->first;
  if (!is_empty(place) || !child || child->next || !place->slots || has_end(plan, place->body))
    return;
  place->last_slot->next = child->slots;
  if (!child->slots) {
    child->last_slot = place->last_slot;
    child->frame.p = place->frame.p;
  }
  child->slots = place->slots;
  replace_child(place->parent, place, child);
  place->into = child;
  hn_plan_tell(plan, HN_PART_BODY, place->body, HN_IMPORT_USED, ""); // as joints on the next body
  place->slots = place->last_slot = NULL;
}

// ---- loops --------------------------------------------------------------------------------------

static int has_own_words(hn_plan *plan, int j) {
  hn_joint_type type = plan->model->joints[j].type;
  return type == HN_JOINT_SPHERICAL || type == HN_JOINT_FIXED || type == HN_JOINT_DISTANCE ||
         type == HN_JOINT_CONSTANT_VELOCITY || (type == HN_JOINT_REVOLUTE && !plan->is_used[j]);
}

static hn_place *whole(hn_plan *plan, int body) {
  hn_place *place = &plan->places[body];
  while (place->into) place = place->into;
  return place;
}

// The loop is opened through a body: a part of its mass hangs on the joint and is welded to the
// rest.
static void cut_body(hn_plan *plan, int j) {
  const hn_joint_def *def = &plan->model->joints[j];
  int is_reversed = plan->places[def->frame2.body].mass <= 0;
  int body = is_reversed ? def->frame1.body : def->frame2.body;
  int other = is_reversed ? def->frame2.body : def->frame1.body;
  hn_place *cut = HN_TAKE(plan->arena, hn_place, 1);
  if (!cut || plan->places[body].mass <= 0) return;
  *cut = (hn_place){.name = hn_plan_text(plan, "%s_of_%s", plan->places[body].name, def->name),
                    .body = body,
                    .joint = j,
                    .is_reversed = is_reversed,
                    .center = plan->places[body].center,
                    .velocity = plan->places[body].velocity,
                    .spin = plan->places[body].spin};
  plan->places[body].copies++;
  hn_plan_slots(plan, cut, &plan->places[other], j, is_reversed);
  cut->into = plan->cuts;
  plan->cuts = cut;
  hang(cut, whole(plan, other));
}

static void cut_loops(hn_plan *plan) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++)
    if (hn_joint_holds(m->joints[j].type) && !plan->in_tree[j] && !plan->sums[j].is_known &&
        !has_own_words(plan, j))
      cut_body(plan, j);
}

// A format that has loops: their joints have coordinates, and carry nothing.
static void close_loops(hn_plan *plan) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++) {
    const hn_joint_def *def = &m->joints[j];
    if (!hn_joint_holds(def->type) || plan->in_tree[j] || plan->sums[j].is_known) continue;
    hn_place *end = HN_TAKE(plan->arena, hn_place, 1);
    if (!end) return;
    *end = plan->places[def->frame2.body];
    end->slots = end->last_slot = NULL;
    end->joint = j;
    hn_plan_slots(plan, end, &plan->places[def->frame1.body], j, 0);
    end->into = plan->cuts;
    plan->cuts = end;
  }
}

static void share_masses(hn_plan *plan) {
  for (hn_place *cut = plan->cuts; cut; cut = cut->into) {
    const hn_place *body = &plan->places[cut->body];
    cut->mass = body->mass / (body->copies + 1);
    for (int k = 0; k < 6; k++) cut->inertia[k] = body->inertia[k] / (body->copies + 1);
  }
  for (int b = 1; b < plan->model->body_count; b++) {
    hn_place *body = &plan->places[b];
    body->mass /= body->copies + 1;
    for (int k = 0; k < 6; k++) body->inertia[k] /= body->copies + 1;
    if (body->copies > 0)
      hn_plan_tell(plan, HN_PART_BODY, b, HN_IMPORT_APPROXIMATED,
                   "split into welded parts so that a loop can close");
  }
}

void hn_plan_tree(hn_plan *plan) {
  const hn_model *m = plan->model;
  choose_joints(plan);
  ends all = list_ends(plan);
  int *queue = HN_TAKE(plan->arena, int, m->body_count), count = 1;
  if (plan->arena->failed) return;
  queue[0] = 0;
  count = spread(plan, &all, queue, 0, count);
  for (int heavy = 1; heavy >= 0; heavy--) // roots with mass first
    for (int b = 1; b < m->body_count; b++) {
      hn_place *place = &plan->places[b];
      if (place->parent || place->is_wheel || (heavy && place->mass <= 0)) continue;
      add_free(plan, place);
      int at = count;
      queue[count++] = b;
      count = spread(plan, &all, queue, at, count);
    }
  if (plan->format == HN_EXPORT_MJCF) {
    cut_loops(plan);
    for (int k = count - 1; k > 0; k--) merge(plan, &plan->places[queue[k]]);
    share_masses(plan);
  }
  if (plan->format == HN_EXPORT_SDF) close_loops(plan);
}
