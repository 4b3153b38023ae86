// DART peer: tree joints reduced coordinates, loops closed by constraint::BallJointConstraint (dynamic joint constraint). method = default (semi-implicit Euler + LCP), "pgs"; param = dt.
#include "harness.hpp"
#include "robots.hpp"
#include <dart/common/Console.hpp>
#include <dart/constraint/constraint.hpp>
#include <dart/dynamics/dynamics.hpp>
#include <dart/simulation/World.hpp>
using dart::dynamics::BodyNode;
using dart::dynamics::FreeJoint;
using dart::dynamics::RevoluteJoint;
using dart::dynamics::Skeleton;
using dart::dynamics::SkeletonPtr;
const char *PEER = "dart-6.12.1";
struct Da : Sim {
  ::Model M;
  dart::simulation::WorldPtr w;
  std::vector<BodyNode *> b;
  double h;
  long k = 0;
  bool needF;
  BodyNode *tb = nullptr;
  Da(const ::Model &mo, const std::string &meth, double dt) : M(mo), h(dt) {
    w = dart::simulation::World::create();
    w->setTimeStep(dt);
    w->setGravity(Eigen::Vector3d(0, -M.g, 0));
    int n = M.b.size();
    b.assign(n, nullptr);
    std::vector<const Joint *> jt(n, nullptr);
    for (auto &j : M.j)
      if (!j.cut) jt[j.b] = &j;
    std::vector<SkeletonPtr> sk(n);
    // one skeleton for the whole mechanism
    SkeletonPtr S = Skeleton::create("s");
    bool more = true;
    while (more) {
      more = false;
      for (int i = 0; i < n; i++)
        if (!b[i] && (jt[i]->a < 0 || b[jt[i]->a])) {
          more = true;
          const Joint &j = *jt[i];
          const Body &o = M.b[i];
          RevoluteJoint::Properties jp;
          jp.mName = "j" + std::to_string(i);
          jp.mAxis = Eigen::Vector3d::UnitZ();
          jp.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(j.ax, j.ay, 0);
          jp.mT_ChildBodyToJoint.translation() = Eigen::Vector3d(j.bx, j.by, 0);
          BodyNode::Properties bp;
          bp.mName = "b" + std::to_string(i);
          bp.mInertia.setMass(o.m);
          bp.mInertia.setMoment(o.I, o.I, o.I, 0, 0, 0);
          auto pr =
              S->createJointAndBodyNodePair<RevoluteJoint>(j.a < 0 ? nullptr : b[j.a], jp, bp);
          b[i] = pr.second;
          double th = o.th - (j.a < 0 ? 0 : M.b[j.a].th), om = o.w - (j.a < 0 ? 0 : M.b[j.a].w);
          pr.first->setPosition(0, th);
          pr.first->setVelocity(0, om);
          if (j.k || j.c) {
            pr.first->setSpringStiffness(0, j.k);
            pr.first->setRestPosition(0, j.th0);
            pr.first->setDampingCoefficient(0, j.c);
          }
          if (i == M.torqueBody) tb = b[i];
        }
    }
    w->addSkeleton(S);
    for (auto &j : M.j)
      if (j.cut) {
        const Pose0 p = pt(j);
        auto c = std::make_shared<dart::constraint::BallJointConstraint>(
            b[j.b], b[j.a], Eigen::Vector3d(p.x, p.y, 0));
        w->getConstraintSolver()->addConstraint(c);
      }
    needF = tb || M.s.size();
  }
  struct Pose0 {
    double x, y;
  };
  Pose0 pt(const Joint &j) {
    const Body &o = M.b[j.b];
    return {o.x + cos(o.th) * j.bx - sin(o.th) * j.by, o.y + sin(o.th) * j.bx + cos(o.th) * j.by};
  }
  bool advance(double T) override {
    long K = lround(T / h);
    for (; k < K; k++) {
      if (needF) {
        if (tb) tb->getParentJoint()->setForce(0, M.torque);
        for (auto &s : M.s) {
          Eigen::Vector3d p = b[s.b]->getWorldTransform() * Eigen::Vector3d(s.bx, s.by, 0);
          double dx = p[0] - s.gx, dy = p[1] - s.gy, l = hypot(dx, dy), f = -s.k * (l - s.l0) / l;
          b[s.b]->addExtForce(Eigen::Vector3d(f * dx, f * dy, 0), Eigen::Vector3d(s.bx, s.by, 0),
                              false, true);
        }
      }
      w->step();
    }
    steps = k;
    return std::isfinite(b[0]->getCOM()[0]);
  }
  void poses(std::vector<Pose> &P) override {
    for (size_t i = 0; i < P.size(); i++) {
      auto &T = b[i]->getWorldTransform();
      auto v = b[i]->getCOMLinearVelocity();
      P[i] = {T.translation()[0],
              T.translation()[1],
              T.linear()(0, 0),
              T.linear()(1, 0),
              v[0],
              v[1],
              b[i]->getAngularVelocity()[2]};
    }
  }
};
std::unique_ptr<Sim> make_sim(const ::Model &M, const std::string &m, double p) {
  if (M.space) exit(1); // planar problems only
  return std::make_unique<Da>(M, m, p);
}
int bench_extra(int ac, char **av) {
  const char *rb = av[2];
  auto L = make_robot(rb);
  SkeletonPtr S = Skeleton::create("r");
  std::vector<BodyNode *> b(L.size());
  S->setGravity(Eigen::Vector3d(0, 0, -9.81));
  for (size_t i = 0; i < L.size(); i++) {
    const RLink &l = L[i];
    BodyNode::Properties bp;
    bp.mName = "b" + std::to_string(i);
    bp.mInertia.setMass(l.m);
    bp.mInertia.setLocalCOM(Eigen::Vector3d(l.cx, l.cy, l.cz));
    bp.mInertia.setMoment(l.Ix, l.Iy, l.Iz, 0, 0, 0);
    BodyNode *p = l.parent < 0 ? nullptr : b[l.parent];
    if (l.axis == 'f')
      b[i] = S->createJointAndBodyNodePair<FreeJoint>(p, FreeJoint::Properties(), bp).second;
    else {
      RevoluteJoint::Properties jp;
      jp.mName = "j" + std::to_string(i);
      jp.mAxis = Eigen::Vector3d(l.axis == 'x', l.axis == 'y', l.axis == 'z');
      jp.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(l.px, l.py, l.pz);
      b[i] = S->createJointAndBodyNodePair<RevoluteJoint>(p, jp, bp).second;
    }
  }
  int n = S->getNumDofs();
  unsigned sd = 1;
  const int K = 64;
  std::vector<Eigen::VectorXd> Q(K), V(K);
  for (int k = 0; k < K; k++) {
    Q[k].resize(n);
    V[k].resize(n);
    for (int i = 0; i < n; i++) Q[k][i] = rnd(sd);
    for (int i = 0; i < n; i++) V[k][i] = rnd(sd);
  }
  double us, sp;
  p5_time(
      [&](int k) {
        k %= K;
        S->setPositions(Q[k]);
        S->setVelocities(V[k]);
        S->computeForwardDynamics();
      },
      us, sp);
  S->setPositions(Eigen::VectorXd::Zero(n));
  S->setVelocities(Eigen::VectorXd::Zero(n));
  S->computeForwardDynamics();
  p5_line(PEER, rb, n, "computeForwardDynamics", us, sp, S->getAccelerations().norm());
  return 0;
}
