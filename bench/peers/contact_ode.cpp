// ODE. SETTING: step (direct), or a number: iterations of quickstep.
#include "contact.hpp"
#include <ode/ode.h>
const char *ENGINE = "ode-0.16";

struct Ode : World {
  double h;
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  std::vector<dBodyID> bodies;
  std::vector<dJointID> slides;
  const Scene scene;
  bool is_direct;
  struct Touch {
    int a, b;
    Vec along;
    dJointFeedback feedback;
  };
  std::vector<Touch *> touches;

  Ode(const Scene &s, const std::string &setting, double step) : h(step), scene(s) {
    dInitODE2(0);
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    group = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -s.gravity);
    is_direct = setting == "step";
    if (!is_direct) dWorldSetQuickStepNumIterations(world, atoi(setting.c_str()));
    dWorldSetCFM(world,
                 1e-10); // with none its direct solver fails on contacts that depend on each other
    for (size_t k = 0; k < s.walls.size(); k++)
      dGeomSetData(dCreatePlane(space, s.walls[k].normal.x, s.walls[k].normal.y,
                                s.walls[k].normal.z, s.walls[k].offset),
                   (void *)(-1 - (long)k));
    for (size_t k = 0; k < s.things.size(); k++) add(s.things[k], (long)k);
  }
  void add(const Thing &t, long k) {
    dBodyID body = dBodyCreate(world);
    dMass mass;
    if (t.is_box)
      dMassSetBoxTotal(&mass, t.mass, t.size.x, t.size.y, t.size.z);
    else
      dMassSetSphereTotal(&mass, t.mass, t.radius);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, t.at.x, t.at.y, t.at.z);
    dBodySetLinearVel(body, t.v.x, t.v.y, t.v.z);
    dBodySetAngularVel(body, t.w.x, t.w.y, t.w.z);
    dGeomID geom =
        t.is_box ? dCreateBox(space, t.size.x, t.size.y, t.size.z) : dCreateSphere(space, t.radius);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, (void *)k);
    bodies.push_back(body);
    dBodySetAutoDisableFlag(body, 0);
    if (!t.slides) return;
    dJointID slide = dJointCreateSlider(world, nullptr);
    dJointAttach(slide, body, nullptr);
    dJointSetSliderAxis(slide, 1, 0, 0);
  }
  static void near(void *data, dGeomID one, dGeomID two) {
    Ode *self = (Ode *)data;
    dBodyID b1 = dGeomGetBody(one), b2 = dGeomGetBody(two);
    if (!b1 && !b2) return;
    dContact contacts[8];
    memset(contacts, 0, sizeof contacts);
    const int count = dCollide(one, two, 8, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; k++) {
      dContact &c = contacts[k];
      c.surface.mode = dContactApprox1 | (self->scene.restitution > 0 ? dContactBounce : 0);
      c.surface.mu = self->scene.mu;
      c.surface.bounce = self->scene.restitution;
      c.surface.bounce_vel = 0.01;
      dJointID joint = dJointCreateContact(self->world, self->group, &c);
      dJointAttach(joint, b1, b2);
      dVector3 along, across; // as its contact joints choose them
      dPlaneSpace(c.geom.normal, along, across);
      auto *touch =
          new Touch{(int)(long)dGeomGetData(one), (int)(long)dGeomGetData(two), of(along), {}};
      dJointSetFeedback(joint, &touch->feedback);
      self->touches.push_back(touch);
    }
  }
  void step() override {
    for (Touch *t : touches) delete t;
    touches.clear();
    dJointGroupEmpty(group);
    for (size_t k = 0; k < bodies.size(); k++)
      if (scene.things[k].slides) dBodyAddForce(bodies[k], scene.things[k].push, 0, 0);
    dSpaceCollide(space, this, near);
    if (is_direct)
      dWorldStep(world, h);
    else
      dWorldQuickStep(world, h);
  }
  static Vec of(const dReal *v) { return {v[0], v[1], v[2]}; }
  State state(int k) override {
    return {of(dBodyGetPosition(bodies[k])), of(dBodyGetLinearVel(bodies[k])),
            of(dBodyGetAngularVel(bodies[k]))};
  }
  double parting(double depth) override { return dWorldGetERP(world) * depth / h; }
  std::vector<Push> pushes() override {
    std::vector<Push> out;
    for (const Touch *t : touches) {
      const Vec f = h * of(t->feedback.f1); // on one; ode swaps so that the first has a body
      if (t->b < 0)
        out.push_back({t->b, t->a, f, t->along});
      else if (t->a < 0)
        out.push_back({t->a, t->b, f, t->along});
      else
        out.push_back({t->a, t->b, -1.0 * f, t->along});
    }
    return out;
  }
};
World *make_world(const Scene &s, const std::string &setting, double h) {
  return new Ode(s, setting, h);
}
