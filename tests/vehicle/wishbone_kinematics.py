"""Toe, camber, lateral way of the contact point and roll center of the double wishbone of
models/vehicles/wishbone.yaml over travel, by Newton's method on the lengths of its members.

The knuckle is five lengths and one height: two to the hinges of each arm, one tie rod, and the height of
the wheel center. Unknowns are its position and a rotation vector. Nothing of Holon is used. NumPy.
"""
import numpy as np

load, radius, stiffness = 1450 * 9.81 / 4, 0.313, 200e3
wheel = np.array([0, 0, radius - load / stiffness])
lower_ball, upper_ball = np.array([0.01, -0.06, 0.18]), np.array([-0.015, -0.10, 0.50])
lower = np.array([[0.15, -0.41, 0.20], [-0.20, -0.41, 0.20]])
upper = np.array([[0.10, -0.36, 0.53], [-0.14, -0.36, 0.515]])
tie_inner, tie_outer = np.array([0.13, -0.40, 0.262]), np.array([0.14, -0.08, 0.25])
half_track = 0.75
members = ([(lower_ball, p) for p in lower] + [(upper_ball, p) for p in upper] + [(tie_outer, tie_inner)])
lengths = [np.linalg.norm(a - b) for a, b in members]


def rotation(v):
    angle = np.linalg.norm(v)
    if angle < 1e-14:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def residual(u, travel):
    r, a = u[:3], rotation(u[3:])
    of = [np.linalg.norm(r + a @ (p - wheel) - q) - l for (p, q), l in zip(members, lengths)]
    return np.array(of + [r[2] - wheel[2] - travel])


def solve(travel, u):
    for _ in range(50):
        f = residual(u, travel)
        j = np.empty((6, 6))
        for k in range(6):
            d = np.zeros(6)
            d[k] = 1e-6
            j[:, k] = (residual(u + d, travel) - residual(u - d, travel)) / 2e-6
        step = np.linalg.solve(j, f)
        u = u - step
        if np.abs(step).max() < 1e-14:
            break
    return u


def state(travel):
    """toe (deg, inwards), camber (deg, top outwards), y of the contact point (m)"""
    u = solve(travel, np.concatenate([wheel + [0, 0, travel], np.zeros(3)]))
    axis = rotation(u[3:]) @ [0, 1, 0]  # of the wheel, outwards
    toe = np.degrees(np.arctan2(axis[0], axis[1]))
    camber = -np.degrees(np.arcsin(axis[2]))
    return toe, camber, u[1] + wheel[2] * axis[2]


print("travel_mm,toe_deg,camber_deg,contact_y_mm,roll_center_mm")
for mm in range(-50, 51, 10):
    toe, camber, y = state(mm / 1000)
    slope = (state(mm / 1000 + 1e-5)[2] - state(mm / 1000 - 1e-5)[2]) / 2e-5
    print(f"{mm},{toe:.9f},{camber:.9f},{1000 * y:.7f},{1000 * (half_track + y) * slope:.6f}")
