// Overlays: model files that change another one before it is loaded.
#ifndef HN_FORMATS_OVERLAY_H
#define HN_FORMATS_OVERLAY_H

#include "formats/tree.h"

// Reads the file at path and lays it over the tree `base`, which is changed: new names are added, known
// names take the keys given, `remove:` deletes. Everything lives in the arena.
hn_status hn_overlay_apply(hn_arena *arena, hn_node *base, const char *path, hn_error *error);
// The same for a tree that was read.
hn_status hn_overlay_merge(hn_arena *arena, hn_node *base, hn_node *over, hn_error *error);

#endif
