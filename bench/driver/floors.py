"""What every run is measured by: ratios of this run, the least (or most) that is asked, and whether it
was reached. A floor without its table is left out."""

import math

import equal
import paper_negrut
from table import number


def row_of(rows, **wanted):
    for row in rows:
        if all(row.get(key) == value for key, value in wanted.items()):
            return row
    return None


class Floors:
    def __init__(self, tables):
        self.tables, self.list = tables, []

    def add(self, name, value, wanted, at_most=False, note=""):
        if value is None:
            return
        reached = value <= wanted if at_most else value >= wanted
        self.list.append(dict(name=name, value=value, wanted=wanted, at_most=at_most,
                              reached=reached, note=note))

    def rows(self, name):
        return self.tables.get(name, [])

    # ---- linear algebra -------------------------------------------------------------------------

    def accelerations(self):
        rows = self.rows("accelerations-solvers")
        for machine, program, wanted, word in (
                ("chain-50", "klu", 5, "KLU"), ("seven-body", "klu", 4, "KLU"),
                ("chain-50", "dgetrf", 100, "dense LAPACK"),
                ("seven-body", "dgetrf", 8.7, "dense LAPACK (thesis: 8.7)")):
            row = row_of(rows, machine=machine, program=program)
            if row and number(row, "ratio"):
                self.add(f"accelerations of {machine}: times faster than {word}",
                         1 / number(row, "ratio"), wanted)
        ratios = [number(row, "ratio") for row in self.rows("accelerations-kernels")
                  if row["program"] == "holon" and 6 <= float(row["setting"].split("=")[1]) <= 40]
        self.add("small dense matrices, n = 6 to 40: times faster than dpotrf, the least",
                 min(ratios, default=None), 2.5,
                 note="tiles are 4 x 4: n = 4 k + 2 takes as long as n + 2; n = 4 k is above 2.5")

        cost = {row["setting"]: number(row, "cpu_s") for row in self.rows("accelerations-growth")
                if row["machine"] == "chain"}
        if "N=1000" in cost and "N=100000" in cost:
            self.add("chain in Cartesian coordinates: a link of 100,000 over one of 1000",
                     cost["N=100000"] / (100 * cost["N=1000"]), 2, at_most=True)

    def trees(self):
        rows = self.rows("trees")
        for robot, wanted in (("arm7", 2.5), ("human30", 2.86), ("chain50", 2.5),
                              ("chain1000", 3.03)):
            own = [number(row, "cpu_s") for row in rows
                   if row["machine"] == robot and row["program"] == "holon"]
            others = [(number(row, "cpu_s"), row["program"]) for row in rows
                      if row["machine"] == robot and row["program"] != "holon"]
            if own and others:
                fastest = min(others)
                self.add(f"forward dynamics of {robot}: times faster than the fastest engine",
                         fastest[0] / min(own), wanted, note=fastest[1])
        row = row_of(rows, machine="chain", method="articulated")
        self.add("chain of 10 to 1000 links, relative coordinates: exponent of growth",
                 number(row, "error") if row else None, 1.02, at_most=True)
        rows = [row for row in self.rows("components") if row["quantity"].startswith("exponent")]
        self.add("components, 1000 to 10,000 bodies: exponent of growth",
                 number(rows[0], "error") if rows else None, 1.1, at_most=True)

        ratios = sorted((number(row, "ratio") for row in self.rows("threads") if row["ratio"]),
                        reverse=True)
        self.add("two threads on machines of more than 500 bodies: times faster, the third best",
                 ratios[2] if len(ratios) > 2 else None, 1.6)
        ratios = [number(row, "ratio") for row in self.rows("threads-shipped") if row["ratio"]]
        self.add("two threads on shipped machines: times faster, the least",
                 min(ratios, default=None), 0.95)

    def contact(self):
        rows = self.rows("contact")
        row = row_of(rows, machine="pyramid of spheres", quantity="growth of a step at rest, exponent")
        self.add("pyramids of 91 to 9455 spheres at rest: exponent of growth of a step",
                 number(row, "error") if row else None, 1.25, at_most=True)
        for moment in ("0.36 s", "2 s", "3 s"):
            there = [(number(row, "error"), number(row, "cpu_s"), row["program"]) for row in rows
                     if row["machine"] == "spheres in a box" and row["setting"].endswith(", " + moment)
                     and number(row, "error") is not None]
            if there:
                self.spheres(moment, [one for one in there if one[2] == "holon"],
                             [one for one in there if one[2] != "holon"])

    def spheres(self, moment, own, others):
        """At 1e-6, and where others stop before it: at their least residual."""
        first = min((cpu for error, cpu, _ in own if error <= 1e-6), default=None)
        exact = min(((cpu, name) for error, cpu, name in others if error <= 1e-6), default=None)
        if first and exact:
            self.add(f"1000 spheres, {moment}: times faster than others with a residual of 1e-6",
                     exact[0] / first, 3, note=exact[1])
        for name in sorted({name for _, _, name in others}):
            error, cpu, _ = min(one for one in others if one[2] == name)
            ours = min((one[1] for one in own if one[0] <= error), default=None)
            if error > 1e-6:
                self.add(f"1000 spheres, {moment}: our time over that of {name} at its least residual, {error:.2g}",
                         ours / cpu if ours else math.inf, 2, at_most=True)

    # ---- papers ---------------------------------------------------------------------------------

    def coordinates(self):
        cost = {(row["method"], row["formula"], row["setting"], row["coordinates"]):
                number(row, "cpu_s") for row in self.rows("negrut-coordinates")}
        ratios = [cost[key[:3] + ("cartesian",)] / seconds for key, seconds in cost.items()
                  if key[3] == "relative"]
        self.add("HMMWV14 in relative coordinates: times faster than in Cartesian ones, the least",
                 min(ratios, default=None), 3)

    def papers(self):
        """The papers' own methods (presets) first, then the best of ours."""
        rows = [row for row in self.rows("negrut-timing") if number(row, "paper_ratio")
                and row.get("threads") == "1" and row["simulated_s"] == "4"]
        for preset in paper_negrut.CODES:
            for word, own in (("", [row for row in rows if row["note"] == preset]),
                              (", the best of ours", [row for row in rows if row["note"].endswith(preset)])):
                shares = {}
                for row in own:
                    share = number(row, "ratio") / number(row, "paper_ratio")
                    shares[row["setting"]] = max(share, shares.get(row["setting"], 0))
                self.add(f"{preset} on the HMMWV14 at 1e-3{word}: times faster than explicit over the thesis' "
                         "ratio", shares.get("tol=0.001"), 1)
        rows = [row for row in self.rows("negrut-accuracy") if number(row, "ratio")]
        for preset in ("ForSDIRK", "ForRosen"):
            own = [number(row, "ratio") for row in rows if row["note"] == preset]
            self.add(f"{preset} on the stiff double pendulum: error over the thesis' error, the most",
                     max(own, default=None), 1, at_most=True)
        row = row_of(self.rows("dopico"), note="HYB+TR", setting="step=0.01")
        self.add("Iltis, HYB+TR at 10 ms: times faster than real time",
                 number(row, "realtime_factor") if row else None, 600)
        if row:
            self.add("Iltis, HYB+TR: largest stable step over the paper's 35 ms",
                     number(row, "largest_stable_s") / 0.035, 1)
        row = row_of(self.rows("cardenal-suspension"), coordinates="natural",
                     setting="bounds and projection of the paper")
        self.add("suspension, multi-index: times faster than index 1 at 0.5 ms (paper: 3.59)",
                 number(row, "ratio") if row else None, 3.59)
        shares = [number(row, "ratio") for row in self.rows("cardenal-pendulum")
                  if number(row, "ratio") and row.get("penalty") == "own"
                  and row.get("projection") == "mass-orthogonal"]
        self.add("double pendulum at fixed steps: error over the paper's error, the most",
                 max(shares, default=None), 1.5, at_most=True)

    # ---- error bars -----------------------------------------------------------------------------

    def accuracy(self):
        for word, name, most, middle in (("tol", "error control", 3, 2.4),
                                         ("step", "fixed steps", 3.3, 3.3)):
            # below a millisecond the clock is all that is measured
            ratios = sorted(number(row, "ratio") for row in self.rows("accuracy")
                            if row["setting"].startswith(word) and number(row, "cpu_s") > 1e-3)
            if ratios:
                self.add(f"error bars, {name}: CPU time of both runs over that of the run, the most",
                         ratios[-1], most, at_most=True)
                self.add(f"error bars, {name}: the same, the median", ratios[len(ratios) // 2],
                         middle, at_most=True)

    # ---- other engines --------------------------------------------------------------------------

    def engines(self):
        shares = [number(row, "ratio") for section in ("iftomm-equal", "peers-equal")
                  for row in self.rows(section) if row["program"] == "holon auto"]
        self.add("auto at equal error: CPU time over that of the best combination, the most",
                 max((share for share in shares if share), default=None), 2, at_most=True)
        for section in ("iftomm-equal", "peers-equal"):
            for found in equal.verdicts(self.rows(section)):
                if found["ratio"] is None:
                    continue
                self.add(f"{found['machine']} at error {found['level']}: times faster than the "
                         "fastest engine", found["ratio"], 3,
                         note=f"{found['peer']}; Holon: {found['way']}")

    def all(self):
        self.accelerations()
        self.trees()
        self.contact()
        self.coordinates()
        self.papers()
        self.accuracy()
        self.engines()
        return self.list
