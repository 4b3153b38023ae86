// Roads of a scene: profiles cut to where the model was, wide enough for its wheels.
//
// A profile that moves is sampled where it passes: xi = x - speed t. A half cylinder is drawn
// itself, also where the tyre follows the path of a rigid disc over it.
#include <math.h>

#include "elements/road.h"
#include "math/elementary.h"
#include "output/scene.h"

#define BEYOND 6.0 // m of road in front of and behind the model
#define MOST_POINTS 4000

// Points of a profile while they are collected: x increasing.
typedef struct track {
  const hn_road *road;
  double *profile;
  int count;
  double low, high;
} track;

static double height(const track *t, double x) {
  return hn_road_profile(t->road, hn_road_feature_below(t->road, x), x).z;
}

static void put(track *t, double x, double z) {
  if (t->count == MOST_POINTS) return;
  t->profile[2 * t->count] = x;
  t->profile[2 * t->count + 1] = z;
  t->count++;
}

// A point inside the part that is drawn.
static void put_inside(track *t, double x, double z) {
  if (x > t->low && x < t->high) put(t, x, z);
}

static void sample(track *t, double from, double to, int parts) {
  for (int k = 0; k <= parts; k++) {
    double x = from + (to - from) * k / parts;
    put_inside(t, x, height(t, x));
  }
}

static void draw_profile(track *t) {
  const hn_road_def *def = t->road->def;
  put(t, t->low, height(t, t->low));
  switch (def->kind) {
  case HN_ROAD_FLAT: break;
  case HN_ROAD_SURFACE: sample(t, t->low, t->high, 400); break;
  case HN_ROAD_POLYLINE:
    for (int k = 0; k < def->count; k++) put_inside(t, def->x[k], def->z[k]);
    break;
  case HN_ROAD_COSINE_BUMP: sample(t, def->start, def->start + def->length, 64); break;
  case HN_ROAD_HALF_CYLINDER:
    for (int k = 0; k <= 48; k++) {
      double angle = 3.14159265358979323846 * (48 - k) / 48;
      put_inside(t, def->start + def->radius * hn_cos(angle), def->radius * hn_sin(angle));
    }
    break;
  case HN_ROAD_TABLE:
    for (int k = 0; k + 1 < def->count; k++) {
      put_inside(t, def->x[k], def->z[k]);
      for (int j = 1; j < 8; j++) {
        double x = def->x[k] + (def->x[k + 1] - def->x[k]) * j / 8;
        put_inside(t, x, height(t, x));
      }
    }
    put_inside(t, def->x[def->count - 1], def->z[def->count - 1]);
    break;
  }
  put(t, t->high, height(t, t->high));
}

// Across: as wide as the wheels that roll on it, and a wheel more on either side; wider if the
// model went farther aside.
static void find_width(const hn_model *model, int road, const struct hn_scene_storage *s,
                       hn_scene_road *out) {
  double low = HUGE_VAL, high = -HUGE_VAL, radius = 0;
  for (int k = 0; k < hn_model_force_count(model); k++) {
    const hn_force_def *force = &model->forces[k];
    if (force->road != road) continue;
    double y = hn_scene_drawn(model, force->frame2.body, force->frame2.position).y;
    low = fmin(low, y);
    high = fmax(high, y);
    radius = fmax(radius, force->radius);
  }
  int is_used = low <= high;
  if (is_used && s->right <= s->left) {
    low = fmin(low, s->right);
    high = fmax(high, s->left);
  }
  out->y = is_used ? 0.5 * (low + high) : 0;
  out->width = is_used ? high - low + 3 * radius : 3;
}

int hn_scene_make_roads(hn_scene *scene) {
  struct hn_scene_storage *s = scene->storage;
  const hn_model *model = s->model;
  if (!model) return 1;
  hn_scene_road *roads = HN_TAKE(&s->arena, hn_scene_road, model->roads.count);
  double *profile = HN_TAKE(&s->arena, double, model->roads.count > 0 ? 2 * MOST_POINTS : 0);
  if (!roads || !profile) return 0;
  for (int k = 0; k < model->roads.count; k++) {
    hn_road road = hn_road_of(model, k);
    double low = s->low <= s->high ? s->low : 0, high = s->low <= s->high ? s->high : 0;
    double first = road.def->speed * s->begin, last = road.def->speed * s->end;
    track t = {.road = &road,
               .profile = profile,
               .low = low - fmax(first, last) - BEYOND,
               .high = high - fmin(first, last) + BEYOND};
    draw_profile(&t);
    roads[k] = (hn_scene_road){.name = model->roads.item[k].name, .speed = road.def->speed};
    roads[k].profile = hn_arena_copy(&s->arena, profile, 2 * (size_t)t.count, sizeof *profile);
    roads[k].count = t.count;
    find_width(model, k, s, &roads[k]);
  }
  scene->roads = roads;
  scene->road_count = model->roads.count;
  return !s->arena.failed;
}
