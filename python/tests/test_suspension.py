"""Parameters of a suspension from a series that another program computed, with noise."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import holon

ROOT = Path(__file__).resolve().parents[2]
TRUTH = {"leaf": 35900.0, "tyre": 460e3, "rebound": 9945.627}
SEEDS = range(int(os.environ.get("HOLON_FIT_SEEDS", "2")))


def suspension(folder: Path) -> holon.Model:
    """The front suspension of the Iltis with stiffnesses and damping as parameters."""
    models = ROOT / "models/iltis"
    corner = (models / "corner.yaml").read_text()
    assert "stiffness: 35900" in corner and "[0, 9945.627," in corner
    corner = corner.replace("stiffness: 35900", "stiffness: leaf")
    corner = corner.replace("[0, 9945.627,", "[0, rebound,")
    corner = corner.replace("parameters:\n", "parameters:\n  leaf: 35900 N/m\n  rebound: 9945.627 N s/m\n")
    (folder / "corner.yaml").write_text(corner)
    whole = (models / "front-suspension.yaml").read_text()
    whole = whole.replace("stiffness: 460 kN/m", "stiffness: tyre")
    whole = whole.replace("parameters:\n", "parameters:\n  leaf: 35900 N/m\n  tyre: 460 kN/m\n"
                          "  rebound: 9945.627 N s/m\n", 1)
    whole = whole.replace("{swing: 0.02642776115}", "{swing: 0.02642776115, leaf: leaf, rebound: rebound}")
    (folder / "front.yaml").write_text(whole)
    return holon.load(folder / "front.yaml")


def test_a_suspension_is_found_in_noise(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    rows = np.loadtxt(ROOT / "tests/data/iltis_front_suspension.csv", delimiter=",", comments="#",
                      skiprows=1)
    rows = rows[(rows[:, 0] > 0) & (rows[:, 0] <= 4.0)]
    model = suspension(tmp_path)
    inside = 0
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        z, force = rows[:, 1], rows[:, 2]
        data = {"time": rows[:, 0], "wheel.z": z + 0.01 * np.ptp(z) * random.normal(size=len(z)),
                "tyre": force + 0.01 * np.ptp(force) * random.normal(size=len(z))}
        found = holon.fit(model, {"leaf": 3e4, "tyre": 4e5, "rebound": 8e3}, data, tol=1e-6)
        inside += all(abs(found.parameters[n] - t) < 3 * found.errors[n] for n, t in TRUTH.items())
        assert all(found.errors[n] < 0.05 * t for n, t in TRUTH.items())
    assert inside >= 0.9 * len(SEEDS)
