// The model inside: what hn_model_add_* stored. Written until finished, then only read.
#ifndef HN_MODEL_MODEL_H
#define HN_MODEL_MODEL_H

#include "base/arena.h"
#include "holon/contact.h"
#include "holon/model.h"
#include "holon/shape.h"
#include "holon/switch.h"
#include "math/input.h"
#include "model/sensor.h"

// A sealed component (holon/component.h): its bodies are first_body ... of the model, those that are
// not its border without a name of their own, all without their masses.
typedef struct hn_sealed_part {
  const char *name, *path; // of the component, of the file
  hn_source source;
  int component;
  const struct hn_component_api *api;
  struct hn_component *placed;
  const struct hn_component_facts *facts;
  struct hn_dynamic *library; // null: not loaded from a file
  int first_body, body_count;
  int first_output; // of the model: what it publishes
  int first_input;  // of the model: those given to it
  int external_count;
  const int *external; // bodies of the model (external_count)
} hn_sealed_part;

// Definitions are kept as given, with names, arrays and sources copied into the arena. Orientations
// are normalized. bodies[0] is ground; the other arrays count from 0.
struct hn_model {
  hn_arena arena;
  hn_error error;
  int finished;
  const char *name;
  const char *title; // null: none
  hn_vec3 gravity;

  int body_count; // with ground: bodies[0 .. body_count - 1]
  int joint_count, driver_count, force_count;
  hn_body_def *bodies;
  hn_joint_def *joints;
  hn_driver_def *drivers;
  hn_force_def *forces;
  struct hn_roads {
    int count;
    hn_road_def *item;
    hn_law **law; // polyline (linear table), table (spline); null for the others (count)
  } roads;
  struct hn_markers {
    int count;
    hn_marker_def *item;
  } markers;
  struct hn_components {
    int count;
    hn_component_def *item; // [0] is the model itself
  } components;
  struct hn_outputs {
    int count;
    hn_output_def *item;
  } outputs;
  struct hn_figures {
    int count;
    struct hn_figure_def *item;
  } figures;
  struct hn_warnings {
    int count;
    hn_warning *item;
  } warnings;
  int input_count;
  hn_input_def *inputs;
  hn_law **input_law; // of t, that gives an input of a sealed component; null: none (input_count)
  struct hn_lookups {
    int count;
    const struct hn_lookup **item; // that formulas call (math/lookup.h)
  } lookups;
  int state_count;
  hn_state_def *states;
  struct hn_rules {
    int count;
    struct hn_state_rule {
      int state;
      hn_law *when, *value;
    } * item;
  } rules; // of states that change at events
  struct hn_outside {
    int count;
    struct hn_outside_def *item; // programs that give sampled states (model/outside.h)
  } outside;
  struct hn_sensing {
    int count;
    hn_sensor_def *item;    // signals that laws use
    int couplings;          // the last of the forces
    hn_input_state *values; // in a view of a simulation: those its laws read; else null
  } sensing;
  int part_count;
  hn_sealed_part *parts; // sealed components, by their first bodies
  int shape_count, contact_count;
  hn_shape_def *shapes;
  hn_contact_def *contacts;
  struct hn_model_touch { // of models with contacts
    int mesh_count, joined_count, has_forces;
    int first_force, force_count; // among the forces: those of contacts with a force law
    const hn_mesh **meshes;       // of the shapes, each once
    unsigned char *sets; // 1: of the first set, 2: of the second (contact_count * shape_count)
    int *part;           // of every body: the first of those that are fixed together
    int *joined;         // pairs of parts that a joint joins, sorted (2 * joined_count)
  } touching;
  int switch_count;
  struct hn_switch_def *switches; // conditional joints, drivers and forces
  hn_simulation_defaults defaults;
  struct hn_origin {
    hn_vec3 at;       // of the positions above, global: 0 but in a view (hn_model_move_origin)
    double potential; // of the whole model there, by gravity
  } origin;

  // private to model.c: capacity of the arrays above, the table of names, every law to be freed
  struct hn_model_storage *storage;
};

// Takes over part->placed and part->library, whatever happens, and adds the part's bodies and published
// outputs; sets first_body and body_count.
hn_status hn_model_add_part(hn_model *model, const hn_sealed_part *part);
// Of the model, by the number that the component gives it: 0 ground, then externals, then its own.
int hn_sealed_part_body(const hn_sealed_part *part, int body);
void hn_model_free_parts(hn_model *model);
// The place of an output among those that sealed components publish, or -1.
int hn_model_hidden_output(const hn_model *model, int output);

// The model as a simulation sees it: its laws read their inputs from `states` (input_count +
// sensor_count). The model
// itself without any.
hn_status hn_model_bind_inputs(hn_arena *arena, const hn_model *model, hn_input_state *states,
                               const hn_model **bound);
// The same about an origin near the model, if that is far from the global one; else the model
// itself.
hn_status hn_model_move_origin(hn_arena *arena, const hn_model *model, const hn_model **moved);
// A formula of signals gives the input, which a sealed component has: until then nothing gives it.
hn_status hn_model_set_input_law(hn_model *model, int id, hn_law *law);
static inline hn_law *hn_model_input_law(const hn_model *model, int id) {
  return model->input_law ? model->input_law[id] : NULL;
}
hn_input_state hn_model_input_start(const hn_model *model, int id);
// The public type: see hn_model_force_type.
hn_force_type hn_force_told_type(const hn_force_def *force);

// A name belongs to a kind; the same word may name a body and a joint, because every reference and
// every signal says which kind it means.
#define HN_NAME_KIND_LIST(X)                                                                       \
  X(HN_NAME_BODY, "body")                                                                          \
  X(HN_NAME_MARKER, "marker")                                                                      \
  X(HN_NAME_JOINT, "joint")                                                                        \
  X(HN_NAME_DRIVER, "driver")                                                                      \
  X(HN_NAME_ROAD, "road")                                                                          \
  X(HN_NAME_FORCE, "force")                                                                        \
  X(HN_NAME_CONTACT, "contact")                                                                    \
  X(HN_NAME_COMPONENT, "component")                                                                \
  X(HN_NAME_INPUT, "input")                                                                        \
  X(HN_NAME_STATE, "state")                                                                        \
  X(HN_NAME_TABLE, "table")                                                                        \
  X(HN_NAME_OUTPUT, "output")                                                                      \
  X(HN_NAME_FIGURE, "figure")                                                                      \
  X(HN_NAME_FILE, "file")

typedef enum hn_name_kind {
#define HN_NAME_KIND_ENUM(code, word) code,
  HN_NAME_KIND_LIST(HN_NAME_KIND_ENUM)
#undef HN_NAME_KIND_ENUM
      HN_NAME_KINDS
} hn_name_kind;
const char *hn_name_kind_word(hn_name_kind kind);
// The id of the element of this kind whose name is the first `length` characters of text, or -1.
int hn_model_find(const hn_model *model, hn_name_kind kind, const char *text, size_t length);

// Worth knowing, and no reason to doubt the results: in the list of warnings.
hn_status hn_model_add_note(hn_model *model, const char *element, const char *message);

// 1: the element acts on a condition (model/switch.c).
int hn_model_is_conditional(const hn_model *model, hn_switch_of of, int element);

#endif
