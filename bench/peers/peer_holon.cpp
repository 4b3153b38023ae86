// Holon on the same problems and through the same driver as the peers.
// method: METHOD/FORMULA[/INDEPENDENT[/COORDINATES]], for instance descriptor/sdirk4-16; param: the
// tolerance, or with a method that ends in "!" the fixed step.
#include "harness.hpp"
#include "holon/holon.h"

const char *PEER = "holon";

namespace {

void stop(const hn_error &error) {
  char text[2048];
  hn_error_format(&error, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  exit(1);
}

hn_frame_on_body frame(int body, double x, double y, double turn = 0) {
  hn_frame_on_body f = {};
  f.body = body;
  f.position = {x, y, 0};
  f.orientation = {cos(turn / 2), 0, 0, sin(turn / 2)};
  return f;
}

hn_law *polynomial(std::vector<double> c) {
  hn_law *law = nullptr;
  hn_error error;
  if (hn_law_polynomial(c.data(), int(c.size()), NULL, &law, &error) != HN_OK) stop(error);
  return law;
}

void must(hn_model *model, hn_status status) {
  if (status != HN_OK) stop(*hn_model_error(model));
}

int add_body(hn_model *model, const Body &b, int number) {
  std::string name = "b" + std::to_string(number);
  hn_body_def def = hn_default_body();
  def.name = name.c_str();
  def.mass = b.m;
  def.inertia[0] = def.inertia[1] = def.inertia[2] = b.I;
  def.position = {b.x, b.y, 0};
  def.orientation = {cos(b.th / 2), 0, 0, sin(b.th / 2)};
  def.velocity = {b.vx, b.vy, 0};
  def.angular_velocity = {0, 0, b.w};
  int id = 0;
  must(model, hn_model_add_body(model, &def, &id));
  return id;
}

// Revolute joints all around: a planar loop then has three rows too many, as a user would draw it.
void add_joint(hn_model *model, const Joint &j, int number) {
  std::string name = "j" + std::to_string(number);
  hn_joint_def def = hn_default_joint(HN_JOINT_REVOLUTE);
  def.name = name.c_str();
  def.frame1 = frame(j.a + 1, j.ax, j.ay);
  def.frame2 = frame(j.b + 1, j.bx, j.by);
  int id = 0;
  must(model, hn_model_add_joint(model, &def, &id));
  if (j.k == 0 && j.c == 0) return;
  hn_force_def force = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  force.name = name.c_str();
  force.joint = id;
  force.coordinate = HN_COORDINATE_ANGLE;
  force.of_x = polynomial({-j.k * j.th0, j.k});
  force.of_v = polynomial({0, j.c});
  must(model, hn_model_add_force(model, &force, NULL));
}

void add_spring(hn_model *model, const TSpring &s, int number) {
  std::string name = "s" + std::to_string(number);
  hn_force_def def = hn_default_force(HN_FORCE_SPRING_DAMPER);
  def.name = name.c_str();
  def.frame1 = frame(HN_GROUND, s.gx, s.gy);
  def.frame2 = frame(s.b + 1, s.bx, s.by);
  def.of_x = polynomial({-s.k * s.l0, s.k});
  must(model, hn_model_add_force(model, &def, NULL));
}

hn_model *build(const Model &M) {
  hn_model *model = nullptr;
  if (M.space) { // as a user would write it
    hn_error error;
    std::string folder = getenv("MODELS") ? getenv("MODELS") : "models";
    std::string path = folder + "/iftomm/" + M.name + ".yaml";
    if (hn_model_load(path.c_str(), NULL, &model, &error) != HN_OK) stop(error);
    return model;
  }
  if (hn_model_create(NULL, &model) != HN_OK) exit(1);
  must(model, hn_model_set_gravity(model, {0, -M.g, 0}));
  for (size_t k = 0; k < M.b.size(); k++) add_body(model, M.b[k], int(k));
  for (size_t k = 0; k < M.j.size(); k++) add_joint(model, M.j[k], int(k));
  for (size_t k = 0; k < M.s.size(); k++) add_spring(model, M.s[k], int(k));
  if (M.torqueBody >= 0) {
    hn_force_def def = hn_default_force(HN_FORCE_TORQUE);
    def.name = "torque";
    def.frame2 = frame(M.torqueBody + 1, 0, 0);
    def.component_law[2] = polynomial({M.torque});
    must(model, hn_model_add_force(model, &def, NULL));
  }
  must(model, hn_model_finish(model));
  return model;
}

struct Holon : Sim {
  hn_model *model;
  hn_simulation *simulation = nullptr;
  size_t bodies;
  bool is_fixed = false;
  std::vector<int> signals; // of a spatial problem
  Holon(const Model &M, std::string method, double param) : model(build(M)), bodies(M.b.size()) {
    hn_simulation_options options = hn_default_simulation_options();
    if (!method.empty() && method.back() == '!') {
      method.pop_back();
      options.step = param;
    } else {
      options.tol = param;
    }
    std::vector<std::string> part;
    for (size_t at = 0; at <= method.size();) {
      size_t end = std::min(method.find('/', at), method.size());
      part.push_back(method.substr(at, end - at));
      at = end + 1;
    }
    part.resize(4, "auto");
    options.method = part[0].c_str();
    options.formula = part[1].c_str();
    options.independent = part[2].c_str();
    options.coordinates = part[3].c_str();
    hn_error error;
    if (hn_simulation_create(model, &options, &simulation, &error) != HN_OK) stop(error);
    if (M.name == "a04")
      for (const char *name : {"P.x", "P.y", "P.z"})
        signals.push_back(hn_simulation_find_signal(simulation, name));
    if (M.name == "a05") signals = {-1, -1, hn_simulation_find_signal(simulation, "s")};
    is_fixed = options.step > 0;
  }
  ~Holon() override {
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
  const char *parameter() const override { return is_fixed ? "step" : "tol"; }
  void describe(std::string &coordinates, std::string &method, std::string &formula) override {
    hn_certificate c = hn_simulation_certificate(simulation);
    coordinates = c.coordinates;
    method = c.method;
    formula = c.formula;
  }
  void observe(double x[3]) override {
    for (int k = 0; k < 3; k++)
      x[k] = signals[k] < 0 ? 0 : hn_simulation_signal(simulation, signals[k]);
  }
  // Samples are read off the dense output: they cut no step.
  bool advance(double t) override {
    while (hn_simulation_time(simulation) < t)
      if (hn_simulation_step(simulation, HUGE_VAL) != HN_OK) return false;
    steps = hn_simulation_certificate(simulation).steps_accepted;
    return hn_simulation_look_at(simulation, t) == HN_OK;
  }
  void poses(std::vector<Pose> &P) override {
    for (size_t k = 0; k < bodies; k++) {
      hn_body_motion m;
      hn_simulation_body_motion(simulation, int(k) + 1, &m);
      P[k] = {m.position.x, m.position.y, m.rotation.m[0][0],  m.rotation.m[1][0],
              m.velocity.x, m.velocity.y, m.angular_velocity.z};
    }
  }
};

} // namespace

std::unique_ptr<Sim> make_sim(const Model &M, const std::string &method, double param) {
  return std::make_unique<Holon>(M, method, param);
}
