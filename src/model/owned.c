// Tyres and surfaces that a model has taken: freed with it.
#include "model/storage.h"

int hn_model_own(hn_model *model, void *thing, void (*release)(void *thing)) {
  if (!thing) return 1;
  struct hn_model_storage *s = model->storage;
  hn_owned *owned = hn_model_grow(model, s->owned, &s->owned_room, s->owned_count, sizeof *owned);
  if (!owned) {
    release(thing);
    return 0;
  }
  s->owned = owned;
  owned[s->owned_count++] = (hn_owned){thing, release};
  return 1;
}

void hn_model_free_owned(hn_model *model) {
  struct hn_model_storage *s = model->storage;
  for (int k = 0; k < s->owned_count; k++) s->owned[k].release(s->owned[k].thing);
  s->owned_count = 0;
}
