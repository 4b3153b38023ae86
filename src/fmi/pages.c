// For people: a picture of the model at its start, and a page that lists its
// variables.
#include "base/error.h"
#include "base/text.h"
#include "fmi/fmu.h"
#include "holon/picture.h"

enum { WIDTH = 640, HEIGHT = 480 };

static hn_status draw_start(const hn_fmu *fmu, unsigned char **bytes, size_t *size,
                            hn_error *error) {
  hn_scene *scene = NULL;
  hn_picture *picture = NULL;
  hn_status status = hn_scene_create(fmu->simulation, 1, 1, &scene, error);
  if (status == HN_OK) status = hn_scene_record(scene, fmu->simulation);
  if (status == HN_OK) status = hn_scene_finish(scene, "ok", "");
  const hn_picture_options options = {.width = WIDTH, .height = HEIGHT, .background = 0xffffff};
  hn_picture_options chosen = options;
  if (status == HN_OK) chosen.view = hn_picture_usual_view(scene);
  if (status == HN_OK) status = hn_picture_create(scene, &chosen, &picture, error);
  if (status == HN_OK) status = hn_picture_draw(picture, 0, error);
  if (status == HN_OK)
    status = hn_png_encode(hn_picture_pixels(picture), WIDTH, HEIGHT, bytes, size);
  hn_picture_free(picture);
  hn_scene_free(scene);
  return status;
}

static void list(const hn_fmu *fmu, hn_fmu_role role, const char *title, hn_string *page) {
  int count = 0;
  for (int k = 0; k < fmu->variable_count; k++) {
    const hn_fmu_exported *v = &fmu->variables[k];
    if (v->role != role) continue;
    if (count++ == 0)
      hn_string_add(page, "<h2>%s</h2>\n<table><tr><th>name<th>unit<th>start</tr>\n", title);
    hn_string_text(page, "<tr><td>");
    hn_string_xml(page, v->title);
    hn_string_text(page, "<td>");
    hn_string_xml(page, v->unit);
    hn_string_text(page, "<td>");
    if (role < HN_FMU_ROLE_OUTPUT) hn_string_number(page, v->start);
    hn_string_text(page, "</tr>\n");
  }
  if (count > 0) hn_string_text(page, "</table>\n");
}

static void fill_page(const hn_fmu *fmu, hn_string *page) {
  const char *title = hn_model_title(fmu->model);
  hn_string_text(page, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  hn_string_xml(page, hn_model_name(fmu->model));
  hn_string_text(page,
                 "</title>\n<style>:root{color-scheme:light dark}body{font:16px/1.5 sans-serif;"
                 "max-width:48rem;margin:2rem auto;padding:0 1rem}td,th{text-align:left;"
                 "padding:.1rem 1.5rem .1rem 0}img{max-width:100%}</style>\n<h1>");
  hn_string_xml(page, hn_model_name(fmu->model));
  hn_string_add(page, "</h1>\n<p>%s", title[0] ? "" : "A multibody model");
  hn_string_xml(page, title);
  hn_string_add(page, ". FMI %d.0, Co-Simulation, made by Holon %s.</p>\n", fmu->options->version,
                hn_version());
  hn_string_text(page, "<img src=\"model.png\" alt=\"the model at its start\">\n");
  list(fmu, HN_FMU_ROLE_PARAMETER, "Parameters", page);
  list(fmu, HN_FMU_ROLE_INPUT, "Inputs", page);
  list(fmu, HN_FMU_ROLE_OUTPUT, "Outputs", page);
  hn_string_text(page, "<p>Steps are those of the model's own error control, with events located "
                       "inside. All signals can be read as local variables.</p>\n</html>\n");
}

hn_status hn_fmu_add_pages(hn_fmu *fmu, hn_zip *zip, hn_error *error) {
  unsigned char *png = NULL;
  hn_zip_bytes picture = {NULL, 0};
  hn_string page = {.data = NULL};
  hn_status status = draw_start(fmu, &png, &picture.size, error);
  if (status != HN_OK) return status;
  picture.data = png;
  hn_zip_add(zip, fmu->options->version == 2 ? "model.png" : "terminalsAndIcons/icon.png", &picture,
             1);
  hn_zip_add(zip, "documentation/model.png", &picture, 1);
  hn_bytes_free(png);
  fill_page(fmu, &page);
  const hn_zip_bytes text = {page.data, page.length};
  if (page.is_lost)
    status = hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the FMU");
  else
    hn_zip_add(zip, "documentation/index.html", &text, 1);
  hn_string_free(&page);
  return status;
}
