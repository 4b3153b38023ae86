"""A model that is simulated step by step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._linear import Composite, Linearization, composite, linearization
from ._hints import nearest, one_or_many
from ._results import Event, Results, events_of

if TYPE_CHECKING:
    from ._model import Model

Array = NDArray[np.float64]


class Fields(MutableMapping[str, Array]):
    """Fields of a simulation's state, by name: `s.fields["state"]` are copies, which can be set."""

    def __init__(self, core: _core.Simulation) -> None:
        self._core = core
        self._index = {n: (k, count) for k, (n, count) in enumerate(core.fields())}

    def _find(self, name: str) -> tuple[int, int]:
        if name not in self._index:
            raise KeyError(f"the state has no field '{name}'" + nearest(name, list(self._index)))
        return self._index[name]

    def __getitem__(self, name: str) -> Array:
        index, count = self._find(name)
        values = np.empty(count)
        self._core.pass_field(index, values, False)
        return values

    def __setitem__(self, name: str, values: Any) -> None:
        index, _ = self._find(name)
        self._core.pass_field(index, np.array(values, dtype=np.float64, ndmin=1), True)

    def __delitem__(self, name: str) -> None:
        raise TypeError("fields of a state cannot be taken away")

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class Inputs(MutableMapping[str, float]):
    """Inputs of the model in one simulation, by name: `s.inputs["pedal"] = 0.3`."""

    def __init__(self, core: _core.Simulation, names: list[str]) -> None:
        self._core = core
        self._index = {n: k for k, n in enumerate(names)}

    def index(self, name: str) -> int:
        """The number of an input."""
        if name not in self._index:
            raise KeyError(f"the model has no input '{name}'" + nearest(name, list(self._index)))
        return self._index[name]

    def __getitem__(self, name: str) -> float:
        return self._core.input(self.index(name))

    def __setitem__(self, name: str, value: float) -> None:
        self._core.set_input(self.index(name), float(value))

    def __delitem__(self, name: str) -> None:
        raise TypeError("inputs cannot be taken away")

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"<holon.Inputs {dict(self)}>"

    def set(self, values: Any) -> None:
        """All of them at once, in the order of the model."""
        self._core.set_inputs(np.ascontiguousarray(values, dtype=np.float64))

    def set_motion(self, name: str, value: float, rate: float, acceleration: float = 0.0) -> None:
        """A value with its rates, as a driver needs: it continues as value + rate s + ..."""
        self._core.set_input(self.index(name), value, rate, acceleration)


class Coordinates(np.ndarray[Any, np.dtype[np.float64]]):
    """Coordinates of a simulation, or their rates: an array that also takes names.

    `s.q["left_knee"]` is a number, `s.q[["left_knee", "right_knee"]]` an array. `s.dof_names` has the
    names, in the order of the array.
    """

    _index: dict[str, int]

    def at(self, names: str | Sequence[str]) -> Any:
        """The positions of names in the array."""
        try:
            index = self._index
            return index[names] if isinstance(names, str) else [index[n] for n in names]
        except AttributeError:
            raise KeyError("only s.q, s.qd and s.qdd take names, not arrays made of them") from None
        except KeyError as error:
            raise KeyError(f"there is no coordinate '{error.args[0]}'" +
                           nearest(str(error.args[0]), list(self._index))) from None

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) or (isinstance(key, list) and key and isinstance(key[0], str)):
            return np.ndarray.__getitem__(self, self.at(key))
        return np.ndarray.__getitem__(self, key)


class Selection:
    """Signals chosen once and read often, into the same array."""

    def __init__(self, core: _core.Simulation, names: list[str], indices: list[int]) -> None:
        self.names = names
        self._core = core
        self._indices = np.array(indices, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.names)

    def read(self, out: Array | None = None) -> Array:
        """The present values, into `out` (float64) if it is given."""
        if out is None:
            out = np.empty(len(self.names))
        self._core.read(self._indices, out)
        return out


class Recorder:
    """Samples of a simulation that you step: `record = s.record()`, then `record()` for each.

    `record.results()` are Results as of a run: arrays by name, plots, animation.
    """

    def __init__(self, simulation: Simulation, signals: str | Iterable[str], scene: bool) -> None:
        wanted = one_or_many(signals)
        self._simulation = simulation
        self._names = simulation.model.outputs
        self._core = _core.Recorder(simulation._core, wanted and [*wanted, *self._names], scene)
        self._done: tuple[dict[str, Any], list[Event]] | None = None

    def __call__(self) -> None:
        """Records one more sample of the present values."""
        self._core.row()

    def results(self) -> Results:
        """The samples so far; also after the end of the simulation."""
        table, scene = self._core.results()
        certificate, events = self._done or self._told()
        return Results(table, certificate, None, scene, self._names, self._simulation.model.name,
                       events)

    def _told(self) -> tuple[dict[str, Any], list[Event]]:
        return dict(self._simulation.certificate), self._simulation.events

    def _end(self) -> None:
        self._done = self._told()


def check_options(options: Mapping[str, Any], more: Iterable[str] = ()) -> None:
    """Unknown words are answered with the nearest one."""
    known = [row[0] for row in _core.options()]
    for word in options:
        if word not in known:
            raise TypeError(f"a simulation has no option '{word}'" + nearest(word, [*known, *more]))


class Simulation:
    """A running model, from `model.simulation(...)`; for one thread at a time.

    `with model.simulation(tol=1e-6) as s: s.step(1e-3)`. `s["joint.pin.angle"]` is the value of a
    signal, `s.inputs["pedal"] = 0.3` gives an input. `s.q`, `s.qd`, `s.qdd` and `s.multipliers` are
    views of the state: each has one address for good, changes with every step, and stays valid after the
    end. In relative coordinates `s.q["left_knee"]` is the coordinate of a joint.
    """

    def __init__(self, model: Model, options: dict[str, Any]) -> None:
        check_options(options)
        self.model = model
        self._core = _core.Simulation(model._compiled(), options)
        self._bodies, self._forces = model.bodies, model.forces
        self.inputs = Inputs(self._core, [n for n, _, _ in model._facts()["inputs"]])
        self._output_names = list(model._facts()["outputs"])
        self._outputs: Selection | None = None
        self._recorders: list[Recorder] = []
        self._views: dict[str, Coordinates] = {}
        # one step a call is the most frequent call of all: no Python in between
        setattr(self, "step", self._core.step)
        setattr(self, "advance", self._core.advance)

    def step(self, size: float, /) -> float:
        """Advances by `size` seconds; returns the time reached.

        With a fixed step (`model.simulation(step=1e-3)`) `s.step(20e-3)` takes 20 of them in one call.
        """
        return self._core.step(size)

    def advance(self, time: float, /) -> float:
        """Continues until exactly `time`; returns it."""
        return self._core.advance(time)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the simulation. Memory is released as soon as no view refers to it."""
        while self._recorders:
            self._recorders.pop()._end()
        self._core.close()

    @property
    def time(self) -> float:
        """s"""
        return self._core.time

    def one_step(self, limit: float = float("inf")) -> float:
        """One step of the integration formula, to `limit` at most; returns the time reached."""
        return self._core.one_step(limit)

    def look_at(self, time: float) -> None:
        """Sets all values to those at a time inside the last step (dense output)."""
        self._core.look_at(time)

    # ---- values

    @property
    def signals(self) -> dict[str, str]:
        """All signals and their SI units."""
        return dict(self._core.signals())

    def _find(self, name: str) -> int:
        index = self._core.find(name)
        if index < 0:
            raise KeyError(f"there is no signal '{name}'" + nearest(name, list(self.signals)))
        return index

    def __getitem__(self, name: str) -> float:
        return self._core.value(self._find(name))

    def select(self, names: str | Sequence[str]) -> Selection:
        """Signals to be read often: `angles = s.select([...]); angles.read(out)`."""
        wanted = one_or_many(names)
        return Selection(self._core, wanted, [self._find(n) for n in wanted])

    def record(self, signals: str | Iterable[str] = (), *, scene: bool = True) -> Recorder:
        """Records samples like a run: call the returned recorder after the steps to record.

        Args:
            signals: globs of signals recorded in addition to the outputs; none: all.
            scene: record data for `.view()`, `.picture()` and `.film()`.
        """
        made = Recorder(self, signals, scene)
        self._recorders.append(made)
        return made

    @property
    def outputs(self) -> Array:
        """The values of the model's outputs, in their order."""
        if self._outputs is None:
            self._outputs = self.select(self._output_names)
        return self._outputs.read()

    # ---- state

    def _view(self, what: str) -> Coordinates:
        made = np.asarray(self._core.view(what)).view(Coordinates)
        made._index = {n: k for k, n in enumerate(self.dof_names)}
        self._views[what] = made
        return made

    @property
    def dof_names(self) -> list[str]:
        """Names of the coordinates, in the order of `q`.

        A joint with one coordinate has its own name, the others are `JOINT.x` or `BODY.x`. Natural
        coordinates have no names: `q0`, `q1`.
        """
        return self._core.coordinates()

    @property
    def q(self) -> Coordinates:
        """Coordinates, a view."""
        made = self._views.get("q")
        return self._view("q") if made is None else made

    @property
    def qd(self) -> Coordinates:
        """Their velocities, a view."""
        made = self._views.get("qd")
        return self._view("qd") if made is None else made

    @property
    def qdd(self) -> Coordinates:
        """Their accelerations, a view."""
        made = self._views.get("qdd")
        return self._view("qdd") if made is None else made

    @property
    def multipliers(self) -> Array:
        """Multipliers of the constraints, a view."""
        return np.asarray(self._core.view("multipliers"))

    # ---- the equations at the present state

    def linearize(self, *, inputs: Sequence[str] | None = None,
                  outputs: Sequence[str] | None = None, modes: int = 0,
                  dense: bool = False, steady: bool = False) -> Linearization:
        """Small motions about the present state; see Model.linearize.

        Args:
            steady: states have no rates, and change only with drivers.
        """
        got = _core.linearize(self._core, None if inputs is None else list(inputs),
                              None if outputs is None else list(outputs), modes, dense,
                              steady)
        return linearization(got, self._bodies, self._forces)

    def _out(self, out: Array | None, *shape: int) -> Array:
        if out is None:
            return np.empty(shape)
        if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
            raise ValueError(f"out is a C-contiguous float64 array of shape {shape}, not {out.dtype} "
                             f"of shape {out.shape}")
        return out

    def mass_matrix(self, out: Array | None = None) -> Array:
        """M(q) of M qdd + Phi_q' lambda = Q (nq x nq)."""
        n = len(self.q)
        out = self._out(out, n, n)
        _core.equations(self._core, "mass_matrix", out)
        return out

    def bias(self, out: Array | None = None) -> Array:
        """-Q (nq): M qdd + bias are the forces that reactions and drives must supply."""
        out = self._out(out, len(self.q))
        _core.equations(self._core, "bias_forces", out)
        return out

    def constraint_jacobian(self, out: Array | None = None) -> Array:
        """Phi_q (constraints x nq)."""
        rows = _core.equations(self._core, "constraint_jacobian", None)
        out = self._out(out, rows, len(self.q))
        _core.equations(self._core, "constraint_jacobian", out)
        return out

    def inverse_dynamics(self, qdd: Any, out: Array | None = None, *,
                         at_inputs: bool = False) -> Array:
        """M qdd + bias for any accelerations (nq), with all inputs 0: the forces that motors driven
        by inputs must supply. at_inputs: with the present inputs, the forces missing in addition."""
        out = self._out(out, len(self.q))
        _core.inverse_dynamics(self._core, np.ascontiguousarray(qdd, dtype=np.float64), out,
                               at_inputs)
        return out

    def jacobian(self, body: str, point: Sequence[float] = (0.0, 0.0, 0.0), *,
                 rotation: bool = False, out: Array | None = None) -> Array:
        """Of a point (from the center of mass, body axes), velocity J qd; or of the rotation."""
        if body != "ground" and body not in self._bodies:
            raise KeyError(f"there is no body '{body}'" + nearest(body, self._bodies))
        out = self._out(out, 3, len(self.q))
        x, y, z = (float(c) for c in point)
        _core.point_jacobian(self._core, body, x, y, z, rotation, out)
        return out

    def composite(self, bodies: Sequence[str] | None = None) -> Composite:
        """Mass, center, inertia and momentum of bodies (default: all) combined into one."""
        return composite(_core.composite(self._core, None if bodies is None else list(bodies)))

    def drive_forces(self, drives: Sequence[str], weights: Any = None,
                     out: Array | None = None, *, map: bool = False) -> dict[str, Any]:
        """Forces of drives for the present accelerations, without the drivers.

        If drives are redundant, those with the least sum of weight * force^2. The report has
        `forces`, `freedoms`, `rank`, `residual` and `missing`; with map also `map`: the generalized
        forces of unit forces of the drives, freedoms by drives (what the drives move).
        """
        out = self._out(out, len(drives))
        names = list(drives)
        weights = np.ascontiguousarray(np.ones(len(names)) if weights is None else weights,
                                       dtype=np.float64)
        report = _core.drive_forces(self._core, names, weights, out, 0, None)
        if map:
            moved = np.zeros((report["freedoms"], len(names)))
            _core.drive_forces(self._core, names, weights, out, report["freedoms"], moved)
            report["map"] = moved
        report["forces"] = out
        return report

    def set_state(self, time: float, q: Any, qd: Any) -> None:
        """Continues from another time, position and velocity."""
        self._core.set_state(time, np.ascontiguousarray(q, dtype=np.float64),
                             np.ascontiguousarray(qd, dtype=np.float64))

    @property
    def fields(self) -> Fields:
        """All numbers that decide about the motion to come, by name: of states, samples, contacts.

        They can be read and set: `s.fields["state"] = [0.3]` starts a run there.
        """
        return Fields(self._core)

    def save(self) -> bytes:
        """The complete state, for `restore` of a simulation of the same model and options."""
        return self._core.save()

    def restore(self, state: bytes) -> None:
        """Continues bit for bit from the call of `save`."""
        self._core.restore(state)

    @property
    def state_hash(self) -> int:
        """A hash of time, positions and velocities: the same bits give the same number."""
        return self._core.state_hash

    # ---- what it did

    @property
    def certificate(self) -> Mapping[str, Any]:
        """Steps, evaluations, constraints, energy, quality grade."""
        result: Mapping[str, Any] = json.loads(self._core.certificate())
        return result

    @property
    def events(self) -> list[Event]:
        """The latest impacts and other changes of contacts, functions, conditional elements."""
        return events_of(self._core.events())

    def interrupt(self) -> None:
        """From another thread: the current call ends with a RunError."""
        self._core.interrupt()
