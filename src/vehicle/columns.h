// Tables of numbers with names above them (CSV), as tyres and roads use them.
#ifndef HN_VEHICLE_COLUMNS_H
#define HN_VEHICLE_COLUMNS_H

#include "base/arena.h"

enum { HN_COLUMNS_MOST = 64 };

typedef struct hn_columns {
  int count;
  char **names; // (count)
  long rows;
  double *values; // (rows x count)
} hn_columns;

// Into the arena. Comma, semicolon or tab between fields, # begins a line of comment. Every row
// has as many numbers as there are names, all of them finite. Without names (has_names 0) the
// first row counts.
hn_status hn_columns_read(hn_arena *arena, const char *text, size_t size, const char *file,
                          int has_names, hn_columns *out, hn_error *error);
int hn_columns_find(const hn_columns *columns, const char *name); // -1: none

// Text of others inside a message: printable ASCII, at most 40 characters.
typedef struct hn_quote {
  char text[44];
} hn_quote;
hn_quote hn_quote_of(const char *text, size_t length);

// A number with its sign at the start of a text, blanks before it skipped; characters read, 0:
// none there.
size_t hn_signed_number(const char *text, size_t length, double *value);

#endif
