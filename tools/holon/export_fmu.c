// holon export MODEL --fmu: the model with the library inside, for other simulation programs.
#include "export_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/fmu.h"

// Negative: there is no such kind.
static int kinds_of(const char *word) {
  if (!word) return 0;
  if (strcmp(word, "cs") == 0) return HN_FMU_CO_SIMULATION;
  if (strcmp(word, "me") == 0) return HN_FMU_MODEL_EXCHANGE;
  return strcmp(word, "both") == 0 ? HN_FMU_CO_SIMULATION | HN_FMU_MODEL_EXCHANGE : -1;
}

int hn_cli_export_fmu(const hn_cli_model_export *call) {
  const hn_cli_settings *s = &call->settings;
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  load.settings = s->set.items;
  load.setting_count = s->set.count;
  load.overlays = s->with.items;
  load.overlay_count = s->with.count;
  load.packages = s->packages.items;
  load.package_count = s->packages.count;
  load.keyframe = s->keyframe;
  load.max_entries = s->max_entries;
  load.strict = s->strict;
  hn_error more[HN_LOAD_ERRORS];
  int more_count = 0;
  load.more = more;
  load.more_room = HN_LOAD_ERRORS;
  load.more_count = &more_count;
  char *path = hn_cli_full_path(s->path); // files of the model may lie above the current folder
  char *found = call->fmu.runtime == NULL ? hn_cli_find_beside("holon-fmu.so") : NULL;
  const hn_fmu_options options = {.size = sizeof options,
                                  .version = call->fmu.version,
                                  .runtime = call->fmu.runtime != NULL ? call->fmu.runtime : found,
                                  .kinds = kinds_of(call->fmu.kind),
                                  .signals = s->signals.items,
                                  .signal_count = s->signals.count};
  int code = HN_CLI_DONE;
  if (options.kinds < 0) {
    hn_cli_fail(&error, HN_ERROR_ARGUMENT, "Use cs, me or both.", "there is no kind '%.40s' of FMU",
                call->fmu.kind);
    code = hn_cli_report_failure(s->json, 0, &error);
  } else if (options.runtime == NULL) {
    hn_cli_fail(&error, HN_ERROR_FILE, "Give its path with --runtime.",
                "the binary of FMUs, holon-fmu.so, is not in the folder of the command");
    code = hn_cli_report_failure(s->json, 0, &error);
  } else if (hn_fmu_export(path, call->fmu.out, &load, &options, &error) != HN_OK) {
    hn_cli_report_failures(s->json, &error, more, more_count);
    code = error.status == HN_ERROR_MEMORY ? HN_CLI_FAILED : HN_CLI_WRONG;
  } else if (!s->json && !s->quiet) {
    printf("%s\n", call->fmu.out);
  }
  free(found);
  free(path);
  return code;
}
