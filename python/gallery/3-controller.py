# %% [markdown]
# # A controller in the loop
#
# A pendulum on a cart, held upright by a force that is computed 100 times a second.
# %%
import numpy as np

import holon

m = holon.Model("cart-pole", gravity=[0, 0, -9.81])
m.body("cart", mass=1, inertia=[1, 1, 1])
m.body("pole", mass=0.2, inertia=[0.0042, 0.0042, 1e-5], position=[0, 0, 0.25])
m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x")
m.revolute("hinge", bodies=["cart", "pole"], at=[0, 0, 0], axis="y", initial={"angle": 0.15})
m.input("push", value="0 N")
m.point_force("motor", body="cart", at=[0, 0, 0], force=["push", 0, 0])
# %%
gains = np.array([-3.2, -5.0, -45.0, -9.0])  # place, speed, angle, rate
with m.simulation(tol=1e-6) as s:
    seen = s.select(["joint.rail.displacement", "joint.rail.displacement_rate",
                     "joint.hinge.angle", "joint.hinge.angle_rate"])
    record = s.record("joint.*")
    for _ in range(600):
        s.inputs["push"] = -float(gains @ seen.read())
        s.step(0.01)
        record()
r = record.results()
print(f"after {r.time[-1]:.0f} s: {r['joint.hinge.angle'][-1]:+.4f} rad, "
      f"{r['joint.rail.displacement'][-1]:+.4f} m")
# %%
r.plot("joint.hinge.angle", "joint.rail.displacement", title="upright")
# %% [markdown]
# Rows that were recorded are results as of a run: they move, too.
# %%
r
