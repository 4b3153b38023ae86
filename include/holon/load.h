// Holon: models from files (YAML, and so JSON; by their endings URDF, SDF and MJCF).
// docs/reference/model-format.md describes their keys, docs/howto/import.md the other formats.
#ifndef HOLON_LOAD_H
#define HOLON_LOAD_H

#include "holon/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HN_LOAD_ERRORS 20       // at most this many errors are reported
#define HN_LOAD_ENTRIES 100000L // default of hn_load_options.max_entries

typedef struct hn_load_options {
  size_t size; // of this struct; 0: the first version
  const char *const
      *settings; // "NAME=VALUE", overriding the model's parameters; VALUE as in a file
  int setting_count;
  int strict; // warnings are errors
  const hn_allocator *allocator;
  int allow_compiled; // sealed components (holon/component.h), which are code, may be loaded
  const char *const *trusted; // checksums of those that may anyway: SHA-256, 64 digits each
  int trusted_count;
  const struct hn_component_channel *served; // sealed components that other processes run
  int served_count;
  // Called when the file has been read and before the model is finished: what a file cannot say, as
  // forces of your own, is added here. Not HN_OK: loading fails with what the model says. Null: nothing.
  hn_status (*complete)(void *context, hn_model *model);
  void *complete_context;
  // Files like models that change it before it is loaded, one after the other: new names are added,
  // known names take the keys given, `remove:` deletes.
  const char *const *overlays;
  int overlay_count;
  const char *const *packages; // "NAME=FOLDER": where package://NAME/ of a URDF file is
  int package_count;
  const char *keyframe; // of an MJCF file: start there; null: reference configuration
  // Errors of a file are reported together: array and capacity for those after the first (which is
  // *error), and their number (0 if only one). Null and 0: only the first is wanted.
  hn_error *more;
  int more_room;
  int *more_count;
  // Limit on the named entries (bodies, joints, parameters, ...) of the model and its components,
  // each repetition of `repeat:` included; 0: HN_LOAD_ENTRIES.
  long max_entries;
} hn_load_options;
HN_API hn_load_options hn_default_load_options(void);

// Reads, checks and finishes a model. On failure *model is null and *error has file, line and
// column. Free *model with hn_model_free. options may be null.
HN_API hn_status hn_model_load(const char *path, const hn_load_options *options, hn_model **model,
                               hn_error *error);
// The same from text in memory; `name` represents the file in messages and is the folder against
// which `use:` looks up components.
HN_API hn_status hn_model_load_text(const char *text, size_t size, const char *name,
                                    const hn_load_options *options, hn_model **model,
                                    hn_error *error);

// ---- many models from the same files ------------------------------------------------------------

// The files of a model, each read once, so that changes on the disk have no effect on later builds.
typedef struct hn_model_files hn_model_files;
// Reads the model file, or takes its text (null: read the path), and lays overlays over it; other files
// are read when a build first needs them. *options (null: the default ones) must stay valid until
// hn_model_files_free.
HN_API hn_status hn_model_files_read(const char *path, const char *text, size_t size,
                                     const hn_load_options *options, hn_model_files **files,
                                     hn_error *error);
// A number for a parameter. unit: as in a file, null or "": that of the value it replaces, in SI.
typedef struct hn_parameter_setting {
  const char *name;
  double value;
  const char *unit;
} hn_parameter_setting;
// A model with these parameters, which go before those of the options; as hn_model_load otherwise.
// Several threads may build from the same files.
HN_API hn_status hn_model_files_build(hn_model_files *files, const hn_parameter_setting *settings,
                                      int setting_count, hn_model **model, hn_error *error);
HN_API void hn_model_files_free(hn_model_files *files); // null is fine
// Parameters of the model that are a number, with a unit or not; index from 0, 0 past the end. Others
// follow from them. Settings of the options go before the file. The texts live as long as the files.
typedef struct hn_parameter_number {
  const char *name;
  double value;     // in the unit
  const char *unit; // as written, empty: none
} hn_parameter_number;
HN_API int hn_model_files_parameter(const hn_model_files *files, int index,
                                    hn_parameter_number *number);
// The other files that builds have read; index from 0, null past the end. The text of a mesh is null.
HN_API const char *hn_model_files_path(const hn_model_files *files, int index, const char **text,
                                       size_t *size);

// Names of units that values of model files may have; index from 0, null past the end.
HN_API const char *hn_list_units(int index);
// Types of forces that model files may have; index from 0, null past the end.
HN_API const char *hn_list_forces(int index);
// The JSON Schema (draft-07) of model files, made from the table that drives the loader. Writes at
// most size bytes, terminated; *needed (may be null) is the whole length with the end mark.
HN_API hn_status hn_model_schema(char *text, size_t size, size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
