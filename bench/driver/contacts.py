"""The contacts of bench/peers/contact.hpp by other engines: drift of what should rest, and time and
residual of a step of spheres in a box. Engines that iterate are run with few and with many iterations."""

import os
import subprocess

import table

STEP = "2e-3"
# Scene, engine, its settings.
RUNS = [
    ("stack", "holon", ["auto", "step"]),
    ("stack", "mujoco", ["newton100"]),
    ("stack", "bullet", ["50"]),
    ("stack", "ode", ["50"]),
    ("stack", "dart", ["dantzig"]),
    ("grip", "holon", ["auto", "step"]),
    ("grip", "mujoco", ["newton100"]),
    ("grip", "bullet", ["50"]),
    ("grip", "ode", ["50"]),
    ("grip", "dart", ["dantzig"]),
    ("spheres", "holon", ["step", "step:1", "step:1e-1", "step:1e-3"]),
    ("spheres", "siconos", ["nsgs:1e-7:10000", "nsgs:1e-9:10000"]),
    ("spheres", "mujoco", ["cg100", "newton100"]),
    ("spheres", "bullet", ["10", "100", "1000"]),
    ("spheres", "ode", ["20", "200", "2000"]),
    ("spheres", "dart", ["pgs100"]),
]
# Moments at which steps of spheres are measured, s: the heap forms, it rests.
FALLING = ("0.36", "2")


def surroundings(folder, scene, engine, setting, falling):
    """Siconos, whose numerics have no machines, begins with the states of Holon."""
    out = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", FALLING=falling)
    states = os.path.join(folder, "states-" + falling)
    if scene == "spheres" and engine == "holon" and setting == "step":
        out["SAVE"] = states
    if scene == "spheres" and engine == "siconos":
        out.update(FROM=states, STEPS="5")
    return out


def call(command, limit, environment):
    """What it prints; None: not done in time, empty: it failed."""
    try:
        done = subprocess.run(command, env=environment, timeout=limit, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else ""


def run(all_engines, is_quick, log):
    """Rows of all engines that are built. Scenes that take longer than a limit are left out, by name."""
    rows, limit, count = [], 60 if is_quick else 600, "200" if is_quick else "1000"
    for scene, engine, settings in RUNS:
        program = os.path.join(all_engines.folder, "contact_" + engine)
        if not os.access(program, os.X_OK):
            log(f"skipped: contacts by {engine} (not installed)")
            continue
        for setting in settings:
            for falling in FALLING if scene == "spheres" else ("0",):
                text = call([program, scene, setting, STEP, count], limit,
                            surroundings(all_engines.folder, scene, engine, setting, falling))
                if text:
                    rows += table.read(",".join(table.HEAD) + "\n" + text)
                else:
                    why = f"not done after {limit} s" if text is None else "it failed"
                    log(f"   {scene} by {engine} {setting}: {why}")
                    rows.append(dict(dict.fromkeys(table.HEAD, ""), section="contact", machine=scene,
                                     program=engine, setting=setting, note=why))
    return rows
