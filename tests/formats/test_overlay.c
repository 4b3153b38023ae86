// Overlays: new names are added, known names take the keys given, `remove:` deletes.
#include "formats/loading.h"
#include "formats/overlay.h"

#define MECHANISM                                                                                  \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "parameters: {length: 1}\n"                                                                      \
  "bodies:\n"                                                                                      \
  "  a: {mass: 1, center: [length, 0, 0], markers: {tip: [1, 0, 0]}}\n"                            \
  "  b: {mass: 2, center: [2, 0, 0], initial: {velocity: [0, 0, 1]}}\n"                            \
  "joints:\n"                                                                                      \
  "  pin: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"                         \
  "  pin2: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y}\n"                             \
  "simulation: {time: 2, step: 0.1}\n"
#define BASE                                                                                       \
  MECHANISM                                                                                        \
  "contacts: {floor: {bodies: [a, b], friction: 0.3}}\n"                                           \
  "tables: {m: {table: [[0, 0], [1, 1]], interpolation: linear}}\n"                                \
  "materials: {steel: {restitution: 0.4, friction: 0.2}}\n"

static const char *laid_over(hn_arena *arena, const char *over, hn_error *error) {
  hn_node *base, *top;
  hn_arena_init(arena, NULL);
  check_ok(hn_tree_parse(arena, BASE, strlen(BASE), "base.yaml", &base, error));
  check_ok(hn_tree_parse(arena, over, strlen(over), "over.yaml", &top, error));
  return hn_overlay_merge(arena, base, top, error) ? NULL : hn_tree_json(arena, base);
}

static void has(const char *over, const char *part, int wanted) {
  hn_arena arena;
  hn_error error;
  const char *json = laid_over(&arena, over, &error);
  if (!json) fail_msg("%s", error.message);
  if ((strstr(json, part) != NULL) != wanted) fail_msg("%s: '%s' in\n%s", over, part, json);
  hn_arena_release(&arena);
}

static void refuses(const char *over, int line, const char *part) {
  hn_arena arena;
  hn_error error;
  char all[2600];
  if (laid_over(&arena, over, &error)) fail_msg("accepted: %s", over);
  hn_error_format(&error, all, sizeof all);
  check_names(all, part);
  assert_int_equal(error.line, line);
  hn_arena_release(&arena);
}

static void entries_are_added_and_changed(void **state) {
  (void)state;
  has("bodies: {c: {mass: 3}}", "\"c\": {\"mass\": 3}", 1);
  has("bodies: {a: {mass: 3}}", "\"a\": {\"mass\": 3, \"center\": [\"length\", 0, 0]", 1);
  has("bodies: {a: {markers: {end: [2, 0, 0]}}}",
      "\"markers\": {\"tip\": [1, 0, 0], \"end\": [2, 0, 0]}", 1);
  has("parameters: {length: 2 m}", "\"length\": \"2 m\"", 1);
  has("forces: {f: {type: torque, joint: pin, torque: 1}}", "\"f\": {\"type\": \"torque\"", 1);
  has("gravity: [0, 0, 0]", "-9.81", 0);
  has("simulation: {time: 3}", "\"simulation\": {\n    \"time\": 3,\n    \"step\": 0.1", 1);
  has("bodies:\n", "\"a\": {\"mass\": 1", 1);
  has("contacts: {floor: {restitution: 0.9}}",
      "\"floor\": {\"bodies\": [\"a\", \"b\"], \"friction\": 0.3, \"restitution\": 0.9}", 1);
  has("tables: {m: {outside: hold}}", "\"interpolation\": \"linear\", \"outside\": \"hold\"", 1);
  has("materials: {steel: {friction: 0.5}}", "{\"restitution\": 0.4, \"friction\": 0.5}", 1);
}

static void entries_and_keys_are_removed(void **state) {
  (void)state;
  has("remove: {joints: [pin2], bodies: [b]}", "pin2", 0);
  has("remove: {joints: pin2}", "pin2", 0);
  has("remove: [gravity]", "gravity", 0);
  has("bodies: {b: {remove: [initial]}}", "velocity", 0);
  has("remove: {joints: [pin2]}\njoints: {pin3: {type: free, bodies: [a, b]}}", "pin3", 1);
}

static void what_is_not_there_is_told(void **state) {
  (void)state;
  refuses("remove: {joints: [pin3]}", 1, "'pin'");
  refuses("bodies: {}\nremove: {joint: [pin]}", 2, "'joints'");
  refuses("bodies:\n  b: {remove: [inital]}", 2, "'initial'");
  refuses("remove: {joints: [[pin]]}", 1, "`remove:`");
  refuses("[1, 2]", 1, "");
}

static void loading_uses_overlays_in_their_order(void **state) {
  (void)state;
  const char *const files[] = {HOLON_TEST_OUTPUT_DIR "/one.yaml",
                               HOLON_TEST_OUTPUT_DIR "/two.yaml"};
  const char *const texts[] = {"bodies: {a: {mass: 5}, c: {mass: 1}}\n", "remove: {bodies: [c]}\n"};
  for (int k = 0; k < 2; k++) {
    FILE *file = fopen(files[k], "w");
    fputs(texts[k], file);
    fclose(file);
  }
  hn_load_options options = hn_default_load_options();
  options.overlays = files;
  options.overlay_count = 2;
  hn_model *model = load_with(MECHANISM, &options);
  assert_int_equal(model->body_count, 3);
  check_near(model->bodies[1].mass, 5, 0);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_are_added_and_changed),
      cmocka_unit_test(entries_and_keys_are_removed),
      cmocka_unit_test(what_is_not_there_is_told),
      cmocka_unit_test(loading_uses_overlays_in_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
