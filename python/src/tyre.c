// Tyres by themselves: forces at many slips at once.
#include "core.h"

#include <string.h>

typedef struct core_tyre {
  PyObject_HEAD hn_tyre *tyre;
} core_tyre;

// (path, side: 0 as the file says, 1 left, 2 right)
static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *words) {
  const char *path;
  int side;
  hn_error error = {.status = HN_OK};
  (void)words;
  if (!PyArg_ParseTuple(arguments, "si", &path, &side)) return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  core_tyre *self = (core_tyre *)allocate(type, 0);
  if (self == NULL) return NULL;
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_tyre_load(path, &self->tyre, &error);
  PyEval_RestoreThread(thread);
  if (status != HN_OK) {
    Py_DECREF(self);
    return core_raise(&error);
  }
  hn_tyre_mount(self->tyre, (hn_tyre_side)side);
  return (PyObject *)self;
}

static void dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  hn_tyre_free(((core_tyre *)object)->tyre);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

// (model, side of the file, notes)
static PyObject *facts(PyObject *object, PyObject *nothing) {
  static const char *const sides[] = {"as the file says", "left", "right"};
  (void)nothing;
  const hn_tyre *tyre = ((core_tyre *)object)->tyre;
  PyObject *notes = PyList_New(0);
  const char *note;
  for (int k = 0; notes != NULL && (note = hn_tyre_note(tyre, k)) != NULL; k++) {
    PyObject *text = core_text(note);
    if (text == NULL || PyList_Append(notes, text) < 0) Py_CLEAR(notes);
    Py_XDECREF(text);
  }
  if (notes == NULL) return NULL;
  return Py_BuildValue("(ssN)", hn_tyre_model_name(hn_tyre_model_of(tyre)),
                       sides[hn_tyre_side_of(tyre)], notes);
}

static PyObject *number(PyObject *object, PyObject *key) {
  const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
  return name != NULL ? core_real(hn_tyre_number(((core_tyre *)object)->tyre, name)) : NULL;
}

static void evaluate_rows(const hn_tyre *tyre, const Py_buffer *slips, double *forces,
                          double *derivatives) {
  const size_t rows = (size_t)slips->len / sizeof(hn_tyre_slip);
  for (size_t k = 0; k < rows; k++) {
    hn_tyre_slip slip;
    hn_tyre_forces found;
    double d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
    memcpy(&slip, (const char *)slips->buf + k * sizeof slip, sizeof slip);
    hn_tyre_evaluate(tyre, &slip, &found, derivatives != NULL ? d : NULL);
    memcpy(forces + k * HN_TYRE_OUTPUTS, &found, sizeof found);
    if (derivatives != NULL)
      memcpy(derivatives + k * HN_TYRE_OUTPUTS * HN_TYRE_INPUTS, d, sizeof d);
  }
}

static int fits(const Py_buffer *buffer, Py_ssize_t rows, Py_ssize_t width) {
  return buffer->itemsize == 8 && buffer->len == 8 * rows * width;
}

// (slips (n x 6), forces (n x 5), derivatives (n x 5 x 6) or None): buffers of float64
static PyObject *evaluate(PyObject *object, PyObject *arguments) {
  Py_buffer slips, forces, derivatives = {.buf = NULL};
  PyObject *wanted;
  if (!PyArg_ParseTuple(arguments, "y*w*O", &slips, &forces, &wanted)) return NULL;
  const Py_ssize_t rows = slips.len / (Py_ssize_t)sizeof(hn_tyre_slip);
  int is_fine = fits(&slips, rows, HN_TYRE_INPUTS) && fits(&forces, rows, HN_TYRE_OUTPUTS);
  if (is_fine && !Py_IsNone(wanted))
    is_fine = PyObject_GetBuffer(wanted, &derivatives, PyBUF_CONTIG) == 0 &&
              fits(&derivatives, rows, HN_TYRE_OUTPUTS * HN_TYRE_INPUTS);
  if (is_fine) {
    PyThreadState *thread = PyEval_SaveThread();
    evaluate_rows(((core_tyre *)object)->tyre, &slips, forces.buf, derivatives.buf);
    PyEval_RestoreThread(thread);
  } else if (!PyErr_Occurred()) {
    PyErr_SetString(PyExc_ValueError, "slips are rows of 6, forces of 5, derivatives of 5 x 6");
  }
  PyBuffer_Release(&slips);
  PyBuffer_Release(&forces);
  if (derivatives.obj != NULL) PyBuffer_Release(&derivatives);
  if (!is_fine) return NULL;
  Py_RETURN_NONE;
}

// (camber, load) -> (deflection, loaded and effective radius, relaxation lengths)
static PyObject *sizes(PyObject *object, PyObject *arguments) {
  double gamma, fz;
  if (!PyArg_ParseTuple(arguments, "dd", &gamma, &fz)) return NULL;
  hn_tyre_sizes s = hn_tyre_measure(((core_tyre *)object)->tyre, gamma, fz);
  return Py_BuildValue("(ddddd)", s.deflection, s.r_loaded, s.r_effective, s.sigma_kappa,
                       s.sigma_alpha);
}

static PyMethodDef methods[] = {{"facts", facts, METH_NOARGS, NULL},
                                {"number", number, METH_O, NULL},
                                {"evaluate", evaluate, METH_VARARGS, NULL},
                                {"sizes", sizes, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, (void *)create},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec core_tyre_spec = {.name = "holon._core.Tyre",
                              .basicsize = sizeof(core_tyre),
                              .flags = Py_TPFLAGS_DEFAULT,
                              .slots = slots};
