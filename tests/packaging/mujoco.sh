#!/bin/sh
# Exported machines have in MuJoCo the accelerations they have here. Needs node and the package @mujoco/mujoco, which is fetched into
# the build folder unless $HOLON_MUJOCO names a folder with node_modules; skipped without.
# usage: mujoco.sh SOURCE BUILD
set -eu
source=$1
build=$2
folder=${HOLON_MUJOCO:-$build/mujoco}
mkdir -p "$folder"
[ -d "$folder/node_modules/@mujoco/mujoco" ] ||
  npm install --prefix "$folder" --no-save --no-audit --no-fund @mujoco/mujoco@3.14.0 >"$folder/npm.log" 2>&1 || {
  echo "skipped: node, npm (scripts/install-packages test) or @mujoco/mujoco (network) is missing"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/tests/packaging/mujoco.mjs" "$folder/holon-accelerations.mjs"
for model in tests/data/import/planar_floating.urdf tests/data/import/screw_gearbox_universal.sdf models/slider-crank.yaml \
  models/vlasenko/steam-machine.yaml models/andrews-ivp.yaml models/examples/joint-universal.yaml models/examples/joint-planar.yaml models/examples/force-tendon.yaml; do
  "$build/holon" export "$source/$model" --mjcf "$work/machine.xml" --quiet
  "$build/holon" run "$source/$model" --time 1e-9 -o "$work/run" --format csv --quiet --coordinates cartesian \
    --signals 'joint.*acceleration'
  node "$folder/holon-accelerations.mjs" "$work/machine.xml" "$work/run/results.csv" 1e-7 || {
    echo "mujoco: $model"
    exit 1
  }
done
rm -f "$folder/holon-accelerations.mjs"
