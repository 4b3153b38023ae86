// Holon: everything. A program needs only this header; reading order: model, simulation, results.
#ifndef HOLON_H
#define HOLON_H

#include "holon/analysis.h"
#include "holon/base.h"
#include "holon/compare.h"
#include "holon/component.h"
#include "holon/contact.h"
#include "holon/dynamics.h"
#include "holon/export.h"
#include "holon/import.h"
#include "holon/law.h"
#include "holon/linear.h"
#include "holon/load.h"
#include "holon/model.h"
#include "holon/options.h"
#include "holon/picture.h"
#include "holon/ranks.h"
#include "holon/realtime.h"
#include "holon/results.h"
#include "holon/road.h"
#include "holon/run.h"
#include "holon/scene.h"
#include "holon/shape.h"
#include "holon/simulation.h"
#include "holon/switch.h"
#include "holon/store.h"
#include "holon/sweep.h"
#include "holon/types.h"
#include "holon/tyre.h"
#include "holon/verify.h"

#endif
