#!/bin/sh
# The minimal build compiles with libc and libm alone; a machine described in code moves, and so does one
# from a file in JSON.
# usage: minimal.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$source" -B "$work" -DHOLON_MINIMAL=ON -DHOLON_TESTS=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work" --parallel 2 --target holon holon_static >"$work/log" 2>&1 || {
  tail -30 "$work/log"
  exit 1
}
needed=$(objdump -p "$work/libholon.so" | awk '/NEEDED/ {print $2}' | grep -vE '^lib(c|m)\.so' || true)
[ -z "$needed" ] || {
  echo "the minimal library needs $needed"
  exit 1
}
cc -std=c17 -I "$source/include" "$source/examples/model_in_code.c" "$work/libholon.a" -lm \
  -o "$work/model_in_code"
"$work/model_in_code"
cc -std=c17 -I "$source/include" "$source/examples/load_and_run.c" "$work/libholon.a" -lm \
  -o "$work/load_and_run"
"$work/load_and_run" "$source/models/examples/pendulum.json" "$work/pendulum.csv"
if "$work/load_and_run" "$source/models/examples/pendulum.yaml" "$work/pendulum.csv" 2>"$work/message"; then
  echo "the minimal build reads YAML"
  exit 1
fi
grep -q JSON "$work/message"
echo "minimal build: ok"
