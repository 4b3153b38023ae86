"""Small motions about a state, and forces of drives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Mode:
    """How an eigenvalue moves the machine."""

    eigenvalue: complex
    frequency: float  #: |lambda| / 2 pi, Hz
    damping: float  #: -Re / |lambda|
    shape: dict[str, npt.NDArray[np.complex128]]  #: of bodies: translation, then rotation, global axes
    kinetic: dict[str, float]  #: share of each body in the kinetic energy
    elastic: dict[str, float]  #: share of each force in what forces store
    dissipated: dict[str, float]  #: ... and in what they dissipate


@dataclass(frozen=True)
class Linearization:
    """x' = f0 + A x + B u, y = y0 + C x + D u about a state; see docs/linearization.md."""

    time: float
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    A: Array | None  #: None where there are more than 500 states
    B: Array | None
    C: Array | None
    D: Array | None
    f0: Array
    x0: Array
    u0: Array
    y0: Array
    eigenvalues: npt.NDArray[np.complex128]  #: ascending by size
    frequencies: Array  #: of the eigenvalues, Hz
    damping: Array
    modes: list[Mode]
    kinks: list[str]  #: forces with a kink at the state
    redundant: int
    B_rate: Array | None = field(default=None)  #: of inputs that drivers follow: times their rates
    B_acceleration: Array | None = field(default=None)
    D_rate: Array | None = field(default=None)
    D_acceleration: Array | None = field(default=None)

    def state_space(self) -> Any:
        """The same for scipy.signal."""
        from scipy import signal

        return signal.StateSpace(self.A, self.B, self.C, self.D)


def _floats(data: bytes | None, *shape: int) -> Array:
    if data is None:
        return np.zeros(0)
    return np.frombuffer(data, dtype=np.float64).reshape(shape).copy()


def _mode(row: tuple[Any, ...], values: Array, bodies: list[str], forces: list[str]) -> Mode:
    index, shape, kinetic, elastic, damping = row
    pairs = _floats(shape, len(bodies), 6, 2)
    return Mode(complex(values[index, 0], values[index, 1]), float(values[index, 2]),
                float(values[index, 3]),
                {b: pairs[k, :, 0] + 1j * pairs[k, :, 1] for k, b in enumerate(bodies)},
                dict(zip(bodies, _floats(kinetic, -1).tolist())),
                dict(zip(forces, _floats(elastic, -1).tolist())),
                dict(zip(forces, _floats(damping, -1).tolist())))


def linearization(got: dict[str, Any], bodies: list[str], forces: list[str]) -> Linearization:
    n, m, p = len(got["states"]), len(got["inputs"]), len(got["outputs"])
    shapes = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m), "B_rate": (n, m),
              "B_acceleration": (n, m), "D_rate": (p, m), "D_acceleration": (p, m)}
    words: dict[str, Any] = {k: None if got[k] is None else _floats(got[k], *s) for k, s in shapes.items()}
    words.update({k: _floats(got[k], -1) for k in ("f0", "x0", "u0", "y0")})
    values = _floats(got["eigenvalues"], -1, 4)
    return Linearization(
        time=got["time"], states=got["states"], inputs=got["inputs"], outputs=got["outputs"],
        eigenvalues=values[:, 0] + 1j * values[:, 1], frequencies=values[:, 2],
        damping=values[:, 3], modes=[_mode(r, values, bodies, forces) for r in got["modes"]],
        kinks=got["kinks"], redundant=got["redundant"], **words)


@dataclass(frozen=True)
class DriveForces:
    """Forces of drives over a motion, N or N m."""

    time: Array
    forces: dict[str, Array]
    freedoms: int
    rank: int  #: of them that the drives can push
    residual: float  #: largest generalized force that is missing
    missing: str  #: the coordinate it is missing along; empty: none

    def __getitem__(self, name: str) -> Array:
        return self.forces[name]


@dataclass(frozen=True)
class Composite:
    """Bodies seen as one, frozen as they stand; global axes."""

    mass: float
    center: Array
    velocity: Array
    inertia: Array  #: about the centre of mass (3 x 3)
    momentum: Array
    angular_momentum: Array  #: about the centre of mass


def composite(got: Mapping[str, Any]) -> Composite:
    xx, yy, zz, xy, xz, yz = got["inertia"]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Composite(got["mass"], np.array(got["center"]), np.array(got["velocity"]), inertia,
                     np.array(got["momentum"]), np.array(got["angular_momentum"]))


__all__ = ["Composite", "DriveForces", "Linearization", "Mode"]
