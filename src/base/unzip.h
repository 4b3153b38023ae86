// Zip archives, read: stored or deflated members of a plain archive (no encryption, no links, no
// second disk, at most 4 GB). Everything is checked before a member is used: an archive is
// untrusted input.
#ifndef HN_BASE_UNZIP_H
#define HN_BASE_UNZIP_H

#include <stdint.h>

#include "base/text.h"

// Limits of an archive that is opened.
#define HN_UNZIP_MEMBERS 20000
#define HN_UNZIP_BYTES ((uint64_t)1 << 30) // of all members together, unpacked

typedef struct hn_unzip_member {
  const char *name; // relative, with / between folders; a folder ends in one
  int is_deflated;
  uint32_t crc;
  size_t offset, packed, size; // of the local header; bytes
} hn_unzip_member;

typedef struct hn_unzip {
  const char *path; // the caller's
  char *data, *names;
  size_t size;
  hn_unzip_member *members; // in the order of the directory
  int count;
} hn_unzip;

hn_status hn_zip_open(hn_unzip *zip, const char *path, hn_error *error);
void hn_zip_close(hn_unzip *zip);
const hn_unzip_member *hn_zip_find(const hn_unzip *zip, const char *name); // or null
// The bytes of a member with an end mark behind them, for hn_release(NULL, *bytes).
hn_status hn_zip_read(const hn_unzip *zip, const hn_unzip_member *member, char **bytes,
                      hn_error *error);

#endif
