// Starts: reads the address, loads the data, builds the page, or says why not.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app.ts";
import { fatal } from "./messages.ts";
import { readParameters } from "./parameters.ts";
import { load } from "./source.ts";
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

try {
  const app = new App(
    await load(parameters.data, !parameters.still && !parameters.embed), parameters, theme,
  );
  Object.assign(window, { holonViewer: app });
  document.body.dataset.state = "shown";
} catch (error) {
  fatal(error);
}
ready();
