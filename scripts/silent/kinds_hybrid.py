"""Kinds with samples, delays in a loop, dry friction, joints that break, ropes, stiff springs, chaotic states."""
import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

from .case import Case, log_uniform, near, uniform
from .kinds_signal import clamp_to, in_signal, rail
from .kinds_time import G, body_text, finish
from . import pulses
from .reference import delayed, hybrid, integrate


def sampled(rng):
    """A sampled controller of an oscillator; the set point has a pulse, which may fall between samples."""
    m, k = log_uniform(rng, 0.3, 3), rng.choice((0.0, log_uniform(rng, 1, 30)))
    x0, v0 = uniform(rng, -1, 1), uniform(rng, -1, 1)
    every = rng.choice((0.1, 0.05, 0.02, 0.013, 0.2))
    kp, kd = near(m * rng.uniform(1, 8)), near(m * rng.uniform(0.5, 3))
    low, high = near(-m * rng.uniform(0.5, 8)), near(m * rng.uniform(0.5, 8))
    time = near(rng.choice((2, 3, 5)))
    w = log_uniform(rng, 1e-3, 0.3)
    p = rng.choice((pulses.gaussian, pulses.tanh_box, pulses.triangle))(near(rng.uniform(0.3, 2)), uniform(rng, 0.3, time), w)
    x, v = "joint.g.displacement", "joint.g.displacement_rate"
    text = body_text(m) + rail(v0, x0)
    text += f"states: {{u: {{value: \"limit({kp!r}*({p.text} - {x}) - {kd!r}*{v}, {low!r}, {high!r})\", every: {every!r}}}}}\n"
    text += "forces:\n" + (f"  s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}}}\n" if k else "")
    text += "  f: {type: joint-spring-damper, joint: g, law: \"-state.u\"}\n"
    text = finish(text, time, rng, x, v)

    def reference(times, tol):
        y, rows, n = np.array([x0, v0]), np.empty((len(times), 2)), 0
        rows[0] = y
        while n * every < time:
            a, b = n * every, min((n + 1) * every, time)
            u = min(high, max(low, kp * (p.f(a) - y[0]) - kd * y[1]))
            done = solve_ivp(lambda t, z: [z[1], (u - k * z[0]) / m], (a, b), y, method="DOP853", rtol=max(tol, 3e-14),
                             atol=tol * 1e-2, dense_output=True)
            for i, t in enumerate(times):
                if a < t <= b or (b == time and t > a):
                    rows[i] = done.sol(min(t, b))
            y, n = done.y[:, -1], n + 1
        return rows

    return Case(text, ["x", "v"], reference, rates=("v",))


def delay_loop(rng):
    """An oscillator with delayed feedback, kicked by a pulse."""
    m, k, c = 1.0, log_uniform(rng, 1, 30), log_uniform(rng, 0.1, 1)
    delay, gain = log_uniform(rng, 0.02, 0.5), uniform(rng, -2, 2)
    x0, v0 = uniform(rng, -1, 1), uniform(rng, -1, 1)
    time = near(rng.choice((2, 3, 5)))
    w = log_uniform(rng, 1e-4, 0.1)
    p = rng.choice((pulses.gaussian, pulses.tanh_box, pulses.triangle))(near(rng.uniform(0.3, 2) / w),
                                                                       uniform(rng, 0.1 * time, 0.9 * time), w)
    x, v = "joint.g.displacement", "joint.g.displacement_rate"
    text = body_text(m) + rail(v0, x0)
    text += f"states: {{y: {{delay: {delay!r}, of: \"{x}\", initial: {x0!r}}}}}\n"
    text += f"forces:\n  s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}, damping: {c!r}}}\n"
    text += f"  f: {{type: joint-spring-damper, joint: g, law: \"-{gain!r}*state.y - ({p.text})\"}}\n".replace("--", "")
    text = finish(text, time, rng, x, v)

    def reference(times, tol):
        rhs = lambda t, y, late: [y[1], (gain * late + p.f(t) - k * y[0] - c * y[1]) / m]
        return delayed(rhs, [x0, v0], times, delay, lambda t, y: x0 if y is None else y[0], p.breaks, tol)

    return Case(text, ["x", "v"], reference, rates=("v",))


def friction(rng):
    """A mass on a spring with dry friction: exact harmonic halves; with a pulse that may break it loose."""
    m, k, f = log_uniform(rng, 0.3, 3), log_uniform(rng, 2, 40), 0.0
    f = near(k * uniform(rng, 0.02, 0.3))
    x0, v0 = uniform(rng, -1.5, 1.5), uniform(rng, -1, 1)
    time = near(2 * math.pi * math.sqrt(m / k) * rng.uniform(1, 4))
    x, v = "joint.g.displacement", "joint.g.displacement_rate"
    w = log_uniform(rng, 1e-3, 0.1)
    p = rng.choice((pulses.gaussian, pulses.triangle, pulses.box))(near(m * rng.uniform(0.2, 2) / w),
                                                                uniform(rng, 0.1 * time, 0.9 * time), w)
    text = body_text(m) + rail(v0, x0)
    text += f"forces:\n  s: {{type: joint-spring-damper, joint: g, stiffness: {k!r}}}\n"
    text += f"  p: {{type: point-force, body: m, force: [\"{p.text}\", 0, 0]}}\n"
    text += f"  f: {{type: joint-friction, joint: g, force: {f!r}}}\n"
    text = finish(text, time, rng, x, v)

    def reference(times, tol):
        grid = sorted({0.0, *(b for b in p.breaks if 0 < b < time), *times})
        place = {t: i for i, t in enumerate(times)}
        rows = np.empty((len(times), 2))
        y, t = np.array([x0, v0]), 0.0
        rows[0] = y
        sign = 0 if v0 == 0 else math.copysign(1, v0)
        for b in grid[1:]:
            while t < b:
                margin = max(1e-12 * (b - t), 4e-16 * b)
                begin = t
                load = lambda s, z: p.f(min(max(s, begin + margin), b - margin)) - k * z
                if sign == 0:
                    now = load(t, y[0])
                    if abs(now) > f * (1 + 1e-12):
                        sign = math.copysign(1, now)
                        continue
                    high = lambda s, z: load(s, z[0]) - f
                    low = lambda s, z: load(s, z[0]) + f
                    high.terminal, high.direction, low.terminal, low.direction = True, 1, True, -1
                    done = solve_ivp(lambda s, z: [0.0, 0.0], (t, b), y, events=(high, low), rtol=tol, atol=tol,
                                     max_step=(b - t) / 4)
                    if done.status == 1:
                        sign = 1 if len(done.t_events[0]) else -1
                else:
                    stop = lambda s, z: z[1]
                    stop.terminal, stop.direction = True, -sign
                    done = solve_ivp(lambda s, z, q=sign: [z[1], (load(s, z[0]) - q * f) / m], (t, b), y, method="DOP853",
                                     rtol=max(tol, 3e-14), atol=tol * 1e-2, events=(stop,))
                    if done.status == 1 and done.t[-1] > t:
                        now = load(done.t[-1], done.y[0, -1])
                        sign = 0 if abs(now) <= f else math.copysign(1, now)
                        done.y[1, -1] = 0.0
                t, y = done.t[-1], done.y[:, -1].copy()
                if done.status == 1 and t == begin and sign:
                    y = y + np.array([0.0, sign * 1e-15])
            if b in place:
                rows[place[b]] = y
        return rows

    return Case(text, ["x", "v"], reference, rates=("v",))


def release(rng):
    """A pendulum whose pin opens at an angle or in a short time; the bob flies on."""
    l, a0, w0 = uniform(rng, 0.4, 1.2), uniform(rng, 0, 0.8), uniform(rng, 0, 2)
    m = 1.0
    i = near(0.1 * m * l * l)
    total = i + m * l * l
    theta = uniform(rng, 1.2, 1.8)
    text = "gravity: [0, 0, -9.81]\n"
    text += f"bodies: {{m: {{mass: {m!r}, center: [{l!r}, 0, 0], inertia: [{i!r}, {i!r}, {i!r}]}}}}\n"
    if rng.random() < 0.5:
        condition = f"joint.g.angle > {theta!r}"
    else:
        w = log_uniform(rng, 1e-6, 1e-2)
        condition = f"joint.g.angle > {theta!r} and joint.g.angle < {near(theta + w)!r}"
    text += ("joints: {g: {type: revolute, bodies: [ground, m], at: [0, 0, 0], axis: y, "
             f"initial: {{angle: {a0!r}, angle_rate: {w0!r}}}, ends: \"{condition}\"}}}}\n")
    time = uniform(rng, 1, 1.6)
    text += "outputs: {x: body.m.position.x, z: body.m.position.z, v: body.m.velocity.z}\n"
    text += f"simulation: {{time: {time!r}}}\n"

    def reference(times, tol):
        def rhs(t, y, signs):
            return [y[1], m * G * l * math.cos(y[0]) / total]
        leave = lambda t, y: y[0] - theta
        leave.terminal = True
        done = solve_ivp(lambda t, y: rhs(t, y, ()), (0, time), [a0, w0], method="DOP853", rtol=max(tol, 3e-14),
                         atol=tol * 1e-2, events=(leave,), dense_output=True)
        rows = np.empty((len(times), 3))
        end = done.t[-1] if done.status == 1 else math.inf
        at = lambda a, w: (l * math.cos(a), -l * math.sin(a), -l * math.sin(a) * w, -l * math.cos(a) * w)
        for n, t in enumerate(times):
            if t <= end:
                x, z, _, vz = at(*done.sol(t))
                rows[n] = [x, z, vz]
            else:
                x, z, vx, vz = at(*done.y[:, -1])
                s = t - end
                rows[n] = [x + vx * s, z + vz * s - G * s * s / 2, vz - G * s]
        return rows

    return Case(text, ["x", "z", "v"], reference, rates=("v",))


def clutch(rng):
    """Two disks: a motor turns one, a lock joins them above a speed (a plastic impact) and opens at a time."""
    j1, j2 = log_uniform(rng, 0.1, 1), log_uniform(rng, 0.1, 1)
    torque, drag = uniform(rng, 1, 5), log_uniform(rng, 0.1, 1)
    limit = uniform(rng, 3, 12)
    lock, opens = limit * j1 / torque, 0.0
    time = near(lock * rng.uniform(1.5, 3))
    opens = near(rng.uniform(lock, time))
    text = (f"bodies: {{one: {{mass: 1, inertia: [1, 1, {j1!r}]}}, "
            f"two: {{mass: 1, position: [0, 0, 1], inertia: [1, 1, {j2!r}]}}}}\njoints:\n")
    text += "  a: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: z}\n"
    text += "  b: {type: revolute, bodies: [ground, two], at: [0, 0, 1], axis: z}\n"
    text += ("  lock: {type: coupler, terms: [{joint: a, coefficient: 1}, {joint: b, coefficient: -1}], "
             f"starts: joint.a.angle_rate > {limit!r}, ends: time > {opens!r}}}\n")
    text += f"forces:\n  motor: {{type: torque, joint: a, torque: {torque!r}}}\n"
    text += f"  drag: {{type: rotational-spring-damper, joint: b, damping: {drag!r}}}\n"
    text += f"outputs: {{p: joint.a.angle, q: joint.b.angle}}\nsimulation: {{time: {time!r}}}\n"
    joined = j1 + j2

    def reference(times, tol):
        w, angle = limit * j1 / joined, 0.5 * torque / j1 * lock ** 2
        level, decay = torque / drag, drag / joined
        rows = []
        after = lambda s: (level + (w - level) * math.exp(-decay * s),
                           level * s + (w - level) * (1 - math.exp(-decay * s)) / decay)
        for t in times:
            if t <= lock:
                rows.append([0.5 * torque / j1 * t * t, 0.0])
                continue
            rate, turn = after(min(t, opens) - lock)
            s = max(0.0, t - opens)
            rows.append([angle + turn + rate * s + 0.5 * torque / j1 * s * s,
                         turn + rate * (1 - math.exp(-drag / j2 * s)) * j2 / drag])
        return np.array(rows)

    return Case(text, ["p", "q"], reference)


def breakpin(rng):
    """A pendulum with next to no inertia whose pin breaks by its force; the bob falls and bounces."""
    a0, inertia = uniform(rng, 1.2, 2), rng.choice((1e-9, 1e-7, 1e-5, 1e-2))
    most = G * (3 - 2 * math.cos(a0))
    limit = near(G + (most - G) * rng.uniform(0.2, 0.9))
    floor, e = uniform(rng, 1.2, 2), uniform(rng, 0.4, 0.9)
    time = uniform(rng, 1, 1.8)
    text = f"parameters: {{a0: {a0!r}}}\ngravity: [0, 0, -9.81]\nbodies:\n"
    text += f"  ground: {{shape: {{plane: {{}}, at: [0, 0, {-floor - 0.05:.17g}]}}}}\n"
    text += (f"  bob: {{mass: 1, position: [\"sin(a0)\", 0, \"-cos(a0)\"], inertia: [{inertia}, {inertia}, {inertia}], "
             "shape: {sphere: 0.05}}\n")
    text += ("joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: -y, "
             f"ends: \"hypot(joint.pin.reaction.force.x, joint.pin.reaction.force.z) > {limit!r}\"}}}}\n")
    text += f"contacts: {{floor: {{bodies: [ground, bob], restitution: {e!r}}}}}\n"
    text += f"outputs: {{x: body.bob.position.x, z: body.bob.position.z}}\nsimulation: {{time: {time!r}, output_step: 0.01}}\n"
    total = 1 + inertia

    def reference(times, tol):
        rate = lambda t, y: [y[1], -G * math.sin(y[0]) / total]
        pull = lambda t, y: math.hypot(y[1] ** 2 + G * math.cos(y[0]), G * math.sin(y[0]) * (1 - 1 / total)) - limit
        pull.terminal, pull.direction = True, 1
        done = solve_ivp(rate, (0, time), [a0, 0.0], method="DOP853", rtol=max(tol, 3e-14), atol=tol * 1e-2,
                         events=(pull,), dense_output=True)
        begin = done.t[-1] if done.status == 1 else math.inf
        a, w = done.y[:, -1]
        z, vz, vx, x0 = -math.cos(a), math.sin(a) * w, math.cos(a) * w, math.sin(a)
        flights, t = [], begin
        while t < time:
            flights.append((t, z, vz))
            t += (vz + math.sqrt(vz * vz + 2 * G * (z + floor))) / G
            vz, z = e * math.sqrt(vz * vz + 2 * G * (z + floor)), -floor
            if vz < 1e-3:
                break
        rows = []
        for s in times:
            if s <= begin:
                a = done.sol(s)[0]
                rows.append([math.sin(a), -math.cos(a)])
            else:
                t, z, vz = [f for f in flights if f[0] <= s][-1]
                rows.append([x0 + vx * (s - begin), max(-floor, z + vz * (s - t) - G * (s - t) ** 2 / 2)])
        return np.array(rows)

    return Case(text, ["x", "z"], reference)


def relay(rng):
    """A heater with hysteresis: a state that is switched on and off by rules, and its temperature."""
    loss, power = uniform(rng, 0.3, 2), uniform(rng, 3, 10)
    top = power / loss
    high = near(top * (1 - log_uniform(rng, 1e-4, 0.3)))
    low = near(high * (1 - log_uniform(rng, 1e-3, 0.3)))
    time = uniform(rng, 2, 10)
    text = body_text(1.0) + rail(1.0)
    if rng.random() < 0.5:
        switch = f"  on: {{initial: 1, when: [[\"state.a > {high!r}\", 0], [\"state.a < {low!r}\", 1]]}}\n"
        heat = f"{power!r}*state.on"
    else:
        switch = f"  off: {{hysteresis: [{low!r}, {high!r}], of: state.a}}\n"
        heat = f"{power!r}*(1 - state.off)"
    text += f"states:\n{switch}  a: {{rate: \"{heat} - {loss!r}*a\"}}\n"
    text += f"outputs: {{a: state.a}}\nsimulation: {{time: {time!r}}}\n"

    def reference(times, tol):
        rows, t, a, on = [], 0.0, 0.0, True
        for s in times:
            while True:
                level, goal = (top, high) if on else (0.0, low)
                wait = math.log((a - level) / (goal - level)) / loss
                if t + wait >= s:
                    break
                t, a, on = t + wait, goal, not on
            rows.append([level + (a - level) * math.exp(-loss * (s - t))])
        return np.array(rows)

    return Case(text, ["a"], reference)


def rope(rng):
    """A point mass that flies in a plane and is caught by a rope, or passes a center with a narrow force."""
    m = 1.0
    x0, z0 = uniform(rng, 0.5, 1), uniform(rng, -0.5, 0.5)
    vx, vz = uniform(rng, -3, 1), uniform(rng, -3, 4)
    time = uniform(rng, 1, 2.5)
    gravity = rng.choice((0.0, G))
    kind = rng.choice(("rope", "rope", "shell"))
    free = np.linspace(0, time, 2001)
    radius = np.hypot(x0 + vx * free, z0 + vz * free - gravity * free ** 2 / 2)
    if kind == "rope":
        far = float(np.max(radius[:max(2, int(2001 * rng.uniform(0.3, 1)))]))
        r = near(max(math.hypot(x0, z0) * 1.01, far * (1 - log_uniform(rng, 1e-7, 1e-1))))
        k = log_uniform(rng, 1e2, 1e6)
        law = rng.choice((f"max(0, {k!r}*(x - {r!r})) + 0*v", f"{k!r}*(x - {r!r}) if x > {r!r} else 0*v"))
        pull = lambda d, signs: k * (d - r) if signs[0] > 0 else 0.0
        places = [r]
    else:
        r = near(float(np.min(radius)) + (float(np.max(radius)) - float(np.min(radius))) * rng.uniform(0.2, 0.8))
        w = log_uniform(rng, 1e-4, 0.05)
        p = rng.choice((pulses.gaussian, pulses.cosh, pulses.triangle))(near(rng.uniform(0.3, 2) / w), r, w)
        law = in_signal(p.text, "x") + " + 0*v"
        places = sorted(p.breaks)
        pull = lambda d, signs: p.f(clamp_to(places, d, signs))
    text = f"gravity: [0, 0, {-gravity!r}]\n"
    text += (f"bodies: {{m: {{mass: {m!r}, center: [{x0!r}, 0, {z0!r}], inertia: [1, 1, 1], "
             f"initial: {{velocity: [{vx!r}, 0, {vz!r}]}}}}}}\n")
    text += ("forces: {f: {type: spring-damper, bodies: [ground, m], "
             f"points: [[0, 0, 0], [{x0!r}, 0, {z0!r}]], law: \"{law}\"}}}}\n")
    text += f"outputs: {{x: body.m.position.x, z: body.m.position.z, v: body.m.velocity.x}}\nsimulation: {{time: {time!r}}}\n"
    switches = [lambda t, y, b=b: math.hypot(y[0], y[1]) - b for b in places]
    switches.append(lambda t, y: y[0] * y[2] + y[1] * y[3])

    def rhs(t, y, signs):
        d = math.hypot(y[0], y[1])
        f = -pull(d, signs) / d / m
        return [y[2], y[3], f * y[0], f * y[1] - gravity]

    def reference(times, tol):
        return hybrid(rhs, [x0, z0, vx, vz], times, switches, tol=tol, max_step=time / 50)[:, [0, 1, 2]]

    return Case(text, ["x", "z", "v"], reference, rates=("v",))


def stiff(rng):
    """Two masses with a stiff spring between them: what an implicit formula filters shows in its force."""
    m1, m2 = log_uniform(rng, 0.3, 4), log_uniform(rng, 0.3, 4)
    soft, big = log_uniform(rng, 0.5, 5), log_uniform(rng, 1e3, 1e12)
    c = near(rng.choice((0, 0, 1e-3)) * math.sqrt(big))
    x0 = uniform(rng, 0.2, 1)
    time = near(rng.choice((2, 5, 10)))
    text = f"bodies:\n  one: {{mass: {m1!r}, center: [0, 0, 0]}}\n  two: {{mass: {m2!r}, center: [1, 0, 0]}}\njoints:\n"
    text += f"  g1: {{type: translational, bodies: [ground, one], at: [0, 0, 0], axis: x, initial: {{displacement: {x0!r}}}}}\n"
    text += f"  g2: {{type: translational, bodies: [ground, two], at: [1, 0, 0], axis: x, initial: {{displacement: {x0!r}}}}}\n"
    text += f"forces:\n  soft: {{type: joint-spring-damper, joint: g1, stiffness: {soft!r}}}\n"
    text += ("  hard: {type: spring-damper, bodies: [one, two], points: [[0, 0, 0], [1, 0, 0]], "
             f"stiffness: {big!r}, damping: {c!r}, free_length: 1}}\n")
    text += "outputs: {x: joint.g1.displacement, y: joint.g2.displacement, f: force.hard.value}\n"
    text += f"simulation: {{time: {time!r}, output_step: {near(time / 100)!r}}}\n"

    def reference(times, tol):
        # Modes of the undamped system; damping is in the stiff mode only, to first order, so it is kept small or zero.
        # Unknowns: x of the first and d = y - x, which keeps the digits of the stiff spring.
        mass = np.array([[m1 + m2, m2], [m2, m2]])
        stiffness = np.array([[soft, 0.0], [0.0, big]])
        if c == 0:
            values, vectors = eigh(stiffness, mass)
            q0 = vectors.T @ mass @ np.array([x0, 0.0])
            omega = np.sqrt(values)
            t = np.asarray(times)[:, None]
            z = (q0 * np.cos(omega * t)) @ vectors.T
            # the force by the equation of the first: what rounding leaves of big * d is not enough
            acceleration = (-omega ** 2 * q0 * np.cos(omega * t)) @ vectors.T
            f = m1 * acceleration[:, 0] + soft * z[:, 0]
            return np.column_stack([z[:, 0], z[:, 0] + z[:, 1], f])
        from scipy.linalg import expm
        damping = np.array([[0.0, 0.0], [0.0, c]])
        inverse = np.linalg.inv(mass)
        a = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ stiffness, -inverse @ damping]])
        values, vectors = np.linalg.eig(a)
        w = np.linalg.solve(vectors, np.array([x0, 0, 0, 0], dtype=complex))
        rows = np.array([(vectors @ (w * np.exp(values * t))).real for t in times])
        rates = np.array([(vectors @ (w * values * np.exp(values * t))).real for t in times])
        f = m1 * rates[:, 2] + soft * rows[:, 0]
        return np.column_stack([rows[:, 0], rows[:, 0] + rows[:, 1], f])

    options = rng.choice(((), (), ("--formula", "sdirk4-16"), ("--formula", "trapezoidal"), ("--formula", "rosenbrock")))
    return Case(text, ["x", "y", "f"], reference, options=options)


def chaos(rng):
    """Chaotic states as outputs: nothing moves, and no digit holds for long."""
    kind = rng.choice(("lorenz", "rossler", "duffing"))
    time = uniform(rng, 10, 40)
    s = [uniform(rng, 0.5, 2) for _ in range(3)]
    text = body_text(1.0) + rail(1.0)
    if kind == "lorenz":
        text += (f"states:\n  a: {{rate: \"10*(b - a)\", initial: {s[0]!r}}}\n  b: {{rate: \"a*(28 - c) - b\", initial: {s[1]!r}}}\n"
                 f"  c: {{rate: \"a*b - 8/3*c\", initial: {s[2]!r}}}\n")
        rhs = lambda t, y: [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]
    elif kind == "rossler":
        text += (f"states:\n  a: {{rate: \"-b - c\", initial: {s[0]!r}}}\n  b: {{rate: \"a + 0.2*b\", initial: {s[1]!r}}}\n"
                 f"  c: {{rate: \"0.2 + c*(a - 5.7)\", initial: {s[2]!r}}}\n")
        rhs = lambda t, y: [-y[1] - y[2], y[0] + 0.2 * y[1], 0.2 + y[2] * (y[0] - 5.7)]
    else:
        text += (f"states:\n  a: {{rate: \"b\", initial: {s[0]!r}}}\n  b: {{rate: \"a - a^3 - 0.1*b + 0.35*cos(1.4*t)\", initial: {s[1]!r}}}\n"
                 f"  c: {{rate: \"a*b - c\", initial: {s[2]!r}}}\n")
        rhs = lambda t, y: [y[1], y[0] - y[0] ** 3 - 0.1 * y[1] + 0.35 * math.cos(1.4 * t), y[0] * y[1] - y[2]]
    text += f"outputs: {{a: state.a, c: state.c}}\nsimulation: {{time: {time!r}, output_step: 0.1}}\n"
    return Case(text, ["a", "c"], lambda times, tol: integrate(rhs, s, times, tol=tol)[:, [0, 2]], converge=True)


def narrow_state(rng):
    """States with rates narrow in a position, or that ignite: flame, relaxation oscillator."""
    kind = rng.choice(("flame", "van-der-pol", "counter"))
    if kind == "flame":
        d = log_uniform(rng, 1e-3, 0.05)
        time = near(2 / d)
        text = body_text(1.0) + rail(1.0) + f"states: {{a: {{rate: \"a^2 - a^3\", initial: {d!r}}}}}\n"
        text += f"outputs: {{a: state.a}}\nsimulation: {{time: {time!r}}}\n"
        return Case(text, ["a"], lambda times, tol: integrate(lambda t, y: [y[0] ** 2 * (1 - y[0])], [d], times, tol=tol))
    if kind == "van-der-pol":
        mu = log_uniform(rng, 1, 100)
        time = near(3 * mu * rng.uniform(0.5, 1))
        text = body_text(1.0) + rail(1.0)
        text += f"states:\n  a: {{rate: \"b\", initial: 2}}\n  b: {{rate: \"{mu!r}*(1 - a^2)*b - a\"}}\n"
        text += f"outputs: {{a: state.a}}\nsimulation: {{time: {time!r}}}\n"
        rhs = lambda t, y: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]
        return Case(text, ["a"], lambda times, tol: integrate(rhs, [2.0, 0.0], times, tol=max(tol, 1e-11),
                                                              method="Radau")[:, [0]])
    v0, time = uniform(rng, 1, 5), 2.0
    x1, w = uniform(rng, 0.2 * v0, 1.8 * v0), log_uniform(rng, 1e-5, 0.05)
    p = rng.choice((pulses.gaussian, pulses.tanh_box, pulses.box, pulses.triangle))(near(rng.uniform(0.5, 2) / w * v0), x1, w)
    text = body_text(1.0) + rail(v0)
    text += f"states: {{a: {{rate: \"{in_signal(p.text, 'joint.g.displacement')}\"}}}}\n"
    text += f"outputs: {{a: state.a}}\nsimulation: {{time: {time!r}}}\n"
    breaks = [b / v0 for b in p.breaks]
    return Case(text, ["a"], lambda times, tol: integrate(lambda t, y: [p.f(v0 * t)], [0.0], times, breaks, tol))


KINDS = {"sampled": sampled, "delay-loop": delay_loop, "friction": friction, "release": release, "clutch": clutch, "breakpin": breakpin, "relay": relay,
         "rope": rope,
         "stiff": stiff, "chaos": chaos, "narrow-state": narrow_state}
