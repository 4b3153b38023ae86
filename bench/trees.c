// Forward dynamics of tree robots in relative coordinates: microseconds for joint accelerations from
// joint positions, speeds and torques, by the recursions that evaluate uses. A 7-joint arm, a humanoid
// with a free base and 30 speeds, chains of alternating axes. 64 random states in turn; the best mean
// of several batches. The robots are those of bench/peers/robots.hpp.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"
#include "equations/relative/relative.h"

enum { STATES = 64, BATCHES = 9 };

typedef struct link {
  int parent; // -1: ground
  char axis;  // 'f': free
  hn_vec3 at; // joint in the parent's frame
  double mass, length;
} link;

static void stop_on(hn_status status, const char *message) {
  if (status == HN_OK) return;
  fprintf(stderr, "trees: %s (%s)\n", message, hn_status_text(status));
  exit(1);
}

// ---- robots -------------------------------------------------------------------------------------

static int add_link(link *links, int *count, int parent, char axis, hn_vec3 at, double mass,
                    double length) {
  links[*count] = (link){parent, axis, at, mass, length};
  return (*count)++;
}

static int make_arm(link *links) {
  int count = 0, up = -1;
  for (int i = 0; i < 7; i++)
    up = add_link(links, &count, up, "zyzyzyz"[i], vec3(0, 0, i ? 0.25 : 0), 5 - 0.5 * i, 0.25);
  return count;
}

static int make_humanoid(link *links) {
  static const double leg[6] = {-0.1, -0.02, -0.02, -0.4, -0.4, -0.02};
  static const double arm[5] = {0.4, -0.02, -0.15, -0.15, -0.1};
  int count = 0, base = add_link(links, &count, -1, 'f', vec3_zero(), 20, 0.5);
  for (int side = -1; side <= 1; side += 2)
    for (int i = 0, up = base; i < 6; i++)
      up = add_link(links, &count, up, "zxyyyx"[i], vec3(0, i ? 0 : 0.1 * side, leg[i]),
                    i >= 2 ? 3 : 1, 0.2);
  for (int side = -1; side <= 1; side += 2)
    for (int i = 0, up = base; i < 5; i++)
      up = add_link(links, &count, up, "yxzyz"[i], vec3(0, i ? 0 : 0.2 * side, arm[i]),
                    1.2 - 0.1 * i, 0.15);
  int neck = add_link(links, &count, base, 'z', vec3(0, 0, 0.5), 0.5, 0.1);
  add_link(links, &count, neck, 'y', vec3(0, 0, 0.1), 3, 0.2);
  return count;
}

static int make_chain(link *links, int n) {
  int count = 0;
  for (int i = 0; i < n; i++)
    add_link(links, &count, i - 1, i % 2 ? 'y' : 'z', vec3(0, 0, i ? 0.25 : 0), 1, 0.25);
  return count;
}

// The links drawn along z, as a model.
static hn_model *make_model(const link *links, int count) {
  hn_model *model = NULL;
  hn_vec3 *origin = malloc((size_t)count * sizeof *origin);
  if (!origin) exit(1);
  stop_on(hn_model_create(NULL, &model), "no memory");
  hn_model_set_gravity(model, vec3(0, 0, -9.81));
  for (int i = 0; i < count; i++) {
    const link *l = &links[i];
    char name[32];
    double inertia = l->mass * (l->length * l->length / 12 + 1e-3);
    hn_body_def body = hn_default_body();
    origin[i] = l->parent < 0 ? l->at : vec3_add(origin[l->parent], l->at);
    snprintf(name, sizeof name, "link%d", i);
    body.name = name;
    body.mass = l->mass;
    body.position = vec3_add(origin[i], vec3(0.01, 0.005, l->length / 2));
    double moments[6] = {inertia, 1.05 * inertia, 0.3 * inertia + 5e-4 * l->mass, 0, 0, 0};
    memcpy(body.inertia, moments, sizeof moments);
    stop_on(hn_model_add_body(model, &body, NULL), hn_model_error(model)->message);
    if (l->axis == 'f') continue;
    hn_joint_def joint = hn_default_joint(HN_JOINT_REVOLUTE);
    hn_vec3 axis = vec3(l->axis == 'x', l->axis == 'y', l->axis == 'z');
    joint.name = name;
    joint.frame1 = hn_model_frame(model, l->parent + 1, origin[i], axis);
    joint.frame2 = hn_model_frame(model, i + 1, origin[i], axis);
    stop_on(hn_model_add_joint(model, &joint, NULL), hn_model_error(model)->message);
  }
  free(origin);
  stop_on(hn_model_finish(model), hn_model_error(model)->message);
  return model;
}

// ---- one robot ----------------------------------------------------------------------------------

typedef struct robot {
  hn_arena arena;
  hn_tree *tree;
  hn_tree_motion *motion;
  hn_tree_articulated *articulated;
  hn_tree_composite *composite;
  hn_tree_wrench *force;
  hn_vec3 *a, *w;
  double *mass, *tau, *ud, *ud_other;
  double *q[STATES], *u[STATES];
} robot;

static double random_number(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 8388608.0 - 1;
}

static void make_states(robot *r) {
  const hn_tree *tree = r->tree;
  unsigned seed = 1;
  for (int k = 0; k < STATES; k++) {
    r->q[k] = HN_TAKE(&r->arena, double, tree->nq);
    r->u[k] = HN_TAKE(&r->arena, double, tree->nu);
    for (int i = 0; i < tree->nq; i++) r->q[k][i] = random_number(&seed);
    for (int i = 0; i < tree->nu; i++) r->u[k][i] = random_number(&seed);
    if (tree->quaternions) quat_store(r->q[k] + 3, quat_unit(quat_load(r->q[k] + 3)));
  }
  for (int i = 0; i < tree->nu; i++) r->tau[i] = 0.1 * random_number(&seed);
}

static void open_robot(robot *r, const hn_model *model, int with_mass) {
  hn_arena_init(&r->arena, NULL);
  stop_on(hn_tree_create(&r->arena, model, HN_HANG_BY_JOINTS, &r->tree), "no memory");
  int nodes = r->tree->count, nu = r->tree->nu;
  r->motion = HN_TAKE(&r->arena, hn_tree_motion, nodes);
  r->articulated = HN_TAKE(&r->arena, hn_tree_articulated, nodes + 2 * r->tree->quaternions);
  r->composite = HN_TAKE(&r->arena, hn_tree_composite, nodes);
  r->force = HN_TAKE(&r->arena, hn_tree_wrench, nodes);
  r->a = HN_TAKE(&r->arena, hn_vec3, nodes);
  r->w = HN_TAKE(&r->arena, hn_vec3, nodes);
  r->tau = HN_TAKE(&r->arena, double, nu);
  r->ud = HN_TAKE(&r->arena, double, nu);
  r->ud_other = HN_TAKE(&r->arena, double, nu);
  if (r->arena.failed) stop_on(HN_ERROR_MEMORY, "no memory");
  if (with_mass) {
    stop_on(hn_tree_make_mass_pattern(&r->arena, r->tree), "no memory");
    r->mass = HN_TAKE(&r->arena, double, r->tree->mass_start[nu]);
  }
  make_states(r);
}

static void articulated(robot *r, int k) {
  hn_tree_move(r->tree, r->q[k], r->u[k], vec3(0, 0, 9.81), r->motion);
  hn_tree_forward(r->tree, r->motion, NULL, r->tau, r->articulated, r->a, r->w, r->ud);
}

static void composite(robot *r, int k) {
  hn_tree_move(r->tree, r->q[k], r->u[k], vec3(0, 0, 9.81), r->motion);
  hn_tree_inverse(r->tree, r->motion, NULL, NULL, NULL, r->force, r->ud_other);
  for (int i = 0; i < r->tree->nu; i++) r->ud_other[i] = r->tau[i] - r->ud_other[i];
  hn_tree_mass(r->tree, r->motion, r->composite, r->mass);
  hn_tree_factor(r->tree, r->mass);
  hn_tree_solve(r->tree, r->mass, r->ud_other);
}

typedef struct call {
  robot *r;
  void (*solve)(robot *, int);
  int k;
} call;

static void one_call(void *context) {
  call *c = context;
  c->solve(c->r, c->k++ % STATES);
}

// Seconds of a call: articulated and composite in turn, where there are both.
static void least(robot *r, int count, double *seconds) {
  call calls[2] = {{r, articulated, 0}, {r, composite, 0}};
  hn_bench_timing times[2] = {{one_call, &calls[0], 0, 0}, {one_call, &calls[1], 0, 0}};
  hn_bench_least_times(times, count, BATCHES, 0.02);
  for (int k = 0; k < count; k++) seconds[k] = times[k].least;
}

static double difference(robot *r) {
  double most = 0, size = 0;
  for (int k = 0; k < STATES; k++) {
    articulated(r, k);
    composite(r, k);
    for (int i = 0; i < r->tree->nu; i++) {
      most = fmax(most, fabs(r->ud[i] - r->ud_other[i]));
      size = fmax(size, fabs(r->ud[i]));
    }
  }
  return most / size;
}

static double measure(const char *name, const link *links, int count) {
  hn_model *model = make_model(links, count);
  robot r = {.tree = NULL};
  int with_mass = count <= 100;
  open_robot(&r, model, with_mass);
  const double work = hn_tree_articulated_work(r.tree);
  const char *choice = hn_tree_composite_work(r.tree, work) < work ? "composite" : "articulated";
  static const char *const algorithms[2] = {"articulated", "composite"};
  double seconds[2] = {0};
  least(&r, with_mass ? 2 : 1, seconds);
  for (int k = 0; k < (with_mass ? 2 : 1); k++) {
    char setting[32];
    hn_bench_row row = {.machine = name,
                        .program = "holon",
                        .coordinates = "relative",
                        .method = algorithms[k],
                        .setting = hn_bench_setting(setting, sizeof setting, "speeds", r.tree->nu),
                        .quantity = with_mass ? "accelerations, one algorithm to the other" : NULL,
                        .error = with_mass ? difference(&r) : 0,
                        .cpu_s = seconds[k],
                        .note = strcmp(choice, algorithms[k]) ? "" : "chosen"};
    hn_bench_print(&row, NULL);
  }
  hn_arena_release(&r.arena);
  hn_model_free(model);
  return seconds[0];
}

int main(void) {
  static link links[1000];
  hn_bench_begin("trees", NULL);
  measure("arm7", links, make_arm(links));
  measure("human30", links, make_humanoid(links));
  double first = 0, last = 0;
  for (int n = 10; n <= 1000; n *= n == 10 || n == 100 ? 5 : 2) {
    char name[16];
    snprintf(name, sizeof name, "chain%d", n);
    last = measure(name, links, make_chain(links, n));
    if (n == 10) first = last;
  }
  hn_bench_row row = {.machine = "chain",
                      .program = "holon",
                      .method = "articulated",
                      .quantity = "exponent of growth, 10 to 1000 links",
                      .error = log(last / first) / log(100.0)};
  hn_bench_print(&row, NULL);
  return 0;
}
