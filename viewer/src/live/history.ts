// The frames of a live run so far, as a motion that grows. The oldest half is dropped when it is full.

import type { Gap, Motion } from "../motion.ts";

const FRAMES = 7200; // two minutes
const NUMBERS = 12e6; // 48 MB

export class History implements Motion {
  frames = 0;
  first = 0;
  last = 0;
  promised = 0;
  gap: Gap | null = null;
  readonly stride: number;
  readonly times: Float64Array;
  readonly records: Float32Array;
  private capacity: number;

  constructor(stride: number) {
    this.stride = stride;
    this.capacity = Math.max(4, Math.min(FRAMES, Math.floor(NUMBERS / stride)));
    this.times = new Float64Array(this.capacity);
    this.records = new Float32Array(this.capacity * stride);
  }

  clear(): void {
    this.frames = 0;
  }

  /** A time that is not later takes the place of the frames from it on. */
  push(time: number, record: Float32Array): void {
    while (this.frames > 0 && !(time > this.times[this.frames - 1]!)) this.frames--;
    if (this.frames === this.capacity) this.dropHalf();
    this.times[this.frames] = time;
    this.records.set(record.subarray(0, this.stride), this.frames * this.stride);
    this.frames++;
    this.promised = this.frames;
    this.first = this.times[0]!;
    this.last = time;
  }

  private dropHalf(): void {
    const half = this.capacity >> 1;
    this.times.copyWithin(0, half, this.frames);
    this.records.copyWithin(0, half * this.stride, this.frames * this.stride);
    this.frames -= half;
  }
}
