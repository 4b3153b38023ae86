// Films as MP4 (ISO 14496-12): one video track with frames of equal length, which need no reordering. The
// index comes before the frames, so that players start at once. For H.264 and VP9, as WebCodecs encodes them.

export interface Track {
  codec: string; // of WebCodecs: "avc1.420028", "vp09.00.40.08"
  width: number;
  height: number;
  rate: number; // frames per second
  description: Uint8Array | null; // avcC of H.264
}
export interface Sample {
  bytes: Uint8Array;
  isKey: boolean;
}

const SCALE = 1000; // parts of a frame in the track's clock
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

const u8 = (...values: number[]) => Uint8Array.from(values);
const u16 = (...values: number[]) => Uint8Array.from(values.flatMap((v) => [v >>> 8, v & 255]));
const u32 = (values: ArrayLike<number>): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < values.length; k++) view.setUint32(4 * k, values[k]!);
  return bytes;
};
const letters = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function box(type: string, ...content: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const body = join(content);
  return join([u32([8 + body.length]), letters(type), body]);
}

function sampleEntry(track: Track): Uint8Array {
  const isVp9 = track.codec.startsWith("vp09");
  const [profile = 0, level = 40] = track.codec.split(".").slice(1).map(Number);
  const configuration = isVp9
    ? box("vpcC", u32([0x01000000]), u8(profile, level, 0x82, 2, 2, 2), u16(0)) // 8 bits, 4:2:0, unspecified colors
    : box("avcC", track.description ?? new Uint8Array());
  return box(
    isVp9 ? "vp09" : "avc1", u16(0, 0, 0, 1), u32([0, 0, 0, 0]), u16(track.width, track.height),
    u32([0x480000, 0x480000, 0]), u16(1), new Uint8Array(32), u16(24, 0xffff), configuration,
  );
}

function sampleTable(track: Track, samples: Sample[], start: number): Uint8Array {
  const keys = samples.flatMap((sample, k) => (sample.isKey ? [k + 1] : []));
  return box(
    "stbl",
    box("stsd", u32([0, 1]), sampleEntry(track)),
    box("stts", u32([0, 1, samples.length, SCALE])),
    box("stss", u32([0, keys.length, ...keys])),
    box("stsc", u32([0, 1, 1, samples.length, 1])), // one chunk holds all
    box("stsz", u32([0, 0, samples.length]), u32(samples.map((sample) => sample.bytes.length))),
    box("stco", u32([0, 1, start])),
  );
}

function movie(track: Track, samples: Sample[], start: number): Uint8Array {
  const duration = samples.length * SCALE;
  const clock = Math.round(track.rate * SCALE);
  return box(
    "moov",
    box(
      "mvhd", u32([0, 0, 0, clock, duration, 0x10000]), u16(0x100, 0), u32([0, 0, ...MATRIX]),
      new Uint8Array(24), u32([2]),
    ),
    box(
      "trak",
      box(
        "tkhd", u32([3, 0, 0, 1, 0, duration, 0, 0]), u16(0, 0, 0, 0), u32(MATRIX),
        u32([track.width << 16, track.height << 16]),
      ),
      box(
        "mdia",
        box("mdhd", u32([0, 0, 0, clock, duration]), u16(0x55c4, 0)), // no language
        box("hdlr", u32([0, 0]), letters("vide"), u32([0, 0, 0]), letters("Video\0")),
        box(
          "minf",
          box("vmhd", u32([1]), u16(0, 0, 0, 0)),
          box("dinf", box("dref", u32([0, 1]), box("url ", u32([1])))),
          sampleTable(track, samples, start),
        ),
      ),
    ),
  );
}

export function writeMp4(track: Track, samples: Sample[]): Uint8Array<ArrayBuffer> {
  const type = box("ftyp", letters("isom"), u32([0x200]), letters("isomiso2mp41"));
  const start = type.length + movie(track, samples, 0).length + 8;
  const frames = samples.map((sample) => sample.bytes);
  const size = frames.reduce((sum, frame) => sum + frame.length, 8);
  return join([type, movie(track, samples, start), u32([size]), letters("mdat"), ...frames]);
}
