// holon check: read a model, count, assemble, and tell about freedom, loops and redundancy.
#include "inputs.h"
#include "patience.h"
#include "pipes.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 60 }; // lines

static void add_json_warning(hn_cli_json *json, const hn_warning *warning) {
  hn_cli_text words = {0};
  hn_cli_add(&words, "%s%s%s", warning->element, warning->element[0] != '\0' ? " " : "",
             warning->message);
  hn_json_string(json, NULL, words.data);
  hn_string_free(&words);
}

static void add_json_tree(hn_cli_json *json, const hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  if (m->cut_rows < 0) return;
  hn_json_integer(json, "cut_rows", m->cut_rows);
  hn_json_open(json, "tree", '[');
  for (int i = 0; i < m->tree_count; i++) {
    const hn_tree_entry *entry = &m->tree[i];
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "body", hn_model_body_name(session->model, entry->body));
    hn_json_string(json, "parent", hn_model_body_name(session->model, entry->parent));
    if (entry->joint >= 0) {
      hn_json_string(json, "joint", hn_model_joint_name(session->model, entry->joint));
    }
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
  hn_json_open(json, "cut", '[');
  for (int i = 0; i < m->cut_count; i++) {
    hn_json_string(json, NULL, hn_model_joint_name(session->model, m->cut[i]));
  }
  hn_json_close(json, ']');
}

static void add_json_levels(hn_cli_session *session, hn_cli_json *json);

static void print_json(hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  hn_cli_json json = {0};
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
  add_json_tree(&json, session);
  hn_json_open(&json, "redundant", '[');
  for (int i = 0; i < m->redundant_count; i++) {
    hn_json_open(&json, NULL, '{');
    hn_json_string(&json, "joint", hn_cli_redundant_name(session->model, &m->redundant[i]));
    hn_json_integer(&json, "rows", m->redundant[i].row_count);
    hn_json_close(&json, '}');
  }
  hn_json_close(&json, ']');
  hn_json_open(&json, "reactions_not_unique", '[');
  for (int i = 0; i < m->not_unique_count; i++) {
    hn_json_string(&json, NULL, hn_cli_redundant_name(session->model, &m->not_unique[i]));
  }
  hn_json_close(&json, ']');
  hn_cli_inputs_json(&json, session->model);
  add_json_levels(session, &json);
  hn_json_open(&json, "warnings", '[');
  for (int i = 0; i < hn_model_warning_count(session->model); i++) {
    add_json_warning(&json, hn_model_warning(session->model, i));
  }
  for (int i = 0; i < hn_simulation_warning_count(session->simulation); i++) {
    add_json_warning(&json, hn_simulation_warning(session->simulation, i));
  }
  if (m->note[0] != '\0') hn_json_string(&json, NULL, m->note);
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

static void print_counts(const hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  printf("%s\n", session->name);
  printf("  bodies              %d\n", m->bodies);
  printf("  joints              %d\n", m->joints);
  if (m->drivers > 0) printf("  drivers             %d\n", m->drivers);
  if (m->forces > 0) printf("  forces              %d\n", m->forces);
  hn_cli_inputs_print(session->model);
  printf("  coordinates         %d (%d speeds)\n", m->coordinates, m->speeds);
  if (m->cut_rows >= 0) {
    printf("  equations           %d (%d constraints of cut joints and %d normalizations)\n",
           m->equations, m->cut_rows, m->equations - m->cut_rows);
    printf("  joints and drivers  %d constraints, rank %d\n", m->rows, m->rank);
  } else {
    printf("  equations           %d (%d constraints of joints and drivers, rank %d)\n",
           m->equations, m->rows, m->rank);
  }
  printf("  loops               %d\n", m->loops);
  if (m->nonholonomic > 0)
    printf("  degrees of freedom  %d of position, %d of speed (rolling, blades)\n",
           m->degrees_of_freedom, m->degrees_of_freedom - m->nonholonomic);
  else
    printf("  degrees of freedom  %d\n", m->degrees_of_freedom);
}

// Joints with rows, and drivers.
static int count_with_reaction(const hn_cli_session *session) {
  int count = session->mobility.drivers;
  for (int j = 0; j < hn_model_joint_count(session->model); j++) {
    count += hn_model_joint_type(session->model, j) != HN_JOINT_FREE;
  }
  return count;
}

// The joint and what of its reaction is shared, each kind once.
static void print_choice(const hn_cli_session *session, const hn_redundant_joint *entry) {
  const char *told[8];
  int count = 0;
  printf("  %-20s ", hn_cli_redundant_name(session->model, entry));
  for (int i = 0; i < entry->row_count && i < 8 && !entry->is_driver; i++) {
    hn_joint_type type = hn_model_joint_type(session->model, entry->id);
    const char *words = hn_joint_row_text(type, entry->rows[i]);
    int is_new = words != NULL;
    for (int k = 0; k < count && is_new; k++) is_new = strcmp(words, told[k]) != 0;
    if (!is_new) continue;
    printf("%s%s", count > 0 ? ", " : "", words);
    told[count++] = words;
  }
  printf("%s\n", entry->is_driver ? "force of the drive" : "");
}

// Of sealed components only the number of rows is known.
static int has_sealed(hn_cli_session *session) {
  int count = 0, sealed = 0;
  if (hn_simulation_levels(session->simulation, NULL, 0, &count) != HN_OK || count < 2) return 0;
  hn_level *levels = calloc((size_t)count, sizeof *levels);
  if (levels == NULL) return 0;
  hn_simulation_levels(session->simulation, levels, count, &count);
  for (int i = 0; i < count; i++) sealed += levels[i].is_sealed;
  free(levels);
  return sealed > 0;
}

static void print_redundancy(hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  if (has_sealed(session)) {
    printf("\nSealed components hide their joints: joints, constraints and loops are counted where "
           "they "
           "show.\n");
    if (m->rows > m->rank)
      printf("%d of the constraints are redundant; which joints share reactions without "
             "being determined is not told.\n",
             m->rows - m->rank);
    return;
  }
  if (m->rows == m->rank) {
    if (m->rows > 0) printf("\nNo joint is redundant: every reaction is determined.\n");
    return;
  }
  int redundant = m->rows - m->rank;
  printf("\n%d constraint%s redundant; the motion is the same without %s:\n", redundant,
         redundant == 1 ? " is" : "s are", redundant == 1 ? "it" : "them");
  for (int i = 0; i < m->redundant_count; i++) {
    printf("  %-20s %d constraint%s\n", hn_cli_redundant_name(session->model, &m->redundant[i]),
           m->redundant[i].row_count, m->redundant[i].row_count == 1 ? "" : "s");
  }
  printf("\nReactions that are a choice (how the joints share these is not determined):\n");
  for (int i = 0; i < m->not_unique_count; i++) print_choice(session, &m->not_unique[i]);
  int others = count_with_reaction(session) - m->not_unique_count;
  if (others == 1) {
    printf("All others (one joint or driver) are unique.\n");
  } else if (others > 1) {
    printf("All others (%d joints and drivers) are unique.\n", others);
  }
}

// Relative coordinates: what hangs on what, and where loops are cut.
static void print_tree(const hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  if (m->cut_rows < 0) return;
  printf("\nTree:\n  ground\n");
  for (int i = 0; i < m->tree_count; i++) {
    const hn_tree_entry *entry = &m->tree[i];
    printf("  %*s%s", 2 * entry->depth, "", hn_model_body_name(session->model, entry->body));
    if (entry->joint < 0) {
      printf(" (free)\n");
    } else {
      printf(" (%s %s)\n", hn_joint_type_name(hn_model_joint_type(session->model, entry->joint)),
             hn_model_joint_name(session->model, entry->joint));
    }
  }
  if (m->cut_count == 0) return;
  printf("\nCut joints:\n");
  for (int i = 0; i < m->cut_count; i++) {
    printf("  %-20s %s\n", hn_model_joint_name(session->model, m->cut[i]),
           hn_joint_type_name(hn_model_joint_type(session->model, m->cut[i])));
  }
}

// A warning of the run names the first of them and counts the others.
static int warns_of_weightless(const hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  for (int i = 0; i < hn_simulation_warning_count(session->simulation); i++) {
    const hn_warning *warning = hn_simulation_warning(session->simulation, i);
    if (strstr(warning->message, "inertia") == NULL) continue;
    for (int k = 0; k < m->weightless_count; k++) {
      if (strstr(warning->element, hn_model_body_name(session->model, m->weightless[k]))) return 1;
    }
  }
  return 0;
}

static void print_weightless(const hn_cli_session *session) {
  const hn_mobility *m = &session->mobility;
  if (warns_of_weightless(session)) return;
  for (int i = 0; i < m->weightless_count; i++) {
    printf("\nbody '%s' can turn freely about an axis without inertia: give it one, or hold it.\n",
           hn_model_body_name(session->model, m->weightless[i]));
  }
}

// The components as method components solves them, one line each.
static void print_levels(hn_cli_session *session) {
  int count = 0;
  if (hn_simulation_levels(session->simulation, NULL, 0, &count) != HN_OK || count < 2) return;
  hn_level *levels = calloc((size_t)count, sizeof *levels);
  if (levels == NULL) return;
  hn_simulation_levels(session->simulation, levels, count, &count);
  printf("\nComponents (border: bodies connected from above; D: size of what is seen of it):\n"
         "  %-28s %6s %6s %6s %6s %6s %8s %8s\n",
         "component", "bodies", "rows", "spare", "border", "D", "A full", "H full");
  for (int i = 0; i < count && i < MOST_LEVELS; i++) {
    const hn_level *l = &levels[i];
    char name[128];
    snprintf(name, sizeof name, "%*s%s", 2 * l->depth, "", l->name != NULL ? l->name : "(model)");
    printf("  %-28s %6d %6d %6d %6d %6d", name, l->bodies, l->joint_rows, l->dependent,
           l->border_bodies, l->d_size);
    if (l->is_sealed) {
      printf(" %17s\n", "sealed");
    } else {
      printf(" %7.0f%% %7.0f%%%s\n", 100 * l->a_density, 100 * l->h_density,
             l->is_dense ? "" : "  sparse");
    }
  }
  if (count > MOST_LEVELS) printf("  ... and %d more\n", count - MOST_LEVELS);
  free(levels);
}

static void add_json_levels(hn_cli_session *session, hn_cli_json *json) {
  int count = 0;
  if (hn_simulation_levels(session->simulation, NULL, 0, &count) != HN_OK || count < 2) return;
  hn_level *levels = calloc((size_t)count, sizeof *levels);
  if (levels == NULL) return;
  hn_simulation_levels(session->simulation, levels, count, &count);
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
  free(levels);
}

static int check_session(hn_cli_session *session) {
  const hn_cli_settings *settings = session->settings;
  if (!session->has_mobility) {
    return hn_cli_report_failure(settings->json, 0, hn_simulation_error(session->simulation));
  }
  const char *note = session->mobility.note;
  if (settings->strict && note[0] != '\0') {
    hn_cli_fail(&session->error, HN_ERROR_LIMIT, "Without --strict this is a warning.", "%s", note);
    return hn_cli_report_failure(settings->json, 0, &session->error);
  }
  if (settings->json) {
    print_json(session);
    return HN_CLI_DONE;
  }
  hn_cli_print_warnings(session->model, session->simulation, 100);
  if (note[0] != '\0') fprintf(stderr, "warning: %s\n", note);
  print_counts(session);
  print_tree(session);
  print_redundancy(session);
  print_weightless(session);
  print_levels(session);
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  hn_cli_session session = {0};
  hn_cli_settings settings = {0};
  const hn_cli_option options[] = {
      {"set", 0, HN_CLI_LIST, &settings.set, "NAME=VALUE", "override a parameter (repeatable)",
       NULL},
      HN_CLI_MODEL_OPTIONS(settings),
      hn_cli_row(&settings.run, "coordinates", NULL),
      {"allow-compiled", 0, HN_CLI_FLAG, &settings.allow_compiled, NULL,
       "load sealed components (compiled code)", NULL},
      {"served", 0, HN_CLI_LIST, &settings.served, "NAME=COMMAND",
       "a component that COMMAND serves (repeatable)", NULL},
      {"patience", 0, HN_CLI_TIME, &settings.patience, "T", "timeout of a component server (60 s)",
       NULL},
      {"strict", 0, HN_CLI_FLAG, &settings.strict, NULL, "warnings are errors", NULL},
      {"json", 0, HN_CLI_FLAG, &settings.json, NULL, "JSON on stdout", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &settings.path);
  const hn_ranks *ranks = NULL; // only for components that are served beside it
  if (code < 0) code = hn_cli_ranks_begin(command->name, &ranks);
  hn_cli_patience_set(settings.patience);
  if (code < 0) code = hn_cli_pipes_begin(command->name, &settings.served);
  if (settings.run.coordinates == NULL)
    settings.run.coordinates = "cartesian"; // what is counted and solved there
  if (code < 0) code = hn_cli_session_open(&session, &settings);
  if (code < 0) code = check_session(&session);
  hn_cli_session_close(&session);
  hn_cli_pipes_end();
  hn_cli_ranks_end();
  hn_cli_settings_free(&settings);
  return code;
}

const hn_cli_command hn_cli_check_command = {
    .name = "check",
    .arguments = "MODEL [options]",
    .summary = "read and assemble; degrees of freedom, loops, redundant joints",
    .details = "",
    .example = "  holon check four-bar.yaml\n"
               "  holon check four-bar.yaml --json\n",
    .run = run,
};
