"""Runs of the programs in bench/peers: which problem by which engine with which settings, in turn."""

import csv
import os
import subprocess

from table import HEAD, number

FURTHER = "asked spread end_error energy_drift gap simulated_s ok".split()

# Where a reference is kept with the tests: file, columns of the observed point.
KEPT = {
    "a01_0": ("a01_pendulum_10s_exact.csv", ["x", "y"]),
    "a02_2": ("a02_nfourbar_N2_10s_exact.csv", ["B0x", "B0y"]),
    "a02_40": ("a02_nfourbar_N40_20s_exact.csv", ["B0x", "B0y"]),
    "a03_0": ("a03_andrews_0.05s.csv", ["Fx", "Fy"]),
    "a04_0": ("a04_bricard_box_10s.csv", ["P3x", "P3y", "P3z"]),
    "a05_0": ("a05_flyball_10s.csv", [None, None, "s"]),
}
# Tolerance of CVODE for the others.
MADE = {"p1": "1e-13", "p2": "1e-12", "p3": "1e-12", "p4": "1e-11"}

QUANTITY = {
    "a01": "bob, m (exact: elliptic functions)",
    "a02": "tip of crank 0, m (exact: elliptic functions)",
    "a03": "point F in crank lengths, rad (energy integral by quadrature)",
    "a04": "point P3, m (null space integration at 1e-12)",
    "a05": "height of the slider, m (minimal coordinates at 1e-13)",
    "p1": "tip of crank 0, m (CVODE, scalar equation)",
    "p2": "crank angle, rad (CVODE, index 1)",
    "p3": "tip in the first second, m (CVODE, absolute angles)",
    "p4": "angle 1, rad (CVODE, absolute angles)",
}


def span(first, last):
    """1e-FIRST ... 1e-LAST"""
    return [f"1e-{k}" for k in range(first, last + 1)]


STEPS = ["1e-2", "5e-3", "2e-3", "1e-3", "5e-4"]
SMALL_STEPS = ["1e-4", "2e-5", "1e-5", "2e-6", "1e-6"]
CART, REL = "none/cartesian", "none/relative"

# Engine, its method, its settings. Holon: METHOD/FORMULA/INDEPENDENT/COORDINATES, or auto.
LADDER = [
    ("ida", "ggl", span(4, 9)),
    ("mujoco", "rk4-hard", STEPS),
    ("mujoco", "euler-hard", STEPS + ["1e-4"]),
    ("dart", "default", ["1e-2", "1e-3"]),
    ("ode", "step", ["1e-2", "1e-3"]),
    ("ode", "quick", ["1e-2", "1e-3"]),
    ("bullet", "mb", ["1e-2", "1e-3"]),
    ("simbody", "rkm", ["1e-2", "1e-4"]),
    ("holon", f"first-order/dopri5/{CART}", span(4, 8)),
    ("holon", f"first-order/adams/{CART}", span(4, 8)),
    ("holon", f"first-order/dopri5/{REL}", span(4, 10)),
    ("holon", f"first-order/adams/{REL}", span(4, 10)),
    ("holon", "auto", span(4, 10)),
]
FOUR_BARS = [run for run in LADDER if run[0] in ("ida", "mujoco", "holon")]
SQUEEZER = [
    ("ida", "ggl", span(4, 9)),
    ("ida", "ind2", span(4, 9)),
    ("mujoco", "rk4-hard", SMALL_STEPS),
    ("mujoco", "euler-hard", SMALL_STEPS),
    ("simbody", "rkm", span(2, 7)),
    ("simbody", "cpodes", span(2, 4)),
    ("dart", "default", span(4, 6)),
    ("ode", "step", span(4, 6)),
    ("holon", f"first-order/dopri5/{CART}", span(4, 8)),
    ("holon", f"first-order/adams/{CART}", span(4, 8)),
    ("holon", f"first-order/dopri5/{REL}", span(3, 8)),
    ("holon", f"first-order/adams/{REL}", span(3, 8)),
    ("holon", "auto", span(3, 8)),
]
CHAIN = [
    ("ida", "ggl", ["1e-4", "1e-6", "1e-8", "1e-10"]),
    ("mujoco", "rk4", ["1e-2"] + STEPS[1:]),
    ("mujoco", "euler", STEPS[1:]),
    ("bullet", "mbrk4", ["1e-2"] + STEPS[1:]),
    ("bullet", "mb", STEPS[1:]),
    ("simbody", "rkm", ["1e-3", "1e-5", "1e-7", "1e-9"]),
    ("dart", "default", ["5e-3", "1e-3", "2e-4"]),
    ("ode", "step", ["5e-3", "1e-3", "2e-4"]),
    ("holon", f"first-order/dopri5/{CART}", span(4, 8)),
    ("holon", f"first-order/dopri5/{REL}", span(2, 8)),
    ("holon", f"first-order/adams/{REL}", span(2, 8)),
    ("holon", "auto", span(2, 8)),
]
STIFF = [
    ("ida", "ggl", span(3, 8)),
    ("ida", "ind2", span(3, 8)),
    ("mujoco", "euler", ["1e-2", "1e-3", "1e-4"]),
    ("mujoco", "implicit", ["1e-2", "1e-3", "1e-4"]),
    ("mujoco", "rk4", ["1e-4"]),
    ("simbody", "cpodes", span(2, 7)),
    ("dart", "default", ["1e-3", "1e-4"]),
    ("ode", "step", ["1e-3", "1e-4"]),
    ("bullet", "mb", ["1e-3", "1e-4"]),
    ("holon", f"descriptor/sdirk4-16/{CART}", span(2, 8)),
    ("holon", f"descriptor/sdirk4-16/{REL}", span(2, 8)),
    ("holon", f"first-order/sdirk4-15/{REL}", span(2, 8)),
    ("holon", f"first-order/sdirk4-16/{REL}", span(2, 8)),
    ("holon", f"first-order/rosenbrock/{REL}", span(2, 8)),
    ("holon", "state-space/sdirk4-16/partition/relative", span(3, 5)),
    ("holon", "auto", span(2, 8)),
]
PENDULUM = [
    ("ida", "ggl", span(4, 9)),
    ("ida", "ind2", span(4, 9)),
    ("mujoco", "rk4", STEPS),
    ("mujoco", "euler", STEPS),
    ("bullet", "mbrk4", STEPS),
    ("simbody", "rkm", span(3, 8)),
    ("dart", "default", STEPS[:4]),
    ("holon", f"first-order/dopri5/{REL}", span(3, 9)),
    ("holon", f"first-order/adams/{REL}", span(3, 9)),
    ("holon", f"first-order/dopri5/{CART}", span(3, 9)),
    ("holon", "auto", span(3, 9)),
]
BRICARD = [
    ("ida", "ggl", span(3, 9)),
    ("mujoco", "rk4-hard", STEPS),
    ("mujoco", "euler-hard", STEPS),
    ("simbody", "rkm", span(2, 7)),
    ("ode", "step", STEPS[:4]),
    ("holon", f"first-order/dopri5/{REL}", span(3, 8)),
    ("holon", f"first-order/adams/{REL}", span(3, 8)),
    ("holon", f"first-order/dopri5/{CART}", span(3, 8)),
    ("holon", "auto", span(3, 8)),
]
GOVERNOR = [
    ("ida", "ggl", span(4, 9)),
    ("mujoco", "euler", ["1e-4", "5e-5", "2e-5"]),
    ("mujoco", "rk4", ["1e-4", "5e-5"]),
    ("simbody", "cpodes", span(2, 6)),
    ("ode", "step", ["1e-3", "1e-4"]),
    ("holon", f"first-order/sdirk4-16/{REL}", span(3, 8)),
    ("holon", f"first-order/sdirk4-15/{REL}", span(3, 8)),
    ("holon", f"first-order/rosenbrock/{REL}", span(3, 7)),
    ("holon", f"descriptor/sdirk4-16/{REL}", span(3, 8)),
    ("holon", f"descriptor/sdirk4-16/{CART}", span(3, 7)),
    ("holon", "auto", span(3, 8)),
]

# Problem, N, what runs; the first of a list is the one of a quick run.
IFTOMM = [("a01", 0, PENDULUM), ("a02", 2, FOUR_BARS), ("a02", 40, FOUR_BARS), ("a03", 0, SQUEEZER),
          ("a04", 0, BRICARD), ("a05", 0, GOVERNOR)]
PEERS = [("p1", 10, LADDER), ("p1", 40, LADDER), ("p1", 160, LADDER), ("p2", 0, SQUEEZER),
         ("p3", 10, CHAIN), ("p3", 50, CHAIN), ("p4", 2, STIFF)]
TITLES = {"a01": "A01, simple pendulum", "a02": "A02, four-bars in a row", "a03": "A03, squeezer",
          "a04": "A04, Bricard's mechanism", "a05": "A05, stiff governor",
          "p1": "p1, four-bars in a row", "p2": "p2, squeezer", "p3": "p3, falling chain",
          "p4": "p4, stiff double pendulum"}


class Engines:
    """The programs of bench/peers that were built, and their references."""

    def __init__(self, folder, project, is_quick):
        self.folder, self.project, self.is_quick = folder, project, is_quick
        self.references = os.path.join(folder, "ref")
        self.limit = 3 if is_quick else 10  # CPU seconds at which a run is stopped
        self.enough = 0.4 if is_quick else 1.5  # of a run, after which no finer setting is tried

    def has(self, name):
        return os.access(os.path.join(self.folder, "peer_" + name), os.X_OK)

    def call(self, arguments, timeout):
        environment = dict(os.environ, REFDIR=self.references, CPU_LIMIT=str(self.limit),
                           OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                           MODELS=os.path.join(self.project, "models"))
        program = os.path.join(self.folder, arguments[0])
        try:
            done = subprocess.run([program] + arguments[1:], env=environment, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout if done.returncode == 0 else ""

    def prepare_reference(self, problem, size):
        """Makes REF/PROBLEM_N.ref; False: there is no way to."""
        name = f"{problem}_{size}"
        path = os.path.join(self.references, name + ".ref")
        os.makedirs(self.references, exist_ok=True)
        if name in KEPT:
            source, columns = KEPT[name]
            with open(os.path.join(self.project, "tests/data", source), encoding="utf-8") as file, \
                    open(path, "w", encoding="utf-8") as out:
                for row in csv.DictReader(file):
                    values = [row[column] if column else "0" for column in columns]
                    out.write(" ".join([row["t"]] + values) + "\n")
            return True
        if os.path.exists(path) and os.path.getsize(path) > 0:
            return True
        if not os.access(os.path.join(self.folder, "ref_gen"), os.X_OK):
            return False
        text = self.call(["ref_gen", problem, str(size), MADE[problem]], 300)
        if not text:
            return False
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return True

    def one(self, section, problem, size, run, setting):
        engine, method, _ = run
        text = self.call(["peer_" + engine, problem, str(size), method, setting, "2"], 4 * self.limit)
        machine = problem + (f" N={size}" if size else "")
        if not text or not text.strip():
            return dict(section=section, machine=machine, program=engine, method=method,
                        setting=setting, ok="0", asked=method,
                        note="took too long" if text is None else "ended with an error")
        row = dict(zip(HEAD + FURTHER, next(csv.reader([text.strip().splitlines()[-1]]))))
        row.update(section=section, quantity=QUANTITY[problem])
        return row

    def problem(self, section, problem, size, runs, log):
        """All runs of a problem, two rounds in turn; the least CPU time of each counts."""
        if not self.prepare_reference(problem, size):
            log(f"skipped: {problem} (no reference: libsundials-dev is not installed)")
            return []
        runs = [run for run in runs if self.has(run[0])]
        rows, given_up = {}, set()
        for turn in range(1 if self.is_quick else 2):
            for run in runs:
                settings = run[2]
                if self.is_quick and len(settings) > 3:  # every second, and the last
                    settings = settings[(len(settings) + 1) % 2::2]
                for setting in settings:
                    key = (run[0], run[1], setting)
                    before = rows.get(key)
                    if before and (before["ok"] != "1" or (number(before, "cpu_s") or 0) > 0.5):
                        continue
                    if not before and (run[0], run[1]) in given_up:
                        continue
                    row = self.one(section, problem, size, run, setting)
                    if not before:
                        rows[key] = row
                        is_long = "CPU limit" in row["note"] or "too long" in row["note"]
                        if is_long or (number(row, "cpu_s") or 0) > self.enough:
                            given_up.add((run[0], run[1]))  # finer settings take longer still
                    elif row["ok"] == "1" and number(row, "cpu_s") < number(before, "cpu_s"):
                        rows[key] = row
        return list(rows.values())
