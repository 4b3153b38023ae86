// Sealed components: their files, and both sides of holon/component.h.
//
// A file FILE.hnc is the component runtime (a shared object with Holon's own code) followed by
//   public    lines of "word value": what the maker shows
//   sealed    the model files it was made from, unreadable as text
//   trailer   where these are, and a checksum
// The sealed text is loaded by the same loader as open files, placed the same way: so the numbers are
// the same, bit by bit.
#ifndef HN_COMPONENTS_SEALED_H
#define HN_COMPONENTS_SEALED_H

#include "elements/elements.h"
#include "holon/component.h"

// ---- sealed_file.c ------------------------------------------------------------------------------

typedef struct hn_sealed_file {
  char *data; // the whole file, to be freed by hn_sealed_file_close
  size_t size;
  const char *public_text;
  size_t public_size;
  const char *sealed; // sealed, as in the file
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

// ---- published.c --------------------------------------------------------------------------------

// Describes the first fault of published contacts, shapes, links and followed outputs; null: none.
// They come from code of someone else.
const char *hn_component_fault(const hn_component_facts *facts);

// ---- inside a component ----------------------------------------------------------

struct hn_component {
  hn_arena arena;
  hn_model *model; // bodies of the user (component 0), then the component (1) and those inside it
  hn_elements *elements;
  hn_component_facts facts;
  int *switch_force, *motion_driver; // those whose branch changes (switch_count, motion_count)
  unsigned long long checksum;
};

#endif
