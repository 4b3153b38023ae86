// The pages that viewer/ builds stand whole in the command (.incbin), so that users need no other file.
#include "pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#define SECTION ".const_data"
#define SYMBOL(name) "_" name
#else
#define SECTION ".section .rodata"
#define SYMBOL(name) name
#endif

// A file of viewer/dist as the bytes between two symbols.
// clang-format off
#define EMBED(begin, end, file)                                                                    \
  __asm__(SECTION "\n.balign 16\n.global " SYMBOL(begin) "\n" SYMBOL(begin) ":\n"                  \
          ".incbin \"" file "\"\n.global " SYMBOL(end) "\n" SYMBOL(end) ":\n.byte 0\n.text\n")
// clang-format on

EMBED("hn_cli_viewer_begin", "hn_cli_viewer_end", HOLON_VIEWER_PAGE);
EMBED("hn_cli_template_begin", "hn_cli_template_end", HOLON_TEMPLATE_PAGE);
EMBED("hn_cli_engine_data", "hn_cli_engine_end", HOLON_ENGINE);
EMBED("hn_cli_worker_data", "hn_cli_worker_end", HOLON_WORKER);

extern const char hn_cli_viewer_begin[], hn_cli_viewer_end[];
extern const char hn_cli_template_begin[], hn_cli_template_end[];
extern const char hn_cli_engine_data[], hn_cli_engine_end[];
extern const char hn_cli_worker_data[], hn_cli_worker_end[];

const hn_pages *hn_cli_pages(void) {
  static hn_pages pages;
  pages = (hn_pages){.size = sizeof pages,
                     .viewer = hn_cli_viewer_begin,
                     .viewer_size = (size_t)(hn_cli_viewer_end - hn_cli_viewer_begin),
                     .report = hn_cli_template_begin,
                     .report_size = (size_t)(hn_cli_template_end - hn_cli_template_begin),
                     .engine = hn_cli_engine_data,
                     .engine_size = (size_t)(hn_cli_engine_end - hn_cli_engine_data),
                     .worker = hn_cli_worker_data,
                     .worker_size = (size_t)(hn_cli_worker_end - hn_cli_worker_data)};
  return &pages;
}

hn_page_head hn_cli_page_head(const hn_cli_session *session) {
  return (hn_page_head){.model = session->model, .name = session->name, .call = session->call.data};
}

hn_status hn_cli_write_page(const char *path, hn_status status, char *page, size_t size,
                            hn_error *error) {
  if (status != HN_OK) hn_cli_out_of_memory();
  status = hn_file_write_bytes(path, page, size, error);
  hn_text_free(page);
  return status;
}

// ---- folders of runs ----------------------------------------------------------------------------

void hn_cli_print_notes(const char *notes) {
  if (notes == NULL) return;
  char *all = hn_cli_copy(notes);
  for (char *line = strtok(all, "\n"); line != NULL; line = strtok(NULL, "\n"))
    fprintf(stderr, "holon: %s\n", hn_tame(line));
  free(all);
}

hn_status hn_cli_read_run(const char *folder, hn_run_files *files, hn_error *error) {
  hn_status status = hn_run_files_read(folder, files, error);
  if (status == HN_OK) hn_cli_print_notes(files->notes);
  return status;
}

hn_status hn_cli_read_results(const char *path, hn_results **results, hn_error *error) {
  char *note = NULL;
  hn_status status = hn_results_open(path, results, &note, error);
  hn_cli_print_notes(note);
  hn_text_free(note);
  return status;
}
