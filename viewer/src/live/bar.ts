// The bar of a live run: back to the start, run or pause, one step, slow motion, how fast it really is.

import { h, icon, iconButton } from "../dom.ts";
import { SPEEDS } from "../player.ts";

export interface BarActions {
  toggle: () => void;
  step: () => void;
  reset: () => void;
  speed: (factor: number) => void;
  save: () => void;
}

const speedText = (speed: number) =>
  speed === 1 ? "real time" : speed < 1 ? `1/${Math.round(1 / speed)} ×` : `${speed} ×`;

export class LiveBar {
  private play: HTMLButtonElement;
  private clock = h("output", { id: "clock", "aria-live": "off" });
  private pace = h("output", { id: "pace", "aria-live": "off" });
  private speed: HTMLSelectElement;

  constructor(holder: HTMLElement, actions: BarActions) {
    this.play = iconButton("play", "Run (space)", actions.toggle, { id: "play" });
    this.speed = h(
      "select",
      {
        id: "speed", "aria-label": "Speed", title: "Simulated seconds per second",
        change: () => actions.speed(Number(this.speed.value)),
      },
      ...SPEEDS.map((value) => h("option", { value: String(value) }, speedText(value))),
    );
    this.speed.value = "1";
    holder.replaceChildren(
      iconButton("start", "Back to the start (home)", actions.reset, { id: "reset" }),
      this.play,
      iconButton("step", "One frame (n)", actions.step, { id: "step" }),
      this.speed,
      h("span", { class: "stretch" }),
      this.pace,
      this.clock,
      h(
        "button",
        { type: "button", id: "save-run", title: "Save this run: model, pulls, inputs (s)", click: actions.save },
        icon("save"), h("span", { class: "wide-only" }, "Save run"),
      ),
    );
  }

  get factor(): number {
    return Number(this.speed.value);
  }

  state(running: boolean, factor: number): void {
    this.play.replaceChildren(icon(running ? "pause" : "play"));
    const label = running ? "Pause (space)" : "Run (space)";
    this.play.setAttribute("aria-label", label);
    this.play.title = label;
    if (this.speed.value !== String(factor)) this.speed.value = String(factor);
    if (!running) this.pace.textContent = "";
  }

  /** One speed up (1) or down (-1). */
  shift(by: number): number {
    const at = SPEEDS.indexOf(this.factor);
    return SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]!;
  }

  show(time: number, speed: number, busy: number, running: boolean): void {
    this.clock.textContent = `${time.toFixed(time < 100 ? 2 : 1)} s`;
    if (!running || !(speed > 0)) return;
    const slow = busy > 0.9 && speed < 0.9 * this.factor;
    this.pace.className = slow ? "slow" : "";
    this.pace.textContent = slow
      ? `${speed.toPrecision(2)} × real time`
      : `computing ${Math.max(1, Math.round(100 * busy))} %`;
    this.pace.title = slow
      ? "The model is too slow for the speed asked for."
      : `Could run ${Math.round(speed / Math.max(busy, 1e-3))} times as fast as real time.`;
  }
}
