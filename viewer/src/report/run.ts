// The report of a run: quality grade, picture, model, outputs, energy, constraints, certificate, events.

import { h } from "../dom.ts";
import type { Theme } from "../theme.ts";
import { list, number, object, objects, series, short, text, texts, type Json, type Series } from "./facts.ts";
import { Figures, type Plotted } from "./figures.ts";
import { histogram } from "./histogram.ts";
import { dot, facts as table2, foot, gradeClass, head, plural, quiet, section, table, verdict } from "./parts.ts";
import { peaks } from "./peaks.ts";
import { topology } from "./topology.ts";
import { xyPlot } from "./xy.ts";

const significant = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

function subtitle(run: Json): string {
  const time = number(run.time, 0);
  if (run.is_kinematics === true) {
    return `${significant(time, 6)} s of motion · kinematics, ${plural(number(run.times, 0), "instant")}`;
  }
  const words = [
    `${significant(time - number(run.start, 0), 6)} s simulated`, text(run.coordinates), text(run.method),
    text(run.formula),
  ];
  const cpu = number(run.cpu_seconds, 0);
  if (cpu > 0) {
    const speed = time / cpu;
    const times = speed < 100 ? significant(speed, 2) : speed.toFixed(0);
    words.push(`${significant(cpu, 3)} s of CPU time, ${times} × real time`);
  }
  return words.filter(Boolean).join(" · ");
}

function banner(run: Json, judged: Json): HTMLElement {
  const grade = text(judged.grade);
  const reasons = texts(judged.reasons);
  if (run.error !== undefined) {
    const error = object(run.error);
    return verdict(
      "bad", `The run ended early, at t = ${significant(number(run.time), 6)} s of ${significant(number(run.end), 6)} s.`,
      [[text(error.element), text(error.message)].filter(Boolean).join(" "), text(error.hint)],
    );
  }
  const headlines: Record<string, string> = {
    sound: "The run is sound.", locked: "The mechanism is locked.", sensitive: "The motion is sensitive.",
    doubtful: "The run is complete, with remarks.", unsound: "The run is complete, but do not trust it yet.",
  };
  const closed =
    run.is_kinematics === true
      ? "It reached its end, and the joints stayed closed."
      : "It reached its end; joints stayed closed and the energy is accounted for.";
  return verdict(
    gradeClass(grade), headlines[grade] ?? "The run has no quality grade.", [grade === "sound" ? closed : "", ...reasons],
  );
}

/** The picture; on request the model in 3-D instead. */
function scene(picture: Json): HTMLElement | null {
  const data = text(picture.data);
  const type = text(picture.type);
  const frame = document.getElementById("holon-frame");
  if (!data || !/^image\/(png|svg\+xml)$/.test(type)) return null;
  const image = h("img", { alt: "The model at the start", src: `data:${type};base64,${data}` });
  const box = h("figure", { class: "scene" }, image);
  if (frame) {
    const button = h("button", { type: "button" }, "Move in 3-D");
    button.addEventListener("click", () => {
      const view = h("iframe", { title: "The model in 3-D" });
      view.srcdoc = JSON.parse(frame.textContent ?? '""') as string;
      image.replaceWith(view);
      button.remove();
    });
    box.append(button);
  }
  box.append(
    h("figcaption", {}, `At t = ${significant(number(picture.time, 0), 6)} s. `, h("span", { class: "hint" }, h("code", {}, "holon view"), " on this folder shows more.")),
  );
  return box;
}

function counted(counts: unknown): [number, Node | string] {
  const entries = Object.entries(object(counts)).map(([type, count]) => [type, number(count, 0)] as const);
  const all = entries.reduce((sum, [, count]) => sum + count, 0);
  const parts = entries.map(([type, count]) => `${count} ${type}`).join(", ");
  return [all, h("span", {}, String(all), parts ? h("span", { class: "quiet" }, ` · ${parts}`) : null)];
}

// Those of position, and of speed where something rolls.
function freedoms(facts: Json): string {
  const position = number(facts.degrees_of_freedom);
  const speed = number(facts.freedoms_of_speed, position);
  return speed === position ? String(position) : `${position} of position, ${speed} of speed`;
}

// A joint, driver or force that came or went.
function switched(event: Json): string | undefined {
  for (const [key, word] of [["joint", "joint"], ["driver", "driver"], ["acting", "force"]] as const) {
    if (event[key] !== undefined) return `${word} ${text(event[key])}`;
  }
  return undefined;
}

function machine(facts: Json): HTMLElement {
  const rows: [string, Node | string][] = [
    ["File", h("code", {}, text(facts.file))], ["Bodies", String(number(facts.bodies, 0))],
    ["Joints", counted(facts.joints)[1]],
  ];
  const drivers = number(facts.drivers, 0);
  if (drivers > 0) rows.push(["Drivers", String(drivers)]);
  const [forces, words] = counted(facts.forces);
  if (forces > 0) rows.push(["Forces", words]);
  const contacts = number(facts.contacts, 0);
  if (contacts > 0) rows.push(["Contacts", String(contacts)]);
  if (facts.degrees_of_freedom !== undefined) {
    rows.push(
      ["Degrees of freedom", freedoms(facts)],
      ["Coordinates", String(number(facts.coordinates))],
      ["Constraints", h("span", {}, String(number(facts.constraints)), h("span", { class: "quiet" }, ` · rank ${number(facts.rank)}`))],
      ["Loops", String(number(facts.loops))],
    );
  }
  return section(
    "Model", h("div", { class: "machine" }, table2(rows), topology(facts.topology, number(facts.bodies, 0))),
  );
}

/** Seen from above, where a vehicle went. Nothing when it went straight on. */
export function planView(path: Json): HTMLElement | null {
  const places = list(path.places).map((place) => list(place).map((value) => number(value)));
  const points = places.map(([, x, y]) => [x!, y!] as [number, number]);
  if (points.length < 2) return null;
  const span = (k: 0 | 1) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k]));
  const [small, large] = [Math.min(span(0), span(1)), Math.max(span(0), span(1))];
  if (!(large > 1) || !(small > Math.max(0.1, 0.002 * large))) return null;
  // A long and slender path would be a line: then the axes have scales of their own.
  const isEqual = small > 0.1 * large;
  // a tick at every so manieth second, pointing where the vehicle points
  const [first, last] = [places[0]![0]!, places[places.length - 1]![0]!];
  const every = [0.5, 1, 2, 5, 10, 20, 60].find((step) => (last - first) / step <= 16) ?? 60;
  const marks: [number, number][] = [];
  const titles: string[] = [];
  for (let t = Math.ceil(first / every) * every; t <= last + 1e-9; t += every) {
    const near = places.reduce((best, place) => (Math.abs(place[0]! - t) < Math.abs(best[0]! - t) ? place : best));
    marks.push([near[1]!, near[2]!]);
    const heading = (near[3]! * 180) / Math.PI;
    titles.push(`t = ${significant(t, 4)} s: x ${short(near[1]!)} m, y ${short(near[2]!)} m, heading ${short(heading)}°`);
  }
  return section(
    "Path",
    xyPlot({
      series: [
        { name: text(path.body), points, look: "line", color: 0 },
        { name: `every ${every} s`, points: marks, look: "dots", color: 1, titles },
      ],
      xLabel: "x (m)", yLabel: "y (m)", isEqual, height: isEqual ? 420 : 300, label: "The path seen from above",
    }),
    isEqual ? null : quiet("Seen from above; the axes have scales of their own."),
  );
}

/** Numbers that the run was made for, and curves of one output over another. */
export function figuresOf(facts: Json): HTMLElement | null {
  const numbers = Object.entries(object(facts.figures));
  const curves = objects(facts.curves).flatMap((entry) =>
    series(entry.curve).map((curve) => ({ curve, over: text(entry.over), unit: text(entry.over_unit) })));
  if (numbers.length === 0 && curves.length === 0) return null;
  const label = (name: string, unit: string) => (unit ? `${name} (${unit})` : name);
  const units = object(facts.figure_units), bars = object(facts.figure_bars), remarks = object(facts.figure_remarks);
  const said = (name: string, value: unknown) => {
    const remark = text(remarks[name] ?? "");
    if (typeof value !== "number") return remark || "not reached";
    const bar = bars[name], note = remark ? ` (${remark})` : "";
    return `${short(value)}${typeof bar === "number" ? ` \u00b1 ${bar.toExponential(0)}` : ""} ${text(units[name] ?? "")}`.trimEnd() + note;
  };
  return section(
    "Metrics",
    numbers.length === 0 ? null
      : table2(numbers.map(([name, value]) => [name, said(name, value)])),
    ...curves.map(({ curve, over, unit }) =>
      xyPlot({
        series: [{
          name: curve.name, look: "line", color: 0,
          points: Array.from(curve.time, (x, k) => [x, curve.values[k]!] as [number, number]),
        }],
        xLabel: label(over, unit), yLabel: label(curve.name, curve.unit), isEqual: false, height: 300,
        label: `${curve.name} over ${over}`,
      })),
  );
}

function peakTable(all: Series[]): HTMLElement | null {
  const rows = all.flatMap((one) => {
    const found = peaks(one);
    if (!found) return [];
    const { largest, smallest } = found;
    return [{
      cells: [
        one.name, short(largest.value, 6), short(largest.time, 6), short(smallest.value, 6), short(smallest.time, 6),
        one.unit === "1" ? "" : one.unit,
      ],
    }];
  });
  return rows.length === 0 ? null : table(["Peaks", "largest", "at (s)", "smallest", "at (s)", "unit"], rows);
}

function outputs(all: Series[], bars: Series[], facts: Json, figures: Figures): HTMLElement | null {
  const own = all.filter((one) => !/^(energy|constraint|step)\./.test(one.name));
  if (own.length === 0) return null;
  const left = number(facts.outputs_left_out, 0);
  const named = facts.has_outputs === true;
  return section(
    named ? "Outputs" : "Motion",
    named ? null : quiet("The model names no outputs; these are some of its coordinates."),
    figures.grid(
      own.map((one) => ({
        title: one.name, series: [one], isWide: own.length === 1, bar: bars.find((bar) => bar.name === one.name) ?? null,
      })),
    ),
    peakTable(own),
    left > 0 ? quiet(`${plural(left, "more signal is", "more signals are")} in the results; holon plot draws them.`) : null,
  );
}

function quality(all: Series[], run: Json, figures: Figures): (HTMLElement | null)[] {
  const find = (name: string) => all.filter((one) => one.name === name);
  const log = (title: string, name: string): Plotted => ({ title, series: find(name), isLog: true });
  const joints = [
    log("Largest gap in a joint", "constraint.position"),
    log("Largest velocity error in a joint", "constraint.velocity"),
  ];
  if (run.is_kinematics === true) return [section("Constraints", figures.grid(joints))];
  const energies = ["kinetic", "potential", "work", "total"].filter((name) => find(`energy.${name}`).length > 0);
  const steps = [...joints, log("Step size", "step.size")];
  if (number(run.newton_iterations, 0) > 0) {
    steps.push({ title: "Newton iterations in a step", series: find("step.iterations") });
  }
  return [
    section(
      "Energy",
      figures.grid([
        { title: "Energy", series: energies.flatMap((name) => find(`energy.${name}`)), names: energies },
        { title: "Balance: kinetic + potential − work − start", series: find("energy.balance") },
      ]),
    ),
    section("Constraints and steps", figures.grid(steps)),
  ];
}

function realtime(facts: Json): HTMLElement {
  return section(
    "Real time",
    table2([
      ["Loop", text(facts.loop)], ["Step time", text(facts.step_time)], ["Overruns", text(facts.overruns)],
      ["Iterations", text(facts.iterations)],
      ["Events", "counted at the ends of steps, not located; force laws are evaluated without frozen branches"],
    ]),
    histogram(facts),
  );
}

function certificate(judged: Json): HTMLElement {
  return section(
    "Certificate",
    table(
      [],
      objects(judged.checks).map((check) => ({
        cells: [dot(gradeClass(text(check.grade))), h("b", {}, text(check.subject)), { num: text(check.value) }, text(check.text)],
      })),
      "checks",
    ),
  );
}

function warnings(value: unknown): HTMLElement {
  const rows = objects(value).map((one) => ({
    cells: [dot(one.is_note === true ? "good" : "note"), h("b", {}, text(one.element)), text(one.message)],
  }));
  return section("Warnings", rows.length > 0 ? table([], rows, "checks") : quiet("None."));
}

function events(facts: Json): HTMLElement {
  const count = number(facts.event_count, 0);
  const shown = objects(facts.events);
  if (shown.length === 0) {
    return section("Events", quiet(count > 0 ? "Not kept." : "No force law changed its branch."));
  }
  return section(
    "Events", quiet(`${count} in all${count > shown.length ? "; the latest" : ""}.`),
    table(
      ["Time", "What", "Branch"],
      shown.map((event) => ({
        cells: [
          { num: `${number(event.time).toFixed(6)} s` },
          event.force !== undefined
            ? `force law of ${text(event.force)}`
            : event.contact !== undefined
              ? `contact ${text(event.contact)}`
              : switched(event) ?? "a breakpoint of a function of time",
          { num: text(event.branch) },
        ],
      })),
    ),
  );
}

export function runReport(facts: Json, theme: Theme, figures: Figures): (Node | null)[] {
  const run = object(facts.run);
  const judged = object(facts.verdict);
  const all = series(facts.signals);
  return [
    head(facts, theme, "run", subtitle(run)),
    banner(run, judged),
    scene(object(facts.picture)),
    machine(object(facts.machine)),
    planView(object(facts.path)),
    figuresOf(facts),
    outputs(all, series(facts.bars), facts, figures),
    ...quality(all, run, figures),
    facts.realtime !== undefined ? realtime(object(facts.realtime)) : null,
    certificate(judged),
    warnings(facts.warnings),
    events(facts),
    ...foot(facts, [`final state ${text(run.state_hash)}`]),
  ];
}
