// Rows and frames of a simulation that is stepped from outside, kept as a run keeps them.
#include "core.h"

typedef struct core_recorder {
  PyObject_HEAD core_simulation *of;
  hn_results *rows;
  hn_scene *scene; // null: none
} core_recorder;

// Frames stand where rows do; the rate is only what players are told.
static hn_status begin(core_recorder *self, const char **signals, int count, int has_scene,
                       hn_error *error) {
  enum { RATE = 60 };
  hn_simulation *s = self->of->simulation;
  hn_status status = hn_results_create(s, signals, count, &self->rows, error);
  if (status == HN_OK && has_scene)
    status = hn_scene_create(s, hn_simulation_time(s) + 1, RATE, &self->scene, error);
  return status;
}

// (simulation, globs of signals, whether there is a scene)
static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *words) {
  core_state *state = PyType_GetModuleState(type);
  PyObject *of, *signals;
  int has_scene, count = 0;
  (void)words;
  if (!PyArg_ParseTuple(arguments, "O!O!p", state->simulation, &of, &PyList_Type, &signals,
                        &has_scene))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  core_recorder *self = (core_recorder *)allocate(type, 0);
  if (self == NULL) return NULL;
  self->of = (core_simulation *)Py_NewRef(of);
  const char **globs = core_texts(signals, &count);
  hn_error error = {.status = HN_OK};
  int is_fine = globs != NULL && core_begin(self->of);
  if (is_fine) {
    is_fine = begin(self, globs, count, has_scene, &error) == HN_OK;
    core_end(self->of);
    if (!is_fine) core_raise(&error);
  }
  PyMem_Free((void *)globs);
  if (is_fine) return (PyObject *)self;
  if (!PyErr_Occurred()) PyErr_NoMemory();
  Py_DECREF(self);
  return NULL;
}

static void dealloc(PyObject *object) {
  core_recorder *self = (core_recorder *)object;
  PyTypeObject *type = Py_TYPE(object);
  hn_results_free(self->rows);
  hn_scene_free(self->scene);
  Py_XDECREF((PyObject *)self->of);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *row(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_recorder *self = (core_recorder *)object;
  if (!core_begin(self->of)) return NULL;
  hn_status status = hn_results_record(self->rows, self->of->simulation);
  if (status == HN_OK && self->scene != NULL)
    status = hn_scene_record(self->scene, self->of->simulation);
  core_end(self->of);
  if (PyErr_Occurred()) return NULL;
  if (status != HN_OK) return core_raise_status(status, "a row cannot be recorded");
  Py_RETURN_NONE;
}

static hn_status copy(const hn_results *rows, hn_results **to, hn_error *error) {
  const int count = hn_results_signal_count(rows);
  const char **texts = PyMem_Calloc(2 * (size_t)count + 1, sizeof *texts);
  const double **columns = PyMem_Calloc((size_t)count + 1, sizeof *columns);
  hn_status status = HN_ERROR_MEMORY;
  if (texts != NULL && columns != NULL) {
    for (int k = 0; k < count; k++) {
      texts[k] = hn_results_signal_name(rows, k);
      texts[count + k] = hn_results_signal_unit(rows, k);
      columns[k] = hn_results_column(rows, k);
    }
    status = hn_results_make(texts, texts + count, count, hn_results_time(rows), columns,
                             hn_results_row_count(rows), to, error);
  }
  PyMem_Free((void *)texts);
  PyMem_Free((void *)columns);
  return status;
}

// (table, scene or None) of what was recorded up to now
static PyObject *results(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_recorder *self = (core_recorder *)object;
  hn_results *rows = NULL;
  hn_error error = {.status = HN_ERROR_MEMORY};
  if (copy(self->rows, &rows, &error) != HN_OK) return core_raise(&error);
  if (self->scene != NULL) hn_scene_finish(self->scene, "ok", "");
  PyObject *table = core_table_new(core_state_of(object), rows);
  return table != NULL ? Py_BuildValue("(NN)", table, core_scene(self->scene)) : NULL;
}

static PyMethodDef methods[] = {{"row", row, METH_NOARGS, NULL},
                                {"results", results, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, (void *)create},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec core_recorder_spec = {.name = "holon._core.Recorder",
                                  .basicsize = sizeof(core_recorder),
                                  .flags = Py_TPFLAGS_DEFAULT,
                                  .slots = slots};
