// Analyses: mobility, equilibrium, kinematics, verification; as dictionaries.
#include "core.h"

#include <math.h>

static core_simulation *simulation_of(PyObject *module, PyObject *object) {
  core_state *state = PyModule_GetState(module);
  if (Py_IS_TYPE(object, state->simulation)) return (core_simulation *)object;
  PyErr_SetString(PyExc_TypeError, "a simulation is needed");
  return NULL;
}

// ---- mobility ---------------------------------------------------------------------------------------

static PyObject *redundant_list(const core_simulation *self, const hn_redundant_joint *joints,
                                int count) {
  const hn_model *model = self->model->model;
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < count; k++) {
    const hn_redundant_joint *j = &joints[k];
    const char *name =
        j->is_driver ? hn_model_driver_name(model, j->id) : hn_model_joint_name(model, j->id);
    PyObject *rows = PyList_New(0);
    int components = 0;
    for (int i = 0; rows != NULL && i < 6; i++) {
      if (!j->here[i]) continue;
      PyObject *row = core_text(hn_reaction_component(i));
      if (row == NULL || PyList_Append(rows, row) < 0) Py_CLEAR(rows);
      Py_XDECREF(row);
      components++;
    }
    for (int i = 0; components == 0 && rows != NULL && i < j->row_count; i++) {
      const char *text =
          j->is_driver ? NULL : hn_joint_row_text(hn_model_joint_type(model, j->id), j->rows[i]);
      PyObject *row = core_text(text != NULL ? text : "driver");
      if (row == NULL || PyList_Append(rows, row) < 0) Py_CLEAR(rows);
      Py_XDECREF(row);
    }
    PyObject *item = rows != NULL ? Py_BuildValue("(NN)", core_text(name), rows) : NULL;
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

PyObject *core_mobility(PyObject *module, PyObject *object) {
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  hn_mobility m = {0};
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_simulation_mobility(self->simulation, &m);
  PyEval_RestoreThread(thread);
  core_end(self);
  if (status != HN_OK) return core_raise_simulation(self);
  PyObject *result = core_dict(
      "bodies", core_whole(m.bodies), "joints", core_whole(m.joints), "drivers",
      core_whole(m.drivers), "forces", core_whole(m.forces), "rows", core_whole(m.rows), "rank",
      core_whole(m.rank), "coordinates", core_whole(m.coordinates), "speeds", core_whole(m.speeds),
      "degrees_of_freedom", core_whole(m.degrees_of_freedom), "freedoms_of_speed",
      core_whole(m.degrees_of_freedom - m.nonholonomic), "loops", core_whole(m.loops), "parts",
      core_whole(m.parts), "redundant", redundant_list(self, m.redundant, m.redundant_count),
      "not_unique", redundant_list(self, m.not_unique, m.not_unique_count), "note",
      core_text(m.note), NULL);
  hn_mobility_free(&m);
  return result;
}

// ---- export -----------------------------------------------------------------------------------------

// All items of a fate: (element, kind, reason).
static PyObject *fate_list(const hn_export *made, hn_import_fate fate) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < hn_export_count(made, fate); k++) {
    hn_import_item item = hn_export_item_at(made, fate, k);
    PyObject *entry = Py_BuildValue("(sss)", item.what, item.kind, item.why);
    if (entry == NULL || PyList_Append(list, entry) < 0) {
      Py_DECREF(list);
      list = NULL;
    }
    Py_XDECREF(entry);
  }
  return list;
}

PyObject *core_export(PyObject *module, PyObject *arguments) {
  PyObject *object;
  int format;
  hn_export *made = NULL;
  hn_error error = {0};
  if (!PyArg_ParseTuple(arguments, "Oi", &object, &format)) return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  hn_status status =
      hn_export_make(self->simulation, (hn_export_format)format, NULL, &made, &error);
  core_end(self);
  if (status != HN_OK) return core_raise(&error);
  PyObject *result = core_dict(
      "text", core_text(hn_export_text(made)), "used", fate_list(made, HN_IMPORT_USED), "harmless",
      fate_list(made, HN_IMPORT_HARMLESS), "approximated", fate_list(made, HN_IMPORT_APPROXIMATED),
      "lost", fate_list(made, HN_IMPORT_LOST), NULL);
  hn_export_free(made);
  return result;
}

// ---- equilibrium, kinematics ------------------------------------------------------------------------

PyObject *core_equilibrium(PyObject *module, PyObject *arguments) {
  PyObject *object;
  hn_statics_options options = hn_default_statics_options();
  hn_statics_report r = {0};
  if (!PyArg_ParseTuple(arguments, "Oid", &object, &options.max_iterations, &options.tolerance))
    return NULL;
  hn_statics_options defaults = hn_default_statics_options();
  if (options.max_iterations <= 0) options.max_iterations = defaults.max_iterations;
  if (!(options.tolerance > 0)) options.tolerance = defaults.tolerance;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_simulation_equilibrium(self->simulation, &options, &r);
  PyEval_RestoreThread(thread);
  core_end(self);
  if (PyErr_Occurred()) return NULL;
  if (status != HN_OK) return core_raise_simulation(self);
  return core_dict("iterations", core_whole(r.iterations), "residual", core_real(r.residual),
                   "neutral_count", core_whole(r.neutral_count), "neutral", core_text(r.neutral),
                   "unheld", core_whole(r.unheld), "stable", PyBool_FromLong(r.stable),
                   "stable_unknown", PyBool_FromLong(r.stable_unknown), "came_to_rest",
                   PyBool_FromLong(r.came_to_rest), "warning", core_text(r.warning.message), NULL);
}

PyObject *core_kinematics(PyObject *module, PyObject *arguments) {
  PyObject *object;
  double time;
  if (!PyArg_ParseTuple(arguments, "Od", &object, &time)) return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  hn_status status = hn_simulation_kinematics(self->simulation, time);
  core_end(self);
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

// ---- verification -----------------------------------------------------------------------------------

static PyObject *formulation_text(const hn_formulation *formulation) {
  char text[160];
  return core_text(hn_formulation_text(formulation, text, sizeof text));
}

static PyObject *verify_trials(const hn_verify *report) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < report->trial_count; k++) {
    const hn_trial *trial = &report->trials[k];
    PyObject *item = Py_BuildValue("(Nsdd)", formulation_text(&trial->formulation),
                                   hn_status_name(trial->status), trial->reached,
                                   trial->certificate.cpu_seconds);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *verify_signals(const hn_verify *report) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < report->signal_count; k++) {
    const hn_verify_signal *s = &report->signals[k];
    PyObject *item = Py_BuildValue("(NNddd)", core_text(s->name), core_text(s->unit), s->spread,
                                   s->allowed, s->at);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *verify_notes(const hn_verify_note *notes, int count) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < count; k++) {
    PyObject *item = Py_BuildValue("(NN)", core_text(notes[k].subject), core_text(notes[k].reason));
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

typedef struct wait {
  core_patience patience;
  PyThreadState *thread;
  int stopped;
} wait;

static int on_progress(void *context, const char *what, double share) {
  wait *w = context;
  (void)what, (void)share;
  if (w->stopped || !core_patience_over(&w->patience)) return !w->stopped;
  PyEval_RestoreThread(w->thread);
  w->stopped = PyErr_CheckSignals() < 0;
  w->thread = PyEval_SaveThread();
  return !w->stopped;
}

static PyObject *verify_result(const hn_verify *r) {
  return core_dict(
      "verdict", core_text(hn_verify_verdict_name(r->verdict)), "reason", core_text(r->reason),
      "tol", core_real(r->tol), "time", core_real(r->time), "until", core_real(r->until),
      "is_sensitive", PyBool_FromLong(r->is_sensitive), "trials", verify_trials(r), "signals",
      verify_signals(r), "refused", verify_notes(r->refused, r->refused_count), "not_compared",
      verify_notes(r->free_signals, r->free_count), "derivatives", core_whole(r->derivatives),
      "wrong_derivatives", core_whole(r->finding_count), NULL);
}

PyObject *core_verify(PyObject *module, PyObject *arguments, PyObject *words) {
  static char *names[] = {"model", "tol", "time", "budget", "most", NULL};
  core_state *state = PyModule_GetState(module);
  core_model *model;
  hn_verify_options options = hn_default_verify_options();
  if (!PyArg_ParseTupleAndKeywords(arguments, words, "O!dddi", names, state->model, &model,
                                   &options.tol, &options.time, &options.budget, &options.most))
    return NULL;
  wait w = {.stopped = 0};
  options.progress = on_progress;
  options.context = &w;
  hn_verify *report = NULL;
  hn_error error = {.status = HN_OK};
  core_patience_start(&w.patience);
  w.thread = PyEval_SaveThread();
  hn_status status = hn_verify_model(model->model, &options, &report, &error);
  PyEval_RestoreThread(w.thread);
  PyObject *result = NULL;
  if (status != HN_OK)
    core_raise(&error);
  else if (!PyErr_Occurred())
    result = verify_result(report);
  hn_verify_free(report);
  return result;
}
