// The page of `holon import`: what became of every tag of a file.

import { h } from "../dom.ts";
import type { Theme } from "../theme.ts";
import { list, number, object, objects, short, text, type Json } from "./facts.ts";
import { foot, head, plural, quiet, section, table, verdict } from "./parts.ts";

const FATES = ["lost", "approximated", "harmless"];

/** Items of one kind with one reason are one line; the most frequent first. */
function fate(name: string, items: Json[]): HTMLElement {
  const groups = new Map<string, { kind: string; why: string; line: number; count: number }>();
  for (const item of items) {
    const key = `${text(item.kind)}\n${text(item.why)}`;
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { kind: text(item.kind), why: text(item.why), line: number(item.line, 0), count: 1 });
  }
  const rows = [...groups.values()].sort((a, b) => b.count - a.count);
  return section(
    `${name[0]!.toUpperCase()}${name.slice(1)}: ${items.length}`,
    rows.length > 0
      ? table(
          ["Times", "What", "First in line", "Why"],
          rows.map((row) => ({ cells: [{ num: String(row.count) }, h("code", {}, row.kind), { num: String(row.line) }, row.why] })),
        )
      : quiet("None."),
  );
}

export function importReport(page: Json, theme: Theme): (Node | null)[] {
  const facts = object(page.import);
  const count = (name: string) => list(facts[name]).length;
  const lost = count("lost");
  return [
    head(
      { ...page, title: text(facts.name) }, theme, "import",
      `import · ${text(facts.format)} · ${plural(number(facts.bodies, 0), "body", "bodies")} · ${plural(number(facts.joints, 0), "joint")} · ` +
        `${plural(number(facts.dof, 0), "degree")} of freedom · ${short(number(facts.mass), 6)} kg`,
    ),
    verdict(
      lost > 0 ? "bad" : count("approximated") > 0 ? "note" : "good",
      lost > 0 ? `${plural(lost, "part of the file is", "parts of the file are")} lost.` : "Nothing of the file is lost.",
      [`Of the ${number(facts.tags, 0)} tags and attributes of the file ${number(facts.used, 0)} are used.`],
    ),
    ...FATES.map((name) => fate(name, objects(facts[name]))),
    ...foot(page),
  ];
}
