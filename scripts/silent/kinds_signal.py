"""Kinds with features in positions: narrow in space, kinks, stops and conditions that are grazed, narrow outputs."""
import math
import re

from . import pulses
from .case import Case, log_uniform, near, uniform
from .kinds_time import G, body_text, finish
from .reference import hybrid, integrate


def rail(v0, x0=0.0, axis="x"):
    return ("joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: %s, "
            "initial: {displacement: %r, displacement_rate: %r}}}\n" % (axis, x0, v0))


def clamp_to(breaks, x, signs):
    """x on the side of each break that signs tell."""
    low = max((b for b, s in zip(breaks, signs) if s > 0), default=-math.inf)
    high = min((b for b, s in zip(breaks, signs) if s < 0), default=math.inf)
    margin = 1e-13 * max(1.0, abs(x))
    if low > -math.inf:
        x = max(x, low + margin)
    return min(x, high - margin) if high < math.inf else x


def in_signal(text, signal):
    return re.sub(r"\bt\b", signal, text)


def space(rng):
    """A mass that flies past a force narrow in space, once or again and again on a spring."""
    m = log_uniform(rng, 0.3, 3)
    k = rng.choice((0.0, log_uniform(rng, 2, 30)))
    x0, v0 = 0.0, uniform(rng, 1, 6)
    time = near(2 * math.pi * math.sqrt(m / k) * rng.uniform(0.7, 2) if k else uniform(rng, 2, 6) / v0)
    reach = v0 * math.sqrt(m / k) if k else v0 * time
    x1 = uniform(rng, 0.1 * reach, 0.8 * reach)
    shape = rng.choice((pulses.gaussian, pulses.cosh, pulses.tanh_box, pulses.triangle, pulses.box, pulses.bump))
    w = log_uniform(rng, 1e-4, 0.05)
    energy = 0.5 * m * v0 * v0 - 0.5 * k * x1 * x1
    area = energy * rng.uniform(0.1, 0.7) * rng.choice((-1, 1))
    p = shape(near(area / w / 2), x1, w)
    breaks = sorted(p.breaks)
    text = body_text(m) + rail(v0)
    spring = f"  s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}}}\n" if k else ""
    how = rng.choice((
        "{type: joint-spring-damper, joint: g, force: \"-(%s)\"}" % in_signal(p.text, "x"),
        "{type: joint-spring-damper, joint: g, law: \"-(%s) + 0*v\"}" % in_signal(p.text, "x"),
        "{type: point-force, body: m, force: [\"%s\", 0, 0]}" % in_signal(p.text, "joint.g.displacement"),
        "{type: point-force, body: m, force: [\"%s\", 0, 0]}" % in_signal(p.text, "body.m.position.x")))
    text += f"forces:\n{spring}  f: {how}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate")
    switches = [lambda t, y, b=b: y[0] - b for b in breaks] + [lambda t, y: y[1]]

    def rhs(t, y, signs):
        return [y[1], (p.f(clamp_to(breaks, y[0], signs)) - k * y[0]) / m]

    return Case(text, ["x", "v"], lambda times, tol: hybrid(rhs, [x0, v0], times, switches, tol=tol), rates=("v",))


def space_table(rng):
    """A mass that flies past a narrow peak of a table of positions."""
    m, v0 = log_uniform(rng, 0.3, 3), uniform(rng, 1, 6)
    reach = uniform(rng, 1.5, 5)
    time = near(reach / v0)
    points, kind, f, breaks = pulses.peak_table(rng, 0.8 * reach, m * v0 * v0 * rng.uniform(0.05, 0.3),
                                                log_uniform(rng, 1e-4, 0.05))
    sign = rng.choice((1, -1))
    text = body_text(m) + rail(v0)
    table = f"table: {points}, interpolation: {kind}, outside: hold"
    how = rng.choice(("law", "name", "signal"))
    if how == "law":
        sign, law = -1, f"{{type: joint-spring-damper, joint: g, force: {{{table}}}}}"
    else:
        text += f"tables: {{peak: {{{table}}}}}\n"
        law = (f"{{type: joint-spring-damper, joint: g, law: \"{-sign}*peak(x) + 0*v\"}}" if how == "name" else
               f"{{type: point-force, body: m, force: [\"{sign}*peak(joint.g.displacement)\", 0, 0]}}")
    text += f"forces: {{f: {law}}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate")
    switches = [lambda t, y, b=b: y[0] - b for b in breaks] + [lambda t, y: y[1]]
    ends = (breaks[0], breaks[-1])
    rhs = lambda t, y, signs: [y[1], sign * f(min(ends[1], max(ends[0], clamp_to(breaks, y[0], signs)))) / m]
    return Case(text, ["x", "v"], lambda times, tol: hybrid(rhs, [0.0, v0], times, switches, tol=tol), rates=("v",))


class Plant:
    """A system that comes to rest at x = apex again and again: text, rhs without barrier, start, names."""

    def __init__(self, rng):
        kind = rng.choice(("throw", "spring", "pendulum"))
        m = log_uniform(rng, 0.3, 3)
        self.kind, self.m, self.spring = kind, m, ""
        self.position, self.rate = "joint.g.displacement", "joint.g.displacement_rate"
        if kind == "throw":
            v0 = uniform(rng, 2, 12)
            self.start, self.apex, self.time = [0.0, v0], v0 * v0 / 2 / G, 2 * v0 / G * rng.uniform(0.9, 1.5)
            self.text = "gravity: [0, 0, -9.81]\n" + body_text(m) + rail(v0, axis="z")
            self.acceleration = lambda x, v, f: f / m - G
            self.inertia = m
        elif kind == "spring":
            k, x0, v0 = log_uniform(rng, 1, 50), uniform(rng, -1, 0), uniform(rng, 0.5, 3)
            self.start, self.apex = [x0, v0], math.sqrt(x0 * x0 + v0 * v0 * m / k)
            self.time = 2 * math.pi * math.sqrt(m / k) * rng.uniform(0.8, 3)
            self.text = body_text(m) + rail(v0, x0)
            self.spring = f"  s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}}}\n"
            self.acceleration = lambda x, v, f: (f - k * x) / m
            self.inertia = m
        else:
            l, a0 = uniform(rng, 0.3, 1), uniform(rng, 0.1, 1)
            i = near(0.1 * m * l * l)
            self.start, self.apex = [a0, 0.0], math.pi - a0
            self.time = 2 * math.pi * math.sqrt(l * 1.1 / G) * rng.uniform(1, 3)
            self.text = "gravity: [0, 0, -9.81]\n"
            self.text += f"bodies: {{m: {{mass: {m!r}, center: [{l!r}, 0, 0], inertia: [{i!r}, {i!r}, {i!r}]}}}}\n"
            self.text += ("joints: {g: {type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: y, "
                          f"initial: {{angle: {a0!r}}}}}}}\n")
            self.position, self.rate = "joint.g.angle", "joint.g.angle_rate"
            self.inertia = i + m * l * l
            self.acceleration = lambda x, v, f: (m * G * l * math.cos(x) + f) / self.inertia
        self.time = near(self.time)

    def force_of(self, formula):
        """The element that applies a formula of signals as a force along the coordinate."""
        if self.kind == "throw":
            return "{type: point-force, body: m, force: [0, 0, \"%s\"]}" % formula
        if self.kind == "spring":
            return "{type: point-force, body: m, force: [\"%s\", 0, 0]}" % formula
        return "{type: torque, joint: g, torque: \"%s\"}" % formula


def graze_at(rng, plant, near_by=1e-2, far=1e-8):
    """A place just below or above the apex, and how far."""
    depth = plant.apex * log_uniform(rng, far, near_by)
    return near(plant.apex - depth * rng.choice((1, 1, 1, -1))), depth


def graze(rng):
    """A compliant stop, one-sided spring or dead zone that is grazed from just below or above."""
    plant = Plant(rng)
    x1, depth = graze_at(rng, plant)
    k = near(plant.inertia * log_uniform(rng, 1e2, 1e7))
    damping = near(rng.choice((0, 0.1 * math.sqrt(k * plant.inertia))))
    x, v = plant.position, plant.rate
    how = rng.choice(("stop", "stop", "stop-damped", "max", "if", "piecewise", "table", "signal", "signal-if", "abs"))
    c = 0.0
    if how.startswith("stop"):
        c = damping if how == "stop-damped" else 0.0
        law = f"{{type: joint-stop, joint: g, upper: {x1!r}, stiffness: {k!r}, damping: {c!r}}}"
    elif how == "max":
        law = f"{{type: joint-spring-damper, joint: g, law: \"max(0, {k!r}*(x - {x1!r})) + 0*v\"}}"
    elif how == "if":
        law = f"{{type: joint-spring-damper, joint: g, force: \"{k!r}*(x - {x1!r}) if x > {x1!r} else 0\"}}"
    elif how == "abs":
        law = f"{{type: joint-spring-damper, joint: g, force: \"{k!r}/2*(abs(x - {x1!r}) + x - {x1!r})\"}}"
    elif how == "piecewise":
        law = (f"{{type: joint-spring-damper, joint: g, force: {{piecewise: [{{below: {x1!r}, polynomial: [0]}}, "
               f"{{polynomial: [{-k * x1:.17g}, {k!r}]}}]}}}}")
    elif how == "table":
        law = (f"{{type: joint-spring-damper, joint: g, force: {{table: [[-100, 0], [{x1!r}, 0], "
               f"[{x1 + 1:.17g}, {k!r}]], interpolation: linear}}}}")
    elif how == "signal":
        law = plant.force_of(f"-max(0, {k!r}*({x} - {x1!r}))")
    else:
        law = plant.force_of(f"-{k!r}*({x} - {x1!r}) if {x} > {x1!r} else 0")
    text = plant.text + f"forces:\n{plant.spring}  f: {law}\n"
    text = finish(text, plant.time, rng, x, v)
    switches = [lambda t, y: y[0] - x1, lambda t, y: y[1]]
    if c:
        switches.append(lambda t, y: k * (y[0] - x1) + c * y[1])

    def rhs(t, y, signs):
        touch = signs[0] > 0 and (not c or signs[2] > 0)
        return [y[1], plant.acceleration(y[0], y[1], -(k * (y[0] - x1) + c * y[1]) if touch else 0.0)]

    return Case(text, ["x", "v"], lambda times, tol: hybrid(rhs, plant.start, times, switches, tol=tol), rates=("v",))


def kinks(rng):
    """Laws of abs, min, max, sign and if in positions and speeds of an oscillator."""
    m, x0, v0 = log_uniform(rng, 0.3, 3), uniform(rng, -1, 1), uniform(rng, -3, 3)
    time = uniform(rng, 2, 8)
    text = body_text(m) + rail(v0, x0)
    parts, base = [], log_uniform(rng, 2, 40)
    for _ in range(rng.choice((1, 2, 3, 6, 12))):
        a, k = uniform(rng, -0.6, 0.6), log_uniform(rng, 1, 3e3)
        w = log_uniform(rng, 1e-3, 0.2)
        kind = rng.choice(("abs", "max", "min", "sign", "if", "window"))
        if kind == "abs":
            k = near(min(k, base / 16))  # the sum still holds the mass
            parts.append((f"{k!r}*abs(x - {a!r})", lambda x, s, a=a, k=k: k * abs(x - a), [a]))
        elif kind == "max":
            parts.append((f"max(0, {k!r}*(x - {a!r}))", lambda x, s, a=a, k=k: max(0, k * (x - a)), [a]))
        elif kind == "min":
            parts.append((f"min({k!r}*(x - {a!r}), 0)", lambda x, s, a=a, k=k: min(0, k * (x - a)), [a]))
        elif kind == "sign":
            f = near(min(k, 20.0))
            parts.append((f"{f!r}*sign(x - {a!r})", lambda x, s, a=a, f=f: f * (1 if x > a else -1), [a]))
        elif kind == "if":
            parts.append((f"({k!r}*x if x > {a!r} else {near(k / 3)!r}*x)",
                          lambda x, s, a=a, k=k: (k if x > a else near(k / 3)) * x, [a]))
        else:
            f, b = near(min(k, 0.2 * m / w)), near(a + w)
            parts.append((f"({f!r} if x > {a!r} and x < {b!r} else 0)",
                          lambda x, s, a=a, b=b, f=f: f if a < x < b else 0.0, [a, b]))
    drag = rng.choice((0.0, log_uniform(rng, 0.01, 0.5)))
    places = sorted(b for part in parts for b in part[2])
    law = " + ".join([f"{base!r}*x"] + [part[0] for part in parts] + ([f"{drag!r}*abs(v)*v"] if drag else []))
    if rng.random() < 0.5:
        how = f"{{type: joint-spring-damper, joint: g, law: \"{law}\"}}"
    else:
        swap = re.sub(r"(?<![a-z.])v\b", "joint.g.displacement_rate", law)
        swap = re.sub(r"\bx\b", "joint.g.displacement", swap)
        how = f"{{type: point-force, body: m, force: [\"-({swap})\", 0, 0]}}"
    text += f"forces: {{f: {how}}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate")
    switches = [lambda t, y, b=b: y[0] - b for b in places] + [lambda t, y: y[1]]

    def rhs(t, y, signs):
        x = clamp_to(places, y[0], signs)
        return [y[1], -(base * y[0] + sum(p[1](x, signs) for p in parts) + drag * abs(y[1]) * y[1]) / m]

    return Case(text, ["x", "v"], lambda times, tol: hybrid(rhs, [x0, v0], times, switches, tol=tol), rates=("v",))


def follower(rng):
    """A second body that follows the first through a dead zone, which is just reached or not."""
    ka, kb = log_uniform(rng, 2, 40), log_uniform(rng, 0.5, 5)
    v0 = uniform(rng, 0.5, 2)
    amplitude = v0 / math.sqrt(ka)
    depth = amplitude * log_uniform(rng, 1e-7, 0.1)
    w = near(amplitude - depth)
    k = log_uniform(rng, 10, 1e5)
    time = uniform(rng, 2, 6)
    a, b = "joint.a.displacement", "joint.b.displacement"
    law = rng.choice((f"{k!r}*(max(0, {a} - {b} - {w!r}) + min(0, {a} - {b} + {w!r}))",
                      f"({k!r}*({a} - {b} - {w!r}) if {a} - {b} > {w!r} else 0)"))
    both = law.startswith("(") is False
    text = "bodies: {m: {mass: 1, inertia: [1, 1, 1]}, n: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
    text += "  a: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x, initial: {displacement_rate: %r}}\n" % v0
    text += "  b: {type: translational, bodies: [ground, n], at: [0, 0, 0], axis: x}\n"
    text += f"forces:\n  s: {{type: joint-spring-damper, joint: a, stiffness: {ka!r}}}\n"
    text += f"  r: {{type: joint-spring-damper, joint: b, stiffness: {kb!r}}}\n"
    text += f"  f: {{type: point-force, body: n, force: [\"{law}\", 0, 0]}}\n"
    text = finish(text, time, rng, b, "joint.b.displacement_rate", f", a: {a}")
    switches = [lambda t, y: y[2] - y[0] - w, lambda t, y: y[3] - y[1], lambda t, y: y[2] - y[0] + w]

    def rhs(t, y, signs):
        u = y[2] - y[0]
        f = k * (u - w) if signs[0] > 0 else k * (u + w) if both and signs[2] < 0 else 0.0
        return [y[1], f - kb * y[0], y[3], -ka * y[2]]

    def reference(times, tol):
        return hybrid(rhs, [0.0, 0.0, 0.0, v0], times, switches, tol=tol)[:, [0, 1, 2]]

    return Case(text, ["x", "v", "a"], reference, rates=("v",))


def when(rng):
    """A force that acts while a condition holds: for a short time, in a narrow place, or where an apex is grazed."""
    plant = Plant(rng)
    x, v = plant.position, plant.rate
    how = rng.choice(("time", "time", "graze", "window"))
    reset = None
    if how == "time":
        w = log_uniform(rng, 1e-5, 0.05)
        a = uniform(rng, 0.05 * plant.time, 0.9 * plant.time)
        b = near(a + w)
        f0 = near(plant.inertia * rng.uniform(0.3, 3) / w)
        if rng.choice(("ends", "middle")) == "ends":
            condition = f"time > {a!r} and time < {b!r}"
        else:
            c, half = near((a + b) / 2), near(w / 2)
            a, b = c - half, c + half
            condition = f"abs(time - {c!r}) < {half!r}"
        switches, breaks = [lambda t, y: y[1]], [a, b]
        rhs = lambda t, y, signs: [y[1], plant.acceleration(y[0], y[1], f0 if a < t < b else 0.0)]
    else:
        if how == "graze":
            x1, depth = graze_at(rng, plant, 3e-2, 1e-6)
            x2 = near(plant.apex + 100)
            f0 = -near(plant.inertia * log_uniform(rng, 1, 100))
            condition = f"{x} > {x1!r}"
        else:
            x1 = near(plant.start[0] + (plant.apex - plant.start[0]) * rng.uniform(0.1, 0.9))
            w = log_uniform(rng, 1e-5, 0.05)
            x2 = near(x1 + w)
            f0 = near(plant.inertia * 0.05 * plant.apex / w * rng.choice((1, -1)))
            condition = f"{x} > {x1!r} and {x} < {x2!r}"
        switches = [lambda t, y: y[0] - x1, lambda t, y: y[0] - x2, lambda t, y: y[1]]
        breaks = []
        rhs = lambda t, y, signs: [y[1], plant.acceleration(y[0], y[1], f0 if signs[0] > 0 and signs[1] < 0 else 0.0)]
    law = plant.force_of(repr(f0))[:-1] + f", when: \"{condition}\"}}"
    text = plant.text + f"forces:\n{plant.spring}  f: {law}\n"
    text = finish(text, plant.time, rng, x, v)
    return Case(text, ["x", "v"],
                lambda times, tol: hybrid(rhs, plant.start, times, switches, breaks, tol=tol, at_switch=reset),
                rates=("v",))


def latch(rng):
    """A state or condition that remembers that a narrow place was passed or an apex was high enough."""
    plant = Plant(rng)
    x, v = plant.position, plant.rate
    f0 = near(plant.inertia * rng.uniform(0.3, 3) * rng.choice((1, -1)))
    if rng.random() < 0.5:
        x1 = near(plant.apex * (1 + rng.choice((1, -1)) * log_uniform(rng, 2e-3, 5e-2)))
        x2 = math.inf
        condition = f"{x} > {x1!r}"
    else:
        x1 = near(plant.start[0] + (plant.apex - plant.start[0]) * rng.uniform(0.1, 0.9))
        x2 = near(x1 + log_uniform(rng, 1e-6, 1e-2))
        condition = f"{x} > {x1!r} and {x} < {x2!r}"
    how = rng.choice(("state", "starts"))
    if how == "state":
        extra = f"states: {{on: {{when: [[\"{condition}\", 1]]}}}}\n"
        law = plant.force_of(f"{f0!r}*state.on")
    else:
        extra = ""
        law = plant.force_of(repr(f0))[:-1] + f", starts: \"{condition}\"}}"
    text = plant.text + extra + f"forces:\n{plant.spring}  f: {law}\n"
    text = finish(text, plant.time, rng, x, v)
    switches = [lambda t, y: y[0] - x1, lambda t, y: y[1], lambda t, y: y[2] - 0.5]

    def at_switch(i, t, y, signs):
        if i == 0 and signs[0] > 0:  # the narrow place begins at x1, from either side it is passed whole
            signs[2] = 1
            return [y[0], y[1], 1.0]
        return None

    rhs = lambda t, y, signs: [y[1], plant.acceleration(y[0], y[1], f0 if signs[2] > 0 else 0.0), 0.0]

    def reference(times, tol):
        return hybrid(rhs, [*plant.start, 0.0], times, switches, tol=tol, at_switch=at_switch)[:, :2]

    return Case(text, ["x", "v"], reference, rates=("v",))


def narrow_output(rng):
    """Outputs that are narrow functions of the motion of a pendulum."""
    m, l, a0, w0 = 1.0, uniform(rng, 0.3, 1), uniform(rng, -0.5, 1), uniform(rng, -2, 2)
    i = near(0.1 * m * l * l)
    time = uniform(rng, 2, 10)
    a, w = uniform(rng, 0.3, 2.4), log_uniform(rng, 1e-4, 0.05)
    text = "gravity: [0, 0, -9.81]\n"
    text += f"bodies: {{m: {{mass: {m!r}, center: [{l!r}, 0, 0], inertia: [{i!r}, {i!r}, {i!r}]}}}}\n"
    text += ("joints: {g: {type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: y, "
             f"initial: {{angle: {a0!r}, angle_rate: {w0!r}}}}}}}\n")
    kind = rng.choice(("gauss", "tanh", "gain", "divide"))
    formula, f = {
        "gauss": (f"exp(-((joint.g.angle - {a!r})/{w!r})^2)", lambda x, v: math.exp(-min(700, ((x - a) / w) ** 2))),
        "tanh": (f"tanh((joint.g.angle - {a!r})/{w!r})", lambda x, v: math.tanh((x - a) / w)),
        "gain": (f"{near(1 / w)!r}*(joint.g.angle - {a!r})", lambda x, v: near(1 / w) * (x - a)),
        "divide": (f"1/({near(w * w)!r} + (joint.g.angle - {a!r})^2)", lambda x, v: 1 / (near(w * w) + (x - a) ** 2)),
    }[kind]
    text = finish(text, time, rng, "joint.g.angle", "joint.g.angle_rate", f", o: \"{formula}\"")
    total = i + m * l * l
    rhs = lambda t, y: [y[1], m * G * l * math.cos(y[0]) / total]

    def reference(times, tol):
        import numpy as np
        rows = integrate(rhs, [a0, w0], times, tol=tol)
        return np.column_stack([rows, [f(*r) for r in rows]])

    return Case(text, ["x", "v", "o"], reference, rates=("v",))


KINDS = {"space": space, "space-table": space_table, "graze": graze, "kinks": kinks, "follower": follower, "when": when, "latch": latch,
         "narrow-output": narrow_output}
