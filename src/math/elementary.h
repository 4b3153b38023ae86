// Elementary functions that give the same bits with every processor, compiler and C library: arithmetic
// of doubles rounded to nearest, without fused multiply-add. The functions of <math.h> that are exact
// (sqrt, fabs, floor, fmod, ...) stay those of the C library.
//
// Error, in units of the last place: below 1 of sin, cos, exp, exp2, log, log2, log10, atan, atan2, pow
// and cbrt, below 1.5 of tan, asin, acos, sinh, cosh, tanh and hypot. NaN, infinities, signed zeros and
// subnormal numbers as in Annex F of the C standard; errno and floating-point exceptions are not set.
#ifndef HN_MATH_ELEMENTARY_H
#define HN_MATH_ELEMENTARY_H

double hn_sin(double x);
double hn_cos(double x);
double hn_tan(double x);
void hn_sincos(double x, double *sine, double *cosine); // the same bits as hn_sin and hn_cos

double hn_asin(double x);
double hn_acos(double x);
double hn_atan(double x);
double hn_atan2(double y, double x);

double hn_exp(double x);
double hn_exp2(double x);
double hn_sinh(double x);
double hn_cosh(double x);
double hn_tanh(double x);

double hn_log(double x);
double hn_log2(double x);
double hn_log10(double x);

double hn_pow(double x, double y);
double hn_cbrt(double x);
double hn_hypot(double x, double y);

#endif
