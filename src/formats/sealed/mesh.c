// Meshes of a sealed component, included since their masses may be needed, in one form whatever
// their files were: an OBJ text of the unmodified vertices, with all their bits, and the triangles
// in their order. The user of the component does not draw them.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "formats/geometry.h"
#include "formats/sealed/text.h"
#include "formats/text_file.h"
#include "model/mesh.h"

enum { VERTEX_TEXT = 3 * HN_NUMBER_TEXT + 8, TRIANGLE_TEXT = 48 };

hn_status hn_sealed_take_mesh(hn_loader *loader, const char *path, const char *text, size_t size) {
  hn_kept_mesh *kept = HN_TAKE(&loader->arena, hn_kept_mesh, 1);
  char *copy = HN_TAKE(&loader->arena, char, size + 1);
  if (!kept || !copy) return HN_ERROR_MEMORY;
  if (size > 0) memcpy(copy, text, size);
  *kept = (hn_kept_mesh){path, copy, size, loader->kept_meshes};
  loader->kept_meshes = kept;
  return HN_OK;
}

static hn_kept_mesh *write_mesh(hn_arena *arena, const hn_mesh *mesh) {
  size_t room =
      (size_t)mesh->vertex_count * VERTEX_TEXT + (size_t)mesh->triangle_count * TRIANGLE_TEXT + 1;
  hn_kept_mesh *kept = HN_TAKE(arena, hn_kept_mesh, 1);
  char *text = HN_TAKE(arena, char, room), *at = text;
  if (!kept || !text) return NULL;
  for (int k = 0; k < mesh->vertex_count; k++) {
    char x[3][HN_NUMBER_TEXT];
    for (int i = 0; i < 3; i++) hn_number_text(x[i], mesh->vertices[3 * k + i]);
    at += snprintf(at, VERTEX_TEXT, "v %s %s %s\n", x[0], x[1], x[2]);
  }
  for (int k = 0; k < mesh->triangle_count; k++) {
    const int *c = &mesh->triangles[3 * k];
    at += snprintf(at, TRIANGLE_TEXT, "f %d %d %d\n", c[0] + 1, c[1] + 1, c[2] + 1);
  }
  kept->text = text;
  kept->size = (size_t)(at - text);
  return kept;
}

static hn_status keep_mesh(hn_loader *loader, const char *path, hn_error *error) {
  for (const hn_kept_mesh *k = loader->kept_meshes; k; k = k->next)
    if (strcmp(k->path, path) == 0) return HN_OK;
  hn_mesh *mesh = NULL;
  hn_status status = hn_mesh_read(path, 1, NULL, &mesh, error);
  if (status != HN_OK) return status;
  hn_kept_mesh *kept = write_mesh(&loader->arena, mesh);
  hn_mesh_free(mesh);
  if (!kept) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for %s", path);
  kept->path = path;
  kept->next = loader->kept_meshes;
  loader->kept_meshes = kept;
  return HN_OK;
}

static hn_status keep_shape(hn_loader *loader, const char *file, const hn_node *shape,
                            hn_error *error) {
  const hn_node *mesh = shape && shape->kind == HN_NODE_MAP ? hn_node_get(shape, "mesh") : NULL;
  if (!mesh || !mesh->text || strchr(mesh->text, '{') || hn_path_is_absolute(mesh->text))
    return HN_OK;
  const char *path = hn_path_join(&loader->arena, file, mesh->text);
  return path ? keep_mesh(loader, path, error) : HN_ERROR_MEMORY;
}

hn_status hn_sealed_keep_meshes(hn_loader *loader, const hn_loaded_file *file, hn_error *error) {
  const hn_node *bodies = hn_node_get(file->root, "bodies");
  const hn_node *body = bodies && bodies->kind == HN_NODE_MAP ? bodies->first : NULL;
  hn_status status = HN_OK;
  for (; body && status == HN_OK; body = body->next) {
    if (body->kind != HN_NODE_MAP) continue;
    const hn_node *shapes = hn_node_get(body, "shapes");
    status = keep_shape(loader, file->path, hn_node_get(body, "shape"), error);
    const hn_node *n = shapes && shapes->kind == HN_NODE_LIST ? shapes->first : NULL;
    for (; n && status == HN_OK; n = n->next) status = keep_shape(loader, file->path, n, error);
  }
  const char *path;
  for (int k = 0; status == HN_OK && (path = hn_model_files_mesh_path(loader->files, k)) != NULL;
       k++)
    status = keep_mesh(loader, path, error);
  return status;
}
