"""Linearization, equations at a state, forces of drives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holon


def arm() -> holon.Model:
    m = holon.Model("arm", gravity=[0, 0, -9.81])
    m.body("upper", mass=2, center=[0, 0, -0.5], inertia=[0.2, 0.2, 0.01])
    m.body("lower", mass=1, center=[0, 0, -1.4], inertia=[0.1, 0.1, 0.01])
    m.revolute("shoulder", bodies=["ground", "upper"], at=[0, 0, 0], axis=[0, 1, 0])
    m.revolute("elbow", bodies=["upper", "lower"], at=[0, 0, -1], axis=[0, 1, 0])
    return m


def test_matrices_and_eigenvalues_go_together() -> None:
    m = arm()
    m.output("tip", value="body.lower.position.x")
    linear = m.linearize("equilibrium")
    assert linear.states == ["joint.shoulder.angle", "joint.elbow.angle",
                             "joint.shoulder.angle_rate", "joint.elbow.angle_rate"]
    assert linear.A is not None and linear.C is not None
    assert linear.A.shape == (4, 4) and linear.C.shape == (1, 4)
    values = np.linalg.eigvals(linear.A)
    np.testing.assert_allclose(np.sort(values.imag), np.sort(linear.eigenvalues.imag), atol=1e-9)
    np.testing.assert_allclose(linear.C[0, :2], [-1.4, -0.4], atol=1e-8)
    assert len(linear.modes) == 2
    assert sum(linear.modes[0].kinetic.values()) == pytest.approx(1)
    assert linear.modes[0].shape["upper"].shape == (6,)
    with pytest.raises(holon.Error, match="no signal 'tipp'"):
        m.linearize(outputs=["tipp"])


def test_a_rotor_is_linearized_at_its_spin_unless_the_start_is_kept() -> None:
    m = holon.Model("rotor")
    m.parameter("spin", 0.0)
    m.body("hub", mass=0.5, inertia=[1e-3, 1e-3, 1e-3])
    m.body("disk", mass=4, inertia=[0.03, 0.03, 0.05])
    m.revolute("axle", bodies=["hub", "disk"], at=[0, 0, 0], axis="z")
    m.driver("motor", joint="axle", motion="spin*t")
    m.bushing("shaft", bodies=["ground", "hub"], at=[0, 0, 0],
              stiffness=[4e4, 4e4, 1e6, 300, 300, 1e4])
    spin = np.array([0.0, 100.0])
    found = m.campbell("spin", spin)
    half = 0.05 * spin / (2 * 0.031)
    np.testing.assert_allclose(found.frequencies[:, 0] * 2 * np.pi,
                               np.where(spin > 0, np.hypot(half, np.sqrt(300 / 0.031)) - half,
                                        np.sqrt(4e4 / 4.5)), rtol=1e-8)
    fast = m.with_parameters(spin=100.0)
    assert fast.linearize().equilibrium and not fast.linearize("start").equilibrium


def test_equations_are_those_of_the_motion() -> None:
    with arm().simulation(coordinates="relative", tol=1e-9) as s:
        s.set_state(0.0, [0.3, -0.2], [1.0, 2.0])
        mass = s.mass_matrix()
        out = np.empty((2, 2))
        assert s.mass_matrix(out=out) is out
        np.testing.assert_array_equal(out, mass)
        np.testing.assert_allclose(mass @ s.qdd + s.bias(), 0, atol=1e-9)
        np.testing.assert_allclose(s.inverse_dynamics(s.qdd), 0, atol=1e-9)
        assert 0.5 * s.qd @ mass @ s.qd == pytest.approx(s["energy.kinetic"])
        v = s.jacobian("lower") @ s.qd
        assert v[0] == pytest.approx(s["body.lower.velocity.x"])
        w = s.jacobian("lower", rotation=True) @ s.qd
        assert w[1] == pytest.approx(3.0)
        whole = s.composite()
        assert whole.mass == pytest.approx(3)
        one = s.composite(["lower"])
        assert one.momentum[0] == pytest.approx(s["body.lower.velocity.x"])
        with pytest.raises(ValueError):
            s.mass_matrix(out=np.empty(3))
        with pytest.raises(KeyError):
            s.jacobian("nose")


def test_forces_of_drives_are_least_squares() -> None:
    m = arm()
    m.driver("one", joint="shoulder", motion="0.3*sin(2*t)")
    m.driver("two", joint="elbow", motion="0.2*t^2")
    got = m.inverse(time=1.0, count=5)
    assert got.rank == 2 and got.residual < 1e-9
    with m.simulation() as s:
        r = m.kinematics(1.0)
        assert got["one"][-1] == pytest.approx(r["driver.one.force"][-1], abs=1e-6)
        # three drives for two freedoms: those of least effort
        report = s.drive_forces(["one", "two", "joint.shoulder.angle"], [1.0, 2.0, 3.0])
        two = s.drive_forces(["one", "two"])["forces"]
        b = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
        w = np.diag(1 / np.array([1.0, 2.0, 3.0]))
        expected = w @ b.T @ np.linalg.solve(b @ w @ b.T, two)
        np.testing.assert_allclose(report["forces"], expected, atol=1e-9)


def test_forces_of_drives_of_a_recorded_motion(tmp_path: Path) -> None:
    m = arm()
    m.driver("one", joint="shoulder", motion="0.3*sin(2*t)")
    m.driver("two", joint="elbow", motion="0.2*t^2")
    of_drivers = m.inverse(time=1.0, count=6)
    # the machine without drivers, along what was recorded: by results, and by their folder
    run = m.kinematics(1.0, output_step=0.2)
    free = arm()
    drives = ["joint.shoulder.angle", "joint.elbow.angle"]
    run.save(tmp_path / "results.npz")
    motions: list[holon.Results | Path] = [run, tmp_path / "results.npz"]
    for motion in motions:
        got = free.inverse(drives, motion=motion)
        assert got.freedoms == got.rank == 2 and got.residual < 1e-8
        np.testing.assert_allclose(got.time, of_drivers.time, atol=1e-12)
        np.testing.assert_allclose(got[drives[0]], of_drivers["one"], atol=1e-8)
        np.testing.assert_allclose(got[drives[1]], of_drivers["two"], atol=1e-8)
        np.testing.assert_allclose(np.abs(np.linalg.det(got.map)) > 0, True)
    # a table of coordinates: a spline through points of a parabola and a sine
    t = np.linspace(0, 1, 401)
    table = {"time": t, drives[0]: 0.3 * np.sin(2 * t), drives[1]: 0.2 * t**2}
    got = free.inverse(motion=table, count=6)
    for name, other in zip(drives, ("one", "two")):
        np.testing.assert_allclose(got[name][1:-1], of_drivers[other][1:-1], atol=1e-3)
    # a third drive beside the first: efforts share by the weights
    three = free.inverse({drives[0]: 1.0, drives[1]: 1.0, "joint.shoulder": 4.0}, motion=run)
    np.testing.assert_allclose(three["joint.shoulder"], of_drivers["one"] / 5, atol=1e-8)
    assert three.map.shape == (2, 3)
    with pytest.raises(holon.Error, match="no body"):
        free.inverse(drives, motion=m.kinematics(1.0, output_step=0.5, signals=["joint.*"]))
    with pytest.raises(ValueError, match="no coordinate"):
        free.inverse(motion={"time": t, "elbow": t})
    # a run has instants and coordinates of its own: others are not ignored
    others: list[dict[str, Any]] = [{"time": 0.5}, {"count": 3}, {"coordinates": "natural"}]
    for asked in others:
        with pytest.raises(ValueError, match=next(iter(asked)) + "=.* run "):
            free.inverse(drives, motion=run, **asked)
    got = free.inverse(drives, motion=run, coordinates="cartesian")
    np.testing.assert_allclose(got[drives[0]], of_drivers["one"], atol=1e-8)


def test_scipy_takes_the_matrices() -> None:
    pytest.importorskip("scipy")
    m = holon.Model("cart")
    m.input("push", value=0.0)
    m.body("cart", mass=2, inertia=[1, 1, 1])
    m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis=[1, 0, 0])
    m.joint_spring_damper("motor", joint="rail", law="8*x + v - push")
    m.output("x", value="joint.rail.displacement")
    w, h = m.linearize().state_space().freqresp([0.5, 2.0])
    np.testing.assert_allclose(h, [1 / (8 - 2 * x * x + 1j * x) for x in w], rtol=1e-8)
