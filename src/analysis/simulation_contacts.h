// Rigid contacts of a run: the attempted step is searched for the first moment at which a gap
// closes, a slip ends, a point pulls or leaves its cone; the step ends there, and what happens then
// is settled (equations/rigid).
#ifndef HN_ANALYSIS_SIMULATION_CONTACTS_H
#define HN_ANALYSIS_SIMULATION_CONTACTS_H

#include "analysis/simulation.h"
#include "equations/conditions.h"

typedef enum hn_contact_change {
  HN_CHANGE_NONE,
  HN_CHANGE_CLOSES, // a gap
  HN_CHANGE_STOPS,  // a slip
  HN_CHANGE_PULLS,  // a normal force
  HN_CHANGE_SLIPS,  // a force leaves its cone
  HN_CHANGE_FACES   // other faces of a pair in contact
} hn_contact_change;

// Quantities of a contact point at one moment.
typedef struct hn_contact_look {
  int is_watched;
  double gap, rate; // of open points
  double noise;     // of the gap: less is no penetration
  double slip;      // of sliding ones, along the direction it had
  double speed;     // of the slip
  hn_vec3 along;    // the slip itself
} hn_contact_look;

struct hn_contact_watch {
  hn_contact_look *look[3]; // at moments inside the step (point_count)
  double *speed;            // of slips at the start of the step (point_count)
  double *back;             // slips against their directions that existed at the start
  double *level;            // of gaps: 0, or the residual depth at the start (point_count)
  double *excess[3];        // of functions at the start, in the middle and at the end (point_count)
  double *thin;             // m, half of what a way through both shapes takes (pairs)
  hn_contact_change change; // that the attempted step ends with
  int point;
  int slow;    // steps in a row in which a slip was slow and steps were short
  int rapid;   // changes in a row, each within HN_EVENT_RAPID of the last
  double last; // time of the last change
  int crowd;   // changes since `crowd_begin`
  double crowd_begin;
  long changes;      // in all; every SQUEEZED of them ...
  double since;      // ... the time is noted ...
  double kinetic;    // ... and the kinetic energy
  double loss;       // of sliding at the start of the step, W
  int is_softened;   // slow slips have got other directions at the end of the step
  int *before;       // modes before changes are applied (point_count)
  int has_warned[4]; // of gains, impacts that are passed on, paradoxes, slow slips without solution
};

// Half of the thickness of the thinnest two shapes that may collide, m; 0: none may, or all are planes.
double hn_contacts_thinnest(const hn_simulation *simulation);
// Writes the statistics of method time-stepping into a certificate, and reads them from that of a
// saved state or of a run that was event-driven so far; values inside a step of it.
void hn_contacts_certify(const hn_simulation *simulation, hn_certificate *certificate);
void hn_contacts_recall(hn_simulation *simulation);
hn_status hn_contacts_look(hn_simulation *simulation, double time);
// simulation_contacts_state.c: fields of the state; what follows from them after they were read, or an
// error where they cannot be true.
void hn_contacts_declare(hn_simulation *simulation);
hn_status hn_contacts_take_up(hn_simulation *simulation);
// Memory, after the equations.
hn_status hn_watch_contacts(hn_simulation *simulation);
// Warns of contacts that name shapes of which none can collide.
void hn_tell_idle_contacts(hn_simulation *simulation);
// At the start of a run: reports overlaps, resolves impacts and selects contact modes.
hn_status hn_contacts_start(hn_simulation *simulation);
// Impacts and contact modes at the present state, after velocities have jumped.
hn_status hn_contacts_settle(hn_simulation *simulation);
// simulation_contact_events.c: the first change in the attempted step as a fraction of it; 2: none.
double hn_find_contact_change(hn_simulation *simulation, hn_contact_change *change, int *point);
// The same of the faces of closed pairs before `limit`, simulation_contact_faces.c; 2: none change.
double hn_find_faces(hn_simulation *simulation, double limit, int *point);
// Frames at a fraction of the attempted step, and the smallest difference of fractions.
const hn_frame *hn_contact_frames_at(hn_simulation *simulation, double theta);
double hn_contact_resolution(const hn_simulation *simulation);
int hn_contact_pair_is_open(const struct hn_grips *grips, int pair);
// Real time: what has changed at the end of the attempted step.
hn_contact_change hn_find_late_change(hn_simulation *simulation, int *point);
// After it: points that slide turn their direction to where they slide at that end. Of a step that is
// taken, or friction would turn round once slip has another direction than a quarter turn before.
void hn_contacts_follow(hn_simulation *simulation);
// The rate of a point's gap and its slip.
double hn_contact_gap_rate(const hn_contact_point *point, const hn_contact_pair *pair,
                           const hn_frame *frames, hn_vec3 *slip);
// Slips that come to rest at this fraction keep their directions until the step has been taken.
void hn_contacts_straighten(hn_simulation *simulation, double theta);
// After an attempt that failed: a slip that stops there, along its direction, keeps this direction.
// Stages at its end iterate on it without end. 0: no such slip, or it had this direction already.
int hn_contacts_keep_direction(hn_simulation *simulation, double theta);
// By how much the end of the attempted step misses the change, s; not known: 0.
double hn_contact_miss(hn_simulation *simulation, hn_contact_change change, int point);

#endif
