# %% [markdown]
# # Many runs, one table
#
# How hard stairs of several heights hit a vehicle on tyres of several stiffnesses. Rows run in threads; the table is the
# same, byte for byte, whatever runs them.
# %%
import holon

car = holon.load("models/iltis/iltis.yaml")
table = holon.sweep(car, {"tyre": "300:600:4 kN/m", "stair": "0.05:0.29:9"},
                    ["chassis.az:max", "chassis.z:max"])
table
# %%
table.plot("chassis.az:max", over="stair")
