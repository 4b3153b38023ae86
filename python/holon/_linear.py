"""Small motions about a state, and forces of drives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._hints import nearest, need
from ._plot import Plot

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Mode:
    """The mode of an eigenvalue."""

    eigenvalue: complex
    frequency: float  #: |lambda| / 2 pi, Hz
    damping: float  #: -Re / |lambda|
    shape: dict[str, npt.NDArray[np.complex128]]  #: of bodies: translation, then rotation, global axes
    kinetic: dict[str, float]  #: fraction of each body in the kinetic energy
    elastic: dict[str, float]  #: fraction of each force in the stored energy
    dissipated: dict[str, float]  #: ... and in the dissipated energy


@dataclass(frozen=True, repr=False)
class Linearization:
    """x' = f0 + A x + B u, y = y0 + C x + D u about a state; see docs/howto/linearization.md."""

    time: float
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    A: Array | None  #: None for more than 500 states
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
    kinks: list[str]  #: forces with a discontinuous derivative at the state
    redundant: int
    equilibrium: bool = False  #: or a steady motion: rates do not change at the state
    B_rate: Array | None = field(default=None)  #: of inputs that drivers follow: times their rates
    B_acceleration: Array | None = field(default=None)
    D_rate: Array | None = field(default=None)
    D_acceleration: Array | None = field(default=None)

    units: dict[str, str] = field(default_factory=dict)  #: SI, of states, inputs and outputs

    def __repr__(self) -> str:
        swing = [m for m in self.modes if m.eigenvalue.imag > 1e-9]
        listed = " at " + ", ".join(f"{m.frequency:.4g}" for m in swing[:6]) + " Hz" if swing else ""
        return (f"<holon.Linearization at t = {self.time:g} s: {len(self.states)} states, "
                f"{len(self.inputs)} inputs, {len(self.outputs)} outputs; {len(swing)} modes swing"
                f"{listed}{', ...' if len(swing) > 6 else ''}>")

    def state_space(self) -> Any:
        """The same for scipy.signal."""
        return need("scipy.signal", "state_space()").StateSpace(*self._matrices())

    def _matrices(self) -> tuple[Array, Array, Array, Array]:
        if self.A is None or self.B is None or self.C is None or self.D is None:
            raise ValueError("there are no matrices of more than 500 states: linearize(dense=True)")
        return self.A, self.B, self.C, self.D

    def response(self, frequencies: Any) -> npt.NDArray[np.complex128]:
        """Outputs for harmonic inputs of amplitude 1, at frequencies in Hz: (frequencies, outputs,
        inputs), complex. Inputs that drivers follow count with their rates."""
        a, b, c, d = self._matrices()
        s = 2j * np.pi * np.atleast_1d(np.asarray(frequencies, dtype=float))[:, None, None]
        push, through = b + 0 * s, d + 0 * s
        for order, (more, straight) in enumerate(((self.B_rate, self.D_rate),
                                                  (self.B_acceleration, self.D_acceleration)), 1):
            push = push + s**order * more if more is not None else push
            through = through + s**order * straight if straight is not None else through
        answer: npt.NDArray[np.complex128] = c @ np.linalg.solve(s * np.eye(len(a)) - a, push) + through
        return answer


@dataclass(frozen=True)
class Campbell:
    """Modes over a parameter."""

    parameter: str
    values: Array
    linearizations: list[Linearization] = field(repr=False)

    def _numbers(self, what: str) -> Array:
        most = max((len(x.modes) for x in self.linearizations), default=0)
        table = np.full((len(self.values), most), np.nan)
        for k, x in enumerate(self.linearizations):
            table[k, :len(x.modes)] = [getattr(m, what) for m in x.modes]
        return table

    @property
    def frequencies(self) -> Array:
        """Hz (values, modes), ascending; nan where there are fewer."""
        return self._numbers("frequency")

    @property
    def damping(self) -> Array:
        """Of the same modes."""
        return self._numbers("damping")

    def plot(self) -> Plot:
        """Frequencies over the parameter."""
        picture = Plot(f"modes over {self.parameter}", x_label=self.parameter)
        for k, line in enumerate(self.frequencies.T):
            picture.line(self.values, line, f"mode {k + 1}", "Hz")
        return picture


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
        kinks=got["kinks"], redundant=got["redundant"], equilibrium=got["equilibrium"],
        units=dict(got["units"]), **words)


@dataclass(frozen=True)
class DriveForces:
    """Forces of drives over a motion, N or N m."""

    time: Array = field(repr=False)
    forces: dict[str, Array] = field(repr=False)
    freedoms: int
    rank: int  #: number of degrees of freedom that the drives can actuate
    residual: float  #: largest generalized force that is missing
    missing: str  #: coordinate of the missing force; empty: none
    #: generalized forces of unit forces of the drives where the model starts, freedoms by drives
    map: Array = field(repr=False, default_factory=lambda: np.zeros((0, 0)))

    def __getitem__(self, name: str) -> Array:
        if name not in self.forces:
            raise KeyError(f"there is no drive '{name}'" + nearest(name, self.forces))
        return self.forces[name]

    def plot(self) -> Plot:
        """Forces over time."""
        picture = Plot("forces of drives")
        for name, force in self.forces.items():
            picture.line(self.time, force, name)
        return picture


@dataclass(frozen=True)
class Composite:
    """Bodies combined into one rigid body at the present pose; global axes."""

    mass: float
    center: Array
    velocity: Array
    inertia: Array  #: about the center of mass (3 x 3)
    momentum: Array
    angular_momentum: Array  #: about the center of mass


def composite(got: Mapping[str, Any]) -> Composite:
    xx, yy, zz, xy, xz, yz = got["inertia"]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Composite(got["mass"], np.array(got["center"]), np.array(got["velocity"]), inertia,
                     np.array(got["momentum"]), np.array(got["angular_momentum"]))


__all__ = ["Composite", "DriveForces", "Linearization", "Mode"]
