// Sixth-order central differences, and random points to take them at.
#ifndef HN_TESTS_MATH_DIFFERENCES_H
#define HN_TESTS_MATH_DIFFERENCES_H

// f'(x) from six values; the error is h^6 f^(7) / 140 and the rounding of f divided by h.
static inline double difference(double (*f)(const void *context, double x), const void *context,
                                double x, double h) {
  return (45 * (f(context, x + h) - f(context, x - h)) -
          9 * (f(context, x + 2 * h) - f(context, x - 2 * h)) +
          (f(context, x + 3 * h) - f(context, x - 3 * h))) /
         (60 * h);
}

// The integral of f over [a, b] by Gauss's formula of five points, exact to degree nine.
static inline double gauss(double (*f)(const void *context, double x), const void *context,
                           double a, double b) {
  const double nodes[3] = {0, 0.53846931010568309104, 0.90617984593866399280};
  const double weights[3] = {0.56888888888888888889, 0.47862867049936646804,
                             0.23692688505618908751};
  double middle = (a + b) / 2, half = (b - a) / 2, sum = weights[0] * f(context, middle);
  for (int i = 1; i < 3; i++)
    sum +=
        weights[i] * (f(context, middle - half * nodes[i]) + f(context, middle + half * nodes[i]));
  return half * sum;
}

#endif
