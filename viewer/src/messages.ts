// Problems, in the page: a banner while there is something to show, a whole-page message
// when there is not. Never a blank screen.

import { DataError, type Scene } from "./data.ts";
import { h, icon } from "./dom.ts";
import type { Gap, Motion } from "./motion.ts";

export type Level = "amber" | "red" | "info";

export function banner(level: Level, text: string): void {
  const holder = document.getElementById("banners");
  if (!holder) return;
  const line = h("div", { class: `banner ${level}`, role: "status" }, h("span", {}, text));
  line.append(
    h(
      "button",
      { type: "button", class: "icon", "aria-label": "Close this message", click: () => line.remove() },
      icon("close"),
    ),
  );
  holder.append(line);
}

/** Takes the place of the whole page. */
export function fatal(error: unknown): void {
  const known = error instanceof DataError;
  const title = known ? error.title : "This page could not be shown";
  const detail = error instanceof Error ? error.message : String(error);
  const hint = known ? error.hint : "Please report this with the results folder.";
  document.body.dataset.state = "fatal";
  document.title = `${title} - Holon`;
  document.getElementById("app")?.replaceChildren(
    h(
      "main",
      { class: "fatal", role: "alert" },
      h("h1", {}, title),
      h("p", {}, detail),
      h("p", { class: "hint" }, hint),
    ),
  );
}

/** Instead of the 3-D view only: lists and plots continue to work. */
export function noWebGL(holder: HTMLElement): void {
  holder.append(
    h(
      "div",
      { class: "fatal inset", role: "alert" },
      h("h2", {}, "No 3-D view"),
      h("p", {}, "This browser offers no WebGL, so the model cannot be drawn."),
      h(
        "p",
        { class: "hint" },
        "Numbers and plots work. To see the model, turn on hardware acceleration or use another browser.",
      ),
    ),
  );
}

export function gapText(gap: Gap): string {
  const when = `${gap.time.toPrecision(4)} s`;
  return gap.kind === "body"
    ? `From ${when} on the position of body ${gap.name} is not a number. It stays at its last valid position.`
    : `At ${when} the load of ${gap.kind} ${gap.name} is not a number. It is shown as zero.`;
}

/** Everything about a loaded run the reader should know before believing the picture. */
export function announce(scene: Scene, motion: Motion, warnings: string[]): void {
  if (scene.status === "failed") {
    banner("red", `The run failed at ${motion.last.toPrecision(4)} s. ${scene.message}`.trim());
  } else if (scene.status === "interrupted") {
    banner("amber", `The run was stopped at ${motion.last.toPrecision(4)} s. ${scene.message}`.trim());
  }
  if (motion.gap) banner("amber", gapText(motion.gap));
  const counts = new Map<string, number>();
  for (const warning of warnings) counts.set(warning, (counts.get(warning) ?? 0) + 1);
  const different = [...counts].map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text));
  const shown = different.slice(0, 4);
  for (const warning of shown) banner("amber", warning);
  if (different.length > shown.length) {
    banner("amber", `${different.length - shown.length} more messages of this kind.`);
  }
}
