// Panels beside the picture: text and parts on its left, sliders and plots on its right; on a small
// screen one at a time, below it.

import { h, iconButton } from "../dom.ts";

export type PanelName = "model" | "parts" | "controls" | "plots";
const NAMES: PanelName[] = ["model", "parts", "controls", "plots"];
const TITLES = { model: "Model", controls: "Inputs and parameters" };

const find = (id: string): HTMLElement => document.getElementById(id)!;

export class Panels {
  private changed: () => void;

  constructor(changed: () => void) {
    this.changed = changed;
    const side = h("div", { id: "side" }, this.make("controls"), find("plots"));
    find("main").prepend(this.make("model"));
    find("main").append(side);
    for (const name of NAMES) find(name).querySelector(".close")!.addEventListener("click", () => this.toggle(name, false));
  }

  private make(name: "model" | "controls"): HTMLElement {
    const title = TITLES[name];
    const panel = h(
      "aside", { id: name, class: "panel", "aria-label": title },
      h("div", { class: "panel-head" }, h("h2", {}, title), h("button", { type: "button", class: "close", "aria-label": `Close: ${title}` }, "Close")),
      h("div", { id: `${name}-body` }),
    );
    panel.hidden = true;
    return panel;
  }

  body(name: "model" | "controls"): HTMLElement {
    return find(`${name}-body`);
  }

  button(name: PanelName, icon: string, label: string): HTMLButtonElement {
    return iconButton(icon, label, () => this.toggle(name), {
      id: `${name}-button`, "aria-controls": name, "aria-expanded": "false",
    });
  }

  private set(name: PanelName, open: boolean): void {
    find(name).hidden = !open;
    document.getElementById(`${name}-button`)?.setAttribute("aria-expanded", String(open));
  }

  toggle(name: PanelName, open: boolean = find(name).hidden === true): void {
    const small = window.innerWidth < 760;
    // Two on the left would leave no room for the picture.
    const others: PanelName[] = small ? NAMES : name === "model" ? ["parts"] : name === "parts" ? ["model"] : [];
    if (open) others.filter((other) => other !== name).forEach((other) => this.set(other, false));
    this.set(name, open);
    this.changed();
  }
}
