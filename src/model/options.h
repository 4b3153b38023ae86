// Rows of holon/options.h as the library uses them: offsets in both structs, owner, allowed values.
#ifndef HN_MODEL_OPTIONS_H
#define HN_MODEL_OPTIONS_H

#include "holon/options.h"
#include "holon/simulation.h"

// Whose an option is. Methods and formulas say which of these they take (hn_method_type, hn_formula).
enum {
  HN_OF_ANY = 0,
  HN_OF_FORMULA = 1,
  HN_OF_AUGMENTED = 2,
  HN_OF_MULTI_INDEX = 4,
  HN_OF_ITERATION = 8
};

#define HN_OPTION_ONE(name, kind, unit, least, most, usual, argument, whose, places, words, help) +1
enum { HN_OPTION_COUNT_ALL = 0 HN_OPTION_LIST(HN_OPTION_ONE) };

typedef struct hn_option_row {
  hn_option option;
  unsigned whose;      // HN_OF_*
  const char *words;   // "@list"; words with 0 behind each and behind the last; or ""
  size_t suggested;    // offset in hn_simulation_defaults, where the model may suggest it
  size_t is_suggested; // offset of has_...; 0: no such member
} hn_option_row;

const hn_option_row *hn_option_row_at(int index); // null past the end

// Whether it is given: undecided is 0, NaN, null or "auto".
int hn_option_is_said(const hn_option_row *row, const hn_simulation_options *options);
double hn_option_number(const hn_option_row *row,
                        const hn_simulation_options *options); // not a word
const char *hn_option_text(const hn_option_row *row,
                           const hn_simulation_options *options); // a word

// The same of what a model suggests, for rows with HN_OPTION_AT_MODEL.
int hn_default_is_said(const hn_option_row *row, const hn_simulation_defaults *defaults);
double hn_default_number(const hn_option_row *row, const hn_simulation_defaults *defaults);
const char *hn_default_text(const hn_option_row *row, const hn_simulation_defaults *defaults);
void hn_default_set(const hn_option_row *row, hn_simulation_defaults *defaults, double number,
                    const char *text);
// From another call.
void hn_option_copy(const hn_option_row *row, hn_simulation_options *to,
                    const hn_simulation_options *from);
// The model's own where the call left it open.
void hn_option_complete(const hn_option_row *row, hn_simulation_options *options,
                        const hn_simulation_defaults *defaults);
// Everything open, whatever was in it.
void hn_options_open(hn_simulation_options *options);

#endif
