// Warnings after a successful assembly.
#ifndef HN_ANALYSIS_ASSEMBLY_WARNINGS_H
#define HN_ANALYSIS_ASSEMBLY_WARNINGS_H

#include "analysis/assembly_positions.h"

void hn_assembly_warn(hn_warning *warning, const char *element, const char *format, ...)
    HN_PRINTF(3, 4);
// Warns of the joint with the largest gap in a reference configuration that is closed otherwise;
// moved: the largest move of a body (m or rad) to close it. Evaluates the constraints in the
// reference configuration and again at the present poses.
// About redundant constraints that contradict each other, at the present poses.
void hn_assembly_warn_contradiction(hn_assembly *assembly, hn_assembly_rows *rows,
                                    hn_warning *warning);
void hn_assembly_warn_gap(const hn_assembly *assembly, hn_assembly_rows *rows, double moved,
                          hn_warning *warning);
// The given position or orientation of a body that was changed most.
void hn_assembly_warn_bodies(const hn_assembly *assembly, hn_warning *warning);
// Bodies that can turn without inertia at the present poses. Scratch memory comes from the arena;
// without memory there is no warning.
void hn_assembly_warn_weightless(const hn_assembly *assembly, hn_arena *arena, hn_warning *warning);

#endif
