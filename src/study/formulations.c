// Formulations: what the registry combines, as a list, and how little two of them share.
#include "holon/compare.h"

#include <string.h>

#include "base/error.h"
#include "base/glob.h"

static int is_same(const char *a, const char *b) { return strcmp(a, b) == 0; }

// The index runs over those that are built, in the order of the lists.
int hn_list_formulation(int index, hn_formulation *f) {
  for (int c = 0; (f->coordinates = hn_list_coordinates(c)) != NULL; c++)
    for (int m = 0; (f->method = hn_list_methods(m)) != NULL; m++)
      for (int k = 0; (f->formula = hn_list_formulas(k)) != NULL; k++)
        for (int i = 0; (f->independent = hn_list_independent(i)) != NULL; i++)
          if (hn_combination_is_built(f->coordinates, f->method, f->formula, f->independent,
                                      NULL) &&
              index-- == 0)
            return 1;
  return 0;
}

const char *hn_formulation_text(const hn_formulation *f, char *text, size_t size) {
  if (is_same(f->coordinates, "auto")) return hn_text(text, size, "auto");
  int is_plain = !f->independent || is_same(f->independent, "none");
  return hn_text(text, size, "%s/%s/%s%s%s", f->coordinates, f->method, f->formula,
                 is_plain ? "" : "/", is_plain ? "" : f->independent);
}

int hn_formulation_distance(const hn_formulation *a, const hn_formulation *b) {
  int distance = 0;
  int nested_a = is_same(a->method, "components"), nested_b = is_same(b->method, "components");
  if (!is_same(a->coordinates, b->coordinates) || nested_a != nested_b) distance += 4;
  if (!is_same(a->method, b->method)) distance += 2;
  if (!is_same(a->formula, b->formula)) distance += 2;
  if (!is_same(a->independent, b->independent)) distance += 1;
  return distance;
}

// ---- by words -----------------------------------------------------------------------------------

static int is_one_of(const char *word, const hn_formulation *f) {
  return hn_glob_match(word, f->coordinates) || hn_glob_match(word, f->method) ||
         hn_glob_match(word, f->formula) || hn_glob_match(word, f->independent);
}

static int is_preset(const char *item, const hn_formulation *f) {
  hn_preset p;
  return hn_find_preset(item, &p) && strcmp(f->coordinates, p.coordinates) == 0 &&
         strcmp(f->method, p.method) == 0 && strcmp(f->formula, p.formula) == 0 &&
         strcmp(f->independent, p.independent) == 0;
}

int hn_formulation_matches(const hn_formulation *f, const char *item) {
  if (is_preset(item, f)) return 1;
  while (*item) {
    const size_t length = strcspn(item, "/");
    char word[64];
    if (length >= sizeof word) return 0;
    memcpy(word, item, length);
    word[length] = '\0';
    if (length > 0 && !is_one_of(word, f)) return 0;
    item += length + (item[length] == '/');
  }
  return 1;
}
