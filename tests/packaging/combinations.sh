#!/bin/sh
# docs/reference/combinations.md lists the combinations and presets of the program.
# usage: combinations.sh SOURCE BUILD
exec "$1/scripts/make-combinations" --check "$2/holon"
