# The two commands that matter: `make demo` and `make test`. CMAKE_FLAGS is handed to CMake's configure step.
CMAKE_FLAGS ?=
.DEFAULT_GOAL := help
.PHONY: help setup build demo test bench check format clean

help:
	@echo 'make demo    install what is missing, build, run ResNet-50 on both runtimes and show where its time goes'
	@echo 'make test    the same set-up, then every test'
	@echo 'make bench   the same set-up, then the benchmarks of takt itself'
	@echo 'make check   everything CI does: tests, format, layers, documentation, clang-tidy, sanitizers, fuzzing'
	@echo 'make format  format the sources in place'
	@echo 'make clean   remove build/ and demo/ (the SDKs in .sdk/ stay)'

setup:
	@tools/bootstrap

build: setup
	@tools/build release $(CMAKE_FLAGS)

demo: build
	@tools/demo

test: build
	@ctest --preset release || { echo "test: run one alone with: ctest --preset release -R NAME" >&2; exit 1; }

bench: build
	@tools/bench

check:
	@tools/check

format:
	@tools/format

clean:
	rm -rf build demo
