// Key figures of a model: the results a run is made for, as numbers and curves of its outputs.
// Understeer, overshoot, stopping distance, toe over travel: named in the model (`figures:`), evaluated
// from the rows of a run.
//
//   double overshoot = hn_results_figure(results, model, 0);
#ifndef HOLON_FIGURES_H
#define HOLON_FIGURES_H

#include "holon/model.h"
#include "holon/results.h"

#ifdef __cplusplus
extern "C" {
#endif

// kind, name in files
#define HN_FIGURE_LIST(X)                                                                          \
  X(HN_FIGURE_CURVE, "curve")                                                                      \
  X(HN_FIGURE_LAST, "last")                                                                        \
  X(HN_FIGURE_LARGEST, "largest")                                                                  \
  X(HN_FIGURE_LEAST, "least")                                                                      \
  X(HN_FIGURE_MEAN, "mean")                                                                        \
  X(HN_FIGURE_PEAK_TIME, "peak-time")                                                              \
  X(HN_FIGURE_RISE_TIME, "rise-time")                                                              \
  X(HN_FIGURE_OVERSHOOT, "overshoot")                                                              \
  X(HN_FIGURE_SLOPE, "slope")                                                                      \
  X(HN_FIGURE_REACHED, "reached")

typedef enum hn_figure_kind {
#define HN_FIGURE_ENUM(code, name) code,
  HN_FIGURE_LIST(HN_FIGURE_ENUM)
#undef HN_FIGURE_ENUM
      HN_FIGURE_KINDS
} hn_figure_kind;

typedef struct hn_figure_def {
  const char *name;
  hn_source source;
  hn_figure_kind take;
  const char *of;   // output
  const char *over; // output: of a curve, a slope and what is reached; null: time
  double from, to;  // of the run that counts (s); times are counted from `from`; to 0: to its end
  double level;     // of a rise: fraction of the last value; 0: 0.9. Of a value reached: the value
                    // of `over` at which `of` is taken, the first time
  int has_range; // of a slope: only samples with `over` in this range count, in the unit of `over`
  double over_from, over_to;
} hn_figure_def;

HN_API hn_status hn_model_add_figure(hn_model *model, const hn_figure_def *def);
HN_API int hn_model_figure_count(const hn_model *model);
HN_API const hn_figure_def *hn_model_figure(const hn_model *model, int id); // null past the end
HN_API const char *hn_figure_kind_name(hn_figure_kind kind);

// The number, in SI units of its outputs; NaN for a curve, and if rows or outputs do not have it.
// Linear between rows. A slope over a range that the run does not cover is NaN.
HN_API double hn_results_figure(const hn_results *results, const hn_model *model, int id);
// Samples of the results that count (`from`, `to`): *first and how many.
HN_API int hn_results_figure_rows(const hn_results *results, const hn_model *model, int id,
                                  int *first);
// Why there is no number, or it says nothing ("toe does not change"); else "". Always ends with a
// zero; returns text.
HN_API const char *hn_results_figure_remark(const hn_results *results, const hn_model *model,
                                            int id, char *text, size_t size);

// Its unit, after those of its outputs in the results: "m", "s", "rad/(m/s^2)"; "" where it has none.
// Always ends with a zero; returns text.
HN_API const char *hn_results_figure_unit(const hn_results *results, const hn_model *model, int id,
                                          char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
