// holon component: seal a model file into a compiled component, and show the public text of such a
// file.
#include "pipes.h"
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "holon/component.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HOLON_RESERVES_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HOLON_RESERVES_ADDRESSES 1
#endif
#endif
#ifndef HOLON_RESERVES_ADDRESSES
#define HOLON_RESERVES_ADDRESSES 0
#endif

// ---- build --------------------------------------------------------------------------------------

typedef struct build_settings {
  const char *out, *runtime;
  hn_cli_list inputs;
  int no_inputs, json;
} build_settings;

static int build(const char *path, const build_settings *s) {
  hn_error error = {0};
  char *found = s->runtime == NULL ? hn_cli_find_beside("holon-component.so") : NULL;
  hn_seal_options options = {.runtime = s->runtime != NULL ? s->runtime : found};
  static const char *const none[1] = {NULL};
  options.inputs = s->inputs.count > 0 ? (const char *const *)s->inputs.items : NULL;
  options.input_count = s->inputs.count;
  if (s->no_inputs) options.inputs = none;
  int code = HN_CLI_DONE;
  if (options.runtime == NULL) {
    hn_cli_fail(&error, HN_ERROR_FILE, "Give its path with --runtime.",
                "the component runtime holon-component.so is not in the folder of the command");
    code = hn_cli_report_failure(s->json, 0, &error);
  } else if (hn_component_seal(path, s->out, &options, &error) != HN_OK) {
    hn_cli_report_failure(s->json, 0, &error);
    code = error.status == HN_ERROR_MEMORY ? HN_CLI_FAILED : HN_CLI_WRONG;
  } else if (!s->json) {
    printf("%s\n", s->out);
  }
  free(found);
  return code;
}

// ---- show ---------------------------------------------------------------------------------------

static int show(const char *path, int json) {
  hn_error error = {0};
  char *text = NULL;
  char checksum[HN_COMPONENT_CHECKSUM];
  if (hn_component_public(path, &text, checksum, &error) != HN_OK) {
    hn_cli_report_failure(json, 0, &error);
    return HN_CLI_WRONG;
  }
  // a line that only looks like the checksum must not replace it
  for (const char *line = text; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    if (strncmp(line, "checksum", 8) != 0) printf("%.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
  printf("checksum %s\n", checksum);
  hn_component_public_free(text);
  return HN_CLI_DONE;
}

// ---- serve --------------------------------------------------------------------------------------

enum { most_megabytes = 8192, most_idle = 3600 }; // defaults; s

// Who asks cannot take more of this machine than this. Address sanitizers reserve far more than they
// use.
static void limit_memory(int megabytes) {
#if !HOLON_RESERVES_ADDRESSES
  struct rlimit most;
  if (getrlimit(RLIMIT_AS, &most) != 0) return;
  rlim_t wanted = (rlim_t)megabytes << 20;
  if (most.rlim_max == RLIM_INFINITY || most.rlim_max > wanted) most.rlim_max = wanted;
  most.rlim_cur = most.rlim_max;
  setrlimit(RLIMIT_AS, &most);
#else
  (void)megabytes;
#endif
}

// For runs that mpirun starts with it; the file and its code stay here.
static int serve(const hn_cli_command *command, const char *path, const char *as, int is_piped,
                 int megabytes, double idle, int json) {
  hn_error error = {0};
  hn_component_server *server = NULL;
  const char *slash = strrchr(path, '/');
  if (hn_component_server_open(path, &server, &error) != HN_OK) {
    hn_cli_report_failure(json, 0, &error);
    return HN_CLI_WRONG;
  }
  limit_memory(megabytes > 0 ? megabytes : most_megabytes);
  const char *name = as != NULL ? as : slash != NULL ? slash + 1 : path;
  int code =
      is_piped ? hn_cli_pipes_serve(server, idle) : hn_cli_ranks_serve(command->name, name, server);
  hn_component_server_close(server);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  build_settings s = {0};
  const char *as = NULL;
  int is_piped = 0, megabytes = 0;
  double idle = 0;
  const hn_cli_option options[] = {
      {"output", 'o', HN_CLI_STRING, &s.out, "FILE.hnc", "output file", NULL},
      {"input", 0, HN_CLI_LIST, &s.inputs, "NAME", "parameter that users may set (repeatable; all)",
       NULL},
      {"no-inputs", 0, HN_CLI_FLAG, &s.no_inputs, NULL, "lock all parameters", NULL},
      {"runtime", 0, HN_CLI_STRING, &s.runtime, "FILE", "holon-component.so (found)", NULL},
      {"as", 0, HN_CLI_STRING, &as, "NAME.hnc", "name to serve it under (that of the file)", NULL},
      {"stdio", 0, HN_CLI_FLAG, &is_piped, NULL, "serve over standard input and output", NULL},
      {"memory", 0, HN_CLI_COUNT, &megabytes, "MB", "memory limit of the server (8192)", NULL},
      {"idle", 0, HN_CLI_POSITIVE, &idle, "S",
       "with --stdio: seconds without a request until it exits (3600)", NULL},
      {"json", 0, HN_CLI_FLAG, &s.json, NULL, "errors as JSON on stdout", NULL},
      {0},
  };
  hn_cli_list words = {0};
  int code = hn_cli_parse(command, options, argc, argv, &words, 2, 2);
  if (code < 0 && strcmp(words.items[0], "build") == 0) {
    code = s.out != NULL ? build(words.items[1], &s)
                         : hn_cli_wrong_call(command->name, "-o FILE.hnc says output file");
  } else if (code < 0 && strcmp(words.items[0], "show") == 0) {
    code = show(words.items[1], s.json);
  } else if (code < 0 && strcmp(words.items[0], "serve") == 0) {
    code = serve(command, words.items[1], as, is_piped, megabytes, idle > 0 ? idle : most_idle,
                 s.json);
  } else if (code < 0) {
    code = hn_cli_wrong_call(command->name,
                             "'%s' is not an action of component. Use build, show or serve",
                             words.items[0]);
  }
  hn_cli_list_free(&words);
  hn_cli_list_free(&s.inputs);
  return code;
}

const hn_cli_command hn_cli_component_command = {
    .name = "component",
    .arguments = "build|show|serve FILE",
    .summary = "seal a model file into a compiled component; show its interface; serve it",
    .details =
        "build MODEL -o FILE.hnc   writes a component that others can use but not read\n"
        "show FILE.hnc             prints interface bodies, inputs, outputs, checksum; runs "
        "nothing\n"
        "serve FILE.hnc            lets another run use the component without having the file\n",
    .example = "  holon component build engine.yaml -o engine.hnc\n"
               "  holon component show engine.hnc\n"
               "  holon run car.yaml --allow-compiled\n"
               "  mpirun -n 1 holon run car.yaml : -n 1 holon component serve engine.hnc\n",
    .run = run,
};
