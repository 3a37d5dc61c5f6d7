#!/usr/bin/env bash
# loops: the same sum under every rule, native and emulated; and predicted times that can be told in advance.
# Usage: loops_test.sh MPIRUN EMU LOOPS
set -euo pipefail
mpirun=$1
emu=$2
loops=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# A network that costs next to nothing: 2 slaves of speed 1 and 0.5 (the master is the first of three nodes).
cat >"$dir/two-speeds.toml" <<'END'
name = "two speeds"
compute = "declared"
[network]
latency = "1ns"
gap_per_byte = "0us"
eager_limit = "64KiB"
[network.send]
fixed = "0us"
per_process = "0us"
per_byte = "0us"
[network.receive]
fixed = "0us"
per_process = "0us"
per_byte = "0us"
[network.poll]
fixed = "1ps"  # each chunk is timed by two readings of the clock
[[node]]
count = 2
[[node]]
count = 1
speed = 0.5
END

"$mpirun" -n 1 "$loops" --iterations 300 --mean 1us 2>/dev/null >"$dir/one"
for i in 1 2 3 4 5 6; do echo "${i}ms"; done >"$dir/costs"
# expect SECONDS RULE OPTIONS...: the predicted time, to a thousandth of a millisecond, with 3 ranks.
expect() {
  local seconds=$1 rule=$2
  shift 2
  "$emu" run -n 3 --target "$dir/two-speeds.toml" --json "$dir/json" "$loops" --rule "$rule" --chunks "$dir/chunks" "$@" \
    >"$dir/out" 2>"$dir/err" || fail "$rule: $(cat "$dir/err")"
  awk -v is="$(sed -nE 's/.*"predicted_seconds": *([0-9.e+-]+).*/\1/p' "$dir/json")" -v right="$seconds" \
    'BEGIN { exit !(is - right < 1e-6 && right - is < 1e-6) }' ||
    fail "$rule $*: $(grep -o '"predicted_seconds": *[0-9.e+-]*' "$dir/json"), expected $seconds; $(cat "$dir/chunks")"
}
for rule in static self guided factoring trapezoid weighted adaptive; do
  "$mpirun" -n 3 "$loops" --rule "$rule" --iterations 300 --mean 1us --cost bimodal >"$dir/out" 2>/dev/null
  cmp "$dir/one" "$dir/out" || fail "$rule: another sum"
done
for rule in static self guided factoring trapezoid; do
  "$mpirun" -n 3 "$loops" --rule "$rule" --iterations 300 --mean 1us --cost bimodal --counter one-sided >"$dir/out" 2>/dev/null
  cmp "$dir/one" "$dir/out" || fail "$rule by a counter: another sum"
done
# Half of 300 iterations of 1 ms at half the speed; 200 and 100; with a probe of 10 ms before.
expect 0.3 static --iterations 300 --mean 1ms
cmp "$dir/one" "$dir/out" || fail "another sum when emulated"
expect 0.2 self --iterations 300 --mean 1ms
expect 0.2 self --iterations 300 --mean 1ms --counter one-sided
cmp "$dir/one" "$dir/out" || fail "another sum by a counter when emulated"
expect 0.22 weighted --iterations 300 --mean 1ms --probe 10ms
expect 0.2 weighted --iterations 300 --mean 1ms --weights 2,1
[ "$(head -n 2 "$dir/chunks" | awk '{ print $3, $2 }' | sort | paste -sd ' ')" = "1 100 2 50" ] || fail "weights: $(cat "$dir/chunks")"
# Costs of 1 2 3 ms (slave 1) and 4 5 6 ms (slave 2, half as fast).
expect 0.03 static --costs "$dir/costs"
# Increasing: the second half has three quarters of the 4 ms.
expect 0.006 static --iterations 4 --mean 1ms --cost increasing

# refused TEXT OPTIONS...: exit code 2, and one line that holds TEXT.
refused() {
  local text=$1 code=0
  shift
  "$mpirun" -n 3 "$loops" "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || fail "exit code $code, not 2: $*"
  [ "$(grep -c '^loops: ' "$dir/err")" = 1 ] || fail "not one message: $*: $(cat "$dir/err")"
  grep -qe "$text" "$dir/err" || fail "no '$text': $(cat "$dir/err")"
}
refused "--rule 'best': expected static, self, " --rule best
refused "--weights '1,0': expected 2 numbers above 0" --rule weighted --weights 1,0
refused "--weights is an option of --rule weighted" --weights 1,1
refused "chunks that depend on who gets them" --rule adaptive --counter one-sided
refused "--iterations '0'" --iterations 0
refused "$dir/none: cannot be read" --costs "$dir/none"
refused "$dir: is a directory" --costs "$dir"
echo "5 parsecs" >>"$dir/costs"
refused "$dir/costs: line 7: '5 parsecs'" --costs "$dir/costs"
refused "give one of them" --costs "$dir/costs" --mean 1ms
refused "cannot be written" --chunks "$dir/none/chunks"
echo ok
