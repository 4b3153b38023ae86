// Paths of tendons in MJCF: sites for their points and sides, massless geoms for their wrapping
// surfaces.
#include "formats/export/export.h"

static const char *name_of(hn_plan *plan, const hn_force_def *def, const char *what, int k) {
  return hn_plan_text(plan, "%s_%s%d", def->name, what, k + 1);
}

static int is_round(const hn_way *way) {
  return way->kind == HN_WAY_SPHERE || way->kind == HN_WAY_CYLINDER;
}

static void write_geom(hn_plan *plan, hn_writer *w, const hn_place *place, const hn_way *way,
                       const char *name) {
  if (way->frame.body != place->body) return;
  const double size[2] = {way->radius, way->radius}; // however long it is drawn
  hn_pose pose = hn_plan_frame(plan, &way->frame), inverse = hn_pose_inverse(&place->frame);
  pose = hn_pose_multiply(&inverse, &pose);
  hn_writer_begin(w, "geom");
  hn_writer_string(w, "name", name);
  hn_writer_string(w, "type", way->kind == HN_WAY_SPHERE ? "sphere" : "cylinder");
  hn_writer_numbers(w, "size", size, way->kind == HN_WAY_SPHERE ? 1 : 2);
  hn_writer_vector(w, "pos", pose.p);
  hn_writer_turn(w, "quat", pose.r);
  hn_writer_number(w, "mass", 0);
  hn_writer_number(w, "contype", 0);
  hn_writer_number(w, "conaffinity", 0);
  hn_writer_end(w, "geom");
}

void hn_mjcf_write_way_places(hn_plan *plan, hn_writer *w, const hn_place *place,
                              const hn_force_def *def) {
  for (int k = 0; k < def->way_count; k++) {
    const hn_way *way = &def->way[k];
    if (way->kind == HN_WAY_POINT)
      hn_mjcf_write_site(plan, w, place, &way->frame, name_of(plan, def, "at", k));
    if (is_round(way)) write_geom(plan, w, place, way, name_of(plan, def, "around", k));
    if (is_round(way) && way->has_side)
      hn_mjcf_write_site(plan, w, place, &way->side, name_of(plan, def, "side", k));
  }
}

void hn_mjcf_write_way(hn_plan *plan, hn_writer *w, const hn_force_def *def) {
  for (int k = 0; k < def->way_count; k++) {
    const hn_way *way = &def->way[k];
    const char *tag = way->kind == HN_WAY_POINT ? "site" : is_round(way) ? "geom" : "pulley";
    hn_writer_begin(w, tag);
    if (way->kind == HN_WAY_POINT) hn_writer_string(w, "site", name_of(plan, def, "at", k));
    if (is_round(way)) hn_writer_string(w, "geom", name_of(plan, def, "around", k));
    if (is_round(way) && way->has_side)
      hn_writer_string(w, "sidesite", name_of(plan, def, "side", k));
    if (way->kind == HN_WAY_PULLEY) hn_writer_number(w, "divisor", way->divisor);
    hn_writer_end(w, tag);
  }
}
