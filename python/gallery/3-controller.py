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
rows = []
with m.simulation(tol=1e-6) as s:
    seen = s.select(["joint.rail.displacement", "joint.rail.displacement_rate",
                     "joint.hinge.angle", "joint.hinge.angle_rate"])
    for _ in range(600):
        state = seen.read()
        s.inputs["push"] = -float(gains @ state)
        s.step(0.01)
        rows.append([s.time, *state])
t, x, _, angle, _ = np.array(rows).T
print(f"after {t[-1]:.0f} s: {angle[-1]:+.4f} rad, {x[-1]:+.4f} m")
# %%
holon.Plot("upright").line(t, angle, "angle / rad").line(t, x, "place / m")
