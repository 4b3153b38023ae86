// Keys of a live page.

import type { ViewName } from "../views.ts";
import type { PanelName } from "./panels.ts";

export interface LiveActions {
  toggle: () => void;
  step: () => void;
  reset: () => void;
  shiftSpeed: (by: number) => void;
  save: () => void;
  view: (name: ViewName) => void;
  follow: () => void;
  panel: (name: PanelName) => void;
  theme: () => void;
  help: () => void;
  clear: () => void;
}

export const KEYS: { keys: [string, string][]; pointer: [string, string][] } = {
  keys: [
    ["space", "run, pause"],
    ["n", "one frame"],
    ["home", "back to the start"],
    [", .", "slower, faster"],
    ["e", "the model as text"],
    ["i", "inputs and parameters"],
    ["p", "plots"],
    ["b", "list of parts"],
    ["s", "save this run"],
    ["1 2 3 4", "view: oblique, front, side, top"],
    ["f", "follow the picked body, or stop following"],
    ["d", "dark or light"],
    ["esc", "unpick"],
    ["?", "this help"],
  ],
  pointer: [
    ["drag a body", "pull it with a spring"],
    ["drag beside, shift drag", "turn the view"],
    ["right drag, two fingers", "move the view"],
    ["wheel, pinch", "nearer, farther"],
    ["click", "pick a body or joint"],
    ["drop a file", "run that model: YAML, JSON, URDF, MJCF, SDF"],
  ],
};

/** Returns whether it knew the key. */
export function keyActions(actions: LiveActions): (event: KeyboardEvent) => boolean {
  const known: Record<string, () => void> = {
    " ": actions.toggle, n: actions.step, ArrowRight: actions.step, Home: actions.reset, ",": () => actions.shiftSpeed(-1),
    ".": () => actions.shiftSpeed(1), e: () => actions.panel("model"), i: () => actions.panel("controls"),
    p: () => actions.panel("plots"), b: () => actions.panel("parts"), s: actions.save, f: actions.follow,
    d: actions.theme, "?": actions.help, 1: () => actions.view("iso"), 2: () => actions.view("front"),
    3: () => actions.view("side"), 4: () => actions.view("top"),
  };
  return (event) => {
    if (event.key === "Escape") {
      // An open menu takes this key first.
      if (!document.querySelector("[popover]:popover-open")) actions.clear();
      return false;
    }
    known[event.key]?.();
    return event.key in known;
  };
}
