// Forces of the user: a Python function, called with the lock of the interpreter, or a function of C
// (ctypes, numba) of the signature of hn_user_force.evaluate, called without any of that.
#include "core.h"

#include <string.h>

struct core_force {
  char *name, *body[2];
  PyObject *function; // null: user is called itself
  hn_user_force user;
};

// ---- calling Python ---------------------------------------------------------------------------------

// function(time, bytes of two hn_body_motion) -> a buffer of 12 doubles: force and torque on each body
static int ask(const core_force *force, double time, const hn_body_motion body[2],
               hn_wrench wrench[2]) {
  PyObject *result = PyObject_CallFunction(force->function, "dy#", time, (const char *)body,
                                           (Py_ssize_t)(2 * sizeof *body));
  Py_buffer buffer;
  if (result == NULL) return 0;
  if (PyObject_GetBuffer(result, &buffer, PyBUF_CONTIG_RO) < 0) {
    Py_DECREF(result);
    return 0;
  }
  int is_fine = buffer.len == (Py_ssize_t)(2 * sizeof *wrench);
  if (is_fine)
    memcpy(wrench, buffer.buf, 2 * sizeof *wrench);
  else
    PyErr_SetString(PyExc_ValueError, "a force returns 12 numbers");
  PyBuffer_Release(&buffer);
  Py_DECREF(result);
  return is_fine;
}

static hn_status evaluate(void *context, double time, const hn_body_motion body[2],
                          hn_wrench wrench[2], double d_pose[12][12], double d_velocity[12][12],
                          double d_time[12]) {
  (void)d_pose, (void)d_velocity, (void)d_time;
  const core_force *force = context;
  PyGILState_STATE lock = PyGILState_Ensure();
  // what was raised stays raised: the call that runs the simulation ends with it
  hn_status status = PyErr_Occurred() ? HN_ERROR_INTERRUPTED : HN_OK;
  if (!status && !ask(force, time, body, wrench)) status = HN_ERROR_INTERRUPTED;
  PyGILState_Release(lock);
  return status;
}

// ---- taking and adding ------------------------------------------------------------------------------

static char *copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *result = PyMem_Malloc(size);
  return result != NULL ? memcpy(result, text, size) : NULL;
}

static int take(core_force *force, PyObject *item) {
  const char *name, *body1, *body2;
  PyObject *function;
  unsigned long long context;
  int has_derivatives;
  if (!PyArg_ParseTuple(item, "sssOKp", &name, &body1, &body2, &function, &context,
                        &has_derivatives))
    return 0;
  force->name = copy(name);
  force->body[0] = copy(body1);
  force->body[1] = copy(body2);
  if (force->name == NULL || force->body[0] == NULL || force->body[1] == NULL) {
    PyErr_NoMemory();
    return 0;
  }
  if (PyCallable_Check(function)) {
    force->function = Py_NewRef(function);
    force->user = (hn_user_force){evaluate, force, 0, 0};
    return 1;
  }
  void *address = PyLong_AsVoidPtr(function);
  if (address == NULL && PyErr_Occurred()) return 0;
  memcpy(&force->user.evaluate, &address, sizeof address);
  force->user.context = (void *)(size_t)context;
  force->user.has_derivatives = has_derivatives;
  return 1;
}

int core_forces_take(core_model *self, PyObject *list) {
  Py_ssize_t count = list != NULL ? PyList_Size(list) : 0;
  if (count < 1) return 1;
  self->forces = PyMem_Calloc((size_t)count, sizeof *self->forces);
  if (self->forces == NULL) {
    PyErr_NoMemory();
    return 0;
  }
  self->force_count = (int)count;
  for (Py_ssize_t k = 0; k < count; k++)
    if (!take(&self->forces[k], PyList_GetItem(list, k))) return 0;
  return 1;
}

void core_forces_free(core_model *self) {
  for (int k = 0; k < self->force_count; k++) {
    core_force *force = &self->forces[k];
    PyMem_Free(force->name);
    PyMem_Free(force->body[0]);
    PyMem_Free(force->body[1]);
    Py_CLEAR(force->function);
  }
  PyMem_Free(self->forces);
}

static int body_of(const hn_model *model, const char *name) {
  return strcmp(name, "ground") == 0 ? HN_GROUND : hn_model_find_body(model, name);
}

// Called while a file is loaded, the lock let go: nothing of Python here.
hn_status core_forces_add(void *context, hn_model *model) {
  core_model *self = context;
  for (int k = 0; k < self->force_count; k++) {
    core_force *force = &self->forces[k];
    hn_force_def def = hn_default_force(HN_FORCE_USER);
    def.name = force->name;
    def.user = force->user;
    int *body[2] = {&def.frame1.body, &def.frame2.body};
    for (int side = 0; side < 2; side++) {
      *body[side] = body_of(model, force->body[side]);
      if (*body[side] >= 0) continue;
      self->missing[0] = force->name;
      self->missing[1] = force->body[side];
    }
    hn_status status = hn_model_add_force(model, &def, NULL);
    if (status) return status;
  }
  return HN_OK;
}
