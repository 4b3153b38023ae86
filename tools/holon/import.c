// holon import: a model from URDF, SDF, MJCF or STEP as a model file, and the import status of
// every tag.
#include "fates.h"
#include "pages.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct import_call {
  hn_cli_settings settings;
  const char *page, *proposals;
  int merge, depth;
  double density;
} import_call;

static int has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), size = strlen(ending);
  return length > size && strcmp(path + length - size, ending) == 0;
}

// ---- telling ------------------------------------------------------------------------------------

static void print_table(const hn_import *import, int dof) {
  hn_import_facts facts = hn_import_facts_of(import);
  printf("%s (%s)\n", facts.name, facts.format);
  printf("  bodies              %d\n  joints              %d\n", facts.bodies, facts.joints);
  printf("  degrees of freedom  %d\n  mass                %.6g kg\n", dof, facts.mass);
  printf("  tags                %d: %d used, %d harmless, %d approximated, %d lost\n", facts.tags,
         hn_import_count(import, HN_IMPORT_USED), hn_import_count(import, HN_IMPORT_HARMLESS),
         hn_import_count(import, HN_IMPORT_APPROXIMATED), hn_import_count(import, HN_IMPORT_LOST));
  hn_cli_print_fates(&(hn_cli_fates){.import = import});
  for (int k = 0; hn_import_proposal_at(import, k).name; k++) {
    hn_import_proposal p = hn_import_proposal_at(import, k);
    if (k == 0) printf("\nproposed joints (not in the model)\n");
    printf("  %-14s %s, %s: %s\n", p.type, p.bodies[0], p.bodies[1], p.why);
  }
}

static void add_proposals(hn_cli_json *json, const hn_import *import) {
  hn_json_open(json, "proposals", '[');
  for (int k = 0; hn_import_proposal_at(import, k).name; k++) {
    hn_import_proposal p = hn_import_proposal_at(import, k);
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", p.name);
    hn_json_string(json, "type", p.type);
    hn_json_string(json, "first", p.bodies[0]);
    hn_json_string(json, "second", p.bodies[1]);
    hn_json_string(json, "why", p.why);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_facts(hn_cli_json *json, const hn_import *import, int dof) {
  hn_import_facts facts = hn_import_facts_of(import);
  hn_json_string(json, "format", facts.format);
  hn_json_string(json, "name", facts.name);
  hn_json_integer(json, "bodies", facts.bodies);
  hn_json_integer(json, "joints", facts.joints);
  hn_json_integer(json, "dof", dof);
  hn_json_number(json, "mass", facts.mass);
  hn_json_integer(json, "tags", facts.tags);
  hn_cli_json_fates(json, &(hn_cli_fates){.import = import});
  add_proposals(json, import);
}

static void print_json(const hn_import *import, int dof) {
  hn_cli_json json = {0};
  hn_json_open(&json, NULL, '{');
  add_facts(&json, import, dof);
  hn_json_close(&json, '}');
  hn_cli_json_print(&json);
}

static hn_status write_page(const hn_import *import, int dof, const char *path, hn_error *error) {
  hn_cli_json json = {0};
  char *page = NULL;
  size_t size = 0;
  hn_json_open(&json, NULL, '{');
  hn_json_open(&json, "import", '{');
  add_facts(&json, import, dof);
  hn_json_close(&json, '}');
  hn_json_close(&json, '}');
  hn_cli_check_text(&json.text);
  hn_status status = hn_page_make(hn_cli_pages(), "import", NULL, json.text.data, &page, &size);
  hn_string_free(&json.text);
  return hn_cli_write_page(path, status, page, size, error);
}

// ---- the command --------------------------------------------------------------------------------

static hn_status write_mesh(hn_import_mesh mesh, hn_error *error) {
  char *folder = hn_cli_copy(mesh.path), *slash = strrchr(folder, '/');
  if (slash) *slash = '\0';
  hn_status status = slash ? hn_make_folders(folder, error) : HN_OK;
  free(folder);
  return status == HN_OK ? hn_file_write_bytes(mesh.path, mesh.text, strlen(mesh.text), error)
                         : status;
}

static int write_outputs(const import_call *call, const hn_import *import, int dof) {
  const char *path = call->settings.folder;
  hn_error error = {0};
  hn_status status = HN_OK;
  if (path) {
    const char *text = has_ending(path, ".json") ? hn_import_json(import) : hn_import_yaml(import);
    status = hn_file_write_bytes(path, text, strlen(text), &error);
  }
  for (int k = 0; path && status == HN_OK && hn_import_mesh_at(import, k).path; k++)
    status = write_mesh(hn_import_mesh_at(import, k), &error);
  if (status == HN_OK && call->proposals) {
    const char *text = hn_import_proposals(import);
    status = hn_file_write_bytes(call->proposals, text, strlen(text), &error);
  }
  if (status == HN_OK && call->page) status = write_page(import, dof, call->page, &error);
  if (status == HN_OK) return -1;
  return hn_cli_report_failure(call->settings.json, 0, &error);
}

static int import_file(import_call *call, hn_import **import) {
  const hn_cli_settings *s = &call->settings;
  hn_import_options options = hn_default_import_options();
  hn_error error = {0};
  options.packages = s->packages.items;
  options.package_count = s->packages.count;
  options.keyframe = s->keyframe;
  options.overlays = s->with.items;
  options.overlay_count = s->with.count;
  options.merge_fixed = call->merge;
  options.output = s->folder;
  options.density = call->density;
  options.depth = call->depth;
  hn_status status = hn_import_file(s->path, &options, import, &error);
  if (status == HN_OK) return -1;
  return hn_cli_report_failure(s->json, 0, &error);
}

// The model is loaded and assembled as by every command: a written file runs.
static int go(import_call *call, hn_cli_session *session, hn_import **import) {
  int code = import_file(call, import);
  call->settings.run.coordinates = "cartesian";
  int strict = call->settings.strict;
  call->settings.strict = 0;
  if (code < 0) code = hn_cli_session_open(session, &call->settings);
  call->settings.strict = strict;
  if (code < 0 && strict)
    code = hn_cli_refuse_losses(&(hn_cli_fates){.import = *import}, call->settings.json,
                                "Leave --strict out, or remove them from the file.");
  if (code >= 0) return code;
  if (!session->has_mobility)
    return hn_cli_report_failure(call->settings.json, 0, hn_simulation_error(session->simulation));
  int dof = session->mobility.degrees_of_freedom;
  code = write_outputs(call, *import, dof);
  if (code >= 0) return code;
  if (call->settings.json)
    print_json(*import, dof);
  else if (!call->settings.quiet)
    print_table(*import, dof);
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  import_call call = {0};
  hn_cli_session session = {0};
  hn_import *import = NULL;
  hn_cli_settings *s = &call.settings;
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &s->folder, "FILE", "write the model: .yaml or .json", NULL},
      HN_CLI_MODEL_OPTIONS(*s),
      {"merge-fixed", 0, HN_CLI_FLAG, &call.merge, NULL,
       "merge links on fixed joints into their parents", NULL},
      {"depth", 0, HN_CLI_COUNT, &call.depth, "N",
       "STEP: assemblies N levels below the top become one body each (0: one body per part)", NULL},
      {"density", 0, HN_CLI_POSITIVE, &call.density, "KG/M3", "STEP: density of all parts (7850)",
       NULL},
      {"proposals", 0, HN_CLI_STRING, &call.proposals, "FILE",
       "STEP: write joints suggested by the geometry as an overlay file", NULL},
      {"page", 0, HN_CLI_STRING, &call.page, "FILE", "write the report as an HTML page", NULL},
      {"strict", 0, HN_CLI_FLAG, &s->strict, NULL, "exit with an error if anything is lost", NULL},
      {"quiet", 0, HN_CLI_FLAG, &s->quiet, NULL, "no report", NULL},
      {"json", 0, HN_CLI_FLAG, &s->json, NULL, "print the report as JSON", NULL},
      {0},
  };
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code < 0) code = go(&call, &session, &import);
  hn_cli_session_close(&session);
  hn_import_free(import);
  hn_cli_settings_free(s);
  return code;
}

const hn_cli_command hn_cli_import_command = {
    .name = "import",
    .arguments = "FILE [options]",
    .summary = "convert URDF, SDF, MJCF or STEP into a model; report what was used and lost",
    .details =
        "Every command also accepts such a file directly. The report lists tags and attributes\n"
        "as used, harmless, approximated or lost, with the reason.\n",
    .example = "  holon import robot.urdf -o robot.yaml\n"
               "  holon import robot.urdf --json --strict\n"
               "  holon run robot.urdf --with loop.yaml --time 2\n",
    .run = run,
};
