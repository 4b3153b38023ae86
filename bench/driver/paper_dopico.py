"""D. Dopico et al. (2004): table 2 and what the text claims. Table 1 is coefficients, figures 1 and 2 are
drawings."""

from table import number

TITLE = ("D. Dopico et al., On the aptitude of IRK integrators for the real-time dynamics of multibody systems "
         "(2004)")
METHODS = ["GLB+SDIRK", "GLB+TR", "TPL+SDIRK", "TPL+TR", "HYB+SDIRK", "HYB+TR"]
# Table 2: CPU s at 1 ms and 10 ms (None: not stable), largest step in ms, iterations at 1 and 10 ms.
TABLE_2 = {"GLB+SDIRK": (None, None, 0.1, None, None), "GLB+TR": (133.48, 5.39, 17.5, 57832, 1909),
           "TPL+SDIRK": (15.54, 4.39, 10, 15492, 4748), "TPL+TR": (4.11, 0.92, 25, 8796, 1876),
           "HYB+SDIRK": (16.35, None, 7.5, 11538, None), "HYB+TR": (5.75, 1.02, 35, 9238, 1839)}
# Ours beside a method of the paper.
BESIDE = {"GLB+SDIRK": "GLB+SDIRK, tangent", "HYB+SDIRK": "HYB+SDIRK, tangent",
          "TPL+SDIRK": "projected SDIRK"}
REASONS = {
    "TPL+TR": "independent coordinates are recovered by Newton's method to 1e-12 m at every iteration",
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
    yield ("table 2: HYB+TR at 10 ms: times faster than real time", 8 / 1.02, number(row, "realtime_factor"),
           number(row, "realtime_factor"), "another computer")


def projections(table):
    """"Essential for TR, not for SDIRK": errors at 1 ms, and how far runs without projections are stable."""
    for name in ("GLB+TR", "HYB+TR", "GLB+SDIRK", "HYB+SDIRK"):
        own, left = find(table, name, "0.001"), find(table, name + " without projections", "0.001")
        largest, whole = number(left, "largest_stable_s"), number(own, "largest_stable_s")
        found = None
        if own:
            found = f"stable to {1000 * largest:g} ms, {1000 * whole:g} with" if largest and whole else \
                "not stable"
        yield (f"chapter 8: {name} without projections",
               "not stable" if name.endswith("TR") else "almost the same", found, None,
               f"error at 1 ms {1000 * number(left, 'error'):.2g} mm, {1000 * number(own, 'error'):.2g} with"
               if number(left, "error") and number(own, "error") else "")


def rows(tables):
    table = tables.get("dopico", [])
    yield from table_2(table)
    yield from projections(table)


# ---- the table of bench/dopico.md ------------------------------------------------------------------

TABLE_HEAD = "| | 1 ms: CPU s (iterations) | times HYB+TR, paper | error, mm |"


def cells(table, name, k, step):
    row, base = find(table, name, step), find(table, "HYB+TR", step)
    if not number(row, "cpu_s"):
        return ["not stable", " ", " "]
    times = f"{number(row, 'cpu_s') / number(base, 'cpu_s'):.2f}"
    if name in TABLE_2:
        theirs = TABLE_2[name][k]
        times += f", {theirs / TABLE_2['HYB+TR'][k]:.2f}" if theirs else ", not stable"
    return [f"{number(row, 'cpu_s'):.3f} ({number(row, 'iterations'):.0f})", times,
            f"{1000 * number(row, 'error'):.1f}"]


def document(table, text, facts):
    """bench/dopico.md with its table made anew, and when and where that was."""
    lines = text.split("\n")
    first = next(k for k, line in enumerate(lines) if line.startswith(TABLE_HEAD))
    last = next(k for k in range(first, len(lines)) if not lines[k].startswith("|"))
    made = [lines[first], lines[first + 1]]
    for name in dict.fromkeys(row["note"].split(", not stable")[0] for row in table):
        rows = [row for row in table if row["note"] == name]
        largest = max((number(row, "largest_stable_s") or 0 for row in rows), default=0)
        speed = [number(row, "realtime_factor") for row in rows
                 if abs(float(row["setting"].split("=")[1]) - largest) < 1e-9]
        reached = f"{1000 * largest:g}" if largest else "none"
        if name in TABLE_2:
            reached += f", {TABLE_2[name][2]:g}"
        made.append("| " + " | ".join([name] + cells(table, name, 0, "0.001") + cells(table, name, 1, "0.01")
                                      + [reached, f"{speed[0]:.0f}" if speed and speed[0] else " "]) + " |")
    note = "Made by `scripts/bench --papers`: " + "; ".join(facts.strip().split("\n")) + "."
    while lines[last + 1:last + 2] and lines[last + 1].startswith("Made by `scripts/bench --papers`"):
        del lines[last:last + 2]
    return "\n".join(lines[:first] + made + ["", note] + lines[last:])
