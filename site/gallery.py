"""The gallery: of each model of gallery.table a run, its picture, its text and a live page."""

import html
import json
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = '<script type="application/octet-stream;base64" id="holon-engine">'


class Entry:
    def __init__(self, line):
        self.name, files, when, self.text = (part.strip() for part in line.split("|", 3))
        self.model, *self.overlays = files.split()
        time, self.view = when.split()
        self.time = float(time)

    def read(self):
        self.source = (ROOT / self.model).read_text()
        # of overlays the model of a maneuver is the car's, the name the maneuver's
        title = re.search(r"^title: *(.*)$", self.source, re.M)
        self.title = title[1].strip().strip("\"'") if title else self.name
        if self.overlays:
            over = re.search(r"^title: *(.*)$", (ROOT / self.overlays[0]).read_text(), re.M)
            if over:
                self.title += f": {over[1].strip()}"

    @property
    def files(self):
        return [self.model, *self.overlays]

    @property
    def words(self):
        return [self.model] + [word for overlay in self.overlays for word in ("--with", overlay)]


def entries(names=()):
    lines = (Path(__file__).parent / "gallery.table").read_text().splitlines()
    found = [Entry(line) for line in lines if line and not line.startswith("#")]
    for one in found:
        one.read()
    return [one for one in found if not names or one.name in names]


def call(*words):
    made = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True)
    if made.returncode not in (0, 1) or (made.returncode and not made.stdout):
        sys.exit(f"make-site: {' '.join(map(str, words))}\n{made.stderr}")
    return made.stdout


def live_page(one, holon):
    """The page that `holon live` serves: with overlays, and all files that the model reads inside."""
    server = subprocess.Popen([str(holon), "live", *one.words, "--no-open"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        with urllib.request.urlopen(address) as answer:
            return answer.read().decode()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def share_engine(page, folder):
    """The engine, the same in all live pages, becomes one file; a page from disk can read it, too."""
    start = page.index(ENGINE) + len(ENGINE)
    end = page.index("</script>", start)
    (folder / "engine.js").write_text(
        f'document.getElementById("holon-engine").textContent = "{page[start:end].strip()}";\n')
    return page[:start] + '</script>\n<script src="engine.js">' + page[end:]


def make(one, holon, folder):
    """Runs a model; writes NAME.png and NAME-live.html into the folder. Facts of the model and its run."""
    with tempfile.TemporaryDirectory() as work:
        run = json.loads(call(holon, "run", *one.words, "--quiet", "--json", "-o", work))
        call(holon, "view", work, "--png", folder / f"{one.name}.png", "--time", one.time, "--view", one.view,
             "--size", "960x540")
    live = folder / f"{one.name}-live.html"
    live.write_text(share_engine(live_page(one, holon), folder))
    facts = json.loads(call(holon, "check", *one.words, "--json"))
    return {"run": run, "facts": facts}


def facts_of(made):
    facts, run = made["facts"], made["run"]
    certificate = run.get("certificate", {})
    rows = [("Bodies", facts["bodies"]), ("Joints", facts["joints"]), ("Degrees of freedom", facts["degrees_of_freedom"]),
            ("Loops", facts["loops"])]
    if facts["redundant"]:
        rows.append(("Redundant constraints", sum(one["rows"] for one in facts["redundant"])))
    rows.append(("Simulated", f'{run["time"]:g} s'))
    if "verdict" in certificate:
        rows.append(("Grade of the run", certificate["verdict"]["grade"]))
    return rows



def card(one, prefix=""):
    return (f'<a class="card" href="{prefix}{one.name}.html"><img src="{prefix}{one.name}.png" alt="" width="960" height="540" '
            f'loading="lazy"><strong>{html.escape(one.title)}</strong><span>{html.escape(one.text)}</span></a>')
