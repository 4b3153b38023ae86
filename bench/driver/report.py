"""The page bench/results/report.html and the summary that is printed."""

from html import escape

import equal
from table import HEAD, number, shown, way

STYLE = """
body{font:14px/1.45 Helvetica,Arial,sans-serif;color:#222;background:#fff;max-width:1400px;margin:2em auto;padding:0 1em}
h1{font-size:22px}h2{font-size:17px;margin-top:2em}
table{border-collapse:collapse;font-size:12.5px}th{text-align:left;border-bottom:1px solid #888}
td,th{padding:2px 9px 2px 0;vertical-align:top;white-space:nowrap}td.n{text-align:right}
tr.no td{color:#b03000}details{margin:.6em 0}summary{cursor:pointer}
.plots{display:flex;flex-wrap:wrap;gap:10px}pre{background:#f5f5f5;padding:.6em}
"""
NUMBERS = {"error", "cpu_s", "steps", "ratio", "paper_ratio"}


def html_table(head, rows, classes=None):
    out = ["<table><tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>"]
    for k, row in enumerate(rows):
        mark = f' class="{classes[k]}"' if classes and classes[k] else ""
        cells = "".join(f'<td class="n">{cell}</td>' if is_number(cell) else f"<td>{escape(cell)}</td>"
                        for cell in row)
        out.append(f"<tr{mark}>{cells}</tr>")
    return "\n".join(out + ["</table>"])


def is_number(cell):
    if cell == "-":
        return True
    try:
        float(cell)
        return True
    except ValueError:
        return False


def floor_rows(floors):
    for floor in floors:
        yield ("reached" if floor["reached"] else "not reached", shown(floor["value"]),
               ("at most " if floor["at_most"] else "at least ") + shown(floor["wanted"]),
               floor["name"], floor["note"])


def equal_matrix(rows):
    """Head and lines: machine and error, Holon's way and time, then each engine's time over it."""
    programs = list(dict.fromkeys(row["program"] for row in rows if not
                                  row["program"].startswith("holon")))
    head = ["machine", "error", "Holon's best", "CPU s", "auto"] + programs
    lines = []
    for key in dict.fromkeys((row["machine"], row["setting"]) for row in rows):
        group = {row["program"]: row for row in rows if (row["machine"], row["setting"]) == key}
        ours = group.get("holon", {})
        line = [key[0], key[1].split("=")[1], way(ours) if number(ours, "cpu_s") else "not reached",
                shown(number(ours, "cpu_s"), 3)]
        for program in ["holon auto"] + programs:
            ratio = number(group.get(program, {}), "ratio")
            line.append(shown(ratio) if ratio else "-")
        lines.append(line)
    return head, lines


def page(facts, floors, tables, ages, pictures):
    reached = sum(floor["reached"] for floor in floors)
    out = ["<!doctype html><html lang=en><meta charset=utf-8><title>Benchmarks of Holon</title>",
           f"<style>{STYLE}</style><h1>Benchmarks of Holon</h1><pre>{escape(facts)}</pre>",
           "<p>CPU seconds of one process on one core, the least of several rounds. Compare rows of one "
           "run only; what each section measures stands in bench/README.md.</p>",
           f"<h2>Floors: {reached} of {len(floors)} reached</h2>",
           html_table(["", "this run", "asked", "what", ""], list(floor_rows(floors)),
                      ["" if floor["reached"] else "no" for floor in floors])]
    for section, title in (("iftomm-equal", "IFToMM benchmark at equal error"),
                           ("peers-equal", "Other engines at equal error")):
        if tables.get(section):
            head, lines = equal_matrix(tables[section])
            out.append(f"<h2>{title}</h2><p>Columns of engines: their CPU time over the best of "
                       "Holon's; above 1 Holon is faster; -: the error was not reached.</p>")
            out.append(html_table(head, lines))
    out.append("<h2>Plots</h2><p>Down and left is better. Lines join the runs of an engine that none of "
               'its others beats; the others are faint.</p><div class="plots">')
    out += list(pictures.values()) + ["</div>", "<h2>Tables</h2>"]
    for name, rows in tables.items():
        if not rows:
            continue
        columns = [key for key in HEAD[1:] if any(row.get(key) for row in rows)]
        columns += [key for key in rows[0] if key not in HEAD and key is not None]
        body = [[row.get(key) or "" for key in columns] for row in rows[:2000]]
        out.append(f"<details><summary>{escape(name)}: {len(rows)} rows, {ages[name]}</summary>"
                   + html_table(columns, body) + "</details>")
    return "\n".join(out) + "\n"


def lines_of(head, lines):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return out + ["| " + " | ".join(cell or " " for cell in line) + " |" for line in lines]


CONTACT = "## Contact"


def contact_markdown(rows, facts):
    """The section of bench/measured.md with contacts by all engines."""
    lines = [[row["machine"], row["program"], row["setting"], row["quantity"], row["error"],
              row["cpu_s"], row["note"]] for row in rows]
    lines.sort(key=lambda line: (line[0], line[3]))
    return [CONTACT, "",
            "Machines that should rest: CPU seconds of 100 s. Spheres: CPU seconds of a step of 2 ms, and the largest "
            "residual of the true problem, computed for all engines alike; how, and what *own problem* and the other "
            "numbers of the notes are: [README](README.md), Residuals of contacts. All engines begin with the same states, "
            "while the heap forms (0.36 s), when it has come down and still creeps (2 s), and at rest (3 s). `step:R`: Holon solving to R in place of 1e-6. "
            "Siconos' time is that of its solver alone. "
            + "; ".join(facts.strip().split("\n")) + ".", ""] + lines_of(
                ["machine", "program", "setting", "quantity", "value", "CPU s", ""], lines) + [""]


def with_contact(text, rows, facts):
    """bench/measured.md with that section alone made anew."""
    lines = text.rstrip("\n").split("\n")
    begin = lines.index(CONTACT) if CONTACT in lines else lines.index("## Floors")
    end = next((k for k in range(begin + 1, len(lines)) if lines[k].startswith("## ")), len(lines))
    if CONTACT not in lines:
        end = begin
    return "\n".join(lines[:begin] + contact_markdown(rows, "not of the run of the other tables\n" + facts) + lines[end:]) + "\n"


def markdown(facts, floors, tables, drawings):
    """What is kept in the project: bench/measured.md."""

    out = ["# What a run of `make bench` gave", "",
           "Made by `scripts/bench --publish` from the tables of one run; [README](README.md) says what is "
           "measured. " + "; ".join(facts.strip().split("\n")) + ".", ""]
    for section, title in (("iftomm-equal", "The IFToMM benchmark at equal error"),
                           ("peers-equal", "Other engines at equal error")):
        if tables.get(section):
            head, lines = equal_matrix(tables[section])
            out += [f"## {title}", "",
                    "CPU time of an engine over the best of Holon's: above 1 Holon is faster. -: the error "
                    "was not reached. *auto*: Holon without choosing, over its best.", ""]
            out += lines_of(head, lines) + [""]
    if tables.get("contact"):
        out += contact_markdown(tables["contact"], facts)
    out += ["## Floors", "", f"{sum(floor['reached'] for floor in floors)} of {len(floors)} reached.", ""]
    out += lines_of(["", "this run", "asked", "what", ""], list(floor_rows(floors)))
    out += ["", "## Work against precision", "",
            "Down and left is better. Lines join the runs of an engine that none of its others beats; the "
            "others are faint.", ""]
    out += [f"![{name}](plots/{name}.svg)" for name in drawings]
    return "\n".join(out) + "\n"


def summary(floors, tables):
    """Printed at the end."""
    lines = []
    for section in ("iftomm-equal", "peers-equal"):
        found = equal.verdicts(tables.get(section, []))
        if not found:
            continue
        lines.append(f"== {section.split('-')[0]}: CPU time at equal error, the fastest other engine "
                     "over Holon")
        for one in found:
            ratio = shown(one["ratio"]) if one["ratio"] else "not reached by Holon"
            lines.append(f"  {one['machine']:<12} error {one['level']:<7} {ratio:>7} {one['peer']:<20} "
                         f"auto / best {shown(one['auto'])}   {one['way']}")
    if floors:
        lines.append("== floors")
        for verdict, value, asked, name, note in floor_rows(floors):
            lines.append(f"  {verdict:<12}{value:>8} ({asked})  {name}" + (f"  [{note}]" if note else ""))
        lines.append(f"{sum(floor['reached'] for floor in floors)} of {len(floors)} floors reached")
    return "\n".join(lines)
