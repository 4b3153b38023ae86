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
std::unique_ptr<Sim> make_sim(const ::Model &M, const std::string &m, double p) {
  return std::make_unique<Od>(M, m, p);
}
