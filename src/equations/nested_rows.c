// Where constraint rows stand in the hierarchy of components. See nested.h.
#include "equations/nested.h"

static int depth_of(const hn_model *model, int component) {
  int depth = 0;
  for (; component > 0; component = model->components[component].parent) depth++;
  return depth;
}

// The smallest component that contains both.
static int common(const hn_model *model, int a, int b) {
  int da = depth_of(model, a), db = depth_of(model, b);
  for (; da > db; da--) a = model->components[a].parent;
  for (; db > da; db--) b = model->components[b].parent;
  while (a != b) {
    a = model->components[a].parent;
    b = model->components[b].parent;
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
  while (model->components[inner].parent != node) inner = model->components[inner].parent;
  return inner;
}

hn_status hn_nested_row_nodes(hn_arena *arena, const hn_elements *elements, int *row_node,
                              int *row_order) {
  const hn_model *model = elements->model;
  int rows = elements->row_count, components = model->component_count;
  int *branch = HN_TAKE(arena, int, rows), *start = HN_TAKE(arena, int, components + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < rows; r++) {
    const hn_row *row = &elements->rows[r];
    int owner = owner_of(model, row), node = owner;
    for (int k = 0; k < row->body_count; k++)
      node = common(model, node, model->bodies[row->body[k]].component);
    row_node[r] = node;
    branch[r] = branch_of(model, node, owner);
    start[branch[r] + 1]++;
  }
  for (int k = 0; k < components; k++) start[k + 1] += start[k];
  for (int r = 0; r < rows; r++) row_order[start[branch[r]]++] = r;
  return HN_OK;
}
