// Property files of tyres (.tir, TeimOrbit text) and tables, from memory.
#ifndef HN_VEHICLE_TIR_H
#define HN_VEHICLE_TIR_H

#include "vehicle/tyre.h"

// Both fill a tyre whose arena is ready and whose numbers have their defaults.
hn_status hn_tir_read(hn_tyre *tyre, const char *text, size_t size, const char *file,
                      hn_error *error);
hn_status hn_tyre_grid_read(hn_tyre *tyre, const char *text, size_t size, const char *file,
                            hn_error *error);

#endif
