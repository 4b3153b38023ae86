// Handling tyres in model files: `type: tyre` with `model: file.tir`.
//
// The axis points to the left of the vehicle. In a component that is mirrored from left to right
// it is turned to the left again, and the tyre is the one of the other side.
#include "formats/load_rolling.h"

#include "base/error.h"
#include "base/plain_file.h"
#include "formats/geometry.h"
#include "formats/text_file.h"
#include "vehicle/tyre.h"

static hn_tyre *load_tyre(hn_fields *f) {
  const hn_context *context = f->context;
  hn_loader *loader = context->loader;
  const hn_node *node = hn_field_need(f, "model");
  const char *name = node ? hn_text_of(context, node) : NULL;
  if (!name) return NULL;
  hn_source place = hn_node_source(node);
  if (hn_path_is_absolute(name)) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write the path relative to this file, so that the model works elsewhere too.",
                   "has a tyre with the absolute path '%.200s'", name);
    return NULL;
  }
  const char *path = hn_path_join(&loader->arena, hn_written_in(context, node), name);
  if (!path) return NULL;
  hn_tyre *tyre = NULL;
  hn_error why = {0};
  const char *text;
  size_t size;
  hn_status status = hn_loader_text(loader, path, &place, &text, &size, &why);
  if (status == HN_OK) status = hn_tyre_parse(text, size, path, &tyre, &why);
  if (status != HN_OK)
    hn_loader_fail(loader, status, &place, why.hint, "has the tyre '%.200s': %s", path,
                   why.message);
  return tyre;
}

// Numbers of the model file go before those of the property file.
static void read_sizes(hn_fields *f, hn_tyre *tyre, hn_force_def *def) {
  if (hn_field_given(f, "radius")) HN_P(tyre, UNLOADED_RADIUS) = hn_field_number(f, "radius");
  if (hn_field_given(f, "stiffness")) {
    HN_P(tyre, VERTICAL_STIFFNESS) = hn_field_number(f, "stiffness");
    HN_P(tyre, LCZ) = 1;
    HN_P(tyre, CVERT_1) = 0;
    tyre->load.count = 0;
  }
  int is_easy = tyre->model == HN_TYRE_TMEASY;
  double damping = is_easy ? HN_P(tyre, DVERT) : HN_P(tyre, VERTICAL_DAMPING);
  def->radius = HN_P(tyre, UNLOADED_RADIUS);
  def->damping[0] = hn_field_given(f, "damping") ? hn_field_number(f, "damping") : damping;
  def->transition = hn_field_number(f, "low_speed");
  def->following = hn_field_boolean(f, "relaxation");
}

static hn_tyre_side side_of(hn_fields *f, const hn_tyre *tyre, int is_mirrored) {
  hn_tyre_side side = (hn_tyre_side)hn_field_choice(f, "side");
  if (!is_mirrored) return side;
  if (side == HN_TYRE_AS_FILE) side = hn_tyre_side_of(tyre);
  return side == HN_TYRE_LEFT ? HN_TYRE_RIGHT : HN_TYRE_LEFT;
}

hn_vec3 hn_build_rolling_tyre(hn_fields *f, hn_force_def *def) {
  const hn_placement *placement = &f->context->scope->placement;
  def->type = HN_FORCE_ROLLING_TYRE;
  const hn_node *node = hn_field(f, "spin_axis");
  hn_vec3 axis = node ? hn_direction_of(f->context, node, NULL)
                      : hn_placement_vector(placement, vec3(0, 1, 0));
  int is_mirrored = hn_placement_parity(placement) < 0 && axis.y < 0;
  if (is_mirrored) axis = vec3_negate(axis);
  hn_tyre *tyre = load_tyre(f);
  if (!tyre) return axis;
  read_sizes(f, tyre, def);
  hn_tyre_mount(tyre, side_of(f, tyre, is_mirrored));
  def->tyre = tyre;
  return axis;
}
