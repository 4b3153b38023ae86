// holon tyre: evaluates a property file. Fills tables of slips, draws curves, prints what was read.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct call {
  const char *path, *table, *output, *plot, *side, *axes;
  int json, quiet;
  double load;
  hn_tyre *tyre;
  hn_error error;
} call;

static const char *choice_side(int index) {
  static const char *const words[] = {"file", "left", "right", NULL};
  return words[index];
}

static const char *choice_axes(int index) {
  static const char *const words[] = {"iso", "sae", "adapted-sae", NULL};
  return words[index];
}

static int read_call(const hn_cli_command *command, int argc, char **argv, call *c) {
  const hn_cli_option options[] = {
      {"table", 0, HN_CLI_STRING, &c->table, "FILE",
       "compute the forces for the slips of a CSV file", NULL},
      {"output", 'o', HN_CLI_STRING, &c->output, "FILE", "write the forces to FILE (stdout)", NULL},
      {"plot", 0, HN_CLI_STRING, &c->plot, "FILE", "plot the curves as SVG", NULL},
      {"load", 0, HN_CLI_POSITIVE, &c->load, "N", "vertical load of the curves (nominal load)",
       NULL},
      {"side", 0, HN_CLI_STRING, &c->side, "NAME", "side of the vehicle:", choice_side},
      {"axes", 0, HN_CLI_STRING, &c->axes, "NAME", "axes of slips and forces:", choice_axes},
      {"json", 0, HN_CLI_FLAG, &c->json, NULL, "JSON on stdout", NULL},
      {"quiet", 0, HN_CLI_FLAG, &c->quiet, NULL, "no remarks", NULL},
      {0},
  };
  return hn_cli_parse_one(command, options, argc, argv, &c->path);
}

static int index_of(const char *word, const char *(*choice)(int)) {
  if (!word) return 0;
  int k = 0;
  while (choice(k) && strcmp(choice(k), word) != 0) k++;
  return choice(k) ? k : 0;
}

static hn_tyre_axes axes_of(const call *c) { return (hn_tyre_axes)index_of(c->axes, choice_axes); }

static double load_of(const call *c) {
  if (c->load > 0) return c->load;
  double nominal = hn_tyre_number(c->tyre, "FNOMIN");
  if (!(nominal > 0)) nominal = hn_tyre_number(c->tyre, "FZ_NOM");
  return nominal > 0 ? nominal : 4000;
}

// ---- tables -------------------------------------------------------------------------------------

static void add_csv(hn_cli_text *text, const hn_tyre_rows *rows) {
  for (int c = 0; c < rows->column_count; c++)
    hn_cli_add(text, "%s%s", c ? "," : "", rows->columns[c]);
  hn_cli_add(text, "\n");
  for (long row = 0; row < rows->row_count; row++) {
    for (int c = 0; c < rows->column_count; c++) {
      if (c) hn_cli_add_bytes(text, ",", 1);
      hn_string_number(text, rows->values[row * rows->column_count + c]);
    }
    hn_cli_add_bytes(text, "\n", 1);
  }
}

static void add_json_rows(hn_cli_json *json, const hn_tyre_rows *rows) {
  hn_json_open(json, "columns", '[');
  for (int c = 0; c < rows->column_count; c++) hn_json_string(json, NULL, rows->columns[c]);
  hn_json_close(json, ']');
  hn_json_open(json, "differences", '{');
  for (int c = 0; c < rows->column_count; c++)
    if (isfinite(rows->differences[c]))
      hn_json_number(json, rows->columns[c], rows->differences[c]);
  hn_json_close(json, '}');
  hn_json_open(json, "rows", '[');
  for (long row = 0; row < rows->row_count; row++)
    hn_json_vector(json, NULL, &rows->values[row * rows->column_count], rows->column_count);
  hn_json_close(json, ']');
}

static void tell_differences(const hn_tyre_rows *rows) {
  int count = 0;
  for (int c = 0; c < rows->column_count; c++)
    if (isfinite(rows->differences[c]))
      fprintf(stderr, "%s%s %.2g",
              count++ ? ", " : "the table also has forces; differences relative to the largest: ",
              rows->columns[c], rows->differences[c]);
  if (count) fputs("\n", stderr);
}

static hn_status make_rows(call *c, hn_tyre_rows **rows) {
  char *text = NULL;
  size_t size;
  hn_status status = hn_file_read_given(c->table, &text, &size, &c->error);
  if (status == HN_OK)
    status = hn_tyre_tabulate(c->tyre, text, size, c->table, axes_of(c), rows, &c->error);
  free(text);
  return status;
}

static hn_status write_csv(call *c, const hn_tyre_rows *rows) {
  hn_cli_text text = {0};
  hn_status status = HN_OK;
  add_csv(&text, rows);
  if (c->output)
    status = hn_file_write_bytes(c->output, text.data, text.length, &c->error);
  else
    fwrite(text.data, 1, text.length, stdout);
  hn_string_free(&text);
  return status;
}

// ---- what it is ---------------------------------------------------------------------------------

static void add_json_tyre(const call *c, hn_cli_json *json) {
  hn_tyre_sizes s = hn_tyre_measure(c->tyre, 0, load_of(c));
  hn_json_string(json, "model", hn_tyre_model_name(hn_tyre_model_of(c->tyre)));
  hn_json_string(json, "side", hn_tyre_side_of(c->tyre) == HN_TYRE_RIGHT ? "right" : "left");
  hn_json_string(json, "axes", choice_axes((int)axes_of(c)));
  hn_json_number(json, "load", load_of(c));
  hn_json_number(json, "radius", hn_tyre_number(c->tyre, "UNLOADED_RADIUS"));
  hn_json_number(json, "deflection", s.deflection);
  hn_json_number(json, "r_loaded", s.r_loaded);
  hn_json_number(json, "r_effective", s.r_effective);
  hn_json_number(json, "sigma_kappa", s.sigma_kappa);
  hn_json_number(json, "sigma_alpha", s.sigma_alpha);
  hn_json_open(json, "notes", '[');
  for (int k = 0; hn_tyre_note(c->tyre, k); k++)
    hn_json_string(json, NULL, hn_tyre_note(c->tyre, k));
  hn_json_close(json, ']');
}

static void print_tyre(const call *c) {
  double load = load_of(c), d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
  hn_tyre_sizes s = hn_tyre_measure(c->tyre, 0, load);
  hn_tyre_slip slip = {0, 0, 0, load, 16.7, 1};
  hn_tyre_forces f;
  hn_tyre_evaluate(c->tyre, &slip, &f, d);
  printf("model                 %s, for the %s side\n",
         hn_tyre_model_name(hn_tyre_model_of(c->tyre)),
         hn_tyre_side_of(c->tyre) == HN_TYRE_RIGHT ? "right" : "left");
  printf("at load               %.6g N\n", load);
  printf("slip stiffness        %.6g N      dFx/dkappa\n", d[0][0]);
  printf("cornering stiffness   %.6g N/rad  -dFy/dalpha\n", -d[1][1]);
  printf("camber stiffness      %.6g N/rad  dFy/dgamma\n", d[1][2] + 0.0);
  printf("deflection            %.6g m\n", s.deflection);
  printf("loaded radius         %.6g m\n", s.r_loaded);
  printf("rolling radius        %.6g m\n", s.r_effective);
  printf("relaxation lengths    %.6g m, %.6g m\n", s.sigma_kappa, s.sigma_alpha);
}

// ---- the command --------------------------------------------------------------------------------

static int answer(call *c) {
  hn_tyre_rows *rows = NULL;
  hn_status status = hn_tyre_load(c->path, &c->tyre, &c->error);
  if (status == HN_OK) hn_tyre_mount(c->tyre, (hn_tyre_side)index_of(c->side, choice_side));
  if (status == HN_OK && c->table) status = make_rows(c, &rows);
  if (status == HN_OK && c->plot)
    status = hn_tyre_plot(c->plot, c->tyre, c->path, load_of(c), axes_of(c), &c->error);
  if (status == HN_OK && rows && (!c->json || c->output)) status = write_csv(c, rows);
  if (status == HN_OK && c->json) {
    hn_cli_json json = {0};
    hn_json_open(&json, NULL, '{');
    add_json_tyre(c, &json);
    if (rows) add_json_rows(&json, rows);
    hn_json_close(&json, '}');
    hn_cli_json_print(&json);
  } else if (status == HN_OK && !c->table && !c->plot) {
    print_tyre(c);
  }
  if (status == HN_OK && !c->quiet && !c->json) {
    for (int k = 0; hn_tyre_note(c->tyre, k); k++)
      fprintf(stderr, "note: %s\n", hn_tyre_note(c->tyre, k));
    if (rows) tell_differences(rows);
  }
  hn_tyre_rows_free(rows);
  hn_tyre_free(c->tyre);
  return status == HN_OK ? HN_CLI_DONE : hn_cli_report_failure(c->json, 0, &c->error);
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  call c = {0};
  int code = read_call(command, argc, argv, &c);
  return code < 0 ? answer(&c) : code;
}

const hn_cli_command hn_cli_tyre_command = {
    .name = "tyre",
    .arguments = "FILE [options]",
    .summary = "compute the forces of a tyre property file (.tir)",
    .details =
        "Reads FIALA, BRUSH, PAC89, PAC94, PAC2002 (MF 5.2) and TMEASY, or a table (.csv).\n"
        "A slip table has the columns kappa, alpha, gamma, fz, vx, mu. The output columns are\n"
        "fx, fy, mx, my, mz, deflection, r_loaded, r_effective, sigma_kappa, sigma_alpha: those\n"
        "named in the slip table, or the forces if it names none.\n",
    .example = "  holon tyre car.tir --table slips.csv -o forces.csv\n"
               "  holon tyre car.tir --plot curves.svg\n",
    .run = run,
};
