// Bullet peer (double precision build). method = mb: btMultiBody (Featherstone) + btMultiBodyPoint2Point for loops; rb: btRigidBody + btHingeConstraint (SI solver); suffix number = solver iterations (default 50, mb50, rb500); mbd: mb with MLCP Dantzig. param = dt.
// Rotational spring-dampers: explicit joint torques.
#include "harness.hpp"
#include "robots.hpp"
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>
const char *PEER = "bullet-3.24-f64";
struct Bu : Sim {
  Model M;
  bool mb;
  double h;
  long k = 0;
  btDefaultCollisionConfiguration cc;
  btCollisionDispatcher disp;
  btDbvtBroadphase bp;
  btMultiBodyConstraintSolver sol;
  btMultiBodyDynamicsWorld w;
  std::vector<btRigidBody *> rb;
  std::vector<btHingeConstraint *> hc;
  std::vector<btMultiBody *> trees;
  std::vector<std::pair<int, int>> loc;
  std::vector<const Joint *> jt;
  btSphereShape shp;
  Bu(const Model &mo, const std::string &meth, double dt)
      : M(mo), h(dt), disp(&cc), w(&disp, &bp, &sol, &cc), shp(0.01) {
    mb = meth[0] == 'm';
    int it = atoi(meth.c_str() + 2);
    if (it <= 0) it = 50;
    w.setGravity(btVector3(0, -M.g, 0));
    w.getSolverInfo().m_numIterations = it;
    w.getSolverInfo().m_globalCfm = 0;
    int n = M.b.size();
    jt.assign(n, nullptr);
    for (auto &j : M.j)
      if (!j.cut) jt[j.b] = &j;
    if (!mb) {
      for (auto &o : M.b) {
        btTransform T(btQuaternion(btVector3(0, 0, 1), o.th), btVector3(o.x, o.y, 0));
        btRigidBody *x = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(
            o.m, new btDefaultMotionState(T), &shp, btVector3(o.I, o.I, o.I)));
        x->setLinearVelocity(btVector3(o.vx, o.vy, 0));
        x->setAngularVelocity(btVector3(0, 0, o.w));
        x->setActivationState(DISABLE_DEACTIVATION);
        x->setFlags(0);
        w.addRigidBody(x, 0, 0);
        rb.push_back(x);
      }
      for (auto &j : M.j) {
        btVector3 z(0, 0, 1), pb(j.bx, j.by, 0), pa(j.ax, j.ay, 0);
        btHingeConstraint *c;
        if (j.a < 0)
          c = new btHingeConstraint(*rb[j.b], pb, z);
        else
          c = new btHingeConstraint(*rb[j.a], *rb[j.b], pa, pb, z, z);
        w.addConstraint(c, true);
        hc.push_back(c);
      }
    } else { // one multibody with a fixed massless base holds the whole tree
      std::vector<int> ord, link(n, -1);
      std::vector<bool> done(n, false);
      bool more = true;
      while (more) {
        more = false;
        for (int i = 0; i < n; i++)
          if (!done[i] && (jt[i]->a < 0 || done[jt[i]->a])) {
            done[i] = true;
            link[i] = ord.size();
            ord.push_back(i);
            more = true;
          }
      }
      btMultiBody *t = new btMultiBody(n, 0, btVector3(0, 0, 0), true, false);
      t->setBaseWorldTransform(btTransform::getIdentity());
      for (int i : ord) {
        const Joint &j = *jt[i];
        const Body &o = M.b[i];
        int p = j.a < 0 ? -1 : link[j.a];
        t->setupRevolute(link[i], o.m, btVector3(o.I, o.I, o.I), p, btQuaternion(0, 0, 0, 1),
                         btVector3(0, 0, 1), btVector3(j.ax, j.ay, 0), btVector3(-j.bx, -j.by, 0),
                         true);
      }
      t->finalizeMultiDof();
      t->setCanSleep(false);
      t->setLinearDamping(0);
      t->setAngularDamping(0);
      t->setUseGyroTerm(true);
      t->setMaxCoordinateVelocity(1e10);
      if (meth.find("rk4") != std::string::npos) t->useRK4Integration(true);
      w.addMultiBody(t, 0, 0);
      trees.push_back(t);
      for (int i = 0; i < n; i++) {
        const Joint &j = *jt[i];
        t->setJointPos(link[i], M.b[i].th - (j.a < 0 ? 0 : M.b[j.a].th));
        t->setJointVel(link[i], M.b[i].w - (j.a < 0 ? 0 : M.b[j.a].w));
        loc.push_back({0, link[i]});
      }
      // constraints are only solved for links that have a collider (island building)
      for (int i = 0; i < n; i++) {
        auto *col = new btMultiBodyLinkCollider(t, i);
        col->setCollisionShape(&shp);
        w.addCollisionObject(col, 0, 0);
        t->getLink(i).m_collider = col;
      }
      fk();
      for (auto &j : M.j)
        if (j.cut) {
          auto *c = new btMultiBodyPoint2Point(t, link[j.a], t, link[j.b], btVector3(j.ax, j.ay, 0),
                                               btVector3(j.bx, j.by, 0));
          c->setMaxAppliedImpulse(1e30);
          w.addMultiBodyConstraint(c);
        }
      fk();
    }
  }
  void fk() {
    btAlignedObjectArray<btQuaternion> q;
    btAlignedObjectArray<btVector3> v;
    trees[0]->forwardKinematics(q, v);
  }
  bool advance(double T) override {
    long K = lround(T / h);
    for (; k < K; k++) {
      if (mb)
        for (size_t i = 0; i < jt.size(); i++) {
          auto &j = *jt[i];
          int l = loc[i].second;
          if (j.k || j.c)
            trees[0]->addJointTorque(l, -j.k * (trees[0]->getJointPos(l) - j.th0) -
                                            j.c * trees[0]->getJointVel(l));
        }
      w.stepSimulation(h, 0, h);
    }
    steps = k;
    std::vector<Pose> P(M.b.size());
    poses(P);
    return std::isfinite(P[0].x);
  }
  void poses(std::vector<Pose> &P) override {
    if (!mb) {
      for (size_t i = 0; i < P.size(); i++) {
        auto &T = rb[i]->getWorldTransform();
        auto v = rb[i]->getLinearVelocity();
        P[i] = {T.getOrigin()[0],
                T.getOrigin()[1],
                T.getBasis()[0][0],
                T.getBasis()[1][0],
                v[0],
                v[1],
                rb[i]->getAngularVelocity()[2]};
      }
      return;
    }
    int n = P.size();
    std::vector<double> th(n), om(n);
    std::vector<bool> done(n, false);
    bool more = true;
    while (more) {
      more = false;
      for (int i = 0; i < n; i++)
        if (!done[i] && (jt[i]->a < 0 || done[jt[i]->a])) {
          done[i] = more = true;
          const Joint &j = *jt[i];
          int l = loc[i].second;
          double t = trees[0]->getJointPos(l) + (j.a < 0 ? 0 : th[j.a]),
                 o = trees[0]->getJointVel(l) + (j.a < 0 ? 0 : om[j.a]), ax = j.ax, ay = j.ay,
                 vx = 0, vy = 0;
          if (j.a >= 0) {
            Pose &p = P[j.a];
            double rx = p.c * j.ax - p.s * j.ay, ry = p.s * j.ax + p.c * j.ay;
            ax = p.x + rx;
            ay = p.y + ry;
            vx = p.vx - p.w * ry;
            vy = p.vy + p.w * rx;
          }
          th[i] = t;
          om[i] = o;
          double c = cos(t), s = sin(t), rx = -(c * j.bx - s * j.by), ry = -(s * j.bx + c * j.by);
          P[i] = {ax + rx, ay + ry, c, s, vx - o * ry, vy + o * rx, o};
        }
    }
  }
};
std::unique_ptr<Sim> make_sim(const Model &M, const std::string &m, double p) {
  if (M.space) exit(1); // planar problems only
  return std::make_unique<Bu>(M, m, p);
}
int bench_extra(int ac, char **av) {
  const char *rb = av[2];
  auto L = make_robot(rb);
  bool fl = L[0].axis == 'f';
  int n = L.size() - (fl ? 1 : 0), o = fl ? 1 : 0;
  btMultiBody *t =
      fl ? new btMultiBody(n, L[0].m, btVector3(L[0].Ix, L[0].Iy, L[0].Iz), false, false)
         : new btMultiBody(n, 0, btVector3(0, 0, 0), true, false);
  for (int i = 0; i < n; i++) {
    const RLink &l = L[i + o];
    int p = l.parent - o;
    const RLink *P = l.parent >= 0 ? &L[l.parent] : nullptr;
    btVector3 pc(0, 0, 0);
    if (P) pc.setValue(P->cx, P->cy, P->cz);
    t->setupRevolute(i, l.m, btVector3(l.Ix, l.Iy, l.Iz), p, btQuaternion(0, 0, 0, 1),
                     btVector3(l.axis == 'x', l.axis == 'y', l.axis == 'z'),
                     btVector3(l.px, l.py, l.pz) - pc, btVector3(l.cx, l.cy, l.cz), true);
  }
  t->finalizeMultiDof();
  t->setLinearDamping(0);
  t->setAngularDamping(0);
  t->setUseGyroTerm(true);
  int nv = n + (fl ? 6 : 0);
  btAlignedObjectArray<btScalar> sr;
  btAlignedObjectArray<btVector3> sv;
  btAlignedObjectArray<btMatrix3x3> sm;
  unsigned sd = 1;
  const int K = 64;
  std::vector<double> Q(K * n), V(K * n);
  for (auto &x : Q) x = rnd(sd);
  for (auto &x : V) x = rnd(sd);
  const double dt = 1e-3;
  auto fd = [&](const double *q, const double *v) {
    t->clearForcesAndTorques();
    t->clearVelocities();
    for (int i = 0; i < n; i++) {
      t->setJointPos(i, q[i]);
      t->setJointVel(i, v[i]);
      t->addLinkForce(i, btVector3(0, 0, -9.81) * t->getLinkMass(i));
    }
    if (fl) t->addBaseForce(btVector3(0, 0, -9.81) * t->getBaseMass());
    sr.resize(n + 1);
    sv.resize(n + 1);
    sm.resize(n + 1);
    t->computeAccelerationsArticulatedBodyAlgorithmMultiDof(dt, sr, sv, sm, false, false, false);
  };
  double us, sp;
  p5_time(
      [&](int k) {
        k %= K;
        fd(&Q[k * n], &V[k * n]);
      },
      us, sp);
  std::vector<double> z(n, 0.0);
  fd(z.data(), z.data());
  double c = 0;
  const btScalar *a = t->getVelocityVector();
  (void)a;
  for (int i = 0; i < n; i++) c += pow(t->getJointVel(i) / dt, 2);
  p5_line(PEER, rb, nv, "ABA(computeAccelerations)", us, sp, sqrt(c));
  return 0;
}
