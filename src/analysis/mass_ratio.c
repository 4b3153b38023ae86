// Bodies that are too light relative to others for double precision.
//
// Reactions in a loop are as large as the heavy bodies make them and are known to 16 digits. The net
// force on a body of 1e-8 of the mass has 8, its accelerations as many: steps shrink in their noise, or
// constraints of joints appear redundant. Below LEAST_IN_LOOPS no formulation is accurate at every
// tolerance; in trees a light body follows without loss, except in natural coordinates, where every
// body has constraints. Massless bodies do not count as light: no small difference remains for them.
#include "analysis/mass_ratio.h"

#include <math.h>

#include "base/error.h"
#include "elements/joint_graph.h"

#define LEAST_IN_LOOPS 3e-7
#define LEAST_NATURAL 1e-9

static void compare(const hn_model *model, int a, int b, double least, hn_mass_ratio *worst) {
  if (a == HN_GROUND || b == HN_GROUND) return;
  int is_lighter = model->bodies[a].mass < model->bodies[b].mass;
  int light = is_lighter ? a : b, heavy = is_lighter ? b : a;
  if (!(model->bodies[light].mass > 0)) return;
  double ratio = model->bodies[light].mass / model->bodies[heavy].mass;
  if (!(ratio < least) || (worst->light > 0 && ratio >= worst->ratio)) return;
  *worst = (hn_mass_ratio){light, heavy, ratio, least};
}

// Joints that are edges of the graph: two bodies, rows, not drivers and couplings.
static int joints_of(const hn_elements *elements, const hn_joint_graph *graph, int part) {
  int count = 0, last = -1;
  for (int k = graph->row_start[part]; k < graph->row_start[part + 1]; k++) {
    const hn_row *row = &elements->rows[graph->rows[k]];
    if (row->is_driver || elements->model->joints[row->owner].coupled_count > 0) continue;
    count += row->owner != last;
    last = row->owner;
  }
  return count;
}

// The lightest and the heaviest body of one loop, or of several that hang together.
static void compare_part(const hn_model *model, const hn_joint_graph *graph, int part,
                         hn_mass_ratio *worst) {
  int light = HN_GROUND, heavy = HN_GROUND;
  for (int k = graph->body_start[part]; k < graph->body_start[part + 1]; k++) {
    int b = graph->bodies[k];
    if (b == HN_GROUND || !(model->bodies[b].mass > 0)) continue;
    if (light == HN_GROUND || model->bodies[b].mass < model->bodies[light].mass) light = b;
    if (heavy == HN_GROUND || model->bodies[b].mass > model->bodies[heavy].mass) heavy = b;
  }
  compare(model, light, heavy, LEAST_IN_LOOPS, worst);
}

hn_status hn_find_mass_ratio(const hn_equations *equations, const hn_allocator *allocator,
                             hn_mass_ratio *worst) {
  const hn_elements *elements = equations->elements;
  const hn_model *model = elements->model;
  *worst = (hn_mass_ratio){.light = 0};
  double lightest = HUGE_VAL, heaviest = 0;
  for (int b = 1; b < model->body_count; b++) {
    double mass = model->bodies[b].mass;
    if (mass > 0 && mass < lightest) lightest = mass;
    if (mass > heaviest) heaviest = mass;
  }
  if (!(lightest < LEAST_IN_LOOPS * heaviest)) return HN_OK; // nothing to look for
  for (int j = 0; equations->type->traits.shares_points && j < model->joint_count; j++)
    if (model->joints[j].coupled_count == 0)
      compare(model, model->joints[j].frame1.body, model->joints[j].frame2.body, LEAST_NATURAL,
              worst);
  hn_arena arena;
  hn_joint_graph graph;
  hn_arena_init(&arena, allocator);
  hn_status status = hn_joint_graph_create(&arena, elements, &graph);
  for (int part = 0; status == HN_OK && part < graph.part_count; part++)
    if (joints_of(elements, &graph, part) >= graph.body_start[part + 1] - graph.body_start[part])
      compare_part(model, &graph, part, worst);
  hn_arena_release(&arena);
  return status;
}

hn_status hn_fail_mass_ratio(const hn_model *model, const hn_mass_ratio *worst, hn_error *error) {
  const hn_body_def *light = &model->bodies[worst->light], *heavy = &model->bodies[worst->heavy];
  char name[128], hint[256];
  hn_text(hint, sizeof hint,
          "give it %.2g kg or more, or replace it by a distance joint (a massless rod)%s",
          worst->least * heavy->mass,
          worst->least == LEAST_NATURAL ? "; or use @coordinates relative" : "");
  return hn_fail(error, HN_ERROR_MODEL, &light->source,
                 hn_text(name, sizeof name, "body '%s'", light->name), hint,
                 "has a mass of %.3g kg, %.1g times the %.3g kg of body '%.60s' %s: double "
                 "precision cannot resolve the motion of both",
                 light->mass, worst->ratio, heavy->mass, heavy->name,
                 worst->least == LEAST_NATURAL ? "on the same joint in natural coordinates"
                                               : "in the same loop of joints");
}
