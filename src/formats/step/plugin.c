// The plugin over OpenCASCADE, which reads files of anybody: it is loaded in a child process that may
// neither take all memory, nor compute for ever, nor write files, and only text comes back.
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/dynamic.h"
#include "base/error.h"
#include "formats/step/step.h"

#define PLUGIN "holon-step.so"
#define FAILED "\1" // no character of XML

typedef void (*send_function)(void *context, const char *text, size_t size);
typedef const char *(*read_function)(const char *path, send_function send, void *context);

typedef struct question {
  const char *plugin, *path;
} question;

static void send_text(void *context, const char *text, size_t size) {
  hn_child_send(context, text, size);
}

static void send_failure(hn_child_pipe *pipe, const char *why) {
  hn_child_send(pipe, FAILED, 1);
  hn_child_send(pipe, why, strlen(why));
}

// In the child: the text of the plugin, or behind FAILED what is wrong.
static void ask(void *context, hn_child_pipe *pipe) {
  const question *q = context;
  hn_dynamic *library = NULL;
  hn_error error = {0};
  if (hn_dynamic_open(q->plugin, &library, &error) != HN_OK) {
    send_failure(pipe, "cannot be read: the plugin " PLUGIN " cannot be loaded");
    return;
  }
  read_function read = (read_function)hn_dynamic_find(library, "holon_step_read");
  const char *why = read ? read(q->path, send_text, pipe) : "cannot be read: " PLUGIN " is another";
  if (why) send_failure(pipe, why);
}

static void fail(hn_machine *machine, const char *hint, const char *message) {
  hn_machine_fail(machine, machine->root, "the STEP file", hint, "%s", message);
}

// Parses the reply: XML, or the error text after FAILED.
hn_xml *hn_step_understand(hn_machine *machine, const char *data, size_t size) {
  hn_xml *root = NULL;
  const char *mark = size > 0 ? memchr(data, FAILED[0], size) : NULL;
  if (size == 0 || mark) {
    const char *end = data + size, *why = "cannot be read: OpenCASCADE ended unexpectedly";
    if (mark && mark + 1 < end && mark[1])
      why = hn_machine_text(machine, "%.*s", (int)(end - mark - 1), mark + 1);
    fail(machine, "Open it in a CAD program and export it again (AP203, AP214 or AP242).", why);
    return NULL;
  }
  hn_status status = hn_xml_parse(machine->arena, data, size, PLUGIN, &root, machine->error);
  if (status) machine->status = status;
  return status ? NULL : root;
}

hn_xml *hn_step_ask(hn_machine *machine) {
  char path[2300], text[64];
  const hn_child_limits limits = {.memory = (size_t)6 << 30, .output = HN_XML_SIZE, .seconds = 300};
  const char *reason = "";
  char *data = NULL;
  size_t size = 0;
  if (!hn_dynamic_near(PLUGIN, path, sizeof path)) {
    fail(machine, "Install OpenCASCADE (Debian: libocct-data-exchange-dev) and build Holon again.",
         "needs the plugin " PLUGIN ", which is built where OpenCASCADE is installed");
    machine->status = machine->error->status = HN_ERROR_UNSUPPORTED;
    return NULL;
  }
  question q = {path, machine->path};
  hn_status status = hn_child_run(&limits, ask, &q, &data, &size, text, &reason);
  hn_xml *root = NULL;
  if (status == HN_OK)
    root = hn_step_understand(machine, data, size);
  else
    fail(machine, "Export it again, or export only parts of it.",
         hn_machine_text(machine, "cannot be read: %s", reason));
  hn_release(NULL, data);
  return root;
}
