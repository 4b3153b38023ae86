// Holon: status codes, the error object, memory and log hooks. Included by every other header.
#ifndef HOLON_BASE_H
#define HOLON_BASE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of these headers; hn_version() is the one of the library. The build reads it here.
#define HN_VERSION_MAJOR 0
#define HN_VERSION_MINOR 2
#define HN_VERSION_PATCH 0

#if defined(HOLON_SHARED) && (defined(__GNUC__) || defined(__clang__))
#define HN_API __attribute__((visibility("default")))
#else
#define HN_API
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HN_PRINTF(format_index, first_index)                                                       \
  __attribute__((format(printf, format_index, first_index)))
#else
#define HN_PRINTF(format_index, first_index)
#endif

// Every status the library can return, once: code, value, name in JSON output, meaning.
// 0 is success; positive asks the caller to try again with a smaller step; negative stops.
#define HN_STATUS_LIST(X)                                                                          \
  X(HN_OK, 0, "ok", "done")                                                                        \
  X(HN_RETRY, 1, "retry", "the step fails; a smaller one may succeed")                             \
  X(HN_RETRY_CONVERGENCE, 2, "retry-convergence", "iteration did not converge at this step")       \
  X(HN_RETRY_ERROR, 3, "retry-error", "local error above the tolerance")                           \
  X(HN_ERROR_MEMORY, -1, "memory", "out of memory")                                                \
  X(HN_ERROR_ARGUMENT, -2, "argument", "an argument of the call is invalid")                       \
  X(HN_ERROR_FILE, -3, "file", "a file cannot be read or written")                                 \
  X(HN_ERROR_SYNTAX, -4, "syntax", "a file is not well formed")                                    \
  X(HN_ERROR_MODEL, -5, "model", "the model is not valid")                                         \
  X(HN_ERROR_ASSEMBLY, -6, "assembly", "the model cannot be assembled")                            \
  X(HN_ERROR_SINGULAR, -7, "singular", "accelerations are not determined")                         \
  X(HN_ERROR_INCONSISTENT, -8, "inconsistent", "constraints contradict each other")                \
  X(HN_ERROR_CONVERGENCE, -9, "convergence", "an iteration did not converge")                      \
  X(HN_ERROR_STEP_SIZE, -10, "step-size", "the step size became too small")                        \
  X(HN_ERROR_NOT_FINITE, -11, "not-finite", "a value is not a finite number")                      \
  X(HN_ERROR_UNSUPPORTED, -12, "unsupported", "this combination is not supported")                 \
  X(HN_ERROR_INTERRUPTED, -13, "interrupted", "stopped on request")                                \
  X(HN_ERROR_LIMIT, -14, "limit", "a limit was reached")

typedef enum hn_status {
#define HN_STATUS_ENUM(code, value, name, text) code = value,
  HN_STATUS_LIST(HN_STATUS_ENUM)
#undef HN_STATUS_ENUM
} hn_status;

HN_API const char *hn_status_name(hn_status status); // "assembly"; "unknown" for other numbers
HN_API const char *hn_status_text(hn_status status); // "the model cannot be assembled"
HN_API const char *hn_version(void);                 // "0.2.0"

// Where something was written by the user. line 0: not from a file. The string is not owned.
typedef struct hn_source {
  const char *file;
  int line, column;
} hn_source;

// An error or warning: element, place, numbers, and what to try next. Of fixed size, so that
// reporting "out of memory" needs no memory.
typedef struct hn_error {
  hn_status status;
  char element[128]; // "joint 'toggle'", empty if none
  char file[256];    // empty if none
  int line, column;  // 1-based, 0 if none
  char message[1536];
  char hint[512];
} hn_error;

// Hints name options by an @: "give a smaller @max_step". Who shows them says how options are written
// where its user is. Writes at most size bytes, terminated; `text` may not be `to`.
typedef enum hn_caller {
  HN_CALLER_PROGRAM, // max_step
  HN_CALLER_COMMAND  // --max-step
} hn_caller;
HN_API void hn_render_hint(const char *text, hn_caller caller, char *to, size_t size);

// Writes "file:line:column: element message\n  hint" (at most size bytes, terminated), for a program.
HN_API void hn_error_format(const hn_error *error, char *text, size_t size);

// Frees a text that the library made for the caller (a JSON object, a page). Null is fine.
HN_API void hn_text_free(char *text);

// Memory hook. A null hn_allocator pointer anywhere means malloc and free.
typedef struct hn_allocator {
  void *(*allocate)(void *context, size_t size); // null on failure; aligned as malloc
  void (*release)(void *context, void *block);   // block may be null
  void *context;
} hn_allocator;

#ifdef __cplusplus
}
#endif

#endif
