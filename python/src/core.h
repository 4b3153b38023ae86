// What the files of the extension share. It knows include/holon/ alone and the limited C interface of
// Python 3.11, so that one file serves every later Python. Names and units, defaults and everything a
// reader would look for stand in python/holon/*.py; here is only what has to be C.
#ifndef HN_PYTHON_CORE_H
#define HN_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <holon/holon.h>

typedef struct core_state {
  PyTypeObject *model, *simulation, *view, *table, *sweep, *recorder, *tyre;
} core_state;

core_state *core_state_of(PyObject *self);
int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type);

// ---- errors -------------------------------------------------------------------------------------

// Raises what holon._errors makes of it. Returns null.
PyObject *core_raise(const hn_error *error);
PyObject *core_error(const hn_error *error); // the exception itself
PyObject *core_raise_status(hn_status status, const char *message);

// ---- a stretch of numbers that something else owns --------------------------------------------------

// Read-only, one dimension; keeps its owner alive. format: "d" or "f".
PyObject *core_view(core_state *state, PyObject *owner, const void *data, Py_ssize_t count,
                    const char *format);
extern PyType_Spec core_view_spec;

// ---- models -------------------------------------------------------------------------------------

typedef struct core_force core_force; // a user's force, a Python function or a pointer

typedef struct core_model {
  PyObject_HEAD hn_model *model;
  core_force *forces; // (force_count)
  int force_count;
  const char *missing[2]; // a force on a body that is not there: names of both
} core_model;
extern PyType_Spec core_model_spec;
PyObject *core_model_load(PyObject *module, PyObject *arguments, PyObject *words);
PyObject *core_import(PyObject *module, PyObject *arguments);

// Forces of the user, added before the model is finished. forces: list of (name, body1, body2, function
// or address, context address, has_derivatives).
int core_forces_take(core_model *self, PyObject *list);
hn_status core_forces_add(void *self, hn_model *model);
void core_forces_free(core_model *self);

// ---- simulations ----------------------------------------------------------------------------------

// What of a state has a view: its address is the same for good, while the library keeps states of
// steps in turn, and has another method's state where `auto` changes its mind.
enum { CORE_Q, CORE_QD, CORE_QDD, CORE_MULTIPLIERS, CORE_STATES };

typedef struct core_simulation {
  PyObject_HEAD hn_simulation *simulation; // null: closed
  core_model *model;
  PyObject *options;          // strings that the simulation refers to
  int busy;                   // a call is under way, the lock of the interpreter let go
  double *state[CORE_STATES]; // null: nobody has asked for it; as after the last call
} core_simulation;
extern PyType_Spec core_simulation_spec;

// 1 and marked busy; 0 and an exception where it is closed or busy already.
int core_begin(core_simulation *self);
void core_end(core_simulation *self); // what has views is up to date
// After a call that failed: an exception of Python's own (a force, Ctrl-C) goes first.
PyObject *core_raise_simulation(core_simulation *self);
// Fills the options named in the dictionary; 0 and an exception on failure.
int core_options(PyObject *dictionary, hn_simulation_options *options);
PyObject *core_list_options(PyObject *module, PyObject *nothing);

// Whether to look for signals (Ctrl-C): every 50 ms of a long call.
typedef struct core_patience {
  double next;
} core_patience;
void core_patience_start(core_patience *patience);
int core_patience_over(core_patience *patience);

// ---- runs -----------------------------------------------------------------------------------------

typedef struct core_table {
  PyObject_HEAD hn_results *results;
} core_table;
extern PyType_Spec core_table_spec;
PyObject *core_table_new(core_state *state, hn_results *results); // takes the results
PyObject *core_table_read(PyObject *module, PyObject *path);
PyObject *core_table_make(PyObject *module, PyObject *arguments);
PyObject *core_run(PyObject *module, PyObject *arguments, PyObject *words);

extern PyType_Spec core_sweep_spec;
extern PyType_Spec core_recorder_spec;
extern PyType_Spec core_tyre_spec;

// (text of the scene, bytes of its motion); None without one
PyObject *core_scene(const hn_scene *scene);
PyObject *core_picture(PyObject *module, PyObject *arguments);
PyObject *core_fmu(PyObject *module, PyObject *arguments);

// ---- analyses ---------------------------------------------------------------------------------------

PyObject *core_mobility(PyObject *module, PyObject *simulation);
PyObject *core_export(PyObject *module, PyObject *arguments);
PyObject *core_equilibrium(PyObject *module, PyObject *arguments);
PyObject *core_kinematics(PyObject *module, PyObject *arguments);
PyObject *core_linearize(PyObject *module, PyObject *arguments);
PyObject *core_equations(PyObject *module, PyObject *arguments);
PyObject *core_inverse_dynamics(PyObject *module, PyObject *arguments);
PyObject *core_point_jacobian(PyObject *module, PyObject *arguments);
PyObject *core_composite(PyObject *module, PyObject *arguments);
PyObject *core_drive_forces(PyObject *module, PyObject *arguments);
PyObject *core_recorded_forces(PyObject *module, PyObject *arguments);
PyObject *core_operating_point(PyObject *module, PyObject *simulation);
PyObject *core_release_drivers(PyObject *module, PyObject *simulation);
PyObject *core_verify(PyObject *module, PyObject *arguments, PyObject *words);
PyObject *core_compare(PyObject *module, PyObject *arguments);

// A dictionary from pairs of a name and a new reference; null where one of them is.
PyObject *core_dict(const char *first, ...);
// Pointers into the strings of a list (null: none), ended by null; to be freed with PyMem_Free.
const char **core_texts(PyObject *list, int *count);
PyObject *core_real(double value);
PyObject *core_whole(long value);
PyObject *core_text(const char *text); // null: None; bytes that are no UTF-8 are replaced

#endif
