// The same contacts in every engine: ten boxes on each other, a block held between two fingers, and
// spheres in a box. How far what should rest moves, the time of a step, and what a step leaves of the
// true problem, computed here for all alike from what the engine tells: positions before the step,
// velocities after it, impulses (bench/README.md, "Residuals of contacts").
//
//   residual = max |p - proj_K(p - rho u~)| / (h weight),   u~ = u + (mu |u_T|, 0, 0)
//
// over all pairs that touch or are pushed: p the impulse of the step (0 where the engine has no
// contact), u the relative velocity after it, with gap / h where the pair is open. K is the cone of
// Coulomb, rho the inverse of the response of the two bodies at the contact.
//
//   contact_ENGINE stack|grip|spheres|pyramid SETTING STEP [COUNT]
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
  Vec v = {}, w = {}; // at the start
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
  Vec along = {}; // a side of the box that friction is kept in; none: a cone
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
  // the speed at which it wants bodies to part that overlap, where that is in its velocities
  virtual double parting(double) { return 0; }
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

// Spheres that rest on each other from the start: layers of n x n, (n - 1) x (n - 1), ... in the hollows of
// those below, the first between four walls.
inline Scene pyramid(int n) {
  const double r = 0.046, m = 1000 * 4.0 / 3 * M_PI * r * r * r;
  Scene s{{},
          {{{0, 0, 1}, 0},
           {{1, 0, 0}, 0},
           {{-1, 0, 0}, -2 * r * n},
           {{0, 1, 0}, 0},
           {{0, -1, 0}, -2 * r * n}},
          0.3,
          0};
  for (int layer = 0; layer < n; layer++)
    for (int k = 0; k < (n - layer) * (n - layer); k++)
      s.things.push_back({false,
                          m,
                          r,
                          {},
                          {r * (1 + layer + 2 * (k % (n - layer))),
                           r * (1 + layer + 2 * (k / (n - layer))), r * (1 + sqrt(2) * layer)}});
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

// The same of friction in a box of half side mu p_n.
inline double box_residual(double mu, double rho, const double p[3], const double u[3]) {
  double most = fabs(p[0] - fmax(0, p[0] - rho * u[0]));
  const double room = mu * fmax(0, p[0]);
  for (int i = 1; i < 3; i++) most = hypot(most, p[i] - fmin(room, fmax(-room, p[i] - rho * u[i])));
  return most;
}

// What a step left: of the true problem; of the engine's own (its parting of bodies that overlap, its
// box of friction); of the true one with every gap counted. momentum: of a body, by the impulses told.
struct Judge {
  double residual = 0, own = 0, exact = 0, momentum = 0, penetration = 0;
  int contacts = 0;
};
inline void worst_of(Judge *most, const Judge &j) {
  most->residual = fmax(most->residual, j.residual);
  most->own = fmax(most->own, j.own);
  most->exact = fmax(most->exact, j.exact);
  most->momentum = fmax(most->momentum, j.momentum);
  most->penetration = fmax(most->penetration, j.penetration);
  most->contacts = j.contacts;
}
struct Pair {
  const State *a, *b; // a null: a wall
  Vec normal, point;  // from a to b
  double gap, mass, inertia, parting;
  Vec impulse, along;
};

inline void judge_pair(const Scene &s, const Pair &c, double h, Judge *j) {
  const Vec arm_b = c.point - c.b->at, n = c.normal;
  Vec u = c.b->v + cross(c.b->w, arm_b);
  double w = 1 / c.mass + dot(arm_b, arm_b) / c.inertia;
  if (c.a) {
    const Vec arm_a = c.point - c.a->at;
    u = u - (c.a->v + cross(c.a->w, arm_a));
    w += 1 / c.mass + dot(arm_a, arm_a) / c.inertia;
  }
  const bool is_box = norm(c.along) > 0;
  const Vec t1 = is_box ? c.along : fabs(n.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0};
  Vec e1 = t1 - dot(t1, n) * n;
  e1 = (1 / norm(e1)) * e1;
  const Vec e2 = cross(n, e1);
  const double p[3] = {dot(c.impulse, n), dot(c.impulse, e1), dot(c.impulse, e2)};
  const double near = 1e-9 + 0.1 * s.gravity * h * h, unit = h * c.mass * s.gravity;
  const double un = dot(u, n), open = c.gap > near ? c.gap / h : 0;
  const auto left = [&](double normal, bool box) {
    const double v[3] = {normal, dot(u, e1), dot(u, e2)};
    return (box ? box_residual : cone_residual)(s.mu, 1 / w, p, v) / unit;
  };
  j->residual = fmax(j->residual, left(un + open, false));
  j->own = fmax(j->own, left(un + open - c.parting, is_box));
  j->exact = fmax(j->exact, left(un + fmax(c.gap, 0) / h, false));
  j->penetration = fmax(j->penetration, -c.gap);
  j->contacts++;
}

// Sums of the impulses of all pairs, the lower number first.
struct Sum {
  Vec impulse, along;
};
typedef std::map<std::pair<int, int>, Sum> Sums;
inline Sums sums_of(World &world) {
  Sums sums;
  for (const Push &p : world.pushes()) {
    const bool swap = p.a >= 0 && p.a > p.b;
    Sum &sum = sums[swap ? std::make_pair(p.b, p.a) : std::make_pair(p.a, p.b)];
    sum.impulse = sum.impulse + (swap ? -1.0 : 1.0) * p.impulse;
    sum.along = p.along;
  }
  return sums;
}

// Do the impulses told make the velocities? Largest |m (v - v0) - h m g - sum of p| / (h weight).
inline double momentum_of(const Scene &s, const std::vector<State> &start,
                          const std::vector<State> &end, const Sums &sums, double h) {
  std::vector<Vec> left(start.size());
  double most = 0;
  for (size_t k = 0; k < start.size(); k++)
    left[k] = s.things[k].mass * (end[k].v - start[k].v - Vec{0, 0, -h * s.gravity});
  for (const auto &one : sums) {
    const int a = one.first.first, b = one.first.second;
    left[b] = left[b] - one.second.impulse;
    if (a >= 0) left[a] = left[a] + one.second.impulse;
  }
  for (size_t k = 0; k < start.size(); k++)
    most = fmax(most, norm(left[k]) / (h * s.things[k].mass * s.gravity));
  return most;
}

// All pairs of spheres and walls that touch. before: where it looked at gaps; start: states then.
inline Judge judge(const Scene &s, World &world, const std::vector<Vec> &before,
                   const std::vector<State> &start, double h) {
  const Sums sums = sums_of(world);
  Judge j;
  const int n = (int)s.things.size();
  std::vector<State> at(n);
  for (int k = 0; k < n; k++) {
    at[k] = world.state(k);
    at[k].at = before[k];
  }
  for (int k = 0; k < n; k++) {
    const Thing &t = s.things[k];
    const double inertia = 0.4 * t.mass * t.radius * t.radius;
    const auto look = [&](int other, const State *a, Vec normal, Vec point, double gap) {
      const auto found = sums.find({other, k});
      if (gap > 0 && found == sums.end()) return;
      const Sum sum = found == sums.end() ? Sum{} : found->second;
      judge_pair(s,
                 {a, &at[k], normal, point, gap, t.mass, inertia, gap < 0 ? world.parting(-gap) : 0,
                  sum.impulse, sum.along},
                 h, &j);
    };
    for (int w = 0; w < (int)s.walls.size(); w++) {
      const double gap = dot(s.walls[w].normal, before[k]) - s.walls[w].offset - t.radius;
      look(-1 - w, nullptr, s.walls[w].normal,
           before[k] - (t.radius + 0.5 * gap) * s.walls[w].normal, gap);
    }
    for (int i = 0; i < k; i++) {
      const Vec way = before[k] - before[i];
      const double far = norm(way), gap = far - 2 * t.radius;
      if (gap <= 0.05) look(i, &at[i], (1 / far) * way, before[i] + 0.5 * way, gap);
    }
  }
  j.momentum =
      momentum_of(s, start, at, sums, h); // the equations of motion are of the problem, too
  for (double *one : {&j.residual, &j.own, &j.exact}) *one = fmax(*one, j.momentum);
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

// CPU seconds after which a run ends where it is, and says so.
inline double budget() { return getenv("BUDGET") ? atof(getenv("BUDGET")) : 1e9; }

inline void run_rest(const char *machine, const Scene &s, const std::string &setting, double h) {
  World *world = make_world(s, setting, h);
  const long settle = lround(1 / h), steps = lround(100 / h);
  const double begin = cpu_seconds();
  double most = 0;
  char note[100] = "";
  world->steps(settle);
  std::vector<Vec> start;
  for (int k = 0; k < (int)s.things.size(); k++) start.push_back(world->state(k).at);
  long taken = settle;
  for (; taken < steps && cpu_seconds() - begin < budget(); taken += settle) world->steps(settle);
  const int count = s.things[s.things.size() - 1].slides ? 1 : (int)s.things.size();
  for (int k = 0; k < count; k++) most = fmax(most, norm(world->state(k).at - start[k]));
  if (taken < steps)
    snprintf(note, sizeof note, "until %g s only: CPU time is up", (double)taken * h);
  print_row(machine, setting, "drift in 100 s, m", most, (cpu_seconds() - begin), taken, note);
}

// States of all things, from a file into the scene or out of a world.
inline void load_states(const char *path, Scene *s) {
  FILE *file = fopen(path, "r");
  for (Thing &t : s->things)
    if (!file || fscanf(file, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &t.at.x, &t.at.y, &t.at.z,
                        &t.v.x, &t.v.y, &t.v.z, &t.w.x, &t.w.y, &t.w.z) != 9) {
      fprintf(stderr, "%s: no states to begin with\n", path);
      exit(1);
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
inline std::vector<State> states_of(World &world, int count) {
  std::vector<State> out;
  for (int k = 0; k < count; k++) out.push_back(world.state(k));
  return out;
}

// FROM: a file of states to begin with. FALLING: seconds before steps are measured, SAVE: a file for the
// states then. STEPS that are measured. The residual is the largest, the time the mean of them.
inline void run_spheres(const char *machine, Scene s, const std::string &setting, double h) {
  const int count = (int)s.things.size();
  const char *until = getenv("FALLING"), *from = getenv("FROM"), *to = getenv("SAVE");
  if (from) load_states(from, &s);
  World *world = make_world(s, setting, h);
  const long falling = lround((until ? atof(until) : 2) / h);
  long rest = getenv("STEPS") ? atol(getenv("STEPS")) : 20, taken = 0;
  const double start = cpu_seconds();
  for (long k = 0; k < falling && (k < 1 || cpu_seconds() - start < 0.5 * budget()); k++)
    world->step();
  if (to) save_states(to, count, *world);
  if (rest == 0) return;
  Judge worst;
  double seconds = 0, fastest = 0;
  while (taken < rest && (taken < 2 || cpu_seconds() - start < budget())) {
    const std::vector<Vec> before = places(s, *world);
    const std::vector<State> states = states_of(*world, count);
    const double begin = cpu_seconds();
    world->step();
    seconds += world->seconds() >= 0 ? world->seconds() : cpu_seconds() - begin;
    worst_of(&worst, judge(s, *world, before, states, h));
    taken++;
  }
  for (int k = 0; k < count; k++) fastest = fmax(fastest, norm(world->state(k).v));
  char note[300];
  snprintf(note, sizeof note,
           "own problem %.2g; gaps exact %.2g; impulses told %.1g; %d contacts; overlap %.2g m; "
           "fastest %.2g m/s",
           worst.own, worst.exact, worst.momentum, worst.contacts, worst.penetration, fastest);
  const char *moment = getenv("MOMENT");
  print_row(machine,
            setting + " count=" + std::to_string(count) +
                (moment ? std::string(", ") + moment : ""),
            "residual", fmax(worst.residual, 1e-17), seconds / (double)taken, taken, note);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s stack|grip|spheres|pyramid SETTING STEP [COUNT]\n", argv[0]);
    return 2;
  }
  hn_bench_section = "contact";
  const std::string scene = argv[1], setting = argv[2];
  const double h = atof(argv[3]);
  const int count = argc > 4 ? atoi(argv[4]) : 1000;
  if (scene == "stack") run_rest("stack of ten boxes", stack(), setting, h);
  if (scene == "grip") run_rest("gripper", grip(), setting, h);
  if (scene == "spheres") run_spheres("spheres in a box", spheres(count), setting, h);
  if (scene == "pyramid") run_spheres("pyramid of spheres", pyramid(count), setting, h);
  return 0;
}
