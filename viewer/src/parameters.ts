// Parameters of the address: page.html?time=2.9&view=side&still=1, or the same after "#".

import { VIEWS, type ViewName } from "./views.ts";
import type { ThemeName } from "./theme.ts";

export interface Parameters {
  time: number | null;
  view: ViewName | null;
  still: boolean;
  draft: boolean; // no finer picture when things rest
  embed: boolean;
  play: boolean;
  live: boolean; // the model runs, even if its results are in the page
  run: boolean; // ... from the first moment
  theme: ThemeName | null;
  follow: string | null; // name of a body, "" for none
  speed: number | null;
  plot: string[]; // names of signals
  show: string[]; // of: reactions, forces, traces, nojoints, nogrid
  data: string; // folder of the data, relative to the page
}

/** `mode`: the data-mode attribute of the page. */
export function readParameters(search: string, hash: string, mode: string | undefined): Parameters {
  const given = new URLSearchParams(search);
  for (const [name, value] of new URLSearchParams(hash.replace(/^#/, ""))) given.set(name, value);
  const amount = (name: string): number | null => {
    const value = given.get(name);
    return value !== null && value !== "" && Number.isFinite(Number(value)) ? Number(value) : null;
  };
  const flag = (name: string) => given.has(name) && given.get(name) !== "0";
  const names = (name: string) =>
    (given.get(name) ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "");
  const view = given.get("view");
  const theme = given.get("theme");
  return {
    time: amount("time"),
    view: VIEWS.find((known) => known === view) ?? null,
    still: flag("still"),
    draft: flag("draft"),
    embed: flag("embed") || mode === "embed",
    play: flag("play"),
    live: flag("live"),
    run: given.get("run") !== "0",
    theme: theme === "light" || theme === "dark" ? theme : null,
    follow: given.get("follow"),
    speed: amount("speed"),
    plot: names("plot"),
    show: names("show"),
    data: safeFolder(given.get("data") ?? ""),
  };
}

// Only a folder next to the page: an address must not make the page read from elsewhere.
function safeFolder(folder: string): string {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(folder) || folder.split("/").includes("..")) return "";
  return folder.endsWith("/") ? folder : `${folder}/`;
}
