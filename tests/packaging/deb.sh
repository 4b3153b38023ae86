#!/bin/sh
# The package for Debian: made of this build, unpacked, and its command runs a machine that came with it.
# usage: deb.sh SOURCE BUILD
set -eu
build=$(cd "$2" && pwd)
for program in cpack dpkg-deb dpkg-shlibdeps; do
  command -v $program >/dev/null || {
    echo "skipped: $program is not installed"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# not packed: what is inside is looked at, not its size
cpack --config "$build/CPackConfig.cmake" -G DEB -B package -D CPACK_DEBIAN_COMPRESSION_TYPE=none >log 2>&1 || {
  cat log
  exit 1
}
set -- package/holon_*.deb
dpkg-deb -f "$1" Depends | grep -q libc6 || {
  echo "the package does not name what it depends on"
  exit 1
}
dpkg-deb -x "$1" root
root/usr/bin/holon run root/usr/share/holon/models/four-bar.yaml --quiet -o out
for file in out/report.html out/certificate.json root/usr/share/man/man1/holon.1 root/usr/include/holon/holon.h; do
  [ -s "$file" ] || {
    echo "$file is missing"
    exit 1
  }
done
