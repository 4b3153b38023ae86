// A ZIP archive of a few small files, stored without compression.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

export interface Entry {
  name: string;
  data: string | Uint8Array;
  isProgram?: boolean;
}

const UTF8 = 0x0800; // names are
const UNIX = 0x0314;
const YEAR_1980 = 0x21; // the first day that a date can be

export function zip(entries: Entry[]): Blob {
  const parts: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let at = 0;
  for (const { name, data, isProgram } of entries) {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    const title = new TextEncoder().encode(name);
    // Version, flags, method, time, date, sum, sizes, length of the name, no more fields.
    const common = [[20, 2], [UTF8, 2], [0, 2], [0, 2], [YEAR_1980, 2], [crc32(bytes), 4], [bytes.length, 4],
      [bytes.length, 4], [title.length, 2], [0, 2]] as [number, number][];
    const head = record([[0x04034b50, 4], ...common]);
    const mode = (isProgram ? 0o100755 : 0o100644) * 65536;
    list.push(record([[0x02014b50, 4], [UNIX, 2], ...common, [0, 2], [0, 2], [0, 2], [mode, 4], [at, 4]]), title);
    parts.push(head, title, bytes);
    at += head.length + title.length + bytes.length;
  }
  const size = list.reduce((sum, part) => sum + part.length, 0);
  const end = record([[0x06054b50, 4], [0, 2], [0, 2], [entries.length, 2], [entries.length, 2], [size, 4], [at, 4], [0, 2]]);
  return new Blob([...parts, ...list, end] as BlobPart[], { type: "application/zip" });
}

// Numbers with their sizes in bytes, little endian.
function record(fields: [number, number][]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 4) view.setUint32(at, value >>> 0, true);
    else view.setUint16(at, value, true);
    at += size;
  }
  return bytes;
}
