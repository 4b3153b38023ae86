// STEP: the text of a file up to a zero byte, and behind it what the process with OpenCASCADE says.
// Whatever both are, they end in a model that is written, or in an error.
#include "target.h"

#include "formats/step/step.h"
#include "formats/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *gap = memchr(data, 0, size);
  size_t length = gap ? (size_t)(gap - data) : size;
  hn_arena arena;
  hn_error error = {0};
  hn_import_options options = hn_default_import_options();
  options.depth = (int)(size % 3);
  hn_arena_init(&arena, NULL);
  hn_xml root = {.file = "fuzz.stp", .name = "step", .text = "", .fate = HN_FATE_USED};
  hn_machine machine = {
      .arena = &arena, .error = &error, .options = &options, .path = "fuzz.stp", .root = &root};
  hn_machine_prepare(&machine);
  hn_step_entities(&machine, (const char *)data, length);
  hn_xml *answer = NULL;
  if (hn_machine_ok(&machine) && gap)
    answer = hn_step_understand(&machine, (const char *)gap + 1, size - length - 1);
  if (answer) {
    hn_step_build(&machine, answer);
    hn_machine_settle(&machine);
    struct hn_node *tree = hn_machine_compose(&machine);
    PROMISE((tree != NULL) == (machine.status == HN_OK));
    if (tree) PROMISE(hn_tree_yaml(&arena, tree) != NULL);
    hn_machine_proposals(&machine);
  }
  PROMISE(machine.status == HN_OK || error.message[0]);
  hn_arena_release(&arena);
  return 0;
}
