// Pairs of bodies that do not collide because joints connect them: those of one joint, those that
// fixed joints make one part, and those with only massless bodies without shape between them, which
// are several joints in series. Ground makes no parts: bodies attached to a frame that is fixed to
// it collide with the floor.
#include <stdlib.h>

#include "holon/component.h"
#include "model/contact.h"
#include "model/storage.h"

typedef struct link {
  int a, b, is_fixed;
} link;

typedef struct hold {
  int between, part; // index of connected massless bodies; a part that they are joined to
} hold;

static int compare_pairs(const void *a, const void *b) {
  const int *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return x[1] < y[1] ? -1 : x[1] > y[1];
}

static int compare_holds(const void *a, const void *b) {
  const hold *x = a, *y = b;
  if (x->between != y->between) return x->between < y->between ? -1 : 1;
  return x->part < y->part ? -1 : x->part > y->part;
}

static void sort_two(int a, int b, int out[2]) {
  out[0] = a < b ? a : b;
  out[1] = a < b ? b : a;
}

// The first body of those that belong together.
static int first_of(int *set, int body) {
  while (set[body] != body) body = set[body] = set[set[body]];
  return body;
}

static void unite(int *set, int a, int b) {
  int two[2];
  sort_two(first_of(set, a), first_of(set, b), two);
  set[two[1]] = two[0];
}

static void mark_empty(const hn_model *model, unsigned char *empty) {
  for (int b = 1; b < model->body_count; b++) empty[b] = model->bodies[b].mass == 0;
  for (int k = 0; k < model->shape_count; k++) empty[model->shapes[k].frame.body] = 0;
}

// Of joints, and of those inside sealed components: number of links, or with `links` all of them.
static int list_links(const hn_model *model, link *links) {
  int count = 0;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *def = &model->joints[j];
    if (!hn_joint_holds(def->type)) continue;
    if (links)
      links[count] = (link){def->frame1.body, def->frame2.body, def->type == HN_JOINT_FIXED};
    count++;
  }
  for (int p = 0; p < model->part_count; p++) {
    const hn_sealed_part *part = &model->parts[p];
    for (int k = 0; k < part->facts->link_count; k++, count++) {
      const hn_component_link *inside = &part->facts->links[k];
      if (links)
        links[count] = (link){hn_sealed_part_body(part, inside->body[0]),
                              hn_sealed_part_body(part, inside->body[1]), inside->is_fixed};
    }
  }
  return count;
}

static void make_parts(const hn_model *model, const link *links, int count,
                       const unsigned char *empty, int *part) {
  for (int b = 0; b < model->body_count; b++) part[b] = b;
  for (int k = 0; k < count; k++) {
    const int a = links[k].a, b = links[k].b, both = empty[a] && empty[b];
    if (a > 0 && b > 0 && (both || (links[k].is_fixed && !empty[a] && !empty[b])))
      unite(part, a, b);
  }
  for (int b = 0; b < model->body_count; b++) part[b] = first_of(part, b);
}

// Parts on both sides of the same massless bodies: number of pairs, or with `pairs` all of them.
static int pairs_of_holds(const hold *holds, int count, int *pairs) {
  int found = 0;
  for (int i = 0; i < count; i++)
    for (int k = i + 1; k < count && holds[k].between == holds[i].between; k++, found++)
      if (pairs) sort_two(holds[i].part, holds[k].part, &pairs[2 * found]);
  return found;
}

static int list_holds(const link *links, int link_count, const unsigned char *empty,
                      const int *part, hold *holds) {
  int count = 0;
  for (int k = 0; k < link_count; k++) {
    const int a = links[k].a, b = links[k].b;
    if (empty[a] == empty[b]) continue;
    holds[count++] = empty[a] ? (hold){part[a], part[b]} : (hold){part[b], part[a]};
  }
  qsort(holds, (size_t)count, sizeof *holds, compare_holds);
  return count;
}

hn_status hn_model_list_joined(hn_model *model) {
  const int link_count = list_links(model, NULL);
  const size_t bodies = (size_t)model->body_count, joints = (size_t)link_count + 1;
  unsigned char *empty = HN_TAKE(&model->arena, unsigned char, bodies);
  int *part = HN_TAKE(&model->arena, int, bodies);
  hold *holds = HN_TAKE(&model->arena, hold, joints);
  link *links = HN_TAKE(&model->arena, link, joints);
  if (!empty || !part || !holds || !links)
    return hn_model_out_of_memory(model, HN_NAME_CONTACT, "joined bodies");
  mark_empty(model, empty);
  list_links(model, links);
  make_parts(model, links, link_count, empty, part);
  const int hold_count = list_holds(links, link_count, empty, part, holds);
  int count = pairs_of_holds(holds, hold_count, NULL);
  int *pairs = HN_TAKE(&model->arena, int, 2 * (joints + (size_t)count));
  if (!pairs) return hn_model_out_of_memory(model, HN_NAME_CONTACT, "joined bodies");
  pairs_of_holds(holds, hold_count, pairs);
  for (int k = 0; k < link_count; k++)
    sort_two(part[links[k].a], part[links[k].b], &pairs[2 * count++]);
  qsort(pairs, (size_t)count, 2 * sizeof(int), compare_pairs);
  model->touching.part = part;
  model->touching.joined = pairs;
  model->touching.joined_count = count;
  return HN_OK;
}

int hn_model_bodies_joined(const hn_model *model, int body1, int body2) {
  int key[2];
  sort_two(model->touching.part[body1], model->touching.part[body2], key);
  if (key[0] == key[1]) return 1;
  return bsearch(key, model->touching.joined, (size_t)model->touching.joined_count, 2 * sizeof(int),
                 compare_pairs) != NULL;
}
