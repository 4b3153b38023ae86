# %% [markdown]
# # Parameters from a measurement
#
# A mass on a spring with a damper. What a sensor would say is made here: a run with other values, and noise.
# %%
import numpy as np

import holon

m = holon.Model("spring", parameters={"k": "8 N/m", "c": "0.4 N s/m"})
m.body("m", mass=2)
m.translational("rail", bodies=["ground", "m"], at=[0, 0, 0], axis="x", initial={"displacement": 1})
m.joint_spring_damper("s", joint="rail", stiffness="k", damping="c")
m.output("x", value="joint.rail.displacement")

truth = m.with_parameters(k=9.3, c=0.55).run(6.0, output_step=0.05, tol=1e-8)
t, x = truth.time, truth["x"] + 0.02 * np.random.default_rng(4).normal(size=truth.time.size)
# %%
found = holon.fit(m, {"k": 7.0, "c": 0.3}, {"time": t, "x": x})
for name, value in found.parameters.items():
    print(f"{name} = {value:.3f} +- {found.errors[name]:.3f}")
# %%
fitted = found.model(m).run(6.0, output_step=0.05)
holon.Plot("measured and fitted").line(t, x, "measured", "m").line(fitted.time, fitted["x"], "fitted", "m")
