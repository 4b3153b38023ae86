// A saved live run: one archive with the model, the tables of pulls and inputs, and a script that
// repeats it bit for bit.

import type { ModelSource, Saved } from "../../engine/protocol.ts";
import { h } from "../dom.ts";
import { download } from "../save.ts";
import { zip, type Entry } from "./zip.ts";

const SCRIPT = "repeat.sh";

/** What the archive holds. */
export function entriesOf(saved: Saved, source: ModelSource): Entry[] {
  const own = new Set(saved.files.map(({ name }) => name));
  const entries: Entry[] = saved.files.map(({ name, text }) => ({ name, data: text }));
  for (const [name, data] of Object.entries(source.files ?? {})) if (!own.has(name)) entries.push({ name, data });
  const script = [
    "#!/bin/sh", "# Repeats a live run bit for bit. certificate.json of the run has this state_hash:",
    `# ${saved.hash}`, 'cd "$(dirname "$0")" || exit', `${saved.command} "$@"`, "",
  ].join("\n");
  entries.push({ name: SCRIPT, data: script, isProgram: true });
  return entries;
}

/** Writes the archive and says how to go on with it. */
export function keep(saved: Saved, source: ModelSource, menu: HTMLElement): void {
  const stem = (source.name.split("/").pop() ?? "model").replace(/\.[^.]*$/, "");
  const name = `${stem}-live.zip`;
  download(zip(entriesOf(saved, source)), name);
  const copy = h("button", { type: "button", click: () => void navigator.clipboard?.writeText(saved.command) }, "Copy the command");
  menu.replaceChildren(
    h("h2", {}, "Run saved"),
    h("p", {}, h("b", {}, name), ` has the model, tables of pulls and inputs, and ${SCRIPT}, which repeats the run bit for bit:`),
    h("pre", {}, saved.command),
    h("p", { class: "quiet" }, "State hash ", h("code", {}, saved.hash)),
    h("div", { class: "actions" }, copy),
  );
  menu.showPopover();
}
