"""Many runs of one model: rows of parameters, one table."""

from __future__ import annotations

import csv
import functools
import hashlib
import html
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._forces import Force
from ._hints import nearest, need, one_or_many, seconds
from ._model import Model, _Source
from ._plot import Plot
from ._simulation import check_options

Array = NDArray[np.float64]
#: numbers, or text as of the command: "1e4:1e5:20", "1e4:1e5:20:log kN/m", "1e4:1e5" (with a sample)
Values = Union[str, float, Sequence[float], NDArray[Any]]


@dataclass(frozen=True)
class _Plan:
    """What a worker needs to run any row; small and picklable."""

    source: _Source
    settings: tuple[str, ...]
    vary: tuple[str, ...]
    sample: str | None
    seed: int
    table: bytes
    outputs: tuple[str, ...]
    time: float
    output_step: float
    options: tuple[tuple[str, Any], ...]
    forces: tuple[tuple[str, Force], ...] = ()

    def make(self) -> _core.Sweep:
        return _core.Sweep(self.source.path, self.source.text, list(self.settings), list(self.vary),
                           self.sample, self.seed, self.table, list(self.outputs), self.time,
                           self.output_step, dict(self.options),
                           [f._row(n) for n, f in self.forces], self.source.overlay_files(),
                           self.source.allow_compiled, self.source.max_entries)


@functools.lru_cache(maxsize=4)
def _made(plan: _Plan) -> _core.Sweep:
    return plan.make()


def _row(plan: _Plan, row: int) -> tuple[int, str, str | None, str | None]:
    """Runs a row, in this process or another."""
    return (row, *_made(plan).run(row))


class SweepTable(Mapping[str, Array]):
    """The table of a sweep: arrays by the names of its columns.

    Parameters have their names, measures the names "signal:what" ("chassis.z:max"). `status` and
    `verdict` tell how each run went, `failures` has the messages of those that did not come to their
    end, whose measures are nan where there are none. `text` is the table as the command writes it.
    """

    def __init__(self, text: str, parameters: Sequence[str], failures: dict[int, str]) -> None:
        self.text = text
        self.failures = failures
        self.parameters = list(parameters)
        rows = list(csv.reader(io.StringIO(text)))
        self._names = [n for n in rows[0] if n not in ("row", "status", "verdict", "state_hash")]
        places = {n: k for k, n in enumerate(rows[0])}
        body = rows[1:]
        self.status = [r[places["status"]] for r in body]
        self.verdict = [r[places["verdict"]] for r in body]
        self.state_hash = [r[-1] for r in body]
        self._columns = {n: np.array([float(r[places[n]]) if r[places[n]] else np.nan for r in body])
                         for n in self._names}

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise KeyError(f"the table has no column '{name}'" + nearest(name, self._names))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SweepTable) and self.text == other.text

    def __repr__(self) -> str:
        return (f"<holon.SweepTable: {len(self.status)} rows, {len(self.failures)} failed, columns "
                f"{', '.join(self._names)}>")

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, with status and verdict. Needs pandas."""
        pandas = need("pandas", "to_pandas()")
        columns: dict[str, Any] = {**self._columns, "status": self.status, "verdict": self.verdict}
        return pandas.DataFrame(columns)

    def _repr_html_(self) -> str:
        shown = list(csv.reader(io.StringIO(self.text)))[:21]
        lines = ["".join(f"<td>{html.escape(_short(cell))}</td>" for cell in row[:-1])
                 for row in shown]
        more = len(self.status) - len(shown) + 1
        return ("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
                + (f"<p>... and {more} more rows</p>" if more > 0 else ""))

    def plot(self, measure: str, over: str | None = None) -> Plot:
        """A measure over a parameter (the first), a line for each value of the other parameters."""
        x = over if over is not None else self.parameters[0]
        others = [p for p in self.parameters if p != x]
        rows: dict[tuple[float, ...], list[int]] = {}
        for k in range(len(self.status)):
            rows.setdefault(tuple(float(self[p][k]) for p in others), []).append(k)
        picture = Plot(measure, x_label=x)
        for key, these in rows.items():
            order = sorted(these, key=lambda k: float(self[x][k]))
            name = ", ".join(f"{p} = {v:g}" for p, v in zip(others, key))
            picture.line(self[x][order], self[measure][order], name or measure)
        return picture

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the table: .csv, or .npz with an array a column."""
        path = Path(path)
        if path.suffix == ".npz":
            np.savez(path, status=np.array(self.status), verdict=np.array(self.verdict),
                     **self._columns)
        elif path.suffix == ".csv":
            path.write_bytes(self.text.encode())
        else:
            raise ValueError(f"'{path}' should end in .csv or .npz")
        return path


def _short(cell: str) -> str:
    """A number with as many digits as are read."""
    try:
        return f"{float(cell):.6g}"
    except ValueError:
        return cell


def _specs(parameters: Mapping[str, Values], is_sample: bool) -> tuple[str, ...]:
    """As the command has them; two numbers of a sample are the ends of a range."""
    specs = []
    for name, values in parameters.items():
        if isinstance(values, str):
            text = values
        else:
            given = [repr(float(v)) for v in np.atleast_1d(np.asarray(values, dtype=float))]
            text = (":" if is_sample and len(given) == 2 else ",").join(given)
        specs.append(f"{name}={text}")
    return tuple(specs)


def _sobol(parameters: Mapping[str, Values], sample: str, seed: int) -> Array:
    """Rows of a scrambled Sobol sequence, through SciPy."""
    qmc = need("scipy.stats", "a Sobol sample").qmc
    ends = []
    for name, values in parameters.items():
        given: Any = values.split(":") if isinstance(values, str) else values
        parts = [float(v) for v in given]
        if len(parts) != 2:
            raise ValueError(f"a Sobol sample needs two ends for '{name}', (low, high)")
        ends.append((parts[0], parts[1]))
    engine = qmc.Sobol(len(ends), seed=seed)
    low, high = np.array(ends).T
    rows: Array = low + engine.random(int(sample.split(":")[1])) * (high - low)
    return rows


def _plan(model: Model, parameters: Mapping[str, Values] | Sequence[str], outputs: Sequence[str],
          sample: Any, seed: int, time: float | None, output_step: float | None,
          options: dict[str, Any]) -> _Plan:
    table = b""
    check_options(options, ("sample", "seed", "time", "output_step", "folder", "executor", "workers"))
    vary: tuple[str, ...] = ()
    if isinstance(parameters, Mapping):
        vary = _specs(parameters, sample is not None)
        if isinstance(sample, str) and sample.startswith("sobol:"):
            sample = _sobol(parameters, sample, seed)
    elif sample is None or isinstance(sample, str):
        raise TypeError("parameters without values need a sample with them, an array of rows")
    if sample is not None and not isinstance(sample, str):
        rows = np.ascontiguousarray(sample, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(parameters):
            raise ValueError("a sample is an array of rows with a value for each parameter")
        table, vary, sample = rows.tobytes(), tuple(parameters), "table"
    return _Plan(model._text(), tuple(model._settings_list()), vary, sample, seed, table,
                 tuple(outputs), seconds("time", time), seconds("output_step", output_step),
                 tuple(sorted(options.items())), tuple(model._forces.items()))


def _checksum(line: str) -> str:
    """The end of a line of a part: one that was changed or cut off does not count."""
    return hashlib.sha256(line.encode()).hexdigest()[:16]


class _Folder:
    """Rows on the disk, as `holon sweep` keeps them: either goes on with what the other began."""

    def __init__(self, path: str | os.PathLike[str], sweep: _core.Sweep, model: str) -> None:
        self.path = Path(path)
        rows, parameters, columns, number = sweep.facts()
        self._rows = rows
        self._commas = parameters + columns + 3
        (self.path / "runs").mkdir(parents=True, exist_ok=True)
        said = self.path / "sweep.json"
        if said.exists():
            if json.loads(said.read_text()).get("sweep") != f"{number:016x}":
                raise ValueError(f"'{path}' has another sweep: other parameters, model or options")
        else:
            said.write_text(json.dumps({"sweep": f"{number:016x}", "model": model, "rows": rows},
                                       indent=2) + "\n")

    def lines(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for part in sorted(self.path.glob("part-*.csv")):
            for whole in part.read_text().split("\n")[:-1]:
                line, _, checksum = whole.rpartition(",")
                words = line.split(",")
                if checksum != _checksum(line):
                    continue
                if len(words) == self._commas + 1 and words[0].isdigit() and len(words[-1]) == 16:
                    row = int(words[0])
                    if row < self._rows:
                        found.setdefault(row, line + "\n")
        return found

    def messages(self) -> dict[int, str]:
        return {int(p.stem.split("-")[1]): p.read_text().rstrip("\n")
                for p in (self.path / "runs").glob("row-*.txt")}

    def keep(self, row: int, line: str, message: str | None, certificate: str | None) -> None:
        name = self.path / "runs" / f"row-{row:06d}"
        if certificate is not None:
            name.with_suffix(".json").write_text(certificate)
        if message is not None:
            name.with_suffix(".txt").write_text(message + "\n")
        part = self.path / "part-python.csv"
        half = part.exists() and part.stat().st_size > 0 and not part.read_bytes().endswith(b"\n")
        with open(part, "ab") as file:
            text = line.rstrip("\n")
            file.write((("\n" if half else "") + f"{text},{_checksum(text)}\n").encode())


def _run_all(plan: _Plan, rows: list[int], executor: Executor | None, workers: int | None,
             keep: Any) -> None:
    """Rows in any order, at most a few of each worker waiting."""
    own = executor is None
    count = workers or os.cpu_count() or 1
    pool = executor if executor is not None else ThreadPoolExecutor(count)
    waiting: set[Future[tuple[int, str, str | None, str | None]]] = set()
    try:
        for row in rows:
            waiting.add(pool.submit(_row, plan, row))
            if len(waiting) >= 4 * count:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    keep(*future.result())
        for future in waiting:
            keep(*future.result())
    finally:
        if own:
            pool.shutdown(wait=True, cancel_futures=True)


def sweep(model: Model, parameters: Mapping[str, Values] | Sequence[str],
          outputs: str | Sequence[str] = (), *, sample: str | Array | Sequence[Any] | None = None, seed: int = 0, time: float | None = None,
          output_step: float | None = None, folder: str | os.PathLike[str] | None = None,
          executor: Executor | None = None, workers: int | None = None,
          **options: Any) -> SweepTable:
    """Runs a model with many values of its parameters.

    The table is the same, byte for byte, as that of `holon sweep`, for any executor.

    Args:
        model: the model.
        parameters: values to vary: `{"k": [1e4, 2e4], "c": "500:2000:10"}`.
        outputs: "signal:what" with end, min, max, mean or rms; none: of the model's outputs.
        sample: None: every combination; "lhs:200", "random:200", "sobol:256" (SciPy), between the two
            ends of each parameter, `{"k": (1e4, 1e5)}`; or an array of rows with a value for each
            parameter, of which names are enough then.
        seed: of samples.
        time, output_step: of every run, s; None: the model's own.
        folder: stores finished runs; the same call continues an interrupted sweep.
        executor: anything shaped like concurrent.futures (processes, Dask, mpi4py); None: threads.
            With processes, forces in Python must be functions of a module.
        workers: number of threads; None: all cores.
        options: of simulations.
    """
    plan = _plan(model, parameters, one_or_many(outputs), sample, seed, time, output_step, options)
    made = _made(plan)
    count = made.facts()[0]
    disk = _Folder(folder, made, plan.source.path) if folder is not None else None
    lines = disk.lines() if disk is not None else {}
    failures = disk.messages() if disk is not None else {}

    def keep(row: int, line: str, message: str | None, certificate: str | None) -> None:
        lines[row] = line
        if message is not None:
            failures[row] = message
        if disk is not None:
            disk.keep(row, line, message, certificate)

    _run_all(plan, [r for r in range(count) if r not in lines], executor, workers, keep)
    text = made.header() + "".join(lines[r] for r in range(count))
    if disk is not None:
        (disk.path / "table.csv").write_bytes(text.encode())
    return SweepTable(text, list(parameters), dict(sorted(failures.items())))
