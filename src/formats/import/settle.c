// Normalizes an imported model so that Holon can represent it.
//
// Massless links on fixed joints become part of the link that carries them, with a marker at their
// place. A joint beyond which nothing has mass has undetermined accelerations: it is locked, and
// reported. Massless links in between stay: their neighbors determine their motion.
#include <string.h>

#include "formats/import/machine.h"

static int is_massless(const hn_link *link) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += link->inertia[k] * link->inertia[k];
  return !(link->mass > 0) && !(sum > 0);
}

// ---- one tree -----------------------------------------------------------------------------------

static void hang_on_joints(hn_machine *machine) {
  for (hn_link_joint *j = machine->joints; j && hn_machine_ok(machine); j = j->next) {
    if (j->is_loop) continue;
    if (j->child->joint == j) continue;
    if (j->child->joint) {
      hn_machine_fail(machine, j->node, hn_machine_text(machine, "joint '%s'", j->name),
                      "Keep one parent joint per link; close loops with an overlay (@with).",
                      "has the child link '%s', which is already the child of joint '%s' (line %d)",
                      j->child->name, j->child->joint->name,
                      j->child->joint->node ? j->child->joint->node->line : 0);
    } else if (j->child->is_ground) {
      hn_machine_fail(machine, j->node, hn_machine_text(machine, "joint '%s'", j->name),
                      "Swap parent and child.", "has the world as its child");
    } else {
      j->child->joint = j;
    }
  }
}

// The circle that a link is in, as text: "j1, j2, j3 of links a, b, c".
static void fail_circle(hn_machine *machine, hn_link *start) {
  char joints[300] = "", links[300] = "";
  hn_link *link = start;
  do {
    const char *gap = joints[0] ? ", " : "";
    if (strlen(joints) + strlen(link->joint->name) < 290) {
      strcat(joints, gap);
      strcat(joints, link->joint->name);
    }
    if (strlen(links) + strlen(link->name) < 290) {
      strcat(links, gap);
      strcat(links, link->name);
    }
    link = link->joint->parent;
  } while (link != start);
  hn_machine_fail(machine, start->joint->node,
                  hn_machine_text(machine, "joint '%s'", start->joint->name),
                  "Remove a joint so that they form a tree; close loops with an overlay (@with).",
                  "is part of a loop: joints %s of links %s have no root link", joints, links);
}

// Each link leads to ground or to a root; `mark` is the round in which it was seen.
void hn_machine_check_tree(hn_machine *machine) {
  int round = 0;
  for (hn_link *link = machine->links; link; link = link->next) link->mark = 0;
  for (hn_link *start = machine->links; start && hn_machine_ok(machine); start = start->next) {
    round++;
    for (hn_link *link = start; link && !link->is_ground && !link->mark;
         link = link->joint ? link->joint->parent : NULL) {
      link->mark = round;
      const hn_link *up = link->joint ? link->joint->parent : NULL;
      if (up && up->mark == round) {
        fail_circle(machine, link->joint->parent);
        break;
      }
    }
  }
}

// ---- joints that nothing determines --------------------------------------------------------------

static double armature_of(const hn_link_joint *j) {
  return j->freedom[0].armature + j->freedom[1].armature + j->freedom[2].armature;
}

// Marks links that have mass beyond them, or with them.
static void find_heavy(hn_machine *machine) {
  for (hn_link *link = machine->links; link; link = link->next) link->mark = 0;
  for (hn_link *start = machine->links; start; start = start->next) {
    if (is_massless(start)) continue;
    for (hn_link *link = start; link && !link->is_ground && !link->mark;
         link = link->joint ? link->joint->parent : NULL)
      link->mark = 1;
  }
  for (hn_link_joint *j = machine->joints; j; j = j->next) {
    if (!j->is_loop) continue;
    for (hn_link *link = j->child; link; link = link->joint ? link->joint->parent : NULL)
      link->mark = 1;
    for (hn_link *link = j->parent; link; link = link->joint ? link->joint->parent : NULL)
      link->mark = 1;
  }
}

static void lock(hn_machine *machine, hn_link_joint *j) {
  static const char why[] =
      "locked: all links beyond this joint are massless, so its motion is undetermined";
  j->kind = HN_LINK_FIXED;
  j->is_locked = 1;
  if (hn_xml_find(j->node, "type"))
    hn_xml_mark_attribute(j->node, "type", HN_FATE_APPROXIMATED, why);
  else
    hn_xml_mark(j->node, HN_FATE_APPROXIMATED, why);
  (void)machine;
}

static void lock_joints(hn_machine *machine) {
  find_heavy(machine);
  for (hn_link_joint *j = machine->joints; j && hn_machine_ok(machine); j = j->next) {
    if (j->is_loop || j->kind == HN_LINK_FIXED || j->child->mark || armature_of(j) > 0) continue;
    if (strcmp(machine->format, "mjcf") != 0) {
      lock(machine, j);
      continue;
    }
    hn_machine_fail(machine, j->child->node, hn_machine_text(machine, "body '%s'", j->child->name),
                    "Give it an <inertial>, or a <geom> with a density.",
                    "moves (joint '%s') but is massless: no <inertial> and no <geom> with mass",
                    j->name);
  }
}

// ---- parts of others ----------------------------------------------------------------------------

static hn_link *resolve(hn_link *link) {
  while (link->merged) link = link->merged;
  return link;
}

static void move_solids(hn_link *from, hn_link *to, const hn_pose *relative) {
  for (hn_solid *solid = from->solids; solid; solid = solid->next)
    solid->pose = hn_pose_multiply(relative, &solid->pose);
  if (!from->solids) return;
  if (to->last_solid)
    to->last_solid->next = from->solids;
  else
    to->solids = from->solids;
  to->last_solid = from->last_solid;
  from->solids = from->last_solid = NULL;
}

static void merge(hn_machine *machine, hn_link *link, hn_link *to) {
  hn_pose back = hn_pose_inverse(&to->pose), relative = hn_pose_multiply(&back, &link->pose);
  hn_mass sum = {to->mass, to->center, {0}}, own = {link->mass, vec3_zero(), {0}};
  link->merged = to;
  move_solids(link, to, &relative);
  for (hn_link_marker *m = link->markers, *next; m; m = next) {
    next = m->next;
    m->pose = hn_pose_multiply(&relative, &m->pose);
    m->next = to->markers;
    to->markers = m;
  }
  link->markers = NULL;
  if (!link->is_helper) hn_link_add_marker(machine, to, link->name, relative, link->node);
  if (to->is_ground) return;
  memcpy(sum.inertia, to->inertia, sizeof sum.inertia);
  own.center = hn_pose_point(&relative, link->center);
  hn_inertia_turn(link->inertia, relative.r, own.inertia);
  if (is_massless(link)) return;
  hn_mass_add(&sum, &own);
  to->mass = sum.mass;
  to->center = sum.center;
  memcpy(to->inertia, sum.inertia, sizeof sum.inertia);
}

// A frame on a link, as seen from the one it is part of now.
static void move_frame(hn_pose *frame, hn_link *link) {
  hn_link *to = resolve(link);
  if (to == link) return;
  hn_pose drawn = hn_pose_multiply(&link->pose, frame), back = hn_pose_inverse(&to->pose);
  *frame = hn_pose_multiply(&back, &drawn);
}

static void settle_link(hn_machine *machine, hn_link *link) {
  const hn_link_joint *j = link->joint;
  link->mark = 0;
  if (j && j->kind == HN_LINK_FIXED && !j->has_relative &&
      (is_massless(link) || (machine->options->merge_fixed && !(link->lift > 0))))
    merge(machine, link, resolve(j->parent));
}

// Parents first, though links may be in any order in a file.
static void merge_links(hn_machine *machine) {
  int count = 0;
  for (hn_link *link = machine->links; link; link = link->next) link->mark = ++count;
  hn_link **way = HN_MACHINE_TAKE(machine, hn_link *, count);
  for (hn_link *start = machine->links; start && hn_machine_ok(machine); start = start->next) {
    int length = 0;
    for (hn_link *at = start; at && !at->is_ground && at->mark;
         at = at->joint ? at->joint->parent : NULL)
      way[length++] = at;
    while (length > 0) settle_link(machine, way[--length]);
  }
  for (hn_link_joint *j = machine->joints; j; j = j->next) {
    if (j->frames) move_frame(&j->frames[0], j->parent);
    if (j->frames) move_frame(&j->frames[1], j->child);
    j->parent = resolve(j->parent);
    if (j->is_loop) j->child = resolve(j->child);
  }
  for (hn_tendon *t = machine->tendons; t; t = t->next)
    for (int k = 0; k < t->part_count; k++) {
      hn_tendon_part *part = &t->parts[k];
      if (part->link) part->link = resolve(part->link);
      if (part->side_link) part->side_link = resolve(part->side_link);
    }
  for (hn_motor *m = machine->motors; m; m = m->next) {
    if (!m->link || !m->link->merged) continue;
    move_frame(&m->pose, m->link);
    m->link = resolve(m->link);
  }
}

// Terms of joints that do not move are constants.
static void drop_couplings(hn_machine *machine) {
  hn_coupling **at = &machine->couplings;
  while (*at) {
    hn_coupling *k = *at;
    int count = 0;
    for (int t = 0; t < k->term_count; t++)
      if (k->terms[t].joint->kind != HN_LINK_FIXED) k->terms[count++] = k->terms[t];
    k->term_count = count;
    if (count > 0) {
      at = &k->next;
      continue;
    }
    *at = k->next;
  }
}

// The coupling by which a coordinate follows another, or null.
static const hn_coupling *leader_of(const hn_machine *m, const hn_machine_term *term) {
  for (const hn_coupling *k = m->couplings; k; k = k->next)
    if (k->term_count == 2 && k->terms[0].joint == term->joint &&
        k->terms[0].freedom == term->freedom)
      return k;
  return NULL;
}

// Coordinates that others follow at an offset start in the reference configuration, and the
// followers move.
static void hold_leaders(hn_machine *m) {
  for (const hn_coupling *k = m->couplings; k; k = k->next) {
    if (k->term_count != 2 || k->constant == 0) continue;
    const hn_machine_term *lead = &k->terms[1];
    const hn_coupling *next = leader_of(m, lead);
    for (int depth = 0; next && depth < m->joint_count; depth++) {
      lead = &next->terms[1];
      next = leader_of(m, lead);
    }
    hn_freedom *f = &lead->joint->freedom[lead->freedom];
    if (next || f->has_initial || lead->joint->is_locked) continue;
    f->has_initial = 1;
    f->initial = f->reference;
  }
}

void hn_machine_settle(hn_machine *machine) {
  if (hn_machine_ok(machine)) hang_on_joints(machine);
  if (hn_machine_ok(machine)) hn_machine_check_tree(machine);
  for (const hn_link *link = machine->links; link; link = link->next) machine->mass += link->mass;
  if (hn_machine_ok(machine)) lock_joints(machine);
  if (hn_machine_ok(machine)) merge_links(machine);
  if (hn_machine_ok(machine)) drop_couplings(machine);
  if (hn_machine_ok(machine) && strcmp(machine->format, "mjcf") != 0) hold_leaders(machine);
}
