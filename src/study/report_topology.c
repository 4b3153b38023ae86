// The joint graph: bodies, which joints and forces are between them, what is cut and what repeats. The
// page lays it out.
#include "study/report.h"

enum { MOST_BODIES = 400 };

static int is_redundant(const hn_report *r, int joint) {
  const hn_mobility *mobility = r->mobility;
  for (int i = 0; mobility && i < mobility->redundant_count; i++)
    if (!mobility->redundant[i].is_driver && mobility->redundant[i].id == joint) return 1;
  return 0;
}

// In relative coordinates the columns are those of the tree that was chosen.
static const hn_mobility *chosen_tree(const hn_report *r) {
  return r->mobility && r->mobility->cut_rows >= 0 ? r->mobility : NULL;
}

static void add_bodies(hn_json_writer *json, const hn_report *r) {
  const hn_mobility *tree = chosen_tree(r);
  int count = hn_model_body_count(r->model) + 1;
  hn_json_open(json, "bodies", '[');
  for (int body = 0; body < count; body++)
    hn_json_string(json, NULL, hn_model_body_name(r->model, body));
  hn_json_close(json, ']');
  if (tree == NULL) return;
  hn_json_open(json, "tree", '[');
  for (int k = 0; k < tree->tree_count; k++) {
    hn_json_open(json, NULL, '[');
    hn_json_integer(json, NULL, tree->tree[k].body);
    hn_json_integer(json, NULL, tree->tree[k].depth);
    hn_json_close(json, ']');
  }
  hn_json_close(json, ']');
}

static void add_ends(hn_json_writer *json, const char *name, const char *type,
                     const int bodies[2]) {
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "name", name);
  hn_json_string(json, "type", type);
  hn_json_open(json, "bodies", '[');
  hn_json_integer(json, NULL, bodies[0]);
  hn_json_integer(json, NULL, bodies[1]);
  hn_json_close(json, ']');
}

static void add_joints(hn_json_writer *json, const hn_report *r) {
  const hn_model *model = r->model;
  const hn_mobility *tree = chosen_tree(r);
  hn_json_open(json, "joints", '[');
  for (int j = 0; j < hn_model_joint_count(model); j++) {
    hn_joint_type type = hn_model_joint_type(model, j);
    int bodies[2] = {0, 0}, is_cut = 0;
    if (!hn_joint_joins_bodies(type)) continue;
    hn_model_joint_bodies(model, j, bodies);
    if (bodies[0] == bodies[1] || bodies[0] < 0 || bodies[1] < 0) continue;
    add_ends(json, hn_model_joint_name(model, j), hn_joint_type_name(type), bodies);
    for (int k = 0; tree != NULL && k < tree->cut_count; k++) is_cut |= tree->cut[k] == j;
    if (is_cut) hn_json_boolean(json, "cut", 1);
    if (is_redundant(r, j)) hn_json_boolean(json, "redundant", 1);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_forces(hn_json_writer *json, const hn_model *model) {
  hn_json_open(json, "forces", '[');
  for (int f = 0; f < hn_model_force_count(model); f++) {
    int bodies[2] = {0, 0};
    hn_model_force_bodies(model, f, bodies);
    if (bodies[0] == bodies[1] || bodies[0] < 0 || bodies[1] < 0) continue;
    add_ends(json, hn_model_force_name(model, f), hn_force_type_name(hn_model_force_type(model, f)),
             bodies);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

void hn_report_topology(hn_json_writer *json, const hn_report *r) {
  if (hn_model_body_count(r->model) > MOST_BODIES) return;
  hn_json_open(json, "topology", '{');
  add_bodies(json, r);
  add_joints(json, r);
  add_forces(json, r->model);
  hn_json_close(json, '}');
}
