// Contact of sealed and remote components: inside one, with the model that uses it, and between two.
// The bits are those of the open component, with compliant laws and rigid ones, for shapes of all
// kinds; and the default settings agree.
#include "formats/sealing.h"

#include "components/sealed.h"

#define FALLS "gravity: [0, 0, -9.81]\noutputs: {out: c.out}\n"
#define BALL(more)                                                                                 \
  "bodies:\n  a: {mass: 1, inertia: [0.004, 0.004, 0.004], initial: {velocity: [0.3, 0.1, 0]},\n"  \
  "      shape: {sphere: 0.1, " more "}}\n"                                                        \
  "outputs: {out: body.a.position.z}\n"
#define SOFT "law: hunt-crossley, stiffness: 2e4, restitution: 0.6, friction: 0.3"
#define STRUT                                                                                      \
  "border: [top]\nbodies:\n  top: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.6]}\n"    \
  "  foot: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.2], shape: {sphere: 0.08, " \
  "contact: true}}\n"                                                                              \
  "joints: {leg: {type: translational, bodies: [top, foot], at: [0, 0, 0.4], axis: z}}\n"          \
  "forces: {s: {type: joint-spring-damper, joint: leg, stiffness: 3000, damping: 40}}\n"           \
  "outputs: {out: body.top.position.z}\n"
#define RAIL                                                                                       \
  "gravity: [0, 0, -9.81]\nbodies: {ground: {shape: {plane: {}, contact: true}}}\n"                \
  "joints: {rail: {type: planar, bodies: [ground, c.top], at: [0, 0, 0.6], axis: y,\n"             \
  "  initial: {x_rate: 0.5}}}\noutputs: {out: c.out}\n"
#define DOWN ", position: [0, 0, 0.13]"

static const struct {
  const char *name, *part, *use, *placed;
  double end;
} cases[] = {
    {"soft ball on the user's floor", BALL("contact: true"),
     "bodies: {ground: {shape: {plane: {}, contact: true}}}\ncontacts: {k: {" SOFT "}}\n" FALLS,
     DOWN, 0.6},
    {"soft contact inside",
     "bodies:\n"
     "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], shape: {box: [0.4, 0.4, 0.1]}}\n"
     "  b: {mass: 0.5, inertia: [0.001, 0.001, 0.001], position: [0.03, 0, 0.3], shape: {sphere: "
     "0.05}}\n"
     "joints: {slide: {type: translational, bodies: [a, b], at: [0.03, 0, 0.3], axis: z}}\n"
     "forces: {spring: {type: joint-spring-damper, joint: slide, stiffness: 20, damping: 0.5}}\n"
     "contacts: {k: {bodies: [a, b], " SOFT "}}\n"
     "outputs: {out: joint.slide.displacement}\n",
     "gravity: [0, 0, -9.81]\njoints: {hold: {type: revolute, bodies: [ground, c.a], at: [-0.3, 0, "
     "0], axis: y}}\nforces: {t: {type: joint-spring-damper, joint: hold, stiffness: 80, damping: "
     "2}}\noutputs: {out: c.out}\n",
     "", 0.8},
    {"soft contact with an external body",
     "bodies:\n  table: {external: true}\n"
     "  a: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.15], shape: {sphere: 0.1, "
     "contact: false}}\n"
     "  b: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.5, 0, 0.25], shape: {sphere: "
     "0.1}}\n"
     "forces: {s: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0.15], [0.5, 0, 0.25]], "
     "stiffness: 300, damping: 3, free_length: 0.4}}\n"
     "contacts: {k: {bodies: [table, b], " SOFT "}}\noutputs: {out: body.b.position.z}\n",
     "gravity: [0, 0, -9.81]\nbodies:\n"
     "  table: {mass: 5, inertia: [0.4, 0.4, 0.4], shape: {box: [2, 2, 0.1]}}\n"
     "joints: {leg: {type: translational, bodies: [ground, table], at: [0, 0, 0], axis: z}}\n"
     "forces: {s: {type: joint-spring-damper, joint: leg, stiffness: 4000, damping: 20}}\n"
     "outputs: {out: c.out}\n",
     ", bodies: {table: table}", 0.5},
    {"legs without a contact at their joints", STRUT "contacts: {k: {" SOFT "}}\n", RAIL, DOWN,
     0.6},
    {"table, bristles and an ellipsoid",
     "bodies:\n  a: {mass: 1, inertia: [0.004, 0.005, 0.006], initial: {velocity: [0.4, 0, 0]},\n"
     "      shape: {ellipsoid: [0.1, 0.08, 0.06], group: eggs}}\n"
     "materials: {felt: {friction: 0.4, bristle_stiffness: 2e3, damping: 0.1,\n"
     "  table: {table: [[0, 0], [0.001, 20], [0.003, 90], [0.01, 700]]}}}\n"
     "contacts: {k: {groups: [eggs, floors], material: felt}}\n"
     "outputs: {out: body.a.position.x}\n",
     "bodies: {ground: {shape: {plane: {}, group: floors}}}\n" FALLS, ", position: [0, 0, 0.065]",
     0.5},
    {"formula of the depth and a convex extrusion",
     "bodies:\n  a: {mass: 1, inertia: [0.004, 0.004, 0.004], initial: {angular_velocity: [1, 0, "
     "0]},\n      shape: {extrusion: {profile: [[-0.1, -0.05], [0.1, -0.05], [0, 0.1]], length: "
     "0.1}, contact: true}}\n"
     "contacts: {k: {table: 3e4*x + 1e6*x^2, damping: 0.3, friction: 0.2}}\n"
     "outputs: {out: body.a.position.z}\n",
     "bodies: {ground: {shape: {plane: {}, contact: true}}}\n" FALLS, DOWN, 0.4},
    {"rigid ball on the user's floor", BALL("contact: true"),
     "bodies: {ground: {shape: {plane: {}, contact: true}}}\n"
     "contacts: {k: {restitution: 0.6, friction: 0.3}}\n" FALLS,
     DOWN, 0.6},
    {"rigid contact of a hidden foot", STRUT, RAIL, DOWN, 0.6},
    {"rigid contact inside",
     "border: [a]\nbodies:\n"
     "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], shape: {box: [0.4, 0.4, 0.1]}}\n"
     "  b: {mass: 0.5, inertia: [0.001, 0.001, 0.001], position: [0.03, 0, 0.15], shape: {sphere: "
     "0.05}}\n"
     "joints: {slide: {type: planar, bodies: [a, b], at: [0.03, 0, 0.15], axis: y}}\n"
     "contacts: {k: {bodies: [a, b], restitution: 0.5, friction: 0.4}}\n"
     "outputs: {out: body.b.position.z}\n",
     "gravity: [0, 0, -9.81]\njoints: {hold: {type: revolute, bodies: [ground, c.a], at: [-0.3, 0, "
     "0], axis: y}}\nforces: {t: {type: joint-spring-damper, joint: hold, stiffness: 80, damping: "
     "2}}\noutputs: {out: c.out}\n",
     "", 0.6},
    {"ground of the component and a curve",
     "bodies:\n  ground: {shape: {curve: {points: [[-1, 0.4], [-0.4, 0], [0.4, 0], [1, 0.4]], "
     "spline: true, closed: false}, orientation: {axis: x, angle: 90 deg}, contact: "
     "true}}\n"
     "  a: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [-0.5, 0, 0.3],\n"
     "      shape: {sphere: 0.1, contact: true}}\n"
     "contacts: {k: {friction: 0.4, "
     "law: hunt-crossley, stiffness: 2e4, restitution: 0.2"
     "}}\n"
     "outputs: {out: body.a.position.x}\n",
     FALLS, "", 0.8},
};
enum { CASES = sizeof cases / sizeof cases[0] };
#define SAMPLED (IS_WATCHED ? 3 : 1)

static void write_case(int k, const char *part, const char *file) {
  char text[4096];
  snprintf(text, sizeof text, "components: {c: {use: %s%s}}\n%s", part, cases[k].placed,
           cases[k].use);
  write_text(file, text);
}

static void seal_case(int k) {
  hn_error error;
  write_text("part.yaml", cases[k].part);
  if (seal("part.yaml", "part.hnc", &error))
    fail_msg("%s: %s %s", cases[k].name, error.element, error.message);
  write_case(k, "part.yaml", "open.yaml");
  write_case(k, "part.hnc", "sealed.yaml");
}

static void contacts_have_the_bits_of_open_ones(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    seal_case(k);
    check_same_bits("open.yaml", "sealed.yaml", cases[k].end, "out");
  }
}

// Open with default settings, sealed with its own: 10 tolerances.
static void the_default_settings_agree(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k += SAMPLED) {
    hn_error error;
    double value[2];
    hn_simulation_options options = hn_default_simulation_options();
    options.tol = 1e-9;
    seal_case(k);
    for (int i = 0; i < 2; i++) {
      hn_model *model;
      hn_simulation *s;
      check_ok(load(i ? "sealed.yaml" : "open.yaml", 1, &model, &error));
      check_ok(hn_simulation_create(model, &options, &s, &error));
      check_ok(hn_simulation_advance(s, 0.3));
      check_ok(hn_simulation_value(s, "out", &value[i]));
      hn_simulation_free(s);
      hn_model_free(model);
    }
    if (!(fabs(value[0] - value[1]) <= 1e-8 * (1 + fabs(value[0]))))
      fail_msg("%s: %.12g open, %.12g sealed", cases[k].name, value[0], value[1]);
  }
}

// A chain whose links collide with their neighbors, a mesh and a surface of heights; two of them, one
// mirrored, that collide with each other, with a body of the user and with the ground of the part.
#define CHAIN                                                                                      \
  "name: chain\nborder: [one]\nbodies:\n"                                                          \
  "  ground: {shape: {heights: {step: [0.8, 0.8], columns: 3, values: [0, 0.02, 0, 0.02, 0, "      \
  "0.02, 0, 0.02, 0]}, "                                                                           \
  "at: [0, 0, -0.35], contact: true}}\n"                                                           \
  "  one: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0], shape: {box: [0.2, 0.1, "  \
  "0.1], contact: true}}\n"                                                                        \
  "  two: {mass: 0.8, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0], shape: {capsule: {"      \
  "radius: 0.05, length: 0.2}, orientation: {axis: y, angle: 90 deg}, contact: true}}\n"           \
  "  tip: {mass: 0.2, inertia: [0.001, 0.001, 0.001], position: [0.45, 0, 0], shape: {mesh: "      \
  "tip.obj, contact: true}}\n"                                                                     \
  "joints:\n  a: {type: revolute, bodies: [one, two], at: [0.2, 0, 0], axis: y}\n"                 \
  "  glue: {type: fixed, bodies: [two, tip], at: [0.4, 0, 0]}\n"                                   \
  "forces: {rub: {type: joint-friction, joint: a, torque: 0.2, transition: 0.1}}\n"                \
  "outputs: {angle: joint.a.angle}\n"
#define TIP                                                                                        \
  "v 0.06 0 0\nv -0.05 0.05 -0.05\nv -0.05 -0.05 -0.05\nv -0.05 0 0.06\n"                          \
  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
#define SOFT_LAW "law: hunt-crossley, stiffness: 3e4, "
#define YARD(part, law)                                                                            \
  "gravity: [0, 0, -9.81]\nbodies:\n"                                                              \
  "  stone: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0.65, 0.01, -0.2], shape: {sphere: " \
  "0.08, contact: true}}\n"                                                                        \
  "components:\n  l: {use: " part "}\n"                                                            \
  "  r: {use: " part ", orientation: {axis: z, angle: 180 deg}, position: [1.25, 0.02, 0]}\n"      \
  "joints:\n  p: {type: revolute, bodies: [ground, l.one], at: [0, 0, 0], axis: y}\n"              \
  "  q: {type: revolute, bodies: [ground, r.one], at: [1.25, 0.02, 0], axis: y}\n"                 \
  "contacts: {k: {" law "friction: 0.3, restitution: 0.4}}\n"                                      \
  "outputs: {out: l.angle}\n"

static void chains_collide_with_each_other(void **state) {
  (void)state;
  hn_error error;
  write_text("tip.obj", TIP);
  write_text("chain.yaml", CHAIN);
  if (seal("chain.yaml", "chain.hnc", &error)) fail_msg("%s %s", error.element, error.message);
  for (int k = 0; k < 2; k++) {
    write_text("yard.yaml", k ? YARD("chain.yaml", "") : YARD("chain.yaml", SOFT_LAW));
    write_text("yard-sealed.yaml", k ? YARD("chain.hnc", "") : YARD("chain.hnc", SOFT_LAW));
    check_same_bits("yard.yaml", "yard-sealed.yaml", 0.5, "out");
  }
}

static hn_status ask(void *context, const void *request, size_t size, void *answer, size_t room,
                     size_t *answer_size) {
  const void *bytes;
  hn_status status = hn_component_server_answer(context, request, size, &bytes, answer_size);
  if (status != HN_OK || *answer_size > room) return HN_ERROR_FILE;
  memcpy(answer, bytes, *answer_size);
  return HN_OK;
}

static hn_status load_from_afar(const char *file, const char *name, hn_component_server *server,
                                hn_status (*call)(void *, const void *, size_t, void *, size_t,
                                                  size_t *),
                                void *context, hn_model **model, hn_error *error) {
  char path[1024];
  hn_load_options options = hn_default_load_options();
  const hn_component_channel channel = {
      .name = name, .call = call, .context = context ? context : (void *)server};
  options.served = &channel;
  options.served_count = 1;
  snprintf(path, sizeof path, FOLDER "%s", file);
  *model = NULL;
  return hn_model_load(path, &options, model, error);
}

static void remote_components_have_the_same_bits(void **state) {
  (void)state;
  for (int k = -1; k < CASES; k += SAMPLED) {
    unsigned long long hash[2];
    const char *use = k < 0 ? "yard-sealed.yaml" : "sealed.yaml";
    const char *part = k < 0 ? "chain.hnc" : "part.hnc";
    char path[1024];
    if (k >= 0) seal_case(k);
    for (int far = 0; far < 2; far++) {
      hn_error error = {0};
      hn_model *model;
      hn_component_server *server = NULL;
      hn_simulation *s;
      snprintf(path, sizeof path, FOLDER "%s", part);
      check_ok(hn_component_server_open(path, &server, &error));
      hn_status status = far ? load_from_afar(use, part, server, ask, NULL, &model, &error)
                             : load(use, 1, &model, &error);
      if (status) fail_msg("%s: %s %s", use, error.element, error.message);
      if (far) lengthen_output_step(model);
      check_ok(hn_simulation_create(model, NULL, &s, &error));
      check_ok(hn_simulation_advance(s, 0.3));
      hash[far] = hn_simulation_state_hash(s);
      hn_simulation_free(s);
      hn_model_free(model);
      hn_component_server_close(server);
    }
    assert_true(hash[0] == hash[1]);
  }
}

// ---- what is published --------------------------------------------------------------------------

static void hidden_shapes_and_names_stay_hidden(void **state) {
  (void)state;
  hn_error error;
  hn_model *model;
  write_text("secret.yaml",
             "border: [a]\nbodies:\n"
             "  a: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: 0.1, contact: true}, "
             "{box: [0.3, 0.3, 0.3]}]}\n"
             "  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], shape: {sphere: 0.2}}\n"
             "contacts: {rivets: {friction: 0.3, restitution: 0.7}}\n");
  check_ok(seal("secret.yaml", "secret.hnc", &error));
  write_text("open-secret.yaml", "bodies: {ground: {shape: {plane: {}, contact: true}}}\n"
                                 "components: {c: {use: secret.hnc, position: [0, 0, 1]}}\n"
                                 "outputs: {n: contact.c.rivets.force}\n");
  check_ok(load("open-secret.yaml", 1, &model, &error));
  assert_int_equal(hn_model_shape_count(model), 2);
  assert_int_equal(hn_model_contact_count(model), 1);
  const hn_contact_def *contact = hn_model_contact(model, 0);
  assert_string_equal(contact->name, "c.rivets");
  assert_true(contact->restitution == 0.7);
  hn_model_free(model);
}

static void a_contact_that_finds_no_shape_is_named(void **state) {
  (void)state;
  hn_error error;
  hn_model *model;
  write_text("lonely.yaml", "bodies:\n  floor: {external: true}\n"
                            "  a: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.1}}\n"
                            "contacts: {k: {bodies: [floor, a]}}\n");
  check_ok(seal("lonely.yaml", "lonely.hnc", &error));
  write_text("alone.yaml", "bodies: {plate: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "components: {c: {use: lonely.hnc, bodies: {floor: plate}}}\n");
  check_status(load("alone.yaml", 1, &model, &error), HN_ERROR_MODEL);
  check_message(&error, "contact 'c.k'", "");
}

// ---- hostile answers ----------------------------------------------------------------------------

typedef struct tampering {
  hn_component_server *server;
  size_t at; // byte of the answer about facts
  unsigned char with;
  size_t size; // of that answer
} tampering;

static hn_status tamper(void *context, const void *request, size_t size, void *answer, size_t room,
                        size_t *answer_size) {
  tampering *t = context;
  uint32_t operation;
  hn_status status = ask(t->server, request, size, answer, room, answer_size);
  memcpy(&operation, (const char *)request + 4, sizeof operation);
  if (status != HN_OK || operation != 2) return status; // HN_SERVED_FACTS
  t->size = *answer_size;
  if (t->at < *answer_size) ((unsigned char *)answer)[t->at] = t->with;
  return HN_OK;
}

// Every byte of what is published, changed to small, large and negative: an error or a model, and
// nothing outside is read or written.
static void changed_bytes_do_no_harm(void **state) {
  (void)state;
  static const unsigned char values[] = {0, 1, 0x7f, 0xff};
  hn_error error = {0};
  hn_model *model;
  tampering t = {.at = (size_t)-1};
  int refused = 0, tried = 0;
  write_text(
      "mixed.yaml",
      "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.1, contact: true}}\n"
      "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], shapes: [{extrusion: "
      "{profile: [[0, 0], [0.1, 0], [0, 0.1]], length: 0.1}, group: g}, {mesh: tip.obj, "
      "contact: true}]}\n"
      "joints: {j: {type: fixed, bodies: [a, b], at: [0, 0, 0]}}\n"
      "inputs: {u: {follows: x}}\nstates: {y: {delay: 0.1, of: body.a.position.x}}\n"
      "outputs: {x: body.a.position.x}\n"
      "contacts: {k: {groups: [g], table: {table: [[0, 0], [0.1, 9]]}}, l: {friction: 1}}\n");
  write_text("tip.obj", TIP);
  check_ok(seal("mixed.yaml", "mixed.hnc", &error));
  write_text("mixes.yaml", "components: {c: {use: mixed.hnc}}\n"
                           "bodies: {ground: {shape: {plane: {}, contact: true}}}\n");
  check_ok(hn_component_server_open(FOLDER "mixed.hnc", &t.server, &error));
  check_ok(load_from_afar("mixes.yaml", "mixed.hnc", NULL, tamper, &t, &model, &error));
  hn_model_free(model);
  const size_t step = IS_WATCHED ? 7 : 3;
  for (size_t at = 8; at < t.size; at += step, tried++) {
    t.at = at;
    t.with = values[at / step % 4];
    hn_status status = load_from_afar("mixes.yaml", "mixed.hnc", NULL, tamper, &t, &model, &error);
    refused += status != HN_OK;
    hn_model_free(model);
  }
  assert_true(refused > tried / 10 && refused < tried);
  hn_component_server_close(t.server);
}

static void faults_of_published_contacts_are_named(void **state) {
  (void)state;
  hn_component_shape shape = {.def = hn_default_shape(HN_SHAPE_SPHERE), .group = ""};
  hn_component_contact contact = {.def = {.name = "k"}, .group = {"", ""}, .law = {.kind = -1}};
  hn_component_link link = {.body = {0, 1}};
  hn_component_facts facts = {.body_count = 1,
                              .link_count = 1,
                              .links = &link,
                              .shape_count = 1,
                              .shapes = &shape,
                              .contact_count = 1,
                              .contacts = &contact};
  double numbers[2] = {0, NAN};
  assert_null(hn_component_fault(&facts));
  facts.shape_count = 2000000000;
  assert_non_null(hn_component_fault(&facts));
  facts.shape_count = 1;
  link.body[1] = 2;
  assert_non_null(hn_component_fault(&facts));
  link.body[1] = 1;
  shape.def.radius = NAN;
  assert_non_null(hn_component_fault(&facts));
  shape.def.radius = 0.1;
  shape.def.frame.body = -1;
  assert_non_null(hn_component_fault(&facts));
  shape.def.frame.body = 1;
  shape.def.touch = HN_TOUCH_HEIGHTS;
  shape.def.grid[0] = shape.def.grid[1] = 100000;
  assert_non_null(hn_component_fault(&facts));
  shape.def.touch = HN_TOUCH_CURVE;
  shape.def.curve_count = 1000;
  assert_non_null(hn_component_fault(&facts));
  shape.def.touch = HN_TOUCH_SOLID;
  shape.def.curve_count = 0;
  contact.of = 3;
  assert_non_null(hn_component_fault(&facts));
  contact.of = 0;
  contact.law = (hn_component_law){.kind = HN_LAW_TABLE, .points = 2, .x = numbers, .y = numbers};
  assert_non_null(hn_component_fault(&facts));
  contact.law = (hn_component_law){.kind = HN_LAW_PIECEWISE, .pieces = 1000000, .count = 1000000};
  assert_non_null(hn_component_fault(&facts));
}

static void faults_of_published_delays_are_named(void **state) {
  (void)state;
  int which = 0, follows = -1;
  double time = 0.1, rise[2] = {1, 2}, every = 0;
  hn_component_facts facts = {.body_count = 1,
                              .state_count = 1,
                              .state_every = &every,
                              .state_follows = &follows,
                              .delay_count = 1,
                              .delay_state = &which,
                              .delay_time = &time,
                              .delay_rise = rise};
  assert_null(hn_component_fault(&facts));
  facts.delay_count = 2;
  assert_non_null(hn_component_fault(&facts));
  facts.delay_count = 1;
  which = 1;
  assert_non_null(hn_component_fault(&facts));
  which = 0;
  time = NAN;
  assert_non_null(hn_component_fault(&facts));
  time = 0;
  assert_non_null(hn_component_fault(&facts));
  time = 0.1;
  rise[1] = HUGE_VAL;
  assert_non_null(hn_component_fault(&facts));
  rise[1] = 2;
  follows = 0;
  assert_non_null(hn_component_fault(&facts));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_have_the_bits_of_open_ones),
      cmocka_unit_test(the_default_settings_agree),
      cmocka_unit_test(chains_collide_with_each_other),
      cmocka_unit_test(remote_components_have_the_same_bits),
      cmocka_unit_test(hidden_shapes_and_names_stay_hidden),
      cmocka_unit_test(a_contact_that_finds_no_shape_is_named),
      cmocka_unit_test(changed_bytes_do_no_harm),
      cmocka_unit_test(faults_of_published_contacts_are_named),
      cmocka_unit_test(faults_of_published_delays_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
