// Inputs from tables, given to a simulation as it reaches their rows.
#ifndef HN_STUDY_INPUT_TABLES_H
#define HN_STUDY_INPUT_TABLES_H

#include "holon/run.h"

// Where one simulation is in the tables of a plan.
typedef struct hn_table_reader {
  const hn_run_plan *plan;
  int *next;       // row of each table (table_count)
  int has_resumed; // until the first rows are given
} hn_table_reader;

// The rows that the simulation has reached.
hn_status hn_tables_give(hn_table_reader *reader, hn_simulation *simulation);
double hn_tables_next(const hn_table_reader *reader); // time of the next row; HUGE_VAL: none

#endif
