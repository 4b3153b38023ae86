// Frames of SDF: every link, joint, frame and model is one, placed in another one by its <pose>.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/import/sdf.h"

enum { DEEPEST = 500 }; // frames that lead to each other

// ---- values -------------------------------------------------------------------------------------

const char *hn_sdf_text(hn_xml *node, const char *child) {
  hn_xml *found = hn_xml_take(node, child);
  return found ? found->text : NULL;
}

double hn_sdf_number(hn_sdf *r, hn_xml *node, const char *child, double other) {
  hn_xml *found = hn_xml_take(node, child);
  double number = other;
  if (!found || !*found->text) return other;
  if (strcmp(found->text, "inf") == 0 || strcmp(found->text, "+inf") == 0) return HUGE_VAL;
  if (strcmp(found->text, "-inf") == 0) return -HUGE_VAL;
  return hn_numbers_of(r->machine, found, child, found->text, 1, &number) ? number : other;
}

hn_vec3 hn_sdf_vector(hn_sdf *r, hn_xml *node, const char *child, hn_vec3 other) {
  hn_xml *found = hn_xml_take(node, child);
  double v[3];
  if (!found || !hn_numbers_of(r->machine, found, child, found->text, 3, v)) return other;
  return vec3_load(v);
}

int hn_sdf_is(hn_xml *node, const char *child, int other) {
  const char *text = hn_sdf_text(node, child);
  return text && *text ? strcmp(text, "true") == 0 || strcmp(text, "1") == 0 : other;
}

hn_pose hn_sdf_pose(hn_sdf *r, hn_xml *node, const char **relative_to) {
  hn_xml *pose = hn_xml_take(node, "pose");
  double v[7] = {0}, unit = 1;
  *relative_to = NULL;
  if (!pose) return hn_pose_none();
  *relative_to = hn_xml_get(pose, "relative_to");
  if (!*relative_to) *relative_to = hn_xml_get(pose, "frame"); // before 1.7
  if (*relative_to && !**relative_to) *relative_to = NULL;
  const char *degrees = hn_xml_get(pose, "degrees"), *format = hn_xml_get(pose, "rotation_format");
  if (degrees && strcmp(degrees, "true") == 0) unit = HN_PI / 180;
  if (!*pose->text) return hn_pose_none();
  if (format && strcmp(format, "quat_xyzw") == 0) {
    if (!hn_numbers_of(r->machine, pose, "pose", pose->text, 7, v)) return hn_pose_none();
    return (hn_pose){quat_matrix(quat_unit((hn_quat){v[6], v[3], v[4], v[5]})), vec3_load(v)};
  }
  if (!hn_numbers_of(r->machine, pose, "pose", pose->text, 6, v)) return hn_pose_none();
  return (hn_pose){hn_rotation_rpy(unit * v[3], unit * v[4], unit * v[5]), vec3_load(v)};
}

// ---- names --------------------------------------------------------------------------------------

hn_sdf_frame *hn_sdf_add_frame(hn_sdf *r, hn_sdf_scope *scope, const char *name, hn_xml *node) {
  hn_machine *m = r->machine;
  const hn_sdf_frame *same = hn_table_find(scope->frames, name);
  hn_sdf_frame *frame = HN_MACHINE_TAKE(m, hn_sdf_frame, 1);
  if (!frame) return NULL;
  // before 1.7 a joint could be called as a link is
  int is_other = same && r->version < 1.7 && strcmp(same->node->name, node->name) != 0;
  const char *known_as = is_other ? hn_machine_text(m, "%s_%s", name, node->name) : name;
  if (same && (!is_other || hn_table_find(scope->frames, known_as)))
    hn_machine_fail(m, node, hn_machine_text(m, "<%s> '%s'", node->name, name),
                    "Use unique names for links, joints, frames and nested models.",
                    "is a duplicate name; first used in line %d", same->node->line);
  *frame = (hn_sdf_frame){.name = name, .node = node, .scope = scope};
  hn_table_add(m, scope->frames, known_as, frame);
  return frame;
}

// Step by step into nested models.
hn_sdf_frame *hn_sdf_find(hn_sdf *r, hn_sdf_scope *scope, const char *name, const hn_xml *node) {
  hn_machine *m = r->machine;
  const char *rest = name;
  hn_sdf_frame *found = NULL;
  while (hn_machine_ok(m)) {
    const char *gap = strstr(rest, "::");
    const char *word = gap ? hn_machine_text(m, "%.*s", (int)(gap - rest), rest) : rest;
    found = strcmp(word, "__model__") == 0 ? scope->self : hn_table_find(scope->frames, word);
    if (!found || !gap) break;
    if (!found->inside) {
      found = NULL;
      break;
    }
    scope = found->inside;
    rest = gap + 2;
  }
  if (!found && hn_machine_ok(m)) {
    const char *near = hn_table_nearest(scope->frames, rest);
    hn_machine_fail(m, node, hn_xml_element(m, node),
                    near ? hn_machine_text(m, "Did you mean '%s'?", near)
                         : "Use the name of an existing link, joint, frame or model.",
                    "refers to the frame '%s', which does not exist", name);
  }
  return found;
}

// ---- places -------------------------------------------------------------------------------------

// Frames of the circle are those that are being worked out.
static void fail_circle(hn_sdf *r, const hn_sdf_frame *frame) {
  char others[300] = "";
  for (const hn_xml *c = frame->scope->node->first; c; c = c->next) {
    const hn_sdf_frame *other = c->meaning;
    if (!other || other == frame || other->state != HN_SDF_BUSY || other->inside) continue;
    if (strlen(others) + strlen(other->name) > 280) break;
    strcat(others, " ");
    strcat(others, other->name);
  }
  hn_machine_fail(r->machine, frame->node,
                  hn_machine_text(r->machine, "<%s> '%s'", frame->node->name, frame->name),
                  "Set relative_to of one of them to the model.",
                  "has a circular pose definition: relative to itself through%s",
                  *others ? others : " others");
}

// Where a frame is in its own model; in the world for those the world holds itself.
static hn_pose where_in_model(hn_sdf *r, hn_sdf_frame *frame);

// A pose in a model, expressed in the scope around it.
static hn_pose place_above(hn_sdf *r, const hn_sdf_scope *scope, const hn_pose *pose) {
  hn_pose model = where_in_model(r, scope->self);
  return hn_pose_multiply(&model, pose);
}

// Where a name is, in the model whose scope it is; null: the model itself.
static hn_pose place_in_scope(hn_sdf *r, hn_sdf_scope *scope, const char *name,
                              const hn_xml *node) {
  if (!name || (!scope->self && strcmp(name, "world") == 0)) return hn_pose_none();
  if (strcmp(name, "world") == 0) {
    hn_pose model = hn_sdf_where(r, scope->self);
    return hn_pose_inverse(&model);
  }
  hn_sdf_frame *frame = hn_sdf_find(r, scope, name, node);
  if (!frame || frame == scope->self) return hn_pose_none();
  hn_pose pose = where_in_model(r, frame);
  for (hn_sdf_scope *s = frame->scope; s && s != scope; s = s->parent)
    pose = place_above(r, s, &pose);
  return pose;
}

// A model is where its pose puts its placement frame.
static hn_pose place_model(hn_sdf *r, hn_sdf_frame *model, const hn_pose *pose) {
  const char *name = hn_xml_get(model->node, "placement_frame");
  if (!name || !*name) return *pose;
  hn_pose inner = place_in_scope(r, model->inside, name, model->node);
  hn_pose back = hn_pose_inverse(&inner);
  return hn_pose_multiply(pose, &back);
}

static void work_out(hn_sdf *r, hn_sdf_frame *frame) {
  const char *relative_to;
  hn_pose own = hn_sdf_pose(r, frame->node, &relative_to);
  if (!relative_to) relative_to = frame->usual;
  hn_pose base = place_in_scope(r, frame->scope, relative_to, frame->node);
  hn_pose pose = hn_pose_multiply(&base, &own);
  frame->pose = frame->inside ? place_model(r, frame, &pose) : pose;
}

static hn_pose where_in_model(hn_sdf *r, hn_sdf_frame *frame) {
  if (frame->state == HN_SDF_DONE || !hn_machine_ok(r->machine)) return frame->pose;
  if (frame->state == HN_SDF_BUSY) {
    fail_circle(r, frame);
    return frame->pose;
  }
  if (r->depth > DEEPEST) {
    hn_machine_fail(r->machine, frame->node, hn_xml_element(r->machine, frame->node),
                    "Place frames relative to the model.",
                    "has a pose chain of more than %d frames", DEEPEST);
    return frame->pose;
  }
  frame->state = HN_SDF_BUSY;
  r->depth++;
  work_out(r, frame);
  r->depth--;
  frame->state = HN_SDF_DONE;
  return frame->pose;
}

hn_pose hn_sdf_place(hn_sdf *r, hn_sdf_scope *scope, const char *name, const hn_xml *node) {
  if (name && strcmp(name, "world") == 0) return hn_pose_none();
  if (!name) return scope->self ? hn_sdf_where(r, scope->self) : hn_pose_none();
  hn_sdf_frame *frame = hn_sdf_find(r, scope, name, node);
  return frame ? hn_sdf_where(r, frame) : hn_pose_none();
}

hn_pose hn_sdf_where(hn_sdf *r, hn_sdf_frame *frame) {
  hn_pose pose = where_in_model(r, frame);
  for (hn_sdf_scope *s = frame->scope; s && s->self; s = s->parent) pose = place_above(r, s, &pose);
  return pose;
}

// ---- what a frame is fixed to -------------------------------------------------------------------

// The first link of a model, or of the first model in it.
static hn_link *canonical(hn_sdf *r, hn_sdf_scope *scope, int depth) {
  const char *name = hn_xml_get(scope->node, "canonical_link");
  if (name && *name) return hn_sdf_link_of(r, scope, name, scope->node);
  for (hn_xml *child = scope->node->first; child; child = child->next) {
    hn_sdf_frame *frame = child->meaning;
    if (frame && frame->link) return frame->link;
  }
  for (hn_xml *child = scope->node->first; child && depth < DEEPEST; child = child->next) {
    hn_sdf_frame *frame = child->meaning;
    hn_link *link = frame && frame->inside ? canonical(r, frame->inside, depth + 1) : NULL;
    if (link) return link;
  }
  return NULL;
}

hn_link *hn_sdf_link_of(hn_sdf *r, hn_sdf_scope *scope, const char *name, const hn_xml *node) {
  hn_machine *m = r->machine;
  for (int k = 0; hn_machine_ok(m); k++) {
    if (name && strcmp(name, "world") == 0) return &m->ground;
    hn_sdf_frame *frame = name ? hn_sdf_find(r, scope, name, node) : scope->self;
    if (!frame) return name ? NULL : &m->ground;
    if (frame->link) return frame->link;
    if (frame->inside) {
      hn_link *link = canonical(r, frame->inside, 0);
      if (!link)
        hn_machine_fail(m, node, hn_xml_element(m, node), "Use the name of a link.",
                        "refers to the model '%s', which has no links", frame->name);
      return link;
    }
    if (k > DEEPEST) {
      fail_circle(r, frame);
      return NULL;
    }
    name = frame->attached;
    scope = frame->scope;
  }
  return NULL;
}
