// Sealed components: their files, and both sides of holon/component.h.
//
// A file FILE.hnc is the component runtime (a shared object with Holon's own code) followed by
//   public    lines of "word value": what the maker shows
//   sealed    the model files it was made from, unreadable as text
//   trailer   where these are, and a checksum
// The sealed text is loaded by the same loader as open files, placed the same way: so the numbers are
// the same, bit by bit.
#ifndef HN_FORMATS_SEALED_H
#define HN_FORMATS_SEALED_H

#include "elements/elements.h"
#include "formats/fields.h"
#include "holon/component.h"

// ---- sealed_file.c ------------------------------------------------------------------------------

typedef struct hn_sealed_file {
  char *data; // the whole file, to be freed by hn_sealed_file_close
  size_t size;
  const char *public_text;
  size_t public_size;
  const char *sealed; // as it stands in the file
  size_t sealed_size;
  unsigned abi;
  unsigned long long checksum, seed;
} hn_sealed_file;

hn_status hn_sealed_file_open(const char *path, hn_sealed_file *file, hn_error *error);
void hn_sealed_file_close(hn_sealed_file *file);
hn_status hn_sealed_file_write(const char *path, const char *runtime, const char *public_text,
                               const char *sealed_text, size_t sealed_size, hn_error *error);
// SHA-256 of the whole file: what lists of trusted files hold.
const char *hn_sealed_digest(const hn_sealed_file *file, char text[HN_COMPONENT_CHECKSUM]);
// The sealed text made readable, in memory of the arena.
char *hn_sealed_text(hn_arena *arena, const hn_sealed_file *file);
// The next line "word value" after *at (0 first): 1 and its value, or 0 at the end. Control characters
// become question marks.
int hn_sealed_next(const hn_sealed_file *file, const char *word, size_t *at, char *value,
                   size_t size);

// ---- component.c --------------------------------------------------------------------------------

// The tree of a file that is used, read once; null on failure.
const hn_node *hn_component_file(hn_loader *loader, const char *path, const hn_node *used_at);

// ---- sealed_make.c ------------------------------------------------------------------------------

// Refuses by name what cannot work behind a border; with the values users give as well.
hn_status hn_sealed_check(const hn_model *model, hn_error *error);

// ---- sealed_part.c: inside a component ----------------------------------------------------------

struct hn_component {
  hn_arena arena;
  hn_model *model; // bodies of the user (component 0), then the component (1) and those inside it
  hn_elements *elements;
  hn_component_facts facts;
  int *switch_force, *motion_driver; // those whose branch changes (switch_count, motion_count)
  unsigned long long checksum;
};
hn_status hn_sealed_create(const hn_component_setup *setup, hn_component **component,
                           hn_error *error);
void hn_sealed_destroy(hn_component *component);

// ---- sealed_run.c -------------------------------------------------------------------------------

const hn_component_api *hn_sealed_api(void);

// ---- sealed_use.c: in the model that uses one ---------------------------------------------------

int hn_path_is_sealed(const char *path); // ends in .hnc
// Registers the component's border under its name; scope: of the component, its placement known.
void hn_sealed_register(hn_entry *entry, hn_fields *fields, hn_scope *scope, const char *path);
// The hn_body_record and hn_drawn_frame of what its border shows; the component is placed first where
// it has not been. Null on failure.
const void *hn_sealed_body(hn_entry *body);
const void *hn_sealed_marker(hn_entry *marker);
// Adds all its bodies to the model, when the first of them is loaded.
void hn_sealed_load(hn_entry *body);
void hn_sealed_abandon(hn_loader *loader);

#endif
