// holon live: a model that runs in the browser.
#include "live.h"
#include "pages.h"

#include "platform/http.h"

#include <stdio.h>
#include <string.h>

typedef struct live {
  const hn_cli_command *command;
  hn_cli_settings settings;
  int port, no_open;
  hn_error error;
} live;

static int fail(live *l) {
  hn_cli_print_error(&l->error);
  return HN_CLI_FAILED;
}

static int serve(live *l, const char *page, size_t size) {
  int port = l->port;
  // Other users of this machine reach the port too, but do not know the address.
  char token[HN_HTTP_TOKEN], path[64];
  if (!hn_http_token(token, &l->error)) return fail(l);
  snprintf(path, sizeof path, "/%s/", token);
  const hn_http_file file = {path, "text/html; charset=utf-8", page, size};
  int listener = hn_http_open(&port, &l->error);
  if (listener < 0) return fail(l);
  hn_cli_text address = {0};
  hn_cli_add(&address, "http://127.0.0.1:%d%s", port, path);
  printf("%s\n", address.data);
  fflush(stdout);
  if (!l->no_open && !hn_cli_open_browser(address.data))
    fprintf(stderr, "Open it in a browser on this computer. Ctrl-C stops the server.\n");
  hn_cli_listen(NULL);
  if (hn_http_run(listener, port, &file, 1, hn_cli_is_interrupted) != HN_OK) hn_cli_out_of_memory();
  hn_string_free(&address);
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  live l = {.command = command};
  hn_cli_settings *s = &l.settings;
  const hn_cli_option options[] = {
      {"set", 0, HN_CLI_LIST, &s->set, "NAME=VALUE", "override a parameter (repeatable)", NULL},
      {"with", 0, HN_CLI_LIST, &s->with, "FILE",
       "apply this overlay file to the model (repeatable)", NULL},
      {"package", 0, HN_CLI_LIST, &s->packages, "NAME=FOLDER",
       "folder of package://NAME/ in URDF files", NULL},
      hn_cli_rows(&s->run),
      {"port", 0, HN_CLI_COUNT, &l.port, "N", "port of the server (any free one)", NULL},
      {"no-open", 0, HN_CLI_FLAG, &l.no_open, NULL, "print the address; do not open a browser",
       NULL},
      {0},
  };
  hn_cli_text model = {0};
  char *page = NULL;
  size_t size = 0;
  int code = hn_cli_parse_one(command, options, argc, argv, &s->path);
  if (code < 0 && l.port > 65535)
    code = hn_cli_wrong_call(command->name, "--port %d is above 65535", l.port);
  if (code < 0) code = hn_cli_live_model(s, 0, &model);
  if (code < 0) {
    if (hn_viewer_live_page(hn_cli_pages(), model.data, NULL, NULL, &page, &size) != HN_OK)
      hn_cli_out_of_memory();
    code = serve(&l, page, size);
  }
  hn_text_free(page);
  hn_string_free(&model);
  hn_cli_settings_free(s);
  return code;
}

const hn_cli_command hn_cli_live_command = {
    .name = "live",
    .arguments = "MODEL [options]",
    .summary = "run a model in the browser: pull it, change it, watch it",
    .details =
        "Opens a page in which the model runs, and prints the address; the server runs until "
        "Ctrl-C.\n"
        "Pull bodies with the mouse, move sliders of inputs and parameters, edit the model.\n"
        "Only this computer (127.0.0.1) can connect, and only with the secret in the address.\n"
        "For a file that runs anywhere: holon view MODEL --live --html FILE.\n",
    .example = "  holon live models/iltis/iltis.yaml\n"
               "  holon live four-bar.yaml --set length='0.4 m' --step 0.001\n"
               "  holon view four-bar.yaml --live --html four-bar.html\n",
    .run = run,
};
