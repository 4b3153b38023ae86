"""Stiffness and damping of a swing from a measured series, with their standard errors. Needs SciPy."""

import numpy as np

import holon

m = holon.Model("spring", parameters={"k": "8 N/m", "c": "0.4 N s/m"})
m.body("m", mass=2)
m.translational("rail", bodies=["ground", "m"], at=[0, 0, 0], axis="x", initial={"displacement": 1})
m.joint_spring_damper("s", joint="rail", stiffness="k", damping="c")
m.output("x", value="joint.rail.displacement")

# what would come from a sensor: a run with other values, and noise
t = np.linspace(0, 6, 121)
truth = m.with_parameters(k=9.3, c=0.55).run(6.0, output_step=0.05, tol=1e-8)
x = truth["x"] + 0.01 * np.random.default_rng(1).normal(size=t.size)

found = holon.fit(m, {"k": 7.0, "c": 0.3}, {"time": t, "x": x})
for name, value in found.parameters.items():
    print(f"{name} = {value:.4f} +- {found.errors[name]:.4f}")
