// The model's text beside the picture: edited, it is read and assembled again; errors stand at their lines.

import type { Problem } from "../../engine/protocol.ts";
import { h } from "../dom.ts";

const WAIT = 500; // ms after the last key
const LONGEST = 400_000; // characters that are shown with their lines

export class Editor {
  private area: HTMLTextAreaElement;
  private lines = h("div", { class: "lines", "aria-hidden": "true" });
  private marks = h("div", { class: "marks", "aria-hidden": "true" });
  private status = h("p", { class: "status", role: "status" });
  private list = h("ul", { class: "problems" });
  private timer = 0;
  private apply: (text: string) => void;
  private sent = "";
  private shown = -1; // line numbers that are made

  constructor(holder: HTMLElement, apply: (text: string) => void) {
    this.apply = apply;
    this.area = h("textarea", {
      id: "text", "aria-label": "The model as text", spellcheck: "false", autocomplete: "off", autocapitalize: "off",
      wrap: "off", input: () => this.typed(), scroll: () => this.scrolled(),
    });
    this.area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.send();
      // Indents; escape gives the key back to the page.
      if (event.key === "Tab" && !event.shiftKey) {
        event.preventDefault();
        document.execCommand("insertText", false, "  ");
      }
      if (event.key === "Escape") this.area.blur();
      event.stopPropagation();
    });
    holder.append(h("div", { class: "editor" }, this.lines, this.marks, this.area), this.status, this.list);
  }

  get text(): string {
    return this.area.value;
  }

  /** Another text; none of what is being typed is lost. */
  show(text: string): void {
    window.clearTimeout(this.timer);
    this.sent = text;
    if (this.area.value !== text) this.area.value = text;
    this.number();
  }

  private typed(): void {
    this.number();
    this.say("edited", "");
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(), WAIT);
  }

  private send(): void {
    window.clearTimeout(this.timer);
    if (this.area.value === this.sent) {
      if (this.list.childElementCount === 0) this.say("", "");
      return;
    }
    this.sent = this.area.value;
    this.say("reading", "");
    this.apply(this.sent);
  }

  private say(text: string, kind: string): void {
    this.status.textContent = text;
    this.status.className = `status ${kind}`;
  }

  /** The text in use was assembled in so many milliseconds. */
  good(milliseconds: number, warnings: string[]): void {
    this.list.replaceChildren(...warnings.slice(0, 20).map((text) => h("li", { class: "amber" }, text)));
    this.marks.replaceChildren();
    this.say(`assembled in ${Math.max(1, Math.round(milliseconds))} ms`, "good");
  }

  /** What is wrong with it; `name`: the file that is edited. */
  bad(problems: Problem[], name: string, stays: boolean): void {
    const own = (problem: Problem) => problem.line > 0 && (problem.file === "" || problem.file === name);
    this.list.replaceChildren(...problems.map((problem) => this.entry(problem, own(problem))));
    this.marks.replaceChildren(
      ...problems.filter(own).map(({ line }) => h("i", { style: `top:calc(var(--row) * ${line - 1} + 6px)` })),
    );
    const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
    this.say(stays ? `${count}; the previous model continues` : count, "bad");
    this.scrolled();
  }

  private entry(problem: Problem, isOwn: boolean): HTMLElement {
    const { line, column, file } = problem;
    const place = line > 0 ? `${isOwn ? "line " : `${file}:`}${line}${column > 0 ? `:${column}` : ""}` : "";
    const text = [problem.element, problem.message].filter((part) => part !== "").join(" ");
    return h(
      "li", { class: "red" },
      isOwn
        ? h("button", { type: "button", class: "place", click: () => this.go(line, column) }, place)
        : h("b", {}, place),
      h("span", {}, text, problem.hint === "" ? null : h("em", {}, problem.hint)),
    );
  }

  /** The cursor to a place, from 1. */
  go(line: number, column: number): void {
    const before = this.area.value.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const at = before + Math.max(0, column - 1);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.area.scrollTop = Math.max(0, (line - 1) * height - this.area.clientHeight / 3);
  }

  private number(): void {
    const text = this.area.value;
    const count = text.length > LONGEST ? 0 : text.split("\n").length;
    if (count === this.shown) return;
    this.shown = count;
    this.lines.textContent = Array.from({ length: count }, (_, k) => k + 1).join("\n");
    this.scrolled();
  }

  private scrolled(): void {
    const by = `translateY(${-this.area.scrollTop}px)`;
    this.lines.style.transform = by;
    this.marks.style.transform = by;
  }
}
