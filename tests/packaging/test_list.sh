#!/bin/sh
# docs/reference/tests.md names every test with the build that runs it.
# usage: test_list.sh SOURCE BUILD
exec "$1/scripts/make-test-list" --check
