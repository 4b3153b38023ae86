#!/bin/sh
# mypy --strict over the package, its tests and its examples.
# usage: mypy.sh PYTHON SOURCE PACKAGE
set -eu
for module in mypy numpy pytest hypothesis; do
  "$1" -c "import $module" 2>/dev/null || {
    echo "skipped: $module is not installed"
    exit 77
  }
done
cd "$2/python"
"$1" -m mypy --config-file mypy.ini --cache-dir "$3/mypy" holon tests examples
