// Rank of the constraints in loops from the pivots of any factorization.
#include "equations/loop_rank.h"

#include "math/vec.h"

double hn_geometric_rotation(const hn_model *model) {
  double sum = 0;
  int count = 0;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_vec3 arms[2] = {model->joints[j].frame1.position, model->joints[j].frame2.position};
    for (int k = 0; k < 2; k++) {
      double square = vec3_dot(arms[k], arms[k]);
      sum += square;
      count += square > 0;
    }
  }
  return sum > 0 ? sum / count : 1;
}

// Bodies up to which nothing adds up to much.
#define FEW_TO_LET_GO 12.0
#define FEW_TO_RISE 100.0
#define LEAST_EPSILON 1e-14 // above rounding

double hn_rank_epsilon(const hn_model *model) {
  double share = FEW_TO_LET_GO / model->body_count;
  double epsilon = HN_RANK_EPSILON * (share < 1 ? share * share * share : 1);
  return epsilon > LEAST_EPSILON ? epsilon : LEAST_EPSILON;
}

double hn_risen_pivot(const hn_model *model) {
  double bodies = model->body_count;
  return HN_RISEN_PIVOT * (bodies > FEW_TO_RISE ? bodies / FEW_TO_RISE : 1);
}

void hn_rank_begin(hn_equations *e, int rows, int loop_rows) {
  e->redundant_count = loop_rows > 0 ? rows + 1 : 0;
}

// How many small pivots a factorization has where nothing is out of the ordinary.
static int usual_count(const hn_equations *e, int holds_all) {
  return holds_all ? e->redundant_count : 0;
}

int hn_rank_is_unusual(const hn_equations *e, int holds_all, int near) {
  return near > usual_count(e, holds_all);
}

int hn_rank_may_rise(const hn_equations *e, int holds_all, int dependent) {
  return dependent < usual_count(e, holds_all);
}

int hn_rank_choose(hn_equations *e, int dependent) {
  if (dependent >= e->redundant_count) return 0;
  e->redundant_count = dependent;
  return 1;
}

void hn_rank_note(hn_equations *e, int holds_all, int near) {
  e->near_singular = near > usual_count(e, holds_all);
}
