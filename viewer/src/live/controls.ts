// Sliders: inputs act at once and in the run; a parameter builds the model again from the start.

import type { Quantity } from "../../engine/protocol.ts";
import { digits, h } from "../dom.ts";

export interface ControlActions {
  input: (name: string, value: number) => void;
  parameter: (name: string, value: number) => void;
}

interface Row {
  start: number;
  set: (value: number) => void;
}

const STEPS = 1000;
const ROWS = 60; // of one kind; more would only be in the way

/** From nothing to twice the value; of an unknown size, from -1 to 1. */
export function rangeOf(value: number): [number, number] {
  if (value === 0) return [-1, 1];
  return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

export class Controls {
  private holder: HTMLElement;
  private actions: ControlActions;
  private rows = new Map<string, Row>(); // of inputs
  private key = "";

  constructor(holder: HTMLElement, actions: ControlActions) {
    this.holder = holder;
    this.actions = actions;
  }

  /** Of a model; sliders of one that is only built again stay as they are. */
  show(inputs: Quantity[], parameters: Quantity[]): void {
    const key = JSON.stringify([inputs, parameters].map((list) => list.map(({ name, unit }) => [name, unit])));
    if (key === this.key) {
      this.reset();
      return;
    }
    this.key = key;
    this.rows.clear();
    this.holder.replaceChildren(
      ...this.group("Inputs", "act while the model runs", inputs, (name, value) => this.actions.input(name, value), true),
      ...this.group(
        "Parameters", "start the run again", parameters, (name, value) => this.actions.parameter(name, value), false,
      ),
    );
    if (inputs.length + parameters.length === 0) {
      this.holder.append(h("p", { class: "quiet" }, "The model has no inputs and no parameters."));
    }
  }

  get isEmpty(): boolean {
    return this.holder.querySelector("input") === null;
  }

  /** Inputs to their first values, as the engine does when it starts again. */
  reset(): void {
    for (const { start, set } of this.rows.values()) set(start);
  }

  private group(
    title: string, note: string, list: Quantity[], changed: (name: string, value: number) => void, isInput: boolean,
  ): HTMLElement[] {
    if (list.length === 0) return [];
    return [
      h("h3", {}, title, h("small", {}, note)),
      ...list.slice(0, ROWS).map((quantity) => this.row(quantity, (value) => changed(quantity.name, value), isInput)),
    ];
  }

  private row(quantity: Quantity, changed: (value: number) => void, isInput: boolean): HTMLElement {
    const { name, unit, value: start } = quantity;
    let [low, high] = rangeOf(start);
    let value = start;
    const label = unit === "" ? name : `${name} (${unit})`;
    const slider = h("input", { type: "range", min: "0", max: String(STEPS), step: "1", "aria-label": label });
    const field = h("input", {
      type: "text", inputmode: "decimal", class: "number", "aria-label": `${label}: value`, autocomplete: "off",
    });
    const place = () => {
      slider.value = String(Math.round((STEPS * (value - low)) / (high - low)));
      slider.setAttribute("aria-valuetext", `${digits(value)} ${unit}`);
      if (document.activeElement !== field) field.value = digits(value);
    };
    const set = (next: number) => {
      if (next < low || next > high) [low, high] = [Math.min(low, rangeOf(next)[0]), Math.max(high, rangeOf(next)[1])];
      value = next;
      place();
    };
    slider.addEventListener("input", () => {
      value = low + (Number(slider.value) / STEPS) * (high - low);
      field.value = digits(value);
      changed(value);
    });
    // Twice: the value of the file again.
    slider.addEventListener("dblclick", () => {
      set(start);
      changed(start);
    });
    const typed = () => {
      const next = Number(field.value.replace(",", "."));
      field.classList.toggle("wrong", !Number.isFinite(next) || field.value.trim() === "");
      if (!Number.isFinite(next) || field.value.trim() === "" || next === value) return;
      set(next);
      changed(next);
    };
    field.addEventListener("change", typed);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") field.blur();
    });
    place();
    if (isInput) this.rows.set(name, { start, set });
    return h(
      "div", { class: "control", "data-name": name },
      h("span", { class: "name", title: name }, name), slider, field, h("small", { class: "unit" }, unit),
    );
  }
}
