"""Section live: the engine in WebAssembly next to the command: size, first frame, speed, same bits."""

import json
import os
import shutil
import subprocess

import table


def run(project, build, is_quick, log):
    """Rows of bench/live.mjs; none if node or the tools of the engine are missing."""
    if not shutil.which("node") or not shutil.which("npm"):
        log("skipped: live (node is not installed)")
        return []
    made = subprocess.run([os.path.join(project, "scripts/make-npm"), os.path.join(build, "bench")], text=True,
                          stdout=subprocess.PIPE, check=False)
    if made.returncode or made.stdout.startswith("skipped"):
        log(made.stdout.strip() or "scripts/make-npm failed")
        return []
    done = subprocess.run(
        ["node", os.path.join(project, "bench/live.mjs"), os.path.join(build, "holon"),
         os.path.join(project, "viewer/build/npm"), str(int(is_quick))],
        cwd=project, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    for line in done.stderr.splitlines():
        if line.startswith("skipped"):
            log(line)
    if done.returncode:
        log(f"bench/live.mjs ended with {done.returncode}: {done.stderr[-300:]}")
        return []
    return [dict(dict.fromkeys(table.HEAD, ""), **row) for row in json.loads(done.stdout)]


def text(rows):
    """What a reader wants to know, in lines."""
    lines = []
    for row in rows:
        if row.get("bytes"):
            lines.append(f"   {row['machine']:<20} {float(row['bytes']) / 1e6:.2f} MB gzipped")
        elif row.get("seconds"):
            lines.append(f"   {row['machine']:<20} {float(row['seconds']):.2f} s ({row['program']}: {row['note']})")
        elif row["to"]:
            bits = "same bits" if str(row["same_bits"]) == "1" else "OTHER BITS"
            lines.append(f"   {row['machine']:<20} {100 * float(row['ratio']):.0f} % of native speed, {row['note']}, {bits}")
    return "\n".join(lines)
