#!/bin/sh
# What the libraries show and what they call: only hn_ names are global, nothing prints or exits,
# there is no writable global data, and of the mathematical functions of the C library only those that
# IEEE 754 defines exactly are called (src/math/elementary.h has the others).
# usage: symbols.sh SOURCE BUILD
set -eu
build=$2
status=0
complain() {
  [ -z "$2" ] || {
    echo "$1:"
    printf '%s\n' "$2" | sed 's/^/  /'
    status=1
  }
}

# Names of the compiler's and the sanitizers' own making are not ours.
complain "global in libholon.a without hn_" "$(nm -g --defined-only "$build/libholon.a" |
  awk 'NF == 3 && $3 !~ /^hn_/ {print $3}')"
complain "visible in libholon.so without hn_" "$(nm -D --defined-only "$build/libholon.so" |
  awk '$3 !~ /^hn_/ {print $3}')"

# What is declared HN_API and defined is visible, and nothing else is.
declared=$(grep -hoE '\bhn_[a-z0-9_]+\(' "$1"/include/holon/*.h | tr -d '(' | sort -u)
complain "visible in libholon.so but in no public header" "$(nm -D --defined-only "$build/libholon.so" |
  awk '{print $3}' | while read -r name; do
  echo "$declared" | grep -qx "$name" || echo "$name"
done)"

complain "the library calls what only a program may" "$(nm -u "$build/libholon.a" | awk '{print $2}' |
  grep -xE 'printf|puts|putchar|perror|exit|_exit|abort|_?setjmp|longjmp|getenv|system|signal' | sort -u)"
inexact='a?(sin|cos|tan)h?|sincos|atan2|exp(2|10|m1)?|log(2|10|1p)?|pow|cbrt|hypot|erfc?|[lt]gamma|lgamma_r|[jy][01n]|fma'
complain "a mathematical function whose bits depend on the C library" "$(nm -u "$build/libholon.a" | awk '{print $2}' |
  grep -xE "($inexact)[fl]?|c(abs|arg|exp|log|pow|sqrt|sin|cos|tan)[fl]?|__div[dst]c3" | sort -u)"
complain "writable global data (object, section, bytes)" "$(objdump -h "$build/libholon.a" |
  awk '/file format/ {object = $1} $2 ~ /^\.(data|bss)$/ && $3 !~ /^0+$/ {print object, $2, "0x" $3}')"

[ $status -eq 0 ] && echo "symbols: clean"
exit $status
