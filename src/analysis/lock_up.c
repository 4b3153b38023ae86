// Lock-ups: positions that a model cannot leave. Dependent constraints are left out of a step: they
// follow from those kept. If they follow to first order only (a rod stretched over its joints, a
// loop at its full length), no force of theirs resists the motion, every step violates them by its
// square, and the correction is as long as the step itself:
//
//   q + e v  ->  onto the constraints:  |change| ~ e^2 where the model can move, ~ e at a lock-up
//
// if Newton's method finds a way at all, since the gradients vanish there. v is a velocity that the
// joints allow; this is tested for three v and two small e, from the position of the start: close
// to it the constraints resist with unbounded forces. A model that starts in a singular
// configuration and leaves it appears the same, but soon regains its constraints: a lock-up is
// reported if steps are rejected repeatedly and no constraint has returned. Nothing that steps
// depend on is changed, and no memory is allocated.
#include "analysis/lock_up.h"

#include <math.h>
#include <string.h>

#include "analysis/alignment.h"
#include "analysis/simulation.h"
#include "base/error.h"
#include "math/vec.h"

#define DISTANCE 1e-3 // of the first look, m or rad; the second goes half as far
#define SHORT 0.03    // a way back, in distances
#define RIGID 1e-6    // of speeds of 1: nothing moves without drivers
#define SMALL 1e-2    // of the largest step
#define CREEP 1e-8    // ... in WINDOW steps
// The same near a singular configuration, which smaller and smaller steps do not reach.
#define CREEP_NEAR 1e-6
enum { WINDOW = 100, MANY = 10, CHOICES = 3 };

// Some velocities that the joints allow while the drivers stand still.
static hn_status choose_velocities(hn_simulation *s, int choice) {
  hn_equations *e = s->equations;
  double *v = s->lock.v, *rest = s->looking.qd, *u = s->looking.snapshot->ud;
  unsigned number = 12345u + 777u * (unsigned)choice;
  for (int i = 0; i < e->nu; i++) {
    number = 1103515245u * number + 12345u;
    const double size = 0.5 + (double)(number >> 16 & 0xff) / 256;
    u[i] = number >> 30 & 1 ? -size : size;
  }
  e->type->coordinates->rates(e, s->lock.base, u, v);
  memset(rest, 0, (size_t)e->nq * sizeof(double));
  const hn_branches look = hn_branches_to_look(&s->branches);
  hn_status status = e->type->project_velocities(e, s->progress.start, s->lock.base, v, &look,
                                                 s->looking.correction);
  if (status == HN_OK)
    status = e->type->project_velocities(e, s->progress.start, s->lock.base, rest, &look,
                                         s->looking.correction);
  for (int i = 0; i < e->nq; i++) v[i] -= rest[i];
  const double size = hn_largest(v, e->nq);
  if (!(size > RIGID) || !isfinite(size)) return HN_RETRY;
  for (int i = 0; i < e->nq; i++) v[i] /= size;
  return status;
}

// Velocities are scratch, which is not chosen yet where the distance is 0.
static void move_by(hn_simulation *s, double distance) {
  memcpy(s->looking.q, s->lock.base, (size_t)s->equations->nq * sizeof(double));
  for (int i = 0; distance != 0 && i < s->equations->nq; i++)
    s->looking.q[i] += distance * s->lock.v[i];
}

// 1: there is a short way back from there.
static int comes_back(hn_simulation *s, double distance) {
  hn_equations *e = s->equations;
  const hn_branches look = hn_branches_to_look(&s->branches);
  move_by(s, distance);
  hn_status status = e->type->project_positions(e, s->progress.start, s->looking.q, &look,
                                                s->tolerance.projection, s->looking.correction);
  return status == HN_OK && hn_largest(s->looking.correction, e->nq) <= SHORT * DISTANCE;
}

// Of rows left out, the one that the motion leaves most; of all, where only rows of bodies are.
static int find_row(hn_simulation *s) {
  hn_equations *e = s->equations;
  hn_error unused = {.status = HN_OK};
  const hn_branches look = hn_branches_to_look(&s->branches);
  int row = -1;
  move_by(s, DISTANCE);
  s->looking.count++;
  if (e->type->evaluate(e, s->progress.start, s->looking.q, s->method->qd, &look,
                        s->looking.snapshot, &unused) != HN_OK)
    return -1;
  for (int all = 0; all < 2 && row < 0; all++)
    for (int r = 0; r < e->elements->row_count; r++)
      if ((all || e->redundant[r]) &&
          (row < 0 || fabs(s->looking.snapshot->phi[r]) > fabs(s->looking.snapshot->phi[row])))
        row = r;
  return row;
}

static int is_fold(hn_simulation *s) {
  if (!comes_back(s, 0)) return 0;
  for (int k = 0; k < CHOICES; k++)
    if (choose_velocities(s, k) == HN_OK && !comes_back(s, DISTANCE) &&
        !comes_back(s, 0.5 * DISTANCE))
      return 1;
  return 0;
}

void hn_note_start(hn_simulation *s) {
  memcpy(s->lock.base, s->method->q, (size_t)s->equations->nq * sizeof(double));
  s->progress = (struct hn_progress){.start = s->method->t,
                                     .time = s->method->t,
                                     .redundant = s->equations->redundant_count,
                                     .attempts = s->certificate.steps_accepted +
                                                 s->certificate.steps_rejected,
                                     .refused = s->certificate.steps_rejected};
}

int hn_find_lock_up(hn_simulation *s) {
  hn_equations *e = s->equations;
  const int count = e->redundant_count;
  if (count <= 0 || count > e->elements->row_count || count < s->progress.redundant) return -1;
  return is_fold(s) ? find_row(s) : -1;
}

static hn_status fail_alignment(hn_simulation *s, const hn_joint_alignment *found) {
  char name[96], why[400];
  const hn_joint_def *joint = &s->model->joints[found->joint];
  return hn_fail(&s->error, HN_ERROR_STEP_SIZE, &joint->source,
                 hn_text(name, sizeof name, "joint '%s'", joint->name),
                 "align it, or use a spherical or cylindrical joint in the loop",
                 "locks the mechanism at t = %.9g s: %s", s->method->t,
                 hn_mobility_describe_alignment(s->elements, found, why, sizeof why));
}

hn_status hn_fail_misaligned(hn_simulation *s, const double *q, int row) {
  hn_joint_graph graph;
  hn_arena arena;
  hn_joint_alignment found = {.joint = -1};
  const hn_model *model = s->model;
  if (model->part_count > 0) return HN_OK;
  hn_arena_init(&arena, s->options.allocator);
  double *at_rest = HN_TAKE(&arena, double, s->equations->nq);
  hn_frame *frames = HN_TAKE(&arena, hn_frame, model->body_count);
  hn_status status = arena.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) {
    s->equations->type->coordinates->frames(s->equations, q, at_rest, frames);
    status = hn_joint_graph_create(&arena, s->elements, &graph);
  }
  for (int p = 0; status == HN_OK && p < graph.part_count && found.joint < 0; p++) {
    if (row >= 0 && graph.part_of_row[row] != p) continue;
    status = hn_mobility_find_alignment(&arena, s->elements, &graph, p, s->method->t, frames,
                                        &s->branches, row >= 0, &found);
    if (found.size > HN_ALIGNMENT_SLIP) found.joint = -1;
  }
  hn_arena_release(&arena);
  return found.joint < 0 ? HN_OK : fail_alignment(s, &found);
}

hn_status hn_fail_lock_up(hn_simulation *s, int row) {
  char name[96];
  const hn_source *source = NULL;
  const hn_status status = hn_fail_misaligned(s, s->lock.base, row);
  if (status != HN_OK) return status;
  const char *element = hn_name_row_owner(s, row, name, sizeof name, &source);
  return hn_fail(
      &s->error, HN_ERROR_STEP_SIZE, source, element,
      "shift its points a little, remove it, or replace it by a stiff `spring-damper`",
      "is singular (stretched or folded): it locks the mechanism, or the motion is not unique; "
      "steps fail at t = %.9g s",
      s->method->t);
}

// Tests for a lock-up if many steps are rejected, or all of them are small; steps that hardly move
// the time at all, twice in a row, end the run.
hn_status hn_watch_progress(hn_simulation *s) {
  const hn_certificate *c = &s->certificate;
  struct hn_progress *p = &s->progress;
  const long attempts = c->steps_accepted + c->steps_rejected;
  if (attempts - p->attempts < WINDOW) return HN_OK;
  const long refused = c->steps_rejected - p->refused;
  const int is_slow = refused >= MANY || s->stepping.last < SMALL * c->steps_between.largest;
  const double creep = s->method->now->near_singular ? CREEP_NEAR : CREEP;
  p->creeping = s->method->t - p->time < creep * c->steps_between.largest ? p->creeping + 1 : 0;
  p->time = s->method->t;
  p->attempts = attempts;
  p->refused = c->steps_rejected;
  const int row = is_slow ? hn_find_lock_up(s) : -1;
  if (row >= 0) return hn_fail_lock_up(s, row);
  return p->creeping < 2 ? HN_OK : hn_cannot_go_on(s, s->stepping.last, HN_RETRY_ERROR);
}
