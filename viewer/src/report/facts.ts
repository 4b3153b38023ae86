// The data of a page from the command: one JSON object, in the element holon-page. Everything in it is read
// with care: a page written by another version must not break this one.

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const object = (value: unknown): Json => (isObject(value) ? value : {});
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const objects = (value: unknown): Json[] => list(value).filter(isObject);
export const text = (value: unknown, otherwise = ""): string =>
  typeof value === "string" ? value : otherwise;
export const number = (value: unknown, otherwise = NaN): number =>
  typeof value === "number" && Number.isFinite(value) ? value : otherwise;
export const texts = (value: unknown): string[] => list(value).map((entry) => text(entry));

export interface Series {
  name: string;
  unit: string;
  time: Float64Array;
  values: Float64Array;
}

const numbers = (value: unknown): Float64Array =>
  Float64Array.from(list(value), (entry) => number(entry));

export function series(value: unknown): Series[] {
  return objects(value).map((entry) => ({
    name: text(entry.name), unit: text(entry.unit), time: numbers(entry.time),
    values: numbers(entry.values),
  }));
}

/** Four digits, or a power of ten. */
export function short(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 1e-25) return "0";
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e");
  return `${Number(mantissa)}e${Number(exponent)}`.replace(/^-/, "−");
}
