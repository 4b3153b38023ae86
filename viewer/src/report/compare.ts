// The page of `holon compare`: what to take, work against precision, the Pareto front, every run, what
// failed and why.

import { h } from "../dom.ts";
import type { Theme } from "../theme.ts";
import { number, object, objects, short, text, type Json } from "./facts.ts";
import { foot, fold, head, plural, quiet, section, table, verdict } from "./parts.ts";
import { xyPlot, type XySeries } from "./xy.ts";

const MOST_LINES = 6;

const nameOf = (run: Json): string =>
  [text(run.coordinates), text(run.method), text(run.formula)].filter(Boolean).join("/") || "auto";
const level = (run: Json): string =>
  run.step !== undefined ? `step ${short(number(run.step))}` : `tol ${short(number(run.tol))}`;
const isDone = (run: Json): boolean => text(run.status) === "ok";
const isImpossible = (run: Json): boolean => text(run.status) === "unsupported";

function realtime(run: Json, time: number): Node[] {
  return [
    h(
      "p", {},
      `In real time, with a fixed step of ${short(number(run.step))} s: error ${short(number(run.error), 2)}, ` +
        `${short(time / number(run.cpu_seconds))} × faster than real time, longest step ` +
        `${short(1e3 * number(run.longest_step_seconds), 2)} ms of CPU time`,
    ),
    h("pre", {}, text(run.command)),
  ];
}

/** A run that serves for several accuracies is listed once, for the best of them. */
function recommendations(facts: Json): HTMLElement {
  const all = objects(facts.recommendations);
  const time = number(facts.time);
  const children: Node[] = [];
  let hasRealtime = false;
  all.forEach((one, k) => {
    const accuracy = short(number(one.accuracy));
    if (one.run === undefined) {
      children.push(h("p", {}, h("b", {}, `Accuracy ${accuracy}: `), `none of the runs reaches it; ${text(one.why_none)}.`));
      return;
    }
    const run = object(one.run);
    const next = all[k + 1];
    const same = (key: string) => text(object(next?.[key]).command) === text(object(one[key]).command);
    if (next && same("run") && same("realtime")) return;
    children.push(
      h(
        "p", {}, h("b", {}, `Accuracy ${accuracy}: `),
        `error ${short(number(run.error), 2)} in ${short(number(run.cpu_seconds))} s of CPU time, ${plural(number(run.steps, 0), "step")}`,
      ),
      h("pre", {}, text(run.command)),
    );
    if (one.realtime !== undefined) {
      children.push(...realtime(object(one.realtime), time));
      hasRealtime = true;
    }
  });
  if (!hasRealtime && facts.realtime_best !== undefined) {
    children.push(
      h("p", {}, h("b", {}, "No fixed step keeps one of these accuracies in real time;"), " the best is"),
      ...realtime(object(facts.realtime_best), time),
    );
  }
  return section("What to take", ...children);
}

/** Lines for the formulations that matter: those on the front, then the fastest. */
export function linesOf(runs: Json[]): XySeries[] {
  const groups = new Map<string, Json[]>();
  for (const run of runs) {
    const name = `${nameOf(run)}${run.step !== undefined ? ", fixed step" : ""}`;
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  const front = (group: Json[]) => group.filter((run) => run.front === true).length;
  const fastest = (group: Json[]) => Math.min(...group.map((run) => number(run.cpu_seconds)));
  const order = [...groups].sort(([, a], [, b]) => front(b) - front(a) || fastest(a) - fastest(b));
  const point = (run: Json): [number, number] => [
    Math.max(number(run.error), 1e-14), Math.max(number(run.cpu_seconds), 1e-6),
  ];
  const title = (run: Json) =>
    `${nameOf(run)}, ${level(run)}: error ${short(number(run.error), 2)}, ${short(number(run.cpu_seconds))} s`;
  const made = (name: string, group: Json[], look: XySeries["look"], color: number): XySeries => {
    const sorted = [...group].sort((a, b) => number(a.error) - number(b.error));
    return { name, points: sorted.map(point), titles: sorted.map(title), look, color };
  };
  const others = order.slice(MOST_LINES).flatMap(([, group]) => group);
  const lines = [
    ...(others.length > 0 ? [made(`others (${order.length - MOST_LINES})`, others, "faint", 0)] : []),
    ...order.slice(0, MOST_LINES).map(([name, group], k) => made(name, group, "line+dots", k)),
  ];
  const best = runs.filter((run) => run.front === true);
  return best.length > 1 ? [...lines, made("Pareto front", best, "dashed", 0)] : lines;
}

function runTable(runs: Json[], marks: boolean): HTMLElement {
  return table(
    ["Coordinates / method / formula", "", "Error", "CPU", "Steps", "Worst in"],
    [...runs]
      .sort((a, b) => number(b.error) - number(a.error))
      .map((run) => ({
        cells: [
          text(run.used) ? `${nameOf(run)} (${text(run.used)})` : nameOf(run), { num: level(run) },
          { num: short(number(run.error), 2) }, { num: `${short(number(run.cpu_seconds), 4)} s` },
          { num: String(number(run.steps, 0)) }, text(run.signal),
        ],
        class: marks && run.front === true ? "best" : "",
      })),
  );
}

function failures(title: string, runs: Json[], noun: string): HTMLElement | null {
  if (runs.length === 0) return null;
  const rows = runs.map((run) => ({ cells: [nameOf(run), { num: level(run) }, text(run.reason)], class: "weak" }));
  return section(title, fold(plural(runs.length, noun), table([], rows)));
}

export function compareReport(page: Json, theme: Theme): (Node | null)[] {
  const facts = object(page.compare);
  const reference = object(facts.reference);
  const runs = objects(facts.runs);
  const done = runs.filter(isDone);
  const possible = runs.filter((run) => !isImpossible(run));
  const isOver = facts.budget_used_up === true;
  const signals = Array.isArray(reference.signals) ? reference.signals.length : 0;
  const subtitle = [
    "compare", `${short(number(facts.time), 6)} s`, plural(number(page.formulations, 0), "formulation"),
    plural(signals, "signal"), `${number(facts.seconds, 0).toFixed(0)} s spent`,
  ];
  const uncertainty = short(number(reference.uncertainty), 2);
  return [
    head(page, theme, "compare", subtitle.join(" · ")),
    verdict(
      done.length === 0 ? "bad" : isOver ? "note" : "good",
      `${done.length} of ${plural(possible.length, "run")} reached the end${isOver ? "; the budget was used up" : ""}.`,
      [
        `Reference: ${text(reference.formulation)} at tolerance ${short(number(reference.tol))}; ` +
          `${text(reference.confirmed_by)} confirms it to ${uncertainty}.`,
        text(reference.verdict) === "agree" ? "" : text(reference.reason),
      ],
    ),
    recommendations(facts),
    done.length > 0
      ? section(
          "Work against precision",
          xyPlot({
            series: linesOf(done), xLabel: "error (largest difference over 1 + largest value)", yLabel: "CPU time (s)",
            isLogX: true, isLogY: true, height: 440, label: "CPU time against error",
          }),
        )
      : null,
    section(
      "Pareto front",
      quiet(`Nothing is both faster and more accurate than these. Errors below ${uncertainty}, the reference's own uncertainty, are not resolved.`),
      runTable(done.filter((run) => run.front === true), false),
    ),
    section("All runs", fold("Every run with a result; those of the front in bold", runTable(done, true))),
    failures("Without a result", possible.filter((run) => !isDone(run)), "run"),
    failures("Do not exist", runs.filter(isImpossible), "combination"),
    ...foot(page),
  ];
}
