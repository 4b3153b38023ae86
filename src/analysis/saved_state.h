// States of a run as one block of bytes, in files (simulation_save.c) and in memory, and validation
// of what was read (saved_state.c).
#ifndef HN_ANALYSIS_SAVED_STATE_H
#define HN_ANALYSIS_SAVED_STATE_H

#include "analysis/simulation.h"

// Sizes of the consecutive parts of a block, bytes. Fields of the common part come first: they say
// which method is in use.
typedef struct hn_block_sizes {
  size_t common, delays, method; // declared fields (base/state.h)
  size_t nested;                 // states inside sealed components
} hn_block_sizes;

typedef struct hn_saved_header {
  char magic[8];
  char version[16];
  unsigned long long model;
  unsigned long long options;               // tolerances, steps and methods
  unsigned long long layout, method_layout; // of the declared fields
  size_t size;
  hn_block_sizes parts;
  unsigned long long checksum; // of everything after the header
} hn_saved_header;
unsigned long long hn_saved_checksum(const unsigned char *data, size_t size);

// ---- simulation_copy.c: the only copies of a state ----------------------------------------------

// Of these kinds of fields (HN_STATE_*, added); with HN_STATE_METHOD those of the method. at_most: of
// rings and lists that are full.
hn_block_sizes hn_block_sizes_of(const hn_simulation *simulation, int kinds, int at_most);
size_t hn_block_size(const hn_block_sizes *sizes);
// Saving does not change a run; it fails where a component cannot save its state.
hn_status hn_block_write(const hn_simulation *simulation, int kinds, unsigned char *to);
// A run continues as the one that wrote the block. is_known: it is one of this run, and true. With
// an error the simulation is not usable until another block was read.
hn_status hn_block_read(hn_simulation *simulation, int kinds, const hn_block_sizes *sizes,
                        const unsigned char *from, int is_known);

// The whole state in memory of the process itself, for a caller that returns to it soon: as
// hn_simulation_save, without hashes and checks, which cost more than a step.
size_t hn_simulation_keep_size(const hn_simulation *simulation);
hn_status hn_simulation_keep(const hn_simulation *simulation, void *buffer);
hn_status hn_simulation_return(hn_simulation *simulation, const void *buffer);

// A run starts at the motion that was read, whose block this is: accelerations, contacts, record.
hn_status hn_block_start(hn_simulation *simulation, const hn_block_sizes *sizes,
                         const unsigned char *block);

// ---- saved_state.c ------------------------------------------------------------------------------

// Structures in the fields of these kinds are within what a run can have written: HN_OK; else an
// error that names the first that is not. A correct checksum is no proof: the author of a file can
// compute one. Changes nothing but the error.
hn_status hn_check_saved_state(hn_simulation *simulation, int kinds);

// Error for a part of a state: "... cannot be true: WHAT INDEX is out of range"; index -1: none.
hn_status hn_refuse_saved(hn_simulation *simulation, const char *what, int index);
#endif
