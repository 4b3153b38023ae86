// Seam 2: formulas. A formula is data: numbers, their order, the embedded error formula, the dense
// output. It never sees a constraint. Each file of formulas/ has a list of those in it (hn_formula),
// which the build finds by the name of the file: a new formula is one new file.
#ifndef HN_INTEGRATE_FORMULA_H
#define HN_INTEGRATE_FORMULA_H

#define HN_MAX_STAGES 7

// The two numbers of an implicit stage: accelerations a move positions by q a, velocities by v a. In a
// first-order form q = v^2.
typedef struct hn_step_numbers {
  double q, v;
} hn_step_numbers;

static inline hn_step_numbers hn_first_order_numbers(double g) {
  return (hn_step_numbers){.q = g * g, .v = g};
}

// An explicit Runge-Kutta formula whose last stage is the first of the next step:
//   k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j),  y1 = y + h sum b_i k_i = argument of the last stage
//   error = h sum e_i k_i,  e = b - bhat
//   dense output: the quartic through both ends and their slopes, corrected by
//   theta^2 (1 - theta)^2 h sum d_i k_i
typedef struct hn_explicit_formula {
  const char *name;
  int stages;
  int order;       // of y1
  int error_order; // of the embedded formula
  double c[HN_MAX_STAGES];
  double a[HN_MAX_STAGES][HN_MAX_STAGES]; // the last row is b
  double e[HN_MAX_STAGES];
  double d[HN_MAX_STAGES];
} hn_explicit_formula;

extern const hn_explicit_formula hn_dopri5;

// A singly diagonally implicit Runge-Kutta formula for z' = g(z):
//   z_i = y0 + h sum_{j<=i} a_ij g_j,  a_ii = gamma
//   y1 = the last stage (b is the last row of a), or y0 + h sum b_i g_i where it is not the end
//   error = h (e0 g_0 + sum e_i g_i),  e = b - bhat,  g_0 at the start
//   dense output y0 + h sum_i b_i(theta) g_i,  b_i(theta) = sum_k dense[i][k] theta^(k + 1); where the
//   last stage is not the end, the cubic through both ends
//   Newton starts stage i at increment sum_{j<i} start[i][j] (z_j - y0)
typedef struct hn_sdirk_formula {
  const char *name;
  int stages, order, error_order;
  double gamma;
  double c[HN_MAX_STAGES];
  double a[HN_MAX_STAGES][HN_MAX_STAGES];
  int ends_between; // the last stage is not the end: b counts
  double b[HN_MAX_STAGES];
  double e[HN_MAX_STAGES];
  double e0;
  double dense[HN_MAX_STAGES][4];
  double start[HN_MAX_STAGES][HN_MAX_STAGES];
} hn_sdirk_formula;

extern const hn_sdirk_formula hn_sdirk4_16, hn_sdirk4_15;
// Two stages at gamma and 1 - gamma (Dopico et al. 2004, table 1): order 2, A-stable from 1/4 on, order
// 3 with (3 + sqrt 3)/6, L-stable with 1 - sqrt(2)/2 and 1 + sqrt(2)/2. NaN: (3 + sqrt 3)/6.
#define HN_DEFAULT_GAMMA 0.7886751345948128822546
hn_sdirk_formula hn_make_sdirk2(double gamma);

// A formula of structural dynamics, with an auxiliary acceleration w (w_0 = a_0) that advances the state
// while equilibrium and constraints hold at the ends of steps:
//
//   (1 - am) w_1 + am w_0 = (1 - af) a_1 + af a_0
//   q_1 = q_0 + h v_0 + h^2 ((1/2 - beta) w_0 + beta w_1),   v_1 = v_0 + h ((1 - gamma) w_0 + gamma w_1)
typedef struct hn_structural_formula {
  const char *name;
  int order;
  double alpha_m, alpha_f, beta, gamma;
  double damping; // spectral radius of a step for infinitely stiff forces
} hn_structural_formula;

// The defaults damp infinitely stiff forces alike, by about 0.8 a step.
#define HN_DEFAULT_XI 0.1
#define HN_DEFAULT_ALPHA (-0.1)
#define HN_DEFAULT_RHO 0.8

// A Rosenbrock formula in Nystrom form for y'' = f(t, y, y'), with f_y, f_y', f_t exact at the
// start:
//   S = 1 - h e f_y' - (h e)^2 f_y
//   Y_i = y0 + h a_i y0' + h sum_{j<i} t_ij u_j,   Y_i' = y0' + sum_{j<i} w_ij u_j
//   S u_i = h e f(t0 + a_i h, Y_i, Y_i') + e sum_{j<i} c_ij u_j
//           + h^2 e (e_i f_t + f_y (e_i y0' + sum_{j<i} d_ij u_j))
//   y1 = y0 + h y0' + h sum p_i u_i,   y1' = y0' + sum s_i u_i,   error: h ep, ev instead of p, s
//   dense output of y': theta^2 sum s_i u_i + theta (1 - theta) sum start_i u_i is of order 2
// Stage i takes over f of the stage before if `repeats` is set: Y, Y' are the same.
typedef struct hn_rosenbrock_formula {
  const char *name;
  int stages, order, error_order;
  double e;
  double a_i[HN_MAX_STAGES], e_i[HN_MAX_STAGES];
  double t[HN_MAX_STAGES][HN_MAX_STAGES], w[HN_MAX_STAGES][HN_MAX_STAGES];
  double c[HN_MAX_STAGES][HN_MAX_STAGES], d[HN_MAX_STAGES][HN_MAX_STAGES];
  double p[HN_MAX_STAGES], s[HN_MAX_STAGES];
  double error_p[HN_MAX_STAGES], error_s[HN_MAX_STAGES];
  double start[HN_MAX_STAGES];
  int repeats[HN_MAX_STAGES];
} hn_rosenbrock_formula;

extern const hn_rosenbrock_formula hn_rosenbrock;

// Kinds of formulas: each method lists those it takes.
typedef enum hn_formula_kind {
  HN_FORMULA_EXPLICIT = 1,
  HN_FORMULA_MULTISTEP = 2,
  HN_FORMULA_TRAPEZOIDAL = 4,
  HN_FORMULA_STRUCTURAL = 8,
  HN_FORMULA_SDIRK = 16,         // ends in its last stage
  HN_FORMULA_SDIRK_BETWEEN = 32, // ends between its stages
  HN_FORMULA_ROSENBROCK = 64,
  HN_FORMULAS_OF_STAGES = // those that iterate on accelerations (stages.h)
  HN_FORMULA_TRAPEZOIDAL | HN_FORMULA_STRUCTURAL | HN_FORMULA_SDIRK | HN_FORMULA_SDIRK_BETWEEN
} hn_formula_kind;

// A row of a list; the last has no name.
typedef struct hn_formula {
  const char *name;
  hn_formula_kind kind;
  int place;          // in lists: smaller first, 0 last
  const char *method; // that it goes with where none is asked for; null: the first that takes it
  const hn_explicit_formula *explicit_numbers; // by its kind
  const hn_sdirk_formula *sdirk;
  hn_sdirk_formula (*sdirk_family)(double parameter); // instead of sdirk
  const hn_rosenbrock_formula *rosenbrock;
  hn_structural_formula (*structural)(double parameter);
  struct {
    const char *option; // the name of its parameter; null: none
    double least, most, usual;
  } parameter;
} hn_formula;

// By number, in the order of lists, and by name; null: none.
const hn_formula *hn_formula_at(int index);
const hn_formula *hn_formula_find(const char *name);
// 1 when its stages are found by iteration.
int hn_formula_iterates(const hn_formula *formula);

// At theta of a step of size h: the cubic through both ends with their slopes.
static inline double hn_cubic(double theta, double h, double y0, double d0, double y1, double d1) {
  double rise = y1 - y0, rest = 1 - theta;
  return y0 + theta * rise + theta * rest * (rest * (h * d0 - rise) - theta * (h * d1 - rise));
}

#endif
