// Functions that are formulas of others: smooth steps, ramps, limits, chirps.
//
// With u = (x - x0) / (x1 - x0), kept between 0 and 1:
//
//   limit(x, low, high)           x, not below low and not above high
//   ramp(x, x0, h0, x1, h1)       h0 + (h1 - h0) u
//   step(x, x0, h0, x1, h1)       h0 + (h1 - h0) u^2 (3 - 2 u)
//   step5(x, x0, h0, x1, h1)      h0 + (h1 - h0) u^3 (10 - 15 u + 6 u^2)
//   haversine(x, x0, h0, x1, h1)  h0 + (h1 - h0) (1 - cos(pi u)) / 2
//   chirp(t, f0, f1, T)           sin(2 pi (f0 t + (f1 - f0) t^2 / (2 T))): from f0 to f1 within T
//
// The compiler writes their operations out, so that derivatives, breakpoints and branches are those
// of the operations. Letters of their code: a to e arguments, digits, p for pi, + - * /, < min, >
// max, S the cubic, Q the quintic, C cos, N sin.
#include <string.h>

#include "math/expression_code.h"
#include "math/vec.h"

#define PART "ab-db-/0>1<"

static const hn_composed composed[] = {
    {"limit", 3, "yyy", "ab>c<"},
    {"ramp", 5, "xxyxy", "cec-" PART "*+"},
    {"step", 5, "xxyxy", "cec-" PART "S*+"},
    {"step5", 5, "xxyxy", "cec-" PART "Q*+"},
    {"haversine", 5, "xxyxy", "cec-1p" PART "*C-2/*+"},
    {"chirp", 4, "tffT", "2p*ba*cb-aa**2d*/+*N"},
};

static int has_name(const hn_composed *f, const char *name, size_t length) {
  return strlen(f->name) == length && memcmp(f->name, name, length) == 0;
}

const hn_composed *hn_composed_find(const char *name, size_t length, int arguments) {
  for (size_t k = 0; k < sizeof composed / sizeof *composed; k++)
    if (has_name(&composed[k], name, length) && composed[k].arguments == arguments)
      return &composed[k];
  return NULL;
}

int hn_composed_known(const char *name, size_t length) {
  for (size_t k = 0; k < sizeof composed / sizeof *composed; k++)
    if (has_name(&composed[k], name, length)) return 1;
  return 0;
}

const char *hn_composed_names(void) {
  return "write limit(x, low, high), chirp(t, f0, f1, T), or ramp, step, step5, haversine of "
         "(x, x0, h0, x1, h1)";
}

static hn_instruction instruction_of(char letter) {
  static const struct {
    char letter;
    hn_code code;
    int operation;
  } operations[] = {
      {'+', HN_CODE_BINARY, HN_BINARY_ADD},      {'-', HN_CODE_BINARY, HN_BINARY_SUBTRACT},
      {'*', HN_CODE_BINARY, HN_BINARY_MULTIPLY}, {'/', HN_CODE_BINARY, HN_BINARY_DIVIDE},
      {'<', HN_CODE_BINARY, HN_BINARY_MIN},      {'>', HN_CODE_BINARY, HN_BINARY_MAX},
      {'S', HN_CODE_UNARY, HN_UNARY_CUBIC},      {'Q', HN_CODE_UNARY, HN_UNARY_QUINTIC},
      {'C', HN_CODE_UNARY, HN_UNARY_COS},        {'N', HN_CODE_UNARY, HN_UNARY_SIN},
  };
  if (letter >= '0' && letter <= '9')
    return (hn_instruction){.code = HN_CODE_CONSTANT, .constant = letter - '0'};
  if (letter == 'p') return (hn_instruction){.code = HN_CODE_CONSTANT, .constant = HN_PI};
  if (letter >= 'a' && letter <= 'e')
    return (hn_instruction){.code = HN_CODE_VARIABLE, .variable = letter - 'a'};
  size_t k = 0;
  while (operations[k].letter != letter) k++;
  return (hn_instruction){.code = (short)operations[k].code,
                          .operation = (short)operations[k].operation};
}

int hn_composed_code(const hn_composed *function, hn_instruction *code) {
  int count = 0;
  for (const char *at = function->code; *at; at++) code[count++] = instruction_of(*at);
  return count;
}
