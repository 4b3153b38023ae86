// The spatial problems of the IFToMM benchmark, A04 and A05, as one table of bodies, joints and springs
// for all engines. Body frames are parallel to the axes of space as drawn, at the center of mass.
#pragma once
#include <array>
#include <cmath>
#include <string>
#include <vector>
typedef std::array<double, 3> V3;
struct SpaceBody {
  double m;
  V3 at;                 // center of mass
  double xx, yy, zz, xz; // inertia about it (xy = yz = 0)
};
struct SpaceJoint {
  int a, b;        // a < 0: ground
  char kind;       // 'r' revolute, 't' translational
  V3 at, axis;     // as drawn
  bool cut;        // closes a loop
  double rate = 0; // at the begin
};
struct SpaceSpring {
  int a, b;
  V3 pa, pb; // points as drawn
  double k, c, l0;
};
struct Space {
  std::vector<SpaceBody> b;
  std::vector<SpaceJoint> j;
  std::vector<SpaceSpring> s;
  V3 g;
  int obsBody;
  V3 obs; // observed point as drawn
};
inline Space make_bricard() { // five rods of 1 m and 1 kg, square section of 0.1 m
  Space S;
  const double across = (1 + 0.01) / 12, along = 0.01 / 6;
  const V3 P[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const V3 axis[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  const int way[5] = {0, 1, 2, 0, 1};
  for (int i = 0; i < 5; i++) {
    double I[3] = {across, across, across};
    I[way[i]] = along;
    V3 c;
    for (int k = 0; k < 3; k++) c[k] = 0.5 * (P[i][k] + P[i + 1][k]);
    S.b.push_back({1, c, I[0], I[1], I[2], 0});
  }
  for (int i = 0; i < 5; i++) S.j.push_back({i - 1, i, 'r', P[i], axis[i], false});
  S.j.push_back({-1, 4, 'r', P[5], axis[5], true});
  S.g = {0, -9.81, 0};
  S.obsBody = 1;
  S.obs = P[2];
  return S;
}
inline Space make_governor() { // shaft, slider, right rod with ball, left rod with ball
  Space S;
  const double rod = 0.3, slider = 3, ball = 5, w = 0.01, cube = 0.1, m = rod + ball;
  const double across = rod * (1 + w * w) / 12, along = rod * w * w / 6;
  const double c = (rod / 2 + ball) / m, cs = cos(M_PI / 6), sn = 0.5;
  const double tilt = across + rod * (c - 0.5) * (c - 0.5) + ball * (1 - c) * (1 - c);
  S.b.push_back({rod, {0, 0, 0.5}, across, across, along, 0});
  const double cu = slider * cube * cube / 6;
  S.b.push_back({slider, {0, 0, 0.5}, cu, cu, cu, 0});
  S.j.push_back({-1, 0, 'r', {0, 0, 0}, {0, 0, 1}, false, 2 * M_PI});
  S.j.push_back({0, 1, 't', {0, 0, 0.5}, {0, 0, 1}, false});
  for (int side = 1; side >= -1; side -= 2) {
    V3 d = {side * cs, 0, -sn}, h = {side * cube / 2, 0, 1};
    V3 center = {h[0] + c * d[0], 0, h[2] + c * d[2]},
       middle = {h[0] + 0.5 * d[0], 0, h[2] + 0.5 * d[2]};
    // inertia: along * d d' + tilt * (1 - d d')
    double e = along - tilt;
    S.b.push_back(
        {m, center, tilt + e * d[0] * d[0], tilt, tilt + e * d[2] * d[2], e * d[0] * d[2]});
    int id = int(S.b.size()) - 1;
    S.j.push_back({0, id, 'r', h, {0, 1, 0}, false});
    S.s.push_back({1, id, {side * cube / 2, 0, 0.5}, middle, 8e5, 4e4, 0.5});
  }
  S.g = {0, 0, -9.81};
  S.obsBody = 1;
  S.obs = {0, 0, 0.5};
  return S;
}
