// What to tell when a machine cannot be assembled.
#ifndef HN_ANALYSIS_ASSEMBLY_FAILURE_H
#define HN_ANALYSIS_ASSEMBLY_FAILURE_H

#include "analysis/assembly_positions.h"

// Fills *error (HN_ERROR_ASSEMBLY) from the poses with the smallest gaps, where rows are evaluated:
// the joint with the largest gap, the three largest, the body to look at, and a length that would
// close the loop when there is one. Moves the assembly's frames.
hn_status hn_assembly_explain(hn_assembly *assembly, hn_assembly_rows *rows,
                              const unsigned char *all, hn_error *error);

#endif
