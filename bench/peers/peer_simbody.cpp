// Simbody peer. method = rkm|rk3|rkf|verlet|see2|cpodes (accuracy controlled, param = accuracy); p1 loops closed by Constraint::Ball
// (3 equations, 1 redundant); suffix "-2d": two PointInPlane constraints instead (no redundancy).
#include "harness.hpp"
#include "robots.hpp"
#include <Simbody.h>
using namespace SimTK;
const char *PEER = "simbody-3.7";
struct Sb : Sim {
  ::Model M;
  MultibodySystem sys;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  Force::Gravity grav;
  std::vector<MobilizedBody> mb;
  std::unique_ptr<Integrator> integ;
  std::unique_ptr<TimeStepper> ts;
  State s0;
  static double mg(const ::Model &m) { return m.g; }
  Sb(const ::Model &mo, const std::string &meth, double acc)
      : M(mo), matter(sys), forces(sys), grav(forces, matter, Vec3(0, -mg(mo), 0)) {
    int n = M.b.size();
    mb.resize(n);
    std::vector<const Joint *> jt(n, nullptr);
    std::vector<int> order;
    for (auto &j : M.j)
      if (!j.cut) jt[j.b] = &j;
    std::vector<bool> done(n, false);
    bool more = true;
    while (more) {
      more = false;
      for (int i = 0; i < n; i++)
        if (!done[i] && (jt[i]->a < 0 || done[jt[i]->a])) {
          done[i] = true;
          order.push_back(i);
          more = true;
        }
    }
    for (int i : order) {
      const ::Body &o = M.b[i];
      const Joint &j = *jt[i];
      SimTK::Body::Rigid bd(MassProperties(o.m, Vec3(0), UnitInertia(o.I / o.m)));
      MobilizedBody &P = j.a < 0 ? (MobilizedBody &)matter.Ground() : mb[j.a];
      mb[i] =
          MobilizedBody::Pin(P, Transform(Vec3(j.ax, j.ay, 0)), bd, Transform(Vec3(j.bx, j.by, 0)));
      if (j.k) {
        Force::MobilityLinearSpring(forces, mb[i], MobilizerQIndex(0), j.k, j.th0);
      }
      if (j.c) Force::MobilityLinearDamper(forces, mb[i], MobilizerUIndex(0), j.c);
      if (i == M.torqueBody)
        Force::MobilityConstantForce(forces, mb[i], MobilizerUIndex(0), M.torque);
    }
    for (auto &s : M.s)
      Force::TwoPointLinearSpring(forces, matter.Ground(), Vec3(s.gx, s.gy, 0), mb[s.b],
                                  Vec3(s.bx, s.by, 0), s.k, s.l0);
    bool twod = meth.find("-2d") != std::string::npos;
    std::string in = meth.substr(0, meth.find('-'));
    for (auto &j : M.j)
      if (j.cut) {
        if (!twod)
          Constraint::Ball(mb[j.a], Vec3(j.ax, j.ay, 0), mb[j.b], Vec3(j.bx, j.by, 0));
        else {
          Constraint::PointInPlane(mb[j.a], UnitVec3(1, 0, 0), j.ax, mb[j.b], Vec3(j.bx, j.by, 0));
          Constraint::PointInPlane(mb[j.a], UnitVec3(0, 1, 0), j.ay, mb[j.b], Vec3(j.bx, j.by, 0));
        }
      }
    s0 = sys.realizeTopology();
    for (int i = 0; i < n; i++) {
      int a = jt[i]->a;
      mb[i].setOneQ(s0, 0, M.b[i].th - (a < 0 ? 0 : M.b[a].th));
      mb[i].setOneU(s0, 0, M.b[i].w - (a < 0 ? 0 : M.b[a].w));
    }
    if (in == "rkm")
      integ.reset(new RungeKuttaMersonIntegrator(sys));
    else if (in == "rk3")
      integ.reset(new RungeKutta3Integrator(sys));
    else if (in == "rkf")
      integ.reset(new RungeKuttaFeldbergIntegrator(sys));
    else if (in == "verlet")
      integ.reset(new VerletIntegrator(sys));
    else if (in == "see2")
      integ.reset(new SemiExplicitEuler2Integrator(sys));
    else if (in == "cpodes")
      integ.reset(new CPodesIntegrator(sys, CPodes::BDF));
    else
      exit(2);
    integ->setAccuracy(acc);
    integ->setConstraintTolerance(std::min(1e-4, acc));
    integ->setFinalTime(M.tend);
    if (in != "cpodes") integ->setMaximumStepSize(0.1);
    ts.reset(new TimeStepper(sys, *integ));
    ts->initialize(s0);
  }
  const char *parameter() const override { return "tol"; }
  bool ends_at_samples() const override { return true; }
  bool advance(double T) override {
    try {
      ts->stepTo(T);
    } catch (const std::exception &e) {
      std::string m = e.what();
      for (auto &c : m)
        if (c == '\n' || c == ',') c = ' ';
      note = m.substr(0, 160);
      steps = integ->getNumStepsTaken();
      return false;
    }
    steps = integ->getNumStepsTaken();
    return true;
  }
  void poses(std::vector<Pose> &P) override {
    const State &s = ts->getState();
    sys.realize(s, Stage::Velocity);
    for (size_t i = 0; i < P.size(); i++) {
      Vec3 p = mb[i].getBodyOriginLocation(s), v = mb[i].getBodyOriginVelocity(s);
      const Rotation &R = mb[i].getBodyRotation(s);
      P[i] = {p[0], p[1], R[0][0], R[1][0], v[0], v[1], mb[i].getBodyAngularVelocity(s)[2]};
    }
  }
};
// A spatial problem: loops closed by a ball and two angles, redundant or not.
struct SbSpace : Sim {
  Space S;
  MultibodySystem sys;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  Force::Gravity grav;
  std::vector<MobilizedBody> mb;
  std::unique_ptr<Integrator> integ;
  std::unique_ptr<TimeStepper> ts;
  static Vec3 vec(const V3 &a) { return Vec3(a[0], a[1], a[2]); }
  Vec3 local(int body, const V3 &p) const {
    return vec(p) - (body < 0 ? Vec3(0) : vec(S.b[body].at));
  }
  MobilizedBody &body(int i) { return i < 0 ? (MobilizedBody &)matter.Ground() : mb[i]; }
  SbSpace(const Space &space, double tend, const std::string &meth, double acc)
      : S(space), matter(sys), forces(sys), grav(forces, matter, vec(space.g)), mb(space.b.size()) {
    for (auto &j : S.j) {
      UnitVec3 axis(vec(j.axis));
      if (j.cut) {
        Constraint::Ball(body(j.a), local(j.a, j.at), mb[j.b], local(j.b, j.at));
        for (int k = 0; k < 2; k++) {
          UnitVec3 across = k ? UnitVec3(cross(axis, axis.perp())) : axis.perp();
          Constraint::ConstantAngle(body(j.a), axis, mb[j.b], across, Pi / 2);
        }
        continue;
      }
      const SpaceBody &o = S.b[j.b];
      SimTK::Body::Rigid bd(MassProperties(o.m, Vec3(0), Inertia(o.xx, o.yy, o.zz, 0, o.xz, 0)));
      Rotation R(axis, j.kind == 'r' ? CoordinateAxis(ZAxis) : CoordinateAxis(XAxis));
      Transform in(R, local(j.a, j.at)), out(R, local(j.b, j.at));
      if (j.kind == 'r')
        mb[j.b] = MobilizedBody::Pin(body(j.a), in, bd, out);
      else
        mb[j.b] = MobilizedBody::Slider(body(j.a), in, bd, out);
    }
    for (auto &s : S.s) {
      Force::TwoPointLinearSpring(forces, mb[s.a], local(s.a, s.pa), mb[s.b], local(s.b, s.pb), s.k,
                                  s.l0);
      Force::TwoPointLinearDamper(forces, mb[s.a], local(s.a, s.pa), mb[s.b], local(s.b, s.pb),
                                  s.c);
    }
    State s0 = sys.realizeTopology();
    for (auto &j : S.j)
      if (!j.cut) mb[j.b].setOneU(s0, 0, j.rate);
    if (meth == "cpodes")
      integ.reset(new CPodesIntegrator(sys, CPodes::BDF));
    else
      integ.reset(new RungeKuttaMersonIntegrator(sys));
    integ->setAccuracy(acc);
    integ->setConstraintTolerance(std::min(1e-4, acc));
    integ->setFinalTime(tend);
    if (meth != "cpodes") integ->setMaximumStepSize(0.1);
    ts.reset(new TimeStepper(sys, *integ));
    ts->initialize(s0);
  }
  const char *parameter() const override { return "tol"; }
  bool ends_at_samples() const override { return true; }
  bool advance(double T) override {
    bool is_well = true;
    try {
      ts->stepTo(T);
    } catch (const std::exception &e) {
      note = std::string(e.what()).substr(0, 160);
      is_well = false;
    }
    steps = integ->getNumStepsTaken();
    return is_well;
  }
  void observe(double x[3]) override {
    const State &s = ts->getState();
    sys.realize(s, Stage::Position);
    Vec3 p = mb[S.obsBody].findStationLocationInGround(s, local(S.obsBody, S.obs));
    for (int k = 0; k < 3; k++) x[k] = p[k];
  }
  void poses(std::vector<Pose> &) override {}
};
std::unique_ptr<Sim> make_sim(const ::Model &M, const std::string &m, double p) {
  if (M.space) return std::make_unique<SbSpace>(*M.space, M.tend, m, p);
  return std::make_unique<Sb>(M, m, p);
}
int bench_extra(int ac, char **av) {
  const char *rb = av[2];
  auto L = make_robot(rb);
  MultibodySystem sys;
  SimbodyMatterSubsystem matter(sys);
  GeneralForceSubsystem forces(sys);
  Force::Gravity grav(forces, matter, Vec3(0, 0, -9.81));
  std::vector<MobilizedBody> mb(L.size());
  for (size_t i = 0; i < L.size(); i++) {
    const RLink &l = L[i];
    Vec3 c(l.cx, l.cy, l.cz);
    Inertia Ic(l.Ix, l.Iy, l.Iz);
    SimTK::Body::Rigid bd(MassProperties(l.m, c, Ic.shiftFromMassCenter(c, l.m)));
    MobilizedBody &P = l.parent < 0 ? (MobilizedBody &)matter.Ground() : mb[l.parent];
    if (l.axis == 'f')
      mb[i] = MobilizedBody::Free(P, bd);
    else {
      Rotation R;
      if (l.axis == 'x')
        R.setRotationFromAngleAboutY(Pi / 2);
      else if (l.axis == 'y')
        R.setRotationFromAngleAboutX(-Pi / 2);
      mb[i] = MobilizedBody::Pin(P, Transform(R, Vec3(l.px, l.py, l.pz)), bd, Transform(R));
    }
  }
  State s = sys.realizeTopology();
  sys.realizeModel(s);
  int nq = s.getNQ(), nu = s.getNU();
  unsigned sd = 1;
  const int K = 64;
  std::vector<Vector> Q(K), V(K);
  for (int k = 0; k < K; k++) {
    Q[k].resize(nq);
    V[k].resize(nu);
    for (int i = 0; i < nq; i++) Q[k][i] = rnd(sd);
    for (int i = 0; i < nu; i++) V[k][i] = rnd(sd);
    if (L[0].axis == 'f') {
      double nn = 0;
      for (int i = 0; i < 4; i++) nn += Q[k][i] * Q[k][i];
      for (int i = 0; i < 4; i++) Q[k][i] /= sqrt(nn);
    }
  }
  double us, sp;
  p5_time(
      [&](int k) {
        k %= K;
        s.updQ() = Q[k];
        s.updU() = V[k];
        sys.realize(s, Stage::Acceleration);
      },
      us, sp);
  State t = sys.getDefaultState();
  sys.realize(t, Stage::Acceleration);
  p5_line(PEER, rb, nu, "realize(Acceleration)", us, sp, t.getUDot().norm());
  return 0;
}
