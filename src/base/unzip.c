// Zip archives, read. See unzip.h.
#include "base/unzip.h"

#include <string.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "base/error.h"
#include "base/file.h"
#include "base/inflate.h"

enum { LOCAL = 30, CENTRAL = 46, END = 22, COMMENT_MOST = 65535 };

static uint32_t little_endian(const char *at, int bytes) {
  uint32_t value = 0;
  for (int k = 0; k < bytes; k++) value |= (uint32_t)(unsigned char)at[k] << (8 * k);
  return value;
}

static hn_status damaged(const hn_unzip *zip, const char *what, hn_error *error) {
  hn_source place = {zip->path, 0, 0};
  return hn_fail(error, HN_ERROR_FILE, &place, NULL,
                 "Use an archive made by zip or by the program "
                 "that exports it.",
                 "is not an archive that can be read: %s", what);
}

// ---- the directory ------------------------------------------------------------------------------

// The record at the end, behind which only a comment stands; or null.
static const char *find_end(const hn_unzip *zip) {
  if (zip->size < END) return NULL;
  const size_t most = zip->size - END < COMMENT_MOST ? zip->size - END : COMMENT_MOST;
  for (size_t back = 0; back <= most; back++) {
    const char *at = zip->data + zip->size - END - back;
    if (little_endian(at, 4) == 0x06054b50 && little_endian(at + 20, 2) == back) return at;
  }
  return NULL;
}

// A name that stays inside of the folder where it is unpacked.
static int is_safe(const char *name, size_t length) {
  if (length == 0 || name[0] == '/' || memchr(name, '\\', length) || memchr(name, '\0', length) ||
      memchr(name, ':', length))
    return 0;
  for (size_t k = 0; k < length; k++)
    if (name[k] == '.' && (k == 0 || name[k - 1] == '/') && k + 1 < length && name[k + 1] == '.' &&
        (k + 2 == length || name[k + 2] == '/'))
      return 0;
  return 1;
}

static hn_status take_member(hn_unzip *zip, const char *at, char *name, uint64_t *total,
                             hn_error *error) {
  const size_t length = little_endian(at + 28, 2);
  const uint32_t flags = little_endian(at + 8, 2), method = little_endian(at + 10, 2);
  const uint32_t mode = little_endian(at + 38, 4) >> 16, system = little_endian(at + 4, 2) >> 8;
  hn_unzip_member *m = &zip->members[zip->count++];
  *m = (hn_unzip_member){.name = name,
                         .is_deflated = method == 8,
                         .crc = little_endian(at + 16, 4),
                         .packed = little_endian(at + 20, 4),
                         .size = little_endian(at + 24, 4),
                         .offset = little_endian(at + 42, 4)};
  memcpy(name, at + CENTRAL, length);
  name[length] = '\0';
  if (!is_safe(at + CENTRAL, length)) return damaged(zip, "a name leaves its folder", error);
  if (flags & 0x41) return damaged(zip, "a member is encrypted", error);
  if (method != 0 && method != 8)
    return damaged(zip, "a member is neither stored nor deflated", error);
  if (system == 3 && (mode & 0170000) == 0120000) return damaged(zip, "a member is a link", error);
  if (method == 0 ? m->size != m->packed : m->size / HN_INFLATE_MOST > m->packed)
    return damaged(zip, "the sizes of a member contradict each other", error);
  if (m->offset > zip->size || zip->size - m->offset < LOCAL)
    return damaged(zip, "a member is outside of the file", error);
  *total += m->size;
  if (*total > HN_UNZIP_BYTES) return damaged(zip, "its members have more than 1 GB", error);
  return HN_OK;
}

static hn_status read_directory(hn_unzip *zip, hn_error *error) {
  const char *end = find_end(zip);
  if (!end) return damaged(zip, "its directory is missing", error);
  const uint32_t count = little_endian(end + 10, 2);
  const size_t size = little_endian(end + 12, 4), start = little_endian(end + 16, 4);
  if (little_endian(end + 4, 4) != 0 || start > zip->size || size > zip->size - start)
    return damaged(zip, "its directory is outside of the file", error);
  if (count > HN_UNZIP_MEMBERS) return damaged(zip, "it has more than 20000 members", error);
  zip->members = hn_allocate(NULL, (count + 1) * sizeof *zip->members);
  zip->names = hn_allocate(NULL, size + count + 1); // a name is shorter than its record
  if (!zip->members || !zip->names)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an archive");
  const char *at = zip->data + start, *last = at + size;
  uint64_t total = 0;
  char *name = zip->names;
  for (uint32_t k = 0; k < count; k++) {
    if (last - at < CENTRAL || little_endian(at, 4) != 0x02014b50)
      return damaged(zip, "its directory is damaged", error);
    const size_t length = little_endian(at + 28, 2),
                 whole = CENTRAL + length + little_endian(at + 30, 2) + little_endian(at + 32, 2);
    if ((size_t)(last - at) < whole) return damaged(zip, "its directory is damaged", error);
    hn_status status = take_member(zip, at, name, &total, error);
    if (status != HN_OK) return status;
    name += length + 1;
    at += whole;
  }
  return HN_OK;
}

hn_status hn_zip_open(hn_unzip *zip, const char *path, hn_error *error) {
  *zip = (hn_unzip){.path = path};
  hn_status status = hn_file_read(path, &zip->data, &zip->size, error);
  if (status == HN_OK) status = read_directory(zip, error);
  if (status != HN_OK) hn_zip_close(zip);
  return status;
}

void hn_zip_close(hn_unzip *zip) {
  hn_release(NULL, zip->members);
  hn_release(NULL, zip->names);
  hn_release(NULL, zip->data);
  *zip = (hn_unzip){.path = NULL};
}

// ---- members ------------------------------------------------------------------------------------

const hn_unzip_member *hn_zip_find(const hn_unzip *zip, const char *name) {
  for (int k = 0; k < zip->count; k++)
    if (strcmp(zip->members[k].name, name) == 0) return &zip->members[k];
  return NULL;
}

hn_status hn_zip_read(const hn_unzip *zip, const hn_unzip_member *m, char **bytes,
                      hn_error *error) {
  *bytes = NULL;
  const char *local = zip->data + m->offset;
  const size_t room = zip->size - m->offset;
  const size_t head = LOCAL + little_endian(local + 26, 2) + little_endian(local + 28, 2);
  if (little_endian(local, 4) != 0x04034b50 || head > room || m->packed > room - head)
    return damaged(zip, "a member is outside of the file", error);
  char *out = hn_allocate(NULL, m->size + 1);
  if (!out)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an archive");
  const unsigned char *in = (const unsigned char *)local + head;
  int is_whole = 1;
  if (m->is_deflated)
    is_whole = hn_inflate(in, m->packed, (unsigned char *)out, m->size);
  else
    memcpy(out, in, m->size);
  out[m->size] = '\0';
  if (is_whole && hn_crc32(0, out, m->size) == m->crc) {
    *bytes = out;
    return HN_OK;
  }
  hn_release(NULL, out);
  return damaged(zip, "the checksum of a member is wrong", error);
}
