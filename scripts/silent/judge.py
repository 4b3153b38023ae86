"""Runs of a case and their verdicts.

right: graded sound, and every output is within its error bar or within what the tolerance promises.
wrong: graded sound and neither; or an error bar above the promise; or a number that is none; or no reason given.
graded: not sound, with a reason. refused: ended with an error. slow: more CPU time than the limit.
"""
import csv
import json
import math
import os
import resource
import subprocess

import numpy as np

from .reference import LOOSE, TIGHT

CPU_LIMIT = 30  # s
VAGUE = 2  # error bars of a sound run are below so many promises
ROUNDING = 1e-11  # of 1 + the largest value: below it the reference itself is not known


def promise(tol, fixed_step):
    return 0.01 if fixed_step else min(75 * tol, 0.01)


def call(command, seconds=CPU_LIMIT):
    """(exit code, output, errors) of a command with bounds on CPU time and memory."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits)
    return done.returncode, done.stdout.decode("utf8", "replace"), done.stderr.decode("utf8", "replace")


class Run:
    """One run of the command: table (a row a time), certificate, or why there is none."""

    def __init__(self, holon, model, case, tol, folder, extra=()):
        command = [holon, "run", model, "-o", folder, "--format", "csv", "--no-scene", "--no-checkpoint", "--quiet"]
        if tol and not case.fixed_step:
            command += ["--tol", "%g" % tol]
        for signal in case.signals:
            command += ["--signals", signal]
        here = os.path.dirname(model)
        for option in case.options:
            command.append(os.path.join(here, option[1:]) if option.startswith("@") else option)
        code, _, err = call(command + list(extra))
        self.failure = ""
        if code < 0:
            self.failure = "slow"
            return
        if code:
            self.failure = (err.strip() or "exit code %d" % code).split("\n")[0][:160]
            return
        with open(os.path.join(folder, "certificate.json"), encoding="utf8") as file:
            self.certificate = json.load(file)
        with open(os.path.join(folder, "results.csv"), encoding="utf8") as file:
            rows = list(csv.reader(file))
        names = rows[0]
        body = [r for r in rows[1:] if r and (r[0][:1].isdigit() or r[0][:1] == "-")]
        number = lambda text: float(text) if text else math.nan
        self.times = [number(r[0]) for r in body]
        columns = [names.index(n) for n in case.names]
        self.table = np.array([[number(r[c]) for c in columns] for r in body])
        self.grade = self.certificate["verdict"]["grade"]
        self.reasons = self.certificate["verdict"]["reasons"]

    def bars(self, case):
        """Error bars of the compared signals; nan where none is stated."""
        outputs = (self.certificate.get("accuracy") or {}).get("outputs") or {}
        stated = [(outputs.get(name) or {}).get("absolute") for name in case.names]
        return np.array([math.nan if bar is None else bar for bar in stated])


def align(case, table, exact):
    """Euler parameters and their negative are one orientation."""
    table = table.copy()
    for group in case.quaternions:
        columns = [case.names.index(n) for n in group]
        flip = np.sum(table[:, columns] * exact[:, columns], axis=1) < 0
        table[np.ix_(flip, columns)] *= -1
    return table


def compare(case, run, exact, doubt):
    """Largest errors, sizes (1 + largest value) and error bars, a number an output.

    doubt: how far the reference itself is off, row by row; rows in which it is not known are left out.
    """
    size = 1 + np.max(np.abs(exact), axis=0)
    error = np.abs(align(case, run.table, exact) - exact)
    error = np.maximum(0, error - 2 * doubt)
    error[doubt > 1e-3 * size] = 0
    return np.max(error, axis=0), size, run.bars(case)


def verdict_of(case, run, tol, error, size, bars):
    """(verdict, detail) of one run with its errors."""
    factor = np.array([5.0 if n in case.rates else 1.0 for n in case.names])
    allowed = promise(tol, case.fixed_step) * size * factor
    worst = int(np.nanargmax(np.where(np.isnan(error), math.inf, error) / allowed))
    detail = "%s %s err %.1e bar %.1e of %s" % (case.names[worst], run.grade, error[worst], bars[worst],
                                              "%.1e" % allowed[worst])
    if run.grade != "sound":
        needless = np.all(error <= 20 * tol * size * factor)
        return ("graded" if run.reasons else "wrong"), detail + (" needless" if needless else "") + (
            ": " + "; ".join(run.reasons)[:100] if run.reasons else ": no reason")
    if np.any(np.isnan(error)):
        return "wrong", detail + ": no number"
    beyond = error > np.maximum(np.where(np.isnan(bars), 0, bars), allowed) + ROUNDING * size
    if np.any(beyond):
        worst = int(np.argmax(np.where(beyond, error / allowed, 0)))
        return "wrong", "%s sound err %.1e bar %.1e of %.1e" % (case.names[worst], error[worst], bars[worst],
                                                              allowed[worst])
    vague = bars > VAGUE * allowed
    if np.any(vague):
        worst = int(np.argmax(vague))
        return "wrong", "%s sound with bar %.1e above the promised %.1e" % (case.names[worst], bars[worst], allowed[worst])
    outside = (error > bars + ROUNDING * size) & (error > 10 * tol * size)
    return "right", detail + (" beyond-bar" if np.any(outside) else "")


def judge_locked(case, run):
    text = " ".join(run.reasons + [json.dumps(w) for w in run.certificate["warnings"] + run.certificate["notes"]])
    if run.grade == "sound":
        return "wrong", "locked mechanism graded sound"
    named = "'%s'" % case.locked in text or '"%s"' % case.locked in text or " %s " % case.locked in text
    return ("graded" if named else "wrong"), "%s: %s" % (run.grade, text[:140])


def reference_by_runs(holon, model, case, folder):
    """References by brute force: the tightest runs of several formulations; their difference is the doubt."""
    runs = []
    for n, options in enumerate(case.brute):
        run = Run(holon, model, case, 0, os.path.join(folder, "brute%d" % n), ("--accuracy", "off", *options))
        if not run.failure:
            runs.append(run)
    if len(runs) < 2 or any(len(r.times) != len(runs[0].times) for r in runs):
        return None, None
    exact = runs[0].table
    doubt = np.max([np.abs(align(case, r.table, exact) - exact) for r in runs[1:]], axis=0)
    return exact, np.maximum.accumulate(doubt, axis=0)


def doubt_of(case, times, exact):
    """How far a reference is off, row by row: its largest difference so far from a looser one."""
    loose = align(case, case.reference(times, LOOSE), exact)
    return np.maximum.accumulate(np.abs(loose - exact), axis=0) + 1e-14


def judge(holon, model, case, tols, folder, verify):
    """[(tolerance, verdict, detail)]"""
    results, known = [], None
    for tol in tols[:1] if case.fixed_step else tols:
        run = Run(holon, model, case, tol, os.path.join(folder, "run"))
        if run.failure:
            results.append((tol, "slow" if run.failure == "slow" else "refused", run.failure))
            continue
        if case.locked:
            results.append((tol, *judge_locked(case, run)))
            continue
        if known is None:
            if case.brute:
                known = (run.times, *reference_by_runs(holon, model, case, folder))
                if known[1] is None:
                    return [(tol, "unjudged", "no two reference runs")]
            else:
                exact = case.reference(run.times, TIGHT)
                known = (run.times, exact, doubt_of(case, run.times, exact) if case.converge else np.zeros_like(exact))
        if len(run.times) != len(known[0]):
            results.append((tol, "unjudged" if run.grade != "sound" else "wrong", "rows missing"))
            continue
        verdict, detail = verdict_of(case, run, tol, *compare(case, run, known[1], known[2]))
        if verdict == "wrong" and not case.brute and not known[2].any():
            # Is the reference itself converged? Only where something depends on it.
            known = (*known[:2], doubt_of(case, run.times, known[1]))
            verdict, detail = verdict_of(case, run, tol, *compare(case, run, known[1], known[2]))
        results.append((tol, verdict, detail))
    if verify and known is not None and results:
        results.append(judge_verify(holon, model, case, known, folder))
    return results


def judge_verify(holon, model, case, known, folder):
    """verify must not say that all agree when what it compares is wrong, at the tolerance of its runs."""
    options = [o for o in case.options if o not in ("--step",)]
    if options:
        return "verify", "skipped", "options of runs"
    code, out, err = call([holon, "verify", model, "--json", "--tol", "1e-4", "--budget", "4"])
    try:
        told = json.loads(out)
    except ValueError:
        return "verify", "slow" if code < 0 else "refused", (err.strip() or "exit code %d" % code).split("\n")[0][:120]
    if told["status"] != "agree":
        return "verify", "graded", "%s: %s" % (told["status"], told.get("reason", "")[:100])
    run = Run(holon, model, case, told["run_tol"], os.path.join(folder, "verify"), ("--accuracy", "off"))
    if run.failure:
        return "verify", "refused", run.failure
    error, size, _ = compare(case, run, known[1], known[2])
    worst = int(np.argmax(error / size))
    wrong = not error[worst] <= 10 * 1e-4 * size[worst]
    return "verify", "wrong" if wrong else "right", "agree, %s err %.1e" % (case.names[worst], error[worst])
