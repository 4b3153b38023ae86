// The formulas of all files of formulas/: see formula.h.
#include "integrate/formula.h"

#include <stddef.h>
#include <string.h>

// FORMULA_FILE(NAME) for each file there; made by the build.
#define FORMULA_FILE(name) extern const hn_formula hn_formulas_in_##name[];
#include "integrate/formula_files.h"
#undef FORMULA_FILE

static const hn_formula *const files[] = {
#define FORMULA_FILE(name) hn_formulas_in_##name,
#include "integrate/formula_files.h"
#undef FORMULA_FILE
};

// Those without a place stand last, by name.
static int comes_before(const hn_formula *a, const hn_formula *b) {
  if ((a->place == 0) != (b->place == 0)) return a->place != 0;
  return a->place != b->place ? a->place < b->place : strcmp(a->name, b->name) < 0;
}

const hn_formula *hn_formula_at(int index) {
  const hn_formula *last = NULL;
  for (int k = 0; k <= index; k++) { // the first of those behind the one before
    const hn_formula *next = NULL;
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++)
      for (const hn_formula *row = files[f]; row->name; row++)
        if ((!last || comes_before(last, row)) && (!next || comes_before(row, next))) next = row;
    if (!next) return NULL;
    last = next;
  }
  return last;
}

const hn_formula *hn_formula_find(const char *name) {
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++)
    for (const hn_formula *row = files[f]; row->name; row++)
      if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

int hn_formula_iterates(const hn_formula *formula) {
  return ((unsigned)formula->kind & HN_FORMULAS_OF_STAGES) != 0;
}
