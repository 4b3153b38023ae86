// A model, its simulation and what was asked for: what run, kinematics, statics and check share.
#ifndef HN_CLI_SESSION_H
#define HN_CLI_SESSION_H

#include "cli.h"

// What the user said; 0 or null where nothing was said.
typedef struct hn_cli_settings {
  const hn_ranks *ranks; // processes that share the run; null: one
  const char *path;      // of the model
  const char *folder;    // -o
  const char *keyframe;  // of an MJCF file
  double time, output_step;
  hn_simulation_options run; // holon/options.h
  double patience;           // with processes that serve components, s
  const char *format, *save_state, *from, *accuracy;
  const char *resume; // --resume: the folder, an absolute path
  double checkpoint;  // s of the clock between states that are kept; 0: the usual
  int no_checkpoint;
  const char *pace, *at_bound; // of a run in real time
  hn_cli_list set, signals, inputs, served, with, packages;
  int realtime;
  int no_units, no_scene, strict, quiet, json, allow_compiled, is_silent;
} hn_cli_settings;

void hn_cli_settings_free(hn_cli_settings *settings);
// Options of every command that reads a model.
#define HN_CLI_MODEL_OPTIONS(settings)                                                             \
  {"with",      0,                                                                                 \
   HN_CLI_LIST, &(settings).with,                                                                  \
   "FILE",      "apply this overlay file to the model first (repeatable)",                         \
   NULL},                                                                                          \
      {"package",     0,                                                                           \
       HN_CLI_LIST,   &(settings).packages,                                                        \
       "NAME=FOLDER", "where package://NAME/ of a URDF file is",                                   \
       NULL},                                                                                      \
  {                                                                                                \
    "keyframe", 0, HN_CLI_STRING, &(settings).keyframe, "NAME",                                    \
        "start at this keyframe of an MJCF file", NULL                                             \
  }

typedef struct hn_cli_session {
  const hn_cli_settings *settings;
  hn_cli_text call;  // the exact command, to be typed again
  hn_cli_list words; // the same, word by word; not copied
  hn_model *model;
  hn_simulation *simulation;
  hn_realtime *realtime; // owns the simulation; null: not in real time
  hn_inputs *inputs;     // null: none given
  hn_mobility mobility;  // at the start
  int has_mobility;
  char *name; // of the model, for people
  hn_error error;
} hn_cli_session;

// The words of the call, before options are read (which reorders them).
void hn_cli_session_call(hn_cli_session *session, int argc, char **argv);
// Loads the model and creates the simulation. Returns -1, or the exit code after telling why not.
int hn_cli_session_open(hn_cli_session *session, const hn_cli_settings *settings);
void hn_cli_session_close(hn_cli_session *session);
// With --strict a warning of the run is a failure; session->error tells which.
hn_status hn_cli_judge_warnings(hn_cli_session *session);
// The joint or driver of an entry of the mobility report.
const char *hn_cli_redundant_name(const hn_model *model, const hn_redundant_joint *joint);

// ---- recording ----------------------------------------------------------------------------------

typedef struct hn_cli_keep hn_cli_keep;

typedef struct hn_cli_recording {
  hn_recording kept; // null inside when nothing is written
  hn_cli_keep *keep; // its rows go to the disk; null: they stay in memory until the end (keep.h)
  int goes_on;       // of --resume: what was recorded before is on the disk
  struct hn_cli_run_line {
    int is_shown;        // on a terminal
    double start, end;   // of the run
    double began, drawn; // clock, s
  } progress;
} hn_cli_recording;
// Warns of results above 1 GB.
void hn_cli_recording_warn(const hn_cli_session *session, const hn_cli_recording *recording,
                           const hn_grid *grid);
void hn_cli_recording_free(hn_cli_recording *recording);

// How a loop in real time went (realtime.h).
typedef struct hn_cli_pacing {
  int is_paced;            // by the clock
  int is_first, is_locked; // SCHED_FIFO and mlockall were permitted
  long missed;             // ticks at which the period before was not done
  double latest_wake;      // how late a period began, s
  double latest_done;      // ... and was done, after its tick
} hn_cli_pacing;

typedef struct hn_cli_outcome {
  hn_status status;
  double start, end, time; // where it began, should end, did end
  double wall_seconds;
  int is_kinematics; // positions were solved, no step was taken
  long times;        // ... at this many instants
  hn_cli_pacing pacing;
  double constraint[3]; // ... with these largest violations of position, velocity, acceleration
} hn_cli_outcome;

// Ctrl-C ends the step that runs, once. From now on it is told to the simulation (null: to nobody), and
// by hn_cli_is_interrupted.
void hn_cli_listen(hn_simulation *simulation);
int hn_cli_is_interrupted(void);
void hn_cli_stop_listening(void);

// What the user said about rows, inputs and accuracy.
hn_run_plan hn_cli_plan(const hn_cli_session *session);
// Steps to the end of the plan, or until something fails or the user interrupts; session->error
// tells which. What was computed is recorded in every case.
void hn_cli_simulate(hn_cli_session *session, hn_cli_recording *recording, hn_cli_outcome *outcome);
// The same for a machine whose drivers leave no freedom: positions solved at every time.
void hn_cli_follow(hn_cli_session *session, hn_cli_recording *recording, hn_cli_outcome *outcome);
// Rows go to the recording and to the disk, progress to the terminal.
hn_run_sink hn_cli_recording_sink(hn_cli_recording *recording);
// How a run ended, in the words of the command.
void hn_cli_take_outcome(hn_cli_session *session, hn_cli_recording *recording,
                         const hn_run_outcome *run, hn_cli_outcome *outcome);

// ---- what is written ----------------------------------------------------------------------------

// The verdict of the library; of kinematics from the constraints that the outcome has.
hn_verdict hn_cli_judge(const hn_cli_session *session, const hn_cli_outcome *outcome);
void hn_cli_add_verdict_line(hn_cli_text *text, const hn_verdict *verdict); // without line end

char *hn_cli_certificate(const hn_cli_session *session); // JSON, to be freed
// results.*, certificate.json and report.html into the folder. session->error tells what failed.
hn_status hn_cli_write_outcome(hn_cli_session *session, hn_cli_recording *recording,
                               const hn_cli_outcome *outcome, const char *folder);
// Makes the folder of the run, if it will write one, and tries its files. Returns -1, or the exit
// code after a message.
int hn_cli_prepare_files(hn_cli_session *session);
char *hn_cli_run_folder(const hn_cli_session *session); // where its files go; to be freed
// Everything after the computation: writes, prints a summary or JSON. Returns the exit code.
int hn_cli_finish(hn_cli_session *session, hn_cli_recording *recording,
                  const hn_cli_outcome *outcome);

#endif
