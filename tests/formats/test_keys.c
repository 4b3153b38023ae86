// The table of keys: complete, consistent, and the source of the tables in docs/reference/model.
//
//   test_keys --page FILE      prints a page of the reference with fresh tables (scripts/make-reference)
#include "formats/keys.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/load.h"
#include "holon/model.h"
#include "support/check.h"

#define INDEX "docs/reference/model-format.md"
#define FOLDER "docs/reference/model"
#define PAGES 40 // at most

// ---- the table itself ---------------------------------------------------------------------------

static void every_type_of_joint_and_force_has_a_section(void **state) {
  (void)state;
  for (int k = 0; k < HN_JOINT_TYPES; k++)
    assert_non_null(hn_section_find("joint", hn_joint_type_name((hn_joint_type)k)));
  for (int k = 0; k < HN_FORCE_TYPES; k++)
    if (k != HN_FORCE_USER && k != HN_FORCE_CONTACT && // made of contacts
        k != HN_FORCE_ROLLING_TYRE &&                  // in files a tyre with a model
        k != HN_FORCE_COUPLING)                        // made of laws of signals
      assert_non_null(hn_section_find("force", hn_force_type_name((hn_force_type)k)));
}

static int has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return 1;
  return 0;
}

static void rows_are_complete(void **state) {
  (void)state;
  const hn_section *section;
  for (int s = 0; (section = hn_section_at(s)); s++) {
    assert_true(section->key_count > 0 && section->key_count <= HN_SECTION_KEYS);
    for (int k = 0; k < section->key_count; k++) {
      const hn_key *key = &section->keys[k];
      assert_true(key->name[0] && key->description[0] && key->default_text[0]);
      for (int other = 0; other < k; other++)
        assert_string_not_equal(key->name, section->keys[other].name);
      if (key->type == HN_KEY_SECTION || key->type == HN_KEY_ENTRIES || key->type == HN_KEY_LIST)
        assert_non_null(hn_section_find(key->detail, NULL));
      if (key->type == HN_KEY_CHOICE) assert_true(key->detail[0] != '\0');
    }
    // Words at `type:` and variants are the same set.
    if (section->variant) {
      int type = hn_section_key(section, "type");
      char words[HN_KEY_WORDS];
      assert_true(type >= 0 && has_word(hn_key_words(&section->keys[type], words, sizeof words),
                                        section->variant));
    }
    // Filters name keys that exist.
    char only[512] = "";
    if (hn_section_only(section)) strcpy(only, hn_section_only(section));
    for (char *word = strtok(only, " "); word; word = strtok(NULL, " "))
      if (hn_section_key(section, word) < 0) fail_msg("%s: no key %s", section->title, word);
  }
}

// ---- tables for the reference -------------------------------------------------------------------

static const char *unit_of(const hn_key *key) {
  if (key->meaning >= HN_COORDINATE_VALUE && key->meaning <= HN_COORDINATE_DAMPING) {
    static const char *const units[] = {"m or rad", "m/s or rad/s", "N or N m", "N/m or N m/rad",
                                        "N s/m or N m s/rad"};
    return units[key->meaning - HN_COORDINATE_VALUE];
  }
  if (key->type == HN_KEY_SIX_NUMBERS)
    return key->meaning == HN_STIFFNESS ? "N/m, N m/rad" : "N s/m, N m s/rad";
  return key->meaning == HN_NUMBER || key->meaning >= HN_MEANINGS ? ""
                                                                  : hn_meaning_unit(key->meaning);
}

static void print_words(FILE *out, const char *words) {
  for (const char *at = words; *at;) {
    size_t length = strcspn(at, " ");
    fprintf(out, "%s`%.*s`", at == words ? "" : ", ", (int)length, at);
    at += length + (at[length] == ' ');
  }
}

// Which variants have a key; all of them is not worth saying.
static void print_variants(FILE *out, const char *name, const char *key) {
  const hn_section *section;
  int have = 0, all = 0, first = 1;
  for (int s = 0; (section = hn_section_at(s)); s++)
    if (strcmp(section->name, name) == 0) {
      all++;
      have += hn_section_key(section, key) >= 0;
    }
  if (have == all) {
    fputs("all", out);
    return;
  }
  if (have > 9) fputs("all but ", out);
  for (int s = 0; (section = hn_section_at(s)); s++)
    if (strcmp(section->name, name) == 0 && (hn_section_key(section, key) >= 0) == (have <= 9)) {
      fprintf(out, "%s%s", first ? "" : ", ", section->variant);
      first = 0;
    }
}

static int has_page(const char *section) {
  char path[100];
  snprintf(path, sizeof path, FOLDER "/%s.md", section);
  FILE *page = fopen(path, "r");
  if (page) fclose(page);
  return page != NULL;
}

// Keys of every named entry, and of those with a condition: in a table of their own (common).
static int is_common(const char *key) { return has_word("repeat if when starts ends", key); }

static void print_row(FILE *out, const hn_section *section, int place, int by_variant) {
  const hn_key *key = &section->keys[place];
  char words[HN_KEY_WORDS];
  if (strcmp(section->name, "model") == 0 && has_page(key->name))
    fprintf(out, "| [`%s`](model/%s%s) | ", key->name, key->name, ".md");
  else
    fprintf(out, "| `%s` | ", key->name);
  if (key->type == HN_KEY_CHOICE && strcmp(key->name, "type") != 0)
    print_words(out, hn_key_words(key, words, sizeof words));
  else if (key->type == HN_KEY_LAW)
    fprintf(out, "function of %s", key->detail);
  else if (key->type == HN_KEY_THREE_LAWS)
    fprintf(out, "three functions of %s", key->detail);
  else if (key->type == HN_KEY_NAME)
    fprintf(out, "name of a %s", key->detail);
  else if (key->type == HN_KEY_TWO_NAMES || key->type == HN_KEY_NAMES)
    fprintf(out, "%s%s", key->type == HN_KEY_NAMES ? "list of " : "two ",
            strcmp(key->detail, "body") == 0    ? "bodies"
            : strcmp(key->detail, "joint") == 0 ? "joints"
                                                : "markers");
  else
    fputs(hn_key_type_name(key->type), out);
  fprintf(out, " | %s | %s | %s |", unit_of(key), key->default_text, key->description);
  if (by_variant) {
    fputc(' ', out);
    print_variants(out, section->name, key->name);
    fputs(" |", out);
  }
  fputc('\n', out);
}

static void print_table(FILE *out, const char *name, const char *variant) {
  int common = strcmp(name, "common") == 0;
  const hn_section *section =
      common ? hn_section_find("driver", NULL) : hn_section_find(name, variant);
  if (!section) {
    fprintf(stderr, "no section %s\n", name);
    exit(1);
  }
  // Joints and roads share their entries, forces have their own. A state has a `when` of its own.
  int by_variant = section->variant && !variant, is_state = strcmp(name, "state") == 0;
  fprintf(out, "\n| key | value | unit | default | meaning |%s\n|---|---|---|---|---|%s\n",
          by_variant ? " types |" : "", by_variant ? "---|" : "");
  for (int k = 0; k < section->key_count; k++) {
    const char *key = section->keys[k].name;
    if (is_common(key) != common && !(is_state && strcmp(key, "when") == 0)) continue;
    if (by_variant || hn_section_has(section, k)) print_row(out, section, k, by_variant);
  }
  fputc('\n', out);
}

// Prints the page with the tables between its marks generated again.
static void print_page(FILE *page, FILE *out) {
  char line[2000], name[64], variant[64];
  int skipping = 0;
  while (fgets(line, sizeof line, page)) {
    if (strncmp(line, "<!-- end of keys", 16) == 0) skipping = 0;
    if (!skipping) fputs(line, out);
    int parts = sscanf(line, "<!-- keys %63[a-z-] %63[a-z-] -->", name, variant);
    if (parts < 1) continue;
    print_table(out, name, parts == 2 && strcmp(variant, "--") != 0 ? variant : NULL);
    skipping = 1;
  }
}

// The pages of the reference, index from 0: the one of all sections, then those of the folder.
static int list_pages(char pages[][120], int capacity) {
  int count = 1;
  snprintf(pages[0], 120, "%s", INDEX);
  DIR *folder = opendir(FOLDER);
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (strstr(entry->d_name, ".md")) {
      assert_true(count < capacity);
      snprintf(pages[count++], 120, FOLDER "/%.80s", entry->d_name);
    }
  closedir(folder);
  return count;
}

static void check_page(const char *path) {
  FILE *page = fopen(path, "r"), *made = tmpfile();
  assert_non_null(page);
  assert_non_null(made);
  print_page(page, made);
  rewind(page);
  rewind(made);
  int line = 1, a, b;
  do {
    a = fgetc(page);
    b = fgetc(made);
    if (a != b) fail_msg("%s:%d is out of date: run scripts/make-reference", path, line);
    line += a == '\n';
  } while (a != EOF);
  fclose(page);
  fclose(made);
}

static void the_reference_is_up_to_date(void **state) {
  (void)state;
  char pages[PAGES][120];
  int count = list_pages(pages, PAGES);
  assert_true(count > 20);
  for (int k = 0; k < count; k++) check_page(pages[k]);
}

static char *read_pages(void) {
  static char text[400000];
  char pages[PAGES][120];
  int count = list_pages(pages, PAGES);
  size_t size = 0;
  for (int k = 0; k < count; k++) {
    FILE *page = fopen(pages[k], "r");
    assert_non_null(page);
    size += fread(text + size, 1, sizeof text - 1 - size, page);
    fclose(page);
  }
  text[size] = '\0';
  return text;
}

static void every_section_key_and_unit_is_documented(void **state) {
  (void)state;
  const char *page = read_pages();
  const hn_section *section;
  char mark[200];
  for (int s = 0; (section = hn_section_at(s)); s++) {
    for (int k = 0; k < section->key_count; k++) {
      const char *key = section->keys[k].name;
      int is_linked = strcmp(section->name, "model") == 0 && has_page(key);
      snprintf(mark, sizeof mark, is_linked ? "| [`%s`](" : "| `%s` |", key);
      if (!strstr(page, mark)) fail_msg("%s: %s", section->title, mark);
    }
    if (!section->variant) continue;
    snprintf(mark, sizeof mark, "%s", section->variant);
    if (!strstr(page, mark)) fail_msg("type %s", mark);
  }
  for (int k = 0; hn_list_units(k); k++) {
    snprintf(mark, sizeof mark, "`%s`", hn_list_units(k));
    if (!strstr(page, mark)) fail_msg("unit %s", mark);
  }
}

int main(int count, char **arguments) {
  if (count > 2 && strcmp(arguments[1], "--page") == 0) {
    FILE *page = fopen(arguments[2], "r");
    if (!page) return 1;
    print_page(page, stdout);
    fclose(page);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_of_joint_and_force_has_a_section),
      cmocka_unit_test(rows_are_complete),
      cmocka_unit_test(the_reference_is_up_to_date),
      cmocka_unit_test(every_section_key_and_unit_is_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
