// The contacts of a model made ready: shapes, pairs, and the way from a pair to its points.
#include <math.h>

#include "base/error.h"
#include "contact/geometry.h"
#include "contact/surface.h"
#include "math/elementary.h"
#include "model/contact.h"
#include "model/storage.h"

// A cylinder or ellipsoid is approximated by a polyhedron if the pair has no algorithm of its own.
static hn_contact_kind kind_for(const hn_contact_shape *shape, const hn_contact_shape *other) {
  if (shape->kind == HN_KIND_ELLIPSOID)
    return other->kind == HN_KIND_HEIGHTS || other->kind == HN_KIND_TRIANGLES ? HN_KIND_HULL
                                                                              : shape->kind;
  if (shape->kind != HN_KIND_CYLINDER) return shape->kind;
  if (other->kind == HN_KIND_PLANE || other->kind == HN_KIND_POINT ||
      other->kind == HN_KIND_CURVE || other->kind == HN_KIND_HULL)
    return HN_KIND_CYLINDER;
  return HN_KIND_HULL;
}

const hn_meeting_type *hn_meeting_of(hn_contact_kind first, hn_contact_kind second) {
  static const hn_meeting_type *const table[HN_KINDS][HN_KINDS] = {
      [HN_KIND_PLANE] = {[HN_KIND_POINT] = &hn_plane_point,
                         [HN_KIND_SEGMENT] = &hn_plane_segment,
                         [HN_KIND_CYLINDER] = &hn_plane_cylinder,
                         [HN_KIND_ELLIPSOID] = &hn_plane_ellipsoid,
                         [HN_KIND_HULL] = &hn_plane_hull,
                         [HN_KIND_CURVE] = &hn_plane_curve},
      [HN_KIND_HEIGHTS] = {[HN_KIND_POINT] = &hn_heights_point,
                           [HN_KIND_SEGMENT] = &hn_heights_segment,
                           [HN_KIND_HULL] = &hn_heights_hull},
      [HN_KIND_TRIANGLES] = {[HN_KIND_POINT] = &hn_surface_point,
                             [HN_KIND_SEGMENT] = &hn_surface_segment,
                             [HN_KIND_HULL] = &hn_surface_hull},
      [HN_KIND_CURVE] = {[HN_KIND_POINT] = &hn_curve_point_meeting,
                         [HN_KIND_CYLINDER] = &hn_curve_point_meeting,
                         [HN_KIND_CURVE] = &hn_outlines,
                         [HN_KIND_HULL] = &hn_outlines,
                         [HN_KIND_SEGMENT] = &hn_outlines},
      [HN_KIND_HULL] = {[HN_KIND_HULL] = &hn_hull_hull,
                        [HN_KIND_CYLINDER] = &hn_hull_cylinder,
                        [HN_KIND_ELLIPSOID] = &hn_hull_ellipsoid,
                        [HN_KIND_SEGMENT] = &hn_hull_segment,
                        [HN_KIND_POINT] = &hn_hull_point},
      [HN_KIND_CYLINDER] = {[HN_KIND_POINT] = &hn_cylinder_point},
      [HN_KIND_ELLIPSOID] = {[HN_KIND_ELLIPSOID] = &hn_ellipsoid_ellipsoid,
                             [HN_KIND_SEGMENT] = &hn_ellipsoid_segment,
                             [HN_KIND_POINT] = &hn_ellipsoid_point},
      [HN_KIND_SEGMENT] =
          {[HN_KIND_SEGMENT] = &hn_segment_segment, [HN_KIND_POINT] = &hn_segment_point},
      [HN_KIND_POINT] = {[HN_KIND_POINT] = &hn_point_point}};
  return (unsigned)first < HN_KINDS && (unsigned)second < HN_KINDS ? table[first][second] : NULL;
}

static const hn_meeting_type *type_of(const hn_contacts *contacts, const hn_contact_pair *pair) {
  const hn_contact_shape *a = &contacts->shapes[pair->shape[0]],
                         *b = &contacts->shapes[pair->shape[1]];
  return hn_meeting_of(kind_for(a, b), kind_for(b, a));
}

// ---- making -------------------------------------------------------------------------------------

// Indices of the model's shapes among those that collide; -1: it does not.
static hn_status make_shapes(hn_arena *arena, hn_contacts *c, int *place, hn_error *error) {
  const hn_model *model = c->model;
  for (int k = 0; k < model->shape_count; k++) place[k] = -1;
  for (int r = 0; r < model->contact_count; r++) {
    const hn_contact_def *rule = &model->contacts[r];
    for (int k = 0; k < rule->count1; k++) place[rule->shapes1[k]] = 0;
    for (int k = 0; k < rule->count2; k++) place[rule->shapes2[k]] = 0;
  }
  for (int k = 0; k < model->shape_count; k++) c->shape_count += place[k] == 0;
  c->shapes = HN_TAKE(arena, hn_contact_shape, c->shape_count);
  if (!c->shapes && c->shape_count > 0) return HN_ERROR_MEMORY;
  int next = 0;
  for (int k = 0; k < model->shape_count; k++) {
    if (place[k] < 0) continue;
    hn_status status = hn_contact_shape_make(arena, model, k, &c->shapes[next], error);
    if (status) return status;
    place[k] = next++;
  }
  return HN_OK;
}

hn_contact_pair hn_contact_pair_of(const hn_contacts *c, int shape1, int shape2, int rule) {
  const hn_contact_shape *a = &c->shapes[shape1], *b = &c->shapes[shape2];
  int kind_a = (int)kind_for(a, b), kind_b = (int)kind_for(b, a);
  if (kind_b < kind_a || (kind_a == kind_b && b->body < a->body))
    return (hn_contact_pair){{shape2, shape1}, {b->body, a->body}, rule};
  return (hn_contact_pair){{shape1, shape2}, {a->body, b->body}, rule};
}

static hn_status refuse_pair(const hn_contacts *c, int rule, int shape1, int shape2,
                             hn_error *error) {
  const hn_model *model = c->model;
  const hn_shape_def *a = &model->shapes[c->shapes[shape1].shape],
                     *b = &model->shapes[c->shapes[shape2].shape];
  char element[128];
  hn_text(element, sizeof element, "contact '%s'", model->contacts[rule].name);
  static const char *const touches[] = {"", "plane ", "curve ", "heights ", "ellipsoid "};
  return hn_fail(
      error, HN_ERROR_MODEL, &model->contacts[rule].source, element,
      "Use spheres, capsules or boxes; docs/reference/contact-pairs.md lists the pairs.",
      "pairs a %s%s of '%s' with a %s%s of '%s'; contact between these two shapes is not supported",
      touches[a->touch], hn_shape_type_name(a->type), model->bodies[a->frame.body].name,
      touches[b->touch], hn_shape_type_name(b->type), model->bodies[b->frame.body].name);
}

// Deviation of the polyhedron that represents a shape: of a prism in the middle of a side.
static double bounds_of(const hn_contact_shape *shape, const hn_contact_shape *other) {
  if (kind_for(shape, other) == shape->kind) return 0;
  if (shape->kind == HN_KIND_ELLIPSOID) return HN_CONTACT_POLYHEDRON * shape->bound;
  return (1 - hn_cos(HN_PI / HN_CONTACT_PRISM)) * shape->radius;
}

// Notes pairs whose approximation has bounds.
static void note_bounds(hn_contacts *c, const hn_contact_pair *pair) {
  const hn_contact_shape *a = &c->shapes[pair->shape[0]], *b = &c->shapes[pair->shape[1]];
  const double error = bounds_of(a, b) + bounds_of(b, a);
  c->coarse.count += error > 0;
  if (error > c->coarse.error) {
    c->coarse.error = error;
    c->coarse.pair = *pair;
  }
  c->in_plane += a->kind == HN_KIND_CURVE && (b->kind == HN_KIND_CURVE || b->kind == HN_KIND_HULL ||
                                              b->kind == HN_KIND_CYLINDER);
}

// A curve lies in a plane: in the reference configuration, a shape that it meets must lie in the
// same plane, or across it.
static hn_status check_plane(const hn_contacts *c, const hn_contact_pair *pair, hn_error *error) {
  const hn_model *model = c->model;
  const hn_contact_shape *shape[2] = {&c->shapes[pair->shape[0]], &c->shapes[pair->shape[1]]};
  hn_placed placed[2];
  for (int k = 0; k < 2; k++) {
    const hn_frame_on_body *frame = &model->shapes[shape[k]->shape].frame;
    placed[k] = (hn_placed){shape[k], hn_model_drawn_point(model, frame),
                            hn_model_drawn_axes(model, frame)};
  }
  const char *why = hn_outline_refusal(&placed[0], &placed[1]);
  if (!why) return HN_OK;
  char element[128];
  hn_text(element, sizeof element, "contact '%s'", model->contacts[pair->rule].name);
  return hn_fail(error, HN_ERROR_MODEL, &model->contacts[pair->rule].source, element,
                 "Rotate one of them, or use a sphere or a capsule.",
                 "pairs a curve of '%s' with a shape of '%s' that it cannot collide with: %s",
                 model->bodies[pair->body[0]].name, model->bodies[pair->body[1]].name, why);
}

static double count_pairs(const hn_model *model) {
  double count = 0;
  for (int r = 0; r < model->contact_count; r++) {
    const hn_contact_def *rule = &model->contacts[r];
    count += rule->count2 > 0 ? (double)rule->count1 * rule->count2
                              : 0.5 * rule->count1 * (rule->count1 - 1.0);
  }
  return count;
}

// Every pair of a rule; an earlier rule that names the same two shapes goes first.
static hn_status list_rule(hn_contacts *c, int r, const int *place, hn_error *error) {
  const hn_contact_def *rule = &c->model->contacts[r];
  const int *second;
  int second_count;
  hn_contact_sets(rule, &second, &second_count);
  for (int i = 0; i < rule->count1; i++)
    for (int j = rule->count2 > 0 ? 0 : i + 1; j < second_count; j++) {
      if (hn_model_contact_rule(c->model, rule->shapes1[i], second[j]) != r) continue;
      int a = place[rule->shapes1[i]], b = place[second[j]];
      hn_contact_pair pair = hn_contact_pair_of(c, a, b, r);
      if (!type_of(c, &pair)) return refuse_pair(c, r, a, b, error);
      if (check_plane(c, &pair, error)) return HN_ERROR_MODEL;
      note_bounds(c, &pair);
      c->pairs[c->pair_count++] = pair;
    }
  return HN_OK;
}

// The same question where pairs are too many to be listed: one shape of each kind for all.
static hn_status check_kinds(hn_contacts *c, int r, const int *place, hn_error *error) {
  const hn_contact_def *rule = &c->model->contacts[r];
  const int *second;
  int second_count, of_kind[2][HN_KINDS];
  hn_contact_sets(rule, &second, &second_count);
  for (int k = 0; k < HN_KINDS; k++) of_kind[0][k] = of_kind[1][k] = -1;
  for (int k = 0; k < rule->count1; k++)
    of_kind[0][c->shapes[place[rule->shapes1[k]]].kind] = place[rule->shapes1[k]];
  for (int k = 0; k < second_count; k++)
    of_kind[1][c->shapes[place[second[k]]].kind] = place[second[k]];
  for (int i = 0; i < HN_KINDS; i++)
    for (int j = 0; j < HN_KINDS; j++) {
      int a = of_kind[0][i], b = of_kind[1][j];
      if (a < 0 || b < 0 || (c->shapes[a].body == HN_GROUND && c->shapes[b].body == HN_GROUND))
        continue;
      hn_contact_pair pair = hn_contact_pair_of(c, a, b, r);
      if (!type_of(c, &pair)) return refuse_pair(c, r, a, b, error);
      if (rule->law != HN_CONTACT_NONE) note_bounds(c, &pair);
    }
  return HN_OK;
}

// ... but every curve of one set with every shape of the other.
static hn_status check_curves(const hn_contacts *c, int r, const int *place, int of_second,
                              hn_error *error) {
  const hn_contact_def *rule = &c->model->contacts[r];
  const int *others, *curves = rule->shapes1;
  int other_count, curve_count = rule->count1;
  hn_contact_sets(rule, &others, &other_count);
  if (of_second) {
    curves = others;
    curve_count = other_count;
    others = rule->shapes1;
    other_count = rule->count1;
  }
  for (int i = 0; i < curve_count; i++) {
    if (c->shapes[place[curves[i]]].kind != HN_KIND_CURVE) continue;
    for (int j = 0; j < other_count; j++) {
      if (hn_model_contact_rule(c->model, curves[i], others[j]) != r) continue;
      hn_contact_pair pair = hn_contact_pair_of(c, place[curves[i]], place[others[j]], r);
      if (check_plane(c, &pair, error)) return HN_ERROR_MODEL;
    }
  }
  return HN_OK;
}

int hn_contacts_rule(const hn_contacts *c, int a, int b) {
  return hn_model_contact_rule(c->model, c->shapes[a].shape, c->shapes[b].shape);
}

hn_status hn_contacts_create(hn_arena *arena, const hn_model *model, hn_contacts **result,
                             hn_error *error) {
  hn_contacts *c = HN_TAKE(arena, hn_contacts, 1);
  *result = c;
  if (!c) return HN_ERROR_MEMORY;
  *c = (hn_contacts){.model = model, .pairs_listed = 1};
  if (model->contact_count == 0) return HN_OK;
  int *place = HN_TAKE(arena, int, model->shape_count);
  if (!place) return HN_ERROR_MEMORY;
  hn_status status = make_shapes(arena, c, place, error);
  if (status) return status;
  double count = count_pairs(model);
  if (count > HN_CONTACT_PAIRS) {
    c->pairs_listed = 0;
    for (int r = 0; r < model->contact_count && !status; r++)
      status = check_kinds(c, r, place, error);
    for (int k = 0; k < 2 * model->contact_count && !status; k++)
      status = check_curves(c, k / 2, place, k % 2, error);
    return status;
  }
  c->pairs = HN_TAKE(arena, hn_contact_pair, (size_t)count + 1);
  c->rule_first = HN_TAKE(arena, int, model->contact_count + 1);
  if (!c->pairs || !c->rule_first) return HN_ERROR_MEMORY;
  for (int r = 0; r < model->contact_count && !status; r++) {
    c->rule_first[r] = c->pair_count;
    status = list_rule(c, r, place, error);
  }
  c->rule_first[model->contact_count] = c->pair_count;
  return status;
}

// ---- asking -------------------------------------------------------------------------------------

int hn_contact_modes(const hn_contacts *c, const hn_contact_pair *pair) {
  return type_of(c, pair)->modes(&c->shapes[pair->shape[0]], &c->shapes[pair->shape[1]]);
}

int hn_contact_varies(const hn_contacts *c, const hn_contact_pair *pair) {
  return type_of(c, pair)->varies;
}

int hn_contact_goes_on(const hn_contacts *c, const hn_contact_pair *pair) {
  return c->shapes[pair->shape[0]].kind == HN_KIND_CURVE ||
         c->shapes[pair->shape[1]].kind == HN_KIND_CURVE;
}

double hn_contact_tilt(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames,
                       double *error) {
  *error = 0;
  if (c->shapes[pair->shape[0]].kind != HN_KIND_CURVE) return 0;
  hn_placed a = hn_place(&c->shapes[pair->shape[0]], &frames[pair->body[0]]),
            b = hn_place(&c->shapes[pair->shape[1]], &frames[pair->body[1]]);
  return hn_outline_tilt(&a, &b, error);
}

// Whether the balls that hold them are apart.
static int are_apart(const hn_placed *a, const hn_placed *b, double reach) {
  const hn_placed *plane = a->shape->kind == HN_KIND_PLANE ? a : NULL;
  if (plane) {
    double height = vec3_dot(mat3_column(a->axes, 2), vec3_sub(b->at, a->at));
    return height > b->shape->bound + reach;
  }
  return vec3_norm(vec3_sub(b->at, a->at)) > a->shape->bound + b->shape->bound + reach;
}

int hn_contact_mode(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames,
                    double reach) {
  hn_placed a = hn_place(&c->shapes[pair->shape[0]], &frames[pair->body[0]]),
            b = hn_place(&c->shapes[pair->shape[1]], &frames[pair->body[1]]);
  if (are_apart(&a, &b, reach)) return HN_CONTACT_APART;
  return type_of(c, pair)->mode(&a, &b);
}

int hn_contact_points(const hn_contacts *c, const hn_contact_pair *pair, int mode,
                      const hn_frame *frames, hn_contact_want want,
                      hn_contact_point points[HN_CONTACT_POINTS]) {
  if (mode == HN_CONTACT_APART) return 0;
  const hn_frame *b1 = &frames[pair->body[0]], *b2 = &frames[pair->body[1]];
  hn_meeting m = {.first = hn_place(&c->shapes[pair->shape[0]], b1),
                  .second = hn_place(&c->shapes[pair->shape[1]], b2),
                  .body1 = b1,
                  .body2 = b2,
                  .want = want,
                  .points = points};
  type_of(c, pair)->points(&m, mode);
  return m.count;
}

int hn_contact_points_placed(const hn_contacts *c, const hn_contact_pair *pair,
                             const hn_placed *first, const hn_placed *second,
                             const hn_frame *frames, hn_contact_point points[HN_CONTACT_POINTS]) {
  hn_meeting m = {.first = *first,
                  .second = *second,
                  .body1 = &frames[pair->body[0]],
                  .body2 = &frames[pair->body[1]],
                  .want = HN_CONTACT_PLACES,
                  .points = points};
  const hn_meeting_type *type = type_of(c, pair);
  const int mode = type->mode(first, second);
  if (mode != HN_CONTACT_APART) type->points(&m, mode);
  return m.count;
}

double hn_contacts_extent(const hn_contacts *c, int body) {
  double most = 0;
  for (int k = 0; k < c->shape_count; k++)
    if (c->shapes[k].body == body)
      most = fmax(most, vec3_norm(c->shapes[k].at) + c->shapes[k].bound);
  return most;
}

// The least distance of two parallel planes that hold the hull, one of them on a face.
static double hull_width(const hn_hull *hull) {
  double least = HUGE_VAL;
  for (int f = 0; f < hull->face_count; f++) {
    double width = 0;
    for (int k = 0; k < hull->vertex_count; k++)
      width = fmax(width, hull->offsets[f] - vec3_dot(hull->normals[f], hull->vertices[k]));
    least = fmin(least, width);
  }
  return least;
}

static double thickness_of(const hn_contact_shape *s) {
  switch (s->kind) {
  case HN_KIND_PLANE:
  case HN_KIND_HEIGHTS: return HUGE_VAL;
  case HN_KIND_TRIANGLES:
  case HN_KIND_CURVE: return 0;
  case HN_KIND_HULL: return 2 * s->radius + hull_width(s->hull);
  case HN_KIND_CYLINDER: return 2 * fmin(s->radius, s->half);
  case HN_KIND_ELLIPSOID: return 2 * fmin(s->half_axes.x, fmin(s->half_axes.y, s->half_axes.z));
  case HN_KIND_SEGMENT:
  case HN_KIND_POINT: return 2 * s->radius;
  case HN_KINDS: break;
  }
  return HUGE_VAL;
}

double hn_contact_shape_thickness(const hn_contacts *c, int shape) {
  return thickness_of(&c->shapes[shape]);
}

double hn_contact_thickness(const hn_contacts *c, const hn_contact_pair *pair) {
  return thickness_of(&c->shapes[pair->shape[0]]) + thickness_of(&c->shapes[pair->shape[1]]);
}

int hn_contact_is_behind(const hn_contacts *c, const hn_contact_pair *pair,
                         const hn_frame *frames) {
  const hn_contact_shape *mesh = &c->shapes[pair->shape[0]];
  if (mesh->kind != HN_KIND_TRIANGLES) return 0;
  hn_placed a = hn_place(mesh, &frames[pair->body[0]]),
            b = hn_place(&c->shapes[pair->shape[1]], &frames[pair->body[1]]);
  return hn_triangles_behind(mesh->surface, placed_local(&a, b.at));
}

// The distance between the spheres that hold both shapes, and the speed at which they move.
static void sphere_motion(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames,
                          double *apart, double *speed) {
  const hn_frame *b1 = &frames[pair->body[0]], *b2 = &frames[pair->body[1]];
  hn_placed a = hn_place(&c->shapes[pair->shape[0]], b1),
            b = hn_place(&c->shapes[pair->shape[1]], b2);
  double size1 = a.shape->bound, size2 = b.shape->bound;
  hn_vec3 v1 = vec3_add(b1->v, vec3_cross(b1->w, vec3_sub(b.at, b1->r)));
  hn_vec3 v2 = vec3_add(b2->v, vec3_cross(b2->w, vec3_sub(b.at, b2->r)));
  *apart = size1 < HUGE_VAL ? vec3_norm(vec3_sub(b.at, a.at)) - size1 - size2
                            : vec3_dot(mat3_column(a.axes, 2), vec3_sub(b.at, a.at)) - size2;
  *speed = vec3_norm(vec3_sub(v2, v1)) + size2 * vec3_norm(vec3_sub(b2->w, b1->w));
}

double hn_contact_look_time(const hn_contacts *c, const hn_contact_pair *pair,
                            const hn_frame *frames) {
  double apart, speed,
      size = fmin(c->shapes[pair->shape[0]].bound, c->shapes[pair->shape[1]].bound);
  if (!(size < HUGE_VAL)) return HUGE_VAL;
  sphere_motion(c, pair, frames, &apart, &speed);
  return speed > 0 ? (0.5 * size + fmax(0, apart)) / speed : HUGE_VAL;
}

int hn_contact_is_far(const hn_contacts *c, const hn_contact_pair *pair, const hn_frame *frames,
                      double duration) {
  double apart, speed;
  sphere_motion(c, pair, frames, &apart, &speed);
  return apart > speed * duration;
}
