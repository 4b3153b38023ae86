// Holon: the store, the file a run writes while it is in progress. Rows of results and frames of
// the animation are in it in blocks with checksums, each appended. Whatever ends the program, all
// blocks that were written are read; a block that was cut off is left out and reported.
//
//   hn_store *store = NULL;
//   hn_store_create("out/results.store", recording.all, recording.shown, &store, &error);
//   ... rows are recorded ...
//   hn_store_write(store, HN_STORE_ROWS, recording.all, 0, rows, &error);
//   hn_results_clear(recording.all); // and they are out of the memory
//   hn_store_close(store);
//
// The file: 16 bytes that name it, then blocks of a header of 32 bytes and their contents; numbers are
// little endian. Header: kind (4 letters), rows (4 bytes), bytes of contents (8), position of the block
// in the file (8), checksum of all that and of the contents (8). NAMR, NAMS: names and units of the
// columns, each ended by a zero byte, of ROWS and SHOW. ROWS, SHOW: the times, then one column after the
// other, of 8 bytes a number. FRAM: frames of 4 bytes a number. DONE: the run has come to its end.
#ifndef HOLON_STORE_H
#define HOLON_STORE_H

#include "holon/results.h"
#include "holon/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_store hn_store;

// Records of a run, and the subset that a report shows.
typedef enum hn_store_table { HN_STORE_ROWS, HN_STORE_SHOWN } hn_store_table;

// A new file, or the end of what is there. shown: null for none.
HN_API hn_status hn_store_create(const char *path, const hn_results *rows, const hn_results *shown,
                                 hn_store **store, hn_error *error);
// Opens an existing store and removes everything after its first `size` bytes.
HN_API hn_status hn_store_open(const char *path, unsigned long long size, hn_store **store,
                               hn_error *error);
// `count` rows from number `first` on become one block. No rows: no block.
HN_API hn_status hn_store_write(hn_store *store, hn_store_table table, const hn_results *rows,
                                int first, int count, hn_error *error);
HN_API hn_status hn_store_write_frames(hn_store *store, const float *motion, int frames, int stride,
                                       hn_error *error);
HN_API hn_status hn_store_write_end(hn_store *store, hn_error *error); // block DONE
// Flushes to the disk: what was written survives a loss of power.
HN_API hn_status hn_store_sync(hn_store *store, hn_error *error);
HN_API unsigned long long hn_store_size(const hn_store *store);    // bytes written
HN_API hn_status hn_store_close(hn_store *store, hn_error *error); // null is fine

// Contents of a store.
typedef struct hn_store_state {
  unsigned long long size; // bytes up to the end of the last whole block
  unsigned long long cut;  // bytes behind it, which are left out
  long rows, shown, frames;
  double last; // time of the last row, s
  int is_done; // it ends with DONE
} hn_store_state;

// Reads a table of the file at this path, all of it. state may be null.
HN_API hn_status hn_store_read(const char *path, hn_store_table table, hn_results **results,
                               hn_store_state *state, hn_error *error);
// The same of bytes in memory, whatever they are; name is the name of the file in messages.
HN_API hn_status hn_store_parse(const void *data, size_t size, const char *name,
                                hn_store_table table, hn_results **results, hn_store_state *state,
                                hn_error *error);
// Appends rows of a table, and frames of a scene, to those present; both made for the run that
// wrote the store. limit: position (bytes) beyond which blocks are ignored. A store of other
// signals than those of rows and shown is rejected. rows, shown or scene may be null.
HN_API hn_status hn_store_load(const char *path, unsigned long long limit, const hn_results *rows,
                               hn_results *shown, hn_scene *scene, hn_error *error);
// A store as a file for other programs (hn_results_format). Memory is taken for one block or for some
// columns, not for all rows. What the store is like: state, may be null.
HN_API hn_status hn_store_export(const char *path, const char *to, hn_results_format format,
                                 int with_units, hn_store_state *state, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
