// The inside of served_part.c and served_calls.c: a component that another process runs, and requests
// to it.
#ifndef HN_COMPONENTS_SERVED_PRIVATE_H
#define HN_COMPONENTS_SERVED_PRIVATE_H

#include "components/served.h"

typedef struct hn_served_part {
  hn_arena arena;
  hn_component_channel channel;
  uint64_t id, hash;
  hn_component_facts facts;
  int is_lost;
} hn_served_part;

typedef struct hn_served_run {
  hn_served_part *part;
  uint64_t id;
  int connected;
  size_t save_size;
  hn_wire request;
  unsigned char *answer;
  size_t room;
  hn_wire reply; // what the last answer holds, behind its status
} hn_served_run;

void hn_served_begin(hn_wire *request, hn_served_operation operation, uint64_t id);
// Sends the run's request; its reply is then behind the status. Who does not answer is not asked again.
hn_status hn_served_ask(hn_served_run *run);
hn_status hn_served_ended(hn_served_run *run); // after everything was read from the reply
hn_status hn_served_ask_for(hn_served_run *run, double *values, int count);

// Functions of holon/component.h that are about the component as a whole.
hn_status hn_served_create_alone(const hn_component_setup *setup, hn_component **component,
                                 hn_error *error);
void hn_served_destroy(hn_component *component);
const hn_component_facts *hn_served_facts(const hn_component *component);
unsigned long long hn_served_hash(const hn_component *component);
hn_status hn_served_start(const hn_component *component, const unsigned char *connected,
                          const double gravity[3], hn_component_run **run, hn_error *error);
void hn_served_stop(hn_component_run *run);

#endif
