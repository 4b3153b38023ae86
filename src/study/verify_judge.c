// The quality grade of verify, in words, from trials, pairs and findings.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/verify_work.h"

const char *hn_verify_verdict_name(hn_verify_verdict verdict) {
  switch (verdict) {
  case HN_VERIFY_AGREE: return "agree";
  case HN_VERIFY_AGREE_UNTIL: return "agree-until";
  case HN_VERIFY_DISAGREE: return "disagree";
  case HN_VERIFY_STOPPED: return "stopped";
  case HN_VERIFY_UNDECIDED: break;
  }
  return "undecided";
}

// How far a comparison goes is up to those with error control: a fixed step may continue with wrong
// results where these cannot. Except with fewer than two of them.
static int leads(const hn_verify *r, int trial) {
  int controlled = 0;
  for (int k = 0; k < r->trial_count; k++) controlled += !r->trials[k].bar;
  return controlled < 2 || !r->trials[trial].bar;
}

// Until when at least two were there.
static double covered(const hn_verify *r) {
  double longest = 0, second = 0;
  for (int k = 0; k < r->trial_count; k++) {
    int rows = leads(r, k) ? r->trials[k].rows : 0;
    double reached = rows > 0 ? r->grid[rows - 1] : 0;
    if (reached > longest) {
      second = longest;
      longest = reached;
    } else if (reached > second) {
      second = reached;
    }
  }
  return second;
}

// The trials that were there until `until`.
static int count_there(const hn_verify *r, double until) {
  int count = 0;
  for (int k = 0; k < r->trial_count; k++)
    count += r->trials[k].rows > 0 && r->grid[r->trials[k].rows - 1] >= until;
  return count;
}

static double row_before(const hn_verify *r, double since) {
  int row = 0;
  while (row + 1 < r->rows && r->grid[row + 1] < since) row++;
  return r->grid[row];
}

static void say_disagreement(hn_verify *r) {
  const hn_verify_pair *pair = NULL;
  char a[128], b[128], odd[160] = "";
  for (int k = 0; k < r->pair_count; k++)
    if (r->pairs[k].is_real && (!pair || r->pairs[k].since < pair->since)) pair = &r->pairs[k];
  hn_formulation_text(&r->trials[pair->first].formulation, a, sizeof a);
  hn_formulation_text(&r->trials[pair->second].formulation, b, sizeof b);
  if (r->odd_count == 1) {
    const hn_formulation *f = &r->trials[r->odd[0]].formulation;
    char name[128];
    hn_text(odd, sizeof odd, " The outlier is %s: the others agree.",
            hn_formulation_text(f, name, sizeof name));
  } else if (r->odd_count > 1 && r->common[0]) {
    hn_text(odd, sizeof odd, " The outliers have %s in common.", r->common);
  }
  const hn_verify_signal *signal = &r->signals[pair->signal_since];
  hn_text(r->reason, sizeof r->reason,
          "%s and %s differ in %s by more than %.2g %s from t = %.4g s on, by up to %.2g times the "
          "permitted difference; %s.%s",
          a, b, signal->name, signal->allowed, signal->unit, pair->since, pair->ratio,
          pair->shrink < HN_VERIFY_SHRINKS ? "tighter tolerances do not reduce it"
                                           : "tighter tolerances reduce it but do not remove it",
          odd);
  r->until = fmin(r->until, pair->since);
}

static void say_findings(hn_verify *r) {
  const hn_audit_finding *f = &r->findings[0];
  size_t used = strlen(r->reason);
  hn_text(r->reason + used, sizeof r->reason - used,
          "%s%s%s%s: derivative of %s is %.6g, finite differences give %.6g (t = %.4g s).",
          used > 0 ? " " : "", f->element[0] ? f->element : "The equations",
          f->element[0] ? "" : " in coordinates ", f->coordinates, f->what, f->exact, f->difference,
          f->time);
  if (!r->witness.formula || r->witness_order > 3) return;
  char a[128], b[128];
  used = strlen(r->reason);
  hn_text(r->reason + used, sizeof r->reason - used,
          " %s, which needs it exactly, falls to order %.1f against %s.",
          hn_formulation_text(&r->witness, a, sizeof a), r->witness_order,
          hn_formulation_text(&r->witness_against, b, sizeof b));
}

static void say_sensitive(hn_verify_work *w, double since) {
  hn_verify *r = w->report;
  char grows[96] = "";
  r->is_sensitive = 1;
  r->growth = hn_verify_growth(w);
  r->until = fmin(r->until, row_before(r, since));
  r->verdict = HN_VERIFY_AGREE_UNTIL;
  if (r->growth > 0)
    hn_text(grows, sizeof grows, ", by a factor of ten every %.2g s", 2.303 * r->growth);
  hn_text(r->reason, sizeof r->reason,
          "All agree until t = %.4g s of %.4g s. Later, all differences grow%s and shrink with the "
          "tolerance: the motion is sensitive to errors of any size; no formulation is wrong.",
          r->until, r->time, grows);
}

// They separate, and it is unknown whether the model is sensitive or one of them is wrong.
static void say_parting(hn_verify *r, double since, const char *why) {
  r->until = fmin(r->until, row_before(r, since));
  r->verdict = HN_VERIFY_AGREE_UNTIL;
  hn_text(r->reason, sizeof r->reason, "All agree until t = %.4g s of %.4g s; %s.", r->until,
          r->time, why);
}

// The reason that most formulations have which could not run.
static const char *commonest_reason(const hn_verify *r) {
  const char *reason = "";
  for (int k = 0, most = 0; k < r->refused_count; k++) {
    int alike = 0;
    for (int i = 0; i < r->refused_count; i++)
      alike += strcmp(r->refused[i].reason, r->refused[k].reason) == 0;
    if (alike <= most) continue;
    most = alike;
    reason = r->refused[k].reason;
  }
  return reason;
}

static void say_alone(hn_verify *r) {
  const char *reason = commonest_reason(r);
  r->verdict = HN_VERIFY_UNDECIDED;
  hn_text(r->reason, sizeof r->reason,
          "only %d formulation%s could run, so there is nothing to compare%s%s.%s", r->trial_count,
          r->trial_count == 1 ? "" : "s", reason[0] ? "; " : "", reason,
          r->trial_count == 1 ? " Compare a smaller tolerance (docs/howto/verify-and-compare.md)."
                              : "");
}

// When the others agree all of the time, the one that separates from them is wrong, sensitive model
// or not.
static int blame(hn_verify_work *w) {
  hn_verify *r = w->report;
  double reaches;
  int suspect = hn_verify_find_suspect(w, &reaches);
  if (suspect < 0 || !w->is_second || reaches < r->time) return 0;
  for (int k = 0; k < r->pair_count; k++) r->pairs[k].is_real |= r->pairs[k].since < HUGE_VAL;
  return 1;
}

static void judge_parting(hn_verify_work *w, double since) {
  hn_verify *r = w->report;
  char why[400], name[128];
  double reaches;
  int suspect = hn_verify_find_suspect(w, &reaches);
  if (!w->is_second) {
    say_parting(r, since, "later they differ; tighter tolerances were not tried");
  } else if (r->trial_count == 2) {
    say_parting(r, since,
                "later the two differ, less at tighter tolerances; add a third formulation to find "
                "out whether the motion is sensitive or one is wrong");
  } else if (suspect >= 0) {
    hn_text(why, sizeof why,
            "later, %s differs from the others, which agree up to t = %.4g s, as far as the budget "
            "let two of them run",
            hn_formulation_text(&r->trials[suspect].formulation, name, sizeof name), reaches);
    say_parting(r, since, why);
  } else {
    say_sensitive(w, since);
  }
}

static void say_agreement(hn_verify_work *w) {
  hn_verify *r = w->report;
  int there = count_there(r, r->until), late = r->trial_count - there;
  char more[64] = "", fixed[64] = "";
  int with_bar = 0;
  for (int k = 0; k < r->trial_count; k++) with_bar += r->trials[k].bar != NULL;
  if (with_bar > 0)
    hn_text(fixed, sizeof fixed, " (%d with fixed steps, within %s estimated errors)", with_bar,
            with_bar == 1 ? "its" : "their");
  double worst = r->pair_count > 0 ? r->pairs[0].ratio : 0;
  if (late > 0)
    hn_text(more, sizeof more, "; %d more as far as %s ran", late, late == 1 ? "it" : "they");
  hn_text(r->reason, sizeof r->reason,
          "%d independent formulations%s agree until t = %.4g s: the largest difference is %.2g of "
          "the permitted one%s.",
          there, fixed, r->until, worst, more);
}

// ---- a model that cannot continue ---------------------------------------------------------------

// Ended for a reason of its own: neither whole nor cut by a limit.
static int is_stopped(const hn_verify *r, int trial) {
  const hn_trial *t = &r->trials[trial];
  return leads(r, trial) && t->status != HN_OK && t->status != HN_ERROR_LIMIT &&
         t->status != HN_ERROR_INTERRUPTED && t->status != HN_ERROR_MEMORY;
}

static int is_locked(const hn_trial *t) {
  return strncmp(t->error.element, "joint ", 6) == 0 ||
         strncmp(t->error.element, "driver ", 7) == 0;
}

// The one that came furthest of those that stopped, -1: what ended the comparison is not that.
static int find_stopped(const hn_verify *r) {
  int last = -1, beyond = 0;
  for (int k = 0; k < r->trial_count; k++)
    if (is_stopped(r, k) && (last < 0 || r->trials[k].reached > r->trials[last].reached)) last = k;
  for (int k = 0; k < r->trial_count && last >= 0; k++)
    beyond += leads(r, k) && !is_stopped(r, k) && r->trials[k].reached >= r->trials[last].reached;
  // with two beyond the comparison continues; with one it ended here unless a limit ended it before
  return beyond < 2 && last >= 0 && r->until >= 0.999 * r->trials[last].reached - r->grid[1] ? last
                                                                                             : -1;
}

// Up to three names of those that stopped, or did not.
static void list_names(const hn_verify *r, int stopped, char *text, size_t size) {
  char name[128];
  int listed = 0, all = 0;
  text[0] = '\0';
  for (int k = 0; k < r->trial_count; k++) {
    if (is_stopped(r, k) != stopped) continue;
    if (all++ > 2) continue;
    size_t used = strlen(text);
    hn_text(text + used, size - used, "%s%s", listed++ ? ", " : "",
            hn_formulation_text(&r->trials[k].formulation, name, sizeof name));
  }
  size_t used = strlen(text);
  if (all > 3) hn_text(text + used, size - used, " and %d more", all - 3);
}

static void say_stopped(hn_verify *r, int last) {
  char names[400], rest[200] = "";
  int stopped = 0, locked = 0, beyond = -1, why = last;
  double first = HUGE_VAL;
  for (int k = 0; k < r->trial_count; k++) {
    const hn_trial *t = &r->trials[k];
    if (leads(r, k) && !is_stopped(r, k) && t->reached >= r->trials[last].reached) beyond = k;
    if (!is_stopped(r, k)) continue;
    stopped++;
    locked += is_locked(t);
    first = fmin(first, t->reached);
    if (is_locked(t) && !is_locked(&r->trials[why])) why = k;
  }
  const hn_error *e = &r->trials[why].error;
  list_names(r, 1, names, sizeof names);
  if (beyond >= 0) {
    char name[128];
    hn_text(rest, sizeof rest, " Only %s continues, so its results are not checked.",
            hn_formulation_text(&r->trials[beyond].formulation, name, sizeof name));
  }
  int is_one_time = r->trials[last].reached - first <= r->grid[1];
  r->verdict = HN_VERIFY_STOPPED;
  hn_text(r->reason, sizeof r->reason,
          "%s at t = %.4g s of %.4g s: %s%s%.*s. %d formulation%s stop%s %s (%s); all agree until "
          "then.%s",
          2 * locked > stopped ? "Locked" : "Stopped", r->trials[last].reached, r->time, e->element,
          e->element[0] ? " " : "", (int)strcspn(e->message, "\n"), e->message, stopped,
          stopped == 1 ? "" : "s", stopped == 1 ? "s" : "",
          is_one_time ? "there" : "there or before", names, rest);
}

// Runs that miss the same feature agree: that proves nothing. Two that miss none prove it.
static int count_complete(const hn_verify *r) {
  int complete = 0;
  for (int k = 0; k < r->trial_count; k++)
    complete += !r->trials[k].unresolved[0] && r->trials[k].rows >= r->rows;
  return complete;
}

// A run that reports that its steps miss something says nothing against two that miss nothing.
static void leave_unresolved(hn_verify *r) {
  if (count_complete(r) < 2) return;
  for (int k = 0; k < r->pair_count; k++) {
    hn_verify_pair *p = &r->pairs[k];
    if (!r->trials[p->first].unresolved[0] && !r->trials[p->second].unresolved[0]) continue;
    p->is_real = 0;
    p->since = p->open = HUGE_VAL;
  }
}

static void judge_unresolved(hn_verify *r) {
  if (count_complete(r) >= 2) return;
  for (int k = 0; k < r->trial_count && r->verdict == HN_VERIFY_AGREE; k++) {
    if (!r->trials[k].unresolved[0]) continue;
    r->verdict = HN_VERIFY_UNDECIDED;
    hn_text(r->reason, sizeof r->reason,
            "All agree, but may miss the same features of %s between their steps. Use error "
            "control or a smaller step.",
            r->trials[k].unresolved);
  }
}

// Formulations whose steps filter the same oscillation agree on its mean.
static void judge_filtered(hn_verify *r) {
  const hn_trial *one = NULL;
  if (r->verdict != HN_VERIFY_AGREE) return;
  for (int k = 0; k < r->trial_count; k++) {
    const hn_trial *t = &r->trials[k];
    if (t->rows < r->rows) continue;
    if (!(t->filtered_size > r->tol)) return; // it resolves them
    if (!one || t->filtered_size < one->filtered_size) one = t;
  }
  if (!one) return;
  r->verdict = HN_VERIFY_UNDECIDED;
  hn_text(r->reason, sizeof r->reason,
          "All agree, but their steps filter an oscillation of %s, %.2g times the permitted "
          "difference. A maximum step below its period resolves it.",
          one->filtered, one->filtered_size / r->tol);
}

// A signal whose value changes from run to run of each formulation by more than is permitted: they
// agree within that, which proves nothing about its last digits.
static void judge_noisy(const hn_verify_work *w) {
  hn_verify *r = w->report;
  const hn_verify_signal *worst = NULL;
  double most = 1;
  int controlled = 0; // the spread of fixed steps includes their estimated errors
  for (int k = 0; k < r->trial_count; k++) controlled += !r->trials[k].bar;
  for (int k = 0; k < r->signal_count && controlled >= 2; k++) {
    double ratio = r->signals[k].spread / w->allowed[k];
    if (!(ratio > most)) continue;
    most = ratio;
    worst = &r->signals[k];
  }
  if (!worst || r->verdict != HN_VERIFY_AGREE) return;
  r->verdict = HN_VERIFY_UNDECIDED;
  hn_text(
      r->reason, sizeof r->reason,
      "All agree within their own errors, but %s is known to %.2g %s only, %.2g times what the "
      "tolerance permits: each run changes it, as forces of very stiff elements do. Use a larger "
      "tolerance, or compare other signals.",
      worst->name, worst->spread, worst->unit, most);
}

// ---- all of it ----------------------------------------------------------------------------------

void hn_verify_judge(hn_verify_work *w) {
  hn_verify *r = w->report;
  int real = 0;
  double since = HUGE_VAL, open = HUGE_VAL;
  leave_unresolved(r);
  for (int k = 0; k < r->pair_count; k++) {
    real += r->pairs[k].is_real;
    since = fmin(since, r->pairs[k].since);
    open = fmin(open, r->pairs[k].open);
  }
  r->until = covered(r);
  r->verdict = HN_VERIFY_AGREE;
  if (real == 0) real = blame(w);
  if (r->trial_count < 2) {
    say_alone(r);
  } else if (real > 0) {
    r->verdict = HN_VERIFY_DISAGREE;
    hn_verify_find_odd(w);
    say_disagreement(r);
  } else if (open < since) {
    say_parting(r, open,
                "later the runs differ, and the budget ended before tighter ones could show why");
  } else if (since < HUGE_VAL) {
    judge_parting(w, since);
  } else if (r->until < r->time && find_stopped(r) >= 0) {
    say_stopped(r, find_stopped(r));
  } else if (r->until < r->time) {
    r->verdict = HN_VERIFY_AGREE_UNTIL;
    hn_text(r->reason, sizeof r->reason,
            "All agree as far as they ran, two of them until t = %.4g s of %.4g s; %s.", r->until,
            r->time,
            w->interrupted ? "stopped on request" : "only one ran further within the budget");
  } else {
    say_agreement(w);
    judge_unresolved(r);
    judge_filtered(r);
    judge_noisy(w);
  }
  if (r->finding_count > 0) {
    r->verdict = HN_VERIFY_DISAGREE;
    if (real == 0) r->reason[0] = '\0';
    say_findings(r);
  }
}
