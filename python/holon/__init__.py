"""Holon: multibody dynamics. Machines with joints, closed loops, springs, drivers.

    import holon
    car = holon.load("car.yaml", stiffness=2e4)
    r = car.run(10)
    r["chassis.z"], r.time, r.verdict, r.accuracy
    r.plot("chassis.z").save("z.svg")

`holon.Model` makes models in code, `model.simulation()` steps them, `holon.sweep` runs many.
SI units and radians everywhere. docs/tutorials/python.md is the tutorial.
"""

from __future__ import annotations

import json as _json
from typing import Any as _Any

from . import _core
from ._environment import Box, Environment
from ._errors import ArgumentError, AssemblyError, Error, FileError, ModelError, RunError
from ._fit import Fit, Optimum, fit, optimize
from ._fmu import Fmu, FmuFinding, FmuVariable, fmu
from ._forces import BodyMotion, Force
from ._import import Imported, ImportItem, read_machine
from ._formulations import Advice, Candidate, Comparison, Spread, Trial, Verification
from ._linear import Campbell, Composite, DriveForces, Linearization, Mode
from ._model import Check, Equilibrium, Model, load
from ._plot import Plot
from ._results import Accuracy, Event, Results, SignalAccuracy, read_results
from ._simulation import Coordinates, Inputs, Recorder, Selection, Simulation
from ._sweep import SweepTable, sweep
from ._tyre import Tyre, TyreForces, TyreSizes

__version__ = _core.version


def options() -> dict[str, str]:
    """The options of runs, and a description of each with its unit and default."""
    return {name: f"{help}{', ' + unit if unit else ''} ({usual})"
            for name, unit, usual, help in _core.options()}


def built() -> dict[str, list[str]]:
    """Capabilities of this build: coordinates, methods, formulas, presets, units, ..."""
    return _core.built()


def schema() -> dict[str, _Any]:
    """The JSON Schema of model files."""
    result: dict[str, _Any] = _json.loads(_core.schema())
    return result


__all__ = [
    "Accuracy", "Advice", "ArgumentError", "AssemblyError", "BodyMotion", "Box", "Campbell",
    "Candidate", "Check", "Comparison", "Composite", "Coordinates", "DriveForces", "Environment", "Equilibrium",
    "Error", "Event", "FileError", "Fit", "Fmu", "FmuFinding", "FmuVariable", "Force", "ImportItem", "Imported", "Inputs",
    "Linearization", "Mode", "Model", "ModelError", "Optimum", "Plot", "Recorder", "Results",
    "RunError", "Selection", "SignalAccuracy", "Simulation", "Spread", "SweepTable", "Trial", "Tyre",
    "TyreForces", "TyreSizes", "Verification", "built", "fit", "fmu", "load", "optimize", "options",
    "read_machine", "read_results", "schema", "sweep",
]
