// Common declarations of writing (hdf5.c) and reading (hdf5_read.c) of HDF5.
#ifndef HN_OUTPUT_HDF5_H
#define HN_OUTPUT_HDF5_H

#include "holon/base.h"

#if HOLON_WITH_HDF5
#include <hdf5.h>
// With HDF5's own reason, the innermost one.
hn_status hn_hdf5_error(const char *path, const char *what, hn_error *error);
#else
hn_status hn_hdf5_not_built(const char *path, hn_error *error);
#endif

#endif
