// Coordinates `auto`: counted, not timed, so that the choice is the same every time.
//
// The rule follows `holon compare` over all models (bench/auto.md): a tree in relative coordinates
// costs a fraction of the Cartesian equations; loops take some of that back, because their constraints
// are solved with all joints of the loop; and if the tree removes few constraints (nets, plates on
// rods), or one loop is a long cable, Cartesian constraints, which involve two bodies each, win.
#include "analysis/auto_coordinates.h"

#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "elements/joint_graph.h"
#include "equations/spanning.h"
#include "equations/conditions.h"
#include "holon/simulation.h"
#include "model/contact.h"
#include "model/joint_types.h"

// A row of a joint in the tree spares a speed and a row. Of all Cartesian speeds and rows the tree has
// to take over this part, if it leaves any rows to be solved for. Nets of ball joints have 0.27, nets
// of rods hardly any, the corners of a car and a cable of ball joints 0.33.
#define LARGE_PART 0.3
// ... of models with rigid contact, where free bodies have dense rows in joint speeds: a table with nine
// boxes has 0.08.
#define FEW_JOINTS 0.08
// Speeds for each loop of a part: the cost of relative coordinates grows with their third power.
// Loops of joints with one degree of freedom are planar as a rule, with redundant constraints that
// Cartesian equations have to detect: for these the limit is higher.
#define LONG_LOOP 45
#define LONG_PLANE_LOOP 270

static int is_open(const char *option) { return !option || strcmp(option, "auto") == 0; }

// Why the other options of the user leave no choice; null: they leave one.
static const char *find_obstacle(const hn_elements *elements, const hn_simulation_options *o) {
  if (elements->model->part_count > 0) return "a sealed component";
  if (o->skip_assembly) return "a start without assembly";
  if (!is_open(o->linear_solver)) return "the requested linear solver";
  if (!hn_combination_is_built("relative", o->method, o->formula, o->independent, NULL))
    return "the requested method";
  if (o->ranks && o->ranks->size > 1) return "several processes";
  return NULL;
}

// 1: some part of the graph has loops of this length. Workspace per part: loops, speeds, largest
// number of a joint.
static int has_long_loop(hn_arena *arena, const hn_elements *elements,
                         const hn_joint_graph *graph) {
  int *loops = HN_TAKE(arena, int, graph->part_count);
  int *speeds = HN_TAKE(arena, int, graph->part_count);
  int *most = HN_TAKE(arena, int, graph->part_count);
  if (arena->failed) return 0;
  for (int p = 0; p < graph->part_count; p++)
    loops[p] = 1 - (graph->body_start[p + 1] - graph->body_start[p]);
  for (int j = 0; j < elements->model->joint_count; j++) {
    const int first = elements->joint_row[j], rows = elements->joint_row[j + 1] - first;
    if (rows == 0) continue;
    const int part = graph->part_of_row[first], freedoms = 6 - rows;
    loops[part]++;
    speeds[part] += freedoms;
    if (freedoms > most[part]) most[part] = freedoms;
  }
  for (int p = 0; p < graph->part_count; p++) {
    const int length = most[p] > 1 ? LONG_LOOP : LONG_PLANE_LOOP;
    if (loops[p] > 0 && speeds[p] > length * loops[p]) return 1;
  }
  return 0;
}

static int has_rigid_contact(const hn_model *model) {
  char name[192];
  const hn_source *source;
  const char *remedy;
  return hn_model_rigid_element(model, &source, &remedy, name, sizeof name) != 0;
}

// 1: the tree takes few rows over, and leaves others or free bodies in contact.
static int has_small_tree(hn_arena *arena, const hn_elements *elements) {
  const hn_model *model = elements->model;
  const double rows = elements->joint_row[model->joint_count];
  const double all = 6.0 * (model->body_count - 1) + rows;
  double spared = 0;
  hn_spanning span;
  if (hn_span_create(arena, model, HN_HANG_BY_JOINTS, &span) != HN_OK) return 0;
  for (int j = 0; j < model->joint_count; j++)
    if (span.in_tree[j]) spared += hn_joint_tree_rows(model->joints[j].type);
  if (spared < FEW_JOINTS * all && has_rigid_contact(model)) return 1;
  return spared < rows && spared < LARGE_PART * all;
}

const char *hn_auto_coordinates(const hn_elements *elements, const hn_simulation_options *o,
                                char *reason, size_t size) {
  const hn_model *model = elements->model;
  const char *obstacle = find_obstacle(elements, o);
  if (obstacle) {
    hn_text(reason, size, "cartesian: required by %s", obstacle);
    return "cartesian";
  }
  hn_arena arena;
  hn_joint_graph graph = {0};
  hn_arena_init(&arena, o->allocator);
  hn_status status = hn_joint_graph_create(&arena, elements, &graph);
  int loops = graph.loops, bodies = model->body_count - 1;
  int is_long = status == HN_OK && loops > 0 && has_long_loop(&arena, elements, &graph);
  int is_small = status == HN_OK && has_small_tree(&arena, elements);
  int is_short = arena.failed; // of memory
  hn_arena_release(&arena);
  if (status != HN_OK || is_short) return NULL;
  const char *chosen = is_long || is_small ? "cartesian" : "relative";
  const char *few = is_small ? ", joint coordinates would save few constraints" : "";
  if (loops == 0)
    hn_text(reason, size, "%s: %s", chosen,
            is_small ? "joint coordinates would save few constraints" : "the joints make a tree");
  else
    hn_text(reason, size, "%s: %d %sloop%s in %d bod%s%s", chosen, loops, is_long ? "long " : "",
            loops == 1 ? "" : "s", bodies, bodies == 1 ? "y" : "ies", few);
  return chosen;
}
