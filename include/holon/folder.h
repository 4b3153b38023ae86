// Holon: a run in a folder, as `holon run -o DIR` leaves it: results.*, certificate.json,
// scene.json, motion.bin, report.html. While it continues, its rows go to the disk (results.store),
// and from time to time its state (checkpoint.state), from which a run that was stopped or killed
// resumes bit for bit.
//
//   hn_folder_options options = {.path = "out/press"};
//   hn_run_outcome outcome;
//   hn_run_in_folder(simulation, &(hn_run_plan){.time = 10}, &options, &outcome);
//
// A folder belongs to the thread that made it. A second run into the same folder is rejected, in
// this process and in others.
#ifndef HOLON_FOLDER_H
#define HOLON_FOLDER_H

#include "holon/analysis.h"
#include "holon/page.h"
#include "holon/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- reports of a run ------------------------------------------------------------------------

// A run that has ended, for its report. Everything is the caller's; what is 0 is left out.
typedef struct hn_run_facts {
  size_t size; // of this struct; 0: the first version
  hn_simulation *simulation;
  const hn_run_outcome *outcome;
  const hn_results *shown;     // rows that are drawn
  const hn_scene *scene;       // for the picture and the path
  const hn_mobility *mobility; // at the start
  const hn_pacing *pacing;     // of a run in real time
  const char *name;            // of the model; null: the model's
  const char *path;            // of the model file
  const char *call;            // what makes the run again
} hn_run_facts;

// All texts for hn_text_free. Lines for a terminal; one JSON object, {"status": "ok", "time": ...,
// "final": {...}, "certificate": {...}}, or of a run that failed {"status": "failed", "error": {...}}
// (error null: the outcome's); the page. film: the viewer inside the page, may be null.
HN_API hn_status hn_run_summary(const hn_run_facts *facts, char **text);
HN_API hn_status hn_run_json(const hn_run_facts *facts, const hn_error *error, char **text);
HN_API hn_status hn_run_page(const hn_run_facts *facts, const hn_pages *pages,
                             const hn_run_files *film, char **text, size_t *length);
// The quality grade; for kinematics from the constraints in the outcome.
HN_API hn_verdict hn_run_verdict(hn_simulation *simulation, const hn_run_outcome *outcome);
// The certificate as an owned text.
HN_API hn_status hn_certificate_text(hn_simulation *simulation, char **text);

// ---- the folder ---------------------------------------------------------------------------------

typedef enum hn_folder_format {
  HN_FOLDER_USUAL, // results.h5, or results.npz where HDF5 is not built
  HN_FOLDER_HDF5,
  HN_FOLDER_CSV,
  HN_FOLDER_NPZ,
  HN_FOLDER_STORE, // results.store stays, and is all there is
} hn_folder_format;

typedef struct hn_folder_options {
  size_t size;      // of this struct; 0: the first version
  const char *path; // made where it is not there
  hn_folder_format format;
  int without_units; // no line of units in CSV
  int is_kinematics; // for hn_run_kinematics
  int in_memory;     // rows stay in memory until the end: a loop in real time writes no file
  int resume;        // resume from the last checkpoint; without one the run starts again
  double checkpoint; // s of the clock between states; 0: 60; below 0: none
  // run.call, whatever the caller needs to make the call again; gone when the run has come to its end
  const void *note;
  size_t note_size;
  const hn_pages *pages; // templates of the report; null: no report
  // For the report, as in hn_run_facts.
  const hn_mobility *mobility;
  const char *name, *model_path, *call;
  // Reports a full disk and the like while the run continues; may be null.
  void (*warn)(void *context, const hn_error *error);
  void *context;
} hn_folder_options;

typedef struct hn_folder hn_folder;

// Makes the folder, tries that its files can be written, takes its lock. What options point to stays
// until hn_folder_free. HN_ERROR_LIMIT: another run writes there.
HN_API hn_status hn_folder_open(const hn_folder_options *options, hn_simulation *simulation,
                                const hn_run_plan *plan, hn_folder **folder, hn_error *error);
HN_API void hn_folder_free(hn_folder *folder); // the lock is given back; null is fine
// Starts the store, or continues it: then the simulation has the state of the last checkpoint, and
// plan.goes_on and plan.is_resumed must be 1 (hn_folder_goes_on).
HN_API hn_status hn_folder_begin(hn_folder *folder, hn_error *error);
HN_API int hn_folder_goes_on(const hn_folder *folder);
HN_API hn_run_sink hn_folder_sink(hn_folder *folder); // for the run
HN_API hn_recording *hn_folder_recording(hn_folder *folder);
HN_API long hn_folder_rows(const hn_folder *folder); // recorded in all
// Writes all files, even after a failure; returns the first failure. A run that was stopped keeps
// its state. pacing: of a run in real time, else null.
HN_API hn_status hn_folder_finish(hn_folder *folder, const hn_run_outcome *outcome,
                                  const hn_pacing *pacing, hn_error *error);

// All of it: a run (of options.is_kinematics: positions alone) into a folder. Returns outcome->status,
// which is also that of files that could not be written.
HN_API hn_status hn_run_in_folder(hn_simulation *simulation, const hn_run_plan *plan,
                                  const hn_folder_options *options, hn_run_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
