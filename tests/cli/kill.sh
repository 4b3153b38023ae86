#!/bin/sh
# Runs that are killed at random moments: what is left is readable and a part of the whole run, and
# `--resume` ends in the same state with the same rows and the same animation as a run that nobody killed.
# What is lost of the work is measured in wall time, from the last write to a store that is not complete
# until the kill, and in time of the processor: no more than the process had until then. On a machine that
# does other things too the first is the longer one.
# Then two runs into one folder: the second is refused and touches nothing.
# usage: kill.sh HOLON MODELS FOLDER [KILLED [PAIRS [SEED]]]
set -euf # words of calls are no names of files
holon=$1 models=$2 folder=$3 killed=${4:-6} pairs=${5:-3} seed=${6:-1}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

fail() {
  echo "kill.sh: $*" >&2
  exit 1
}

# Waits for less than $1 thousandths of a second. Not in a shell of its own, where the seed would be lost.
wait_a_while() {
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  pause=$((seed / 65536 % $1))
  sleep "$(printf '%d.%03d' $((pause / 1000)) $((pause % 1000)))"
}

now() { date +%s%3N; }

hash_of() { sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/certificate.json"; }

# Explicit with events, stiff with kept matrices, adams; states, rules and samples; contact; and a longer one
# that saves no state by then: its rows alone are flushed, and it begins again.
call() {
  case $1 in
    0) set -- four-bar.yaml --time 250 --tol 1e-8 --output-step 0.02 ;;
    1) set -- negrut/double-pendulum.yaml --time 300 --tol 1e-6 --output-step 0.02 ;;
    2) set -- examples/force-joint-stop.yaml --time 900 --tol 1e-9 --output-step 0.05 ;;
    3) set -- ../tests/data/saving/states.yaml --time 12 --output-step 0.02 ;;
    4) set -- contact/ratchet.yaml --time 8 --output-step 0.01 ;;
    *) set -- four-bar.yaml --time 1200 --tol 1e-8 --output-step 0.02 --checkpoint 60 ;;
  esac
  model=$1
  shift
  # outputs and positions: to export and to compare all signals takes longer than the runs
  words="$models/$model $* --accuracy off --quiet --format store --signals body.*.position.*"
  case $words in *--checkpoint*) ;; *) words="$words --checkpoint 0.05" ;; esac
}

for kind in 0 1 2 3 4 5; do
  call $kind
  begin=$(now)
  # shellcheck disable=SC2086
  "$holon" run $words -o "whole$kind" || fail "the run $kind fails"
  eval "took$kind=$(($(now) - begin + 2))"
  "$holon" export "whole$kind" --results "whole$kind.csv" >/dev/null
done

# Milliseconds of the processor that a process has had.
work_of() {
  awk '{print ($14 + $15) * 10}' "/proc/$1/stat" 2>/dev/null || echo 0
}

# Of a run that was killed at $ended, and whose store says that it is not complete.
measure_loss() {
  written=$(stat -c %.3Y run/results.store | tr -d .)
  [ "$written" -ge "$began" ] || written=$began # nothing yet by this process
  wall=$((ended - written))
  [ $wall -le $lost ] || lost=$wall
  [ "$wall" -le "$work" ] || wall=$work
  [ "$wall" -le $least ] || least=$wall
}

i=0 real=0 lost=0 least=0
while [ $i -lt "$killed" ]; do
  kind=$((i % 6)) signal=KILL
  [ $(((i + i / 6) % 2)) -eq 0 ] || signal=HUP
  call $kind
  eval "took=\$took$kind"
  rm -rf run
  # shellcheck disable=SC2086
  "$holon" run $words -o run 2>/dev/null &
  process=$! began=$(now)
  again=0
  while :; do
    wait_a_while "$took"
    work=$(work_of $process)
    kill -$signal $process 2>/dev/null || true
    ended=$(now)
    wait $process 2>/dev/null || true
    [ -f run/run.call ] || break
    real=$((real + 1))
    if [ -f run/results.store ] && "$holon" export run --results part.csv >/dev/null 2>part.txt; then
      if [ $signal = KILL ] && grep -q "is not complete" part.txt; then measure_loss; fi
      # all but the last row, which may be that of the stop
      lines=$(($(wc -l <part.csv) - 1))
      head -n $lines part.csv >a.csv
      head -n $lines "whole$kind.csv" >b.csv
      cmp -s a.csv b.csv || fail "run $i ($signal): rows that are left are not those of the whole run"
    fi
    again=$((again + 1))
    if [ $again -lt 3 ] && [ $kind -lt 5 ]; then
      "$holon" run --resume run --quiet 2>/dev/null &
      process=$! began=$(now)
    else
      "$holon" run --resume run --quiet || fail "run $i ($signal) cannot be resumed"
      break
    fi
  done
  if [ ! -f run/certificate.json ]; then # killed before it had begun
    [ ! -f run/results.store ] || fail "run $i ($signal): no certificate"
  else
    "$holon" export run --results run.csv >/dev/null
    cmp -s run.csv "whole$kind.csv" || fail "run $i ($signal): other rows than the whole run"
    [ "$(hash_of run)" = "$(hash_of "whole$kind")" ] || fail "run $i ($signal): another state"
    cmp -s run/motion.bin "whole$kind/motion.bin" || fail "run $i ($signal): another animation"
    [ -z "$(ls run | grep -E 'part$|state$')" ] || fail "run $i ($signal): files are left"
  fi
  i=$((i + 1))
done

call 0
i=0 refused=0
while [ $i -lt "$pairs" ]; do
  rm -rf both
  # shellcheck disable=SC2086
  "$holon" run $words -o both 2>/dev/null &
  first=$!
  wait_a_while $((took0 / 2))
  code=0
  "$holon" run "$models/four-bar.yaml" --time 1 --accuracy off --quiet --format csv -o both \
    2>second.txt || code=$?
  first_code=0
  wait $first || first_code=$?
  if [ $code -eq 0 ]; then # one after the other: the second had the folder alone at its time
    [ -f both/results.csv ] || fail "pair $i: the second run has no results"
  else
    refused=$((refused + 1))
    [ $code -eq 1 ] || fail "pair $i: exit code $code"
    grep -q "another run writes into" second.txt || fail "pair $i: $(cat second.txt)"
    [ ! -f both/results.csv ] || fail "pair $i: the run that was refused has written"
  fi
  if [ $first_code -eq 0 ] && [ $code -ne 0 ]; then
    "$holon" export both --results both.csv >/dev/null
    cmp -s both.csv whole0.csv || fail "pair $i: the first run has other rows"
  elif [ $first_code -ne 0 ] && [ $code -ne 0 ]; then
    fail "pair $i: both were refused"
  fi
  i=$((i + 1))
done
# a test of runs that had ended before says nothing
[ $((2 * real)) -ge "$killed" ] || fail "only $real kills of $killed runs came before their end"
[ $((2 * refused)) -ge "$pairs" ] || fail "only $refused of $pairs second runs were refused"
cd / && rm -rf "$folder" # some 600 MB; kept where something fails
echo "kill.sh: $killed runs killed $real times, $pairs pairs, $refused refused: all as they should be; the most that a kill lost: $lost ms by the clock, at most $least ms of the processor"
