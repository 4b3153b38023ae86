// Roads: height profiles, and the distance of a point from them.
//
// A road is z(x, t) = profile(xi), xi = x - speed t, so z_x = profile', z_t = -speed profile'. A
// profile is made of *features*, each smooth and continued smoothly beyond its own part of the
// road:
//
//   flat, surface  0
//   half cylinder  0 level, 1 arc
//   the others     breakpoints b_0 < ... < b_n: 0 level before b_0, k the part b_(k-1) .. b_k, n +
//   1
//                  level after b_n, n + 2 + k the point at b_k (closest point only)
//
// A frozen branch of a tyre names its feature; classification finds it.
#ifndef HN_ELEMENTS_ROAD_H
#define HN_ELEMENTS_ROAD_H

#include "model/model.h"

typedef struct hn_road {
  const hn_road_def *def;
  const hn_law *law; // table: the spline
} hn_road;

static inline hn_road hn_road_of(const hn_model *model, int road) {
  return (hn_road){&model->roads.item[road], model->roads.law ? model->roads.law[road] : NULL};
}

int hn_road_features(const hn_road *road); // how many there are

int hn_road_is_plane(const hn_road *road);
// Height and friction at (xi, y), of one feature where the road is a profile.
void hn_road_sample(const hn_road *road, int feature, double xi, double y, hn_road_point *out);

// ---- height under a point -----------------------------------------------------------------------

typedef struct hn_road_height {
  double z, d1, d2; // profile and its derivatives in xi
} hn_road_height;

// The feature under xi. (All parts of a table are one here: a spline has no breakpoints.)
int hn_road_feature_below(const hn_road *road, double xi);
hn_road_height hn_road_profile(const hn_road *road, int feature, double xi);

// How far xi is from what is not straight: the ends of a bump, corners of a polyline, all of a table. 0
// on it; HUGE_VAL: there is nothing.
double hn_road_clearance(const hn_road *road, double xi);

// ---- closest point ------------------------------------------------------------------------------

// Signed distance of the point (xi, z) from a feature (negative below the road), its gradient, the
// unit normal n away from the road, and its Hessian bend t t' with t = (n_z, -n_x).
typedef struct hn_road_gap {
  double distance;
  double nx, nz;
  double bend;
} hn_road_gap;

// The feature on which the closest point lies, or -1 when the road is farther than reach. Looks
// only at parts within reach.
int hn_road_feature_near(const hn_road *road, double xi, double z, double reach);
hn_road_gap hn_road_distance(const hn_road *road, int feature, double xi, double z);

#endif
