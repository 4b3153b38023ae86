// Mesh files: the same box from every format; damaged files are rejected with a position and never
// read beyond their end.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/shape.h"
#include "model/mesh.h"
#include "model/meshes.h"
#include "support/command.h"

static char folder[512];

static int make_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "%s", hn_fresh_folder("formats-mesh"));
  return 0;
}

// A file in memory.
typedef struct file {
  unsigned char bytes[8192];
  size_t size;
} file;

static const char *path_of(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_bytes(const char *name, const void *bytes, size_t size) {
  FILE *out = fopen(path_of(name), "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  fclose(out);
}

static void write_text(const char *name, const char *text) {
  write_bytes(name, text, strlen(text));
}

static void put_u32(file *f, uint32_t x) {
  for (int k = 0; k < 4; k++) f->bytes[f->size++] = (unsigned char)(x >> (8 * k));
}

static void put_float(file *f, double x) {
  float value = (float)x;
  uint32_t bits;
  memcpy(&bits, &value, 4);
  put_u32(f, bits);
}

// ---- the same box in every format: 1 x 2 x 3 m, a corner at the origin -----------------------

static void make_binary_stl(file *f) {
  drawn_mesh *m = cube_mesh(1, 2, 3);
  memset(f, 0, sizeof *f);
  memcpy(f->bytes, "solid by name only", 18); // many binary files start like text
  f->size = 80;
  put_u32(f, 12);
  for (int t = 0; t < 12; t++) {
    for (int k = 0; k < 3; k++) put_float(f, 0);
    for (int k = 0; k < 9; k++) put_float(f, m->vertices[3 * m->triangles[3 * t + k / 3] + k % 3]);
    f->size += 2;
  }
  free(m);
}

static void make_text_stl(file *f) {
  drawn_mesh *m = cube_mesh(1, 2, 3);
  f->size = 0;
#define ADD(...)                                                                                   \
  f->size += (size_t)snprintf((char *)f->bytes + f->size, sizeof f->bytes - f->size, __VA_ARGS__)
  ADD("solid box\n");
  for (int t = 0; t < 12; t++) {
    ADD(" facet normal 0 0 0\n  outer loop\n");
    for (int k = 0; k < 3; k++) {
      const double *v = m->vertices + 3 * m->triangles[3 * t + k];
      ADD("   vertex %.3e %g %g\r\n", v[0], v[1], v[2]);
    }
    ADD("  endloop\n endfacet\n");
  }
  ADD("endsolid box\n");
#undef ADD
  free(m);
}

static const char obj[] = "# a box of quads, one of them counted from the end\n"
                          "o box\nvn 0 0 1\n"
                          "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\nv 0 0 3\nv 1 0 3\nv 0 2 3\nv 1 2 3\n"
                          "f 1//1 3//1 4//1 2//1\nf 5 6 8 7\nf 1/2 2/3 6/4 5/5\nf 3 7 8 4\n"
                          "f 1 5 7 3\nf -7 -5 -1 -3\n";

// In centimeters, moved there and back, a face as triangles and the others as quads.
static const char dae[] =
    "<COLLADA><asset><unit meter='0.01'/></asset><library_geometries><geometry id='g'><mesh>"
    "<source id='s'><float_array>0 0 0 100 0 0 0 200 0 100 200 0 0 0 300 100 0 300 0 200 300 100 "
    "200 300</float_array><technique_common><accessor stride='3'/></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>"
    "<triangles><input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' "
    "offset='1' source='#s'/><p>0 0 2 0 3 0 0 0 3 0 1 0</p></triangles>"
    "<polylist><input semantic='VERTEX' source='#v' offset='0'/><vcount>4 4 4 4 4</vcount><p>4 5 7 "
    "6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5</p></polylist></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene><node><translate>0 0 7</translate><node><matrix>1 0 0 0 "
    "0 1 0 0 0 0 1 -7 0 0 0 1</matrix><rotate>0 0 1 360</rotate><scale>1 1 1</scale>"
    "<instance_geometry url='#g'/></node></node></visual_scene></library_visual_scenes></COLLADA>";

// Corners and indices as glTF lays them out, in the box's own quads.
static void make_gltf_data(file *f) {
  drawn_mesh *m = cube_mesh(1, 2, 3);
  f->size = 0;
  for (int k = 0; k < 24; k++) put_float(f, m->vertices[k]);
  for (int k = 0; k < 36; k++) {
    f->bytes[f->size++] = (unsigned char)m->triangles[k];
    f->bytes[f->size++] = 0;
  }
  free(m);
}

#define GLTF_HEAD                                                                                  \
  "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": "  \
  "[{\"children\": [1], \"translation\": [-1, 0, 0]}, {\"mesh\": 0, \"translation\": [1, 0, 0]}]," \
  "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}],"         \
  "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 8, \"type\": "          \
  "\"VEC3\"}, {\"bufferView\": 1, \"componentType\": 5123, \"count\": %d, \"type\": "              \
  "\"SCALAR\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 96}, {\"buffer\": 0, "          \
  "\"byteOffset\": 96, \"byteLength\": 72}], \"buffers\": [{\"byteLength\": 168%s%s%s}]}"

static void make_gltf(file *f, int index_count) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  file data;
  char base64[400];
  make_gltf_data(&data);
  size_t used = 0;
  for (size_t k = 0; k < data.size; k += 3) { // 168 bytes: no padding
    unsigned bits =
        (unsigned)data.bytes[k] << 16 | (unsigned)data.bytes[k + 1] << 8 | data.bytes[k + 2];
    for (int d = 0; d < 4; d++) base64[used++] = digits[bits >> (18 - 6 * d) & 63];
  }
  base64[used] = '\0';
  f->size = (size_t)snprintf((char *)f->bytes, sizeof f->bytes, GLTF_HEAD, index_count,
                             ", \"uri\": \"data:application/octet-stream;base64,", base64, "\"");
}

static void make_glb(file *f) {
  file data;
  char json[2048];
  make_gltf_data(&data);
  size_t length = (size_t)snprintf(json, sizeof json, GLTF_HEAD, 36, "", "", "");
  while (length % 4) json[length++] = ' ';
  f->size = 0;
  memcpy(f->bytes, "glTF", 4);
  f->size = 4;
  put_u32(f, 2);
  put_u32(f, (uint32_t)(12 + 8 + length + 8 + data.size));
  put_u32(f, (uint32_t)length);
  put_u32(f, 0x4E4F534A);
  memcpy(f->bytes + f->size, json, length);
  f->size += length;
  put_u32(f, (uint32_t)data.size);
  put_u32(f, 0x004E4942);
  memcpy(f->bytes + f->size, data.bytes, data.size);
  f->size += data.size;
}

static void write_all(void) {
  file f;
  make_binary_stl(&f);
  write_bytes("binary.stl", f.bytes, f.size);
  make_text_stl(&f);
  write_bytes("text.STL", f.bytes, f.size);
  write_text("quads.obj", obj);
  make_gltf(&f, 36);
  write_bytes("inside.gltf", f.bytes, f.size);
  make_glb(&f);
  write_bytes("binary.glb", f.bytes, f.size);
  write_text("scene.dae", dae);
}

static const char *const names[] = {"binary.stl",  "text.STL",   "quads.obj",
                                    "inside.gltf", "binary.glb", "scene.dae"};

static void every_format_gives_the_same_solid(void **state) {
  (void)state;
  write_all();
  for (int k = 0; k < 6; k++) {
    hn_mesh *mesh = NULL;
    hn_error error = {0};
    if (hn_mesh_read(path_of(names[k]), 2, NULL, &mesh, &error))
      fail_msg("%s: %s", names[k], error.message);
    assert_string_equal(mesh->name, names[k]);
    assert_int_equal(mesh->vertex_count, 8); // corners of triangles are merged
    assert_int_equal(mesh->triangle_count, 12);
    check_ok(hn_mesh_check_solid(mesh, &error));
    hn_volume_integrals i = hn_mesh_integrate(mesh);
    check_near(i.volume, 8 * 6, 1e-12); // scaled by two
    check_near_many(&i.first.x, ((double[]){48, 96, 144}), 3, 1e-10);
    hn_mesh_free(mesh);
  }
}

// ---- damaged ------------------------------------------------------------------------------------

static void refuse(const char *name, const char *part, int line) {
  hn_mesh *mesh = (hn_mesh *)1;
  hn_error error = {0};
  if (!hn_mesh_read(path_of(name), 1, NULL, &mesh, &error)) fail_msg("%s is accepted", name);
  assert_null(mesh);
  check_names(error.message, part);
  check_names(error.file, name);
  assert_int_equal(error.line, line);
  assert_true(error.hint[0] != 0);
}

static void damage_is_told_with_its_place(void **state) {
  (void)state;
  file f;
  make_binary_stl(&f);
  write_bytes("short.stl", f.bytes, f.size - 7);
  refuse("short.stl", "", 0); // starts with "solid": read as text
  f.bytes[0] = 'S';
  write_bytes("short.stl", f.bytes, f.size - 7);
  refuse("short.stl", "80 12 684 677", 0);
  write_bytes("head.stl", f.bytes, 40);
  refuse("head.stl", "40", 0);
  write_text("word.stl", "solid\n facet\n outer loop\n vertex 1 2 x\n");
  refuse("word.stl", "", 4);
  write_text("four.stl",
             "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n");
  refuse("four.stl", "", 5);
  write_text("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
  refuse("index.obj", "'4' 3", 4);
  write_text("zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n");
  refuse("zero.obj", "'0'", 4);
  write_text("huge.obj", "v 0 0 1e300\n");
  refuse("huge.obj", "", 0);
  write_text("number.obj", "v 0 0 nan\n");
  refuse("number.obj", "", 1);
  write_text("empty.obj", "# nothing\n");
  refuse("empty.obj", "", 0);
  make_gltf(&f, 39);
  write_bytes("beyond.gltf", f.bytes, f.size);
  refuse("beyond.gltf", "39 168", 1);
  write_text("old.gltf", "{\"asset\": {\"version\": \"1.0\"}}");
  refuse("old.gltf", "glTF 2.0", 1);
  write_text("broken.gltf", "{\"asset\": {\n  \"version\" \"2.0\"}}");
  refuse("broken.gltf", "\"name\"", 2);
  write_text("away.gltf",
             "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"uri\": \"../x.bin\"}]}");
  refuse("away.gltf", "", 1);
  write_text("what.ply", "ply\n");
  refuse("what.ply", "", 0);
  refuse("missing.stl", "", 0);
}

// Cut off anywhere and with bytes changed at random: rejected or read, but always within bounds.
static void no_damage_leads_astray(void **state) {
  (void)state;
  write_all();
  hn_random random = hn_random_seed(3);
  for (int k = 0; k < 5; k++) {
    FILE *in = fopen(path_of(names[k]), "rb");
    assert_non_null(in);
    file f;
    f.size = fread(f.bytes, 1, sizeof f.bytes, in);
    fclose(in);
    const char *ending = strrchr(names[k], '.');
    char name[32];
    snprintf(name, sizeof name, "damaged%s", ending);
    for (int round = 0; round < 400; round++) {
      file g = f;
      if (round % 2) {
        g.size = (size_t)hn_random_below(&random, (int)f.size);
      } else {
        for (int n = 0; n <= round % 7; n++)
          g.bytes[hn_random_below(&random, (int)g.size)] =
              (unsigned char)hn_random_below(&random, 256);
      }
      write_bytes(name, g.bytes, g.size);
      hn_mesh *mesh = NULL;
      hn_error error = {0};
      hn_status status = hn_mesh_read(path_of(name), 1, NULL, &mesh, &error);
      assert_true((status == HN_OK) == (mesh != NULL));
      if (mesh) {
        for (int c = 0; c < 3 * mesh->triangle_count; c++)
          assert_true(mesh->triangles[c] >= 0 && mesh->triangles[c] < mesh->vertex_count);
        for (int c = 0; c < 3 * mesh->vertex_count; c++) assert_true(isfinite(mesh->vertices[c]));
      } else {
        assert_true(error.message[0] != 0);
      }
      hn_mesh_free(mesh);
    }
  }
}

static void memory_is_given_back_when_there_is_none(void **state) {
  (void)state;
  write_all();
  for (int k = 0; k < 5; k++)
    for (long fail_at = 1; fail_at < 60; fail_at++) {
      hn_counting_memory memory = {.fail_at = fail_at};
      hn_allocator allocator = hn_counting_allocator(&memory);
      hn_mesh *mesh = NULL;
      hn_error error = {0};
      hn_status status = hn_mesh_read(path_of(names[k]), 1, &allocator, &mesh, &error);
      assert_true(status == HN_OK || status == HN_ERROR_MEMORY);
      // read to the end, or not at all
      assert_true((status == HN_OK) == (memory.calls < fail_at));
      if (mesh) assert_int_equal(mesh->triangle_count, 12);
      hn_mesh_free(mesh);
      assert_int_equal(memory.living, 0);
      if (status == HN_OK) break;
    }
}

// Memory that is missing once and there again afterwards.
typedef struct short_memory {
  long calls, living, fail_at;
} short_memory;

static void *short_allocate(void *context, size_t size) {
  short_memory *memory = context;
  if (++memory->calls == memory->fail_at) return NULL;
  memory->living++;
  return malloc(size);
}

static void short_release(void *context, void *block) {
  short_memory *memory = context;
  memory->living -= block != NULL;
  free(block);
}

// A first part of 1 triangle and a second of 20000: without memory for the second there is no mesh.
static void half_a_scene_is_no_mesh(void **state) {
  (void)state;
  enum { CORNERS = 60000 };
  float *places = malloc(3 * CORNERS * sizeof *places);
  assert_non_null(places);
  for (int k = 0; k < CORNERS; k++) {
    places[3 * k] = (float)k;
    places[3 * k + 1] = (float)(k % 2);
    places[3 * k + 2] = (float)(k % 3);
  }
  write_bytes("two.bin", places, 3 * CORNERS * sizeof *places);
  free(places);
  write_text("two.gltf",
             "{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0]}], \"nodes\": "
             "[{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}, "
             "{\"attributes\": {\"POSITION\": 1}}]}], \"accessors\": [{\"bufferView\": 0, "
             "\"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}, {\"bufferView\": 0, "
             "\"componentType\": 5126, \"count\": 60000, \"type\": \"VEC3\"}], \"bufferViews\": "
             "[{\"buffer\": 0, \"byteLength\": 720000}], \"buffers\": [{\"uri\": \"two.bin\"}]}");
  hn_status status = HN_ERROR_MEMORY;
  for (long fail_at = 1; status != HN_OK; fail_at++) {
    short_memory memory = {.fail_at = fail_at};
    const hn_allocator allocator = {short_allocate, short_release, &memory};
    hn_mesh *mesh = NULL;
    hn_error error = {0};
    status = hn_mesh_read(path_of("two.gltf"), 1, &allocator, &mesh, &error);
    assert_true(status == (memory.calls < fail_at ? HN_OK : HN_ERROR_MEMORY));
    if (mesh) assert_int_equal(mesh->triangle_count, 20001);
    hn_mesh_free(mesh);
    assert_int_equal(memory.living, 0);
  }
}

// ---- little that asks for much -------------------------------------------------------------------

#define AMPLIFIED_ENTRIES 4000 // of a buffer; primitives that each read all of it

// One buffer next to the file; `nodes` nodes that all show one mesh of `primitives` equal parts.
static void write_amplified(const char *name, int buffers, int nodes, int primitives) {
  size_t room = 4096 + 64 * (size_t)(buffers + nodes + primitives), used = 0;
  char *text = malloc(room);
  assert_non_null(text);
#define ADD(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
  ADD("{\"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0");
  for (int k = 1; k < nodes; k++) ADD(", 0");
  ADD("]}], \"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": [");
  for (int k = 0; k < primitives; k++) ADD("%s{\"attributes\": {\"POSITION\": 0}}", k ? ", " : "");
  ADD("]}], \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": %d, "
      "\"type\": \"VEC3\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": %d}], "
      "\"buffers\": [",
      AMPLIFIED_ENTRIES, 12 * AMPLIFIED_ENTRIES);
  for (int k = 0; k < buffers; k++) ADD("%s{\"uri\": \"much.bin\"}", k ? ", " : "");
  ADD("]}");
#undef ADD
  assert_true(used < room);
  write_bytes(name, text, used);
  free(text);
}

static void a_small_file_cannot_ask_for_much(void **state) {
  (void)state;
  unsigned char *zeros = calloc(AMPLIFIED_ENTRIES, 12);
  assert_non_null(zeros);
  write_bytes("much.bin", zeros, (size_t)12 * AMPLIFIED_ENTRIES);
  free(zeros);
  write_amplified("primitives.gltf", 1, 1, 2000); // 8 million positions
  refuse("primitives.gltf", "6000000", 0);
  write_amplified("nodes.gltf", 1, 40, 50);
  refuse("nodes.gltf", "6000000", 0);
  write_amplified("buffers.gltf", 4000, 1, 1); // 192 million bytes
  refuse("buffers.gltf", "134217728", 0);
  // what one primitive needs is used again by the next
  hn_counting_memory memory[2] = {{0}, {0}};
  for (int k = 0; k < 2; k++) {
    hn_allocator allocator = hn_counting_allocator(&memory[k]);
    hn_mesh *mesh = NULL;
    hn_error error = {0};
    write_amplified("some.gltf", 1, k ? 1000 : 1, 1);
    check_status(hn_mesh_read(path_of("some.gltf"), 1, &allocator, &mesh, &error), HN_ERROR_MODEL);
  }
  assert_true(memory[1].bytes < memory[0].bytes + 1000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_same_solid),
      cmocka_unit_test(damage_is_told_with_its_place),
      cmocka_unit_test(no_damage_leads_astray),
      cmocka_unit_test(memory_is_given_back_when_there_is_none),
      cmocka_unit_test(half_a_scene_is_no_mesh),
      cmocka_unit_test(a_small_file_cannot_ask_for_much),
  };
  return cmocka_run_group_tests(tests, make_folder, NULL);
}
