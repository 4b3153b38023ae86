// The linear system of assembly: rows of joints and drivers and of given joint coordinates over the
// speeds of the bodies that may move, with a metric instead of masses.
#ifndef HN_ANALYSIS_ASSEMBLY_ROWS_H
#define HN_ANALYSIS_ASSEMBLY_ROWS_H

#include "equations/equations.h"

// A given value or rate of a joint coordinate, as one more row.
typedef struct hn_given_row {
  int joint;
  hn_coordinate coordinate;
  int measure;           // of the elements
  const hn_measure *own; // instead of it; null: none
  double target;         // value, or rate
  hn_firmness firmness;
} hn_given_row;

// The fixed motions of a body; HN_HELD_WHOLE leaves its columns out, one of the others sets them to 0.
enum { HN_HELD_WHOLE = 1, HN_HELD_LINEAR = 2, HN_HELD_ANGULAR = 4 };

typedef struct hn_assembly_rows {
  const hn_elements *elements;
  int bodies;          // with ground
  int *first_column;   // of a body, -1 if it is fixed (bodies)
  unsigned char *held; // HN_HELD_*, added (bodies)
  int columns;
  int row_count; // of the elements
  int given_count;
  hn_given_row *given;           // rows from row_count on
  int size;                      // row_count + given_count
  int *row_start, *column_index; // J
  int *m_start, *m_index;        // metric: 3 numbers and a symmetric 3 x 3 for each body
  double *j_values, *m_values;
  double *value, *rate; // of every row: phi, phi rate; given rows against their target (size)
  double *weight;       // of a row in sums of squares: that of the last factorization (size)
  double *b, *c, *x, *y;
  hn_saddle *saddle;
} hn_assembly_rows;

// Constraints over all bodies that are not fixed (held: sum of HN_HELD_*, 0 for those that may
// move). `held` and the given constraints are copied.
hn_status hn_assembly_rows_create(hn_arena *arena, const hn_elements *elements,
                                  const unsigned char *held, const hn_given_row *given,
                                  int given_count, hn_assembly_rows *rows);
// Values, rates and gradients at these frames; given rows as values (of_rates 0) or rates (1).
void hn_assembly_rows_evaluate(hn_assembly_rows *rows, double t, const hn_frame *frames,
                               const hn_branches *branches, int of_rates);
// The metric of body b: linear, and angular in global axes.
void hn_assembly_set_metric(hn_assembly_rows *rows, int body, double linear, hn_mat3 angular);

// 1 when the row measures a length (m), 0 when an angle or a direction (rad).
int hn_row_is_length(const hn_elements *elements, const hn_row *row);
int hn_coordinate_is_length(hn_coordinate coordinate);
// Writes the typical distance of joints from the center of mass of each body (m); never 0.
void hn_body_sizes(const hn_model *model, double *size);

#endif
