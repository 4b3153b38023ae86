// Common driver: PROG problem N method param [reps]  -> one CSV line on stdout.
// One monitored run (error, energy, constraint gap), then reps timed runs without monitoring; minimum CPU time is kept.
#pragma once
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
  virtual void poses(std::vector<Pose> &) = 0; // one per model body, at the centre of mass
};
std::unique_ptr<Sim> make_sim(const Model &, const std::string &method, double param);
extern const char *PEER;
inline double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
inline void obs_point(const Model &M, const std::vector<Pose> &P, double &x, double &y) {
  const Pose &p = P[M.obsBody];
  x = p.x + p.c * M.ox - p.s * M.oy;
  y = p.y + p.s * M.ox + p.c * M.oy;
}
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
  char fn[512];
  snprintf(fn, sizeof fn, "%s/%s_%d.ref", rd, prob.c_str(), N);
  std::vector<double> rt, rx, ry;
  if (FILE *f = fopen(fn, "r")) {
    double a, b, c;
    while (fscanf(f, "%lf %lf %lf", &a, &b, &c) == 3) {
      rt.push_back(a);
      rx.push_back(b);
      ry.push_back(c);
    }
    fclose(f);
  }
  auto S = make_sim(M, method, param);
  std::vector<Pose> P(M.b.size());
  S->poses(P);
  double E0 = energy(M, P), err = rt.empty() ? NAN : 0, eerr = NAN, dE = 0, vio = gap(M, P), ex, ey;
  bool ok = true;
  std::string note;
  double c0 = cpu(), tot = 0;
  size_t ir = 0;
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
    if (t <= M.terr + 1e-9) {
      while (ir < rt.size() && rt[ir] < t - 1e-9) ir++;
      if (ir < rt.size() && std::fabs(rt[ir] - t) < 1e-9) {
        obs_point(M, P, ex, ey);
        eerr = std::hypot(ex - rx[ir], ey - ry[ir]) * M.errscale;
        err = std::max(err, eerr);
      }
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
      T->advance(M.tend);
      double d = cpu() - a;
      if (r == 0) best = d;
      best = std::min(best, d);
      worst = std::max(worst, d);
      steps = T->steps;
    }
  }
  if (getenv("DUMP")) {
    obs_point(M, P, ex, ey);
    fprintf(stderr, "t=%g x=%.15g y=%.15g\n", tdone, ex, ey);
  }
  // peer,problem,N,method,param,steps,cpu_s,cpu_spread,us_per_step,max_err,end_err,max_energy_drift,max_gap,simulated_s,ok,note
  printf("%s,%s,%d,%s,%g,%ld,%.4g,%.2f,%.4g,%.3g,%.3g,%.3g,%.3g,%g,%d,%s\n", PEER, prob.c_str(), N,
         method.c_str(), param, steps, best, best > 0 ? worst / best : 0,
         steps ? 1e6 * best / steps : 0, err, eerr, M.conservative ? dE : NAN, vio, tdone,
         ok ? 1 : 0, note.c_str());
  return 0;
}
#endif
