"""Builds the site as static pages: start, gallery, documentation, benchmarks, comparison. Then checks every
internal link, and that nothing is loaded from elsewhere.

usage: scripts/make-site [--models NAME,NAME] [--check] [FOLDER]      (out/site; all models of site/gallery.table)
"""

import argparse
import html
import json
import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import gallery
from markdown import Page, colored

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
SECTIONS = [("Gallery", "gallery/index.html"), ("Docs", "docs/index.html"),
            ("Benchmarks", "benchmarks/index.html"), ("Comparison", "comparison.html")]
PLACES = {"README.md": "index.html", "docs/README.md": "docs/index.html", "bench/measured.md": "benchmarks/index.html",
          "bench/README.md": "benchmarks/about.html", "CHANGELOG.md": "docs/changes.html",
          "CONTRIBUTING.md": "docs/contributing.html", "models/README.md": "docs/models.html"}
LOGO = ('<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 12L8 3l5 9" fill="none" stroke="currentColor" '
        'stroke-width="2"/><circle cx="3" cy="12" r="2"/><circle cx="8" cy="3" r="2"/><circle cx="13" cy="12" r="2"/></svg>')
ICON = ("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 12L8 3l5 9' "
        "fill='none' stroke='%232159cc' stroke-width='2'/%3E%3Ccircle cx='3' cy='12' r='2'/%3E%3Ccircle cx='8' cy='3' r='2'/"
        "%3E%3Ccircle cx='13' cy='12' r='2'/%3E%3C/svg%3E")
SCHEME = ("(()=>{const r=document.documentElement,k='holon-theme';let t=null;try{t=localStorage.getItem(k)}catch{}"
          "const set=n=>r.dataset.theme=n;"
          "set(t||(matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'));"
          "addEventListener('DOMContentLoaded',()=>{const d=document.querySelector('.side');"
          "if(d&&innerWidth>980)d.open=true});"
          "addEventListener('click',e=>{if(!e.target.closest('#scheme'))return;const n=r.dataset.theme==='dark'?'light':'dark';"
          "set(n);try{localStorage.setItem(k,n)}catch{}})})()")


class Site:
    def __init__(self, out):
        self.out = out
        self.sources = set()  # files of the tree that pages link to
        self.pictures = set()
        self.found = []  # what the search knows: title, address, sections
        colors = (ROOT / "viewer/src/colors.css").read_text()
        (out / "style.css").write_text(colors + (HERE / "style.css").read_text())

    # ---- where things are --------------------------------------------------------------------------

    def place(self, path):
        """The file of the site for a file of the tree; folders list their files."""
        full = ROOT / path
        if path in PLACES:
            return PLACES[path]
        if path.endswith(".md"):
            return "benchmarks/" + path[6:-3] + ".html" if path.startswith("bench/") else path[:-3] + ".html"
        if full.is_dir() or full.suffix not in (".png", ".svg"):
            self.sources.add(path)
            return f"source/{path}{'/index' if full.is_dir() else ''}.html"
        self.pictures.add(path)
        return f"pictures/{path.replace('docs/pictures/', '').replace('bench/plots/', 'bench-')}"

    def linker(self, source, target):
        """Links of a text at `source` in the tree, for its page at `target` in the site."""
        def link(address):
            if re.match(r"[a-z]+:|#", address):
                return html.escape(address)
            path, _, anchor = address.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(source), path))
            if not (ROOT / full).exists():
                sys.exit(f"make-site: {source} links to {address}, which is not there")
            return html.escape(self.relative(self.place(full), target) + (f"#{anchor}" if anchor else ""))
        return link

    @staticmethod
    def relative(to, page):
        return os.path.relpath(to, os.path.dirname(page) or ".")

    # ---- pages -------------------------------------------------------------------------------------

    def write(self, target, title, body, kind="", side=""):
        url = lambda to: self.relative(to, target)
        here = target.split("/")[0]
        links = "".join(
            f'<a href="{url(to)}"{" aria-current=page" if to.split("/")[0] == here else ""}>{name}</a>' for name, to in SECTIONS)
        side = (f'<details class="side"><summary>Contents</summary><nav aria-label="Documentation">{side}</nav></details>'
                if side else "")
        page = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}{"" if title.startswith("Holon") else " - Holon"}</title>
<link rel="icon" href="{ICON}">
<link rel="stylesheet" href="{url("style.css")}">
<script>{SCHEME}</script>
</head>
<body class="{kind}" data-root="{url("index.html").removesuffix("index.html")}">
<a class="skip" href="#main">To the content</a>
<header><div><a class="logo" href="{url("index.html")}">{LOGO}Holon</a><nav aria-label="Sections">{links}</nav>
<div class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false"><ul id="found" hidden></ul></div>
<button id="scheme" type="button" aria-label="Light or dark" title="Light or dark"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a9 9 0 1 0 9 9c0-.5 0-.9-.1-1.4A6 6 0 0 1 12.400 3z"/></svg></button></div></header>
<div class="body">{side}<main id="main">
{body}
</main></div>
<footer><p>Holon, multibody dynamics. Apache License 2.0: <a href="{url(self.place("LICENSE"))}">license</a>,
<a href="{url(self.place("NOTICE"))}">notices</a>, <a href="{url("docs/changes.html")}">changes</a>.</p></footer>
<script src="{url("search.js")}" defer></script>
</body>
</html>
"""
        file = self.out / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page)

    def text_page(self, source, side="", text=None):
        target = self.place(source)
        page = Page(text or (ROOT / source).read_text(), self.linker(source, target), colored)
        title = next((name for level, _, name in page.headings if level == 1), source)
        body = page.html
        self.remember(html.unescape(title), target, body)
        parts = [(anchor, name) for level, anchor, name in page.headings if level == 2]
        if len(parts) > 3:
            on_page = "".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name in parts)
            body = body.replace("</h1>", f'</h1>\n<details class="parts"><summary>On this page</summary><ul>{on_page}</ul></details>', 1)
        self.write(target, html.unescape(title), body, "text", side(target) if side else "")

    def remember(self, title, target, body):
        """Sections of a page for the search: heading, anchor, and the words in its code."""
        parts = re.split(r'<h[1-6] id="([^"]+)">(.*?)<a class="anchor"', body, flags=re.S)
        sections = []
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            words = {html.unescape(word).lower() for word in re.findall(r"<code>([^<\n]{2,30})</code>", text)}
            sections.append([html.unescape(re.sub(r"<[^>]+>", "", heading)), anchor, " ".join(sorted(words))])
        self.found.append([title, target, sections])

    # ---- documentation -----------------------------------------------------------------------------

    def contents(self):
        """The list beside each page, from docs/README.md: sections and the links of their tables."""
        text = (ROOT / "docs/README.md").read_text()
        listed = []
        for part in re.split(r"^## ", text, flags=re.M)[1:]:
            links = re.findall(r"\[([^\]]+)\]\(([^)#]+)\)", part)
            listed.append((part.split("\n")[0], [(name, os.path.normpath("docs/" + to)) for name, to in links]))

        def side(target):
            made = f'<a href="{self.relative("docs/index.html", target)}">All pages</a>'
            for name, links in listed:
                items = ""
                for label, source in links:
                    to = self.place(source)
                    current = " aria-current=page" if to == target else ""
                    items += f'<li><a href="{self.relative(to, target)}"{current}>{html.escape(label[0].upper() + label[1:])}</a></li>'
                made += f"<h2>{name}</h2><ul>{items}</ul>"
            return made
        return side

    def documentation(self):
        side = self.contents()
        for file in sorted(ROOT.glob("docs/**/*.md")):
            self.text_page(str(file.relative_to(ROOT)), side)
        for source in ("CHANGELOG.md", "CONTRIBUTING.md"):
            self.text_page(source, side)

    def benchmarks(self):
        files = sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("bench/*.md"))
        files.sort(key=lambda name: (name != "bench/measured.md", name == "bench/README.md"))
        titles = {name: re.search(r"^# (.*)$", (ROOT / name).read_text(), re.M)[1].replace("`", "") for name in files}

        def side(target):
            return "<h2>Benchmarks</h2><ul>" + "".join(
                f'<li><a href="{self.relative(self.place(name), target)}"'
                f'{" aria-current=page" if self.place(name) == target else ""}>{html.escape(titles[name])}</a></li>'
                for name in files) + "</ul>"
        for name in files:
            self.text_page(name, side)

    # ---- start and comparison ----------------------------------------------------------------------

    def section(self, title, target):
        """A section of the README, without its heading."""
        parts = re.split(r"^## (.*)$", (ROOT / "README.md").read_text(), flags=re.M)
        sections = dict(zip(parts[1::2], parts[2::2]))
        if title not in sections:
            sys.exit(f"make-site: README.md has no section '{title}'")
        return Page(sections[title], self.linker("README.md", target), colored).html

    def comparison(self):
        body = self.section("Measured against other engines", "comparison.html")
        self.write("comparison.html", "Comparison", f"<h1>Compared with other engines</h1>\n{body}", "text narrow")

    def start(self, shown):
        intro = (ROOT / "README.md").read_text().split("\n## ")[0]
        made = re.findall(r"<p>.*?</p>", Page(intro, lambda to: to).html, re.S)
        paragraphs = [part for part in made if "<img" not in part]
        hero = next((one for one in shown if one.name == "iltis"), shown[0])
        cards = "".join(gallery.card(one, "gallery/") for one in shown[:8])
        body = f"""<section class="hero">
<div><h1>Multibody dynamics with an error bar</h1>{"".join(paragraphs)}
<p class="actions"><a class="button first" href="gallery/{hero.name}-live.html">Pull a car, live</a>
<a class="button" href="docs/tutorials/first-run.html">First run</a></p></div>
<a href="gallery/{hero.name}-live.html"><img src="gallery/{hero.name}.png" alt="{html.escape(hero.title)}" width="960" height="540"></a>
</section>
<section><h2>Live in your browser</h2><p>Pull a body, move sliders, edit the model. The library
computes in the page, with the same bits as the command.</p><div class="cards">{cards}</div>
<p><a href="gallery/index.html">All {len(shown)} models</a></p></section>
<section class="why"><h2>Why Holon</h2>{self.section("Why Holon", "index.html")}</section>
<section><h2>Two commands</h2>{self.section("Two commands", "index.html")}</section>
<section><h2>One model</h2>{self.section("One model", "index.html")}</section>
<section><h2>Measured</h2><p>At equal error, other engines take a multiple of the time:
<a href="comparison.html">comparison</a>, <a href="benchmarks/index.html">all benchmarks</a>.</p></section>"""
        self.write("index.html", "Holon: multibody dynamics", body, "start")

    # ---- gallery -----------------------------------------------------------------------------------

    def gallery(self, shown, holon):
        folder = self.out / "gallery"
        folder.mkdir(parents=True, exist_ok=True)
        for one in shown:
            made = gallery.make(one, holon, folder)
            target = f"gallery/{one.name}.html"
            rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in gallery.facts_of(made))
            call = f"holon run {one.model}" + "".join(f" --with {overlay}" for overlay in one.overlays)
            texts = "".join(
                f'<h2>{html.escape(name)}</h2><pre tabindex="0"><code>{colored((ROOT / name).read_text(), "yaml")}</code></pre>'
                for name in one.files)
            self.write(target, one.title, f"""<p class="up"><a href="index.html">Gallery</a></p>
<h1>{html.escape(one.title)}</h1><p>{html.escape(one.text)}</p>
<a href="{one.name}-live.html"><img class="large" src="{one.name}.png" alt="{html.escape(one.title)}" width="960" height="540"></a>
<p class="actions"><a class="button first" href="{one.name}-live.html">Run it live</a></p>
<div class="table"><table class="facts"><tbody>{rows}</tbody></table></div>
<pre tabindex="0"><code>{html.escape(call)}</code></pre>
{texts}""", "text model")
            print(f"gallery: {one.name}", flush=True)
        cards = "".join(gallery.card(one) for one in shown)
        self.write("gallery/index.html", "Gallery", f"""<h1>Gallery</h1>
<p>Each model has its text, a picture of its run, and a live page: the engine computes it in your browser. Pull a body with the
pointer, move sliders, edit the text.</p><div class="cards">{cards}</div>""", "wide")

    def search(self):
        # release notes name everything, and would be found first
        known = [one for one in self.found if one[1] != "docs/changes.html"]
        data = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
        (self.out / "search.js").write_text(f"const pages = {data};\n" + (HERE / "search.js").read_text())

    # ---- files that pages link to ------------------------------------------------------------------

    def files(self):
        done = set()
        while self.sources - done:
            for path in sorted(self.sources - done):
                done.add(path)
                full, target = ROOT / path, self.place(path)
                if full.is_dir():
                    names = sorted(one.name for one in full.iterdir() if one.is_file() and not one.name.startswith("."))
                    items = "".join(f'<li><a href="{self.relative(self.place(f"{path}/{name}"), target)}">{name}</a></li>' for name in names)
                    body = f"<h1>{html.escape(path)}</h1><ul>{items}</ul>"
                else:
                    language = {".yaml": "yaml", ".json": "json", ".c": "c", ".h": "c", ".py": "python"}.get(full.suffix, "text")
                    body = (f'<h1>{html.escape(path)}</h1><pre tabindex="0"><code>'
                            f"{colored(full.read_text(errors='replace'), language)}</code></pre>")
                self.write(target, path, body, "text model")
        for path in sorted(self.pictures):
            to = self.out / self.place(path)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, to)


# ---- links -----------------------------------------------------------------------------------------


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("id"):
            self.anchors.add(given["id"])
        if given.get("href"):
            (self.links if tag == "a" else self.loads).append(given["href"])
        if given.get("src"):
            self.loads.append(given["src"])


def faults(out):
    """Internal links without a target, and what a page would load from elsewhere."""
    pages = {file: Links(file.read_text()) for file in sorted(out.rglob("*.html"))}
    found = []
    for file, page in pages.items():
        name = file.relative_to(out)
        for address in page.loads:
            if re.match(r"(https?:)?//", address):
                found.append(f"{name} loads {address}")
        for address in page.links + page.loads:
            if re.match(r"[a-z]+:", address):
                continue
            path, _, anchor = unquote(address).partition("#")
            to = (file.parent / path).resolve() if path else file
            if not to.is_file():
                found.append(f"{name} links to {address}, which is not there")
            elif anchor and to in pages and anchor not in pages[to].anchors:
                found.append(f"{name} links to {address}, which has no such section")
    return found


def report(out):
    wrong = faults(out)
    for line in wrong:
        print(f"make-site: {line}", file=sys.stderr)
    pages = len(list(out.rglob("*.html")))
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{out / 'index.html'}: {pages} pages, {size / 1e6:.0f} MB, {len(wrong)} wrong links")
    return 1 if wrong else 0


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--models", default="")
    options.add_argument("--build", default="build")
    options.add_argument("--check", action="store_true", help="only check the pages of the folder")
    options.add_argument("folder", nargs="?", default="out/site")
    given = options.parse_args()
    out = Path(given.folder).resolve()
    if given.check:
        sys.exit(report(out))
    if out.exists() and not (out / "style.css").exists() and any(out.iterdir()):
        sys.exit(f"make-site: {out} has other files; give another folder")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shown = gallery.entries([name for name in given.models.split(",") if name])
    site = Site(out)
    site.documentation()
    site.benchmarks()
    site.comparison()
    site.gallery(shown, ROOT / given.build / "holon")
    site.start(shown)
    site.search()
    site.files()
    sys.exit(report(out))


if __name__ == "__main__":
    main()
