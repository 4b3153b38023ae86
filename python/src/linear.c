// Linearization, the equations at a state, and forces of drives. Matrices come as bytes of float64, row
// by row, or go into arrays that the caller brings; shapes are the business of python/holon/_linear.py.
#include "core.h"

#include <string.h>

static core_simulation *simulation_of(PyObject *module, PyObject *object) {
  core_state *state = PyModule_GetState(module);
  if (Py_IS_TYPE(object, state->simulation)) return (core_simulation *)object;
  PyErr_SetString(PyExc_TypeError, "a simulation is needed");
  return NULL;
}

// ---- lists of names -------------------------------------------------------------------------------

typedef struct names {
  const char **text; // null: None was given
  int count;
} names;

// The strings belong to the list.
static int take_names(PyObject *list, names *out) {
  *out = (names){NULL, 0};
  if (list == Py_None) return 1;
  const Py_ssize_t count = PyList_Size(list);
  if (count < 0) return 0;
  out->text = PyMem_Malloc(((size_t)count + 1) * sizeof *out->text);
  if (out->text == NULL) return PyErr_NoMemory() != NULL;
  for (Py_ssize_t k = 0; k < count; k++) {
    out->text[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL);
    if (out->text[k] == NULL) return 0;
  }
  out->count = (int)count;
  return 1;
}

static PyObject *list_of(const char *const *texts, int count) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < count; k++) {
    PyObject *item = core_text(texts[k]);
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *numbers(const double *values, size_t count) {
  if (values == NULL) return Py_NewRef(Py_None);
  return PyBytes_FromStringAndSize((const char *)values, (Py_ssize_t)(count * sizeof *values));
}

// ---- linearization --------------------------------------------------------------------------------

static PyObject *modes_of(const hn_linear *l) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < l->mode_count; k++) {
    const hn_mode *m = &l->modes[k];
    PyObject *item = Py_BuildValue(
        "(iNNNN)", m->eigenvalue, numbers(m->shape, 12 * (size_t)l->body_count),
        numbers(m->kinetic, (size_t)l->body_count), numbers(m->elastic, (size_t)l->force_count),
        numbers(m->damping, (size_t)l->force_count));
    if (item == NULL || PyList_Append(list, item) < 0) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static int add_units(PyObject *list, const char *const *of, const char *const *units, int count) {
  for (int k = 0; k < count; k++) {
    PyObject *pair = Py_BuildValue("(NN)", core_text(of[k]),
                                   core_text(units != NULL && units[k] != NULL ? units[k] : ""));
    const int is_fine = pair != NULL && PyList_Append(list, pair) == 0;
    Py_XDECREF(pair);
    if (!is_fine) return 0;
  }
  return 1;
}

// [(name, unit), ...] of states, inputs and outputs
static PyObject *units_of(const hn_linear *l) {
  PyObject *list = PyList_New(0);
  if (list != NULL && !(add_units(list, l->states, l->state_units, l->state_count) &&
                        add_units(list, l->inputs, l->input_units, l->input_count) &&
                        add_units(list, l->outputs, l->output_units, l->output_count)))
    Py_CLEAR(list);
  return list;
}

static PyObject *as_dictionary(const hn_linear *l) {
  const size_t n = (size_t)l->state_count, m = (size_t)l->input_count, p = (size_t)l->output_count;
  return core_dict(
      "time", core_real(l->time), "states", list_of(l->states, l->state_count), "inputs",
      list_of(l->inputs, l->input_count), "outputs", list_of(l->outputs, l->output_count), "A",
      numbers(l->a, n * n), "B", numbers(l->b, n * m), "C", numbers(l->c, p * n), "D",
      numbers(l->d, p * m), "B_rate", numbers(l->b_rate, n * m), "B_acceleration",
      numbers(l->b_acceleration, n * m), "D_rate", numbers(l->d_rate, p * m), "D_acceleration",
      numbers(l->d_acceleration, p * m), "f0", numbers(l->f0, n), "x0", numbers(l->x0, n), "u0",
      numbers(l->u0, m), "y0", numbers(l->y0, p), "eigenvalues",
      numbers((const double *)l->eigenvalues, 4 * (size_t)l->eigenvalue_count), "modes",
      modes_of(l), "equilibrium", PyBool_FromLong(l->is_equilibrium), "kinks",
      list_of(l->kinks, l->kink_count), "redundant", core_whole(l->redundant), "units", units_of(l),
      NULL);
}

PyObject *core_linearize(PyObject *module, PyObject *arguments) {
  PyObject *object, *inputs, *outputs, *result = NULL;
  int modes, is_dense, is_steady;
  names in = {NULL, 0}, out = {NULL, 0};
  if (!PyArg_ParseTuple(arguments, "OOOipp", &object, &inputs, &outputs, &modes, &is_dense,
                        &is_steady))
    return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL) return NULL;
  if (take_names(inputs, &in) && take_names(outputs, &out) && core_begin(self)) {
    hn_linear_options options = hn_default_linear_options();
    options.inputs = in.text;
    options.input_count = in.count;
    options.outputs = out.text;
    options.output_count = out.count;
    options.modes = modes;
    options.is_dense = is_dense;
    options.is_steady = is_steady;
    hn_linear *linear = NULL;
    hn_error error = {0};
    PyThreadState *thread = PyEval_SaveThread();
    hn_status status = hn_simulation_linearize(self->simulation, &options, &linear, &error);
    PyEval_RestoreThread(thread);
    core_end(self);
    result = status == HN_OK ? as_dictionary(linear) : core_raise(&error);
    hn_linear_free(linear);
  }
  PyMem_Free(in.text);
  PyMem_Free(out.text);
  return result;
}

// ---- the equations at a state ---------------------------------------------------------------------

// A buffer of so many float64; 0 and an exception for anything else.
static int take_buffer(PyObject *object, Py_ssize_t count, int is_written, Py_buffer *buffer) {
  const int flags = is_written ? PyBUF_CONTIG : PyBUF_CONTIG_RO;
  if (PyObject_GetBuffer(object, buffer, flags) < 0) return 0;
  if (buffer->itemsize == 8 && buffer->len == 8 * count) return 1;
  PyErr_Format(PyExc_ValueError, "%zd float64 are needed", count);
  PyBuffer_Release(buffer);
  return 0;
}

static PyObject *finish(core_simulation *self, hn_status status) {
  core_end(self);
  if (status != HN_OK) return core_raise_simulation(self);
  Py_RETURN_NONE;
}

// what: "mass_matrix", "bias_forces", "constraint_jacobian"
PyObject *core_equations(PyObject *module, PyObject *arguments) {
  PyObject *object, *out;
  const char *what;
  Py_buffer buffer;
  if (!PyArg_ParseTuple(arguments, "OsO", &object, &what, &out)) return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  int rows = hn_simulation_coordinate_count(self->simulation);
  const Py_ssize_t nq = rows;
  hn_status status = HN_OK;
  if (what[0] == 'b') rows = 1;
  if (what[0] == 'c') status = hn_simulation_constraint_jacobian(self->simulation, NULL, &rows);
  if (status == HN_OK && out == Py_None) {
    core_end(self);
    return core_whole(rows);
  }
  if (status != HN_OK || !take_buffer(out, rows * nq, 1, &buffer)) {
    core_end(self);
    return status != HN_OK ? core_raise_simulation(self) : NULL;
  }
  if (what[0] == 'm')
    status = hn_simulation_mass_matrix(self->simulation, buffer.buf);
  else if (what[0] == 'b')
    status = hn_simulation_bias_forces(self->simulation, buffer.buf);
  else
    status = hn_simulation_constraint_jacobian(self->simulation, buffer.buf, NULL);
  PyBuffer_Release(&buffer);
  return finish(self, status);
}

PyObject *core_inverse_dynamics(PyObject *module, PyObject *arguments) {
  PyObject *object, *qdd, *out;
  Py_buffer from, to;
  int at_inputs;
  if (!PyArg_ParseTuple(arguments, "OOOp", &object, &qdd, &out, &at_inputs)) return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  const int nq = hn_simulation_coordinate_count(self->simulation);
  if (take_buffer(qdd, nq, 0, &from)) {
    if (take_buffer(out, nq, 1, &to)) {
      hn_status status =
          at_inputs ? hn_simulation_inverse_dynamics_at_inputs(self->simulation, from.buf, to.buf)
                    : hn_simulation_inverse_dynamics(self->simulation, from.buf, to.buf);
      PyBuffer_Release(&to);
      PyBuffer_Release(&from);
      return finish(self, status);
    }
    PyBuffer_Release(&from);
  }
  core_end(self);
  return NULL;
}

PyObject *core_point_jacobian(PyObject *module, PyObject *arguments) {
  PyObject *object, *out;
  const char *name;
  hn_vec3 p;
  int is_rotation;
  Py_buffer to;
  if (!PyArg_ParseTuple(arguments, "OsdddpO", &object, &name, &p.x, &p.y, &p.z, &is_rotation, &out))
    return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  const int nq = hn_simulation_coordinate_count(self->simulation);
  const int body = hn_model_find_body(self->model->model, name);
  if (body < 0) PyErr_Format(PyExc_KeyError, "there is no body '%s'", name);
  if (body < 0 || !take_buffer(out, 3 * (Py_ssize_t)nq, 1, &to)) {
    core_end(self);
    return NULL;
  }
  hn_status status = hn_simulation_point_jacobian(
      self->simulation, body, p, is_rotation ? NULL : to.buf, is_rotation ? to.buf : NULL);
  PyBuffer_Release(&to);
  return finish(self, status);
}

static PyObject *vector(hn_vec3 v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }

PyObject *core_composite(PyObject *module, PyObject *arguments) {
  PyObject *object, *list;
  names of;
  hn_composite c = {0};
  if (!PyArg_ParseTuple(arguments, "OO", &object, &list)) return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !take_names(list, &of)) return NULL;
  int *bodies = PyMem_Malloc(((size_t)of.count + 1) * sizeof *bodies), is_fine = bodies != NULL;
  for (int k = 0; is_fine && k < of.count; k++) {
    bodies[k] = hn_model_find_body(self->model->model, of.text[k]);
    is_fine = bodies[k] >= 1;
    if (!is_fine) PyErr_Format(PyExc_KeyError, "there is no body '%s'", of.text[k]);
  }
  hn_status status = HN_OK;
  if (is_fine) is_fine = core_begin(self);
  if (is_fine) {
    status = hn_simulation_composite(self->simulation, of.text ? bodies : NULL, of.count, &c);
    core_end(self);
  }
  PyMem_Free(bodies);
  PyMem_Free(of.text);
  if (!is_fine) return NULL;
  if (status != HN_OK) return core_raise_simulation(self);
  return core_dict("mass", core_real(c.mass), "center", vector(c.center), "velocity",
                   vector(c.velocity), "inertia",
                   Py_BuildValue("(dddddd)", c.inertia[0], c.inertia[1], c.inertia[2], c.inertia[3],
                                 c.inertia[4], c.inertia[5]),
                   "momentum", vector(c.momentum), "angular_momentum", vector(c.angular_momentum),
                   NULL);
}

// ---- drives -----------------------------------------------------------------------------------------

// "driver", "joint" or "joint.NAME.COORDINATE"; 0 and an exception where there is none.
static int find_drive(const hn_model *model, const char *name, hn_drive *drive) {
  for (int k = 0; k < hn_model_driver_count(model); k++)
    if (strcmp(hn_model_driver_name(model, k), name) == 0) {
      *drive = (hn_drive){.driver = k};
      return 1;
    }
  *drive = (hn_drive){.driver = -1, .joint = -1};
  const char *last = strrchr(name, '.'), *begin = strncmp(name, "joint.", 6) == 0 ? name + 6 : name;
  for (int j = 0; j < hn_model_joint_count(model); j++) {
    const char *joint = hn_model_joint_name(model, j);
    const size_t length = strlen(joint);
    const int is_whole = strcmp(begin, joint) == 0;
    if (!is_whole &&
        !(last != NULL && (size_t)(last - begin) == length && strncmp(begin, joint, length) == 0))
      continue;
    for (int c = 0; c < HN_COORDINATES; c++) {
      if (!hn_joint_has_coordinate(hn_model_joint_type(model, j), (hn_coordinate)c)) continue;
      if (!is_whole && strcmp(last + 1, hn_coordinate_name((hn_coordinate)c)) != 0) continue;
      drive->joint = j;
      drive->coordinate = (hn_coordinate)c;
      return 1;
    }
  }
  PyErr_Format(PyExc_KeyError, "there is no driver or coordinate of a joint '%s'", name);
  return 0;
}

// Drives by their names, with weights (buffer); null and an exception where one is not there.
static hn_drive *take_drives(const core_simulation *self, PyObject *list, PyObject *weights,
                             int *count) {
  names of;
  Py_buffer from;
  if (!take_names(list, &of)) {
    PyMem_Free(of.text);
    return NULL;
  }
  hn_drive *drives = PyMem_Malloc(((size_t)of.count + 1) * sizeof *drives);
  int is_fine = drives != NULL || PyErr_NoMemory() != NULL;
  if (is_fine) is_fine = take_buffer(weights, of.count, 0, &from);
  if (is_fine) {
    for (int k = 0; is_fine && k < of.count; k++) {
      is_fine = find_drive(self->model->model, of.text[k], &drives[k]);
      drives[k].weight = ((const double *)from.buf)[k];
    }
    PyBuffer_Release(&from);
  }
  *count = of.count;
  PyMem_Free(of.text);
  if (is_fine) return drives;
  PyMem_Free(drives);
  return NULL;
}

static PyObject *drive_report(const hn_drive_report *r) {
  return core_dict("freedoms", core_whole(r->freedoms), "rank", core_whole(r->rank), "residual",
                   core_real(r->residual), "needed", core_real(r->largest), "missing",
                   core_text(r->missing), NULL);
}

// (simulation, names, weights (buffer), forces (buffer), freedoms, map (buffer of freedoms x drives,
// or None)) -> report. freedoms are known by a call without a map.
PyObject *core_drive_forces(PyObject *module, PyObject *arguments) {
  PyObject *object, *list, *weights, *out, *onto;
  Py_buffer to, map = {.buf = NULL};
  hn_drive_report r = {0};
  hn_error error = {0};
  int freedoms, count;
  if (!PyArg_ParseTuple(arguments, "OOOOiO", &object, &list, &weights, &out, &freedoms, &onto))
    return NULL;
  core_simulation *self = simulation_of(module, object);
  hn_drive *drives = self != NULL ? take_drives(self, list, weights, &count) : NULL;
  if (drives == NULL) return NULL;
  const int has_map = onto != Py_None;
  int is_fine = take_buffer(out, count, 1, &to);
  if (is_fine && has_map && !take_buffer(onto, freedoms * count, 1, &map)) {
    PyBuffer_Release(&to);
    is_fine = 0;
  }
  if (is_fine && core_begin(self)) {
    hn_status status =
        hn_simulation_drive_forces(self->simulation, drives, count, NULL, to.buf, NULL, &r, &error);
    if (status == HN_OK && has_map && r.freedoms == freedoms)
      status = hn_simulation_drive_forces(self->simulation, drives, count, NULL, to.buf, map.buf,
                                          &r, &error);
    core_end(self);
    if (status != HN_OK) core_raise(&error);
  }
  if (is_fine) PyBuffer_Release(&to);
  if (is_fine && has_map) PyBuffer_Release(&map);
  PyMem_Free(drives);
  return PyErr_Occurred() ? NULL : drive_report(&r);
}

// (simulation, table, names, weights (buffer), forces (buffer of rows x drives)) -> report of the row at
// which most is missing. The simulation is in Cartesian coordinates, and ends at the last row.
PyObject *core_recorded_forces(PyObject *module, PyObject *arguments) {
  PyObject *object, *table, *list, *weights, *out;
  Py_buffer to;
  hn_drive_report worst = {.residual = -1};
  hn_error error = {0};
  int count;
  const core_state *state = PyModule_GetState(module);
  if (!PyArg_ParseTuple(arguments, "OOOOO", &object, &table, &list, &weights, &out)) return NULL;
  core_simulation *self = simulation_of(module, object);
  if (self == NULL) return NULL;
  if (!Py_IS_TYPE(table, state->table)) {
    PyErr_SetString(PyExc_TypeError, "a table is needed");
    return NULL;
  }
  const hn_results *rows = ((core_table *)table)->results;
  hn_drive *drives = take_drives(self, list, weights, &count);
  if (drives == NULL) return NULL;
  const int is_fine = take_buffer(out, hn_results_row_count(rows) * count, 1, &to);
  if (is_fine && core_begin(self)) {
    hn_recorded_motion *motion = NULL;
    hn_status status = hn_recorded_motion_create(self->simulation, rows, &motion, &error);
    for (int k = 0; status == HN_OK && k < hn_results_row_count(rows); k++) {
      const hn_vec3 *accelerations = NULL;
      hn_drive_report r = {0};
      status = hn_recorded_motion_go(motion, self->simulation, k, &accelerations);
      if (status != HN_OK) error = *hn_simulation_error(self->simulation);
      if (status == HN_OK)
        status = hn_simulation_drive_forces(self->simulation, drives, count, accelerations,
                                            (double *)to.buf + (size_t)k * (size_t)count, NULL, &r,
                                            &error);
      if (status == HN_OK && r.residual > worst.residual) worst = r;
    }
    hn_recorded_motion_free(motion);
    core_end(self);
    if (status != HN_OK) core_raise(&error);
  }
  if (is_fine) PyBuffer_Release(&to);
  PyMem_Free(drives);
  return PyErr_Occurred() ? NULL : drive_report(&worst);
}

PyObject *core_operating_point(PyObject *module, PyObject *object) {
  static const char *const kinds[] = {"start", "equilibrium", "steady"};
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  hn_operating_point point;
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_simulation_find_operating_point(self->simulation, &point);
  PyEval_RestoreThread(thread);
  core_end(self);
  return status == HN_OK ? core_text(kinds[point.kind]) : core_raise_simulation(self);
}

PyObject *core_release_drivers(PyObject *module, PyObject *object) {
  core_simulation *self = simulation_of(module, object);
  if (self == NULL || !core_begin(self)) return NULL;
  return finish(self, hn_simulation_release_drivers(self->simulation));
}
