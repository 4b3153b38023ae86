"""D. Negrut (1998): tables 2 to 10 and 20 to 30, figures 4 to 6, 12, 13 and 17 to 25. Tables 1, 5, 11 to 19
and 31 are data, formulas and pseudo-code; figures 1 to 3, 7 to 11 and 14 to 16 are drawings."""

from table import number

TITLE = "D. Negrut, On the implicit integration of DAE of multibody dynamics (1998)"
CODES = ["SspTrap", "InflTrap", "InflSDIRK", "ForSDIRK", "ForRosen"]
TABLES = {"SspTrap": 25, "InflTrap": 27, "InflSDIRK": 26, "ForSDIRK": 28, "ForRosen": 29}
TOLERANCES = ["0.01", "0.001", "0.0001", "1e-05"]
# CPU seconds of 1 s at 1e-3 (figure 22) and of 1 s at each tolerance (figure 21)
THESIS_1S = {"SspTrap": (42, 54, 122, 312), "InflTrap": (42, 61, 158, 463),
             "InflSDIRK": (33, 52, 90, 170), "ForSDIRK": (10.1, 21, 33, 57),
             "ForRosen": (5.6, 13.2, 40.7, 172)}


def find(rows, **wanted):
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def value(rows, key, pick=min):
    found = [number(row, key) for row in rows if number(row, key) is not None]
    return pick(found) if found else None


def accelerations(tables):
    solvers, reduced = tables.get("accelerations-solvers", []), tables.get("accelerations-reduced", [])
    for machine, name, paper in (("seven-body", "seven bodies", 8.888 / 1.018),
                                 ("chain-50", "chain of 50", 1.2933 / 0.2313)):
        for program, word in (("dgetrf", "dense LAPACK"), ("klu", "KLU")):
            ratio = value(find(solvers, machine=machine, program=program), "ratio")
            ours = 1 / ratio if ratio else None
            yield (f"table 2: accelerations, {name}: whole matrix by {word} over topology",
                   paper if program == "klu" else None, ours, ours,
                   "the thesis' solver is the sparse ma28" if program == "klu" else "not in the thesis")
    for number_of, machine, name, paper in ((3, "seven-body", "seven bodies", 0.79 / 0.23),
                                            (4, "chain-50", "chain of 50", 53.87 / 0.98)):
        ratio = value(find(reduced, machine=machine, program="dgetrf"), "ratio")
        ours = 1 / ratio if ratio else None
        yield (f"table {number_of}: reduced matrix, {name}: dgetrf over topology", paper, ours, ours,
               "ours with the assembly of B, LAPACK without")
        rows = find(reduced, machine=machine, program="holon")
        own = value(rows, "work_as_numbered")
        paper = 0.71 / 0.23 if number_of == 3 else 54.47 / 0.98
        yield (f"figures 4 to 6: {name}, badly numbered over well numbered", paper, "no choice",
               "no choice", "the order is found by the program, whatever the numbers are"
               + (f"; elimination as numbered takes {own:.0f} multiply-adds" if own else ""))


JOINTS = tuple(f"| table {k}: " for k in (6, 7, 8, 9, 10))  # their lines in the page


def joints(tables):
    rows = tables.get("negrut-joints", [])
    gauss = value(find(rows, program="dgesv"), "multiplications")
    own = value(find(rows, method="tree"), "multiplications")
    yield ("table 6: multiplications, Gauss, HMMWV14 in joint coordinates (43 unknowns)", 27391, gauss,
           gauss, "n^3/3 + n^2 - n/3; the thesis counts its own routine")
    yield ("table 7: multiplications by the tree's topology (Alg-S)", 4258, own, own, "")
    dense = value(find(rows, method="Alg-D"), "multiplications")
    yield ("table 8: multiplications without topology (Alg-D)", 16410, dense, own,
           "step 3.4, a Cholesky factorization of 16, takes 680; the thesis counts 2280")
    best = value(find(rows, method="tree"), "ratio")
    for method, paper, item in (("Symmetric", 2336 / 2022, "Gauss over symmetric"),
                                ("tree", 2336 / 1201, "Gauss over Alg-S"),
                                ("Alg-D", 2336 / 1179, "Gauss over Alg-D")):
        ratio = value(find(rows, method=method), "ratio")
        reason = (f"dpotrf, dtrsm, dsyrk; Alg-S is {best / ratio:.2g} times as fast, in the thesis 0.98 times"
                  if method == "Alg-D" and best and ratio else "")
        yield f"table 9: CPU, {item}", paper, ratio, best if method == "Alg-D" else ratio, reason
    whole = value(find(rows, method="tree"), "cpu_s")
    factor = value(find(rows, method="tree, factors alone"), "cpu_s")
    share = factor / whole if whole and factor else None
    yield ("table 10: share of factorization in a solution by Alg-S", (300 + 246 + 276 + 159) / 1201,
           share, share, "steps 1, 3.1, 3.3 and 3.4 of algorithm 4")


def accuracy(tables):
    rows = tables.get("negrut-accuracy", [])
    for number_of, code, quantity in ((20, "ForSDIRK", "angle"), (21, "ForRosen", "angle"),
                                      (22, "ForSDIRK", "rate"), (23, "ForRosen", "rate")):
        for tolerance in TOLERANCES:
            these = [row for row in rows if row["setting"] == "tol=" + tolerance
                     and row["quantity"].startswith(quantity)]
            own = find(these, note=code)
            ratio, error = value(own, "ratio"), value(own, "error")
            best = value([row for row in these if row["note"].endswith(code)], "error")
            reason = ""
            if ratio and ratio > 1:
                reason = ("our estimate is filtered by (I - g G)^-1 (equation 5.6, which the thesis asks for "
                          "and its ForRosen lacks): larger steps, errors nearer to the tolerance")
            yield (f"table {number_of}: {code} at {tolerance}: largest error of the {quantity}",
                   error / ratio if ratio else None, error, best, reason)
    yield ("figures 12 and 13: angle and rate of body 1", "plots", "test", "test",
           "tests/integrate/test_stiff_pendulum.c: 12 times of a reference that the tables imply to 1.5e-6")


def why_not(rows, code):
    """Counts that explain a ratio below the thesis': what an explicit second costs in steps of the code."""
    explicit = find(rows, note="explicit", simulated_s="4")
    own = find(rows, note=code, simulated_s="4", setting="tol=0.001", threads="1")
    if not explicit or not own:
        return ""
    step = number(own[0], "cpu_s") / (number(own[0], "steps") + number(own[0], "rejected"))
    each = number(explicit[0], "cpu_s") / number(explicit[0], "evaluations")
    return (f"{number(own[0], 'steps'):.0f} steps; a step costs {step / each:.0f} explicit evaluations, of "
            f"which 4 s take {number(explicit[0], 'evaluations'):.0f}: docs/explanation/methods.md, section 10")


def timing(tables):
    rows = [row for row in tables.get("negrut-timing", []) if row.get("threads") == "1"]
    explicit = find(rows, note="explicit", simulated_s="4")
    steps = value(explicit, "steps")
    yield ("table 24, figure 18: steps of the explicit code over 4 s", "4e5 to 4e6", steps, steps,
           "DEABM (Adams) there, average step 1e-5 to 1e-6 s; dopri5 here, which is faster than `--formula adams`: "
           "held by stability at every tolerance")
    for code in CODES:
        for seconds in ("1", "2", "3", "4"):
            for tolerance in TOLERANCES:
                if seconds != "4" and tolerance != "0.001":
                    continue
                these = find(rows, simulated_s=seconds, setting="tol=" + tolerance)
                own = find(these, note=code)
                ratio, paper = value(own, "ratio"), value(own, "paper_ratio")
                best = value([row for row in these if row["note"].endswith(code)], "ratio", max)
                reason = why_not(rows, code) if ratio and paper and ratio < paper else ""
                yield (f"table {TABLES[code]}: {code}, {seconds} s at {tolerance}: times faster than explicit",
                       paper, ratio, best, reason)
    cpu = [value(find(rows, note="SspTrap", simulated_s="4", setting="tol=" + t), "cpu_s")
           for t in (TOLERANCES[0], TOLERANCES[-1])]
    growth = cpu[1] / cpu[0] if all(cpu) else None
    yield ("figure 20: SspTrap over 4 s, CPU at 1e-5 over 1e-2", 1095 / 98, growth, growth, "")
    parts = [value(find(rows, note="SspTrap", simulated_s=s, setting="tol=0.001"), "cpu_s")
             for s in ("2", "4")]
    share = parts[0] / parts[1] if all(parts) else None
    yield ("figure 19: SspTrap at 1e-3, CPU of the first 2 s over that of 4 s", 140 / 179, share, share, "")


def order_of(seconds_by_code):
    if any(seconds is None for seconds in seconds_by_code.values()):
        return None
    return " < ".join(sorted(seconds_by_code, key=seconds_by_code.get))


def ranking(tables):
    rows = [row for row in tables.get("negrut-timing", []) if row.get("threads") == "1"]
    for item, seconds, column in (("figure 21, 1 s at 1e-2", "1", 0), ("figures 21 and 22, 1 s at 1e-3", "1", 1),
                                  ("figure 21, 1 s at 1e-4", "1", 2), ("figure 21, 1 s at 1e-5", "1", 3)):
        paper = {code: THESIS_1S[code][column] for code in CODES}
        if not find(rows, note=CODES[0], simulated_s=seconds):
            seconds, item = "4", item + " (ours over 4 s)"  # a quick run
        ours = {code: value(find(rows, note=code, simulated_s=seconds,
                                 setting="tol=" + TOLERANCES[column]), "cpu_s") for code in CODES}
        best = {code: value(find(rows, coordinates="relative", simulated_s="4", note="ours, beside " + code,
                                 setting="tol=" + TOLERANCES[column]), "cpu_s") for code in CODES}
        yield (item + ": fastest first", order_of(paper), order_of(ours), order_of(best),
               "a Jacobian serves many steps of SspTrap and InflSDIRK here, and every stage of the first-order "
               "codes recovers positions and solves accelerations; best: relative coordinates, 4 s")


def history(tables):
    rows = tables.get("negrut-history", [])

    def steps(code, low, high):
        return [number(row, "step_s") for row in find(rows, note=code)
                if low <= number(row, "time_s") < high]

    heights = [number(row, "height_m") for row in find(rows, note="ForSDIRK")
               if 3.9 <= number(row, "time_s") <= 5]
    height = heights[-1] if heights else None
    yield "figure 17: height of the chassis after 4 s, m", 0.71, height, height, ""
    for code in ("ForSDIRK", "SspTrap"):
        bump, later = steps(code, 0.45, 1.6), steps(code, 2.5, 4)
        ratio = max(later) / min(bump) if bump and later else None
        yield (f"figure 23: {code}, largest step after the bump over the least on it", "plot", ratio, ratio,
               "the least step is one that ends where the road's shape begins, located")
    for code in ("ForRosen", "InflSDIRK"):
        most = max(steps(code, 0, 31), default=None)
        first = [number(row, "time_s") for row in find(rows, note=code) if number(row, "step_s") >= 1]
        yield (f"figure 24: {code}, largest step over 30 s, s", "1 (a limit)", most, most,
               f"1 s is reached at {first[0]:.1f} s" if first else
               "a wheel goes half of the way back to the obstacle at most")
    for code in ("SspTrap",):
        counts = [number(row, "iterations") for row in find(rows, note=code) if number(row, "time_s") <= 2]
        mean = sum(counts) / len(counts) if counts else None
        yield "figure 25: SspTrap, iterations a step in the first 2 s", "plot", mean, mean, ""


def jacobian(tables):
    rows = tables.get("negrut-jacobian", [])
    for seconds, paper in (("1", 104 / 21), ("2", 229 / 49), ("3", 269 / 58), ("4", 278 / 61)):
        ratio = value(find(rows, simulated_s=seconds), "ratio", max)
        yield (f"table 30: ForSDIRK, {seconds} s: Jacobian by differences over exact", paper, ratio, ratio,
               "a Jacobian serves many steps here" if ratio and ratio < paper else "")
    threads = tables.get("negrut-timing", [])
    one = value(find(threads, note="SspTrap", simulated_s="4", setting="tol=0.001", threads="1"), "cpu_s")
    yield ("Appendix A: columns of the Jacobian on threads", "not run", "same bits" if one else None,
           "same bits", "18 columns are too few to gain: bench threads")
    yield ("Appendix B: tangent plane", "not built", "rows `tangent-plane`" if one else None, "",
           "negrut-accuracy and negrut-timing have it for every code")


def rows(tables):
    for part in (accelerations, joints, accuracy, timing, ranking, history, jacobian):
        yield from part(tables)
