// Tendons.
//
// A length that has to be a coordinate (a sum of joint coordinates with a force on it, a path that
// is coupled to another) is a pulley: a wheel massless and inertia on the ground, coupled to the
// sum, so that a torque on the wheel acts on every coordinate by its factor.
#include "formats/import/compose.h"

enum { TERMS = 3 }; // of a coupler in addition to the wheel

// ---- pulleys ------------------------------------------------------------------------------------

// Its angle is the sum from the start on, however many turns that is. condition: null, or when it is
// there.
static hn_node *add_wheel(hn_composer *c, const char *id, const char *condition) {
  hn_node *body = hn_compose_map(c, c->bodies, id);
  hn_compose_number(c, body, "mass", 0);
  // about its axle it has none; across it cannot turn
  const double held[3] = {0.001, 0.001, 0};
  hn_compose_numbers(c, body, "inertia", held, 3);
  hn_node *joint = hn_compose_map(c, c->joints, id);
  hn_compose_text(c, joint, "type", "revolute");
  hn_node *bodies = hn_compose_list(c, joint, "bodies");
  hn_compose_text(c, bodies, NULL, "ground");
  hn_compose_text(c, bodies, NULL, id);
  hn_compose_vector(c, joint, "at", vec3_zero());
  hn_compose_text(c, joint, "axis", "z");
  if (condition) {
    hn_compose_text(c, body, "if", condition);
    hn_compose_text(c, joint, "if", condition);
  }
  return joint;
}

static void add_term(hn_composer *c, hn_node *terms, const char *joint, const char *coordinate,
                     double factor) {
  hn_node *term = hn_compose_map(c, terms, NULL);
  hn_compose_text(c, term, "joint", joint);
  if (coordinate) hn_compose_text(c, term, "coordinate", coordinate);
  hn_compose_number(c, term, "coefficient", factor);
}

// Terms of a length: coordinates of joints, or pieces of a path.
typedef struct length_term {
  const char *joint, *coordinate;
  double factor, drawn;
} length_term;

static int list_terms(hn_composer *c, const hn_tendon *t, length_term *terms, double *still) {
  hn_way_piece pieces[HN_WAY_MOST];
  *still = 0;
  for (int k = 0; k < t->term_count; k++) {
    const hn_machine_term *term = &t->terms[k];
    terms[k] = (length_term){term->joint->id, NULL, term->factor,
                             term->joint->freedom[term->freedom].reference};
  }
  if (t->part_count == 0) return t->term_count;
  int count = hn_compose_pieces(c, t, pieces, still);
  for (int k = 0; k < count; k++)
    terms[k] = (length_term){pieces[k].joint, "length", pieces[k].share, pieces[k].drawn};
  return count;
}

// One wheel whose angle is the sum of the last one's and of as many terms as a coupler has.
typedef struct wheel {
  const char *last; // null: it is the first
  const length_term *terms;
  int count;
  double drawn, constant, armature;
  const char *condition;
} wheel;

static const char *add_sum(hn_composer *c, const hn_tendon *t, const wheel *w) {
  hn_machine *m = c->machine;
  const char *id =
      hn_table_legal(m, m->joint_ids, hn_machine_text(m, "%s_pulley", t->id), "pulley");
  hn_table_add(m, m->link_ids, id, m);
  c->place = hn_xml_source(t->node);
  hn_node *axle = add_wheel(c, id, w->condition);
  const char *coupler = hn_table_legal(m, m->joint_ids, hn_machine_text(m, "%s_sum", t->id), "sum");
  hn_node *entry = hn_compose_entry(c, c->joints, coupler, t->node);
  hn_compose_text(c, entry, "type", "coupler");
  hn_node *terms = hn_compose_list(c, entry, "terms");
  add_term(c, terms, id, NULL, 1);
  if (w->last) add_term(c, terms, w->last, NULL, -1);
  for (int k = 0; k < w->count; k++)
    add_term(c, terms, w->terms[k].joint, w->terms[k].coordinate, -w->terms[k].factor);
  if (w->drawn != 0) hn_compose_number(c, hn_compose_map(c, axle, "offset"), "angle", w->drawn);
  hn_compose_number(c, entry, "constant", w->constant);
  if (w->condition) hn_compose_text(c, entry, "if", w->condition);
  if (w->armature > 0) {
    c->has_passive = 1;
    hn_compose_text(c, hn_compose_map(c, axle, "armature"), "angle",
                    hn_machine_text(m, "%.17g*passive", w->armature));
  }
  return id;
}

// The joint whose angle is a length. More terms than a coupler has are summed up by wheels one after the
// other.
static const char *add_pulley(hn_composer *c, const hn_tendon *t, const char *condition) {
  hn_machine *m = c->machine;
  length_term *list =
      HN_MACHINE_TAKE(m, length_term, t->term_count > HN_WAY_MOST ? t->term_count : HN_WAY_MOST);
  double still = 0;
  int count = list ? list_terms(c, t, list, &still) : 0;
  wheel w = {.drawn = still, .constant = still, .condition = condition};
  for (int next = 0; next < count; next += w.count) {
    const int room = w.last ? TERMS - 1 : TERMS;
    w.terms = list + next;
    w.count = count - next < room ? count - next : room;
    for (int k = 0; k < w.count; k++) w.drawn += w.terms[k].factor * w.terms[k].drawn;
    w.armature = next + w.count == count ? t->armature : 0;
    w.last = add_sum(c, t, &w);
    w.constant = 0;
  }
  return w.last;
}

// ---- springs ------------------------------------------------------------------------------------

static hn_node *piece(hn_composer *c, hn_node *pieces, double c0, double c1) {
  hn_node *entry = hn_compose_map(c, pieces, NULL);
  const double numbers[2] = {c0, c1};
  hn_compose_numbers(c, entry, "polynomial", numbers, 2);
  return entry;
}

// Pulls beyond `upper`, pushes below `lower`, nothing in between.
static void add_spring(hn_composer *c, hn_node *entry, const hn_tendon *t, const char *rest) {
  if (t->stiffness != 0 && t->lower == t->upper) {
    hn_compose_number(c, entry, "stiffness", t->stiffness);
    hn_compose_number(c, entry, rest, t->lower);
  } else if (t->stiffness != 0) {
    hn_node *law = hn_compose_map(c, entry, "force"),
            *pieces = hn_compose_list(c, law, "piecewise");
    hn_compose_number(c, piece(c, pieces, -t->stiffness * t->lower, t->stiffness), "below",
                      t->lower);
    hn_compose_number(c, piece(c, pieces, 0, 0), "below", t->upper);
    piece(c, pieces, -t->stiffness * t->upper, t->stiffness);
  }
  if (t->damping != 0) hn_compose_number(c, entry, "damping", t->damping);
  hn_compose_text(c, entry, "if", "passive");
  c->has_passive = 1;
}

static void add_rod(hn_composer *c, const hn_tendon *t) {
  hn_machine *m = c->machine;
  const char *id = hn_table_legal(m, m->joint_ids, t->id, "rod");
  hn_node *entry = hn_compose_entry(c, c->joints, id, t->holder);
  hn_compose_text(c, entry, "type", "distance");
  hn_compose_two_points(c, entry, t);
  hn_compose_number(c, entry, "length", t->held);
}

static hn_node *on_joint(hn_composer *c, const char *id, const char *type, const char *joint,
                         const hn_xml *node) {
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, id, ""), node);
  hn_compose_text(c, entry, "type", type);
  hn_compose_text(c, entry, "joint", joint);
  return entry;
}

// Stops and dry friction of a length that is a coordinate.
static void add_on_pulley(hn_composer *c, const hn_tendon *t) {
  hn_machine *m = c->machine;
  if (t->has_limits) {
    hn_node *entry =
        on_joint(c, hn_machine_text(m, "%s_limits", t->id), "joint-stop", t->pulley, t->node);
    hn_compose_number(c, entry, "lower", t->least);
    hn_compose_number(c, entry, "upper", t->most);
    hn_compose_text(c, entry, "stiffness", "limit_stiffness");
    hn_compose_text(c, entry, "damping", "limit_damping");
    hn_compose_text(c, entry, "if", "limits");
  }
  if (t->friction > 0) {
    hn_node *entry =
        on_joint(c, hn_machine_text(m, "%s_friction", t->id), "joint-friction", t->pulley, t->node);
    hn_compose_number(c, entry, "torque", t->friction);
    hn_compose_text(c, entry, "transition", "friction_speed");
    hn_compose_text(c, entry, "if", "friction");
  }
}

// The same along a way: a stop pushes back and never pulls.
static void add_on_way(hn_composer *c, const hn_tendon *t) {
  hn_machine *m = c->machine;
  if (t->has_limits) {
    hn_node *entry = hn_compose_way(c, hn_machine_text(m, "%s_limits", t->id), t, t->node);
    hn_compose_text(
        c, entry, "law",
        hn_machine_text(m,
                        "max(0, limit_stiffness*(x - %.17g) + limit_damping*v) if x > %.17g else "
                        "min(0, limit_stiffness*(x - %.17g) + limit_damping*v) if x < %.17g else 0",
                        t->most, t->most, t->least, t->least));
    hn_compose_text(c, entry, "if", "limits");
  }
  if (t->friction > 0) {
    hn_node *entry = hn_compose_way(c, hn_machine_text(m, "%s_friction", t->id), t, t->node);
    hn_compose_text(c, entry, "law",
                    hn_machine_text(m, "%.17g*tanh(v/friction_speed)", t->friction));
    hn_compose_text(c, entry, "if", "friction");
  }
}

// When a length must be a coordinate: always (null), never, or only with stops and friction.
static int needs_pulley(const hn_tendon *t, const char **condition) {
  *condition = NULL;
  if (t->is_tied || t->armature > 0) return 1;
  if (t->part_count > 0) return 0;
  if (t->stiffness != 0 || t->damping != 0 || t->is_acted_on) return 1;
  *condition = t->has_limits && t->friction > 0 ? "limits + friction > 0"
               : t->has_limits                  ? "limits"
                                                : "friction";
  return t->has_limits || t->friction > 0;
}

static void compose_tendon(hn_composer *c, hn_tendon *t) {
  const int has_spring = t->stiffness != 0 || t->damping != 0;
  const char *condition;
  if (t->held > 0) add_rod(c, t);
  if (t->is_lost || (t->part_count > 0 ? !hn_tendon_moves(t) : t->term_count == 0)) return;
  if (needs_pulley(t, &condition)) t->pulley = add_pulley(c, t, condition);
  c->has_limits |= t->has_limits;
  c->has_length_limits |= t->has_limits;
  c->has_length_friction |= t->friction > 0;
  c->has_friction |= t->friction > 0;
  if (t->pulley) {
    if (has_spring)
      add_spring(c, on_joint(c, t->id, "joint-spring-damper", t->pulley, t->node), t, "free");
    add_on_pulley(c, t);
  } else if (t->part_count > 0) {
    if (has_spring) add_spring(c, hn_compose_way(c, t->id, t, t->node), t, "free_length");
    add_on_way(c, t);
  }
}

static void compose_tie(hn_composer *c, const hn_tie *tie) {
  hn_machine *m = c->machine;
  if (!tie->a->pulley || (tie->b && !tie->b->pulley)) return;
  hn_node *entry =
      hn_compose_entry(c, c->joints, hn_table_legal(m, m->joint_ids, tie->name, "tie"), tie->node);
  hn_compose_text(c, entry, "type", "coupler");
  hn_node *terms = hn_compose_list(c, entry, "terms");
  add_term(c, terms, tie->a->pulley, NULL, 1);
  if (tie->b) {
    double powers[5] = {0};
    for (int k = 1; k < 5; k++) powers[k] = -tie->powers[k];
    hn_node *term = hn_compose_map(c, terms, NULL);
    hn_compose_text(c, term, "joint", tie->b->pulley);
    hn_compose_numbers(c, term, "polynomial", powers, 5);
  }
  hn_compose_number(c, entry, "constant", tie->powers[0]);
}

void hn_compose_tendons(hn_composer *c) {
  for (hn_tendon *t = c->machine->tendons; t; t = t->next) compose_tendon(c, t);
  for (const hn_tie *tie = c->machine->ties; tie; tie = tie->next) compose_tie(c, tie);
}
