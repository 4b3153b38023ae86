// Which formulas there are for the ODE view: see ode_formula.h.
#include "integrate/ode_formula.h"

hn_status hn_ode_formula_create(hn_arena *arena, hn_ode *ode, const hn_method_choice *choice,
                                hn_ode_formula **formula) {
  const hn_formula *row = choice->formula;
  int is_rosenbrock = row && row->rosenbrock;
  hn_status status = is_rosenbrock ? hn_ode_rosenbrock_create(arena, ode, row->rosenbrock, formula)
                                   : hn_ode_sdirk_create(arena, ode, choice, formula);
  if (status != HN_OK) return status;
  hn_ode_formula *made = *formula;
  int nq = ode->implicit->method->equations->nq;
  made->ode = ode;
  double **vectors[] = {&made->y1, &made->yd1, &made->error1, &made->error2};
  for (int k = 0; k < 4; k++) *vectors[k] = HN_WORK(arena, double, nq);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}
