// MuJoCo. SETTING: pgs, cg or newton, with the most iterations behind: newton100; with a colon and iterations
// of its pass against slip behind these: newton100:20. Contacts as hard as its default time constant of two
// steps allows; cones elliptic.
#include "contact.hpp"
#include <mujoco/mujoco.h>
const char *ENGINE = "mujoco-2.2.2";

struct Mujoco : World {
  double h;
  mjModel *m;
  mjData *d;
  const Scene scene;
  int first; // geom of the first thing

  Mujoco(const Scene &s, const std::string &setting, double step) : h(step), scene(s) {
    const size_t digits = setting.find_first_of("0123456789");
    const std::string solver = setting.substr(0, digits);
    const size_t colon = setting.find(':');
    char line[512];
    // contacts; its data, of some 12 (3 most) (3 most + 12 bodies) bytes, must stay below 2 GB
    const int most = (int)fmin(200 + 4 * (double)s.things.size(), 2600);
    snprintf(line, sizeof line, "<mujoco><size njmax=\"%d\" nconmax=\"%d\"/>", 3 * most, most);
    std::string xml = line;
    snprintf(line, sizeof line,
             "<option timestep=\"%g\" gravity=\"0 0 %g\" cone=\"elliptic\" impratio=\"10\" "
             "tolerance=\"1e-12\" solver=\"%s\" iterations=\"%d\" noslip_iterations=\"%d\"/>",
             h, -s.gravity,
             solver == "newton" ? "Newton"
             : solver == "cg"   ? "CG"
                                : "PGS",
             digits == std::string::npos ? 100 : atoi(setting.c_str() + digits),
             colon == std::string::npos ? 0 : atoi(setting.c_str() + colon + 1));
    xml += line;
    snprintf(line, sizeof line,
             "<default><geom condim=\"3\" friction=\"%g 0 0\" solref=\"%g 1\" solimp=\"0.99 0.999 "
             "0.0001\"/></default><worldbody>",
             s.mu, 2 * h);
    xml += line;
    for (const Half &w : s.walls) {
      snprintf(line, sizeof line,
               "<geom type=\"plane\" size=\"5 5 1\" zaxis=\"%g %g %g\" pos=\"%g %g %g\"/>",
               w.normal.x, w.normal.y, w.normal.z, w.offset * w.normal.x, w.offset * w.normal.y,
               w.offset * w.normal.z);
      xml += line;
    }
    for (const Thing &t : s.things) {
      snprintf(line, sizeof line, "<body pos=\"%.12g %.12g %.12g\">%s<geom mass=\"%.12g\" ", t.at.x,
               t.at.y, t.at.z, t.slides ? "<joint type=\"slide\" axis=\"1 0 0\"/>" : "<freejoint/>",
               t.mass);
      xml += line;
      if (t.is_box)
        snprintf(line, sizeof line, "type=\"box\" size=\"%g %g %g\"/></body>", t.size.x / 2,
                 t.size.y / 2, t.size.z / 2);
      else
        snprintf(line, sizeof line, "type=\"sphere\" size=\"%g\"/></body>", t.radius);
      xml += line;
    }
    xml += "</worldbody></mujoco>";
    const std::string path =
        std::string("/tmp/holon-contact-") + std::to_string((long)clock()) + ".xml";
    FILE *file = fopen(path.c_str(), "w");
    fputs(xml.c_str(), file);
    fclose(file);
    char error[500] = "";
    m = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    remove(path.c_str());
    if (!m) {
      fprintf(stderr, "mujoco: %s\n", error);
      exit(1);
    }
    d = mj_makeData(m);
    first = (int)s.walls.size();
    for (size_t k = 0; k < s.things.size(); k++) begin(k);
  }
  void begin(size_t k) { // velocities; bodies stand as drawn, so local axes are those of the world
    const Thing &t = scene.things[k];
    if (t.slides) return;
    const mjtNum v[6] = {t.v.x, t.v.y, t.v.z, t.w.x, t.w.y, t.w.z};
    mju_copy(d->qvel + m->jnt_dofadr[m->body_jntadr[k + 1]], v, 6);
  }
  void step() override {
    for (size_t k = 0; k < scene.things.size(); k++)
      if (scene.things[k].slides) d->xfrc_applied[6 * (k + 1)] = scene.things[k].push;
    mj_step(m, d);
    if (d->warning[mjWARN_CONTACTFULL].number + d->warning[mjWARN_CNSTRFULL].number == 0) return;
    fprintf(stderr, "mujoco: more contacts than it has room for\n");
    exit(1);
  }
  State state(int k) override {
    const int joint = m->body_jntadr[k + 1];
    const mjtNum *q = d->qpos + m->jnt_qposadr[joint], *v = d->qvel + m->jnt_dofadr[joint];
    if (scene.things[k].slides) return {scene.things[k].at + Vec{q[0], 0, 0}, {v[0], 0, 0}, {}};
    mjtNum w[3];
    mju_rotVecQuat(w, v + 3, q + 3);
    return {{q[0], q[1], q[2]}, {v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
  }
  std::vector<Push> pushes() override {
    std::vector<Push> out;
    for (int i = 0; i < d->ncon; i++) {
      const mjContact &c = d->contact[i];
      mjtNum f[6], force[3];
      mj_contactForce(m, d, i, f);
      mju_mulMatTVec(force, c.frame, f, 3, 3); // on geom 2
      const int a = c.geom1 - first, b = c.geom2 - first;
      const Vec p = {h * force[0], h * force[1], h * force[2]};
      out.push_back(a < 0 ? Push{-1 - c.geom1, b, p} : Push{a, b, p});
    }
    return out;
  }
};
World *make_world(const Scene &s, const std::string &setting, double h) {
  return new Mujoco(s, setting, h);
}
