// Holon: contact between bodies.
//
// Two shapes of different bodies collide if a contact names them: it has two sets of shapes and the
// force law between them.
//
//   hn_contact_def floor = hn_default_contact();
//   floor.name = "floor"; floor.restitution = 0.8; floor.friction = 0.3;
//   floor.shapes1 = &ball_shape;  floor.count1 = 1;
//   floor.shapes2 = &plane_shape; floor.count2 = 1;
//   hn_model_add_contact(model, &floor, NULL);
#ifndef HOLON_CONTACT_H
#define HOLON_CONTACT_H

#include "holon/law.h"
#include "holon/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

// Contact laws; d is the depth (m), dd its rate (m/s), d0 the rate at first contact.
//   rigid                 no penetration: gap >= 0, impacts by the restitution
//   linear                K d + D dd
//   hertz                 K d^n (1 + a dd), n = 1.5; a = 0 or given
//   hunt-crossley         K d^n (1 + a dd); a = 3 (1 - e)/(2 v), v the reference speed, or given
//   lankarani-nikravesh   K d^n (1 + 3 (1 - e^2)/(4 v) dd)
//   flores                K d^n (1 + 8 (1 - e)/(5 e v) dd)
//   table                 f(d) of a table, times (1 + a dd)
//   rolling               permanent contact without slip, whatever the force
//   soft                  rigid contact that gives way: force K d + D dd within a time step
// Except for rolling, a law never pulls. `none` excludes pairs that later contacts would select.
#define HN_CONTACT_LAW_LIST(X)                                                                     \
  X(HN_CONTACT_RIGID, "rigid")                                                                     \
  X(HN_CONTACT_LINEAR, "linear")                                                                   \
  X(HN_CONTACT_HERTZ, "hertz")                                                                     \
  X(HN_CONTACT_HUNT_CROSSLEY, "hunt-crossley")                                                     \
  X(HN_CONTACT_LANKARANI, "lankarani-nikravesh")                                                   \
  X(HN_CONTACT_FLORES, "flores")                                                                   \
  X(HN_CONTACT_TABLE, "table")                                                                     \
  X(HN_CONTACT_ROLLING, "rolling")                                                                 \
  X(HN_CONTACT_SOFT, "soft")                                                                       \
  X(HN_CONTACT_NONE, "none")

typedef enum hn_contact_law {
#define HN_CONTACT_LAW_ENUM(code, name) code,
  HN_CONTACT_LAW_LIST(HN_CONTACT_LAW_ENUM)
#undef HN_CONTACT_LAW_ENUM
      HN_CONTACT_LAWS
} hn_contact_law;
HN_API const char *hn_contact_law_name(hn_contact_law law);

typedef enum hn_restitution_kind {
  HN_RESTITUTION_NEWTON,
  HN_RESTITUTION_POISSON
} hn_restitution_kind;

typedef struct hn_contact_def {
  const char *name;
  hn_source source;
  int component;
  // Every shape of the first set against every one of the second; without a second set all pairs of
  // the first. Never between shapes of one body, nor, unless `joined` is 1, of bodies that a joint
  // connects (or of bodies fixed to them).
  const int *shapes1, *shapes2;
  int count1, count2;
  int joined;

  hn_contact_law law;
  double restitution; // 0 to 1
  hn_restitution_kind restitution_kind;
  double friction;        // of sliding; 0: smooth
  double static_friction; // of sticking, >= friction; negative: the same
  // rigid, soft: torque about the normal, and against rolling, per normal force, m
  double torsional_friction, rolling_friction;

  // Of laws that are not rigid.
  double stiffness;  // K, N/m^n
  double exponent;   // n, >= 1
  double damping;    // linear, soft: D, N s/m; others: a, s/m; negative: from the restitution
  double speed;      // v: the speed of impact that the restitution was measured at, m/s
  double transition; // friction is regular below this speed of slip, m/s
  double stribeck;   // speed over which friction falls from static to sliding, m/s
  // Bristles, which truly stick (LuGre): deflection z, friction over normal force s0 z + s1 z' + s2 v.
  double bristle_stiffness; // s0, 1/m; 0: none, friction is smooth
  double bristle_damping;   // s1, s/m; negative: critical of a body that lies under its weight
  double viscous_friction;  // s2, s/m
  hn_law *depth_law;        // table: force over depth
  // soft: by a compliance and `damping`, or relative to the inertia that the point feels. Both 0: rigid.
  double compliance;    // 1 / K, m/N
  double time_constant; // T, s; it replaces compliance and damping
  double damping_ratio; // with it; > 0
  // With it: fraction d of the force that the law has, the rest is inertia: from [0] at depth 0 to
  // [1] at the depth [2] (m), half way at the fraction [3] of that depth, with the power [4].
  double impedance[5];
} hn_contact_def;
HN_API hn_contact_def hn_default_contact(void); // rigid, no restitution, no friction
// The arrays are copied; the law is handed over.
HN_API hn_status hn_model_add_contact(hn_model *model, const hn_contact_def *def, int *id);
HN_API int hn_model_contact_count(const hn_model *model);
HN_API const hn_contact_def *hn_model_contact(const hn_model *model, int id); // null past the end

#ifdef __cplusplus
}
#endif

#endif
