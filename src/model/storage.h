// Common declarations of src/model: capacity of the growing arrays, the table of names, the laws to
// be freed, and the small helpers that every hn_model_add_* uses.
#ifndef HN_MODEL_STORAGE_H
#define HN_MODEL_STORAGE_H

#include "base/error.h"
#include "model/model.h"

typedef struct hn_name {
  unsigned long long hash;
  const char *text; // null: the slot is free
  size_t length;
  hn_name_kind kind;
  int id;
} hn_name;

// Open addressing, a power of two of slots, at most half of them taken.
typedef struct hn_name_table {
  hn_name *slots;
  size_t capacity, count;
} hn_name_table;

// Warnings of one check about one place of the file: `repeat:` and components make many elements there.
typedef struct hn_warning_group {
  const char *format; // which check
  hn_name_kind kind;
  const hn_source *source;
  size_t length; // of the text before how many others there are
  int warning, others;
} hn_warning_group;
#define HN_WARNING_GROUPS 64 // the latest; an element further back gets a warning of its own

struct hn_model_storage {
  hn_allocator allocator;
  struct hn_grown *grown; // all arrays of hn_model_grow
  int body_room, joint_room, driver_room, force_room, road_room, road_law_room, marker_room,
      component_room, input_room, output_room, warning_room, shape_room, mesh_room, part_room,
      contact_room, sensor_room, state_room, table_room, rule_room, outside_room, switch_room,
      figure_room;
  hn_name_table names;
  hn_law **laws; // open addressing by address; null slots are free
  size_t law_capacity, law_count;
  struct hn_owned *owned; // other things to be freed
  int owned_room, owned_count;
  int strict; // while finishing: warnings are errors
  hn_warning_group groups[HN_WARNING_GROUPS];
  int group_count; // since finishing began
};

// The entry, or null.
const hn_name *hn_names_find(const hn_name_table *table, hn_name_kind kind, const char *text,
                             size_t length);
// Makes sure that one more name fits; 0 when out of memory.
int hn_names_reserve(hn_name_table *table, const hn_allocator *allocator);
void hn_names_insert(hn_name_table *table, hn_name_kind kind, const char *text, int id);

// The model owns the law from now on, whatever happens; a law may be given more than once.
// 0 when out of memory: the law is then freed at once (unless it was known before).
int hn_model_own_law(hn_model *model, hn_law *law);
void hn_model_free_laws(hn_model *model);

// The same for tyres and surfaces, each given once.
typedef struct hn_owned {
  void *thing;
  void (*release)(void *thing);
} hn_owned;
int hn_model_own(hn_model *model, void *thing, void (*release)(void *thing)); // null is fine
void hn_model_free_owned(hn_model *model);

// The array of count elements, moved if need be so that one more fits; null when out of memory (the
// old array then stays). It is freed with the model, not by its user.
void *hn_model_grow(hn_model *model, void *array, int *room, int count, size_t size);

// Common beginning of every addition: the model is open, the name usable and not taken. On success
// *name and *source are the model's own copies and a slot in the table of names is reserved.
hn_status hn_model_begin(hn_model *model, hn_name_kind kind, const char **name, hn_source *source);
hn_status hn_model_out_of_memory(hn_model *model, hn_name_kind kind, const char *name);

// Checks of src/model/check_*.c, called by hn_model_finish in this order.
hn_status hn_model_check_bodies(hn_model *model);
hn_status hn_model_check_joints(hn_model *model);
hn_status hn_model_check_inertias(hn_model *model);
hn_status hn_model_check_drivers(hn_model *model);
hn_status hn_model_check_roads(hn_model *model);
hn_status hn_model_check_forces(hn_model *model);
hn_status hn_model_check_shapes(hn_model *model);
hn_status hn_model_check_contacts(hn_model *model);
hn_status hn_model_check_sensed_drivers(hn_model *model);
hn_status hn_model_couple_forces(hn_model *model);
hn_status hn_model_check_states(hn_model *model);
hn_status hn_model_check_inputs(hn_model *model);
hn_status hn_model_check_figures(hn_model *model);
hn_status hn_model_check_connections(hn_model *model);

// Principal moments of inertia (xx, yy, zz, xy, xz, yz), ascending, and the axis of the largest in body
// axes.
void hn_principal_moments(const double inertia[6], double moments[3], hn_vec3 *largest_axis);

// The element that is checked, for messages.
typedef struct hn_subject {
  hn_model *model;
  hn_name_kind kind;
  const char *name;
  const hn_source *source;
} hn_subject;
hn_status hn_subject_fail(const hn_subject *subject, const char *hint, const char *format, ...)
    HN_PRINTF(3, 4);
// Adds a warning (its place: hn_model_source); HN_ERROR_MEMORY without memory. Repeated warnings
// from one place of the file (without one: of equal text) are counted in the first.
hn_status hn_subject_warn(const hn_subject *subject, const char *format, ...) HN_PRINTF(2, 3);
// The same for what is worth knowing and no reason to doubt; never an error.
hn_status hn_subject_note(const hn_subject *subject, const char *format, ...) HN_PRINTF(2, 3);
hn_status hn_subject_check_frame(const hn_subject *subject, const char *which,
                                 const hn_frame_on_body *frame);
hn_status hn_subject_check_bodies_differ(const hn_subject *subject, int body1, int body2);
hn_status hn_subject_check_coordinate(const hn_subject *subject, int joint,
                                      hn_coordinate coordinate);

// output: null, or the name of one that is there.
hn_status hn_model_check_followed(const hn_subject *subject, const char *output);
hn_status hn_subject_check_component(const hn_subject *subject, int component);
hn_status hn_subject_check_finite(const hn_subject *subject, const char *what, const double *values,
                                  int count);

// In the reference configuration: the distance of two frames' origins, a frame's origin and its
// axes in global terms.
double hn_model_drawn_distance(const hn_model *model, const hn_frame_on_body *frame1,
                               const hn_frame_on_body *frame2);
hn_vec3 hn_model_drawn_point(const hn_model *model, const hn_frame_on_body *frame);
hn_mat3 hn_model_drawn_axes(const hn_model *model, const hn_frame_on_body *frame);

// Points nearer than this are coincident in the reference configuration, m.
#define HN_COINCIDENT 1e-9

#endif
