// Common declarations of writing and reading a store.
#ifndef HN_OUTPUT_ROW_STORE_H
#define HN_OUTPUT_ROW_STORE_H

#include <stdint.h>

#include "holon/store.h"
#include "output/store.h"

#define HN_STORE_MAGIC "HOLON STORE 1\n\0"
enum { HN_STORE_START = 16, HN_STORE_HEAD = 32 };

typedef struct hn_store_piece {
  const void *data;
  size_t size;
} hn_store_piece;

void hn_store_put_number(unsigned char *at, unsigned long long value, int bytes);
unsigned long long hn_store_get_number(const unsigned char *at, int bytes);
unsigned long long hn_store_checksum(unsigned long long sum, const void *data, size_t size);
int hn_store_is_little(void);
// Numbers of this machine to little endian, or back.
void hn_store_order(void *data, size_t count, size_t width);

// Position of the numbers of a block of rows in the file.
typedef struct hn_store_place {
  unsigned long long at;
  int rows;
} hn_store_place;

// All blocks of rows, each with a right checksum; names: a table without rows. To be freed by
// hn_release(NULL, *places) and hn_results_free, after an error too.
hn_status hn_store_index(const char *path, hn_results **names, hn_store_place **places, int *count,
                         hn_store_state *state, hn_error *error);
// row_store_columns.c: all formats but CSV. Bytes of the buffer for columns, one column at least.
#define HN_STORE_ROOM ((size_t)32 << 20)
hn_status hn_store_export_columns(const char *path, const char *to, hn_results_format format,
                                  int with_units, size_t room, hn_store_state *state,
                                  hn_error *error);

#endif
