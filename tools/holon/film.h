// Stills and films of a run, drawn by the library.
#ifndef HN_CLI_FILM_H
#define HN_CLI_FILM_H

#include "cli.h"

typedef struct hn_cli_film {
  const hn_scene *scene;
  hn_picture_options picture;
  double speed; // seconds of the run in a second of the film; 0: chosen
  int rate;     // frames a second; 0: default
  int is_quiet; // no progress
} hn_cli_film;

hn_status hn_cli_write_png(const char *path, const hn_cli_film *film, hn_error *error);
hn_status hn_cli_write_gif(const char *path, const hn_cli_film *film, hn_error *error);
// By ffmpeg, which must be on the PATH (or in HOLON_FFMPEG).
hn_status hn_cli_write_mp4(const char *path, const hn_cli_film *film, hn_error *error);

#endif
