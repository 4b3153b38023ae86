// Taylor models of formulas, polynomials, pieces and tables: see taylor.h.
#include <math.h>

#include "math/expression_code.h"
#include "math/law_private.h"
#include "math/taylor_table.h"

// a if condition else b
static int choose(hn_taylor *at) {
  double low, high;
  hn_law_taylor_range(&at[1], &low, &high);
  if (low == 0 && high == 0) at[0] = at[2];
  return low > 0 || high < 0 || (low == 0 && high == 0);
}

static int curve(const hn_law *law, const hn_taylor *x, hn_taylor *f);

static int step_of(const hn_instruction *i, const hn_taylor *variables, hn_taylor **at) {
  hn_taylor *top = *at;
  switch ((hn_code)i->code) {
  case HN_CODE_CONSTANT: *++top = hn_law_taylor_constant(i->constant); break;
  case HN_CODE_VARIABLE: *++top = variables[i->variable]; break;
  case HN_CODE_UNARY: return hn_law_taylor_unary(i->operation, top);
  case HN_CODE_BINARY:
    top--;
    if (!hn_law_taylor_binary(i->operation, top, top + 1)) return 0;
    break;
  case HN_CODE_SELECT:
    top -= 2;
    if (!choose(top)) return 0;
    break;
  case HN_CODE_LOOKUP:
    top--;
    if (!(i->table->law ? curve(i->table->law, top, top)
                        : hn_lookup_taylor(i->table, top, top + 1)))
      return 0;
    break;
  }
  *at = top;
  return 1;
}

static int formula(const hn_expression *e, const hn_taylor *variables, hn_taylor *f) {
  hn_taylor stack[HN_EXPRESSION_STACK + 1], *top = stack;
  for (int i = 0; i < e->count; i++) {
    const hn_instruction *at = &e->code[i];
    const int is_factor =
        at->code == HN_CODE_CONSTANT && i > 0 && i + 1 < e->count && at[1].code == HN_CODE_BINARY;
    if (is_factor && hn_law_taylor_with(at[1].operation, top, at->constant))
      i++;
    else if (!step_of(at, variables, &top))
      return 0;
  }
  *f = *top;
  return isfinite(f->error) && isfinite(f->c[0]);
}

// Of the segment that holds all of x.
static int curve(const hn_law *law, const hn_taylor *x, hn_taylor *f) {
  hn_taylor u = *x;
  double low, high;
  hn_law_taylor_range(&u, &low, &high);
  if (law->is_bounded && high <= law->low) u = hn_law_taylor_constant(law->low);
  if (law->is_bounded && low >= law->high) u = hn_law_taylor_constant(law->high);
  if (law->period > 0) u.c[0] -= floor((low - law->low) / law->period) * law->period;
  hn_law_taylor_range(&u, &low, &high);
  if ((law->is_bounded || law->period > 0) && !(low >= law->low && high <= law->high)) return 0;
  const int segment = hn_law_segment(law, low);
  if (segment != hn_law_segment(law, high)) return 0;
  u.c[0] -= law->origins[segment];
  *f = hn_law_taylor_polynomial(law->coefficients + (size_t)segment * (size_t)law->count,
                                law->count, &u);
  return isfinite(f->error) && isfinite(f->c[0]);
}

int hn_law_taylor(const hn_law *law, const hn_taylor *variables, hn_taylor *f) {
  return law->expression ? formula(law->expression, variables, f) : curve(law, variables, f);
}
