#!/usr/bin/env bash
# All tests. Installs what they need, runs every step even if one fails, adds everything up and ends with one line:
# "N passed, N failed", with ", N skipped" where something was. Exit code 0 only when nothing failed.
#
# `bash tests/run.sh STEP…` runs only the named steps: fmt clippy wasm rust doc node sdk recall runtimes browser.
set -uo pipefail
cd "$(dirname "$0")/.."

# The same random histories in every run: a red test says something about the change. New ones: make properties.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-20}"

passed=0 failed=0 skipped=0
log=target/test-log
mkdir -p target
started=$SECONDS

add() { passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0})); }
wanted() { [ "${#only[@]}" = 0 ] || [[ " ${only[*]} " == *" $1 "* ]]; }
only=("$@")

# A step that is right or wrong as a whole.
check() {
  local name=$1; shift
  if "$@" >"$log" 2>&1; then echo "ok    $name"; add 1 0; else echo "FAIL  $name"; tail -n 60 "$log"; add 0 1; fi
}

# A step that counts by itself: cargo's "test result:" lines, or node's TAP summaries.
counted() {
  local name=$1 pass fail skip; shift
  "$@" >"$log" 2>&1; local code=$?
  pass=$(sed -nE 's/^# pass ([0-9]+)/\1/p; s/^test result: .* ([0-9]+) passed.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  fail=$(sed -nE 's/^# (fail|cancelled) ([0-9]+)/\2/p; s/^test result: .* ([0-9]+) failed.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  skip=$(sed -nE 's/^# skipped ([0-9]+)/\1/p; s/^test result: .* ([0-9]+) ignored.*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
  # A step that broke before it could count is a failure, not a pass of nothing.
  if [ "$code" != 0 ] && [ "$fail" = 0 ]; then fail=1; fi
  if [ "$code" = 0 ] && [ "$((pass + skip))" = 0 ]; then echo "      $name ran no test"; fail=1; fi
  grep -E '^SKIPPED' "$log" | sort -u
  # Here nothing but a missing runtime or model is skipped, and CI must have those.
  if [ "${CI:-}" = true ] && [ "$skip" != 0 ] && [[ " recall runtimes browser " == *" $name "* ]]; then fail=$((fail + skip)); skip=0; fi
  if [ "$fail" = 0 ]; then echo "ok    $name: $pass"; else echo "FAIL  $name"; grep -vE '^ *(ok [0-9]+|# Subtest|---|duration_ms|type: |\.\.\.|test .* \.\.\. ok$)' "$log" | tail -n 120; fi
  add "$pass" "$fail" "$skip"
}

wanted fmt && check "rustfmt" cargo fmt --check
wanted clippy && check "clippy" cargo clippy --quiet --locked --all-targets -- -D warnings
wanted wasm && check "clippy for wasm" cargo clippy --quiet --locked --target wasm32-unknown-unknown -- -D warnings
wanted wasm && check "clippy for the counter's wasm" cargo clippy --quiet --locked --target wasm32-unknown-unknown --features tokens -- -D warnings
wanted rust && counted "rust" cargo test --quiet --locked --no-fail-fast
wanted doc && check "rustdoc" env RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps
# Files, not the directory: node versions disagree on what a directory means.
wanted node && counted "node" node --test --test-reporter=tap tests/js/*.test.mjs

# What needs packages of its own, installed beside the tests: the published SDKs as judges (under the newer Node they
# want), and the runtimes that are not Node.
apart() {
  local name=$1 folder=$2; shift 2
  if (cd "$folder" && npm ci --no-audit --no-fund --silent) >"$log" 2>&1; then counted "$name" "$@"
  elif [ "${CI:-}" = true ]; then echo "FAIL  $name: npm ci in $folder failed, and CI must not skip it"; tail -n 5 "$log"; add 0 1
  else echo "SKIPPED: $name, npm ci in $folder failed"; add 0 0 1; fi
}
debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  echo "      installing $1"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"; } >"$log" 2>&1 || { tail -n 5 "$log"; return 1; }
}
at_hand() { for b in "$@"; do [ -n "$b" ] && [ -x "$b" ] && return 0; done; return 1; }
chromium() { at_hand "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; }
firefox() { at_hand "${FIREFOX:-}" /usr/bin/firefox-esr /usr/bin/firefox; }

wanted sdk && apart "sdk" tests/sdk env PATH="$PWD/tests/sdk/node_modules/node24/bin:$PATH" node --test --test-reporter=tap tests/sdk/*.test.mjs
wanted recall && counted "recall" node --test --test-reporter=tap tests/recall/*.test.mjs

if wanted browser || wanted runtimes; then chromium || debian chromium; fi
if wanted runtimes; then
  firefox || debian firefox-esr
  apart "runtimes" tests/runtimes node --test --test-reporter=tap tests/runtimes/*.test.mjs
fi

if wanted browser; then
  if chromium; then
    counted "browser" node --test --test-reporter=tap tests/browser/*.test.mjs
  elif [ "${CI:-}" = true ]; then
    echo "FAIL  browser: no Chromium, and CI must not skip a runtime"; add 0 1
  else
    echo "SKIPPED: browser tests, no Chromium found and none could be installed (apt-get needs root); name one in CHROMIUM"
    add 0 0 1
  fi
fi

echo "      $((SECONDS - started)) s"
summary="$passed passed, $failed failed"
[ "$skipped" = 0 ] || summary="$summary, $skipped skipped"
echo "$summary"
[ "$failed" = 0 ]
