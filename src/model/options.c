// The rows of holon/options.h, and reading and writing the members that they describe.
#include "model/options.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
  LIBRARY = HN_OPTION_AT_LIBRARY,
  COMMAND = HN_OPTION_AT_COMMAND,
  BITS = HN_OPTION_AT_BITS,
  MODEL = HN_OPTION_AT_MODEL
};

#define UNIT_ONE ""
#define UNIT_SECOND "s"
#define UNIT_JOULE "J"

#define HAS_WORD(name) 0
#define HAS_SIZE(name) 0
#define HAS_COUNT(name) 0
#define HAS_NUMBER(name) offsetof(hn_simulation_defaults, has_##name)

#define FACTS(name, kind, unit, least, most, usual, argument, places, help)                        \
  {                                                                                                \
#name, HN_OPTION_##kind, UNIT_##unit, least, most, usual, argument, help, places,              \
        offsetof(hn_simulation_options, name)                                                      \
  }
#define MODEL_ROW(name, kind, unit, least, most, usual, argument, whose, places, words, help)      \
  {FACTS(name, kind, unit, least, most, usual, argument, (places) | MODEL, help), HN_OF_##whose,   \
   words, offsetof(hn_simulation_defaults, name), HAS_##kind(name)},
#define RUN_ROW(name, kind, unit, least, most, usual, argument, whose, places, words, help)        \
  {FACTS(name, kind, unit, least, most, usual, argument, places, help), HN_OF_##whose, words, 0, 0},

static const hn_option_row rows[] = {HN_MODEL_OPTION_LIST(MODEL_ROW) HN_RUN_OPTION_LIST(RUN_ROW)};

const hn_option_row *hn_option_row_at(int index) {
  return index >= 0 && index < HN_OPTION_COUNT_ALL ? &rows[index] : NULL;
}

const hn_option *hn_option_at(int index) {
  const hn_option_row *row = hn_option_row_at(index);
  return row ? &row->option : NULL;
}

const hn_option *hn_option_find(const char *name) {
  for (int k = 0; k < HN_OPTION_COUNT_ALL; k++)
    if (strcmp(rows[k].option.name, name) == 0) return &rows[k].option;
  return NULL;
}

// ---- members ------------------------------------------------------------------------------------

static double read_number(hn_option_kind kind, const void *member) {
  switch (kind) {
  case HN_OPTION_SIZE:
  case HN_OPTION_NUMBER: return *(const double *)member;
  case HN_OPTION_COUNT:
  case HN_OPTION_FLAG: return *(const int *)member;
  case HN_OPTION_LONG: return (double)*(const long *)member;
  case HN_OPTION_WORD: break;
  }
  return NAN;
}

static void write_number(hn_option_kind kind, void *member, double number) {
  switch (kind) {
  case HN_OPTION_SIZE:
  case HN_OPTION_NUMBER: *(double *)member = number; break;
  case HN_OPTION_COUNT:
  case HN_OPTION_FLAG: *(int *)member = (int)number; break;
  case HN_OPTION_LONG: *(long *)member = (long)number; break;
  case HN_OPTION_WORD: break;
  }
}

static const void *member_of(const hn_option_row *row, const hn_simulation_options *options) {
  return (const char *)options + row->option.offset;
}

static const void *suggestion_of(const hn_option_row *row, const hn_simulation_defaults *defaults) {
  return (const char *)defaults + row->suggested;
}

static int is_open_word(const char *word) { return !word || strcmp(word, "auto") == 0; }

int hn_option_is_said(const hn_option_row *row, const hn_simulation_options *options) {
  const hn_option_kind kind = row->option.kind;
  if (kind == HN_OPTION_WORD) return !is_open_word(hn_option_text(row, options));
  const double value = read_number(kind, member_of(row, options));
  return kind == HN_OPTION_NUMBER ? !isnan(value) : value != 0;
}

double hn_option_number(const hn_option_row *row, const hn_simulation_options *options) {
  return read_number(row->option.kind, member_of(row, options));
}

const char *hn_option_text(const hn_option_row *row, const hn_simulation_options *options) {
  return *(const char *const *)member_of(row, options);
}

// ---- suggestions --------------------------------------------------------------------------------

int hn_default_is_said(const hn_option_row *row, const hn_simulation_defaults *defaults) {
  if (row->option.kind == HN_OPTION_WORD) return !is_open_word(hn_default_text(row, defaults));
  if (row->is_suggested > 0) return *(const int *)((const char *)defaults + row->is_suggested);
  return hn_default_number(row, defaults) > 0;
}

double hn_default_number(const hn_option_row *row, const hn_simulation_defaults *defaults) {
  return read_number(row->option.kind, suggestion_of(row, defaults));
}

const char *hn_default_text(const hn_option_row *row, const hn_simulation_defaults *defaults) {
  return *(const char *const *)suggestion_of(row, defaults);
}

void hn_default_set(const hn_option_row *row, hn_simulation_defaults *defaults, double number,
                    const char *text) {
  void *member = (char *)defaults + row->suggested;
  if (row->option.kind == HN_OPTION_WORD)
    *(const char **)member = text;
  else
    write_number(row->option.kind, member, number);
  if (row->is_suggested > 0) *(int *)((char *)defaults + row->is_suggested) = 1;
}

void hn_option_complete(const hn_option_row *row, hn_simulation_options *options,
                        const hn_simulation_defaults *defaults) {
  void *member = (char *)options + row->option.offset;
  if (!(row->option.places & HN_OPTION_AT_MODEL) || hn_option_is_said(row, options)) return;
  if (!hn_default_is_said(row, defaults)) return;
  if (row->option.kind == HN_OPTION_WORD)
    *(const char **)member = hn_default_text(row, defaults);
  else
    write_number(row->option.kind, member, hn_default_number(row, defaults));
}

void hn_option_copy(const hn_option_row *row, hn_simulation_options *to,
                    const hn_simulation_options *from) {
  void *member = (char *)to + row->option.offset;
  if (row->option.kind == HN_OPTION_WORD)
    *(const char **)member = hn_option_text(row, from);
  else
    write_number(row->option.kind, member, hn_option_number(row, from));
}

void hn_options_open(hn_simulation_options *options) {
  for (int k = 0; k < HN_OPTION_COUNT_ALL; k++) {
    void *member = (char *)options + rows[k].option.offset;
    if (rows[k].option.kind == HN_OPTION_WORD)
      *(const char **)member = is_open_word(rows[k].option.usual) ? "auto" : NULL;
    else
      write_number(rows[k].option.kind, member, rows[k].option.kind == HN_OPTION_NUMBER ? NAN : 0);
  }
}
