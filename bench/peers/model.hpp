// Planar problems p1 to p4 and IFToMM A01 to A03 as one table of bodies, revolute joints and springs;
// A04 and A05 are spatial (space.hpp).
// Body frames sit at the center of mass; th is the angle of the body x axis; gravity is along -y.
#pragma once
#include "space.hpp"
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>
struct Body {
  double m, I, x, y, th, vx, vy, w;
};
// revolute joint: point (ax,ay) of body a (a<0: ground, global point) = point (bx,by) of body b.
// cut: joint that closes a loop (tree-based peers model it as a constraint).
// optional rotational spring-damper: torque on b = -k (thb-tha-th0) - c (wb-wa)
struct Joint {
  int a, b;
  double ax, ay, bx, by;
  bool cut;
  double k, c, th0;
};
struct TSpring {
  int b;
  double bx, by, gx, gy, k, l0;
}; // ground point (gx,gy) to a body point
struct Model {
  std::string name;
  double g = 9.81, tend = 0, tsample = 0, terr = 0, errscale = 1;
  bool conservative = true;
  int obsBody = 0;
  double ox = 0, oy = 0; // observed point
  std::vector<Body> b;
  std::vector<Joint> j;
  std::vector<TSpring> s;
  int torqueBody = -1;
  double torque = 0;            // constant torque about z
  std::shared_ptr<Space> space; // a spatial problem: all of it is there
};
inline Model make_model(const std::string &p, int N) {
  Model M;
  M.name = p;
  const double PI = M_PI;
  if (p == "a01") { // point mass on a massless link, from the horizontal
    M.tend = M.terr = 10;
    M.tsample = 0.1;
    // most engines refuse a point mass: this inertia moves the bob by 2e-8 m in 10 s
    M.b.push_back({1, 1e-9, -1, 0, PI, 0, 0, 0});
    M.j.push_back({-1, 0, 0, 0, -1, 0, false, 0, 0, 0});
  } else if (p == "a04" || p == "a05") {
    M.tend = M.terr = 10;
    M.tsample = 0.1;
    M.space = std::make_shared<Space>(p == "a04" ? make_bricard() : make_governor());
  } else if (p == "p1" || p == "a02") { // N four-bars, IFToMM A02
    M.tend = p == "a02" && N > 2 ? 20 : 10;
    M.tsample = 0.1;
    M.terr = M.tend;
    for (int i = 0; i <= N; i++) M.b.push_back({1, 1.0 / 12, double(i), 0.5, PI / 2, 0.5, 0, -1});
    for (int i = 0; i < N; i++) M.b.push_back({1, 1.0 / 12, i + 0.5, 1.0, 0, 1, 0, 0});
    for (int i = 0; i <= N; i++) M.j.push_back({-1, i, double(i), 0, -0.5, 0, false, 0, 0, 0});
    for (int i = 0; i < N; i++) {
      M.j.push_back({i, N + 1 + i, 0.5, 0, -0.5, 0, false, 0, 0, 0});
      M.j.push_back({i + 1, N + 1 + i, 0.5, 0, 0.5, 0, true, 0, 0, 0});
    }
    M.obsBody = 0;
    M.ox = 0.5;
  } else if (p == "p2" || p == "a03") { // Andrews' squeezing mechanism, 0.05 s
    const bool is_iftomm = p == "a03"; // begins at beta = -0.0620, to which the other angles belong
    M.tend = 0.05;
    M.tsample = 0.0005;
    M.terr = 0.05;
    M.g = 0;
    M.conservative = false;
    const double m[8] = {0, .04325, .00365, .02373, .00706, .07050, .00706, .05498};
    const double I[8] = {0, 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
    const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072,
                 c0 = 4530, d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, zf = 2e-2, fa = 1421e-5,
                 rr = 7e-3, ra = 92e-5, ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3,
                 sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5,
                 zt = 4e-2, l0 = 7785e-5;
    const double be = is_iftomm ? -0.0620 : -0.0617138900142764496358948458001,
                 Th = is_iftomm ? 2.1458685379951531889e-4 : 0,
                 ga = is_iftomm ? 0.45527981210037022419 : 0.455279819163070380255912382449,
                 ph = is_iftomm ? 0.22266837590302747339 : 0.222668390165885884674473185609,
                 de = is_iftomm ? 0.48736498114063279573 : 0.487364979543842550225598953530,
                 Om = -ph, ep = is_iftomm ? 1.2305474391566007626 : 1.23054744454982119249735015568;
    double X[8][3] = {{0},
                      {ra * cos(be), ra * sin(be), be},
                      {rr * cos(be) - da * cos(be + Th), rr * sin(be) - da * sin(be + Th), be + Th},
                      {xb + sa * sin(ga) + sb * cos(ga), yb - sa * cos(ga) + sb * sin(ga), ga},
                      {xa + zt * cos(de) + (e - ea) * sin(ph + de),
                       ya + zt * sin(de) - (e - ea) * cos(ph + de), ph + de},
                      {xa + ta * cos(de) - tb * sin(de), ya + ta * sin(de) + tb * cos(de), de},
                      {xa + u * sin(ep) + (zf - fa) * cos(Om + ep),
                       ya - u * cos(ep) + (zf - fa) * sin(Om + ep), Om + ep},
                      {xa + ua * sin(ep) - ub * cos(ep), ya - ua * cos(ep) - ub * sin(ep), ep}};
    for (int i = 1; i < 8; i++) M.b.push_back({m[i], I[i], X[i][0], X[i][1], X[i][2], 0, 0, 0});
    // body index = K number - 1
    M.j.push_back({-1, 0, 0, 0, -ra, 0, false, 0, 0, 0});             // O-K1
    M.j.push_back({0, 1, rr - ra, 0, da, 0, false, 0, 0, 0});         // K1-K2
    M.j.push_back({-1, 2, xb, yb, -sb, sa, false, 0, 0, 0});          // B-K3
    M.j.push_back({-1, 4, xa, ya, -ta, -tb, false, 0, 0, 0});         // A-K5
    M.j.push_back({4, 3, zt - ta, -tb, 0, e - ea, false, 0, 0, 0});   // K5-K4
    M.j.push_back({-1, 6, xa, ya, ub, ua, false, 0, 0, 0});           // A-K7
    M.j.push_back({6, 5, ub, ua - u, -(zf - fa), 0, false, 0, 0, 0}); // K7-K6
    M.j.push_back({1, 2, da - d, 0, -sb, sa - ss, true, 0, 0, 0});    // P: K2-K3
    M.j.push_back({1, 3, da - d, 0, 0, -ea, true, 0, 0, 0});          // P: K2-K4
    M.j.push_back({1, 5, da - d, 0, fa, 0, true, 0, 0, 0});           // P: K2-K6
    M.s.push_back({2, sd - sb, sa - sc, xc, yc, c0, l0});
    M.torqueBody = 0;
    M.torque = 0.033;
    M.obsBody = 0;
    M.ox = rr - ra;
    M.errscale = 1 / rr;
  } else if (p ==
             "p3") { // chain of N pendulums from horizontal; error looked at over the first second
    M.tend = 5;
    M.tsample = 0.05;
    M.terr = 1.0;
    for (int i = 0; i < N; i++) M.b.push_back({1, 1.0 / 12, i + 0.5, 0, 0, 0, 0, 0});
    for (int i = 0; i < N; i++) {
      if (i == 0)
        M.j.push_back({-1, 0, 0, 0, -0.5, 0, false, 0, 0, 0});
      else
        M.j.push_back({i - 1, i, 0.5, 0, -0.5, 0, false, 0, 0, 0});
    }
    M.obsBody = N - 1;
    M.ox = 0.5;
  } else if (p == "p4") { // stiff double pendulum (Negrut 1998, Tables 18 and 19); L = half lengths
    M.tend = 2;
    M.tsample = 0.01;
    M.terr = 2;
    M.conservative = false;
    const double L1 = 1, m1 = 3, k1 = 400, c1 = 15, L2 = 1.5, m2 = 0.3, k2 = 3e5, c2 = 5e4,
                 t2 = -PI / 12, w2 = 0; // zero initial rates: what the tables 20-23 imply
    const double f1 = getenv("P4_F1") ? atof(getenv("P4_F1")) : -PI / 2,
                 f2 = getenv("P4_F2") ? atof(getenv("P4_F2")) : 0;
    M.b.push_back({m1, m1 * L1 * L1 / 3, L1, 0, 0, 0, 0, 0});
    M.b.push_back({m2, m2 * L2 * L2 / 3, 2 * L1 + L2 * cos(t2), L2 * sin(t2), t2,
                   -L2 * sin(t2) * w2, L2 * cos(t2) * w2, w2});
    M.j.push_back({-1, 0, 0, 0, -L1, 0, false, k1, c1, f1});
    M.j.push_back({0, 1, L1, 0, -L2, 0, false, k2, c2, f2});
    M.obsBody = 0;
    M.ox = 0; // center of body 1 at radius 1: position error = error of theta1
  }
  return M;
}
