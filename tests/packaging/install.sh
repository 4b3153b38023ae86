#!/bin/sh
# Installs into a folder of its own and builds a project outside the tree against it: by
# find_package and by pkg-config, shared and static.
# usage: install.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
library=$(dirname "$(find "$prefix" -name libholon.a)")
cp -r "$source/tests/packaging/consumer" "$work/consumer"
cd "$work/consumer"

echo "== find_package"
cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build build >/dev/null
build/with_holon
build/with_static
ldd build/with_holon | grep -q "$library/libholon.so" || {
  echo "with_holon does not use the installed shared library"
  exit 1
}
sed 's/holon 0.2/holon 9.9/' CMakeLists.txt >later && mv later CMakeLists.txt
if cmake -S . -B later -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1; then
  echo "version 9.9 was asked for and found"
  exit 1
fi

echo "== pkg-config"
export PKG_CONFIG_PATH=$library/pkgconfig
[ "$(pkg-config --modversion holon)" = "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' \
  "$library/cmake/holon/holon-config-version.cmake")" ]
# shellcheck disable=SC2046
cc -std=c17 main.c $(pkg-config --cflags --libs holon) -o shared
LD_LIBRARY_PATH=$library ./shared
mkdir static-only && cp "$library/libholon.a" static-only
# shellcheck disable=SC2046
cc -std=c17 main.c -L static-only $(pkg-config --cflags --static --libs holon) -o static
./static

if [ -x "$build/holon" ]; then
  echo "== the command"
  "$prefix/bin/holon" --version
  [ -f "$prefix/share/man/man1/holon.1" ] || { echo "no manual page"; exit 1; }
  [ -f "$prefix/share/bash-completion/completions/holon" ] || { echo "no completion"; exit 1; }
fi
if grep -rlE '/(work|root|home|tmp)/' "$prefix" --include='*.pc' --include='*.cmake' --include='*.h'; then
  echo "installed files name folders of this machine"
  exit 1
fi
echo "installed and used: ok"
