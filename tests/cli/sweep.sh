#!/bin/sh
# A sweep gives the same table, byte for byte, by one process, by several, by shards in any order, by ranks
# of mpirun, and after being killed again and again.
# usage: sweep.sh HOLON MODELS FOLDER
set -eu
holon=$1 models=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
export OMPI_COMM_WORLD_SIZE= PMI_SIZE=
unset OMPI_COMM_WORLD_SIZE PMI_SIZE

# a script of its own, so that a signal ends the command and not a shell around it
cat >"$work/sweep" <<END
#!/bin/sh
folder=\$1
shift
exec "$holon" sweep "$models/iltis/iltis.yaml" --vary 'tyre=300:600 kN/m' --vary stair=0.05:0.29 \\
  --sample lhs:24 --seed 7 --time 1 --measure chassis.z:max --measure chassis.az:rms --quiet \\
  -o "$work/\$folder" "\$@"
END
chmod +x "$work/sweep"
same() {
  cmp "$work/one/table.csv" "$work/$1/table.csv" || {
    echo "$2: another table"
    exit 1
  }
}

"$work/sweep" one --jobs 1
[ "$(wc -l <"$work/one/table.csv")" -eq 25 ]
[ "$(cut -d, -f4 "$work/one/table.csv" | sort | uniq -c | awk '$2 == "ok" {print $1}')" = 24 ]
[ "$(find "$work/one/runs" -name 'row-*.json' | wc -l)" -eq 24 ]

"$work/sweep" many --jobs 3
same many "three processes"

"$work/sweep" shards --shard 3/3
[ ! -e "$work/shards/table.csv" ]
"$work/sweep" shards --shard 1/3 --jobs 2
"$work/sweep" shards --shard 2/3
same shards shards

OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 "$work/sweep" ranks
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$work/sweep" ranks
same ranks "ranks of mpirun"

# killed at once, and again, until it is done; half a line is left behind as well
for tenth in 0 1 2 3 4 5; do
  "$work/sweep" killed --jobs 2 &
  pid=$!
  sleep "0.0$tenth"
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
done
mkdir -p "$work/killed"
printf '5,0.1,99' >>"$work/killed/part-1-of-1-2.csv"
"$work/sweep" killed --jobs 2
same killed "killed and begun again"

# a process that a fault ends costs the row it was at, and no other
if command -v pgrep >/dev/null; then
  "$holon" sweep "$models/iltis/iltis.yaml" --vary stair=0.1:0.29:3 --time 4 --tol 1e-10 --jobs 1 --quiet \
    -o "$work/crashed" &
  pid=$!
  child=
  while [ -z "$child" ] && kill -0 $pid 2>/dev/null; do child=$(pgrep -P $pid || true); done
  sleep 0.1
  kill -ABRT $child
  wait $pid && { echo "a crashed row was not told by the exit status"; exit 1; }
  [ "$(grep -c '^[0-9]*,[0-9.]*,ok,' "$work/crashed/table.csv")" -eq 2 ]
  grep -q 'row [012]: the process of this case crashed (signal 6)' "$work/crashed/failures.txt"
fi

# another sweep does not mix with it
if "$work/sweep" one --jobs 1 --tol 1e-6 2>"$work/message"; then
  echo "a folder of another sweep was taken"
  exit 1
fi
grep -q 'a different sweep' "$work/message"

# what fails is listed, and the others are there
if "$holon" sweep "$models/iltis/iltis.yaml" --vary front=-1,0.36 --time 0.1 --quiet -o "$work/failing"; then
  echo "a failed row was not told by the exit status"
  exit 1
fi
grep -q 'row 0: .*radius -1' "$work/failing/failures.txt"
grep -q '^0,-1,model,' "$work/failing/table.csv"
grep -q '^1,0.36,ok,' "$work/failing/table.csv"
if "$holon" sweep "$models/iltis/iltis.yaml" --vary front=-1,0.36 --time 0.1 --quiet -o "$work/failing" \
  2>"$work/message"; then
  exit 1
fi
grep -q '1 of 2 cases failed (see .*/failures.txt)' "$work/message"
if "$holon" sweep "$models/iltis/iltis.yaml" --vary front=-1,0.36 --time 0.1 --json -o "$work/failing" \
  >"$work/json"; then
  exit 1
fi
grep -q '"status": "failed", .*"failed": 1, "failures": ".*/failures.txt"' "$work/json"
# also by a part of the sweep, which writes no table
if "$holon" sweep "$models/iltis/iltis.yaml" --vary front=-1,0.36 --time 0.1 --shard 1/2 -o "$work/shard" \
  >"$work/summary" 2>"$work/message"; then
  exit 1
fi
grep -q '1 of 2 cases done' "$work/summary"
grep -q '1 of 1 cases failed (see .*/runs/row-\*.txt)' "$work/message"
[ ! -e "$work/shard/failures.txt" ]
grep -q 'radius -1' "$work"/shard/runs/row-*.txt

# a number that somebody changed is not taken: the row is run again
sed -i 's/,ok,\([0-9]\)/,ok,9\1/' "$work"/many/part-*.csv
"$work/sweep" many --jobs 3
same many "lines that were changed"

# links lead out of the folder
mkdir -p "$work/linked" "$work/elsewhere"
ln -s "$work/elsewhere" "$work/linked/runs"
if "$work/sweep" linked --jobs 1 2>"$work/message"; then
  echo "a link was followed"
  exit 1
fi
grep -q 'is a symbolic link' "$work/message"
[ -z "$(ls "$work/elsewhere")" ]

# names are checked before a script is printed
if "$holon" sweep "$models/iltis/iltis.yaml" --vary staair=0.1:0.2:3 --slurm 4 >"$work/script" 2>"$work/message"; then
  echo "a script for a parameter that does not exist was printed"
  exit 1
fi
grep -q 'staair' "$work/message"
[ ! -s "$work/script" ]
"$holon" sweep "$models/iltis/iltis.yaml" --vary stair=0.1:0.2:3 --slurm 4 | grep -q 'array=1-4'

# files are read once, whatever the number of cases
cp "$models/examples/pendulum.yaml" "$work/once.yaml"
sed -i '1a parameters: {m: 1 kg}' "$work/once.yaml"
sed -i 's/mass: 1 kg/mass: m/' "$work/once.yaml"
"$holon" sweep "$work/once.yaml" --vary 'm=1:2:40' --quiet -o "$work/once"
cp "$work/once/table.csv" "$work/once.csv"
if command -v strace >/dev/null && strace -o "$work/calls" true 2>/dev/null; then
  # the leak sanitizer does not run under strace
  ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat -o "$work/calls" \
    "$holon" sweep "$work/once.yaml" --vary 'm=1:2:40' --jobs 2 --quiet -o "$work/traced"
  [ "$(grep -c 'once.yaml' "$work/calls")" -eq 1 ] || {
    echo "the model was read more than once"
    exit 1
  }
fi

# a certificate that was lost with the power: its case runs again
: >"$work/once/runs/row-000007.json"
rm "$work/once/table.csv"
"$holon" sweep "$work/once.yaml" --vary 'm=1:2:40' --quiet -o "$work/once"
cmp "$work/once/table.csv" "$work/once.csv"
[ -s "$work/once/runs/row-000007.json" ]
# a folder that cannot be made or written into
: >"$work/plain"
for folder in "$work/plain" "$work/plain/inside"; do
  if "$holon" sweep "$models/iltis/iltis.yaml" --vary stair=0.1:0.2:3 --time 0.1 -o "$folder" 2>"$work/message"; then
    echo "a sweep went into a file"
    exit 1
  fi
  grep -q "cannot create the folder '$work/plain" "$work/message"
done
echo "sweep: ok"
