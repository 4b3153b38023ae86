// Common driver: PROG problem N method param [reps]  -> one line of the table of bench/common/table.h.
// One monitored run (error, energy, constraint gap), then reps timed runs without monitoring; minimum CPU time is kept.
#pragma once
#include "../common/table.h"
#include "model.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
struct Pose {
  double x, y, c, s, vx, vy, w;
};
struct Sim {
  long steps = 0;
  std::string note;
  virtual ~Sim() {}
  virtual bool advance(double t) = 0;          // integrate to time t (absolute); false = failed
  virtual void poses(std::vector<Pose> &) = 0; // one per model body, at the center of mass
  virtual void observe(double[3]) {}           // the observed point of a spatial problem
  virtual const char *parameter() const { return "step"; }
  // Steps end at samples: timed runs stop there too, or they would take other steps than were judged.
  virtual bool ends_at_samples() const { return false; }
  // How it went: coordinates, method, formula; others: their own word for the method
  virtual void describe(std::string &, std::string &, std::string &) {}
};
std::unique_ptr<Sim> make_sim(const Model &, const std::string &method, double param);
extern const char *PEER;
inline double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
inline V3 obs_point(const Model &M, Sim &S, const std::vector<Pose> &P) {
  V3 x = {0, 0, 0};
  if (M.space) {
    S.observe(x.data());
    return x;
  }
  const Pose &p = P[M.obsBody];
  x[0] = p.x + p.c * M.ox - p.s * M.oy;
  x[1] = p.y + p.s * M.ox + p.c * M.oy;
  return x;
}
// Columns: time, and two or three coordinates of the observed point.
struct Reference {
  std::vector<double> t;
  std::vector<V3> x;
  size_t at = 0;
  Reference(const std::string &path, bool is_spatial) {
    FILE *f = fopen(path.c_str(), "r");
    double a;
    V3 b = {0, 0, 0};
    while (f && fscanf(f, "%lf %lf %lf", &a, &b[0], &b[1]) == 3 &&
           (!is_spatial || fscanf(f, "%lf", &b[2]) == 1)) {
      t.push_back(a);
      x.push_back(b);
    }
    if (f) fclose(f);
  }
  bool find(double time) {
    while (at < t.size() && t[at] < time - 1e-9) at++;
    return at < t.size() && std::fabs(t[at] - time) < 1e-9;
  }
};
inline double energy(const Model &M, const std::vector<Pose> &P) {
  double E = 0;
  for (size_t i = 0; i < P.size(); i++) {
    const Pose &p = P[i];
    const Body &b = M.b[i];
    E += 0.5 * b.m * (p.vx * p.vx + p.vy * p.vy) + 0.5 * b.I * p.w * p.w + b.m * M.g * p.y;
  }
  return E;
}
inline double gap(const Model &M, const std::vector<Pose> &P) {
  double g = 0;
  for (auto &j : M.j) {
    double xa = j.ax, ya = j.ay;
    if (j.a >= 0) {
      const Pose &p = P[j.a];
      xa = p.x + p.c * j.ax - p.s * j.ay;
      ya = p.y + p.s * j.ax + p.c * j.ay;
    }
    const Pose &q = P[j.b];
    double xb = q.x + q.c * j.bx - q.s * j.by, yb = q.y + q.s * j.bx + q.c * j.by;
    g = std::max(g, std::hypot(xa - xb, ya - yb));
  }
  return g;
}
#ifndef NO_HARNESS_MAIN
int bench_extra(int, char **) __attribute__((weak));
int main(int ac, char **av) {
  if (ac >= 2 && bench_extra && !strcmp(av[1], "p5")) return bench_extra(ac, av);
  if (ac < 5) {
    fprintf(stderr, "usage: %s problem N method param [reps]\n", av[0]);
    return 2;
  }
  std::string prob = av[1];
  int N = atoi(av[2]);
  std::string method = av[3];
  double param = atof(av[4]);
  int reps = ac > 5 ? atoi(av[5]) : 3;
  double limit = getenv("CPU_LIMIT") ? atof(getenv("CPU_LIMIT")) : 60;
  double tscale = getenv("TEND") ? atof(getenv("TEND")) : 0;
  Model M = make_model(prob, N);
  if (tscale > 0) M.tend = tscale;
  const char *rd = getenv("REFDIR") ? getenv("REFDIR") : "../ref";
  Reference reference(std::string(rd) + "/" + prob + "_" + std::to_string(N) + ".ref",
                      M.space != nullptr);
  auto S = make_sim(M, method, param);
  std::vector<Pose> P(M.b.size());
  S->poses(P);
  double E0 = energy(M, P), err = reference.t.empty() ? NAN : 0, eerr = NAN, dE = 0,
         vio = gap(M, P);
  bool ok = true;
  std::string note;
  double c0 = cpu(), tot = 0;
  double tdone = 0;
  for (int k = 1;; k++) {
    double t = std::min(k * M.tsample, M.tend);
    if (!S->advance(t)) {
      ok = false;
      note = "FAILED at t<=" + std::to_string(t);
      break;
    }
    S->poses(P);
    tdone = t;
    dE = std::max(dE, std::fabs(energy(M, P) - E0));
    vio = std::max(vio, gap(M, P));
    if (!std::isfinite(energy(M, P))) {
      ok = false;
      note = "NaN at t=" + std::to_string(t);
      break;
    }
    if (t <= M.terr + 1e-9 && reference.find(t)) {
      V3 x = obs_point(M, *S, P), y = reference.x[reference.at];
      eerr = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) * M.errscale;
      if (!(eerr <= err)) err = eerr;
    }
    if (t >= M.tend - 1e-12) break;
    if (cpu() - c0 > limit) {
      ok = false;
      char b[96];
      snprintf(b, sizeof b, "CPU limit: %.3g s simulated in %.3g s", t, cpu() - c0);
      note = b;
      break;
    }
  }
  tot = cpu() - c0;
  long steps = S->steps;
  if (!S->note.empty()) note += (note.empty() ? "" : "; ") + S->note;
  std::string coordinates, way = method, formula, setting, machine = prob;
  S->describe(coordinates, way, formula);
  char number[32];
  snprintf(number, sizeof number, "=%g", param);
  setting = S->parameter() + std::string(number);
  if (N > 0) machine += " N=" + std::to_string(N);
  if (ok)
    S.reset();
  else
    (void)S.release(); // a failed peer may not survive its own destructor
  double best = tot, worst = 0;
  if (ok) {
    if (tot > limit / 4 && reps > 1) reps = 1;
    for (int r = 0; r < reps; r++) {
      auto T = make_sim(M, method, param);
      double a = cpu();
      if (T->ends_at_samples())
        for (int k = 1; k * M.tsample < M.tend - 1e-12; k++) T->advance(k * M.tsample);
      T->advance(M.tend);
      double d = cpu() - a;
      if (r == 0) best = d;
      best = std::min(best, d);
      worst = std::max(worst, d);
      steps = T->steps;
    }
  }
  hn_bench_row row = {};
  row.machine = machine.c_str();
  row.program = PEER;
  row.coordinates = coordinates.c_str();
  row.method = way.c_str();
  row.formula = formula.c_str();
  row.setting = setting.c_str();
  row.error = err;
  row.cpu_s = best;
  row.steps = steps;
  row.note = note.c_str();
  hn_bench_section = prob.c_str();
  // asked,spread,end_error,energy_drift,gap,simulated_s,ok
  hn_bench_print(&row, "%s,%.2f,%.3g,%.3g,%.3g,%g,%d", method.c_str(), best > 0 ? worst / best : 0,
                 eerr, M.conservative && !M.space ? dE : NAN, M.space ? NAN : vio, tdone,
                 ok ? 1 : 0);
  return 0;
}
#endif
