"""D. Dopico et al. (2004): table 2 and what the text claims. Table 1 is coefficients, figures 1 and 2 are
drawings."""

from table import number

TITLE = "D. Dopico et al., IRK vs. structural integrators for real-time applications in MBS (2004)"
METHODS = ["GLB+SDIRK", "GLB+TR", "TPL+SDIRK", "TPL+TR", "HYB+SDIRK", "HYB+TR"]
# Table 2: CPU s at 1 ms and 10 ms (None: not stable), largest step in ms, iterations at 1 and 10 ms.
TABLE_2 = {"GLB+SDIRK": (None, None, 0.1, None, None), "GLB+TR": (133.48, 5.39, 17.5, 57832, 1909),
           "TPL+SDIRK": (15.54, 4.39, 10, 15492, 4748), "TPL+TR": (4.11, 0.92, 25, 8796, 1876),
           "HYB+SDIRK": (16.35, None, 7.5, 11538, None), "HYB+TR": (5.75, 1.02, 35, 9238, 1839)}
# Ours beside a method of the paper.
BESIDE = {"GLB+SDIRK": "GLB+SDIRK, tangent", "HYB+SDIRK": "HYB+SDIRK, tangent",
          "TPL+SDIRK": "projected SDIRK"}
REASONS = {
    "TPL+TR": "independent coordinates are recovered by Newton's method to 1e-12 m at every iteration; the "
              "paper has a formula for each suspension",
    "TPL+SDIRK": "the same at each stage",
    "GLB+TR": "sparse, and the matrix is kept over steps while it serves",
}


def find(table, name, step):
    for row in table:
        if row["note"] == name and row["setting"] == "step=" + step:
            return row
    return {}


def table_2(table):
    for name in METHODS:
        paper = TABLE_2[name]
        for k, step in enumerate(("0.001", "0.01")):
            row, base = find(table, name, step), find(table, "HYB+TR", step)
            best = find(table, BESIDE.get(name, name), step)
            theirs = paper[k] / TABLE_2["HYB+TR"][k] if paper[k] else "not stable"
            cost = [number(one, "cpu_s") / number(base, "cpu_s") if number(one, "cpu_s") and
                    number(base, "cpu_s") else None for one in (row, best)]
            yield (f"table 2: {name} at {step} s: CPU over HYB+TR's", theirs, cost[0],
                   min((c for c in cost if c), default=None), REASONS.get(name, ""))
            if paper[3 + k]:
                yield (f"table 2: {name} at {step} s: iterations", paper[3 + k], number(row, "iterations"),
                       number(best, "iterations"), "")
        largest = [max((number(row, "largest_stable_s") or 0 for row in table if row["note"] == one),
                       default=None) for one in (name, BESIDE.get(name, name))]
        largest = [1000 * one if one else None for one in largest]
        yield (f"table 2: {name}: largest stable step, ms", paper[2], largest[0],
               max((one for one in largest if one), default=None), "")
    row = find(table, "HYB+TR", "0.01")
    yield ("table 2: HYB+TR at 10 ms: times faster than real time", 14.035, number(row, "realtime_factor"),
           number(row, "realtime_factor"), "another computer")


def projections(table):
    """"Essential for TR, not for SDIRK": which runs without projections are stable at 1 ms."""
    for name in ("GLB+TR", "HYB+TR", "GLB+SDIRK", "HYB+SDIRK"):
        own = find(table, name, "0.001")
        without = [row for row in table if row["note"].startswith(name + " without projections")
                   and row["setting"] == "step=0.001"]
        if not without:
            found = None
        elif "not stable" in without[0]["note"]:
            found = "not stable"
        else:
            error, whole = number(without[0], "error"), number(own, "error")
            found = f"stable, error {1000 * error:.2g} mm ({1000 * whole:.2g} with)" if error and whole \
                else "stable"
        yield (f"chapter 8: {name} at 1 ms without projections",
               "not stable" if name.endswith("TR") else "almost the same", found, None, "")


def rows(tables):
    table = tables.get("dopico", [])
    yield from table_2(table)
    yield from projections(table)
