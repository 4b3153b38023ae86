"""Tables: reading what the programs print (bench/common/table.h), merging rounds, writing CSV files."""

import csv
import io
import os

HEAD = ("section machine program coordinates method formula setting quantity error cpu_s steps ratio "
        "to paper_ratio note").split()


def number(row, column):
    """The value of a cell, or None where nothing was measured."""
    try:
        return float(row.get(column) or "")
    except ValueError:
        return None


def read(text):
    """Rows of a CSV text, as dictionaries."""
    return list(csv.DictReader(io.StringIO(text)))


def read_file(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_file(path, rows):
    """All rows under one head: the common columns, then the others in the order they come in. Written
    under another name first, so that a table is there whole, or as it was before."""
    further = []
    for row in rows:
        further += [key for key in row if key not in HEAD and key not in further]
    part = path + ".new"
    with open(part, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, HEAD + further, restval="", lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    os.replace(part, path)


def way(row):
    """How a run was done, in words between slashes."""
    return "/".join(word for word in (row["coordinates"], row["method"], row["formula"]) if word)


def value_of(setting):
    """The number behind the equals sign of a setting."""
    try:
        return float(setting.split("=")[1])
    except (IndexError, ValueError):
        return 0.0


def shown(value, digits=3):
    """A number for people."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        text = f"{value:.{digits}g}"
        return f"{value:.0f}" if "e" in text else text
    return f"{value:.{digits - 1}e}"
