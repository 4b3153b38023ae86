"""Kinds of models with functions of time: forces, torques, motions of drivers, inputs, tables, rates, fixed steps."""
import math

from . import pulses
from .case import Case, log_uniform, near, uniform
from .reference import integrate

G = 9.81


def body_text(m, inertia="[1, 1, 1]"):
    return f"bodies: {{m: {{mass: {m!r}, inertia: {inertia}}}}}\n"


def slider(rng):
    """A mass on a rail along x with spring and damper, some of them zero: model, and acceleration by force."""
    m = log_uniform(rng, 0.2, 5)
    k = rng.choice((0.0, log_uniform(rng, 0.5, 200)))
    c = rng.choice((0.0, log_uniform(rng, 0.05, 2)))
    x0, v0 = rng.choice(((0.0, 0.0), (uniform(rng, -1, 1), uniform(rng, -2, 2))))
    text = body_text(m)
    text += ("joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x, "
             f"initial: {{displacement: {x0!r}, displacement_rate: {v0!r}}}}}}}\n")
    spring = f"  s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}, damping: {c!r}}}\n" if k or c else ""
    return text, spring, (lambda x, v, f: (f - k * x - c * v) / m), [x0, v0], m


def pendulum(rng):
    """A rod on a pin along y: model, and acceleration by torque."""
    m, l = log_uniform(rng, 0.5, 4), uniform(rng, 0.2, 1)
    i = near(m * l * l * rng.uniform(0.1, 0.4))
    a0, w0 = uniform(rng, 0, 2.5), uniform(rng, -1, 1)
    text = "gravity: [0, 0, -9.81]\n"
    text += f"bodies: {{m: {{mass: {m!r}, center: [{l!r}, 0, 0], inertia: [{i!r}, {i!r}, {i!r}]}}}}\n"
    text += ("joints: {g: {type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: y, "
             f"initial: {{angle: {a0!r}, angle_rate: {w0!r}}}}}}}\n")
    total = i + m * l * l
    return text, (lambda a, w, t: (m * G * l * math.cos(a) + t) / total), [a0, w0], total


def finish(text, time, rng, position, rate, extra="", step=None):
    text += f"outputs: {{x: {position}, v: {rate}{extra}}}\n"
    rows = rng.choice(("", "", f", output_step: {near(time / rng.choice((20, 100, 400)))!r}"))
    return text + f"simulation: {{time: {time!r}{rows}}}\n"


def force(rng, shapes=pulses.SMOOTH + pulses.SHARP, widths=(1e-5, 0.3)):
    """Pulses of a force or torque on a slider or a pendulum."""
    time = near(rng.choice((1, 2, 5, 10)))
    turns = rng.random() < 0.5
    if turns:
        text, acceleration, start, inertia = pendulum(rng)
        spring = ""
    else:
        text, spring, acceleration, start, inertia = slider(rng)
    law, f, breaks = pulses.together(pulses.some(rng, time, rng.choice((1, 1, 2, 3)), inertia * rng.uniform(0.2, 3),
                                                 shapes, widths))
    if turns:
        how = rng.choice((f"{{type: torque, joint: g, torque: \"{law}\"}}",
                          f"{{type: joint-spring-damper, joint: g, actuator: \"-({law})\"}}",
                          f"{{type: rotational-spring-damper, joint: g, law: \"-({law})\"}}",
                          f"{{type: torque, body: m, torque: [0, \"{law}\", 0]}}"))
    else:
        how = rng.choice((f"{{type: point-force, body: m, force: [\"{law}\", 0, 0]}}",
                          f"{{type: joint-spring-damper, joint: g, actuator: \"-({law})\"}}",
                          f"{{type: joint-spring-damper, joint: g, law: \"-({law}) + 0*x\"}}",
                          f"{{type: torque, joint: g, torque: \"{law}\"}}".replace("torque, joint", "joint-spring-damper, joint")
                          .replace("torque:", "actuator:").replace(law, f"-({law})")))
    text += f"forces:\n{spring}  f: {how}\n"
    name = "angle" if turns else "displacement"
    text = finish(text, time, rng, f"joint.g.{name}", f"joint.g.{name}_rate")
    rhs = lambda t, y: [y[1], acceleration(y[0], y[1], f(t))]
    return Case(text, ["x", "v"], lambda times, tol: integrate(rhs, start, times, breaks, tol), rates=("v",))


def force_smooth(rng):
    return force(rng, pulses.SMOOTH)


def force_sharp(rng):
    return force(rng, pulses.SHARP)


def table_peak(rng):
    """A table of time with one narrow peak, as a law or by its name in a formula."""
    time = near(rng.choice((2, 5, 10)))
    text, spring, acceleration, start, inertia = slider(rng)
    points, kind, f, breaks = pulses.peak_table(rng, time, inertia * rng.uniform(0.3, 3),
                                                log_uniform(rng, 2e-4, 0.1))
    if rng.random() < 0.5:
        how = f"actuator: {{table: {points}, interpolation: {kind}, outside: hold}}"
        sign = -1
    else:
        text += f"tables: {{peak: {{table: {points}, interpolation: {kind}, outside: hold}}}}\n"
        how, sign = "law: \"-peak(t) + 0*x\"", 1
    text += f"forces:\n{spring}  f: {{type: joint-spring-damper, joint: g, {how}}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate")
    rhs = lambda t, y: [y[1], acceleration(y[0], y[1], sign * f(t))]
    return Case(text, ["x", "v"], lambda times, tol: integrate(rhs, start, times, breaks, tol), rates=("v",))


def driver(rng):
    """A cart that is driven by a motion with a short bump, and pulls another by a spring and damper."""
    time = near(rng.choice((2, 5, 10)))
    m, k, c = log_uniform(rng, 0.2, 3), log_uniform(rng, 1, 300), log_uniform(rng, 0.05, 1)
    w = log_uniform(rng, 1e-3, 0.2)
    t0 = uniform(rng, 0.1 * time, 0.9 * time)
    h = near(rng.uniform(0.2, 1) * min(1, 3 / (k * w / m + c / m)))
    shape = rng.choice((pulses.gaussian, pulses.tanh_box, pulses.lorentz))
    p = shape(h, t0, w)
    slope = near(rng.choice((0, rng.uniform(-0.5, 0.5))))
    text = ("bodies: {base: {mass: 1, inertia: [1, 1, 1]}, m: {mass: %r, inertia: [1, 1, 1]}}\n" % m)
    text += "joints:\n  b: {type: translational, bodies: [ground, base], at: [0, 0, 0], axis: x}\n"
    text += ("  g: {type: translational, bodies: [base, m], at: [0, 0, 0], axis: x, "
             "initial: {displacement: 0, displacement_rate: 0}}\n")
    text += "drivers: {d: {joint: b, motion: \"%r*t + %s\"}}\n" % (slope, p.text)
    text += f"forces: {{s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}, damping: {c!r}}}}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate", ", a: body.m.position.x")

    def reference(times, tol):
        # m x'' = -k (x - s) - c (x' - s'); with p = m x' - c s: p' = -k (x - s) - c x'
        def f(t, y):
            s = slope * t + p.f(t)
            v = (y[1] + c * s) / m
            return [v, -k * (y[0] - s) - c * v]
        # starts: relative displacement and rate as assembled: 0, base at s(0)
        s0, ds0 = p.f(0), slope + slope_of(p, 0)
        rows = integrate(f, [s0, m * ds0 - c * s0], times, p.breaks, tol)
        out = rows.copy()[:, [0, 0, 0]]
        for i, t in enumerate(times):
            s = slope * t + p.f(t)
            ds = slope + slope_of(p, t)
            x, v = rows[i][0], (rows[i][1] + c * s) / m
            out[i] = [x - s, v - ds, x]
        return out

    def slope_of(p, t):
        u = (t - t0) / w
        if shape is pulses.gaussian:
            return -2 * u / w * p.f(t)
        if shape is pulses.lorentz:
            return -2 * u / w * h / (1 + u * u) ** 2
        q = near(w / 6)
        sech = lambda z: 1 / math.cosh(min(300, abs(z))) ** 2
        return h / 2 * (sech((t - t0 + w) / q) - sech((t - t0 - w) / q)) / q

    return Case(text, ["x", "v", "a"], reference, rates=("v",))


def input_table(rng):
    """An input that a file gives over time, with a narrow peak, through a filter or not."""
    time = near(rng.choice((2, 5, 10)))
    text, spring, acceleration, start, inertia = slider(rng)
    w = log_uniform(rng, 1e-4, 0.1)
    t0, h = uniform(rng, 0.1 * time, 0.8 * time), near(inertia * rng.uniform(0.3, 3) / w)
    xs, ys = [0.0, near(t0 - w), t0, near(t0 + w), time], [0.0, 0.0, h, 0.0, 0.0]
    text += "inputs: {u: 0}\n"
    text += f"forces:\n{spring}  f: {{type: joint-spring-damper, joint: g, actuator: \"-u\"}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate")
    file = "time,u\n" + "".join("%.12g,%.12g\n" % p for p in zip(xs, ys))

    def f(t):
        if xs[1] < t <= xs[2]:
            return h * (t - xs[1]) / (xs[2] - xs[1])
        return h * (xs[3] - t) / (xs[3] - xs[2]) if xs[2] < t < xs[3] else 0.0

    rhs = lambda t, y: [y[1], acceleration(y[0], y[1], f(t))]
    return Case(text, ["x", "v"], lambda times, tol: integrate(rhs, start, times, xs, tol), rates=("v",),
                files={"drive.csv": file}, options=("--input", "@drive.csv"))


def state_rate(rng):
    """A state whose rate is a narrow function of time, or that follows one stiffly, and drives a slider."""
    time = near(rng.choice((2, 5, 10)))
    text, spring, acceleration, start, inertia = slider(rng)
    one = pulses.some(rng, time, 1, rng.uniform(0.3, 2), pulses.SMOOTH + (pulses.triangle, pulses.box), (1e-4, 0.2))
    law, f, breaks = pulses.together(one)
    decay = log_uniform(rng, 0.2, 20)
    gain = near(inertia * rng.uniform(0.5, 4))
    text += f"states: {{z: {{rate: \"{law} - {decay!r}*z\"}}}}\n"
    text += f"forces:\n{spring}  f: {{type: joint-spring-damper, joint: g, law: \"-{gain!r}*state.z\"}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate", ", z: state.z")
    rhs = lambda t, y: [y[1], acceleration(y[0], y[1], gain * y[2]), f(t) - decay * y[2]]
    return Case(text, ["x", "v", "z"], lambda times, tol: integrate(rhs, [*start, 0.0], times, breaks, tol),
                rates=("v",))


def state_stiff(rng):
    """A stiff state that follows a slow or narrow function: z' = -rate (z - target)."""
    time = near(rng.choice((1, 2, 5)))
    text, spring, acceleration, start, inertia = slider(rng)
    rate = log_uniform(rng, 1e2, 1e5)
    omega = uniform(rng, 0.5, 5)
    w = log_uniform(rng, 5e-3, 0.2)
    p = pulses.gaussian(near(rng.uniform(0.5, 3)), uniform(rng, 0.2 * time, 0.8 * time), w)
    gain = near(inertia * rng.uniform(0.5, 4))
    text += f"states: {{z: {{rate: \"-{rate!r}*(z - cos({omega!r}*t) - {p.text})\", initial: {uniform(rng, -1, 1)!r}}}}}\n"
    z0 = float(text.split("initial: ")[-1].split("}")[0])
    text += f"forces:\n{spring}  f: {{type: joint-spring-damper, joint: g, law: \"-{gain!r}*state.z\"}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate", ", z: state.z")
    target = lambda t: math.cos(omega * t) + p.f(t)
    rhs = lambda t, y: [y[1], acceleration(y[0], y[1], gain * y[2]), -rate * (y[2] - target(t))]

    def reference(times, tol):
        layer = [k / rate for k in (0.5, 1, 2, 4, 8, 16, 32, 64)]
        return integrate(rhs, [*start, z0], times, [*layer, *p.breaks], max(tol, 1e-11), method="Radau")

    return Case(text, ["x", "v", "z"], reference, rates=("v",))


def state_delayed(rng):
    """A pulse of time that acts later, through a delay."""
    time = near(rng.choice((2, 5)))
    text, spring, acceleration, start, inertia = slider(rng)
    delay = log_uniform(rng, 0.02, 0.4)
    w = log_uniform(rng, 1e-4, 0.1)
    shape = rng.choice((pulses.gaussian, pulses.triangle, pulses.box, pulses.bump))
    p = shape(near(inertia * rng.uniform(0.3, 2) / w), uniform(rng, 0.1 * time, 0.7 * time), w)
    text += f"states: {{y: {{delay: {delay!r}, of: \"{p.text}\"}}}}\n"
    text += f"forces:\n{spring}  f: {{type: joint-spring-damper, joint: g, law: \"-state.y\"}}\n"
    text = finish(text, time, rng, "joint.g.displacement", "joint.g.displacement_rate")
    late = lambda t: p.f(t - delay) if t > delay else 0.0
    rhs = lambda t, y: [y[1], acceleration(y[0], y[1], late(t))]
    breaks = [delay, *(b + delay for b in p.breaks)]
    return Case(text, ["x", "v"], lambda times, tol: integrate(rhs, start, times, breaks, tol), rates=("v",))


def fixed_step(rng):
    """A fixed step that is wider than a pulse."""
    case = force(rng, pulses.SMOOTH + pulses.SHARP, (1e-4, 5e-3))
    time = float(case.text.split("simulation: {time: ")[1].split(",")[0].split("}")[0])
    case.options = ("--step", repr(near(time / rng.choice((100, 200, 500)))),
                    *rng.choice(((), ("--formula", "hht"), ("--formula", "sdirk4-16"), ("--formula", "trapezoidal"))))
    case.fixed_step = True
    return case


KINDS = {"force-smooth": force_smooth, "force-sharp": force_sharp, "table-peak": table_peak, "driver": driver,
         "input-table": input_table, "state-narrow": state_rate, "state-stiff": state_stiff,
         "state-delayed": state_delayed, "fixed-step": fixed_step}
