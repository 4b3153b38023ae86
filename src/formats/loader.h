// Common declarations of the files that load a model: the loader, scopes, entries and their
// context.
//
// A file is a *scope*: its own parameters, points and names, and a placement in the world. A
// component is a scope within a scope. Every named entry of every scope, with `repeat:` written
// out, is registered first; then bodies, joints and so on are made in that order, each looking up
// what it refers to. Points, bodies and parameters are evaluated on first use.
//
// Failing is sticky: the first error of an element is kept, everything after it is skipped or
// computed with zeros, and each element ends by asking hn_loader_ok. So code needs no error
// handling in between. Between two elements the loader recovers, so that the mistakes of a file are
// reported together.
#ifndef HN_FORMATS_LOADER_H
#define HN_FORMATS_LOADER_H

#include "base/arena.h"
#include "formats/amount.h"
#include "formats/keys.h"
#include "formats/model_files.h"
#include "formats/tree.h"
#include "holon/load.h"
#include "math/euler.h"

#define HN_LOAD_ROUNDS 4 // repetitions per entry allowed, with those that `if:` leaves out
// Bytes that data may take: in any model, for each entry allowed, and for each byte of the files. Tables
// and surfaces in `repeat:` need more.
#define HN_LOAD_BYTES 1e6
#define HN_LOAD_ENTRY_BYTES 1000.0
#define HN_LOAD_FILE_BYTES 32.0
#define HN_LOAD_COMPONENTS 16 // components within each other
#define HN_NAME_LENGTH 64     // of a name, without the components before it
#define HN_FULL_NAME_LENGTH ((HN_LOAD_COMPONENTS + 2) * (HN_NAME_LENGTH + 1))
#define HN_COUNTERS 8 // variables of `repeat:` at one place

#define HN_ENTRY_LIST(X)                                                                           \
  X(HN_ENTRY_PARAMETER, "parameter")                                                               \
  X(HN_ENTRY_INPUT, "input")                                                                       \
  X(HN_ENTRY_STATE, "state")                                                                       \
  X(HN_ENTRY_TABLE, "table")                                                                       \
  X(HN_ENTRY_POINT, "point")                                                                       \
  X(HN_ENTRY_BODY, "body")                                                                         \
  X(HN_ENTRY_MARKER, "marker")                                                                     \
  X(HN_ENTRY_JOINT, "joint")                                                                       \
  X(HN_ENTRY_DRIVER, "driver")                                                                     \
  X(HN_ENTRY_ROAD, "road")                                                                         \
  X(HN_ENTRY_FORCE, "force")                                                                       \
  X(HN_ENTRY_MATERIAL, "material")                                                                 \
  X(HN_ENTRY_FIGURE, "figure")                                                                     \
  X(HN_ENTRY_CONTACT, "contact")                                                                   \
  X(HN_ENTRY_COMPONENT, "component")                                                               \
  X(HN_ENTRY_OUTPUT, "output")

typedef enum hn_entry_kind {
#define HN_ENTRY_ENUM(code, word) code,
  HN_ENTRY_LIST(HN_ENTRY_ENUM)
#undef HN_ENTRY_ENUM
      HN_ENTRY_KINDS
} hn_entry_kind;

typedef struct hn_loader hn_loader;
typedef struct hn_scope hn_scope;
typedef struct hn_entry hn_entry;
typedef struct hn_sealed_use hn_sealed_use;

// A variable of `repeat:` and its present number.
typedef struct hn_counter {
  const char *name;
  double value;
} hn_counter;

// Where something is written: which names it can see.
typedef struct hn_context {
  hn_loader *loader;
  hn_scope *scope;
  const hn_counter *counters;
  int counter_count;
} hn_context;

// Failed: its error has been reported; elements that use it fail silently.
typedef enum hn_entry_state {
  HN_ENTRY_NEW,
  HN_ENTRY_BUSY,
  HN_ENTRY_DONE,
  HN_ENTRY_FAILED
} hn_entry_state;

struct hn_entry {
  hn_entry_kind kind;
  const char *name; // full, "front_left.arm"
  const hn_node *node;
  hn_context context;
  hn_entry_state state;
  int id;                // in the model
  void *data;            // hn_parameter, hn_vec3, hn_body_record, hn_drawn_frame
  hn_entry *owner;       // marker: its body; external body: the body it represents
  hn_entry *next;        // of the same kind, in the order of the files
  hn_sealed_use *sealed; // body or marker of a sealed component (formats/sealed/use.c), or null
  int is_block;          // output: a block of `states:` that is an output (blocks.c)
};

// A rotation, a mirroring along the axes (each +1 or -1) and a shift: world = P S x + p.
typedef struct hn_placement {
  hn_mat3 rotation; // P
  hn_vec3 mirror;   // S
  hn_vec3 position; // p
} hn_placement;

struct hn_scope {
  hn_scope *parent;
  const char *prefix; // "" or "front_left."
  const char *file;
  const hn_node *root;
  const hn_node *user;    // the entry that uses it as a component; null: the model itself
  const hn_node *border;  // null: all bodies
  hn_placement placement; // in the world
  int component;          // id in the model
  int depth;
  // values given to parameters by the user of a sealed component
  const struct hn_component_input *inputs;
  int input_count;
};

// A file that components of the model are made from.
typedef struct hn_loaded_file hn_loaded_file;
struct hn_loaded_file {
  const char *path;
  const hn_node *root;
  hn_loaded_file *next;
};

// A shape of the model, and whether it collides: -1 if the file does not say.
typedef struct hn_touching hn_touching;
struct hn_touching {
  int shape, body, touches;
  const char *group; // null: none
  hn_touching *next;
};

// A value of a parameter from outside, read like a line of a file.
typedef struct hn_setting {
  const char *text;    // as given
  const char *name;    // null: the text has none
  const hn_node *node; // its value
  int is_used;
} hn_setting;

struct hn_loader {
  hn_arena arena;
  hn_model *model;
  hn_error *error;
  hn_error own_error; // when the caller wants none
  hn_status status;
  int collects;      // 1: mistakes of several elements are kept, in errors
  int is_told;       // the present failure follows from one that is kept already
  hn_entry *current; // the element being loaded; null: none of them
  hn_error *errors;  // (HN_LOAD_ERRORS)
  int error_count;
  int has_speed; // all bodies start with one
  const hn_load_options *options;
  char element[160]; // what is being loaded, for messages: "joint 'knee'"
  int depth;         // of values that lead to values
  long entry_count, max_entries;
  long round_count; // of `repeat:`
  struct hn_loaded_columns *columns;
  const hn_node *noted; // the angle that was noted last: `repeat` brings it again
  int from_equilibrium; // the run starts in equilibrium, at rest
  hn_entry **slots;     // open addressing by kind and name
  size_t capacity;
  hn_entry *first[HN_ENTRY_KINDS], *last[HN_ENTRY_KINDS];
  hn_model_files *files;
  hn_loaded_file *used;      // newest first
  hn_sealed_use *sealed;     // the sealed components, newest first
  int is_sealing;            // what is loaded is a sealed component itself
  int is_making;             // ... which is being made: its own inputs may have no value yet
  hn_kept_mesh *kept_meshes; // of a sealed component or an imported file
  struct hn_rotor *rotors;   // of joints, in the reverse of their order
  hn_touching *touching, *last_touching;        // shapes, in their order
  int has_general_contact;                      // one for all shapes that say `contact: true`
  struct hn_contact_choice *published_contacts; // while sealing (contact_choice.h)
  hn_entry ground;
  hn_setting *settings; // (setting_count)
  int setting_count;
  char *scratch; // HN_SCRATCH bytes, for formulas
};
#define HN_SCRATCH 16384
#define HN_SETTINGS "settings" // name of the file of hn_load_options.settings
#define HN_VARIED "varied"     // and of the numbers given to hn_model_files_build

// 1 and a failure when a sealed component, which has all its files with it, asks for one on the disk.
int hn_loader_on_its_own(hn_loader *loader, const hn_source *place, const char *path);
// The bytes of a data file (tyre, surface of a road, table): of the disk, or of the sealed component.
hn_status hn_loader_text(hn_loader *loader, const char *path, const hn_source *place,
                         const char **text, size_t *size, hn_error *error);

// ---- failing ------------------------------------------------------------------------------------

static inline int hn_loader_ok(const hn_loader *loader) { return loader->status == HN_OK; }
// Keeps the first failure; the element is the one being loaded. Returns the loader's status.
hn_status hn_loader_fail(hn_loader *loader, hn_status status, const hn_source *place,
                         const char *hint, const char *format, ...) HN_PRINTF(5, 6);
// Between elements: puts aside an error of the one before, unless there are too many or it is not
// one of the file. Returns hn_loader_ok.
int hn_loader_recover(hn_loader *loader);
// The same, before the next of a list of entries; 0: no next entry, or the loader has failed.
int hn_loader_goes_on(hn_loader *loader, hn_entry *next);
// Inside an element: keeps the present error, so that others of it can be found; the element fails
// all the same (hn_loader_fail_told). 0: no more errors are reported.
int hn_loader_put_aside(hn_loader *loader);
void hn_loader_fail_told(hn_loader *loader);
// Fails because of an entry whose own error has been reported; returns 0 if it has no error.
int hn_loader_spoilt(hn_loader *loader, const hn_entry *entry);
// Keeps a failure that is in loader->error already, adding the element if missing.
hn_status hn_loader_failed(hn_loader *loader, hn_status status);
// After a call that adds to the model: keeps the model's own failure.
void hn_loader_added(hn_loader *loader, hn_status status);
// Memory of the loader, zeroed; a failure is kept.
void *hn_loader_take(hn_loader *loader, size_t count, size_t size);
const char *hn_loader_copy(hn_loader *loader, const char *text);
// Names the element being loaded ("joint", "knee"; the name may be null); the old one is to be put
// back with hn_loader_set_element after elements that are worked out on the way.
typedef struct hn_element_name {
  char text[160];
} hn_element_name;
hn_element_name hn_loader_begin(hn_loader *loader, const char *kind, const char *name);
void hn_loader_set_element(hn_loader *loader, const hn_element_name *element);

// ---- names --------------------------------------------------------------------------------------

const char *hn_entry_kind_word(hn_entry_kind kind);
// Registers an entry of the scope; its name must be new. Null on failure.
hn_entry *hn_entry_add(const hn_context *context, hn_entry_kind kind, const char *name,
                       const hn_node *node);
// An entry of `states:`, with what a block in it is made of (blocks.c).
void hn_register_state(const hn_context *context, hn_entry_kind kind, const char *name,
                       const hn_node *node, void *data);
// The entry prefix + name (not terminated), or null.
hn_entry *hn_entry_find(const hn_loader *loader, hn_entry_kind kind, const char *prefix,
                        const char *name, size_t length);
// The same for a name in a file; an unknown name is reported with the nearest known one.
hn_entry *hn_entry_need(const hn_context *context, hn_entry_kind kind, const char *name,
                        const hn_node *node);
// The known name nearest to `name` as seen from the scope, or null.
const char *hn_entry_nearest(const hn_context *context, hn_entry_kind kind, const char *name);
// Whether text can be the name of something; a failure says why not.
int hn_name_check(hn_loader *loader, const char *text, const hn_node *node);

// ---- values -------------------------------------------------------------------------------------

// The text of a scalar with {i} and {i+1} replaced; null on failure.
const char *hn_text_of(const hn_context *context, const hn_node *node);
// The same for any text, for instance a key.
const char *hn_text_expand(const hn_context *context, const char *text, const hn_node *node);
// A number with its dimension; what it must be is not checked.
hn_amount hn_amount_of(const hn_context *context, const hn_node *node);
// A finite number of the given meaning, in SI. `what` is the key, for messages.
double hn_number_of(const hn_context *context, const hn_node *node, hn_meaning meaning,
                    const char *what);
// A whole number.
double hn_integer_of(const hn_context *context, const hn_node *node, const char *what);
// A formula of variables: dimension into *result, text with names replaced into loader->scratch.
// Variables come first, then counters, parameters and coordinates of points.
typedef struct hn_variable {
  const char *name;
  hn_dimension dimension;
  const char *spelling; // in the copy
} hn_variable;
typedef struct hn_formula {
  const hn_variable *variables;
  int variable_count;
  // Finds names that are nothing else (signals); may be null.
  hn_status (*find)(const hn_context *context, const char *name, size_t length,
                    const hn_source *place, hn_named_amount *found, hn_error *error);
  int takes_inputs; // names of inputs are variables too
} hn_formula;
hn_status hn_formula_of(const hn_context *context, const hn_node *node, const hn_formula *formula,
                        hn_amount *result, int *uses_variables);

// A parameter: its value, and what overrides it (in another context).
typedef struct hn_parameter {
  hn_amount value;
  const hn_node *override;
  hn_context override_context;
  const struct hn_component_input *input; // a value from the user of a sealed component, or null
} hn_parameter;
hn_status hn_parameter_value(hn_entry *entry, hn_amount *value);

// ---- parts --------------------------------------------------------------------------------------

// Registers all entries of a scope, components within it included. overrides (may be null) are the
// `parameters:` of the component, seen from `user`.
void hn_scope_register(hn_loader *loader, hn_scope *scope, const hn_node *overrides,
                       const hn_context *user);
// The file that paths of a node are relative to: an overlay has its own.
static inline const char *hn_written_in(const hn_context *context, const hn_node *node) {
  return node && node->file ? node->file : context->scope->file;
}
// A component: reads its file and registers its scope.
void hn_component_register(const hn_context *context, hn_entry *entry);
// A body that represents one of the component's user, or ground's markers.
int hn_body_is_external(const hn_entry *body);
// Settings from outside: those of the options (--set), then numbers.
void hn_settings_prepare(hn_loader *loader, const hn_parameter_setting *numbers, int count);
// Those of the parameters of a scope take effect; those that no scope has used are reported.
void hn_settings_apply(hn_loader *loader, hn_scope *scope);
void hn_settings_check(hn_loader *loader);

// Reports a velocity given to a body or joint of a model that starts in equilibrium.
void hn_initial_velocity_check(hn_loader *loader, const hn_node *node);

// Everything a loader needs before scopes are registered; 0 on failure.
int hn_loader_prepare(hn_loader *loader, const hn_load_options *options);
void hn_load_inputs(hn_loader *loader);
// An input as a value of a formula: the dimension it was declared with, its full name.
hn_named_amount hn_input_amount(hn_entry *entry);
void hn_load_bodies(hn_loader *loader); // with markers
void hn_load_joints(hn_loader *loader);
// A rotor that turns with a coordinate of a joint (`armature:`), to be made when all joints are.
typedef struct hn_rotor hn_rotor;
struct hn_rotor {
  int joint;
  hn_coordinate coordinate;
  double inertia, drawn; // drawn: the coordinate
  hn_rotor *next;
};
void hn_load_rotors(hn_loader *loader);
void hn_load_drivers(hn_loader *loader);
void hn_load_roads(hn_loader *loader);
void hn_load_forces(hn_loader *loader);
void hn_load_contacts(hn_loader *loader);
void hn_touching_add(hn_loader *loader, int shape, int body, int touches, const char *group);
void hn_load_outputs(hn_loader *loader);
// Of the same file first, then of the whole model; null: none.
hn_entry *hn_output_find(const hn_context *context, const char *name, size_t length);
// Finds an output that a sealed component publishes: of the same file first. Null: none.
const hn_output_def *hn_sealed_output_find(const hn_context *context, const char *name);
void hn_load_switches(hn_loader *loader);
void hn_load_figures(hn_loader *loader);
// States by their names, before the laws that use them; then how they change.
void hn_load_states(hn_loader *loader);
// load_fmu.c: an entry of `states:` with `fmu:`.
void hn_register_fmu(const hn_context *context, const char *name, const hn_node *node);
void hn_load_tables(hn_loader *loader);
void hn_load_state_laws(hn_loader *loader);
// A signal by its name as an output or a law has it, written in full.
hn_status hn_signal_find(const hn_context *context, const char *name, size_t length,
                         const hn_source *place, hn_named_amount *found, hn_error *error);
// The same for a law, whose model then has a sensor for it.
hn_status hn_signal_sense(const hn_context *context, const char *name, size_t length,
                          const hn_source *place, hn_named_amount *found, hn_error *error);
// The formula of an output instead of its name, in SI, its names found as `formula` finds them.
hn_status hn_signal_inline(hn_entry *output, const hn_formula *formula, const hn_source *place,
                           hn_named_amount *found, hn_error *error);
// "state.NAME" of a block that is an output: that output, else null.
hn_entry *hn_signal_block(const hn_context *context, const char *name, size_t length);
// "input.NAME.value" of a component whose user gives it a formula: that formula, else null.
hn_entry *hn_signal_bound(const hn_context *context, const char *name, size_t length);

#endif
