#!/bin/sh
# Additions to the library touch no more files than they may, build, and compute what they should.
# usage: run.sh SOURCE BUILD      (works in BUILD/extend, where a second run is quicker)
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
here=$source/tests/extend
work=$build/extend
tree=$work/tree
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

rm -rf "$tree" "$work/out"
mkdir -p "$tree" "$work/out"
for part in CMakeLists.txt CMakePresets.json LICENSE NOTICE README.md cmake include plugins python src tools viewer/dist; do
  [ -e "$source/$part" ] || continue
  mkdir -p "$tree/$(dirname "$part")"
  cp -Rp "$source/$part" "$tree/$part"
done

# insert FILE TEXT LINES: the lines of a file before the first line that begins with a text
insert() {
  awk -v text="$2" -v lines="$3" '
    !done && index($0, text) == 1 { while ((getline line < lines) > 0) print line; done = 1 }
    { print }
    END { exit !done }' "$tree/$1" >"$work/inserted" || fail "$1 has no line that begins with '$2'"
  cat "$work/inserted" >"$tree/$1"
}

# add FOLDER MOST-FILES MOST-LINES
add() {
  touched=0 lines=0
  (cd "$here/$1" && find . -type f ! -name rows | sed 's|^\./||') >"$work/files"
  while read -r file; do
    [ ! -e "$tree/$file" ] || fail "$1: $file is there already"
    mkdir -p "$tree/$(dirname "$file")"
    cp "$here/$1/$file" "$tree/$file"
    touched=$((touched + 1))
    lines=$((lines + $(wc -l <"$here/$1/$file")))
  done <"$work/files"
  rm -f "$work"/row.*
  awk -v base="$work/row." '/^@@ / { n++; print substr($0, 4) > (base n ".at"); next } { print > (base n ".text") }' \
    "$here/$1/rows"
  for at in "$work"/row.*.at; do
    [ -e "$at" ] || break
    rest=$(cat "$at")
    insert "${rest%% *}" "$(printf '%s' "$rest" | sed 's/^[^ ]* //')" "${at%.at}.text"
    touched=$((touched + 1))
    lines=$((lines + $(wc -l <"${at%.at}.text")))
  done
  echo "$1: $touched files, $lines lines"
  [ "$touched" -le "$2" ] || fail "$1 touches $touched files, more than $2"
  [ "$lines" -le "$3" ] || fail "$1 takes $lines lines, more than $3"
}

add joint 2 40
add force 2 60
add formula 1 40
add coordinates 2 60
add option 1 1
add event 2 60

cmake -S "$tree" -B "$work/build" -DHOLON_TESTS=OFF -DHOLON_AVX2=OFF -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_FLAGS_DEBUG=-O0 >"$work/log" 2>&1 &&
  cmake --build "$work/build" --parallel 2 --target holon_command >>"$work/log" 2>&1 || {
  grep -E 'error|undefined' "$work/log" | head -20
  fail "it does not build"
  exit 1
}

# last MODEL OPTIONS...: the last row of the outputs
last() {
  model=$1
  shift
  "$work/build/holon" run "$model" -o "$work/out/run" --format csv --no-units --quiet --accuracy off --no-scene \
    --no-checkpoint "$@" || return 1
  tail -n 1 "$work/out/run/results.csv"
}
# near WHAT ROW COLUMN VALUE TOLERANCE
near() {
  echo "$2" | awk -F, -v c="$3" -v v="$4" -v e="$5" '{ d = $c - v; exit !(NF >= c && d <= e && -d <= e) }' ||
    fail "$1: column $3 of '$2' is not $4"
}

for way in "cartesian first-order" "natural first-order" "relative first-order" "cartesian descriptor" \
  "natural descriptor" "relative descriptor"; do
  set -- $way
  row=$(last "$here/slot.yaml" --coordinates "$1" --method "$2" --tol 1e-8) || fail "slot: $way"
  near "slot, $way" "$row" 2 4.905 1e-6
  near "slot, $way" "$row" 3 3 1e-6
  row=$(last "$here/cable.yaml" --coordinates "$1" --method "$2" --tol 1e-8) || fail "cable: $way"
  near "cable, $way" "$row" 2 8 1e-6
  near "cable, $way" "$row" 3 8 1e-9
done
"$work/build/holon" run "$here/apex.yaml" -o "$work/out/run" --quiet --accuracy off --json >"$work/out/apex" || fail "apex"
grep -q '"event_count": 1,' "$work/out/apex" || fail "event: not one event"
near "apex" "$(grep -o '"events": \[{"time": [^,]*' "$work/out/apex" | sed 's/.*: //')" 1 0.5 1e-9
reference=$(last "$source/models/examples/pendulum.yaml" --coordinates cartesian --formula dopri5 --tol 1e-10)
angle=$(echo "$reference" | cut -d, -f2)
row=$(last "$source/models/examples/pendulum.yaml" --formula bogacki-shampine --tol 1e-8) || fail "formula"
near "bogacki-shampine" "$row" 2 "$angle" 1e-5
row=$(last "$source/models/examples/pendulum.yaml" --coordinates twin --formula dopri5 --tol 1e-10) || fail "twin"
[ "$row" = "$reference" ] || fail "coordinates twin: '$row' is not '$reference'"
"$work/build/holon" list >"$work/out/list"
for word in slot cable bogacki-shampine twin; do
  grep -qw -e "$word" "$work/out/list" || fail "holon list does not name $word"
done
# an option is known to whoever reads, writes or describes options
holon=$work/build/holon
model=$source/models/examples/pendulum.yaml
sed 's/^simulation: *{/&haste: 3, /; s/^simulation:$/&\n  haste: 3/' "$model" >"$work/out/hasty.yaml"
grep -q haste "$work/out/hasty.yaml" || fail "option: $model has no simulation:"
# value CALL...: of the option in the certificate; hash CALL...: of the model
value() { "$holon" run "$@" --json | grep -o '"haste": [^,}]*' | cut -d' ' -f2; }
hash() { "$holon" run "$@" --json | grep -o '"model": {[^}]*}' | grep -o '"hash": [^,}]*'; }
[ "$(value "$model" --haste 2.5)" = 2.5 ] || fail "option: the certificate does not have what the call said"
[ "$(value "$work/out/hasty.yaml")" = 3 ] || fail "option: the model's suggestion does not arrive"
[ "$(value "$work/out/hasty.yaml" --haste 2.5)" = 2.5 ] || fail "option: the call does not override the model"
[ "$(value "$model")" = null ] || fail "option: what nobody said is in the certificate"
[ "$(hash "$model")" != "$(hash "$work/out/hasty.yaml")" ] || fail "option: the model's hash does not know it"
! "$holon" run "$model" --haste 11 --json >"$work/out/refused" || fail "option: out of its range and accepted"
grep -q 'haste is 11, out of its range' "$work/out/refused" || fail "option: not told what is out of range"
"$holon" run "$model" --time 0.1 --haste 2 --save-state "$work/out/state" --quiet -o "$work/out/run" || fail "option: state"
! "$holon" run "$model" --haste 3 --from "$work/out/state" --json >"$work/out/refused" || fail "option: not in saved states"
grep -q -- '--haste' "$work/out/refused" || fail "option: a state of another run does not name it"
for what in "run --help" "help --manual" "help --completion" schema; do
  "$holon" $what | grep -q haste || fail "option: holon $what does not know it"
done
[ $failed -eq 0 ] && echo "additions: ok"
exit $failed
