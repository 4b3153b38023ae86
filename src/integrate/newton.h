// When an iteration has converged, and when it never will (Hairer and Wanner II, IV.8; Negrut 1998,
// ch. 4.5). Norms are those of the error test: 1 is the tolerance.
#ifndef HN_INTEGRATE_NEWTON_H
#define HN_INTEGRATE_NEWTON_H

#include "integrate/method.h"

// A rate of convergence above the first has the matrix renewed for the next step; above the second,
// where a step cannot be shortened, at once.
#define HN_NEWTON_SLOW 0.2
#define HN_NEWTON_POOR 0.4

// Unless chosen otherwise; where there is no other way; and at most.
enum { HN_NEWTON_ITERATIONS = 10, HN_NEWTON_PATIENT = 60, HN_NEWTON_MOST = 100 };

typedef struct hn_newton {
  double kappa;   // what of the tolerance the iteration may leave
  double eta;     // theta / (1 - theta) of the last iteration
  int is_raised;  // 0: eta is still to be raised to the power it has at the start of a stage
  double start;   // the same of the slowest iteration of a stage: start of the next stage
  double theta;   // rate of the last iteration
  double slowest; // largest rate since hn_newton_fresh: when to renew the matrix
  double last;    // norm of the last correction
  double before;  // and of the one before
  int iteration;
  int has_grown; // a correction of this iteration was larger than the one before
  int limit;     // iterations of a stage at most
  int patience;  // the same where there is no other way; 0: not more

  // of steps that are not shortened (hn_newton_begin_steady)
  int is_steady;
  double loose;    // norm that counts as converged where it does not go below it any more
  double rest;     // what may be left by the rate; kappa is of the norm
  double most;     // a larger rate gives up
  int has_changed; // set by a correction: forces are on other branches than in the one before
  int is_renewed;  // and: the last correction but this had the matrix of its own iterate
  int is_stalled;  // it ended because it went no further
  double pace;     // of the last correction, with those that changed branches
} hn_newton;

hn_newton hn_newton_begin(double kappa);
// Iterations allowed by an option; 0: as many as are usual.
int hn_newton_limit(int max_iterations);
void hn_newton_fresh(hn_newton *newton);       // a new matrix: rates start again
void hn_newton_begin_stage(hn_newton *newton); // a new iteration
// After a correction of this norm: HN_OK converged, HN_RETRY continue, HN_RETRY_CONVERGENCE give
// up.
hn_status hn_newton_judge(hn_newton *newton, double norm);
// Starts an iteration with this rate, for steps that are not shortened: it continues up to its
// limit unless it diverges, and does not take rates of forces that change their branches for its
// own.
void hn_newton_begin_steady(hn_newton *newton, double rate);
// Makes one correction, *norm of it.
typedef hn_status (*hn_newton_correction)(void *of, double *norm, hn_error *error);
// The one iteration there is, begun as above: corrections until they are judged. A method that accepts
// what has not converged iterates up to its bound, whatever the rate, and takes what is there then.
hn_status hn_newton_iterate(hn_newton *newton, hn_method *method, hn_newton_correction correct,
                            void *of, hn_error *error);
// Learned rates are fields of the state (memory.h).
void hn_newton_declare(hn_arena *arena, hn_newton *newton);

#endif
