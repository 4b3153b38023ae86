// holon list: what can be chosen, and what combines. holon schema: the JSON Schema of model files.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_auto(const char *word) { return strcmp(word, "auto") == 0; }

static void print_names(const char *title, const char *(*list)(int)) {
  printf("%-15s", title);
  int printed = 0;
  const char *word;
  for (int i = 0; (word = list(i)) != NULL; i++) {
    if (!is_auto(word)) printf("%s%s", printed++ > 0 ? ", " : "", word);
  }
  fputc('\n', stdout);
}

static void print_wrapped(const char *title, int count, const char *(*name)(int)) {
  int column = printf("%-15s", title);
  for (int i = 0; i < count; i++) {
    int length = (int)strlen(name(i)) + 2;
    if (column + length > 98) column = printf("\n%-14s", "") - 1;
    column += printf("%s%s%s", i > 0 ? " " : "", name(i), i + 1 < count ? "," : "");
  }
  fputc('\n', stdout);
}

static const char *joint_name(int index) { return hn_joint_type_name((hn_joint_type)index); }
static int count_forces(void) {
  int count = 0;
  while (hn_list_forces(count) != NULL) count++;
  return count;
}
static const char *contact_law(int law) { return hn_contact_law_name((hn_contact_law)law); }

// The ways to choose independent coordinates that work, joined by commas; or "-".
static void add_cell(hn_cli_text *cell, const char *coordinates, const char *method,
                     const char *formula) {
  const char *independent;
  int found = 0;
  for (int i = 0; (independent = hn_list_independent(i)) != NULL; i++) {
    if (is_auto(independent)) continue;
    if (!hn_combination_is_built(coordinates, method, formula, independent, NULL)) continue;
    hn_cli_add(cell, "%s%s", found++ > 0 ? "," : "", independent);
  }
  if (found == 0) hn_cli_add(cell, "-");
}

static void print_table(void) {
  enum { first_column = 44, column_width = 30 };
  printf("\nWhich combine (in the columns: --independent):\n\n  %-24s%-18s", "method", "formula");
  const char *coordinates, *method, *formula;
  for (int c = 0; (coordinates = hn_list_coordinates(c)) != NULL; c++) {
    if (is_auto(coordinates)) continue;
    int is_last = hn_list_coordinates(c + 1) == NULL;
    printf("%-*s", is_last ? 0 : column_width, coordinates);
  }
  fputc('\n', stdout);
  for (int m = 0; (method = hn_list_methods(m)) != NULL; m++) {
    for (int f = 0; !is_auto(method) && (formula = hn_list_formulas(f)) != NULL; f++) {
      if (is_auto(formula)) continue;
      int printed = printf("  %-24s%s", method, formula), column = first_column;
      for (int c = 0; (coordinates = hn_list_coordinates(c)) != NULL; c++) {
        if (is_auto(coordinates)) continue;
        hn_cli_text cell = {0};
        add_cell(&cell, coordinates, method, formula);
        printf("%*s%s", column - printed, "", cell.data);
        printed = column + (int)strlen(cell.data);
        column += column_width;
        hn_string_free(&cell);
      }
      fputc('\n', stdout);
    }
  }
}

static void add_json_names(hn_cli_json *json, const char *key, const char *(*list)(int)) {
  const char *word;
  hn_json_open(json, key, '[');
  for (int i = 0; (word = list(i)) != NULL; i++) {
    if (!is_auto(word)) hn_json_string(json, NULL, word);
  }
  hn_json_close(json, ']');
}

static void print_presets(void) {
  static const int widths[] = {14, 14, 24, 14, 14, 17};
  const char *name;
  hn_preset p;
  printf("\nPresets, each a paper's method:\n\n  %-14s%-14s%-24s%-14s%-14s%-17s%s\n", "preset",
         "coordinates", "method", "formula", "independent", "projection", "paper");
  for (int i = 0; (name = hn_list_presets(i)) != NULL; i++) {
    if (!hn_find_preset(name, &p)) continue;
    const char *const words[] = {p.name,    p.coordinates, p.method,
                                 p.formula, p.independent, p.projection ? p.projection : "-"};
    printf("  ");
    for (int k = 0; k < 6; k++) printf("%-*s", widths[k], words[k]);
    printf("%s\n", p.source);
  }
  printf(
      "\nMethods augmented-lagrangian-1 and augmented-lagrangian-3 have no error control: use "
      "--step.\n"
      "Rigid and rolling contacts, knife edges, rigid stops, dry joint friction and conditional\n"
      "elements run with all coordinates and methods, which stop at their events. With many rigid\n"
      "contacts or a given step, method time-stepping is selected automatically\n"
      "(docs/howto/contact.md).\n");
}

static void add_json_presets(hn_cli_json *json) {
  const char *name;
  hn_preset p;
  hn_json_open(json, "presets", '[');
  for (int i = 0; (name = hn_list_presets(i)) != NULL; i++) {
    if (!hn_find_preset(name, &p)) continue;
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", p.name);
    hn_json_string(json, "coordinates", p.coordinates);
    hn_json_string(json, "method", p.method);
    hn_json_string(json, "formula", p.formula);
    hn_json_string(json, "independent", p.independent);
    if (p.projection) hn_json_string(json, "projection", p.projection);
    hn_json_string(json, "paper", p.source);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_json_combination(hn_cli_json *json, const char *const four[4]) {
  static const char *const keys[] = {"coordinates", "method", "formula", "independent"};
  if (!hn_combination_is_built(four[0], four[1], four[2], four[3], NULL)) return;
  hn_json_open(json, NULL, '{');
  for (int i = 0; i < 4; i++) hn_json_string(json, keys[i], four[i]);
  hn_json_close(json, '}');
}

static void print_json(void) {
  hn_cli_json json = {0};
  hn_json_open(&json, NULL, '{');
  add_json_names(&json, "coordinates", hn_list_coordinates);
  add_json_names(&json, "methods", hn_list_methods);
  add_json_names(&json, "formulas", hn_list_formulas);
  add_json_names(&json, "independent", hn_list_independent);
  add_json_presets(&json);
  add_json_names(&json, "linear-solvers", hn_list_linear_solvers);
  hn_json_open(&json, "joints", '[');
  for (int i = 0; i < HN_JOINT_TYPES; i++) hn_json_string(&json, NULL, joint_name(i));
  hn_json_close(&json, ']');
  add_json_names(&json, "forces", hn_list_forces);
  hn_json_open(&json, "contact_laws", '[');
  for (int i = 0; i < HN_CONTACT_LAWS; i++) hn_json_string(&json, NULL, contact_law(i));
  hn_json_close(&json, ']');
  add_json_names(&json, "units", hn_list_units);
  hn_json_open(&json, "combinations", '[');
  const char *four[4];
  for (int c = 0; (four[0] = hn_list_coordinates(c)) != NULL; c++) {
    for (int m = 0; (four[1] = hn_list_methods(m)) != NULL; m++) {
      for (int f = 0; (four[2] = hn_list_formulas(f)) != NULL; f++) {
        for (int i = 0; (four[3] = hn_list_independent(i)) != NULL; i++) {
          if (is_auto(four[0]) || is_auto(four[1]) || is_auto(four[2]) || is_auto(four[3]))
            continue;
          add_json_combination(&json, four);
        }
      }
    }
  }
  hn_json_close(&json, ']');
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

static int run_list(const hn_cli_command *command, int argc, char **argv) {
  int as_json = 0;
  const hn_cli_option options[] = {
      {"json", 0, HN_CLI_FLAG, &as_json, NULL, "JSON on stdout", NULL},
      {0},
  };
  hn_cli_list words = {0};
  int code = hn_cli_parse(command, options, argc, argv, &words, 0, 0);
  hn_cli_list_free(&words);
  if (code >= 0) return code;
  if (as_json) {
    print_json();
    return HN_CLI_DONE;
  }
  print_names("coordinates", hn_list_coordinates);
  print_names("methods", hn_list_methods);
  print_names("formulas", hn_list_formulas);
  print_names("independent", hn_list_independent);
  print_names("presets", hn_list_presets);
  print_names("linear-solver", hn_list_linear_solvers);
  print_wrapped("joints", HN_JOINT_TYPES, joint_name);
  print_wrapped("forces", count_forces(), hn_list_forces);
  print_wrapped("contact laws", HN_CONTACT_LAWS, contact_law);
  int units = 0;
  while (hn_list_units(units) != NULL) units++;
  print_wrapped("units", units, hn_list_units);
  print_presets();
  print_table();
  return HN_CLI_DONE;
}

static int run_schema(const hn_cli_command *command, int argc, char **argv) {
  const hn_cli_option options[] = {{0}};
  hn_cli_list words = {0};
  int code = hn_cli_parse(command, options, argc, argv, &words, 0, 0);
  hn_cli_list_free(&words);
  if (code >= 0) return code;
  size_t needed = 0;
  char one[1];
  hn_model_schema(one, sizeof one, &needed);
  char *text = hn_cli_allocate(needed + 1, 1);
  hn_status status = hn_model_schema(text, needed, &needed);
  if (status == HN_OK) {
    fputs(text, stdout);
    if (needed < 2 || text[needed - 2] != '\n') fputc('\n', stdout);
  } else {
    fprintf(stderr, "holon: the schema cannot be created: %s\n", hn_status_text(status));
  }
  free(text);
  return status == HN_OK ? HN_CLI_DONE : HN_CLI_FAILED;
}

const hn_cli_command hn_cli_list_command = {
    .name = "list",
    .arguments = "[options]",
    .summary = "list coordinates, methods, formulas, presets, joints, forces; which combine",
    .details = "",
    .example = "  holon list\n",
    .run = run_list,
};

const hn_cli_command hn_cli_schema_command = {
    .name = "schema",
    .arguments = "",
    .summary = "print the JSON Schema of model files, for editors",
    .details = "",
    .example = "  holon schema > holon.schema.json\n",
    .run = run_schema,
};
