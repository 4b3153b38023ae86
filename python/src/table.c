// Tables in memory: what a run recorded, what a file holds, or what arrays hold.
#include "core.h"

#include <string.h>

PyObject *core_table_new(core_state *state, hn_results *results) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(state->table, Py_tp_alloc);
  core_table *self = (core_table *)allocate(state->table, 0);
  if (self == NULL)
    hn_results_free(results);
  else
    self->results = results;
  return (PyObject *)self;
}

PyObject *core_table_read(PyObject *module, PyObject *path) {
  const char *name = PyUnicode_AsUTF8AndSize(path, NULL);
  hn_results *results = NULL;
  hn_error error = {.status = HN_OK};
  if (name == NULL) return NULL;
  if (hn_results_read(name, &results, &error) != HN_OK) return core_raise(&error);
  return core_table_new(PyModule_GetState(module), results);
}

static void table_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  hn_results_free(((core_table *)object)->results);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *table_signals(PyObject *object, PyObject *nothing) {
  (void)nothing;
  const hn_results *results = ((core_table *)object)->results;
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < hn_results_signal_count(results); k++) {
    const char *unit = hn_results_signal_unit(results, k);
    PyObject *pair = Py_BuildValue("(NN)", core_text(hn_results_signal_name(results, k)),
                                   core_text(unit != NULL ? unit : ""));
    if (pair == NULL || PyList_Append(list, pair) < 0) Py_CLEAR(list);
    Py_XDECREF(pair);
  }
  return list;
}

// The column of a number; -1: time.
static PyObject *table_column(PyObject *object, PyObject *index) {
  const hn_results *results = ((core_table *)object)->results;
  long k = PyLong_AsLong(index);
  if (PyErr_Occurred()) return NULL;
  if (k < -1 || k >= hn_results_signal_count(results)) {
    PyErr_SetString(PyExc_IndexError, "there is no column of this number");
    return NULL;
  }
  const double *data = k < 0 ? hn_results_time(results) : hn_results_column(results, (int)k);
  return core_view(core_state_of(object), object, data, hn_results_row_count(results), "d");
}

static PyObject *table_write(PyObject *object, PyObject *arguments) {
  const char *path, *format;
  hn_error error = {.status = HN_OK};
  if (!PyArg_ParseTuple(arguments, "ss", &path, &format)) return NULL;
  hn_results_format kind = strcmp(format, "hdf5") == 0  ? HN_RESULTS_HDF5
                           : strcmp(format, "npz") == 0 ? HN_RESULTS_NPZ
                                                        : HN_RESULTS_CSV;
  if (hn_results_write(((core_table *)object)->results, path, kind, 1, &error) != HN_OK)
    return core_raise(&error);
  Py_RETURN_NONE;
}

static PyMethodDef table_methods[] = {{"signals", table_signals, METH_NOARGS, NULL},
                                      {"column", table_column, METH_O, NULL},
                                      {"write", table_write, METH_VARARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot table_slots[] = {
    {Py_tp_dealloc, (void *)table_dealloc}, {Py_tp_methods, table_methods}, {0, NULL}};
PyType_Spec core_table_spec = {.name = "holon._core.Table",
                               .basicsize = sizeof(core_table),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = table_slots};

// ---- from arrays ------------------------------------------------------------------------------------

typedef struct arrays {
  Py_buffer *buffers; // of time, then of each column
  const double **columns;
  int taken;
} arrays;

static void arrays_free(arrays *a) {
  for (int k = 0; k < a->taken; k++) PyBuffer_Release(&a->buffers[k]);
  PyMem_Free(a->buffers);
  PyMem_Free((void *)a->columns);
}

// Buffers of float64, all of one length.
static int take_array(arrays *a, PyObject *object) {
  Py_buffer *buffer = &a->buffers[a->taken];
  if (PyObject_GetBuffer(object, buffer, PyBUF_CONTIG_RO) < 0) return 0;
  a->columns[a->taken++] = buffer->buf;
  if (buffer->itemsize == 8 && buffer->len == a->buffers[0].len) return 1;
  PyErr_SetString(PyExc_ValueError, "columns are float64, of one length");
  return 0;
}

static int take_arrays(arrays *a, PyObject *time, PyObject *list, int count) {
  a->buffers = PyMem_Calloc((size_t)count + 1, sizeof *a->buffers);
  a->columns = PyMem_Calloc((size_t)count + 1, sizeof *a->columns);
  if (a->buffers == NULL || a->columns == NULL) return PyErr_NoMemory() != NULL;
  int is_fine = take_array(a, time);
  for (int k = 0; is_fine && k < count; k++) is_fine = take_array(a, PyList_GetItem(list, k));
  return is_fine;
}

// (names, units, time, columns) -> a table with copies of them
PyObject *core_table_make(PyObject *module, PyObject *arguments) {
  PyObject *of_names, *of_units, *time, *list, *result = NULL;
  int count = 0, units = 0;
  arrays a = {.taken = 0};
  hn_results *results = NULL;
  hn_error error = {.status = HN_OK};
  if (!PyArg_ParseTuple(arguments, "O!O!OO!", &PyList_Type, &of_names, &PyList_Type, &of_units,
                        &time, &PyList_Type, &list))
    return NULL;
  const char **names = core_texts(of_names, &count);
  const char **unit = names != NULL ? core_texts(of_units, &units) : NULL;
  if (unit != NULL && (units != count || PyList_Size(list) != count))
    PyErr_SetString(PyExc_ValueError, "every column has a name and a unit");
  else if (unit != NULL && take_arrays(&a, time, list, count)) {
    const int rows = (int)(a.buffers[0].len / 8);
    if (hn_results_make(names, unit, count, a.columns[0], a.columns + 1, rows, &results, &error) !=
        HN_OK)
      core_raise(&error);
    else
      result = core_table_new(PyModule_GetState(module), results);
  }
  if (result == NULL && !PyErr_Occurred()) PyErr_NoMemory();
  arrays_free(&a);
  PyMem_Free((void *)names);
  PyMem_Free((void *)unit);
  return result;
}
