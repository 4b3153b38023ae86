// The mass matrix of an imported tree in its reference configuration.
#ifndef HN_FORMATS_IMPORT_REFERENCE_MASS_H
#define HN_FORMATS_IMPORT_REFERENCE_MASS_H

#include "formats/import/machine.h"

enum {
  HN_REFERENCE_MOST = 3000, // coordinates whose matrix is made
  HN_REFERENCE_SOLVED = 600 // ... whose inertias are those of the whole tree
};

// A coordinate: its axis of rotation or translation, global, in the reference configuration.
typedef struct hn_reference_column {
  hn_vec3 turn, slide, at;
} hn_reference_column;

typedef struct hn_reference_mass {
  hn_reference_column *columns; // (count)
  int *first;                   // column of each joint, by its number
  double *mass;                 // (count * count)
  int count;
} hn_reference_mass;

// Numbers the joints. 0: it has too many coordinates, or there is no memory.
int hn_reference_mass_make(hn_machine *machine, hn_reference_mass *mass);
int hn_reference_width(const hn_link_joint *joint); // its columns
// Velocity of a point of the link that a column moves, at a rate of 1.
hn_vec3 hn_reference_speed(const hn_reference_column *column, hn_vec3 point);

#endif
