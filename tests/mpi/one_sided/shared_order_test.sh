#!/usr/bin/env bash
# shared_order_test.sh EMU SHARED_ORDER: with declared compute, loads and stores in shared memory take place
# in the order of the ranks' clocks. A rank that waits for a store without a call continues nevertheless.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 order=$2

for compute in declared measured; do
  small_target 1 $compute 50us 10ns 3us 2us 'slots = 16' | sed 's/^fixed = "1ns"/fixed = "1us"/' >"$dir/$compute.toml"
done

passes() { # COMPUTE RANKS WORDS...
  local compute=$1 ranks=$2
  shift 2
  timeout 100 "$emu" run -n "$ranks" --target "$dir/$compute.toml" "$order" "$@" >"$dir/out" 2>"$dir/err" ||
    fail "$compute, $ranks ranks, $*: $(cat "$dir/out" "$dir/err")"
  [ "$(cat "$dir/out")" = ok ] || fail "$compute, $ranks ranks, $*: $(cat "$dir/out")"
}
warns() { grep -q "^emu: warning: .*$1" "$dir/err" || fail "no warning: $1: $(cat "$dir/err")"; }

for ranks in 2 3 7; do
  passes declared $ranks random $ranks 300
  EMU_JITTER=200 passes declared $ranks random $ranks 60
  passes declared $ranks sync 1
  passes declared $ranks lookup 0
done
passes declared 3 sync 0
passes declared 3 parts
! grep -q '^emu: warning: .*shared' "$dir/err" || fail "a warning: $(cat "$dir/err")"
passes declared 3 mutex 8
passes declared 3 spin 1
warns 'without a call of MPI'
passes declared 2 spin 0
passes measured 3 ends 1
warns 'no order in virtual time'
echo ok
