// Coordinates `auto`: counted, not timed, so that the choice is the same every time.
//
// What compare shows over all machines (bench/auto.md): a tree in relative coordinates costs a
// fraction of the Cartesian equations; loops take some of that back, because their rows are solved for
// with all joints of the loop; and where nearly every body closes a loop, Cartesian rows, which touch
// two bodies each, win.
#include "analysis/auto_coordinates.h"

#include <string.h>

#include "base/error.h"
#include "elements/joint_graph.h"
#include "holon/simulation.h"

// Loops for each body: above this Cartesian coordinates are taken.
#define MANY_LOOPS 0.75

static int is_open(const char *option) { return !option || strcmp(option, "auto") == 0; }

// What the user asked for beside may leave no choice.
static const char *find_obstacle(const hn_model *model, const hn_simulation_options *o) {
  if (model->part_count > 0) return "a sealed component";
  if (o->skip_assembly) return "a start as drawn";
  if (o->ranks && o->ranks->size > 1) return "several processes";
  if (!is_open(o->linear_solver)) return "the linear solver asked for";
  if (!hn_combination_is_built("relative", o->method, o->formula, o->independent, NULL))
    return "the method asked for";
  return NULL;
}

const char *hn_auto_coordinates(const hn_elements *elements, const hn_simulation_options *o,
                                char *reason, size_t size) {
  const hn_model *model = elements->model;
  const char *obstacle = find_obstacle(model, o);
  if (obstacle) {
    hn_text(reason, size, "cartesian: %s needs them", obstacle);
    return "cartesian";
  }
  hn_arena arena;
  hn_joint_graph graph = {0};
  hn_arena_init(&arena, o->allocator);
  hn_status status = hn_joint_graph_create(&arena, elements, &graph);
  int loops = graph.loops, bodies = model->body_count - 1;
  hn_arena_release(&arena);
  if (status != HN_OK) return "cartesian"; // out of memory: the next to take some tells
  int is_looped = loops > MANY_LOOPS * bodies;
  if (loops == 0)
    hn_text(reason, size, "relative: the joints make a tree");
  else
    hn_text(reason, size, "%s: %d loop%s in %d bod%s", is_looped ? "cartesian" : "relative", loops,
            loops == 1 ? "" : "s", bodies, bodies == 1 ? "y" : "ies");
  return is_looped ? "cartesian" : "relative";
}
