#!/bin/sh
# The machine printed in README.md is a model file, and the commands printed under it work.
# usage: readme.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
[ -x "$build/holon" ] || {
  echo "the command is not built"
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir build && ln -s "$build/holon" build/holon

awk '/^    name: /, /^$/' "$source/README.md" | sed 's/^    //' >pendulum.yaml
grep -q '^bodies:' pendulum.yaml
grep -oE '^    build/holon (check|run) pendulum.*' "$source/README.md" | sed 's/#.*//' >commands
[ "$(wc -l <commands)" -eq 2 ]
cat commands
sh -e commands
for file in out/report.html out/certificate.json; do
  [ -s "$file" ] || {
    echo "no $file"
    exit 1
  }
done
