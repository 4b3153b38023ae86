// Keys of contacts and of the materials between them: part of formats/keys.c.
#ifndef HN_FORMATS_KEYS_CONTACT_H
#define HN_FORMATS_KEYS_CONTACT_H

#include "model/keys.h"

#define MATERIAL_ROWS                                                                               \
  {"restitution", HN_KEY_NUMBER, HN_NUMBER, "", "0", "0: stays, 1: bounces without loss"},          \
      {"impact",         HN_KEY_CHOICE, HN_NUMBER,                                                  \
       "newton poisson", "newton",      "rigid: restitution of speeds or of impulses"},             \
      {"friction", HN_KEY_NUMBER, HN_NUMBER, "", "0", "coefficient of sliding friction"},           \
      {"static_friction", HN_KEY_NUMBER, HN_NUMBER, "", "that of sliding", "of sticking"},          \
      {"law",     HN_KEY_CHOICE,                                                                    \
       HN_NUMBER, "rigid linear hertz hunt-crossley lankarani-nikravesh flores table rolling none", \
       "rigid",   "what keeps the bodies apart"},                                                   \
      {"stiffness", HN_KEY_NUMBER, HN_ANYTHING,                                                     \
       "",          "1e6",         "K of the law: force over depth^exponent; in SI"},               \
      {"exponent", HN_KEY_NUMBER, HN_NUMBER, "", "1.5; 1 of linear", "of the depth"},               \
      {"damping",                                                                                   \
       HN_KEY_NUMBER,                                                                               \
       HN_ANYTHING,                                                                                 \
       "",                                                                                          \
       "from the restitution",                                                                      \
       "linear: N s/m; others: s/m, the factor of the rate of depth"},                              \
      {"speed", HN_KEY_NUMBER, HN_SPEED,                                                            \
       "",      "1",           "of the impact at which a law has its restitution"},                 \
      {"transition", HN_KEY_NUMBER,                                                                 \
       HN_SPEED,     "",                                                                            \
       "0.001",      "of laws that are not rigid: speed of slip below which friction falls to 0"},  \
      {"stribeck",                                                                                  \
       HN_KEY_NUMBER,                                                                               \
       HN_SPEED,                                                                                    \
       "",                                                                                          \
       "0.01",                                                                                      \
       "of laws that are not rigid: speed over which friction falls from static to sliding"},       \
      {"bristle_stiffness",                                                                         \
       HN_KEY_NUMBER,                                                                               \
       HN_ANYTHING,                                                                                 \
       "",                                                                                          \
       "0: friction is smooth",                                                                     \
       "of laws that are not rigid: friction over normal force by deflection, 1/m; it sticks"},     \
      {"bristle_damping",                                                                           \
       HN_KEY_NUMBER,                                                                               \
       HN_ANYTHING,                                                                                 \
       "",                                                                                          \
       "critical under the own weight",                                                             \
       "of bristles: by the rate of their deflection, s/m"},                                        \
      {"viscous_friction",                                                                          \
       HN_KEY_NUMBER,                                                                               \
       HN_ANYTHING,                                                                                 \
       "",                                                                                          \
       "0",                                                                                         \
       "of bristles: by the speed of slip, s/m"},                                                   \
  {                                                                                                 \
    "table", HN_KEY_LAW, HN_FORCE, "x", "none", "force over depth; makes `law: table`"              \
  }

static const hn_key material_keys[] = {MATERIAL_ROWS, HN_ENTRY_ROWS};

static const hn_key contact_keys[] = {
    {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", "none",
     "that touch, with all their shapes but those with `contact: false`"},
    {"groups", HN_KEY_NAMES, HN_NUMBER, "group", "none",
     "instead: groups of shapes, one against the other, or one within itself"},
    {"joined", HN_KEY_BOOLEAN, HN_NUMBER, "", "true with `bodies:`",
     "also bodies that a joint joins"},
    {"material", HN_KEY_NAME, HN_NUMBER, "material", "none",
     "whose values hold where none is given"},
    MATERIAL_ROWS,
    HN_ENTRY_ROWS,
};

#endif
