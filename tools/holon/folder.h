// The folder a run left behind, as view, export and plot read it.
#ifndef HN_CLI_FOLDER_H
#define HN_CLI_FOLDER_H

#include "cli.h"

// A zeroed one is empty. Texts are terminated; a null certificate or results: there is none.
typedef struct hn_cli_folder {
  const char *path;
  hn_scene *scene;
  char *scene_text, *motion, *certificate;
  size_t scene_size, motion_size, certificate_size;
  hn_results *results;
} hn_cli_folder;

// Reads scene and motion, and certificate and results where they are. *error tells what is missing,
// cut off or of another version; a motion that is only shorter than promised is told on stderr.
hn_status hn_cli_folder_open(const char *path, hn_cli_folder *folder, hn_error *error);
void hn_cli_folder_close(hn_cli_folder *folder);

// The newest results.* of a folder, or the path itself when it is none; to be freed.
char *hn_cli_find_results(const char *source);

// ---- for the viewer -----------------------------------------------------------------------------

// {"names": [...], "units": [...], "samples": N} and N records of time and every signal, as 64-bit
// numbers, little endian.
void hn_cli_add_signals_json(hn_cli_text *text, const hn_results *results);
void hn_cli_add_signals_records(hn_cli_text *bytes, const hn_results *results);

// The page of the viewer, built by viewer/.
const char *hn_cli_viewer_page(size_t *size);

// The page with the data inside. against may be null. embedded: the small look, for reports.
void hn_cli_add_viewer_page(hn_cli_text *text, const hn_cli_folder *folder,
                            const hn_cli_folder *against, int embedded);
// The template of reports with its data, a JSON object, inside, and the viewer as a JSON string (empty:
// none).
void hn_cli_add_template(hn_cli_text *text, const hn_cli_text *data, const hn_cli_text *frame);

// Opens a web address or file in the user's browser; 0 when there is no display or no opener.
int hn_cli_open_browser(const char *address);
// A picture of a page by headless Chromium. size in pixels.
hn_status hn_cli_picture(const char *address, const char *png, int width, int height,
                         hn_error *error);
// Runs a program to its end: its exit code, -1 when it cannot be started. quiet: without output.
int hn_cli_run_program(char *const *words, int quiet);

#endif
