"""A cart on a rail, held at a place by a controller in Python that is asked 1000 times a second."""

import holon

m = holon.Model("cart")
m.body("cart", mass=2, inertia=[1, 1, 1])
m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x")
m.input("push", value="0 N")
m.point_force("motor", body="cart", at=[0, 0, 0], force=["push", 0, 0])

wanted, stiffness, damping = 1.0, 50.0, 20.0
with m.simulation(step=1e-3, formula="dopri5") as s:
    place = s.select(["joint.rail.displacement", "joint.rail.displacement_rate"])
    for _ in range(3000):
        x, v = place.read()
        s.inputs["push"] = stiffness * (wanted - x) - damping * v
        s.step(1e-3)
    print(f"t = {s.time:.3f} s, x = {s['joint.rail.displacement']:.6f} m")
