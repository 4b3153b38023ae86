#!/bin/sh
# The wheel: below 5 MB, needs libc and libm only, is the same file when built twice, and works in a fresh
# environment that has NumPy and no network; its results have the same bits as those of the default build.
# usage: wheel.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
python=/usr/bin/python3
[ -x $python ] || python=python3
$python -c 'import sys, numpy, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
  echo "skipped: Python 3.11 or later with numpy and venv is not installed"
  exit 77
}
[ -f "$build/python/holon/_core.abi3.so" ] || {
  echo "skipped: the Python package is not built (python3-dev)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one build folder, so that the second time only the last steps are made again
export HOLON_WHEEL_BUILD="$build/wheel" HOLON_WHEEL_OBJECTS="$build" JOBS=2
$python "$source/python/backend.py" "$work/one" >"$work/log" 2>&1 || {
  tail -30 "$work/log"
  exit 1
}
rm -f "$build"/wheel/python/holon/* "$build"/wheel/CMakeFiles/holon_python.dir/python/src/*.o
$python "$source/python/backend.py" "$work/two" >>"$work/log" 2>&1
cmp "$work"/one/*.whl "$work"/two/*.whl
[ "$(cat "$work"/one/*.whl | wc -c)" -lt 5000000 ]
needed=$(objdump -p "$build/wheel/python/holon/_core.abi3.so" | awk '/NEEDED/ {print $2}' |
  grep -vE '^lib(c|m)\.so' || true)
[ -z "$needed" ] || {
  echo "the extension needs $needed"
  exit 1
}

# to put a pip of its own there takes longer than all the rest
if $python -m pip --python "$python" --version >/dev/null 2>&1; then
  $python -m venv --system-site-packages --without-pip "$work/venv"
  $python -m pip --python "$work/venv/bin/python" install --quiet --no-index "$work"/one/*.whl
else
  $python -m venv --system-site-packages "$work/venv"
  "$work/venv/bin/pip" install --quiet --no-index "$work"/one/*.whl
fi
cat >"$work/ten.py" <<'END'
import sys
import holon
car = holon.load(sys.argv[1])
r = car.run(2)
r.plot("chassis.z").save("z.svg")
print(r.certificate["state_hash"])
END
cd "$work"
inside=$("$work/venv/bin/python" ten.py "$source/models/iltis/iltis.yaml")
outside=$(PYTHONPATH="$build/python" $python ten.py "$source/models/iltis/iltis.yaml")
grep -q '</svg>' z.svg
[ "$inside" = "$outside" ] || {
  echo "state hash $inside in the wheel, $outside in the default build"
  exit 1
}
echo "wheel: ok"
