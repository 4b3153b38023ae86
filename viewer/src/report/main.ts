// Start of a report: reads the facts inside the page and shows them, or says why not.

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { h } from "../dom.ts";
import { Theme } from "../theme.ts";
import { compareReport } from "./compare.ts";
import { isObject, text, type Json } from "./facts.ts";
import { Figures } from "./figures.ts";
import { importReport } from "./imported.ts";
import { linearizeReport } from "./linearize.ts";
import { runReport } from "./run.ts";
import { verifyReport } from "./verify.ts";

const KNOWN_FORMAT = 1;

const REPORTS: Record<string, (facts: Json, theme: Theme, figures: Figures) => (Node | null)[]> = {
  report: runReport, verify: verifyReport, compare: compareReport, linearize: linearizeReport, import: importReport,
};

function read(): Json {
  const data = document.getElementById("holon-page")?.textContent;
  if (!data) throw new Error("This page has no data: it is only the template of a report.");
  const facts: unknown = JSON.parse(data);
  if (!isObject(facts) || !(text(facts.kind) in REPORTS)) throw new Error("The data of this page are not those of a report.");
  if (typeof facts.format !== "number" || facts.format > KNOWN_FORMAT) {
    throw new Error("The data of this page are from a later version of Holon.");
  }
  return facts;
}

function show(): void {
  const page = document.getElementById("page")!;
  const asked = new URLSearchParams(location.search.slice(1) || location.hash.slice(1)).get("theme");
  const theme = new Theme(asked === "dark" || asked === "light" ? asked : null);
  try {
    const facts = read();
    const figures = new Figures(theme);
    page.append(...REPORTS[text(facts.kind)]!(facts, theme, figures).filter((part) => part !== null));
    figures.draw();
  } catch (error) {
    page.replaceChildren(
      h("div", { class: "verdict bad" }, h("b", {}, "This report cannot be shown."), h("p", {}, (error as Error).message)),
    );
  }
  document.body.dataset.ready = "1";
}

show();
