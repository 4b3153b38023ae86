// ODE (Open Dynamics Engine, double) peer: maximal coordinates, 3D hinges. method = step (dWorldStep, dense LCP) | quick (dWorldQuickStep, 20 iterations default) | quick200; param = dt.
// Rotational spring-dampers: suffix "-torque" explicit joint torques; default: implicit through hinge stop ERP/CFM as the ODE manual recommends.
#include "harness.hpp"
#include <ode/ode.h>
const char *PEER = "ode-0.16.2";
struct Od : Sim {
  ::Model M;
  dWorldID w;
  std::vector<dBodyID> b;
  std::vector<dJointID> jt;
  double h;
  long k = 0;
  bool quick, tq;
  Od(const ::Model &mo, const std::string &meth, double dt) : M(mo), h(dt) {
    static bool init = (dInitODE2(0), true);
    (void)init;
    quick = meth.rfind("quick", 0) == 0;
    tq = meth.find("-torque") != std::string::npos;
    w = dWorldCreate();
    dWorldSetGravity(w, 0, -M.g, 0);
    dWorldSetERP(w, getenv("ODE_ERP") ? atof(getenv("ODE_ERP")) : 0.2);
    dWorldSetCFM(w, getenv("ODE_CFM") ? atof(getenv("ODE_CFM")) : 1e-10);
    if (quick) dWorldSetQuickStepNumIterations(w, meth.rfind("quick200", 0) == 0 ? 200 : 20);
    for (auto &o : M.b) {
      dBodyID x = dBodyCreate(w);
      dMass m;
      dMassSetZero(&m);
      m.mass = o.m;
      m.I[0] = m.I[5] = m.I[10] = o.I;
      dBodySetMass(x, &m);
      dBodySetPosition(x, o.x, o.y, 0);
      dMatrix3 R;
      dRFromAxisAndAngle(R, 0, 0, 1, o.th);
      dBodySetRotation(x, R);
      dBodySetLinearVel(x, o.vx, o.vy, 0);
      dBodySetAngularVel(x, 0, 0, o.w);
      dBodySetAutoDisableFlag(x, 0);
      b.push_back(x);
    }
    for (auto &j : M.j) {
      dJointID x = dJointCreateHinge(w, 0);
      dJointAttach(x, b[j.b], j.a < 0 ? 0 : b[j.a]);
      const Body &o = M.b[j.b];
      dJointSetHingeAnchor(x, o.x + cos(o.th) * j.bx - sin(o.th) * j.by,
                           o.y + sin(o.th) * j.bx + cos(o.th) * j.by, 0);
      dJointSetHingeAxis(x, 0, 0, 1);
      if (!tq && (j.k || j.c)) {
        double th = o.th - (j.a < 0 ? 0 : M.b[j.a].th), ref = j.th0 - th;
        dJointSetHingeParam(x, dParamLoStop, ref);
        dJointSetHingeParam(x, dParamHiStop, ref);
        dJointSetHingeParam(x, dParamStopERP, h * j.k / (h * j.k + j.c));
        dJointSetHingeParam(x, dParamStopCFM, 1 / (h * j.k + j.c));
      }
      jt.push_back(x);
    }
  }
  ~Od() { dWorldDestroy(w); }
  bool advance(double T) override {
    long K = lround(T / h);
    for (; k < K; k++) {
      if (tq)
        for (size_t i = 0; i < jt.size(); i++) {
          auto &j = M.j[i];
          if (!j.k && !j.c) continue;
          double th = M.b[j.b].th - (j.a < 0 ? 0 : M.b[j.a].th);
          dJointAddHingeTorque(jt[i], -j.k * (dJointGetHingeAngle(jt[i]) + th - j.th0) -
                                          j.c * dJointGetHingeAngleRate(jt[i]));
        }
      if (M.torqueBody >= 0) dBodyAddTorque(b[M.torqueBody], 0, 0, M.torque);
      for (auto &s : M.s) {
        dVector3 p;
        dBodyGetRelPointPos(b[s.b], s.bx, s.by, 0, p);
        double dx = p[0] - s.gx, dy = p[1] - s.gy, l = hypot(dx, dy), f = -s.k * (l - s.l0) / l;
        dBodyAddForceAtRelPos(b[s.b], f * dx, f * dy, 0, s.bx, s.by, 0);
      }
      if (quick)
        dWorldQuickStep(w, h);
      else
        dWorldStep(w, h);
    }
    steps = k;
    const dReal *p = dBodyGetPosition(b[0]);
    return std::isfinite(p[0]);
  }
  void poses(std::vector<Pose> &P) override {
    for (size_t i = 0; i < P.size(); i++) {
      const dReal *p = dBodyGetPosition(b[i]), *v = dBodyGetLinearVel(b[i]),
                  *o = dBodyGetAngularVel(b[i]), *R = dBodyGetRotation(b[i]);
      P[i] = {p[0], p[1], R[0], R[4], v[0], v[1], o[2]};
    }
  }
};
// A spatial problem; spring-dampers implicit, by a distance joint with ERP and CFM.
struct OdSpace : Sim {
  Space S;
  dWorldID w;
  std::vector<dBodyID> b;
  double h;
  long k = 0;
  bool quick;
  OdSpace(const Space &space, const std::string &meth, double dt)
      : S(space), h(dt), quick(meth == "quick") {
    static bool init = (dInitODE2(0), true);
    (void)init;
    w = dWorldCreate();
    dWorldSetGravity(w, S.g[0], S.g[1], S.g[2]);
    dWorldSetERP(w, 0.2);
    dWorldSetCFM(w, 1e-10);
    for (auto &o : S.b) {
      dBodyID x = dBodyCreate(w);
      dMass m;
      dMassSetParameters(&m, o.m, 0, 0, 0, o.xx, o.yy, o.zz, 0, o.xz, 0);
      dBodySetMass(x, &m);
      dBodySetPosition(x, o.at[0], o.at[1], o.at[2]);
      dBodySetAutoDisableFlag(x, 0);
      b.push_back(x);
    }
    for (auto &j : S.j) {
      dJointID x = j.kind == 'r' ? dJointCreateHinge(w, 0) : dJointCreateSlider(w, 0);
      dJointAttach(x, b[j.b], j.a < 0 ? 0 : b[j.a]);
      if (j.kind == 'r') {
        dJointSetHingeAnchor(x, j.at[0], j.at[1], j.at[2]);
        dJointSetHingeAxis(x, j.axis[0], j.axis[1], j.axis[2]);
      } else {
        dJointSetSliderAxis(x, j.axis[0], j.axis[1], j.axis[2]);
      }
      if (j.rate == 0) continue; // all bodies turn with the first joint, about z through the origin
      for (size_t i = 0; i < b.size(); i++) {
        dBodySetAngularVel(b[i], 0, 0, j.rate);
        dBodySetLinearVel(b[i], -j.rate * S.b[i].at[1], j.rate * S.b[i].at[0], 0);
      }
    }
    for (auto &s : S.s) {
      dJointID x = dJointCreateDBall(w, 0);
      dJointAttach(x, b[s.a], b[s.b]);
      dJointSetDBallAnchor1(x, s.pa[0], s.pa[1], s.pa[2]);
      dJointSetDBallAnchor2(x, s.pb[0], s.pb[1], s.pb[2]);
      dJointSetDBallDistance(x, s.l0);
      dJointSetDBallParam(x, dParamERP, h * s.k / (h * s.k + s.c));
      dJointSetDBallParam(x, dParamCFM, 1 / (h * s.k + s.c));
    }
  }
  ~OdSpace() override { dWorldDestroy(w); }
  bool advance(double T) override {
    for (long K = lround(T / h); k < K; k++) quick ? dWorldQuickStep(w, h) : dWorldStep(w, h);
    steps = k;
    return std::isfinite(dBodyGetPosition(b[0])[0]);
  }
  void observe(double x[3]) override {
    const V3 &o = S.b[S.obsBody].at;
    dVector3 p;
    dBodyGetRelPointPos(b[S.obsBody], S.obs[0] - o[0], S.obs[1] - o[1], S.obs[2] - o[2], p);
    for (int i = 0; i < 3; i++) x[i] = p[i];
  }
  void poses(std::vector<Pose> &) override {}
};
std::unique_ptr<Sim> make_sim(const ::Model &M, const std::string &m, double p) {
  if (M.space) return std::make_unique<OdSpace>(*M.space, m, p);
  return std::make_unique<Od>(M, m, p);
}
