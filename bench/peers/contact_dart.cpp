// DART. SETTING: dantzig, or pgs with its iterations behind: pgs100.
#include "contact.hpp"
#include <dart/collision/bullet/bullet.hpp>
#include <dart/constraint/constraint.hpp>
#include <dart/dart.hpp>
const char *ENGINE = "dart-6.12";
using namespace dart;

struct Dart : World {
  double h;
  simulation::WorldPtr world = simulation::World::create();
  std::vector<dynamics::BodyNode *> bodies;
  std::map<const dynamics::BodyNode *, int> number;
  const Scene scene;

  Dart(const Scene &s, const std::string &setting, double step) : h(step), scene(s) {
    world->setTimeStep(h);
    world->setGravity(Eigen::Vector3d(0, 0, -s.gravity));
    std::shared_ptr<constraint::BoxedLcpSolver> lcp =
        std::make_shared<constraint::DantzigBoxedLcpSolver>();
    if (setting.rfind("pgs", 0) == 0) {
      auto pgs = std::make_shared<constraint::PgsBoxedLcpSolver>();
      auto option = pgs->getOption();
      option.mMaxIteration = atoi(setting.c_str() + 3);
      pgs->setOption(option);
      lcp = pgs;
    }
    auto solver = std::make_unique<constraint::BoxedLcpConstraintSolver>(lcp, nullptr);
    world->setConstraintSolver(std::move(solver));
    world->getConstraintSolver()->setCollisionDetector(
        collision::BulletCollisionDetector::create());
    for (size_t k = 0; k < s.walls.size(); k++) add_wall(s.walls[k], -1 - (int)k);
    for (size_t k = 0; k < s.things.size(); k++) add(s.things[k], (int)k);
  }
  void shape(dynamics::BodyNode *body, dynamics::ShapePtr form, int index) {
    auto *node = body->createShapeNodeWith<dynamics::VisualAspect, dynamics::CollisionAspect,
                                           dynamics::DynamicsAspect>(form);
    node->getDynamicsAspect()->setFrictionCoeff(scene.mu);
    node->getDynamicsAspect()->setRestitutionCoeff(scene.restitution);
    number[body] = index;
  }
  void add_wall(const Half &w, int index) { // a large box whose face is the wall
    auto skeleton = dynamics::Skeleton::create("wall" + std::to_string(-index));
    auto pair = skeleton->createJointAndBodyNodePair<dynamics::WeldJoint>();
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    const double thick = 1;
    const Vec c = (w.offset - thick) * w.normal;
    at.translation() = Eigen::Vector3d(c.x, c.y, c.z);
    const double wide = 8;
    Eigen::Vector3d size(w.normal.x != 0 ? 2 * thick : wide, w.normal.y != 0 ? 2 * thick : wide,
                         w.normal.z != 0 ? 2 * thick : wide);
    pair.first->setTransformFromParentBodyNode(at);
    shape(pair.second, std::make_shared<dynamics::BoxShape>(size), index);
    skeleton->setMobile(false);
    world->addSkeleton(skeleton);
  }
  void add(const Thing &t, int index) {
    auto skeleton = dynamics::Skeleton::create("thing" + std::to_string(index));
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    at.translation() = Eigen::Vector3d(t.at.x, t.at.y, t.at.z);
    dynamics::BodyNode *body;
    if (t.slides) {
      auto pair = skeleton->createJointAndBodyNodePair<dynamics::PrismaticJoint>();
      pair.first->setAxis(Eigen::Vector3d::UnitX());
      pair.first->setTransformFromParentBodyNode(at);
      body = pair.second;
    } else {
      auto pair = skeleton->createJointAndBodyNodePair<dynamics::FreeJoint>();
      pair.first->setRelativeTransform(at);
      Eigen::Vector6d velocity;
      velocity << t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z;
      pair.first->setRelativeSpatialVelocity(velocity, dynamics::Frame::World());
      body = pair.second;
    }
    dynamics::ShapePtr form;
    if (t.is_box)
      form = std::make_shared<dynamics::BoxShape>(Eigen::Vector3d(t.size.x, t.size.y, t.size.z));
    else
      form = std::make_shared<dynamics::SphereShape>(t.radius);
    dynamics::Inertia inertia;
    inertia.setMass(t.mass);
    inertia.setMoment(form->computeInertia(t.mass));
    body->setInertia(inertia);
    shape(body, form, index);
    bodies.push_back(body);
    world->addSkeleton(skeleton);
  }
  void step() override {
    for (size_t k = 0; k < bodies.size(); k++)
      if (scene.things[k].slides)
        bodies[k]->addExtForce(Eigen::Vector3d(scene.things[k].push, 0, 0), Eigen::Vector3d::Zero(),
                               false);
    world->step();
  }
  static Vec of(const Eigen::Vector3d &v) { return {v[0], v[1], v[2]}; }
  State state(int k) override {
    return {of(bodies[k]->getTransform().translation()), of(bodies[k]->getLinearVelocity()),
            of(bodies[k]->getAngularVelocity())};
  }
  int index(const collision::CollisionObject *object) {
    return number[object->getShapeFrame()->asShapeNode()->getBodyNodePtr().get()];
  }
  double parting(double depth) override {
    typedef constraint::ContactConstraint Contact;
    return fmin(Contact::getErrorReductionParameter() * depth / h,
                Contact::getMaxErrorReductionVelocity());
  }
  std::vector<Push> pushes() override {
    std::vector<Push> out;
    for (const auto &c : world->getLastCollisionResult().getContacts()) {
      const int a = index(c.collisionObject1), b = index(c.collisionObject2);
      const Vec p = h * of(c.force), n = of(c.normal); // on body 1
      Vec along = cross({0, 0, 1}, n);                 // as its contacts choose it
      if (norm(along) < 1e-6) along = cross({1, 0, 0}, n);
      if (b < 0)
        out.push_back({b, a, p, along});
      else if (a < 0)
        out.push_back({a, b, -1.0 * p, along});
      else
        out.push_back({a, b, -1.0 * p, along});
    }
    return out;
  }
};
World *make_world(const Scene &s, const std::string &setting, double h) {
  return new Dart(s, setting, h);
}
