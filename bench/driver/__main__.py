"""Runs benchmarks section by section and makes the page of this machine: see bench/README.md.

usage: python3 bench/driver [SECTION...]         (scripts/bench; no section: all of them)
       python3 bench/driver --report             page and summary from the tables that are there
       python3 bench/driver --publish            the same, and bench/measured.md with bench/plots
       python3 bench/driver --publish joints     bench/papers.md, tables 6 to 10 of the thesis by a new run
       python3 bench/driver --papers             bench/papers.md from the tables that are there
environment: BUILD (build), PEERS (BUILD/peers), RESULTS (bench/results), QUICK=1,
             PROBLEMS="p3 a05": of iftomm and peers these alone; rows of the others stay as they were
"""

import os
import platform
import subprocess
import sys
import time

import contacts
import engines
import equal
import floors
import live
import papers
import pictures
import report
import table

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(PROJECT, "build"))
PEERS = os.path.abspath(os.environ.get("PEERS") or os.path.join(BUILD, "peers"))
RESULTS = os.path.abspath(os.environ.get("RESULTS") or os.path.join(PROJECT, "bench/results"))
PROBLEMS = os.environ.get("PROBLEMS", "").split()
IS_QUICK = os.environ.get("QUICK", "0") not in ("", "0")

# Tables of a section: name of the table, program in bench/, its arguments. The longest come last.
PROGRAMS = {
    "trees": [("trees", "trees", [])],
    "growth": [("growth", "growth", []), ("accelerations-growth", "acceleration_growth", []),
               ("accelerations-memory", "acceleration_growth", ["memory"])],
    "contact": [("contact", "contact", [])],
    "components": [("components", "components", [])],
    "threads": [("threads", "threads", []), ("threads-shipped", "threads", None)],
    "accelerations": [("accelerations-solvers", "accelerations", ["solvers"]),
                      ("accelerations-reduced", "accelerations", ["reduced"]),
                      ("accelerations-kernels", "accelerations", ["kernels"]),
                      ("accelerations-chains", "acceleration_growth", ["robots"])],
    "negrut": [("negrut-accuracy", "negrut", ["accuracy"]), ("negrut-timing", "negrut", ["timing"]),
               ("negrut-joints", "joint_representation", []),
               ("accelerations-solvers", "accelerations", ["solvers"]),
               ("accelerations-reduced", "accelerations", ["reduced"]),
               ("negrut-coordinates", "negrut", ["coordinates"]),
               ("negrut-history", "negrut", ["history"]), ("negrut-jacobian", "jacobian", [])],
    "dopico": [("dopico", "realtime", [])],
    "vehicles": [("vehicles", "vehicles", [])],
    "laws": [("laws", "laws", [])],
    "vlasenko": [("components", "components", [])],
    "cardenal": [("cardenal-suspension", "cardenal", ["suspension"]),
                 ("cardenal-estimators", "cardenal", ["estimators"]),
                 ("cardenal-steps", "cardenal", ["steps"]),
                 ("cardenal-pendulum", "cardenal", ["pendulum"])],
    "accuracy": [("accuracy", "accuracy", None)],
    "machines": [("machines", "machines", None), ("explicit", "explicit", []),
                 ("calls", "relative_tangent", [])],
}
SECTIONS = ["iftomm", "peers", "trees", "accelerations", "growth", "contact", "components", "threads",
            "negrut", "dopico", "vehicles", "laws", "cardenal", "vlasenko", "accuracy", "machines", "live"]
# Words that mean a section too: the programs in it.
ALSO = {"realtime": "dopico", "acceleration_growth": "growth", "explicit": "machines",
        "relative_tangent": "machines", "jacobian": "negrut"}
# Not in a quick run.
LONG = {"negrut-coordinates", "explicit", "calls", "accelerations-memory"}


def log(text):
    print(text, flush=True)


def output(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout.strip()
    except OSError:
        return ""


def machine_facts():
    models = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
              if line.startswith("model name")] if os.path.exists("/proc/cpuinfo") else []
    lines = [f"{platform.system()} {platform.release()} {platform.machine()}",
             f"{len(models)} x {models[0]}" if models else "",
             output("cc", "--version").split("\n")[0],
             output(os.path.join(BUILD, "holon"), "--version").split("\n")[0],
             time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
             f"load {os.getloadavg()[0]:.1f}" + (", QUICK" if IS_QUICK else "")]
    return "\n".join(line for line in lines if line) + "\n"


def whole_machines():
    """Models that run by themselves: no examples of one element, no parts, no components."""
    found = []
    for folder, _, files in os.walk(os.path.join(PROJECT, "models")):
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), PROJECT)
            if not name.endswith(".yaml") or path.startswith(("models/examples", "models/parts")):
                continue
            with open(os.path.join(PROJECT, path), encoding="utf-8") as file:
                text = file.read()
            if "\nborder:" not in "\n" + text and "external: true" not in text:
                found.append(path)
    return sorted(found)


def run_program(name, arguments):
    """Rows that a program in bench/ prints; None: it failed."""
    program = os.path.join(BUILD, "bench", name)
    if not os.access(program, os.X_OK):
        log(f"skipped: {name} (not built)")
        return None
    if arguments is None:
        arguments = whole_machines()
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([program] + arguments, cwd=PROJECT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        log(f"{name} {' '.join(arguments[:2])} ended with {done.returncode}: {done.stderr[-300:]}")
    return table.read(done.stdout) if done.stdout else None


def tree_peers(all_engines, robots, names=("mujoco", "bullet", "simbody", "dart")):
    """The robots of bench/peers/robots.hpp by other engines."""
    rows = []
    for engine in names:
        if not all_engines.has(engine):
            log(f"skipped: {engine} (not installed)")
            continue
        for robot in robots:
            text = all_engines.call(["peer_" + engine, "p5", robot], 60)
            if text:
                rows += table.read(",".join(table.HEAD) + "\n" + text)
    return rows


def run_engines(section, all_engines):
    """One table of all problems of a section, and one of times at equal error."""
    if not all_engines.has("holon"):
        log(f"skipped: {section} (bench/peers is not built: a C++ compiler is missing)")
        return {}
    wanted = engines.IFTOMM if section == "iftomm" else engines.PEERS
    names = {run[0] for _, _, runs in wanted for run in runs}
    for name in sorted(names):
        if not all_engines.has(name):
            log(f"skipped: {name} (not installed)")
    rows, path = [], os.path.join(RESULTS, section + ".csv")
    if PROBLEMS and os.path.exists(path):
        rows = [row for row in table.read_file(path) if row["machine"].split()[0] not in PROBLEMS]
    for problem, size, runs in wanted:
        if IS_QUICK and size >= 40 or PROBLEMS and problem not in PROBLEMS:
            continue
        begin = time.time()
        rows += all_engines.problem(section, problem, size, runs, log)
        table.write_file(path, rows)  # a run that is broken off leaves what it has
        log(f"   {problem} {size or ''}: {time.time() - begin:.0f} s")
    order = [problem + (f" N={size}" if size else "") for problem, size, _ in wanted]
    rows.sort(key=lambda row: order.index(row["machine"]))
    return {section: rows, section + "-equal": equal.table(section, rows)} if rows else {}


def run_section(section, all_engines, made):
    """made: tables of this run that are there already, which two sections may share."""
    if section in ("iftomm", "peers"):
        return run_engines(section, all_engines)
    if section == "live":
        rows = live.run(PROJECT, BUILD, IS_QUICK, log)
        log(live.text(rows))
        return {"live": rows} if rows else {}
    tables = {}
    for name, program, arguments in PROGRAMS[section]:
        if IS_QUICK and name in LONG or name in made:
            continue
        made.add(name)
        rows = run_program(program, arguments)
        if rows and name == "trees":
            robots = "arm7 human30 chain50 chain10 chain100 chain500 chain1000".split()
            rows += tree_peers(all_engines, robots[:3] if IS_QUICK else robots)
        if rows and name == "contact":
            rows += contacts.run(all_engines, IS_QUICK, log)
        if rows and name == "accelerations-chains":
            sizes = (10, 20, 50, 100, 200, 500, 1000)
            rows += tree_peers(all_engines, [f"chain{n}" for n in sizes], ["bullet"])
        if rows:
            tables[name] = rows
    return tables


def read_tables():
    """All tables that are there, in the order of the sections, and when they were made."""
    order = ["iftomm-equal", "peers-equal", "iftomm", "peers"]
    order += [name for section in SECTIONS if section in PROGRAMS for name, _, _ in PROGRAMS[section]]
    order.append("live")
    order = list(dict.fromkeys(order))
    tables, ages = {}, {}
    for name in order:
        path = os.path.join(RESULTS, name + ".csv")
        if os.path.exists(path):
            tables[name] = table.read_file(path)
            ages[name] = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(os.path.getmtime(path)))
    return tables, ages


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def publish_papers(tables):
    with open(os.path.join(RESULTS, "machine.txt"), encoding="utf-8") as file:
        facts = file.read()
    write(os.path.join(PROJECT, "bench/papers.md"), papers.markdown(tables, facts))
    page = os.path.join(PROJECT, "bench/dopico.md")
    if tables.get("dopico"):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        write(page, papers.paper_dopico.document(tables["dopico"], text, facts))
    for name in papers.PAPERS:
        log(papers.text(name, tables))


def publish_contact():
    """The contacts of bench/measured.md alone."""
    page = os.path.join(PROJECT, "bench/measured.md")
    with open(os.path.join(RESULTS, "machine.txt"), encoding="utf-8") as file:
        facts = file.read()
    with open(page, encoding="utf-8") as file:
        text = file.read()
    write(page, report.with_contact(text, read_tables()[0]["contact"], facts))


def publish_joints():
    """Tables 6 to 10 of Negrut's thesis in bench/papers.md: seconds, so measured on the spot."""
    page = os.path.join(PROJECT, "bench/papers.md")
    rows = run_program("joint_representation", [])
    if not rows:
        return 1
    with open(page, encoding="utf-8") as file:
        text = file.read()
    write(page, papers.with_joints(text, {"negrut-joints": rows}, machine_facts()))
    return 0


def make_report(publishes=False, of=()):
    """of: papers whose tables are printed."""
    tables, ages = read_tables()
    with open(os.path.join(RESULTS, "machine.txt"), encoding="utf-8") as file:
        facts = file.read()
    lines = facts.strip().split("\n")
    foot = "; ".join(lines[1:2] + lines[3:5])
    drawings = pictures.all_of(tables, foot)
    found = floors.Floors(tables).all()
    for name, text in drawings.items():
        write(os.path.join(RESULTS, "plots", name + ".svg"), text)
        if publishes:
            write(os.path.join(PROJECT, "bench/plots", name + ".svg"), text)
    write(os.path.join(RESULTS, "report.html"), report.page(facts, found, tables, ages, drawings))
    if publishes:
        write(os.path.join(PROJECT, "bench/measured.md"),
              report.markdown(facts, found, tables, drawings))
    if publishes:
        publish_papers(tables)
    log(report.summary(found, tables))
    for name in of:
        log(papers.text(name, tables))
    log(f"tables, plots and report.html: {os.path.relpath(RESULTS)}")


def main(words):
    os.makedirs(RESULTS, exist_ok=True)
    if words == ["--papers"]:
        publish_papers(read_tables()[0])
        return 0
    if words in (["--report"], ["--publish"]):
        make_report(words == ["--publish"])
        return 0
    if words == ["--publish", "contact"]:
        publish_contact()
        return 0
    if words == ["--publish", "joints"]:
        return publish_joints()
    words = list(dict.fromkeys(ALSO.get(word, word) for word in words))
    unknown = [word for word in words if word not in SECTIONS]
    if unknown:
        log(f"no section {', '.join(unknown)}; there are: {' '.join(SECTIONS)}")
        return 2
    with open(os.path.join(RESULTS, "machine.txt"), "w", encoding="utf-8") as file:
        file.write(machine_facts())
    all_engines = engines.Engines(PEERS, PROJECT, IS_QUICK)
    status, made = 0, set()
    for section in words or SECTIONS:
        begin = time.time()
        log(f"== {section}")
        has_work = any(name not in made for name, _, _ in PROGRAMS.get(section, []))
        tables = run_section(section, all_engines, made)
        for name, rows in tables.items():
            table.write_file(os.path.join(RESULTS, name + ".csv"), rows)
            log(f"   {name}.csv: {len(rows)} rows")
        if not tables and has_work:
            status = 1
        log(f"   {time.time() - begin:.0f} s")
    make_report(of=[word for word in words or SECTIONS if word in papers.PAPERS])
    return status


sys.exit(main(sys.argv[1:]))
