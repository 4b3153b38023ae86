// Stills and films of a run (film.h).
#include "film.h"
#include "pages.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_frames = 20000 };

hn_status hn_cli_write_png(const char *path, const hn_cli_film *film, hn_error *error) {
  hn_picture *picture = NULL;
  unsigned char *bytes = NULL;
  size_t size = 0;
  int width, height;
  hn_status status = hn_picture_create(film->scene, &film->picture, &picture, error);
  if (status == HN_OK) status = hn_picture_draw(picture, film->picture.time, error);
  if (status == HN_OK) {
    hn_picture_size(picture, &width, &height);
    status = hn_png_encode(hn_picture_pixels(picture), width, height, &bytes, &size);
    if (status != HN_OK) hn_cli_out_of_memory();
    status = hn_file_write_bytes(path, (const char *)bytes, size, error);
  }
  hn_bytes_free(bytes);
  hn_picture_free(picture);
  return status;
}

// ---- frames -------------------------------------------------------------------------------------

// Where each frame goes.
typedef hn_status take_frame(void *context, const unsigned char *pixels, hn_error *error);

// Short runs are slowed down to four seconds, long ones last as long as they do.
static double speed_of(const hn_cli_film *film) {
  double length = film->scene->last - film->scene->first;
  if (film->speed > 0) return film->speed;
  return length < 4 && length > 0 ? length / 4 : 1;
}

static hn_status draw_frames(const hn_cli_film *film, int rate, take_frame *take, void *context,
                             hn_error *error) {
  const hn_scene *scene = film->scene;
  hn_picture *picture = NULL;
  double length = scene->last - scene->first, speed = speed_of(film);
  double wanted = floor(length / speed * rate + 1e-9) + 1;
  if (wanted > most_frames)
    return hn_cli_fail(error, HN_ERROR_LIMIT, "Choose a larger --speed or a smaller --fps.",
                       "an animation of %.0f frames is too long (at most %d)", wanted, most_frames);
  int shows = !film->is_quiet && isatty(2);
  hn_status status = hn_picture_create(scene, &film->picture, &picture, error);
  for (int k = 0; status == HN_OK && k < (int)wanted; k++) {
    status = hn_picture_draw(picture, fmin(scene->first + k * speed / rate, scene->last), error);
    if (status == HN_OK) status = take(context, hn_picture_pixels(picture), error);
    if (shows) fprintf(stderr, "\rframe %d of %.0f", k + 1, wanted);
  }
  if (shows) fprintf(stderr, "\r\033[K");
  hn_picture_free(picture);
  return status;
}

// ---- GIF ----------------------------------------------------------------------------------------

static hn_status to_gif(void *context, const unsigned char *pixels, hn_error *error) {
  (void)error;
  if (hn_gif_add(context, pixels) != HN_OK) hn_cli_out_of_memory();
  return HN_OK;
}

hn_status hn_cli_write_gif(const char *path, const hn_cli_film *film, hn_error *error) {
  int delay = film->rate > 0 ? (int)lround(100.0 / film->rate) : 4;
  hn_gif *gif = NULL;
  size_t size = 0;
  if (delay < 2) delay = 2; // less is not played by most
  hn_status status = hn_gif_create(film->picture.width, film->picture.height, delay, &gif);
  if (status != HN_OK) hn_cli_out_of_memory();
  status = draw_frames(film, 100 / delay, to_gif, gif, error);
  const unsigned char *bytes = status == HN_OK ? hn_gif_finish(gif, &size) : NULL;
  if (status == HN_OK && bytes == NULL) hn_cli_out_of_memory();
  if (status == HN_OK) status = hn_file_write_bytes(path, (const char *)bytes, size, error);
  hn_gif_free(gif);
  return status;
}

// ---- MP4 ----------------------------------------------------------------------------------------

static pid_t start_ffmpeg(char *const *words, int *input) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    execvp(words[0], words);
    _exit(127);
  }
  close(ends[0]);
  if (child < 0) close(ends[1]);
  *input = ends[1];
  return child;
}

typedef struct pipeline {
  int input;
  size_t size; // of a frame
} pipeline;

static hn_status to_pipe(void *context, const unsigned char *pixels, hn_error *error) {
  const pipeline *p = context;
  for (size_t done = 0; done < p->size;) {
    ssize_t count = write(p->input, pixels + done, p->size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return hn_cli_fail(error, HN_ERROR_FILE, NULL,
                         "ffmpeg stopped reading frames. See its message above");
    done += (size_t)count;
  }
  return HN_OK;
}

static hn_status judge_ffmpeg(pid_t child, const char *program, const char *path, hn_status status,
                              hn_error *error) {
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
  int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  if (code == 127)
    return hn_cli_fail(
        error, HN_ERROR_UNSUPPORTED,
        "Install it (Debian: ffmpeg), or write a GIF: --gif FILE needs nothing else.",
        "'%s' needs the program ffmpeg; '%s' cannot be started", path, program);
  if (code != 0)
    return hn_cli_fail(error, HN_ERROR_FILE, "See its message above, and rerun.",
                       "ffmpeg did not write '%s' (exit code %d)", path, code);
  return status;
}

// Written next to its destination: an earlier film stays if this fails.
hn_status hn_cli_write_mp4(const char *path, const hn_cli_film *film, hn_error *error) {
  const char *named = getenv("HOLON_FFMPEG");
  char *program = hn_cli_copy(named != NULL && named[0] != '\0' ? named : "ffmpeg");
  hn_cli_text size = {0}, rate = {0}, part = {0};
  pipeline p = {-1, 3 * (size_t)film->picture.width * (size_t)film->picture.height};
  int frames = film->rate > 0 ? film->rate : 30;
  hn_cli_add(&size, "%dx%d", film->picture.width, film->picture.height);
  hn_cli_add(&rate, "%d", frames);
  hn_cli_add(&part, "%s.%ld.part.mp4", path, (long)getpid());
  char *words[] = {program, (char[]){"-v"}, (char[]){"error"}, (char[]){"-y"}, (char[]){"-f"},
                   (char[]){"rawvideo"}, (char[]){"-pix_fmt"}, (char[]){"rgb24"}, (char[]){"-s"},
                   size.data, (char[]){"-r"}, rate.data, (char[]){"-i"}, (char[]){"-"},
                   // sizes are even for this format of colors, which every player knows
                   (char[]){"-vf"}, (char[]){"crop=trunc(iw/2)*2:trunc(ih/2)*2"},
                   (char[]){"-pix_fmt"}, (char[]){"yuv420p"}, (char[]){"-movflags"},
                   (char[]){"+faststart"}, part.data, NULL};
  signal(SIGPIPE, SIG_IGN);
  fflush(NULL);
  pid_t child = start_ffmpeg(words, &p.input);
  hn_status status = child < 0 ? hn_cli_fail(error, HN_ERROR_FILE, NULL,
                                             "cannot start '%s': %s. Check that it is installed",
                                             program, strerror(errno))
                               : draw_frames(film, frames, to_pipe, &p, error);
  if (child >= 0) {
    close(p.input);
    status = judge_ffmpeg(child, program, path, status, error);
  }
  if (status == HN_OK && rename(part.data, path) != 0)
    status = hn_cli_fail(error, HN_ERROR_FILE, NULL,
                         "cannot write '%s': %s. Check the path and the free space", path,
                         strerror(errno));
  if (status != HN_OK) remove(part.data);
  hn_string_free(&size);
  hn_string_free(&rate);
  hn_string_free(&part);
  free(program);
  return status;
}
