"""Machines of other formats, and what became of every tag of theirs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _core
from ._model import Model, Overlay, _Source, overlay_texts


@dataclass(frozen=True)
class ImportItem:
    """A tag or attribute of a file, and its import status."""

    file: str
    line: int
    column: int
    what: str  #: "joint 'knee' <limit> effort = 30"
    kind: str  #: "joint/limit@effort": the same for all of a kind
    why: str


@dataclass(frozen=True)
class Imported:
    """A model from URDF, SDF, MJCF or STEP, with a report of every tag."""

    path: str
    format: str
    name: str
    bodies: int  #: as the file has them
    joints: int
    mass: float  #: kg, of all bodies
    tags: int  #: elements and attributes of the file
    used: int
    harmless: list[ImportItem] = field(repr=False)
    approximated: list[ImportItem] = field(repr=False)
    lost: list[ImportItem] = field(repr=False)
    yaml: str = field(repr=False)  #: the model as a file
    json: str = field(repr=False)
    proposals: str = field(repr=False)  #: of STEP: joints that faces suggest, as an overlay
    meshes: list[tuple[str, str]] = field(repr=False)  #: of STEP: paths and OBJ texts

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the model, .yaml or .json, and meshes that have no file yet."""
        to = Path(path)
        to.write_text(self.json if to.suffix == ".json" else self.yaml, encoding="utf-8")
        for name, text in self.meshes:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        return to

    def model(self, *, overlays: Sequence[Overlay] = (), **parameters: float | str) -> Model:
        """The model, directly from its file."""
        source = _Source(self.path, None, overlay_texts(overlays))
        return Model(source, parameters=parameters)


def read_machine(path: str | os.PathLike[str], *,
                 packages: Mapping[str, str | os.PathLike[str]] | None = None,
                 overlays: Sequence[str | os.PathLike[str]] = (), keyframe: str | None = None,
                 merge_fixed: bool = False, density: float = 0.0, depth: int = 0,
                 output: str | os.PathLike[str] | None = None, strict: bool = False) -> Imported:
    """Reads a model of another format and reports the status of every tag; as `holon import`.

    `holon.load` reads the same files directly, without a report.

    Args:
        path: .urdf, .sdf, .world, .mjcf, .xml, .stp or .step.
        packages: folders of package://NAME/.
        overlays: model files laid over the result.
        keyframe: of MJCF: start there.
        merge_fixed: merge links on fixed joints with their parents.
        density: of STEP: of all parts, kg/m^3; 0: 7850.
        depth: of STEP: assemblies this many levels below the top are one body; 0: every part.
        output: where the model will be saved: meshes are named from there.
        strict: a loss raises ValueError.
    """
    name = os.fspath(path)
    got: dict[str, Any] = _core.import_machine(
        name, [f"{k}={os.fspath(v)}" for k, v in (packages or {}).items()],
        [os.fspath(o) for o in overlays], keyframe, merge_fixed, density, depth,
        os.fspath(output) if output is not None else None)
    for fate in ("harmless", "approximated", "lost"):
        got[fate] = [ImportItem(*item) for item in got[fate]]
    made = Imported(path=name, **got)
    if strict and made.lost:
        first = made.lost[0]
        raise ValueError(f"{first.file}:{first.line}: {first.what} is lost: {first.why} "
                         f"({len(made.lost)} lost in all)")
    return made
