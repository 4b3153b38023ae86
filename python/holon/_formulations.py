"""One model by several formulations: comparison of runs, and a recommended formulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._hints import nearest
from ._plot import Plot
from ._results import Results


@dataclass(frozen=True)
class Trial:
    """One formulation of a verification."""

    formulation: str
    status: str
    reached: float  #: s
    cpu_seconds: float


@dataclass(frozen=True)
class Spread:
    """Difference of formulations in one signal."""

    name: str
    unit: str
    spread: float
    allowed: float
    at: float  #: s


@dataclass(frozen=True)
class Verification:
    """One model by several formulations."""

    verdict: str  #: agree, agree-until, disagree, stopped, undecided
    reason: str
    tol: float
    time: float
    until: float  #: they agree up to this time, s
    is_sensitive: bool
    trials: list[Trial] = field(repr=False)
    signals: list[Spread] = field(repr=False)
    refused: list[tuple[str, str]] = field(repr=False)  #: formulations that could not run, and why
    not_compared: list[tuple[str, str]] = field(repr=False)  #: signals, and why
    derivatives: int  #: compared with differences
    wrong_derivatives: int

    def __bool__(self) -> bool:
        return self.verdict == "agree"


class Comparison(Mapping[str, Results]):
    """Runs of one model by several formulations, by name."""

    def __init__(self, runs: dict[str, Results], failures: dict[str, Exception]) -> None:
        self._runs = runs
        self.failures = failures  #: runs that did not complete

    def __getitem__(self, name: str) -> Results:
        if name in self.failures:
            raise KeyError(f"'{name}' failed: {self.failures[name]}")
        if name not in self._runs:
            raise KeyError(f"there is no run '{name}'" + nearest(name, self._runs))
        return self._runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return (f"<holon.Comparison of {', '.join(self._runs) or 'no run'}"
                f"{'; failed: ' + ', '.join(self.failures) if self.failures else ''}>")

    def differences(self, reference: str | None = None) -> dict[str, dict[str, float]]:
        """The largest difference of every output from that of `reference` (the first run)."""
        if not self._runs:
            return {}
        first = self[reference] if reference is not None else next(iter(self._runs.values()))
        names = [n for n in first.outputs if n in first] or list(first)
        table: dict[str, dict[str, float]] = {}
        for run, results in self._runs.items():
            rows = min(len(results.time), len(first.time))
            table[run] = {n: max((_core.signal_difference(n, float(a), float(b)) for a, b in
                                  zip(results[n][:rows], first[n][:rows])), default=0.0)
                          for n in names}
        return table

    def plot(self, name: str) -> Plot:
        """One signal of all runs."""
        picture = Plot(name)
        for run, results in self._runs.items():
            picture.line(results.time, results[name], run, results.units[name])
        return picture


@dataclass(frozen=True)
class Candidate:
    """One run of a formulation: its error and cost."""

    formulation: str  #: "relative/descriptor/sdirk4-16"
    coordinates: str = field(repr=False)
    method: str = field(repr=False)
    formula: str = field(repr=False)
    independent: str = field(repr=False)
    tol: float  #: 0: it has a fixed step
    step: float  #: s; 0: it controls its error
    status: str
    reason: str = field(repr=False)  #: why the error is missing
    error: float  #: largest difference from the reference, over 1 + the largest value of a signal
    signal: str = field(repr=False)  #: the signal with that error
    cpu_seconds: float  #: of the steps
    longest_step: float = field(repr=False)  #: CPU seconds of the longest one
    steps: int
    used: str = field(repr=False)  #: the choice of "auto"
    is_front: bool = field(repr=False)  #: no other is both faster and more accurate

    @property
    def options(self) -> dict[str, Any]:
        """For `model.run(**candidate.options)`."""
        chosen: dict[str, Any] = {}
        if self.coordinates != "auto":
            chosen = {"coordinates": self.coordinates, "method": self.method, "formula": self.formula,
                      "independent": self.independent}
        return {**chosen, **({"tol": self.tol} if self.tol > 0 else {"step": self.step})}


@dataclass(frozen=True)
class Advice:
    """The recommended formulation of a model (`holon compare`)."""

    candidates: list[Candidate] = field(repr=False)
    best: dict[float, Candidate | None]  #: by accuracy: the fastest within it
    realtime: Candidate | None  #: the most accurate fixed step in real time
    reference: str
    confirmed_by: str
    uncertainty: float  #: difference of reference and confirming run, as an error
    time: float
    seconds: float
    is_over: bool  #: the budget was used up

    @property
    def front(self) -> list[Candidate]:
        """None is both faster and more accurate than these; the most accurate first."""
        return sorted((c for c in self.candidates if c.is_front), key=lambda c: c.error)


def advice(got: dict[str, Any]) -> Advice:
    points = [Candidate(**p) for p in got.pop("points")]
    best = {accuracy: points[k] if k >= 0 else None for accuracy, k, _ in got.pop("choices")}
    fixed = got.pop("realtime")
    return Advice(candidates=points, best=best, realtime=points[fixed] if fixed >= 0 else None, **got)
