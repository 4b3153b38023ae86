// Siconos' solvers of friction problems (fc3d), on the steps of Moreau and Jean of spheres in a box: its
// numerics have no machines, so the steps are made here, and its time is that of the solver alone.
// SETTING: SOLVER:TOLERANCE:ITERATIONS, SOLVER one of nsgs, admm, nsn. Spheres only.
#include "contact.hpp"
#include <array>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
const char *ENGINE = "siconos-4.4";

struct Siconos : World {
  struct Touch {
    int a, b; // a < 0: wall -1 - a
    Vec axis[3];
    double gap, arm; // to the middle of the gap
  };
  const Scene scene;
  const double h;
  std::vector<State> states;
  std::vector<Touch> touches;
  std::vector<double> reaction;
  std::map<std::pair<int, int>, Vec> last;
  SolverOptions *options;
  double solver_seconds = 0;

  Siconos(const Scene &s, const std::string &setting, double step) : scene(s), h(step) {
    const std::string name = setting.substr(0, setting.find(':'));
    const std::string rest = setting.substr(setting.find(':') + 1);
    const int solver = name == "admm"  ? SICONOS_FRICTION_3D_ADMM
                       : name == "nsn" ? SICONOS_FRICTION_3D_NSN_AC
                                       : SICONOS_FRICTION_3D_NSGS;
    options = solver_options_create(solver);
    options->dparam[SICONOS_DPARAM_TOL] = atof(rest.c_str());
    options->iparam[SICONOS_IPARAM_MAX_ITER] = atoi(rest.substr(rest.find(':') + 1).c_str());
    for (const Thing &t : s.things) states.push_back({t.at, t.v, t.w});
  }

  void touch(int a, int b, Vec n, double gap) {
    const Vec t1 = fabs(n.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0};
    Vec e1 = t1 - dot(t1, n) * n;
    e1 = (1 / norm(e1)) * e1;
    touches.push_back({a, b, {n, e1, cross(n, e1)}, gap, scene.things[0].radius + 0.5 * gap});
  }
  void find() {
    const double r = scene.things[0].radius;
    double fastest = 0;
    for (const State &s : states) fastest = fmax(fastest, norm(s.v));
    const double reach = 1e-9 + 2 * h * fastest + 2 * h * h * scene.gravity, cell = 2 * r + reach;
    std::map<std::array<int, 3>, std::vector<int>> cells;
    touches.clear();
    for (int k = 0; k < (int)states.size(); k++) {
      const Vec at = states[k].at;
      for (int w = 0; w < (int)scene.walls.size(); w++) {
        const double gap = dot(scene.walls[w].normal, at) - scene.walls[w].offset - r;
        if (gap <= reach) touch(-1 - w, k, scene.walls[w].normal, gap);
      }
      const int i = (int)floor(at.x / cell), j = (int)floor(at.y / cell),
                l = (int)floor(at.z / cell);
      for (int n = 0; n < 27; n++) {
        const auto found = cells.find({i + n % 3 - 1, j + n / 3 % 3 - 1, l + n / 9 - 1});
        if (found == cells.end()) continue;
        for (int other : found->second) {
          const Vec way = at - states[other].at;
          const double far = norm(way);
          if (far - 2 * r <= reach) touch(other, k, (1 / far) * way, far - 2 * r);
        }
      }
      cells[{i, j, l}].push_back(k);
    }
  }
  // The response of touch i to the impulses of touch j at a body that they share.
  void respond(const Touch &i, double side_i, const Touch &j, double side_j, double *block) const {
    const Thing &t = scene.things[0];
    const double inertia = 0.4 * t.mass * t.radius * t.radius;
    for (int c = 0; c < 3; c++) {
      const Vec arm_j = (-side_j * j.arm) * j.axis[0], arm_i = (-side_i * i.arm) * i.axis[0];
      const Vec v = (side_j / t.mass) * j.axis[c], w = (side_j / inertia) * cross(arm_j, j.axis[c]);
      const Vec u = v + cross(w, arm_i);
      for (int r = 0; r < 3; r++) block[3 * c + r] += side_i * dot(i.axis[r], u);
    }
  }
  Vec slip(const Touch &c) const {
    const Vec arm = c.arm * c.axis[0];
    Vec u = states[c.b].v - cross(states[c.b].w, arm);
    if (c.a >= 0) u = u - (states[c.a].v + cross(states[c.a].w, arm));
    return u;
  }
  void push(const Touch &c, Vec p) {
    const Thing &t = scene.things[0];
    const double inertia = 0.4 * t.mass * t.radius * t.radius;
    State &b = states[c.b];
    b.v = b.v + (1 / t.mass) * p;
    b.w = b.w + (1 / inertia) * cross(-c.arm * c.axis[0], p);
    if (c.a < 0) return;
    State &a = states[c.a];
    a.v = a.v - (1 / t.mass) * p;
    a.w = a.w - (1 / inertia) * cross(c.arm * c.axis[0], p);
  }

  void solve() {
    const int n = (int)touches.size();
    std::vector<std::vector<int>> of(states.size());
    for (int k = 0; k < n; k++) {
      of[touches[k].b].push_back(k);
      if (touches[k].a >= 0) of[touches[k].a].push_back(k);
    }
    std::vector<std::map<int, std::array<double, 9>>> rows(n);
    for (size_t body = 0; body < of.size(); body++)
      for (int i : of[body])
        for (int j : of[body])
          respond(touches[i], touches[i].b == (int)body ? 1 : -1, touches[j],
                  touches[j].b == (int)body ? 1 : -1, rows[i][j].data());
    SparseBlockStructuredMatrix m = {};
    std::vector<double *> blocks;
    std::vector<size_t> index1 = {0}, index2;
    std::vector<unsigned> sizes;
    for (int k = 0; k < n; k++) {
      for (auto &entry : rows[k]) {
        blocks.push_back(entry.second.data());
        index2.push_back((size_t)entry.first);
      }
      index1.push_back(index2.size());
      sizes.push_back(3 * (unsigned)(k + 1));
    }
    m.nbblocks = (unsigned)blocks.size();
    m.block = blocks.data();
    m.blocknumber0 = m.blocknumber1 = (unsigned)n;
    m.blocksize0 = m.blocksize1 = sizes.data();
    m.filled1 = index1.size();
    m.filled2 = index2.size();
    m.index1_data = index1.data();
    m.index2_data = index2.data();
    NumericsMatrix *matrix = NM_new_SBM(3 * n, 3 * n, &m);
    std::vector<double> q(3 * (size_t)n), mu((size_t)n, scene.mu), velocity(3 * (size_t)n);
    reaction.assign(3 * (size_t)n, 0);
    for (int k = 0; k < n; k++) {
      const Touch &c = touches[k];
      const Vec u = slip(c);
      for (int i = 0; i < 3; i++) q[3 * k + i] = dot(c.axis[i], u);
      if (c.gap > 1e-9 + 0.1 * scene.gravity * h * h) q[3 * k] += c.gap / h;
      const auto found = last.find({c.a, c.b});
      for (int i = 0; i < 3 && found != last.end(); i++)
        reaction[3 * k + i] = dot(found->second, c.axis[i]);
    }
    FrictionContactProblem *problem =
        frictionContactProblem_new_with_data(3, n, matrix, q.data(), mu.data());
    const double begin = cpu_seconds();
    fc3d_driver(problem, reaction.data(), velocity.data(), options);
    solver_seconds = cpu_seconds() - begin;
  }
  void step() override {
    find();
    for (State &s : states) s.v = s.v + Vec{0, 0, -h * scene.gravity};
    if (!touches.empty()) solve();
    last.clear();
    for (size_t k = 0; k < touches.size(); k++) {
      const Touch &c = touches[k];
      const double *p = &reaction[3 * k];
      const Vec impulse = p[0] * c.axis[0] + p[1] * c.axis[1] + p[2] * c.axis[2];
      push(c, impulse);
      last[{c.a, c.b}] = impulse;
    }
    for (State &s : states) s.at = s.at + h * s.v;
  }
  State state(int k) override { return states[k]; }
  std::vector<Push> pushes() override {
    std::vector<Push> out;
    for (const auto &p : last) out.push_back({p.first.first, p.first.second, p.second});
    return out;
  }
  double seconds() override { return solver_seconds; }
};

World *make_world(const Scene &scene, const std::string &setting, double h) {
  return new Siconos(scene, setting, h);
}
