"""One table a paper: item, the paper's figure, ours by the paper's own method, the best of ours, and the
reason where they differ. What belongs to a paper stands in its own file (paper_*.py): TITLE, and
rows(tables), which yields (item, paper, ours, best, reason) from the tables of this run; a figure that was
not measured is None and shown as -. Every table and figure of the four papers has its row."""

import paper_cardenal
import paper_dopico
import paper_negrut
import paper_vlasenko

PAPERS = {"negrut": paper_negrut, "dopico": paper_dopico, "cardenal": paper_cardenal,
          "vlasenko": paper_vlasenko}
HEAD = ["item", "paper", "ours, its method", "ours, best", "reason where they differ"]


def shown(value):
    if value is None or value == "":
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def lines_of(name, tables):
    return [[item, shown(paper), shown(ours), shown(best), reason or ""]
            for item, paper, ours, best, reason in PAPERS[name].rows(tables)]


def text(name, tables):
    """For the terminal."""
    lines = [HEAD[:4]] + [line[:4] for line in lines_of(name, tables)]
    reasons = [HEAD[4]] + [line[4] for line in lines_of(name, tables)]
    widths = [max(len(line[k]) for line in lines) for k in range(4)]
    out = [f"== {PAPERS[name].TITLE}"]
    for line, reason in zip(lines, reasons):
        cells = [line[0].ljust(widths[0])] + [line[k].rjust(widths[k]) for k in range(1, 4)]
        out.append(("  " + "  ".join(cells) + "  " + reason).rstrip())
    return "\n".join(out)


def with_joints(text, tables, facts):
    """The page with tables 6 to 10 of the thesis by a run of their own, and the facts of that run."""
    lines = [line for line in text.split("\n") if not line.startswith("Tables 6 to 10: ")]
    old = [k for k, line in enumerate(lines) if line.startswith(paper_negrut.JOINTS)]
    rows = [[item, shown(paper), shown(ours), shown(best), reason or ""]
            for item, paper, ours, best, reason in paper_negrut.joints(tables)]
    lines[old[0]:old[-1] + 1] = ["| " + " | ".join(row) + " |" for row in rows]
    title = lines.index("## " + paper_negrut.TITLE)
    lines[title + 2:title + 2] = ["Tables 6 to 10: " + "; ".join(facts.strip().split("\n")) + ".", ""]
    return "\n".join(lines).replace(".\n\n\n|", ".\n\n|")


def markdown(tables, facts):
    """What is kept in the project: bench/papers.md."""
    out = ["# The papers' tables and figures, and ours", "",
           "Made by `scripts/bench --publish`; the sections are `make bench SECTION=\"negrut dopico cardenal "
           "vlasenko\"`. *Its method* is the preset (`holon list`), *best* whatever of ours does best. "
           "Times are ratios within one run. " + "; ".join(facts.strip().split("\n")) + ".", ""]
    for name, paper in PAPERS.items():
        out += [f"## {paper.TITLE}", "", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
        out += ["| " + " | ".join(line) + " |" for line in lines_of(name, tables)] + [""]
    return "\n".join(out)
