// Keys of contacts and of the materials between them: part of formats/keys.c.
#ifndef HN_FORMATS_KEYS_CONTACT_H
#define HN_FORMATS_KEYS_CONTACT_H

#include "model/keys.h"

#define MATERIAL_ROWS                                                                                \
  {"restitution", HN_KEY_NUMBER,                                                                     \
   HN_NUMBER,     "",                                                                                \
   "0",           "0: inelastic, 1: elastic; not for `linear` and `hertz`"},                         \
      {"impact",         HN_KEY_CHOICE, HN_NUMBER,                                                   \
       "newton poisson", "newton",      "rigid: restitution of velocities or impulses"},             \
      {"friction", HN_KEY_NUMBER, HN_NUMBER, "", "0", "coefficient of sliding friction"},            \
      {"static_friction", HN_KEY_NUMBER, HN_NUMBER, "", "the sliding coefficient", "of sticking"},   \
      {"torsional_friction",                                                                         \
       HN_KEY_NUMBER,                                                                                \
       HN_LENGTH,                                                                                    \
       "",                                                                                           \
       "0",                                                                                          \
       "rigid, soft: torque about the normal per normal force"},                                     \
      {"rolling_friction",                                                                           \
       HN_KEY_NUMBER,                                                                                \
       HN_LENGTH,                                                                                    \
       "",                                                                                           \
       "0",                                                                                          \
       "rigid, soft: torque against rolling per normal force"},                                      \
      {"law",                                                                                        \
       HN_KEY_CHOICE,                                                                                \
       HN_NUMBER,                                                                                    \
       "rigid linear hertz hunt-crossley lankarani-nikravesh flores table rolling soft none",        \
       "rigid",                                                                                      \
       "contact law"},                                                                               \
      {"stiffness", HN_KEY_NUMBER, HN_ANYTHING,                                                      \
       "",          "1e6",         "K of the contact law: force/depth^exponent, SI units"},          \
      {"exponent", HN_KEY_NUMBER, HN_NUMBER, "", "1.5; linear: 1", "exponent of the depth"},         \
      {"damping",                                                                                    \
       HN_KEY_NUMBER,                                                                                \
       HN_ANYTHING,                                                                                  \
       "",                                                                                           \
       "from the restitution; linear, hertz: 0",                                                     \
       "linear, soft: N s/m; others: s/m, factor of the penetration rate"},                          \
      {"speed", HN_KEY_NUMBER, HN_SPEED,                                                             \
       "",      "1",           "impact speed at which the contact law rebounds with `restitution`"}, \
      {"transition", HN_KEY_NUMBER, HN_SPEED,                                                        \
       "",           "0.001",       "compliant laws: slip speed below which friction falls to 0"},   \
      {"stribeck", HN_KEY_NUMBER,                                                                    \
       HN_SPEED,   "",                                                                               \
       "0.01",     "compliant laws: speed range of the transition from static to sliding friction"}, \
      {"bristle_stiffness",                                                                          \
       HN_KEY_NUMBER,                                                                                \
       HN_ANYTHING,                                                                                  \
       "",                                                                                           \
       "0: friction is smooth",                                                                      \
       "compliant laws: bristle stiffness per normal force, 1/m; sticks"},                           \
      {"bristle_damping",                                                                            \
       HN_KEY_NUMBER,                                                                                \
       HN_ANYTHING,                                                                                  \
       "",                                                                                           \
       "critical damping under its own weight",                                                      \
       "bristle damping per normal force, s/m"},                                                     \
      {"viscous_friction",                                                                           \
       HN_KEY_NUMBER,                                                                                \
       HN_ANYTHING,                                                                                  \
       "",                                                                                           \
       "0",                                                                                          \
       "with bristles: viscous friction per normal force, s/m"},                                     \
      {"compliance", HN_KEY_NUMBER, HN_ANYTHING, "", "0: rigid", "soft: depth per force, m/N"},      \
      {"time_constant", HN_KEY_NUMBER,                                                               \
       HN_TIME,         "",                                                                          \
       "0: rigid",      "soft: 2/b, for the inertia that a point feels"},                            \
      {"damping_ratio",                                                                              \
       HN_KEY_NUMBER,                                                                                \
       HN_NUMBER,                                                                                    \
       "",                                                                                           \
       "1",                                                                                          \
       "with `time_constant`: of the oscillator"},                                                   \
      {"impedance",                                                                                  \
       HN_KEY_NUMBERS,                                                                               \
       HN_NUMBER,                                                                                    \
       "",                                                                                           \
       "[0.9, 0.95, 0.001, 0.5, 2]",                                                                 \
       "with `time_constant`: fraction of the force at the surface, at depth, that depth (m), "      \
       "midpoint, power"},                                                                           \
  {                                                                                                  \
    "table", HN_KEY_LAW, HN_FORCE, "x", "none",                                                      \
        "force as a function of depth; selects the contact law `table`"                              \
  }

static const hn_key material_keys[] = {MATERIAL_ROWS, HN_ENTRY_ROWS};

static const hn_key contact_keys[] = {
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", "none",
     "the two bodies, with all shapes except those with `contact: false`"},
    {"groups", HN_KEY_NAMES, HN_NUMBER, "group", "none",
     "alternative: two groups of shapes, or one group within itself"},
    {"joined", HN_KEY_BOOLEAN, HN_NUMBER, "", "true with `bodies:`",
     "true: also between bodies connected by a joint"},
    {"material", HN_KEY_NAME, HN_NUMBER, "material", "none", "material with the default values"},
    MATERIAL_ROWS,
    HN_ENTRY_ROWS,
};

#endif
