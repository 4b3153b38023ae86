// Holon: pages for people, one self-contained HTML file each. Words and drawings are those of a
// template that viewer/ builds (viewer/dist); the library puts data into it. The command has the
// templates inside; a program reads them from where they are installed.
//
//   hn_pages pages = {.report = text, .report_size = size};
//   char *page = NULL;
//   hn_verify_page(&pages, &(hn_page_head){.model = model, .name = "press"}, verify, &page, NULL);
//   ... write it ...
//   hn_text_free(page);
//
// Functions here only read what they are given; any number of threads may call them.
#ifndef HOLON_PAGE_H
#define HOLON_PAGE_H

#include "holon/linear.h"
#include "holon/results.h"
#include "holon/scene.h"
#include "holon/store.h"
#include "holon/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

// The templates, the caller's. Without a report template there is no page, without a viewer no 3-D view.
typedef struct hn_pages {
  size_t size; // of this struct; 0: the first version
  const char *viewer;
  size_t viewer_size;
  const char *report;
  size_t report_size;
  const char *engine; // of live pages, gzipped WebAssembly
  size_t engine_size;
  const char *worker; // the script that runs it
  size_t worker_size;
} hn_pages;

// Head of a page. All members may be null.
typedef struct hn_page_head {
  size_t size; // of this struct; 0: the first version
  const hn_model *model;
  const char *name; // of the model
  const char *call; // what makes the page again
} hn_page_head;

// Makes a page of this kind ("linearize", "compare", "import"). members: a JSON object whose
// members the page gets in addition to those of its head. Free *text with hn_text_free; length may
// be null.
HN_API hn_status hn_page_make(const hn_pages *pages, const char *kind, const hn_page_head *head,
                              const char *members, char **text, size_t *length);
// Page of the results of hn_verify_model, with the spread of signals over time.
HN_API hn_status hn_verify_page(const hn_pages *pages, const hn_page_head *head,
                                const hn_verify *verify, char **text, size_t *length);
// A linearization: modes, poles, Bode diagrams. simulation: the one that was linearized.
HN_API hn_status hn_linear_page(const hn_pages *pages, const hn_page_head *head,
                                const hn_linear *linear, const hn_simulation *simulation,
                                char **text, size_t *length);

// ---- runs ---------------------------------------------------------------------------------------

// Files of a run, as read from its folder (hn_run_files_read). A zeroed one is empty. Texts are
// terminated; certificate, results: null if missing.
typedef struct hn_run_files {
  size_t size; // of this struct; 0: the first version
  hn_scene *scene;
  char *scene_text, *motion, *certificate;
  size_t scene_size, motion_size, certificate_size;
  hn_results *results;
  char *notes; // what is missing, cut off or damaged: a line each; null: nothing
} hn_run_files;

// Reads scene and motion, and certificate and results if they exist. *error names what is missing,
// cut off or of another version; a motion that is only shorter than promised is a note.
HN_API hn_status hn_run_files_read(const char *folder, hn_run_files *files, hn_error *error);
HN_API void hn_run_files_free(hn_run_files *files);
// The newest results.* of a folder, or the path itself if it is not a folder; free with
// hn_text_free. Null without memory.
HN_API char *hn_results_path(const char *source);
// hn_results_read, of a store too (hn_store_read). *note: what a store has lost, or that its run has not
// come to its end; for hn_text_free, null where there is nothing to say.
HN_API hn_status hn_results_open(const char *path, hn_results **results, char **note,
                                 hn_error *error);
// The same note of a store that was read in another way; null where there is nothing to say.
HN_API char *hn_store_note(const char *path, const hn_store_state *state);

// The viewer with runs inside. against: a second run, drawn behind the first; may be null. embedded: the
// small look, for reports.
HN_API hn_status hn_viewer_page(const hn_pages *pages, const hn_run_files *run,
                                const hn_run_files *against, int embedded, char **text,
                                size_t *length);
// The viewer with a model that runs in the page. model: JSON (LivePage in viewer/engine/protocol.ts).
// run: its results, which the page shows first; null: none.
HN_API hn_status hn_viewer_live_page(const hn_pages *pages, const char *model,
                                     const hn_run_files *run, const hn_run_files *against,
                                     char **text, size_t *length);
// Data that the viewer requests from a server: {"names": [...], "units": [...], "samples": N}, and
// N records of time and every signal, as 64-bit numbers, little endian. Free both with
// hn_text_free.
HN_API hn_status hn_viewer_signals(const hn_results *results, char **names, char **records,
                                   size_t *records_size);

#ifdef __cplusplus
}
#endif

#endif
