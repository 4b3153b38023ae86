// The state of a run: declared fields are copied, compared by layout and checked.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "support/check.h"

typedef struct owner {
  double *q, record[5], late[2];
  int modes[2];
  unsigned char marks[3];
  struct numbers {
    double t;
    int count;
  } numbers;
} owner;

// Returns the number of the part of its own that `late` is in.
static int declare(hn_arena *arena, owner *o, int n) {
  hn_state_owner(arena, "run", HN_STATE_RECORD);
  HN_STATE(arena, o->record, 5, "record");
  hn_state_within(arena, 0, HUGE_VAL);
  hn_state_owner(arena, "body", HN_STATE_MOTION);
  o->q = HN_TAKE(arena, double, n);
  HN_STATE(arena, o->q, n, "position");
  HN_STATE(arena, o->modes, 2, "mode");
  hn_state_within(arena, -1, 3);
  HN_STATE(arena, o->marks, 3, "mark");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, &o->numbers, 1, "numbers");
  const int part = hn_state_open_part(arena);
  HN_STATE(arena, o->late, 2, "late");
  hn_state_close_part(arena);
  return part;
}

static void copies_are_of_the_kinds_and_the_part_asked_for(void **state) {
  (void)state;
  for (int n = 0; n < 3000; n = 3 * n + 1) {
    hn_arena arenas[2];
    owner o[2] = {{.record = {1, 2, 3, 4, 5}, .late = {8, 9}, .modes = {3, -1}}};
    int part = 0;
    for (int k = 0; k < 2; k++) {
      hn_arena_init(&arenas[k], NULL);
      part = declare(&arenas[k], &o[k], n);
    }
    for (int i = 0; i < n; i++) o[0].q[i] = 10 + i;
    o[0].numbers = (struct numbers){.t = 0.5, .count = 4};
    const hn_state *from = &arenas[0].state, *to = &arenas[1].state;
    const size_t size = hn_state_size(from, HN_STATE_MOTION, 0);
    assert_int_equal(size, (size_t)n * sizeof(double) + 2 * sizeof(int) + 3 + sizeof o[0].numbers);
    unsigned char block[40000];
    assert_ptr_equal(hn_state_write(from, HN_STATE_MOTION, 0, block), block + size);
    assert_ptr_equal(hn_state_read(to, HN_STATE_MOTION, 0, block, size), block + size);
    for (int i = 0; i < n; i++) assert_true(o[1].q[i] == 10 + i);
    assert_true(o[1].modes[1] == -1 && o[1].numbers.t == 0.5 && o[1].numbers.count == 4);
    assert_true(o[1].record[0] == 0 && o[1].late[0] == 0); // another kind, another part
    hn_state_write(from, HN_STATE_WHOLE, part, block);
    const size_t late = hn_state_size(from, HN_STATE_WHOLE, part);
    assert_null(hn_state_read(to, HN_STATE_WHOLE, part, block, late - 1));
    hn_state_read(to, HN_STATE_WHOLE, part, block, late);
    assert_true(o[1].record[0] == 0 && o[1].late[1] == 9);
    for (int k = 0; k < 2; k++) hn_arena_release(&arenas[k]);
  }
}

typedef struct past {
  double *values, t;
} past;

// The structure that is present when they are copied counts, here and there.
static void fields_move_with_their_structure(void **state) {
  (void)state;
  hn_arena arenas[2];
  past both[2][2], *present[2];
  unsigned char block[64];
  for (int k = 0; k < 2; k++) {
    hn_arena_init(&arenas[k], NULL);
    for (int i = 0; i < 2; i++)
      both[k][i] = (past){.values = HN_TAKE(&arenas[k], double, 3), .t = 10 * k + i};
    present[k] = &both[k][0];
    hn_state_owner(&arenas[k], "past", HN_STATE_METHOD);
    HN_STATE_OF(&arenas[k], &present[k], &present[k]->t, 1, "time");
    hn_state_within(&arenas[k], -5, 5);
    HN_STATE_BEHIND(&arenas[k], &present[k], &present[k]->values, 3, "value");
  }
  present[0] = &both[0][1];
  both[0][1].values[2] = 7;
  const hn_state *from = &arenas[0].state, *to = &arenas[1].state;
  const size_t size = hn_state_size(from, HN_STATE_METHOD, 0);
  assert_int_equal(size, 4 * sizeof(double));
  hn_state_write(from, HN_STATE_METHOD, 0, block);
  assert_non_null(hn_state_read(to, HN_STATE_METHOD, 0, block, size));
  assert_true(both[1][0].t == 1 && both[1][0].values[2] == 7);
  assert_true(both[1][1].t == 11 && both[1][1].values[2] == 0);
  int index;
  assert_null(hn_state_check(to, HN_STATE_METHOD, 0, &index));
  present[1] = &both[1][1];
  assert_ptr_equal(hn_state_check(to, HN_STATE_METHOD, 0, &index), &to->fields[0]);
  for (int k = 0; k < 2; k++) hn_arena_release(&arenas[k]);
}

typedef struct ring {
  int item[5], first, used;
} ring;

static void only_items_in_use_are_copied(void **state) {
  (void)state;
  hn_arena arenas[2];
  ring r[2] = {{.item = {10, 11, 12, 13, 14}}};
  unsigned char block[64];
  for (int k = 0; k < 2; k++) {
    hn_arena_init(&arenas[k], NULL);
    hn_state_owner(&arenas[k], "ring", HN_STATE_MOTION);
    HN_STATE(&arenas[k], r[k].item, 5, "item");
    hn_state_counted(&arenas[k], &r[k].first, &r[k].used);
  }
  const hn_state *from = &arenas[0].state, *to = &arenas[1].state;
  for (r[0].first = 0; r[0].first < 5; r[0].first++)
    for (r[0].used = 0; r[0].used <= 5; r[0].used++) {
      const size_t size = hn_state_size(from, HN_STATE_MOTION, 0);
      assert_int_equal(size, sizeof(int) * (1 + (size_t)r[0].used));
      assert_int_equal(hn_state_largest(from, HN_STATE_MOTION, 0), 6 * sizeof(int));
      r[1].first = 4;
      assert_ptr_equal(hn_state_write(from, HN_STATE_MOTION, 0, block), block + size);
      assert_ptr_equal(hn_state_read(to, HN_STATE_MOTION, 0, block, size), block + size);
      assert_int_equal(r[1].first, 0);
      assert_int_equal(r[1].used, r[0].used);
      for (int i = 0; i < r[1].used; i++) assert_int_equal(r[1].item[i], 10 + (r[0].first + i) % 5);
      assert_null(hn_state_read(to, HN_STATE_MOTION, 0, block, size - 1));
    }
  static const int wrong[] = {-1, 6, 1 << 30};
  for (int k = 0; k < 3; k++) {
    memcpy(block, &wrong[k], sizeof(int));
    assert_null(hn_state_read(to, HN_STATE_MOTION, 0, block, sizeof block));
    assert_int_equal(r[1].used, 5);
  }
  for (int k = 0; k < 2; k++) hn_arena_release(&arenas[k]);
}

// Other sizes, names, owners or another order are another layout.
static void layouts_differ_in_what_they_hold(void **state) {
  (void)state;
  unsigned long long hashes[5];
  for (int k = 0; k < 5; k++) {
    hn_arena arena;
    double x[4] = {0}, y[2] = {0};
    float z[4] = {0};
    hn_arena_init(&arena, NULL);
    hn_state_owner(&arena, k == 2 ? "a" : "b", k == 1 ? HN_STATE_METHOD : HN_STATE_MOTION);
    HN_STATE(&arena, x, k == 3 ? 4 : 3, "x");
    if (k == 4)
      HN_STATE(&arena, z, 4, "z");
    else
      HN_STATE(&arena, y, 2, "y");
    hashes[k] = hn_state_layout(&arena.state, HN_STATE_WHOLE, 0);
    for (int i = 0; i < k; i++) assert_true(hashes[i] != hashes[k]);
    hn_arena_release(&arena);
  }
}

static void check_found(const hn_arena *arena, const char *name, int index) {
  int found = -2;
  const hn_state_field *f = hn_state_check(&arena->state, HN_STATE_WHOLE, 0, &found);
  assert_non_null(f);
  assert_string_equal(f->name, name);
  assert_int_equal(found, index);
}

static void impossible_values_are_found(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  owner o = {.marks = {1}};
  declare(&arena, &o, 4);
  int index;
  o.q[1] = HUGE_VAL; // any number is a position here, but for NaN
  assert_null(hn_state_check(&arena.state, HN_STATE_WHOLE, 0, &index));
  o.q[3] = NAN;
  check_found(&arena, "position", 3);
  o.q[3] = 0;
  o.record[4] = HUGE_VAL;
  check_found(&arena, "record", 4);
  o.record[4] = -1e-300;
  check_found(&arena, "record", 4);
  o.record[4] = 0;
  o.modes[0] = 4;
  check_found(&arena, "mode", 0);
  o.modes[0] = 0;
  o.marks[2] = 2;
  check_found(&arena, "mark", 2);
  hn_arena_release(&arena);
}

static void declaring_survives_every_failing_allocation(void **state) {
  (void)state;
  for (long fail_at = 1; fail_at <= 8; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_arena arena;
    hn_arena_init(&arena, &allocator);
    double many[200] = {0};
    for (int k = 0; k < 200; k++) HN_STATE(&arena, &many[k], 1, "one");
    HN_STATE(&arena, (double *)NULL, 3, "memory that is missing");
    assert_int_equal(arena.failed, memory.calls >= fail_at);
    assert_true(arena.failed || arena.state.count == 200);
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_are_of_the_kinds_and_the_part_asked_for),
      cmocka_unit_test(fields_move_with_their_structure),
      cmocka_unit_test(only_items_in_use_are_copied),
      cmocka_unit_test(layouts_differ_in_what_they_hold),
      cmocka_unit_test(impossible_values_are_found),
      cmocka_unit_test(declaring_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
