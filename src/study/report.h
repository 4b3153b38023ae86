// The report of a run (holon/folder.h), part by part.
#ifndef HN_STUDY_REPORT_H
#define HN_STUDY_REPORT_H

#include "base/json_writer.h"
#include "holon/folder.h"
#include "output/page.h"

typedef struct hn_report {
  hn_json_writer *json; // of the page
  const hn_model *model;
  hn_simulation *simulation;
  const hn_run_outcome *outcome;
  const hn_results *shown;
  const hn_scene *scene;
  const hn_mobility *mobility;
  const hn_pacing *pacing;
  const char *name, *path, *call;
} hn_report;

hn_report hn_report_of(const hn_run_facts *facts);

// "topology": bodies, joints and forces, for the drawing of the joint graph.
void hn_report_topology(hn_json_writer *json, const hn_report *r);
// Quality grade: grade, reasons, all checks, and redundancy.
void hn_report_verdict(hn_json_writer *json, const hn_report *r, const hn_verdict *verdict);
// Outputs made of reactions that joints share in an undetermined way, with commas; their number.
int hn_report_shared_outputs(const hn_report *r, hn_string *names);
// Key figures of the model: numbers with units and estimated errors, and curves. rows may be null.
void hn_report_figures(hn_json_writer *json, const hn_report *r);
// Estimated error of key figure k, 0: unknown.
double hn_report_figure_bar(const hn_report *r, int k);
void hn_report_curves(hn_json_writer *json, const hn_model *model, const hn_results *rows);
// Of a run in real time: lines of the summary, with the histogram; the same for the page; numbers.
void hn_report_pace_lines(hn_string *text, const hn_report *r);
void hn_report_pace(hn_json_writer *json, const hn_report *r);
void hn_report_pace_json(hn_json_writer *json, const hn_report *r);

#endif
