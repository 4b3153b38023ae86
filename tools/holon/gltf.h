// A scene as animated glTF 2.0.
#ifndef HN_CLI_GLTF_H
#define HN_CLI_GLTF_H

#include "cli.h"

// Adds a .glb (binary) or a .gltf (JSON with the data inside). Frames from the first that is not
// finite on are left out; *frames says how many were written.
hn_status hn_cli_add_gltf(hn_cli_text *text, const hn_scene *scene, int binary, int *frames,
                          hn_error *error);

#endif
