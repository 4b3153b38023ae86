// Parts that all reports share: head, quality grade, sections, tables, how to repeat.

import { h, iconButton } from "../dom.ts";
import type { Theme } from "../theme.ts";
import { text, type Json } from "./facts.ts";

export type Grade = "good" | "note" | "bad";

/** sound, locked, sensitive, doubtful, unsound as green, amber, red. */
export function gradeClass(grade: string): Grade {
  if (grade === "sound") return "good";
  return ["locked", "sensitive", "doubtful"].includes(grade) ? "note" : "bad";
}

export const dot = (grade: Grade): HTMLElement =>
  h("span", { class: `dot ${grade}`, role: "img", "aria-label": grade });

export function head(facts: Json, theme: Theme, what: string, subtitle: string): HTMLElement {
  const title = text(facts.title) || text(facts.model) || "Holon";
  document.title = `${title} · holon ${what}`;
  return h(
    "header", {},
    h("div", {}, h("h1", {}, title), h("p", { class: "quiet" }, subtitle)),
    iconButton("theme", "Dark or light", () => theme.toggle(), { id: "theme" }),
  );
}

export function verdict(grade: Grade, headline: string, lines: string[]): HTMLElement {
  return h(
    "div", { class: `verdict ${grade}` }, h("b", {}, headline),
    ...lines.filter((line) => line !== "").map((line) => h("p", {}, line)),
  );
}

export function section(title: string, ...children: (Node | string | null)[]): HTMLElement {
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", { id }, h("h2", {}, title), ...children);
}

export const quiet = (words: string): HTMLElement => h("p", { class: "quiet" }, words);

type Cell = Node | string | { num: string };

function cell(tag: "td" | "th", content: Cell): HTMLElement {
  if (content instanceof Node || typeof content === "string") return h(tag, {}, content);
  return h(tag, { class: "num" }, content.num);
}

export interface Row {
  cells: Cell[];
  class?: string;
}

/** A table that scrolls by itself where the screen is narrow. */
export function table(columns: string[], rows: Row[], kind = ""): HTMLElement {
  return h(
    "div", { class: "scroll" },
    h(
      "table", { class: kind },
      columns.length > 0
        ? h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name))))
        : null,
      h(
        "tbody", {},
        ...rows.map((row) => h("tr", { class: row.class ?? "" }, ...row.cells.map((c) => cell("td", c)))),
      ),
    ),
  );
}

/** Names left, values right. */
export function facts(rows: [string, Node | string][]): HTMLElement {
  return h(
    "table", { class: "facts" },
    h("tbody", {}, ...rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))),
  );
}

export function foot(facts: Json, more: string[] = []): Node[] {
  const call = text(facts.call);
  const words = [
    `holon ${text(facts.holon)}`, text(facts.model_hash) && `model ${text(facts.model_hash)}`, ...more,
    text(facts.written),
  ];
  return [
    ...(call ? [section("Repeat this", h("pre", {}, call))] : []),
    h("footer", {}, words.filter(Boolean).join(" · ")),
  ];
}

export function fold(words: string, inside: Node): HTMLElement {
  return h("details", {}, h("summary", {}, words), inside);
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
