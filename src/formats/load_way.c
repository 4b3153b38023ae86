// The way of a tendon: points of bodies, what it passes between them, pulleys.
#include "formats/load_way.h"

#include "elements/tendon.h"
#include "formats/joint.h"

typedef struct spot {
  hn_frame_on_body on, drawn; // on its body; in the world
} spot;

// `body:` and `at:`, with z along the axis; 0 on failure.
static int read_spot(hn_fields *f, hn_vec3 axis, spot *out) {
  const hn_node *node = hn_field_need(f, "body"), *at = hn_field(f, "at");
  const char *name = node ? hn_text_of(f->context, node) : NULL;
  hn_entry *body = name ? hn_body_need(f->context, name, node) : NULL;
  if (!body || !hn_body_real(body)) return 0;
  hn_vec3 point = at ? hn_point_of(f->context, at, NULL) : hn_body_center(body);
  hn_drawn_frame frame = hn_drawn_frame_make(f->context, f->map, point, axis, NULL);
  if (!hn_loader_ok(f->context->loader)) return 0;
  out->on = hn_frame_on(body, &frame);
  out->drawn = (hn_frame_on_body){HN_GROUND, frame.origin, quat_from_matrix(frame.axes)};
  return 1;
}

static void read_side(hn_fields *f, hn_way *on, hn_way *drawn) {
  const hn_node *node = hn_field(f, "side");
  hn_fields side;
  spot s;
  if (!node || !hn_fields_open(f->context, node, hn_section_find("side", NULL), &side)) return;
  if (read_spot(&side, vec3(0, 0, 1), &s)) {
    on->has_side = drawn->has_side = 1;
    on->side = s.on;
    drawn->side = s.drawn;
  }
  hn_fields_close(&side);
}

static void read_around(hn_fields *f, hn_way *on, hn_way *drawn) {
  hn_fields round;
  spot s;
  if (!hn_fields_open(f->context, hn_field(f, "around"), hn_section_find("around", NULL), &round))
    return;
  const hn_node *axis = hn_field(&round, "axis");
  hn_vec3 z = axis ? hn_direction_of(f->context, axis, NULL) : vec3(0, 0, 1);
  on->kind = axis ? HN_WAY_CYLINDER : HN_WAY_SPHERE;
  on->radius = hn_field_number(&round, "radius");
  *drawn = *on;
  if (read_spot(&round, z, &s)) {
    on->frame = s.on;
    drawn->frame = s.drawn;
    read_side(&round, on, drawn);
  }
  hn_fields_close(&round);
}

static void read_part(const hn_context *context, const hn_node *node, hn_way *on, hn_way *drawn) {
  hn_fields f;
  spot s;
  if (!hn_fields_open(context, node, hn_section_find("way", NULL), &f)) return;
  if (hn_field_given(&f, "around")) {
    read_around(&f, on, drawn);
  } else if (hn_field_given(&f, "pulley")) {
    on->kind = HN_WAY_PULLEY;
    on->divisor = hn_field_number(&f, "pulley");
    *drawn = *on;
  } else if (read_spot(&f, vec3(0, 0, 1), &s)) {
    on->frame = s.on;
    drawn->frame = s.drawn;
  }
  hn_fields_close(&f);
}

// Divisors and radii are checked when the model is finished: only parts with a length count here.
static double drawn_length(const hn_way *drawn, int count) {
  const hn_force_def def = {.way = drawn, .way_count = count};
  hn_frame ground;
  double length, rate;
  hn_frame_of_ground(&ground);
  hn_tendon_measure(&def, &ground, &length, &rate);
  return length;
}

double hn_build_way(hn_fields *f, hn_force_def *def) {
  hn_loader *loader = f->context->loader;
  const hn_node *list = hn_field_need(f, "way");
  if (!list) return 0;
  if (list->kind != HN_NODE_LIST || list->count < 2 || list->count > HN_WAY_MOST) {
    hn_source place = hn_node_source(list);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write [{body: a, at: [0, 0, 0]}, {body: b, at: [0, 0, 1]}].",
                   "expects a path of 2 to %d parts, got %s with %d", HN_WAY_MOST,
                   hn_node_kind_name(list), list->count);
    return 0;
  }
  hn_way *way = HN_TAKE(&loader->arena, hn_way, 2 * list->count), *drawn = way + list->count;
  if (!way) {
    hn_loader_fail(loader, HN_ERROR_MEMORY, NULL, NULL, "out of memory for a tendon path");
    return 0;
  }
  int count = 0;
  for (const hn_node *n = list->first; n && hn_loader_ok(loader); n = n->next, count++)
    read_part(f->context, n, &way[count], &drawn[count]);
  def->way = way;
  def->way_count = count;
  return hn_loader_ok(loader) ? drawn_length(drawn, count) : 0;
}
