// The page of `holon verify`: result, disagreements, the spread of signals, formulations.

import { h } from "../dom.ts";
import { unitText } from "../scales.ts";
import type { Theme } from "../theme.ts";
import { list, number, object, objects, series, short, text, texts, type Json, type Series } from "./facts.ts";
import type { Figures } from "./figures.ts";
import { dot, foot, head, plural, quiet, section, table, verdict, type Grade, type Row } from "./parts.ts";

const MOST = 40;

const HEADLINES: Record<string, [Grade, string]> = {
  agree: ["good", "Independent formulations agree."],
  "agree-until": ["note", "Independent formulations agree, for a part of the time."],
  disagree: ["bad", "Independent formulations disagree."],
  stopped: ["bad", "The model cannot continue: independent formulations agree until then."],
};

const value = (number: number, unit: string): string => `${short(number)} ${unitText(unit)}`.trim();

function disagreements(facts: Json, units: Map<string, string>): HTMLElement | null {
  const rows: Row[] = objects(facts.pairs)
    .filter((pair) => pair.disagree === true)
    .map((pair) => ({
      cells: [
        dot("bad"), text(pair.first), text(pair.second), text(pair.signal),
        { num: `${value(number(pair.difference), units.get(text(pair.signal)) ?? "")} at ${short(number(pair.time), 4)} s` },
        `beyond since ${short(number(pair.since), 4)} s`,
      ],
    }));
  for (const wrong of objects(object(facts.derivatives).wrong).slice(0, MOST)) {
    rows.push({
      cells: [
        dot("bad"), text(wrong.element) || "equations", `derivative of ${text(wrong.what)} ${text(wrong.coordinates)}`, "",
        { num: `${short(number(wrong.exact), 6)}, by differences ${short(number(wrong.difference), 6)}` },
        `at ${short(number(wrong.time), 4)} s`,
      ],
    });
  }
  if (rows.length === 0) return null;
  const odd = texts(facts.odd);
  return section(
    "Disagreements", table(["", "First", "Second", "Signal", "Difference", ""], rows),
    odd.length > 0
      ? h("p", {}, `The odd ${odd.length > 1 ? "ones" : "one"}: `, h("b", {}, odd.join(", ")), text(facts.odd_have) ? `; only they have ${text(facts.odd_have)}.` : ".")
      : null,
  );
}

function spreads(facts: Json): HTMLElement {
  const all = objects(facts.signals);
  const disagree = text(facts.status) === "disagree";
  return section(
    "Spread of formulations",
    table(
      ["", "Signal", "Largest spread", "Allowed", "At", "Between"],
      all.slice(0, MOST).map((one) => {
        const spread = number(one.spread);
        const beyond = spread > number(one.allowed);
        return {
          cells: [
            dot(!beyond ? "good" : disagree ? "bad" : "note"), text(one.name),
            { num: `± ${value(spread, text(one.unit))}` }, { num: short(number(one.allowed)) },
            { num: `${short(number(one.time), 4)} s` },
            h("span", { class: "pair" }, ...texts(one.pair).map((name) => h("span", {}, name))),
          ],
        };
      }),
    ),
    all.length > MOST ? quiet(`${plural(all.length - MOST, "more signal is", "more signals are")} in verify.json.`) : null,
  );
}

// Exact agreement is drawn at the lower edge.
function overTime(facts: Json, all: Series[], figures: Figures): HTMLElement | null {
  if (all.length === 0) return null;
  const allowed = new Map(objects(facts.signals).map((one) => [text(one.name), one]));
  return section(
    "Spread over time",
    quiet(`The largest difference between any two formulations, against what is allowed.${all.length < allowed.size ? " The signals nearest to it are shown." : ""}`),
    figures.grid(
      all.map((one) => {
        const limit = number(allowed.get(one.name)?.allowed, NaN);
        const most = number(allowed.get(one.name)?.spread, 0);
        const floor = Math.min(1e-6 * limit, Math.max(1e-3 * most, 1e-16));
        const values = one.values.map((v) => (Number.isFinite(v) ? Math.max(v, floor) : v));
        return {
          title: one.name, series: [{ ...one, values }], names: ["spread"], isLog: true,
          ...(Number.isFinite(limit) ? { limit } : {}),
        };
      }),
    ),
  );
}

function formulations(facts: Json): HTMLElement {
  const rows: Row[] = [];
  for (const one of objects(facts.formulations)) {
    rows.push({
      cells: [
        text(one.name), { num: one.step !== undefined ? `step ${short(number(one.step))}` : short(number(one.tol)) },
        { num: String(number(one.steps, 0)) }, { num: String(number(one.events, 0)) },
        { num: `${short(number(one.cpu_seconds))} s` }, { num: `${short(number(one.reached), 4)} s` },
        text(one.reason) ? `not to the end: ${text(one.reason)}` : "",
      ],
      class: text(one.reason) ? "weak" : "",
    });
  }
  const derivatives = object(facts.derivatives);
  const compared = number(derivatives.compared, 0);
  return section(
    "Formulations",
    table(["Coordinates / method / formula", "Tolerance", "Steps", "Events", "CPU", "Reached", ""], rows),
    compared > 0
      ? quiet(`${compared} derivatives were compared with sixth-order differences at states of the motion${list(derivatives.wrong).length > 0 ? "" : ": all right"}.`)
      : null,
  );
}

/** Notes with the same reason are one line. */
function notes(title: string, entries: Json[], key: string): HTMLElement | null {
  if (entries.length === 0) return null;
  const reasons = new Map<string, string[]>();
  for (const entry of entries) {
    const reason = text(entry.reason);
    reasons.set(reason, [...(reasons.get(reason) ?? []), text(entry[key])]);
  }
  return section(
    title,
    table(
      [],
      [...reasons].slice(0, MOST).map(([reason, names]) => ({
        cells: [`${names.slice(0, 6).join(", ")}${names.length > 6 ? ` and ${names.length - 6} more` : ""}`, reason],
      })),
    ),
  );
}

export function verifyReport(page: Json, theme: Theme, figures: Figures): (Node | null)[] {
  const facts = object(page.verify);
  const all = objects(facts.signals);
  const units = new Map(all.map((one) => [text(one.name), text(one.unit)]));
  const ran = objects(facts.formulations).length;
  const [grade, headline] = HEADLINES[text(facts.status)] ?? ["bad", "There is nothing to compare with."];
  const subtitle = [
    "verify", `${short(number(facts.time), 6)} s`, plural(ran, "formulation"), plural(all.length, "signal"),
    `allowed ${short(number(facts.tol))} × (1 + largest value)`,
  ];
  return [
    head(page, theme, "verify", subtitle.join(" · ")),
    verdict(grade, headline, [text(facts.reason)]),
    disagreements(facts, units),
    ran > 1 ? spreads(facts) : null,
    overTime(facts, series(page.spread), figures),
    formulations(facts),
    notes("Not compared", objects(facts.not_compared), "signal"),
    notes("No vote", objects(facts.did_not_run), "formulation"),
    ...foot(page),
  ];
}
