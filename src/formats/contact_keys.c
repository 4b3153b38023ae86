// Which keys of a contact or material have an effect: one table, key by contact law.
//
// A key acts if the law reads it, a key that it belongs to is given, and no other key replaces it.
#include "formats/contact_keys.h"

#include "base/error.h"

#define BIT(k) (1U << (k))

// Laws, as bits of hn_contact_law.
#define OF_RIGID BIT(HN_CONTACT_RIGID)
#define OF_POWER                                                                                   \
  (BIT(HN_CONTACT_LINEAR) | BIT(HN_CONTACT_HERTZ) | BIT(HN_CONTACT_HUNT_CROSSLEY) |                \
   BIT(HN_CONTACT_LANKARANI) | BIT(HN_CONTACT_FLORES))
#define OF_FORCE (OF_POWER | BIT(HN_CONTACT_TABLE))
#define OF_SOFT BIT(HN_CONTACT_SOFT)
#define OF_RESTITUTION (OF_FORCE & ~(BIT(HN_CONTACT_LINEAR) | BIT(HN_CONTACT_HERTZ)))

enum {
  RESTITUTION,
  IMPACT,
  FRICTION,
  STATIC_FRICTION,
  TORSIONAL_FRICTION,
  ROLLING_FRICTION,
  STIFFNESS,
  EXPONENT,
  DAMPING,
  SPEED,
  TRANSITION,
  STRIBECK,
  BRISTLE_STIFFNESS,
  BRISTLE_DAMPING,
  VISCOUS_FRICTION,
  COMPLIANCE,
  TIME_CONSTANT,
  DAMPING_RATIO,
  IMPEDANCE,
  TABLE,
  KEYS
};

#define ANY_FRICTION (BIT(FRICTION) | BIT(STATIC_FRICTION))

static const struct {
  const char *key;
  unsigned laws;   // that read it
  unsigned needs;  // one of these keys; 0: none
  int replaced_by; // this key, if it acts; -1: none
} rows[KEYS] = {
    [RESTITUTION] = {"restitution", OF_RIGID | OF_RESTITUTION, 0, DAMPING},
    [IMPACT] = {"impact", OF_RIGID, 0, -1},
    [FRICTION] = {"friction", OF_RIGID | OF_FORCE | OF_SOFT, 0, -1},
    [STATIC_FRICTION] = {"static_friction", OF_RIGID | OF_FORCE | OF_SOFT, 0, -1},
    [TORSIONAL_FRICTION] = {"torsional_friction", OF_RIGID | OF_SOFT, 0, -1},
    [ROLLING_FRICTION] = {"rolling_friction", OF_RIGID | OF_SOFT, 0, -1},
    [STIFFNESS] = {"stiffness", OF_POWER, 0, -1},
    [EXPONENT] = {"exponent", OF_POWER, 0, -1},
    [DAMPING] = {"damping", OF_FORCE | OF_SOFT, 0, TIME_CONSTANT},
    [SPEED] = {"speed", OF_RESTITUTION, 0, DAMPING},
    [TRANSITION] = {"transition", OF_FORCE, ANY_FRICTION, BRISTLE_STIFFNESS},
    [STRIBECK] = {"stribeck", OF_FORCE, BIT(STATIC_FRICTION), -1},
    [BRISTLE_STIFFNESS] = {"bristle_stiffness", OF_FORCE, ANY_FRICTION, -1},
    [BRISTLE_DAMPING] = {"bristle_damping", OF_FORCE, BIT(BRISTLE_STIFFNESS), -1},
    [VISCOUS_FRICTION] = {"viscous_friction", OF_FORCE, BIT(BRISTLE_STIFFNESS), -1},
    [COMPLIANCE] = {"compliance", OF_SOFT, 0, TIME_CONSTANT},
    [TIME_CONSTANT] = {"time_constant", OF_SOFT, 0, -1},
    [DAMPING_RATIO] = {"damping_ratio", OF_SOFT, BIT(TIME_CONSTANT), -1},
    [IMPEDANCE] = {"impedance", OF_SOFT, BIT(TIME_CONSTANT), -1},
    [TABLE] = {"table", BIT(HN_CONTACT_TABLE), 0, -1},
};

static int is_read(const hn_contact_def *def, int key) { return rows[key].laws >> def->law & 1U; }

static int is_without_need(int key, unsigned given) {
  return rows[key].needs && !(rows[key].needs & given);
}

static int is_replaced(const hn_contact_def *def, int key, unsigned given) {
  const int by = rows[key].replaced_by;
  if (by < 0 || !(given >> by & 1U) || !is_read(def, by)) return 0;
  if (by == TIME_CONSTANT) return def->time_constant > 0;
  return by == DAMPING ? def->damping >= 0 : def->bristle_stiffness > 0;
}

unsigned hn_contact_keys_given(const hn_fields *fields) {
  unsigned given = 0;
  for (int k = 0; k < KEYS; k++)
    if (hn_field_given(fields, rows[k].key)) given |= BIT(k);
  return given;
}

int hn_contact_keys_have_exponent(unsigned given) { return (int)(given >> EXPONENT & 1U); }

unsigned hn_contact_keys_acting(const hn_contact_def *def, unsigned given) {
  unsigned acting = 0;
  for (int k = 0; k < KEYS; k++)
    if ((given >> k & 1U) && is_read(def, k) && !is_without_need(k, given) &&
        !is_replaced(def, k, given))
      acting |= BIT(k);
  return acting;
}

// ---- messages -----------------------------------------------------------------------------------

static void explain_law(const hn_contact_def *def, int key, char *why, char *hint, size_t size) {
  const char *names[HN_CONTACT_LAWS];
  char list[160];
  int count = 0;
  for (int law = 0; law < HN_CONTACT_LAWS; law++)
    if (rows[key].laws >> law & 1U) names[count++] = hn_contact_law_name((hn_contact_law)law);
  hn_text(why, size, "with `law: %s`", hn_contact_law_name(def->law));
  hn_text(hint, size, "Choose `law:` %s, or delete '%s'.%s",
          hn_text_list(list, sizeof list, names, count), rows[key].key,
          key == RESTITUTION && (OF_FORCE >> def->law & 1U) ? " Loss in this law: `damping`." : "");
}

void hn_contact_key_idle(const hn_fields *fields, const hn_contact_def *def, unsigned given,
                         unsigned idle) {
  int key = 0;
  while (key < KEYS && !(idle >> key & 1U)) key++;
  const int place = key < KEYS ? hn_section_key(fields->section, rows[key].key) : -1;
  if (place < 0) return;
  enum { SIZE = 320 };
  char why[SIZE], hint[SIZE];
  const char *own = rows[key].key;
  if (!is_read(def, key)) {
    explain_law(def, key, why, hint, SIZE);
  } else if (is_without_need(key, given)) {
    const int need = rows[key].needs & BIT(FRICTION)          ? FRICTION
                     : rows[key].needs & BIT(STATIC_FRICTION) ? STATIC_FRICTION
                     : rows[key].needs & BIT(TIME_CONSTANT)   ? TIME_CONSTANT
                                                              : BRISTLE_STIFFNESS;
    hn_text(why, SIZE, "without '%s'", rows[need].key);
    hn_text(hint, SIZE, "Add '%s' or delete '%s'.", rows[need].key, own);
  } else {
    const char *other = rows[rows[key].replaced_by].key;
    hn_text(why, SIZE, "with '%s'", other);
    hn_text(hint, SIZE, "Delete '%s' or '%s'.", own, other);
  }
  hn_source at = hn_node_key_source(fields->value[place]);
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &at, hint,
                 "has the key '%s', which has no effect %s", own, why);
}
