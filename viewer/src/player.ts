// The clock: which instant is shown, and how it moves on. Knows nothing of drawing.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

export class Player {
  readonly first: number;
  readonly last: number;
  time: number;
  speed: number;
  loop = true;
  playing = false;
  private listeners: (() => void)[] = [];

  constructor(first: number, last: number) {
    this.first = first;
    this.last = last;
    this.time = first;
    this.speed = naturalSpeed(last - first);
  }

  /** Called after every change of time, speed, loop or play. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  play(): void {
    if (this.time >= this.last) this.time = this.first;
    this.playing = this.last > this.first;
    this.changed();
  }

  pause(): void {
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(time: number): void {
    if (!Number.isFinite(time)) return;
    this.time = Math.min(this.last, Math.max(this.first, time));
    this.changed();
  }

  setSpeed(speed: number): void {
    if (!(speed > 0)) return;
    this.speed = speed;
    this.changed();
  }

  /** One speed up (1) or down (-1). */
  shiftSpeed(by: number): void {
    const nearest = SPEEDS.reduce((best, speed, index) =>
      Math.abs(Math.log(speed / this.speed)) < Math.abs(Math.log(SPEEDS[best]! / this.speed))
        ? index
        : best, 0);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, nearest + by))]!);
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.changed();
  }

  /** `elapsed` seconds of the reader's time went by. True when the picture changes. */
  advance(elapsed: number): boolean {
    if (!this.playing) return false;
    // A page that slept does not leap ahead.
    let time = this.time + Math.min(elapsed, 0.25) * this.speed;
    if (time >= this.last) {
      if (this.loop) {
        const span = this.last - this.first;
        time = this.first + ((time - this.first) % span);
      } else {
        time = this.last;
        this.playing = false;
      }
    }
    this.time = time;
    this.changed();
    return true;
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Real time, but slower for short runs: one that is over at once shows nothing. */
export function naturalSpeed(duration: number): number {
  const fitting = SPEEDS.filter((speed) => speed <= 1 && duration / speed >= 4);
  return fitting.length > 0 ? fitting[fitting.length - 1]! : SPEEDS[0]!;
}
