# Thin: each target installs what is missing (Debian), then calls CMake, CTest or the built command.
#
#   make run      simulate the Iltis vehicle over ramp and stairs; a report with plots
#   make test     every test once, in the optimized build or under sanitizers (six minutes)
#   make test-long  whatever make test leaves out or takes samples of (an hour)
#   make test-arm64  the library for arm64 by a cross compiler, run by qemu (ten minutes)
#   make fuzz     every reader against random files (SECONDS=600 each), side by side
#   make bench    cost beside the papers and other engines, into bench/results (half an hour; QUICK=1: five
#                 minutes; SECTION="iftomm peers": some of it)
#   make wheel    the Python package as one file for pip, into out/ (needs libc and NumPy, no more)
#   make dist     the source as an archive and a package for Debian, into out/
#   make pictures the pictures of README and docs, from real runs
#   make site     the documentation, a gallery of live models and the benchmarks as static pages, into out/site
#   make build | install | format | lint | clean
#
# JOBS=n: how many compilations at once. PREFIX=/usr/local: where `make install` puts things.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SECONDS ?= 600
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

MAKEFLAGS += --no-print-directory

.PHONY: build run test test-long test-arm64 fuzz bench wheel dist pictures site bench-programs bench-peers install format lint clean
.DEFAULT_GOAL := build

build:
	@scripts/install-packages run
	@cmake --preset release -DHOLON_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build --preset release --parallel $(JOBS)

run: build
	@build/holon run models/iltis/iltis.yaml -o out/iltis

test:
	@JOBS=$(JOBS) scripts/test

test-long:
	@scripts/install-packages test
	@JOBS=$(JOBS) scripts/test-long

test-arm64:
	@scripts/install-packages test
	@scripts/install-packages arm64
	@JOBS=$(JOBS) scripts/test-arm64

fuzz:
	@scripts/install-packages test
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz --parallel $(JOBS)
	@SECONDS_EACH=$(SECONDS) JOBS=$(JOBS) scripts/fuzz $(TARGETS)

bench: bench-programs
	@QUICK=$(QUICK) PROBLEMS="$(PROBLEMS)" JOBS=$(JOBS) scripts/bench $(SECTION)

bench-%: bench-programs
	@QUICK=$(QUICK) JOBS=$(JOBS) scripts/bench $*

bench-peers: bench-programs
	@scripts/install-packages peers
	@QUICK=$(QUICK) JOBS=$(JOBS) scripts/bench iftomm peers trees

bench-programs: build
	@scripts/install-packages bench
	@cmake --build --preset release --parallel $(JOBS) --target bench_programs

wheel:
	@scripts/install-packages wheel
	@JOBS=$(JOBS) $(PYTHON) python/backend.py out

dist: build
	@scripts/install-packages dist
	@scripts/dist

pictures: build
	@scripts/install-packages pictures
	@scripts/make-pictures

site: build
	@scripts/install-packages site
	@scripts/make-site

install: build
	@cmake --install build --prefix $(PREFIX)

format:
	@scripts/install-packages lint
	@clang-format -i $(C_FILES)

lint:
	@scripts/install-packages lint
	@JOBS=$(JOBS) scripts/lint

clean:
	@rm -rf build out
