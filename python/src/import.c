// Machines of other formats: the model as text, and what became of every tag.
#include "core.h"

#include "holon/import.h"

// All items of a fate: (file, line, column, what, kind, why).
static PyObject *items_of(const hn_import *import, hn_import_fate fate) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && k < hn_import_count(import, fate); k++) {
    hn_import_item i = hn_import_item_at(import, fate, k);
    PyObject *entry =
        Py_BuildValue("(siisss)", i.file, i.line, i.column, i.what, i.kind, i.why ? i.why : "");
    if (entry == NULL || PyList_Append(list, entry) < 0) Py_CLEAR(list);
    Py_XDECREF(entry);
  }
  return list;
}

static PyObject *meshes_of(const hn_import *import) {
  PyObject *list = PyList_New(0);
  for (int k = 0; list != NULL && hn_import_mesh_at(import, k).path != NULL; k++) {
    hn_import_mesh mesh = hn_import_mesh_at(import, k);
    PyObject *entry = Py_BuildValue("(ss)", mesh.path, mesh.text);
    if (entry == NULL || PyList_Append(list, entry) < 0) Py_CLEAR(list);
    Py_XDECREF(entry);
  }
  return list;
}

static PyObject *describe(const hn_import *import) {
  hn_import_facts f = hn_import_facts_of(import);
  return core_dict(
      "format", core_text(f.format), "name", core_text(f.name), "bodies", core_whole(f.bodies),
      "joints", core_whole(f.joints), "mass", core_real(f.mass), "tags", core_whole(f.tags), "used",
      core_whole(hn_import_count(import, HN_IMPORT_USED)), "harmless",
      items_of(import, HN_IMPORT_HARMLESS), "approximated",
      items_of(import, HN_IMPORT_APPROXIMATED), "lost", items_of(import, HN_IMPORT_LOST), "yaml",
      core_text(hn_import_yaml(import)), "json", core_text(hn_import_json(import)), "proposals",
      core_text(hn_import_proposals(import)), "meshes", meshes_of(import), NULL);
}

// (path, packages, overlays, keyframe, merge_fixed, density, depth, output)
PyObject *core_import(PyObject *module, PyObject *arguments) {
  (void)module;
  const char *path;
  PyObject *packages, *overlays, *result = NULL;
  hn_import_options options = hn_default_import_options();
  hn_error error = {.status = HN_OK};
  hn_import *import = NULL;
  if (!PyArg_ParseTuple(arguments, "sO!O!zpdiz", &path, &PyList_Type, &packages, &PyList_Type,
                        &overlays, &options.keyframe, &options.merge_fixed, &options.density,
                        &options.depth, &options.output))
    return NULL;
  const char **of_packages = core_texts(packages, &options.package_count);
  const char **of_overlays =
      of_packages != NULL ? core_texts(overlays, &options.overlay_count) : NULL;
  options.packages = of_packages;
  options.overlays = of_overlays;
  if (of_overlays != NULL) {
    PyThreadState *thread = PyEval_SaveThread();
    hn_status status = hn_import_file(path, &options, &import, &error);
    PyEval_RestoreThread(thread);
    if (status != HN_OK)
      core_raise(&error);
    else
      result = describe(import);
  }
  hn_import_free(import);
  PyMem_Free((void *)of_packages);
  PyMem_Free((void *)of_overlays);
  return result;
}
