// Holon: a model as a file of MuJoCo (MJCF), as URDF or SDF, with a report of what the format
// cannot say.
//
//   hn_export *export = NULL;
//   hn_export_make(simulation, HN_EXPORT_MJCF, NULL, &export, &error);
//   hn_export_text(export);                         // the file
//   hn_export_count(export, HN_IMPORT_LOST);        // what is not in it
//   hn_export_free(export);
//
// The present state of the simulation becomes the reference configuration of the file.
#ifndef HOLON_EXPORT_H
#define HOLON_EXPORT_H

#include "holon/import.h"
#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_export hn_export;

typedef enum hn_export_format { HN_EXPORT_MJCF, HN_EXPORT_URDF, HN_EXPORT_SDF } hn_export_format;

typedef struct hn_export_options {
  size_t size; // of this struct; 0: the first version
  const hn_allocator *allocator;
} hn_export_options;
HN_API hn_export_options hn_default_export_options(void);

// On failure *export is null and *error says why. options may be null.
HN_API hn_status hn_export_make(hn_simulation *simulation, hn_export_format format,
                                const hn_export_options *options, hn_export **made,
                                hn_error *error);
HN_API void hn_export_free(hn_export *made); // null is fine
HN_API const char *hn_export_text(const hn_export *made);
// Import status of the elements of the model, each of which is in exactly one of the four lists.
// Items name the element ("joint 'knee'"), its kind ("joint revolute") and its location in the
// model.
HN_API int hn_export_count(const hn_export *made, hn_import_fate fate);
HN_API hn_import_item hn_export_item_at(const hn_export *made, hn_import_fate fate, int index);

#ifdef __cplusplus
}
#endif

#endif
