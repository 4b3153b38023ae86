// Method components: the machinery of first_order.c, adams.c and, for stiff parts, of
// first_order_implicit.c over equations that are solved and projected component by component
// (equations/nested/nested.c). Nothing else is different: error test, dense output, events and restart
// are the same.
#include "base/error.h"
#include "integrate/method.h"

static hn_status components_create(hn_arena *arena, hn_equations *equations,
                                   const hn_method_choice *choice, hn_method **method,
                                   hn_error *error) {
  const hn_formula_kind kind = choice->formula->kind;
  const hn_method_type *inner = kind == HN_FORMULA_MULTISTEP  ? &hn_adams
                                : kind == HN_FORMULA_EXPLICIT ? &hn_first_order
                                                              : &hn_first_order_implicit;
  hn_status status = inner->create(arena, equations, choice, method, error);
  if (status != HN_OK) return status;
  hn_method_type *own = hn_arena_copy(arena, inner, 1, sizeof *own);
  if (!own) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  own->name = hn_components.name;
  (*method)->type = own;
  return HN_OK;
}

const hn_method_type hn_components = {
    .name = "components",
    .takes =
        HN_FORMULA_EXPLICIT | HN_FORMULA_MULTISTEP | HN_FORMULA_SDIRK | HN_FORMULA_SDIRK_BETWEEN,
    .independent = HN_INDEPENDENT_NONE,
    .equations = &hn_nested,
    .is_direct = 1,
    .takes_states = 1,
    .follows_conditions = 1,
    .create = components_create,
};
