#!/bin/sh
# Animated glTF of whole machines passes the validator of Khronos without errors and warnings.
# Skipped (exit 77) without node or without gltf-validator in viewer/node_modules.
# usage: gltf.sh SOURCE BUILD
set -eu
source=$1 build=$2
modules=$source/viewer/node_modules
command -v node >/dev/null || {
  echo "skipped: node is not installed"
  exit 77
}
[ -d "$modules/gltf-validator" ] || {
  echo "skipped: gltf-validator is not installed (npm ci in viewer/)"
  exit 77
}
work=$build/test-output/gltf
rm -rf "$work"
mkdir -p "$work"
for model in vlasenko/steam-machine iltis/iltis iftomm/a04 examples/body-shapes; do
  name=$(basename "$model")
  "$build/holon" run "$source/models/$model.yaml" --quiet -o "$work/$name"
  "$build/holon" export "$work/$name" --gltf "$work/$name.gltf" >/dev/null
  "$build/holon" export "$work/$name" --gltf "$work/$name.glb" >/dev/null
done
cat >"$work/validate.cjs" <<'END'
const validator = require(process.argv[2] + "/gltf-validator");
const fs = require("fs");
(async () => {
  let wrong = 0;
  for (const file of process.argv.slice(3)) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    const channels = report.info.animationCount;
    console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${channels} animations`);
    for (const message of messages.slice(0, 5)) console.log(message);
    if (numErrors > 0 || numWarnings > 0 || channels !== 1) wrong++;
  }
  process.exit(wrong > 0 ? 1 : 0);
})();
END
node "$work/validate.cjs" "$(cd "$modules" && pwd)" "$work"/*.gltf "$work"/*.glb
