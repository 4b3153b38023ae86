// Bullet, double precision, sequential impulses, friction in two directions (its default is one). SETTING: iterations.
#include "contact.hpp"
#include <btBulletDynamicsCommon.h>
const char *ENGINE = "bullet-3.24-f64";

struct Bullet : World {
  double h;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
  std::vector<btRigidBody *> bodies;
  const Scene scene;

  btRigidBody *add(btCollisionShape *shape, double mass, Vec at) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    auto *motion = new btDefaultMotionState(
        btTransform(btQuaternion(0, 0, 0, 1), btVector3(at.x, at.y, at.z)));
    auto *body =
        new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(mass, motion, shape, inertia));
    body->setFriction(sqrt(scene.mu)); // Bullet multiplies those of both
    body->setRestitution(sqrt(scene.restitution));
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
    return body;
  }
  Bullet(const Scene &s, const std::string &setting, double step) : h(step), scene(s) {
    world.setGravity(btVector3(0, 0, -s.gravity));
    world.getSolverInfo().m_numIterations = atoi(setting.c_str());
    world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (size_t k = 0; k < s.walls.size(); k++) {
      const Half &w = s.walls[k];
      add(new btStaticPlaneShape(btVector3(w.normal.x, w.normal.y, w.normal.z), w.offset), 0, {})
          ->setUserIndex(-1 - (int)k);
    }
    for (size_t k = 0; k < s.things.size(); k++) {
      const Thing &t = s.things[k];
      btCollisionShape *shape = new btSphereShape(t.radius);
      if (t.is_box) shape = new btBoxShape(btVector3(t.size.x / 2, t.size.y / 2, t.size.z / 2));
      bodies.push_back(add(shape, t.mass, t.at));
      bodies.back()->setUserIndex((int)k);
      bodies.back()->setLinearVelocity(btVector3(t.v.x, t.v.y, t.v.z));
      bodies.back()->setAngularVelocity(btVector3(t.w.x, t.w.y, t.w.z));
      if (!t.slides) continue;
      bodies.back()->setLinearFactor(btVector3(1, 0, 0));
      bodies.back()->setAngularFactor(btVector3(0, 0, 0));
    }
  }
  void step() override {
    for (size_t k = 0; k < bodies.size(); k++)
      if (scene.things[k].slides)
        bodies[k]->applyCentralForce(btVector3(scene.things[k].push, 0, 0));
    world.stepSimulation(h, 0, h);
  }
  static Vec of(const btVector3 &v) { return {v.x(), v.y(), v.z()}; }
  State state(int k) override {
    return {of(bodies[k]->getWorldTransform().getOrigin()), of(bodies[k]->getLinearVelocity()),
            of(bodies[k]->getAngularVelocity())};
  }
  double parting(double depth) override { return world.getSolverInfo().m_erp2 * depth / h; }
  std::vector<Push> pushes() override {
    std::vector<Push> out;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++) {
      const btPersistentManifold *m = dispatcher.getManifoldByIndexInternal(i);
      const int a = m->getBody0()->getUserIndex(), b = m->getBody1()->getUserIndex();
      for (int k = 0; k < m->getNumContacts(); k++) {
        const btManifoldPoint &c = m->getContactPoint(k);
        // on body 0
        const Vec p = c.m_appliedImpulse * of(c.m_normalWorldOnB) +
                      c.m_appliedImpulseLateral1 * of(c.m_lateralFrictionDir1) +
                      c.m_appliedImpulseLateral2 * of(c.m_lateralFrictionDir2);
        if (b < 0)
          out.push_back({b, a, p, of(c.m_lateralFrictionDir1)});
        else
          out.push_back({a, b, -1.0 * p, of(c.m_lateralFrictionDir1)});
      }
    }
    return out;
  }
};
World *make_world(const Scene &s, const std::string &setting, double h) {
  return new Bullet(s, setting, h);
}
