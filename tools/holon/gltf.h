// A scene as animated glTF 2.0.
#ifndef HN_CLI_GLTF_H
#define HN_CLI_GLTF_H

#include "cli.h"

// Adds a .glb (binary) or a .gltf (JSON with the data inside). Frames from the first that is not
// finite on are left out; *frames says how many were written.
hn_status hn_cli_add_gltf(hn_cli_text *text, const hn_scene *scene, int binary, int *frames,
                          hn_error *error);

// ---- surfaces -----------------------------------------------------------------------------------

// Corners with normals, smooth where faces meet flatter than 40 degrees.
typedef struct hn_cli_surface {
  float *positions, *normals; // (3 * vertex_count)
  unsigned *indices;          // (3 * triangle_count)
  int vertex_count, triangle_count;
} hn_cli_surface;
void hn_cli_surface_make(const hn_mesh *mesh, hn_cli_surface *surface);
void hn_cli_surface_free(hn_cli_surface *surface);

#endif
