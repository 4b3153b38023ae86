// Holon. SETTING: auto, contacts as it chooses; step, contacts stepped over with the given step;
// step:RESIDUAL, solved to that in place of 1e-6.
#include "contact.hpp"
#include "contact_points.h"
#include "holon/holon.h"
#include "holon/load.h"
const char *ENGINE = "holon";

struct Holon : World {
  const Scene scene;
  const double h;
  long taken = 0;
  hn_model *model = nullptr;
  hn_simulation *simulation = nullptr;

  // Where it looks at gaps: in the middle of the step, at the velocities of its begin.
  Vec look(int k) override {
    const State s = state(k);
    return s.at + 0.5 * h * s.v;
  }
  static std::string line(const char *format, std::vector<double> x) {
    char text[512];
    x.resize(8);
    snprintf(text, sizeof text, format, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    return text;
  }
  static std::string thing(const Thing &t, int k) {
    const Vec e = t.size;
    const double m = t.mass / 12, ball = 0.4 * t.mass * t.radius * t.radius;
    std::string out = "  b" + std::to_string(k) + ":\n";
    out += line("    mass: %.17g\n    position: [%.17g, %.17g, %.17g]\n",
                {t.mass, t.at.x, t.at.y, t.at.z});
    out += line(
        "    initial: {velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n",
        {t.v.x, t.v.y, t.v.z, t.w.x, t.w.y, t.w.z});
    if (t.is_box)
      out += line("    inertia: [%.17g, %.17g, %.17g]\n    shape: {box: [%.17g, %.17g, %.17g], "
                  "contact: true}\n",
                  {m * (e.y * e.y + e.z * e.z), m * (e.x * e.x + e.z * e.z),
                   m * (e.x * e.x + e.y * e.y), e.x, e.y, e.z});
    else
      out += line("    inertia: [%.17g, %.17g, %.17g]\n    shape: {sphere: %.17g, contact: true}\n",
                  {ball, ball, ball, t.radius});
    return out;
  }
  static std::string wall(const Half &w) {
    const Vec n = w.normal, at = w.offset * n;
    const Vec x = fabs(n.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0};
    return line("      - {plane: {size: 1}, at: [%g, %g, %g], contact: true, ",
                {at.x, at.y, at.z}) +
           line("orientation: {z: [%g, %g, %g], x: [%g, %g, %g]}}\n",
                {n.x, n.y, n.z, x.x, x.y, x.z});
  }
  static std::string text_of(const Scene &s) {
    std::string out = line("gravity: [0, 0, %.17g]\nbodies:\n", {-s.gravity}), joints, forces;
    if (!s.walls.empty()) out += "  ground:\n    shapes:\n";
    for (const Half &w : s.walls) out += wall(w);
    for (size_t k = 0; k < s.things.size(); k++) {
      const Thing &t = s.things[k];
      const std::string n = std::to_string(k);
      out += thing(t, (int)k);
      if (!t.slides) continue;
      joints += "  j" + n + ": {type: translational, bodies: [ground, b" + n + "], axis: x, " +
                line("at: [%.17g, %.17g, %.17g]}\n", {t.at.x, t.at.y, t.at.z});
      forces += "  f" + n + ": {type: joint-spring-damper, joint: j" + n +
                line(", preload: %.17g}\n", {-t.push});
    }
    if (!joints.empty()) out += "joints:\n" + joints + "forces:\n" + forces;
    return out +
           line("contacts: {all: {friction: %.17g, restitution: %.17g}}\n", {s.mu, s.restitution});
  }
  [[noreturn]] static void stop(const hn_error &error) {
    char text[2048];
    hn_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
  }
  Holon(const Scene &s, const std::string &setting, double step) : scene(s), h(step) {
    const std::string text = text_of(s);
    hn_error error = {};
    hn_simulation_options options = hn_default_simulation_options();
    if (setting.rfind("step", 0) == 0) options.step = h;
    hn_status status =
        hn_model_load_text(text.c_str(), text.size(), "scene", nullptr, &model, &error);
    if (status == HN_OK) status = hn_simulation_create(model, &options, &simulation, &error);
    if (status != HN_OK) stop(error);
    if (setting.size() > 5) contact_residual(simulation, atof(setting.c_str() + 5));
  }
  ~Holon() override {
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
  void step() override { steps(1); }
  void steps(long count) override {
    taken += count;
    if (hn_simulation_advance(simulation, (double)taken * h) != HN_OK)
      stop(*hn_simulation_error(simulation));
  }
  static Vec of(const hn_vec3 &v) { return {v.x, v.y, v.z}; }
  State state(int k) override {
    hn_body_motion m;
    hn_simulation_body_motion(simulation, k + 1, &m);
    return {of(m.position), of(m.velocity), of(m.angular_velocity)};
  }
  int wall_of(const contact_point &p) const {
    const Vec n = {p.normal[0], p.normal[1], p.normal[2]};
    int best = 0;
    for (int w = 0; w < (int)scene.walls.size(); w++)
      if (fabs(dot(n, scene.walls[w].normal)) > fabs(dot(n, scene.walls[best].normal)) ||
          dot(n, scene.walls[w].normal) > 0.9)
        best = w;
    return -1 - best;
  }
  std::vector<Push> pushes() override {
    std::vector<contact_point> points(16 * scene.things.size() + 512);
    const int count = contact_points(simulation, points.data(), (int)points.size());
    std::vector<Push> out;
    for (int k = 0; k < count; k++) {
      contact_point p = points[k];
      if (p.body[1] == 0) { // ground first
        std::swap(p.body[0], p.body[1]);
        for (int i = 0; i < 3; i++) p.impulse[i] = -p.impulse[i], p.normal[i] = -p.normal[i];
      }
      out.push_back({p.body[0] == 0 ? wall_of(p) : p.body[0] - 1,
                     p.body[1] - 1,
                     {p.impulse[0], p.impulse[1], p.impulse[2]}});
    }
    return out;
  }
};
World *make_world(const Scene &scene, const std::string &setting, double h) {
  return new Holon(scene, setting, h);
}
