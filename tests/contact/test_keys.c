// Keys of contacts: a model file may give a key exactly if its value changes the motion. The motion
// is that of contacts made without files, where every value can be set for every law.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/load.h"

// ---- keys and what goes with them -----------------------------------------------------------------

enum {
  RESTITUTION,
  FRICTION,
  STATIC_FRICTION,
  DAMPING,
  BRISTLE_STIFFNESS,
  IMPACT,
  COMPLIANCE,
  TIME_CONSTANT
};

#define BIT(k) (1U << (k))
#define AT(member) offsetof(hn_contact_def, member)
static const struct {
  const char *key;
  size_t at;
  double value, other, companion; // the last with another key
} keys[] = {
    [RESTITUTION] = {"restitution", AT(restitution), 0.5, 0.7, 0.5},
    [FRICTION] = {"friction", AT(friction), 0.2, 0.3, 0.2},
    [STATIC_FRICTION] = {"static_friction", AT(static_friction), 0.35, 0.6, 0.5},
    [DAMPING] = {"damping", AT(damping), 0.4, 0.6, 0.4},
    [BRISTLE_STIFFNESS] = {"bristle_stiffness", AT(bristle_stiffness), 1e3, 2e3, 1e3},
    [IMPACT] = {"impact", 0, 0, 1, 0},
    [COMPLIANCE] = {"compliance", AT(compliance), 1e-4, 2e-4, 1e-4},
    [TIME_CONSTANT] = {"time_constant", AT(time_constant), 0.02, 0.03, 0.02},
    {"damping_ratio", AT(damping_ratio), 0.5, 0.8, 0},
    {"torsional_friction", AT(torsional_friction), 0.02, 0.03, 0},
    {"rolling_friction", AT(rolling_friction), 0.002, 0.003, 0},
    {"stiffness", AT(stiffness), 1e5, 2e5, 0},
    {"exponent", AT(exponent), 1.2, 1.4, 0},
    {"speed", AT(speed), 0.5, 0.8, 0},
    {"transition", AT(transition), 0.01, 0.02, 0},
    {"stribeck", AT(stribeck), 0.1, 0.2, 0},
    {"bristle_damping", AT(bristle_damping), 10, 20, 0},
    {"viscous_friction", AT(viscous_friction), 0.5, 0.8, 0},
};
enum { KEYS = sizeof keys / sizeof *keys, NONE = -1 };

static const unsigned contexts[] = {0,
                                    BIT(FRICTION),
                                    BIT(FRICTION) | BIT(STATIC_FRICTION),
                                    BIT(FRICTION) | BIT(STATIC_FRICTION) | BIT(BRISTLE_STIFFNESS),
                                    BIT(DAMPING),
                                    BIT(TIME_CONSTANT)};
enum { CONTEXTS = sizeof contexts / sizeof *contexts };

// With the restitution without which nothing bounces, and flores is unbounded; with the compliance
// without which a soft contact is rigid.
static unsigned companion(hn_contact_law law, unsigned context, int key) {
  const int bounces = law == HN_CONTACT_RIGID || law == HN_CONTACT_FLORES;
  if (bounces && key != DAMPING && !(context & BIT(DAMPING))) context |= BIT(RESTITUTION);
  const unsigned soft = BIT(COMPLIANCE) | BIT(TIME_CONSTANT);
  const int is_given = (context & soft) || key == COMPLIANCE || key == TIME_CONSTANT;
  if (law == HN_CONTACT_SOFT && !is_given) context |= BIT(COMPLIANCE);
  if (key == TIME_CONSTANT) context &= ~BIT(DAMPING);
  return key == NONE ? context : context & ~BIT(key);
}

static void set(hn_contact_def *c, int key, double value) {
  if (key == IMPACT)
    c->restitution_kind = value > 0 ? HN_RESTITUTION_POISSON : HN_RESTITUTION_NEWTON;
  else
    *(double *)((char *)c + keys[key].at) = value;
}

// ---- motion ---------------------------------------------------------------------------------------

// A ball of radius 0.1 and mass 1, with its center of mass off its center.
static int add_one(contact_machine *m, const char *name, double inertia, double off,
                   hn_vec3 position, hn_vec3 velocity) {
  hn_body_def body = hn_default_body();
  hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
  int shape;
  body.name = name;
  body.mass = 1;
  for (int i = 0; i < 3; i++) body.inertia[i] = inertia;
  body.position = position;
  body.velocity = velocity;
  body.angular_velocity = vec3(0, 0, 3);
  check_model(m, hn_model_add_body(m->model, &body, &ball.frame.body));
  ball.radius = 0.1;
  ball.frame.position = vec3(off, 0, 0);
  check_model(m, hn_model_add_shape(m->model, &ball, &shape));
  return shape;
}

// A ball that bounces and slides, and one on the floor that hardly turns: gravity is inclined by
// a slope of 0.45. Returns 0 if the contact cannot be made.
static int run(hn_contact_law law, unsigned context, int key, double value, double end[4]) {
  contact_machine m = machine_on_plane(vec3(4.4, 0, -9.8));
  const int rolls = law == HN_CONTACT_ROLLING;
  hn_contact_def c = hn_default_contact();
  int shapes[2];
  c.name = "c";
  c.law = law;
  if (law == HN_CONTACT_LINEAR) c.exponent = 1;
  shapes[0] = add_one(&m, "still", 10, 0, vec3(0, 0, 0.1), vec3_zero());
  if (!rolls) shapes[1] = add_one(&m, "fast", 0.004, 0.05, vec3(0, 2, 0.102), vec3(0.05, 0, -0.3));
  c.shapes1 = shapes;
  c.count1 = rolls ? 1 : 2;
  c.shapes2 = &m.plane;
  c.count2 = 1;
  for (int k = 0; k < KEYS; k++)
    if (companion(law, context, key) & BIT(k)) set(&c, k, keys[k].companion);
  set(&c, key, value);
  const double slope[2] = {0, 1e5};
  if (law == HN_CONTACT_TABLE) check_ok(hn_law_polynomial(slope, 2, NULL, &c.depth_law, NULL));
  check_model(&m, hn_model_add_contact(m.model, &c, NULL));
  const int is_made = hn_model_finish(m.model) == HN_OK;
  if (is_made) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    options.tol = 1e-6;
    check_ok(hn_simulation_create(m.model, &options, &m.simulation, NULL));
    advance(&m, 0.1);
    for (int k = 0; k < (rolls ? 1 : 2); k++) {
      const hn_body_motion motion = motion_of(&m, k + 1);
      end[2 * k] = motion.position.x;
      end[2 * k + 1] = motion.position.z;
    }
  }
  finish(&m);
  return is_made;
}

static int moves(hn_contact_law law, unsigned context, int key) {
  double end[2][4] = {{0}};
  if (!run(law, context, key, keys[key].value, end[0])) return 0;
  return run(law, context, key, keys[key].other, end[1]) &&
         memcmp(end[0], end[1], sizeof end[0]) != 0;
}

// ---- model files ----------------------------------------------------------------------------------

static int loads(hn_contact_law law, unsigned context, int key, hn_error *error) {
  char text[1024];
  int used = snprintf(text, sizeof text,
                      "bodies:\n"
                      "  ground: {shape: {plane: {}}}\n"
                      "  b: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 1}}\n"
                      "contacts:\n  c: {bodies: [ground, b], law: %s%s",
                      hn_contact_law_name(law), law == HN_CONTACT_TABLE ? ", table: 1e5*x" : "");
  for (int k = 0; k < KEYS; k++)
    if (companion(law, context, key) & BIT(k))
      used += snprintf(text + used, sizeof text - (size_t)used, ", %s: %g", keys[k].key,
                       keys[k].companion);
  if (key == IMPACT)
    used += snprintf(text + used, sizeof text - (size_t)used, ", impact: poisson");
  else if (key != NONE)
    used += snprintf(text + used, sizeof text - (size_t)used, ", %s: %g", keys[key].key,
                     keys[key].value);
  used += snprintf(text + used, sizeof text - (size_t)used, "}\n");
  hn_model *model = NULL;
  *error = (hn_error){0};
  const hn_status status = hn_model_load_text(text, (size_t)used, "text.yaml", NULL, &model, error);
  hn_model_free(model);
  return status == HN_OK;
}

static void a_key_is_accepted_exactly_if_it_changes_the_motion(void **state) {
  (void)state;
  int accepted = 0, refused = 0;
  for (int law = 0; law < HN_CONTACT_LAWS; law++)
    for (int n = 0; n < CONTEXTS; n++)
      for (int key = 0; key < KEYS; key++) {
        hn_error error;
        const hn_contact_law which = (hn_contact_law)law;
        if (contexts[n] & BIT(key)) continue;
        if (!loads(which, contexts[n], NONE, &error)) continue;
        if (key == IMPACT && which == HN_CONTACT_RIGID && !(contexts[n] & BIT(FRICTION)))
          continue; // the balls here would need friction for a difference
        const int is_accepted = loads(which, contexts[n], key, &error);
        if (is_accepted != moves(which, contexts[n], key))
          fail_msg("law %s, keys %x: '%s' is %s; %s", hn_contact_law_name(which), contexts[n],
                   keys[key].key, is_accepted ? "accepted without effect" : "refused",
                   error.message);
        if (!is_accepted) {
          check_names(error.element, "'c'");
          assert_true(error.line == 5 && error.hint[0]);
        }
        *(is_accepted ? &accepted : &refused) += 1;
      }
  print_message("%d accepted, %d refused\n", accepted, refused);
  assert_true(accepted > 100 && refused > 100);
}

// ---- materials and tables -------------------------------------------------------------------------

static void refuse(const char *text, int line, const char *part, const char *hint) {
  hn_model *model = NULL;
  hn_error error = {0};
  char all[1024];
  snprintf(all, sizeof all,
           "bodies: {ground: {shape: {plane: {}}}, b: {mass: 1, inertia: [1, 1, 1], shape: "
           "{sphere: 1}}, d: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 1}}}\n%s",
           text);
  const hn_status status = hn_model_load_text(all, strlen(all), "text.yaml", NULL, &model, &error);
  hn_model_free(model);
  if (!part && status) fail_msg("%s: %s", error.element, error.message);
  if (!part) return;
  if (!status) fail_msg("accepted: %s", text);
  if (!strstr(error.message, part) || !strstr(error.hint, hint))
    fail_msg("not %s, %s: %s; %s", part, hint, error.message, error.hint);
  assert_int_equal(error.line, line);
}

// A key that several contacts share acts in at least one of them.
static void a_material_acts_in_one_of_its_contacts(void **state) {
  (void)state;
#define STEEL "materials: {steel: {restitution: 0.8, friction: 0.2}}\n"
  refuse(STEEL "contacts: {c: {bodies: [ground, b], material: steel, law: hertz}}\n", 2,
         "'restitution', which has no effect with `law: hertz`", "hunt-crossley");
  refuse(STEEL "contacts:\n  c: {bodies: [ground, b], material: steel, law: hertz}\n"
               "  e: {bodies: [ground, d], material: steel}\n",
         0, NULL, NULL);
  refuse(STEEL "contacts:\n  c: {bodies: [ground, b], material: steel, law: none}\n"
               "  e: {bodies: [ground, d], material: steel}\n",
         4, "none of whose keys has an effect with the contact law none", "delete 'material'");
  refuse("parameters: {soft: 0}\n"
         "materials: {steel: {friction: 0.2, stiffness: 1e5}}\ncontacts:\n"
         "  c: {bodies: [ground, b], material: steel, law: hertz, if: soft}\n"
         "  e: {bodies: [ground, b], material: steel, if: 1 - soft}\n",
         0, NULL, NULL);
}

static void a_table_is_a_law(void **state) {
  (void)state;
  refuse("contacts: {c: {bodies: [ground, b], table: 1e5*x, law: hertz}}\n", 2,
         "'table', which has no effect with `law: hertz`", "Choose `law:` table");
  refuse("contacts: {c: {bodies: [ground, b], table: 1e5*x, damping: 1}}\n", 0, NULL, NULL);
  refuse("contacts: {c: {bodies: [ground, b], law: hertz, damping: 1, restitution: 0.5}}\n", 2,
         "'restitution'", "`damping`");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_key_is_accepted_exactly_if_it_changes_the_motion),
      cmocka_unit_test(a_material_acts_in_one_of_its_contacts),
      cmocka_unit_test(a_table_is_a_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
