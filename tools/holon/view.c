// holon view: a run in 3-D in the browser, as one page, as a still or as a film.
#include "film.h"
#include "live.h"
#include "pages.h"

#include "platform/http.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct view {
  const hn_cli_command *command;
  const char *path; // of the run
  const char *against, *html, *png, *gif, *mp4, *time_text, *size_text, *look;
  int port, no_open, rate, moments, live;
  double time, speed;
  int width, height;
  hn_run_files folder, ghost;
  hn_error error;
} view;

static const char *choice_view(int index) {
  static const char *const words[] = {"iso", "front", "side", "top", NULL};
  return words[index];
}

// ---- page and picture ---------------------------------------------------------------------------

static const hn_run_files *ghost_of(const view *v) { return v->against != NULL ? &v->ghost : NULL; }

static hn_status write_page(view *v, const char *path) {
  char *page = NULL;
  size_t size = 0;
  hn_cli_text model = {0};
  if (v->live && !hn_cli_live_of_run(v->path, &model))
    return hn_cli_fail(&v->error, HN_ERROR_FILE,
                       "Write a page of the model alone: holon view MODEL --live --html FILE.",
                       "the model of the run in '%.300s' cannot be read any more", v->path);
  hn_status status =
      v->live ? hn_viewer_live_page(hn_cli_pages(), model.data, &v->folder, NULL, &page, &size)
              : hn_viewer_page(hn_cli_pages(), &v->folder, ghost_of(v), 0, &page, &size);
  hn_string_free(&model);
  return hn_cli_write_page(path, status, page, size, &v->error);
}

// A page in which a model runs.
static int write_live(view *v, const char *path) {
  const hn_cli_settings settings = {.path = path};
  hn_cli_text model = {0};
  char *page = NULL;
  size_t size = 0;
  int code = hn_cli_live_model(&settings, 0, &model);
  if (code < 0) {
    hn_status status = hn_viewer_live_page(hn_cli_pages(), model.data, NULL, NULL, &page, &size);
    status = hn_cli_write_page(v->html, status, page, size, &v->error);
    if (status != HN_OK) hn_cli_print_error(&v->error);
    if (status == HN_OK) printf("%s\n", v->html);
    code = status == HN_OK ? HN_CLI_DONE : HN_CLI_FAILED;
  }
  hn_string_free(&model);
  return code;
}

static hn_picture_view view_of(const view *v) {
  int index = 0;
  if (v->look == NULL) return hn_picture_usual_view(v->folder.scene);
  while (choice_view(index) != NULL && strcmp(choice_view(index), v->look) != 0) index++;
  return (hn_picture_view)index; // in the order of the library
}

static hn_status write_pictures(view *v) {
  hn_cli_film film = {.scene = v->folder.scene, .speed = v->speed, .rate = v->rate};
  film.picture = (hn_picture_options){.width = v->width,
                                      .height = v->height,
                                      .view = view_of(v),
                                      .samples = 3,
                                      .time = v->time,
                                      .crops = v->moments > 0,
                                      .moments = v->moments};
  hn_status status = HN_OK;
  if (v->png != NULL) status = hn_cli_write_png(v->png, &film, &v->error);
  film.picture.is_film = 1;
  film.picture.moments = film.picture.crops = 0;
  film.picture.samples = 2;
  if (status == HN_OK && v->gif != NULL) status = hn_cli_write_gif(v->gif, &film, &v->error);
  if (status == HN_OK && v->mp4 != NULL) status = hn_cli_write_mp4(v->mp4, &film, &v->error);
  return status;
}

// ---- serving ------------------------------------------------------------------------------------

enum { most_files = 16 };

// Files of one run, under a prefix. Names and data are freed by free_files.
static void add_files(hn_http_file *files, int *count, const char *prefix,
                      const hn_run_files *folder) {
  static const char json[] = "application/json", binary[] = "application/octet-stream";
  char *names = NULL, *records = NULL;
  size_t size = 0;
  if (folder->results != NULL &&
      hn_viewer_signals(folder->results, &names, &records, &size) != HN_OK)
    hn_cli_out_of_memory();
  const hn_http_file own[] = {
      {"scene.json", json, folder->scene_text, folder->scene_size},
      {"motion.bin", binary, folder->motion, folder->motion_size},
      {"certificate.json", json, folder->certificate, folder->certificate_size},
      {"signals.json", json, names, names != NULL ? strlen(names) : 0},
      {"signals.bin", binary, records, size},
  };
  for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
    if (own[k].data == NULL) continue;
    hn_cli_text path = {0};
    hn_cli_add(&path, "%s%s", prefix, own[k].path);
    files[*count] = own[k];
    files[(*count)++].path = path.data;
  }
}

static void free_files(hn_http_file *files, int count) {
  for (int k = 1; k < count; k++) { // [0] is the page
    if (strstr(files[k].path, "signals.") != NULL) free((void *)files[k].data);
    free((void *)files[k].path);
  }
}

static int serve(view *v) {
  hn_http_file files[most_files];
  int count = 1, port = v->port;
  // Other users of this machine reach the port too, but do not know the address.
  char token[HN_HTTP_TOKEN], prefix[64], against[64];
  if (!hn_http_token(token, &v->error)) {
    hn_cli_print_error(&v->error);
    return HN_CLI_FAILED;
  }
  snprintf(prefix, sizeof prefix, "/%s/", token);
  snprintf(against, sizeof against, "/%s/against/", token);
  files[0] = (hn_http_file){.path = prefix, .type = "text/html; charset=utf-8"};
  files[0].data = hn_cli_pages()->viewer;
  files[0].size = hn_cli_pages()->viewer_size;
  // With the model in it, if its files are still there, the page has a button that runs it.
  hn_cli_text model = {0};
  char *page = NULL;
  if (hn_cli_live_of_run(v->path, &model)) {
    if (hn_viewer_live_page(hn_cli_pages(), model.data, NULL, NULL, &page, &files[0].size) != HN_OK)
      hn_cli_out_of_memory();
    files[0].data = page;
  }
  hn_string_free(&model);
  int listener = hn_http_open(&port, &v->error);
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
    fprintf(stderr, "Open it in a browser on this computer. Ctrl-C stops the server.\n");
  }
  hn_cli_listen(NULL);
  if (hn_http_run(listener, port, files, count, hn_cli_is_interrupted) != HN_OK)
    hn_cli_out_of_memory();
  free_files(files, count);
  hn_text_free(page);
  hn_string_free(&address);
  return HN_CLI_DONE;
}

// ---- the call -----------------------------------------------------------------------------------

// "1280x720"
static int read_size(view *v) {
  char *end = NULL;
  v->width = v->gif != NULL ? 640 : 1280;
  v->height = v->gif != NULL ? 360 : 720;
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
    return hn_cli_wrong_call(v->command->name,
                             "--time '%s' is not valid. Write a number of seconds", v->time_text);
  }
  return -1;
}

static int check_call(view *v) {
  int is_film = v->gif != NULL || v->mp4 != NULL;
  if (v->png == NULL && v->time_text != NULL)
    return hn_cli_wrong_call(v->command->name, "--time needs --png FILE");
  if (v->moments > 0 && (v->png == NULL || v->time_text != NULL || v->moments > 100))
    return hn_cli_wrong_call(v->command->name,
                             "--moments (up to 100) needs --png FILE and excludes --time");
  if (v->png == NULL && !is_film && (v->size_text != NULL || v->look != NULL))
    return hn_cli_wrong_call(v->command->name, "--size and --view need --png, --gif or --mp4 FILE");
  if (!is_film && (v->speed > 0 || v->rate > 0))
    return hn_cli_wrong_call(v->command->name, "--speed and --fps need --gif or --mp4 FILE");
  if ((v->png != NULL || is_film) && v->against != NULL)
    return hn_cli_wrong_call(v->command->name, "--against needs the browser or --html");
  if (v->live && (v->html == NULL || v->png != NULL || is_film || v->against != NULL))
    return hn_cli_wrong_call(v->command->name,
                             "--live needs --html FILE and excludes --png, --gif, "
                             "--mp4, --against. To run a model now: holon live MODEL");
  if (v->rate > 120) return hn_cli_wrong_call(v->command->name, "--fps %d is above 120", v->rate);
  if (v->port > 65535) {
    return hn_cli_wrong_call(v->command->name, "--port %d is above 65535", v->port);
  }
  int code = read_size(v);
  return code < 0 ? read_time(v) : code;
}

static int check_time(view *v) {
  const hn_scene *scene = v->folder.scene;
  double slack = 1e-6 * (scene->last - scene->first);
  if (v->time_text == NULL) v->time = scene->first;
  if (v->time >= scene->first - slack && v->time <= scene->last + slack) return -1;
  return hn_cli_wrong_call(v->command->name, "--time %g is outside the run. Use %g to %g s",
                           v->time, scene->first, scene->last);
}

// For a file of results, the folder it is in, as for plot. To be freed.
static char *folder_of(const char *path) {
  char *folder = hn_cli_copy(path), *end = strrchr(folder, '/');
  const char *name = end != NULL ? end + 1 : folder;
  if (strncmp(name, "results.", 8) != 0 || access(path, F_OK) != 0) return folder;
  if (end == NULL) {
    free(folder);
    return hn_cli_copy(".");
  }
  *end = '\0';
  return folder;
}

static int show(view *v, const char *path) {
  v->path = path;
  hn_status status = hn_cli_read_run(path, &v->folder, &v->error);
  if (status == HN_OK && v->against != NULL) {
    char *against = folder_of(v->against);
    status = hn_cli_read_run(against, &v->ghost, &v->error);
    free(against);
  }
  if (status != HN_OK) {
    hn_cli_print_error(&v->error);
    return HN_CLI_WRONG;
  }
  int code = check_time(v);
  if (code >= 0) return code;
  const char *const files[] = {v->html, v->png, v->gif, v->mp4};
  int wanted = 0;
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) wanted += files[k] != NULL;
  if (wanted == 0) return serve(v);
  if (v->html != NULL) status = write_page(v, v->html);
  if (status == HN_OK && wanted > (v->html != NULL)) status = write_pictures(v);
  if (status != HN_OK) {
    hn_cli_print_error(&v->error);
    return HN_CLI_FAILED;
  }
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
    if (files[k] != NULL) printf("%s\n", files[k]);
  return HN_CLI_DONE;
}

// The folder, and the second one of a comparison.
static int read_words(view *v, const hn_cli_option *options, int argc, char **argv,
                      const char **path) {
  hn_cli_list words = {0};
  int code = hn_cli_parse(v->command, options, argc, argv, &words, 1, 2);
  if (code < 0 && words.count == 2 && v->against != NULL)
    code = hn_cli_wrong_call(v->command->name, "--against excludes a second DIR");
  if (code < 0) *path = words.items[0];
  if (code < 0 && words.count == 2) v->against = words.items[1];
  hn_cli_list_free(&words);
  return code;
}

static int run(const hn_cli_command *command, int argc, char **argv) {
  view v = {.command = command};
  int mode = 0;
  const hn_cli_option options[] = {
      {"mode", 0, HN_CLI_COUNT, &mode, "K", "show mode K of `holon linearize --shapes DIR`", NULL},
      {"against", 0, HN_CLI_STRING, &v.against, "DIR2", "the same as DIR2 after DIR", NULL},
      {"html", 0, HN_CLI_STRING, &v.html, "FILE", "write a self-contained page", NULL},
      {"live", 0, HN_CLI_FLAG, &v.live, NULL,
       "with --html: a page in which the model runs, too; takes MODEL or DIR", NULL},
      {"png", 0, HN_CLI_STRING, &v.png, "FILE", "write a picture", NULL},
      {"gif", 0, HN_CLI_STRING, &v.gif, "FILE", "write an animated GIF", NULL},
      {"mp4", 0, HN_CLI_STRING, &v.mp4, "FILE", "write an MP4 video (needs ffmpeg)", NULL},
      {"time", 0, HN_CLI_STRING, &v.time_text, "T", "time of the picture, s (start)", NULL},
      {"moments", 0, HN_CLI_COUNT, &v.moments, "N",
       "picture: N moments of the whole run and the wheel tracks", NULL},
      {"speed", 0, HN_CLI_POSITIVE, &v.speed, "X",
       "GIF and MP4: simulated seconds per second (1, less for short runs)", NULL},
      {"fps", 0, HN_CLI_COUNT, &v.rate, "N", "GIF and MP4: frames per second (30; GIF 25)", NULL},
      {"size", 0, HN_CLI_STRING, &v.size_text, "WxH", "in pixels (1280x720; GIF 640x360)", NULL},
      {"view", 0, HN_CLI_STRING, &v.look, "NAME",
       "camera of picture and animation (iso; front of a plane mechanism):", choice_view},
      {"port", 0, HN_CLI_COUNT, &v.port, "N", "port of the server (any free one)", NULL},
      {"no-open", 0, HN_CLI_FLAG, &v.no_open, NULL, "print the address; do not open a browser",
       NULL},
      {0},
  };
  const char *path = NULL;
  int code = read_words(&v, options, argc, argv, &path);
  if (code < 0) code = check_call(&v);
  hn_cli_text place = {0}; // of the mode
  if (code < 0 && mode > 0) {
    hn_cli_add(&place, "%s/mode-%d", path, mode);
    path = place.data;
  }
  if (code < 0) code = v.live && !hn_is_folder(path) ? write_live(&v, path) : show(&v, path);
  hn_string_free(&place);
  hn_run_files_free(&v.folder);
  hn_run_files_free(&v.ghost);
  return code;
}

const hn_cli_command hn_cli_view_command = {
    .name = "view",
    .arguments = "DIR [DIR2] [options]",
    .summary = "show a run in 3-D in the browser",
    .details =
        "Opens the run in the browser and prints the address; the server runs until Ctrl-C.\n"
        "A second run of the model, DIR2, is shown as a ghost, with the differences of its "
        "signals.\n"
        "Only this computer (127.0.0.1) can connect, and only with the secret in the address.\n"
        "With --html, --png, --gif or --mp4 it writes files and exits. The Live button runs the "
        "model in "
        "the page.\n",
    .example = "  holon view out/iltis\n"
               "  holon view out/iltis out/stiffer\n"
               "  holon view out/iltis --html iltis.html\n"
               "  holon view models/iltis/iltis.yaml --live --html iltis-live.html\n"
               "  holon view out/modes --mode 3\n"
               "  holon view out/iltis --png stairs.png --time 2.9 --view side\n"
               "  holon view out/iltis --mp4 iltis.mp4 --speed 0.5\n",
    .run = run,
};
