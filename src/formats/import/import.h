// An import and how it is made; the public face is holon/import.h.
#ifndef HN_FORMATS_IMPORT_IMPORT_H
#define HN_FORMATS_IMPORT_IMPORT_H

#include "formats/import/machine.h"
#include "formats/overlay.h"
#include "formats/tree.h"

struct hn_import {
  hn_arena arena;
  hn_machine machine;
  hn_node *root;
  const char *yaml, *json, *proposals;
  int tags;
  int count[HN_IMPORT_FATES];
  hn_import_item *items[HN_IMPORT_FATES]; // by their places in the file
};

// Reads a file of another format as the tree of a model. Everything lives in the arena.
hn_status hn_import_tree(hn_arena *arena, const char *text, size_t size, const char *path,
                         const hn_import_options *options, hn_machine *machine,
                         struct hn_node **root, hn_error *error);
// Fills the lists by import status.
void hn_import_collect(hn_import *import);

#endif
