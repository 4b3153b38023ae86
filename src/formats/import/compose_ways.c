// Tendons over more than two points: straight pieces from site to site, all with one tension.
//
// Springs without force on every piece measure its length; outputs add them up to the length of the
// whole and its rate. The tension is a law of those two, the same on every piece but for pulleys.
#include "formats/import/compose.h"

static const char *id_of(const hn_link *link) { return link->is_ground ? "ground" : link->id; }

static int is_piece(const hn_tendon *t, int k) { return k > 0 && t->divisor[k] > 0; }
static int is_moving(const hn_tendon *t, int k) {
  return is_piece(t, k) && t->links[k] != t->links[k - 1];
}

int hn_tendon_pieces(const hn_tendon *t) {
  int count = 0;
  for (int k = 1; k < t->point_count; k++) count += is_moving(t, k);
  return count;
}

static hn_node *add_piece(hn_composer *c, const hn_tendon *t, int k, const char *id,
                          const hn_xml *node) {
  hn_node *entry = hn_compose_entry(c, c->forces, id, node);
  hn_compose_text(c, entry, "type", "spring-damper");
  hn_node *bodies = hn_compose_list(c, entry, "bodies"),
          *points = hn_compose_list(c, entry, "points");
  for (int i = k - 1; i <= k; i++) {
    hn_compose_text(c, bodies, NULL, id_of(t->links[i]));
    hn_compose_vector(c, points, NULL, t->points[i]);
  }
  return entry;
}

static const char *append(hn_composer *c, const char *sum, const char *gauge, const char *what,
                          double divisor) {
  const char *plus = *sum ? " + " : "";
  if (divisor == 1) return hn_machine_text(c->machine, "%s%sforce.%s.%s", sum, plus, gauge, what);
  return hn_machine_text(c->machine, "%s%sforce.%s.%s/%.17g", sum, plus, gauge, what, divisor);
}

static const char *add_output(hn_composer *c, const hn_tendon *t, const char *ending,
                              const char *formula) {
  hn_machine *m = c->machine;
  const char *name = hn_machine_text(m, "%s%s", t->id, ending);
  const char *id = hn_table_legal(m, c->input_ids, name, "length"); // laws know both by bare names
  hn_compose_text(c, c->outputs, id, formula);
  return id;
}

void hn_compose_gauges(hn_composer *c, hn_tendon *t) {
  const char *length = "", *rate = "";
  double still = 0;
  for (int k = 1; k < t->point_count; k++) {
    if (!is_piece(t, k)) continue;
    if (!is_moving(t, k)) {
      still += vec3_norm(vec3_sub(t->points[k], t->points[k - 1])) / t->divisor[k];
      continue;
    }
    const char *id = hn_compose_force_id(c, t->id, "_gauge");
    hn_compose_text(c, add_piece(c, t, k, id, t->node), "law", "0*x");
    length = append(c, length, id, "deflection", t->divisor[k]);
    rate = append(c, rate, id, "rate", t->divisor[k]);
  }
  if (still > 0) length = hn_machine_text(c->machine, "%s + %.17g", length, still);
  t->length = add_output(c, t, "_length", length);
  t->rate = add_output(c, t, "_rate", rate);
}

void hn_compose_tension(hn_composer *c, const hn_tendon *t, const char *id, const hn_xml *node,
                        const char *law, const char *condition) {
  for (int k = 1; k < t->point_count; k++) {
    if (!is_moving(t, k)) continue;
    hn_node *entry = add_piece(c, t, k, hn_compose_force_id(c, id, ""), node);
    const char *own =
        t->divisor[k] == 1 ? law : hn_machine_text(c->machine, "(%s)/%.17g", law, t->divisor[k]);
    hn_compose_text(c, entry, "law", own);
    if (condition) hn_compose_text(c, entry, "if", condition);
  }
}

void hn_compose_way_spring(hn_composer *c, const hn_tendon *t) {
  hn_machine *m = c->machine;
  const char *law = "";
  if (t->stiffness != 0)
    law = t->lower == t->upper
              ? hn_machine_text(m, "%.17g*(%s - %.17g)", t->stiffness, t->length, t->lower)
              : hn_machine_text(m, "%.17g*(max(0, %s - %.17g) + min(0, %s - %.17g))", t->stiffness,
                                t->length, t->upper, t->length, t->lower);
  if (t->damping != 0)
    law = hn_machine_text(m, "%s%s%.17g*%s", law, *law ? " + " : "", t->damping, t->rate);
  hn_compose_tension(c, t, t->id, t->node, law, "passive");
  c->has_passive = 1;
}
