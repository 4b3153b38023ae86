// Models: loading with settings and forces of the user, and what is in them.
#include "core.h"

#include <stdio.h>
#include <string.h>

// ---- lists of text ----------------------------------------------------------------------------------

const char **core_texts(PyObject *list, int *count) {
  Py_ssize_t n = list != NULL ? PyList_Size(list) : 0;
  const char **texts = n >= 0 ? PyMem_Calloc((size_t)n + 1, sizeof *texts) : NULL;
  if (texts == NULL) return NULL;
  for (Py_ssize_t k = 0; k < n; k++) {
    texts[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL);
    if (texts[k] != NULL) continue;
    PyMem_Free((void *)texts);
    return NULL;
  }
  *count = (int)n;
  return texts;
}

// ---- loading ----------------------------------------------------------------------------------------

static hn_status load(core_model *self, const char *path, const char *text, Py_ssize_t size,
                      const hn_load_options *options, hn_error *error) {
  hn_status status;
  PyThreadState *thread = PyEval_SaveThread();
  status = text != NULL ? hn_model_load_text(text, (size_t)size, path, options, &self->model, error)
                        : hn_model_load(path, options, &self->model, error);
  PyEval_RestoreThread(thread);
  return status;
}

// Raises the first mistake; the others are its attribute `others`.
static void tell(const core_model *self, hn_error *error, int more) {
  if (self->missing[0] != NULL) {
    snprintf(error->message, sizeof error->message, "acts on a body '%.200s' that is not there",
             self->missing[1]);
    error->hint[0] = '\0';
  }
  core_raise(error);
  PyObject *type, *first, *trace, *others = PyList_New(0);
  PyErr_Fetch(&type, &first, &trace);
  PyErr_NormalizeException(&type, &first, &trace);
  for (int k = 1; k <= more && others != NULL; k++) {
    PyObject *next = core_error(&error[k]);
    if (next == NULL || PyList_Append(others, next) < 0) Py_CLEAR(others);
    Py_XDECREF(next);
  }
  if (others == NULL || PyObject_SetAttrString(first, "others", others) < 0) PyErr_Clear();
  Py_XDECREF(others);
  PyErr_Restore(type, first, trace);
}

PyObject *core_model_load(PyObject *module, PyObject *arguments, PyObject *words) {
  static char *names[] = {"path",     "text",           "settings",    "strict", "forces",
                          "overlays", "allow_compiled", "max_entries", NULL};
  const char *path, *text = NULL;
  Py_ssize_t size = 0;
  PyObject *settings = NULL, *forces = NULL, *overlays = NULL;
  hn_load_options options = hn_default_load_options();
  if (!PyArg_ParseTupleAndKeywords(arguments, words, "s|z#O!pO!O!pl", names, &path, &text, &size,
                                   &PyList_Type, &settings, &options.strict, &PyList_Type, &forces,
                                   &PyList_Type, &overlays, &options.allow_compiled,
                                   &options.max_entries))
    return NULL;
  core_state *state = PyModule_GetState(module);
  allocfunc allocate = (allocfunc)PyType_GetSlot(state->model, Py_tp_alloc);
  core_model *self = (core_model *)allocate(state->model, 0);
  if (self == NULL) return NULL;
  const char **set = core_texts(settings, &options.setting_count);
  const char **over = set != NULL ? core_texts(overlays, &options.overlay_count) : NULL;
  options.settings = set;
  options.overlays = over;
  options.complete = core_forces_add;
  options.complete_context = self;
  hn_error error[HN_LOAD_ERRORS] = {{.status = HN_OK}};
  int more = 0;
  options.more = error + 1;
  options.more_room = HN_LOAD_ERRORS - 1;
  options.more_count = &more;
  int is_fine = over != NULL && core_forces_take(self, forces);
  if (is_fine && load(self, path, text, size, &options, error) != HN_OK) {
    tell(self, error, more < HN_LOAD_ERRORS ? more : HN_LOAD_ERRORS - 1);
    is_fine = 0;
  }
  PyMem_Free((void *)set);
  PyMem_Free((void *)over);
  if (is_fine) return (PyObject *)self;
  Py_DECREF(self);
  return NULL;
}

static void dealloc(PyObject *object) {
  core_model *self = (core_model *)object;
  PyTypeObject *type = Py_TYPE(object);
  hn_model_free(self->model);
  core_forces_free(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

// ---- asking -----------------------------------------------------------------------------------------

static PyObject *names(const hn_model *model, int first, int count,
                       const char *(*name)(const hn_model *, int)) {
  PyObject *list = PyList_New(0);
  for (int k = first; list != NULL && k < first + count; k++) {
    PyObject *text = core_text(name(model, k));
    if (text == NULL || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

static PyObject *inputs(const hn_model *model) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < hn_model_input_count(model); k++) {
    const hn_input_def *input = hn_model_input(model, k);
    PyObject *item = Py_BuildValue("(Nd N)", core_text(input->name), input->value,
                                   core_text(input->unit != NULL ? input->unit : ""));
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *warnings(const hn_model *model) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < hn_model_warning_count(model); k++) {
    const hn_warning *warning = hn_model_warning(model, k);
    PyObject *item = Py_BuildValue("(NNi)", core_text(warning->element),
                                   core_text(warning->message), warning->is_note);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *facts(PyObject *object, PyObject *nothing) {
  (void)nothing;
  const hn_model *model = ((core_model *)object)->model;
  const hn_simulation_defaults *defaults = hn_model_defaults(model);
  return core_dict("name", core_text(hn_model_name(model)), "title",
                   core_text(hn_model_title(model)), "bodies",
                   names(model, 1, hn_model_body_count(model), hn_model_body_name), "joints",
                   names(model, 0, hn_model_joint_count(model), hn_model_joint_name), "drivers",
                   names(model, 0, hn_model_driver_count(model), hn_model_driver_name), "forces",
                   names(model, 0, hn_model_force_count(model), hn_model_force_name), "outputs",
                   names(model, 0, hn_model_output_count(model), hn_model_output_name), "inputs",
                   inputs(model), "warnings", warnings(model), "time", core_real(defaults->time),
                   "tol", core_real(defaults->tol), "output_step", core_real(defaults->output_step),
                   "hash", PyLong_FromUnsignedLongLong(hn_model_hash(model)), NULL);
}

static PyObject *joint_type(PyObject *object, PyObject *index) {
  const hn_model *model = ((core_model *)object)->model;
  long k = PyLong_AsLong(index);
  if (k < 0 || k >= hn_model_joint_count(model)) return core_text("");
  return core_text(hn_joint_type_name(hn_model_joint_type(model, (int)k)));
}

static PyMethodDef methods[] = {{"facts", facts, METH_NOARGS, NULL},
                                {"joint_type", joint_type, METH_O, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)dealloc}, {Py_tp_methods, methods}, {0, NULL}};
PyType_Spec core_model_spec = {.name = "holon._core.Model",
                               .basicsize = sizeof(core_model),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = slots};
