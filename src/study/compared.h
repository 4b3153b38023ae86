// The signals that two runs of a model are compared by.
#ifndef HN_STUDY_COMPARED_H
#define HN_STUDY_COMPARED_H

#include "base/arena.h"
#include "holon/run.h"
#include "holon/verify.h"
#include "study/promise.h"

typedef enum hn_compared_use {
  HN_COMPARED_ONLY = 0,     // its error is printed
  HN_COMPARED_JUDGED = 1,   // counts in the worst of what verify compares
  HN_COMPARED_MOTION = 2,   // position or velocity
  HN_COMPARED_RATE = 4,     // a velocity
  HN_COMPARED_SMOOTH = 8,   // does not jump at an event
  HN_COMPARED_GRADED = 16,  // counts in the grade: motion, states, outputs
  HN_COMPARED_OUTPUT = 32,  // an output of the model
  HN_COMPARED_ROTATION = 64 // the first of the four Euler parameters of a body
} hn_compared_use;

typedef struct hn_compared {
  int count;
  int outputs; // the first ones: what the model is asked about, else what is judged
  int *signal; // index in the simulation (count)
  hn_signal_same *same;
  unsigned char *use;  // hn_compared_use, or-ed (count)
  hn_promise *promise; // (count)
  double *unit_scale;  // factor * floor of the unit (count)
} hn_compared;

// Outputs first (without any: positions and joint coordinates), then positions, orientations and their
// rates of all bodies and joints, and states, then what the plan records, unless that is very much.
hn_status hn_compared_choose(hn_arena *arena, hn_simulation *simulation, const hn_run_plan *plan,
                             hn_compared *compared);

// 1: in J, kJ, ...: the origin of energies is arbitrary, and many are constant.
int hn_compared_is_energy(const hn_simulation *simulation, int index);

// Euler parameters of two runs: the four differences with the sign that makes them smallest together,
// and the angle between the orientations (rad, 0 to pi).
void hn_quaternion_gaps(const double a[4], const double b[4], double gaps[4], double *angle);

#endif
