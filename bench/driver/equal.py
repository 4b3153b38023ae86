"""CPU time at equal error: every engine's best, interpolated between its runs, and the ratio to ours."""

import math

from table import number, value_of, way

LEVELS = {"iftomm": [1e-3, 1e-6], "peers": [2e-3, 1e-4, 1e-6]}


def points(rows, program):
    """Lists of (error, CPU seconds, row) by method, from rough to fine."""
    lines = {}
    for row in rows:
        error, cpu = number(row, "error"), number(row, "cpu_s")
        if row["program"] != program or row.get("ok") != "1" or not error or not cpu:
            continue
        lines.setdefault(row.get("asked") or row["method"], []).append((error, cpu, row))
    for line in lines.values():
        line.sort(key=lambda point: -value_of(point[2]["setting"]))
    return lines


def time_at(line, level):
    """Least CPU seconds at which a method comes to an error of at most `level`, with the row it comes
    from: a run that is as good, or the crossing of log error and log time between two runs."""
    best = None
    for error, cpu, row in line:
        if error <= level and (best is None or cpu < best[0]):
            best = (cpu, row)
    for (e0, t0, _), (e1, t1, row) in zip(line, line[1:]):
        if e0 > level >= e1:
            share = math.log(e0 / level) / math.log(e0 / e1)
            cpu = math.exp(math.log(t0) + share * math.log(t1 / t0))
            if best is None or cpu < best[0]:
                best = (cpu, row)
    return best


def best_at(lines, level):
    found = [time for time in (time_at(line, level) for line in lines.values()) if time]
    return min(found, key=lambda time: time[0]) if found else None


def table(section, rows):
    """One row for each machine, error and engine; ratio: their CPU time over the best of Holon's."""
    out = []
    for machine in dict.fromkeys(row["machine"] for row in rows):
        own = [row for row in rows if row["machine"] == machine]
        ours = points(own, "holon")
        by_itself = {"auto": ours["auto"]} if "auto" in ours else {}
        engines = dict.fromkeys(row["program"] for row in own if row["program"] != "holon")
        for level in LEVELS[section]:
            best = best_at(ours, level)
            candidates = [("holon", best), ("holon auto", best_at(by_itself, level))]
            candidates += [(engine, best_at(points(own, engine), level)) for engine in engines]
            for program, time in candidates:
                row = dict(section=section + "-equal", machine=machine, program=program,
                           setting=f"error={level:g}", quantity=own[0].get("quantity", ""))
                if time:
                    row.update(coordinates=time[1]["coordinates"], method=time[1]["method"],
                               formula=time[1]["formula"], error=f"{level:g}",
                               cpu_s=f"{time[0]:.4g}", steps=time[1]["steps"],
                               ratio=f"{time[0] / best[0]:.3g}" if best else "",
                               to="holon" if best else "")
                else:
                    row.update(note="not reached")
                out.append(row)
    return out


def verdicts(rows):
    """For each machine and error: Holon's way, the fastest peer, how many times faster Holon is."""
    out = []
    for key in dict.fromkeys((row["machine"], row["setting"]) for row in rows):
        group = [row for row in rows if (row["machine"], row["setting"]) == key]
        ours = next((row for row in group if row["program"] == "holon"), None)
        peers = [row for row in group if not row["program"].startswith("holon")
                 and number(row, "cpu_s")]
        if not ours or not peers:
            continue
        fastest = min(peers, key=lambda row: number(row, "cpu_s"))
        own = number(ours, "cpu_s")
        ratio = number(fastest, "cpu_s") / own if own else None
        auto = next((row for row in group if row["program"] == "holon auto"), {})
        out.append(dict(machine=key[0], level=key[1].split("=")[1], way=way(ours), peer=fastest["program"],
                        ratio=ratio, auto=number(auto, "ratio")))
    return out
