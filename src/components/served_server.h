// The inside of served_server.c and served_answers.c: components and runs that a server keeps for those
// who ask.
#ifndef HN_COMPONENTS_SERVED_SERVER_H
#define HN_COMPONENTS_SERVED_SERVER_H

#include "base/dynamic.h"
#include "components/served.h"

// Limits of one server for all its clients: placed components, and runs of them.
enum { HN_SERVER_PARTS = 4096, HN_SERVER_RUNS = 4096 };

typedef struct hn_server_run hn_server_run;
typedef struct hn_server_part hn_server_part;

struct hn_server_run {
  hn_arena arena;
  uint64_t id;
  hn_server_part *part;
  hn_component_run *run;
  int connected;
  // what was done before, without which other passes have nothing to go by
  int has_forces, has_rows, is_factored, is_stabilized, has_states;
  double *q, *qd, *external_q, *external_qd, *turns, *given;
  hn_component_branch *switches;
  int *motions;
  double *z, *next_z;     // (state_count, twice that)
  double *late, *delayed; // (4 delay_count, delay_count)
  int *codes;             // (condition_count)
  double *border_force, *external_force, *lambda;
  hn_component_rows rows;
  double *border_in, *border_out, *square; // (6 connected, squared)
  double *bodies, *outputs;
  unsigned char *saved;
  size_t save_size;
  hn_server_run *next;
};

struct hn_server_part {
  uint64_t id;
  hn_component *placed;
  const hn_component_facts *facts;
  hn_server_part *next;
};

struct hn_component_server {
  const char *path;
  char *path_copy;
  hn_sealed_file file;
  char digest[HN_COMPONENT_CHECKSUM];
  hn_dynamic *library;
  const hn_component_api *api;
  uint64_t last_id;
  int part_count, run_count;
  hn_server_part *parts;
  hn_server_run *runs;
  hn_wire answer;
};

// served_server.c
void hn_server_stop(hn_component_server *server, hn_server_run *run);

// served_answers.c: an answer with this status, to be written on; or one without anything but a message
hn_wire *hn_server_begin(hn_component_server *server, hn_status status);
void hn_server_refuse(hn_component_server *server, hn_status status, const hn_error *error);
// Answers a request about a run.
void hn_server_answer_run(hn_component_server *server, hn_served_operation operation, uint64_t id,
                          hn_wire *request);

#endif
