// The page of `holon linearize`: poles, modes and what they move, Bode diagrams.

import { h } from "../dom.ts";
import { linearTicks } from "../scales.ts";
import type { Theme } from "../theme.ts";
import { list, number, object, objects, short, text, texts, type Json } from "./facts.ts";
import { foot, head, plural, quiet, section, table, verdict } from "./parts.ts";
import { xyPlot } from "./xy.ts";

/** The largest fraction of an object of fractions: "arm 83 %". */
function largest(shares: unknown, most = 2): string {
  return Object.entries(object(shares))
    .map(([name, share]) => [name, number(share, 0)] as const)
    .filter(([, share]) => share > 0.05)
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`)
    .join(", ");
}

function poles(values: Json[]): HTMLElement {
  const point = (value: Json): [number, number] => [number(value.real, 0), number(value.imag, 0)];
  const title = (value: Json) =>
    `${short(number(value.real), 5)} ${number(value.imag) < 0 ? "−" : "+"} ${short(Math.abs(number(value.imag)), 5)} i: ` +
    `${short(number(value.frequency), 4)} Hz, damping ${short(number(value.damping), 3)}`;
  const unstable = values.filter((value) => number(value.real) > 0);
  const stable = values.filter((value) => !(number(value.real) > 0));
  return xyPlot({
    series: [
      { name: unstable.length > 0 ? "decaying" : "", points: stable.map(point), titles: stable.map(title), look: "crosses", color: 0 },
      ...(unstable.length > 0
        ? [{ name: "growing", points: unstable.map(point), titles: unstable.map(title), look: "crosses" as const, color: 1 }]
        : []),
    ],
    xLabel: "real part (1/s)", yLabel: "imaginary part (rad/s)", label: "Poles in the complex plane",
  });
}

function modes(facts: Json): HTMLElement {
  const values = objects(facts.eigenvalues);
  return table(
    ["Mode", "Frequency", "Damping", "Real part", "Moves (kinetic energy)", "Strains", "Dissipates"],
    objects(facts.modes).map((mode, k) => ({
      cells: [
        { num: String(k + 1) }, { num: `${short(number(mode.frequency), 5)} Hz` },
        { num: short(Math.abs(number(mode.damping)) < 5e-6 ? 0 : number(mode.damping), 4) },
        { num: `${short(number(values[number(mode.eigenvalue, 0)]?.real), 4)} /s` }, largest(mode.kinetic), largest(mode.elastic),
        largest(mode.dissipated),
      ],
    })),
  );
}

function bode(diagram: Json): HTMLElement {
  const [x, gain, phase] = ["frequency", "gain", "phase"].map((key) => list(diagram[key]).map((v) => number(v)));
  const points = (values: number[]) => x!.map((f, k) => [f, values[k]!] as [number, number]);
  const turns = phase!.filter(Number.isFinite);
  const quarter = linearTicks(Math.min(...turns), Math.max(...turns), 4).step;
  return h(
    "div", { class: "bode" }, h("h3", {}, `${text(diagram.output)} by ${text(diagram.input)}`),
    xyPlot({
      series: [{ name: "", points: points(gain!), look: "line", color: 0 }], isLogX: true, isLogY: true, height: 240,
      xLabel: "frequency (Hz)", yLabel: "gain (SI)", label: "Gain over frequency",
    }),
    xyPlot({
      series: [{ name: "", points: points(phase!), look: "line", color: 0 }], isLogX: true, height: quarter > 0 ? 220 : 200,
      xLabel: "frequency (Hz)", yLabel: "phase (degrees)", label: "Phase over frequency",
    }),
  );
}

export function linearizeReport(page: Json, theme: Theme): (Node | null)[] {
  const facts = object(page.linearize);
  const values = objects(facts.eigenvalues);
  const growing = values.filter((value) => number(value.real) > 1e-9 * Math.hypot(number(value.real), number(value.imag)) && number(value.real) > 1e-12);
  const [n, m, p] = ["states", "inputs", "outputs"].map((key) => list(facts[key]).length);
  const kinks = texts(facts.kinks);
  const diagrams = objects(page.bode);
  return [
    head(page, theme, "linearize", `linearize · at t = ${short(number(facts.time))} s · ${plural(n!, "state")} · ${plural(m!, "input")} · ${plural(p!, "output")}`),
    verdict(
      growing.length > 0 ? "note" : "good",
      growing.length > 0 ? `${plural(growing.length, "eigenvalue grows", "eigenvalues grow")}: the state is unstable.` : "No eigenvalue grows.",
      [
        kinks.length > 0 ? `Forces with a discontinuous derivative here; derivatives are those of one side: ${kinks.join(", ")}.` : "",
        ...texts(facts.warnings),
      ],
    ),
    values.length > 0 ? section("Poles", poles(values)) : null,
    section("Modes", modes(facts), quiet("holon linearize MODEL --shapes DIR writes them as animations, holon view DIR --mode K shows one.")),
    diagrams.length > 0 ? section("Bode diagrams", ...diagrams.map(bode)) : null,
    ...foot(page),
  ];
}
