#!/bin/sh
# Runs a test and writes its CPU time, as `times` prints it: of this shell, then of the test with its processes.
# usage: timed.sh FILE COMMAND [ARGUMENT...]
file=$1
shift
"$@"
code=$?
times >"$file"
exit $code
