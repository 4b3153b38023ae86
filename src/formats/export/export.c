// Exporting: from a simulation to the text of a file, with what became of every element of the model.
#include "formats/export/export.h"

#include "base/error.h"

struct hn_export {
  hn_arena arena;
  const char *text;
  int count[HN_IMPORT_FATES];
  hn_import_item *items[HN_IMPORT_FATES];
};

hn_export_options hn_default_export_options(void) {
  return (hn_export_options){.size = sizeof(hn_export_options)};
}

// ---- the report ---------------------------------------------------------------------------------

static const char *shape_name(hn_plan *plan, int s) {
  const hn_shape_def *shape = &plan->model->shapes[s];
  return hn_plan_text(plan, "shape %d (%s) of body '%s'", s + 1, hn_shape_type_name(shape->type),
                      plan->model->bodies[shape->frame.body].name);
}

#define NAMED(word, list)                                                                          \
  *source = m->list[i].source;                                                                     \
  *kind = word;                                                                                    \
  return hn_plan_text(plan, "%s '%s'", word, m->list[i].name)

static const char *name_part(hn_plan *plan, hn_part_kind part, int i, const char **kind,
                             hn_source *source) {
  const hn_model *m = plan->model;
  switch (part) {
  case HN_PART_GRAVITY: *kind = "gravity"; return "gravity";
  case HN_PART_BODY: NAMED("body", bodies);
  case HN_PART_MARKER: NAMED("marker", markers.item);
  case HN_PART_DRIVER: NAMED("driver", drivers);
  case HN_PART_INPUT: NAMED("input", inputs);
  case HN_PART_OUTPUT: NAMED("output", outputs.item);
  case HN_PART_ROAD: NAMED("road", roads.item);
  case HN_PART_CONTACT: NAMED("contact", contacts);
  case HN_PART_SHAPE:
    *source = m->shapes[i].source;
    *kind = "shape";
    return shape_name(plan, i);
  case HN_PART_JOINT:
    *source = m->joints[i].source;
    *kind = hn_plan_text(plan, "joint %s", hn_joint_type_name(m->joints[i].type));
    return hn_plan_text(plan, "joint '%s'", m->joints[i].name);
  case HN_PART_FORCE:
    *source = m->forces[i].source;
    *kind = hn_plan_text(plan, "force %s", hn_force_type_name(hn_model_force_type(m, i)));
    return hn_plan_text(plan, "force '%s'", m->forces[i].name);
  case HN_PARTS: break;
  }
  return "";
}

static void add_item(hn_export *made, hn_plan *plan, hn_part_kind part, int i) {
  const hn_part_fate *fate = &plan->parts[part][i];
  hn_source source = {NULL, 0, 0};
  const char *kind = "", *what = name_part(plan, part, i, &kind, &source);
  hn_import_fate list = fate->is_told ? fate->fate : HN_IMPORT_LOST;
  made->items[list][made->count[list]++] =
      (hn_import_item){.file = source.file ? hn_arena_copy_string(plan->arena, source.file) : "",
                       .line = source.line,
                       .column = source.column,
                       .what = what,
                       .kind = kind,
                       .why = fate->is_told ? fate->why : "not supported by the format"};
}

static void collect(hn_export *made, hn_plan *plan) {
  int total = 0;
  for (int k = 0; k < HN_PARTS; k++) total += hn_plan_part_count(plan, (hn_part_kind)k);
  for (int k = 0; k < HN_IMPORT_FATES; k++)
    made->items[k] = HN_TAKE(plan->arena, hn_import_item, total);
  if (plan->arena->failed) return;
  for (int k = 0; k < HN_PARTS; k++)
    for (int i = 0; i < hn_plan_part_count(plan, (hn_part_kind)k); i++)
      if (!(k == HN_PART_BODY && i == HN_GROUND)) add_item(made, plan, (hn_part_kind)k, i);
}

// ---- the object ---------------------------------------------------------------------------------

static hn_status make(hn_export *made, hn_simulation *simulation, hn_export_format format,
                      hn_error *error) {
  hn_plan plan = {
      .arena = &made->arena, .error = error, .simulation = simulation, .format = format};
  hn_writer writer = {.arena = &made->arena};
  hn_status status = hn_plan_make(&plan);
  if (status) return status;
  switch (format) {
  case HN_EXPORT_MJCF: hn_write_mjcf(&plan, &writer); break;
  case HN_EXPORT_URDF: hn_write_urdf(&plan, &writer); break;
  case HN_EXPORT_SDF: hn_write_sdf(&plan, &writer); break;
  }
  hn_plan_tell_rest(&plan);
  collect(made, &plan);
  made->text = writer.text;
  if (!made->arena.failed && made->text) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                 "the model does not fit into memory");
}

hn_status hn_export_make(hn_simulation *simulation, hn_export_format format,
                         const hn_export_options *options, hn_export **made, hn_error *error) {
  hn_error own;
  if (!simulation || !made || (unsigned)format > HN_EXPORT_SDF)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Give a simulation, a format and where to put the export.",
                   "hn_export_make: an argument is NULL");
  *made = NULL;
  hn_export *fresh = hn_allocate(options ? options->allocator : NULL, sizeof *fresh);
  if (!fresh)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "the model does not fit into memory");
  *fresh = (hn_export){.text = NULL};
  hn_arena_init(&fresh->arena, options ? options->allocator : NULL);
  hn_status status = make(fresh, simulation, format, error ? error : &own);
  if (status)
    hn_export_free(fresh);
  else
    *made = fresh;
  return status;
}

void hn_export_free(hn_export *made) {
  if (!made) return;
  hn_arena arena = made->arena;
  hn_allocator allocator = arena.allocator;
  hn_release(&allocator, made);
  hn_arena_release(&arena);
}

const char *hn_export_text(const hn_export *made) { return made->text; }

int hn_export_count(const hn_export *made, hn_import_fate fate) {
  return fate >= 0 && fate < HN_IMPORT_FATES ? made->count[fate] : 0;
}

hn_import_item hn_export_item_at(const hn_export *made, hn_import_fate fate, int index) {
  if (index < 0 || index >= hn_export_count(made, fate)) return (hn_import_item){.file = NULL};
  return made->items[fate][index];
}
