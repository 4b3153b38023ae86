#!/bin/sh
# The minimal build compiles with libc and libm alone; a machine described in code moves, and so does one
# from a file in JSON. All models that ship have the same hash there as in the build with libyaml. Objects that are the same in
# both are those of BUILD.
# usage: minimal.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$source" -B "$work" -DHOLON_MINIMAL=ON -DHOLON_TESTS=OFF -DCMAKE_BUILD_TYPE=Release \
  -DHOLON_OBJECTS_OF="$build" >/dev/null
cmake --build "$work" --parallel 2 --target holon holon_static >"$work/log" 2>&1 || {
  tail -30 "$work/log"
  exit 1
}
needed=$(objdump -p "$work/libholon.so" | awk '/NEEDED/ {print $2}' | grep -vE '^lib(c|m)\.so' || true)
[ -z "$needed" ] || {
  echo "the minimal library needs $needed"
  exit 1
}
cc -std=c17 -I "$source/include" "$source/examples/model_in_code.c" "$work/libholon.a" -lm \
  -o "$work/model_in_code"
"$work/model_in_code"
cc -std=c17 -I "$source/include" "$source/examples/load_and_run.c" "$work/libholon.a" -lm \
  -o "$work/load_and_run"
"$work/load_and_run" "$source/models/examples/pendulum.json" "$work/pendulum.csv"
if "$work/load_and_run" "$source/models/examples/pendulum.yaml" "$work/pendulum.csv" 2>"$work/message"; then
  echo "the minimal build reads YAML"
  exit 1
fi
grep -q JSON "$work/message"

# every model in JSON, by the same reader
cat >"$work/hash.c" <<'END'
#include <holon/holon.h>
#include <stdio.h>
int main(int count, char **paths) {
  for (int k = 1; k < count; k++) {
    hn_model *model = NULL;
    hn_error error;
    char text[4096];
    if (hn_model_load(paths[k], NULL, &model, &error) == HN_OK) {
      printf("%016llx %s\n", hn_model_hash(model), paths[k]);
    } else {
      hn_error_format(&error, text, sizeof text);
      puts(text);
    }
    hn_model_free(model);
  }
}
END
cc -std=c17 -I "$source/include" "$work/hash.c" "$work/libholon.a" -lm -o "$work/hash"
(cd "$source" && "$build/tests/holon-tests" formats/json_models --write "$work/models") >"$work/expected"
[ "$(wc -l <"$work/expected")" -gt 80 ]
cut -d' ' -f2 "$work/expected" | xargs "$work/hash" >"$work/hashes"
diff "$work/expected" "$work/hashes"
echo "minimal build: ok, $(wc -l <"$work/hashes") models"
