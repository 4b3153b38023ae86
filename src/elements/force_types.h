// Table of force types: one entry each, next to the code of the force. A new force is a file of
// forces/ with its entry, named after the type, and its name in HN_FORCE_LIST (holon/model.h); a
// name without an entry does not link.
#ifndef HN_ELEMENTS_FORCE_TYPES_H
#define HN_ELEMENTS_FORCE_TYPES_H

#include "elements/force.h"
#include "model/keys.h"

typedef struct hn_force_row {
  // Measured forces: a tension, which pulls when positive, on `measures` own measures of the two frames
  // (0: the one of the joint), made by make_measures (null: their distance), and the branch of its law
  // (null: there is one).
  int measures;
  hn_tension (*tension)(const hn_force_def *force, int k, hn_branch branch, double m, double md,
                        double t);
  void (*make_measures)(const hn_force_def *force, hn_measure *out, int *turn_next);
  hn_branch (*law_branch)(const hn_force_def *force, double m, double md, double t);

  // Others: what it adds to wrenches, and these with their derivatives, of bodies that are set unless
  // they are ground and that of frame 2; or, for a load at the point of frame 2, that load, which says
  // all of it.
  hn_status (*in_speeds)(const hn_elements *elements, const hn_force_def *force,
                         const hn_frame *frames, double t, hn_branch branch, hn_wrench *wrench,
                         hn_force_value *out);
  hn_status (*in_poses)(const hn_elements *elements, const hn_force_def *force,
                        const hn_frame *frames, double t, hn_branch branch, hn_force_load *out);
  int (*load)(const hn_elements *elements, const hn_force_def *force, const hn_frame *frame,
              double t, hn_branch branch, hn_point_load *load);
  hn_branch (*branch)(const hn_elements *elements, const hn_force_def *force,
                      const hn_frame *frames, double t);

  // Those that stick: `anchors` numbers that are frozen within a step (elements.h) and follow the motion
  // when it is accepted; where the row has no tension, force and derivatives are asked for with them.
  int anchors;
  void (*move_anchor)(const hn_elements *elements, int force, const hn_frame *frames, double t,
                      const double *turns, double *anchor);
  hn_status (*held_in_speeds)(const hn_elements *elements, const hn_force_def *force,
                              const hn_frame *frames, const double *anchor, double t,
                              hn_branch branch, hn_wrench *wrench, hn_force_value *out);
  // Derivatives of a wrench on the body of frame 2 alone; 0: no such wrench.
  int (*held_wrench)(const hn_elements *elements, const hn_force_def *force, const hn_frame *frame,
                     const double *anchor, double t, hn_branch branch, hn_wrench_tangent *out);

  double (*step_limit)(const hn_elements *elements, const hn_force_def *force,
                       const hn_frame *frames); // see hn_force_step_limit; null: by its road

  int (*states)(const hn_model *model, const hn_force_def *force); // of branches; null: of its laws
  int (*has_rates)(
      const hn_force_def *force); // depends on speeds (hn_force_always); null: it does not
  // 0: its potential accounts for all its work; null: its power has to be asked for
  int (*has_power)(const hn_model *model, const hn_force_def *force);
  int turns;                                                           // its value is a torque
  int (*own_states)(const hn_model *model, const hn_force_def *force); // elements/states.h; null: 0

  // The section of files, with the keys whose numbers go to force->number[0], ...; null keys: it
  // has no section of its own here (formats/keys.c).
  hn_section section;
  const char *numbers[HN_FORCE_NUMBERS];
} hn_force_row;

const hn_force_row *hn_force_row_of(hn_force_type type); // an empty one past the end, never null

#define HN_FORCE_ROW(type, name, ends) extern const hn_force_row hn_row_##type;
HN_FORCE_LIST(HN_FORCE_ROW)
#undef HN_FORCE_ROW

// 1 when it is a tension on measures: it depends on the relative motion of its bodies only.
int hn_force_is_relative(const hn_force_def *force);
int hn_force_has_rates(const hn_force_def *force);
int hn_force_always(const hn_force_def *force); // 1
// 1 for a user force without derivatives: methods that need them take differences.
int hn_force_needs_differences(const hn_force_def *force);
// 1 when its value is a torque and its deflection an angle.
int hn_force_turns(const hn_force_def *force);

#endif
