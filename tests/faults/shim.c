// Loaded before a command (LD_PRELOAD): the k-th allocation, or the k-th write to a file, fails, or
// the process or the whole computer ends just before it.
//
//   FAULT=memory | files | reads    what fails
//   FAULT=kill | power      the process ends; and what was not synced is lost
//   FAULT_AT=k              which; 0 or not given: none
//   FAULT_COUNT=PATH        how many there were is written there at the end, and how many blocks
//                           of memory are not freed by then
//   FAULT_FOLDER=PATH       of power: what is in this folder may be lost
//
// Of files: fwrite, write, fclose, fflush, fsync, fdatasync, rename, mkdir and fopen for writing
// are counted, but not on the standard streams, on which failures are reported. Of reads: fread. Of
// kill and power: those of files, and remove.
//
// Power: a file is as long as it was when it was synced last. One that never was is empty (k odd) or
// gone (k even). Names and their changes are kept: the worst for files that were renamed too early.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long count, at, live;
static int of_memory, of_files, of_reads, of_crash, of_power, is_ready;

static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t),
    *(*real_realloc)(void *, size_t), *(*real_aligned)(size_t, size_t);
static int (*real_posix)(void **, size_t, size_t);
static void (*real_free)(void *);

// For what dlsym itself takes before the real ones are known.
static _Alignas(16) char early[1 << 16];
static size_t early_used;

static int is_early(const void *block) {
  return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void *take_early(size_t size) {
  void *block = early + early_used;
  early_used += (size + 15) & ~(size_t)15;
  return early_used <= sizeof early ? block : NULL;
}

#define FIND(pointer, name)                                                                        \
  do {                                                                                             \
    void *found = dlsym(RTLD_NEXT, name);                                                          \
    memcpy(&(pointer), &found, sizeof found);                                                      \
  } while (0)

static void find_all(void) {
  static int has_begun;
  if (has_begun) return;
  has_begun = 1;
  FIND(real_malloc, "malloc");
  FIND(real_calloc, "calloc");
  FIND(real_realloc, "realloc");
  FIND(real_aligned, "aligned_alloc");
  FIND(real_posix, "posix_memalign");
  FIND(real_free, "free");
}

// ---- a power cut --------------------------------------------------------------------------------

enum { MOST_FILES = 256 };
static struct {
  ino_t number;
  off_t size;
} synced[MOST_FILES];
static int synced_count;

static void note_synced(const struct stat *file) {
  int k = 0;
  while (k < synced_count && synced[k].number != file->st_ino) k++;
  if (k == MOST_FILES) return;
  if (k == synced_count) synced_count++;
  synced[k].number = file->st_ino;
  synced[k].size = file->st_size;
}

static int note_old(const char *path, const struct stat *file, int type, struct FTW *where) {
  (void)path;
  (void)where;
  if (type == FTW_F) note_synced(file);
  return 0;
}

static int lose(const char *path, const struct stat *file, int type, struct FTW *where) {
  (void)where;
  int k = 0;
  if (type != FTW_F) return 0;
  while (k < synced_count && synced[k].number != file->st_ino) k++;
  if (k == synced_count && at % 2 == 0) return unlink(path);
  const off_t size = k < synced_count ? synced[k].size : 0;
  return size < file->st_size ? truncate(path, size) : 0;
}

static void walk(int (*visit)(const char *, const struct stat *, int, struct FTW *)) {
  const char *folder = getenv("FAULT_FOLDER");
  if (of_power && folder) nftw(folder, visit, 8, FTW_PHYS);
}

__attribute__((constructor)) static void begin(void) {
  const char *what = getenv("FAULT"), *which = getenv("FAULT_AT");
  find_all();
  of_memory = what && strcmp(what, "memory") == 0;
  of_files = what && strcmp(what, "files") == 0;
  of_reads = what && strcmp(what, "reads") == 0;
  of_power = what && strcmp(what, "power") == 0;
  of_crash = of_power || (what && strcmp(what, "kill") == 0);
  of_files |= of_crash;
  walk(note_old);
  at = which ? atol(which) : 0;
  is_ready = 1;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("FAULT_COUNT");
  is_ready = 0; // blocks are counted no more
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld %ld\n", count, live);
  fclose(file);
}

static int fails(int is_counted, int reason) {
  if (!is_ready || !is_counted) return 0;
  if (__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != at) return 0;
  if (of_crash) {
    is_ready = 0;
    walk(lose);
    kill(getpid(), SIGKILL);
  }
  errno = reason;
  return 1;
}

// ---- memory -------------------------------------------------------------------------------------

static void *taken(void *block) {
  if (block && is_ready) __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
  return block;
}

void *malloc(size_t size) {
  if (!real_malloc) find_all();
  if (!real_malloc) return take_early(size);
  return fails(of_memory, ENOMEM) ? NULL : taken(real_malloc(size));
}

void *calloc(size_t n, size_t size) {
  if (!real_calloc) return take_early(n * size);
  return fails(of_memory, ENOMEM) ? NULL : taken(real_calloc(n, size));
}

void *realloc(void *block, size_t size) {
  if (!real_realloc) find_all();
  if (is_early(block)) {
    void *moved = real_malloc(size);
    if (moved) memcpy(moved, block, size < 4096 ? size : 4096);
    return moved;
  }
  if (fails(of_memory, ENOMEM)) return NULL;
  return block ? real_realloc(block, size) : taken(real_malloc(size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  if (!real_aligned) find_all();
  return fails(of_memory, ENOMEM) ? NULL : taken(real_aligned(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (!real_posix) find_all();
  if (fails(of_memory, ENOMEM)) return ENOMEM;
  const int code = real_posix(block, alignment, size);
  if (code == 0) taken(*block);
  return code;
}

void free(void *block) {
  if (!block || is_early(block)) return;
  if (!real_free) find_all();
  if (is_ready) __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
  real_free(block);
}

// ---- files --------------------------------------------------------------------------------------

static int is_counted_stream(FILE *stream) { return of_files && stream && fileno(stream) > 2; }

size_t fwrite(const void *data, size_t size, size_t n, FILE *stream) {
  static size_t (*real)(const void *, size_t, size_t, FILE *);
  if (!real) FIND(real, "fwrite");
  return fails(is_counted_stream(stream), ENOSPC) ? 0 : real(data, size, n, stream);
}

size_t fread(void *data, size_t size, size_t n, FILE *stream) {
  static size_t (*real)(void *, size_t, size_t, FILE *);
  if (!real) FIND(real, "fread");
  if (!fails(of_reads && stream && fileno(stream) > 2, EIO)) return real(data, size, n, stream);
#ifdef __GLIBC__
  stream->_flags |= 0x20; // what ferror asks for
#endif
  errno = EIO;
  return 0;
}

ssize_t write(int file, const void *data, size_t size) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) FIND(real, "write");
  return fails(of_files && file > 2, ENOSPC) ? -1 : real(file, data, size);
}

int fclose(FILE *stream) {
  static int (*real)(FILE *);
  if (!real) FIND(real, "fclose");
  int is_bad = fails(is_counted_stream(stream), EIO), result = real(stream);
  if (is_bad) errno = EIO;
  return is_bad ? EOF : result;
}

int fflush(FILE *stream) {
  static int (*real)(FILE *);
  if (!real) FIND(real, "fflush");
  return fails(is_counted_stream(stream), EIO) ? EOF : real(stream);
}

static int sync_by(int (*real)(int), int file) {
  struct stat now;
  int result = real(file);
  if (result == 0 && of_power && fstat(file, &now) == 0) note_synced(&now);
  return result;
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) FIND(real, "fsync");
  return fails(of_files, EIO) ? -1 : sync_by(real, file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) FIND(real, "fdatasync");
  return fails(of_files, EIO) ? -1 : sync_by(real, file);
}

int rename(const char *from, const char *to) {
  static int (*real)(const char *, const char *);
  if (!real) FIND(real, "rename");
  return fails(of_files, EACCES) ? -1 : real(from, to);
}

int remove(const char *path) {
  static int (*real)(const char *);
  if (!real) FIND(real, "remove");
  return fails(of_crash, EACCES) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  if (!real) FIND(real, "mkdir");
  return fails(of_files, EACCES) ? -1 : real(path, mode);
}

FILE *fopen(const char *path, const char *mode) {
  static FILE *(*real)(const char *, const char *);
  if (!real) FIND(real, "fopen");
  return fails(of_files && mode[0] != 'r', EACCES) ? NULL : real(path, mode);
}
