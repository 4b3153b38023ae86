// Made by scripts/make-elementary: tables and constants of the elementary functions.
#ifndef HN_MATH_ELEMENTARY_TABLES_H
#define HN_MATH_ELEMENTARY_TABLES_H

#include <stdint.h>

typedef struct hn_pair { // the unevaluated sum of two numbers
  double high, low;
} hn_pair;

typedef struct hn_log_row {
  double inverse, high, low; // 1/c; log c = high + low
} hn_log_row;

extern const hn_pair hn_exp_table[128]; // 2^(k/128), and its relative error
extern const hn_log_row hn_log_table[128];
extern const hn_pair hn_atan_table[65]; // atan(k/64)
extern const uint32_t hn_sincos_words[40];

// Bits of the smallest number that is not doubled before hn_log_table is entered.
#define HN_LOG_START 0x3fe6955500000000

// 2/pi, 128/log(2), 1/log(2), 1/log(10)
#define HN_TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HN_EXP_ROWS_OVER_LN2 0x1.71547652b82fep+7
#define HN_INVERSE_LN2_HIGH 0x1.71547652b82fep+0
#define HN_INVERSE_LN2_LOW 0x1.777d0ffda0d24p-56
#define HN_INVERSE_LN10_HIGH 0x1.bcb7b1526e50ep-2
#define HN_INVERSE_LN10_LOW 0x1.95355baaafad3p-57

// pi/2: as two numbers, and with a first one that is a multiple of 2^-50; the same of pi
#define HN_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HN_HALF_PI_LOW 0x1.1a62633145c07p-54
#define HN_HALF_PI_FIRST 0x1.921fb54442d18p+0
#define HN_HALF_PI_REST 0x1.1a62633145c07p-54
#define HN_PI_FIRST 0x1.921fb54442d18p+1
#define HN_PI_REST 0x1.1a62633145c07p-53

// pi/2 as 33 bits, 33 bits and the rest
#define HN_HALF_PI_1 0x1.921fb54400000p+0
#define HN_HALF_PI_2 0x1.0b4611a600000p-34
#define HN_HALF_PI_3 0x1.3198a2e037073p-69
// the rest as 33 bits and the rest of it
#define HN_HALF_PI_31 0x1.3198a2e000000p-69
#define HN_HALF_PI_32 0x1.b839a252049c1p-104

// log(2) as 41 bits and the rest
#define HN_LN2_1 0x1.62e42fefa4000p-1
#define HN_LN2_2 -0x1.8432a1b0e2634p-43

// log(2)/128 as 35 bits and the rest
#define HN_LN2_ROW_1 0x1.62e42fefc0000p-8
#define HN_LN2_ROW_2 -0x1.c610ca86c3899p-44

// sin(x) = x + x^3 (S1 + S2 x^2 + ...) for |x| <= pi/4
#define HN_SINE_1 -0x1.5555555555555p-3
#define HN_SINE_2 0x1.1111111110bb2p-7
#define HN_SINE_3 -0x1.a01a019e83aaep-13
#define HN_SINE_4 0x1.71de37968a100p-19
#define HN_SINE_5 -0x1.ae600b02b6262p-26
#define HN_SINE_6 0x1.5e0b19f8b1451p-33

// cos(x) = 1 - x^2/2 + x^4 (C1 + C2 x^2 + ...) for |x| <= pi/4
#define HN_COSINE_1 0x1.5555555555555p-5
#define HN_COSINE_2 -0x1.6c16c16c16967p-10
#define HN_COSINE_3 0x1.a01a019f4eb01p-16
#define HN_COSINE_4 -0x1.27e4fa17da09ep-22
#define HN_COSINE_5 0x1.1eeb68e93b64cp-29
#define HN_COSINE_6 -0x1.907da367a37cbp-37

#endif
