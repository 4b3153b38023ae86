// Positions of constraints in the hierarchy of components. See levels.h.
#include "equations/levels.h"
#include "holon/component.h"

static int depth_of(const hn_model *model, int component) {
  int depth = 0;
  for (; component > 0; component = model->components.item[component].parent) depth++;
  return depth;
}

// The smallest component that contains both.
static int common_of(const hn_model *model, int a, int b) {
  int da = depth_of(model, a), db = depth_of(model, b);
  for (; da > db; da--) a = model->components.item[a].parent;
  for (; db > da; db--) b = model->components.item[b].parent;
  while (a != b) {
    a = model->components.item[a].parent;
    b = model->components.item[b].parent;
  }
  return a;
}

static int owner_of(const hn_model *model, const hn_row *row) {
  return row->is_driver ? model->drivers[row->owner].component
                        : model->joints[row->owner].component;
}

// The component directly inside `node` that contains `inner`; 0 for node itself.
static int branch_of(const hn_model *model, int node, int inner) {
  if (inner == node) return 0;
  while (model->components.item[inner].parent != node) inner = model->components.item[inner].parent;
  return inner;
}

// Own rows of the model, then those that sealed components bring along.
static void find_nodes(const hn_elements *elements, int *row_node, int *branch) {
  const hn_model *model = elements->model;
  int row_count = elements->row_count;
  for (int r = 0; r < row_count; r++) {
    const hn_row *row = &elements->rows[r];
    int owner = owner_of(model, row), node = owner;
    for (int k = 0; k < row->body_count; k++)
      node = common_of(model, node, model->bodies[row->body[k]].component);
    row_node[r] = node;
    branch[r] = branch_of(model, node, owner);
  }
  for (int p = 0; p < model->part_count; p++) {
    const hn_sealed_part *part = &model->parts[p];
    const hn_component_facts *facts = part->facts;
    for (int r = 0; r < facts->border_row_count; r++, row_count++) {
      int node = model->components.item[part->component].parent;
      for (int k = facts->border_row_start[r]; k < facts->border_row_start[r + 1]; k++) {
        int body = facts->border_row_body[k];
        if (body < 0 && part->external[-1 - body] != HN_GROUND)
          node = common_of(model, node, model->bodies[part->external[-1 - body]].component);
      }
      row_node[row_count] = node;
      branch[row_count] = branch_of(model, node, part->component);
    }
  }
}

hn_status hn_nested_row_nodes(hn_arena *arena, const hn_elements *elements, int *row_node,
                              int *row_order) {
  const hn_model *model = elements->model;
  int rows = elements->row_count, components = model->components.count;
  for (int p = 0; p < model->part_count; p++) rows += model->parts[p].facts->border_row_count;
  int *branch = HN_TAKE(arena, int, rows), *start = HN_TAKE(arena, int, components + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  find_nodes(elements, row_node, branch);
  for (int r = 0; r < rows; r++) start[branch[r] + 1]++;
  for (int k = 0; k < components; k++) start[k + 1] += start[k];
  for (int r = 0; r < rows; r++) row_order[start[branch[r]]++] = r;
  return HN_OK;
}
