// Light or dark: as the system says, unless the reader or the address says otherwise.

export interface Palette {
  dark: boolean;
  background: string;
  grid: string;
  road: string;
  edge: string;
  joint: string;
  spring: string;
  reaction: string;
  force: string;
  accent: string;
  text: string;
  faint: string;
}

export const LIGHT: Palette = {
  dark: false,
  background: "#f3f4f6",
  grid: "#8b93a1",
  road: "#c9cbd0",
  edge: "#7d838f",
  joint: "#3f4754",
  spring: "#6a5d9c",
  reaction: "#c2413b",
  force: "#1f7a5c",
  accent: "#2159cc",
  text: "#1d2330",
  faint: "#d7dae0",
};
export const DARK: Palette = {
  dark: true,
  background: "#15181e",
  grid: "#8791a5",
  road: "#3a3f49",
  edge: "#7f8797",
  joint: "#c6ccd8",
  spring: "#a99be0",
  reaction: "#f0807a",
  force: "#63c9a2",
  accent: "#6ea0ff",
  text: "#e6e9ef",
  faint: "#343a45",
};

export type ThemeName = "light" | "dark";

export class Theme {
  name: ThemeName;
  private listeners: ((palette: Palette) => void)[] = [];
  private chosen: boolean;

  constructor(asked: ThemeName | null) {
    const system = window.matchMedia?.("(prefers-color-scheme: dark)");
    const kept = remembered();
    this.chosen = asked !== null || kept !== null;
    this.name = asked ?? kept ?? (system?.matches ? "dark" : "light");
    document.documentElement.dataset.theme = this.name;
    system?.addEventListener("change", (event) => {
      if (!this.chosen) this.set(event.matches ? "dark" : "light");
    });
  }

  get palette(): Palette {
    return this.name === "dark" ? DARK : LIGHT;
  }

  onChange(listener: (palette: Palette) => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.chosen = true;
    this.set(this.name === "dark" ? "light" : "dark");
    try {
      localStorage.setItem("holon-theme", this.name);
    } catch {
      // A page inside another one, or from disk, may have no storage: then for this visit only.
    }
  }

  private set(name: ThemeName): void {
    this.name = name;
    document.documentElement.dataset.theme = name;
    for (const listener of this.listeners) listener(this.palette);
  }
}

function remembered(): ThemeName | null {
  try {
    const name = localStorage.getItem("holon-theme");
    return name === "light" || name === "dark" ? name : null;
  } catch {
    return null;
  }
}
