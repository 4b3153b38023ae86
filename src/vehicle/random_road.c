// Random roads of ISO 8608: G_d(n) = G_d(n0) (n/n0)^-2, n0 = 0.1 per meter, as a sum of waves whose
// phases come from a generator of our own (Knuth's MMIX), so that a seed means the same road
// everywhere:
//
//   z(x, 0) = sum sqrt(2 G_d(n) dn) cos(2 pi n x + phase)
//
// Across the road each wave turns into one of another phase, so slowly that two tracks at the
// distance b have the coherence of an isotropic surface, 2 pi b n K1(2 pi b n).
#include <math.h>

#include "base/error.h"
#include "math/elementary.h"
#include "vehicle/surface.h"

enum { WAVES = 200 };
#define PI 3.14159265358979323846

static double next_phase(unsigned long long *state) {
  *state = 6364136223846793005ULL * *state + 1442695040888963407ULL;
  return 2 * PI * (double)(*state >> 11) / 9007199254740992.0;
}

// x K1(x) (Abramowitz and Stegun 9.8.7, 9.8.8: within 1e-8 of K1 for small x, 2e-7 for large)
static double x_bessel_k1(double x) {
  if (x <= 0) return 1;
  if (x <= 2) {
    double t = x / 3.75, s = t * t, y = 0.25 * x * x;
    double i1 =
        x *
        (0.5 + s * (0.87890594 +
                    s * (0.51498869 +
                         s * (0.15084934 + s * (0.02658733 + s * (0.00301532 + s * 0.00032411))))));
    return x * hn_log(0.5 * x) * i1 + 1 +
           y * (0.15443144 +
                y * (-0.67278579 +
                     y * (-0.18156897 + y * (-0.01919402 + y * (-0.00110404 + y * -0.00004686)))));
  }
  double y = 2 / x;
  double p = 1.25331414 +
             y * (0.23498619 +
                  y * (-0.03655620 +
                       y * (0.01504268 + y * (-0.00780353 + y * (0.00325614 + y * -0.00068245)))));
  return x * hn_exp(-x) / sqrt(x) * p;
}

void hn_waves_at(const hn_road_wave *waves, int count, double x, double y, hn_road_point *at) {
  for (int i = 0; i < count; i++) {
    const hn_road_wave *w = &waves[i];
    double c, s, ca, sa, cb, sb;
    hn_sincos(w->w * y, &s, &c);
    hn_sincos(w->k * x + w->phase, &sa, &ca);
    hn_sincos(w->k * x + w->other, &sb, &cb);
    ca *= w->a, sa *= w->a, cb *= w->a, sb *= w->a;
    at->z += ca * c + cb * s;
    at->z_x -= w->k * (sa * c + sb * s);
    at->z_y += w->w * (cb * c - ca * s);
    at->z_xx -= w->k * w->k * (ca * c + cb * s);
    at->z_xy += w->k * w->w * (sa * s - sb * c);
    at->z_yy -= w->w * w->w * (ca * c + cb * s);
  }
}

hn_status hn_road_surface_random(char road_class, unsigned long long seed, double track,
                                 hn_road_surface **surface, hn_error *error) {
  *surface = NULL;
  if (road_class < 'A' || road_class > 'H')
    return hn_fail(error, HN_ERROR_MODEL, NULL, NULL, "Use A (smooth) to H.",
                   "'%c' is not an ISO 8608 road class", road_class);
  hn_road_surface *s = hn_road_surface_new(HN_ROAD_SURFACE_RANDOM);
  if (s) s->waves = HN_TAKE(&s->arena, hn_road_wave, WAVES);
  if (!s || !s->waves) {
    hn_road_surface_free(s);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  }
  s->wave_count = WAVES;
  double low = 0.011, step = (2.83 - low) / WAVES, rough = 16e-6 * ldexp(1, 2 * (road_class - 'A'));
  for (int i = 0; i < WAVES; i++) {
    double n = low + (i + 0.5) * step, density = rough * (0.1 / n) * (0.1 / n);
    s->waves[i] =
        (hn_road_wave){.a = sqrt(2 * density * step), .k = 2 * PI * n, .phase = next_phase(&seed)};
  }
  for (int i = 0; i < WAVES;
       i++) { // after the others, so that these are the same whatever the track
    hn_road_wave *w = &s->waves[i];
    w->other = next_phase(&seed);
    w->w = track > 0 ? hn_acos(fmin(x_bessel_k1(w->k * track), 1)) / track : 0;
  }
  *surface = s;
  return HN_OK;
}
