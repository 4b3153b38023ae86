// A04 and A05 in natural coordinates, as one would write them for a solver of general differential
// algebraic equations: points and unit vectors shared between bodies, constant masses, constraints of
// second degree, so that every derivative is exact and cheap.
//
//   M q'' + Phi_q' lambda = Q0 + springs,   Phi(q) = 0
#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>
struct Linear { // sum of coefficient times coordinate, and a constant
  std::vector<std::pair<int, double>> term;
  double constant = 0;
};
typedef std::vector<Linear> Vector3; // three of them
struct Quadratic {
  struct Term {
    int i, j;
    double c;
  };
  std::vector<Term> square;
  Linear rest;
};
struct NaturalSpring {
  Vector3 d;
  double k, c, l0;
};
struct Natural {
  std::vector<double> q, v, force;
  std::vector<Quadratic::Term> mass;
  std::vector<Quadratic> phi;
  std::vector<NaturalSpring> spring;
  Vector3 observed;
};
inline Vector3 constant(double x, double y, double z) {
  Vector3 r(3);
  r[0].constant = x;
  r[1].constant = y;
  r[2].constant = z;
  return r;
}
inline Vector3 sum(double a, const Vector3 &x, double b, const Vector3 &y) {
  Vector3 r(3);
  for (int k = 0; k < 3; k++) {
    for (auto &t : x[k].term) r[k].term.push_back({t.first, a * t.second});
    for (auto &t : y[k].term) r[k].term.push_back({t.first, b * t.second});
    r[k].constant = a * x[k].constant + b * y[k].constant;
  }
  return r;
}
// x . y - value = 0
inline void add_dot(Natural &N, const Vector3 &x, const Vector3 &y, double value) {
  Quadratic f;
  f.rest.constant = -value;
  for (int k = 0; k < 3; k++) {
    for (auto &s : x[k].term)
      for (auto &t : y[k].term) f.square.push_back({s.first, t.first, s.second * t.second});
    for (auto &s : x[k].term)
      if (y[k].constant != 0) f.rest.term.push_back({s.first, s.second * y[k].constant});
    for (auto &t : y[k].term)
      if (x[k].constant != 0) f.rest.term.push_back({t.first, t.second * x[k].constant});
    f.rest.constant += x[k].constant * y[k].constant;
  }
  N.phi.push_back(f);
}
// Kinetic energy c x' . y' (twice that when x is y's partner in a product: give c once)
inline void add_mass(Natural &N, double c, const Vector3 &x, const Vector3 &y) {
  for (int k = 0; k < 3; k++)
    for (auto &s : x[k].term)
      for (auto &t : y[k].term) {
        N.mass.push_back({s.first, t.first, 0.5 * c * s.second * t.second});
        N.mass.push_back({t.first, s.first, 0.5 * c * s.second * t.second});
      }
}
inline void add_weight(Natural &N, double f, const Linear &x) {
  for (auto &t : x.term) N.force[t.first] += f * t.second;
}
inline Vector3 vector_at(int at) {
  Vector3 r(3);
  for (int k = 0; k < 3; k++) r[k].term.push_back({at + k, 1});
  return r;
}
inline Natural natural_bricard() {
  Natural N;
  const double P0[4][3] = {{1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}};
  const double A0[4][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (auto &p : P0) N.q.insert(N.q.end(), p, p + 3);
  for (auto &a : A0) N.q.insert(N.q.end(), a, a + 3);
  N.v.assign(24, 0);
  N.force.assign(24, 0);
  std::vector<Vector3> P = {constant(0, 0, 0)}, A = {constant(0, 1, 0)};
  for (int i = 0; i < 4; i++) P.push_back(vector_at(3 * i)), A.push_back(vector_at(12 + 3 * i));
  P.push_back(constant(0, 0, 1));
  A.push_back(constant(1, 0, 0));
  for (int i = 1; i <= 4; i++) add_dot(N, A[i], A[i], 1);
  for (int i = 1; i <= 5; i++) {
    Vector3 rod = sum(1, P[i], -1, P[i - 1]);
    add_dot(N, rod, rod, 1);
    add_dot(N, A[i - 1], rod, 0);
    add_dot(N, A[i], rod, 0);
    if (i != 3) add_dot(N, A[i - 1], A[i], 0); // one row depends on the others: left out
    add_mass(N, 1.0 / 3, P[i - 1], P[i - 1]);
    add_mass(N, 1.0 / 3, P[i - 1], P[i]); // 2 * 1/6
    add_mass(N, 1.0 / 3, P[i], P[i]);
    add_mass(N, 0.01 / 12, A[i - 1], A[i - 1]);
    add_mass(N, 0.01 / 12, A[i], A[i]);
    add_weight(N, -9.81 / 2, P[i - 1][1]);
    add_weight(N, -9.81 / 2, P[i][1]);
  }
  N.observed = P[2];
  return N;
}
inline Natural natural_governor() {
  Natural N;
  const double rod = 0.3, slider = 3, ball = 5, w = 0.01, cube = 0.1, cs = cos(M_PI / 6), sn = 0.5,
               rate = 2 * M_PI;
  // u in the plane, height s, then direction d and normal n of the right and of the left rod
  N.q = {1, 0, 0.5, cs, 0, -sn, sn, 0, cs, -cs, 0, -sn, -sn, 0, cs};
  N.v.assign(15, 0);
  N.force.assign(15, 0);
  N.v[1] = rate;
  for (int at = 3; at < 15; at += 3) N.v[at + 1] = rate * N.q[at];
  Vector3 u = constant(0, 0, 0), e = u, up = constant(0, 0, 1), s = u;
  u[0].term = {{0, 1}};
  u[1].term = {{1, 1}};
  e[0].term = {{1, -1}};
  e[1].term = {{0, 1}};
  s[2].term = {{2, 1}};
  add_dot(N, u, u, 1);
  add_mass(N, rod * w * w / 6 + slider * cube * cube / 6, u, u);
  add_mass(N, slider, s, s);
  add_weight(N, -9.81 * slider, s[2]);
  for (int side = 1, at = 3; side >= -1; side -= 2, at += 6) {
    Vector3 d = vector_at(at), n = vector_at(at + 3), h = sum(side * cube / 2, u, 1, up);
    add_dot(N, d, d, 1);
    add_dot(N, n, n, 1);
    add_dot(N, d, n, 0);
    add_dot(N, d, e, 0);
    add_dot(N, n, e, 0);
    add_mass(N, rod + ball, h, h);
    add_mass(N, 2 * (rod / 2 + ball), h, d);
    add_mass(N, rod / 3 + ball, d, d);
    add_mass(N, rod * w * w / 12, e, e);
    add_mass(N, rod * w * w / 12, n, n);
    add_weight(N, -9.81 * (rod / 2 + ball), d[2]);
    N.spring.push_back({sum(1, sum(1, up, -1, s), 0.5, d), 8e5, 4e4, 0.5});
  }
  N.observed = s;
  return N;
}
