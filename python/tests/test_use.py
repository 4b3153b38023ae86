"""Uses that are odd and reasonable: files, other processes, mistakes, pictures, own loops."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys
import zipfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holon
from holon import _core


def run(model: holon.Model) -> holon.Results:
    return model.run(0.3)


def test_models_and_results_travel(pendulum: holon.Model) -> None:
    here = pendulum.run(0.3)
    again = pickle.loads(pickle.dumps(here))
    assert again == here and again.units == here.units and again.accuracy == here.accuracy
    assert again.picture(width=160, height=90) == here.picture(width=160, height=90)
    other = copy.deepcopy(pendulum)
    other.body("more", mass=1)
    assert "more" in other.bodies and "more" not in pendulum.bodies
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(run, pendulum).result() == here
        broken = holon.Model("broken")
        broken.body("rod", mass="1 m")
        broken.body("bar", mass="2 m")
        with pytest.raises(holon.ModelError) as caught:
            pool.submit(run, broken).result()
    assert caught.value.element == "body 'rod'"
    assert [o.element for o in caught.value.others] == ["body 'bar'"]


def test_files_are_read_back(pendulum: holon.Model, tmp_path: Path) -> None:
    r = pendulum.run(0.2)
    for name in ("r.csv", "r.npz"):
        assert holon.read_results(r.save(tmp_path / name)) == r
    assert holon.read_results(tmp_path / "r.csv").units["angle"] == "rad"
    with pytest.raises(OSError):
        holon.read_results(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match="has no results"):
        holon.read_results(tmp_path)


def test_mistakes_are_answered_with_what_comes_near(pendulum: holon.Model) -> None:
    with pytest.raises(TypeError, match="did you mean 'mass'"):
        pendulum.body("b", mas=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="'mass' of 'b' has nan"):
        pendulum.body("b", mass=float("nan"))
    with pytest.raises(TypeError, match="'mass' of 'b' has"):
        pendulum.body("b", mass=1j)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="did you mean 'output_step'"):
        pendulum.run(1.0, outputstep=0.1)
    with pytest.raises(TypeError, match="option 'tol' is a number, not 'fine'"):
        pendulum.run(1.0, tol="fine")
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="above 0"):
            pendulum.run(wrong)
    with pytest.raises(KeyError, match="did you mean 'angle'"):
        pendulum.statics()["angel"]
    with pytest.raises(holon.ArgumentError, match="Did you mean 'angle'"):
        holon.sweep(pendulum, {"length": [1, 2]}, "angel:max", time=0.1)
    with pytest.raises(holon.ArgumentError, match="'most' is not a measure of 'angle'"):
        holon.sweep(pendulum, {"length": [1, 2]}, "angle:most", time=0.1)
    with pendulum.simulation() as s:
        s.advance(0.1)
        s.advance(0.1)
        with pytest.raises(holon.ArgumentError, match="goes on, not back"):
            s.step(-0.01)
        with pytest.raises(KeyError, match="did you mean 'rod'"):
            s.jacobian("rud")


def test_packages_that_are_missing_are_named(pendulum: holon.Model,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "xarray", "scipy.optimize"):
        modules: Any = sys.modules
        monkeypatch.setitem(modules, package, None)
    r = pendulum.run(0.1)
    with pytest.raises(ImportError, match="needs the package pandas"):
        r.to_pandas()
    with pytest.raises(ImportError, match="needs the package xarray"):
        r.to_xarray()
    with pytest.raises(ImportError, match="needs the package scipy"):
        holon.fit(pendulum, {"length": 1.0}, r)


def test_signals_are_chosen_by_lists_and_globs(pendulum: holon.Model) -> None:
    r = pendulum.run(0.5, signals="joint.*")
    both = r[["angle", "joint.pin.angle_rate"]]
    assert both.shape == (len(r.time), 2) and both.flags.writeable
    np.testing.assert_array_equal(both[:, 0], r["angle"])
    np.testing.assert_array_equal(r.at(r.time[:3], "angle"), r["angle"][:3])
    drawn = r.plot("joint.pin.ang*").svg()
    assert ">joint.pin.angle" in drawn and ">joint.pin.angle_rate" in drawn
    with pytest.raises(KeyError, match="matches"):
        r.plot("nothing.*")


def test_stills_and_films_need_no_other_program(pendulum: holon.Model, tmp_path: Path) -> None:
    r = pendulum.run(0.5)
    still = r.picture(tmp_path / "p.png", time=0.25, width=320, height=180)
    assert still == (tmp_path / "p.png").read_bytes() and still.startswith(b"\x89PNG\r\n")
    assert still != r.picture(time=0.0, width=320, height=180)
    film = r.film(tmp_path / "p.gif", width=160, height=90, fps=5)
    assert film.startswith(b"GIF89a") and len(film) > 2000
    with pytest.raises(ValueError, match="should end in .png"):
        r.picture(tmp_path / "p.jpg")
    with pytest.raises(ValueError, match="no view"):
        r.picture(view="below")
    with pytest.raises(ValueError, match="frames"):
        r.film(speed=1e-6)
    with pytest.raises(ValueError, match="scene=False"):
        pendulum.run(0.1, scene=False).picture()


def test_a_loop_of_ones_own_keeps_results(pendulum: holon.Model) -> None:
    whole = pendulum.run(0.5, output_step=0.1, tol=1e-9)
    with pendulum.simulation(tol=1e-9) as s:
        record = s.record("joint.*")
        for time in whole.time:
            s.advance(time)
            record()
    r = record.results()
    np.testing.assert_array_equal(r.time, whole.time)
    np.testing.assert_allclose(r["angle"], whole["angle"], atol=1e-7)
    assert "body.rod.position.x" not in r and r.certificate["steps"]
    assert r.film(width=64, height=48, fps=5).startswith(b"GIF")
    with pytest.raises(ValueError, match="closed"):
        record()


def test_fits_take_inputs_frames_and_results() -> None:
    pytest.importorskip("scipy")
    m = holon.Model("cart", parameters={"mass": 2.0})
    m.body("cart", mass="mass", inertia=[1, 1, 1])
    m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x")
    m.input("push", value="0 N")
    m.point_force("thrust", body="cart", at=[0, 0, 0], force=["push", 0, 0])
    m.output("x", value="joint.rail.displacement")
    pushed = {"time": [0.0, 1.0, 2.0], "push": [0.0, 4.0, -4.0]}
    measured = m.with_parameters(mass=3.0).run(2.0, inputs=pushed, signals="x", tol=1e-9)
    found = holon.fit(m, {"mass": 1.5}, measured, inputs=pushed)
    assert found.parameters["mass"] == pytest.approx(3.0, abs=1e-6)
    pytest.importorskip("pandas")
    again = holon.fit(m, {"mass": 1.5}, measured.to_pandas(), inputs=pushed)
    assert again.parameters == found.parameters


def test_a_compiled_force_is_given_as_it_is() -> None:
    numba = pytest.importorskip("numba")
    d, p = numba.types.float64, numba.types.CPointer
    kind = numba.types.int32(numba.types.voidptr, d, p(d), p(d), p(d), p(d), p(d))

    @numba.cfunc(kind)
    def drag(context, time, bodies, wrench, d_pose, d_velocity, d_time):  # type: ignore
        for k in range(3):
            wrench[6 + k] = -0.8 * bodies[30 + k]
        return 0

    ball = holon.Model("ball", gravity=[0, 0, -10])
    ball.body("ball", mass=2, inertia=[1, 1, 1])
    ball.user_force("drag", "ground", "ball", drag)
    r = ball.run(1.0, tol=1e-9, accuracy=False)
    np.testing.assert_allclose(r["body.ball.velocity.z"][-1], -25 * (1 - np.exp(-0.4)), atol=1e-6)
    ball.user_force("drag", "ground", "ball", 1.5)
    with pytest.raises(TypeError, match="a function, or the address"):
        ball.run(1.0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=8), max_size=4, unique=True), st.integers(0, 5))
def test_tables_are_what_they_were_made_of(names: list[str], rows: int) -> None:
    time = np.arange(rows, dtype=float)
    columns = [np.random.default_rng(k).normal(size=rows) for k in range(len(names))]
    fine = all(n.isprintable() and "\0" not in n for n in names)
    try:
        table = _core.make_table(names, [""] * len(names), time, list(columns))
    except (UnicodeEncodeError, ValueError):
        assert not fine
        return
    for k, column in enumerate(columns):
        np.testing.assert_array_equal(np.asarray(table.column(k)), column)
    wrong: Any = np.zeros(rows + 1)
    with pytest.raises(ValueError):
        _core.make_table(["a"], [""], time, [wrong])


def test_fmus_are_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "one.fmu"
    text = ('<fmiModelDescription fmiVersion="2.0" modelName="one" guid="1"><CoSimulation '
            'modelIdentifier="one"/><ModelVariables><ScalarVariable name="u" valueReference="7" '
            'causality="input"><Real start="2"/></ScalarVariable></ModelVariables>'
            '<ModelStructure/></fmiModelDescription>')
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", text)
    one = holon.fmu(path)
    assert (one.fmi_version, one.kinds, one.states) == ("2.0", ["CoSimulation"], 0)
    assert one["u"].reference == 7 and one["u"].variability == "continuous"
    assert one.errors == 1 and "no binary" in one.findings[0].message
    path.write_text("no archive")
    with pytest.raises(holon.FileError, match="archive"):
        holon.fmu(path)
