// The compiler of formulas: recursive descent over tokens, straight to postfix instructions, with
// operations on constants done at once.
//
//   choice:   level(1) [ "if" level(1) "else" choice ]
//   level(k): operands joined by the operators of level k and above (table `operators`)
//   sign:     { "-" | "+" } power
//   power:    primary [ "^" sign ]
//   primary:  number | name | function "(" choice { "," choice } ")" | "(" choice ")"
//
// Text is untrusted, so recursion, stack and program have limits. Out of scope: tokens
// (expression_lexer.c), keeping the program (expression.c), running it (expression_evaluate.c).
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/expression_code.h"
#include "math/lookup.h"
#include "math/vec.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define NAME_LENGTH 255
#define CONSTANTS 2
#define HN_EXPRESSION_LISTED 8 // names in a message

typedef struct parser {
  const char *text;
  size_t length;
  const hn_expression_names *names;
  hn_program *program;
  hn_error *error;
  hn_status status;
  hn_token token;                 // the one to be read next
  int nesting;                    // of the descent
  int stack;                      // places in use at this point of the program
  size_t constant_end[CONSTANTS]; // where one was last used; 0: nowhere
} parser;

// ---- words --------------------------------------------------------------------------------------

typedef struct function {
  const char *name;
  hn_code code;
  short operation;
  int arguments;
  bool more; // takes more arguments than that, two by two
} function;

static const function functions[] = {
#define UNARY_ROW(operation, name) {name, HN_CODE_UNARY, operation, 1, false},
#define BINARY_ROW(operation, name, more) {name, HN_CODE_BINARY, operation, 2, more},
    HN_UNARY_FUNCTION_LIST(UNARY_ROW) HN_BINARY_FUNCTION_LIST(BINARY_ROW)};

static const char *const function_names[] = {
#define UNARY_NAME(operation, name) name,
#define BINARY_NAME(operation, name, more) name,
    HN_UNARY_FUNCTION_LIST(UNARY_NAME) HN_BINARY_FUNCTION_LIST(BINARY_NAME)};

static const char *const constant_names[CONSTANTS] = {"pi", "e"};
static const double constants[CONSTANTS] = {HN_PI, 2.71828182845904523536};

static int find_word(const char *const *words, int count, const char *name, size_t length) {
  for (int i = 0; i < count; i++)
    if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0) return i;
  return -1;
}

static int find_variable(const parser *p, const char *name, size_t length) {
  return p->names && p->names->find ? p->names->find(p->names->context, name, length) : -1;
}

int hn_expression_is_reserved(const char *name, size_t length) {
  return hn_token_next(name, length, 0).kind != HN_TOKEN_NAME ||
         find_word(function_names, COUNT(function_names), name, length) >= 0 ||
         find_word(constant_names, CONSTANTS, name, length) >= 0;
}

// ---- errors -------------------------------------------------------------------------------------

#define EXCERPT 60

static bool is_boundary(const parser *p, size_t position) {
  return position >= p->length || ((unsigned char)p->text[position] & 0xC0) != 0x80;
}

// Says what is wrong at a position, with the text around it. Always false.
static bool fail(parser *p, size_t position, hn_status status, const char *hint, const char *format,
                 ...) HN_PRINTF(5, 6);

static bool fail(parser *p, size_t position, hn_status status, const char *hint, const char *format,
                 ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);

  size_t from = p->length > EXCERPT && position > EXCERPT / 2 ? position - EXCERPT / 2 : 0;
  while (!is_boundary(p, from)) from++;
  size_t to = p->length - from > EXCERPT ? from + EXCERPT : p->length;
  while (!is_boundary(p, to)) to--;
  int column = hn_token_column(p->text, position);
  hn_source source = {NULL, 0, column};
  p->status = hn_fail(p->error, status, &source, NULL, hint, "%s, at column %d of '%s%.*s%s'",
                      message, column, from > 0 ? "..." : "", (int)(to - from), p->text + from,
                      to < p->length ? "..." : "");
  return false;
}

// "the end" or the token itself in quotes, cut when long.
static const char *describe(const parser *p, hn_token token, char buffer[64]) {
  if (token.kind == HN_TOKEN_END) return "the end";
  size_t length = token.length;
  if (length > 40)
    for (length = 40; !is_boundary(p, token.start + length);) length--;
  return hn_text(buffer, 64, "'%.*s%s'", (int)length, p->text + token.start,
                 length < token.length ? "..." : "");
}

// Hints for spellings of other languages.
static const char *foreign_hint(const parser *p, hn_token token) {
  if (token.kind == HN_TOKEN_TIMES && token.start > 0 && p->text[token.start - 1] == '*')
    return "write ^ for powers: x^2";
  if (token.kind != HN_TOKEN_FOREIGN) return NULL;
  switch (p->text[token.start]) {
  case '=': return "write == to compare";
  case '!': return "write 'not', or != for 'differs from'";
  case '&': return "write 'and'";
  case '|': return "write 'or'";
  case '%': return "write mod(a, b) for a remainder";
  case '[':
  case '{': return "write parentheses ( )";
  default: return NULL;
  }
}

static bool fail_expected(parser *p, const char *expected) {
  char buffer[64];
  return fail(p, p->token.start, HN_ERROR_SYNTAX, foreign_hint(p, p->token),
              "expected %s, found %s", expected, describe(p, p->token, buffer));
}

// An operand has ended, and neither an operator nor what closes it follows.
static bool fail_after_operand(parser *p, const char *closing) {
  char expected[96];
  bool product = p->token.kind == HN_TOKEN_NUMBER || p->token.kind == HN_TOKEN_NAME ||
                 p->token.kind == HN_TOKEN_OPEN;
  hn_text(expected, sizeof expected, "an operator or %s", closing);
  if (!product) return fail_expected(p, expected);
  char buffer[64];
  return fail(p, p->token.start, HN_ERROR_SYNTAX, "write * for a product: 2*x",
              "expected %s, found %s", expected, describe(p, p->token, buffer));
}

static bool fail_unknown_function(parser *p, hn_token name) {
  char word[NAME_LENGTH + 1], hint[256];
  memcpy(word, p->text + name.start, name.length);
  word[name.length] = '\0';
  const char *nearest = hn_nearest_word(word, function_names, COUNT(function_names));
  if (nearest)
    hn_text(hint, sizeof hint, "did you mean '%s'?", nearest);
  else
    hn_text(hint, sizeof hint, "use sin, exp, sqrt, min etc.; write * for a product: %.100s*(...)",
            word);
  return fail(p, name.start, HN_ERROR_SYNTAX, hint, "unknown function '%s'", word);
}

static bool fail_unknown_name(parser *p, hn_token name) {
  char word[NAME_LENGTH + 1], hint[384] = "", list[256] = "";
  memcpy(word, p->text + name.start, name.length);
  word[name.length] = '\0';
  const char *const *words = p->names ? p->names->words : NULL;
  int count = words ? p->names->word_count : 0;
  const char *candidates[2] = {hn_nearest_word(word, words, count),
                               hn_nearest_word(word, constant_names, CONSTANTS)};
  const char *nearest = hn_nearest_word(word, candidates, 2); // skips one that is null
  for (int i = 0; i < count && count <= HN_EXPRESSION_LISTED; i++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s, ", words[i]);
  if (nearest)
    hn_text(hint, sizeof hint, "did you mean '%s'?", nearest);
  else if (count <= HN_EXPRESSION_LISTED)
    hn_text(hint, sizeof hint, "use a known name: %spi, e", list);
  return fail(p, name.start, HN_ERROR_SYNTAX, hint, "unknown name '%s'", word);
}

// ---- program ------------------------------------------------------------------------------------

static bool emit(parser *p, hn_instruction instruction, int stack_change) {
  if (p->program->count == HN_EXPRESSION_INSTRUCTIONS)
    return fail(p, p->token.start, HN_ERROR_LIMIT, "split it into several formulas",
                "the formula has more than %d numbers, names and operations",
                HN_EXPRESSION_INSTRUCTIONS);
  p->stack += stack_change;
  if (p->stack > HN_EXPRESSION_STACK)
    return fail(p, p->token.start, HN_ERROR_LIMIT, "use fewer parentheses and choices",
                "the formula has more than %d pending values", HN_EXPRESSION_STACK);
  p->program->code[p->program->count++] = instruction;
  return true;
}

static bool emit_constant(parser *p, double value) {
  return emit(p, (hn_instruction){.code = HN_CODE_CONSTANT, .constant = value}, 1);
}

// Emits an operation on the last `operands` values; does it at once when they are constants.
static bool emit_operation(parser *p, hn_code code, int operation, int operands) {
  hn_instruction instruction = {.code = (short)code, .operation = (short)operation};
  if (!emit(p, instruction, 1 - operands)) return false;
  int first = p->program->count - 1 - operands;
  hn_instruction *run = p->program->code + first;
  for (int i = 0; i < operands; i++)
    if (run[i].code != HN_CODE_CONSTANT) return true;
  double value = hn_program_value(run, operands + 1, NULL);
  *run = (hn_instruction){.code = HN_CODE_CONSTANT, .constant = value};
  p->program->count = first + 1;
  return true;
}

static bool emit_variable(parser *p, hn_token name, int variable) {
  hn_program *program = p->program;
  int slot = 0;
  while (slot < program->used_count && program->used[slot] != variable) slot++;
  if (slot == HN_EXPRESSION_USED)
    return fail(p, name.start, HN_ERROR_LIMIT, "split it into several formulas",
                "the formula has more than %d different names", HN_EXPRESSION_USED);
  if (slot == program->used_count) program->used[program->used_count++] = variable;
  hn_instruction instruction = {
      .code = HN_CODE_VARIABLE, .operation = (short)slot, .variable = variable};
  return emit(p, instruction, 1);
}

// ---- descent ------------------------------------------------------------------------------------

static void advance(parser *p) {
  p->token = hn_token_next(p->text, p->length, p->token.start + p->token.length);
}

static bool enter(parser *p) {
  if (++p->nesting <= HN_EXPRESSION_NESTING) return true;
  return fail(p, p->token.start, HN_ERROR_LIMIT, "split it into several formulas",
              "the formula is nested deeper than %d levels", HN_EXPRESSION_NESTING);
}

static bool parse_choice(parser *p);
static bool parse_sign(parser *p);

// Reads ")" that belongs to the "(" at `open`; a comma may be expected as well.
static bool parse_close(parser *p, size_t open, const char *also) {
  if (p->token.kind == HN_TOKEN_CLOSE) {
    advance(p);
    return true;
  }
  char closing[64];
  hn_text(closing, sizeof closing, "%s')' for the '(' at column %d", also,
          hn_token_column(p->text, open));
  return fail_after_operand(p, closing);
}

// Whether the call that starts here has two arguments or more.
static bool has_comma(const parser *p) {
  int depth = 0;
  for (hn_token t = p->token; t.kind != HN_TOKEN_END;
       t = hn_token_next(p->text, p->length, t.start + t.length)) {
    depth += (t.kind == HN_TOKEN_OPEN) - (t.kind == HN_TOKEN_CLOSE);
    if (depth == 0) return false;
    if (depth == 1 && t.kind == HN_TOKEN_COMMA) return true;
  }
  return false;
}

static int stack_change(const hn_instruction *i) {
  return i->code == HN_CODE_UNARY    ? 0
         : i->code == HN_CODE_BINARY ? -1
         : i->code == HN_CODE_LOOKUP ? -1
         : i->code == HN_CODE_SELECT ? -2
                                     : 1;
}

// Puts the code of a composed function after that of its arguments, which it repeats, and then
// moves it to their place. start: where each argument starts, and where the last ends.
static bool emit_composed(parser *p, const hn_composed *f, const int *start) {
  hn_instruction code[HN_COMPOSED_CODE];
  int count = hn_composed_code(f, code), from = p->program->count;
  p->stack -= f->arguments;
  for (int k = 0; k < count; k++) {
    const hn_instruction *i = &code[k];
    if (i->code == HN_CODE_UNARY || i->code == HN_CODE_BINARY) {
      if (!emit_operation(p, (hn_code)i->code, i->operation, i->code == HN_CODE_UNARY ? 1 : 2))
        return false;
    } else if (i->code == HN_CODE_CONSTANT) {
      if (!emit_constant(p, i->constant)) return false;
    } else {
      for (int j = start[i->variable]; j < start[i->variable + 1]; j++)
        if (!emit(p, p->program->code[j], stack_change(&p->program->code[j]))) return false;
    }
  }
  int made = p->program->count - from;
  memmove(p->program->code + start[0], p->program->code + from, (size_t)made * sizeof *code);
  p->program->count = start[0] + made;
  return true;
}

static bool parse_composed(parser *p, hn_token name) {
  size_t open = p->token.start;
  int start[HN_COMPOSED_ARGUMENTS + 1], given = 0;
  advance(p);
  start[0] = p->program->count;
  for (;;) {
    if (!parse_choice(p)) return false;
    if (given < HN_COMPOSED_ARGUMENTS) start[given + 1] = p->program->count;
    given++;
    if (p->token.kind != HN_TOKEN_COMMA) break;
    advance(p);
  }
  const hn_composed *f = hn_composed_find(p->text + name.start, name.length, given);
  if (!f)
    return fail(p, name.start, HN_ERROR_SYNTAX, hn_composed_names(),
                "'%.*s' does not accept %d argument%s", (int)name.length, p->text + name.start,
                given, given == 1 ? "" : "s");
  return emit_composed(p, f, start) && parse_close(p, open, "',' or ");
}

static const hn_lookup *find_table(const parser *p, hn_token name) {
  for (int k = 0; p->names && k < p->names->table_count; k++) {
    const char *word = p->names->tables[k]->name;
    if (strlen(word) == name.length && memcmp(word, p->text + name.start, name.length) == 0)
      return p->names->tables[k];
  }
  return NULL;
}

// A table of one variable ignores the second, 0.
static bool parse_lookup(parser *p, hn_token name, const hn_lookup *table) {
  size_t open = p->token.start;
  int given = 0;
  do {
    advance(p);
    if (!parse_choice(p)) return false;
    given++;
  } while (p->token.kind == HN_TOKEN_COMMA && given < 2);
  if (p->token.kind == HN_TOKEN_COMMA || given != table->arguments)
    return fail(p, name.start, HN_ERROR_SYNTAX, NULL, "the table '%s' needs %d argument%s",
                table->name, table->arguments, table->arguments == 1 ? "" : "s");
  if (given == 1 && !emit_constant(p, 0)) return false;
  hn_instruction instruction = {.code = HN_CODE_LOOKUP, .table = table};
  return emit(p, instruction, -1) && parse_close(p, open, "',' or ");
}

static bool parse_call(parser *p, hn_token name) {
  const hn_lookup *table = find_table(p, name);
  if (table) return parse_lookup(p, name, table);
  size_t open = p->token.start;
  int index = find_word(function_names, COUNT(function_names), p->text + name.start, name.length);
  bool is_composed = hn_composed_known(p->text + name.start, name.length);
  if (index < 0 && !is_composed) return fail_unknown_function(p, name);
  if (is_composed && (index < 0 || has_comma(p))) return parse_composed(p, name);
  const function *f = &functions[index];
  advance(p);
  int given = 0;
  if (p->token.kind != HN_TOKEN_CLOSE) {
    for (;;) {
      if (!parse_choice(p)) return false;
      given++;
      if (given > f->arguments && f->more && !emit_operation(p, f->code, f->operation, 2))
        return false;
      if (given == f->arguments && !emit_operation(p, f->code, f->operation, f->arguments))
        return false;
      if (p->token.kind != HN_TOKEN_COMMA) break;
      advance(p);
    }
  }
  if (p->token.kind == HN_TOKEN_CLOSE &&
      (given < f->arguments || (given > f->arguments && !f->more)))
    return fail(p, name.start, HN_ERROR_SYNTAX, NULL, "'%s' needs %d argument%s%s, got %d", f->name,
                f->arguments, f->arguments == 1 ? "" : "s", f->more ? " or more" : "", given);
  return parse_close(p, open, "',' or ");
}

static bool parse_name(parser *p) {
  hn_token name = p->token;
  const char *text = p->text + name.start;
  if (name.length > NAME_LENGTH)
    return fail(p, name.start, HN_ERROR_LIMIT, "use a shorter name", "the name exceeds %d bytes",
                NAME_LENGTH);
  advance(p);
  if (p->token.kind == HN_TOKEN_OPEN) return parse_call(p, name);

  int constant = find_word(constant_names, CONSTANTS, text, name.length);
  if (constant >= 0) {
    p->constant_end[constant] = name.start + name.length;
    return emit_constant(p, constants[constant]);
  }
  int index = find_word(function_names, COUNT(function_names), text, name.length);
  if (index >= 0)
    return fail(p, p->token.start, HN_ERROR_SYNTAX, "write functions with parentheses: sin(x)",
                "expected '(' after the function '%s'", function_names[index]);
  int variable = find_variable(p, text, name.length);
  return variable >= 0 ? emit_variable(p, name, variable) : fail_unknown_name(p, name);
}

static bool parse_primary(parser *p) {
  if (p->token.kind == HN_TOKEN_NUMBER) {
    if (!isfinite(p->token.number)) {
      char buffer[64];
      return fail(p, p->token.start, HN_ERROR_SYNTAX, "write a smaller or shorter number",
                  "the number %s is too large or too long", describe(p, p->token, buffer));
    }
    double number = p->token.number;
    advance(p);
    return emit_constant(p, number);
  }
  if (p->token.kind == HN_TOKEN_NAME) return parse_name(p);
  if (p->token.kind == HN_TOKEN_OPEN) {
    size_t open = p->token.start;
    advance(p);
    return parse_choice(p) && parse_close(p, open, "");
  }
  return fail_expected(p, "a number, a name or '('");
}

static bool parse_power(parser *p) {
  if (!parse_primary(p)) return false;
  if (p->token.kind != HN_TOKEN_POWER) return true;
  if (!enter(p)) return false;
  advance(p);
  bool done = parse_sign(p) && emit_operation(p, HN_CODE_BINARY, HN_BINARY_POWER, 2);
  p->nesting--;
  return done;
}

static bool parse_sign(parser *p) {
  hn_token_kind kind = p->token.kind;
  if (kind != HN_TOKEN_MINUS && kind != HN_TOKEN_PLUS) return parse_power(p);
  if (!enter(p)) return false;
  advance(p);
  bool done = parse_sign(p);
  if (done && kind == HN_TOKEN_MINUS) done = emit_operation(p, HN_CODE_UNARY, HN_UNARY_NEGATE, 1);
  p->nesting--;
  return done;
}

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_ADD, LEVEL_MULTIPLY };

typedef struct binary_operator {
  hn_token_kind token;
  hn_binary operation;
  int level;
} binary_operator;

static const binary_operator operators[] = {
    {HN_TOKEN_OR, HN_BINARY_OR, LEVEL_OR},
    {HN_TOKEN_AND, HN_BINARY_AND, LEVEL_AND},
    {HN_TOKEN_LESS, HN_BINARY_LESS, LEVEL_COMPARE},
    {HN_TOKEN_LESS_EQUAL, HN_BINARY_LESS_EQUAL, LEVEL_COMPARE},
    {HN_TOKEN_GREATER, HN_BINARY_GREATER, LEVEL_COMPARE},
    {HN_TOKEN_GREATER_EQUAL, HN_BINARY_GREATER_EQUAL, LEVEL_COMPARE},
    {HN_TOKEN_EQUAL, HN_BINARY_EQUAL, LEVEL_COMPARE},
    {HN_TOKEN_NOT_EQUAL, HN_BINARY_NOT_EQUAL, LEVEL_COMPARE},
    {HN_TOKEN_PLUS, HN_BINARY_ADD, LEVEL_ADD},
    {HN_TOKEN_MINUS, HN_BINARY_SUBTRACT, LEVEL_ADD},
    {HN_TOKEN_TIMES, HN_BINARY_MULTIPLY, LEVEL_MULTIPLY},
    {HN_TOKEN_DIVIDE, HN_BINARY_DIVIDE, LEVEL_MULTIPLY},
};

static const binary_operator *find_operator(hn_token_kind token) {
  for (int i = 0; i < COUNT(operators); i++)
    if (operators[i].token == token) return &operators[i];
  return NULL;
}

static bool parse_level(parser *p, int level) {
  bool done;
  if (p->token.kind == HN_TOKEN_NOT && level <= LEVEL_NOT) {
    if (!enter(p)) return false;
    advance(p);
    done = parse_level(p, LEVEL_NOT) && emit_operation(p, HN_CODE_UNARY, HN_UNARY_NOT, 1);
    p->nesting--;
  } else {
    done = parse_sign(p);
  }
  const binary_operator *o;
  while (done && (o = find_operator(p->token.kind)) != NULL && o->level >= level) {
    advance(p);
    done = parse_level(p, o->level + 1) && emit_operation(p, HN_CODE_BINARY, (int)o->operation, 2);
    const binary_operator *next = find_operator(p->token.kind);
    if (done && o->level == LEVEL_COMPARE && next && next->level == LEVEL_COMPARE)
      return fail(p, p->token.start, HN_ERROR_SYNTAX, "write 'a < x and x < b'",
                  "comparisons cannot be chained");
  }
  return done;
}

static bool parse_choice(parser *p) {
  if (!enter(p)) return false;
  bool done = parse_level(p, LEVEL_OR);
  if (done && p->token.kind == HN_TOKEN_IF) {
    size_t start = p->token.start;
    advance(p);
    if (!parse_level(p, LEVEL_OR)) return false;
    if (p->token.kind != HN_TOKEN_ELSE) {
      char closing[64];
      return fail_after_operand(p,
                                hn_text(closing, sizeof closing, "'else' for the 'if' at column %d",
                                        hn_token_column(p->text, start)));
    }
    advance(p);
    done = parse_choice(p) && emit_operation(p, HN_CODE_SELECT, 0, 3);
  }
  p->nesting--;
  return done;
}

// ---- interface ----------------------------------------------------------------------------------

// A variable called like a constant would be misread without a word. Asked only at the end, so that
// a name unknown to find is always what ends the compilation.
static bool check_constants(parser *p) {
  for (int i = 0; i < CONSTANTS; i++) {
    size_t length = strlen(constant_names[i]), end = p->constant_end[i];
    if (end > 0 && find_variable(p, constant_names[i], length) >= 0)
      return fail(p, end - length, HN_ERROR_SYNTAX, "give the variable another name",
                  "the variable '%s' has the name of a constant", constant_names[i]);
  }
  return true;
}

hn_status hn_program_compile(const char *text, size_t length, const hn_expression_names *names,
                             hn_program *program, hn_error *error) {
  program->count = program->used_count = 0;
  parser p = {.text = text,
              .length = length,
              .names = names,
              .program = program,
              .error = error,
              .status = HN_OK};
  if (length > HN_EXPRESSION_LENGTH)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "split it into several formulas",
                   "the formula has %zu bytes, at most %d are allowed", length,
                   HN_EXPRESSION_LENGTH);
  advance(&p);
  if (p.token.kind == HN_TOKEN_END)
    return hn_fail(error, HN_ERROR_SYNTAX, &(hn_source){NULL, 0, 1}, NULL,
                   "write a formula such as 2*x", "the formula is empty");
  if (!parse_choice(&p)) return p.status;
  if (p.token.kind != HN_TOKEN_END)
    fail_after_operand(&p, "the end");
  else
    check_constants(&p);
  return p.status;
}
