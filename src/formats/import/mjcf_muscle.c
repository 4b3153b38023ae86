// Muscles of MJCF: their numbers, by `muscle` or by the types of `general`, and the ends of their
// motion.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"

static int is_of(const hn_mjcf_item *item, const char *attribute) {
  return strcmp(item->node->name, "muscle") == 0 || hn_mjcf_is(item, attribute, "muscle");
}

int hn_mjcf_is_muscle(const hn_mjcf_item *item) {
  return is_of(item, "gaintype") || is_of(item, "biastype") || is_of(item, "dyntype");
}

// range, force, scale, lmin, lmax, vmax, fpmax, fvmax
enum { NUMBERS = 9 };

static void put(hn_muscle *m, const double n[NUMBERS]) {
  m->range[0] = n[0];
  m->range[1] = n[1];
  m->most = n[2];
  m->scale = n[3];
  m->shortest = n[4];
  m->longest = n[5];
  m->speed = n[6];
  m->stretched = n[7];
  m->lengthened = n[8];
}

static void put_above(double *number, double given) {
  if (given >= 0) *number = given;
}

// A number below 0 means the default.
static void read_shortcut(const hn_mjcf_item *item, double n[NUMBERS], double time[3]) {
  static const char *const names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
  double range[2] = {-1, -1}, constants[2] = {-1, -1};
  hn_mjcf_numbers(item, "range", 2, range);
  hn_mjcf_numbers(item, "timeconst", 2, constants);
  for (int k = 0; k < 2; k++) {
    put_above(&n[k], range[k]);
    put_above(&time[k], constants[k]);
  }
  for (int k = 0; k < NUMBERS - 2; k++) put_above(&n[2 + k], hn_mjcf_number(item, names[k], -1));
  time[2] = hn_mjcf_number(item, "tausmooth", 0);
}

// Reads the given numbers; the others are those of `muscle`, which is reported.
static void read_list(const hn_mjcf_item *item, const char *list, const char *type, int most,
                      int enough, double *n) {
  double given[10];
  const int count = hn_mjcf_numbers(item, list, 10, given);
  for (int k = 0; k < count && k < most; k++) n[k] = given[k];
  if (count < enough)
    hn_mjcf_mark(
        item, count > 0 ? list : type, HN_FATE_APPROXIMATED,
        hn_machine_text(item->reader->machine,
                        "%s has %d of %d numbers: the others keep the defaults of <muscle>", list,
                        count, enough));
}

// Both forces of a muscle have the numbers of the gain.
static void read_general(const hn_mjcf_item *item, double n[NUMBERS], double time[3]) {
  double bias[10];
  read_list(item, "gainprm", "gaintype", NUMBERS, NUMBERS, n);
  if (is_of(item, "dyntype")) read_list(item, "dynprm", "dyntype", 3, 2, time);
  const int count = hn_mjcf_numbers(item, "biasprm", 10, bias);
  for (int k = 0; k < count && k < NUMBERS; k++)
    if (bias[k] != n[k])
      hn_mjcf_mark(item, "biasprm", HN_FATE_LOST,
                   "differs from gainprm: the values of gainprm are used");
}

static void read_numbers(const hn_mjcf_item *item, hn_muscle *m) {
  double n[NUMBERS] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2}, time[3] = {0.01, 0.04, 0};
  if (strcmp(item->node->name, "muscle") == 0)
    read_shortcut(item, n, time);
  else
    read_general(item, n, time);
  put(m, n);
  m->up = time[0];
  m->down = time[1];
  m->smooth = time[2];
}

// Reason why these numbers are invalid, or null; MuJoCo rejects the same ones, but for the times.
static const char *refusal(const hn_muscle *m) {
  if (!(m->range[0] < m->range[1])) return "its range is empty or reversed";
  if (!(m->shortest < 1 && m->longest > 1)) return "lmin must be below 1 and lmax above 1";
  if (!(m->scale > 0 && m->speed > 0 && m->stretched > 0 && m->lengthened > 0))
    return "scale, vmax, fpmax and fvmax must be above 0";
  if (!(m->smooth >= 0)) return "tausmooth must not be negative";
  if (!(m->up > 0 && m->down > 0) && !(m->up == 0 && m->down == 0))
    return "time constants must both be above 0, or both 0";
  return NULL;
}

// ---- ends of the motion -------------------------------------------------------------------------

// How a link moves from where it is drawn when joints have the values `at` by their numbers.
static hn_pose moved(const hn_link *link, const double *at, int depth) {
  const hn_link_joint *j = link->joint;
  if (!j || link->is_ground || depth > HN_XML_DEPTH * 8) return hn_pose_none();
  hn_pose own = hn_pose_none(), up = moved(j->parent, at, depth + 1);
  const double way = at[j->number];
  if (j->kind == HN_LINK_SLIDE) own.p = vec3_scale(way, j->axis);
  if (j->kind == HN_LINK_HINGE) {
    own.r = quat_matrix(quat_from_axis_angle(j->axis, way));
    own.p = vec3_sub(j->at, mat3_apply(own.r, j->at));
  }
  return hn_pose_multiply(&up, &own);
}

static double length_at(const hn_motor *motor, const double *at) {
  const hn_tendon *t = motor->tendon;
  hn_pose moves[2 * HN_WAY_MOST];
  double sum = 0;
  if (motor->joint) return at[motor->joint->number] + motor->joint->freedom[0].reference;
  for (int k = 0; k < t->term_count; k++) {
    const hn_link_joint *j = t->terms[k].joint;
    sum += t->terms[k].factor * (at[j->number] + j->freedom[0].reference);
  }
  if (t->part_count == 0) return sum;
  for (int k = 0; k < t->part_count; k++) {
    const hn_tendon_part *part = &t->parts[k];
    moves[2 * k] = part->link ? moved(part->link, at, 0) : hn_pose_none();
    moves[2 * k + 1] = part->side_link ? moved(part->side_link, at, 0) : hn_pose_none();
  }
  return hn_tendon_length(t, moves);
}

// The joints that can change its length, all of which have limits; -1: some has none.
static int list_joints(hn_machine *m, const hn_motor *motor, hn_link_joint **list, int most) {
  const hn_tendon *t = motor->tendon;
  int count = 0;
  for (hn_link_joint *j = m->joints; j; j = j->next) {
    int is_on = j == motor->joint;
    for (int k = 0; t && k < t->term_count; k++) is_on |= t->terms[k].joint == j;
    for (int k = 0; t && k < t->part_count; k++)
      for (const hn_link *l = t->parts[k].link; l && !l->is_ground && l->joint;
           l = l->joint->parent)
        is_on |= l->joint == j;
    if (!is_on || j->is_loop || j->kind == HN_LINK_FIXED) continue;
    const hn_freedom *f = &j->freedom[0];
    const int is_single = j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE;
    if (count == most || !is_single || !f->has_limits || !(f->upper - f->lower < 1e3)) return -1;
    list[count++] = j;
  }
  return count;
}

// The least (sign -1) or greatest length within the limits, coordinate by coordinate.
static double search(const hn_motor *motor, hn_link_joint **list, int count, double *at,
                     double sign) {
  enum { ROUNDS = 4, STEPS = 40 };
  for (int k = 0; k < count; k++) { // the reference pose may lie outside
    const hn_freedom *f = &list[k]->freedom[0];
    at[list[k]->number] = fmin(fmax(0, f->lower - f->reference), f->upper - f->reference);
  }
  double best = length_at(motor, at);
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < count; k++) {
      const hn_freedom *f = &list[k]->freedom[0];
      double *x = &at[list[k]->number], kept = *x;
      for (int s = 0; s <= STEPS; s++) {
        *x = f->lower + (f->upper - f->lower) * s / STEPS - f->reference;
        const double length = length_at(motor, at);
        if (sign * (length - best) > 0) {
          best = length;
          kept = *x;
        }
      }
      *x = kept;
    }
  return best;
}

static const char *find_ends(hn_machine *m, hn_motor *motor) {
  enum { MOST = 8 };
  hn_link_joint *list[MOST];
  int joints = 0;
  for (hn_link_joint *j = m->joints; j; j = j->next) {
    if (!j->is_loop) j->child->joint = j;
    j->number = joints++;
  }
  const int count = list_joints(m, motor, list, MOST);
  if (count < 0) return "its length range is unknown (joints without limits): give lengthrange";
  double ends[2];
  for (int e = 0; e < 2; e++) {
    double *at = HN_MACHINE_TAKE(m, double, joints + 1);
    if (!at) return NULL;
    ends[e] = motor->gear[0] * search(motor, list, count, at, e == 0 ? -1 : 1);
  }
  motor->muscle->ends[0] = fmin(ends[0], ends[1]);
  motor->muscle->ends[1] = fmax(ends[0], ends[1]);
  hn_xml_mark_attribute(
      motor->node, motor->tendon ? "tendon" : "joint", HN_FATE_APPROXIMATED,
      "length range computed from the joint limits; MuJoCo finds it by simulation");
  return NULL;
}

const char *hn_mjcf_read_muscle(const hn_mjcf_item *item, hn_motor *motor) {
  hn_mjcf *r = item->reader;
  hn_muscle *m = HN_MACHINE_TAKE(r->machine, hn_muscle, 1);
  if (!m) return NULL;
  motor->muscle = m;
  motor->gain[0] = 0;
  m->is_active = is_of(item, "gaintype");
  m->is_passive = is_of(item, "biastype");
  read_numbers(item, m);
  m->is_quick = is_of(item, "dyntype") && m->up == 0 && m->down == 0;
  if (is_of(item, "dyntype") && !m->is_quick) motor->dynamics = HN_MOTOR_MUSCLE;
  const char *why = refusal(m);
  if (why) return why;
  if (hn_mjcf_numbers(item, "lengthrange", 2, m->ends) < 2 || !(m->ends[1] > m->ends[0]))
    why = find_ends(r->machine, motor);
  if (!why && !(m->ends[1] > m->ends[0])) why = "its length is constant";
  if (!why && m->most < 0) hn_mjcf_wish_force(r, motor);
  return why;
}
