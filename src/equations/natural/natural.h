// Natural coordinates inside: what natural.c (the seam), natural/system.c (mass matrix, rows, linear
// system), natural/forces.c and natural/tangent.c (derivatives) share.
#ifndef HN_EQUATIONS_NATURAL_H
#define HN_EQUATIONS_NATURAL_H

#include "equations/equations.h"
#include "equations/natural/forms.h"

// Solutions inside a step are refined to about 1e-12.
#define HN_NATURAL_SLACK 1e3

// Which rows a factorization holds: all, or those that do not depend on others.
typedef enum hn_natural_rows { HN_NATURAL_ALL, HN_NATURAL_KEPT } hn_natural_rows;
// Equation of a rigidity condition: its acceleration, or that its value or rate vanishes.
typedef enum hn_natural_aim { HN_AIM_ACCELERATIONS, HN_AIM_VALUES, HN_AIM_RATES } hn_natural_aim;

// Contribution of a form to a constraint, and the block of the constraint for each of its nodes:
// part_block[at ...].
typedef struct hn_natural_part {
  int form;
  double coefficient;
  int at;
} hn_natural_part;

// Center of mass and axes of a body as given by the nodes, not orthonormalized, and their rates.
typedef struct hn_natural_motion {
  hn_vec3 x[4], v[4];
} hn_natural_motion;

typedef struct hn_natural_bodies {
  int count, *body;
} hn_natural_bodies;

typedef struct hn_natural_set {
  hn_equations base;
  hn_natural_nodes *nodes;
  hn_natural_forms *forms;
  hn_natural_jet jet;
  hn_equations *cartesian; // for multipliers of the elements and everything else of a snapshot
  hn_snapshot *snapshot;   // of those
  double *cartesian_q, *cartesian_qd;

  // rows of its own: elements that are not covered, then rigidity
  int rows, element_rows;
  int *element_row; // (element_rows)
  int *row_start;   // of the blocks of a row, 3 numbers for each of its nodes (rows + 1)
  int *row_node;
  int *row_part; // parts of a row: row_part[r] .. row_part[r + 1] - 1 (rows + 1)
  hn_natural_part *parts;
  int *part_block;
  double *block;
  double *value, *rate, *tau; // (rows)

  // M: upper triangle by columns
  struct {
    int *start, *node;   // nodes at or before each node that share a body with it
    int *at;             // where the entries of a pair stand, for each of the three columns
    unsigned char *full; // a 3 x 3 block instead of a diagonal one
  } pairs;
  double *mass, *stiffened; // in the pattern of the saddle; with the squares added
  double *geometry_values;
  int entries;
  hn_natural_bodies thin; // with squares
  hn_saddle *geometry;    // the same rows in the geometric metric; null without loops
  double *b, *c, *x, *y;
  hn_frame *frames;          // (bodies + ground)
  hn_wrench *wrench;         // (bodies + ground)
  hn_natural_motion *motion; // of bodies with loads (bodies + ground)
  hn_natural_bodies loaded;  // that forces see as a frame: loads, tyres, the user's
  double *weight;            // of all bodies, at the nodes (nq)
  struct {                   // what the factors were made of
    double *q;               // (nq)
    hn_natural_rows rows;
    int is_there;
    int is_judged;    // the geometric metric was factored there too
    int small_pivots; // in the metric of M
  } factored;
  struct {         // of constraints with conditions; x null: the model has none
    double *x;     // of bodies (6 a body)
    int by_bodies; // the last state was a whole one
  } touched;
  unsigned char *dependent, *small; // rows left out of stages; with small pivots (rows)
} hn_natural_set;

// ---- natural/system.c ---------------------------------------------------------------------------

// The number of a row among those of the elements, then of rigidity (tangent.h).
static inline int hn_natural_number(const hn_natural_set *self, int row) {
  return row < self->element_rows ? self->element_row[row]
                                  : self->base.elements->row_count + row - self->element_rows;
}
hn_status hn_natural_row_pattern(hn_arena *arena, hn_natural_set *self); // rows and their parts
void hn_natural_list_thin(hn_natural_set *self);
hn_status hn_natural_make_saddle(hn_arena *arena, hn_arena *scratch, hn_natural_set *self);
void hn_natural_evaluate_rows(hn_natural_set *self, double t, const double *q, const double *qd,
                              const hn_branches *branches);
// The blocks of a row += the part's coefficient times a gradient of its form.
void hn_natural_add_to_row(const hn_natural_set *self, const hn_natural_part *part,
                           const hn_vec3 *gradient, double *value);
// Squares of the rigidity of thin bodies: added to M where b is null, else what is wanted to b (nq).
void hn_natural_thin_bodies(hn_natural_set *self, const double *q, const double *qd,
                            const hn_branches *branches, hn_natural_aim what, double *b);
// The linear system with the rows as evaluated at q; one made at this very q stays.
hn_status hn_natural_factor(hn_natural_set *self, const double *q, const hn_branches *branches,
                            hn_natural_rows rows);
void hn_natural_judge_rank(hn_natural_set *self, hn_natural_rows rows, int may_choose);

// ---- natural/forces.c ---------------------------------------------------------------------------

hn_status hn_natural_forces_create(hn_arena *arena, hn_natural_set *self);
hn_natural_motion hn_natural_move_body(const hn_natural_set *self, int body, const double *q,
                                       const double *qd);
hn_frame hn_natural_frame(const hn_natural_motion *motion);
// Forms of a measured force, consecutive: returns how many, 0 for a load.
int hn_natural_force_forms(const hn_elements *elements, int force, int *first);
// Q += that of a wrench on a body, at self->motion.
void hn_natural_spread(const hn_natural_set *self, int body, const hn_wrench *wrench,
                       double *q_force);
// Motions and frames of the bodies that loads see.
void hn_natural_move_loaded(hn_natural_set *self, const double *q, const double *qd);
// Q (nq), and the power of what is not in a potential. Also off the constraints: these are the forces
// whose derivatives the tangent has.
hn_status hn_natural_forces(hn_natural_set *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, double *q_force, double *power,
                            hn_error *error);

// ---- natural/responses.c ------------------------------------------------------------------------

extern const struct hn_response_type hn_natural_responses;
// A whole state has been evaluated.
void hn_natural_touch_whole(hn_natural_set *self, const double *q, const double *qd);

#endif
