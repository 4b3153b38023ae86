// Stills and films of what a run showed, drawn by the library with the lock let go.
#include "core.h"

#include <math.h>

typedef struct drawing {
  hn_scene *scene;
  hn_picture_options options;
  hn_error error;
  unsigned char *png;
  hn_gif *gif;
  const unsigned char *bytes; // of the file
  size_t size;
} drawing;

static hn_status draw_png(drawing *d) {
  hn_picture *picture = NULL;
  int width, height;
  hn_status status = hn_picture_create(d->scene, &d->options, &picture, &d->error);
  if (status == HN_OK) status = hn_picture_draw(picture, d->options.time, &d->error);
  if (status == HN_OK) {
    hn_picture_size(picture, &width, &height);
    status = hn_png_encode(hn_picture_pixels(picture), width, height, &d->png, &d->size);
    d->bytes = d->png;
  }
  hn_picture_free(picture);
  return status;
}

// `step` seconds of the machine between two frames, `delay` hundredths of a second to look at each
static hn_status draw_gif(drawing *d, double step, int delay) {
  hn_picture *picture = NULL;
  int width, height;
  const double first = d->scene->first, last = d->scene->last;
  const long count = (long)floor((last - first) / step + 1e-9) + 1;
  hn_status status = hn_picture_create(d->scene, &d->options, &picture, &d->error);
  if (status == HN_OK) {
    hn_picture_size(picture, &width, &height);
    status = hn_gif_create(width, height, delay, &d->gif);
  }
  for (long k = 0; status == HN_OK && k < count; k++) {
    status = hn_picture_draw(picture, fmin(first + (double)k * step, last), &d->error);
    if (status == HN_OK) status = hn_gif_add(d->gif, hn_picture_pixels(picture));
  }
  hn_picture_free(picture);
  if (status == HN_OK) d->bytes = hn_gif_finish(d->gif, &d->size);
  return status == HN_OK && d->bytes == NULL ? HN_ERROR_MEMORY : status;
}

// (scene, motion, width, height, view, time, crops, step, delay, moments) -> bytes of a PNG; with a
// step, of a GIF
PyObject *core_picture(PyObject *module, PyObject *arguments) {
  const char *text;
  Py_ssize_t size;
  Py_buffer motion;
  int view, delay;
  double step;
  drawing d = {.options = {.size = sizeof d.options}};
  (void)module;
  if (!PyArg_ParseTuple(arguments, "s#y*iiidpdii", &text, &size, &motion, &d.options.width,
                        &d.options.height, &view, &d.options.time, &d.options.crops, &step, &delay,
                        &d.options.moments))
    return NULL;
  d.options.view = (hn_picture_view)view;
  d.options.is_film = step > 0;
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_scene_read(text, (size_t)size, motion.buf, (size_t)motion.len, "the scene",
                                   &d.scene, &d.error);
  if (status == HN_OK) status = step > 0 ? draw_gif(&d, step, delay) : draw_png(&d);
  PyEval_RestoreThread(thread);
  PyBuffer_Release(&motion);
  PyObject *result = NULL;
  if (status == HN_ERROR_MEMORY)
    PyErr_NoMemory();
  else if (status != HN_OK)
    core_raise(&d.error);
  else
    result = PyBytes_FromStringAndSize((const char *)d.bytes, (Py_ssize_t)d.size);
  hn_bytes_free(d.png);
  hn_gif_free(d.gif);
  hn_scene_free(d.scene);
  return result;
}
