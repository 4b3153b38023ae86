// The largest and the smallest value of a signal, and when it had them first.

import type { Series } from "./facts.ts";

export interface Peak {
  value: number;
  time: number;
}

/** Null without a number. */
export function peaks(one: Series): { largest: Peak; smallest: Peak } | null {
  let largest: Peak | null = null;
  let smallest: Peak | null = null;
  one.values.forEach((value, k) => {
    const time = one.time[k];
    if (!Number.isFinite(value) || time === undefined) return;
    if (largest === null || value > largest.value) largest = { value, time };
    if (smallest === null || value < smallest.value) smallest = { value, time };
  });
  return largest && smallest ? { largest, smallest } : null;
}
