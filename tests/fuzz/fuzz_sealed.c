// Files of sealed components (.hnc): the text that is shown, and a component made of what is
// hidden. The first byte chooses whether the bytes are a file with its trailer, or public text and
// sealed text; the second where they are divided. Code is never loaded.
#include "target.h"

#include "formats/sealed/sealed.h"

// As sealed_file.c has it.
typedef struct trailer {
  char magic[8];
  uint32_t abi, zero;
  uint64_t public_at, public_size, sealed_at, sealed_size, seed, checksum;
} trailer;

static uint64_t hash_bytes(const unsigned char *data, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 1099511628211u;
  return hash;
}

// With a right checksum, so that what is behind it is reached.
static void write_raw(const char *path, int mode, const uint8_t *data, size_t size) {
  unsigned char *bytes = malloc(size);
  PROMISE(bytes != NULL);
  memcpy(bytes, data, size);
  if (size > sizeof(trailer)) {
    trailer t;
    memcpy(&t, bytes + size - sizeof t, sizeof t);
    memcpy(t.magic, "HNSEALED", 8);
    if (mode & 2) t.abi = HN_COMPONENT_ABI;
    if (mode & 4) {
      t.public_at %= size;
      t.public_size %= size;
      t.sealed_at %= size;
      t.sealed_size %= size;
    }
    t.checksum = hash_bytes(bytes, size - sizeof t);
    memcpy(bytes + size - sizeof t, &t, sizeof t);
  }
  fuzz_write(path, bytes, size);
  free(bytes);
}

static void write_texts(const char *path, const char *runtime, size_t cut, const uint8_t *data,
                        size_t size) {
  char shown[300];
  hn_error error = {0};
  if (cut > size) cut = size;
  memcpy(shown, data, cut);
  shown[cut] = '\0';
  for (size_t i = 0; i < cut; i++)
    if (!shown[i]) shown[i] = '\n';
  PROMISE(hn_sealed_file_write(path, runtime, shown, (const char *)data + cut, size - cut,
                               &error) == HN_OK);
}

static void start(hn_component *component) {
  const hn_component_api *api = hn_sealed_api();
  const hn_component_facts *facts = api->facts(component);
  const double gravity[3] = {0, 0, -9.81};
  hn_component_run *run = NULL;
  hn_error error = {0};
  unsigned char *connected = calloc((size_t)facts->body_count + 1, 1);
  PROMISE(connected != NULL);
  if (facts->border_count) connected[facts->border[0]] = 1;
  if (api->start(component, connected, gravity, &run, &error) == HN_OK) api->stop(run);
  free(connected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[128], runtime[128];
  if (size < 3) return 0;
  if (!path[0]) fuzz_path(path, "x.hnc");
  if (!runtime[0]) fuzz_path(runtime, "runtime");
  if (data[0] & 1) {
    write_raw(path, data[0], data + 2, size - 2);
  } else {
    fuzz_write(runtime, "xx", 2);
    write_texts(path, runtime, data[1], data + 2, size - 2);
    remove(runtime);
  }
  char *text = NULL, checksum[HN_COMPONENT_CHECKSUM];
  hn_error error = {0};
  hn_status status = hn_component_public(path, &text, checksum, &error);
  PROMISE_OUTCOME(status, text, error);
  hn_component_public_free(text);
  if (status == HN_OK) {
    hn_component *component = NULL;
    const hn_component_setup setup = {
        .path = path, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mirror = {1, 1, 1}};
    status = hn_sealed_create(&setup, &component, &error);
    PROMISE_OUTCOME(status, component, error);
    if (component) start(component);
    if (component) hn_sealed_destroy(component);
  }
  remove(path);
  return 0;
}
