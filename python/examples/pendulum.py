"""A pendulum made in code: one run, one plot."""

import holon

m = holon.Model("pendulum", gravity=[0, 0, -9.81])
m.body("rod", mass=1, inertia=[0, 1 / 12, 1 / 12], position=[0.5, 0, 0])
m.revolute("pin", bodies=["ground", "rod"], at=[0, 0, 0], axis="y")
m.output("angle", value="joint.pin.angle")

r = m.run(5.0, tol=1e-8)
print(r)
print(f"at the end: {r['angle'][-1]:.6f} rad, known to {r.accuracy.signals['angle'].last:.1g}"
      if r.accuracy else "")
r.plot("angle").save("pendulum.svg")
