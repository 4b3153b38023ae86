// Constraints with conditions on the equations of any set of coordinates: contact points of rigid
// laws, rolling, knife edges, rigid stops of joints, sticking friction of joints. A set that has
// responses (responses.h) is extended by them; methods, analyses and outputs see them here only.
//
// Points are numbered pair * HN_CONTACT_POINTS + index within the pair. Conditions of other kinds
// follow: each has one constraint.
//
//   EDGE       the point of a knife edge does not move along one of its directions; velocities only
//   STOP       gap = the way to the end of a joint's coordinate: like a smooth contact
//   FRICTION   the coordinate rests as long as |p| <= the limit of sticking, else p is that of sliding
//
// Out of scope: how they are solved (rigid/rigid.h), the choice of steps that end at their changes
// (analysis/simulation_contacts.h).
#ifndef HN_EQUATIONS_CONDITIONS_H
#define HN_EQUATIONS_CONDITIONS_H

#include "contact/contact.h"
#include "contact/friction.h"
#include "equations/responses.h"

// Limit of pairs of shapes for event-driven contact; more are time-stepped with this step (s).
#define HN_RIGID_FEW 400
#define HN_RIGID_FEW_FREE 200 // where no joint joins the bodies: heaps
#define HN_RIGID_STEP 1e-3
// Closed points at one time, at most.
#define HN_RIGID_MOST 128
#define HN_RIGID_SLIP 1e-8 // m/s: a slower slip has the direction it had before

typedef enum hn_extra_kind { HN_EXTRA_EDGE, HN_EXTRA_STOP, HN_EXTRA_FRICTION } hn_extra_kind;

struct hn_extra {
  hn_extra_kind kind;
  int joint;           // edge
  int force;           // stop, friction: of the model
  int measure;         // ...: of the elements
  double sign, end;    // stop: gap = sign (value - end)
  double restitution;  // of stops
  int is_soft;         // a stop that gives way within time steps
  double stick, slide; // friction: limits, N or N m
};

// Contact modes frozen within a step (hn_branches.grips).
struct hn_grips {
  int closed;              // points that are not open
  int *mode;               // of each pair (pair_count)
  hn_grip *grip;           // (point_count)
  int *feature;            // of pairs whose points appear and vanish: their features (point_count)
  unsigned char *soft;     // slides so slowly that its direction is stiff (point_count)
  unsigned char *straight; // comes to rest within the step: keeps its direction (point_count)
  hn_vec3
      *direction; // of sliding points, global: slip where it is too slow to have one (point_count)
  const double *turns; // reference angles, for extras (turn_count); not copied
};

// Constant after creation, but for rest, period and of_run, which the owner of a run sets at its start.
typedef struct hn_conditions {
  const hn_contacts *contacts;
  int point_count; // of contacts and extras
  int first_extra; // number of the first that is no point of a contact
  struct hn_extra *extra;
  double rest;                 // m/s: points that slide more slowly are tested for sticking again
  double period;               // s: of real time; a bounce that ends within it does not start
  int most;                    // active points at most
  int is_many;                 // more pairs than event-driven contact supports
  const hn_contact_def **rule; // of each pair; null: not rigid (pair_count)
  struct hn_grips *of_run;     // modes of the run, which hold for its matrices, too
} hn_conditions;

// Equations of a set that has responses, with the conditional constraints of the model.
hn_status hn_rigid_create(hn_arena *arena, const hn_equations_type *set,
                          const hn_elements *elements, const hn_equations_options *options,
                          hn_equations **equations, hn_error *error);
static inline hn_conditions *hn_conditions_of(const hn_equations *equations) {
  return equations->extension;
}
hn_status hn_grips_create(hn_arena *arena, const hn_equations *equations, struct hn_grips **grips);
void hn_grips_copy(const hn_equations *equations, const struct hn_grips *from, struct hn_grips *to);
// The modes of branches for derivatives at this state: a slip that would end within a few steps h keeps
// its present direction.
hn_status hn_grips_settle_slow(hn_equations *equations, double t, const double *q, const double *qd,
                               const hn_branches *branches, double h, struct hn_grips *to);

// Numbers the points of a pair at a position: those of pairs whose points appear and vanish are
// found by their features, new ones get free numbers.
void hn_rigid_number(const hn_conditions *self, const struct hn_grips *grips, int pair,
                     const hn_contact_point *points, int count, int *number);

// Gap, speed, row. turns: reference angles.
hn_touch_row hn_extra_row(const hn_elements *elements, const struct hn_extra *extra,
                          const hn_frame *frames, const double *turns);
// Value (of stops) and rate alone.
void hn_extra_motion(const hn_elements *elements, const struct hn_extra *extra,
                     const hn_frame *frames, const double *turns, double *value, double *rate);
// The extra of this number, or null: it is a point of a contact.
static inline const struct hn_extra *hn_extra_of(const hn_conditions *self, int point) {
  return point >= self->first_extra ? &self->extra[point - self->first_extra] : NULL;
}
// 1: a condition has switched its force off.
static inline int hn_extra_is_off(const hn_elements *elements, const struct hn_extra *extra) {
  return extra->force >= 0 && elements->force_off && elements->force_off[extra->force];
}
// 1: closed during the whole run.
static inline int hn_touch_is_held(const hn_conditions *self, int point) {
  const struct hn_extra *extra = hn_extra_of(self, point);
  if (extra) return extra->kind == HN_EXTRA_EDGE;
  return self->rule[point / HN_CONTACT_POINTS]->law == HN_CONTACT_ROLLING;
}

// Rank of permanently closed conditions (rolling, knife edges): of positions, and of velocities
// beyond those. Overwrites frames, factors and problem.
hn_status hn_rigid_held_rank(hn_equations *equations, double t, const double *q, const double *qd,
                             const hn_branches *branches, int *positions, int *velocities);

// Of bodies with their joints, for soft contacts (bodies + ground), 1/kg. Overwrites factors and
// problem.
hn_status hn_rigid_mobility(hn_equations *equations, double t, const double *q, const double *qd,
                            const hn_branches *branches, double *inverse_mass);

// Results of impacts and mode changes at one time.
typedef struct hn_touch_report {
  int impacts;          // points with an impulse
  int closed_sequences; // bounces that became too low to continue
  double work;          // change of the kinetic energy: with what drives do in an impact, J
  double lost;          // kinetic energy that impacts took, J
  double gained;        // ... that they brought: the law of impact is wrong there
  double residual;      // of laws of friction, relative
  double penetration;   // the deepest that was found, m
  int gaining;          // a point of such an impact; -1: none
  int unsolved;         // a point whose laws could not be satisfied; -1: none
  int passing; // a point with restitution at rest that passes an impact of others on; -1: none
  int paradox; // a point that slides with none or several solutions; -1: none
  int locked;  // ... that has none, and cannot be stopped: a driver moves it on; -1: none
} hn_touch_report;
// Known data of a point from the event location.
typedef struct hn_touch_hint {
  int point; // -1: none
  hn_grip grip;
  double still; // accelerations that count as none, of those without contacts
} hn_touch_hint;

// Resolves impacts and contact modes at the state (t, q, qd), starting from branches->grips;
// impacts change qd, which is projected, and q is projected to gap = 0. overlap: the deepest
// penetration before.
hn_status hn_rigid_settle(hn_equations *equations, double t, double *q, double *qd,
                          hn_branches *branches, hn_touch_hint hint, hn_touch_report *report,
                          hn_error *error);

#endif
