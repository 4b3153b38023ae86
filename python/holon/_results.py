"""Results of runs."""

from __future__ import annotations

import base64
import html
import json
import os
import tempfile
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._hints import chosen, nearest, need
from ._plot import Plot

Array = NDArray[np.float64]

_PAGE_NUMBERS = 500_000  # of signals inside a page
_FILM_FRAMES = 20_000
_VIEWS = ["iso", "front", "side", "top"]


@dataclass(frozen=True)
class SignalAccuracy:
    """Estimated error of one signal: twice its difference from the refined run."""

    name: str
    absolute: float  #: the largest estimated error, in the unit of the signal
    relative: float  #: absolute / largest
    last: float  #: the largest of the last tenth of the run: the error of the final value
    largest: float  #: the largest |value|
    at: float  #: time of the largest error, s


@dataclass(frozen=True)
class Accuracy:
    """The estimated error of a run, from a refined run."""

    is_estimated: bool  #: False: `how` says why not
    how: str
    tolerance: float  #: of the run; 0 with a fixed step
    worst: float  #: over the compared signals, each error divided by 1 + its largest value
    worst_signal: str
    motion: float  #: the same over positions and velocities
    motion_signal: str
    promise: float  #: limit of `motion` for the grade sound
    until: float  #: the motion is known to 1 % up to this time, s
    is_sensitive: bool  #: runs with a small difference diverge exponentially
    growth: float  #: ... time in which the difference grows by e, s
    events_compared: int  #: that both runs had in the same order, from the first on
    event_time: float  #: the largest error of the time of one of these, s
    signals: dict[str, SignalAccuracy] = field(default_factory=dict, repr=False)


def _accuracy(data: dict[str, Any] | None) -> Accuracy | None:
    if data is None:
        return None
    words: dict[str, Any] = dict(data)
    words["signals"] = {row[0]: SignalAccuracy(*row) for row in data["signals"]}
    return Accuracy(**words)


class Event(NamedTuple):
    """A change at one instant."""

    time: float  #: s
    kind: str  #: "contact"; "law": of a force; "joint", "driver", "force": came or went; "time"
    element: str  #: its name; "" where there is none
    before: str  #: of a contact "open", "sticking", "sliding"; of conditional elements "off", "on"
    after: str  #: also "impact"; of functions numbers of branches


_CONTACT = {0: "open", 1: "sticking", 2: "sliding", 3: "impact"}


def events_of(rows: list[tuple[float, str, str | None, int, int]]) -> list[Event]:
    """Events of the library, in words."""
    words = {"contact": _CONTACT, "joint": {0: "off", 1: "on"}, "driver": {0: "off", 1: "on"},
             "force": {0: "off", 1: "on"}}
    return [Event(time, kind, name or "", words.get(kind, {}).get(a, str(a)),
                  words.get(kind, {}).get(b, str(b))) for time, kind, name, a, b in rows]


class Results(Mapping[str, Array]):
    """Results of a run: arrays by the names of signals.

    `r["joint.pin.angle"]` is an array over `r.time`, without a copy and read-only. `r.units` has the
    SI units, `r.certificate` a report of the run, `r.accuracy` estimated errors, `r.verdict` the
    whether the run can be trusted ("sound", "locked", "sensitive", "doubtful", "unsound"), `r.events` impacts and
    other changes. Results can be pickled and sent to other processes.
    """

    def __init__(self, table: _core.Table, certificate: dict[str, Any], accuracy: Accuracy | None,
                 scene: tuple[str, bytes] | None, outputs: list[str], name: str,
                 events: Sequence[Event] = ()) -> None:
        self._table = table
        self._index = {n: k for k, (n, _) in enumerate(table.signals())}
        self._scene = scene
        self.units: dict[str, str] = dict(table.signals())  #: SI unit of every signal
        self.time: Array = np.asarray(table.column(-1))  #: s
        self.certificate = certificate  #: what the run did: steps, constraints, energy, ...
        self.accuracy = accuracy  #: None where it was not asked for
        self.outputs = outputs  #: names of the model's own outputs
        self.name = name
        self.events = list(events)  #: the latest impacts and other changes

    # ---- as a mapping

    def __getitem__(self, name: str | Sequence[str]) -> Array:
        """A signal over time; with a list of names an array (rows, names), which is a copy."""
        if not isinstance(name, str):
            return np.column_stack([self[n] for n in name])
        if name == "time":
            return self.time
        if name not in self._index:
            raise KeyError(f"no signal '{name}' was recorded" + nearest(name, self._index))
        return np.asarray(self._table.column(self._index[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __eq__(self, other: object) -> bool:
        """The same signals with the same values."""
        return isinstance(other, Results) and list(self) == list(other) and all(
            np.array_equal(self[n], other[n], equal_nan=True) for n in ["time", *self])

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __reduce__(self) -> tuple[Any, ...]:
        names = list(self)
        columns = np.array([self.time, *(self[n] for n in names)])
        return (_restored, (columns, names, [self.units[n] for n in names], self.certificate,
                            self.accuracy, self._scene, self.outputs, self.name, self.events))

    def __repr__(self) -> str:
        return (f"<holon.Results of {self.name}: {len(self.time)} rows of {len(self)} signals to "
                f"t = {self.time[-1] if len(self.time) else 0:g} s, {self.verdict}>")

    @property
    def verdict(self) -> str:
        """The quality grade of the run, in one word."""
        return str(self.certificate.get("verdict", {}).get("grade", ""))

    @property
    def reasons(self) -> list[str]:
        """Why the quality grade is not "sound", the worst first."""
        return [str(r) for r in self.certificate.get("verdict", {}).get("reasons", [])]

    def at(self, time: Any, name: str) -> Any:
        """A signal at a time or an array of times: linear between samples, constant beyond the ends."""
        values = np.interp(time, self.time, self[name])
        return float(values) if np.ndim(time) == 0 else values

    # ---- other shapes

    def to_pandas(self, *names: str) -> Any:
        """A pandas.DataFrame over time of signals (names or globs; none: all). Needs pandas.

        SI units are in its `attrs["units"]`.
        """
        pandas = need("pandas", "to_pandas()")
        wanted = chosen(names, list(self)) or list(self)
        frame = pandas.DataFrame({n: self[n] for n in wanted},
                                 index=pandas.Index(self.time, name="time"))
        frame.attrs["units"] = {n: self.units[n] for n in wanted}
        return frame

    def to_xarray(self, *names: str) -> Any:
        """An xarray.Dataset over time of signals (names or globs; none: all). Needs xarray.

        SI units are the attribute `units` of every variable.
        """
        xarray = need("xarray", "to_xarray()")
        wanted = chosen(names, list(self)) or list(self)
        data = {n: ("time", np.array(self[n]), {"units": self.units[n]}) for n in wanted}
        return xarray.Dataset(data, coords={"time": ("time", np.array(self.time), {"units": "s"})},
                              attrs={"model": self.name, "verdict": self.verdict})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes all signals: .csv (units in line 2), .npz, or .h5 where the build has HDF5.

        `holon.read_results` reads them back.
        """
        path = Path(path)
        kinds = {".csv": "csv", ".npz": "npz", ".h5": "hdf5", ".hdf5": "hdf5"}
        if path.suffix not in kinds:
            raise ValueError(f"'{path}' should end in .csv, .npz or .h5")
        self._table.write(str(path), kinds[path.suffix])
        return path

    # ---- pictures

    def _shown(self, most: int = 4) -> list[str]:
        first = [n for n in self.outputs if n in self] or [
            n for n in self if n.endswith((".angle", ".displacement", ".position.z"))]
        return (first or list(self))[:most]

    def plot(self, *names: str, ax: Any = None, title: str = "") -> Any:
        """Signals over time: names or globs; without any the model's outputs.

        Returns a `Plot` (SVG: notebooks show it, `.save("x.svg")` writes it, `.show()` opens it), made
        without any other package. With `ax`, axes of matplotlib, the lines are drawn there and `ax` is
        returned.
        """
        picture = Plot(title or self.name)
        for n in chosen(names, list(self)) or self._shown():
            picture.line(self.time, self[n], n, self.units[n])
        return picture if ax is None else picture.draw(ax)

    def picture(self, path: str | os.PathLike[str] | None = None, *, time: float | None = None,
                moments: int = 0, view: str = "iso", width: int = 1280, height: int = 720) -> bytes:
        """A picture of the model, drawn without any other program: the bytes of a PNG file.

        Args:
            path: also written to this file (.png).
            time: s; None: the end of the run.
            moments: above 0: the machine at so many moments of the whole run, and the lines along
                which its wheels went, instead.
            view: "iso", "front", "side" or "top".
            width, height: pixels; the height is at most this.
        """
        at = float(self.time[-1]) if time is None else float(time)
        return _written(path, ".png", self._drawn(width, height, view, at, True, 0.0, 0,
                                                  moments))

    def film(self, path: str | os.PathLike[str] | None = None, *, speed: float | None = None,
             fps: int = 25, view: str = "iso", width: int = 640, height: int = 360) -> bytes:
        """The run as a film: the bytes of a GIF file.

        Args:
            path: also written to this file (.gif).
            speed: simulated seconds per second; None: 1, and short runs last four seconds.
            fps: frames a second, 50 at most.
            view: "iso", "front", "side" or "top".
            width, height: pixels.
        """
        length = float(self.time[-1] - self.time[0])
        factor = speed if speed is not None else min(1.0, length / 4) or 1.0
        if not (factor > 0 and fps > 0):
            raise ValueError("speed and fps are above 0")
        delay = max(2, round(100 / fps))
        if length * 100 > factor * delay * _FILM_FRAMES:
            raise ValueError(f"a film of more than {_FILM_FRAMES} frames: give a larger speed or a "
                             "smaller fps")
        return _written(path, ".gif", self._drawn(width, height, view, 0.0, False,
                                                  factor * delay / 100, delay))

    def _drawn(self, width: int, height: int, view: str, time: float, crops: bool, step: float,
               delay: int, moments: int = 0) -> bytes:
        if self._scene is None:
            raise ValueError("the run was made with scene=False: there is nothing to show")
        if view not in _VIEWS:
            raise ValueError(f"there is no view '{view}': " + ", ".join(_VIEWS))
        text, motion = self._scene
        return _core.picture(text, motion, width, height, _VIEWS.index(view), time, crops, step, delay,
                             moments)

    def page(self, embedded: bool = False) -> str:
        """The run as one animated HTML page: 3-D view, signals, certificate."""
        if self._scene is None:
            raise ValueError("the run was made with scene=False: there is nothing to show")
        template = (Path(__file__).parent / "holon-viewer.html").read_text(encoding="utf-8")
        if embedded:
            template = template.replace("<body", '<body data-mode="embed"', 1)
        text, motion = self._scene
        parts = [_script("holon-scene", "application/json", text.replace("<", "\\u003c")),
                 _script("holon-motion", "application/octet-stream;base64",
                         base64.b64encode(motion).decode("ascii"))]
        if not embedded:
            parts += [_script("holon-signals", "application/json", self._page_signals()),
                      _script("holon-certificate", "application/json",
                              json.dumps(self.certificate).replace("<", "\\u003c"))]
        return template.replace("<!--holon-data-->", "\n".join(parts), 1)

    def _page_signals(self) -> str:
        names = list(self)
        if len(self.time) * (len(names) + 1) > _PAGE_NUMBERS:
            names = self._shown(100)
        rows = np.column_stack([self.time, *(self[n] for n in names)]).astype("<f4")
        data = {"names": names, "units": [self.units[n] for n in names], "samples": len(self.time),
                "data": base64.b64encode(rows.tobytes()).decode("ascii")}
        return json.dumps(data).replace("<", "\\u003c")

    def view(self, path: str | os.PathLike[str] | None = None) -> Path:
        """Writes the animated page; without a path it is opened in the browser."""
        if path is not None:
            target = Path(path)
            target.write_text(self.page(), encoding="utf-8")
            return target
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.page())
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        end = self.time[-1] if len(self.time) else 0.0
        rows = [("verdict", self.verdict + "".join(f"; {r}" for r in self.reasons)),
                ("time", f"{end:g} s, {len(self.time)} rows, {len(self)} signals"),
                ("method", " / ".join(str(self.certificate.get(k, "")) for k in
                                      ("coordinates", "method", "formula")))]
        if self.accuracy is not None and self.accuracy.is_estimated:
            rows.append(("estimated error", f"{self.accuracy.worst:.2g} ({self.accuracy.worst_signal})"))
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(a)}</th>"
                        f"<td style='text-align:left'>{html.escape(b)}</td></tr>" for a, b in rows)
        pictures = "".join(self.plot(n, title=n).svg() for n in self._shown(2))
        scene = ""
        if self._scene is not None:
            inner = html.escape(self.page(embedded=True), quote=True)
            scene = ("<iframe sandbox='allow-scripts' style='width:100%;height:420px;border:0' "
                     f'srcdoc="{inner}"></iframe>')
        return f"<h4>{html.escape(self.name)}</h4><table>{cells}</table>{pictures}{scene}"


def _script(name: str, kind: str, content: str) -> str:
    return f'<script type="{kind}" id="{name}">{content}</script>'


def _restored(columns: Array, names: list[str], units: list[str], certificate: dict[str, Any],
              accuracy: Accuracy | None, scene: tuple[str, bytes] | None, outputs: list[str],
              name: str, events: list[Event]) -> Results:
    """Results from their parts, after a way through a file or another process."""
    return Results(_core.make_table(names, units, columns[0], list(columns[1:])), certificate,
                   accuracy, scene, outputs, name, events)


def _written(path: str | os.PathLike[str] | None, ending: str, data: bytes) -> bytes:
    if path is not None:
        if Path(path).suffix != ending:
            raise ValueError(f"'{os.fspath(path)}' should end in {ending}")
        Path(path).write_bytes(data)
    return data


def _read_npz(path: Path) -> _core.Table:
    with np.load(path) as data:
        names = [n for n in data.files if n != "time"]
        return _core.make_table(names, [""] * len(names), data["time"], [data[n] for n in names])


def read_results(path: str | os.PathLike[str]) -> Results:
    """Reads results of `holon run` or `Results.save`: a folder, or a single .csv, .h5 or .npz.

    A folder also has the certificate and the scene. NPZ files have no units. Measured
    series are read the same way: a CSV file with names in line 1, `time` first, and perhaps units in
    line 2.
    """
    of = Path(path)
    folder = of if of.is_dir() else of.parent
    if of.is_dir():
        found = [p for p in (of / f"results{e}" for e in (".h5", ".csv", ".npz")) if p.exists()]
        if not found:
            raise FileNotFoundError(f"'{of}' has no results.h5, results.csv or results.npz")
        of = found[0]
    table = _read_npz(of) if of.suffix == ".npz" else _core.read_table(str(of))
    certificate: dict[str, Any] = {}
    scene = None
    if of.stem == "results" and (folder / "certificate.json").exists():
        certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
        if (folder / "scene.json").exists() and (folder / "motion.bin").exists():
            scene = ((folder / "scene.json").read_text(encoding="utf-8"),
                     (folder / "motion.bin").read_bytes())
    name = certificate.get("model", {}).get("name", of.stem)
    return Results(table, certificate, None, scene, [], name)
