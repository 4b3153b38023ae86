"""What newer machines tell in Python: contacts, tyres, vehicles, modes, formulations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holon


def test_impacts_are_events(models: Path) -> None:
    # dropped from 1 m with restitution e, it meets the floor after sqrt(2 h/g) (1 + 2 e + 2 e^2 + ...)
    r = holon.load(models / "contact/ball.yaml").run(2.0, tol=1e-8)
    fall = np.sqrt(2 / 9.81)
    times = [e.time for e in r.events if e.kind == "contact" and e.after == "impact"]
    np.testing.assert_allclose(times[:3], [fall, 2 * fall, 2.5 * fall], atol=1e-8)
    assert r.events[0].element == "floor" and r.events[0].before == "open"
    assert r.certificate["contact"]["unresolved"] == 0


def test_what_comes_and_goes_is_told() -> None:
    m = holon.Model("cart")
    m.body("cart", mass=2, inertia=[1, 1, 1])
    m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x",
                    initial={"displacement_rate": 1.0})
    m.point_force("brake", body="cart", at=[0, 0, 0], force=[-2, 0, 0],
                  when="joint.rail.displacement > 0.5")
    r = m.run(1.0, tol=1e-9)
    told = [e for e in r.events if e.kind == "force"]
    assert [(e.element, e.before, e.after) for e in told] == [("brake", "off", "on")]
    assert told[0].time == pytest.approx(0.5, abs=1e-9)
    assert r["joint.rail.displacement"][-1] == pytest.approx(1.0 - 0.5 * 0.5**2, abs=1e-7)


def test_tyres_give_curves_of_any_shape(models: Path) -> None:
    tyre = holon.Tyre(models / "tyres/car-fiala.tir")
    alpha = np.linspace(-0.1, 0.1, 5)
    both = tyre.forces(alpha=alpha, fz=[[2000.0], [4000.0]], derivatives=True)
    assert both.fy.shape == (2, 5) and (np.diff(both.fy, axis=1) < 0).all()
    one = tyre.forces(alpha=0.05, fz=4000.0)
    assert one.fy.shape == () and one.fy == both.fy[1, 3]
    assert both.derivatives is not None and both.derivatives.shape == (2, 5, 5, 6)
    h = 1e-6
    slope = (tyre.forces(alpha=0.02 + h).fy - tyre.forces(alpha=0.02 - h).fy) / (2 * h)
    exact = tyre.forces(alpha=0.02, derivatives=True).derivatives
    assert exact is not None and exact[1, 1] == pytest.approx(float(slope), rel=1e-6)
    assert "<svg" in tyre.plot("fx", "kappa").svg()
    assert tyre.sizes(4000).loaded_radius > 0.2
    with pytest.raises(KeyError):
        tyre["NO_SUCH_KEY"]
    with pytest.raises(ValueError, match="did you mean 'fy'"):
        tyre.plot("fyy")
    with pytest.raises(OSError):
        holon.Tyre("none.tir")


def test_a_vehicle_takes_a_manoeuvre(models: Path) -> None:
    overlay = models / "manoeuvres/lane-change.yaml"
    car = holon.load(models / "vehicles/passenger.yaml", overlays=[overlay])
    r = car.run(0.2, accuracy=False)
    assert len(r.time) > 10 and np.isfinite(r[list(r)]).all()


def test_modes_over_a_parameter() -> None:
    m = holon.Model("spring", parameters={"k": "8 N/m"})
    m.body("m", mass=2)
    m.translational("rail", bodies=["ground", "m"], at=[0, 0, 0], axis="x")
    m.input("push", value="0 N")
    m.joint_spring_damper("s", joint="rail", stiffness="k", damping="0.5 N s/m")
    m.point_force("f", body="m", at=[0, 0, 0], force=["push", 0, 0])
    m.output("x", value="joint.rail.displacement")
    k = np.array([8.0, 18.0, 32.0])
    found = m.campbell("k", k)
    np.testing.assert_allclose(found.frequencies[:, 0], np.sqrt(k / 2) / (2 * np.pi), rtol=1e-9)
    assert found.damping.shape == (3, 1) and "<svg" in found.plot().svg()
    here = m.linearize()
    assert here.units["x"] == "m" and "0.3183 Hz" in repr(here)
    hz = np.array([0.1, 0.5])
    s = 2j * np.pi * hz
    np.testing.assert_allclose(here.response(hz)[:, 0, 0], 1 / (2 * s**2 + 0.5 * s + 8), rtol=1e-9)
    with pytest.raises(ValueError, match="did you mean 'equilibrium'"):
        m.linearize("equilibrum")


def test_advice_is_a_run_that_keeps_its_word(pendulum: holon.Model) -> None:
    advice = pendulum.recommend([1e-3], time=1.0, budget=20, among=["relative/first-order"])
    best = advice.best[1e-3]
    assert best is not None and best.error < 1e-3 and best in advice.candidates
    assert all(a.error <= b.error for a, b in zip(advice.front, advice.front[1:]))
    fine = pendulum.run(1.0, tol=1e-10)["angle"][-1]
    assert pendulum.run(1.0, **best.options)["angle"][-1] == pytest.approx(fine, abs=1e-2)
    with pytest.raises(ValueError, match="means no combination"):
        pendulum.recommend(among="relativ")


def test_formulations_that_fail_are_kept(pendulum: holon.Model) -> None:
    runs = pendulum.compare(["SspTrap", "no such"], 0.5)
    assert list(runs) == ["SspTrap"] and "no such" in runs.failures
    assert runs.differences()["SspTrap"]["angle"] == 0
    with pytest.raises(KeyError, match="failed"):
        runs["no such"]
    assert pendulum.compare(["no such"], 0.5).differences() == {}


def test_a_loaded_model_is_changed_in_code(models: Path) -> None:
    path = models / "examples/pendulum.yaml"
    plain = holon.load(path)
    more = holon.load(path, overlays=[{"outputs": {"height": f"body.{plain.bodies[0]}.position.z"}}])
    more.output("twice", value="2*height")
    r = more.run(0.5)
    np.testing.assert_allclose(r["twice"], 2 * r["height"], atol=1e-12)
    assert "twice" not in plain.outputs and more.hash != plain.hash
    more.output("wrong", value="no.such.signal")
    with pytest.raises(holon.ModelError, match="no.such.signal"):
        more.check()
