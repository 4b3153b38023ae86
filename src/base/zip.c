// Zip archives. See zip.h.
#include "base/zip.h"

#include <string.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "base/error.h"

// ---- little-endian records ----------------------------------------------------------------------

typedef struct record {
  unsigned char bytes[64];
  size_t size;
} record;

static void put(record *r, uint64_t value, int bytes) {
  for (int k = 0; k < bytes; k++) r->bytes[r->size++] = (unsigned char)(value >> (8 * k) & 0xff);
}

static uint64_t at_most(uint64_t value, uint64_t limit) { return value < limit ? value : limit; }

// Version, flags (bit 11: names are UTF-8), method, time and date (1 January 1980), crc, sizes: the
// part that local and central headers share.
static void put_common(record *r, int version, const hn_zip_member *m) {
  put(r, (uint64_t)version, 2);
  put(r, 0x0800, 2);
  put(r, 0, 2);
  put(r, 0, 2);
  put(r, 0x0021, 2);
  put(r, m->crc, 4);
  put(r, m->size, 4);
  put(r, m->size, 4);
  put(r, strlen(m->name), 2);
}

// ---- members ------------------------------------------------------------------------------------

hn_status hn_zip_create(hn_zip *zip, const char *path, hn_error *error) {
  *zip = (hn_zip){.members = NULL};
  return hn_file_create(&zip->file, path, error);
}

// A new member of this name; null: out of memory, for good.
static hn_zip_member *add_member(hn_zip *zip, const char *name) {
  if (zip->count == zip->room && !zip->is_lost) {
    const size_t room = 2 * zip->room + 16;
    hn_zip_member *larger =
        hn_reallocate(NULL, zip->members, zip->count * sizeof *larger, room * sizeof *larger);
    if (larger) {
      zip->members = larger;
      zip->room = room;
    } else {
      zip->is_lost = 1;
    }
  }
  const size_t length = strlen(name) + 1;
  char *copy = zip->is_lost ? NULL : hn_allocate(NULL, length);
  if (!copy) {
    zip->is_lost = 1;
    return NULL;
  }
  memcpy(copy, name, length);
  hn_zip_member *m = &zip->members[zip->count++];
  *m = (hn_zip_member){.name = copy, .offset = zip->file.written};
  return m;
}

void hn_zip_add(hn_zip *zip, const char *name, const hn_zip_bytes *pieces, int count) {
  hn_zip_member *m = add_member(zip, name);
  if (!m) return;
  for (int k = 0; k < count; k++) {
    m->crc = hn_crc32(m->crc, pieces[k].data, pieces[k].size);
    m->size += pieces[k].size;
  }
  record local = {.size = 0};
  put(&local, 0x04034b50, 4);
  put_common(&local, 20, m);
  put(&local, 0, 2);
  hn_file_write(&zip->file, local.bytes, local.size);
  hn_file_text(&zip->file, m->name);
  for (int k = 0; k < count; k++) hn_file_write(&zip->file, pieces[k].data, pieces[k].size);
}

// ---- the directory ------------------------------------------------------------------------------

static void write_directory_entry(hn_file *file, const hn_zip_member *m) {
  const int large = m->offset >= 0xFFFFFFFFu; // then the offset is in a 64-bit extra field
  record central = {.size = 0};
  put(&central, 0x02014b50, 4);
  put(&central, large ? 45 : 20, 2);
  put_common(&central, large ? 45 : 20, m);
  put(&central, large ? 12 : 0, 2); // extra field
  put(&central, 0, 2);              // comment
  put(&central, 0, 2);              // disk
  put(&central, 0, 2);              // attributes
  put(&central, 0, 4);
  put(&central, at_most(m->offset, 0xFFFFFFFFu), 4);
  hn_file_write(file, central.bytes, central.size);
  hn_file_text(file, m->name);
  if (!large) return;
  record extra = {.size = 0};
  put(&extra, 0x0001, 2);
  put(&extra, 8, 2);
  put(&extra, m->offset, 8);
  hn_file_write(file, extra.bytes, extra.size);
}

static void write_end(hn_file *file, uint64_t count, uint64_t start) {
  const uint64_t size = file->written - start, end = file->written;
  if (count >= 0xFFFF || start >= 0xFFFFFFFFu || size >= 0xFFFFFFFFu) {
    record wide = {.size = 0};
    put(&wide, 0x06064b50, 4);
    put(&wide, 44, 8);
    put(&wide, 45, 2);
    put(&wide, 45, 2);
    put(&wide, 0, 8); // disks
    put(&wide, count, 8);
    put(&wide, count, 8);
    put(&wide, size, 8);
    put(&wide, start, 8);
    hn_file_write(file, wide.bytes, wide.size);
    record locator = {.size = 0};
    put(&locator, 0x07064b50, 4);
    put(&locator, 0, 4);
    put(&locator, end, 8);
    put(&locator, 1, 4);
    hn_file_write(file, locator.bytes, locator.size);
  }
  record last = {.size = 0};
  put(&last, 0x06054b50, 4);
  put(&last, 0, 4); // disks
  put(&last, at_most(count, 0xFFFF), 2);
  put(&last, at_most(count, 0xFFFF), 2);
  put(&last, at_most(size, 0xFFFFFFFFu), 4);
  put(&last, at_most(start, 0xFFFFFFFFu), 4);
  put(&last, 0, 2);
  hn_file_write(file, last.bytes, last.size);
}

static void drop_members(hn_zip *zip) {
  for (size_t k = 0; k < zip->count; k++) hn_release(NULL, zip->members[k].name);
  hn_release(NULL, zip->members);
  zip->members = NULL;
  zip->count = zip->room = 0;
}

hn_status hn_zip_finish(hn_zip *zip, hn_error *error) {
  if (zip->is_lost) {
    hn_zip_abandon(zip);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  const uint64_t start = zip->file.written;
  for (size_t k = 0; k < zip->count; k++) write_directory_entry(&zip->file, &zip->members[k]);
  write_end(&zip->file, zip->count, start);
  drop_members(zip);
  return hn_file_finish(&zip->file, error);
}

void hn_zip_abandon(hn_zip *zip) {
  drop_members(zip);
  hn_file_abandon(&zip->file);
}
