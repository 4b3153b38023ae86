// A model whose trees hold every kind of joint, half of them given from child to parent, with a
// body free in space; and random states of it.
#ifndef HN_TESTS_EQUATIONS_TREE_MACHINE_H
#define HN_TESTS_EQUATIONS_TREE_MACHINE_H

#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "equations/relative/relative.h"
#include "holon/model.h"

typedef struct tree_machine {
  hn_model *model;
  hn_arena arena;
  hn_elements *elements;
  hn_equations *equations;
  hn_tree *tree;
  hn_branches branches;
  hn_snapshot *snapshot;
} tree_machine;

static inline hn_vec3 random_vec3(hn_random *random, double size) {
  return vec3(hn_random_uniform(random, -size, size), hn_random_uniform(random, -size, size),
              hn_random_uniform(random, -size, size));
}

static inline hn_quat random_turn(hn_random *random) {
  hn_quat p = {hn_random_uniform(random, -1, 1), hn_random_uniform(random, -1, 1),
               hn_random_uniform(random, -1, 1), hn_random_uniform(random, -1, 1)};
  return quat_unit(p);
}

static inline int tree_body(hn_model *model, hn_random *random, int number) {
  char name[16];
  snprintf(name, sizeof name, "b%d", number);
  hn_body_def def = hn_default_body();
  def.name = name;
  def.mass = hn_random_uniform(random, 0.5, 2);
  double a = hn_random_uniform(random, 0.1, 0.2);
  double inertia[6] = {a, 1.2 * a, 1.1 * a, 0.05 * a, -0.03 * a, 0.02 * a};
  memcpy(def.inertia, inertia, sizeof inertia);
  def.position = random_vec3(random, 1);
  def.orientation = random_turn(random);
  int id = -1;
  check_ok(hn_model_add_body(model, &def, &id));
  return id;
}

// Frames anywhere on the bodies: assembly is not asked for.
static inline void tree_joint(hn_model *model, hn_random *random, hn_joint_type type, int number,
                              int body1, int body2) {
  char name[16];
  snprintf(name, sizeof name, "j%d", number);
  hn_joint_def def = hn_default_joint(type);
  def.name = name;
  def.frame1 = (hn_frame_on_body){body1, random_vec3(random, 0.5), random_turn(random)};
  def.frame2 = (hn_frame_on_body){body2, random_vec3(random, 0.5), random_turn(random)};
  if (type == HN_JOINT_SCREW) def.pitch = 0.7;
  check_ok(hn_model_add_joint(model, &def, NULL));
}

static inline tree_machine tree_machine_open(hn_model *model) {
  tree_machine m = {.model = model};
  check_ok(hn_model_finish(model));
  hn_arena_init(&m.arena, NULL);
  check_ok(hn_elements_create(&m.arena, model, &m.elements, NULL));
  check_ok(hn_relative.create(&m.arena, m.elements, NULL, &m.equations, NULL));
  check_ok(hn_branches_create(&m.arena, m.elements, &m.branches));
  check_ok(hn_snapshot_create(&m.arena, m.equations, &m.snapshot));
  m.tree = ((hn_relative_set *)m.equations)->tree;
  return m;
}

static inline void tree_machine_close(tree_machine *m) {
  hn_arena_release(&m->arena);
  hn_model_free(m->model);
}

// with_rows: a constant-velocity joint and a distance too, which leave rows to be solved for.
static inline hn_model *tree_model_all(uint64_t seed, int with_rows) {
  static const hn_joint_type types[] = {
      HN_JOINT_REVOLUTE,  HN_JOINT_TRANSLATIONAL, HN_JOINT_CYLINDRICAL, HN_JOINT_SPHERICAL,
      HN_JOINT_UNIVERSAL, HN_JOINT_FIXED,         HN_JOINT_PLANAR,      HN_JOINT_SCREW,
      HN_JOINT_REVOLUTE,  HN_JOINT_SPHERICAL};
  enum { TYPES = sizeof types / sizeof types[0] };
  // by number; ground 0. Body 11 is free in space and carries 12 .. 20.
  hn_random random = hn_random_seed(seed);
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, vec3(1, -2, -9.81)));
  int body[2 * TYPES + 3] = {HN_GROUND}, count = 1, joints = 0;
  for (int tree = 0; tree < 2; tree++) {
    int first = count - 1;
    if (tree == 1) {
      body[count] = tree_body(model, &random, count);
      first = count++;
    }
    if (tree == 0) first = 0;
    for (int k = 0; k < TYPES; k++) {
      int up = k == 0 ? first : k % 3 == 2 ? count - 2 : count - 1;
      body[count] = tree_body(model, &random, count);
      int is_turned = (k + tree) % 2;
      tree_joint(model, &random, types[k], joints++, is_turned ? body[count] : body[up],
                 is_turned ? body[up] : body[count]);
      count++;
    }
  }
  if (with_rows) {
    body[count] = tree_body(model, &random, count);
    tree_joint(model, &random, HN_JOINT_CONSTANT_VELOCITY, joints++, body[3], body[count]);
    tree_joint(model, &random, HN_JOINT_DISTANCE, joints++, body[5], body[count]);
    tree_joint(model, &random, HN_JOINT_POINT_IN_PLANE, joints++, body[8], body[15]);
  }
  return model;
}

static inline tree_machine tree_machine_all(uint64_t seed, int with_rows) {
  return tree_machine_open(tree_model_all(seed, with_rows));
}

// q with unit Euler parameters, u any.
static inline void random_state(const tree_machine *m, hn_random *random, double *q, double *u) {
  hn_random_fill(random, q, m->tree->nq, -1.5, 1.5);
  hn_random_fill(random, u, m->tree->nu, -2, 2);
  for (int k = 0; k < m->tree->count; k++) {
    const hn_tree_node *node = &m->tree->nodes[k];
    if (node->q_count == node->u_count) continue;
    double *p = &q[node->q + (node->kind == HN_LINK_FREE ? 3 : 0)];
    quat_store(p, quat_unit(quat_load(p)));
  }
}

#endif
