# The two commands that matter: `make demo` and `make test`. CMAKE_FLAGS is handed to CMake's configure step,
# BOOTSTRAP_FLAGS to tools/bootstrap (--no-packages, --no-sdks).
CMAKE_FLAGS ?=
BOOTSTRAP_FLAGS ?=
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
.PHONY: help build demo demo-training test tests bench install check format clean

help:
	@echo 'make demo    install what is missing, build takt, run ResNet-50 on both runtimes and a pipeline of stages;'
	@echo "             $$(tools/demo --plan)"
	@echo 'make demo-training  install libtorch, build takt with it, train with each of four planted faults and diagnose them'
	@echo 'make build   the same set-up and build, without the runs'
	@echo 'make test    set-up and build of the tests as well, then every test; on 2 cores about 20 minutes, 11 when built'
	@echo 'make install the same set-up as build, then the program and the libraries into PREFIX (/usr/local)'
	@echo 'make bench   the benchmarks of takt itself; an hour or two on a machine that does nothing else'
	@echo 'make check   everything CI does: tests, format, layers, documentation, clang-tidy, sanitizers, fuzzing; about'
	@echo '             three quarters of an hour on 2 cores'
	@echo 'make format  format the sources in place'
	@echo 'make clean   remove build/ and demo/ (the SDKs in .sdk/ stay)'

demo:
	@echo "demo: $$(tools/demo --plan)"
	@$(MAKE) --no-print-directory build
	@tools/demo

demo-training:
	@tools/bootstrap --torch --quiet $(BOOTSTRAP_FLAGS)
	@tools/build release --only training-files -DTAKT_WITH_TORCH=ON $(CMAKE_FLAGS)
	@scripts/run_profiler.sh --device cpu --batch-size 16 --image-size 32 --width 16 --diagnose

build:
	@tools/bootstrap --quiet $(BOOTSTRAP_FLAGS)
	@tools/build release --only takt $(CMAKE_FLAGS)

# libtorch is nine tenths of what tests would install, for one command: with it where it is there.
tests:
	@tools/bootstrap --test --quiet $(BOOTSTRAP_FLAGS)
	@if [ -n "$$LIBTORCH_ROOT" ] || [ -z "$$(tools/bootstrap --torch --list --no-sdks --quiet)" ]; then torch=ON; else \
	  torch=OFF; echo "tests: no libtorch here, so the tests of takt scenario are left out; 'tools/bootstrap --torch' installs it"; fi; \
	tools/build release -DTAKT_BUILD_TESTS=ON -DTAKT_WITH_TORCH=$$torch $(CMAKE_FLAGS)

test: tests
	@ctest --preset release || { echo "test: run one alone with: ctest --preset release -R NAME" >&2; exit 1; }

bench: tests
	@tools/bench

install:
	@tools/bootstrap --quiet $(BOOTSTRAP_FLAGS)
	@tools/build release --only install-files $(CMAKE_FLAGS)
	@cmake --install build/release --prefix "$(PREFIX)"

check:
	@tools/check

format:
	@tools/format

clean:
	rm -rf build demo
