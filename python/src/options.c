// The options of a simulation from a dictionary, by the rows of holon/options.h.
#include "core.h"

static int set(const hn_option *o, PyObject *value, hn_simulation_options *options) {
  void *field = (char *)options + o->offset;
  switch (o->kind) {
  case HN_OPTION_WORD:
    *(const char **)field = PyUnicode_AsUTF8AndSize(value, NULL);
    return *(const char **)field != NULL;
  case HN_OPTION_SIZE:
  case HN_OPTION_NUMBER: *(double *)field = PyFloat_AsDouble(value); break;
  case HN_OPTION_COUNT:
  case HN_OPTION_FLAG: *(int *)field = (int)PyLong_AsLong(value); break;
  case HN_OPTION_LONG: *(long *)field = PyLong_AsLong(value); break;
  }
  return !PyErr_Occurred();
}

int core_options(PyObject *dictionary, hn_simulation_options *options) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  *options = hn_default_simulation_options();
  while (PyDict_Next(dictionary, &at, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (name == NULL) return 0;
    if (Py_IsNone(value)) continue;
    const hn_option *o = hn_option_find(name);
    if (o == NULL) {
      PyErr_Format(PyExc_TypeError, "a simulation has no option '%s'", name);
      return 0;
    }
    if (set(o, value, options)) continue;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return 0;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "option '%s' is %s, not %R", name,
                 o->kind == HN_OPTION_WORD ? "text" : "a number", value);
    return 0;
  }
  return 1;
}

// [(name, unit, usual, help), ...]
PyObject *core_list_options(PyObject *module, PyObject *nothing) {
  (void)module, (void)nothing;
  PyObject *list = PyList_New(0);
  const hn_option *o;
  for (int k = 0; list != NULL && (o = hn_option_at(k)) != NULL; k++) {
    PyObject *row = Py_BuildValue("(ssss)", o->name, o->unit, o->usual, o->help);
    if (row == NULL || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  return list;
}
