// Stores, the files that runs write while they continue. The first byte chooses: the bytes
// unmodified, or blocks with right positions and checksums made of them (kind, rows, length in two
// bytes, contents).
#include "results_target.h"

#include "holon/store.h"
#include "output/row_store.h"

enum { MOST = 1 << 16 };

static size_t make_blocks(unsigned char *file, const uint8_t *data, size_t size) {
  static const char kinds[8][5] = {"NAMR", "NAMS", "ROWS", "SHOW", "FRAM", "DONE", "ROWS", "WHAT"};
  size_t used = HN_STORE_START;
  memcpy(file, HN_STORE_MAGIC, HN_STORE_START);
  while (size >= 4) {
    size_t length = (size_t)(data[2] | data[3] << 8), rows = data[1];
    unsigned char *head = file + used;
    if (length > size - 4) length = size - 4;
    if (used + HN_STORE_HEAD + length > MOST) break;
    memcpy(head, kinds[data[0] & 7], 4);
    // mostly small numbers, some that no file can hold
    hn_store_put_number(head + 4, data[0] & 128 ? rows << 24 : rows, 4);
    hn_store_put_number(head + 8, length, 8);
    hn_store_put_number(head + 16, used, 8);
    memcpy(head + HN_STORE_HEAD, data + 4, length);
    unsigned long long sum = hn_store_checksum(0, head, HN_STORE_HEAD - 8);
    hn_store_put_number(head + 24, hn_store_checksum(sum, head + HN_STORE_HEAD, length), 8);
    used += HN_STORE_HEAD + length;
    data += 4 + length;
    size -= 4 + length;
  }
  return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  unsigned char *file = malloc(MOST);
  PROMISE(file != NULL);
  size_t length = size - 1 < MOST ? size - 1 : MOST;
  const int is_file = size >= HN_STORE_START && memcmp(data, HN_STORE_MAGIC, HN_STORE_START) == 0;
  if (is_file) // the bytes of a true one
    memcpy(file, data, length = size < MOST ? size : MOST);
  else if (data[0] & 1)
    memcpy(file, data + 1, length);
  else
    length = make_blocks(file, data + 1, size - 1);
  unsigned char *exact = malloc(length ? length : 1); // no byte behind it
  PROMISE(exact != NULL);
  memcpy(exact, file, length);
  free(file);
  for (int table = HN_STORE_ROWS; table <= HN_STORE_SHOWN; table++) {
    hn_results *results = NULL;
    hn_store_state state;
    hn_error error = {0};
    hn_status status =
        hn_store_parse(exact, length, "x.store", (hn_store_table)table, &results, &state, &error);
    PROMISE_OUTCOME(status, results, error);
    if (status == HN_OK) PROMISE(state.size + state.cut == length);
    fuzz_look_at(results);
  }
  free(exact);
  return 0;
}
