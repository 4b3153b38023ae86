# %% [markdown]
# # A machine in code
#
# A slider-crank: a crank turns, a rod pushes a piston. Lengths are parameters.
# %%
import holon

m = holon.Model("slider-crank", gravity=[0, 0, -9.81], parameters={"crank": "0.1 m", "rod": "0.3 m"})
m.body("crank", mass=1, inertia=[0, 1e-3, 1e-3], position=["crank/2", 0, 0])
m.body("rod", mass=0.8, inertia=[0, 6e-3, 6e-3], position=["crank + rod/2", 0, 0])
m.body("piston", mass=0.5, inertia=[1e-3, 1e-3, 1e-3], position=["crank + rod", 0, 0])
m.revolute("main", bodies=["ground", "crank"], at=[0, 0, 0], axis="y")
m.revolute("pin", bodies=["crank", "rod"], at=["crank", 0, 0], axis="y")
m.revolute("wrist", bodies=["rod", "piston"], at=["crank + rod", 0, 0], axis="y")
m.translational("bore", bodies=["ground", "piston"], at=["crank + rod", 0, 0], axis="x")
m.driver("motor", joint="main", motion="20*t")
m.output("stroke", value="joint.bore.displacement")
# %% [markdown]
# The motor leaves no freedom, so positions can be solved without integrating anything.
# %%
r = m.kinematics(1.0, output_step=0.002)
r.plot("stroke")
# %% [markdown]
# The exact stroke of a slider-crank is `a cos x + sqrt(b^2 - a^2 sin^2 x) - a - b`.
# %%
import numpy as np

x = 20 * r.time
exact = 0.1 * np.cos(x) + np.sqrt(0.3**2 - (0.1 * np.sin(x)) ** 2) - 0.4
print("largest difference", f"{abs(r['stroke'] - exact).max():.1e}", "m")
r
