// The force ball-spring-damper: see load_ball.c.
#ifndef HN_FORMATS_LOAD_BALL_H
#define HN_FORMATS_LOAD_BALL_H

#include "formats/fields.h"

void hn_build_ball(hn_fields *fields, hn_force_def *def);
int hn_force_is_ball(const hn_force_def *def); // stiffness[0] and damping[0] are its numbers

#endif
