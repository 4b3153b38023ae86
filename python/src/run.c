// Whole runs: rows and frames are kept in memory, the lock of the interpreter let go.
#include "core.h"

#include <math.h>

// ---- the plan ---------------------------------------------------------------------------------------

typedef struct run {
  core_simulation *self;
  core_state *state;
  hn_run_plan plan;
  const char **globs;
  hn_input_table *tables;
  int **inputs; // numbers of inputs, one list a table
  int is_kinematics;
  hn_recording recording;
  hn_run_sink sink;
  hn_run_outcome outcome;
  core_patience patience;
  PyThreadState *thread;
} run;

static int take_globs(run *r, PyObject *list) {
  Py_ssize_t count = PyList_Size(list);
  r->globs = PyMem_Calloc((size_t)count + 1, sizeof *r->globs);
  if (r->globs == NULL) return 0;
  for (Py_ssize_t k = 0; k < count; k++) {
    r->globs[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL);
    if (r->globs[k] == NULL) return 0;
  }
  r->plan.signals = r->globs;
  r->plan.signal_count = (int)count;
  return 1;
}

// Tables whose columns are named like inputs of the model.
static int take_table(run *r, int index, PyObject *item) {
  if (!Py_IS_TYPE(item, r->state->table)) {
    PyErr_SetString(PyExc_TypeError, "a table of inputs is needed");
    return 0;
  }
  const hn_results *rows = ((core_table *)item)->results;
  int count = hn_results_signal_count(rows);
  r->inputs[index] = PyMem_Calloc((size_t)count + 1, sizeof(int));
  if (r->inputs[index] == NULL) return 0;
  for (int k = 0; k < count; k++) {
    const char *name = hn_results_signal_name(rows, k);
    r->inputs[index][k] = hn_model_find_input(r->self->model->model, name);
    if (r->inputs[index][k] < 0) {
      PyErr_Format(PyExc_KeyError, "the model has no input '%s'", name);
      return 0;
    }
  }
  r->tables[index] = (hn_input_table){rows, r->inputs[index]};
  return 1;
}

static int take_tables(run *r, PyObject *list) {
  int count = (int)PyList_Size(list);
  r->tables = PyMem_Calloc((size_t)count + 1, sizeof *r->tables);
  r->inputs = PyMem_Calloc((size_t)count + 1, sizeof *r->inputs);
  if (r->tables == NULL || r->inputs == NULL) return 0;
  r->plan.tables = r->tables;
  r->plan.table_count = count;
  for (int k = 0; k < count; k++)
    if (!take_table(r, k, PyList_GetItem(list, k))) return 0;
  return 1;
}

// ---- the run ----------------------------------------------------------------------------------------

static hn_status on_row(void *context, hn_simulation *simulation, hn_error *error) {
  run *r = context;
  return r->sink.row != NULL ? r->sink.row(r->sink.context, simulation, error) : HN_OK;
}

static hn_status on_frame(void *context, hn_simulation *simulation, hn_error *error) {
  run *r = context;
  return r->sink.frame != NULL ? r->sink.frame(r->sink.context, simulation, error) : HN_OK;
}

static double next_frame(void *context) {
  run *r = context;
  return r->sink.next_frame != NULL ? r->sink.next_frame(r->sink.context) : HUGE_VAL;
}

static void on_progress(void *context, const hn_simulation *simulation) {
  run *r = context;
  (void)simulation;
  if (!core_patience_over(&r->patience)) return;
  PyEval_RestoreThread(r->thread);
  if (PyErr_CheckSignals() < 0) hn_simulation_interrupt(r->self->simulation);
  r->thread = PyEval_SaveThread();
}

static hn_status go(run *r, hn_error *error) {
  hn_simulation *simulation = r->self->simulation;
  core_patience_start(&r->patience);
  r->thread = PyEval_SaveThread();
  hn_status status =
      hn_recording_create(simulation, &r->plan, r->is_kinematics, &r->recording, error);
  if (status == HN_OK) {
    r->sink = hn_recording_sink(&r->recording);
    hn_run_sink own = {on_row, on_frame, next_frame, on_progress, r};
    if (r->is_kinematics)
      hn_run_kinematics(simulation, &r->plan, &own, &r->outcome);
    else
      hn_run(simulation, &r->plan, &own, &r->outcome);
    if (r->recording.scene != NULL)
      hn_scene_finish(r->recording.scene, r->outcome.status == HN_OK ? "ok" : "failed", "");
  }
  PyEval_RestoreThread(r->thread);
  return status;
}

// ---- what is handed back --------------------------------------------------------------------------

static PyObject *accuracy_signals(const hn_accuracy *accuracy) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < accuracy->signal_count; k++) {
    const hn_accuracy_signal *s = &accuracy->signals[k];
    PyObject *item = Py_BuildValue("(Nddddd)", core_text(s->name), s->absolute, s->relative,
                                   s->last, s->largest, s->at);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *accuracy_of(const hn_simulation *simulation) {
  const hn_accuracy *a = hn_simulation_accuracy(simulation);
  if (a == NULL) return Py_NewRef(Py_None);
  return core_dict("is_estimated", PyBool_FromLong(a->is_estimated), "how", core_text(a->how),
                   "tolerance", core_real(a->tolerance), "worst", core_real(a->worst),
                   "worst_signal", core_text(a->worst_signal), "motion", core_real(a->motion),
                   "motion_signal", core_text(a->motion_signal), "promise", core_real(a->promise),
                   "until", core_real(a->until), "is_sensitive", PyBool_FromLong(a->is_sensitive),
                   "growth", core_real(a->growth), "events_compared",
                   PyLong_FromLong(a->events_compared), "event_time", core_real(a->event_time),
                   "signals", accuracy_signals(a), NULL);
}

PyObject *core_scene(const hn_scene *scene) {
  if (scene == NULL) return Py_NewRef(Py_None);
  size_t needed = 0;
  hn_scene_json(scene, NULL, 0, &needed);
  char *text = PyMem_Malloc(needed + 1);
  if (text == NULL) return PyErr_NoMemory();
  if (hn_scene_json(scene, text, needed, NULL) != HN_OK) {
    PyMem_Free(text);
    return PyErr_NoMemory();
  }
  PyObject *pair = Py_BuildValue(
      "(Ny#)", core_text(text), (const char *)scene->motion,
      (Py_ssize_t)((size_t)scene->frames * (size_t)scene->stride * sizeof *scene->motion));
  PyMem_Free(text);
  return pair;
}

static PyObject *failure_of(const run *r) {
  if (r->outcome.status == HN_OK) return Py_NewRef(Py_None);
  core_raise(&r->outcome.error);
  PyObject *type, *exception, *trace;
  PyErr_Fetch(&type, &exception, &trace);
  PyErr_NormalizeException(&type, &exception, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return exception;
}

static PyObject *result_of(run *r) {
  PyObject *all = core_table_new(r->state, r->recording.all);
  r->recording.all = NULL;
  return core_dict("table", all, "scene", core_scene(r->recording.scene), "accuracy",
                   accuracy_of(r->self->simulation), "start", core_real(r->outcome.start), "end",
                   core_real(r->outcome.end), "time", core_real(r->outcome.time), "failure",
                   failure_of(r), NULL);
}

static void run_free(run *r) {
  for (int k = 0; r->inputs != NULL && k < r->plan.table_count; k++) PyMem_Free(r->inputs[k]);
  PyMem_Free(r->inputs);
  PyMem_Free(r->tables);
  PyMem_Free((void *)r->globs);
  hn_recording_free(&r->recording);
}

PyObject *core_run(PyObject *module, PyObject *arguments, PyObject *words) {
  static char *names[] = {"simulation", "signals",  "tables",     "time", "output_step",
                          "scene",      "accuracy", "kinematics", NULL};
  run r = {.state = PyModule_GetState(module)};
  PyObject *signals, *tables;
  int scene = 0, accuracy = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, words, "O!O!O!ddpip", names, r.state->simulation,
                                   &r.self, &PyList_Type, &signals, &PyList_Type, &tables,
                                   &r.plan.time, &r.plan.output_step, &scene, &accuracy,
                                   &r.is_kinematics))
    return NULL;
  r.plan.size = sizeof r.plan;
  r.plan.without_scene = !scene;
  r.plan.accuracy = (hn_accuracy_wish)accuracy;
  PyObject *result = NULL;
  hn_error error = {.status = HN_OK};
  if (take_globs(&r, signals) && take_tables(&r, tables) && core_begin(r.self)) {
    hn_status status = go(&r, &error);
    if (status != HN_OK)
      core_raise(&error);
    else if (!PyErr_Occurred())
      result = result_of(&r);
    core_end(r.self);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  run_free(&r);
  return result;
}
