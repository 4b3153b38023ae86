// How finely to draw. A computer without a graphics processor, or with too many bodies for it, draws
// coarser while things move and finely again when they rest.

export interface Quality {
  shadows: boolean;
  ratio: number; // pixels drawn for a pixel of the page
}

const SLOW = 45; // milliseconds from frame to frame: below about 22 a second
const TOO_SLOW = 100; // a finer picture would take about a second, and be in the way
const COARSEST = 0.5;

export class Pace {
  private ratio: number; // while moving
  private shadows: boolean;
  private mean = 0;
  private seen = 0;
  private readonly full: number;
  private readonly canShadow: boolean;
  private readonly software: boolean;

  constructor(devicePixels: number, shadows: boolean, software: boolean) {
    this.full = Math.min(devicePixels, 2);
    this.ratio = software ? Math.min(1, this.full) : this.full;
    this.canShadow = shadows;
    this.shadows = shadows && !software;
    this.software = software;
  }

  /** The time since the last frame, while frames follow each other. */
  observe(milliseconds: number): void {
    this.mean = this.seen === 0 ? milliseconds : 0.7 * this.mean + 0.3 * milliseconds;
    this.seen++;
    if (this.seen < 6 || this.mean < SLOW) return;
    // One step coarser, then look again.
    if (this.shadows) this.shadows = false;
    else this.ratio = Math.max(COARSEST, 0.75 * this.ratio);
    this.seen = 0;
  }

  /** How long a first picture took, before frames follow each other. */
  begin(milliseconds: number): void {
    this.mean = milliseconds;
  }

  get guesses(): boolean {
    return this.software && this.mean === 0;
  }

  moving(): Quality {
    return { shadows: this.shadows, ratio: this.ratio };
  }

  /** Software draws without smoothed edges, so at rest it draws more pixels instead. */
  resting(): Quality {
    return { shadows: this.canShadow, ratio: this.software ? Math.max(this.full, 1.5) : this.full };
  }

  /** False where a fine picture would take so long that it is in the way. */
  get worthRefining(): boolean {
    const { shadows, ratio } = this.resting();
    return (shadows !== this.shadows || ratio !== this.ratio) && this.mean < TOO_SLOW;
  }
}

let software: boolean | null = null; // asking costs a context

/** True where a program draws instead of a graphics processor. */
export function drawsInSoftware(): boolean {
  software ??= asksForSoftware();
  return software;
}

function asksForSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return false;
  const info = context.getExtension("WEBGL_debug_renderer_info");
  const name = String(
    context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER) ?? "",
  );
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
