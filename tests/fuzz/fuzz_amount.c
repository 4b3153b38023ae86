// Amounts with units ("2 * k mm/s^2") and units alone. The first byte chooses how they are read.
#include "target.h"

#include "base/error.h"
#include "formats/amount.h"

static hn_status find(void *context, const char *name, size_t length, const hn_source *place,
                      hn_named_amount *found, hn_error *error) {
  (void)context;
  if (length == 1 && (*name == 'k' || *name == 'x')) {
    *found = (hn_named_amount){
        {5, *name == 'k' ? HN_AMOUNT_UNTYPED : HN_AMOUNT_VARIABLE, {*name == 'x', 0, 0, 0}, 0, 0},
        *name == 'x' ? "x" : NULL};
    return HN_OK;
  }
  return hn_fail(error, HN_ERROR_MODEL, place, NULL, NULL, "no such name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  char *text = malloc(size), copy[300], words[64];
  PROMISE(text != NULL);
  memcpy(text, data + 1, size - 1);
  int depth = 0;
  hn_amount amount;
  hn_error error = {0};
  hn_calculation calculation = {.text = text,
                                .length = size - 1,
                                .place = {"file", 1, 1},
                                .loose = data[0] & 1,
                                .find = find,
                                .depth = &depth,
                                .copy = data[0] & 2 ? copy : NULL,
                                .copy_size = data[0] & 4 ? sizeof copy : 20};
  hn_status status = hn_calculate(&calculation, &amount, &error);
  PROMISE(status == HN_OK || error.message[0]);
  for (int m = 0; status == HN_OK && m < HN_MEANINGS; m++) hn_amount_fits(&amount, (hn_meaning)m);
  if (status == HN_OK) {
    hn_amount_text(&amount, "w", words, sizeof words);
    hn_dimension_text(amount.dimension, words, sizeof words);
  }
  double factor;
  hn_dimension dimension;
  const char *stop = NULL;
  hn_unit_read(text, size - 1, NULL, NULL, &factor, &dimension, &stop);
  free(text);
  return 0;
}
