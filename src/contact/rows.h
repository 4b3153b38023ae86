// Constraints with conditions of one step, too many for a dense matrix (delassus.h): each has its rows
// and its responses as sparse vectors over the velocities x of a model,
//
//   u = q + G x,   x = sum R p      W = G R is never formed
//
// Solver: projected Gauss-Seidel on x, forth and back, each constraint solved exactly (cone.h), with
// Nesterov's momentum, which starts again where it turns. Cost of an iteration: the entries of G and R.
#ifndef HN_CONTACT_ROWS_H
#define HN_CONTACT_ROWS_H

#include "contact/delassus.h"

// Entries of a sparse vector: those of three rows at a time.
typedef struct hn_contact_row_span {
  size_t at;
  int count;
} hn_contact_row_span;

typedef struct hn_contact_rows {
  hn_delassus problem;                 // laws, q, p, u; its matrix is missing
  int size;                            // of x
  double *x;                           // velocities by impulses (size)
  hn_contact_row_span *row, *response; // G, R (capacity)
  int *index;                          // of entries, ascending in each span (capacity of entries)
  hn_delassus_vector *value;           // (capacity of entries)
  size_t used, entry_capacity;         // more used than capacity: entries are missing
  double (*own)[3][3];                 // response to the own impulse (capacity)
  double *least;                       // normal impulse at least, by Poisson's law (capacity)
  double *give;             // of soft points: added to the normal velocity, per impulse (capacity)
  double *slowness;         // start of a sliding contact's search (capacity)
  double *rho;              // 1 / mean response (capacity)
  hn_delassus_vector *kept; // for its owner (capacity)
  hn_delassus_vector *from, *to; // impulses before and after the last sweeps (capacity)
  double *x_to;                  // (size)
} hn_contact_rows;

hn_status hn_contact_rows_create(hn_arena *arena, int capacity, int size, size_t entries,
                                 hn_contact_rows *rows);
// A vector is opened, gets its entries in ascending order, and is closed.
hn_contact_row_span hn_contact_rows_open(const hn_contact_rows *rows);
void hn_contact_rows_put(hn_contact_rows *rows, int index, const double value[4]);
void hn_contact_rows_close(const hn_contact_rows *rows, hn_contact_row_span *span);
// Own responses, after all vectors.
void hn_contact_rows_prepare(hn_contact_rows *rows);
// p: a start in, the solution out; writes u and x. sweeps: iterations at most.
void hn_contact_rows_solve(hn_contact_rows *rows, double tolerance, int sweeps,
                           hn_delassus_report *report);
// The same for impulses that return by Poisson's law: normal ones are at least rows->least.
void hn_contact_rows_return(hn_contact_rows *rows, double tolerance, int sweeps,
                            hn_delassus_report *report);
// Impulses that would separate what overlaps: normals alone, until they hardly change. way: of
// each constraint, written; HUGE_VAL: it takes no part. Returns nothing but p.
void hn_contact_rows_separate(hn_contact_rows *rows, double *way, double tol, int sweeps);

#endif
