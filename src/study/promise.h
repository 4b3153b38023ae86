// Promised accuracy of a signal for a tolerance, by its unit.
#ifndef HN_STUDY_PROMISE_H
#define HN_STUDY_PROMISE_H

// The promise P (HN_ACCURACY_PROMISE tolerances) allows a signal an error of
//
//   P * factor * (floor + largest |value|)
typedef struct hn_promise {
  double
      floor; // 1 in SI, or for units with a mass 1 times the power of the mass of all bodies; > 0
  double factor; // HN_ACCURACY_RATE for each derivative by time, of which two count: 1, 5 or 25
} hn_promise;

// unit: of the signal, null or unknown: a plain number. mass: of all bodies, kg.
hn_promise hn_promise_of(const char *unit, double mass);

#endif
