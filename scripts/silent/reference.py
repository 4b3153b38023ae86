"""Reference solutions of hand-written equations by SciPy, with every break of the equations at an end of a segment.

integrate: smooth equations between known break times.
hybrid: equations whose mode is a tuple of signs of switching functions; crossings are located, and a crossing and its
return within one step are found through the extremum between them, which is a switching function too.
"""
import math

import numpy as np
from scipy.integrate import solve_ivp

TIGHT = 1e-12
LOOSE = 1e-10


def integrate(rhs, start, times, breaks=(), tol=TIGHT, max_step=math.inf, method="DOP853"):
    """States (a row a time) of y' = rhs(t, y). Times begin at 0; rhs may jump at breaks only."""
    end = times[-1]
    grid = sorted({0.0, end, *(b for b in breaks if 0 < b < end)})
    rows = np.empty((len(times), len(start)))
    y = np.array(start, dtype=float)
    rows[0] = y
    for a, b in zip(grid, grid[1:]):
        if b - a <= 4e-16 * max(abs(a), abs(b)):
            continue
        margin = max(1e-12 * (b - a), 4e-16 * b)  # keeps arguments inside the segment, on its side of a jump
        inside = [i for i, t in enumerate(times) if a < t <= b]
        f = lambda t, z: rhs(min(max(t, a + margin), b - margin), z)
        done = solve_ivp(f, (a, b), y, method=method, rtol=max(tol, 3e-14), atol=tol * 1e-2, max_step=max_step,
                         dense_output=bool(inside))
        if done.status != 0:
            raise ArithmeticError(done.message)
        for i in inside:
            rows[i] = done.sol(times[i]) if times[i] < b else done.y[:, -1]
        y = done.y[:, -1]
    return rows


def hybrid(rhs, start, times, switches, breaks=(), tol=TIGHT, max_step=math.inf, at_switch=None, signs=None):
    """States of y' = rhs(t, y, signs) with signs of the functions switches[i](t, y).

    at_switch(i, t, y, signs): new y or None, called when sign i has changed; it may change other signs (a list).
    """
    end = times[-1]
    grid = sorted({0.0, end, *(b for b in breaks if 0 < b < end)})
    rows = np.empty((len(times), len(start)))
    y, t = np.array(start, dtype=float), 0.0
    rows[0] = y
    signs = list(signs) if signs else [1 if g(0.0, y) >= 0 else -1 for g in switches]
    changes = 0
    for b in grid[1:]:
        stop = b
        inner = t + max(1e-12 * (b - t), 4e-16 * b)
        for i, g in enumerate(switches):  # a switch may jump at a break
            value = g(inner, y)
            if abs(value) > 1e-12:
                signs[i] = 1 if value > 0 else -1
        while t < b:
            margin = max(1e-12 * (stop - t), 4e-16 * b)
            begin, frozen = t, tuple(signs)
            inside = lambda s: min(max(s, begin + margin), stop - margin)
            f = lambda s, z: rhs(inside(s), z, frozen)
            events = []
            for g, sign in zip(switches, signs):
                event = lambda s, z, g=g, sign=sign: g(inside(s), z) or sign * 1e-300  # on the switch: not crossed
                event.terminal, event.direction = True, -sign
                events.append(event)
            done = solve_ivp(f, (t, stop), y, method="DOP853", rtol=max(tol, 3e-14), atol=tol * 1e-2,
                             max_step=max_step, events=events, dense_output=True)
            if done.status < 0:
                raise ArithmeticError(done.message)
            reached, z = done.t[-1], done.y[:, -1]
            fired = [i for i, e in enumerate(done.t_events) if len(e)] if done.status == 1 else []
            other = [i for i, g in enumerate(switches) if i not in fired and g(inside(reached), z) * signs[i] < -1e-13]
            if other and fired and reached - t > 1e-13 * max(1, end) and stop != reached:
                stop = reached  # something crossed and did not return before the located one: end there first
                continue
            for i, s in enumerate(times):
                if t < s <= reached:
                    rows[i] = done.sol(s) if s < reached else z
            t, y, stop = reached, z, b
            for i in fired or other:
                signs[i] = -signs[i]
                changes += 1
                if at_switch:
                    new = at_switch(i, t, y, signs)
                    y = y if new is None else np.array(new, dtype=float)
            if changes > 100000:
                raise ArithmeticError("changes without end")
            if not fired and not other and reached >= b * (1 - 4e-16):
                break
        t = b
    return rows


def delayed(rhs, start, times, delay, past, breaks=(), tol=TIGHT):
    """States of y' = rhs(t, y, late) with late = signal(t - delay); past(t, y) is that signal, past(t, None) before 0.

    The method of steps: within an interval of the delay the late values are known, from the dense output before.
    """
    end = times[-1]
    grid = {0.0, end, *(b for b in breaks if 0 < b < end)}
    for b in (0.0, *breaks):
        grid.update(b + k * delay for k in range(1, 9) if 0 < b + k * delay < end)
    grid = sorted(grid)
    fine = [grid[0]]
    for b in grid[1:]:
        while b - fine[-1] > delay * (1 + 1e-12):
            fine.append(fine[-1] + delay)
        if b - fine[-1] > 1e-13:
            fine.append(b)
    rows, pieces = np.empty((len(times), len(start))), []
    y = np.array(start, dtype=float)
    rows[0] = y

    def late(s, hint):
        if s < 0:
            return past(s, None)
        while hint < len(pieces) - 1 and pieces[hint][1] < s:
            hint += 1
        while hint > 0 and pieces[hint][0] > s:
            hint -= 1
        return past(s, pieces[hint][2](s))

    for a, b in zip(fine, fine[1:]):
        margin = max(1e-12 * (b - a), 4e-16 * b)
        hint = max(0, len(pieces) - 1)

        def f(t, z):
            t = min(max(t, a + margin), b - margin)
            return rhs(t, z, late(t - delay, hint))

        done = solve_ivp(f, (a, b), y, method="DOP853", rtol=max(tol, 3e-14), atol=tol * 1e-2, dense_output=True)
        if done.status != 0:
            raise ArithmeticError(done.message)
        pieces.append((a, b, done.sol))
        for i, s in enumerate(times):
            if a < s <= b:
                rows[i] = done.sol(s) if s < b else done.y[:, -1]
        y = done.y[:, -1]
    return rows
