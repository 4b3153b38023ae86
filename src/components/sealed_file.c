// Files of sealed components: see sealed.h for their contents.
//
// The sealed text is mixed with a stream of numbers (SplitMix64, Steele, Lea and Flood 2014) that
// starts with a checksum of the text. That hides names and numbers from readers of the file. It is
// no encryption: a debugger shows what the code reads.
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/plain_file.h"
#include "base/sha256.h"
#include "components/sealed.h"

#define MAGIC "HNSEALED"
#define STREAM 0x6a09e667f3bcc909u
#define MOST_PUBLIC ((size_t)1 << 20) // bytes that a file may show

typedef struct trailer {
  char magic[8];
  uint32_t abi, zero;
  uint64_t public_at, public_size, sealed_at, sealed_size;
  uint64_t seed;
  uint64_t checksum; // of everything before the trailer: detects damage, not forgery
} trailer;

static uint64_t hash_bytes(const char *data, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)data[i]) * 1099511628211u;
  return hash;
}

static uint64_t next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void mix(char *text, size_t size, uint64_t seed) {
  uint64_t state = seed ^ STREAM, word = 0;
  for (size_t i = 0; i < size; i++) {
    if (i % 8 == 0) word = next(&state);
    text[i] = (char)((unsigned char)text[i] ^ (unsigned char)(word >> (8 * (i % 8))));
  }
}

hn_status hn_sealed_file_write(const char *path, const char *runtime, const char *public_text,
                               const char *sealed_text, size_t sealed_size, hn_error *error) {
  char *code = NULL;
  size_t code_size = 0, public_size = strlen(public_text);
  if (public_size > MOST_PUBLIC)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "name fewer bodies in `border:`",
                   "the public names of the component take %zu bytes; the limit is %zu",
                   public_size, MOST_PUBLIC);
  hn_status status = hn_file_read(runtime, &code, &code_size, error);
  if (status != HN_OK) return status;
  size_t size = code_size + public_size + sealed_size;
  char *all = hn_allocate(NULL, size);
  if (!all) {
    hn_release(NULL, code);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "free memory",
                   "out of memory for the component");
  }
  memcpy(all, code, code_size);
  hn_release(NULL, code);
  memcpy(all + code_size, public_text, public_size);
  memcpy(all + code_size + public_size, sealed_text, sealed_size);
  trailer end = {.abi = HN_COMPONENT_ABI,
                 .public_at = code_size,
                 .public_size = public_size,
                 .sealed_at = code_size + public_size,
                 .sealed_size = sealed_size,
                 .seed = hash_bytes(sealed_text, sealed_size)};
  memcpy(end.magic, MAGIC, sizeof end.magic);
  mix(all + end.sealed_at, sealed_size, end.seed);
  end.checksum = hash_bytes(all, size);
  hn_file file;
  status = hn_file_create(&file, path, error);
  if (status == HN_OK) {
    hn_file_write(&file, all, size);
    hn_file_write(&file, &end, sizeof end);
    status = hn_file_finish(&file, error);
  }
  hn_release(NULL, all);
  return status;
}

// Where the parts are; 0 when they cannot be there.
static int find_parts(hn_sealed_file *file, size_t size, const trailer *end) {
  uint64_t room = size - sizeof *end;
  if (end->public_size > MOST_PUBLIC) return 0;
  if (end->public_at > room || end->public_size > room - end->public_at) return 0;
  if (end->sealed_at > room || end->sealed_size > room - end->sealed_at) return 0;
  file->size = size;
  file->public_text = file->data + end->public_at;
  file->public_size = (size_t)end->public_size;
  file->sealed = file->data + end->sealed_at;
  file->sealed_size = (size_t)end->sealed_size;
  file->seed = end->seed;
  file->abi = end->abi;
  file->checksum = end->checksum;
  return hash_bytes(file->data, (size_t)room) == end->checksum;
}

hn_status hn_sealed_file_open(const char *path, hn_sealed_file *file, hn_error *error) {
  size_t size = 0;
  trailer end;
  hn_source place = {path, 0, 0};
  const char *hint = "rebuild it with `holon component build`";
  *file = (hn_sealed_file){.data = NULL};
  const char *what = hn_not_a_plain_file(path);
  if (what) return hn_fail(error, HN_ERROR_FILE, &place, NULL, hint, "is not a file but %s", what);
  hn_status status = hn_file_read(path, &file->data, &size, error);
  if (status != HN_OK) return status;
  int is_sealed = size > sizeof end;
  if (is_sealed) memcpy(&end, file->data + size - sizeof end, sizeof end);
  if (!is_sealed || memcmp(end.magic, MAGIC, sizeof end.magic) != 0)
    status = hn_fail(error, HN_ERROR_FILE, &place, NULL, hint, "is not a sealed component");
  else if (!find_parts(file, size, &end))
    status = hn_fail(error, HN_ERROR_FILE, &place, NULL, hint, "is damaged: wrong checksum");
  if (status != HN_OK) hn_sealed_file_close(file);
  return status;
}

void hn_sealed_file_close(hn_sealed_file *file) {
  hn_release(NULL, file->data);
  *file = (hn_sealed_file){.data = NULL};
}

char *hn_sealed_text(hn_arena *arena, const hn_sealed_file *file) {
  char *text = HN_TAKE(arena, char, file->sealed_size + 1);
  if (!text) return NULL;
  memcpy(text, file->sealed, file->sealed_size);
  mix(text, file->sealed_size, file->seed);
  return text;
}

const char *hn_sealed_digest(const hn_sealed_file *file, char text[HN_COMPONENT_CHECKSUM]) {
  return hn_sha256(file->data, file->size, text);
}

// Replaces characters of untrusted text that control a terminal: C0, DEL, and C1 in UTF-8.
static void hide_controls(char *text, size_t size, int keep_lines) {
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)text[i], after = i + 1 < size ? (unsigned char)text[i + 1] : 0;
    if ((c < 0x20 && !(keep_lines && c == '\n')) || c == 0x7f)
      text[i] = '?';
    else if (c == 0xc2 && after >= 0x80 && after < 0xa0)
      text[i] = text[i + 1] = '?';
  }
}

int hn_sealed_next(const hn_sealed_file *file, const char *word, size_t *at, char *value,
                   size_t size) {
  size_t length = strlen(word);
  while (*at < file->public_size) {
    const char *line = file->public_text + *at;
    const char *end = memchr(line, '\n', file->public_size - *at);
    size_t width = end ? (size_t)(end - line) : file->public_size - *at;
    *at += width + 1;
    if (width <= length || strncmp(line, word, length) != 0 || line[length] != ' ') continue;
    size_t used = width - length - 1 < size - 1 ? width - length - 1 : size - 1;
    memcpy(value, line + length + 1, used);
    value[used] = '\0';
    hide_controls(value, used, 0);
    return 1;
  }
  return 0;
}

hn_status hn_component_public(const char *path, char **text, char checksum[HN_COMPONENT_CHECKSUM],
                              hn_error *error) {
  hn_sealed_file file;
  *text = NULL;
  hn_status status = hn_sealed_file_open(path, &file, error);
  if (status != HN_OK) return status;
  *text = hn_allocate(NULL, file.public_size + 1);
  if (*text) {
    memcpy(*text, file.public_text, file.public_size);
    (*text)[file.public_size] = '\0';
    hide_controls(*text, file.public_size, 1);
  }
  if (checksum) hn_sealed_digest(&file, checksum);
  hn_sealed_file_close(&file);
  if (*text) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
}

void hn_component_public_free(char *text) { hn_release(NULL, text); }
