// A page of a template (holon/page.h), for callers that write members individually.
#ifndef HN_OUTPUT_PAGE_H
#define HN_OUTPUT_PAGE_H

#include "base/json_writer.h"
#include "holon/page.h"

// Opens the object and says what page it is for.
void hn_page_begin(hn_json_writer *json, const char *kind, const hn_page_head *head);
// Closes the object and makes the page; the JSON is freed. run: the model in 3-D, or null.
hn_status hn_page_end(hn_json_writer *json, const hn_pages *pages, const hn_run_files *run,
                      char **text, size_t *length);
// {"name": ..., "unit": ..., "time": [...], "values": [...]} in an array. Rows beyond what a plot can
// show are joined: the least and the largest value of each group stay.
void hn_json_series(hn_json_writer *json, const char *name, const char *unit, const double *time,
                    const double *values, int count);
// Scene and motion as files have them.
hn_status hn_run_files_of(hn_scene *scene, hn_run_files *files);

#endif
