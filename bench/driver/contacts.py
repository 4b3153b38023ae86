"""The contacts of bench/peers/contact.hpp by other engines: drift of what should rest, and time and
residual of a step of spheres in a box. Engines that iterate are run with few and with many iterations."""

import os

import table

STEP = "2e-3"
# Scene, engine, its settings.
RUNS = [
    ("stack", "mujoco", ["newton100"]),
    ("stack", "bullet", ["50"]),
    ("stack", "ode", ["50"]),
    ("stack", "dart", ["dantzig"]),
    ("grip", "mujoco", ["newton100"]),
    ("grip", "bullet", ["50"]),
    ("grip", "ode", ["50"]),
    ("grip", "dart", ["dantzig"]),
    ("spheres", "mujoco", ["cg100", "newton100"]),
    ("spheres", "bullet", ["10", "100", "1000"]),
    ("spheres", "ode", ["20", "200", "2000"]),
    ("spheres", "dart", ["pgs100"]),
    ("spheres", "siconos", ["nsgs:1e-7:10000"]),
]


def run(all_engines, is_quick, log):
    """Rows of all engines that are built. Scenes that take longer than a limit are left out, by name."""
    rows, limit, count = [], 60 if is_quick else 600, "200" if is_quick else "1000"
    for scene, engine, settings in RUNS:
        program = "contact_" + engine
        if not os.access(os.path.join(all_engines.folder, program), os.X_OK):
            log(f"skipped: contacts by {engine} (not installed)")
            continue
        for setting in settings:
            text = all_engines.call([program, scene, setting, STEP, count], limit)
            if text:
                rows += table.read(",".join(table.HEAD) + "\n" + text)
            else:
                log(f"   {scene} by {engine} {setting}: " +
                    ("not done after %d s" % limit if text is None else "it failed"))
    return rows
