// Elements of the page in one line each.

type Child = Node | string | null;

/** <tag attributes>children</tag>; a function as attribute listens to that event. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | ((event: Event) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const ICONS: Record<string, string> = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  start: "M6 5h2.5v14H6zM19 5v14L9.5 12z",
  end: "M15.5 5H18v14h-2.5zM5 5v14l9.5-7z",
  loop: "M17 3l4 4-4 4V8H7a2 2 0 0 0-2 2v2H3v-2a4 4 0 0 1 4-4h10zM7 21l-4-4 4-4v3h10a2 2 0 0 0 2-2v-2h2v2a4 4 0 0 1-4 4H7z",
  parts: "M4 5h6v2H4zM8 11h12v2H8zM8 17h12v2H8zM5 8h1.5v10H5z",
  plots: "M4 4h2v14h14v2H4zM8 14l4-5 3 3 4-6 1.6 1.2-5.4 8L12 12l-2.5 3.2z",
  options: "M4 7h9v2H4zM17 7h3v2h-3zM13 5h3v6h-3zM4 15h3v2H4zM11 15h9v2h-9zM7 13h3v6H7z",
  save: "M11 4h2v8.200l2.600-2.600L17 11l-5 5-5-5 1.400-1.400L11 12.200zM5 18h14v2H5z",
  theme: "M12 3a9 9 0 1 0 9 9c0-.5 0-.9-.1-1.4A6 6 0 0 1 12.4 3z",
  help: "M11 17h2v2h-2zM12 4a5 5 0 0 0-5 5h2a3 3 0 1 1 4.2 2.7C11.800 12.400 11 13.300 11 15h2c0-.9.4-1.200 1.200-1.700A5 5 0 0 0 12 4z",
  step: "M6 4.5v15l9-7.500zM17 5h2.500v14H17z",
  edit: "M4 5h10v2H4zM4 10h7v2H4zM4 15h5v2H4zM19.700 9.300l1.500 1.500-8 8-2.200.700.700-2.200z",
  sliders: "M5 4h2v5H5zM5 13h2v7H5zM3 9.500h6v3H3zM11 4h2v9h-2zM11 17h2v3h-2zM9 13.500h6v3H9zM17 4h2v3h-2zM17 11h2v9h-2zM15 7.500h6v3h-6z",
  open: "M4 5h6l2 2h8v3H4zM4 11h16v8H4z",
  close: "M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", ICONS[name] ?? "");
  svg.append(shape);
  return svg;
}

export function iconButton(
  name: string, label: string, pressed: () => void, extra: Record<string, string> = {},
): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "icon", "aria-label": label, title: label, click: pressed, ...extra },
    icon(name),
  );
}

/** Four significant digits, never wider than it must be. What is as good as zero is 0. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "not a number";
  const size = Math.abs(value);
  if (size < 1e-25) return "0";
  if (size < 1e-3 || size >= 1e6) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}
