# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
# Thin: each target calls a CMake preset or a script. `make help` lists the targets.
.DEFAULT_GOAL := demo

PREFIX ?= /usr/local
DESTDIR ?=
SAMPLE ?= samples/version-rejected.pcap
FUZZ_SECONDS ?= 600
RUNS ?= 10000
SEED ?= 1000
ROUNDS ?= 5000
JOBS ?= $(shell nproc)

TOOL = build/release/iggy-pcap
INSTALL_PACKAGES = packaging/install-packages
configure = cmake --preset $(1) --log-level=WARNING
compile = cmake --build --preset $(1) -j $(JOBS)

.PHONY: help demo build test golden-update install install-plugin format tidy fuzz fuzz-plugin \
        bench stress hard clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 \2/p' Makefile | \
	  awk '{ printf "  make %-14s", $$2; $$1 = $$2 = ""; print $$0 }'

demo: ## install what building needs, build, and explain a sample capture
	@$(INSTALL_PACKAGES) build
	@$(MAKE) --no-print-directory build
	@printf '\n$$ iggy-pcap analyze $(SAMPLE)\n\n'
	@$(TOOL) analyze $(SAMPLE)

build: ## build what users run: build/release/iggy-pcap, and the plugin in build/release/plugins
	@$(call configure,release) -DIGGY_TESTS=OFF
	@$(call compile,release)

test: ## install what testing needs, build everything, and run all tests
	@$(INSTALL_PACKAGES) build test
	@JOBS=$(JOBS) tests/run-all

golden-update: build ## write the expected outputs anew; read the difference before you commit
	python3 tests/golden/run.py --iggy-pcap $(TOOL) --update
	python3 tests/tidy/fields_reference.py --iggy-pcap $(TOOL) --update

install: build ## install to DESTDIR/PREFIX (default /usr/local)
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

install-plugin: build ## install the Wireshark plugin for the user who runs this
	@packaging/install-plugin build/release

format: ## format every C++ file in place
	@tests/tidy/format

tidy: ## run clang-tidy over the compile database
	@$(call configure,debug)
	@tests/tidy/clang-tidy build/debug $(JOBS)

fuzz: ## fuzz every target for FUZZ_SECONDS (default 600) seconds
	@JOBS=$(JOBS) tests/run-fuzz $(FUZZ_SECONDS)

fuzz-plugin: ## cut and change real captures, RUNS (default 10000) times, show them in any order
	@$(call configure,release) -DIGGY_TESTS=ON
	@$(call compile,release) --target iggy
	@tests/plugin/mutate.py --plugin build/release/plugins/*/epan/iggy.so --runs $(RUNS) \
	  --seed $(SEED) --keep build/mutants
	@tests/plugin/hardening.py --plugin build/release/plugins/*/epan/iggy.so
	@tests/plugin/order.py --plugin build/release/plugins/*/epan/iggy.so --mutants 200

bench: ## run the benchmarks, analyze against a libpcap loop, the plugin against a stub
	@$(call configure,bench)
	@$(call compile,bench)
	@tests/run-bench build/bench/tests/bench
	@tests/bench/analyze-ratio build/bench
	@tests/bench/plugin-ratio build/bench

stress: ## run hostile captures against the limits of time and memory
	@$(call configure,release) -DIGGY_TESTS=ON
	@$(call compile,release) --target iggy-pcap hostile-capture
	@tests/stress/stress.py --iggy-pcap $(TOOL) --hostile build/release/tests/stress/hostile-capture

hard: ## mix the mishaps of TCP at random ROUNDS (default 5000) times, drop every single packet
	@$(call configure,release) -DIGGY_TESTS=ON
	@$(call compile,release) --target hard-tests
	@IGGY_LONG_TESTS=1 IGGY_HARD_ROUNDS=$(ROUNDS) build/release/tests/hard/hard-tests --gtest_brief=1

clean: ## remove everything that was built
	rm -rf build
