// The hash of a law: FNV-1a over the bits of everything it was made of. What follows from that
// (integration constants, breakpoints of a formula) and addresses stay out.
#include <stdint.h>
#include <string.h>

#include "math/expression_code.h"
#include "math/law.h"
#include "math/law_private.h"
#include "math/lookup.h"

typedef unsigned long long hash_state;

static void hash_whole(hash_state *h, uint64_t value) {
  for (int k = 0; k < 8; k++) *h = (*h ^ (value >> (8 * k) & 0xff)) * 1099511628211ULL;
}

static void hash_int(hash_state *h, int value) { hash_whole(h, (uint64_t)(int64_t)value); }

static void hash_doubles(hash_state *h, const double *values, size_t count) {
  for (size_t k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    hash_whole(h, bits);
  }
}

static void hash_program(hash_state *h, const hn_expression *expression) {
  hash_int(h, expression->count);
  for (int i = 0; i < expression->count; i++) { // field by field: padding has no meaning
    const hn_instruction *instruction = &expression->code[i];
    hash_int(h, instruction->code);
    hash_int(h, instruction->operation);
    hash_int(h, instruction->variable);
    if (instruction->code == HN_CODE_LOOKUP)
      hash_whole(h, instruction->table->hash);
    else
      hash_doubles(h, &instruction->constant, 1);
  }
}

unsigned long long hn_law_hash(const hn_law *law) {
  hash_state h = 14695981039346656037ULL;
  hash_int(&h, (int)law->kind);
  if (law->expression) {
    hash_int(&h, law->variables);
    hash_program(&h, law->expression);
    for (int k = 0; k < law->input_count; k++) hash_int(&h, law->input[k]);
    return h;
  }
  size_t segments = (size_t)law->segments, count = (size_t)law->count;
  hash_int(&h, law->pieces); // a spline has one, a table of lines many
  hash_int(&h, law->segments);
  hash_int(&h, law->count);
  hash_doubles(&h, law->breaks, segments - 1);
  hash_doubles(&h, law->origins, segments);
  hash_doubles(&h, law->coefficients, segments * count);
  if (law->first) {
    hash_doubles(&h, &law->period, 1);
    hash_int(&h, law->is_bounded);
  }
  return h;
}
