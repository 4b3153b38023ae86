// The parts of `holon compare`.
#ifndef HN_CLI_COMPARE_H
#define HN_CLI_COMPARE_H

#include "among.h"

// One run: a formulation at a tolerance or a step.
typedef struct hn_cli_point {
  int formulation;
  double tol, step; // one of them is 0
  hn_status status;
  char reason[240]; // why there is no error: failed, stopped, not run
  double error; // largest difference from the reference over 1 + the largest value of a signal, not
                // below the reference's uncertainty
  int signal;   // whose
  double seconds; // CPU of the steps
  double longest; // ... of the longest one
  long steps;
  char used[112]; // what `auto` chose; empty for others
  int is_front;   // nobody is both faster and more accurate
} hn_cli_point;

typedef struct hn_cli_recommendation {
  double accuracy;
  int point;    // the fastest within it, -1: none
  int realtime; // the largest fixed step within it that keeps up with the clock, -1: none
} hn_cli_recommendation;

typedef struct hn_cli_comparison {
  const hn_formulation *formulations;
  int formulation_count;
  const double *tols, *steps;
  int tol_count, step_count;
  double budget; // s of the clock
  int is_quick;
  int is_limited; // --among: nothing else is recommended

  hn_verify *reference; // its signals, its grid, its trials
  int trial, partner;   // the reference and who confirms it
  double uncertainty;   // their difference, as an error
  double time;
  double *scale; // 1 + largest value (signals)

  hn_cli_point *points;
  int point_count;
  hn_cli_recommendation *recommendations; // one an accuracy
  int recommendation_count;
  double accuracies[8]; // to recommend for, the loosest first
  int accuracy_count;
  int realtime;        // the most accurate fixed step that keeps up with the clock, -1: none
  double began, ended; // clock
  int is_over;         // the budget was used up, or the user ended it
} hn_cli_comparison;

// Why no run keeps an accuracy, and what may help.
const char *hn_cli_why_none(const hn_cli_comparison *c, double accuracy);

// Drops those that differ from the one before only in independent coordinates; returns how many stay.
int hn_cli_leave_variants_out(hn_formulation *list, int count);

// The reference, then all runs, then the front and the recommendations. -1, or the exit code after a
// message.
int hn_cli_compare_reference(hn_cli_session *session, hn_cli_comparison *c, hn_cli_progress *line);
void hn_cli_compare_run(hn_cli_session *session, hn_cli_comparison *c, hn_cli_progress *line);
void hn_cli_compare_judge(hn_cli_comparison *c);

// Accuracy against CPU time, both logarithmic, as the inside of an <svg>.
void hn_cli_add_compare_plot(hn_cli_text *text, const hn_cli_comparison *c, double width,
                             double height);
// ... as a drawing of its own.
void hn_cli_add_compare_drawing(hn_cli_text *text, const hn_cli_session *session,
                                const hn_cli_comparison *c);
void hn_cli_add_compare_page(hn_cli_text *text, const hn_cli_session *session,
                             const hn_cli_comparison *c);
void hn_cli_add_compare_json(hn_cli_json *json, const hn_cli_session *session,
                             const hn_cli_comparison *c);
void hn_cli_print_compare(const hn_cli_session *session, const hn_cli_comparison *c);

const char *hn_cli_point_name(const hn_cli_comparison *c, const hn_cli_point *p, char *text,
                              size_t size);
// Points with an error, by it, the smallest first; *count of them. To be freed.
int *hn_cli_order_points(const hn_cli_comparison *c, int only_front, int *count);

#endif
