// Roads over x and y in model files: planes, height fields, random roads, OpenCRG; friction of any
// road.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/load_rolling.h"
#include "formats/text_file.h"
#include "vehicle/height_file.h"
#include "vehicle/surface.h"

enum { MOST_PATCHES = 1000 };

// The text of the file under `file:`, with its path.
static const char *read_file(hn_fields *f, const char **text, size_t *size) {
  const hn_context *context = f->context;
  hn_loader *loader = context->loader;
  const hn_node *node = hn_field_need(f, "file");
  const char *name = node ? hn_text_of(context, node) : NULL;
  if (name && hn_path_is_absolute(name)) {
    const hn_source at = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &at,
                   "Write the path relative to this file, so that the model works elsewhere too.",
                   "has a file with the absolute path '%.200s'", name);
    return NULL;
  }
  const char *path = name ? hn_path_join(&loader->arena, hn_written_in(context, node), name) : NULL;
  if (!path) return NULL;
  hn_source place = hn_node_source(node);
  hn_error why = {0};
  hn_status status = hn_loader_text(loader, path, &place, text, size, &why);
  if (status == HN_OK) return path;
  hn_loader_fail(loader, status, &place, why.hint, "%s", why.message);
  return NULL;
}

static hn_status height_field(hn_fields *f, hn_road_surface **surface, hn_error *why) {
  const char *text;
  size_t size;
  double origin[2] = {0, 0}, spacing[2] = {0, 0}, scale = hn_field_number(f, "scale");
  const char *path = read_file(f, &text, &size);
  if (hn_field_given(f, "origin")) hn_field_numbers(f, "origin", 2, 2, origin);
  if (!hn_field_need(f, "spacing") || hn_field_numbers(f, "spacing", 2, 2, spacing) != 2 || !path)
    return HN_ERROR_MODEL;
  hn_heights heights;
  hn_status status = hn_heights_read(&f->context->loader->arena, text, size, path, &heights, why);
  if (status != HN_OK) return status;
  for (size_t k = 0; k < (size_t)heights.nx * (size_t)heights.ny; k++) heights.z[k] *= scale;
  return hn_road_surface_grid(heights.nx, heights.ny, heights.z, origin, spacing, surface, why);
}

static hn_status crg(hn_fields *f, hn_road_surface **surface, hn_error *why) {
  const char *text;
  size_t size;
  const char *path = read_file(f, &text, &size);
  return path ? hn_road_surface_crg(text, size, path, surface, why) : HN_ERROR_MODEL;
}

static hn_status random_road(hn_fields *f, hn_road_surface **surface, hn_error *why) {
  if (!hn_field_need(f, "class")) return HN_ERROR_MODEL;
  char word = (char)('A' + hn_field_choice(f, "class"));
  double seed = hn_field_number(f, "seed"), track = hn_field_number(f, "track");
  unsigned long long number = seed > 0 && seed < 1e15 ? (unsigned long long)seed : 0;
  return hn_road_surface_random(word, number, track, surface, why);
}

hn_road_surface *hn_build_surface(hn_fields *f) {
  hn_loader *loader = f->context->loader;
  hn_road_surface *surface = NULL;
  hn_error why = {0};
  hn_status status;
  const char *kind = f->section->variant;
  if (strcmp(kind, "plane") == 0)
    status = hn_road_surface_plane(hn_field_number(f, "height"), hn_field_number(f, "slope"),
                                   hn_field_number(f, "bank"), &surface, &why);
  else if (strcmp(kind, "random") == 0)
    status = random_road(f, &surface, &why);
  else if (strcmp(kind, "crg") == 0)
    status = crg(f, &surface, &why);
  else
    status = height_field(f, &surface, &why);
  if (status != HN_OK && hn_loader_ok(loader)) {
    hn_source place = hn_node_key_source(f->map);
    hn_loader_fail(loader, status, &place, why.hint, "%s%s%s", why.file, why.file[0] ? ": " : "",
                   why.message);
  }
  return surface;
}

// ---- friction -----------------------------------------------------------------------------------

static void read_patch(const hn_context *context, const hn_node *node, hn_friction_patch *patch) {
  *patch = (hn_friction_patch){{-HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL}, 1, 0};
  hn_fields f;
  if (!hn_fields_open(context, node, hn_section_find("patch", NULL), &f)) return;
  static const char *const axes[2] = {"x", "y"};
  for (int k = 0; k < 2; k++) {
    double ends[2];
    if (!hn_field_given(&f, axes[k]) || hn_field_numbers(&f, axes[k], 2, 2, ends) != 2) continue;
    patch->low[k] = fmin(ends[0], ends[1]);
    patch->high[k] = fmax(ends[0], ends[1]);
  }
  hn_field_need(&f, "friction");
  patch->mu = hn_field_number(&f, "friction");
  patch->ramp = hn_field_number(&f, "ramp");
  hn_fields_close(&f);
}

static int check_friction(hn_fields *f, double mu, double ramp) {
  if (mu > 0 && mu < 100 && ramp >= 0) return 1;
  hn_source place = hn_node_key_source(f->map);
  hn_loader_fail(f->context->loader, HN_ERROR_MODEL, &place,
                 "Use friction > 0 (1 for the tyre's test surface, 0.2 for ice) and a ramp >= 0.",
                 "has the friction %g with a ramp of %g m", mu, ramp);
  return 0;
}

void hn_build_friction(hn_fields *f, hn_road_def *def) {
  hn_loader *loader = f->context->loader;
  def->friction = hn_field_number(f, "friction");
  const hn_node *list = hn_field(f, "patches");
  if (!hn_loader_ok(loader) || !check_friction(f, def->friction, 0) || !list) return;
  if (list->kind != HN_NODE_LIST || list->count > MOST_PATCHES) {
    hn_source place = hn_node_source(list);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write [{y: [0, 10], friction: 0.3}].",
                   "expects a list of at most %d patches", MOST_PATCHES);
    return;
  }
  hn_friction_patch *patches = hn_loader_take(loader, (size_t)list->count, sizeof *patches);
  int k = 0;
  for (const hn_node *n = list->first; n && patches && hn_loader_ok(loader); n = n->next, k++) {
    read_patch(f->context, n, &patches[k]);
    if (hn_loader_ok(loader)) check_friction(f, patches[k].mu, patches[k].ramp);
  }
  def->patches = patches;
  def->patch_count = k;
}
