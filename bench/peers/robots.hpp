// Tree robots for P5: links with parent, joint axis, joint origin in the parent frame, mass, COM, inertia (diagonal at COM).
#pragma once
#include "../common/table.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
struct RLink {
  int parent;
  char axis;
  double px, py, pz;
  double m, cx, cy, cz, Ix, Iy, Iz;
}; // axis 'f' = free joint
inline std::vector<RLink> make_robot(const char *which) {
  std::vector<RLink> L;
  auto add = [&](int p, char a, double x, double y, double z, double m, double len) {
    double I = m * (len * len) / 12 + 1e-3 * m;
    L.push_back({p, a, x, y, z, m, 0.01, 0.005, len / 2, I, I * 1.05, 0.3 * I + 5e-4 * m});
    return int(L.size()) - 1;
  };
  if (!strcmp(which, "arm7")) {
    const char ax[8] = "zyzyzyz";
    int p = -1;
    for (int i = 0; i < 7; i++) p = add(p, ax[i], 0, 0, i ? 0.25 : 0, 5.0 - 0.5 * i, 0.25);
  } else if (!strcmp(which, "human30")) { // 6 + 2*6 legs + 2*5 arms + 2 neck = 30
    int base = add(-1, 'f', 0, 0, 0, 20, 0.5);
    for (int s = -1; s <= 1; s += 2) {
      const char ax[7] = "zxyyyx";
      double z[6] = {-0.1, -0.02, -0.02, -0.4, -0.4, -0.02};
      int p = base;
      for (int i = 0; i < 6; i++)
        p = add(p, ax[i], 0, i ? 0 : 0.1 * s, z[i], 1 + (i >= 2) * 2, 0.2);
    }
    for (int s = -1; s <= 1; s += 2) {
      const char ax[6] = "yxzyz";
      double z[5] = {0.4, -0.02, -0.15, -0.15, -0.1};
      int p = base;
      for (int i = 0; i < 5; i++) p = add(p, ax[i], 0, i ? 0 : 0.2 * s, z[i], 1.2 - 0.1 * i, 0.15);
    }
    int n1 = add(base, 'z', 0, 0, 0.5, 0.5, 0.1);
    add(n1, 'y', 0, 0, 0.1, 3, 0.2);
  } else if (!strncmp(which, "chain", 5)) {
    int n = atoi(which + 5), p = -1;
    for (int i = 0; i < n; i++) p = add(p, i % 2 ? 'y' : 'z', 0, 0, i ? 0.25 : 0, 1, 0.25);
  }
  return L;
}
inline double rnd(unsigned &s) {
  s = s * 1664525u + 1013904223u;
  return (s >> 8) / 8388608.0 - 1.0;
} // in [-1,1)
inline void p5_line(const char *peer, const char *robot, int nv, const char *what, double us,
                    double, double check) {
  char setting[32], note[64];
  hn_bench_row row = {};
  row.machine = robot;
  row.program = peer;
  row.method = what;
  row.setting = hn_bench_setting(setting, sizeof setting, "speeds", nv);
  row.cpu_s = 1e-6 * us;
  snprintf(note, sizeof note, "check=%.10g", check);
  row.note = note;
  hn_bench_section = "trees";
  hn_bench_print(&row, NULL);
}
// time f(k) over batches; report the best batch mean in microseconds
template <class Fn> void p5_time(Fn f, double &us, double &spread) {
  timespec a, b;
  auto now = [](timespec &t) {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
  };
  int n = 1;
  double t0, t1;
  do {
    n *= 2;
    t0 = now(a);
    for (int k = 0; k < n; k++) f(k);
    t1 = now(b);
  } while (t1 - t0 < 0.05);
  double best = 1e9, worst = 0;
  for (int r = 0; r < 7; r++) {
    t0 = now(a);
    for (int k = 0; k < n; k++) f(k);
    t1 = now(b);
    double u = 1e6 * (t1 - t0) / n;
    if (u < best) best = u;
    if (u > worst) worst = u;
  }
  us = best;
  spread = worst / best;
}
