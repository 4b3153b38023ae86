// Springs with laws of signals in the tangent of natural coordinates. Such a spring pulls along the
// gradient g of its measure in the nodes, Q = -f g, and f changes with signals s of other bodies:
//
//   K += g f_s s_q',   C += g f_s s_qd'
//
// with s of the frames of the bodies that it reads, which turn as their nodes say (natural/forces.c).
// Loads with laws of signals are couplings (elements/coupling.c).
#include "elements/force_types.h"
#include "elements/sensor.h"
#include "equations/natural/tangent.h"

// A signal against the pose of a body (translation, rotation) and against its speeds.
typedef struct change {
  double pose[6], speed[6];
} change;

// The signal as a node of the body moves, and as it moves faster.
static void along_node(const change *c, const hn_natural_motion *m, const hn_natural_term *term,
                       hn_vec3 *place, hn_vec3 *rate) {
  const hn_natural_share s = hn_natural_share_of(m, term);
  // a node that moves by x turns its body by h x x, and its speeds by x x hd
  hn_vec3 turn = vec3_load(c->pose + 3), spin = vec3_load(c->speed + 3);
  *place = vec3_add(vec3_scale(term->c[0], vec3_load(c->pose)),
                    vec3_add(vec3_cross(turn, s.h), vec3_cross(s.hd, spin)));
  *rate = vec3_add(vec3_scale(term->c[0], vec3_load(c->speed)), vec3_cross(spin, s.h));
}

static void add_block(hn_sparse *matrix, int row, int column, double scale, hn_vec3 g, hn_vec3 s) {
  for (int k = 0; k < 3; k++) {
    int at = hn_sparse_find(matrix, 3 * row + k, 3 * column);
    if (at < 0) return;
    double factor = scale * vec3_get(g, k), *to = &matrix->value[at];
    to[0] += factor * s.x;
    to[1] += factor * s.y;
    to[2] += factor * s.z;
  }
}

static void add_sensor(hn_natural_tangent *self, int form, int body, double f_s,
                       const hn_sensor *sensor, const double *turns) {
  const hn_natural_set *set = self->set;
  const hn_natural_form *of = &set->forms->forms[form];
  const int *node = &set->forms->node[of->start];
  hn_measure_memo memo = {.of = NULL};
  change c;
  hn_sensor_in_poses(sensor, body, set->frames, turns, &memo, c.pose, c.speed);
  for (int j = 0; j < set->nodes->bodies[body].count; j++) {
    const hn_natural_term *term = &set->nodes->terms[set->nodes->bodies[body].start + j];
    hn_vec3 place, rate;
    along_node(&c, &set->motion[body], term, &place, &rate);
    for (int i = 0; i < of->count; i++) {
      add_block(&self->base.stiffness, node[i], term->node, f_s, self->jet.gradient[i], place);
      add_block(&self->base.damping, node[i], term->node, f_s, self->jet.gradient[i], rate);
    }
  }
}

void hn_natural_add_signals(hn_natural_tangent *self, int force, int form, double t,
                            const double *turns) {
  const hn_elements *e = self->base.equations->elements;
  if (e->sensor_count == 0) return;
  const hn_sensed *sensed = hn_force_sensed(e, force, self->jet.value, self->jet.rate, t);
  for (int k = 0; k < sensed->count; k++) {
    const hn_sensor *sensor = &e->sensors[sensed->sensor[k]];
    const double f_s = sensed->by[sensed->sensor[k]];
    if (f_s == 0) continue;
    int first = hn_sensor_body(sensor, 0), second = hn_sensor_body(sensor, 1);
    if (first > HN_GROUND) add_sensor(self, form, first, f_s, sensor, turns);
    if (second > HN_GROUND && second != first) add_sensor(self, form, second, f_s, sensor, turns);
  }
}
