#!/bin/sh
# pytest over python/tests, with the package as it was built.
# usage: pytest.sh PYTHON SOURCE PACKAGE [PRELOAD]      PRELOAD: the library of the sanitizers
set -eu
python=$1 tests=$2/python/tests package=$3 preload=${4:-}
for module in numpy pytest hypothesis; do
  "$python" -c "import $module" 2>/dev/null || {
    echo "skipped: python3-$module is not installed"
    exit 77
  }
done
set -- "$tests"
if [ -n "$preload" ]; then # leaks of the interpreter itself are not ours
  export LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc
  # about numbers and pages, by C that the others run too: HOLON_SWEEP=1 (make test-long)
  [ -n "${HOLON_SWEEP:-}" ] || set -- "$@" "--ignore=$tests/test_documents.py" "--ignore=$tests/test_suspension.py"
fi
export HOLON_COMMAND="${package%/*}/holon"
PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider -ra "$@"
