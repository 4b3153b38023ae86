#!/bin/sh
# pytest over python/tests, with the package as it was built.
# usage: pytest.sh PYTHON SOURCE PACKAGE [PRELOAD]      PRELOAD: the library of the sanitizers
set -eu
for module in numpy pytest hypothesis; do
  "$1" -c "import $module" 2>/dev/null || {
    echo "skipped: python3-$module is not installed"
    exit 77
  }
done
if [ -n "${4:-}" ]; then # leaks of the interpreter itself are not ours
  export LD_PRELOAD="$4" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc
fi
export HOLON_COMMAND="${3%/*}/holon"
PYTHONPATH=$3 PYTHONDONTWRITEBYTECODE=1 "$1" -m pytest -q -p no:cacheprovider -ra "$2/python/tests"
