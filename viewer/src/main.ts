// Starts: reads the address, loads the data, builds the page, or says why not.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./live/live.css";
import { App } from "./app.ts";
import { h } from "./dom.ts";
import { LiveApp } from "./live/app.ts";
import { liveParts } from "./live/parts.ts";
import { fatal } from "./messages.ts";
import { readParameters } from "./parameters.ts";
import { holdsRun, load } from "./source.ts";
import { Theme } from "./theme.ts";

const parameters = readParameters(location.search, location.hash, document.body.dataset.mode);
const theme = new Theme(parameters.theme);
document.body.dataset.mode = parameters.still ? "still" : parameters.embed ? "embed" : "full";

// For scripts that take pictures and for tests: the page is drawn, or has said why not.
function ready(): void {
  requestAnimationFrame(() => {
    document.body.dataset.ready = "1";
    document.documentElement.dataset.ready = "1";
  });
}

// Results if there are any, unless the address asks for the model itself.
async function start(): Promise<void> {
  const parts = parameters.still || parameters.embed ? null : liveParts();
  const hasRun = holdsRun() || parts?.page.has_results === true;
  if (parts && (parameters.live || !hasRun)) {
    const app = new LiveApp(parts, parameters, theme, hasRun);
    Object.assign(window, { holonLive: app });
    await app.ready;
    document.body.dataset.state = "live";
    return;
  }
  const app = new App(await load(parameters.data, !parameters.still && !parameters.embed), parameters, theme);
  if (parts) liveButton();
  Object.assign(window, { holonViewer: app });
  document.body.dataset.state = "shown";
}

function liveButton(): void {
  const go = () => {
    location.hash = "live";
    location.reload();
  };
  document.getElementById("tools")?.prepend(
    h("button", { type: "button", class: "text", id: "live", title: "Run this model in the page", click: go }, "Live"),
  );
}

try {
  await start();
} catch (error) {
  fatal(error);
}
ready();
