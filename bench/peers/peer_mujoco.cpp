// MuJoCo peer. method = euler|rk4|implicit[-hard]; param = time step. "-hard": equality constraints as stiff as allowed (solref = 2 dt, solimp = 0.9999).
#include "harness.hpp"
#include "robots.hpp"
#include <mujoco/mujoco.h>
const char *PEER =
#if mjVERSION_HEADER == 222
    "mujoco-2.2.2";
#else
    "mujoco-3";
#endif
static int nwarn = 0;
static void on_warn(const char *) {
  nwarn++;
} // MuJoCo prints and silently resets the state when unstable
static std::vector<std::string>
    inc; // included files: tinyxml2 refuses element nesting deeper than 100, so deep chains are split with <include>
static mjModel *load(const std::string &xml) {
  char err[1000] = "";
  mju_user_warning = on_warn;
  nwarn = 0;
#if mjVERSION_HEADER == 222
  mjVFS *vfs = (mjVFS *)malloc(sizeof(mjVFS));
  mj_defaultVFS(vfs);
  mj_makeEmptyFileVFS(vfs, "m.xml", xml.size());
  memcpy(vfs->filedata[0], xml.data(), xml.size());
  for (size_t k = 0; k < inc.size(); k++) {
    std::string n = "inc" + std::to_string(k) + ".xml";
    mj_makeEmptyFileVFS(vfs, n.c_str(), inc[k].size());
    memcpy(vfs->filedata[k + 1], inc[k].data(), inc[k].size());
  }
  mjModel *m = mj_loadXML("m.xml", vfs, err, sizeof err);
  mj_deleteVFS(vfs);
  free(vfs);
#else
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "m.xml", xml.data(), xml.size());
  for (size_t k = 0; k < inc.size(); k++) {
    std::string n = "inc" + std::to_string(k) + ".xml";
    mj_addBufferVFS(&vfs, n.c_str(), inc[k].data(), inc[k].size());
  }
  mjModel *m = mj_loadXML("m.xml", &vfs, err, sizeof err);
  mj_deleteVFS(&vfs);
#endif
  if (!m) {
    fprintf(stderr, "load: %s\n", err);
    exit(1);
  }
  inc.clear();
  return m;
}
struct Mj : Sim {
  Model M;
  mjModel *m;
  mjData *d;
  double h;
  long k = 0;
  std::vector<int> id;
  Mj(const Model &mo, const std::string &meth, double dt) : M(mo), h(dt) {
    int n = M.b.size();
    std::vector<int> par(n, -1);
    std::vector<const Joint *> jt(n, nullptr);
    std::vector<std::vector<int>> ch(n + 1);
    for (auto &j : M.j)
      if (!j.cut) {
        par[j.b] = j.a;
        jt[j.b] = &j;
        ch[j.a + 1].push_back(j.b);
      }
    bool hard = meth.find("-hard") != std::string::npos;
    std::string in = meth.substr(0, meth.find('-'));
    char b[1024];
    std::string x;
    snprintf(b, sizeof b,
             "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option timestep='%.17g' "
             "gravity='0 %.17g 0' integrator='%s' tolerance='1e-12' iterations='100'><flag "
             "contact='disable'/></option>",
             dt, -M.g,
             in == "rk4"            ? "RK4"
             : in == "implicit"     ? "implicit"
             : in == "implicitfast" ? "implicitfast"
                                    : "Euler");
    x = b;
    x += "<worldbody>";
    for (size_t k = 0; k < M.s.size(); k++) {
      snprintf(b, sizeof b, "<site name='g%zu' pos='%.17g %.17g 0'/>", k, M.s[k].gx, M.s[k].gy);
      x += b;
    }
    struct Rec {
      static void put(const Model &M, const std::vector<std::vector<int>> &ch,
                      const std::vector<const Joint *> &jt, int i, std::string &x, int dep = 0) {
        if (dep && dep % 30 == 0) {
          std::string y = "<mujoco>";
          put(M, ch, jt, i, y, 1);
          y += "</mujoco>";
          x += "<include file='inc" + std::to_string(inc.size()) + ".xml'/>";
          inc.push_back(y);
          return;
        }
        char b[1024];
        const Body &o = M.b[i];
        int p = jt[i]->a;
        double px = 0, py = 0, pt = 0;
        if (p >= 0) {
          px = M.b[p].x;
          py = M.b[p].y;
          pt = M.b[p].th;
        }
        double dx = o.x - px, dy = o.y - py, c = cos(pt), s = sin(pt), r = o.th - pt;
        const Joint &j = *jt[i];
        snprintf(
            b, sizeof b,
            "<body name='b%d' pos='%.17g %.17g 0' quat='%.17g 0 0 %.17g'><inertial pos='0 0 0' "
            "mass='%.17g' diaginertia='%.17g %.17g %.17g'/><joint name='j%d' type='hinge' axis='0 "
            "0 1' pos='%.17g %.17g 0' stiffness='%.17g' damping='%.17g' springref='%.17g'/>",
            i, c * dx + s * dy, -s * dx + c * dy, cos(r / 2), sin(r / 2), o.m, o.I, o.I, o.I, i,
            j.bx, j.by, j.k, j.c, j.th0 - r);
        x += b;
        for (size_t k = 0; k < M.s.size(); k++)
          if (M.s[k].b == i) {
            snprintf(b, sizeof b, "<site name='s%zu' pos='%.17g %.17g 0'/>", k, M.s[k].bx,
                     M.s[k].by);
            x += b;
          }
        for (int q : ch[i + 1]) put(M, ch, jt, q, x, dep + 1);
        x += "</body>";
      }
    };
    for (int q : ch[0]) Rec::put(M, ch, jt, q, x);
    x += "</worldbody>";
    x += "<equality>";
    for (auto &j : M.j)
      if (j.cut) {
        snprintf(b, sizeof b, "<connect body1='b%d' body2='b%d' anchor='%.17g %.17g 0' ", j.a, j.b,
                 j.ax, j.ay);
        x += b;
        if (hard) {
          snprintf(b, sizeof b, "solref='%.17g 1' solimp='0.9999 0.9999 0.001 0.5 2'", 2 * dt);
          x += b;
        }
        x += "/>";
      }
    x += "</equality>";
    if (M.s.size()) {
      x += "<tendon>";
      for (size_t k = 0; k < M.s.size(); k++) {
        snprintf(b, sizeof b,
                 "<spatial stiffness='%.17g' springlength='%.17g'><site site='g%zu'/><site "
                 "site='s%zu'/></spatial>",
                 M.s[k].k, M.s[k].l0, k, k);
        x += b;
      }
      x += "</tendon>";
    }
    x += "</mujoco>";
    m = load(x);
    d = mj_makeData(m);
    id.resize(n);
    for (int i = 0; i < n; i++) {
      snprintf(b, sizeof b, "b%d", i);
      id[i] = mj_name2id(m, mjOBJ_BODY, b);
      snprintf(b, sizeof b, "j%d", i);
      int jj = mj_name2id(m, mjOBJ_JOINT, b);
      d->qvel[m->jnt_dofadr[jj]] = M.b[i].w - (par[i] >= 0 ? M.b[par[i]].w : 0);
      if (i == M.torqueBody) d->qfrc_applied[m->jnt_dofadr[jj]] = M.torque;
    }
    mj_forward(m, d);
  }
  ~Mj() {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  bool advance(double T) override {
    long K = lround(T / h);
    for (; k < K; k++) mj_step(m, d);
    steps = k;
    if (nwarn) {
      note = "unstable: bad qacc/qvel/qpos warning";
      return false;
    }
    return true;
  }
  void poses(std::vector<Pose> &P) override {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    for (size_t i = 0; i < P.size(); i++) {
      const double *q = d->xquat + 4 * id[i];
      mjtNum v[6];
      mj_objectVelocity(m, d, mjOBJ_XBODY, id[i], v, 0);
      P[i] = {d->xpos[3 * id[i]],
              d->xpos[3 * id[i] + 1],
              q[0] * q[0] - q[3] * q[3],
              2 * q[0] * q[3],
              v[3],
              v[4],
              v[2]};
    }
  }
};
// A spatial problem: tree joints, loops closed by two connected points on the axis, spring-dampers as
// tendons.
struct MjSpace : Sim {
  mjModel *m;
  mjData *d;
  double h;
  long k = 0;
  int observed;
  static void put(const Space &S, int i, std::string &x) {
    const SpaceBody &o = S.b[i];
    V3 from = {0, 0, 0};
    char b[1024];
    for (auto &j : S.j)
      if (j.b == i && !j.cut) {
        if (j.a >= 0) from = S.b[j.a].at;
        snprintf(b, sizeof b,
                 "<body name='b%d' pos='%.17g %.17g %.17g'><inertial pos='0 0 0' mass='%.17g' "
                 "fullinertia='%.17g %.17g %.17g 0 %.17g 0'/><joint name='j%d' type='%s' "
                 "pos='%.17g %.17g %.17g' axis='%g %g %g'/>",
                 i, o.at[0] - from[0], o.at[1] - from[1], o.at[2] - from[2], o.m, o.xx, o.yy, o.zz,
                 o.xz, i, j.kind == 'r' ? "hinge" : "slide", j.at[0] - o.at[0], j.at[1] - o.at[1],
                 j.at[2] - o.at[2], j.axis[0], j.axis[1], j.axis[2]);
        x += b;
      }
    for (size_t s = 0; s < S.s.size(); s++)
      for (int e = 0; e < 2; e++)
        if ((e ? S.s[s].b : S.s[s].a) == i) put_site(o, e ? S.s[s].pb : S.s[s].pa, s, e, x);
    if (i == S.obsBody) put_site(o, S.obs, 0, 2, x);
    for (auto &j : S.j)
      if (j.a == i && !j.cut) put(S, j.b, x);
    x += "</body>";
  }
  static void put_site(const SpaceBody &o, const V3 &p, size_t s, int e, std::string &x) {
    char b[256];
    snprintf(b, sizeof b, "<site name='s%zu_%d' pos='%.17g %.17g %.17g'/>", s, e, p[0] - o.at[0],
             p[1] - o.at[1], p[2] - o.at[2]);
    x += b;
  }
  MjSpace(const Space &S, const std::string &meth, double dt) : h(dt) {
    bool hard = meth.find("-hard") != std::string::npos;
    std::string in = meth.substr(0, meth.find('-')), x;
    char b[1024];
    snprintf(b, sizeof b,
             "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option timestep='%.17g' "
             "gravity='%.17g %.17g %.17g' integrator='%s' tolerance='1e-12' iterations='100'><flag "
             "contact='disable'/></option><worldbody>",
             dt, S.g[0], S.g[1], S.g[2],
             in == "rk4"        ? "RK4"
             : in == "implicit" ? "implicit"
                                : "Euler");
    x = b;
    for (auto &j : S.j)
      if (j.a < 0 && !j.cut) put(S, j.b, x);
    x += "</worldbody><equality>";
    for (auto &j : S.j)
      for (int e = 0; j.cut && e < 2; e++) {
        const V3 &o = S.b[j.b].at;
        snprintf(b, sizeof b, "<connect body1='b%d' anchor='%.17g %.17g %.17g' ", j.b,
                 j.at[0] + e * j.axis[0] - o[0], j.at[1] + e * j.axis[1] - o[1],
                 j.at[2] + e * j.axis[2] - o[2]);
        x += b;
        if (hard) {
          snprintf(b, sizeof b, "solref='%.17g 1' solimp='0.9999 0.9999 0.001 0.5 2'", 2 * dt);
          x += b;
        }
        x += "/>";
      }
    x += "</equality><tendon>";
    for (size_t s = 0; s < S.s.size(); s++) {
      snprintf(b, sizeof b,
               "<spatial stiffness='%.17g' damping='%.17g' springlength='%.17g'><site "
               "site='s%zu_0'/><site site='s%zu_1'/></spatial>",
               S.s[s].k, S.s[s].c, S.s[s].l0, s, s);
      x += b;
    }
    x += "</tendon></mujoco>";
    m = load(x);
    d = mj_makeData(m);
    for (auto &j : S.j) {
      snprintf(b, sizeof b, "j%d", j.b);
      if (!j.cut) d->qvel[m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, b)]] = j.rate;
    }
    observed = mj_name2id(m, mjOBJ_SITE, "s0_2");
    mj_forward(m, d);
  }
  ~MjSpace() override {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  bool advance(double T) override {
    for (long K = lround(T / h); k < K; k++) mj_step(m, d);
    steps = k;
    if (nwarn) note = "unstable: bad qacc/qvel/qpos warning";
    return !nwarn;
  }
  void observe(double x[3]) override {
    mj_kinematics(m, d);
    for (int i = 0; i < 3; i++) x[i] = d->site_xpos[3 * observed + i];
  }
  void poses(std::vector<Pose> &) override {}
};
std::unique_ptr<Sim> make_sim(const Model &M, const std::string &m, double p) {
  if (M.space) return std::make_unique<MjSpace>(*M.space, m, p);
  return std::make_unique<Mj>(M, m, p);
}
int bench_extra(int ac, char **av) {
  const char *rb = av[2];
  auto L = make_robot(rb);
  std::vector<std::vector<int>> ch(L.size() + 1);
  for (size_t i = 0; i < L.size(); i++) ch[L[i].parent + 1].push_back(i);
  std::string x = "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option gravity='0 0 "
                  "-9.81'><flag contact='disable' constraint='disable'/></option><worldbody>";
  struct Rec {
    static void put(const std::vector<RLink> &L, const std::vector<std::vector<int>> &ch, int i,
                    std::string &x, int dep = 0) {
      if (dep && dep % 30 == 0) {
        std::string y = "<mujoco>";
        put(L, ch, i, y, 1);
        y += "</mujoco>";
        x += "<include file='inc" + std::to_string(inc.size()) + ".xml'/>";
        inc.push_back(y);
        return;
      }
      char b[600];
      const RLink &l = L[i];
      snprintf(b, sizeof b,
               "<body pos='%g %g %g'><inertial pos='%g %g %g' mass='%.17g' diaginertia='%.17g "
               "%.17g %.17g'/>",
               l.px, l.py, l.pz, l.cx, l.cy, l.cz, l.m, l.Ix, l.Iy, l.Iz);
      x += b;
      if (l.axis == 'f')
        x += "<freejoint/>";
      else {
        snprintf(b, sizeof b, "<joint type='hinge' axis='%d %d %d'/>", l.axis == 'x', l.axis == 'y',
                 l.axis == 'z');
        x += b;
      }
      for (int c : ch[i + 1]) put(L, ch, c, x, dep + 1);
      x += "</body>";
    }
  };
  for (int c : ch[0]) Rec::put(L, ch, c, x);
  x += "</worldbody></mujoco>";
  mjModel *m = load(x);
  mjData *d = mj_makeData(m);
  unsigned s = 1;
  const int K = 64;
  std::vector<double> Q(K * m->nq), V(K * m->nv);
  for (int k = 0; k < K; k++) {
    for (int i = 0; i < m->nq; i++) Q[k * m->nq + i] = rnd(s);
    for (int i = 0; i < m->nv; i++) V[k * m->nv + i] = rnd(s);
    if (L[0].axis == 'f') mju_normalize4(&Q[k * m->nq + 3]);
  }
  double us, sp;
  p5_time(
      [&](int k) {
        k %= K;
        mju_copy(d->qpos, &Q[k * m->nq], m->nq);
        mju_copy(d->qvel, &V[k * m->nv], m->nv);
        mj_forward(m, d);
      },
      us, sp);
  mju_zero(d->qvel, m->nv);
  mj_resetData(m, d);
  mj_forward(m, d);
  double c = 0;
  for (int i = 0; i < m->nv; i++) c += d->qacc[i] * d->qacc[i];
  p5_line(PEER, rb, m->nv, "mj_forward", us, sp, sqrt(c));
  return 0;
}
