// Names of the coordinates q, in the order of the set that a simulation uses.
//
// Relative coordinates are those of the joints of the tree, joint by joint as the bodies of the tree
// follow each other, and of free bodies; Cartesian ones are seven of each body. Other sets have
// coordinates without a meaning of their own, which have no names.
#include "analysis/simulation.h"
#include "base/error.h"
#include "model/joint_types.h"

typedef struct hn_label_list {
  hn_coordinate_label *labels;
  int count, capacity;
} hn_label_list;

static void add(hn_label_list *list, int joint, int body, const char *part) {
  if (list->count < list->capacity)
    list->labels[list->count] = (hn_coordinate_label){joint, body, part};
  list->count++;
}

static void add_rotation(hn_label_list *list, int joint, int body) {
  static const char *const parts[4] = {"e0", "e1", "e2", "e3"};
  for (int k = 0; k < 4; k++) add(list, joint, body, parts[k]);
}

static void add_free(hn_label_list *list, int body) {
  static const char *const parts[3] = {"x", "y", "z"};
  for (int k = 0; k < 3; k++) add(list, -1, body, parts[k]);
  add_rotation(list, -1, body);
}

// The coordinate of the joint that a link is. A link that counts from another reference has a number:
// those of a universal joint, and of a planar one whose second body carries the first.
static const char *part_of(const hn_joint_facts *facts, int link, int is_reversed) {
  static const char *const numbers[HN_JOINT_LINKS] = {"1", "2", "3"};
  static const char *const planar[HN_JOINT_LINKS] = {"x", "y", "angle"};
  const unsigned reads = facts->links[link].reads;
  if (facts->link_count == 1) return "";
  if (facts->coordinates & HN_JOINT_BIT(X) && !is_reversed) return planar[link];
  for (int c = 0; c < HN_COORDINATES; c++)
    if (reads >> c & 1u) return hn_coordinate_name((hn_coordinate)c);
  return numbers[link];
}

static void add_joint(hn_label_list *list, const hn_model *model, const hn_tree_entry *entry) {
  const hn_joint_def *def = &model->joints[entry->joint];
  const hn_joint_facts *facts = hn_joint_facts_of(def->type);
  const int is_reversed = def->frame1.body == entry->body;
  for (int k = 0; k < facts->link_count; k++) {
    switch (facts->links[k].kind) {
    case HN_LINK_FIXED: break;
    case HN_LINK_BALL: add_rotation(list, entry->joint, -1); break;
    case HN_LINK_FREE: add_free(list, entry->body); break;
    case HN_LINK_HINGE:
    case HN_LINK_SLIDE:
    case HN_LINK_SCREW: add(list, entry->joint, -1, part_of(facts, k, is_reversed)); break;
    }
  }
}

static hn_status name_tree(const hn_simulation *s, hn_label_list *list) {
  const hn_model *model = s->model;
  const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
  hn_tree_entry *tree = hn_allocate(NULL, bodies * sizeof *tree);
  int *depth = hn_allocate(NULL, (bodies + joints + 1) * sizeof *depth), cuts;
  if (tree && depth) {
    depth[0] = 0;
    hn_relative_describe(s->equations, tree, depth, depth + bodies, &cuts);
    for (int k = 0; k < model->body_count - 1; k++)
      if (tree[k].joint < 0)
        add_free(list, tree[k].body);
      else
        add_joint(list, model, &tree[k]);
  }
  const hn_status status = tree && depth ? HN_OK : HN_ERROR_MEMORY;
  hn_release(NULL, tree);
  hn_release(NULL, depth);
  return status;
}

hn_status hn_simulation_coordinate_labels(const hn_simulation *s, hn_coordinate_label *labels) {
  hn_label_list list = {labels, 0, s->equations->nq};
  hn_status status = HN_OK;
  if (s->equations->type->traits.of_joints)
    status = name_tree(s, &list);
  else if (s->equations->nq == 7 * (s->model->body_count - 1))
    for (int b = 1; b < s->model->body_count; b++) add_free(&list, b);
  if (list.count == s->equations->nq) return status;
  for (int k = 0; k < s->equations->nq; k++) labels[k] = (hn_coordinate_label){-1, -1, ""};
  return status;
}
