// Shapes of the bodies of a scene: those of the model, and for bodies without any a drawing from
// their joints, spring ends and tyres.
//
//   a tyre         a wheel
//   one end of a slide whose bodies are attached at one point each, on its axis: the barrel of a
// hydraulic
//                  cylinder (the heavier body) or its rod
//   two points     a link;  three: a triangle of links;  four to six: a star from their middle
//   more points    a box around them
//   three or more  on a line next to the center of mass, as hinges of a door are: a link along
//                  them, and
//                  the box of the inertia
//   one or none    a box with the mass and inertia of the body (edges a^2 = 6 (Jy + Jz - Jx)/m),
//                  and a link from the joint to it
//
// Unknown lengths follow from the size of the whole model in its reference configuration.
#include <math.h>
#include <string.h>

#include "math/euler.h"
#include "model/joint_types.h"
#include "output/scene.h"

#define MOST_POINTS 64 // of one body that are considered
#define MOST_SHAPES 16 // drawn for one body

static const int palette[] = {0x4c78a8, 0xf58518, 0x54a24b, 0xb279a2, 0x9d755d,
                              0x72b7b2, 0xe45756, 0xeeca3b, 0x79706e, 0xd67195};
#define PALETTE ((int)(sizeof palette / sizeof *palette))
#define GROUND_COLOR 0x8a8f98
#define RUBBER 0x4a4f57
#define STEEL 0xb4bac4

static int chosen_color(int body, hn_shape_type type) {
  if (type == HN_SHAPE_WHEEL) return RUBBER;
  return body == HN_GROUND ? GROUND_COLOR : palette[(body - 1) % PALETTE];
}

// ---- points of bodies ---------------------------------------------------------------------------

// A point where something holds a body; lists by body.
typedef struct point {
  hn_vec3 at, axis; // body axes; axis: of a revolute joint, else zero
  int next;         // of the same body, -1: none
} point;

typedef struct sketch {
  const hn_model *model;
  double size;   // of the model
  point *points; // (2 * (joints + forces))
  int point_count;
  int *first, *last;         // of each body, -1: none (bodies)
  const hn_force_def **tyre; // of each body, null: none (bodies)
} sketch;

static void add_point(sketch *s, const hn_frame_on_body *frame, int with_axis) {
  point *p = &s->points[s->point_count];
  *p = (point){.at = frame->position, .next = -1};
  if (with_axis) p->axis = mat3_column(quat_matrix(frame->orientation), 2);
  int *end =
      s->last[frame->body] >= 0 ? &s->points[s->last[frame->body]].next : &s->first[frame->body];
  *end = s->last[frame->body] = s->point_count++;
}

static void gather(sketch *s) {
  const hn_model *model = s->model;
  for (int k = 0; k < model->joint_count; k++) {
    const hn_joint_def *joint = &model->joints[k];
    if (!hn_joint_holds(joint->type)) continue;
    int round = hn_joint_find_row(joint->type, HN_JOINT_F, -1) >= 0 &&
                hn_joint_shares_axes(joint->type) == HN_SHARES_H &&
                !hn_joint_has_row(joint->type, HN_JOINT_ROW_SCREW);
    add_point(s, &joint->frame1, round);
    add_point(s, &joint->frame2, round);
  }
  for (int k = 0; k < hn_model_force_count(model); k++) {
    const hn_force_def *force = &model->forces[k];
    int ends = force->type == HN_FORCE_SPRING_DAMPER || force->type == HN_FORCE_BUSHING;
    if (ends) {
      add_point(s, &force->frame1, 0);
      add_point(s, &force->frame2, 0);
    }
    if (force->road >= 0) s->tyre[force->frame2.body] = force;
  }
}

// The diagonal of the box around everything, in the reference configuration.
static double drawn_size(const sketch *s) {
  hn_vec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int b = 0; b < s->model->body_count; b++) {
    int k = s->first[b];
    hn_vec3 at = hn_scene_drawn(s->model, b, vec3_zero());
    int counts = b != HN_GROUND;
    for (;;) {
      if (counts) {
        low = vec3(fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z));
        high = vec3(fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z));
      }
      if (k < 0) break;
      at = hn_scene_drawn(s->model, b, s->points[k].at);
      counts = 1;
      k = s->points[k].next;
    }
  }
  double size = vec3_norm(vec3_sub(high, low));
  return isfinite(size) ? size : 0;
}

// ---- drawing one body ---------------------------------------------------------------------------

typedef struct drawing {
  hn_shape_def shapes[MOST_SHAPES];
  int count, body;
} drawing;

static hn_quat along(hn_vec3 z) {
  hn_vec3 x = fabs(z.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  x = vec3_unit(vec3_add_scaled(x, -vec3_dot(x, z), z));
  return quat_from_matrix(mat3_from_columns(x, vec3_cross(z, x), z));
}

static hn_shape_def *add(drawing *d, hn_shape_type type, hn_vec3 at) {
  if (d->count == MOST_SHAPES) d->count--;
  hn_shape_def *shape = &d->shapes[d->count++];
  *shape = hn_default_shape(type);
  shape->frame.body = d->body;
  shape->frame.position = at;
  return shape;
}

static void add_link(const sketch *s, drawing *d, hn_vec3 a, hn_vec3 b) {
  hn_vec3 arm = vec3_sub(b, a);
  double length = vec3_norm(arm);
  if (!(length > 1e-4 * s->size)) return;
  hn_shape_def *link = add(d, HN_SHAPE_LINK, vec3_add_scaled(a, 0.5, arm));
  link->frame.orientation = along(vec3_scale(1 / length, arm));
  link->length = length;
  link->radius = fmin(0.012 * s->size, 0.06 * length);
}

static hn_vec3 at_least(hn_vec3 edges, double least) {
  return vec3(fmax(edges.x, least), fmax(edges.y, least), fmax(edges.z, least));
}

// Edges of the homogeneous box with the mass and moments of inertia of the body; 0 for a point, and
// for what has no mass.
static hn_vec3 box_of_inertia(const hn_body_def *body) {
  const double *j = body->inertia;
  if (!(body->mass > 0)) return vec3_zero();
  return vec3(sqrt(fmax(0, 6 * (j[1] + j[2] - j[0]) / body->mass)),
              sqrt(fmax(0, 6 * (j[0] + j[2] - j[1]) / body->mass)),
              sqrt(fmax(0, 6 * (j[0] + j[1] - j[2]) / body->mass)));
}

// At the center of mass, with no edge above `most`.
static void add_solid(const sketch *s, drawing *d, double most) {
  if (!(s->model->bodies[d->body].mass > 0)) return; // a rotor, or only a joint to the next body
  hn_vec3 edges = box_of_inertia(&s->model->bodies[d->body]);
  double largest = fmax(edges.x, fmax(edges.y, edges.z));
  if (!(largest > 1e-3 * s->size)) {
    add(d, HN_SHAPE_SPHERE, vec3_zero())->radius = 0.025 * s->size;
    return;
  }
  if (largest > most) edges = vec3_scale(most / largest, edges);
  add(d, HN_SHAPE_BOX, vec3_zero())->size = at_least(edges, 0.016 * s->size);
}

static void add_box_around(const sketch *s, drawing *d, const hn_vec3 *points, int count) {
  hn_vec3 low = points[0], high = points[0];
  for (int k = 1; k < count; k++) {
    low = vec3(fmin(low.x, points[k].x), fmin(low.y, points[k].y), fmin(low.z, points[k].z));
    high = vec3(fmax(high.x, points[k].x), fmax(high.y, points[k].y), fmax(high.z, points[k].z));
  }
  hn_shape_def *box = add(d, HN_SHAPE_BOX, vec3_scale(0.5, vec3_add(low, high)));
  box->size = at_least(vec3_sub(high, low), 0.03 * s->size);
}

// The axis of rotation: of a joint near the center that lies across the road, else across in the
// reference configuration.
static hn_vec3 wheel_axis(const sketch *s, const hn_force_def *tyre) {
  int body = tyre->frame2.body;
  hn_mat3 a = quat_matrix(s->model->bodies[body].orientation);
  hn_vec3 across = mat3_apply_transposed(a, vec3(0, 1, 0));
  for (int k = s->first[body]; k >= 0; k = s->points[k].next) {
    const point *p = &s->points[k];
    double distance = vec3_norm(vec3_sub(p->at, tyre->frame2.position));
    if (distance < 0.5 * tyre->radius && fabs(vec3_dot(p->axis, across)) > 0.7) return p->axis;
  }
  return across;
}

static void add_wheel(const sketch *s, drawing *d) {
  const hn_force_def *tyre = s->tyre[d->body];
  hn_shape_def *wheel = add(d, HN_SHAPE_WHEEL, tyre->frame2.position);
  wheel->frame.orientation = along(wheel_axis(s, tyre));
  wheel->radius = tyre->radius;
  wheel->length = 0.5 * tyre->radius;
}

// Points of the body that differ, at most MOST_POINTS.
static int distinct_points(const sketch *s, int body, hn_vec3 *points) {
  int count = 0;
  for (int k = s->first[body]; k >= 0 && count < MOST_POINTS; k = s->points[k].next) {
    int known = 0;
    for (int j = 0; j < count && !known; j++)
      known = vec3_norm(vec3_sub(points[j], s->points[k].at)) < 1e-3 * s->size;
    if (!known) points[count++] = s->points[k].at;
  }
  return count;
}

static void draw_star(const sketch *s, drawing *d, hn_vec3 middle, const hn_vec3 *points,
                      int count) {
  for (int k = 0; k < count; k++) add_link(s, d, middle, points[k]);
}

// A link whose center of mass lies aside gets an arm to it.
static void draw_two(const sketch *s, drawing *d, const hn_vec3 *p) {
  add_link(s, d, p[0], p[1]);
  hn_vec3 arm = vec3_sub(p[1], p[0]);
  double square = vec3_dot(arm, arm);
  double t = fmin(fmax(-vec3_dot(p[0], arm) / square, 0), 1);
  hn_vec3 foot = vec3_add_scaled(p[0], t, arm);
  if (vec3_dot(foot, foot) < 0.02 * square) return;
  add_link(s, d, foot, vec3_zero());
  add(d, HN_SHAPE_SPHERE, vec3_zero())->radius = 0.02 * s->size;
}

// The two points farthest apart when all lie on the line through them; 0 when they do not.
static int find_line(const sketch *s, const hn_vec3 *p, int count, hn_vec3 ends[2]) {
  double longest = 0;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      double length = vec3_norm(vec3_sub(p[i], p[j]));
      if (length <= longest) continue;
      longest = length;
      ends[0] = p[i];
      ends[1] = p[j];
    }
  if (!(longest > 1e-3 * s->size)) return 0;
  hn_vec3 axis = vec3_scale(1 / longest, vec3_sub(ends[1], ends[0]));
  for (int i = 0; i < count; i++)
    if (vec3_norm(vec3_cross(axis, vec3_sub(p[i], ends[0]))) > 1e-3 * longest) return 0;
  return 1;
}

static void draw_on_line(const sketch *s, drawing *d, const hn_vec3 ends[2]) {
  hn_vec3 arm = vec3_sub(ends[1], ends[0]);
  double square = vec3_dot(arm, arm), t = -vec3_dot(ends[0], arm) / square;
  hn_vec3 foot = vec3_add_scaled(ends[0], fmin(fmax(t, 0), 1), arm);
  add_link(s, d, ends[0], ends[1]);
  if (vec3_dot(foot, foot) < 0.0025 * square) return;
  add_link(s, d, foot, vec3_zero());
  add_solid(s, d, s->size);
}

// ---- cylinders ----------------------------------------------------------------------------------

static int slides(hn_joint_type type) {
  return type == HN_JOINT_TRANSLATIONAL || type == HN_JOINT_CYLINDRICAL;
}

// The only place, except for the slide, where the body is attached; 0 if there are more or none.
static int find_eye(const sketch *s, int body, int slide, hn_vec3 *eye) {
  int count = 0;
  for (int k = 0; k < s->model->joint_count; k++) {
    const hn_joint_def *joint = &s->model->joints[k];
    if (k == slide || !hn_joint_holds(joint->type)) continue;
    for (int side = 0; side < 2; side++) {
      const hn_frame_on_body *frame = side ? &joint->frame2 : &joint->frame1;
      if (frame->body != body) continue;
      if (count > 0 && vec3_norm(vec3_sub(frame->position, *eye)) > 1e-3 * s->size) return 0;
      *eye = frame->position;
      count++;
    }
  }
  return count > 0;
}

// Half of a hydraulic cylinder, from the eye of this body towards that of the other.
static void add_cylinder(const sketch *s, drawing *d, hn_vec3 eye, hn_vec3 arm, int is_barrel) {
  double distance = vec3_norm(arm), radius = fmin(0.05 * distance, 0.02 * s->size);
  double length = (is_barrel ? 0.6 : 0.72) * distance;
  hn_shape_def *bar = add(d, HN_SHAPE_CYLINDER, vec3_add_scaled(eye, 0.5 * length / distance, arm));
  bar->frame.orientation = along(vec3_scale(1 / distance, arm));
  bar->length = length;
  bar->radius = is_barrel ? radius : 0.5 * radius;
  if (!is_barrel) bar->color = STEEL;
  add(d, HN_SHAPE_SPHERE, eye)->radius = 0.9 * radius;
}

static int draw_cylinder(const sketch *s, drawing *d) {
  const hn_model *model = s->model;
  for (int k = 0; k < model->joint_count; k++) {
    const hn_joint_def *slide = &model->joints[k];
    int a = slide->frame1.body, b = slide->frame2.body, own = b == d->body;
    if (!slides(slide->type) || (a != d->body && b != d->body) || a == b) continue;
    if (a == HN_GROUND || b == HN_GROUND) continue;
    hn_vec3 eyes[2], ends[2];
    if (!find_eye(s, a, k, &eyes[0]) || !find_eye(s, b, k, &eyes[1])) return 0;
    ends[0] = hn_scene_drawn(model, a, eyes[0]);
    ends[1] = hn_scene_drawn(model, b, eyes[1]);
    hn_vec3 arm = vec3_sub(ends[!own], ends[own]);
    hn_vec3 axis = mat3_apply(quat_matrix(model->bodies[a].orientation),
                              mat3_column(quat_matrix(slide->frame1.orientation), 2));
    double distance = vec3_norm(arm);
    if (!(distance > 0.02 * s->size) || fabs(vec3_dot(axis, arm)) < 0.98 * distance) return 0;
    int heavier = model->bodies[b].mass > model->bodies[a].mass;
    arm = mat3_apply_transposed(quat_matrix(model->bodies[d->body].orientation), arm);
    add_cylinder(s, d, eyes[own], arm, own == heavier);
    return 1;
  }
  return 0;
}

static void draw(const sketch *s, drawing *d) {
  if (!s->tyre[d->body] && draw_cylinder(s, d)) return;
  hn_vec3 points[MOST_POINTS], ends[2];
  int count = distinct_points(s, d->body, points);
  if (s->tyre[d->body]) {
    add_wheel(s, d);
    if (count <= 8) draw_star(s, d, s->tyre[d->body]->frame2.position, points, count);
  } else if (count > 2 && find_line(s, points, count, ends)) {
    draw_on_line(s, d, ends);
  } else if (count > 6) {
    add_box_around(s, d, points, count);
  } else if (count > 3) {
    hn_vec3 middle = vec3_zero();
    for (int k = 0; k < count; k++) middle = vec3_add_scaled(middle, 1.0 / count, points[k]);
    draw_star(s, d, middle, points, count);
  } else if (count == 3) {
    for (int k = 0; k < 3; k++) add_link(s, d, points[k], points[(k + 1) % 3]);
  } else if (count == 2) {
    draw_two(s, d, points);
  } else {
    add_solid(s, d, 0.6 * s->size); // not larger than the model
    draw_star(s, d, vec3_zero(), points, count);
  }
}

// The link that closes a mechanism; where ground holds more than three points it is left out.
static void draw_ground(const sketch *s, drawing *d) {
  hn_vec3 points[MOST_POINTS];
  int count = distinct_points(s, HN_GROUND, points);
  if (count == 2) add_link(s, d, points[0], points[1]);
  for (int k = 0; k < 3 && count == 3; k++) add_link(s, d, points[k], points[(k + 1) % 3]);
}

// ---- all ----------------------------------------------------------------------------------------

static int prepare(sketch *s, hn_arena *arena) {
  const hn_model *model = s->model;
  s->points = HN_TAKE(arena, point, 2 * ((size_t)model->joint_count + (size_t)model->force_count));
  s->first = HN_TAKE(arena, int, model->body_count);
  s->last = HN_TAKE(arena, int, model->body_count);
  s->tyre = HN_TAKE(arena, const hn_force_def *, model->body_count);
  if (arena->failed) return 0;
  for (int b = 0; b < model->body_count; b++) s->first[b] = s->last[b] = -1;
  gather(s);
  s->size = drawn_size(s);
  for (int b = 1; b < model->body_count; b++) { // a lone body has its own size only
    hn_vec3 edges = box_of_inertia(&model->bodies[b]);
    s->size = fmax(s->size, fmax(edges.x, fmax(edges.y, edges.z)));
    if (s->tyre[b]) s->size = fmax(s->size, 2 * s->tyre[b]->radius);
    if (b > 64) break;
  }
  if (!(s->size > 0)) s->size = 1;
  return 1;
}

static int is_seen(const hn_shape_def *shape) { return shape->transparency < 1; }

// The model's shapes that are seen, sorted by body.
static int take_given(hn_scene *scene, const hn_model *model, hn_scene_body *bodies) {
  hn_arena *arena = &scene->storage->arena;
  hn_shape_def *all = HN_TAKE(arena, hn_shape_def, model->shape_count);
  if (!all) return 0;
  for (int k = 0; k < model->shape_count; k++)
    bodies[model->shapes[k].frame.body].shape_count += is_seen(&model->shapes[k]);
  int begin = 0;
  for (int b = 0; b < model->body_count; b++) {
    bodies[b].shapes = all + begin;
    begin += bodies[b].shape_count;
    bodies[b].shape_count = 0;
  }
  for (int k = 0; k < model->shape_count; k++) {
    const hn_shape_def *shape = &model->shapes[k];
    if (!is_seen(shape)) continue;
    hn_scene_body *body = &bodies[shape->frame.body];
    hn_shape_def *own = all + (body->shapes - all) + body->shape_count++;
    *own = *shape;
    if (own->color < 0) own->color = chosen_color(shape->frame.body, shape->type);
  }
  return 1;
}

int hn_scene_make_bodies(hn_scene *scene, const hn_model *model) {
  hn_arena *arena = &scene->storage->arena;
  hn_scene_body *bodies = HN_TAKE(arena, hn_scene_body, model->body_count);
  sketch s = {.model = model};
  if (!bodies || !prepare(&s, arena) || !take_given(scene, model, bodies)) return 0;
  for (int b = 0; b < model->body_count; b++) {
    bodies[b].name = hn_arena_copy_string(arena, model->bodies[b].name);
    bodies[b].mass = b == HN_GROUND ? 0 : model->bodies[b].mass;
    if (bodies[b].shape_count > 0) continue;
    drawing d = {.body = b};
    if (b == HN_GROUND)
      draw_ground(&s, &d);
    else
      draw(&s, &d);
    for (int k = 0; k < d.count; k++)
      if (d.shapes[k].color < 0) d.shapes[k].color = chosen_color(b, d.shapes[k].type);
    bodies[b].shapes = hn_arena_copy(arena, d.shapes, (size_t)d.count, sizeof *d.shapes);
    bodies[b].shape_count = d.count;
    bodies[b].drawn = d.count > 0;
  }
  scene->bodies = bodies;
  return !arena->failed;
}
