// A model, its simulation and what was asked for: what run, kinematics, statics and check share.
#ifndef HN_CLI_SESSION_H
#define HN_CLI_SESSION_H

#include "cli.h"

// What the user said; 0 or null where nothing was said.
typedef struct hn_cli_settings {
  const hn_ranks *ranks; // processes that share the run; null: one
  const char *path;      // of the model
  const char *folder;    // -o
  double time, tol, atol, rtol, step, max_step, output_step;
  double patience; // with processes that serve components, s
  const char *coordinates, *method, *formula, *independent, *linear_solver, *preset;
  const char *xi, *alpha, *rho; // numbers as written
  double penalty;
  const char *projection;
  int max_iterations;
  const char *format, *save_state, *from;
  const char *pace, *at_bound; // of a run in real time
  hn_cli_list set, signals, inputs, served;
  int realtime;
  int no_units, no_scene, strict, quiet, json, threads, allow_compiled, is_silent;
} hn_cli_settings;

void hn_cli_settings_free(hn_cli_settings *settings);

typedef struct hn_cli_inputs hn_cli_inputs; // inputs.h

typedef struct hn_cli_session {
  const hn_cli_settings *settings;
  hn_cli_text call; // the exact command, to be typed again
  hn_model *model;
  hn_simulation *simulation;
  hn_realtime *realtime; // owns the simulation; null: not in real time
  hn_cli_inputs *inputs; // null: none given
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

// Times start + k step up to the end, and the end itself.
typedef struct hn_cli_grid {
  double step, end;
  long first, count; // index of the first time and how many there are, the end included
} hn_cli_grid;
// Everything on the grid of a run from 0, from `start` on: 501 points when step is 0. *error tells
// when there are too many.
hn_status hn_cli_make_grid(double start, double end, double step, hn_cli_grid *grid,
                           hn_error *error);
double hn_cli_grid_time(const hn_cli_grid *grid, long k); // k from 0

typedef struct hn_cli_recording {
  hn_results *all;             // what the user asked for; null when nothing is written
  hn_results *shown;           // outputs, energy, constraints, steps: what the report shows
  hn_scene *scene;             // poses for pictures; null with --no-scene
  hn_results_journal *journal; // `all` on the disk while several processes run; null: none
  double journal_time;         // of the clock, when rows were written last
} hn_cli_recording;
// Kinematics takes no step: the signals that steps make are left out.
hn_status hn_cli_recording_create(hn_cli_session *session, hn_cli_recording *recording,
                                  int is_kinematics);
// The scene of a run whose rows are on the grid. Of kinematics there is a frame a row.
hn_status hn_cli_recording_film(hn_cli_session *session, hn_cli_recording *recording,
                                const hn_cli_grid *grid, int is_kinematics);
// Warns of results above 1 GB.
void hn_cli_recording_warn(const hn_cli_session *session, const hn_cli_recording *recording,
                           const hn_cli_grid *grid);
// Several processes: one that is lost ends all of them within a second. Rows go to the disk at once.
hn_status hn_cli_recording_keep(hn_cli_session *session, hn_cli_recording *recording,
                                const char *folder);
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

// From now on Ctrl-C is told to the simulation (null: to nobody), and by hn_cli_is_interrupted.
void hn_cli_listen(hn_simulation *simulation);

// Steps to the end of the grid, or until something fails or the user interrupts; session->error
// tells which. What was computed is recorded in every case.
void hn_cli_simulate(hn_cli_session *session, const hn_cli_grid *grid, hn_cli_recording *recording,
                     hn_cli_outcome *outcome);
// The same for a machine whose drivers leave no freedom: positions solved at every time.
void hn_cli_follow(hn_cli_session *session, const hn_cli_grid *grid, hn_cli_recording *recording,
                   hn_cli_outcome *outcome);

// Parts of these for the loop in real time: the row and frame of the start; those that the last step
// reached; the end of a run, with its last state.
hn_status hn_cli_record_first(hn_cli_session *session, const hn_cli_grid *grid,
                              hn_cli_recording *recording, const hn_cli_outcome *outcome,
                              long *next);
hn_status hn_cli_record_reached(hn_cli_session *session, const hn_cli_grid *grid,
                                hn_cli_recording *recording, long *next);
void hn_cli_record_end(hn_cli_session *session, hn_cli_recording *recording,
                       hn_cli_outcome *outcome, hn_status status);
// Ctrl-C ends the step that runs, once.
int hn_cli_is_interrupted(void);
void hn_cli_listen(hn_simulation *simulation);
void hn_cli_stop_listening(void);

// ---- what is written ----------------------------------------------------------------------------

// The verdict of the library; of kinematics from the constraints that the outcome has.
hn_verdict hn_cli_judge(const hn_cli_session *session, const hn_cli_outcome *outcome);
void hn_cli_add_verdict_line(hn_cli_text *text, const hn_verdict *verdict); // without line end

char *hn_cli_certificate(const hn_cli_session *session); // JSON, to be freed
// results.*, certificate.json and report.html into the folder. session->error tells what failed.
hn_status hn_cli_write_outcome(hn_cli_session *session, const hn_cli_recording *recording,
                               const hn_cli_outcome *outcome, const char *folder);
// Makes the folder of the run, if it will write one, and tries its files. Returns -1, or the exit
// code after a message.
int hn_cli_prepare_files(hn_cli_session *session);
char *hn_cli_run_folder(const hn_cli_session *session); // where its files go; to be freed
// Everything after the computation: writes, prints a summary or JSON. Returns the exit code.
int hn_cli_finish(hn_cli_session *session, const hn_cli_recording *recording,
                  const hn_cli_outcome *outcome);

#endif
