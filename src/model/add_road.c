// Roads: height profiles with their points copied. Measured profiles become a law z(x) at once, a
// broken line or a spline; what the profile does beyond its ends is the tyre's business.
#include <math.h>

#include "model/storage.h"

// The points of a profile: at least two, finite, x increasing.
static hn_status check_points(hn_model *model, const hn_road_def *road) {
  hn_subject subject = {model, HN_NAME_ROAD, road->name, &road->source};
  if (road->count < 2 || !road->x || !road->z)
    return hn_subject_fail(&subject, "Give at least two points [x, z].",
                           "has %d points; a profile needs two", road->count);
  for (int i = 0; i < road->count; i++) {
    if (!isfinite(road->x[i]) || !isfinite(road->z[i]))
      return hn_subject_fail(&subject, "Give finite numbers.",
                             "has the point (%g, %g) as number %d; coordinates must be finite",
                             road->x[i], road->z[i], i + 1);
    if (i > 0 && !(road->x[i] > road->x[i - 1]))
      return hn_subject_fail(&subject,
                             "Sort the points by x; for a vertical step, leave 1 mm in x.",
                             "has x = %g after x = %g (points %d and %d); x must increase",
                             road->x[i], road->x[i - 1], i, i + 1);
  }
  return HN_OK;
}

static hn_status make_profile(hn_model *model, hn_road_def *road, hn_law **law) {
  *law = NULL;
  if (road->kind != HN_ROAD_POLYLINE && road->kind != HN_ROAD_TABLE) {
    road->x = road->z = NULL;
    road->count = 0;
    return HN_OK;
  }
  hn_status status = check_points(model, road);
  if (status) return status;
  road->x = hn_arena_copy(&model->arena, road->x, (size_t)road->count, sizeof(double));
  road->z = hn_arena_copy(&model->arena, road->z, (size_t)road->count, sizeof(double));
  if (!road->x || !road->z) return hn_model_out_of_memory(model, HN_NAME_ROAD, road->name);
  hn_table_kind kind = road->kind == HN_ROAD_TABLE ? HN_TABLE_SPLINE : HN_TABLE_LINEAR;
  hn_error error = {0};
  status =
      hn_law_table(road->x, road->z, road->count, kind, &model->storage->allocator, law, &error);
  if (status == HN_ERROR_MEMORY) return hn_model_out_of_memory(model, HN_NAME_ROAD, road->name);
  if (status) {
    hn_subject subject = {model, HN_NAME_ROAD, road->name, &road->source};
    return hn_subject_fail(&subject, error.hint, "%s", error.message);
  }
  if (!hn_model_own_law(model, *law))
    return hn_model_out_of_memory(model, HN_NAME_ROAD, road->name);
  return HN_OK;
}

static void free_surface(void *surface) { hn_road_surface_free(surface); }

static hn_status keep_surface(hn_model *model, hn_road_def *road) {
  hn_subject subject = {model, HN_NAME_ROAD, road->name, &road->source};
  if (!hn_model_own(model, road->surface, free_surface))
    return hn_model_out_of_memory(model, HN_NAME_ROAD, road->name);
  if ((road->kind == HN_ROAD_SURFACE) != (road->surface != NULL))
    return hn_subject_fail(&subject, "Set hn_road_def.surface for HN_ROAD_SURFACE only.",
                           "has %s surface", road->surface ? "a" : "no");
  if (road->patch_count > 0) {
    road->patches = hn_arena_copy(&model->arena, road->patches, (size_t)road->patch_count,
                                  sizeof *road->patches);
    if (!road->patches) return hn_model_out_of_memory(model, HN_NAME_ROAD, road->name);
  }
  return HN_OK;
}

hn_status hn_model_add_road(hn_model *model, const hn_road_def *def, int *id) {
  if (!model) return HN_ERROR_ARGUMENT;
  if (!def)
    return hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a definition.",
                   "the definition of a road is a null pointer");
  hn_road_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_ROAD, &own.name, &own.source);
  if (status) return status;
  hn_law *law = NULL;
  status = keep_surface(model, &own);
  if (status) return status;
  status = make_profile(model, &own, &law);
  if (status) return status;
  struct hn_model_storage *storage = model->storage;
  hn_road_def *roads = hn_model_grow(model, model->roads.item, &storage->road_room,
                                     model->roads.count, sizeof *roads);
  if (!roads) return hn_model_out_of_memory(model, HN_NAME_ROAD, own.name);
  model->roads.item = roads;
  hn_law **laws = hn_model_grow(model, model->roads.law, &storage->road_law_room,
                                model->roads.count, sizeof *laws);
  if (!laws) return hn_model_out_of_memory(model, HN_NAME_ROAD, own.name);
  model->roads.law = laws;
  roads[model->roads.count] = own;
  laws[model->roads.count] = law;
  hn_names_insert(&storage->names, HN_NAME_ROAD, own.name, model->roads.count);
  if (id) *id = model->roads.count;
  model->roads.count++;
  return HN_OK;
}
