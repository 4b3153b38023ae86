"""FMUs of any program, read and checked without running them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from . import _core


@dataclass(frozen=True)
class FmuVariable:
    """A variable of an FMU, with the defaults of the standard."""

    name: str
    reference: int  #: value reference
    type: str  #: "Float64", in FMI 2 "Real"
    causality: str
    variability: str
    initial: str
    start: str  #: as in the file
    unit: str
    description: str
    count: int  #: numbers in it: 1 but for arrays
    derivative_of: str | None = None


@dataclass(frozen=True)
class FmuFinding:
    """A rule of the standard that an FMU breaks."""

    severity: str  #: "error", "warning", "note"
    file: str  #: in the archive
    line: int  #: 0: the whole file
    message: str


@dataclass(frozen=True)
class Fmu:
    """What an FMU is (`holon fmu`)."""

    path: str
    fmi_version: str
    model_name: str
    kinds: list[str]  #: "ModelExchange", "CoSimulation", "ScheduledExecution"
    platforms: list[str]  #: with a binary
    states: int
    event_indicators: int
    errors: int
    warnings: int
    variables: list[FmuVariable] = field(repr=False)
    findings: list[FmuFinding] = field(repr=False)  #: errors first
    facts: dict[str, Any] = field(repr=False)  #: other attributes

    def __getitem__(self, name: str) -> FmuVariable:
        """A variable by its name."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(name)


def fmu(path: str | os.PathLike[str]) -> Fmu:
    """Reads an FMU (FMI 2.0 or 3.0) and checks it against the rules of the standard.

    No code of it runs.

    >>> engine = holon.fmu("engine.fmu")                                        # doctest: +SKIP
    >>> [v.name for v in engine.variables if v.causality == "output"]           # doctest: +SKIP
    """
    facts: dict[str, Any] = json.loads(_core.fmu(os.fspath(path)))
    variables = [FmuVariable(**v) for v in facts.pop("variables")]
    findings = [FmuFinding(**f) for f in facts.pop("findings")]
    shown = {name: facts.pop(name) for name in ("fmi_version", "model_name", "kinds", "platforms",
                                                "states", "event_indicators", "errors", "warnings")}
    return Fmu(path=os.fspath(path), variables=variables, findings=findings, facts=facts, **shown)
