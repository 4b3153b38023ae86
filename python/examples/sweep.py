"""How the suspension of a vehicle takes a ramp, for tyres of many stiffnesses."""

import sys

import holon

car = holon.load(sys.argv[1] if len(sys.argv) > 1 else "models/iltis/iltis.yaml")
table = holon.sweep(car, {"tyre": "300:600:7 kN/m"}, ["chassis.z:max", "chassis.az:rms"], time=2.0)
print(table.text, end="")
print(f"smoothest: {table['tyre'][table['chassis.az:rms'].argmin()]:g} kN/m")
