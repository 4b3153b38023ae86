// The program that runs one FMU for another process: what its files share.
//
//   main.c    loop of requests, loading, log of the FMU
//   fmi2.c    calls of FMI 2.0
//   fmi3.c    calls of FMI 3.0
#ifndef HOLON_FMU_HOST_H
#define HOLON_FMU_HOST_H

#include "components/fmu_link.h"

typedef struct host_values {
  hn_fmu_type type;
  uint32_t reference;
  int count;
} host_values;

// Flags and times that calls give.
typedef struct host_events {
  int flags;
  double next_time; // HUGE_VAL: none
} host_events;

typedef struct host host;

// Calls of one version. They give the status of FMI: 0 ok, 1 warning, 2 discard, 3 and above failed.
typedef struct host_calls {
  int (*load)(host *h); // finds the functions; 0: one is missing, h->function
  int (*open)(host *h, const char *resources, const char *token, const char *name);
  int (*prepare)(host *h, double start, double stop, double tolerance);
  int (*set)(host *h, const host_values *group); // values follow in the request
  int (*get)(host *h, const host_values *group); // numbers go to the answer
  int (*start)(host *h);
  int (*update)(host *h, host_events *events);
  int (*enter_events)(host *h);
  int (*set_state)(host *h, double time, const double *x);
  int (*get_rates)(host *h, double *rates, double *indicators);
  int (*get_state)(host *h, double *x, double *nominals);
  int (*complete)(host *h, host_events *events);
  int (*step)(host *h, double time, double size, double *reached, int *flags);
  int (*save)(host *h, void **state);
  int (*restore)(host *h, void *state);
  int (*drop)(host *h, void *state);
  int (*write)(host *h, void *state, hn_wire *bytes);
  int (*read)(host *h, const void *bytes, size_t size, void **state);
  void (*close)(host *h);
} host_calls;

extern const host_calls host_fmi2, host_fmi3;

struct host {
  void *library, *instance;
  const host_calls *calls;
  int is_exchange, states, indicators;
  const char *function; // called last
  char log[1500];       // words of the FMU since the request
  hn_arena arena;       // of the request
  hn_wire request, answer;
  void **saved;
  int saved_count;
};

void host_log(host *h, const char *words);
void *host_find(host *h, const char *symbol); // null: not there; h->function is its name
// Memory of the request; the program ends without it.
void *host_take(host *h, size_t count, size_t size);

#define FIND(h, table, name)                                                                       \
  do {                                                                                             \
    void *found_##name = host_find(h, #name);                                                      \
    if (!found_##name) return 0;                                                                   \
    memcpy(&(table).name, &found_##name, sizeof found_##name);                                     \
  } while (0)

#endif
