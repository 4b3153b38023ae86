// The joint graph as a drawing: bodies in columns by their distance from ground, joints between them,
// joints with redundant constraints marked. Large models are drawn with dots instead of names.

import { h } from "../dom.ts";
import { list, number, objects, text, texts, type Json } from "./facts.ts";
import { quiet } from "./parts.ts";
import { svg, withTitle, words } from "./xy.ts";

interface Edge {
  name: string;
  type: string;
  a: number; // column of a <= column of b
  b: number;
  closes: boolean; // a loop: the model stays connected without it
  redundant: boolean;
}

export class Graph {
  readonly bodies: string[];
  readonly edges: Edge[];
  readonly links: Edge[] = []; // forces between bodies that no other line joins
  readonly column: number[];
  readonly place: number[];
  readonly size: number[] = []; // of each column
  private hasTree: boolean;

  constructor(facts: Json) {
    this.bodies = texts(facts.bodies);
    this.edges = this.read(facts.joints);
    for (const link of this.read(facts.forces)) {
      if (!this.links.some((known) => known.a === link.a && known.b === link.b)) this.links.push(link);
    }
    this.column = this.bodies.map(() => -1);
    this.place = this.bodies.map(() => 0);
    this.hasTree = Array.isArray(facts.tree);
    this.assign(list(facts.tree));
    for (const edge of this.edges) {
      if (this.column[edge.a]! > this.column[edge.b]!) [edge.a, edge.b] = [edge.b, edge.a];
    }
    if (!this.hasTree) this.findClosing();
    for (let sweep = 0; sweep < 6; sweep++) {
      for (let c = 1; c < this.size.length; c++) this.sort(c);
      for (let c = this.size.length - 2; c > 0; c--) this.sort(c);
    }
  }

  get tallest(): number {
    return Math.max(...this.size);
  }

  private read(value: unknown): Edge[] {
    return objects(value)
      .map((entry) => ({
        name: text(entry.name), type: text(entry.type), a: number(list(entry.bodies)[0], -1),
        b: number(list(entry.bodies)[1], -1), closes: entry.cut === true, redundant: entry.redundant === true,
      }))
      .filter((edge) => this.bodies[edge.a] !== undefined && this.bodies[edge.b] !== undefined && edge.a !== edge.b);
  }

  /** The tree that was chosen, or breadth first from ground; floating parts start in column 1. */
  private assign(tree: unknown[]): void {
    this.column[0] = 0;
    for (const entry of tree) {
      const [body, depth] = [number(list(entry)[0], -1), number(list(entry)[1], -1)];
      if (body > 0 && body < this.bodies.length && depth >= 0) this.column[body] = depth;
    }
    this.spread();
    for (let body = this.busiest(); body >= 0; body = this.busiest()) {
      this.column[body] = 1;
      this.spread();
    }
    this.bodies.forEach((_, body) => {
      const column = this.column[body]!;
      while (this.size.length <= column) this.size.push(0);
      this.place[body] = this.size[column]!++;
    });
  }

  private spread(): void {
    for (let found = true; found; ) {
      found = false;
      const reached = [...this.column];
      for (const { a, b } of this.edges) {
        if (reached[a]! >= 0 && this.column[b]! < 0) [this.column[b], found] = [reached[a]! + 1, true];
        if (reached[b]! >= 0 && this.column[a]! < 0) [this.column[a], found] = [reached[b]! + 1, true];
      }
    }
  }

  /** Among bodies that nothing reaches the one with most joints, or -1. */
  private busiest(): number {
    let best = -1;
    let most = -1;
    this.bodies.forEach((_, body) => {
      if (this.column[body]! >= 0) return;
      const count = this.jointsOf(body);
      if (count > most) [most, best] = [count, body];
    });
    return best;
  }

  jointsOf(body: number): number {
    return this.edges.filter((edge) => edge.a === body || edge.b === body).length;
  }

  // Joints beyond a tree from ground outwards; those within a column come last.
  private findClosing(): void {
    const group = this.bodies.map((_, body) => body);
    const root = (body: number): number => (group[body] === body ? body : root(group[body]!));
    for (const level of [false, true]) {
      for (const edge of this.edges) {
        if ((this.column[edge.a] === this.column[edge.b]) !== level) continue;
        const [a, b] = [root(edge.a), root(edge.b)];
        edge.closes = a === b;
        group[b] = a;
      }
    }
  }

  heightOf(body: number): number {
    return (this.place[body]! + 0.5) / this.size[this.column[body]!]!;
  }

  /** Bodies of a column by the mean height of their neighbors: fewer crossings. */
  private sort(column: number): void {
    const members = this.bodies.map((_, body) => body).filter((body) => this.column[body] === column);
    const weight = new Map(
      members.map((body) => {
        const others = this.edges
          .filter((edge) => edge.a === body || edge.b === body)
          .map((edge) => (edge.a === body ? edge.b : edge.a))
          .filter((other) => this.column[other] !== column);
        const sum = others.reduce((total, other) => total + this.heightOf(other), 0);
        return [body, others.length > 0 ? sum / others.length : this.heightOf(body)] as const;
      }),
    );
    members.sort((a, b) => weight.get(a)! - weight.get(b)!);
    members.forEach((body, k) => (this.place[body] = k));
  }
}

// ---- drawing ------------------------------------------------------------------------------------

interface Sheet {
  hasNames: boolean;
  box: number;
  column: number;
  width: number;
  height: number;
}

function sheetOf(graph: Graph): Sheet {
  const columns = graph.size.length;
  const hasNames = columns <= 8 && graph.tallest <= 40;
  const longest = Math.max(6, ...graph.bodies.map((name) => name.length));
  const box = hasNames ? Math.min(180, 18 + 6.6 * longest) : 10;
  const column = hasNames ? box + (columns <= 4 ? 150 : 90) : Math.max(22, 900 / columns);
  const row = hasNames
    ? graph.tallest <= 6 ? 84 : graph.tallest <= 14 ? 60 : 46
    : Math.max(12, Math.min(30, 600 / graph.tallest));
  const last = columns - 1;
  const atEnd = graph.edges.some((e) => graph.column[e.a] === last && graph.column[e.b] === last);
  const width = column * last + box + 40 + (atEnd ? 0.8 * (column - box) : 0);
  return { hasNames, box, column, width, height: Math.max(90, row * graph.tallest + 20) };
}

type Curve = { x: number[]; y: number[] };
const along = (p: number[], u: number): number => {
  const v = 1 - u;
  return v * v * v * p[0]! + 3 * v * v * u * p[1]! + 3 * v * u * u * p[2]! + u * u * u * p[3]!;
};

function curveOf(graph: Graph, sheet: Sheet, edge: Edge): Curve {
  const x = (body: number) => 20 + sheet.box / 2 + sheet.column * graph.column[body]!;
  const y = (body: number) => 10 + (sheet.height - 20) * graph.heightOf(body);
  const level = graph.column[edge.a] === graph.column[edge.b];
  // joints between the same two bodies are drawn side by side
  const same = graph.edges.filter((other) => other.a === edge.a && other.b === edge.b);
  const shift = 24 * (same.indexOf(edge) - 0.5 * (same.length - 1));
  const xa = x(edge.a) + sheet.box / 2;
  const xb = x(edge.b) + (level ? sheet.box / 2 : -sheet.box / 2);
  const [ya, yb] = [y(edge.a), y(edge.b)];
  const bend = level
    ? Math.min(0.35 * Math.abs(yb - ya) + 14, 0.8 * (sheet.column - sheet.box))
    : 0.45 * (xb - xa);
  return { x: [xa, xa + bend, level ? xb + bend : xb - bend, xb], y: [ya, ya + shift, yb + shift, yb] };
}

interface Label {
  edge: Edge;
  x: number;
  y: number;
  half: number;
}

/** Names of joints where they cover no other name; null if one has no space. */
function labelsOf(graph: Graph, sheet: Sheet): Label[] | null {
  const places = [0.5, 0.62, 0.7, 0.38, 0.3];
  const made: Label[] = [];
  for (const edge of graph.edges) {
    const curve = curveOf(graph, sheet, edge);
    const half = Math.max(20, 3.1 * edge.name.length) + 3;
    const more = graph.jointsOf(edge.a) - graph.jointsOf(edge.b);
    const found = places
      .map((_, k) => (more === 0 ? places[k]! : more > 0 ? places[(k + 1) % 5]! : 1 - places[(k + 1) % 5]!))
      .map((u) => ({ edge, half, x: along(curve.x, u), y: along(curve.y, u) }))
      .find(
        (label) =>
          label.x - half > Math.min(curve.x[0]!, curve.x[3]!) - 8 &&
          (curve.x[3]! - curve.x[0]! < 1 || label.x + half < curve.x[3]! + 8) &&
          made.every(
            (other) =>
              Math.abs(other.x - label.x) >= other.half + half ||
              Math.abs(other.y - label.y) >= (graph.tallest <= 14 ? 26 : 21),
          ),
      );
    if (!sheet.hasNames || !found) return null;
    made.push(found);
  }
  return made;
}

function drawBody(graph: Graph, sheet: Sheet, body: number): SVGElement {
  const x = 20 + sheet.box / 2 + sheet.column * graph.column[body]!;
  const y = 10 + (sheet.height - 20) * graph.heightOf(body);
  const kind = body === 0 ? "body ground" : "body";
  const name = graph.bodies[body]!;
  if (!sheet.hasNames) return withTitle(svg("circle", { class: kind, cx: x, cy: y, r: 4 }), name);
  const room = Math.floor((sheet.box - 10) / 6.4);
  // the end of a long name is more specific than its start: "front_left.upper_arm"
  const shown = name.length > room ? `…${name.slice(name.length - room + 1)}` : name;
  return withTitle(
    svg(
      "g", {}, svg("rect", { class: kind, x: x - sheet.box / 2, y: y - 12, width: sheet.box, height: 24, rx: 5 }),
      words(shown, { x, y: y + 4, "text-anchor": "middle" }),
    ),
    name,
  );
}

function drawEdge(graph: Graph, sheet: Sheet, edge: Edge): SVGElement {
  const { x, y } = curveOf(graph, sheet, edge);
  const kind = edge.redundant ? " redundant" : edge.type === "free" ? " free" : edge.closes ? " closing" : "";
  const at = (k: number) => `${x[k]!.toFixed(1)} ${y[k]!.toFixed(1)}`;
  const remarks = [edge.type, edge.closes ? "closes a loop" : "", edge.redundant ? "redundant constraints" : ""];
  return withTitle(
    svg("path", { class: `joint${kind}`, d: `M${at(0)}C${at(1)} ${at(2)} ${at(3)}` }),
    `${edge.name} (${remarks.filter(Boolean).join(", ")})`,
  );
}

export function topology(facts: unknown, bodies: number): HTMLElement | null {
  if (typeof facts !== "object" || facts === null) {
    return bodies > 0 ? quiet(`${bodies} bodies are too many for a drawing.`) : null;
  }
  const graph = new Graph(facts as Json);
  if (graph.bodies.length < 2) return null;
  const sheet = sheetOf(graph);
  const labels = labelsOf(graph, sheet);
  const center = (body: number) =>
    `${20 + sheet.box / 2 + sheet.column * graph.column[body]!} ${10 + (sheet.height - 20) * graph.heightOf(body)}`;
  const drawing = svg("svg", {
    viewBox: `0 0 ${sheet.width} ${sheet.height}`, style: `max-width:${sheet.width}px`, role: "img",
    "aria-label": "Bodies and joints",
  });
  for (const link of graph.links) {
    drawing.append(
      withTitle(svg("path", { class: "force", d: `M${center(link.a)}L${center(link.b)}` }), `${link.name} (${link.type})`),
    );
  }
  for (const edge of graph.edges) drawing.append(drawEdge(graph, sheet, edge));
  for (const label of labels ?? []) {
    drawing.append(
      words(label.edge.name, { class: "name", x: label.x, y: label.y - 1, "text-anchor": "middle" }),
      words(label.edge.type, { class: "name type", x: label.x, y: label.y + 9, "text-anchor": "middle" }),
    );
  }
  graph.bodies.forEach((_, body) => drawing.append(drawBody(graph, sheet, body)));
  const key = (kind: string, meaning: string) =>
    h("span", { class: "keyed" }, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), meaning);
  return h(
    "figure", { class: "topology", style: `flex:2 1 ${Math.min(sheet.width, 760)}px` }, h("div", { class: "scroll" }, drawing),
    h(
      "figcaption", {}, `Bodies in columns by their distance from ground. Lines are joints${labels ? "" : " (names under the pointer)"}.`,
      graph.edges.some((e) => e.closes && !e.redundant) ? key("closing", "joint that closes a loop") : null,
      graph.edges.some((e) => e.redundant) ? key("redundant", "joint with redundant constraints") : null,
      graph.links.length > 0 ? key("force", "force") : null,
    ),
  );
}
