// Arena memory: alignment, zeroing, growth, failing allocations, nothing leaked; scratch that can be
// lost.
#include "base/arena.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

static void pieces_are_zeroed_aligned_and_apart(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_random random = hn_random_seed(1);
  unsigned char *last = NULL;
  for (int k = 0; k < 2000; k++) {
    size_t size = (size_t)hn_random_below(&random, 300);
    unsigned char *piece = hn_arena_take(&arena, size, 1);
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % 64, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(piece[i], 0);
    memset(piece, 0xAB, size);         // dirties memory that a later piece must not show
    assert_ptr_not_equal(piece, last); // also after an empty piece
    last = piece;
  }
  hn_arena_release(&arena);
}

static void written_pieces_keep_their_contents(void **state) {
  (void)state;
  enum { COUNT = 500 };
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  int *pieces[COUNT];
  for (int k = 0; k < COUNT; k++) {
    pieces[k] = HN_TAKE(&arena, int, k + 1);
    for (int i = 0; i <= k; i++) pieces[k][i] = 1000 * k + i;
  }
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i <= k; i++) assert_int_equal(pieces[k][i], 1000 * k + i);
  hn_arena_release(&arena);
}

static void empty_piece_is_a_valid_pointer(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  void *first = hn_arena_take(&arena, 0, sizeof(double));
  void *second = hn_arena_take(&arena, 5, 0);
  assert_non_null(first);
  assert_non_null(second);
  assert_ptr_not_equal(first, second);
  hn_arena_release(&arena);
}

static void large_piece_gets_a_block_of_its_size(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  size_t size = (size_t)40 * 1024 * 1024;
  unsigned char *piece = hn_arena_take(&arena, size, 1);
  assert_non_null(piece);
  assert_int_equal(piece[0], 0);
  assert_int_equal(piece[size - 1], 0);
  assert_int_equal(memory.calls, 1);
  assert_int_equal(arena.allocator_calls, 1);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

static void many_small_pieces_ask_the_allocator_rarely(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  for (int k = 0; k < 100000; k++) assert_non_null(hn_arena_take(&arena, 8, 8));
  assert_true(memory.calls < 12); // 6.4 MB in blocks that double from 64 kB
  assert_int_equal(memory.calls, arena.allocator_calls);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

static void overflowing_request_fails_without_asking(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  assert_null(hn_arena_take(&arena, SIZE_MAX / 4, 8));
  assert_null(hn_arena_take(&arena, 1, 1)); // once failed, an arena stays failed
  assert_int_equal(arena.failed, 1);
  assert_int_equal(memory.calls, 0);
  hn_arena_release(&arena);

  hn_arena_init(&arena, &allocator);
  assert_null(hn_arena_take(&arena, SIZE_MAX - 1, 1));
  assert_null(hn_arena_take(&arena, SIZE_MAX - 100, 1));
  assert_int_equal(memory.calls, 0);
  hn_arena_release(&arena);
}

// Whichever allocation fails, all later pieces are null and everything is given back.
static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  for (long fail_at = 1; fail_at <= 6; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_arena arena;
    hn_arena_init(&arena, &allocator);
    int failed = 0;
    for (int k = 0; k < 1000; k++) {
      void *piece = hn_arena_take(&arena, 1, 3000);
      if (failed) assert_null(piece);
      failed = failed || !piece;
    }
    assert_int_equal(failed, 1);
    assert_int_equal(arena.failed, 1);
    assert_int_equal(memory.calls, fail_at); // a failed arena does not ask again
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
  }
}

static void release_may_be_called_twice_and_arena_used_again(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  assert_non_null(HN_TAKE(&arena, double, 10));
  hn_arena_release(&arena);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
  assert_non_null(HN_TAKE(&arena, double, 10));
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

static void copies_are_equal_and_null_stays_null(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  const double numbers[3] = {1.5, -2, 3e300};
  double *copy = hn_arena_copy(&arena, numbers, 3, sizeof(double));
  assert_memory_equal(copy, numbers, sizeof numbers);
  assert_string_equal(hn_arena_copy_string(&arena, "knee"), "knee");
  assert_string_equal(hn_arena_copy_string(&arena, ""), "");
  assert_null(hn_arena_copy_string(&arena, NULL));
  assert_null(hn_arena_copy(&arena, NULL, 3, 8));
  hn_arena_release(&arena);
}

static void single_blocks_grow_and_keep_the_old_on_failure(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  int *numbers = hn_reallocate(&allocator, NULL, 0, 4 * sizeof(int));
  for (int i = 0; i < 4; i++) numbers[i] = i;
  numbers = hn_reallocate(&allocator, numbers, 4 * sizeof(int), 400 * sizeof(int));
  for (int i = 0; i < 4; i++) assert_int_equal(numbers[i], i);
  assert_int_equal(memory.living, 1);
  numbers = hn_reallocate(&allocator, numbers, 400 * sizeof(int), 2 * sizeof(int));
  assert_int_equal(numbers[1], 1);
  memory.fail_at = 1;
  assert_null(hn_reallocate(&allocator, numbers, 2 * sizeof(int), 3 * sizeof(int)));
  assert_int_equal(numbers[1], 1);
  hn_release(&allocator, numbers);
  hn_release(&allocator, NULL);
  assert_int_equal(memory.living, 0);
}

// Sizes about those from which pages of another size are asked for, each written to its end.
static void blocks_of_every_size_are_whole(void **state) {
  (void)state;
  const size_t page = (size_t)2 * 1024 * 1024;
  const size_t sizes[] = {1, page - 1, 2 * page - 1, 2 * page, 2 * page + 1, 3 * page - 7};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    unsigned char *block = hn_allocate(NULL, sizes[k]);
    assert_non_null(block);
    memset(block, 0xA5, sizes[k]);
    assert_int_equal(block[sizes[k] - 1], 0xA5);
    hn_release(NULL, block);
  }
}

static void null_allocator_means_malloc(void **state) {
  (void)state;
  void *block = hn_allocate(NULL, 100);
  assert_non_null(block);
  memset(block, 1, 100);
  hn_release(NULL, block);
  block = hn_allocate(NULL, 0);
  assert_non_null(block);
  hn_release(NULL, block);
}

static void poison_reaches_all_scratch_and_nothing_else(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  double *constant = HN_TAKE(&arena, double, 3), *kept = NULL, *work[40];
  kept = HN_TAKE(&arena, double, 3);
  // small ones, one of its own block, and small ones again
  for (int k = 0; k < 40; k++) work[k] = HN_WORK(&arena, double, k == 20 ? 100000 : 700);
  int *stamp = HN_WORK(&arena, int, 1);
  hn_arena_stamp(&arena, stamp);
  constant[2] = kept[2] = 5;
  *stamp = 7;
  hn_arena_poison(&arena);
  for (int k = 0; k < 40; k++)
    for (int i = 0; i < (k == 20 ? 100000 : 700); i++) assert_true(isnan(work[k][i]));
  assert_int_equal(*stamp, 0);
  assert_true(constant[2] == 5 && kept[2] == 5);
  assert_true(HN_WORK(&arena, double, 9)[8] == 0); // pieces taken later are zeroed
  hn_arena_release(&arena);
}

static void stamps_are_forgotten_together(void **state) {
  (void)state;
  enum { COUNT = 200 };
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  int *stamps = HN_WORK(&arena, int, COUNT);
  for (int k = 0; k < COUNT; k++) {
    hn_arena_stamp(&arena, &stamps[k]);
    stamps[k] = k + 1;
  }
  hn_arena_forget(&arena);
  for (int k = 0; k < COUNT; k++) assert_int_equal(stamps[k], 0);
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
      cmocka_unit_test(written_pieces_keep_their_contents),
      cmocka_unit_test(empty_piece_is_a_valid_pointer),
      cmocka_unit_test(large_piece_gets_a_block_of_its_size),
      cmocka_unit_test(many_small_pieces_ask_the_allocator_rarely),
      cmocka_unit_test(overflowing_request_fails_without_asking),
      cmocka_unit_test(every_failing_allocation_is_survived),
      cmocka_unit_test(release_may_be_called_twice_and_arena_used_again),
      cmocka_unit_test(copies_are_equal_and_null_stays_null),
      cmocka_unit_test(single_blocks_grow_and_keep_the_old_on_failure),
      cmocka_unit_test(blocks_of_every_size_are_whole),
      cmocka_unit_test(null_allocator_means_malloc),
      cmocka_unit_test(poison_reaches_all_scratch_and_nothing_else),
      cmocka_unit_test(stamps_are_forgotten_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
