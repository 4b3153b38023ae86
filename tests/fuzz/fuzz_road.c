// Files of roads: OpenCRG, heights as CSV, NPY and PNG. Reading ends in a surface or in an error; a
// surface answers any point. The first byte chooses the format.
#include "target.h"

#include "vehicle/height_file.h"
#include "vehicle/surface.h"

static void ask(hn_road_surface *surface) {
  hn_road_point p;
  for (int k = 0; k < 5; k++) hn_road_surface_at(surface, 3.7 * k - 5, 2 - k, &p);
  hn_road_surface_free(surface);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[4] = {"x.crg", "x.csv", "x.npy", "x.png"};
  if (size == 0) return 0;
  const char *text = (const char *)data + 1;
  const char *name = names[data[0] % 4];
  hn_error error = {0};
  hn_road_surface *surface = NULL;
  if (data[0] % 4 == 0) {
    hn_status status = hn_road_surface_crg(text, size - 1, name, &surface, &error);
    PROMISE_OUTCOME(status, surface, error);
    if (surface) ask(surface);
    return 0;
  }
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_heights h;
  hn_status status = hn_heights_read(&arena, text, size - 1, name, &h, &error);
  PROMISE(status == HN_OK || error.message[0]);
  if (status == HN_OK) {
    const double origin[2] = {0, 0}, spacing[2] = {1, 1};
    status = hn_road_surface_grid(h.nx, h.ny, h.z, origin, spacing, &surface, &error);
    PROMISE_OUTCOME(status, surface, error);
    if (surface) ask(surface);
  }
  hn_arena_release(&arena);
  return 0;
}
