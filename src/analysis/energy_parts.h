// The energy of parts of a model that only ground connects, so that a heavy one does not hide a
// light one.
#ifndef HN_ANALYSIS_ENERGY_PARTS_H
#define HN_ANALYSIS_ENERGY_PARTS_H

#include "equations/equations.h"

typedef struct hn_energy_part {
  int body;         // the first of its bodies
  double mass;      // kg
  double start;     // T + V at the start
  double potential; // V there
  double energy;    // T + V now
  double size;      // |T| + |V - V(0)| now
  double largest;   // of size over the run
  double balance;   // largest |energy - start|
  int does_work;    // something acts on it that has no potential: counted with the rest
} hn_energy_part;

typedef struct hn_energy_parts {
  int count; // 0: the model is one part, or its inside is not known
  hn_energy_part *part;
  int *part_of_body, *part_of_force; // -1: none
} hn_energy_parts;

hn_status hn_energy_parts_create(hn_arena *arena, const hn_elements *elements,
                                 hn_energy_parts *parts);
// As at the start of a run.
void hn_energy_parts_begin(hn_energy_parts *parts, const hn_model *model,
                           const hn_snapshot *snapshot);
void hn_energy_parts_note(hn_energy_parts *parts, const hn_model *model,
                          const hn_snapshot *snapshot);
// The largest balance of a part that keeps its energy, against its largest energy or that of its mass at
// 0.1 m/s; *body is one of its bodies, 0: there is no such part.
double hn_energy_parts_worst(const hn_energy_parts *parts, int *body);

#endif
