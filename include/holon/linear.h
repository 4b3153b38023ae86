// Holon: linearization about a state.
//
//   hn_linear_options options = hn_default_linear_options();
//   hn_linear *linear = NULL;
//   hn_operating_point point;
//   hn_simulation_find_operating_point(simulation, &point); // optional: leave the start for it
//   options.is_steady = point.kind == HN_OPERATING_EQUILIBRIUM;
//   hn_simulation_linearize(simulation, &options, &linear, &error); // at its present state
//   for (int k = 0; k < linear->eigenvalue_count; k++) use(linear->eigenvalues[k].frequency);
//   hn_linear_free(linear);
//
//   x' = f0 + A x + B u,   y = y0 + C x + D u        x, u, y: differences from the state
//
// States are positions, then their rates: coordinates of joints, positions (m) and rotations (rad,
// global axes) of bodies, as many as the model has degrees of freedom. A rotation is relative to
// the motion of the state, so that a rotor with constant speed has constant matrices.
#ifndef HOLON_LINEAR_H
#define HOLON_LINEAR_H

#include "holon/scene.h"
#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_linear_options {
  size_t size;               // of this struct; 0: the first version
  const char *const *inputs; // names of the model's inputs; null: all of them
  int input_count;
  const char *const *outputs; // names of signals; null: the outputs of the model
  int output_count;
  int modes;     // > 0: so many of lowest frequency; 0: all, or 20 of more than 500 states
  int is_steady; // 1: states have no rates, and move only as drivers move them: of an equilibrium
  int is_dense;  // 1: all of them and matrices also of models with more than 500 states
} hn_linear_options;
HN_API hn_linear_options hn_default_linear_options(void);

typedef struct hn_eigenvalue {
  double real, imaginary; // 1/s, rad/s
  double frequency;       // |lambda| / 2 pi, Hz
  double damping;         // -Re / |lambda|; 0 of a zero
} hn_eigenvalue;

// Motion of an eigenvalue with imaginary part >= 0. Numbers are complex: real, imaginary.
typedef struct hn_mode {
  int eigenvalue;
  // Of each body (ground is not among them): translation of its center of mass and rotation, global
  // axes, 12 numbers a body. The largest is 1.
  const double *shape;
  const double *kinetic; // fraction of the kinetic energy of each body (body_count)
  const double *elastic; // fraction of each force in the stored potential energy (force_count):
                         // sums up to 1
  const double *damping; // ... in what forces dissipate (force_count)
} hn_mode;

typedef struct hn_linear {
  double time;
  int state_count, input_count, output_count;
  const char *const *states, *const *inputs, *const *outputs;                // names
  const char *const *state_units, *const *input_units, *const *output_units; // SI
  const double *x0, *u0, *y0;  // values at the state; a rotation is 0
  const double *f0;            // x' there: 0 in an equilibrium (state_count)
  const double *a, *b, *c, *d; // by rows; null: of more than 500 states
  // Of inputs that drivers follow: x' = ... + B1 u' + B2 u'', y = ... + D1 u' + D2 u''. Null: none
  // does.
  const double *b_rate, *b_acceleration, *d_rate, *d_acceleration;
  int eigenvalue_count; // ascending by size; pairs stand together
  const hn_eigenvalue *eigenvalues;
  int mode_count;
  const hn_mode *modes;
  int body_count, force_count; // as the model has them, ground not counted
  int kink_count; // forces at a slope discontinuity of their law: derivatives are one-sided
  const char *const *kinks;
  int redundant;      // constraint rows that depend on others
  int contacts;       // points of rigid contacts, knife edges and stops, all of which stay active
  int is_equilibrium; // 1: rates do not change: an equilibrium or a steady motion
  double imbalance;   // largest rate of change of a rate or of a state of a function, SI
  double drift;       // how fast that changes by the motion of positions, SI per second
} hn_linear;

// At the simulation's present state, which does not change. On failure *linear is null and *error
// (may be null) has the reason. Free *linear with hn_linear_free.
HN_API hn_status hn_simulation_linearize(hn_simulation *simulation,
                                         const hn_linear_options *options, hn_linear **linear,
                                         hn_error *error);
HN_API void hn_linear_free(hn_linear *linear); // null is fine

// Moves the simulation, at its start, to the state that small motions are usually about. A start that
// moves steadily stays (a spinning rotor, a vehicle at constant speed). Else it is the equilibrium near
// the start, with `initial:` velocities if they are steady there, or with those of drivers alone. A
// vehicle with `initial: {speed: ...}` keeps its speed.
typedef enum hn_operating_kind {
  HN_OPERATING_START,       // no equilibrium: `reason`, or a speed that is not steady
  HN_OPERATING_EQUILIBRIUM, // only drivers move anything: linearize with is_steady
  HN_OPERATING_STEADY       // velocities of `initial:`, unchanged
} hn_operating_kind;
typedef struct hn_operating_point {
  hn_operating_kind kind;
  int drops_velocities; // 1: the model gives velocities, which are not steady and left out
  hn_error reason;      // status HN_OK: none
} hn_operating_point;
HN_API hn_status hn_simulation_find_operating_point(hn_simulation *simulation,
                                                    hn_operating_point *point);

// Matrices, values, names and eigenvalues for MATLAB, Octave and SciPy (MAT 5), or for NumPy (NPZ).
HN_API hn_status hn_linear_write_mat(const hn_linear *linear, const char *path, hn_error *error);
HN_API hn_status hn_linear_write_npz(const hn_linear *linear, const char *path, hn_error *error);

// Matrices, eigenvalues and modes with the names of bodies and forces as JSON; text, size and
// needed as of hn_certificate_json. simulation: the one that was linearized.
HN_API hn_status hn_linear_json(const hn_linear *linear, const hn_simulation *simulation,
                                char *text, size_t size, size_t *needed);
// The same in words, as `holon linearize` prints it behind the name of the model. For hn_text_free.
HN_API hn_status hn_linear_text(const hn_linear *linear, const hn_simulation *simulation,
                                char **text);

// ---- frequency response ---------------------------------------------------------------------------

// By the matrices: outputs to a unit harmonic excitation of one input, complex (real, imaginary; 2
// output_count numbers). frequency in Hz. HN_ERROR_SINGULAR at an eigenvalue, HN_ERROR_ARGUMENT
// without matrices.
HN_API hn_status hn_linear_response(const hn_linear *linear, int input, double frequency,
                                    double *outputs);
// A Bode diagram: count frequencies (Hz) by equal factors around all eigenvalues, gain in SI (NAN
// where nothing comes through), phase in degrees without jumps.
HN_API hn_status hn_linear_bode(const hn_linear *linear, int input, int output, int count,
                                double *frequency, double *gain, double *phase);
// Poles and the Bode diagrams of the first HN_LINEAR_PAIRS pairs of inputs and outputs as SVG.
#define HN_LINEAR_PAIRS 6
HN_API hn_status hn_linear_plot(const hn_linear *linear, const char *title, const char *path,
                                hn_error *error);

// By simulation, for nonlinear models: a harmonic excitation of the input about its present value
// until the signals repeat from cycle to cycle (at most 400). Inputs with a filter are rejected.
typedef struct hn_swing {
  size_t size;                 // of this struct; 0: the first version
  int input;                   // hn_model_find_input
  double amplitude, frequency; // > 0, unit of the input; Hz
  const int *signals;          // hn_simulation_find_signal
  int signal_count;
} hn_swing;

typedef struct hn_swing_result { // arrays are the caller's
  double *y;                     // first harmonic a unit of the input, complex (2 signal_count)
  double *distortion;            // remainder after mean and first harmonic, relative to the latter
                                 // (signal_count)
  int cycles;
} hn_swing_result;
HN_API hn_status hn_simulation_swing(hn_simulation *simulation, const hn_swing *swing,
                                     hn_swing_result *result);

// ---- shapes ---------------------------------------------------------------------------------------

// A mode as an animation of one cycle in two seconds. The simulation ends where it was.
HN_API hn_status hn_mode_scene(hn_simulation *simulation, const hn_linear *linear, int mode,
                               hn_scene **scene, hn_error *error);

#ifdef __cplusplus
}
#endif

#endif
