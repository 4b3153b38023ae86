// Internal declarations of independent coordinates: the model cut into parts, and the choice in
// each of them.
//
// Parts are the biconnected parts of the joint graph, each entered from ground or from a body of a
// part before it; the other bodies are its own. Rows of a part are those of its joints and drivers and
// the normalizations of its own bodies, so E is lower block triangular by parts: chains and trees cost
// linear time. Rows are functions of relative motion, so a part has its rank already in the columns of
// its own bodies. Where natural coordinates of a body are those of a part after its own, parts are put
// in another order or together (reduction_parts.c).
#ifndef HN_INTEGRATE_REDUCTION_PRIVATE_H
#define HN_INTEGRATE_REDUCTION_PRIVATE_H

#include "integrate/reduction.h"
#include "linalg/saddle.h"

// Columns from which on a part is treated by sparse matrices.
#define HN_REDUCTION_MANY 120

typedef struct hn_reduction_part {
  int n;       // columns: 7 for each of its own bodies
  int *home;   // numbers of its columns in q, ascending (n)
  int *column; // the same; once chosen, for a partition first the dependent ones
  int rows;    // of the tangent, all of them
  int *row;    // (rows)

  // the choice
  int rank;      // rows kept
  int best_rank; // the largest ever found: less means a singular configuration
  int *kept;     // numbers of rows of the tangent (rank of rows)
  double *basis; // tangent plane: V of this part, n x (n - rank) by columns
  int first;     // number of its first independent coordinate
  double *row_scale;
  double chosen_condition, chosen_gain; // at the choice

  // E of this part: Phi_u (rank x rank) of a partition, all of it for a tangent plane
  int size;
  double *factor; // (size x size), by columns
  int *pivots;
  double *inverse, *transposed; // instead, where size is at most HN_SMALL; null in large parts
  double condition;             // of E of this part
  double gain; // largest sum of a row of P of this part: how much moves with a unit of v

  // of a part of many bodies instead (reduction_sparse.c); null in others
  hn_saddle *saddle;
  int most;      // capacity of degrees of freedom
  int has_entry; // its rows see a body of another part
  int entries;   // of Phi_q in its own columns
  int *source;   // where they are in Phi_q (entries)
  double *values;
  double *metric;          // (n)
  unsigned char *released; // rows left out (rows)
  double *image;           // P of this part, n x (n - rank) by columns
  double *gram;            // V' T V, factored
  double *b, *c, *x, *y;   // work (n, rows, n, rows)
} hn_reduction_part;

struct hn_reduction {
  hn_equations *equations;
  hn_tangent *tangent;
  int is_tangent_plane;
  int part_count;
  hn_reduction_part *parts; // in the order of solving
  int *part_of_column;      // (n of the tangent)
  int *place;               // of a column among the unknowns of its part's factor, -1: it is known
  double *phi_q;            // values of Phi_q of the last factorization
  double *last_phi_q;       // the same as read, while the choice is made again
  hn_place chosen_at;       // of the last choice
  int *known_start;        // entries of a row in columns that are known when its part is solved ...
  int *own_start;          // ... and in its part's factor, since the last choice (rows + 1)
  int *known, *own;        // numbers of the entries
  int wide;                // hn_is_wide()
  unsigned char *left_out; // (rows of the tangent)
  double length;           // mean arm of joints: makes rotations comparable with translations
  double *column_scale;    // 1 for lengths; what makes angles and Euler parameters comparable (n)
  int size, most;
  int is_serial;     // solutions share memory: one thread at a time
  int has_condition; // those of the parts are of the present factors
  int weakest;
  double weakest_rest;  // its distance from the span of the others, at the last choice
  double *matrix;       // work for a choice: the largest n x rows or n x n
  double *work_rank;    // ... 3 * columns + rows
  int *order;           // ...
  int *preference;      // ...
  double *work;         // of solves
  double *x, *y, *rest; // vectors of the largest of n and rows
};

// reduction_parts.c: parts, their bodies and rows, and the bound on degrees of freedom.
hn_status hn_reduction_find_parts(hn_arena *arena, hn_reduction *self);

// reduction.c: E^-1 x and E'^-1 x of one part that is not of many bodies, in place.
void hn_reduction_divide(const hn_reduction *self, const hn_reduction_part *part, double *x);
void hn_reduction_divide_transposed(const hn_reduction *self, const hn_reduction_part *part,
                                    double *x);

// reduction_select.c: chooses rows and V of a part from Phi_q of the tangent. Less than its best rank
// is HN_ERROR_SINGULAR.
hn_status hn_reduction_choose(hn_reduction *self, hn_reduction_part *part);

// Sets weakest and weakest_rest where this part has a row that is weaker. Spoils the choice.
void hn_reduction_find_weakest(hn_reduction *self, hn_reduction_part *part);

// reduction_sparse.c: memory of parts of many bodies, and the same for one of them.
hn_status hn_reduction_sparse_create(hn_arena *arena, hn_reduction *self);
hn_status hn_reduction_sparse_choose(hn_reduction *self, hn_reduction_part *part);
hn_status hn_reduction_sparse_factor(hn_reduction *self, hn_reduction_part *part);
void hn_reduction_sparse_weakest(hn_reduction *self, hn_reduction_part *part);
void hn_reduction_sparse_solve(const hn_reduction *self, const hn_reduction_part *part,
                               const double *c, const double *w, double *x, double *work);
void hn_reduction_sparse_solve_transposed(const hn_reduction *self, const hn_reduction_part *part,
                                          double *rest, double *y, double *z, double *work);

// reduction_condition.c: estimate of the condition of E of a part in scaled rows and columns.
double hn_reduction_part_condition(hn_reduction *self, hn_reduction_part *part);
double hn_reduction_part_gain(hn_reduction *self, hn_reduction_part *part);

static inline double hn_reduction_column_scale(const hn_reduction *self, int column) {
  return self->column_scale[column];
}

#endif
