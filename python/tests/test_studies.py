"""Sweeps, fits, optima, environments."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holon

WORDS: dict[str, Any] = {"tyre": "300:600:2 kN/m", "stair": [0.1, 0.29]}
MEASURES = ["chassis.z:max", "chassis.az:rms"]


def spring() -> holon.Model:
    """2 kg on a spring with a damper, let go at 1 m."""
    m = holon.Model("spring", parameters={"k": "8 N/m", "c": "0.4 N s/m"})
    m.body("m", mass=2)
    m.translational("rail", bodies=["ground", "m"], at=[0, 0, 0], axis="x",
                    initial={"displacement": 1})
    m.joint_spring_damper("s", joint="rail", stiffness="k", damping="c")
    m.output("x", value="joint.rail.displacement")
    return m


def exact(t: np.ndarray, k: float, c: float) -> np.ndarray:  # type: ignore[type-arg]
    d, w = c / 4, np.sqrt(k / 2 - (c / 4) ** 2)
    return np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))  # type: ignore[no-any-return]


def test_a_table_is_the_same_whatever_ran_it(models: Path, tmp_path: Path) -> None:
    car = holon.load(models / "iltis/iltis.yaml")
    one = holon.sweep(car, WORDS, MEASURES, time=0.5, workers=1)
    two = holon.sweep(car, WORDS, MEASURES, time=0.5, workers=4)
    with ProcessPoolExecutor(2) as pool:
        three = holon.sweep(car, WORDS, MEASURES, time=0.5, executor=pool)
    assert one.text == two.text == three.text
    assert one.status == ["ok"] * 4 and not one.failures
    np.testing.assert_array_equal(one["tyre"], [300, 300, 600, 600])
    with pytest.raises(KeyError, match="did you mean"):
        one["chassis.z:maxx"]
    with np.load(one.save(tmp_path / "t.npz")) as data:
        np.testing.assert_array_equal(data["stair"], one["stair"])


def pull(time: float, ground: holon.BodyMotion, body: holon.BodyMotion) -> list[float]:
    """The spring and damper of `spring`, in Python."""
    return [-8.0 * body.position[0] - 0.4 * body.velocity[0], 0.0, 0.0]


def test_forces_in_python_are_swept() -> None:
    with_law, in_python = spring(), spring()
    del in_python.tree["forces"]
    in_python.user_force("s", "ground", "m", pull)
    words: dict[str, Any] = {"time": 2.0, "tol": 1e-9}
    want = holon.sweep(with_law, {"k": [8.0], "c": [0.4]}, ["x:end", "x:min"], **words)
    got = holon.sweep(in_python, {"k": [8.0, 9.0], "c": [0.4]}, ["x:end", "x:min"], **words)
    assert got.status == ["ok", "ok"]
    assert abs(got["x:end"] - want["x:end"][0]).max() < 1e-6  # k is without effect there
    with ProcessPoolExecutor(1) as pool:
        again = holon.sweep(in_python, {"k": [8.0, 9.0], "c": [0.4]}, ["x:end", "x:min"],
                            executor=pool, **words)
    assert again.text == got.text

    def wrong(time: float, ground: holon.BodyMotion, body: holon.BodyMotion) -> list[float]:
        raise ZeroDivisionError("in a force")

    in_python.user_force("t", "ground", "m", wrong)
    with pytest.raises(ZeroDivisionError, match="in a force"):
        holon.sweep(in_python, {"k": [8.0]}, ["x:end"], **words)


def test_overlays_are_swept(tmp_path: Path) -> None:
    path, overlay = spring().save(tmp_path / "spring.json"), tmp_path / "heavy.json"
    overlay.write_text('{"bodies": {"m": {"mass": 8}}}')
    words: dict[str, Any] = {"time": 2.0, "tol": 1e-9}
    got = holon.sweep(holon.load(path, overlays=[overlay]), {"k": [32.0], "c": [1.6]}, ["x:end"], **words)
    want = exact(np.array([2.0]), 8.0, 0.4)  # all four times as much
    np.testing.assert_allclose(got["x:end"], want, atol=1e-7)


def test_the_command_gives_the_same_bytes(models: Path, tmp_path: Path) -> None:
    command = Path(os.environ.get("HOLON_COMMAND", "holon"))
    found = shutil.which(str(command))
    if found is None:
        pytest.skip("the command holon is not built")
    model = models / "iltis/iltis.yaml"
    table = holon.sweep(holon.load(model), WORDS, MEASURES, time=0.5)
    plain = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}  # of sanitizers
    subprocess.run([found, "sweep", model, "--vary", "tyre=300:600:2 kN/m", "--vary",
                    "stair=0.1,0.29", "--measure", MEASURES[0], "--measure", MEASURES[1], "--time",
                    "0.5", "--quiet", "-o", tmp_path / "s"], check=True, env=plain)
    assert (tmp_path / "s/table.csv").read_bytes() == table.text.encode()
    # and goes on with what the other began
    again = holon.sweep(holon.load(model), WORDS, MEASURES, time=0.5, folder=tmp_path / "s")
    assert again.text == table.text and not (tmp_path / "s/part-python.csv").exists()


def test_a_sweep_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    words = {"k": "1:10:6"}
    whole = holon.sweep(spring(), words, time=1.0, folder=tmp_path / "a")
    part = tmp_path / "a/part-python.csv"
    part.write_text("".join(part.read_text().splitlines(keepends=True)[:3]) + "4,1.5")
    before = part.stat().st_size
    again = holon.sweep(spring(), words, time=1.0, folder=tmp_path / "a")
    assert again.text == whole.text and part.stat().st_size > before
    text = part.read_text()
    part.write_text(text.replace("0,1,", "0,2,", 1))
    assert holon.sweep(spring(), words, time=1.0, folder=tmp_path / "a").text == whole.text
    with pytest.raises(ValueError, match="another sweep"):
        holon.sweep(spring(), {"k": "1:10:7"}, time=1.0, folder=tmp_path / "a")


def test_failures_are_listed_and_not_lost() -> None:
    m = spring()
    m.tree["parameters"]["heavy"] = "1 kg"
    m.body("other", mass="heavy")
    table = holon.sweep(m, {"heavy": [-5.0, 8.0]}, ["x:end", "x:min"], time=1.0)
    assert table.status[1] == "ok" and table.status[0] != "ok"
    assert list(table.failures) == [0] and np.isnan(table["x:end"][0])


def test_samples_fill_their_ranges() -> None:
    table = holon.sweep(spring(), {"k": "2:12"}, ["x:end"], sample="lhs:10", seed=5, time=0.2)
    assert sorted(np.floor(table["k"] - 2).astype(int)) == list(range(10))
    rows = np.array([[3.0, 0.1], [5.0, 0.2]])
    table = holon.sweep(spring(), {"k": "", "c": ""}, ["x:end"], sample=rows, time=1.0, tol=1e-9)
    np.testing.assert_allclose(table["x:end"], [exact(np.array(1.0), *r) for r in rows], atol=1e-7)
    pytest.importorskip("scipy")
    table = holon.sweep(spring(), {"k": (2, 12)}, ["x:end"], sample="sobol:8", time=0.2)
    assert sorted(np.floor((table["k"] - 2) / 1.25).astype(int)) == list(range(8))


def test_fits_find_the_truth_within_their_errors() -> None:
    pytest.importorskip("scipy")
    t = np.linspace(0, 6, 121)
    k, c = 9.3, 0.55
    inside = 0
    for seed in range(20):
        noise = 0.01 * np.random.default_rng(seed).normal(size=t.size)
        found = holon.fit(spring(), {"k": 7.0, "c": 0.3}, {"time": t, "x": exact(t, k, c) + noise},
                          tol=1e-7)
        inside += all(abs(found.parameters[n] - true) < 3 * found.errors[n]
                      for n, true in (("k", k), ("c", c)))
        assert found.errors["k"] < 0.1
    assert inside >= 18
    again = holon.fit(spring(), {"k": 7.0, "c": 0.3}, {"time": t, "x": exact(t, k, c) + noise},
                      tol=1e-7)
    assert again.parameters == found.parameters  # bit for bit


def test_optima_are_found() -> None:
    pytest.importorskip("scipy")
    # x(1) = 0 for a spring without damping when w = pi / 2: k = 2 w^2
    best = holon.optimize(spring().with_parameters(c=0), lambda r: float(r["x"][-1] ** 2), {"k": 4.0},
                          time=1.0, tol=1e-9, output_step=1.0)
    assert best.parameters["k"] == pytest.approx(np.pi**2 / 2, abs=1e-3)


def test_environments_have_the_shape_of_gymnasium() -> None:
    m = holon.Model("cart")
    m.body("cart", mass=2, inertia=[1, 1, 1])
    m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x")
    m.input("push", value="0 N")
    m.point_force("motor", body="cart", at=[0, 0, 0], force=["push", 0, 0])
    env = holon.Environment(m, ["joint.rail.displacement", "joint.rail.displacement_rate"],
                            {"push": (-10.0, 10.0)}, lambda seen, action: -abs(float(seen[0]) - 1),
                            step=0.05, time=1.0)
    runs = []
    for _ in range(2):
        seen, info = env.reset(seed=1)
        assert seen.tolist() == [0.0, 0.0] and info["time"] == 0.0
        steps, truncated = 0, False
        while not truncated:
            seen, reward, terminated, truncated, info = env.step([4.0])
            steps += 1
            assert not terminated and reward <= 0
        runs.append((steps, seen[0]))
    assert runs[0] == runs[1] and runs[0][0] == 20
    assert seen[0] == pytest.approx(1.0, abs=1e-3)  # a = 2 for 1 s
    assert env.action_space.contains(env.action_space.sample())
    with env, pytest.raises(ValueError, match="shape"):
        env.step([1.0, 2.0])
