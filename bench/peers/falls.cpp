// Random falls of a robot from an MJCF file, by Holon and MuJoCo in one process: the same initial states
// and motor torques, step after step in turn. Prints CPU microseconds of a step (the least of all
// repetitions of each step, then the mean, median and worst over falls) and their ratio; of Holon
// also failures, penetration of falls that start without overlap, residual, and steps by the
// interior-point method. Time is that of the processor's clock while nothing else runs: repeat on busy machines.
//
//   falls FILE [MILLISECONDS [FALLS [REPETITIONS [SEED [SECONDS]]]]]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>
extern "C" {
#include "holon/holon.h"
#include "holon/load.h"
}

using std::vector;

struct Random {
  uint64_t state;
  double next() { // -1 to 1
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
  }
};

struct Start {
  vector<double> q, v, control;
};

static Start random_start(const mjModel *m, int number) {
  Random r{88172645463325252ull + 1000003ull * (uint64_t)(number + 1)};
  Start s{vector<double>(m->qpos0, m->qpos0 + m->nq), vector<double>(m->nv), vector<double>(m->nu)};
  for (int i = 0; i < 20; i++) r.next();
  for (int j = 0; j < m->njnt; j++) {
    double *q = &s.q[m->jnt_qposadr[j]], *v = &s.v[m->jnt_dofadr[j]];
    if (m->jnt_type[j] == mjJNT_FREE) {
      for (int k = 0; k < 6; k++) v[k] = 0.5 * r.next();
      q[2] += 0.15 * (1 + r.next());
      for (int k = 4; k < 7; k++) q[k] += 0.15 * r.next();
      mju_normalize4(q + 3);
      continue;
    }
    if (m->jnt_type[j] == mjJNT_BALL) continue;
    q[0] += 0.2 * r.next();
    if (m->jnt_limited[j])
      q[0] = std::max(m->jnt_range[2 * j] + 0.02, std::min(m->jnt_range[2 * j + 1] - 0.02, q[0]));
    v[0] = r.next();
  }
  for (double &c : s.control) c = 0.2 * r.next();
  return s;
}

static double now() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Coordinates of Holon by the names of joints and bodies; a body's pose is that of its center of mass.
struct Holon {
  hn_model *model = nullptr;
  hn_simulation *simulation = nullptr;
  vector<hn_coordinate_label> labels;
  vector<double> q0;
  vector<int> input;

  Holon(const char *file, double step, const mjModel *m) {
    hn_load_options load = hn_default_load_options();
    hn_simulation_options options = hn_default_simulation_options();
    hn_error error = {};
    options.step = step;
    if (hn_model_load(file, &load, &model, &error) != HN_OK ||
        hn_simulation_create(model, &options, &simulation, &error) != HN_OK) {
      fprintf(stderr, "falls: %s\n", error.message);
      exit(1);
    }
    const int count = hn_simulation_coordinate_count(simulation);
    labels.resize((size_t)count);
    hn_simulation_coordinate_labels(simulation, labels.data());
    q0.assign(hn_simulation_positions(simulation), hn_simulation_positions(simulation) + count);
    for (int u = 0; u < m->nu; u++) {
      const char *name = mj_id2name(m, mjOBJ_ACTUATOR, u);
      input.push_back(-1);
      for (int i = 0; name && hn_model_input(model, i); i++)
        if (std::string(name) == hn_model_input(model, i)->name) input.back() = i;
    }
  }

  static void put_body(const mjModel *m, const mjData *d, int b, char part, int number, double *q,
                       double *qd) {
    double velocity[6];
    mj_objectVelocity(m, d, mjOBJ_BODY, b, velocity, 0); // angular, then linear, of the center
    const double *w = velocity, *x = &d->xquat[4 * b];
    if (part != 'e') {
      *q = d->xipos[3 * b + part - 'x'];
      *qd = velocity[3 + part - 'x'];
      return;
    }
    const double rates[4] = {
        -x[1] * w[0] - x[2] * w[1] - x[3] * w[2], x[0] * w[0] - x[3] * w[1] + x[2] * w[2],
        x[3] * w[0] + x[0] * w[1] - x[1] * w[2], -x[2] * w[0] + x[1] * w[1] + x[0] * w[2]};
    *q = x[number];
    *qd = 0.5 * rates[number];
  }

  bool start(const mjModel *m, const mjData *d, const Start &s) {
    vector<double> q(q0), qd(q0.size());
    for (size_t i = 0; i < labels.size(); i++) {
      const hn_coordinate_label &at = labels[i];
      if (at.joint >= 0) {
        const int j = mj_name2id(m, mjOBJ_JOINT, hn_model_joint_name(model, at.joint));
        if (j < 0 || m->jnt_type[j] < mjJNT_SLIDE) continue;
        q[i] += s.q[m->jnt_qposadr[j]] - m->qpos0[m->jnt_qposadr[j]];
        qd[i] = s.v[m->jnt_dofadr[j]];
      } else if (at.body >= 0) {
        const int b = mj_name2id(m, mjOBJ_BODY, hn_model_body_name(model, at.body));
        if (b >= 0)
          put_body(m, d, b, at.part[0], at.part[0] == 'e' ? at.part[1] - '0' : 0, &q[i], &qd[i]);
      }
    }
    if (hn_simulation_set_state(simulation, 0, q.data(), qd.data()) != HN_OK) return false;
    for (size_t u = 0; u < input.size(); u++)
      if (input[u] >= 0) hn_simulation_set_input(simulation, input[u], s.control[u]);
    return true;
  }
};

static double print_times(const char *name, vector<double> times) {
  double sum = 0;
  std::sort(times.begin(), times.end());
  for (double x : times) sum += x;
  const double mean = sum / (double)times.size();
  printf("%s: %.2f us a step, median %.2f, 99 %% %.1f, worst %.1f\n", name, mean,
         times[times.size() / 2], times[times.size() * 99 / 100], times.back());
  return mean;
}

int main(int count, char **words) {
  if (count < 2) return 2;
  const double step = 1e-3 * (count > 2 ? atof(words[2]) : 5);
  const int falls = count > 3 ? atoi(words[3]) : 16, repeats = count > 4 ? atoi(words[4]) : 4;
  const int seed = count > 5 ? atoi(words[5]) : 0;
  const int steps = (int)lround((count > 6 ? atof(words[6]) : 2) / step);
  char message[1000];
  mjModel *m = mj_loadXML(words[1], nullptr, message, sizeof message);
  if (!m) {
    fprintf(stderr, "falls: %s\n", message);
    return 1;
  }
  m->opt.integrator = mjINT_EULER;
  m->opt.timestep = step;
  mjData *d = mj_makeData(m);
  Holon holon(words[1], step, m);
  vector<double> ours((size_t)falls * (size_t)steps, 1e99), theirs(ours);
  double penetration = 0, residual = 0;
  long failed = 0, overlaps = 0, unresolved = 0, fallbacks = 0;
  for (int k = 0; k < repeats; k++)
    for (int f = 0; f < falls; f++) {
      const Start s = random_start(m, f + 1000 * seed);
      mj_resetData(m, d);
      std::copy(s.q.begin(), s.q.end(), d->qpos);
      std::copy(s.v.begin(), s.v.end(), d->qvel);
      std::copy(s.control.begin(), s.control.end(), d->ctrl);
      mj_forward(m, d);
      double overlap = 0;
      for (int c = 0; c < d->ncon; c++) overlap = std::max(overlap, -d->contact[c].dist);
      bool runs = holon.start(m, d, s);
      for (int i = 0; i < steps; i++) {
        double *mine = &ours[(size_t)(f * steps + i)], *other = &theirs[(size_t)(f * steps + i)];
        double from = now();
        mj_step(m, d);
        *other = std::min(*other, now() - from);
        from = now();
        runs = runs && hn_simulation_step(holon.simulation, 1e9) == HN_OK;
        *mine = std::min(*mine, now() - from);
      }
      if (k > 0) continue;
      const hn_certificate c = hn_simulation_certificate(holon.simulation);
      failed += !runs;
      overlaps += overlap > 1e-4;
      if (overlap <= 1e-4) penetration = std::max(penetration, c.penetration);
      residual = std::max(residual, c.contact_residual);
      unresolved += c.contacts_unresolved;
      fallbacks += c.contacts_fallbacks;
    }
  const double a = print_times("holon", ours), b = print_times("mujoco", theirs);
  printf("ratio %.3f; %d falls, %ld failed, %ld start with overlap; penetration %.2g m, residual "
         "%.2g, of %ld steps %ld unresolved, %ld by the interior-point method\n",
         a / b, falls, failed, overlaps, penetration, residual, (long)falls * steps, unresolved,
         fallbacks);
  return 0;
}
