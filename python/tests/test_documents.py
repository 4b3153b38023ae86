"""docs/tutorials/python.md is run, block by block; what it prints is what stands there. Examples run too."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holon

ROOT = Path(__file__).resolve().parents[2]


def test_the_tutorial_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs/tutorials/python.md").read_text()
    (tmp_path / "out/python").mkdir(parents=True)
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) > 10
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "docs/tutorials/python.md", "exec"), names)
        said = "".join(line[3:] + "\n" for line in block.splitlines() if line.startswith("#> "))
        assert printed.getvalue() == said, block


def test_the_robot_does_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs/tutorials/robot.md").read_text()
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    model = re.search(r"as `hopper.yaml`:\n\n```yaml\n(.*?)```", text, re.S)
    assert model is not None
    (tmp_path / "hopper.yaml").write_text(model[1])
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 2
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "docs/tutorials/robot.md", "exec"), names)
        said = "".join(line[3:] + "\n" for line in block.splitlines() if line.startswith("#> "))
        assert printed.getvalue() == said, block


def test_the_reference_is_up_to_date() -> None:
    if sys.version_info[:2] != (3, 11):
        pytest.skip("other Pythons write signatures in other ways")
    environment = dict(os.environ, PYTHONPATH=str(Path(holon.__file__).parents[1]))
    done = subprocess.run([sys.executable, ROOT / "scripts/make-python-reference", "--check"],
                          env=environment, check=False)
    assert done.returncode == 0


def test_examples_of_docstrings_hold() -> None:
    import doctest
    import holon._model
    assert doctest.testmod(holon._model).failed == 0


@pytest.mark.parametrize("name", sorted(p.stem for p in (ROOT / "python/gallery").glob("*.py")))
def test_the_gallery_is_rendered(name: str, tmp_path: Path) -> None:
    if name == "5-fit":
        pytest.importorskip("scipy")
    environment = dict(os.environ, PYTHONPATH=str(Path(holon.__file__).parents[1]))
    subprocess.run([sys.executable, ROOT / "scripts/make-gallery", tmp_path, name], env=environment,
                   check=True)
    page = (tmp_path / f"{name}.html").read_text()
    assert "<svg" in page and "Traceback" not in page
    notebook = json.loads((tmp_path / f"{name}.ipynb").read_text())
    assert len(notebook["cells"]) >= 3


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "python/examples").glob("*.py")))
def test_examples_run(name: str, tmp_path: Path) -> None:
    if name == "fit.py":
        pytest.importorskip("scipy")
    (tmp_path / "models").symlink_to(ROOT / "models")
    environment = dict(os.environ, PYTHONPATH=str(Path(holon.__file__).parents[1]))
    done = subprocess.run([sys.executable, ROOT / "python/examples" / name], cwd=tmp_path,
                          env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
