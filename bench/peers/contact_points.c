// Looks into the library (contact_points.h).
#include "contact_points.h"

#include "analysis/simulation.h"
#include "contact/sweeps.h"
#include "integrate/time_stepping.h"

int contact_points(const struct hn_simulation *s, contact_point *points, int room) {
  const hn_sweep_point *from = NULL;
  if (s->method->type != &hn_time_stepping) return 0;
  const int count = hn_time_stepping_points(s->method, &from);
  for (int k = 0; k < count && k < room; k++) {
    const hn_sweep_point *c = &from[k];
    hn_vec3 p = vec3_scale(c->p[0], c->axis[0]);
    for (int i = 1; i < 3; i++) p = vec3_add_scaled(p, c->p[i], c->axis[i]);
    points[k] = (contact_point){.body = {c->body[0], c->body[1]}};
    vec3_store(points[k].impulse, p);
    vec3_store(points[k].normal, c->axis[0]);
  }
  return count;
}

void contact_residual(struct hn_simulation *s, double residual) {
  if (s->method->type == &hn_time_stepping) hn_time_stepping_ask(s->method, residual);
}
