// Independent subtrees for threads: ranges of nodes that need nothing from each other once the
// motion of the nodes between them and ground is known (Negrut 1998, section 3.4.3.4). Nodes are
// numbered depth first, so that a node and all that hangs on it is a range; an independent subtree
// is one or several of these side by side. The remainder is the trunk.
//
// Outwards the trunk goes first, then subtrees in any order; inwards subtrees first. Sums at a node
// of the trunk are made there, in the order of the numbers, whatever the subtrees are: bits are the
// same for any number of threads, and without threads.
#include "equations/relative/tree.h"

// Work of a node that pays for waking a thread, and how much of the tree may be trunk.
enum { LEAST_NODES = 24, LIMBS_PER_THREAD = 4, LEAST_LIMBS = 4, MOST_TRUNK = 4 };

// Nodes at and below each one.
static void find_sizes(const hn_tree *tree, int *size) {
  for (int k = 0; k < tree->count; k++) size[k] = 1;
  for (int k = tree->count - 1; k >= 0; k--)
    if (tree->nodes[k].parent >= 0) size[tree->nodes[k].parent] += size[k];
}

// Ranges side by side of up to `most` nodes, each of whole subtrees; returns how many nodes are trunk.
static int cut(const hn_tree *tree, const int *size, int most, hn_tree_limbs *limbs) {
  int trunk = 0, last_end = -1;
  limbs->count = 0;
  for (int k = 0; k < tree->count;) {
    if (size[k] > most) {
      limbs->trunk[trunk++] = k++;
      continue;
    }
    hn_tree_range *last = limbs->count > 0 ? &limbs->range[limbs->count - 1] : NULL;
    if (last && last_end == k && last->to - last->from + size[k] <= most) {
      last->to = k + size[k];
    } else {
      limbs->range[limbs->count++] = (hn_tree_range){.from = k, .to = k + size[k]};
    }
    k += size[k];
    last_end = k;
  }
  limbs->trunk_count = trunk;
  return trunk;
}

// Trunk nodes, and the roots of subtrees that hang on one: where sums of the trunk are made.
static void list_joins(const hn_tree *tree, const int *size, hn_tree_limbs *limbs) {
  limbs->join_count = 0;
  int trunk = 0;
  for (int k = 0; k < tree->count;) {
    int is_trunk = trunk < limbs->trunk_count && limbs->trunk[trunk] == k;
    if (is_trunk || tree->nodes[k].parent >= 0)
      limbs->join[limbs->join_count++] = (hn_tree_join){.node = k, .is_limb = !is_trunk};
    trunk += is_trunk;
    k += is_trunk ? 1 : size[k];
  }
}

hn_status hn_tree_make_limbs(hn_arena *arena, hn_tree *tree, hn_threads *threads) {
  int workers = hn_threads_count(threads);
  if (workers < 2 || tree->count < LEAST_LIMBS * LEAST_NODES) return HN_OK;
  hn_tree_limbs *limbs = HN_KEEP(arena, hn_tree_limbs, 1);
  int *size = HN_TAKE(arena, int, tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  limbs->threads = threads;
  limbs->range = HN_TAKE(arena, hn_tree_range, tree->count);
  limbs->trunk = HN_TAKE(arena, int, tree->count);
  limbs->join = HN_TAKE(arena, hn_tree_join, tree->count);
  limbs->is_bad = HN_KEEP(arena, unsigned char, tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  find_sizes(tree, size);
  int most = tree->count / (LIMBS_PER_THREAD * workers);
  if (most < LEAST_NODES) most = LEAST_NODES;
  int trunk = cut(tree, size, most, limbs);
  if (MOST_TRUNK * trunk > tree->count || limbs->count < LEAST_LIMBS) return HN_OK;
  list_joins(tree, size, limbs);
  tree->limbs = limbs;
  return HN_OK;
}

// ---- ranges for threads -------------------------------------------------------------------------

typedef struct limb_work {
  const hn_tree *tree;
  hn_tree_task *task;
  void *context;
} limb_work;

static void run_limb(void *context, int index) {
  const limb_work *w = context;
  w->task(w->context, &w->tree->limbs->range[index]);
}

void hn_tree_run_limbs(const hn_tree *tree, hn_tree_task *task, void *context) {
  limb_work w = {tree, task, context};
  hn_threads_run(tree->limbs->threads, run_limb, &w, tree->limbs->count);
}

void hn_tree_run_outwards(const hn_tree *tree, hn_tree_task *task, void *context) {
  const hn_tree_limbs *limbs = tree->limbs;
  for (int i = 0; limbs && i < limbs->trunk_count; i++)
    task(context, &(hn_tree_range){limbs->trunk[i], limbs->trunk[i] + 1});
  if (limbs)
    hn_tree_run_limbs(tree, task, context);
  else
    task(context, &(hn_tree_range){0, tree->count});
}
