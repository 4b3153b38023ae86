// Inside a compiled formula: instructions, operations and tokens. For the files of src/math that
// make or run programs; everybody else includes expression.h.
#ifndef HN_MATH_EXPRESSION_CODE_H
#define HN_MATH_EXPRESSION_CODE_H

#include "math/expression.h"

typedef struct hn_instruction hn_instruction;
typedef struct hn_lookup hn_lookup; // math/lookup.h

// ---- operations ---------------------------------------------------------------------------------

// Functions of one argument: operation, name in formulas.
#define HN_UNARY_FUNCTION_LIST(X)                                                                  \
  X(HN_UNARY_SIN, "sin")                                                                           \
  X(HN_UNARY_COS, "cos")                                                                           \
  X(HN_UNARY_TAN, "tan")                                                                           \
  X(HN_UNARY_ASIN, "asin")                                                                         \
  X(HN_UNARY_ACOS, "acos")                                                                         \
  X(HN_UNARY_ATAN, "atan")                                                                         \
  X(HN_UNARY_SINH, "sinh")                                                                         \
  X(HN_UNARY_COSH, "cosh")                                                                         \
  X(HN_UNARY_TANH, "tanh")                                                                         \
  X(HN_UNARY_EXP, "exp")                                                                           \
  X(HN_UNARY_LOG, "log")                                                                           \
  X(HN_UNARY_SQRT, "sqrt")                                                                         \
  X(HN_UNARY_ABS, "abs")                                                                           \
  X(HN_UNARY_SIGN, "sign")                                                                         \
  X(HN_UNARY_FLOOR, "floor")                                                                       \
  X(HN_UNARY_CEIL, "ceil")                                                                         \
  X(HN_UNARY_STEP, "step")

// Functions of two arguments, and whether they take more: min(a, b, c) is min(min(a, b), c).
#define HN_BINARY_FUNCTION_LIST(X)                                                                 \
  X(HN_BINARY_ATAN2, "atan2", 0)                                                                   \
  X(HN_BINARY_HYPOT, "hypot", 0)                                                                   \
  X(HN_BINARY_MOD, "mod", 0)                                                                       \
  X(HN_BINARY_MIN, "min", 1)                                                                       \
  X(HN_BINARY_MAX, "max", 1)

typedef enum hn_unary {
  HN_UNARY_NEGATE,
  HN_UNARY_NOT,
#define HN_UNARY_ENUM(operation, name) operation,
  HN_UNARY_FUNCTION_LIST(HN_UNARY_ENUM)
#undef HN_UNARY_ENUM
      HN_UNARY_CUBIC, // u^2 (3 - 2 u): from 0 to 1 with slopes 0
  HN_UNARY_QUINTIC,   // u^3 (10 - 15 u + 6 u^2): with second derivatives 0 too
} hn_unary;

// ---- functions made of others

// Recognized before a parenthesis only: their names are free for variables.
typedef struct hn_composed {
  const char *name;
  int arguments;
  const char *kinds; // of the arguments: x, y (as the result), others
  const char *code;  // postfix: see expression_composed.c
} hn_composed;
const hn_composed *hn_composed_find(const char *name, size_t length, int arguments);
int hn_composed_known(const char *name, size_t length); // with any number of arguments
const char *hn_composed_names(void);                    // with their arguments, for messages
#define HN_COMPOSED_CODE 40
#define HN_COMPOSED_ARGUMENTS 5
// The instructions, in which argument k is the variable k; how many.
int hn_composed_code(const hn_composed *function, hn_instruction *code);

typedef enum hn_binary {
  HN_BINARY_ADD,
  HN_BINARY_SUBTRACT,
  HN_BINARY_MULTIPLY,
  HN_BINARY_DIVIDE,
  HN_BINARY_POWER,
  HN_BINARY_LESS,
  HN_BINARY_LESS_EQUAL,
  HN_BINARY_GREATER,
  HN_BINARY_GREATER_EQUAL,
  HN_BINARY_EQUAL,
  HN_BINARY_NOT_EQUAL,
  HN_BINARY_AND,
  HN_BINARY_OR,
#define HN_BINARY_ENUM(operation, name, more) operation,
  HN_BINARY_FUNCTION_LIST(HN_BINARY_ENUM)
#undef HN_BINARY_ENUM
} hn_binary;

// Partial derivatives of f(x, y).
typedef struct hn_partials {
  double x, y, xx, xy, yy, xxx, xxy, xyy, yyy;
} hn_partials;

double hn_unary_value(hn_unary operation, double x);
double hn_binary_value(hn_binary operation, double x, double y);
// f', f'', f''' at x, where f(x) = value is known already.
void hn_unary_derivatives(hn_unary operation, double x, double value, double derivatives[3]);
// Derivatives by y of the power are left out (0) when y does not vary: they need log(x).
hn_partials hn_binary_derivatives(hn_binary operation, double x, double y, double value,
                                  int y_varies);
// a if condition else b: 1 for a, 0 for b, -1 when the condition is NaN.
int hn_choice(double condition);
// Whether an operation has branches: abs, comparisons, floor and so on.
int hn_unary_switches(hn_unary operation);
int hn_binary_switches(hn_binary operation);

// ---- programs -----------------------------------------------------------------------------------

typedef enum hn_code {
  HN_CODE_CONSTANT, // push constant
  HN_CODE_VARIABLE, // push values[variable]
  HN_CODE_UNARY,    // replace the top by unary(top)
  HN_CODE_BINARY,   // replace the two on top by binary(below, top)
  HN_CODE_SELECT,   // replace a, condition, b on top by a if condition else b
  HN_CODE_LOOKUP,   // replace the two on top by table(below, top)
} hn_code;

struct hn_instruction {
  short code;      // hn_code
  short operation; // hn_unary or hn_binary; of a variable its place among the used ones
  int variable;    // of an operation that is marked the number of its bit, from 1; else 0
  union {
    double constant;
    const hn_lookup *table; // outlives the formula
  };
};

struct hn_expression {
  int count, used_count;
  hn_instruction code[]; // count, followed by used_count indices (int)
};

// The stack of an evaluation: the compiler rejects programs that need more.
#define HN_EXPRESSION_STACK 64

// A program while it is being compiled: about 20 kB, meant for the call stack.
typedef struct hn_program {
  hn_instruction code[HN_EXPRESSION_INSTRUCTIONS];
  int used[HN_EXPRESSION_USED];
  int count, used_count;
} hn_program;

hn_status hn_program_compile(const char *text, size_t length, const hn_expression_names *names,
                             hn_program *program, hn_error *error);
size_t hn_program_size(const hn_program *program); // of the expression it makes, bytes
void hn_program_store(const hn_program *program, hn_expression *expression);
double hn_program_value(const hn_instruction *code, int count, const double *values);
// Runs the first instructions of a program: returns the position of its topmost value in stack,
// which has capacity for HN_EXPRESSION_STACK + 1; the values below it wait for the next
// instruction.
const double *hn_program_run(const hn_instruction *code, int count, const double *values,
                             double *stack);
// Gives bits to operations that choose between two branches and returns their number
// (expression_switches.c). `speed`: the variable that decides no jump, or -1.
int hn_program_mark_switches(hn_program *program, int speed);
int hn_program_bends(const hn_program *program); // calls of tables that bend
// Value and three derivatives at x of a formula of one variable, with every branch chosen as at
// `place`: pieces that are smooth there continue smoothly to x.
void hn_program_freeze(const hn_instruction *code, int count, double x, double place,
                       double derivatives[4]);

// ---- tokens -------------------------------------------------------------------------------------

typedef enum hn_token_kind {
  HN_TOKEN_END,
  HN_TOKEN_NUMBER,
  HN_TOKEN_NAME,
  HN_TOKEN_IF,
  HN_TOKEN_ELSE,
  HN_TOKEN_NOT,
  HN_TOKEN_AND,
  HN_TOKEN_OR,
  HN_TOKEN_LESS,
  HN_TOKEN_LESS_EQUAL,
  HN_TOKEN_GREATER,
  HN_TOKEN_GREATER_EQUAL,
  HN_TOKEN_EQUAL,
  HN_TOKEN_NOT_EQUAL,
  HN_TOKEN_PLUS,
  HN_TOKEN_MINUS,
  HN_TOKEN_TIMES,
  HN_TOKEN_DIVIDE,
  HN_TOKEN_POWER,
  HN_TOKEN_OPEN,
  HN_TOKEN_CLOSE,
  HN_TOKEN_COMMA,
  HN_TOKEN_FOREIGN, // a character that has no meaning here
} hn_token_kind;

typedef struct hn_token {
  hn_token_kind kind;
  size_t start, length; // in the text, bytes
  double number;
} hn_token;

// The token at or after position.
hn_token hn_token_next(const char *text, size_t length, size_t position);
// The 1-based column, in characters, of a place in UTF-8 text.
int hn_token_column(const char *text, size_t position);

#endif
