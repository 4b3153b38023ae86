// An exported FMU, unpacked and loaded: what an importing program does, for tests.
#ifndef HN_TESTS_FMI_UNIT_H
#define HN_TESTS_FMI_UNIT_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../tools/fmu/fmi2.h"
#include "../../tools/fmu/fmi3.h"
#include "base/arena.h"
#include "base/unzip.h"
#include "holon/fmu.h"
#include "holon/holon.h"
#include "support/check.h"

#define FOLDER HOLON_TEST_OUTPUT_DIR "/"

typedef struct unit {
  char folder[1024], resources[1100];
  char *description; // modelDescription.xml
  char token[128];
  void *library;
} unit;

// The value of an attribute behind `from`.
static inline const char *attribute(const char *from, const char *name, char *value, size_t size) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s=\"", name);
  const char *at = strstr(from, wanted);
  assert_non_null(at);
  at += strlen(wanted);
  snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
  return value;
}

static inline uint32_t reference_of(const unit *u, const char *variable) {
  char wanted[128], text[32];
  snprintf(wanted, sizeof wanted, " name=\"%s\" valueReference", variable);
  const char *at = strstr(u->description, wanted);
  assert_non_null(at);
  return (uint32_t)strtoul(attribute(at, "valueReference", text, sizeof text), NULL, 10);
}

static inline void make_folders(char *path) {
  for (char *c = path + 1; *c; c++) {
    if (*c != '/') continue;
    *c = '\0';
    mkdir(path, 0777);
    *c = '/';
  }
}

static inline void unpack(unit *u, const char *fmu) {
  hn_unzip zip;
  hn_error error = {0};
  check_ok(hn_zip_open(&zip, fmu, &error));
  assert_true(zip.count > 0);
  for (int k = 0; k < zip.count; k++) {
    char path[2048], *bytes;
    snprintf(path, sizeof path, "%s%s", u->folder, zip.members[k].name);
    make_folders(path);
    check_ok(hn_zip_read(&zip, &zip.members[k], &bytes, &error));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, zip.members[k].size, file), zip.members[k].size);
    fclose(file);
    if (strcmp(zip.members[k].name, "modelDescription.xml") == 0)
      u->description = bytes;
    else
      hn_release(NULL, bytes);
  }
  hn_zip_close(&zip);
}

// Unpacks an FMU into u->folder and loads its binary.
static inline void load_unit(unit *u, const char *fmu, int version) {
  char identifier[64], path[2300];
  unpack(u, fmu);
  snprintf(u->resources, sizeof u->resources, "%sresources/", u->folder);
  attribute(u->description, version == 2 ? "guid" : "instantiationToken", u->token,
            sizeof u->token);
  attribute(u->description, "modelIdentifier", identifier, sizeof identifier);
  snprintf(path, sizeof path, "%sbinaries/%s/%s.so", u->folder,
           version == 2 ? "linux64" : "x86_64-linux", identifier);
  u->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!u->library) print_error("%s\n", dlerror());
  assert_non_null(u->library);
}

// kinds: bits of hn_fmu_options.
static inline unit make_unit_of(const char *model, const char *name, int version, int kinds,
                                const hn_load_options *load) {
  unit u = {.description = NULL};
  char fmu[1200];
  hn_error error = {0};
  hn_fmu_options options = {
      .size = sizeof options, .version = version, .runtime = HOLON_FMU_RUNTIME, .kinds = kinds};
  snprintf(u.folder, sizeof u.folder, FOLDER "%s %d/", name, version); // with a blank
  snprintf(fmu, sizeof fmu, FOLDER "%s%d.fmu", name, version);
  if (hn_fmu_export(model, fmu, load, &options, &error) != HN_OK)
    print_error("%s\n", error.message);
  assert_int_equal(error.status, HN_OK);
  load_unit(&u, fmu, version);
  return u;
}

static inline unit make_unit(const char *model, const char *name, int version,
                             const hn_load_options *load) {
  return make_unit_of(model, name, version, 0, load);
}

static inline void drop_unit(unit *u) {
  dlclose(u->library);
  hn_release(NULL, u->description);
}

// CALL(u, fmi3DoStep)(instance, ...)
#define CALL(u, function) (*(__typeof__(&function) *)place_of((u)->library, #function))
static inline void *place_of(void *library, const char *name) {
  static void *symbol;
  symbol = dlsym(library, name);
  assert_non_null(symbol);
  return &symbol;
}

#endif
