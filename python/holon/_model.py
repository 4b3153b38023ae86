"""Models: loaded from files or made in code; runs and analyses of them."""

from __future__ import annotations

import copy
import html
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._elements import Elements
from ._errors import Error, RunError
from ._forces import Force, ForceFunction
from ._formulations import Advice, Comparison, Spread, Trial, Verification, advice
from ._hints import file_of, nearest, one_or_many, seconds
from ._linear import Campbell, DriveForces, Linearization
from ._results import Accuracy, Results, _accuracy, read_results
from ._simulation import Simulation, check_options

Array = NDArray[np.float64]
_ACCURACY = {None: 0, True: 1, False: 2}


@dataclass(frozen=True)
class Check:
    """Mobility of a model at the start."""

    bodies: int
    joints: int
    drivers: int
    forces: int
    rows: int  #: constraints of joints and drivers
    rank: int  #: of those constraints, as assembled
    coordinates: int
    speeds: int
    degrees_of_freedom: int  #: of position
    freedoms_of_speed: int  #: fewer than those of position if a body rolls
    loops: int
    parts: int
    redundant: list[tuple[str, list[str]]]  #: joints with redundant constraints
    not_unique: list[tuple[str, list[str]]]  #: indeterminate reactions by joint ("force.z")
    note: str  #: a warning; empty: none
    warnings: list[str]  #: of the model


@dataclass(frozen=True)
class Equilibrium:
    """A static equilibrium."""

    values: dict[str, float] = field(repr=False)  #: all signals at rest, SI
    iterations: int
    residual: float  #: largest unbalanced force, N or N m
    neutral_count: int  #: directions without restoring force
    neutral: str  #: their main bodies and axes
    unheld: int
    stable: bool
    stable_unknown: bool
    came_to_rest: bool  #: on rigid contacts; stability is not checked
    warning: str

    def __getitem__(self, name: str) -> float:
        if name not in self.values:
            raise KeyError(f"there is no signal '{name}'" + nearest(name, self.values))
        return self.values[name]


def load(path: str | os.PathLike[str], *, strict: bool = False,
         forces: Mapping[str, Force] | None = None,
         overlays: Sequence[Overlay] = (), allow_compiled: bool = False,
         max_entries: int = 0, **parameters: float | str) -> Model:
    """Reads a model file (YAML or JSON), or a model in URDF, SDF or MJCF.

    Methods of `Model` add to it: new names are added, known names take the keys given.

    Args:
        path: the file.
        strict: warnings are errors.
        forces: user forces, by name.
        overlays: files, or dictionaries as a file would have them, applied to it first: new
            names are added, known names take the keys given, `remove:` deletes. Names of files in
            dictionaries are whole paths.
        allow_compiled: load sealed components, which contain code.
        max_entries: limit on named entries of the model, each repetition of `repeat:` included;
            0: 100,000.
        parameters: values for parameters of the model: numbers in SI, or text as in a file
            ("2e4 N/m"). Parameters of components have dots in their names: pass them as
            `**{"front_left.stiffness": 2e4}`.
    """
    source = _Source(os.fspath(path), None, overlay_texts(overlays), allow_compiled,
                     max_entries)
    return Model(source, parameters=parameters, strict=strict, forces=forces)


#: a file, or what one would have
Overlay = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@dataclass(frozen=True)
class _Source:
    path: str
    text: str | None
    overlays: tuple[str, ...] = ()  #: paths, or texts that begin with "{"
    allow_compiled: bool = False
    max_entries: int = 0  #: 0: the default

    def overlay_files(self) -> list[str]:
        return [file_of(o) if o.startswith("{") else o for o in self.overlays]


def overlay_texts(overlays: Sequence[Overlay]) -> tuple[str, ...]:
    """Paths as they are, dictionaries as JSON."""
    return tuple(json.dumps(_plain(o)) if isinstance(o, Mapping) else os.fspath(o) for o in overlays)


def _plain(value: Any, where: str = "a model") -> Any:
    """What JSON can say of values from NumPy; `where` they stand, for messages."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): _plain(v, where) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v, where) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where} has {value}: numbers of models are finite")
    if not isinstance(value, (str, int, float, type(None))):
        raise TypeError(f"{where} has {value!r}: values are numbers, text, lists and dictionaries")
    return value


class Model(Elements):
    """A model: bodies, joints, drivers, forces.

    `holon.load(path)` reads one from a file. `Model(name, gravity=[0, 0, -9.81])` is empty; methods
    add elements with the keys of model files, and everything is checked when it is first used:

    >>> m = Model("pendulum", gravity=[0, 0, -9.81])
    >>> m.body("rod", mass=1, inertia=[0, 1/12, 1/12], position=[0.5, 0, 0])
    'rod'
    >>> m.revolute("pin", bodies=["ground", "rod"], at=[0, 0, 0], axis="y")
    'pin'
    >>> r = m.run(2.0)
    >>> r["joint.pin.angle"].shape
    (501,)
    """

    def __init__(self, name: str | _Source = "model", *, title: str | None = None,
                 gravity: Sequence[float | str] | None = None,
                 parameters: Mapping[str, float | str] | None = None,
                 strict: bool = False, forces: Mapping[str, Force] | None = None,
                 folder: str | os.PathLike[str] = ".") -> None:
        self._source = name if isinstance(name, _Source) else None
        self._settings: dict[str, float | str] = {}
        self._tree: dict[str, Any] = {}
        self._strict = strict
        self._forces: dict[str, Force] = dict(forces or {})
        self._folder = os.fspath(folder)
        self._core: _core.Model | None = None
        self._known: dict[str, Any] | None = None
        if self._source is not None:
            self._settings = dict(parameters or {})
            self._compiled()
            return
        given = {"name": name, "title": title, "gravity": gravity, "parameters": parameters}
        self._tree = {k: _plain(v) for k, v in given.items() if v is not None}

    # ---- making one

    def _change(self) -> None:
        self._core = None
        self._known = None

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: the description. What is compiled is made again."""
        return {**self.__dict__, "_tree": copy.deepcopy(self._tree), "_forces": dict(self._forces),
                "_core": None, "_known": None}

    def _add(self, table: str, name: str, keys: dict[str, Any]) -> str:
        self._change()
        entries = self._tree.setdefault(table, {})
        if name in entries:
            raise ValueError(f"there is a '{name}' among the {table} already")
        entries[name] = {k: _plain(v, f"'{k}' of '{name}'") for k, v in keys.items()
                         if v is not None}
        return name

    def _set(self, section: str, keys: dict[str, Any]) -> None:
        self._change()
        self._tree[section] = {k: _plain(v, f"'{k}'") for k, v in keys.items() if v is not None}

    def user_force(self, name: str, body1: str, body2: str, function: ForceFunction | int | Any,
                   **words: Any) -> str:
        """Adds a force between two bodies by a function; see `Force`. Returns its name."""
        self._forces[name] = Force(body1, body2, function, **words)
        self._change()
        return name

    def parameter(self, name: str, value: float | str) -> str:
        """Adds a parameter, for formulas, `with_parameters` and sweeps; returns its name."""
        self._change()
        self._tree.setdefault("parameters", {})[name] = _plain(value, f"the parameter '{name}'")
        return name

    @property
    def tree(self) -> dict[str, Any]:
        """Elements added in code, in the form of a file; of a loaded model, those added to it."""
        return self._tree

    def to_json(self) -> str:
        """The text of a model file (JSON); of a loaded model, of an overlay for it."""
        return json.dumps(self.tree, indent=1)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a model file (.json) that every tool of Holon reads."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")
        return Path(path)

    def with_parameters(self, **parameters: float | str) -> Model:
        """The same model with other values of parameters."""
        return Model(self._text(), parameters={**self._settings, **parameters}, strict=self._strict,
                     forces=self._forces)

    def _text(self) -> _Source:
        """The file or the text it is made from, and what lies over it."""
        if self._source is not None and self._tree:
            return replace(self._source, overlays=(*self._source.overlays, json.dumps(self._tree)))
        if self._source is not None:
            return self._source
        return _Source(os.path.normpath(os.path.join(self._folder, "model.json")), self.to_json())

    def _settings_list(self) -> list[str]:
        return [f"{k}={v!r}" if isinstance(v, float) else f"{k}={v}"
                for k, v in _plain(self._settings).items()]

    def _compiled(self) -> _core.Model:
        if self._core is None:
            source = self._text()
            self._core = _core.load(source.path, source.text, self._settings_list(), self._strict,
                                    [f._row(n) for n, f in self._forces.items()],
                                    source.overlay_files(), source.allow_compiled,
                                    source.max_entries)
        return self._core

    def _facts(self) -> dict[str, Any]:
        if self._known is None:
            self._known = self._compiled().facts()
        return self._known

    # ---- asking

    @property
    def name(self) -> str:
        """One word."""
        return str(self._facts()["name"])

    @property
    def title(self) -> str:
        """One line, or ""."""
        return str(self._facts()["title"])

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, without ground."""
        return list(self._facts()["bodies"])

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return list(self._facts()["joints"])

    @property
    def drivers(self) -> list[str]:
        """Names of the drivers."""
        return list(self._facts()["drivers"])

    @property
    def forces(self) -> list[str]:
        """Names of the forces."""
        return list(self._facts()["forces"])

    @property
    def outputs(self) -> list[str]:
        """Names of the model's own outputs."""
        return list(self._facts()["outputs"])

    @property
    def inputs(self) -> dict[str, tuple[float, str]]:
        """Inputs: value until another is given, and SI unit."""
        return {n: (value, unit) for n, value, unit in self._facts()["inputs"]}

    @property
    def warnings(self) -> list[str]:
        """Warnings of the model."""
        return [f"{element} {text}" if element else text
                for element, text, is_note in self._facts()["warnings"] if not is_note]

    @property
    def hash(self) -> int:
        """A hash of the whole description."""
        return int(self._facts()["hash"])

    def __repr__(self) -> str:
        if self._source is None and self._core is None:
            return f"<holon.Model {self._tree.get('name')}, being made>"
        return (f"<holon.Model {self.name}: {len(self.bodies)} bodies, {len(self.joints)} joints, "
                f"{len(self.forces)} forces>")

    # ---- moving

    def simulation(self, **options: Any) -> Simulation:
        """A simulation that you step.

        Options are those of the command: tol, step (a fixed one, s), coordinates, method, ...;
        `holon.options()` lists them, `holon.built()` the names that can be chosen.
        """
        return Simulation(self, options)

    def run(self, time: float | None = None, *, output_step: float | None = None,
            signals: str | Iterable[str] = (), inputs: Mapping[str, Any] | None = None,
            accuracy: bool | None = None, scene: bool = True, **options: Any) -> Results:
        """A whole run.

        Args:
            time: end, s; None: the model's own.
            output_step: between samples, s; None: the model's own, else a 500th of the time.
            signals: globs ("body.*.position.z") of more recorded signals than the outputs; none: all.
            inputs: tables over time, interpolated linearly: `{"time": t, "pedal": u}`, a
                DataFrame, or Results.
            accuracy: True: estimate errors by a refined run; None: unless that takes long.
            scene: record data for `.view()`.
            options: see `simulation`.

        Raises:
            RunError: the run could not continue; `error.results` has the samples so far.
        """
        check_options(options, ("time", "output_step", "signals", "inputs", "accuracy", "scene"))
        return self._run(Simulation(self, options), time, output_step, signals, inputs, accuracy,
                         scene, False)

    def kinematics(self, time: float | None = None, *, output_step: float | None = None,
                   signals: str | Iterable[str] = (), scene: bool = True, **options: Any) -> Results:
        """Positions, velocities and accelerations of a model without free degrees of freedom."""
        return self._run(Simulation(self, options), time, output_step, signals, None, False, scene,
                         True)

    def _run(self, simulation: Simulation, time: float | None, output_step: float | None,
             signals: str | Iterable[str], inputs: Mapping[str, Any] | None, accuracy: bool | None,
             scene: bool, kinematics: bool) -> Results:
        tables = [_table(inputs, self.inputs)] if inputs is not None else []
        got = _core.run(simulation._core, one_or_many(signals), tables, seconds("time", time),
                        seconds("output_step", output_step), scene, _ACCURACY[accuracy], kinematics)
        estimate: Accuracy | None = _accuracy(got["accuracy"])
        results = Results(got["table"], dict(simulation.certificate), estimate, got["scene"],
                          self.outputs, self.name, simulation.events)
        failure = got["failure"]
        if failure is not None:
            if isinstance(failure, RunError):
                failure.results = results
            raise failure
        return results

    # ---- analyses

    def check(self, **options: Any) -> Check:
        """Counts, mobility and redundant joints, as assembled."""
        with self.simulation(**options) as s:
            return Check(**_core.mobility(s._core), warnings=self.warnings)

    def statics(self, *, max_iterations: int = 0, tolerance: float = 0.0,
                **options: Any) -> Equilibrium:
        """The static equilibrium near the reference configuration."""
        with self.simulation(**options) as s:
            report = _core.equilibrium(s._core, max_iterations, tolerance)
            names = list(s.signals)
            values = dict(zip(names, s.select(names).read().tolist()))
        return Equilibrium(values=values, **report)

    def linearize(self, at: str | float | None = None, *, inputs: Sequence[str] | None = None,
                  outputs: Sequence[str] | None = None, modes: int = 0, dense: bool = False,
                  **options: Any) -> Linearization:
        """Small motions about a state: matrices, eigenvalues and modes.

        Args:
            at: None: the start if it moves steadily, else the equilibrium near it; "start",
                "drawing", "equilibrium", or a time in s.
            inputs: names; None: all of the model.
            outputs: names of signals; None: the outputs of the model.
            modes: number of modes, of lowest frequency; 0: all, or 20 of more than 500 states.
            dense: matrices also of more than 500 states.
        """
        states = ["start", "drawing", "equilibrium"]
        if isinstance(at, str) and at not in states:
            raise ValueError(f"at is 'start', 'drawing', 'equilibrium' or a time in s, not '{at}'"
                             + nearest(at, states))
        if at == "drawing":
            options["skip_equilibrium"] = 1
        with self.simulation(**options) as s:
            steady = at == "equilibrium"
            if at is None:
                steady = _core.operating_point(s._core) == "equilibrium"
            elif steady:
                _core.equilibrium(s._core, 0, 0.0)
                _core.release_drivers(s._core)
            elif not isinstance(at, str):
                s.advance(float(at))
            return s.linearize(inputs=inputs, outputs=outputs, modes=modes, dense=dense,
                               steady=steady)

    def campbell(self, parameter: str, values: Iterable[float], at: str | float | None = None, *,
                 modes: int = 0, **options: Any) -> Campbell:
        """Frequencies and damping of the modes over a parameter (a Campbell diagram).

        Args:
            parameter: its name.
            values: of the parameter, SI.
            at: the state of each, as of `linearize`.
            modes: number of modes, of lowest frequency; 0: all, or 20 of more than 500 states.
        """
        given = [float(v) for v in values]
        found = [self.with_parameters(**{parameter: v}).linearize(at, modes=modes, **options)
                 for v in given]
        return Campbell(parameter, np.array(given), found)

    def inverse(self, drives: Sequence[str] | Mapping[str, float] | None = None, *,
                motion: Results | Mapping[str, Any] | str | os.PathLike[str] | None = None,
                time: float | None = None, count: int | None = None, **options: Any) -> DriveForces:
        """Forces of drives for a motion: of the model's drivers, of a run, or of a table.

        Args:
            drives: names of drivers, joints or "joint.NAME.COORDINATE"; with weights of their
                efforts if they are redundant. None: all drivers.
            motion: results of a run with all signals of bodies, or the path of its folder or file;
                or arrays by name, "time" and joint coordinates such as "joint.elbow.angle", each of
                which becomes a driver along a cubic spline. None: that of the model's drivers.
            time: s; None: the model's own, or the end of the table. Not with a run.
            count: instants, evenly from 0 on; None: 101. Not with a run, which has its own.
        """
        if isinstance(motion, (str, os.PathLike)):
            motion = read_results(motion)
        if motion is not None and not isinstance(motion, Results):
            end = float(np.asarray(motion["time"], dtype=float)[-1]) if time is None else time
            asked = [*self.drivers, *(n for n in motion if n != "time")] if drives is None else drives
            return self._along(motion).inverse(asked, time=end, count=count, **options)
        if motion is not None:
            self._take_as_recorded(time, count, options)
        names = self.drivers if drives is None else one_or_many(drives)
        if not names:
            raise ValueError("the model has no drivers: name drives, as \"joint.NAME.angle\"")
        weights = [float(w) for w in drives.values()] if isinstance(drives, Mapping) else None
        end = seconds("time", time) or float(self._facts()["time"])
        count = 101 if count is None else count
        instants = motion.time if motion is not None else np.linspace(0.0, end, count)
        forces = np.zeros((len(instants), len(names)))
        with self.simulation(**options) as s:
            moved = s.drive_forces(names, weights, map=True)["map"]
            if motion is not None:
                given = np.ones(len(names)) if weights is None else np.array(weights)
                report = _core.recorded_forces(s._core, motion._table, names, given, forces)
            else:
                report = self._forces_of_drivers(s, instants, names, weights, forces)
        return DriveForces(np.array(instants), {n: forces[:, i].copy() for i, n in enumerate(names)},
                           report["freedoms"], report["rank"], report["residual"],
                           report["missing"], moved)

    @staticmethod
    def _take_as_recorded(time: float | None, count: int | None, options: dict[str, Any]) -> None:
        """A run has its own instants, and positions of bodies."""
        for name, value in (("time", time), ("count", count)):
            if value is not None:
                raise ValueError(f"{name}={value}: the motion of a run is taken at its own instants; "
                                 "leave it out, or give arrays by name")
        if options.setdefault("coordinates", "cartesian") != "cartesian":
            raise ValueError(f"coordinates=\"{options['coordinates']}\": the motion of a run is that "
                             "of its bodies, in cartesian coordinates")

    @staticmethod
    def _forces_of_drivers(s: Simulation, instants: Array, names: list[str],
                           weights: list[float] | None, forces: Array) -> dict[str, Any]:
        report: dict[str, Any] = {"freedoms": 0, "rank": 0, "residual": -1.0, "missing": ""}
        is_driven = _core.mobility(s._core)["degrees_of_freedom"] == 0
        for k, t in enumerate(instants):
            if is_driven:
                _core.kinematics(s._core, float(t))
            elif t > 0:
                s.advance(float(t))
            got = s.drive_forces(names, weights, out=forces[k])
            if got["residual"] > report["residual"]:
                report = got
        return report

    def _along(self, motion: Mapping[str, Any]) -> Model:
        """The model with a driver along each coordinate of a table."""
        instants = np.asarray(motion["time"], dtype=float)
        other = self.with_parameters()
        columns = [n for n in motion if n != "time"]
        for name in columns:
            parts = name.split(".")
            if len(parts) < 3 or parts[0] != "joint":
                raise ValueError(f"'{name}' is no coordinate of a joint, as joint.NAME.angle")
            values = np.asarray(motion[name], dtype=float)
            if values.shape != instants.shape:
                raise ValueError(f"'{name}' has {values.size} values at {instants.size} instants")
            other.driver("along_" + "_".join(parts[1:]), joint=".".join(parts[1:-1]),
                         coordinate=parts[-1],
                         motion={"table": np.column_stack([instants, values]).tolist()})
        return other

    def export(self, path: str | os.PathLike[str], *,
               strict: bool = False) -> dict[str, list[tuple[str, str, str]]]:
        """Writes the model at its start for other programs: .xml or .mjcf, .urdf, .sdf.

        Returns the status of its elements, as lists of (element, kind, reason): `used`, `harmless`,
        `approximated`, `lost`. With strict a loss raises ValueError, and nothing is written.
        """
        endings = {".xml": 0, ".mjcf": 0, ".urdf": 1, ".sdf": 2}
        ending = Path(path).suffix
        if ending not in endings:
            raise ValueError(f"{os.fspath(path)!r} ends neither in .xml nor .mjcf nor .urdf nor .sdf")
        with self.simulation(coordinates="cartesian") as s:
            report = _core.export(s._core, endings[ending])
        text: str = report.pop("text")
        if strict and report["lost"]:
            what, _, why = report["lost"][0]
            raise ValueError(f"{what} is lost: {why} ({len(report['lost'])} lost in all)")
        Path(path).write_text(text)
        return report

    def verify(self, *, tol: float = 1e-4, time: float | None = None, budget: float = 60.0,
               formulations: int = 5) -> Verification:
        """Runs the model by several formulations and compares the results.

        Args:
            tol: the allowed spread is tol (1 + largest value).
            time: s; None: the model's own.
            budget: CPU time, s.
            formulations: maximum number with error control.
        """
        got = _core.verify(self._compiled(), tol, seconds("time", time), budget, formulations)
        got["trials"] = [Trial(*t) for t in got["trials"]]
        got["signals"] = [Spread(*s) for s in got["signals"]]
        return Verification(**got)

    def compare(self, formulations: Mapping[str, Mapping[str, Any]] | Sequence[str],
                time: float | None = None, **words: Any) -> Comparison:
        """Runs the model by several formulations: names of presets, or options by name.

        `recommend` selects a formulation.
        """
        if not isinstance(formulations, Mapping):
            formulations = {n: {"preset": n} for n in formulations}
        runs: dict[str, Results] = {}
        failures: dict[str, Exception] = {}
        for name, options in formulations.items():
            try:
                runs[name] = self.run(time, accuracy=False, scene=False, **{**words, **options})
            except Error as error:  # kept, not lost
                failures[name] = error
        return Comparison(runs, failures)

    def recommend(self, accuracies: Iterable[float] = (), *, steps: Iterable[float] = (),
                  among: str | Iterable[str] = (), time: float | None = None,
                  budget: float = 0.0, quick: bool = True,
                  signals: str | Iterable[str] = ()) -> Advice:
        """Compares formulations by error and cost, and recommends one (`holon compare`).

        `advice = model.recommend(); model.run(**advice.best[1e-4].options)`

        Args:
            accuracies: target errors, and tolerances to try; none: chosen automatically.
            steps: fixed steps, s; none: chosen automatically.
            among: only these: "relative/rosenbrock", names of presets; none: all.
            time: s; None: the model's own.
            budget: wall time, s; 0: 100, or 300 if not quick.
            quick: fewer formulations and levels.
            signals: globs of compared signals; none: outputs, else positions and joint coordinates.
        """
        got = _core.compare(self._compiled(), one_or_many(among),
                            np.array(list(accuracies), dtype=np.float64),
                            np.array(list(steps), dtype=np.float64), seconds("time", time), budget,
                            quick, one_or_many(signals))
        return advice(got)

    def _repr_html_(self) -> str:
        rows = [(word, names) for word, names in
                (("bodies", self.bodies), ("joints", self.joints), ("drivers", self.drivers),
                 ("forces", self.forces), ("inputs", list(self.inputs)), ("outputs", self.outputs))]
        cells = "".join(f"<tr><th style='text-align:left'>{len(names)} {word}</th>"
                        f"<td style='text-align:left'>{html.escape(_few(names))}</td></tr>"
                        for word, names in rows if names)
        return f"<h4>{html.escape(self.title or self.name)}</h4><table>{cells}</table>"


def _few(names: list[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def series_of(data: Any) -> tuple[Array, dict[str, Array]]:
    """Times, and columns by name: of a mapping with "time", Results, or a DataFrame over time."""
    index = getattr(data, "index", None)
    has_index = getattr(index, "name", None) == "time" and "time" not in data
    if isinstance(data, Results):
        times, names = data.time, list(data)
    elif has_index:
        times, names = np.asarray(index, dtype=np.float64), list(data)
    elif "time" not in data:
        raise ValueError("series need a column 'time'")
    else:
        times, names = np.asarray(data["time"], dtype=np.float64), [n for n in data if n != "time"]
    columns = {str(n): np.ascontiguousarray(data[n], dtype=np.float64) for n in names}
    if times.ndim != 1 or any(c.shape != times.shape for c in columns.values()):
        raise ValueError("series have one dimension, and as many values as there are times")
    return np.ascontiguousarray(times), columns


def _table(inputs: Any, known: Iterable[str]) -> _core.Table:
    """Inputs over time."""
    times, columns = series_of(inputs)
    for name in columns:
        if name not in known:
            raise KeyError(f"the model has no input '{name}'" + nearest(name, known))
    if len(times) < 1 or (np.diff(times) <= 0).any() or not np.isfinite(times).all():
        raise ValueError("times of inputs increase from row to row")
    return _core.make_table(list(columns), [""] * len(columns), times, list(columns.values()))
