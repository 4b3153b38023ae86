// Tyres: what their numbers must be, load and radii, the side on which they are mounted. Forces:
// models.c.
#include "vehicle/tyre.h"

#include <string.h>

#include "base/error.h"
#include "math/elementary.h"

#define P(key) HN_P(t, key)

const hn_tyre_key_row hn_tyre_key_rows[HN_TYRE_KEYS] = {
#define HN_TYRE_ROW(key, usual, length, force, time, angle)                                        \
  {#key, usual, length, force, time, angle},
    HN_TYRE_KEY_LIST(HN_TYRE_ROW)
#undef HN_TYRE_ROW
};

const char *hn_tyre_model_name(hn_tyre_model model) {
  static const char *const names[] = {
      [HN_TYRE_FIALA] = "fiala", [HN_TYRE_BRUSH] = "brush",     [HN_TYRE_PAC89] = "pac89",
      [HN_TYRE_PAC94] = "pac94", [HN_TYRE_PAC2002] = "pac2002", [HN_TYRE_TMEASY] = "tmeasy",
      [HN_TYRE_TABLE] = "table",
  };
  return (unsigned)model < sizeof names / sizeof names[0] ? names[model] : "unknown";
}

void hn_tyre_free(hn_tyre *tyre) {
  if (!tyre) return;
  hn_arena arena = tyre->arena; // which holds the tyre itself
  hn_arena_release(&arena);
}

hn_tyre_model hn_tyre_model_of(const hn_tyre *tyre) { return tyre->model; }
hn_tyre_side hn_tyre_side_of(const hn_tyre *tyre) { return tyre->side; }

void hn_tyre_mount(hn_tyre *tyre, hn_tyre_side side) {
  tyre->mirrored = (side != HN_TYRE_AS_FILE && side != tyre->side) != tyre->reversed;
  tyre->hold = hn_tyre_hold_of(tyre);
}

double hn_tyre_number(const hn_tyre *tyre, const char *key) {
  for (int k = 0; k < HN_TYRE_KEYS; k++)
    if (strcmp(hn_tyre_key_rows[k].name, key) == 0) return tyre->p[k];
  return NAN;
}

const char *hn_tyre_note(const hn_tyre *tyre, int index) {
  return index >= 0 && index < tyre->note_count ? tyre->notes[index] : NULL;
}

// ---- load and radii -----------------------------------------------------------------------------

// TMeasy: Fz = a1 z + a2 z^2 with the stiffnesses given at FZ_NOM and twice that
static void quadratic_spring(const hn_tyre *t, double *a1, double *a2) {
  double c1 = P(CVERT_1), c2 = P(CVERT_2);
  *a2 = (c2 * c2 - c1 * c1) / (4 * P(FZ_NOM));
  *a1 = sqrt(fmax(2 * c1 * c1 - c2 * c2, 0));
}

static hn_tyre_load_at on_curve(const hn_tyre_curve *c, double x) {
  int k = 1;
  while (k < c->count - 1 && x > c->x[k]) k++;
  double slope = (c->y[k] - c->y[k - 1]) / (c->x[k] - c->x[k - 1]);
  return (hn_tyre_load_at){c->y[k - 1] + slope * (x - c->x[k - 1]), slope};
}

hn_tyre_load_at hn_tyre_spring(const hn_tyre *t, double deflection) {
  if (!(deflection >= 0)) return (hn_tyre_load_at){0, 0};
  if (t->load.count > 1) return on_curve(&t->load, deflection);
  if (t->model == HN_TYRE_TMEASY && P(CVERT_1) > 0) {
    double a1, a2;
    quadratic_spring(t, &a1, &a2);
    return (hn_tyre_load_at){(a1 + a2 * deflection) * deflection, a1 + 2 * a2 * deflection};
  }
  double k = P(VERTICAL_STIFFNESS) * P(LCZ);
  return (hn_tyre_load_at){k * deflection, k};
}

double hn_tyre_deflection(const hn_tyre *t, double force) {
  if (t->load.count > 1) {
    hn_tyre_curve turned = {t->load.count, t->load.y, t->load.x};
    return on_curve(&turned, force).force;
  }
  if (t->model == HN_TYRE_TMEASY && P(CVERT_1) > 0) {
    double a1, a2;
    quadratic_spring(t, &a1, &a2);
    double root = sqrt(fmax(a1 * a1 + 4 * a2 * force, 0));
    return a1 + root > 0 ? 2 * force / (a1 + root) : 0;
  }
  double k = P(VERTICAL_STIFFNESS) * P(LCZ);
  return k > 0 ? force / k : 0;
}

double hn_tmeasy_radius_share(const hn_tyre *t, double fz, double *d_fz) {
  double top = P(FZ_MAX), q = (fz < top ? fz : top) / P(FZ_NOM);
  *d_fz = fz < top ? (P(RDYNCO_2) - P(RDYNCO_1)) / P(FZ_NOM) : 0;
  return P(RDYNCO_1) + (P(RDYNCO_2) - P(RDYNCO_1)) * (q - 1);
}

double hn_tyre_rolling_radius(const hn_tyre *t, double deflection, double *slope) {
  double r0 = P(UNLOADED_RADIUS), k = P(VERTICAL_STIFFNESS) * P(LCZ);
  if (t->model == HN_TYRE_PAC2002 && P(FNOMIN) > 0 && k > 0) {
    double rho = P(FNOMIN) / k, d = deflection / rho, b = P(BREFF) * d;
    *slope = -(P(DREFF) * P(BREFF) / (1 + b * b) + P(FREFF));
    return r0 - rho * (P(DREFF) * hn_atan(b) + P(FREFF) * d);
  }
  if (t->model == HN_TYRE_TMEASY) {
    hn_tyre_load_at load = hn_tyre_spring(t, deflection);
    double d_share, share = hn_tmeasy_radius_share(t, load.force, &d_share);
    *slope = -(1 - share) + d_share * load.stiffness * deflection;
    return r0 - (1 - share) * deflection;
  }
  double part = t->model == HN_TYRE_FIALA || t->model == HN_TYRE_BRUSH ? 1 : 1.0 / 3;
  *slope = -part;
  return r0 - part * deflection;
}

hn_tyre_sizes hn_tyre_measure(const hn_tyre *t, double gamma, double fz) {
  double slope, d = hn_tyre_deflection(t, fz), sigma[2], slopes[2];
  hn_tyre_lengths(t, gamma, fz, sigma, slopes);
  return (hn_tyre_sizes){.deflection = d,
                         .r_loaded = P(UNLOADED_RADIUS) - d,
                         .r_effective = hn_tyre_rolling_radius(t, d, &slope),
                         .sigma_kappa = sigma[0],
                         .sigma_alpha = sigma[1]};
}

// ---- what must be there -------------------------------------------------------------------------

static hn_status need(const hn_tyre *t, hn_tyre_key key, hn_error *error) {
  double x = t->p[key];
  if (x > 0 && isfinite(x)) return HN_OK;
  return hn_fail(error, HN_ERROR_MODEL, NULL, NULL, "Write it into the property file.",
                 "the tyre model %s needs %s above 0", hn_tyre_model_name(t->model),
                 hn_tyre_key_rows[key].name);
}

static hn_status need_all(const hn_tyre *t, const hn_tyre_key *keys, int count, hn_error *error) {
  for (int k = 0; k < count; k++)
    if (need(t, keys[k], error) != HN_OK) return HN_ERROR_MODEL;
  return HN_OK;
}

static hn_status check_needs(const hn_tyre *t, hn_error *error) {
#define K(key) HN_KEY_OF_##key
  static const hn_tyre_key formula[] = {K(UNLOADED_RADIUS), K(FNOMIN), K(LFZO), K(LMUX), K(LMUY)};
  static const hn_tyre_key brush[] = {K(CSLIP), K(CALPHA), K(UMAX)};
  static const hn_tyre_key easy[] = {
      K(FZ_NOM),  K(UNLOADED_RADIUS), K(DFX0_1),  K(FXMAX_1), K(SXMAX_1), K(FXSLD_1),
      K(SXSLD_1), K(DFX0_2),          K(FXMAX_2), K(SXMAX_2), K(FXSLD_2), K(SXSLD_2),
      K(DFY0_1),  K(FYMAX_1),         K(SYMAX_1), K(FYSLD_1), K(SYSLD_1), K(DFY0_2),
      K(FYMAX_2), K(SYMAX_2),         K(FYSLD_2), K(SYSLD_2)};
#undef K
  switch (t->model) {
  case HN_TYRE_PAC2002: return need_all(t, formula, 5, error);
  case HN_TYRE_FIALA:
  case HN_TYRE_BRUSH: return need_all(t, brush, 3, error);
  case HN_TYRE_TMEASY: return need_all(t, easy, 22, error);
  case HN_TYRE_PAC89:
  case HN_TYRE_PAC94:
  case HN_TYRE_TABLE: return HN_OK;
  }
  return HN_OK;
}

// MIN below MAX; a range that is wrong would hold every input at one end
static hn_status check_ranges(const hn_tyre *t, hn_error *error) {
  static const hn_tyre_key ranges[][2] = {{HN_KEY_OF_KPUMIN, HN_KEY_OF_KPUMAX},
                                          {HN_KEY_OF_ALPMIN, HN_KEY_OF_ALPMAX},
                                          {HN_KEY_OF_CAMMIN, HN_KEY_OF_CAMMAX},
                                          {HN_KEY_OF_FZMIN, HN_KEY_OF_FZMAX}};
  for (int k = 0; k < 4; k++)
    if (!(t->p[ranges[k][0]] <= t->p[ranges[k][1]]))
      return hn_fail(error, HN_ERROR_MODEL, NULL, NULL,
                     "Swap the two limits, or change one of them.",
                     "the range %s .. %s of the tyre is empty", hn_tyre_key_rows[ranges[k][0]].name,
                     hn_tyre_key_rows[ranges[k][1]].name);
  return HN_OK;
}

// USE_MODE: 0 load only, 1 forwards, 2 sideways, 3 both apart, 4 combined; tens ask for
// relaxation, a minus sign for the mirror image. PAC89 and PAC94 are for pure slips unless 4 is
// said.
static hn_status settle_mode(hn_tyre *t, hn_error *error) {
  int is_old = t->model == HN_TYRE_PAC89 || t->model == HN_TYRE_PAC94;
  double said = P(USE_MODE);
  if (isnan(said) || t->model == HN_TYRE_TMEASY || t->model == HN_TYRE_TABLE) said = is_old ? 3 : 4;
  double mode = fmod(fabs(said), 10);
  if (!(fabs(said) < 100) || mode > 4 || mode != floor(mode))
    return hn_fail(error, HN_ERROR_MODEL, NULL, NULL, "Use 0 to 4, optionally plus 10 or 20.",
                   "the tyre has the unknown USE_MODE %g", said);
  t->use_longitudinal = mode == 1 || mode >= 3;
  t->use_lateral = mode >= 2;
  t->combined = mode == 4;
  t->reversed = said < 0;
  hn_tyre_mount(t, HN_TYRE_AS_FILE);
  return HN_OK;
}

hn_status hn_tyre_finish(hn_tyre *t, hn_error *error) {
  if (t->side == HN_TYRE_AS_FILE) t->side = HN_TYRE_LEFT;
  if (P(FZMIN) < 0) P(FZMIN) = 0;
  if (P(PKY4) == 0) P(PKY4) = 2; // of MF 5.2, which has no such key
  hn_status status = check_needs(t, error);
  if (status == HN_OK) status = check_ranges(t, error);
  return status == HN_OK ? settle_mode(t, error) : status;
}

// ---- a hash that identifies a tyre ----------------------------------------------------------------

static void stir(unsigned long long *h, const void *data, size_t size) {
  const unsigned char *bytes = data;
  for (size_t k = 0; k < size; k++) *h = (*h ^ bytes[k]) * 1099511628211ULL;
}

unsigned long long hn_tyre_hash(const hn_tyre *t) {
  unsigned long long h = 14695981039346656037ULL;
  stir(&h, &t->model, sizeof t->model);
  stir(&h, &t->mirrored, sizeof t->mirrored);
  for (int k = 0; k < HN_TYRE_KEYS; k++)
    if (!isnan(t->p[k])) stir(&h, &t->p[k], sizeof t->p[k]);
  stir(&h, t->load.x, (size_t)t->load.count * sizeof(double));
  stir(&h, t->load.y, (size_t)t->load.count * sizeof(double));
  size_t points = 1;
  for (int j = 0; j < 4; j++) {
    stir(&h, t->grid.axis[j], (size_t)t->grid.count[j] * sizeof(double));
    points *= (size_t)t->grid.count[j];
  }
  for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
    if (t->grid.values[i]) stir(&h, t->grid.values[i], points * sizeof(double));
  return h;
}
