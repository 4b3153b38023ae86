// Pages for people, pictures of pages, and folders of runs as view, export and plot read them.
#ifndef HN_CLI_PAGES_H
#define HN_CLI_PAGES_H

#include "session.h"

// The templates that viewer/ builds, inside the command.
const hn_pages *hn_cli_pages(void);

hn_page_head hn_cli_page_head(const hn_cli_session *session);
// Writes a page that the library made, and frees it. status: of making it.
hn_status hn_cli_write_page(const char *path, hn_status status, char *page, size_t size,
                            hn_error *error);
// hn_run_files_read and hn_results_open; what they note goes to stderr.
hn_status hn_cli_read_run(const char *folder, hn_run_files *files, hn_error *error);
hn_status hn_cli_read_results(const char *path, hn_results **results, hn_error *error);
void hn_cli_print_notes(const char *notes); // null: none

// Opens a web address or file in the user's browser; 0 when there is no display or no opener.
int hn_cli_open_browser(const char *address);
// A picture of a page by headless Chromium. size in pixels.
hn_status hn_cli_picture(const char *address, const char *png, int width, int height,
                         hn_error *error);
// Runs a program to its end: its exit code, -1 when it cannot be started. quiet: without output.
int hn_cli_run_program(char *const *words, int quiet);

#endif
