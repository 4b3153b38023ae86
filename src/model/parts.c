// Sealed components of a model: their bodies and published outputs take places among the others.
#include <string.h>

#include "base/dynamic.h"
#include "holon/component.h"
#include "math/euler.h"
#include "model/storage.h"

static void release(const hn_sealed_part *part) {
  if (part->placed) part->api->destroy(part->placed);
  hn_dynamic_close(part->library);
}

void hn_model_free_parts(hn_model *model) {
  for (int p = 0; p < model->part_count; p++) release(&model->parts[p]);
  model->part_count = 0;
}

int hn_sealed_part_body(const hn_sealed_part *part, int body) {
  if (body == HN_GROUND) return HN_GROUND;
  return body <= part->external_count ? part->external[body - 1]
                                      : part->first_body + body - 1 - part->external_count;
}

static int border_place(const hn_component_facts *facts, int body) {
  for (int k = 0; k < facts->border_count; k++)
    if (facts->border[k] == body) return k;
  return -1;
}

// Poses and velocities are copied bit by bit. Masses are unknown here: 1 kg is a placeholder that
// is not used.
static hn_status add_bodies(hn_model *model, const hn_sealed_part *part) {
  const hn_component_facts *facts = part->facts;
  for (int b = 0; b < facts->body_count; b++) {
    int border = border_place(facts, b), id = 0;
    hn_body_def def = hn_default_body();
    char name[512];
    if (border >= 0 && facts->border_names[border][0])
      hn_text(name, sizeof name, "%s.%s", part->name, facts->border_names[border]);
    else
      hn_text(name, sizeof name, "%s.sealed_%d", part->name, b + 1);
    def.name = name;
    def.source = part->source;
    def.component = part->component;
    def.position = vec3_load(&facts->initial_q[7 * b]);
    def.velocity = vec3_load(&facts->initial_u[6 * b]);
    def.angular_velocity = vec3_load(&facts->initial_u[6 * b + 3]);
    def.sealed = border >= 0 && facts->border_names[border][0] ? 1 : 2;
    hn_status status = hn_model_add_body(model, &def, &id);
    if (status != HN_OK) return status;
    model->bodies[id].orientation = quat_load(&facts->initial_q[7 * b + 3]);
  }
  return HN_OK;
}

static hn_status add_outputs(hn_model *model, const hn_sealed_part *part) {
  const hn_component_facts *facts = part->facts;
  for (int k = 0; k < facts->output_count; k++) {
    char name[512];
    hn_text(name, sizeof name, "%s.%s", part->name, facts->output_names[k]);
    hn_output_def def = {
        .name = name, .source = part->source, .expression = "0", .unit = facts->output_units[k]};
    hn_status status = hn_model_add_output(model, &def);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}

hn_status hn_model_add_part(hn_model *model, const hn_sealed_part *def) {
  hn_sealed_part own = *def;
  own.name = hn_arena_copy_string(&model->arena, def->name);
  own.path = hn_arena_copy_string(&model->arena, def->path);
  own.source.file = hn_arena_copy_string(&model->arena, def->source.file);
  own.external =
      hn_arena_copy(&model->arena, def->external, (size_t)def->external_count, sizeof(int));
  hn_sealed_part *parts = hn_model_grow(model, model->parts, &model->storage->part_room,
                                        model->part_count, sizeof *parts);
  if (parts) model->parts = parts;
  if (!parts || model->arena.failed) {
    release(def);
    return hn_model_out_of_memory(model, HN_NAME_COMPONENT, def->name);
  }
  own.first_body = model->body_count;
  own.first_output = model->outputs.count;
  own.body_count = own.facts->body_count;
  hn_status status = add_bodies(model, &own);
  if (status == HN_OK) status = add_outputs(model, &own);
  parts[model->part_count++] = own;
  return status;
}

int hn_model_hidden_output(const hn_model *model, int output) {
  int before = 0;
  for (int p = 0; p < model->part_count; p++) {
    int place = output - model->parts[p].first_output, count = model->parts[p].facts->output_count;
    if (place >= 0 && place < count) return before + place;
    before += count;
  }
  return -1;
}
