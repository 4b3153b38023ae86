// Error report of a model that cannot be assembled.
#ifndef HN_ANALYSIS_ASSEMBLY_FAILURE_H
#define HN_ANALYSIS_ASSEMBLY_FAILURE_H

#include "analysis/assembly_positions.h"

// Fills *error (HN_ERROR_ASSEMBLY) from the poses with the smallest gaps, where constraints are
// evaluated: drivers that contradict each other; else the joint with the largest gap, the three
// largest, the body to check, and a length that would close the loop when there is one, or all its
// lengths. Moves the assembly's frames. Scratch memory comes from the arena.
hn_status hn_assembly_explain(hn_assembly *assembly, hn_assembly_rows *rows,
                              const unsigned char *all, hn_arena *arena, hn_error *error);
// Fills *error (HN_ERROR_INCONSISTENT) from the velocities with the smallest rates that are left,
// where rows are evaluated; worst is the row with the largest.
hn_status hn_assembly_explain_velocities(const hn_assembly *assembly, hn_assembly_rows *rows,
                                         int worst, hn_arena *arena, hn_error *error);

// ---- shared with assembly_drivers.c -------------------------------------------------------------

// Name and place of the joint or driver of a row.
const char *hn_assembly_row_name(const hn_assembly_rows *rows, int row);
const hn_source *hn_assembly_row_source(const hn_assembly_rows *rows, int row);

// Drivers that cannot be followed together, found by the residuals of their constraints (of_rates:
// rates instead of values). At the least-squares solution the residual has no component along any
// motion, so it is the dependency itself. only_same: just those on one coordinate. 1 when *error
// was filled.
int hn_assembly_explain_drivers(const hn_assembly *assembly, const hn_assembly_rows *rows,
                                int of_rates, int only_same, hn_error *error);

// Every length of the simple loop through this row, "crank 0.1 m (A to B), ..."; *impossible when
// the longest exceeds the sum of the others. Empty text when there is no such loop.
void hn_assembly_describe_loop(const hn_assembly *assembly, const hn_assembly_rows *rows, int row,
                               hn_arena *arena, char *text, size_t size, int *impossible);

#endif
