"""Parameters from measurements, and the best parameters. Through SciPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import Error
from ._model import Model
from ._results import Results

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """Parameters that make a model follow measured series."""

    parameters: dict[str, float]
    errors: dict[str, float]  #: standard errors, from the residuals
    covariance: Array = field(repr=False)
    residual: float  #: root mean square, in units of `sigma`
    evaluations: int  #: runs
    message: str

    def model(self, start: Model) -> Model:
        """The model with these parameters."""
        return start.with_parameters(**self.parameters)


@dataclass(frozen=True)
class Optimum:
    """The best parameters that were found."""

    parameters: dict[str, float]
    value: float
    evaluations: int
    message: str


def series(model: Model, times: Array, names: list[str], options: Mapping[str, Any]) -> Array:
    """Signals at given times: steps go their own way, values come from dense output."""
    values = np.empty((len(times), len(names)))
    with model.simulation(**options) as s:
        chosen = s.select(names)
        end = float(times[-1])
        for k, time in enumerate(times):
            while s.time < time:
                s.one_step(end)
            if s.time > time or k > 0:
                s.look_at(float(time))
            chosen.read(values[k])
    return values


def fit(model: Model, start: Mapping[str, float], data: Mapping[str, Any], *,
        sigma: Mapping[str, float] | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None, difference: float = 1e-4,
        **options: Any) -> Fit:
    """Fits parameters of a model to measured series by least squares.

    The same data give the same bits.

    Args:
        model: the model.
        start: first values of the parameters that are looked for, none of them 0.
        data: `{"time": t, "chassis.z": z}`: times (s, increasing) and signals by name.
        sigma: how far measurements scatter, a signal; without: equal shares of each signal's range.
        bounds: least and largest values of parameters.
        difference: relative step of derivatives.
        options: of simulations; tol is 1e-8 where it is not given.
    """
    from scipy.optimize import least_squares

    names = [n for n in data if n != "time"]
    times = np.asarray(data["time"], dtype=float)
    measured = np.column_stack([np.asarray(data[n], dtype=float) for n in names])
    if measured.shape[0] != len(times) or (np.diff(times) <= 0).any() or times[0] < 0:
        raise ValueError("series have as many values as there are times, which increase from 0 on")
    spread = np.ptp(measured, axis=0)
    scale = np.array([sigma[n] if sigma else spread[k] or 1.0 for k, n in enumerate(names)])
    keys = list(start)
    unit = np.array([abs(start[k]) for k in keys])
    if not (unit > 0).all():
        raise ValueError("first values of parameters are not 0: they say how large steps are")
    words = {"tol": 1e-8, **options}

    def residuals(x: Array) -> Array:
        given = {k: float(v * u) for k, v, u in zip(keys, x, unit)}
        computed = series(model.with_parameters(**given), times, names, words)
        return np.ravel((computed - measured) / scale)

    low = [(bounds or {}).get(k, (-np.inf, np.inf))[0] / u for k, u in zip(keys, unit)]
    high = [(bounds or {}).get(k, (-np.inf, np.inf))[1] / u for k, u in zip(keys, unit)]
    first = [start[k] / u for k, u in zip(keys, unit)]
    got = least_squares(residuals, first, bounds=(low, high), diff_step=difference, xtol=1e-10,
                        ftol=1e-12, gtol=1e-12)
    freedom = max(measured.size - len(keys), 1)
    variance = float(np.sum(got.fun**2)) / freedom
    covariance = np.linalg.pinv(got.jac.T @ got.jac) * variance * np.outer(unit, unit)
    found = {k: float(v * u) for k, v, u in zip(keys, got.x, unit)}
    errors = {k: float(np.sqrt(covariance[i, i])) for i, k in enumerate(keys)}
    return Fit(found, errors, covariance, float(np.sqrt(np.mean(got.fun**2))),
               int(got.nfev) + int(got.njev or 0) * len(keys), str(got.message))


def optimize(model: Model, objective: Callable[[Results], float], start: Mapping[str, float], *,
             bounds: Mapping[str, tuple[float, float]] | None = None, method: str = "Nelder-Mead",
             time: float | None = None, penalty: float = 1e30, options: Mapping[str, Any] | None = None,
             **words: Any) -> Optimum:
    """Parameters for which `objective(results)` of a run is least.

    Args:
        model: the model.
        objective: a number from the results of a run.
        start: first values of the parameters, none of them 0.
        bounds: least and largest values.
        method: of scipy.optimize.minimize.
        time: of every run, s; None: the model's own.
        penalty: stands for runs that fail.
        options: of the method.
        words: of `Model.run`.
    """
    from scipy.optimize import minimize

    keys = list(start)
    unit = np.array([abs(start[k]) for k in keys])
    if not (unit > 0).all():
        raise ValueError("first values of parameters are not 0: they say how large steps are")

    how: dict[str, Any] = {"accuracy": False, "scene": False, **words}

    def value(x: Array) -> float:
        given = {k: float(v * u) for k, v, u in zip(keys, x, unit)}
        try:
            run = model.with_parameters(**given).run(time, **how)
        except Error:
            return penalty
        return float(objective(run))

    limits = None
    if bounds is not None:
        limits = [tuple(b / u for b in bounds[k]) for k, u in zip(keys, unit)]
    got = minimize(value, [start[k] / u for k, u in zip(keys, unit)], method=method, bounds=limits,
                   options=dict(options or {}))
    return Optimum({k: float(v * u) for k, v, u in zip(keys, got.x, unit)}, float(got.fun),
                   int(got.nfev), str(got.message))
