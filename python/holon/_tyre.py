"""Tyres by themselves."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._hints import nearest
from ._plot import Plot

Array = NDArray[np.float64]
_SIDES = {None: 0, "left": 1, "right": 2}
_INPUTS = ("kappa", "alpha", "gamma", "fz", "vx", "mu")
_OUTPUTS = {"fx": "N", "fy": "N", "mx": "N m", "my": "N m", "mz": "N m"}
_LABELS = {"kappa": "longitudinal slip", "alpha": "slip angle / rad", "gamma": "camber / rad",
           "fz": "load / N", "vx": "speed / m/s", "mu": "friction"}


@dataclass(frozen=True)
class TyreForces:
    """Forces and moments of the road on the wheel at its contact point, axes of ISO 8855."""

    fx: Array  #: N, forwards
    fy: Array  #: N, to the left
    mx: Array  #: N m
    my: Array  #: N m
    mz: Array  #: N m, aligning
    derivatives: Array | None = None  #: (..., 5, 6): of fx fy mx my mz in kappa alpha gamma fz vx mu


@dataclass(frozen=True)
class TyreSizes:
    """Radii and relaxation lengths under a load, m."""

    deflection: float
    loaded_radius: float
    effective_radius: float
    sigma_kappa: float  #: 0 where the file has none
    sigma_alpha: float


class Tyre:
    """A tyre from its property file: curves without a vehicle (`holon tyre`).

    >>> tyre = holon.Tyre("car.tir")                                            # doctest: +SKIP
    >>> tyre.forces(alpha=np.radians(np.linspace(-10, 10, 41)), fz=4000).fy     # doctest: +SKIP

    Args:
        path: .tir (FIALA, PAC89, PAC94, PAC2002, TMEASY) or a table (.csv).
        side: "left" or "right" of the vehicle; None: as the file says.
    """

    def __init__(self, path: str | os.PathLike[str], *, side: str | None = None) -> None:
        if side not in _SIDES:
            raise ValueError(f"a side is 'left' or 'right', not {side!r}")
        self.path = os.fspath(path)
        self._core = _core.Tyre(self.path, _SIDES[side])
        self.model, self.side, self.notes = self._core.facts()

    def __repr__(self) -> str:
        return f"<holon.Tyre {os.path.basename(self.path)}: {self.model}, {self.side}>"

    def __getitem__(self, key: str) -> float:
        """A number of the file by its key, in SI units."""
        value = self._core.number(key)
        if math.isnan(value):
            raise KeyError(f"the tyre has no number '{key}'")
        return value

    def forces(self, kappa: Any = 0.0, alpha: Any = 0.0, gamma: Any = 0.0, fz: Any = 4000.0,
               vx: Any = 16.7, mu: Any = 1.0, *, derivatives: bool = False) -> TyreForces:
        """Forces at slips: numbers or arrays, of shapes that go together.

        Args:
            kappa: longitudinal slip, -1 locked, above 0 driven.
            alpha: slip angle, rad; above 0: fy is below 0.
            gamma: camber, rad; above 0: the top leans to the right.
            fz: load, N.
            vx: speed, m/s.
            mu: factor to the friction of the file.
            derivatives: exact ones too.
        """
        given = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64)
                                      for x in (kappa, alpha, gamma, fz, vx, mu)))
        shape = given[0].shape
        slips = np.ascontiguousarray(np.stack(given, axis=-1).reshape(-1, 6))
        found = np.empty((len(slips), 5))
        slopes = np.empty((len(slips), 5, 6)) if derivatives else None
        self._core.evaluate(slips, found, slopes)
        fx, fy, mx, my, mz = (found[:, k].reshape(shape) for k in range(5))
        return TyreForces(fx, fy, mx, my, mz,
                          None if slopes is None else slopes.reshape(*shape, 5, 6))

    def sizes(self, fz: float = 4000.0, gamma: float = 0.0) -> TyreSizes:
        """Radii and relaxation lengths at a load (N) and a camber (rad)."""
        return TyreSizes(*self._core.sizes(gamma, fz))

    def plot(self, what: str = "fy", over: str = "alpha", values: Any = None, *,
             fz: Any = (2000.0, 4000.0, 6000.0), **others: float) -> Plot:
        """A force over a slip, one line for each load; without values over the default range."""
        if what not in _OUTPUTS:
            raise ValueError(f"a tyre has no '{what}'" + nearest(what, _OUTPUTS))
        if over not in _INPUTS or over == "fz":
            raise ValueError(f"curves go over kappa, alpha, gamma, vx or mu, not '{over}'")
        ends = {"kappa": (-1, 1), "alpha": (-0.25, 0.25), "gamma": (-0.1, 0.1), "vx": (1, 50),
                "mu": (0.1, 1.2)}[over]
        x = np.linspace(*ends, 201) if values is None else np.asarray(values, dtype=float)
        picture = Plot(f"{os.path.basename(self.path)}: {what}", x_label=_LABELS[over])
        for load in np.atleast_1d(fz):
            y = getattr(self.forces(**{**others, over: x, "fz": load}), what)
            picture.line(x, y, f"{load:g} N", _OUTPUTS[what])
        return picture
