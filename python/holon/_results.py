"""Results of runs."""

from __future__ import annotations

import base64
import difflib
import html
import json
import tempfile
import webbrowser
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._plot import Plot

Array = NDArray[np.float64]

_PAGE_NUMBERS = 500_000  # of signals inside a page


@dataclass(frozen=True)
class SignalAccuracy:
    """How well one signal is known: twice its difference from a second run."""

    name: str
    absolute: float  #: the largest estimated error, in the unit of the signal
    relative: float  #: absolute / largest
    last: float  #: the largest of the last tenth of the run: the bar of the final value
    largest: float  #: the largest |value|
    at: float  #: time of the largest error, s


@dataclass(frozen=True)
class Accuracy:
    """The estimated error of a run, from a second run beside it."""

    is_estimated: bool  #: False: `how` says why not
    how: str
    tolerance: float  #: that the run was asked for; 0 with a fixed step
    worst: float  #: over the compared signals, each error divided by 1 + its largest value
    worst_signal: str
    motion: float  #: the same over positions and velocities
    motion_signal: str
    promise: float  #: motion up to this counts as sound
    until: float  #: the motion is known to 1 % up to this time, s
    is_sensitive: bool  #: two runs part exponentially
    growth: float  #: ... by a factor of e in so many seconds
    signals: dict[str, SignalAccuracy] = field(default_factory=dict, repr=False)


def _accuracy(data: dict[str, Any] | None) -> Accuracy | None:
    if data is None:
        return None
    words: dict[str, Any] = dict(data)
    words["signals"] = {row[0]: SignalAccuracy(*row) for row in data["signals"]}
    return Accuracy(**words)


def nearest(name: str, names: list[str]) -> str:
    """A sentence that suggests a known name."""
    found = difflib.get_close_matches(name, names, 1, 0.4)
    return f"; did you mean '{found[0]}'?" if found else ""


class Results(Mapping[str, Array]):
    """What a run recorded: arrays by the names of signals.

    `r["joint.pin.angle"]` is an array over `r.time`, without a copy and read-only. `r.units` has the
    SI units, `r.certificate` what the run did, `r.accuracy` how well signals are known, `r.verdict`
    whether the run can be trusted ("sound", "sensitive", "doubtful", "unsound").
    """

    def __init__(self, table: _core.Table, certificate: dict[str, Any], accuracy: Accuracy | None,
                 scene: tuple[str, bytes] | None, outputs: list[str], name: str) -> None:
        self._table = table
        self._index = {n: k for k, (n, _) in enumerate(table.signals())}
        self._scene = scene
        self.units: dict[str, str] = dict(table.signals())  #: SI unit of every signal
        self.time: Array = np.asarray(table.column(-1))  #: s
        self.certificate = certificate  #: what the run did: steps, constraints, energy, ...
        self.accuracy = accuracy  #: None where it was not asked for
        self.outputs = outputs  #: names of the model's own outputs
        self.name = name

    # ---- as a mapping

    def __getitem__(self, name: str) -> Array:
        if name not in self._index:
            raise KeyError(f"no signal '{name}' was recorded" + nearest(name, list(self._index)))
        return np.asarray(self._table.column(self._index[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __repr__(self) -> str:
        return (f"<holon.Results of {self.name}: {len(self.time)} rows of {len(self)} signals to "
                f"t = {self.time[-1] if len(self.time) else 0:g} s, {self.verdict}>")

    @property
    def verdict(self) -> str:
        """How far the run can be trusted, in one word."""
        return str(self.certificate.get("verdict", {}).get("grade", ""))

    @property
    def reasons(self) -> list[str]:
        """Why the verdict is not "sound", the worst first."""
        return [str(r) for r in self.certificate.get("verdict", {}).get("reasons", [])]

    def at(self, time: float, name: str) -> float:
        """The value of a signal at a time, straight between rows."""
        return float(np.interp(time, self.time, self[name]))

    # ---- other shapes

    def to_pandas(self, *names: str) -> Any:
        """A pandas.DataFrame over time; units in its `attrs`. Needs pandas."""
        import pandas

        chosen = list(names) or list(self)
        frame = pandas.DataFrame({n: self[n] for n in chosen},
                                 index=pandas.Index(self.time, name="time"))
        frame.attrs["units"] = {n: self.units[n] for n in chosen}
        return frame

    def to_xarray(self, *names: str) -> Any:
        """An xarray.Dataset over time, with units as attributes. Needs xarray."""
        import xarray

        chosen = list(names) or list(self)
        data = {n: ("time", np.array(self[n]), {"units": self.units[n]}) for n in chosen}
        return xarray.Dataset(data, coords={"time": ("time", np.array(self.time), {"units": "s"})},
                              attrs={"model": self.name, "verdict": self.verdict})

    def save(self, path: str | Path) -> Path:
        """Writes all signals: .csv (units in line 2), .npz, or .h5 where the build has HDF5."""
        path = Path(path)
        kinds = {".csv": "csv", ".npz": "npz", ".h5": "hdf5", ".hdf5": "hdf5"}
        if path.suffix not in kinds:
            raise ValueError(f"'{path}' should end in .csv, .npz or .h5")
        self._table.write(str(path), kinds[path.suffix])
        return path

    # ---- pictures

    def _shown(self, most: int = 4) -> list[str]:
        chosen = [n for n in self.outputs if n in self] or [
            n for n in self if n.endswith((".angle", ".displacement", ".position.z"))]
        return (chosen or list(self))[:most]

    def plot(self, *names: str, ax: Any = None, title: str = "") -> Any:
        """Signals over time. Without names: the model's outputs.

        Returns a `Plot` (SVG, shown by notebooks, `.save("x.svg")`), made without any other package.
        With `ax`, axes of matplotlib, the lines are drawn there and `ax` is returned.
        """
        chosen = list(names) or self._shown()
        if ax is not None:
            for n in chosen:
                ax.plot(self.time, self[n], label=n)
            ax.set_xlabel("time / s")
            ax.legend()
            return ax
        picture = Plot(title or self.name)
        for n in chosen:
            picture.line(self.time, self[n], n, self.units[n])
        return picture

    def page(self, embedded: bool = False) -> str:
        """The run as one page of HTML that moves: 3-D, signals, certificate."""
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

    def view(self, path: str | Path | None = None) -> Path:
        """Writes the page with the moving machine; without a path it is opened in the browser."""
        if path is not None:
            Path(path).write_text(self.page(), encoding="utf-8")
            return Path(path)
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.page())
        webbrowser.open(Path(file.name).as_uri())
        return Path(file.name)

    def _repr_html_(self) -> str:
        rows = [("verdict", self.verdict + "".join(f"; {r}" for r in self.reasons)),
                ("time", f"{self.time[-1]:g} s, {len(self.time)} rows, {len(self)} signals"),
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
