// Tables of numbers from files (CSV, NPY), as tyres, roads and laws use them.
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

// Into the arena. Comma, semicolon or tab between fields, # starts a line of comment. Every row has
// as many numbers as there are names, all of them finite. Without names (has_names 0) the first row
// counts.
hn_status hn_columns_read(hn_arena *arena, const char *text, size_t size, const char *file,
                          int has_names, hn_columns *out, hn_error *error);
// The same with names, where fields may be empty or missing at the end of a row: NaN.
hn_status hn_columns_read_open(hn_arena *arena, const char *text, size_t size, const char *file,
                               hn_columns *out, hn_error *error);
// The same of an array of rows and columns that numpy.save wrote (NPY, version 1 to 3); it has no names.
hn_status hn_columns_read_npy(hn_arena *arena, const char *bytes, size_t size, const char *file,
                              hn_columns *out, hn_error *error);
int hn_columns_find(const hn_columns *columns, const char *name); // -1: none

// A number of binary files: kind f (4 or 8 bytes), i or u (1, 2, 4 or 8).
double hn_number_of_bytes(const unsigned char *bytes, int width, char kind, int is_big_endian);

// Text of others inside a message: printable ASCII, at most 40 characters.
typedef struct hn_quote {
  char text[44];
} hn_quote;
hn_quote hn_quote_of(const char *text, size_t length);
// Capital letters, printable, without blanks and quotes at the ends; at most the capacity - 1 of
// them.
void hn_copy_upper(char *to, size_t room, const char *from, size_t length);

// A number with its sign at the start of a text, blanks before it skipped; characters read, 0:
// none there.
size_t hn_signed_number(const char *text, size_t length, double *value);

#endif
