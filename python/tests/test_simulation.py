"""Steps, views, states, inputs, forces, threads."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holon


def cart() -> holon.Model:
    m = holon.Model("cart")
    m.body("cart", mass=2, inertia=[1, 1, 1])
    m.translational("rail", bodies=["ground", "cart"], at=[0, 0, 0], axis="x")
    m.input("push", value="0 N")
    m.input("pull", value="0 N")
    m.point_force("thrust", body="cart", at=[0, 0, 0], force=["push - pull", 0, 0])
    m.output("x", value="joint.rail.displacement")
    return m


def test_steps_end_where_they_should(pendulum: holon.Model) -> None:
    with pendulum.simulation(tol=1e-8) as s:
        assert s.step(1e-3) == s.time == 1e-3
        assert s.advance(0.5) == 0.5
        assert s.one_step() > 0.5
        assert s["joint.pin.angle"] > 0
        with pytest.raises(KeyError, match="did you mean"):
            s["joint.pin.angel"]
    with pytest.raises(ValueError, match="closed"):
        s.step(1e-3)
    with pytest.raises(ValueError, match="closed"):
        s.time


def test_fields_of_a_state_are_read_and_set() -> None:
    m = cart()
    m.state("level", rate="1 - state.level", initial=0.25)
    m.output("level", value="state.level")
    with m.simulation(tol=1e-8) as s, m.simulation(tol=1e-8) as other:
        s.advance(0.5)
        for name in ("time", "position", "velocity", "state"):
            other.fields[name] = s.fields[name]
        assert other.time == 0.5
        assert other["level"] == s["level"] == s.fields["state"][0]
        assert 0.25 < s["level"] < 1
        s.fields["state"] = 2
        assert s["level"] == 2
        s.advance(1.5)
        assert abs(s["level"] - (1 + np.exp(-1))) < 1e-6
        with pytest.raises(KeyError, match="did you mean"):
            s.fields["stat"]
        with pytest.raises(ValueError, match="1 float64"):
            s.fields["state"] = [1, 2]
        with pytest.raises(holon.Error, match="cannot be nan"):
            s.fields["state"] = float("nan")
        assert set(s.fields) >= {"time", "work", "position", "velocity", "state"}


def test_views_are_the_state_itself(pendulum: holon.Model) -> None:
    with pendulum.simulation() as s:
        q = s.q
        before = q.copy()
        s.step(0.1)
        assert s.q.__array_interface__["data"][0] == q.__array_interface__["data"][0]
        assert not np.array_equal(q, before)
        assert not q.flags.writeable
        with pytest.raises(ValueError):
            q[0] = 1
        after = q.copy()
    del s
    gc.collect()
    np.testing.assert_array_equal(q, after)  # the memory is kept as long as the view


@pytest.mark.parametrize("name", ["iftomm/a05.yaml", "contact/ball.yaml", "four-bar.yaml"])
def test_views_follow_whatever_the_library_does_with_its_memory(models: Path, name: str) -> None:
    # states of steps take turns in the library; a05 changes its method on the way
    with holon.load(models / name).simulation() as s, holon.load(models / name).simulation() as other:
        views = [s.q, s.qd, s.qdd, s.multipliers]
        for _ in range(100):
            s.step(0.01)
            other.step(0.01)
        for mine, fresh in zip(views, [other.q, other.qd, other.qdd, other.multipliers]):
            np.testing.assert_array_equal(mine, fresh)
        for mine, again in zip(views, [s.q, s.qd, s.qdd, s.multipliers]):
            assert mine.__array_interface__["data"][0] == again.__array_interface__["data"][0]


def test_inputs_by_name_and_as_arrays() -> None:
    with cart().simulation(tol=1e-10) as s:
        s.inputs["push"] = 4.0
        s.advance(1.0)
        assert s["x"] == pytest.approx(1.0, abs=1e-8)  # a = 2
        s.inputs.set([0.0, 4.0])
        s.advance(2.0)
        assert s.outputs[0] == pytest.approx(2.0, abs=1e-8)
        assert dict(s.inputs) == {"push": 0.0, "pull": 4.0}
        with pytest.raises(KeyError, match="did you mean 'push'"):
            s.inputs["pusch"] = 1
        with pytest.raises(ValueError, match="2 inputs"):
            s.inputs.set([1.0])
        out = np.empty(2)
        chosen = s.select(["joint.rail.displacement", "joint.rail.displacement_rate"])
        assert chosen.read(out) is out
        assert out[1] == pytest.approx(0.0, abs=1e-8)


def test_saved_states_go_on_bit_for_bit(pendulum: holon.Model) -> None:
    with pendulum.simulation() as a, pendulum.simulation() as b:
        a.advance(0.3)
        state = a.save()
        a.advance(1.0)
        b.restore(state)
        b.advance(1.0)
        assert a.state_hash == b.state_hash
        with pytest.raises(holon.Error):
            b.restore(b"nonsense" * 20)


def test_options_are_checked(pendulum: holon.Model) -> None:
    with pytest.raises(TypeError, match="no option 'toll'"):
        pendulum.simulation(toll=1e-3)
    with pytest.raises(holon.Error):
        pendulum.simulation(coordinates="polar")
    with pytest.raises(TypeError):
        pendulum.simulation(tol="fine")


def test_forces_in_python_move_machines() -> None:
    ball = holon.Model("ball", gravity=[0, 0, -10])
    ball.body("ball", mass=2, inertia=[1, 1, 1])
    ball.user_force("drag", "ground", "ball", lambda t, ground, b: -0.8 * b.velocity)
    r = ball.run(3.0, tol=1e-10)
    # m v' = -m g - c v: v = -(m g / c)(1 - exp(-c t / m))
    exact = -25.0 * (1 - np.exp(-0.4 * r.time))
    np.testing.assert_allclose(r["body.ball.velocity.z"], exact, atol=1e-7)


def test_a_force_that_raises_ends_the_run() -> None:
    ball = holon.Model("ball")
    ball.body("ball", mass=1, inertia=[1, 1, 1])

    def late(time: float, ground: holon.BodyMotion, b: holon.BodyMotion) -> list[float]:
        if time > 0.1:
            raise ZeroDivisionError("late")
        return [1, 0, 0]

    ball.user_force("late", "ground", "ball", late)
    with pytest.raises(ZeroDivisionError, match="late"):
        ball.run(1.0)
    ball.user_force("late", "ground", "nobody", late)
    with pytest.raises(holon.ModelError, match="nobody"):
        ball.run(1.0)
    ball.user_force("late", "ground", "ball", lambda *_: [1, 2])
    with pytest.raises(ValueError, match="3 numbers"):
        ball.run(1.0)


def test_forces_in_c_are_called_directly() -> None:
    numbers = ctypes.POINTER(ctypes.c_double)
    calls = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, numbers, numbers, numbers,
                      numbers, numbers)
    def drag(context, time, bodies, wrench, d_pose, d_velocity, d_time):  # type: ignore
        calls.append(time)
        for k in range(3):
            wrench[6 + k] = -0.8 * bodies[18 + 12 + k]
        return 0

    ball = holon.Model("ball", gravity=[0, 0, -10])
    ball.body("ball", mass=2, inertia=[1, 1, 1])
    address = ctypes.cast(drag, ctypes.c_void_p).value
    assert address is not None
    ball.user_force("drag", "ground", "ball", address)
    r = ball.run(1.0, tol=1e-9, accuracy=False)
    np.testing.assert_allclose(r["body.ball.velocity.z"][-1], -25.0 * (1 - np.exp(-0.4)), atol=1e-6)
    assert calls


def test_many_threads_share_a_model(models: Path) -> None:
    car = holon.load(models / "four-bar.yaml")
    hashes: list[int] = []

    def work() -> None:
        with car.simulation() as s:
            s.advance(1.0)
            hashes.append(s.state_hash)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(hashes) == 4 and len(set(hashes)) == 1


def test_runs_let_go_of_the_lock(models: Path) -> None:
    car = holon.load(models / "iltis/iltis.yaml")
    worker = threading.Thread(target=lambda: car.run(8.0, accuracy=False, scene=False))
    worker.start()
    turns = 0
    while worker.is_alive():
        turns += 1  # a run that kept the lock would leave room for next to none of these
    assert turns > 1000


def test_control_c_ends_a_run(models: Path) -> None:
    # Processes started in the background of a shell inherit that SIGINT is ignored.
    program = ("import signal, holon\n"
               "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
               f"m = holon.load({str(models / 'examples/pendulum.yaml')!r})\n"
               "try:\n"
               "    print('begun', flush=True)\n"
               "    m.run(9.9, output_step=1, step=1e-6, scene=False, accuracy=False)\n"
               "except KeyboardInterrupt:\n"
               "    print('ended')\n")
    environment = dict(os.environ, PYTHONPATH=str(Path(holon.__file__).parents[1]))
    with subprocess.Popen([sys.executable, "-c", program], env=environment, text=True,
                          stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "begun\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert output == "ended\n"
    assert process.returncode == 0


def test_one_simulation_serves_one_call_at_a_time() -> None:
    ball = holon.Model("ball")
    ball.body("ball", mass=1, inertia=[1, 1, 1])
    inside: list[Exception] = []
    simulations: list[holon.Simulation] = []

    def push(time: float, ground: holon.BodyMotion, b: holon.BodyMotion) -> list[float]:
        if simulations and not inside:
            try:
                simulations[0].step(1.0)
            except RuntimeError as error:
                inside.append(error)
        return [1, 0, 0]

    ball.user_force("push", "ground", "ball", push)
    with ball.simulation() as s:
        simulations.append(s)
        s.step(0.1)
    assert "in use" in str(inside[0])


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=30))
def test_any_name_is_answered(name: str) -> None:
    with cart().simulation() as s:
        known = name in s.signals
        try:
            s[name]
            assert known
        except KeyError:
            assert not known
        except UnicodeEncodeError:
            assert not known  # half of a pair of surrogates is no text


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 6), st.sampled_from([np.float64, np.float32, np.int32]))
def test_shapes_and_types_of_buffers_are_checked(size: int, kind: type) -> None:
    with cart().simulation() as s:
        chosen = s.select(["x", "joint.rail.displacement_rate"])
        out: np.ndarray[Any, Any] = np.zeros(size, dtype=kind)
        if size == 2 and kind is np.float64:
            chosen.read(out)
        else:
            with pytest.raises(ValueError):
                chosen.read(out)
        with pytest.raises((ValueError, holon.Error)):
            s.set_state(0.0, np.zeros(size + 20), np.zeros(size))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["view", "step", "drop", "close", "save"]), max_size=12))
def test_any_order_of_calls_is_safe(calls: list[str]) -> None:
    s = cart().simulation()
    views = []
    closed = False
    for call in calls:
        try:
            if call == "view":
                views.append(s.q)
            elif call == "step":
                s.step(0.01)
            elif call == "drop" and views:
                views.pop()
            elif call == "close":
                s.close()
                closed = True
            elif call == "save":
                s.restore(s.save())
        except ValueError:
            assert closed
    del s
    gc.collect()
    assert all(np.isfinite(v).all() for v in views)


NAMED = """
bodies:
  a: {mass: 1, position: [1, 0, 0], inertia: [1, 1, 1]}
  b: {mass: 1, position: [2, 0, 0], inertia: [1, 1, 1]}
  c: {mass: 1, position: [3, 0, 0], inertia: [1, 1, 1]}
  d: {mass: 1, position: [4, 0, 0], inertia: [1, 1, 1]}
  top: {mass: 1, position: [5, 0, 0], inertia: [1, 1, 1]}
joints:
  pin: {type: revolute, bodies: [a, ground], at: [0, 0, 0], axis: y, initial: {angle: 0.3},
        offset: {angle: 2}}
  tube: {type: cylindrical, bodies: [%s], at: [1.5, 0, 0], axis: y,
         initial: {angle: 0.4, displacement: 0.2}}
  table: {type: planar, bodies: [%s], at: [2.5, 0, 0], axis: z, reference: x,
          initial: {angle: 0.7, x: 0.8, y: 0.9}}
  ball: {type: spherical, bodies: [c, d], at: [3.5, 0, 0]}
"""


@pytest.mark.parametrize("tube, table", [("a, b", "b, c"), ("b, a", "b, c")])
def test_coordinates_have_names(tube: str, table: str, tmp_path: Path) -> None:
    """The value by name is that of the joint, also where the joint is written the other way."""
    path = tmp_path / "named.yaml"
    path.write_text(NAMED % (tube, table))
    with holon.load(path).simulation(coordinates="relative") as s:
        names = s.dof_names
        assert len(names) == len(s.q) == len(set(names))
        assert {"pin", "ball.e0", "top.x", "top.e3"} <= set(names)
        for name, signal in {"pin": "pin.angle", "tube.angle": "tube.angle",
                             "tube.displacement": "tube.displacement", "table.x": "table.x",
                             "table.y": "table.y", "table.angle": "table.angle"}.items():
            assert s.q[name] == pytest.approx(s["joint." + signal], abs=1e-12)
        s.step(0.1)
        assert s.qd["pin"] == pytest.approx(s["joint.pin.angle_rate"], abs=1e-12)
        assert list(s.q[["top.x", "pin"]]) == [s.q[names.index("top.x")], s.q[names.index("pin")]]
        with pytest.raises(KeyError, match="did you mean 'pin'"):
            s.q["pinn"]
        with pytest.raises(KeyError, match="arrays made of them"):
            (2 * s.q)["pin"]  # type: ignore[call-overload]
    with holon.load(path).simulation(coordinates="cartesian") as s:
        assert s.q["top.x"] == 5 and s.dof_names[:7] == ["a." + c for c in
                                                         ("x", "y", "z", "e0", "e1", "e2", "e3")]
    with holon.load(path).simulation(coordinates="natural") as s:
        assert s.dof_names[0] == "q0"
