// Poles and Bode diagrams, as a drawing or as a page with modes.
#include "linearize.h"
#include "pages.h"

#include <string.h>

static hn_status write_page(const hn_cli_session *session, const hn_linear *l, const char *path,
                            hn_error *error) {
  const hn_page_head head = hn_cli_page_head(session);
  char *page = NULL;
  size_t size = 0;
  hn_status status = hn_linear_page(hn_cli_pages(), &head, l, session->simulation, &page, &size);
  return hn_cli_write_page(path, status, page, size, error);
}

hn_status hn_cli_linearize_plot(const hn_cli_session *session, const hn_linear *l, const char *path,
                                hn_error *error) {
  const char *ending = strrchr(path, '.');
  const int is_page = ending != NULL && strcmp(ending, ".html") == 0;
  return is_page ? write_page(session, l, path, error)
                 : hn_linear_plot(l, session->name, path, error);
}

// DIR/mode-1, DIR/mode-2, ..., which `holon view DIR --mode K` shows.
hn_status hn_cli_linearize_shapes(const hn_cli_session *session, const hn_linear *linear,
                                  const char *folder, hn_error *error) {
  enum { most_modes = 200 };
  hn_status status = HN_OK;
  for (int k = 0; status == HN_OK && k < linear->mode_count && k < most_modes; k++) {
    hn_cli_text path = {0};
    hn_scene *scene = NULL;
    hn_cli_add(&path, "%s/mode-%d", folder, k + 1);
    status = hn_make_folders(path.data, error);
    if (status == HN_OK) status = hn_mode_scene(session->simulation, linear, k, &scene, error);
    if (status == HN_OK) status = hn_scene_write(scene, path.data, error);
    hn_scene_free(scene);
    hn_string_free(&path);
  }
  return status;
}
