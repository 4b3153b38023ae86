// A model, its simulation and what was asked for: what run, kinematics, statics and check share.
#ifndef HN_CLI_SESSION_H
#define HN_CLI_SESSION_H

#include "cli.h"

// Options of the user; 0 or null if not given.
typedef struct hn_cli_settings {
  const hn_ranks *ranks; // processes that share the run; null: one
  const char *path;      // of the model
  const char *folder;    // -o
  const char *keyframe;  // of an MJCF file
  long max_entries;      // of the model
  double time, output_step;
  hn_simulation_options run; // holon/options.h
  double patience;           // with processes that serve components, s
  const char *format, *save_state, *from, *accuracy;
  const char *resume; // --resume: the folder, an absolute path
  double checkpoint;  // s of the clock between states that are kept; 0: default
  int no_checkpoint;
  const char *pace, *at_bound; // of a run in real time
  const char *pulls; // table of pulls of a live run
  hn_cli_list set, signals, inputs, served, with, packages;
  int realtime;
  int no_units, no_scene, strict, quiet, json, allow_compiled, is_silent;
} hn_cli_settings;

void hn_cli_settings_free(hn_cli_settings *settings);
// Options of every command that reads a model.
#define HN_CLI_MODEL_OPTIONS(settings)                                                             \
  {"with",      0,                                                                                 \
   HN_CLI_LIST, &(settings).with,                                                                  \
   "FILE",      "apply this overlay file to the model (repeatable)",                               \
   NULL},                                                                                          \
      {"package",     0,                                                                           \
       HN_CLI_LIST,   &(settings).packages,                                                        \
       "NAME=FOLDER", "folder of package://NAME/ in URDF files",                                   \
       NULL},                                                                                      \
      {"keyframe", 0, HN_CLI_STRING, &(settings).keyframe, "NAME", "start at this MJCF keyframe",  \
       NULL},                                                                                      \
  {                                                                                                \
    "max-entries", 0, HN_CLI_LONG, &(settings).max_entries, "N",                                   \
        "limit on named entries of the model, repetitions included (100000)", NULL                 \
  }

typedef struct hn_cli_session {
  const hn_cli_settings *settings;
  hn_cli_text call;  // the exact command, to be typed again
  hn_cli_list words; // the same, word by word; not copied
  hn_model *model;
  hn_simulation *simulation;
  hn_realtime *realtime; // owns the simulation; null: not in real time
  hn_inputs *inputs;     // null: none given
  hn_pulls *pulls;       // null: none
  hn_pacing pacing;      // of a run in real time
  hn_mobility mobility;  // at the start
  int has_mobility;
  char *name;       // of the model, for people
  char *folder;     // where the run writes; null: nowhere
  hn_cli_text note; // run.call
  double began;     // of the clock, when the call was read, s
  hn_error error;
} hn_cli_session;

// The words of the call, before options are read (which reorders them).
void hn_cli_session_call(hn_cli_session *session, int argc, char **argv);
// Loads the model and creates the simulation. Returns -1, or the exit code after telling why not.
int hn_cli_session_open(hn_cli_session *session, const hn_cli_settings *settings);
void hn_cli_session_close(hn_cli_session *session);
// With --strict a warning of the run is a failure; session->error has it.
hn_status hn_cli_judge_warnings(hn_cli_session *session);

// ---- running ------------------------------------------------------------------------------------

// Where the rows of a run go, and its progress on a terminal.
typedef struct hn_cli_recording {
  hn_folder *folder; // null: nothing is written
  hn_recording kept; // ... then rows of the key figures' outputs
  hn_run_sink inner; // of one of these two
  struct hn_cli_run_line {
    int is_shown;
    double start, end;   // of the run
    double began, drawn; // clock, s
  } progress;
} hn_cli_recording;
const hn_results *hn_cli_recording_shown(hn_cli_recording *recording); // null: none
void hn_cli_recording_free(hn_cli_recording *recording);

// Ctrl-C ends the present step, once. From now on it interrupts the simulation (null: none), and
// sets hn_cli_is_interrupted.
void hn_cli_listen(hn_simulation *simulation);
int hn_cli_is_interrupted(void);
void hn_cli_stop_listening(void);

// The plan from the user's options for rows, inputs and accuracy.
hn_run_plan hn_cli_plan(const hn_cli_session *session);
char *hn_cli_run_folder(const hn_cli_session *session); // where its files go; to be freed
// Opens the folder of the run, if it writes one, and continues an existing one. Returns -1, or the
// exit code after a message.
int hn_cli_open_folder(hn_cli_session *session, hn_cli_recording *recording, int is_kinematics);
// Steps (or solves) to the end of the plan, or until something fails or the user interrupts;
// session->error has the reason. What was computed is recorded in every case.
void hn_cli_simulate(hn_cli_session *session, hn_cli_recording *recording, int is_kinematics,
                     hn_run_outcome *outcome);
// Everything after the computation: writes, prints a summary or JSON. Returns the exit code.
int hn_cli_finish(hn_cli_session *session, hn_cli_recording *recording,
                  const hn_run_outcome *outcome);

// ---- the call of a run (recall.c) -----------------------------------------------------------------

// Of `--resume DIR`: the words the run was called with, in a list of its own; the folder it was called
// in is entered; options that let other code run have to be in the call. absolute: DIR as an absolute
// path. Returns -1, or the exit code after a message.
int hn_cli_recall(const char *folder, const hn_cli_list *call, hn_cli_list *words, char **absolute);
// The text that recall reads, to be kept in the folder.
hn_status hn_cli_call_note(const hn_cli_session *session, hn_cli_text *text, hn_error *error);

#endif
