// holon view: a run as a moving picture in the browser, as one page, or as a still.
#include "folder.h"
#include "server.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct view {
  const hn_cli_command *command;
  const char *against, *html, *png, *time_text, *size_text, *look;
  int port, no_open;
  double time;
  int width, height;
  hn_cli_folder folder, ghost;
  hn_error error;
} view;

static const char *choice_view(int index) {
  static const char *const words[] = {"iso", "front", "side", "top", NULL};
  return words[index];
}

// ---- page and picture ---------------------------------------------------------------------------

static const hn_cli_folder *ghost_of(const view *v) {
  return v->against != NULL ? &v->ghost : NULL;
}

static hn_status write_page(view *v, const char *path) {
  hn_cli_text page = {0};
  hn_cli_add_viewer_page(&page, &v->folder, ghost_of(v), 0);
  hn_status status = hn_cli_write_file(path, page.data, page.length, &v->error);
  hn_cli_text_free(&page);
  return status;
}

// A page beside the picture for the time being, as Chromium reads files by their whole path.
static hn_status write_picture(view *v) {
  hn_cli_text name = {0}, address = {0};
  hn_cli_add(&name, "%s.%ld.html", v->png, (long)getpid());
  hn_status status = write_page(v, name.data);
  char whole[PATH_MAX];
  if (status == HN_OK && realpath(name.data, whole) == NULL) {
    status = hn_cli_fail(&v->error, HN_ERROR_FILE, NULL, "cannot find '%s' again", name.data);
  }
  if (status == HN_OK) {
    hn_cli_add(&address, "file://");
    for (const char *c = whole; *c != '\0'; c++) {
      hn_cli_add(&address, strchr(" #?%", *c) != NULL ? "%%%02X" : "%c", (unsigned char)*c);
    }
    hn_cli_add(&address, "#time=%.9g&view=%s&still=1&theme=light", v->time, v->look);
    status = hn_cli_picture(address.data, v->png, v->width, v->height, &v->error);
  }
  remove(name.data);
  hn_cli_text_free(&name);
  hn_cli_text_free(&address);
  return status;
}

// ---- serving ------------------------------------------------------------------------------------

enum { most_files = 16 };

// What one run offers, under a prefix. Names and data are freed by free_files.
static void add_files(hn_cli_served *files, int *count, const char *prefix,
                      const hn_cli_folder *folder) {
  static const char json[] = "application/json", binary[] = "application/octet-stream";
  hn_cli_text names = {0}, records = {0};
  if (folder->results != NULL) {
    hn_cli_add_signals_json(&names, folder->results);
    hn_cli_add_signals_records(&records, folder->results);
  }
  const hn_cli_served own[] = {
      {"scene.json", json, folder->scene_text, folder->scene_size},
      {"motion.bin", binary, folder->motion, folder->motion_size},
      {"certificate.json", json, folder->certificate, folder->certificate_size},
      {"signals.json", json, names.data, names.length},
      {"signals.bin", binary, records.data, records.length},
  };
  for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
    if (own[k].data == NULL) continue;
    hn_cli_text path = {0};
    hn_cli_add(&path, "%s%s", prefix, own[k].path);
    files[*count] = own[k];
    files[(*count)++].path = path.data;
  }
}

static void free_files(hn_cli_served *files, int count) {
  for (int k = 1; k < count; k++) { // [0] is the page
    if (strstr(files[k].path, "signals.") != NULL) free((void *)files[k].data);
    free((void *)files[k].path);
  }
}

static int serve(view *v) {
  hn_cli_served files[most_files];
  size_t size;
  int count = 1, port = v->port;
  // Other users of this machine reach the port too, but do not know the address.
  char token[HN_CLI_TOKEN], prefix[64], against[64];
  if (!hn_cli_server_token(token, &v->error)) {
    hn_cli_print_error(&v->error);
    return HN_CLI_FAILED;
  }
  snprintf(prefix, sizeof prefix, "/%s/", token);
  snprintf(against, sizeof against, "/%s/against/", token);
  files[0] = (hn_cli_served){.path = prefix, .type = "text/html; charset=utf-8"};
  files[0].data = hn_cli_viewer_page(&size);
  files[0].size = size;
  int listener = hn_cli_server_open(&port, &v->error);
  if (listener < 0) {
    hn_cli_print_error(&v->error);
    return HN_CLI_FAILED;
  }
  add_files(files, &count, prefix, &v->folder);
  if (v->against != NULL) add_files(files, &count, against, &v->ghost);
  hn_cli_text address = {0};
  hn_cli_add(&address, "http://127.0.0.1:%d/%s/", port, token);
  printf("%s\n", address.data);
  fflush(stdout);
  if (!v->no_open && !hn_cli_open_browser(address.data)) {
    fprintf(stderr, "Open it in a browser on this machine. Ctrl-C ends.\n");
  }
  hn_cli_server_run(listener, port, files, count);
  close(listener);
  free_files(files, count);
  hn_cli_text_free(&address);
  return HN_CLI_DONE;
}

// ---- the call -----------------------------------------------------------------------------------

// "1280x720"
static int read_size(view *v) {
  char *end = NULL;
  v->width = 1280;
  v->height = 720;
  if (v->size_text == NULL) return -1;
  long width = strtol(v->size_text, &end, 10);
  int is_read = end != v->size_text && *end == 'x';
  const char *second = is_read ? end + 1 : "";
  long height = is_read ? strtol(second, &end, 10) : 0;
  if (!is_read || end == second || *end != '\0' || width < 16 || height < 16 || width > 8192 ||
      height > 8192) {
    return hn_cli_wrong_call(v->command->name,
                             "--size '%s' is not WIDTHxHEIGHT in pixels, 16 to 8192", v->size_text);
  }
  v->width = (int)width;
  v->height = (int)height;
  return -1;
}

static int read_time(view *v) {
  if (v->time_text == NULL) return -1;
  char *end = NULL;
  v->time = strtod(v->time_text, &end);
  if (end == v->time_text || *end != '\0' || !isfinite(v->time)) {
    return hn_cli_wrong_call(v->command->name, "--time '%s' is not a number of seconds",
                             v->time_text);
  }
  return -1;
}

static int check_call(view *v) {
  if (v->png == NULL && (v->time_text != NULL || v->size_text != NULL || v->look != NULL)) {
    return hn_cli_wrong_call(v->command->name, "--time, --size and --view go with --png FILE");
  }
  if (v->port > 65535) {
    return hn_cli_wrong_call(v->command->name, "--port %d is above 65535", v->port);
  }
  if (v->look == NULL) v->look = "iso";
  int code = read_size(v);
  return code < 0 ? read_time(v) : code;
}

static int check_time(view *v) {
  const hn_scene *scene = v->folder.scene;
  double slack = 1e-6 * (scene->last - scene->first);
  if (v->time_text == NULL) v->time = scene->first;
  if (v->time >= scene->first - slack && v->time <= scene->last + slack) return -1;
  return hn_cli_wrong_call(v->command->name, "--time %g is outside the run, %g to %g s", v->time,
                           scene->first, scene->last);
}

static int show(view *v, const char *path) {
  hn_status status = hn_cli_folder_open(path, &v->folder, &v->error);
  if (status == HN_OK && v->against != NULL) {
    status = hn_cli_folder_open(v->against, &v->ghost, &v->error);
  }
  if (status != HN_OK) {
    hn_cli_print_error(&v->error);
    return HN_CLI_WRONG;
  }
  int code = v->png != NULL ? check_time(v) : -1;
  if (code >= 0) return code;
  if (v->html == NULL && v->png == NULL) return serve(v);
  if (v->html != NULL) status = write_page(v, v->html);
  if (status == HN_OK && v->html != NULL) printf("%s\n", v->html);
  if (status == HN_OK && v->png != NULL) status = write_picture(v);
  if (status != HN_OK) {
    hn_cli_print_error(&v->error);
    return HN_CLI_FAILED;
  }
  if (v->png != NULL) printf("%s\n", v->png);
  return HN_CLI_DONE;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  view v = {.command = command};
  int mode = 0;
  const hn_cli_option options[] = {
      {"mode", 0, HN_CLI_COUNT, &mode, "K", "mode K of `holon linearize --shapes DIR`", NULL},
      {"against", 0, HN_CLI_STRING, &v.against, "DIR2", "another run beside it, as a ghost", NULL},
      {"html", 0, HN_CLI_STRING, &v.html, "FILE", "write one page that needs nothing else", NULL},
      {"png", 0, HN_CLI_STRING, &v.png, "FILE", "write a picture (needs Chromium)", NULL},
      {"time", 0, HN_CLI_STRING, &v.time_text, "T", "of the picture, s (start)", NULL},
      {"size", 0, HN_CLI_STRING, &v.size_text, "WxH", "of the picture in pixels (1280x720)", NULL},
      {"view", 0, HN_CLI_STRING, &v.look, "NAME", "of the picture, from:", choice_view},
      {"port", 0, HN_CLI_COUNT, &v.port, "N", "serve at this port (any free one)", NULL},
      {"no-open", 0, HN_CLI_FLAG, &v.no_open, NULL, "print the address, open no browser", NULL},
      {0},
  };
  const char *path = NULL;
  int code = hn_cli_parse_one(command, options, argc, argv, &path);
  if (code < 0) code = check_call(&v);
  hn_cli_text place = {0}; // of the mode
  if (code < 0 && mode > 0) {
    hn_cli_add(&place, "%s/mode-%d", path, mode);
    path = place.data;
  }
  if (code < 0) code = show(&v, path);
  hn_cli_text_free(&place);
  hn_cli_folder_close(&v.folder);
  hn_cli_folder_close(&v.ghost);
  return code;
}

const hn_cli_command hn_cli_view_command = {
    .name = "view",
    .arguments = "DIR [options]",
    .summary = "show a run in 3-D in the browser",
    .details =
        "Serves on this machine only (127.0.0.1) until Ctrl-C, prints the address and opens\n"
        "the browser where there is a display. The address holds a secret, so that other\n"
        "users of the machine cannot look. With --html or --png it writes a file and ends.\n",
    .example = "  holon view out/iltis\n"
               "  holon view out/iltis --against out/stiffer\n"
               "  holon view out/iltis --html iltis.html\n"
               "  holon view out/modes --mode 3\n"
               "  holon view out/iltis --png stairs.png --time 2.9 --view side\n",
    .run = run,
};
