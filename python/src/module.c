// The extension module holon._core: its functions, types and errors.
#include "core.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

core_state *core_state_of(PyObject *self) {
  return (core_state *)PyType_GetModuleState(Py_TYPE(self));
}

// ---- values ---------------------------------------------------------------------------------------

PyObject *core_real(double value) { return PyFloat_FromDouble(value); }
PyObject *core_whole(long value) { return PyLong_FromLong(value); }
PyObject *core_text(const char *text) {
  if (text == NULL) return Py_NewRef(Py_None);
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *core_dict(const char *first, ...) {
  PyObject *dict = PyDict_New();
  va_list rest;
  va_start(rest, first);
  for (const char *name = first; name != NULL; name = va_arg(rest, const char *)) {
    PyObject *value = va_arg(rest, PyObject *);
    if (dict != NULL && (value == NULL || PyDict_SetItemString(dict, name, value) < 0))
      Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  va_end(rest);
  return dict;
}

// ---- errors ---------------------------------------------------------------------------------------

PyObject *core_error(const hn_error *error) {
  char text[4096], hint[sizeof error->hint];
  hn_error_format(error, text, sizeof text);
  hn_render_hint(error->hint, HN_CALLER_PROGRAM, hint, sizeof hint);
  PyObject *module = PyImport_ImportModule("holon._errors");
  if (module == NULL) return NULL;
  PyObject *exception =
      PyObject_CallMethod(module, "_make", "sNNNiiNN", hn_status_name(error->status),
                          core_text(text), core_text(error->element), core_text(error->file),
                          error->line, error->column, core_text(error->message), core_text(hint));
  Py_DECREF(module);
  return exception;
}

PyObject *core_raise(const hn_error *error) {
  if (PyErr_Occurred()) return NULL;
  if (error->status == HN_ERROR_MEMORY) return PyErr_NoMemory();
  PyObject *exception = core_error(error);
  if (exception != NULL) PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
  Py_XDECREF(exception);
  return NULL;
}

PyObject *core_raise_status(hn_status status, const char *message) {
  hn_error error = {.status = status};
  size_t length = strlen(message);
  if (length >= sizeof error.message) length = sizeof error.message - 1;
  memcpy(error.message, message, length);
  return core_raise(&error);
}

// ---- patience -------------------------------------------------------------------------------------

static double now(void) {
  struct timespec t;
  return timespec_get(&t, TIME_UTC) ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

void core_patience_start(core_patience *patience) { patience->next = now() + 0.05; }

int core_patience_over(core_patience *patience) {
  if (now() < patience->next) return 0;
  core_patience_start(patience);
  return 1;
}

// ---- functions ------------------------------------------------------------------------------------

static PyObject *names_of(const char *(*at)(int)) {
  PyObject *list = PyList_New(0);
  const char *name;
  for (int k = 0; list != NULL && (name = at(k)) != NULL; k++) {
    PyObject *text = core_text(name);
    if (text == NULL || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

static PyObject *built(PyObject *module, PyObject *nothing) {
  (void)module, (void)nothing;
  return core_dict("coordinates", names_of(hn_list_coordinates), "methods",
                   names_of(hn_list_methods), "formulas", names_of(hn_list_formulas), "independent",
                   names_of(hn_list_independent), "presets", names_of(hn_list_presets),
                   "linear_solvers", names_of(hn_list_linear_solvers), "units",
                   names_of(hn_list_units), NULL);
}

static PyObject *schema(PyObject *module, PyObject *nothing) {
  (void)module, (void)nothing;
  size_t needed = 0;
  hn_model_schema(NULL, 0, &needed);
  char *text = PyMem_Malloc(needed + 1);
  if (text == NULL) return PyErr_NoMemory();
  PyObject *result = hn_model_schema(text, needed, &needed) == HN_OK ? core_text(text) : NULL;
  if (result == NULL && !PyErr_Occurred()) PyErr_NoMemory();
  PyMem_Free(text);
  return result;
}

static PyObject *signal_difference(PyObject *module, PyObject *arguments) {
  (void)module;
  const char *name;
  double a, b;
  if (!PyArg_ParseTuple(arguments, "sdd", &name, &a, &b)) return NULL;
  return core_real(hn_signal_difference(name, a, b));
}

#define WORDS(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef functions[] = {
    {"load", WORDS(core_model_load), METH_VARARGS | METH_KEYWORDS, NULL},
    {"import_machine", core_import, METH_VARARGS, NULL},
    {"run", WORDS(core_run), METH_VARARGS | METH_KEYWORDS, NULL},
    {"read_table", core_table_read, METH_O, NULL},
    {"make_table", core_table_make, METH_VARARGS, NULL},
    {"mobility", core_mobility, METH_O, NULL},
    {"export", core_export, METH_VARARGS, NULL},
    {"equilibrium", core_equilibrium, METH_VARARGS, NULL},
    {"kinematics", core_kinematics, METH_VARARGS, NULL},
    {"linearize", core_linearize, METH_VARARGS, NULL},
    {"equations", core_equations, METH_VARARGS, NULL},
    {"inverse_dynamics", core_inverse_dynamics, METH_VARARGS, NULL},
    {"point_jacobian", core_point_jacobian, METH_VARARGS, NULL},
    {"composite", core_composite, METH_VARARGS, NULL},
    {"drive_forces", core_drive_forces, METH_VARARGS, NULL},
    {"recorded_forces", core_recorded_forces, METH_VARARGS, NULL},
    {"operating_point", core_operating_point, METH_O, NULL},
    {"release_drivers", core_release_drivers, METH_O, NULL},
    {"verify", WORDS(core_verify), METH_VARARGS | METH_KEYWORDS, NULL},
    {"compare", core_compare, METH_VARARGS, NULL},
    {"picture", core_picture, METH_VARARGS, NULL},
    {"fmu", core_fmu, METH_VARARGS, NULL},
    {"built", built, METH_NOARGS, NULL},
    {"options", core_list_options, METH_NOARGS, NULL},
    {"schema", schema, METH_NOARGS, NULL},
    {"signal_difference", signal_difference, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

int core_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type) {
  *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type != NULL ? PyModule_AddType(module, *type) : -1;
}

enum { TYPES = sizeof(core_state) / sizeof(PyTypeObject *) };
static PyTypeObject **types_of(PyObject *module) {
  return (PyTypeObject **)PyModule_GetState(module);
}

// In the order of core_state.
static PyType_Spec *const specs[TYPES] = {
    &core_model_spec, &core_simulation_spec, &core_view_spec, &core_table_spec,
    &core_sweep_spec, &core_recorder_spec,   &core_tyre_spec};

static int execute(PyObject *module) {
  for (int k = 0; k < TYPES; k++)
    if (core_add_type(module, specs[k], &types_of(module)[k]) < 0) return -1;
  return PyModule_AddStringConstant(module, "version", hn_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg) {
  for (int k = 0; k < TYPES; k++) Py_VISIT(types_of(module)[k]);
  return 0;
}

static int clear(PyObject *module) {
  for (int k = 0; k < TYPES; k++) Py_CLEAR(types_of(module)[k]);
  return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};
static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "holon._core",
                                        .m_doc = "Holon's C interface; use the package holon.",
                                        .m_size = sizeof(core_state),
                                        .m_methods = functions,
                                        .m_slots = slots,
                                        .m_traverse = traverse,
                                        .m_clear = clear};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
