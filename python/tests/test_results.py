"""Runs and what they recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import holon


def period_by_agm(angle: float, ratio: float) -> float:
    """The period of a pendulum of g/l = ratio that swings to `angle`: 2 pi / (agm(1, cos(a/2)) sqrt)."""
    a, b = 1.0, float(np.cos(angle / 2))
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, float(np.sqrt(a * b))
    return float(2 * np.pi / (a * np.sqrt(ratio)))


def test_a_pendulum_has_its_exact_period(pendulum: holon.Model) -> None:
    # released level: it swings 90 degrees to both sides; g/l_reduced = 3 g / (2 l)
    period = period_by_agm(np.pi / 2, 1.5 * 9.81)
    r = pendulum.run(period, tol=1e-10, output_step=period / 100)
    assert r["angle"][-1] == pytest.approx(r["angle"][0], abs=1e-6)
    assert r["angle"][50] == pytest.approx(np.pi, abs=1e-6)
    assert r.verdict == "sound"
    assert r.accuracy is not None and r.accuracy.is_estimated


def test_results_are_named_arrays(pendulum: holon.Model) -> None:
    r = pendulum.run(1.0)
    assert list(r)[0] == "angle" and len(r) == len(r.units)
    assert r.units["joint.pin.angle"] == "rad"
    assert r["angle"].shape == r.time.shape == (501,)
    assert not r["angle"].flags.writeable
    with pytest.raises(KeyError, match="did you mean 'angle'"):
        r["angel"]
    assert r.at(0.5, "angle") == pytest.approx(r["angle"][250])
    few = pendulum.run(1.0, signals=["joint.pin.angle"])
    assert "angle" in few and "body.rod.position.x" not in few


def test_arrays_outlive_everything(pendulum: holon.Model) -> None:
    angle = pendulum.run(0.5)["angle"]
    copy = angle.copy()
    import gc
    gc.collect()
    junk = [np.ones(1000) for _ in range(100)]
    assert len(junk) == 100
    np.testing.assert_array_equal(angle, copy)


def test_inputs_are_given_by_tables() -> None:
    m = holon.Model("cart")
    m.body("cart", mass=2, inertia=[1, 1, 1])
    m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x")
    m.input("push", value="0 N")
    m.point_force("thrust", body="cart", at=[0, 0, 0], force=["push", 0, 0])
    r = m.run(2.0, inputs={"time": [0, 2], "push": [0, 4]}, tol=1e-10)
    # force 2 t on 2 kg: x = t^3 / 6
    np.testing.assert_allclose(r["body.cart.position.x"], r.time**3 / 6, atol=1e-7)
    with pytest.raises(KeyError, match="pusch"):
        m.run(1.0, inputs={"time": [0, 1], "pusch": [0, 1]})


def test_results_take_other_shapes(pendulum: holon.Model, tmp_path: Path) -> None:
    r = pendulum.run(0.2, output_step=0.1)
    path = r.save(tmp_path / "r.csv")
    lines = path.read_text().splitlines()
    assert lines[0].startswith("time,angle") and len(lines) == 2 + 3
    with np.load(r.save(tmp_path / "r.npz")) as data:
        np.testing.assert_array_equal(data["angle"], r["angle"])
    with pytest.raises(ValueError, match="should end"):
        r.save(tmp_path / "r.txt")


def test_pandas_and_xarray_on_request(pendulum: holon.Model) -> None:
    r = pendulum.run(0.2, output_step=0.1)
    pandas = pytest.importorskip("pandas")
    frame = r.to_pandas("angle")
    assert isinstance(frame, pandas.DataFrame) and frame.attrs["units"] == {"angle": "rad"}
    np.testing.assert_array_equal(frame["angle"], r["angle"])
    pytest.importorskip("xarray")
    assert r.to_xarray()["angle"].attrs["units"] == "rad"


def test_plots_and_pages_need_no_other_package(pendulum: holon.Model, tmp_path: Path) -> None:
    import xml.etree.ElementTree as tree
    r = pendulum.run(1.0)
    root = tree.parse(r.plot("angle", "energy.total").save(tmp_path / "p.svg")).getroot()
    lines = [p for p in root.iter("{http://www.w3.org/2000/svg}path") if p.get("fill") == "none"]
    assert len(lines) == 2 and all("nan" not in (p.get("d") or "") for p in lines)
    page = r.view(tmp_path / "p.html").read_text()
    assert 'id="holon-scene"' in page and 'id="holon-motion"' in page
    text = r._repr_html_()
    assert "sound" in text and "<iframe" in text and "<svg" in text
    flat = holon.Plot().line([0, 1], [2, 2], "flat").line([0, 1], [np.nan, np.inf], "none")
    tree.fromstring(flat.svg())


def test_a_failed_run_keeps_what_it_had() -> None:
    m = holon.Model("runaway")
    m.body("ball", mass=1, inertia=[1, 1, 1], initial={"velocity": [1, 0, 0]})
    m.translational("rail", bodies=["ground", "ball"], at=[0, 0, 0], axis="x")
    m.joint_spring_damper("blow", joint="rail", law="0 - 100*x*x*x*x*x - v*v*v*v*v")
    m.output("x", value="joint.rail.displacement")
    with pytest.raises(holon.RunError) as caught:
        m.run(50.0, max_steps=20)
    results = caught.value.results
    assert isinstance(results, holon.Results) and 1 <= len(results.time) < 501
