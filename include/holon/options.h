// Holon: the options of a run, each once. The struct of a simulation's options, what a model file may
// suggest, the loader, the schema, the model's hash, saved states, the certificate, the command line
// with its manual page and completion, and the tables of the reference are made from these rows.
//
// A row: name, kind, unit, least, most, usual, argument, whose, places, words, help.
//   kind      WORD    const char *  null or "auto": left open
//             SIZE    double        a number above 0; 0: left open
//             NUMBER  double        any number; NaN: left open
//             COUNT   int           a whole number; 0: left open
//             LONG    long          the same
//             FLAG    int           0 or 1
//   unit      ONE, SECOND, JOULE
//   least, most   the range of what is not left open
//   usual     the default, in words
//   argument  how help calls its value
//   whose     ANY; FORMULA: of the formula that takes it; AUGMENTED: of augmented Lagrangians;
//             MULTI_INDEX: of that method; ITERATION: of formulas that iterate
//   places    LIBRARY: of programs; COMMAND: of the command line too; BITS: decides about the bits of
//             a run, so that it belongs to saved states and to the certificate (added)
//   words     the only ones allowed, \0 behind each; "@x": what hn_list_x gives, and auto; "": any
#ifndef HOLON_OPTIONS_H
#define HOLON_OPTIONS_H

#include "holon/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
// Of `simulation:` in a model file too. New rows go to the end: hashes of models count by place.
#define HN_MODEL_OPTION_LIST(ROW)                                                                  \
  ROW(tol, SIZE, ONE, 0, 1e300, "1e-6, with a fixed step 1e-4", "E", ANY, COMMAND,                 \
      "", "absolute and relative tolerance; at least 1e-15")                                       \
  ROW(atol, SIZE, ONE, 0, 1e300, "tol", "E", ANY, COMMAND | BITS,                                  \
      "", "absolute tolerance")                                                                    \
  ROW(rtol, SIZE, ONE, 0, 1e300, "tol", "E", ANY, COMMAND | BITS,                                  \
      "", "relative tolerance")                                                                    \
  ROW(step, SIZE, SECOND, 1e-17, 1e300, "steps follow the tolerance", "H", ANY, COMMAND | BITS,    \
      "", "fixed step instead of error control")                                                   \
  ROW(max_step, SIZE, SECOND, 1e-17, 1e300, "none", "H", ANY, COMMAND | BITS,                      \
      "", "longest step")                                                                          \
  ROW(coordinates, WORD, ONE, 0, 0, "auto", "NAME", ANY, COMMAND,                                  \
      "@coordinates", "coordinates of the equations")                                              \
  ROW(method, WORD, ONE, 0, 0, "auto", "NAME", ANY, COMMAND,                                       \
      "@methods", "how constraints are kept")                                                      \
  ROW(formula, WORD, ONE, 0, 0, "auto", "NAME", ANY, COMMAND,                                      \
      "@formulas", "integration formula")                                                          \
  ROW(independent, WORD, ONE, 0, 0, "auto", "NAME", ANY, COMMAND,                                  \
      "@independent", "independent coordinates")                                                   \
  ROW(xi, NUMBER, ONE, 0, 1, "0.1", "X", FORMULA, COMMAND | BITS,                                  \
      "", "damping of formula newmark, 0 to 1")                                                    \
  ROW(alpha, NUMBER, ONE, -1. / 3, 0, "-0.1", "A", FORMULA, COMMAND | BITS,                        \
      "", "damping of formula hht, -1/3 to 0")                                                     \
  ROW(rho, NUMBER, ONE, 0, 1, "0.8", "R", FORMULA, COMMAND | BITS,                                 \
      "", "formula generalized-alpha: spectral radius for infinite stiffness, 0 to 1")             \
  ROW(penalty, SIZE, ONE, 0, 1e300, "automatic", "P", AUGMENTED, COMMAND | BITS,                   \
      "", "penalty factor of augmented Lagrangian methods")                                        \
  ROW(max_iterations, COUNT, ONE, 1, 100, "automatic", "N", ITERATION, COMMAND | BITS,             \
      "", "Newton iterations in a stage at most, 1 to 100")                                        \
  ROW(energy_upper, SIZE, JOULE, 0, 1e300, "from the tolerance", "U", MULTI_INDEX, COMMAND | BITS, \
      "", "method multi-index: a step that changes the energy by more is repeated, shorter")       \
  ROW(energy_lower, SIZE, JOULE, 0, 1e300, "1/265 of the upper", "L", MULTI_INDEX, COMMAND | BITS, \
      "", "method multi-index: after a step that changes the energy by less the next is longer")   \
  ROW(switch_step, SIZE, SECOND, 0, 1e300, "automatic", "H", MULTI_INDEX, COMMAND | BITS,          \
      "", "method multi-index: index 1 for shorter steps, 3 for longer ones")                      \
  ROW(projection, WORD, ONE, 0, 0, "auto", "NAME", AUGMENTED, COMMAND | BITS,                      \
      "auto\0tangent\0mass-orthogonal\0none\0",                                                    \
      "augmented Lagrangian methods: metric in which velocities are projected")                    \
  ROW(gamma, NUMBER, ONE, 0.25, 2, "0.788675", "G", FORMULA, COMMAND | BITS,                       \
      "", "formula sdirk2: diagonal, 0.25 to 2; order 3 with 0.788675 alone, else 2")              \
  /* the end */

// Of a run alone.
#define HN_RUN_OPTION_LIST(ROW)                                                                    \
  ROW(preset, WORD, ONE, 0, 0, "none", "NAME", ANY, COMMAND,                                       \
      "@presets", "settings as published in a paper; other options override them")                 \
  ROW(linear_solver, WORD, ONE, 0, 0, "auto", "NAME", ANY, COMMAND,                                \
      "@linear_solvers", "linear solver of accelerations")                                         \
  ROW(threads, COUNT, ONE, 1, 1024, "1", "N", ANY, COMMAND,                                        \
      "", "threads to use; identical results for any number of threads")                           \
  ROW(first_step, SIZE, SECOND, 0, 1e300, "automatic", "H", ANY, LIBRARY,                          \
      "", "first step")                                                                            \
  ROW(min_step, SIZE, SECOND, 0, 1e300, "automatic", "H", ANY, LIBRARY | BITS,                     \
      "", "a run that needs a shorter step fails")                                                 \
  ROW(max_steps, LONG, ONE, 1, 1e18, "10000000", "N", ANY, COMMAND,                                \
      "", "steps towards the end of a run or call at most")                                        \
  ROW(skip_assembly, FLAG, ONE, 0, 1, "0", "", ANY, LIBRARY,                                       \
      "", "start from the reference configuration and the given velocities, without assembly") \
  ROW(skip_equilibrium, FLAG, ONE, 0, 1, "0", "", ANY, LIBRARY,                                    \
      "", "ignore `from: equilibrium` of the model")
// clang-format on

#define HN_OPTION_LIST(ROW) HN_MODEL_OPTION_LIST(ROW) HN_RUN_OPTION_LIST(ROW)

// Members of structs: of options, and of what a model suggests (where 0 is nothing said).
#define HN_OPTION_TYPE_WORD const char *
#define HN_OPTION_TYPE_SIZE double
#define HN_OPTION_TYPE_NUMBER double
#define HN_OPTION_TYPE_COUNT int
#define HN_OPTION_TYPE_LONG long
#define HN_OPTION_TYPE_FLAG int
#define HN_OPTION_MEMBER(name, kind, unit, least, most, usual, argument, whose, places, words,     \
                         help)                                                                     \
  HN_OPTION_TYPE_##kind name;

#define HN_DEFAULT_WORD(name) const char *name;
#define HN_DEFAULT_SIZE(name) double name;
#define HN_DEFAULT_COUNT(name) int name;
#define HN_DEFAULT_NUMBER(name)                                                                    \
  double name;                                                                                     \
  int has_##name;
#define HN_DEFAULT_MEMBER(name, kind, unit, least, most, usual, argument, whose, places, words,    \
                          help)                                                                    \
  HN_DEFAULT_##kind(name)

// ---- the rows at run time -----------------------------------------------------------------------

typedef enum hn_option_kind {
  HN_OPTION_WORD,
  HN_OPTION_SIZE,
  HN_OPTION_NUMBER,
  HN_OPTION_COUNT,
  HN_OPTION_LONG,
  HN_OPTION_FLAG
} hn_option_kind;

enum {
  HN_OPTION_AT_LIBRARY = 0,
  HN_OPTION_AT_COMMAND = 1,
  HN_OPTION_AT_BITS = 2,
  HN_OPTION_AT_MODEL = 4 // `simulation:` of a model file takes it
};

typedef struct hn_option {
  const char *name; // "max_step"; on the command line --max-step
  hn_option_kind kind;
  const char *unit; // "s", "J" or ""
  double least, most;
  const char *usual, *argument, *help;
  unsigned places; // HN_OPTION_AT_*, added
  size_t offset;   // of its member in hn_simulation_options
} hn_option;

// Static; null past the end, or if there is no option of this name.
HN_API const hn_option *hn_option_at(int index);
HN_API const hn_option *hn_option_find(const char *name);
// The words it may be, index from 0; null past the end, and for one that takes any.
HN_API const char *hn_option_word(const hn_option *option, int index);

#ifdef __cplusplus
}
#endif

#endif
