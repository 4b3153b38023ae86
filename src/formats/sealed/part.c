// Inside a sealed component: its model made from the sealed text, where its user placed it. Nothing of
// what it is made of gets into messages.
#include <string.h>

#include "base/error.h"
#include "components/sealed_run.h"
#include "elements/features.h"
#include "elements/force_types.h"
#include "elements/guards.h"
#include "equations/levels.h"
#include "formats/geometry.h"
#include "formats/sealed/sealed.h"
#include "formats/sealed/text.h"
#include "math/law.h"
#include "model/contact.h"
#include "model/state.h"
#include "signals/signals.h"

#define PREFIX HN_SEALED_NAME "."

// ---- the model ----------------------------------------------------------------------------------

static hn_placement placement_from(const double *rotation, const double *mirror,
                                   const double *position) {
  hn_placement p = {.mirror = vec3_load(mirror), .position = vec3_load(position)};
  memcpy(p.rotation.m, rotation, 9 * sizeof(double));
  return p;
}

static void placement_to(const hn_placement *p, double *rotation, double *mirror,
                         double *position) {
  memcpy(rotation, p->rotation.m, 9 * sizeof(double));
  vec3_store(mirror, p->mirror);
  vec3_store(position, p->position);
}

hn_component_body hn_sealed_drawn(const hn_body_record *record) {
  hn_component_body body;
  placement_to(&record->frame, body.rotation, body.mirror, body.position);
  vec3_store(body.center, record->center);
  return body;
}

hn_component_setup hn_sealed_setup(const hn_placement *placement) {
  hn_component_setup setup = {.path = ""};
  placement_to(placement, setup.rotation, setup.mirror, setup.position);
  return setup;
}

// Bodies of the user come first, with masses that nothing reads.
static hn_status add_externals(hn_sealed_loading *l, const hn_component_setup *setup) {
  hn_loader *loader = &l->loader;
  for (const hn_entry *e = loader->first[HN_ENTRY_BODY]; e; e = e->next)
    l->external_count += e->context.scope == &l->scope && hn_body_is_external(e);
  if (setup->externals && setup->external_count != l->external_count) return HN_ERROR_ARGUMENT;
  l->externals = hn_loader_take(loader, (size_t)l->external_count, sizeof(hn_entry));
  hn_body_record *records =
      hn_loader_take(loader, (size_t)l->external_count, sizeof(hn_body_record));
  if (!hn_loader_ok(loader)) return loader->status;
  int k = 0;
  for (hn_entry *e = loader->first[HN_ENTRY_BODY]; e && hn_loader_ok(loader); e = e->next) {
    if (e->context.scope != &l->scope || !hn_body_is_external(e)) continue;
    hn_body_def def = hn_default_body();
    records[k] = (hn_body_record){.frame = hn_placement_none()};
    if (setup->externals) {
      const hn_component_body *body = &setup->externals[k];
      records[k].frame = placement_from(body->rotation, body->mirror, body->position);
      records[k].center = vec3_load(body->center);
    }
    char name[32];
    def.name = hn_text(name, sizeof name, "user_%d", k + 1);
    def.position = records[k].center;
    def.orientation = quat_from_matrix(records[k].frame.rotation);
    l->externals[k] = (hn_entry){.kind = HN_ENTRY_BODY,
                                 .name = e->name,
                                 .node = &l->nothing,
                                 .context = {loader, &l->outside, NULL, 0},
                                 .state = HN_ENTRY_DONE,
                                 .data = &records[k]};
    hn_loader_added(loader, hn_model_add_body(loader->model, &def, &l->externals[k].id));
    e->owner = &l->externals[k++];
  }
  return loader->status;
}

hn_status hn_sealed_model(hn_sealed_loading *l, const hn_component_setup *setup) {
  hn_loader *loader = &l->loader;
  l->nothing = (hn_node){.kind = HN_NODE_MAP, .file = "", .key = ""};
  l->outside = (hn_scope){.prefix = "", .file = "", .placement = hn_placement_none()};
  loader->ground.context.scope = &l->outside;
  l->scope =
      (hn_scope){.parent = &l->outside,
                 .prefix = PREFIX,
                 .file = l->path,
                 .root = l->root,
                 .depth = 1,
                 .inputs = setup->inputs,
                 .input_count = setup->input_count,
                 .placement = placement_from(setup->rotation, setup->mirror, setup->position)};
  const hn_component_def def = {.name = HN_SEALED_NAME};
  hn_loader_added(loader, hn_model_add_component(loader->model, &def, &l->scope.component));
  if (hn_loader_ok(loader)) hn_scope_register(loader, &l->scope, NULL, NULL);
  if (hn_loader_ok(loader)) add_externals(l, setup);
  hn_load_inputs(loader);
  hn_load_tables(loader);
  hn_load_states(loader);
  hn_load_bodies(loader);
  hn_load_roads(loader);
  hn_load_joints(loader);
  hn_load_rotors(loader);
  hn_load_drivers(loader);
  hn_load_forces(loader);
  hn_load_contacts(loader); // which its user gets
  hn_load_state_laws(loader);
  hn_load_outputs(loader);
  hn_load_switches(loader); // the same
  if (hn_loader_ok(loader)) hn_sealed_check_contacts(l);
  if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_finish(loader->model));
  return loader->status;
}

// ---- what is shown ------------------------------------------------------------------------------

int hn_sealed_is_border(const hn_sealed_loading *l, const hn_entry *body) {
  if (hn_body_is_external(body) || body->owner) return 0;
  if (!l->scope.border) return 1;
  for (const hn_node *n = l->scope.border->first; n; n = n->next)
    if (n->text && strcmp(n->text, body->name + strlen(PREFIX)) == 0) return 1;
  return 0;
}

static hn_status show_border(hn_component *c, hn_sealed_loading *l) {
  hn_loader *loader = &l->loader;
  hn_component_facts *f = &c->facts;
  int bodies = f->body_count, markers = 0;
  int *border = HN_TAKE(&c->arena, int, bodies);
  const char **names = HN_TAKE(&c->arena, const char *, bodies);
  hn_component_body *drawn = HN_TAKE(&c->arena, hn_component_body, bodies);
  for (const hn_entry *m = loader->first[HN_ENTRY_MARKER]; m; m = m->next) markers++;
  hn_component_marker *shown = HN_TAKE(&c->arena, hn_component_marker, markers);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  for (hn_entry *e = loader->first[HN_ENTRY_BODY]; e; e = e->next) {
    if (!hn_sealed_is_border(l, e)) continue;
    border[f->border_count] = e->id - 1 - l->external_count;
    names[f->border_count] = hn_arena_copy_string(&c->arena, e->name + strlen(PREFIX));
    const hn_body_record *record = hn_body_written(e);
    if (record) drawn[f->border_count] = hn_sealed_drawn(record);
    f->border_count++;
  }
  const int named = f->border_count;
  for (int b = 0; b < f->body_count; b++) {
    int is_done = !hn_sealed_is_reached(f, b);
    for (int k = 0; k < named; k++) is_done |= border[k] == b;
    if (is_done) continue;
    drawn[f->border_count] = (hn_component_body){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    names[f->border_count] = "";
    border[f->border_count++] = b;
  }
  for (hn_entry *m = loader->first[HN_ENTRY_MARKER]; m; m = m->next) {
    if (!hn_sealed_is_border(l, m->owner)) continue;
    const hn_drawn_frame *frame = hn_marker_of(m);
    if (!frame) return loader->status;
    hn_component_marker *marker = &shown[f->marker_count++];
    marker->name = hn_arena_copy_string(&c->arena, m->name + strlen(PREFIX));
    marker->body = m->owner->id - 1 - l->external_count;
    vec3_store(marker->origin, frame->origin);
    memcpy(marker->axes, frame->axes.m, 9 * sizeof(double));
  }
  f->border = border;
  f->border_names = names;
  f->border_drawn = drawn;
  f->markers = shown;
  return c->arena.failed ? HN_ERROR_MEMORY : loader->status;
}

static hn_status show_start(hn_component *c) {
  const hn_model *model = c->model;
  hn_component_facts *f = &c->facts;
  double *q = HN_TAKE(&c->arena, double, 7 * f->body_count);
  double *u = HN_TAKE(&c->arena, double, 6 * f->body_count);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  for (int b = 0; b < f->body_count; b++) {
    const hn_body_def *def = &model->bodies[1 + f->external_count + b];
    vec3_store(&q[7 * b], def->position);
    quat_store(&q[7 * b + 3], def->orientation);
    vec3_store(&u[6 * b], def->velocity);
    vec3_store(&u[6 * b + 3], def->angular_velocity);
  }
  f->initial_q = q;
  f->initial_u = u;
  return HN_OK;
}

static hn_status show_rows(hn_component *c) {
  const hn_elements *elements = c->elements;
  hn_component_facts *f = &c->facts;
  int rows = elements->row_count, blocks = 0;
  int *node = HN_TAKE(&c->arena, int, rows), *order = HN_TAKE(&c->arena, int, rows);
  int *start = HN_TAKE(&c->arena, int, rows + 1);
  int *body = HN_TAKE(&c->arena, int, rows *HN_ROW_BODIES);
  if (c->arena.failed || hn_nested_row_nodes(&c->arena, elements, node, order) != HN_OK)
    return HN_ERROR_MEMORY;
  for (int r = 0; r < rows; r++) {
    const hn_row *row = &elements->rows[r];
    if (node[r] != 0) continue;
    start[f->border_row_count++] = blocks;
    for (int k = 0; k < row->body_count; k++) {
      int id = row->body[k];
      body[blocks++] = id <= f->external_count ? -id : id - 1 - f->external_count;
    }
  }
  start[f->border_row_count] = blocks;
  f->row_count = rows - f->border_row_count;
  f->border_row_start = start;
  f->border_row_body = body;
  f->turn_count = elements->turn_count;
  f->has_anchors = elements->anchor_count > 0;
  f->has_drivers = elements->model->driver_count > 0;
  return HN_OK;
}

static hn_status show_outputs(hn_component *c, hn_error *error) {
  const hn_model *model = c->model;
  hn_component_facts *f = &c->facts;
  hn_signals *signals = NULL;
  hn_status status = hn_signals_create(&c->arena, c->elements, &signals, error);
  if (status != HN_OK) return status;
  const char **names = HN_TAKE(&c->arena, const char *, model->outputs.count);
  const char **units = HN_TAKE(&c->arena, const char *, model->outputs.count);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < model->outputs.count; k++) {
    names[k] = model->outputs.item[k].name + strlen(PREFIX);
    units[k] = hn_signals_unit(signals, k);
  }
  f->output_count = model->outputs.count;
  f->output_names = names;
  f->output_units = units;
  return HN_OK;
}

static int output_of(const hn_model *model, const char *name) {
  return name ? hn_model_find(model, HN_NAME_OUTPUT, name, strlen(name)) : -1;
}

static int moves_driver(const hn_model *model, int input) {
  for (int d = 0; d < model->driver_count; d++)
    if (model->drivers[d].law && hn_law_uses_input(model->drivers[d].law, input)) return 1;
  return 0;
}

// Inputs of the component, and those of components inside that no formula gives.
static hn_status show_given(hn_component *c, const hn_sealed_loading *l) {
  const hn_model *model = c->model;
  hn_component_given *all = HN_TAKE(&c->arena, hn_component_given, model->input_count);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  for (const hn_entry *e = l->loader.first[HN_ENTRY_INPUT]; e; e = e->next) {
    if (e->owner) continue;
    const hn_amount *amount = e->data;
    const hn_input_def *def = &model->inputs[e->id];
    hn_component_given *given = &all[e->id];
    *given = (hn_component_given){.name = def->name + strlen(PREFIX),
                                  .unit = def->unit,
                                  .value = def->value,
                                  .filter = def->filter,
                                  .follows = output_of(model, def->follows),
                                  .every = def->every,
                                  .moves_driver = moves_driver(model, e->id)};
    given->has_dimension = amount && amount->kind == HN_AMOUNT_TYPED;
    if (!given->has_dimension) continue;
    const double d[4] = {amount->dimension.length, amount->dimension.mass, amount->dimension.time,
                         amount->dimension.angle};
    memcpy(given->dimension, d, sizeof d);
  }
  c->facts.given_count = model->input_count;
  c->facts.given = all;
  return HN_OK;
}

static int has_pieces(const hn_law *law) { return law && hn_law_pieces(law) > 1; }

static int has_kinks(const hn_force_def *f) { return hn_force_switches(f) || hn_force_is_timed(f); }

// Of laws only those are counted whose branch can change.
static hn_status show_branches(hn_component *c) {
  const hn_model *model = c->model;
  hn_component_facts *f = &c->facts;
  c->switch_force = HN_TAKE(&c->arena, int, model->force_count);
  c->motion_driver = HN_TAKE(&c->arena, int, model->driver_count);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < model->force_count; k++) {
    if (has_kinks(&model->forces[k])) c->switch_force[f->switch_count++] = k;
    f->limits_steps |= model->forces[k].road >= 0;
  }
  for (int k = 0; k < model->driver_count; k++)
    if (has_pieces(model->drivers[k].law)) c->motion_driver[f->motion_count++] = k;
  return HN_OK;
}

static void find_feature(void *context, const hn_model *model, const hn_function *function) {
  (void)model;
  (void)function;
  *(int *)context = 1;
}

// Conditions and laws of a measure are compared at samples only, unlike those of the user: they may
// change twice in between. Other forces with branches (tyres) are compared at samples everywhere.
// Rigid stops and friction that sticks belong to the run (constraints.c).
static void show_features(hn_component *c) {
  hn_component_facts *f = &c->facts;
  f->hides_features = f->condition_count > 0;
  for (int k = 0; k < c->model->force_count; k++) {
    const hn_force_def *force = &c->model->forces[k];
    f->hides_features |= !hn_force_is_rigid(force) && hn_force_switches_by_measure(force);
  }
  hn_visit_functions(c->model, find_feature, &f->hides_features);
}

// States of laws, in their order, then those of forces: as the flow of a run has them.
static hn_status show_states(hn_component *c) {
  const hn_model *model = c->model;
  hn_component_facts *f = &c->facts;
  f->state_count = model->state_count;
  for (int k = 0; k < model->force_count; k++) {
    const hn_force_row *row = hn_force_row_of(model->forces[k].type);
    if (row->own_states) f->state_count += row->own_states(model, &model->forces[k]);
  }
  double *initial = HN_TAKE(&c->arena, double, f->state_count);
  double *every = HN_TAKE(&c->arena, double, f->state_count);
  int *follows = HN_TAKE(&c->arena, int, f->state_count);
  hn_guard_list conditions = {0};
  if (c->arena.failed || hn_guard_list_create(&c->arena, c->elements, &conditions) != HN_OK)
    return HN_ERROR_MEMORY;
  for (int k = 0; k < model->state_count; k++) {
    initial[k] = model->states[k].initial;
    every[k] = model->states[k].law || model->states[k].follows ? model->states[k].every : -1;
  }
  for (int k = 0; k < f->state_count; k++)
    follows[k] = k < model->state_count ? output_of(model, model->states[k].follows) : -1;
  unsigned char *is_rule = HN_TAKE(&c->arena, unsigned char, conditions.count);
  for (int k = 0; is_rule && k < conditions.count; k++)
    is_rule[k] = conditions.item[k].is_rule != 0;
  f->state_initial = initial;
  f->state_every = every;
  f->state_follows = follows;
  f->condition_count = conditions.count;
  f->condition_is_rule = is_rule;
  return c->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

// The run has the past of delayed states; states of their approximation have no part in runs.
static hn_status show_delays(hn_component *c) {
  const hn_model *model = c->model;
  hn_component_facts *f = &c->facts;
  int *state = HN_TAKE(&c->arena, int, model->state_count);
  double *time = HN_TAKE(&c->arena, double, model->state_count);
  double *rise = HN_TAKE(&c->arena, double, 2 * model->state_count);
  double *initial = HN_TAKE(&c->arena, double, f->state_count);
  if (c->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < f->state_count; k++) initial[k] = f->state_initial[k];
  for (int k = 0; k < model->state_count; k++) {
    const hn_state_def *def = &model->states[k];
    if (def->helps > 0) initial[k] = 0;
    if (!(def->delay > 0)) continue;
    state[f->delay_count] = k;
    time[f->delay_count] = def->delay;
    for (int jumps = 0; jumps < 2; jumps++)
      rise[2 * f->delay_count + jumps] = hn_model_signal_rise(model, def->delayed, jumps);
    f->delay_count++;
  }
  f->delay_state = state;
  f->delay_time = time;
  f->delay_rise = rise;
  f->state_initial = initial;
  return HN_OK;
}

static hn_status make_facts(hn_component *c, hn_sealed_loading *l, hn_error *error) {
  hn_component_facts *f = &c->facts;
  f->external_count = l->external_count;
  f->body_count = c->model->body_count - 1 - l->external_count;
  hn_status status = hn_elements_create(&c->arena, c->model, &c->elements, error);
  if (status == HN_OK) status = hn_sealed_show_constraints(c);
  if (status == HN_OK) status = hn_sealed_show_contacts(c, l);
  if (status == HN_OK) status = show_border(c, l);
  if (status == HN_OK) status = show_start(c);
  if (status == HN_OK) status = show_rows(c);
  if (status == HN_OK) status = show_branches(c);
  if (status == HN_OK) status = show_states(c);
  if (status == HN_OK) status = show_delays(c);
  if (status == HN_OK) status = show_outputs(c, error);
  if (status == HN_OK) status = show_given(c, l);
  if (status == HN_OK) show_features(c);
  return status;
}

// ---- all of it ----------------------------------------------------------------------------------

hn_status hn_sealed_create(const hn_component_setup *setup, hn_component **component,
                           hn_error *error) {
  hn_sealed_file file;
  hn_sealed_loading l;
  hn_error reason = {0};
  *component = NULL;
  hn_status status = hn_sealed_file_open(setup->path, &file, error);
  if (status != HN_OK) return status;
  hn_component *c = hn_allocate(NULL, sizeof *c);
  if (c) memset(c, 0, sizeof *c);
  if (c) hn_arena_init(&c->arena, NULL);
  if (c) c->checksum = file.checksum;
  status = c ? hn_sealed_loading_begin(&l, &file, &reason) : HN_ERROR_MEMORY;
  if (c && status == HN_OK) {
    status = hn_sealed_model(&l, setup);
    if (status == HN_OK) status = hn_sealed_check(l.loader.model, l.external_count, &reason);
    if (status == HN_OK) {
      c->model = l.loader.model;
      l.loader.model = NULL;
      status = make_facts(c, &l, &reason);
    }
  }
  if (c) hn_sealed_loading_end(&l);
  hn_sealed_file_close(&file);
  if (status != HN_OK) {
    hn_sealed_destroy(c);
    return hn_fail(error, status, NULL, NULL, "check its parameters and bodies, or ask its maker",
                   "cannot be created with these parameters and bodies (%s)",
                   hn_status_text(status));
  }
  *component = c;
  return HN_OK;
}

void hn_sealed_destroy(hn_component *c) {
  if (!c) return;
  hn_model_free(c->model);
  hn_arena_release(&c->arena);
  hn_release(NULL, c);
}

#define QUOTE(x) #x
#define QUOTE_VALUE(x) QUOTE(x)
#define VERSION                                                                                    \
  QUOTE_VALUE(HN_VERSION_MAJOR)                                                                    \
  "." QUOTE_VALUE(HN_VERSION_MINOR) "." QUOTE_VALUE(HN_VERSION_PATCH)

const hn_component_api *hn_sealed_api(void) {
  static const hn_component_api api = {
      .abi = HN_COMPONENT_ABI,
      .size = (unsigned)sizeof(hn_component_api),
      .holon = VERSION,
      .create = hn_sealed_create,
      .destroy = hn_sealed_destroy,
      .facts = hn_sealed_facts,
      .start = hn_sealed_start,
      .stop = hn_sealed_stop,
      .turns = hn_sealed_turns,
      .branches = hn_sealed_branches,
      .next_time = hn_sealed_next_time,
      .step_limit = hn_sealed_step_limit,
      .forces = hn_sealed_forces,
      .loads = hn_sealed_loads,
      .factor = hn_sealed_factor,
      .forward = hn_sealed_forward,
      .backward = hn_sealed_backward,
      .residual = hn_sealed_residual,
      .finish = hn_sealed_finish,
      .states = hn_sealed_states,
      .filter = hn_sealed_filter,
      .conditions = hn_sealed_conditions,
      .samples = hn_sealed_samples,
      .rules = hn_sealed_rules,
      .delayed = hn_sealed_delayed,
      .gaps = hn_sealed_gaps,
      .stabilize_factor = hn_sealed_stabilize_factor,
      .stabilize_forward = hn_sealed_stabilize_forward,
      .stabilize_backward = hn_sealed_stabilize_backward,
      .increments = hn_sealed_increments,
      .impulses = hn_sealed_impulses,
      .save_size = hn_sealed_save_size,
      .save = hn_sealed_save,
      .restore = hn_sealed_restore,
      .hash = hn_sealed_hash,
  };
  return &api;
}
