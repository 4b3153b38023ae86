// The states of an exchange and where they are in the coordinates of the simulation.
#ifndef HN_ANALYSIS_EXCHANGE_PRIVATE_H
#define HN_ANALYSIS_EXCHANGE_PRIVATE_H

#include "analysis/exchange/exchange.h"
#include "analysis/simulation.h"
#include "integrate/reduction.h"

typedef enum hn_exchange_kind {
  HN_EXCHANGE_POSITION, // a coordinate of the tree
  HN_EXCHANGE_VELOCITY,
  HN_EXCHANGE_PARAMETER, // one of four Euler parameters
  HN_EXCHANGE_SPIN,      // angular velocity about an axis of the body
  HN_EXCHANGE_LOOP,      // an independent coordinate of a loop
  HN_EXCHANGE_LOOP_RATE,
  HN_EXCHANGE_STATE // of functions and elements
} hn_exchange_kind;

typedef struct hn_exchange_item {
  hn_exchange_kind kind;
  int at;     // coordinate, the first of four for PARAMETER and SPIN; state; place in the choice
  int number; // which parameter, axis, or coordinate of the loops, from 0
} hn_exchange_item;

struct hn_exchange {
  hn_simulation *simulation;
  hn_tangent *tangent;
  hn_reduction *reduction; // null: no row but those of unit length
  hn_exchange_item *items;
  int count, loops;        // states; coordinates chosen in loops
  int *loop;               // the coordinate of each (most), as chosen
  int *place;              // ... its place in v of the reduction
  unsigned char *is_bound; // of a coordinate: it is in a row (nq)
  double *x, *x_before;    // of the trial; workspace (count)
  double t;                // of the trial
  double *q, *qd;          // of the trial
  double *v, *vd, *goal;   // independent coordinates (nq)
  double *turns;           // of the present state; those of the branches follow the trial
  double *z, *z_rate;      // of the trial (states)
  hn_frame *frames;        // (bodies + ground)
  double tolerance;        // of positions
  int is_fresh;            // the trial was evaluated
  int is_at_present;       // the trial is the present state: m->now has its signals
  int has_to_choose;       // coordinates of loops have to be chosen again
};

// states.c: chooses independent coordinates of loops at the present state; HN_ERROR_UNSUPPORTED if their
// number has changed. Then the list of items.
hn_status hn_exchange_choose(hn_exchange *exchange);
void hn_exchange_find(hn_exchange *exchange); // which the reduction has chosen
hn_status hn_exchange_list(hn_exchange *exchange);
// x of the present state; the trial is there.
void hn_exchange_take(hn_exchange *exchange);
// q and qd of the trial.
hn_status hn_exchange_recover(hn_exchange *exchange);
// x' of qdd and the rates of z.
void hn_exchange_rate_of(const hn_exchange *exchange, const double *qdd, const double *z_rate,
                         double *rates);
#endif
