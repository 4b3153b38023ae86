// Sweeps: rows that are made and run by the library, the lock of the interpreter let go.
#include "core.h"

#include <string.h>

typedef struct core_sweep {
  PyObject_HEAD hn_sweep *sweep;
  PyObject *kept; // what the job points to
  const char **settings, **outputs, **overlays;
  core_model own; // its forces, which every row's model gets
} core_sweep;

static int make(core_sweep *self, const hn_sweep_plan *plan, const hn_sweep_job *job) {
  hn_error error = {.status = HN_OK};
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_sweep_create(plan, job, &self->sweep, &error);
  PyEval_RestoreThread(thread);
  if (status != HN_OK) core_raise(&error);
  return !PyErr_Occurred(); // a force may have raised one
}

// (path, text, settings, vary, sample, seed, table, outputs, time, output_step, options, forces,
// overlays, allow_compiled, max_entries)
static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *words) {
  hn_sweep_plan plan = {.vary_count = 0};
  hn_sweep_job job = hn_default_sweep_job();
  PyObject *settings, *vary, *outputs, *options, *forces, *overlays;
  Py_ssize_t text_size = 0;
  Py_buffer table = {.buf = NULL};
  (void)words;
  if (!PyArg_ParseTuple(arguments, "sz#O!O!zKy*O!ddO!O!O!pl", &job.path, &job.text, &text_size,
                        &PyList_Type, &settings, &PyList_Type, &vary, &plan.sample, &plan.seed,
                        &table, &PyList_Type, &outputs, &job.time, &job.output_step, &PyDict_Type,
                        &options, &PyList_Type, &forces, &PyList_Type, &overlays,
                        &job.load.allow_compiled, &job.load.max_entries))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  core_sweep *self = (core_sweep *)allocate(type, 0);
  int is_fine = self != NULL && core_options(options, &job.simulation) &&
                core_forces_take(&self->own, forces);
  if (is_fine) {
    self->kept = Py_NewRef(arguments);
    job.load.complete = core_forces_add;
    job.load.complete_context = &self->own;
    self->settings = core_texts(settings, &job.load.setting_count);
    self->outputs = core_texts(outputs, &job.output_count);
    plan.vary = core_texts(vary, &plan.vary_count);
    self->overlays = core_texts(overlays, &job.load.overlay_count);
    job.load.settings = self->settings;
    job.load.overlays = self->overlays;
    job.outputs = self->outputs;
    job.text_size = (size_t)text_size;
    plan.table = table.buf;
    plan.table_rows = plan.vary_count > 0 ? (long)(table.len / 8 / plan.vary_count) : 0;
    is_fine = self->settings != NULL && self->outputs != NULL && self->overlays != NULL &&
              plan.vary != NULL && make(self, &plan, &job);
  }
  PyMem_Free((void *)plan.vary);
  PyBuffer_Release(&table);
  if (is_fine) return (PyObject *)self;
  if (!PyErr_Occurred()) PyErr_NoMemory();
  Py_XDECREF((PyObject *)self);
  return NULL;
}

static void dealloc(PyObject *object) {
  core_sweep *self = (core_sweep *)object;
  PyTypeObject *type = Py_TYPE(object);
  hn_sweep_free(self->sweep);
  core_forces_free(&self->own);
  PyMem_Free((void *)self->settings);
  PyMem_Free((void *)self->outputs);
  PyMem_Free((void *)self->overlays);
  Py_XDECREF(self->kept);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *header(PyObject *object, PyObject *nothing) {
  (void)nothing;
  const hn_sweep *sweep = ((core_sweep *)object)->sweep;
  size_t size = hn_sweep_header(sweep, NULL, 0);
  char *text = PyMem_Malloc(size + 1);
  if (text == NULL) return PyErr_NoMemory();
  hn_sweep_header(sweep, text, size + 1);
  PyObject *result = core_text(text);
  PyMem_Free(text);
  return result;
}

static PyObject *facts(PyObject *object, PyObject *nothing) {
  (void)nothing;
  const hn_sweep *sweep = ((core_sweep *)object)->sweep;
  return Py_BuildValue("(liiK)", hn_sweep_rows(sweep), hn_sweep_parameter_count(sweep),
                       hn_sweep_column_count(sweep), hn_sweep_hash(sweep));
}

// (line, message or None, certificate or None) of a row
static PyObject *run(PyObject *object, PyObject *number) {
  core_sweep *self = (core_sweep *)object;
  long row = PyLong_AsLong(number);
  if (PyErr_Occurred()) return NULL;
  hn_sweep_result result;
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_sweep_run(self->sweep, row, &result);
  PyEval_RestoreThread(thread);
  if (status != HN_OK) return core_raise_status(status, "there is no such row");
  if (PyErr_Occurred()) { // a force raised it: no row of the table, but the end of the sweep
    hn_sweep_result_free(&result);
    return NULL;
  }
  char message[4096] = "";
  if (result.status != HN_OK) hn_error_format(&result.error, message, sizeof message);
  size_t size = hn_sweep_line(self->sweep, row, &result, NULL, 0);
  char *line = PyMem_Malloc(size + 1);
  PyObject *all = NULL;
  if (line != NULL) {
    hn_sweep_line(self->sweep, row, &result, line, size + 1);
    all = Py_BuildValue("(NNN)", core_text(line), core_text(message[0] ? message : NULL),
                        core_text(result.certificate));
  }
  PyMem_Free(line);
  hn_sweep_result_free(&result);
  return all != NULL || PyErr_Occurred() ? all : PyErr_NoMemory();
}

static PyMethodDef methods[] = {{"header", header, METH_NOARGS, NULL},
                                {"facts", facts, METH_NOARGS, NULL},
                                {"run", run, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, (void *)create},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
PyType_Spec core_sweep_spec = {.name = "holon._core.Sweep",
                               .basicsize = sizeof(core_sweep),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = slots};
