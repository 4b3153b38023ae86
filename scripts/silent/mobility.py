"""Degrees of freedom of a mechanism at its start: to first order, and of the motions that exist.

A rod stretched over a joint, or a chain drawn out to its full length, allows velocities that no motion follows. First
order is the rank of the Jacobian. The motions that exist are found by small steps along velocities that are allowed,
brought back onto the constraints by Newton's method: where a motion follows, the way back is of second order. Where motions branch, such as in a rhombus folded flat, the
rank is larger beside the start.
"""
import math

import numpy as np

STEP = 1e-2      # rad, m
ROUNDING = 1e-9  # singular values, of the largest
BESIDE = 1e-7    # the same after a step
MOVES = 0.06     # singular values of the steps left, of the step
CLOSED = 1e-10   # residual


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(w):
    angle = math.sqrt(w @ w)
    if angle < 1e-100:
        return np.eye(3)
    k = skew(w / angle)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def normals(axis):
    u = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)


class Mechanism:
    """Joints (type, body, body, points or [point], axes) between bodies with these centers; 0 is ground."""

    def __init__(self, centers, joints):
        self.centers = [np.array(c, float) for c in centers]
        self.rows = []
        for kind, a, b, points, axes in joints:
            arms = [np.array(points[0], float) - self.centers[a], np.array(points[-1], float) - self.centers[b]]
            axes = [np.array(x, float) for x in axes]
            self.rows += [(form, a, b, *arms, *directions) for form, directions in self.forms(kind, points, axes)]

    @staticmethod
    def forms(kind, points, axes):
        point = [("global", (e,)) for e in np.eye(3)]
        if kind == "distance":
            return [("distance", (math.dist(*points),))]
        if kind == "universal":
            return point + [("axes", tuple(axes))]
        if kind in ("spherical", "free"):
            return point if kind == "spherical" else []
        u, v = normals(axes[0])
        parallel = [("axes", (u, axes[0])), ("axes", (v, axes[0]))]
        across = [("local", (u,)), ("local", (v,))]
        return {"revolute": parallel + point, "cylindrical": parallel + across,
                "translational": parallel + across + [("axes", (u, v))]}[kind]

    def start(self):
        return [c.copy() for c in self.centers], [np.eye(3) for _ in self.centers]

    def move(self, pose, x):
        r, turn = pose
        x = np.concatenate([np.zeros(6), x]).reshape(-1, 6)
        return [p + d[:3] for p, d in zip(r, x)], [rotation(d[3:]) @ m for m, d in zip(turn, x)]

    @staticmethod
    def row(row, pose):
        """Value, and gradients (force, torque) of both bodies."""
        (r, turn), (form, a, b, arm_a, arm_b, one) = pose, row[:6]
        x, y = turn[a] @ arm_a, turn[b] @ arm_b
        gap = r[b] + y - r[a] - x
        if form == "axes":
            u, v = turn[a] @ one, turn[b] @ row[6]
            return u @ v - one @ row[6], np.zeros(3), np.cross(u, v), np.zeros(3), np.cross(v, u)
        e = gap / np.linalg.norm(gap) if form == "distance" else turn[a] @ one if form == "local" else one
        turned = np.cross(e, gap) if form == "local" else 0
        value = np.linalg.norm(gap) - one if form == "distance" else gap @ e
        return value, -e, turned - np.cross(x, e), e, np.cross(y, e)

    def evaluate(self, pose):
        """Values and Jacobian at this pose."""
        value, jacobian = np.zeros(len(self.rows)), np.zeros((len(self.rows), 6 * len(self.centers)))
        for k, row in enumerate(self.rows):
            value[k], *gradients = self.row(row, pose)
            for body, part in zip(row[1:3], (0, 2)):
                jacobian[k, 6 * body:6 * body + 6] += np.concatenate(gradients[part:part + 2])
        return value, jacobian[:, 6:]

    def close(self, pose):
        """The pose brought onto the constraints; None where Newton's method finds no way."""
        for _ in range(60):
            value, jacobian = self.evaluate(pose)
            if np.max(np.abs(value), initial=0) < 1e-3 * CLOSED:
                return pose
            x = -np.linalg.lstsq(jacobian, value, rcond=ROUNDING)[0]
            pose = self.move(pose, x * min(1, 0.1 / np.linalg.norm(x)))
        return pose if np.max(np.abs(self.evaluate(pose)[0])) < CLOSED else None

    def change(self, pose):
        (r, turn), parts = pose, []
        for b in range(1, len(self.centers)):
            twist = turn[b] - turn[b].T
            parts += [r[b] - self.centers[b], 0.5 * np.array([twist[2, 1], twist[0, 2], twist[1, 0]])]
        return np.concatenate(parts)

    def allowed(self):
        """Velocities that the constraints allow at the start, orthonormal rows."""
        _, jacobian = self.evaluate(self.start())
        _, values, vectors = np.linalg.svd(jacobian)
        return vectors[np.sum(values > ROUNDING * np.max(values, initial=0)):]

    def is_locked(self):
        return len(self.allowed()) == 0

    def allows_spin(self, body, spin):
        """Whether a body may start with this angular velocity."""
        turns = self.allowed()[:, 6 * body - 3:6 * body]
        _, values, directions = np.linalg.svd(turns)
        directions = directions[:len(values)][values > ROUNDING]
        return bool(np.allclose(directions.T @ (directions @ spin), spin, atol=1e-6))

    def freedoms(self):
        """(to first order, of motions that exist, to first order beside the start)"""
        start, rng = self.start(), np.random.default_rng(1)
        allowed = self.allowed()
        steps, beside = [], len(allowed)
        for _ in range(3 * len(allowed) + 3):
            v = rng.normal(size=len(allowed)) @ allowed
            pose = self.close(self.move(start, STEP * v / max(np.linalg.norm(v), ROUNDING)))
            if pose is not None:
                steps.append(self.change(pose) / STEP)
                values = np.linalg.svd(self.evaluate(pose)[1], compute_uv=False)
                beside = min(beside, allowed.shape[1] - np.sum(values > BESIDE * np.max(values, initial=0)))
        left = np.linalg.svd(np.array(steps), compute_uv=False) if steps else np.zeros(0)
        return len(allowed), int(np.sum(left > MOVES * math.sqrt(max(1, len(steps))))), int(beside)

    def is_singular(self):
        """Locked although velocities are allowed, or motions branch at the start."""
        first, existing, beside = self.freedoms()
        return existing < first or beside < first
