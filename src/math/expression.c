// Storage of formulas: compiled into a block without pointers.
//
// Out of scope: how text becomes a program (expression_parser.c) and how it is evaluated
// (expression_evaluate.c).
#include "math/expression.h"

#include <string.h>

#include "base/error.h"
#include "math/expression_code.h"

size_t hn_program_size(const hn_program *program) {
  return sizeof(hn_expression) + (size_t)program->count * sizeof(hn_instruction) +
         (size_t)program->used_count * sizeof(int);
}

void hn_program_store(const hn_program *program, hn_expression *expression) {
  expression->count = program->count;
  expression->used_count = program->used_count;
  memcpy(expression->code, program->code, (size_t)program->count * sizeof(hn_instruction));
  memcpy(expression->code + program->count, program->used,
         (size_t)program->used_count * sizeof(int));
}

hn_status hn_expression_compile(const char *text, size_t length, const hn_expression_names *names,
                                hn_arena *arena, const hn_expression **expression,
                                hn_error *error) {
  hn_program program;
  *expression = NULL;
  hn_status status = hn_program_compile(text, length, names, &program, error);
  if (status != HN_OK) return status;
  hn_expression *block = hn_arena_take(arena, 1, hn_program_size(&program));
  if (!block)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "free memory",
                   "out of memory for a formula of %zu bytes", hn_program_size(&program));
  hn_program_store(&program, block);
  *expression = block;
  return HN_OK;
}

const int *hn_expression_used(const hn_expression *expression, int *count) {
  *count = expression->used_count;
  return (const int *)(const void *)(expression->code + expression->count);
}
