// The keyboard, and the help that lists it.

import { h } from "./dom.ts";
import type { Player } from "./player.ts";
import type { ViewName } from "./views.ts";

export interface KeyActions {
  view: (name: ViewName) => void;
  follow: () => void;
  trace: () => void;
  parts: () => void;
  plots: () => void;
  reactions: () => void;
  save: () => void;
  theme: () => void;
  help: () => void;
  clear: () => void;
}

export const KEYS: [string, string][] = [
  ["space", "play, pause"],
  ["← →", "a frame back, on (with shift: a tenth of the run)"],
  ["home, end", "start, end"],
  [", .", "slower, faster"],
  ["l", "repeat"],
  ["1 2 3 4", "view: oblique, front, side, top"],
  ["f", "follow the picked body, or stop following"],
  ["t", "trace of the picked body"],
  ["r", "reactions as arrows"],
  ["b", "list of parts"],
  ["p", "plots"],
  ["s", "save a picture"],
  ["d", "dark or light"],
  ["esc", "unpick"],
  ["?", "this help"],
];
export const POINTER: [string, string][] = [
  ["drag", "turn"],
  ["right drag, two fingers", "move"],
  ["wheel, pinch", "nearer, farther"],
  ["click", "pick a body or joint"],
  ["in a plot", "drag zooms, double click shows all, click sets the time"],
];

const VIEW_KEYS: Record<string, ViewName> = { 1: "iso", 2: "front", 3: "side", 4: "top" };

/** Keys of the page, but for those that a field or a button has its own use for. `act`: whether it knew the key. */
export function listen(act: (event: KeyboardEvent) => boolean): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement | null;
    // Fields have their own use for keys; buttons keep the space bar.
    if (target?.closest("input:not([type=checkbox]):not([type=range]), select, textarea")) return;
    if (target?.closest("button, summary, input") && [" ", "Enter"].includes(event.key)) return;
    if (act(event)) event.preventDefault();
  });
}

export function resultKeys(player: Player, frame: number, actions: KeyActions): (event: KeyboardEvent) => boolean {
  const span = player.last - player.first;
  return (event) => {
    const step = event.shiftKey ? span / 10 : frame;
    switch (event.key) {
      case " ":
        player.toggle();
        return true;
      case "ArrowLeft":
      case "ArrowRight":
        player.pause();
        player.seek(player.time + (event.key === "ArrowLeft" ? -step : step));
        return true;
      case "Home":
        player.seek(player.first);
        return true;
      case "End":
        player.seek(player.last);
        return true;
      case ",":
        player.shiftSpeed(-1);
        return true;
      case ".":
        player.shiftSpeed(1);
        return true;
      case "l":
        player.setLoop(!player.loop);
        return true;
      case "f":
        actions.follow();
        return true;
      case "t":
        actions.trace();
        return true;
      case "r":
        actions.reactions();
        return true;
      case "b":
        actions.parts();
        return true;
      case "p":
        actions.plots();
        return true;
      case "s":
        actions.save();
        return true;
      case "d":
        actions.theme();
        return true;
      case "Escape":
        // An open menu takes this key first.
        if (!document.querySelector("[popover]:popover-open")) actions.clear();
        return false;
      case "?":
        actions.help();
        return true;
      default: {
        const view = VIEW_KEYS[event.key];
        if (view) actions.view(view);
        return view !== undefined;
      }
    }
  };
}

export function fillHelp(
  holder: HTMLElement, note: string, keys: [string, string][], pointer: [string, string][],
): void {
  const rows = (entries: [string, string][]) =>
    h("dl", {}, ...entries.flatMap(([key, what]) => [h("dt", {}, key), h("dd", {}, what)]));
  holder.append(
    h("h2", {}, "Keys"), rows(keys), h("h2", {}, "Pointer"), rows(pointer),
    h("p", { class: "quiet" }, `${note} Drawn with three.js and uPlot (MIT).`),
  );
}
