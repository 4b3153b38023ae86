// Mobility of a model (hn_mobility), as JSON and as text.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_writer.h"
#include "holon/analysis.h"

enum { MOST_LEVELS = 60 }; // lines

typedef struct subject {
  hn_simulation *simulation;
  const hn_model *model;
  const hn_mobility *mobility;
  hn_string *out; // of words
} subject;

const char *hn_redundant_name(const hn_model *model, const hn_redundant_joint *joint) {
  return joint->is_driver ? hn_model_driver_name(model, joint->id)
                          : hn_model_joint_name(model, joint->id);
}

const char *hn_reaction_component(int component) {
  static const char *const names[6] = {"force.x",  "force.y",  "force.z",
                                       "torque.x", "torque.y", "torque.z"};
  return component < 0 || component > 5 ? NULL : names[component];
}

const char *hn_reaction_components_text(const unsigned char marked[6], char *text, int size) {
  static const char *const kinds[] = {"force", "torque"}, *const axes[] = {"x", "y", "z"};
  char part[2][32] = {"", ""};
  for (int k = 0; k < 2; k++) {
    const unsigned char *of = &marked[3 * k];
    int count = of[0] + of[1] + of[2];
    if (count == 0) continue;
    int used = snprintf(part[k], sizeof part[k], "%s", kinds[k]);
    for (int i = 0, told = 0; count < 3 && i < 3; i++)
      if (of[i])
        used += snprintf(&part[k][used], sizeof part[k] - (size_t)used, "%s%s",
                         told++ > 0 ? ", " : " ", axes[i]);
  }
  snprintf(text, (size_t)size, "%s%s%s", part[0], part[0][0] && part[1][0] ? "; " : "", part[1]);
  return text;
}

// The levels of components; null, and none, where there is but one.
static hn_level *list_levels(const subject *s, int *count) {
  *count = 0;
  if (hn_simulation_levels(s->simulation, NULL, 0, count) != HN_OK || *count < 2) return NULL;
  hn_level *levels = hn_allocate(NULL, (size_t)*count * sizeof *levels);
  if (levels) hn_simulation_levels(s->simulation, levels, *count, count);
  return levels;
}

// ---- JSON ---------------------------------------------------------------------------------------

static void add_warning(hn_json_writer *json, const hn_warning *warning) {
  hn_string words = {0};
  hn_string_add(&words, "%s%s%s", warning->element, warning->element[0] != '\0' ? " " : "",
                warning->message);
  hn_json_string(json, NULL, words.data);
  hn_string_free(&words);
}

static void add_tree(hn_json_writer *json, const subject *s) {
  const hn_mobility *m = s->mobility;
  if (m->cut_rows < 0) return;
  hn_json_integer(json, "cut_rows", m->cut_rows);
  hn_json_open(json, "tree", '[');
  for (int i = 0; i < m->tree_count; i++) {
    const hn_tree_entry *entry = &m->tree[i];
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "body", hn_model_body_name(s->model, entry->body));
    hn_json_string(json, "parent", hn_model_body_name(s->model, entry->parent));
    if (entry->joint >= 0) {
      hn_json_string(json, "joint", hn_model_joint_name(s->model, entry->joint));
    }
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_json_open(json, "cut", '[');
  for (int i = 0; i < m->cut_count; i++) {
    hn_json_string(json, NULL, hn_model_joint_name(s->model, m->cut[i]));
  }
  hn_json_close(json, ']');
}

static void add_inputs(hn_json_writer *json, const hn_model *model) {
  int count = hn_model_input_count(model);
  if (count == 0) return;
  hn_json_open(json, "inputs", '[');
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", input->name);
    hn_json_number(json, "value", input->value);
    hn_json_string(json, "unit", input->unit != NULL ? input->unit : "");
    hn_json_number(json, "filter", input->filter);
    int driver = hn_model_input_unfiltered_driver(model, k);
    if (driver >= 0)
      hn_json_string(json, "driver_without_filter", hn_model_driver_name(model, driver));
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_levels(hn_json_writer *json, const subject *s) {
  int count;
  hn_level *levels = list_levels(s, &count);
  if (levels == NULL) return;
  hn_json_open(json, "levels", '[');
  for (int i = 0; i < count; i++) {
    const hn_level *l = &levels[i];
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "component", l->name != NULL ? l->name : "");
    hn_json_integer(json, "parent", l->parent);
    hn_json_integer(json, "bodies", l->bodies);
    hn_json_integer(json, "rows", l->joint_rows);
    hn_json_integer(json, "dependent", l->dependent);
    hn_json_integer(json, "border", l->border_bodies);
    hn_json_integer(json, "d", l->d_size);
    hn_json_number(json, "a_density", l->a_density);
    hn_json_number(json, "h_density", l->h_density);
    hn_json_integer(json, "sealed", l->is_sealed);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_release(NULL, levels);
}

static void add_bodies(hn_json_writer *json, const subject *s, const char *key, const int *bodies,
                       int count) {
  hn_json_open(json, key, '[');
  for (int k = 0; k < count; k++)
    hn_json_string(json, NULL, hn_model_body_name(s->model, bodies[k]));
  hn_json_close(json, ']');
}

// By the names of their signals.
static void add_shared_components(hn_json_writer *json, const subject *s) {
  const hn_mobility *m = s->mobility;
  hn_json_open(json, "components_not_unique", '[');
  for (int i = 0; i < m->not_unique_count; i++) {
    const hn_redundant_joint *entry = &m->not_unique[i];
    for (int k = 0; k < 6 && !entry->is_driver; k++) {
      char name[192];
      if (!entry->here[k]) continue;
      snprintf(name, sizeof name, "joint.%.150s.reaction.%s", hn_redundant_name(s->model, entry),
               hn_reaction_component(k));
      hn_json_string(json, NULL, name);
    }
  }
  hn_json_close(json, ']');
}

hn_status hn_mobility_json(hn_simulation *simulation, const hn_mobility *mobility, char **text) {
  const hn_mobility *m = mobility;
  const subject about = {simulation, hn_simulation_model(simulation), mobility, NULL}, *s = &about;
  hn_json_writer json = {0};
  hn_json_open(&json, NULL, '{');
  hn_json_integer(&json, "bodies", m->bodies);
  hn_json_integer(&json, "joints", m->joints);
  hn_json_integer(&json, "rows", m->rows);
  hn_json_integer(&json, "rank", m->rank);
  hn_json_integer(&json, "equations", m->equations);
  hn_json_integer(&json, "coordinates", m->coordinates);
  hn_json_integer(&json, "speeds", m->speeds);
  hn_json_integer(&json, "degrees_of_freedom", m->degrees_of_freedom);
  hn_json_integer(&json, "freedoms_of_speed", m->degrees_of_freedom - m->nonholonomic);
  hn_json_integer(&json, "loops", m->loops);
  add_bodies(&json, s, "free_bodies", m->free, m->free_count);
  add_bodies(&json, s, "held_bodies", m->held, m->held_count);
  add_tree(&json, s);
  hn_json_open(&json, "redundant", '[');
  for (int i = 0; i < m->redundant_count; i++) {
    hn_json_open(&json, NULL, '{');
    hn_json_string(&json, "joint", hn_redundant_name(s->model, &m->redundant[i]));
    hn_json_integer(&json, "rows", m->redundant[i].row_count);
    hn_json_close(&json, '}');
  }
  hn_json_close(&json, ']');
  hn_json_open(&json, "reactions_not_unique", '[');
  for (int i = 0; i < m->not_unique_count; i++) {
    hn_json_string(&json, NULL, hn_redundant_name(s->model, &m->not_unique[i]));
  }
  hn_json_close(&json, ']');
  add_shared_components(&json, s);
  add_inputs(&json, s->model);
  add_levels(&json, s);
  hn_json_open(&json, "warnings", '[');
  for (int i = 0; i < hn_model_warning_count(s->model); i++) {
    add_warning(&json, hn_model_warning(s->model, i));
  }
  for (int i = 0; i < hn_simulation_warning_count(s->simulation); i++) {
    add_warning(&json, hn_simulation_warning(s->simulation, i));
  }
  if (m->note[0] != '\0') hn_json_string(&json, NULL, m->note);
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  return hn_string_hand_over(&json.text, text, NULL);
}

// ---- words --------------------------------------------------------------------------------------

static void report_inputs(const subject *s) {
  const hn_model *model = s->model;
  int count = hn_model_input_count(model);
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    hn_string_add(s->out, "%s%s = %g%s%s", k > 0 ? ", " : "  inputs              ", input->name,
                  input->value, input->unit != NULL ? " " : "",
                  input->unit != NULL ? input->unit : "");
    if (input->filter > 0) hn_string_add(s->out, " (filter %g s)", input->filter);
  }
  if (count > 0) hn_string_text(s->out, "\n");
  for (int k = 0; k < count; k++) {
    int driver = hn_model_input_unfiltered_driver(model, k);
    if (driver < 0) continue;
    hn_string_add(s->out,
                  "    driver '%s' cannot follow a jump of '%s': add a `filter:` to the input, for "
                  "instance 20 ms\n",
                  hn_model_driver_name(model, driver), hn_model_input(model, k)->name);
  }
}

enum { MOST_NAMES = 8 };

// A line of names; nothing without any.
static void tell_bodies(const subject *s, const char *before, const int *bodies, int count,
                        const char *behind) {
  if (count == 0) return;
  hn_string_text(s->out, before);
  for (int k = 0; k < count && k < MOST_NAMES; k++)
    hn_string_add(s->out, "%s%s", k > 0 ? ", " : "", hn_model_body_name(s->model, bodies[k]));
  if (count > MOST_NAMES) hn_string_add(s->out, " and %d more", count - MOST_NAMES);
  hn_string_add(s->out, "%s\n", behind);
}

int hn_mobility_prescribed(const hn_mobility *m) {
  int count = m->drivers;
  for (int i = 0; i < m->redundant_count; i++) count -= m->redundant[i].is_driver;
  return count > 0 ? count : 0;
}

// " (1 prescribed by driver 'motor')"
static void report_prescribed(const subject *s) {
  const int count = hn_mobility_prescribed(s->mobility);
  if (count == 0 || s->mobility->nonholonomic > 0) return;
  if (s->mobility->drivers == 1)
    hn_string_add(s->out, " (1 more prescribed by driver '%s')", hn_model_driver_name(s->model, 0));
  else
    hn_string_add(s->out, " (%d more prescribed by drivers)", count);
}

static void report_counts(const subject *s) {
  const hn_mobility *m = s->mobility;
  hn_string_add(s->out, "  bodies              %d\n", m->bodies);
  hn_string_add(s->out, "  joints              %d\n", m->joints);
  if (m->drivers > 0) hn_string_add(s->out, "  drivers             %d\n", m->drivers);
  if (m->forces > 0) hn_string_add(s->out, "  forces              %d\n", m->forces);
  report_inputs(s);
  hn_string_add(s->out, "  coordinates         %d (%d velocities)\n", m->coordinates, m->speeds);
  if (m->cut_rows >= 0) {
    hn_string_add(s->out,
                  "  equations           %d (%d constraints of cut joints and %d normalizations)\n",
                  m->equations, m->cut_rows, m->equations - m->cut_rows);
    hn_string_add(s->out, "  joints and drivers  %d constraints, rank %d\n", m->rows, m->rank);
  } else {
    hn_string_add(s->out,
                  "  equations           %d (%d constraints of joints and drivers, rank %d)\n",
                  m->equations, m->rows, m->rank);
  }
  hn_string_add(s->out, "  loops               %d\n", m->loops);
  if (m->nonholonomic > 0)
    hn_string_add(s->out,
                  "  degrees of freedom  %d in position, %d in velocity (rolling, knife edges)\n",
                  m->degrees_of_freedom, m->degrees_of_freedom - m->nonholonomic);
  else
    hn_string_add(s->out, "  degrees of freedom  %d", m->degrees_of_freedom);
  report_prescribed(s);
  if (m->nonholonomic == 0) hn_string_text(s->out, "\n");
  tell_bodies(s, "  free bodies         ", m->free, m->free_count,
              m->free_count == 1 ? " (not jointed: 6 degrees of freedom)"
                                 : " (not jointed: 6 degrees of freedom each)");
}

// Joints with rows, and drivers.
static int count_with_reaction(const subject *s) {
  int count = s->mobility->drivers;
  for (int j = 0; j < hn_model_joint_count(s->model); j++) {
    count += hn_model_joint_type(s->model, j) != HN_JOINT_FREE;
  }
  return count;
}

// The joint and what of its reaction is shared; of joints between coordinates, which have no point, by
// their rows, each kind once.
static void report_choice(const subject *s, const hn_redundant_joint *entry) {
  const char *told[8];
  char text[64];
  int count = 0;
  hn_string_add(s->out, "  %-20s ", hn_redundant_name(s->model, entry));
  if (hn_reaction_components_text(entry->here, text, (int)sizeof text)[0]) {
    hn_string_add(s->out, "%s\n", text);
    return;
  }
  for (int i = 0; i < entry->row_count && i < 8 && !entry->is_driver; i++) {
    hn_joint_type type = hn_model_joint_type(s->model, entry->id);
    const char *words = hn_joint_row_text(type, entry->rows[i]);
    int is_new = words != NULL;
    for (int k = 0; k < count && is_new; k++) is_new = strcmp(words, told[k]) != 0;
    if (!is_new) continue;
    hn_string_add(s->out, "%s%s", count > 0 ? ", " : "", words);
    told[count++] = words;
  }
  hn_string_add(s->out, "%s\n", entry->is_driver ? "driver force" : "");
}

// Of sealed components only the number of rows is known.
static int has_sealed(const subject *s) {
  int count, sealed = 0;
  hn_level *levels = list_levels(s, &count);
  for (int i = 0; levels && i < count; i++) sealed += levels[i].is_sealed;
  hn_release(NULL, levels);
  return sealed > 0;
}

static void report_redundant(const subject *s, const hn_redundant_joint *entry) {
  const char *name = hn_redundant_name(s->model, entry);
  int all = entry->is_driver;
  while (!entry->is_driver && all < 8 &&
         hn_joint_row_text(hn_model_joint_type(s->model, entry->id), all) != NULL)
    all++;
  if (entry->row_count < all)
    hn_string_add(s->out, "  %-20s %d of its %d constraints\n", name, entry->row_count, all);
  else
    hn_string_add(s->out, "  %-20s all %d of its constraints: the joint can be removed\n", name,
                  all);
}

// Bodies that the joints of a loop hold.
static void tell_held(const subject *s) {
  const hn_mobility *m = s->mobility;
  if (m->held_count == 1) {
    hn_string_add(s->out, "\nBody '%s' cannot move:", hn_model_body_name(s->model, m->held[0]));
    int count = 0;
    for (int j = 0; j < hn_model_joint_count(s->model); j++) {
      int bodies[2];
      hn_model_joint_bodies(s->model, j, bodies);
      if (!hn_joint_holds(hn_model_joint_type(s->model, j)) ||
          (bodies[0] != m->held[0] && bodies[1] != m->held[0]))
        continue;
      hn_string_add(s->out, "%s '%s'", count++ > 0 ? "," : " joints",
                    hn_model_joint_name(s->model, j));
    }
    hn_string_text(s->out, " leave it 0 degrees of freedom.\n");
  } else {
    tell_bodies(s, "\nThese bodies cannot move, their joints leave 0 degrees of freedom: ", m->held,
                m->held_count, "");
  }
}

static void report_redundancy(const subject *s) {
  const hn_mobility *m = s->mobility;
  if (has_sealed(s)) {
    hn_string_add(s->out, "\nJoints inside sealed components are not counted, nor are their "
                          "constraints and loops.\n");
    if (m->rows > m->rank)
      hn_string_add(s->out,
                    "%d constraints are redundant; sealed components hide which reactions are "
                    "indeterminate.\n",
                    m->rows - m->rank);
    return;
  }
  if (m->rows == m->rank) {
    if (m->rows > 0)
      hn_string_add(s->out, "\nNo joint is redundant: every reaction is determined.\n");
    return;
  }
  int redundant = m->rows - m->rank;
  hn_string_add(s->out,
                "\n%d constraint%s redundant: other joints already impose them. This is common in "
                "closed loops and\ndoes not change the motion. Remove a joint only if all of its "
                "constraints are listed:\n",
                redundant, redundant == 1 ? " is" : "s are");
  for (int i = 0; i < m->redundant_count; i++) report_redundant(s, &m->redundant[i]);
  hn_string_add(s->out, "\nThese reaction components are statically indeterminate; their split "
                        "between the joints is arbitrary (global axes):\n");
  for (int i = 0; i < m->not_unique_count; i++) report_choice(s, &m->not_unique[i]);
  int others = count_with_reaction(s) - m->not_unique_count;
  hn_string_add(s->out, "Their other components are determined");
  if (others > 0)
    hn_string_add(s->out, ", and so are all reactions of the other %s",
                  others == 1 ? "joint or driver" : "");
  if (others > 1) hn_string_add(s->out, "%d joints and drivers", others);
  hn_string_add(s->out, ".\n");
}

// Relative coordinates: what hangs on what, and where loops are cut.
static void report_tree(const subject *s) {
  const hn_mobility *m = s->mobility;
  if (m->cut_rows < 0) return;
  hn_string_add(s->out, "\nTree:\n  ground\n");
  for (int i = 0; i < m->tree_count; i++) {
    const hn_tree_entry *entry = &m->tree[i];
    hn_string_add(s->out, "  %*s%s", 2 * entry->depth, "",
                  hn_model_body_name(s->model, entry->body));
    if (entry->joint < 0) {
      hn_string_add(s->out, " (free)\n");
    } else {
      hn_string_add(s->out, " (%s %s)\n",
                    hn_joint_type_name(hn_model_joint_type(s->model, entry->joint)),
                    hn_model_joint_name(s->model, entry->joint));
    }
  }
  if (m->cut_count == 0) return;
  hn_string_add(s->out, "\nCut joints:\n");
  for (int i = 0; i < m->cut_count; i++) {
    hn_string_add(s->out, "  %-20s %s\n", hn_model_joint_name(s->model, m->cut[i]),
                  hn_joint_type_name(hn_model_joint_type(s->model, m->cut[i])));
  }
}

// A warning of the run names the first of them and counts the others.
static int warns_of_weightless(const subject *s) {
  const hn_mobility *m = s->mobility;
  for (int i = 0; i < hn_simulation_warning_count(s->simulation); i++) {
    const hn_warning *warning = hn_simulation_warning(s->simulation, i);
    if (strstr(warning->message, "inertia") == NULL) continue;
    for (int k = 0; k < m->weightless_count; k++) {
      if (strstr(warning->element, hn_model_body_name(s->model, m->weightless[k]))) return 1;
    }
  }
  return 0;
}

static void tell_weightless(const subject *s) {
  const hn_mobility *m = s->mobility;
  if (warns_of_weightless(s)) return;
  for (int i = 0; i < m->weightless_count; i++) {
    hn_string_add(s->out,
                  "\nbody '%s' rotates freely about an axis without inertia. Add inertia, or fix "
                  "that rotation.\n",
                  hn_model_body_name(s->model, m->weightless[i]));
  }
}

// The components as method components solves them, one line each.
static void report_levels(const subject *s) {
  int count;
  hn_level *levels = list_levels(s, &count);
  if (levels == NULL) return;
  hn_string_add(s->out,
                "\nComponents (bound.: interface bodies; redund: redundant constraints; D: size "
                "of the interface matrix):\n"
                "  %-28s %6s %6s %6s %6s %6s %8s %8s\n",
                "component", "bodies", "constr", "redund", "bound.", "D", "A full", "H full");
  for (int i = 0; i < count && i < MOST_LEVELS; i++) {
    const hn_level *l = &levels[i];
    char name[128];
    snprintf(name, sizeof name, "%*s%s", 2 * l->depth, "", l->name != NULL ? l->name : "(model)");
    hn_string_add(s->out, "  %-28s %6d %6d %6d %6d %6d", name, l->bodies, l->joint_rows,
                  l->dependent, l->border_bodies, l->d_size);
    if (l->is_sealed) {
      hn_string_add(s->out, " %17s\n", "sealed");
    } else {
      hn_string_add(s->out, " %7.0f%% %7.0f%%%s\n", 100 * l->a_density, 100 * l->h_density,
                    l->is_dense ? "" : "  sparse");
    }
  }
  if (count > MOST_LEVELS) hn_string_add(s->out, "  ... and %d more\n", count - MOST_LEVELS);
  hn_release(NULL, levels);
}

hn_status hn_mobility_text(hn_simulation *simulation, const hn_mobility *mobility, char **text) {
  hn_string out = {0};
  const subject about = {simulation, hn_simulation_model(simulation), mobility, &out};
  report_counts(&about);
  report_tree(&about);
  tell_held(&about);
  report_redundancy(&about);
  tell_weightless(&about);
  report_levels(&about);
  return hn_string_hand_over(&out, text, NULL);
}
