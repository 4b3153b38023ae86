// Camera, lights and the canvas. Draws when asked; what is drawn is added to `scene` by others.

import {
  Color, DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Vector2,
  Vector3, WebGLRenderer, type Mesh,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Pace, type Quality } from "./quality.ts";

/** The browser cannot draw in three dimensions. */
export class NoWebGL extends Error {}

/** The camera: its target, its position, and the part of the target that fills the picture. */
export interface Place {
  target: Vector3;
  direction: Vector3; // from the target to the camera
  span: number; // height of the picture at the target
  angle: number; // of view, degrees; a small one is nearly parallel projection
}
interface Flight {
  start: number;
  from: Place;
  to: Place;
}
const FLIGHT_MS = 320;
const halfTangent = (angle: number) => Math.tan((angle * Math.PI) / 360);

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(30, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly canvas: HTMLCanvasElement;
  onNeedsDraw: () => void = () => {};
  private renderer: WebGLRenderer;
  private key = new DirectionalLight("#ffffff", 2.1);
  private sky = new HemisphereLight("#ffffff", "#8d8d93", 1.5);
  private up: Vector3;
  private extent: number;
  private flight: Flight | null = null;
  private pace: Pace;
  private still: boolean;
  private measures: boolean;
  private exposed: number | null = null; // pixel ratio while a picture or film is drawn
  private resizes: ResizeObserver;

  constructor(
    holder: HTMLElement, up: Vector3, extent: number,
    how: { shadows: boolean; still: boolean; software: boolean; live: boolean },
  ) {
    const { shadows, still, software, live } = how;
    this.up = up;
    this.extent = extent;
    this.canvas = document.createElement("canvas");
    this.still = still;
    this.measures = !live; // a first picture at once; the pace adapts to those that follow
    this.pace = new Pace(window.devicePixelRatio || 1, shadows, software);
    try {
      this.renderer = new WebGLRenderer({
        canvas: this.canvas, antialias: still || !software, preserveDrawingBuffer: still,
      });
    } catch (error) {
      throw new NoWebGL((error as Error).message);
    }
    holder.append(this.canvas);
    this.apply(still ? this.pace.resting() : this.pace.moving());
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.onNeedsDraw());
    this.controls.addEventListener("start", () => (this.flight = null));
    this.lights();
    this.resizes = new ResizeObserver(() => this.resize(holder));
    this.resizes.observe(holder);
    this.resize(holder);
  }

  dispose(): void {
    this.resizes.disconnect();
    this.controls.dispose();
    this.scene.traverse((thing) => {
      const { geometry, material } = thing as Partial<Mesh>;
      geometry?.dispose();
      for (const one of Array.isArray(material) ? material : material ? [material] : []) one.dispose();
    });
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }

  private lights(): void {
    this.sky.position.copy(this.up);
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -4e-4;
    this.key.shadow.normalBias = 0.01 * this.extent;
    this.key.shadow.radius = 3;
    this.scene.add(this.sky, this.key, this.key.target);
  }

  resize(holder: HTMLElement): void {
    if (this.exposed !== null) return;
    const width = Math.max(1, holder.clientWidth);
    const height = Math.max(1, holder.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.onNeedsDraw();
  }

  /**
   * Draws in another size until the returned function is called, `ratio` times as finely if the browser
   * can. What fits the page fits a narrower picture too.
   */
  expose(width: number, height: number, ratio: number): () => void {
    const { camera, renderer } = this;
    const { aspect } = camera;
    const usual = renderer.getPixelRatio();
    const size = renderer.getSize(new Vector2());
    const most = renderer.capabilities.maxTextureSize;
    this.flight = null;
    this.exposed = ratio * Math.max(width, height) <= Math.min(8192, most) ? ratio : 1;
    renderer.setPixelRatio(this.exposed);
    renderer.setSize(width, height, false);
    camera.aspect = width / height;
    camera.zoom = Math.min(1, camera.aspect / aspect);
    return () => {
      this.exposed = null;
      camera.zoom = 1;
      camera.aspect = aspect;
      renderer.setPixelRatio(usual);
      renderer.setSize(size.x, size.y);
      camera.updateProjectionMatrix();
      this.onNeedsDraw();
    };
  }

  setBackground(color: string, dark: boolean): void {
    this.scene.background = new Color(color);
    this.sky.intensity = dark ? 1.6 : 1.7;
    this.sky.groundColor.set(dark ? "#6a6e7a" : "#a3a3a8");
    this.key.intensity = dark ? 1.9 : 2.1;
  }

  get target(): Vector3 {
    return this.controls.target;
  }
  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Height of what is seen at the target. */
  get span(): number {
    return 2 * this.distance * halfTangent(this.camera.fov);
  }

  /** Span in which something of this size just fits the picture, also a tall one. */
  fit(height: number, width: number): number {
    return Math.max(height, width / this.camera.aspect);
  }

  get here(): Place {
    const away = this.camera.position.clone().sub(this.target);
    return {
      target: this.target.clone(), direction: away.normalize(), span: this.span,
      angle: this.camera.fov,
    };
  }

  place(to: Place, smooth: boolean): void {
    const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
    if (!smooth || calm) {
      this.flight = null;
      this.set(to);
    } else this.flight = { start: performance.now(), from: this.here, to };
    this.onNeedsDraw();
  }

  private set({ target, direction, span, angle }: Place): void {
    this.camera.fov = angle;
    this.controls.target.copy(target);
    this.camera.position
      .copy(target)
      .addScaledVector(direction, span / (2 * halfTangent(angle)));
    this.controls.update();
  }

  /** Moves camera and target together: following a body. */
  carry(by: Vector3): void {
    this.controls.target.add(by);
    this.camera.position.add(by);
    if (this.flight) {
      this.flight.from.target.add(by);
      this.flight.to.target.add(by);
    }
  }

  /** True while the camera is on its way to another view. */
  fly(): boolean {
    if (!this.flight) return false;
    const { from, to, start } = this.flight;
    const s = Math.min(1, (performance.now() - start) / FLIGHT_MS);
    const ease = s * s * (3 - 2 * s);
    const direction = from.direction.clone().lerp(to.direction, ease);
    if (direction.length() < 1e-3) direction.copy(to.direction);
    direction.normalize();
    const mix = (a: number, b: number) => a * (b / a) ** ease;
    this.set({
      target: from.target.clone().lerp(to.target, ease), direction,
      span: mix(from.span, to.span), angle: mix(from.angle, to.angle),
    });
    if (s >= 1) this.flight = null;
    return true;
  }

  /** The time since the last frame, while frames follow each other. */
  observe(milliseconds: number): void {
    this.pace.observe(milliseconds);
  }

  /** Nothing moves: true when the same picture can be drawn more finely. */
  get worthRefining(): boolean {
    return !this.still && this.pace.worthRefining;
  }

  private apply({ shadows, ratio }: Quality): void {
    this.key.castShadow = shadows;
    if (this.exposed !== null) return;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
  }

  draw(fine = this.still): void {
    this.apply(fine ? this.pace.resting() : this.pace.moving());
    const { distance, span } = this;
    // Whatever the angle of view: from near the model to far behind it.
    this.camera.near = Math.max(distance / 200, distance - 8 * (span + this.extent));
    this.camera.far = distance + 100 * span + 20 * this.extent;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(this.target);
    this.aimLight(span);
    this.renderer.render(this.scene, this.camera);
    if (this.measures && this.pace.guesses && !fine) this.measure();
  }

  // The second picture: the first one was also busy with its programs. Reading waits for the end.
  private measure(): void {
    const gl = this.renderer.getContext();
    const wait = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    wait();
    const begin = performance.now();
    this.renderer.render(this.scene, this.camera);
    wait();
    this.pace.begin(performance.now() - begin);
  }

  // The light goes along; its shadow covers the view. Moving it in whole texels would be
  // finer, but at this softness the difference cannot be seen.
  private aimLight(span: number): void {
    const half = Math.max(0.75 * this.extent, Math.min(0.85 * span, 4 * this.extent));
    // From above, behind the reader's right shoulder in the first view.
    const forward = Math.abs(this.up.x) > 0.5 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    const left = new Vector3().crossVectors(this.up, forward);
    this.key.target.position.copy(this.target);
    this.key.position
      .copy(this.target)
      .addScaledVector(this.up, 2.3 * half)
      .addScaledVector(left, -1.5 * half)
      .addScaledVector(forward, 0.35 * half);
    const camera = this.key.shadow.camera;
    if (camera.right !== half) {
      camera.left = camera.bottom = -half;
      camera.right = camera.top = half;
      camera.near = 0.1 * half;
      camera.far = 6 * half;
      camera.updateProjectionMatrix();
    }
  }

  get calls(): number {
    return this.renderer.info.render.calls;
  }
}
