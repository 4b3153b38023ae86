// Sealed components that another process runs: every function of holon/component.h becomes a
// request and an answer. Numbers go as they lie in memory, so both ends get the same bits; the
// first word of a message detects a computer with another byte order.
//
//   request   mark, operation, number of the object, what the operation takes
//   answer    mark, status, what the operation gives; with another status a message and a hint
#ifndef HN_COMPONENTS_SERVED_H
#define HN_COMPONENTS_SERVED_H

#include <stdint.h>

#include "components/sealed.h"

#define HN_SERVED_MARK 0x484e5337u // "HNS7" read as a number
#define HN_SERVED_MOST ((size_t)1 << 30)
#define HN_SERVED_STATE ((size_t)1 << 24)           // of a saved state
#define HN_SERVED_PUBLIC (((size_t)1 << 20) + 4096) // capacity for the public text of a file

typedef enum hn_served_operation {
  HN_SERVED_HELLO, // the layout of this one never changes: version, then the rest
  HN_SERVED_CREATE,
  HN_SERVED_FACTS,
  HN_SERVED_DESTROY,
  HN_SERVED_START,
  HN_SERVED_STOP,
  HN_SERVED_TURNS,
  HN_SERVED_BRANCHES,
  HN_SERVED_NEXT_TIME,
  HN_SERVED_STEP_LIMIT,
  HN_SERVED_FORCES,
  HN_SERVED_LOADS,
  HN_SERVED_FACTOR,
  HN_SERVED_FORWARD,
  HN_SERVED_BACKWARD,
  HN_SERVED_RESIDUAL,
  HN_SERVED_FINISH,
  HN_SERVED_GAPS,
  HN_SERVED_STABILIZE_FACTOR,
  HN_SERVED_STABILIZE_FORWARD,
  HN_SERVED_STABILIZE_BACKWARD,
  HN_SERVED_INCREMENTS,
  HN_SERVED_IMPULSES,
  HN_SERVED_STATES,
  HN_SERVED_FILTER,
  HN_SERVED_CONDITIONS,
  HN_SERVED_SAMPLES,
  HN_SERVED_RULES,
  HN_SERVED_DELAYED,
  HN_SERVED_SAVE,
  HN_SERVED_RESTORE,
  HN_SERVED_OPERATIONS
} hn_served_operation;

// ---- served_wire.c: messages --------------------------------------------------------------------

// Written from the front, or read from the front; failing is sticky.
typedef struct hn_wire {
  unsigned char *data;
  size_t size, room; // written so far, or all there is to read
  size_t at;         // read so far
  int failed;
} hn_wire;

int hn_wire_reserve(hn_wire *wire, size_t room); // 0: out of memory
void hn_wire_free(hn_wire *wire);
void hn_wire_bytes(hn_wire *wire, const void *data, size_t size);
void hn_wire_word(hn_wire *wire, uint32_t value);
void hn_wire_long(hn_wire *wire, uint64_t value);
void hn_wire_int(hn_wire *wire, int value);
void hn_wire_numbers(hn_wire *wire, const double *values, int count);
void hn_wire_string(hn_wire *wire, const char *text);

hn_wire hn_wire_of(const void *data, size_t size); // to be read; the bytes stay the caller's
void hn_wire_get_bytes(hn_wire *wire, void *data, size_t size);
uint32_t hn_wire_get_word(hn_wire *wire);
uint64_t hn_wire_get_long(hn_wire *wire);
int hn_wire_get_int(hn_wire *wire);
int hn_wire_get_count(hn_wire *wire, size_t each); // >= 0, with so many bytes each left to read
void hn_wire_get_numbers(hn_wire *wire, double *values, int count);
// In memory of the arena, control characters replaced; "" when failing.
const char *hn_wire_get_string(hn_wire *wire, hn_arena *arena);
int hn_wire_is_done(const hn_wire *wire); // everything was read, and it was all there

// Bytes that a message about one run can have at most.
size_t hn_served_room(const hn_component_facts *facts, int connected, size_t save_size);
void hn_served_put_facts(hn_wire *wire, const hn_component_facts *facts);
// Checks what it reads: counts, places among the bodies, finite numbers.
hn_status hn_served_get_facts(hn_wire *wire, hn_arena *arena, hn_component_facts *facts);

// served_contacts.c: the part of it about contacts. Counts are checked, the rest by hn_component_fault.
void hn_served_put_contacts(hn_wire *wire, const hn_component_facts *facts);
void hn_served_get_contacts(hn_wire *wire, hn_arena *arena, hn_component_facts *facts);

// ---- served_part.c: the end of who uses it -------------------------------------------------------

// Reads its public description, as from a file; digest: of the file there.
hn_status hn_served_open(const hn_component_channel *channel, hn_sealed_file *file,
                         char digest[HN_COMPONENT_CHECKSUM], hn_error *error);
hn_status hn_served_create(const hn_component_channel *channel, const hn_component_setup *setup,
                           hn_component **component, hn_error *error);
const hn_component_api *hn_served_api(void); // without create

#endif
