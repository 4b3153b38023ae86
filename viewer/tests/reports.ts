// Facts as the command puts them into its pages, made by formulas. For the tests only.

import { readFileSync } from "node:fs";

type Facts = Record<string, any>;

const series = (name: string, unit: string, value: (t: number) => number, count = 401) => {
  const time = Array.from({ length: count }, (_, k) => (4 * k) / (count - 1));
  return { name, unit, time, values: time.map(value) };
};

/** A run with everything a report can show. */
export function runFacts(): Facts {
  return {
    format: 1, kind: "report", holon: "0.2.0", model: "car", title: "A car <b>& its spring</b>", written: "2026-01-01 00:00 UTC",
    call: "holon run car.yaml --time 4", model_hash: "0123456789abcdef",
    run: {
      is_kinematics: false, times: 0, start: 0, time: 4, end: 4, coordinates: "relative", method: "first-order",
      formula: "dopri5", cpu_seconds: 0.02, newton_iterations: 12, state_hash: "fedcba9876543210",
    },
    verdict: {
      grade: "doubtful", reasons: ["The energy balance is off by 3 J."],
      checks: [
        { grade: "sound", subject: "End", value: "4 s", text: "The run reached its end." },
        { grade: "doubtful", subject: "Energy balance", value: "3 J", text: "Kinetic and potential energy do not account for all work." },
      ],
    },
    picture: { time: 0, type: "image/png", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" },
    machine: {
      file: "car.yaml", bodies: 3, joints: { revolute: 3, distance: 1 }, forces: { "spring-damper": 2 }, drivers: 1, contacts: 0,
      degrees_of_freedom: 6, coordinates: 9, constraints: 4, rank: 3, loops: 1,
      topology: {
        bodies: ["ground", "chassis", "arm", "wheel"],
        joints: [
          { name: "pivot", type: "revolute", bodies: [0, 1] }, { name: "hub", type: "revolute", bodies: [1, 2] },
          { name: "rim", type: "revolute", bodies: [2, 3] }, { name: "rod", type: "distance", bodies: [3, 1], redundant: true },
        ],
        forces: [{ name: "spring", type: "spring-damper", bodies: [1, 3] }],
      },
    },
    path: {
      body: "chassis",
      places: Array.from({ length: 101 }, (_, k) => [0.04 * k, 0.4 * k, 3 * Math.sin(0.05 * k), 0.1]),
    },
    has_outputs: true,
    signals: [
      series("x", "m", (t) => 10 * t), series("z", "m", (t) => 0.7 + 0.01 * Math.sin(5 * t)),
      series("energy.kinetic", "J", (t) => 100 * t), series("energy.potential", "J", (t) => Math.sin(t)),
      series("energy.total", "J", (t) => 100 * t + Math.sin(t)), series("energy.balance", "J", (t) => 1e-9 * t),
      series("constraint.position", "", (t) => 1e-12 * (1 + t)), series("constraint.velocity", "", (t) => 1e-11 * (1 + t)),
      series("step.size", "s", (t) => 0.01 * (1 + t)), series("step.iterations", "", () => 3),
    ],
    bars: [series("x", "", (t) => 0.5 * t, 20)],
    realtime: {
      loop: "1000 Hz, as fast as it goes", step_time: "mean 20 us", overruns: "0 of 4000 steps", iterations: "every stage converged",
      p9999: 4e-5, deadline: 1e-3, histogram: [[1e-5, 2e-5, 3000], [2e-5, 4e-5, 990], [4e-5, 8e-5, 1]],
    },
    warnings: [{ is_note: false, element: "arm", message: "has no shape" }],
    event_count: 2,
    events: [{ time: 1, force: "stop", branch: "0 → 1" }, { time: 2, contact: "wheel", branch: "impact" }],
  };
}

export function verifyFacts(): Facts {
  return {
    format: 1, kind: "verify", holon: "0.2.0", model: "bar", title: "Four-bar", call: "holon verify bar.yaml",
    verify: {
      status: "disagree", reason: "1 of 3 formulations differs.", time: 4, tol: 1e-4,
      pairs: [{ first: "a/b/c", second: "d/e/f", disagree: true, signal: "x", difference: 0.2, time: 3, since: 1.5 }],
      odd: ["a/b/c"],
      signals: [{ name: "x", unit: "m", spread: 0.2, allowed: 1e-3, time: 3, pair: ["a/b/c", "d/e/f"] }],
      not_compared: [{ signal: "y", reason: "is not unique" }],
      formulations: [
        { name: "a/b/c", tol: 1e-7, steps: 70, events: 0, cpu_seconds: 0.01, reached: 4 },
        { name: "d/e/f", step: 1e-3, steps: 4000, events: 0, cpu_seconds: 0.05, reached: 4 },
      ],
      did_not_run: [{ formulation: "g/h/i", reason: "needs a tree" }], derivatives: { compared: 100, wrong: [] },
    },
    spread: [series("x", "m", (t) => 1e-9 * 10 ** (2 * t))],
  };
}

export function compareFacts(): Facts {
  const run = (formula: string, tol: number, error: number, cpu: number, front = false) => ({
    coordinates: "relative", method: "first-order", formula, independent: "", tol, status: "ok", error, signal: "x", front,
    cpu_seconds: cpu, longest_step_seconds: 1e-5, steps: 100, command: `holon run bar.yaml --formula ${formula} --tol ${tol}`,
  });
  const runs = [
    run("dopri5", 1e-3, 1e-4, 1e-3, true), run("dopri5", 1e-6, 1e-7, 3e-3, true), run("adams", 1e-6, 1e-6, 5e-3),
    { ...run("sdirk2", 1e-6, 0, 0), status: "unsupported", reason: "has no tangent" },
    { ...run("bdf", 1e-6, 0, 0), status: "convergence", reason: "Newton iteration fails" },
  ];
  return {
    format: 1, kind: "compare", holon: "0.2.0", model: "bar", title: "Four-bar", call: "holon compare bar.yaml", formulations: 4,
    compare: {
      status: "ok", time: 4, seconds: 20, budget_used_up: false,
      reference: { formulation: "natural/x/y", confirmed_by: "relative/x/y", tol: 1e-10, uncertainty: 1e-12, verdict: "agree", signals: ["x"] },
      recommendations: [{ accuracy: 1e-3, run: runs[0] }, { accuracy: 1e-9, why_none: "a smaller --tol may" }],
      runs,
    },
  };
}

export function linearizeFacts(): Facts {
  const frequency = Array.from({ length: 50 }, (_, k) => 10 ** (k / 25 - 1));
  return {
    format: 1, kind: "linearize", holon: "0.2.0", model: "seat", title: "Seat", call: "holon linearize seat.yaml",
    linearize: {
      status: "ok", time: 0, states: ["x", "v"], inputs: ["floor"], outputs: ["x"], kinks: [], warnings: [],
      eigenvalues: [
        { real: -1, imag: 10, frequency: 1.6, damping: 0.1 }, { real: -1, imag: -10, frequency: 1.6, damping: 0.1 },
      ],
      modes: [{ eigenvalue: 0, frequency: 1.6, damping: 0.1, kinetic: { seat: 1 }, elastic: { spring: 1 }, dissipated: { damper: 1 } }],
    },
    bode: [{ input: "floor", output: "x", frequency, gain: frequency.map((f) => 1 / (1 + f * f)), phase: frequency.map((f) => -f * 10) }],
  };
}

export function importFacts(): Facts {
  const item = { line: 3, column: 1, what: "gazebo", kind: "gazebo", why: "is of another program" };
  return {
    format: 1, kind: "import", holon: "0.2.0",
    import: { format: "urdf", name: "robot", bodies: 4, joints: 3, dof: 3, mass: 12, tags: 40, used: 38, harmless: [item, item], approximated: [], lost: [] },
  };
}

/** The template with facts inside, as the command writes it. */
export function pageOf(template: string, facts: unknown, frame: string | null = null): string {
  const script = (id: string, data: unknown) =>
    `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>\n`;
  const html = readFileSync(template, "utf8");
  const mark = "<!--holon-data-->";
  if (html.split(mark).length !== 2) throw new Error("the page must have one place for data");
  return html.replace(mark, () => script("holon-page", facts) + (frame === null ? "" : script("holon-frame", frame)));
}
