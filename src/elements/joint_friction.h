// Friction of joints: what laws of signals need to know of it.
#ifndef HN_ELEMENTS_JOINT_FRICTION_H
#define HN_ELEMENTS_JOINT_FRICTION_H

#include "model/model.h"

// How much of its size it pulls with, -1 .. 1: by that derivatives of the size count. m from the
// anchor.
double hn_friction_share(const hn_force_def *force, double m, double md, double t);

#endif
