// The menu that writes what is seen as a picture (PNG) or the whole run as a film, in a size of choice.

import { timeText } from "./bar.ts";
import { h } from "./dom.ts";
import { makeFilm } from "./film.ts";
import { banner } from "./messages.ts";
import type { Player } from "./player.ts";
import type { Palette } from "./theme.ts";
import type { World } from "./world.ts";

export interface Saving {
  name: string; // files start with it
  world: World;
  player: Player;
  palette: () => Palette;
  /** Everything on the page at a time. */
  show: (time: number) => void;
  /** No other drawing while a film is written. */
  hold: (isHeld: boolean) => void;
}

const SIZES = ["as shown", "1280 × 720", "1920 × 1080", "3840 × 2160", "1080 × 1080"];
const RATES = [30, 60, 25];
const MOST_FRAMES = 20_000;

const even = (value: number) => 2 * Math.round(value / 2);

/** "Car on ramps, 2" -> "car-on-ramps-2" */
export function fileName(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "model";
}

/** Frames of a film of this many simulated seconds: both ends are shown. */
export function frameCount(duration: number, speed: number, rate: number): number {
  return Math.max(1, Math.round((duration / speed) * rate) + 1);
}

export function download(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Draws what the stage shows, at its size, with the time in the corner. */
class Easel {
  readonly canvas: HTMLCanvasElement;
  private saving: Saving;
  private restore: () => void;
  private context: CanvasRenderingContext2D;

  constructor(saving: Saving, [width, height]: [number, number], ratio: number) {
    this.saving = saving;
    this.canvas = h("canvas", { width: String(width), height: String(height) });
    this.context = this.canvas.getContext("2d")!;
    this.context.imageSmoothingQuality = "high";
    this.restore = saving.world.stage.expose(width, height, ratio);
  }

  draw(hasTime: boolean): HTMLCanvasElement {
    const { canvas, context, saving } = this;
    const { world, player } = saving;
    world.draw(true);
    context.drawImage(world.stage.canvas, 0, 0, canvas.width, canvas.height);
    if (hasTime) {
      const size = Math.max(12, Math.round(canvas.height / 32));
      context.font = `${size}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
      context.fillStyle = saving.palette().text;
      context.fillText(`t = ${timeText(player.time, player.last - player.first)} s`, size, canvas.height - size);
    }
    return canvas;
  }

  close(): void {
    this.restore();
  }
}

async function picture(saving: Saving, size: [number, number], hasTime: boolean): Promise<void> {
  const easel = new Easel(saving, size, 2);
  const canvas = easel.draw(hasTime);
  easel.close();
  const bytes = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!bytes) throw new Error("The browser could not write a picture of this size.");
  const { player } = saving;
  download(bytes, `${saving.name}-${timeText(player.time, player.last - player.first)}s.png`);
}

async function film(
  saving: Saving, size: [number, number], rate: number, hasTime: boolean, progress: (part: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { player } = saving;
  const { time, first, last, speed } = player;
  const count = frameCount(last - first, speed, rate);
  if (count > MOST_FRAMES) throw new Error(`The film would have ${count} frames; choose a higher speed.`);
  player.pause();
  saving.hold(true);
  const easel = new Easel(saving, size, 1);
  try {
    const made = await makeFilm({
      width: size[0], height: size[1], rate, count, progress, signal,
      draw: (frame) => {
        player.time = Math.min(last, first + (frame / rate) * speed);
        saving.show(player.time);
        return easel.draw(hasTime);
      },
    });
    download(made.bytes, `${saving.name}.${made.ending}`);
  } finally {
    easel.close();
    saving.hold(false);
    player.seek(time);
  }
}

/** Fills the menu. The returned function saves a picture at once. */
export function saveMenu(holder: HTMLElement, saving: Saving): () => void {
  const { player, world } = saving;
  const choice = <T extends string | number>(label: string, id: string, values: T[], text: (value: T) => string) => {
    const select = h("select", { id }, ...values.map((value) => h("option", { value: String(value) }, text(value))));
    return { select, line: h("label", { class: "option" }, h("span", {}, label), select) };
  };
  const sizes = choice("Size", "save-size", SIZES, (size) => size);
  const rates = choice("Frames per second", "save-rate", RATES, String);
  const time = h("input", { type: "checkbox", id: "save-time" });
  const state = h("p", { class: "quiet", role: "status" });
  let running: AbortController | null = null;

  const size = (): [number, number] => {
    const [width, height] = sizes.select.value.split(" × ").map(Number);
    if (width && height) return [width, height];
    const { clientWidth, clientHeight } = world.stage.canvas;
    const ratio = window.devicePixelRatio || 1;
    return [even(clientWidth * ratio), even(clientHeight * ratio)];
  };
  const say = (error: unknown) => banner("amber", `Not saved: ${(error as Error).message}`);
  const savePicture = () => void picture(saving, size(), time.checked).catch(say);
  const pictureButton = h("button", { type: "button", id: "save-picture", click: savePicture }, "Picture (PNG)");
  const filmButton = h("button", { type: "button", id: "save-film" }, "Film (MP4)");
  const stop = () => {
    running = null;
    filmButton.textContent = "Film (MP4)";
    pictureButton.disabled = false;
    state.textContent = lengthText();
  };
  const lengthText = () => {
    if (!(player.last > player.first)) return "";
    const seconds = (player.last - player.first) / player.speed;
    return `The film has ${seconds.toPrecision(3)} s, at the speed of the player.`;
  };
  filmButton.addEventListener("click", () => {
    if (running) {
      running.abort(new Error("stopped"));
      return;
    }
    const controller = new AbortController();
    running = controller;
    filmButton.textContent = "Stop";
    pictureButton.disabled = true;
    const progress = (part: number) => (state.textContent = `Writing the film: ${Math.round(100 * part)} %`);
    film(saving, size(), Number(rates.select.value), time.checked, progress, controller.signal)
      .catch((error) => controller.signal.aborted || say(error))
      .finally(stop);
  });
  filmButton.hidden = !(player.last > player.first);
  rates.line.hidden = filmButton.hidden;
  player.onChange(() => running || (state.textContent = lengthText()));
  state.textContent = lengthText();
  holder.append(
    h("h2", {}, "Save"), sizes.line, rates.line, h("label", { class: "option" }, time, h("span", {}, "Show the time")),
    h("div", { class: "actions" }, pictureButton, filmButton), state,
  );
  return savePicture;
}
