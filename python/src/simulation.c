// Simulations: steps with the lock of the interpreter let go, values, inputs, states.
//
// A simulation serves one thread at a time; a second one that comes while a call is under way gets an
// exception. Views of its state are copies that every call brings up to date; they outlive it.
#include "core.h"

#include <math.h>
#include <string.h>

// ---- one at a time ----------------------------------------------------------------------------------

int core_begin(core_simulation *self) {
  if (self->simulation == NULL) {
    PyErr_SetString(PyExc_ValueError, "the simulation is closed");
    return 0;
  }
  if (self->busy) {
    PyErr_SetString(PyExc_RuntimeError, "the simulation is in use: another call is under way");
    return 0;
  }
  self->busy = 1;
  return 1;
}

// Multipliers may have to be computed first, by forces in Python, too.
static const double *present(const hn_simulation *s, int which, int *count) {
  *count = which == CORE_MULTIPLIERS ? hn_simulation_multiplier_count(s)
                                     : hn_simulation_coordinate_count(s);
  switch (which) {
  case CORE_Q: return hn_simulation_positions(s);
  case CORE_QD: return hn_simulation_velocities(s);
  case CORE_QDD: return hn_simulation_accelerations(s);
  default: return hn_simulation_multipliers(s);
  }
}

static void refresh(core_simulation *self, int which) {
  int count;
  const double *from = present(self->simulation, which, &count);
  if (from != NULL) memcpy(self->state[which], from, (size_t)count * sizeof *from);
  if (PyErr_Occurred()) PyErr_WriteUnraisable((PyObject *)self); // the call itself went well
}

void core_end(core_simulation *self) {
  for (int k = 0; k < CORE_STATES; k++)
    if (self->state[k] != NULL && !PyErr_Occurred()) refresh(self, k);
  self->busy = 0;
}

PyObject *core_raise_simulation(core_simulation *self) {
  return core_raise(hn_simulation_error(self->simulation));
}

// ---- life -------------------------------------------------------------------------------------------

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *words) {
  static char *names[] = {"model", "options", NULL};
  core_state *state = PyType_GetModuleState(type);
  PyObject *model, *options;
  hn_simulation_options plain;
  if (!PyArg_ParseTupleAndKeywords(arguments, words, "O!O!", names, state->model, &model,
                                   &PyDict_Type, &options) ||
      !core_options(options, &plain))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  core_simulation *self = (core_simulation *)allocate(type, 0);
  if (self == NULL) return NULL;
  self->model = (core_model *)Py_NewRef(model);
  self->options = Py_NewRef(options);
  hn_error error = {.status = HN_OK};
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_simulation_create(self->model->model, &plain, &self->simulation, &error);
  PyEval_RestoreThread(thread);
  if (status == HN_OK && !PyErr_Occurred()) return (PyObject *)self;
  if (status != HN_OK) core_raise(&error);
  Py_DECREF(self);
  return NULL;
}

static void dealloc(PyObject *object) {
  core_simulation *self = (core_simulation *)object;
  PyTypeObject *type = Py_TYPE(object);
  hn_simulation_free(self->simulation);
  for (int k = 0; k < CORE_STATES; k++) PyMem_Free(self->state[k]);
  Py_XDECREF((PyObject *)self->model);
  Py_XDECREF(self->options);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *close_it(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (self->simulation == NULL) Py_RETURN_NONE;
  if (!core_begin(self)) return NULL;
  core_end(self);
  hn_simulation_free(self->simulation);
  self->simulation = NULL;
  Py_RETURN_NONE;
}

// ---- steps ------------------------------------------------------------------------------------------

// Steps until `time`, or a single one; now and then signals are looked for.
static hn_status advance(core_simulation *self, double time, int single) {
  core_patience patience;
  hn_status status = HN_OK;
  int stop = 0;
  core_patience_start(&patience);
  PyThreadState *thread = PyEval_SaveThread();
  while (status == HN_OK && !stop && hn_simulation_time(self->simulation) < time) {
    status = hn_simulation_step(self->simulation, time);
    if (single) break;
    if (!core_patience_over(&patience)) continue;
    PyEval_RestoreThread(thread);
    stop = PyErr_CheckSignals() < 0;
    thread = PyEval_SaveThread();
  }
  PyEval_RestoreThread(thread);
  return status;
}

static PyObject *go(PyObject *object, double time, int single) {
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  hn_status status = HN_OK;
  const double now = hn_simulation_time(self->simulation);
  const char *wrong = NULL;
  if (isnan(time) || (isinf(time) && !single))
    wrong = "a time is a finite number";
  else if (time < now - 1e-12 * (1 + fabs(now))) // less is rounding
    wrong = "a simulation goes on, not back; save() and restore() do that";
  if (wrong == NULL) status = advance(self, time, single);
  core_end(self);
  if (wrong != NULL) return core_raise_status(HN_ERROR_ARGUMENT, wrong);
  if (PyErr_Occurred()) return NULL;
  return status != HN_OK ? core_raise_simulation(self)
                         : core_real(hn_simulation_time(self->simulation));
}

static PyObject *step(PyObject *object, PyObject *size) {
  core_simulation *self = (core_simulation *)object;
  double h = PyFloat_AsDouble(size);
  if (PyErr_Occurred()) return NULL;
  if (self->simulation == NULL) {
    core_begin(self); // says that it is closed
    return NULL;
  }
  return go(object, hn_simulation_time(self->simulation) + h, 0);
}

static PyObject *advance_to(PyObject *object, PyObject *time) {
  double t = PyFloat_AsDouble(time);
  return PyErr_Occurred() ? NULL : go(object, t, 0);
}

static PyObject *one_step(PyObject *object, PyObject *limit) {
  double t = PyFloat_AsDouble(limit);
  return PyErr_Occurred() ? NULL : go(object, t, 1);
}

static PyObject *look_at(PyObject *object, PyObject *time) {
  core_simulation *self = (core_simulation *)object;
  double t = PyFloat_AsDouble(time);
  if (PyErr_Occurred() || !core_begin(self)) return NULL;
  hn_status status = hn_simulation_look_at(self->simulation, t);
  core_end(self);
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

// ---- signals ----------------------------------------------------------------------------------------

static PyObject *signals_of(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  core_end(self);
  PyObject *list = PyList_New(0);
  int count = hn_simulation_signal_count(self->simulation);
  for (int k = 0; list != NULL && k < count; k++) {
    const char *unit = hn_simulation_signal_unit(self->simulation, k);
    PyObject *pair =
        Py_BuildValue("(NN)", core_text(hn_simulation_signal_name(self->simulation, k)),
                      core_text(unit != NULL ? unit : ""));
    if (pair == NULL || PyList_Append(list, pair) < 0) Py_CLEAR(list);
    Py_XDECREF(pair);
  }
  return list;
}

static PyObject *find(PyObject *object, PyObject *name) {
  core_simulation *self = (core_simulation *)object;
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == NULL || !core_begin(self)) return NULL;
  int index = (size_t)size == strlen(text) ? hn_simulation_find_signal(self->simulation, text) : -1;
  core_end(self);
  return core_whole(index);
}

static PyObject *value(PyObject *object, PyObject *index) {
  core_simulation *self = (core_simulation *)object;
  long k = PyLong_AsLong(index);
  if (PyErr_Occurred() || !core_begin(self)) return NULL;
  if (k < 0 || k >= hn_simulation_signal_count(self->simulation)) {
    core_end(self);
    PyErr_SetString(PyExc_IndexError, "there is no signal of this number");
    return NULL;
  }
  double result = hn_simulation_signal(self->simulation, (int)k);
  core_end(self);
  return PyErr_Occurred() ? NULL : core_real(result);
}

static int indices_fit(const core_simulation *self, const Py_buffer *which) {
  int count = hn_simulation_signal_count(self->simulation);
  const int *index = which->buf;
  for (Py_ssize_t k = 0; k < which->len / (Py_ssize_t)sizeof(int); k++)
    if (index[k] < 0 || index[k] >= count) return 0;
  return 1;
}

// read(indices, out): buffers of int32 and of doubles of the same length
static PyObject *read_many(PyObject *object, PyObject *arguments) {
  core_simulation *self = (core_simulation *)object;
  Py_buffer which, out;
  if (!PyArg_ParseTuple(arguments, "y*w*", &which, &out)) return NULL;
  Py_ssize_t count = which.len / (Py_ssize_t)sizeof(int);
  int is_fine = core_begin(self);
  if (is_fine && (which.itemsize != (Py_ssize_t)sizeof(int) || !indices_fit(self, &which) ||
                  out.len != count * (Py_ssize_t)sizeof(double) || out.itemsize != 8)) {
    PyErr_SetString(PyExc_ValueError,
                    "indices of signals (int32) and as many float64 for the values");
    core_end(self);
    is_fine = 0;
  } else if (is_fine) {
    hn_simulation_signals(self->simulation, which.buf, (int)count, out.buf);
    core_end(self);
    is_fine = !PyErr_Occurred();
  }
  PyBuffer_Release(&which);
  PyBuffer_Release(&out);
  if (!is_fine) return NULL;
  Py_RETURN_NONE;
}

// ---- inputs -----------------------------------------------------------------------------------------

static PyObject *set_input(PyObject *object, PyObject *arguments) {
  core_simulation *self = (core_simulation *)object;
  int input, count = (int)PyTuple_Size(arguments);
  double x, rate = 0, acceleration = 0;
  if (!PyArg_ParseTuple(arguments, "id|dd", &input, &x, &rate, &acceleration) || !core_begin(self))
    return NULL;
  hn_status status =
      count > 2 ? hn_simulation_set_input_motion(self->simulation, input, x, rate, acceleration)
                : hn_simulation_set_input(self->simulation, input, x);
  core_end(self);
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

// A buffer of doubles, one for each input of the model.
static PyObject *set_inputs(PyObject *object, PyObject *values) {
  core_simulation *self = (core_simulation *)object;
  Py_buffer buffer;
  if (PyObject_GetBuffer(values, &buffer, PyBUF_CONTIG_RO) < 0) return NULL;
  hn_status status = HN_OK;
  int count = hn_model_input_count(self->model->model), is_fine = core_begin(self);
  if (is_fine && (buffer.itemsize != 8 || buffer.len != 8 * (Py_ssize_t)count)) {
    PyErr_Format(PyExc_ValueError, "the model has %d inputs: give as many float64", count);
    core_end(self);
    is_fine = 0;
  } else if (is_fine) {
    const double *x = buffer.buf;
    for (int k = 0; k < count && status == HN_OK; k++)
      status = hn_simulation_set_input(self->simulation, k, x[k]);
    core_end(self);
  }
  PyBuffer_Release(&buffer);
  if (!is_fine) return NULL;
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

static PyObject *input(PyObject *object, PyObject *index) {
  core_simulation *self = (core_simulation *)object;
  long k = PyLong_AsLong(index);
  if (PyErr_Occurred() || !core_begin(self)) return NULL;
  core_end(self);
  if (k < 0 || k >= hn_model_input_count(self->model->model)) {
    PyErr_SetString(PyExc_IndexError, "there is no input of this number");
    return NULL;
  }
  return core_real(hn_simulation_input(self->simulation, (int)k));
}

// Names of the coordinates: "left_knee", "hip.displacement", "torso.x", "q12".
static PyObject *coordinates(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  const int count = hn_simulation_coordinate_count(self->simulation);
  hn_coordinate_label *labels = PyMem_Calloc((size_t)count + 1, sizeof *labels);
  hn_status status = labels != NULL
                         ? hn_simulation_coordinate_labels(self->simulation, labels)
                         : HN_ERROR_MEMORY;
  core_end(self);
  const hn_model *model = self->model->model;
  PyObject *list = status == HN_OK ? PyList_New(0) : PyErr_NoMemory();
  for (int k = 0; list != NULL && k < count; k++) {
    const char *owner = labels[k].joint >= 0  ? hn_model_joint_name(model, labels[k].joint)
                        : labels[k].body >= 0 ? hn_model_body_name(model, labels[k].body)
                                              : NULL;
    PyObject *name = owner == NULL            ? PyUnicode_FromFormat("q%d", k)
                     : labels[k].part[0] == 0 ? core_text(owner)
                                              : PyUnicode_FromFormat("%s.%s", owner, labels[k].part);
    if (name == NULL || PyList_Append(list, name) < 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  PyMem_Free(labels);
  return list;
}

// ---- states -----------------------------------------------------------------------------------------

static PyObject *view_of(PyObject *object, PyObject *word) {
  static const char *const names[CORE_STATES] = {"q", "qd", "qdd", "multipliers"};
  core_simulation *self = (core_simulation *)object;
  const char *name = PyUnicode_AsUTF8AndSize(word, NULL);
  if (name == NULL || !core_begin(self)) return NULL;
  int which = 0, count = 0;
  while (which < CORE_STATES && strcmp(name, names[which]) != 0) which++;
  if (which < CORE_STATES) {
    present(self->simulation, which, &count);
    if (self->state[which] == NULL)
      self->state[which] = PyMem_Calloc((size_t)count + 1, sizeof(double));
  }
  core_end(self); // fills it
  if (PyErr_Occurred()) return NULL;
  if (which == CORE_STATES) return PyErr_Format(PyExc_KeyError, "a state has no '%s'", name);
  if (self->state[which] == NULL) return PyErr_NoMemory();
  return core_view(core_state_of(object), object, self->state[which], count, "d");
}

static PyObject *set_state(PyObject *object, PyObject *arguments) {
  core_simulation *self = (core_simulation *)object;
  double time;
  Py_buffer q, qd;
  if (!PyArg_ParseTuple(arguments, "dy*y*", &time, &q, &qd)) return NULL;
  hn_status status = HN_OK;
  int is_fine = core_begin(self);
  if (is_fine) {
    Py_ssize_t size = 8 * (Py_ssize_t)hn_simulation_coordinate_count(self->simulation);
    is_fine = q.len == size && qd.len == size && q.itemsize == 8 && qd.itemsize == 8;
    if (is_fine)
      status = hn_simulation_set_state(self->simulation, time, q.buf, qd.buf);
    else
      PyErr_Format(PyExc_ValueError, "q and qd are %zd float64 each", size / 8);
    core_end(self);
  }
  PyBuffer_Release(&q);
  PyBuffer_Release(&qd);
  if (!is_fine) return NULL;
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

// [(name, count)] of the fields of the state.
static PyObject *fields(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  const int count = hn_simulation_field_count(self->simulation);
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < count; k++) {
    const hn_field_info field = hn_simulation_field(self->simulation, k);
    PyObject *one = Py_BuildValue("(si)", field.name, field.count);
    if (one == NULL || PyList_Append(list, one) < 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  core_end(self);
  return list;
}

// Reads field k into a buffer of float64, or sets it to what is there.
static PyObject *pass_field(PyObject *object, PyObject *arguments) {
  core_simulation *self = (core_simulation *)object;
  int index, sets;
  Py_buffer values;
  if (!PyArg_ParseTuple(arguments, "iy*p", &index, &values, &sets)) return NULL;
  hn_status status = HN_OK;
  int is_fine = core_begin(self);
  if (is_fine) {
    const Py_ssize_t size = 8 * (Py_ssize_t)hn_simulation_field(self->simulation, index).count;
    is_fine = values.len == size && values.itemsize == 8 && (sets || !values.readonly);
    if (!is_fine)
      PyErr_Format(PyExc_ValueError, "this field is %zd float64", size / 8);
    else if (sets)
      status = hn_simulation_set_field(self->simulation, index, values.buf);
    else
      status = hn_simulation_read_field(self->simulation, index, values.buf);
    core_end(self);
  }
  PyBuffer_Release(&values);
  if (!is_fine) return NULL;
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

static PyObject *save(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  size_t size = hn_simulation_save_size(self->simulation);
  char *buffer = PyMem_Malloc(size + 1);
  hn_status status = buffer != NULL ? hn_simulation_save(self->simulation, buffer, size) : HN_OK;
  core_end(self);
  PyObject *bytes = NULL;
  if (buffer == NULL)
    PyErr_NoMemory();
  else if (status != HN_OK)
    core_raise_simulation(self);
  else
    bytes = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)size);
  PyMem_Free(buffer);
  return bytes;
}

static PyObject *restore(PyObject *object, PyObject *state) {
  core_simulation *self = (core_simulation *)object;
  Py_buffer buffer;
  if (PyObject_GetBuffer(state, &buffer, PyBUF_CONTIG_RO) < 0) return NULL;
  int is_fine = core_begin(self);
  hn_status status = HN_OK;
  if (is_fine) {
    status = hn_simulation_restore(self->simulation, buffer.buf, (size_t)buffer.len);
    core_end(self);
  }
  PyBuffer_Release(&buffer);
  if (!is_fine) return NULL;
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

// ---- what it did ------------------------------------------------------------------------------------

static PyObject *certificate(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  size_t needed = 0;
  hn_certificate_json(self->simulation, NULL, 0, &needed);
  char *text = PyMem_Malloc(needed + 4096);
  hn_status status = text == NULL
                         ? HN_ERROR_MEMORY
                         : hn_certificate_json(self->simulation, text, needed + 4096, NULL);
  core_end(self);
  PyObject *result = status == HN_OK ? core_text(text) : NULL;
  if (status != HN_OK) core_raise_status(status, "no certificate can be made");
  PyMem_Free(text);
  return result;
}

// (time, kind, element, from, to): of a joint, driver or force that came or went, of a contact, of a
// force whose law changed its branch, or of a time that a law told
static PyObject *event(const hn_model *model, const hn_event *e) {
  const hn_switch_def *def = e->switched > 0 ? hn_model_switch(model, e->switched - 1) : NULL;
  const char *kind = "time", *name = NULL;
  if (e->contact > 0) {
    kind = "contact";
    name = hn_model_contact(model, e->contact - 1)->name;
  } else if (def != NULL && def->of == HN_SWITCH_JOINT) {
    kind = "joint";
    name = hn_model_joint_name(model, def->element);
  } else if (def != NULL && def->of == HN_SWITCH_DRIVER) {
    kind = "driver";
    name = hn_model_driver_name(model, def->element);
  } else if (def != NULL || e->force >= 0) {
    kind = def != NULL ? "force" : "law";
    name = hn_model_force_name(model, def != NULL ? def->element : e->force);
  }
  return Py_BuildValue("(dsNii)", e->time, kind, core_text(name), e->from, e->to);
}

static PyObject *events(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (!core_begin(self)) return NULL;
  core_end(self);
  int count = hn_simulation_events(self->simulation, NULL, 0);
  hn_event *all = PyMem_Calloc((size_t)count + 1, sizeof *all);
  PyObject *list = all != NULL ? PyList_New(0) : PyErr_NoMemory();
  if (list != NULL) hn_simulation_events(self->simulation, all, count);
  for (int k = 0; list != NULL && k < count; k++) {
    PyObject *item = event(self->model->model, &all[k]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  PyMem_Free(all);
  return list;
}

static PyObject *get_time(PyObject *object, void *what) {
  core_simulation *self = (core_simulation *)object;
  if (self->simulation == NULL) {
    PyErr_SetString(PyExc_ValueError, "the simulation is closed");
    return NULL;
  }
  if (what != NULL) return PyLong_FromUnsignedLongLong(hn_simulation_state_hash(self->simulation));
  return core_real(hn_simulation_time(self->simulation));
}

static PyObject *interrupt(PyObject *object, PyObject *nothing) {
  (void)nothing;
  core_simulation *self = (core_simulation *)object;
  if (self->simulation != NULL) hn_simulation_interrupt(self->simulation);
  Py_RETURN_NONE;
}

static char hash_mark;
static PyGetSetDef properties[] = {{"time", get_time, NULL, NULL, NULL},
                                   {"state_hash", get_time, NULL, NULL, &hash_mark},
                                   {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef methods[] = {{"step", step, METH_O, NULL},
                                {"advance", advance_to, METH_O, NULL},
                                {"one_step", one_step, METH_O, NULL},
                                {"look_at", look_at, METH_O, NULL},
                                {"close", close_it, METH_NOARGS, NULL},
                                {"signals", signals_of, METH_NOARGS, NULL},
                                {"find", find, METH_O, NULL},
                                {"value", value, METH_O, NULL},
                                {"read", read_many, METH_VARARGS, NULL},
                                {"set_input", set_input, METH_VARARGS, NULL},
                                {"set_inputs", set_inputs, METH_O, NULL},
                                {"input", input, METH_O, NULL},
                                {"view", view_of, METH_O, NULL},
                                {"coordinates", coordinates, METH_NOARGS, NULL},
                                {"set_state", set_state, METH_VARARGS, NULL},
                                {"fields", fields, METH_NOARGS, NULL},
                                {"pass_field", pass_field, METH_VARARGS, NULL},
                                {"save", save, METH_NOARGS, NULL},
                                {"restore", restore, METH_O, NULL},
                                {"certificate", certificate, METH_NOARGS, NULL},
                                {"events", events, METH_NOARGS, NULL},
                                {"interrupt", interrupt, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, (void *)create},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, properties},
                              {0, NULL}};
PyType_Spec core_simulation_spec = {.name = "holon._core.Simulation",
                                    .basicsize = sizeof(core_simulation),
                                    .flags = Py_TPFLAGS_DEFAULT,
                                    .slots = slots};
