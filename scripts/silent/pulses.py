"""Functions of time with narrow features: their text for a model, the same function in Python, and its breaks."""
import math

import numpy as np
from scipy.interpolate import CubicSpline

from .case import log_uniform, near, uniform


class Pulse:
    """text: in t. f(t). breaks: where f bends or jumps, and between which a smooth f is resolved. table: a map."""

    def __init__(self, text, f, breaks, area, center, width):
        self.text, self.f, self.breaks, self.area = text, f, list(breaks), area
        self.center, self.width = center, width


def around(t0, w, reach=8, parts=16):
    return [t0 + w * reach * (2 * k / parts - 1) for k in range(parts + 1)]


def gaussian(h, t0, w):
    return Pulse(f"{h!r}*exp(-((t - {t0!r})/{w!r})^2)",
                 lambda t: h * math.exp(-min(700, ((t - t0) / w) ** 2)), around(t0, w), h * w * math.sqrt(math.pi), t0, w)


def cosh(h, t0, w):
    def f(t):
        u = abs(t - t0) / w
        return h / math.cosh(u) ** 2 if u < 300 else 0.0
    return Pulse(f"{h!r}*(1 - tanh((t - {t0!r})/{w!r})^2)", f, around(t0, w, 24, 24), 2 * h * w, t0, w)


def tanh_box(h, t0, w):
    s = near(w / 6)
    f = lambda t: h / 2 * (math.tanh((t - t0 + w) / s) - math.tanh((t - t0 - w) / s))
    return Pulse(f"{h!r}/2*(tanh((t - {t0!r} + {w!r})/{s!r}) - tanh((t - {t0!r} - {w!r})/{s!r}))", f,
                 around(t0, w, 4, 32), 2 * h * w, t0, w)


def lorentz(h, t0, w):
    breaks = [t0 + sign * w * 2.0 ** k for k in range(-2, 24) for sign in (-1, 1)] + [t0]
    return Pulse(f"{h!r}/(1 + ((t - {t0!r})/{w!r})^2)", lambda t: h / (1 + ((t - t0) / w) ** 2), breaks,
                 h * w * math.pi, t0, w)


def box(h, t0, w):
    a, b = near(t0), near(t0 + w)
    return Pulse(f"({h!r} if t > {a!r} and t < {b!r} else 0)", lambda t: h if a < t < b else 0.0, [a, b],
                 h * (b - a), t0, w)


def step_box(h, t0, w):
    a, b = near(t0), near(t0 + w)
    return Pulse(f"{h!r}*(step(t - {a!r}) - step(t - {b!r}))", lambda t: h if a <= t < b else 0.0, [a, b],
                 h * (b - a), t0, w)


def triangle(h, t0, w):
    return Pulse(f"max(0, {h!r}*(1 - abs(t - {t0!r})/{w!r}))" if h > 0 else f"min(0, {h!r}*(1 - abs(t - {t0!r})/{w!r}))",
                 lambda t: h * max(0.0, 1 - abs(t - t0) / w), [t0 - w, t0, t0 + w], h * w, t0, w)


def bump(h, t0, w):
    a, b = near(t0 - w), near(t0 + w)

    def rise(t, x0, x1):
        u = min(1.0, max(0.0, (t - x0) / (x1 - x0)))
        return u * u * u * (10 - 15 * u + 6 * u * u)
    return Pulse(f"(step5(t, {a!r}, 0, {t0!r}, {h!r}) - step5(t, {t0!r}, 0, {b!r}, {h!r}))",
                 lambda t: h * (rise(t, a, t0) - rise(t, t0, b)), [a, t0, b], h * w, t0, w)


def comb(h, t0, w):
    """Narrow because of a high power: a bump each second, in every period of t0 + k."""
    power = max(2, 2 * round(0.5 / (math.pi * w) ** 2))
    f = lambda t: h * math.cos(math.pi * (t - t0)) ** power
    spread = 1 / (math.pi * math.sqrt(power / 2))
    breaks = [b for k in range(-20, 21) for b in around(t0 + k, spread, 6, 12)]
    return Pulse(f"{h!r}*cos(pi*(t - {t0!r}))^{power}", f, breaks, h * spread * math.sqrt(math.pi), t0, w)


def train(h, t0, w):
    breaks = [t0 + k * 1.0 + d for k in range(-20, 21) for d in (0, w)]
    return Pulse(f"({h!r} if mod(t - {t0!r}, 1) < {w!r} else 0)",
                 lambda t: h if (t - t0) % 1.0 < w else 0.0, breaks, h * w, t0, w)


def burst(h, t0, w):
    """An oscillation that begins and ends, and whose mean is not zero."""
    omega = near(12 / w)
    f = lambda t: h * math.exp(-min(700, ((t - t0) / w) ** 2)) * math.sin(omega * (t - t0)) ** 2
    return Pulse(f"{h!r}*exp(-((t - {t0!r})/{w!r})^2)*sin({omega!r}*(t - {t0!r}))^2", f, around(t0, w, 8, 48),
                 h * w * math.sqrt(math.pi) / 2, t0, w)


SMOOTH = (burst, gaussian, gaussian, cosh, tanh_box, lorentz, comb, bump)
SHARP = (box, step_box, triangle, bump, train)


def some(rng, time, count, impulse, shapes=SMOOTH + SHARP, widths=(1e-5, 0.3), most=1e7):
    """The sum of some pulses within the time, each of about that area; `most`: the largest height."""
    pulses = []
    for _ in range(count):
        shape = rng.choice(shapes)
        w = log_uniform(rng, *widths)
        if shape in (comb, train):
            w = max(w, 2e-3)
        t0 = uniform(rng, 0.005 * time, 1.01 * time)
        area = impulse * rng.choice((-1, 1)) * rng.uniform(0.3, 2)
        pulses.append(shape(near(max(-most, min(most, area / w))), t0, w))
    return pulses


def together(pulses):
    """Text, function and breaks of their sum."""
    return (" + ".join(p.text for p in pulses).replace("+ -", "- "), lambda t: sum(p.f(t) for p in pulses),
            [b for p in pulses for b in p.breaks])


def peak_table(rng, time, area, width):
    """A table of time that is 0 but for a narrow peak: points, interpolation, function and breaks."""
    t0 = uniform(rng, 0.05 * time, 0.9 * time)
    w = near(width)
    h = near(area / w)
    xs = [0.0, near(t0 / 2), t0, near(t0 + w), near(t0 + 2 * w), near(t0 + 2 * w + (time - t0) / 2), near(time + 1)]
    ys = [0.0, 0.0, 0.0, h, 0.0, 0.0, 0.0]
    kind = rng.choice(("linear", "linear", "spline", "monotone"))
    if kind == "spline":
        f = CubicSpline(xs, ys, bc_type="natural")
        g = lambda t: float(f(t))
    elif kind == "monotone":
        def g(t):  # zero slopes at every point: those beside the peak are flat, the peak is an extremum
            for a, b, low, high in zip(xs, xs[1:], ys, ys[1:]):
                if a <= t <= b:
                    u = (t - a) / (b - a)
                    return low + (high - low) * u * u * (3 - 2 * u)
            return 0.0
    else:
        g = lambda t: float(np.interp(t, xs, ys))
    points = "[%s]" % ", ".join("[%.12g, %.12g]" % p for p in zip(xs, ys))
    return points, kind, g, xs
