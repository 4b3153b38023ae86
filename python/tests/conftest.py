"""What tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

import holon

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"


@pytest.fixture
def models() -> Path:
    return MODELS


@pytest.fixture
def pendulum() -> holon.Model:
    """A thin rod of 1 kg and 1 m on a pin, drawn level, swinging about y."""
    m = holon.Model("pendulum", gravity=[0, 0, -9.81], parameters={"length": 1.0})
    m.body("rod", mass=1, inertia=[0, "length^2/12", "length^2/12"], position=["length/2", 0, 0])
    m.revolute("pin", bodies=["ground", "rod"], at=[0, 0, 0], axis="y")
    m.output("angle", value="joint.pin.angle")
    return m
