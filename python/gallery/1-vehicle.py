# %% [markdown]
# # A vehicle over ramp and stairs
#
# The Iltis of the multibody benchmarks, from a model file: nine bodies, twenty joints, four closed loops in the suspensions.
# %%
import holon

car = holon.load("models/iltis/iltis.yaml")
car.check()
# %% [markdown]
# A run says how far it can be trusted, draws its outputs and moves.
# %%
r = car.run()
r
# %% [markdown]
# Every output has an error bar, from a second run beside the first one.
# %%
for name in car.outputs:
    print(f"{name:15} {r[name][-1]:12.5f} +- {r.accuracy.signals[name].last:.1g} {r.units[name]}")
