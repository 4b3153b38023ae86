// What is worth a warning after an assembly that succeeded.
#ifndef HN_ANALYSIS_ASSEMBLY_WARNINGS_H
#define HN_ANALYSIS_ASSEMBLY_WARNINGS_H

#include "analysis/assembly_positions.h"

void hn_assembly_warn(hn_warning *warning, const char *element, const char *format, ...)
    HN_PRINTF(3, 4);
// The joint drawn open most, in a machine that is drawn closed otherwise; moved is what a body was
// moved at most (m or rad) to close it. Evaluates rows at the drawn poses and again at the present
// ones.
void hn_assembly_warn_gap(const hn_assembly *assembly, hn_assembly_rows *rows, double moved,
                          hn_warning *warning);
// The given position or orientation of a body that was changed most.
void hn_assembly_warn_bodies(const hn_assembly *assembly, hn_warning *warning);
// Bodies that can turn without inertia at the present poses. Scratch memory comes from the arena;
// without memory nothing is told.
void hn_assembly_warn_weightless(const hn_assembly *assembly, hn_arena *arena, hn_warning *warning);

#endif
