// The page and results on a loopback port, as `holon view` serves them, and results put into the
// page itself, as `holon view --html` writes it.

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Results } from "./machines.ts";

export type Files = Record<string, string | Uint8Array>;

const bytes = (array: Float32Array | Float64Array) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** What a results folder holds, under a prefix such as "car/". */
export function filesOf(results: Results, prefix = ""): Files {
  const files: Files = {
    [`${prefix}scene.json`]: JSON.stringify(results.scene),
    [`${prefix}motion.bin`]: bytes(results.motion),
  };
  if (results.signals) {
    files[`${prefix}signals.json`] = JSON.stringify(results.signals.header);
    files[`${prefix}signals.bin`] = bytes(results.signals.records);
  }
  if (results.certificate) {
    files[`${prefix}certificate.json`] = JSON.stringify(results.certificate);
  }
  return files;
}

export async function serve(page: string, files: Files): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname).slice(1);
    const content = path === "" ? readFileSync(page) : files[path];
    response.writeHead(content === undefined ? 404 : 200, {
      "Content-Type": path === "" ? "text/html; charset=utf-8" : "application/octet-stream",
    });
    response.end(content ?? "not there");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

const base64 = (array: Float32Array | Float64Array) => Buffer.from(bytes(array)).toString("base64");

/** One page with everything inside. */
export function selfContained(page: string, results: Results, against: Results | null = null): string {
  const script = (type: string, id: string, content: string) =>
    `<script type="${type}" id="holon-${id}">${content.replaceAll("</", "<\\/")}</script>\n`;
  const json = "application/json";
  const binary = "application/octet-stream;base64";
  let data = script(json, "scene", JSON.stringify(results.scene));
  data += script(binary, "motion", base64(results.motion));
  if (results.signals) {
    const { header, records } = results.signals;
    const content = { ...header, data: base64(Float32Array.from(records)) };
    data += script(json, "signals", JSON.stringify(content));
  }
  if (results.certificate) data += script(json, "certificate", JSON.stringify(results.certificate));
  if (against) {
    data += script(json, "against-scene", JSON.stringify(against.scene));
    data += script(binary, "against-motion", base64(against.motion));
  }
  const marker = "<!--holon-data-->";
  const html = readFileSync(page, "utf8");
  if (html.split(marker).length !== 2) throw new Error("the page must have one place for data");
  return html.replace(marker, () => data);
}
