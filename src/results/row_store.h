// What writing and reading a store share.
#ifndef HN_RESULTS_ROW_STORE_H
#define HN_RESULTS_ROW_STORE_H

#include <stdint.h>

#include "holon/store.h"
#include "results/store.h"

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

#endif
