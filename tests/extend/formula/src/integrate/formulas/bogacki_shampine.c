// Bogacki and Shampine 1989, order 3 with an embedded formula of order 2; dense output: the cubic.
#include "integrate/formula.h"

static const hn_explicit_formula numbers = {
    .name = "bogacki-shampine",
    .stages = 4,
    .order = 3,
    .error_order = 2,
    .c = {0, 1.0 / 2, 3.0 / 4, 1},
    .a = {{0}, {1.0 / 2}, {0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}},
    .e = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8},
};

const hn_formula hn_formulas_in_bogacki_shampine[] = {
    {.name = "bogacki-shampine", .kind = HN_FORMULA_EXPLICIT, .explicit_numbers = &numbers}, {0}};
