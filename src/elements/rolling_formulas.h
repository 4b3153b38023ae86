// The formulas of a rolling tyre, included twice: with NUMBER double and N(x) plain_x for forces,
// with NUMBER hn_dual and N(x) dual_x for their derivatives too. What they say: rolling.c.

typedef struct N(vector) {
  NUMBER x, y, z;
} N(vector);

// State of the wheel: center, spin axis, velocity of the center, angular velocity.
typedef struct N(wheel) {
  N(vector) centre, axis, velocity, turning;
  N(vector) mark, mark_velocity; // a point of it that sticks to the road
} N(wheel);

typedef struct N(grip) {
  N(vector) normal, forwards, sideways, arm; // arm: contact point from the center
  NUMBER deflection, rate, radius;           // radius: loaded
  NUMBER slip[6];                            // kappa, alpha, gamma, fz, vx, mu
  NUMBER load, fx, fy, mx, my, mz;
  double standing, rolling; // fraction of the standing tyre's model; effective radius
  N(vector) force, torque;  // about the center
} N(grip);

static inline NUMBER N(scaled)(double a, NUMBER x) { return N(mul)(N(const)(a), x); }

static inline NUMBER N(root)(NUMBER x) {
  double r = sqrt(N(value)(x));
  return N(chain)(x, r, r > 0 ? 0.5 / r : 0);
}

static inline N(vector) N(plus)(N(vector) a, N(vector) b) {
  return (N(vector)){N(add)(a.x, b.x), N(add)(a.y, b.y), N(add)(a.z, b.z)};
}

static inline N(vector) N(minus)(N(vector) a, N(vector) b) {
  return (N(vector)){N(sub)(a.x, b.x), N(sub)(a.y, b.y), N(sub)(a.z, b.z)};
}

static inline N(vector) N(times)(NUMBER s, N(vector) a) {
  return (N(vector)){N(mul)(s, a.x), N(mul)(s, a.y), N(mul)(s, a.z)};
}

static inline NUMBER N(dot)(N(vector) a, N(vector) b) {
  return N(add)(N(add)(N(mul)(a.x, b.x), N(mul)(a.y, b.y)), N(mul)(a.z, b.z));
}

static inline N(vector) N(cross)(N(vector) a, N(vector) b) {
  return (N(vector)){N(sub)(N(mul)(a.y, b.z), N(mul)(a.z, b.y)),
                     N(sub)(N(mul)(a.z, b.x), N(mul)(a.x, b.z)),
                     N(sub)(N(mul)(a.x, b.y), N(mul)(a.y, b.x))};
}

// ---- contact ------------------------------------------------------------------------------------

// Evaluates the road below the point (x, y): its tangent plane there meets the wheel plane. 0: the
// wheel lies on its side, so that there is no lowest point.
static int N(look)(const look_at *at, const N(wheel) * wheel, NUMBER x, NUMBER y, N(grip) * g) {
  hn_road_point p;
  hn_road_sample(at->road, at->feature, N(value)(x) - at->shift, N(value)(y), &p);
  NUMBER z = N(chain2)(x, y, p.z, p.z_x, p.z_y);
  NUMBER slope_x = N(chain2)(x, y, p.z_x, p.z_xx, p.z_xy);
  NUMBER slope_y = N(chain2)(x, y, p.z_y, p.z_xy, p.z_yy);
  g->slip[5] = N(chain2)(x, y, p.mu, p.mu_x, p.mu_y);
  NUMBER square = N(add)(N(mul)(slope_x, slope_x), N(mul)(slope_y, slope_y));
  NUMBER up = N(div)(N(const)(1), N(root)(N(add)(square, N(const)(1))));
  g->normal =
      (N(vector)){N(scaled)(-1, N(mul)(slope_x, up)), N(scaled)(-1, N(mul)(slope_y, up)), up};
  NUMBER lean = N(dot)(wheel->axis, g->normal); // sin gamma
  g->slip[2] = lean;
  N(vector) in_plane = N(minus)(g->normal, N(times)(lean, wheel->axis));
  NUMBER length = N(root)(N(dot)(in_plane, in_plane)); // cos gamma
  if (!(N(value)(length) > 1e-3)) return 0;
  N(vector) foot = {x, y, z};
  NUMBER height = N(dot)(N(minus)(wheel->centre, foot), g->normal);
  g->radius = N(div)(height, length);
  g->arm = N(times)(N(scaled)(-1, N(div)(height, N(mul)(length, length))), in_plane);
  return 1;
}

// Contact point and the axes there.
static int N(find)(const look_at *at, const N(wheel) * wheel, N(grip) * g) {
  NUMBER x = wheel->centre.x, y = wheel->centre.y;
  for (int k = 0; k < at->looks; k++) {
    if (!N(look)(at, wheel, x, y, g)) return 0;
    x = N(add)(wheel->centre.x, g->arm.x);
    y = N(add)(wheel->centre.y, g->arm.y);
  }
  N(vector) forwards = N(cross)(wheel->axis, g->normal);
  NUMBER length = N(root)(N(dot)(forwards, forwards));
  g->forwards = N(times)(N(div)(N(const)(1), length), forwards);
  g->sideways = N(cross)(g->normal, g->forwards);
  double s = N(value)(g->slip[2]);
  s = s > 1 ? 1 : s < -1 ? -1 : s;
  g->slip[2] = N(chain)(g->slip[2], hn_asin(s), 1 / sqrt(fmax(1 - s * s, 1e-12)));
  g->deflection = N(sub)(N(const)(at->unloaded), g->radius);
  return 1;
}

// ---- slips --------------------------------------------------------------------------------------

// |v| from `low` on, below that a parabola with the same slope there that never gets 0.
static inline NUMBER N(speed)(NUMBER v, double low) {
  double x = N(value)(v);
  if (fabs(x) >= low) return N(chain)(v, fabs(x), x >= 0 ? 1 : -1);
  return N(chain)(v, 0.5 * (x * x / low + low), x / low);
}

// 1 for a wheel that stands, 0 from the low speed on: by the square of its speeds.
static inline NUMBER N(standing)(const look_at *at, NUMBER vx, NUMBER vy, NUMBER rolling) {
  NUMBER square = N(add)(N(add)(N(mul)(vx, vx), N(mul)(vy, vy)), N(mul)(rolling, rolling));
  double high = at->low * at->low, low = 0.25 * high;
  double x = (high - N(value)(square)) / (high - low);
  if ((!at->anchor && !at->relaxes) || x <= 0) return N(const)(0);
  if (x >= 1) return N(const)(1);
  return N(chain)(square, x * x * (3 - 2 * x), -6 * x * (1 - x) / (high - low));
}

// Remaining fraction of a deflection when the wheel has rolled off by x from its mark:
// exp(-|x|/length), |x| rounded over a fiftieth of a millimeter.
#define FORGETS 2e-5
static inline NUMBER N(left)(NUMBER x, NUMBER length) {
  double r = N(value)(x), size = sqrt(r * r + FORGETS * FORGETS);
  NUMBER ratio = N(div)(N(chain)(x, size - FORGETS, r / size), length);
  double share = hn_exp(-N(value)(ratio));
  return N(chain)(ratio, share, -share);
}
#undef FORGETS

// How far the mark is behind the contact point, along the road.
static inline NUMBER N(rolled_off)(const N(wheel) * wheel, const N(grip) * g) {
  return N(dot)(N(minus)(wheel->mark, N(plus)(wheel->centre, g->arm)), g->forwards);
}

// The way of the mark forwards, as of a tread that is rolled off: with the wheel turned by phi the mark
// is r sin phi behind the contact point where the tread is r phi; from 30 degrees on it continues
// straight. *rate: of that displacement.
static NUMBER N(way_forwards)(const look_at *at, const N(wheel) * wheel, const N(grip) * g,
                              NUMBER *rate) {
  const double *a = at->anchor;
  N(vector) place = {N(const)(a[0]), N(const)(a[1]), N(const)(a[2])};
  N(vector) arm = N(minus)(wheel->mark, wheel->centre);
  NUMBER x = N(rolled_off)(wheel, g);
  double r = sqrt(N(value)(N(dot)(arm, arm))), s = N(value)(x) / r;
  const double bent = fmax(-0.5, fmin(s, 0.5)), root = sqrt(1 - bent * bent),
               more_of = 1 / root - 1;
  const double bend = s == bent ? s / (r * root * root * root) : 0;
  NUMBER more = N(chain)(x, r * (hn_asin(bent) - bent + more_of * (s - bent)), more_of);
  NUMBER slope = N(chain)(x, more_of, bend);
  NUMBER passing = N(dot)(N(minus)(wheel->mark_velocity, wheel->velocity), g->forwards);
  *rate = N(add)(N(dot)(wheel->mark_velocity, g->forwards), N(mul)(slope, passing));
  return N(add)(N(dot)(N(minus)(wheel->mark, place), g->forwards), more);
}

// Slips of a standing tyre: the way of its mark from the anchor over the relaxation lengths, as far as
// it is not rolled off, not beyond where it slides, and its speed, damped.
static void N(hold)(const look_at *at, const N(wheel) * wheel, const N(grip) * g, NUMBER held[2]) {
  const hn_tyre_hold *hold = &at->tyre->hold;
  double sigma[2], slope[2], sign[2] = {-1, 1};
  const double *a = at->anchor;
  N(vector) place = {N(const)(a[0]), N(const)(a[1]), N(const)(a[2])};
  NUMBER part[2], way[2], rate[2], rolled = N(rolled_off)(wheel, g);
  way[0] = N(way_forwards)(at, wheel, g, &rate[0]);
  way[1] = N(dot)(N(minus)(wheel->mark, place), g->sideways);
  rate[1] = N(dot)(N(plus)(wheel->velocity, N(cross)(wheel->turning, g->arm)), g->sideways);
  hn_tyre_relaxation(at->tyre, N(value)(g->load), sigma, slope);
  for (int k = 0; k < 2; k++) {
    NUMBER length = N(chain)(g->load, sigma[k], slope[k]);
    part[k] = N(div)(N(scaled)(1 / hold->limit[k], way[k]), length);
    part[k] = N(mul)(part[k], N(left)(rolled, length));
    held[k] = N(scaled)(hold->time[k], N(div)(rate[k], length));
  }
  NUMBER size = N(root)(N(add)(N(mul)(part[0], part[0]), N(mul)(part[1], part[1])));
  NUMBER share = N(value)(size) > 1 ? N(div)(N(const)(1), size) : N(const)(1);
  for (int k = 0; k < 2; k++)
    held[k] =
        N(scaled)(sign[k], N(add)(held[k], N(scaled)(hold->limit[k], N(mul)(share, part[k]))));
}

// Slips that follow with the relaxation lengths: u' = a - b u, a the slip velocity, b = |V|/sigma, slip
// u/sigma, and u of a stage as states.h has it. |V| is at least a third of the slip velocity, so that a
// wheel that spins on the spot does not wind up. A standing wheel is damped, as where it sticks.
static void N(relax)(const look_at *at, const N(grip) * g, NUMBER vx, const NUMBER drift[2],
                     NUMBER standing, NUMBER slip[2]) {
  const hn_tyre_hold *hold = &at->tyre->hold;
  double sigma[2], slope[2], load = N(value)(g->load), x = N(value)(vx);
  hn_tyre_relaxation(at->tyre, fmax(load, 1), sigma, slope);
  for (int k = 0; k < 2; k++) {
    const hn_own_state *z = &at->own[k];
    double a = N(value)(drift[k]);
    NUMBER length = N(chain)(g->load, sigma[k], load > 1 ? slope[k] : 0);
    NUMBER speed = N(chain)(vx, fabs(x), x >= 0 ? 1 : -1);
    if (fabs(a) > 3 * fabs(x)) speed = N(chain)(drift[k], fabs(a) / 3, a >= 0 ? 1. / 3 : -1. / 3);
    NUMBER b = N(div)(speed, length);
    NUMBER u = N(div)(N(add)(N(const)(z->hat), N(scaled)(z->g, drift[k])),
                      N(add)(N(const)(1), N(scaled)(z->g, b)));
    *z->value = N(value)(u);
    *z->rate = a - N(value)(b) * N(value)(u);
    NUMBER damped = N(scaled)(hold->time[k], N(mul)(standing, drift[k]));
    slip[k] = N(div)(N(add)(u, damped), length);
  }
}

// Slips, and the load before the road can be left.
static void N(slide)(const look_at *at, const N(wheel) * wheel, N(grip) * g) {
  const hn_tyre *tyre = at->tyre;
  NUMBER spin = N(dot)(wheel->turning, wheel->axis);
  N(vector) carried = N(minus)(wheel->turning, N(times)(spin, wheel->axis));
  N(vector) v = N(plus)(wheel->velocity, N(cross)(carried, g->arm));
  v.x = N(sub)(v.x, N(const)(at->speed));
  double slope, d = N(value)(g->deflection);
  double rolling = hn_tyre_rolling_radius(tyre, fmax(d, 0), &slope);
  NUMBER radius = N(chain)(g->deflection, rolling, d > 0 ? slope : 0);
  NUMBER vx = N(dot)(v, g->forwards), vy = N(dot)(v, g->sideways);
  g->rate = N(scaled)(-1, N(dot)(v, g->normal));
  hn_tyre_load_at spring = hn_tyre_spring(tyre, d);
  g->load = N(add)(N(chain)(g->deflection, spring.force, spring.stiffness),
                   N(scaled)(at->damping, g->rate));
  NUMBER share = N(div)(N(const)(1), N(speed)(vx, at->low)), rolled = N(mul)(spin, radius);
  NUMBER slip = N(mul)(N(sub)(rolled, vx), share), tangent = N(mul)(vy, share);
  NUMBER standing = N(standing)(at, vx, vy, rolled);
  if (at->relaxes) {
    NUMBER both[2], drift[2] = {N(sub)(rolled, vx), vy};
    N(relax)(at, g, vx, drift, standing, both);
    slip = both[0];
    tangent = both[1];
    standing = N(const)(0);
  }
  g->standing = N(value)(standing);
  if (g->standing > 0 && N(value)(g->load) > 0) {
    NUMBER held[2], rest = N(sub)(N(const)(1), standing);
    N(hold)(at, wheel, g, held);
    slip = N(add)(N(mul)(rest, slip), N(mul)(standing, held[0]));
    tangent = N(add)(N(mul)(rest, tangent), N(mul)(standing, held[1]));
  }
  double t = N(value)(tangent);
  g->slip[0] = slip;
  g->slip[1] = N(chain)(tangent, hn_atan(t), 1 / (1 + t * t));
  g->slip[4] = vx;
  g->rolling = rolling;
}

// ---- forces -------------------------------------------------------------------------------------

static void N(pull)(const look_at *at, N(grip) * g) {
  g->slip[3] = g->load;
  hn_tyre_slip slip = {N(value)(g->slip[0]), N(value)(g->slip[1]), N(value)(g->slip[2]),
                       N(value)(g->slip[3]), N(value)(g->slip[4]), N(value)(g->slip[5])};
  hn_tyre_forces f;
  double d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
  hn_tyre_evaluate(at->tyre, &slip, &f, sizeof(NUMBER) > sizeof(double) ? d : NULL);
  g->fx = N(chain6)(g->slip, f.fx, d[0]);
  g->fy = N(chain6)(g->slip, f.fy, d[1]);
  g->mx = N(chain6)(g->slip, f.mx, d[2]);
  g->my = N(chain6)(g->slip, f.my, d[3]);
  g->mz = N(chain6)(g->slip, f.mz, d[4]);
  g->force = N(plus)(N(plus)(N(times)(g->fx, g->forwards), N(times)(g->fy, g->sideways)),
                     N(times)(g->load, g->normal));
  N(vector)
  moment = N(plus)(N(plus)(N(times)(g->mx, g->forwards), N(times)(g->my, g->sideways)),
                   N(times)(g->mz, g->normal));
  g->torque = N(plus)(moment, N(cross)(g->arm, g->force));
}
