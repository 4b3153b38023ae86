"""Parameters from measurements, and the best parameters. Through SciPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import Error
from ._hints import need
from ._model import Model, series_of
from ._results import Results
from ._simulation import Simulation

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
    """The best parameters found."""

    parameters: dict[str, float]
    value: float
    evaluations: int
    message: str


class _Given:
    """Measured inputs: linear between samples, constant after the last."""

    def __init__(self, data: Any) -> None:
        times, columns = series_of(data) if data is not None else (np.zeros(0), {})
        self.times = [*times.tolist(), np.inf]
        self.columns = columns
        self.next = 0

    def give(self, s: Simulation) -> None:
        """What holds from the present time on."""
        before = self.next
        while self.times[self.next] <= s.time + 1e-12 * (1 + abs(s.time)):
            self.next += 1
        if self.next == before:
            return
        k, is_last = self.next - 1, self.next == len(self.times) - 1
        for name, y in self.columns.items():
            rate = 0.0 if is_last else (y[k + 1] - y[k]) / (self.times[k + 1] - self.times[k])
            s.inputs.set_motion(name, y[k] + (s.time - self.times[k]) * rate, rate)


def series(model: Model, times: Array, names: list[str], options: Mapping[str, Any],
           inputs: Any = None) -> Array:
    """Signals at given times, from dense output: steps do not change."""
    values = np.empty((len(times), len(names)))
    given = _Given(inputs)
    with model.simulation(**options) as s:
        chosen = s.select(names)
        end = float(times[-1])
        given.give(s)
        for k, time in enumerate(times):
            while s.time < time:
                given.give(s)
                s.one_step(min(end, given.times[given.next]))
            if s.time > time or k > 0:
                s.look_at(float(time))
            chosen.read(values[k])
    return values


def fit(model: Model, start: Mapping[str, float], data: Any, *, inputs: Any = None,
        sigma: Mapping[str, float] | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None, difference: float = 1e-4,
        **options: Any) -> Fit:
    """Fits parameters of a model to measured series by least squares.

    The same data give the same bits.

    Args:
        model: the model.
        start: initial values of the fitted parameters, none of them 0.
        data: `{"time": t, "chassis.z": z}`: times (s, increasing) and signals by name; or a DataFrame
            over time, or Results (`holon.read_results("measured.csv")`).
        inputs: measured inputs of the model, in the same form, by the names of its inputs.
        sigma: standard deviation of measurements, by signal; None: the same fraction of each range.
        bounds: minimum and maximum of parameters.
        difference: relative step of derivatives.
        options: of simulations; default of tol: 1e-8.
    """
    least_squares = need("scipy.optimize", "fit()").least_squares
    times, columns = series_of(data)
    names = list(columns)
    if not names or not len(times) or (np.diff(times) <= 0).any() or times[0] < 0:
        raise ValueError("there is a series at least, and times increase from 0 on")
    measured = np.column_stack(list(columns.values()))
    if not np.isfinite(measured).all():
        raise ValueError("measured values are finite: leave rows out where something is missing")
    spread = np.ptp(measured, axis=0)
    scale = np.array([sigma[n] if sigma else spread[k] or 1.0 for k, n in enumerate(names)])
    keys = list(start)
    unit = np.array([abs(start[k]) for k in keys])
    if not (unit > 0).all():
        raise ValueError("first values of parameters are not 0: they say how large steps are")
    words = {"tol": 1e-8, **options}

    def residuals(x: Array) -> Array:
        given = {k: float(v * u) for k, v, u in zip(keys, x, unit)}
        computed = series(model.with_parameters(**given), times, names, words, inputs)
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
    """Parameters that minimize `objective(results)` of a run.

    Args:
        model: the model.
        objective: a number from the results of a run.
        start: initial values of the parameters, none of them 0.
        bounds: minimum and maximum.
        method: of scipy.optimize.minimize.
        time: of every run, s; None: the model's own.
        penalty: objective of runs that fail.
        options: of the method.
        words: of `Model.run`.
    """
    minimize = need("scipy.optimize", "optimize()").minimize
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
