"""The contacts of bench/peers/contact.hpp by all engines: drift of what should rest, time and residual of a
step of spheres in a box, growth with their number. Engines that iterate are run with few and with many
iterations. Nothing is limited by the clock: a run ends by its CPU time, with what it has until then."""

import math
import os
import subprocess

import table

STEP = "2e-3"
# Scene, engine, its settings.
RUNS = [
    ("stack", "holon", ["auto", "step"]),
    ("stack", "mujoco", ["newton100", "newton100:20"]),
    ("stack", "bullet", ["50", "500"]),
    ("stack", "ode", ["50", "step"]),
    ("stack", "dart", ["dantzig"]),
    ("grip", "holon", ["auto", "step"]),
    ("grip", "mujoco", ["newton100", "newton100:20"]),
    ("grip", "bullet", ["50", "500"]),
    ("grip", "ode", ["50", "step"]),
    ("grip", "dart", ["dantzig"]),
    ("spheres", "holon", ["step", "step:1e-5", "step:1e-3", "step:1e-1", "step:1", "step:10"]),
    ("spheres", "siconos", ["nsgs:1e-9:10000"]),
    ("spheres", "mujoco", ["cg100", "cg1000"]),
    ("spheres", "bullet", ["10", "100", "1000"]),
    ("spheres", "ode", ["20", "200", "2000"]),
    ("spheres", "dart", ["pgs100"]),
]
# Moments at which steps of spheres are measured: the heap forms, it creeps, it rests. All engines begin with the
# same states there, made by Holon with this setting from an earlier moment on, take some steps to find their
# impulses, and are measured.
MOMENTS = {"0.36 s": (None, "0.36", "step"), "2 s": (None, "2", "step:1e-1"), "3 s": ("2 s", "1", "step:1e-3")}
WARM = {"FALLING": "0.01", "STEPS": "5"}
BUDGETS = ("100", "20")  # of CPU time, s: machines at rest, spheres
LAYERS = (6, 13, 30)  # of pyramids: 91, 819, 9455 spheres


def call(command, **variables):
    """Its rows and, where it fails, why."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", **variables)
    done = subprocess.run(command, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode == 0:
        return table.read(",".join(table.HEAD) + "\n" + done.stdout), ""
    return [], done.stderr.strip().split("\n")[-1] or "it failed"


def missing(scene, engine, setting, why):
    return dict(dict.fromkeys(table.HEAD, ""), section="contact", machine=scene, program=engine,
                setting=setting, note=why)


def make_states(folder, count):
    """Files with the states of all spheres at every moment."""
    program, files = os.path.join(folder, "contact_holon"), {}
    for moment, (before, falling, setting) in MOMENTS.items():
        files[moment] = os.path.join(folder, "states-" + moment.split()[0])
        begin = {"FROM": files[before]} if before else {}
        call([program, "spheres", setting, STEP, count], STEPS="0", FALLING=falling, SAVE=files[moment], **begin)
    return files


def growth(folder, layers):
    """Warm-started steps of pyramids at rest, and the exponent of their time over their number."""
    rows = []
    for n in layers:
        found, _ = call([os.path.join(folder, "contact_holon"), "pyramid", "step", STEP, str(n)],
                        FALLING="0.04", STEPS="20")
        rows += found
    if len(rows) == len(layers):
        sizes = [n * (n + 1) * (2 * n + 1) / 6 for n in (layers[0], layers[-1])]
        times = [float(rows[k]["cpu_s"]) for k in (0, -1)]
        exponent = math.log(times[1] / times[0]) / math.log(sizes[1] / sizes[0])
        rows.append(dict(missing("pyramid of spheres", "holon", "step", ""), error=f"{exponent:.3g}",
                         quantity="growth of a step at rest, exponent"))
    return rows


def run(all_engines, is_quick, log):
    """Rows of all engines that are built."""
    folder, count = all_engines.folder, "200" if is_quick else "1000"
    rows = growth(folder, LAYERS[:2] if is_quick else LAYERS)
    states = make_states(folder, count)
    for scene, engine, settings in RUNS:
        program = os.path.join(folder, "contact_" + engine)
        if not os.access(program, os.X_OK):
            log(f"skipped: contacts by {engine} (not installed)")
            continue
        for setting in settings:
            for moment in states if scene == "spheres" else ("",):
                more = dict(WARM, FROM=states[moment], MOMENT=moment) if moment else {}
                seconds = "5" if is_quick else BUDGETS[bool(moment)]
                found, why = call([program, scene, setting, STEP, count], BUDGET=seconds, **more)
                if why:
                    log(f"   {scene} by {engine} {setting}: {why}")
                rows += found or [missing(scene, engine, setting, why)]
    return rows
