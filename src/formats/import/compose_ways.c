// Tendons that lead over points and around geoms: as forces of type tendon, or, where a length has to
// be a coordinate, as straight pieces that free joints measure.
#include "formats/import/compose.h"

static const char *id_of(const hn_link *link) { return link->is_ground ? "ground" : link->id; }

static void add_place(hn_composer *c, hn_node *to, const hn_link *link, hn_vec3 at) {
  hn_compose_text(c, to, "body", id_of(link));
  hn_compose_vector(c, to, "at", at);
}

static void add_part(hn_composer *c, hn_node *way, const hn_tendon_part *part) {
  hn_node *entry = hn_compose_map(c, way, NULL);
  if (part->kind == HN_WAY_POINT) {
    add_place(c, entry, part->link, part->at);
    return;
  }
  if (part->kind == HN_WAY_PULLEY) {
    hn_compose_number(c, entry, "pulley", part->divisor);
    return;
  }
  hn_node *around = hn_compose_map(c, entry, "around");
  add_place(c, around, part->link, part->at);
  if (part->kind == HN_WAY_CYLINDER) hn_compose_vector(c, around, "axis", part->axis);
  hn_compose_number(c, around, "radius", part->radius);
  if (part->side_link) add_place(c, hn_compose_map(c, around, "side"), part->side_link, part->side);
}

hn_node *hn_compose_way(hn_composer *c, const char *id, const hn_tendon *t, const hn_xml *node) {
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, id, ""), node);
  if (hn_tendon_is_straight(t)) {
    hn_compose_text(c, entry, "type", "spring-damper");
    hn_compose_two_points(c, entry, t);
    return entry;
  }
  hn_compose_text(c, entry, "type", "tendon");
  hn_node *way = hn_compose_list(c, entry, "way");
  for (int k = 0; k < t->part_count; k++) add_part(c, way, &t->parts[k]);
  return entry;
}

static void add_ends(hn_composer *c, hn_node *entry, const hn_tendon_part *a,
                     const hn_tendon_part *b) {
  const hn_tendon_part *ends[2] = {a, b};
  hn_node *bodies = hn_compose_list(c, entry, "bodies"),
          *points = hn_compose_list(c, entry, "points");
  for (int k = 0; k < 2; k++) {
    hn_compose_text(c, bodies, NULL, id_of(ends[k]->link));
    hn_compose_vector(c, points, NULL, ends[k]->at);
  }
}

void hn_compose_two_points(hn_composer *c, hn_node *entry, const hn_tendon *t) {
  add_ends(c, entry, &t->parts[0], &t->parts[1]);
}

int hn_compose_pieces(hn_composer *c, const hn_tendon *t, hn_way_piece *pieces, double *still) {
  hn_machine *m = c->machine;
  double share = 1;
  int count = 0;
  *still = 0;
  for (int k = 1; k < t->part_count; k++) {
    const hn_tendon_part *a = &t->parts[k - 1], *b = &t->parts[k];
    if (a->kind == HN_WAY_PULLEY) share = 1 / a->divisor;
    if (a->kind != HN_WAY_POINT || b->kind != HN_WAY_POINT) continue;
    const double length = vec3_norm(vec3_sub(b->at, a->at));
    if (a->link == b->link) {
      *still += share * length;
      continue;
    }
    const char *id =
        hn_table_legal(m, m->joint_ids, hn_machine_text(m, "%s_piece", t->id), "piece");
    hn_node *entry = hn_compose_entry(c, c->joints, id, t->node);
    hn_compose_text(c, entry, "type", "free");
    add_ends(c, entry, a, b);
    pieces[count++] = (hn_way_piece){id, share, length};
  }
  return count;
}
