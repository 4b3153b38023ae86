// A 64-bit hash of the whole description (FNV-1a over bytes): names, numbers by their bits,
// references by their ids, in the order of addition. Not in it: addresses, padding, and where in a
// file something was written, so that a comment in a file changes nothing.
// Laws enter by their own hash (math/law.h).
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "holon/component.h"
#include "holon/switch.h"
#include "math/law.h"
#include "model/options.h"
#include "model/outside.h"
#include "model/storage.h"
#include "vehicle/surface.h"
#include "vehicle/tyre.h"

typedef unsigned long long hash_state;

static void hash_byte(hash_state *h, unsigned byte) { *h = (*h ^ byte) * 1099511628211ULL; }

static void hash_whole(hash_state *h, uint64_t value) {
  for (int k = 0; k < 8; k++) hash_byte(h, (unsigned)(value >> (8 * k) & 0xff));
}

static void hash_int(hash_state *h, int value) { hash_whole(h, (uint64_t)(int64_t)value); }

static void hash_doubles(hash_state *h, const double *values, int count) {
  for (int k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    if (isnan(values[k])) bits = 0x7ff8000000000000ULL; // any NaN is the same NaN
    hash_whole(h, bits);
  }
}

static void hash_double(hash_state *h, double value) { hash_doubles(h, &value, 1); }

static void hash_string(hash_state *h, const char *text) {
  hash_byte(h, text != NULL);
  if (!text) return;
  for (; *text; text++) hash_byte(h, (unsigned char)*text);
  hash_byte(h, 0);
}

static void hash_vec3(hash_state *h, hn_vec3 v) {
  const double values[3] = {v.x, v.y, v.z};
  hash_doubles(h, values, 3);
}

static void hash_quat(hash_state *h, hn_quat p) {
  const double values[4] = {p.w, p.x, p.y, p.z};
  hash_doubles(h, values, 4);
}

static void hash_frame(hash_state *h, const hn_frame_on_body *frame) {
  hash_int(h, frame->body);
  hash_vec3(h, frame->position);
  hash_quat(h, frame->orientation);
}

static void hash_law(hash_state *h, const hn_law *law) {
  hash_byte(h, law != NULL);
  if (law) hash_whole(h, hn_law_hash(law));
}

// ---- definitions --------------------------------------------------------------------------------

static void hash_body(hash_state *h, const hn_body_def *body) {
  hash_string(h, body->name);
  hash_int(h, body->component);
  hash_double(h, body->mass);
  hash_doubles(h, body->inertia, 6);
  hash_vec3(h, body->position);
  hash_quat(h, body->orientation);
  hash_vec3(h, body->velocity);
  hash_vec3(h, body->angular_velocity);
  hash_int(h, (int)body->position_firmness + 2 * body->given);
  hash_int(h, (int)body->velocity_firmness);
}

static void hash_joint(hash_state *h, const hn_joint_def *joint) {
  hash_string(h, joint->name);
  hash_int(h, joint->component);
  hash_int(h, (int)joint->type);
  hash_frame(h, &joint->frame1);
  hash_frame(h, &joint->frame2);
  hash_double(h, joint->length);
  hash_double(h, joint->pitch);
  hash_int(h, joint->coupled_count);
  for (int k = 0; k < joint->coupled_count; k++) {
    hash_int(h, joint->coupled[k]);
    hash_int(h, (int)joint->coupled_coordinate[k]);
    hash_double(h, joint->coefficient[k]);
    for (int p = 0; p < 3; p++)
      if (joint->curve[k][p] != 0) {
        hash_int(h, p);
        hash_double(h, joint->curve[k][p]);
      }
  }
  hash_double(h, joint->constant);
  if (joint->cut) hash_int(h, 1);
  for (int c = 0; c < HN_COORDINATES; c++) {
    const hn_joint_initial *initial = &joint->initial[c];
    hash_int(h, (initial->has_value != 0) + 2 * (initial->has_rate != 0));
    if (initial->has_value) hash_double(h, initial->value);
    if (initial->has_rate) hash_double(h, initial->rate);
    if (initial->has_value || initial->has_rate) hash_int(h, (int)initial->firmness);
  }
}

static void hash_driver(hash_state *h, const hn_driver_def *driver) {
  hash_string(h, driver->name);
  hash_int(h, driver->component);
  hash_int(h, (int)driver->kind);
  hash_int(h, driver->joint);
  hash_int(h, (int)driver->coordinate);
  hash_frame(h, &driver->frame1);
  hash_frame(h, &driver->frame2);
  hash_law(h, driver->law);
}

static void hash_road(hash_state *h, const hn_road_def *road) {
  hash_string(h, road->name);
  hash_int(h, (int)road->kind);
  hash_int(h, road->count);
  hash_doubles(h, road->x, road->count);
  hash_doubles(h, road->z, road->count);
  const double values[] = {road->start,  road->length,   road->height,
                           road->radius, road->envelope, road->speed};
  hash_doubles(h, values, 6);
  if (road->friction != 1) hash_double(h, road->friction);
  for (int k = 0; k < road->patch_count; k++) {
    const hn_friction_patch *p = &road->patches[k];
    const double all[] = {p->low[0], p->low[1], p->high[0], p->high[1], p->mu, p->ramp};
    hash_doubles(h, all, 6);
  }
  if (road->surface) hash_whole(h, hn_road_surface_hash(road->surface));
}

// User forces enter by their place only: a function cannot be hashed.
static void hash_force(hash_state *h, const hn_force_def *force) {
  hash_string(h, force->name);
  hash_int(h, force->component);
  hash_int(h, (int)force->type);
  hash_frame(h, &force->frame1);
  hash_frame(h, &force->frame2);
  hash_int(h, force->joint);
  hash_int(h, (int)force->coordinate);
  hash_law(h, force->of_x);
  hash_law(h, force->of_v);
  hash_law(h, force->of_t);
  hash_law(h, force->of_xvt);
  for (int k = 0; k < 3; k++) hash_law(h, force->component_law[k]);
  hash_doubles(h, force->stiffness, 6);
  hash_doubles(h, force->damping, 6);
  const double values[] = {force->offset, force->magnitude, force->transition, force->viscous,
                           force->lower,  force->upper,     force->radius};
  hash_doubles(h, values, 7);
  for (int k = 0; k < HN_FORCE_NUMBERS; k++) // zeros are no part of it: older hashes stay
    if (force->number[k] != 0) {
      hash_int(h, k);
      hash_doubles(h, &force->number[k], 1);
    }
  hash_int(h, force->following);
  hash_int(h, force->road);
  hash_int(h, (int)force->contact);
  hash_int(h, force->user.has_derivatives);
  if (force->tyre) hash_whole(h, hn_tyre_hash(force->tyre));
  for (int k = 0; k < force->way_count; k++) {
    const hn_way *way = &force->way[k];
    const double numbers[] = {way->radius, way->divisor};
    hash_int(h, (int)way->kind);
    hash_frame(h, &way->frame);
    hash_doubles(h, numbers, 2);
    hash_int(h, way->has_side);
    if (way->has_side) hash_frame(h, &way->side);
  }
}

// Tolerances, steps and words of a combination always count, others where they are said, by their place:
// hashes of models that do not know an option stay.
enum { FIRST_NUMBERS = 5, FIRST_WORDS = 4, FIRST = FIRST_NUMBERS + FIRST_WORDS };

static void hash_defaults(hash_state *h, const hn_simulation_defaults *defaults) {
  const hn_option_row *row;
  hash_double(h, defaults->time);
  for (int k = 0; k < FIRST_NUMBERS; k++)
    hash_double(h, hn_default_number(hn_option_row_at(k), defaults));
  hash_double(h, defaults->output_step);
  for (int k = FIRST_NUMBERS; k < FIRST; k++)
    hash_string(h, hn_default_text(hn_option_row_at(k), defaults));
  for (int k = FIRST; (row = hn_option_row_at(k)); k++) {
    if (!(row->option.places & HN_OPTION_AT_MODEL) || !hn_default_is_said(row, defaults)) continue;
    hash_int(h, k - FIRST);
    if (row->option.kind == HN_OPTION_WORD)
      hash_string(h, hn_default_text(row, defaults));
    else
      hash_double(h, hn_default_number(row, defaults));
  }
  hash_int(h, defaults->from_equilibrium);
  hash_int(h, defaults->has_then_velocity);
  if (defaults->has_then_velocity) hash_vec3(h, defaults->then_velocity);
  if (defaults->has_speed) hash_double(h, defaults->speed);
}

// Shapes that a contact names are part of the model; others are only drawn.
static void hash_touching_shape(hash_state *h, const hn_shape_def *shape) {
  hash_int(h, (int)shape->type);
  hash_frame(h, &shape->frame);
  hash_vec3(h, shape->size);
  hash_double(h, shape->radius);
  hash_double(h, shape->length);
  hash_int(h, (int)shape->touch);
  if (shape->type == HN_SHAPE_EXTRUSION && shape->touch == HN_TOUCH_SOLID)
    hash_doubles(h, shape->profile, 2 * shape->profile_count);
  if (shape->type == HN_SHAPE_MESH && shape->touch == HN_TOUCH_SOLID)
    hash_doubles(h, shape->mesh->vertices, 3 * shape->mesh->vertex_count);
  hash_doubles(h, shape->curve, 3 * shape->curve_count);
  hash_int(h, shape->curve_is_closed + 2 * shape->curve_is_spline + 4 * shape->curve_is_hollow);
  hash_doubles(h, shape->heights, shape->grid[0] * shape->grid[1]);
  hash_doubles(h, shape->grid_step, 2);
}

static void hash_contact(hash_state *h, const hn_model *model, const hn_contact_def *contact) {
  hash_string(h, contact->name);
  hash_int(h, contact->component);
  hash_int(h, contact->count1);
  hash_int(h, contact->count2);
  for (int k = 0; k < contact->count1; k++)
    hash_touching_shape(h, &model->shapes[contact->shapes1[k]]);
  for (int k = 0; k < contact->count2; k++)
    hash_touching_shape(h, &model->shapes[contact->shapes2[k]]);
  hash_int(h, contact->joined + 2 * (int)contact->law + 64 * (int)contact->restitution_kind);
  const double numbers[] = {contact->restitution, contact->friction,   contact->static_friction,
                            contact->stiffness,   contact->exponent,   contact->damping,
                            contact->speed,       contact->transition, contact->stribeck};
  const double bristles[] = {contact->bristle_stiffness, contact->bristle_damping,
                             contact->viscous_friction};
  hash_doubles(h, numbers, (int)(sizeof numbers / sizeof *numbers));
  if (contact->bristle_stiffness > 0) hash_doubles(h, bristles, 3);
  if (contact->torsional_friction > 0 || contact->rolling_friction > 0) {
    hash_double(h, contact->torsional_friction);
    hash_double(h, contact->rolling_friction);
  }
  if (contact->law == HN_CONTACT_SOFT) {
    const double soft[] = {contact->compliance, contact->time_constant, contact->damping_ratio};
    hash_doubles(h, soft, 3);
    hash_doubles(h, contact->impedance, 5);
  }
  hash_law(h, contact->depth_law);
}

// States of functions, FMUs, then inputs.
static void hash_signals(hash_state *h, const hn_model *model) {
  for (int k = 0; k < model->state_count; k++) {
    hash_string(h, model->states[k].name);
    hash_double(h, model->states[k].initial);
    hash_double(h, model->states[k].every);
    if (model->states[k].law) hash_law(h, model->states[k].law);
    if (model->states[k].delay > 0) {
      hash_double(h, model->states[k].delay);
      hash_law(h, model->states[k].delayed);
    }
    if (model->states[k].follows) hash_string(h, model->states[k].follows);
    if (model->states[k].outside > 0) hash_int(h, model->states[k].outside_output);
  }
  for (int k = 0; k < model->outside.count; k++) hash_string(h, model->outside.item[k].digest);
  for (int k = 0; k < model->input_count; k++) {
    hash_string(h, model->inputs[k].name);
    hash_double(h, model->inputs[k].value);
    hash_double(h, model->inputs[k].filter);
    if (hn_model_input_law(model, k)) hash_law(h, hn_model_input_law(model, k));
    if (!model->inputs[k].follows) continue;
    hash_string(h, model->inputs[k].follows);
    hash_double(h, model->inputs[k].every);
  }
}

unsigned long long hn_model_hash(const hn_model *model) {
  hash_state h = 14695981039346656037ULL;
  hash_string(&h, model->name);
  hash_vec3(&h, model->gravity);
  const int counts[] = {model->body_count,    model->joint_count,     model->driver_count,
                        model->force_count,   model->roads.count,     model->markers.count,
                        model->outputs.count, model->components.count};
  for (int k = 0; k < 8; k++) hash_int(&h, counts[k]);
  for (int k = 1; k < model->components.count; k++) {
    hash_string(&h, model->components.item[k].name);
    hash_int(&h, model->components.item[k].parent);
  }
  for (int k = 1; k < model->body_count; k++) hash_body(&h, &model->bodies[k]);
  for (int k = 0; k < model->markers.count; k++) {
    hash_string(&h, model->markers.item[k].name);
    hash_frame(&h, &model->markers.item[k].frame);
  }
  for (int k = 0; k < model->joint_count; k++) hash_joint(&h, &model->joints[k]);
  for (int k = 0; k < model->driver_count; k++) hash_driver(&h, &model->drivers[k]);
  for (int k = 0; k < model->roads.count; k++) hash_road(&h, &model->roads.item[k]);
  for (int k = 0; k < model->force_count; k++) hash_force(&h, &model->forces[k]);
  for (int k = 0; k < model->sensing.count; k++) hash_string(&h, model->sensing.item[k].name);
  hash_signals(&h, model);
  for (int k = 0; k < model->outputs.count; k++) {
    hash_string(&h, model->outputs.item[k].name);
    hash_string(&h, model->outputs.item[k].expression);
    hash_string(&h, model->outputs.item[k].unit);
  }
  hash_defaults(&h, &model->defaults);
  for (int k = 0; k < model->switch_count; k++) {
    const hn_switch_def *def = &model->switches[k];
    hash_int(&h, 3 * def->element + (int)def->of);
    hash_string(&h, def->when);
    hash_string(&h, def->starts);
    hash_string(&h, def->ends);
  }
  for (int k = 0; k < model->contact_count; k++) hash_contact(&h, model, &model->contacts[k]);
  for (int k = 0; k < model->part_count; k++) {
    unsigned long long part = model->parts[k].api->hash(model->parts[k].placed);
    hash_int(&h, (int)(part & 0x7fffffff));
    hash_int(&h, (int)((part >> 31) & 0x7fffffff));
  }
  return h;
}
