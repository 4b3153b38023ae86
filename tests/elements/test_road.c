// Road profiles against their formulas, and closest points against a dense search.
#include "elements/road.h"

#include "elements/every_element.h"

enum { FLAT, STAIRS, BUMP, LOG, LOG_ENVELOPE, TABLE, ROADS };

static hand_model hand;

static int set_up(void **unused) {
  (void)unused;
  hand_begin(&hand);
  add_every_road(&hand); // from 0 to about 3 m
  return 0;
}
static int tear_down(void **unused) {
  (void)unused;
  hand_end(&hand);
  return 0;
}

static double height(const hn_road *road, double xi) {
  return hn_road_profile(road, hn_road_feature_below(road, xi), xi).z;
}

// How far a point may go before it meets what is not straight: never past it, by a dense search of
// slopes.
static void clearance_ends_where_the_road_bends(void **unused) {
  (void)unused;
  hn_road flat = hn_road_of(&hand.model, FLAT);
  assert_true(hn_road_clearance(&flat, 3) == HUGE_VAL);
  for (int r = STAIRS; r < ROADS; r++) {
    hn_road road = hn_road_of(&hand.model, r);
    for (double xi = -4; xi < 8; xi += 0.037) {
      double clear = hn_road_clearance(&road, xi), slope = NAN;
      assert_true(clear >= 0 && clear < HUGE_VAL);
      if (clear < 1e-3) continue;
      for (double x = xi - 0.999 * clear; x < xi + 0.999 * clear; x += 0.01) {
        double now = hn_road_profile(&road, hn_road_feature_below(&road, x), x).d1;
        if (isnan(slope)) slope = now;
        check_near(now, slope, 1e-12);
      }
    }
    check_near(hn_road_clearance(&road, 1000) - hn_road_clearance(&road, 900), 100, 1e-9);
  }
}

// ---- heights ------------------------------------------------------------------------------------

static void profiles_follow_their_formulas(void **unused) {
  (void)unused;
  hn_road flat = hn_road_of(&hand.model, FLAT), stairs = hn_road_of(&hand.model, STAIRS);
  hn_road bump = hn_road_of(&hand.model, BUMP), log = hn_road_of(&hand.model, LOG);
  hn_road table = hn_road_of(&hand.model, TABLE);
  check_near(height(&flat, 7), 0.1, 0);
  check_near(height(&stairs, -5), 0.2, 0);
  check_near(height(&stairs, 1.25), 0.35, 1e-15);
  check_near(height(&stairs, 1.55), 0.7, 1e-14);
  check_near(height(&stairs, 50), 0.5, 0);
  check_near(height(&bump, 0.3), 0, 1e-15);
  check_near(height(&bump, 0.3 + 1.25), 0.4, 1e-15);
  check_near(height(&bump, 0.3 + 0.625), 0.2, 1e-15);
  check_near(height(&bump, 3), 0, 0);
  check_near(height(&log, 1.2), 0.5, 1e-15);
  check_near(height(&log, 1.5), 0.4, 1e-15);
  check_near(height(&log, 1.8), 0, 0);
  for (int k = 0; k < table.def->count; k++)
    check_near(height(&table, table.def->x[k]), table.def->z[k], 1e-15);
  check_near(height(&table, -9), table.def->z[0], 0);
  check_near(height(&table, 9), table.def->z[3], 0);
}

// The lowest point of a rigid disc of radius e that rolls over the cylinder of radius R: its center
// is R + e from the axis while in contact with the cylinder, e above the level before and after.
static void envelope_is_the_path_of_a_rolling_disc(void **unused) {
  (void)unused;
  hn_road road = hn_road_of(&hand.model, LOG_ENVELOPE);
  double e = road.def->envelope, reach = road.def->radius + e;
  for (int k = -37; k <= 37; k++) {
    double u = 0.0537 * k;
    double centre = fabs(u) < reach ? sqrt(reach * reach - u * u) : 0;
    check_near(height(&road, road.def->start + u), fmax(centre, e) - e, 1e-15);
  }
}

static void heights_are_continuous(void **unused) {
  (void)unused;
  for (int r = 0; r < ROADS; r++) {
    hn_road road = hn_road_of(&hand.model, r);
    double before = height(&road, -1);
    for (int k = 0; k < 500000; k++) {
      double xi = -1 + 1e-5 * k;
      double now = height(&road, xi);
      check_near(now, before, r == LOG ? 5e-3 : 2e-4); // the raw log is upright at its edges
      before = now;
    }
  }
}

// ---- closest points -----------------------------------------------------------------------------

// The distance to the nearest of many points of the profile, its breakpoints among them.
static double dense_distance(const hn_road *road, double xi, double z) {
  double least = HUGE_VAL;
  for (int k = -40000; k <= 40000; k++) {
    double s = xi + 2.5e-5 * k;
    least = fmin(least, hypot(s - xi, height(road, s) - z));
  }
  for (int k = 0; k < road->def->count; k++)
    least = fmin(least, hypot(road->def->x[k] - xi, road->def->z[k] - z));
  return least;
}

static void closest_point_is_the_closest(void **unused) {
  (void)unused;
  hn_random random = hn_random_seed(5);
  for (int r = 0; r < ROADS; r++) {
    hn_road road = hn_road_of(&hand.model, r);
    for (int k = 0; k < 40; k++) {
      double xi = hn_random_uniform(&random, -0.6, 3.6);
      double z = height(&road, xi) + hn_random_uniform(&random, 0.02, 0.7);
      int feature = hn_road_feature_near(&road, xi, z, 1);
      assert_true(feature >= 0);
      hn_road_gap gap = hn_road_distance(&road, feature, xi, z);
      check_near(gap.distance, dense_distance(&road, xi, z), 2e-5);
      check_near(hypot(gap.nx, gap.nz), 1, 1e-14);
    }
  }
}

// A point carried over the road: a distance that jumps, or changes faster than the point moves,
// would be that of a wrong feature.
static void distance_changes_no_faster_than_the_point_moves(void **unused) {
  (void)unused;
  const double dx = 5e-4;
  for (int r = 0; r < ROADS; r++)
    for (int l = 0; l < 7; l++) {
      double lift = 0.03 + 0.11 * l;
      hn_road road = hn_road_of(&hand.model, r);
      double last_z = 0, last = -1;
      for (int k = 0; k < 10000; k++) {
        double xi = -1 + dx * k;
        // a level path over steps, one parallel to the profile elsewhere
        double z = r == STAIRS || r == LOG ? 0.9 + lift : height(&road, xi) + lift;
        int feature = hn_road_feature_near(&road, xi, z, 2);
        assert_true(feature >= 0);
        double distance = hn_road_distance(&road, feature, xi, z).distance;
        if (last >= 0) check_at_most(fabs(distance - last), hypot(dx, z - last_z) * (1 + 1e-9));
        last = distance;
        last_z = z;
      }
    }
}

static void road_beyond_reach_is_not_found(void **unused) {
  (void)unused;
  for (int r = 0; r < ROADS; r++) {
    hn_road road = hn_road_of(&hand.model, r);
    for (int k = 0; k < 24; k++) {
      double xi = -1 + 0.21 * k;
      double z = height(&road, xi) + 0.4;
      int feature = hn_road_feature_near(&road, xi, z, 1);
      double distance = hn_road_distance(&road, feature, xi, z).distance;
      assert_int_equal(hn_road_feature_near(&road, xi, z, distance * (1 - 1e-6)), -1);
      assert_int_equal(hn_road_feature_near(&road, xi, z, distance * (1 + 1e-6)), feature);
    }
  }
}

static void edge_of_a_step_is_a_point(void **unused) {
  (void)unused;
  hn_road road = hn_road_of(&hand.model, STAIRS);
  // beyond the edge (3, 0.8) of the drop, on both sides of the bisector of its normals
  int feature = hn_road_feature_near(&road, 3.05, 0.95, 1);
  assert_int_equal(feature, 5 + 2 + 4);
  hn_road_gap gap = hn_road_distance(&road, feature, 3.05, 0.95);
  check_near(gap.distance, hypot(0.05, 0.15), 1e-15);
  check_near(gap.nx, 0.05 / hypot(0.05, 0.15), 1e-14);
  check_near(gap.bend, 1 / hypot(0.05, 0.15), 1e-12);
  // in the inner corner at (1, 0.2), between level and ramp, the nearer of both straight parts
  assert_int_equal(hn_road_feature_near(&road, 0.95, 0.3, 1), 1);
  assert_int_equal(hn_road_feature_near(&road, 1.1, 0.35, 1), 2);
}

static void centre_under_the_road_is_pushed_up(void **unused) {
  (void)unused;
  for (int r = 0; r < ROADS; r++) {
    hn_road road = hn_road_of(&hand.model, r);
    for (int k = 0; k < 22; k++) {
      double xi = 1.201 + 0.13 * k;
      double z = height(&road, xi) - 0.01;
      int feature = hn_road_feature_near(&road, xi, z, 0.4);
      assert_true(feature >= 0);
      hn_road_gap gap = hn_road_distance(&road, feature, xi, z);
      check_at_most(gap.distance, 0);
      assert_true(gap.distance >= -0.01 - 1e-12);
      assert_true(gap.nz > 0);
    }
  }
}

// A measured road of 200001 points, a wheel of 0.4 m over a crest of it.
static void long_polyline_is_searched_within_reach_only(void **unused) {
  (void)unused;
  enum { POINTS = 200001 };
  static double x[POINTS], z[POINTS];
  for (int k = 0; k < POINTS; k++) {
    x[k] = 0.01 * k;
    z[k] = 0.05 * sin(2 * x[k]);
  }
  hn_road_def def = hn_default_road(HN_ROAD_POLYLINE);
  def.x = x;
  def.z = z;
  def.count = POINTS;
  hn_road road = {&def, NULL};
  double crest = HN_PI / 4 + 300 * HN_PI;
  for (int k = 0; k < 2000; k++) { // many, so that a search of everything would be felt
    double xi = crest + 1e-5 * k;
    int feature = hn_road_feature_near(&road, xi, 0.45, 0.5);
    assert_true(feature >= 0);
    check_near(hn_road_distance(&road, feature, xi, 0.45).distance, 0.4, 1e-4);
  }
}

// The index of a feature read from a file may be any number: too large ones mean the last
// breakpoint.
static void numbers_beyond_the_features_read_nothing_outside(void **unused) {
  (void)unused;
  static const int roads[] = {STAIRS, BUMP, TABLE};
  for (int k = 0; k < 3; k++) {
    hn_road road = hn_road_of(&hand.model, roads[k]);
    int parts = roads[k] == BUMP ? 3 : road.def->count - 1;
    double expected = hn_road_distance(&road, 2 * parts + 2, 1, 0.5).distance;
    check_near(hn_road_distance(&road, 2 * parts + 3, 1, 0.5).distance, expected, 0);
    check_near(hn_road_distance(&road, 700000000, 1, 0.5).distance, expected, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clearance_ends_where_the_road_bends),
      cmocka_unit_test(profiles_follow_their_formulas),
      cmocka_unit_test(envelope_is_the_path_of_a_rolling_disc),
      cmocka_unit_test(heights_are_continuous),
      cmocka_unit_test(closest_point_is_the_closest),
      cmocka_unit_test(distance_changes_no_faster_than_the_point_moves),
      cmocka_unit_test(road_beyond_reach_is_not_found),
      cmocka_unit_test(edge_of_a_step_is_a_point),
      cmocka_unit_test(centre_under_the_road_is_pushed_up),
      cmocka_unit_test(long_polyline_is_searched_within_reach_only),
      cmocka_unit_test(numbers_beyond_the_features_read_nothing_outside),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
