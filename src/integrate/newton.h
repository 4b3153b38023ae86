// When an iteration has converged, and when it never will (Hairer and Wanner II, IV.8; Negrut 1998,
// ch. 4.5). Norms are those of the error test: 1 is the tolerance.
#ifndef HN_INTEGRATE_NEWTON_H
#define HN_INTEGRATE_NEWTON_H

#include "holon/base.h"

struct hn_memory;

// Unless chosen otherwise; where there is no other way; and at most.
enum { HN_NEWTON_ITERATIONS = 10, HN_NEWTON_PATIENT = 60, HN_NEWTON_MOST = 100 };

typedef struct hn_newton {
  double kappa;   // what of the tolerance the iteration may leave
  double eta;     // theta / (1 - theta) of the last iteration
  int is_raised;  // 0: eta is still to be raised to the power it begins a stage with
  double start;   // the same of the slowest iteration of a stage: what the next stage begins with
  double theta;   // rate of the last iteration
  double slowest; // largest rate since hn_newton_fresh: when to renew the matrix
  double last;    // norm of the last correction
  double before;  // and of the one before
  int iteration;
  int has_grown; // a correction of this iteration was larger than the one before
  int limit;     // iterations of a stage at most
  int patience;  // the same where there is no other way; 0: not more
} hn_newton;

hn_newton hn_newton_begin(double kappa);
// Iterations allowed by an option; 0: as many as are usual.
int hn_newton_limit(int max_iterations);
void hn_newton_fresh(hn_newton *newton);       // a new matrix: rates start anew
void hn_newton_begin_stage(hn_newton *newton); // a new iteration
// After a correction of this norm: HN_OK converged, HN_RETRY go on, HN_RETRY_CONVERGENCE give up.
hn_status hn_newton_judge(hn_newton *newton, double norm);
// What it has learned of rates (memory.h).
void hn_newton_remember(hn_newton *newton, struct hn_memory *memory);

#endif
