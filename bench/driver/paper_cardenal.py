"""J. Cardenal, J. Cuadrado and E. Bayo (1997): table 1, figures 2, 3, 5, 6 and 8 to 10, equation 10. Figures 1
and 7 are drawings, figure 4 is a flowchart."""

from table import number, value_of

TITLE = "J. Cardenal et al., A strategy to accelerate the numerical integration (1997)"


def find(rows, **wanted):
    for row in rows:
        if all(row.get(key) == value for key, value in wanted.items()):
            return row
    return {}


def table_1(tables):
    table = tables.get("cardenal-pendulum", [])
    for index in (1, 3):
        for step in ("0.01", "0.001", "0.0001", "1e-05", "1e-06"):
            wanted = dict(method=f"augmented-lagrangian-{index}", setting="step=" + step, penalty="own")
            own, ours = (find(table, projection=word, **wanted) for word in ("mass-orthogonal", "tangent"))
            paper, error = number(own, "paper_error_J"), number(own, "error")
            reason, near = "", [number(row, "error") for row in table if row.get("penalty") == "own"
                                and row.get("projection") == "mass-orthogonal" and number(row, "error")
                                and row["method"].endswith(str(index)) and
                                abs(value_of(row["setting"]) / float(step) - 1) < 0.03]
            if error and paper and not 1 / 1.5 <= error / paper <= 1.5:
                reason = f"chaotic: steps up to 2 % apart give {min(near):.2g} to {max(near):.2g}"
                if step in ("1e-05", "1e-06"):
                    reason = "rounding" if error > paper else "rounding is what the paper's figure has"
            yield (f"table 1: index {index}, {step} s: largest energy error, J", paper, error,
                   min((x for x in (error, number(ours, "error")) if x), default=None), reason)
    for step, paper in (("0.001", 2.95 / 1.49), ("0.0001", 24.94 / 14.70)):
        cpu = [number(find(table, projection="mass-orthogonal", penalty="own", setting="step=" + step,
                           method=f"augmented-lagrangian-{index}"), "cpu_s") for index in (1, 3)]
        ratio = cpu[0] / cpu[1] if all(cpu) else None
        yield f"table 1: {step} s: CPU of index 1 over index 3", paper, ratio, ratio, ""


def estimators(tables):
    table = tables.get("cardenal-estimators", [])
    energy = find(table, quantity="change of energy in a step, J (figure 2)")
    stored = find(table, quantity="energy in the penalties, J (equation 10)")
    local = find(table, quantity="local error of positions, m (figure 3)")
    yield ("figure 3: largest local error of positions at 1 ms, m", "plot", number(local, "error"),
           number(local, "error"), "step against two half steps, as the paper")
    yield ("figures 2 and 3: peaks of local error at peaks of energy change, share", '"simultaneous"',
           number(energy, "peaks_together"), number(energy, "peaks_together"),
           "largest tenth of errors within the largest fifth of changes")
    correlation = [number(row, "correlation_of_logarithms") for row in (energy, stored)]
    yield ("figures 2 and 3: correlation of energy change and local error", '"correlation"', correlation[0],
           correlation[0], "of logarithms, 10,000 steps")
    yield ("equation 10: correlation of energy in the penalties and local error", '"difficult to relate"',
           correlation[1], correlation[1], "")


def steps(tables):
    table = tables.get("cardenal-steps", [])
    pendulum, wheel = (find(table, machine=name) for name in ("double pendulum",
                                                              "front suspension of the Iltis"))
    yield ("figure 5: longest over shortest step, double pendulum", "plot",
           ratio(pendulum, "longest_s", "shortest_s"), None, "")
    yield ("figure 5: changes of index", '"occur"', number(pendulum, "changes_of_index") or
           ("0" if pendulum else None), None,
           "steps stay above 1e-4 s with the bounds of the suspension; no other bounds are given (with U = 1e-7 J the "
           "index changes)")
    yield ("figure 6: energy error of equal steps over that of multi-index", '"considerable accuracy"',
           number(pendulum, "ratio"), None, "as many steps")
    yield ("figure 8: mean step elsewhere over that on the bump, suspension", "plot",
           ratio(wheel, "mean_elsewhere_s", "mean_on_the_bump_s"), None, "")
    yield ("figures 9 and 10: largest deviation of energy, J", 0.002 * 425128, number(wheel, "error"), None,
           "the paper's integral of non-conservative forces, 0.2 % of 425,128 J; its own U asks for 2.65e-5 J a step")
    suspension = tables.get("cardenal-suspension", [])
    own = find(suspension, coordinates="natural", setting="bounds and projection of the paper")
    best = max((number(row, "ratio") or 0 for row in suspension if row["method"] == "multi-index"),
               default=None)
    yield ("suspension: index 1 at 0.5 ms over multi-index, CPU", 54.45 / 15.18, number(own, "ratio"), best, "")


def ratio(row, over, under):
    return number(row, over) / number(row, under) if number(row, over) and number(row, under) else None


def rows(tables):
    for part in (table_1, estimators, steps):
        yield from part(tables)
