// Branches: numbers for the pieces of laws, and the times at which laws of time change theirs.
// Which branch holds at a state is decided where the force is (force.c, force_law.c, tyre.c).
#include <limits.h>
#include <math.h>

#include "elements/force_types.h"
#include "elements/road.h"
#include "math/law.h"

static int piece_count(const hn_law *law) { return law ? hn_law_pieces(law) : 1; }

int hn_pieces_encode(int count, hn_law *const laws[], const double at[]) {
  int code = 0;
  for (int k = count - 1; k >= 0; k--)
    code = code * piece_count(laws[k]) + (laws[k] ? hn_law_piece(laws[k], at[k]) : 0);
  return code;
}

void hn_pieces_decode(int count, hn_law *const laws[], int code, int piece[]) {
  for (int k = 0; k < count; k++) {
    int pieces = piece_count(laws[k]);
    piece[k] = 0;
    if (pieces == 1) continue;
    piece[k] = code % pieces;
    code /= pieces;
  }
}

int hn_pieces_count(int count, hn_law *const laws[]) {
  int product = 1;
  for (int k = 0; k < count; k++) product *= piece_count(laws[k]);
  return product;
}

static int product_fits(int count, hn_law *const laws[], double others) {
  double product = others;
  for (int k = 0; k < count; k++) product *= piece_count(laws[k]);
  return product <= INT_MAX;
}

int hn_force_branches_fit(const hn_force_def *force) {
  double decisions = force->of_xvt ? ldexp(1, hn_law_switches(force->of_xvt)) : 1;
  return product_fits(2, (hn_law *const[]){force->of_x, force->of_v}, decisions) &&
         product_fits(3, force->component_law, 1);
}

// Codes of several laws count up to the product of their pieces, which fits (see above).
int hn_force_has_branch(const hn_elements *elements, int f, hn_branch branch) {
  if (branch.state < 0 || branch.time < 0) return 0;
  if (f >= elements->model->force_count) return 1; // known to its component alone, which takes any
  const hn_force_def *force = &elements->model->forces[f];
  double times = piece_count(force->of_t);
  double states = hn_pieces_count(2, (hn_law *const[]){force->of_x, force->of_v});
  if (force->of_xvt) states *= ldexp(1, hn_law_switches(force->of_xvt));
  const hn_force_row *row = hn_force_row_of(force->type);
  if (row->states) states = row->states(elements->model, force);
  times *= hn_pieces_count(3, force->component_law);
  return branch.state < states && branch.time < times;
}

int hn_driver_has_branch(const hn_elements *elements, int d, int branch) {
  if (branch < 0 || d >= elements->model->driver_count) return branch >= 0;
  return branch < piece_count(elements->model->drivers[d].law);
}

// ---- times --------------------------------------------------------------------------------------

int hn_driver_time_branch(const hn_elements *elements, int driver, double t) {
  const hn_law *law = elements->model->drivers[driver].law;
  return law ? hn_law_piece(law, t) : 0;
}

// The first breakpoint of a function strictly after t, or HUGE_VAL.
static double next_kink(const hn_law *law, double t) {
  if (!law) return HUGE_VAL;
  for (int k = hn_law_piece(law, t); k < hn_law_pieces(law); k++)
    if (k > 0 && hn_law_kink(law, k) > t) return hn_law_kink(law, k);
  return HUGE_VAL;
}

int hn_force_is_timed(const hn_force_def *force) {
  int is_timed = piece_count(force->of_t) > 1;
  for (int k = 0; k < 3; k++) is_timed |= piece_count(force->component_law[k]) > 1;
  return is_timed;
}

double hn_elements_next_time(const hn_elements *elements, double t) {
  const hn_model *model = elements->model;
  double next = HUGE_VAL;
  for (int d = 0; d < model->driver_count; d++)
    next = fmin(next, next_kink(model->drivers[d].law, t));
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *force = &model->forces[f];
    if (force->of_t) next = fmin(next, next_kink(force->of_t, t));
    for (int k = 0; k < 3; k++)
      if (force->component_law[k]) next = fmin(next, next_kink(force->component_law[k], t));
  }
  if (elements->hidden)
    next = fmin(next, elements->hidden->next_time(elements->hidden->context, t));
  return next;
}

double hn_force_look_time(const hn_elements *elements, int force, const hn_frame *frames) {
  const hn_force_def *def = &elements->model->forces[force];
  if (def->road < 0) return HUGE_VAL;
  const hn_road_def *road = &elements->model->roads.item[def->road];
  hn_road at = hn_road_of(elements->model, def->road);
  if (hn_road_is_plane(&at)) return HUGE_VAL;
  double travel = fabs(frames[def->frame2.body].v.x - road->speed);
  return travel > 0 ? 0.5 * def->radius / travel : HUGE_VAL;
}

int hn_force_limits_steps(const hn_force_def *force) {
  return hn_force_row_of(force->type)->step_limit || force->road >= 0;
}

double hn_force_step_limit(const hn_elements *elements, int force, double t,
                           const hn_frame *frames) {
  const hn_force_row *row = hn_force_row_of(elements->model->forces[force].type);
  if (row->step_limit) return row->step_limit(elements, &elements->model->forces[force], frames);
  double least = hn_force_look_time(elements, force, frames);
  if (least == HUGE_VAL) return least;
  const hn_force_def *def = &elements->model->forces[force];
  hn_road road = hn_road_of(elements->model, def->road);
  const hn_frame *wheel = &frames[def->frame2.body];
  double x = wheel->r.x + mat3_apply(wheel->a, def->frame2.position).x - road.def->speed * t;
  double reach = def->contact == HN_CONTACT_RADIAL ? def->radius : 0;
  double clear = fmax(0, hn_road_clearance(&road, x) - reach);
  return least * (1 + clear / def->radius);
}
