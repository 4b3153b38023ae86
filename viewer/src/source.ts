// Where the data come from: first from the page itself (a self-contained page), otherwise from the
// server that sent the page. Missing signals, certificate or second run are no fault.

import {
  DataError, parseObject, readCertificate, readScene, readSignals,
  type Certificate, type Scene, type Signals,
} from "./data.ts";
import { readMotion, type Motion } from "./motion.ts";

export interface Run {
  scene: Scene;
  motion: Motion;
  signals: Signals | null;
}
export interface Loaded {
  run: Run;
  against: Run | null;
  certificate: Certificate | null;
  warnings: string[];
}

/** Bytes behind a base64 text; another text is a fault of the page. */
export function decodeBase64(encoded: string, what: string): ArrayBuffer {
  let binary: string;
  try {
    binary = atob(encoded.trim());
  } catch {
    throw new DataError(
      `${what} cannot be read`,
      `The part of the page with ${what} is damaged or cut off.`,
      "Write the page again: holon view DIR --html FILE",
    );
  }
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes.buffer;
}

const element = (id: string): string | null => document.getElementById(id)?.textContent ?? null;

/** Results are in the page itself. */
export const holdsRun = (): boolean => element("holon-scene") !== null;

function embeddedRun(prefix: string, plots: boolean, warnings: string[]): Run | null {
  const source = element(`${prefix}scene`);
  if (source === null) return null;
  const scene = readScene(source, warnings, "the embedded scene");
  const encoded = element(`${prefix}motion`);
  if (encoded === null) throw missing("the embedded motion", "it is not in the page");
  const motion = readMotion(scene, decodeBase64(encoded, "the motion"), warnings);
  let signals: Signals | null = null;
  const header = plots ? element(`${prefix}signals`) : null;
  if (header !== null) {
    try {
      const parsed = parseObject(header, "the embedded signals");
      const bytes = decodeBase64(String(parsed.data ?? ""), "the signals");
      const whole = bytes.slice(0, bytes.byteLength - (bytes.byteLength % 4));
      signals = readSignals(parsed, new Float32Array(whole), warnings);
    } catch (error) {
      warnings.push(`No plots of signals: ${(error as Error).message}`);
    }
  }
  return { scene, motion, signals };
}

function missing(what: string, why: string): DataError {
  return new DataError(
    `${what} is missing`,
    `${what} could not be loaded: ${why}.`,
    "Open the results with: holon view DIR",
  );
}

async function get(base: string, name: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(base + name);
  } catch {
    throw missing(name, "there was no answer");
  }
  if (!response.ok) throw missing(name, `the answer was ${response.status}`);
  return response;
}

async function body<T>(name: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch {
    throw missing(name, "the transfer broke off");
  }
}

async function optional<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch {
    return null;
  }
}

// More than a browser can be asked to hold; such runs are plotted by the command.
const LARGEST = 400e6;

async function fetchRun(base: string, plots: boolean, warnings: string[]): Promise<Run> {
  const source = await body("scene.json", (await get(base, "scene.json")).text());
  const scene = readScene(source, warnings);
  const bytes = await body("motion.bin", (await get(base, "motion.bin")).arrayBuffer());
  const motion = readMotion(scene, bytes, warnings);
  const signals = !plots ? null : await optional(async () => {
    const header = parseObject(await (await get(base, "signals.json")).text(), "signals.json");
    const size = 8 * Number(header.samples) * (1 + (header.names as unknown[]).length);
    if (size > LARGEST) {
      warnings.push(`The signals are too large for a page (${Math.round(size / 1e6)} MB). To plot them: holon plot DIR SIGNAL`);
      return null;
    }
    const records = await (await get(base, "signals.bin")).arrayBuffer();
    const whole = records.slice(0, records.byteLength - (records.byteLength % 8));
    return readSignals(header, new Float64Array(whole), warnings);
  });
  return { scene, motion, signals };
}

/**
 * `base`: the folder the data are fetched from when the page holds none, "" or ending in "/".
 * `plots`: signals are wanted too.
 */
export async function load(base: string, plots: boolean): Promise<Loaded> {
  const warnings: string[] = [];
  const embedded = embeddedRun("holon-", plots, warnings);
  if (embedded) {
    const certificate = element("holon-certificate");
    return {
      run: embedded,
      against: second(() => embeddedRun("holon-against-", plots, warnings), warnings),
      certificate: certificate === null ? null : tryCertificate(certificate),
      warnings,
    };
  }
  if (location.protocol === "file:" || location.protocol === "about:") {
    throw new DataError(
      "This page holds no results",
      "It is the viewer without results, opened from a file.",
      "Write a page with results: holon view DIR --html FILE. Or serve a folder: holon view DIR",
    );
  }
  const run = await fetchRun(base, plots, warnings);
  const certificate = await optional(async () => (await get(base, "certificate.json")).text());
  const faults: string[] = [];
  const against = await optional(async () => {
    if (!(await fetch(`${base}against/scene.json`)).ok) return null;
    try {
      return await fetchRun(`${base}against/`, plots, faults);
    } catch (error) {
      faults.push((error as Error).message);
      return null;
    }
  });
  warnings.push(...faults.map((fault) => `Second run: ${fault}`));
  return {
    run,
    against,
    certificate: certificate === null ? null : tryCertificate(certificate),
    warnings,
  };
}

function second(read: () => Run | null, warnings: string[]): Run | null {
  try {
    return read();
  } catch (error) {
    warnings.push(`The second run is not shown: ${(error as Error).message}`);
    return null;
  }
}

function tryCertificate(source: string): Certificate | null {
  try {
    return readCertificate(source);
  } catch {
    return null;
  }
}
