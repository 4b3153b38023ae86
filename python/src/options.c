// The options of a simulation from a dictionary: one row for each.
#include "core.h"

#include <stddef.h>

typedef struct option {
  const char *name;
  char kind; // s: text, d: number, l: long, i: int
  size_t offset;
} option;

#define OPTION(field, kind)                                                                        \
  { #field, kind, offsetof(hn_simulation_options, field) }

static const option options_list[] = {OPTION(coordinates, 's'),
                                      OPTION(method, 's'),
                                      OPTION(formula, 's'),
                                      OPTION(independent, 's'),
                                      OPTION(linear_solver, 's'),
                                      OPTION(preset, 's'),
                                      OPTION(projection, 's'),
                                      OPTION(xi, 'd'),
                                      OPTION(alpha, 'd'),
                                      OPTION(rho, 'd'),
                                      OPTION(penalty, 'd'),
                                      OPTION(energy_upper, 'd'),
                                      OPTION(energy_lower, 'd'),
                                      OPTION(switch_step, 'd'),
                                      OPTION(tol, 'd'),
                                      OPTION(atol, 'd'),
                                      OPTION(rtol, 'd'),
                                      OPTION(step, 'd'),
                                      OPTION(first_step, 'd'),
                                      OPTION(max_step, 'd'),
                                      OPTION(min_step, 'd'),
                                      OPTION(max_steps, 'l'),
                                      OPTION(max_iterations, 'i'),
                                      OPTION(threads, 'i'),
                                      OPTION(skip_assembly, 'i'),
                                      OPTION(skip_equilibrium, 'i'),
                                      {NULL, 0, 0}};

static int set(const option *o, PyObject *value, hn_simulation_options *options) {
  void *field = (char *)options + o->offset;
  if (o->kind == 's') {
    *(const char **)field = PyUnicode_AsUTF8AndSize(value, NULL);
    return *(const char **)field != NULL;
  }
  if (o->kind == 'd') {
    *(double *)field = PyFloat_AsDouble(value);
  } else {
    long number = PyLong_AsLong(value);
    if (o->kind == 'l')
      *(long *)field = number;
    else
      *(int *)field = (int)number;
  }
  return !PyErr_Occurred();
}

int core_options(PyObject *dictionary, hn_simulation_options *options) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  *options = hn_default_simulation_options();
  options->tol = 0; // what is not said is taken from the model, as the command does
  options->coordinates = "auto";
  while (PyDict_Next(dictionary, &at, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (name == NULL) return 0;
    if (Py_IsNone(value)) continue;
    const option *o = options_list;
    while (o->name != NULL && PyUnicode_CompareWithASCIIString(key, o->name) != 0) o++;
    if (o->name == NULL) {
      PyErr_Format(PyExc_TypeError, "a simulation has no option '%s'", name);
      return 0;
    }
    if (!set(o, value, options)) return 0;
  }
  return 1;
}
