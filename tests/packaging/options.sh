#!/bin/sh
# Every struct of options or plans of the public headers begins with its size, so that it can grow and {0} is
# valid, and every object has its row in the tables of owners and threads.
# usage: options.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# the first member is the first line that is no comment
awk '/^typedef struct hn_[a-z_]*(options|plan) *\{/ { name = $3; next }
     name != "" && /^ *\/\// { next }
     name != "" { print name, ($1 == "size_t" && $2 == "size;"); name = "" }' "$source"/include/holon/*.h >"$work/options"
[ "$(wc -l <"$work/options")" -ge 15 ] || { echo "FAILED: few structs of options found"; failed=1; }
while read -r name first; do
  [ "$first" = 1 ] || { echo "FAILED: $name does not begin with size_t size"; failed=1; }
done <"$work/options"
# objects: opaque types that a function frees
for name in $(sed -n 's/.*void \(hn_[a-z_]*\)_free(.*/\1/p' "$source"/include/holon/*.h | sort -u); do
  grep -q "\`$name\(_free\)*\`" "$source/docs/reference/c.md" || { echo "FAILED: docs/reference/c.md does not say who owns a $name"; failed=1; }
done
[ $failed -eq 0 ] && echo "options and objects: ok"
exit $failed
