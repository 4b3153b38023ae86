// The table of joints is consistent: the number of constraint equations is that of the public list,
// links of a tree replace these equations, keys match the pictures.
#include <string.h>

#include "model/joint_types.h"
#include "support/check.h"

static int has_key(hn_joint_type type, const char *word) {
  return strstr(hn_joint_facts_of(type)->keys, word) != NULL;
}

static void rows_are_those_of_the_public_list(void **state) {
  (void)state;
#define CHECK_ROWS(type, name, rows) assert_true(hn_joint_row_number(type) == (rows));
  HN_JOINT_LIST(CHECK_ROWS)
#undef CHECK_ROWS
  assert_true(hn_joint_row_number(HN_JOINT_TYPES) == 0);
}

// Equations of the tree come first; six minus their number are the degrees of freedom of the links.
static void links_leave_what_rows_take(void **state) {
  (void)state;
  for (int k = 0; k < HN_JOINT_TYPES; k++) {
    hn_joint_type type = (hn_joint_type)k;
    int taken = hn_joint_tree_rows(type);
    assert_true(taken <= hn_joint_row_number(type));
    assert_true((taken > 0) == (hn_joint_facts_of(type)->link_count > 0));
    assert_true((taken > 0) == has_key(type, " cut "));
    if (hn_joint_shares_point(type)) assert_true(taken >= 3);
  }
}

// A coordinate belongs to one link at most, and only coordinates that the joint has.
static void links_read_coordinates_of_the_joint(void **state) {
  (void)state;
  for (int k = 0; k < HN_JOINT_TYPES; k++) {
    const hn_joint_facts *facts = hn_joint_facts_of((hn_joint_type)k);
    unsigned read = 0;
    for (int i = 0; i < facts->link_count; i++) {
      assert_true((read & facts->links[i].reads) == 0);
      read |= facts->links[i].reads;
    }
    assert_true((read & ~facts->coordinates) == 0);
  }
}

static void keys_are_those_of_the_drawing(void **state) {
  (void)state;
  for (int k = 0; k < HN_JOINT_TYPES; k++) {
    hn_joint_type type = (hn_joint_type)k;
    const hn_joint_facts *facts = hn_joint_facts_of(type);
    assert_true(has_key(type, " type ") && has_key(type, " repeat ") && has_key(type, " if "));
    assert_true(has_key(type, " bodies ") == hn_joint_joins_bodies(type));
    assert_true(has_key(type, " axes ") == (facts->drawn.axes == HN_JOINT_TWO_AXES ||
                                            facts->drawn.axes == HN_JOINT_ONE_OR_TWO_AXES));
    assert_true(has_key(type, " pitch ") == hn_joint_has_row(type, HN_JOINT_ROW_SCREW));
    assert_true(has_key(type, " length ") == hn_joint_has_row(type, HN_JOINT_ROW_DISTANCE));
    assert_true((facts->couples.most > 0) == hn_joint_has_row(type, HN_JOINT_ROW_COUPLED));
  }
}

// Classification by the constraint equations, for joints where it has a name.
static void sharing(void **state) {
  (void)state;
  assert_true(hn_joint_shares_point(HN_JOINT_SPHERICAL) && hn_joint_shares_point(HN_JOINT_FIXED));
  assert_true(!hn_joint_shares_point(HN_JOINT_CYLINDRICAL) &&
              !hn_joint_shares_point(HN_JOINT_GEAR));
  assert_true(hn_joint_shares_axes(HN_JOINT_REVOLUTE) == HN_SHARES_H);
  assert_true(hn_joint_shares_axes(HN_JOINT_PARALLEL) == HN_SHARES_H);
  assert_true(hn_joint_shares_axes(HN_JOINT_TRANSLATIONAL) == HN_SHARES_ALL);
  assert_true(hn_joint_shares_axes(HN_JOINT_UNIVERSAL) == HN_SHARES_NONE);
  assert_true(hn_joint_find_row(HN_JOINT_FIXED, HN_JOINT_F, HN_JOINT_G) == 5);
  assert_true(hn_joint_holds(HN_JOINT_DISTANCE) && !hn_joint_holds(HN_JOINT_FREE));
  assert_true(!hn_joint_holds(HN_JOINT_COUPLER) && hn_joint_joins_bodies(HN_JOINT_FREE));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_the_public_list),
      cmocka_unit_test(links_leave_what_rows_take),
      cmocka_unit_test(links_read_coordinates_of_the_joint),
      cmocka_unit_test(keys_are_those_of_the_drawing),
      cmocka_unit_test(sharing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
