# Every step runs alone and does nothing when nothing changed. `make run` needs no root.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

WASM := target/wasm32-unknown-unknown/release/gentle_cascade.wasm
GLUE := target/glue
STAMP := target/stamps
# What takes longest of a build; -O0 while working on the core.
WASM_OPT ?= -Os
SAMPLE := sample/session.json
RUST_SOURCES := $(shell find src -name '*.rs') Cargo.toml Cargo.lock
PKG_SOURCES := $(shell find pkg-template -type f)

.PHONY: size bench-planning properties fuzz bench-tokens bench-estimate bench-recall run test pkg www toolchain bench clean sdk bench-relief bench-digest

run: pkg
	@node pkg/cli.js replay $(SAMPLE) --window 64000
	@echo
	@echo "The same on a page, with a scrubber over the steps: make www"

pkg: $(STAMP)/pkg

www: pkg
	@node www/serve.mjs

toolchain:
	@[ -d "$$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ] || rustup toolchain install

$(STAMP)/npm: package.json package-lock.json
	npm ci --no-audit --no-fund
	@mkdir -p $(STAMP) && touch $@

# The token counter's wasm is made of these alone.
COUNTER := target/wasm32-unknown-unknown/tokens/gentle_cascade.wasm
COUNTER_SOURCES := src/tokens.rs src/lib.rs src/core/error.rs src/core/measure/exact.rs $(shell find src/core/measure/bpe -type f) Cargo.toml Cargo.lock

# As a cdylib alone it is optimised across crates; beside an rlib it is not. No path of the building machine ends up in it. Of several prefixes that match, the last one counts.
$(WASM): $(RUST_SOURCES)
$(COUNTER): $(COUNTER_SOURCES)
$(WASM): CARGO_FLAGS := --release
$(COUNTER): CARGO_FLAGS := --profile tokens --features tokens
$(WASM) $(COUNTER): | toolchain
	@cargo fetch --quiet --locked; home="$${CARGO_HOME:-$$HOME/.cargo}"; sep=$$'\x1f'; flags="--remap-path-prefix=$$PWD=/src"; \
	flags="$$flags$$sep--remap-path-prefix=$$(rustc --print sysroot)=/rust$$sep--remap-path-prefix=$$home=/cargo"; \
	for dir in "$$home"/registry/src/*/; do [ -d "$$dir" ] && flags="$$flags$$sep--remap-path-prefix=$${dir%/}=/deps"; done; \
	CARGO_ENCODED_RUSTFLAGS="$$flags" cargo rustc --quiet --locked $(CARGO_FLAGS) --lib --crate-type cdylib --target wasm32-unknown-unknown
	@touch $@

$(GLUE)/core_bg.wasm: $(WASM)
$(GLUE)/counter_bg.wasm: $(COUNTER)
$(GLUE)/%_bg.wasm: xtask/src/main.rs xtask/Cargo.toml
	@cargo run --quiet --locked -p xtask -- bindgen $(filter %.wasm,$^) $(GLUE) $*
	@touch $@

$(GLUE)/core_opt.wasm: $(GLUE)/core_bg.wasm $(STAMP)/npm
	@node_modules/.bin/wasm-opt $(WASM_OPT) -o $@ $<
$(GLUE)/counter_opt.wasm: $(GLUE)/counter_bg.wasm $(STAMP)/npm
	@node_modules/.bin/wasm-opt -O3 -o $@ $<

$(STAMP)/vocab: xtask/src/vocab.rs xtask/Cargo.toml
	@cargo run --quiet --locked -p xtask -- vocab target/vocab
	@mkdir -p $(STAMP) && touch $@

$(STAMP)/pkg: $(STAMP)/vocab $(GLUE)/core_opt.wasm $(GLUE)/counter_opt.wasm $(PKG_SOURCES) $(STAMP)/npm README.md CHANGELOG.md LICENSE
	@node pkg-template/build.mjs $(GLUE)
	@mkdir -p $(STAMP) && touch $@

test: pkg
	@bash tests/run.sh

# How far the estimate is off: DATA=folder of session logs and usage-probes, JSON=1 for the numbers alone.
bench-estimate: pkg
	@node tests/bench/estimate/run.mjs $(DATA) $(if $(JSON),--json)
# How often the right older message comes back, and what a search by words costs.
bench-recall: pkg
	@node tests/recall/bench.mjs

# Many more random histories than `make test` runs, and other ones each time: 100,000 per property and format.
properties: pkg
	@GENTLE_CASES=100000 cargo test --quiet --release --test properties
	@GENTLE_CASES=20000 node --test --test-reporter=tap tests/js/properties.test.mjs
	@GENTLE_CASES=5000 cargo test --quiet --release --test planned_on --test fold_properties
	@FUZZ=100000 cargo test --quiet --release --test tokens

# The published SDKs alone, as judges of our views, under the Node they need; installed apart from the workspace.
sdk: pkg
	@bash tests/run.sh sdk

# Ten minutes of coverage-guided bytes; needs `cargo install cargo-fuzz` and a nightly toolchain.
FUZZ_SECONDS ?= 600
fuzz:
	@mkdir -p fuzz/corpus/histories; cargo +nightly fuzz run histories fuzz/corpus/histories fuzz/findings -- -max_total_time=$(FUZZ_SECONDS) -max_len=2048

# Against other token counters, in interleaved processes; needs a quiet machine. DATA=folder JSON=1
bench-tokens: pkg
	@cd tests/bench/tokens && npm ci --no-audit --no-fund --silent && DATA="$(DATA)" JSON="$(JSON)" node run.mjs
# Bytes of what ships: as it is, gzip -9, brotli 11.
size: pkg
	@node tests/size.mjs

clean:
	rm -rf target pkg fuzz/target

# What stays findable in the window and what it costs, against peers: make bench-relief [DATA=folder] [JSON=1]
bench-relief: pkg
	@cd tests/sdk && npm ci --no-audit --no-fund --silent || true
	@PATH="$$PWD/tests/sdk/node_modules/node24/bin:$$PATH" node tests/bench/relief/run.mjs $(DATA) $(if $(JSON),--json)

# What of the folded rows survives without a model, against simpler ways; and folds of real agents beside ours. DATA=folder JSON=1
bench-digest: pkg
	@node tests/bench/digest/run.mjs $(DATA) $(if $(JSON),--json)

# What a step costs to plan at 1,000 to 30,000 messages; needs a quiet machine and the real release build. JSON=1 for the numbers alone.
bench-planning: pkg
	@node tests/bench/planning/run.mjs $(if $(JSON),--json)
