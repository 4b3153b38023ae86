// FMUs, read without running them.
#include "core.h"

#include <holon/fmu.h>

// (path) -> JSON
PyObject *core_fmu(PyObject *module, PyObject *arguments) {
  const char *path;
  hn_fmu_file *fmu = NULL;
  hn_error error = {.status = HN_OK};
  char *text = NULL;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
  PyThreadState *thread = PyEval_SaveThread();
  hn_status status = hn_fmu_open(path, &fmu, &error);
  if (status == HN_OK && hn_fmu_json(fmu, &text, NULL) != HN_OK) status = HN_ERROR_MEMORY;
  hn_fmu_file_free(fmu);
  PyEval_RestoreThread(thread);
  if (status == HN_ERROR_MEMORY) return PyErr_NoMemory();
  if (status != HN_OK) return core_raise(&error);
  PyObject *result = core_text(text);
  hn_text_free(text);
  return result;
}
