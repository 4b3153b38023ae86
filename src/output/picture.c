// A scene as pixels: the triangles of an instant, a view that holds them, light with shadows.
#include "output/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "math/elementary.h"
#include "output/scene.h"

#define SHADOW_MAP 1536
#define FITTED_FRAMES 40
#define LIGHT_GREY 0xf3f4f6

enum { PAINT_ROAD, PAINT_COIL, PAINT_BARREL, PAINT_ROD, PAINT_SLEEVE, PAINT_WAY, PAINTS };

typedef struct drawn_shape {
  int body, surface;
  hn_pose pose; // on the body
  int is_floor; // a plate on the ground, or anything there next to a road: not in focus
  double rolls; // radius of a wheel (m); 0: not a wheel
} drawn_shape;

struct hn_picture {
  const hn_scene *scene;
  hn_picture_options options;
  hn_raster raster;
  int samples, width, height;
  unsigned char *pixels;
  drawn_shape *shapes; // (shape_count); their paints follow PAINTS others
  int shape_count;
  hn_surface *surfaces; // (shape_count); empty where another shape has the same
  hn_paint *paints;     // (PAINTS + shape_count)
  double *rest;         // of each force: its length at the start
  hn_pose *poses;       // of each body
  hn_triangles triangles;
  size_t moving;  // triangles that cast shadows come first
  hn_vec3 middle; // of the view
  int followed;   // body the view goes along with, 0: none
  hn_vec3 from;   // ... from here
  double size;    // of the model
  double low;     // its lowest point, against gravity
  hn_ground ground;
  int has_ground; // gravity, a view that is not along it, and no road
};

// ---- instants -----------------------------------------------------------------------------------

static const float *frame_of(const hn_scene *scene, int frame) {
  return scene->motion + (size_t)frame * (size_t)scene->stride;
}

// The frame before a time, and how far it is to the next.
static int find_frame(const hn_scene *scene, double time, double *part) {
  int low = 0, high = scene->frames - 1;
  *part = 0;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if ((double)frame_of(scene, middle)[0] <= time)
      low = middle;
    else
      high = middle;
  }
  if (high <= low) return 0;
  double a = (double)frame_of(scene, low)[0], b = (double)frame_of(scene, high)[0];
  *part = b > a ? fmin(1, fmax(0, (time - a) / (b - a))) : 0;
  return low;
}

static void take_poses(hn_picture *p, double time) {
  double part, before[7], after[7];
  int frame = find_frame(p->scene, time, &part);
  int next = frame + 1 < p->scene->frames ? frame + 1 : frame;
  p->poses[0] = hn_pose_none();
  for (int b = 1; b < p->scene->body_count; b++) {
    for (int k = 0; k < 7; k++) {
      before[k] = (double)frame_of(p->scene, frame)[1 + 7 * (b - 1) + k];
      after[k] = (double)frame_of(p->scene, next)[1 + 7 * (b - 1) + k];
    }
    hn_vec3 at =
        vec3_add(vec3_scale(1 - part, vec3_load(before)), vec3_scale(part, vec3_load(after)));
    hn_quat turn = quat_add(quat_scale(1 - part, quat_load(before + 3)),
                            quat_scale(part, quat_load(after + 3)));
    p->poses[b] = (hn_pose){quat_matrix(quat_unit(turn)), at};
  }
}

static hn_vec3 end_of(const hn_picture *p, const hn_scene_link *link, int side) {
  return hn_pose_point(&p->poses[link->body[side]], link->at[side]);
}

static void add_forces(hn_picture *p) {
  static const int paints[3] = {PAINT_COIL, PAINT_BARREL, PAINT_ROD};
  for (int k = 0; k < p->scene->force_count; k++) {
    const hn_scene_link *f = &p->scene->forces[k];
    hn_vec3 a = end_of(p, f, 0), b = end_of(p, f, 1);
    if (f->look[0] != '\0')
      hn_draw_strut(&p->triangles, f->look, a, b, p->size, p->rest[k], paints);
    else if (strcmp(f->type, "bushing") == 0)
      hn_draw_sleeve(&p->triangles, a, mat3_apply(p->poses[f->body[0]].r, f->axis[0]), p->size,
                     PAINT_SLEEVE);
  }
}

static void add_quad(hn_triangles *t, const hn_vec3 at[4], hn_vec3 normal, int paint) {
  hn_corner corner[4];
  for (int k = 0; k < 4; k++) corner[k] = (hn_corner){at[k], normal};
  hn_triangles_add(t, corner, paint);
  hn_triangles_add(t, (hn_corner[]){corner[0], corner[2], corner[3]}, paint);
}

// A slab: the profile, and walls down to a little below its lowest point.
static void add_road(hn_picture *p, const hn_scene_road *road, double time) {
  double shift = road->speed * time, y = road->y, w = road->width / 2, base = HUGE_VAL;
  for (int k = 0; k < road->count; k++) base = fmin(base, road->profile[2 * (size_t)k + 1]);
  base -= 0.03 * p->size;
  for (int k = 0; k + 1 < road->count; k++) {
    const double *a = road->profile + 2 * (size_t)k, *b = a + 2;
    const double from = a[0] + shift, to = b[0] + shift;
    const hn_vec3 at[4] = {
        {from, y - w, a[1]}, {to, y - w, b[1]}, {to, y + w, b[1]}, {from, y + w, a[1]}};
    add_quad(&p->triangles, at, vec3_unit(vec3(a[1] - b[1], 0, b[0] - a[0])), PAINT_ROAD);
    for (int side = -1; side <= 1; side += 2) {
      const double edge = y + side * w;
      const hn_vec3 wall[4] = {
          {from, edge, a[1]}, {to, edge, b[1]}, {to, edge, base}, {from, edge, base}};
      add_quad(&p->triangles, wall, vec3(0, side, 0), PAINT_ROAD);
    }
  }
}

static void add_shapes(hn_picture *p, int is_floor) {
  for (int k = 0; k < p->shape_count; k++) {
    const drawn_shape *s = &p->shapes[k];
    const hn_pose *body = &p->poses[s->body];
    const hn_pose pose = hn_pose_multiply(body, &s->pose);
    if (s->is_floor == is_floor)
      hn_triangles_add_surface(&p->triangles, &p->surfaces[s->surface], &pose, PAINTS + k);
  }
}

// Moments of a still of several, from the first to the last.
static double moment_of(const hn_picture *p, int k, int count) {
  double part = count > 1 ? (double)k / (count - 1) : 0;
  return p->scene->first + part * (p->scene->last - p->scene->first);
}

// The lowest point of a wheel in a frame.
static hn_vec3 foot_of(const hn_picture *p, const drawn_shape *wheel, int frame) {
  double at[7];
  for (int k = 0; k < 7; k++)
    at[k] = (double)frame_of(p->scene, frame)[1 + 7 * (wheel->body - 1) + k];
  const hn_pose body = {quat_matrix(quat_unit(quat_load(at + 3))), vec3_load(at)};
  hn_vec3 up = p->raster.above;
  return vec3_add_scaled(hn_pose_point(&body, wheel->pose.p), -0.9 * wheel->rolls, up);
}

// Where wheels went, as ribbons on the ground, two pixels wide at least.
static void add_ways(hn_picture *p) {
  const hn_vec3 up = p->raster.above;
  for (int k = 0; k < p->shape_count; k++) {
    const drawn_shape *s = &p->shapes[k];
    if (!(s->rolls > 0) || s->body == HN_GROUND) continue;
    const double half = fmax(0.15 * s->rolls, p->samples / p->raster.camera.scale);
    hn_vec3 from = foot_of(p, s, 0);
    for (int f = 1; f < p->scene->frames; f++) {
      hn_vec3 to = foot_of(p, s, f), aside = vec3_cross(up, vec3_sub(to, from));
      double length = vec3_norm(aside);
      if (!(length > half)) continue;
      aside = vec3_scale(half / length, aside);
      const hn_vec3 at[4] = {vec3_sub(from, aside), vec3_sub(to, aside), vec3_add(to, aside),
                             vec3_add(from, aside)};
      add_quad(&p->triangles, at, up, PAINT_WAY);
      from = to;
    }
  }
}

// All triangles of the instant whose poses were taken. Roads, floors and tendons are no part of the
// model.
static void gather(hn_picture *p, double time, int with_roads) {
  p->triangles.count = 0;
  for (int k = 0, last = p->options.moments - 1; with_roads && k < last; k++) {
    take_poses(p, moment_of(p, k, last + 1));
    add_shapes(p, 0);
    add_forces(p);
  }
  if (with_roads && p->options.moments > 0) take_poses(p, p->scene->last);
  add_shapes(p, 0);
  add_forces(p);
  p->moving = p->triangles.count;
  if (!with_roads) return;
  add_shapes(p, 1);
  for (int k = 0; k < p->scene->road_count; k++) add_road(p, &p->scene->roads[k], time);
  if (p->options.moments > 0) add_ways(p);
}

// ---- view ---------------------------------------------------------------------------------------

typedef struct bounds {
  hn_vec3 low, high;
} bounds;

static const bounds nowhere = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static void widen(bounds *b, hn_vec3 v) {
  if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) return;
  b->low = vec3(fmin(b->low.x, v.x), fmin(b->low.y, v.y), fmin(b->low.z, v.z));
  b->high = vec3(fmax(b->high.x, v.x), fmax(b->high.y, v.y), fmax(b->high.z, v.z));
}

static double diagonal(const bounds *b) {
  double size = vec3_norm(vec3_sub(b->high, b->low));
  return isfinite(size) ? size : 0;
}

// Of what moves: right, up and towards the eye as x, y, z; or along the global axes (camera null).
static void widen_by_machine(const hn_picture *p, const hn_camera *camera, hn_vec3 shift,
                             bounds *b) {
  for (size_t k = 0; k < p->moving; k++)
    for (int c = 0; c < 3; c++) {
      hn_vec3 v = vec3_sub(p->triangles.all[k].corner[c].at, shift);
      if (camera)
        v = vec3(vec3_dot(camera->right, v), vec3_dot(camera->up, v), vec3_dot(camera->eye, v));
      widen(b, v);
    }
}

static void look(hn_picture *p) {
  hn_vec3 g = p->scene->gravity;
  int has_gravity = vec3_norm(g) > 0;
  hn_vec3 up = has_gravity ? vec3_scale(-1, vec3_unit(g)) : vec3(0, 0, 1);
  hn_vec3 x = fabs(up.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  x = vec3_unit(vec3_add_scaled(x, -vec3_dot(x, up), up));
  hn_vec3 y = vec3_cross(up, x), eye = x, top = up, normal = vec3_zero();
  const int is_plane = hn_scene_is_plane(p->scene, &normal);
  const int is_upright = is_plane && fabs(vec3_dot(normal, up)) < 0.5;
  // the eye in front of an upright plane, so that a global axis points right
  const hn_vec3 front = vec3_dot(normal, y) > 0 ? vec3_scale(-1, normal) : normal;
  hn_picture_view view = p->options.view;
  if (is_plane && !is_upright && view == HN_VIEW_FRONT) view = HN_VIEW_TOP;
  if (is_upright && view == HN_VIEW_FRONT) eye = front;
  if (view == HN_VIEW_ISO)
    eye = vec3_unit(vec3_add_scaled(vec3_add_scaled(vec3_scale(0.62, x), -1, y), 0.48, up));
  if (view == HN_VIEW_SIDE) eye = vec3_scale(-1, y);
  if (view == HN_VIEW_TOP) {
    eye = up;
    top = y;
  }
  hn_camera *c = &p->raster.camera;
  c->eye = eye;
  c->right = vec3_unit(vec3_cross(top, eye));
  c->up = vec3_cross(eye, c->right);
  p->raster.above = up;
  p->raster.light.eye =
      vec3_unit(vec3_add_scaled(vec3_add_scaled(vec3_scale(0.45, eye), 1, up), -0.6, c->right));
  p->raster.light.right = vec3_unit(vec3_cross(c->up, p->raster.light.eye));
  p->raster.light.up = vec3_cross(p->raster.light.eye, p->raster.light.right);
  p->raster.half = vec3_unit(vec3_add(p->raster.light.eye, eye));
  p->has_ground = has_gravity && p->scene->road_count == 0 && vec3_dot(up, eye) > 0.1;
  p->ground.sides[0] = x;
  p->ground.sides[1] = y;
}

hn_picture_view hn_picture_usual_view(const hn_scene *scene) {
  hn_vec3 normal;
  return hn_scene_is_plane(scene, &normal) ? HN_VIEW_FRONT : HN_VIEW_ISO;
}

static int heaviest(const hn_scene *scene) {
  int best = scene->body_count > 1 ? 1 : 0;
  for (int b = 2; b < scene->body_count; b++)
    if (scene->bodies[b].mass > scene->bodies[best].mass) best = b;
  return best;
}

static void find_size(hn_picture *p, double time) {
  bounds all = nowhere;
  p->size = 1; // for the forces
  take_poses(p, time);
  for (int k = 0; k < p->scene->force_count; k++) {
    const hn_scene_link *f = &p->scene->forces[k];
    p->rest[k] = vec3_norm(vec3_sub(end_of(p, f, 1), end_of(p, f, 0)));
  }
  gather(p, time, 0);
  widen_by_machine(p, NULL, vec3_zero(), &all);
  p->size = fmax(diagonal(&all), 1e-6);
}

// A model that travels farther than its size is followed.
static void choose_followed(hn_picture *p) {
  int body = heaviest(p->scene);
  bounds way = nowhere;
  for (int k = 0; body > 0 && k < p->scene->frames; k++) {
    const float *at = frame_of(p->scene, k) + 1 + 7 * (body - 1);
    widen(&way, vec3((double)at[0], (double)at[1], (double)at[2]));
  }
  if (!p->options.is_film || !(diagonal(&way) > 1.2 * p->size)) return;
  p->followed = body;
  take_poses(p, p->scene->first);
  p->from = p->poses[body].p;
}

static hn_vec3 shift_of(const hn_picture *p) {
  return p->followed > 0 ? vec3_sub(p->poses[p->followed].p, p->from) : vec3_zero();
}

// The center and the scale that show all of the model, in samples.
static void fit(hn_picture *p) {
  hn_camera *c = &p->raster.camera;
  bounds b = nowhere;
  int moves = p->options.is_film || p->options.moments > 0, count = moves ? FITTED_FRAMES : 1;
  p->low = HUGE_VAL;
  for (int k = 0; k < count; k++) {
    double time = moves ? moment_of(p, k, count) : p->options.time;
    take_poses(p, time);
    gather(p, time, 0);
    widen_by_machine(p, c, shift_of(p), &b);
    for (size_t t = 0; t < p->moving; t++)
      for (int i = 0; i < 3; i++) {
        double height = vec3_dot(p->raster.above, p->triangles.all[t].corner[i].at);
        if (height < p->low) p->low = height;
      }
  }
  hn_vec3 d = vec3_sub(b.high, b.low), m = vec3_scale(0.5, vec3_add(b.low, b.high));
  if (!isfinite(d.x + d.y + d.z)) d = vec3(1, 1, 1), m = vec3_zero();
  double least = 1e-3 * p->size;
  d = vec3(fmax(d.x, least), fmax(d.y, least), d.z);
  if (p->options.crops) {
    double height = ceil(p->width * fmin(1.3, d.y / d.x) + 0.14 * p->width);
    double least_height = (p->options.moments > 0 ? 0.15 : 0.3) * p->width;
    p->height = (int)fmin(p->height, fmax(height, least_height));
  }
  c->width = p->samples * p->width;
  c->height = p->samples * p->height;
  // a piece of the road, too
  double part = p->scene->road_count > 0 && p->options.moments == 0 ? 0.74 : 0.86;
  c->scale = part * fmin(c->width / d.x, c->height / d.y);
  p->middle = vec3_add(vec3_add(vec3_scale(m.x, c->right), vec3_scale(m.y, c->up)),
                       vec3_scale(m.z, c->eye));
  if (!isfinite(p->low)) p->low = 0;
}

static void place_light(hn_picture *p) {
  hn_camera *light = &p->raster.light;
  bounds b = nowhere;
  widen_by_machine(p, NULL, vec3_zero(), &b);
  double radius = 0.5 * fmax(diagonal(&b), 1e-6);
  light->middle = vec3_scale(0.5, vec3_add(b.low, b.high));
  if (!isfinite(light->middle.x)) light->middle = vec3_zero();
  light->width = light->height = SHADOW_MAP;
  light->scale = 0.49 * SHADOW_MAP / radius;
  p->raster.bias = 1.6 / light->scale;
}

// ---- made and freed -----------------------------------------------------------------------------

static hn_paint paint_of(int color, double opacity) {
  hn_paint paint = {.opacity = opacity};
  for (int k = 0; k < 3; k++) paint.color[k] = (color >> (16 - 8 * k) & 255) / 255.0;
  return paint;
}

static int same_surface(const hn_picture *p, const hn_shape_def *const *defs, int count) {
  const hn_shape_def *def = defs[count];
  for (int k = 0; k < count && def->type == HN_SHAPE_MESH; k++)
    if (defs[k]->type == HN_SHAPE_MESH && defs[k]->mesh == def->mesh) return p->shapes[k].surface;
  return -1;
}

// As thin as what a plane is drawn as (formats/load_touch.c): a floor.
static int is_plate(const hn_shape_def *def) {
  const hn_vec3 s = def->size;
  double thin = fmin(s.x, fmin(s.y, s.z)), wide = fmax(s.x, fmax(s.y, s.z));
  return def->type == HN_SHAPE_BOX && thin <= 0.0025 * wide;
}

static hn_status make_shape(hn_picture *p, const hn_shape_def *const *defs, int k, int body,
                            int segments) {
  const hn_shape_def *def = defs[k];
  hn_mesh *mesh = NULL;
  p->paints[PAINTS + k] = paint_of(def->color, fmin(1, fmax(0, 1 - def->transparency)));
  p->shapes[k] = (drawn_shape){body,
                               same_surface(p, defs, k),
                               {quat_matrix(def->frame.orientation), def->frame.position},
                               body == HN_GROUND && (is_plate(def) || p->scene->road_count > 0),
                               def->type == HN_SHAPE_WHEEL ? def->radius : 0};
  if (p->shapes[k].surface >= 0) return HN_OK;
  p->shapes[k].surface = k;
  hn_status status = hn_shape_triangles(def, segments, &mesh, NULL);
  if (status == HN_ERROR_MEMORY) return status;
  if (status != HN_OK) return HN_OK; // what cannot be drawn is left out
  status = hn_surface_create(mesh, &p->surfaces[k]);
  hn_mesh_free(mesh);
  return status;
}

// A disc of steel inside a tyre, a little wider than it.
static hn_status make_rim(hn_picture *p, const hn_shape_def *wheel, int k, int body, int segments) {
  hn_shape_def rim = *wheel;
  const hn_shape_def *def = &rim;
  rim.type = HN_SHAPE_CYLINDER;
  rim.radius *= 0.58;
  rim.length *= 1.03;
  hn_mesh *mesh = NULL;
  p->paints[PAINTS + k] = paint_of(0xa9aeb8, 1 - fmin(1, fmax(0, def->transparency)));
  p->shapes[k] =
      (drawn_shape){body, k, {quat_matrix(def->frame.orientation), def->frame.position}, 0, 0};
  hn_status status = hn_shape_triangles(def, segments, &mesh, NULL);
  if (status == HN_OK) status = hn_surface_create(mesh, &p->surfaces[k]);
  hn_mesh_free(mesh);
  return status;
}

static hn_status make_shapes(hn_picture *p) {
  const hn_scene *scene = p->scene;
  int count = 0, made = 0;
  for (int b = 0; b < scene->body_count; b++)
    for (int k = 0; k < scene->bodies[b].shape_count; k++)
      count += 1 + (scene->bodies[b].shapes[k].type == HN_SHAPE_WHEEL);
  int segments = count < 80 ? 36 : count < 800 ? 18 : 8;
  const hn_shape_def **defs = hn_allocate(NULL, ((size_t)count + 1) * sizeof *defs);
  p->shapes = hn_allocate(NULL, ((size_t)count + 1) * sizeof *p->shapes);
  p->surfaces = hn_allocate(NULL, ((size_t)count + 1) * sizeof *p->surfaces);
  p->paints = hn_allocate(NULL, ((size_t)count + PAINTS) * sizeof *p->paints);
  hn_status status = defs && p->shapes && p->surfaces && p->paints ? HN_OK : HN_ERROR_MEMORY;
  if (p->surfaces) memset(p->surfaces, 0, ((size_t)count + 1) * sizeof *p->surfaces);
  for (int b = 0; b < scene->body_count; b++)
    for (int k = 0; k < scene->bodies[b].shape_count && status == HN_OK; k++) {
      defs[made] = &scene->bodies[b].shapes[k];
      status = make_shape(p, defs, made, b, segments);
      made += status == HN_OK;
      if (status == HN_OK && defs[made - 1]->type == HN_SHAPE_WHEEL) {
        defs[made] = defs[made - 1];
        status = make_rim(p, defs[made], made, b, segments);
        made += status == HN_OK;
      }
      p->shape_count = made;
    }
  hn_release(NULL, defs);
  return status;
}

static void make_paints(hn_picture *p) {
  double cell = hn_pow(10, floor(hn_log10(p->size / 4)));
  p->ground.cell = cell * (p->size / cell > 20 ? 5 : p->size / cell > 8 ? 2 : 1);
  p->ground.reach = 2.5 * p->size;
  p->ground.samples = p->samples;
  p->paints[PAINT_ROAD] = paint_of(0xb2b6be, 1);
  p->paints[PAINT_COIL] = paint_of(0x7d6fb0, 1);
  p->paints[PAINT_BARREL] = paint_of(0x5f6673, 1);
  p->paints[PAINT_ROD] = paint_of(0xc3c8d0, 1);
  p->paints[PAINT_SLEEVE] = paint_of(0x7d6fb0, 1);
  p->paints[PAINT_WAY] = paint_of(0x3a3f4a, 1);
}

static hn_status make_buffers(hn_picture *p) {
  hn_raster *r = &p->raster;
  size_t samples = (size_t)r->camera.width * (size_t)r->camera.height;
  int color = p->options.background ? p->options.background : LIGHT_GREY;
  for (int k = 0; k < 3; k++) r->background[k] = (color >> (16 - 8 * k) & 255) / 255.0;
  r->depth = hn_allocate(NULL, samples * sizeof *r->depth);
  r->color = hn_allocate(NULL, 3 * samples);
  r->shadow = hn_allocate(NULL, (size_t)SHADOW_MAP * SHADOW_MAP * sizeof *r->shadow);
  p->pixels = hn_allocate(NULL, 3 * (size_t)p->width * (size_t)p->height);
  return r->depth && r->color && r->shadow && p->pixels ? HN_OK : HN_ERROR_MEMORY;
}

static hn_status make(hn_picture *p) {
  const hn_scene *scene = p->scene;
  p->poses = hn_allocate(NULL, (size_t)scene->body_count * sizeof *p->poses);
  p->rest = hn_allocate(NULL, ((size_t)scene->force_count + 1) * sizeof *p->rest);
  if (!p->poses || !p->rest) return HN_ERROR_MEMORY;
  hn_status status = make_shapes(p);
  if (status != HN_OK) return status;
  look(p);
  find_size(p, p->options.is_film ? scene->first : p->options.time);
  make_paints(p);
  choose_followed(p);
  fit(p);
  return p->triangles.has_failed ? HN_ERROR_MEMORY : make_buffers(p);
}

static int is_size(int pixels) { return pixels >= 16 && pixels <= 8192; }

hn_status hn_picture_create(const hn_scene *scene, const hn_picture_options *options,
                            hn_picture **result, hn_error *error) {
  if (!scene || !result) return HN_ERROR_ARGUMENT;
  *result = NULL;
  hn_picture_options o = options ? *options : (hn_picture_options){0};
  if (!o.width) o.width = 1280;
  if (!o.height) o.height = 720;
  if (!o.samples) o.samples = 2;
  if (!is_size(o.width) || !is_size(o.height) || o.samples < 1 || o.samples > 4)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, "the picture",
                   "Use 16 to 8192 pixels and 1 to 4 samples.",
                   "cannot have %d x %d pixels with %d samples", o.width, o.height, o.samples);
  if (o.moments < 0 || o.moments > 100 || (o.moments > 0 && o.is_film))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, "the picture",
                   "Use 1 to 100 moments, or 0 for a single time.", "cannot show %d moments",
                   o.moments);
  if (scene->frames < 1)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, "the scene", "Record a frame first.",
                   "has no frame to draw");
  hn_picture *p = hn_allocate(NULL, sizeof *p);
  hn_status status = HN_ERROR_MEMORY;
  if (p) {
    *p = (hn_picture){.scene = scene, .options = o};
    p->samples = o.samples;
    p->width = o.width;
    p->height = o.height;
    status = make(p);
  }
  if (status != HN_OK) {
    hn_picture_free(p);
    return hn_fail(error, status, NULL, "the picture", "Make it smaller.",
                   "does not fit in memory");
  }
  *result = p;
  return HN_OK;
}

void hn_picture_free(hn_picture *p) {
  if (!p) return;
  for (int k = 0; k < p->shape_count; k++) hn_surface_free(&p->surfaces[k]);
  hn_release(NULL, p->shapes);
  hn_release(NULL, p->surfaces);
  hn_release(NULL, p->paints);
  hn_release(NULL, p->rest);
  hn_release(NULL, p->poses);
  hn_release(NULL, p->triangles.all);
  hn_release(NULL, p->raster.depth);
  hn_release(NULL, p->raster.color);
  hn_release(NULL, p->raster.shadow);
  hn_release(NULL, p->pixels);
  hn_release(NULL, p);
}

// ---- drawing ------------------------------------------------------------------------------------

// Transparent triangles come last, the far ones first.
static int compare_depth(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct see_through {
  double depth;
  size_t triangle;
} see_through;

static hn_status draw_transparent(hn_picture *p, size_t count) {
  see_through *list = hn_allocate(NULL, (count + 1) * sizeof *list);
  size_t used = 0;
  if (!list) return HN_ERROR_MEMORY;
  for (size_t k = 0; k < p->triangles.count; k++) {
    const hn_triangle *t = &p->triangles.all[k];
    if (p->paints[t->paint].opacity >= 1) continue;
    double depth = 0;
    for (int c = 0; c < 3; c++) depth += vec3_dot(p->raster.camera.eye, t->corner[c].at);
    list[used++] = (see_through){depth, k};
  }
  qsort(list, used, sizeof *list, compare_depth);
  for (size_t k = 0; k < used; k++) {
    const hn_triangle *t = &p->triangles.all[list[k].triangle];
    hn_raster_shade(&p->raster, t->corner, &p->paints[t->paint]);
  }
  hn_release(NULL, list);
  return HN_OK;
}

// A pixel is the mean of its samples; those that nothing covers show the ground.
static void reduce_pixel(const hn_picture *p, int x, int y, unsigned char *pixel) {
  const int n = p->samples, wide = p->raster.camera.width;
  double sum[3] = {0, 0, 0}, dark = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      size_t k = (size_t)(y * n + j) * (size_t)wide + (size_t)(x * n + i);
      double light = 1;
      if (p->has_ground && p->raster.depth[k] == -HUGE_VALF) {
        if (!(dark > 0))
          dark = hn_raster_ground(&p->raster, &p->ground, (x + 0.5) * n, (y + 0.5) * n);
        light = dark;
      }
      for (size_t c = 0; c < 3; c++) sum[c] += light * p->raster.color[3 * k + c];
    }
  for (int c = 0; c < 3; c++) pixel[c] = (unsigned char)(sum[c] / (n * n) + 0.5);
}

static void reduce(hn_picture *p) {
  hn_vec3 at = p->raster.camera.middle, up = p->raster.above;
  p->ground.height = p->low - 0.002 * p->size;
  p->ground.middle = vec3_add_scaled(at, p->ground.height - vec3_dot(at, up), up);
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++)
      reduce_pixel(p, x, y, p->pixels + 3 * ((size_t)y * (size_t)p->width + (size_t)x));
}

hn_status hn_picture_draw(hn_picture *p, double time, hn_error *error) {
  size_t transparent = 0;
  if (!p) return HN_ERROR_ARGUMENT;
  take_poses(p, time);
  p->raster.camera.middle = vec3_add(p->middle, shift_of(p));
  gather(p, time, 1);
  if (p->triangles.has_failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, "the picture", "Draw fewer shapes.",
                   "does not fit in memory");
  place_light(p);
  hn_raster_clear(&p->raster);
  for (size_t k = 0; k < p->moving; k++) {
    if (p->paints[p->triangles.all[k].paint].opacity >= 1)
      hn_raster_cast(&p->raster, p->triangles.all[k].corner);
  }
  for (size_t k = 0; k < p->triangles.count; k++) // what is hidden is not shaded
    if (p->paints[p->triangles.all[k].paint].opacity >= 1)
      hn_raster_cover(&p->raster, p->triangles.all[k].corner);
  for (size_t k = 0; k < p->triangles.count; k++) {
    const hn_triangle *t = &p->triangles.all[k];
    if (p->paints[t->paint].opacity >= 1)
      hn_raster_shade(&p->raster, t->corner, &p->paints[t->paint]);
    else
      transparent++;
  }
  hn_status status = transparent > 0 ? draw_transparent(p, transparent) : HN_OK;
  reduce(p);
  return status;
}

const unsigned char *hn_picture_pixels(const hn_picture *p) { return p ? p->pixels : NULL; }

void hn_picture_size(const hn_picture *p, int *width, int *height) {
  if (width) *width = p->width;
  if (height) *height = p->height;
}
