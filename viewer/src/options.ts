// Display options: the menu with joints, contacts, arrows and their scale, traces, grid, ghost.

import { h } from "./dom.ts";
import type { World } from "./world.ts";

export function optionsMenu(holder: HTMLElement, world: World, changed: () => void): void {
  const check = (id: string, label: string, now: boolean, set: (on: boolean) => void) => {
    const box = h("input", {
      type: "checkbox", id,
      change: () => {
        set(box.checked);
        changed();
      },
    });
    box.checked = now;
    return h("label", { class: "option" }, box, h("span", {}, label));
  };
  const scale = h("input", {
    type: "range", id: "arrow-scale", min: "-1", max: "1", step: "0.02", value: "0",
    "aria-label": "Length of arrows",
    input: () => {
      world.loads.scale = 10 ** Number(scale.value);
      scale.setAttribute("aria-valuetext", `${world.loads.scale.toPrecision(2)} times`);
      changed();
    },
  });
  const { joints, springs, bodies, loads, contacts, ground, traces, ghost } = world;
  const { tyre, contact } = contacts.has;
  const label = tyre && contact ? "Tyre and contact forces" : tyre ? "Tyre forces" : contact ? "Contact forces" : "";
  const marks = h("input", {
    type: "range", id: "joint-scale", min: "-0.7", max: "0.5", step: "0.02", value: "0", "aria-label": "Size of joints",
    input: () => {
      joints.scale = 10 ** Number(marks.value);
      marks.setAttribute("aria-valuetext", `${joints.scale.toPrecision(2)} times`);
      changed();
    },
  });
  holder.append(
    h("h2", {}, "Show"),
    check("show-bodies", "Bodies", bodies.root.visible, (on) => (bodies.root.visible = on)),
    check("show-joints", "Joints and axes", joints.root.visible, (on) => (joints.root.visible = on)),
    h("label", { class: "option" }, h("span", {}, "Size of joints"), marks),
    check("show-springs", "Springs and dampers", springs.root.visible, (on) => (springs.root.visible = on)),
    check("show-reactions", "Reactions (arrows)", loads.showReactions, (on) => (loads.showReactions = on)),
    check("show-forces", "Forces (arrows)", loads.showForces, (on) => (loads.showForces = on)),
    ...(label ? [check("show-contacts", label, contacts.root.visible, (on) => (contacts.root.visible = on))] : []),
    h("label", { class: "option" }, h("span", {}, "Length of arrows"), scale),
    check("show-traces", "Traces", traces.root.visible, (on) => (traces.root.visible = on)),
    check("show-grid", "Grid", ground.visible, (on) => (ground.visible = on)),
  );
  if (ghost) {
    holder.append(
      check("show-ghost", "Second run (gray)", ghost.root.visible, (on) => (ghost.root.visible = on)),
    );
  }
}
