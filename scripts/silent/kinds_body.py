"""Kinds with free or spinning bodies, contacts, mechanisms with loops, and locked mechanisms."""
import math

import numpy as np
from scipy.spatial.transform import Rotation

from . import pulses
from .case import Case, log_uniform, near, uniform, vec
from .kinds_time import G
from .reference import hybrid, integrate


def rotate(q, v):
    """A vector of the body in global axes; q = (w, x, y, z)."""
    w, u = q[0], q[1:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def spin(inertia, torque):
    """y' of y = (quaternion, angular velocity in body axes); torque(t, q) in body axes."""
    inertia = np.array(inertia)

    def rhs(t, y):
        q, w = y[:4], y[4:7]
        qd = 0.5 * np.array([-q[1] * w[0] - q[2] * w[1] - q[3] * w[2], q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
                             q[0] * w[1] + q[3] * w[0] - q[1] * w[2], q[0] * w[2] + q[1] * w[1] - q[2] * w[0]])
        h = inertia * w
        m = torque(t, q)
        wd = (np.array([m[0] - (w[1] * h[2] - w[2] * h[1]), m[1] - (w[2] * h[0] - w[0] * h[2]),
                        m[2] - (w[0] * h[1] - w[1] * h[0])])) / inertia
        return np.concatenate([qd, wd])
    return rhs


def normalize(rows):
    rows = rows.copy()
    rows[:, :4] /= np.linalg.norm(rows[:, :4], axis=1)[:, None]
    return rows


QUATERNION = ["body.m.quaternion." + c for c in "wxyz"]
SPIN = ["body.m.angular_velocity." + c for c in "xyz"]


def moments(rng):
    a, b = log_uniform(rng, 0.5, 4), log_uniform(rng, 0.5, 4)
    low, high = abs(a - b), a + b
    return sorted([a, b, near(low + (high - low) * rng.uniform(0.1, 0.9))])


def body_signals(rng, names):
    """Half of the models name what is compared as outputs, the others record the signals only."""
    if rng.random() < 0.5:
        return "outputs: {%s}\n" % ", ".join("o%d: %s" % p for p in enumerate(names)), ["o%d" % n for n in range(len(names))], ()
    return "", names, tuple(names)


def tumble(rng):
    """A free body without torque, near an axis or not, with a joint that measures or none; or with a short torque."""
    i = moments(rng)
    rng.shuffle(i)
    axis = rng.randrange(3)
    w0 = [log_uniform(rng, 1e-3, 0.1) * rng.choice((1, -1)) for _ in range(3)]
    w0[axis] = uniform(rng, 0.5, 3)
    time = near(log_uniform(rng, 5, 100) / w0[axis])
    torque, breaks, extra = (lambda t, q: (0.0, 0.0, 0.0)), [], ""
    if rng.random() < 0.3:
        p = pulses.some(rng, time, 1, rng.uniform(0.1, 1) * min(i), pulses.SMOOTH[:4], (1e-3, 0.1))[0]
        torque, breaks = (lambda t, q: (0.0, p.f(t), 0.0)), p.breaks
        extra = f"forces: {{f: {{type: torque, body: m, following: true, torque: [0, \"{p.text}\", 0]}}}}\n"
    text = (f"bodies: {{m: {{mass: 1, inertia: {vec(i)}, initial: {{angular_velocity: {vec(w0)}, velocity: [0.1, 0, 0], "
            "fixed: true}}}\n")
    measure = rng.choice(("", "joints: {seen: {type: free, bodies: [ground, m]}}\n",
                          "joints: {seen: {type: free, bodies: [ground, m]}}\n"))
    outputs, names, signals = body_signals(rng, QUATERNION + SPIN)
    text += measure + extra + outputs + f"simulation: {{time: {time!r}, output_step: {near(time / 200)!r}}}\n"

    def reference(times, tol):
        rows = normalize(integrate(spin(i, torque), [1, 0, 0, 0, *w0], times, breaks, tol))
        rows[:, 4:] = [rotate(r[:4], r[4:]) for r in rows]
        return rows

    return Case(text, names, reference, rates=tuple(names[4:]), quaternions=(tuple(names[:4]),), signals=signals)


def top(rng):
    """A heavy top on a ball joint."""
    l, m = uniform(rng, 0.2, 0.6), 1.0
    i = moments(rng)
    i = [near(x * 0.05) for x in i]
    s = [uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, 5, 30)]
    time = near(log_uniform(rng, 10, 60) / s[2])
    text = "gravity: [0, 0, -9.81]\n"
    text += (f"bodies: {{m: {{mass: {m!r}, center: [0, {near(l / 2)!r}, {l!r}], inertia: {vec(i)}, "
             f"initial: {{angular_velocity: {vec(s)}}}}}}}\n")
    text += "joints: {g: {type: spherical, bodies: [ground, m], at: [0, 0, 0]}}\n"
    position = ["body.m.position." + c for c in "xyz"]
    outputs, names, signals = body_signals(rng, QUATERNION + SPIN + position)
    text += outputs + f"simulation: {{time: {time!r}, output_step: {near(time / 200)!r}}}\n"
    c = np.array([0, near(l / 2), l])
    full = np.diag(i) + m * (c @ c * np.eye(3) - np.outer(c, c))
    values, axes = np.linalg.eigh(full)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1

    def torque(t, q):  # in principal axes: q turns principal axes into global ones
        down = rotate(np.array([q[0], -q[1], -q[2], -q[3]]), np.array([0, 0, -m * G]))
        return np.cross(axes.T @ c, down)

    def reference(times, tol):
        # principal axes of the fixed point are turned against the body by a constant rotation r
        r = np.roll(Rotation.from_matrix(axes).as_quat(), 1)
        rows = normalize(integrate(spin(values, torque), [*r, *(axes.T @ np.array(s))], times, (), tol))
        back = np.array([r[0], -r[1], -r[2], -r[3]])
        out = np.empty((len(rows), 10))
        for n, row in enumerate(rows):
            p, b = row[:4], back
            q = np.array([p[0] * b[0] - p[1:] @ b[1:], *(p[0] * b[1:] + b[0] * p[1:] + np.cross(p[1:], b[1:]))])
            out[n] = [*q, *rotate(p, row[4:]), *rotate(q, c)]
        return out

    return Case(text, names, reference, rates=tuple(names[4:7]), quaternions=(tuple(names[:4]),), signals=signals)


def contact(rng):
    """A ball that grazes a ceiling: compliant without damping, or rigid and elastic."""
    v0 = uniform(rng, 3, 9)
    apex, r = v0 * v0 / 2 / G, 0.1
    depth = apex * log_uniform(rng, 1e-8, 1e-2) * rng.choice((1, 1, 1, -1))
    x1 = near(apex - depth)
    time = near(2 * v0 / G * rng.uniform(0.8, 1))
    k = log_uniform(rng, 1e2, 1e6)
    rigid = rng.random() < 0.3
    law = "restitution: 1" if rigid else f"law: linear, stiffness: {k!r}, damping: 0"
    text = "gravity: [0, 0, -9.81]\nbodies:\n"
    text += f"  ground: {{shape: {{plane: {{}}, at: [0, 0, {x1 + r:.17g}], orientation: {{axis: x, angle: pi}}}}}}\n"
    text += f"  m: {{mass: 1, inertia: [1, 1, 1], shape: {{sphere: {r!r}}}, initial: {{velocity: [0.5, 0, {v0!r}]}}}}\n"
    text += f"contacts: {{c: {{bodies: [m, ground], {law}}}}}\n"
    text += f"outputs: {{x: body.m.position.z, v: body.m.velocity.z}}\nsimulation: {{time: {time!r}}}\n"
    switches = [lambda t, y: y[0] - x1, lambda t, y: y[1]]
    if rigid:
        def at_switch(i, t, y, signs):
            if i == 0 and signs[0] > 0:
                signs[0], signs[1] = -1, -1
                return [x1, -abs(y[1])]
            return None
        rhs = lambda t, y, signs: [y[1], -G]
        # the speed jumps at the impact: rows beside it are told apart by their times only
        return Case(text.replace(", v: body.m.velocity.z", ""), ["x"],
                    lambda times, tol: hybrid(rhs, [0.0, v0], times, switches, tol=tol, at_switch=at_switch)[:, [0]])
    rhs = lambda t, y, signs: [y[1], -G - (k * (y[0] - x1) if signs[0] > 0 else 0.0)]
    return Case(text, ["x", "v"], lambda times, tol: hybrid(rhs, [0.0, v0], times, switches, tol=tol), rates=("v",))


def glance_text(rng, apex, reach):
    """(least gap, the law of a linear contact as text, load(depth, rate)); damping in half of them."""
    depth = near(reach * log_uniform(rng, 1e-8, 1e-2) * rng.choice((1, 1, 1, -1)))
    k = log_uniform(rng, 1e2, 1e6)
    c = rng.choice((0.0, near(math.sqrt(k) * rng.uniform(0.01, 0.5))))
    return apex - depth, f"law: linear, stiffness: {k!r}, damping: {c!r}", lambda d, dd: k * d + c * dd


def glance_reference(load, gaps, accelerate, start, time):
    """gaps(y): [(gap, rate)] of points; accelerate(y, loads): second derivatives."""
    def depth_and_load(y, i):
        g, r = gaps(y)[i]
        return -g, load(-g, -r)
    count = len(gaps(start))
    switches = [lambda t, y, i=i: gaps(y)[i][0] for i in range(count)]
    switches += [lambda t, y, i=i: gaps(y)[i][1] for i in range(count)]
    switches += [lambda t, y, i=i: depth_and_load(y, i)[1] for i in range(count)]

    def rhs(t, y, signs):
        n = len(y) // 2
        loads = [depth_and_load(y, i)[1] if signs[i] < 0 < signs[2 * count + i] else 0.0 for i in range(count)]
        return [*y[n:], *accelerate(y, loads)]
    return lambda times, tol: hybrid(rhs, start, times, switches, tol=tol, max_step=time / 200)


def glance(rng):
    """A ball that flies past another, or a turning rod or box whose corners graze a floor: soft contacts."""
    time = uniform(rng, 0.5, 2)
    if rng.random() < 0.4:
        r, v, x0 = 0.1, log_uniform(rng, 0.5, 30), 0.0
        x0 = near(-v * time * rng.uniform(0.3, 0.7))
        b, law, load = glance_text(rng, 2 * r, r)
        b = near(b)
        text = f"bodies:\n  ground: {{shape: {{sphere: {r!r}}}}}\n"
        text += (f"  m: {{mass: 1, inertia: [1, 1, 1], center: [{x0!r}, 0, {b!r}], shape: {{sphere: {r!r}, at: [{x0!r}, 0, {b!r}]}}, "
                 f"initial: {{velocity: [{v!r}, 0, 0]}}}}\n")
        text += f"contacts: {{c: {{bodies: [m, ground], {law}}}}}\n"
        text += f"outputs: {{x: body.m.position.x, z: body.m.position.z}}\nsimulation: {{time: {time!r}}}\n"

        def gaps(y):
            s = math.hypot(y[0], y[1])
            return [(s - 2 * r, (y[0] * y[2] + y[1] * y[3]) / s)]
        push = lambda y, loads: [loads[0] * y[0] / math.hypot(y[0], y[1]), loads[0] * y[1] / math.hypot(y[0], y[1])]
        reference = glance_reference(load, gaps, push, [x0, b, v, 0.0], time)
        return Case(text, ["x", "z"], lambda times, tol: reference(times, tol)[:, :2])
    inertia, w, fall = log_uniform(rng, 0.02, 0.5), log_uniform(rng, 1, 40) * rng.choice((1, -1)), uniform(rng, -0.5, 0.5)
    w = near(w)
    if rng.random() < 0.5:
        l, r = uniform(rng, 0.2, 1), 0.05
        points = [(l, 0.0)]
        shape = "{sphere: %r, at: [%r, 0, 0]}" % (r, l)
    else:
        r, a, b = 0.0, uniform(rng, 0.1, 0.5), uniform(rng, 0.1, 0.5)
        points = [(sx * a, sz * b) for sx in (-1, 1) for sz in (-1, 1)]
        shape = "{box: [%r, 0.2, %r]}" % (2 * a, 2 * b)
    low = lambda phi: min(-x * math.sin(phi) + z * math.cos(phi) for x, z in points)
    free = np.linspace(0, time, 4001)
    least = min(fall * t + low(w * t) for t in free[20:])
    floor, law, load = glance_text(rng, r - least, 0.5)
    floor = near(-floor)  # the body begins at the origin, the floor below it
    if low(0) - r < floor:
        return glance(rng)
    text = f"bodies:\n  ground: {{shape: {{plane: {{}}, at: [0, 0, {floor!r}]}}}}\n"
    text += (f"  m: {{mass: 1, inertia: [1, {inertia!r}, 1], shape: {shape}, "
             f"initial: {{velocity: [0, 0, {fall!r}], angular_velocity: [0, {w!r}, 0]}}}}\n")
    text += f"contacts: {{c: {{bodies: [m, ground], {law}}}}}\n"
    text += f"outputs: {{z: body.m.position.z, w: body.m.angular_velocity.y}}\nsimulation: {{time: {time!r}}}\n"
    each = 2.0 if r == 0 else 1.0  # corners on both sides

    def corners(y):
        s, c = math.sin(y[1]), math.cos(y[1])
        return [(y[0] - x * s + z * c - r - floor, y[2] - y[3] * (x * c + z * s)) for x, z in points]

    def turn(y, loads):
        s, c = math.sin(y[1]), math.cos(y[1])
        return [each * sum(loads), -each * sum(n * (x * c + z * s) for n, (x, z) in zip(loads, points)) / inertia]
    reference = glance_reference(load, corners, turn, [0.0, 0.0, fall, w], time)
    return Case(text, ["z", "w"], lambda times, tol: reference(times, tol)[:, [0, 3]], rates=("w",))


def road(rng):
    """A wheel that rolls over a short bump, or a road that moves below it."""
    m, k, c, r = log_uniform(rng, 10, 60), log_uniform(rng, 5e4, 4e5), log_uniform(rng, 100, 2000), 0.3
    v, time = log_uniform(rng, 1, 40), 1.0
    w = log_uniform(rng, 5e-3, 0.5)
    a = uniform(rng, 0.1 * v * time, 0.8 * v * time)
    h = near(min(0.05, 0.3 * w) * rng.uniform(0.2, 1))
    z0 = near(r - m * G / k)
    moving = rng.random() < 0.5
    speed = f", speed: {-v!r}" if moving else ""
    text = f"gravity: [0, 0, {-G!r}]\nbodies:\n  m: {{mass: {m!r}, center: [0, 0, {z0!r}], inertia: [1, 1, 1]"
    text += "}\n" if moving else f", initial: {{velocity: [{v!r}, 0, 0]}}}}\n"
    if moving:
        text += f"joints: {{g: {{type: translational, bodies: [ground, m], at: [0, 0, {z0!r}], axis: z}}}}\n"
    if rng.random() < 0.5:
        text += f"roads: {{bump: {{type: cosine-bump, start: {a!r}, length: {w!r}, height: {h!r}{speed}}}}}\n"
        ends = [a, a + w]
        height = lambda x: (h / 2 * (1 - math.cos(2 * math.pi * (x - a) / w)),
                            h * math.pi / w * math.sin(2 * math.pi * (x - a) / w)) if a < x < a + w else (0.0, 0.0)
    else:
        ends = [a, near(a + w / 2), near(a + w)]
        text += (f"roads: {{bump: {{type: polyline, points: [[{-100}, 0], [{ends[0]!r}, 0], [{ends[1]!r}, {h!r}], "
                 f"[{ends[2]!r}, 0], [{200}, 0]]{speed}}}}}\n")

        def height(x):
            if ends[0] < x < ends[1]:
                return h * (x - ends[0]) / (ends[1] - ends[0]), h / (ends[1] - ends[0])
            if ends[1] <= x < ends[2]:
                return h * (ends[2] - x) / (ends[2] - ends[1]), -h / (ends[2] - ends[1])
            return 0.0, 0.0
    text += (f"forces: {{tyre: {{type: tyre, body: m, radius: {r!r}, stiffness: {k!r}, damping: {c!r}, road: bump}}}}\n")
    text += f"outputs: {{z: body.m.position.z, v: body.m.velocity.z}}\nsimulation: {{time: {time!r}}}\n"

    def gap(t, y):  # depth and its rate
        z, slope = height(v * t)
        return r - y[0] + z, slope * v - y[1]

    switches = [lambda t, y: gap(t, y)[0], lambda t, y: k * gap(t, y)[0] + c * gap(t, y)[1]]

    def rhs(t, y, signs):
        d, rate = gap(t, y)
        return [y[1], (k * d + c * rate) / m - G if signs[0] > 0 and signs[1] > 0 else -G]

    def reference(times, tol):
        breaks = [e / v for e in ends]
        span = breaks[-1] - breaks[0]
        breaks += [breaks[-1] + span * j for j in (1, 4, 16)]
        return hybrid(rhs, [z0, 0.0], times, switches, breaks, tol=tol, max_step=5e-3)

    return Case(text, ["z", "v"], reference, rates=("v",))


def linkage_text(rng, tilt=None):
    """A planar four-bar linkage; tilt: (joint, axis) of one that is off."""
    a, b, h = uniform(rng, 0.2, 0.4), uniform(rng, 1.0, 1.6), uniform(rng, 0.8, 1.2)
    p = [[0, 0, 0], [0, 0, a], [b, 0, h], [b, 0, 0]]
    axes = {1: "y", 2: "y", 3: "y", 4: "y"}
    if tilt:
        axes[tilt[0]] = vec(tilt[1])
    ends = [("crank", 0, 1), ("rod", 1, 2), ("rocker", 2, 3)]
    text = "bodies:\n"
    for name, i, j in ends:
        c = [(p[i][n] + p[j][n]) / 2 for n in range(3)]
        mass = log_uniform(rng, 0.3, 3)
        text += f"  {name}: {{mass: {mass!r}, center: {vec(c)}, inertia: [0.05, 0.05, 0.05]}}\n"
    text += "joints:\n"
    pairs = [("ground", "crank", 0), ("crank", "rod", 1), ("rod", "rocker", 2), ("ground", "rocker", 3)]
    for n, (one, two, at) in enumerate(pairs, 1):
        text += f"  j{n}: {{type: revolute, bodies: [{one}, {two}], at: {vec(p[at])}, axis: {axes[n]}}}\n"
    return text


def linkage(rng):
    """A four-bar linkage with pulses of torque: brute force in two sets of coordinates."""
    time = 1.0
    w = log_uniform(rng, 2e-3, 0.05)
    law, _, _ = pulses.together(pulses.some(rng, time, rng.choice((1, 2)), 0.5, pulses.SMOOTH[:4] + (pulses.triangle,),
                                            (w, 2 * w)))
    text = "gravity: [0, 0, -9.81]\n" + linkage_text(rng)
    text += f"forces: {{f: {{type: torque, joint: j1, torque: \"{law}\"}}}}\n"
    text += "outputs: {x: joint.j1.angle, v: joint.j1.angle_rate, z: joint.j4.angle}\n"
    text += f"simulation: {{time: {time!r}, output_step: 0.02}}\n"
    step = repr(near(w / 8))
    brute = (("--tol", "1e-11", "--max-step", step, "--coordinates", "relative", "--formula", "dopri5"),
             ("--tol", "1e-11", "--max-step", step, "--coordinates", "natural", "--formula", "dopri5"))
    return Case(text, ["x", "v", "z"], brute=brute, rates=("v",))


def double(rng):
    """A double pendulum, sensitive or not, whose elbow is hit by a pulse: hand-written Lagrange's equations."""
    m1, m2, l1, l2 = (uniform(rng, 0.5, 2) for _ in range(4))
    a, b = uniform(rng, -1.2, 2.5), uniform(rng, -1.2, 2.5)
    time = uniform(rng, 2, 12)
    p = pulses.some(rng, time, 1, rng.uniform(0.3, 2), pulses.SMOOTH[:4] + (pulses.triangle,), (1e-3, 0.2))[0]
    text = "gravity: [0, 0, -9.81]\n"
    text += f"bodies: {{m: {{mass: {m1!r}, center: [{l1!r}, 0, 0]}}, n: {{mass: {m2!r}, center: [{l1 + l2:.17g}, 0, 0]}}}}\n"
    text += f"joints:\n  g: {{type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: y, initial: {{angle: {a!r}}}}}\n"
    text += f"  h: {{type: revolute, bodies: [m, n], at: [{l1!r}, 0, 0], axis: y, initial: {{angle: {b!r}}}}}\n"
    text += f"forces: {{f: {{type: torque, joint: h, torque: \"{p.text}\"}}}}\n"
    text += "outputs: {x: joint.g.angle, y: joint.h.angle, v: joint.h.angle_rate}\n"
    text += f"simulation: {{time: {time!r}}}\n"

    def rhs(t, s):  # angles below the horizontal: first, second absolute
        q, r, dq, dr = s
        c, d = math.cos(q - r), math.sin(q - r)
        f = p.f(t)
        mass = np.array([[(m1 + m2) * l1 * l1, m2 * l1 * l2 * c], [m2 * l1 * l2 * c, m2 * l2 * l2]])
        load = np.array([-m2 * l1 * l2 * d * dr * dr + (m1 + m2) * G * l1 * math.cos(q) - f,
                         m2 * l1 * l2 * d * dq * dq + m2 * G * l2 * math.cos(r) + f])
        return [dq, dr, *np.linalg.solve(mass, load)]

    def reference(times, tol):
        rows = integrate(rhs, [a, a + b, 0.0, 0.0], times, p.breaks, tol)
        return np.column_stack([rows[:, 0], rows[:, 1] - rows[:, 0], rows[:, 3] - rows[:, 2]])

    return Case(text, ["x", "y", "v"], reference, rates=("v",), converge=True)


def locked(rng):
    """A four-bar linkage that cannot move, because the axis of one joint is off: it has to be named."""
    joint = rng.randint(1, 4)
    tilt = math.radians(log_uniform(rng, 0.2, 10))
    turn = rng.uniform(0, 2 * math.pi)
    axis = [math.sin(tilt) * math.cos(turn), math.cos(tilt), math.sin(tilt) * math.sin(turn)]
    text = "gravity: [0, 0, -9.81]\n" + linkage_text(rng, (joint, axis))
    text += "outputs: {x: joint.j1.angle}\nsimulation: {time: 0.5}\n"
    return Case(text, ["x"], locked="j%d" % joint)


KINDS = {"tumble": tumble, "top": top, "contact": contact, "glance": glance, "road": road, "linkage": linkage, "double": double, "locked": locked}
