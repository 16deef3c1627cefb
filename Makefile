# Every target works in a fresh clone and installs what it needs: Rust targets, Python environments, npm packages, and a
# browser and QEMU from the system's package manager where none is found.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := test
MAKEFLAGS += --no-print-directory

# The folder with the protocol's schemas, one folder a revision; `none` where there is no copy.
export MCP_SPEC_DIR ?= none
CASES ?= tests/cases/*.jsonl
SECONDS ?= 60

VENV := .venv/bin
RUST := Cargo.lock Cargo.toml $(shell find core/src -name '*.rs')
TARGETS := wasm32-unknown-unknown thumbv7em-none-eabihf thumbv7m-none-eabi
FUZZ := scanner envelope line server_bytes client_bytes uri
STEPS := lint requirements unit tables no-std cortex-m3 fuzz-short python wasm node cases interop schema-gate readme demo-once

.PHONY: test demo bench fuzz interop $(STEPS) targets gate python-package wasm-package node-package browser qemu valgrind examples peers

## Everything but the benchmarks and the long fuzz runs; ends with `N passed, N failed, N skipped`.
test:
	@rm -rf target/schema-gate
	@tests/steps $(STEPS)

## The three packages in one conversation, then the browser page: `make demo ONCE=1` ends after one round.
demo: python-package node-package
	PYTHON=$(CURDIR)/$(VENV)/python node bindings-node/examples/demo.mjs

demo-once:
	$(MAKE) demo ONCE=1

# What is built, once.

targets:
	@rustup target add $(TARGETS)

.venv/installed: bindings-python/requirements-dev.txt
	python3 -m venv .venv
	$(VENV)/python -m pip install --quiet --require-hashes -r $<
	touch $@

python-package: target/built/python
target/built/python: .venv/installed $(RUST) $(shell find bindings-python/src bindings-python/python -name '*.rs' -o -name '*.py*')
	. .venv/bin/activate && CARGO_TARGET_DIR=target/maturin maturin develop --quiet --release -m bindings-python/Cargo.toml
	mkdir -p $(@D) && touch $@

bindings-wasm/node_modules/installed: bindings-wasm/package-lock.json
	cd bindings-wasm && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

bindings-node/node_modules/installed: bindings-node/package-lock.json
	cd bindings-node && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

wasm-package: target/built/wasm
target/built/wasm: bindings-wasm/node_modules/installed $(RUST) $(shell find $(addprefix bindings-wasm/,src src-ts playground scripts generator/src) -type f)
	rustup target add wasm32-unknown-unknown
	cd bindings-wasm && npm run --silent build
	mkdir -p $(@D) && touch $@

node-package: target/built/node
target/built/node: target/built/wasm bindings-node/node_modules/installed $(shell find $(addprefix bindings-node/,src src-ts scripts) -type f)
	cd bindings-node && npm run --silent build
	mkdir -p $(@D) && touch $@

browser:
	@command -v chromium chromium-browser google-chrome >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
		|| { echo "no browser: install chromium, or put one on the PATH"; exit 1; }

qemu:
	@command -v qemu-system-arm >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends qemu-system-arm; } \
		|| { echo "no emulator: install qemu-system-arm"; exit 1; }

valgrind:
	@command -v valgrind >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends valgrind; } \
		|| { echo "no valgrind: install it"; exit 1; }

examples:
	cargo build --locked --quiet -p mcp-sansio --examples

gate:
	cargo build --locked --quiet -p mcp-sansio-gate

peers:
	python3 tests/interop/run.py setup

# The steps of `make test`.

lint: .venv/installed
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	for manifest in fuzz tests/peers-rmcp tests/cortex-m3 tests/bench bindings-wasm/generator; do \
		cargo fmt --manifest-path $$manifest/Cargo.toml --check; \
	done
	$(VENV)/ruff check bindings-python tests && $(VENV)/ruff format --check bindings-python tests
	cd bindings-python && ../$(VENV)/mypy
	cd tests/interop && ../../$(VENV)/mypy --strict *.py
	cd tests/readme && ../../$(VENV)/mypy --strict check.py
	cd tests/requirements && ../../$(VENV)/mypy --strict *.py
	cd tests/types && ../../$(VENV)/mypy --strict *.py

# How many requirements had a test when this was last raised.
LEAST_PROVEN := 232

## How many requirements that an engine can enforce are named by a test; `tests/requirements/register.py --missing` lists others.
requirements:
	python3 tests/requirements/register.py --least $(LEAST_PROVEN)

# The tests turn the feature `schema` on; without it, the layer above checks.
unit: examples
	cargo test --locked -p mcp-sansio -p mcp-sansio-tests -p mcp-sansio-gate
	cargo test --locked -p mcp-sansio --test catalog
	cargo test --locked -p mcp-sansio -p mcp-sansio-tests --features mcp-sansio/made-up-revision --lib --tests

# The schemas of the protocol are not in this repository.
tables:
	@if [ "$(MCP_SPEC_DIR)" = none ]; then \
		echo "skipped: set MCP_SPEC_DIR to a folder with the schema.json of each revision"; \
	else \
		cargo test --locked -p mcp-sansio --test schema_tables --test model_schemas && \
		python3 tests/types/generate.py --check "$(MCP_SPEC_DIR)"; \
	fi

no-std: targets
	cargo build --locked -p mcp-sansio --no-default-features
	for target in $(TARGETS); do \
		cargo build --locked -p mcp-sansio --no-default-features --target $$target; \
	done

cortex-m3: targets qemu
	cd tests/cortex-m3 && cargo run --locked --release --quiet

# Stable takes the flags that give libFuzzer its feedback; a target of its own keeps them from build scripts.
FUZZ_FLAGS := -Cpasses=sancov-module $(addprefix -Cllvm-args=-sanitizer-coverage-,level=4 inline-8bit-counters pc-table trace-compares)
FUZZ_BUILD := RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --locked --release --target host-tuple --manifest-path fuzz/Cargo.toml
FUZZ_BIN = fuzz/target/$$(rustc --print host-tuple)/release

## `make fuzz SECONDS=60`: each target for so long.
fuzz:
	$(FUZZ_BUILD)
	for target in $(FUZZ); do \
		mkdir -p fuzz/artifacts fuzz/target/corpus/$$target; \
		$(FUZZ_BIN)/$$target -max_total_time=$(SECONDS) -artifact_prefix=fuzz/artifacts/$$target- \
			fuzz/target/corpus/$$target fuzz/corpus/$$target; \
	done

# Each target for a moment; then a build with a bug planted, which is found.
fuzz-short:
	$(MAKE) fuzz SECONDS=5
	$(FUZZ_BUILD) --bin scanner --features planted
	rm -rf fuzz/target/planted && mkdir -p fuzz/target/planted/corpus
	! $(FUZZ_BIN)/scanner -max_total_time=60 -artifact_prefix=fuzz/target/planted/ \
		fuzz/target/planted/corpus fuzz/corpus/scanner
	ls fuzz/target/planted/crash-*

python: python-package examples
	$(VENV)/python -m pytest -q bindings-python

wasm: wasm-package browser
	cd bindings-wasm && npm run lint && npm test

node: node-package python-package
	cd bindings-node && npm run lint && PYTHON=$(CURDIR)/$(VENV)/python npm test

## The recorded failure cases: `make cases CASES=file.jsonl` plays others.
cases: examples
	cargo run --locked --quiet -p mcp-sansio-tests --bin cases -- $(if $(filter file,$(origin CASES)),--all) $(CASES)

## Our servers and clients with those of others, as a matrix.
interop: peers examples gate python-package node-package
	cd tests/interop && python3 -m unittest -q
	python3 tests/interop/run.py

## How many messages the steps before checked against the schema of their revision; none of a revision is a failure.
schema-gate:
	@if [ "$(MCP_SPEC_DIR)" = none ]; then \
		echo "skipped: set MCP_SPEC_DIR to a folder with the schema.json of each revision"; \
	else \
		cargo run --locked --quiet -p mcp-sansio-gate; \
	fi

readme: peers python-package node-package
	python3 tests/readme/check.py --python $(VENV)/python \
		--peer-python tests/interop/.venvs/mcp-2.3.0/bin/python --peer-node-modules tests/interop/peers/node_modules

## Instructions, allocations and CPU beside others, as ratios.
BENCH_BUILD := cargo build --locked --release --manifest-path tests/bench/Cargo.toml --target-dir target/bench
bench: valgrind peers python-package node-package
	cargo build --locked --release -p mcp-sansio --example stdio_server
	$(BENCH_BUILD) -p mcp-sansio-bench
	$(BENCH_BUILD) -p mcp-sansio-bench-rmcp
	target/bench/release/bench
