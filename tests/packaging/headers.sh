#!/bin/sh
# Every public header compiles alone, as strict C17 and as C++.
# usage: headers.sh SOURCE BUILD
set -eu
source=$1
warnings="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"
for header in "$source"/include/holon/*.h; do
  name=holon/$(basename "$header")
  for standard in c11 c17; do
    echo "#include <$name>" | cc -x c -std=$standard $warnings -I "$source/include" -
  done
  if command -v clang >/dev/null; then
    echo "#include <$name>" | clang -x c++ -std=c++11 $warnings -I "$source/include" -
  fi
  echo "$name: stands alone"
done
