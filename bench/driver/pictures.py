"""Which drawings there are, from the rows of this run."""

import engines
import svg
from table import number, value_of

# The same color for an engine everywhere.
ORDER = ["holon", "holon auto", "sundials-ida", "mujoco", "bullet", "simbody", "dart", "ode"]
NAMES = {"holon": "Holon, best", "holon auto": "Holon, auto", "sundials-ida": "SUNDIALS IDA",
         "mujoco": "MuJoCo", "bullet": "Bullet", "simbody": "Simbody", "dart": "DART", "ode": "ODE"}


def colour_of(program):
    for k, name in enumerate(ORDER[2:], 2):
        if program.startswith(name):
            return k
    return ORDER.index(program) if program in ORDER else len(ORDER) - 1


def front(points):
    """Points no other point is better than in both, from rough to fine."""
    out, least = [], None
    for point in sorted(points):
        if least is None or point[1] < least:
            out.append(point)
            least = point[1]
    return out[::-1]


def usable(rows):
    """(error, CPU seconds) of runs that came to their end and not to another branch."""
    return [(max(number(row, "error"), 1e-14), number(row, "cpu_s")) for row in rows
            if row.get("ok") == "1" and number(row, "error") and number(row, "error") < 1
            and number(row, "cpu_s")]


def precision(machine, rows, foot):
    """Work against precision of one problem: each engine's front, its other runs faint."""
    own = [row for row in rows if row["machine"] == machine]
    groups = {"holon": [row for row in own if row["program"] == "holon"],
              "holon auto": [row for row in own if row.get("asked") == "auto"]}
    for row in own:
        if row["program"] != "holon":
            groups.setdefault(row["program"], []).append(row)
    series = []
    for program in sorted(groups, key=colour_of):
        points = usable(groups[program])
        line = front(points)
        if not line:
            continue
        name = NAMES[ORDER[colour_of(program)]]
        series.append(dict(name=name, line=line, colour=colour_of(program),
                           dots=[] if program == "holon auto" else
                           [point for point in points if point not in line],
                           wide=program == "holon"))
    problem = machine.split()[0]
    title = engines.TITLES[problem] + (", " + machine.split()[1] if " " in machine else "")
    quantity = own[0].get("quantity", "") if own else ""
    return svg.draw(title, "largest error: " + quantity, "CPU time, s", series, foot)


def growth(rows, foot):
    series = []
    for k, machine in enumerate(dict.fromkeys(row["machine"] for row in rows)):
        points = [(number(row, "bodies"), number(row, "us_per_body")) for row in rows
                  if row["machine"] == machine and number(row, "us_per_body")]
        series.append(dict(name=machine, line=points, colour=k))
    return svg.draw("Cost against size", "bodies", "us a body and evaluation", series, foot)


def trees(rows, foot):
    """One call of forward dynamics of chains."""
    series = []
    groups = {}
    for row in rows:
        if row["machine"].startswith("chain") and number(row, "cpu_s"):
            groups.setdefault(row["program"], {}).setdefault(value_of(row["setting"]), []).append(
                1e6 * number(row, "cpu_s"))
    for program in sorted(groups, key=colour_of):
        line = sorted((speeds, min(times)) for speeds, times in groups[program].items())
        series.append(dict(name=NAMES[ORDER[colour_of(program)]].replace(", best", ""), line=line,
                           colour=colour_of(program), wide=program == "holon"))
    return svg.draw("Forward dynamics of a chain", "joints", "CPU time of a call, us", series, foot)


def all_of(tables, foot):
    """Name and drawing of everything that can be drawn from the tables that are there."""
    out = {}
    for section in ("iftomm", "peers"):
        rows = tables.get(section, [])
        for machine in dict.fromkeys(row["machine"] for row in rows):
            name = machine.replace(" N=", "-")
            out[name] = precision(machine, rows, foot)
    if tables.get("growth"):
        out["growth"] = growth(tables["growth"], foot)
    if tables.get("trees"):
        out["trees"] = trees(tables["trees"], foot)
    return {name: text for name, text in out.items() if text}
