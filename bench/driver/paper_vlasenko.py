"""D. Vlasenko and R. Kasper (2007): figures 6 and 8, and that the work is linear in the number of bodies. Figures
1 to 5 and 7 are drawings; there are no tables."""

from table import number

TITLE = "D. Vlasenko and R. Kasper, Integration method of CAD systems (DETC2007/VIB-35065)"


def rows(tables):
    table = tables.get("components", [])
    growth = [number(row, "error") for row in table if row["quantity"].startswith("exponent")]
    yield ("work of a step against bodies: exponent, 1000 to 10,000", None, growth[0] if growth else None,
           growth[0] if growth else None, "the paper makes no claim")
    yield ("figure 6: velocity of the left piston", "plot", "test", "test",
           "tests/machines/test_references.c: an independent series, tests/data/steam_left_piston.csv")
    yield ("figure 8: height of the car's body", "plot", "test", "test",
           "the paper's data are not given: models/vlasenko/car.yaml by other formulations, tests/machines")
