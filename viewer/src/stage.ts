// Camera, lights and the canvas. Draws when asked; what is drawn is added to `scene` by others.

import {
  Color, DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** The browser cannot draw in three dimensions. */
export class NoWebGL extends Error {}

interface Flight {
  start: number;
  from: { direction: Vector3; distance: number; target: Vector3 };
  to: { direction: Vector3; distance: number; target: Vector3 };
}
const FLIGHT_MS = 320;

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
  private shadows: boolean;

  constructor(holder: HTMLElement, up: Vector3, extent: number, shadows: boolean, still: boolean) {
    this.up = up;
    this.extent = extent;
    this.shadows = shadows;
    this.canvas = document.createElement("canvas");
    try {
      this.renderer = new WebGLRenderer({
        canvas: this.canvas, antialias: true, preserveDrawingBuffer: still,
      });
    } catch (error) {
      throw new NoWebGL((error as Error).message);
    }
    holder.append(this.canvas);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = shadows;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.onNeedsDraw());
    this.controls.addEventListener("start", () => (this.flight = null));
    this.lights();
    new ResizeObserver(() => this.resize(holder)).observe(holder);
    this.resize(holder);
  }

  private lights(): void {
    this.sky.position.copy(this.up);
    this.key.castShadow = this.shadows;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -4e-4;
    this.key.shadow.normalBias = 0.01 * this.extent;
    this.key.shadow.radius = 3;
    this.scene.add(this.sky, this.key, this.key.target);
  }

  private resize(holder: HTMLElement): void {
    const width = Math.max(1, holder.clientWidth);
    const height = Math.max(1, holder.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    // On a tall screen the width decides what fits.
    this.camera.fov = width < height ? Math.min(60, 30 * (height / width) ** 0.8) : 30;
    this.camera.updateProjectionMatrix();
    this.onNeedsDraw();
  }

  setBackground(color: string, dark: boolean): void {
    this.scene.background = new Color(color);
    this.sky.intensity = dark ? 1.25 : 1.7;
    this.sky.groundColor.set(dark ? "#4a4d57" : "#a3a3a8");
    this.key.intensity = dark ? 1.9 : 2.1;
  }

  get target(): Vector3 {
    return this.controls.target;
  }
  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Distance from which a ball of this diameter fills most of the picture. */
  fit(size: number): number {
    return (0.52 * size) / Math.tan((this.camera.fov * Math.PI) / 360);
  }

  place(target: Vector3, direction: Vector3, distance: number, smooth: boolean): void {
    const calm = window.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
    if (!smooth || calm) {
      this.flight = null;
      this.controls.target.copy(target);
      this.camera.position.copy(target).addScaledVector(direction, distance);
      this.controls.update();
    } else {
      const now = this.camera.position.clone().sub(this.target);
      this.flight = {
        start: performance.now(),
        from: {
          direction: now.clone().normalize(), distance: now.length(), target: this.target.clone(),
        },
        to: { direction: direction.clone(), distance, target: target.clone() },
      };
    }
    this.onNeedsDraw();
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
    const distance = from.distance + ease * (to.distance - from.distance);
    this.controls.target.lerpVectors(from.target, to.target, ease);
    this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    if (s >= 1) this.flight = null;
    this.controls.update();
    return true;
  }

  draw(): void {
    const distance = this.distance;
    this.camera.near = distance / 200;
    this.camera.far = 60 * distance + 20 * this.extent;
    this.camera.updateProjectionMatrix();
    this.camera.lookAt(this.target);
    this.aimLight(distance);
    this.renderer.render(this.scene, this.camera);
  }

  // The light goes along; its shadow covers what is looked at. Moving it in whole texels would be
  // finer, but at this softness the difference cannot be seen.
  private aimLight(distance: number): void {
    const half = Math.max(0.75 * this.extent, Math.min(0.45 * distance, 4 * this.extent));
    const side = new Vector3(this.up.y, this.up.z, this.up.x);
    const other = new Vector3().crossVectors(this.up, side);
    this.key.target.position.copy(this.target);
    this.key.position
      .copy(this.target)
      .addScaledVector(this.up, 2.4 * half)
      .addScaledVector(side, 0.9 * half)
      .addScaledVector(other, -1.3 * half);
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
