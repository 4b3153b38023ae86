#!/bin/bash -eu
# For OSS-Fuzz: run inside the project's folder with CC, CFLAGS, LIB_FUZZING_ENGINE, OUT and WORK set. The
# image needs cmake, pkg-config, zip and the packages of `scripts/install-packages run`.
cmake -S . -B "$WORK/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DHOLON_FUZZ=ON \
  -DHOLON_TESTS=OFF -DHOLON_WERROR=OFF -DHOLON_FUZZ_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$WORK/build" --target fuzzers --parallel "$(nproc)"
for program in "$WORK"/build/fuzzers/fuzz_*; do
  name=$(basename "$program") target=${program##*/fuzz_}
  cp "$program" "$OUT/"
  zip -qj "$OUT/${name}_seed_corpus.zip" tests/fuzz/corpus/"$target"/*
  case $target in model | machine) zip -qj "$OUT/${name}_seed_corpus.zip" models/examples/*.yaml ;; esac
  [ ! -f "tests/fuzz/$target.dict" ] || cp "tests/fuzz/$target.dict" "$OUT/$name.dict"
done
# what `use:` and saved states find
mkdir -p "$OUT/models"
cp -r models/examples models/tyres "$OUT/models/"
mkdir -p "$OUT/tests/data"
cp -r tests/data/saving "$OUT/tests/data/"
