// Keys of states and of the blocks in them: part of formats/keys.c.
#ifndef HN_FORMATS_KEYS_STATE_H
#define HN_FORMATS_KEYS_STATE_H

#include "model/keys.h"

static const hn_key state_keys[] = {
    {"rate", HN_KEY_LAW, HN_ANYTHING, "t", "none", "its derivative by time, of signals and states"},
    {"value", HN_KEY_LAW, HN_ANYTHING, "t", "none",
     "of a state that is sampled: what it is set to"},
    {"follows", HN_KEY_TEXT, HN_NUMBER, "", "none",
     "of a state that is sampled: an output, of any signals"},
    {"every", HN_KEY_NUMBER, HN_TIME, "", "0", "time between two samples"},
    {"when", HN_KEY_PAIRS, HN_ANYTHING, "", "none",
     "of a state that changes at events: [condition, value] each"},
    {"of", HN_KEY_FORMULA, HN_ANYTHING, "", "none",
     "of a block: what it reads, a formula of signals"},
    {"filter", HN_KEY_NUMBER, HN_TIME, "", "none", "block: time constant of a low pass"},
    {"delay", HN_KEY_NUMBER, HN_TIME, "", "none", "block: late by this time"},
    {"order", HN_KEY_NUMBER, HN_NUMBER, "", "1, of a delay 4",
     "of a filter, or of what stands for a delay in linearizations"},
    {"damping", HN_KEY_NUMBER, HN_NUMBER, "", "sqrt(0.5)", "of a filter of order 2"},
    {"transfer", HN_KEY_SECTION, HN_NUMBER, "transfer", "none", "block: transfer function"},
    {"pid", HN_KEY_SECTION, HN_NUMBER, "pid", "none",
     "block: controller; its name is that of an output"},
    {"hysteresis", HN_KEY_TWO_NUMBERS, HN_ANYTHING, "", "none",
     "block: 1 above the second, 0 below the first number"},
    {"initial", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "at the start; its unit is that of the state"},
    HN_ENTRY_ROWS,
};

static const hn_key table_keys[] = {
    {"table", HN_KEY_TABLE, HN_ANYTHING, "", "none",
     "of one variable: [[x, y], ...], x increasing, or a file (.csv, .npy)"},
    {"columns", HN_KEY_TWO_TEXTS, HN_NUMBER, "", "the first two",
     "of the file: names, or numbers from 1"},
    {"units", HN_KEY_TWO_TEXTS, HN_NUMBER, "", "SI", "of these two columns"},
    {"x", HN_KEY_NUMBERS, HN_ANYTHING, "", "none", "of two variables: the first, increasing"},
    {"y", HN_KEY_NUMBERS, HN_ANYTHING, "", "none", "the second"},
    {"values", HN_KEY_NUMBERS, HN_ANYTHING, "", "none", "at all points, x running fastest"},
    {"map", HN_KEY_TEXT, HN_NUMBER, "", "none",
     "instead: a file, whose first row has x and whose first column has y"},
    {"interpolation", HN_KEY_CHOICE, HN_NUMBER, "spline linear monotone akima", "spline",
     "between points"},
    {"outside", HN_KEY_CHOICE, HN_NUMBER, "tangent hold error", "tangent",
     "beyond the ends; of two variables not error"},
    {"periodic", HN_KEY_BOOLEAN, HN_NUMBER, "", "false", "of one variable: it repeats itself"},
    HN_ENTRY_ROWS,
};

static const hn_key transfer_keys[] = {
    {"numerator", HN_KEY_NUMBERS, HN_ANYTHING, "", HN_REQUIRED,
     "coefficients, highest power first"},
    {"denominator", HN_KEY_NUMBERS, HN_ANYTHING, "", HN_REQUIRED, "of no lower degree"},
};
static const hn_key pid_keys[] = {
    {"kp", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "gain"},
    {"ki", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "of the integral"},
    {"kd", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "of the derivative"},
    {"filter", HN_KEY_NUMBER, HN_TIME, "", "none",
     "time constant of the derivative; needed with kd"},
    {"low", HN_KEY_NUMBER, HN_ANYTHING, "", "none", "least output"},
    {"high", HN_KEY_NUMBER, HN_ANYTHING, "", "none", "largest output"},
    {"tracking", HN_KEY_NUMBER, HN_TIME, "", "kp/ki",
     "time in which the integral follows the limit (anti-windup)"},
};

#endif
