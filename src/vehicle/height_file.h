// Heights from files: CSV (rows of numbers), NPY (two-dimensional arrays), PNG (gray pictures).
#ifndef HN_VEHICLE_HEIGHT_FILE_H
#define HN_VEHICLE_HEIGHT_FILE_H

#include "base/arena.h"

// Heights as in the file: the first row first. The format follows from the ending of the name.
typedef struct hn_heights {
  int nx, ny;
  double *z; // (ny x nx)
} hn_heights;

hn_status hn_heights_read(hn_arena *arena, const char *text, size_t size, const char *name,
                          hn_heights *out, hn_error *error);
// Black is 0, white 1; the last row of the picture comes first (height_png.c).
hn_status hn_heights_read_png(hn_arena *arena, const char *bytes, size_t size, const char *name,
                              hn_heights *out, hn_error *error);

#endif
