#!/bin/sh
# A program of 40 lines that runs a model file gets the bits of the command: every number of every signal,
# error bars, and the certificate but for times of the clock.
# usage: program.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lines=$(sed -n '/^int main/,$p' "$source/examples/run_like_the_command.c" | wc -l)
[ "$lines" -le 40 ] || {
  echo "the program has $lines lines"
  exit 1
}
# clocks are no part of what was computed
plain() { sed 's/"cpu_seconds": [^,}]*//g; s/"realtime_factor": [^,}]*//g; s/"cpu": [^,}]*//g'; }
for model in iftomm/a01 four-bar examples/force-bushing examples/initial-equilibrium; do
  file=$source/models/$model.yaml
  "$build/examples/run_like_the_command" "$file" "$work/program.csv" | grep '^{' | plain >"$work/program.json"
  "$build/holon" run "$file" -o "$work/run" --format csv --json >"$work/all.json"
  cmp "$work/program.csv" "$work/run/results.csv"
  grep -o '"certificate": .*' "$work/all.json" | sed 's/^"certificate": //; s/}$//' | plain >"$work/command.json"
  cmp "$work/program.json" "$work/command.json"
  echo "$model: $(wc -c <"$work/program.csv") bytes of results and $(wc -c <"$work/program.json") of certificate are the same"
done
