// Which formulation to take: many of them, their errors against a reference and what they cost.
#include "core.h"

#include <string.h>

typedef struct comparison {
  hn_compare_options options;
  hn_formulation *among;
  const char **signals, **items;
  Py_buffer tols, steps;
  core_patience patience;
  PyThreadState *thread;
  int stopped;
} comparison;

// ---- the call -----------------------------------------------------------------------------------

// Every combination that an item means; 0 and an exception where an item means none.
static int choose(comparison *c, int item_count) {
  int all = 0;
  hn_formulation f;
  while (hn_list_formulation(all, &f)) all++;
  c->among = PyMem_Calloc((size_t)all + 1, sizeof *c->among);
  if (c->among == NULL) return PyErr_NoMemory() != NULL;
  for (int k = 0; k < item_count; k++) {
    int before = c->options.among_count;
    for (int i = 0; hn_list_formulation(i, &f) && before < all; i++)
      if (hn_formulation_matches(&f, c->items[k]) && c->options.among_count < all)
        c->among[c->options.among_count++] = f;
    if (c->options.among_count > before || before == all) continue;
    PyErr_Format(PyExc_ValueError,
                 "'%s' means no combination; words between slashes, as relative/rosenbrock: "
                 "holon.built() has them",
                 c->items[k]);
    return 0;
  }
  c->options.among = c->among;
  return 1;
}

static int on_progress(void *context, const char *what, double share) {
  comparison *c = context;
  (void)what, (void)share;
  if (c->stopped || !core_patience_over(&c->patience)) return !c->stopped;
  PyEval_RestoreThread(c->thread);
  c->stopped = PyErr_CheckSignals() < 0;
  c->thread = PyEval_SaveThread();
  return !c->stopped;
}

// ---- what is handed back --------------------------------------------------------------------------

static PyObject *point_of(const hn_comparison *r, const hn_compare_point *p) {
  const hn_formulation *f = &r->formulations[p->formulation];
  char text[160];
  const int is_whole = p->status == HN_OK && p->signal < r->reference->signal_count;
  return core_dict(
      "formulation", core_text(hn_formulation_text(f, text, sizeof text)), "coordinates",
      core_text(f->coordinates), "method", core_text(f->method), "formula", core_text(f->formula),
      "independent", core_text(f->independent), "tol", core_real(p->tol), "step",
      core_real(p->step), "status", core_text(hn_status_name(p->status)), "reason",
      core_text(p->reason), "error", core_real(p->status == HN_OK ? p->error : Py_NAN), "signal",
      core_text(is_whole ? r->reference->signals[p->signal].name : ""), "cpu_seconds",
      core_real(p->seconds), "longest_step", core_real(p->longest), "steps", core_whole(p->steps),
      "used", core_text(p->used), "is_front", PyBool_FromLong(p->is_front), NULL);
}

static PyObject *points_of(const hn_comparison *r) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < r->point_count; k++) {
    PyObject *item = point_of(r, &r->points[k]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *choices_of(const hn_comparison *r) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < r->recommendation_count; k++) {
    const hn_recommendation *c = &r->recommendations[k];
    PyObject *item = Py_BuildValue("(dii)", c->accuracy, c->point, c->realtime);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *result_of(const hn_comparison *r) {
  char text[160], other[160];
  const hn_verify *v = r->reference;
  return core_dict(
      "points", points_of(r), "choices", choices_of(r), "realtime", core_whole(r->realtime), "time",
      core_real(r->time), "uncertainty", core_real(r->uncertainty), "reference",
      core_text(hn_formulation_text(&v->trials[r->trial].formulation, text, sizeof text)),
      "confirmed_by",
      core_text(hn_formulation_text(&v->trials[r->partner].formulation, other, sizeof other)),
      "seconds", core_real(r->ended - r->began), "is_over", PyBool_FromLong(r->is_over), NULL);
}

static PyObject *go(comparison *c, const hn_model *model) {
  hn_comparison *report = NULL;
  hn_error error = {.status = HN_OK};
  core_patience_start(&c->patience);
  c->thread = PyEval_SaveThread();
  hn_status status = hn_compare_model(model, &c->options, &report, &error);
  PyEval_RestoreThread(c->thread);
  PyObject *result = NULL;
  if (PyErr_Occurred())
    result = NULL;
  else if (status != HN_OK)
    core_raise(&error);
  else
    result = result_of(report);
  hn_comparison_free(report);
  return result;
}

// (model, among, tols, steps, time, budget, is_quick, signals)
PyObject *core_compare(PyObject *module, PyObject *arguments) {
  core_state *state = PyModule_GetState(module);
  core_model *model;
  PyObject *among, *signals, *result = NULL;
  comparison c = {.options = {.size = sizeof c.options}};
  int items = 0;
  if (!PyArg_ParseTuple(arguments, "O!O!y*y*ddpO!", state->model, &model, &PyList_Type, &among,
                        &c.tols, &c.steps, &c.options.time, &c.options.budget, &c.options.is_quick,
                        &PyList_Type, &signals))
    return NULL;
  c.items = core_texts(among, &items);
  c.signals = core_texts(signals, &c.options.signal_count);
  c.options.signals = c.signals;
  c.options.tols = c.tols.buf;
  c.options.tol_count = (int)(c.tols.len / 8);
  c.options.steps = c.steps.buf;
  c.options.step_count = (int)(c.steps.len / 8);
  c.options.progress = on_progress;
  c.options.context = &c;
  if (c.items != NULL && c.signals != NULL && choose(&c, items)) result = go(&c, model->model);
  if (result == NULL && !PyErr_Occurred()) PyErr_NoMemory();
  PyBuffer_Release(&c.tols);
  PyBuffer_Release(&c.steps);
  PyMem_Free((void *)c.items);
  PyMem_Free((void *)c.signals);
  PyMem_Free(c.among);
  return result;
}
