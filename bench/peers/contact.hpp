// The same contacts in every engine: ten boxes on each other, a block held between two fingers, and
// spheres in a box. How far what should rest moves, the time of a step, and what a step leaves of the
// true problem, computed here for all alike from positions, velocities and forces:
//
//   residual = max |p - proj_K(p - rho u~)| / (h weight),   u~ = u + (mu |u_T|, 0, 0)
//
// over all pairs that touch, p the impulse of a step (0 where the engine has no contact), u the
// relative velocity after it, with gap / h where there is one, gaps where the engine looks at them
// (the begin of the step; Holon: its middle). Gaps below 1e-9 m and a tenth of a fall in a step,
// g h^2, and depths count as none, of all engines alike. K is the cone of Coulomb, rho the inverse of
// the response of the two bodies at the contact.
//
//   contact_ENGINE stack|grip|spheres SETTING STEP [COUNT]
#pragma once
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "../common/table.h"

struct Vec {
  double x = 0, y = 0, z = 0;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(Vec a, Vec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(Vec a) { return sqrt(dot(a, a)); }

struct Thing {
  bool is_box;
  double mass, radius;
  Vec size, at;    // of boxes: edges
  char slides = 0; // 'x': moves along x only, pushed with `push`
  double push = 0;
};
struct Half { // a fixed half space: normal . x >= offset is free
  Vec normal;
  double offset;
};
struct Scene {
  std::vector<Thing> things;
  std::vector<Half> walls;
  double mu, restitution, gravity = 9.81;
};
struct State {
  Vec at, v, w;
};
// The impulse of a step on b at a pair; a < 0: wall -1 - a.
struct Push {
  int a, b;
  Vec impulse;
};

struct World {
  virtual ~World() {}
  virtual void step() = 0;
  virtual void steps(long count) {
    for (long k = 0; k < count; k++) step();
  }
  virtual State state(int thing) = 0;
  virtual std::vector<Push> pushes() = 0;
  // where the next step looks at the gaps of a thing: where it is at its begin, or later
  virtual Vec look(int thing) { return state(thing).at; }
  // begins there; false: this engine cannot
  virtual bool set(int, const State &) { return false; }
  // of the last step, where that is not all that step() does; < 0: it is
  virtual double seconds() { return -1; }
};
extern const char *ENGINE;
World *make_world(const Scene &scene, const std::string &setting, double h);

inline Scene stack() {
  Scene s{{}, {{{0, 0, 1}, 0}}, 0.5, 0};
  for (int k = 0; k < 10; k++)
    s.things.push_back({true, 1, 0, {0.2, 0.2, 0.2}, {0, 0, 0.1 + 0.2 * k}});
  return s;
}
inline Scene grip() {
  Scene s{{}, {}, 0.5, 0};
  s.things.push_back({true, 0.5, 0, {0.1, 0.1, 0.1}, {0, 0, 1}});
  s.things.push_back({true, 0.2, 0, {0.02, 0.04, 0.06}, {-0.06, 0, 1}, 'x', 20});
  s.things.push_back({true, 0.2, 0, {0.02, 0.04, 0.06}, {0.06, 0, 1}, 'x', -20});
  return s;
}
// models/contact/spheres.yaml; without restitution, which engines understand differently
inline Scene spheres(int count) {
  const double r = 0.046, m = 1000 * 4.0 / 3 * M_PI * r * r * r;
  Scene s{{},
          {{{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{-1, 0, 0}, -1}, {{0, 1, 0}, 0}, {{0, -1, 0}, -1}},
          0.3,
          0};
  for (int k = 0; k < count; k++)
    s.things.push_back(
        {false,
         m,
         r,
         {},
         {0.1 + 0.1 * (k % 9) + 0.003 * sin(12.9898 * k),
          0.1 + 0.1 * (k / 9 % 9) + 0.003 * sin(78.233 * k), 0.1 + 0.12 * (k / 81)}});
  return s;
}

inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// |p - proj_K(p - rho u~)|, normal first.
inline double cone_residual(double mu, double rho, const double p[3], const double u[3]) {
  const double slip = hypot(u[1], u[2]);
  double x[3] = {p[0] - rho * (u[0] + mu * slip), p[1] - rho * u[1], p[2] - rho * u[2]};
  const double t = hypot(x[1], x[2]);
  double q[3] = {0, 0, 0};
  if (t <= mu * x[0]) {
    memcpy(q, x, sizeof q);
  } else if (mu * t > -x[0]) {
    q[0] = (x[0] + mu * t) / (1 + mu * mu);
    for (int i = 1; i < 3; i++) q[i] = mu * q[0] * x[i] / t;
  }
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
              (p[2] - q[2]) * (p[2] - q[2]));
}

struct Judge {
  double residual = 0, penetration = 0;
  int contacts = 0;
};

// One pair: normal n from a to b, point c.
inline void judge_pair(const Scene &s, const State *a, const State &b, Vec n, Vec c, double gap,
                       double mass, double inertia, Vec impulse, double h, Judge *j) {
  const Vec arm_b = c - b.at;
  Vec u = b.v + cross(b.w, arm_b);
  double w = 1 / mass + dot(arm_b, arm_b) / inertia;
  if (a) {
    const Vec arm_a = c - a->at;
    u = u - (a->v + cross(a->w, arm_a));
    w += 1 / mass + dot(arm_a, arm_a) / inertia;
  }
  const Vec t1 = fabs(n.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0};
  Vec e1 = t1 - dot(t1, n) * n;
  e1 = (1 / norm(e1)) * e1;
  const Vec e2 = cross(n, e1);
  const double p[3] = {dot(impulse, n), dot(impulse, e1), dot(impulse, e2)};
  const double none = 1e-9 + 0.1 * s.gravity * h * h;
  const double v[3] = {dot(u, n) + (gap > none ? gap / h : 0), dot(u, e1), dot(u, e2)};
  j->residual = fmax(j->residual, cone_residual(s.mu, 1 / w, p, v) / (h * mass * s.gravity));
  j->penetration = fmax(j->penetration, -gap);
  j->contacts++;
}

// All pairs of spheres and walls that touch. before: positions at the begin of the step.
inline Judge judge(const Scene &s, World &world, const std::vector<Vec> &before, double h) {
  std::map<std::pair<int, int>, Vec> sums;
  for (const Push &p : world.pushes()) {
    const bool swap = p.a >= 0 && p.a > p.b;
    Vec &sum = sums[swap ? std::make_pair(p.b, p.a) : std::make_pair(p.a, p.b)];
    sum = sum + (swap ? -1.0 : 1.0) * p.impulse;
  }
  Judge j;
  const double reach = 1e-7;
  const int n = (int)s.things.size();
  std::vector<State> at(n);
  for (int k = 0; k < n; k++) {
    at[k] = world.state(k);
    at[k].at = before[k];
  }
  for (int k = 0; k < n; k++) {
    const Thing &t = s.things[k];
    const double inertia = 0.4 * t.mass * t.radius * t.radius;
    for (int w = 0; w < (int)s.walls.size(); w++) {
      const double gap = dot(s.walls[w].normal, before[k]) - s.walls[w].offset - t.radius;
      const auto found = sums.find({-1 - w, k});
      if (gap > reach && found == sums.end()) continue;
      const Vec c = before[k] - (t.radius + 0.5 * gap) * s.walls[w].normal;
      judge_pair(s, nullptr, at[k], s.walls[w].normal, c, gap, t.mass, inertia,
                 found == sums.end() ? Vec{} : found->second, h, &j);
    }
    for (int i = 0; i < k; i++) {
      const Vec way = before[k] - before[i];
      const double far = norm(way), gap = far - 2 * t.radius;
      if (gap > 0.01) continue;
      const auto found = sums.find({i, k});
      if (gap > reach && found == sums.end()) continue;
      const Vec normal = (1 / far) * way;
      judge_pair(s, &at[i], at[k], normal, before[i] + 0.5 * way, gap, t.mass, inertia,
                 found == sums.end() ? Vec{} : found->second, h, &j);
    }
  }
  return j;
}

inline std::vector<Vec> places(const Scene &s, World &world) {
  std::vector<Vec> out;
  for (int k = 0; k < (int)s.things.size(); k++) out.push_back(world.look(k));
  return out;
}

inline void print_row(const char *machine, const std::string &setting, const char *quantity,
                      double error, double cpu, long steps, const std::string &note) {
  hn_bench_row row = {};
  row.machine = machine;
  row.program = ENGINE;
  row.setting = setting.c_str();
  row.quantity = quantity;
  row.error = error;
  row.cpu_s = cpu;
  row.steps = steps;
  row.note = note.c_str();
  hn_bench_print(&row, nullptr);
}

inline void run_rest(const char *machine, const Scene &s, const std::string &setting, double h) {
  World *world = make_world(s, setting, h);
  const long settle = lround(1 / h), steps = lround(100 / h);
  const double begin = cpu_seconds();
  double most = 0;
  world->steps(settle);
  std::vector<Vec> start;
  for (int k = 0; k < (int)s.things.size(); k++) start.push_back(world->state(k).at);
  world->steps(steps - settle);
  const int count = s.things[s.things.size() - 1].slides ? 1 : (int)s.things.size();
  for (int k = 0; k < count; k++) most = fmax(most, norm(world->state(k).at - start[k]));
  print_row(machine, setting, "drift in 100 s, m", most, (cpu_seconds() - begin), steps, "");
}

// States of all things, from a file or into it.
inline void load_states(const char *path, int count, World &world) {
  FILE *file = fopen(path, "r");
  for (int k = 0; k < count; k++) {
    State s;
    if (!file ||
        fscanf(file, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &s.at.x, &s.at.y, &s.at.z, &s.v.x,
               &s.v.y, &s.v.z, &s.w.x, &s.w.y, &s.w.z) != 9 ||
        !world.set(k, s)) {
      fprintf(stderr, "%s: no states to begin with\n", path);
      exit(1);
    }
  }
  fclose(file);
}
inline void save_states(const char *path, int count, World &world) {
  FILE *file = fopen(path, "w");
  for (int k = 0; file && k < count; k++) {
    const State s = world.state(k);
    fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", s.at.x, s.at.y, s.at.z,
            s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z);
  }
  if (file) fclose(file);
}

// FALLING: seconds until steps are measured. SAVE: a file for the states then; FROM: a file to begin
// with in place of falling.
inline void run_spheres(int count, const std::string &setting, double h) {
  const Scene s = spheres(count);
  World *world = make_world(s, setting, h);
  const char *until = getenv("FALLING"), *from = getenv("FROM"), *to = getenv("SAVE");
  const long falling = from ? 0 : lround((until ? atof(until) : 2) / h),
             rest = getenv("STEPS") ? atol(getenv("STEPS")) : 20;
  const double start = cpu_seconds();
  for (long k = 0; k < falling; k++) world->step();
  const double fallen = falling > 0 ? (cpu_seconds() - start) / (double)falling : 0;
  if (from) load_states(from, count, *world);
  if (to) save_states(to, count, *world);
  Judge worst;
  double seconds = 0, fastest = 0;
  for (long k = 0; k < rest; k++) {
    const std::vector<Vec> before = places(s, *world);
    const double begin = cpu_seconds();
    world->step();
    seconds += world->seconds() >= 0 ? world->seconds() : cpu_seconds() - begin;
    const Judge j = judge(s, *world, before, h);
    worst.residual = fmax(worst.residual, j.residual);
    worst.penetration = fmax(worst.penetration, j.penetration);
    worst.contacts = j.contacts;
  }
  for (int k = 0; k < count; k++) fastest = fmax(fastest, norm(world->state(k).v));
  char note[200];
  snprintf(note, sizeof note,
           "%d contacts; penetration %.2g m; fastest sphere %.2g m/s; before: %.3g s a step",
           worst.contacts, worst.penetration, fastest, fallen);
  const std::string moment = from ? "as Holon's" : std::string(until ? until : "2") + " s";
  print_row("spheres in a box", setting + " count=" + std::to_string(count) + ", " + moment,
            "residual", worst.residual, seconds / rest, rest, note);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s stack|grip|spheres SETTING STEP [COUNT]\n", argv[0]);
    return 2;
  }
  hn_bench_section = "contact";
  const std::string scene = argv[1], setting = argv[2];
  const double h = atof(argv[3]);
  if (scene == "stack") run_rest("stack of ten boxes", stack(), setting, h);
  if (scene == "grip") run_rest("gripper", grip(), setting, h);
  if (scene == "spheres") run_spheres(argc > 4 ? atoi(argv[4]) : 1000, setting, h);
  return 0;
}
