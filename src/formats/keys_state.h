// Keys of states and of the blocks in them: part of formats/keys.c.
#ifndef HN_FORMATS_KEYS_STATE_H
#define HN_FORMATS_KEYS_STATE_H

#include "model/keys.h"

static const hn_key state_keys[] = {
    {"rate", HN_KEY_LAW, HN_ANYTHING, "t", "none",
     "time derivative, a formula of signals and states"},
    {"value", HN_KEY_LAW, HN_ANYTHING, "t", "none", "sampled state: new value"},
    {"follows", HN_KEY_TEXT, HN_NUMBER, "", "none", "sampled state: output to sample"},
    {"every", HN_KEY_NUMBER, HN_TIME, "", "0", "time between two samples"},
    {"when", HN_KEY_PAIRS, HN_ANYTHING, "", "none",
     "event-driven state: list of [condition, value]"},
    {"of", HN_KEY_FORMULA, HN_ANYTHING, "", "none", "block: input, a formula of signals"},
    {"filter", HN_KEY_NUMBER, HN_TIME, "", "none",
     "block: low-pass filter with this time constant"},
    {"delay", HN_KEY_NUMBER, HN_TIME, "", "none", "block: delay by this time"},
    {"order", HN_KEY_NUMBER, HN_NUMBER, "", "1; delay: 4",
     "order of a filter, or of the delay approximation in linearizations"},
    {"damping", HN_KEY_NUMBER, HN_NUMBER, "", "sqrt(0.5)", "damping ratio of a filter of order 2"},
    {"transfer", HN_KEY_SECTION, HN_NUMBER, "transfer", "none", "block: transfer function"},
    {"pid", HN_KEY_SECTION, HN_NUMBER, "pid", "none",
     "block: controller; defines an output of the same name"},
    {"hysteresis", HN_KEY_TWO_NUMBERS, HN_ANYTHING, "", "none",
     "block: relay [low, high]: 1 above high, 0 below low"},
    {"fmu", HN_KEY_SECTION, HN_NUMBER, "fmu", "none",
     "sampled states: outputs of an FMU; with every"},
    {"initial", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "initial value; defines the unit"},
    HN_ENTRY_ROWS,
};

static const hn_key table_keys[] = {
    {"table", HN_KEY_TABLE, HN_ANYTHING, "", "none",
     "of one variable: [[x, y], ...], x increasing, or a file (.csv, .npy)"},
    {"columns", HN_KEY_TWO_TEXTS, HN_NUMBER, "", "the first two",
     "columns of the file: names, or numbers from 1"},
    {"units", HN_KEY_TWO_TEXTS, HN_NUMBER, "", "SI", "units of these columns"},
    {"x", HN_KEY_NUMBERS, HN_ANYTHING, "", "none", "two variables: grid of the first, increasing"},
    {"y", HN_KEY_NUMBERS, HN_ANYTHING, "", "none", "the second"},
    {"values", HN_KEY_NUMBERS, HN_ANYTHING, "", "none",
     "values at all grid points, x varies fastest"},
    {"map", HN_KEY_TEXT, HN_NUMBER, "", "none",
     "alternative: a file with x in the first row and y in the first column"},
    {"interpolation", HN_KEY_CHOICE, HN_NUMBER, "spline linear monotone akima", "spline",
     "between points"},
    {"outside", HN_KEY_CHOICE, HN_NUMBER, "tangent hold error", "tangent",
     "beyond the ends; not error for two variables"},
    {"periodic", HN_KEY_BOOLEAN, HN_NUMBER, "", "false", "one variable: periodic"},
    HN_ENTRY_ROWS,
};

static const hn_key transfer_keys[] = {
    {"numerator", HN_KEY_NUMBERS, HN_ANYTHING, "", HN_REQUIRED,
     "coefficients, highest power first"},
    {"denominator", HN_KEY_NUMBERS, HN_ANYTHING, "", HN_REQUIRED,
     "coefficients; degree >= that of the numerator"},
};
static const hn_key fmu_keys[] = {
    {"file", HN_KEY_TEXT, HN_NUMBER, "", HN_REQUIRED, "FMU, relative to this file"},
    {"kind", HN_KEY_CHOICE, HN_NUMBER, "auto me cs", "auto",
     "Model Exchange or Co-Simulation; auto: Co-Simulation if it has it"},
    {"inputs", HN_KEY_FORMULAS, HN_ANYTHING, "signals", "none",
     "{INPUT_OF_FMU: formula of any signals}"},
    {"outputs", HN_KEY_FORMULAS, HN_ANYTHING, "", HN_REQUIRED, "{NAME: VARIABLE_OF_FMU}"},
    {"start", HN_KEY_PARAMETERS, HN_ANYTHING, "", "none",
     "start values: {VARIABLE_OF_FMU: number}"},
    {"tol", HN_KEY_NUMBER, HN_NUMBER, "", "0", "relative tolerance; 0: that of the FMU"},
};
static const hn_key pid_keys[] = {
    {"kp", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "gain"},
    {"ki", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "integral gain"},
    {"kd", HN_KEY_NUMBER, HN_ANYTHING, "", "0", "derivative gain"},
    {"filter", HN_KEY_NUMBER, HN_TIME, "", "none",
     "filter time constant of the derivative; required with kd"},
    {"low", HN_KEY_NUMBER, HN_ANYTHING, "", "none", "least output"},
    {"high", HN_KEY_NUMBER, HN_ANYTHING, "", "none", "largest output"},
    {"tracking", HN_KEY_NUMBER, HN_TIME, "", "kp/ki", "anti-windup tracking time"},
};

#endif
