// Zip archives, written one member after the other, stored without compression. Names are UTF-8.
// More than 65,534 members or 4 GB take the 64-bit end records.
#ifndef HN_BASE_ZIP_H
#define HN_BASE_ZIP_H

#include <stdint.h>

#include "base/file.h"

typedef struct hn_zip_member {
  char *name;
  uint32_t crc;
  uint64_t offset, size;
} hn_zip_member;

typedef struct hn_zip {
  hn_file file;
  hn_zip_member *members;
  size_t count, room;
  int is_lost; // memory has run out
} hn_zip;

// One piece of a member.
typedef struct hn_zip_bytes {
  const void *data;
  size_t size;
} hn_zip_bytes;

hn_status hn_zip_create(hn_zip *zip, const char *path, hn_error *error);
// The pieces follow each other. A failure is stored and reported by hn_zip_finish.
void hn_zip_add(hn_zip *zip, const char *name, const hn_zip_bytes *pieces, int count);
// Writes the directory and closes the file; on a failure removes it and says why.
hn_status hn_zip_finish(hn_zip *zip, hn_error *error);
void hn_zip_abandon(hn_zip *zip); // removes it

#endif
