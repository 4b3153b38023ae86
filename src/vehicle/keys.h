// Every number of a property file that has a meaning here: key, default, and its unit as powers
// of length, force, time and angle. The coefficients of the Magic Formula are numbers without
// unit, for radians ('89 and '94: for degree, percent and kN), whatever the section [UNITS] says.
#ifndef HN_VEHICLE_KEYS_H
#define HN_VEHICLE_KEYS_H

#include <math.h>

// clang-format off
#define HN_TYRE_KEY_LIST(X)                                                                        \
  /* all */                                                                                        \
  X(USE_MODE, NAN, 0, 0, 0, 0) X(VXLOW, 1, 1, 0, -1, 0) X(LONGVL, 0, 1, 0, -1, 0)                   \
  X(FITTYP, 0, 0, 0, 0, 0)                                                                         \
  X(UNLOADED_RADIUS, 0, 1, 0, 0, 0) X(WIDTH, 0, 1, 0, 0, 0)                                        \
  X(VERTICAL_STIFFNESS, 0, -1, 1, 0, 0) X(VERTICAL_DAMPING, 0, -1, 1, 1, 0)                        \
  X(BREFF, 0, 0, 0, 0, 0) X(DREFF, 0, 0, 0, 0, 0) X(FREFF, 0, 0, 0, 0, 0)                          \
  X(FNOMIN, 0, 0, 1, 0, 0)                                                                         \
  X(KPUMIN, -HUGE_VAL, 0, 0, 0, 0) X(KPUMAX, HUGE_VAL, 0, 0, 0, 0)                                 \
  X(ALPMIN, -HUGE_VAL, 0, 0, 0, 1) X(ALPMAX, HUGE_VAL, 0, 0, 0, 1)                                 \
  X(CAMMIN, -HUGE_VAL, 0, 0, 0, 1) X(CAMMAX, HUGE_VAL, 0, 0, 0, 1)                                 \
  X(FZMIN, 0, 0, 1, 0, 0) X(FZMAX, HUGE_VAL, 0, 1, 0, 0)                                           \
  /* Fiala */                                                                                      \
  X(ROLLING_RESISTANCE, 0, 1, 0, 0, 0) X(CSLIP, 0, 0, 1, 0, 0) X(CALPHA, 0, 0, 1, 0, -1)           \
  X(CGAMMA, 0, 0, 1, 0, -1) X(UMIN, 0, 0, 0, 0, 0) X(UMAX, 0, 0, 0, 0, 0)                          \
  X(RELAX_LENGTH_X, 0, 1, 0, 0, 0) X(RELAX_LENGTH_Y, 0, 1, 0, 0, 0)                                \
  /* TMeasy */                                                                                     \
  X(MU_0, 1, 0, 0, 0, 0) X(FZ_NOM, 0, 0, 1, 0, 0) X(FZ_MAX, HUGE_VAL, 0, 1, 0, 0)                  \
  X(CLONG, 0, -1, 1, 0, 0) X(CLAT, 0, -1, 1, 0, 0)                                                 \
  X(CVERT_1, 0, -1, 1, 0, 0) X(CVERT_2, 0, -1, 1, 0, 0)                                            \
  X(DLONG, 0, -1, 1, 1, 0) X(DLAT, 0, -1, 1, 1, 0) X(DVERT, 0, -1, 1, 1, 0)                        \
  X(RRCOEFF_1, 0, 0, 0, 0, 0) X(RRCOEFF_2, 0, 0, 0, 0, 0)                                          \
  X(RDYNCO_1, 0, 0, 0, 0, 0) X(RDYNCO_2, 0, 0, 0, 0, 0)                                            \
  X(DFX0_1, 0, 0, 1, 0, 0) X(FXMAX_1, 0, 0, 1, 0, 0) X(SXMAX_1, 0, 0, 0, 0, 0)                     \
  X(FXSLD_1, 0, 0, 1, 0, 0) X(SXSLD_1, 0, 0, 0, 0, 0)                                              \
  X(DFX0_2, 0, 0, 1, 0, 0) X(FXMAX_2, 0, 0, 1, 0, 0) X(SXMAX_2, 0, 0, 0, 0, 0)                     \
  X(FXSLD_2, 0, 0, 1, 0, 0) X(SXSLD_2, 0, 0, 0, 0, 0)                                              \
  X(DFY0_1, 0, 0, 1, 0, 0) X(FYMAX_1, 0, 0, 1, 0, 0) X(SYMAX_1, 0, 0, 0, 0, 0)                     \
  X(FYSLD_1, 0, 0, 1, 0, 0) X(SYSLD_1, 0, 0, 0, 0, 0)                                              \
  X(DFY0_2, 0, 0, 1, 0, 0) X(FYMAX_2, 0, 0, 1, 0, 0) X(SYMAX_2, 0, 0, 0, 0, 0)                     \
  X(FYSLD_2, 0, 0, 1, 0, 0) X(SYSLD_2, 0, 0, 0, 0, 0)                                              \
  X(PT_NORM_1, 0, 0, 0, 0, 0) X(SY_CHSI_1, 0, 0, 0, 0, 0) X(SY_ZERO_1, 0, 0, 0, 0, 0)              \
  X(PT_NORM_2, 0, 0, 0, 0, 0) X(SY_CHSI_2, 0, 0, 0, 0, 0) X(SY_ZERO_2, 0, 0, 0, 0, 0)              \
  HN_TYRE_SCALE_LIST(X) HN_TYRE_FORMULA_LIST(X) HN_TYRE_OLD_LIST(X)

#define HN_TYRE_SCALE(X, key) X(key, 1, 0, 0, 0, 0)
#define HN_TYRE_PLAIN(X, key) X(key, 0, 0, 0, 0, 0)

// scale factors of PAC2002
#define HN_TYRE_SCALE_LIST(X)                                                                      \
  HN_TYRE_SCALE(X, LFZO) HN_TYRE_SCALE(X, LCX) HN_TYRE_SCALE(X, LMUX) HN_TYRE_SCALE(X, LEX)        \
  HN_TYRE_SCALE(X, LKX) HN_TYRE_SCALE(X, LHX) HN_TYRE_SCALE(X, LVX) HN_TYRE_SCALE(X, LGAX)         \
  HN_TYRE_SCALE(X, LCY) HN_TYRE_SCALE(X, LMUY) HN_TYRE_SCALE(X, LEY) HN_TYRE_SCALE(X, LKY)         \
  HN_TYRE_SCALE(X, LHY) HN_TYRE_SCALE(X, LVY) HN_TYRE_SCALE(X, LGAY) HN_TYRE_SCALE(X, LTR)         \
  HN_TYRE_SCALE(X, LRES) HN_TYRE_SCALE(X, LGAZ) HN_TYRE_SCALE(X, LXAL) HN_TYRE_SCALE(X, LYKA)      \
  HN_TYRE_SCALE(X, LVYKA) HN_TYRE_SCALE(X, LS) HN_TYRE_SCALE(X, LSGKP) HN_TYRE_SCALE(X, LSGAL)     \
  HN_TYRE_SCALE(X, LMX) HN_TYRE_SCALE(X, LVMX) HN_TYRE_SCALE(X, LMY) HN_TYRE_SCALE(X, LCZ)         \
  HN_TYRE_SCALE(X, LGYR)

// coefficients of PAC2002
#define HN_TYRE_FORMULA_LIST(X)                                                                    \
  HN_TYRE_PLAIN(X, PCX1) HN_TYRE_PLAIN(X, PDX1) HN_TYRE_PLAIN(X, PDX2) HN_TYRE_PLAIN(X, PDX3)      \
  HN_TYRE_PLAIN(X, PEX1) HN_TYRE_PLAIN(X, PEX2) HN_TYRE_PLAIN(X, PEX3) HN_TYRE_PLAIN(X, PEX4)      \
  HN_TYRE_PLAIN(X, PKX1) HN_TYRE_PLAIN(X, PKX2) HN_TYRE_PLAIN(X, PKX3) HN_TYRE_PLAIN(X, PHX1)      \
  HN_TYRE_PLAIN(X, PHX2) HN_TYRE_PLAIN(X, PVX1) HN_TYRE_PLAIN(X, PVX2) HN_TYRE_PLAIN(X, RBX1)      \
  HN_TYRE_PLAIN(X, RBX2) HN_TYRE_PLAIN(X, RCX1) HN_TYRE_PLAIN(X, REX1) HN_TYRE_PLAIN(X, REX2)      \
  HN_TYRE_PLAIN(X, RHX1) HN_TYRE_PLAIN(X, PTX1) HN_TYRE_PLAIN(X, PTX2) HN_TYRE_PLAIN(X, PTX3)      \
  HN_TYRE_PLAIN(X, QSX1) HN_TYRE_PLAIN(X, QSX2) HN_TYRE_PLAIN(X, QSX3)                             \
  HN_TYRE_PLAIN(X, PCY1) HN_TYRE_PLAIN(X, PDY1) HN_TYRE_PLAIN(X, PDY2) HN_TYRE_PLAIN(X, PDY3)      \
  HN_TYRE_PLAIN(X, PEY1) HN_TYRE_PLAIN(X, PEY2) HN_TYRE_PLAIN(X, PEY3) HN_TYRE_PLAIN(X, PEY4)      \
  HN_TYRE_PLAIN(X, PKY1) HN_TYRE_PLAIN(X, PKY2) HN_TYRE_PLAIN(X, PKY3) X(PKY4, 2, 0, 0, 0, 0)       \
  HN_TYRE_PLAIN(X, PHY1)                                                                           \
  HN_TYRE_PLAIN(X, PHY2) HN_TYRE_PLAIN(X, PHY3) HN_TYRE_PLAIN(X, PVY1) HN_TYRE_PLAIN(X, PVY2)      \
  HN_TYRE_PLAIN(X, PVY3) HN_TYRE_PLAIN(X, PVY4) HN_TYRE_PLAIN(X, RBY1) HN_TYRE_PLAIN(X, RBY2)      \
  HN_TYRE_PLAIN(X, RBY3) HN_TYRE_PLAIN(X, RCY1) HN_TYRE_PLAIN(X, REY1) HN_TYRE_PLAIN(X, REY2)      \
  HN_TYRE_PLAIN(X, RHY1) HN_TYRE_PLAIN(X, RHY2) HN_TYRE_PLAIN(X, RVY1) HN_TYRE_PLAIN(X, RVY2)      \
  HN_TYRE_PLAIN(X, RVY3) HN_TYRE_PLAIN(X, RVY4) HN_TYRE_PLAIN(X, RVY5) HN_TYRE_PLAIN(X, RVY6)      \
  HN_TYRE_PLAIN(X, PTY1) HN_TYRE_PLAIN(X, PTY2)                                                    \
  HN_TYRE_PLAIN(X, QSY1) HN_TYRE_PLAIN(X, QSY2) HN_TYRE_PLAIN(X, QSY3) HN_TYRE_PLAIN(X, QSY4)      \
  HN_TYRE_PLAIN(X, QBZ1) HN_TYRE_PLAIN(X, QBZ2) HN_TYRE_PLAIN(X, QBZ3) HN_TYRE_PLAIN(X, QBZ4)      \
  HN_TYRE_PLAIN(X, QBZ5) HN_TYRE_PLAIN(X, QBZ9) HN_TYRE_PLAIN(X, QBZ10) HN_TYRE_PLAIN(X, QCZ1)     \
  HN_TYRE_PLAIN(X, QDZ1) HN_TYRE_PLAIN(X, QDZ2) HN_TYRE_PLAIN(X, QDZ3) HN_TYRE_PLAIN(X, QDZ4)      \
  HN_TYRE_PLAIN(X, QDZ6) HN_TYRE_PLAIN(X, QDZ7) HN_TYRE_PLAIN(X, QDZ8) HN_TYRE_PLAIN(X, QDZ9)      \
  HN_TYRE_PLAIN(X, QEZ1) HN_TYRE_PLAIN(X, QEZ2) HN_TYRE_PLAIN(X, QEZ3) HN_TYRE_PLAIN(X, QEZ4)      \
  HN_TYRE_PLAIN(X, QEZ5) HN_TYRE_PLAIN(X, QHZ1) HN_TYRE_PLAIN(X, QHZ2) HN_TYRE_PLAIN(X, QHZ3)      \
  HN_TYRE_PLAIN(X, QHZ4) HN_TYRE_PLAIN(X, SSZ1) HN_TYRE_PLAIN(X, SSZ2) HN_TYRE_PLAIN(X, SSZ3)      \
  HN_TYRE_PLAIN(X, SSZ4)

// PAC89 and PAC94
#define HN_TYRE_OLD_LIST(X)                                                                        \
  HN_TYRE_PLAIN(X, A0) HN_TYRE_PLAIN(X, A1) HN_TYRE_PLAIN(X, A2) HN_TYRE_PLAIN(X, A3)              \
  HN_TYRE_PLAIN(X, A4) HN_TYRE_PLAIN(X, A5) HN_TYRE_PLAIN(X, A6) HN_TYRE_PLAIN(X, A7)              \
  HN_TYRE_PLAIN(X, A8) HN_TYRE_PLAIN(X, A9) HN_TYRE_PLAIN(X, A10) HN_TYRE_PLAIN(X, A11)            \
  HN_TYRE_PLAIN(X, A12) HN_TYRE_PLAIN(X, A13) HN_TYRE_PLAIN(X, A14) HN_TYRE_PLAIN(X, A15)          \
  HN_TYRE_PLAIN(X, A16) HN_TYRE_PLAIN(X, A17)                                                      \
  HN_TYRE_PLAIN(X, B0) HN_TYRE_PLAIN(X, B1) HN_TYRE_PLAIN(X, B2) HN_TYRE_PLAIN(X, B3)              \
  HN_TYRE_PLAIN(X, B4) HN_TYRE_PLAIN(X, B5) HN_TYRE_PLAIN(X, B6) HN_TYRE_PLAIN(X, B7)              \
  HN_TYRE_PLAIN(X, B8) HN_TYRE_PLAIN(X, B9) HN_TYRE_PLAIN(X, B10) HN_TYRE_PLAIN(X, B11)            \
  HN_TYRE_PLAIN(X, B12) HN_TYRE_PLAIN(X, B13)                                                      \
  HN_TYRE_PLAIN(X, C0) HN_TYRE_PLAIN(X, C1) HN_TYRE_PLAIN(X, C2) HN_TYRE_PLAIN(X, C3)              \
  HN_TYRE_PLAIN(X, C4) HN_TYRE_PLAIN(X, C5) HN_TYRE_PLAIN(X, C6) HN_TYRE_PLAIN(X, C7)              \
  HN_TYRE_PLAIN(X, C8) HN_TYRE_PLAIN(X, C9) HN_TYRE_PLAIN(X, C10) HN_TYRE_PLAIN(X, C11)            \
  HN_TYRE_PLAIN(X, C12) HN_TYRE_PLAIN(X, C13) HN_TYRE_PLAIN(X, C14) HN_TYRE_PLAIN(X, C15)          \
  HN_TYRE_PLAIN(X, C16) HN_TYRE_PLAIN(X, C17) HN_TYRE_PLAIN(X, C18) HN_TYRE_PLAIN(X, C19)          \
  HN_TYRE_PLAIN(X, C20)
// clang-format on

typedef enum hn_tyre_key {
#define HN_TYRE_ENUM(key, usual, length, force, time, angle) HN_KEY_OF_##key,
  HN_TYRE_KEY_LIST(HN_TYRE_ENUM)
#undef HN_TYRE_ENUM
      HN_TYRE_KEYS
} hn_tyre_key;

typedef struct hn_tyre_key_row {
  const char *name;
  double usual; // where the file says nothing
  int length, force, time, angle;
} hn_tyre_key_row;

extern const hn_tyre_key_row hn_tyre_key_rows[HN_TYRE_KEYS];

#endif
