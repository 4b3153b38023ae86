"""Loading, making, errors, analyses."""

from __future__ import annotations

import json
import keyword
import math
from pathlib import Path

import numpy as np
import pytest

import holon


def test_a_file_is_loaded_with_parameters(models: Path) -> None:
    car = holon.load(models / "iltis/iltis.yaml")
    assert car.name == "iltis"
    assert "chassis.z" in car.outputs
    assert len(car.bodies) == car.check().bodies
    chain = models / "four-bar.yaml"
    assert holon.load(chain).hash == holon.load(chain).hash


def test_overlays_change_a_model(models: Path, tmp_path: Path) -> None:
    over = tmp_path / "over.yaml"
    over.write_text("bodies: {more: {mass: 2}}\n")
    model = holon.load(models / "examples" / "pendulum.yaml", overlays=[over])
    assert "more" in list(model.bodies)


def test_a_model_goes_out_for_other_programs(models: Path, tmp_path: Path) -> None:
    model = holon.load(models / "four-bar.yaml")
    report = model.export(tmp_path / "out.xml")
    assert [what for what, _, _ in report["lost"]] == ["driver 'motor'"]
    assert '<body name="crank"' in (tmp_path / "out.xml").read_text()
    with pytest.raises(ValueError, match="is lost"):
        model.export(tmp_path / "out.urdf", strict=True)
    assert not (tmp_path / "out.urdf").exists()


def test_errors_tell_element_file_line_and_hint(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("bodies:\n  rod: {mas: 1}\n")
    with pytest.raises(holon.ModelError) as caught:
        holon.load(path)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), 2, 9)
    assert "rod" in error.element
    assert "mass" in error.hint
    assert error.message in str(error) and "wrong.yaml:2:9" in str(error)
    with pytest.raises(holon.FileError):
        holon.load(tmp_path / "none.yaml")


def test_entries_are_limited(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    path.write_text('bodies: {"b{i}": {repeat: {i: [1, 5]}, mass: 1, inertia: [1, 1, 1]}}\n')
    assert holon.load(path, max_entries=5).name == "many"
    with pytest.raises(holon.Error, match=r"5 entries \(limit 4\)\s.*max_entries"):
        _ = holon.load(path, max_entries=4).name


def test_unknown_parameters_are_refused(models: Path) -> None:
    with pytest.raises(holon.ArgumentError, match="no parameter 'stifness'"):
        holon.load(models / "iltis/iltis.yaml", stifness=2)


def test_a_model_made_in_code_is_the_one_of_the_file(models: Path) -> None:
    data = json.loads((models / "examples/pendulum.json").read_text())
    m = holon.Model(data.get("name", "pendulum"))
    for key, value in data.items():
        m.tree[key] = value
    assert m.hash == holon.load(models / "examples/pendulum.json").hash


def test_elements_are_checked_with_their_units(pendulum: holon.Model) -> None:
    pendulum.body("bob", mass="2 m")
    with pytest.raises(holon.ModelError, match="bob"):
        pendulum.check()
    with pytest.raises(TypeError):
        pendulum.body("other", mas=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="already"):
        pendulum.body("rod", mass=1)


def test_every_element_of_the_schema_has_a_method() -> None:
    definitions = holon.schema()["definitions"]
    for kind, prefix in (("joint", ""), ("force", ""), ("road", "road_")):
        for variant in definitions[f"section-{kind}"]["oneOf"]:
            name = variant["properties"]["type"]["allOf"][0]["const"]
            method = getattr(holon.Model, prefix + name.replace("-", "_"))
            for key in variant["properties"]:
                if key != "type":
                    assert (key + "_" if keyword.iskeyword(key) else key) in method.__annotations__


def test_numpy_values_are_taken(pendulum: holon.Model) -> None:
    pendulum.body("bob", mass=np.float64(2), inertia=np.array([1, 1, 1]), position=np.zeros(3))
    pendulum.fixed("weld", bodies=("rod", "bob"), at=np.array([1.0, 0, 0]))
    assert pendulum.check().degrees_of_freedom == 1


def test_parameters_are_changed(pendulum: holon.Model) -> None:
    longer = pendulum.with_parameters(length=4.0)
    # a physical pendulum, small swings: omega^2 = m g l/2 / (m l^2/3) = 3 g / (2 l)
    rest = longer.statics()
    assert rest["joint.pin.angle"] == pytest.approx(math.pi / 2, abs=1e-9)
    assert longer.hash != pendulum.hash


def test_check_counts_like_gruebler(models: Path) -> None:
    check = holon.load(models / "four-bar.yaml").check()
    assert check.degrees_of_freedom == 6 * check.bodies - check.rank
    assert check.loops == 1
    assert check.redundant  # a planar loop in space: rows that could be left out


def test_kinematics_solves_driven_machines(models: Path) -> None:
    crank = holon.Model("crank")
    crank.body("wheel", mass=1, inertia=[1, 1, 1])
    crank.revolute("pin", bodies=["ground", "wheel"], at=[0, 0, 0], axis="z")
    crank.driver("motor", joint="pin", motion="2*t")
    r = crank.kinematics(1.0, output_step=0.1)
    np.testing.assert_allclose(r["joint.pin.angle"], 2 * r.time, atol=1e-12)


def test_formulations_agree(pendulum: holon.Model) -> None:
    report = pendulum.verify(time=1.0, budget=20)
    assert report and report.verdict == "agree"
    assert len(report.trials) >= 2 and report.wrong_derivatives == 0
    runs = pendulum.compare({"a": {"coordinates": "cartesian"}, "b": {"coordinates": "relative"},
                             "c": {"coordinates": "none such"}}, 1.0, tol=1e-8)
    assert runs.differences()["b"]["angle"] < 1e-6
    assert set(runs.failures) == {"c"}


def test_a_model_is_written_for_other_tools(pendulum: holon.Model, tmp_path: Path) -> None:
    assert holon.load(pendulum.save(tmp_path / "p.json")).hash == pendulum.hash


def test_made_files_are_up_to_date() -> None:
    import subprocess
    import sys
    script = Path(__file__).resolve().parents[2] / "scripts/make-python"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0


def test_machines_of_other_formats_have_a_report(models: Path, tmp_path: Path) -> None:
    path = models.parent / "tests/data/import/arm.urdf"
    try:
        got = holon.read_machine(path)
    except holon.Error as error:
        if "built without" in str(error) or "needs" in str(error):
            pytest.skip("this build reads no XML")
        raise
    assert got.format == "urdf" and got.bodies > 1 and got.mass > 0
    assert got.tags == got.used + len(got.harmless) + len(got.approximated) + len(got.lost)
    saved = holon.load(got.save(tmp_path / "arm.json"))
    assert saved.bodies == got.model().bodies
    if got.lost:
        assert got.lost[0].line > 0
        with pytest.raises(ValueError, match="is lost"):
            holon.read_machine(path, strict=True)
