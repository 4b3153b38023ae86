// The search in the header: pages and sections whose heading, page or words in code have every word typed.
// Before this file the build puts `const pages = [[title, address, [[heading, anchor, words], ...]], ...]`.
(() => {
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const root = document.body.dataset.root;
  const most = 12;
  let marked = -1;

  const find = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const found = [];
    for (const [title, address, sections] of pages) {
      for (const [heading, anchor, code] of sections) {
        const names = `${title} ${heading}`.toLowerCase();
        const own = heading.toLowerCase();
        if (!words.every((word) => names.includes(word) || code.includes(word))) continue;
        // of the heading, of the page, of words in code
        const rank = words.every((word) => own.includes(word)) ? 0 : words.every((word) => names.includes(word)) ? 1 : 2;
        const isPage = heading === title;
        found.push({ title, heading: isPage ? "" : heading, to: `${root}${address}${isPage ? "" : `#${anchor}`}`, rank: 2 * rank - Number(isPage) });
      }
    }
    return found.sort((a, b) => a.rank - b.rank).slice(0, most);
  };

  const show = () => {
    const found = find(field.value);
    marked = Math.min(marked, found.length - 1);
    list.replaceChildren(...found.map((one, index) => {
      const link = document.createElement("a");
      link.href = one.to;
      link.textContent = one.title;
      if (one.heading) {
        const part = document.createElement("small");
        part.textContent = one.heading;
        link.append(part);
      }
      if (index === marked) link.className = "marked";
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    if (found.length === 0 && field.value.trim()) list.textContent = "Nothing found";
    list.hidden = field.value.trim() === "";
  };

  field.addEventListener("input", () => {
    marked = -1;
    show();
  });
  field.addEventListener("focus", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      marked = Math.max(0, marked + (event.key === "ArrowDown" ? 1 : -1));
      show();
      event.preventDefault();
    } else if (event.key === "Enter") list.querySelectorAll("a")[Math.max(0, marked)]?.click();
  });
  document.addEventListener("focusin", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
  });
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    field.focus();
    event.preventDefault();
  });
})();
