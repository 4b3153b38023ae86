// Numbers of a simulation or a table as a buffer, without a copy. numpy.asarray makes an array of it.
#include "core.h"

typedef struct view {
  PyObject_HEAD PyObject *owner;
  const void *data;
  const char *format;
  Py_ssize_t count, size; // shape and stride
} view;

PyObject *core_view(core_state *state, PyObject *owner, const void *data, Py_ssize_t count,
                    const char *format) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(state->view, Py_tp_alloc);
  view *self = (view *)allocate(state->view, 0);
  if (self == NULL) return NULL;
  self->owner = Py_NewRef(owner);
  self->data = data;
  self->format = format;
  self->count = count;
  self->size = format[0] == 'f' ? 4 : 8;
  return (PyObject *)self;
}

static int get_buffer(PyObject *object, Py_buffer *buffer, int flags) {
  view *self = (view *)object;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "values of a simulation are read, not written");
    buffer->obj = NULL;
    return -1;
  }
  *buffer = (Py_buffer){.buf = (void *)(size_t)self->data,
                        .obj = Py_NewRef(object),
                        .len = self->count * self->size,
                        .itemsize = self->size,
                        .readonly = 1,
                        .ndim = 1};
  if (flags & PyBUF_FORMAT) buffer->format = (char *)(size_t)self->format;
  if (flags & PyBUF_ND) buffer->shape = &self->count;
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) buffer->strides = &self->size;
  return 0;
}

static void dealloc(PyObject *object) {
  view *self = (view *)object;
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(self->owner);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_bf_getbuffer, (void *)get_buffer},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_doc, "Numbers that a simulation or a table owns, as a buffer."},
    {0, NULL}};
PyType_Spec core_view_spec = {.name = "holon._core.View",
                              .basicsize = sizeof(view),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              .slots = slots};
