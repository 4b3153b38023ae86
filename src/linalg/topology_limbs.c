// Cutting the elimination forest. The parent of a node is the first later node it is coupled to; a
// subtree needs nothing from outside until it is eliminated. From above downwards a subtree is parted
// where it branches into pieces that are worth it; small sisters are gathered into one. The nodes on
// the way go to the top, which is eliminated last, by one thread.
#include "linalg/topology_limbs.h"

// Multiply-adds in all and of a subtree, below which waking threads costs more than it gains;
// fraction of a subtree that may go to the top when it is split.
#define LEAST_WORK 2e5
#define LEAST_LIMB 4e4
#define MOST_TOP 0.1

typedef struct forest {
  int n;
  int *parent;        // n above the roots (n)
  int *first, *next;  // children (n + 1)
  double *own, *work; // of a node, of its subtree (n + 1)
  int *limb;          // whose root a node is, or -1 (n + 1)
  int limbs;
  int root[HN_MOST_LIMBS]; // of a subtree that may be split; -1: siblings
} forest;

static int take(hn_arena *scratch, const hn_structure *s, forest *f) {
  *f = (forest){.n = s->n};
  f->parent = HN_TAKE(scratch, int, s->n);
  f->first = HN_TAKE(scratch, int, s->n + 1);
  f->next = HN_TAKE(scratch, int, s->n + 1);
  f->own = HN_TAKE(scratch, double, s->n + 1);
  f->work = HN_TAKE(scratch, double, s->n + 1);
  f->limb = HN_TAKE(scratch, int, s->n + 1);
  return !scratch->failed;
}

static void plant(const hn_structure *s, forest *f) {
  for (int k = 0; k <= s->n; k++) f->first[k] = f->next[k] = f->limb[k] = -1;
  for (int k = 0; k < s->n; k++) {
    double own = s->size[k], all = own;
    for (int i = 0; i < s->neighbors[k]; i++) all += s->size[s->neighbor[k][i]];
    f->own[k] = own * all * (all + 12); // elimination and assembly, about
    f->work[k] += f->own[k];
    int parent = f->parent[k] = s->neighbors[k] > 0 ? s->neighbor[k][0] : s->n;
    f->work[parent] += f->work[k];
    f->next[k] = f->first[parent];
    f->first[parent] = k;
  }
}

// The node at or below v at which its subtree branches, or -1 when the way there is too long.
static int find_fork(const forest *f, int v) {
  double above = 0, limit = MOST_TOP * f->work[v];
  while (v >= 0) {
    int largest = -1;
    for (int c = f->first[v]; c >= 0; c = f->next[c])
      if (largest < 0 || f->work[c] > f->work[largest]) largest = c;
    above += f->own[v];
    if (above > limit) return -1;
    if (largest >= 0 && f->work[v] - f->own[v] - f->work[largest] >= LEAST_LIMB) return v;
    v = largest;
  }
  return -1;
}

// Number of parts that the children of a fork make, small ones gathered up to `least`; with first
// >= 0 the parts are created, the first of them with that index.
static int divide(forest *f, int fork, double least, int first) {
  int count = 0, open = -1;
  double gathered = 0;
  for (int c = f->first[fork]; c >= 0; c = f->next[c]) {
    int is_small = f->work[c] < least, limb = open;
    if (!is_small || open < 0) {
      limb = count == 0 ? first : f->limbs + count - 1;
      count++;
    }
    if (first >= 0) {
      f->limb[c] = limb;
      f->root[limb] = is_small ? -1 : c;
    }
    if (!is_small) continue;
    gathered += f->work[c];
    open = gathered < least ? limb : -1;
    if (open < 0) gathered = 0;
  }
  if (first >= 0) f->limbs += count - 1;
  return count;
}

static int part(forest *f, int limb, double least) {
  int root = f->root[limb], fork = root < 0 ? -1 : find_fork(f, root);
  if (fork < 0 || f->limbs - 1 + divide(f, fork, least, -1) > HN_MOST_LIMBS) return 0;
  f->limb[root] = -1;
  divide(f, fork, least, limb);
  return 1;
}

int hn_find_limbs(hn_arena *scratch, const hn_structure *s, double work, int *limb) {
  forest f;
  if (work < LEAST_WORK) return 0;
  if (!take(scratch, s, &f)) return -1;
  plant(s, &f);
  double least = f.work[s->n] / (HN_MOST_LIMBS / 2);
  if (least < LEAST_LIMB) least = LEAST_LIMB;
  f.root[f.limbs++] = s->n;
  for (int l = 0; l < f.limbs;)
    if (!part(&f, l, least)) l++;
  if (f.limbs < 2) return 0;
  for (int k = s->n - 1; k >= 0; k--) { // parents come later
    limb[k] = f.limb[k];
    if (limb[k] < 0 && f.parent[k] < s->n) limb[k] = limb[f.parent[k]];
  }
  return f.limbs;
}
