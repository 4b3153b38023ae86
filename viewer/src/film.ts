// A film of a canvas, frame for frame: encoded by the browser (WebCodecs), or recorded while it plays
// (MediaRecorder) in a browser that cannot.

import { writeMp4, type Sample, type Track } from "./mp4.ts";

export interface Frames {
  width: number; // even
  height: number;
  rate: number; // frames per second
  count: number;
  draw: (frame: number) => HTMLCanvasElement; // the same canvas each time
  progress: (part: number) => void;
  signal: AbortSignal;
}
export interface Film {
  bytes: Blob;
  ending: string; // of the file's name
}

const KEY_EVERY = 2; // seconds between frames that stand alone
const PENDING = 4; // frames that wait for the encoder
const LAST_FRAME = 100; // milliseconds in which a recorder takes what was drawn last
const NO_FILMS = "This browser can write no films. Use: holon view DIR --mp4 FILE";

// Levels of H.264 by their largest number of macroblocks a second.
const AVC_LEVELS: [number, string][] = [[108000, "1f"], [245760, "28"], [983040, "33"], [2073600, "34"]];

/** Those that may be supported, the most widely played first. H.264 without frames out of order (baseline). */
export function codecsFor(width: number, height: number, rate: number): string[] {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16) * rate;
  const level = AVC_LEVELS.find(([most]) => blocks <= most);
  return [...(level ? [`avc1.4200${level[1]}`] : []), width * height > 2.3e6 ? "vp09.00.51.08" : "vp09.00.41.08"];
}

async function configurationOf({ width, height, rate }: Frames): Promise<VideoEncoderConfig | null> {
  if (typeof VideoEncoder === "undefined") return null;
  for (const codec of codecsFor(width, height, rate)) {
    const wanted: VideoEncoderConfig = {
      codec, width, height, framerate: rate, bitrate: Math.round(0.2 * width * height * rate), latencyMode: "quality",
      ...(codec.startsWith("avc1") ? { avc: { format: "avc" } } : {}),
    };
    try {
      if ((await VideoEncoder.isConfigSupported(wanted)).supported) return wanted;
    } catch {
      // unknown to this browser: the next one
    }
  }
  return null;
}

const pause = () => new Promise<void>((done) => setTimeout(done, 0));

async function encode(frames: Frames, configuration: VideoEncoderConfig): Promise<Film> {
  const { width, height, rate, count } = frames;
  const samples: Sample[] = [];
  const track: Track = { codec: configuration.codec, width, height, rate, description: null };
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, about) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      samples.push({ bytes, isKey: chunk.type === "key" });
      const given = about?.decoderConfig?.description;
      if (given && !track.description) {
        track.description = ArrayBuffer.isView(given)
          ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice()
          : new Uint8Array(given).slice();
      }
    },
    error: (error) => (failure = error),
  });
  try {
    encoder.configure(configuration);
    for (let k = 0; k < count && !failure; k++) {
      frames.signal.throwIfAborted();
      const timestamp = Math.round((1e6 * k) / rate);
      const frame = new VideoFrame(frames.draw(k), { timestamp, duration: Math.round(1e6 / rate) });
      encoder.encode(frame, { keyFrame: k % Math.round(KEY_EVERY * rate) === 0 });
      frame.close();
      frames.progress(k / count);
      do await pause();
      while (encoder.encodeQueueSize > PENDING && !failure);
    }
    if (!failure) await encoder.flush();
  } finally {
    if (encoder.state !== "closed") encoder.close();
  }
  if (failure) throw failure;
  return { bytes: new Blob([writeMp4(track, samples)], { type: "video/mp4" }), ending: "mp4" };
}

const wait = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds));

/** Each frame is shown for as long as it lasts; the recorder rests while the next one is drawn. */
async function record(frames: Frames): Promise<Film> {
  const type = ["video/webm", "video/mp4"].find((known) => MediaRecorder.isTypeSupported(known));
  if (!type) throw new Error(NO_FILMS);
  const { count, rate } = frames;
  const stream = frames.draw(0).captureStream();
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 8e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const started = new Promise<void>((done) => (recorder.onstart = () => done()));
  const ended = new Promise<void>((done) => (recorder.onstop = () => done()));
  recorder.start();
  await started;
  try {
    for (let k = 0; k < count; k++) {
      frames.signal.throwIfAborted();
      recorder.pause();
      frames.draw(k);
      frames.progress(k / count);
      recorder.resume();
      await wait(1000 / rate);
    }
    await wait(LAST_FRAME);
  } finally {
    recorder.stop();
    for (const one of stream.getTracks()) one.stop();
  }
  await ended;
  return { bytes: new Blob(parts, { type }), ending: type.slice(6) };
}

/** Throws what the signal is aborted with. */
export async function makeFilm(frames: Frames): Promise<Film> {
  const configuration = await configurationOf(frames);
  if (configuration) return encode(frames, configuration);
  if (typeof MediaRecorder !== "undefined") return record(frames);
  throw new Error(NO_FILMS);
}
